// A topological order of groups of nests, kept while groups are merged (Pearce and Kelly's algorithm): it finds out
// whether a merge would make a cycle, and looks only at what lies between the two.
#ifndef STRATA_PASSES_AFFINE_GROUP_ORDER_H
#define STRATA_PASSES_AFFINE_GROUP_ORDER_H

#include "passes/affine/nest_graph.h"

typedef struct strata_group_order strata_group_order_t;

// Every node of |graph| is a group of its own, in the order of the nodes.
strata_group_order_t *strata_group_order_create(const strata_nest_graph_t *graph);

typedef enum {
  STRATA_MERGE_DONE,
  STRATA_MERGE_CYCLE, // something outside depends on one and is needed by the other
  STRATA_MERGE_FAR,   // too much lies between to find out
} strata_merge_t;

// Merges the groups of two nodes, if that leaves an order.
strata_merge_t strata_group_order_merge(strata_group_order_t *order, int a, int b);

// The place of a node's group; the group's nodes have the same place.
int strata_group_order_place(strata_group_order_t *order, int node);

#endif
