// GPUs: what differs between them, as facts in a table, never as tests of an architecture's name in a pass.
#ifndef STRATA_DEVICES_GPU_DEVICE_H
#define STRATA_DEVICES_GPU_DEVICE_H

#include "devices/gpu/costs.h"
#include "dialects/compile.h"

// What a GPU runs, and so how its kernels become code (targets/gpu).
typedef enum {
  STRATA_GPU_NVPTX,    // PTX by LLVM, machine code by ptxas or the driver
  STRATA_GPU_AMDGCN,   // code objects by LLVM and lld
  STRATA_GPU_EMULATED, // the host's machine code, run thread by thread by the tests' driver (test/support/driver)
} strata_gpu_code_t;

// How threads have 16 bytes each copied into shared memory, past registers, and go on.
typedef enum {
  STRATA_GPU_COPIES_NONE,
  STRATA_GPU_COPIES_THREADS, // each to where it likes (cp.async)
  STRATA_GPU_COPIES_WARPS,   // those of a warp side by side
} strata_gpu_copies_t;

// Floats of 8 bits that instructions convert from and to f32.
typedef enum {
  STRATA_GPU_F8_NONE,
  STRATA_GPU_F8_FNUZ, // without infinities and -0
  STRATA_GPU_F8_OCP,
} strata_gpu_f8_t;

enum { STRATA_GPU_SHARED_OF_BLOCK = 1 << 10 }; // bytes of shared memory that the driver takes of each block

// A GPU the nvgpu and amdgpu targets can compile for: an architecture (rows of devices/gpu/devices.def), or a card of
// it (rows of devices/gpu/cards.def), which differs in figures alone. Sizes are in bytes.
typedef struct strata_gpu_device {
  const char *name;    // as --device= spells it
  const char *sold_as; // other names that --device= takes: devices/names.h
  strata_target_kind_t target;
  strata_gpu_code_t code;
  const char *triple, *chip, *features; // LLVM's
  int lanes;                            // threads of a warp (wave): they run together and may shuffle
  int max_threads;                      // of a block
  int max_cluster;                      // blocks that share memory with one another; 1: no clusters
  int n_processors;                     // of a typical card
  int threads_resident;                 // of a processor
  int64_t registers;                    // 32-bit, of a processor
  int64_t shared_bytes;                 // of a block at most
  int64_t shared_bytes_processor;
  int64_t l2_bytes;
  int chiplet_processors; // that have a second-level cache of their own; 0: all have one
  int64_t bandwidth;      // memory traffic, bytes a second
  double draw;            // times its share of that, which a processor gets where others want nothing
  int64_t products;       // operations a second of products of 16-bit operands
  const char *mma;        // family of matrix instructions: a set of rows of devices/gpu/mma.def; "": none
  const char
      *mma_async; // the family whose operands lie in shared memory, with bulk copies and barriers that go with it
  strata_gpu_copies_t copies;
  bool has_programmatic_launch;
  bool has_tanh; // tanh of f32 to 11 bits
  strata_gpu_f8_t f8;
  const char *card;                // as its vendor calls it; NULL: an architecture, with the costs of its first card
  const char *figures_from;        // where a card's figures are from
  const strata_gpu_costs_t *costs; // what the models of passes and lowerings go by
} strata_gpu_device_t;

// The device of this compile: what --device names, else the target's default. NOT_FOUND lists the known names;
// INVALID_ARGUMENT if the compile's target is no GPU.
STRATA_MUST_CHECK strata_status_t strata_gpu_device(strata_compile_t *compile, const strata_gpu_device_t **out_device);

// The device of that name or product, of any target; NULL if there is none.
const strata_gpu_device_t *strata_gpu_device_find(const char *name);

//===-- By architecture ------------------------------------------------------------------------------------------===//

// The GPU of |target| whose images say |arch| (strata_gpu_image_t of targets/gpu/codegen.h), else one whose images run
// there; NULL: none.
const strata_gpu_device_t *strata_gpu_device_of_arch(strata_target_kind_t target, uint32_t arch);
// The |arch| of a device's images.
uint32_t strata_gpu_device_arch(const strata_gpu_device_t *device);
// The last architecture that they run on: their own, but for generic targets.
uint32_t strata_gpu_device_last(const strata_gpu_device_t *device);

//===-- What follows from a row -----------------------------------------------------------------------------------===//

// Bytes of a row that the blocks of a cluster can have in shared memory, two of them on a processor, and elements that
// their threads can go through; 0 without clusters.
static inline int64_t strata_gpu_cluster_row_bytes(const strata_gpu_device_t *device) {
  return device->max_cluster > 1 ? device->max_cluster * (device->shared_bytes / 2) : 0;
}
static inline int64_t strata_gpu_cluster_row_elements(const strata_gpu_device_t *device) {
  enum { MOST_OF_A_THREAD = 128 };
  return device->max_cluster > 1 ? (int64_t)device->max_cluster * device->max_threads * MOST_OF_A_THREAD : 0;
}

// Bytes of shared memory that the driver takes of each block; none where one block may have all that a processor has.
static inline int64_t strata_gpu_shared_of_block(const strata_gpu_device_t *device) {
  return device->shared_bytes < device->shared_bytes_processor ? STRATA_GPU_SHARED_OF_BLOCK : 0;
}

// Registers of what a thread loads of a step, beside which those of the next step's fragments fit as well.
enum { STRATA_GPU_LOADED_AHEAD = 32 };

// True if attention and pairs are kernels on multiply-adds: threads stage what they read. Copies of warps carry what a
// product multiplies as it is, and no more.
static inline bool strata_gpu_stages_by_threads(const strata_gpu_device_t *device) {
  return !device->mma_async[0] && device->copies != STRATA_GPU_COPIES_THREADS;
}

// True if some of a block's threads can wait for one another, at one of several barriers.
static inline bool strata_gpu_has_numbered_barriers(const strata_gpu_device_t *device) {
  return device->code != STRATA_GPU_AMDGCN;
}

static inline bool strata_target_is_gpu(const strata_compile_t *compile) {
  return compile->options->target != STRATA_TARGET_CPU;
}

#endif
