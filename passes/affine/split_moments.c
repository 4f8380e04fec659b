// Mean and variance of rows in parts: the squares of the differences from a mean are summed up for each part from its
// own mean, so that one kernel reads a part once for both.
//
//   s = sum x    m = s / n    d = x - m    q = d * d    v = sum q    (and what is made of m, v and d)
// of rows of n elements in parts of k becomes
//   s' = sum x, of parts    m' = s' / k    d' = x - m'    q' = d' * d'    v' = sum q', of parts
//   s = sum s'    m = s / n    d = x - m    v = sum (v' + k (m' - m)^2)
//
// (Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979). Sums of
// squares are of numbers near their mean, as before. Grouping makes a kernel of the parts, one that combines them, and
// one of what the rows are for.
#include "passes/affine/split_reductions.h"

#include "dialects/affine/row_kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/explain.h"
#include "passes/affine/nest_edit.h"

#include <math.h>

typedef struct {
  const strata_nest_graph_t *graph;
  const strata_nest_node_t *sum, *mean, *difference, *square, *squares;
  const strata_access_t *x, *own_x; // as ->sum and ->difference read it
  const strata_access_t *own_mean;  // as ->difference reads it
  double factor;                    // 1 / n
  int own[STRATA_MAX_DIMS];         // by dim of ->sum: that of ->difference
  int of_squares[STRATA_MAX_DIMS];  // by dim of ->sum: that of ->squares
} moments_t;

static int n_dims_of(const strata_nest_t *nest) { return nest->n_parallel + nest->n_reduction; }

//===-- The pattern ----------------------------------------------------------------------------------------------===//

static const strata_access_t *store_of(const strata_nest_node_t *node) {
  const strata_access_t *store = NULL;
  for (int i = 0; i < node->nest->n_accesses; i++)
    if (node->nest->accesses[i].is_store) {
      if (store)
        return NULL;
      store = &node->nest->accesses[i];
    }
  return store && !mlirAffineMapIsNull(store->map) ? store : NULL;
}

// The only load of |buffer| by the nest; NULL where there is none or several.
static const strata_access_t *load_of(const strata_nest_node_t *node, MlirValue buffer) {
  const strata_access_t *load = NULL;
  for (int i = 0; i < node->nest->n_accesses; i++) {
    const strata_access_t *access = &node->nest->accesses[i];
    if (access->is_store || !mlirValueEqual(access->buffer, buffer))
      continue;
    if (load || mlirAffineMapIsNull(access->map) || !mlirOperationIsNull(access->guard))
      return NULL;
    load = access;
  }
  return load;
}

static MlirOperation defined_by(MlirValue value, const char *name) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, name) ? op : (MlirOperation){0};
}

static bool is_loaded(MlirValue value, const strata_access_t *load) { return mlirValueEqual(value, load->value); }

// True if |value| is what |load| gives, widened or not.
static bool is_of(MlirValue value, const strata_access_t *load) {
  MlirOperation widening = defined_by(value, "arith.extf");
  return is_loaded(mlirOperationIsNull(widening) ? value : mlirOperationGetOperand(widening, 0), load);
}

static bool is_of_rows(const strata_nest_t *nest, MlirAffineMap map, int n_rows) {
  if (mlirAffineMapGetNumResults(map) != n_rows || nest->n_parallel != n_rows)
    return false;
  for (int i = 0; i < n_rows; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    bool is_dim = mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == i;
    if (!is_dim && nest->extents[i] > 1)
      return false;
  }
  return true;
}

static const strata_nest_buffer_t *buffer_behind(const moments_t *m, const strata_nest_node_t *node,
                                                 const strata_access_t *access) {
  return &m->graph->buffers.data[node->buffers.data[access - node->nest->accesses]];
}

