// affine-repeat-results: on GPUs, a result that others read elsewhere than where it is made, as a vector beside a
// matrix, is computed once more for them, so that they need not wait for the kernel that stores it.
//
//   nest: store(exp(load %r[%j]), %y[%j])    nest: store(load %x[%i, %j] * load %y[%j], %z[%i, %j])
// becomes
//   nest: store(exp(load %r[%j]), %y[%j])    nest: store(exp(load %r[%j]), %t[%j])
//   nest: store(load %x[%i, %j] * load %t[%j], %z[%i, %j])
//
// of which grouping makes two kernels that share a launch. It would do the same with a value that is no result.
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/group.h"
#include "passes/affine/nest_functions.h"
#include "passes/pass.h"
#include "passes/target.h"

enum { MAX_CHAIN = 8 };

typedef struct {
  strata_nest_graph_t graph;
  strata_group_prices_t prices;
} repeating_t;

static const strata_nest_node_t *node_of(const repeating_t *r, int node) { return &r->graph.nodes.data[node]; }

// |node| and what it is made of, up to inputs and constants; false if that is much, one takes too long to repeat, or
// the reader has to wait for another kernel anyway.
static bool add_chain(const repeating_t *r, int node, int reader, double evaluations, strata_ints_t *chain) {
  const strata_nest_node_t *record = node_of(r, node);
  if (record->class != STRATA_NEST_MAP || record->is_constant || !strata_nest_only_store(record->nest) ||
      chain->count == MAX_CHAIN || !strata_group_affords_again(&r->graph, &r->prices, node, evaluations, reader))
    return false;
  size_t n_made = 0;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &r->graph.buffers.data[record->buffers.data[i]];
    n_made += !record->nest->accesses[i].is_store && buffer->n_stores > 0 && !buffer->is_constant;
  }
  if (n_made != record->reads.count)
    return false;
  for (size_t i = 0; i < record->reads.count; i++)
    if (!strata_ints_contain(chain, record->reads.data[i].producer) &&
        !add_chain(r, record->reads.data[i].producer, reader, evaluations, chain))
      return false;
  *strata_vector_push(r->graph.arena, chain) = node; // behind what it reads
  return true;
}

static bool is_result(const repeating_t *r, const strata_nest_read_t *read) {
  const strata_nest_buffer_t *buffer = &r->graph.buffers.data[read->buffer];
  return !buffer->is_alloc && !buffer->is_constant && buffer->n_stores == 1;
}

// Copies of |chain| behind it, where nothing has changed what it reads; |reader| reads what the last one makes.
static strata_status_t repeat(repeating_t *r, const strata_ints_t *chain, int reader) {
  const strata_nest_t *user = node_of(r, reader)->nest;
  MlirOperation last = node_of(r, chain->data[chain->count - 1])->nest->op;
  strata_pointer_map_t number_of = strata_pointer_map_create(r->graph.arena);
  STRATA_VECTOR(MlirValue) made = {0};
  for (size_t i = 0; i < chain->count; i++) {
    MlirOperation copy = mlirOperationClone(node_of(r, chain->data[i])->nest->op);
    strata_nest_t nest;
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(last), last, copy);
    last = copy;
    STRATA_TRY(strata_nest_read(r->graph.arena, copy, &nest));
    for (int j = 0; j < nest.n_accesses; j++) {
      const strata_access_t *access = &nest.accesses[j];
      int64_t *number = strata_pointer_map_get(&number_of, access->buffer.ptr);
      if (!access->is_store && number)
        mlirOperationSetOperand(access->op, 0, made.data[*number]);
    }
    MlirValue result = strata_nest_only_store(node_of(r, chain->data[i])->nest)->buffer;
    MlirValue own = strata_alloc_before(copy, mlirValueGetType(result));
    for (int j = 0; j < nest.n_accesses; j++)
      if (nest.accesses[j].is_store)
        mlirOperationSetOperand(nest.accesses[j].op, 1, own);
    *strata_pointer_map_put(&number_of, result.ptr) = (int64_t)made.count;
    *strata_vector_push(r->graph.arena, &made) = own;
  }
  MlirValue result = strata_nest_only_store(node_of(r, chain->data[chain->count - 1])->nest)->buffer;
  for (int j = 0; j < user->n_accesses; j++)
    if (!user->accesses[j].is_store && mlirValueEqual(user->accesses[j].buffer, result))
      mlirOperationSetOperand(user->accesses[j].op, 0, made.data[made.count - 1]);
  return NULL;
}

// Where |reader| has more points than a result that it reads: the nests to repeat for it.
static bool find_chain(const repeating_t *r, int reader, strata_ints_t *chain) {
  const strata_nest_node_t *record = node_of(r, reader);
  if (!record->nest || record->class != STRATA_NEST_MAP || record->is_constant)
    return false;
  for (size_t i = 0; i < record->reads.count; i++) {
    const strata_nest_read_t *read = &record->reads.data[i];
    chain->count = 0;
    if (is_result(r, read) && node_of(r, read->producer)->points < record->points &&
        add_chain(r, read->producer, reader, strata_group_evaluations_alone(record, read), chain))
      return true;
  }
  return false;
}

static strata_status_t repeat_in(strata_compile_t *compile, MlirOperation func) {
  for (bool changed = true; changed;) {
    repeating_t r = {0};
    changed = false;
    STRATA_TRY(strata_group_find_prices(compile, &r.prices));
    STRATA_TRY(strata_nest_graph_read(compile->arena, func, &r.graph));
    for (int node = 0; node < (int)r.graph.nodes.count && !changed; node++) {
      strata_ints_t chain = {0};
      changed = find_chain(&r, node, &chain);
      if (changed)
        STRATA_TRY(repeat(&r, &chain, node));
    }
  }
  return NULL;
}

strata_status_t strata_pass_affine_repeat_results(strata_compile_t *compile) {
  bool is_wanted = strata_target_is_gpu(compile) && !compile->options->disable_fusion;
  return is_wanted ? strata_for_each_nest_function(compile, repeat_in) : NULL;
}
