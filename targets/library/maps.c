// strata.maps of a kernel (docs/gpu.md, tensor maps) as the runtime's table has them. What the driver or the
// copy engine would not take is an error here.
#include "targets/library/program.h"

#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "dialects/tile/map_limits.h"
#include "passes/affine/launch_list.h"

#include <mlir-c/BuiltinTypes.h>

_Static_assert(STRATA_MAX_MAPS <= (int)STRATA_RT_MAX_MAPS, "what passes count on");

typedef struct {
  const strata_program_t *program;
  const char *kernel;
  size_t number;
  MlirAttribute attr;
  int64_t element, buffer_size; // bytes; of a buffer whose sizes vary any
  strata_rt_map_t map;
} reader_t;

static strata_status_t refuse(const reader_t *reader, const char *expected) {
  return strata_error(STRATA_INTERNAL, "library: kernel %s: map %zu: expected %s", reader->kernel, reader->number,
                      expected);
}

static int64_t get_i64(const reader_t *reader, const char *name) {
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(reader->attr, strata_str(name));
  return !mlirAttributeIsNull(attr) && mlirAttributeIsAInteger(attr) ? mlirIntegerAttrGetValueInt(attr) : -1;
}

// The value at |i| of a dense array of |n|; -1 if there is none.
static int64_t get_at(const reader_t *reader, const char *name, uint32_t n, uint32_t i) {
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(reader->attr, strata_str(name));
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseI64Array(attr) || mlirDenseArrayGetNumElements(attr) != n)
    return -1;
  return mlirDenseI64ArrayGetElement(attr, i);
}

static MlirAffineMap get_map(const reader_t *reader, const char *name, uint32_t n) {
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(reader->attr, strata_str(name));
  bool is_map = reader->program->sizes && !mlirAttributeIsNull(attr) && mlirAttributeIsAAffineMap(attr) &&
                mlirAffineMapGetNumResults(mlirAffineMapAttrGetValue(attr)) == n;
  return is_map ? mlirAffineMapAttrGetValue(attr) : (MlirAffineMap){0};
}

// The same of a map's results or a dense array's, of which all must be multiples of |multiple| from |least| to |most|:
// what varies is checked in each call.
static bool get_number(const reader_t *reader, const char *name, uint32_t n, uint32_t i, const int64_t limits[3],
                       strata_number_t *out) {
  const int64_t least = limits[0], most = limits[1], multiple = limits[2];
  MlirAffineMap map = get_map(reader, name, n);
  *out = mlirAffineMapIsNull(map) ? get_at(reader, name, n, i)
                                  : strata_sizes_expr(reader->program->sizes, mlirAffineMapGetResult(map, i));
  if (mlirAffineMapIsNull(map) || !strata_number_varies(*out))
    return *out >= least && *out <= most && *out % multiple == 0;
  strata_arena_t *arena = reader->program->compile->arena;
  strata_sizes_require(
      reader->program->sizes, *out, least, most, multiple,
      strata_arena_printf(arena, "number %u of the %s of map %zu of %s,", i, name, reader->number, reader->kernel));
  return true;
}

// The same of a value that may be negative; false if there is none.
static bool get_corner(const reader_t *reader, const char *name, uint32_t n, uint32_t i, int64_t *out) {
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(reader->attr, strata_str(name));
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseI64Array(attr) || mlirDenseArrayGetNumElements(attr) != n)
    return false;
  *out = mlirDenseI64ArrayGetElement(attr, i);
  return true;
}

static bool is_between(int64_t value, int64_t least, int64_t most) { return value >= least && value <= most; }

