// strata-nest-concats: a concat that begins, ends or goes on with what another one joins has that one's result as a
// part, so that it needs no memory of its own: each layer of a DenseNet reads the first channels of what the last one
// reads.
//
//   read(concat(x, y))   read(concat(x, concat(y, z)))   ->   %0 = concat(x, y)   read(%0)   read(concat(%0, z))
//
// A value has one place, so a concat is a part of one other at most. All others that join the same values, be it that
// they shared a concat before, have these themselves as parts: what computes a part stores it into each
// (affine-spread-stores), while of a concat a copy would be made.
#include "dialects/pointer_map.h"
#include "passes/pass.h"
#include "passes/strata/graph.h"

enum {
  MAX_PARTS = 512,
  MAX_DEPTH = 64,  // of views behind a concat
  BULK_BYTES = 16, // rows that the copy engine, and vectors, take begin at multiples
};

// What a concat joins, whatever tree of concats along its axis does it.
typedef struct {
  MlirOperation op;
  int64_t axis;
  bool is_shared; // a concat of the tree has other readers, too
  STRATA_VECTOR(MlirValue) parts;
} joined_t;

// A concat that somebody reads as a whole.
typedef struct whole {
  joined_t joined;
  bool is_part;       // of another one
  struct whole *next; // that begins with the same value
} whole_t;

typedef struct {
  strata_compile_t *compile;
  strata_pointer_map_t is_constant; // ops
  strata_pointer_map_t wholes;      // first part -> 1 + index of the list
  STRATA_VECTOR(whole_t *) lists;   // those that begin with one value, the last first
} nester_t;

//===-- Concats --------------------------------------------------------------------------------------------------===//

static MlirOperation concat_along(MlirValue value, int64_t axis) {
  MlirOperation op = strata_def_if(value, STRATA_OP_CONCAT), none = {NULL};
  return mlirOperationIsNull(op) || strata_attr_i64(op, "axis", 0) != axis ? none : op;
}

static bool add_parts(strata_arena_t *arena, MlirOperation concat, joined_t *joined) {
  for (int i = 0; i < 2; i++) {
    MlirValue operand = strata_operand(concat, i);
    MlirOperation link = concat_along(operand, joined->axis);
    if (mlirOperationIsNull(link)) {
      *strata_vector_push(arena, &joined->parts) = operand;
    } else {
      joined->is_shared |= !strata_value_has_one_use(operand);
      if (!add_parts(arena, link, joined))
        return false;
    }
    if (joined->parts.count > MAX_PARTS)
      return false;
  }
  return true;
}

typedef enum { ONLY_A_LINK, READ, HAS_A_PLACE } use_t;

// What |value| is for but for being a part of concats along |axis| (-1: there is none): it is read; or it is stored at
// a place of its own, as a result, or part of another concat, is, also behind a view.
static use_t use_of(MlirValue value, int64_t axis, int depth) {
  use_t use = ONLY_A_LINK;
  for (MlirOpOperand at = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(at); at = mlirOpOperandGetNextUse(at)) {
    MlirOperation user = mlirOpOperandGetOwner(at);
    strata_op_id_t id = strata_op_is_pure(user) ? strata_op_id(user) : STRATA_OP_COUNT;
    if (id == STRATA_OP_CONCAT && strata_attr_i64(user, "axis", 0) == axis)
      continue;
    bool is_view = id == STRATA_OP_RESHAPE || id == STRATA_OP_TRANSPOSE;
    if (id == STRATA_OP_COUNT || id == STRATA_OP_CONCAT || depth == MAX_DEPTH ||
        (is_view && use_of(strata_result(user), -1, depth + 1) == HAS_A_PLACE))
      return HAS_A_PLACE;
    use = READ;
  }
  return use;
}

static bool is_constant(const nester_t *n, const joined_t *joined) {
  return strata_pointer_map_get(&n->is_constant, joined->op.ptr) != NULL;
}

//===-- Runs of parts --------------------------------------------------------------------------------------------===//

static bool starts_with(const joined_t *joined, size_t first, const joined_t *run) {
  if (run->axis != joined->axis || first + run->parts.count > joined->parts.count)
    return false;
  for (size_t i = 0; i < run->parts.count; i++)
    if (!mlirValueEqual(run->parts.data[i], joined->parts.data[first + i]))
      return false;
  return true;
}

static int64_t size_along(MlirValue value, int64_t axis) {
  int64_t sizes[STRATA_MAX_RANK];
  return strata_sizes_of(value, sizes) < 0 ? 0 : sizes[axis];
}

static bool is_read_by_contract(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (strata_op_id(mlirOpOperandGetOwner(use)) == STRATA_OP_CONTRACT)
      return true;
  return false;
}

