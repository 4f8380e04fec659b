// See quotients.h.
#include "targets/llvm/quotients.h"

#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"

static const char flags_name[] = "fastmathFlags";

enum { MAX_KNOWN = 16 };

// Flags as they were and without arcp: there are few different ones.
typedef struct {
  strata_arena_t *arena;
  int n_known;
  MlirAttribute before[MAX_KNOWN], after[MAX_KNOWN];
} flags_t;

// "#llvm.fastmath<arcp, afn>" -> "#llvm.fastmath<afn>"
static MlirAttribute remove_arcp(flags_t *flags, MlirAttribute attr) {
  const char *text = strata_attr_text(flags->arena, attr), *arcp = strstr(text, "arcp");
  if (!arcp)
    return attr;
  const char *rest = arcp + strlen("arcp");
  bool is_last = *rest == '>', is_alone = is_last && arcp[-1] == '<';
  int kept = (int)(arcp - text) - (is_last && !is_alone ? (int)strlen(", ") : 0);
  rest += is_last ? 0 : strlen(", ");
  return mlirAttributeParseGet(
      mlirAttributeGetContext(attr),
      strata_str(strata_arena_printf(flags->arena, "%.*s%s%s", kept, text, is_alone ? "none" : "", rest)));
}

static MlirAttribute without_arcp(flags_t *flags, MlirAttribute attr) {
  for (int i = 0; i < flags->n_known; i++)
    if (mlirAttributeEqual(flags->before[i], attr))
      return flags->after[i];
  MlirAttribute after = remove_arcp(flags, attr);
  if (flags->n_known < MAX_KNOWN) {
    flags->before[flags->n_known] = attr;
    flags->after[flags->n_known++] = after;
  }
  return after;
}

static bool is_short(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

// The op behind |value|, and behind those that repeat an element in a vector.
static MlirOperation source_of(MlirValue value) {
  MlirOperation op = strata_def(value);
  while (!mlirOperationIsNull(op)) {
    bool repeats = strata_op_is(op, "llvm.shufflevector"), inserts = strata_op_is(op, "llvm.insertelement");
    if (!repeats && !inserts)
      break;
    op = strata_def(mlirOperationGetOperand(op, inserts ? 1 : 0));
  }
  return op;
}

static bool can_be_short(MlirValue value) {
  MlirOperation op = source_of(value);
  if (mlirOperationIsNull(op))
    return false;
  return strata_op_is(op, "llvm.mlir.constant") ||
         (strata_op_is(op, "llvm.fpext") && is_short(mlirValueGetType(mlirOperationGetOperand(op, 0))));
}

static bool may_have_reciprocal(MlirOperation op) {
  return strata_op_is(op, "llvm.fdiv") && !is_short(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         !(can_be_short(mlirOperationGetOperand(op, 0)) && can_be_short(mlirOperationGetOperand(op, 1)));
}

static MlirWalkResult restrict_op(MlirOperation op, void *user) {
  MlirAttribute flags = strata_attr(op, flags_name);
  if (!mlirAttributeIsNull(flags) && !may_have_reciprocal(op)) {
    MlirAttribute without = without_arcp(user, flags);
    if (!mlirAttributeEqual(without, flags))
      strata_set_attr(op, flags_name, without);
  }
  return MlirWalkResultAdvance;
}

void strata_llvm_restrict_reciprocals(strata_arena_t *arena, MlirModule module) {
  flags_t flags = {.arena = arena};
  mlirOperationWalk(mlirModuleGetOperation(module), restrict_op, &flags, MlirWalkPreOrder);
}
