// What a reader knows of its node's operands while it reads: constants, and dims that are computed.
#include "dialects/import/onnx/importer.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/symbols.h"
#include "runtime/base/quote.h"

enum { MAX_FOLD_DEPTH = 256 };

static bool is_constant(MlirValue value) {
  return !mlirValueIsNull(value) && mlirValueIsAOpResult(value) &&
         strata_op_id(mlirOpResultGetOwner(value)) == STRATA_OP_CONSTANT;
}

// Evaluates |op|, whose operands are constants, and puts a constant for its first result before it.
static bool evaluate(onnx_node_t *n, MlirOperation op, MlirValue *out_value) {
  strata_compile_t *compile = n->b->compile;
  const void *operands[3];
  void *results[2];
  bool is_splat;
  for (int i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!strata_constant_bytes(compile, mlirOperationGetOperand(op, i), &operands[i], &is_splat) || is_splat)
      return false;
  for (int i = 0; i < mlirOperationGetNumResults(op); i++) {
    strata_shape_t shape = strata_shape_of(mlirOperationGetResult(op, i));
    int64_t count = strata_shape_count(&shape);
    if (count < 0 || count > STRATA_FOLD_LIMIT)
      return false;
    results[i] = strata_arena_alloc(compile->arena, (size_t)strata_type_storage_size(shape.type, count));
  }
  strata_status_t status = strata_evaluate(compile, op, operands, results);
  if (status) {
    strata_status_free(status);
    return false;
  }
  strata_builder_t before = {.compile = compile, .block = n->b->block, .before = op, .location = n->b->location};
  strata_shape_t shape = strata_shape_of(mlirOperationGetResult(op, 0));
  *out_value = strata_build_constant(&before, &shape, "folded", results[0]);
  strata_status_free(before.status);
  return !before.status;
}

// The constant that |value| is, at once or by evaluating what it is computed from: shapes need it.
// Operands are replaced by what they were folded to, so that no op is evaluated twice.
static bool fold(onnx_node_t *n, MlirValue value, int depth, MlirValue *out_constant) {
  *out_constant = value;
  if (is_constant(value))
    return true;
  if (mlirValueIsNull(value) || !mlirValueIsAOpResult(value) || depth == MAX_FOLD_DEPTH)
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (strata_op_id(op) == STRATA_OP_COUNT || mlirOpResultGetResultNumber(value) != 0)
    return false;
  for (int i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand;
    if (!fold(n, mlirOperationGetOperand(op, i), depth + 1, &operand))
      return false;
    mlirOperationSetOperand(op, i, operand);
  }
  return evaluate(n, op, out_constant);
}

// The elements that sizes are part of, but do not change: of the rank of a shape, of conditions on sizes.
static bool known_elements(onnx_node_t *n, MlirValue value, const int64_t **out_values, int64_t *out_count) {
  const strata_dim_value_t *elements;
  if (!n->importer->symbols.list.count ||
      !strata_dim_values(n->b->compile, &n->importer->symbols, value, &elements, out_count))
    return false;
  int64_t *values = strata_arena_array(n->b->compile->arena, int64_t, *out_count + 1);
  for (int64_t i = 0; i < *out_count; i++)
    if (mlirAffineExprIsNull(elements[i].dim) || elements[i].divisor != 1 ||
        !strata_dim_is_constant(elements[i].dim, &values[i]))
      return false;
  *out_values = values;
  return true;
}

bool onnx_is_known(onnx_node_t *n, MlirValue value) {
  MlirValue constant;
  return fold(n, value, 0, &constant);
}

bool onnx_known_ints(onnx_node_t *n, MlirValue value, const int64_t **out_values, int64_t *out_count) {
  MlirValue constant;
  int64_t *values;
  if (!fold(n, value, 0, &constant))
    return known_elements(n, value, out_values, out_count);
  if (!strata_constant_i64s(n->b->compile, constant, &values, out_count))
    return false;
  *out_values = values;
  return true;
}

