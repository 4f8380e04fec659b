// Reads @main's nests into a graph; see nest_graph.h.
//
// A buffer is usually written by one nest and then read. Where several nests write parts of it (concat), a join node
// stands between them and the readers, so that m writers and n readers make m + n edges. A nest that writes what was
// read before (an update in place) starts a new version of the buffer.
#include "passes/affine/nest_graph.h"

#include "dialects/affine/contraction.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

//===-- Costs ----------------------------------------------------------------------------------------------------===//

static const struct {
  const char *name;
  double cost;
} op_costs[] = {
#define OP_COST(name, cost) {name, cost},
#include "passes/affine/op_costs.def"
};

bool strata_ints_contain(const strata_ints_t *ints, int value) {
  for (size_t i = 0; i < ints->count; i++)
    if (ints->data[i] == value)
      return true;
  return false;
}

static double op_cost(MlirStringRef name) {
  bool is_math = name.length > 5 && memcmp(name.data, "math.", 5) == 0;
  if (!is_math && (name.length < 6 || memcmp(name.data, "arith.", 6) != 0))
    return 0;
  for (size_t i = 0; i < sizeof op_costs / sizeof *op_costs; i++)
    if (strata_str_equal(name, op_costs[i].name))
      return op_costs[i].cost;
  return is_math ? DEAR_COST : 1;
}

bool strata_is_dear_op(const char *name) { return op_cost(mlirStringRefCreateFromCString(name)) >= DEAR_COST; }

// Numbers of one type in and out: no conversion, comparison or selection, and nothing that computes an index.
static bool is_arithmetic(MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, i)), type))
      return false;
  return mlirTypeIsAFloat(type) || (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 1);
}

// Trips of one loop; loops of serial nests may have bounds that are not constant, which count as one.
static double loop_trips(MlirOperation op) {
  if (!strata_op_is(op, "affine.for"))
    return 1;
  MlirAffineMap lower = mlirAffineMapAttrGetValue(strata_attr(op, "lowerBoundMap"));
  MlirAffineMap upper = mlirAffineMapAttrGetValue(strata_attr(op, "upperBoundMap"));
  bool is_constant = mlirAffineMapIsSingleConstant(lower) && mlirAffineMapIsSingleConstant(upper);
  if (!is_constant)
    return 1;
  return (double)(mlirAffineMapGetSingleConstantResult(upper) - mlirAffineMapGetSingleConstantResult(lower));
}

static void add_block_work(MlirBlock block, double trips, strata_nest_work_t *work) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    double cost = op_cost(strata_op_name(op));
    work->work += trips * cost;
    work->flops += cost > 0 && is_arithmetic(op) ? trips : 0;
    work->is_dear |= cost >= DEAR_COST;
    double inner = trips * loop_trips(op);
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
      for (MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(body);
           body = mlirBlockGetNextInRegion(body))
        add_block_work(body, inner, work);
  }
}

strata_nest_work_t strata_nest_work(const strata_nest_t *nest) {
  strata_nest_work_t work = {0};
  add_block_work(nest->body, 1, &work);
  return work;
}

bool strata_nest_has_other_uses(MlirValue value, int n_accesses) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    n_accesses--;
  return n_accesses < 0;
}

double strata_memref_bytes(MlirType type) { return strata_memref_likely_bytes(&(strata_size_symbols_t){0}, type); }

double strata_memref_likely_bytes(const strata_size_symbols_t *symbols, MlirType type) {
  double bytes = (double)strata_element_bytes(mlirShapedTypeGetElementType(type));
  return bytes * strata_memref_likely_elements(symbols, type);
}

//===-- Classes --------------------------------------------------------------------------------------------------===//

static uint32_t parallel_mask(const strata_nest_t *nest) { return (uint32_t)((1ull << nest->n_parallel) - 1); }

// True if a step along some parallel dim is no longer than what the reduction dims reach: |expr| is then the same for
// several results.
static bool overlaps(const strata_nest_t *nest, MlirAffineExpr expr) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  int64_t least, most, least_step = INT64_MAX, step;
  int n_dims = nest->n_parallel + nest->n_reduction;
  for (int dim = 0; dim < n_dims; dim++) {
    sizes[dim] = dim < nest->n_parallel ? strata_size_constant(1) : nest->space.sizes[dim];
    if (dim >= nest->n_parallel || strata_size_is_one(nest->space.sizes[dim]) || !strata_affine_expr_uses(expr, dim))
      continue;
    if (!strata_affine_coefficient(expr, dim, &step))
      step = 0;
    step = step < 0 ? -step : step;
    if (step < least_step)
      least_step = step;
  }
  strata_space_t space = nest->space;
  space.sizes = sizes;
  if (!strata_affine_range(strata_affine_simplify(expr, &space), &space, &least, &most))
    return least_step < INT64_MAX;
  return most > least && least_step <= most - least;
}

