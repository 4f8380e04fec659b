// Attention: the order of arithmetic.
//
// Values are distributed op by op, all registers of one before those of the next. Neither LLVM nor the assembler
// changes much in the order: exponentials, which take an eighth of the rate, would come in one piece, with nothing to
// fill the gaps between them. Here each op goes to where it is needed first.
#include "lowering/tile_to_gpu/attention.h"

#include <stdlib.h>

typedef struct {
  MlirOperation op;
  bool is_placed, is_used; // by another of them
} entry_t;

typedef struct {
  entry_t *entries, **by_address;
  size_t count;
  MlirOperation last; // placed
} order_t;

static bool is_arithmetic(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 &&
         (strata_op_is_arithmetic(op) || strata_op_is(op, "arith.constant") || strata_op_is(op, "affine.apply") ||
          strata_op_is(op, "gpu.shuffle") || strata_op_is(op, "vector.extract") ||
          strata_op_is(op, "vector.from_elements") || strata_op_is(op, "vector.load") ||
          strata_op_is(op, "memref.load") || strata_op_is(op, "memref.reinterpret_cast"));
}

// Branches around nothing but that: elements that are loaded where there are any.
static bool is_branch(MlirOperation op) {
  bool result = strata_op_is(op, "scf.if");
  for (intptr_t i = 0; result && i < mlirOperationGetNumRegions(op); i++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    MlirOperation at = mlirBlockIsNull(block) ? (MlirOperation){0} : mlirBlockGetFirstOperation(block);
    for (; result && !mlirOperationIsNull(at); at = mlirOperationGetNextInBlock(at))
      result = is_arithmetic(at) || strata_op_is(at, "scf.yield") || is_branch(at);
  }
  return result;
}

static int compare(const void *left, const void *right) {
  uintptr_t a = (uintptr_t)(*(entry_t *const *)left)->op.ptr, b = (uintptr_t)(*(entry_t *const *)right)->op.ptr;
  return a < b ? -1 : a > b;
}

// The entry of the op that gives |value|; NULL if it is none of them.
static entry_t *find(const order_t *order, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return NULL;
  entry_t key = {.op = mlirOpResultGetOwner(value)}, *wanted = &key;
  entry_t **found = bsearch(&wanted, order->by_address, order->count, sizeof wanted, compare);
  return found ? *found : NULL;
}

static bool collect(strata_gpu_distribution_t *d, MlirOperation first, order_t *order) {
  for (MlirOperation op = mlirOperationGetNextInBlock(first); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op), order->count++)
    if (!is_arithmetic(op) && !is_branch(op))
      return false;
  order->entries = strata_arena_array(d->compile->arena, entry_t, order->count);
  order->by_address = strata_arena_array(d->compile->arena, entry_t *, order->count);
  MlirOperation op = first;
  for (size_t i = 0; i < order->count; i++) {
    op = mlirOperationGetNextInBlock(op);
    order->entries[i] = (entry_t){.op = op};
    order->by_address[i] = &order->entries[i];
  }
  qsort(order->by_address, order->count, sizeof *order->by_address, compare);
  return true;
}

typedef void (*visit_t)(order_t *order, entry_t *entry);

typedef struct {
  order_t *order;
  visit_t visit;
} operands_t;

static MlirWalkResult visit_operands(MlirOperation op, void *user) {
  operands_t *operands = user;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
    entry_t *operand = find(operands->order, mlirOperationGetOperand(op, k));
    if (operand)
      operands->visit(operands->order, operand);
  }
  return MlirWalkResultAdvance;
}

// The entries whose values the op needs, those of its branches among them.
static void visit_needed(order_t *order, MlirOperation op, visit_t visit) {
  operands_t operands = {order, visit};
  mlirOperationWalk(op, visit_operands, &operands, MlirWalkPreOrder);
}

static void mark(order_t *order, entry_t *entry) {
  (void)order;
  entry->is_used = true;
}

static void place(order_t *order, entry_t *entry) {
  if (entry->is_placed)
    return;
  entry->is_placed = true;
  visit_needed(order, entry->op, place);
  mlirOperationMoveAfter(entry->op, order->last);
  order->last = entry->op;
}

void strata_gpu_sort_depth_first(strata_gpu_distribution_t *d, MlirOperation first) {
  order_t order = {.last = first};
  if (!collect(d, first, &order) || order.count == 0)
    return;
  for (size_t i = 0; i < order.count; i++)
    visit_needed(&order, order.entries[i].op, mark);
  for (size_t i = 0; i < order.count; i++)
    if (!order.entries[i].is_used)
      place(&order, &order.entries[i]);
}
