// Sums of products of windows and kernels as convolutions: which dims are batches, channels and groups, the maps say.
#include "dialects/import/linalg/linalg.h"

// The loops of each part; -1: there is none.
typedef struct {
  int batch, group, in, out;
  int n; // spatial dims
  linalg_place_t places[TIR_MAX_RANK];
  int x, kernel;                                         // operands
  int x_order[TIR_MAX_RANK], kernel_order[TIR_MAX_RANK]; // of their dims: loops, an outer one for a place
} conv_t;

static int64_t loops_of_map(const linalg_op_t *l, MlirAffineMap map) {
  int64_t mask = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    mask |= linalg_loops_of(mlirAffineMapGetResult(map, i), l->loops.type.rank);
  return mask;
}

static bool set_once(int *part, int loop) {
  bool is_new = *part < 0;
  *part = loop;
  return is_new;
}

static bool read_kernel(const linalg_op_t *l, conv_t *c) {
  MlirAffineMap map = l->maps[c->kernel];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (!linalg_is_loop(mlirAffineMapGetResult(map, i), &c->kernel_order[i]))
      return false;
  return true;
}

// The dims of the windows' operand: places, and loops of the other parts.
static bool read_x(const linalg_op_t *l, conv_t *c, int64_t kernel_mask) {
  MlirAffineMap map = l->maps[c->x];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    int loop;
    if (linalg_is_place(l, expr, &c->places[c->n])) {
      linalg_place_t *place = &c->places[c->n++];
      c->x_order[i] = place->outer;
      if (!(kernel_mask >> place->inner & 1) || kernel_mask >> place->outer & 1)
        return false;
      continue;
    }
    if (!linalg_is_loop(expr, &loop))
      return false;
    c->x_order[i] = loop;
    bool is_summed = l->loops.is_summed[loop], in_kernel = kernel_mask >> loop & 1;
    if (!set_once(is_summed ? &c->in : in_kernel ? &c->group : &c->batch, loop))
      return false;
  }
  return true;
}

// The output channels are what is left.
static bool read_rest(const linalg_op_t *l, conv_t *c, int64_t x_mask, int64_t kernel_mask) {
  int64_t inner = 0, outer = 0;
  for (int i = 0; i < c->n; i++) {
    if ((inner >> c->places[i].inner & 1) || (outer >> c->places[i].outer & 1))
      return false;
    inner |= INT64_C(1) << c->places[i].inner;
    outer |= INT64_C(1) << c->places[i].outer;
  }
  for (int loop = 0; loop < l->loops.type.rank; loop++)
    if (!(x_mask >> loop & 1) && (l->loops.is_summed[loop] || !set_once(&c->out, loop)))
      return false;
  if ((c->in >= 0 && !(kernel_mask >> c->in & 1)) || (c->batch >= 0 && kernel_mask >> c->batch & 1))
    return false;
  int parts[] = {c->group, c->in, c->out};
  for (int i = 0; i < 3; i++)
    if (parts[i] >= 0 && l->loops.type.dims[parts[i]] < 1)
      return false;
  return c->n > 0;
}

static bool read_convolution(const linalg_op_t *l, conv_t *c) {
  int64_t masks[2] = {loops_of_map(l, l->maps[c->x]), loops_of_map(l, l->maps[c->kernel])};
  c->batch = c->group = c->in = c->out = -1;
  return mlirAffineMapGetNumResults(l->maps[c->kernel]) <= l->loops.type.rank && read_kernel(l, c) &&
         read_x(l, c, masks[1]) && read_rest(l, c, masks[0], masks[1]);
}

//===-- Building -------------------------------------------------------------------------------------------------===//

static int place_of(int rank, const int *order, int loop) {
  for (int i = 0; i < rank; i++)
    if (order[i] == loop)
      return i;
  return -1;
}

static int64_t count_of(const linalg_op_t *l, int loop) { return loop < 0 ? 1 : l->loops.type.dims[loop]; }

// |x| with the dims |wanted|, of which -1 are left out.
static const char *ordered(linalg_op_t *l, const char *x, int rank, const int *order, int count, const int *wanted) {
  int64_t permutation[TIR_MAX_RANK];
  int n = 0;
  for (int i = 0; i < count; i++)
    if (wanted[i] >= 0)
      permutation[n++] = place_of(rank, order, wanted[i]);
  return n == rank ? tir_transpose(l->o, x, rank, permutation) : x;
}

