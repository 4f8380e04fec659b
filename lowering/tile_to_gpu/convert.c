// A value from one layout to another.
//
// Where every thread holds what it is to hold, registers are renamed; where lanes of its warp do, they are asked. Else
// the value passes through shared memory in row-major order, each row a little longer than it is so that columns fall
// into different banks.
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/shared.h"

#include <string.h>

static bool is_hanging(const strata_registers_t *shape, int64_t reg) {
  for (int dim = 0; dim < shape->rank; dim++)
    if (strata_layout_reg_coordinate(&shape->layout, reg, dim) >= shape->sizes[dim])
      return true;
  return false;
}

// What every register of |layout| adds to the coordinates along |rank| dims, register by register.
static int64_t *all_coordinates(strata_arena_t *arena, const strata_layout_t *layout, int64_t n_registers, int rank) {
  int64_t *coordinates = strata_arena_array(arena, int64_t, n_registers * rank);
  for (int64_t reg = 0; reg < n_registers; reg++)
    for (int dim = 0; dim < rank; dim++)
      coordinates[reg * rank + dim] = strata_layout_reg_coordinate(layout, reg, dim);
  return coordinates;
}

// The first of |n_registers| at these |coordinates|; -1 if there is none.
static int64_t find_register(const int64_t *all, int64_t n_registers, int rank, const int64_t *coordinates) {
  for (int64_t reg = 0; reg < n_registers; reg++)
    if (memcmp(&all[reg * rank], coordinates, (size_t)rank * sizeof *coordinates) == 0)
      return reg;
  return -1;
}

// True if all registers are one value: so is the value in any layout.
static bool is_uniform(const strata_registers_t *from) {
  for (int64_t i = 1; i < from->count; i++)
    if (!mlirValueEqual(from->values[i], from->values[0]))
      return false;
  return mlirValueIsAOpResult(from->values[0]) && strata_op_is(mlirOpResultGetOwner(from->values[0]), "arith.constant");
}

static bool rename_registers(strata_arena_t *arena, const strata_registers_t *from, strata_registers_t *to) {
  if (!strata_layout_same_threads(&from->layout, &to->layout))
    return false;
  int rank = from->rank;
  const int64_t *held = all_coordinates(arena, &from->layout, from->count, rank);
  const int64_t *wanted = all_coordinates(arena, &to->layout, to->count, rank);
  for (int64_t reg = 0; reg < to->count; reg++) {
    int64_t own = find_register(held, from->count, rank, &wanted[reg * rank]);
    if (own < 0 && !is_hanging(to, reg))
      return false;
    to->values[reg] = from->values[own < 0 ? 0 : own];
  }
  return true;
}

//===-- From the lanes of a warp ---------------------------------------------------------------------------------===//

// The lane that has what is at |coordinates| in the first thread of |to|'s, and which of its registers; -1: none has.
static int64_t find_lane(const strata_registers_t *from, int64_t lanes, const int64_t *coordinates, int64_t *out_reg) {
  for (int64_t lane = 0; lane < lanes; lane++)
    for (*out_reg = 0; *out_reg < from->count; ++*out_reg) {
      bool is_it = true;
      for (int dim = 0; dim < from->rank && is_it; dim++)
        is_it = strata_layout_thread_coordinate(&from->layout, lane, dim) +
                    strata_layout_reg_coordinate(&from->layout, *out_reg, dim) ==
                coordinates[dim];
      if (is_it)
        return lane;
    }
  return -1;
}

// True if the lanes of a warp hold the same of |to|, and warps are at the same coordinates in both.
static bool is_same_in_lanes(const strata_registers_t *from, const strata_registers_t *to, int64_t lanes) {
  int64_t n_threads = strata_layout_threads(&to->layout);
  if (n_threads % lanes || (n_threads & (n_threads - 1)) || strata_layout_threads(&from->layout) != n_threads)
    return false;
  for (int64_t bit = 1; bit < n_threads; bit *= 2)
    for (int dim = 0; dim < to->rank; dim++) {
      int64_t at = strata_layout_thread_coordinate(&to->layout, bit, dim);
      if (at != (bit < lanes ? 0 : strata_layout_thread_coordinate(&from->layout, bit, dim)))
        return false;
    }
  return true;
}

