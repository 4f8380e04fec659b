// Tables of symbols of which some are known: what is left, in the contract's order; see symbols.h.
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"
#include "dialects/strata/symbols.h"

#include <string.h>

//===-- What is used ---------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_symbols_t *symbols;
  bool *used;
} usage_t;

static void use_expr(usage_t *usage, MlirAffineExpr expr) {
  if (mlirAffineExprIsASymbol(expr)) {
    size_t symbol = (size_t)mlirAffineSymbolExprGetPosition(expr);
    if (symbol >= usage->symbols->list.count || usage->used[symbol])
      return;
    usage->used[symbol] = true;
    if (usage->symbols->list.data[symbol].op == STRATA_SYMBOL_GIVEN)
      return;
    use_expr(usage, usage->symbols->list.data[symbol].lhs);
    use_expr(usage, usage->symbols->list.data[symbol].rhs);
  } else if (mlirAffineExprIsABinary(expr)) {
    use_expr(usage, mlirAffineBinaryOpExprGetLHS(expr));
    use_expr(usage, mlirAffineBinaryOpExprGetRHS(expr));
  }
}

static void use_map(usage_t *usage, MlirAffineMap map) {
  for (intptr_t i = 0; !mlirAffineMapIsNull(map) && i < mlirAffineMapGetNumResults(map); i++)
    use_expr(usage, mlirAffineMapGetResult(map, i));
}

static void use_attr(usage_t *usage, MlirAttribute attr) {
  if (!mlirAttributeIsNull(attr) && mlirAttributeIsAAffineMap(attr))
    use_map(usage, mlirAffineMapAttrGetValue(attr));
}

static void use_arguments(usage_t *usage, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    use_map(usage, strata_type_sizes(mlirValueGetType(mlirBlockGetArgument(block, i))));
}

static MlirWalkResult use_op(MlirOperation op, void *user) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    use_map(user, strata_type_sizes(mlirValueGetType(mlirOperationGetResult(op, i))));
  strata_op_id_t id = strata_op_id(op);
  for (int i = 0; id != STRATA_OP_COUNT && i < strata__op_signature(id)->n_attrs; i++)
    use_attr(user, mlirOperationGetAttributeByName(op, strata__op_signature(id)->attrs[i].name));
  if (strata_op_is_loop(op))
    use_attr(user, strata_attr(op, STRATA_LOOP_COUNT));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      use_arguments(user, block);
  return MlirWalkResultAdvance;
}

static void find_used(usage_t *usage, MlirBlock block) {
  use_arguments(usage, block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, use_op, usage, MlirWalkPreOrder);
}

//===-- Renumbering ----------------------------------------------------------------------------------------------===//

typedef struct {
  strata_arena_t *arena;
  const strata_symbols_t *old;
  const strata_dim_t *values;
  strata_symbols_t *list;
  strata_dim_t *done;            // null: not yet
  const strata_symbol_t *failed; // a condition that is never true
} renumbering_t;

static void settle(renumbering_t *r, int symbol);

static strata_dim_t settled(renumbering_t *r, strata_dim_t dim) {
  bool *used = strata_arena_array(r->arena, bool, r->old->list.count + 1);
  strata_expr_use_symbols(dim, (int)r->old->list.count, used);
  for (size_t i = 0; i < r->old->list.count; i++)
    if (used[i])
      settle(r, (int)i);
  return strata_dim_substitute(dim, (int)r->old->list.count, r->done);
}

