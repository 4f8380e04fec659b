// The operands of a contraction in shared memory; see contract.h.
//
// Banks: 16-byte units are swizzled so that eight threads which store or read 16 bytes at a time touch all 32 banks.
//   BY_ROW         a line is one row, or several that are shorter. Reads take one unit of eight rows (mma.sync's are
//                  4 apart), so units change places with the number of these. Stores and copies write whole lines:
//                  copies of 128 bytes into several lines are slow, even without conflicts.
//   ACROSS         a warp reads, at the steps of four threads, the same 32 bytes of rows or parts of them: pairs of
//                  units change places with the number of that thread. Stores write whole lines.
//                  Where loads cross it, 32 lanes read 64 bytes of rows of four steps, of which 16 have 32: so units
//                  change places by four with the step, and by one or two, what sixteen lanes leave out, with its
//                  bit 1. Of bytes they read 32 bytes of rows of eight steps, and units change places with all bits of
//                  the step that do not tell the banks of rows as they lie. If the other 16 lanes read other steps of
//                  the same rows, units change places with those as well.
//   BY_STEP        bits 2 and 1 of the unit change with the step's 2 and 3, bit 0 with its own bit 3: stores of four
//                  units of steps 4 apart touch different halves.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/swizzle.h"

//===-- Addresses ------------------------------------------------------------------------------------------------===//

enum { ROW, STEP, SPAN = 128, UNITS = SPAN / STRATA_VECTOR_BYTES }; // dims; bytes

// Units change places with the number of the row among those that neighbouring threads read.
static void swizzle_rows(const strata_layout_t *fragment, strata_swizzle_t *out) {
  int64_t n = 1;
  for (int i = 0; i < fragment->n_thread && n < UNITS; i++) {
    const strata_digit_t *digit = &fragment->thread[i];
    if (digit->dim != ROW)
      continue;
    int64_t extent = strata_min(digit->extent, UNITS / n);
    *out++ = (strata_swizzle_t){ROW, digit->stride, extent, n};
    n *= extent;
  }
}

// Sixteen lanes read one unit of each of eight steps, from different ones of eight units; the other sixteen read their
// neighbours, so that a step has to change bit 3 of a unit's number as well if it changes bit 0.
static void swizzle_crossed_bytes(const strata_shared_operand_t *o, int64_t unit, strata_swizzle_t *out) {
  int64_t units = o->rows / unit, first = strata_max(UNITS / units, 1);
  *out++ = (strata_swizzle_t){STEP, first, UNITS / first, 1};
  if (units > UNITS)
    *out = (strata_swizzle_t){STEP, 1, 2, UNITS};
}

// Of two units of each of four steps, and of the four that are |apart| further on.
static void swizzle_crossed_steps(const strata_shared_operand_t *o, int64_t unit, int64_t apart,
                                  strata_swizzle_t *out) {
  enum { STEPS = 4, HALF = UNITS / 2 };
  int64_t units = o->rows / unit, first = units > HALF ? 1 : 2;
  *out++ = (strata_swizzle_t){STEP, first, STEPS / first, 2};
  *out = (strata_swizzle_t){STEP, apart, 2, units > UNITS ? UNITS : 2};
}

// The rows that the seventeenth lane reads are in a unit that the sixteen in front of it leave out.
static void swizzle_crossed(const strata_shared_operand_t *o, int64_t unit, strata_swizzle_t *out) {
  enum { STEPS = 4 };
  int64_t apart = strata_layout_thread_coordinate(&o->crossed, STRATA_CROSSED_LANES, STEP);
  if (apart) {
    swizzle_crossed_steps(o, unit, apart, out);
    return;
  }
  int64_t left_out = strata_layout_thread_coordinate(&o->crossed, STRATA_CROSSED_LANES, ROW) / unit;
  if (o->rows > STEPS * unit)
    *out++ = (strata_swizzle_t){STEP, 1, STEPS, STEPS};
  *out = (strata_swizzle_t){STEP, 2, 2, left_out};
}

// All of them are linear in the bits of row and step.
static strata_place_layout_t place_layout(const strata_shared_operand_t *o) {
  int64_t unit = STRATA_VECTOR_BYTES / o->element_bytes, span = SPAN / o->element_bytes, rows = o->rows;
  strata_place_layout_t by_step = {.digits = {{ROW, 0, 1}, {STEP, 0, rows}}, .unit = unit};
  switch (o->form) {
  case STRATA_BY_ROW:
    span = strata_min(span, o->steps);
    by_step = (strata_place_layout_t){{{STEP, span, 1}, {ROW, rows, span}, {STEP, 0, span * rows}}, unit, {{0}}};
    swizzle_rows(&o->fragment, by_step.swizzles);
    return by_step;
  case STRATA_ACROSS:
    if (o->crossed.n_thread > 0 && o->element_bytes == 1)
      swizzle_crossed_bytes(o, unit, by_step.swizzles);
    else if (o->crossed.n_thread > 0)
      swizzle_crossed(o, unit, by_step.swizzles);
    else
      by_step.swizzles[0] = (strata_swizzle_t){STEP, o->word, 4, 2};
    break;
  case STRATA_BY_STEP: // of as many units as there are
    by_step.swizzles[0] = (strata_swizzle_t){STEP, 4, rows > 4 * unit ? 2 : 1, 4};
    by_step.swizzles[1] = (strata_swizzle_t){STEP, 8, rows > 2 * unit ? 2 : 1, 2};
    by_step.swizzles[2] = (strata_swizzle_t){ROW, 8 * unit, rows > unit ? 2 : 1, 1};
    break;
  case STRATA_SPANS:
    return (strata_place_layout_t){{{STEP, 0, 1}, {ROW, 0, span}}, unit, {strata_swizzle_of(SPAN, ROW)}};
  case STRATA_SPANS_CROSSED:
    return (strata_place_layout_t){
        {{ROW, span, 1}, {STEP, 0, span}, {ROW, 0, span * o->steps}}, unit, {strata_swizzle_of(SPAN, STEP)}};
  case STRATA_DENSE:
    break;
  }
  return by_step;
}

