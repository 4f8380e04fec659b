// Inside the executor: a kernel's instructions as records, the state of a wave, and who carries what out.
#ifndef STRATA_TEST_SUPPORT_DRIVER_AMDGPU_CODE_H
#define STRATA_TEST_SUPPORT_DRIVER_AMDGPU_CODE_H

#include "test/support/driver/amdgpu/amdgpu.h"

#include <setjmp.h>

#pragma GCC visibility push(hidden)

//===-- Instructions ---------------------------------------------------------------------------------------------===//

// Where the scalar registers lie among each other: s0 to s105, ttmp0 to ttmp15, and those with names.
enum {
  VCC = 106,
  TTMP = 108,
  M0 = 124,
  NOWHERE = 125, // null
  EXEC = 126,
  SCC = 128,
  SHARED_BASE = 129, // the high half of the address at which LDS lies for flat accesses
  SHARED_LIMIT = 131,
  PRIVATE_BASE = 133,
  PRIVATE_LIMIT = 135,
  FLAT_SCRATCH = 137,
  VCCZ = 139,
  EXECZ = 140,
  N_SCALARS = 144,
  N_VECTORS = 512, // v0 to v255, then a0 to a255
  ACCUMULATORS = 256,
};

typedef enum { ABSENT, OFF, SCALAR, VECTOR, INTEGER, REAL } operand_kind_t;

typedef struct {
  operand_kind_t kind;
  uint16_t index, count; // registers of 32 bits
  uint8_t half;          // of a 16-bit operand: 0: not said, 1: low, 2: high
  bool negative, absolute, is_signed;
  int64_t integer; // INTEGER: as printed
  double real;     // REAL: an inline constant, whose bits depend on who reads it
} operand_t;

typedef enum {
  NO_DPP,
  QUAD_PERM,
  ROW_SHL,
  ROW_SHR,
  ROW_ROR,
  WAVE_SHL,
  WAVE_ROL,
  WAVE_SHR,
  WAVE_ROR,
  ROW_MIRROR,
  ROW_HALF_MIRROR,
  ROW_BCAST,
  ROW_NEWBCAST,
  ROW_SHARE,
  ROW_XMASK,
  DPP8
} dpp_kind_t;

typedef enum {
  SELECT_DWORD,
  SELECT_BYTE_0,
  SELECT_BYTE_1,
  SELECT_BYTE_2,
  SELECT_BYTE_3,
  SELECT_WORD_0,
  SELECT_WORD_1
} select_t;
typedef enum { UNUSED_PAD, UNUSED_SEXT, UNUSED_PRESERVE } unused_t;

// Counters of what is under way, as s_waitcnt knows them, by generation.
typedef enum { COUNT_LOAD, COUNT_STORE, COUNT_LDS, COUNT_SCALAR, N_COUNTERS } counter_t;

enum { MAX_OPERANDS = 6, NO_WAIT = 255, N_DPP = 8 };

typedef struct instruction instruction_t;
typedef struct state state_t;
typedef void carry_out_t(state_t *state, const instruction_t *instruction);

struct instruction {
  carry_out_t *carry_out;
  const void *row; // of the table that |carry_out| reads
  const char *name;
  operand_t operands[MAX_OPERANDS];
  unsigned n_operands;
  int32_t offset, offset1;
  uint8_t op_sel, op_sel_hi, neg_lo, neg_hi;
  bool has_op_sel_hi, clamp, offen, idxen, returns, has_dpp_bound, is_sdwa, is_compact; // compact: no _e64
  bool to_lds;          // of a buffer load: past registers
  uint8_t output_scale; // 1: times 2, 2: times 4, 3: half
  uint8_t row_mask, bank_mask, dpp_kind, dpp[N_DPP];
  uint8_t select[3], unused; // SDWA: of the result, then the operands
  uint8_t waits[N_COUNTERS]; // of s_waitcnt: how many may be left
  uint8_t loads_as;          // 1 + the class of what fills operand 0; 0: it is no load
  uint32_t modifiers;        // cbsz, abid, blgp: 8 bits each; or bitop3
  uint64_t address;          // in the code object
  uint32_t size;
  uint32_t target;     // of a branch: an instruction's number
  instruction_t *also; // the second half of a pair
  char *text;
};

typedef struct {
  instruction_t *instructions;
  size_t n;
  char *name;
  uint64_t entry, end; // addresses
  uint32_t arguments_size, given_size, shared, scratch, user_registers;
  uint32_t properties, resources1, resources2;
  bool has_wave32;
} kernel_t;

typedef struct {
  uint16_t offset, size;
  char kind[32];
} hidden_t;

enum { MAX_HIDDEN = 32 };

struct amdgpu_program {
  char *memory; // the segments, where the code object says
  size_t memory_size;
  uint32_t arch, generation; // 0x942, 9
  uint32_t last_arch;        // of a generic target: the last it runs on
  kernel_t *kernels;
  size_t n_kernels;
  void *disassembler;
};

// What it is, of a text; false: the executor does not know it.
bool decode(const amdgpu_program_t *program, const char *text, instruction_t *out);
bool find_row(const amdgpu_program_t *program, instruction_t *instruction, const char *name);
bool kernel_prepare(amdgpu_program_t *program, kernel_t *kernel, char *finding);
// Where hidden arguments lie, from the metadata.
size_t kernel_hidden(const amdgpu_program_t *program, const char *name, hidden_t *out);

