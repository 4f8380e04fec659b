// The operands of a contraction in shared memory; see contract.h.
//
// Banks: 16-byte units are swizzled so that eight threads which store or read 16 bytes at a time touch all 32 banks.
//   BY_ROW         a line is one row, or several that are shorter. Reads take one unit of eight rows 4 apart, so units
//                  change places with the number of these. Stores and copies write whole lines: copies of 128 bytes
//                  into several lines are slow, even without conflicts.
//   ACROSS         a warp reads, at the steps of four threads, the same 32 bytes of rows or parts of them: pairs of
//                  units change places with the number of that thread. Stores write whole lines.
//   BY_STEP        bits 2 and 1 of the unit change with the step's 2 and 3, bit 0 with its own bit 3: stores of four
//                  units of steps 4 apart touch different halves.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"

//===-- Addresses ------------------------------------------------------------------------------------------------===//

// All of them are linear in the bits of row and step.
static int64_t address_in_rows(const strata_shared_operand_t *o, int64_t row, int64_t step) {
  enum { UNITS = 8, READ_ROWS = 4 };
  int64_t unit_steps = STRATA_VECTOR_BYTES / o->element_bytes, span = strata_min(UNITS * unit_steps, o->steps);
  int64_t at = (step / span * o->rows + row) * span + step % span;
  int64_t unit = at / unit_steps ^ row / READ_ROWS % UNITS;
  return unit * unit_steps + at % unit_steps;
}

static int64_t address_across(const strata_shared_operand_t *o, int64_t row, int64_t step) {
  int64_t unit_rows = STRATA_VECTOR_BYTES / o->element_bytes, at = step * o->rows + row;
  int64_t unit = at / unit_rows ^ (step / o->word & 3) << 1;
  return unit * unit_rows + at % unit_rows;
}

static int64_t address_by_step(const strata_shared_operand_t *o, int64_t row, int64_t step) {
  int64_t unit_rows = STRATA_VECTOR_BYTES / o->element_bytes;
  int64_t unit = row / unit_rows, n_units = o->rows / unit_rows;
  unit ^= ((step >> 2 & 1) << 2 ^ (step >> 3 & 1) << 1 ^ (unit >> 3 & 1)) & (n_units - 1);
  return step * o->rows + unit * unit_rows + row % unit_rows;
}

// Element |column| of row |row|, rows being spans of 128 bytes.
static int64_t address_in_span(const strata_shared_operand_t *o, int64_t row, int64_t column) {
  enum { SPAN = 128, ROWS = 8 };
  int64_t unit_elements = STRATA_VECTOR_BYTES / o->element_bytes;
  int64_t unit = column / unit_elements ^ row % ROWS;
  return row * (SPAN / o->element_bytes) + unit * unit_elements + column % unit_elements;
}

static int64_t address_crossed(const strata_shared_operand_t *o, int64_t row, int64_t step) {
  int64_t span_rows = 128 / o->element_bytes;
  return row / span_rows * span_rows * o->steps + address_in_span(o, step, row % span_rows);
}

static int64_t address(const strata_shared_operand_t *o, int64_t row, int64_t step) {
  switch (o->form) {
  case STRATA_BY_ROW:
    return address_in_rows(o, row, step);
  case STRATA_ACROSS:
    return address_across(o, row, step);
  case STRATA_BY_STEP:
    return address_by_step(o, row, step);
  case STRATA_SPANS:
    return address_in_span(o, row, step);
  case STRATA_SPANS_CROSSED:
    return address_crossed(o, row, step);
  case STRATA_DENSE:
    return step * o->rows + row;
  }
  return 0;
}

static int64_t register_address(const strata_shared_operand_t *o, const strata_layout_t *layout, int64_t reg) {
  return address(o, strata_layout_reg_coordinate(layout, reg, 0), strata_layout_reg_coordinate(layout, reg, 1));
}

static int64_t thread_address(const strata_shared_operand_t *o, const strata_layout_t *layout, int64_t thread) {
  return address(o, strata_layout_thread_coordinate(layout, thread, 0),
                 strata_layout_thread_coordinate(layout, thread, 1));
}

