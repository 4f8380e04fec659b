// Kernels with reductions that share their outer parallel dims, the *row dims*: softmax, norms, pooling.
//
// At each row (or each vector of rows) the reductions run one after the other, then the stored nests; what lies between
// is recomputed where it is read, or kept in scratch memory if it is dear and read more than once.
//
// Two forms. *Inner*: vectors along a reduced dim (rows contiguous in memory); partial results are one vector, combined
// at the end of the row. *Across*: vectors along a row dim (columns contiguous); one element a row, no combining.
#include "lowering/affine_to_tile/rows.h"

#include "dialects/affine/nest.h"
#include "dialects/integers.h"
#include "lowering/expand/combine.h"

//===-- Emitting -------------------------------------------------------------------------------------------------===//

void strata_rows_point(const strata_rows_t *rows, const strata_row_member_t *member, const MlirAffineExpr *inner,
                       MlirAffineExpr *out_point) {
  for (int dim = 0; dim < strata_nest_n_dims(member->nest); dim++)
    out_point[dim] = member->row_of[dim] == STRATA_NOT_A_ROW ? inner[dim] : rows->rows[member->row_of[dim]];
}

void strata_rows_finish(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member,
                        const strata_tile_value_t *results) {
  const strata_nest_t *nest = member->nest;
  MlirAffineExpr zero[STRATA_MAX_DIMS], point[STRATA_MAX_DIMS];
  for (int dim = 0; dim < STRATA_MAX_DIMS; dim++)
    zero[dim] = strata_tile_constant(b, 0);
  strata_rows_point(rows, member, zero, point);
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->loops[0]); i++)
    strata_tile_bind(b, &frame, mlirOperationGetResult(nest->loops[0], i), results[i]);
  strata_tile_finish(b, &frame);
}

strata_tile_value_t strata_rows_start(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point,
                                      int i, uint32_t dims) {
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  // Before the start values are what a bound is made of.
  intptr_t n_bounds = mlirOperationGetNumOperands(nest->loops[0]) - mlirOperationGetNumResults(nest->loops[0]);
  strata_tile_value_t start = strata_tile_evaluate(b, &frame, mlirOperationGetOperand(nest->loops[0], n_bounds + i));
  if (b->status)
    return start;
  return (strata_tile_value_t){strata_tile_broadcast(b, start, dims), dims};
}

// One step of a reduction at |point|: what the innermost loop yields, given what it carries. Of elements where a bound
// from |first_bound| on does not hold it is the neutral element.
static void emit_step(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point, int n_carried,
                      const MlirValue *carried, uint32_t dims, int first_bound, MlirValue *out_yields) {
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  for (int i = 0; i < n_carried; i++)
    strata_tile_bind(b, &frame, mlirBlockGetArgument(nest->inner, 1 + i), (strata_tile_value_t){carried[i], dims});
  if (first_bound < b->n_bounds) {
    MlirValue element = strata_row_combined(nest);
    strata_tile_value_t value = strata_tile_evaluate(b, &frame, element);
    strata_tile_bind(b, &frame, element, strata_rows_masked(b, nest, value, first_bound));
  }
  MlirOperation yield = mlirBlockGetTerminator(nest->inner);
  for (int i = 0; i < n_carried; i++) {
    strata_tile_value_t value = strata_tile_evaluate(b, &frame, mlirOperationGetOperand(yield, i));
    if (b->status)
      return;
    out_yields[i] = strata_tile_broadcast(b, value, dims);
  }
}

typedef struct {
  const strata_row_member_t *member;
  int n_carried;
  uint32_t dims;        // of the carried vectors
  int vector_dim;       // the reduction dim vectorized, -1 for none
  int64_t width;        // its tiles
  MlirAffineExpr start; // their first element
  bool hangs;           // some of a tile's elements may not be there
  MlirAffineExpr point[STRATA_MAX_DIMS];
} reduction_t;