// Some coordinate adds a parallel and a reduction dim: neighbouring results read the same elements.
static bool reads_windows(const strata_nest_t *nest) {
  for (int i = 0; i < nest->n_accesses; i++) {
    const strata_access_t *access = &nest->accesses[i];
    if (access->is_store || !access->in_reduction)
      continue;
    for (intptr_t j = 0; j < mlirAffineMapGetNumResults(access->map); j++)
      if (overlaps(nest, mlirAffineMapGetResult(access->map, j)))
        return true;
  }
  return false;
}

// A product of two operands of which one has a parallel dim that the other lacks.
static bool multiplies_across(const strata_nest_t *nest) {
  strata_contraction_t contraction;
  if (!strata_nest_contraction(nest, &contraction))
    return false;
  uint32_t exclusive = (contraction.lhs_dims ^ contraction.rhs_dims) & parallel_mask(nest);
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if ((exclusive >> dim & 1) && !strata_size_is_one(nest->space.sizes[dim]))
      return true;
  return false;
}

// A product's operands that are not side by side along registers are packed, into scratch of a size that is known:
// where the length of the sums varies there is no such form.
static bool needs_scratch_that_varies(const strata_nest_graph_t *graph, const strata_nest_t *nest) {
  enum { TILE = 8 };
  strata_nest_t alone = *nest;
  strata_kernel_t kernel = {graph->arena, graph->func, strata_func_body(graph->func), 1, &alone};
  strata_contraction_kernel_t c;
  if (!strata_nest_sums_vary(nest) || !strata_is_contraction(&kernel, &c))
    return false;
  bool is_guarded = false;
  for (int side = STRATA_SIDE_U; side <= STRATA_SIDE_V; side++)
    is_guarded |= !mlirOperationIsNull(c.sides[side].access->guard);
  bool is_wide = mlirValueEqual(strata_contraction_narrow(&c, STRATA_SIDE_U), c.sides[STRATA_SIDE_U].factor);
  return is_guarded || !is_wide || !strata_contraction_is_contiguous(&c, STRATA_SIDE_V, TILE);
}

static strata_nest_class_t classify(const strata_nest_t *nest) {
  if (!strata_nest_is_vectorizable(nest))
    return STRATA_NEST_SCALAR;
  if (nest->n_reduction == 0)
    return STRATA_NEST_MAP;
  return reads_windows(nest) || multiplies_across(nest) ? STRATA_NEST_ANCHOR : STRATA_NEST_ROW;
}

//===-- Buffers --------------------------------------------------------------------------------------------------===//

// What has happened to a buffer so far while nests are added in order.
typedef struct {
  strata_ints_t writers; // of the current version
  strata_ints_t readers;
  int join; // 1 + the node after all writers; 0: none yet
} version_t;

typedef struct {
  strata_nest_graph_t *graph;
  strata_size_symbols_t symbols;
  STRATA_VECTOR(version_t) versions; // by buffer
} reader_t;

static bool is_alloc(MlirValue value) {
  return mlirValueIsAOpResult(value) && strata_op_is(mlirOpResultGetOwner(value), "memref.alloc");
}

static int buffer_index(reader_t *reader, MlirValue value) {
  strata_nest_graph_t *graph = reader->graph;
  int64_t *slot = strata_pointer_map_put(&graph->buffer_of, value.ptr);
  if (*slot == 0) {
    MlirType type = mlirValueGetType(value);
    *strata_vector_push(graph->arena, &graph->buffers) =
        (strata_nest_buffer_t){.value = value,
                               .elements = strata_memref_likely_elements(&reader->symbols, type),
                               .bytes = strata_memref_likely_bytes(&reader->symbols, type),
                               .is_alloc = is_alloc(value)};
    *strata_vector_push(graph->arena, &reader->versions) = (version_t){0};
    *slot = (int64_t)graph->buffers.count;
  }
  return (int)*slot - 1;
}

// Repetitions that matter come one after the other; others do no harm.
static void push_once(strata_arena_t *arena, strata_ints_t *ints, int value) {
  if (ints->count == 0 || ints->data[ints->count - 1] != value)
    *strata_vector_push(arena, ints) = value;
}

static void add_dependence(strata_nest_graph_t *graph, int from, int to) {
  if (from == to)
    return;
  push_once(graph->arena, &graph->nodes.data[to].before, from);
  push_once(graph->arena, &graph->nodes.data[from].after, to);
}

static int add_node(strata_nest_graph_t *graph, strata_nest_t *nest) {
  *strata_vector_push(graph->arena, &graph->nodes) = (strata_nest_node_t){.nest = nest, .class = STRATA_NEST_SCALAR};
  return (int)graph->nodes.count - 1;
}

