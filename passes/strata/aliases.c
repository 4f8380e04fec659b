// strata-aliases: results that --alias says may have the memory of an argument say so themselves.
//
//   --alias=y=x     @main(%x: tensor<4xf32> {strata.name = "x"}) -> (tensor<4xf32> {strata.name = "y"})
//   ->              ... (tensor<4xf32> {strata.alias = "x", strata.name = "y"})
//
// Names that there are none of, and types that differ, are the library's to report.
#include "dialects/mlir_util.h"
#include "passes/pass.h"

static MlirAttribute named(MlirAttribute ports, intptr_t i, const char *name) {
  return mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(ports, i), strata_str(name));
}

// The port called |name|; -1: none.
static intptr_t find_port(MlirAttribute ports, const char *name) {
  for (intptr_t i = 0; !mlirAttributeIsNull(ports) && i < mlirArrayAttrGetNumElements(ports); i++) {
    MlirAttribute own = named(ports, i, "strata.name");
    if (!mlirAttributeIsNull(own) && strata_str_equal(mlirStringAttrGetValue(own), name))
      return i;
  }
  return -1;
}

static MlirAttribute with_alias(strata_compile_t *compile, MlirAttribute port, const char *input) {
  intptr_t n = mlirDictionaryAttrGetNumElements(port);
  MlirNamedAttribute *attrs = strata_arena_array(compile->arena, MlirNamedAttribute, n + 1);
  for (intptr_t i = 0; i < n; i++)
    attrs[i] = mlirDictionaryAttrGetElement(port, i);
  attrs[n] = mlirNamedAttributeGet(mlirIdentifierGet(compile->context, strata_str("strata.alias")),
                                   strata_str_attr(compile->context, input));
  return mlirDictionaryAttrGet(compile->context, n + 1, attrs);
}

strata_status_t strata_pass_strata_aliases(strata_compile_t *compile) {
  MlirOperation main = strata_find_func(compile->module, "main");
  for (size_t i = 0; i < compile->options->n_aliases && !mlirOperationIsNull(main); i++) {
    const strata_alias_t *alias = &compile->options->aliases[i];
    MlirAttribute results = strata_attr(main, "res_attrs"), arguments = strata_attr(main, "arg_attrs");
    intptr_t output = find_port(results, alias->output), input = find_port(arguments, alias->input);
    if (output < 0 || input < 0 || !mlirAttributeIsNull(named(results, output, "strata.alias")))
      continue;
    intptr_t count = mlirArrayAttrGetNumElements(results);
    MlirAttribute *all = strata_arena_array(compile->arena, MlirAttribute, count);
    for (intptr_t k = 0; k < count; k++)
      all[k] = mlirArrayAttrGetElement(results, k);
    all[output] = with_alias(compile, all[output], alias->input);
    strata_set_attr(main, "res_attrs", mlirArrayAttrGet(compile->context, count, all));
  }
  return NULL;
}
