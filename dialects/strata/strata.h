// The strata dialect: tensors and SSA values, a small closed set of primitives (ops.def), and composite ops that expand
// to primitives (composites.def). Everything here is expanded from those tables.
//
// IR: every op is generic MLIR, "strata.<mnemonic>", on ranked tensors, in a func.func @main whose arguments carry
// {strata.name = "x"} and, where the C type is unsigned, {strata.unsigned}; results likewise.
// A dimension is an affine expression over named symbols (strata_dim_t), a static one a constant. A tensor with a
// symbolic dimension has '?' there and its shape as encoding: tensor<?x1024xf32, affine_map<()[B] -> (B, 1024)>>.
#ifndef STRATA_DIALECTS_STRATA_H
#define STRATA_DIALECTS_STRATA_H

#include "dialects/integers.h"
#include "dialects/symbols.h"

typedef enum {
#define TYPE(id, ...) STRATA_TYPE_##id,
#include "dialects/strata/types.def"
  STRATA_TYPE_COUNT
} strata_type_t;

typedef enum { STRATA_TYPE_KIND_FLOAT, STRATA_TYPE_KIND_BOOLEAN, STRATA_TYPE_KIND_INTEGER } strata_type_kind_t;

typedef struct {
  const char *mlir_name;
  int bits;
  strata_type_kind_t kind;
  bool computes;
  strata_type_t math_type;
  const char *c_name, *c_name_unsigned;
} strata_type_info_t;
extern const strata_type_info_t strata_type_info[STRATA_TYPE_COUNT];
static inline bool strata_type_is_float(strata_type_t type) {
  return strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT;
}

// The row of an MLIR scalar type, STRATA_TYPE_COUNT if it has none; and the MLIR type of a row.
strata_type_t strata_type_from_mlir(MlirType type);
MlirType strata_type_to_mlir(MlirContext context, strata_type_t type);
// Bytes of |count| elements in memory; -1 if that overflows.
int64_t strata_type_storage_size(strata_type_t type, int64_t count);
// The greatest finite number of a float type.
double strata_type_largest(strata_type_t type);

typedef enum {
  STRATA_KIND_ELEMENTWISE,
  STRATA_KIND_REDUCE,
  STRATA_KIND_ARG_REDUCE,
  STRATA_KIND_SCAN,
  STRATA_KIND_SORT,
  STRATA_KIND_WINDOW,
  STRATA_KIND_CONTRACT,
  STRATA_KIND_BLOCK,
  STRATA_KIND_MOVEMENT,
  STRATA_KIND_GATHER,
  STRATA_KIND_SCATTER,
  STRATA_KIND_SEGMENT,
  STRATA_KIND_TREES,
  STRATA_KIND_SUPPRESS,
  STRATA_KIND_GENERATE,
} strata_op_kind_t;

typedef enum {
  STRATA_RULE_SAME,
  STRATA_RULE_BOOL,
  STRATA_RULE_SECOND,
  STRATA_RULE_RESULT,
} strata_type_rule_t;

typedef enum {
#define OP(id, ...) STRATA_OP_##id,
#include "dialects/strata/ops.def"
  STRATA_OP_COUNT
} strata_op_id_t;

typedef struct {
  const char *mnemonic;
  const char *name; // "strata.<mnemonic>"
  strata_op_kind_t kind;
  int n_operands;
  strata_type_rule_t rule;
  const char *accepts;
  const char *float_body, *int_body;
  int ulp;
  const char *attrs;
} strata_op_info_t;
extern const strata_op_info_t strata_op_info[STRATA_OP_COUNT];

typedef enum {
#define COMPOSITE(id, ...) STRATA_COMPOSITE_##id,
#include "dialects/strata/composites.def"
  STRATA_COMPOSITE_COUNT
} strata_composite_id_t;

typedef struct {
  const char *mnemonic;
  const char *name;
  const char *signature;
  const char *body;
} strata_composite_info_t;
extern const strata_composite_info_t strata_composite_info[STRATA_COMPOSITE_COUNT];

typedef enum {
#define COMBINER(id, ...) STRATA_COMBINER_##id,
#include "dialects/strata/combiners.def"
  STRATA_COMBINER_COUNT
} strata_combiner_t;

