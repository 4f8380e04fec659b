// See touched.h. The positions of an access are a lattice, first + stride * i + ... for i in [0, extent):
//
//   %y[%i, %j + 256] of a memref<2048x768>   {256, 768 * 2048, 1 * 512}
//
// Two of them have nothing in common if what is left of them modulo some stride, 768 here, are intervals apart. Where
// sizes vary a coordinate may say so, or what is left modulo a stride that is an expression.
#include "passes/affine/touched.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

typedef struct {
  const strata_nest_t *nest;
  MlirAffineExpr position; // of the nest's dims; null where it is none of them
  bool is_store, is_known; // else it may be anywhere
  int64_t first;
  int n_steps;
  int64_t strides[STRATA_MAX_DIMS], extents[STRATA_MAX_DIMS]; // positive; greater than one
} lattice_t;

typedef STRATA_VECTOR(lattice_t) lattices_t;

//===-- Reading --------------------------------------------------------------------------------------------------===//

static void add_step(lattice_t *lattice, int64_t stride, int64_t extent) {
  if (stride == 0 || extent <= 1)
    return;
  lattice->strides[lattice->n_steps] = stride;
  lattice->extents[lattice->n_steps++] = extent;
}

// Every position from |min| to |max|.
static void take_interval(lattice_t *lattice, int64_t min, int64_t max) {
  lattice->is_known = true;
  lattice->first = min;
  lattice->n_steps = 0;
  add_step(lattice, 1, max - min + 1);
}

// True of what may be anywhere: what lies behind the extents of a padded operand is read as well.
static bool reads_beyond(const strata_access_t *access) {
  return mlirAffineMapIsNull(access->map) || strata_attr_flag(access->op, "strata.padded");
}

// Where a guard keeps some of the positions from being read, those are counted all the same.
static lattice_t read_access(const strata_nest_t *nest, const strata_access_t *access) {
  lattice_t lattice = {.nest = nest, .is_store = access->is_store};
  strata_size_t sizes[STRATA_MAX_DIMS];
  int64_t min, max, stride;
  int n_dims = nest->n_parallel + nest->n_reduction;
  if (reads_beyond(access) || strata_memref_sizes(access->buffer, sizes) == 0)
    return lattice;
  MlirAffineExpr position = lattice.position = strata_affine_linearize(access->map, sizes, &nest->space);
  if (!strata_affine_range(position, &nest->space, &min, &max))
    return lattice;
  if (strata_expr_symbols(position)) { // it begins where sizes say
    lattice.is_known = !__builtin_sub_overflow(max, min, &stride) && stride < INT64_MAX;
    if (lattice.is_known)
      take_interval(&lattice, min, max);
    return lattice;
  }
  lattice.is_known = true;
  lattice.first = min;
  for (int dim = 0; dim < n_dims; dim++) {
    if (!strata_affine_coefficient(position, dim, &stride)) {
      take_interval(&lattice, min, max);
      return lattice;
    }
    add_step(&lattice, stride < 0 ? -stride : stride,
             strata_size_max(nest->space.sizes[dim])); // from the least position on
  }
  return lattice;
}

static lattices_t *lattices_of(strata_touched_t *touched, MlirValue argument) {
  int64_t *slot = strata_pointer_map_put(&touched->by_argument, argument.ptr);
  if (!*slot)
    *slot = (int64_t)(intptr_t)strata_arena_new(touched->arena, lattices_t);
  return (lattices_t *)(intptr_t)*slot;
}

static strata_status_t read_kernel(strata_touched_t *touched, MlirOperation func) {
  strata_kernel_t kernel;
  STRATA_TRY(strata_kernel_read(touched->arena, func, &kernel));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(kernel.body); i++)
    lattices_of(touched, mlirBlockGetArgument(kernel.body, i));
  for (int i = 0; i < kernel.n_nests; i++)
    for (int j = 0; j < kernel.nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel.nests[i].accesses[j];
      if (mlirValueIsABlockArgument(access->buffer))
        *strata_vector_push(touched->arena, lattices_of(touched, access->buffer)) =
            read_access(&kernel.nests[i], access);
    }
  return NULL;
}

