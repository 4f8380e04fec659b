// What differs by target: facts in a table, never tests of an architecture's name in a pass.
#ifndef STRATA_PASSES_TARGET_H
#define STRATA_PASSES_TARGET_H

#include "dialects/compile.h"

// A processor the cpu target can compile for (rows of targets/cpu/devices.def, or the host).
typedef struct strata_cpu_device {
  const char *name;      // as --device= spells it
  const char *triple;    // LLVM's
  const char *cpu;       // LLVM's -mcpu
  const char *features;  // LLVM's feature string
  int vector_bytes;      // of the widest SIMD register worth using
  int n_registers;       // SIMD registers
  bool has_fma;          // fused multiply-add
  bool has_f16;          // conversions between f16 and f32
  int64_t l1_bytes, l2_bytes;
  bool is_host;          // code for it can run here
} strata_cpu_device_t;

// The device of this compile: what --device names, else the host. NOT_FOUND lists the known names. The object is
// static or belongs to the compile. Defined in targets/cpu; passes and lowering reach it through this declaration.
STRATA_MUST_CHECK strata_status_t strata_cpu_device(strata_compile_t *compile, const strata_cpu_device_t **out_device);
// The machine we run on.
const strata_cpu_device_t *strata_cpu_host_device(void);

#endif
