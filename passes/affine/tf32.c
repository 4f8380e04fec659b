// affine-tf32: on GPUs, products of f32 inputs read these as they are, rounded to tf32 on the way, where the model
// finds that faster than kernels in front that convert them to f16.
//
//   nest: %v = load %x   %r = truncf %v : f32 to f16   store %r, %c
//   contract: %a = load %c   %w = extf %a   ... mulf %w, ...
// becomes
//   contract {strata.tf32}: %a = load %x   ... mulf %a, ...
//
// Only where the types were ours to choose: default arithmetic. tf32 has the digits of f16 and the range of f32, so
// nothing is less exact. Inputs are f32 in memory whatever happens; constants are if they are not converted (nobody
// else may read them); what a kernel computes is stored as f16 instead (affine-narrow), for which no launch is spent.
// Products that share a converted input are looked at together.
#include "dialects/affine/contraction.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/problem.h"
#include "passes/affine/stage.h"
#include "passes/pass.h"
#include "passes/target.h"

#include <math.h>

enum { MAX_PRODUCTS = 16, MAX_FOLLOWERS = 32 };

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  strata_nest_graph_t graph;
  bool *is_asked; // by node
} finder_t;

// One operand of a product.
typedef struct {
  int access;             // of the product's nest
  int buffer;             // that holds it as f16
  int converter;          // the node that converts an input into that; negative: a constant
  MlirValue source;       // the input
  MlirAffineMap map;      // dims of the product -> the input
  MlirOperation constant; // stands for the constant in a question
} operand_t;

typedef struct {
  int node;
  operand_t operands[2];
  MlirOperation wide; // the nest that would take its place
} product_t;

typedef struct {
  int count;
  product_t products[MAX_PRODUCTS];
} products_t;

static const strata_nest_node_t *node_of(const finder_t *f, int node) { return &f->graph.nodes.data[node]; }
static const strata_nest_buffer_t *buffer_of(const finder_t *f, int buffer) { return &f->graph.buffers.data[buffer]; }

static MlirType element_of(MlirValue buffer) { return mlirShapedTypeGetElementType(mlirValueGetType(buffer)); }

//===-- Operands -------------------------------------------------------------------------------------------------===//

// The only op that uses |value|; a null operation if there are others.
static MlirOperation only_user(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  bool is_one = !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
  return is_one ? mlirOpOperandGetOwner(use) : (MlirOperation){0};
}

// The f32 that a store rounds to f16; a null value if it does not.
static MlirValue rounded(MlirOperation store) {
  MlirOperation op = strata_def(mlirOperationGetOperand(store, 0));
  if (mlirOperationIsNull(op) || !strata_op_is(op, "arith.truncf") ||
      !mlirTypeIsAF16(mlirValueGetType(mlirOperationGetResult(op, 0))))
    return (MlirValue){0};
  MlirValue wide = mlirOperationGetOperand(op, 0);
  return mlirTypeIsAF32(mlirValueGetType(wide)) ? wide : (MlirValue){0};
}

// True if the buffer is an input of the function that nothing changes.
static bool is_input(const finder_t *f, int buffer) {
  const strata_nest_buffer_t *record = buffer_of(f, buffer);
  return mlirValueIsABlockArgument(record->value) && !record->is_constant && record->n_stores == 0;
}

// An input that |read|'s producer does nothing but convert.
static bool read_input(const finder_t *f, const strata_nest_node_t *product, const strata_nest_read_t *read,
                       operand_t *out) {
  const strata_nest_node_t *node = node_of(f, read->producer);
  const strata_nest_t *nest = node->nest;
  if (nest->is_serial || nest->n_reduction > 0 || nest->n_accesses != 2 || nest->accesses[0].is_store)
    return false;
  const strata_access_t *load = &nest->accesses[0], *store = &nest->accesses[1];
  if (!store->is_store || !mlirOperationIsNull(load->guard) || mlirAffineMapIsNull(load->map) ||
      !is_input(f, node->buffers.data[0]) || !mlirValueEqual(rounded(store->op), load->value))
    return false;
  MlirAffineExpr point[STRATA_MAX_DIMS];
  if (!strata_nest_graph_point(&f->graph, product, read, point))
    return false;
  int n_dims = product->nest->n_parallel + product->nest->n_reduction;
  MlirAffineMap at = mlirAffineMapGet(f->compile->context, n_dims, 0, nest->n_parallel, point);
  out->converter = read->producer;
  out->source = load->buffer;
  out->map = strata_affine_compose(load->map, at, &product->nest->space);
  return true;
}

