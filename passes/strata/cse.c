// strata-cse: of ops with equal name, operands, attributes and result types the first stays.
//
//   %1 = "strata.exp"(%x)  %2 = "strata.exp"(%x)  use(%1, %2)   ->   use(%1, %1)
//
// One walk in textual order over a hash table: when an op is reached, its operands are already the kept ones. MLIR's
// attributes, types and values are unique objects, so comparing pointers compares them.
#include "dialects/pointer_map.h"
#include "passes/pass.h"
#include "passes/strata/graph.h"

typedef struct entry {
  MlirOperation op;
  uint64_t hash;
  struct entry *next; // in the same bucket
} entry_t;

static uint64_t hash_op(MlirOperation op) {
  uint64_t hash = strata_hash_pointer(0, mlirOperationGetName(op).ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    hash = strata_hash_pointer(hash, mlirOperationGetOperand(op, i).ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++)
    hash = strata_hash_pointer(hash, mlirOperationGetAttribute(op, i).attribute.ptr);
  return hash;
}

static bool equal_operands(MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); i++)
    if (!mlirValueEqual(mlirOperationGetOperand(a, i), mlirOperationGetOperand(b, i)))
      return false;
  return true;
}

static bool equal_results(MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(a); i++)
    if (!mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(a, i)), mlirValueGetType(mlirOperationGetResult(b, i))))
      return false;
  return true;
}

static bool equal_ops(MlirOperation a, MlirOperation b) {
  return mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) &&
         mlirOperationGetNumOperands(a) == mlirOperationGetNumOperands(b) &&
         mlirOperationGetNumAttributes(a) == mlirOperationGetNumAttributes(b) &&
         mlirOperationGetNumResults(a) == mlirOperationGetNumResults(b) && equal_operands(a, b) &&
         strata_op_attrs_equal(a, b) && equal_results(a, b);
}

static void replace_by(MlirOperation op, MlirOperation kept) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), mlirOperationGetResult(kept, i));
  mlirOperationDestroy(op);
}

static strata_status_t merge_equal(strata_compile_t *compile, MlirBlock block, void *user) {
  (void)user;
  strata_ops_t ops = strata_ops_of(compile->arena, block);
  size_t n_buckets = 16;
  while (n_buckets < ops.count)
    n_buckets *= 2;
  entry_t **buckets = strata_arena_array(compile->arena, entry_t *, n_buckets);
  for (size_t i = 0; i < ops.count; i++) {
    MlirOperation op = ops.data[i];
    if (!strata_op_is_pure(op))
      continue;
    uint64_t hash = hash_op(op);
    entry_t **bucket = &buckets[hash & (n_buckets - 1)], *entry = *bucket;
    while (entry && (entry->hash != hash || !equal_ops(entry->op, op)))
      entry = entry->next;
    if (entry) {
      replace_by(op, entry->op);
    } else {
      entry = strata_arena_new(compile->arena, entry_t);
      *entry = (entry_t){.op = op, .hash = hash, .next = *bucket};
      *bucket = entry;
    }
  }
  return NULL;
}

strata_status_t strata_pass_cse(strata_compile_t *compile) { return strata_for_each_body(compile, merge_equal, NULL); }
