// Slices at starts that are not known.
#include "dialects/import/stablehlo/places.h"

static MlirValue behind_reshapes(MlirValue value) {
  for (MlirOperation def = strata_def(value); !mlirOperationIsNull(def) && hlo_op_is(def, "reshape");
       def = strata_def(value))
    value = mlirOperationGetOperand(def, 0);
  return value;
}

// Element |i| of a list that is put together of single ones; null if it is not.
static MlirValue piece(MlirValue list, int i) {
  MlirOperation def = strata_def(list);
  if (mlirOperationIsNull(def) || !hlo_op_is(def, "concatenate") || i >= mlirOperationGetNumOperands(def))
    return (MlirValue){0};
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(def); k++) {
    tir_type_t type = tir_type_of(mlirOperationGetOperand(def, k));
    if (type.rank != 1 || type.dims[0] != 1)
      return (MlirValue){0};
  }
  return behind_reshapes(mlirOperationGetOperand(def, i));
}

// Operand |i| of the operation |name| that gives |value|; null if another one does.
static MlirValue operand_of(MlirValue value, const char *name, int i) {
  MlirOperation def = mlirValueIsNull(value) ? (MlirOperation){0} : strata_def(value);
  return !mlirOperationIsNull(def) && hlo_op_is(def, name) && i < mlirOperationGetNumOperands(def)
             ? mlirOperationGetOperand(def, i)
             : (MlirValue){0};
}

// Sizes that vary make a dynamic_slice of JAX a real_dynamic_slice from hlo_clamp_index(0, start, dims - sizes) to that
// + sizes.
typedef struct {
  MlirValue start, sizes, dims; // lists
} clamped_t;

static bool read_clamped(MlirOperation op, clamped_t *out) {
  MlirValue from = mlirOperationGetOperand(op, 1), limit = mlirOperationGetOperand(op, 2);
  MlirValue least = operand_of(from, "clamp", 0), last = operand_of(from, "clamp", 2);
  double zero;
  if (mlirValueIsNull(least) || !mlirValueEqual(operand_of(limit, "add", 0), from))
    return false;
  MlirValue first = piece(least, 0);
  out->start = operand_of(from, "clamp", 1);
  out->sizes = operand_of(limit, "add", 1);
  out->dims = operand_of(last, "subtract", 0);
  return !mlirValueIsNull(out->dims) && mlirValueEqual(operand_of(last, "subtract", 1), out->sizes) &&
         !mlirValueIsNull(first) && tir_constant_number(first, &zero) && zero == 0;
}

MlirValue hlo_start(MlirOperation op, int dim) {
  clamped_t clamped;
  if (hlo_op_is(op, "dynamic_slice") && 1 + dim < mlirOperationGetNumOperands(op))
    return mlirOperationGetOperand(op, 1 + dim);
  if (hlo_op_is(op, "real_dynamic_slice") && read_clamped(op, &clamped))
    return piece(clamped.start, dim);
  return (MlirValue){0};
}

bool hlo_is_whole(MlirOperation op, int dim) {
  tir_type_t part = tir_type_of(mlirOperationGetResult(op, 0)), all = tir_type_of(mlirOperationGetOperand(op, 0));
  clamped_t clamped;
  if (all.dims[dim] >= 0 || part.dims[dim] >= 0)
    return all.dims[dim] == part.dims[dim];
  if (!hlo_op_is(op, "real_dynamic_slice") || !read_clamped(op, &clamped))
    return false;
  MlirValue size = piece(clamped.sizes, dim);
  return !mlirValueIsNull(size) && mlirValueEqual(size, piece(clamped.dims, dim));
}

// Slices of |window| elements, a list of one, of one dim from a start on that may be known.
static const char *slice_from(tir_op_t *o, const char *x, int dim, MlirValue start, const char *window, int64_t size) {
  tir_type_t type = tir_in_type(o, 0);
  const char *all = tir_size(o, tir_in(o, 0), &type, dim);
  const char *index = hlo_as_i64(o, tir_name(o->importer, start));
  int64_t one = -1;
  index = tir_type_of(start).rank > 0 ? tir_scalar(o, index) : index;
  if (size == 1)
    index = tir_reshape_static(o, index, 1, &one);
  else
    index = tir_binary(o, "Add", hlo_clamp_index(o, index, all, window), tir_counting(o, window));
  graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(x, index));
  graph_set_int(node, "axis", dim);
  return graph_result(node, NULL);
}

