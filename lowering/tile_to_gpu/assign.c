// Choosing a layout for every vector value of a kernel.
//
// Values that arithmetic, loops and branches tie to one another share one layout: they are a class. Classes are decided
// from the largest to the smallest. One that a movement or a reduction relates to a decided class follows from it by
// its dims; else its loads and stores decide: 16 bytes a thread along the dim that is contiguous in memory,
// neighbouring threads beside one another, then the other dims, then registers.
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "lowering/distribute/unify.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/attention.h"
#include "lowering/tile_to_gpu/columns.h"
#include "lowering/tile_to_gpu/parts.h"
#include "lowering/tile_to_gpu/values.h"

#include <stdlib.h>

typedef struct {
  MlirOperation op;
  int buffer; // operand
  strata_gpu_box_t *box;
  int64_t bytes; // of an element
  int contiguous;
} anchor_t;

typedef struct {
  strata_gpu_record_t *root;
  MlirType type;
  int64_t n_elements;
  int order;     // of appearance
  int64_t group; // threads that hold a value
  STRATA_VECTOR(anchor_t) anchors;
  STRATA_VECTOR(MlirOperation) related; // movements and reductions with a value of the class
} class_t;

typedef struct {
  strata_gpu_distribution_t *d;
  STRATA_VECTOR(class_t *) classes;
  strata_status_t status;
} assign_t;

//===-- Classes --------------------------------------------------------------------------------------------------===//

static bool is_vector(MlirValue value) { return mlirTypeIsAVector(mlirValueGetType(value)); }

static void unify(void *distribution, MlirValue a, MlirValue b) { strata_layouts_unify(distribution, a, b); }

static MlirWalkResult unify_op(MlirOperation op, void *user) {
  assign_t *a = user;
  if (strata_unify_structure(a->d, unify, op))
    return MlirWalkResultAdvance;
  if (strata_op_is(op, "vector.multi_reduction"))
    strata_unify(a->d, unify, mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 1));
  else if (strata_op_is(op, STRATA_TILE_SCAN))
    strata_unify(a->d, unify, mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 0));
  else if (strata_gpu_is_arithmetic(op))
    strata_unify_elementwise(a->d, unify, op);
  else if (strata_op_is(op, "vector.contract") || strata_op_is(op, "vector.outerproduct")) {
    if (mlirOperationGetNumOperands(op) > 2)
      strata_unify(a->d, unify, mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 2));
    if (!a->status)
      a->status = strata_contract_fix_layouts(a->d, op);
  }
  return MlirWalkResultAdvance;
}

// True for what producers compute: values of the loop around a pipelined product. Not so attention's.
static bool is_fetched(const strata_gpu_distribution_t *d, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation parent = mlirOperationGetParentOperation(mlirOpResultGetOwner(value));
  return strata_op_is(parent, "scf.for") && strata_attr_flag(parent, "tile.pipeline") &&
         !strata_gpu_attention_is_loop(d, parent);
}

static int64_t group_of(const assign_t *a, MlirValue value) {
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                                 : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return strata_gpu_group_of(a->d, op);
}

static class_t *class_of(assign_t *a, MlirValue value) {
  strata_gpu_record_t *root = strata_gpu_record_root(a->d, value);
  for (size_t i = 0; i < a->classes.count; i++)
    if (a->classes.data[i]->root == root)
      return a->classes.data[i];
  class_t *class = strata_arena_new(a->d->compile->arena, class_t);
  *class = (class_t){.root = root, .type = mlirValueGetType(value), .n_elements = 1};
  class->order = (int)a->classes.count;
  class->group = a->d->plan.producers && is_fetched(a->d, value) ? a->d->plan.producers : group_of(a, value);
  for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(class->type); dim++)
    class->n_elements *= mlirShapedTypeGetDimSize(class->type, dim);
  *strata_vector_push(a->d->compile->arena, &a->classes) = class;
  return class;
}

static void add_anchor(assign_t *a, MlirOperation op, int buffer, MlirValue value) {
  class_t *class = class_of(a, value);
  anchor_t anchor = {.op = op, .buffer = buffer};
  anchor.box = strata_arena_new(a->d->compile->arena, strata_gpu_box_t);
  if (!a->status)
    a->status = strata_gpu_box_read(a->d, op, buffer, class->type, anchor.box);
  if (a->status)
    return;
  MlirType memory = mlirValueGetType(mlirOperationGetOperand(op, buffer));
  anchor.bytes = strata_element_bytes(mlirShapedTypeGetElementType(memory));
  anchor.contiguous = strata_gpu_box_contiguous(anchor.box);
  *strata_vector_push(a->d->compile->arena, &class->anchors) = anchor;
}

