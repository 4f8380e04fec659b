// Loops are built as functions of their own. The ops of a body may name values of the function around it until the
// body ends: then constants, and what is computed from constants only, are copied into the body; what is the same in
// all iterations and no view is moved out of it; and the rest of what comes from outside becomes arguments.
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "dialects/strata/build.h"
#include "dialects/strata/counted.h"

// What an op computes: another value in each iteration; something from constants only; or the same in all iterations.
typedef enum { VARIABLE = 1, CONSTANT, SAME } nature_t;

typedef STRATA_VECTOR(MlirOperation) ops_t;

struct strata_loop_builder {
  strata_builder_t *b;
  strata_loop_builder_t *outer_loop; // in whose body this one is; NULL: in none
  MlirBlock outer;
  MlirOperation outer_before;
  MlirBlock body;
  strata_counted_loop_t loop;
  bool keeps_all; // nothing is computed in front of it
  STRATA_VECTOR(MlirValue) operands;
  strata_pointer_map_t natures;    // op -> nature_t
  strata_pointer_map_t moved;      // value -> 1 + index of what stands for it on the other side
  STRATA_VECTOR(MlirValue) stands; // for those
};

//===-- Beginning ------------------------------------------------------------------------------------------------===//

static bool has_whole_bytes(MlirValue value) { return strata_shape_of(value).type != STRATA_TYPE_I4; }

// No dim is 0 in all cases.
static bool has_elements(MlirValue value) {
  strata_shape_t shape = strata_shape_of(value);
  for (int i = 0; i < shape.rank; i++)
    if (strata_dim_is(shape.dims[i], 0))
      return false;
  return true;
}

static MlirType row_type(MlirContext context, MlirValue value) {
  strata_shape_t shape = strata_shape_of(value), row = shape;
  row.rank = shape.rank - 1;
  for (int i = 0; i < row.rank; i++)
    row.dims[i] = shape.dims[i + 1];
  return strata_shape_to_type(context, &row);
}

static bool add_operands(strata_loop_builder_t *l, int n, const MlirValue *values, bool is_scan, MlirValue *out_args) {
  MlirContext context = l->b->compile->context;
  for (int i = 0; i < n; i++) {
    if (mlirValueIsNull(values[i]) || !has_whole_bytes(values[i]) || !has_elements(values[i]))
      return false;
    MlirType type = is_scan ? row_type(context, values[i]) : mlirValueGetType(values[i]);
    out_args[i] = mlirBlockAddArgument(l->body, type, l->b->location);
    *strata_vector_push(l->b->compile->arena, &l->operands) = values[i];
  }
  return true;
}

static void set_count(strata_counted_loop_t *loop, strata_dim_t count) {
  loop->size = (MlirAffineExpr){0};
  loop->count = 0;
  if (!strata_dim_is_constant(count, &loop->count))
    loop->size = count;
}

static strata_loop_builder_t *create(strata_builder_t *b, strata_counted_loop_t loop) {
  if (b->status || (loop.count < 1 && !strata_counted_loop_varies(&loop)) ||
      2 * loop.n_states + loop.n_inputs >= STRATA_LOOP_MAX_ARGS)
    return NULL;
  strata_loop_builder_t *l = strata_arena_new(b->compile->arena, strata_loop_builder_t);
  *l = (strata_loop_builder_t){.b = b,
                               .outer_loop = b->loop,
                               .outer = b->block,
                               .outer_before = b->before,
                               .loop = loop,
                               .natures = strata_pointer_map_create(b->compile->arena),
                               .moved = strata_pointer_map_create(b->compile->arena)};
  l->body = mlirBlockCreate(0, NULL, NULL);
  b->block = l->body;
  b->before = (MlirOperation){0};
  b->loop = l;
  return l;
}

strata_loop_builder_t *strata_build_loop_begin(strata_builder_t *b, strata_dim_t count, int n_states,
                                               const MlirValue *states, int n_inputs, const MlirValue *inputs,
                                               const bool *reversed, MlirValue *out_args) {
  strata_counted_loop_t loop = {.n_states = n_states, .n_inputs = n_inputs};
  set_count(&loop, count);
  strata_loop_builder_t *l = create(b, loop);
  if (!l)
    return NULL;
  if (n_inputs > 0)
    memcpy(l->loop.reversed, reversed, (size_t)n_inputs * sizeof *reversed);
  if (add_operands(l, n_states, states, false, out_args) &&
      add_operands(l, n_inputs, inputs, true, out_args + n_states))
    return l;
  strata_build_loop_cancel(l);
  return NULL;
}

