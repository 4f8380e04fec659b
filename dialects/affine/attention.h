// A kernel that is attention: two contractions and a softmax over rows between them, in any number of nests; or what is
// made of the first one's elements one by one, without a softmax.
//
//   scores(i, j) = sum over d of q(i, d) * k(j, d)          an elementwise chain on them: scale, masks, conversions
//   p(i, j) = exp(score(i, j) - max over j of score(i, j))
//   result(i, v) = sum over j of p(i, j) / (sum over j of p(i, j)) * w(j, v)
// or, with weights that are multiplied or masked,
//   result(i, v) = sum over j of p(i, j) / (sum over j of p(i, j)) * f(i, j) * w(j, v)
// or
//   result(i, v) = sum over j of score(i, j) * w(j, v)
// With a sink, a score of each row that no value belongs to, that is in the maximum and in the sum of a softmax as
// others.
//
// Recognised by accesses and arithmetic alone. Everything is said over the *canonical dims*: the parallel dims of the
// second contraction's nest, then its reduction dim, the *column*, then the first one's, the *head* dim, then one of
// extent 1, which is the row where there is one row alone.
#ifndef STRATA_DIALECTS_AFFINE_ATTENTION_H
#define STRATA_DIALECTS_AFFINE_ATTENTION_H

#include "dialects/affine/contraction.h"
#include "dialects/affine/symbols.h"

// A scalar of a nest at a point: of the nest's dims, over the canonical dims.
typedef struct {
  const strata_nest_t *nest;
  MlirValue value;
  MlirAffineExpr point[STRATA_MAX_DIMS];
} strata_attention_term_t;

// An operand of one of the products.
typedef struct {
  const strata_access_t *read;    // by the contraction's nest
  const strata_access_t *access;  // that, or where a nest of the kernel puts it together, the read of its first part,
  const strata_access_t *rest;    // and of its second one, by that nest's dims; NULL: it is whole
  int64_t n_first;                // columns of the first part
  MlirValue factor;               // what is multiplied, before it is widened
  MlirType stored;                // what |access| reads, where that is bytes, which a nest widens; else null
  int64_t page;                   // columns of a page, where a nest gathers such by numbers in memory; else 0
  strata_attention_term_t number; // of a page: the first index of |access|, an index value
  MlirAffineMap map;              // where it is read, over the canonical dims
  uint32_t dims;                  // that the map depends on
} strata_attention_operand_t;

// A row's score that no value belongs to.
typedef struct {
  bool exists;
  double number;               // for all rows alike,
  const strata_access_t *read; // or, if this is not NULL, what it reads, at |map| over the canonical dims
  MlirAffineMap map;
} strata_attention_sink_t;

enum { STRATA_ATTENTION_Q, STRATA_ATTENTION_K, STRATA_ATTENTION_V, STRATA_N_ATTENTION_OPERANDS };

typedef struct {
  const strata_kernel_t *kernel;
  const strata_nest_t *weighted;   // the second contraction
  const strata_access_t *store;    // its result
  strata_attention_term_t product; // the first one's sum: a loop's result
  strata_attention_term_t score;   // whose maximum is taken, and which is exponentiated, where is_causal lets it
  bool has_softmax;                // else the scores are what weighs
  strata_attention_term_t softmax; // exponential over sum
  strata_attention_term_t weight;  // what weighs, which is that, or that times something, or chosen from it and zero
  strata_attention_operand_t operands[STRATA_N_ATTENTION_OPERANDS];
  double scale; // the score is the product times this, positive; 0: it is something else
  strata_attention_sink_t sink;
  bool replaces_nan; // weights that are NaN are zero
  int64_t joint;     // if keys and values have parts: columns of the first ones; else 0
  bool is_causal;    // scores are of columns up to row + offset alone, others are -inf; 0 without a softmax
  strata_size_t offset;
  bool sees_columns;                    // each row sees what are columns alone, as far as can be seen
  MlirType type;                        // of the operands
  int n_dims, row, value, column, head; // canonical dims: how many; those that tiles span
  strata_size_t sizes[STRATA_MAX_DIMS]; // of the canonical dims; of |head| and |value| numbers
  strata_size_symbols_t symbols;        // where some vary
  bool has_one_row; // of each of the dim that |row| is, which keys and values have, too: a query for each head
  // Of one score: what is loaded for it alone, arithmetic on it, and functions (exponentials, quotients) among that.
  int64_t score_bytes, score_operations, score_functions;
  bool has_known_scores; // what is loaded for scores lies in buffers of known sizes, if parts of them
} strata_attention_t;

// Steps along the head dim that are taken at once, and columns of values of an instruction: tiles are as long as whole
// ones, and what of them is beyond the dims is zero, or not stored. The sides of tiles that threads stage are powers of
// two, of STRATA_ATTENTION_STAGED_SIDE at least.
enum { STRATA_ATTENTION_STEP = 16, STRATA_ATTENTION_COLUMN = 8, STRATA_ATTENTION_STAGED_SIDE = 32 };
int64_t strata_attention_staged_side(int64_t extent);
int64_t strata_attention_head_steps(const strata_attention_t *attention, bool is_staged);
int64_t strata_attention_value_columns(const strata_attention_t *attention, bool is_staged);

