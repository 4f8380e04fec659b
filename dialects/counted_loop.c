// See counted_loop.h.
#include "dialects/counted_loop.h"

#include "dialects/mlir_util.h"

enum { N_PARTS = 4 };

bool strata_op_is_loop(MlirOperation func) {
  return strata_op_is(func, "func.func") && !mlirAttributeIsNull(strata_attr(func, "strata.body"));
}

strata_counted_loop_t strata_counted_loop_read(MlirOperation declaration) {
  strata_counted_loop_t loop = {.declaration = declaration};
  int64_t parts[N_PARTS] = {0}, reversed[STRATA_LOOP_MAX_ARGS] = {0};
  MlirAttribute body = strata_attr(declaration, "strata.body");
  loop.body = mlirAttributeIsAFlatSymbolRef(body) ? mlirFlatSymbolRefAttrGetValue(body) : strata_str("");
  loop.count = strata_attr_i64(declaration, "strata.count", 0);
  strata_attr_i64s(declaration, "strata.parts", N_PARTS, parts);
  strata_attr_i64s(declaration, "strata.reversed", STRATA_LOOP_MAX_ARGS, reversed);
  loop.n_states = (int)parts[0];
  loop.n_inputs = (int)parts[1];
  loop.n_captured = (int)parts[2];
  loop.n_outputs = (int)parts[3];
  for (int i = 0; i < STRATA_LOOP_MAX_ARGS; i++)
    loop.reversed[i] = reversed[i] != 0;
  return loop;
}

void strata_counted_loop_write(const strata_counted_loop_t *loop) {
  MlirContext context = mlirOperationGetContext(loop->declaration);
  int64_t parts[N_PARTS] = {loop->n_states, loop->n_inputs, loop->n_captured, loop->n_outputs};
  int64_t reversed[STRATA_LOOP_MAX_ARGS];
  for (int i = 0; i < loop->n_inputs + loop->n_outputs; i++)
    reversed[i] = loop->reversed[i];
  strata_set_attr(loop->declaration, "strata.body", mlirFlatSymbolRefAttrGet(context, loop->body));
  strata_set_attr(loop->declaration, "strata.count", strata_i64_attr(context, loop->count));
  strata_set_attr(loop->declaration, "strata.parts", strata_i64s_attr(context, N_PARTS, parts));
  strata_set_attr(loop->declaration, "strata.reversed",
                  strata_i64s_attr(context, loop->n_inputs + loop->n_outputs, reversed));
}

MlirOperation strata_called_loop(MlirModule module, MlirOperation call) {
  if (!strata_op_is(call, "func.call"))
    return (MlirOperation){0};
  MlirOperation func = strata_find_symbol(module, mlirFlatSymbolRefAttrGetValue(strata_attr(call, "callee")));
  return !mlirOperationIsNull(func) && strata_op_is_loop(func) ? func : (MlirOperation){0};
}

//===-- Checking -------------------------------------------------------------------------------------------------===//

static bool has_body(MlirOperation func) {
  return !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
}

static MlirType function_type(MlirOperation func) { return mlirTypeAttrGetValue(strata_attr(func, "function_type")); }

// |row| is |whole| without its first dim, which is |count|.
static bool is_row(MlirType row, MlirType whole, int64_t count) {
  if (!mlirTypeIsARankedTensor(row) || !mlirTypeIsARankedTensor(whole) || mlirShapedTypeGetRank(whole) < 1 ||
      mlirShapedTypeGetRank(whole) - 1 != mlirShapedTypeGetRank(row) || mlirShapedTypeGetDimSize(whole, 0) != count ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(row), mlirShapedTypeGetElementType(whole)))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(row); i++)
    if (mlirShapedTypeGetDimSize(row, i) != mlirShapedTypeGetDimSize(whole, i + 1))
      return false;
  return true;
}

static bool types_fit(const strata_counted_loop_t *loop, MlirType whole, MlirType body) {
  int n_operands = strata_counted_loop_n_operands(loop), n_results = strata_counted_loop_n_results(loop);
  if (mlirFunctionTypeGetNumInputs(whole) != n_operands || mlirFunctionTypeGetNumInputs(body) != n_operands ||
      mlirFunctionTypeGetNumResults(whole) != n_results || mlirFunctionTypeGetNumResults(body) != n_results)
    return false;
  for (int i = 0; i < n_operands; i++) {
    MlirType of_loop = mlirFunctionTypeGetInput(whole, i), of_body = mlirFunctionTypeGetInput(body, i);
    bool is_scan = i >= loop->n_states && i < loop->n_states + loop->n_inputs;
    if (is_scan ? !is_row(of_body, of_loop, loop->count) : !mlirTypeEqual(of_body, of_loop))
      return false;
  }
  for (int i = 0; i < n_results; i++) {
    MlirType of_loop = mlirFunctionTypeGetResult(whole, i), of_body = mlirFunctionTypeGetResult(body, i);
    bool fits = i < loop->n_states
                    ? mlirTypeEqual(of_body, of_loop) && mlirTypeEqual(of_loop, mlirFunctionTypeGetInput(whole, i))
                    : is_row(of_body, of_loop, loop->count);
    if (!fits)
      return false;
  }
  return true;
}