static strata_status_t find_lattices(strata_touched_t *touched, MlirOperation func, MlirValue argument,
                                     const lattices_t **out) {
  if (!strata_pointer_map_get(&touched->by_argument, argument.ptr))
    STRATA_TRY(read_kernel(touched, func));
  *out = lattices_of(touched, argument);
  return NULL;
}

//===-- Comparing ------------------------------------------------------------------------------------------------===//

// What the positions are modulo |modulus|, if that is an interval within it; of modulus 0 the positions themselves.
static bool residues(const lattice_t *lattice, int64_t modulus, int64_t *out_min, int64_t *out_max) {
  *out_min = modulus ? lattice->first % modulus : lattice->first;
  *out_min += *out_min < 0 ? modulus : 0;
  *out_max = *out_min;
  for (int i = 0; i < lattice->n_steps; i++)
    if (modulus == 0 || lattice->strides[i] % modulus)
      *out_max += lattice->strides[i] * (lattice->extents[i] - 1);
  return modulus == 0 || *out_max < modulus;
}

static bool are_apart_modulo(const lattice_t *a, const lattice_t *b, int64_t modulus) {
  int64_t a_min, a_max, b_min, b_max;
  return residues(a, modulus, &a_min, &a_max) && residues(b, modulus, &b_min, &b_max) &&
         (a_max < b_min || b_max < a_min);
}

static bool are_apart(const lattice_t *a, const lattice_t *b) {
  if (!a->is_known || !b->is_known)
    return false;
  bool result = are_apart_modulo(a, b, 0);
  for (int i = 0; i < a->n_steps && !result; i++)
    result = are_apart_modulo(a, b, a->strides[i]);
  for (int i = 0; i < b->n_steps && !result; i++)
    result = are_apart_modulo(a, b, b->strides[i]);
  return result;
}

static MlirAffineExpr negative(MlirAffineExpr expr) {
  return mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(mlirAffineExprGetContext(expr), -1));
}

// The least, or the greatest, of |expr|, a coordinate or a position of an access of |nest|, over symbols; null where it
// is no sum of dims.
static MlirAffineExpr end_of(const strata_nest_t *nest, MlirAffineExpr expr, bool is_greatest) {
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr points[STRATA_MAX_DIMS], coefficient;
  int n_dims = nest->space.n_dims;
  for (int dim = 0; dim < n_dims; dim++) {
    if (!strata_affine_size_coefficient(expr, dim, &coefficient))
      return (MlirAffineExpr){0};
    bool rises = strata_affine_is_nonnegative(coefficient, &nest->space);
    if (!rises && !strata_affine_is_nonnegative(negative(coefficient), &nest->space))
      return (MlirAffineExpr){0};
    strata_size_t last = strata_size_sum(nest->space.sizes[dim], strata_size_constant(-1));
    bool is_last = is_greatest == rises;
    points[dim] = strata_size_expr(context, is_last ? last : strata_size_constant(0));
  }
  return mlirAffineExprCompose(expr, mlirAffineMapGet(context, 0, nest->space.n_symbols, n_dims, points));
}

// True if |a| is less than |b|, both over symbols, whatever these are.
static bool is_less(MlirAffineExpr a, MlirAffineExpr b, const strata_space_t *dims) {
  const strata_space_t space = {0, NULL, dims->n_symbols, dims->symbols};
  MlirAffineExpr one = mlirAffineConstantExprGet(mlirAffineExprGetContext(a), 1);
  MlirAffineExpr between = mlirAffineAddExprGet(b, negative(mlirAffineAddExprGet(a, one)));
  return strata_affine_is_nonnegative(between, &space);
}