static int64_t address(const strata_shared_operand_t *o, int64_t row, int64_t step) {
  strata_place_layout_t layout = place_layout(o);
  return strata_place_of(&layout, (const int64_t[]){row, step});
}

int64_t strata_operand_register_place(const strata_shared_operand_t *o, const strata_layout_t *layout, int64_t reg) {
  return address(o, strata_layout_reg_coordinate(layout, reg, 0), strata_layout_reg_coordinate(layout, reg, 1));
}

int64_t strata_operand_thread_place(const strata_shared_operand_t *o, const strata_layout_t *layout, int64_t thread) {
  return address(o, strata_layout_thread_coordinate(layout, thread, 0),
                 strata_layout_thread_coordinate(layout, thread, 1));
}

// The bits of an address that threads contribute to.
static int64_t thread_bits(const strata_shared_operand_t *o, const strata_layout_t *layout) {
  int64_t bits = 0, n_threads = strata_layout_threads(layout);
  for (int64_t thread = 1; thread < n_threads; thread *= 2)
    bits |= strata_operand_thread_place(o, layout, thread);
  return bits;
}

MlirValue strata_emit_linear(strata_emitter_t *e, MlirValue value, int n_bits, const int64_t *columns) {
  enum { MAX_SHIFT = 31 };
  MlirValue result = strata_emit_index(e, 0);
  for (int shift = -MAX_SHIFT; shift <= MAX_SHIFT; shift++) {
    int64_t mask = 0; // of the bits that go to those |shift| places further up
    for (int bit = 0; bit < n_bits; bit++)
      if (bit + shift >= 0 && columns[bit] >> (bit + shift) & 1)
        mask |= INT64_C(1) << bit;
    if (!mask)
      continue;
    MlirValue bits = strata_emit_with(e, "arith.andi", value, mask);
    if (shift)
      bits = strata_emit_binary(e, shift < 0 ? "arith.shrui" : "arith.shli", bits,
                                strata_emit_index(e, shift < 0 ? -shift : shift));
    result = strata_emit_binary(e, "arith.xori", result, bits);
  }
  return result;
}

// The running thread's part of the addresses, in |slot|.
static MlirValue emit_base(strata_gpu_distribution_t *d, const strata_shared_operand_t *o,
                           const strata_layout_t *layout, MlirValue slot) {
  enum { MAX_BITS = 31 };
  strata_emitter_t *e = &d->e;
  int64_t columns[MAX_BITS], n_threads = strata_layout_threads(layout);
  int n_bits = 0;
  for (; INT64_C(1) << n_bits < n_threads; n_bits++)
    columns[n_bits] = strata_operand_thread_place(o, layout, INT64_C(1) << n_bits);
  MlirValue base = strata_emit_linear(e, d->role.thread, n_bits, columns);
  MlirValue first = strata_emit_times(e, slot, o->rows * o->steps);
  return strata_emit_binary(e, "arith.addi", base, first);
}

// Bits that threads contribute to are exchanged, the others added: those fit into the instruction.
static MlirValue emit_address(strata_gpu_distribution_t *d, MlirValue base, int64_t bits, int64_t constant) {
  strata_emitter_t *e = &d->e;
  if (constant & bits)
    base = strata_emit_with(e, "arith.xori", base, constant & bits);
  if (constant & ~bits)
    base = strata_emit_with(e, "arith.addi", base, constant & ~bits);
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

strata_operand_places_t strata_operand_copied_places(strata_gpu_distribution_t *d,
                                                     const strata_shared_operand_t *operand, MlirValue slot) {
  MlirValue begin = strata_emit_times(&d->e, slot, operand->rows * operand->steps);
  return (strata_operand_places_t){.operand = operand,
                                   .layout = &operand->load,
                                   .bits = thread_bits(operand, &operand->load),
                                   .base = strata_emit_binary(&d->e, "arith.addi", operand->by_warps.first, begin)};
}

MlirValue strata_operand_place(strata_gpu_distribution_t *d, const strata_operand_places_t *places, int64_t reg) {
  return emit_address(d, places->base, places->bits,
                      strata_operand_register_place(places->operand, places->layout, reg));
}

bool strata_operand_is_run(const strata_shared_operand_t *operand, const strata_layout_t *layout, int64_t reg,
                           int64_t step, int64_t count) {
  int64_t first = strata_operand_register_place(operand, layout, reg);
  bool is_run = first % count == 0 && !(thread_bits(operand, layout) & (count - 1));
  for (int64_t i = 1; i < count; i++)
    is_run &= strata_operand_register_place(operand, layout, reg + i * step) == first + i;
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
    places->registers[strata_operand_register_place(o, layout, reg)] = reg;
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
    MlirValue value = strata_lanes_of_scalars(e, length, values);
    strata_lanes_store(e, value, operand->memory, emit_address(d, base, places->bits, at));
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
  int64_t first, length = run_around(places, strata_operand_register_place(operand, &operand->fragment, reg), &first);
  MlirType type = strata_lanes_type(operand->element, length);
  MlirValue value = strata_lanes_load(&d->e, type, operand->memory, emit_address(d, reader->base, places->bits, first));
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
