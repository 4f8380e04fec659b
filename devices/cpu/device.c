// Processors: the rows of devices.def, and the machine we run on, read from LLVM and the operating system.
#include "devices/cpu/device.h"

#include "devices/gpu/device.h"
#include "devices/names.h"
#include "dialects/mlir_util.h"

#include <llvm-c/TargetMachine.h>
#include <threads.h>
#include <unistd.h>

enum { KIB = 1024 };

static const strata_cpu_device_t devices[] = {
#define DEVICE(device, names, llvm_triple, llvm_cpu, llvm_features, bytes, registers, fma, f16, quads, pairs, l1, l2)  \
  {.name = device,                                                                                                     \
   .sold_as = names,                                                                                                   \
   .triple = llvm_triple,                                                                                              \
   .cpu = llvm_cpu,                                                                                                    \
   .features = llvm_features,                                                                                          \
   .vector_bytes = bytes,                                                                                              \
   .n_registers = registers,                                                                                           \
   .has_fma = fma,                                                                                                     \
   .has_f16 = f16,                                                                                                     \
   .l1_bytes = l1 * KIB,                                                                                               \
   .l2_bytes = l2 * KIB,                                                                                               \
   .quad_products = quads,                                                                                             \
   .has_byte_pairs = pairs},
#include "devices/cpu/devices.def"
};

enum { N_DEVICES = sizeof devices / sizeof devices[0] };

// True if every comma-separated feature of |wanted| is in LLVM's feature string.
static bool has_features(const char *features, const char *wanted) {
  while (*wanted) {
    size_t length = strcspn(wanted, ",");
    const char *at = features;
    while (at && (strncmp(at, wanted, length) != 0 || (at[length] != ',' && at[length] != '\0'))) {
      at = strchr(at, ',');
      at = at ? at + 1 : NULL;
    }
    if (!at)
      return false;
    wanted += length + (wanted[length] == ',');
  }
  return true;
}

//===-- The host -------------------------------------------------------------------------------------------------===//

static strata_cpu_device_t host;
static once_flag host_once = ONCE_FLAG_INIT;

// The SIMD levels of the host's architecture, best first.
static const struct {
  const char *features;
  int vector_bytes, n_registers;
} levels[] = {
    {"+avx512f,+avx512bw,+avx512dq,+avx512vl", 64, 32},
    {"+avx2", 32, 16},
    {"+avx", 32, 16},
    {"+sse2", 16, 16},
    {"+neon", 16, 32},
};

static int64_t cache_bytes(int name, int64_t otherwise) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

// LLVM's strings are kept for the life of the process.
static void read_host(void) {
  host = (strata_cpu_device_t){
      .name = "host",
      .triple = LLVMGetDefaultTargetTriple(),
      .cpu = LLVMGetHostCPUName(),
      .features = LLVMGetHostCPUFeatures(),
      .vector_bytes = 16,
      .n_registers = 16,
      .l1_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 * KIB),
      .l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 * KIB),
      .is_host = true,
  };
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
    if (has_features(host.features, levels[i].features)) {
      host.vector_bytes = levels[i].vector_bytes;
      host.n_registers = levels[i].n_registers;
      break;
    }
  bool is_arm = has_features(host.features, "+neon");
  host.has_fma = is_arm || has_features(host.features, "+fma");
  if (has_features(host.features, "+avx512vnni,+avx512vl") || has_features(host.features, "+avxvnni"))
    host.quad_products = "llvm.x86.avx512.vpdpbusd";
  host.has_byte_pairs = has_features(host.features, host.vector_bytes > 16 ? "+avx2" : "+ssse3");
  host.has_f16 = is_arm || has_features(host.features, "+f16c");
}

const strata_cpu_device_t *strata_cpu_host_device(void) {
  call_once(&host_once, read_host);
  return &host;
}

//===-- By name --------------------------------------------------------------------------------------------------===//

static strata_status_t unknown_device(strata_arena_t *arena, const char *name) {
  const char *known = "native";
  strata_nearest_t nearest = strata_nearest(name);
  for (size_t i = 0; i < N_DEVICES; i++) {
    known = strata_arena_printf(arena, "%s, %s", known, devices[i].name);
    strata_device_near(&nearest, devices[i].name, devices[i].sold_as);
  }
  const strata_gpu_device_t *gpu = strata_gpu_device_find(name);
  if (gpu)
    return strata_error(STRATA_NOT_FOUND, "--device=%s: a GPU: expected --target=%s as well", name,
                        gpu->target == STRATA_TARGET_NVGPU ? "nvgpu" : "amdgpu");
  return strata_error(STRATA_NOT_FOUND, "--device=%s: unknown processor, expected one of %s, or a product's name%s",
                      name, known, strata_nearest_hint(arena, &nearest));
}

strata_status_t strata_cpu_device(strata_compile_t *compile, const strata_cpu_device_t **out_device) {
  // What a GPU library does on the host is the same on every machine; --device names the GPU.
  const char *name = strata_target_is_gpu(compile) ? "x86-64-v2" : compile->options->device;
  *out_device = strata_cpu_host_device();
  if (!name || strcmp(name, "host") == 0 || strcmp(name, "native") == 0)
    return NULL;
  size_t best = 0;
  for (size_t i = 0; i < N_DEVICES; i++) {
    size_t match = strata_device_match(name, devices[i].name, devices[i].sold_as);
    if (match > best) {
      *out_device = &devices[i];
      best = match;
    }
  }
  return best ? NULL : unknown_device(compile->arena, name);
}
