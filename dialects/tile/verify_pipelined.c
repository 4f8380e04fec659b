// What IRDL cannot say of the ops of pipelined products and of clusters (docs/gpu.md); see verify.h.
#include "dialects/tile/verify.h"

#include "dialects/mlir_util.h"
#include "dialects/tile/map_limits.h"
#include "dialects/tile/tile.h"

enum { SHARED_SPACE = 3, MAX_SUMS = 256 };

//===-- Tensor maps ----------------------------------------------------------------------------------------------===//

static MlirAttribute field(MlirAttribute map, const char *name) {
  return mlirAttributeIsADictionary(map) ? mlirDictionaryAttrGetElementByName(map, strata_str(name))
                                         : (MlirAttribute){0};
}

// The length of a dense i64 array; -1 if it is none.
static int64_t length(MlirAttribute array) {
  return !mlirAttributeIsNull(array) && mlirAttributeIsADenseI64Array(array) ? mlirDenseArrayGetNumElements(array) : -1;
}

static int64_t integer(MlirAttribute attr) {
  return !mlirAttributeIsNull(attr) && mlirAttributeIsAInteger(attr) ? mlirIntegerAttrGetValueInt(attr) : -1;
}

static bool all_within(MlirAttribute array, int64_t least, int64_t most, int64_t factor) {
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(array); i++) {
    int64_t value = mlirDenseI64ArrayGetElement(array, i);
    if (value < least || value > most || value % factor != 0)
      return false;
  }
  return true;
}

// The number of sizes or strides, which may vary: then they are a map of the module's symbols.
static int64_t count_sizes(MlirAttribute sizes) {
  bool varies = !mlirAttributeIsNull(sizes) && mlirAttributeIsAAffineMap(sizes) &&
                mlirAffineMapGetNumDims(mlirAffineMapAttrGetValue(sizes)) == 0;
  return varies ? mlirAffineMapGetNumResults(mlirAffineMapAttrGetValue(sizes)) : length(sizes);
}

static bool are_sizes_within(MlirAttribute sizes, int64_t least, int64_t most, int64_t factor) {
  return mlirAttributeIsAAffineMap(sizes) || all_within(sizes, least, most, factor);
}

static const char *map_fault(MlirAttribute map) {
  MlirAttribute sizes = field(map, "sizes"), strides = field(map, "strides"), box = field(map, "box"),
                steps = field(map, "steps"), type = field(map, "type");
  int64_t rank = count_sizes(sizes);
  if (rank < 1 || rank > STRATA_MAP_RANK || !are_sizes_within(sizes, 1, STRATA_MAP_MAX_SIZE, 1))
    return "has a map of other than 1 to 5 sizes from 1 to 2^32";
  if (count_sizes(strides) != rank - 1 || !are_sizes_within(strides, 0, STRATA_MAP_MAX_STRIDE, STRATA_MAP_UNIT))
    return "has a map whose strides are not multiples of 16 bytes below 2^40, one a dim but the first";
  if (length(box) != rank || !all_within(box, 1, STRATA_MAP_MAX_BOX, 1))
    return "has a map whose box is not 1 to 256 elements along each dim";
  if (length(steps) != rank || !all_within(steps, 1, STRATA_MAP_MAX_STEP, 1))
    return "has a map whose steps are not 1 to 8 along each dim";
  if (mlirAttributeIsNull(type) || !mlirAttributeIsAType(type))
    return "has a map without a type";
  if (!strata_map_is_swizzle(integer(field(map, "swizzle"))))
    return "has a map with a swizzle other than 0, 32, 64 and 128";
  return integer(field(map, "buffer")) < 0 ? "has a map without a buffer" : NULL;
}

static const char *maps_fault(MlirOperation func) {
  MlirAttribute maps = strata_attr(func, "strata.maps");
  if (mlirAttributeIsNull(maps))
    return NULL;
  if (!mlirAttributeIsAArray(maps))
    return "has strata.maps that are no array";
  const char *fault = NULL;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(maps) && !fault; i++)
    fault = map_fault(mlirArrayAttrGetElement(maps, i));
  return fault;
}

