// Places in a kernel's code at which nests are computed that are computed where they are read; see group.h.
//
// Two reads at one point of one loop nest are one place, whatever lies between: the value is there already. A chain
// whose links are read at two points each is doubled with every link, which no saving of memory is worth.
#include "passes/affine/group.h"

#include "dialects/affine/simplify.h"

enum {
  MAX_PLACES = 32,           // of one nest
  MAX_GROUP_PLACES = 4 * 256 // of all members
};

// The point of an aligned bijective nest at an outer point: its outer map inverted.
static MlirAffineMap point_at_outer(const strata_grouping_t *grouping, int group, int node) {
  MlirContext context = grouping->compile->context;
  const strata_nest_t *nest = strata_group_node(grouping, node)->nest;
  int n_dims = nest->n_parallel + nest->n_reduction, n_outer = grouping->groups.data[group].n_outer;
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  for (int dim = 0; dim < n_dims; dim++)
    dims[dim] = mlirAffineConstantExprGet(context, 0);
  for (int i = 0; i < n_outer; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(grouping->nodes[node].outer, i);
    if (mlirAffineExprIsADim(expr))
      dims[mlirAffineDimExprGetPosition(expr)] = mlirAffineDimExprGet(context, i);
  }
  return mlirAffineMapGet(context, n_outer, 0, n_dims, dims);
}

bool strata_group_place_of_read(const strata_grouping_t *grouping, int group, int reader,
                                const strata_nest_read_t *read, strata_group_place_t *out_place,
                                MlirAffineMap *out_point) {
  const strata_nest_node_t *record = strata_group_node(grouping, reader);
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  if (!strata_nest_graph_point(&grouping->graph, record, read, dims))
    return false;
  int n_dims = record->nest->n_parallel + record->nest->n_reduction;
  int n_point = strata_group_node(grouping, read->producer)->nest->n_parallel;
  *out_point = mlirAffineMapGet(grouping->compile->context, n_dims, record->nest->space.n_symbols, n_point, dims);
  *out_place = (strata_group_place_t){.root = reader, .point = *out_point};
  if (!mlirAffineMapIsNull(grouping->nodes[reader].outer) && !read->load->in_reduction &&
      strata_group_is_bijective(grouping, group, reader))
    *out_place =
        (strata_group_place_t){.root = STRATA_GROUP_OUTER,
                               .point = strata_affine_compose(*out_point, point_at_outer(grouping, group, reader),
                                                              &grouping->groups.data[group].outer)};
  return true;
}

// False if there is no room for one more.
static bool add_place(const strata_grouping_t *grouping, strata_group_places_t *places, strata_group_place_t place) {
  for (size_t i = 0; i < places->count; i++)
    if (places->data[i].root == place.root && mlirAffineMapEqual(places->data[i].point, place.point))
      return true;
  if (places->count == MAX_PLACES)
    return false;
  *strata_vector_push(grouping->graph.arena, places) = place;
  return true;
}

// The places at which |reader| asks for what it reads: its own, if it is computed where it is read itself.
static bool add_places(const strata_grouping_t *grouping, int group, int reader, const strata_nest_read_t *read,
                       strata_group_places_t *places) {
  const strata_group_places_t *own = &grouping->nodes[reader].places;
  strata_group_place_t place;
  MlirAffineMap point;
  if (!strata_group_place_of_read(grouping, group, reader, read, &place, &point))
    return false;
  if (!mlirAffineMapIsNull(grouping->nodes[reader].outer) || own->count == 0)
    return add_place(grouping, places, place);
  bool has_room = true;
  for (size_t i = 0; i < own->count && has_room; i++) {
    int root = own->data[i].root;
    const strata_space_t *space = root == STRATA_GROUP_OUTER ? &grouping->groups.data[group].outer
                                                             : &strata_group_node(grouping, root)->nest->space;
    MlirAffineMap map = strata_affine_compose(point, own->data[i].point, space);
    has_room = add_place(grouping, places, (strata_group_place_t){root, map});
  }
  return has_room;
}

bool strata_group_find_places(strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  strata_group_places_t *places = &grouping->nodes[node].places;
  places->count = 0;
  for (size_t i = 0; i < record->after.count; i++) {
    int reader = record->after.data[i];
    const strata_nest_node_t *after = strata_group_node(grouping, reader);
    for (size_t j = 0; j < after->reads.count && strata_group_has(grouping, group, reader); j++)
      if (after->reads.data[j].producer == node && !add_places(grouping, group, reader, &after->reads.data[j], places))
        return false;
  }
  return grouping->groups.data[group].n_places + places->count <= MAX_GROUP_PLACES;
}