static void reduction_body(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  reduction_t *r = user;
  const strata_nest_t *nest = r->member->nest;
  for (int dim = nest->n_parallel; dim < strata_nest_n_dims(nest); dim++) {
    r->point[dim] = counters[dim - nest->n_parallel];
    if (dim == r->vector_dim) {
      MlirAffineExpr base = strata_tile_scaled(b, r->point[dim], r->width, r->start);
      r->point[dim] = strata_tile_scaled(b, strata_tile_vector_dim(b, 0), 1, base);
    }
  }
  int n_bounds = b->n_bounds;
  if (r->hangs)
    strata_tile_bound(b, r->point[r->vector_dim], nest->space.sizes[r->vector_dim]);
  emit_step(b, nest, r->point, r->n_carried, carried, r->dims, n_bounds, carried);
  b->n_bounds = n_bounds;
}

static int64_t n_ops_of(MlirBlock block) {
  int64_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    count++;
  return count;
}

// Iterations of a thread's loop whose loads are on their way together: one that goes through a row alone waits for
// nobody but memory. Left alone LLVM takes up to four, of those that divide the trips; none where that is not known.
static int64_t unrolled(const strata_tile_builder_t *b, const reduction_t *r) {
  enum { LOADS = 64, OPS = 512 };
  const strata_nest_t *nest = r->member->nest;
  int64_t n_loads = 0;
  if (b->schedule.group != 1 || (r->dims && !strata_nest_sums_vary(nest)))
    return 1;
  for (int i = 0; i < nest->n_accesses; i++) {
    if (!mlirValueIsABlockArgument(nest->accesses[i].buffer) && !nest->accesses[i].is_store)
      return 1; // computed again in each iteration, by who knows how many ops
    n_loads += nest->accesses[i].is_store ? 0 : r->dims ? b->space.extents[0] : 1;
  }
  return strata_max(strata_min(LOADS / strata_max(n_loads, 1), OPS / n_ops_of(nest->inner)), 1);
}

static void guarded_loops(strata_tile_builder_t *b, reduction_t *r, strata_size_t n_tiles, MlirValue *carried) {
  const strata_nest_t *nest = r->member->nest;
  strata_size_t trips[STRATA_MAX_DIMS];
  for (int i = 0; i < nest->n_reduction; i++)
    trips[i] = nest->n_parallel + i == r->vector_dim ? n_tiles : nest->space.sizes[nest->n_parallel + i];
  strata_tile_carry_over(b, nest->n_reduction, trips, NULL, unrolled(b, r), r->n_carried, carried, reduction_body, r);
}

// The loops over the reduction dims, |n_tiles| of them along the vectorized one. Where what is reduced ends in the last
// of several parts, the others are gone through without asking for the end.
static void reduction_loops(strata_tile_builder_t *b, reduction_t *r, strata_size_t n_tiles, MlirValue *carried) {
  MlirValue is_whole = strata_tile_tails_hold(b, r->member->nest, r->point), whole[STRATA_TILE_CARRIED];
  MlirType types[STRATA_TILE_CARRIED];
  if (b->status || mlirValueIsNull(is_whole)) {
    guarded_loops(b, r, n_tiles, carried);
    return;
  }
  for (int i = 0; i < r->n_carried; i++) {
    whole[i] = carried[i];
    types[i] = mlirValueGetType(carried[i]);
  }
  const reduction_t before = *r;
  strata_tile_known_t *known = b->known;
  strata_loop_t branch = strata_emit_choice_begin(&b->e, is_whole, r->n_carried, types);
  b->tails_hold = true;
  guarded_loops(b, r, n_tiles, whole);
  b->tails_hold = false;
  b->known = known;
  if (b->status)
    return;
  strata_emit_choice_else(&b->e, branch, r->n_carried, whole);
  *r = before;
  guarded_loops(b, r, n_tiles, carried);
  b->known = known;
  if (!b->status)
    strata_emit_choice_end(&b->e, branch, r->n_carried, carried, carried);
}

static int n_carried_of(const strata_nest_t *nest) { return (int)mlirOperationGetNumResults(nest->loops[0]); }

