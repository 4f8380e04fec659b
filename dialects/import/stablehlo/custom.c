// Composites, and calls of what the specification does not say.
#include "dialects/import/stablehlo/stablehlo.h"

// What stands for a composite of this name.
static const struct {
  const char *name;
  void (*reader)(tir_op_t *o);
  const char *op;
} composites[] = {
    {"chlo.acos", tir_read_node, "Acos"}, {"chlo.acosh", tir_read_node, "Acosh"},
    {"chlo.asin", tir_read_node, "Asin"}, {"chlo.asinh", tir_read_node, "Asinh"},
    {"chlo.atan", tir_read_node, "Atan"}, {"chlo.atanh", tir_read_node, "Atanh"},
    {"chlo.cosh", tir_read_node, "Cosh"}, {"chlo.erf", tir_read_node, "Erf"},
    {"chlo.sinh", tir_read_node, "Sinh"}, {"chlo.square", hlo_read_square, ""},
    {"chlo.tan", tir_read_node, "Tan"},   {"chlo.top_k", hlo_read_top_k, ""},
};
enum { N_COMPOSITES = sizeof composites / sizeof *composites };

static int find_composite(MlirOperation op) {
  MlirStringRef name = strata_attr_str(op, "name");
  for (int i = 0; i < N_COMPOSITES; i++)
    if (strata_str_equal(name, composites[i].name))
      return i;
  return -1;
}

bool hlo_knows_composite(MlirOperation op) { return find_composite(op) >= 0; }

void hlo_read_composite(tir_op_t *o) {
  int i = find_composite(o->op);
  tir_op_info_t info = {.name = "composite", .op = i < 0 ? "" : composites[i].op};
  tir_op_t named = {.importer = o->importer, .g = o->g, .op = o->op, .info = &info};
  if (i < 0)
    tir_refuse(o, "a composite without a decomposition");
  else
    composites[i].reader(&named);
}

// Targets that say something about sizes or devices, which needs nothing done.
static bool is_remark(MlirStringRef target) {
  static const char *const names[] = {"shape_assertion",           "Sharding",
                                      "SPMDFullToShardShape",      "SPMDShardToFullShape",
                                      "annotate_device_placement", "LayoutConstraint"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strata_str_equal(target, names[i]))
      return true;
  return false;
}

void hlo_read_custom_call(tir_op_t *o) {
  MlirStringRef target = strata_attr_str(o->op, "call_target_name");
  if (!is_remark(target))
    tir_refuse(o, "a call of '%.*s'", (int)target.length, target.data);
  else if (mlirOperationGetNumResults(o->op) > 0)
    tir_read_same(o);
}
