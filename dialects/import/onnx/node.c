// What a reader sees of its node: operands, results, attributes, and the errors it can make.
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/strata/symbols.h"

#include <string.h>

//===-- Errors ---------------------------------------------------------------------------------------------------===//

void onnx_invalid(onnx_node_t *n, const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_build_fail(n->b, strata_error_v(STRATA_INVALID_ARGUMENT, format, args));
  va_end(args);
}

void onnx_unsupported(onnx_node_t *n, const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_build_fail(n->b, strata_error_v(STRATA_UNSUPPORTED, format, args));
  va_end(args);
}

bool onnx_failed(const onnx_node_t *n) { return n->b->status != NULL; }

//===-- Operands and results -------------------------------------------------------------------------------------===//

bool onnx_has(const onnx_node_t *n, int i) { return i < n->n_inputs && n->inputs[i].kind != ONNX_ABSENT; }

bool onnx_is_unsigned(const onnx_node_t *n, int i) { return onnx_has(n, i) && n->inputs[i].is_unsigned; }

MlirValue onnx_operand(onnx_node_t *n, int i) {
  if (onnx_has(n, i) && n->inputs[i].kind == ONNX_TENSOR)
    return n->inputs[i].tensor;
  if (onnx_has(n, i))
    onnx_invalid(n, "operand %d: expected a tensor, got a sequence", i);
  else
    onnx_invalid(n, "operand %d is missing", i);
  return (MlirValue){0};
}

strata_shape_t onnx_shape(MlirValue value) {
  strata_shape_t shape = strata_shape_of(value);
  return shape.type == STRATA_TYPE_COUNT ? (strata_shape_t){.type = STRATA_TYPE_F32} : shape;
}

strata_shape_t onnx_operand_shape(onnx_node_t *n, int i) { return onnx_shape(onnx_operand(n, i)); }

onnx_shape_t onnx_sizes(onnx_node_t *n, MlirValue value) {
  strata_shape_t shape = onnx_shape(value);
  onnx_shape_t result = {.type = shape.type, .rank = shape.rank};
  if (strata_shape_sizes(&shape, result.dims))
    return result;
  for (int i = 0; i < shape.rank && !onnx_failed(n); i++)
    if (!strata_dim_is_constant(shape.dims[i], &result.dims[i]))
      onnx_unsupported(n, "a dimension of size %s, which must be a number: give it with --dim",
                       onnx_dim_text(n, shape.dims[i]));
  return (onnx_shape_t){.type = shape.type};
}

onnx_shape_t onnx_operand_sizes(onnx_node_t *n, int i) { return onnx_sizes(n, onnx_operand(n, i)); }

// "2x3", or "a scalar".
static const char *dims_text(onnx_node_t *n, int rank, const strata_dim_t *dims) {
  const char *text = rank ? "" : "a scalar";
  for (int i = 0; i < rank; i++)
    text = strata_arena_printf(n->b->compile->arena, "%s%s%s", text, i ? "x" : "", onnx_dim_text(n, dims[i]));
  return text;
}

static void wrong_shape(onnx_node_t *n, int i, const strata_shape_t *got, const char *what, int rank,
                        const strata_dim_t *dims) {
  onnx_invalid(n, "operand %d ('%s'): expected %s%s, got %s", i, n->proto->input[i], what, dims_text(n, rank, dims),
               dims_text(n, got->rank, got->dims));
}

void onnx_expect_shape(onnx_node_t *n, int i, int rank, const strata_dim_t *dims) {
  strata_shape_t got = onnx_has(n, i) ? onnx_operand_shape(n, i) : (strata_shape_t){.rank = rank};
  bool fits = !onnx_has(n, i) || got.rank == rank;
  for (int d = 0; onnx_has(n, i) && fits && d < rank; d++)
    fits = onnx_agree(n, got.dims[d], dims[d]);
  if (!fits && !onnx_failed(n))
    wrong_shape(n, i, &got, "", rank, dims);
}

