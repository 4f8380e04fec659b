// Registers from and to a buffer; see access.h.
//
// The position of a register is an expression over thread, task and counters plus a constant. Registers with equal
// expressions share one base; those with neighbouring constants are one vector where that is aligned. The conditions of
// a register (hanging, padding, mask, copies) are bounds on such expressions too; registers with equal conditions are
// moved under one branch.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"

enum { MAX_CONDITIONS = 24 };

// expr >= bound, or expr <= bound; |expr| has no constant term.
typedef struct {
  MlirAffineExpr expr;
  int64_t bound;
  bool is_upper;
} condition_t;

typedef struct {
  MlirAffineExpr base; // of the position
  int64_t offset;
  int n_conditions;
  condition_t conditions[MAX_CONDITIONS];
  bool is_never, is_done;
  int64_t same; // an earlier register at the same place under the same conditions, or the register itself
} item_t;

typedef struct {
  strata_gpu_distribution_t *d;
  strata_transfer_t *transfer;
  const strata_registers_t *shape;
  int64_t element_bytes;
  int64_t step; // from a register to that of the next element in memory
  item_t *items;
  MlirAffineExpr *bases; // emitted already
  MlirValue *base_values;
  int64_t n_bases;
} walk_t;

//===-- Conditions -----------------------------------------------------------------------------------------------===//

static int64_t round_down(int64_t value, int64_t factor) {
  int64_t rest = value % factor;
  return rest < 0 ? value - rest - factor : value - rest;
}

static void add_condition(item_t *item, MlirAffineExpr expr, int64_t bound, bool is_upper) {
  // A multiple of g is at most 7 + 2 g exactly if it is at most 2 g: neighbours get equal conditions.
  int64_t divisor = mlirAffineExprGetLargestKnownDivisor(expr);
  divisor = divisor < 0 ? -divisor : divisor;
  if (divisor > 1)
    bound = is_upper ? round_down(bound, divisor) : -round_down(-bound, divisor);
  for (int i = 0; i < item->n_conditions; i++)
    if (mlirAffineExprEqual(item->conditions[i].expr, expr) && item->conditions[i].bound == bound &&
        item->conditions[i].is_upper == is_upper)
      return;
  if (item->n_conditions < MAX_CONDITIONS)
    item->conditions[item->n_conditions++] = (condition_t){expr, bound, is_upper};
}

// |value| has to be in [lower, upper].
static void require_range(const walk_t *w, item_t *item, MlirAffineExpr value, int64_t lower, int64_t upper) {
  int64_t min, max;
  bool is_known = strata_index_range(&w->transfer->box->space, value, &min, &max);
  if (is_known && (max < lower || min > upper))
    item->is_never = true;
  int64_t offset = strata_index_split(&value);
  if ((!is_known || min < lower) && lower != INT64_MIN)
    add_condition(item, value, lower - offset, false);
  if ((!is_known || max > upper) && upper != INT64_MAX)
    add_condition(item, value, upper - offset, true);
}

static void require_elements(const walk_t *w, item_t *item, int64_t reg) {
  const strata_registers_t *shape = w->shape;
  MlirContext context = w->d->e.context;
  for (int dim = 0; dim < shape->rank; dim++) {
    MlirAffineExpr thread = strata_thread_coordinate(context, &shape->layout, dim, shape->rank);
    int64_t own = strata_layout_reg_coordinate(&shape->layout, reg, dim);
    if (own + strata_layout_thread_max(&shape->layout, dim) >= shape->sizes[dim])
      require_range(w, item, mlirAffineAddExprGet(thread, mlirAffineConstantExprGet(context, own)), 0,
                    shape->sizes[dim] - 1);
  }
}

static void require_inside(const walk_t *w, item_t *item, int64_t reg) {
  const strata_gpu_box_t *box = w->transfer->box;
  for (int i = 0; i < box->rank && !mlirAttributeIsNull(w->transfer->pad); i++)
    require_range(w, item, strata_index_at(&box->space, box->coordinates[i], &w->shape->layout, reg), 0,
                  box->sizes[i] - 1);
}

