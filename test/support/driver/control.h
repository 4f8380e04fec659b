// What tests say to the stand-in for libcuda.so.1 and libamdhip64.so (libstrata_test_cuda.so), and what it tells them.
//
// The stand-in takes the calls of the CUDA driver API and of HIP that emitted libraries and their tests make, checks
// each, and executes device code of --device=emulated and AMD's code objects; NVIDIA's is only looked at. A misuse is a
// fault: it is printed, the call fails, and the process ends with status 99. Work is put off until it is waited for, so
// that a missing wait shows, and fresh device memory is all ones.
//
// In the environment, read at the first call:
//   STRATA_TEST_DRIVER_DEVICES=N     number of devices, default 1
//   STRATA_TEST_DRIVER_VERSION=V     what cuDriverGetVersion says; default 13000
//   STRATA_TEST_DRIVER_ARCH=A        as strata_rt_image_t.arch: 90, or 0x942 through HIP; default 0, the emulated
//                                    device
//   STRATA_TEST_DRIVER_NAME=NAME     what cuDeviceGetName says; default "test device"
//   STRATA_TEST_DRIVER_FAIL=CALL:N   the N-th call of CALL fails; CALL may be empty
//   STRATA_TEST_DRIVER_LEAKS=1       what is alive at exit is a fault
//   STRATA_TEST_DRIVER_ORDER=SEED    the order of what streams may do at the same time; default 0
//   STRATA_TEST_DRIVER_LOG=FILE      one line a call
//
// The functions may be called by any thread, from C or through ctypes.
#ifndef STRATA_TEST_SUPPORT_DRIVER_CONTROL_H
#define STRATA_TEST_SUPPORT_DRIVER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum { STRATA_TEST_DRIVER_EXIT = 99 };

// Calls of one function so far, by its symbol ("cuMemAlloc_v2"); NULL: of all.
long strata_test_driver_calls(const char *symbol);

// The |n|-th call of |symbol| (NULL: of any function) from now on fails with |error|, a CUresult or hipError_t; 0: none
// does. One that releases something does so all the same.
void strata_test_driver_fail(const char *symbol, long n, int error);
// The function that failed since then; NULL: none yet.
const char *strata_test_driver_failed(void);

// The order of what streams, or branches of a graph, may do at the same time: of |seed| 0 what somebody waits for comes
// first, and what others need of other streams as late as may be; of others any order, drawn with the seed.
void strata_test_driver_order(unsigned long seed);

// Whether work is carried out when it is enqueued, as by a device that is faster than the host, instead of put off.
void strata_test_driver_prompt(bool on);

// From here to the end, on this thread, only what a call with the caller's memory may do: launches and copies on
// |stream|, or on streams that it forks from that by events and joins before the end, and questions. Nothing may be
// allocated, freed, waited for or loaded.
void strata_test_driver_call_begin(void *stream);
void strata_test_driver_call_end(void);

// Things that are alive: memory, modules, streams, events, graphs, contexts and references to primary contexts.
long strata_test_driver_alive(void);
// Launches and copies carried out so far.
long strata_test_driver_executed(void);

// Whether the last of AMD's code objects that were loaded runs on |arch|, 0x942; false where it is unloaded.
bool strata_test_driver_code_runs_on(unsigned arch);

// The first fault's text, "" if there is none, and forgets it: a test expected it.
const char *strata_test_driver_take_fault(void);

#endif
