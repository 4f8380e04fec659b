// See devices.h.
#include "tools/devices.h"

#include "runtime/gpu/driver.h"
#include "runtime/library/error.h"

#include <string.h>

static struct {
  int (*init)(unsigned flags);
  int (*count)(int *out);
  int (*get)(int *out, int index);
  int (*retain)(void **out, int device);
  int (*set_current)(void *context);
} cuda;

static const strata_rt_symbol_t cuda_symbols[] = {
    {"cuInit", true},          {"cuDeviceGetCount", true}, {"cuDeviceGet", true}, {"cuDevicePrimaryCtxRetain", true},
    {"cuCtxSetCurrent", true},
};

static struct {
  int (*init)(unsigned flags);
  int (*count)(int *out);
  int (*set)(int device);
} hip;

static const strata_rt_symbol_t hip_symbols[] = {
    {"hipInit", true}, {"hipGetDeviceCount", true}, {"hipSetDevice", true}};

static strata_status_t driver_error(const char *call, int code) {
  return code ? strata_error(STRATA_DEVICE, "%s: error %d", call, code) : NULL;
}

static strata_status_t open_driver(const strata_rt_driver_t *driver) {
  static const char *const cuda_names[] = STRATA_RT_CUDA_FILES, *const hip_names[] = STRATA_RT_HIP_FILES;
  bool is_hip = driver == &strata_rt_hip;
  int code = driver->open(); // which finds the same file, and initialises it
  if (!code && is_hip)
    code =
        strata_rt_symbols("STRATA_HIP_DRIVER", hip_names, hip_symbols, sizeof hip_symbols / sizeof *hip_symbols, &hip);
  else if (!code)
    code = strata_rt_symbols("STRATA_CUDA_DRIVER", cuda_names, cuda_symbols, sizeof cuda_symbols / sizeof *cuda_symbols,
                             &cuda);
  return code ? strata_error((strata_status_code_t)code, "%s", strata_rt_message()) : NULL;
}

strata_status_t strata_devices_count(const char *target, int *out_n) {
  bool is_hip = strcmp(target, "amdgpu") == 0;
  *out_n = 1;
  if (strcmp(target, "cpu") == 0)
    return NULL;
  STRATA_TRY(open_driver(is_hip ? &strata_rt_hip : &strata_rt_cuda));
  return is_hip ? driver_error("hipGetDeviceCount", hip.count(out_n))
                : driver_error("cuDeviceGetCount", cuda.count(out_n));
}

static strata_status_t use_cuda(int index) {
  int device;
  void *context;
  STRATA_TRY(driver_error("cuDeviceGet", cuda.get(&device, index)));
  STRATA_TRY(driver_error("cuDevicePrimaryCtxRetain", cuda.retain(&context, device)));
  return driver_error("cuCtxSetCurrent", cuda.set_current(context));
}

strata_status_t strata_devices_use(const char *target, int index) {
  bool is_hip = strcmp(target, "amdgpu") == 0;
  if (strcmp(target, "cpu") == 0)
    return NULL;
  STRATA_TRY(open_driver(is_hip ? &strata_rt_hip : &strata_rt_cuda));
  return is_hip ? driver_error("hipSetDevice", hip.set(index)) : use_cuda(index);
}
