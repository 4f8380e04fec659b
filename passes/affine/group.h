// Grouping: nests of @main become kernels. Internal to group*.c.
//
// A group walks an *outer space*. A nest is *aligned* if each of its points belongs to one outer point; its outer map
// says which. Other nests are computed wherever they are read. By kind of group:
//   map     the outer space is the points of the stored nests
//   rows    the parallel dims of the reductions; the other nests may have inner dims besides
//   anchor  the parallel dims of the contraction or window; what follows has the same points
#ifndef STRATA_PASSES_AFFINE_GROUP_H
#define STRATA_PASSES_AFFINE_GROUP_H

#include "passes/affine/group_order.h"
#include "passes/affine/nest_graph.h"

typedef enum {
  STRATA_REASON_NONE, // they are one kernel, or nobody tried
#define REASON(id, text) STRATA_REASON_##id,
#include "passes/affine/group_reasons.def"
} strata_group_reason_t;

typedef struct {
  strata_nest_class_t kind; // MAP, ROW or ANCHOR; SCALAR: one nest alone
  int n_outer;
  strata_space_t outer;
  double outer_points;
  strata_ints_t members; // in the order of joining
  size_t n_buffers;      // that members access
  int n_reductions;      // over rows
  size_t n_places;       // at which members are computed that are not aligned
  bool is_attention;     // its kernel is of that kind: this is the one place that finds out
  const char *kernel;    // the function made of it
} strata_group_t;

// A place in a kernel's code: a map from the dims of the nest |root|, or from the outer space, to the point of a nest
// that is computed there.
enum { STRATA_GROUP_OUTER = -1 };
typedef struct {
  int root;
  MlirAffineMap point;
} strata_group_place_t;
typedef STRATA_VECTOR(strata_group_place_t) strata_group_places_t;

// What is decided about a node.
typedef struct {
  int group;                      // -1: nothing yet
  MlirAffineMap outer;            // parallel dims -> outer point; null: computed where it is read
  double evaluations;             // points computed at a run, repetitions counted
  strata_group_places_t places;   // where it is computed; none if it is aligned
  bool is_operand;                // computed while an operand of the group's contraction is packed
  int tried;                      // the last sweep that looked at it
  strata_group_reason_t *reasons; // by read; NULL unless somebody wants to know
} strata_grouped_t;

// What differs by target, in additions of vector code. On a GPU the unit is the whole card's: where few threads have
// work, time is lost in proportion.
typedef struct {
  double byte;           // to or from memory
  double launch;         // of a kernel, among repetitions
  double pause;          // between kernels, while all threads wait
  double threads;        // that a kernel should be able to occupy
  double draw;           // for how many such threads one stands, where others want nothing of memory
  double task_points;    // of a nest without rows: fewer are not worth a task of their own
  double task_threads;   // that can share a task
  double row_threads;    // the same of a row that a cluster can hold ...
  double row_bytes;      // ... of so many bytes
  double row_elements;   // of a row that a task holds from one nest to the next; 0: it reads them again
  int64_t piece_bytes;   // of a row that should lie side by side: of a vector, of a sector
  double thread_points;  // of a task, that a thread should have
  double operand_reuse;  // results for which an operand's element serves once it is packed, or in shared memory
  double least_side;     // results along a side below which a contraction has no tiles, and nothing serves twice
  bool reads_quads;      // products of bytes read their operands four at a time, from memory (quads.c)
  double product_loss;   // of a multiply-add whose operands are computed on their way and not fetched in bulk
  bool loads_by_threads; // what they stage: a copy on the way costs them nothing
} strata_group_prices_t;

typedef struct {
  strata_compile_t *compile;
  strata_group_prices_t prices;
  strata_nest_graph_t graph;
  strata_group_order_t *order;
  strata_grouped_t *nodes; // by node of the graph
  STRATA_VECTOR(strata_group_t) groups;
  int sweep;
  int *counted_in; // by buffer: 1 + the last group whose n_buffers counts it
} strata_grouping_t;

//===-- Alignment (group_align.c) --------------------------------------------------------------------------------===//

// The outer map of a nest that starts a group; the group's outer space is its parallel dims.
MlirAffineMap strata_group_identity(const strata_grouping_t *grouping, int node);

