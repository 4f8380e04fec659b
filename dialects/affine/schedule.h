// How a kernel is carried out: the dictionary strata.schedule of its function as a record. kinds.def has the kinds,
// schedule.def the keys;
// docs/architecture.md (cpu) and docs/gpu-schedules.md explain them.
#ifndef STRATA_DIALECTS_AFFINE_SCHEDULE_H
#define STRATA_DIALECTS_AFFINE_SCHEDULE_H

#include "dialects/compile.h"

enum { STRATA_SCHEDULE_TILE = 3 };

typedef enum {
#define KERNEL_KIND(id, ...) STRATA_KERNEL_##id,
#include "dialects/affine/kinds.def"
  STRATA_N_KERNEL_KINDS
} strata_kernel_kind_t;

// As strata.schedule has it.
const char *strata_kernel_kind_name(strata_kernel_kind_t kind);

// A member a key of schedule.def, by its type; .n_tile is the length of .tile.
#define STRATA_SCHEDULE_INTEGER(name) int64_t name;
#define STRATA_SCHEDULE_FLAG(name) bool name;
#define STRATA_SCHEDULE_PAIR(name) int64_t name[2];
#define STRATA_SCHEDULE_LIST(name)                                                                                     \
  int n_##name;                                                                                                        \
  int64_t name[STRATA_SCHEDULE_TILE];
#define STRATA_SCHEDULE_WORD(name) MlirStringRef name;
typedef struct {
  strata_kernel_kind_t kind;
#define SCHEDULE_KEY(name, type, tile, of, meaning) STRATA_SCHEDULE_##type(name)
#include "dialects/affine/schedule.def"
} strata_schedule_t;

// Missing keys are zero; a function without a schedule, or with an unknown kind, is scalar.
strata_schedule_t strata_schedule_read(MlirOperation func);
void strata_schedule_write(MlirOperation func, const strata_schedule_t *schedule);

// True if both carry out their tasks alike: all keys of TILE are the same.
bool strata_schedule_is_same_tile(const strata_schedule_t *a, const strata_schedule_t *b);

// True if |key| is one of a schedule's, with a value of its type.
bool strata_schedule_has_key(MlirStringRef key, MlirAttribute value);

#endif
