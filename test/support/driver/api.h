// What the CUDA and the HIP half of the stand-in share: the work of their calls. Handles are checked; results are codes
// of driver.h.
#ifndef STRATA_TEST_SUPPORT_DRIVER_API_H
#define STRATA_TEST_SUPPORT_DRIVER_API_H

#include "test/support/driver/driver.h"

#pragma GCC visibility push(hidden)

int api_init(void);
int api_device(int device); // whether there is one
int api_allocate(void **out, size_t size, bool is_host);
int api_free(void *memory);
int api_load_module(void **out, const void *image);
int api_unload_module(void *module);
// On HIP a kernel may have all shared memory without asking.
int api_get_function(void **out, void *module, const char *name, bool is_hip);
int api_create_stream(void **out, bool is_blocking);
int api_destroy_stream(void *stream);
int api_synchronize_stream(void *stream);
int api_synchronize(void);
int api_is_capturing(void *stream, int *out);
int api_capture_id(void *stream, int *out_status, uint64_t *out_id);
int api_begin_capture(void *stream);
int api_end_capture(void *stream, void **out_graph);
int api_copy_graph(void *graph, void **out_graph); // an instance of it
int api_destroy_graph(void *graph);
int api_launch_graph(void *graph, void *stream);
int api_create_event(void **out);
int api_destroy_event(void *event);
int api_record_event(void *event, void *stream);
int api_synchronize_event(void *event);
int api_await_event(void *stream, void *event);
int api_elapsed(float *out, void *begin, void *end);
int api_copy(void *dst, const void *src, size_t size, bool dst_on_device, bool src_on_device, void *stream);
int api_set(void *dst, int value, size_t size, void *stream);
int api_launch(void *function, const shape_t *shape, void *stream, void **params, void **extra, bool is_hip);
const char *api_error_name(int error, bool is_hip);

#pragma GCC visibility pop

#endif
