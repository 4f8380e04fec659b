// The maps of what bulk.c reads, and copies by them.
#include "lowering/tile_to_gpu/bulk.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/bulk_split.h"
#include "lowering/tile_to_gpu/values.h"

enum { RANK = 2, NO_DIM = STRATA_BULK_NO_DIM };

//===-- Maps -----------------------------------------------------------------------------------------------------===//

// Extents of a copy and its steps: channels and pixels of a window, else those of a box.
static void find_box(const strata_bulk_t *bulk, int64_t span, int64_t *box, int64_t *steps) {
  int64_t offsets[RANK] = {0}, bytes = strata_bulk_element_bytes(bulk);
  const strata_bulk_window_t *window = &bulk->window;
  for (int i = 0; i < bulk->rank; i++) {
    steps[i] = i > 0 && i <= window->n_dims ? window->steps[i - 1] : 1;
    box[i] = i == 1 && window->n_dims ? bulk->extents[0] : 1;
    for (int v = 0; v < RANK && !window->n_dims; v++)
      if (strata_bulk_carrier(bulk, v, offsets) == bulk->dims[i])
        box[i] = v == bulk->inner ? span / bytes : bulk->extents[v];
  }
  if (window->n_dims)
    box[0] = span / bytes;
}

// Numbers, or a map of the module's symbols.
static MlirAttribute sizes_attr(MlirContext context, int count, const strata_size_t *sizes) {
  int64_t numbers[STRATA_BULK_RANK];
  MlirAffineExpr exprs[STRATA_BULK_RANK];
  for (int i = 0; i < count; i++) {
    strata_size_is_constant(sizes[i], &numbers[i]);
    exprs[i] = strata_size_expr(context, sizes[i]);
  }
  return strata_sizes_vary(count, sizes) ? mlirAffineMapAttrGet(strata_exprs_map(context, count, exprs))
                                         : strata_i64s_attr(context, count, numbers);
}

// Of the buffer along dim |i| of the map.
static strata_size_t map_size(const strata_bulk_t *bulk, int i) {
  if (strata_bulk_is_of_pages(bulk, bulk->dims[i]))
    return strata_size_of_expr(&bulk->box.space.d->sizes, strata_type_dim(mlirValueGetType(bulk->buffer), 0));
  return bulk->dims[i] < 0 ? strata_size_constant(1) : strata_bulk_end(bulk, i);
}

enum { ROWS = 0 }; // the vector's dim that clipped boxes have all of

// The map's dim that rows run along: of windows pixels; 0: none.
static int rows_dim(const strata_bulk_t *bulk) {
  const int64_t none[RANK] = {0};
  if (bulk->inner == ROWS || bulk->extents[ROWS] != bulk->box.space.extents[ROWS])
    return 0;
  if (bulk->window.n_dims)
    return bulk->window.n_rows ? 1 : 0;
  int dim = strata_bulk_carrier(bulk, ROWS, none);
  for (int i = 1; i < bulk->rank; i++)
    if (dim != NO_DIM && bulk->dims[i] == dim)
      return i;
  return 0;
}

// Of a load, along dim |i| of its map.
static strata_size_t rows_along(const strata_bulk_t *bulk, int i) {
  return bulk->window.n_dims ? strata_size_constant(bulk->window.n_rows) : map_size(bulk, i);
}

// The number of the first row of the box at |offsets|.
static MlirAffineExpr first_row(const strata_bulk_t *bulk, int i, const int64_t *offsets) {
  return bulk->window.n_dims ? bulk->window.row
                             : strata_bulk_at(bulk, bulk->box.coordinates[bulk->dims[i]], offsets, false);
}

bool strata_bulk_count_rows(const strata_bulk_t *bulk, strata_size_t *out_rows) {
  const int64_t none[RANK] = {0};
  int dim = rows_dim(bulk);
  if (!dim)
    return false;
  MlirAffineExpr first = first_row(bulk, dim, none);
  *out_rows = rows_along(bulk, dim);
  return strata_index_is_nonnegative(&bulk->box.space, first) &&
         strata_index_is_multiple(&bulk->box.space, first, bulk->extents[ROWS]);
}

void strata_bulk_clip(strata_bulk_t *bulk, bool may_miss) {
  int64_t rows, dim = rows_dim(bulk);
  bool is_one = strata_size_is_constant(rows_along(bulk, (int)dim), &rows) && rows < bulk->extents[ROWS];
  if (is_one && !may_miss) {
    bulk->box.space.extents[ROWS] = bulk->extents[ROWS] = rows;
    return;
  }
  bulk->clipped = (int)dim;
  bulk->may_miss = may_miss;
}

