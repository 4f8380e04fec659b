// See conditions.h.
#include "lowering/tile_to_gpu/conditions.h"

typedef struct {
  const strata_transfer_t *transfer;
  const strata_registers_t *shape;
} context_t;

static int64_t round_down(int64_t value, int64_t factor) {
  int64_t rest = value % factor;
  return rest < 0 ? value - rest - factor : value - rest;
}

static void add_condition(const context_t *w, strata_item_t *item, MlirAffineExpr expr, int64_t bound, bool is_upper) {
  // A multiple of g is at most 7 + 2 g exactly if it is at most 2 g: neighbours get equal conditions.
  int64_t divisor = strata_index_divisor(&w->transfer->box->space, expr);
  if (divisor > 1)
    bound = is_upper ? round_down(bound, divisor) : -round_down(-bound, divisor);
  for (int i = 0; i < item->n_conditions; i++)
    if (mlirAffineExprEqual(item->conditions[i].expr, expr) && item->conditions[i].bound == bound &&
        item->conditions[i].is_upper == is_upper)
      return;
  if (item->n_conditions < STRATA_MAX_CONDITIONS)
    item->conditions[item->n_conditions++] = (strata_condition_t){expr, bound, is_upper};
}

// |value| has to be in [lower, upper].
static void require_range(const context_t *w, strata_item_t *item, MlirAffineExpr value, int64_t lower, int64_t upper) {
  int64_t min, max;
  bool is_known = strata_index_range(&w->transfer->box->space, value, &min, &max);
  if (is_known && (max < lower || min > upper))
    item->is_never = true;
  if (!is_known && lower == 0 && upper == INT64_MAX && strata_index_is_nonnegative(&w->transfer->box->space, value))
    return;
  int64_t offset = strata_index_split(&value);
  if ((!is_known || min < lower) && lower != INT64_MIN)
    add_condition(w, item, value, lower - offset, false);
  if ((!is_known || max > upper) && upper != INT64_MAX)
    add_condition(w, item, value, upper - offset, true);
}

// The element has to be one of a value of |sizes|.
static void require_elements(const context_t *w, strata_item_t *item, int64_t reg, const int64_t *sizes) {
  const strata_registers_t *shape = w->shape;
  MlirContext context = w->transfer->box->space.d->e.context;
  for (int dim = 0; dim < shape->rank; dim++) {
    MlirAffineExpr thread = strata_thread_coordinate(context, &shape->layout, dim, shape->rank);
    int64_t own = strata_layout_reg_coordinate(&shape->layout, reg, dim);
    if (own + strata_layout_thread_max(&shape->layout, dim) >= sizes[dim])
      require_range(w, item, mlirAffineAddExprGet(thread, mlirAffineConstantExprGet(context, own)), 0, sizes[dim] - 1);
  }
}

// |value| has to be in [0, size).
static void require_below(const context_t *w, strata_item_t *item, MlirAffineExpr value, strata_size_t size) {
  int64_t number;
  if (strata_size_is_constant(size, &number)) {
    require_range(w, item, value, 0, number - 1);
    return;
  }
  const strata_index_space_t *space = &w->transfer->box->space;
  MlirAffineExpr last =
      strata_expr_times(mlirAffineAddExprGet(value, mlirAffineConstantExprGet(space->d->e.context, 1)), -1);
  require_range(w, item, value, 0, INT64_MAX);
  require_range(w, item, strata_index_simplify(space, mlirAffineAddExprGet(size.expr, last)), 0, INT64_MAX);
}

static void require_inside(const context_t *w, strata_item_t *item, int64_t reg) {
  const strata_gpu_box_t *box = w->transfer->box;
  for (int i = 0; i < box->rank && !mlirAttributeIsNull(w->transfer->pad); i++)
    require_below(w, item, strata_index_at(&box->space, box->coordinates[i], &w->shape->layout, reg), box->sizes[i]);
}

static void require_mask(const context_t *w, strata_item_t *item, int64_t reg) {
  const strata_transfer_t *transfer = w->transfer;
  strata_gpu_box_t *box = transfer->box;
  for (intptr_t i = 0; i < strata_gpu_mask_count(transfer->mask); i++) {
    MlirAffineExpr expr;
    bool is_equality = strata_gpu_mask_constraint(box, transfer->op, transfer->first_symbol, i, &expr);
    require_range(w, item, strata_index_at(&box->space, expr, &w->shape->layout, reg), 0, is_equality ? 0 : INT64_MAX);
  }
}

// Of the threads that hold copies of an element, the first stores it. A scalar is the same in all.
static void require_first_copy(const context_t *w, strata_item_t *item) {
  MlirContext context = w->transfer->box->space.d->e.context;
  const strata_layout_t *layout = &w->shape->layout;
  if (w->shape->rank == 0)
    require_range(w, item, mlirAffineDimExprGet(context, 0), 0, 0);
  for (int i = 0; i < layout->n_thread && w->shape->rank > 0; i++) {
    if (layout->thread[i].dim != STRATA_COPIES)
      continue;
    strata_layout_t copies = {.n_thread = layout->n_thread}; // this digit alone counts
    for (int j = 0; j < layout->n_thread; j++)
      copies.thread[j] = (strata_digit_t){j == i ? 0 : STRATA_COPIES, layout->thread[j].extent, j == i};
    require_range(w, item, strata_thread_coordinate(context, &copies, 0, w->shape->rank), 0, 0);
  }
}

void strata_conditions_collect(const strata_transfer_t *transfer, const strata_registers_t *shape, int64_t reg,
                               bool is_store, strata_item_t *item) {
  const context_t context = {transfer, shape};
  if (!transfer->is_private) {
    require_elements(&context, item, reg, shape->sizes);
    require_inside(&context, item, reg);
    require_mask(&context, item, reg);
  } else if (transfer->stored && !is_store) {
    require_elements(&context, item, reg, transfer->stored);
  }
  if (is_store)
    require_first_copy(&context, item);
}

bool strata_conditions_equal(const strata_item_t *a, const strata_item_t *b) {
  if (a->n_conditions != b->n_conditions || a->is_never != b->is_never)
    return false;
  for (int i = 0; i < a->n_conditions; i++)
    if (!mlirAffineExprEqual(a->conditions[i].expr, b->conditions[i].expr) ||
        a->conditions[i].bound != b->conditions[i].bound || a->conditions[i].is_upper != b->conditions[i].is_upper)
      return false;
  return true;
}
