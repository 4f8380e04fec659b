// Places buffers whose sizes are known in one pool; see memory_plan.c.
#include "passes/affine/memory_place.h"

#include "dialects/integers.h"

#include <stdlib.h>
#include <string.h>

// A buffer with a place, linked into a list of the index.
typedef struct placed {
  struct placed *next;
  const strata_buffer_t *buffer;
  int64_t begin, end; // bytes of the pool
} placed_t;

// Those placed so far, found by their life: a segment tree over the launches, in whose nodes a life is stored
// piecewise, answers "who lives at launch t"; a list for every launch answers "whose life begins there".
typedef struct {
  strata_arena_t *arena;
  int64_t n_leaves; // a power of two
  placed_t **nodes; // node i has the children 2i and 2i+1; the leaves begin at n_leaves
  placed_t **starts;
} life_index_t;

typedef STRATA_VECTOR(const placed_t *) placed_list_t;

static life_index_t index_create(strata_arena_t *arena, int64_t n_launches) {
  int64_t n_leaves = 1;
  while (n_leaves < n_launches)
    n_leaves *= 2;
  return (life_index_t){.arena = arena,
                        .n_leaves = n_leaves,
                        .nodes = strata_arena_array(arena, placed_t *, 2 * n_leaves),
                        .starts = strata_arena_array(arena, placed_t *, n_leaves)};
}

static void push(strata_arena_t *arena, placed_t **list, placed_t placed) {
  placed.next = *list;
  *list = strata_arena_copy(arena, &placed, sizeof placed);
}

static void index_insert(life_index_t *index, placed_t placed) {
  push(index->arena, &index->starts[placed.buffer->first], placed);
  int64_t low = placed.buffer->first + index->n_leaves, high = placed.buffer->last + index->n_leaves + 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2)
      push(index->arena, &index->nodes[low++], placed);
    if (high % 2)
      push(index->arena, &index->nodes[--high], placed);
  }
}

// Those that live at the same time as |buffer|: they live at its first launch, or begin later in its life.
static void index_conflicts(const life_index_t *index, const strata_buffer_t *buffer, placed_list_t *out_conflicts) {
  out_conflicts->count = 0;
  for (int64_t node = buffer->first + index->n_leaves; node > 0; node /= 2)
    for (const placed_t *placed = index->nodes[node]; placed; placed = placed->next)
      *strata_vector_push(index->arena, out_conflicts) = placed;
  for (int64_t launch = buffer->first + 1; launch <= buffer->last; launch++)
    for (const placed_t *placed = index->starts[launch]; placed; placed = placed->next)
      *strata_vector_push(index->arena, out_conflicts) = placed;
}