static void add_related(assign_t *a, MlirOperation op, MlirValue value) {
  if (is_vector(value))
    *strata_vector_push(a->d->compile->arena, &class_of(a, value)->related) = op;
}

static bool is_reduction(MlirOperation op) {
  return strata_op_is(op, "vector.multi_reduction") || strata_op_is(op, "vector.reduction");
}

static MlirWalkResult collect(MlirOperation op, void *user) {
  assign_t *a = user;
  int dims[STRATA_VALUE_RANK];
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (is_vector(mlirOperationGetResult(op, i)) && !strata_value_is_constant(mlirOperationGetResult(op, i)))
      class_of(a, mlirOperationGetResult(op, i));
  if (strata_tile_is_load(op) && is_vector(mlirOperationGetResult(op, 0)))
    add_anchor(a, op, 0, mlirOperationGetResult(op, 0));
  if (strata_op_is(op, "tile.store") && is_vector(mlirOperationGetOperand(op, 0)) &&
      !strata_value_is_constant(mlirOperationGetOperand(op, 0)))
    add_anchor(a, op, 1, mlirOperationGetOperand(op, 0));
  if (is_reduction(op) || strata_movement_dims(op, dims)) {
    add_related(a, op, mlirOperationGetOperand(op, 0));
    add_related(a, op, mlirOperationGetResult(op, 0));
  }
  return MlirWalkResultAdvance;
}

//===-- From another class ---------------------------------------------------------------------------------------===//

static const strata_layout_t *decided(assign_t *a, MlirValue value) {
  return is_vector(value) ? strata_gpu_record_root(a->d, value)->layout : NULL;
}

static bool follow_reduction(assign_t *a, MlirOperation op, strata_layout_t *out) {
  MlirValue source = mlirOperationGetOperand(op, 0);
  int64_t dims[STRATA_VALUE_RANK] = {0};
  int to[STRATA_VALUE_RANK], count = strata_attr_i64s(op, "reduction_dims", STRATA_VALUE_RANK, dims);
  const strata_layout_t *layout = decided(a, source);
  if (!layout)
    return false;
  for (int dim = 0, kept = 0; dim < mlirShapedTypeGetRank(mlirValueGetType(source)); dim++) {
    bool is_reduced = false;
    for (int i = 0; i < (count < 0 ? 1 : count); i++)
      is_reduced |= dims[i] == dim;
    to[dim] = is_reduced ? STRATA_COPIES : kept++;
  }
  strata_layout_t mapped = strata_layout_map_dims(layout, to);
  if (a->d->plan.rows == 1 || !strata_layout_deal(&mapped, a->d->device->lanes, out))
    *out = mapped; // else what each row has one of is computed once a warp, not by all lanes
  return true;
}

// The class holds the source of |op|, or its result.
static bool follow_movement(assign_t *a, MlirOperation op, bool is_source, strata_layout_t *out) {
  int dims[STRATA_VALUE_RANK], back[STRATA_VALUE_RANK];
  MlirValue source = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  const strata_layout_t *layout = decided(a, is_source ? result : source);
  if (!layout || !strata_movement_dims(op, dims))
    return false;
  for (int dim = 0; dim < STRATA_VALUE_RANK; dim++)
    back[dim] = STRATA_COPIES;
  for (int dim = 0; dim < mlirShapedTypeGetRank(mlirValueGetType(result)); dim++) {
    if (dims[dim] != STRATA_COPIES)
      back[dims[dim]] = dim;
    else if (!is_source && mlirShapedTypeGetDimSize(mlirValueGetType(result), dim) > 1)
      return false; // the source knows nothing of the new dims
  }
  *out = strata_layout_map_dims(layout, is_source ? dims : back);
  return true;
}

// True for a vector that threads have a part of each, and share with the rows of the task.
static bool is_over_rows(assign_t *a, const class_t *class) {
  bool is_over = false;
  for (size_t i = 0; i < class->related.count; i++) {
    MlirValue source = mlirOperationGetOperand(class->related.data[i], 0);
    if (!is_vector(source))
      continue;
    if (!strata_gpu_is_over_rows(a->d, class->related.data[i]))
      return false;
    is_over |= strata_gpu_record_root(a->d, source) == class->root;
  }
  return is_over && mlirShapedTypeGetRank(class->type) == 1;
}

