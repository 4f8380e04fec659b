// Vectors that begin anywhere in a row, as in rows of 4097 elements, and those whose last elements are beyond its end:
// loaded by the aligned words of 16 (or 8) bytes that hold them, from which they are shifted out.
//
//   %low = vector.load %x[%p / 8 * 8]   %high = vector.load %x[%p / 8 * 8 + 8]
//   %v = "tile.funnel"(%low, %high, %p mod 8)          and what is outside the mask becomes the padding
//
// Elements beside the vector may be read, but not beyond the buffer's ends: where a word lies there, the thread loads
// its elements one by one. One branch decides that for all vectors, so that their loads are under way together and what
// is done with them can wait.
#include "dialects/affine/simplify.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/transfer.h"

enum { MIN_BYTES = 8, MAX_LANES = STRATA_VECTOR_BYTES, MAX_SPANS = 32 };

// Registers |first|, |first| + step, ... that lie side by side.
typedef struct {
  int64_t first, width;
  int n_words;      // 1: the first is known to be aligned
  bool is_inside;   // the words are known to lie in the buffer
  MlirValue start;  // of the words
  MlirValue within; // of the vector in the first
} span_t;

typedef struct {
  strata_walk_t *w;
  int count;
  span_t spans[MAX_SPANS];
  MlirValue fit; // all words are in the buffer; null: known
} spans_t;

static strata_item_t *item_of(const spans_t *s, const span_t *span, int64_t lane) {
  return &s->w->items[span->first + lane * s->w->step];
}

//===-- Finding --------------------------------------------------------------------------------------------------===//

static strata_size_t buffer_elements(const strata_walk_t *w) {
  const strata_gpu_box_t *box = w->transfer->box;
  strata_size_t elements = strata_size_constant(1);
  if (!strata_sizes_vary(box->rank, box->sizes))
    return strata_size_constant(mlirShapedTypeGetDimSize(mlirValueGetType(w->transfer->flat), 0));
  for (int i = 0; i < box->rank; i++)
    elements = strata_size_product(elements, box->sizes[i]);
  return elements;
}

// How many registers from |reg| on lie side by side, under whatever conditions: a power of two.
static int64_t width_from(const strata_walk_t *w, int64_t reg) {
  const strata_item_t *first = &w->items[reg];
  int64_t most = STRATA_VECTOR_BYTES / w->element_bytes, length = 0, width = 1;
  for (; length < most && reg + length * w->step < w->shape->count; length++) {
    const strata_item_t *item = &w->items[reg + length * w->step];
    if (item->is_done || item->same != reg + length * w->step || item->offset != first->offset + length ||
        !mlirAffineExprEqual(item->base, first->base))
      break;
  }
  while (width * 2 <= length)
    width *= 2;
  return width;
}

static bool is_ever(const spans_t *s, const span_t *span) {
  bool result = false;
  for (int64_t lane = 0; lane < span->width; lane++)
    result |= !item_of(s, span, lane)->is_never;
  return result;
}

// True if words around any position that |first| can have lie in the buffer.
static bool is_inside(const strata_walk_t *w, const strata_item_t *first, const span_t *span) {
  int64_t min, max;
  if (!strata_index_range(&w->transfer->box->space, first->base, &min, &max) ||
      __builtin_add_overflow(min, first->offset, &min) || __builtin_add_overflow(max, first->offset, &max))
    return false;
  int64_t last = strata_size_min(buffer_elements(w)) - span->n_words * span->width;
  return min >= 0 && max / span->width * span->width <= last;
}

static bool read_span(const spans_t *s, int64_t reg, span_t *out) {
  strata_walk_t *w = s->w;
  const strata_item_t *first = &w->items[reg];
  *out = (span_t){.first = reg, .width = width_from(w, reg)};
  if (out->width * w->element_bytes < MIN_BYTES || !is_ever(s, out))
    return false;
  bool is_aligned =
      first->offset % out->width == 0 && strata_index_is_multiple(&w->transfer->box->space, first->base, out->width);
  out->n_words = is_aligned ? 1 : 2;
  out->is_inside = is_inside(w, first, out);
  // A pair of words, or one that may not be there, is no better than two elements, each loaded or not.
  if (out->width == 2 && (out->n_words == 2 || !out->is_inside))
    return false;
  return out->n_words * out->width <= strata_size_max(buffer_elements(w));
}

