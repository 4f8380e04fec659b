// The order of groups; see group_order.h.
//
// Groups are the sets of a union-find forest; each root has a place. To merge u before v, what u reaches (below) and
// what reaches v (above) at places between theirs is found. If u reaches v through another group, there is a cycle.
// Otherwise the places of all of them are dealt out anew: above, then the merged group, then below.
#include "passes/affine/group_order.h"
#include "dialects/integers.h"

#include <stdlib.h>

enum { MAX_VISITS = 2048 }; // of one search

struct strata_group_order {
  const strata_nest_graph_t *graph;
  int *parent;   // towards the root of the group
  int *next;     // the group's nodes as a ring
  int *place;    // of roots
  int *at_place; // the inverse
  int *visited;  // the number of the last search that met this root
  int search;
  strata_ints_t above, below, places; // of the current merge: groups, groups, places
};

strata_group_order_t *strata_group_order_create(const strata_nest_graph_t *graph) {
  strata_group_order_t *order = strata_arena_new(graph->arena, strata_group_order_t);
  size_t count = graph->nodes.count;
  order->graph = graph;
  order->parent = strata_arena_array(graph->arena, int, count);
  order->next = strata_arena_array(graph->arena, int, count);
  order->place = strata_arena_array(graph->arena, int, count);
  order->at_place = strata_arena_array(graph->arena, int, count);
  order->visited = strata_arena_array(graph->arena, int, count);
  for (size_t i = 0; i < count; i++)
    order->parent[i] = order->next[i] = order->place[i] = order->at_place[i] = (int)i;
  return order;
}

static int root_of(strata_group_order_t *order, int node) {
  while (order->parent[node] != node) {
    order->parent[node] = order->parent[order->parent[node]];
    node = order->parent[node];
  }
  return node;
}

int strata_group_order_place(strata_group_order_t *order, int node) { return order->place[root_of(order, node)]; }

//===-- Searching ------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_group_order_t *order;
  bool forward;
  int from, to; // groups; |to| is looked for
  strata_ints_t *found;
  strata_merge_t result;
} search_t;

// Adds the groups next to |group| that lie between the two ends.
static void visit_neighbours(search_t *search, int group) {
  strata_group_order_t *order = search->order;
  int end = order->place[search->to], node = group;
  do {
    const strata_nest_node_t *record = &order->graph->nodes.data[node];
    const strata_ints_t *next = search->forward ? &record->after : &record->before;
    for (size_t i = 0; i < next->count; i++) {
      int other = root_of(order, next->data[i]), place = order->place[other];
      if (other == search->to && group != search->from)
        search->result = STRATA_MERGE_CYCLE;
      if ((search->forward ? place >= end : place <= end) || other == group || order->visited[other] == order->search)
        continue;
      order->visited[other] = order->search;
      *strata_vector_push(order->graph->arena, search->found) = other;
    }
    node = order->next[node];
  } while (node != group && search->result == STRATA_MERGE_DONE);
}

static strata_merge_t run_search(search_t *search) {
  search->order->search++;
  search->found->count = 0;
  visit_neighbours(search, search->from);
  for (size_t i = 0; i < search->found->count && search->result == STRATA_MERGE_DONE; i++) {
    if (search->found->count > MAX_VISITS)
      search->result = STRATA_MERGE_FAR;
    visit_neighbours(search, search->found->data[i]);
  }
  return search->result;
}

//===-- Merging --------------------------------------------------------------------------------------------------===//

// Adds the places of |groups| to order->places, and puts the groups into the order of their places.
static void collect_places(strata_group_order_t *order, strata_ints_t *groups) {
  if (groups->count == 0)
    return;
  for (size_t i = 0; i < groups->count; i++)
    groups->data[i] = order->place[groups->data[i]];
  qsort(groups->data, groups->count, sizeof(int), strata_compare_ints);
  for (size_t i = 0; i < groups->count; i++) {
    *strata_vector_push(order->graph->arena, &order->places) = groups->data[i];
    groups->data[i] = order->at_place[groups->data[i]];
  }
}

static void set_place(strata_group_order_t *order, int group, int place) {
  order->place[group] = place;
  order->at_place[place] = group;
}

static void unite(strata_group_order_t *order, int into, int from) {
  order->parent[from] = into;
  int next = order->next[into];
  order->next[into] = order->next[from];
  order->next[from] = next;
}

static void reorder(strata_group_order_t *order, int u, int v) {
  size_t n_above = order->above.count, n_below = order->below.count;
  order->places.count = 0;
  *strata_vector_push(order->graph->arena, &order->places) = order->place[u];
  *strata_vector_push(order->graph->arena, &order->places) = order->place[v];
  collect_places(order, &order->above);
  collect_places(order, &order->below);
  const int *places = order->places.data;
  qsort(order->places.data, order->places.count, sizeof(int), strata_compare_ints);
  for (size_t i = 0; i < n_above; i++)
    set_place(order, order->above.data[i], places[i]);
  set_place(order, u, places[n_above]);
  for (size_t i = 0; i < n_below; i++)
    set_place(order, order->below.data[i], places[n_above + 2 + i]);
  unite(order, u, v);
}

strata_merge_t strata_group_order_merge(strata_group_order_t *order, int a, int b) {
  int u = root_of(order, a), v = root_of(order, b);
  if (u == v)
    return STRATA_MERGE_DONE;
  if (order->place[u] > order->place[v]) {
    int other = u;
    u = v;
    v = other;
  }
  search_t below = {.order = order, .forward = true, .from = u, .to = v, .found = &order->below};
  search_t above = {.order = order, .forward = false, .from = v, .to = u, .found = &order->above};
  strata_merge_t result = run_search(&below);
  if (result == STRATA_MERGE_DONE)
    result = run_search(&above);
  if (result == STRATA_MERGE_DONE)
    reorder(order, u, v);
  return result;
}
