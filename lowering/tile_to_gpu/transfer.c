// Registers from and to a buffer; see access.h.
//
// The position of a register is an expression over thread, task and counters plus a constant. Registers with equal
// expressions share one base; those with neighbouring constants are one vector where that is aligned. The conditions of
// a register (hanging, padding, mask, copies) are bounds on such expressions too; registers with equal conditions are
// moved under one branch.
#include "lowering/tile_to_gpu/transfer.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"

//===-- Items ----------------------------------------------------------------------------------------------------===//

static void place(const strata_walk_t *w, strata_item_t *item, int64_t reg) {
  const strata_gpu_box_t *box = w->transfer->box;
  item->base = strata_index_at(&box->space, box->position, &w->shape->layout, box->is_linear ? 0 : reg);
  item->offset = strata_index_split(&item->base);
  for (int dim = 0; dim < w->shape->rank && box->is_linear; dim++)
    item->offset += box->steps[dim] * (strata_layout_reg_coordinate(&w->shape->layout, reg, dim) -
                                       strata_layout_reg_coordinate(&w->shape->layout, 0, dim));
}

static void find_same(const strata_walk_t *w, int64_t reg) {
  strata_item_t *item = &w->items[reg];
  item->same = reg;
  for (int64_t other = 0; other < reg && item->same == reg; other++)
    if (w->items[other].same == other && w->items[other].offset == item->offset &&
        mlirAffineExprEqual(w->items[other].base, item->base) && strata_conditions_equal(&w->items[other], item))
      item->same = other;
}

// By the digit along which memory is contiguous: a thread may hold vectors along either of two dims.
static int64_t register_step(const strata_transfer_t *transfer, const strata_registers_t *shape) {
  int64_t step = 1;
  for (int i = 0; i < shape->layout.n_reg; step *= shape->layout.reg[i++].extent) {
    const strata_digit_t *digit = &shape->layout.reg[i];
    if (digit->dim != STRATA_COPIES && transfer->box->steps[digit->dim] * digit->stride == 1)
      return step;
  }
  return 1;
}

static strata_walk_t begin(strata_gpu_distribution_t *d, strata_transfer_t *transfer, const strata_registers_t *shape,
                           bool is_store) {
  strata_walk_t w = {.d = d, .transfer = transfer, .shape = shape};
  w.element_bytes = strata_element_bytes(mlirShapedTypeGetElementType(mlirValueGetType(transfer->flat)));
  w.step = register_step(transfer, shape);
  w.items = strata_arena_array(d->compile->arena, strata_item_t, shape->count);
  w.bases = strata_arena_array(d->compile->arena, MlirAffineExpr, shape->count);
  w.base_values = strata_arena_array(d->compile->arena, MlirValue, shape->count);
  for (int64_t reg = 0; reg < shape->count; reg++) {
    place(&w, &w.items[reg], reg);
    strata_conditions_collect(transfer, shape, reg, is_store, &w.items[reg]);
    find_same(&w, reg);
  }
  return w;
}

// How many registers from |reg| on, |w->step| apart, are one vector in memory, under equal conditions or under any.
static int64_t run_of(const strata_walk_t *w, int64_t reg, bool are_equal) {
  const strata_item_t *first = &w->items[reg];
  int64_t most = STRATA_VECTOR_BYTES / w->element_bytes, length = 1;
  while (length < most && reg + length * w->step < w->shape->count) {
    const strata_item_t *item = &w->items[reg + length * w->step];
    if (item->is_done || item->same != reg + length * w->step || item->offset != first->offset + length ||
        !mlirAffineExprEqual(item->base, first->base) ||
        (are_equal ? !strata_conditions_equal(item, first) : item->is_never))
      break;
    length++;
  }
  int64_t width = 1;
  while (width * 2 <= length && first->offset % (width * 2) == 0 &&
         strata_index_is_multiple(&w->transfer->box->space, first->base, width * 2))
    width *= 2;
  return width;
}

int64_t strata_walk_run(const strata_walk_t *w, int64_t reg) { return run_of(w, reg, true); }

//===-- Emission -------------------------------------------------------------------------------------------------===//

static MlirValue base_value(strata_walk_t *w, MlirAffineExpr base) {
  for (int64_t i = 0; i < w->n_bases; i++)
    if (mlirAffineExprEqual(w->bases[i], base))
      return w->base_values[i];
  w->bases[w->n_bases] = base;
  return w->base_values[w->n_bases++] = strata_index_emit(&w->transfer->box->space, base);
}