// [batch, groups * channels, spatial...]
static const char *batched(linalg_op_t *l, const conv_t *c, const char *x, const tir_type_t *type) {
  int wanted[TIR_MAX_RANK + 3] = {c->batch, c->group, c->in};
  const char *sizes[TIR_MAX_RANK + 3];
  int64_t channels = count_of(l, c->group) * count_of(l, c->in), one = 1;
  sizes[0] = c->batch < 0 ? graph_ints(l->o->g, 1, &one) : l->loops.size[c->batch];
  sizes[1] = graph_ints(l->o->g, 1, &channels);
  for (int i = 0; i < c->n; i++) {
    int axis = place_of(type->rank, c->x_order, c->places[i].outer);
    x = linalg_trim(l, x, type, axis, &c->places[i]);
    wanted[3 + i] = c->places[i].outer;
  }
  const char *moved = ordered(l, x, type->rank, c->x_order, 3 + c->n, wanted);
  if (c->batch >= 0 && (c->group < 0) != (c->in < 0))
    return moved;
  for (int i = 0; i < c->n; i++) {
    graph_node_t *node = graph_node(l->o->g, "Shape", GRAPH_VALUES(x));
    int axis = place_of(type->rank, c->x_order, c->places[i].outer);
    graph_set_int(node, "start", axis);
    graph_set_int(node, "end", axis + 1);
    sizes[2 + i] = graph_result(node, NULL);
  }
  return tir_reshape(l->o, moved, tir_concat(l->o, 0, 2 + c->n, sizes));
}

// [groups * output channels, channels, kernel...]
static const char *grouped(linalg_op_t *l, const conv_t *c, const char *kernel, int rank) {
  int wanted[TIR_MAX_RANK + 3] = {c->group, c->out, c->in};
  int64_t dims[TIR_MAX_RANK + 2] = {count_of(l, c->group) * count_of(l, c->out), count_of(l, c->in)};
  for (int i = 0; i < c->n; i++) {
    wanted[3 + i] = c->places[i].inner;
    dims[2 + i] = l->loops.type.dims[c->places[i].inner];
  }
  kernel = ordered(l, kernel, rank, c->kernel_order, 3 + c->n, wanted);
  return tir_reshape_static(l->o, kernel, 2 + c->n, dims);
}

static const char *conv_node(linalg_op_t *l, const conv_t *c, const char *op, const char *x, const char *kernel) {
  int64_t strides[TIR_MAX_RANK], dilations[TIR_MAX_RANK], shape[TIR_MAX_RANK];
  graph_node_t *node = graph_node(l->o->g, op, GRAPH_VALUES(x, kernel));
  for (int i = 0; i < c->n; i++) {
    strides[i] = c->places[i].stride;
    dilations[i] = c->places[i].dilation;
    shape[i] = l->loops.type.dims[c->places[i].inner];
  }
  graph_set_int(node, "group", count_of(l, c->group));
  graph_set_ints(node, "strides", c->n, strides);
  graph_set_ints(node, "dilations", c->n, dilations);
  graph_set_ints(node, "kernel_shape", c->n, shape);
  return graph_result(node, NULL);
}

// From [batch, groups * output channels, spatial...] to the loops in their order.
static const char *result_of(linalg_op_t *l, const conv_t *c, const char *y) {
  int order[TIR_MAX_RANK + 3] = {c->batch, c->group, c->out}, kept[TIR_MAX_RANK], n = 0;
  const char *sizes[TIR_MAX_RANK + 3];
  for (int i = 0; i < c->n; i++)
    order[3 + i] = c->places[i].outer;
  for (int i = 0; i < 3 + c->n; i++)
    if (order[i] >= 0) {
      sizes[n] = l->loops.size[order[i]];
      kept[n++] = order[i];
    }
  if (!(c->batch >= 0 && (c->group < 0) != (c->out < 0)))
    y = tir_reshape(l->o, y, tir_concat(l->o, 0, n, sizes));
  int64_t permutation[TIR_MAX_RANK];
  int next = 0;
  for (int loop = 0; loop < l->loops.type.rank; loop++)
    if (place_of(n, kept, loop) >= 0)
      permutation[next++] = place_of(n, kept, loop);
  return tir_transpose(l->o, y, n, permutation);
}

static bool is_float(strata_dtype_t dtype) { return strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_FLOAT; }

const char *linalg_convolution(linalg_op_t *l, int r, const int inputs[2]) {
  conv_t c;
  bool is_conv = false;
  for (int i = 0; i < 2 && !is_conv; i++) {
    memset(&c, 0, sizeof c);
    c.x = inputs[i], c.kernel = inputs[1 - i];
    is_conv = read_convolution(l, &c);
  }
  tir_type_t x_type = tir_in_type(l->o, c.x), kernel_type = tir_in_type(l->o, c.kernel);
  strata_dtype_t dtype = tir_out_type(l->o, r).dtype;
  bool is_bytes = x_type.dtype == STRATA_DTYPE_I8 && kernel_type.dtype == STRATA_DTYPE_I8 && dtype == STRATA_DTYPE_I32;
  if (!is_conv || (!is_bytes && !(is_float(x_type.dtype) && is_float(kernel_type.dtype) && is_float(dtype))))
    return NULL;
  const char *x = tir_in(l->o, c.x), *kernel = tir_in(l->o, c.kernel);
  if (!is_bytes && x_type.dtype != dtype)
    x = tir_cast(l->o, x, dtype);
  if (!is_bytes && kernel_type.dtype != dtype)
    kernel = tir_cast(l->o, kernel, dtype);
  x = batched(l, &c, x, &x_type);
  kernel = grouped(l, &c, kernel, kernel_type.rank);
  return result_of(l, &c, conv_node(l, &c, is_bytes ? "ConvInteger" : "Conv", x, kernel));
}
