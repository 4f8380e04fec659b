// The tables of the dialect as arrays, and the look-ups in them.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

#include <assert.h>
#include <threads.h>

const strata_type_info_t strata_type_info[STRATA_TYPE_COUNT] = {
#define TYPE(id, mlir, bits_, kind_, compute, math, c, c_unsigned)                                                     \
  [STRATA_TYPE_##id] = {.mlir_name = mlir,                                                                             \
                        .bits = bits_,                                                                                 \
                        .kind = STRATA_TYPE_KIND_##kind_,                                                              \
                        .computes = compute,                                                                           \
                        .math_type = STRATA_TYPE_##math,                                                               \
                        .c_name = c,                                                                                   \
                        .c_name_unsigned = c_unsigned},
#include "dialects/strata/types.def"
};

const strata_op_info_t strata_op_info[STRATA_OP_COUNT] = {
#define OP(id, mnemonic_, kind_, n, rule_, accepts_, float_, int_, ulp_, attrs_)                                       \
  [STRATA_OP_##id] = {.mnemonic = mnemonic_,                                                                           \
                      .name = "strata." mnemonic_,                                                                     \
                      .kind = STRATA_KIND_##kind_,                                                                     \
                      .n_operands = n,                                                                                 \
                      .rule = STRATA_RULE_##rule_,                                                                     \
                      .accepts = accepts_,                                                                             \
                      .float_body = float_,                                                                            \
                      .int_body = int_,                                                                                \
                      .ulp = ulp_,                                                                                     \
                      .attrs = attrs_},
#include "dialects/strata/ops.def"
};

const strata_composite_info_t strata_composite_info[STRATA_COMPOSITE_COUNT] = {
#define COMPOSITE(id, mnemonic_, signature_, body_)                                                                    \
  [STRATA_COMPOSITE_##                                                                                                 \
      id] = {.mnemonic = mnemonic_, .name = "strata." mnemonic_, .signature = signature_, .body = body_},
#include "dialects/strata/composites.def"
};

const strata_combiner_info_t strata_combiner_info[STRATA_COMBINER_COUNT] = {
#define COMBINER(id, name_, float_, int_, neutral_)                                                                    \
  [STRATA_COMBINER_##id] = {.name = name_, .float_op = float_, .int_op = int_, .neutral = STRATA_NEUTRAL_##neutral_},
#include "dialects/strata/combiners.def"
};

//===-- Signatures -----------------------------------------------------------------------------------------------===//

static const char *const attr_kind_names[STRATA__ATTR_KIND_COUNT] = {
    [STRATA__ATTR_I64] = "i64",   [STRATA__ATTR_I64S] = "i64s", [STRATA__ATTR_DIMS] = "dims",
    [STRATA__ATTR_FLAG] = "flag", [STRATA__ATTR_BOOL] = "bool", [STRATA__ATTR_F64] = "f64",
    [STRATA__ATTR_MAP] = "map",   [STRATA__ATTR_MAPS] = "maps", [STRATA__ATTR_STRING] = "string",
    [STRATA__ATTR_ANY] = "any"};

static strata__signature_t op_signatures[STRATA_OP_COUNT];
static strata__signature_t composite_signatures[STRATA_COMPOSITE_COUNT];

static const char *skip_separators(const char *at) { return at + strspn(at, ", "); }

static const char *parse_word(const char *at, MlirStringRef *out) {
  *out = mlirStringRefCreate(at, strcspn(at, ":,; "));
  return at + out->length;
}

static strata__attr_kind_t attr_kind_from_name(MlirStringRef name) {
  for (int kind = 0; kind < STRATA__ATTR_KIND_COUNT; kind++)
    if (strata_str_equal(name, attr_kind_names[kind]))
      return (strata__attr_kind_t)kind;
  return STRATA__ATTR_ANY;
}

// "kind:string,axes:i64s"
static void parse_attrs(const char *at, strata__signature_t *out) {
  for (at = skip_separators(at); *at; at = skip_separators(at)) {
    MlirStringRef kind;
    strata__attr_spec_t *spec = &out->attrs[out->n_attrs++];
    at = parse_word(at, &spec->name);
    at = parse_word(at + 1, &kind);
    spec->kind = attr_kind_from_name(kind);
  }
}

// "x, scale; axes:i64s"
static void parse_signature(const char *at, strata__signature_t *out) {
  for (at = skip_separators(at); *at && *at != ';'; at = skip_separators(at))
    at = parse_word(at, &out->operands[out->n_operands++]);
  if (*at)
    parse_attrs(at + 1, out);
}

//===-- Look-ups -------------------------------------------------------------------------------------------------===//

// All op names, primitives first, in a hash table: passes ask for the row of every op they see.
enum { NAME_SLOTS = 512, N_NAMES = (int)STRATA_OP_COUNT + (int)STRATA_COMPOSITE_COUNT };
static_assert(N_NAMES < NAME_SLOTS / 2, "enlarge the table of names");
static int16_t name_slots[NAME_SLOTS]; // index + 1; 0 is free

static const char *name_of(int index) {
  return index < STRATA_OP_COUNT ? strata_op_info[index].mnemonic
                                 : strata_composite_info[index - STRATA_OP_COUNT].mnemonic;
}

static unsigned slot_of(MlirStringRef mnemonic) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (size_t i = 0; i < mnemonic.length; i++)
    hash = (hash ^ (unsigned char)mnemonic.data[i]) * 16777619u;
  unsigned slot = (hash ^ hash >> 16) % NAME_SLOTS;
  while (name_slots[slot] && !strata_str_equal(mnemonic, name_of(name_slots[slot] - 1)))
    slot = (slot + 1) % NAME_SLOTS;
  return slot;
}

