// affine-split-reductions: on GPUs, reductions of much into too few results to occupy the card become two nests;
// products of a matrix and a vector too.
//
//   affine.parallel (%j) = (0) to (64) { %s = affine.for %k = 0 to 100000 { ... load %x[%k, %j] ... }  store f(%s),
//   %y[%j] }
// becomes
//   %p = memref.alloc() : memref<1000x64xf32>
//   affine.parallel (%t, %j) = (0, 0) to (1000, 64) {
//     %s = affine.for %k = 0 to 100 { ... load %x[%t * 100 + %k, %j] ... }  store %s, %p[%t, %j] }
//   affine.parallel (%j) = (0) to (64) { %s = affine.for %t = 0 to 1000 { ... load %p[%t, %j] }  store f(%s), %y[%j] }
//
// Products of more rows and columns are split where the model of schedules expects them to take less time so: those of
// few tiles and long reductions. Where no divisor of a length suits, its parts are multiples of a step and the last is
// shorter: what it would read beyond is guarded, and zero.
//
// The partial results have the type that is summed up in, and their order is fixed. Grouping never makes one kernel of
// the two: they do not share their rows.
#include "dialects/affine/row_kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/coalesce.h"
#include "passes/affine/explain.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/problem.h"
#include "passes/pass.h"
#include "passes/target.h"

#include <math.h>

#define PROCESSOR_SHARE 1.5     // of its share of the memory's bandwidth, that a processor can draw alone
#define WORTHWHILE_SECONDS 5e-6 // that splitting must save: a launch, and what fusion loses
#define WORTHWHILE_SHARE 0.9    // of a product's time, that it may take in parts
#define COMBINE_SECONDS 2.5e-6  // of the kernel that sums up a product's parts, besides its bytes

enum {
  BLOCKS_A_PROCESSOR = 4,
  MIN_BLOCK_ELEMENTS = 2048, // of a row, for a block of threads
  MIN_THREAD_ELEMENTS = 16,  // of a column, for a thread
  ELEMENTS_AT_ONCE = 8,      // of a column, under way in a thread; uneven parts have a multiple of it
  MAX_TIMES_LESS = 3,        // parts than wanted, of what divides a length
  MAX_PARTS = 32,            // of a product
  MIN_PART_BYTES = 512,      // of a row of an operand in a part
  PART_STEP = 64,            // elements that uneven parts of a product have a multiple of
  FEW = 64,                  // rows or columns of a product whose parts may be uneven ...
  FEW_RESULTS = 1 << 15,     // ... or results: with more, operands staged as a whole are faster
  BYTES_IN_FLIGHT = 64,      // of a thread that goes down a column
};

typedef struct {
  const strata_nest_t *nest;
  bool is_across;                 // results lie side by side: a thread sums up one of them alone
  int64_t parts[STRATA_MAX_DIMS]; // by reduction dim; 1: not split
  int64_t sizes[STRATA_MAX_DIMS]; // of a part; the last may be shorter
  bool may_be_uneven;             // zeros beyond the end change nothing
  int64_t n_parts;                // together
} split_t;

static int n_dims_of(const strata_nest_t *nest) { return nest->n_parallel + nest->n_reduction; }

//===-- What is worth splitting ----------------------------------------------------------------------------------===//

static MlirOperation combining_op(const strata_nest_t *nest) {
  return mlirOpResultGetOwner(mlirOperationGetOperand(mlirBlockGetTerminator(nest->inner), 0));
}

// Both nests start from the same value, so that it must not count twice: zero for a sum, anything for a maximum.
static bool starts_neutral(const strata_nest_t *nest, const char *kind) {
  MlirValue start = mlirOperationGetOperand(nest->loops[0], 0);
  if (!mlirValueIsAOpResult(start) || !strata_op_is(mlirOpResultGetOwner(start), "arith.constant"))
    return false;
  MlirAttribute value = strata_attr(mlirOpResultGetOwner(start), "value");
  if (!strcmp(kind, "add"))
    return strata_attr_is_zero(value);
  return strcmp(kind, "mul") && strcmp(kind, "xor");
}