// What is one vector in memory already stays that.
static void find_spans(spans_t *s) {
  strata_walk_t *w = s->w;
  bool *is_vector = strata_arena_array(w->d->compile->arena, bool, w->shape->count);
  for (int64_t reg = 0; reg < w->shape->count && s->count < MAX_SPANS; reg++) {
    span_t *span = &s->spans[s->count];
    int64_t run = strata_walk_run(w, reg);
    if (w->items[reg].is_done || is_vector[reg])
      continue;
    for (int64_t i = 0; i < run && run * w->element_bytes >= MIN_BYTES; i++)
      is_vector[reg + i * w->step] = true;
    if (is_vector[reg] || !read_span(s, reg, span))
      continue;
    s->count++;
    for (int64_t lane = 0; lane < span->width; lane++)
      item_of(s, span, lane)->is_done = true;
  }
}

//===-- Conditions -----------------------------------------------------------------------------------------------===//

static bool has_condition(const strata_item_t *item, const strata_condition_t *condition) {
  bool result = false;
  for (int i = 0; i < item->n_conditions; i++)
    result |= mlirAffineExprEqual(item->conditions[i].expr, condition->expr) &&
              item->conditions[i].bound == condition->bound && item->conditions[i].is_upper == condition->is_upper;
  return result;
}

// What the elements that are ever there have in common; null: nothing.
static MlirValue common_conditions(spans_t *s, const span_t *span) {
  strata_item_t common = {0};
  const strata_item_t *like = NULL;
  for (int64_t lane = 0; lane < span->width && !like; lane++)
    like = item_of(s, span, lane)->is_never ? NULL : item_of(s, span, lane);
  for (int i = 0; i < like->n_conditions; i++) {
    bool is_common = true;
    for (int64_t lane = 0; lane < span->width; lane++)
      is_common &= item_of(s, span, lane)->is_never || has_condition(item_of(s, span, lane), &like->conditions[i]);
    if (is_common)
      common.conditions[common.n_conditions++] = like->conditions[i];
  }
  return strata_walk_conditions(s->w, &common, (MlirValue){0});
}

static MlirValue negated(strata_emitter_t *e, MlirValue condition) {
  return strata_emit_binary(e, "arith.xori", condition, strata_emit_integer(e, mlirIntegerTypeGet(e->context, 1), 1));
}

// Words may begin below this: nowhere where not even one span's elements are there.
static MlirValue end_of_starts(spans_t *s, const span_t *span) {
  strata_emitter_t *e = &s->w->d->e;
  int64_t length = span->n_words * span->width, number;
  strata_size_t elements = buffer_elements(s->w);
  if (strata_size_is_constant(elements, &number))
    return strata_emit_index(e, number - length + 1);
  MlirValue end = strata_emit_plus(e, strata_gpu_emit_size(s->w->d, elements), 1 - length);
  return strata_size_min(elements) < length ? strata_emit_with(e, "arith.maxsi", end, 0) : end;
}

// Where the span's words begin: at 0 where none of its elements is there.
static void place_span(spans_t *s, span_t *span) {
  strata_emitter_t *e = &s->w->d->e;
  MlirValue position = strata_walk_position(s->w, item_of(s, span, 0));
  span->start = position;
  if (span->n_words > 1) {
    span->start = strata_emit_with(e, "arith.andi", position, -span->width);
    span->within = strata_emit_with(e, "arith.andi", position, span->width - 1);
  }
  if (span->is_inside)
    return;
  MlirValue end = end_of_starts(s, span);
  MlirValue fits = strata_emit_cmpi(e, STRATA_ULT, span->start, end);
  MlirValue touched = common_conditions(s, span), is_read = fits;
  if (!mlirValueIsNull(touched)) {
    is_read = strata_emit_binary(e, "arith.andi", fits, touched);
    fits = strata_emit_binary(e, "arith.ori", fits, negated(e, touched));
  }
  if (strata_size_min(buffer_elements(s->w)) < span->n_words * span->width) // then there may be no words at 0 either
    fits = strata_emit_binary(e, "arith.andi", fits, strata_emit_cmpi(e, STRATA_NE, end, strata_emit_index(e, 0)));
  span->start = strata_emit_select(e, is_read, span->start, strata_emit_index(e, 0));
  s->fit = mlirValueIsNull(s->fit) ? fits : strata_emit_binary(e, "arith.andi", s->fit, fits);
}

//===-- Loading --------------------------------------------------------------------------------------------------===//

static MlirType word_type(const spans_t *s, const span_t *span) {
  return mlirVectorTypeGet(1, &span->width, strata_walk_element(s->w));
}

static int load_words(spans_t *s, MlirValue *out) {
  strata_emitter_t *e = &s->w->d->e;
  strata_named_attr_t attr = {"tile.readonly", mlirUnitAttrGet(e->context)};
  int n = 0;
  for (int i = 0; i < s->count; i++)
    for (int word = 0; word < s->spans[i].n_words; word++) {
      MlirValue at = s->spans[i].start;
      if (word)
        at = strata_emit_with(e, "arith.addi", at, s->spans[i].width);
      out[n++] = strata_emit_value(e, "vector.load", 2, (MlirValue[]){s->w->transfer->flat, at},
                                   word_type(s, &s->spans[i]), 1, &attr);
    }
  return n;
}

