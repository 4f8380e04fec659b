// The ways of carrying out a kernel that the model compares. Every kind of them is walked, timed, compared, explained,
// written as a schedule and read back from one by the same few functions: see strata_ways_t. Internal to
// affine-schedule and to passes that ask what a kernel would take.
#ifndef STRATA_PASSES_AFFINE_CANDIDATES_H
#define STRATA_PASSES_AFFINE_CANDIDATES_H

#include "passes/affine/attention.h"
#include "passes/affine/kinds.h"
#include "passes/affine/problem.h"

// A product on a cpu. Its operands are as they are in front of strata_cpu_pack_products; where a size varies they are
// in panels already, if at all, so that only tiles are chosen by which tasks pack what they do.
typedef struct {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  strata_tiling_t tiling; // of as many rows and columns as tiles are for
  int64_t extents[2];     // how many there are, likely ones where they vary
  int64_t times;          // it is computed
  bool varies;
  bool are_packed[2];   // by tasks, where it varies
  bool is_constant;     // the columns' operand, which has panels then,
  bool may_have_panels; // as any other where strata_product_wants_panels, or candidates say so
} strata_cpu_product_t;

// Attention on a cpu; none of its sizes varies.
typedef struct {
  strata_tiling_t scores, results; // its two products
  int64_t times;                   // it is computed
} strata_cpu_attention_t;

// A map or rows on a cpu; none of its sizes varies.
typedef struct {
  strata_kernel_kind_t kind;
  int64_t lanes;
  int64_t extent; // of what is computed side by side, or of the longest dim that may be
  double points;  // of all nests
} strata_cpu_widths_t;

// |product|, one whose sizes vary, where the symbols have |values|.
const strata_cpu_product_t *strata_cpu_product_at(strata_arena_t *arena, const strata_cpu_product_t *product,
                                                  const int64_t *values);

// Points of all nests of a kernel of known sizes.
double strata_kernel_points(const strata_kernel_t *kernel);

struct strata_gpu_forms; // gpu_forms.h

// Which forms of a pipelined product are asked about.
typedef enum {
  STRATA_REACH_FITTED, // those that the costs of all that compares products were fitted with
  STRATA_REACH_TIMED,  // and those that were timed since: for a kernel's schedule, when all else is decided
  STRATA_REACH_ALL,    // and those of which nothing was: what is measured before it is taken, or asked for
} strata_reach_t;

// What is asked about: a product or attention, or a map, rows or a scalar kernel, on a GPU or a cpu.
typedef struct {
  const strata_gpu_device_t *device; // NULL: a cpu
  const strata_problem_t *product;
  const strata_attention_problem_t *attention;
  const strata_cpu_product_t *cpu_product;
  const strata_cpu_attention_t *cpu_attention;
  const strata_cpu_widths_t *widths;
  const struct strata_gpu_forms *forms;
  bool wants_all; // what can be carried out, be it never what the model would choose: a schedule file may ask for it
  strata_reach_t reach;
} strata_work_t;

// What is asked about the kernel of |called|, of a kind of kinds.def: all that can be. *out_has is false where such
// have one schedule, as those whose sizes vary and that are no products, nor, on a GPU, attention. |device| is NULL on
// a cpu, where constants are told by |calls|.
STRATA_MUST_CHECK strata_status_t strata_work_read(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                   const strata_calls_t *calls, const strata_called_kernel_t *called,
                                                   strata_kernel_kind_t kind, strata_work_t *out, bool *out_has);