// True if what is multiplied are two loads, wherever they are.
static bool reads_alone(const strata_contraction_kernel_t *c) {
  bool alone = true;
  int n_loads = 0;
  for (int side = 0; side < 2; side++)
    alone &= mlirOperationIsNull(c->sides[side].access->guard) &&
             strata_op_is(c->sides[side].access->op, "affine.load") &&
             mlirValueEqual(strata_contraction_narrow(c, side), c->sides[side].access->value);
  for (int i = 0; i < c->nest->n_accesses; i++)
    n_loads += c->nest->accesses[i].in_reduction;
  return alone && n_loads == 2;
}

// The nest as a product whose tiles are worth their while; false of others, a matrix times few vectors among them, each
// result of which is summed up like a row.
static bool read_product(strata_compile_t *compile, const strata_gpu_device_t *device, const strata_nest_node_t *node,
                         strata_problem_t *out_problem, bool *out_may_be_uneven) {
  if (node->class != STRATA_NEST_ANCHOR)
    return false;
  strata_nest_t nest = *node->nest;
  strata_kernel_t kernel = {.arena = compile->arena, .n_nests = 1, .nests = &nest};
  strata_contraction_kernel_t contraction;
  if (!strata_is_contraction(&kernel, &contraction))
    return false;
  strata_gpu_contraction_t question = {.compile = compile, .device = device, .contraction = &contraction};
  *out_problem = strata_problem_read(&question);
  *out_may_be_uneven = reads_alone(&contraction);
  return strata_problem_has_tiles(device, out_problem);
}

static bool is_splittable(const strata_nest_node_t *node) {
  const strata_nest_t *nest = node->nest;
  if (!nest || node->is_constant)
    return false;
  bool is_taken = node->class == STRATA_NEST_ROW || node->class == STRATA_NEST_ANCHOR;
  if (!is_taken || mlirOperationGetNumResults(nest->loops[0]) != 1)
    return false;
  const char *kind = strata_row_combining_kind(nest);
  return kind && starts_neutral(nest, kind);
}

// True if most of what is reduced lies contiguous along a parallel dim.
static bool is_across(const strata_nest_graph_t *graph, const strata_nest_node_t *node) {
  const strata_nest_t *nest = node->nest;
  double across = 0, inner = 0;
  for (int i = 0; i < nest->n_accesses; i++)
    for (int dim = 0; dim < n_dims_of(nest); dim++) {
      int64_t stride;
      if (nest->accesses[i].in_reduction && nest->extents[dim] > 1 &&
          strata_access_stride(nest, &nest->accesses[i], dim, &stride) && stride == 1)
        *(dim < nest->n_parallel ? &across : &inner) += graph->buffers.data[node->buffers.data[i]].bytes;
    }
  return across > inner;
}

static double bytes_read(const strata_nest_graph_t *graph, const strata_nest_node_t *node) {
  double bytes = 0;
  for (size_t i = 0; i < node->buffers.count; i++)
    bytes += node->nest->accesses[i].in_reduction ? graph->buffers.data[node->buffers.data[i]].bytes : 0;
  return bytes;
}

// Bytes of |buffer| as they come from memory: where other nests compute it element by element, of the widest of what
// they read.
static double bytes_behind(const strata_nest_graph_t *graph, int buffer, int depth) {
  enum { MAX_DEPTH = 8 };
  const strata_nest_buffer_t *record = &graph->buffers.data[buffer];
  const strata_nest_node_t *writer = record->n_stores == 1 ? &graph->nodes.data[record->writer] : NULL;
  double widest = 0;
  if (!record->is_alloc || !writer || writer->class != STRATA_NEST_MAP || depth == MAX_DEPTH)
    return record->bytes;
  for (size_t i = 0; i < writer->buffers.count; i++)
    if (!writer->nest->accesses[i].is_store)
      widest = fmax(widest, bytes_behind(graph, writer->buffers.data[i], depth + 1));
  return fmin(widest, record->bytes);
}