typedef enum {
  STRATA_NEUTRAL_ZERO,
  STRATA_NEUTRAL_ONE,
  STRATA_NEUTRAL_LOWEST, // -inf, or the least integer
  STRATA_NEUTRAL_HIGHEST,
  STRATA_NEUTRAL_ALL_ONES,
} strata_neutral_t;

typedef struct {
  const char *name;
  const char *float_op, *int_op;
  strata_neutral_t neutral;
} strata_combiner_info_t;
extern const strata_combiner_info_t strata_combiner_info[STRATA_COMBINER_COUNT];

// Table look-ups; the COUNT constant where there is none.
strata_op_id_t strata_op_id(MlirOperation op); // by the op's name
strata_composite_id_t strata_op_composite(MlirOperation op);
strata_combiner_t strata_op_combiner(MlirOperation op); // by its attribute "kind"
bool strata_op_is_pure(MlirOperation op); // of the dialect, primitive or composite: all of them are free of effects
bool strata_is_elementwise(strata_op_id_t id); // false of STRATA_OP_COUNT
strata_combiner_t strata_combiner_from_name(MlirStringRef name);
strata_op_id_t strata_op_from_mnemonic(const char *mnemonic);

// Loads the dialect into a context, once. Called by strata_compile_init.
STRATA_MUST_CHECK strata_status_t strata_dialect_load(MlirContext context);

//===-- Shapes ---------------------------------------------------------------------------------------------------===//

// A dimension: an affine expression over the symbols of its module (dialects/symbols.h); constant if static. Uniqued,
// and what these functions return is in a normal form (dim_sum.h): equal dims are equal pointers. Never divides by a
// symbol.
typedef MlirAffineExpr strata_dim_t;

strata_dim_t strata_dim_constant(MlirContext context, int64_t size);
strata_dim_t strata_dim_symbol(MlirContext context, int symbol);
bool strata_dim_is_constant(strata_dim_t dim, int64_t *out_size);
bool strata_dim_is(strata_dim_t dim, int64_t size); // the constant |size|
bool strata_dim_equal(strata_dim_t a, strata_dim_t b);
strata_dim_t strata_dim_normal(strata_dim_t dim); // of one that comes from elsewhere
strata_dim_t strata_dim_add(strata_dim_t a, strata_dim_t b);
strata_dim_t strata_dim_sub(strata_dim_t a, strata_dim_t b);
strata_dim_t strata_dim_mul(strata_dim_t a, strata_dim_t b);
strata_dim_t strata_dim_plus(strata_dim_t a, int64_t b);
strata_dim_t strata_dim_times(strata_dim_t a, int64_t b);
strata_dim_t strata_dim_floordiv(strata_dim_t a, int64_t b); // b > 0
strata_dim_t strata_dim_product(MlirContext context, int count, const strata_dim_t *dims);
// a / b where b, of any form, divides a for all sizes.
bool strata_dim_divide(strata_dim_t a, strata_dim_t b, strata_dim_t *out);
// With |values| in the place of the first |n_symbols| symbols; a null value leaves its symbol.
strata_dim_t strata_dim_substitute(strata_dim_t dim, int n_symbols, const strata_dim_t *values);
// dim = factor * part + rest, where the part is a symbol or a quotient by a number; false if it is another sum.
bool strata_dim_split(strata_dim_t dim, strata_dim_t *out_part, int64_t *out_factor, int64_t *out_rest);
// Solves a = b for the last symbol, of those that |may_go|, for which the solution is a sum, or else a difference, of
// others. Returns its number, -1 if there is none.
int strata_dim_solve(strata_dim_t a, strata_dim_t b, int n_symbols, const bool *may_go, strata_dim_t *out);

// Where the dim lies; what divides it always, 0 of zero.
strata_range_t strata_dim_range(strata_dim_t dim, const strata_symbols_t *symbols);
// With numbers for the quotients in it that the ranges leave no other.
strata_dim_t strata_dim_fold_quotients(strata_dim_t dim, const strata_symbols_t *symbols);
int64_t strata_dim_divisor(strata_dim_t dim, const strata_symbols_t *symbols);

