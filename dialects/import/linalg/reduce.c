// Structured operations that sum over loops: what their bodies do with elements is looked up among what is known.
#include "dialects/import/linalg/linalg.h"

#include <math.h>

//===-- Combiners ------------------------------------------------------------------------------------------------===//

static const linalg_combiner_t combiners[] = {
    {"arith.addf", "ReduceSum", "add", "Add", NULL, NULL, 0, false},
    {"arith.addi", "ReduceSum", "add", "Add", NULL, NULL, 0, false},
    {"arith.mulf", "ReduceProd", "mul", "Mul", NULL, NULL, 1, false},
    {"arith.muli", "ReduceProd", "mul", "Mul", "ReduceMin", "And", 1, false},
    {"arith.maximumf", "ReduceMax", "max", "Max", NULL, NULL, -INFINITY, false},
    {"arith.maxnumf", "ReduceMax", "max", "Max", NULL, NULL, -INFINITY, false},
    {"arith.maxsi", "ReduceMax", "max", "Max", "ReduceMin", "And", -INFINITY, false},
    {"arith.maxui", "ReduceMax", "max", "Max", "ReduceMax", "Or", -INFINITY, true},
    {"arith.minimumf", "ReduceMin", "min", "Min", NULL, NULL, INFINITY, false},
    {"arith.minnumf", "ReduceMin", "min", "Min", NULL, NULL, INFINITY, false},
    {"arith.minsi", "ReduceMin", "min", "Min", "ReduceMax", "Or", INFINITY, false},
    {"arith.minui", "ReduceMin", "min", "Min", "ReduceMin", "And", INFINITY, true},
    {"arith.andi", NULL, "and", "BitwiseAnd", "ReduceMin", "And", -1, false},
    {"arith.ori", NULL, "or", "BitwiseOr", "ReduceMax", "Or", 0, false},
    {"arith.xori", NULL, "xor", "BitwiseXor", NULL, NULL, 0, false},
};

static const linalg_combiner_t *combiner_named(MlirStringRef name) {
  for (size_t i = 0; i < sizeof combiners / sizeof *combiners; i++)
    if (strata_str_equal(name, combiners[i].name))
      return &combiners[i];
  return NULL;
}

// How result |r| comes from what there is of it and an element.
typedef struct {
  const linalg_combiner_t *combiner; // NULL: in a way that is not known
  MlirValue element;
} combination_t;

static MlirValue accumulator(const linalg_op_t *l, int r) {
  int i = l->n_inputs + r;
  return i < mlirBlockGetNumArguments(l->body) ? mlirBlockGetArgument(l->body, i) : (MlirValue){0};
}

// Of a comparison of numbers by size: whether the first is to be the greater one; false if it compares otherwise.
static bool is_order(MlirOperation compare, bool *out_is_greater, bool *out_is_strict) {
  static const int greater_f[] = {2, 3, 9, 10}, less_f[] = {4, 5, 11, 12}, greater_i[] = {4, 5, 8, 9},
                   less_i[] = {2, 3, 6, 7};
  bool is_float = strata_op_is(compare, "arith.cmpf");
  int64_t predicate = strata_attr_i64(compare, "predicate", -1);
  if (!is_float && !strata_op_is(compare, "arith.cmpi"))
    return false;
  for (int i = 0; i < 4; i++) {
    bool is_greater = predicate == (is_float ? greater_f : greater_i)[i];
    if (is_greater || predicate == (is_float ? less_f : less_i)[i]) {
      *out_is_greater = is_greater;
      *out_is_strict = i % 2 == 0;
      return is_float || i < 2;
    }
  }
  return false;
}

// The extreme as a comparison and a selection, "x > there ? x : there".
static combination_t selected_extreme(linalg_op_t *l, MlirOperation select, MlirValue there) {
  combination_t none = {NULL, {0}};
  MlirOperation compare = strata_def(mlirOperationGetOperand(select, 0));
  bool is_greater, is_strict;
  if (mlirOperationIsNull(compare) || !is_order(compare, &is_greater, &is_strict))
    return none;
  MlirValue a = mlirOperationGetOperand(compare, 0), b = mlirOperationGetOperand(compare, 1);
  MlirValue yes = mlirOperationGetOperand(select, 1), no = mlirOperationGetOperand(select, 2);
  bool is_same = strata_value_equal(a, yes) && strata_value_equal(b, no);
  bool is_swapped = strata_value_equal(a, no) && strata_value_equal(b, yes);
  bool is_first = strata_value_equal(a, there), is_second = strata_value_equal(b, there);
  if ((!is_same && !is_swapped) || is_first == is_second)
    return none;
  bool is_float = strata_op_is(compare, "arith.cmpf"), is_max = is_greater == is_same;
  linalg_skip(l, compare);
  return (combination_t){combiner_named(strata_str(is_max ? (is_float ? "arith.maximumf" : "arith.maxsi")
                                                          : (is_float ? "arith.minimumf" : "arith.minsi"))),
                         is_first ? b : a};
}