// True if the blocks of a cluster can hold a row of what |node| reduces.
static bool is_row_held(const strata_gpu_device_t *device, const strata_nest_graph_t *graph,
                        const strata_nest_node_t *node) {
  double bytes = 0;
  for (size_t i = 0; i < node->buffers.count; i++)
    bytes += node->nest->accesses[i].in_reduction ? bytes_behind(graph, node->buffers.data[i], 0) : 0;
  return node->class == STRATA_NEST_ROW && bytes / node->points <= (double)strata_gpu_cluster_row_bytes(device) &&
         node->trips / node->points <= (double)strata_gpu_cluster_row_elements(device);
}

// Seconds that the nest takes longer than memory's bandwidth allows.
static double seconds_lost(const strata_gpu_device_t *device, const strata_nest_graph_t *graph,
                           const strata_nest_node_t *node, bool across) {
  double in_flight = node->points * BYTES_IN_FLIGHT, needed = device->n_processors * 32768.0 / PROCESSOR_SHARE;
  double bytes = bytes_read(graph, node);
  double blocks = is_row_held(device, graph, node) ? device->max_cluster : 1; // that share a row
  double share = across ? in_flight / needed : node->points * blocks * PROCESSOR_SHARE / device->n_processors;
  return bytes / (double)device->bandwidth * (1 / fmin(share, 1) - 1);
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

// The divisor of |extent| closest to |wanted|, at most |most|.
static int64_t divisor_near(int64_t extent, double wanted, double most) {
  int64_t best = 1;
  for (int64_t divisor = 1; divisor * divisor <= extent; divisor++)
    for (int i = 0; i < 2 && extent % divisor == 0; i++) {
      int64_t d = i ? extent / divisor : divisor;
      double ratio = (double)d > wanted ? (double)d / wanted : wanted / (double)d;
      double best_ratio = (double)best > wanted ? (double)best / wanted : wanted / (double)best;
      if ((double)d <= most && ratio < best_ratio)
        best = d;
    }
  return best;
}

// Cuts the outer reduction dims, as they are contiguous least.
static void cut(split_t *split, double wanted) {
  const strata_nest_t *nest = split->nest;
  split->n_parts = 1;
  for (int i = 0; i < nest->n_reduction; i++) {
    split->parts[i] = 1;
    if (wanted / (double)split->n_parts >= 1.5)
      split->parts[i] = divisor_near(nest->extents[nest->n_parallel + i], wanted / (double)split->n_parts,
                                     2 * wanted / (double)split->n_parts);
    split->n_parts *= split->parts[i];
    split->sizes[i] = nest->extents[nest->n_parallel + i] / split->parts[i];
  }
}

// Cuts the one reduction dim into about |wanted| parts of multiples of |step|, but for the last; false if there are
// several, or zeros beyond the end would count.
static bool cut_unevenly(split_t *split, double wanted, int64_t step) {
  const strata_nest_t *nest = split->nest;
  int64_t extent = nest->extents[nest->n_parallel];
  if (!split->may_be_uneven || nest->n_reduction > 1)
    return false;
  split->sizes[0] = strata_round_up((int64_t)ceil((double)extent / wanted), step);
  split->parts[0] = split->n_parts = strata_ceil_div(extent, split->sizes[0]);
  return true;
}

static void choose_parts(split_t *split, const strata_gpu_device_t *device, const strata_nest_node_t *node) {
  double length = node->trips / node->points;
  double threads = device->n_processors * (double)device->threads_resident;
  double tasks = split->is_across ? threads : device->n_processors * (double)BLOCKS_A_PROCESSOR;
  double most = length / (split->is_across ? MIN_THREAD_ELEMENTS : MIN_BLOCK_ELEMENTS);
  double wanted = fmin(tasks / node->points, most);
  cut(split, wanted);
  if ((double)split->n_parts < wanted / MAX_TIMES_LESS)
    cut_unevenly(split, wanted, ELEMENTS_AT_ONCE);
}

//===-- Products of few tiles ------------------------------------------------------------------------------------===//

// Seconds that a product takes whose parts are summed up by a second kernel; infinite where the parts have no tiles.
static double seconds_in_parts(const strata_gpu_device_t *device, const strata_problem_t *problem, int64_t parts) {
  strata_problem_t part = strata_problem_part(problem, parts);
  double results = (double)problem->rows * (double)problem->columns * (double)problem->batch;
  double bytes = results * (double)(parts * problem->sum_bytes + problem->stored_bytes);
  double seconds = strata_problem_has_tiles(device, &part) ? strata_problem_seconds(device, &part) : INFINITY;
  return seconds + COMBINE_SECONDS + bytes / (double)device->bandwidth;
}

// Takes |tried| if it beats |*best| seconds.
static void try_parts(const strata_gpu_device_t *device, const strata_problem_t *problem, const split_t *tried,
                      split_t *split, double *best) {
  strata_problem_t padded = *problem;
  if (tried->n_parts * tried->sizes[0] > padded.steps) // uneven
    padded.steps = tried->n_parts * tried->sizes[0];
  bool is_long = padded.steps / tried->n_parts * problem->operand_bytes >= MIN_PART_BYTES;
  double seconds = tried->n_parts > 1 && is_long ? seconds_in_parts(device, &padded, tried->n_parts) : *best;
  if (seconds >= *best)
    return;
  *best = seconds;
  *split = *tried;
}

// The parts that take the least time by the model of schedules, if that is worth a second kernel.
static void choose_product_parts(strata_compile_t *compile, const strata_gpu_device_t *device,
                                 const strata_problem_t *problem, split_t *split) {
  const strata_nest_t *nest = split->nest;
  int64_t least = problem->rows < problem->columns ? problem->rows : problem->columns;
  split_t whole = *split;
  whole.may_be_uneven &= least < FEW || problem->rows * problem->columns * problem->batch < FEW_RESULTS;
  double seconds = strata_problem_seconds(device, problem), best = seconds * WORTHWHILE_SHARE;
  for (int64_t wanted = 2; wanted <= MAX_PARTS; wanted *= 2) {
    split_t even = whole, uneven = whole;
    cut(&even, (double)wanted);
    try_parts(device, problem, &even, split, &best);
    if (cut_unevenly(&uneven, (double)wanted, PART_STEP))
      try_parts(device, problem, &uneven, split, &best);
  }
  if (split->n_parts > 1)
    strata_explain(compile, "split  %.*s of %lld x %lld x %lld: %lld parts, %.1f us instead of %.1f",
                   (int)nest->name.length, nest->name.data, (long long)problem->rows, (long long)problem->columns,
                   (long long)problem->steps, (long long)split->n_parts, 1e6 * best, 1e6 * seconds);
}

//===-- Edits both nests share -----------------------------------------------------------------------------------===//

static void erase_unused(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetTerminator(block); !mlirOperationIsNull(op);) {
    MlirOperation before = {NULL};
    for (MlirOperation o = mlirBlockGetFirstOperation(block); !mlirOperationEqual(o, op);
         o = mlirOperationGetNextInBlock(o))
      before = o;
    bool is_used = mlirOperationGetNumResults(op) == 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      is_used |= strata_value_has_uses(mlirOperationGetResult(op, i));
    if (!is_used)
      mlirOperationDestroy(op);
    op = before;
  }
}

