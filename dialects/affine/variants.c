// See variants.h.
#include "dialects/affine/variants.h"

#include "dialects/mlir_util.h"

static MlirOperation next_in(MlirOperation op) { return mlirOperationGetNextInBlock(op); }

static MlirOperation first_beside(MlirOperation func) {
  return mlirBlockGetFirstOperation(mlirOperationGetBlock(func));
}

static MlirOperation find_beside(MlirOperation func, MlirStringRef name) {
  MlirOperation op = first_beside(func);
  while (!mlirOperationIsNull(op) &&
         !(strata_op_is(op, "func.func") && mlirStringRefEqual(strata_attr_str(op, "sym_name"), name)))
    op = next_in(op);
  return op;
}

static intptr_t count_of(MlirAttribute list) {
  return mlirAttributeIsNull(list) || !mlirAttributeIsAArray(list) ? 0 : mlirArrayAttrGetNumElements(list);
}

static MlirStringRef name_at(MlirAttribute list, intptr_t index) {
  MlirAttribute name = mlirArrayAttrGetElement(list, index);
  return mlirAttributeIsAFlatSymbolRef(name) ? mlirFlatSymbolRefAttrGetValue(name) : strata_str("");
}

bool strata_has_variants(MlirOperation func) {
  return !mlirAttributeIsNull(strata_attr(func, STRATA_WHEN)) ||
         !mlirAttributeIsNull(strata_attr(func, STRATA_VARIANTS));
}

int strata_variants_of(MlirOperation func, MlirOperation *out_variants) {
  MlirAttribute list = strata_attr(func, STRATA_VARIANTS);
  int count = 0;
  for (intptr_t i = 0; i < count_of(list) && count < STRATA_MAX_VARIANTS; i++) {
    MlirOperation variant = find_beside(func, name_at(list, i));
    if (!mlirOperationIsNull(variant))
      out_variants[count++] = variant;
  }
  return count;
}

static void write_list(MlirOperation func, int count, const MlirOperation *variants) {
  MlirContext context = mlirOperationGetContext(func);
  MlirAttribute names[STRATA_MAX_VARIANTS];
  for (int i = 0; i < count; i++)
    names[i] = mlirFlatSymbolRefAttrGet(context, strata_attr_str(variants[i], "sym_name"));
  if (count)
    strata_set_attr(func, STRATA_VARIANTS, mlirArrayAttrGet(context, count, names));
  else
    mlirOperationRemoveDiscardableAttributeByName(func, strata_str(STRATA_VARIANTS));
}

void strata_variants_add(MlirOperation func, MlirOperation variant) {
  MlirOperation variants[STRATA_MAX_VARIANTS + 1];
  int count = strata_variants_of(func, variants);
  if (count < STRATA_MAX_VARIANTS)
    variants[count++] = variant;
  write_list(func, count, variants);
}

void strata_variants_erase(MlirOperation func, MlirOperation variant) {
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int count = strata_variants_of(func, variants), kept = 0;
  for (int i = 0; i < count; i++)
    if (!mlirOperationEqual(variants[i], variant))
      variants[kept++] = variants[i];
  write_list(func, kept, variants);
  mlirOperationDestroy(variant);
}

void strata_variants_erase_all(MlirOperation func) {
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int count = strata_variants_of(func, variants);
  write_list(func, 0, NULL);
  for (int i = 0; i < count; i++)
    mlirOperationDestroy(variants[i]);
}

MlirOperation strata_variant_kernel(MlirOperation variant) {
  MlirStringRef name = strata_attr_str(variant, "sym_name");
  for (MlirOperation op = first_beside(variant); !mlirOperationIsNull(op); op = next_in(op)) {
    MlirAttribute list = strata_attr(op, STRATA_VARIANTS);
    for (intptr_t i = 0; i < count_of(list); i++)
      if (mlirStringRefEqual(name_at(list, i), name))
        return op;
  }
  return (MlirOperation){0};
}