static bool is_used_by(MlirValue value, int count, const MlirOperation *users) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    bool is_one = false;
    for (int i = 0; i < count; i++)
      is_one |= mlirOperationEqual(mlirOpOperandGetOwner(use), users[i]);
    if (!is_one)
      return false;
  }
  return true;
}

static combination_t find_combination(linalg_op_t *l, int r) {
  combination_t found = {NULL, {0}};
  MlirValue result = tir_returned(l->body, r), there = accumulator(l, r);
  MlirOperation op = strata_def(result);
  if (mlirValueIsNull(there) || mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), l->body))
    return found;
  MlirOperation users[2] = {op, op};
  if (strata_op_is(op, "arith.select")) {
    users[1] = strata_def(mlirOperationGetOperand(op, 0));
    found = selected_extreme(l, op, there);
  } else if (mlirOperationGetNumOperands(op) == 2) {
    MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
    bool is_first = strata_value_equal(a, there), is_second = strata_value_equal(b, there);
    if (is_first != is_second)
      found = (combination_t){combiner_named(strata_op_name(op)), is_first ? b : a};
  }
  if (!found.combiner || !is_used_by(there, 2, users) || !strata_value_has_one_use(result))
    return (combination_t){NULL, {0}};
  linalg_skip(l, op);
  return found;
}

// Whether an initial value changes nothing.
static bool is_neutral(const linalg_combiner_t *c, strata_dtype_t dtype, MlirValue initial) {
  double value;
  if (!tir_constant_number(initial, &value) || dtype == STRATA_DTYPE_BOOL)
    return false;
  if (!isinf(c->neutral) || strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_FLOAT)
    return value == c->neutral;
  int bits = strata_dtype_info[dtype].bits;
  double lowest = -ldexp(1, bits - 1), highest = ldexp(1, bits - 1) - 1;
  return !c->is_unsigned && value == (c->neutral < 0 ? lowest : highest);
}

//===-- Reductions -----------------------------------------------------------------------------------------------===//

static strata_dtype_t element_type(MlirValue value) { return tir_type_of(value).dtype; }

// Over the loops that are summed.
static const char *reduced(linalg_op_t *l, const linalg_combiner_t *c, const char *x, strata_dtype_t dtype) {
  bool is_boolean = dtype == STRATA_DTYPE_BOOL;
  const char *op = is_boolean ? c->reduce_booleans : c->reduce;
  int64_t axes[TIR_MAX_RANK];
  int count = 0;
  for (int i = 0; i < l->loops.type.rank; i++)
    if (l->loops.is_summed[i])
      axes[count++] = i;
  if (!op && is_boolean)
    return NULL;
  graph_node_t *node = op ? graph_node(l->o->g, op, GRAPH_VALUES(x, graph_ints(l->o->g, count, axes)))
                          : graph_node(l->o->g, "strata.Reduce", GRAPH_VALUES(x));
  if (op) {
    graph_set_int(node, "keepdims", 0);
  } else {
    graph_set_ints(node, "axes", count, axes);
    graph_set_string(node, "kind", c->kind);
  }
  return graph_result(node, NULL);
}

static strata_dtype_t unsigned_type(strata_dtype_t dtype) {
  int bits = strata_dtype_info[dtype].bits;
  return bits == 8 ? STRATA_DTYPE_U8 : bits == 16 ? STRATA_DTYPE_U16 : bits == 32 ? STRATA_DTYPE_U32 : STRATA_DTYPE_U64;
}

// What there is at first combined with |value|.
static const char *with_initial(linalg_op_t *l, const linalg_combiner_t *c, int r, const char *value,
                                strata_dtype_t dtype, bool is_unsigned) {
  MlirValue initial = tir_value(l->o, l->n_inputs + r);
  const char *first = tir_in(l->o, l->n_inputs + r);
  if (is_neutral(c, dtype, initial))
    return is_unsigned ? tir_bit_cast(l->o, value, dtype) : value;
  if (dtype == STRATA_DTYPE_BOOL)
    return tir_binary(l->o, c->combine_booleans, first, value);
  if (!is_unsigned)
    return tir_binary(l->o, c->combine, first, value);
  first = tir_bit_cast(l->o, first, unsigned_type(dtype));
  return tir_bit_cast(l->o, tir_binary(l->o, c->combine, first, value), dtype);
}

