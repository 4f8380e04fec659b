// Processors: what differs between them, as facts in a table, never as tests of an architecture's name in a pass.
#ifndef STRATA_DEVICES_CPU_DEVICE_H
#define STRATA_DEVICES_CPU_DEVICE_H

#include "dialects/compile.h"

// A processor the cpu target can compile for (rows of devices/cpu/devices.def, or the host).
typedef struct strata_cpu_device {
  const char *name;     // as --device= spells it
  const char *sold_as;  // other names that --device= takes: devices/names.h
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
// runs on the host. NOT_FOUND lists the known names. The object is static.
STRATA_MUST_CHECK strata_status_t strata_cpu_device(strata_compile_t *compile, const strata_cpu_device_t **out_device);
// The machine we run on.
const strata_cpu_device_t *strata_cpu_host_device(void);

#endif