static const char *slice_at(tir_op_t *o, const char *x, int dim, double start, int64_t size) {
  int64_t last = tir_in_type(o, 0).dims[dim] - size;
  int64_t from = start < 0 ? 0 : start > (double)last ? last : (int64_t)start;
  return tir_slice_axis(o, x, dim, from, from + size, 1);
}

// The slice of dims whose size the types say, or a list.
static void read_slice(tir_op_t *o, const char *sizes) {
  tir_type_t type = tir_in_type(o, 0), part = tir_out_type(o, 0);
  const char *x = tir_in(o, 0);
  for (int d = 0; d < type.rank; d++) {
    MlirValue start = hlo_start(o->op, d);
    double number;
    if (hlo_is_whole(o->op, d))
      continue;
    if (tir_constant_number(start, &number) && type.dims[d] >= 0 && part.dims[d] >= 0)
      x = slice_at(o, x, d, number, part.dims[d]);
    else
      x = slice_from(o, x, d, start,
                     part.dims[d] >= 0 ? graph_ints(o->g, 1, &part.dims[d]) : tir_slice_axis(o, sizes, 0, d, d + 1, 1),
                     part.dims[d]);
  }
  tir_set(o, 0, x);
}

void hlo_read_dynamic_slice(tir_op_t *o) {
  int rank = tir_in_type(o, 0).rank;
  if (tir_n_operands(o) != 1 + rank || tir_out_type(o, 0).rank != rank)
    tir_refuse(o, "expected %d starts", rank);
  else
    read_slice(o, "");
}

void hlo_read_real_dynamic_slice(tir_op_t *o) {
  int rank = tir_in_type(o, 0).rank;
  int64_t axes[TIR_MAX_RANK];
  const char *bounds[3];
  clamped_t clamped;
  bool has_starts = tir_out_type(o, 0).rank == rank && read_clamped(o->op, &clamped);
  for (int i = 0; i < rank; i++) {
    axes[i] = i;
    has_starts = has_starts && !mlirValueIsNull(hlo_start(o->op, i));
  }
  if (has_starts) {
    read_slice(o, hlo_as_i64(o, tir_name(o->importer, clamped.sizes)));
    return;
  }
  for (int i = 0; i < 3; i++)
    bounds[i] = hlo_as_i64(o, tir_in(o, 1 + i));
  tir_set(o, 0,
          graph_op(o->g, "Slice",
                   GRAPH_VALUES(tir_in(o, 0), bounds[0], bounds[1], graph_ints(o->g, rank, axes), bounds[2])));
}

void hlo_read_dynamic_update_slice(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0), updates = tir_in_type(o, 1);
  hlo_places_t p = {0};
  int64_t order[TIR_MAX_RANK], windows[TIR_MAX_RANK];
  int n_windows = 0, n = 0;
  if (updates.rank != type.rank || tir_n_operands(o) != 2 + type.rank) {
    tir_refuse(o, "expected an update of %d dims, and as many starts", type.rank);
    return;
  }
  for (int d = 0; d < type.rank; d++)
    if (updates.dims[d] != type.dims[d])
      windows[n_windows++] = order[n++] = d;
  for (int d = 0; d < type.rank; d++)
    if (!tir_holds(n_windows, windows, d))
      order[n++] = d;
  for (int i = 0; i < n_windows; i++) {
    int d = (int)windows[i];
    const char *size = tir_size(o, tir_in(o, 1), &updates, d);
    const char *start = hlo_clamp_index(o, hlo_as_i64(o, tir_in(o, 2 + d)), tir_size(o, tir_in(o, 0), &type, d), size);
    hlo_add_place(&p, d, tir_binary(o, "Add", start, tir_counting_along(o, size, i, n_windows)));
  }
  const char *moved = tir_transpose(o, tir_in(o, 1), type.rank, order);
  tir_set(o, 0, n_windows ? hlo_scatter(o, "none", &p, moved, &type) : tir_in(o, 1));
}
