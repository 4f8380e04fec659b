// What the functions in which threads meet need of the emulated device: who calls, waiting and waking.
#ifndef STRATA_TEST_SUPPORT_DRIVER_EXECUTE_H
#define STRATA_TEST_SUPPORT_DRIVER_EXECUTE_H

#include "test/support/driver/driver.h"

#pragma GCC visibility push(hidden)

// What a thread waits for: all that wait for the same thing of the same kind are woken together.
typedef enum { NOTHING, WAIT_PHASE, WAIT_GROUP, WAIT_PRODUCT, WAIT_CLUSTER } wait_kind_t;
typedef struct {
  wait_kind_t kind;
  uintptr_t what;
  uint32_t parity;
  void (*describe)(uintptr_t what, uint32_t parity, char *out, size_t capacity); // "waits for ..."
} wait_t;

unsigned block_rank(void);       // of the running block in its cluster
void block_visit(unsigned rank); // what follows concerns that block
bool block_has_ended(void);      // all its threads have
unsigned thread_current(void);   // its number in the block
unsigned thread_count(void);
void thread_wait(const wait_t *wait); // until it is woken
void threads_wake(wait_kind_t kind, uintptr_t what);

// Ends the launch: what the thread has done, or the copy engine in its place.
void kernel_fault(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

// The place in the block's shared memory, which must hold |size| bytes from there on.
size_t shared_offset(const void *memory, size_t size);

//===-- Barriers of phases and of groups (phases.c) --------------------------------------------------------------===//

void phases_reset(void); // for a new block
// |bytes| have come that the barrier waits for.
void phase_complete(uint64_t *barrier, uint32_t bytes);

//===-- Copies (bulk.c) ------------------------------------------------------------------------------------------===//

void copies_reset(void);
// Carries out the oldest copy that was put off; false: there is none.
bool copies_advance(void);
size_t copies_left(void); // that the running block has started, or that are for it

//===-- Copies that threads go on beside (async.c) ---------------------------------------------------------------===//

void async_reset(void);

//===-- Products of groups of four warps (product.c) -------------------------------------------------------------===//

void products_reset(void);

//===-- Clusters (cluster.c) -------------------------------------------------------------------------------------===//

// The running cluster has |n| blocks, whose shared memory lies |stride| bytes apart; its first block begins.
void cluster_place_memory(char *shared, size_t stride, unsigned n);
void cluster_reset(void); // the running block of it begins
void cluster_meet(void);  // all have arrived
// The place of |memory|, of block |from|'s, in that of block |to|, which must have begun and not ended.
void *cluster_place(const void *memory, unsigned from, unsigned to);

#pragma GCC visibility pop

#endif
