// One step of a contraction: the product of two operands in shared memory, added to the sums of a thread.
//
// With matrix instructions a sum is a fragment. Registers of the sum's layout, fastest digits first: column tile j of
// four, the fragment's two columns e, rows (tile i of two, half h: 2 i + h), then blocks of 32 columns and rows. A
// fragment's element is e + 2 h. Operands have, for each of four threads, four words of a chunk of 64 bytes along the
// reduction: instruction s of two takes words 2 s and 2 s + 1, the same ones of both operands, so that the order of the
// reduction is a matter of taste and reads are 16 bytes.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"

enum { ROW = 0, COLUMN = 1, TILES = 4, STEPS = 2 };

static int64_t blocks(const strata_product_t *p, int side) { return p->warp_tile[side] / STRATA_MMA_BLOCK; }

int64_t strata_product_sums(const strata_product_t *p) {
  int64_t registers = strata_layout_registers(&p->partial);
  return p->mma ? registers / STRATA_MMA_WORDS_C : registers;
}

MlirType strata_product_sum_type(const strata_product_t *p) {
  const int64_t words = STRATA_MMA_WORDS_C;
  return p->mma ? mlirVectorTypeGet(1, &words, p->sum) : p->sum;
}

//===-- Fragments ------------------------------------------------------------------------------------------------===//

// Sum |tile|: row tiles of 16, in each the column tiles of 8. The register of its element |element|.
static int64_t sum_register(const strata_product_t *p, int64_t tile, int64_t element) {
  int64_t column_tiles = TILES * blocks(p, COLUMN);
  int64_t j = tile % TILES, column_block = tile % column_tiles / TILES, row_tile = tile / column_tiles;
  int64_t e = element % 2, row = row_tile % 2 * 2 + element / 2, row_block = row_tile / 2;
  return j + TILES * (e + 2 * (row + 4 * (column_block + blocks(p, COLUMN) * row_block)));
}

static MlirValue extract(strata_emitter_t *e, MlirValue vector, int64_t lane) {
  strata_named_attr_t position = {"static_position", strata_i64s_attr(e->context, 1, &lane)};
  return strata_emit_value(e, "vector.extract", 1, &vector, mlirShapedTypeGetElementType(mlirValueGetType(vector)), 1,
                           &position);
}

static MlirValue collect(strata_emitter_t *e, MlirType element, int64_t count, const MlirValue *values) {
  return strata_emit_value(e, "vector.from_elements", (int)count, values, mlirVectorTypeGet(1, &count, element), 0,
                           NULL);
}

void strata_product_pack(strata_gpu_distribution_t *d, const strata_product_t *p, const strata_registers_t *registers,
                         MlirValue *out_sums) {
  for (int64_t i = 0; i < strata_product_sums(p); i++) {
    MlirValue elements[STRATA_MMA_WORDS_C];
    for (int64_t element = 0; p->mma && element < STRATA_MMA_WORDS_C; element++)
      elements[element] = registers->values[sum_register(p, i, element)];
    out_sums[i] = p->mma ? collect(&d->e, p->sum, STRATA_MMA_WORDS_C, elements) : registers->values[i];
  }
}

void strata_product_unpack(strata_gpu_distribution_t *d, const strata_product_t *p, const MlirValue *sums,
                           strata_registers_t *out_registers) {
  for (int64_t i = 0; i < strata_product_sums(p); i++) {
    if (!p->mma)
      out_registers->values[i] = sums[i];
    for (int64_t element = 0; p->mma && element < STRATA_MMA_WORDS_C; element++)
      out_registers->values[sum_register(p, i, element)] = extract(&d->e, sums[i], element);
  }
}

//===-- Matrix instructions --------------------------------------------------------------------------------------===//

// The fragment made of words |step| * 2 and the next of |n_rows| of the thread's rows, from number |first_row| on.
static MlirValue fragment(strata_gpu_distribution_t *d, strata_operand_reader_t *reader, int64_t first_row,
                          int64_t n_rows, int64_t step) {
  const strata_shared_operand_t *operand = reader->operand;
  int64_t word = operand->word, n = 0;
  MlirValue elements[STRATA_MMA_WORDS_A * 4];
  for (int64_t half = 0; half < 2; half++)
    for (int64_t row = 0; row < n_rows; row++)
      for (int64_t i = 0; i < word; i++)
        elements[n++] = strata_operand_read(d, reader, (first_row + row) * 4 * word + (step * 2 + half) * word + i);
  return collect(&d->e, operand->element, n, elements);
}

// One instruction's worth of the reduction, for all tiles.
static void emit_mma_step(strata_gpu_distribution_t *d, const strata_product_t *p, strata_operand_reader_t *readers,
                          int64_t chunk, int64_t step, MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  int64_t row_tiles = 2 * blocks(p, ROW), column_tiles = TILES * blocks(p, COLUMN);
  MlirValue *right = strata_arena_array(d->compile->arena, MlirValue, column_tiles);
  for (int64_t column = 0; column < column_tiles; column++)
    right[column] = fragment(d, &readers[COLUMN], chunk * column_tiles + column, 1, step);
  strata_named_attr_t kind = {"kind", strata_str_attr(e->context, p->mma->name)};
  for (int64_t row = 0; row < row_tiles; row++) {
    MlirValue left = fragment(d, &readers[ROW], chunk * 2 * row_tiles + 2 * row, 2, step);
    for (int64_t column = 0; column < column_tiles; column++) {
      MlirValue *sum = &sums[row * column_tiles + column];
      *sum = strata_emit_value(e, STRATA_TILE_MMA, 3, (MlirValue[]){left, right[column], *sum}, mlirValueGetType(*sum),
                               1, &kind);
    }
  }
}