static MlirValue capture(strata_loop_builder_t *l, MlirValue value);

strata_loop_builder_t *strata_build_open_loop_begin(strata_builder_t *b, int64_t count, int n_states,
                                                    const MlirValue *states, MlirValue *out_args) {
  strata_loop_builder_t *l =
      create(b, (strata_counted_loop_t){.count = count, .n_states = n_states, .has_condition = true});
  if (!l || add_operands(l, n_states, states, false, out_args))
    return l;
  strata_build_loop_cancel(l);
  return NULL;
}

void strata_build_loop_set_limit(strata_loop_builder_t *l, MlirValue limit) {
  l->loop.has_limit = true;
  capture(l, limit); // the first one
}

void strata_build_loop_keep_all(strata_loop_builder_t *l) { l->keeps_all = true; }

void strata_build_loop_drop_state(strata_loop_builder_t *l, int index) {
  l->loop.has_condition &= index > 0;
  l->loop.n_states--;
  mlirBlockEraseArgument(l->body, (unsigned)index);
  l->operands.count--;
  for (size_t i = (size_t)index; i < l->operands.count; i++)
    l->operands.data[i] = l->operands.data[i + 1];
}

static void leave(strata_loop_builder_t *l) {
  l->b->block = l->outer;
  l->b->before = l->outer_before;
  l->b->loop = l->outer_loop;
}

MlirBlock strata_build_open_body(const strata_builder_t *b, int depth) {
  const strata_loop_builder_t *l = b->loop;
  for (; l && depth > 0; depth--)
    l = l->outer_loop;
  return l ? l->body : (MlirBlock){0};
}

void strata_build_loop_cancel(strata_loop_builder_t *l) {
  leave(l);
  mlirBlockDestroy(l->body);
}

//===-- Natures --------------------------------------------------------------------------------------------------===//

static bool is_inside(const strata_loop_builder_t *l, MlirOperation op) {
  return mlirBlockEqual(mlirOperationGetBlock(op), l->body);
}

static bool is_view(MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  return id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE || id == STRATA_OP_SLICE || id == STRATA_OP_BROADCAST;
}

static nature_t nature_of(strata_loop_builder_t *l, MlirValue value, int depth);

// Of an op outside: CONSTANT where it is to be copied into the body. A tree too deep for that is the same as a value.
static nature_t find_nature(strata_loop_builder_t *l, MlirOperation op, int depth) {
  enum { MAX_DEPTH = 64 };
  if (!strata_op_is_pure(op) || depth > MAX_DEPTH)
    return is_inside(l, op) ? VARIABLE : SAME;
  nature_t nature = CONSTANT;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    nature_t of_operand = nature_of(l, mlirOperationGetOperand(op, i), depth + 1);
    if (of_operand == VARIABLE)
      return VARIABLE;
    nature = of_operand == SAME ? SAME : nature;
  }
  return nature;
}

static nature_t nature_of(strata_loop_builder_t *l, MlirValue value, int depth) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op))
    return mlirBlockEqual(mlirBlockArgumentGetOwner(value), l->body) ? VARIABLE : SAME;
  const int64_t *known = strata_pointer_map_get(&l->natures, op.ptr);
  if (known)
    return (nature_t)*known;
  nature_t nature = find_nature(l, op, depth);
  *strata_pointer_map_put(&l->natures, op.ptr) = nature;
  return nature;
}

// Values that are reached from one, and are to be looked at.
typedef struct {
  strata_pointer_map_t seen;
  STRATA_VECTOR(MlirValue) open;
} reached_t;

static void reach(strata_loop_builder_t *l, reached_t *reached, MlirValue value) {
  int64_t *seen = strata_pointer_map_put(&reached->seen, value.ptr);
  if (!*seen)
    *strata_vector_push(l->b->compile->arena, &reached->open) = value;
  *seen = true;
}

