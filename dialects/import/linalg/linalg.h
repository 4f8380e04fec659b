// Inside the reader of linalg on tensors (ops.def): what its readers share.
//
// A structured operation is read from its maps and its body, whatever its name. The body's operations work on whole
// tensors, whose dims are the operation's loops: an operand has size 1 along loops that it does not depend on. Sums
// over loops become reductions of that; where they are those of products, or of windows, the operands are never so
// large.
#ifndef STRATA_DIALECTS_IMPORT_LINALG_LINALG_H
#define STRATA_DIALECTS_IMPORT_LINALG_LINALG_H

#include "dialects/import/tir/tir.h"

#define LINALG_OP(name, reader, ...) void reader(tir_op_t *o);
#define LINALG_MISSING(name, reason)
#include "dialects/import/linalg/ops.def"

enum { LINALG_MAX_OPERANDS = 64 };

// The loops that a body is read for.
typedef struct linalg_loops {
  tir_type_t type;                // rank: how many they are; dims: their sizes
  const char *size[TIR_MAX_RANK]; // lists of one
  bool is_summed[TIR_MAX_RANK];
  strata_pointer_map_t masks; // of the body's values: the loops that they depend on, a bit each
} linalg_loops_t;

const char *linalg_loop_sizes(tir_op_t *o, const linalg_loops_t *loops); // as a list
// 0, 1, ... along the loop.
const char *linalg_counting(tir_op_t *o, const linalg_loops_t *loops, int loop);

// A structured operation.
typedef struct {
  tir_op_t *o;
  linalg_loops_t loops;
  int n_inputs, n_outputs;
  MlirAffineMap maps[LINALG_MAX_OPERANDS]; // of inputs, then outputs
  MlirBlock body;
} linalg_op_t;

// Where the loop |*out_loop| alone, from 0, says the place in a dim; false if something else does.
bool linalg_is_loop(MlirAffineExpr expr, int *out_loop);
// The loops that |expr| depends on.
int64_t linalg_loops_of(MlirAffineExpr expr, int n);
// |expr| of i64 tensors; NULL where it is nested too deep.
const char *linalg_affine(tir_op_t *o, MlirAffineExpr expr, int n_dims, const char *const *dims,
                          const char *const *symbols);
// Operand |k| with the loops as dims; NULL after a refusal. One that depends on no loop has no dims.
const char *linalg_arranged(linalg_op_t *l, int k);

// The loops that a value in the body depends on.
int64_t linalg_mask(const linalg_loops_t *loops, MlirValue value);
void linalg_fill_masks(linalg_loops_t *loops, MlirBlock body);
// Input that |value| is the element of; -1: it is none.
int linalg_input(const linalg_op_t *l, MlirValue value);
// What a conversion in the body converts; null where |value| is the result of none.
MlirValue linalg_converted(MlirValue value);
// Leaves |op| of the body out, as its result is not needed.
void linalg_skip(linalg_op_t *l, MlirOperation op);
// Reads the body, but what is left out.
bool linalg_read_body(linalg_op_t *l);

// What the body gives, along all loops, and |value|, whose dims are the loops that are not summed in their order, as
// result |r|; NULL after a refusal.
const char *linalg_given(linalg_op_t *l, MlirValue value);
const char *linalg_result(linalg_op_t *l, int r, const char *value);
// The operation, of which some loops are summed.
void linalg_read_reduction(linalg_op_t *l);

// What an operation of the body does with what there is and one element more.
typedef struct {
  const char *name;          // of the operation
  const char *reduce, *kind; // ONNX's reduction; of our own operators
  const char *combine;       // two tensors
  const char *reduce_booleans, *combine_booleans;
  double neutral;
  bool is_unsigned;
} linalg_combiner_t;

// The sums of products, or windows, that |element| is added to result |r|: the loops that are left as dims, in their
// order. NULL where it is no such thing, before anything has been added to the graph.
const char *linalg_contraction(linalg_op_t *l, int r, MlirValue element);
const char *linalg_convolution(linalg_op_t *l, int r, const int inputs[2]);
const char *linalg_window(linalg_op_t *l, const linalg_combiner_t *combiner, MlirValue element);

// A place of a convolution or a window in a dim of its operand: stride * outer + dilation * inner.
typedef struct {
  int outer, inner; // loops, of which inner is summed
  int64_t stride, dilation;
} linalg_place_t;

bool linalg_is_place(const linalg_op_t *l, MlirAffineExpr expr, linalg_place_t *out);
// |x| without the elements at the end of |axis| that no window reaches.
const char *linalg_trim(linalg_op_t *l, const char *x, const tir_type_t *type, int axis, const linalg_place_t *place);

// Rounded down and up.
const char *arith_floor_div(tir_op_t *o, const char *a, const char *b);
const char *arith_ceil_div(tir_op_t *o, const char *a, const char *b);

#endif
