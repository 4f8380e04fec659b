// strata-aliases: results that --alias says may have the memory of an argument say so themselves.
//
//   --alias=y=x     @main(%x: tensor<4xf32> {strata.name = "x"}) -> (tensor<4xf32> {strata.name = "y"})
//   ->              ... (tensor<4xf32> {strata.alias = "x", strata.name = "y"})
//   --alias=present.*=past.*      the same of every result present.TEXT for which there is an argument past.TEXT
//
// Names that there are none of, and types that differ, are the library's to report.
#include "dialects/mlir_util.h"
#include "passes/pass.h"

static intptr_t n_ports(MlirOperation main, const char *ports) {
  MlirAttribute all = strata_attr(main, ports);
  return mlirAttributeIsNull(all) ? 0 : mlirArrayAttrGetNumElements(all);
}

// Of an argument or a result of @main; empty: it has none.
static MlirStringRef name_of_port(MlirOperation main, const char *ports, intptr_t index) {
  MlirAttribute name = strata_port_attr(main, ports, index, "strata.name");
  return mlirAttributeIsNull(name) ? strata_str("") : mlirStringAttrGetValue(name);
}

static bool has_argument(MlirOperation main, const char *name) {
  for (intptr_t i = 0; i < n_ports(main, "arg_attrs"); i++)
    if (strata_str_equal(name_of_port(main, "arg_attrs", i), name))
      return true;
  return false;
}

static void apply(strata_compile_t *compile, MlirOperation main, const strata_alias_t *alias) {
  for (intptr_t i = 0; i < n_ports(main, "res_attrs"); i++) {
    const char *input = strata_alias_input(compile->arena, alias, name_of_port(main, "res_attrs", i));
    if (input && has_argument(main, input) &&
        mlirAttributeIsNull(strata_port_attr(main, "res_attrs", i, "strata.alias")))
      strata_set_port_attr(compile->arena, main, "res_attrs", i, "strata.alias",
                           strata_str_attr(compile->context, input));
  }
}

strata_status_t strata_pass_strata_aliases(strata_compile_t *compile) {
  MlirOperation main = strata_find_func(compile->module, "main");
  for (size_t i = 0; i < compile->options->n_aliases && !mlirOperationIsNull(main); i++)
    apply(compile, main, &compile->options->aliases[i]);
  return NULL;
}
