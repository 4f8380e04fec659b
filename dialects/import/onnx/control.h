// What the readers of operators with bodies share.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_CONTROL_H
#define STRATA_DIALECTS_IMPORT_ONNX_CONTROL_H

#include "dialects/import/onnx/onnx.h"

bool onnx_has_poison(int count, const onnx_value_t *values);
// One body gave something unsupported: the node gives nothing.
void onnx_poison_all(onnx_node_t *n);
// An error where the node has more than |count| results, those that the body has for it.
void onnx_check_count(onnx_node_t *n, int count);
void onnx_set_all(onnx_node_t *n, int count, const onnx_value_t *values);
// Whether the single element of |value| is known, and true.
bool onnx_known_bool(onnx_node_t *n, MlirValue value, bool *out);

// Sequences in loops (sequence.c). One without items.
bool onnx_is_empty_sequence(const onnx_value_t *value);
// What a sequence that begins empty is in the body of |loop|: what earlier iterations appended is not known there.
onnx_value_t onnx_collecting_sequence(const void *loop);
// The one tensor that an iteration of |loop| has appended to such a sequence; NULL where it has done anything else.
const onnx_value_t *onnx_appended_item(const onnx_value_t *value, const void *loop);
// The sequence of the rows of |tensor|.
onnx_value_t onnx_sequence_of_rows(MlirValue tensor, bool is_unsigned);

// An If whose condition is not known and whose branches give results of several sizes, as loops of one iteration or
// none, so that one branch alone runs. Sizes in which they differ depend on data. |then_results| and |else_results|:
// what importing the branches once has given; nothing reads them any more. False, and nothing is set, where the
// branches cannot be such loops.
bool onnx_import_branches(onnx_node_t *n, MlirValue condition, const onnx_value_t *then_results,
                          const onnx_value_t *else_results);
// The same of one result, of branches that both run. False where they have no kind or rank in common.
bool onnx_choose_result(onnx_node_t *n, int index, MlirValue condition, const onnx_value_t *a, const onnx_value_t *b);
// The same of several |items|, of which that at |place| is taken, an i64 of rank 0.
bool onnx_choose_item(onnx_node_t *n, int index, MlirValue place, size_t n_items, const onnx_value_t *items);

#endif