// A sum of f32 of what one load gives, widened or not: that load.
static const strata_access_t *summed_up(const strata_nest_node_t *node) {
  const strata_nest_t *nest = node->nest;
  const strata_access_t *load = NULL;
  if (!nest || node->class != STRATA_NEST_ROW || mlirOperationGetNumResults(nest->loops[0]) != 1)
    return NULL;
  MlirValue result = mlirOperationGetResult(nest->loops[0], 0);
  const char *kind = strata_row_combining_kind(nest);
  const strata_access_t *store = store_of(node);
  if (!kind || strcmp(kind, "add") || !store || !mlirValueEqual(store->value, result) ||
      !mlirTypeIsAF32(mlirValueGetType(result)) || !is_of_rows(nest, store->map, nest->n_parallel))
    return NULL;
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store) {
      if (load)
        return NULL;
      load = &nest->accesses[i];
    }
  return load && !mlirAffineMapIsNull(load->map) && mlirOperationIsNull(load->guard) &&
                 is_of(strata_row_combined(nest), load)
             ? load
             : NULL;
}

// The reader of what |node| stores for which |fits| says so; NULL if there is none.
typedef bool (*fits_t)(moments_t *m, const strata_nest_node_t *node, const strata_nest_node_t *reader);
static const strata_nest_node_t *reader_of(moments_t *m, const strata_nest_node_t *node, fits_t fits) {
  const strata_access_t *store = store_of(node);
  if (!store)
    return NULL;
  const strata_nest_buffer_t *buffer = buffer_behind(m, node, store);
  for (size_t i = 0; i < buffer->readers.count && buffer->is_alloc && buffer->n_stores == 1; i++) {
    const strata_nest_node_t *reader = &m->graph->nodes.data[buffer->readers.data[i]];
    if (reader->nest && store_of(reader) && fits(m, node, reader))
      return reader;
  }
  return NULL;
}

static bool is_mean(moments_t *m, const strata_nest_node_t *sum, const strata_nest_node_t *node) {
  const strata_access_t *load = load_of(node, store_of(sum)->buffer), *store = store_of(node);
  MlirOperation product = defined_by(store->value, "arith.mulf");
  int n_rows = sum->nest->n_parallel;
  if (node->class != STRATA_NEST_MAP || !load || mlirOperationIsNull(product) ||
      !is_of_rows(node->nest, load->map, n_rows) || !is_of_rows(node->nest, store->map, n_rows) ||
      !is_loaded(mlirOperationGetOperand(product, 0), load))
    return false;
  MlirOperation constant = defined_by(mlirOperationGetOperand(product, 1), "arith.constant");
  m->factor = mlirOperationIsNull(constant) ? 0 : mlirFloatAttrGetValueDouble(strata_attr(constant, "value"));
  return m->factor == (double)(float)(sum->points / sum->trips);
}

static bool is_difference(moments_t *m, const strata_nest_node_t *mean, const strata_nest_node_t *node) {
  MlirOperation difference = defined_by(store_of(node)->value, "arith.subf");
  m->own_mean = load_of(node, store_of(mean)->buffer);
  m->own_x = load_of(node, m->x->buffer);
  return node->class == STRATA_NEST_MAP && !mlirOperationIsNull(difference) && m->own_mean && m->own_x &&
         is_of(mlirOperationGetOperand(difference, 0), m->own_x) &&
         is_loaded(mlirOperationGetOperand(difference, 1), m->own_mean);
}

static bool is_square(moments_t *m, const strata_nest_node_t *difference, const strata_nest_node_t *node) {
  const strata_nest_t *nest = node->nest;
  MlirOperation product = defined_by(store_of(node)->value, "arith.mulf");
  (void)m;
  if (node->class != STRATA_NEST_MAP || mlirOperationIsNull(product))
    return false;
  for (int i = 0, side = 0; i < nest->n_accesses; i++) {
    const strata_access_t *access = &nest->accesses[i];
    if (access->is_store)
      continue;
    if (side == 2 || !mlirValueEqual(access->buffer, store_of(difference)->buffer) ||
        mlirAffineMapIsNull(access->map) || !mlirAffineMapEqual(access->map, nest->accesses[0].map) ||
        !is_loaded(mlirOperationGetOperand(product, side++), access))
      return false;
  }
  return true;
}

