// A kernel of reductions and what depends on them, as the scheduler and the tile builder see it: the outer parallel
// dims that all its nests share, the *row dims*, and how vectors run.
//
// Two forms. *Inner*: vectors along a reduced dim (rows contiguous in memory); partial results are one vector, combined
// at the end of the row. *Across*: vectors along a row dim (columns contiguous); one element a row, no combining.
#ifndef STRATA_DIALECTS_AFFINE_ROW_KERNEL_H
#define STRATA_DIALECTS_AFFINE_ROW_KERNEL_H

#include "dialects/affine/kernel.h"

enum { STRATA_NOT_A_ROW = -1, STRATA_ROW_RANK = 4 };

typedef struct {
  const strata_nest_t *nest;
  bool takes_part; // reductions and roots; others are computed where they are read
  bool is_tied;
  int row_of[STRATA_MAX_DIMS]; // of each dim of the nest: which row dim it is, or STRATA_NOT_A_ROW: an inner dim
} strata_row_member_t;

typedef struct {
  const strata_kernel_t *kernel;
  strata_row_member_t *members; // one a nest
  int n_rows;
  strata_size_t sizes[STRATA_MAX_DIMS]; // of the row dims
  int across;                           // the row dim that is vectorized, or STRATA_NOT_A_ROW for the inner form
  int crossed; // of the inner form: the row dim along which a good part of the operands is contiguous, if there is one
} strata_row_kernel_t;

// UNSUPPORTED where nests have no vector form, none reduces, or they do not agree on their rows.
STRATA_MUST_CHECK strata_status_t strata_row_kernel_read(const strata_kernel_t *kernel, strata_row_kernel_t *out);

// Points of the inner dims of a member.
int64_t strata_row_inner_elements(const strata_row_member_t *member);
// Whether the inner dims of some member that takes part vary, and the most points that those of one may have.
bool strata_row_kernel_lengths_vary(const strata_row_kernel_t *rows);
int64_t strata_row_kernel_most_elements(const strata_row_kernel_t *rows);
// The elements along inner dim |dim| of a member that a vector of |elements| of the row has: the dim's extent, or,
// where that varies, what the other dims leave. Zero where several vary, or the others leave nothing.
int64_t strata_row_held_extent(const strata_row_member_t *member, int dim, int64_t elements);
// True if rows can be held as a whole: the inner form, and no member has more than |elements| inner points, more inner
// dims than vectors have, or a reduction that is no plain combination. Where lengths vary: as far as they are no
// longer.
bool strata_row_kernel_fits(const strata_row_kernel_t *rows, int64_t elements);

// The store of a member whose rows are better kept than computed again, at a place of its own each: it is dear, read
// more than once, and nothing but the kernel has it. NULL: of another one.
const strata_access_t *strata_row_kept_store(const strata_row_kernel_t *rows, const strata_row_member_t *member);
// How many elements its rows have, and how many may be kept.
strata_size_t strata_row_kept_elements(const strata_row_member_t *member);
enum { STRATA_ROW_MAX_KEPT = 32 * 1024 };

// How |op| combines |carried| with its other operand, as vector.multi_reduction says it; NULL if it does not.
const char *strata_combining_kind(MlirOperation op, MlirValue carried);

// How a reduction with one carried value combines, in the words of vector.multi_reduction ("add", "maximumf"); NULL if
// it is no plain combination of its elements.
const char *strata_row_combining_kind(const strata_nest_t *nest);
// What such a reduction combines with the carried value.
MlirValue strata_row_combined(const strata_nest_t *nest);

#endif
