// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// So are a hundred slices, put side by side.
// CHECK: a run: 1 launches
func.func @main(%x0: tensor<256x40xf16> {strata.name = "x0"}, %x1: tensor<256x40xf16> {strata.name = "x1"},
                %x2: tensor<256x40xf16> {strata.name = "x2"}, %x3: tensor<256x40xf16> {strata.name = "x3"},
                %x4: tensor<256x40xf16> {strata.name = "x4"}, %x5: tensor<256x40xf16> {strata.name = "x5"},
                %x6: tensor<256x40xf16> {strata.name = "x6"}, %x7: tensor<256x40xf16> {strata.name = "x7"},
                %x8: tensor<256x40xf16> {strata.name = "x8"}, %x9: tensor<256x40xf16> {strata.name = "x9"},
                %x10: tensor<256x40xf16> {strata.name = "x10"}, %x11: tensor<256x40xf16> {strata.name = "x11"},
                %x12: tensor<256x40xf16> {strata.name = "x12"}, %x13: tensor<256x40xf16> {strata.name = "x13"},
                %x14: tensor<256x40xf16> {strata.name = "x14"}, %x15: tensor<256x40xf16> {strata.name = "x15"},
                %x16: tensor<256x40xf16> {strata.name = "x16"}, %x17: tensor<256x40xf16> {strata.name = "x17"},
                %x18: tensor<256x40xf16> {strata.name = "x18"}, %x19: tensor<256x40xf16> {strata.name = "x19"},
                %x20: tensor<256x40xf16> {strata.name = "x20"}, %x21: tensor<256x40xf16> {strata.name = "x21"},
                %x22: tensor<256x40xf16> {strata.name = "x22"}, %x23: tensor<256x40xf16> {strata.name = "x23"},
                %x24: tensor<256x40xf16> {strata.name = "x24"}, %x25: tensor<256x40xf16> {strata.name = "x25"},
                %x26: tensor<256x40xf16> {strata.name = "x26"}, %x27: tensor<256x40xf16> {strata.name = "x27"},
                %x28: tensor<256x40xf16> {strata.name = "x28"}, %x29: tensor<256x40xf16> {strata.name = "x29"},
                %x30: tensor<256x40xf16> {strata.name = "x30"}, %x31: tensor<256x40xf16> {strata.name = "x31"},
                %x32: tensor<256x40xf16> {strata.name = "x32"}, %x33: tensor<256x40xf16> {strata.name = "x33"},
                %x34: tensor<256x40xf16> {strata.name = "x34"}, %x35: tensor<256x40xf16> {strata.name = "x35"},
                %x36: tensor<256x40xf16> {strata.name = "x36"}, %x37: tensor<256x40xf16> {strata.name = "x37"},
                %x38: tensor<256x40xf16> {strata.name = "x38"}, %x39: tensor<256x40xf16> {strata.name = "x39"},
                %x40: tensor<256x40xf16> {strata.name = "x40"}, %x41: tensor<256x40xf16> {strata.name = "x41"},
                %x42: tensor<256x40xf16> {strata.name = "x42"}, %x43: tensor<256x40xf16> {strata.name = "x43"},
                %x44: tensor<256x40xf16> {strata.name = "x44"}, %x45: tensor<256x40xf16> {strata.name = "x45"},
                %x46: tensor<256x40xf16> {strata.name = "x46"}, %x47: tensor<256x40xf16> {strata.name = "x47"},
                %x48: tensor<256x40xf16> {strata.name = "x48"}, %x49: tensor<256x40xf16> {strata.name = "x49"},
                %x50: tensor<256x40xf16> {strata.name = "x50"}, %x51: tensor<256x40xf16> {strata.name = "x51"},
                %x52: tensor<256x40xf16> {strata.name = "x52"}, %x53: tensor<256x40xf16> {strata.name = "x53"},
                %x54: tensor<256x40xf16> {strata.name = "x54"}, %x55: tensor<256x40xf16> {strata.name = "x55"},
                %x56: tensor<256x40xf16> {strata.name = "x56"}, %x57: tensor<256x40xf16> {strata.name = "x57"},
                %x58: tensor<256x40xf16> {strata.name = "x58"}, %x59: tensor<256x40xf16> {strata.name = "x59"},
                %x60: tensor<256x40xf16> {strata.name = "x60"}, %x61: tensor<256x40xf16> {strata.name = "x61"},
                %x62: tensor<256x40xf16> {strata.name = "x62"}, %x63: tensor<256x40xf16> {strata.name = "x63"},
                %x64: tensor<256x40xf16> {strata.name = "x64"}, %x65: tensor<256x40xf16> {strata.name = "x65"},
                %x66: tensor<256x40xf16> {strata.name = "x66"}, %x67: tensor<256x40xf16> {strata.name = "x67"},
                %x68: tensor<256x40xf16> {strata.name = "x68"}, %x69: tensor<256x40xf16> {strata.name = "x69"},
                %x70: tensor<256x40xf16> {strata.name = "x70"}, %x71: tensor<256x40xf16> {strata.name = "x71"},
                %x72: tensor<256x40xf16> {strata.name = "x72"}, %x73: tensor<256x40xf16> {strata.name = "x73"},
                %x74: tensor<256x40xf16> {strata.name = "x74"}, %x75: tensor<256x40xf16> {strata.name = "x75"},
                %x76: tensor<256x40xf16> {strata.name = "x76"}, %x77: tensor<256x40xf16> {strata.name = "x77"},
                %x78: tensor<256x40xf16> {strata.name = "x78"}, %x79: tensor<256x40xf16> {strata.name = "x79"},
                %x80: tensor<256x40xf16> {strata.name = "x80"}, %x81: tensor<256x40xf16> {strata.name = "x81"},
                %x82: tensor<256x40xf16> {strata.name = "x82"}, %x83: tensor<256x40xf16> {strata.name = "x83"},
                %x84: tensor<256x40xf16> {strata.name = "x84"}, %x85: tensor<256x40xf16> {strata.name = "x85"},
                %x86: tensor<256x40xf16> {strata.name = "x86"}, %x87: tensor<256x40xf16> {strata.name = "x87"},
                %x88: tensor<256x40xf16> {strata.name = "x88"}, %x89: tensor<256x40xf16> {strata.name = "x89"},
                %x90: tensor<256x40xf16> {strata.name = "x90"}, %x91: tensor<256x40xf16> {strata.name = "x91"},
                %x92: tensor<256x40xf16> {strata.name = "x92"}, %x93: tensor<256x40xf16> {strata.name = "x93"},
                %x94: tensor<256x40xf16> {strata.name = "x94"}, %x95: tensor<256x40xf16> {strata.name = "x95"},
                %x96: tensor<256x40xf16> {strata.name = "x96"}, %x97: tensor<256x40xf16> {strata.name = "x97"},
                %x98: tensor<256x40xf16> {strata.name = "x98"}, %x99: tensor<256x40xf16> {strata.name = "x99"})
    -> (tensor<256x3200xf16> {strata.name = "y"}) {
  %0 = "strata.slice"(%x0) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %1 = "strata.slice"(%x1) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %2 = "strata.slice"(%x2) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %3 = "strata.slice"(%x3) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %4 = "strata.slice"(%x4) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %5 = "strata.slice"(%x5) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %6 = "strata.slice"(%x6) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %7 = "strata.slice"(%x7) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %8 = "strata.slice"(%x8) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %9 = "strata.slice"(%x9) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %10 = "strata.slice"(%x10) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %11 = "strata.slice"(%x11) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %12 = "strata.slice"(%x12) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %13 = "strata.slice"(%x13) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %14 = "strata.slice"(%x14) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %15 = "strata.slice"(%x15) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %16 = "strata.slice"(%x16) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %17 = "strata.slice"(%x17) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %18 = "strata.slice"(%x18) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %19 = "strata.slice"(%x19) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %20 = "strata.slice"(%x20) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %21 = "strata.slice"(%x21) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %22 = "strata.slice"(%x22) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %23 = "strata.slice"(%x23) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %24 = "strata.slice"(%x24) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %25 = "strata.slice"(%x25) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %26 = "strata.slice"(%x26) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %27 = "strata.slice"(%x27) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %28 = "strata.slice"(%x28) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %29 = "strata.slice"(%x29) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %30 = "strata.slice"(%x30) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %31 = "strata.slice"(%x31) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %32 = "strata.slice"(%x32) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %33 = "strata.slice"(%x33) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %34 = "strata.slice"(%x34) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %35 = "strata.slice"(%x35) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %36 = "strata.slice"(%x36) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %37 = "strata.slice"(%x37) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %38 = "strata.slice"(%x38) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %39 = "strata.slice"(%x39) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %40 = "strata.slice"(%x40) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %41 = "strata.slice"(%x41) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %42 = "strata.slice"(%x42) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %43 = "strata.slice"(%x43) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %44 = "strata.slice"(%x44) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %45 = "strata.slice"(%x45) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %46 = "strata.slice"(%x46) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %47 = "strata.slice"(%x47) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %48 = "strata.slice"(%x48) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %49 = "strata.slice"(%x49) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %50 = "strata.slice"(%x50) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %51 = "strata.slice"(%x51) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %52 = "strata.slice"(%x52) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %53 = "strata.slice"(%x53) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %54 = "strata.slice"(%x54) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %55 = "strata.slice"(%x55) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %56 = "strata.slice"(%x56) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %57 = "strata.slice"(%x57) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %58 = "strata.slice"(%x58) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %59 = "strata.slice"(%x59) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %60 = "strata.slice"(%x60) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %61 = "strata.slice"(%x61) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %62 = "strata.slice"(%x62) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %63 = "strata.slice"(%x63) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %64 = "strata.slice"(%x64) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %65 = "strata.slice"(%x65) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %66 = "strata.slice"(%x66) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %67 = "strata.slice"(%x67) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %68 = "strata.slice"(%x68) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %69 = "strata.slice"(%x69) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %70 = "strata.slice"(%x70) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %71 = "strata.slice"(%x71) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %72 = "strata.slice"(%x72) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %73 = "strata.slice"(%x73) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %74 = "strata.slice"(%x74) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %75 = "strata.slice"(%x75) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %76 = "strata.slice"(%x76) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %77 = "strata.slice"(%x77) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %78 = "strata.slice"(%x78) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %79 = "strata.slice"(%x79) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %80 = "strata.slice"(%x80) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %81 = "strata.slice"(%x81) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %82 = "strata.slice"(%x82) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %83 = "strata.slice"(%x83) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %84 = "strata.slice"(%x84) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %85 = "strata.slice"(%x85) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %86 = "strata.slice"(%x86) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %87 = "strata.slice"(%x87) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %88 = "strata.slice"(%x88) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %89 = "strata.slice"(%x89) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %90 = "strata.slice"(%x90) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %91 = "strata.slice"(%x91) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %92 = "strata.slice"(%x92) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %93 = "strata.slice"(%x93) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %94 = "strata.slice"(%x94) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %95 = "strata.slice"(%x95) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %96 = "strata.slice"(%x96) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %97 = "strata.slice"(%x97) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %98 = "strata.slice"(%x98) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %99 = "strata.slice"(%x99) {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>} : (tensor<256x40xf16>) -> tensor<256x32xf16>
  %100 = "strata.concat"(%0, %1) {axis = 1 : i64} : (tensor<256x32xf16>, tensor<256x32xf16>) -> tensor<256x64xf16>
  %101 = "strata.concat"(%100, %2) {axis = 1 : i64} : (tensor<256x64xf16>, tensor<256x32xf16>) -> tensor<256x96xf16>
  %102 = "strata.concat"(%101, %3) {axis = 1 : i64} : (tensor<256x96xf16>, tensor<256x32xf16>) -> tensor<256x128xf16>
  %103 = "strata.concat"(%102, %4) {axis = 1 : i64} : (tensor<256x128xf16>, tensor<256x32xf16>) -> tensor<256x160xf16>
  %104 = "strata.concat"(%103, %5) {axis = 1 : i64} : (tensor<256x160xf16>, tensor<256x32xf16>) -> tensor<256x192xf16>
  %105 = "strata.concat"(%104, %6) {axis = 1 : i64} : (tensor<256x192xf16>, tensor<256x32xf16>) -> tensor<256x224xf16>
  %106 = "strata.concat"(%105, %7) {axis = 1 : i64} : (tensor<256x224xf16>, tensor<256x32xf16>) -> tensor<256x256xf16>
  %107 = "strata.concat"(%106, %8) {axis = 1 : i64} : (tensor<256x256xf16>, tensor<256x32xf16>) -> tensor<256x288xf16>
  %108 = "strata.concat"(%107, %9) {axis = 1 : i64} : (tensor<256x288xf16>, tensor<256x32xf16>) -> tensor<256x320xf16>
  %109 = "strata.concat"(%108, %10) {axis = 1 : i64} : (tensor<256x320xf16>, tensor<256x32xf16>) -> tensor<256x352xf16>
  %110 = "strata.concat"(%109, %11) {axis = 1 : i64} : (tensor<256x352xf16>, tensor<256x32xf16>) -> tensor<256x384xf16>
  %111 = "strata.concat"(%110, %12) {axis = 1 : i64} : (tensor<256x384xf16>, tensor<256x32xf16>) -> tensor<256x416xf16>
  %112 = "strata.concat"(%111, %13) {axis = 1 : i64} : (tensor<256x416xf16>, tensor<256x32xf16>) -> tensor<256x448xf16>
  %113 = "strata.concat"(%112, %14) {axis = 1 : i64} : (tensor<256x448xf16>, tensor<256x32xf16>) -> tensor<256x480xf16>
  %114 = "strata.concat"(%113, %15) {axis = 1 : i64} : (tensor<256x480xf16>, tensor<256x32xf16>) -> tensor<256x512xf16>
  %115 = "strata.concat"(%114, %16) {axis = 1 : i64} : (tensor<256x512xf16>, tensor<256x32xf16>) -> tensor<256x544xf16>
  %116 = "strata.concat"(%115, %17) {axis = 1 : i64} : (tensor<256x544xf16>, tensor<256x32xf16>) -> tensor<256x576xf16>
  %117 = "strata.concat"(%116, %18) {axis = 1 : i64} : (tensor<256x576xf16>, tensor<256x32xf16>) -> tensor<256x608xf16>
  %118 = "strata.concat"(%117, %19) {axis = 1 : i64} : (tensor<256x608xf16>, tensor<256x32xf16>) -> tensor<256x640xf16>
  %119 = "strata.concat"(%118, %20) {axis = 1 : i64} : (tensor<256x640xf16>, tensor<256x32xf16>) -> tensor<256x672xf16>
  %120 = "strata.concat"(%119, %21) {axis = 1 : i64} : (tensor<256x672xf16>, tensor<256x32xf16>) -> tensor<256x704xf16>
  %121 = "strata.concat"(%120, %22) {axis = 1 : i64} : (tensor<256x704xf16>, tensor<256x32xf16>) -> tensor<256x736xf16>
  %122 = "strata.concat"(%121, %23) {axis = 1 : i64} : (tensor<256x736xf16>, tensor<256x32xf16>) -> tensor<256x768xf16>
  %123 = "strata.concat"(%122, %24) {axis = 1 : i64} : (tensor<256x768xf16>, tensor<256x32xf16>) -> tensor<256x800xf16>
  %124 = "strata.concat"(%123, %25) {axis = 1 : i64} : (tensor<256x800xf16>, tensor<256x32xf16>) -> tensor<256x832xf16>
  %125 = "strata.concat"(%124, %26) {axis = 1 : i64} : (tensor<256x832xf16>, tensor<256x32xf16>) -> tensor<256x864xf16>
  %126 = "strata.concat"(%125, %27) {axis = 1 : i64} : (tensor<256x864xf16>, tensor<256x32xf16>) -> tensor<256x896xf16>
  %127 = "strata.concat"(%126, %28) {axis = 1 : i64} : (tensor<256x896xf16>, tensor<256x32xf16>) -> tensor<256x928xf16>
  %128 = "strata.concat"(%127, %29) {axis = 1 : i64} : (tensor<256x928xf16>, tensor<256x32xf16>) -> tensor<256x960xf16>
  %129 = "strata.concat"(%128, %30) {axis = 1 : i64} : (tensor<256x960xf16>, tensor<256x32xf16>) -> tensor<256x992xf16>
  %130 = "strata.concat"(%129, %31) {axis = 1 : i64} : (tensor<256x992xf16>, tensor<256x32xf16>) -> tensor<256x1024xf16>
  %131 = "strata.concat"(%130, %32) {axis = 1 : i64} : (tensor<256x1024xf16>, tensor<256x32xf16>) -> tensor<256x1056xf16>
  %132 = "strata.concat"(%131, %33) {axis = 1 : i64} : (tensor<256x1056xf16>, tensor<256x32xf16>) -> tensor<256x1088xf16>
  %133 = "strata.concat"(%132, %34) {axis = 1 : i64} : (tensor<256x1088xf16>, tensor<256x32xf16>) -> tensor<256x1120xf16>
  %134 = "strata.concat"(%133, %35) {axis = 1 : i64} : (tensor<256x1120xf16>, tensor<256x32xf16>) -> tensor<256x1152xf16>
  %135 = "strata.concat"(%134, %36) {axis = 1 : i64} : (tensor<256x1152xf16>, tensor<256x32xf16>) -> tensor<256x1184xf16>
  %136 = "strata.concat"(%135, %37) {axis = 1 : i64} : (tensor<256x1184xf16>, tensor<256x32xf16>) -> tensor<256x1216xf16>
  %137 = "strata.concat"(%136, %38) {axis = 1 : i64} : (tensor<256x1216xf16>, tensor<256x32xf16>) -> tensor<256x1248xf16>
  %138 = "strata.concat"(%137, %39) {axis = 1 : i64} : (tensor<256x1248xf16>, tensor<256x32xf16>) -> tensor<256x1280xf16>
  %139 = "strata.concat"(%138, %40) {axis = 1 : i64} : (tensor<256x1280xf16>, tensor<256x32xf16>) -> tensor<256x1312xf16>
  %140 = "strata.concat"(%139, %41) {axis = 1 : i64} : (tensor<256x1312xf16>, tensor<256x32xf16>) -> tensor<256x1344xf16>
  %141 = "strata.concat"(%140, %42) {axis = 1 : i64} : (tensor<256x1344xf16>, tensor<256x32xf16>) -> tensor<256x1376xf16>
  %142 = "strata.concat"(%141, %43) {axis = 1 : i64} : (tensor<256x1376xf16>, tensor<256x32xf16>) -> tensor<256x1408xf16>
  %143 = "strata.concat"(%142, %44) {axis = 1 : i64} : (tensor<256x1408xf16>, tensor<256x32xf16>) -> tensor<256x1440xf16>
  %144 = "strata.concat"(%143, %45) {axis = 1 : i64} : (tensor<256x1440xf16>, tensor<256x32xf16>) -> tensor<256x1472xf16>
  %145 = "strata.concat"(%144, %46) {axis = 1 : i64} : (tensor<256x1472xf16>, tensor<256x32xf16>) -> tensor<256x1504xf16>
  %146 = "strata.concat"(%145, %47) {axis = 1 : i64} : (tensor<256x1504xf16>, tensor<256x32xf16>) -> tensor<256x1536xf16>
  %147 = "strata.concat"(%146, %48) {axis = 1 : i64} : (tensor<256x1536xf16>, tensor<256x32xf16>) -> tensor<256x1568xf16>
  %148 = "strata.concat"(%147, %49) {axis = 1 : i64} : (tensor<256x1568xf16>, tensor<256x32xf16>) -> tensor<256x1600xf16>
  %149 = "strata.concat"(%148, %50) {axis = 1 : i64} : (tensor<256x1600xf16>, tensor<256x32xf16>) -> tensor<256x1632xf16>
  %150 = "strata.concat"(%149, %51) {axis = 1 : i64} : (tensor<256x1632xf16>, tensor<256x32xf16>) -> tensor<256x1664xf16>
  %151 = "strata.concat"(%150, %52) {axis = 1 : i64} : (tensor<256x1664xf16>, tensor<256x32xf16>) -> tensor<256x1696xf16>
  %152 = "strata.concat"(%151, %53) {axis = 1 : i64} : (tensor<256x1696xf16>, tensor<256x32xf16>) -> tensor<256x1728xf16>
  %153 = "strata.concat"(%152, %54) {axis = 1 : i64} : (tensor<256x1728xf16>, tensor<256x32xf16>) -> tensor<256x1760xf16>
  %154 = "strata.concat"(%153, %55) {axis = 1 : i64} : (tensor<256x1760xf16>, tensor<256x32xf16>) -> tensor<256x1792xf16>
  %155 = "strata.concat"(%154, %56) {axis = 1 : i64} : (tensor<256x1792xf16>, tensor<256x32xf16>) -> tensor<256x1824xf16>
  %156 = "strata.concat"(%155, %57) {axis = 1 : i64} : (tensor<256x1824xf16>, tensor<256x32xf16>) -> tensor<256x1856xf16>
  %157 = "strata.concat"(%156, %58) {axis = 1 : i64} : (tensor<256x1856xf16>, tensor<256x32xf16>) -> tensor<256x1888xf16>
  %158 = "strata.concat"(%157, %59) {axis = 1 : i64} : (tensor<256x1888xf16>, tensor<256x32xf16>) -> tensor<256x1920xf16>
  %159 = "strata.concat"(%158, %60) {axis = 1 : i64} : (tensor<256x1920xf16>, tensor<256x32xf16>) -> tensor<256x1952xf16>
  %160 = "strata.concat"(%159, %61) {axis = 1 : i64} : (tensor<256x1952xf16>, tensor<256x32xf16>) -> tensor<256x1984xf16>
  %161 = "strata.concat"(%160, %62) {axis = 1 : i64} : (tensor<256x1984xf16>, tensor<256x32xf16>) -> tensor<256x2016xf16>
  %162 = "strata.concat"(%161, %63) {axis = 1 : i64} : (tensor<256x2016xf16>, tensor<256x32xf16>) -> tensor<256x2048xf16>
  %163 = "strata.concat"(%162, %64) {axis = 1 : i64} : (tensor<256x2048xf16>, tensor<256x32xf16>) -> tensor<256x2080xf16>
  %164 = "strata.concat"(%163, %65) {axis = 1 : i64} : (tensor<256x2080xf16>, tensor<256x32xf16>) -> tensor<256x2112xf16>
  %165 = "strata.concat"(%164, %66) {axis = 1 : i64} : (tensor<256x2112xf16>, tensor<256x32xf16>) -> tensor<256x2144xf16>
  %166 = "strata.concat"(%165, %67) {axis = 1 : i64} : (tensor<256x2144xf16>, tensor<256x32xf16>) -> tensor<256x2176xf16>
  %167 = "strata.concat"(%166, %68) {axis = 1 : i64} : (tensor<256x2176xf16>, tensor<256x32xf16>) -> tensor<256x2208xf16>
  %168 = "strata.concat"(%167, %69) {axis = 1 : i64} : (tensor<256x2208xf16>, tensor<256x32xf16>) -> tensor<256x2240xf16>
  %169 = "strata.concat"(%168, %70) {axis = 1 : i64} : (tensor<256x2240xf16>, tensor<256x32xf16>) -> tensor<256x2272xf16>
  %170 = "strata.concat"(%169, %71) {axis = 1 : i64} : (tensor<256x2272xf16>, tensor<256x32xf16>) -> tensor<256x2304xf16>
  %171 = "strata.concat"(%170, %72) {axis = 1 : i64} : (tensor<256x2304xf16>, tensor<256x32xf16>) -> tensor<256x2336xf16>
  %172 = "strata.concat"(%171, %73) {axis = 1 : i64} : (tensor<256x2336xf16>, tensor<256x32xf16>) -> tensor<256x2368xf16>
  %173 = "strata.concat"(%172, %74) {axis = 1 : i64} : (tensor<256x2368xf16>, tensor<256x32xf16>) -> tensor<256x2400xf16>
  %174 = "strata.concat"(%173, %75) {axis = 1 : i64} : (tensor<256x2400xf16>, tensor<256x32xf16>) -> tensor<256x2432xf16>
  %175 = "strata.concat"(%174, %76) {axis = 1 : i64} : (tensor<256x2432xf16>, tensor<256x32xf16>) -> tensor<256x2464xf16>
  %176 = "strata.concat"(%175, %77) {axis = 1 : i64} : (tensor<256x2464xf16>, tensor<256x32xf16>) -> tensor<256x2496xf16>
  %177 = "strata.concat"(%176, %78) {axis = 1 : i64} : (tensor<256x2496xf16>, tensor<256x32xf16>) -> tensor<256x2528xf16>
  %178 = "strata.concat"(%177, %79) {axis = 1 : i64} : (tensor<256x2528xf16>, tensor<256x32xf16>) -> tensor<256x2560xf16>
  %179 = "strata.concat"(%178, %80) {axis = 1 : i64} : (tensor<256x2560xf16>, tensor<256x32xf16>) -> tensor<256x2592xf16>
  %180 = "strata.concat"(%179, %81) {axis = 1 : i64} : (tensor<256x2592xf16>, tensor<256x32xf16>) -> tensor<256x2624xf16>
  %181 = "strata.concat"(%180, %82) {axis = 1 : i64} : (tensor<256x2624xf16>, tensor<256x32xf16>) -> tensor<256x2656xf16>
  %182 = "strata.concat"(%181, %83) {axis = 1 : i64} : (tensor<256x2656xf16>, tensor<256x32xf16>) -> tensor<256x2688xf16>
  %183 = "strata.concat"(%182, %84) {axis = 1 : i64} : (tensor<256x2688xf16>, tensor<256x32xf16>) -> tensor<256x2720xf16>
  %184 = "strata.concat"(%183, %85) {axis = 1 : i64} : (tensor<256x2720xf16>, tensor<256x32xf16>) -> tensor<256x2752xf16>
  %185 = "strata.concat"(%184, %86) {axis = 1 : i64} : (tensor<256x2752xf16>, tensor<256x32xf16>) -> tensor<256x2784xf16>
  %186 = "strata.concat"(%185, %87) {axis = 1 : i64} : (tensor<256x2784xf16>, tensor<256x32xf16>) -> tensor<256x2816xf16>
  %187 = "strata.concat"(%186, %88) {axis = 1 : i64} : (tensor<256x2816xf16>, tensor<256x32xf16>) -> tensor<256x2848xf16>
  %188 = "strata.concat"(%187, %89) {axis = 1 : i64} : (tensor<256x2848xf16>, tensor<256x32xf16>) -> tensor<256x2880xf16>
  %189 = "strata.concat"(%188, %90) {axis = 1 : i64} : (tensor<256x2880xf16>, tensor<256x32xf16>) -> tensor<256x2912xf16>
  %190 = "strata.concat"(%189, %91) {axis = 1 : i64} : (tensor<256x2912xf16>, tensor<256x32xf16>) -> tensor<256x2944xf16>
  %191 = "strata.concat"(%190, %92) {axis = 1 : i64} : (tensor<256x2944xf16>, tensor<256x32xf16>) -> tensor<256x2976xf16>
  %192 = "strata.concat"(%191, %93) {axis = 1 : i64} : (tensor<256x2976xf16>, tensor<256x32xf16>) -> tensor<256x3008xf16>
  %193 = "strata.concat"(%192, %94) {axis = 1 : i64} : (tensor<256x3008xf16>, tensor<256x32xf16>) -> tensor<256x3040xf16>
  %194 = "strata.concat"(%193, %95) {axis = 1 : i64} : (tensor<256x3040xf16>, tensor<256x32xf16>) -> tensor<256x3072xf16>
  %195 = "strata.concat"(%194, %96) {axis = 1 : i64} : (tensor<256x3072xf16>, tensor<256x32xf16>) -> tensor<256x3104xf16>
  %196 = "strata.concat"(%195, %97) {axis = 1 : i64} : (tensor<256x3104xf16>, tensor<256x32xf16>) -> tensor<256x3136xf16>
  %197 = "strata.concat"(%196, %98) {axis = 1 : i64} : (tensor<256x3136xf16>, tensor<256x32xf16>) -> tensor<256x3168xf16>
  %198 = "strata.concat"(%197, %99) {axis = 1 : i64} : (tensor<256x3168xf16>, tensor<256x32xf16>) -> tensor<256x3200xf16>
  return %198 : tensor<256x3200xf16>
}