// True if some coordinate of |a| ends in front of where |b|'s begins, whatever the sizes are.
static bool ends_before(const strata_nest_t *a_nest, const strata_access_t *a, const strata_nest_t *b_nest,
                        const strata_access_t *b) {
  bool is_seen = false;
  if (reads_beyond(a) || reads_beyond(b))
    return false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !is_seen; i++) {
    MlirAffineExpr end = end_of(a_nest, mlirAffineMapGetResult(a->map, i), true),
                   begin = end_of(b_nest, mlirAffineMapGetResult(b->map, i), false);
    is_seen = !mlirAffineExprIsNull(end) && !mlirAffineExprIsNull(begin) && is_less(end, begin, &a_nest->space);
  }
  return is_seen;
}

bool strata_accesses_meet(const strata_nest_t *a_nest, const strata_access_t *a, const strata_nest_t *b_nest,
                          const strata_access_t *b) {
  lattice_t a_lattice = read_access(a_nest, a), b_lattice = read_access(b_nest, b);
  bool varies = a_nest->space.n_symbols > 0;
  return !are_apart(&a_lattice, &b_lattice) &&
         !(varies && (ends_before(a_nest, a, b_nest, b) || ends_before(b_nest, b, a_nest, a)));
}

// What the positions are modulo |modulus|, over symbols; false if no interval is seen.
static bool residues_over_sizes(const lattice_t *lattice, MlirAffineExpr modulus, MlirAffineExpr *out_min,
                                MlirAffineExpr *out_max) {
  MlirAffineExpr left = strata_affine_simplify(mlirAffineModExprGet(lattice->position, modulus), &lattice->nest->space);
  *out_min = *out_max = (MlirAffineExpr){0};
  if (strata_affine_has_division(left))
    return false;
  *out_min = end_of(lattice->nest, left, false);
  *out_max = end_of(lattice->nest, left, true);
  return !mlirAffineExprIsNull(*out_min) && !mlirAffineExprIsNull(*out_max);
}

// True if they are so modulo a stride of |a| that is an expression.
static bool are_apart_over_sizes(const lattice_t *a, const lattice_t *b) {
  MlirAffineExpr modulus, a_min, a_max, b_min, b_max;
  bool is_seen = false;
  if (mlirAffineExprIsNull(a->position) || mlirAffineExprIsNull(b->position))
    return false;
  for (int dim = 0; dim < strata_nest_n_dims(a->nest) && !is_seen; dim++)
    is_seen = strata_affine_size_coefficient(a->position, dim, &modulus) && strata_expr_symbols(modulus) > 0 &&
              residues_over_sizes(a, modulus, &a_min, &a_max) && residues_over_sizes(b, modulus, &b_min, &b_max) &&
              (is_less(a_max, b_min, &a->nest->space) || is_less(b_max, a_min, &a->nest->space));
  return is_seen;
}

strata_status_t strata_touched_meet(strata_touched_t *touched, MlirOperation writer, MlirValue a, MlirOperation other,
                                    MlirValue b, bool *out_meet) {
  const lattices_t *written, *met;
  STRATA_TRY(find_lattices(touched, writer, a, &written));
  STRATA_TRY(find_lattices(touched, other, b, &met));
  *out_meet = false;
  for (size_t i = 0; i < written->count && !*out_meet; i++)
    for (size_t j = 0; j < met->count && written->data[i].is_store && !*out_meet; j++)
      *out_meet = !are_apart(&written->data[i], &met->data[j]) &&
                  !are_apart_over_sizes(&written->data[i], &met->data[j]) &&
                  !are_apart_over_sizes(&met->data[j], &written->data[i]);
  return NULL;
}

strata_touched_t strata_touched_create(strata_arena_t *arena) {
  return (strata_touched_t){.arena = arena, .by_argument = strata_pointer_map_create(arena)};
}
