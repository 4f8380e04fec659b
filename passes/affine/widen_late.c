// affine-widen-late: on devices that multiply bytes, what only widens elements of a buffer is computed by each of its
// readers; on GPUs what widens bytes, for floats are affine-narrow's.
//
//   nest: store(sitofp(load %q[%i, %j]), %t[%i, %j])     load %t[%a, %b]
// becomes
//   sitofp(load %q[%a, %b])
//
// So the narrow elements are in memory and not the wide ones, as between two layers of a quantised network. Products
// keep reading what is widened: they know an operand by its load. So do reads that may be outside.
#include "dialects/affine/kernel.h"
#include "dialects/affine/quads.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/nest_functions.h"
#include "passes/pass.h"
#include "passes/target.h"

static int64_t element_bits(MlirValue buffer) {
  return strata_type_info[strata_type_from_mlir(mlirShapedTypeGetElementType(mlirValueGetType(buffer)))].bits;
}

static bool is_alloc(MlirValue buffer) {
  return mlirValueIsAOpResult(buffer) && strata_op_is(mlirOpResultGetOwner(buffer), "memref.alloc");
}

static bool is_of_bytes(MlirValue buffer) {
  return strata_type_is_integer(mlirShapedTypeGetElementType(mlirValueGetType(buffer)), 8);
}

// One element of one buffer makes the element at its place in another one, a wider one that nobody sees.
static bool widens(const strata_nest_t *nest) {
  if (!strata_nest_is_unary(nest))
    return false;
  const strata_access_t *load = &nest->accesses[0], *store = &nest->accesses[1];
  return mlirAffineMapEqual(load->map, store->map) && is_alloc(store->buffer) && is_alloc(load->buffer) &&
         element_bits(load->buffer) < element_bits(store->buffer);
}

// The buffer is stored once, and else loaded.
static bool is_stored_once(MlirValue buffer) {
  int n_stores = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    bool is_store = strata_op_is(mlirOpOperandGetOwner(use), "affine.store");
    if (!is_store && !strata_op_is(mlirOpOperandGetOwner(use), "affine.load"))
      return false;
    n_stores += is_store;
  }
  return n_stores == 1;
}

static MlirOperation nest_around(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !strata_op_is(op, "affine.parallel"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static strata_status_t takes_widening(strata_compile_t *compile, MlirOperation load, bool *out_takes) {
  strata_nest_t nest;
  strata_contraction_t contraction;
  MlirOperation parallel = nest_around(load);
  *out_takes = false;
  if (mlirOperationIsNull(parallel))
    return NULL;
  STRATA_TRY(strata_nest_read(compile->arena, parallel, &nest));
  if (nest.is_serial || strata_nest_contraction(&nest, &contraction))
    return NULL;
  for (int i = 0; i < nest.n_accesses; i++)
    if (mlirOperationEqual(nest.accesses[i].op, load))
      *out_takes = mlirOperationIsNull(nest.accesses[i].guard);
  return NULL;
}

// Puts what |nest| computes in the place of |load|.
static void widen_at(const strata_nest_t *nest, MlirOperation load) {
  enum { MAX_OPS = 32 };
  MlirValue old[MAX_OPS], new[MAX_OPS];
  MlirBlock block = mlirOperationGetBlock(load);
  int count = 0;
  MlirOperation narrow = mlirOperationClone(load);
  mlirOperationSetOperand(narrow, 0, nest->accesses[0].buffer);
  mlirValueSetType(mlirOperationGetResult(narrow, 0), mlirValueGetType(nest->accesses[0].value));
  mlirBlockInsertOwnedOperationBefore(block, load, narrow);
  old[count] = nest->accesses[0].value;
  new[count++] = mlirOperationGetResult(narrow, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationEqual(op, nest->accesses[1].op);
       op = mlirOperationGetNextInBlock(op)) {
    if (mlirOperationEqual(op, nest->accesses[0].op))
      continue;
    MlirOperation copy = mlirOperationClone(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      for (int j = 0; j < count; j++)
        if (mlirValueEqual(mlirOperationGetOperand(op, i), old[j]))
          mlirOperationSetOperand(copy, i, new[j]);
    mlirBlockInsertOwnedOperationBefore(block, load, copy);
    old[count] = mlirOperationGetResult(op, 0);
    new[count++] = mlirOperationGetResult(copy, 0);
  }
  for (int j = 0; j < count; j++)
    if (mlirValueEqual(old[j], mlirOperationGetOperand(nest->accesses[1].op, 0)))
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(load, 0), new[j]);
  mlirOperationDestroy(load);
}

// Straight-line ops of one result each, few of them, the store the last.
static bool is_short(const strata_nest_t *nest) {
  enum { MOST = 16 };
  int count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationEqual(op, nest->accesses[1].op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) || ++count > MOST)
      return false;
  return true;
}

static strata_status_t widen_late(strata_compile_t *compile, const strata_nest_t *nest) {
  MlirValue buffer = nest->accesses[1].buffer;
  STRATA_VECTOR(MlirOperation) loads = {0};
  bool is_read = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    bool takes = false;
    if (mlirOperationEqual(op, nest->accesses[1].op))
      continue;
    STRATA_TRY(takes_widening(compile, op, &takes));
    if (takes)
      *strata_vector_push(compile->arena, &loads) = op;
    is_read |= !takes;
  }
  for (size_t i = 0; i < loads.count; i++)
    widen_at(nest, loads.data[i]);
  if (!is_read && loads.count) {
    mlirOperationDestroy(nest->op);
    mlirOperationDestroy(mlirOpResultGetOwner(buffer));
  }
  return NULL;
}

static strata_status_t visit(strata_compile_t *compile, MlirOperation func) {
  bool is_gpu = strata_target_is_gpu(compile);
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func)); !mlirOperationIsNull(op); op = next) {
    strata_nest_t nest;
    next = mlirOperationGetNextInBlock(op);
    if (!strata_op_is(op, "affine.parallel"))
      continue;
    STRATA_TRY(strata_nest_read(compile->arena, op, &nest));
    if (widens(&nest) && (!is_gpu || is_of_bytes(nest.accesses[0].buffer)) && is_short(&nest) &&
        is_stored_once(nest.accesses[0].buffer) && is_stored_once(nest.accesses[1].buffer))
      STRATA_TRY(widen_late(compile, &nest));
  }
  return NULL;
}

strata_status_t strata_pass_affine_widen_late(strata_compile_t *compile) {
  strata_byte_products_t bytes;
  STRATA_TRY(strata_byte_products(compile, &bytes));
  return bytes ? strata_for_each_nest_function(compile, visit) : NULL;
}
