// Transposing blocks in registers: two dims of a vector trade places, one of them the innermost.
//
// n vectors of n lanes are transposed by log2(n) rounds of n shuffles: round s exchanges
// the lanes with bit s set of row i with the others of row i + s, for every row i with bit s clear.
//
//   a0 a1 a2 a3        a0 a1 c0 c1        a0 b0 c0 d0
//   b0 b1 b2 b3  s=2   b0 b1 d0 d1  s=1   a1 b1 c1 d1
//   c0 c1 c2 c3   ->   a2 a3 c2 c3   ->   a2 b2 c2 d2
//   d0 d1 d2 d3        b2 b3 d2 d3        a3 b3 c3 d3
#include "lowering/tile_to_cpu/distribute.h"

enum { MAX_LANES = 64, MIN_BLOCK = 4, POISON = -1 };

static void exchange(strata_emitter_t *e, int64_t n, int64_t bit, MlirValue *low, MlirValue *high) {
  int64_t first[MAX_LANES], second[MAX_LANES];
  for (int64_t lane = 0; lane < n; lane++) {
    first[lane] = lane & bit ? n + lane - bit : lane;
    second[lane] = lane & bit ? n + lane : lane + bit;
  }
  MlirValue a = *low, b = *high;
  *low = strata_lanes_shuffle(e, a, b, n, first);
  *high = strata_lanes_shuffle(e, a, b, n, second);
}

static void transpose_square(strata_emitter_t *e, int64_t n, MlirValue *rows) {
  for (int64_t bit = n / 2; bit > 0; bit /= 2)
    for (int64_t row = 0; row < n; row++)
      if (!(row & bit))
        exchange(e, n, bit, &rows[row], &rows[row + bit]);
}

// The first lanes of |vector|, or more lanes than it has, the others undefined.
static MlirValue resize(strata_emitter_t *e, MlirValue vector, int64_t length, int64_t wanted) {
  int64_t mask[MAX_LANES];
  if (length == wanted)
    return vector;
  for (int64_t lane = 0; lane < wanted; lane++)
    mask[lane] = lane < length ? lane : POISON;
  return strata_lanes_shuffle(e, vector, vector, wanted, mask);
}

// |n_rows| vectors of |length| lanes become |length| vectors of |n_rows| lanes.
static void transpose_block(strata_emitter_t *e, int64_t n_rows, int64_t length, MlirValue *rows) {
  int64_t n = 1;
  while (n < n_rows || n < length)
    n *= 2;
  for (int64_t i = 0; i < n; i++)
    rows[i] = i < n_rows ? resize(e, rows[i], length, n) : rows[0];
  transpose_square(e, n, rows);
  for (int64_t i = 0; i < length; i++)
    rows[i] = resize(e, rows[i], n, n_rows);
}

bool strata_can_swap(const strata_pieces_t *shape, int dim) {
  return dim < shape->rank - 1 && shape->lanes >= MIN_BLOCK && shape->sizes[dim] >= MIN_BLOCK &&
         shape->row_length >= MIN_BLOCK;
}

// The piece of |shape| with the other dims at |point|, |dim| at |at|, number |column| of its row.
static int64_t piece_number(const strata_pieces_t *shape, const int64_t *point, int dim, int64_t at, int64_t column) {
  int64_t row = 0;
  for (int i = 0; i < shape->rank - 1; i++)
    row = row * shape->sizes[i] + (i == dim ? at : point[i]);
  return row * shape->per_row + column;
}

static void swap_at(strata_emitter_t *e, const strata_pieces_t *from, const strata_pieces_t *to, int dim,
                    const int64_t *point) {
  MlirValue rows[MAX_LANES];
  for (int64_t block = 0; block < to->per_row; block++)
    for (int64_t column = 0; column < from->per_row; column++) {
      int64_t first_row = block * to->lanes, first_lane = column * from->lanes;
      int64_t n_rows = strata_piece_length(to, block), length = strata_piece_length(from, column);
      for (int64_t i = 0; i < n_rows; i++)
        rows[i] = from->values[piece_number(from, point, dim, first_row + i, column)];
      // A single row or lane left over comes as a scalar.
      if (n_rows > 1 && length > 1)
        transpose_block(e, n_rows, length, rows);
      else if (n_rows > 1)
        rows[0] = strata_lanes_of_scalars(e, n_rows, rows);
      else
        for (int64_t i = length; i-- > 0;)
          rows[i] = strata_lanes_extract(e, rows[0], i);
      for (int64_t i = 0; i < length; i++)
        to->values[piece_number(to, point, dim, first_lane + i, block)] = rows[i];
    }
}

MlirType strata_swapped_type(const strata_pieces_t *shape, int dim) {
  int64_t sizes[STRATA_VECTOR_RANK];
  memcpy(sizes, shape->sizes, sizeof sizes);
  sizes[dim] = shape->row_length;
  sizes[shape->rank - 1] = shape->sizes[dim];
  return mlirVectorTypeGet(shape->rank, sizes, shape->element);
}

strata_pieces_t strata_pieces_swap(strata_distribution_t *d, const strata_pieces_t *from, int dim) {
  strata_pieces_t to = strata_pieces_layout(strata_swapped_type(from, dim), from->lanes);
  to.values = strata_arena_array(d->compile->arena, MlirValue, to.n_pieces);
  int64_t point[STRATA_VECTOR_RANK], n_points = 1;
  for (int i = 0; i < from->rank - 1; i++)
    n_points *= i == dim ? 1 : from->sizes[i];
  for (int64_t number = 0; number < n_points; number++) {
    int64_t rest = number;
    for (int i = from->rank - 1; i-- > 0;)
      if (i != dim) {
        point[i] = rest % from->sizes[i];
        rest /= from->sizes[i];
      }
    swap_at(&d->e, from, &to, dim, point);
  }
  return to;
}