static once_flag tables_once = ONCE_FLAG_INIT;

static void fill_tables(void) {
  for (int i = 0; i < STRATA_OP_COUNT; i++)
    parse_attrs(strata_op_info[i].attrs, &op_signatures[i]);
  for (int i = 0; i < STRATA_COMPOSITE_COUNT; i++)
    parse_signature(strata_composite_info[i].signature, &composite_signatures[i]);
  for (int i = 0; i < N_NAMES; i++)
    name_slots[slot_of(strata_str(name_of(i)))] = (int16_t)(i + 1);
}

const strata__signature_t *strata__op_signature(strata_op_id_t id) {
  call_once(&tables_once, fill_tables);
  return &op_signatures[id];
}

const strata__signature_t *strata__composite_signature(strata_composite_id_t id) {
  call_once(&tables_once, fill_tables);
  return &composite_signatures[id];
}

// The index of a mnemonic among all names, -1 if there is none.
static int find_name(MlirStringRef mnemonic) {
  call_once(&tables_once, fill_tables);
  return name_slots[slot_of(mnemonic)] - 1;
}

static int find_op_name(MlirOperation op) {
  static const char prefix[] = "strata.";
  size_t skip = sizeof prefix - 1;
  MlirStringRef name = strata_op_name(op);
  if (name.length <= skip || memcmp(name.data, prefix, skip) != 0)
    return -1;
  return find_name(mlirStringRefCreate(name.data + skip, name.length - skip));
}

strata_op_id_t strata_op_id(MlirOperation op) {
  int index = find_op_name(op);
  return index >= 0 && index < STRATA_OP_COUNT ? (strata_op_id_t)index : STRATA_OP_COUNT;
}

strata_composite_id_t strata_op_composite(MlirOperation op) {
  int index = find_op_name(op);
  return index >= STRATA_OP_COUNT ? (strata_composite_id_t)(index - STRATA_OP_COUNT) : STRATA_COMPOSITE_COUNT;
}

bool strata_op_is_pure(MlirOperation op) {
  return strata_op_id(op) != STRATA_OP_COUNT || strata_op_composite(op) != STRATA_COMPOSITE_COUNT;
}

bool strata_is_elementwise(strata_op_id_t id) {
  return id != STRATA_OP_COUNT && strata_op_info[id].kind == STRATA_KIND_ELEMENTWISE;
}

strata_op_id_t strata__op_from_name(MlirStringRef mnemonic) {
  int index = find_name(mnemonic);
  return index >= 0 && index < STRATA_OP_COUNT ? (strata_op_id_t)index : STRATA_OP_COUNT;
}