static strata_status_t read_type(reader_t *reader) {
  static const struct {
    bool is_known;
    strata_rt_map_type_t type;
  } types[STRATA_TYPE_COUNT] = {
      [STRATA_TYPE_F64] = {true, STRATA_RT_MAP_F64},     [STRATA_TYPE_F32] = {true, STRATA_RT_MAP_F32},
      [STRATA_TYPE_F16] = {true, STRATA_RT_MAP_F16},     [STRATA_TYPE_BF16] = {true, STRATA_RT_MAP_BF16},
      [STRATA_TYPE_E4M3] = {true, STRATA_RT_MAP_U8},     [STRATA_TYPE_E5M2] = {true, STRATA_RT_MAP_U8},
      [STRATA_TYPE_E4M3FNUZ] = {true, STRATA_RT_MAP_U8}, [STRATA_TYPE_E5M2FNUZ] = {true, STRATA_RT_MAP_U8},
      [STRATA_TYPE_I1] = {true, STRATA_RT_MAP_U8},       [STRATA_TYPE_I8] = {true, STRATA_RT_MAP_U8},
      [STRATA_TYPE_I16] = {true, STRATA_RT_MAP_U16},     [STRATA_TYPE_I32] = {true, STRATA_RT_MAP_I32},
      [STRATA_TYPE_I64] = {true, STRATA_RT_MAP_I64},
  };
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(reader->attr, strata_str("type"));
  MlirType mlir = mlirAttributeIsNull(attr) || !mlirAttributeIsAType(attr) ? (MlirType){0} : mlirTypeAttrGetValue(attr);
  if (mlirTypeIsNull(mlir))
    return refuse(reader, "a type");
  if (mlirTypeIsATF32(mlir)) {
    reader->map.type = STRATA_RT_MAP_TF32;
    reader->element = 4;
    return NULL;
  }
  strata_type_t type = strata_type_from_mlir(mlir);
  if (type == STRATA_TYPE_COUNT || !types[type].is_known)
    return refuse(reader, "a type of whole bytes, or tf32");
  reader->map.type = types[type].type;
  reader->element = strata_type_storage_size(type, 1);
  return NULL;
}

static strata_status_t read_dims(reader_t *reader) {
  strata_rt_map_t *map = &reader->map;
  for (uint32_t i = 0; i < map->rank; i++) {
    // A size of 0 is none of the driver's, but nothing is copied then: the runtime makes it 1.
    const int64_t size_limits[] = {1 - (mlirAffineMapIsNull(get_map(reader, "sizes", map->rank)) ? 0 : 1),
                                   STRATA_MAP_MAX_SIZE, 1};
    const int64_t stride_limits[] = {STRATA_MAP_UNIT, STRATA_MAP_MAX_STRIDE, STRATA_MAP_UNIT};
    int64_t box = get_at(reader, "box", map->rank, i), step = get_at(reader, "steps", map->rank, i);
    if (!get_number(reader, "sizes", map->rank, i, size_limits, &map->sizes[i]))
      return refuse(reader, "sizes of 1 to 2^32 for every dim");
    if (!is_between(box, 1, STRATA_MAP_MAX_BOX))
      return refuse(reader, "a box of 1 to 256 for every dim");
    if (!is_between(step, 1, i ? STRATA_MAP_MAX_STEP : 1))
      return refuse(reader, "steps of 1 to 8 for every dim, 1 for the innermost");
    if (i && !get_number(reader, "strides", map->rank - 1, i - 1, stride_limits, &map->strides[i - 1]))
      return refuse(reader, "strides below 2^40, multiples of 16, for every dim but the innermost");
    map->box[i] = (uint32_t)box;
    map->steps[i] = (uint32_t)step;
  }
  return NULL;
}

static strata_status_t read_clipped(reader_t *reader) {
  if (mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(reader->attr, strata_str("clipped"))))
    return NULL;
  bool is_only = mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(reader->attr, strata_str("whole")));
  int64_t dim = get_i64(reader, "clipped"), whole = is_only ? (int64_t)reader->number : get_i64(reader, "whole");
  bool is_dim = is_between(dim, 1, (int64_t)reader->map.rank - 1);
  if (!is_dim || reader->map.has_window || reader->map.steps[dim] != 1)
    return refuse(reader, "clipped, if any, to be a dim of boxes that steps 1, not the innermost");
  if (!is_only && !is_between(whole, 0, (int64_t)reader->number - 1))
    return refuse(reader, "whole to be the number of an earlier map, of whole boxes");
  reader->map.clipped = (uint32_t)dim;
  reader->map.whole = (uint32_t)whole;
  return NULL;
}

// Corners that fit what the driver packs them into, one value a dim that a window moves along.
static strata_status_t read_window(reader_t *reader) {
  strata_rt_map_t *map = &reader->map;
  if (mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(reader->attr, strata_str("lower"))))
    return NULL;
  map->has_window = true;
  if (map->rank < 3)
    return refuse(reader, "at least three dims of a map with a window");
  for (uint32_t i = 0; i + 2 < map->rank; i++) {
    int64_t lower, upper;
    bool has_both =
        get_corner(reader, "lower", map->rank - 2, i, &lower) && get_corner(reader, "upper", map->rank - 2, i, &upper);
    if (!has_both || !strata_map_takes_corner((int)map->rank - 2, lower) ||
        !strata_map_takes_corner((int)map->rank - 2, upper))
      return refuse(reader, "two corners within what the driver takes");
    map->lower[i] = (int32_t)lower;
    map->upper[i] = (int32_t)upper;
  }
  return NULL;
}