// The map that |op| names; null if there is none.
static MlirAttribute find_map(MlirOperation op) {
  MlirOperation func = op;
  while (!mlirOperationIsNull(func) && !strata_op_is(func, "func.func"))
    func = mlirOperationGetParentOperation(func);
  MlirAttribute maps = mlirOperationIsNull(func) ? (MlirAttribute){0} : strata_attr(func, "strata.maps");
  int64_t number = strata_attr_i64(op, "map", -1);
  if (mlirAttributeIsNull(maps) || !mlirAttributeIsAArray(maps) || number < 0 ||
      number >= mlirArrayAttrGetNumElements(maps))
    return (MlirAttribute){0};
  return mlirArrayAttrGetElement(maps, number);
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

// A row of elements in shared memory; |bits| of its elements, 0: any.
static bool is_shared_row(MlirOperation op, int operand, unsigned bits) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
  if (!mlirTypeIsAMemRef(type) || mlirShapedTypeGetRank(type) != 1)
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  return integer(mlirMemRefTypeGetMemorySpace(type)) == SHARED_SPACE &&
         (!bits || strata_type_is_integer(element, bits));
}

static const char *barriers_fault(MlirOperation op, int operand) {
  return is_shared_row(op, operand, 64) ? NULL : "has barriers that are no memref<Nxi64, 3>";
}

static const char *barrier_fault(MlirOperation op) { return barriers_fault(op, 0); }

static const char *expect_fault(MlirOperation op) {
  enum { MOST = 3 };
  return mlirOperationGetNumOperands(op) > MOST ? "has more than one number of bytes beside the most"
                                                : barrier_fault(op);
}

static const char *flag_fault(MlirOperation op) {
  enum { BITS = 32 };
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0)), element = mlirShapedTypeGetElementType(type);
  bool are_flags =
      mlirShapedTypeGetRank(type) == 1 && strata_type_is_integer(element, BITS) && !is_shared_row(op, 0, 0);
  return are_flags ? NULL : "has flags that are no memref<Nxi32> in global memory";
}

static const char *copy_fault(MlirOperation op) {
  bool is_load = !strata_op_is(op, STRATA_TILE_BULK_STORE);
  int n_fixed = strata_op_is(op, STRATA_TILE_BULK_MULTICAST) ? 5 : is_load ? 4 : 2;
  if (!is_shared_row(op, 0, 0))
    return "has memory that is no memref of rank 1 in space 3";
  MlirAttribute map = find_map(op);
  if (mlirAttributeIsNull(map))
    return "names a map that its function does not have";
  intptr_t rank = length(field(map, "box")), n_offsets = mlirAttributeIsNull(field(map, "lower")) ? 0 : rank - 2;
  if (mlirOperationGetNumOperands(op) - n_fixed != rank + n_offsets)
    return "has other than one coordinate a dim of its map, and an offset a dim of its window";
  if (n_offsets && !is_load)
    return "stores by a map with a window";
  return is_load ? barriers_fault(op, 2) : NULL;
}

static const char *fence_fault(MlirOperation op) {
  MlirStringRef of = strata_attr_str(op, "of");
  bool is_known = strata_str_equal(of, "shared") || strata_str_equal(of, "barriers") || strata_str_equal(of, "warp");
  return is_known ? NULL : "is of neither 'shared', 'barriers' nor 'warp'";
}

static const char *group_fault(MlirOperation op) {
  int64_t threads = strata_attr_i64(op, "threads", 0);
  return threads < 32 || threads > 1024 || threads % 32 != 0 ? "has threads that are no whole warps" : NULL;
}

static const char *registers_fault(MlirOperation op) {
  int64_t count = strata_attr_i64(op, "count", 0);
  return count < 24 || count > 256 || count % 8 != 0 ? "has a count that is no multiple of 8 from 24 to 256" : NULL;
}

static const char *wait_fault(MlirOperation op) {
  int64_t pending = strata_attr_i64(op, "pending", -1);
  return pending < 0 || pending > 7 ? "has other than 0 to 7 pending groups" : NULL;
}

static bool is_product(MlirOperation op) {
  return strata_op_is(op, STRATA_TILE_MMA_ASYNC) || strata_op_is(op, STRATA_TILE_MMA_REGISTERS);
}

// Operands that are no sums: both places, or the left operand's registers and the right one's place.
static intptr_t n_fixed(MlirOperation op) {
  return strata_op_is(op, STRATA_TILE_MMA_ASYNC) ? 4 : is_product(op) ? 6 : 0;
}

// Sums of f32 or i32, as many as go in; a product may start without any, a fence may have none.
static const char *sums_fault(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op), n_in = mlirOperationGetNumOperands(op) - n_fixed(op);
  if (n == 0 && n_in == 0 && strata_op_is(op, STRATA_TILE_MMA_FENCE))
    return NULL;
  if (n < 1 || (n_in != n && !(n_in == 0 && is_product(op))))
    return "has other than one result a sum";
  if (n > MAX_SUMS)
    return "has more than 256 sums";
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_sum = mlirTypeIsAF32(type) || strata_type_is_integer(type, 32);
  return is_sum ? NULL : "has sums of neither f32 nor i32";
}

