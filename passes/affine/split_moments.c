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
#include "passes/affine/split_moments.h"

#include "passes/affine/split_reductions.h"

#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/explain.h"
#include "passes/affine/nest_edit.h"

#include <math.h>

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

// Makes |buffer| what the nest reads, its one operand.
static void read_from(const strata_nest_t *nest, MlirValue buffer) {
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store)
      mlirOperationSetOperand(nest->accesses[i].op, 0, buffer);
}

typedef struct {
  const strata_moments_t *m;
  const strata_split_t *split;
  strata_arena_t *arena;
  MlirValue sums, means, squares; // of parts
  int64_t n_parts;
} parts_t;

// A nest of all parts of all rows, in front of |before|: *out_n dims are those of the partial results.
static strata_status_t begin_parts(const parts_t *p, MlirOperation before, strata_nest_t *out_nest, MlirValue *out_dims,
                                   int *out_n) {
  MlirValue parts[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  STRATA_TRY(copy_nest(p->arena, p->m->mean, before, out_nest));
  strata_split_insert(p->split, out_nest->body, parts);
  *out_n = strata_split_sizes(p->split, sizes);
  for (int i = 0; i < *out_n; i++)
    out_dims[i] = mlirBlockGetArgument(out_nest->body, i);
  strata_nest_set_sizes(out_nest->op, *out_n, sizes);
  return NULL;
}

// Where the results' dims begin among those of the partial results.
static int rows_place(const strata_split_t *split) {
  int place = 0;
  for (int i = 0; i < split->nest->n_reduction; i++)
    place += strata_split_cuts(split, i) && split->is_across && !split->is_beside[i];
  return place;
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
  const strata_access_t *load = strata_moments_load(mean, strata_moments_store(p->m->sum)->buffer);
  strata_nest_t nest;
  MlirValue dims[STRATA_MAX_DIMS];
  int n;
  STRATA_TRY(begin_parts(p, p->m->sum->nest->op, &nest, dims, &n));
  MlirOperation store = same_access(mean, strata_moments_store(mean), &nest), old = same_access(mean, load, &nest);
  MlirOperation product = strata_def(mlirOperationGetOperand(store, 0));
  MlirType type = mlirValueGetType(mlirOperationGetResult(old, 0));
  p->means = strata_alloc_before(nest.op, mlirValueGetType(p->sums));
  mlirOperationSetOperand(product, 0, insert_load(product, p->sums, dims, n, type));
  mlirOperationSetOperand(product, 1, insert_number(product, type, p->m->factor * (double)p->n_parts));
  move_store(store, mlirOperationGetResult(product, 0), p->means, dims, n);
  erase_unless_used(old);
  return NULL;
}

// d' = x - m', at the part that the difference is in.
static strata_status_t add_differences(const parts_t *p, MlirValue *out_buffer) {
  const strata_moments_t *m = p->m;
  const strata_nest_node_t *difference = m->difference;
  MlirContext context = mlirAffineMapGetContext(m->x->map);
  strata_nest_t copy;
  MlirAffineExpr at[STRATA_MAX_DIMS];
  STRATA_TRY(copy_nest(p->arena, difference, m->squares->nest->op, &copy));
  int n_rows = m->sum->nest->n_parallel, n = n_rows;
  for (int row = 0; row < n_rows; row++)
    at[rows_place(p->split) + row] = mlirAffineMapGetResult(m->own_mean->map, row);
  for (int i = 0; i < m->sum->nest->n_reduction; i++)
    if (strata_split_cuts(p->split, i)) {
      at[strata_split_place(p->split, i)] = mlirAffineFloorDivExprGet(mlirAffineDimExprGet(context, m->own[n_rows + i]),
                                                                      strata_size_expr(context, p->split->sizes[i]));
      n++;
    }
  MlirOperation load = same_access(difference, m->own_mean, &copy);
  mlirOperationSetOperand(load, 0, p->means);
  strata_nest_set_map(load, mlirAffineMapGet(context, copy.n_parallel, 0, n, at), copy.dims);
  *out_buffer = store_elsewhere(&copy, same_access(difference, strata_moments_store(difference), &copy));
  return NULL;
}

static strata_status_t add_squares(const strata_moments_t *m, strata_arena_t *arena, MlirValue differences,
                                   MlirValue *out_buffer) {
  const strata_nest_node_t *square = m->square;
  strata_nest_t copy;
  STRATA_TRY(copy_nest(arena, square, m->squares->nest->op, &copy));
  read_from(&copy, differences);
  *out_buffer = store_elsewhere(&copy, same_access(square, strata_moments_store(square), &copy));
  return NULL;
}

// v' + k (m' - m)^2, which the squares are the sum of.
static strata_status_t add_spreads(const parts_t *p) {
  const strata_moments_t *m = p->m;
  const strata_nest_node_t *mean = m->mean;
  strata_nest_t nest;
  MlirValue dims[STRATA_MAX_DIMS];
  int n;
  STRATA_TRY(begin_parts(p, m->squares->nest->op, &nest, dims, &n));
  MlirOperation store = same_access(mean, strata_moments_store(mean), &nest);
  MlirOperation product = strata_def(mlirOperationGetOperand(store, 0)),
                loaded = strata_def(mlirOperationGetOperand(product, 0));
  MlirType type = mlirValueGetType(mlirOperationGetResult(product, 0));
  MlirAttribute flags = strata_attr(product, "fastmath");
  const MlirValue *rows = dims + rows_place(p->split);
  double length = m->sum->trips / m->sum->points / (double)p->n_parts;
  MlirValue own = insert_load(store, p->means, dims, n, type);
  MlirValue all = insert_load(store, strata_moments_store(mean)->buffer, rows, p->split->nest->n_parallel, type);
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
  read_from(&combining, buffer);
  return NULL;
}

// Erases a nest whose one reader is gone.
static bool erase_unread(const strata_moments_t *m, const strata_nest_node_t *node) {
  const strata_access_t *store = strata_moments_store(node);
  const strata_nest_buffer_t *buffer = strata_moments_buffer(m, node, store);
  if (!buffer->is_alloc || buffer->readers.count != 1)
    return false;
  mlirOperationDestroy(node->nest->op);
  mlirOperationDestroy(mlirOpResultGetOwner(buffer->value));
  return true;
}

void strata_moments_erase_squares(const strata_moments_t *m) {
  if (erase_unread(m, m->square))
    erase_unread(m, m->difference);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

// The loop of the sum that is cut, into the number of parts nearest to |wanted|; -1 if none can be cut. What lies side
// by side stays so.
static int choose_loop(const strata_moments_t *m, double wanted, int64_t *out_parts) {
  enum { SIDE_BY_SIDE = 64 };
  int best = -1;
  const strata_nest_t *nest = m->sum->nest;
  for (int i = 0; i < nest->n_reduction; i++) {
    int64_t extent = strata_nest_static_extent(nest, nest->n_parallel + i), stride;
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

// How |nest| is cut into the parts of |of_sum|: |dims|, by dim of the sum, says which of its dims are the same. False
// where its parts would come in another order.
static bool split_alike(const strata_nest_t *nest, const strata_split_t *of_sum, const int *dims, strata_split_t *out) {
  *out = *of_sum;
  out->nest = nest;
  for (int i = 0; i < nest->n_reduction; i++) {
    out->parts[i] = strata_size_constant(1);
    out->sizes[i] = nest->space.sizes[nest->n_parallel + i];
    out->is_beside[i] = false;
  }
  for (int i = 0, last[2] = {-1, -1}; i < of_sum->nest->n_reduction; i++) {
    int own = dims[of_sum->nest->n_parallel + i] - nest->n_parallel;
    if (!strata_split_cuts(of_sum, i))
      continue;
    if (own < last[of_sum->is_beside[i]])
      return false;
    last[of_sum->is_beside[i]] = own;
    out->parts[own] = of_sum->parts[i];
    out->sizes[own] = of_sum->sizes[i];
    out->is_beside[own] = of_sum->is_beside[i];
  }
  return true;
}

// The loop of what lies side by side in a row; -1: none.
static int inner_loop(const strata_moments_t *m) {
  const strata_nest_t *nest = m->sum->nest;
  int64_t stride;
  for (int i = 0; i < nest->n_reduction; i++)
    if (!strata_size_is_one(nest->space.sizes[nest->n_parallel + i]) &&
        strata_access_stride(nest, m->x, nest->n_parallel + i, &stride) && stride == 1)
      return i;
  return -1;
}

// Cuts the sum into about |wanted| parts of a row each of which is one of its columns: what lies side by side, of a row
// and the next, is summed up by neighbouring threads.
static bool split_columns(const strata_moments_t *m, double wanted, strata_split_t *out) {
  const strata_nest_t *nest = m->sum->nest;
  int inner = inner_loop(m);
  int64_t n_columns = 1;
  *out = (strata_split_t){.nest = nest, .is_across = true, .n_parts = 1};
  for (int pass = 0; pass < 2; pass++) // the columns first
    for (int i = 0; i < nest->n_reduction; i++) {
      int64_t extent = strata_nest_static_extent(nest, nest->n_parallel + i);
      double left = wanted / (double)out->n_parts;
      if ((i == inner) != (pass == 0))
        continue;
      int64_t parts = i == inner ? extent : left >= 1.5 ? strata_divisor_near(extent, left, 2 * left) : 1;
      n_columns = i == inner ? parts : n_columns;
      out->parts[i] = strata_size_constant(parts);
      out->sizes[i] = strata_size_constant(extent / parts);
      out->is_beside[i] = i == inner;
      out->n_parts *= parts;
    }
  return inner >= 0 && out->n_parts > n_columns;
}

// Cuts one loop of the sum, into about |wanted| parts of a row.
static bool split_rows(const strata_moments_t *m, bool is_across, double wanted, strata_split_t *out) {
  const strata_nest_t *nest = m->sum->nest;
  *out = (strata_split_t){.nest = nest, .is_across = is_across, .n_parts = 1};
  int loop = choose_loop(m, wanted, &out->n_parts);
  for (int i = 0; i < nest->n_reduction; i++) {
    int64_t parts = i == loop ? out->n_parts : 1;
    out->parts[i] = strata_size_constant(parts);
    out->sizes[i] = strata_size_constant(strata_nest_static_extent(nest, nest->n_parallel + i) / parts);
  }
  return loop >= 0;
}

static bool choose_split(const strata_moments_t *m, strata_parts_t kind, double wanted, strata_split_t *out) {
  return kind == STRATA_PARTS_COLUMNS ? split_columns(m, wanted, out)
                                      : split_rows(m, kind == STRATA_PARTS_ACROSS, wanted, out);
}

strata_status_t strata_split_moments(strata_compile_t *compile, const strata_nest_graph_t *graph, int node,
                                     double parts, strata_parts_t kind, int *out_squares) {
  strata_moments_t m;
  strata_split_t of_sum, of_squares;
  bool is_split = strata_moments_find(graph, node, &m) && !strata_nest_sums_vary(m.sum->nest) &&
                  choose_split(&m, kind, parts, &of_sum) &&
                  split_alike(m.squares->nest, &of_sum, m.of_squares, &of_squares);
  *out_squares = is_split ? (int)(m.squares - graph->nodes.data) : -1;
  if (!is_split)
    return NULL;
  strata_explain(compile, "split  mean and variance of %lld rows of %lld elements: %lld parts of each",
                 (long long)m.sum->points, (long long)(m.sum->trips / m.sum->points), (long long)of_sum.n_parts);
  strata_partial_t partial;
  MlirValue differences, squared;
  parts_t p = {.m = &m, .split = &of_sum, .arena = compile->arena, .n_parts = of_sum.n_parts};
  STRATA_TRY(strata_split_apply(compile->arena, &of_sum, &partial));
  p.sums = partial.buffer;
  STRATA_TRY(add_means(&p));
  STRATA_TRY(add_differences(&p, &differences));
  STRATA_TRY(add_squares(&m, compile->arena, differences, &squared));
  STRATA_TRY(strata_split_apply(compile->arena, &of_squares, &partial));
  p.squares = partial.buffer;
  strata_nest_t part;
  STRATA_TRY(strata_nest_read(compile->arena, partial.op, &part));
  read_from(&part, squared);
  STRATA_TRY(add_spreads(&p));
  strata_moments_erase_squares(&m); // what is squared now are differences of parts
  return NULL;
}
