// Memory instructions: where each lane's address lies, whether it may, and what goes between it and the registers.
#include "test/support/driver/amdgpu/code.h"
#include "test/support/driver/amdgpu/numbers.h"

typedef enum { LOAD, STORE, TO_LDS, MODIFY } action_t;
// TURNED_n: whole, then turned between lanes, elements of n bytes; SQUARES: of 2 bytes, between eight lanes.
typedef enum { WHOLE, TURNED_1, TURNED_2, SQUARES, ZERO, SIGN, LOW, LOW_SIGN, HIGH, HIGH_SIGN } how_t;
typedef enum { ADD, SUBTRACT, SMIN, SMAX, UMIN, UMAX, AND, OR, XOR, SWAP, COMPARE_SWAP, ADD_F32, ADD_F64 } modify_t;
// In memory_find_row's order.
typedef enum { GLOBAL, FLAT, SCRATCH, BUFFER, LDS } space_t;

typedef struct {
  const char *name;
  action_t action;
  uint8_t bytes;
  how_t how;
  uint8_t pair; // 0, or what the offsets are multiplied with beside the bytes
  modify_t modify;
} row_t;

static const row_t rows[] = {
#define ACCESS(name, action, bytes, how) {name, action, bytes, how, 0, ADD},
#define LOCAL(name, action, bytes, how, pair)
#define ATOMIC(name, local, modify, bytes) {name, MODIFY, bytes, WHOLE, 0, modify},
#include "test/support/driver/amdgpu/memory.def"
};

static const row_t local_rows[] = {
#define ACCESS(name, action, bytes, how)
#define LOCAL(name, action, bytes, how, pair) {name, action, bytes, how, pair, ADD},
#define ATOMIC(name, local, modify, bytes) {local, MODIFY, bytes, WHOLE, 0, modify},
#include "test/support/driver/amdgpu/memory.def"
};

//===-- Whether an address may be used ---------------------------------------------------------------------------===//

static bool lies_in(uint64_t address, size_t size, uint64_t base, size_t room) {
  return address >= base && address - base <= room && size <= room - (address - base);
}

// Of the launch's own: its arguments and the code object.
static bool is_own(const state_t *state, uint64_t address, size_t size) {
  return lies_in(address, size, (uintptr_t)state->arguments, state->kernel->arguments_size) ||
         lies_in(address, size, (uintptr_t)state->program->memory, state->program->memory_size);
}

char *global_memory(state_t *state, uint64_t address, size_t size, bool is_write) {
  for (unsigned i = 0; i < 2; i++)
    if (lies_in(address, size, state->regions[i].base, state->regions[i].size))
      return (char *)(uintptr_t)address;
  uintptr_t base;
  size_t room;
  if (!is_write && is_own(state, address, size))
    return (char *)(uintptr_t)address;
  if (!state->launch->find_memory((uintptr_t)address, &base, &room) || !lies_in(address, size, base, room))
    found(state, "%s of %zu bytes at 0x%llx, which lie in no allocation", is_write ? "a store" : "a load", size,
          (unsigned long long)address);
  state->regions[1] = state->regions[0];
  state->regions[0].base = base;
  state->regions[0].size = room;
  return (char *)(uintptr_t)address;
}

char *shared_memory(state_t *state, uint32_t address, size_t size) {
  if (!lies_in(address, size, 0, state->shared_size))
    found(state, "%zu bytes at byte %u of the block's %u bytes of LDS", size, address, state->shared_size);
  return state->shared + address;
}

enum { WAVE_BITS = 6, MANY = 63 };

static _Noreturn void race(state_t *state, uint32_t address, const char *what, uint32_t other) {
  unsigned wave = (other & ((1u << WAVE_BITS) - 1)) - 1;
  if (wave + 1 == MANY)
    found(state, "a race: byte %u of LDS is %s, with no barrier between, by several waves", address, what);
  found(state, "a race: byte %u of LDS is %s, with no barrier between, by wave %u", address, what, wave);
}

// Whether any of |n| bytes is not as it should be. Without a branch in it, as the next.
ALWAYS bool is_wrong(const int32_t *writers, const int32_t *readers, unsigned n, bool is_write, int32_t floor,
                     int32_t me, int32_t first) {
  int32_t wrong = 0;
  for (unsigned i = 0; i < n; i++) {
    wrong |= (writers[i] > floor) & (writers[i] != me);
    wrong |= is_write ? (readers[i] > floor) & (readers[i] != me) : writers[i] < first;
  }
  return wrong;
}

