// Tiles of rows of sequences, for kernels of which a task is a tile: each of up to so many rows of one sequence. What
// a task has to know of its tile is a row of a table (dialects/affine/segment_attention.h), so that it reads all of
// that at once, wherever its sequence is.
//
//   affine.parallel (%t) = 0 to (total / rows + B) { the sequence that tile %t is of, by bisection; what the tile is }
//   affine.parallel (%t) = 0 to (total / rows + B) { its place among its neighbours; what it is, there }
//
// A sequence's tiles are its parts (segments.h), of which some are empty. They stay together, as blocks that take
// neighbours at a time then read the same keys from a cache. Those of sequences of most keys come first; of causal
// ones, of which later tiles read more keys, every other sequence is turned round: blocks that take tiles in turn then
// end at about the same time.
//
// Where a task takes as long as its sequence has keys whole sequences are ordered, which are fewer than their tiles,
// and the first kernel stores a tile in its place:
//
//   affine.parallel (%t) = 0 to (total / rows + B) { the sequence that tile %t is of, by bisection; how many tiles are
//                                                    of sequences, among its neighbours, that come earlier }
//
// Of fewer rows than there are sequences tile t is of row t, empty where that lies within a tile that begins in front
// of it, and the first kernel is all:
//
//   affine.parallel (%t) = 0 to total { the sequence that row %t is of, by bisection; what the tile is }
#include "dialects/affine/segment_attention.h"
#include "lowering/strata_to_affine/segments.h"

enum { NEIGHBOURS = 512, NEIGHBOUR_SEQUENCES = 128 }; // that a tile, or its sequence, is compared with

typedef struct {
  strata__nest_t nest;
  const strata__segment_tiles_t *of;
  strata_size_t count, sequences;
  // Of tiles as they lie behind one another: what they are, and a number, the same within a sequence but for those of
  // no rows; the greater, the earlier. NULL: they stay as they are.
  const strata__tensor_t *unordered, *order;
} tiles_t;

static MlirValue op2(tiles_t *s, const char *name, MlirValue x, MlirValue y) {
  return strata__binary(&s->nest, name, x, y);
}
static MlirValue plus(tiles_t *s, MlirValue x, MlirValue y) { return op2(s, "arith.addi", x, y); }
static MlirValue minus(tiles_t *s, MlirValue x, MlirValue y) { return op2(s, "arith.subi", x, y); }
static MlirValue number(tiles_t *s, int64_t value) { return strata_emit_index(&s->nest.e, value); }
static MlirValue size(tiles_t *s, strata_size_t value) { return strata__size(&s->nest, value); }

static MlirType number_type(const tiles_t *s) { return mlirIntegerTypeGet(s->nest.lowering->context, 64); }

static MlirValue clamp(tiles_t *s, MlirValue x, MlirValue low, MlirValue high) {
  return op2(s, "arith.minsi", op2(s, "arith.maxsi", x, low), high);
}

static MlirValue choose(tiles_t *s, const char *predicate, MlirValue x, MlirValue y, MlirValue then, MlirValue other) {
  return strata__select(&s->nest, strata__compare(&s->nest, predicate, x, y), then, other);
}

// Entry |at| of a tensor of numbers, clamped.
static MlirValue entry(tiles_t *s, const strata__tensor_t *numbers, MlirValue at, MlirValue low, strata_size_t high) {
  MlirValue value = strata__load_at(&s->nest, numbers, &at);
  value = strata__to_index(&s->nest, value);
  return clamp(s, value, low, size(s, high));
}

static MlirValue next_to(tiles_t *s, MlirValue sequence) { return plus(s, sequence, number(s, 1)); }

// Where the rows of sequence |at| begin, and those of the one in front end; what is in front of the first and behind
// the last is theirs.
static MlirValue edge(tiles_t *s, MlirValue at) {
  MlirValue zero = number(s, 0), count = size(s, s->sequences);
  MlirValue inner = entry(s, s->of->offsets, op2(s, "arith.minsi", at, count), zero, s->of->total);
  inner = choose(s, "slt", at, count, inner, size(s, s->of->total));
  return choose(s, "eq", at, zero, zero, inner);
}

static MlirValue first_tile(strata__nest_t *nest, MlirValue sequence, void *user) {
  tiles_t *s = user;
  (void)nest; // its own
  if (s->of->is_by_row)
    return edge(s, sequence);
  return plus(s, op2(s, "arith.divui", edge(s, sequence), number(s, s->of->rows)), sequence);
}