// The outer map that a nest needs for agreeing with all aligned members of the group that it reads or that read it.
// The null map if there is none.
MlirAffineMap strata_group_align(const strata_grouping_t *grouping, int group, int node);

// True if the outer map of an aligned nest takes every point to an outer point of its own.
bool strata_group_is_bijective(const strata_grouping_t *grouping, int group, int node);

// True if |node|, which is aligned, reads a row for itself, and that in short pieces: no cluster should fetch it, as
// neighbouring rows are fetched with it in vain, and no task of the cpu.
bool strata_group_reads_pieces(const strata_grouping_t *grouping, int group, int node);

// True if no reduction of the group needs what |node| makes: it may as well go through all rows another way.
bool strata_group_follows_rows(const strata_grouping_t *grouping, int group, int node);

//===-- Places (group_places.c) ----------------------------------------------------------------------------------===//

// Where |reader|, a member, computes the producer of |read|; *out_point is the same over the reader's own dims. False
// if the producer's store cannot be inverted.
bool strata_group_place_of_read(const strata_grouping_t *grouping, int group, int reader,
                                const strata_nest_read_t *read, strata_group_place_t *out_place,
                                MlirAffineMap *out_point);
// Notes at which places |node| is computed if it joins the group and is computed where members read it. False if there
// are too many for code of a sensible size.
bool strata_group_find_places(strata_grouping_t *grouping, int group, int node);

//===-- Costs (group_cost.c) -------------------------------------------------------------------------------------===//

STRATA_MUST_CHECK strata_status_t strata_group_find_prices(strata_compile_t *compile,
                                                           strata_group_prices_t *out_prices);
// How often the points of |node| are computed if it joins the group and is computed where members read it.
double strata_group_evaluations(const strata_grouping_t *grouping, int group, int node);
// True if |node| follows a contraction of no group yet, through nests of no group, and stores fewer bytes than that
// (group_narrowed.c).
bool strata_group_narrows_another(const strata_grouping_t *grouping, int node);
// Why joining does not pay, or NONE. |evaluations| as above; the points of the nest if it is aligned.
strata_group_reason_t strata_group_judge(const strata_grouping_t *grouping, int group, int node, bool is_aligned,
                                         double evaluations);

//===-- Operands (group_operand.c) -------------------------------------------------------------------------------===//

// True if the nest is a product of a matrix and few vectors, whose results are computed one by one.
bool strata_group_is_thin(const strata_group_prices_t *prices, const strata_nest_t *nest);
// True if the contraction or window of the group reads |node|, or what is computed from it on the way.
bool strata_group_is_operand(const strata_grouping_t *grouping, int group, int node);
// True if such a |node|, whose points are computed |evaluations| times, had better be computed on the operand's way.
bool strata_group_takes_operand(const strata_grouping_t *grouping, int group, int node, double evaluations);

//===-- Stored anyway (group_stored.c) ---------------------------------------------------------------------------===//

// True if |node| is elementwise and of no group yet.
bool strata_group_may_join_later(const strata_grouping_t *grouping, int node);
// True if |node|, which follows a contraction, spares no memory by joining, and another kernel can compute it.
bool strata_group_adds_a_store_only(const strata_grouping_t *grouping, int group, int node);
// True if |node| only widens what another kernel's reduction, and what waits for that, read: they can do that
// themselves, and the narrow value is what goes through memory.
bool strata_group_widens_for_reductions(const strata_grouping_t *grouping, int node);

//===-- Attention (group_attention.c) ----------------------------------------------------------------------------===//

// Makes groups of what is attention, before others grow.
STRATA_MUST_CHECK strata_status_t strata_group_attention(strata_grouping_t *grouping);
// The nests of a function that would be attention as it is, by their numbers in its graph: nothing is changed.
STRATA_MUST_CHECK strata_status_t strata_group_find_attention(strata_compile_t *compile, MlirOperation func,
                                                              strata_ints_t *out_nests);

//===-- Pairs (group_pairs.c) ------------------------------------------------------------------------------------===//

// Makes groups of two contractions of the same rows whose results meet elementwise, before others grow.
STRATA_MUST_CHECK strata_status_t strata_group_pairs(strata_grouping_t *grouping);

