// See alike.h.
#include "passes/strata/alike.h"

typedef struct {
  strata_arena_t *arena;
  const strata_pointer_map_t *is_constant;
} finder_t;

static bool is_constant(const finder_t *f, MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_pointer_map_get(f->is_constant, op.ptr);
}

strata_alike_t *strata_alike_create(strata_arena_t *arena, size_t n, int dim) {
  strata_alike_t *alike = strata_arena_new(arena, strata_alike_t);
  *alike = (strata_alike_t){.n = n, .dim = dim, .taken = strata_pointer_map_create(arena)};
  alike->values[0] = strata_arena_array(arena, MlirValue, n);
  return alike;
}

strata_dim_t strata_alike_dim(MlirValue value, int dim) { return strata_shape_of(value).dims[dim]; }

// True if a constant varies along |dim| only.
static bool is_vector(const finder_t *f, MlirValue constant, int dim) {
  strata_scalar_t scalar;
  MlirOperation broadcast = strata_def_if(constant, STRATA_OP_BROADCAST);
  if (!is_constant(f, constant) || mlirOperationIsNull(broadcast))
    return strata_splat_of(constant, &scalar);
  MlirAffineMap map = strata_map(broadcast);
  for (int i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    int64_t size;
    bool is_one = strata_dim_is_constant(strata_alike_dim(strata_operand(broadcast, 0), i), &size) && size == 1;
    if (!is_one && strata_expr_dim(mlirAffineMapGetResult(map, i)) != dim)
      return false;
  }
  return true;
}

static MlirOperation user_of(MlirOpOperand use) { return mlirOpOperandGetOwner(use); }

// The number of the value of |part| that |value| is; -1: none.
static int number_of(const strata_alike_t *alike, size_t part, MlirValue value) {
  for (int i = 0; i <= alike->n_levels; i++)
    if (mlirValueEqual(alike->values[i][part], value))
      return i;
  return -1;
}

// Whether |op| reads values of |part| and constants alone; which is the level's to be.
static bool read_operands(const finder_t *f, const strata_alike_t *alike, size_t part, MlirOperation op,
                          int *out_operands) {
  int n = (int)mlirOperationGetNumOperands(op);
  if (!strata_is_elementwise(strata_op_id(op)) || n > 2 || strata_pointer_map_get(&alike->taken, op.ptr))
    return false;
  for (int i = 0; i < n; i++) {
    out_operands[i] = number_of(alike, part, strata_operand(op, i));
    if (out_operands[i] < 0 && !is_vector(f, strata_operand(op, i), alike->dim))
      return false;
  }
  return true;
}

// The op behind value |number| of |part| that is like the level's first.
static MlirOperation find_alike(const finder_t *f, const strata_alike_t *alike, const strata_level_t *level, int number,
                                size_t part) {
  MlirOperation first = level->ops[0];
  MlirValue value = alike->values[number][part];
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = user_of(use);
    int operands[2];
    if (strata_op_id(op) == strata_op_id(first) && read_operands(f, alike, part, op, operands) &&
        strata_shape_of(strata_result(op)).type == strata_shape_of(strata_result(first)).type &&
        memcmp(operands, level->operands, sizeof *operands * (size_t)mlirOperationGetNumOperands(op)) == 0)
      return op;
  }
  return (MlirOperation){NULL};
}

static void push_level(const finder_t *f, strata_alike_t *alike, const strata_level_t *level) {
  MlirValue *results = strata_arena_array(f->arena, MlirValue, alike->n);
  for (size_t i = 0; i < alike->n; i++) {
    results[i] = strata_result(level->ops[i]);
    *strata_pointer_map_put(&alike->taken, level->ops[i].ptr) = 1;
  }
  alike->levels[alike->n_levels++] = *level;
  alike->values[alike->n_levels] = results;
}

// Adds a level that reads value |number|; false if there is none.
static bool add_level_behind(const finder_t *f, strata_alike_t *alike, int number) {
  MlirValue value = alike->values[number][0];
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    strata_level_t level = {.ops = strata_arena_array(f->arena, MlirOperation, alike->n)};
    level.ops[0] = user_of(use);
    bool is_level = read_operands(f, alike, 0, level.ops[0], level.operands);
    for (size_t i = 1; i < alike->n && is_level; i++) {
      level.ops[i] = find_alike(f, alike, &level, number, i);
      is_level = !mlirOperationIsNull(level.ops[i]);
    }
    if (is_level) {
      push_level(f, alike, &level);
      return true;
    }
  }
  return false;
}

void strata_alike_find(strata_arena_t *arena, const strata_pointer_map_t *is_constant, strata_alike_t *alike) {
  const finder_t finder = {arena, is_constant}, *f = &finder;
  bool added = true;
  while (added && alike->n_levels < STRATA_MAX_LEVELS) {
    added = false;
    for (int i = 0; i <= alike->n_levels && !added; i++)
      added = add_level_behind(f, alike, i);
  }
}

strata_alike_readers_t strata_alike_readers(const strata_alike_t *alike, MlirValue value) {
  strata_alike_readers_t readers = {false, true};
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    if (strata_pointer_map_get(&alike->taken, user_of(use).ptr))
      continue;
    readers.is_read = true;
    readers.is_read_elementwise &= strata_is_elementwise(strata_op_id(user_of(use)));
  }
  return readers;
}