// A constant that is stored rounded, for this product alone.
static bool is_rounded_constant(const finder_t *f, int buffer) {
  const strata_nest_buffer_t *record = buffer_of(f, buffer);
  if (!record->is_alloc || !record->is_constant || record->readers.count != 1)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(record->value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (strata_op_is(op, "affine.store") && mlirOpOperandGetOperandNumber(use) == 1 && mlirValueIsNull(rounded(op)))
      return false;
    if (!strata_op_is(op, "affine.store") && !strata_op_is(op, "affine.load"))
      return false;
  }
  return true;
}

static bool read_operand(const finder_t *f, const strata_nest_node_t *product, const strata_access_t *access,
                         operand_t *out) {
  MlirOperation widening = only_user(access->value);
  *out = (operand_t){.access = (int)(access - product->nest->accesses), .converter = -1};
  out->buffer = product->buffers.data[out->access];
  if (mlirOperationIsNull(widening) || !strata_op_is(widening, "arith.extf") ||
      mlirOperationIsNull(only_user(mlirOperationGetResult(widening, 0))) || !mlirOperationIsNull(access->guard) ||
      mlirAffineMapIsNull(access->map) || !mlirTypeIsAF16(element_of(access->buffer)))
    return false;
  out->map = access->map;
  for (size_t i = 0; i < product->reads.count; i++)
    if (product->reads.data[i].load == access && buffer_of(f, out->buffer)->is_alloc &&
        read_input(f, product, &product->reads.data[i], out))
      return true;
  return is_rounded_constant(f, out->buffer);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

// True if, behind what is elementwise, the result is reduced or multiplied: scores of attention, which a kernel of its
// own may compute.
static bool feeds_more(const finder_t *f, int node) {
  strata_ints_t found = {0};
  for (size_t next = 0;; node = found.data[next++]) {
    const strata_ints_t *after = &node_of(f, node)->after;
    for (size_t i = 0; i < after->count; i++) {
      const strata_nest_node_t *record = node_of(f, after->data[i]);
      if (!record->nest || record->class != STRATA_NEST_MAP || found.count == MAX_FOLLOWERS)
        return true;
      if (!strata_ints_contain(&found, after->data[i]))
        *strata_vector_push(f->graph.arena, &found) = after->data[i];
    }
    if (next == found.count)
      return false;
  }
}

static bool read_product(const finder_t *f, int node, product_t *out) {
  const strata_nest_node_t *record = node_of(f, node);
  strata_contraction_t c;
  *out = (product_t){.node = node};
  if (!record->nest || record->class != STRATA_NEST_ANCHOR || record->is_constant ||
      !strata_nest_contraction(record->nest, &c) || !read_operand(f, record, c.lhs, &out->operands[0]) ||
      !read_operand(f, record, c.rhs, &out->operands[1]))
    return false;
  int n_inputs = (out->operands[0].converter >= 0) + (out->operands[1].converter >= 0);
  return n_inputs == 1 || (n_inputs == 2 && !feeds_more(f, node));
}

static bool has_product(const products_t *set, int node) {
  bool result = false;
  for (int i = 0; i < set->count; i++)
    result |= set->products[i].node == node;
  return result;
}

// |node| and all products that read a converted input with it; false if somebody else does.
static bool gather(const finder_t *f, int node, products_t *out) {
  out->count = 0;
  if (!read_product(f, node, &out->products[out->count++]))
    return false;
  for (int i = 0; i < out->count; i++)
    for (int k = 0; k < 2; k++) {
      const operand_t *operand = &out->products[i].operands[k];
      const strata_ints_t *readers = &buffer_of(f, operand->buffer)->readers;
      for (size_t j = 0; operand->converter >= 0 && j < readers->count; j++)
        if (!has_product(out, readers->data[j]) &&
            (out->count == MAX_PRODUCTS || !read_product(f, readers->data[j], &out->products[out->count++])))
          return false;
    }
  return true;
}

//===-- Times ----------------------------------------------------------------------------------------------------===//

// What stands for a constant while the model is asked.
static MlirOperation create_constant(const finder_t *f, const operand_t *operand, MlirOperation before, MlirType type) {
  int64_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_static_sizes(buffer_of(f, operand->buffer)->value, sizes);
  MlirType memref = mlirMemRefTypeContiguousGet(type, rank, sizes, (MlirAttribute){0});
  strata_named_attr_t name = {"name", mlirFlatSymbolRefAttrGet(f->compile->context, strata_str("constant"))};
  MlirOperation op =
      strata_op_create(mlirOperationGetLocation(before), "memref.get_global", 0, NULL, 1, &memref, 1, &name, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  return op;
}

// Lets the |copy| of a product's nest read the operand from |source|, as f32 or as it was.
static void redirect(const strata_nest_t *copy, const operand_t *operand, MlirValue source) {
  const strata_access_t *access = &copy->accesses[operand->access];
  bool is_wide = mlirTypeIsAF32(element_of(source));
  mlirOperationSetOperand(access->op, 0, source);
  if (!is_wide)
    return;
  MlirOperation widening = only_user(access->value);
  mlirValueSetType(access->value, mlirValueGetType(mlirOperationGetResult(widening, 0)));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(widening, 0), access->value);
  mlirOperationDestroy(widening);
  strata_nest_set_map(access->op, operand->map, copy->dims);
}

// A copy of the product in front of it that reads f32, or constants as such and all else as it does.
static strata_status_t create_copy(const finder_t *f, product_t *p, bool is_wide, MlirOperation *out) {
  const strata_nest_t *nest = node_of(f, p->node)->nest;
  MlirContext context = f->compile->context;
  MlirType type = is_wide ? mlirF32TypeGet(context) : mlirF16TypeGet(context);
  strata_nest_t copy;
  *out = mlirOperationClone(nest->op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(nest->op), nest->op, *out);
  STRATA_TRY(strata_nest_read(f->graph.arena, *out, &copy));
  for (int k = 0; k < 2; k++) {
    operand_t *operand = &p->operands[k];
    if (operand->converter < 0) {
      operand->constant = create_constant(f, operand, *out, type);
      redirect(&copy, operand, mlirOperationGetResult(operand->constant, 0));
    } else if (is_wide) {
      redirect(&copy, operand, operand->source);
    }
  }
  if (is_wide)
    strata_set_attr(*out, "strata.tf32", mlirUnitAttrGet(context));
  return NULL;
}

static void destroy_copy(product_t *p, MlirOperation copy) {
  mlirOperationDestroy(copy);
  for (int k = 0; k < 2; k++)
    if (p->operands[k].converter < 0)
      mlirOperationDestroy(p->operands[k].constant);
}

// The model's time of a nest; infinite where matrix instructions do not take it.
static strata_status_t seconds_of(const finder_t *f, MlirOperation nest, strata_problem_t *out_problem,
                                  double *out_seconds) {
  strata_nest_t read;
  strata_problem_reading_t product = {
      .kernel = {f->graph.arena, f->graph.func, strata_func_body(f->graph.func), 1, &read}};
  *out_seconds = INFINITY;
  STRATA_TRY(strata_nest_read(f->graph.arena, nest, &read));
  if (!strata_problem_of_kernel(&(strata_gpu_contraction_t){.compile = f->compile, .device = f->device}, &product))
    return NULL;
  *out_problem = product.problem;
  if (out_problem->mma || out_problem->async)
    *out_seconds = strata_problem_seconds(f->device, out_problem);
  return NULL;
}

// The kernels that convert the products' inputs, once each.
static double conversion_seconds(const finder_t *f, const products_t *set) {
  strata_ints_t seen = {0};
  double seconds = 0;
  for (int i = 0; i < set->count; i++)
    for (int k = 0; k < 2; k++) {
      const operand_t *operand = &set->products[i].operands[k];
      if (operand->converter < 0 || strata_ints_contain(&seen, operand->converter))
        continue;
      *strata_vector_push(f->graph.arena, &seen) = operand->converter;
      const strata_ints_t *buffers = &node_of(f, operand->converter)->buffers;
      seconds += strata_stage_copy_seconds(f->device, buffer_of(f, buffers->data[0])->bytes +
                                                          buffer_of(f, buffers->data[1])->bytes);
    }
  return seconds;
}

// Whether f32 is faster; then each product has its |wide| nest, else it has none.
static strata_status_t ask(const finder_t *f, products_t *set, bool *out_pays) {
  double converting = conversion_seconds(f, set), narrow = converting, wide = 0, seconds;
  strata_problem_t problem;
  for (int i = 0; i < set->count; i++) {
    product_t *p = &set->products[i];
    MlirOperation copy;
    STRATA_TRY(create_copy(f, p, false, &copy));
    STRATA_TRY(seconds_of(f, copy, &problem, &seconds));
    destroy_copy(p, copy);
    narrow += seconds;
    STRATA_TRY(create_copy(f, p, true, &p->wide));
    STRATA_TRY(seconds_of(f, p->wide, &problem, &seconds));
    wide += seconds;
  }
  *out_pays = wide <= narrow && wide < INFINITY;
  if (wide < INFINITY)
    strata_explain(f->compile,
                   "tf32 contract#%d%s, %lld x %lld x %lld: %.1f us %s %.1f as f16, %.1f of them conversions",
                   set->products[0].node, set->count > 1 ? " and others" : "", (long long)problem.rows,
                   (long long)problem.columns, (long long)problem.steps, 1e6 * wide,
                   *out_pays ? "instead of" : "are too many for", 1e6 * narrow, 1e6 * converting);
  for (int i = 0; i < set->count && !*out_pays; i++)
    destroy_copy(&set->products[i], set->products[i].wide);
  return NULL;
}

//===-- The change -----------------------------------------------------------------------------------------------===//

// Stores of the buffer round no longer.
static void widen_constant(const finder_t *f, const operand_t *operand) {
  MlirValue buffer = buffer_of(f, operand->buffer)->value, constant = mlirOperationGetResult(operand->constant, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation store = mlirOpOperandGetOwner(use), rounding = strata_def(mlirOperationGetOperand(store, 0));
    mlirOperationSetOperand(store, 0, rounded(store));
    if (!strata_value_has_uses(mlirOperationGetResult(rounding, 0)))
      mlirOperationDestroy(rounding);
  }
  mlirValueSetType(buffer, mlirValueGetType(constant));
  mlirValueReplaceAllUsesOfWith(constant, buffer);
  mlirOperationDestroy(operand->constant);
}

static void change(finder_t *f, const products_t *set) {
  strata_ints_t converters = {0};
  for (int i = 0; i < set->count; i++) {
    const product_t *p = &set->products[i];
    mlirOperationDestroy(node_of(f, p->node)->nest->op);
    for (int k = 0; k < 2; k++)
      if (p->operands[k].converter < 0)
        widen_constant(f, &p->operands[k]);
      else if (!strata_ints_contain(&converters, p->operands[k].converter))
        *strata_vector_push(f->graph.arena, &converters) = p->operands[k].converter;
  }
  for (size_t i = 0; i < converters.count; i++) {
    const strata_nest_t *nest = node_of(f, converters.data[i])->nest;
    MlirOperation alloc = strata_def(nest->accesses[1].buffer);
    mlirOperationDestroy(nest->op);
    mlirOperationDestroy(alloc);
  }
}

static strata_status_t change_function(strata_compile_t *compile, MlirOperation func) {
  finder_t f = {.compile = compile};
  STRATA_TRY(strata_gpu_device(compile, &f.device));
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &f.graph));
  f.is_asked = strata_arena_array(compile->arena, bool, f.graph.nodes.count);
  for (int node = 0; node < (int)f.graph.nodes.count; node++) {
    products_t set;
    bool pays;
    if (f.is_asked[node] || !gather(&f, node, &set))
      continue;
    STRATA_TRY(ask(&f, &set, &pays));
    for (int i = 0; i < set.count; i++)
      f.is_asked[set.products[i].node] = true;
    if (pays)
      change(&f, &set);
  }
  return NULL;
}

strata_status_t strata_pass_affine_tf32(strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  if (!strata_target_is_gpu(compile) || options->precision != STRATA_PRECISION_DEFAULT || options->disable_tensor_core)
    return NULL;
  return strata_for_each_nest_function(compile, change_function);
}
