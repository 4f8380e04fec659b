// kernels-to-llvm for GPUs, in steps over one kernel: memory spaces, leaf ops, then upstream's conversions, then the
// signature. Inside, ops are built before another op; nothing here owns anything.
#ifndef STRATA_TARGETS_GPU_KERNEL_H
#define STRATA_TARGETS_GPU_KERNEL_H

#include "devices/gpu/mma.h"
#include "dialects/mlir_util.h"

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  int index_bits;          // of addresses: 32 or 64
  MlirOperation func;      // func.func, after upstream's conversions llvm.func
  MlirValue block, thread; // emulated device: the arguments that say which thread of the launch this is
  int n_maps;              // arguments behind the buffers: a pointer each to what strata.maps describes
  const MlirValue *maps;
} strata_gpu_kernel_t;

static inline bool strata_gpu_is_emulated(const strata_gpu_kernel_t *kernel) {
  return kernel->device->code == STRATA_GPU_EMULATED;
}

typedef STRATA_VECTOR(MlirOperation) strata_gpu_ops_t;

// The kernel's ops of that name (leaves.c); NULL: all. An op comes behind those in its regions. In the compile's arena.
strata_gpu_ops_t strata_gpu_find_ops(const strata_gpu_kernel_t *kernel, const char *name);

// Puts buffers into global memory (memory.c): the memory space of every memref that has none.
void strata_gpu_assign_memory(const strata_gpu_kernel_t *kernel);

