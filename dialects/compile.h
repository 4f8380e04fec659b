// One compile: the MLIR context and module being lowered, the constants' data, the options, and the arena that owns
// everything else. Every pass and every lowering takes a strata_compile_t. It is used by one thread at a time; parts
// that are done side by side have copies of it (each.h).
#ifndef STRATA_DIALECTS_COMPILE_H
#define STRATA_DIALECTS_COMPILE_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <mlir-c/IR.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum { STRATA_TARGET_CPU, STRATA_TARGET_NVGPU, STRATA_TARGET_AMDGPU } strata_target_kind_t;

typedef enum {
  STRATA_PRECISION_DEFAULT, // what the target's row says
  STRATA_PRECISION_FP16,
  STRATA_PRECISION_FP32,
  STRATA_PRECISION_TF32,
  STRATA_PRECISION_INT32,
  STRATA_PRECISION_MIXED_FP16_FP32,
  STRATA_PRECISION_MIXED_BF16_FP32,
  STRATA_PRECISION_MIXED_FP8_FP32,
  STRATA_PRECISION_MIXED_INT8_INT32,
} strata_precision_t;

// Launches beside one another on several streams, of GPUs: where the model expects that it is faster, or wherever they
// do not depend on one another.
typedef enum { STRATA_MULTISTREAM_OFF, STRATA_MULTISTREAM_MODEL, STRATA_MULTISTREAM_ALL } strata_multistream_t;

// --alias OUTPUT=INPUT, by the names of the model: the caller may pass the same memory for both. A '*' in each of the
// two stands for any text, the same in both.
typedef struct {
  const char *output, *input;
} strata_alias_t;

// The input whose memory |alias| gives the output called |name|; NULL: it does not speak of that output.
const char *strata_alias_input(strata_arena_t *arena, const strata_alias_t *alias, MlirStringRef name);

// The options that change the generated code; the command line's table (tools/options.def) fills them.
typedef struct strata_compile_options {
  strata_target_kind_t target;
  const char *device;           // NULL: the host, or the target's default device
  const char *more_devices;     // GPUs the library is for besides |device|, separated by commas; NULL: none
  const char *schedule;         // a file of schedules, for GPUs; NULL: none
  struct strata_tuning *tuning; // schedules that were measured (passes/tuning/tuning.h), for GPUs; NULL: none
  strata_precision_t precision;
  bool disable_fast_math;
  bool disable_fusion;
  bool disable_reduce_reduce_fusion;
  bool fuse_norms; // wherever they fit, not only where the model wants that
  bool disable_unsafe_math;
  bool disable_tensor_core;
  bool disable_constant_folding; // only what shapes need is folded
  bool weights_are_set;          // large constants may be others when the library runs (--weights=set)
  bool verify_each;              // run the phase contract after every pass
  strata_multistream_t multistream;
  int multistream_extra; // streams besides the call's
  int multistream_most;  // launches beside one another
  int opt_level;         // 0..3
  int jobs;              // threads of the compiler, at least 1
  const strata_alias_t *aliases;
  size_t n_aliases;
  int threads; // default threads of the emitted cpu library; 0: as many as the machine has
} strata_compile_options_t;

// The bytes behind a constant. Small constants live in the IR as dense attributes; large ones are named here and the IR
// carries the name only, so that no weight is ever copied: |data| points into the mapped model file or an arena.
typedef struct strata_constant_data {
  const char *name;
  const void *data; // row-major, the storage type of types.def
  size_t size;      // bytes
  struct strata_constant_data *next;
} strata_constant_data_t;

// A listener: gets a line of text at a time.
typedef struct {
  void (*line)(const char *text, void *user);
  void *user;
} strata_explain_t;

typedef struct strata_compile {
  strata_arena_t *arena;
  const strata_compile_options_t *options;
  MlirContext context;
  MlirModule module;
  MlirModule graph;       // of a compile for several GPUs: a copy for the further ones (strata-copy-graph); else null
  MlirModule preparation; // of a GPU's compile: a copy of @prepare for the host (affine-copy-prepare); else null
  strata_constant_data_t *constants; // newest first; names are unique
  struct strata_constant_index *constant_index;
  struct strata_candidate_cache *candidates; // what is known of products (passes/affine/candidate_cache.h); or NULL
  const char *rest;                          // of the pipeline that is run, from the pass under way on; or NULL
  int n_loops;                               // built so far: the next one's name
  const char *input_name;                    // the file being compiled, for messages
  STRATA_VECTOR(const char *) data_files;    // that it refers to and that were read: external data
  strata_status_t diagnostics;               // errors MLIR reported and nobody has taken yet
  const strata_explain_t *explain;           // of --explain; NULL: nobody listens
  const strata_explain_t *notes;             // of what the user is to know without asking for it; likewise
} strata_compile_t;

// Creates a context with all upstream dialects and passes and our own dialects, and an empty module.
STRATA_MUST_CHECK strata_status_t strata_compile_init(strata_compile_t *compile,
                                                      const strata_compile_options_t *options);
void strata_compile_deinit(strata_compile_t *compile);

// Registers |data|, which must outlive the compile, under |name| (made unique if taken); returns the name used.
const char *strata_compile_add_constant(strata_compile_t *compile, const char *name, const void *data, size_t size);

// The constant called |name|, or NULL.
const strata_constant_data_t *strata_compile_find_constant(const strata_compile_t *compile, const char *name);

// Turns what MLIR's diagnostics said since the last call into an error with |fallback| as text if they said nothing.
STRATA_MUST_CHECK strata_status_t strata_compile_take_diagnostics(strata_compile_t *compile, const char *fallback);

// One line for |listener|, cut if longer than 1023 bytes; NULL: nobody listens.
void strata_tell(const strata_explain_t *listener, const char *format, va_list args);
// Tells the listener to notes one line.
void strata_compile_note(const strata_compile_t *compile, const char *format, ...) STRATA_PRINTF(2, 3);

// Runs MLIR's verifier on the module.
STRATA_MUST_CHECK strata_status_t strata_compile_verify(strata_compile_t *compile);

#endif