// False where kernels of the kind have one schedule.
bool strata_kind_has_candidates(strata_kernel_kind_t kind, bool on_cpu);
// The kinds' readers.
typedef strata_status_t (*strata_work_reader_t)(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_contract(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_attention(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_contract_cpu(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_attention_cpu(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_map_cpu(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_rows_cpu(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_map_gpu(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_rows_gpu(const strata_scheduling_t *s, strata_work_t *out);
STRATA_MUST_CHECK strata_status_t strata_work_scalar_gpu(const strata_scheduling_t *s, strata_work_t *out);

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// What any candidate has; those of a kind begin with it.
#define STRATA_CANDIDATE                                                                                               \
  size_t number;     /* among those of its kind, from 1; 0: before the first */                                        \
  double seconds;    /* by the model */                                                                                \
  double cost;       /* by which those of its kind are compared, where not by seconds */                               \
  const char *bound; /* what takes the time */                                                                         \
  strata_schedule_t schedule;

typedef struct {
  STRATA_CANDIDATE
  const strata_tiled_shape_t *shape;
  const strata_mma_t *mma; // of the device's for the operands; NULL: multiply-adds
  int64_t split, steps, threads;
  int64_t slots; // 0: two that are not copied to
} strata_tiled_choice_t;

typedef struct {
  STRATA_CANDIDATE
  strata_pipelined_shape_t shape;
  bool swap;        // the instruction's rows are the result's columns
  int64_t pair;     // 2 of a pair: the tiles of both lie side by side along the columns; else 1
  int64_t parts;    // blocks of a cluster, which share the reduction of tiles side by side along the shape's columns
  int64_t filled;   // percent of the processors that such clusters fill
  int64_t every;    // a tile's rows are every so many of the results', which begin alike in memory; 1: neighbours
  int64_t row;      // blocks of a cluster whose tiles are a row together; 0: rows are not reduced
  int64_t share[2]; // rows, columns of tiles of a cluster whose blocks share operands
  int64_t rows;     // of a block's tile as the instruction sees them, which takes those of a cluster, or of a pair,
  int64_t columns;  // together
  int64_t tile[2];  // the same of results, by side
  int64_t step;     // elements of the reduction
  int64_t stagger;  // steps by which a tile's reduction begins behind that of the tile before
  bool stream;      // each block has an equal share of all tiles' steps
  int64_t slots, residents, tiles, blocks;
} strata_pipelined_choice_t;

typedef struct {
  STRATA_CANDIDATE
  int64_t groups;        // of 128 threads, 64 rows each
  int64_t warps[2];      // is_staged: along rows and columns of the tile
  int64_t rows, columns; // of a tile
  int64_t parts;         // that columns are cut into
  int64_t widened;       // slots of what bytes become; 0: none do
  int64_t slots, tasks, blocks;
} strata_attention_choice_t;

typedef struct {
  STRATA_CANDIDATE
  int64_t tile[STRATA_SCHEDULE_TILE];
  int64_t panels;
  bool packs_rows;
  int64_t runs[2]; // 0: the model's
  int64_t width;   // of maps and rows; 0: the model's
} strata_cpu_choice_t;

typedef union {
  struct {
    STRATA_CANDIDATE
  };
  strata_cpu_choice_t cpu;
  strata_tiled_choice_t tiled;
  strata_pipelined_choice_t pipelined;
  strata_attention_choice_t attention;
} strata_candidate_t;

// How many times as long the product, or |choice| for it, takes as the model says, by devices/gpu/corrections.def;
// INFINITY: it is not to be taken. |choice| is NULL where |corrects| is about products.
double strata_problem_correction(const strata_gpu_device_t *device, const strata_problem_t *problem,
                                 const strata_pipelined_choice_t *choice, strata_corrects_t corrects);
// The row that takes it out; NULL: none does.
const char *strata_problem_obstacle(const strata_gpu_device_t *device, const strata_problem_t *problem,
                                    const strata_pipelined_choice_t *choice, strata_corrects_t corrects);

//===-- Their kinds ----------------------------------------------------------------------------------------------===//

typedef struct {
  // Makes |c| the candidate behind it, of which predict says whether it can be carried out; false at the end.
  bool (*next)(const strata_work_t *work, strata_candidate_t *c);
  // Fills in its sizes, seconds and bound; false where it cannot be carried out, or the model is never to choose it.
  bool (*predict)(const strata_work_t *work, strata_candidate_t *c);
  strata_schedule_t (*write)(const strata_work_t *work, const strata_candidate_t *c);
  // True if |given|, whose tile is the candidate's, has slots and blocks that the candidate could have.
  bool (*admits)(const strata_work_t *work, const strata_candidate_t *c, const strata_schedule_t *given);
  // What --explain says of it, but for its time.
  const char *(*explain)(strata_arena_t *arena, const strata_work_t *work, const strata_candidate_t *c);
} strata_ways_t;

extern const strata_ways_t strata_ways_pipelined;        // schedule_pipelined.c
extern const strata_ways_t strata_ways_norm;             // schedule_norm.c: the same where rows are reduced
extern const strata_ways_t strata_ways_fma;              // schedule_fma.c: of multiply-adds, problem->bulk_adds
extern const strata_ways_t strata_ways_tiled;            // schedule_tiled.c: staged by the threads that multiply
extern const strata_ways_t strata_ways_attention;        // schedule_attention.c
extern const strata_ways_t strata_ways_attention_staged; // schedule_attention_staged.c: problem->is_staged
// Ways that take any schedule of their kind without keys of other kinds.
bool strata_cpu_admits(const strata_work_t *work, const strata_candidate_t *c, const strata_schedule_t *given);
extern const strata_ways_t strata_ways_cpu_product;   // contract_cpu_ways.c
extern const strata_ways_t strata_ways_cpu_attention; // attention_cpu_ways.c
extern const strata_ways_t strata_ways_widths;        // width_ways.c: of maps and rows
extern const strata_ways_t strata_ways_forms;         // gpu_forms.c: of maps, rows and scalar kernels

// The first, second, ... of all that the work has, NULL behind them. Of a product pipelined ones are the first.
const strata_ways_t *strata_ways_of(const strata_work_t *work, int number);

// Of both forms of attention: blocks of columns of a task, of a causal tile half of them and half a block more, on
// average.
double strata_attention_blocks(const strata_attention_problem_t *problem, const strata_attention_choice_t *c);
// Ways to cut columns into parts: none, as many tasks as processors, twice as many, ... Sets parts and tasks; false
// where the tile cannot be cut so, or would be as for fewer.
enum { STRATA_ATTENTION_SPLITS = 3 };
bool strata_attention_split(const strata_gpu_device_t *device, const strata_attention_problem_t *problem, int way,
                            strata_attention_choice_t *c);
// What a schedule says of it: 0 where the kernel stores its results itself.
int64_t strata_attention_splits(const strata_attention_problem_t *problem, const strata_attention_choice_t *c);
// Of parts: the kernel that puts them together, and the bytes they leave it.
double strata_attention_sum_seconds(const strata_gpu_device_t *device, const strata_attention_problem_t *problem,
                                    const strata_attention_choice_t *c);
// Where sizes vary: the choice for all of them, and variants for some.
STRATA_MUST_CHECK strata_status_t strata_attention_choose_varying(const strata_scheduling_t *s,
                                                                  const strata_work_t *work, const strata_ways_t *ways,
                                                                  strata_schedule_t *out, bool *out_found);
bool strata_attention_admits(const strata_work_t *work, const strata_candidate_t *c, const strata_schedule_t *given);

//===-- The walk -------------------------------------------------------------------------------------------------===//

// Makes |c|, zero at first, the next candidate that can be carried out; false at the end.
bool strata_candidate_next(const strata_work_t *work, const strata_ways_t *ways, strata_candidate_t *c);
// The best |n| of different tiles, best first, of equal ones the first in the walk; returns how many there are.
int strata_candidates_best(const strata_work_t *work, const strata_ways_t *ways, int n, strata_candidate_t *out);
// The first of all that carries out its tasks as |schedule| says; false if there is none.
bool strata_candidate_of(const strata_work_t *work, const strata_ways_t *ways, const strata_schedule_t *schedule,
                         strata_candidate_t *out);
// True if a kernel of |work| can be carried out by |given|.
bool strata_candidates_admit(const strata_work_t *work, const strata_schedule_t *given);
// Tells of the best |n|, lines that begin with |title|.
void strata_candidates_explain(strata_compile_t *compile, const strata_work_t *work, const strata_ways_t *ways,
                               const char *title, int n, const strata_candidate_t *best, bool is_chosen);

// Points of the sizes at which costs are asked (schedule_varying.c): how many there are; values of all symbols at point
// |i|, the likely ones, or |usual| ones, and between them their geometric means.
enum { STRATA_VARYING_POINTS = 7 };
int strata_varying_points(const strata_symbols_t *symbols);
int64_t *strata_varying_values(strata_arena_t *arena, const strata_symbols_t *symbols, const int64_t *usual, int i);
// |product|, whose contraction is the question's, where the symbols have |values|.
strata_problem_t strata_varying_problem(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                                        const int64_t *values);

// Of a product whose sizes vary (schedule_varying.c): whether tiles are worth their while at some of what is likely; a
// schedule for all sizes. *out_taken is false where there is none.
bool strata_varying_has_tiles(const strata_gpu_contraction_t *q, const strata_problem_t *product);
STRATA_MUST_CHECK strata_status_t strata_varying_choose(const strata_gpu_contraction_t *q,
                                                        const strata_problem_t *product, strata_schedule_t *out,
                                                        bool *out_taken);

// Offers variants of the question's product to the budget, where one of its sizes varies (product_variants_gpu.c);
// |schedule| is what it has for all of them so far.
STRATA_MUST_CHECK strata_status_t strata_gpu_product_variants(const strata_scheduling_t *s,
                                                              const strata_gpu_contraction_t *q,
                                                              const strata_problem_t *product,
                                                              const strata_schedule_t *schedule);

// Before the budget is spent: which products whose sizes vary share a launch, as parallel.h has them; their offers
// become one (product_launches_gpu.c).
struct strata_variant_budget;
STRATA_MUST_CHECK strata_status_t strata_gpu_product_launches(strata_compile_t *compile,
                                                              const strata_gpu_device_t *device,
                                                              const strata_calls_t *calls,
                                                              struct strata_variant_budget *budget);

// The best of a product: pipelined, staged by threads.
int strata_pipelined_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, strata_reach_t reach,
                            int n, strata_candidate_t *out);
bool strata_tiled_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, strata_candidate_t *out);

#endif