static bool has_sane_parts(MlirOperation declaration) {
  int64_t parts[N_PARTS];
  if (strata_attr_i64s(declaration, "strata.parts", N_PARTS, parts) != N_PARTS)
    return false;
  for (int i = 0; i < N_PARTS; i++)
    if (parts[i] < 0 || parts[i] > STRATA_LOOP_MAX_ARGS)
      return false;
  int64_t reversed[STRATA_LOOP_MAX_ARGS], n_scans = parts[1] + parts[3];
  return 2 * parts[0] + n_scans + parts[2] < STRATA_LOOP_MAX_ARGS &&
         strata_attr_i64s(declaration, "strata.reversed", STRATA_LOOP_MAX_ARGS, reversed) == n_scans;
}

static strata_status_t broken(MlirOperation loop, const char *fault) {
  MlirStringRef name = strata_attr_str(loop, "sym_name");
  return strata_error(STRATA_INVALID_ARGUMENT, "loop @%.*s: %s", (int)name.length, name.data, fault);
}

// @main, or the body of another loop.
static bool is_taken(MlirModule module, const strata_counted_loop_t *loop) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_loop(op) && !mlirOperationEqual(op, loop->declaration) &&
        mlirStringRefEqual(strata_counted_loop_read(op).body, loop->body))
      return true;
  return strata_str_equal(loop->body, "main");
}

static strata_status_t check_loop(MlirModule module, MlirOperation declaration) {
  strata_counted_loop_t loop = strata_counted_loop_read(declaration);
  MlirOperation body = strata_find_symbol(module, loop.body);
  if (has_body(declaration) || !has_sane_parts(declaration) || loop.count < 1)
    return broken(declaration, "expected a declaration with strata.count, strata.parts and strata.reversed");
  if (mlirOperationIsNull(body) || !has_body(body) || is_taken(module, &loop))
    return broken(declaration, "its body is no function of the module that is its own");
  if (!types_fit(&loop, function_type(declaration), function_type(body)))
    return broken(declaration, "the types of its body do not fit");
  return NULL;
}

// Every loop is called once at most, by a function behind its body, and @main by none: no loop is inside itself.
static strata_status_t check_calls(strata_arena_t *arena, MlirModule module) {
  strata_functions_t functions = strata_running_functions(arena, module);
  bool *is_used = strata_arena_array(arena, bool, functions.count);
  for (size_t i = 0; i < functions.count; i++)
    for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(functions.data[i])); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
      if (!strata_op_is(op, "func.call"))
        continue;
      MlirOperation loop = strata_called_loop(module, op);
      if (mlirOperationIsNull(loop))
        return strata_error(STRATA_INVALID_ARGUMENT, "expected calls of loops only");
      size_t body = 0;
      while (body < i && !mlirStringRefEqual(strata_attr_str(functions.data[body], "sym_name"),
                                             strata_counted_loop_read(loop).body))
        body++;
      if (body == i || is_used[body])
        return broken(loop, "expected its body before its one caller, and of no other loop");
      is_used[body] = true;
    }
  return NULL;
}

strata_status_t strata_counted_loops_verify(strata_arena_t *arena, MlirModule module) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_loop(op))
      STRATA_TRY(check_loop(module, op));
  return check_calls(arena, module);
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

strata_functions_t strata_running_functions(strata_arena_t *arena, MlirModule module) {
  strata_functions_t functions = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.func") && !strata_str_equal(strata_attr_str(op, "sym_visibility"), "private") &&
        has_body(op) && !strata_str_equal(strata_attr_str(op, "sym_name"), "prepare"))
      *strata_vector_push(arena, &functions) = op;
  return functions;
}

static bool is_called(const strata_functions_t *functions, MlirOperation loop) {
  MlirStringRef symbol = strata_attr_str(loop, "sym_name");
  for (size_t i = 0; i < functions->count; i++)
    for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(functions->data[i])); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (strata_op_is(op, "func.call") &&
          mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(strata_attr(op, "callee")), symbol))
        return true;
  return false;
}

static MlirOperation find_unused(strata_arena_t *arena, MlirModule module) {
  strata_functions_t functions = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is_loop(op))
      continue;
    if (!functions.count)
      functions = strata_running_functions(arena, module);
    if (!is_called(&functions, op))
      return op;
  }
  return (MlirOperation){0};
}

void strata_remove_unused_loops(strata_arena_t *arena, MlirModule module) {
  for (MlirOperation op; op = find_unused(arena, module), !mlirOperationIsNull(op);) {
    MlirOperation body = strata_find_symbol(module, strata_counted_loop_read(op).body);
    if (!mlirOperationIsNull(body))
      mlirOperationDestroy(body);
    mlirOperationDestroy(op);
  }
}