static MlirValue position_from(strata_walk_t *w, MlirValue base, int64_t offset) {
  strata_emitter_t *e = &w->d->e;
  if (offset == 0)
    return base;
  strata_named_attr_t flags = {"overflowFlags", mlirAttributeParseGet(e->context, strata_str("#arith.overflow<nsw>"))};
  MlirValue operands[] = {base, strata_emit_index(e, offset)};
  return strata_emit_value(e, "arith.addi", 2, operands, mlirValueGetType(base), 1, &flags);
}

MlirValue strata_walk_position(strata_walk_t *w, const strata_item_t *item) {
  return position_from(w, base_value(w, item->base), item->offset);
}

static MlirValue emit_condition(strata_walk_t *w, const strata_condition_t *condition) {
  strata_emitter_t *e = &w->d->e;
  MlirValue value = strata_index_emit(&w->transfer->box->space, condition->expr);
  return strata_emit_cmpi(e, condition->is_upper ? STRATA_SLE : STRATA_SGE, value,
                          strata_emit_index(e, condition->bound));
}

// All conditions of |item| and |active|; a null value where there are none.
MlirValue strata_walk_conditions(strata_walk_t *w, const strata_item_t *item, MlirValue active) {
  MlirValue all = active;
  for (int i = 0; i < item->n_conditions; i++) {
    MlirValue one = emit_condition(w, &item->conditions[i]);
    all = mlirValueIsNull(all) ? one : strata_emit_binary(&w->d->e, "arith.andi", all, one);
  }
  return all;
}

MlirType strata_walk_element(const strata_walk_t *w) {
  return mlirShapedTypeGetElementType(mlirValueGetType(w->transfer->flat));
}

static void load_at(strata_walk_t *w, MlirValue position, int64_t length, MlirValue *out) {
  strata_emitter_t *e = &w->d->e;
  MlirValue operands[] = {w->transfer->flat, position};
  strata_named_attr_t attr = {"tile.readonly", mlirUnitAttrGet(e->context)};
  MlirType element = strata_walk_element(w), type = length == 1 ? element : mlirVectorTypeGet(1, &length, element);
  const char *name = w->transfer->is_turned ? STRATA_TILE_LOAD_TURNED : length == 1 ? "memref.load" : "vector.load";
  MlirValue value =
      strata_emit_value(e, name, 2, operands, type, w->transfer->is_readonly && !w->transfer->is_turned, &attr);
  for (int64_t i = 0; i < length; i++)
    out[i] = strata_lanes_extract(e, value, i);
}

void strata_walk_load(strata_walk_t *w, int64_t reg, int64_t length, MlirValue *out) {
  load_at(w, strata_walk_position(w, &w->items[reg]), length, out);
}

static void store_run(strata_walk_t *w, int64_t reg, int64_t length) {
  strata_emitter_t *e = &w->d->e;
  MlirValue values[STRATA_VECTOR_BYTES], value = w->shape->values[reg];
  for (int64_t i = 0; i < length; i++)
    values[i] = w->shape->values[reg + i * w->step];
  if (length > 1)
    value = strata_emit_value(e, "vector.from_elements", (int)length, values,
                              mlirVectorTypeGet(1, &length, strata_walk_element(w)), 0, NULL);
  MlirValue operands[] = {value, w->transfer->flat, strata_walk_position(w, &w->items[reg])};
  strata_named_attr_t attr = {"nontemporal", strata_bool_attr(e->context, true)};
  strata_emit_op(e, length == 1 ? "memref.store" : "vector.store", 3, operands, 0, NULL, w->transfer->is_streaming,
                 &attr);
}

// Bases are emitted before branches, where all of them can use them.
static void emit_bases(strata_walk_t *w) {
  for (int64_t reg = 0; reg < w->shape->count; reg++)
    if (!w->items[reg].is_never)
      base_value(w, w->items[reg].base);
}

//===-- Loads ----------------------------------------------------------------------------------------------------===//

MlirValue strata_walk_pad(strata_walk_t *w) {
  MlirType element = strata_walk_element(w);
  MlirAttribute pad = w->transfer->pad;
  return strata_emit_constant(&w->d->e, element, mlirAttributeIsNull(pad) ? strata_zero_attr(element) : pad);
}

// Registers that are loaded under the same conditions, run by run.
typedef struct {
  int64_t count, n_runs;
  int64_t *registers, *runs; // their numbers; how many each run has
  MlirValue *values;
} members_t;