static bool varies(const strata_rt_map_t *map) {
  bool does = false;
  for (uint32_t i = 0; i < map->rank; i++)
    does |= strata_number_varies(map->sizes[i]) || (i && strata_number_varies(map->strides[i - 1]));
  return does;
}

static strata_status_t check_extent(const reader_t *reader) {
  const strata_rt_map_t *map = &reader->map;
  int64_t row = map->box[0] * reader->element, end = 0;
  if (row % STRATA_MAP_UNIT || (map->swizzle && row > map->swizzle))
    return refuse(reader, "rows of the box that are multiples of 16 bytes and no longer than the swizzle's span");
  if (varies(map))
    return NULL;
  for (uint32_t i = 0; i < map->rank; i++) {
    int64_t last, stride = i ? map->strides[i - 1] : reader->element;
    if (__builtin_mul_overflow(map->sizes[i] - 1, stride, &last) || __builtin_add_overflow(end, last, &end))
      end = INT64_MAX - reader->element;
  }
  return end + reader->element <= reader->buffer_size ? NULL : refuse(reader, "elements within the buffer");
}

static strata_status_t read_map(reader_t *reader, MlirType function) {
  if (!mlirAttributeIsADictionary(reader->attr))
    return refuse(reader, "a dictionary");
  int64_t buffer = get_i64(reader, "buffer"), swizzle = get_i64(reader, "swizzle");
  MlirAttribute sizes = mlirDictionaryAttrGetElementByName(reader->attr, strata_str("sizes"));
  int64_t rank = mlirAttributeIsNull(sizes)             ? 0
                 : mlirAttributeIsADenseI64Array(sizes) ? mlirDenseArrayGetNumElements(sizes)
                 : mlirAttributeIsAAffineMap(sizes)     ? mlirAffineMapGetNumResults(mlirAffineMapAttrGetValue(sizes))
                                                        : 0;
  if (!is_between(buffer, 0, mlirFunctionTypeGetNumInputs(function) - 1) ||
      !mlirTypeIsAMemRef(mlirFunctionTypeGetInput(function, buffer)))
    return refuse(reader, "the number of a buffer");
  if (!is_between(rank, 1, STRATA_RT_MAX_MAP_RANK))
    return refuse(reader, "sizes of 1 to 5 dims");
  if (!strata_map_is_swizzle(swizzle))
    return refuse(reader, "a swizzle of 0, 32, 64 or 128 bytes");
  MlirType type = mlirFunctionTypeGetInput(function, buffer);
  reader->buffer_size = strata_type_is_symbolic(type) ? INT64_MAX : strata_memref_size(type);
  reader->map = (strata_rt_map_t){.buffer = (uint32_t)buffer, .rank = (uint32_t)rank, .swizzle = (uint32_t)swizzle};
  reader->map.reads_ahead = !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(reader->attr, strata_str("ahead")));
  STRATA_TRY(read_type(reader));
  STRATA_TRY(read_dims(reader));
  STRATA_TRY(read_window(reader));
  STRATA_TRY(read_clipped(reader));
  return check_extent(reader);
}

strata_status_t strata_program_read_maps(const strata_program_t *program, MlirOperation func,
                                         strata_program_kernel_t *kernel) {
  MlirAttribute attr = strata_attr(func, "strata.maps"), type = strata_attr(func, "function_type");
  if (mlirAttributeIsNull(attr))
    return NULL;
  intptr_t n = mlirAttributeIsAArray(attr) ? mlirArrayAttrGetNumElements(attr) : -1;
  if (!is_between(n, 0, STRATA_RT_MAX_MAPS) || mlirAttributeIsNull(type) ||
      !mlirTypeIsAFunction(mlirTypeAttrGetValue(type)))
    return strata_error(STRATA_INTERNAL, "library: kernel %s: expected an array of at most %d maps", kernel->symbol,
                        (int)STRATA_RT_MAX_MAPS);
  strata_rt_map_t *maps = strata_arena_array(program->compile->arena, strata_rt_map_t, n + 1);
  for (intptr_t i = 0; i < n; i++) {
    reader_t reader = {
        .program = program, .kernel = kernel->symbol, .number = (size_t)i, .attr = mlirArrayAttrGetElement(attr, i)};
    STRATA_TRY(read_map(&reader, mlirTypeAttrGetValue(type)));
    maps[i] = reader.map;
  }
  kernel->maps = maps;
  kernel->n_maps = (size_t)n;
  return NULL;
}