strata_op_id_t strata_op_from_mnemonic(const char *mnemonic) { return strata__op_from_name(strata_str(mnemonic)); }

strata_combiner_t strata_combiner_from_name(MlirStringRef name) {
  int i = 0;
  while (i < STRATA_COMBINER_COUNT && !strata_str_equal(name, strata_combiner_info[i].name))
    i++;
  return (strata_combiner_t)i;
}

strata_combiner_t strata_op_combiner(MlirOperation op) {
  return strata_combiner_from_name(strata_attr_str(op, "kind"));
}

//===-- Types ----------------------------------------------------------------------------------------------------===//

strata_type_t strata_type_from_mlir(MlirType type) {
  if (mlirTypeIsAInteger(type)) {
    if (!mlirIntegerTypeIsSignless(type))
      return STRATA_TYPE_COUNT;
    switch (mlirIntegerTypeGetWidth(type)) {
    case 1:
      return STRATA_TYPE_I1;
    case 4:
      return STRATA_TYPE_I4;
    case 8:
      return STRATA_TYPE_I8;
    case 16:
      return STRATA_TYPE_I16;
    case 32:
      return STRATA_TYPE_I32;
    case 64:
      return STRATA_TYPE_I64;
    default:
      return STRATA_TYPE_COUNT;
    }
  }
  if (mlirTypeIsAF32(type))
    return STRATA_TYPE_F32;
  if (mlirTypeIsAF64(type))
    return STRATA_TYPE_F64;
  if (mlirTypeIsAF16(type))
    return STRATA_TYPE_F16;
  if (mlirTypeIsABF16(type))
    return STRATA_TYPE_BF16;
  if (mlirTypeIsAFloat8E4M3FN(type))
    return STRATA_TYPE_E4M3;
  if (mlirTypeIsAFloat8E5M2(type))
    return STRATA_TYPE_E5M2;
  if (mlirTypeIsAFloat8E4M3FNUZ(type))
    return STRATA_TYPE_E4M3FNUZ;
  if (mlirTypeIsAFloat8E5M2FNUZ(type))
    return STRATA_TYPE_E5M2FNUZ;
  return STRATA_TYPE_COUNT;
}

MlirType strata_type_to_mlir(MlirContext context, strata_type_t type) {
  switch (type) {
  case STRATA_TYPE_F64:
    return mlirF64TypeGet(context);
  case STRATA_TYPE_F32:
    return mlirF32TypeGet(context);
  case STRATA_TYPE_F16:
    return mlirF16TypeGet(context);
  case STRATA_TYPE_BF16:
    return mlirBF16TypeGet(context);
  case STRATA_TYPE_E4M3:
    return mlirFloat8E4M3FNTypeGet(context);
  case STRATA_TYPE_E5M2:
    return mlirFloat8E5M2TypeGet(context);
  case STRATA_TYPE_E4M3FNUZ:
    return mlirFloat8E4M3FNUZTypeGet(context);
  case STRATA_TYPE_E5M2FNUZ:
    return mlirFloat8E5M2FNUZTypeGet(context);
  case STRATA_TYPE_I1:
    return mlirIntegerTypeGet(context, 1);
  case STRATA_TYPE_I4:
    return mlirIntegerTypeGet(context, 4);
  case STRATA_TYPE_I8:
    return mlirIntegerTypeGet(context, 8);
  case STRATA_TYPE_I16:
    return mlirIntegerTypeGet(context, 16);
  case STRATA_TYPE_I32:
    return mlirIntegerTypeGet(context, 32);
  case STRATA_TYPE_I64:
    return mlirIntegerTypeGet(context, 64);
  case STRATA_TYPE_COUNT:
    break;
  }
  return (MlirType){0};
}

int64_t strata_type_storage_size(strata_type_t type, int64_t count) {
  int64_t bits;
  if (count < 0 || __builtin_mul_overflow(count, (int64_t)strata_type_info[type].bits, &bits) || bits > INT64_MAX - 7)
    return -1;
  return (bits + 7) / 8;
}