static void store_field(tiles_t *s, const strata__tensor_t *to, MlirValue tile, int field, MlirValue value) {
  const MlirValue at[2] = {tile, number(s, field)};
  value = strata__cast(&s->nest, "arith.index_cast", value, number_type(s));
  strata__store_at(&s->nest, to, at, value);
}

static MlirValue load_field(tiles_t *s, const strata__tensor_t *from, MlirValue tile, int field) {
  const MlirValue at[2] = {tile, number(s, field)};
  return strata__load_at(&s->nest, from, at);
}

// The first row of tile |tile|, of |sequence|, and how many are its own.
static void find_rows(tiles_t *s, MlirValue tile, MlirValue sequence, MlirValue *out_first, MlirValue *out_own) {
  MlirValue zero = number(s, 0), rows = number(s, s->of->rows), begin = edge(s, sequence);
  MlirValue before = minus(s, tile, first_tile(&s->nest, sequence, s)); // tiles of the sequence, or its rows
  MlirValue first = s->of->is_by_row ? tile : plus(s, begin, op2(s, "arith.muli", before, rows));
  MlirValue own = clamp(s, minus(s, edge(s, next_to(s, sequence)), first), zero, rows);
  *out_first = first;
  *out_own = s->of->is_by_row ? choose(s, "eq", op2(s, "arith.remui", before, rows), zero, own, zero) : own;
}

//===-- Sequences in order ---------------------------------------------------------------------------------------===//

static MlirValue first_key(tiles_t *s, MlirValue sequence) {
  return entry(s, s->of->key_offsets, sequence, number(s, 0), s->of->n_keys);
}

// What sequences are ordered by.
typedef struct {
  MlirValue keys, number;
} rank_t;

// i1: |a|, of more keys than |b|, or of as many and behind it, comes earlier.
static MlirValue is_earlier(tiles_t *s, rank_t a, rank_t b) {
  strata__nest_t *nest = &s->nest;
  return strata__select(nest, strata__compare(nest, "eq", a.keys, b.keys),
                        strata__compare(nest, "slt", b.number, a.number), strata__compare(nest, "slt", b.keys, a.keys));
}

// Of a sequence: those among its neighbours that come earlier, and their tiles.
typedef struct {
  MlirValue sequences, tiles;
} earlier_t;

static earlier_t count_earlier(tiles_t *s, MlirValue sequence, MlirValue begin) {
  enum { TILES, SEQUENCES, FIRST_TILE, FIRST_KEY, N_CARRIED };
  strata_emitter_t *e = &s->nest.e;
  rank_t own = {minus(s, first_key(s, next_to(s, sequence)), first_key(s, sequence)), sequence};
  MlirValue carried[N_CARRIED] = {number(s, 0), number(s, 0), first_tile(&s->nest, begin, s), first_key(s, begin)};
  MlirValue end = op2(s, "arith.minsi", plus(s, begin, number(s, NEIGHBOUR_SEQUENCES)), size(s, s->sequences));
  strata_loop_t loop = strata_emit_for_begin(e, begin, end, 1, N_CARRIED, carried, carried);
  MlirValue next = next_to(s, loop.induction), tile = first_tile(&s->nest, next, s), key = first_key(s, next);
  rank_t other = {minus(s, key, carried[FIRST_KEY]), loop.induction};
  MlirValue is_counted = is_earlier(s, other, own);
  MlirValue tiles = plus(s, carried[TILES], minus(s, tile, carried[FIRST_TILE]));
  carried[TILES] = strata__select(&s->nest, is_counted, tiles, carried[TILES]);
  MlirValue sequences = next_to(s, carried[SEQUENCES]);
  carried[SEQUENCES] = strata__select(&s->nest, is_counted, sequences, carried[SEQUENCES]);
  carried[FIRST_TILE] = tile;
  carried[FIRST_KEY] = key;
  strata_emit_for_end(e, loop, N_CARRIED, carried, carried);
  return (earlier_t){carried[SEQUENCES], carried[TILES]};
}

