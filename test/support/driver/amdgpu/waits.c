// What a wave has under way, and the counters by which it waits. A register that something under way writes may be
// neither read nor written.
#include "test/support/driver/amdgpu/code.h"

#include <string.h>

enum { CLASS_SHIFT = 28, NUMBER = (1 << CLASS_SHIFT) - 1 };

static bool is_done(const wave_t *wave, uint32_t mark) {
  return (mark & NUMBER) <= wave->done[(mark >> CLASS_SHIFT) - 1];
}

// What comes in order may be overwritten by a later one of the same class: |loads_as|, as instruction_t has it.
static void check(state_t *state, const operand_t *operand, unsigned loads_as) {
  wave_t *wave = state->wave;
  uint32_t *marks = operand->kind == VECTOR ? wave->pending_vectors : wave->pending_scalars;
  unsigned limit = operand->kind == VECTOR ? N_VECTORS : N_SCALARS;
  for (unsigned i = operand->index; i < operand->index + (unsigned)operand->count && i < limit; i++)
    if (marks[i] && !is_done(wave, marks[i]) && marks[i] >> CLASS_SHIFT != loads_as)
      found(state, "%c%u is used before what loads it has been waited for",
            operand->kind == SCALAR ? 's'
            : i >= ACCUMULATORS     ? 'a'
                                    : 'v',
            i % ACCUMULATORS);
    else if (marks[i] >> CLASS_SHIFT != loads_as)
      marks[i] = 0;
}

static bool is_anything_left(const wave_t *wave) {
  bool left = false;
  for (unsigned i = 0; i < N_CLASSES; i++)
    left |= wave->issued[i] != wave->done[i];
  return left;
}

void waits_check(state_t *state, const instruction_t *instruction) {
  if (!is_anything_left(state->wave))
    return;
  for (; instruction; instruction = instruction->also)
    for (unsigned i = 0; i < instruction->n_operands; i++)
      if (instruction->operands[i].kind == VECTOR || instruction->operands[i].kind == SCALAR)
        check(state, &instruction->operands[i], i == 0 ? instruction->loads_as : 0);
}

// Before gfx10 loads and stores are counted together, and come in order.
static class_t class_here(const state_t *state, class_t class) {
  return class == CLASS_STORE && state->program->generation < 10 ? CLASS_LOAD : class;
}

uint32_t waits_issue(state_t *state, class_t class) { return ++state->wave->issued[class_here(state, class)]; }

void waits_mark(state_t *state, const operand_t *operand, unsigned words, class_t class, uint32_t number) {
  uint32_t *marks = operand->kind == VECTOR ? state->wave->pending_vectors : state->wave->pending_scalars;
  for (unsigned i = 0; i < words; i++)
    marks[operand->index + i] = (uint32_t)(class + 1) << CLASS_SHIFT | number;
}

// Of a class that comes in order: all but the last |left|; otherwise all if none may be left.
static void wait_for(wave_t *wave, class_t class, uint8_t left, bool is_ordered) {
  uint32_t issued = wave->issued[class];
  if (left == NO_WAIT || (!is_ordered && left))
    return;
  if (issued > left && issued - left > wave->done[class])
    wave->done[class] = issued - left;
}

//===-- Loads into LDS -------------------------------------------------------------------------------------------===//

void copies_begin(state_t *state, uint32_t address, uint32_t size, uint32_t number) {
  wave_t *wave = state->wave;
  if (wave->n_copies == MAX_COPIES)
    found(state, "more than %d loads into LDS that have not been waited for", MAX_COPIES);
  wave->copies[wave->n_copies].address = address;
  wave->copies[wave->n_copies].size = size;
  wave->copies[wave->n_copies++].number = number;
}

void copies_check(state_t *state, uint32_t address, size_t size) {
  for (unsigned i = 0; i < state->n_waves; i++) {
    const wave_t *wave = &state->waves[i];
    for (unsigned j = 0; j < wave->n_copies; j++)
      if (address < wave->copies[j].address + wave->copies[j].size && wave->copies[j].address < address + size)
        found(state, "byte %u of LDS is used before wave %u has waited for what it loads there", address, i);
  }
}

// What has come is written now: others may use it behind the next barrier.
static void end_copies(state_t *state) {
  wave_t *wave = state->wave;
  unsigned n_done = 0;
  while (n_done < wave->n_copies && wave->copies[n_done].number <= wave->done[CLASS_LOAD])
    n_done++;
  for (unsigned i = 0; i < n_done; i++)
    shared_note(state, wave->copies[i].address, wave->copies[i].size, true);
  wave->n_copies -= n_done;
  memmove(wave->copies, wave->copies + n_done, wave->n_copies * sizeof wave->copies[0]);
}

void waits_until(state_t *state, const uint8_t *left) {
  wave_t *wave = state->wave;
  bool is_joint = state->program->generation < 12; // LDS and scalar memory have one counter
  wait_for(wave, CLASS_LOAD, left[COUNT_LOAD], true);
  end_copies(state);
  wait_for(wave, CLASS_STORE, left[COUNT_STORE], true);
  wait_for(wave, CLASS_LDS, left[COUNT_LDS], true);
  wait_for(wave, CLASS_SCALAR, left[is_joint ? COUNT_LDS : COUNT_SCALAR], false);
  if (left[COUNT_LOAD] == 0 && left[COUNT_LDS] == 0) // a flat access may go to either
    wait_for(wave, CLASS_FLAT, 0, false);
}

void waits_at_barrier(state_t *state) {
  if (state->wave->last_lds_store > state->wave->done[CLASS_LDS])
    found(state, "a barrier while a store to LDS has not been waited for");
}
