// affine-merge-prepare: calls of @prepare that compute the same from the same constants are one.
//
//   call @k0_pack(%w, %prepared_0)   call @k5_pack(%w, %prepared_1)      // two kernels that are equal but for the name
// becomes
//   call @k0_pack(%w, %prepared_0)                                      // and @main reads @prepared_0 twice
//
// A layer that a model uses several times has one packed copy of its weights so. The walk is in the order of the calls:
// when one is reached, what it reads is already the kept buffers, so whole chains of calls merge.
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/printed.h"
#include "passes/pass.h"

// A call that is kept.
typedef struct entry {
  MlirOperation call;
  uint64_t hash;
  struct entry *next; // in the same bucket
} entry_t;

// A function as it prints behind its name.
typedef struct {
  strata_printed_t printed;
  STRATA_VECTOR(bool) writes; // by argument
} function_t;

typedef struct {
  strata_compile_t *compile;
  strata_arena_t *arena;
  MlirSymbolTable symbols;
  STRATA_VECTOR(function_t) functions;
  strata_pointer_map_t function_of; // callee's symbol reference -> 1 + index
  strata_pointer_map_t n_writers;   // by identity of a buffer: the calls that write it
  strata_pointer_map_t kept;        // symbol reference of a global that gave way -> 1 + index in |kept_symbols|
  STRATA_VECTOR(MlirAttribute) kept_symbols;
  size_t n_buckets;
  entry_t **buckets;
} merger_t;

//===-- Functions ------------------------------------------------------------------------------------------------===//

static void read_function(const merger_t *merger, MlirOperation func, function_t *out) {
  *out = (function_t){.printed = strata_print_func(merger->arena, func, true)};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(strata_func_body(func)); i++)
    *strata_vector_push(merger->arena, &out->writes) = strata_kernel_writes(func, i);
}

static const function_t *function_of(merger_t *merger, MlirOperation call) {
  MlirAttribute callee = strata_attr(call, "callee");
  int64_t *index = strata_pointer_map_put(&merger->function_of, callee.ptr);
  if (!*index) {
    MlirOperation func = mlirSymbolTableLookup(merger->symbols, mlirFlatSymbolRefAttrGetValue(callee));
    read_function(merger, func, strata_vector_push(merger->arena, &merger->functions));
    *index = (int64_t)merger->functions.count;
  }
  return &merger->functions.data[*index - 1];
}

//===-- Buffers --------------------------------------------------------------------------------------------------===//

static MlirAttribute kept_symbol(const merger_t *merger, MlirAttribute symbol) {
  const int64_t *index = strata_pointer_map_get(&merger->kept, symbol.ptr);
  return index ? merger->kept_symbols.data[*index - 1] : symbol;
}

static bool is_global(MlirValue buffer) { return strata_op_is(mlirOpResultGetOwner(buffer), "memref.get_global"); }

// What tells the buffer behind a value from all others: a global's symbol, or the allocation.
static const void *identity(const merger_t *merger, MlirValue value) {
  MlirValue buffer = strata_calls_buffer(value);
  return is_global(buffer) ? kept_symbol(merger, strata_attr(mlirOpResultGetOwner(buffer), "name")).ptr : buffer.ptr;
}