//===-- Norms (group_norm.c) -------------------------------------------------------------------------------------===//

// Makes groups of contractions and the reductions over rows of their results, before others grow.
STRATA_MUST_CHECK strata_status_t strata_group_norms(strata_grouping_t *grouping);

//===-- Making groups (group.c) ----------------------------------------------------------------------------------===//

// A group of |seed| alone; returns its number.
int strata_group_create(strata_grouping_t *grouping, int seed);
// Adds a node that is computed where it is read. INTERNAL if the groups cannot be put into an order then.
STRATA_MUST_CHECK strata_status_t strata_group_add(strata_grouping_t *grouping, int group, int node);

//===-- Questions about the partition so far ---------------------------------------------------------------------===//

// Buffers with more readers than this are kept in memory and not looked into.
enum { STRATA_GROUP_MAX_READERS = 64 };

static inline strata_nest_node_t *strata_group_node(const strata_grouping_t *grouping, int node) {
  return &grouping->graph.nodes.data[node];
}

bool strata_group_has(const strata_grouping_t *grouping, int group, int node);
// True if |node| is a contraction (or another anchor) of what is not constant, and in no group yet.
bool strata_group_is_free_anchor(const strata_grouping_t *grouping, int node);
// True if all readers of what |node| stores are |also| or in the group, and no one outside of @main sees it.
bool strata_group_is_private(const strata_grouping_t *grouping, int group, int node, int also);

//===-- Kernels (group_outline.c) --------------------------------------------------------------------------------===//

// Value of @main -> value of the kernel, where it is read and where it is stored to, if that is another.
typedef struct {
  strata_pointer_map_t read, stored;
} strata_group_values_t;

strata_group_values_t strata_group_values_create(strata_arena_t *arena);

// Parts of making a kernel. A block with an argument for each buffer, which |values| then says is inside what the
// buffer is outside; what a nest in it uses becomes that, constants of @main are copied; the function of such a block.
MlirBlock strata_group_block(const strata_grouping_t *grouping, const strata_ints_t *inputs,
                             const strata_ints_t *outputs, strata_group_values_t *values);
void strata_group_rewire(MlirBlock block, MlirOperation nest, const strata_group_values_t *values);
MlirOperation strata_group_function(const strata_grouping_t *grouping, MlirBlock block);

// Before there are groups: how often |reader| asks for what |read| reads; and whether |node| is cheap enough to compute
// so often for |reader|, whose kernel can then share the launch of the one that stores it (repeat_results.c).
double strata_group_evaluations_alone(const strata_nest_node_t *reader, const strata_nest_read_t *read);
bool strata_group_affords_again(const strata_nest_graph_t *graph, const strata_group_prices_t *prices, int node,
                                double evaluations, int reader);

// Makes the rows of a buffer of @main, which is |inside| the kernel, as long as what is stored (group_trial.c).
void strata_group_drop_padding(const strata_grouping_t *grouping, int buffer, MlirValue inside);

// True if one of |members| stores the buffer and no one else sees it.
bool strata_group_keeps(const strata_grouping_t *grouping, const strata_ints_t *members, int buffer);
// The kernel that |members|, in order, would be, of copies of them, without padding and with its dims coalesced: for
// the caller to look at and to destroy (group_trial.c).
STRATA_MUST_CHECK strata_status_t strata_group_try(const strata_grouping_t *grouping, const strata_ints_t *members,
                                                   MlirOperation *out_func);

// Moves every group into a private function @k<n> and leaves calls. The nests of the graph are gone afterwards.
STRATA_MUST_CHECK strata_status_t strata_group_outline(strata_grouping_t *grouping);

// True if access |i| of one nest stores what the other reads in the same buffer, or reads what that stores.
bool strata_group_interferes(const strata_nest_node_t *record, int i, const strata_nest_node_t *other);

// Why |node|, whose points are not the group's, and whose results are wanted outside of it, cannot join.
strata_group_reason_t strata_group_reason_kept(const strata_grouping_t *grouping, int group, int node);

// Tells the compile's listener what became of every producer and consumer (group_explain.c).
void strata_group_explain(const strata_grouping_t *grouping);

#endif