enum { STRATA_MAX_RANK = 16 };

typedef struct {
  strata_type_t type;
  int rank;
  strata_dim_t dims[STRATA_MAX_RANK];
} strata_shape_t;

// The shape of a tensor type or value, and back.
strata_shape_t strata_shape_of(MlirValue value);
strata_shape_t strata_shape_from_type(MlirType tensor_type);
MlirType strata_shape_to_type(MlirContext context, const strata_shape_t *shape);
// A static shape from sizes.
strata_shape_t strata_shape_static(MlirContext context, strata_type_t type, int rank, const int64_t *sizes);
// Sizes of a static shape; false if a dim is symbolic.
bool strata_shape_sizes(const strata_shape_t *shape, int64_t *out_sizes);
// Number of elements of a static shape; -1 if symbolic or overflowing.
int64_t strata_shape_count(const strata_shape_t *shape);
// The sizes of the dims of a contract's maps, at most STRATA_MAX_RANK: the result's dims, then the contracted ones.
// Each of these indexes a dim of an operand alone or, as the only unknown of a sum (reads outside are not allowed
// then), up to its end. Returns how many; -1 if the op is not valid.
int strata_contract_dims(MlirOperation op, strata_dim_t *out_dims);
// The same of what an op is made of: lhs, rhs, result.
int strata_contract_extents(const strata_shape_t shapes[3], const MlirAffineMap maps[3], bool zero_pad,
                            strata_dim_t *out_dims);

//===-- Building -------------------------------------------------------------------------------------------------===//

// Appends ops to a block (before |before|, if that is not null), infers and checks their types, and folds ops whose
// operands are all small constants (at most STRATA_FOLD_LIMIT elements), so that shape arithmetic disappears as it is
// built. Errors are sticky: after the first one every call returns a null value and |status| holds the error.
typedef struct strata_builder {
  strata_compile_t *compile;
  MlirBlock block;
  MlirOperation before; // null: at the end of the block
  MlirLocation location;
  bool no_fold;   // build the op even where its value is known
  bool keep_form; // the same for broadcasts of floats and bytes as floats: how they are made says more than their value
  struct strata_loop_builder *loop;       // in whose body the block is (build_loop.c); NULL: in none
  const struct strata_counting *counting; // sizes that depend on data (counted.h); NULL: there are none
  strata_status_t status;
} strata_builder_t;

enum { STRATA_FOLD_LIMIT = 4096 };

MlirValue strata_build_unary(strata_builder_t *b, strata_op_id_t op, MlirValue x);
MlirValue strata_build_binary(strata_builder_t *b, strata_op_id_t op, MlirValue x, MlirValue y);
MlirValue strata_build_select(strata_builder_t *b, MlirValue condition, MlirValue x, MlirValue y);
// |op| is one of the conversions. Returns |x| itself where its type is already |type| (convert only).
MlirValue strata_build_convert(strata_builder_t *b, strata_op_id_t op, MlirValue x, strata_type_t type);
// The same, marked as one that the model did not ask for: where an op of 16-bit floats that is made of several ones
// begins and ends to compute in f32. Such a rounding may be left out (strata-widen).
#define STRATA_IMPLIED "strata.implied"
MlirValue strata_build_implied_convert(strata_builder_t *b, MlirValue x, strata_type_t type);
// The other way about, one that the model has as an operator of its own, and its arith.truncf: it rounds in every mode.
// Others between floats, which ops of 16 bits end with, may be left out under fast math where the value stays in a
// kernel (lowering/affine_to_tile/rounding.c).
#define STRATA_ROUNDS "strata.rounds"
MlirValue strata_build_rounding(strata_builder_t *b, MlirValue x, strata_type_t type);
MlirValue strata_build_reduce(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int n_axes, const int64_t *axes,
                              bool keep_dims);
MlirValue strata_build_arg_reduce(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int64_t axis,
                                  bool select_last);
MlirValue strata_build_scan(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int64_t axis, bool exclusive,
                            bool reverse);