// Reaches what |value| depends on; false if that cannot be known.
static bool reach_operands(strata_loop_builder_t *l, reached_t *reached, const MlirValue *results, MlirValue value) {
  MlirOperation op = strata_def(value);
  if (!mlirOperationIsNull(op)) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      reach(l, reached, mlirOperationGetOperand(op, i));
    return strata_op_is_pure(op);
  }
  intptr_t index = mlirBlockArgumentGetArgNumber(value);
  if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), l->body) || index >= l->loop.n_states)
    return false;
  reach(l, reached, l->operands.data[index]);
  reach(l, reached, results[index]);
  return true;
}

bool strata_build_loop_is_decided(strata_loop_builder_t *l, const MlirValue *results, MlirValue value) {
  reached_t reached = {.seen = strata_pointer_map_create(l->b->compile->arena)};
  reach(l, &reached, value);
  for (size_t i = 0; i < reached.open.count; i++)
    if (!reach_operands(l, &reached, results, reached.open.data[i]))
      return false;
  return true;
}

//===-- Across the border ----------------------------------------------------------------------------------------===//

static void note(strata_loop_builder_t *l, MlirValue value, MlirValue stand) {
  *strata_vector_push(l->b->compile->arena, &l->stands) = stand;
  *strata_pointer_map_put(&l->moved, value.ptr) = (int64_t)l->stands.count;
}

static const MlirValue *find_stand(const strata_loop_builder_t *l, MlirValue value) {
  const int64_t *index = strata_pointer_map_get(&l->moved, value.ptr);
  return index ? &l->stands.data[*index - 1] : NULL;
}

static void insert(strata_loop_builder_t *l, MlirOperation op, bool inside, MlirOperation before) {
  MlirBlock block = inside ? l->body : l->outer;
  if (mlirOperationIsNull(before))
    mlirBlockAppendOwnedOperation(block, op);
  else
    mlirBlockInsertOwnedOperationBefore(block, before, op);
}

// |value| on the other side of the border: a copy of what computes it there; what is there already, as it is.
// |inside|: the side it is wanted on.
static MlirValue copy_across(strata_loop_builder_t *l, MlirValue value, bool inside, MlirOperation before) {
  MlirOperation op = strata_def(value);
  const MlirValue *known = find_stand(l, value);
  if (known)
    return *known;
  if (mlirOperationIsNull(op) || is_inside(l, op) == inside)
    return value;
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); i++)
    mlirOperationSetOperand(copy, i, copy_across(l, mlirOperationGetOperand(op, i), inside, before));
  insert(l, copy, inside, before);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    note(l, mlirOperationGetResult(op, i), mlirOperationGetResult(copy, i));
  return *find_stand(l, value);
}

// What is outside and no constant becomes an argument.
static MlirValue capture(strata_loop_builder_t *l, MlirValue value) {
  const MlirValue *known = find_stand(l, value);
  if (known)
    return *known;
  MlirValue argument = mlirBlockAddArgument(l->body, mlirValueGetType(value), l->b->location);
  *strata_vector_push(l->b->compile->arena, &l->operands) = value;
  l->loop.n_captured++;
  note(l, value, argument);
  return argument;
}

static bool is_outside(const strata_loop_builder_t *l, MlirValue value) {
  MlirOperation op = strata_def(value);
  return mlirOperationIsNull(op) ? !mlirBlockEqual(mlirBlockArgumentGetOwner(value), l->body) : !is_inside(l, op);
}

// |value| of the body, or used there, as a value of the body.
static MlirValue bring_in(strata_loop_builder_t *l, MlirValue value, MlirOperation before) {
  if (!is_outside(l, value))
    return value;
  return nature_of(l, value, 0) == CONSTANT ? copy_across(l, value, true, before) : capture(l, value);
}

static ops_t ops_of_body(strata_loop_builder_t *l) {
  ops_t ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(l->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    *strata_vector_push(l->b->compile->arena, &ops) = op;
  return ops;
}

// Computes in front of the loop what is the same in all iterations. Views cost nothing where they are.
static void move_out(strata_loop_builder_t *l, const ops_t *ops) {
  for (size_t i = 0; i < ops->count; i++) {
    MlirOperation op = ops->data[i];
    bool is_moved = strata_op_is_pure(op) && !is_view(op) && !l->keeps_all;
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op) && is_moved; j++)
      is_moved = nature_of(l, mlirOperationGetResult(op, j), 0) == SAME;
    if (!is_moved)
      continue;
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++) {
      MlirValue value = mlirOperationGetResult(op, j);
      copy_across(l, value, false, l->outer_before);
    }
  }
}

