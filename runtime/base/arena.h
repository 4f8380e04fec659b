// Memory by phase, not by object: everything a compile or a pass allocates comes from an arena and goes with it.
//
// An arena is used by one thread at a time. Allocation never returns NULL: a compiler without memory cannot go on, so
// it prints "strata: error: out of memory" and exits with status 1, or does what strata_arena_on_out_of_memory says.
// The runtime of emitted libraries does not use arenas.
#ifndef STRATA_BASE_ARENA_H
#define STRATA_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct strata_arena strata_arena_t;

strata_arena_t *strata_arena_create(void);
void strata_arena_destroy(strata_arena_t *arena); // NULL is allowed

// What to do instead, in the whole process, when memory runs out; |handler| does not return.
void strata_arena_on_out_of_memory(void (*handler)(void));

// Has |release| called with |resource| when the arena is destroyed, the latest first: for what must live as long as the
// arena's memory but is not memory of it, such as a mapped file.
void strata_arena_defer(strata_arena_t *arena, void (*release)(void *resource), void *resource);

// Zeroed memory, aligned for any type.
void *strata_arena_alloc(strata_arena_t *arena, size_t size);

// Zeroed memory for |count| elements of |size| bytes; an overflowing product is out of memory.
void *strata_arena_calloc(strata_arena_t *arena, size_t count, size_t size);
#define strata_arena_array(arena, type, count) ((type *)strata_arena_calloc((arena), (size_t)(count), sizeof(type)))
#define strata_arena_new(arena, type) strata_arena_array(arena, type, 1)

// A copy of |size| bytes at |data|; of a string; of a formatted string. All strings end in NUL.
void *strata_arena_copy(strata_arena_t *arena, const void *data, size_t size);
char *strata_arena_strdup(strata_arena_t *arena, const char *text);
char *strata_arena_printf(strata_arena_t *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A growing array of |type|: STRATA_VECTOR(int) v = {0}; *strata_vector_push(arena, &v) = 7; v.data[v.count - 1].
#define STRATA_VECTOR(type)                                                                                            \
  struct {                                                                                                             \
    type *data;                                                                                                        \
    size_t count, capacity;                                                                                            \
  }
#define strata_vector_push(arena, v)                                                                                   \
  ((v)->data = strata_arena_grow((arena), (v)->data, (v)->count, &(v)->capacity, sizeof *(v)->data),                   \
   &(v)->data[(v)->count++])
void *strata_arena_grow(strata_arena_t *arena, void *data, size_t count, size_t *capacity, size_t size);

#endif
