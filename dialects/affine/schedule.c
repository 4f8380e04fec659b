// See schedule.h.
#include "dialects/affine/schedule.h"

#include "dialects/mlir_util.h"

#include <string.h>

const char *strata_kernel_kind_name(strata_kernel_kind_t kind) {
  static const char *const names[] = {
#define KERNEL_KIND(id, name, ...) name,
#include "dialects/affine/kinds.def"
  };
  return names[kind];
}

// False where there is no such kind.
static bool find_kind(MlirAttribute attr, strata_kernel_kind_t *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAString(attr))
    return false;
  for (*out = 0; *out < STRATA_N_KERNEL_KINDS; ++*out)
    if (strata_str_equal(mlirStringAttrGetValue(attr), strata_kernel_kind_name(*out)))
      return true;
  return false;
}

//===-- Types of values ------------------------------------------------------------------------------------------===//

// For each TYPE of a key: whether an attribute is of it, its value from one, and the attribute of a value or null where
// the key is left out.

static bool is_INTEGER(MlirAttribute attr) { return mlirAttributeIsAInteger(attr); }
static bool is_FLAG(MlirAttribute attr) { return mlirAttributeIsAInteger(attr); }
static bool is_WORD(MlirAttribute attr) { return mlirAttributeIsAString(attr); }
static bool is_array(MlirAttribute attr, intptr_t most) {
  return mlirAttributeIsADenseI64Array(attr) && mlirDenseArrayGetNumElements(attr) <= most;
}
static bool is_PAIR(MlirAttribute attr) { return is_array(attr, 2); }
static bool is_LIST(MlirAttribute attr) { return is_array(attr, STRATA_SCHEDULE_TILE); }

static int elements_of(MlirAttribute attr, int capacity, int64_t *out) {
  int n = (int)mlirDenseArrayGetNumElements(attr);
  for (int i = 0; i < n && i < capacity; i++)
    out[i] = mlirDenseI64ArrayGetElement(attr, i);
  return n < capacity ? n : capacity;
}

#define READ_INTEGER(s, name, attr) (s)->name = mlirIntegerAttrGetValueInt(attr)
#define READ_FLAG(s, name, attr) (s)->name = mlirIntegerAttrGetValueInt(attr) != 0
#define READ_WORD(s, name, attr) (s)->name = mlirStringAttrGetValue(attr)
#define READ_PAIR(s, name, attr) elements_of(attr, 2, (s)->name)
#define READ_LIST(s, name, attr) (s)->n_##name = elements_of(attr, STRATA_SCHEDULE_TILE, (s)->name)

static const MlirAttribute absent = {NULL};
#define WRITE_INTEGER(c, s, name) (s)->name ? strata_i64_attr(c, (s)->name) : absent
#define WRITE_FLAG(c, s, name) (s)->name ? strata_i64_attr(c, 1) : absent
#define WRITE_WORD(c, s, name) (s)->name.length ? mlirStringAttrGet(c, (s)->name) : absent
#define WRITE_PAIR(c, s, name) (s)->name[0] ? strata_i64s_attr(c, 2, (s)->name) : absent
#define WRITE_LIST(c, s, name) (s)->n_##name ? strata_i64s_attr(c, (s)->n_##name, (s)->name) : absent

#define EQUAL_INTEGER(a, b, name) (a)->name == (b)->name
#define EQUAL_FLAG(a, b, name) (a)->name == (b)->name
#define EQUAL_WORD(a, b, name) mlirStringRefEqual((a)->name, (b)->name)
#define EQUAL_PAIR(a, b, name) !memcmp((a)->name, (b)->name, sizeof(a)->name)
#define EQUAL_LIST(a, b, name) ((a)->n_##name == (b)->n_##name && EQUAL_PAIR(a, b, name))
#define EQUAL_OF_TILE(type, a, b, name) EQUAL_##type(a, b, name)
#define EQUAL_OF_NUMBER(type, a, b, name) true

//===-- The dictionary -------------------------------------------------------------------------------------------===//

strata_schedule_t strata_schedule_read(MlirOperation func) {
  strata_schedule_t schedule = {0};
  MlirAttribute dictionary = strata_attr(func, "strata.schedule"), attr;
  if (mlirAttributeIsNull(dictionary) || !mlirAttributeIsADictionary(dictionary))
    return schedule;
  if (!find_kind(mlirDictionaryAttrGetElementByName(dictionary, strata_str("kind")), &schedule.kind))
    schedule.kind = STRATA_KERNEL_SCALAR;
#define SCHEDULE_KEY(name, type, tile, of, meaning)                                                                    \
  attr = mlirDictionaryAttrGetElementByName(dictionary, strata_str(#name));                                            \
  if (!mlirAttributeIsNull(attr) && is_##type(attr))                                                                   \
    READ_##type(&schedule, name, attr);
#include "dialects/affine/schedule.def"
  return schedule;
}

void strata_schedule_write(MlirOperation func, const strata_schedule_t *schedule) {
  enum {
    MOST = 1
#define SCHEDULE_KEY(name, type, tile, of, meaning) +1
#include "dialects/affine/schedule.def"
  };
  MlirContext context = mlirOperationGetContext(func);
  MlirNamedAttribute entries[MOST];
  MlirAttribute attr;
  int n = 0;
  entries[n++] = (MlirNamedAttribute){mlirIdentifierGet(context, strata_str("kind")),
                                      strata_str_attr(context, strata_kernel_kind_name(schedule->kind))};
#define SCHEDULE_KEY(name, type, tile, of, meaning)                                                                    \
  attr = WRITE_##type(context, schedule, name);                                                                        \
  if (!mlirAttributeIsNull(attr))                                                                                      \
    entries[n++] = (MlirNamedAttribute){mlirIdentifierGet(context, strata_str(#name)), attr};
#include "dialects/affine/schedule.def"
  strata_set_attr(func, "strata.schedule", mlirDictionaryAttrGet(context, n, entries));
}

bool strata_schedule_is_same_tile(const strata_schedule_t *a, const strata_schedule_t *b) {
  bool is_same = true;
#define SCHEDULE_KEY(name, type, tile, of, meaning) is_same = is_same && EQUAL_OF_##tile(type, a, b, name);
#include "dialects/affine/schedule.def"
  return is_same;
}

bool strata_schedule_has_key(MlirStringRef key, MlirAttribute value) {
  strata_kernel_kind_t kind;
  if (strata_str_equal(key, "kind"))
    return find_kind(value, &kind);
#define SCHEDULE_KEY(name, type, tile, of, meaning)                                                                    \
  if (strata_str_equal(key, #name))                                                                                    \
    return is_##type(value);
#include "dialects/affine/schedule.def"
  return false;
}
