// affine-split-dims: where a reshape lies between reductions over rows and what depends on them, all walk the dims of
// which both shapes are made.
//
//   a group norm of %x : memref<2x320x64x64xf16> as rows of %x reshaped to 2x32x40960
//   affine.parallel (%b, %g) { affine.for %n = 0 to 40960 { ... load %x[%b, %g * 10 + %n floordiv 4096, ...] } ... }
//   affine.parallel (%b, %c, %h, %w) { ... load %t[%b, %c floordiv 10, %h * 64 + %w + (%c mod 10) * 4096] ... }
// become
//   affine.parallel (%b, %g) { affine.for %i = 0 to 10 { affine.for %h ... { ... load %x[%b, %g * 10 + %i, ...] } } ...
//   } affine.parallel (%b, %g, %i, %h, %w) { ... load %t[%b, %g, %i, %h, %w] ... }
//
// so that grouping sees that their rows are the same. Divisions in what such nests read say where a dim has to be cut;
// cuts go on through the buffers between the nests, whose dims are cut with them. Contractions, and what follows them
// elementwise, keep their dims, as do all where it does not make an end of divisions, and dims whose sizes vary. What a
// kernel then walks as one is one dim again after affine-coalesce.
#include "passes/affine/split_dims.h"

#include "dialects/affine/expr.h"
#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/coalesce.h"
#include "passes/affine/dim_digits.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/pass.h"

typedef struct {
  bool is_free; // may have other dims
  int set;      // the nests whose dims are cut together: the first one's node
  strata_cuts_t cuts[STRATA_MAX_DIMS];
} split_nest_t;

typedef struct {
  bool is_inner; // written once, by a free nest that others of its set read
  bool is_cut;
  int rank;
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_cuts_t cuts[STRATA_MAX_DIMS];
} split_buffer_t;

typedef struct {
  strata_compile_t *compile;
  strata_nest_graph_t graph;
  split_nest_t *nests;     // by node
  split_buffer_t *buffers; // by buffer of the graph
} splitting_t;

static strata_cut_dims_t dims_of_node(const splitting_t *s, int node) {
  const strata_nest_t *nest = s->graph.nodes.data[node].nest;
  return (strata_cut_dims_t){nest->space, s->nests[node].cuts};
}

static strata_cut_dims_t dims_of_buffer(const splitting_t *s, int buffer) {
  split_buffer_t *record = &s->buffers[buffer];
  return (strata_cut_dims_t){{.n_dims = record->rank, .sizes = record->sizes}, record->cuts};
}

//===-- Who takes part -------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_nest_t *nest;
  bool is_rewritable;
} inspector_t;

static MlirWalkResult inspect(MlirOperation op, void *user) {
  inspector_t *inspector = user;
  if (!mlirAffineMapIsNull(strata_coalesce_map(inspector->nest, op)))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    for (int dim = 0; dim < strata_nest_n_dims(inspector->nest); dim++)
      inspector->is_rewritable &= !mlirValueEqual(mlirOperationGetOperand(op, i), inspector->nest->dims[dim]);
  return MlirWalkResultAdvance;
}

// True if dims occur in maps and conditions alone.
static bool is_rewritable(const strata_nest_t *nest) {
  inspector_t inspector = {nest, true};
  mlirOperationWalk(nest->op, inspect, &inspector, MlirWalkPreOrder);
  return inspector.is_rewritable;
}

// A nest that follows a contraction elementwise becomes one kernel with it: the last contraction behind which it comes
// is later than the last reduction over rows.
typedef struct {
  int anchor, row; // nodes; -1: none
} origin_t;

static origin_t origin_of(const splitting_t *s, const origin_t *origins, int node) {
  const strata_nest_node_t *record = &s->graph.nodes.data[node];
  origin_t origin = {-1, -1};
  for (size_t i = 0; i < record->before.count; i++) {
    const origin_t *before = &origins[record->before.data[i]];
    origin.anchor = before->anchor > origin.anchor ? before->anchor : origin.anchor;
    origin.row = before->row > origin.row ? before->row : origin.row;
  }
  if (record->nest && record->class == STRATA_NEST_ANCHOR)
    origin.anchor = node;
  if (record->nest && record->class == STRATA_NEST_ROW)
    origin.row = node;
  return origin;
}