static void settle(renumbering_t *r, int symbol) {
  const strata_symbol_t *old = &r->old->list.data[symbol];
  if (!mlirAffineExprIsNull(r->done[symbol]))
    return;
  if (!mlirAffineExprIsNull(r->values[symbol])) {
    r->done[symbol] = settled(r, r->values[symbol]);
    return;
  }
  if (old->op == STRATA_SYMBOL_COUNTED) { // no one's any more
    r->done[symbol] = settled(r, old->lhs);
    return;
  }
  strata_dim_t lhs = settled(r, old->lhs), rhs = settled(r, old->rhs);
  if (old->op == STRATA_SYMBOL_CHECK) {
    r->done[symbol] = strata_dim_constant(mlirAffineExprGetContext(lhs), 0); // no one's
    if (!strata_symbols_check(r->arena, r->list, lhs, rhs, old->min, old->max))
      r->failed = old;
    return;
  }
  r->done[symbol] = strata_symbols_derive(r->arena, r->list, old->op, lhs, rhs);
}

strata_status_t strata_symbols_renumber(strata_arena_t *arena, MlirContext context, const strata_symbols_t *old,
                                        MlirBlock block, const strata_dim_t *values, strata_symbols_t *out,
                                        strata_dim_t *out_values) {
  int count = (int)old->list.count;
  bool *used = strata_arena_array(arena, bool, count + 1);
  find_used(&(usage_t){old, used}, block);
  *out = (strata_symbols_t){{0}};
  for (int i = 0; i < count; i++) {
    out_values[i] = (strata_dim_t){0};
    if (old->list.data[i].op != STRATA_SYMBOL_GIVEN || !mlirAffineExprIsNull(values[i]))
      continue;
    out_values[i] = strata_dim_symbol(context, (int)out->list.count);
    *strata_vector_push(arena, &out->list) = old->list.data[i];
  }
  renumbering_t r = {.arena = arena, .old = old, .values = values, .list = out, .done = out_values};
  for (int i = 0; i < count; i++)
    if (used[i] || old->list.data[i].op == STRATA_SYMBOL_CHECK || !mlirAffineExprIsNull(values[i]))
      settle(&r, i);
  return r.failed ? strata__invalid("sizes that contradict one another: %s would have to be %lld to %lld",
                                    r.failed->name, (long long)r.failed->min, (long long)r.failed->max)
                  : NULL;
}

//===-- Binding --------------------------------------------------------------------------------------------------===//

static strata_status_t bind_one(strata_compile_t *compile, const strata_symbols_t *symbols,
                                const strata_symbol_value_t *value, strata_dim_t *values) {
  for (size_t i = 0; i < strata_symbols_given(symbols); i++) {
    const strata_symbol_t *symbol = &symbols->list.data[i];
    if (strcmp(symbol->name, value->name) != 0)
      continue;
    if (value->size < symbol->min || value->size > symbol->max || value->size % symbol->multiple)
      return strata__invalid("--dim %s=%lld: expected %lld to %lld, a multiple of %lld", value->name,
                             (long long)value->size, (long long)symbol->min, (long long)symbol->max,
                             (long long)symbol->multiple);
    values[i] = strata_dim_constant(compile->context, value->size);
    return NULL;
  }
  const char *names = "";
  for (size_t i = 0; i < strata_symbols_given(symbols); i++)
    names = strata_arena_printf(compile->arena, "%s%s%s", names, i ? ", " : "", symbols->list.data[i].name);
  return strata__invalid("--dim: the model has no dimension '%s'; it has %s", value->name, *names ? names : "none");
}

strata_status_t strata_symbols_bind(strata_compile_t *compile, size_t count, const strata_symbol_value_t *values) {
  strata_symbols_t symbols, left;
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &symbols));
  size_t n = symbols.list.count;
  strata_dim_t *known = strata_arena_array(compile->arena, strata_dim_t, n + 1),
               *all = strata_arena_array(compile->arena, strata_dim_t, n + 1);
  for (size_t i = 0; i < count; i++)
    STRATA_TRY(bind_one(compile, &symbols, &values[i], known));
  if (count == 0)
    return NULL;
  MlirBlock body = mlirModuleGetBody(compile->module);
  STRATA_TRY(strata_symbols_renumber(compile->arena, compile->context, &symbols, body, known, &left, all));
  strata_symbols_replace(body, (int)n, all, NULL);
  strata_symbols_write(compile->module, &left);
  return NULL;
}