static const char *mma_wait_fault(MlirOperation op) {
  const char *fault = sums_fault(op);
  return fault ? fault : wait_fault(op);
}

static const char *shape_fault(MlirOperation op) {
  const char *fault = sums_fault(op);
  if (fault)
    return fault;
  int64_t n = strata_attr_i64(op, "n", 0);
  if (n < 8 || n > 256 || n % 8 != 0)
    return "has an n that is no multiple of 8 from 8 to 256";
  return mlirOperationGetNumResults(op) != n / 2 ? "has other than n / 2 sums" : NULL;
}

// Of what lies in shared memory.
static const char *operand_fault(MlirOperation op, int operand, const char *side) {
  int64_t layout[4];
  if (!is_shared_row(op, operand, 0))
    return "has an operand that is no memref of rank 1 in space 3";
  if (strata_attr_i64s(op, side, 4, layout) != 4 || !strata_map_is_swizzle(layout[1]))
    return "has a layout that is not crossed, swizzle, lead, stride";
  return NULL;
}

static const char *product_fault(MlirOperation op) {
  const char *fault = shape_fault(op);
  fault = fault ? fault : operand_fault(op, 0, "left");
  return fault ? fault : operand_fault(op, 2, "right");
}

// 32 bits: two neighbours of 16, or one f32.
static bool is_word(MlirType type) {
  if (!mlirTypeIsAVector(type) || mlirShapedTypeGetRank(type) != 1)
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  return (size == 2 && (mlirTypeIsAF16(element) || mlirTypeIsABF16(element))) || (size == 1 && mlirTypeIsAF32(element));
}

static const char *registers_product_fault(MlirOperation op) {
  const char *fault = shape_fault(op);
  fault = fault ? fault : operand_fault(op, 4, "right");
  return fault || is_word(mlirValueGetType(mlirOperationGetOperand(op, 0)))
             ? fault
             : "has a left operand that is no vector<2xf16>, vector<2xbf16> or vector<1xf32>";
}

static const char *left_fault(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  if (n < 1 || n > MAX_SUMS || mlirOperationGetNumOperands(op) != n)
    return "has other than one result an operand, 1 to 256";
  return is_word(mlirValueGetType(mlirOperationGetOperand(op, 0)))
             ? NULL
             : "has operands that are no vector<2xf16>, vector<2xbf16> or vector<1xf32>";
}

static int64_t bits_of_result(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  return mlirShapedTypeGetDimSize(type, 0) * strata_element_bits(mlirShapedTypeGetElementType(type));
}

static const char *matrices_fault(MlirOperation op) {
  if (!is_shared_row(op, 0, 0))
    return "has memory that is no memref of rank 1 in space 3";
  return bits_of_result(op) == 8 * STRATA_MAP_UNIT ? NULL : "has a fragment of other than 16 bytes";
}

static const char *crossed_fault(MlirOperation op) {
  enum { BITS = 64, HALVES = 4, BYTES = 8 };
  if (!is_shared_row(op, 0, 0))
    return "has memory that is no memref of rank 1 in space 3";
  int64_t n = mlirShapedTypeGetDimSize(mlirValueGetType(mlirOperationGetResult(op, 0)), 0);
  return (n == HALVES || n == BYTES) && bits_of_result(op) == BITS
             ? NULL
             : "has a result of other than four elements of 16 bits or eight of 8";
}

static const char *turned_fault(MlirOperation op) {
  enum { LANES = 8, BITS = 128 };
  MlirType memory = mlirValueGetType(mlirOperationGetOperand(op, 0)),
           column = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirShapedTypeGetRank(memory) != 1 ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(memory), mlirShapedTypeGetElementType(column)))
    return "has memory that is no memref of rank 1 of its elements";
  return mlirShapedTypeGetDimSize(column, 0) == LANES && bits_of_result(op) == BITS
             ? NULL
             : "has a result of other than eight elements of 16 bits";
}

static bool is_byte_format(MlirStringRef from) {
  static const char *const formats[] = {"f8E4M3FN", "f8E5M2", "i8", "ui8"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strata_str_equal(from, formats[i]))
      return true;
  return false;
}

