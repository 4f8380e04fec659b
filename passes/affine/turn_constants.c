// See turn_constants.h.
//
//   affine.parallel (%j) = (0) to (1536) { %s = affine.for %k = 0 to 1024 { ... load %w[%k, %j] ... } ... }
// becomes
//   %t = memref.alloc() : memref<1536x1024xf16>
//   affine.parallel (%j, %k) = (0, 0) to (1536, 1024) { store (load %w[%k, %j]), %t[%j, %k] } {strata.nest = "turn"}
//   affine.parallel (%j) = (0) to (1536) { %s = affine.for %k = 0 to 1024 { ... load %t[%j, %k] ... } ... }
//
// The copy depends on constants only: it is part of @prepare, and of the kernel that makes the constant, if one does.
#include "passes/affine/turn_constants.h"

#include "dialects/affine/simplify.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/nest_edit.h"

// Dims of the nest that |access| depends on, those of reductions last; their number.
static int dims_of(const strata_nest_t *nest, const strata_access_t *access, int *out_dims) {
  uint32_t used = strata_affine_map_dims(access->map);
  int n = 0;
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    if (used & 1u << dim && !strata_size_is_one(nest->space.sizes[dim]))
      out_dims[n++] = dim;
  return n;
}

// True if each element is read for one point of the dims that the access depends on: a copy is no larger.
static bool is_matrix(const strata_nest_t *nest, const strata_access_t *access, const strata_nest_buffer_t *buffer) {
  int dims[STRATA_MAX_DIMS], n = dims_of(nest, access, dims);
  double elements = 1;
  for (int i = 0; i < n; i++)
    elements *= (double)strata_nest_static_extent(nest, dims[i]);
  return n > 1 && elements <= buffer->elements;
}

// True if what lies contiguous in memory are results.
static bool lies_across(const strata_nest_t *nest, const strata_access_t *access) {
  for (int dim = 0; dim < nest->n_parallel; dim++) {
    int64_t stride;
    if (!strata_size_is_one(nest->space.sizes[dim]) && strata_access_stride(nest, access, dim, &stride) && stride == 1)
      return true;
  }
  return false;
}

const strata_access_t *strata_turned_constant(const strata_nest_graph_t *graph, const strata_nest_node_t *node) {
  strata_contraction_t product;
  if (strata_nest_varies(node->nest) || !strata_nest_contraction(node->nest, &product))
    return NULL;
  for (int i = 0; i < node->nest->n_accesses; i++) {
    const strata_access_t *access = &node->nest->accesses[i];
    const strata_nest_buffer_t *buffer = &graph->buffers.data[node->buffers.data[i]];
    bool is_operand = access == product.lhs || access == product.rhs;
    if (is_operand && buffer->is_constant && buffer->readers.count == 1 && mlirOperationIsNull(access->guard) &&
        lies_across(node->nest, access) && is_matrix(node->nest, access, buffer))
      return access;
  }
  return NULL;
}

typedef struct {
  strata_compile_t *compile;
  const strata_nest_t *nest;
  const strata_access_t *operand;
  int n_dims, dims[STRATA_MAX_DIMS]; // of the nest, in the order of the copy's
  MlirType type;                     // of the copy
} turn_t;

static const char *list_text(const turn_t *t, const char *prefix, bool are_sizes) {
  strata_arena_t *arena = t->compile->arena;
  const char *text = "";
  for (int i = 0; i < t->n_dims; i++) {
    long long number = are_sizes ? strata_nest_static_extent(t->nest, t->dims[i]) : i;
    text = strata_arena_printf(arena, "%s%s%s%lld", text, i ? ", " : "", prefix, number);
  }
  return text;
}