static bool is_sum(moments_t *m, const strata_nest_node_t *square, const strata_nest_node_t *node) {
  const strata_access_t *load = summed_up(node);
  return load && mlirValueEqual(load->buffer, store_of(square)->buffer) && node->points == m->sum->points &&
         node->nest->n_parallel == m->sum->nest->n_parallel;
}

//===-- Which dim is which ---------------------------------------------------------------------------------------===//

// The dim of |to| that walks the buffer as |dim| of |from| does; -1 if there is none.
static int same_dim(const strata_nest_t *from, const strata_access_t *access, int dim, const strata_nest_t *to,
                    const strata_access_t *to_access) {
  int64_t stride, own;
  if (!strata_access_stride(from, access, dim, &stride))
    return -1;
  for (int i = 0; i < n_dims_of(to); i++)
    if (to->extents[i] == from->extents[dim] && strata_access_stride(to, to_access, i, &own) && own == stride)
      return i;
  return -1;
}

static bool find_dims(moments_t *m) {
  const strata_nest_t *sum = m->sum->nest, *difference = m->difference->nest, *square = m->square->nest;
  const strata_access_t *load = &square->accesses[0];
  if (load->is_store || m->difference->points != m->sum->trips || m->square->points != m->sum->trips)
    return false;
  for (int dim = 0; dim < n_dims_of(sum); dim++) {
    m->own[dim] = m->of_squares[dim] = -1;
    if (sum->extents[dim] == 1)
      continue;
    int own = same_dim(sum, m->x, dim, difference, m->own_x);
    int in_square = own < 0 ? -1 : same_dim(difference, store_of(m->difference), own, square, load);
    int last =
        in_square < 0 ? -1 : same_dim(square, store_of(m->square), in_square, m->squares->nest, summed_up(m->squares));
    if (last < 0 || (dim < sum->n_parallel && last != dim) ||
        (dim >= sum->n_parallel && last < m->squares->nest->n_parallel))
      return false;
    m->own[dim] = own;
    m->of_squares[dim] = last;
  }
  for (int row = 0; row < sum->n_parallel; row++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(m->own_mean->map, row);
    bool is_own = mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == m->own[row];
    if (sum->extents[row] > 1 && !is_own)
      return false;
  }
  return true;
}

static bool find(const strata_nest_graph_t *graph, int node, moments_t *m) {
  *m = (moments_t){.graph = graph, .sum = &graph->nodes.data[node]};
  m->x = summed_up(m->sum);
  m->mean = m->x ? reader_of(m, m->sum, is_mean) : NULL;
  m->difference = m->mean ? reader_of(m, m->mean, is_difference) : NULL;
  m->square = m->difference ? reader_of(m, m->difference, is_square) : NULL;
  m->squares = m->square ? reader_of(m, m->square, is_sum) : NULL;
  return m->squares && find_dims(m);
}

//===-- Nests ----------------------------------------------------------------------------------------------------===//

