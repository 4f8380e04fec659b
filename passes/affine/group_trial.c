// A kernel on trial: what nests would be together, seen by the eyes of the passes behind grouping. See group.h.
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/coalesce.h"
#include "passes/affine/group.h"

bool strata_group_keeps(const strata_grouping_t *grouping, const strata_ints_t *members, int buffer) {
  const strata_nest_buffer_t *record = &grouping->graph.buffers.data[buffer];
  if (!record->is_alloc || record->n_stores != 1 || !strata_ints_contain(members, record->writer) ||
      record->readers.count == 0)
    return false;
  for (size_t i = 0; i < record->readers.count; i++)
    if (!strata_ints_contain(members, record->readers.data[i]))
      return false;
  return true;
}

// The buffers of the members by whether they are private, each once.
static void sort_buffers(const strata_grouping_t *grouping, const strata_ints_t *members, strata_ints_t *out_outside,
                         strata_ints_t *out_private) {
  for (size_t i = 0; i < members->count; i++) {
    const strata_ints_t *buffers = &grouping->graph.nodes.data[members->data[i]].buffers;
    for (size_t j = 0; j < buffers->count; j++) {
      int buffer = buffers->data[j];
      strata_ints_t *where = strata_group_keeps(grouping, members, buffer) ? out_private : out_outside;
      if (!strata_ints_contain(where, buffer))
        *strata_vector_push(grouping->graph.arena, where) = buffer;
    }
  }
}

void strata_group_drop_padding(const strata_grouping_t *grouping, int buffer, MlirValue inside) {
  const strata_nest_buffer_t *record = &grouping->graph.buffers.data[buffer];
  const strata_nest_t *nest = grouping->graph.nodes.data[record->writer].nest;
  strata_size_t sizes[STRATA_MAX_DIMS];
  int64_t min, max;
  int rank = strata_memref_sizes(inside, sizes);
  if (rank == 0 || strata_size_varies(sizes[rank - 1]) || mlirAffineMapIsNull(record->store->map) ||
      !strata_affine_range(mlirAffineMapGetResult(record->store->map, rank - 1), &nest->space, &min, &max))
    return;
  sizes[rank - 1] = strata_size_constant(max + 1);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(inside));
  mlirValueSetType(inside, strata_memref_type_of(element, rank, sizes));
}

strata_status_t strata_group_try(const strata_grouping_t *grouping, const strata_ints_t *members,
                                 MlirOperation *out_func) {
  strata_ints_t outside = {0}, private = {0}, none = {0};
  strata_group_values_t values = strata_group_values_create(grouping->graph.arena);
  sort_buffers(grouping, members, &outside, &private);
  MlirBlock block = strata_group_block(grouping, &outside, &none, &values);
  for (size_t i = 0; i < private.count; i++) {
    MlirValue buffer = grouping->graph.buffers.data[private.data[i]].value;
    MlirOperation alloc = mlirOperationClone(mlirOpResultGetOwner(buffer));
    mlirBlockAppendOwnedOperation(block, alloc);
    strata_group_rewire(block, alloc, &values);
    strata_group_drop_padding(grouping, private.data[i], mlirOperationGetResult(alloc, 0));
    *strata_pointer_map_put(&values.read, buffer.ptr) = (int64_t)(intptr_t)mlirOperationGetResult(alloc, 0).ptr;
  }
  for (size_t i = 0; i < members->count; i++) {
    MlirOperation nest = mlirOperationClone(grouping->graph.nodes.data[members->data[i]].nest->op);
    mlirBlockAppendOwnedOperation(block, nest);
    strata_group_rewire(block, nest, &values);
  }
  *out_func = strata_group_function(grouping, block);
  if (strata_module_is_symbolic(grouping->compile->module)) // which says what is known of symbols
    mlirBlockAppendOwnedOperation(mlirModuleGetBody(grouping->compile->module), *out_func);
  strata_status_t status = strata_coalesce_kernel(grouping->compile, *out_func);
  if (status)
    mlirOperationDestroy(*out_func);
  return status;
}