ALWAYS void note_reads(int32_t *readers, unsigned n, int32_t floor, int32_t me) {
  for (unsigned i = 0; i < n; i++)
    readers[i] = (readers[i] > floor) & (readers[i] != me) ? floor | MANY : me;
}

// Says of the first byte what is wrong with it.
static _Noreturn void report_shared(state_t *state, uint32_t address, size_t size, const int32_t *writers,
                                    const int32_t *readers, bool is_write) {
  int32_t floor = (int32_t)(state->epoch << WAVE_BITS), me = floor | (int32_t)(state->number + 1);
  for (uint32_t i = 0; i < size; i++) {
    if (writers[i] > floor && writers[i] != me)
      race(state, address + i, "also written", (uint32_t)writers[i]);
    if (is_write && readers[i] > floor && readers[i] != me)
      race(state, address + i, "read", (uint32_t)readers[i]);
    if (!is_write && writers[i] < (int32_t)(state->first_epoch << WAVE_BITS))
      found(state, "byte %u of LDS is read, which nobody has written", address + i);
  }
  found(state, "byte %u of LDS", address);
}

void shared_note(state_t *state, uint32_t address, size_t size, bool is_write) {
  enum { UNIT = 4 };
  int32_t *writers = state->written_by + address, *readers = state->read_by + address;
  int32_t floor = (int32_t)(state->epoch << WAVE_BITS), first = (int32_t)(state->first_epoch << WAVE_BITS);
  int32_t me = floor | (int32_t)(state->number + 1);
  for (size_t at = 0; at < size; at += UNIT) {
    unsigned n = size - at < UNIT ? (unsigned)(size - at) : UNIT;
    bool wrong = n == UNIT ? is_wrong(writers + at, readers + at, UNIT, is_write, floor, me, first)
                           : is_wrong(writers + at, readers + at, n, is_write, floor, me, first);
    if (wrong)
      report_shared(state, address, size, writers, readers, is_write);
    if (is_write)
      for (unsigned i = 0; i < n; i++)
        writers[at + i] = me;
    else if (n == UNIT)
      note_reads(readers + at, UNIT, floor, me);
    else
      note_reads(readers + at, n, floor, me);
  }
}

//===-- Addresses ------------------------------------------------------------------------------------------------===//

typedef struct {
  space_t space;
  const operand_t *data, *result, *address, *base, *offset; // registers; NULL: none
} places_t;

typedef struct {
  uint64_t base;
  uint64_t records;
  uint32_t stride;
} resource_t;

static resource_t read_resource(const state_t *state, const operand_t *operand) {
  const uint32_t *words = &state->wave->scalars[operand->index];
  return (resource_t){
      .base = words[0] | (uint64_t)(words[1] & 0xFFFF) << 32, .records = words[2], .stride = words[1] >> 16 & 0x3FFF};
}

static bool is_register(const operand_t *operand) { return operand && operand->kind == VECTOR; }

static uint64_t scalar_or_0(const state_t *state, const operand_t *operand, unsigned bytes) {
  if (!operand || operand->kind == ABSENT || operand->kind == OFF)
    return 0;
  return scalar_value(state, operand, bytes);
}

static uint32_t lane_word(const state_t *state, const operand_t *operand, unsigned word, unsigned lane) {
  return vector_of(state, operand->index + word)[lane];
}

// An access beyond a buffer's end loads zeros and stores nothing: NULL then.
static char *buffer_memory(state_t *state, const instruction_t *instruction, const places_t *places, unsigned lane,
                           const row_t *row) {
  resource_t resource = read_resource(state, places->base);
  uint64_t index = instruction->idxen ? lane_word(state, places->address, 0, lane) : 0;
  uint64_t offset = (uint64_t)instruction->offset;
  if (instruction->offen)
    offset += lane_word(state, places->address, instruction->idxen, lane);
  bool is_outside = resource.stride ? index >= resource.records || (instruction->idxen && offset >= resource.stride)
                                    : offset + row->bytes > resource.records;
  if (is_outside)
    return NULL;
  uint64_t address = resource.base + index * resource.stride + offset + scalar_or_0(state, places->offset, 4);
  return global_memory(state, address, row->bytes, row->action != LOAD && row->action != TO_LDS);
}

