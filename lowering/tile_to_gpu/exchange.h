// Exchange of partial results: several threads hold a part each of the same values, which all of them, or one, are to
// have as a whole. One protocol, whoever they are:
//
//   ready     where partials will lie may be written
//   put       the thread's own go to their places
//   arrive    they are there
//   wait      so are those of the others
//   combine   those of all ranks, in an order fixed by their numbers
//
// Who hold parts of the same values are *ranks*: lanes, warps, blocks of a cluster or of the grid. Which of these
// decides how partials travel, the *transport* (transports.def). Partial i of rank r is at element
//
//   holder + i * value_stride + r * rank_stride
//
// of the memory; the holder tells apart threads that hold parts of different values.
#ifndef STRATA_LOWERING_TILE_TO_GPU_EXCHANGE_H
#define STRATA_LOWERING_TILE_TO_GPU_EXCHANGE_H

#include "lowering/tile_to_gpu/distribute.h"

typedef struct strata_exchange strata_exchange_t;

// |offset| elements behind |at|; null: behind the begin. Between lanes: the bit in which their numbers differ.
typedef struct {
  MlirValue at;
  int64_t offset;
} strata_place_t;

typedef struct {
  const char *name;
  strata_status_t (*ready)(const strata_exchange_t *x);
  // Into the memory of block |to| of the cluster; else that is null.
  void (*put)(const strata_exchange_t *x, MlirValue value, strata_place_t place, MlirValue to);
  void (*arrive)(const strata_exchange_t *x);
  // For those of all; where each has a flag, for those of ->rank.
  strata_status_t (*wait)(const strata_exchange_t *x);
  MlirValue (*get)(const strata_exchange_t *x, strata_place_t place);
} strata_transport_t;

#define TRANSPORT(name, ...) extern const strata_transport_t strata_##name##_transport;
#include "lowering/tile_to_gpu/transports.def"

struct strata_exchange {
  strata_gpu_distribution_t *d;
  const strata_transport_t *by;
  MlirType element;
  int64_t width;                     // elements that travel together
  int64_t count;                     // partials of a thread, of so many elements
  int64_t ranks;                     // that are combined, where it is known
  int64_t value_stride, rank_stride; // elements
  bool is_line;                      // ranks are combined one after the other, not as a tree
  MlirValue memory;                  // of the partials; between lanes the own one
  MlirValue holder, rank;            // of the thread, or of whose partials it takes; the former null: 0
  MlirValue own;                     // where those begin
  MlirValue flags;                   // of blocks of the grid: one a rank
  int64_t parts, size;               // of warps: equal parts of the group that may wait apart; shared memory's before
  bool was_dirty;                    // the same: it had been written
};

// What ->own is to be, by the members above.
MlirValue strata_exchange_own(const strata_exchange_t *x);
// Holders are the threads of the group: partials lie by rank, by value, by thread. Fills in strides, ->holder, ->own.
void strata_exchange_by_threads(strata_exchange_t *x);

// The thread's first |n| partials, of |values|.
void strata_exchange_put(const strata_exchange_t *x, MlirValue to, int64_t n, const MlirValue *values);
// Arrives, and waits for all.
STRATA_MUST_CHECK strata_status_t strata_exchange_meet(const strata_exchange_t *x);
// The first |n| partials of all ranks, combined; the first of each rank.
void strata_exchange_combine(const strata_exchange_t *x, MlirAttribute kind, int64_t n, MlirValue *values);
void strata_exchange_get(const strata_exchange_t *x, MlirValue *out);
// Combines |values|, as many as a thread has, with those at ->own: of one rank.
void strata_exchange_take(const strata_exchange_t *x, MlirAttribute kind, MlirValue *values);

// The kind of sums.
MlirAttribute strata_exchange_sums(const strata_exchange_t *x);
// What the lane has whose number differs in |bit|.
MlirValue strata_exchange_across(strata_gpu_distribution_t *d, MlirValue value, int64_t bit);

// For transports: |place| as an index.
MlirValue strata_place_emit(strata_emitter_t *e, strata_place_t place);

#endif