// How many rows there are from the beginning of the box at |offsets| on: none, or less, behind the buffer's end.
static MlirValue rows_left(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets) {
  strata_index_space_t space = bulk->box.space;
  MlirValue first = strata_index_emit(&space, first_row(bulk, bulk->clipped, offsets));
  return strata_emit_binary(&d->e, "arith.subi", strata_gpu_emit_size(d, rows_along(bulk, bulk->clipped)), first);
}

MlirValue strata_bulk_rows(strata_gpu_distribution_t *d, const strata_bulk_t *bulk) {
  const int64_t none[RANK] = {0};
  MlirValue rows = strata_emit_with(&d->e, "arith.minsi", rows_left(d, bulk, none), bulk->extents[ROWS]);
  return bulk->may_miss ? strata_emit_with(&d->e, "arith.maxsi", rows, 0) : rows;
}

// Instead of the number of the map of whole boxes whose last one a map is of.
enum { WHOLE_BOXES = -1, ONLY_BOX = -2 };

// |whole|: such a number. Of a known number of rows the last box is one like others.
static MlirAttribute map_of(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, int64_t span, int64_t whole) {
  MlirContext context = d->e.context;
  int64_t box[STRATA_BULK_RANK], steps[STRATA_BULK_RANK];
  strata_size_t sizes[STRATA_BULK_RANK], strides[STRATA_BULK_RANK];
  const strata_bulk_window_t *window = &bulk->window;
  int64_t rows;
  bool is_last = whole != WHOLE_BOXES,
       is_known = is_last && strata_size_is_constant(rows_along(bulk, bulk->clipped), &rows);
  find_box(bulk, span, box, steps);
  if (is_known)
    box[bulk->clipped] = (rows - 1) % box[bulk->clipped] + 1;
  for (int i = 0; i < bulk->rank; i++) {
    sizes[i] = map_size(bulk, i);
    strides[i] = strata_size_constant(strata_bulk_element_bytes(bulk));
    for (int dim = bulk->dims[i] + 1; dim < bulk->box.rank; dim++)
      strides[i] = strata_size_product(strides[i], bulk->box.sizes[dim]);
  }
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(bulk->buffer));
  bool is_tf32 = mlirTypeIsAF32(element) && !bulk->is_store && !bulk->is_dense &&
                 !bulk->is_exact; // a matrix instruction's operand
  MlirAttribute type = mlirTypeAttrGet(is_tf32 ? mlirTF32TypeGet(context) : element);
  MlirNamedAttribute entries[12];
  intptr_t n = 0;
#define ENTRY(key, attr) entries[n++] = (MlirNamedAttribute){mlirIdentifierGet(context, strata_str(key)), attr}
  ENTRY("buffer", strata_i64_attr(context, mlirBlockArgumentGetArgNumber(bulk->buffer)));
  ENTRY("type", type);
  ENTRY("sizes", sizes_attr(context, bulk->rank, sizes));
  ENTRY("strides", sizes_attr(context, bulk->rank - 1, strides + 1));
  ENTRY("box", strata_i64s_attr(context, bulk->rank, box));
  ENTRY("steps", strata_i64s_attr(context, bulk->rank, steps));
  ENTRY("swizzle", strata_i64_attr(context, bulk->is_dense ? 0 : span));
  if (window->n_dims) {
    ENTRY("lower", strata_i64s_attr(context, window->n_dims, window->lower));
    ENTRY("upper", strata_i64s_attr(context, window->n_dims, window->upper));
  }
  if (is_last && !is_known)
    ENTRY("clipped", strata_i64_attr(context, bulk->clipped));
  if (whole >= 0 && !is_known)
    ENTRY("whole", strata_i64_attr(context, whole));
  if (bulk->reads_ahead)
    ENTRY("ahead", mlirUnitAttrGet(context));
#undef ENTRY
  return mlirDictionaryAttrGet(context, n, entries);
}

static int64_t number_of_map(strata_gpu_distribution_t *d, MlirAttribute map) {
  for (size_t i = 0; i < d->maps.count; i++)
    if (mlirAttributeEqual(d->maps.data[i], map))
      return (int64_t)i;
  *strata_vector_push(d->compile->arena, &d->maps) = map;
  return (int64_t)d->maps.count - 1;
}

int64_t strata_bulk_map(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, int64_t span) {
  return number_of_map(d, map_of(d, bulk, span, WHOLE_BOXES));
}

// Where the page of the box at |offsets| lies.
static MlirValue page_at(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets) {
  intptr_t n = strata_attr_i64(bulk->pages, "pages", 0), first = mlirOperationGetNumOperands(bulk->pages) - n;
  MlirAffineExpr which = strata_bulk_at(bulk, bulk->box.coordinates[0], offsets, false);
  return strata_new_scalar(d, mlirOperationGetOperand(bulk->pages, first + mlirAffineConstantExprGetValue(which)));
}