// The dims of the partial results: parts and results, the ones that lie side by side last.
static int partial_dims(const split_t *split, const MlirValue *parts, const MlirValue *results, MlirValue *out_dims) {
  int n = 0, n_split = 0;
  for (int i = 0; i < split->nest->n_reduction; i++)
    n_split += split->parts[i] > 1;
  for (int i = 0; i < n_split && split->is_across; i++)
    out_dims[n++] = parts[i];
  for (int i = 0; i < split->nest->n_parallel; i++)
    out_dims[n++] = results[i];
  for (int i = 0; i < n_split && !split->is_across; i++)
    out_dims[n++] = parts[i];
  return n;
}

static int partial_extents(const split_t *split, int64_t *out_extents) {
  const strata_nest_t *nest = split->nest;
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < nest->n_reduction && (pass == 0) == split->is_across; i++)
      if (split->parts[i] > 1)
        out_extents[n++] = split->parts[i];
    for (int i = 0; i < nest->n_parallel && (pass == 0) != split->is_across; i++)
      out_extents[n++] = nest->extents[i];
  }
  return n;
}

static MlirOperation access_op(MlirLocation location, const char *name, const MlirValue *leading, int n_leading,
                               const MlirValue *dims, int n_dims, int n_results, const MlirType *result) {
  MlirValue operands[2 + STRATA_MAX_DIMS];
  for (int i = 0; i < n_leading; i++)
    operands[i] = leading[i];
  for (int i = 0; i < n_dims; i++)
    operands[n_leading + i] = dims[i];
  MlirContext context = mlirLocationGetContext(location);
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, n_dims))};
  return strata_op_create(location, name, n_leading + n_dims, operands, n_results, result, 1, &map, 0, NULL);
}