// Where the operand's elements are, over the copy's dims.
static MlirAffineMap source_of(const turn_t *t) {
  MlirContext context = t->compile->context;
  MlirAffineExpr points[STRATA_MAX_DIMS];
  int64_t sizes[STRATA_MAX_DIMS];
  int n = strata_nest_n_dims(t->nest);
  for (int dim = 0; dim < n; dim++)
    points[dim] = mlirAffineConstantExprGet(context, 0);
  for (int i = 0; i < t->n_dims; i++) {
    points[t->dims[i]] = mlirAffineDimExprGet(context, i);
    sizes[i] = strata_nest_static_extent(t->nest, t->dims[i]);
  }
  MlirAffineMap map = mlirAffineMapGet(context, t->n_dims, 0, n, points);
  return strata_map_without_symbols(strata_affine_compose(t->operand->map, map, STRATA_STATIC_SPACE(t->n_dims, sizes)));
}

static const char *nest_text(const turn_t *t) {
  strata_arena_t *arena = t->compile->arena;
  const char *from = strata_type_text(arena, mlirValueGetType(t->operand->buffer));
  const char *to = strata_type_text(arena, t->type), *dims = list_text(t, "%d", false), *zeros = "", *indices = "";
  for (int i = 0; i < t->n_dims; i++) {
    zeros = strata_arena_printf(arena, "%s%s0", zeros, i ? ", " : "");
    indices = strata_arena_printf(arena, "%s, index", indices);
  }
  return strata_arena_printf(arena,
                             "func.func private @f(%%from: %s, %%to: %s) {\naffine.parallel (%s) = (%s) to (%s) {\n"
                             "%%v = \"affine.load\"(%%from, %s) {map = affine_map<%s>} : (%s%s) -> %s\n"
                             "affine.store %%v, %%to[%s] : %s\n} {strata.nest = \"turn\"}\nreturn }",
                             from, to, dims, zeros, list_text(t, "", true), dims, strata_map_text(arena, source_of(t)),
                             from, indices, strata_type_text(arena, mlirValueGetType(t->operand->value)), dims, to);
}

// The copy's nest in front of the product's.
static strata_status_t add_copy(const turn_t *t, MlirValue copy) {
  MlirContext context = t->compile->context;
  MlirOperation func =
      mlirOperationCreateParse(context, strata_str(nest_text(t)), strata_str("affine-split-reductions"));
  if (mlirOperationIsNull(func))
    return strata_compile_take_diagnostics(t->compile, "affine-split-reductions: the copying nest is malformed");
  MlirBlock body = strata_func_body(func);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 0), t->operand->buffer);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 1), copy);
  MlirOperation nest = mlirBlockGetFirstOperation(body);
  mlirOperationRemoveFromParent(nest);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(t->nest->op), t->nest->op, nest);
  mlirOperationDestroy(func);
  return NULL;
}

static void read_copy(const turn_t *t, MlirValue copy) {
  MlirContext context = t->compile->context;
  MlirAffineExpr places[STRATA_MAX_DIMS];
  for (int i = 0; i < t->n_dims; i++)
    places[i] = mlirAffineDimExprGet(context, t->dims[i]);
  mlirOperationSetOperand(t->operand->op, 0, copy);
  MlirAffineMap map = mlirAffineMapGet(context, strata_nest_n_dims(t->nest), 0, t->n_dims, places);
  strata_nest_set_map(t->operand->op, map, t->nest->dims);
}

strata_status_t strata_turn_constant(strata_compile_t *compile, const strata_nest_t *nest,
                                     const strata_access_t *operand) {
  turn_t t = {.compile = compile, .nest = nest, .operand = operand};
  int64_t sizes[STRATA_MAX_DIMS];
  t.n_dims = dims_of(nest, operand, t.dims);
  for (int i = 0; i < t.n_dims; i++)
    sizes[i] = strata_nest_static_extent(nest, t.dims[i]);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(operand->buffer));
  t.type = mlirMemRefTypeContiguousGet(element, t.n_dims, sizes, (MlirAttribute){0});
  MlirValue copy = strata_alloc_before(nest->op, t.type);
  STRATA_TRY(add_copy(&t, copy));
  read_copy(&t, copy);
  return NULL;
}
