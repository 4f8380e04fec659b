// strata-to-affine, what its files share: tensors and where their elements are, the nest being built, scalar code.
//
// A tensor value is a view: element (c...) lies at buffer[map(c...)], or is the same everywhere (a splat). Reshape,
// transpose, slice and broadcast make views and no code. Every other op is a function of its kind (kinds.h) that builds
// one or more nests into the new @main. Buffers come into being when a nest first touches them.
#ifndef STRATA_LOWERING_STRATA_TO_AFFINE_LOWER_H
#define STRATA_LOWERING_STRATA_TO_AFFINE_LOWER_H

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "dialects/strata/strata.h"
#include "lowering/emit/emit.h"

enum { STRATA__MAX_SYMBOLS = 64 }; // that one map uses

//===-- Tensors --------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_type_t type;
  int rank;
  const strata_size_t *sizes;
  MlirValue memref;   // null until it is needed
  const char *symbol; // of its memref.global; NULL: memref.alloc
  MlirLocation location;
} strata__buffer_t;

// An order of a value's elements: that of a view of it, and the maps from that view's coordinates to its own, and back.
typedef struct {
  const struct strata__tensor *shape;
  MlirAffineMap map, inverse;
} strata__order_t;

typedef struct strata__tensor {
  strata_type_t type;
  int rank;
  const strata_size_t *sizes;
  strata__buffer_t *buffer; // NULL: a splat, or not placed yet
  MlirAffineMap map;        // coordinates -> those of the buffer
  MlirAttribute splat;      // a number of the element type, or null
  strata__order_t order;    // in which to compute it, where that is not its own
  bool is_live;             // something depends on it
} strata__tensor_t;

// The table of tiles of rows of sequences (segment_tiles.c): equal ones are made once.
typedef struct {
  const strata__tensor_t *offsets, *key_offsets;
  strata_size_t total, n_keys; // rows and keys of all sequences
  int64_t rows;                // of a tile, at most
  bool is_causal;
  bool is_by_row;      // tile i begins at row i, or has no rows; unordered
  bool is_by_sequence; // sequences of most keys first, each with all its tiles
  const strata__tensor_t *table;
} strata__segment_tiles_t;

typedef struct {
  strata_compile_t *compile;
  MlirContext context;
  MlirOperation main; // the old function, on tensors: @main, or the body of a loop
  MlirBlock body;     // of the new one
  strata_size_symbols_t symbols;
  strata_loop_table_t loops;
  strata_pointer_map_t tensor_index, constant_index;
  strata_pointer_map_t concats; // by concat op: strata__concat_plan_t
  strata_pointer_map_t sliced;  // by constant op: 1, small slices of it are all that is read; -1, they are not
  STRATA_VECTOR(strata__tensor_t *) tensors;
  STRATA_VECTOR(strata__buffer_t *) constants;
  STRATA_VECTOR(strata__segment_tiles_t) segment_tiles;
  MlirAttribute fast_math;             // of arithmetic; null: off
  MlirAttribute fast_math_of_products; // in contractions
  MlirAttribute fast_math_of_shifts;   // of sums with a constant
  MlirAttribute fast_math_of_decided;  // of what is made of an exact quotient
} strata__lowering_t;

strata__tensor_t *strata__tensor(strata__lowering_t *l, MlirValue value);
strata__tensor_t *strata__operand(strata__lowering_t *l, MlirOperation op, int index);
strata__tensor_t *strata__result(strata__lowering_t *l, MlirOperation op, int index);
bool strata__is_empty(const strata__tensor_t *tensor); // has no elements

// How a concat is done: bits.
typedef enum {
  STRATA__CONCAT_LHS_IN_PLACE = 1, // that operand is computed into its part of the result; else it is copied there
  STRATA__CONCAT_RHS_IN_PLACE = 2,
  STRATA__CONCAT_PIECES = 4, // one nest reads both
} strata__concat_plan_t;

//===-- Views and places (views.c, place.c, order.c) -------------------------------------------------------------===//

strata__buffer_t *strata__new_buffer(strata__lowering_t *l, strata_type_t type, int rank, const strata_size_t *sizes,
                                     MlirLocation location);