// Returns the values; *out_positions gets the i64 positions.
MlirValue strata_build_sort(strata_builder_t *b, MlirValue x, int64_t axis, bool descending, bool is_unsigned,
                            MlirValue *out_positions);
// Arrays have one entry a dimension of x.
MlirValue strata_build_window(strata_builder_t *b, strata_combiner_t kind, MlirValue x, const int64_t *window,
                              const int64_t *strides, const int64_t *dilations, const int64_t *low,
                              const int64_t *high);
MlirValue strata_build_contract(strata_builder_t *b, MlirValue lhs, MlirValue rhs, MlirAffineMap lhs_map,
                                MlirAffineMap rhs_map, MlirAffineMap result_map, const strata_shape_t *result,
                                bool zero_pad, const char *origin);
// The same; |unsigned_lhs|: integers of |lhs| are widened without a sign.
MlirValue strata_build_contract_of(strata_builder_t *b, MlirValue lhs, MlirValue rhs, const MlirAffineMap maps[3],
                                   const strata_shape_t *result, bool zero_pad, const char *origin, bool unsigned_lhs);
// strata.scaled_contract: elements of rhs along |axis| that have one scale; its operands are lhs, rhs and scales.
enum { STRATA_SCALED_BLOCK = 32 };
MlirValue strata_build_scaled_contract(strata_builder_t *b, const MlirValue operands[3], const MlirAffineMap maps[3],
                                       const strata_shape_t *result, bool zero_pad, const char *origin, int64_t axis);
// The operands of strata.block_contract, whose rows have so many digits at most.
enum { STRATA_BLOCK_DIGITS = 4 };
MlirValue strata_build_block_contract(strata_builder_t *b, const MlirValue *operands);
MlirValue strata_build_transpose(strata_builder_t *b, MlirValue x, const int64_t *permutation);
MlirValue strata_build_reshape(strata_builder_t *b, MlirValue x, int rank, const strata_dim_t *dims);
MlirValue strata_build_reshape_static(strata_builder_t *b, MlirValue x, int rank, const int64_t *sizes);
MlirValue strata_build_slice(strata_builder_t *b, MlirValue x, const int64_t *starts, const int64_t *steps,
                             const int64_t *sizes);
MlirValue strata_build_slice_dims(strata_builder_t *b, MlirValue x, const strata_dim_t *starts, const int64_t *steps,
                                  const strata_dim_t *sizes);
// |value|: a number converted to the element type.
MlirValue strata_build_pad(strata_builder_t *b, MlirValue x, const int64_t *low, const int64_t *high, double value);
MlirValue strata_build_pad_dims(strata_builder_t *b, MlirValue x, const strata_dim_t *low, const strata_dim_t *high,
                                double value);
MlirValue strata_build_concat(strata_builder_t *b, int n, const MlirValue *xs, int64_t axis); // a tree of binary ones
MlirValue strata_build_broadcast(strata_builder_t *b, MlirValue x, const strata_shape_t *shape, MlirAffineMap map);
// NumPy broadcasting: right aligned, size 1 stretches. Returns x if it already has the dims.
MlirValue strata_build_broadcast_to(strata_builder_t *b, MlirValue x, int rank, const strata_dim_t *dims);
// Broadcasts both operands to their common shape; an error if they have none.
void strata_build_broadcast_pair(strata_builder_t *b, MlirValue *x, MlirValue *y);
MlirValue strata_build_gather(strata_builder_t *b, MlirValue data, MlirValue indices, int64_t axis, int64_t batch_dims);
// |kind| "none", "distinct" (no row twice) or a combiner's name.
MlirValue strata_build_scatter(strata_builder_t *b, const char *kind, MlirValue init, MlirValue indices,
                               MlirValue updates);
// Rows in sequences. The sequence of each of |total| rows; each sequence's rows combined; each row times its sequence's
// matrix; attention, whose operands are those of the op.
MlirValue strata_build_segment_rows(strata_builder_t *b, MlirValue offsets, strata_dim_t total);
MlirValue strata_build_segment_reduce(strata_builder_t *b, strata_combiner_t kind, MlirValue rows, MlirValue offsets);
MlirValue strata_build_segment_contract(strata_builder_t *b, MlirValue rows, MlirValue matrices, MlirValue map);
MlirValue strata_build_segment_attention(strata_builder_t *b, const MlirValue *operands, bool is_causal, double scale);
// The operands of strata.trees.
MlirValue strata_build_trees(strata_builder_t *b, strata_combiner_t kind, MlirValue x, MlirValue nodes, MlirValue roots,
                             MlirValue values);
