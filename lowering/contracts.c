// Checks what each phase promised, from the table of contracts; see contracts.h.
#include "lowering/contracts.h"

#include "dialects/affine/verify.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "dialects/strata/strata.h"
#include "dialects/tile/tile.h"

typedef struct {
  const char *legal;
  strata_pass_run_t check;
} contract_t;

static const contract_t contracts[STRATA_PHASE_COUNT] = {
#define CONTRACT(phase, legal, check) [STRATA_PHASE_##phase] = {legal, check},
#include "lowering/contracts.def"
};

// True if |name| is in |list|: itself, or its dialect as "dialect.*".
static bool is_listed(const char *list, MlirStringRef name) {
  for (const char *item = list; *item;) {
    size_t length = strcspn(item, " ");
    bool is_dialect = item[length - 1] == '*';
    size_t compared = is_dialect ? length - 1 : length;
    if (name.length >= compared && (is_dialect || name.length == length) && !memcmp(item, name.data, compared))
      return true;
    item += length + strspn(item + length, " ");
  }
  return false;
}

typedef struct {
  const char *legal;
  strata_pointer_map_t known; // names already found legal: there are few, and MLIR keeps each once
  MlirOperation illegal;
} search_t;

static MlirWalkResult find_illegal(MlirOperation op, void *user) {
  search_t *search = user;
  MlirStringRef name = strata_op_name(op);
  if (strata_pointer_map_get(&search->known, name.data))
    return MlirWalkResultAdvance;
  if (is_listed(search->legal, name)) {
    strata_pointer_map_put(&search->known, name.data);
    return MlirWalkResultAdvance;
  }
  search->illegal = op;
  return MlirWalkResultInterrupt;
}

static strata_status_t check_ops(strata_compile_t *compile, const char *legal) {
  strata_arena_t *arena = strata_arena_create();
  search_t search = {.legal = legal, .known = strata_pointer_map_create(arena)};
  mlirOperationWalk(mlirModuleGetOperation(compile->module), find_illegal, &search, MlirWalkPreOrder);
  strata_arena_destroy(arena);
  if (mlirOperationIsNull(search.illegal))
    return NULL;
  char place[160];
  MlirStringRef name = strata_op_name(search.illegal);
  strata_location_text(mlirOperationGetLocation(search.illegal), place, sizeof place);
  return strata_error(STRATA_INTERNAL, "%s%s'%.*s' is not legal any more", place, *place ? ": " : "", (int)name.length,
                      name.data);
}

strata_status_t strata_contract_check(strata_compile_t *compile, strata_phase_t phase) {
  const contract_t *contract = &contracts[phase];
  if (!contract->legal)
    return NULL;
  strata_status_t status = check_ops(compile, contract->legal);
  if (!status && contract->check)
    status = contract->check(compile);
  return strata_status_context(status, "after phase '%s'", strata_phase_info[phase].name);
}
