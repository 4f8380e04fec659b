// affine-split-reductions: on GPUs, reductions of much into too few results to occupy the card become two nests;
// products of a matrix and a vector too. On the cpu the mean and variance of rows that are pieces in memory.
//
//   affine.parallel (%j) = (0) to (64) { %s = affine.for %k = 0 to 100000 { ... load %x[%k, %j] ... }  store f(%s),
//   %y[%j] }
// becomes
//   %p = memref.alloc() : memref<1000x64xf32>
//   affine.parallel (%t, %j) = (0, 0) to (1000, 64) {
//     %s = affine.for %k = 0 to 100 { ... load %x[%t * 100 + %k, %j] ... }  store %s, %p[%t, %j] }
//   affine.parallel (%j) = (0) to (64) { %s = affine.for %t = 0 to 1000 { ... load %p[%t, %j] }  store f(%s), %y[%j] }
//
// A constant matrix that is multiplied by a vector is turned instead, so that a block has a result (turn_constants.c).
//
// Products of more rows and columns are split where the model of schedules expects that (split_products.c).
//
// Costs are those of likely sizes. A length that varies is cut into a fixed number of parts, multiples of a step, of
// which the last ones may be shorter or empty; one that is as short as there are parts, into parts of one.
//
// Attention is left whole: where it is of few rows it is cut into parts of its own (split_attention.c).
//
// Mean and variance of rows are split together (split_moments.c); on the cpu that is all there is (split_pieces.c).
//
// The partial results have the type that is summed up in, and their order is fixed. Grouping never makes one kernel of
// the two: they do not share their rows.
#include "passes/affine/split_reductions.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/row_kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/decide.h"
#include "passes/affine/explain.h"
#include "passes/affine/foresee.h"
#include "passes/affine/group.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/split_dims.h"
#include "passes/affine/split_moments.h"
#include "passes/affine/split_norm.h"
#include "passes/affine/turn_constants.h"
#include "passes/pass.h"
#include "passes/target.h"

#include <math.h>

#define MOMENTS_PASSES 3.0 // through rows whose mean, variance and norm are kernels of their own

enum {
  BLOCKS_A_PROCESSOR = 4,
  HELD_ELEMENTS = 16,        // of a row, by a thread of a block that holds it
  HELD_PARTS = 8,            // of a row, by a thread of a block that combines them
  MIN_BLOCK_ELEMENTS = 2048, // of a row, for a block of threads
  MIN_THREAD_ELEMENTS = 16,  // of a column, for a thread
  ELEMENTS_AT_ONCE = 8,      // of a column, under way in a thread; uneven parts have a multiple of it
  MAX_TIMES_LESS = 3,        // parts than wanted, of what divides a length
  BYTES_IN_FLIGHT = 64,      // of a thread that goes down a column
};

//===-- What is worth splitting ----------------------------------------------------------------------------------===//

// Both nests start from the same value, so that it must not count twice: zero for a sum, anything for a maximum.
static bool starts_neutral(const strata_nest_t *nest, const char *kind) {
  MlirValue start = strata_nest_start(nest, 0);
  if (!mlirValueIsAOpResult(start) || !strata_op_is(mlirOpResultGetOwner(start), "arith.constant"))
    return false;
  MlirAttribute value = strata_attr(mlirOpResultGetOwner(start), "value");
  if (!strcmp(kind, "add"))
    return strata_attr_is_zero(value);
  return strcmp(kind, "mul") && strcmp(kind, "xor");
}

// True if |value| is what the reduction starts from where each load in the reduction gives that.
static bool follows_padding(const strata_nest_t *nest, MlirValue value, bool is_sum) {
  static const char *const casts[] = {"arith.extf", "arith.extsi", "arith.extui"};
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), nest->inner))
    return false;
  if (is_sum && (strata_op_is(op, "arith.mulf") || strata_op_is(op, "arith.muli")))
    return follows_padding(nest, mlirOperationGetOperand(op, 0), true) &&
           follows_padding(nest, mlirOperationGetOperand(op, 1), true);
  for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
    if (strata_op_is(op, casts[i]))
      return follows_padding(nest, mlirOperationGetOperand(op, 0), is_sum);
  return strata_op_is(op, "affine.load");
}

