// The state of one conversion; readers of operators need only convert.h.
#ifndef STRATA_DIALECTS_IMPORT_PT2_CONVERTER_H
#define STRATA_DIALECTS_IMPORT_PT2_CONVERTER_H

#include "dialects/import/pt2/convert.h"

// The values of a graph by the program's names.
typedef struct pt2_scope {
  const pt2_graph_t *graph;
  strata_string_map_t values; // pt2_value_t
  strata_string_map_t reads;  // names that what is computed reads
} pt2_scope_t;

typedef struct pt2_converter {
  strata_arena_t *arena;
  const pt2_program_t *program;
  graph_t *g;
  pt2_scope_t *scope;
  strata_string_map_t ops;             // pt2_op_info_t by name
  STRATA_VECTOR(pt2_value_t *) values; // all, for those that share memory
  int depth;                           // of graphs in each other
} pt2_converter_t;

void pt2_converter_init(pt2_converter_t *converter, strata_arena_t *arena, const pt2_program_t *program);
pt2_scope_t *pt2_new_scope(pt2_converter_t *converter, const pt2_graph_t *graph);
pt2_value_t *pt2_bind(pt2_converter_t *converter, const char *name, pt2_value_t value);
pt2_value_t *pt2_lookup(const pt2_converter_t *converter, const char *name); // NULL: there is none
void pt2_convert_calls(pt2_converter_t *converter, const pt2_graph_t *graph);

// Whether an operator changes its first argument ("aten.add_.Tensor").
bool pt2_is_in_place(const char *target);
// Whether it is one of them that computes something; "aten.detach_" does not.
bool pt2_changes(const pt2_converter_t *converter, const char *target);
// Whether the result of an operator may have its first argument's memory.
bool pt2_may_share(const pt2_converter_t *converter, const char *target);
// |self| is |value| from here on, and so is whatever has the same memory.
void pt2_change(pt2_node_t *n, pt2_value_t *self, const char *value);

#endif
