// FNV-1a of 64 bits (Fowler, Noll and Vo): a hash of bytes, the same on every machine. Not against those who choose the
// bytes.
#ifndef STRATA_RUNTIME_BASE_HASH_H
#define STRATA_RUNTIME_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STRATA_HASH_EMPTY UINT64_C(0xcbf29ce484222325) // of no bytes

// Of what |hash| is of, and |size| more bytes.
static inline uint64_t strata_hash_add(uint64_t hash, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static inline uint64_t strata_hash_text(const char *text) {
  return strata_hash_add(STRATA_HASH_EMPTY, text, strlen(text));
}

#endif
