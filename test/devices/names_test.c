// Devices by the names of products, as people, shops and drivers spell them.
#include "devices/names.h"

#include "devices/cpu/device.h"
#include "devices/gpu/cards.h"
#include "devices/gpu/device.h"
#include "test/support/check.h"

#include <stddef.h>

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
      {"AMD Instinct MI210", "gfx90a"},
      {"AMD Instinct MI355X", "gfx950"},
      {"AMD Radeon RX 7800 XT", "gfx1101"},
      {"AMD Radeon 8060S Graphics", "gfx1151"},
      {"AMD Radeon RX 9060 XT", "gfx1200"},
      {"AMD Radeon RX 9070", "gfx1201"},
      {"gfx11-generic", "gfx11-generic"},
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
  CHECK(strata_gpu_device_of_arch(STRATA_TARGET_AMDGPU, 0x1102) == strata_gpu_device_find("gfx11-generic"));
  CHECK(strata_gpu_device_of_arch(STRATA_TARGET_AMDGPU, 0x1101) == strata_gpu_device_find("gfx1101"));
  CHECK(!strata_gpu_device_of_arch(STRATA_TARGET_AMDGPU, 0x1250));
  CHECK(strata_gpu_device_of_arch(STRATA_TARGET_NVGPU, 0) == strata_gpu_device_find("emulated"));
  CHECK(!strata_gpu_device_of_arch(STRATA_TARGET_NVGPU, 75));
}

static const char *card(const char *name) {
  const strata_gpu_device_t *device = strata_gpu_device_find(name);
  return device && device->card ? device->card : "";
}

// Those that have a row of their own, by what shops and drivers say; an architecture's name is nobody's card.
static void test_cards(void) {
  static const char *const names[][2] = {
      {"h200", "H200"},
      {"NVIDIA H100 80GB HBM3", "H100"},
      {"NVIDIA A100-SXM4-80GB", "A100"},
      {"NVIDIA L4", "L4"},
      {"NVIDIA L40S", ""},
      {"NVIDIA GeForce RTX 4090", "RTX 4090"},
      {"NVIDIA B200", "B200"},
      {"rtx-5090", "RTX 5090"},
      {"AMD Instinct MI300X", "MI300X"},
      {"Radeon RX 7900 XTX", "RX 7900 XTX"},
      {"AMD Instinct MI300A", "MI300A"},
      {"AMD Instinct MI210", "MI210"},
      {"H100", "H100"}, // --device=native calls them so
      {"RTX 4090", "RTX 4090"},
      {"RX 7900 XTX", "RX 7900 XTX"},
      {"sm_90a", ""},
      {"sm_80", ""},
      {"gfx942", ""},
      {"emulated_90", ""},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    CHECK_STR(card(names[i][0]), names[i][1]);
}

// Members in front of the tables of tiles and corrections are all doubles.
static double cost(const strata_gpu_costs_t *costs, size_t i) { return ((const double *)costs)[i]; }

static void test_costs(void) {
  enum { N_COSTS = offsetof(strata_gpu_costs_t, tiles) / sizeof(double) };
  static const char *const names[] = {"sm_90a", "h200",   "h100",        "a100",     "l4",     "rtx 4090",
                                      "b200",   "mi300x", "rx 7900 xtx", "rtx 5090", "gfx942", "emulated"};
  const strata_gpu_costs_t *first = strata_gpu_device_find("sm_90a")->costs;
  size_t n_zeros = 0;
  for (size_t i = 0; i < N_COSTS; i++)
    n_zeros += cost(first, i) <= 0;
  CHECK(n_zeros == 2); // percentages that clusters of 0 blocks fill
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const strata_gpu_device_t *device = strata_gpu_device_find(names[i]);
    for (size_t j = 0; j < N_COSTS; j++) {
      CHECK((cost(device->costs, j) > 0) == (cost(first, j) > 0));
      CHECK(i > 1 || cost(device->costs, j) == cost(first, j));
    }
  }
  CHECK(strata_gpu_device_find("h200")->bandwidth == strata_gpu_device_find("sm_90a")->bandwidth);
  CHECK(strata_gpu_device_find("h100")->bandwidth < strata_gpu_device_find("sm_90a")->bandwidth);
  CHECK(strata_gpu_device_find("l4")->n_processors == 58);
  CHECK(strata_gpu_device_find("a100")->costs->fma.rate == 64);
  CHECK(strata_gpu_device_find("sm_80")->costs == strata_gpu_device_find("a100")->costs);
  CHECK(strata_gpu_device_of_arch(STRATA_TARGET_NVGPU, 80)->costs == strata_gpu_device_find("a100")->costs);
  CHECK(strata_gpu_device_find("gfx1100")->costs == strata_gpu_device_find("rx 7900 xtx")->costs);
  CHECK(strata_gpu_device_find("emulated")->costs == &strata_gpu_measured_costs);
  CHECK(strata_gpu_device_find("h100")->costs->group.norm_bandwidth < first->group.norm_bandwidth);
  CHECK(strata_gpu_device_find("a100")->costs->attention.clock < first->attention.clock);
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
  test_cards();
  test_costs();
  test_processors();
  return check_result();
}
