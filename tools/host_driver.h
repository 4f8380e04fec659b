// The cpu as a device for the tools: what they ask of a GPU's driver (runtime/gpu/driver.h), of this machine.
#ifndef STRATA_TOOLS_HOST_DRIVER_H
#define STRATA_TOOLS_HOST_DRIVER_H

#include "runtime/gpu/driver.h"

extern const strata_rt_driver_t strata_host_driver; // what no tool asks for is NULL

#endif