// The memref of a buffer: made at its first use. The storage type of i1 is i8; i4 are packed two to an i8.
MlirValue strata__memref(strata__lowering_t *l, strata__buffer_t *buffer);
MlirType strata__memref_type(MlirContext context, strata_type_t type, int rank, const strata_size_t *sizes);

// A place of its own for a tensor that has none yet.
void strata__place_anywhere(strata__lowering_t *l, strata__tensor_t *tensor, MlirLocation location);

bool strata__is_view_op(strata_op_id_t id);
// Makes the result of a view op a view of its operand.
void strata__define_view(strata__lowering_t *l, MlirOperation op);
// True of an implied conversion from a 16-bit float that its readers do anyway when they load an element to compute
// with it; its result then is what it widens, of the narrow type.
bool strata__is_widened_on_reading(strata__lowering_t *l, MlirOperation op);
void strata__define_widened(strata__lowering_t *l, MlirOperation op);
// Coordinates of a view op's result -> those of its operand.
MlirAffineMap strata__view_map(strata__lowering_t *l, MlirOperation op);
// The other direction, for ops that only rename elements; the null map for slice and broadcast.
MlirAffineMap strata__view_inverse(strata__lowering_t *l, MlirOperation op);
// The space of a tensor's coordinates, or of a buffer's; of the dims of a nest.
#define STRATA__SPACE_OF(l, n, extent)                                                                                 \
  (&(const strata_space_t){                                                                                            \
      .n_dims = (n), .sizes = (extent), .n_symbols = (l)->symbols.count, .symbols = (l)->symbols.sizes})
#define STRATA__SPACE(l, of) STRATA__SPACE_OF(l, (of)->rank, (of)->sizes)
#define STRATA__NEST_SPACE(nest) STRATA__SPACE_OF((nest)->lowering, (nest)->n_dims, (nest)->extents)

// A map over |n_dims| dims and the module's symbols.
MlirAffineMap strata__map(const strata__lowering_t *l, int n_dims, int n, const MlirAffineExpr *results);
// |map| over those of the module's symbols that it uses, whose values join the |*n| operands.
MlirAffineMap strata__bind_symbols(strata__lowering_t *l, MlirAffineMap map, MlirValue *operands, int *n);
// Places simplified, as far as the sizes are known.
MlirAffineMap strata__simplify_places(strata__lowering_t *l, MlirAffineMap map, const strata__buffer_t *buffer,
                                      const strata__tensor_t *tensor);
// The number of elements.
strata_size_t strata__count(int rank, const strata_size_t *sizes);
// An attribute that is numbers, or a map of symbols where one of them is not known; returns how many.
int strata__dims_attr(const strata__lowering_t *l, MlirOperation op, const char *name, strata_size_t *out);

// Coordinates of a tensor of |sizes| -> those of one with as many elements, in row-major order.
MlirAffineMap strata__reshape_map(strata__lowering_t *l, int rank, const strata_size_t *sizes, int to_rank,
                                  const strata_size_t *to_sizes);

// Decides what is live and where values are computed to, last op first: the operands of |results| (the return) into
// |outputs|, those of a concat into the parts of its result. *out_copied[i]: result i must be copied there instead.
void strata__place_all(strata__lowering_t *l, MlirBlock graph, strata__tensor_t *const *outputs, bool *out_copied);
// True if the row-major position in a buffer of |sizes| of an element is a sum of its coordinates with constant
// coefficients.
bool strata__is_linear(strata__lowering_t *l, const strata__tensor_t *tensor, const strata_size_t *sizes,
                       MlirAffineMap map);
// Where views between what is computed and |value|, which is stored at |map| in a buffer of |sizes|, cut dims into
// parts that then lie apart (heads of attention): the order of the outermost view, whose own stores are simple; of
// contracts and their epilogues that of the first in which what is computed is simple as well, so that rows and columns
// stay dims.
strata__order_t strata__order_to_store(strata__lowering_t *l, MlirValue value, const strata_size_t *sizes,
                                       MlirAffineMap map);
// Has what a contract and its epilogue consist of computed in one order, where views lie between. |ops| are the
// graph's.
void strata__pass_on_orders(strata__lowering_t *l, size_t n, const MlirOperation *ops);
// The same for the indices of a gather: what computes them is done where they are read, unless others read them
// (indices.c).
void strata__mark_index_live(strata__lowering_t *l, MlirValue value);
// Coordinates of operand |index| of a concat -> those of the result.
MlirAffineMap strata__concat_map(strata__lowering_t *l, MlirOperation op, int index);