// True if zeros, or what a maximum starts from, may be read beyond the end of what is reduced.
static bool may_be_padded(const strata_nest_t *nest) {
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].in_reduction && !mlirOperationIsNull(nest->accesses[i].guard))
      return false;
  return follows_padding(nest, strata_row_combined(nest), !strcmp(strata_row_combining_kind(nest), "add"));
}

bool strata_split_is_possible(const strata_nest_node_t *node) {
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
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++) {
      int64_t stride;
      if (nest->accesses[i].in_reduction && !strata_size_is_one(nest->space.sizes[dim]) &&
          strata_access_stride(nest, &nest->accesses[i], dim, &stride) && stride == 1)
        *(dim < nest->n_parallel ? &across : &inner) += graph->buffers.data[node->buffers.data[i]].bytes;
    }
  return across > inner;
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

// Bytes of what |node| reduces.
static double bytes_read(const strata_nest_graph_t *graph, const strata_nest_node_t *node) {
  double bytes = 0;
  for (size_t i = 0; i < node->buffers.count; i++)
    bytes += node->nest->accesses[i].in_reduction ? bytes_behind(graph, node->buffers.data[i], 0) : 0;
  return bytes;
}

// True if the blocks of a cluster can hold a row of what |node| reduces.
static bool is_row_held(const strata_gpu_device_t *device, const strata_nest_graph_t *graph,
                        const strata_nest_node_t *node) {
  return node->class == STRATA_NEST_ROW &&
         bytes_read(graph, node) / node->points <= (double)strata_gpu_cluster_row_bytes(device) &&
         node->trips / node->points <= (double)strata_gpu_cluster_row_elements(device);
}