// Each constraint of the mask is expr == 0 or expr >= 0.
static void require_mask(const walk_t *w, item_t *item, int64_t reg) {
  if (mlirAttributeIsNull(w->transfer->mask))
    return;
  MlirContext context = w->d->e.context;
  strata_index_space_t *space = &w->transfer->box->space;
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(w->transfer->mask);
  intptr_t n_dims = mlirIntegerSetGetNumDims(set), n_symbols = mlirIntegerSetGetNumSymbols(set);
  MlirAffineExpr values[2 * STRATA_INDEX_DIMS];
  for (intptr_t i = 0; i < n_dims; i++)
    values[i] = mlirAffineDimExprGet(context, i);
  for (intptr_t i = 0; i < n_symbols; i++)
    values[n_dims + i] =
        strata_index_resolve(space, mlirOperationGetOperand(w->transfer->op, w->transfer->first_symbol + i));
  MlirAffineMap inner = mlirAffineMapGet(context, STRATA_INDEX_DIMS, STRATA_INDEX_DIMS, n_dims + n_symbols, values);
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++) {
    MlirAffineMap one =
        mlirAffineMapGet(context, n_dims, n_symbols, 1, (MlirAffineExpr[]){mlirIntegerSetGetConstraint(set, i)});
    for (intptr_t s = 0; s < n_symbols; s++)
      one = mlirAffineMapReplace(one, mlirAffineSymbolExprGet(context, s), mlirAffineDimExprGet(context, n_dims + s),
                                 n_dims + n_symbols, n_symbols);
    MlirAffineExpr expr = mlirAffineExprCompose(mlirAffineMapGetResult(one, 0), inner);
    require_range(w, item, strata_index_at(space, expr, &w->shape->layout, reg), 0,
                  mlirIntegerSetIsConstraintEq(set, i) ? 0 : INT64_MAX);
  }
}

