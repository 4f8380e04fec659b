// See row_kernel.h.
#include "dialects/affine/row_kernel.h"

#include "dialects/affine/nest.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

//===-- Tying dims to rows ---------------------------------------------------------------------------------------===//

typedef struct {
  strata_row_kernel_t *rows;
  strata_row_member_t *from;
} tie_t;

// Nest |to| is demanded at |point|, expressions over the dims of tie->from: dims of both that are the same dim share
// their row.
static void tie_members(tie_t *tie, strata_row_member_t *to, const MlirAffineExpr *point) {
  for (int dim = 0; dim < to->nest->n_parallel; dim++) {
    if (!mlirAffineExprIsADim(point[dim]))
      continue;
    int from_dim = (int)mlirAffineDimExprGetPosition(point[dim]);
    if (tie->from->is_tied && !to->is_tied)
      to->row_of[dim] = tie->from->row_of[from_dim];
    else if (to->is_tied && !tie->from->is_tied)
      tie->from->row_of[from_dim] = to->row_of[dim];
  }
}

static void tie_demanded(const strata_nest_t *producer, const strata_access_t *store, const MlirAffineExpr *point,
                         const MlirAffineExpr *coordinates, void *user) {
  (void)store;
  (void)coordinates;
  tie_t *tie = user;
  tie_members(tie, &tie->rows->members[producer - tie->rows->kernel->nests], point);
}

static bool row_dims_complete(const strata_row_kernel_t *rows, const strata_row_member_t *member) {
  bool seen[STRATA_MAX_DIMS] = {false};
  int n_seen = 0;
  for (int dim = 0; dim < strata_nest_n_dims(member->nest); dim++) {
    int row = member->row_of[dim];
    if (row == STRATA_NOT_A_ROW)
      continue;
    if (seen[row] || !strata_size_equal(member->nest->space.sizes[dim], rows->sizes[row]) ||
        dim >= member->nest->n_parallel)
      return false;
    seen[row] = true;
    n_seen++;
  }
  int n_needed = 0;
  for (int row = 0; row < rows->n_rows; row++)
    n_needed += !strata_size_is_one(rows->sizes[row]);
  int n_long = 0;
  for (int row = 0; row < rows->n_rows; row++)
    n_long += seen[row] && !strata_size_is_one(rows->sizes[row]);
  return n_long == n_needed && n_seen <= rows->n_rows;
}

// A nest with the row space itself needs no evidence: its dims are the rows in order.
static bool tie_by_shape(const strata_row_kernel_t *rows, strata_row_member_t *member) {
  if (member->nest->n_parallel < rows->n_rows)
    return false;
  for (int row = 0; row < rows->n_rows; row++)
    if (!strata_size_equal(member->nest->space.sizes[row], rows->sizes[row]))
      return false;
  for (int dim = 0; dim < strata_nest_n_dims(member->nest); dim++)
    member->row_of[dim] = dim < rows->n_rows ? dim : STRATA_NOT_A_ROW;
  return true;
}

static void tie_all(strata_row_kernel_t *rows) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < rows->kernel->n_nests; i++) {
      strata_row_member_t *member = &rows->members[i];
      tie_t tie = {.rows = rows, .from = member};
      strata_kernel_visit_demands(rows->kernel, member->nest, tie_demanded, &tie);
    }
    for (int i = 0; i < rows->kernel->n_nests; i++) {
      strata_row_member_t *member = &rows->members[i];
      if (!member->is_tied && row_dims_complete(rows, member)) {
        member->is_tied = true;
        changed = true;
      }
    }
  }
}

static strata_status_t find_rows(strata_row_kernel_t *rows) {
  const strata_kernel_t *kernel = rows->kernel;
  rows->members = strata_arena_array(kernel->arena, strata_row_member_t, kernel->n_nests);
  bool have_rows = false;
  for (int i = 0; i < kernel->n_nests; i++) {
    strata_row_member_t *member = &rows->members[i];
    member->nest = &kernel->nests[i];
    member->takes_part = member->nest->n_reduction || strata_nest_is_root(member->nest);
    for (int dim = 0; dim < STRATA_MAX_DIMS; dim++)
      member->row_of[dim] = STRATA_NOT_A_ROW;
    if (!strata_nest_is_vectorizable(member->nest))
      return strata_error(STRATA_UNSUPPORTED, "a nest without vector form");
    if (have_rows || !member->nest->n_reduction)
      continue;
    have_rows = member->is_tied = true;
    rows->n_rows = member->nest->n_parallel;
    for (int dim = 0; dim < rows->n_rows; dim++) {
      member->row_of[dim] = dim;
      rows->sizes[dim] = member->nest->space.sizes[dim];
    }
  }
  if (!have_rows)
    return strata_error(STRATA_UNSUPPORTED, "no reduction");
  tie_all(rows);
  for (int i = 0; i < kernel->n_nests; i++) {
    strata_row_member_t *member = &rows->members[i];
    if (member->takes_part && !member->is_tied && !tie_by_shape(rows, member))
      return strata_error(STRATA_UNSUPPORTED, "nests that do not agree on their rows");
  }
  return NULL;
}