// Rows that share keys and values, and what there are several of.
strata_size_t strata_attention_rows(const strata_attention_t *attention);

// Where there is a single row, of tokens that come one by one: makes it one of each of a dim that queries, keys and
// values have, if there is one, as tiles that the copy engine fetches have to have rows of some dim.
void strata_attention_row_of_batches(strata_attention_t *attention);
// False of a single row. True if the operands are f16 or bf16.
bool strata_attention_has_rows(const strata_attention_t *attention);
bool strata_attention_is_half(const strata_attention_t *attention);
// True if weights are more than a softmax.
bool strata_attention_has_factor(const strata_attention_t *attention);
// Bytes of one of its elements in memory.
int64_t strata_attention_stored_bytes(const strata_attention_t *attention, int operand);
// True if tiles of |columns| are whole pages of what lies in pages, or whole parts of one.
bool strata_attention_fits_pages(const strata_attention_t *attention, int64_t columns);
// True if keys or values lie in memory as bytes.
bool strata_attention_widens(const strata_attention_t *attention);
// True if the operand lies across what it is multiplied along: the head dim, of values the columns.
bool strata_attention_is_crossed(const strata_attention_t *attention, int operand);
// True if what lies behind the operand's end along that is zero for the copy engine: a dim of the buffer ends there, or
// one that is several such rows side by side.
bool strata_attention_ends(const strata_attention_t *attention, int operand);

// False if the kernel's nests are no such thing, or more than that; *out_why says why.
bool strata_attention_read(const strata_kernel_t *kernel, strata_attention_t *out, const char **out_why);

// True if blocks of columns that no row of a tile sees are left out: it is causal, and each tile of |rows| sees a
// number of blocks of |columns| that follows from its own: at least one, and none beyond the last. Where sizes vary,
// the last tile may see blocks beyond it, in which none of its rows has a column.
bool strata_attention_skips(const strata_attention_t *attention, int64_t rows, int64_t columns);

static inline strata_space_t strata_attention_space(const strata_attention_t *attention) {
  return (strata_space_t){attention->n_dims, attention->sizes, attention->symbols.count, attention->symbols.sizes};
}
// Points of a canonical dim, where only constants are dealt with.
static inline int64_t strata_attention_static_extent(const strata_attention_t *attention, int dim) {
  return strata_size_static_value(attention->sizes[dim]);
}

// What a size is likely: for costs.
static inline int64_t strata_attention_likely(const strata_attention_t *attention, strata_size_t size) {
  int64_t likely = strata_size_likely(&attention->symbols, size);
  return likely > 1 ? likely : 1;
}

#define STRATA_LOG2_E 1.4426950408889634

// What scores are times as exponents of two.
static inline double strata_attention_exponent_scale(const strata_attention_t *attention) {
  return STRATA_LOG2_E * (attention->scale != 0 ? attention->scale : 1);
}

// True of keys and values in parts if the second ones have one column.
bool strata_attention_joins_one(const strata_attention_t *attention);
// The dim of the buffer of the first product's results that is the columns', which are dim |*out_dim| of its nest;
// STRATA_NO_DIM if there is none.
int strata_attention_score_place(const strata_attention_t *attention, int *out_dim);
// True of the same value at the same point.
bool strata_term_same(const strata_attention_term_t *a, const strata_attention_term_t *b);
// *term becomes what another nest of the kernel stored and it loads; false if that comes from outside.
bool strata_attention_step(const strata_attention_t *attention, strata_attention_term_t *term);
// Of keys and values in parts: leaves the columns of the first ones alone.
void strata_attention_leave_rest(strata_attention_t *attention);

// True of canonical dims that no tile spans: batches, heads.
static inline bool strata_attention_is_batch(const strata_attention_t *attention, int dim) {
  return dim < attention->column && (dim != attention->row || attention->has_one_row) && dim != attention->value;
}

// True if the columns can be cut into |parts|, each a task's, in whole blocks of |columns|: all sizes but the columns'
// are known, and tiles of |rows| leave no blocks out. Of few columns some parts may have none.
bool strata_attention_may_split(const strata_attention_t *attention, int64_t rows, int64_t columns, int64_t parts);

// Points of the canonical dims that no tile spans.
strata_size_t strata_attention_batches(const strata_attention_t *attention);
// The same where that is likely.
static inline int64_t strata_attention_likely_extent(const strata_attention_t *attention, int dim) {
  return strata_size_likely(&attention->symbols, attention->sizes[dim]);
}
static inline bool strata_attention_varies(const strata_attention_t *attention, int dim) {
  return strata_size_varies(attention->sizes[dim]);
}

// True on a cpu of rows or columns whose number varies: columns are done a block at a time, of this many at most.
enum { STRATA_ATTENTION_BLOCK = 512 };
static inline bool strata_attention_is_blocked(const strata_attention_t *attention) {
  return strata_attention_varies(attention, attention->row) || strata_attention_varies(attention, attention->column);
}

// How many are likely.
int64_t strata_attention_batch(const strata_attention_t *attention);

#endif
