#include "passes/affine/printed.h"

#include "runtime/base/hash.h"

#include <string.h>

typedef struct {
  strata_arena_t *arena;
  STRATA_VECTOR(char) text;
} printer_t;

static void print_part(MlirStringRef part, void *user) {
  printer_t *printer = user;
  for (size_t i = 0; i < part.length; i++)
    *strata_vector_push(printer->arena, &printer->text) = part.data[i];
}

strata_printed_t strata_print_func(strata_arena_t *arena, MlirOperation func, bool behind_name) {
  printer_t printer = {.arena = arena};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(func, flags, print_part, &printer);
  mlirOpPrintingFlagsDestroy(flags);
  size_t begin = 0;
  while (behind_name && begin < printer.text.count && printer.text.data[begin] != '(')
    begin++;
  strata_printed_t printed = {.text = printer.text.data + begin, .length = printer.text.count - begin};
  printed.hash = strata_hash_add(STRATA_HASH_EMPTY, printed.text, printed.length);
  return printed;
}

bool strata_printed_equal(const strata_printed_t *a, const strata_printed_t *b) {
  return a->hash == b->hash && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}