// Loads all registers with the conditions of |first|.
static void load_members(strata_walk_t *w, int64_t first, members_t *members) {
  members->count = members->n_runs = 0;
  for (int64_t reg = first; reg < w->shape->count; reg++) {
    strata_item_t *item = &w->items[reg];
    if (item->is_done || item->same != reg || !strata_conditions_equal(item, &w->items[first]))
      continue;
    int64_t length = strata_walk_run(w, reg);
    strata_walk_load(w, reg, length, members->values + members->count);
    members->runs[members->n_runs++] = length;
    for (int64_t i = 0; i < length; i++) {
      w->items[reg + i * w->step].is_done = true;
      members->registers[members->count++] = reg + i * w->step;
    }
  }
}

// Runs pass a branch as the vectors that they were loaded as: elements of less than a word are taken apart and put
// together again there otherwise. The values are those vectors then, |n_runs|.
static void join_runs(strata_walk_t *w, members_t *members) {
  MlirValue *values = members->values;
  for (int64_t i = 0; i < members->n_runs; values += members->runs[i++])
    members->values[i] = strata_lanes_of_scalars(&w->d->e, members->runs[i], values);
}

static void split_runs(strata_walk_t *w, const members_t *members, MlirOperation branch, MlirValue *registers) {
  for (int64_t i = 0, member = 0; i < members->n_runs; i++) {
    MlirValue run = mlirOperationGetResult(branch, i);
    for (int64_t j = 0; j < members->runs[i]; j++)
      registers[members->registers[member++]] = members->runs[i] > 1 ? strata_lanes_extract(&w->d->e, run, j) : run;
  }
}

static void load_group(strata_walk_t *w, int64_t first, strata_registers_t *registers, members_t *members) {
  strata_emitter_t *e = &w->d->e;
  MlirValue condition = strata_walk_conditions(w, &w->items[first], (MlirValue){0});
  if (mlirValueIsNull(condition)) {
    load_members(w, first, members);
    for (int64_t i = 0; i < members->count; i++)
      registers->values[members->registers[i]] = members->values[i];
    return;
  }
  MlirValue pad = strata_walk_pad(w);
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock outer = e->block;
  e->block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(regions[0], e->block);
  load_members(w, first, members);
  join_runs(w, members);
  int n = (int)members->n_runs;
  strata_emit_op(e, "scf.yield", n, members->values, 0, NULL, 0, NULL);
  MlirType *types = strata_arena_array(w->d->compile->arena, MlirType, n);
  for (int i = 0; i < n; i++)
    types[i] = mlirValueGetType(members->values[i]);
  e->block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(regions[1], e->block);
  for (int i = 0; i < n; i++)
    members->values[i] =
        mlirTypeIsAVector(types[i]) ? strata_emit_value(e, "vector.broadcast", 1, &pad, types[i], 0, NULL) : pad;
  strata_emit_op(e, "scf.yield", n, members->values, 0, NULL, 0, NULL);
  e->block = outer;
  MlirOperation branch = strata_op_create(e->location, "scf.if", 1, &condition, n, types, 0, NULL, 2, regions);
  mlirBlockAppendOwnedOperation(outer, branch);
  split_runs(w, members, branch, registers->values);
}

// Registers that are yet to be loaded, each by itself and not as a part of a vector, and may not be there.
static bool *find_edges(const strata_walk_t *w) {
  strata_arena_t *arena = w->d->compile->arena;
  bool *edges = strata_arena_array(arena, bool, w->shape->count),
       *met = strata_arena_array(arena, bool, w->shape->count);
  for (int64_t reg = 0; reg < w->shape->count; reg++) {
    const strata_item_t *item = &w->items[reg];
    if (met[reg] || item->is_done || item->is_never || item->same != reg)
      continue;
    int64_t length = strata_walk_run(w, reg);
    edges[reg] = length == 1 && item->n_conditions > 0;
    for (int64_t i = 0; i < length; i++)
      met[reg + i * w->step] = true;
  }
  return edges;
}

// True if no edge in front of |reg| has its conditions.
static bool is_new(const strata_walk_t *w, const bool *edges, int64_t reg) {
  for (int64_t i = 0; i < reg; i++)
    if (edges[i] && strata_conditions_equal(&w->items[i], &w->items[reg]))
      return false;
  return true;
}

// True if loads at |edges| have more conditions than a processor has predicates for: they would wait for one another.
static bool are_many(const strata_walk_t *w, const bool *edges) {
  enum { FEW = 4 };
  int64_t count = 0;
  for (int64_t reg = 0; reg < w->shape->count && count <= FEW; reg++)
    count += edges[reg] && is_new(w, edges, reg);
  return count > FEW;
}