const char *onnx_input_name(const onnx_node_t *n, MlirValue value) {
  onnx_importer_t *importer = n->importer;
  while (mlirValueIsAOpResult(value) && strata_op_id(mlirOpResultGetOwner(value)) == STRATA_OP_RESHAPE)
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  if (!mlirValueIsABlockArgument(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), importer->main))
    return NULL;
  MlirAttribute attrs = importer->argument_attrs.data[mlirBlockArgumentGetArgNumber(value)];
  MlirStringRef name = mlirStringAttrGetValue(mlirDictionaryAttrGetElementByName(attrs, strata_str("strata.name")));
  const char *text = strata_arena_printf(importer->compile->arena, "%.*s", (int)name.length, name.data);
  return strata_string_map_get(&importer->inputs, text) ? text : NULL; // else a weight
}

const char *onnx_binding_hint(const onnx_node_t *n, MlirValue value) {
  strata_arena_t *arena = n->importer->compile->arena;
  const char *name = mlirValueIsNull(value) ? NULL : onnx_input_name(n, value);
  return name ? strata_arena_printf(arena, "; it is an input of the model: give it with --bind-constant %s",
                                    strata_shell_quote(arena, strata_arena_printf(arena, "%s=FILE.npy", name)))
              : "";
}

static void must_be_known(onnx_node_t *n, int i) {
  const char *name = n->proto->input[i];
  if (!onnx_failed(n))
    onnx_unsupported(n, "operand %d ('%s') must be known at compile time%s", i, name,
                     onnx_binding_hint(n, onnx_operand(n, i)));
}

// What stands for operand |i|; null where it is left out, which is an error if the operator requires it.
static MlirValue constant_operand(onnx_node_t *n, int i) {
  bool is_optional = i >= n->info->least;
  return is_optional && !onnx_has(n, i) ? (MlirValue){0} : onnx_operand(n, i);
}

const int64_t *onnx_constant_ints(onnx_node_t *n, int i, int64_t *out_count) {
  const int64_t *values;
  *out_count = 0;
  MlirValue operand = constant_operand(n, i);
  if (mlirValueIsNull(operand))
    return NULL;
  if (onnx_known_ints(n, operand, &values, out_count))
    return values;
  must_be_known(n, i);
  *out_count = 0;
  return NULL;
}

// Floats that sizes are part of, but do not change.
static bool known_floats(onnx_node_t *n, MlirValue value, double **out_values, int64_t *out_count) {
  const strata_dim_value_t *elements;
  int64_t number;
  if (!n->importer->symbols.list.count ||
      !strata_dim_values(n->b->compile, &n->importer->symbols, value, &elements, out_count))
    return false;
  *out_values = strata_arena_array(n->b->compile->arena, double, *out_count + 1);
  for (int64_t i = 0; i < *out_count; i++) {
    if (mlirAffineExprIsNull(elements[i].dim) || !strata_dim_is_constant(elements[i].dim, &number))
      return false;
    (*out_values)[i] = (double)number / (double)elements[i].divisor;
  }
  return true;
}

const double *onnx_constant_floats(onnx_node_t *n, int i, int64_t *out_count) {
  MlirValue constant;
  double *values;
  *out_count = 0;
  MlirValue operand = constant_operand(n, i);
  if (mlirValueIsNull(operand))
    return NULL;
  if (fold(n, operand, 0, &constant) && strata_constant_f64s(n->b->compile, constant, &values, out_count))
    return values;
  if (known_floats(n, operand, &values, out_count))
    return values;
  must_be_known(n, i);
  *out_count = 0;
  return NULL;
}

bool onnx_is_constant(onnx_node_t *n, int i) {
  double *values;
  int64_t count;
  return onnx_is_known(n, onnx_operand(n, i)) || known_floats(n, onnx_operand(n, i), &values, &count);
}

