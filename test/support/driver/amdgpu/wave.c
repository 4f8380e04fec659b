// Launches: blocks one after the other, a block's waves in turns from barrier to barrier.
#include "test/support/driver/amdgpu/code.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Where LDS and scratch lie for flat accesses: no address of the host's has such upper halves.
enum { SHARED_APERTURE = 0x7FFE0000, PRIVATE_APERTURE = 0x7FFD0000 };
enum { MAX_THREADS = 1024, POISON = 0xBADBAD00 };

//===-- Findings -------------------------------------------------------------------------------------------------===//

void found(state_t *state, const char *format, ...) {
  char text[AMDGPU_TEXT / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const instruction_t *instruction = state->instruction;
  snprintf(state->finding, AMDGPU_TEXT, "kernel %s, block %u, wave %u, at 0x%llx, %.120s: %s", state->kernel->name,
           state->block, state->number, (unsigned long long)(instruction ? instruction->address : 0),
           instruction ? instruction->text : "", text);
  longjmp(state->end, 1);
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

uint64_t constant_bits(const operand_t *operand, unsigned type_bytes) {
  if (operand->kind == INTEGER)
    return (uint64_t)operand->integer;
  float single = (float)operand->real;
  uint64_t bits = 0;
  if (type_bytes == 8)
    memcpy(&bits, &operand->real, sizeof bits);
  else if (type_bytes == 4)
    memcpy(&bits, &single, sizeof single);
  else {
    _Float16 half = (_Float16)single;
    memcpy(&bits, &half, sizeof half);
  }
  return bits;
}

uint64_t scalar_value(const state_t *state, const operand_t *operand, unsigned type_bytes) {
  const uint32_t *scalars = state->wave->scalars;
  if (operand->kind == SCALAR && operand->index == NOWHERE)
    return 0;
  if (operand->kind == SCALAR)
    return operand->count >= 2 && type_bytes == 8 ? read_pair(&scalars[operand->index]) : scalars[operand->index];
  if (operand->kind == VECTOR)
    return vector_of(state, operand->index)[0];
  return constant_bits(operand, type_bytes);
}

void scalar_write(state_t *state, const operand_t *operand, uint64_t value, unsigned words) {
  if (operand->index == NOWHERE)
    return;
  state->wave->scalars[operand->index] = (uint32_t)value;
  if (words == 2)
    state->wave->scalars[operand->index + 1] = (uint32_t)(value >> 32);
}

uint64_t mask_read(const state_t *state, const operand_t *operand) {
  uint64_t mask = scalar_value(state, operand, 8);
  return state->n_lanes == 32 ? (uint32_t)mask : mask;
}

void mask_write(state_t *state, const operand_t *operand, uint64_t mask) {
  scalar_write(state, operand, mask, state->n_lanes == 32 ? 1 : 2);
}

const uint32_t *lanes_of(const state_t *state, const operand_t *operand, unsigned word, uint32_t *room) {
  if (operand->kind == VECTOR)
    return vector_of(state, operand->index + word);
  uint64_t value = 0;
  if (operand->kind == SCALAR && operand->index != NOWHERE)
    value = word && operand->count < 2 ? 0 : state->wave->scalars[operand->index + word];
  else if (operand->kind != SCALAR)
    value = constant_bits(operand, 4) >> 32 * word;
  for (unsigned i = 0; i < state->n_lanes; i++)
    room[i] = (uint32_t)value;
  return room;
}

const uint32_t *active_lanes(state_t *state) {
  wave_t *wave = state->wave;
  uint64_t exec = exec_of(state);
  if (wave->exec_of_lanes != exec) {
    wave->exec_of_lanes = exec;
    for (unsigned i = 0; i < state->n_lanes; i++)
      wave->exec_lanes[i] = exec >> i & 1 ? UINT32_MAX : 0;
  }
  return wave->exec_lanes;
}

void lanes_write(state_t *state, unsigned index, const uint32_t *values) {
  const uint32_t *active = active_lanes(state);
  uint32_t *to = vector_of(state, index);
  for (unsigned i = 0; i < state->n_lanes; i++)
    to[i] = active[i] ? values[i] : to[i];
}

//===-- Waves ----------------------------------------------------------------------------------------------------===//

static void step(state_t *state) {
  wave_t *wave = state->wave;
  if (wave->at >= state->kernel->n)
    found(state, "goes on behind the kernel's end");
  const instruction_t *instruction = state->instruction = &state->kernel->instructions[wave->at];
  state->next = wave->at + 1;
  if (!instruction->carry_out)
    found(state, "the executor does not know this instruction");
  waits_check(state, instruction);
  instruction->carry_out(state, instruction);
  wave->at = state->next;
}

static bool run_until_barrier(state_t *state) {
  bool goes_on = false;
  for (unsigned i = 0; i < state->n_waves; i++) {
    state->number = i;
    state->wave = &state->waves[i];
    goes_on |= state->wave->state == RUNS;
    while (state->wave->state == RUNS)
      step(state);
  }
  state->epoch++;
  for (unsigned i = 0; i < state->n_waves; i++)
    if (state->waves[i].state == AT_BARRIER)
      state->waves[i].state = RUNS;
  return goes_on;
}

// The bits of a kernel descriptor that say which scalars it wants, in order, and how many words each has.
enum {
  SEGMENT_BUFFER = 1,
  DISPATCH = 2,
  QUEUE = 4,
  ARGUMENTS = 8,
  DISPATCH_ID = 16,
  SCRATCH_INIT = 32,
  SCRATCH_SIZE = 64
};

static void fill_scalars(state_t *state, wave_t *wave) {
  static const struct {
    unsigned bit, words;
  } user[] = {{SEGMENT_BUFFER, 4}, {DISPATCH, 2},     {QUEUE, 2},       {ARGUMENTS, 2},
              {DISPATCH_ID, 2},    {SCRATCH_INIT, 2}, {SCRATCH_SIZE, 1}};
  uint32_t *scalars = wave->scalars;
  const kernel_t *kernel = state->kernel;
  unsigned at = 0;
  for (unsigned i = 0; i < N_SCALARS; i++)
    scalars[i] = POISON + i;
  for (size_t i = 0; i < sizeof user / sizeof user[0]; i++)
    if (kernel->properties & user[i].bit) {
      if (user[i].bit == ARGUMENTS) {
        scalars[at] = (uint32_t)(uintptr_t)state->arguments;
        scalars[at + 1] = (uint32_t)((uintptr_t)state->arguments >> 32);
      }
      at += user[i].words;
    }
  at = kernel->user_registers;
  for (unsigned dim = 0; dim < 3; dim++)
    if (kernel->resources2 >> (7 + dim) & 1)
      scalars[at++] = dim ? 0 : state->block;
  if (state->program->generation >= 12) {
    scalars[TTMP + 9] = state->block;
    scalars[TTMP + 7] = 0;
  }
  scalars[SHARED_BASE] = scalars[PRIVATE_BASE] = 0;
  scalars[SHARED_BASE + 1] = SHARED_APERTURE;
  scalars[PRIVATE_BASE + 1] = PRIVATE_APERTURE;
  scalars[SHARED_LIMIT + 1] = scalars[PRIVATE_LIMIT + 1] = UINT32_MAX;
  scalars[SCC] = 0;
}

static void start_wave(state_t *state, unsigned number) {
  wave_t *wave = &state->waves[number];
  uint32_t *vectors = wave->vectors;
  char *scratch = wave->scratch;
  *wave = (wave_t){.vectors = vectors, .scratch = scratch};
  state->wave = wave;
  fill_scalars(state, wave);
  unsigned first = number * state->n_lanes, left = state->launch->threads - first;
  unsigned n = left < state->n_lanes ? left : state->n_lanes;
  uint64_t exec = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  wave->scalars[EXEC] = (uint32_t)exec;
  wave->scalars[EXEC + 1] = (uint32_t)(exec >> 32);
  wave->exec_of_lanes = ~exec; // to be spread
  for (unsigned lane = 0; lane < state->n_lanes; lane++)
    vectors[lane] = first + lane; // x, below y and z
}

static void run_block(state_t *state, uint32_t block) {
  state->block = block;
  state->first_epoch = ++state->epoch;
  memset(state->shared, 0xFF, state->shared_size);
  for (unsigned i = 0; i < state->n_waves; i++)
    start_wave(state, i);
  while (run_until_barrier(state)) {
  }
}

//===-- Launches -------------------------------------------------------------------------------------------------===//

static void *take(size_t size) {
  void *memory = calloc(size ? size : 1, 1);
  if (!memory)
    abort();
  return memory;
}

static void fill_hidden(state_t *state) {
  hidden_t hidden[MAX_HIDDEN];
  size_t n = kernel_hidden(state->program, state->kernel->name, hidden);
  for (size_t i = 0; i < n; i++) {
    uint64_t value = 0;
    const char *kind = hidden[i].kind;
    if (strcmp(kind, "hidden_block_count_x") == 0)
      value = state->launch->blocks;
    else if (strcmp(kind, "hidden_group_size_x") == 0)
      value = state->launch->threads;
    else if (strncmp(kind, "hidden_block_count", 18) == 0 || strncmp(kind, "hidden_group_size", 17) == 0 ||
             strcmp(kind, "hidden_grid_dims") == 0)
      value = 1;
    if (hidden[i].offset + hidden[i].size <= state->kernel->arguments_size && hidden[i].size <= 8)
      memcpy(state->arguments + hidden[i].offset, &value, hidden[i].size);
  }
}

static void prepare(state_t *state, const amdgpu_launch_t *launch) {
  const kernel_t *kernel = state->kernel;
  size_t bytes = (size_t)N_VECTORS * state->n_lanes * sizeof(uint32_t);
  state->waves = take(state->n_waves * sizeof *state->waves);
  for (unsigned i = 0; i < state->n_waves; i++) {
    state->waves[i].vectors = take(bytes);
    state->waves[i].scratch = take((size_t)kernel->scratch * state->n_lanes);
  }
  state->shared_size = kernel->shared + launch->shared;
  state->shared = take(state->shared_size);
  state->written_by = take((state->shared_size + 1) * sizeof *state->written_by);
  state->read_by = take((state->shared_size + 1) * sizeof *state->read_by);
  state->arguments = take(kernel->arguments_size + 16);
  memcpy(state->arguments, launch->arguments,
         launch->arguments_size < kernel->arguments_size ? launch->arguments_size : kernel->arguments_size);
  fill_hidden(state);
}

static void release(state_t *state) {
  for (unsigned i = 0; state->waves && i < state->n_waves; i++) {
    free(state->waves[i].vectors);
    free(state->waves[i].scratch);
  }
  free(state->waves);
  free(state->shared);
  free(state->written_by);
  free(state->read_by);
  free(state->arguments);
  free(state);
}

bool run_launch(amdgpu_program_t *program, const kernel_t *kernel, const amdgpu_launch_t *launch, char *finding) {
  state_t *state = take(sizeof *state); // not on the stack: the jump back would lose it
  state->program = program;
  state->kernel = kernel;
  state->launch = launch;
  state->finding = finding;
  state->n_lanes = kernel->has_wave32 ? 32 : 64;
  state->n_waves = (launch->threads + state->n_lanes - 1) / state->n_lanes;
  bool ok = setjmp(state->end) == 0;
  if (ok) {
    if (launch->threads > MAX_THREADS || launch->arguments_size != kernel->given_size)
      found(state, "%u threads, %zu bytes of arguments, of which the kernel has %u", launch->threads,
            launch->arguments_size, kernel->given_size);
    prepare(state, launch);
    for (uint32_t block = 0; block < launch->blocks; block++)
      run_block(state, block);
  }
  release(state);
  return ok;
}