// A copy of |node|'s nest in front of |before|.
static strata_status_t copy_nest(strata_arena_t *arena, const strata_nest_node_t *node, MlirOperation before,
                                 strata_nest_t *out_copy) {
  MlirOperation op = mlirOperationClone(node->nest->op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  return strata_nest_read(arena, op, out_copy);
}

// The same access of a copy.
static MlirOperation same_access(const strata_nest_node_t *node, const strata_access_t *access,
                                 const strata_nest_t *copy) {
  return copy->accesses[access - node->nest->accesses].op;
}

// A buffer like that of |store|, which the copy stores to.
static MlirValue store_elsewhere(const strata_nest_t *copy, MlirOperation store) {
  MlirValue buffer = strata_alloc_before(copy->op, mlirValueGetType(mlirOperationGetOperand(store, 1)));
  mlirOperationSetOperand(store, 1, buffer);
  return buffer;
}

typedef struct {
  const moments_t *m;
  const strata_split_t *split;
  strata_arena_t *arena;
  MlirValue sums, means, squares; // of parts
  int64_t n_parts;
} parts_t;

// A nest of all parts of all rows, in front of |before|: |out_dims| are those of the partial results.
static strata_status_t begin_parts(const parts_t *p, MlirOperation before, strata_nest_t *out_nest,
                                   MlirValue *out_dims) {
  const strata_nest_node_t *mean = p->m->mean;
  STRATA_TRY(copy_nest(p->arena, mean, before, out_nest));
  MlirOperation op = out_nest->op;
  int n = out_nest->n_parallel, place = p->split->is_across ? 0 : n;
  int64_t extents[STRATA_MAX_DIMS];
  mlirBlockInsertArgument(out_nest->body, place, mlirIndexTypeGet(mlirOperationGetContext(op)),
                          mlirOperationGetLocation(op));
  for (int i = 0; i <= n; i++) {
    out_dims[i] = mlirBlockGetArgument(out_nest->body, i);
    extents[i] = i == place ? p->n_parts : out_nest->extents[i - (i > place)];
  }
  strata_nest_set_extents(op, n + 1, extents);
  return NULL;
}

static MlirValue insert(MlirOperation before, const char *name, int n, const MlirValue *operands, MlirType type,
                        const char *attribute, MlirAttribute value) {
  strata_named_attr_t attr = {attribute, value};
  MlirOperation op = strata_op_create(mlirOperationGetLocation(before), name, n, operands, 1, &type,
                                      !mlirAttributeIsNull(value), &attr, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  return mlirOperationGetResult(op, 0);
}

static MlirValue insert_number(MlirOperation before, MlirType type, double number) {
  return insert(before, "arith.constant", 0, NULL, type, "value",
                mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, number));
}

static MlirValue insert_load(MlirOperation before, MlirValue buffer, const MlirValue *dims, int n, MlirType type) {
  MlirOperation load =
      strata_split_access(mlirOperationGetLocation(before), "affine.load", &buffer, 1, dims, n, 1, &type);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, load);
  return mlirOperationGetResult(load, 0);
}

static void move_store(MlirOperation store, MlirValue value, MlirValue buffer, const MlirValue *dims, int n) {
  MlirContext context = mlirOperationGetContext(store);
  mlirOperationSetOperand(store, 0, value);
  mlirOperationSetOperand(store, 1, buffer);
  strata_nest_set_map(store, mlirAffineMapMultiDimIdentityGet(context, n), dims);
}

static void erase_unless_used(MlirOperation op) {
  if (!strata_value_has_uses(mlirOperationGetResult(op, 0)))
    mlirOperationDestroy(op);
}

// m' = s' / k
static strata_status_t add_means(parts_t *p) {
  const strata_nest_node_t *mean = p->m->mean;
  const strata_access_t *load = load_of(mean, store_of(p->m->sum)->buffer);
  strata_nest_t nest;
  MlirValue dims[STRATA_MAX_DIMS];
  STRATA_TRY(begin_parts(p, p->m->sum->nest->op, &nest, dims));
  MlirOperation store = same_access(mean, store_of(mean), &nest), old = same_access(mean, load, &nest);
  MlirOperation product = strata_def(mlirOperationGetOperand(store, 0));
  MlirType type = mlirValueGetType(mlirOperationGetResult(old, 0));
  p->means = strata_alloc_before(nest.op, mlirValueGetType(p->sums));
  mlirOperationSetOperand(product, 0, insert_load(product, p->sums, dims, nest.n_parallel + 1, type));
  mlirOperationSetOperand(product, 1, insert_number(product, type, p->m->factor * (double)p->n_parts));
  move_store(store, mlirOperationGetResult(product, 0), p->means, dims, nest.n_parallel + 1);
  erase_unless_used(old);
  return NULL;
}

