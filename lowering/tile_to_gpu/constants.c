// See constants.h. A constant is a global of the module in @main and in the bodies of loops; @prepare computes some.
#include "lowering/tile_to_gpu/constants.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "lowering/tile_to_gpu/access.h"
#include "passes/affine/calls.h"

enum { CONSTANT = 1, VARIABLE = -1 };

typedef struct {
  strata_compile_t *compile;
  MlirSymbolTable symbols;
  strata_pointer_map_t written; // globals' names: a kernel that a call runs writes them
  strata_gpu_constants_t constants;
} reader_t;

// The name of the global that |operand| is, or is a view of; null: none.
static MlirAttribute global_of(MlirValue operand) {
  MlirOperation op = strata_def(strata_calls_buffer(operand));
  bool is_global = !mlirOperationIsNull(op) && strata_op_is(op, "memref.get_global");
  return is_global ? strata_attr(op, "name") : (MlirAttribute){NULL};
}

// The kernel that |call| runs; null: a loop, or a function that is not here.
static MlirOperation kernel_of(const reader_t *reader, MlirOperation call) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(strata_attr(call, "callee"));
  MlirOperation func = mlirSymbolTableLookup(reader->symbols, name);
  return mlirOperationIsNull(func) || strata_op_is_kernel(func) ? func : (MlirOperation){NULL};
}

static MlirValue argument_of(MlirOperation func, intptr_t i) { return mlirBlockGetArgument(strata_func_body(func), i); }

static void note_written(reader_t *reader, MlirOperation call, MlirOperation func) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirAttribute name = global_of(mlirOperationGetOperand(call, i));
    if (!mlirAttributeIsNull(name) && !strata_gpu_is_read_only(argument_of(func, i)))
      *strata_pointer_map_put(&reader->written, name.ptr) = true;
  }
}

static void note_argument(reader_t *reader, MlirValue argument, bool is_constant) {
  int64_t *known = strata_pointer_map_put(&reader->constants.arguments, argument.ptr);
  *known = is_constant && *known != VARIABLE ? CONSTANT : VARIABLE;
}

// Of the kernel and its variants, which have its arguments.
static void note_arguments(reader_t *reader, MlirOperation call, MlirOperation func, bool is_running) {
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int n_variants = strata_variants_of(func, variants);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirAttribute name = global_of(mlirOperationGetOperand(call, i));
    bool is_constant = is_running && !mlirAttributeIsNull(name) && !strata_pointer_map_get(&reader->written, name.ptr);
    note_argument(reader, argument_of(func, i), is_constant);
    for (int variant = 0; variant < n_variants; variant++)
      note_argument(reader, argument_of(variants[variant], i), is_constant);
  }
}

typedef enum { WRITTEN, ARGUMENTS } strata_note_t;

static void read_calls(reader_t *reader, MlirOperation caller, strata_note_t note, bool is_running) {
  strata_operations_t calls = strata_calls_of(reader->compile->arena, caller);
  for (size_t i = 0; i < calls.count; i++) {
    MlirOperation func = kernel_of(reader, calls.data[i]);
    if (mlirOperationIsNull(func))
      continue;
    if (note == WRITTEN)
      note_written(reader, calls.data[i], func);
    else
      note_arguments(reader, calls.data[i], func, is_running);
  }
}

strata_gpu_constants_t strata_gpu_constants_read(strata_compile_t *compile) {
  reader_t reader = {.compile = compile,
                     .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module)),
                     .written = strata_pointer_map_create(compile->arena),
                     .constants = {strata_pointer_map_create(compile->arena)}};
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  MlirOperation prepare = strata_find_func(compile->module, "prepare");
  for (size_t i = 0; i < functions.count; i++)
    read_calls(&reader, functions.data[i], WRITTEN, true);
  for (size_t i = 0; i < functions.count; i++)
    read_calls(&reader, functions.data[i], ARGUMENTS, true);
  if (!mlirOperationIsNull(prepare))
    read_calls(&reader, prepare, ARGUMENTS, false);
  mlirSymbolTableDestroy(reader.symbols);
  return reader.constants;
}

bool strata_gpu_is_constant(const strata_gpu_constants_t *constants, MlirValue argument) {
  const int64_t *known = strata_pointer_map_get(&constants->arguments, argument.ptr);
  return known && *known == CONSTANT;
}
