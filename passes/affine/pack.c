// See pack.h. The kernel that packs is level 2 like any other, one nest
//
//   affine.parallel (%t, %k, %l) = (0, 0, 0) to (24, 768, 32) {
//     %v = affine.if (inside) { affine.load %w[%k, %t * 32 + %l] } else { 0 }   affine.store %v, %p[%t, %k, %l] }
//
// and the contraction's read of %w[%k, %n] becomes a read of %p[%n floordiv 32, %k, %n mod 32].
#include "passes/affine/pack.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/integers.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"

typedef struct {
  strata_compile_t *compile;
  const strata_contraction_kernel_t *contraction;
  const strata_contraction_side_t *side;
  int64_t tile;
  intptr_t argument; // of the kernel
  int rank;          // of the panels
  int64_t sizes[STRATA_MAX_DIMS];
  int dim_of[STRATA_MAX_DIMS]; // which dim of the contraction a panel dim is; the tile dim twice, tile and element
  int walk[STRATA_MAX_DIMS];   // the panels' dims in the order in which they are walked
  MlirType type;               // of the panels
} pack_t;

//===-- Shape of the panels --------------------------------------------------------------------------------------===//

static void add_dim(pack_t *p, int dim, int64_t size) {
  p->dim_of[p->rank] = dim;
  p->sizes[p->rank++] = size;
}

static bool is_contiguous(const pack_t *p) {
  int64_t stride;
  return strata_access_stride(p->contraction->nest, p->side->access, p->side->tile_dim, &stride) && stride == 1;
}

// An operand that is contiguous along the panels' elements is read row by row, each over all panels: written in runs as
// wide as a panel. Any other is walked panel by panel.
static void choose_walk(pack_t *p) {
  int n = 0, tile = 0;
  while (p->dim_of[tile] != p->side->tile_dim)
    tile++;
  for (int i = 0; i + 1 < p->rank; i++)
    if (i != tile || !is_contiguous(p))
      p->walk[n++] = i;
  if (is_contiguous(p))
    p->walk[n++] = tile;
  p->walk[n] = p->rank - 1;
}

static void choose_shape(pack_t *p) {
  const strata_nest_t *nest = p->contraction->nest;
  int v = p->side->tile_dim;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (p->side->dims & 1u << dim && dim != v)
      add_dim(p, dim, strata_nest_static_extent(nest, dim));
  add_dim(p, v, strata_ceil_div(strata_nest_static_extent(nest, v), p->tile));
  for (int dim = nest->n_parallel; dim < strata_nest_n_dims(nest); dim++)
    if (p->side->dims & 1u << dim)
      add_dim(p, dim, strata_nest_static_extent(nest, dim));
  add_dim(p, v, p->tile);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(p->side->access->buffer));
  p->type = mlirMemRefTypeContiguousGet(element, p->rank, p->sizes, (MlirAttribute){0});
  choose_walk(p);
}

//===-- The packing kernel ---------------------------------------------------------------------------------------===//

// The operand's element at a panel's coordinates.
static MlirAffineMap panel_to_operand(const pack_t *p) {
  MlirContext context = p->compile->context;
  const strata_nest_t *nest = p->contraction->nest;
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    dims[dim] = mlirAffineConstantExprGet(context, 0);
  for (int i = 0; i < p->rank; i++) {
    MlirAffineExpr coordinate = mlirAffineDimExprGet(context, i);
    if (p->dim_of[i] == p->side->tile_dim && i + 1 < p->rank)
      coordinate = mlirAffineMulExprGet(coordinate, mlirAffineConstantExprGet(context, p->tile));
    dims[p->dim_of[i]] = mlirAffineAddExprGet(dims[p->dim_of[i]], coordinate);
  }
  MlirAffineMap point = mlirAffineMapGet(context, p->rank, 0, strata_nest_n_dims(nest), dims);
  MlirAffineMap map = strata_affine_compose(p->side->access->map, point, STRATA_STATIC_SPACE(p->rank, p->sizes));
  return strata_map_without_symbols(map); // sizes that vary are in nothing that is packed
}