//===-- Choosing the form ----------------------------------------------------------------------------------------===//

static int row_dim_of(const strata_row_member_t *member, int row) {
  for (int dim = 0; dim < member->nest->n_parallel; dim++)
    if (member->row_of[dim] == row)
      return dim;
  return -1;
}

static double count_elements(MlirValue buffer) {
  enum { LIKELY = 64 }; // of a size that varies
  strata_size_t sizes[STRATA_MAX_DIMS];
  double count = 1;
  int64_t number;
  for (int dim = strata_memref_sizes(buffer, sizes); dim-- > 0;)
    count *= strata_size_is_constant(sizes[dim], &number) ? (double)number : LIKELY;
  return count;
}

// Elements of the buffers whose accesses run contiguously along row dim |row|, and of those that do along some inner
// dim: what is read once for each element of a row outweighs a result for each row.
static void weigh_contiguous(const strata_row_kernel_t *rows, int row, double *out_across, double *out_inner) {
  *out_across = *out_inner = 0;
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->members[i];
    if (!member->takes_part)
      continue;
    for (int j = 0; j < member->nest->n_accesses; j++) {
      int64_t stride;
      double elements = count_elements(member->nest->accesses[j].buffer);
      int row_dim = row_dim_of(member, row);
      if (row_dim >= 0 && strata_access_stride(member->nest, &member->nest->accesses[j], row_dim, &stride))
        *out_across += stride == 1 ? elements : 0;
      for (int dim = 0; dim < strata_nest_n_dims(member->nest); dim++)
        if (member->row_of[dim] == STRATA_NOT_A_ROW && !strata_size_is_one(member->nest->space.sizes[dim]) &&
            strata_access_stride(member->nest, &member->nest->accesses[j], dim, &stride))
          *out_inner += stride == 1 ? elements : 0;
    }
  }
}

static bool has_one_carried_value(const strata_row_kernel_t *rows) {
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_nest_t *nest = &rows->kernel->nests[i];
    if (nest->n_reduction && mlirOperationGetNumResults(nest->loops[0]) != 1)
      return false;
  }
  return true;
}

// Elements of the kernel's operands that are read contiguously along row dim |row|, and *out_all.
static double count_crossed(const strata_row_kernel_t *rows, int row, double *out_all) {
  double crossed = *out_all = 0;
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->members[i];
    int dim = row_dim_of(member, row);
    for (int j = 0; j < member->nest->n_accesses; j++) {
      const strata_access_t *access = &member->nest->accesses[j];
      int64_t stride;
      if (access->is_store || !mlirValueIsABlockArgument(access->buffer))
        continue;
      double elements = count_elements(access->buffer);
      *out_all += elements;
      crossed += dim >= 0 && strata_access_stride(member->nest, access, dim, &stride) && stride == 1 ? elements : 0;
    }
  }
  return crossed;
}

// What lies across the rows counts from this part of all on; an operand of an element a row is far less.
enum { CROSSED_PART = 8 };

static int crossed_row(const strata_row_kernel_t *rows) {
  double all;
  for (int row = rows->n_rows - 1; row >= 0; row--)
    if (!strata_size_is_one(rows->sizes[row]) && CROSSED_PART * count_crossed(rows, row, &all) >= all)
      return row;
  return STRATA_NOT_A_ROW;
}

static void choose_form(strata_row_kernel_t *rows) {
  int best_row = rows->n_rows - 1;
  double best = 0, inner = 0;
  for (int row = rows->n_rows - 1; row >= 0; row--) {
    double across;
    weigh_contiguous(rows, row, &across, &inner);
    if (strata_size_max(rows->sizes[row]) >= 4 && across > best) {
      best = across;
      best_row = row;
    }
  }
  // The last row dim's scalar results are contiguous too, so that alone is no reason to go across.
  bool prefers_inner = has_one_carried_value(rows) && inner > 0 && inner >= best;
  rows->across = prefers_inner ? STRATA_NOT_A_ROW : best_row;
  rows->crossed = prefers_inner ? crossed_row(rows) : STRATA_NOT_A_ROW;
}

//===-- Combining ------------------------------------------------------------------------------------------------===//

