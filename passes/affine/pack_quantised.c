// See quantised.h. In front of a product whose weights @k0 dequantises,
//
//   call @k0(%b, %s, %w)                 call @k1_words(%b, %s, %p)   call @k1_scales(%b, %s, %q)
//   call @k1(%x, %w, %y)       becomes   call @k1(%x, %p, %q, %y)
//
// The packing kernels are @k0 with another last nest; they depend on constants only, so split-prepare takes them out of
// @main. @k1 computes %w by a nest of its own (packed.h), which it never stores.
#include "passes/affine/quantised.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/product_form.h"
#include "passes/affine/explain.h"
#include "passes/affine/pack.h"
#include "passes/affine/parallel.h"
#include "passes/affine/problem.h"

enum { WORDS, SCALES, ZEROS, N_PARTS, MAX_OPERANDS = 256 };

static const char *const part_names[N_PARTS] = {"words", "scales", "zeros"};

typedef struct {
  const strata_gpu_contraction_t *q;
  strata_quantised_t from;
  MlirOperation dequantise; // the kernel in front
  int place[2];             // of the weights' dims: that of columns, that of steps
  int64_t sizes[2];         // columns, steps
  intptr_t argument;        // of the product's kernel: the weights
  int n_parts;
  MlirType types[N_PARTS];
  const char *kernels[N_PARTS];
} packing_t;

static strata_arena_t *arena_of(const packing_t *p) { return p->q->compile->arena; }

static MlirAttribute parse(const packing_t *p, const char *text) {
  return mlirAttributeParseGet(p->q->compile->context, strata_str(text));
}

//===-- Which products -------------------------------------------------------------------------------------------===//

// The call that computes |value|, before |call|; a null operation if it is no buffer of one call's result.
static MlirOperation writer_of(const packing_t *p, MlirValue value, MlirOperation call) {
  MlirOperation found = {0};
  if (!strata_op_is(strata_def(value), "memref.alloc"))
    return found;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!strata_op_is(user, "func.call"))
      return (MlirOperation){0};
    if (mlirOperationEqual(user, call) ||
        !strata_kernel_writes(strata_callee(p->q->compile, user), mlirOpOperandGetOperandNumber(use)))
      continue;
    if (!mlirOperationIsNull(found))
      return (MlirOperation){0};
    found = user;
  }
  return found;
}

// The columns' operand is read alone, as a matrix of the reduction's steps and of columns.
static bool reads_matrix(packing_t *p) {
  const strata_contraction_kernel_t *c = p->q->contraction;
  const strata_access_t *access = c->sides[STRATA_SIDE_V].access;
  const strata_nest_t *nest = c->nest;
  if (!strata_pack_takes(c, STRATA_SIDE_V) || nest->n_reduction != 1 || mlirAffineMapGetNumResults(access->map) != 2)
    return false;
  p->argument = mlirBlockArgumentGetArgNumber(access->buffer);
  for (int i = 0; i < 2; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(access->map, i);
    if (!mlirAffineExprIsADim(expr))
      return false;
    int dim = (int)mlirAffineDimExprGetPosition(expr), which = dim == nest->n_parallel;
    if (!which && dim != c->sides[STRATA_SIDE_V].tile_dim)
      return false;
    p->place[which] = i;
    p->sizes[which] = strata_nest_static_extent(nest, dim);
  }
  return p->place[0] != p->place[1] && p->sizes[0] % STRATA_PACKED_ROWS == 0 && p->sizes[1] % STRATA_PACKED_STEPS == 0;
}

// True if fetching the weights as they are multiplied takes longer than multiplying them.
static bool has_few_rows(const strata_gpu_device_t *device, const strata_problem_t *problem) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  double products = (double)problem->rows * (double)problem->operand_bytes / (costs->products * STRATA_SPAN) /
                    ((double)device->n_processors * costs->clock);
  return products < (double)problem->operand_bytes / (double)device->bandwidth;
}

static bool is_asked(const packing_t *p, const strata_problem_t *problem) {
  const strata_contraction_kernel_t *c = p->q->contraction;
  return p->q->called && p->q->calls && problem->async && problem->operand_bytes == 2 && problem->batch == 1 &&
         !problem->varies && !problem->is_pair && !problem->row_reductions && has_few_rows(p->q->device, problem) &&
         strata_pack_is_constant(p->q->calls, p->q->called, c, STRATA_SIDE_V);
}