// A list as long as the panels' rank: |prefix|0, |prefix|1, ...; or |prefix| each time.
static const char *list_text(pack_t *p, const char *prefix, bool numbered) {
  char *text = strata_arena_strdup(p->compile->arena, "");
  for (int i = 0; i < p->rank; i++)
    text = numbered ? strata_arena_printf(p->compile->arena, "%s%s%s%d", text, i ? ", " : "", prefix, i)
                    : strata_arena_printf(p->compile->arena, "%s%s%s", text, i ? ", " : "", prefix);
  return text;
}

// The loops: (%d1, %d0, %d2) = (0, 0, 0) to (768, 24, 32).
static const char *loops_text(pack_t *p) {
  char *dims = strata_arena_strdup(p->compile->arena, ""), *sizes = dims;
  for (int i = 0; i < p->rank; i++) {
    const char *comma = i ? ", " : "";
    dims = strata_arena_printf(p->compile->arena, "%s%s%%d%d", dims, comma, p->walk[i]);
    sizes = strata_arena_printf(p->compile->arena, "%s%s%lld", sizes, comma, (long long)p->sizes[p->walk[i]]);
  }
  return strata_arena_printf(p->compile->arena, "(%s) = (%s) to (%s)", dims, list_text(p, "0", false), sizes);
}

// An operand that is not contiguous along the panels' elements is turned in registers, so many steps at once.
static const char *tile_text(const pack_t *p) {
  enum { STEPS = 16 };
  if (is_contiguous(p))
    return "";
  return strata_arena_printf(p->compile->arena, ", tile = array<i64: %lld, %d>", (long long)p->tile, STEPS);
}

static const char *kernel_text(pack_t *p, const char *name) {
  strata_arena_t *arena = p->compile->arena;
  MlirValue buffer = p->side->access->buffer;
  const char *source = strata_type_text(p->compile->arena, mlirValueGetType(buffer)),
             *panels = strata_type_text(p->compile->arena, p->type);
  MlirType element_type = mlirShapedTypeGetElementType(p->type);
  const char *element = strata_type_text(p->compile->arena, element_type),
             *zero = mlirTypeIsAFloat(element_type) ? "0.0" : "0";
  const char *dims = list_text(p, "%d", true), *names = list_text(p, "d", true);
  const char *load = strata_arena_printf(arena, "\"affine.load\"(%%w, %s) {map = affine_map<%s>} : (%s, %s) -> %s",
                                         dims, strata_map_text(p->compile->arena, panel_to_operand(p)), source,
                                         list_text(p, "index", false), element);
  int64_t extent = strata_nest_static_extent(p->contraction->nest, p->side->tile_dim);
  int tile_dim = 0;
  while (p->dim_of[tile_dim] != p->side->tile_dim)
    tile_dim++;
  const char *value;
  if (extent % p->tile == 0)
    value = strata_arena_printf(arena, "%%v = %s", load);
  else
    value = strata_arena_printf(arena,
                                "%%z = arith.constant %s : %s\n"
                                "%%v = affine.if affine_set<(%s) : (%lld - d%d * %lld - d%d >= 0)>(%s) -> %s {\n"
                                "%%l = %s\naffine.yield %%l : %s } else { affine.yield %%z : %s }",
                                zero, element, names, (long long)extent - 1, tile_dim, (long long)p->tile, p->rank - 1,
                                dims, element, load, element, element);
  return strata_arena_printf(
      arena,
      "func.func private @%s(%%w: %s, %%p: %s) attributes {strata.schedule = {kind = \"map\"%s}} {\n"
      "affine.parallel %s {\n%s\naffine.store %%v, %%p[%s] : %s\n} "
      "{strata.nest = \"pack\"}\nreturn }",
      name, source, panels, tile_text(p), loops_text(p), value, dims, panels);
}

static MlirOperation add_packing_kernel(pack_t *p, MlirOperation kernel, const char *name) {
  const char *text = kernel_text(p, name);
  MlirOperation func = mlirOperationCreateParse(p->compile->context, strata_str(text), strata_str("affine-schedule"));
  if (!mlirOperationIsNull(func))
    mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(p->compile->module), kernel, func);
  return func;
}

//===-- Reading panels -------------------------------------------------------------------------------------------===//

