// RUN: strata %s --target=nvgpu --device=sm_90a --compile-to=affine --explain -o %t | FileCheck %s

// A split in a hundred outputs is a few launches.
// CHECK: a run: 1 launches
func.func @main(%x: tensor<256x3200xf16> {strata.name = "x"})
    -> (tensor<256x32xf16> {strata.name = "y0"}, tensor<256x32xf16> {strata.name = "y1"},
        tensor<256x32xf16> {strata.name = "y2"}, tensor<256x32xf16> {strata.name = "y3"},
        tensor<256x32xf16> {strata.name = "y4"}, tensor<256x32xf16> {strata.name = "y5"},
        tensor<256x32xf16> {strata.name = "y6"}, tensor<256x32xf16> {strata.name = "y7"},
        tensor<256x32xf16> {strata.name = "y8"}, tensor<256x32xf16> {strata.name = "y9"},
        tensor<256x32xf16> {strata.name = "y10"}, tensor<256x32xf16> {strata.name = "y11"},
        tensor<256x32xf16> {strata.name = "y12"}, tensor<256x32xf16> {strata.name = "y13"},
        tensor<256x32xf16> {strata.name = "y14"}, tensor<256x32xf16> {strata.name = "y15"},
        tensor<256x32xf16> {strata.name = "y16"}, tensor<256x32xf16> {strata.name = "y17"},
        tensor<256x32xf16> {strata.name = "y18"}, tensor<256x32xf16> {strata.name = "y19"},
        tensor<256x32xf16> {strata.name = "y20"}, tensor<256x32xf16> {strata.name = "y21"},
        tensor<256x32xf16> {strata.name = "y22"}, tensor<256x32xf16> {strata.name = "y23"},
        tensor<256x32xf16> {strata.name = "y24"}, tensor<256x32xf16> {strata.name = "y25"},
        tensor<256x32xf16> {strata.name = "y26"}, tensor<256x32xf16> {strata.name = "y27"},
        tensor<256x32xf16> {strata.name = "y28"}, tensor<256x32xf16> {strata.name = "y29"},
        tensor<256x32xf16> {strata.name = "y30"}, tensor<256x32xf16> {strata.name = "y31"},
        tensor<256x32xf16> {strata.name = "y32"}, tensor<256x32xf16> {strata.name = "y33"},
        tensor<256x32xf16> {strata.name = "y34"}, tensor<256x32xf16> {strata.name = "y35"},
        tensor<256x32xf16> {strata.name = "y36"}, tensor<256x32xf16> {strata.name = "y37"},
        tensor<256x32xf16> {strata.name = "y38"}, tensor<256x32xf16> {strata.name = "y39"},
        tensor<256x32xf16> {strata.name = "y40"}, tensor<256x32xf16> {strata.name = "y41"},
        tensor<256x32xf16> {strata.name = "y42"}, tensor<256x32xf16> {strata.name = "y43"},
        tensor<256x32xf16> {strata.name = "y44"}, tensor<256x32xf16> {strata.name = "y45"},
        tensor<256x32xf16> {strata.name = "y46"}, tensor<256x32xf16> {strata.name = "y47"},
        tensor<256x32xf16> {strata.name = "y48"}, tensor<256x32xf16> {strata.name = "y49"},
        tensor<256x32xf16> {strata.name = "y50"}, tensor<256x32xf16> {strata.name = "y51"},
        tensor<256x32xf16> {strata.name = "y52"}, tensor<256x32xf16> {strata.name = "y53"},
        tensor<256x32xf16> {strata.name = "y54"}, tensor<256x32xf16> {strata.name = "y55"},
        tensor<256x32xf16> {strata.name = "y56"}, tensor<256x32xf16> {strata.name = "y57"},
        tensor<256x32xf16> {strata.name = "y58"}, tensor<256x32xf16> {strata.name = "y59"},
        tensor<256x32xf16> {strata.name = "y60"}, tensor<256x32xf16> {strata.name = "y61"},
        tensor<256x32xf16> {strata.name = "y62"}, tensor<256x32xf16> {strata.name = "y63"},
        tensor<256x32xf16> {strata.name = "y64"}, tensor<256x32xf16> {strata.name = "y65"},
        tensor<256x32xf16> {strata.name = "y66"}, tensor<256x32xf16> {strata.name = "y67"},
        tensor<256x32xf16> {strata.name = "y68"}, tensor<256x32xf16> {strata.name = "y69"},
        tensor<256x32xf16> {strata.name = "y70"}, tensor<256x32xf16> {strata.name = "y71"},
        tensor<256x32xf16> {strata.name = "y72"}, tensor<256x32xf16> {strata.name = "y73"},
        tensor<256x32xf16> {strata.name = "y74"}, tensor<256x32xf16> {strata.name = "y75"},
        tensor<256x32xf16> {strata.name = "y76"}, tensor<256x32xf16> {strata.name = "y77"},
        tensor<256x32xf16> {strata.name = "y78"}, tensor<256x32xf16> {strata.name = "y79"},
        tensor<256x32xf16> {strata.name = "y80"}, tensor<256x32xf16> {strata.name = "y81"},
        tensor<256x32xf16> {strata.name = "y82"}, tensor<256x32xf16> {strata.name = "y83"},
        tensor<256x32xf16> {strata.name = "y84"}, tensor<256x32xf16> {strata.name = "y85"},
        tensor<256x32xf16> {strata.name = "y86"}, tensor<256x32xf16> {strata.name = "y87"},
        tensor<256x32xf16> {strata.name = "y88"}, tensor<256x32xf16> {strata.name = "y89"},
        tensor<256x32xf16> {strata.name = "y90"}, tensor<256x32xf16> {strata.name = "y91"},
        tensor<256x32xf16> {strata.name = "y92"}, tensor<256x32xf16> {strata.name = "y93"},
        tensor<256x32xf16> {strata.name = "y94"}, tensor<256x32xf16> {strata.name = "y95"},
        tensor<256x32xf16> {strata.name = "y96"}, tensor<256x32xf16> {strata.name = "y97"},
        tensor<256x32xf16> {strata.name = "y98"}, tensor<256x32xf16> {strata.name = "y99"}) {
  %0 = "strata.slice"(%x) {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %1 = "strata.slice"(%x) {starts = array<i64: 0, 32>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %2 = "strata.slice"(%x) {starts = array<i64: 0, 64>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %3 = "strata.slice"(%x) {starts = array<i64: 0, 96>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %4 = "strata.slice"(%x) {starts = array<i64: 0, 128>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %5 = "strata.slice"(%x) {starts = array<i64: 0, 160>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %6 = "strata.slice"(%x) {starts = array<i64: 0, 192>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %7 = "strata.slice"(%x) {starts = array<i64: 0, 224>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %8 = "strata.slice"(%x) {starts = array<i64: 0, 256>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %9 = "strata.slice"(%x) {starts = array<i64: 0, 288>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %10 = "strata.slice"(%x) {starts = array<i64: 0, 320>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %11 = "strata.slice"(%x) {starts = array<i64: 0, 352>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %12 = "strata.slice"(%x) {starts = array<i64: 0, 384>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %13 = "strata.slice"(%x) {starts = array<i64: 0, 416>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %14 = "strata.slice"(%x) {starts = array<i64: 0, 448>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %15 = "strata.slice"(%x) {starts = array<i64: 0, 480>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %16 = "strata.slice"(%x) {starts = array<i64: 0, 512>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %17 = "strata.slice"(%x) {starts = array<i64: 0, 544>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %18 = "strata.slice"(%x) {starts = array<i64: 0, 576>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %19 = "strata.slice"(%x) {starts = array<i64: 0, 608>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %20 = "strata.slice"(%x) {starts = array<i64: 0, 640>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %21 = "strata.slice"(%x) {starts = array<i64: 0, 672>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %22 = "strata.slice"(%x) {starts = array<i64: 0, 704>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %23 = "strata.slice"(%x) {starts = array<i64: 0, 736>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %24 = "strata.slice"(%x) {starts = array<i64: 0, 768>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %25 = "strata.slice"(%x) {starts = array<i64: 0, 800>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %26 = "strata.slice"(%x) {starts = array<i64: 0, 832>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %27 = "strata.slice"(%x) {starts = array<i64: 0, 864>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %28 = "strata.slice"(%x) {starts = array<i64: 0, 896>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %29 = "strata.slice"(%x) {starts = array<i64: 0, 928>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %30 = "strata.slice"(%x) {starts = array<i64: 0, 960>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %31 = "strata.slice"(%x) {starts = array<i64: 0, 992>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %32 = "strata.slice"(%x) {starts = array<i64: 0, 1024>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %33 = "strata.slice"(%x) {starts = array<i64: 0, 1056>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %34 = "strata.slice"(%x) {starts = array<i64: 0, 1088>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %35 = "strata.slice"(%x) {starts = array<i64: 0, 1120>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %36 = "strata.slice"(%x) {starts = array<i64: 0, 1152>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %37 = "strata.slice"(%x) {starts = array<i64: 0, 1184>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %38 = "strata.slice"(%x) {starts = array<i64: 0, 1216>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %39 = "strata.slice"(%x) {starts = array<i64: 0, 1248>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %40 = "strata.slice"(%x) {starts = array<i64: 0, 1280>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %41 = "strata.slice"(%x) {starts = array<i64: 0, 1312>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %42 = "strata.slice"(%x) {starts = array<i64: 0, 1344>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %43 = "strata.slice"(%x) {starts = array<i64: 0, 1376>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %44 = "strata.slice"(%x) {starts = array<i64: 0, 1408>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %45 = "strata.slice"(%x) {starts = array<i64: 0, 1440>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %46 = "strata.slice"(%x) {starts = array<i64: 0, 1472>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %47 = "strata.slice"(%x) {starts = array<i64: 0, 1504>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %48 = "strata.slice"(%x) {starts = array<i64: 0, 1536>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %49 = "strata.slice"(%x) {starts = array<i64: 0, 1568>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %50 = "strata.slice"(%x) {starts = array<i64: 0, 1600>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %51 = "strata.slice"(%x) {starts = array<i64: 0, 1632>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %52 = "strata.slice"(%x) {starts = array<i64: 0, 1664>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %53 = "strata.slice"(%x) {starts = array<i64: 0, 1696>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %54 = "strata.slice"(%x) {starts = array<i64: 0, 1728>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %55 = "strata.slice"(%x) {starts = array<i64: 0, 1760>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %56 = "strata.slice"(%x) {starts = array<i64: 0, 1792>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %57 = "strata.slice"(%x) {starts = array<i64: 0, 1824>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %58 = "strata.slice"(%x) {starts = array<i64: 0, 1856>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %59 = "strata.slice"(%x) {starts = array<i64: 0, 1888>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %60 = "strata.slice"(%x) {starts = array<i64: 0, 1920>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %61 = "strata.slice"(%x) {starts = array<i64: 0, 1952>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %62 = "strata.slice"(%x) {starts = array<i64: 0, 1984>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %63 = "strata.slice"(%x) {starts = array<i64: 0, 2016>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %64 = "strata.slice"(%x) {starts = array<i64: 0, 2048>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %65 = "strata.slice"(%x) {starts = array<i64: 0, 2080>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %66 = "strata.slice"(%x) {starts = array<i64: 0, 2112>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %67 = "strata.slice"(%x) {starts = array<i64: 0, 2144>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %68 = "strata.slice"(%x) {starts = array<i64: 0, 2176>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %69 = "strata.slice"(%x) {starts = array<i64: 0, 2208>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %70 = "strata.slice"(%x) {starts = array<i64: 0, 2240>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %71 = "strata.slice"(%x) {starts = array<i64: 0, 2272>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %72 = "strata.slice"(%x) {starts = array<i64: 0, 2304>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %73 = "strata.slice"(%x) {starts = array<i64: 0, 2336>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %74 = "strata.slice"(%x) {starts = array<i64: 0, 2368>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %75 = "strata.slice"(%x) {starts = array<i64: 0, 2400>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %76 = "strata.slice"(%x) {starts = array<i64: 0, 2432>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %77 = "strata.slice"(%x) {starts = array<i64: 0, 2464>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %78 = "strata.slice"(%x) {starts = array<i64: 0, 2496>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %79 = "strata.slice"(%x) {starts = array<i64: 0, 2528>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %80 = "strata.slice"(%x) {starts = array<i64: 0, 2560>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %81 = "strata.slice"(%x) {starts = array<i64: 0, 2592>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %82 = "strata.slice"(%x) {starts = array<i64: 0, 2624>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %83 = "strata.slice"(%x) {starts = array<i64: 0, 2656>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %84 = "strata.slice"(%x) {starts = array<i64: 0, 2688>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %85 = "strata.slice"(%x) {starts = array<i64: 0, 2720>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %86 = "strata.slice"(%x) {starts = array<i64: 0, 2752>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %87 = "strata.slice"(%x) {starts = array<i64: 0, 2784>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %88 = "strata.slice"(%x) {starts = array<i64: 0, 2816>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %89 = "strata.slice"(%x) {starts = array<i64: 0, 2848>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %90 = "strata.slice"(%x) {starts = array<i64: 0, 2880>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %91 = "strata.slice"(%x) {starts = array<i64: 0, 2912>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %92 = "strata.slice"(%x) {starts = array<i64: 0, 2944>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %93 = "strata.slice"(%x) {starts = array<i64: 0, 2976>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %94 = "strata.slice"(%x) {starts = array<i64: 0, 3008>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %95 = "strata.slice"(%x) {starts = array<i64: 0, 3040>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %96 = "strata.slice"(%x) {starts = array<i64: 0, 3072>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %97 = "strata.slice"(%x) {starts = array<i64: 0, 3104>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %98 = "strata.slice"(%x) {starts = array<i64: 0, 3136>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  %99 = "strata.slice"(%x) {starts = array<i64: 0, 3168>, steps = array<i64: 1, 1>} : (tensor<256x3200xf16>) -> tensor<256x32xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99 : tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>, tensor<256x32xf16>
}
