// Expands composite ops: reads the body of the row and builds primitives as it goes, in the op's place.
//
//   %y = "strata.silu"(%x)      "x / (1 + exp(-x))"
//   ->  %n = "strata.neg"(%x)  %e = "strata.exp"(%n)  %d = "strata.add"(%one, %e)  %y = "strata.div"(%x, %d)
//
// An expression is a tensor, or a number, which becomes a tensor when it meets one. f16 and bf16 are computed in f32 as
// one op would be: converted first, rounded once at the end.
//
//   body           = { name "=" comparison ";" } comparison
//   comparison     = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//   sum            = product { ("+" | "-") product }
//   product        = unary { ("*" | "/") unary }
//   unary          = "-" unary | number | name | name "(" comparison { "," comparison } ")" | "(" comparison ")"
#include "dialects/mlir_util.h"
#include "dialects/strata/jagged.h"
#include "dialects/strata/record.h"
#include "dialects/strata/scalar.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
  enum { NUMBER, TENSOR, ATTRIBUTE, RESULT } kind;
  double number;
  MlirValue tensor;
  const strata__attr_t *attr;
} term_t;

enum { MAX_NAMES = 16, MAX_ARGS = 7 };

typedef struct {
  strata_builder_t builder;
  const char *at; // the rest of the body
  int n_names;
  struct {
    MlirStringRef name;
    term_t term;
  } names[MAX_NAMES];
  strata__attr_t attrs[STRATA__MAX_ATTRS];
  strata_shape_t expected; // the result's
  strata__checked_list_t *checked;
} expander_t;

static term_t tensor(MlirValue value) { return (term_t){.kind = TENSOR, .tensor = value}; }
static term_t number(double value) { return (term_t){.kind = NUMBER, .number = value}; }

// The bodies are ours: what is wrong with one is a bug, found by the test that expands every row.
static term_t fail(expander_t *x, const char *what) {
  return tensor(
      strata_build_fail(&x->builder, strata_error(STRATA_INTERNAL, "composites.def: %s at '%s'", what, x->at)));
}

//===-- Tokens ---------------------------------------------------------------------------------------------------===//

static const char *peek(expander_t *x) {
  x->at += strspn(x->at, " ");
  return x->at;
}

static bool accept(expander_t *x, const char *token) {
  size_t length = strlen(token);
  if (strncmp(peek(x), token, length) != 0)
    return false;
  x->at += length;
  return true;
}

static MlirStringRef read_name(expander_t *x) {
  const char *start = peek(x);
  while (isalnum((unsigned char)*x->at) || *x->at == '_')
    x->at++;
  return mlirStringRefCreate(start, (size_t)(x->at - start));
}

static void define(expander_t *x, MlirStringRef name, term_t term) {
  if (x->n_names == MAX_NAMES) {
    fail(x, "too many names");
    return;
  }
  x->names[x->n_names].name = name;
  x->names[x->n_names++].term = term;
}

//===-- Terms ----------------------------------------------------------------------------------------------------===//

// A fraction among integers: the composite does not take them.
static term_t unfit(expander_t *x, double value, strata_type_t type) {
  return tensor(
      strata_build_fail(&x->builder, strata__invalid("expected an operand of a float type for the factor %g, got %s",
                                                     value, strata_type_info[type].mlir_name)));
}

// Numbers become tensors of the shape and type of the first tensor from |first| on.
static bool make_tensors(expander_t *x, int first, int n_args, term_t *args) {
  int like = first;
  while (like < n_args && args[like].kind != TENSOR)
    like++;
  if (like == n_args)
    return false;
  strata_shape_t shape = strata_shape_of(args[like].tensor);
  for (int i = first; i < n_args; i++) {
    if (args[i].kind == ATTRIBUTE || args[i].kind == RESULT)
      return false;
    if (args[i].kind == NUMBER && strata_type_info[shape.type].kind != STRATA_TYPE_KIND_FLOAT &&
        args[i].number != trunc(args[i].number))
      args[i] = unfit(x, args[i].number, shape.type);
    else if (args[i].kind == NUMBER)
      args[i] = tensor(strata_build_splat(&x->builder, &shape, args[i].number));
  }
  return true;
}

static term_t apply_to_numbers(expander_t *x, strata_op_id_t op, int n_args, const term_t *args) {
  const strata__scalar_t *scalar = &strata__scalar[op];
  if (n_args == 1 && scalar->float1)
    return number(scalar->float1(args[0].number));
  if (n_args == 2 && scalar->float2)
    return number(scalar->float2(args[0].number, args[1].number));
  return fail(x, "numbers only");
}