const char *strata_combining_kind(MlirOperation op, MlirValue carried) {
  static const struct {
    const char *kind, *ops[2];
  } kinds[] = {
#define COMBINER(kind, float_op, integer_op, start) {kind, {float_op, integer_op}},
#include "dialects/affine/combiners.def"
  };
  bool combines = mlirOperationGetNumOperands(op) == 2 && (mlirValueEqual(mlirOperationGetOperand(op, 0), carried) ||
                                                           mlirValueEqual(mlirOperationGetOperand(op, 1), carried));
  for (size_t i = 0; combines && i < sizeof kinds / sizeof *kinds; i++)
    if (strata_op_is(op, kinds[i].ops[0]) || strata_op_is(op, kinds[i].ops[1]))
      return kinds[i].kind;
  return NULL;
}

const char *strata_row_combining_kind(const strata_nest_t *nest) {
  MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(nest->inner), 0);
  return mlirValueIsAOpResult(yielded)
             ? strata_combining_kind(mlirOpResultGetOwner(yielded), mlirBlockGetArgument(nest->inner, 1))
             : NULL;
}

MlirValue strata_row_combined(const strata_nest_t *nest) {
  MlirOperation op = mlirOpResultGetOwner(mlirOperationGetOperand(mlirBlockGetTerminator(nest->inner), 0));
  bool is_first = mlirValueEqual(mlirOperationGetOperand(op, 0), mlirBlockGetArgument(nest->inner, 1));
  return mlirOperationGetOperand(op, is_first);
}

int64_t strata_row_inner_elements(const strata_row_member_t *member) {
  int64_t elements = 1;
  for (int dim = 0; dim < strata_nest_n_dims(member->nest); dim++)
    elements *= member->row_of[dim] == STRATA_NOT_A_ROW ? strata_nest_likely_extent(member->nest, dim) : 1;
  return elements;
}

static bool is_inner(const strata_row_member_t *member, int dim) { return member->row_of[dim] == STRATA_NOT_A_ROW; }

bool strata_row_kernel_lengths_vary(const strata_row_kernel_t *rows) {
  bool vary = false;
  for (int i = 0; i < rows->kernel->n_nests; i++)
    for (int dim = 0; rows->members[i].takes_part && dim < strata_nest_n_dims(rows->members[i].nest); dim++)
      vary |= is_inner(&rows->members[i], dim) && strata_size_varies(rows->members[i].nest->space.sizes[dim]);
  return vary;
}

int64_t strata_row_kernel_most_elements(const strata_row_kernel_t *rows) {
  int64_t most = 1;
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->members[i];
    int64_t elements = 1;
    for (int dim = 0; member->takes_part && dim < strata_nest_n_dims(member->nest); dim++)
      elements = strata_times(elements, is_inner(member, dim) ? strata_size_max(member->nest->space.sizes[dim]) : 1);
    most = strata_max(most, elements);
  }
  return most;
}

int64_t strata_row_held_extent(const strata_row_member_t *member, int dim, int64_t elements) {
  int64_t extent, n;
  if (strata_size_is_constant(member->nest->space.sizes[dim], &extent))
    return extent;
  for (int other = 0; other < strata_nest_n_dims(member->nest); other++)
    if (is_inner(member, other) && other != dim) {
      if (!strata_size_is_constant(member->nest->space.sizes[other], &n))
        return 0;
      elements /= strata_max(n, 1);
    }
  return strata_min(elements, strata_size_max(member->nest->space.sizes[dim]));
}

// Points of the inner dims that a vector of |elements| has.
static int64_t held_elements(const strata_row_member_t *member, int64_t elements) {
  int64_t held = 1;
  for (int dim = 0; dim < strata_nest_n_dims(member->nest); dim++)
    held = strata_times(held, is_inner(member, dim) ? strata_row_held_extent(member, dim, elements) : 1);
  return held;
}

static bool member_fits(const strata_row_member_t *member) {
  const strata_nest_t *nest = member->nest;
  int n_inner = 0;
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++) {
    bool is_long = is_inner(member, dim) && !strata_size_is_one(nest->space.sizes[dim]);
    if (is_long && nest->n_reduction && dim < nest->n_parallel)
      return false;
    n_inner += is_long;
  }
  return n_inner <= STRATA_ROW_RANK && (!nest->n_reduction || strata_row_combining_kind(nest));
}

bool strata_row_kernel_fits(const strata_row_kernel_t *rows, int64_t elements) {
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->members[i];
    int64_t held = member->takes_part ? held_elements(member, elements) : 1;
    if (member->takes_part && (!member_fits(member) || held == 0 || held > elements))
      return false;
  }
  return rows->across == STRATA_NOT_A_ROW;
}

strata_status_t strata_row_kernel_read(const strata_kernel_t *kernel, strata_row_kernel_t *out) {
  *out = (strata_row_kernel_t){.kernel = kernel};
  STRATA_TRY(find_rows(out));
  choose_form(out);
  return NULL;
}
