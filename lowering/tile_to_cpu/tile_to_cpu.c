// tile-to-cpu: kernels over block-level vectors become functions over native registers in a module of their own.
//
//   func.func private @k(%x: memref<8x64xf32>, %y: memref<8x64xf32>) { scf.forall (%t) in (8) { ... } return }
// ->
//   func.func private @k(memref<8x64xf32>, memref<8x64xf32>) attributes {strata.tasks = 8, strata.scratch = 0}
//   module @kernels {
//     func.func @k(%x: ..., %y: ..., %begin: index, %end: index, %scratch: memref<0xi8>) {
//       scf.for %t = %begin to %end { ... } return } }
//
// The declaration that stays behind is what @main and @prepare call.
#include "dialects/affine/kernel.h"
#include "lowering/kernels.h"
#include "lowering/pipeline.h"
#include "lowering/tile_to_cpu/distribute.h"

// The new entry block: the old arguments, then begin, end and scratch (whose size is not known yet).
static void create_entry(strata_distribution_t *d, MlirBlock old) {
  intptr_t n_buffers = mlirBlockGetNumArguments(old);
  MlirType *types = strata_arena_array(d->compile->arena, MlirType, n_buffers + 3);
  MlirLocation *locations = strata_arena_array(d->compile->arena, MlirLocation, n_buffers + 3);
  for (intptr_t i = 0; i < n_buffers; i++)
    types[i] = mlirValueGetType(mlirBlockGetArgument(old, i));
  const int64_t none = 0;
  types[n_buffers] = types[n_buffers + 1] = mlirIndexTypeGet(d->e.context);
  types[n_buffers + 2] = mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(d->e.context, 8), 1, &none, (MlirAttribute){0});
  for (intptr_t i = 0; i < n_buffers + 3; i++)
    locations[i] = d->e.location;
  d->e.block = mlirBlockCreate(n_buffers + 3, types, locations);
  for (intptr_t i = 0; i < n_buffers; i++)
    strata_scalar_define(d, mlirBlockGetArgument(old, i), mlirBlockGetArgument(d->e.block, i));
  d->begin = mlirBlockGetArgument(d->e.block, n_buffers);
  d->end = mlirBlockGetArgument(d->e.block, n_buffers + 1);
  d->scratch = mlirBlockGetArgument(d->e.block, n_buffers + 2);
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
  intptr_t n_arguments = mlirBlockGetNumArguments(entry);
  MlirType *types = strata_arena_array(d->compile->arena, MlirType, n_arguments);
  for (intptr_t i = 0; i < n_arguments; i++)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  MlirType type = mlirFunctionTypeGet(d->e.context, n_arguments, types, 0, NULL);
  MlirRegion body = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(body, entry);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(d->kernels), create_func(d, name, false, type, body));
}

// Leaves a declaration in place of the kernel.
static void replace_by_declaration(strata_distribution_t *d, MlirOperation func, const char *name) {
  MlirType type = mlirTypeAttrGetValue(strata_attr(func, "function_type"));
  MlirOperation declaration = create_func(d, name, true, type, mlirRegionCreate());
  strata_set_attr(declaration, "strata.tasks", strata_i64_attr(d->e.context, d->n_tasks));
  strata_set_attr(declaration, "strata.scratch", strata_i64_attr(d->e.context, d->scratch_size));
  strata_copy_attr(func, declaration, "strata.bytes");
  strata_copy_attr(func, declaration, "strata.flops");
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
  d.arithmetic = (strata_arithmetic_t){
      .e = &d.e, .arena = compile->arena, .libm = kernels, .has_fma = device->has_fma, .has_f16 = device->has_f16};
  MlirBlock old = strata_func_body(func);
  strata_choose_lanes(&d, func);
  create_entry(&d, old);
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