// Across: one element of the carried vectors is one row; nothing to combine.
static void emit_reduction_across(strata_tile_builder_t *b, const strata_rows_t *rows,
                                  const strata_row_member_t *member) {
  reduction_t r = {.member = member, .n_carried = n_carried_of(member->nest), .vector_dim = -1};
  r.dims = b->space.extents[0] > 1 ? 1 : 0;
  MlirAffineExpr zero[STRATA_MAX_DIMS];
  for (int dim = 0; dim < STRATA_MAX_DIMS; dim++)
    zero[dim] = strata_tile_constant(b, 0);
  strata_rows_point(rows, member, zero, r.point);
  MlirValue carried[STRATA_TILE_CARRIED];
  strata_tile_value_t results[STRATA_TILE_CARRIED];
  for (int i = 0; i < r.n_carried && !b->status; i++)
    carried[i] = strata_rows_start(b, member->nest, r.point, i, r.dims).value;
  reduction_loops(b, &r, strata_size_constant(1), carried);
  for (int i = 0; i < r.n_carried; i++)
    results[i] = (strata_tile_value_t){carried[i], r.dims};
  if (!b->status)
    strata_rows_finish(b, rows, member, results);
}

MlirValue strata_rows_combine(strata_tile_builder_t *b, const char *kind, MlirValue vector, MlirValue start) {
  int64_t dims[STRATA_TILE_RANK];
  MlirType kept = mlirValueGetType(start);
  int first = mlirTypeIsAVector(kept) ? (int)mlirShapedTypeGetRank(kept) : 0;
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(vector)) - first;
  for (int dim = 0; dim < rank; dim++)
    dims[dim] = first + dim;
  strata_named_attr_t attrs[] = {
      {"kind", strata_combining_attr(b->e.context, kind)},
      {"reduction_dims", strata_i64s_attr(b->e.context, rank, dims)},
  };
  MlirValue operands[2] = {vector, start};
  return strata_emit_value(&b->e, "vector.multi_reduction", 2, operands, kept, 2, attrs);
}

// The reduction dim along which the reads are contiguous; the longest on a tie.
static int inner_vector_dim(const strata_nest_t *nest) {
  int best = nest->n_parallel, best_score = -1;
  for (int dim = nest->n_parallel; dim < strata_nest_n_dims(nest); dim++) {
    int score = !strata_size_is_one(nest->space.sizes[dim]);
    for (int i = 0; i < nest->n_accesses; i++) {
      int64_t stride;
      if (!nest->accesses[i].is_store && strata_access_stride(nest, &nest->accesses[i], dim, &stride))
        score += 2 * (stride == 1);
    }
    if (score > best_score ||
        (score == best_score && strata_nest_likely_extent(nest, dim) > strata_nest_likely_extent(nest, best))) {
      best = dim;
      best_score = score;
    }
  }
  return best;
}

// Where the length varies what tiles leave is done by smaller ones: the first element of a part, and how many tiles of
// |width| it has, behind those of |larger|; 0: there are none.
static void find_part(strata_tile_builder_t *b, strata_size_t size, int64_t larger, int64_t width,
                      MlirAffineExpr *out_start, strata_size_t *out_n_tiles) {
  MlirAffineExpr rest = size.expr, zero = strata_tile_constant(b, 0), by = strata_tile_constant(b, larger);
  *out_start = larger ? mlirAffineMulExprGet(mlirAffineFloorDivExprGet(size.expr, by), by) : zero;
  if (larger)
    rest = mlirAffineModExprGet(rest, by);
  *out_n_tiles = strata_size_of_expr(&b->sizes, mlirAffineFloorDivExprGet(rest, strata_tile_constant(b, width)));
}

// Widths of the parts of a reduction along |size|: of full tiles, then of what they leave.
static int part_widths(strata_tile_builder_t *b, strata_size_t size, int64_t *out_widths) {
  int64_t full = strata_tile_width_of(b, size), extent;
  if (!strata_size_is_constant(size, &extent))
    return strata_tile_widths(full, out_widths);
  out_widths[0] = full;
  out_widths[1] = extent % full;
  return out_widths[1] ? 2 : 1;
}

