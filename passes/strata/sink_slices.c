// The part of strata-sink-views that is about slices, of symbolic sizes, of what constants make: what reads nothing
// else is computed whole, in advance, and what is needed of it read where it lies.
//
//   select(slice(mask), 0, -inf)      ->   slice(select(mask, 0, -inf))
//   gather(table, slice(positions))   ->   slice(gather(table, positions))
//
// So models that cut masks and positions of their longest sequence to the one at hand, as with known sizes, compute
// nothing of that when they run.
#include "passes/strata/views.h"

enum { MOST_BYTES = 4 << 20 }; // of what is computed in advance

typedef struct {
  MlirValue whole;
  int rank;
  strata_shape_t shape; // of the whole
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK];
  strata_dim_t sizes[STRATA_MAX_RANK];
} cut_t;

// False if |value| is no such slice.
static bool read_cut(const strata_rewriter_t *r, MlirValue value, cut_t *out) {
  MlirOperation slice = strata_def_if(value, STRATA_OP_SLICE);
  int64_t sizes[STRATA_MAX_RANK];
  if (mlirOperationIsNull(slice) || strata_sizes_of(value, sizes) >= 0)
    return false;
  out->whole = strata_operand(slice, 0);
  out->shape = strata_shape_of(out->whole);
  out->rank = out->shape.rank;
  strata_shape_t shape = strata_shape_of(value);
  memcpy(out->sizes, shape.dims, sizeof out->sizes);
  return strata_shape_count(&out->shape) > 0 && strata_rewriter_is_constant(r, out->whole) &&
         strata_attr_i64s(slice, "starts", STRATA_MAX_RANK, out->starts) == out->rank &&
         strata_attr_i64s(slice, "steps", STRATA_MAX_RANK, out->steps) == out->rank;
}

// The slice of |whole|.
static MlirValue build_cut(strata_builder_t *b, const cut_t *cut, MlirValue whole) {
  strata_shape_t starts = strata_shape_static(b->compile->context, STRATA_TYPE_I64, cut->rank, cut->starts);
  return strata_build_slice_dims(b, whole, starts.dims, cut->steps, cut->sizes);
}

static bool is_small(const strata_shape_t *shape) {
  return strata_type_storage_size(shape->type, strata_shape_count(shape)) <= MOST_BYTES;
}

// The same elements of something of the same size.
static bool are_alike(const cut_t *a, const cut_t *b) {
  bool alike = a->rank == b->rank;
  for (int i = 0; alike && i < a->rank; i++)
    alike = a->starts[i] == b->starts[i] && a->steps[i] == b->steps[i] &&
            strata_dim_equal(a->shape.dims[i], b->shape.dims[i]) && strata_dim_equal(a->sizes[i], b->sizes[i]);
  return alike;
}

// True of quotients of integers, which a divisor of zero ends: there may be one where nobody would have divided.
static bool can_trap(strata_op_id_t id, strata_type_t type) {
  bool divides = id == STRATA_OP_DIV || id == STRATA_OP_DIV_U || id == STRATA_OP_REM || id == STRATA_OP_REM_U;
  return divides && strata_type_info[type].kind != STRATA_TYPE_KIND_FLOAT;
}

static MlirValue pass_elementwise(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  int n = strata_op_info[id].n_operands, which = 0;
  MlirValue operands[3];
  cut_t first, other;
  strata_scalar_t scalar;
  while (which < n && !read_cut(r, strata_operand(op, which), &first))
    which++;
  if (which == n)
    return STRATA_NO_VALUE;
  strata_shape_t whole = first.shape;
  whole.type = strata_shape_of(strata_result(op)).type;
  if (!is_small(&whole) || can_trap(id, whole.type))
    return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++)
    if (!strata_splat_of(strata_operand(op, i), &scalar) &&
        !(read_cut(r, strata_operand(op, i), &other) && are_alike(&first, &other)))
      return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++) {
    strata_shape_t shape = first.shape;
    shape.type = strata_shape_of(strata_operand(op, i)).type;
    if (strata_splat_of(strata_operand(op, i), &scalar))
      operands[i] = strata_build_scalar_splat(&r->build, &shape, scalar);
    else
      operands[i] = strata_operand(strata_def(strata_operand(op, i)), 0);
  }
  return build_cut(&r->build, &first, strata_build_elementwise(&r->build, op, operands));
}

// Of a gather's result, which has the indices' dims from |batch| on in the place of |axis|: false if those that both
// operands have are cut.
static bool read_gathered(const cut_t *indices, const strata_shape_t *data, int axis, int batch, cut_t *out) {
  *out = (cut_t){.rank = data->rank - 1 + indices->rank - batch, .shape = {.type = data->type}};
  if (out->rank > STRATA_MAX_RANK)
    return false;
  for (int i = 0; i < batch; i++)
    if (!strata_dim_equal(indices->shape.dims[i], indices->sizes[i]) || indices->steps[i] != 1)
      return false;
  out->shape.rank = out->rank;
  for (int i = 0, own = indices->rank - batch; i < out->rank; i++) {
    bool is_index = i >= axis && i < axis + own;
    int from = is_index ? i - axis + batch : i < axis ? i : i - own + 1;
    out->starts[i] = is_index ? indices->starts[from] : 0;
    out->steps[i] = is_index ? indices->steps[from] : 1;
    out->sizes[i] = is_index ? indices->sizes[from] : data->dims[from];
    out->shape.dims[i] = is_index ? indices->shape.dims[from] : data->dims[from];
  }
  return true;
}

static MlirValue pass_gather(strata_rewriter_t *r, MlirOperation op) {
  cut_t indices, result;
  strata_shape_t data = strata_shape_of(strata_operand(op, 0));
  int64_t axis = strata_attr_i64(op, "axis", 0), batch = strata_attr_i64(op, "batch_dims", 0);
  if (!strata_rewriter_is_constant(r, strata_operand(op, 0)) || strata_shape_count(&data) <= 0 ||
      !read_cut(r, strata_operand(op, 1), &indices) ||
      !read_gathered(&indices, &data, (int)axis, (int)batch, &result) || !is_small(&result.shape))
    return STRATA_NO_VALUE;
  return build_cut(&r->build, &result,
                   strata_build_gather(&r->build, strata_operand(op, 0), indices.whole, axis, batch));
}

MlirValue strata_pass_slice(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  if (strata_is_elementwise(id))
    return pass_elementwise(r, op, id);
  return id == STRATA_OP_GATHER ? pass_gather(r, op) : STRATA_NO_VALUE;
}