// d' = x - m', at the part that |dim| of the difference is in.
static strata_status_t add_differences(const parts_t *p, int dim, int64_t size, MlirValue *out_buffer) {
  const moments_t *m = p->m;
  const strata_nest_node_t *difference = m->difference;
  MlirContext context = mlirAffineMapGetContext(m->x->map);
  strata_nest_t copy;
  MlirAffineExpr at[STRATA_MAX_DIMS];
  STRATA_TRY(copy_nest(p->arena, difference, m->squares->nest->op, &copy));
  int n_rows = m->sum->nest->n_parallel, n = 0;
  MlirAffineExpr part =
      mlirAffineFloorDivExprGet(mlirAffineDimExprGet(context, dim), mlirAffineConstantExprGet(context, size));
  if (p->split->is_across)
    at[n++] = part;
  for (int row = 0; row < n_rows; row++)
    at[n++] = mlirAffineMapGetResult(m->own_mean->map, row);
  if (!p->split->is_across)
    at[n++] = part;
  MlirOperation load = same_access(difference, m->own_mean, &copy);
  mlirOperationSetOperand(load, 0, p->means);
  strata_nest_set_map(load, mlirAffineMapGet(context, copy.n_parallel, 0, n, at), copy.dims);
  *out_buffer = store_elsewhere(&copy, same_access(difference, store_of(difference), &copy));
  return NULL;
}

static strata_status_t add_squares(const parts_t *p, MlirValue differences, MlirValue *out_buffer) {
  const strata_nest_node_t *square = p->m->square;
  strata_nest_t copy;
  STRATA_TRY(copy_nest(p->arena, square, p->m->squares->nest->op, &copy));
  for (int i = 0; i < copy.n_accesses; i++)
    if (!copy.accesses[i].is_store)
      mlirOperationSetOperand(copy.accesses[i].op, 0, differences);
  *out_buffer = store_elsewhere(&copy, same_access(square, store_of(square), &copy));
  return NULL;
}

// v' + k (m' - m)^2, which the squares are the sum of.
static strata_status_t add_spreads(const parts_t *p) {
  const moments_t *m = p->m;
  const strata_nest_node_t *mean = m->mean;
  strata_nest_t nest;
  MlirValue dims[STRATA_MAX_DIMS];
  STRATA_TRY(begin_parts(p, m->squares->nest->op, &nest, dims));
  MlirOperation store = same_access(mean, store_of(mean), &nest);
  MlirOperation product = strata_def(mlirOperationGetOperand(store, 0)),
                loaded = strata_def(mlirOperationGetOperand(product, 0));
  MlirType type = mlirValueGetType(mlirOperationGetResult(product, 0));
  MlirAttribute flags = strata_attr(product, "fastmath");
  int n = nest.n_parallel + 1;
  const MlirValue *rows = p->split->is_across ? dims + 1 : dims;
  double length = m->sum->trips / m->sum->points / (double)p->n_parts;
  MlirValue own = insert_load(store, p->means, dims, n, type);
  MlirValue all = insert_load(store, store_of(mean)->buffer, rows, n - 1, type);
  MlirValue squares = insert_load(store, p->squares, dims, n, type);
  MlirValue apart = insert(store, "arith.subf", 2, (MlirValue[]){own, all}, type, "fastmath", flags);
  MlirValue square = insert(store, "arith.mulf", 2, (MlirValue[]){apart, apart}, type, "fastmath", flags);
  MlirValue weighted = insert(store, "arith.mulf", 2, (MlirValue[]){square, insert_number(store, type, length)}, type,
                              "fastmath", flags);
  MlirValue sum = insert(store, "arith.addf", 2, (MlirValue[]){squares, weighted}, type, "fastmath", flags);
  MlirValue buffer = strata_alloc_before(nest.op, mlirValueGetType(p->squares));
  move_store(store, sum, buffer, dims, n);
  erase_unless_used(product);
  erase_unless_used(loaded);
  strata_nest_t combining;
  STRATA_TRY(strata_nest_read(p->arena, m->squares->nest->op, &combining));
  for (int i = 0; i < combining.n_accesses; i++)
    if (!combining.accesses[i].is_store)
      mlirOperationSetOperand(combining.accesses[i].op, 0, buffer);
  return NULL;
}