static char *scratch_memory(state_t *state, uint64_t offset, unsigned lane, const row_t *row) {
  if (!lies_in(offset, row->bytes, 0, state->kernel->scratch))
    found(state, "%u bytes at byte %lld of a lane's %u bytes of scratch", row->bytes, (long long)offset,
          state->kernel->scratch);
  return state->wave->scratch + (size_t)lane * state->kernel->scratch + offset;
}

static char *flat_memory(state_t *state, uint64_t address, unsigned lane, const row_t *row) {
  const uint32_t *scalars = state->wave->scalars;
  if (address >> 32 == scalars[SHARED_BASE + 1]) {
    shared_note(state, (uint32_t)address, (shared_memory(state, (uint32_t)address, row->bytes), row->bytes),
                row->action != LOAD);
    return shared_memory(state, (uint32_t)address, row->bytes);
  }
  if (address >> 32 == scalars[PRIVATE_BASE + 1])
    return scratch_memory(state, (uint32_t)address, lane, row);
  return global_memory(state, address, row->bytes, row->action != LOAD);
}

static char *memory_of(state_t *state, const instruction_t *instruction, const places_t *places, unsigned lane,
                       const row_t *row) {
  uint64_t address = 0;
  if (places->space == BUFFER)
    return buffer_memory(state, instruction, places, lane, row);
  if (is_register(places->address)) {
    address = lane_word(state, places->address, 0, lane);
    if (places->space != SCRATCH && places->address->count == 2)
      address |= (uint64_t)lane_word(state, places->address, 1, lane) << 32;
  }
  address += scalar_or_0(state, places->base, places->space == SCRATCH ? 4 : 8);
  address += (uint64_t)(int64_t)instruction->offset;
  if (places->space == SCRATCH)
    return scratch_memory(state, (uint32_t)address, lane, row);
  if (places->space == FLAT)
    return flat_memory(state, address, lane, row);
  return global_memory(state, address, row->bytes, row->action == STORE || row->action == MODIFY);
}

//===-- Between memory and registers -----------------------------------------------------------------------------===//

// Where the unused half of a register is not kept: loads of half a register with ECC.
static bool clears_half(const state_t *state) {
  uint32_t arch = state->program->arch;
  return arch == 0x90A || (arch >= 0x940 && arch < 0xA00);
}

static uint32_t narrow_value(const state_t *state, const char *memory, const row_t *row, uint32_t old) {
  uint32_t value = 0;
  memcpy(&value, memory, row->bytes);
  bool is_signed = row->how == SIGN || row->how == LOW_SIGN || row->how == HIGH_SIGN;
  if (is_signed)
    value = row->bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
  if (clears_half(state))
    old = 0;
  if (row->how == LOW || row->how == LOW_SIGN)
    return (old & 0xFFFF0000) | (value & 0xFFFF);
  return row->how == HIGH || row->how == HIGH_SIGN ? (old & 0xFFFF) | value << 16 : value;
}

// |memory| NULL: zeros.
static void load_lane(const state_t *state, const row_t *row, const char *memory, unsigned index, unsigned lane) {
  static const char zeros[16];
  memory = memory ? memory : zeros;
  if (row->how <= SQUARES)
    for (unsigned word = 0; word < row->bytes / 4u; word++)
      memcpy(&vector_of(state, index + word)[lane], memory + 4 * word, 4);
  else
    vector_of(state, index)[lane] = narrow_value(state, memory, row, vector_of(state, index)[lane]);
}

static void store_lane(const state_t *state, const row_t *row, char *memory, unsigned index, unsigned lane) {
  if (row->how == WHOLE)
    for (unsigned word = 0; word < row->bytes / 4u; word++)
      memcpy(memory + 4 * word, &vector_of(state, index + word)[lane], 4);
  else {
    uint32_t value = vector_of(state, index)[lane] >> (row->how == HIGH ? 16 : 0);
    memcpy(memory, &value, row->bytes);
  }
}