// Lanes that have dealt out the few values that all of them are to have ask one another.
static bool ask_lanes(strata_gpu_distribution_t *d, const strata_registers_t *from, strata_registers_t *to) {
  enum { FEW = 8 };
  int64_t lanes = d->device->lanes, held[FEW], lane[FEW], asked[FEW], n_asked = 0;
  if (d->nest.branches > 0 || !is_same_in_lanes(from, to, lanes))
    return false;
  const int64_t *wanted = all_coordinates(d->compile->arena, &to->layout, to->count, to->rank);
  for (int64_t reg = 0; reg < to->count; reg++) {
    if (find_register(wanted, reg, to->rank, &wanted[reg * to->rank]) >= 0)
      continue;
    if (n_asked == FEW || (lane[n_asked] = find_lane(from, lanes, &wanted[reg * to->rank], &held[n_asked])) < 0)
      return false;
    asked[n_asked++] = reg;
  }
  for (int64_t i = 0; i < n_asked; i++)
    to->values[asked[i]] = strata_emit_shuffle_from(&d->e, from->values[held[i]], lane[i], (int)lanes);
  for (int64_t reg = 0; reg < to->count; reg++)
    to->values[reg] = to->values[find_register(wanted, to->count, to->rank, &wanted[reg * to->rank])];
  return true;
}

//===-- Through shared memory ------------------------------------------------------------------------------------===//

// i1 and index have no memory form.
static MlirType memory_element(strata_gpu_distribution_t *d, MlirType element) {
  bool is_truth = strata_type_is_integer(element, 1);
  if (mlirTypeIsAIndex(element))
    return mlirIntegerTypeGet(d->e.context, 64);
  return is_truth ? mlirIntegerTypeGet(d->e.context, 8) : element;
}

static int64_t extent_covered(const strata_layout_t *layout, int dim) {
  int64_t max = strata_layout_thread_max(layout, dim);
  int64_t last = strata_layout_reg_coordinate(layout, strata_layout_registers(layout) - 1, dim);
  return max + last + 1;
}

// The dim along which memory is contiguous: one of which both layouts hold vectors, else the innermost.
static int contiguous_dim(const strata_registers_t *from, const strata_registers_t *to, int64_t *out_width) {
  int best = from->rank - 1;
  *out_width = 1;
  for (int dim = 0; dim < from->rank; dim++) {
    int64_t a = strata_layout_width(&from->layout, dim), b = strata_layout_width(&to->layout, dim);
    if (strata_min(a, b) > *out_width) {
      *out_width = strata_min(a, b);
      best = dim;
    }
  }
  return best;
}

// How many threads of a warp lie beside one another along |inner|, of those that hold several rows each, element by
// element; 1 where none do. Others of the warp, at other rows, are to fall into the banks behind.
static int64_t lanes_beside(const strata_registers_t *from, const strata_registers_t *to, int inner) {
  enum { WARP = 32 };
  const strata_layout_t *a = &from->layout, *b = &to->layout;
  const strata_layout_t *holds = strata_layout_width(a, 1 - inner) >= strata_layout_width(b, 1 - inner) ? a : b;
  int64_t lanes = 1, beside = 1;
  if (strata_layout_width(holds, 1 - inner) == 1)
    return 1;
  for (int i = 0; i < holds->n_thread && lanes < WARP; i++) {
    int64_t extent = strata_min(holds->thread[i].extent, WARP / lanes);
    beside *= holds->thread[i].dim == inner ? extent : 1;
    lanes *= extent;
  }
  return beside;
}

// Rows of rank 2 are shifted so that threads beside one another fall into different banks: each by a vector, or, where
// a thread holds several rows, each so many.
static void shift_rows(strata_gpu_box_t *box, const strata_registers_t *from, const strata_registers_t *to, int inner,
                       int64_t vector, int64_t row, const int64_t *extents, int64_t *out_count) {
  MlirContext context = box->space.d->e.context;
  int outer = 1 - inner;
  int64_t a = strata_layout_width(&from->layout, outer), b = strata_layout_width(&to->layout, outer);
  int64_t n_rows = strata_max(a, b);
  MlirAffineExpr at = mlirAffineDimExprGet(context, outer);
  MlirAffineExpr shift = strata_expr_div(at, n_rows);
  box->is_linear = n_rows == 1;
  box->steps[inner] = 1;
  box->steps[outer] = n_rows == 1 ? row + vector : 0;
  box->position = mlirAffineAddExprGet(strata_expr_times(at, row), strata_expr_times(shift, vector));
  box->position = mlirAffineAddExprGet(box->position, mlirAffineDimExprGet(context, inner));
  *out_count = extents[outer] * row + strata_ceil_div(extents[outer], n_rows) * vector;
}

