// A unit's candidates as modules of their own, @main with the unit's calls, which the phases behind affine make a
// library of: see tuned.h.
#include "passes/affine/tuned.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/variants.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/printed.h"
#include "passes/pass.h"
#include "passes/target.h"

enum { MOST = STRATA_TUNED_ARGUMENTS };

//===-- Arguments ------------------------------------------------------------------------------------------------===//

typedef struct {
  int n;
  MlirBlock body;
  bool are_read[MOST], are_written[MOST];
} uses_t;

// False if there are too many, or one is read and written.
static strata_status_t read_uses(strata_compile_t *compile, MlirOperation func, uses_t *out, bool *out_is_one) {
  strata_kernel_t kernel;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  *out = (uses_t){.n = (int)mlirBlockGetNumArguments(kernel.body), .body = kernel.body};
  *out_is_one = out->n <= MOST;
  for (int i = 0; i < kernel.n_nests && *out_is_one; i++)
    for (int j = 0; j < kernel.nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel.nests[i].accesses[j];
      bool is_ours = mlirValueIsABlockArgument(access->buffer) &&
                     mlirBlockEqual(mlirBlockArgumentGetOwner(access->buffer), kernel.body);
      bool *uses = access->is_store ? out->are_written : out->are_read;
      if (is_ours)
        uses[mlirBlockArgumentGetArgNumber(access->buffer)] = true;
    }
  for (int i = 0; i < out->n && *out_is_one; i++)
    *out_is_one = !(out->are_read[i] && out->are_written[i]);
  return NULL;
}

// The number of the argument that |value| is to another call, or a new one; -1: there is no room.
static int slot_of(strata_tuned_arguments_t *arguments, int n_before, MlirValue value, MlirValue inside,
                   bool is_written) {
  for (int i = 0; i < n_before; i++)
    if (mlirValueEqual(arguments->values[i], value) && arguments->are_written[i] == is_written)
      return i;
  if (arguments->n == MOST)
    return -1;
  int slot = arguments->n++;
  arguments->values[slot] = value;
  arguments->inside[slot] = inside;
  arguments->are_written[slot] = is_written;
  return slot;
}

static strata_status_t add_call(const strata_tuned_t *t, const strata_tuned_unit_t *unit, size_t index,
                                strata_tuned_arguments_t *out, bool *out_is_one) {
  uses_t *uses = strata_arena_new(t->compile->arena, uses_t);
  MlirOperation call = unit->calls.data[index];
  int n_before = out->n;
  STRATA_TRY(read_uses(t->compile, strata_callee(t->compile, call), uses, out_is_one));
  out->slots[index] = strata_arena_array(t->compile->arena, int, uses->n + 1);
  for (int i = 0; i < uses->n && *out_is_one; i++) {
    out->slots[index][i] = slot_of(out, n_before, mlirOperationGetOperand(call, i), mlirBlockGetArgument(uses->body, i),
                                   uses->are_written[i]);
    *out_is_one = out->slots[index][i] >= 0;
  }
  return NULL;
}

strata_status_t strata_tuned_arguments(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                       strata_tuned_arguments_t *out, bool *out_is_one) {
  const strata_cpu_product_t *product = unit->n_works ? unit->works[0].cpu_product : NULL;
  *out = (strata_tuned_arguments_t){.constant = -1};
  *out_is_one = unit->calls.count <= STRATA_MAX_TOGETHER;
  for (size_t i = 0; i < unit->calls.count && *out_is_one; i++)
    STRATA_TRY(add_call(t, unit, i, out, out_is_one));
  if (product && product->is_constant && product->may_have_panels)
    out->constant = (int)mlirBlockArgumentGetArgNumber(product->contraction.sides[STRATA_SIDE_V].access->buffer);
  return NULL;
}

int32_t strata_tuned_input(const strata_tuned_arguments_t *arguments, int number) {
  int32_t input = 0;
  for (int i = 0; i < number; i++)
    input += !arguments->are_written[i] && i != arguments->constant;
  return input;
}