static bool read_reduction(linalg_op_t *l, int r, const combination_t *found, const char *value) {
  const linalg_combiner_t *c = found->combiner;
  strata_dtype_t dtype = element_type(found->element);
  bool is_unsigned = !value && c->is_unsigned && dtype != STRATA_DTYPE_BOOL;
  if (!value) {
    value = linalg_given(l, found->element);
    if (!value)
      return false;
    value = reduced(l, c, is_unsigned ? tir_bit_cast(l->o, value, unsigned_type(dtype)) : value, dtype);
  }
  if (!value) {
    tir_refuse(l->o, "a sum modulo 2 of booleans");
    return false;
  }
  value = linalg_result(l, r, value);
  if (value)
    tir_set(l->o, r, with_initial(l, c, r, value, dtype, is_unsigned));
  return value != NULL;
}

// Results that are reduced without a product or window that is one operation.
static void read_reductions(linalg_op_t *l, const combination_t *found) {
  if (!linalg_read_body(l))
    return;
  for (int r = 0; r < l->n_outputs; r++)
    if (!read_reduction(l, r, &found[r], NULL))
      return;
}

//===-- Places of extremes ---------------------------------------------------------------------------------------===//

typedef struct {
  int extreme, place;  // results
  MlirValue element;   // whose extreme is looked for
  MlirValue condition; // that it is beyond what there is
  bool is_greatest, is_first;
} arg_t;

static MlirValue behind_casts(MlirValue value) {
  for (MlirOperation def = strata_def(value);
       !mlirOperationIsNull(def) && (strata_op_is(def, "arith.index_cast") || strata_op_is(def, "arith.index_castui"));
       def = strata_def(value))
    value = mlirOperationGetOperand(def, 0);
  return value;
}

static bool is_test_of_nan(MlirValue value) {
  MlirOperation def = strata_def(value);
  return !mlirOperationIsNull(def) && strata_op_is(def, "arith.cmpf") && strata_attr_i64(def, "predicate", -1) == 7;
}

// The comparison that |condition| is, perhaps only where what there is is a number.
static MlirOperation comparison(MlirValue condition) {
  MlirOperation def = strata_def(condition);
  if (mlirOperationIsNull(def) || !strata_op_is(def, "arith.andi"))
    return def;
  MlirValue a = mlirOperationGetOperand(def, 0), b = mlirOperationGetOperand(def, 1);
  return is_test_of_nan(b) ? strata_def(a) : is_test_of_nan(a) ? strata_def(b) : (MlirOperation){0};
}

// The only loop that is summed; -1: there are others.
static int summed_loop(const linalg_op_t *l) {
  int loop = -1;
  for (int i = 0; i < l->loops.type.rank; i++)
    if (l->loops.is_summed[i]) {
      if (loop >= 0)
        return -1;
      loop = i;
    }
  return loop;
}

// Whether result |place| is where the greatest or least element is: "x > there ? index : its".
static bool find_place(linalg_op_t *l, int place, arg_t *out) {
  MlirOperation select = strata_def(tir_returned(l->body, place));
  int loop = summed_loop(l);
  if (mlirOperationIsNull(select) || !strata_op_is(select, "arith.select") || loop < 0)
    return false;
  MlirValue condition = mlirOperationGetOperand(select, 0), there = accumulator(l, 1 - place);
  MlirOperation compare = comparison(condition);
  MlirOperation index = strata_def(behind_casts(mlirOperationGetOperand(select, 1)));
  bool is_greater, is_strict;
  if (mlirOperationIsNull(compare) || mlirOperationIsNull(index) || !is_order(compare, &is_greater, &is_strict) ||
      !strata_op_is(index, "linalg.index") || strata_attr_i64(index, "dim", -1) != loop ||
      !strata_value_equal(mlirOperationGetOperand(select, 2), accumulator(l, place)))
    return false;
  MlirValue a = mlirOperationGetOperand(compare, 0), b = mlirOperationGetOperand(compare, 1);
  bool is_swapped = strata_value_equal(a, there);
  if (is_swapped == strata_value_equal(b, there))
    return false;
  *out = (arg_t){1 - place, place, is_swapped ? b : a, condition, is_greater != is_swapped, is_strict};
  return linalg_input(l, out->element) >= 0;
}