// One kernel dequantises the weights of all calls.
static strata_status_t find(packing_t *p, bool *out_found) {
  const strata_called_kernel_t *called = p->q->called;
  *out_found = called->calls.count > 0;
  for (size_t i = 0; i < called->calls.count && *out_found; i++) {
    MlirValue weights = mlirOperationGetOperand(called->calls.data[i], p->argument);
    MlirOperation call = writer_of(p, weights, called->calls.data[i]);
    MlirOperation func = mlirOperationIsNull(call) ? call : strata_callee(p->q->compile, call);
    *out_found = !mlirOperationIsNull(call) && (i == 0 || mlirOperationEqual(func, p->dequantise)) &&
                 mlirValueEqual(mlirOperationGetOperand(call, mlirOperationGetNumOperands(call) - 1), weights);
    p->dequantise = func;
    if (*out_found)
      STRATA_TRY(strata_quantised_read(p->q->compile, func, call, p->place[1], &p->from, out_found));
  }
  return NULL;
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

// Where the columns and steps of what a part holds are, over its coordinates (tile of rows, tile of steps, element):
// of words, of number |element| in each.
static const char *place_text(const packing_t *p, int part, int64_t element) {
  const strata_packed_form_t *form = &p->from.form;
  long long e = element, row = strata_packed_row_scales(form), steps = strata_packed_scale_steps(form),
            block = form->block;
  if (part != WORDS)
    return strata_arena_printf(
        arena_of(p), "d0 * 16 + (d2 floordiv %lld) mod 2 * 8 + d2 floordiv %lld, d1 * %lld + d2 mod %lld * %lld", row,
        2 * row, steps, row, block);
  if (form->bits == 4)
    return strata_arena_printf(
        arena_of(p), "d0 * 16 + d2 floordiv 16 + %lld, d1 * 64 + d2 mod 4 * 16 + (d2 floordiv 4) mod 4 * 2 + %lld",
        e % 2 * 8, e / 2 % 2 * 8 + e / 4);
  return strata_arena_printf(
      arena_of(p),
      "d0 * 16 + (d2 mod 128) floordiv 16 + %lld, d1 * 64 + d2 floordiv 128 * 32 + d2 mod 4 * 8 + "
      "(d2 floordiv 4) mod 4 * 2 + %lld",
      e / 2 * 8, e % 2);
}

// The inverse: coordinates of a part over columns and steps, and the first bit of the number in its word.
static const char *coordinates_text(const packing_t *p, int part) {
  const strata_packed_form_t *form = &p->from.form;
  long long row = strata_packed_row_scales(form);
  if (part == WORDS)
    return form->bits == 4
               ? "d0 floordiv 16, d1 floordiv 64, d0 mod 8 * 16 + (d1 mod 8) floordiv 2 * 4 + (d1 mod 64) floordiv 16"
               : "d0 floordiv 16, d1 floordiv 64, (d1 mod 64) floordiv 32 * 128 + d0 mod 8 * 16 + "
                 "(d1 mod 8) floordiv 2 * 4 + (d1 mod 32) floordiv 8";
  return strata_arena_printf(
      arena_of(p), "d0 floordiv 16, d1 floordiv %lld, d0 mod 8 * %lld + (d0 mod 16) floordiv 8 * %lld + %s",
      (long long)strata_packed_scale_steps(form), 2 * row, row,
      row == 1 ? "0" : strata_arena_printf(arena_of(p), "(d1 mod 64) floordiv %lld", (long long)form->block));
}

static const char *bit_text(const packing_t *p) {
  return p->from.form.bits == 4 ? "(d0 mod 16) floordiv 8 * 4 + (d1 mod 16) floordiv 8 * 8 + d1 mod 2 * 16"
                                : "(d0 mod 16) floordiv 8 * 16 + d1 mod 2 * 8";
}

// Sizes of a part.
static void sizes_of(const packing_t *p, int part, int64_t *out) {
  const strata_packed_form_t *form = &p->from.form;
  out[0] = p->sizes[0] / STRATA_PACKED_ROWS;
  out[1] = strata_ceil_div(p->sizes[1], part == WORDS ? STRATA_PACKED_STEPS : strata_packed_scale_steps(form));
  out[2] = part == WORDS ? strata_packed_words(form) : strata_packed_scales(form);
}

static MlirType type_of(const packing_t *p, int part) {
  int64_t sizes[3];
  sizes_of(p, part, sizes);
  MlirType element = part == WORDS ? mlirIntegerTypeGet(p->q->compile->context, 32) : p->from.element;
  return mlirMemRefTypeContiguousGet(element, 3, sizes, (MlirAttribute){0});
}

//===-- The packing kernels --------------------------------------------------------------------------------------===//

static const char *type_text(const packing_t *p, MlirType type) { return strata_type_text(arena_of(p), type); }

static const char *load_text(const packing_t *p, const strata_quantised_factor_t *factor, int part, int64_t element) {
  int64_t sizes[3];
  sizes_of(p, part, sizes);
  MlirAffineMap place = mlirAffineMapAttrGetValue(
      parse(p, strata_arena_printf(arena_of(p), "affine_map<(d0, d1, d2) -> (%s)>", place_text(p, part, element))));
  MlirAffineExpr weights[2];
  for (int i = 0; i < 2; i++)
    weights[p->place[i]] = mlirAffineMapGetResult(place, i);
  MlirAffineMap at =
      strata_affine_compose(strata_map_without_symbols(factor->map),
                            mlirAffineMapGet(p->q->compile->context, 3, 0, 2, weights), STRATA_STATIC_SPACE(3, sizes));
  MlirType type = mlirValueGetType(factor->buffer);
  return strata_arena_printf(
      arena_of(p),
      "\"affine.load\"(%%from, %%a, %%b, %%c) {map = affine_map<%s>} : (%s, index, index, index) "
      "-> %s\n",
      strata_map_text(arena_of(p), at), type_text(p, type), type_text(p, mlirShapedTypeGetElementType(type)));
}

// A word: numbers, those with a sign from 0 on, one above the other.
static const char *word_text(const packing_t *p) {
  const strata_packed_form_t *form = &p->from.form;
  const char *text = "%w0 = arith.constant 0 : i32\n";
  int64_t n = 32 / form->bits, offset = p->from.is_signed ? 1 << (form->bits - 1) : 0;
  // A number's bits, in the order of place_text: pairs of neighbours along the reduction 16 bits apart, or side by
  // side.
  for (int64_t i = 0; i < n; i++)
    text = strata_arena_printf(arena_of(p),
                               "%s%%f%lld = %s%%i%lld = arith.fptosi %%f%lld : f32 to i32\n"
                               "%%o%lld = arith.constant %lld : i32\n%%n%lld = arith.addi %%i%lld, %%o%lld : i32\n"
                               "%%s%lld = arith.constant %lld : i32\n%%u%lld = arith.shli %%n%lld, %%s%lld : i32\n"
                               "%%w%lld = arith.ori %%w%lld, %%u%lld : i32\n",
                               text, (long long)i, load_text(p, &p->from.number, WORDS, i), (long long)i, (long long)i,
                               (long long)i, (long long)offset, (long long)i, (long long)i, (long long)i, (long long)i,
                               (long long)(i * form->bits), (long long)i, (long long)i, (long long)i,
                               (long long)(i + 1), (long long)i, (long long)i);
  return strata_arena_printf(arena_of(p), "%s%%v = arith.addi %%w%lld, %%w0 : i32\n", text, (long long)n);
}

static const strata_quantised_factor_t *factor_of(const packing_t *p, int part) {
  return part == WORDS ? &p->from.number : part == SCALES ? &p->from.scale : &p->from.zero;
}

static const char *value_text(const packing_t *p, int part) {
  const strata_quantised_factor_t *factor = factor_of(p, part);
  if (part == WORDS)
    return word_text(p);
  const char *element = type_text(p, p->from.element);
  if (factor->is_constant)
    return strata_arena_printf(arena_of(p), "%%v = arith.constant %.17e : %s\n", factor->constant, element);
  const char *offset = part == ZEROS && p->from.is_signed ? (p->from.form.bits == 4 ? "8.0" : "128.0") : "0.0";
  return strata_arena_printf(arena_of(p),
                             "%%f = %s%%o = arith.constant %s : f32\n%%g = arith.addf %%f, %%o : f32\n"
                             "%%v = arith.truncf %%g : f32 to %s\n",
                             load_text(p, factor, part, 0), offset, element);
}

// The last nest, in a function of its two buffers.
static const char *nest_text(const packing_t *p, int part) {
  const strata_quantised_factor_t *factor = factor_of(p, part);
  MlirType from = factor->is_constant ? p->types[part] : mlirValueGetType(factor->buffer);
  int64_t sizes[3];
  sizes_of(p, part, sizes);
  return strata_arena_printf(
      arena_of(p),
      "func.func private @f(%%from: %s, %%to: %s) {\naffine.parallel (%%a, %%b, %%c) = (0, 0, 0) to "
      "(%lld, %lld, %lld) {\n%saffine.store %%v, %%to[%%a, %%b, %%c] : %s\n} "
      "{strata.nest = \"pack\"}\nreturn }",
      type_text(p, from), type_text(p, p->types[part]), (long long)sizes[0], (long long)sizes[1], (long long)sizes[2],
      value_text(p, part), type_text(p, p->types[part]));
}

// The one nest of the function |text|, at the end of |body|, its buffers replaced.
static strata_status_t add_nest(const packing_t *p, const char *text, MlirBlock body, MlirOperation before,
                                const MlirValue *buffers, MlirOperation *out_nest) {
  strata_compile_t *compile = p->q->compile;
  MlirOperation func = mlirOperationCreateParse(compile->context, strata_str(text), strata_str("affine-schedule"));
  if (mlirOperationIsNull(func))
    return strata_compile_take_diagnostics(compile, "affine-schedule: a packing nest is malformed");
  MlirBlock own = strata_func_body(func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(own); i++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(own, i), buffers[i]);
  *out_nest = mlirBlockGetFirstOperation(own);
  mlirOperationRemoveFromParent(*out_nest);
  mlirBlockInsertOwnedOperationBefore(body, before, *out_nest);
  mlirOperationDestroy(func);
  return NULL;
}

// What |value| of the kernel that dequantises is in |clone|: the same argument, or result of the same op.
static MlirValue cloned(const packing_t *p, MlirBlock clone, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return mlirBlockGetArgument(clone, mlirBlockArgumentGetArgNumber(value));
  MlirOperation from = mlirBlockGetFirstOperation(p->from.kernel.body), to = mlirBlockGetFirstOperation(clone);
  while (!mlirOperationEqual(from, mlirOpResultGetOwner(value))) {
    from = mlirOperationGetNextInBlock(from);
    to = mlirOperationGetNextInBlock(to);
  }
  return mlirOperationGetResult(to, mlirOpResultGetResultNumber(value));
}

// True if a nest stores into |buffer| alone, and nobody reads it.
static bool is_dead(MlirValue buffer) {
  int64_t uses = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    uses++;
  MlirOpOperand use = mlirValueGetFirstUse(buffer);
  return uses == 1 && strata_op_is(mlirOpOperandGetOwner(use), "affine.store");
}

// Drops the nest that stores the weights, and those whose results nobody reads then.
static strata_status_t drop_nests(const packing_t *p, MlirOperation func, MlirValue weights) {
  bool changed = true;
  while (changed) {
    strata_kernel_t kernel;
    changed = false;
    STRATA_TRY(strata_kernel_read(arena_of(p), func, &kernel));
    for (int i = 0; i < kernel.n_nests && !changed; i++) {
      const strata_access_t *store = strata_nest_only_store(&kernel.nests[i]);
      bool is_own = store && !mlirValueIsABlockArgument(store->buffer) && is_dead(store->buffer);
      changed = store && (is_own || mlirValueEqual(store->buffer, weights));
      if (!changed)
        continue;
      MlirValue buffer = store->buffer;
      mlirOperationDestroy(kernel.nests[i].op);
      if (is_own)
        mlirOperationDestroy(mlirOpResultGetOwner(buffer));
    }
  }
  return NULL;
}

static strata_status_t add_kernel(packing_t *p, int part) {
  strata_compile_t *compile = p->q->compile;
  MlirStringRef symbol = strata_attr_str(p->q->called->func, "sym_name");
  const strata_quantised_factor_t *factor = factor_of(p, part);
  p->types[part] = type_of(p, part);
  p->kernels[part] = strata_arena_printf(arena_of(p), "%.*s_%s", (int)symbol.length, symbol.data, part_names[part]);
  MlirOperation func = mlirOperationClone(p->dequantise), nest;
  MlirBlock body = strata_func_body(func);
  intptr_t last = mlirBlockGetNumArguments(body) - 1;
  MlirValue weights = mlirBlockGetArgument(body, last);
  MlirValue packed = mlirBlockAddArgument(body, p->types[part], mlirOperationGetLocation(func));
  MlirValue buffers[] = {factor->is_constant ? packed : cloned(p, body, factor->buffer), packed};
  strata_set_attr(func, "sym_name", strata_str_attr(compile->context, p->kernels[part]));
  strata_set_attr(func, "strata.schedule", parse(p, "{kind = \"map\"}"));
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(compile->module), p->q->called->func, func);
  STRATA_TRY(add_nest(p, nest_text(p, part), body, mlirBlockGetTerminator(body), buffers, &nest));
  strata_update_function_type(arena_of(p), func);
  STRATA_TRY(drop_nests(p, func, weights));
  mlirBlockEraseArgument(body, (unsigned)last);
  strata_update_function_type(arena_of(p), func);
  return NULL;
}

