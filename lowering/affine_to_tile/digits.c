// Sorts by digits on GPUs (dialects/affine/digits.h): a task is a part of a row, all of it one operation of its block.
//
//   scf.forall (%t) in (rows * parts) {
//     "tile.place_digits"(buffers, the places of a row's first element and of digit 0 in them, first element, end) }
#include "dialects/affine/digits.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/affine_to_tile/kinds.h"
#include "lowering/affine_to_tile/places.h"

enum { MOST_BUFFERS = 6 };

typedef struct {
  strata_digits_t a;
  int n;
  MlirValue buffers[MOST_BUFFERS], at[MOST_BUFFERS];
  int64_t steps[MOST_BUFFERS];
} digits_t;

// Notes where element 0 of |place| lies and how far the others are apart; |point| is the task.
static void add_place(strata_tile_builder_t *b, digits_t *c, const strata_place_t *place, const MlirAffineExpr *point) {
  MlirContext context = b->e.context;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], dims[STRATA_TILE_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_static_space_t storage;
  int rank = strata_tile_place_coordinates(b, place, point, coordinates);
  strata_memref_sizes(place->buffer, sizes);
  MlirAffineMap map = mlirAffineMapGet(context, STRATA_TILE_DIMS, b->sizes.count, rank, coordinates);
  MlirAffineExpr position = strata_affine_linearize(map, sizes, strata_tile_space(b, &storage));
  if (!strata_affine_coefficient(position, 0, &c->steps[c->n]) || c->steps[c->n] == 0)
    strata_tile_fail(b, "affine-to-tile: elements of a row that are no number of elements apart");
  for (int i = 0; i < STRATA_TILE_DIMS; i++)
    dims[i] = i == 0 ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, i);
  MlirAffineMap first = mlirAffineMapGet(context, STRATA_TILE_DIMS, b->sizes.count, STRATA_TILE_DIMS, dims);
  c->buffers[c->n] = place->buffer;
  c->at[c->n++] = strata_tile_index(b, strata_tile_simplify(b, mlirAffineExprCompose(position, first)));
}

static void add_nothing(strata_tile_builder_t *b, digits_t *c) {
  c->buffers[c->n] = c->a.keys.buffer;
  c->steps[c->n] = 0;
  c->at[c->n++] = strata_emit_index(&b->e, 0);
}

static void emit_op(strata_tile_builder_t *b, digits_t *c, MlirValue first, MlirValue end) {
  MlirValue operands[2 * MOST_BUFFERS + 2];
  for (int i = 0; i < c->n; i++) {
    operands[i] = c->buffers[i];
    operands[c->n + i] = c->at[i];
  }
  operands[2 * c->n] = first;
  operands[2 * c->n + 1] = end;
  strata_named_attr_t attrs[] = {{STRATA_DIGIT, strata_digit_attr(b->e.context, &c->a.digit)},
                                 {"steps", strata_i64s_attr(b->e.context, c->n, c->steps)}};
  strata_emit_op(&b->e, c->a.places ? STRATA_TILE_PLACE_DIGITS : STRATA_TILE_COUNT_DIGITS, 2 * c->n + 2, operands, 0,
                 NULL, 2, attrs);
}

static void emit_task(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector, void *user) {
  (void)vector;
  digits_t *c = user;
  int n_outer = b->kernel->nests[0].n_parallel;
  MlirAffineExpr point[STRATA_MAX_DIMS + 1], bounds[3];
  memcpy(point, outer, (size_t)n_outer * sizeof *point);
  b->space.n_vector = 1;
  b->space.extents[0] = INT32_MAX; // an element's number, which no value is over
  point[n_outer] = strata_tile_vector_dim(b, 0);
  const strata_place_t *places[] = {&c->a.keys,   &c->a.counts,    &c->a.before,
                                    &c->a.result, &c->a.positions, &c->a.result_positions};
  for (int i = 0; i < (c->a.places ? MOST_BUFFERS : 2); i++)
    if (mlirValueIsNull(places[i]->buffer) || (i == 2 && mlirValueEqual(places[i]->buffer, c->a.counts.buffer)))
      add_nothing(b, c);
    else
      add_place(b, c, places[i], point);
  b->space.n_vector = 0;
  const strata_place_t ends = {.map = c->a.bounds};
  int n = strata_tile_place_coordinates(b, &ends, point, bounds);
  MlirValue first = strata_tile_index(b, bounds[0]), end = strata_tile_index(b, bounds[1]);
  if (n > 2)
    end = strata_emit_value(&b->e, "arith.minsi", 2, (MlirValue[]){end, strata_tile_index(b, bounds[2])},
                            mlirIndexTypeGet(b->e.context), 0, NULL);
  if (!b->status)
    emit_op(b, c, first, end);
}

strata_status_t strata_tile_digits(strata_tile_builder_t *b) {
  digits_t c = {0};
  const strata_nest_t *nest = &b->kernel->nests[0];
  if (!strata_digits_read(b->kernel, &c.a) || b->schedule.n_tile != 1)
    return strata_error(STRATA_INTERNAL, "no kernel of a sort by digits");
  strata_tile_walk_t walk = {
      .outer = nest->space.sizes, .n_outer = nest->n_parallel, .vector = strata_size_constant(1), .tile = 1, .work = 1};
  strata_tile_walk_gpu(b, &walk, emit_task, &c);
  return b->status;
}