static strata_gpu_box_t exchange_box(strata_gpu_distribution_t *d, const strata_registers_t *from,
                                     const strata_registers_t *to, int64_t *out_count) {
  MlirContext context = d->e.context;
  int64_t extents[STRATA_VALUE_RANK], width, stride = 1,
                                             pad = STRATA_VECTOR_BYTES / strata_element_bytes(from->element);
  for (int dim = 0; dim < from->rank; dim++) {
    int64_t a = extent_covered(&from->layout, dim), b = extent_covered(&to->layout, dim);
    extents[dim] = strata_max(a, b);
  }
  strata_gpu_box_t box = {.space = strata_index_space(d, from->rank, extents), .is_linear = true};
  int inner = contiguous_dim(from, to, &width);
  if (from->rank == 2) {
    int64_t vector = width > 1 ? strata_min(width, pad) : strata_max(pad, lanes_beside(from, to, inner));
    int64_t row = strata_round_up(extents[inner], pad);
    shift_rows(&box, from, to, inner, vector, row, extents, out_count);
    return box;
  }
  box.position = mlirAffineConstantExprGet(context, 0);
  for (int dim = from->rank; dim-- > 0;) {
    MlirAffineExpr step = mlirAffineConstantExprGet(context, stride);
    box.steps[dim] = stride;
    box.position = mlirAffineAddExprGet(box.position, mlirAffineMulExprGet(mlirAffineDimExprGet(context, dim), step));
    int64_t extent = extents[dim];
    if (dim == from->rank - 1 && from->rank > 1)
      extent = strata_round_up(extent, pad) + pad;
    stride *= extent;
  }
  *out_count = stride;
  return box;
}

// How many elements along each dim |from| covers. A layout that covers more is not to read them, as nobody writes them.
static int64_t *stored_extents(strata_gpu_distribution_t *d, const strata_registers_t *from) {
  int64_t *extents = strata_arena_array(d->compile->arena, int64_t, from->rank);
  for (int dim = 0; dim < from->rank; dim++)
    extents[dim] = extent_covered(&from->layout, dim);
  return extents;
}

static strata_registers_t cast_all(strata_gpu_distribution_t *d, const strata_registers_t *from, const char *name,
                                   MlirType element) {
  strata_registers_t cast = strata_registers_in(d, from->type, &from->layout);
  cast.element = element;
  for (int64_t i = 0; i < from->count; i++)
    cast.values[i] = mlirTypeEqual(from->element, element) ? from->values[i]
                                                           : strata_emit_cast(&d->e, name, from->values[i], element);
  return cast;
}

static strata_status_t exchange(strata_gpu_distribution_t *d, const strata_registers_t *from, strata_registers_t *to) {
  if (d->role.group > d->role.threads)
    return strata_error(STRATA_UNSUPPORTED, "a value in two layouts over the blocks of a cluster");
  MlirType element = memory_element(d, from->element);
  bool is_index = mlirTypeIsAIndex(from->element);
  strata_registers_t written = cast_all(d, from, is_index ? "arith.index_cast" : "arith.extui", element);
  int64_t count;
  strata_gpu_box_t box = exchange_box(d, from, to, &count);
  strata_transfer_t transfer = {.box = &box, .is_private = true, .stored = stored_extents(d, from)};
  STRATA_TRY(strata_shared_exchange(d, element, count, &transfer.flat));
  d->shared.n_exchanges++;
  STRATA_TRY(strata_shared_before_write(d));
  STRATA_TRY(strata_transfer_store(d, &transfer, &written));
  STRATA_TRY(strata_shared_before_read(d));
  STRATA_TRY(strata_transfer_load(d, &transfer, to));
  to->element = element;
  strata_registers_t read = cast_all(d, to, is_index ? "arith.index_cast" : "arith.trunci", from->element);
  *to = read;
  return NULL;
}

strata_status_t strata_registers_again(strata_gpu_distribution_t *d, const strata_registers_t *from,
                                       const strata_layout_t *layout, strata_registers_t *out) {
  int64_t count;
  *out = strata_registers_in(d, from->type, layout);
  strata_gpu_box_t box = exchange_box(d, from, out, &count);
  strata_transfer_t transfer = {.box = &box, .is_private = true, .stored = stored_extents(d, from)};
  STRATA_TRY(strata_shared_exchange(d, from->element, count, &transfer.flat));
  return strata_transfer_load(d, &transfer, out);
}

strata_status_t strata_registers_convert(strata_gpu_distribution_t *d, const strata_registers_t *from,
                                         const strata_layout_t *layout, strata_registers_t *out) {
  if (from->rank == 0) {
    *out = *from;
    return NULL;
  }
  *out = strata_registers_in(d, from->type, layout);
  if (is_uniform(from)) {
    for (int64_t i = 0; i < out->count; i++)
      out->values[i] = from->values[0];
    return NULL;
  }
  if (rename_registers(d->compile->arena, from, out) || ask_lanes(d, from, out))
    return NULL;
  return exchange(d, from, out);
}

strata_status_t strata_registers_as(strata_gpu_distribution_t *d, MlirValue old, const strata_layout_t *layout,
                                    strata_registers_t *out) {
  return strata_registers_convert(d, strata_registers_of(d, old), layout, out);
}
