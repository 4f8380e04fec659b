// strata-aliases: results that --alias says may have the memory of an argument say so themselves.
//
//   --alias=y=x     @main(%x: tensor<4xf32> {strata.name = "x"}) -> (tensor<4xf32> {strata.name = "y"})
//   ->              ... (tensor<4xf32> {strata.alias = "x", strata.name = "y"})
//
// Names that there are none of, and types that differ, are the library's to report.
#include "dialects/mlir_util.h"
#include "passes/pass.h"

// The argument or result of @main that is called |name|; -1: none.
static intptr_t find_port(MlirOperation main, const char *ports, const char *name) {
  MlirAttribute all = strata_attr(main, ports);
  for (intptr_t i = 0; !mlirAttributeIsNull(all) && i < mlirArrayAttrGetNumElements(all); i++) {
    MlirAttribute own = strata_port_attr(main, ports, i, "strata.name");
    if (!mlirAttributeIsNull(own) && strata_str_equal(mlirStringAttrGetValue(own), name))
      return i;
  }
  return -1;
}

strata_status_t strata_pass_strata_aliases(strata_compile_t *compile) {
  MlirOperation main = strata_find_func(compile->module, "main");
  for (size_t i = 0; i < compile->options->n_aliases && !mlirOperationIsNull(main); i++) {
    const strata_alias_t *alias = &compile->options->aliases[i];
    intptr_t output = find_port(main, "res_attrs", alias->output), input = find_port(main, "arg_attrs", alias->input);
    if (output >= 0 && input >= 0 && mlirAttributeIsNull(strata_port_attr(main, "res_attrs", output, "strata.alias")))
      strata_set_port_attr(compile->arena, main, "res_attrs", output, "strata.alias",
                           strata_str_attr(compile->context, alias->input));
  }
  return NULL;
}