// What upstream's conversions cannot say or not say well: which thread this is, barriers, shuffles (leaves.c), memory
// (memory.c), vectors between words (funnel.c), bytes and floats (bytes.c, widen.c, f8.c), logic of three operands
// (logic.c), hardware approximations (math.c), matrix instructions (tile_mma.c), and of pipelined products barriers and
// copies (async.c), matrix instructions (wgmma.c); copies by threads (copy.c); clusters (cluster.c); the seam to the
// next kernel (launch.c). UNSUPPORTED for an op or type that the device lacks.
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_leaves(const strata_gpu_kernel_t *kernel);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_load(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_store(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_funnel(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_widen(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_or(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_bitcast(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_byte(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_signed_byte(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_math(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_extreme(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_extension(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_f8(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_mma(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_load_matrices(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_load_crossed(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_load_turned(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_async(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_copy(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_cluster(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_launch(const strata_gpu_kernel_t *kernel, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_convert_product(const strata_gpu_kernel_t *kernel, MlirOperation op);

// Before all of these: bytes of floats that are an element each of a vector.
void strata_gpu_pack_bytes(const strata_gpu_kernel_t *kernel);

// An op of math, a quotient or an extreme on the tests' device (emulated_math.c), with the errors of NVIDIA's
// instructions if it |is_approximate|.
void strata_gpu_emulate_math(MlirOperation op, bool is_approximate);

// What |intrinsic| of math.def is the approximation for on AMD's chips: roots and quotients of operands of any size,
// those of f64 to the last bit (amdgcn_math.c).
MlirValue strata_gpu_build_amdgcn_math(MlirOperation op, const char *intrinsic, int n_operands,
                                       const MlirValue *operands, MlirType type);

// Arguments and attributes of the function (signature.c), before and after upstream's conversions.
void strata_gpu_prepare_signature(strata_gpu_kernel_t *kernel);
// Between the two: shared memory begins where the exchange of units (docs/gpu.md, swizzle) does; threads change how
// many registers they have; the kernel itself says where it waits for those before it and lets the next begin.
void strata_gpu_align_shared(const strata_gpu_kernel_t *kernel);
void strata_gpu_claim_registers(const strata_gpu_kernel_t *kernel);
void strata_gpu_claim_launches(const strata_gpu_kernel_t *kernel);
// The thread waits for the end of the kernels in front (launch.c).
void strata_gpu_build_launch_wait(MlirOperation before);
void strata_gpu_finish_signature(const strata_gpu_kernel_t *kernel);
// Makes one parameter of the buffers of very many parts (parameters.c).
void strata_gpu_pack_parameters(const strata_gpu_kernel_t *kernel);

//===-- What threads do (leaves.c) -------------------------------------------------------------------------------===//

typedef enum {
#define LEAF(id, ...) STRATA_GPU_LEAF_##id,
#include "targets/gpu/leaves.def"
} strata_gpu_leaf_t;

// The device's intrinsic; there must be one.
MlirValue strata_gpu_build_leaf(const strata_gpu_kernel_t *kernel, MlirOperation before, strata_gpu_leaf_t leaf,
                                int n_operands, const MlirValue *operands, MlirType result);

//===-- Memory (memory.c) ----------------------------------------------------------------------------------------===//

// The pointer to an element of |memref|: operands of |op| from |first_index| on are its coordinates. STRATA_GPU_FIRST:
// the pointer to the first.
enum { STRATA_GPU_FIRST = -1 };
MlirValue strata_gpu_build_address(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue memref,
                                   int first_index);

//===-- Matrix instructions (tile_mma.c) -------------------------------------------------------------------------===//

// The row of mma.def that |op| names as its kind; UNSUPPORTED unless it is of |family|.
STRATA_MUST_CHECK strata_status_t strata_gpu_read_mma(const strata_gpu_kernel_t *kernel, MlirOperation op,
                                                      const char *family, const strata_mma_t **out_row);
// A row of AMD's: the sum (amdgcn_mma.c); before that, sums are tied to where they are computed.
void strata_gpu_pin_amdgcn_mma(MlirOperation op);
MlirValue strata_gpu_build_amdgcn_mma(MlirOperation op, const strata_mma_t *row);
// The number of a row of mma.def.
int64_t strata_gpu_mma_number(const strata_mma_t *row);

//===-- Building (build.c) ---------------------------------------------------------------------------------------===//

// An op with one result.
MlirValue strata_gpu_build(MlirOperation before, const char *name, int n_operands, const MlirValue *operands,
                           MlirType result, int n_attrs, const strata_named_attr_t *attrs);
MlirValue strata_gpu_build_cast(MlirOperation before, const char *name, MlirValue value, MlirType type);
// Of two operands and a result of one type.
MlirValue strata_gpu_build_binary(MlirOperation before, const char *name, MlirValue a, MlirValue b);
MlirValue strata_gpu_build_i32(MlirOperation before, int64_t value);
// A float, or a vector of it.
MlirValue strata_gpu_build_number(MlirOperation before, MlirType type, double value);
// |yes| where the floats a and b compare so (STRATA_OEQ, ... of lowering/expand/ops.h), else |no|.
MlirValue strata_gpu_build_choice(MlirOperation before, int predicate, MlirValue a, MlirValue b, MlirValue yes,
                                  MlirValue no);
MlirType strata_gpu_int_type(MlirOperation op, unsigned bits); // in the context of |op|
// |op|, of one result, goes: its users have |value|.
void strata_gpu_replace(MlirOperation op, MlirValue value);
// An intrinsic of LLVM; |result| is the null type where it gives nothing, and then so is the value.
MlirValue strata_gpu_build_intrinsic(MlirOperation before, const char *intrinsic, int n_operands,
                                     const MlirValue *operands, MlirType result);
// Assembly that only computes |result|.
MlirValue strata_gpu_build_assembly(MlirOperation before, const char *text, const char *constraints, int n_operands,
                                    const MlirValue *operands, MlirType result);
// PTX that does more than compute |result|, which is the null type where there is none.
MlirValue strata_gpu_build_ptx(MlirOperation before, const char *text, const char *constraints, int n_operands,
                               const MlirValue *operands, MlirType result);
// A place on the stack, made at the function's beginning: a loop would take one anew each time round.
MlirValue strata_gpu_build_place(const strata_gpu_kernel_t *kernel, MlirType type);
// A function of the tests' driver.
MlirValue strata_gpu_build_call(MlirOperation before, const char *function, int n_operands, const MlirValue *operands,
                                MlirType result);
// Declares all of them that are called: kernels are built side by side, what they share is the module's.
void strata_gpu_declare_callees(MlirBlock module);
// An op without operands and results, from its text.
void strata_gpu_build_text(MlirOperation before, const char *text);
// The vector of bytes that |byte| is an element of, which has *out_count, and its place; false if it is of none.
bool strata_gpu_find_byte(MlirValue byte, MlirValue *out_vector, int64_t *out_count, int64_t *out_place);
// Word |i|, an i32, of a vector of bytes, which has whole ones.
MlirValue strata_gpu_build_word(MlirOperation before, MlirValue vector, int64_t i);
// Element |i| of a vector.
MlirValue strata_gpu_build_extract(MlirOperation before, MlirValue vector, int64_t i);

#endif