// The place of tile |tile| of |sequence| among the tiles of the sequence's neighbours.
static MlirValue place_by_sequence(tiles_t *s, MlirValue tile, MlirValue sequence) {
  MlirValue many = number(s, NEIGHBOUR_SEQUENCES), one = number(s, 1), first = first_tile(&s->nest, sequence, s);
  MlirValue begin = op2(s, "arith.muli", op2(s, "arith.divui", sequence, many), many), within = minus(s, tile, first);
  earlier_t earlier = count_earlier(s, sequence, begin);
  if (s->of->is_causal) {
    MlirValue last = minus(s, first_tile(&s->nest, next_to(s, sequence), s), next_to(s, first));
    MlirValue is_odd = op2(s, "arith.andi", earlier.sequences, one);
    within = choose(s, "eq", is_odd, one, within, minus(s, last, within));
  }
  MlirValue place = plus(s, plus(s, first_tile(&s->nest, begin, s), earlier.tiles), within);
  return clamp(s, place, number(s, 0), minus(s, size(s, s->count), one)); // whatever the offsets are
}

//===-- What a tile is -------------------------------------------------------------------------------------------===//

// Tile |tile|, of |sequence|.
static void describe(tiles_t *s, MlirValue tile, MlirValue sequence) {
  const strata__segment_tiles_t *of = s->of;
  MlirValue zero = number(s, 0), rows = number(s, of->rows), next = next_to(s, sequence), first, own;
  find_rows(s, tile, sequence, &first, &own);
  MlirValue keys = entry(s, of->key_offsets, sequence, zero, of->n_keys);
  MlirValue count = minus(s, entry(s, of->key_offsets, next, keys, of->n_keys), keys), seen = count, end = count;
  if (of->is_causal) { // the row in front of the sequence's end sees all keys
    MlirValue begin = entry(s, of->offsets, sequence, zero, of->total);
    MlirValue behind = minus(s, entry(s, of->offsets, next, begin, of->total), plus(s, first, number(s, 1)));
    seen = minus(s, count, behind);
    end = clamp(s, plus(s, seen, minus(s, own, number(s, 1))), zero, count);
    seen = op2(s, "arith.maxsi", plus(s, seen, rows), zero);
  }
  end = choose(s, "eq", own, zero, zero, end);
  const MlirValue fields[STRATA_SEGMENT_TILE_FIELDS] = {first, own, keys, end, seen, sequence};
  MlirValue place = of->is_by_sequence ? place_by_sequence(s, tile, sequence) : tile;
  for (int i = 0; i < STRATA_SEGMENT_TILE_FIELDS; i++)
    store_field(s, s->unordered, place, i, fields[i]);
  if (!s->order)
    return;
  MlirValue order = op2(s, "arith.muli", choose(s, "eq", own, zero, zero, count), size(s, s->sequences));
  order = strata__cast(&s->nest, "arith.index_cast", plus(s, order, sequence), number_type(s));
  strata__store_at(&s->nest, s->order, &tile, order);
}

static void emit_tiles(strata__lowering_t *l, MlirOperation op, tiles_t *s) {
  strata__nest_begin(l, &s->nest, op, "segment_tiles", 1, &s->count);
  s->nest.is_serial = true;
  MlirValue tile = strata__index_of(&s->nest, strata__dim(&s->nest, 0));
  describe(s, tile, strata__segment_find(&s->nest, s->sequences, tile, first_tile, s));
  strata__nest_end(&s->nest);
}

// How many of a tile's neighbours are of sequences that come earlier; of its own one, in front of it and behind.
typedef struct {
  MlirValue earlier, in_front, behind;
} neighbours_t;

// |count|, and one more where |x| is less than |y|.
static MlirValue count_less(tiles_t *s, MlirValue x, MlirValue y, MlirValue count) {
  return choose(s, "slt", x, y, plus(s, count, number(s, 1)), count);
}

static neighbours_t count_neighbours(tiles_t *s, MlirValue tile, MlirValue begin) {
  enum { EARLIER, IN_FRONT, BEHIND, N_COUNTS };
  strata_emitter_t *e = &s->nest.e;
  MlirValue zero = number(s, 0), own = strata__load_at(&s->nest, s->order, &tile);
  MlirValue counts[N_COUNTS] = {zero, zero, zero};
  MlirValue end = op2(s, "arith.minsi", plus(s, begin, number(s, NEIGHBOURS)), size(s, s->count));
  strata_loop_t loop = strata_emit_for_begin(e, begin, end, 1, N_COUNTS, counts, counts);
  MlirValue other = strata__load_at(&s->nest, s->order, &loop.induction);
  MlirValue in_front = count_less(s, loop.induction, tile, counts[IN_FRONT]),
            behind = count_less(s, tile, loop.induction, counts[BEHIND]);
  counts[EARLIER] = count_less(s, own, other, counts[EARLIER]);
  counts[IN_FRONT] = choose(s, "eq", other, own, in_front, counts[IN_FRONT]);
  counts[BEHIND] = choose(s, "eq", other, own, behind, counts[BEHIND]);
  strata_emit_for_end(e, loop, N_COUNTS, counts, counts);
  return (neighbours_t){counts[EARLIER], counts[IN_FRONT], counts[BEHIND]};
}