static bool follow(assign_t *a, class_t *class, strata_layout_t *out) {
  if (is_over_rows(a, class))
    return false;
  for (size_t i = 0; i < class->related.count; i++) {
    MlirOperation op = class->related.data[i];
    MlirValue source = mlirOperationGetOperand(op, 0);
    bool is_source = is_vector(source) && strata_gpu_record_root(a->d, source) == class->root;
    if (is_reduction(op) ? !is_source && follow_reduction(a, op, out) : follow_movement(a, op, is_source, out))
      return true;
  }
  return false;
}

//===-- From memory ----------------------------------------------------------------------------------------------===//

// The dim along which most bytes are contiguous; the innermost on a tie.
static int vote_dim(const class_t *class, int rank) {
  int64_t votes[STRATA_VALUE_RANK] = {0};
  int best = rank - 1;
  for (size_t i = 0; i < class->anchors.count; i++)
    if (class->anchors.data[i].contiguous >= 0)
      votes[class->anchors.data[i].contiguous] += class->anchors.data[i].bytes;
  for (int dim = rank; dim-- > 0;)
    if (votes[dim] > votes[best])
      best = dim;
  return best;
}

// True where sizes vary and something is stored along |dim|: what rows share, and is aligned whatever they are, has no
// vote then, as a thread's elements side by side would be stored one by one, far from its neighbours'.
static bool stores_decide(const class_t *class, int dim) {
  bool varies = false, is_stored = false;
  for (size_t i = 0; i < class->anchors.count; i++) {
    const anchor_t *anchor = &class->anchors.data[i];
    varies |= strata_sizes_vary(anchor->box->rank, anchor->box->sizes);
    is_stored |= anchor->contiguous == dim && strata_op_is(anchor->op, STRATA_TILE_STORE);
  }
  return varies && is_stored;
}

// 16 bytes of the smallest element, but not more than 32 of the largest, where most accesses are aligned for it. Loads
// that take vectors of any alignment have no vote where others have.
static int64_t vote_width(const class_t *class, int dim) {
  bool others = false, of_stores = stores_decide(class, dim);
  int64_t smallest = STRATA_VECTOR_BYTES, largest = 1, votes[STRATA_VECTOR_BYTES + 1] = {0}, best = 1;
  for (size_t i = 0; i < class->anchors.count; i++) {
    const anchor_t *anchor = &class->anchors.data[i];
    smallest = strata_min(anchor->bytes, smallest);
    largest = strata_max(anchor->bytes, largest);
  }
  int64_t most = STRATA_VECTOR_BYTES / smallest,
          per_thread = strata_power_of_two_from(class->n_elements / class->group);
  most = most * largest > 2 * STRATA_VECTOR_BYTES ? 2 * STRATA_VECTOR_BYTES / largest : most;
  most = strata_min(most, per_thread);
  for (size_t i = 0; i < class->anchors.count; i++) {
    const anchor_t *anchor = &class->anchors.data[i];
    int64_t width = strata_gpu_box_width(anchor->box, dim, most);
    bool counts = anchor->contiguous == dim && (!of_stores || strata_op_is(anchor->op, STRATA_TILE_STORE)) &&
                  !strata_gpu_is_shifted(anchor->op, anchor->buffer, width);
    others |= counts;
    votes[width] += counts ? anchor->bytes : 0;
  }
  for (size_t i = 0; i < class->anchors.count && !others; i++)
    if (class->anchors.data[i].contiguous == dim)
      votes[strata_gpu_box_width(class->anchors.data[i].box, dim, most)] += class->anchors.data[i].bytes;
  for (int64_t width = 1; width <= most; width *= 2)
    if (votes[width] >= votes[best])
      best = width;
  return best;
}

// |first|, then the other dims by their steps in the first anchor that has |first| contiguous, else the inner first.
static void order_dims(const class_t *class, int rank, int first, int *order) {
  const anchor_t *guide = NULL;
  int64_t steps[STRATA_VALUE_RANK];
  for (size_t i = class->anchors.count; i-- > 0;)
    if (class->anchors.data[i].contiguous == first)
      guide = &class->anchors.data[i];
  for (int dim = 0; dim < rank; dim++) {
    bool is_known = guide && strata_affine_coefficient(guide->box->position, dim, &steps[dim]) && steps[dim] != 0;
    steps[dim] = dim == first ? 0 : is_known ? llabs(steps[dim]) : INT64_MAX - dim;
  }
  for (int i = 0; i < rank; i++) {
    order[i] = i;
    for (int j = i; j > 0 && steps[order[j]] < steps[order[j - 1]]; j--) {
      int other = order[j];
      order[j] = order[j - 1];
      order[j - 1] = other;
    }
  }
}