// The tables: each sets carry_out and row if it has |name|, which has no suffix of an encoding.
typedef bool table_t(const amdgpu_program_t *program, const char *name, instruction_t *instruction);
table_t vector_find, scalar_find, memory_find_row, matrix_find, across_find, control_find;

// Makes a buffer load of |name| one into LDS; false: there is none.
bool memory_load_to_lds(const char *name, instruction_t *instruction);

// What carries out instructions of a name.
typedef struct {
  const char *name;
  carry_out_t *carry_out;
} handler_t;
// The one of |name|; false: there is none.
bool handler_find(const handler_t *handlers, size_t n, const char *name, instruction_t *instruction);

//===-- State ----------------------------------------------------------------------------------------------------===//

// What is under way, in the order in which it comes; of the last two kinds in any order.
typedef enum { CLASS_LOAD, CLASS_STORE, CLASS_LDS, CLASS_SCALAR, CLASS_FLAT, N_CLASSES } class_t;

enum { MAX_LANES = 64, MAX_WAVES = 32, MAX_COPIES = 64 };

typedef enum { RUNS, AT_BARRIER, ENDED } wave_state_t;

typedef struct {
  uint32_t *vectors; // a register's lanes lie side by side
  uint32_t scalars[N_SCALARS];
  uint32_t exec_lanes[MAX_LANES]; // ones where a lane is active
  uint64_t exec_of_lanes;
  uint32_t at; // the next instruction's number
  wave_state_t state;
  uint32_t issued[N_CLASSES], done[N_CLASSES];
  uint32_t pending_vectors[N_VECTORS], pending_scalars[N_SCALARS]; // class and number of what writes it; 0: nothing
  uint32_t last_lds_store;
  struct {
    uint32_t address, size, number; // of LDS; of the load
  } copies[MAX_COPIES];             // loads into LDS that have not been waited for, in order
  unsigned n_copies;
  char *scratch; // the lanes' one after the other
} wave_t;

struct state {
  amdgpu_program_t *program;
  const kernel_t *kernel;
  const amdgpu_launch_t *launch;
  wave_t *wave, *waves;
  unsigned n_waves, n_lanes, number;  // number: the wave's
  uint32_t block, epoch, first_epoch; // barriers passed; when the block began
  char *shared;
  uint32_t shared_size;
  int32_t *written_by, *read_by; // of each byte of LDS: 0, or epoch and wave
  char *arguments;
  uint32_t next; // where the wave goes on
  const instruction_t *instruction;
  struct {
    uintptr_t base;
    size_t size;
  } regions[2]; // those last found
  size_t n_steps;
  char *finding;
  jmp_buf end;
};

static inline uint32_t *vector_of(const state_t *state, unsigned index) {
  return state->wave->vectors + (size_t)index * state->n_lanes;
}
static inline uint64_t read_pair(const uint32_t *words) { return words[0] | (uint64_t)words[1] << 32; }
static inline uint64_t exec_of(const state_t *state) {
  const uint32_t *words = &state->wave->scalars[EXEC];
  return state->n_lanes == 32 ? words[0] : read_pair(words);
}
// True of CDNA3, whose floats of 8 bits have no infinities and no -0.
static inline bool has_fnuz(uint32_t arch) { return arch >= 0x940 && arch < 0x950; }
// A mask of lanes in scalar registers.
uint64_t mask_read(const state_t *state, const operand_t *operand);
void mask_write(state_t *state, const operand_t *operand, uint64_t mask);
// A scalar operand, of one or two words; |type_bytes| tells what a real constant is.
uint64_t scalar_value(const state_t *state, const operand_t *operand, unsigned type_bytes);
void scalar_write(state_t *state, const operand_t *operand, uint64_t value, unsigned words);
uint64_t constant_bits(const operand_t *operand, unsigned type_bytes);
// Every lane's words of a vector or scalar operand, |word| of them on; |room|: for what is no register.
const uint32_t *lanes_of(const state_t *state, const operand_t *operand, unsigned word, uint32_t *room);
const uint32_t *active_lanes(state_t *state);
void lanes_write(state_t *state, unsigned index, const uint32_t *values);

// Ends the launch: what was found, and where.
void found(state_t *state, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

// Registers from |index| on, |piece| bytes of elements of |bytes| each, as lanes have loaded them: turned among |group|
// of them, as ds_read_b64_tr_b16 and global_load_tr_b128 do (across.c).
void turn_matrices(state_t *state, unsigned index, unsigned group, unsigned piece, unsigned bytes);

void waits_check(state_t *state, const instruction_t *instruction);
uint32_t waits_issue(state_t *state, class_t class);
void waits_mark(state_t *state, const operand_t *operand, unsigned words, class_t class, uint32_t number);
void waits_until(state_t *state, const uint8_t *left);
void waits_at_barrier(state_t *state);
// Loads into LDS: |size| bytes at |address| are on their way, as the load |number|; nobody may read them, nor write
// there, before the wave has waited.
void copies_begin(state_t *state, uint32_t address, uint32_t size, uint32_t number);
void copies_check(state_t *state, uint32_t address, size_t size);

// Memory of a wave's own or of all; NULL after a finding.
char *global_memory(state_t *state, uint64_t address, size_t size, bool is_write);
char *shared_memory(state_t *state, uint32_t address, size_t size);
void shared_note(state_t *state, uint32_t address, size_t size, bool is_write);

bool run_launch(amdgpu_program_t *program, const kernel_t *kernel, const amdgpu_launch_t *launch, char *finding);

#pragma GCC visibility pop

#endif
