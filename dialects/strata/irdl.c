// The dialect as IRDL text, written from the tables: names, arity, base kinds of operands, required attributes. What
// IRDL cannot say (shapes, element types) is in infer.c.
//
//   irdl.operation @reduce {
//     %o0 = irdl.base "!builtin.tensor"  irdl.operands(o0: %o0)
//     %r0 = irdl.base "!builtin.tensor"  irdl.results(r0: %r0)
//     %a0 = irdl.base "#builtin.string"  ...  irdl.attributes {"kind" = %a0, "axes" = %a1}
//   }
#include "dialects/irdl.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

#include <stdio.h>
#include <stdlib.h>

// The constraint of an attribute's kind. Booleans: IRDL knows no #builtin.bool. Dims have two forms.
static const char *const constraints[STRATA__ATTR_KIND_COUNT] = {
    [STRATA__ATTR_I64] = "irdl.base \"#builtin.integer\"",
    [STRATA__ATTR_I64S] = "irdl.base \"#builtin.dense_array\"",
    [STRATA__ATTR_BOOL] = "irdl.any_of(%true, %false)",
    [STRATA__ATTR_F64] = "irdl.base \"#builtin.float\"",
    [STRATA__ATTR_STRING] = "irdl.base \"#builtin.string\"",
    [STRATA__ATTR_MAP] = "irdl.base \"#builtin.affine_map\"",
    [STRATA__ATTR_MAPS] = "irdl.base \"#builtin.array\"",
    [STRATA__ATTR_DIMS] = "irdl.any",
    [STRATA__ATTR_ANY] = "irdl.any"};

// IRDL gives a name's constraint once per value, so every value has its own variable.
static void write_values(FILE *out, const char *clause, char letter, int count) {
  for (int i = 0; i < count; i++)
    fprintf(out, "%%%c%d = irdl.base \"!builtin.tensor\"\n", letter, i);
  fprintf(out, "irdl.%s(", clause);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s%c%d: %%%c%d", i ? ", " : "", letter, i, letter, i);
  fprintf(out, ")\n");
}

static bool any_bool(const strata__signature_t *signature) {
  for (int i = 0; i < signature->n_attrs; i++)
    if (signature->attrs[i].kind == STRATA__ATTR_BOOL)
      return true;
  return false;
}

static void write_attrs(FILE *out, const strata__signature_t *signature) {
  if (any_bool(signature)) // the text is read at every start
    fprintf(out, "%%true = irdl.is true\n%%false = irdl.is false\n");
  for (int i = 0; i < signature->n_attrs; i++)
    if (signature->attrs[i].kind != STRATA__ATTR_FLAG)
      fprintf(out, "%%a%d = %s\n", i, constraints[signature->attrs[i].kind]);
  fprintf(out, "irdl.attributes {");
  for (int i = 0, n = 0; i < signature->n_attrs; i++) {
    MlirStringRef name = signature->attrs[i].name;
    if (signature->attrs[i].kind != STRATA__ATTR_FLAG) // IRDL has no attributes that may be left out
      fprintf(out, "%s\"%.*s\" = %%a%d", n++ ? ", " : "", (int)name.length, name.data, i);
  }
  fprintf(out, "}\n");
}

static void write_op(FILE *out, const char *mnemonic, int n_operands, int n_results,
                     const strata__signature_t *signature) {
  fprintf(out, "irdl.operation @%s {\n", mnemonic);
  if (n_operands > 0)
    write_values(out, "operands", 'o', n_operands);
  write_values(out, "results", 'r', n_results);
  if (signature->n_attrs > 0)
    write_attrs(out, signature);
  fprintf(out, "}\n");
}

static void write_dialect(FILE *out) {
  fprintf(out, "irdl.dialect @strata {\n");
  for (int i = 0; i < STRATA_OP_COUNT; i++) {
    const strata_op_info_t *info = &strata_op_info[i];
    write_op(out, info->mnemonic, info->n_operands, strata__n_results((strata_op_id_t)i),
             strata__op_signature((strata_op_id_t)i));
  }
  for (int i = 0; i < STRATA_COMPOSITE_COUNT; i++) {
    const strata__signature_t *signature = strata__composite_signature((strata_composite_id_t)i);
    write_op(out, strata_composite_info[i].mnemonic, signature->n_operands, 1, signature);
  }
  // The value of a symbol inside a function, from level 2 on (dialects/affine/symbols.h).
  fprintf(out, "irdl.operation @size {\n%%value = irdl.is index\nirdl.results(value: %%value)\n"
               "%%symbol = irdl.base \"#builtin.integer\"\nirdl.attributes {\"symbol\" = %%symbol}\n}\n");
  // A buffer of other sizes, of which some vary, with the same elements.
  fprintf(out, "irdl.operation @view {\n%%buffer = irdl.any\nirdl.operands(buffer: %%buffer)\n"
               "%%view = irdl.any\nirdl.results(view: %%view)\n}\n");
  fprintf(out, "}\n");
}

strata_status_t strata_dialect_load(MlirContext context) { return strata_irdl_load(context, "strata", write_dialect); }