// The joins that a nest's reads need come before its own node.
static void add_joins(reader_t *reader, const strata_nest_t *nest) {
  for (int i = 0; i < nest->n_accesses; i++) {
    if (nest->accesses[i].is_store)
      continue;
    int buffer = buffer_index(reader, nest->accesses[i].buffer);
    version_t *version = &reader->versions.data[buffer];
    if (version->join != 0 || version->writers.count < 2)
      continue;
    int join = add_node(reader->graph, NULL);
    for (size_t j = 0; j < version->writers.count; j++)
      add_dependence(reader->graph, version->writers.data[j], join);
    version->join = join + 1;
  }
}

static void add_load(reader_t *reader, int node, int buffer) {
  version_t *version = &reader->versions.data[buffer];
  if (version->join != 0)
    add_dependence(reader->graph, version->join - 1, node);
  else if (version->writers.count == 1)
    add_dependence(reader->graph, version->writers.data[0], node);
  push_once(reader->graph->arena, &version->readers, node);
  push_once(reader->graph->arena, &reader->graph->buffers.data[buffer].readers, node);
}

// A write after reads, or of a nest whose stores may meet others', waits for all that came before.
static void start_version(reader_t *reader, int node, int buffer) {
  version_t *version = &reader->versions.data[buffer];
  for (size_t i = 0; i < version->writers.count; i++)
    add_dependence(reader->graph, version->writers.data[i], node);
  for (size_t i = 0; i < version->readers.count; i++)
    add_dependence(reader->graph, version->readers.data[i], node);
  *version = (version_t){0};
}

static void add_store(reader_t *reader, int node, int buffer, const strata_access_t *store) {
  strata_nest_graph_t *graph = reader->graph;
  version_t *version = &reader->versions.data[buffer];
  if (version->readers.count > 0 || graph->nodes.data[node].nest->is_serial)
    start_version(reader, node, buffer);
  push_once(graph->arena, &version->writers, node);
  strata_nest_buffer_t *record = &graph->buffers.data[buffer];
  record->n_stores++;
  record->writer = node;
  record->store = store;
}

//===-- Nests ----------------------------------------------------------------------------------------------------===//

static void describe(const strata_nest_graph_t *graph, strata_nest_node_t *node) {
  const strata_nest_t *nest = node->nest;
  node->class = classify(nest);
  node->needs_varying_scratch = node->class != STRATA_NEST_SCALAR && needs_scratch_that_varies(graph, nest);
  if (node->needs_varying_scratch)
    node->class = STRATA_NEST_SCALAR;
  node->points = node->trips = 1;
  for (int dim = 0; dim < nest->n_parallel + nest->n_reduction; dim++) {
    node->points *= dim < nest->n_parallel ? (double)strata_nest_likely_extent(nest, dim) : 1;
    node->trips *= (double)strata_nest_likely_extent(nest, dim);
  }
  strata_nest_work_t work = strata_nest_work(nest);
  node->work = work.work;
  node->is_dear = work.is_dear;
}

static void add_nest(reader_t *reader, strata_nest_t *nest) {
  strata_nest_graph_t *graph = reader->graph;
  add_joins(reader, nest);
  int node = add_node(graph, nest);
  describe(graph, &graph->nodes.data[node]);
  for (int i = 0; i < nest->n_accesses; i++)
    *strata_vector_push(graph->arena, &graph->nodes.data[node].buffers) =
        buffer_index(reader, nest->accesses[i].buffer);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < nest->n_accesses; i++) {
      const strata_access_t *access = &nest->accesses[i];
      int buffer = graph->nodes.data[node].buffers.data[i];
      if (pass == 0 && !access->is_store)
        add_load(reader, node, buffer);
      else if (pass == 1 && access->is_store)
        add_store(reader, node, buffer, access);
    }
}

// Reads that a producer can be computed at: known once all stores are.
static void find_reads(strata_nest_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    strata_nest_node_t *node = &graph->nodes.data[i];
    for (size_t j = 0; j < node->buffers.count; j++) {
      const strata_access_t *access = &node->nest->accesses[j];
      const strata_nest_buffer_t *buffer = &graph->buffers.data[node->buffers.data[j]];
      if (access->is_store || buffer->n_stores != 1 || buffer->writer >= (int)i)
        continue;
      *strata_vector_push(graph->arena, &node->reads) = (strata_nest_read_t){
          .load = access, .buffer = node->buffers.data[j], .producer = buffer->writer, .store = buffer->store};
    }
  }
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