static uint64_t modified(modify_t modify, uint64_t old, uint64_t value, uint64_t other, bool is_wide) {
  int64_t a = is_wide ? (int64_t)old : (int32_t)old, b = is_wide ? (int64_t)value : (int32_t)value;
  switch (modify) {
  case ADD:
    return old + value;
  case SUBTRACT:
    return old - value;
  case SMIN:
    return (uint64_t)MIN(a, b);
  case SMAX:
    return (uint64_t)MAX(a, b);
  case UMIN:
    return MIN(old, value);
  case UMAX:
    return MAX(old, value);
  case AND:
    return old & value;
  case OR:
    return old | value;
  case XOR:
    return old ^ value;
  case SWAP:
    return value;
  case COMPARE_SWAP:
    return old == other ? value : old;
  case ADD_F32:
    return bits_f32(as_f32((uint32_t)old) + as_f32((uint32_t)value));
  case ADD_F64:
    return bits_f64(as_f64(old) + as_f64(value));
  }
  return old;
}

static void modify_lane(const state_t *state, const row_t *row, const places_t *places, char *memory, unsigned lane) {
  uint64_t old = 0, value = 0, other = 0;
  unsigned words = row->bytes / 4u;
  memcpy(&old, memory, row->bytes);
  for (unsigned word = 0; word < words; word++) {
    value |= (uint64_t)lane_word(state, places->data, word, lane) << 32 * word;
    if (row->modify == COMPARE_SWAP) // data: the new one, then what is expected
      other |= (uint64_t)lane_word(state, places->data, words + word, lane) << 32 * word;
  }
  value = modified(row->modify, old, value, other, words == 2);
  memcpy(memory, &value, row->bytes);
  for (unsigned word = 0; places->result && word < words; word++)
    vector_of(state, places->result->index + word)[lane] = (uint32_t)(old >> 32 * word);
}

// Loads into LDS lie one after the other from where M0 says, of which there are as many bits as LDS has.
static uint32_t loaded_place(const state_t *state, const instruction_t *instruction, const row_t *row, unsigned lane) {
  uint32_t mask = state->program->arch == 0x950 ? 0x3FFFF : 0xFFFF;
  return (state->wave->scalars[M0] & mask) + (uint32_t)instruction->offset +
         lane * (row->bytes == 12 ? 16 : row->bytes);
}

static void load_to_shared(state_t *state, const instruction_t *instruction, const row_t *row, const char *memory,
                           unsigned lane) {
  uint32_t address = loaded_place(state, instruction, row, lane);
  char *to = shared_memory(state, address, row->bytes);
  copies_check(state, address, row->bytes);
  shared_note(state, address, row->bytes, true);
  if (memory)
    memcpy(to, memory, row->bytes);
  else
    memset(to, 0, row->bytes);
}

//===-- Instructions ---------------------------------------------------------------------------------------------===//

static places_t places_of(state_t *state, const instruction_t *instruction, const row_t *row) {
  const operand_t *operands = instruction->operands;
  bool is_buffer = strncmp(instruction->name, "buffer_", 7) == 0;
  places_t places = {.space = is_buffer                                        ? BUFFER
                              : strncmp(instruction->name, "flat_", 5) == 0    ? FLAT
                              : strncmp(instruction->name, "scratch_", 8) == 0 ? SCRATCH
                                                                               : GLOBAL};
  unsigned at = 0, needed = row->action == TO_LDS ? 1 : 2;
  if (instruction->n_operands < needed)
    found(state, "%s with %u operands", instruction->name, instruction->n_operands);
  bool returns = row->action == MODIFY && instruction->returns && !is_buffer;
  if (row->action == LOAD || returns)
    places.result = &operands[at++];
  if (is_buffer && row->action != LOAD && row->action != TO_LDS) {
    places.data = &operands[at++];
    places.result = instruction->returns ? places.data : NULL;
  }
  places.address = &operands[at++];
  if (!is_buffer && (row->action == STORE || row->action == MODIFY))
    places.data = &operands[at++];
  places.base = &operands[at++];
  places.offset = &operands[at];
  return places;
}

