// Inside complex.c and what splits single operators: a call on complex tensors under way to calls on their parts.
#ifndef STRATA_DIALECTS_IMPORT_PT2_SPLIT_H
#define STRATA_DIALECTS_IMPORT_PT2_SPLIT_H

#include "dialects/import/pt2/complex.h"

enum { SPLIT_REAL, SPLIT_IMAGINARY };

typedef struct split {
  strata_arena_t *arena;
  pt2_graph_t *graph;
  const pt2_call_t *call; // that is split: its results are tensors, and those that are one have one
  const char *values;     // of its row
  STRATA_VECTOR(pt2_call_t) calls;
  int n_made;      // tensors that the program does not have
  bool has_failed; // then the call stays as it is
} split_t;

#define PT2_COMPLEX(name, splitter, values) void pt2_split_##splitter(split_t *s);
#include "dialects/import/pt2/complex.def"

//===-- What is split --------------------------------------------------------------------------------------------===//

pt2_meta_t *split_meta(const split_t *s, const pt2_item_t *item); // NULL: it is no tensor
bool split_is_complex(const split_t *s, const pt2_item_t *item);
// Whether it is given and not None.
bool split_has(const split_t *s, const char *name);
// The one value of this name, if it must be complex a complex tensor; it fails where there is none.
pt2_item_t split_given(split_t *s, const char *name);
pt2_item_t split_complex_given(split_t *s, const char *name);
const pt2_item_t *split_result(const split_t *s); // of an operator that has one

//===-- Parts ----------------------------------------------------------------------------------------------------===//

pt2_item_t split_part_of(const split_t *s, const pt2_item_t *item, int part); // of one that is complex
// What stands for the part of |item|, complex or real.
pt2_item_t split_value_part(split_t *s, const pt2_item_t *item, int part);
pt2_item_t split_result_part(split_t *s, int part);

//===-- Calls that are made --------------------------------------------------------------------------------------===//

// Sizes are those of |like|, a tensor that may be complex.
pt2_item_t split_new_tensor(split_t *s, const pt2_meta_t *like);
pt2_argument_t split_argument(split_t *s, const char *name, pt2_item_t item);
pt2_argument_t split_ints(split_t *s, const char *name, int count, const int64_t *values); // a list
pt2_item_t split_int(int64_t value);
pt2_call_t *split_add_call(split_t *s, const char *target, size_t n_inputs, const pt2_argument_t *inputs);
void split_set_results(split_t *s, pt2_call_t *call, int count, const pt2_item_t *results);
// A call with one result, |out|, of its arguments "self" and "other"; the same with a result that is like |like|.
void split_unary(split_t *s, const char *target, pt2_item_t out, pt2_item_t self);
void split_binary(split_t *s, const char *target, pt2_item_t out, pt2_item_t self, pt2_item_t other);
pt2_item_t split_new_unary(split_t *s, const char *target, const pt2_meta_t *like, pt2_item_t self);
pt2_item_t split_new_binary(split_t *s, const char *target, const pt2_meta_t *like, pt2_item_t self, pt2_item_t other);

#endif
