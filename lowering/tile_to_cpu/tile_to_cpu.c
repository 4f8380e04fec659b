// tile-to-cpu: kernels over block-level vectors become functions over native registers in a module of their own.
//
//   func.func private @k(%x: memref<8x64xf32>, %y: memref<8x64xf32>) { scf.forall (%t) in (8) { ... } return }
// ->
//   func.func private @k(memref<8x64xf32>, memref<8x64xf32>) attributes {strata.tasks = 8, strata.scratch = 0}
//   module @kernels {
//     func.func @k(%x: ..., %y: ..., %begin: index, %end: index, %scratch: memref<0xi8>) {
//       scf.for %t = %begin to %end { ... } return } }
//
// The declaration that stays behind is what @main and @prepare call. Where sizes vary, strata.tasks is a map over the
// module's symbols and strata.sizes, a map too, says what the index arguments in front of begin are; buffers of such
// sizes are pointers to elements, memref<0xf32>, whose positions are computed.
#include "dialects/affine/kernel.h"
#include "dialects/affine/symbols.h"
#include "dialects/affine/variants.h"
#include "dialects/integers.h"
#include "lowering/distribute/size_arguments.h"
#include "lowering/kernels.h"
#include "lowering/pipeline.h"
#include "lowering/tile_to_cpu/distribute.h"

// The new entry block: the old arguments, the symbols that are |used| and no numbers, then begin, end and scratch
// (whose size is not known yet).
static void create_entry(strata_distribution_t *d, MlirBlock old, const strata_size_symbols_t *sizes,
                         const bool *used) {
  intptr_t n_buffers = mlirBlockGetNumArguments(old);
  MlirType index = mlirIndexTypeGet(d->e.context);
  d->e.block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < n_buffers; i++) {
    MlirValue buffer = mlirBlockGetArgument(old, i);
    strata_scalar_define(
        d, buffer, mlirBlockAddArgument(d->e.block, strata_pointer_type(mlirValueGetType(buffer)), d->e.location));
  }
  for (int i = 0; i < d->n_symbols; i++)
    if (used[i] && i < sizes->count && !strata_size_varies(sizes->sizes[i]))
      d->symbols[i] = strata_emit_index(&d->e, sizes->sizes[i].min);
    else if (used[i])
      d->symbols[i] = mlirBlockAddArgument(d->e.block, index, d->e.location);
  const int64_t none = 0;
  MlirType bytes = mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(d->e.context, 8), 1, &none, (MlirAttribute){0});
  d->begin = mlirBlockAddArgument(d->e.block, index, d->e.location);
  d->end = mlirBlockAddArgument(d->e.block, index, d->e.location);
  d->scratch = mlirBlockAddArgument(d->e.block, bytes, d->e.location);
}

static MlirOperation create_func(strata_distribution_t *d, const char *name, bool is_private, MlirType type,
                                 MlirRegion body) {
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(d->e.context, name)},
      {"function_type", mlirTypeAttrGet(type)},
      {"sym_visibility", strata_str_attr(d->e.context, "private")},
  };
  return strata_op_create(d->e.location, "func.func", 0, NULL, 0, NULL, is_private ? 3 : 2, attrs, 1, &body);
}

// Gives the scratch argument its size and puts the new function into the kernels' module.
static void finish_kernel(strata_distribution_t *d, const char *name, MlirBlock entry) {
  MlirType bytes =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(d->e.context, 8), 1, &d->scratch_size, (MlirAttribute){0});
  mlirValueSetType(d->scratch, bytes);
  MlirType type = strata_block_function_type(d->compile->arena, entry);
  MlirRegion body = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(body, entry);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(d->kernels), create_func(d, name, false, type, body));
}

// The number of tasks: an integer, or a map over the module's symbols.
static MlirAttribute tasks_attr(strata_distribution_t *d) {
  if (mlirAffineExprIsNull(d->n_tasks_expr))
    return strata_i64_attr(d->e.context, d->n_tasks);
  int n_symbols = strata_expr_symbols(d->n_tasks_expr);
  return mlirAffineMapAttrGet(mlirAffineMapGet(d->e.context, 0, n_symbols, 1, &d->n_tasks_expr));
}

// Leaves a declaration in place of the kernel.
static void replace_by_declaration(strata_distribution_t *d, MlirOperation func, const char *name) {
  MlirType type = mlirTypeAttrGetValue(strata_attr(func, "function_type"));
  MlirOperation declaration = create_func(d, name, true, type, mlirRegionCreate());
  strata_set_attr(declaration, "strata.tasks", tasks_attr(d));
  strata_set_size_arguments(d->arithmetic.arena, declaration, d->n_symbols, d->symbols);
  strata_set_attr(declaration, "strata.scratch", strata_i64_attr(d->e.context, d->scratch_size));
  strata_copy_attr(func, declaration, "strata.bytes");
  strata_copy_attr(func, declaration, "strata.flops");
  strata_variants_copy_attrs(func, declaration);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(func), func, declaration);
  mlirOperationDestroy(func);
}

static int count_spaces(MlirBlock body) {
  int count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    count += strata_op_is(op, "scf.forall");
  return count;
}

static strata_status_t lower_kernel(strata_compile_t *compile, const strata_cpu_device_t *device, MlirModule kernels,
                                    MlirOperation func) {
  MlirStringRef symbol = strata_attr_str(func, "sym_name");
  const char *name = strata_arena_printf(compile->arena, "%.*s", (int)symbol.length, symbol.data);
  strata_distribution_t d = {
      .compile = compile,
      .device = device,
      .values = strata_cpu_records(compile->arena),
      .e = {.context = compile->context, .location = mlirOperationGetLocation(func)},
      .lanes = strata_native_lanes(func, device),
      .kernels = kernels,
      .n_spaces = count_spaces(strata_func_body(func)),
      .n_tasks = STRATA_NO_TASKS,
  };
  d.arithmetic = (strata_arithmetic_t){.e = &d.e,
                                       .arena = compile->arena,
                                       .libm = kernels,
                                       .has_fma = device->has_fma,
                                       .has_f16 = device->has_f16,
                                       .quad_products = device->quad_products,
                                       .has_byte_pairs = device->has_byte_pairs};
  MlirBlock old = strata_func_body(func);
  strata_choose_lanes(&d, func);
  bool *used;
  d.sizes = strata_symbols_of(compile->arena, func);
  d.n_symbols = (int)strata_max(strata_used_symbols(compile->arena, func, 1, &used), d.sizes.count);
  d.symbols = strata_arena_array(compile->arena, MlirValue, d.n_symbols + 1);
  create_entry(&d, old, &d.sizes, used);
  MlirBlock entry = d.e.block;
  STRATA_TRY(strata_status_context(strata_distribute_block(&d, old), "kernel %s", name));
  if (d.n_tasks == STRATA_NO_TASKS)
    d.n_tasks = 1; // no forall: the whole body is one task
  strata_store_small_floats(entry, 16);
  finish_kernel(&d, name, entry);
  replace_by_declaration(&d, func, name);
  return NULL;
}

strata_status_t strata_pass_tile_to_cpu(strata_compile_t *compile) {
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  MlirModule kernels = strata_kernels_create(compile);
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)); !mlirOperationIsNull(op);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (strata_op_is_kernel(op))
      STRATA_TRY(lower_kernel(compile, device, kernels, op));
  }
  return NULL;
}