// The operands of strata.suppress, of which a class has |room| results at most; *out_count gets how many there are.
MlirValue strata_build_suppress(strata_builder_t *b, const MlirValue *operands, strata_dim_t room,
                                MlirValue *out_count);
MlirValue strata_build_iota(strata_builder_t *b, const strata_shape_t *shape, int64_t axis);
// The values of at most STRATA_MAX_RANK dims, a 1-d i64: a constant where all are known. That of one, of rank 0.
MlirValue strata_build_dims(strata_builder_t *b, int count, const strata_dim_t *dims);
MlirValue strata_build_dim(strata_builder_t *b, strata_dim_t dim, strata_type_t type);
// A constant from bytes in the storage format of types.def. Small ones are copied into the IR; large ones are
// registered under |name| and |data| must outlive the compile.
MlirValue strata_build_constant(strata_builder_t *b, const strata_shape_t *shape, const char *name, const void *data);
// One value everywhere (integers are rounded from the double; use splat_int for 64-bit integers).
MlirValue strata_build_splat(strata_builder_t *b, const strata_shape_t *shape, double value);
MlirValue strata_build_splat_int(strata_builder_t *b, const strata_shape_t *shape, int64_t value);
// A 1-d i64 constant.
MlirValue strata_build_i64s(strata_builder_t *b, int n, const int64_t *values);
// A composite op by row; attributes in the order of its signature.
typedef struct {
  double f64;
  int n_i64s;
  const int64_t *i64s; // also a single i64
} strata_attr_value_t;
MlirValue strata_build_composite(strata_builder_t *b, strata_composite_id_t id, int n_operands,
                                 const MlirValue *operands, int n_attrs, const strata_attr_value_t *attrs);

// One on jagged tensors, of whose |result| the rows count, or their greatest number, where nothing else says it.
MlirValue strata_build_jagged(strata_builder_t *b, strata_composite_id_t id, int n_operands, const MlirValue *operands,
                              int n_attrs, const strata_attr_value_t *attrs, const strata_shape_t *result);

// Records an error in the builder (the first one stays) and returns a null value.
MlirValue strata_build_fail(strata_builder_t *b, strata_status_t status);

//===-- Loops (build_loop.c) -------------------------------------------------------------------------------------===//

// A loop of |count| iterations (dialects/counted_loop.h). Between begin and end the builder appends to its body, where
// values from outside may be used as they are. |reversed|: of each scan input, or output, whether iteration t has row
// count-1-t.
typedef struct strata_loop_builder strata_loop_builder_t;

// |inputs|: tensors that are walked along dim 0. *out_args gets the states, then the inputs' rows, inside. NULL where
// the loop cannot be one: too many values, or elements that share bytes.
strata_loop_builder_t *strata_build_loop_begin(strata_builder_t *b, strata_dim_t count, int n_states,
                                               const MlirValue *states, int n_inputs, const MlirValue *inputs,
                                               const bool *reversed, MlirValue *out_args);
// |results|: the next states, then the rows of the scan outputs. *out_results gets the last states and the scan
// outputs, outside. What is the same in all iterations is computed in front of the loop. False, and nothing is built,
// where the states' types change, there are too many values, or all of them are constants.
bool strata_build_loop_end(strata_loop_builder_t *loop, int n_results, const MlirValue *results, const bool *reversed,
                           MlirValue *out_results);
// The body that is being built |depth| loops around the innermost one; null: there are no so many.
MlirBlock strata_build_open_body(const strata_builder_t *b, int depth);
// Forgets the loop and all that has been built since its beginning.
void strata_build_loop_cancel(strata_loop_builder_t *loop);

// An open loop: its first state is an i1 of rank 0, without which no iteration begins. |count|: the most iterations.
// Ended and cancelled as the other.
strata_loop_builder_t *strata_build_open_loop_begin(strata_builder_t *b, int64_t count, int n_states,
                                                    const MlirValue *states, MlirValue *out_args);
