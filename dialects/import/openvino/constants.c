// Constants: the bytes of the .bin where they lie, and the values of those that decide what is built.
#include "dialects/import/openvino/openvino.h"

#include <math.h>
#include <string.h>

enum {
  MAX_VALUES = 1 << 16, // of a constant that decides what is built
  MAX_CONVERSIONS = 4,  // of a constant, one after the other
};

//===-- In the file ----------------------------------------------------------------------------------------------===//

static const char *read_shape(ir_importer_t *importer, const ir_layer_t *layer, strata_tensor_t *tensor) {
  strata_arena_t *arena = importer->compile->arena;
  const char *shape = xml_attribute(layer->data, "shape");
  tensor->rank = ir_parse_ints(shape ? shape : "", STRATA_MAX_RANK, tensor->shape);
  bool is_good = tensor->rank >= 0;
  for (int i = 0; i < tensor->rank; i++)
    is_good = is_good && tensor->shape[i] >= 0;
  return is_good ? NULL
                 : strata_arena_printf(arena, "attribute 'shape': expected at most %d sizes, got '%s'", STRATA_MAX_RANK,
                                       shape ? shape : "");
}

static const char *read_place(ir_importer_t *importer, const ir_layer_t *layer, strata_tensor_t *tensor) {
  strata_arena_t *arena = importer->compile->arena;
  const char *offset = xml_attribute(layer->data, "offset"), *size = xml_attribute(layer->data, "size");
  int64_t at = -1, length = -1, count = 1;
  if (!importer->has_weights)
    return strata_arena_printf(arena, "there is no file of weights '%s'", importer->weights_path);
  if (!offset || !size || ir_parse_ints(offset, 1, &at) != 1 || ir_parse_ints(size, 1, &length) != 1 || at < 0 ||
      length < 0)
    return "attributes 'offset' and 'size': expected a place in the file of weights";
  for (int i = 0; i < tensor->rank; i++)
    if (__builtin_mul_overflow(count, tensor->shape[i], &count))
      return "the shape is too large";
  if (!strata_dtype_size(tensor->dtype, count, &tensor->size) || tensor->size > (size_t)length)
    return strata_arena_printf(arena, "the shape needs more than the %lld bytes that there are", (long long)length);
  if ((size_t)at > importer->weights.size || (size_t)length > importer->weights.size - (size_t)at)
    return strata_arena_printf(arena, "expected %lld bytes at %lld of '%s', which has %zu", (long long)length,
                               (long long)at, importer->weights_path, importer->weights.size);
  static const char nothing;
  const void *data = tensor->size ? (const void *)(importer->weights.data + at) : &nothing;
  tensor->data = (void *)(uintptr_t)data; // nobody writes to it
  return NULL;
}

const char *ir_read_constant(ir_importer_t *importer, const ir_layer_t *layer, strata_tensor_t *out_tensor,
                             const ir_type_t **out_type) {
  const char *name = xml_attribute(layer->data, "element_type");
  const ir_type_t *type = name ? ir_type_by_name(name) : NULL;
  if (!type || type->dtype == STRATA_DTYPE_NONE)
    return strata_arena_printf(importer->compile->arena, "elements of type '%s'", name ? name : "");
  *out_type = type;
  *out_tensor = (strata_tensor_t){.dtype = type->dtype};
  const char *problem = read_shape(importer, layer, out_tensor);
  return problem ? problem : read_place(importer, layer, out_tensor);
}

//===-- The layer ------------------------------------------------------------------------------------------------===//

// The numbers that types of codes stand for.
static const double nf4[16] = {-1.0,
                               -0.6961928009986877,
                               -0.5250730514526367,
                               -0.39491748809814453,
                               -0.28444138169288635,
                               -0.18477343022823334,
                               -0.09105003625154495,
                               0.0,
                               0.07958029955625534,
                               0.16093020141124725,
                               0.24611230194568634,
                               0.33791524171829224,
                               0.44070982933044434,
                               0.5626170039176941,
                               0.7229568362236023,
                               1.0};
static const double e2m1[16] = {0.0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};

static double decode(ir_table_t table, int code) {
  if (table == IR_TABLE_NF4)
    return nf4[code];
  if (table == IR_TABLE_E2M1)
    return e2m1[code];
  return code == 255 ? (double)NAN : ldexp(1, code - 127);
}