// Erases a nest whose one reader is gone.
static bool erase_unread(const moments_t *m, const strata_nest_node_t *node) {
  const strata_access_t *store = store_of(node);
  const strata_nest_buffer_t *buffer = buffer_behind(m, node, store);
  if (!buffer->is_alloc || buffer->readers.count != 1)
    return false;
  mlirOperationDestroy(node->nest->op);
  mlirOperationDestroy(mlirOpResultGetOwner(buffer->value));
  return true;
}

//===-- All ------------------------------------------------------------------------------------------------------===//

// The loop of the sum that is cut, into the number of parts nearest to |wanted|; -1 if none can be cut. What lies side
// by side stays so.
static int choose_loop(const moments_t *m, double wanted, int64_t *out_parts) {
  enum { SIDE_BY_SIDE = 64 };
  int best = -1;
  const strata_nest_t *nest = m->sum->nest;
  for (int i = 0; i < nest->n_reduction; i++) {
    int64_t extent = nest->extents[nest->n_parallel + i], stride;
    bool is_inner = strata_access_stride(nest, m->x, nest->n_parallel + i, &stride) && stride == 1;
    double most = is_inner ? fmin(2 * wanted, (double)extent / SIDE_BY_SIDE) : 2 * wanted;
    int64_t parts = strata_divisor_near(extent, wanted, most);
    if (parts == 1 || (best >= 0 && fabs(log((double)parts / wanted)) >= fabs(log((double)*out_parts / wanted))))
      continue;
    best = i;
    *out_parts = parts;
  }
  return best;
}

static void split_loop(const strata_nest_t *nest, int loop, int64_t parts, bool is_across, strata_split_t *out) {
  *out = (strata_split_t){.nest = nest, .is_across = is_across, .n_parts = parts};
  for (int i = 0; i < nest->n_reduction; i++) {
    out->parts[i] = i == loop ? parts : 1;
    out->sizes[i] = nest->extents[nest->n_parallel + i] / out->parts[i];
  }
}

strata_status_t strata_split_moments(strata_compile_t *compile, const strata_nest_graph_t *graph, int node,
                                     double parts, bool is_across, int *out_squares) {
  moments_t m;
  int64_t n_parts = 1;
  int loop = find(graph, node, &m) ? choose_loop(&m, parts, &n_parts) : -1;
  *out_squares = loop < 0 ? -1 : (int)(m.squares - graph->nodes.data);
  if (loop < 0)
    return NULL;
  strata_explain(compile, "split  mean and variance of %lld rows of %lld elements: %lld parts of each",
                 (long long)m.sum->points, (long long)(m.sum->trips / m.sum->points), (long long)n_parts);
  const strata_nest_t *sum = m.sum->nest, *squares = m.squares->nest;
  int dim = sum->n_parallel + loop;
  int64_t size = sum->extents[dim] / n_parts;
  strata_split_t of_sum, of_squares;
  strata_partial_t partial;
  MlirValue differences, squared;
  split_loop(sum, loop, n_parts, is_across, &of_sum);
  split_loop(squares, m.of_squares[dim] - squares->n_parallel, n_parts, is_across, &of_squares);
  parts_t p = {.m = &m, .split = &of_sum, .arena = compile->arena, .n_parts = n_parts};
  STRATA_TRY(strata_split_apply(compile->arena, &of_sum, &partial));
  p.sums = partial.buffer;
  STRATA_TRY(add_means(&p));
  STRATA_TRY(add_differences(&p, m.own[dim], size, &differences));
  STRATA_TRY(add_squares(&p, differences, &squared));
  STRATA_TRY(strata_split_apply(compile->arena, &of_squares, &partial));
  p.squares = partial.buffer;
  strata_nest_t part;
  STRATA_TRY(strata_nest_read(compile->arena, partial.op, &part));
  for (int i = 0; i < part.n_accesses; i++)
    if (!part.accesses[i].is_store)
      mlirOperationSetOperand(part.accesses[i].op, 0, squared);
  STRATA_TRY(add_spreads(&p));
  if (erase_unread(&m, m.square)) // what is squared now are differences of parts
    erase_unread(&m, m.difference);
  return NULL;
}