// |n_tiles| tiles on top of |result|.
static MlirValue reduce_part(strata_tile_builder_t *b, reduction_t *r, strata_size_t n_tiles, const char *kind,
                             MlirValue result) {
  MlirValue carried = r->dims ? strata_rows_start(b, r->member->nest, r->point, 0, r->dims).value : result;
  reduction_loops(b, r, n_tiles, &carried);
  if (b->status)
    return result;
  return r->dims ? strata_rows_combine(b, kind, carried, result) : carried;
}

// The same as a loop of at most one iteration: elements of a vector that nothing was added to are not combined.
static MlirValue part_if_any(strata_tile_builder_t *b, reduction_t *r, strata_size_t n_tiles, const char *kind,
                             MlirValue result) {
  MlirValue inside, operands[] = {strata_tile_size(b, n_tiles), strata_emit_index(&b->e, 1)};
  MlirValue end = strata_emit_value(&b->e, "arith.minui", 2, operands, mlirIndexTypeGet(b->e.context), 0, NULL);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), end, 1, 1, &result, &inside);
  inside = reduce_part(b, r, n_tiles, kind, inside);
  if (!b->status)
    strata_emit_for_end(&b->e, loop, 1, &inside, &result);
  return result;
}

// The same on a GPU, where the tail is one more tile, masked.
static void reduce_tiles(strata_tile_builder_t *b, reduction_t *r, const char *kind, MlirValue *result) {
  const strata_nest_t *nest = r->member->nest;
  strata_size_t size = nest->space.sizes[r->vector_dim];
  b->space.n_vector = 1;
  b->space.extents[0] = r->width;
  r->dims = r->width > 1 ? 1 : 0;
  strata_tile_known_t *known = b->known;
  MlirValue carried = r->dims ? strata_rows_start(b, nest, r->point, 0, r->dims).value : *result;
  for (int part = 0; part < (strata_size_divides(r->width, size) ? 1 : 2) && !b->status; part++) {
    strata_size_t n_tiles = strata_tile_parts(b, size, r->width, part, &r->start);
    r->hangs = part == 1;
    reduction_loops(b, r, n_tiles, &carried);
    b->known = known;
  }
  if (!b->status)
    *result = r->dims ? strata_rows_combine(b, kind, carried, *result) : carried;
  b->space.n_vector = 0;
}

