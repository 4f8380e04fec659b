"""GPU libraries whose sizes vary, from IR written by hand, on the emulated device: grids, sizes as arguments of kernels,
tensor maps, copies and the pool."""
import os

import numpy as np

import gpu
import strata

INVALID_SIZE = 11

# y = 2 * x through the pool: rows of 32 are copied by boxes of 16 rows, of which the last hangs over, then doubled by
# blocks of 64 threads, a number a thread, through shared memory: where a processor's share of blocks is one or two, launches
# ask for more of it than the 256 bytes that they need.
ROWS = """
#x = affine_map<()[s0, s1] -> (s0 + s1, 32)>
#blocks = affine_map<()[s0, s1] -> ((s0 + s1) ceildiv 16)>
#few = affine_map<()[s0, s1] -> ((s0 + s1) ceildiv 2)>
#load = {buffer = 0 : i64, type = f32, sizes = affine_map<()[s0, s1] -> (32, s0 + s1)>, strides = array<i64: 128>,
         box = array<i64: 32, 16>, steps = array<i64: 1, 1>, swizzle = 128 : i64}
#store = {buffer = 1 : i64, type = f32, sizes = affine_map<()[s0, s1] -> (32, s0 + s1)>, strides = array<i64: 128>,
          box = array<i64: 32, 16>, steps = array<i64: 1, 1>, swizzle = 128 : i64}
!x = memref<?x32xf32, {sizes = #x}>
module {
  func.func @main(%x: !x {strata.name = "x"}, %y: !x {strata.name = "y", strata.output}) attributes {strata.symbols = [
      {name = "rows", min = 0, max = 1000, multiple = 1, likely = [40]},
      {name = "more", min = 0, max = 1000, multiple = 1, likely = [2]}]} {
    %n = arith.constant 1 : index
    %t = memref.alloc(%n) : !x
    call @copy(%x, %t) : (!x, !x) -> ()
    call @twice(%t, %y) : (!x, !x) -> ()
    return
  }
  func.func private @copy(!x, !x) attributes {strata.blocks = #blocks, strata.threads = 32 : i64,
      strata.shared = 204800 : i64, strata.maps = [#load, #store]}
  func.func private @twice(!x, !x) attributes {strata.blocks = #few, strata.threads = 64 : i64, strata.shared = 65536 : i64,
      strata.programmatic, strata.apart = array<i64: 2, 256, 4, 131072>, strata.sizes = affine_map<()[s0, s1] -> (s0 * 32 + s1 * 32)>}
  module @kernels {
    func.func @copy(%x: memref<1x32xf32>, %y: memref<1x32xf32>, %shared: memref<204800xi8, 3>) attributes {
        strata.threads = 32 : i64, strata.shared = 204800 : i64, strata.index_bits = 32 : i64, strata.maps = [#load, #store]} {
      %c0 = arith.constant 0 : index
      %place = arith.constant 196608 : index
      %parity = arith.constant 0 : i32
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %row = affine.apply affine_map<()[b] -> (b * 16)>()[%b]
      %tile = memref.view %shared[%c0][] : memref<204800xi8, 3> to memref<512xf32, 3>
      %full = memref.view %shared[%place][] : memref<204800xi8, 3> to memref<1xi64, 3>
      %is_first = arith.cmpi eq, %t, %c0 : index
      scf.if %is_first {
        "tile.barrier_init"(%full, %c0) {count = 1 : i64} : (memref<1xi64, 3>, index) -> ()
        "tile.fence"() {of = "barriers"} : () -> ()
        "tile.barrier_expect"(%full, %c0) {bytes = 2048 : i64} : (memref<1xi64, 3>, index) -> ()
        "tile.bulk_load"(%tile, %c0, %full, %c0, %c0, %row) {map = 0 : i64}
            : (memref<512xf32, 3>, index, memref<1xi64, 3>, index, index, index) -> ()
        "tile.barrier_wait"(%full, %c0, %parity) : (memref<1xi64, 3>, index, i32) -> ()
        "tile.bulk_store"(%tile, %c0, %c0, %row) {map = 1 : i64} : (memref<512xf32, 3>, index, index, index) -> ()
        "tile.bulk_commit"() : () -> ()
        "tile.bulk_wait"() {pending = 0 : i64} : () -> ()
      }
      return
    }
    func.func @twice(%x: memref<0xf32>, %y: memref<0xf32>, %n: index, %shared: memref<256xi8, 3>) attributes {
        strata.threads = 64 : i64, strata.shared = 256 : i64, strata.programmatic, strata.index_bits = 32 : i64} {
      "tile.launch_wait"() : () -> ()
      %c0 = arith.constant 0 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %own = memref.view %shared[%c0][] : memref<256xi8, 3> to memref<64xf32, 3>
      %i = affine.apply affine_map<()[b, t] -> (b * 64 + t)>()[%b, %t]
      %is_inside = arith.cmpi slt, %i, %n : index
      scf.if %is_inside {
        %0 = memref.load %x[%i] : memref<0xf32>
        memref.store %0, %own[%t] : memref<64xf32, 3>
        %1 = memref.load %own[%t] : memref<64xf32, 3>
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %y[%i] : memref<0xf32>
      }
      return
    }
  }
}
"""


def check_library(path):
    library, generator = gpu.Library(path), strata.generator_of(path)
    sizes = [(1, 0), (40, 0), (7, 9), (0, 16), (0, 0), (1000, 1000), (3, 2), (8, 0), (16, 1)]
    for each in sizes + [tuple(generator.integers(0, 200, 2)) for _ in range(10)]:
        x = generator.standard_normal((sum(each), 32)).astype(np.float32)
        y, = library.run([x], [int(size) for size in each])
        assert y.shape == x.shape and (y == 2 * x).all(), each
    for each, words in [((-1, 0), "rows is -1, expected 0 to 1000"), ((1, 1001), "more is 1001, expected 0 to 1000")]:
        try:
            library.description.device_memory_size(library.dims(each)) and library.run([x], each)
            library.output_shape(0, each)
            raise AssertionError("refused sizes were taken")
        except strata.RunError as error:
            assert error.status == INVALID_SIZE and words in str(error), error
    library.unload()


def main():
    gpu.use_stand_in()
    opt = os.path.join(strata.BIN, "strata-opt")
    strata.write("planned.mlir", strata.run(opt, strata.write("rows.mlir", ROWS), "--pipeline=affine-memory-plan"))
    for name, options in [("host", []), ("tensors", ["--on-gpu-tensors"]), ("memory", ["--user-device-memory"]),
                          ("both", ["--on-gpu-tensors", "--user-device-memory"])]:
        path, _ = strata.compile_library("planned.mlir", "out", name, ["--target=nvgpu", "--device=emulated_90",
                                                                       "--compile-from=gpu", *options])
        check_library(path)
    header = open("out/both.h", encoding="utf-8").read()
    assert ("int both(const float *x, float *y, int64_t rows, int64_t more, void *device_memory, "
            "struct CUstream_st *stream);") in header
    told = strata.run(os.path.join(strata.BIN, "strata-run"), "out/libboth.so", "--random", "--dim=rows=50")
    assert "rows = 50, more = 2" in told and "2 launches" in told, told


main()
