// Norms apart from the mean and variance of their rows; see split_norm.h.
//
//   m[n, g]   r[n, g]   y[n, p, g * 10 + c] = (x[n, g * 10 + c, p] - m[n, g]) * r[n, g]   over (n, p, g, c)
// becomes
//   m'[n, g, c] = m[n, g]   r'[n, g, c] = r[n, g]   y[n, p, g * 10 + c] = (... - m'[n, g, c]) * r'[n, g, c]
//
// of which affine-coalesce makes one dim of g and c: a map that reads along p and stores along 320 channels, whole
// sectors both, turned in tiles. The copies are made by the kernel that m and r are of.
#include "passes/affine/split_norm.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/split_reductions.h"

#define STORED_ATTR "strata.stored"

bool strata_nest_is_stored(const strata_nest_t *nest) { return strata_attr_flag(nest->op, STORED_ATTR); }

//===-- Who reads ------------------------------------------------------------------------------------------------===//

// Finds the row dim whose rows are neighbours in what the reader stores.
static void find_neighbours(strata_norm_read_t *read) {
  const strata_nest_t *nest = read->reader->nest;
  const strata_access_t *store = strata_moments_store(read->reader);
  int inner = store ? strata_contiguous_dim(nest, store) : -1;
  int64_t stride;
  if (inner >= 0 && strata_size_varies(nest->space.sizes[inner]))
    return;
  for (int i = 0; read->load && inner >= 0 && i < mlirAffineMapGetNumResults(read->load->map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(read->load->map, i);
    int row = mlirAffineExprIsADim(expr) ? (int)mlirAffineDimExprGetPosition(expr) : -1;
    if (row < 0 || strata_size_is_one(nest->space.sizes[row]) || !strata_access_stride(nest, store, row, &stride))
      continue;
    if (row != inner && stride != strata_nest_static_extent(nest, inner))
      continue;
    read->is_beside = true;
    read->result = i;
    read->inner = row == inner ? -1 : inner;
  }
}

static bool is_of_rows(const strata_moments_t *m, const strata_nest_node_t *node) {
  const strata_nest_t *nest = node->nest, *sum = m->sum->nest;
  const strata_access_t *store = strata_moments_store(node);
  return node->class == STRATA_NEST_MAP && store && strata_moments_is_of_rows(nest, store->map, sum->n_parallel) &&
         strata_sizes_equal(sum->n_parallel, nest->space.sizes, sum->space.sizes);
}

// True of the differences that nothing but their squares are made of.
static bool is_for_squares(const strata_moments_t *m, const strata_nest_node_t *node) {
  return node == m->difference && strata_moments_buffer(m, node, strata_moments_store(node))->readers.count == 1;
}

static void add_read(strata_arena_t *arena, const strata_nest_node_t *writer, const strata_nest_node_t *reader,
                     strata_norm_t *out) {
  strata_norm_read_t read = {.writer = writer, .reader = reader, .inner = -1};
  read.load = strata_moments_load(reader, strata_moments_store(writer)->buffer);
  find_neighbours(&read);
  out->is_beside &= read.is_beside;
  *strata_vector_push(arena, &out->reads) = read;
}

void strata_norm_find(strata_arena_t *arena, const strata_moments_t *m, strata_norm_t *out) {
  const strata_nest_node_t *nodes = m->graph->nodes.data;
  strata_ints_t writers = {0};
  *out = (strata_norm_t){.is_beside = true};
  *strata_vector_push(arena, &writers) = (int)(m->mean - nodes);
  *strata_vector_push(arena, &writers) = (int)(m->squares - nodes);
  for (size_t i = 0; i < writers.count; i++) {
    const strata_nest_node_t *writer = &nodes[writers.data[i]];
    const strata_ints_t *readers = &strata_moments_buffer(m, writer, strata_moments_store(writer))->readers;
    for (size_t j = 0; j < readers->count; j++) {
      const strata_nest_node_t *reader = &nodes[readers->data[j]];
      if (!reader->nest || strata_ints_contain(&writers, readers->data[j]))
        continue;
      if (is_of_rows(m, reader))
        *strata_vector_push(arena, &writers) = readers->data[j];
      else if (!is_for_squares(m, reader))
        add_read(arena, writer, reader, out);
    }
  }
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

// A nest behind the writer that stores its result once for each of the |extent| elements behind row dim |row|; 0: once.
static strata_status_t add_copies(strata_arena_t *arena, const strata_nest_node_t *writer, int row, int64_t extent,
                                  MlirValue *out_buffer) {
  const strata_access_t *result = strata_moments_store(writer);
  MlirOperation op = mlirOperationClone(writer->nest->op);
  MlirLocation location = mlirOperationGetLocation(op);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(result->buffer)), buffer;
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_nest_t copy;
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(writer->nest->op), writer->nest->op, op);
  STRATA_TRY(strata_nest_read(arena, op, &copy));
  MlirOperation store = copy.accesses[result - writer->nest->accesses].op;
  MlirOperation load =
      strata_split_access(location, "affine.load", &result->buffer, 1, copy.dims, copy.n_parallel, 1, &element);
  mlirBlockInsertOwnedOperationBefore(copy.body, store, load);
  int n = copy.n_parallel + (extent > 0);
  for (int i = 0; i < n; i++)
    sizes[i] =
        extent > 0 && i == row + 1 ? strata_size_constant(extent) : copy.space.sizes[i - (extent > 0 && i > row)];
  if (extent > 0)
    mlirBlockInsertArgument(copy.body, row + 1, mlirIndexTypeGet(mlirOperationGetContext(op)), location);
  for (int i = 0; i < n; i++)
    copy.dims[i] = mlirBlockGetArgument(copy.body, i);
  buffer = strata_memref_type_of(element, n, sizes);
  *out_buffer = strata_alloc_before(op, buffer);
  MlirValue leading[2] = {mlirOperationGetResult(load, 0), *out_buffer};
  mlirBlockInsertOwnedOperationBefore(copy.body, store,
                                      strata_split_access(location, "affine.store", leading, 2, copy.dims, n, 0, NULL));
  mlirOperationDestroy(store);
  strata_nest_erase_unused(copy.body);
  strata_nest_set_sizes(op, n, sizes);
  strata_set_attr(op, "strata.nest", strata_str_attr(mlirOperationGetContext(op), "spread"));
  strata_set_attr(op, STORED_ATTR, mlirUnitAttrGet(mlirOperationGetContext(op)));
  return NULL;
}