// True if the nest reads something from behind a contraction at other points than its own.
static bool reads_reshaped(const strata_nest_node_t *record) {
  for (size_t i = 0; i < record->reads.count; i++) {
    MlirAffineMap map = record->reads.data[i].load->map;
    for (intptr_t j = 0; !mlirAffineMapIsNull(map) && j < mlirAffineMapGetNumResults(map); j++)
      if (strata_affine_has_division(strata_affine_simplify(mlirAffineMapGetResult(map, j), &record->nest->space)))
        return true;
  }
  return false;
}

static void find_free_nests(splitting_t *s) {
  origin_t *origins = strata_arena_array(s->graph.arena, origin_t, s->graph.nodes.count);
  for (int node = 0; node < (int)s->graph.nodes.count; node++) {
    const strata_nest_node_t *record = &s->graph.nodes.data[node];
    origins[node] = origin_of(s, origins, node);
    if (!record->nest || record->is_constant || record->nest->is_serial)
      continue;
    bool follows =
        record->class == STRATA_NEST_MAP && origins[node].anchor > origins[node].row && !reads_reshaped(record);
    bool is_taken = record->class == STRATA_NEST_ROW || record->class == STRATA_NEST_MAP;
    s->nests[node].is_free = is_taken && !follows && is_rewritable(record->nest);
    if (record->class == STRATA_NEST_MAP && !follows && origins[node].anchor > origins[node].row)
      origins[node].row = node; // it begins something new
  }
}

static void find_inner_buffers(splitting_t *s) {
  for (size_t i = 0; i < s->graph.buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &s->graph.buffers.data[i];
    split_buffer_t *record = &s->buffers[i];
    record->rank = strata_memref_sizes(buffer->value, record->sizes);
    record->is_inner = buffer->is_alloc && !buffer->is_constant && buffer->n_stores == 1 &&
                       s->nests[buffer->writer].is_free && record->rank <= STRATA_MAX_DIGITS &&
                       !mlirAffineMapIsNull(buffer->store->map);
  }
}

static int set_of(const splitting_t *s, int node) {
  while (s->nests[node].set != node)
    node = s->nests[node].set;
  return node;
}

static void join_sets(splitting_t *s) {
  for (int node = 0; node < (int)s->graph.nodes.count; node++)
    s->nests[node].set = node;
  for (size_t i = 0; i < s->graph.buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &s->graph.buffers.data[i];
    for (size_t j = 0; j < buffer->readers.count && s->buffers[i].is_inner; j++) {
      if (!s->nests[buffer->readers.data[j]].is_free)
        continue;
      int a = set_of(s, buffer->writer), b = set_of(s, buffer->readers.data[j]);
      s->nests[a < b ? b : a].set = a < b ? a : b;
    }
  }
  for (int node = 0; node < (int)s->graph.nodes.count; node++)
    s->nests[node].set = set_of(s, node);
}

//===-- Where dims are cut ---------------------------------------------------------------------------------------===//

// True if divisions in this access are to go: those of rows' own elements, and of what lies between the nests.
static bool is_asking(const splitting_t *s, int node, size_t access) {
  const strata_nest_node_t *record = &s->graph.nodes.data[node];
  const strata_access_t *a = &record->nest->accesses[access];
  return !mlirAffineMapIsNull(a->map) && (s->buffers[record->buffers.data[access]].is_inner || a->in_reduction);
}

static MlirAffineExpr simplified(const strata_nest_t *nest, MlirAffineMap map, intptr_t i) {
  return strata_affine_simplify(mlirAffineMapGetResult(map, i), &nest->space);
}