//===-- @main ----------------------------------------------------------------------------------------------------===//

static const char *type_of(strata_arena_t *arena, const strata_tuned_arguments_t *arguments, int i) {
  return strata_type_text(arena, mlirValueGetType(arguments->inside[i]));
}

// Inputs in front of outputs.
static const char *header_text(strata_arena_t *arena, const strata_tuned_arguments_t *arguments) {
  const char *header = "";
  for (int output = 0; output < 2; output++)
    for (int i = 0; i < arguments->n; i++)
      if (arguments->are_written[i] == output && i != arguments->constant)
        header = strata_arena_printf(arena, "%s%s%%a%d: %s {strata.name = \"a%d\"%s}", header, *header ? ", " : "", i,
                                     type_of(arena, arguments, i), i, output ? ", strata.output" : "");
  return header;
}

static const char *call_text(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                             const strata_tuned_arguments_t *arguments, size_t index) {
  strata_arena_t *arena = t->compile->arena;
  MlirOperation call = unit->calls.data[index];
  MlirStringRef name = strata_attr_str(strata_callee(t->compile, call), "sym_name");
  const char *operands = "", *types = "";
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    int slot = arguments->slots[index][i];
    operands = strata_arena_printf(arena, "%s%s%%a%d", operands, i ? ", " : "", slot);
    types = strata_arena_printf(arena, "%s%s%s", types, i ? ", " : "", type_of(arena, arguments, slot));
  }
  return strata_arena_printf(arena, "func.call @%.*s(%s)%s : (%s) -> ()\n", (int)name.length, name.data, operands,
                             unit->calls.count > 1 ? " {" STRATA_LAUNCH " = 0 : i64}" : "", types);
}

// As they will be there: a call is of something that a module knows.
static const char *declarations_text(strata_arena_t *arena, const strata_tuned_unit_t *unit) {
  const char *text = "";
  for (int i = 0; i < unit->n_members; i++) {
    MlirOperation func = unit->kernels[i];
    MlirStringRef name = strata_attr_str(func, "sym_name");
    const char *types = "";
    for (intptr_t j = 0; j < mlirBlockGetNumArguments(strata_func_body(func)); j++)
      types = strata_arena_printf(
          arena, "%s%s%s", types, j ? ", " : "",
          strata_type_text(arena, mlirValueGetType(mlirBlockGetArgument(strata_func_body(func), j))));
    text = strata_arena_printf(arena, "%sfunc.func private @%.*s(%s)\n", text, (int)name.length, name.data, types);
  }
  return text;
}

// What a module begins with: the constant, whose bytes are in the file |data| beside the module's.
typedef struct {
  const char *attributes, *global, *get;
} constant_text_t;

static constant_text_t constant_text(strata_arena_t *arena, const strata_tuned_arguments_t *arguments,
                                     const char *data) {
  if (arguments->constant < 0)
    return (constant_text_t){"", "", ""};
  MlirType type = mlirValueGetType(arguments->inside[arguments->constant]);
  const char *text = strata_type_text(arena, type);
  return (constant_text_t){
      strata_arena_printf(arena,
                          " attributes {strata.data_file = \"%s\", strata.data = {constant = array<i64: 0, %lld>}}",
                          data, (long long)strata_memref_bytes(type)),
      strata_arena_printf(arena, "memref.global \"private\" @constant : %s\n", text),
      strata_arena_printf(arena, "%%a%d = memref.get_global @constant : %s\n", arguments->constant, text),
  };
}

static const char *symbols_text(const strata_tuned_t *t, const strata_tuned_unit_t *unit) {
  MlirOperation main = strata_find_symbol(t->compile->module, strata_str("main"));
  if (unit->n_points == 0)
    return "";
  return strata_arena_printf(t->compile->arena, " attributes {" STRATA_SYMBOLS " = %s}",
                             strata_attr_text(t->compile->arena, strata_attr(main, STRATA_SYMBOLS)));
}