//===-- The product's kernel -------------------------------------------------------------------------------------===//

static const char *unpack_load_text(const packing_t *p, int part) {
  return strata_arena_printf(
      arena_of(p),
      "%%%s_ = \"affine.load\"(%%%s, %%n, %%k) {map = affine_map<(d0, d1) -> (%s)>} : (%s, index, "
      "index) -> %s\n",
      part_names[part], part_names[part], coordinates_text(p, part), type_text(p, p->types[part]),
      type_text(p, mlirShapedTypeGetElementType(p->types[part])));
}

static const char *unpack_text(const packing_t *p) {
  strata_arena_t *arena = arena_of(p);
  const strata_packed_form_t *form = &p->from.form;
  const char *element = type_text(p, p->from.element), *arguments = "", *loads = "", *zero;
  for (int part = 0; part < p->n_parts; part++) {
    arguments = strata_arena_printf(arena, "%s%%%s: %s, ", arguments, part_names[part], type_text(p, p->types[part]));
    loads = strata_arena_printf(arena, "%s%s", loads, unpack_load_text(p, part));
  }
  zero = p->n_parts > ZEROS
             ? strata_arena_printf(arena, "%%zero = arith.extf %%zeros_ : %s to f32\n", element)
             : strata_arena_printf(arena, "%%zero = arith.constant %lld.0 : f32\n", (long long)form->zero);
  const char *type = strata_arena_printf(arena, "memref<%lldx%lldx%s>", (long long)p->sizes[p->place[0] ? 1 : 0],
                                         (long long)p->sizes[p->place[0] ? 0 : 1], element);
  return strata_arena_printf(
      arena,
      "func.func private @f(%s%%to: %s) {\naffine.parallel (%%n, %%k) = (0, 0) to (%lld, %lld) {\n%s"
      "%%at = affine.apply affine_map<(d0, d1) -> (%s)>(%%n, %%k)\n%%bit = arith.index_cast %%at : index to i32\n"
      "%%mask = arith.constant %d : i32\n%%high = arith.shrui %%words_, %%bit : i32\n"
      "%%bits = arith.andi %%high, %%mask : i32\n%%number = arith.uitofp %%bits : i32 to f32\n%s"
      "%%scale = arith.extf %%scales_ : %s to f32\n%%above = arith.subf %%number, %%zero : f32\n"
      "%%wide = arith.mulf %%above, %%scale : f32\n%%v = arith.truncf %%wide : f32 to %s\n"
      "affine.store %%v, %%to[%s] : %s\n} {strata.nest = \"%s\", strata.bits = %lld : i64, strata.block = %lld : i64, "
      "strata.zero = %lld : i64}\nreturn }",
      arguments, type, (long long)p->sizes[0], (long long)p->sizes[1], loads, bit_text(p), (1 << form->bits) - 1, zero,
      element, element, p->place[0] ? "%k, %n" : "%n, %k", type, STRATA_UNPACK, (long long)form->bits,
      (long long)form->block, (long long)form->zero);
}