// Coordinates of an access over the digits of its nest's dims.
static MlirAffineMap over_digits(const strata_digits_t *digits, MlirAffineMap map) {
  strata_space_t space = strata_digits_space(digits);
  return strata_affine_compose(map, digits->dims, &space);
}

static bool cut_for_divisions(splitting_t *s, int node, size_t access) {
  const strata_nest_t *nest = s->graph.nodes.data[node].nest;
  MlirAffineMap map = nest->accesses[access].map;
  strata_cut_dims_t dims = dims_of_node(s, node);
  bool changed = false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    changed |= strata_cut_divisions(&dims, simplified(nest, map, i));
  return changed;
}

// Passes cuts on between the dims of a nest and those of a buffer.
static bool cut_across(splitting_t *s, int node, size_t access) {
  const strata_nest_t *nest = s->graph.nodes.data[node].nest;
  int buffer = s->graph.nodes.data[node].buffers.data[access];
  MlirAffineMap map = nest->accesses[access].map;
  strata_cut_dims_t dims = dims_of_node(s, node), coordinates = dims_of_buffer(s, buffer);
  strata_digits_t digits = strata_digits_of(s->compile->context, &dims);
  MlirAffineMap places = over_digits(&digits, map);
  bool changed = false;
  for (int i = 0; i < coordinates.space.n_dims; i++) {
    strata_cuts_t found;
    if (strata_radix_of(&digits, mlirAffineMapGetResult(places, i), coordinates.space.sizes[i], &found))
      for (int j = 0; j < found.count; j++)
        changed |= strata_cut_dim(&coordinates, i, found.at[j]);
    for (int j = 0; j < coordinates.cuts[i].count; j++)
      changed |= strata_cut_expr(&dims, simplified(nest, map, i), coordinates.cuts[i].at[j]);
  }
  return changed;
}

static bool cut_nest(splitting_t *s, int node) {
  const strata_nest_node_t *record = &s->graph.nodes.data[node];
  bool changed = false;
  for (size_t i = 0; i < record->buffers.count; i++) {
    if (!is_asking(s, node, i))
      continue;
    changed |= cut_for_divisions(s, node, i);
    if (s->buffers[record->buffers.data[i]].is_inner)
      changed |= cut_across(s, node, i);
  }
  return changed;
}

//===-- Whether that helps ---------------------------------------------------------------------------------------===//

static int count_divided(MlirAffineMap map) {
  int count = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    count += strata_affine_has_division(mlirAffineMapGetResult(map, i));
  return count;
}

// Coordinates with divisions that there are in what the nest asks for, before and after.
static void count_divisions(const splitting_t *s, int node, int *before, int *after) {
  const strata_nest_node_t *record = &s->graph.nodes.data[node];
  strata_cut_dims_t dims = dims_of_node(s, node);
  strata_digits_t digits = strata_digits_of(s->compile->context, &dims);
  for (size_t i = 0; i < record->buffers.count; i++) {
    MlirAffineMap map = record->nest->accesses[i].map;
    if (!is_asking(s, node, i))
      continue;
    *before += count_divided(strata_affine_simplify_map(map, &record->nest->space));
    *after += count_divided(over_digits(&digits, map));
  }
}

// Cuts the dims of all sets in which divisions end; others stay as they are.
static void cut_sets(splitting_t *s) {
  int n = (int)s->graph.nodes.count;
  int *before = strata_arena_array(s->graph.arena, int, n), *after = strata_arena_array(s->graph.arena, int, n);
  bool *has_rows = strata_arena_array(s->graph.arena, bool, n);
  for (int node = 0; node < n; node++)
    has_rows[s->nests[node].set] |= s->nests[node].is_free && s->graph.nodes.data[node].class == STRATA_NEST_ROW;
  for (bool changed = true; changed;) {
    changed = false;
    for (int node = 0; node < n; node++)
      changed |= s->nests[node].is_free && has_rows[s->nests[node].set] && cut_nest(s, node);
  }
  for (int node = 0; node < n; node++)
    if (s->nests[node].is_free && has_rows[s->nests[node].set])
      count_divisions(s, node, &before[s->nests[node].set], &after[s->nests[node].set]);
  for (int node = 0; node < n; node++)
    if (after[s->nests[node].set] >= before[s->nests[node].set])
      memset(s->nests[node].cuts, 0, sizeof s->nests[node].cuts);
}