// The value that stands for |value| once what is the same has been moved out.
static MlirValue settled(strata_loop_builder_t *l, MlirValue value) {
  MlirOperation op = strata_def(value);
  bool is_moved = !l->keeps_all && !mlirOperationIsNull(op) && is_inside(l, op) && strata_op_is_pure(op) &&
                  !is_view(op) && nature_of(l, value, 0) == SAME;
  return is_moved ? *find_stand(l, value) : value;
}

static void remove_dead(const ops_t *ops) {
  for (size_t i = ops->count; i-- > 0;) {
    bool is_used = !strata_op_is_pure(ops->data[i]);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(ops->data[i]); j++)
      is_used |= strata_value_has_uses(mlirOperationGetResult(ops->data[i], j));
    if (is_used)
      continue;
    mlirOperationDestroy(ops->data[i]);
    ops->data[i] = (MlirOperation){0};
  }
}

// With its terminator in place.
static void close_body(strata_loop_builder_t *l) {
  ops_t ops = ops_of_body(l);
  move_out(l, &ops);
  for (size_t i = 0; i < ops.count; i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(ops.data[i]); j++)
      mlirOperationSetOperand(ops.data[i], j, settled(l, mlirOperationGetOperand(ops.data[i], j)));
  remove_dead(&ops);
  for (size_t i = 0; i < ops.count; i++)
    for (intptr_t j = 0; !mlirOperationIsNull(ops.data[i]) && j < mlirOperationGetNumOperands(ops.data[i]); j++)
      mlirOperationSetOperand(ops.data[i], j, bring_in(l, mlirOperationGetOperand(ops.data[i], j), ops.data[i]));
}

//===-- Ending ---------------------------------------------------------------------------------------------------===//

static MlirType whole_type(MlirType row, strata_dim_t count) {
  strata_shape_t shape = strata_shape_from_type(row), whole = shape;
  whole.rank++;
  whole.dims[0] = count;
  memcpy(whole.dims + 1, shape.dims, (size_t)shape.rank * sizeof *shape.dims);
  return strata_shape_to_type(mlirTypeGetContext(row), &whole);
}

// The iterations: the rows of what is walked, whose size may have become known since the loop began.
static strata_dim_t settle_count(strata_loop_builder_t *l) {
  if (l->loop.n_inputs > 0)
    set_count(&l->loop, strata_shape_of(l->operands.data[l->loop.n_states]).dims[0]);
  return strata_counted_loop_varies(&l->loop) ? l->loop.size
                                              : strata_dim_constant(l->b->compile->context, l->loop.count);
}

static bool is_counted(const strata_loop_builder_t *l, MlirValue value) {
  strata_shape_t shape = strata_shape_of(value);
  return l->b->counting && strata_shape_is_counted(l->b->counting->symbols, &shape);
}

// Takes out sizes that depend on data, while what they depend on may be named wherever it is.
static bool bound_body(strata_loop_builder_t *l) {
  strata_status_t status = l->b->counting ? strata__bound_body(l->b->compile, l->b->counting, l->body) : NULL;
  bool is_bound = !status;
  if (status)
    strata_status_free(status);                                 // it is no loop
  l->natures = strata_pointer_map_create(l->b->compile->arena); // ops are others
  return is_bound;
}

// The results' types in the body are those of the states, or can be rows of scan outputs.
static bool results_fit(const strata_loop_builder_t *l, int n_results, const MlirValue *results) {
  if (l->b->status || n_results < l->loop.n_states)
    return false;
  for (int i = 0; i < n_results; i++) {
    if (mlirValueIsNull(results[i]) || !has_whole_bytes(results[i]) || !has_elements(results[i]) ||
        is_counted(l, results[i]))
      return false;
    if (i < l->loop.n_states ? !mlirTypeEqual(mlirValueGetType(results[i]), mlirValueGetType(l->operands.data[i]))
                             : mlirShapedTypeGetRank(mlirValueGetType(results[i])) >= STRATA_MAX_RANK)
      return false;
  }
  return true;
}