int strata_bulk_coordinates(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets,
                            MlirValue *out) {
  strata_index_space_t space = bulk->box.space;
  const strata_bulk_window_t *window = &bulk->window;
  for (int i = 0; i < bulk->rank; i++)
    out[i] = strata_bulk_is_of_pages(bulk, bulk->dims[i])
                 ? page_at(d, bulk, offsets)
                 : strata_index_emit(&space, window->n_dims ? window->first[i]
                                                            : strata_bulk_at(bulk, bulk->box.coordinates[bulk->dims[i]],
                                                                             offsets, false));
  for (int i = 0; i < window->n_dims; i++)
    out[bulk->rank + i] = strata_index_emit(&space, window->offsets[i]);
  return bulk->rank + window->n_dims;
}

int strata_bulk_coordinates_from(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const MlirValue *base,
                                 const int64_t *offsets, MlirValue *out) {
  const int64_t none[RANK] = {0};
  strata_index_space_t space = bulk->box.space;
  if (mlirValueIsNull(base[0]) || bulk->window.n_dims)
    return strata_bulk_coordinates(d, bulk, offsets, out);
  for (int i = 0; i < bulk->rank; i++) {
    MlirAffineExpr place = bulk->box.coordinates[bulk->dims[i]], first = strata_bulk_at(bulk, place, none, false),
                   own = strata_bulk_at(bulk, place, offsets, false),
                   further = strata_index_simplify(&space, mlirAffineAddExprGet(own, strata_expr_times(first, -1)));
    out[i] = mlirAffineExprIsAConstant(further)
                 ? strata_emit_plus(&d->e, base[i], mlirAffineConstantExprGetValue(further))
                 : strata_index_emit(&space, own);
  }
  return bulk->rank;
}

int64_t strata_bulk_copies(const strata_bulk_t *bulk) {
  int64_t count = 1;
  for (int v = 0; v < 2; v++)
    count *= strata_ceil_div(bulk->box.space.extents[v], bulk->extents[v]);
  return count;
}

// A copy's operands: where it goes, and its coordinates.
typedef struct {
  const char *name;
  MlirValue operands[5 + STRATA_BULK_COORDINATES];
  int n_operands;
} copy_t;

static void emit_copy(strata_gpu_distribution_t *d, const copy_t *copy, int64_t map) {
  strata_named_attr_t attr = {"map", strata_i64_attr(d->e.context, map)};
  strata_emit_op(&d->e, copy->name, copy->n_operands, copy->operands, 0, NULL, 1, &attr);
}

// What is left of a box that begins in front of the buffer's end.
static void emit_last(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const copy_t *copy, MlirValue left,
                      int64_t map) {
  strata_emitter_t *e = &d->e;
  strata_loop_t missing = {0};
  if (bulk->may_miss)
    missing = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_SGT, left, strata_emit_index(e, 0)));
  emit_copy(d, copy, map);
  if (bulk->may_miss)
    strata_emit_if_end(e, missing);
}

// The whole box, what is left of it, or nothing; where all rows are one box there are no whole ones.
static void emit_clipped(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const copy_t *copy,
                         const int64_t *offsets, int64_t span) {
  strata_emitter_t *e = &d->e;
  MlirValue left = rows_left(d, bulk, offsets);
  if (rows_along(bulk, bulk->clipped).max <= bulk->extents[ROWS]) {
    emit_last(d, bulk, copy, left, number_of_map(d, map_of(d, bulk, span, ONLY_BOX)));
    return;
  }
  int64_t whole = strata_bulk_map(d, bulk, span), last = number_of_map(d, map_of(d, bulk, span, whole));
  strata_loop_t branch =
      strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_SLT, left, strata_emit_index(e, bulk->extents[ROWS])));
  emit_last(d, bulk, copy, left, last);
  strata_emit_if_else(e, branch);
  emit_copy(d, copy, whole);
  strata_emit_if_end(e, branch);
}

void strata_bulk_load(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets, int64_t span,
                      const strata_bulk_target_t *to) {
  bool is_alone = mlirValueIsNull(to->blocks);
  int fixed = is_alone ? 4 : 5;
  copy_t copy = {.name = is_alone ? STRATA_TILE_BULK_LOAD : STRATA_TILE_BULK_MULTICAST,
                 .operands = {to->memory, to->at, to->barriers, to->slot, to->blocks}};
  copy.n_operands = fixed + strata_bulk_coordinates(d, bulk, offsets, copy.operands + fixed);
  if (bulk->clipped)
    emit_clipped(d, bulk, &copy, offsets, span);
  else
    emit_copy(d, &copy, strata_bulk_map(d, bulk, span));
}