//===-- Buffers --------------------------------------------------------------------------------------------------===//

// Coordinates in the buffer's new shape.
static MlirAffineMap cut_coordinates(const splitting_t *s, int buffer, MlirAffineMap places,
                                     const strata_digits_t *digits) {
  const split_buffer_t *record = &s->buffers[buffer];
  MlirContext context = s->compile->context;
  MlirAffineExpr results[STRATA_MAX_DIMS];
  int count = 0;
  for (int i = 0; i < record->rank; i++)
    for (int j = record->cuts[i].count; j >= 0; j--) {
      MlirAffineExpr digit = mlirAffineMapGetResult(places, i);
      if (j < record->cuts[i].count)
        digit = mlirAffineModExprGet(digit, mlirAffineConstantExprGet(context, record->cuts[i].at[j]));
      if (j > 0)
        digit = mlirAffineFloorDivExprGet(digit, mlirAffineConstantExprGet(context, record->cuts[i].at[j - 1]));
      results[count++] = digit;
    }
  MlirAffineMap map =
      mlirAffineMapGet(context, mlirAffineMapGetNumDims(places), mlirAffineMapGetNumSymbols(places), count, results);
  strata_space_t space = strata_digits_space(digits);
  return strata_affine_simplify_map(map, &space);
}

// A buffer has new dims where all accesses are sums of digits in them.
static void find_cut_buffers(splitting_t *s) {
  for (size_t i = 0; i < s->graph.buffers.count; i++) {
    strata_cut_dims_t dims = dims_of_buffer(s, (int)i);
    s->buffers[i].is_cut = s->buffers[i].is_inner && strata_count_digits(&dims) > dims.space.n_dims;
  }
  for (int node = 0; node < (int)s->graph.nodes.count; node++) {
    const strata_nest_node_t *record = &s->graph.nodes.data[node];
    for (size_t i = 0; i < record->buffers.count; i++) {
      int buffer = record->buffers.data[i];
      if (!s->buffers[buffer].is_cut)
        continue;
      MlirAffineMap map = record->nest->accesses[i].map;
      if (!s->nests[node].is_free || mlirAffineMapIsNull(map)) {
        s->buffers[buffer].is_cut = false;
        continue;
      }
      strata_cut_dims_t dims = dims_of_node(s, node);
      strata_digits_t digits = strata_digits_of(s->compile->context, &dims);
      MlirAffineMap places = cut_coordinates(s, buffer, over_digits(&digits, map), &digits);
      s->buffers[buffer].is_cut = count_divided(places) == 0;
    }
  }
}

static void cut_buffer(const splitting_t *s, int buffer) {
  const split_buffer_t *record = &s->buffers[buffer];
  MlirValue value = s->graph.buffers.data[buffer].value;
  strata_cut_dims_t dims = dims_of_buffer(s, buffer);
  strata_digits_t digits = strata_digits_of(s->compile->context, &dims);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(value));
  if (record->is_cut)
    mlirValueSetType(value, strata_memref_type_of(element, digits.n_digits, digits.sizes));
}

//===-- Nests ----------------------------------------------------------------------------------------------------===//

typedef struct {
  MlirOperation op;
  MlirAffineMap map;
} changed_map_t;

typedef struct {
  const splitting_t *s;
  int node;
  strata_digits_t digits;
  STRATA_VECTOR(changed_map_t) maps;
} rewrite_t;