static bool is_extreme_kind(const linalg_combiner_t *c, const arg_t *arg) {
  return c && c->reduce && !c->is_unsigned && !strcmp(c->reduce, arg->is_greatest ? "ReduceMax" : "ReduceMin");
}

// Whether the other result is the extreme itself.
static bool gives_extreme(linalg_op_t *l, const arg_t *arg) {
  MlirOperation op = strata_def(tir_returned(l->body, arg->extreme));
  MlirValue there = accumulator(l, arg->extreme);
  if (mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) < 2)
    return false;
  if (strata_op_is(op, "arith.select") && strata_value_equal(mlirOperationGetOperand(op, 0), arg->condition))
    return strata_value_equal(mlirOperationGetOperand(op, 1), arg->element) &&
           strata_value_equal(mlirOperationGetOperand(op, 2), there);
  combination_t found = {NULL, {0}};
  MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
  if (strata_op_is(op, "arith.select"))
    found = selected_extreme(l, op, there);
  else if (strata_value_equal(a, there) || strata_value_equal(b, there))
    found = (combination_t){combiner_named(strata_op_name(op)), strata_value_equal(a, there) ? b : a};
  return is_extreme_kind(found.combiner, arg) && strata_value_equal(found.element, arg->element);
}

static bool find_arg(linalg_op_t *l, arg_t *out) {
  if (l->n_outputs != 2 || mlirBlockGetNumArguments(l->body) != l->n_inputs + 2)
    return false;
  return (find_place(l, 1, out) && gives_extreme(l, out)) || (find_place(l, 0, out) && gives_extreme(l, out));
}

static void read_arg(linalg_op_t *l, const arg_t *arg) {
  int input = linalg_input(l, arg->element);
  strata_dtype_t dtype = element_type(arg->element);
  double number, place;
  const linalg_combiner_t *c = combiner_named(strata_str(arg->is_greatest ? "arith.maximumf" : "arith.minimumf"));
  if (dtype == STRATA_DTYPE_BOOL || !tir_constant_number(tir_value(l->o, l->n_inputs + arg->extreme), &number) ||
      !tir_constant_number(tir_value(l->o, l->n_inputs + arg->place), &place) || place != 0) {
    tir_refuse(l->o, "the place of an extreme that does not begin with a constant and place 0");
    return;
  }
  const char *x = linalg_arranged(l, input);
  if (!x)
    return;
  x = tir_expand(l->o, x, linalg_loop_sizes(l->o, &l->loops));
  graph_node_t *node = graph_node(l->o->g, arg->is_greatest ? "ArgMax" : "ArgMin", GRAPH_VALUES(x));
  graph_set_int(node, "axis", summed_loop(l));
  graph_set_int(node, "keepdims", 0);
  graph_set_int(node, "select_last_index", !arg->is_first);
  const char *values = linalg_result(l, arg->extreme, reduced(l, c, x, dtype));
  const char *places = values ? linalg_result(l, arg->place, graph_result(node, NULL)) : NULL;
  if (!places)
    return;
  tir_set(l->o, arg->extreme, with_initial(l, c, arg->extreme, values, dtype, false));
  tir_set(l->o, arg->place, tir_cast(l->o, places, tir_out_type(l->o, arg->place).dtype));
}

//===-- The operation --------------------------------------------------------------------------------------------===//

void linalg_read_reduction(linalg_op_t *l) {
  arg_t arg;
  combination_t found[LINALG_MAX_OPERANDS];
  if (find_arg(l, &arg)) {
    read_arg(l, &arg);
    return;
  }
  for (int r = 0; r < l->n_outputs; r++) {
    found[r] = find_combination(l, r);
    if (!found[r].combiner) {
      tir_refuse(l->o,
                 "a body whose result %d is neither a sum, product, extreme, and, or, xor, nor the place of an "
                 "extreme",
                 r);
      return;
    }
  }
  bool is_sum = !strcmp(found[0].combiner->kind, "add") && element_type(found[0].element) != STRATA_DTYPE_BOOL;
  const char *value = NULL;
  if (l->n_outputs == 1 && is_sum)
    value = linalg_contraction(l, 0, found[0].element);
  if (l->n_outputs == 1 && !value)
    value = linalg_window(l, found[0].combiner, found[0].element);
  if (value)
    read_reduction(l, 0, &found[0], value);
  else
    read_reductions(l, found);
}