static int by_place(const void *a, const void *b) {
  const placed_t *x = *(const placed_t *const *)a, *y = *(const placed_t *const *)b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

// The smallest gap between the conflicts that holds |size| bytes, else the place behind them.
static int64_t find_place(const placed_list_t *conflicts, int64_t size) {
  if (conflicts->count)
    qsort(conflicts->data, conflicts->count, sizeof *conflicts->data, by_place);
  int64_t end = 0, best = -1, best_gap = INT64_MAX;
  for (size_t i = 0; i < conflicts->count; i++) {
    int64_t gap = conflicts->data[i]->begin - end;
    if (gap >= size && gap < best_gap) {
      best = end;
      best_gap = gap;
    }
    if (conflicts->data[i]->end > end)
      end = conflicts->data[i]->end;
  }
  return best >= 0 ? best : end;
}

static double weigh(const strata_buffer_t *buffer, int64_t size, strata_placing_t order) {
  double life = (double)(buffer->last - buffer->first + 1);
  return order == STRATA_PLACING_SIZE ? (double)size : order == STRATA_PLACING_LIFE ? life : (double)size * life;
}

typedef struct {
  const strata_buffer_t *buffer;
  int64_t size;
  double weight;
} candidate_t;

// Heavier first, then larger; equal ones in program order.
static int by_weight(const void *a, const void *b) {
  const candidate_t *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

int64_t strata_most_live(strata_arena_t *arena, const strata_launch_list_t *list, const int64_t *sizes) {
  int64_t *change = strata_arena_array(arena, int64_t, list->launches.count + 1);
  for (size_t i = 0; i < list->buffers.count; i++) {
    const strata_buffer_t *buffer = &list->buffers.data[i];
    if (!strata_is_placed(buffer))
      continue;
    change[buffer->first] += strata_round_up(sizes[i], STRATA_POOL_ALIGNMENT);
    change[buffer->last + 1] -= strata_round_up(sizes[i], STRATA_POOL_ALIGNMENT);
  }
  int64_t live = 0, most = 0;
  for (size_t i = 0; i < list->launches.count; i++) {
    live += change[i];
    most = strata_max(live, most);
  }
  return most;
}

typedef STRATA_VECTOR(candidate_t) candidates_t;

static candidates_t candidates_of(strata_arena_t *arena, const strata_launch_list_t *list, const int64_t *sizes,
                                  strata_placing_t by) {
  candidates_t order = {0};
  for (size_t i = 0; i < list->buffers.count; i++) {
    const strata_buffer_t *buffer = &list->buffers.data[i];
    if (strata_is_placed(buffer))
      *strata_vector_push(arena, &order) = (candidate_t){buffer, sizes[i], weigh(buffer, sizes[i], by)};
  }
  if (order.count)
    qsort(order.data, order.count, sizeof *order.data, by_weight);
  return order;
}

static strata_placement_t place_in_order(strata_arena_t *arena, const strata_launch_list_t *list,
                                         const candidates_t *order) {
  life_index_t index = index_create(arena, (int64_t)list->launches.count);
  placed_list_t conflicts = {0};
  strata_placement_t placement = {.offsets = strata_arena_array(arena, int64_t, list->buffers.count + 1)};
  for (size_t i = 0; i < order->count; i++) {
    placed_t placed = {.buffer = order->data[i].buffer};
    int64_t size = strata_round_up(order->data[i].size, STRATA_POOL_ALIGNMENT);
    index_conflicts(&index, placed.buffer, &conflicts);
    placed.begin = find_place(&conflicts, size);
    placed.end = placed.begin + size;
    index_insert(&index, placed);
    placement.offsets[placed.buffer - list->buffers.data] = placed.begin;
    placement.pool_size = strata_max(placed.end, placement.pool_size);
    placement.sum += size;
  }
  return placement;
}

strata_placement_t strata_place(strata_arena_t *arena, const strata_launch_list_t *list, const int64_t *sizes,
                                strata_placing_t by) {
  candidates_t order = candidates_of(arena, list, sizes, by);
  return place_in_order(arena, list, &order);
}

// Moves what ends highest to the front.
static void promote_highest(const strata_launch_list_t *list, const strata_placement_t *placement,
                            candidates_t *order) {
  size_t highest = 0;
  int64_t end = -1;
  for (size_t i = 0; i < order->count; i++) {
    const candidate_t *each = &order->data[i];
    int64_t its = placement->offsets[each->buffer - list->buffers.data] + each->size;
    if (its > end) {
      end = its;
      highest = i;
    }
  }
  candidate_t moved = order->data[highest];
  memmove(order->data + 1, order->data, highest * sizeof *order->data);
  order->data[0] = moved;
}

strata_placement_t strata_place_repeatedly(strata_arena_t *arena, const strata_launch_list_t *list,
                                           const int64_t *sizes, int64_t good) {
  enum { MOST_ROUNDS = 100, MOST_PLACES = 10000 };
  candidates_t order = candidates_of(arena, list, sizes, STRATA_PLACING_SIZE);
  strata_placement_t best = place_in_order(arena, list, &order), last = best;
  for (size_t round = 1; round < MOST_ROUNDS && round * order.count < MOST_PLACES && best.pool_size > good; round++) {
    promote_highest(list, &last, &order);
    last = place_in_order(arena, list, &order);
    best = last.pool_size < best.pool_size ? last : best;
  }
  return best;
}
