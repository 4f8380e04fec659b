// Inside the stand-in: its objects, and the frame of every call. All of it is guarded by one lock.
#ifndef STRATA_TEST_SUPPORT_DRIVER_DRIVER_H
#define STRATA_TEST_SUPPORT_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { // CUresult; HIP's codes are the same where they matter
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  NO_BINARY_FOR_GPU = 209,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  LAUNCH_FAILED = 719,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURE_UNMATCHED = 903,
  CAPTURE_UNJOINED = 904,
  CAPTURE_ISOLATION = 905,
};

//===-- Objects --------------------------------------------------------------------------------------------------===//

typedef enum { CONTEXT, MODULE, FUNCTION, STREAM, EVENT, MEMORY, GRAPH, N_KINDS } object_kind_t;

typedef struct object {
  struct object *next;
  object_kind_t kind;
  struct context *context; // NULL for a context
} object_t;

typedef struct context {
  object_t object;
  int device;
  bool is_primary;
  int references; // of a primary context
  int error;      // once set, every call in the context returns it
  struct stream *default_stream;
} context_t;

typedef enum { IMAGE_EMULATED, IMAGE_CUBIN, IMAGE_PTX, IMAGE_HSACO } image_kind_t;

typedef struct {
  image_kind_t kind;
  uint32_t arch;
  bool is_generic;
  const char *data;
  size_t size;     // of an ELF image
  void *handle;    // emulated: of dlopen
  int descriptor;  // emulated: the file behind it
  uint32_t shared; // emulated: bytes that a block may have; 0: it does not say
  uint32_t lanes;  // emulated: of a warp
  void *program;   // AMD's: the executor's
} image_t;

typedef struct module {
  object_t object;
  image_t image;
} module_t;

typedef struct {
  long param_size; // bytes; -1: unknown
  long n_params;   // the same of their number
  uint32_t shared; // static
  void *entry;     // emulated
} kernel_info_t;

typedef struct function {
  object_t object;
  module_t *module;
  char *name;
  kernel_info_t info;
  uint32_t max_dynamic_shared;
} function_t;

typedef struct memory {
  object_t object;
  char *base;
  size_t size, padded; // to the alignment
  char *mapping;
  size_t mapping_size;
  bool is_host;
} memory_t;

typedef struct {
  uint32_t grid[3], block[3], shared, cluster;
} shape_t;

typedef enum { LAUNCH, COPY, SET, RECORD, AWAIT } operation_kind_t;

// Places of operations in a graph.
typedef struct {
  size_t *data;
  size_t count;
} places_t;

typedef struct operation {
  struct operation *next;
  operation_kind_t kind;
  function_t *function; // LAUNCH
  shape_t shape;
  size_t n_params; // words
  void **params;
  void *dst; // COPY and SET
  const void *src;
  size_t size;
  int value;
  struct mark *mark; // RECORD and AWAIT
  places_t behind;   // in a graph: what must be over before
} operation_t;

typedef struct {
  operation_t *head, *tail;
} queue_t;

typedef struct graph {
  object_t object;
  queue_t operations; // each behind all that it must be behind
  size_t n_operations;
  struct stream *origin; // the stream whose capture it is
  uint64_t id;           // of the capture
} graph_t;

typedef struct stream {
  object_t object;
  bool is_blocking; // ordered with the default stream
  queue_t queue;    // what has not been carried out
  graph_t *capture; // that the stream is being captured into
  places_t front;   // of the capture: what the stream's next operation must be behind
  long n_appended;  // launches and copies so far
  uint64_t call;    // the marked call (control.h) that has forked it from its own stream; 0: none
  bool is_joined;   // since its last operation
} stream_t;

// A place in a stream's work, which an event was recorded at.
typedef struct mark {
  int n_users;
  stream_t *stream; // NULL: it is gone
  bool is_reached;
  double time; // when, in seconds
} mark_t;

typedef struct event {
  object_t object;
  mark_t *mark;     // the last record's; NULL: there is none, or it was in a capture
  stream_t *stream; // of the last record; NULL: there is none
  graph_t *capture; // the same
  places_t front;   // the stream's, then
  long n_appended;  // the stream's, then
  uint64_t call;    // the marked call that the stream belonged to
} event_t;

// Objects are made and found by their handles, which are their addresses.
void *object_create(object_kind_t kind, size_t size, context_t *context);
void *object_find(object_kind_t kind, const void *handle); // NULL: there is no such thing
void object_destroy(void *object);
object_t *object_first(object_kind_t kind);