void onnx_expect_broadcast(onnx_node_t *n, int i, int rank, const strata_dim_t *dims) {
  strata_shape_t got = onnx_has(n, i) ? onnx_operand_shape(n, i) : (strata_shape_t){.rank = 0};
  bool fits = got.rank <= rank;
  for (int d = 0; fits && d < got.rank; d++)
    fits = strata_dim_is(got.dims[d], 1) || onnx_agree(n, got.dims[d], dims[rank - got.rank + d]);
  if (!fits && !onnx_failed(n))
    wrong_shape(n, i, &got, "what can be broadcast to ", rank, dims);
}

void onnx_expect_sizes(onnx_node_t *n, int i, int rank, const int64_t *dims) {
  strata_shape_t shape = strata_shape_static(n->b->compile->context, STRATA_TYPE_F32, rank, dims);
  onnx_expect_shape(n, i, rank, shape.dims);
}

void onnx_set_value(onnx_node_t *n, int i, onnx_value_t value) {
  if (i < n->n_outputs)
    n->outputs[i] = value;
}

void onnx_set(onnx_node_t *n, int i, MlirValue value) {
  onnx_set_value(n, i, (onnx_value_t){.kind = ONNX_TENSOR, .tensor = value});
}

void onnx_set_like(onnx_node_t *n, int i, MlirValue value, int operand) {
  bool is_unsigned = onnx_is_unsigned(n, operand);
  onnx_set_value(n, i, (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = value});
}

//===-- Dims -----------------------------------------------------------------------------------------------------===//

strata_dim_t onnx_dim(const onnx_node_t *n, int64_t size) { return strata_dim_constant(n->b->compile->context, size); }

const char *onnx_dim_text(const onnx_node_t *n, strata_dim_t dim) {
  return strata_symbols_text(n->b->compile->arena, &n->importer->symbols, onnx_resolve(n->importer, dim));
}

strata_range_t onnx_dim_range(const onnx_node_t *n, strata_dim_t dim) {
  return strata_dim_range(onnx_resolve(n->importer, dim), &n->importer->symbols);
}

strata_dim_t onnx_derive(onnx_node_t *n, strata_symbol_op_t op, strata_dim_t lhs, strata_dim_t rhs) {
  return strata_symbols_derive(n->b->compile->arena, &n->importer->symbols, op, onnx_resolve(n->importer, lhs),
                               onnx_resolve(n->importer, rhs));
}

bool onnx_agree(onnx_node_t *n, strata_dim_t a, strata_dim_t b) { return onnx_unify(n->importer, a, b); }

void onnx_agree_pair(onnx_node_t *n, MlirValue x, MlirValue y) {
  strata_shape_t a = onnx_shape(x), b = onnx_shape(y);
  for (int i = 1; i <= a.rank && i <= b.rank; i++) {
    strata_dim_t left = a.dims[a.rank - i], right = b.dims[b.rank - i];
    if (!strata_dim_equal(left, right) && !strata_dim_is(left, 1) && !strata_dim_is(right, 1))
      onnx_agree(n, left, right);
  }
}

//===-- Attributes -----------------------------------------------------------------------------------------------===//

static const Onnx__AttributeProto *find_attr(size_t n_attrs, Onnx__AttributeProto **attrs, const char *name) {
  for (size_t i = 0; i < n_attrs; i++)
    if (strcmp(onnx_text(attrs[i]->name), name) == 0)
      return attrs[i];
  return NULL;
}

const Onnx__AttributeProto *onnx_attr(const onnx_node_t *n, const char *name) {
  const Onnx__AttributeProto *attr = find_attr(n->proto->n_attribute, n->proto->attribute, name);
  const char *reference = attr ? onnx_text(attr->ref_attr_name) : "";
  if (!*reference)
    return attr;
  // In the body of a function an attribute may be the caller's, or else the function's default.
  attr = n->scope->caller ? onnx_attr(n->scope->caller, reference) : NULL;
  return attr ? attr : find_attr(n->scope->n_defaults, n->scope->defaults, reference);
}

bool onnx_has_attr(const onnx_node_t *n, const char *name) { return onnx_attr(n, name) != NULL; }