static const char *scaled_fault(MlirOperation op) {
  MlirType elements = mlirValueGetType(mlirOperationGetOperand(op, 0)),
           scales = mlirValueGetType(mlirOperationGetOperand(op, 1));
  MlirType byte = mlirShapedTypeGetElementType(scales);
  enum { RANK = 2, BITS = 8 };
  if (mlirShapedTypeGetRank(elements) != RANK || mlirShapedTypeGetRank(scales) != RANK ||
      mlirShapedTypeGetDimSize(elements, 0) != mlirShapedTypeGetDimSize(scales, 0) ||
      mlirShapedTypeGetDimSize(elements, 1) % mlirShapedTypeGetDimSize(scales, 1))
    return "has scales of other rows, or of blocks that are not alike";
  return strata_type_is_integer(byte, BITS) ? NULL : "has scales that are no bytes";
}

static const char *mma_fault(MlirOperation op) {
  enum { WITHOUT = 3, WITH = 5 };
  intptr_t n = mlirOperationGetNumOperands(op);
  return n == WITHOUT || n == WITH ? NULL : "has neither two scales nor none";
}

static const char *widen_fault(MlirOperation op) {
  enum { MOST = 16, WORD = 4 };
  MlirType bytes = mlirValueGetType(mlirOperationGetOperand(op, 0)),
           type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType element = mlirShapedTypeGetElementType(type), byte = mlirShapedTypeGetElementType(bytes);
  int64_t n = mlirShapedTypeGetDimSize(type, 0);
  if (mlirShapedTypeGetRank(bytes) != 1 || mlirShapedTypeGetRank(type) != 1 ||
      mlirShapedTypeGetDimSize(bytes, 0) != n || n % WORD || n > MOST || !strata_type_is_integer(byte, 8))
    return "has other operands than 4 to 16 i8, or another number of results";
  if (!mlirTypeIsAF16(element) && !mlirTypeIsABF16(element))
    return "has results that are no f16 or bf16";
  return is_byte_format(strata_attr_str(op, "from")) ? NULL : "is from none of f8E4M3FN, f8E5M2, i8 and ui8";
}

static const char *cluster_store_fault(MlirOperation op) {
  if (!is_shared_row(op, 1, 0))
    return "has memory that is no memref of rank 1 in space 3";
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetOperand(op, 1)));
  MlirType stored = mlirValueGetType(mlirOperationGetOperand(op, 0));
  return mlirTypeEqual(element, mlirTypeIsAVector(stored) ? mlirShapedTypeGetElementType(stored) : stored)
             ? NULL
             : "stores a value of another type than its memory's";
}

static const struct {
  const char *name;
  const char *(*fault)(MlirOperation op);
} checks[] = {
    {"func.func", maps_fault},
    {STRATA_TILE_BARRIER_INIT, barrier_fault},
    {STRATA_TILE_BARRIER_ARRIVE, barrier_fault},
    {STRATA_TILE_BARRIER_EXPECT, expect_fault},
    {STRATA_TILE_BARRIER_SIGNAL, barrier_fault},
    {STRATA_TILE_BARRIER_WAIT, barrier_fault},
    {STRATA_TILE_BULK_LOAD, copy_fault},
    {STRATA_TILE_BULK_MULTICAST, copy_fault},
    {STRATA_TILE_BULK_STORE, copy_fault},
    {STRATA_TILE_BULK_WAIT, wait_fault},
    {STRATA_TILE_COPY_WAIT, wait_fault},
    {STRATA_TILE_LOAD_MATRICES, matrices_fault},
    {STRATA_TILE_LOAD_CROSSED, crossed_fault},
    {STRATA_TILE_LOAD_TURNED, turned_fault},
    {STRATA_TILE_WIDEN, widen_fault},
    {STRATA_TILE_SCALED, scaled_fault},
    {STRATA_TILE_MMA, mma_fault},
    {STRATA_TILE_FENCE, fence_fault},
    {STRATA_TILE_GROUP_BARRIER, group_fault},
    {STRATA_TILE_GROUP_ARRIVE, group_fault},
    {STRATA_TILE_REGISTERS, registers_fault},
    {STRATA_TILE_MMA_FENCE, sums_fault},
    {STRATA_TILE_MMA_ASYNC, product_fault},
    {STRATA_TILE_MMA_REGISTERS, registers_product_fault},
    {STRATA_TILE_MMA_LEFT, left_fault},
    {STRATA_TILE_MMA_WAIT, mma_wait_fault},
    {STRATA_TILE_FLAG_RAISE, flag_fault},
    {STRATA_TILE_FLAG_AWAIT, flag_fault},
    {STRATA_TILE_FLAG_COUNT, flag_fault},
    {STRATA_TILE_CLUSTER_STORE, cluster_store_fault},
};

const char *strata_tile_pipelined_fault(MlirOperation op) {
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
    if (strata_op_is(op, checks[i].name))
      return checks[i].fault(op);
  return NULL;
}