// Coordinates of a tensor of |sizes| -> those of one with as many elements, where some sizes vary (reshape.c).
MlirAffineMap strata__reshape_by_groups(strata__lowering_t *l, int rank, const strata_size_t *sizes, int to_rank,
                                        const strata_size_t *to_sizes);

//===-- Nests (nest.c) -------------------------------------------------------------------------------------------===//

typedef struct {
  MlirOperation op;
  MlirBlock outer;
} strata__loop_t;

typedef struct {
  strata__lowering_t *lowering;
  strata_emitter_t e; // inside the nest
  const char *name;
  MlirAttribute fast_math; // null: off
  bool is_number;          // what is converted is never NaN
  bool is_serial;
  int64_t tile_rows;      // STRATA_SEGMENT_TILE_ATTR; 0: it reads no table of tiles
  int n_parallel, n_dims; // n_dims: those in scope, parallel ones first
  strata_size_t extents[STRATA_MAX_DIMS];
  MlirValue dims[STRATA_MAX_DIMS];
  MlirBlock body;    // of the affine.parallel
  int n_outer_loops; // loops around everything, where the elements of the result share bytes
  strata__loop_t outer_loops[STRATA_MAX_RANK];
} strata__nest_t;

// Starts a nest over |sizes|, at the location of |source|. Rank 0 has one dim of extent 1.
void strata__nest_begin(strata__lowering_t *l, strata__nest_t *nest, MlirOperation source, const char *name, int rank,
                        const strata_size_t *sizes);
// Starts the nest that computes |tensor|, one point an element, in the order it is stored; *out_point gets the
// coordinates of the element. Elements that share bytes are done by one task. Nothing may be placed in between.
void strata__nest_begin_for(strata__lowering_t *l, strata__nest_t *nest, MlirOperation source, const char *name,
                            const strata__tensor_t *tensor, MlirAffineExpr *out_point);
void strata__nest_end(strata__nest_t *nest);

// An affine.for over a new dim of the nest, carrying values.
strata__loop_t strata__for_begin(strata__nest_t *nest, strata_size_t extent, int n_inits, const MlirValue *inits,
                                 MlirValue *out_args);
void strata__for_end(strata__nest_t *nest, strata__loop_t loop, int n_yields, const MlirValue *yields,
                     MlirValue *out_results);

// A reduction: the loops over |n| dims (those of extent 1 are no loop) around one combination.
typedef struct {
  int n_loops;
  strata__loop_t loops[STRATA_MAX_RANK];
  MlirAffineExpr dims[STRATA_MAX_RANK]; // the coordinate of each of the |n| dims: a dim of the nest, or 0
  MlirValue accumulator;                // inside the innermost loop
} strata__reduction_t;
void strata__reduction_begin(strata__nest_t *nest, strata__reduction_t *reduction, int n, const strata_size_t *extents,
                             MlirValue neutral);
// Returns what the loops accumulate to.
MlirValue strata__reduction_end(strata__nest_t *nest, strata__reduction_t *reduction, MlirValue value);

MlirAffineExpr strata__dim(const strata__nest_t *nest, int index);
MlirAffineExpr strata__constant(const strata__nest_t *nest, int64_t value);
// expr * scale + offset
MlirAffineExpr strata__linear(const strata__nest_t *nest, MlirAffineExpr expr, int64_t scale, int64_t offset);
// expr + size; expr - size.
MlirAffineExpr strata__plus(const strata__nest_t *nest, MlirAffineExpr expr, strata_size_t size);
MlirAffineExpr strata__minus(const strata__nest_t *nest, MlirAffineExpr expr, strata_size_t size);
// A size as an index value.
MlirValue strata__size(strata__nest_t *nest, strata_size_t size);
// An expression over the dims in scope as an index value.
MlirValue strata__index_of(strata__nest_t *nest, MlirAffineExpr expr);
// The results of |map| with its dims replaced by expressions.
void strata__substitute(const strata__nest_t *nest, MlirAffineMap map, const MlirAffineExpr *dims,
                        MlirAffineExpr *out_results);