// The bits of an address that threads contribute to.
static int64_t thread_bits(const strata_shared_operand_t *o, const strata_layout_t *layout) {
  int64_t bits = 0, n_threads = strata_layout_threads(layout);
  for (int64_t thread = 1; thread < n_threads; thread *= 2)
    bits |= thread_address(o, layout, thread);
  return bits;
}

// Bits of the thread's number that go to the address |shift| places further up.
static int64_t shifted_bits(const strata_shared_operand_t *o, const strata_layout_t *layout, int shift) {
  int64_t mask = 0, n_threads = strata_layout_threads(layout);
  for (int bit = 0; INT64_C(1) << bit < n_threads; bit++)
    if (bit + shift >= 0 && thread_address(o, layout, INT64_C(1) << bit) >> (bit + shift) & 1)
      mask |= INT64_C(1) << bit;
  return mask;
}

// The running thread's part of the addresses, in |slot|.
static MlirValue emit_base(strata_gpu_distribution_t *d, const strata_shared_operand_t *o,
                           const strata_layout_t *layout, MlirValue slot) {
  enum { MAX_SHIFT = 31 };
  strata_emitter_t *e = &d->e;
  MlirValue base = strata_emit_index(e, 0);
  for (int shift = -MAX_SHIFT; shift <= MAX_SHIFT; shift++) {
    int64_t mask = shifted_bits(o, layout, shift);
    if (!mask)
      continue;
    MlirValue bits = strata_emit_binary(e, "arith.andi", d->role.thread, strata_emit_index(e, mask));
    if (shift)
      bits = strata_emit_binary(e, shift < 0 ? "arith.shrui" : "arith.shli", bits,
                                strata_emit_index(e, shift < 0 ? -shift : shift));
    base = strata_emit_binary(e, "arith.xori", base, bits);
  }
  MlirValue first = strata_emit_binary(e, "arith.muli", slot, strata_emit_index(e, o->rows * o->steps));
  return strata_emit_binary(e, "arith.addi", base, first);
}

// Bits that threads contribute to are exchanged, the others added: those fit into the instruction.
static MlirValue emit_address(strata_gpu_distribution_t *d, MlirValue base, int64_t bits, int64_t constant) {
  strata_emitter_t *e = &d->e;
  if (constant & bits)
    base = strata_emit_binary(e, "arith.xori", base, strata_emit_index(e, constant & bits));
  if (constant & ~bits)
    base = strata_emit_binary(e, "arith.addi", base, strata_emit_index(e, constant & ~bits));
  return base;
}