// An attribute that must be of |type|, if it is there at all.
static const Onnx__AttributeProto *typed_attr(const onnx_node_t *n, const char *name,
                                              Onnx__AttributeProto__AttributeType type) {
  const Onnx__AttributeProto *attr = onnx_attr(n, name);
  if (!attr || !attr->has_type || attr->type == type)
    return attr;
  strata_build_fail(
      n->b, strata_error(STRATA_INVALID_ARGUMENT, "attribute '%s': expected type %d, got %d", name, type, attr->type));
  return NULL;
}

int64_t onnx_attr_int(const onnx_node_t *n, const char *name, int64_t otherwise) {
  const Onnx__AttributeProto *attr = typed_attr(n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
  return attr ? attr->i : otherwise;
}

double onnx_attr_float(const onnx_node_t *n, const char *name, double otherwise) {
  const Onnx__AttributeProto *attr = typed_attr(n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
  return attr ? (double)attr->f : otherwise;
}

const char *onnx_attr_string(const onnx_node_t *n, const char *name, const char *otherwise) {
  const Onnx__AttributeProto *attr = typed_attr(n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
  if (!attr)
    return otherwise;
  char *text = strata_arena_alloc(n->b->compile->arena, attr->s.len + 1);
  if (attr->s.len)
    memcpy(text, attr->s.data, attr->s.len);
  return text;
}

bool onnx_attr_is(const onnx_node_t *n, const char *name, const char *value) {
  return strcmp(onnx_attr_string(n, name, ""), value) == 0;
}

const int64_t *onnx_attr_ints(const onnx_node_t *n, const char *name, int64_t *out_count) {
  static const int64_t none = 0;
  const Onnx__AttributeProto *attr = typed_attr(n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
  *out_count = attr ? (int64_t)attr->n_ints : 0;
  if (!attr)
    return NULL;
  return attr->n_ints ? attr->ints : &none;
}

void onnx_attr_ints_or(onnx_node_t *n, const char *name, int count, int64_t otherwise, int64_t *out) {
  int64_t got;
  const int64_t *values = onnx_attr_ints(n, name, &got);
  for (int i = 0; i < count; i++)
    out[i] = values && got == count ? values[i] : otherwise;
  if (values && got != count)
    onnx_invalid(n, "attribute '%s': expected %d integers, got %lld", name, count, (long long)got);
}

const int64_t *onnx_ints(onnx_node_t *n, const char *attr, int i, int64_t *out_count) {
  return onnx_has_attr(n, attr) ? onnx_attr_ints(n, attr, out_count) : onnx_constant_ints(n, i, out_count);
}

const strata_dim_t *onnx_dims_or_attr(onnx_node_t *n, const char *attr, int i, int64_t *out_count) {
  if (!onnx_has_attr(n, attr))
    return onnx_dims(n, i, out_count);
  const int64_t *values = onnx_attr_ints(n, attr, out_count);
  strata_dim_t *dims = strata_arena_array(n->b->compile->arena, strata_dim_t, *out_count + 1);
  for (int64_t k = 0; k < *out_count; k++)
    dims[k] = onnx_dim(n, values[k]);
  return dims;
}

const strata_dim_t *onnx_required_dims(onnx_node_t *n, const char *attr, int i, int64_t *out_count) {
  const strata_dim_t *dims = onnx_dims_or_attr(n, attr, i, out_count);
  if (!dims && !onnx_failed(n))
    onnx_invalid(n, "'%s' is missing: expected an attribute or operand %d", attr, i);
  return dims;
}

const int64_t *onnx_required_ints(onnx_node_t *n, const char *attr, int i, int64_t *out_count) {
  const int64_t *values = onnx_ints(n, attr, i, out_count);
  if (!values && !onnx_failed(n))
    onnx_invalid(n, "'%s' is missing: expected an attribute or operand %d", attr, i);
  return values;
}

//===-- Axes -----------------------------------------------------------------------------------------------------===//

int onnx_axis(onnx_node_t *n, int64_t axis, int rank) {
  if (axis >= -rank && axis < rank)
    return (int)(axis < 0 ? axis + rank : axis);
  onnx_invalid(n, "axis: expected %d to %d, got %lld", -rank, rank - 1, (long long)axis);
  return 0;
}

void onnx_axes(onnx_node_t *n, const int64_t *axes, int64_t count, int rank, bool *out) {
  for (int i = 0; i < rank; i++)
    out[i] = false;
  for (int64_t i = 0; i < count && !onnx_failed(n); i++) {
    int axis = onnx_axis(n, axes[i], rank);
    if (onnx_failed(n))
      return;
    if (out[axis])
      onnx_invalid(n, "axes: axis %d is given twice", axis);
    out[axis] = true;
  }
}

int onnx_axis_list(onnx_node_t *n, const int64_t *axes, int64_t count, int rank, int *out) {
  bool seen[STRATA_MAX_RANK];
  if (axes)
    onnx_axes(n, axes, count, rank, seen);
  else if (count != rank)
    onnx_invalid(n, "expected a value for each of %d dimensions, got %lld", rank, (long long)count);
  for (int i = 0; i < count && !onnx_failed(n); i++)
    out[i] = axes ? onnx_axis(n, axes[i], rank) : i;
  return onnx_failed(n) ? 0 : (int)count;
}

//===-- Element types --------------------------------------------------------------------------------------------===//

static const struct {
  strata_type_t type;
  bool is_unsigned;
} element_types[STRATA_DTYPE_COUNT] = {
    [STRATA_DTYPE_NONE] = {STRATA_TYPE_COUNT, false},
    [STRATA_DTYPE_E4M3FNUZ] = {STRATA_TYPE_E4M3FNUZ, false},
    [STRATA_DTYPE_E5M2FNUZ] = {STRATA_TYPE_E5M2FNUZ, false},
    [STRATA_DTYPE_F64] = {STRATA_TYPE_F64, false},
    [STRATA_DTYPE_F32] = {STRATA_TYPE_F32, false},
    [STRATA_DTYPE_F16] = {STRATA_TYPE_F16, false},
    [STRATA_DTYPE_BF16] = {STRATA_TYPE_BF16, false},
    [STRATA_DTYPE_E4M3] = {STRATA_TYPE_E4M3, false},
    [STRATA_DTYPE_E5M2] = {STRATA_TYPE_E5M2, false},
    [STRATA_DTYPE_BOOL] = {STRATA_TYPE_I1, false},
    [STRATA_DTYPE_I4] = {STRATA_TYPE_I4, false},
    [STRATA_DTYPE_U4] = {STRATA_TYPE_I4, true},
    [STRATA_DTYPE_I8] = {STRATA_TYPE_I8, false},
    [STRATA_DTYPE_U8] = {STRATA_TYPE_I8, true},
    [STRATA_DTYPE_I16] = {STRATA_TYPE_I16, false},
    [STRATA_DTYPE_U16] = {STRATA_TYPE_I16, true},
    [STRATA_DTYPE_I32] = {STRATA_TYPE_I32, false},
    [STRATA_DTYPE_U32] = {STRATA_TYPE_I32, true},
    [STRATA_DTYPE_I64] = {STRATA_TYPE_I64, false},
    [STRATA_DTYPE_U64] = {STRATA_TYPE_I64, true},
};

strata_type_t onnx_dtype_element_type(strata_dtype_t dtype, bool *out_is_unsigned) {
  *out_is_unsigned = element_types[dtype].is_unsigned;
  return element_types[dtype].type;
}

bool onnx_element_type(int64_t data_type, strata_type_t *out_type, bool *out_is_unsigned) {
  *out_type = onnx_dtype_element_type(strata_dtype_from_onnx(data_type), out_is_unsigned);
  return *out_type != STRATA_TYPE_COUNT;
}

const char *onnx_type_name(strata_type_t type, bool is_unsigned) {
  for (int i = 1; i < STRATA_DTYPE_COUNT; i++)
    if (element_types[i].type == type && element_types[i].is_unsigned == is_unsigned)
      return strata_dtype_info[i].name;
  return "an unknown type";
}

const char *onnx_data_type_name(int64_t data_type) {
  const ProtobufCEnumValue *value = NULL;
  if (data_type >= 0 && data_type <= INT32_MAX)
    value = protobuf_c_enum_descriptor_get_value(&onnx__tensor_proto__data_type__descriptor, (int)data_type);
  return value ? value->name : "an unknown type";
}
