// Writes at positions that are data: a copy of the operand, then the updates in order into it. Updates stay in order
// because one task does all those of its columns.
//
//   affine.parallel (%block) = (0) to (8) {
//     affine.for %m = 0 to 4 {
//       %n = affine.load %indices[%m] ...
//       scf.if %inside { affine.for %j = 0 to 64 {
//         %x = affine.load %updates[%m, %block * 64 + %j] ...  memref.store %x, %y[%n, %block * 64 + %j] } } }
//   } {strata.nest = "scatter", strata.serial}
//
// Where no row is updated twice (kind "distinct") there is a task for each update as well.
#include "lowering/strata_to_affine/lower.h"

#include "dialects/integers.h"
#include "passes/target.h"

enum { BLOCK = 64 }; // elements of a row that a task writes at a time; on a GPU one, and neighbours by other threads

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *indices, *updates, *result;
  strata_combiner_t combiner; // STRATA_COMBINER_COUNT: overwrite
  bool is_distinct;           // no row is updated twice: the updates are the nest's first dim
  int first_dim;              // of the nest, that goes over the rest of a row
  int64_t block;
} scatter_t;

// The greatest divisor of |size| that is at most BLOCK.
static int64_t block_of(strata_size_t size) {
  int64_t block = strata_max(1, strata_min(size.divisor, BLOCK));
  while (!strata_size_divides(block, size))
    block--;
  return block;
}

// A size divided by a divisor of it.
static strata_size_t quotient(strata__lowering_t *l, strata_size_t size, int64_t divisor) {
  MlirAffineExpr by = mlirAffineConstantExprGet(l->context, divisor);
  return strata_size_of_expr(&l->symbols, mlirAffineFloorDivExprGet(strata_size_expr(l->context, size), by));
}

// 0 <= index < size as an unsigned comparison, of an index that may be narrower than size.
static MlirValue is_inside(strata__nest_t *nest, MlirValue index, strata_size_t size) {
  MlirType i64 = mlirIntegerTypeGet(nest->lowering->context, 64);
  if (mlirIntegerTypeGetWidth(mlirValueGetType(index)) < 64)
    index = strata__cast(nest, "arith.extsi", index, i64);
  int64_t number;
  MlirValue end = strata_size_is_constant(size, &number)
                      ? strata__int_constant(nest, i64, number)
                      : strata__cast(nest, "arith.index_cast", strata__size(nest, size), i64);
  return strata__compare(nest, "ult", index, end);
}

// The rest of a row's coordinates: the parallel dims, the last of them in blocks.
static void rest_of_row(scatter_t *s, MlirAffineExpr within, MlirAffineExpr *out) {
  int n = s->updates->rank - 1;
  for (int i = 0; i < n; i++)
    out[i] = strata__dim(&s->nest, s->first_dim + i);
  if (n > 0)
    out[n - 1] = mlirAffineAddExprGet(strata__linear(&s->nest, out[n - 1], s->block, 0), within);
}

static void update_element(scatter_t *s, MlirValue row, MlirAffineExpr update, MlirAffineExpr within) {
  strata__nest_t *nest = &s->nest;
  bool is_raw = s->combiner == STRATA_COMBINER_COUNT;
  MlirAffineExpr from[STRATA_MAX_RANK] = {update};
  MlirValue to[STRATA_MAX_RANK] = {row};
  rest_of_row(s, within, from + 1);
  for (int i = 1; i < s->updates->rank; i++)
    to[i] = strata__index_of(nest, from[i]);
  MlirValue value = (is_raw ? strata__load_raw : strata__load)(nest, s->updates, from);
  if (!is_raw) {
    MlirValue before = strata__to_math(nest, s->result->type, strata__load_at(nest, s->result, to));
    value = strata__combine(nest, s->combiner, before, value);
  }
  strata__store_at(nest, s->result, to, value);
}

static void update_row(scatter_t *s, MlirAffineExpr update) {
  strata__nest_t *nest = &s->nest;
  MlirValue index = strata__load_raw(nest, s->indices, &update);
  MlirValue row = strata__to_index(nest, index);
  strata_loop_t guarded = strata_emit_if_begin(&nest->e, is_inside(nest, index, s->result->sizes[0]));
  if (s->block > 1) {
    strata__loop_t by_element = strata__for_begin(nest, strata_size_constant(s->block), 0, NULL, NULL);
    update_element(s, row, update, strata__dim(nest, nest->n_dims - 1));
    strata__for_end(nest, by_element, 0, NULL, NULL);
  } else {
    update_element(s, row, update, strata__constant(nest, 0));
  }
  strata_emit_if_end(&nest->e, guarded);
}

static void update_rows(scatter_t *s) {
  strata__nest_t *nest = &s->nest;
  if (s->is_distinct) {
    update_row(s, strata__dim(nest, 0));
    return;
  }
  strata__loop_t by_update = strata__for_begin(nest, s->updates->sizes[0], 0, NULL, NULL);
  update_row(s, strata__dim(nest, nest->n_dims - 1));
  strata__for_end(nest, by_update, 0, NULL, NULL);
}

// A task for each column of blocks; one for all where neighbours share bytes, with loops over the columns.
static void begin_tasks(scatter_t *s, strata__lowering_t *l, MlirOperation op, int n, const strata_size_t *tasks) {
  strata__nest_t *nest = &s->nest;
  bool shares_bytes = s->result->type == STRATA_TYPE_I4;
  strata__nest_begin(l, nest, op, "scatter", shares_bytes ? 0 : n, tasks);
  nest->is_serial = true;
  if (!shares_bytes)
    return;
  s->first_dim = nest->n_dims;
  for (int i = 0; i < n; i++)
    nest->outer_loops[nest->n_outer_loops++] = strata__for_begin(nest, tasks[i], 0, NULL, NULL);
}

strata_status_t strata__lower_scatter(strata__lowering_t *l, MlirOperation op) {
  scatter_t s = {.indices = strata__operand(l, op, 1),
                 .updates = strata__operand(l, op, 2),
                 .result = strata__result(l, op, 0),
                 .combiner = strata_op_combiner(op),
                 .block = 1};
  strata_size_t tasks[STRATA_MAX_RANK];
  int n = s.updates->rank - 1, first = 0;
  strata__copy(l, op, strata__operand(l, op, 0), s.result);
  if (strata__is_empty(s.updates))
    return NULL;
  s.is_distinct = strata_str_equal(strata_attr_str(op, "kind"), "distinct") && s.result->type != STRATA_TYPE_I4;
  if (s.is_distinct)
    tasks[first++] = s.updates->sizes[0];
  s.first_dim = first;
  for (int i = 0; i < n; i++)
    tasks[first + i] = s.updates->sizes[i + 1];
  if (n > 0 && !strata_target_is_gpu(l->compile)) {
    s.block = block_of(tasks[first + n - 1]);
    tasks[first + n - 1] = quotient(l, tasks[first + n - 1], s.block);
  }
  begin_tasks(&s, l, op, first + n, tasks);
  update_rows(&s);
  strata__nest_end(&s.nest);
  return NULL;
}
