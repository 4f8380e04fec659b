// Devices by the names of products, as people, shops and drivers spell them.
#include "targets/device_names.h"

#include "targets/gpu/codegen.h"
#include "test/support/check.h"

static const char *gpu(const char *name) {
  const strata_gpu_device_t *device = strata_gpu_device_find(name);
  return device ? device->name : "";
}

static const char *cpu(const char *name) {
  const strata_compile_options_t options = {.target = STRATA_TARGET_CPU, .device = name};
  strata_compile_t compile = {.options = &options, .arena = strata_arena_create()};
  const strata_cpu_device_t *device;
  strata_status_t status = strata_cpu_device(&compile, &device);
  const char *result = status ? "" : device->name;
  strata_status_free(status);
  strata_arena_destroy(compile.arena);
  return result;
}

static void test_gpus(void) {
  static const char *const names[][2] = {
      {"sm_90a", "sm_90a"},
      {"h100", "sm_90a"},
      {"NVIDIA H100", "sm_90a"},
      {"NVIDIA H100 80GB HBM3", "sm_90a"},
      {"NVIDIA GH200 480GB", "sm_90a"},
      {"a100", "sm_80"},
      {"NVIDIA A100-SXM4-80GB", "sm_80"},
      {"A10", "sm_86"},
      {"rtx-4090", "sm_89"},
      {"RTX4090", "sm_89"},
      {"NVIDIA GeForce RTX 4090", "sm_89"},
      {"NVIDIA RTX 6000 Ada Generation", "sm_89"},
      {"NVIDIA RTX A6000", "sm_86"},
      {"L40S", "sm_89"},
      {"rtx_5090", "sm_120a"},
      {"mi300x", "gfx942"},
      {"AMD Instinct MI300X", "gfx942"},
      {"Radeon RX 7900 XTX", "gfx1100"},
      {"emulated", "emulated"},
      {"a1000", ""},
      {"h10", ""},
      {"ah100", ""},
      {"rtx 6000", ""}, // of another architecture than the Ada
      {"sm_70", ""},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    CHECK_STR(gpu(names[i][0]), names[i][1]);
  CHECK(strata_gpu_device_of_arch(STRATA_TARGET_NVGPU, 90) == strata_gpu_device_find("sm_90a"));
  CHECK(strata_gpu_device_of_arch(STRATA_TARGET_AMDGPU, 0x942) == strata_gpu_device_find("gfx942"));
  CHECK(strata_gpu_device_of_arch(STRATA_TARGET_NVGPU, 0) == strata_gpu_device_find("emulated"));
  CHECK(!strata_gpu_device_of_arch(STRATA_TARGET_NVGPU, 75));
}

static void test_processors(void) {
  CHECK_STR(cpu("native"), "host");
  CHECK_STR(cpu("haswell"), "x86-64-v3");
  CHECK_STR(cpu("Zen 4"), "x86-64-v4");
  CHECK_STR(cpu("zen4"), "x86-64-v4");
  CHECK_STR(cpu("zen5"), "znver5");
  CHECK_STR(cpu("Sapphire Rapids"), "sapphirerapids");
  CHECK_STR(cpu("arm64"), "aarch64");
  CHECK_STR(cpu("x86-64-v9"), "");
}

int main(void) {
  test_gpus();
  test_processors();
  return check_result();
}