// The weights' argument becomes those of the parts; the weights are the kernel's own.
static strata_status_t read_packed(packing_t *p) {
  MlirOperation func = p->q->called->func, nest;
  MlirBlock body = strata_func_body(func);
  MlirOperation first = mlirBlockGetFirstOperation(body);
  MlirLocation location = mlirOperationGetLocation(func);
  MlirValue buffers[N_PARTS + 1], weights = mlirBlockGetArgument(body, p->argument);
  MlirType type = mlirValueGetType(weights);
  for (int part = 0; part < p->n_parts; part++)
    buffers[part] = mlirBlockInsertArgument(body, p->argument + part, p->types[part], location);
  strata_named_attr_t sizes = {"operandSegmentSizes", parse(p, "array<i32: 0, 0>")};
  MlirOperation alloc = strata_op_create(location, "memref.alloc", 0, NULL, 1, &type, 1, &sizes, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(body, first, alloc);
  buffers[p->n_parts] = mlirOperationGetResult(alloc, 0);
  mlirValueReplaceAllUsesOfWith(weights, buffers[p->n_parts]);
  STRATA_TRY(add_nest(p, unpack_text(p), body, first, buffers, &nest));
  mlirBlockEraseArgument(body, (unsigned)(p->argument + p->n_parts));
  strata_update_function_type(arena_of(p), func);
  return NULL;
}

//===-- The calls ------------------------------------------------------------------------------------------------===//

static void pack_before_call(packing_t *p, MlirOperation call) {
  MlirValue weights = mlirOperationGetOperand(call, p->argument), operands[MAX_OPERANDS], parts[N_PARTS];
  MlirOperation writer = writer_of(p, weights, call);
  intptr_t n = mlirOperationGetNumOperands(writer);
  for (int part = 0; part < p->n_parts; part++) {
    for (intptr_t i = 0; i < n; i++)
      operands[i] = mlirOperationGetOperand(writer, i);
    operands[n - 1] = parts[part] = strata_alloc_before(writer, p->types[part]);
    strata_call_before(writer, p->kernels[part], (int)n, operands);
  }
  n = mlirOperationGetNumOperands(call);
  for (intptr_t i = 0; i < n + p->n_parts - 1; i++) {
    intptr_t from = i < p->argument ? i : i - (p->n_parts - 1);
    operands[i] =
        i >= p->argument && i < p->argument + p->n_parts ? parts[i - p->argument] : mlirOperationGetOperand(call, from);
  }
  mlirOperationSetOperands(call, n + p->n_parts - 1, operands);
  if (strata_value_has_one_use(weights)) { // its writer's
    mlirOperationDestroy(writer);
    mlirOperationDestroy(mlirOpResultGetOwner(weights));
  }
}

strata_status_t strata_pack_quantised(const strata_gpu_contraction_t *question, bool *out_packed) {
  packing_t p = {.q = question};
  strata_problem_t problem = strata_problem_read(question);
  *out_packed = false;
  if (!is_asked(&p, &problem) || !reads_matrix(&p))
    return NULL;
  STRATA_TRY(find(&p, out_packed));
  if (!*out_packed)
    return NULL;
  p.n_parts = p.from.form.has_zeros ? N_PARTS : ZEROS;
  for (int part = 0; part < p.n_parts; part++)
    STRATA_TRY(add_kernel(&p, part));
  for (size_t i = 0; i < question->called->calls.count; i++)
    pack_before_call(&p, question->called->calls.data[i]);
  strata_set_attr(p.dequantise, STRATA_REPLACED, mlirUnitAttrGet(question->compile->context));
  strata_parallel_leave(question->called);
  strata_explain(question->compile,
                 "packed %lld x %lld x %lld: the columns' operand, %lld bits and scales of blocks of %lld",
                 (long long)problem.rows, (long long)problem.columns, (long long)problem.steps,
                 (long long)p.from.form.bits, (long long)p.from.form.block);
  return read_packed(&p);
}