//===-- Partial results ------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_nest_t *nest; // the copy
  MlirAffineMap points;      // new dims -> the copy's dims before
  MlirValue dims[STRATA_MAX_DIMS];
} shift_t;

static MlirWalkResult shift_op(MlirOperation op, void *user) {
  const shift_t *shift = user;
  MlirAffineMap map = {0};
  if (strata_op_is(op, "affine.apply") || strata_op_is(op, "affine.load"))
    map = strata_nest_map(shift->nest, op);
  else if (strata_op_is(op, "affine.if"))
    map = strata_coalesce_conditions(shift->nest, op);
  if (!mlirAffineMapIsNull(map))
    strata_nest_set_map(op, strata_affine_compose(map, shift->points, NULL), shift->dims);
  return MlirWalkResultAdvance;
}

// Reduction dim r becomes part * (extent / parts) + r; |parts| are the new arguments of the parallel op.
static void shift_dims(const split_t *split, const strata_nest_t *copy, const MlirValue *parts) {
  MlirContext context = mlirOperationGetContext(copy->op);
  MlirAffineExpr points[STRATA_MAX_DIMS];
  shift_t shift = {.nest = copy};
  int n_old = n_dims_of(copy), n_new = n_old;
  for (int dim = 0; dim < n_old; dim++) {
    points[dim] = mlirAffineDimExprGet(context, dim);
    shift.dims[dim] = copy->dims[dim];
  }
  for (int i = 0; i < copy->n_reduction; i++) {
    if (split->parts[i] == 1)
      continue;
    int dim = copy->n_parallel + i;
    int64_t size = split->sizes[i];
    MlirAffineExpr part = mlirAffineDimExprGet(context, n_new);
    points[dim] = mlirAffineAddExprGet(mlirAffineMulExprGet(part, mlirAffineConstantExprGet(context, size)),
                                       size > 1 ? points[dim] : mlirAffineConstantExprGet(context, 0));
    shift.dims[n_new] = parts[n_new - n_old];
    n_new++;
    strata_loop_set_extent(copy->loops[i], size);
  }
  shift.points = mlirAffineMapGet(context, n_new, 0, n_old, points);
  mlirOperationWalk(mlirOperationGetParentOperation(mlirBlockGetFirstOperation(copy->body)), shift_op, &shift,
                    MlirWalkPostOrder);
}

