// Fences between what threads do with shared memory themselves and what the copy engine and asynchronous matrix
// instructions do with it; see verify.h. The hardware orders the two no more than it orders threads (PTX ISA, "async
// proxy"): a load that is under way reads what the engine brings next, a store arrives after the engine has read.
//
//   load; fence; arrive               before the engine may write there again
//   store; fence; [barrier;] engine   before it reads there
//
// Each function is walked in the order of its code, loops twice, with what a thread has done since its last fence.
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "dialects/tile/verify.h"

enum {
  SHARED_SPACE = 3,
  MAX_RANGES = 64,
  MAX_PLACES = 64, // of a view: one of more may be anywhere
};

// A number that is not known: from |first| to |last| by |step|; 0: |first|.
typedef struct {
  int64_t first, step, last;
} number_t;

// Where a view may lie: |bytes| from any of |at| on, as far as that is within |base|.
typedef struct {
  MlirValue base;
  number_t at;
  int64_t bytes;
} range_t;

typedef struct {
  int count;
  range_t ranges[MAX_RANGES];
} ranges_t;

// What a thread has done to the engine's memory without a fence.
typedef struct {
  uint64_t loads, stores; // by range of ->written and ->read
} pending_t;

typedef struct {
  ranges_t written, read; // by the engine or by asynchronous matrix instructions
  MlirOperation wrong;
  const char *fault;
} check_t;

//===-- Ranges of shared memory ----------------------------------------------------------------------------------===//

static bool is_shared(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirAttribute space = mlirTypeIsAMemRef(type) ? mlirMemRefTypeGetMemorySpace(type) : (MlirAttribute){0};
  return !mlirAttributeIsNull(space) && mlirAttributeIsAInteger(space) &&
         mlirIntegerAttrGetValueInt(space) == SHARED_SPACE;
}

// Bytes of a static memref; one of bits or of other elements without a size of their own is as if without an end.
static int64_t size_of(MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(type);
  bool has_size = (mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element)) && mlirShapedTypeHasStaticShape(type);
  if (!has_size)
    return INT64_MAX / 2;
  int64_t bits = strata_element_bits(element);
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    bits *= mlirShapedTypeGetDimSize(type, i);
  return (bits + 7) / 8;
}

static number_t add(number_t a, number_t b) {
  return (number_t){a.first + b.first, strata_gcd(a.step, b.step), a.last + b.last};
}

static number_t multiply(number_t a, number_t b) {
  int64_t step = strata_gcd(strata_gcd(a.first * b.step, a.step * b.first), a.step * b.step);
  return (number_t){a.first * b.first, step, a.last * b.last};
}

// What is known of an index, none of which is below 0.
static number_t number_of(MlirValue value) {
  enum { ANY = 1 << 24 }; // beyond all shared memory, and small enough for the product of two
  number_t number = {0, 1, ANY};
  int64_t constant;
  if (strata_value_integer(value, &constant))
    return (number_t){constant, 0, constant};
  MlirOperation def = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){0};
  if (mlirOperationIsNull(def))
    return number;
  if (strata_op_is(def, "gpu.thread_id"))
    return (number_t){0, 1, strata_attr_i64(def, "upper_bound", ANY) - 1};
  if (strata_op_is(def, "arith.index_cast") || strata_op_is(def, "gpu.shuffle")) // of one lane of the warp
    return number_of(mlirOperationGetOperand(def, 0));
  if (mlirOperationGetNumOperands(def) != 2)
    return number;
  number_t a = number_of(mlirOperationGetOperand(def, 0)), b = number_of(mlirOperationGetOperand(def, 1));
  if (strata_op_is(def, "arith.addi"))
    number = add(a, b);
  else if (strata_op_is(def, "arith.muli"))
    number = multiply(a, b);
  else if (strata_op_is(def, "arith.subi"))
    number.last = a.last - b.first;
  else if (strata_op_is(def, "arith.divui") && b.first > 0)
    number.last = a.last / b.first;
  else if (strata_op_is(def, "arith.remui") && b.last > 0)
    number.last = b.last - 1;
  number.last = strata_min(number.last, ANY);
  return number;
}

static range_t whole(MlirValue base) { return (range_t){base, {0}, size_of(mlirValueGetType(base))}; }

static range_t range_of(MlirValue memory) {
  MlirOperation def = mlirValueIsAOpResult(memory) ? mlirOpResultGetOwner(memory) : (MlirOperation){0};
  if (mlirOperationIsNull(def) || mlirOperationGetNumOperands(def) == 0 || !is_shared(mlirOperationGetOperand(def, 0)))
    return whole(memory);
  range_t range = range_of(mlirOperationGetOperand(def, 0));
  if (!strata_op_is(def, "memref.view"))
    return range;
  number_t at = add(range.at, number_of(mlirOperationGetOperand(def, 1)));
  bool is_known = at.step == 0 || (at.last - at.first) / at.step < MAX_PLACES;
  return is_known ? (range_t){range.base, at, size_of(mlirValueGetType(memory))} : whole(range.base);
}

static bool is_place(const range_t *range, int64_t at) {
  return at == range->at.first ||
         (range->at.step > 0 && at <= range->at.last && at + range->bytes <= size_of(mlirValueGetType(range->base)));
}

static bool meet(const range_t *a, const range_t *b) {
  if (!strata_value_equal(a->base, b->base))
    return false;
  for (int64_t i = a->at.first; is_place(a, i); i += strata_max(a->at.step, 1))
    for (int64_t j = b->at.first; is_place(b, j); j += strata_max(b->at.step, 1))
      if (i < j + b->bytes && j < i + a->bytes)
        return true;
  return false;
}

