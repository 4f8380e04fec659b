// Decisions between forms of a part of the graph: what is one kernel, which operand a kernel in front writes. The
// models answer them; where their times are near even, a result of tuning does (docs/tuning.md#decisions).
//
// Whoever decides says what part of the graph it is about, which answers there are and which the model takes, and goes
// by what comes back. For measuring, the part is cut out as a module of its own and compiled once by each answer, by
// the rest of the pipeline, from the pass that decides on.
#ifndef STRATA_PASSES_AFFINE_DECIDE_H
#define STRATA_PASSES_AFFINE_DECIDE_H

#include "passes/affine/calls.h"
#include "passes/affine/nest_graph.h"

enum { STRATA_MAX_ANSWERS = 8 };

typedef enum {
#define DECISION(id, name, part, answers) STRATA_DECIDES_##id,
#include "passes/affine/decisions.def"
} strata_decision_kind_t;

typedef struct {
  const char *name; // in files of results
  double seconds;   // of the part, by the model; infinite: it cannot be carried out so
} strata_answer_t;

typedef struct {
  strata_decision_kind_t kind;
  const char *what; // the part in words
  int n;
  strata_answer_t answers[STRATA_MAX_ANSWERS];
  int chosen; // by the model, which may have reasons besides those times
} strata_decision_t;

// Adds an answer, if there is room.
void strata_decision_add(strata_decision_t *decision, const char *name, double seconds);
// True if |decision| was answered by |name|.
bool strata_decision_is(const strata_decision_t *decision, const char *name);

// Whether anyone asks about decisions: else there is no need to find out answers.
bool strata_decides(const strata_compile_t *compile);

// Puts the answer that tuning knows into |decision|, where the model's times are near even and sizes are known; else
// the model's stays. The part are |nests| of the graph, by their numbers in order, or calls of kernels that do not
// depend on one another. NOT_FOUND where --autotune=require misses a result.
STRATA_MUST_CHECK strata_status_t strata_decide_nests(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                                      const strata_ints_t *nests, strata_decision_t *decision);
STRATA_MUST_CHECK strata_status_t strata_decide_calls(strata_compile_t *compile, const strata_calls_t *calls,
                                                      const strata_operations_t *part, strata_decision_t *decision);

// The same of nests and two answers, of which the model takes the first where |*is_first|.
STRATA_MUST_CHECK strata_status_t strata_decide_between(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                                        const strata_ints_t *nests, strata_decision_kind_t kind,
                                                        const char *what, const strata_answer_t answers[2],
                                                        bool *is_first);

#endif