// The load becomes 0 where |set|, over |dims|, does not hold.
static void guard_load(MlirOperation load, MlirIntegerSet set, const MlirValue *dims) {
  MlirLocation location = mlirOperationGetLocation(load);
  MlirBlock block = mlirOperationGetBlock(load);
  MlirValue value = mlirOperationGetResult(load, 0);
  MlirType type = mlirValueGetType(value);
  strata_named_attr_t zero = {"value", mlirTypeIsAFloat(type)
                                           ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, 0)
                                           : mlirIntegerAttrGet(type, 0)};
  strata_named_attr_t condition = {"condition", mlirIntegerSetAttrGet(set)};
  MlirOperation constant = strata_op_create(location, "arith.constant", 0, NULL, 1, &type, 1, &zero, 0, NULL);
  MlirValue yields[2] = {value, mlirOperationGetResult(constant, 0)};
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock blocks[2] = {mlirBlockCreate(0, NULL, NULL), mlirBlockCreate(0, NULL, NULL)};
  for (int i = 0; i < 2; i++)
    mlirRegionAppendOwnedBlock(regions[i], blocks[i]);
  MlirOperation guard = strata_op_create(location, "affine.if", 2, dims, 1, &type, 1, &condition, 2, regions);
  mlirBlockInsertOwnedOperationBefore(block, load, constant);
  mlirBlockInsertOwnedOperationBefore(block, load, guard);
  mlirValueReplaceAllUsesOfWith(value, mlirOperationGetResult(guard, 0));
  mlirOperationRemoveFromParent(load);
  mlirBlockAppendOwnedOperation(blocks[0], load);
  for (int i = 0; i < 2; i++)
    mlirBlockAppendOwnedOperation(blocks[i],
                                  strata_op_create(location, "affine.yield", 1, &yields[i], 0, NULL, 0, NULL, 0, NULL));
}

// Parts that go beyond the end of the one reduction dim read zeros there: extent - 1 - part * size - r >= 0.
static void guard_loads(const split_t *split, const strata_nest_t *copy, MlirValue part) {
  MlirContext context = mlirOperationGetContext(copy->op);
  int64_t extent = split->nest->extents[split->nest->n_parallel], size = split->sizes[0];
  if (size * split->parts[0] == extent)
    return;
  MlirAffineExpr place = mlirAffineAddExprGet(
      mlirAffineMulExprGet(mlirAffineDimExprGet(context, 0), mlirAffineConstantExprGet(context, -size)),
      mlirAffineMulExprGet(mlirAffineDimExprGet(context, 1), mlirAffineConstantExprGet(context, -1)));
  MlirAffineExpr inside = mlirAffineAddExprGet(place, mlirAffineConstantExprGet(context, extent - 1));
  MlirIntegerSet set = mlirIntegerSetGet(context, 2, 0, 1, &inside, &(bool){false});
  for (int i = 0; i < copy->n_accesses; i++)
    if (copy->accesses[i].in_reduction)
      guard_load(copy->accesses[i].op, set, (MlirValue[]){part, copy->dims[copy->n_parallel]});
}

static strata_status_t add_partial_nest(strata_arena_t *arena, const split_t *split, MlirValue partial) {
  MlirOperation op = mlirOperationClone(split->nest->op);
  MlirLocation location = mlirOperationGetLocation(op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(split->nest->op), split->nest->op, op);
  strata_nest_t copy;
  STRATA_TRY(strata_nest_read(arena, op, &copy));
  for (int i = 0; i < copy.n_accesses; i++)
    if (copy.accesses[i].is_store)
      mlirOperationDestroy(copy.accesses[i].op);
  MlirValue parts[STRATA_MAX_DIMS], dims[STRATA_MAX_DIMS];
  MlirType index = mlirIndexTypeGet(mlirOperationGetContext(op));
  int n_split = 0;
  for (int i = 0; i < copy.n_reduction; i++)
    if (split->parts[i] > 1) {
      int position = split->is_across ? n_split : copy.n_parallel + n_split;
      parts[n_split++] = mlirBlockInsertArgument(copy.body, position, index, location);
    }
  shift_dims(split, &copy, parts);
  if (split->may_be_uneven && split->parts[0] > 1)
    guard_loads(split, &copy, parts[0]);
  int64_t extents[STRATA_MAX_DIMS];
  strata_nest_set_extents(op, partial_extents(split, extents), extents);
  int n = partial_dims(split, parts, copy.dims, dims);
  MlirValue leading[2] = {mlirOperationGetResult(copy.loops[0], 0), partial};
  mlirBlockInsertOwnedOperationBefore(copy.body, mlirBlockGetTerminator(copy.body),
                                      access_op(location, "affine.store", leading, 2, dims, n, 0, NULL));
  erase_unused(copy.body);
  return NULL;
}

