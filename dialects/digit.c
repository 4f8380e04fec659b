// See digit.h.
#include "dialects/digit.h"

static const char *const keys[] = {"bits", "descending", "shift", "unsigned"};

MlirAttribute strata_digit_attr(MlirContext context, const strata_sort_digit_t *digit) {
  enum { N = sizeof keys / sizeof keys[0] };
  const int64_t values[N] = {digit->bits, digit->descending, digit->shift, digit->is_unsigned};
  MlirNamedAttribute members[N];
  for (int i = 0; i < N; i++)
    members[i] =
        mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(keys[i])), strata_i64_attr(context, values[i]));
  return mlirDictionaryAttrGet(context, N, members);
}

static bool read_member(MlirAttribute attr, const char *name, int64_t *out) {
  MlirAttribute member = mlirDictionaryAttrGetElementByName(attr, strata_str(name));
  if (mlirAttributeIsNull(member) || !mlirAttributeIsAInteger(member))
    return false;
  *out = mlirIntegerAttrGetValueInt(member);
  return true;
}

bool strata_digit_read(MlirAttribute attr, strata_sort_digit_t *out) {
  enum { MOST_BITS = 16, ELEMENT_BITS = 64 };
  int64_t descending, is_unsigned;
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADictionary(attr) || !read_member(attr, "bits", &out->bits) ||
      !read_member(attr, "descending", &descending) || !read_member(attr, "shift", &out->shift) ||
      !read_member(attr, "unsigned", &is_unsigned))
    return false;
  out->descending = descending != 0;
  out->is_unsigned = is_unsigned != 0;
  return out->bits > 0 && out->bits <= MOST_BITS && out->shift >= 0 && out->shift + out->bits <= ELEMENT_BITS;
}
