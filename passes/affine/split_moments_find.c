// Finds mean and variance of rows; see split_moments.h.
#include "passes/affine/split_moments.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/row_kernel.h"
#include "dialects/mlir_util.h"
#include "passes/affine/pieces.h"
#include "passes/affine/schedule_gpu.h"

//===-- The pattern ----------------------------------------------------------------------------------------------===//

const strata_access_t *strata_moments_store(const strata_nest_node_t *node) {
  const strata_access_t *store = strata_nest_only_store(node->nest);
  return store && !mlirAffineMapIsNull(store->map) ? store : NULL;
}

// The only load of |buffer| by the nest; NULL where there is none or several.
const strata_access_t *strata_moments_load(const strata_nest_node_t *node, MlirValue buffer) {
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

static bool is_loaded(MlirValue value, const strata_access_t *load) { return mlirValueEqual(value, load->value); }

// What |node| stores, or what that is rounded from.
static MlirValue computed(const strata_nest_node_t *node, bool *out_is_rounded) {
  MlirValue value = strata_moments_store(node)->value;
  MlirOperation rounding = strata_def_named(value, "arith.truncf");
  *out_is_rounded = !mlirOperationIsNull(rounding);
  return *out_is_rounded ? mlirOperationGetOperand(rounding, 0) : value;
}

static MlirOperation computed_by(const strata_nest_node_t *node, const char *name) {
  bool is_rounded;
  return strata_def_named(computed(node, &is_rounded), name);
}

// True if |value| is what |load| gives, widened or not.
static bool is_of(MlirValue value, const strata_access_t *load) {
  MlirOperation widening = strata_def_named(value, "arith.extf");
  return is_loaded(mlirOperationIsNull(widening) ? value : mlirOperationGetOperand(widening, 0), load);
}

bool strata_moments_is_of_rows(const strata_nest_t *nest, MlirAffineMap map, int n_rows) {
  if (mlirAffineMapGetNumResults(map) != n_rows || nest->n_parallel != n_rows)
    return false;
  for (int i = 0; i < n_rows; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    bool is_dim = mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == i;
    if (!is_dim && !strata_size_is_one(nest->space.sizes[i]))
      return false;
  }
  return true;
}

const strata_nest_buffer_t *strata_moments_buffer(const strata_moments_t *m, const strata_nest_node_t *node,
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
  const strata_access_t *store = strata_moments_store(node);
  if (!kind || strcmp(kind, "add") || !store || !mlirValueEqual(store->value, result) ||
      !mlirTypeIsAF32(mlirValueGetType(result)) || !strata_moments_is_of_rows(nest, store->map, nest->n_parallel))
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
typedef bool (*fits_t)(strata_moments_t *m, const strata_nest_node_t *node, const strata_nest_node_t *reader);
static const strata_nest_node_t *reader_of(strata_moments_t *m, const strata_nest_node_t *node, fits_t fits) {
  const strata_access_t *store = strata_moments_store(node);
  if (!store)
    return NULL;
  const strata_nest_buffer_t *buffer = strata_moments_buffer(m, node, store);
  for (size_t i = 0; i < buffer->readers.count && buffer->is_alloc && buffer->n_stores == 1; i++) {
    const strata_nest_node_t *reader = &m->graph->nodes.data[buffer->readers.data[i]];
    if (reader->nest && strata_moments_store(reader) && fits(m, node, reader))
      return reader;
  }
  return NULL;
}

static bool is_mean(strata_moments_t *m, const strata_nest_node_t *sum, const strata_nest_node_t *node) {
  const strata_access_t *load = strata_moments_load(node, strata_moments_store(sum)->buffer),
                        *store = strata_moments_store(node);
  MlirOperation product = computed_by(node, "arith.mulf");
  int n_rows = sum->nest->n_parallel;
  if (node->class != STRATA_NEST_MAP || !load || mlirOperationIsNull(product) ||
      !strata_moments_is_of_rows(node->nest, load->map, n_rows) ||
      !strata_moments_is_of_rows(node->nest, store->map, n_rows) ||
      !is_loaded(mlirOperationGetOperand(product, 0), load))
    return false;
  MlirOperation constant = strata_def_named(mlirOperationGetOperand(product, 1), "arith.constant");
  m->factor = mlirOperationIsNull(constant) ? 0 : mlirFloatAttrGetValueDouble(strata_attr(constant, "value"));
  return m->factor == (double)(float)(sum->points / sum->trips);
}

static bool is_difference(strata_moments_t *m, const strata_nest_node_t *mean, const strata_nest_node_t *node) {
  MlirOperation difference = computed_by(node, "arith.subf");
  m->own_mean = strata_moments_load(node, strata_moments_store(mean)->buffer);
  m->own_x = strata_moments_load(node, m->x->buffer);
  return node->class == STRATA_NEST_MAP && !mlirOperationIsNull(difference) && m->own_mean && m->own_x &&
         is_of(mlirOperationGetOperand(difference, 0), m->own_x) &&
         is_of(mlirOperationGetOperand(difference, 1), m->own_mean);
}

static bool is_square(strata_moments_t *m, const strata_nest_node_t *difference, const strata_nest_node_t *node) {
  const strata_nest_t *nest = node->nest;
  MlirOperation product = computed_by(node, "arith.mulf");
  (void)m;
  if (node->class != STRATA_NEST_MAP || mlirOperationIsNull(product))
    return false;
  for (int i = 0, side = 0; i < nest->n_accesses; i++) {
    const strata_access_t *access = &nest->accesses[i];
    if (access->is_store)
      continue;
    if (side == 2 || !mlirValueEqual(access->buffer, strata_moments_store(difference)->buffer) ||
        mlirAffineMapIsNull(access->map) || !mlirAffineMapEqual(access->map, nest->accesses[0].map) ||
        !is_of(mlirOperationGetOperand(product, side++), access))
      return false;
  }
  return true;
}

static bool is_sum(strata_moments_t *m, const strata_nest_node_t *square, const strata_nest_node_t *node) {
  const strata_access_t *load = summed_up(node);
  return load && mlirValueEqual(load->buffer, strata_moments_store(square)->buffer) && node->points == m->sum->points &&
         node->nest->n_parallel == m->sum->nest->n_parallel;
}

//===-- Which dim is which ---------------------------------------------------------------------------------------===//

// The dim of |to| that walks the buffer as |dim| of |from| does; -1 if there is none.
static int same_dim(const strata_nest_t *from, const strata_access_t *access, int dim, const strata_nest_t *to,
                    const strata_access_t *to_access) {
  int64_t stride, own;
  if (!strata_access_stride(from, access, dim, &stride))
    return -1;
  for (int i = 0; i < strata_nest_n_dims(to); i++)
    if (strata_size_equal(to->space.sizes[i], from->space.sizes[dim]) && strata_access_stride(to, to_access, i, &own) &&
        own == stride)
      return i;
  return -1;
}

static bool find_dims(strata_moments_t *m) {
  const strata_nest_t *sum = m->sum->nest, *difference = m->difference->nest, *square = m->square->nest;
  const strata_access_t *load = &square->accesses[0];
  if (load->is_store || m->difference->points != m->sum->trips || m->square->points != m->sum->trips)
    return false;
  for (int dim = 0; dim < strata_nest_n_dims(sum); dim++) {
    m->own[dim] = m->of_squares[dim] = -1;
    if (strata_size_is_one(sum->space.sizes[dim]))
      continue;
    int own = same_dim(sum, m->x, dim, difference, m->own_x);
    int in_square = own < 0 ? -1 : same_dim(difference, strata_moments_store(m->difference), own, square, load);
    int last = in_square < 0 ? -1
                             : same_dim(square, strata_moments_store(m->square), in_square, m->squares->nest,
                                        summed_up(m->squares));
    if (last < 0 || (dim < sum->n_parallel && last != dim) ||
        (dim >= sum->n_parallel && last < m->squares->nest->n_parallel))
      return false;
    m->own[dim] = own;
    m->of_squares[dim] = last;
  }
  for (int row = 0; row < sum->n_parallel; row++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(m->own_mean->map, row);
    bool is_own = mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == m->own[row];
    if (!strata_size_is_one(sum->space.sizes[row]) && !is_own)
      return false;
  }
  return true;
}

bool strata_moments_find(const strata_nest_graph_t *graph, int node, strata_moments_t *m) {
  *m = (strata_moments_t){.graph = graph, .sum = &graph->nodes.data[node]};
  m->x = summed_up(m->sum);
  m->mean = m->x ? reader_of(m, m->sum, is_mean) : NULL;
  m->difference = m->mean ? reader_of(m, m->mean, is_difference) : NULL;
  m->square = m->difference ? reader_of(m, m->difference, is_square) : NULL;
  m->squares = m->square ? reader_of(m, m->square, is_sum) : NULL;
  const strata_nest_node_t *nodes[] = {m->mean, m->difference, m->square};
  for (int i = 0; m->squares && i < 3; i++) {
    bool is_rounded;
    computed(nodes[i], &is_rounded);
    m->is_rounded |= is_rounded;
  }
  return m->squares && find_dims(m);
}

int strata_contiguous_dim(const strata_nest_t *nest, const strata_access_t *access) {
  int64_t stride;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (!strata_size_is_one(nest->space.sizes[dim]) && strata_access_stride(nest, access, dim, &stride) && stride == 1)
      return dim;
  return -1;
}

// True if elements side by side in what is read are not side by side in what is stored in the end, which has the order
// of the differences.
static bool is_turned(const strata_moments_t *m) {
  int read = strata_contiguous_dim(m->difference->nest, m->own_x);
  int stored = strata_contiguous_dim(m->difference->nest, strata_moments_store(m->difference));
  return read >= 0 && stored >= 0 && read != stored;
}

void strata_moments_traffic(const strata_moments_t *m, double *out_read, double *out_stored) {
  const strata_nest_t *sum = m->sum->nest, *difference = m->difference->nest;
  uint32_t loops = 0, inner = (1u << difference->n_parallel) - 1;
  for (int dim = 0; dim < strata_nest_n_dims(sum); dim++)
    if (dim >= sum->n_parallel)
      loops |= 1u << dim;
    else if (m->own[dim] >= 0)
      inner &= ~(1u << m->own[dim]);
  int64_t element = strata_piece_bytes(sum, m->x, 0), stride, read = strata_piece_bytes(sum, m->x, loops);
  const strata_access_t *store = strata_moments_store(m->difference);
  int64_t stored = strata_piece_bytes(difference, store, inner) / strata_piece_bytes(difference, store, 0) * element;
  bool has_neighbours = false;
  for (int dim = 0; dim < sum->n_parallel; dim++)
    has_neighbours |= !strata_size_is_one(sum->space.sizes[dim]) && strata_access_stride(sum, m->x, dim, &stride) &&
                      stride * element == read;
  *out_read = has_neighbours && strata_is_piece_short(read) ? strata_piece_traffic(read) : 1;
  *out_stored = is_turned(m)                    ? (double)STRATA_SECTOR / (double)element
                : strata_is_piece_short(stored) ? strata_piece_traffic(stored)
                                                : 1;
}
