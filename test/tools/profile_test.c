// Whose roofline a run is compared with: that of the card it ran on, as the driver calls it.
#include "tools/profile.h"

#include "test/support/check.h"

static const strata_gpu_device_t *device_of(const char *first, const char *second, const char *product) {
  const char *const devices[] = {first, second};
  const strata_library_t library = {.target = "nvgpu", .n_devices = second ? 2 : 1, .devices = devices};
  return strata_profile_device(&library, product);
}

int main(void) {
  CHECK_STR(device_of("sm_90a", NULL, "NVIDIA H100 80GB HBM3")->card, "H100");
  CHECK_STR(device_of("sm_90a", NULL, "NVIDIA H200")->card, "H200");
  CHECK_STR(device_of("sm_90a", "sm_80", "NVIDIA A100-SXM4-80GB")->card, "A100");
  CHECK(device_of("sm_90a", NULL, "NVIDIA H100 80GB HBM3")->bandwidth < device_of("sm_90a", NULL, "")->bandwidth);
  // Another architecture than it is for, a card that has no row, no card.
  CHECK_STR(device_of("sm_80", NULL, "NVIDIA H100 80GB HBM3")->name, "sm_80");
  CHECK(!device_of("sm_80", NULL, "NVIDIA H100 80GB HBM3")->card);
  CHECK_STR(device_of("sm_90a", NULL, "test device")->name, "sm_90a");
  CHECK_STR(device_of("emulated", NULL, "")->name, "emulated");
  CHECK(!device_of("sm_70", NULL, ""));
  return check_result();
}
