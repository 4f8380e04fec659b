// What the runtime asks of a vendor's driver. cuda.c and hip.c are its two forms; nothing else knows a vendor.
//
// Handles (contexts, modules, functions, streams, events) and device addresses are the driver's own. Every function
// that returns int returns a status; on failure the message names the driver's call and its error. Those that return
// nothing are called between cleanup_begin and _end. All may be called by any thread, and all but open, enter, push and
// release need a current context.
#ifndef STRATA_RUNTIME_GPU_DRIVER_H
#define STRATA_RUNTIME_GPU_DRIVER_H

#include "runtime/gpu/program.h"

#include <stdbool.h>

// The context a call works in; left as it was found.
typedef struct {
  void *context;
  void *kept;     // the driver's business
  bool is_pushed; // it was not the current one before
} strata_rt_scope_t;

typedef struct {
  void *function;
  const strata_rt_kernel_t *shape;
} strata_rt_function_t;

// What a stream is behind besides its own work: all earlier work of the default stream, or nothing.
typedef enum { STRATA_RT_BEHIND_DEFAULT, STRATA_RT_ALONE } strata_rt_stream_kind_t;
// What an event is for.
typedef enum { STRATA_RT_TIMING, STRATA_RT_ORDERING } strata_rt_event_kind_t;

// The capture that a stream is in.
typedef struct {
  bool is_on;
  uint64_t id; // no two have the same; 0: the driver does not tell
} strata_rt_capture_t;

typedef struct {
  // Finds and initialises the driver; the work is done once. With the library's lock held.
  int (*open)(void);

  // Makes the context of |stream| current, else the thread's own, else the first device's. A stream of another context
  // than the current one is INVALID_ARGUMENT. After STRATA_OK there must be a leave by the same thread.
  int (*enter)(void *stream, strata_rt_scope_t *out_scope);
  void (*leave)(strata_rt_scope_t *scope);
  // The same for a known context; scope->context is NULL after a failure because the context is gone.
  int (*push)(void *context, strata_rt_scope_t *out_scope);
  // Keeps a context alive that would go with its last user: out_kept is for release, or NULL if there is nothing to do.
  int (*keep)(const strata_rt_scope_t *scope, void **out_kept);
  void (*release)(void *kept);

  // As strata_rt_image_t says, and its name.
  int (*get_arch)(uint32_t *out_arch);
  void (*print_arch)(uint32_t arch, char *out, size_t capacity);

  // What its vendor calls the device; "" if that is not known.
  int (*get_name)(char *out, size_t capacity);

  int (*load_module)(const void *image, void **out_module);
  int (*unload_module)(void *module);
  // A kernel of the module, ready for launches of its shape: the first launch loads nothing any more.
  int (*get_function)(void *module, const strata_rt_kernel_t *kernel, void **out_function);

  int (*allocate)(size_t size, void **out_memory); // aligned to 256
  int (*free)(void *memory);
  // Host memory that the device stores into while the host reads it, at one address for both; NULL: there is none.
  int (*allocate_host)(size_t size, void **out_memory);
  int (*free_host)(void *memory);
  int (*synchronize)(void); // the context

  // On a stream; NULL is the default one.
  int (*upload)(void *dst, const void *src, size_t size, void *stream);
  int (*download)(void *dst, const void *src, size_t size, void *stream);
  int (*copy)(void *dst, const void *src, size_t size, void *stream);
  // |values|: of the call, which the kernel's shape may depend on. A kernel without blocks is not launched. |is_first|:
  // what is in front of it is no kernel of its stream, but other streams' work: it does not begin early.
  int (*launch)(const strata_rt_function_t *function, void **buffers, uint32_t n_buffers, const int64_t *values,
                void *stream, bool is_first);

  int (*create_stream)(strata_rt_stream_kind_t kind, void **out_stream);
  int (*destroy_stream)(void *stream);
  int (*synchronize_stream)(void *stream);
  int (*is_capturing)(void *stream, bool *out_is_capturing);
  int (*find_capture)(void *stream, strata_rt_capture_t *out_capture);

  int (*create_event)(strata_rt_event_kind_t kind, void **out_event);
  int (*destroy_event)(void *event);
  int (*record_event)(void *event, void *stream);
  int (*await_event)(void *event, void *stream);                   // later work of the stream does
  int (*elapsed)(void *begin, void *end, float *out_milliseconds); // waits for |end|
} strata_rt_driver_t;

enum { STRATA_RT_CUDA = 1, STRATA_RT_HIP = 2 }; // strata_rt_program.target
enum { STRATA_RT_MAX_ARGS = 512 };              // buffers and sizes of a launch; a guarded kernel has one more

#pragma GCC visibility push(hidden)

extern const strata_rt_driver_t strata_rt_cuda, strata_rt_hip;

static inline const strata_rt_driver_t *strata_rt_driver(void) {
  return strata_rt_program.target == STRATA_RT_HIP ? &strata_rt_hip : &strata_rt_cuda;
}

typedef struct {
  const char *name;
  bool is_needed;
} strata_rt_symbol_t;

// The files that drivers are looked for in, the newest first.
#define STRATA_RT_CUDA_FILES                                                                                           \
  { "libcuda.so.1", NULL }
#define STRATA_RT_HIP_FILES                                                                                            \
  { "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", NULL }

// Fills |functions|, a struct of one function pointer a symbol, with their addresses in the shared library that
// environment variable |variable| names, else in one of |names|, of which the last is NULL. A missing one is DEVICE if
// it is needed, else NULL. The library stays loaded for good: drivers have threads of their own.
int strata_rt_symbols(const char *variable, const char *const *names, const strata_rt_symbol_t *symbols, size_t n,
                      void *functions);

#pragma GCC visibility pop

#endif