// Lanes' places in one piece, where they follow one another.
static void note_copies(state_t *state, const instruction_t *instruction, const row_t *row, uint32_t number) {
  uint64_t exec = exec_of(state);
  while (exec) {
    unsigned first = (unsigned)__builtin_ctzll(exec), n = 0;
    while (first + n < state->n_lanes && exec >> (first + n) & 1)
      n++;
    copies_begin(state, loaded_place(state, instruction, row, first), n * row->bytes, number);
    exec = n == 64 ? 0 : exec & ~(((UINT64_C(1) << n) - 1) << first);
  }
}

static void carry_out_access(state_t *state, const instruction_t *instruction) {
  const row_t *row = instruction->row;
  places_t places = places_of(state, instruction, row);
  uint64_t exec = exec_of(state);
  for (; exec; exec &= exec - 1) {
    unsigned lane = (unsigned)__builtin_ctzll(exec);
    if (row->action == TO_LDS) { // the offset is of both
      load_to_shared(state, instruction, row, memory_of(state, instruction, &places, lane, row), lane);
      continue;
    }
    char *memory = memory_of(state, instruction, &places, lane, row);
    if (row->action == LOAD)
      load_lane(state, row, memory, places.result->index, lane);
    else if (memory && row->action == STORE)
      store_lane(state, row, memory, places.data->index, lane);
    else if (memory)
      modify_lane(state, row, &places, memory, lane);
  }
  if (row->how == SQUARES)
    turn_matrices(state, places.result->index, 8, row->bytes, 2);
  bool is_load = row->action == LOAD || row->action == TO_LDS || places.result;
  class_t class = places.space == FLAT ? CLASS_FLAT : is_load ? CLASS_LOAD : CLASS_STORE;
  uint32_t number = waits_issue(state, class);
  if (row->action == TO_LDS)
    note_copies(state, instruction, row, number);
  if (places.result)
    waits_mark(state, places.result, (row->bytes + 3u) / 4, class, number);
}

static void access_shared(state_t *state, const instruction_t *instruction, unsigned lane, unsigned part,
                          uint32_t offset) {
  const row_t *row = instruction->row;
  const operand_t *operands = instruction->operands;
  bool returns = row->action == LOAD || (row->action == MODIFY && strstr(row->name, "_rtn"));
  uint32_t address = lane_word(state, &operands[returns], 0, lane) + offset;
  char *memory = shared_memory(state, address, row->bytes);
  copies_check(state, address, row->bytes);
  if (row->action != MODIFY)
    shared_note(state, address, row->bytes, row->action == STORE);
  unsigned words = (row->bytes + 3u) / 4;
  if (row->action == LOAD)
    load_lane(state, row, memory, operands[0].index + part * words, lane);
  else if (row->action == STORE)
    store_lane(state, row, memory, operands[1 + part].index, lane);
  else
    modify_lane(state, row, &(places_t){.data = &operands[1 + returns], .result = returns ? &operands[0] : NULL},
                memory, lane);
}

static void carry_out_local(state_t *state, const instruction_t *instruction) {
  const row_t *row = instruction->row;
  uint32_t unit = row->pair ? (uint32_t)row->pair * row->bytes : 1;
  bool returns = row->action == LOAD || (row->action == MODIFY && strstr(row->name, "_rtn"));
  // A load may overwrite its own address: all addresses are read first, by going over the lanes once.
  for (uint64_t exec = exec_of(state); exec; exec &= exec - 1) {
    unsigned lane = (unsigned)__builtin_ctzll(exec);
    uint32_t address = lane_word(state, &instruction->operands[returns], 0, lane);
    access_shared(state, instruction, lane, 0, (uint32_t)instruction->offset * unit);
    if (!row->pair)
      continue;
    uint32_t now = lane_word(state, &instruction->operands[returns], 0, lane);
    access_shared(state, instruction, lane, 1, (uint32_t)instruction->offset1 * unit + address - now);
  }
  if (row->how == TURNED_1 || row->how == TURNED_2)
    turn_matrices(state, instruction->operands[0].index, 16, row->bytes, row->how == TURNED_1 ? 1 : 2);
  uint32_t number = waits_issue(state, CLASS_LDS);
  if (returns)
    waits_mark(state, &instruction->operands[0], (row->bytes + 3u) / 4 << (row->pair != 0), CLASS_LDS, number);
  if (row->action != LOAD)
    state->wave->last_lds_store = number;
}