// A constant of codes as one of f32: a lookup, which depends on constants only.
static const char *look_up(ir_node_t *n, const char *codes, const ir_type_t *type) {
  int count = 1 << type->bits;
  strata_tensor_t table = {.dtype = STRATA_DTYPE_F32, .rank = 1, .shape = {count}, .size = (size_t)count * 4};
  float *values = strata_arena_array(graph_arena(n->g), float, count);
  for (int i = 0; i < count; i++)
    values[i] = (float)decode(type->table, i);
  table.data = values;
  const char *name = graph_constant(n->g, graph_fresh(n->g, type->name), &table);
  return ir_binary(n, "Gather", name, graph_cast(n->g, codes, STRATA_DTYPE_I32));
}

void ir_translate_const(ir_node_t *n) {
  strata_tensor_t tensor;
  const ir_type_t *type;
  const char *name = n->layer->name, *problem = ir_read_constant(n->importer, n->layer, &tensor, &type);
  if (problem) {
    ir_refuse(n, "%s", problem);
    return;
  }
  if (strata_string_map_put(graph_arena(n->g), &n->importer->names, name, n))
    name = graph_fresh(n->g, name);
  const char *value = graph_constant(n->g, name, &tensor);
  ir_set(n, 0, type->table == IR_TABLE_NONE ? value : look_up(n, value, type));
}

//===-- What translators read ------------------------------------------------------------------------------------===//

bool ir_find_constant(ir_node_t *n, int i, strata_tensor_t *out_tensor) {
  const ir_type_t *type;
  const ir_layer_t *layer = ir_has(n, i) ? n->layer->inputs[i].from : NULL;
  // Conversions of constants, which compression puts there; what they lose does not matter to sizes and axes.
  for (int depth = 0; depth < MAX_CONVERSIONS && layer && !strcmp(layer->type, "Convert") && layer->n_inputs == 1;
       depth++)
    layer = layer->inputs[0].from;
  return layer && !strcmp(layer->type, "Const") && !ir_read_constant(n->importer, layer, out_tensor, &type) &&
         type->table == IR_TABLE_NONE;
}

static bool known(ir_node_t *n, int i, strata_tensor_t *tensor) {
  if (!ir_has(n, i))
    ir_refuse(n, "input %d is missing", i);
  else if (!ir_find_constant(n, i, tensor))
    ir_refuse(n, "input %d must be a constant", i);
  else if (strata_tensor_count(tensor) > MAX_VALUES)
    ir_refuse(n, "input %d has more than %d values", i, MAX_VALUES);
  return !n->refusal;
}

static int64_t int_at(const strata_tensor_t *tensor, int64_t at) {
  int64_t value;
  if (tensor->dtype != STRATA_DTYPE_I64)
    return (int64_t)strata_dtype_load(tensor->dtype, tensor->data, (size_t)at);
  memcpy(&value, (const char *)tensor->data + at * 8, 8);
  return value;
}

const int64_t *ir_constant_ints(ir_node_t *n, int i, int *out_count) {
  strata_tensor_t tensor;
  *out_count = 0;
  if (!known(n, i, &tensor))
    return NULL;
  if (strata_dtype_info[tensor.dtype].class_ == STRATA_DTYPE_CLASS_FLOAT) {
    ir_refuse(n, "input %d must be of integers", i);
    return NULL;
  }
  *out_count = (int)strata_tensor_count(&tensor);
  int64_t *values = strata_arena_array(graph_arena(n->g), int64_t, *out_count + 1);
  for (int k = 0; k < *out_count; k++)
    values[k] = int_at(&tensor, k);
  return values;
}

const double *ir_constant_numbers(ir_node_t *n, int i, int *out_count) {
  strata_tensor_t tensor;
  *out_count = 0;
  if (!known(n, i, &tensor))
    return NULL;
  *out_count = (int)strata_tensor_count(&tensor);
  double *values = strata_arena_array(graph_arena(n->g), double, *out_count + 1);
  for (int k = 0; k < *out_count; k++)
    values[k] = strata_dtype_load(tensor.dtype, tensor.data, (size_t)k);
  return values;
}

static bool is_one(ir_node_t *n, int i, int count) {
  if (count != 1)
    ir_refuse(n, "input %d: expected one number, got %d", i, count);
  return count == 1;
}

int64_t ir_constant_int(ir_node_t *n, int i, int64_t otherwise) {
  int count;
  if (!ir_has(n, i))
    return otherwise;
  const int64_t *values = ir_constant_ints(n, i, &count);
  return values && is_one(n, i, count) ? values[0] : otherwise;
}

double ir_constant_number(ir_node_t *n, int i, double otherwise) {
  int count;
  if (!ir_has(n, i))
    return otherwise;
  const double *values = ir_constant_numbers(n, i, &count);
  return values && is_one(n, i, count) ? values[0] : otherwise;
}