static const char *module_text(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                               const strata_tuned_arguments_t *arguments, const char *data) {
  strata_arena_t *arena = t->compile->arena;
  constant_text_t constant = constant_text(arena, arguments, data);
  const char *calls = "";
  for (size_t i = 0; i < unit->calls.count; i++)
    calls = strata_arena_printf(arena, "%s%s", calls, call_text(t, unit, arguments, i));
  return strata_arena_printf(arena, "module%s {\n%sfunc.func @main(%s)%s {\n%s%sreturn\n}\n%s}", constant.attributes,
                             constant.global, header_text(arena, arguments), symbols_text(t, unit), constant.get, calls,
                             declarations_text(arena, unit));
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

static MlirOperation add_function(strata_compile_t *compile, MlirOperation func) {
  MlirOperation declaration = strata_find_symbol(compile->module, strata_attr_str(func, "sym_name"));
  MlirOperation copy = mlirOperationClone(func);
  mlirOperationRemoveDiscardableAttributeByName(copy, strata_str(STRATA_VARIANTS));
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(compile->module), declaration, copy);
  mlirOperationDestroy(declaration);
  return copy;
}

// A variant is the only one of its kernel; there are sizes enough at which nothing is in front of it.
static void add_variant(MlirOperation kernel, MlirOperation func, const strata_schedule_t *schedule) {
  MlirOperation variant = mlirOperationClone(func);
  mlirOperationRemoveDiscardableAttributeByName(variant, strata_str(STRATA_UNLESS));
  strata_schedule_write(variant, schedule);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(kernel), kernel, variant);
  strata_variants_add(kernel, variant);
}

static void add_functions(strata_compile_t *compile, const strata_tuned_unit_t *unit,
                          const strata_schedule_t *schedule) {
  for (int i = 0; i < unit->n_members; i++) {
    MlirOperation func = unit->members[i]->func, kernel = add_function(compile, unit->kernels[i]);
    if (mlirOperationEqual(unit->kernels[i], func))
      strata_schedule_write(kernel, schedule);
    else
      add_variant(kernel, func, schedule);
  }
}

static strata_status_t finish_affine(strata_compile_t *compile) {
  const strata_pass_table_t *tables[] = {&strata_passes};
  if (strata_target_is_gpu(compile))
    return strata_pipeline_run(compile, "affine-add-scratch,affine-split-attention,affine-count", 1, tables);
  strata_calls_t calls;
  STRATA_TRY(strata_calls_read(compile, &calls));
  STRATA_TRY(strata_cpu_pack_products(compile, &calls));
  return strata_pipeline_run(compile, "affine-split-prepare,affine-count", 1, tables);
}

static strata_status_t finish_module(strata_compile_t *compile, const strata_tuned_unit_t *unit,
                                     const strata_schedule_t *schedule, const char **out_text) {
  add_functions(compile, unit, schedule);
  STRATA_TRY(finish_affine(compile));
  strata_printed_t printed = strata_print_func(compile->arena, mlirModuleGetOperation(compile->module), false);
  *out_text = strata_arena_printf(compile->arena, "%.*s\n", (int)printed.length, printed.text);
  return NULL;
}

strata_status_t strata_tuned_module(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                    const strata_tuned_arguments_t *arguments, const char *data,
                                    const strata_schedule_t *schedule, const char **out_text) {
  strata_compile_t part = *t->compile;
  part.explain = NULL;
  part.module = mlirModuleCreateParse(part.context, strata_str(module_text(t, unit, arguments, data)));
  if (mlirModuleIsNull(part.module))
    return strata_compile_take_diagnostics(t->compile, "tuning: cannot call the kernel alone");
  strata_status_t status = finish_module(&part, unit, schedule, out_text);
  t->compile->diagnostics = part.diagnostics;
  mlirModuleDestroy(part.module);
  return status;
}