static MlirWalkResult find_maps(MlirOperation op, void *user) {
  rewrite_t *r = user;
  const strata_nest_node_t *record = &r->s->graph.nodes.data[r->node];
  MlirAffineMap map = strata_coalesce_map(record->nest, op);
  if (mlirAffineMapIsNull(map))
    return MlirWalkResultAdvance;
  map = over_digits(&r->digits, map);
  for (size_t i = 0; i < record->buffers.count; i++)
    if (mlirOperationEqual(record->nest->accesses[i].op, op) && r->s->buffers[record->buffers.data[i]].is_cut)
      map = cut_coordinates(r->s, record->buffers.data[i], map, &r->digits);
  *strata_vector_push(r->s->graph.arena, &r->maps) = (changed_map_t){op, map};
  return MlirWalkResultAdvance;
}

// Makes the nest's dims its digits, whose values *out_dims are; maps are as before.
static void add_digits(const rewrite_t *r, MlirValue *out_dims) {
  const strata_nest_t *nest = r->s->graph.nodes.data[r->node].nest;
  MlirType index = mlirIndexTypeGet(r->s->compile->context);
  MlirOperation loop = {0};
  int n_parallel = 0;
  for (int i = r->digits.n_digits; i-- > 0;) {
    int dim = r->digits.dim_of[i];
    bool is_lowest = i == r->digits.n_digits - 1 || r->digits.dim_of[i + 1] != dim;
    n_parallel += dim < nest->n_parallel;
    if (dim < nest->n_parallel && is_lowest)
      out_dims[i] = nest->dims[dim];
    else if (dim < nest->n_parallel)
      out_dims[i] = mlirBlockInsertArgument(nest->body, dim, index, mlirOperationGetLocation(nest->op));
    else if (is_lowest) {
      loop = nest->loops[dim - nest->n_parallel];
      strata_loop_set_size(loop, r->digits.sizes[i]);
      out_dims[i] = nest->dims[dim];
    } else {
      loop = strata_loop_wrap(loop, r->digits.sizes[i]);
      out_dims[i] = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), 0);
    }
  }
  strata_nest_set_sizes(nest->op, n_parallel, r->digits.sizes);
}

static void rewrite_nest(const splitting_t *s, int node) {
  const strata_nest_t *nest = s->graph.nodes.data[node].nest;
  strata_cut_dims_t dims = dims_of_node(s, node);
  rewrite_t r = {.s = s, .node = node, .digits = strata_digits_of(s->compile->context, &dims)};
  MlirValue values[STRATA_MAX_DIMS];
  mlirOperationWalk(nest->op, find_maps, &r, MlirWalkPreOrder);
  add_digits(&r, values);
  for (size_t i = 0; i < r.maps.count; i++)
    strata_nest_set_map(r.maps.data[i].op, r.maps.data[i].map, values);
}

static bool is_changed(const splitting_t *s, int node) {
  const strata_nest_node_t *record = &s->graph.nodes.data[node];
  if (!s->nests[node].is_free)
    return false;
  strata_cut_dims_t dims = dims_of_node(s, node);
  bool changed = strata_count_digits(&dims) > dims.space.n_dims;
  for (size_t i = 0; i < record->buffers.count; i++)
    changed |= s->buffers[record->buffers.data[i]].is_cut;
  return changed;
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

strata_status_t strata_split_dims(strata_compile_t *compile, MlirOperation func) {
  splitting_t s = {.compile = compile};
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &s.graph));
  s.nests = strata_arena_array(compile->arena, split_nest_t, s.graph.nodes.count);
  s.buffers = strata_arena_array(compile->arena, split_buffer_t, s.graph.buffers.count);
  find_free_nests(&s);
  find_inner_buffers(&s);
  join_sets(&s);
  cut_sets(&s);
  find_cut_buffers(&s);
  for (int node = 0; node < (int)s.graph.nodes.count; node++)
    if (is_changed(&s, node))
      rewrite_nest(&s, node);
  for (size_t i = 0; i < s.graph.buffers.count; i++)
    cut_buffer(&s, (int)i);
  return NULL;
}

strata_status_t strata_pass_affine_split_dims(strata_compile_t *compile) {
  return compile->options->disable_fusion ? NULL : strata_for_each_nest_function(compile, strata_split_dims);
}
