// strata-split-concat: elementwise ops on a concat of several values become one of results, each of a part.
//
//   tanh(concat(x, concat(y, z)))   ->   concat(tanh(x), concat(tanh(y), tanh(z)))
//   add(concat(x, y, z), w)         ->   concat(add(x, slice(w)), add(y, slice(w)), add(z, slice(w)))
//
// Where the parts are in memory already they would be copied to be read side by side; so each is read where it is, and
// what is computed from it stored where it belongs. Of two parts that is not done: a nest can read both. Nor in front
// of reductions over rows, whose kernel reads whole rows and does what comes before on its way.
#include "passes/pass.h"
#include "passes/strata/simplify.h"

enum { MIN_PARTS = 3, MAX_PARTS = 512, MAX_READERS = 32 };

typedef struct {
  int64_t axis;
  int count;
  MlirValue values[MAX_PARTS];
} parts_t;

//===-- Parts ----------------------------------------------------------------------------------------------------===//

static MlirOperation link_of(MlirValue value) {
  MlirOperation op = strata_def_if(value, STRATA_OP_CONCAT);
  return mlirOperationIsNull(op) || !strata_value_has_one_use(value) ? (MlirOperation){NULL} : op;
}

// What |concat|, which one op reads, puts side by side along its axis.
static bool add_parts(MlirOperation concat, int depth, parts_t *out) {
  for (int i = 0; i < 2; i++) {
    MlirValue operand = strata_operand(concat, i);
    MlirOperation link = link_of(operand);
    bool is_link = !mlirOperationIsNull(link) && strata_attr_i64(link, "axis", 0) == out->axis;
    if (depth == MAX_PARTS || (is_link ? !add_parts(link, depth + 1, out) : out->count == MAX_PARTS))
      return false;
    if (!is_link)
      out->values[out->count++] = operand;
  }
  return true;
}

static MlirValue without_views(MlirValue value) {
  for (MlirOperation op = strata_def(value); !mlirOperationIsNull(op); op = strata_def(value)) {
    strata_op_id_t id = strata_op_id(op);
    if (id != STRATA_OP_SLICE && id != STRATA_OP_RESHAPE && id != STRATA_OP_TRANSPOSE && id != STRATA_OP_BROADCAST)
      break;
    value = strata_operand(op, 0);
  }
  return value;
}

// True of a value, or a view of one, that nothing computes in a run.
static bool is_there(const strata_rewriter_t *r, MlirValue value) {
  MlirValue source = without_views(value);
  return mlirValueIsABlockArgument(source) || strata_rewriter_is_constant(r, source);
}

// True of a part that is there, or that only what the concat is for reads, so that both are one nest's.
static bool can_end_in(const strata_rewriter_t *r, MlirValue part) {
  MlirOperation op = strata_def(part);
  bool is_elementwise = !mlirOperationIsNull(op) && strata_is_elementwise(strata_op_id(op));
  return is_there(r, part) || (is_elementwise && strata_value_has_one_use(part));
}

static bool read_parts(const strata_rewriter_t *r, MlirValue value, parts_t *out) {
  MlirOperation concat = link_of(value);
  int64_t sizes[STRATA_MAX_RANK];
  if (mlirOperationIsNull(concat))
    return false;
  out->axis = strata_attr_i64(concat, "axis", 0);
  out->count = 0;
  if (!add_parts(concat, 0, out) || out->count < MIN_PARTS)
    return false;
  for (int i = 0; i < out->count; i++)
    if (!can_end_in(r, out->values[i]) || strata_sizes_of(out->values[i], sizes) < 0 || sizes[out->axis] == 0)
      return false;
  return true;
}

//===-- Readers --------------------------------------------------------------------------------------------------===//

// False if a reduction over rows reads |value| or what is computed from it element by element; or if it is not known.
static bool ends_in_memory(MlirValue value, int *budget) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    strata_op_id_t id = strata_op_is_pure(user) ? strata_op_id(user) : STRATA_OP_COUNT;
    if (id == STRATA_OP_COUNT)
      continue;
    strata_op_kind_t kind = strata_op_info[id].kind;
    bool passes_on = kind == STRATA_KIND_ELEMENTWISE || kind == STRATA_KIND_MOVEMENT;
    if (--*budget < 0 || kind == STRATA_KIND_REDUCE || kind == STRATA_KIND_ARG_REDUCE ||
        (passes_on && !ends_in_memory(strata_result(user), budget)))
      return false;
  }
  return true;
}

//===-- Splitting ------------------------------------------------------------------------------------------------===//

// The part of |operand| from |offset| on that belongs beside |part|.
static MlirValue part_of(strata_rewriter_t *r, MlirValue operand, const parts_t *parts, int part, int64_t offset) {
  int64_t starts[STRATA_MAX_RANK] = {0}, steps[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  strata_scalar_t scalar;
  strata_shape_t shape = strata_shape_of(parts->values[part]);
  int rank = strata_sizes_of(parts->values[part], sizes);
  shape.type = strata_shape_of(operand).type;
  if (strata_splat_of(operand, &scalar))
    return strata_build_scalar_splat(&r->build, &shape, scalar);
  for (int i = 0; i < rank; i++)
    steps[i] = 1;
  starts[parts->axis] = offset;
  return strata_build_slice(&r->build, operand, starts, steps, sizes);
}

static MlirValue split(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  int n = strata_op_info[id].n_operands, at = 0, budget = MAX_READERS;
  parts_t parts;
  MlirValue results[MAX_PARTS], operands[3];
  if (!strata_is_elementwise(id) || strata_rewriter_is_constant(r, strata_result(op)))
    return STRATA_NO_VALUE;
  while (at < n && mlirOperationIsNull(link_of(strata_operand(op, at))))
    at++;
  if (at == n || !ends_in_memory(strata_result(op), &budget) || !read_parts(r, strata_operand(op, at), &parts))
    return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++)
    if (i != at && !is_there(r, strata_operand(op, i)))
      return STRATA_NO_VALUE;
  int64_t offset = 0, sizes[STRATA_MAX_RANK];
  for (int part = 0; part < parts.count; part++) {
    for (int i = 0; i < n; i++)
      operands[i] = i == at ? parts.values[part] : part_of(r, strata_operand(op, i), &parts, part, offset);
    results[part] = strata_build_elementwise(&r->build, op, operands);
    strata_sizes_of(parts.values[part], sizes);
    offset += sizes[parts.axis];
  }
  return strata_build_concat(&r->build, parts.count, results, parts.axis);
}

static MlirValue split_or_simplify(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue value = split(r, op, id);
  return mlirValueIsNull(value) ? strata_simplify_op(r, op, id) : value;
}

strata_status_t strata_pass_split_concat(strata_compile_t *compile) {
  return strata_rewrite(compile, split_or_simplify);
}
