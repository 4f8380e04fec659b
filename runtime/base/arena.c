#include "runtime/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024, ALIGNMENT = alignof(max_align_t) };

typedef struct block {
  struct block *next;
  size_t used, size;
  alignas(max_align_t) unsigned char data[];
} block_t;

typedef struct deferred {
  struct deferred *next;
  void (*release)(void *resource);
  void *resource;
} deferred_t;

struct strata_arena {
  block_t *blocks;      // the head is the one being filled
  deferred_t *deferred; // the latest first
};

static void (*on_out_of_memory)(void);

void strata_arena_on_out_of_memory(void (*handler)(void)) { on_out_of_memory = handler; }

static _Noreturn void out_of_memory(void) {
  if (on_out_of_memory)
    on_out_of_memory();
  fputs("strata: error: out of memory\n", stderr);
  exit(1);
}

strata_arena_t *strata_arena_create(void) {
  strata_arena_t *arena = calloc(1, sizeof *arena);
  if (!arena)
    out_of_memory();
  return arena;
}

void strata_arena_destroy(strata_arena_t *arena) {
  if (!arena)
    return;
  for (deferred_t *deferred = arena->deferred; deferred; deferred = deferred->next)
    deferred->release(deferred->resource);
  for (block_t *block = arena->blocks, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  free(arena);
}

void strata_arena_defer(strata_arena_t *arena, void (*release)(void *resource), void *resource) {
  deferred_t *deferred = strata_arena_new(arena, deferred_t);
  *deferred = (deferred_t){.next = arena->deferred, .release = release, .resource = resource};
  arena->deferred = deferred;
}

static block_t *add_block(strata_arena_t *arena, size_t size) {
  if (size > SIZE_MAX - sizeof(block_t))
    out_of_memory();
  block_t *block = calloc(1, sizeof *block + size);
  if (!block)
    out_of_memory();
  block->size = size;
  // A block made for one large request goes behind the head, which still has room.
  if (size > BLOCK_SIZE && arena->blocks) {
    block->next = arena->blocks->next;
    arena->blocks->next = block;
  } else {
    block->next = arena->blocks;
    arena->blocks = block;
  }
  return block;
}

void *strata_arena_alloc(strata_arena_t *arena, size_t size) {
  if (size > SIZE_MAX - ALIGNMENT)
    out_of_memory();
  size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  block_t *block = arena->blocks;
  if (!block || block->size - block->used < rounded)
    block = add_block(arena, rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE);
  void *memory = block->data + block->used;
  block->used += rounded;
  return memory;
}

void *strata_arena_calloc(strata_arena_t *arena, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size)
    out_of_memory();
  return strata_arena_alloc(arena, count * size);
}

void *strata_arena_copy(strata_arena_t *arena, const void *data, size_t size) {
  void *copy = strata_arena_alloc(arena, size);
  if (size)
    memcpy(copy, data, size);
  return copy;
}

char *strata_arena_strdup(strata_arena_t *arena, const char *text) {
  return strata_arena_copy(arena, text, strlen(text) + 1);
}

char *strata_arena_printf(strata_arena_t *arena, const char *format, ...) {
  va_list args, copy;
  va_start(args, format);
  va_copy(copy, args);
  int length = vsnprintf(NULL, 0, format, copy);
  va_end(copy);
  char *text = strata_arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
  if (length >= 0)
    vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

void *strata_arena_grow(strata_arena_t *arena, void *data, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity)
    return data;
  size_t grown = *capacity ? *capacity * 2 : 8;
  void *moved = strata_arena_calloc(arena, grown, size);
  if (count)
    memcpy(moved, data, count * size);
  *capacity = grown;
  return moved;
}