static MlirValue load_element(strata_walk_t *w, int64_t reg) {
  strata_emitter_t *e = &w->d->e;
  MlirValue pad = strata_walk_pad(w), value;
  if (w->items[reg].is_never)
    return pad;
  MlirValue condition = strata_walk_conditions(w, &w->items[reg], (MlirValue){0});
  if (mlirValueIsNull(condition)) {
    strata_walk_load(w, reg, 1, &value);
    return value;
  }
  MlirType type = strata_walk_element(w);
  strata_loop_t choice = strata_emit_choice_begin(e, condition, 1, &type);
  strata_walk_load(w, reg, 1, &value);
  strata_emit_choice_else(e, choice, 1, &value);
  strata_emit_choice_end(e, choice, 1, &pad, &value);
  return value;
}

// The vectors themselves in place of their first words.
static void load_elements(spans_t *s, MlirValue *out) {
  int n = 0;
  for (int i = 0; i < s->count; i++) {
    const span_t *span = &s->spans[i];
    MlirValue lanes[MAX_LANES];
    for (int64_t lane = 0; lane < span->width; lane++)
      lanes[lane] = load_element(s->w, span->first + lane * s->w->step);
    MlirValue vector = strata_lanes_of_scalars(&s->w->d->e, span->width, lanes);
    for (int word = 0; word < span->n_words; word++)
      out[n++] = vector;
  }
}

static void load_all(spans_t *s, MlirValue *words) {
  strata_emitter_t *e = &s->w->d->e;
  MlirType types[2 * MAX_SPANS];
  MlirValue yields[2 * MAX_SPANS];
  int n = 0;
  if (mlirValueIsNull(s->fit)) {
    load_words(s, words);
    return;
  }
  for (int i = 0; i < s->count; i++)
    for (int word = 0; word < s->spans[i].n_words; word++)
      types[n++] = word_type(s, &s->spans[i]);
  strata_loop_t choice = strata_emit_choice_begin(e, s->fit, n, types);
  load_words(s, yields);
  strata_emit_choice_else(e, choice, n, yields);
  load_elements(s, yields);
  strata_emit_choice_end(e, choice, n, yields, words);
}

//===-- Taking apart ---------------------------------------------------------------------------------------------===//

static MlirValue funnel(spans_t *s, const span_t *span, const MlirValue *words) {
  strata_emitter_t *e = &s->w->d->e;
  if (span->n_words == 1)
    return words[0];
  MlirValue from = span->within;
  if (!mlirValueIsNull(s->fit))
    from = strata_emit_select(e, s->fit, from, strata_emit_index(e, 0));
  return strata_emit_value(e, STRATA_TILE_FUNNEL, 3, (MlirValue[]){words[0], words[1], from}, word_type(s, span), 0,
                           NULL);
}

// Elements that do not exist hold anything, unless the access says what they read as.
static MlirValue choose(spans_t *s, int64_t reg, MlirValue value) {
  const strata_transfer_t *transfer = s->w->transfer;
  if (mlirAttributeIsNull(transfer->pad) && mlirAttributeIsNull(transfer->mask))
    return value;
  if (s->w->items[reg].is_never)
    return strata_walk_pad(s->w);
  MlirValue condition = strata_walk_conditions(s->w, &s->w->items[reg], (MlirValue){0});
  return mlirValueIsNull(condition) ? value : strata_emit_select(&s->w->d->e, condition, value, strata_walk_pad(s->w));
}

void strata_unaligned_load(strata_walk_t *w, strata_registers_t *registers) {
  spans_t s = {.w = w};
  MlirValue words[2 * MAX_SPANS];
  if (!w->transfer->is_readonly || w->element_bytes > MIN_BYTES / 2)
    return;
  find_spans(&s);
  if (!s.count)
    return;
  for (int i = 0; i < s.count; i++)
    place_span(&s, &s.spans[i]);
  load_all(&s, words);
  for (int i = 0, n = 0; i < s.count; n += s.spans[i++].n_words) {
    const span_t *span = &s.spans[i];
    MlirValue vector = funnel(&s, span, words + n);
    for (int64_t lane = 0; lane < span->width; lane++) {
      int64_t reg = span->first + lane * w->step;
      registers->values[reg] = choose(&s, reg, strata_lanes_extract(&w->d->e, vector, lane));
    }
  }
}