//===-- Their combination ----------------------------------------------------------------------------------------===//

static void combine_partials(const split_t *split, MlirValue partial) {
  const strata_nest_t *nest = split->nest;
  MlirOperation op = combining_op(nest);
  MlirValue parts[STRATA_MAX_DIMS], dims[STRATA_MAX_DIMS];
  int n_split = 0;
  for (int i = 0; i < nest->n_reduction; i++)
    if (split->parts[i] > 1)
      parts[n_split++] = nest->dims[nest->n_parallel + i];
  int n = partial_dims(split, parts, nest->dims, dims);
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(partial));
  MlirOperation load = access_op(mlirOperationGetLocation(op), "affine.load", &partial, 1, dims, n, 1, &type);
  mlirBlockInsertOwnedOperationBefore(nest->inner, op, load);
  bool is_first = mlirValueEqual(mlirOperationGetOperand(op, 0), mlirBlockGetArgument(nest->inner, 1));
  mlirOperationSetOperand(op, is_first, mlirOperationGetResult(load, 0));
  erase_unused(nest->inner);
  for (int i = nest->n_reduction; i-- > 0;)
    if (split->parts[i] > 1)
      strata_loop_set_extent(nest->loops[i], split->parts[i]);
    else
      strata_loop_inline(nest->loops[i]);
}

static strata_status_t apply_split(strata_arena_t *arena, const split_t *split) {
  const strata_nest_t *nest = split->nest;
  int64_t extents[STRATA_MAX_DIMS];
  MlirType element = mlirValueGetType(mlirOperationGetResult(nest->loops[0], 0));
  MlirType type = mlirMemRefTypeContiguousGet(element, partial_extents(split, extents), extents, (MlirAttribute){0});
  MlirValue partials = strata_alloc_before(nest->op, type);
  STRATA_TRY(add_partial_nest(arena, split, partials));
  combine_partials(split, partials);
  return NULL;
}

static strata_status_t split_function(strata_compile_t *compile, MlirOperation func) {
  const strata_gpu_device_t *device;
  strata_nest_graph_t graph;
  STRATA_TRY(strata_gpu_device(compile, &device));
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &graph));
  for (size_t i = 0; i < graph.nodes.count; i++) {
    const strata_nest_node_t *node = &graph.nodes.data[i];
    if (!is_splittable(node))
      continue;
    strata_problem_t problem;
    bool may_be_uneven = false, is_product = read_product(compile, device, node, &problem, &may_be_uneven);
    split_t split = {.may_be_uneven = may_be_uneven,
                     .nest = node->nest,
                     .n_parts = 1,
                     .is_across = is_product || is_across(&graph, node)};
    if (is_product && STRATA_PIPELINED_PRODUCTS && *device->mma_async)
      choose_product_parts(compile, device, &problem, &split);
    else if (is_product)
      continue;
    else if (seconds_lost(device, &graph, node, split.is_across) >= WORTHWHILE_SECONDS)
      choose_parts(&split, device, node);
    if (split.n_parts > 1)
      STRATA_TRY(apply_split(compile->arena, &split));
  }
  return NULL;
}

strata_status_t strata_pass_affine_split_reductions(strata_compile_t *compile) {
  return strata_target_is_gpu(compile) ? strata_for_each_nest_function(compile, split_function) : NULL;
}