// Inner: full tiles, then the tail, each into vectors of their own size; then their elements.
static void emit_reduction_inner(strata_tile_builder_t *b, const strata_rows_t *rows,
                                 const strata_row_member_t *member) {
  const strata_nest_t *nest = member->nest;
  const char *kind = strata_row_combining_kind(nest);
  if (!kind) {
    strata_tile_fail(b, "affine-to-tile: a reduction that is no plain combination");
    return;
  }
  reduction_t r = {.member = member, .n_carried = 1, .vector_dim = inner_vector_dim(nest)};
  strata_size_t size = nest->space.sizes[r.vector_dim];
  int64_t widths[STRATA_TILE_WIDTHS], extent;
  int n_parts = part_widths(b, size, widths);
  bool varies = !strata_size_is_constant(size, &extent);
  MlirAffineExpr zero[STRATA_MAX_DIMS];
  for (int dim = 0; dim < STRATA_MAX_DIMS; dim++)
    zero[dim] = strata_tile_constant(b, 0);
  strata_rows_point(rows, member, zero, r.point);
  MlirValue result = strata_rows_start(b, nest, r.point, 0, 0).value;
  r.width = widths[0];
  bool is_masked = varies && b->schedule.group;
  if (is_masked)
    reduce_tiles(b, &r, kind, &result);
  for (int part = 0; part < n_parts && !is_masked && !b->status; part++) {
    r.width = widths[part];
    strata_size_t n_tiles = strata_size_constant(part == 0 ? extent / r.width : 1);
    r.start = strata_tile_constant(b, part == 0 ? 0 : extent - r.width);
    if (varies)
      find_part(b, size, part ? widths[part - 1] : 0, r.width, &r.start, &n_tiles);
    b->space.n_vector = 1;
    b->space.extents[0] = r.width;
    r.dims = r.width > 1 ? 1 : 0;
    strata_tile_known_t *known = b->known;
    result = varies && r.dims ? part_if_any(b, &r, n_tiles, kind, result) : reduce_part(b, &r, n_tiles, kind, result);
    b->known = known;
    b->space.n_vector = 0;
  }
  if (!b->status)
    strata_rows_finish(b, rows, member, &(strata_tile_value_t){result, 0});
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

// Scratch of a group of threads would be a buffer between them: there it is cheaper to compute twice.
static bool keeps(const strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member) {
  return rows->of.across == STRATA_NOT_A_ROW && member->is_tied && !b->schedule.group;
}

// The row dim along which a task has several rows: of the inner form only where the schedule says so.
static int vector_row(const strata_tile_builder_t *b, const strata_rows_t *rows) {
  return b->schedule.n_tile == 2 ? rows->of.crossed : rows->of.across;
}

static void emit_in_loops(strata_tile_builder_t *b, const strata_rows_t *rows) {
  strata_tile_moved_t *moved = b->moved;
  int n_vector = b->space.n_vector;
  for (int i = 0; i < rows->of.kernel->n_nests && !b->status; i++) {
    const strata_row_member_t *member = &rows->of.members[i];
    if (member->nest->n_reduction && rows->of.across == STRATA_NOT_A_ROW)
      emit_reduction_inner(b, rows, member);
    else if (member->nest->n_reduction)
      emit_reduction_across(b, rows, member);
    else if (member->takes_part)
      strata_rows_nest(b, rows, member);
    else if (keeps(b, rows, member))
      strata_rows_keep(b, rows, member);
  }
  b->space.n_vector = n_vector;
  b->moved = moved;
}

// As a whole, where the length lets a group hold it.
static void emit_held(strata_tile_builder_t *b, const strata_rows_t *rows) {
  MlirValue are_held = strata_rows_are_held(b, rows);
  if (mlirValueIsNull(are_held)) {
    strata_rows_block(b, rows);
    return;
  }
  strata_tile_known_t *known = b->known;
  strata_loop_t branch = strata_emit_if_begin(&b->e, are_held);
  strata_rows_block(b, rows);
  b->known = known;
  strata_emit_if_else(&b->e, branch);
  if (!b->status)
    emit_in_loops(b, rows);
  b->known = known;
  strata_emit_if_end(&b->e, branch);
}

static void row_body(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector, void *user) {
  strata_rows_t *rows = user;
  int along = vector_row(b, rows);
  for (int row = 0, n = 0; row < rows->of.n_rows; row++)
    rows->rows[row] = row == along ? vector : outer[n++];
  rows->block = along == rows->of.across ? 1 : b->space.extents[0];
  rows->n_bounds = b->n_bounds;
  if (b->schedule.group && strata_row_kernel_fits(&rows->of, b->schedule.tile[0]))
    emit_held(b, rows);
  else
    emit_in_loops(b, rows);
}

strata_status_t strata_tile_rows(strata_tile_builder_t *b) {
  strata_rows_t rows = {0};
  STRATA_TRY(strata_row_kernel_read(b->kernel, &rows.of));
  strata_size_t outer[STRATA_MAX_DIMS];
  int64_t work = 0;
  for (int i = 0; i < b->kernel->n_nests; i++)
    if (rows.of.members[i].takes_part)
      work += strata_row_inner_elements(&rows.of.members[i]);
  strata_tile_walk_t walk = {.outer = outer, .vector = strata_size_constant(1), .tile = 1, .work = work};
  int along = vector_row(b, &rows);
  for (int row = 0; row < rows.of.n_rows; row++)
    if (row != along)
      outer[walk.n_outer++] = rows.of.sizes[row];
  if (along != STRATA_NOT_A_ROW) {
    walk.vector = rows.of.sizes[along];
    walk.tile = b->schedule.n_tile == 2 ? b->schedule.tile[1] : strata_tile_width_of(b, walk.vector);
    walk.work *= strata_size_likely(&b->sizes, walk.vector);
  }
  strata_tile_walk(b, &walk, row_body, &rows);
  return b->status;
}