// Coordinates are arrays of expressions over the dims in scope, one a dim of the tensor.

//===-- Elements (element.c) -------------------------------------------------------------------------------------===//

// An element of |tensor| as it is stored (i1 as i1, i4 as i8).
MlirValue strata__load_raw(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates);
// The same where the coordinates may fall outside: then |outside|, a number of the element type.
MlirValue strata__load_or(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates,
                          MlirAttribute outside);
// The element of whichever of |n| tensors has it: that at coordinates[i] of tensor i where these are inside.
MlirValue strata__load_pieces(strata__nest_t *nest, int n, const strata__tensor_t *const *tensors,
                              const MlirAffineExpr *const *coordinates);
// An element of the indices of a gather.
MlirValue strata__index_value(strata__nest_t *nest, MlirValue indices, const MlirAffineExpr *coordinates);
// An element at coordinates that are any index values.
MlirValue strata__load_at(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirValue *coordinates);
void strata__store_at(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirValue *coordinates,
                      MlirValue value);
// An element in the type arithmetic runs in.
MlirValue strata__load(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates);
MlirValue strata__to_math(strata__nest_t *nest, strata_type_t type, MlirValue raw);
MlirType strata__math_type(MlirContext context, strata_type_t type);
// Stores |value|, in math or in stored form.
void strata__store(strata__nest_t *nest, const strata__tensor_t *tensor, const MlirAffineExpr *coordinates,
                   MlirValue value);

//===-- Scalar code (body.c) -------------------------------------------------------------------------------------===//

MlirValue strata__float_constant(strata__nest_t *nest, MlirType type, double value);
MlirValue strata__int_constant(strata__nest_t *nest, MlirType type, int64_t value);
MlirValue strata__unary(strata__nest_t *nest, const char *op, MlirValue x);
MlirValue strata__binary(strata__nest_t *nest, const char *op, MlirValue x, MlirValue y);
MlirValue strata__compare(strata__nest_t *nest, const char *predicate, MlirValue x, MlirValue y);
MlirValue strata__select(strata__nest_t *nest, MlirValue condition, MlirValue x, MlirValue y);
// An f32 as an i32 with its order; -0 is 0, and NaN anything.
MlirValue strata__ordered_bits(strata__nest_t *nest, MlirValue x);
MlirValue strata__cast(strata__nest_t *nest, const char *op, MlirValue x, MlirType type);
MlirValue strata__to_index(strata__nest_t *nest, MlirValue x); // of an integer

// The body of an elementwise op on operands of type |from| in math form; the result is of type |to|, in either form.
MlirValue strata__body(strata__nest_t *nest, strata_op_id_t id, strata_type_t from, strata_type_t to,
                       const MlirValue *operands);
// combine(x, y), and the value that changes nothing, in math form.
MlirValue strata__combine(strata__nest_t *nest, strata_combiner_t combiner, MlirValue x, MlirValue y);
MlirAttribute strata__neutral(strata_combiner_t combiner, MlirType type);
MlirValue strata__neutral_value(strata__nest_t *nest, strata_combiner_t combiner, MlirType type);

//===-- One function a kind --------------------------------------------------------------------------------------===//

STRATA_MUST_CHECK strata_status_t strata__lower_elementwise(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_reduce(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_arg_reduce(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_scan(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_sort(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_window(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_contract(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_block(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_movement(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_gather(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_scatter(strata__lowering_t *l, MlirOperation op);
// The table for what |tiles| says, made in front of |op| unless there is one.
const strata__tensor_t *strata__segment_tiles(strata__lowering_t *l, MlirOperation op, strata__segment_tiles_t tiles);
STRATA_MUST_CHECK strata_status_t strata__lower_segment(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_trees(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_suppress(strata__lowering_t *l, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata__lower_generate(strata__lowering_t *l, MlirOperation op);
// A call of a loop (dialects/counted_loop.h).
STRATA_MUST_CHECK strata_status_t strata__lower_loop(strata__lowering_t *l, MlirOperation call);

// A nest that copies |from| to |to|, a tensor of the same shape with a place. For concat and function results.
void strata__copy(strata__lowering_t *l, MlirOperation source, const strata__tensor_t *from,
                  const strata__tensor_t *to);

#endif