static MlirOperation create_function(strata_loop_builder_t *l, const char *name, MlirType type, MlirBlock body) {
  MlirContext context = l->b->compile->context;
  MlirRegion region = mlirRegionCreate();
  if (!mlirBlockIsNull(body))
    mlirRegionAppendOwnedBlock(region, body);
  strata_named_attr_t attrs[] = {{"sym_name", strata_str_attr(context, name)},
                                 {"function_type", mlirTypeAttrGet(type)},
                                 {"sym_visibility", strata_str_attr(context, "private")}};
  MlirOperation func =
      strata_op_create(l->b->location, "func.func", 0, NULL, 0, NULL, mlirBlockIsNull(body) ? 3 : 2, attrs, 1, &region);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(l->b->compile->module), func);
  return func;
}

// The body's function and the declaration, both at the end of the module; returns the name of the latter.
static const char *create_functions(strata_loop_builder_t *l, int n_results, const MlirType *row_types,
                                    const MlirType *result_types) {
  strata_compile_t *compile = l->b->compile;
  const char *name = strata_arena_printf(compile->arena, "loop%d", compile->n_loops++);
  const char *body_name = strata_arena_printf(compile->arena, "%s_body", name);
  size_t n = l->operands.count;
  MlirType *types = strata_arena_array(compile->arena, MlirType, n);
  for (size_t i = 0; i < n; i++)
    types[i] = mlirValueGetType(mlirBlockGetArgument(l->body, (intptr_t)i));
  create_function(l, body_name, mlirFunctionTypeGet(compile->context, (intptr_t)n, types, n_results, row_types),
                  l->body);
  for (size_t i = 0; i < n; i++)
    types[i] = mlirValueGetType(l->operands.data[i]);
  l->loop.body = strata_str(body_name);
  l->loop.declaration = create_function(
      l, name, mlirFunctionTypeGet(compile->context, (intptr_t)n, types, n_results, result_types), (MlirBlock){0});
  strata_counted_loop_write(&l->loop);
  return name;
}

// A loop that depends on constants only is better unrolled and folded.
static bool has_variable(strata_loop_builder_t *l) {
  for (size_t i = 0; i < l->operands.count; i++)
    if (nature_of(l, l->operands.data[i], 0) != CONSTANT)
      return true;
  return false;
}

static bool has_too_many_values(const strata_counted_loop_t *loop) {
  return 2 * loop->n_states + loop->n_inputs + loop->n_captured + loop->n_outputs >= STRATA_LOOP_MAX_ARGS;
}

bool strata_build_loop_end(strata_loop_builder_t *l, int n_results, const MlirValue *results, const bool *reversed,
                           MlirValue *out_results) {
  strata_compile_t *compile = l->b->compile;
  MlirType *rows = strata_arena_array(compile->arena, MlirType, n_results);
  MlirType *types = strata_arena_array(compile->arena, MlirType, n_results);
  leave(l);
  strata_dim_t count = settle_count(l);
  l->loop.n_outputs = n_results - l->loop.n_states;
  bool fits = results_fit(l, n_results, results) && !has_too_many_values(&l->loop);
  for (int i = 0; i < n_results && fits; i++) {
    rows[i] = mlirValueGetType(results[i]);
    types[i] = i < l->loop.n_states ? rows[i] : whole_type(rows[i], count);
  }
  if (fits) {
    mlirBlockAppendOwnedOperation(
        l->body, strata_op_create(l->b->location, "func.return", n_results, results, 0, NULL, 0, NULL, 0, NULL));
    if (l->loop.n_outputs > 0)
      memcpy(l->loop.reversed + l->loop.n_inputs, reversed, (size_t)l->loop.n_outputs * sizeof *reversed);
    fits = bound_body(l);
  }
  if (fits) {
    close_body(l);
    fits = !has_too_many_values(&l->loop) && (strata_counted_loop_is_open(&l->loop) || has_variable(l));
  }
  if (!fits) {
    mlirBlockDestroy(l->body);
    return false;
  }
  strata_named_attr_t callee = {
      "callee", mlirFlatSymbolRefAttrGet(compile->context, strata_str(create_functions(l, n_results, rows, types)))};
  MlirOperation call = strata_op_create(l->b->location, "func.call", (int)l->operands.count, l->operands.data,
                                        n_results, types, 1, &callee, 0, NULL);
  insert(l, call, false, l->outer_before);
  for (int i = 0; i < n_results; i++)
    out_results[i] = mlirOperationGetResult(call, i);
  return true;
}