// The place of |tile| among its neighbours, those from |begin| on. Of sequences of as many tiles every other one is
// turned round, of others about as many.
static MlirValue find_place(tiles_t *s, MlirValue tile, MlirValue begin) {
  neighbours_t n = count_neighbours(s, tile, begin);
  MlirValue one = number(s, 1), within = n.in_front;
  if (s->of->is_causal) {
    MlirValue own = plus(s, plus(s, n.in_front, n.behind), one);
    MlirValue is_odd = op2(s, "arith.andi", op2(s, "arith.divui", n.earlier, own), one);
    within = choose(s, "eq", is_odd, one, n.in_front, n.behind);
  }
  return plus(s, plus(s, begin, n.earlier), within);
}

// |to| has the tiles of each NEIGHBOURS in order.
static void emit_order(strata__lowering_t *l, MlirOperation op, tiles_t *s, const strata__tensor_t *to) {
  strata__nest_begin(l, &s->nest, op, "segment_order", 1, &s->count);
  s->nest.is_serial = true;
  MlirValue tile = strata__index_of(&s->nest, strata__dim(&s->nest, 0)), many = number(s, NEIGHBOURS);
  MlirValue place = find_place(s, tile, op2(s, "arith.muli", op2(s, "arith.divui", tile, many), many));
  for (int i = 0; i < STRATA_SEGMENT_TILE_FIELDS; i++) {
    const MlirValue at[2] = {place, number(s, i)};
    strata__store_at(&s->nest, to, at, load_field(s, s->unordered, tile, i));
  }
  strata__nest_end(&s->nest);
}

// A tensor of |count| numbers, or of as many rows of |fields|.
static strata__tensor_t *numbers(strata__lowering_t *l, MlirOperation op, strata_size_t count, int64_t fields) {
  strata__tensor_t *tensor = strata_arena_new(l->compile->arena, strata__tensor_t);
  strata_size_t *sizes = strata_arena_array(l->compile->arena, strata_size_t, 2);
  sizes[0] = count;
  sizes[1] = strata_size_constant(fields);
  *tensor = (strata__tensor_t){.type = STRATA_TYPE_I64, .rank = fields > 1 ? 2 : 1, .sizes = sizes};
  strata__place_anywhere(l, tensor, mlirOperationGetLocation(op));
  return tensor;
}

static bool are_equal(const strata__segment_tiles_t *a, const strata__segment_tiles_t *b) {
  return a->offsets == b->offsets && a->key_offsets == b->key_offsets && a->is_causal == b->is_causal &&
         a->rows == b->rows && a->is_by_row == b->is_by_row && a->is_by_sequence == b->is_by_sequence &&
         strata_size_equal(a->total, b->total) && strata_size_equal(a->n_keys, b->n_keys);
}

const strata__tensor_t *strata__segment_tiles(strata__lowering_t *l, MlirOperation op, strata__segment_tiles_t tiles) {
  for (size_t i = 0; i < l->segment_tiles.count; i++)
    if (are_equal(&l->segment_tiles.data[i], &tiles))
      return l->segment_tiles.data[i].table;
  tiles_t s = {.of = &tiles};
  s.sequences = strata__segment_count(l, tiles.offsets);
  s.count = tiles.is_by_row ? tiles.total : strata__segment_parts(l, tiles.total, s.sequences, tiles.rows);
  tiles.table = numbers(l, op, s.count, STRATA_SEGMENT_TILE_FIELDS);
  bool is_in_place = tiles.is_by_row || tiles.is_by_sequence;
  s.unordered = is_in_place ? tiles.table : numbers(l, op, s.count, STRATA_SEGMENT_TILE_FIELDS);
  s.order = is_in_place ? NULL : numbers(l, op, s.count, 1);
  emit_tiles(l, op, &s);
  if (s.order)
    emit_order(l, op, &s, tiles.table);
  *strata_vector_push(l->compile->arena, &l->segment_tiles) = tiles;
  return tiles.table;
}