// The elements of the buffer, at least one; false where there may be none, or that is not known.
static bool count_elements(const strata_gpu_box_t *box, strata_size_t *out_count) {
  *out_count = strata_size_constant(1);
  for (int i = 0; i < box->rank; i++)
    *out_count = strata_size_product(*out_count, box->sizes[i]);
  return strata_size_min(*out_count) > 0;
}

// Elements at edges that vary without a branch each, where those are many: what is read where there is no such element
// is one behind it, or the buffer's last or first, and dropped. Bases are what is held back, so that accesses go on to
// differ by numbers. They stay where they are: one that is for a store under a branch would begin there, behind all
// else. Not in products, which load a step ahead and have no time for more instructions.
static void load_edges(strata_walk_t *w, strata_registers_t *registers) {
  strata_gpu_distribution_t *d = w->d;
  strata_emitter_t *e = &d->e;
  strata_size_t count;
  bool may_wait =
      d->sizes.count > 0 && !w->transfer->is_private && strata_schedule_read(d->func).kind != STRATA_KERNEL_CONTRACT;
  const bool *edges = may_wait ? find_edges(w) : NULL;
  if (!edges || !are_many(w, edges) || !count_elements(w->transfer->box, &count))
    return;
  MlirValue pad = strata_walk_pad(w);
  for (int64_t reg = 0; reg < w->shape->count; reg++) {
    strata_item_t *item = &w->items[reg];
    if (!edges[reg] || !strata_index_is_nonnegative(&w->transfer->box->space, item->base))
      continue;
    MlirValue inside = strata_walk_conditions(w, item, (MlirValue){0}), value;
    MlirValue last = strata_gpu_emit_size_plus(d, count, -1 - item->offset);
    MlirValue base = strata_emit_binary(e, "arith.minsi", base_value(w, item->base), last);
    if (item->offset < 0) // in front of a first row, the buffer's first
      base = strata_emit_with(e, "arith.maxsi", base, -item->offset);
    load_at(w, position_from(w, base, item->offset), 1, &value);
    registers->values[reg] = strata_emit_select(e, inside, value, pad);
    item->is_done = true;
  }
  strata_emit_op(e, STRATA_TILE_LOADS_BEGUN, 0, NULL, 0, NULL, 0, NULL);
}

strata_status_t strata_transfer_load(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                                     strata_registers_t *registers) {
  strata_walk_t w = begin(d, transfer, registers, false);
  members_t members = {.registers = strata_arena_array(d->compile->arena, int64_t, registers->count),
                       .runs = strata_arena_array(d->compile->arena, int64_t, registers->count),
                       .values = strata_arena_array(d->compile->arena, MlirValue, registers->count)};
  emit_bases(&w);
  strata_unaligned_load(&w, registers);
  load_edges(&w, registers);
  for (int64_t reg = 0; reg < registers->count; reg++) {
    strata_item_t *item = &w.items[reg];
    if (item->is_never)
      registers->values[reg] = strata_walk_pad(&w);
    else if (item->same != reg)
      registers->values[reg] = registers->values[item->same];
    else if (!item->is_done)
      load_group(&w, reg, registers, &members);
  }
  return NULL;
}

//===-- Stores ---------------------------------------------------------------------------------------------------===//

static void store_members(strata_walk_t *w, int64_t first) {
  for (int64_t reg = first; reg < w->shape->count; reg++) {
    strata_item_t *item = &w->items[reg];
    if (item->is_done || item->is_never || item->same != reg || !strata_conditions_equal(item, &w->items[first]))
      continue;
    int64_t length = strata_walk_run(w, reg);
    store_run(w, reg, length);
    for (int64_t i = 0; i < length; i++)
      w->items[reg + i * w->step].is_done = true;
  }
}

// Adds the conditions of |item| to |all|: of bounds on one expression the tightest counts. False if they are too many.
static bool join_conditions(const strata_item_t *item, strata_item_t *all) {
  for (int i = 0; i < item->n_conditions; i++) {
    const strata_condition_t *condition = &item->conditions[i];
    int j = 0;
    while (j < all->n_conditions && !(mlirAffineExprEqual(all->conditions[j].expr, condition->expr) &&
                                      all->conditions[j].is_upper == condition->is_upper))
      j++;
    if (j == STRATA_MAX_CONDITIONS)
      return false;
    if (j == all->n_conditions)
      all->conditions[all->n_conditions++] = *condition;
    else if (condition->is_upper)
      all->conditions[j].bound = strata_min(all->conditions[j].bound, condition->bound);
    else
      all->conditions[j].bound = strata_max(all->conditions[j].bound, condition->bound);
  }
  return true;
}