// Of the threads that hold copies of an element, the first stores it. A scalar is the same in all.
static void require_first_copy(const walk_t *w, item_t *item) {
  MlirContext context = w->d->e.context;
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

//===-- Items ----------------------------------------------------------------------------------------------------===//

static void place(const walk_t *w, item_t *item, int64_t reg) {
  const strata_gpu_box_t *box = w->transfer->box;
  item->base = strata_index_at(&box->space, box->position, &w->shape->layout, box->is_linear ? 0 : reg);
  item->offset = strata_index_split(&item->base);
  for (int dim = 0; dim < w->shape->rank && box->is_linear; dim++)
    item->offset += box->steps[dim] * (strata_layout_reg_coordinate(&w->shape->layout, reg, dim) -
                                       strata_layout_reg_coordinate(&w->shape->layout, 0, dim));
}

static bool same_conditions(const item_t *a, const item_t *b) {
  if (a->n_conditions != b->n_conditions || a->is_never != b->is_never)
    return false;
  for (int i = 0; i < a->n_conditions; i++)
    if (!mlirAffineExprEqual(a->conditions[i].expr, b->conditions[i].expr) ||
        a->conditions[i].bound != b->conditions[i].bound || a->conditions[i].is_upper != b->conditions[i].is_upper)
      return false;
  return true;
}

static void find_same(const walk_t *w, int64_t reg) {
  item_t *item = &w->items[reg];
  item->same = reg;
  for (int64_t other = 0; other < reg && item->same == reg; other++)
    if (w->items[other].same == other && w->items[other].offset == item->offset &&
        mlirAffineExprEqual(w->items[other].base, item->base) && same_conditions(&w->items[other], item))
      item->same = other;
}

// By the digit along which memory is contiguous: a thread may hold vectors along either of two dims.
static int64_t register_step(const strata_transfer_t *transfer, const strata_registers_t *shape) {
  int64_t step = 1;
  for (int i = 0; i < shape->layout.n_reg && transfer->box->is_linear; step *= shape->layout.reg[i++].extent) {
    const strata_digit_t *digit = &shape->layout.reg[i];
    if (digit->dim != STRATA_COPIES && transfer->box->steps[digit->dim] * digit->stride == 1)
      return step;
  }
  return 1;
}

static walk_t begin(strata_gpu_distribution_t *d, strata_transfer_t *transfer, const strata_registers_t *shape,
                    bool is_store) {
  walk_t w = {.d = d, .transfer = transfer, .shape = shape};
  w.element_bytes = strata_element_bytes(mlirShapedTypeGetElementType(mlirValueGetType(transfer->flat)));
  w.step = register_step(transfer, shape);
  w.items = strata_arena_array(d->compile->arena, item_t, shape->count);
  w.bases = strata_arena_array(d->compile->arena, MlirAffineExpr, shape->count);
  w.base_values = strata_arena_array(d->compile->arena, MlirValue, shape->count);
  for (int64_t reg = 0; reg < shape->count; reg++) {
    place(&w, &w.items[reg], reg);
    if (!transfer->is_private) {
      require_elements(&w, &w.items[reg], reg);
      require_inside(&w, &w.items[reg], reg);
      require_mask(&w, &w.items[reg], reg);
    }
    if (is_store)
      require_first_copy(&w, &w.items[reg]);
    find_same(&w, reg);
  }
  return w;
}

// How many registers from |reg| on, |w->step| apart, are one vector in memory.
static int64_t run_length(const walk_t *w, int64_t reg) {
  const item_t *first = &w->items[reg];
  int64_t most = STRATA_VECTOR_BYTES / w->element_bytes, length = 1;
  while (length < most && reg + length * w->step < w->shape->count) {
    const item_t *item = &w->items[reg + length * w->step];
    if (item->is_done || item->same != reg + length * w->step || item->offset != first->offset + length ||
        !mlirAffineExprEqual(item->base, first->base) || !same_conditions(item, first))
      break;
    length++;
  }
  int64_t width = 1;
  while (width * 2 <= length && first->offset % (width * 2) == 0 && mlirAffineExprIsMultipleOf(first->base, width * 2))
    width *= 2;
  return width;
}

//===-- Emission -------------------------------------------------------------------------------------------------===//

static MlirValue base_value(walk_t *w, MlirAffineExpr base) {
  for (int64_t i = 0; i < w->n_bases; i++)
    if (mlirAffineExprEqual(w->bases[i], base))
      return w->base_values[i];
  w->bases[w->n_bases] = base;
  return w->base_values[w->n_bases++] = strata_index_emit(&w->transfer->box->space, base);
}

static MlirValue position_of(walk_t *w, const item_t *item) {
  strata_emitter_t *e = &w->d->e;
  MlirValue base = base_value(w, item->base);
  if (item->offset == 0)
    return base;
  strata_named_attr_t flags = {"overflowFlags", mlirAttributeParseGet(e->context, strata_str("#arith.overflow<nsw>"))};
  MlirValue operands[] = {base, strata_emit_index(e, item->offset)};
  return strata_emit_value(e, "arith.addi", 2, operands, mlirValueGetType(base), 1, &flags);
}

static MlirValue emit_condition(walk_t *w, const condition_t *condition) {
  strata_emitter_t *e = &w->d->e;
  MlirValue value = strata_index_emit(&w->transfer->box->space, condition->expr);
  return strata_emit_cmpi(e, condition->is_upper ? STRATA_SLE : STRATA_SGE, value,
                          strata_emit_index(e, condition->bound));
}

// All conditions of |item| and |active|; a null value where there are none.
static MlirValue emit_conditions(walk_t *w, const item_t *item, MlirValue active) {
  MlirValue all = active;
  for (int i = 0; i < item->n_conditions; i++) {
    MlirValue one = emit_condition(w, &item->conditions[i]);
    all = mlirValueIsNull(all) ? one : strata_emit_binary(&w->d->e, "arith.andi", all, one);
  }
  return all;
}

static MlirType memory_type(const walk_t *w) {
  return mlirShapedTypeGetElementType(mlirValueGetType(w->transfer->flat));
}

static MlirValue extract(strata_emitter_t *e, MlirValue vector, int64_t lane) {
  strata_named_attr_t position = {"static_position", strata_i64s_attr(e->context, 1, &lane)};
  return strata_emit_value(e, "vector.extract", 1, &vector, mlirShapedTypeGetElementType(mlirValueGetType(vector)), 1,
                           &position);
}

static void load_run(walk_t *w, int64_t reg, int64_t length, MlirValue *out) {
  strata_emitter_t *e = &w->d->e;
  MlirValue operands[] = {w->transfer->flat, position_of(w, &w->items[reg])};
  strata_named_attr_t attr = {"tile.readonly", mlirUnitAttrGet(e->context)};
  MlirType element = memory_type(w), type = length == 1 ? element : mlirVectorTypeGet(1, &length, element);
  MlirValue value = strata_emit_value(e, length == 1 ? "memref.load" : "vector.load", 2, operands, type,
                                      w->transfer->is_readonly, &attr);
  for (int64_t i = 0; i < length; i++)
    out[i] = length == 1 ? value : extract(e, value, i);
}

static void store_run(walk_t *w, int64_t reg, int64_t length) {
  strata_emitter_t *e = &w->d->e;
  MlirValue values[STRATA_VECTOR_BYTES], value = w->shape->values[reg];
  for (int64_t i = 0; i < length; i++)
    values[i] = w->shape->values[reg + i * w->step];
  if (length > 1)
    value = strata_emit_value(e, "vector.from_elements", (int)length, values,
                              mlirVectorTypeGet(1, &length, memory_type(w)), 0, NULL);
  MlirValue operands[] = {value, w->transfer->flat, position_of(w, &w->items[reg])};
  strata_named_attr_t attr = {"nontemporal", strata_bool_attr(e->context, true)};
  strata_emit_op(e, length == 1 ? "memref.store" : "vector.store", 3, operands, 0, NULL, w->transfer->is_streaming,
                 &attr);
}

// Bases are emitted before branches, where all of them can use them.
static void emit_bases(walk_t *w) {
  for (int64_t reg = 0; reg < w->shape->count; reg++)
    if (!w->items[reg].is_never)
      base_value(w, w->items[reg].base);
}

//===-- Loads ----------------------------------------------------------------------------------------------------===//

static MlirAttribute zero_attr(MlirType element) {
  return mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(element), element, 0)
                                   : mlirIntegerAttrGet(element, 0);
}