static term_t apply(expander_t *x, strata_op_id_t op, int n_args, term_t *args) {
  strata_builder_t *b = &x->builder;
  if (b->status)
    return tensor((MlirValue){0});
  if (!make_tensors(x, op == STRATA_OP_SELECT ? 1 : 0, n_args, args))
    return apply_to_numbers(x, op, n_args, args);
  if (n_args == 1)
    return tensor(strata_build_unary(b, op, args[0].tensor));
  strata_build_broadcast_pair(b, &args[n_args - 2].tensor, &args[n_args - 1].tensor);
  if (n_args == 2)
    return tensor(strata_build_binary(b, op, args[0].tensor, args[1].tensor));
  strata_build_broadcast_pair(b, &args[0].tensor, &args[1].tensor);
  strata_build_broadcast_pair(b, &args[0].tensor, &args[2].tensor);
  return tensor(strata_build_select(b, args[0].tensor, args[1].tensor, args[2].tensor));
}

static term_t apply2(expander_t *x, strata_op_id_t op, term_t lhs, term_t rhs) {
  return apply(x, op, 2, (term_t[]){lhs, rhs});
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

static const struct {
  const char *name;
  strata_combiner_t combiner;
} reductions[] = {{"sum", STRATA_COMBINER_ADD},
                  {"mean", STRATA_COMBINER_ADD},
                  {"greatest", STRATA_COMBINER_MAX},
                  {"least", STRATA_COMBINER_MIN}};

// The number of elements along the axes, which are valid.
static strata_dim_t count_along(MlirValue value, const strata__attr_t *axes) {
  strata_shape_t shape = strata_shape_of(value);
  strata_dim_t dims[STRATA_MAX_RANK];
  for (int i = 0; i < axes->count; i++)
    dims[i] = shape.dims[axes->i64s[i]];
  return strata_dim_product(mlirTypeGetContext(mlirValueGetType(value)), axes->count, dims);
}

static term_t reduce(expander_t *x, strata_combiner_t combiner, bool is_mean, const term_t *args) {
  if (args[0].kind != TENSOR || args[1].kind != ATTRIBUTE)
    return fail(x, "expected a tensor and axes");
  const strata__attr_t *axes = args[1].attr;
  MlirValue result = strata_build_reduce(&x->builder, combiner, args[0].tensor, axes->count, axes->i64s, true);
  if (!is_mean || x->builder.status)
    return tensor(result);
  strata_dim_t count = count_along(args[0].tensor, axes);
  int64_t known;
  if (strata_dim_is_constant(count, &known))
    return apply2(x, STRATA_OP_DIV, tensor(result), number((double)known));
  return apply2(x, STRATA_OP_DIV, tensor(result),
                tensor(strata_build_dim(&x->builder, count, strata_shape_of(result).type)));
}

// [C] as [C, 1, ...], which lines up with dim 1 of |like|.
static term_t per_channel(expander_t *x, const term_t *args) {
  if (args[0].kind != TENSOR || args[1].kind != TENSOR || x->builder.status)
    return fail(x, "expected two tensors");
  strata_shape_t channels = strata_shape_of(args[0].tensor), like = strata_shape_of(args[1].tensor);
  if (channels.rank != 1 || like.rank < 2)
    return tensor(
        strata_build_fail(&x->builder, strata__invalid("expected channels of rank 1 for a tensor of rank 2 or more, "
                                                       "got ranks %d and %d",
                                                       channels.rank, like.rank)));
  for (int i = 1; i < like.rank - 1; i++)
    channels.dims[i] = strata_dim_constant(x->builder.compile->context, 1);
  return tensor(strata_build_reshape(&x->builder, args[0].tensor, like.rank - 1, channels.dims));
}

// A function of jagged.c.
static term_t call_jagged(expander_t *x, strata__jagged_function_t function, const char *letters, const term_t *args) {
  strata__jagged_arg_t values[MAX_ARGS] = {0};
  strata__jagged_t jagged = {&x->builder, x->checked};
  for (int i = 0; letters[i]; i++) {
    bool is_tensor = letters[i] == 't' || (letters[i] == 'r' && args[i].kind == TENSOR);
    if (args[i].kind != (is_tensor ? TENSOR : letters[i] == 'r' ? RESULT : letters[i] == 'n' ? NUMBER : ATTRIBUTE))
      return fail(x, "unexpected argument");
    if (x->builder.status)
      return tensor((MlirValue){0});
    values[i].tensor = args[i].tensor;
    values[i].number = args[i].number;
    if (letters[i] == 'b')
      values[i].flag = args[i].attr->i64s[0];
    else if (letters[i] != 'n')
      values[i].shape = is_tensor ? strata_shape_of(args[i].tensor) : x->expected;
  }
  return tensor(strata__jagged_call(&jagged, function, values));
}

static term_t call(expander_t *x, MlirStringRef name, int n_args, term_t *args) {
  if (n_args == 2 && strata_str_equal(name, "per_channel"))
    return per_channel(x, args);
  for (size_t i = 0; n_args == 2 && i < sizeof reductions / sizeof *reductions; i++)
    if (strata_str_equal(name, reductions[i].name))
      return reduce(x, reductions[i].combiner, strata_str_equal(name, "mean"), args);
  const char *letters = "";
  strata__jagged_function_t function = strata__jagged_function(name, &letters);
  if (function != STRATA__JAGGED_FUNCTIONS && (size_t)n_args == strlen(letters))
    return call_jagged(x, function, letters, args);
  strata_op_id_t op = strata__op_from_name(name);
  if (op == STRATA_OP_COUNT || strata_op_info[op].kind != STRATA_KIND_ELEMENTWISE ||
      strata_op_info[op].n_operands != n_args)
    return fail(x, "unknown function");
  return apply(x, op, n_args, args);
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

static term_t parse_comparison(expander_t *x);

static term_t parse_call(expander_t *x, MlirStringRef name) {
  term_t args[MAX_ARGS];
  int n_args = 0;
  do {
    if (n_args == MAX_ARGS)
      return fail(x, "too many arguments");
    args[n_args++] = parse_comparison(x);
  } while (accept(x, ","));
  return accept(x, ")") ? call(x, name, n_args, args) : fail(x, "expected ')'");
}

static term_t parse_unary(expander_t *x) {
  char next = *peek(x);
  if (accept(x, "-")) {
    term_t operand = parse_unary(x);
    return apply(x, STRATA_OP_NEG, 1, &operand);
  }
  if (accept(x, "(")) {
    term_t inner = parse_comparison(x);
    return accept(x, ")") ? inner : fail(x, "expected ')'");
  }
  if (isdigit((unsigned char)next)) {
    char *end;
    double value = strtod(x->at, &end);
    x->at = end;
    return number(value);
  }
  MlirStringRef name = read_name(x);
  if (accept(x, "("))
    return parse_call(x, name);
  for (int i = 0; i < x->n_names; i++)
    if (mlirStringRefEqual(name, x->names[i].name))
      return x->names[i].term;
  return fail(x, "expected an expression");
}

static term_t parse_product(expander_t *x) {
  term_t result = parse_unary(x);
  for (;;) {
    if (accept(x, "*"))
      result = apply2(x, STRATA_OP_MUL, result, parse_unary(x));
    else if (accept(x, "/"))
      result = apply2(x, STRATA_OP_DIV, result, parse_unary(x));
    else
      return result;
  }
}

static term_t parse_sum(expander_t *x) {
  term_t result = parse_product(x);
  for (;;) {
    if (accept(x, "+"))
      result = apply2(x, STRATA_OP_ADD, result, parse_product(x));
    else if (accept(x, "-"))
      result = apply2(x, STRATA_OP_SUB, result, parse_product(x));
    else
      return result;
  }
}

static term_t parse_comparison(expander_t *x) {
  static const struct {
    const char *token;
    strata_op_id_t op;
  } comparisons[] = {{"<=", STRATA_OP_LE}, {">=", STRATA_OP_GE}, {"==", STRATA_OP_EQ},
                     {"!=", STRATA_OP_NE}, {"<", STRATA_OP_LT},  {">", STRATA_OP_GT}};
  term_t lhs = parse_sum(x);
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (accept(x, comparisons[i].token))
      return apply2(x, comparisons[i].op, lhs, parse_sum(x));
  return lhs;
}

static MlirValue parse_body(expander_t *x) {
  while (!x->builder.status) {
    const char *start = peek(x);
    MlirStringRef name = read_name(x);
    if (name.length > 0 && *peek(x) == '=' && x->at[1] != '=') {
      accept(x, "=");
      define(x, name, parse_comparison(x));
      if (!accept(x, ";"))
        fail(x, "expected ';'");
      continue;
    }
    x->at = start;
    term_t result = parse_comparison(x);
    if (*peek(x) || result.kind != TENSOR)
      fail(x, "expected a tensor and the end");
    return result.tensor;
  }
  return (MlirValue){0};
}

//===-- Ops ------------------------------------------------------------------------------------------------------===//

static void define_operands(expander_t *x, MlirOperation op, const strata__signature_t *signature) {
  bool keeps_type = strata__body_keeps_type(x->at), is_jagged = strata__composite_is_jagged(strata_op_composite(op));
  for (int i = 0; i < signature->n_operands; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    strata_type_t type = strata_shape_of(value).type;
    if (!keeps_type && type != STRATA_TYPE_COUNT && strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT) {
      strata_type_t wide = strata_type_info[type].math_type;
      value = is_jagged
                  ? strata_build_implied_convert(&x->builder, value, wide) // which who walks rows does as it reads
                  : strata_build_convert(&x->builder, STRATA_OP_CONVERT, value, wide);
    }
    define(x, signature->operands[i], tensor(value));
  }
}

static void define_attrs(expander_t *x, const strata__signature_t *signature) {
  for (int i = 0; i < signature->n_attrs; i++) {
    const strata__attr_spec_t *spec = &signature->attrs[i];
    const strata__attr_t *attr = &x->attrs[i];
    define(x, spec->name,
           spec->kind == STRATA__ATTR_F64 ? number(attr->f64) : (term_t){.kind = ATTRIBUTE, .attr = attr});
  }
}

static strata_status_t expand(strata_compile_t *compile, MlirOperation op, strata__checked_list_t *checked) {
  strata_composite_id_t id = strata_op_composite(op);
  const strata__signature_t *signature = strata__composite_signature(id);
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_shape_t expected = strata_shape_of(result);
  expander_t x = {.expected = expected,
                  .checked = checked,
                  .at = strata_composite_info[id].body,
                  .builder = {.compile = compile,
                              .block = mlirOperationGetBlock(op),
                              .before = op,
                              .location = mlirOperationGetLocation(op),
                              .no_fold = compile->options->disable_constant_folding,
                              .keep_form = true}};
  STRATA_TRY(strata__decode_attrs(op, signature, x.attrs));
  define_attrs(&x, signature);
  define_operands(&x, op, signature);
  define(&x, strata_str("result"), (term_t){.kind = RESULT});
  MlirValue value = parse_body(&x);
  if (!x.builder.status)
    value = strata_build_convert(&x.builder, STRATA_OP_CONVERT, value, expected.type);
  STRATA_TRY(x.builder.status);
  if (!mlirTypeEqual(mlirValueGetType(value), mlirValueGetType(result))) {
    char a[160], b[160];
    strata_shape_t got = strata_shape_of(value);
    return strata__invalid("result: expected %s, got %s", strata__shape_text(&got, a, sizeof a),
                           strata__shape_text(&expected, b, sizeof b));
  }
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
  return NULL;
}

typedef struct {
  strata_arena_t *arena;
  STRATA_VECTOR(MlirOperation) ops;
} found_t;

static MlirWalkResult find_composite(MlirOperation op, void *user) {
  found_t *found = user;
  if (strata_op_composite(op) != STRATA_COMPOSITE_COUNT)
    *strata_vector_push(found->arena, &found->ops) = op;
  return MlirWalkResultAdvance;
}

static found_t find_composites(strata_compile_t *compile) {
  found_t found = {.arena = compile->arena};
  mlirOperationWalk(mlirModuleGetOperation(compile->module), find_composite, &found, MlirWalkPreOrder);
  return found;
}

static strata_status_t expand_all(strata_compile_t *compile, const found_t *found) {
  strata__checked_list_t checked = {0};
  for (size_t i = 0; i < found->ops.count; i++) {
    MlirOperation op = found->ops.data[i];
    const char *name = strata_composite_info[strata_op_composite(op)].name;
    strata_status_t status = expand(compile, op, &checked);
    if (status)
      return strata_status_context(status, "%s", name);
  }
  return NULL;
}

strata_status_t strata__decompose_block(strata_compile_t *compile, MlirBlock block) {
  found_t found = {.arena = compile->arena};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    find_composite(op, &found);
  return expand_all(compile, &found);
}

strata_status_t strata_decompose(strata_compile_t *compile) {
  found_t found = find_composites(compile);
  for (size_t i = 0; i < found.ops.count; i++)
    if (strata_op_composite(found.ops.data[i]) == STRATA_COMPOSITE_PADDED_TO_JAGGED)
      STRATA_TRY(strata__drop_conversion(compile, found.ops.data[i]));
  found = find_composites(compile); // some are new
  return expand_all(compile, &found);
}
