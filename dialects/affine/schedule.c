// See schedule.h.
#include "dialects/affine/schedule.h"

#include "dialects/mlir_util.h"

#include <string.h>

static const char *const kinds[] = {"scalar", "map", "rows", "contract", "attention"};

static int64_t integer_of(MlirAttribute dictionary, const char *key) {
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(dictionary, strata_str(key));
  return mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr) ? 0 : mlirIntegerAttrGetValueInt(attr);
}

static int integers_of(MlirAttribute dictionary, const char *key, int capacity, int64_t *out) {
  MlirAttribute attr = mlirDictionaryAttrGetElementByName(dictionary, strata_str(key));
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseI64Array(attr))
    return 0;
  int n = (int)mlirDenseArrayGetNumElements(attr);
  for (int i = 0; i < n && i < capacity; i++)
    out[i] = mlirDenseI64ArrayGetElement(attr, i);
  return n < capacity ? n : capacity;
}

strata_schedule_t strata_schedule_read(MlirOperation func) {
  strata_schedule_t schedule = {.kind = kinds[0]};
  MlirAttribute dictionary = strata_attr(func, "strata.schedule");
  if (mlirAttributeIsNull(dictionary) || !mlirAttributeIsADictionary(dictionary))
    return schedule;
  MlirAttribute kind = mlirDictionaryAttrGetElementByName(dictionary, strata_str("kind"));
  for (size_t i = 0; !mlirAttributeIsNull(kind) && i < sizeof kinds / sizeof *kinds; i++)
    if (strata_str_equal(mlirStringAttrGetValue(kind), kinds[i]))
      schedule.kind = kinds[i];
  schedule.threads = integer_of(dictionary, "threads");
  schedule.group = integer_of(dictionary, "group");
  schedule.n_tile = integers_of(dictionary, "tile", STRATA_SCHEDULE_TILE, schedule.tile);
  integers_of(dictionary, "warps", 2, schedule.warps);
  MlirAttribute mma = mlirDictionaryAttrGetElementByName(dictionary, strata_str("mma"));
  if (!mlirAttributeIsNull(mma))
    schedule.mma = mlirStringAttrGetValue(mma);
  schedule.producers = integer_of(dictionary, "producers");
  schedule.slots = integer_of(dictionary, "slots");
  schedule.blocks = integer_of(dictionary, "blocks");
  schedule.swap = integer_of(dictionary, "swap") != 0;
  schedule.parts = integer_of(dictionary, "parts");
  integers_of(dictionary, "share", 2, schedule.share);
  schedule.row = integer_of(dictionary, "row");
  schedule.every = integer_of(dictionary, "every");
  schedule.stagger = integer_of(dictionary, "stagger");
  schedule.stream = integer_of(dictionary, "stream") != 0;
  return schedule;
}

void strata_schedule_write(MlirOperation func, const strata_schedule_t *schedule) {
  MlirContext context = mlirOperationGetContext(func);
  MlirNamedAttribute entries[16];
  int n = 0;
#define ENTRY(key, attr) entries[n++] = (MlirNamedAttribute){mlirIdentifierGet(context, strata_str(key)), attr}
  ENTRY("kind", strata_str_attr(context, schedule->kind));
  if (schedule->threads) {
    ENTRY("threads", strata_i64_attr(context, schedule->threads));
    ENTRY("group", strata_i64_attr(context, schedule->group));
  }
  if (schedule->n_tile)
    ENTRY("tile", strata_i64s_attr(context, schedule->n_tile, schedule->tile));
  if (schedule->warps[0])
    ENTRY("warps", strata_i64s_attr(context, 2, schedule->warps));
  if (schedule->mma.length)
    ENTRY("mma", mlirStringAttrGet(context, schedule->mma));
  if (schedule->producers)
    ENTRY("producers", strata_i64_attr(context, schedule->producers));
  if (schedule->slots)
    ENTRY("slots", strata_i64_attr(context, schedule->slots));
  if (schedule->blocks)
    ENTRY("blocks", strata_i64_attr(context, schedule->blocks));
  if (schedule->swap)
    ENTRY("swap", strata_i64_attr(context, 1));
  if (schedule->parts)
    ENTRY("parts", strata_i64_attr(context, schedule->parts));
  if (schedule->share[0])
    ENTRY("share", strata_i64s_attr(context, 2, schedule->share));
  if (schedule->row)
    ENTRY("row", strata_i64_attr(context, schedule->row));
  if (schedule->every)
    ENTRY("every", strata_i64_attr(context, schedule->every));
  if (schedule->stagger)
    ENTRY("stagger", strata_i64_attr(context, schedule->stagger));
  if (schedule->stream)
    ENTRY("stream", strata_i64_attr(context, 1));
#undef ENTRY
  strata_set_attr(func, "strata.schedule", mlirDictionaryAttrGet(context, n, entries));
}

bool strata_schedule_is_same_tile(const strata_schedule_t *a, const strata_schedule_t *b) {
  return !memcmp(a->tile, b->tile, sizeof a->tile) && !memcmp(a->warps, b->warps, sizeof a->warps) &&
         a->n_tile == b->n_tile && a->threads == b->threads && a->group == b->group && a->producers == b->producers &&
         mlirStringRefEqual(a->mma, b->mma) && a->swap == b->swap && a->parts == b->parts && a->row == b->row &&
         a->every == b->every && a->stream == b->stream && !memcmp(a->share, b->share, sizeof a->share);
}

bool strata_schedule_has_key(MlirStringRef key, MlirAttribute value) {
  static const char *const integers[] = {"threads", "group", "producers", "slots",   "blocks", "swap",
                                         "parts",   "row",   "every",     "stagger", "stream"};
  if (strata_str_equal(key, "kind")) {
    bool is_known = false;
    for (size_t i = 0; mlirAttributeIsAString(value) && i < sizeof kinds / sizeof *kinds; i++)
      is_known |= strata_str_equal(mlirStringAttrGetValue(value), kinds[i]);
    return is_known;
  }
  if (strata_str_equal(key, "mma"))
    return mlirAttributeIsAString(value);
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
    if (strata_str_equal(key, integers[i]))
      return mlirAttributeIsAInteger(value);
  bool is_pair = strata_str_equal(key, "warps") || strata_str_equal(key, "share");
  intptr_t most = strata_str_equal(key, "tile") ? STRATA_SCHEDULE_TILE : is_pair ? 2 : 0;
  return mlirAttributeIsADenseI64Array(value) && mlirDenseArrayGetNumElements(value) <= most;
}