enum { MEMORY_ALIGNMENT = 256 };
memory_t *memory_create(context_t *context, size_t size, size_t alignment, bool is_host);
void memory_destroy(memory_t *memory);
memory_t *memory_find(const void *address, size_t size); // that holds all of it

//===-- Calls ----------------------------------------------------------------------------------------------------===//

typedef enum {
  QUERY,   // asks, or changes something of the thread alone
  ENQUEUE, // puts work on a stream
  ORDER,   // puts a stream's later work behind other work
  CHANGE,  // makes or loads something
  RELEASE, // the opposite: takes place even if it is made to fail
  LEAVE,   // releases what a call may take: a context
  WAIT,
} call_class_t;

// Every call: begin, and unless that is an error the work, then end. |stream|: of ENQUEUE. A RELEASE that is made to
// fail still does its work.
int call_begin(const char *symbol, call_class_t class_, const void *stream);
int call_end(int result);
// The marked call of this thread that may enqueue only, and its stream; 0: there is none.
uint64_t call_marked(const void **out_stream);

// The body of an exported function: |work| is an expression that gives its result.
#define CALL(class_, stream, work)                                                                                     \
  {                                                                                                                    \
    int result_ = call_begin(__func__, class_, stream);                                                                \
    if (result_ == OK)                                                                                                 \
      result_ = (work);                                                                                                \
    return call_end(result_);                                                                                          \
  }

// A misuse: reports it and returns |error|.
int fault(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern struct settings {
  bool is_initialised;
  int n_devices;
  int version; // that cuDriverGetVersion says
  uint32_t arch;
} settings;
uint32_t shared_limit(const image_t *image); // bytes a block can ask for

//===-- Contexts, streams, work ----------------------------------------------------------------------------------===//

context_t *context_current(void); // NULL: none
bool context_push(context_t *context);
context_t *context_pop(void);
context_t *primary_context(int device);
void context_destroy(context_t *context);

int stream_find(void *handle, context_t *context, stream_t **out_stream);
void stream_destroy(stream_t *stream);
int stream_append(stream_t *stream, const operation_t *operation, void *const *params); // copies them
int stream_flush(stream_t *stream);
int stream_reach(const mark_t *mark); // carries out what leads to it
void mark_release(mark_t *mark);      // of one of its users; NULL: nothing
int context_flush(context_t *context);
void queue_clear(queue_t *queue);
operation_t *queue_append(queue_t *queue, const operation_t *operation, void *const *params);
bool any_capture(const context_t *context);
extern long n_executed;

// Legal orders differ in what is carried out first: 0: what is waited for, and as late as may be; else any, by a
// generator of random numbers with this seed.
extern bool is_prompt; // work is carried out when it is enqueued
extern uint64_t order_seed;
size_t random_below(size_t n);

//===-- Captures and graphs (graph.c) ----------------------------------------------------------------------------===//

void places_clear(places_t *places);
int capture_begin(stream_t *stream);
int capture_end(stream_t *stream, graph_t **out_graph);
void capture_append(stream_t *stream, const operation_t *operation, void *const *params);
void capture_record(stream_t *stream, event_t *event);
int capture_await(stream_t *stream, const event_t *event); // the stream becomes one of the event's capture
graph_t *graph_copy(const graph_t *graph);
int graph_run(const graph_t *graph, stream_t *stream);

int launch(function_t *function, const shape_t *shape, stream_t *stream, void **params, void **extra, bool is_hip);
int copy(void *dst, const void *src, size_t size, bool dst_on_device, bool src_on_device, stream_t *stream);

//===-- Images and execution -------------------------------------------------------------------------------------===//

int image_load(const void *data, image_t *out_image); // INVALID_IMAGE if it is none
void image_unload(image_t *image);
bool image_find_kernel(const image_t *image, const char *name, kernel_info_t *out_info);
bool image_runs_here(const image_t *image);

// AMD's code objects (code.c)
int code_load(image_t *image);
bool code_runs_here(const image_t *image);
void code_unload(image_t *image);
bool code_find_kernel(const image_t *image, const char *name, kernel_info_t *out_info);

// A launch's parameters, words, as addresses: of the buffers, then of the tensor maps where they lie among the words.
// Returns how many there are.
size_t split_params(void *const *words, size_t n_words, void **out);

// Runs every block of an emulated kernel; false after a fault. |buffers|: what split_params gave.
bool execute(const function_t *function, const shape_t *shape, void *const *buffers);

// The same of a kernel of a code object, whose parameters are |words|.
bool execute_code(const function_t *function, const shape_t *shape, void *const *words, size_t n_words);

#pragma GCC visibility pop

#define EXPORT __attribute__((visibility("default")))

#endif