// Seconds that the nest takes longer than memory's bandwidth allows.
static double seconds_lost(const strata_gpu_device_t *device, const strata_nest_graph_t *graph,
                           const strata_nest_node_t *node, bool across) {
  const strata_split_costs_t *costs = &device->costs->split;
  double in_flight = node->points * BYTES_IN_FLIGHT, needed = device->n_processors * costs->in_flight / device->draw;
  double bytes = bytes_read(graph, node);
  double blocks = is_row_held(device, graph, node) ? device->max_cluster : 1; // that share a row
  double share = across ? in_flight / needed : node->points * blocks * device->draw / device->n_processors;
  return bytes / (double)device->bandwidth * (1 / fmin(share, 1) - 1);
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

int64_t strata_divisor_near(int64_t extent, double wanted, double most) {
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

static void leave_dim(strata_split_t *split, int i) {
  split->parts[i] = strata_size_constant(1);
  split->sizes[i] = split->nest->space.sizes[split->nest->n_parallel + i];
}

// Cuts reduction dim |i|, of a number of iterations that is known, into about |wanted| parts; their number.
static int64_t cut_dim(strata_split_t *split, int i, double wanted) {
  int64_t extent = strata_nest_static_extent(split->nest, split->nest->n_parallel + i);
  int64_t parts = strata_divisor_near(extent, wanted, 2 * wanted);
  split->parts[i] = strata_size_constant(parts);
  split->sizes[i] = strata_size_constant(extent / parts);
  return parts;
}

// The same of one that varies, and the likely number of parts.
static int64_t cut_varying_dim(strata_split_t *split, int i, double wanted) {
  int dim = split->nest->n_parallel + i;
  strata_size_t extent = split->nest->space.sizes[dim];
  int64_t likely = strata_nest_likely_extent(split->nest, dim);
  int64_t parts = strata_power_of_two_from((int64_t)ceil(wanted / M_SQRT2));
  if ((double)likely <= 2 * wanted) {
    split->parts[i] = extent;
    split->sizes[i] = strata_size_constant(1);
    return strata_max(likely, 1);
  }
  if (!split->may_be_uneven)
    return 1;
  int64_t step = likely / parts >= ELEMENTS_AT_ONCE ? ELEMENTS_AT_ONCE : 1;
  split->parts[i] = strata_size_constant(parts);
  split->sizes[i] = strata_size_product(strata_size_ceil_div(extent, parts * step), strata_size_constant(step));
  return parts;
}

void strata_split_cut(strata_split_t *split, double wanted) {
  const strata_nest_t *nest = split->nest;
  split->n_parts = 1;
  for (int i = 0; i < nest->n_reduction; i++) {
    double left = wanted / (double)split->n_parts;
    leave_dim(split, i);
    if (left >= 1.5)
      split->n_parts *= strata_size_varies(nest->space.sizes[nest->n_parallel + i]) ? cut_varying_dim(split, i, left)
                                                                                    : cut_dim(split, i, left);
  }
}

bool strata_split_cut_unevenly(strata_split_t *split, double wanted, int64_t step) {
  const strata_nest_t *nest = split->nest;
  if (!split->may_be_uneven || nest->n_reduction > 1 || strata_nest_sums_vary(nest))
    return false;
  int64_t extent = strata_nest_static_extent(nest, nest->n_parallel);
  int64_t size = strata_round_up((int64_t)ceil((double)extent / wanted), step);
  split->n_parts = strata_ceil_div(extent, size);
  split->sizes[0] = strata_size_constant(size);
  split->parts[0] = strata_size_constant(split->n_parts);
  return true;
}

static void choose_parts(strata_split_t *split, const strata_gpu_device_t *device, const strata_nest_node_t *node) {
  double length = node->trips / node->points;
  double threads = device->n_processors * (double)device->threads_resident;
  double tasks = split->is_across ? threads : device->n_processors * (double)BLOCKS_A_PROCESSOR;
  double most = length / (split->is_across ? MIN_THREAD_ELEMENTS : MIN_BLOCK_ELEMENTS);
  double wanted = fmin(tasks / node->points, most);
  strata_split_cut(split, wanted);
  if ((double)split->n_parts < wanted / MAX_TIMES_LESS)
    strata_split_cut_unevenly(split, wanted, ELEMENTS_AT_ONCE);
}

// Parts of a row of which blocks have one each, and hold it.
static double parts_of_rows(const strata_gpu_device_t *device, const strata_nest_node_t *node) {
  double length = node->trips / node->points, blocks = device->n_processors * (double)BLOCKS_A_PROCESSOR;
  double held = (double)device->max_threads * HELD_ELEMENTS;
  return fmin(fmax(blocks / node->points, length / held), length / MIN_BLOCK_ELEMENTS);
}

// Parts of columns of a row, of which threads have one each; a block combines those of a row.
static double parts_of_columns(const strata_gpu_device_t *device, const strata_nest_node_t *node) {
  double threads = device->n_processors * (double)device->threads_resident;
  double parts = fmin(threads, node->trips / MIN_THREAD_ELEMENTS) / node->points;
  return fmin(parts, (double)device->max_threads * HELD_PARTS);
}

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  strata_nest_graph_t graph;
  bool *is_done;    // by node: split with another one, or part of attention, which has parts of its own
  bool has_moments; // dims are to be cut
} splitter_t;

// Sectors read and stored for rows, as kernels that hold one each do.
typedef struct {
  double read, stored; // bytes for a byte
  bool is_dear;        // kernels that read and store whole sectors take less time, though they go through rows again
} moments_traffic_t;

static moments_traffic_t traffic_of(const splitter_t *s, const strata_nest_node_t *node, const strata_moments_t *m) {
  moments_traffic_t t;
  double bytes = s->graph.buffers.data[node->buffers.data[m->x - node->nest->accesses]].bytes;
  strata_moments_traffic(m, &t.read, &t.stored);
  double one = bytes * (t.read + t.stored) / (double)s->device->bandwidth;
  double apart = bytes * MOMENTS_PASSES / (double)s->device->bandwidth + s->device->costs->split.worthwhile_seconds;
  t.is_dear = apart < one;
  if (t.read > 1 || t.stored > 1)
    strata_explain(
        s->compile,
        "split  %.*s: rows in pieces, %.1f bytes read and %.1f stored for one: %.1f us in one kernel, %.1f apart",
        (int)node->nest->name.length, node->nest->name.data, t.read, t.stored, 1e6 * one, 1e6 * apart);
  return t;
}

// Mean and variance in parts, or at least without the norm. *out_squares as strata_split_moments has it.
static strata_status_t split_moments(splitter_t *s, int number, double lost, bool is_across, int *out_squares) {
  const strata_nest_node_t *node = &s->graph.nodes.data[number];
  strata_arena_t *arena = s->compile->arena;
  strata_moments_t m;
  strata_norm_t norm;
  double worthwhile = s->device->costs->split.worthwhile_seconds;
  *out_squares = -1;
  if (node->class != STRATA_NEST_ROW || !strata_moments_find(&s->graph, number, &m))
    return NULL;
  moments_traffic_t t = traffic_of(s, node, &m);
  strata_norm_find(arena, &m, &norm);
  bool may_split = !s->compile->options->disable_unsafe_math && !m.is_rounded;
  if (may_split && t.is_dear && t.read > 1)
    STRATA_TRY(strata_split_moments(s->compile, &s->graph, number, parts_of_columns(s->device, node),
                                    STRATA_PARTS_COLUMNS, out_squares));
  if (may_split && *out_squares < 0 && lost * MOMENTS_PASSES >= worthwhile)
    STRATA_TRY(strata_split_moments(s->compile, &s->graph, number, parts_of_rows(s->device, node),
                                    is_across ? STRATA_PARTS_ACROSS : STRATA_PARTS_ALONG, out_squares));
  s->has_moments |= *out_squares >= 0;
  if (*out_squares < 0 && t.is_dear && norm.is_beside && lost < worthwhile) {
    STRATA_TRY(strata_moments_part(arena, &m));
    *out_squares = (int)(m.squares - s->graph.nodes.data);
  }
  return *out_squares >= 0 && t.stored > 1 ? strata_norm_spread(arena, &norm) : NULL;
}

// The constant operand of a product that is worth turning instead: what is left then suffices to occupy the card.
static const strata_access_t *constant_to_turn(const splitter_t *s, const strata_nest_node_t *node) {
  double lost = seconds_lost(s->device, &s->graph, node, false);
  return lost < s->device->costs->split.worthwhile_seconds ? strata_turned_constant(&s->graph, node) : NULL;
}

// The constant operand of a product on matrix instructions whose bytes lie across the reduction where threads stage
// operands: of those each is read from shared memory by itself. Turned, 16 are read at once.
static const strata_access_t *bytes_to_turn(const splitter_t *s, const strata_nest_node_t *node,
                                            const strata_problem_t *problem) {
  bool reads_bytes = problem->mma && problem->operand_bytes == 1 && strata_gpu_stages_by_threads(s->device);
  return reads_bytes ? strata_turned_constant(&s->graph, node) : NULL;
}

//===-- What tuning says -----------------------------------------------------------------------------------------===//

// Whether a reduction is done in parts, which it loses |lost| seconds without.
static strata_status_t decide_reduction(const splitter_t *s, int number, double lost, bool *is_split) {
  const strata_nest_node_t *node = &s->graph.nodes.data[number];
  const strata_ints_t nests = {.data = &number, .count = 1};
  double moving = bytes_read(&s->graph, node) / (double)s->device->bandwidth;
  const strata_answer_t answers[] = {{"whole", moving + lost},
                                     {"in parts", moving + s->device->costs->split.worthwhile_seconds}};
  const char *what = strata_arena_printf(s->compile->arena, "%.0f results, of %.0f elements each", node->points,
                                         node->trips / node->points);
  bool is_whole = !*is_split;
  STRATA_TRY(strata_decide_between(s->compile, &s->graph, &nests, STRATA_DECIDES_REDUCTION, what, answers, &is_whole));
  *is_split = !is_whole;
  return NULL;
}

//===-- Nests ----------------------------------------------------------------------------------------------------===//

static strata_status_t split_node(splitter_t *s, int number) {
  const strata_nest_node_t *node = &s->graph.nodes.data[number];
  strata_problem_t problem;
  strata_partial_t partial;
  bool may_be_uneven = false;
  int squares;
  bool is_product = strata_split_read_product(s->compile, s->device, node, &problem, &may_be_uneven);
  if (is_product && strata_nest_varies(node->nest))
    return NULL;
  const strata_access_t *bytes = is_product ? bytes_to_turn(s, node, &problem) : NULL;
  if (bytes)
    return strata_turn_constant(s->compile, node->nest, bytes);
  if (strata_nest_sums_vary(node->nest))
    may_be_uneven = may_be_padded(node->nest);
  strata_split_t split = {.may_be_uneven = may_be_uneven,
                          .nest = node->nest,
                          .n_parts = 1,
                          .is_across = is_product || is_across(&s->graph, node)};
  double lost = is_product ? 0 : seconds_lost(s->device, &s->graph, node, split.is_across);
  STRATA_TRY(split_moments(s, number, lost, split.is_across, &squares));
  if (squares >= 0) {
    s->is_done[squares] = true;
    return NULL;
  }
  bool is_lost = lost >= s->device->costs->split.worthwhile_seconds;
  if (is_product && *s->device->mma_async) {
    const strata_split_t whole = split;
    strata_split_choose_parts(s->compile, s->device, &problem, &split);
    STRATA_TRY(strata_split_decide_parts(s->compile, s->device, &s->graph, number, &problem, &whole, &split));
  } else if (!is_product) {
    const strata_access_t *constant = is_lost && split.is_across ? constant_to_turn(s, node) : NULL;
    if (constant)
      return strata_turn_constant(s->compile, node->nest, constant);
    STRATA_TRY(decide_reduction(s, number, lost, &is_lost));
    if (is_lost)
      choose_parts(&split, s->device, node);
  }
  return split.n_parts > 1 ? strata_split_apply(s->compile->arena, &split, &partial) : NULL;
}

// The question of split_node() about a product.
static void ask_parts(strata_compile_t *compile, size_t i, void *user) {
  const splitter_t *s = user;
  const strata_nest_node_t *node = &s->graph.nodes.data[i];
  strata_problem_t problem;
  strata_split_t split = {.nest = node->nest, .n_parts = 1, .is_across = true};
  if (!s->is_done[i] && strata_split_is_possible(node) && !strata_nest_varies(node->nest) && *s->device->mma_async &&
      strata_split_read_product(compile, s->device, node, &problem, &split.may_be_uneven))
    strata_split_choose_parts(compile, s->device, &problem, &split);
}

static strata_status_t split_function(strata_compile_t *compile, MlirOperation func) {
  splitter_t s = {.compile = compile};
  strata_ints_t attention;
  STRATA_TRY(strata_gpu_device(compile, &s.device));
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &s.graph));
  strata_nest_graph_pack_nothing(&s.graph);
  s.is_done = strata_arena_array(compile->arena, bool, s.graph.nodes.count);
  STRATA_TRY(strata_group_find_attention(compile, func, &attention));
  for (size_t i = 0; i < attention.count; i++)
    s.is_done[attention.data[i]] = true;
  strata_foresee(compile, s.graph.nodes.count, ask_parts, &s);
  for (size_t i = 0; i < s.graph.nodes.count; i++)
    if (!s.is_done[i] && strata_split_is_possible(&s.graph.nodes.data[i]))
      STRATA_TRY(split_node(&s, (int)i));
  return s.has_moments ? strata_split_dims(compile, func) : NULL;
}

strata_status_t strata_pass_affine_split_reductions(strata_compile_t *compile) {
  if (!strata_target_is_gpu(compile))
    return compile->options->disable_unsafe_math ? NULL : strata_for_each_nest_function(compile, strata_split_pieces);
  return strata_for_each_nest_function(compile, split_function);
}