static MlirWalkResult note_size(MlirOperation op, void *uses_sizes) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    *(bool *)uses_sizes |= strata_symbol_of_value(mlirOperationGetOperand(op, i)) >= 0;
  return MlirWalkResultAdvance;
}

// Whether sizes that vary are in its bounds, its buffers or what it computes.
static bool depends_on_sizes(const strata_nest_t *nest) {
  bool uses_sizes = false;
  mlirOperationWalk(nest->op, note_size, &uses_sizes, MlirWalkPreOrder);
  return uses_sizes || strata_nest_varies(nest);
}

static bool depends_on_constants(const strata_nest_graph_t *graph, const strata_nest_node_t *node) {
  if (depends_on_sizes(node->nest))
    return false; // as often as sizes change
  for (size_t i = 0; i < node->buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &graph->buffers.data[node->buffers.data[i]];
    if (!buffer->is_constant || (node->nest->accesses[i].is_store && !buffer->is_alloc))
      return false;
  }
  return true;
}

// Every nest and buffer is taken for constant until it is known to read, or to write beside, something that is not.
static void find_constants(strata_nest_graph_t *graph) {
  for (size_t i = 0; i < graph->buffers.count; i++) {
    strata_nest_buffer_t *buffer = &graph->buffers.data[i];
    buffer->is_constant = mlirValueIsAOpResult(buffer->value);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < graph->nodes.count; i++) {
      strata_nest_node_t *node = &graph->nodes.data[i];
      node->is_constant = node->nest && depends_on_constants(graph, node);
      for (size_t j = 0; j < node->buffers.count && !node->is_constant; j++) {
        strata_nest_buffer_t *buffer = &graph->buffers.data[node->buffers.data[j]];
        changed |= node->nest->accesses[j].is_store && buffer->is_constant && buffer->n_stores > 1;
        buffer->is_constant = buffer->is_constant && !node->nest->accesses[j].is_store;
      }
    }
  }
}

static strata_status_t check_others(MlirOperation func) {
  MlirBlock body = strata_func_body(func);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = strata_op_name(op);
    bool is_known = strata_op_is(op, "affine.parallel") || strata_op_is(op, "memref.alloc") ||
                    strata_op_is(op, "memref.get_global") || strata_op_is(op, "arith.constant") ||
                    strata_op_is(op, "func.return") || strata_op_is(op, STRATA_SIZE) ||
                    strata_op_is(op, "affine.apply");
    if (!is_known)
      return strata_error(STRATA_INTERNAL, "expected only loop nests and buffers, got %.*s", (int)name.length,
                          name.data);
  }
  return NULL;
}

void strata_nest_graph_pack_nothing(strata_nest_graph_t *graph) {
  for (size_t i = 0; i < graph->nodes.count; i++) {
    strata_nest_node_t *node = &graph->nodes.data[i];
    if (node->needs_varying_scratch)
      node->class = classify(node->nest);
    node->needs_varying_scratch = false;
  }
}

strata_status_t strata_nest_graph_read(strata_arena_t *arena, MlirOperation func, strata_nest_graph_t *out_graph) {
  *out_graph = (strata_nest_graph_t){.arena = arena, .func = func, .buffer_of = strata_pointer_map_create(arena)};
  STRATA_TRY(check_others(func));
  strata_nest_t *nests;
  int n_nests;
  STRATA_TRY(strata_nests_of(arena, func, &nests, &n_nests));
  MlirOperation first = mlirBlockGetFirstOperation(strata_func_body(func));
  reader_t reader = {.graph = out_graph, .symbols = strata_symbols_used_around(arena, first)};
  for (int i = 0; i < n_nests; i++)
    add_nest(&reader, &nests[i]);
  find_reads(out_graph);
  find_constants(out_graph);
  return NULL;
}

bool strata_nest_graph_point(const strata_nest_graph_t *graph, const strata_nest_node_t *consumer,
                             const strata_nest_read_t *read, MlirAffineExpr *out_dims) {
  const strata_nest_t *producer = graph->nodes.data[read->producer].nest, *reader = consumer->nest;
  MlirAffineMap load = read->load->map, store = read->store->map;
  if (mlirAffineMapIsNull(load) || mlirAffineMapIsNull(store))
    return false;
  MlirAffineExpr targets[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(read->load->buffer, sizes);
  for (int i = 0; i < rank; i++) {
    targets[i] = mlirAffineMapGetResult(load, i);
    coordinates[i] = mlirAffineMapGetResult(store, i);
  }
  // The store is over all dims of its nest but depends on the parallel ones alone.
  MlirAffineMap place = mlirAffineMapGet(mlirAffineMapGetContext(store), producer->n_parallel,
                                         producer->space.n_symbols, rank, coordinates);
  return strata_affine_invert(place, &producer->space, sizes, targets, &reader->space, out_dims);
}
