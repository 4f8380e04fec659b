// The GPUs of this machine, for tools that use several: one a process. Nothing of a toolkit is needed.
#ifndef STRATA_TOOLS_DEVICES_H
#define STRATA_TOOLS_DEVICES_H

#include "runtime/base/status.h"

// How many the driver of |target|, "nvgpu" or "amdgpu", shows this process: CUDA_VISIBLE_DEVICES and its like are the
// driver's. 1 for "cpu". DEVICE where there is no driver.
STRATA_MUST_CHECK strata_status_t strata_devices_count(const char *target, int *out_n);
// Makes number |index| of them the thread's current one, for as long as the process lives.
STRATA_MUST_CHECK strata_status_t strata_devices_use(const char *target, int index);

#endif