// True if some access is contiguous along another dim than |first|: it turns the value on its way (turn.c).
static bool crosses(const class_t *class, int rank, int first) {
  bool result = false;
  for (size_t i = 0; i < class->anchors.count; i++)
    result |= class->anchors.data[i].contiguous == 1 - first;
  return result && rank == 2;
}

// Rows that a block takes several of have an equal share of its threads each, so that few warps, if more than one,
// combine what a row has one of.
static strata_layout_t build_rows(const int64_t *sizes, int64_t threads, int64_t width) {
  int64_t own = threads / strata_power_of_two_from(sizes[0]) * width, parts = strata_ceil_div(sizes[1], own);
  int64_t first[2] = {sizes[0], parts > 1 ? own : sizes[1]};
  strata_layout_t layout = strata_layout_build(2, first, threads, (int[]){1, 0}, width);
  if (parts > 1)
    strata_layout_push_reg(&layout, 1, parts, own);
  return layout;
}

// Bytes of the elements that some access has side by side along dim 0; 0 if none has.
static int64_t crossing_bytes(const class_t *class) {
  for (size_t i = 0; i < class->anchors.count; i++)
    if (class->anchors.data[i].contiguous == 0)
      return class->anchors.data[i].bytes;
  return 0;
}

// The same where blocks fetch what lies across their rows in bulk: a thread holds squares of it, |width| elements
// along the rows and 16 bytes across them, which it can read as they lie. False where squares do not fill the value.
static bool build_squares(const strata_gpu_distribution_t *d, const class_t *class, const int64_t *sizes, int64_t width,
                          strata_layout_t *out) {
  int64_t bytes = crossing_bytes(class), across = bytes ? STRATA_VECTOR_BYTES / bytes : sizes[0] + 1;
  if (!d->plan.blocks || !*d->device->mma_async || width == 1 || sizes[0] % across)
    return false;
  int64_t rows = sizes[0] / across, beside = class->group / rows;
  if (beside < d->device->lanes || class->group % rows || sizes[1] % (beside * width))
    return false;
  *out = (strata_layout_t){0};
  strata_layout_push_reg(out, 1, width, 1);
  strata_layout_push_reg(out, 0, across, 1);
  strata_layout_push_reg(out, 1, sizes[1] / (beside * width), beside * width);
  strata_layout_push_thread(out, 1, beside, width);
  strata_layout_push_thread(out, 0, rows, across);
  return true;
}

static void build(const strata_gpu_distribution_t *d, const class_t *class, strata_layout_t *out) {
  strata_registers_t shape = strata_registers_shape(class->type, &(strata_layout_t){0});
  int order[STRATA_VALUE_RANK];
  if (shape.rank == 0) {
    *out = strata_layout_build(0, NULL, class->group, order, 1);
    return;
  }
  int first = vote_dim(class, shape.rank);
  class->root->crosses = crosses(class, shape.rank, first);
  if (d->plan.rows > 1 && shape.rank == 2 && first == 1) {
    int64_t width = vote_width(class, first);
    if (!build_squares(d, class, shape.sizes, width, out))
      *out = build_rows(shape.sizes, class->group, width);
    return;
  }
  order_dims(class, shape.rank, first, order);
  *out = strata_layout_build(shape.rank, shape.sizes, class->group, order, vote_width(class, first));
}

//===-- All ------------------------------------------------------------------------------------------------------===//

// Fixed ones first, then the larger, then in the order of the code.
static int compare(const void *left, const void *right) {
  const class_t *a = *(class_t *const *)left, *b = *(class_t *const *)right;
  if (!a->root->layout != !b->root->layout)
    return a->root->layout ? -1 : 1;
  if (a->n_elements != b->n_elements)
    return a->n_elements > b->n_elements ? -1 : 1;
  if (!a->anchors.count != !b->anchors.count)
    return a->anchors.count ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

strata_status_t strata_assign_layouts(strata_gpu_distribution_t *d, MlirOperation func) {
  assign_t a = {.d = d};
  mlirOperationWalk(func, unify_op, &a, MlirWalkPreOrder);
  mlirOperationWalk(func, collect, &a, MlirWalkPreOrder);
  if (a.status)
    return a.status;
  if (a.classes.count > 1)
    qsort(a.classes.data, a.classes.count, sizeof *a.classes.data, compare);
  for (size_t i = 0; i < a.classes.count; i++) {
    class_t *class = a.classes.data[i];
    strata_layout_t *layout = strata_arena_new(d->compile->arena, strata_layout_t);
    if (class->root->layout)
      continue;
    if (!follow(&a, class, layout))
      build(d, class, layout);
    class->root->layout = layout;
  }
  return NULL;
}
