// A value from one layout to another of which pairs of lanes hold copies, each what either has in the first.
//
// Say lanes 0 and 16 of a warp have columns 0 to 7 and 8 to 15 of a row, and both are to have all sixteen: they
// exchange theirs, and each chooses, number by number, what was the lower lane's and what was the upper one's. Elements
// of 16 bits are exchanged, and chosen, as pairs.
#include "lowering/tile_to_gpu/gather.h"

#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/exchange.h"

enum { WORD_BYTES = 4 };

//===-- Layouts --------------------------------------------------------------------------------------------------===//

static bool is_same_at(const strata_layout_t *a, const strata_layout_t *b, int64_t bit, int rank) {
  for (int dim = 0; dim < rank; dim++)
    if (strata_layout_thread_coordinate(a, bit, dim) != strata_layout_thread_coordinate(b, bit, dim))
      return false;
  return true;
}

static bool is_copy_at(const strata_layout_t *layout, int64_t bit, int rank) {
  for (int dim = 0; dim < rank; dim++)
    if (strata_layout_thread_coordinate(layout, bit, dim) != 0)
      return false;
  return true;
}

// The bit of the lane's number by which parts are told apart; 0: each thread has all of its own. False if there is more
// to it.
static bool find_bit(const strata_registers_t *from, const strata_layout_t *to, int64_t lanes, int64_t *out_bit) {
  int64_t n_threads = strata_layout_threads(to);
  *out_bit = 0;
  if (n_threads != strata_layout_threads(&from->layout) || (n_threads & (n_threads - 1)))
    return false;
  for (int64_t bit = 1; bit < n_threads; bit *= 2) {
    if (is_same_at(&from->layout, to, bit, from->rank))
      continue;
    if (*out_bit || bit >= lanes || !is_copy_at(to, bit, from->rank))
      return false;
    *out_bit = bit;
  }
  return true;
}

// The register of |from|, in a lane that has |bit| as |is_upper| says, of what |reg| of |to| is to be; -1: none.
static int64_t find_register(const strata_registers_t *from, const strata_layout_t *to, int64_t reg, int64_t bit,
                             bool is_upper) {
  for (int64_t own = 0; own < from->count; own++) {
    bool is_it = true;
    for (int dim = 0; dim < from->rank && is_it; dim++)
      is_it = strata_layout_reg_coordinate(&from->layout, own, dim) +
                  (is_upper ? strata_layout_thread_coordinate(&from->layout, bit, dim) : 0) ==
              strata_layout_reg_coordinate(to, reg, dim);
    if (is_it)
      return own;
  }
  return -1;
}

//===-- Words ----------------------------------------------------------------------------------------------------===//

// Registers of a word: two of 16 bits.
static int64_t elements_of_word(const strata_registers_t *from) {
  int64_t n = WORD_BYTES / strata_element_bytes(from->element);
  return n > 0 && from->count % n == 0 ? n : 1;
}

static MlirValue word_of(strata_emitter_t *e, const strata_registers_t *from, int64_t first, int64_t n) {
  if (n == 1)
    return from->values[first];
  MlirValue pair = strata_emit_value(e, "vector.from_elements", (int)n, from->values + first,
                                     mlirVectorTypeGet(1, &n, from->element), 0, NULL);
  int64_t one = 1;
  pair = strata_emit_cast(e, "vector.bitcast", pair, mlirVectorTypeGet(1, &one, mlirIntegerTypeGet(e->context, 32)));
  return strata_lanes_extract(e, pair, 0);
}

static void take_apart(strata_emitter_t *e, MlirType element, MlirValue word, int64_t n, MlirValue *out) {
  int64_t one = 1;
  if (n == 1) {
    *out = word;
    return;
  }
  MlirValue words = strata_emit_value(e, "vector.from_elements", 1, &word,
                                      mlirVectorTypeGet(1, &one, mlirValueGetType(word)), 0, NULL);
  MlirValue pair = strata_emit_cast(e, "vector.bitcast", words, mlirVectorTypeGet(1, &n, element));
  for (int64_t i = 0; i < n; i++)
    out[i] = strata_lanes_extract(e, pair, i);
}

// Every register of |from| as the lower lane has it, and as the upper one has it.
static void exchange(strata_gpu_distribution_t *d, const strata_registers_t *from, int64_t bit,
                     MlirValue *const parts[2]) {
  strata_emitter_t *e = &d->e;
  int64_t n = elements_of_word(from);
  MlirValue bits = strata_emit_with(e, "arith.andi", d->role.thread, bit);
  MlirValue is_upper = strata_emit_cmpi(e, STRATA_NE, bits, strata_emit_index(e, 0));
  for (int64_t first = 0; first < from->count; first += n) {
    MlirValue own = word_of(e, from, first, n), other = strata_exchange_across(d, own, bit);
    take_apart(e, from->element, strata_emit_select(e, is_upper, other, own), n, parts[0] + first);
    take_apart(e, from->element, strata_emit_select(e, is_upper, own, other), n, parts[1] + first);
  }
}

//===-- The conversion -------------------------------------------------------------------------------------------===//

bool strata_registers_gather(strata_gpu_distribution_t *d, const strata_registers_t *from,
                             const strata_layout_t *layout, strata_registers_t *out) {
  strata_arena_t *arena = d->compile->arena;
  int64_t bit;
  *out = strata_registers_in(d, from->type, layout);
  if (!find_bit(from, &out->layout, d->device->lanes, &bit))
    return false;
  int64_t *sources = strata_arena_array(arena, int64_t, out->count);
  bool *are_upper = strata_arena_array(arena, bool, out->count);
  for (int64_t reg = 0; reg < out->count; reg++) {
    sources[reg] = find_register(from, &out->layout, reg, bit, false);
    are_upper[reg] = bit && sources[reg] < 0;
    if (are_upper[reg])
      sources[reg] = find_register(from, &out->layout, reg, bit, true);
    if (sources[reg] < 0)
      return false;
  }
  MlirValue *parts[2] = {from->values, from->values};
  if (bit) {
    for (int i = 0; i < 2; i++)
      parts[i] = strata_arena_array(arena, MlirValue, from->count);
    exchange(d, from, bit, parts);
  }
  for (int64_t reg = 0; reg < out->count; reg++)
    out->values[reg] = parts[are_upper[reg]][sources[reg]];
  return true;
}
