// Symbols of the model's dimensions; see sizes.h.
#include "dialects/import/onnx/sizes.h"

#include "dialects/integers.h"
#include "dialects/strata/symbols.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

//===-- Kinds ----------------------------------------------------------------------------------------------------===//

typedef struct {
  const char *words;
  int64_t least;
  int n_likely;
  int64_t likely[STRATA_MAX_LIKELY];
} kind_t;

static const kind_t kinds[] = {
#define COUNT_OF(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define STRATA_LIKELY(...)                                                                                             \
  COUNT_OF(__VA_ARGS__), { __VA_ARGS__ }
#define DIM_KIND(words, least, sizes) {words, least, sizes},
#include "dialects/import/dim_kinds.def"
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

// Whether |word| is in |name| between what are no letters.
static bool has_word(const char *name, const char *word, size_t length) {
  for (size_t at = 0; name[at]; at++) {
    size_t i = 0;
    while (i < length && tolower((unsigned char)name[at + i]) == word[i])
      i++;
    if (i == length && (at == 0 || !isalpha((unsigned char)name[at - 1])) && !isalpha((unsigned char)name[at + i]))
      return true;
  }
  return false;
}

static const kind_t *kind_of(const char *name) {
  for (int i = 0; i < N_KINDS; i++)
    for (const char *word = kinds[i].words; *word;) {
      size_t length = strcspn(word, " ");
      if (has_word(name, word, length))
        return &kinds[i];
      word += length + (word[length] == ' ');
    }
  return &kinds[N_KINDS - 1];
}

//===-- Names ----------------------------------------------------------------------------------------------------===//

enum { DEFAULT_MOST = INT32_MAX };

static int find_symbol(const onnx_importer_t *importer, const char *name) {
  for (size_t i = 0; i < importer->symbols.list.count; i++)
    if (importer->symbols.list.data[i].op == STRATA_SYMBOL_GIVEN && !strcmp(importer->symbols.list.data[i].name, name))
      return (int)i;
  return -1;
}

static const strata_import_dim_t *find_dim(const strata_import_dim_t *dims, size_t n_dims, const char *name) {
  for (size_t i = 0; i < n_dims; i++)
    if (!strcmp(dims[i].name, name))
      return &dims[i];
  return NULL;
}

// What --dim says of the name, or else a model that a front end made.
static const strata_import_dim_t *find_given(const onnx_importer_t *importer, const char *name) {
  const onnx_made_model_t *made = importer->made;
  const strata_import_dim_t *given = find_dim(importer->options->dims, importer->options->n_dims, name);
  return given || !made ? given : find_dim(made->dims, made->n_dims, name);
}

strata_status_t onnx_check_given_dims(const onnx_importer_t *importer) {
  const strata_import_options_t *options = importer->options;
  for (size_t i = 0; importer->made && i < options->n_dims; i++) {
    const strata_import_dim_t *given = &options->dims[i];
    const strata_import_dim_t *said = find_dim(importer->made->dims, importer->made->n_dims, given->name);
    int64_t max = given->is_range ? given->max : given->min;
    if (said && (given->min < said->min || max > said->max))
      return strata_error(STRATA_INVALID_ARGUMENT, "--dim %s: the model says that it is from %lld to %lld", given->name,
                          (long long)said->min, (long long)said->max);
  }
  return NULL;
}

// The likely sizes that the symbol may have.
static void keep_possible(strata_symbol_t *symbol, int n_likely, const int64_t *likely) {
  symbol->n_likely = 0;
  for (int i = 0; i < n_likely; i++)
    if (likely[i] >= symbol->min && likely[i] <= symbol->max && likely[i] % symbol->multiple == 0)
      symbol->likely[symbol->n_likely++] = likely[i];
}

// What is chosen by cost is chosen for the likely size in the middle of the list (dialects/affine/symbols.c), of two
// for the first: that is to be the larger one on a GPU, which few of anything leave idle, and where the other is 1,
// which no dim is planned for that is more at times.
static void prefer_larger(strata_symbol_t *symbol, bool is_gpu) {
  int middle = (symbol->n_likely - 1) / 2, larger = symbol->n_likely / 2;
  if (!symbol->n_likely || (!is_gpu && symbol->likely[middle] > 1))
    return;
  int64_t size = symbol->likely[middle];
  symbol->likely[middle] = symbol->likely[larger];
  symbol->likely[larger] = size;
}

static strata_dim_t new_symbol(onnx_importer_t *importer, const char *name, const strata_import_dim_t *given) {
  const kind_t *kind = kind_of(name);
  strata_symbol_t symbol = {.name = name, .min = kind->least, .max = DEFAULT_MOST, .multiple = 1};
  const int64_t *likely = kind->likely;
  symbol.n_likely = kind->n_likely;
  if (given) {
    symbol.min = given->min;
    symbol.max = given->max;
    symbol.multiple = given->multiple;
  }
  if (given && given->n_likely) {
    likely = given->likely;
    symbol.n_likely = given->n_likely;
  }
  keep_possible(&symbol, symbol.n_likely, likely);
  if (likely == kind->likely)
    prefer_larger(&symbol, importer->compile->options->target != STRATA_TARGET_CPU);
  *strata_vector_push(importer->compile->arena, &importer->symbols.list) = symbol;
  return strata_dim_symbol(importer->compile->context, (int)importer->symbols.list.count - 1);
}

// A name alone.
static strata_dim_t plain_dim(onnx_importer_t *importer, const char *name) {
  const strata_import_dim_t *given = find_given(importer, name);
  strata_arena_t *arena = importer->compile->arena;
  if (!strata_string_map_put(arena, &importer->dims, name, importer))
    *strata_vector_push(arena, &importer->dim_names) = name;
  if (given && !given->is_range)
    return strata_dim_constant(importer->compile->context, given->min);
  int symbol = find_symbol(importer, name);
  return symbol >= 0 ? strata_dim_symbol(importer->compile->context, symbol) : new_symbol(importer, name, given);
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

// sum = product { ("+" | "-") product }, product = factor { ("*" | "/" | "//") factor }, factor = number | name |
// "(" sum ")". Quotients are by numbers, rounded down.
typedef struct {
  onnx_importer_t *importer;
  const char *at;
  bool failed;
} reader_t;

static bool accept(reader_t *r, const char *token) {
  r->at += strspn(r->at, " ");
  size_t length = strlen(token);
  if (strncmp(r->at, token, length))
    return false;
  r->at += length;
  return true;
}

static strata_dim_t read_sum(reader_t *r);

static strata_dim_t read_fail(reader_t *r) {
  r->failed = true;
  return strata_dim_constant(r->importer->compile->context, 1);
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

static strata_dim_t read_factor(reader_t *r) {
  if (accept(r, "(")) {
    strata_dim_t inner = read_sum(r);
    return accept(r, ")") ? inner : read_fail(r);
  }
  if (isdigit((unsigned char)*r->at)) {
    char *end;
    int64_t number = strtoll(r->at, &end, 10);
    bool is_good = number < DEFAULT_MOST && !is_name(*end);
    r->at = end;
    return is_good ? strata_dim_constant(r->importer->compile->context, number) : read_fail(r);
  }
  size_t length = 0;
  while (is_name(r->at[length]))
    length++;
  const char *name = strata_arena_printf(r->importer->compile->arena, "%.*s", (int)length, r->at);
  r->at += length;
  return length ? plain_dim(r->importer, name) : read_fail(r);
}

static strata_dim_t read_product(reader_t *r) {
  strata_dim_t result = read_factor(r);
  int64_t divisor;
  while (!r->failed) {
    if (accept(r, "*"))
      result = strata_dim_mul(result, read_factor(r));
    else if (!accept(r, "//") && !accept(r, "/"))
      break;
    else if (!strata_dim_is_constant(read_factor(r), &divisor) || divisor < 1)
      read_fail(r);
    else
      result = strata_dim_floordiv(result, divisor);
  }
  return result;
}

static strata_dim_t read_sum(reader_t *r) {
  strata_dim_t result = read_product(r);
  while (!r->failed) {
    if (accept(r, "+"))
      result = strata_dim_add(result, read_product(r));
    else if (accept(r, "-"))
      result = strata_dim_sub(result, read_product(r));
    else
      break;
  }
  return result;
}

// Whether |name| reads as an expression with an operator: names that are not, such as "dim#2", are names as they are.
static bool is_expression(const char *name) {
  int level = 0;
  bool has_operator = false, wants_factor = true;
  for (const char *at = name; *at; at++) {
    if (*at == ' ')
      continue;
    if (is_name(*at)) {
      if (!wants_factor)
        return false;
      while (is_name(at[1]))
        at++;
      wants_factor = false;
    } else if (*at == '(' && wants_factor) {
      level++;
    } else if (*at == ')' && !wants_factor && level > 0) {
      level--;
    } else if (strchr("+-*/", *at) && !wants_factor) {
      at += at[0] == '/' && at[1] == '/';
      has_operator = wants_factor = true;
    } else {
      return false;
    }
  }
  return has_operator && !wants_factor && level == 0;
}

strata_status_t onnx_named_dim(onnx_importer_t *importer, const char *name, strata_dim_t *out) {
  const strata_import_dim_t *given = find_given(importer, name);
  if (given || !is_expression(name)) {
    *out = plain_dim(importer, name);
    return NULL;
  }
  reader_t reader = {importer, name, false};
  *out = read_sum(&reader);
  reader.at += strspn(reader.at, " ");
  strata_arena_t *arena = importer->compile->arena;
  if (reader.failed || *reader.at)
    return strata_error(STRATA_INVALID_ARGUMENT,
                        "dimension '%s': expected a sum or product of names and numbers, quotients by numbers", name);
  int64_t size;
  if (strata_dim_is_constant(*out, &size) && size < 0)
    return strata_error(STRATA_INVALID_ARGUMENT, "dimension '%s': its size would be %lld", name, (long long)size);
  strata_string_map_put(arena, &importer->dims, name, importer);
  return NULL;
}

//===-- Equality -------------------------------------------------------------------------------------------------===//

strata_dim_t onnx_resolve(const onnx_importer_t *importer, strata_dim_t dim) {
  if (importer->known.count)
    dim = strata_dim_substitute(dim, (int)importer->known.count, importer->known.data);
  return importer->has_known_quotients ? strata_dim_fold_quotients(dim, &importer->symbols) : dim;
}

// Whether |dim| is made of |symbol|, be it by way of a derived one.
static bool depends_on(const onnx_importer_t *importer, MlirAffineExpr dim, int symbol) {
  if (mlirAffineExprIsASymbol(dim)) {
    int own = (int)mlirAffineSymbolExprGetPosition(dim);
    const strata_symbol_t *other = &importer->symbols.list.data[own];
    return own == symbol || (other->op != STRATA_SYMBOL_GIVEN &&
                             (depends_on(importer, other->lhs, symbol) || depends_on(importer, other->rhs, symbol)));
  }
  return mlirAffineExprIsABinary(dim) && (depends_on(importer, mlirAffineBinaryOpExprGetLHS(dim), symbol) ||
                                          depends_on(importer, mlirAffineBinaryOpExprGetRHS(dim), symbol));
}

static bool is_derived(const onnx_importer_t *importer, int symbol) {
  return importer->symbols.list.data[symbol].op != STRATA_SYMBOL_GIVEN;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(strata_minus(0, a), b); }

bool onnx_narrow(onnx_importer_t *importer, strata_dim_t dim, int64_t min, int64_t max) {
  dim = onnx_resolve(importer, dim);
  strata_range_t range = strata_dim_range(dim, &importer->symbols);
  strata_dim_t part;
  int64_t factor, rest;
  if (range.min >= min && range.max <= max)
    return true;
  if (!strata_dim_split(dim, &part, &factor, &rest))
    return false;
  bool has_min = range.min<min, has_max = range.max> max;
  int64_t least = has_min ? strata_minus(min, rest) : INT64_MIN, most = has_max ? strata_minus(max, rest) : INT64_MAX;
  if (factor < 0) {
    int64_t end = least;
    least = has_max ? ceil_div(most, factor) : INT64_MIN;
    most = has_min ? floor_div(end, factor) : INT64_MAX;
  } else {
    least = has_min ? ceil_div(least, factor) : least;
    most = has_max ? floor_div(most, factor) : most;
  }
  if (mlirAffineExprIsAFloorDiv(part)) {
    int64_t divisor = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(part));
    return onnx_narrow(importer, mlirAffineBinaryOpExprGetLHS(part),
                       least == INT64_MIN ? least : strata_times(least, divisor),
                       most == INT64_MAX ? most : strata_plus(strata_times(most, divisor), divisor - 1));
  }
  if (!mlirAffineExprIsASymbol(part) || is_derived(importer, (int)mlirAffineSymbolExprGetPosition(part)))
    return false;
  strata_symbol_t *symbol = &importer->symbols.list.data[mlirAffineSymbolExprGetPosition(part)];
  if (strata_max(symbol->min, least) > strata_min(symbol->max, most))
    return false;
  symbol->min = strata_max(symbol->min, least);
  symbol->max = strata_min(symbol->max, most);
  return true;
}

static bool is_counted(const onnx_importer_t *importer, strata_dim_t dim) {
  return strata_dim_is_counted(&importer->symbols, onnx_resolve(importer, dim));
}

bool onnx_require(onnx_importer_t *importer, strata_dim_t a, strata_dim_t b, int64_t min, int64_t max) {
  return is_counted(importer, a) || is_counted(importer, b) || onnx_narrow(importer, strata_dim_sub(a, b), min, max) ||
         strata_symbols_check(importer->compile->arena, &importer->symbols, onnx_resolve(importer, a),
                              onnx_resolve(importer, b), min, max);
}

// Whether lhs - rhs lies in the range for all sizes, where need be of fewer sizes.
static bool narrow_difference(onnx_importer_t *importer, strata_dim_t lhs, strata_dim_t rhs, int64_t min, int64_t max) {
  return onnx_narrow(importer, strata_dim_sub(lhs, rhs), min, max);
}

// A size that depends on data is another one if the model needs it to be: at all data that make sense it is. Its value
// must be there already.
static bool impose_on_count(onnx_importer_t *importer, int symbol, strata_dim_t value) {
  if (strata_expr_symbols(value) > symbol)
    return false;
  strata_dim_t own = strata_dim_symbol(importer->compile->context, symbol);
  return onnx_require(importer, strata_dim_bound(importer->compile->arena, &importer->symbols, own), value, 0,
                      INT64_MAX);
}

// What must be true of |value| for it to be what the symbol is. Ranges that nobody asked for are no conditions.
static bool impose(onnx_importer_t *importer, int symbol, strata_dim_t value) {
  strata_symbol_t old = importer->symbols.list.data[symbol];
  if (strata_dim_is_counted(&importer->symbols, strata_dim_symbol(importer->compile->context, symbol)))
    return impose_on_count(importer, symbol, value);
  if (strata_dim_is_counted(&importer->symbols, value))
    return false;
  if (old.op == STRATA_SYMBOL_MIN || old.op == STRATA_SYMBOL_MAX) {
    bool is_lhs = strata_dim_equal(onnx_resolve(importer, old.lhs), value);
    strata_dim_t other = onnx_resolve(importer, is_lhs ? old.rhs : old.lhs);
    if (!is_lhs && !strata_dim_equal(onnx_resolve(importer, old.rhs), value))
      return false;
    return old.op == STRATA_SYMBOL_MIN ? narrow_difference(importer, value, other, INT64_MIN, 0)
                                       : narrow_difference(importer, value, other, 0, INT64_MAX);
  }
  if (old.op != STRATA_SYMBOL_GIVEN)
    return false;
  const strata_import_dim_t *given = find_given(importer, old.name);
  bool is_symbol = mlirAffineExprIsASymbol(value);
  if ((given || is_symbol) && !onnx_narrow(importer, value, old.min, old.max))
    return false;
  if (is_symbol) {
    int64_t *multiple = &importer->symbols.list.data[mlirAffineSymbolExprGetPosition(value)].multiple;
    *multiple = *multiple / strata_gcd(*multiple, old.multiple) * old.multiple;
  } else if (strata_dim_divisor(value, &importer->symbols) % old.multiple != 0) {
    return false;
  }
  int64_t size;
  return !strata_dim_is_constant(value, &size) || size >= old.min;
}

// What is known of symbols and quotients by now, in all that has been built.
static void replace_known(onnx_importer_t *importer) {
  strata_symbols_t *symbols = &importer->symbols;
  while (importer->known.count < symbols->list.count)
    *strata_vector_push(importer->compile->arena, &importer->known) = (strata_dim_t){0};
  for (size_t i = 0; i < symbols->list.count; i++) {
    strata_dim_t *known = &importer->known.data[i];
    if (!mlirAffineExprIsNull(*known))
      *known = onnx_resolve(importer, *known);
    if (is_derived(importer, (int)i)) {
      symbols->list.data[i].lhs = onnx_resolve(importer, symbols->list.data[i].lhs);
      symbols->list.data[i].rhs = onnx_resolve(importer, symbols->list.data[i].rhs);
    }
  }
  const strata_symbols_t *ranges = importer->has_known_quotients ? symbols : NULL;
  int count = (int)importer->known.count;
  strata_symbols_replace(importer->main, count, importer->known.data, ranges);
  // Loops are functions of the module, those that are being built of none yet.
  strata_symbols_replace(mlirModuleGetBody(importer->compile->module), count, importer->known.data, ranges);
  MlirBlock body;
  for (int i = 0; body = strata_build_open_body(&importer->builder, i), !mlirBlockIsNull(body); i++)
    strata_symbols_replace(body, count, importer->known.data, ranges);
}

void onnx_fold_quotients(onnx_importer_t *importer) {
  if (importer->has_known_quotients)
    replace_known(importer);
}

static void replace(onnx_importer_t *importer, int symbol, strata_dim_t value) {
  while (importer->known.count < importer->symbols.list.count)
    *strata_vector_push(importer->compile->arena, &importer->known) = (strata_dim_t){0};
  importer->known.data[symbol] = value;
  replace_known(importer);
}

// Where |difference| has only a quotient that varies, its symbol's range can make it 0: the number of chunks of a
// sequence that a model joins to the one before is one, say.
static bool fix_quotient(onnx_importer_t *importer, strata_dim_t difference) {
  strata_dim_t part;
  int64_t factor, rest;
  if (!strata_dim_split(difference, &part, &factor, &rest) || !mlirAffineExprIsAFloorDiv(part) || rest % factor ||
      !onnx_narrow(importer, difference, 0, 0))
    return false;
  importer->has_known_quotients = true;
  replace_known(importer);
  return true;
}

// Without the factors, symbols that are never 0, that both have.
static void remove_common_factors(const onnx_importer_t *importer, strata_dim_t *a, strata_dim_t *b) {
  for (size_t i = 0; i < importer->symbols.list.count; i++) {
    strata_dim_t symbol = strata_dim_symbol(importer->compile->context, (int)i), left, right;
    while (importer->symbols.list.data[i].min > 0 && strata_dim_divide(*a, symbol, &left) &&
           strata_dim_divide(*b, symbol, &right) && !strata_dim_is(left, 0) && !strata_dim_is(right, 0)) {
      *a = left;
      *b = right;
    }
  }
  strata_dim_t difference = strata_dim_sub(*a, *b), quotient;
  int64_t common = strata_dim_divisor(difference, &(strata_symbols_t){{0}});
  if (common > 1 && strata_dim_divide(difference, strata_dim_constant(importer->compile->context, common), &quotient)) {
    *a = quotient;
    *b = strata_dim_constant(importer->compile->context, 0);
  }
}

bool onnx_unify(onnx_importer_t *importer, strata_dim_t a, strata_dim_t b) {
  a = onnx_resolve(importer, a);
  b = onnx_resolve(importer, b);
  strata_range_t difference = strata_dim_range(strata_dim_sub(a, b), &importer->symbols);
  if (strata_dim_equal(a, b))
    return true;
  if (difference.min > 0 || difference.max < 0)
    return false;
  remove_common_factors(importer, &a, &b);
  size_t count = importer->symbols.list.count;
  bool *may_go = strata_arena_array(importer->compile->arena, bool, count + 1);
  for (size_t i = 0; i < count; i++)
    may_go[i] = true;
  for (;;) {
    strata_dim_t value;
    int symbol = strata_dim_solve(a, b, (int)count, may_go, &value);
    if (symbol < 0)
      return fix_quotient(importer, strata_dim_sub(a, b));
    may_go[symbol] = false;
    if (depends_on(importer, value, symbol) || !impose(importer, symbol, value))
      continue;
    replace(importer, symbol, value);
    // A size is never negative: what else it is, is checked in each call.
    return onnx_require(importer, value, strata_dim_constant(importer->compile->context, 0), 0, INT64_MAX);
  }
}

strata_status_t onnx_settle_symbols(onnx_importer_t *importer) {
  strata_compile_t *compile = importer->compile;
  strata_symbols_t left;
  if (!importer->symbols.list.count)
    return NULL;
  size_t count = importer->symbols.list.count;
  strata_dim_t *known = strata_arena_array(compile->arena, strata_dim_t, count),
               *values = strata_arena_array(compile->arena, strata_dim_t, count);
  for (size_t i = 0; i < importer->known.count; i++)
    known[i] = importer->known.data[i];
  MlirBlock module = mlirModuleGetBody(compile->module);
  STRATA_TRY(
      strata_symbols_renumber(compile->arena, compile->context, &importer->symbols, module, known, &left, values));
  strata_symbols_replace(module, (int)count, values, NULL);
  if (importer->has_known_quotients)
    STRATA_TRY(strata_symbols_settle_windows(compile));
  for (size_t i = 0; i < left.list.count; i++)
    keep_possible(&left.list.data[i], left.list.data[i].n_likely, left.list.data[i].likely);
  importer->symbols = left;
  importer->known.count = 0;
  return NULL;
}
