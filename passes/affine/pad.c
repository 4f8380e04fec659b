// affine-pad: on GPUs whose copy engine wants strides that are multiples of 16 bytes, the rows of intermediate buffers
// around contractions become so long.
//
//   %t = memref.alloc() : memref<384x197x197xf16>   ->   %t = memref.alloc() : memref<384x197x200xf16>
//
// Accesses stay as they are: nothing reads or writes the padding. What a contraction reads or stores is padded, and
// what nests without a reduction make of the one or the other element by element, for those become one kernel with it.
// Buffers that someone reshapes are left alone: with padding their rows do not follow one another.
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/pass.h"
#include "passes/target.h"

enum {
  ALIGNMENT = 16,
  LEAST_ROW = 16,       // elements
  MOST_GROWTH = 8,      // one part in so many
  SMALL_BYTES = 1 << 20 // of buffers that may grow by more
};

typedef struct {
  strata_compile_t *compile;
  strata_nest_graph_t graph;
  int64_t *rows; // by buffer: elements of a padded row; 0: stays as it is
  bool *is_wanted;
} padding_t;

static int buffer_of(const padding_t *padding, MlirValue value) {
  return (int)*strata_pointer_map_get(&padding->graph.buffer_of, value.ptr) - 1;
}

//===-- What may be padded ---------------------------------------------------------------------------------------===//

// The row's length in elements, rounded up; 0 if it needs no padding or is not worth it.
static int64_t padded_row(MlirValue buffer) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(buffer, sizes);
  MlirType type = mlirValueGetType(buffer);
  int64_t bytes = strata_element_bytes(mlirShapedTypeGetElementType(type));
  if (rank < 2 || ALIGNMENT % bytes)
    return 0;
  int64_t unit = ALIGNMENT / bytes, row;
  if (!strata_size_is_constant(sizes[rank - 1], &row))
    return 0;
  int64_t padded = strata_round_up(row, unit);
  bool is_small = !strata_sizes_vary(rank, sizes) && strata_memref_bytes(type) <= SMALL_BYTES;
  if (row < LEAST_ROW || padded == row || ((padded - row) * MOST_GROWTH > row && !is_small))
    return 0;
  return padded;
}

// True if the innermost coordinate of the access is a number of its own, no digit of a longer one.
static bool keeps_rows(const strata_access_t *access) {
  if (mlirAffineMapIsNull(access->map))
    return false;
  for (intptr_t i = 0, rank = mlirAffineMapGetNumResults(access->map); i < rank; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(access->map, i);
    for (int dim = 0; dim < (int)mlirAffineMapGetNumDims(access->map); dim++) {
      int64_t coefficient;
      if (!strata_affine_coefficient(expr, dim, &coefficient))
        return false;
    }
  }
  return true;
}

static void find_rows(padding_t *padding) {
  const strata_nest_graph_t *graph = &padding->graph;
  int *n_accesses = strata_arena_array(graph->arena, int, graph->buffers.count);
  for (size_t i = 0; i < graph->buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &graph->buffers.data[i];
    padding->rows[i] = buffer->is_alloc && !buffer->is_constant ? padded_row(buffer->value) : 0;
  }
  for (size_t i = 0; i < graph->nodes.count; i++)
    for (size_t j = 0; j < graph->nodes.data[i].buffers.count; j++) {
      const strata_nest_t *nest = graph->nodes.data[i].nest;
      int buffer = graph->nodes.data[i].buffers.data[j];
      n_accesses[buffer]++;
      if (nest->is_serial || !keeps_rows(&nest->accesses[j]))
        padding->rows[buffer] = 0;
    }
  for (size_t i = 0; i < graph->buffers.count; i++)
    if (strata_nest_has_other_uses(graph->buffers.data[i].value, n_accesses[i]))
      padding->rows[i] = 0;
}

//===-- What should be -------------------------------------------------------------------------------------------===//

static void want_operands(padding_t *padding, const strata_nest_node_t *node) {
  strata_contraction_t c;
  if (!node->nest || node->class != STRATA_NEST_ANCHOR || !strata_nest_contraction(node->nest, &c))
    return;
  const strata_access_t *accesses[] = {c.lhs, c.rhs, c.store};
  for (int i = 0; i < 3; i++)
    padding->is_wanted[buffer_of(padding, accesses[i]->buffer)] = true;
}

// The nest's dim that runs along the rows; null if they are not walked from their beginning.
static MlirAffineExpr row_dim(const strata_access_t *access) {
  MlirAffineExpr last = {0};
  if (!mlirAffineMapIsNull(access->map) && mlirAffineMapGetNumResults(access->map))
    last = mlirAffineMapGetResult(access->map, mlirAffineMapGetNumResults(access->map) - 1);
  return !mlirAffineExprIsNull(last) && mlirAffineExprIsADim(last) ? last : (MlirAffineExpr){0};
}

// Passes a wish on between what an elementwise nest reads and stores along the same dim.
static bool pass_on(padding_t *padding, const strata_nest_node_t *node) {
  bool changed = false;
  if (!node->nest || node->class != STRATA_NEST_MAP)
    return false;
  for (size_t i = 0; i < node->buffers.count; i++)
    for (size_t j = 0; j < node->buffers.count; j++) {
      const strata_access_t *a = &node->nest->accesses[i], *b = &node->nest->accesses[j];
      int from = node->buffers.data[i], to = node->buffers.data[j];
      MlirAffineExpr row = row_dim(a);
      if (a->is_store == b->is_store || !padding->is_wanted[from] || padding->is_wanted[to] ||
          mlirAffineExprIsNull(row) || !mlirAffineExprEqual(row, row_dim(b)))
        continue;
      padding->is_wanted[to] = changed = true;
    }
  return changed;
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static void pad(MlirValue buffer, int64_t row) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(buffer, sizes);
  sizes[rank - 1] = strata_size_constant(row);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  mlirValueSetType(buffer, strata_memref_type_of(element, rank, sizes));
}

static strata_status_t pad_function(strata_compile_t *compile, MlirOperation func) {
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_gpu_device(compile, &device));
  if (!device->mma_async[0] || compile->options->disable_tensor_core)
    return NULL;
  padding_t padding = {.compile = compile};
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &padding.graph));
  size_t n_buffers = padding.graph.buffers.count, n_nodes = padding.graph.nodes.count;
  padding.rows = strata_arena_array(compile->arena, int64_t, n_buffers);
  padding.is_wanted = strata_arena_array(compile->arena, bool, n_buffers);
  find_rows(&padding);
  for (size_t i = 0; i < n_nodes; i++)
    want_operands(&padding, &padding.graph.nodes.data[i]);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < n_nodes; i++)
      changed |= pass_on(&padding, &padding.graph.nodes.data[i]);
  }
  for (size_t i = 0; i < n_buffers; i++)
    if (padding.rows[i] && padding.is_wanted[i])
      pad(padding.graph.buffers.data[i].value, padding.rows[i]);
  return NULL;
}

strata_status_t strata_pass_affine_pad(strata_compile_t *compile) {
  return strata_target_is_gpu(compile) ? strata_for_each_nest_function(compile, pad_function) : NULL;
}