strata_status_t strata_operand_allocate(strata_gpu_distribution_t *d, strata_shared_operand_t *operand, int64_t slots) {
  return strata_shared_alloc(d, operand->element, operand->rows * operand->steps * slots, &operand->memory);
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

strata_operand_places_t strata_operand_places(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                              const strata_layout_t *layout, MlirValue slot) {
  return (strata_operand_places_t){.operand = operand,
                                   .layout = layout,
                                   .bits = thread_bits(operand, layout),
                                   .base = emit_base(d, operand, layout, slot)};
}

MlirValue strata_operand_place(strata_gpu_distribution_t *d, const strata_operand_places_t *places, int64_t reg) {
  return emit_address(d, places->base, places->bits, register_address(places->operand, places->layout, reg));
}

bool strata_operand_is_run(const strata_shared_operand_t *operand, const strata_layout_t *layout, int64_t reg,
                           int64_t step, int64_t count) {
  int64_t first = register_address(operand, layout, reg);
  bool is_run = first % count == 0 && !(thread_bits(operand, layout) & (count - 1));
  for (int64_t i = 1; i < count; i++)
    is_run &= register_address(operand, layout, reg + i * step) == first + i;
  return is_run;
}

//===-- Runs -----------------------------------------------------------------------------------------------------===//

// Registers by their address, so that neighbours are found.
typedef struct strata_places {
  int64_t count, bits, most; // most: elements of a vector
  int64_t n_addresses;
  int64_t *registers; // by address; -1: none
} places_t;

static const places_t *find_places(strata_gpu_distribution_t *d, const strata_shared_operand_t *o,
                                   const strata_layout_t *layout) {
  places_t *places = strata_arena_new(d->compile->arena, places_t);
  *places = (places_t){.count = strata_layout_registers(layout),
                       .bits = thread_bits(o, layout),
                       .most = STRATA_VECTOR_BYTES / o->element_bytes,
                       .n_addresses = o->rows * o->steps};
  places->registers = strata_arena_array(d->compile->arena, int64_t, places->n_addresses);
  for (int64_t i = 0; i < places->n_addresses; i++)
    places->registers[i] = -1;
  for (int64_t reg = places->count; reg-- > 0;)
    places->registers[register_address(o, layout, reg)] = reg;
  return places;
}

// The largest aligned run of registers that holds |at| in one vector; *out_first is its address.
static int64_t run_around(const places_t *places, int64_t at, int64_t *out_first) {
  int64_t length = 1;
  *out_first = at;
  while (length * 2 <= places->most && !(places->bits & (length * 2 - 1))) {
    int64_t first = at / (length * 2) * length * 2;
    for (int64_t i = 0; i < length * 2; i++)
      if (places->registers[first + i] < 0)
        return length;
    length *= 2;
    *out_first = first;
  }
  return length;
}

//===-- Storing --------------------------------------------------------------------------------------------------===//

strata_status_t strata_operand_store(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                     MlirValue slot, const strata_registers_t *registers) {
  strata_emitter_t *e = &d->e;
  const strata_layout_t *layout = &registers->layout;
  const places_t *places = find_places(d, operand, layout);
  MlirValue base = emit_base(d, operand, layout, slot), values[STRATA_VECTOR_BYTES];
  int64_t first;
  for (int64_t at = 0; at < places->n_addresses; at++) {
    if (places->registers[at] < 0)
      continue;
    int64_t length = run_around(places, at, &first);
    for (int64_t i = 0; i < length; i++)
      values[i] = registers->values[places->registers[at + i]];
    MlirValue value = values[0];
    if (length > 1)
      value = strata_emit_value(e, "vector.from_elements", (int)length, values,
                                mlirVectorTypeGet(1, &length, operand->element), 0, NULL);
    MlirValue operands[] = {value, operand->memory, emit_address(d, base, places->bits, at)};
    strata_emit_op(e, length == 1 ? "memref.store" : "vector.store", 3, operands, 0, NULL, 0, NULL);
    at += length - 1;
  }
  return NULL;
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

strata_operand_reader_t strata_operand_reader(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                              MlirValue slot) {
  int64_t count = strata_layout_registers(&operand->fragment);
  strata_operand_reader_t reader = {.operand = operand, .places = find_places(d, operand, &operand->fragment)};
  reader.base = emit_base(d, operand, &operand->fragment, slot);
  reader.vectors = strata_arena_array(d->compile->arena, MlirValue, count);
  reader.lanes = strata_arena_array(d->compile->arena, int64_t, count);
  return reader;
}

static void load_run(strata_gpu_distribution_t *d, strata_operand_reader_t *reader, int64_t reg) {
  const strata_shared_operand_t *operand = reader->operand;
  const places_t *places = reader->places;
  int64_t first, length = run_around(places, register_address(operand, &operand->fragment, reg), &first);
  MlirValue operands[] = {operand->memory, emit_address(d, reader->base, places->bits, first)};
  MlirType type = length == 1 ? operand->element : mlirVectorTypeGet(1, &length, operand->element);
  MlirValue value = strata_emit_value(&d->e, length == 1 ? "memref.load" : "vector.load", 2, operands, type, 0, NULL);
  for (int64_t i = 0; i < length; i++) {
    reader->vectors[places->registers[first + i]] = value;
    reader->lanes[places->registers[first + i]] = i;
  }
}

MlirValue strata_operand_read(strata_gpu_distribution_t *d, strata_operand_reader_t *reader, int64_t reg) {
  if (mlirValueIsNull(reader->vectors[reg]))
    load_run(d, reader, reg);
  return strata_lanes_extract(&d->e, reader->vectors[reg], reader->lanes[reg]);
}
