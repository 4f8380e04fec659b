// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A concat of a hundred inputs is one launch: several are only of more than the parameters of a kernel may be.
// CHECK: a run: 1 launches
func.func @main(%x0: tensor<256x32xf16> {strata.name = "x0"}, %x1: tensor<256x32xf16> {strata.name = "x1"},
                %x2: tensor<256x32xf16> {strata.name = "x2"}, %x3: tensor<256x32xf16> {strata.name = "x3"},
                %x4: tensor<256x32xf16> {strata.name = "x4"}, %x5: tensor<256x32xf16> {strata.name = "x5"},
                %x6: tensor<256x32xf16> {strata.name = "x6"}, %x7: tensor<256x32xf16> {strata.name = "x7"},
                %x8: tensor<256x32xf16> {strata.name = "x8"}, %x9: tensor<256x32xf16> {strata.name = "x9"},
                %x10: tensor<256x32xf16> {strata.name = "x10"}, %x11: tensor<256x32xf16> {strata.name = "x11"},
                %x12: tensor<256x32xf16> {strata.name = "x12"}, %x13: tensor<256x32xf16> {strata.name = "x13"},
                %x14: tensor<256x32xf16> {strata.name = "x14"}, %x15: tensor<256x32xf16> {strata.name = "x15"},
                %x16: tensor<256x32xf16> {strata.name = "x16"}, %x17: tensor<256x32xf16> {strata.name = "x17"},
                %x18: tensor<256x32xf16> {strata.name = "x18"}, %x19: tensor<256x32xf16> {strata.name = "x19"},
                %x20: tensor<256x32xf16> {strata.name = "x20"}, %x21: tensor<256x32xf16> {strata.name = "x21"},
                %x22: tensor<256x32xf16> {strata.name = "x22"}, %x23: tensor<256x32xf16> {strata.name = "x23"},
                %x24: tensor<256x32xf16> {strata.name = "x24"}, %x25: tensor<256x32xf16> {strata.name = "x25"},
                %x26: tensor<256x32xf16> {strata.name = "x26"}, %x27: tensor<256x32xf16> {strata.name = "x27"},
                %x28: tensor<256x32xf16> {strata.name = "x28"}, %x29: tensor<256x32xf16> {strata.name = "x29"},
                %x30: tensor<256x32xf16> {strata.name = "x30"}, %x31: tensor<256x32xf16> {strata.name = "x31"},
                %x32: tensor<256x32xf16> {strata.name = "x32"}, %x33: tensor<256x32xf16> {strata.name = "x33"},
                %x34: tensor<256x32xf16> {strata.name = "x34"}, %x35: tensor<256x32xf16> {strata.name = "x35"},
                %x36: tensor<256x32xf16> {strata.name = "x36"}, %x37: tensor<256x32xf16> {strata.name = "x37"},
                %x38: tensor<256x32xf16> {strata.name = "x38"}, %x39: tensor<256x32xf16> {strata.name = "x39"},
                %x40: tensor<256x32xf16> {strata.name = "x40"}, %x41: tensor<256x32xf16> {strata.name = "x41"},
                %x42: tensor<256x32xf16> {strata.name = "x42"}, %x43: tensor<256x32xf16> {strata.name = "x43"},
                %x44: tensor<256x32xf16> {strata.name = "x44"}, %x45: tensor<256x32xf16> {strata.name = "x45"},
                %x46: tensor<256x32xf16> {strata.name = "x46"}, %x47: tensor<256x32xf16> {strata.name = "x47"},
                %x48: tensor<256x32xf16> {strata.name = "x48"}, %x49: tensor<256x32xf16> {strata.name = "x49"},
                %x50: tensor<256x32xf16> {strata.name = "x50"}, %x51: tensor<256x32xf16> {strata.name = "x51"},
                %x52: tensor<256x32xf16> {strata.name = "x52"}, %x53: tensor<256x32xf16> {strata.name = "x53"},
                %x54: tensor<256x32xf16> {strata.name = "x54"}, %x55: tensor<256x32xf16> {strata.name = "x55"},
                %x56: tensor<256x32xf16> {strata.name = "x56"}, %x57: tensor<256x32xf16> {strata.name = "x57"},
                %x58: tensor<256x32xf16> {strata.name = "x58"}, %x59: tensor<256x32xf16> {strata.name = "x59"},
                %x60: tensor<256x32xf16> {strata.name = "x60"}, %x61: tensor<256x32xf16> {strata.name = "x61"},
                %x62: tensor<256x32xf16> {strata.name = "x62"}, %x63: tensor<256x32xf16> {strata.name = "x63"},
                %x64: tensor<256x32xf16> {strata.name = "x64"}, %x65: tensor<256x32xf16> {strata.name = "x65"},
                %x66: tensor<256x32xf16> {strata.name = "x66"}, %x67: tensor<256x32xf16> {strata.name = "x67"},
                %x68: tensor<256x32xf16> {strata.name = "x68"}, %x69: tensor<256x32xf16> {strata.name = "x69"},
                %x70: tensor<256x32xf16> {strata.name = "x70"}, %x71: tensor<256x32xf16> {strata.name = "x71"},
                %x72: tensor<256x32xf16> {strata.name = "x72"}, %x73: tensor<256x32xf16> {strata.name = "x73"},
                %x74: tensor<256x32xf16> {strata.name = "x74"}, %x75: tensor<256x32xf16> {strata.name = "x75"},
                %x76: tensor<256x32xf16> {strata.name = "x76"}, %x77: tensor<256x32xf16> {strata.name = "x77"},
                %x78: tensor<256x32xf16> {strata.name = "x78"}, %x79: tensor<256x32xf16> {strata.name = "x79"},
                %x80: tensor<256x32xf16> {strata.name = "x80"}, %x81: tensor<256x32xf16> {strata.name = "x81"},
                %x82: tensor<256x32xf16> {strata.name = "x82"}, %x83: tensor<256x32xf16> {strata.name = "x83"},
                %x84: tensor<256x32xf16> {strata.name = "x84"}, %x85: tensor<256x32xf16> {strata.name = "x85"},
                %x86: tensor<256x32xf16> {strata.name = "x86"}, %x87: tensor<256x32xf16> {strata.name = "x87"},
                %x88: tensor<256x32xf16> {strata.name = "x88"}, %x89: tensor<256x32xf16> {strata.name = "x89"},
                %x90: tensor<256x32xf16> {strata.name = "x90"}, %x91: tensor<256x32xf16> {strata.name = "x91"},
                %x92: tensor<256x32xf16> {strata.name = "x92"}, %x93: tensor<256x32xf16> {strata.name = "x93"},
                %x94: tensor<256x32xf16> {strata.name = "x94"}, %x95: tensor<256x32xf16> {strata.name = "x95"},
                %x96: tensor<256x32xf16> {strata.name = "x96"}, %x97: tensor<256x32xf16> {strata.name = "x97"},
                %x98: tensor<256x32xf16> {strata.name = "x98"}, %x99: tensor<256x32xf16> {strata.name = "x99"})
    -> (tensor<256x3200xf16> {strata.name = "y"}) {
  %0 = "strata.concat"(%x0, %x1) {axis = 1 : i64} : (tensor<256x32xf16>, tensor<256x32xf16>) -> tensor<256x64xf16>
  %1 = "strata.concat"(%0, %x2) {axis = 1 : i64} : (tensor<256x64xf16>, tensor<256x32xf16>) -> tensor<256x96xf16>
  %2 = "strata.concat"(%1, %x3) {axis = 1 : i64} : (tensor<256x96xf16>, tensor<256x32xf16>) -> tensor<256x128xf16>
  %3 = "strata.concat"(%2, %x4) {axis = 1 : i64} : (tensor<256x128xf16>, tensor<256x32xf16>) -> tensor<256x160xf16>
  %4 = "strata.concat"(%3, %x5) {axis = 1 : i64} : (tensor<256x160xf16>, tensor<256x32xf16>) -> tensor<256x192xf16>
  %5 = "strata.concat"(%4, %x6) {axis = 1 : i64} : (tensor<256x192xf16>, tensor<256x32xf16>) -> tensor<256x224xf16>
  %6 = "strata.concat"(%5, %x7) {axis = 1 : i64} : (tensor<256x224xf16>, tensor<256x32xf16>) -> tensor<256x256xf16>
  %7 = "strata.concat"(%6, %x8) {axis = 1 : i64} : (tensor<256x256xf16>, tensor<256x32xf16>) -> tensor<256x288xf16>
  %8 = "strata.concat"(%7, %x9) {axis = 1 : i64} : (tensor<256x288xf16>, tensor<256x32xf16>) -> tensor<256x320xf16>
  %9 = "strata.concat"(%8, %x10) {axis = 1 : i64} : (tensor<256x320xf16>, tensor<256x32xf16>) -> tensor<256x352xf16>
  %10 = "strata.concat"(%9, %x11) {axis = 1 : i64} : (tensor<256x352xf16>, tensor<256x32xf16>) -> tensor<256x384xf16>
  %11 = "strata.concat"(%10, %x12) {axis = 1 : i64} : (tensor<256x384xf16>, tensor<256x32xf16>) -> tensor<256x416xf16>
  %12 = "strata.concat"(%11, %x13) {axis = 1 : i64} : (tensor<256x416xf16>, tensor<256x32xf16>) -> tensor<256x448xf16>
  %13 = "strata.concat"(%12, %x14) {axis = 1 : i64} : (tensor<256x448xf16>, tensor<256x32xf16>) -> tensor<256x480xf16>
  %14 = "strata.concat"(%13, %x15) {axis = 1 : i64} : (tensor<256x480xf16>, tensor<256x32xf16>) -> tensor<256x512xf16>
  %15 = "strata.concat"(%14, %x16) {axis = 1 : i64} : (tensor<256x512xf16>, tensor<256x32xf16>) -> tensor<256x544xf16>
  %16 = "strata.concat"(%15, %x17) {axis = 1 : i64} : (tensor<256x544xf16>, tensor<256x32xf16>) -> tensor<256x576xf16>
  %17 = "strata.concat"(%16, %x18) {axis = 1 : i64} : (tensor<256x576xf16>, tensor<256x32xf16>) -> tensor<256x608xf16>
  %18 = "strata.concat"(%17, %x19) {axis = 1 : i64} : (tensor<256x608xf16>, tensor<256x32xf16>) -> tensor<256x640xf16>
  %19 = "strata.concat"(%18, %x20) {axis = 1 : i64} : (tensor<256x640xf16>, tensor<256x32xf16>) -> tensor<256x672xf16>
  %20 = "strata.concat"(%19, %x21) {axis = 1 : i64} : (tensor<256x672xf16>, tensor<256x32xf16>) -> tensor<256x704xf16>
  %21 = "strata.concat"(%20, %x22) {axis = 1 : i64} : (tensor<256x704xf16>, tensor<256x32xf16>) -> tensor<256x736xf16>
  %22 = "strata.concat"(%21, %x23) {axis = 1 : i64} : (tensor<256x736xf16>, tensor<256x32xf16>) -> tensor<256x768xf16>
  %23 = "strata.concat"(%22, %x24) {axis = 1 : i64} : (tensor<256x768xf16>, tensor<256x32xf16>) -> tensor<256x800xf16>
  %24 = "strata.concat"(%23, %x25) {axis = 1 : i64} : (tensor<256x800xf16>, tensor<256x32xf16>) -> tensor<256x832xf16>
  %25 = "strata.concat"(%24, %x26) {axis = 1 : i64} : (tensor<256x832xf16>, tensor<256x32xf16>) -> tensor<256x864xf16>
  %26 = "strata.concat"(%25, %x27) {axis = 1 : i64} : (tensor<256x864xf16>, tensor<256x32xf16>) -> tensor<256x896xf16>
  %27 = "strata.concat"(%26, %x28) {axis = 1 : i64} : (tensor<256x896xf16>, tensor<256x32xf16>) -> tensor<256x928xf16>
  %28 = "strata.concat"(%27, %x29) {axis = 1 : i64} : (tensor<256x928xf16>, tensor<256x32xf16>) -> tensor<256x960xf16>
  %29 = "strata.concat"(%28, %x30) {axis = 1 : i64} : (tensor<256x960xf16>, tensor<256x32xf16>) -> tensor<256x992xf16>
  %30 = "strata.concat"(%29, %x31) {axis = 1 : i64} : (tensor<256x992xf16>, tensor<256x32xf16>) -> tensor<256x1024xf16>
  %31 = "strata.concat"(%30, %x32) {axis = 1 : i64} : (tensor<256x1024xf16>, tensor<256x32xf16>) -> tensor<256x1056xf16>
  %32 = "strata.concat"(%31, %x33) {axis = 1 : i64} : (tensor<256x1056xf16>, tensor<256x32xf16>) -> tensor<256x1088xf16>
  %33 = "strata.concat"(%32, %x34) {axis = 1 : i64} : (tensor<256x1088xf16>, tensor<256x32xf16>) -> tensor<256x1120xf16>
  %34 = "strata.concat"(%33, %x35) {axis = 1 : i64} : (tensor<256x1120xf16>, tensor<256x32xf16>) -> tensor<256x1152xf16>
  %35 = "strata.concat"(%34, %x36) {axis = 1 : i64} : (tensor<256x1152xf16>, tensor<256x32xf16>) -> tensor<256x1184xf16>
  %36 = "strata.concat"(%35, %x37) {axis = 1 : i64} : (tensor<256x1184xf16>, tensor<256x32xf16>) -> tensor<256x1216xf16>
  %37 = "strata.concat"(%36, %x38) {axis = 1 : i64} : (tensor<256x1216xf16>, tensor<256x32xf16>) -> tensor<256x1248xf16>
  %38 = "strata.concat"(%37, %x39) {axis = 1 : i64} : (tensor<256x1248xf16>, tensor<256x32xf16>) -> tensor<256x1280xf16>
  %39 = "strata.concat"(%38, %x40) {axis = 1 : i64} : (tensor<256x1280xf16>, tensor<256x32xf16>) -> tensor<256x1312xf16>
  %40 = "strata.concat"(%39, %x41) {axis = 1 : i64} : (tensor<256x1312xf16>, tensor<256x32xf16>) -> tensor<256x1344xf16>
  %41 = "strata.concat"(%40, %x42) {axis = 1 : i64} : (tensor<256x1344xf16>, tensor<256x32xf16>) -> tensor<256x1376xf16>
  %42 = "strata.concat"(%41, %x43) {axis = 1 : i64} : (tensor<256x1376xf16>, tensor<256x32xf16>) -> tensor<256x1408xf16>
  %43 = "strata.concat"(%42, %x44) {axis = 1 : i64} : (tensor<256x1408xf16>, tensor<256x32xf16>) -> tensor<256x1440xf16>
  %44 = "strata.concat"(%43, %x45) {axis = 1 : i64} : (tensor<256x1440xf16>, tensor<256x32xf16>) -> tensor<256x1472xf16>
  %45 = "strata.concat"(%44, %x46) {axis = 1 : i64} : (tensor<256x1472xf16>, tensor<256x32xf16>) -> tensor<256x1504xf16>
  %46 = "strata.concat"(%45, %x47) {axis = 1 : i64} : (tensor<256x1504xf16>, tensor<256x32xf16>) -> tensor<256x1536xf16>
  %47 = "strata.concat"(%46, %x48) {axis = 1 : i64} : (tensor<256x1536xf16>, tensor<256x32xf16>) -> tensor<256x1568xf16>
  %48 = "strata.concat"(%47, %x49) {axis = 1 : i64} : (tensor<256x1568xf16>, tensor<256x32xf16>) -> tensor<256x1600xf16>
  %49 = "strata.concat"(%48, %x50) {axis = 1 : i64} : (tensor<256x1600xf16>, tensor<256x32xf16>) -> tensor<256x1632xf16>
  %50 = "strata.concat"(%49, %x51) {axis = 1 : i64} : (tensor<256x1632xf16>, tensor<256x32xf16>) -> tensor<256x1664xf16>
  %51 = "strata.concat"(%50, %x52) {axis = 1 : i64} : (tensor<256x1664xf16>, tensor<256x32xf16>) -> tensor<256x1696xf16>
  %52 = "strata.concat"(%51, %x53) {axis = 1 : i64} : (tensor<256x1696xf16>, tensor<256x32xf16>) -> tensor<256x1728xf16>
  %53 = "strata.concat"(%52, %x54) {axis = 1 : i64} : (tensor<256x1728xf16>, tensor<256x32xf16>) -> tensor<256x1760xf16>
  %54 = "strata.concat"(%53, %x55) {axis = 1 : i64} : (tensor<256x1760xf16>, tensor<256x32xf16>) -> tensor<256x1792xf16>
  %55 = "strata.concat"(%54, %x56) {axis = 1 : i64} : (tensor<256x1792xf16>, tensor<256x32xf16>) -> tensor<256x1824xf16>
  %56 = "strata.concat"(%55, %x57) {axis = 1 : i64} : (tensor<256x1824xf16>, tensor<256x32xf16>) -> tensor<256x1856xf16>
  %57 = "strata.concat"(%56, %x58) {axis = 1 : i64} : (tensor<256x1856xf16>, tensor<256x32xf16>) -> tensor<256x1888xf16>
  %58 = "strata.concat"(%57, %x59) {axis = 1 : i64} : (tensor<256x1888xf16>, tensor<256x32xf16>) -> tensor<256x1920xf16>
  %59 = "strata.concat"(%58, %x60) {axis = 1 : i64} : (tensor<256x1920xf16>, tensor<256x32xf16>) -> tensor<256x1952xf16>
  %60 = "strata.concat"(%59, %x61) {axis = 1 : i64} : (tensor<256x1952xf16>, tensor<256x32xf16>) -> tensor<256x1984xf16>
  %61 = "strata.concat"(%60, %x62) {axis = 1 : i64} : (tensor<256x1984xf16>, tensor<256x32xf16>) -> tensor<256x2016xf16>
  %62 = "strata.concat"(%61, %x63) {axis = 1 : i64} : (tensor<256x2016xf16>, tensor<256x32xf16>) -> tensor<256x2048xf16>
  %63 = "strata.concat"(%62, %x64) {axis = 1 : i64} : (tensor<256x2048xf16>, tensor<256x32xf16>) -> tensor<256x2080xf16>
  %64 = "strata.concat"(%63, %x65) {axis = 1 : i64} : (tensor<256x2080xf16>, tensor<256x32xf16>) -> tensor<256x2112xf16>
  %65 = "strata.concat"(%64, %x66) {axis = 1 : i64} : (tensor<256x2112xf16>, tensor<256x32xf16>) -> tensor<256x2144xf16>
  %66 = "strata.concat"(%65, %x67) {axis = 1 : i64} : (tensor<256x2144xf16>, tensor<256x32xf16>) -> tensor<256x2176xf16>
  %67 = "strata.concat"(%66, %x68) {axis = 1 : i64} : (tensor<256x2176xf16>, tensor<256x32xf16>) -> tensor<256x2208xf16>
  %68 = "strata.concat"(%67, %x69) {axis = 1 : i64} : (tensor<256x2208xf16>, tensor<256x32xf16>) -> tensor<256x2240xf16>
  %69 = "strata.concat"(%68, %x70) {axis = 1 : i64} : (tensor<256x2240xf16>, tensor<256x32xf16>) -> tensor<256x2272xf16>
  %70 = "strata.concat"(%69, %x71) {axis = 1 : i64} : (tensor<256x2272xf16>, tensor<256x32xf16>) -> tensor<256x2304xf16>
  %71 = "strata.concat"(%70, %x72) {axis = 1 : i64} : (tensor<256x2304xf16>, tensor<256x32xf16>) -> tensor<256x2336xf16>
  %72 = "strata.concat"(%71, %x73) {axis = 1 : i64} : (tensor<256x2336xf16>, tensor<256x32xf16>) -> tensor<256x2368xf16>
  %73 = "strata.concat"(%72, %x74) {axis = 1 : i64} : (tensor<256x2368xf16>, tensor<256x32xf16>) -> tensor<256x2400xf16>
  %74 = "strata.concat"(%73, %x75) {axis = 1 : i64} : (tensor<256x2400xf16>, tensor<256x32xf16>) -> tensor<256x2432xf16>
  %75 = "strata.concat"(%74, %x76) {axis = 1 : i64} : (tensor<256x2432xf16>, tensor<256x32xf16>) -> tensor<256x2464xf16>
  %76 = "strata.concat"(%75, %x77) {axis = 1 : i64} : (tensor<256x2464xf16>, tensor<256x32xf16>) -> tensor<256x2496xf16>
  %77 = "strata.concat"(%76, %x78) {axis = 1 : i64} : (tensor<256x2496xf16>, tensor<256x32xf16>) -> tensor<256x2528xf16>
  %78 = "strata.concat"(%77, %x79) {axis = 1 : i64} : (tensor<256x2528xf16>, tensor<256x32xf16>) -> tensor<256x2560xf16>
  %79 = "strata.concat"(%78, %x80) {axis = 1 : i64} : (tensor<256x2560xf16>, tensor<256x32xf16>) -> tensor<256x2592xf16>
  %80 = "strata.concat"(%79, %x81) {axis = 1 : i64} : (tensor<256x2592xf16>, tensor<256x32xf16>) -> tensor<256x2624xf16>
  %81 = "strata.concat"(%80, %x82) {axis = 1 : i64} : (tensor<256x2624xf16>, tensor<256x32xf16>) -> tensor<256x2656xf16>
  %82 = "strata.concat"(%81, %x83) {axis = 1 : i64} : (tensor<256x2656xf16>, tensor<256x32xf16>) -> tensor<256x2688xf16>
  %83 = "strata.concat"(%82, %x84) {axis = 1 : i64} : (tensor<256x2688xf16>, tensor<256x32xf16>) -> tensor<256x2720xf16>
  %84 = "strata.concat"(%83, %x85) {axis = 1 : i64} : (tensor<256x2720xf16>, tensor<256x32xf16>) -> tensor<256x2752xf16>
  %85 = "strata.concat"(%84, %x86) {axis = 1 : i64} : (tensor<256x2752xf16>, tensor<256x32xf16>) -> tensor<256x2784xf16>
  %86 = "strata.concat"(%85, %x87) {axis = 1 : i64} : (tensor<256x2784xf16>, tensor<256x32xf16>) -> tensor<256x2816xf16>
  %87 = "strata.concat"(%86, %x88) {axis = 1 : i64} : (tensor<256x2816xf16>, tensor<256x32xf16>) -> tensor<256x2848xf16>
  %88 = "strata.concat"(%87, %x89) {axis = 1 : i64} : (tensor<256x2848xf16>, tensor<256x32xf16>) -> tensor<256x2880xf16>
  %89 = "strata.concat"(%88, %x90) {axis = 1 : i64} : (tensor<256x2880xf16>, tensor<256x32xf16>) -> tensor<256x2912xf16>
  %90 = "strata.concat"(%89, %x91) {axis = 1 : i64} : (tensor<256x2912xf16>, tensor<256x32xf16>) -> tensor<256x2944xf16>
  %91 = "strata.concat"(%90, %x92) {axis = 1 : i64} : (tensor<256x2944xf16>, tensor<256x32xf16>) -> tensor<256x2976xf16>
  %92 = "strata.concat"(%91, %x93) {axis = 1 : i64} : (tensor<256x2976xf16>, tensor<256x32xf16>) -> tensor<256x3008xf16>
  %93 = "strata.concat"(%92, %x94) {axis = 1 : i64} : (tensor<256x3008xf16>, tensor<256x32xf16>) -> tensor<256x3040xf16>
  %94 = "strata.concat"(%93, %x95) {axis = 1 : i64} : (tensor<256x3040xf16>, tensor<256x32xf16>) -> tensor<256x3072xf16>
  %95 = "strata.concat"(%94, %x96) {axis = 1 : i64} : (tensor<256x3072xf16>, tensor<256x32xf16>) -> tensor<256x3104xf16>
  %96 = "strata.concat"(%95, %x97) {axis = 1 : i64} : (tensor<256x3104xf16>, tensor<256x32xf16>) -> tensor<256x3136xf16>
  %97 = "strata.concat"(%96, %x98) {axis = 1 : i64} : (tensor<256x3136xf16>, tensor<256x32xf16>) -> tensor<256x3168xf16>
  %98 = "strata.concat"(%97, %x99) {axis = 1 : i64} : (tensor<256x3168xf16>, tensor<256x32xf16>) -> tensor<256x3200xf16>
  return %98 : tensor<256x3200xf16>
}