// Instead of its condition, a state that was taken away, |limit| ends it, an i64 of rank 0: no more iterations than
// that. Called last before the end.
void strata_build_loop_set_limit(strata_loop_builder_t *loop, MlirValue limit);
// Has all that the body computes stay in it, even what is the same in all iterations: it may never run.
void strata_build_loop_keep_all(strata_loop_builder_t *loop);
// Takes a state away, to which nothing in the body refers; if it is the first of an open loop, only |count| ends
// that, or a limit.
void strata_build_loop_drop_state(strata_loop_builder_t *loop, int index);
// True if |value|, of the body, has values that can be known here: it depends on constants and on states, of which
// |results| are the next, that do.
bool strata_build_loop_is_decided(strata_loop_builder_t *loop, const MlirValue *results, MlirValue value);

//===-- Constants ------------------------------------------------------------------------------------------------===//

// The bytes of a strata.constant in storage format: true if |value| is one. A splat of more than STRATA_FOLD_LIMIT
// elements gives one element and *out_is_splat. The memory belongs to the compile; it is never NULL, not even of no
// elements.
bool strata_constant_bytes(strata_compile_t *compile, MlirValue value, const void **out_data, bool *out_is_splat);
// True if |value| is a constant all of whose elements are |number|, as its type has it; of large ones the bytes are
// looked at.
bool strata_constant_is_filled(strata_compile_t *compile, MlirValue value, double number);
// A constant integer tensor as int64 (arena memory); false if it is not constant or not of integers.
bool strata_constant_i64s(strata_compile_t *compile, MlirValue value, int64_t **out_values, int64_t *out_count);
// A constant's elements as doubles; false if it is not constant.
bool strata_constant_f64s(strata_compile_t *compile, MlirValue value, double **out_values, int64_t *out_count);

// True if all elements of |value|, of f32, are known to be finite, as those of scaled integers are.
bool strata_is_number(strata_compile_t *compile, MlirValue value);

// Evaluates one primitive on constant operands (row-major storage format). Used for folding; the conformance tests use
// an independent reference instead. UNSUPPORTED where the evaluator has no rule (the op is then left in place).
STRATA_MUST_CHECK strata_status_t strata_evaluate(strata_compile_t *compile, MlirOperation op,
                                                  const void *const *operands, void *const *results);

// The sides of a box of strata.suppress: the low ones of two axes, then the high ones. What it says of one that it
// found.
enum { STRATA_BOX_LOW, STRATA_BOX_HIGH = 2, STRATA_BOX_SIDES = 4 };
enum { STRATA_BOX_IMAGE, STRATA_BOX_CLASS, STRATA_BOX_NUMBER, STRATA_BOX_FOUND };

// The numbers of a node of strata.trees, and how many they are; those of a root.
enum { STRATA_TREE_COLUMN, STRATA_TREE_CHILD, STRATA_TREE_LOW, STRATA_TREE_HIGH, STRATA_TREE_NODE };
enum { STRATA_TREE_ROOT, STRATA_TREE_STEPS, STRATA_TREE_ENTRY };
// That the nodes and roots of strata.trees are constants, and their numbers inside.
STRATA_MUST_CHECK strata_status_t strata_trees_check(strata_compile_t *compile, MlirOperation op);

//===-- Checking and expanding -----------------------------------------------------------------------------------===//

// Checks every strata op of the module beyond what IRDL can say: shapes, element types, attributes' values.
STRATA_MUST_CHECK strata_status_t strata_verify(strata_compile_t *compile);
// The same, and that all functions that are called are loops (dialects/counted_loop.h): of a module of the graph level.
STRATA_MUST_CHECK strata_status_t strata_verify_graph(strata_compile_t *compile);
// Replaces every composite op by primitives.
STRATA_MUST_CHECK strata_status_t strata_decompose(strata_compile_t *compile);
// Writes the reference of all ops and composites as Markdown (docs/ops.md).
void strata_print_ops_markdown(void (*write)(const char *text, void *user), void *user);

#endif
