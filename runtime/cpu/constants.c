// Constants that change get memory of their own; what lies in the library's weights is never written.
#include "runtime/cpu/constants.h"

#include "runtime/cpu/state.h"
#include "runtime/library/error.h"
#include "runtime/library/preparation.h"

#include <stdlib.h>
#include <string.h>

#define program strata_rt_program

static int out_of_memory(void) {
  return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", program.library->name);
}

int strata_rt_constants_init(strata_rt_constants_t *constants) {
  constants->at = calloc(program.n_constants + 1, sizeof *constants->at);
  constants->is_own = calloc(program.n_constants + 1, sizeof *constants->is_own);
  constants->is_stale = calloc(program.prepare.n_launches + 1, sizeof *constants->is_stale);
  return constants->at && constants->is_own && constants->is_stale ? STRATA_OK : out_of_memory();
}

void strata_rt_constants_free(strata_rt_constants_t *constants) {
  for (uint64_t i = 0; constants->is_own && i < program.n_constants; i++)
    if (constants->is_own[i])
      free(constants->at[i]);
  free(constants->at);
  free(constants->is_own);
  free(constants->is_stale);
  *constants = (strata_rt_constants_t){0};
}

void strata_rt_constants_place(strata_rt_constants_t *constants, const void *weights) {
  for (uint64_t i = 0; i < program.n_constants; i++)
    constants->at[i] = program.constants[i].is_present ? (char *)weights + program.constants[i].offset : NULL;
}

//===-- Setting --------------------------------------------------------------------------------------------------===//

// Gives the marked constants memory of their own; all or none.
static int make_own(strata_rt_constants_t *constants, const bool *marked) {
  void **fresh = calloc(program.n_constants + 1, sizeof *fresh);
  bool ok = fresh != NULL;
  for (uint64_t i = 0; i < program.n_constants && ok; i++)
    if (marked[i] && !constants->is_own[i])
      ok = (fresh[i] = aligned_alloc(STRATA_RT_ALIGNMENT,
                                     strata_rt_round_up(program.constants[i].size + 1, STRATA_RT_ALIGNMENT))) != NULL;
  for (uint64_t i = 0; i < program.n_constants && fresh; i++)
    if (ok && fresh[i]) {
      constants->at[i] = fresh[i];
      constants->is_own[i] = true;
    } else {
      free(fresh[i]);
    }
  free(fresh);
  return ok ? STRATA_OK : out_of_memory();
}

static int64_t missing_source(const strata_rt_constants_t *constants) {
  return strata_rt_missing_source(&program.prepare, constants->is_stale, constants->at);
}

int strata_rt_constants_check(const strata_rt_constants_t *constants) {
  int64_t missing = missing_source(constants);
  return missing < 0 ? STRATA_OK : strata_rt_fail_missing(program.library, program.public_constants, missing);
}

// What the preparation needs to run, all got before anything changes: nothing fails after that.
static int make_frame(const strata_rt_constants_t *constants, strata_rt_frame_t *out_frame) {
  *out_frame = (strata_rt_frame_t){
      .constants = constants->at,
      .scratch = aligned_alloc(STRATA_RT_ALIGNMENT, strata_rt_round_up(program.scratch_size + 1, STRATA_RT_ALIGNMENT)),
      .buffers = calloc(program.max_args + 1, sizeof(void *))};
  return out_frame->scratch && out_frame->buffers ? STRATA_OK : out_of_memory();
}

// Runs the stale launches if all they read is here. They have their memory.
static void prepare_again(strata_rt_constants_t *constants, const strata_rt_frame_t *frame) {
  if (missing_source(constants) >= 0)
    return;
  for (uint64_t launch = 0; launch < program.prepare.n_launches; launch++)
    if (constants->is_stale[launch]) {
      strata_rt_run_launch(&program.prepare, launch, frame);
      constants->is_stale[launch] = false;
    }
}

int strata_rt_constants_set(strata_rt_constants_t *constants, uint32_t index, const void *data) {
  strata_rt_frame_t frame;
  bool *marked = calloc(program.n_constants + 1, sizeof *marked);
  bool *is_stale = calloc(program.prepare.n_launches + 1, sizeof *is_stale);
  int status = make_frame(constants, &frame);
  if (!status && (!marked || !is_stale))
    status = out_of_memory();
  if (!status) {
    marked[index] = true;
    strata_rt_mark_dependents(&program.prepare, is_stale, marked);
    status = make_own(constants, marked);
  }
  if (!status) {
    memcpy(constants->at[index], data, program.constants[index].size);
    for (uint64_t launch = 0; launch < program.prepare.n_launches; launch++)
      constants->is_stale[launch] |= is_stale[launch];
    prepare_again(constants, &frame);
  }
  free(frame.scratch);
  free(frame.buffers);
  free(marked);
  free(is_stale);
  return status;
}
