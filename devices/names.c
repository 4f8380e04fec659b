#include "devices/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Whether the words of |product| are those at |at|, wherever either of them is cut: "rtx 4090", "RTX4090". Sets the
// number of letters.
static bool starts_with_words(const char *at, const char *product, size_t length, size_t *out_letters) {
  const char *end = product + length;
  *out_letters = 0;
  for (;; at++, product++, ++*out_letters) {
    while (product < end && !isalnum((unsigned char)*product))
      product++;
    if (product == end)
      return !isalnum((unsigned char)*at); // the last word is whole
    while (*out_letters && *at && !isalnum((unsigned char)*at))
      at++;
    if (tolower((unsigned char)*at) != *product)
      return false;
  }
}

static size_t match_product(const char *name, const char *product, size_t length) {
  for (const char *at = name; *at; at++) {
    bool starts_word = at == name || !isalnum((unsigned char)at[-1]);
    size_t letters;
    if (starts_word && starts_with_words(at, product, length, &letters))
      return letters;
  }
  return 0;
}

size_t strata_device_match(const char *name, const char *row, const char *products) {
  size_t best = strcmp(name, row) == 0 ? SIZE_MAX : 0;
  while (*products) {
    size_t length = strcspn(products, "|"), letters = match_product(name, products, length);
    best = letters > best ? letters : best;
    products += length + (products[length] == '|');
  }
  return best;
}

void strata_device_near(strata_nearest_t *nearest, const char *row, const char *products) {
  strata_nearest_try(nearest, row, strlen(row));
  while (*products) {
    size_t length = strcspn(products, "|");
    strata_nearest_try(nearest, products, length);
    products += length + (products[length] == '|');
  }
}
