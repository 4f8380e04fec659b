// Device code for the kernels of a compile.
//
//   level 4   module @kernels { func.func @k(memref..., memref<Nxi8, 3>) }       docs/gpu.md
//   level 5   module @kernels { llvm.func @k(ptr<1>...) }                        pass kernels-to-llvm
//   images    what the driver loads: a function k whose parameters are the buffers' device pointers
//
// Level 5 of the emulated device is @k(ptr..., i64 block, i64 thread, ptr shared); its image is a shared object of the
// host, and test/support/driver/emulated.h says what the image expects and offers.
#ifndef STRATA_TARGETS_GPU_CODEGEN_H
#define STRATA_TARGETS_GPU_CODEGEN_H

#include "devices/gpu/device.h"

#include <stddef.h>

// One form of the device code, in the compile's arena. The fields are those of strata_rt_image_t
// (runtime/gpu/program.h).
typedef struct {
  const void *data; // PTX ends in a zero byte, which |size| counts
  size_t size;
  uint32_t arch;      // 10 * major + minor of the compute capability; of a gfx number: its digits in hexadecimal
  uint32_t last;      // runs on any device from |arch| to this one
  const char *suffix; // of a file of this kind: "cubin", "ptx", "hsaco", "so"
} strata_gpu_image_t;

// What one kernel takes of the machine, as the assembler says.
typedef struct {
  const char *kernel;
  int64_t registers; // 32-bit, of a thread
  int64_t shared;    // static shared memory of a block, bytes: comes on top of strata.shared
  int64_t stack;     // of a thread, bytes
  int64_t spills;    // bytes of spill loads and stores
} strata_gpu_resources_t;

typedef struct strata_gpu_assembly strata_gpu_assembly_t;

typedef struct {
  const strata_gpu_image_t *images; // best first: exact code, then generic
  size_t n_images;
  const strata_gpu_resources_t *resources; // one a kernel, in the order of @kernels; none where no assembler was found
  size_t n_resources;
  const char *assembly;  // text of the device's assembly language, for --save-temps; NULL on the emulated device
  const char *assembler; // path of the assembler that made the exact image; NULL: there is none
  const strata_gpu_assembly_t *running; // it, from strata_gpu_start_kernels() to strata_gpu_finish_kernels()
  double assembler_seconds;             // of processors, spent in it
  const char *complaints; // its lines on what makes kernels slow: serialised products, registers not given; NULL: none
} strata_gpu_binary_t;

// Compiles the kernels (level 5) for |device| with options->jobs threads; the result does not depend on their number.
// TOOL, with the assembler's text, where it refuses the code; INTERNAL where LLVM does. LLVM ends the process on some
// invalid code, so the caller runs this in a child process. Temporary files are made in, and removed from, the system's
// folder for them.
STRATA_MUST_CHECK strata_status_t strata_gpu_compile_kernels(strata_compile_t *compile, MlirModule kernels,
                                                             const strata_gpu_device_t *device,
                                                             strata_gpu_binary_t *out_binary);
// The same in two steps, between which an assembler runs beside the caller. The second one must follow the first where
// that is not an error, whatever happens between them; images and resources are there after it.
STRATA_MUST_CHECK strata_status_t strata_gpu_start_kernels(strata_compile_t *compile, MlirModule kernels,
                                                           const strata_gpu_device_t *device,
                                                           strata_gpu_binary_t *out_binary);
STRATA_MUST_CHECK strata_status_t strata_gpu_finish_kernels(strata_compile_t *compile,
                                                            const strata_gpu_device_t *device,
                                                            strata_gpu_binary_t *binary);

#endif
