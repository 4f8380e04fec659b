// See lanes.h.
#include "lowering/strata_to_affine/lanes.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"

enum { FEW_LINES = 64, LONG_LINE = 8 * STRATA__LANES };

strata_loop_t strata__lanes_begin(strata__nest_t *nest, int64_t n, MlirValue *so_far, MlirValue *out_before) {
  strata_emitter_t *e = &nest->e;
  strata_loop_t loop =
      strata_emit_for_begin(e, strata_emit_index(e, 0), strata_emit_index(e, n), 1, 1, so_far, out_before);
  strata_set_attr(loop.op, STRATA_LANES, strata_i64_attr(e->context, n));
  return loop;
}

bool strata__has_lines(const strata__tensor_t *tensor) {
  if (!tensor->buffer || tensor->type == STRATA_TYPE_I4 || tensor->rank < 1 ||
      strata_size_varies(tensor->sizes[tensor->rank - 1]))
    return false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(tensor->map); i++)
    if (strata_affine_has_division(mlirAffineMapGetResult(tensor->map, i)))
      return false;
  return true;
}

int64_t strata__parts_of_line(const strata__lowering_t *l, const strata__tensor_t *tensor, int64_t *out_length) {
  int64_t length = strata_size_static_value(tensor->sizes[tensor->rank - 1]), lines = 1;
  for (int i = 0; i < tensor->rank - 1; i++)
    lines = strata_times(lines, strata_size_likely(&l->symbols, tensor->sizes[i]));
  *out_length = STRATA__LANES * strata_ceil_div(length, (int64_t)STRATA__LANES * STRATA__MOST_PARTS);
  return lines > FEW_LINES || length < LONG_LINE ? 1 : length / *out_length;
}

strata__tensor_t strata__for_each_line(strata__lowering_t *l, MlirOperation op, const strata__tensor_t *tensor,
                                       strata_type_t type, int64_t n) {
  strata_size_t *sizes = strata_arena_array(l->compile->arena, strata_size_t, STRATA_MAX_RANK);
  memcpy(sizes, tensor->sizes, (size_t)tensor->rank * sizeof *sizes);
  sizes[tensor->rank - 1] = strata_size_constant(n);
  strata__tensor_t result = {.type = type, .rank = tensor->rank, .sizes = sizes};
  strata__place_anywhere(l, &result, mlirOperationGetLocation(op));
  return result;
}

void strata__lines_begin(strata__lowering_t *l, strata__nest_t *nest, MlirOperation op, const char *name,
                         const strata__tensor_t *tensor, int64_t parts) {
  strata_size_t sizes[STRATA_MAX_RANK];
  int n_outer = tensor->rank - 1;
  for (int i = 0; i < n_outer; i++)
    sizes[i] = tensor->sizes[i];
  sizes[n_outer] = strata_size_constant(parts);
  strata__nest_begin(l, nest, op, name, parts ? n_outer + 1 : n_outer, sizes);
  nest->is_serial = true;
}

static void point_of(const strata__nest_t *nest, const strata__tensor_t *tensor, MlirValue at, MlirValue *out) {
  for (int i = 0; i < tensor->rank - 1; i++)
    out[i] = nest->dims[i];
  out[tensor->rank - 1] = at;
}

MlirValue strata__line_load(strata__nest_t *nest, const strata__tensor_t *tensor, MlirValue at) {
  MlirValue point[STRATA_MAX_RANK];
  point_of(nest, tensor, at, point);
  return strata__to_math(nest, tensor->type, strata__load_at(nest, tensor, point));
}

void strata__line_store(strata__nest_t *nest, const strata__tensor_t *tensor, MlirValue at, MlirValue value) {
  MlirValue point[STRATA_MAX_RANK];
  point_of(nest, tensor, at, point);
  strata__store_at(nest, tensor, point, value);
}