// A contract's operand stays one whose rows can be fetched in bulk, wherever the axis comes to lie.
static bool keeps_rows(const joined_t *joined, size_t first, const joined_t *run) {
  int64_t sizes[STRATA_MAX_RANK], offset = 0, behind = 1;
  MlirValue whole = strata_result(joined->op);
  int rank = strata_sizes_of(whole, sizes);
  if (rank < 0 || !is_read_by_contract(strata_result(run->op)))
    return rank >= 0;
  for (size_t i = 0; i < first; i++)
    offset += size_along(joined->parts.data[i], joined->axis);
  for (int i = (int)joined->axis + 1; i < rank && joined->axis != 1; i++) // channels may be stored last
    behind *= sizes[i];
  int64_t bytes = behind * strata_type_info[strata_shape_of(whole).type].bits / 8;
  return offset * bytes % BULK_BYTES == 0 && sizes[joined->axis] * bytes % BULK_BYTES == 0;
}

// The longest of the concats in front of |joined| that joins its parts from |first| on, but not all.
static whole_t *longest_run(const nester_t *n, const joined_t *joined, size_t first) {
  int64_t *list = strata_pointer_map_get(&n->wholes, joined->parts.data[first].ptr);
  whole_t *longest = NULL;
  for (whole_t *whole = list ? n->lists.data[*list - 1] : NULL; whole; whole = whole->next) {
    size_t count = whole->joined.parts.count;
    if (!whole->is_part && count < joined->parts.count && (!longest || count > longest->joined.parts.count) &&
        starts_with(joined, first, &whole->joined) && keeps_rows(joined, first, &whole->joined))
      longest = whole;
  }
  return longest;
}

//===-- Nesting --------------------------------------------------------------------------------------------------===//

// Builds |joined| of others and of parts, if that is not how it is; what it replaces stays for strata-dce.
static strata_status_t rebuild(nester_t *n, joined_t *joined) {
  MlirValue parts[MAX_PARTS];
  int count = 0;
  bool has_runs = false;
  for (size_t i = 0; i < joined->parts.count;) {
    whole_t *run = longest_run(n, joined, i);
    parts[count++] = run ? strata_result(run->joined.op) : joined->parts.data[i];
    i += run ? run->joined.parts.count : 1;
    if (run)
      has_runs = run->is_part = true;
  }
  bool is_so = count == 2 && mlirValueEqual(parts[0], strata_operand(joined->op, 0)) &&
               mlirValueEqual(parts[1], strata_operand(joined->op, 1));
  if (is_so || (!has_runs && !joined->is_shared))
    return NULL;
  strata_builder_t build = {.compile = n->compile,
                            .block = mlirOperationGetBlock(joined->op),
                            .before = joined->op,
                            .location = mlirOperationGetLocation(joined->op),
                            .no_fold = true};
  MlirValue value = strata_build_concat(&build, count, parts, joined->axis);
  STRATA_TRY(build.status);
  mlirValueReplaceAllUsesOfWith(strata_result(joined->op), value);
  joined->op = strata_def(value);
  return NULL;
}

static void add_whole(nester_t *n, const joined_t *joined) {
  int64_t *list = strata_pointer_map_put(&n->wholes, joined->parts.data[0].ptr);
  whole_t *whole = strata_arena_new(n->compile->arena, whole_t);
  if (!*list) {
    *strata_vector_push(n->compile->arena, &n->lists) = NULL;
    *list = (int64_t)n->lists.count;
  }
  *whole = (whole_t){.joined = *joined, .next = n->lists.data[*list - 1]};
  n->lists.data[*list - 1] = whole;
}

static strata_status_t nest(nester_t *n, MlirOperation concat) {
  joined_t joined = {.op = concat, .axis = strata_attr_i64(concat, "axis", 0)};
  use_t use = use_of(strata_result(concat), joined.axis, 0);
  if (use == ONLY_A_LINK || is_constant(n, &joined) || !add_parts(n->compile->arena, concat, &joined))
    return NULL;
  STRATA_TRY(rebuild(n, &joined));
  if (use == READ)
    add_whole(n, &joined);
  return NULL;
}

static void note_constant(nester_t *n, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation operand = strata_def(mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(operand) || !strata_pointer_map_get(&n->is_constant, operand.ptr))
      return;
  }
  if (strata_op_is_pure(op))
    *strata_pointer_map_put(&n->is_constant, op.ptr) = 1;
}

static strata_status_t nest_in(strata_compile_t *compile, MlirBlock body, void *user) {
  (void)user;
  nester_t n = {.compile = compile,
                .is_constant = strata_pointer_map_create(compile->arena),
                .wholes = strata_pointer_map_create(compile->arena)};
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  for (size_t i = 0; i < ops.count; i++) {
    note_constant(&n, ops.data[i]);
    if (strata_op_is_pure(ops.data[i]) && strata_op_id(ops.data[i]) == STRATA_OP_CONCAT)
      STRATA_TRY(nest(&n, ops.data[i]));
  }
  return NULL;
}

strata_status_t strata_pass_nest_concats(strata_compile_t *compile) {
  return strata_for_each_body(compile, nest_in, NULL);
}