// Where a nest's point is in the panels.
static MlirAffineMap point_to_panel(const pack_t *p) {
  MlirContext context = p->compile->context;
  const strata_nest_t *nest = p->contraction->nest;
  MlirAffineExpr results[STRATA_MAX_DIMS];
  MlirAffineExpr tile = mlirAffineConstantExprGet(context, p->tile);
  for (int i = 0; i < p->rank; i++) {
    results[i] = mlirAffineDimExprGet(context, p->dim_of[i]);
    if (p->dim_of[i] == p->side->tile_dim)
      results[i] =
          i + 1 < p->rank ? mlirAffineFloorDivExprGet(results[i], tile) : mlirAffineModExprGet(results[i], tile);
  }
  MlirAffineMap map = mlirAffineMapGet(context, strata_nest_n_dims(nest), 0, p->rank, results);
  return strata_affine_simplify_map(map, &nest->space);
}

// Gives the kernel's argument its new type and the contraction's load its new map.
static void read_panels(pack_t *p, MlirOperation kernel) {
  const strata_nest_t *nest = p->contraction->nest;
  MlirOperation load = p->side->access->op;
  mlirValueSetType(p->side->access->buffer, p->type);
  MlirValue operands[1 + STRATA_MAX_DIMS] = {p->side->access->buffer};
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    operands[1 + dim] = nest->dims[dim];
  mlirOperationSetOperands(load, 1 + strata_nest_n_dims(nest), operands);
  strata_set_attr(load, "map", mlirAffineMapAttrGet(point_to_panel(p)));
  strata_update_function_type(p->compile->arena, kernel);
}

// %p = memref.alloc, call @pack(%w, %p) before the call, which then takes %p.
static void pack_before_call(pack_t *p, MlirOperation call, const char *name) {
  MlirValue operands[2] = {mlirOperationGetOperand(call, p->argument), strata_alloc_before(call, p->type)};
  strata_call_before(call, name, 2, operands);
  mlirOperationSetOperand(call, p->argument, operands[1]);
}

bool strata_pack_takes(const strata_contraction_kernel_t *contraction, int side) {
  MlirValue buffer = contraction->sides[side].access->buffer;
  return strata_contraction_is_plain(contraction, side) && mlirValueIsABlockArgument(buffer) &&
         strata_kernel_reaches_once(contraction->kernel, buffer);
}

bool strata_pack_is_constant(const strata_calls_t *calls, const strata_called_kernel_t *kernel,
                             const strata_contraction_kernel_t *contraction, int side) {
  MlirValue buffer = contraction->sides[side].access->buffer;
  if (!mlirValueIsABlockArgument(buffer))
    return false;
  intptr_t argument = mlirBlockArgumentGetArgNumber(buffer);
  for (size_t i = 0; i < kernel->calls.count; i++)
    if (!strata_calls_is_constant(calls, mlirOperationGetOperand(kernel->calls.data[i], argument)))
      return false;
  return true;
}

// A kernel may have been packed before: by a GPU's schedule, where @prepare is then scheduled for the host.
static const char *packing_name(strata_compile_t *compile, MlirStringRef symbol) {
  const char *name = strata_arena_printf(compile->arena, "%.*s_pack", (int)symbol.length, symbol.data);
  for (int i = 2; !mlirOperationIsNull(strata_find_func(compile->module, name)); i++)
    name = strata_arena_printf(compile->arena, "%.*s_pack%d", (int)symbol.length, symbol.data, i);
  return name;
}

strata_status_t strata_pack_side(strata_compile_t *compile, const strata_called_kernel_t *kernel,
                                 const strata_contraction_kernel_t *contraction, int side, int64_t tile) {
  pack_t p = {.compile = compile, .contraction = contraction, .side = &contraction->sides[side], .tile = tile};
  MlirValue buffer = p.side->access->buffer;
  if (!mlirValueIsABlockArgument(buffer) || !strata_kernel_reaches_once(contraction->kernel, buffer))
    return NULL;
  p.argument = mlirBlockArgumentGetArgNumber(buffer);
  choose_shape(&p);
  const char *name = packing_name(compile, strata_attr_str(kernel->func, "sym_name"));
  if (mlirOperationIsNull(add_packing_kernel(&p, kernel->func, name)))
    return strata_compile_take_diagnostics(compile, "affine-schedule: the packing kernel is malformed");
  for (size_t i = 0; i < kernel->calls.count; i++)
    pack_before_call(&p, kernel->calls.data[i], name);
  read_panels(&p, kernel->func);
  return NULL;
}
