// A pass: one named step from IR to IR over the whole module, driven by the compile's options.
//
// Rows of passes.def give name, function and summary. A pass leaves the module valid or returns an error; it frees
// nothing (memory comes from the compile's arena) and prints nothing.
#ifndef STRATA_PASSES_PASS_H
#define STRATA_PASSES_PASS_H

#include "dialects/compile.h"

#include <stddef.h>

typedef strata_status_t (*strata_pass_run_t)(strata_compile_t *compile);

typedef struct {
  const char *name; // as in a textual pipeline: "strata-cse"
  strata_pass_run_t run;
  const char *summary;
} strata_pass_t;

// The pass called |name| (|length| bytes), or NULL. Passes of lowering/ and targets/ add themselves through the table
// that the caller hands to strata_pipeline_run, since a folder may not include those left of it.
typedef struct {
  const strata_pass_t *passes;
  size_t count;
} strata_pass_table_t;

extern const strata_pass_table_t strata_passes; // the passes of this folder

#define PASS(name, function, summary) STRATA_MUST_CHECK strata_status_t function(strata_compile_t *compile);
#include "passes/passes.def"

// Runs a textual pipeline, "strata-cse,canonicalize,func.func(cse)": names found in |tables| are ours, all others go to
// MLIR's pass manager (consecutive ones together, options in braces and nesting as MLIR spells them). An enclosing
// "builtin.module(...)" is allowed. An unknown name is an error that names it. With verify_each set, MLIR's verifier and
// the strata dialect's run after every pass, and a failure names the pass.
STRATA_MUST_CHECK strata_status_t strata_pipeline_run(strata_compile_t *compile, const char *pipeline, size_t n_tables,
                                                      const strata_pass_table_t *const *tables);

#endif