bool strata_variants_are_alike(MlirOperation a, MlirOperation b) {
  MlirOperation own[STRATA_MAX_VARIANTS], others[STRATA_MAX_VARIANTS];
  int n = strata_variants_of(a, own);
  bool are_alike = strata_variants_of(b, others) == n;
  for (int i = 0; are_alike && i < n; i++)
    are_alike = mlirAttributeEqual(strata_attr(own[i], STRATA_WHEN), strata_attr(others[i], STRATA_WHEN)) &&
                mlirAttributeEqual(strata_attr(own[i], STRATA_UNLESS), strata_attr(others[i], STRATA_UNLESS));
  return are_alike;
}

void strata_variants_copy_attrs(MlirOperation func, MlirOperation declaration) {
  strata_copy_attr(func, declaration, STRATA_VARIANTS);
  strata_copy_attr(func, declaration, STRATA_WHEN);
  strata_copy_attr(func, declaration, STRATA_UNLESS);
}

//===-- Of several kernels ---------------------------------------------------------------------------------------===//

// Kernels that have variants for the same sizes; those that have none.
typedef struct {
  MlirOperation first;
  int n_variants, taken; // n_variants: the kernel itself
  MlirOperation variants[STRATA_MAX_VARIANTS];
} table_t;

typedef struct {
  strata_arena_t *arena;
  size_t n_kernels, n_tables;
  const MlirOperation *kernels;
  size_t *table_of; // by kernel
  table_t *tables;
  int most;
  strata_joint_variants_t *out;
} joiner_t;

static size_t find_table(joiner_t *j, MlirOperation kernel) {
  size_t at = 0;
  while (at < j->n_tables && !strata_variants_are_alike(j->tables[at].first, kernel))
    at++;
  if (at < j->n_tables)
    return at;
  j->tables[at] = (table_t){.first = kernel};
  j->tables[at].n_variants = strata_variants_of(kernel, j->tables[at].variants);
  j->n_tables++;
  return at;
}

static MlirAttribute exceptions_of(const joiner_t *j) {
  STRATA_VECTOR(MlirAttribute) sets = {0};
  for (size_t i = 0; i < j->n_tables; i++) {
    const table_t *table = &j->tables[i];
    MlirAttribute list = table->taken < table->n_variants ? strata_attr(table->variants[table->taken], STRATA_UNLESS)
                                                          : (MlirAttribute){NULL};
    for (intptr_t k = 0; k < count_of(list); k++)
      *strata_vector_push(j->arena, &sets) = mlirArrayAttrGetElement(list, k);
  }
  MlirContext context = mlirOperationGetContext(j->tables[0].first);
  return sets.count ? mlirArrayAttrGet(context, (intptr_t)sets.count, sets.data) : (MlirAttribute){NULL};
}

static bool add_taken(joiner_t *j, MlirIntegerSet when) {
  if (j->out->count == j->most)
    return false;
  strata_joint_variant_t *joint = &j->out->of[j->out->count++];
  joint->when = mlirIntegerSetIsNull(when) ? (MlirAttribute){NULL} : mlirIntegerSetAttrGet(when);
  joint->unless = exceptions_of(j);
  joint->functions = strata_arena_array(j->arena, MlirOperation, j->n_kernels);
  for (size_t i = 0; i < j->n_kernels; i++) {
    const table_t *table = &j->tables[j->table_of[i]];
    MlirOperation variants[STRATA_MAX_VARIANTS];
    strata_variants_of(j->kernels[i], variants);
    joint->functions[i] = table->taken < table->n_variants ? variants[table->taken] : j->kernels[i];
  }
  return true;
}

// Every choice of the tables from |at| on where |when| holds, in the order in which launches of their own choose.
static bool join_from(joiner_t *j, size_t at, MlirIntegerSet when) {
  if (at == j->n_tables)
    return add_taken(j, when);
  table_t *table = &j->tables[at];
  for (table->taken = 0; table->taken <= table->n_variants; table->taken++) {
    bool is_kernel = table->taken == table->n_variants;
    MlirOperation func = is_kernel ? table->first : table->variants[table->taken];
    MlirIntegerSet own = is_kernel ? (MlirIntegerSet){NULL} : strata_when_around(func);
    if (strata_when_excludes(when, own))
      continue;
    if (!join_from(j, at + 1, strata_when_both(j->arena, when, own)))
      return false;
    if (!is_kernel && strata_when_count_exceptions(func) == 0 && strata_when_implies(when, own))
      break; // what follows has no sizes left
  }
  return true;
}