int64_t onnx_constant_int(onnx_node_t *n, int i, int64_t otherwise) {
  int64_t count;
  const int64_t *values = onnx_constant_ints(n, i, &count);
  if (!onnx_has(n, i))
    return otherwise;
  if (!onnx_failed(n) && count != 1)
    onnx_invalid(n, "operand %d: expected one element, got %lld", i, (long long)count);
  return onnx_failed(n) ? otherwise : values[0];
}

// The elements of an operand as dims, null where one is not known; NULL where it is not known how many there are.
static strata_dim_t *elements_as_dims(onnx_node_t *n, MlirValue value, int64_t *out_count) {
  const int64_t *ints;
  const strata_dim_value_t *elements;
  bool are_ints = onnx_known_ints(n, value, &ints, out_count);
  if (!are_ints && !strata_dim_values(n->b->compile, &n->importer->symbols, value, &elements, out_count))
    return NULL;
  strata_dim_t *dims = strata_arena_array(n->b->compile->arena, strata_dim_t, *out_count + 1);
  for (int64_t i = 0; i < *out_count; i++) {
    if (are_ints)
      dims[i] = onnx_dim(n, ints[i]);
    else if (elements[i].divisor == 1)
      dims[i] = elements[i].dim;
  }
  return dims;
}

const strata_dim_t *onnx_place_dims(onnx_node_t *n, const char *attr, int i, int64_t *out_count) {
  MlirValue value = onnx_has_attr(n, attr) || !onnx_has(n, i) ? (MlirValue){0} : onnx_operand(n, i);
  const strata_dim_t *dims = mlirValueIsNull(value) ? NULL : elements_as_dims(n, value, out_count);
  return dims ? dims : onnx_required_dims(n, attr, i, out_count);
}

MlirValue onnx_plain_element(onnx_node_t *n, int i, int64_t index) {
  MlirValue value = onnx_operand(n, i);
  if (onnx_shape(value).rank > 0)
    value = onnx_slice_axis(n, value, 0, index, 1, 1);
  return onnx_reshape(n, value, 0, NULL);
}

MlirValue onnx_element(onnx_node_t *n, int i, int64_t index) {
  return onnx_convert(n, onnx_plain_element(n, i, index), onnx_is_unsigned(n, i), STRATA_TYPE_I64, false);
}

MlirValue onnx_as_sizes(onnx_node_t *n, MlirValue value) {
  strata_shape_t shape = onnx_shape(value);
  strata_symbols_t *symbols = &n->importer->symbols;
  int64_t count = 0, number, n_numbers = 0;
  strata_dim_t *dims = symbols->list.count ? elements_as_dims(n, value, &count) : NULL;
  for (int64_t i = 0; dims && i < count; i++)
    if (mlirAffineExprIsNull(dims[i]) || strata_dim_is_counted(symbols, dims[i]))
      dims = NULL;
    else
      n_numbers += strata_dim_is_constant(dims[i], &number);
  if (!dims || n_numbers == count)
    return value;
  MlirValue sizes =
      strata_build_convert(n->b, STRATA_OP_CONVERT, strata_build_dims(n->b, (int)count, dims), shape.type);
  return strata_build_reshape(n->b, sizes, shape.rank, shape.dims);
}

bool onnx_known_dim(onnx_node_t *n, MlirValue value, strata_dim_t *out) {
  const strata_dim_value_t *elements;
  int64_t count;
  if (!n->importer->symbols.list.count ||
      !strata_dim_values(n->b->compile, &n->importer->symbols, value, &elements, &count) || count != 1 ||
      mlirAffineExprIsNull(elements[0].dim) || elements[0].divisor != 1)
    return false;
  *out = elements[0].dim;
  return true;
}

const strata_dim_t *onnx_dims(onnx_node_t *n, int i, int64_t *out_count) {
  *out_count = 0;
  MlirValue operand = constant_operand(n, i);
  if (mlirValueIsNull(operand))
    return NULL;
  strata_dim_t *dims = elements_as_dims(n, operand, out_count);
  if (onnx_bound_dims(n, i, *out_count, dims))
    return dims;
  *out_count = 0;
  return NULL;
}