// Which of them |memory| meets.
static uint64_t find(const ranges_t *ranges, MlirValue memory) {
  range_t range = range_of(memory);
  uint64_t found = 0;
  for (int i = 0; i < ranges->count; i++)
    found |= (uint64_t)meet(&ranges->ranges[i], &range) << i;
  return found;
}

static void add_range(ranges_t *ranges, MlirValue memory) {
  range_t range = range_of(memory);
  for (int i = 0; i < ranges->count; i++) {
    range_t *known = &ranges->ranges[i];
    if (strata_value_equal(known->base, range.base) && !memcmp(&known->at, &range.at, sizeof range.at) &&
        known->bytes == range.bytes)
      return;
  }
  if (ranges->count < MAX_RANGES)
    ranges->ranges[ranges->count++] = range;
  else
    ranges->ranges[MAX_RANGES - 1] = whole(range.base);
}

//===-- What ops do ----------------------------------------------------------------------------------------------===//

static bool engine_writes(MlirOperation op) {
  return strata_op_is(op, STRATA_TILE_BULK_LOAD) || strata_op_is(op, STRATA_TILE_BULK_MULTICAST);
}

static bool engine_reads(MlirOperation op) {
  return strata_op_is(op, STRATA_TILE_BULK_STORE) || strata_op_is(op, STRATA_TILE_MMA_ASYNC) ||
         strata_op_is(op, STRATA_TILE_MMA_REGISTERS);
}

static bool is_fence(MlirOperation op) {
  return strata_op_is(op, STRATA_TILE_FENCE) && strata_str_equal(strata_attr_str(op, "of"), "shared");
}

static bool thread_loads(MlirOperation op) {
  return strata_op_is(op, "memref.load") || strata_op_is(op, "vector.load") ||
         strata_op_is(op, STRATA_TILE_LOAD_MATRICES) || strata_op_is(op, STRATA_TILE_LOAD_CROSSED);
}

static bool thread_stores(MlirOperation op) {
  return strata_op_is(op, "memref.store") || strata_op_is(op, "vector.store");
}

static MlirWalkResult collect(MlirOperation op, void *user) {
  check_t *check = user;
  if (engine_writes(op))
    add_range(&check->written, mlirOperationGetOperand(op, 0));
  for (intptr_t i = 0; engine_reads(op) && i < mlirOperationGetNumOperands(op); i++)
    if (is_shared(mlirOperationGetOperand(op, i)))
      add_range(&check->read, mlirOperationGetOperand(op, i));
  return MlirWalkResultAdvance;
}

//===-- The walk -------------------------------------------------------------------------------------------------===//

static pending_t walk_region(check_t *check, MlirRegion region, pending_t pending);

static pending_t join(pending_t a, pending_t b) { return (pending_t){a.loads | b.loads, a.stores | b.stores}; }

static void refuse(check_t *check, MlirOperation op, const char *fault) {
  if (check->fault)
    return;
  check->wrong = op;
  check->fault = fault;
}

// One of the two branches, of which the second may be empty.
static pending_t walk_branches(check_t *check, MlirOperation op, pending_t pending) {
  pending_t then = walk_region(check, mlirOperationGetRegion(op, 0), pending);
  return join(then, walk_region(check, mlirOperationGetRegion(op, 1), pending));
}

// Never, once, or again.
static pending_t walk_loop(check_t *check, MlirOperation op, pending_t pending) {
  for (int pass = 0; pass < 2; pass++) {
    pending_t after = pending;
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
      after = walk_region(check, mlirOperationGetRegion(op, i), after);
    pending = join(pending, after);
  }
  return pending;
}

static pending_t step(check_t *check, MlirOperation op, pending_t pending) {
  if (mlirOperationGetNumRegions(op) > 0)
    return strata_op_is(op, "scf.if") ? walk_branches(check, op, pending) : walk_loop(check, op, pending);
  if (is_fence(op))
    return (pending_t){0};
  if (strata_op_is(op, STRATA_TILE_MMA_REGISTERS)) // it is issued when its registers have been loaded
    pending.loads = 0;
  if (thread_loads(op))
    pending.loads |= find(&check->written, mlirOperationGetOperand(op, 0));
  if (thread_stores(op))
    pending.stores |= find(&check->read, mlirOperationGetOperand(op, 1));
  bool writes = strata_op_is(op, STRATA_TILE_BARRIER_ARRIVE) ? pending.loads != 0
                : engine_writes(op) ? (pending.loads & find(&check->written, mlirOperationGetOperand(op, 0))) != 0
                                    : false;
  if (writes)
    refuse(check, op, "lets the copy engine write where a load is under way, without a fence");
  for (intptr_t i = 0; engine_reads(op) && i < mlirOperationGetNumOperands(op); i++)
    if (is_shared(mlirOperationGetOperand(op, i)) &&
        (pending.stores & find(&check->read, mlirOperationGetOperand(op, i))))
      refuse(check, op, "reads what threads have stored, without a fence");
  return pending;
}

static pending_t walk_region(check_t *check, MlirRegion region, pending_t pending) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      pending = step(check, op, pending);
  return pending;
}

const char *strata_tile_proxies_fault(MlirOperation func, MlirOperation *out_op) {
  check_t check = {0};
  mlirOperationWalk(func, collect, &check, MlirWalkPreOrder);
  if (check.written.count + check.read.count > 0)
    walk_region(&check, mlirOperationGetRegion(func, 0), (pending_t){0});
  *out_op = check.wrong;
  return check.fault;
}