bool strata_variants_join(strata_arena_t *arena, size_t n, const MlirOperation *kernels, int most,
                          strata_joint_variants_t *out) {
  joiner_t j = {.arena = arena,
                .n_kernels = n,
                .kernels = kernels,
                .table_of = strata_arena_array(arena, size_t, n),
                .tables = strata_arena_array(arena, table_t, n),
                .most = most,
                .out = out};
  out->count = 0;
  for (size_t i = 0; i < n; i++)
    j.table_of[i] = find_table(&j, kernels[i]);
  return join_from(&j, 0, (MlirIntegerSet){NULL});
}

//===-- The contract ---------------------------------------------------------------------------------------------===//

static strata_status_t broken(MlirOperation func, const char *what) {
  MlirStringRef name = strata_attr_str(func, "sym_name");
  return strata_error(STRATA_INTERNAL, "function @%.*s: %s", (int)name.length, name.data, what);
}

static strata_status_t check_list(MlirOperation func, int n_symbols) {
  MlirAttribute list = strata_attr(func, STRATA_VARIANTS);
  if (mlirAttributeIsNull(list))
    return NULL;
  MlirOperation variants[STRATA_MAX_VARIANTS];
  if (count_of(list) == 0 || count_of(list) > STRATA_MAX_VARIANTS ||
      strata_variants_of(func, variants) != count_of(list))
    return broken(func, STRATA_VARIANTS " is a list of functions, one at least and not too many");
  for (intptr_t i = 0; i < count_of(list); i++) {
    if (!mlirAttributeEqual(strata_attr(variants[i], "function_type"), strata_attr(func, "function_type")))
      return broken(variants[i], "a variant has its kernel's type");
    if (!strata_when_is_valid(strata_attr(variants[i], STRATA_WHEN), n_symbols) ||
        !mlirAttributeIsNull(strata_attr(variants[i], STRATA_VARIANTS)))
      return broken(variants[i], "a variant has a condition over the module's symbols, and no variants");
    MlirAttribute unless = strata_attr(variants[i], STRATA_UNLESS);
    for (intptr_t j = 0; j < count_of(unless); j++)
      if (!strata_when_is_valid(mlirArrayAttrGetElement(unless, j), n_symbols))
        return broken(variants[i], "exceptions of a variant are conditions over the module's symbols");
    if (!mlirOperationEqual(strata_variant_kernel(variants[i]), func))
      return broken(variants[i], "a variant is one kernel's");
  }
  return NULL;
}

static strata_status_t check_callee(MlirOperation main, MlirOperation call) {
  MlirAttribute callee = strata_attr(call, "callee");
  MlirOperation func = find_beside(main, mlirFlatSymbolRefAttrGetValue(callee));
  return mlirOperationIsNull(func) || mlirAttributeIsNull(strata_attr(func, STRATA_WHEN))
             ? NULL
             : broken(func, "what is called takes all sizes");
}

static strata_status_t check_calls(MlirOperation func) {
  MlirBlock body = strata_func_body(func);
  if (mlirBlockIsNull(body))
    return NULL;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = next_in(op))
    if (strata_op_is(op, "func.call"))
      STRATA_TRY(check_callee(func, op));
  return NULL;
}

// There are calls to look at only where there is a condition.
strata_status_t strata_variants_verify(MlirModule module, int n_symbols) {
  bool has_conditions = false;
  MlirOperation first = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (MlirOperation op = first; !mlirOperationIsNull(op); op = next_in(op)) {
    has_conditions |= !mlirAttributeIsNull(strata_attr(op, STRATA_WHEN));
    STRATA_TRY(check_list(op, n_symbols));
  }
  for (MlirOperation op = first; has_conditions && !mlirOperationIsNull(op); op = next_in(op))
    if (strata_op_is(op, "func.func"))
      STRATA_TRY(check_calls(op));
  return NULL;
}