static void emit_mma(strata_gpu_distribution_t *d, const strata_product_t *p, strata_operand_reader_t *readers,
                     MlirValue *sums) {
  int64_t chunks = p->operands[0].steps / (STRATA_MMA_CHUNK_WORDS * p->operands[0].word * p->split);
  for (int64_t chunk = 0; chunk < chunks; chunk++)
    for (int64_t step = 0; step < STEPS; step++)
      emit_mma_step(d, p, readers, chunk, step, sums);
}

//===-- Multiply-adds --------------------------------------------------------------------------------------------===//

static MlirValue multiply_add(strata_emitter_t *e, MlirValue a, MlirValue b, MlirValue sum) {
  if (!mlirTypeIsAFloat(mlirValueGetType(sum)))
    return strata_emit_binary(e, "arith.addi", strata_emit_binary(e, "arith.muli", a, b), sum);
  return strata_emit_value(e, "math.fma", 3, (MlirValue[]){a, b, sum}, mlirValueGetType(sum), 0, NULL);
}

// The fragments of step |step|, so that they are on their way while the step before is computed.
static void read_step(strata_gpu_distribution_t *d, strata_operand_reader_t *readers, const int64_t *n, int64_t step) {
  for (int side = 0; side < 2; side++)
    for (int64_t i = 0; i < n[side]; i++)
      strata_operand_read(d, &readers[side], step * n[side] + i);
}

// Column by column: the assembler keeps this order by and large, and then has most multiply-adds take one operand from
// what the last one has read. The register file gives a thread's two other operands in a cycle, not three.
static void emit_fma(strata_gpu_distribution_t *d, const strata_product_t *p, strata_operand_reader_t *readers,
                     MlirValue *sums) {
  int64_t steps = p->operands[0].steps / p->split, n[2];
  for (int side = 0; side < 2; side++)
    n[side] = strata_layout_registers(&p->operands[side].fragment) / steps;
  read_step(d, readers, n, 0);
  for (int64_t step = 0; step < steps; step++) {
    if (step + 1 < steps)
      read_step(d, readers, n, step + 1);
    for (int64_t column = 0; column < n[COLUMN]; column++)
      for (int64_t row = 0; row < n[ROW]; row++) {
        MlirValue a = strata_operand_read(d, &readers[ROW], step * n[ROW] + row);
        MlirValue b = strata_operand_read(d, &readers[COLUMN], step * n[COLUMN] + column);
        MlirValue *sum = &sums[row * n[COLUMN] + column];
        *sum = multiply_add(&d->e, a, b, *sum);
      }
  }
}

void strata_product_emit(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue slot, MlirValue *sums) {
  strata_operand_reader_t readers[2] = {strata_operand_reader(d, &p->operands[ROW], slot),
                                        strata_operand_reader(d, &p->operands[COLUMN], slot)};
  if (p->mma)
    emit_mma(d, p, readers, sums);
  else
    emit_fma(d, p, readers, sums);
}

//===-- Splits ---------------------------------------------------------------------------------------------------===//

static MlirValue add(strata_emitter_t *e, MlirValue a, MlirValue b) {
  return strata_emit_binary(e, mlirTypeIsAFloat(mlirValueGetType(a)) ? "arith.addf" : "arith.addi", a, b);
}

strata_status_t strata_product_combine(strata_gpu_distribution_t *d, const strata_product_t *p,
                                       const strata_registers_t *partial, strata_registers_t *out_registers) {
  strata_emitter_t *e = &d->e;
  if (p->split == 1) {
    *out_registers = *partial;
    return NULL;
  }
  // The sums as an operand whose steps are columns, a slot for each warp of the split.
  strata_shared_operand_t sums = {.element = p->sum,
                                  .element_bytes = strata_element_bytes(p->sum),
                                  .rows = p->operands[ROW].rows,
                                  .steps = p->operands[COLUMN].rows,
                                  .word = 1,
                                  .form = STRATA_BY_STEP,
                                  .fragment = p->layout};
  STRATA_TRY(strata_operand_allocate(d, &sums, p->split));
  MlirValue own = strata_emit_binary(e, "arith.divui", d->thread, strata_emit_index(e, d->group / p->split));
  STRATA_TRY(strata_operand_store(d, &sums, own, partial));
  STRATA_TRY(strata_emit_barrier(d));
  *out_registers = strata_registers_in(d, partial->type, &p->layout);
  for (int64_t part = 0; part < p->split; part++) {
    strata_operand_reader_t reader = strata_operand_reader(d, &sums, strata_emit_index(e, part));
    for (int64_t i = 0; i < out_registers->count; i++) {
      MlirValue value = strata_operand_read(d, &reader, i);
      out_registers->values[i] = part ? add(e, out_registers->values[i], value) : value;
    }
  }
  return NULL;
}
