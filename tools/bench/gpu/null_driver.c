// A driver that does nothing, of a device of compute capability 9.0: what a call of a library costs the host is all
// that is left (host_time.py).
//
//   cc -O2 -fPIC -shared tools/bench/gpu/null_driver.c -o libnull_driver.so
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING(symbol)                                                                                                \
  int symbol(void) { return 0; }
#define GIVES(symbol, type, value)                                                                                     \
  int symbol(type *out) {                                                                                              \
    *out = (type)(value);                                                                                              \
    return 0;                                                                                                          \
  }

NOTHING(cuInit)
NOTHING(cuDevicePrimaryCtxRelease_v2)
NOTHING(cuCtxPushCurrent_v2)
NOTHING(cuCtxSynchronize)
NOTHING(cuModuleUnload)
NOTHING(cuFuncLoad)
NOTHING(cuFuncSetAttribute)
NOTHING(cuMemFree_v2)
NOTHING(cuMemcpyHtoDAsync_v2)
NOTHING(cuMemcpyDtoHAsync_v2)
NOTHING(cuMemcpyDtoDAsync_v2)
NOTHING(cuLaunchKernelEx)
NOTHING(cuTensorMapEncodeTiled)
NOTHING(cuTensorMapEncodeIm2col)
NOTHING(cuStreamDestroy_v2)
NOTHING(cuStreamSynchronize)
NOTHING(cuEventDestroy_v2)
NOTHING(cuEventRecord)
NOTHING(cuStreamWaitEvent)
NOTHING(cuEventSynchronize)
NOTHING(cuEventElapsedTime)
GIVES(cuDriverGetVersion, int, 13000)
GIVES(cuDeviceGet, int, 0)
GIVES(cuDevicePrimaryCtxRetain, void *, 1)
GIVES(cuCtxGetCurrent, void *, 1)
GIVES(cuCtxPopCurrent_v2, void *, 1)
GIVES(cuCtxGetDevice, int, 0)
GIVES(cuModuleLoadData, void *, 1)
GIVES(cuModuleGetFunction, void *, 1)
GIVES(cuStreamCreate, void *, 1)
GIVES(cuEventCreate, void *, 1)

int cuGetErrorName(int error, const char **out) { return (void)error, *out = "none", 0; }
int cuDeviceGetName(char *out, int size) { return size > 4 ? (strcpy(out, "null"), 0) : 1; }
int cuDeviceGetAttribute(int *out, int attribute) {
  return *out = attribute == 75 ? 9 : attribute == 76 ? 0 : 1 << 20, 0;
}
int cuMemAlloc_v2(uint64_t *out, size_t size) { return (void)size, *out = 1 << 20, 0; }
int cuStreamGetCtx(void *stream, void **out) { return (void)stream, *out = (void *)1, 0; }
int cuStreamIsCapturing(void *stream, int *out) { return (void)stream, *out = 0, 0; }