static void carry_out_scalar_load(state_t *state, const instruction_t *instruction) {
  const operand_t *operands = instruction->operands;
  bool is_buffer = strncmp(instruction->name, "s_buffer", 8) == 0;
  unsigned words = operands[0].count;
  uint64_t offset = scalar_or_0(state, &operands[2], 4) + (uint64_t)(int64_t)instruction->offset;
  uint64_t base = is_buffer ? read_resource(state, &operands[1]).base : scalar_value(state, &operands[1], 8);
  uint32_t values[16] = {0};
  if (is_buffer && offset + 4 * words > read_resource(state, &operands[1]).records)
    words = 0;
  if (words > 16 || (base + offset) % 4)
    found(state, "%u words at 0x%llx", words, (unsigned long long)(base + offset));
  memcpy(values, global_memory(state, (base + offset), words ? 4 * words : 0, false), 4 * words);
  if (operands[0].index != NOWHERE)
    memcpy(&state->wave->scalars[operands[0].index], values, 4 * operands[0].count);
  waits_mark(state, &operands[0], operands[0].count, CLASS_SCALAR, waits_issue(state, CLASS_SCALAR));
}

// gfx12's, of less than a word.
static void carry_out_narrow_load(state_t *state, const instruction_t *instruction) {
  const operand_t *operands = instruction->operands;
  const row_t *row = instruction->row;
  uint64_t address = scalar_value(state, &operands[1], 8) + scalar_or_0(state, &operands[2], 4) +
                     (uint64_t)(int64_t)instruction->offset;
  uint32_t value = narrow_value(state, global_memory(state, address, row->bytes, false), row, 0);
  scalar_write(state, &operands[0], value, 1);
  waits_mark(state, &operands[0], 1, CLASS_SCALAR, waits_issue(state, CLASS_SCALAR));
}

static bool set(instruction_t *instruction, const char *name, const row_t *row, carry_out_t *carry_out) {
  (void)name;
  instruction->row = row;
  instruction->carry_out = carry_out;
  return true;
}

static const row_t *find(const row_t *in, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (*name && strcmp(in[i].name, name) == 0)
      return &in[i];
  return NULL;
}

bool memory_load_to_lds(const char *name, instruction_t *instruction) {
  char row[64] = "load_lds_";
  static const char prefix[] = "buffer_load_";
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return false;
  strncat(row, name + sizeof prefix - 1, sizeof row - sizeof "load_lds_");
  instruction->row = find(rows, sizeof rows / sizeof rows[0], row);
  instruction->loads_as = 0;
  return instruction->row;
}

bool memory_find_row(const amdgpu_program_t *program, const char *name, instruction_t *instruction) {
  static const char *const spaces[] = {"global_", "flat_", "scratch_", "buffer_"};
  (void)program;
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
    size_t length = strlen(spaces[i]);
    const row_t *row =
        strncmp(name, spaces[i], length) == 0 ? find(rows, sizeof rows / sizeof rows[0], name + length) : NULL;
    if (row) {
      instruction->name = spaces[i];
      if (row->action == LOAD && i != FLAT)
        instruction->loads_as = 1 + CLASS_LOAD;
      return set(instruction, name, row, carry_out_access);
    }
  }
  const row_t *local =
      strncmp(name, "ds_", 3) == 0 ? find(local_rows, sizeof local_rows / sizeof local_rows[0], name + 3) : NULL;
  if (local) {
    instruction->name = "ds_";
    if (local->action == LOAD)
      instruction->loads_as = 1 + CLASS_LDS;
    return set(instruction, name, local, carry_out_local);
  }
  const row_t *scalar = strncmp(name, "s_load_", 7) == 0 ? find(rows, sizeof rows / sizeof rows[0], name + 2) : NULL;
  if (scalar && (scalar->how == ZERO || scalar->how == SIGN)) {
    instruction->name = "s_load";
    return set(instruction, name, scalar, carry_out_narrow_load);
  }
  if (strncmp(name, "s_load_dword", 12) == 0 || strncmp(name, "s_load_b", 8) == 0)
    instruction->name = "s_load";
  else if (strncmp(name, "s_buffer_load_dword", 19) == 0 || strncmp(name, "s_buffer_load_b", 15) == 0)
    instruction->name = "s_buffer_load";
  else
    return false;
  return set(instruction, name, NULL, carry_out_scalar_load);
}
