// RUN: not strata-opt %s --pipeline=tile-to-gpu --target=nvgpu --split-input-file 2>&1 | FileCheck %s

// CHECK: kernel steps: vector.extract: this op on vectors is not supported on GPUs
func.func private @steps(%x: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %a = "tile.load"(%x) {map = affine_map<(i) -> (i)>} : (memref<32xf32>) -> vector<32xf32>
    %b = vector.extract %a[3] : f32 from vector<32xf32>
  }
  return
}

// -----

// CHECK: kernel threads: expected threads and a group of them in the schedule, got 96 and 64
func.func private @threads(%x: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 96, group = 64}} {
  scf.forall (%t) in (1) {
  }
  return
}

// -----

// CHECK: kernel memory: 524288 bytes of shared memory, where sm_90a has 232448
func.func private @memory(%x: memref<32xf32>) attributes {strata.schedule = {kind = "map", threads = 32, group = 32}} {
  scf.forall (%t) in (1) {
    %m = memref.alloc() {tile.scratch} : memref<131072xf32>
  }
  return
}