static void count_writers(merger_t *merger, const strata_operations_t *calls) {
  for (size_t i = 0; i < calls->count; i++) {
    const function_t *function = function_of(merger, calls->data[i]);
    for (size_t j = 0; j < function->writes.count; j++)
      if (function->writes.data[j])
        ++*strata_pointer_map_put(&merger->n_writers,
                                  identity(merger, mlirOperationGetOperand(calls->data[i], (intptr_t)j)));
  }
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

static uint64_t hash_call(merger_t *merger, MlirOperation call) {
  const function_t *function = function_of(merger, call);
  uint64_t hash = function->printed.hash;
  for (size_t i = 0; i < function->writes.count; i++)
    if (!function->writes.data[i])
      hash = strata_hash_pointer(hash, identity(merger, mlirOperationGetOperand(call, (intptr_t)i)));
  return hash;
}

// What a call writes may become another's if nobody else writes it, and both are of a kind.
static bool may_replace(const merger_t *merger, MlirValue a, MlirValue b) {
  const int64_t *of_a = strata_pointer_map_get(&merger->n_writers, identity(merger, a));
  const int64_t *of_b = strata_pointer_map_get(&merger->n_writers, identity(merger, b));
  MlirValue buffer_a = strata_calls_buffer(a), buffer_b = strata_calls_buffer(b);
  return *of_a == 1 && *of_b == 1 && is_global(buffer_a) >= is_global(buffer_b) &&
         mlirTypeEqual(mlirValueGetType(buffer_a), mlirValueGetType(buffer_b));
}

static bool computes_the_same(merger_t *merger, MlirOperation kept, MlirOperation call) {
  const function_t a = *function_of(merger, kept), b = *function_of(merger, call);
  if (!strata_printed_equal(&a.printed, &b.printed))
    return false;
  for (size_t i = 0; i < a.writes.count; i++) {
    MlirValue x = mlirOperationGetOperand(kept, (intptr_t)i), y = mlirOperationGetOperand(call, (intptr_t)i);
    if (a.writes.data[i] ? !may_replace(merger, x, y) : identity(merger, x) != identity(merger, y))
      return false;
  }
  return true;
}

// What |call| writes is what |kept| writes, from here on; the call goes.
static void give_way(merger_t *merger, MlirOperation call, MlirOperation kept) {
  const function_t function = *function_of(merger, call);
  for (size_t i = 0; i < function.writes.count; i++) {
    MlirValue to = strata_calls_buffer(mlirOperationGetOperand(kept, (intptr_t)i));
    MlirValue from = strata_calls_buffer(mlirOperationGetOperand(call, (intptr_t)i));
    if (!function.writes.data[i])
      continue;
    if (is_global(from)) {
      *strata_vector_push(merger->arena, &merger->kept_symbols) = strata_attr(mlirOpResultGetOwner(to), "name");
      *strata_pointer_map_put(&merger->kept, strata_attr(mlirOpResultGetOwner(from), "name").ptr) =
          (int64_t)merger->kept_symbols.count;
    }
    mlirValueReplaceAllUsesOfWith(from, to);
  }
  mlirOperationDestroy(call);
}

static void merge_calls(merger_t *merger, const strata_operations_t *calls) {
  for (size_t i = 0; i < calls->count; i++) {
    MlirOperation call = calls->data[i];
    uint64_t hash = hash_call(merger, call);
    entry_t **bucket = &merger->buckets[hash & (merger->n_buckets - 1)], *entry = *bucket;
    while (entry && (entry->hash != hash || !computes_the_same(merger, entry->call, call)))
      entry = entry->next;
    if (entry) {
      give_way(merger, call, entry->call);
      continue;
    }
    entry = strata_arena_new(merger->arena, entry_t);
    *entry = (entry_t){.call = call, .hash = hash, .next = *bucket};
    *bucket = entry;
  }
}

//===-- What is left ---------------------------------------------------------------------------------------------===//

// Reads of globals that gave way become reads of those that were kept; allocations and views without a use go.
static void clean_function(const merger_t *merger, MlirOperation func) {
  MlirBlock body = strata_func_body(func);
  strata_operations_t ops = {0};
  for (MlirOperation op = mlirBlockIsNull(body) ? (MlirOperation){0} : mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (strata_op_is(op, "memref.get_global"))
      strata_set_attr(op, "name", kept_symbol(merger, strata_attr(op, "name")));
    if (strncmp(strata_op_name(op).data, "memref.", strlen("memref.")) == 0 && mlirOperationGetNumResults(op) == 1)
      *strata_vector_push(merger->arena, &ops) = op;
  }
  for (size_t i = ops.count; i-- > 0;)
    if (!strata_value_has_uses(mlirOperationGetResult(ops.data[i], 0)))
      mlirOperationDestroy(ops.data[i]);
}

// Globals that gave way, and kernels that only calls which gave way have called.
static void remove_unused(const merger_t *merger, const strata_pointer_map_t *called) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(merger->compile->module)), next;
  for (; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirAttribute symbol = mlirFlatSymbolRefAttrGet(merger->compile->context, strata_attr_str(op, "sym_name"));
    bool gave_way =
        strata_pointer_map_get(&merger->kept, symbol.ptr) ||
        (strata_pointer_map_get(&merger->function_of, symbol.ptr) && !strata_pointer_map_get(called, symbol.ptr));
    if (gave_way)
      mlirOperationDestroy(op);
    else if (strata_op_is(op, "func.func"))
      clean_function(merger, op);
  }
}

static strata_pointer_map_t called_functions(strata_compile_t *compile) {
  strata_pointer_map_t called = strata_pointer_map_create(compile->arena);
  MlirOperation func = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module));
  for (; !mlirOperationIsNull(func); func = mlirOperationGetNextInBlock(func)) {
    MlirBlock body = strata_op_is(func, "func.func") ? strata_func_body(func) : (MlirBlock){0};
    for (MlirOperation op = mlirBlockIsNull(body) ? (MlirOperation){0} : mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      if (strata_op_is(op, "func.call"))
        *strata_pointer_map_put(&called, strata_attr(op, "callee").ptr) = 1;
  }
  return called;
}

strata_status_t strata_pass_affine_merge_prepare(strata_compile_t *compile) {
  MlirOperation prepare = strata_find_func(compile->module, "prepare");
  if (mlirOperationIsNull(prepare))
    return NULL;
  merger_t merger = {.compile = compile,
                     .arena = compile->arena,
                     .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module)),
                     .function_of = strata_pointer_map_create(compile->arena),
                     .n_writers = strata_pointer_map_create(compile->arena),
                     .kept = strata_pointer_map_create(compile->arena),
                     .n_buckets = 16};
  strata_operations_t calls = strata_calls_of(compile->arena, prepare);
  while (merger.n_buckets < calls.count)
    merger.n_buckets *= 2;
  merger.buckets = strata_arena_array(compile->arena, entry_t *, merger.n_buckets);
  count_writers(&merger, &calls);
  merge_calls(&merger, &calls);
  mlirSymbolTableDestroy(merger.symbols);
  strata_pointer_map_t called = called_functions(compile);
  remove_unused(&merger, &called);
  return NULL;
}