static MlirValue emit_pad(walk_t *w) {
  MlirType element = memory_type(w);
  MlirAttribute pad = w->transfer->pad;
  return strata_emit_constant(&w->d->e, element, mlirAttributeIsNull(pad) ? zero_attr(element) : pad);
}

// Loads all registers with the conditions of |first|; their numbers go to |members|.
static int64_t load_members(walk_t *w, int64_t first, int64_t *members, MlirValue *values) {
  int64_t n_members = 0;
  for (int64_t reg = first; reg < w->shape->count; reg++) {
    item_t *item = &w->items[reg];
    if (item->is_done || item->same != reg || !same_conditions(item, &w->items[first]))
      continue;
    int64_t length = run_length(w, reg);
    load_run(w, reg, length, values + n_members);
    for (int64_t i = 0; i < length; i++) {
      w->items[reg + i * w->step].is_done = true;
      members[n_members++] = reg + i * w->step;
    }
  }
  return n_members;
}

static void load_group(walk_t *w, int64_t first, strata_registers_t *registers, int64_t *members, MlirValue *values) {
  strata_emitter_t *e = &w->d->e;
  MlirValue condition = emit_conditions(w, &w->items[first], (MlirValue){0});
  if (mlirValueIsNull(condition)) {
    int64_t count = load_members(w, first, members, values);
    for (int64_t i = 0; i < count; i++)
      registers->values[members[i]] = values[i];
    return;
  }
  MlirValue pad = emit_pad(w);
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock outer = e->block;
  e->block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(regions[0], e->block);
  int64_t count = load_members(w, first, members, values);
  strata_emit_op(e, "scf.yield", (int)count, values, 0, NULL, 0, NULL);
  e->block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(regions[1], e->block);
  MlirType *types = strata_arena_array(w->d->compile->arena, MlirType, count);
  for (int64_t i = 0; i < count; i++) {
    values[i] = pad;
    types[i] = memory_type(w);
  }
  strata_emit_op(e, "scf.yield", (int)count, values, 0, NULL, 0, NULL);
  e->block = outer;
  MlirOperation branch = strata_op_create(e->location, "scf.if", 1, &condition, (int)count, types, 0, NULL, 2, regions);
  mlirBlockAppendOwnedOperation(outer, branch);
  for (int64_t i = 0; i < count; i++)
    registers->values[members[i]] = mlirOperationGetResult(branch, i);
}

strata_status_t strata_transfer_load(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                                     strata_registers_t *registers) {
  walk_t w = begin(d, transfer, registers, false);
  int64_t *members = strata_arena_array(d->compile->arena, int64_t, registers->count);
  MlirValue *values = strata_arena_array(d->compile->arena, MlirValue, registers->count);
  emit_bases(&w);
  for (int64_t reg = 0; reg < registers->count; reg++) {
    item_t *item = &w.items[reg];
    if (item->is_never)
      registers->values[reg] = emit_pad(&w);
    else if (item->same != reg)
      registers->values[reg] = registers->values[item->same];
    else if (!item->is_done)
      load_group(&w, reg, registers, members, values);
  }
  return NULL;
}

//===-- Stores ---------------------------------------------------------------------------------------------------===//

static void store_members(walk_t *w, int64_t first) {
  for (int64_t reg = first; reg < w->shape->count; reg++) {
    item_t *item = &w->items[reg];
    if (item->is_done || item->is_never || item->same != reg || !same_conditions(item, &w->items[first]))
      continue;
    int64_t length = run_length(w, reg);
    store_run(w, reg, length);
    for (int64_t i = 0; i < length; i++)
      w->items[reg + i * w->step].is_done = true;
  }
}

strata_status_t strata_transfer_store(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                                      const strata_registers_t *registers) {
  walk_t w = begin(d, transfer, registers, true);
  emit_bases(&w);
  for (int64_t reg = 0; reg < registers->count; reg++) {
    item_t *item = &w.items[reg];
    if (item->is_never || item->is_done || item->same != reg)
      continue;
    MlirValue condition = emit_conditions(&w, item, transfer->is_private ? (MlirValue){0} : d->active);
    if (mlirValueIsNull(condition)) {
      store_members(&w, reg);
      continue;
    }
    strata_loop_t branch = strata_emit_if_begin(&d->e, condition);
    store_members(&w, reg);
    strata_emit_if_end(&d->e, branch);
  }
  return NULL;
}