static int64_t copies_of(const strata_norm_read_t *read) {
  return read->inner < 0 ? 0 : strata_nest_static_extent(read->reader->nest, read->inner);
}

static bool want_same_copies(const strata_norm_read_t *a, const strata_norm_read_t *b) {
  return a->is_beside && a->writer == b->writer && a->result == b->result && copies_of(a) == copies_of(b);
}

static void redirect(const strata_norm_read_t *read, MlirValue copies) {
  const strata_nest_t *nest = read->reader->nest;
  MlirContext context = mlirOperationGetContext(nest->op);
  MlirAffineExpr at[STRATA_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < mlirAffineMapGetNumResults(read->load->map); i++) {
    at[n++] = mlirAffineMapGetResult(read->load->map, i);
    if (i == read->result && read->inner >= 0)
      at[n++] = mlirAffineDimExprGet(context, read->inner);
  }
  mlirOperationSetOperand(read->load->op, 0, copies);
  strata_nest_set_map(read->load->op, mlirAffineMapGet(context, nest->n_parallel, 0, n, at), nest->dims);
}

strata_status_t strata_norm_spread(strata_arena_t *arena, const strata_norm_t *norm) {
  MlirValue *copies = strata_arena_array(arena, MlirValue, norm->reads.count);
  for (size_t i = 0; i < norm->reads.count; i++) {
    const strata_norm_read_t *read = &norm->reads.data[i];
    if (!read->is_beside)
      continue;
    for (size_t j = 0; j < i && mlirValueIsNull(copies[i]); j++)
      if (want_same_copies(&norm->reads.data[j], read))
        copies[i] = copies[j];
    if (mlirValueIsNull(copies[i]))
      STRATA_TRY(add_copies(arena, read->writer, read->result, copies_of(read), &copies[i]));
    redirect(read, copies[i]);
  }
  return NULL;
}
