// See c_names.h, and strata_library_check_name of library.h.
#define _GNU_SOURCE // strerrorname_np, sigabbrev_np
#include "targets/library/c_names.h"

#include "targets/library/library.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>

enum { MAX_LENGTH = 200 }; // of an identifier made from a model's name

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_identifier(const char *text) {
  if (!is_letter(*text))
    return false;
  while (is_letter(*text) || is_digit(*text))
    text++;
  return *text == 0;
}

typedef struct {
  const char *begin, *end;
  bool is_upper; // what lies between is capitals, digits and '_'
} family_t;

static bool is_of(const family_t *family, const char *text) {
  size_t length = strlen(text), begin = strlen(family->begin), end = strlen(family->end);
  if (length <= begin + end || strncmp(text, family->begin, begin) != 0 ||
      strcmp(text + length - end, family->end) != 0)
    return false;
  return !family->is_upper || begin + strspn(text + begin, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= length - end;
}

// EINVAL, SIGTERM
static bool is_error_or_signal(const char *text) {
  for (int i = 1; i < 256; i++) {
    const char *error = strerrorname_np(i), *signal = i < NSIG ? sigabbrev_np(i) : NULL;
    if ((error && strcmp(error, text) == 0) ||
        (signal && strncmp(text, "SIG", 3) == 0 && strcmp(signal, text + 3) == 0))
      return true;
  }
  return false;
}

// A word of C or C++, or one of c_words.def's others.
static bool is_c_word(const char *text) {
  enum { ANY = false, UPPER = true };
  static const char *const words[] = {
#define WORD(text) text,
#include "targets/library/c_words.def"
  };
  static const family_t families[] = {
#define WORD(text)
#define FAMILY(begin, end, inside) {begin, end, inside},
#include "targets/library/c_words.def"
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i], text) == 0)
      return true;
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
    if (is_of(&families[i], text))
      return true;
  return is_error_or_signal(text) || (text[0] == '_' && (text[1] == '_' || (text[1] >= 'A' && text[1] <= 'Z')));
}

//===-- Unique names ---------------------------------------------------------------------------------------------===//

static size_t slot_of(const strata_c_scope_t *scope, const char *name) {
  size_t hash = 5381;
  for (const char *c = name; *c; c++)
    hash = hash * 33 + (unsigned char)*c;
  size_t slot = hash % scope->taken.capacity;
  while (scope->taken.data[slot] && strcmp(scope->taken.data[slot], name) != 0)
    slot = (slot + 1) % scope->taken.capacity;
  return slot;
}

static void grow(strata_c_scope_t *scope) {
  strata_c_scope_t grown = {.arena = scope->arena, .count = scope->count};
  grown.taken.capacity = scope->taken.capacity ? scope->taken.capacity * 2 : 64;
  grown.taken.data = strata_arena_array(scope->arena, const char *, grown.taken.capacity);
  for (size_t i = 0; i < scope->taken.capacity; i++)
    if (scope->taken.data[i])
      grown.taken.data[slot_of(&grown, scope->taken.data[i])] = scope->taken.data[i];
  *scope = grown;
}

const char *strata_c_scope_add(strata_c_scope_t *scope, const char *name) {
  if (scope->count * 2 >= scope->taken.capacity)
    grow(scope);
  // '_' before what must not begin an identifier; names of one '_' and a small letter are free for parameters.
  char *base = strata_arena_printf(scope->arena, "%s%.*s", is_letter(*name) ? "" : "_", MAX_LENGTH, name);
  for (char *c = base; *c; c++)
    if (!is_letter(*c) && !is_digit(*c))
      *c = '_';
  const char *unique = base;
  // A family's name stays one with a number behind it.
  const char *prefix = is_c_word(strata_arena_printf(scope->arena, "%s_2", base)) ? "x" : "";
  size_t slot = slot_of(scope, unique);
  for (size_t number = 2; scope->taken.data[slot] || is_c_word(unique); number++) {
    unique = strata_arena_printf(scope->arena, "%s%s_%zu", prefix, base, number);
    slot = slot_of(scope, unique);
  }
  scope->taken.data[slot] = unique;
  scope->count++;
  return unique;
}

//===-- The name of a library ------------------------------------------------------------------------------------===//

static bool is_in_c_library(const char *name) {
  static const char *const libraries[] = {"libc.so.6", "libm.so.6"};
  static const char *const symbols[] = {
#define WORD(text)
#define SYMBOL(text) text,
#include "targets/library/c_words.def"
  };
  bool found = false;
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0] && !found; i++)
    found = strcmp(symbols[i], name) == 0;
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0] && !found; i++) {
    void *handle = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
    found = handle && dlsym(handle, name);
    if (handle)
      dlclose(handle);
  }
  return found;
}

strata_status_t strata_library_check_name(const char *name) {
  static const char *const suffixes[] = {
#define EXPORT(targets, stream, suffix, ...) "_" suffix,
#include "targets/library/exports.def"
  };
  if (!is_identifier(name))
    return strata_error(STRATA_INVALID_ARGUMENT, "--aot-name: expected a C identifier, got '%s'", name);
  if (strlen(name) > MAX_LENGTH)
    return strata_error(STRATA_INVALID_ARGUMENT, "--aot-name: expected at most %d characters, got %zu", MAX_LENGTH,
                        strlen(name));
  // What begins with '_' is the C library's where things outside functions are named.
  bool is_reserved = name[0] == '_';
  char symbol[MAX_LENGTH + 64];
  for (size_t i = 0; i <= sizeof suffixes / sizeof suffixes[0]; i++) {
    strcat(strcpy(symbol, name), i ? suffixes[i - 1] : "");
    if (is_reserved || is_c_word(symbol) || is_in_c_library(symbol))
      return strata_error(STRATA_INVALID_ARGUMENT, "--aot-name: '%s' is reserved for C, C++, the C library or strata",
                          symbol);
  }
  return NULL;
}