static void store_one(strata_walk_t *w, int64_t reg, MlirValue active) {
  MlirValue condition = strata_walk_conditions(w, &w->items[reg], active);
  strata_loop_t branch = {0};
  if (!mlirValueIsNull(condition))
    branch = strata_emit_if_begin(&w->d->e, condition);
  store_run(w, reg, 1);
  w->items[reg].is_done = true;
  if (!mlirValueIsNull(condition))
    strata_emit_if_end(&w->d->e, branch);
}

// A vector from |reg| on across an edge that may be anywhere: as a whole where it does not reach over it, else by
// elements. False, and nothing is stored, where there is none.
static bool store_at_edge(strata_walk_t *w, int64_t reg, MlirValue active) {
  strata_emitter_t *e = &w->d->e;
  strata_item_t all = {0};
  int64_t length = w->d->sizes.count > 0 ? run_of(w, reg, false) : 1;
  if (length <= strata_walk_run(w, reg))
    return false;
  for (int64_t i = 0; i < length; i++)
    if (!join_conditions(&w->items[reg + i * w->step], &all))
      return false;
  strata_loop_t branch = strata_emit_if_begin(e, strata_walk_conditions(w, &all, active));
  store_run(w, reg, length);
  strata_emit_if_else(e, branch);
  for (int64_t i = 0; i < length; i++)
    store_one(w, reg + i * w->step, active);
  strata_emit_if_end(e, branch);
  return true;
}

strata_status_t strata_transfer_store(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                                      const strata_registers_t *registers) {
  strata_walk_t w = begin(d, transfer, registers, true);
  emit_bases(&w);
  for (int64_t reg = 0; reg < registers->count; reg++) {
    strata_item_t *item = &w.items[reg];
    if (item->is_never || item->is_done || item->same != reg)
      continue;
    MlirValue active = transfer->is_private ? (MlirValue){0} : d->role.active;
    if (store_at_edge(&w, reg, active))
      continue;
    MlirValue condition = strata_walk_conditions(&w, item, active);
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

//===-- Copies ---------------------------------------------------------------------------------------------------===//

static bool is_all_never(const strata_walk_t *w, int64_t reg, int64_t lanes) {
  bool result = true;
  for (int64_t i = 0; i < lanes; i++)
    result &= w->items[reg + i * w->step].is_never;
  return result;
}

bool strata_transfer_is_whole(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                              const strata_registers_t *shape, int64_t *out_step) {
  strata_walk_t w = begin(d, transfer, shape, false);
  int64_t lanes = STRATA_VECTOR_BYTES / w.element_bytes;
  bool is_whole = shape->count % (lanes * w.step) == 0;
  for (int64_t reg = 0; reg < shape->count && is_whole; reg++)
    is_whole = reg / w.step % lanes || is_all_never(&w, reg, lanes) ||
               (strata_walk_run(&w, reg) == lanes && !w.items[reg].is_never);
  *out_step = w.step;
  return is_whole;
}

void strata_transfer_copy(strata_gpu_distribution_t *d, strata_transfer_t *transfer, const strata_registers_t *shape,
                          strata_copy_t copy, void *user) {
  strata_walk_t w = begin(d, transfer, shape, false);
  MlirType i1 = mlirIntegerTypeGet(d->e.context, 1);
  for (int64_t reg = 0; reg < shape->count; reg++) {
    const strata_item_t *item = &w.items[reg];
    if (reg / w.step % (STRATA_VECTOR_BYTES / w.element_bytes))
      continue;
    MlirValue inside = {0}, position = item->is_never ? strata_emit_index(&d->e, 0) : strata_walk_position(&w, item);
    if (!item->is_never)
      inside = strata_walk_conditions(&w, item, inside);
    if (mlirValueIsNull(inside))
      inside = strata_emit_integer(&d->e, i1, !item->is_never);
    copy(user, reg, transfer->flat, position, inside);
  }
}

strata_transfer_t strata_gpu_transfer(strata_gpu_distribution_t *d, MlirOperation op, int buffer,
                                      strata_gpu_box_t *box) {
  return (strata_transfer_t){
      .box = box,
      .flat = strata_new_scalar(d, mlirOperationGetOperand(op, buffer)),
      .pad = strata_attr(op, "pad"),
      .mask = strata_attr(op, "mask"),
      .op = op,
      .first_symbol = buffer + 1,
  };
}
