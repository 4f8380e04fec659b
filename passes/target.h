// What differs by target: facts in a table, never tests of an architecture's name in a pass.
#ifndef STRATA_PASSES_TARGET_H
#define STRATA_PASSES_TARGET_H

#include "dialects/compile.h"
#include "passes/costs.h"

// A processor the cpu target can compile for (rows of targets/cpu/devices.def, or the host).
typedef struct strata_cpu_device {
  const char *name;     // as --device= spells it
  const char *sold_as;  // other names that --device= takes: targets/device_names.h
  const char *triple;   // LLVM's
  const char *cpu;      // LLVM's -mcpu
  const char *features; // LLVM's feature string
  int vector_bytes;     // of the widest SIMD register worth using
  int n_registers;      // SIMD registers
  bool has_fma;         // fused multiply-add
  bool has_f16;         // conversions between f16 and f32
  // LLVM's intrinsic, but for the width at its end, that adds to each i32 the products of four unsigned bytes with four
  // signed ones; NULL: there is none.
  const char *quad_products;
  // Multiplies unsigned bytes with signed ones and adds neighbouring products to i16, which saturates (x86: SSSE3,
  // AVX2, AVX-512BW).
  bool has_byte_pairs;
  int64_t l1_bytes, l2_bytes;
  bool is_host; // code for it can run here
} strata_cpu_device_t;

// The device of this compile: what --device names, else the host; of a compile for a GPU a common processor, for what
// runs on the host. NOT_FOUND lists the known names. The object is
// static or belongs to the compile. Defined in targets/cpu; passes and lowering reach it through this declaration.
STRATA_MUST_CHECK strata_status_t strata_cpu_device(strata_compile_t *compile, const strata_cpu_device_t **out_device);
// The machine we run on.
const strata_cpu_device_t *strata_cpu_host_device(void);

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

// A GPU the nvgpu and amdgpu targets can compile for: an architecture (rows of targets/gpu/devices.def), or a card of
// it (rows of targets/gpu/cards.def), which differs in figures alone. Sizes are in bytes.
typedef struct strata_gpu_device {
  const char *name;    // as --device= spells it
  const char *sold_as; // other names that --device= takes: targets/device_names.h
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
  const char *mma;        // family of matrix instructions: a set of rows of targets/gpu/mma.def; "": none
  const char
      *mma_async; // the family whose operands lie in shared memory, with bulk copies and barriers that go with it
  strata_gpu_copies_t copies;
  bool has_programmatic_launch;
  bool has_tanh; // tanh of f32 to 11 bits
  strata_gpu_f8_t f8;
  const char *card;         // as its vendor calls it; NULL: an architecture, judged by the costs that were measured
  const char *figures_from; // where a card's figures are from
  const strata_gpu_costs_t *costs; // what the models of passes and lowerings go by
} strata_gpu_device_t;

// The device of this compile: what --device names, else the target's default. NOT_FOUND lists the known names;
// INVALID_ARGUMENT if the compile's target is no GPU.
STRATA_MUST_CHECK strata_status_t strata_gpu_device(strata_compile_t *compile, const strata_gpu_device_t **out_device);

// The device of that name or product, of any target; NULL if there is none.
const strata_gpu_device_t *strata_gpu_device_find(const char *name);

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

static inline bool strata_target_is_gpu(const strata_compile_t *compile) {
  return compile->options->target != STRATA_TARGET_CPU;
}

// True if products of floats may be sums of integers, in another order and as exact: if nobody asks for a kind of
// arithmetic.
static inline bool strata_may_sum_as_bytes(const strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  return !options->disable_unsafe_math && !options->disable_fast_math && options->precision == STRATA_PRECISION_DEFAULT;
}

// The bytes that the device has instructions to multiply with signed ones: unsigned ones (x86's VNNI, matrix
// instructions) or at least signed ones (MFMA).
typedef enum {
  STRATA_BYTE_PRODUCTS_NONE,
  STRATA_BYTE_PRODUCTS_UNSIGNED,
  STRATA_BYTE_PRODUCTS_SIGNED
} strata_byte_products_t;
STRATA_MUST_CHECK strata_status_t strata_byte_products(strata_compile_t *compile, strata_byte_products_t *out_bytes);

#endif
