// One step of a contraction: the product of two operands in shared memory, added to the sums of a thread.
//
// With matrix instructions a sum is a fragment (contract_fragments.c has their registers). Operands that lie along the
// reduction are loaded as matrices where the instruction has them so, a chunk of 32 bytes of 16 rows at once; those
// that lie across it are crossed by the load where the device has such loads. Of the others a thread reads rows beside
// one another, step by step, or steps, and puts fragments together.
//
// Fragments of a chunk are read before the products of the chunk in front of it.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"

enum { ROW = 0, COLUMN = 1, MAX_ELEMENTS = 32 }; // of a fragment

static int64_t row_tiles(const strata_product_t *p) { return strata_product_tiles(p, ROW); }
static int64_t column_tiles(const strata_product_t *p) { return strata_product_tiles(p, COLUMN); }

int64_t strata_product_sums(const strata_product_t *p) {
  return p->mma ? row_tiles(p) * column_tiles(p) : strata_layout_registers(&p->partial);
}

//===-- Fragments ------------------------------------------------------------------------------------------------===//

static int64_t sum_elements(const strata_product_t *p) { return p->mma->m * p->mma->n / p->mma->layout->lanes; }

// Sum |tile|: row by row of instructions.
static int64_t sum_register(const strata_product_t *p, int64_t tile, int64_t element) {
  return strata_product_sum_register(p, tile / column_tiles(p), tile % column_tiles(p), element);
}

static MlirValue collect(strata_emitter_t *e, MlirType element, int64_t count, const MlirValue *values) {
  return strata_emit_value(e, "vector.from_elements", (int)count, values, mlirVectorTypeGet(1, &count, element), 0,
                           NULL);
}

void strata_product_pack(strata_gpu_distribution_t *d, const strata_product_t *p, const strata_registers_t *registers,
                         MlirValue *out_sums) {
  for (int64_t i = 0; i < strata_product_sums(p); i++) {
    MlirValue elements[MAX_ELEMENTS];
    int64_t n = p->mma ? sum_elements(p) : 0;
    for (int64_t element = 0; element < n; element++)
      elements[element] = registers->values[sum_register(p, i, element)];
    out_sums[i] = p->mma ? collect(&d->e, p->sum, n, elements) : registers->values[i];
  }
}

void strata_product_unpack(strata_gpu_distribution_t *d, const strata_product_t *p, const MlirValue *sums,
                           strata_registers_t *out_registers) {
  for (int64_t i = 0; i < strata_product_sums(p); i++) {
    if (!p->mma)
      out_registers->values[i] = sums[i];
    for (int64_t element = 0; p->mma && element < sum_elements(p); element++)
      out_registers->values[sum_register(p, i, element)] = strata_lanes_extract(&d->e, sums[i], element);
  }
}

//===-- Matrix instructions --------------------------------------------------------------------------------------===//

// How the fragments of a side are read from a slot, and their scales.
typedef struct {
  strata_gpu_distribution_t *d;
  const strata_product_t *product;
  int side;
  const strata_shared_operand_t *operand;
  bool are_matrices, is_crossed;
  strata_operand_places_t places; // of either
  strata_operand_reader_t reader; // of the others
  strata_operand_reader_t scales; // where there are some
} source_t;

static source_t source(strata_gpu_distribution_t *d, const strata_product_t *p, int side, MlirValue slot) {
  source_t s = {.d = d, .product = p, .side = side, .operand = &p->operands[side]};
  if (strata_product_has_scales(p, side))
    s.scales = strata_operand_reader(d, &p->scales[side], slot);
  s.are_matrices = !s.operand->held && s.operand->form == STRATA_BY_ROW && p->mma->layout->has_matrices;
  s.is_crossed = !s.operand->held && s.operand->crossed.n_thread > 0;
  if (s.operand->held)
    return s;
  if (s.are_matrices)
    s.places = strata_operand_places(d, s.operand, &s.operand->matrices, slot);
  else if (s.is_crossed)
    s.places = strata_operand_places(d, s.operand, &s.operand->crossed, slot);
  else
    s.reader = strata_operand_reader(d, s.operand, slot);
  return s;
}

// Matrices number |i|, of one fragment or of two, which are taken apart as words.
static void load_matrices(source_t *s, int64_t i, MlirValue *out) {
  strata_emitter_t *e = &s->d->e;
  MlirType i32 = mlirIntegerTypeGet(e->context, 32), element = s->operand->element;
  int64_t words = STRATA_MMA_WORDS_A, n = words * s->operand->word, half = n / 2;
  MlirValue operands[] = {s->operand->memory, strata_operand_place(s->d, &s->places, i)}, all, word[STRATA_MMA_WORDS_A];
  all = strata_emit_value(e, STRATA_TILE_LOAD_MATRICES, 2, operands, mlirVectorTypeGet(1, &n, element), 0, NULL);
  if (s->side == ROW) {
    *out = all;
    return;
  }
  all = strata_emit_cast(e, "vector.bitcast", all, mlirVectorTypeGet(1, &words, i32));
  for (int64_t j = 0; j < words; j++)
    word[j] = strata_lanes_extract(e, all, j);
  for (int j = 0; j < 2; j++)
    out[j] = strata_emit_cast(e, "vector.bitcast", collect(e, i32, words / 2, word + j * words / 2),
                              mlirVectorTypeGet(1, &half, element));
}

// Elements of a fragment that one load brings, from |element| on.
static void load_crossed(source_t *s, int64_t step, int64_t tile, int64_t element, MlirValue *out_elements) {
  strata_emitter_t *e = &s->d->e;
  const int64_t n = strata_operand_crossed(s->operand);
  int64_t reg = strata_product_crossed_register(s->product, s->side, step, tile, element);
  MlirValue operands[] = {s->operand->memory, strata_operand_place(s->d, &s->places, reg)};
  MlirType type = mlirVectorTypeGet(1, &n, s->operand->element);
  MlirValue all = strata_emit_value(e, STRATA_TILE_LOAD_CROSSED, 2, operands, type, 0, NULL);
  for (int64_t i = 0; i < n; i++)
    out_elements[i] = strata_lanes_extract(e, all, i);
}

static MlirValue collect_fragment(source_t *s, int64_t step, int64_t tile) {
  int64_t n = strata_mma_elements(s->product->mma, s->side);
  MlirValue elements[MAX_ELEMENTS];
  for (int64_t i = 0; s->is_crossed && i < n; i += strata_operand_crossed(s->operand))
    load_crossed(s, step, tile, i, &elements[i]);
  for (int64_t i = 0; !s->is_crossed && i < n; i++) {
    int64_t reg = strata_product_operand_register(s->product, s->side, step, tile, i);
    elements[i] = s->operand->held ? s->operand->held->values[reg] : strata_operand_read(s->d, &s->reader, reg);
  }
  return collect(&s->d->e, s->operand->element, n, elements);
}

// Those of instruction |step| along the reduction.
static void read_side(source_t *s, int64_t step, MlirValue *out) {
  int64_t n = strata_product_tiles(s->product, s->side), at_once = s->side == ROW ? 1 : 2;
  for (int64_t tile = 0; tile < n; tile++)
    if (!s->are_matrices)
      out[tile] = collect_fragment(s, step, tile);
    else if (tile % at_once == 0)
      load_matrices(s, (step * n + tile) / at_once, &out[tile]);
}

// Instructions one after the other along a chunk of the reduction.
static int64_t steps_of_chunk(const strata_product_t *p) { return strata_product_chunk(p) / p->mma->k; }

static int64_t scales_of_step(const strata_product_t *p, int side) {
  return strata_product_has_scales(p, side) ? strata_product_tiles(p, side) : 0;
}

static int64_t fragments_of_step(const strata_product_t *p) {
  return row_tiles(p) + column_tiles(p) + scales_of_step(p, ROW) + scales_of_step(p, COLUMN);
}

int64_t strata_product_fragments(const strata_product_t *p) { return steps_of_chunk(p) * fragments_of_step(p); }

// The scales of the fragments of instruction |step|, as words.
static void read_scales(source_t *s, int64_t step, MlirValue *out) {
  strata_emitter_t *e = &s->d->e;
  for (int64_t tile = 0; tile < scales_of_step(s->product, s->side); tile++) {
    int64_t reg = strata_product_scale_register(s->product, s->side, step, tile);
    MlirValue byte = strata_operand_read(s->d, &s->scales, reg);
    out[tile] = strata_emit_cast(e, "arith.extui", byte, mlirIntegerTypeGet(e->context, 32));
  }
}

// Those of a chunk of the reduction: for each instruction of the right operand, then of the left one; then scales of
// the same.
static void read_fragments(const strata_product_t *p, source_t *sources, int64_t chunk, MlirValue *out_fragments) {
  for (int64_t i = 0; i < steps_of_chunk(p); i++) {
    MlirValue *out = out_fragments + i * fragments_of_step(p), *scales = out + column_tiles(p) + row_tiles(p);
    int64_t step = chunk * steps_of_chunk(p) + i;
    read_side(&sources[COLUMN], step, out);
    read_side(&sources[ROW], step, out + column_tiles(p));
    read_scales(&sources[COLUMN], step, scales);
    read_scales(&sources[ROW], step, scales + scales_of_step(p, COLUMN));
  }
}

// |scales|: of the left and of the right fragment; NULL where there are none.
static void multiply_one(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue left, MlirValue right,
                         const MlirValue *scales, MlirValue *sum) {
  strata_named_attr_t kind = {"kind", strata_str_attr(d->e.context, p->mma->name)};
  MlirValue operands[] = {left, right, *sum, scales ? scales[ROW] : *sum, scales ? scales[COLUMN] : *sum};
  *sum = strata_emit_value(&d->e, STRATA_TILE_MMA, scales ? 5 : 3, operands, mlirValueGetType(*sum), 1, &kind);
}

// The scale of a side's fragment |tile|; one, where it has none.
static MlirValue scale_of(strata_gpu_distribution_t *d, const strata_product_t *p, int side, int64_t tile,
                          const MlirValue *fragments) {
  enum { ONE = 127 };
  if (!strata_product_has_scales(p, side))
    return strata_emit_integer(&d->e, mlirIntegerTypeGet(d->e.context, 32), ONE);
  const MlirValue *scales = fragments + column_tiles(p) + row_tiles(p);
  return scales[(side == ROW ? scales_of_step(p, COLUMN) : 0) + tile];
}

static void multiply_step(strata_gpu_distribution_t *d, const strata_product_t *p, const MlirValue *fragments,
                          MlirValue *sums) {
  const MlirValue *left = fragments + column_tiles(p);
  for (int64_t row = 0; row < row_tiles(p); row++)
    for (int64_t column = 0; column < column_tiles(p); column++) {
      MlirValue scales[2] = {{NULL}, {NULL}};
      bool is_scaled = strata_product_is_scaled(p);
      for (int side = 0; is_scaled && side < 2; side++)
        scales[side] = scale_of(d, p, side, side == ROW ? row : column, fragments);
      multiply_one(d, p, left[row], fragments[column], is_scaled ? scales : NULL,
                   &sums[row * column_tiles(p) + column]);
    }
}

void strata_product_multiply(strata_gpu_distribution_t *d, const strata_product_t *p, const MlirValue *fragments,
                             MlirValue *sums) {
  for (int64_t i = 0; i < steps_of_chunk(p); i++)
    multiply_step(d, p, fragments + i * fragments_of_step(p), sums);
}

void strata_product_begin(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue slot,
                          MlirValue *out_fragments) {
  source_t sources[2] = {source(d, p, ROW, slot), source(d, p, COLUMN, slot)};
  read_fragments(p, sources, 0, out_fragments);
}

void strata_product_go_on(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue slot, MlirValue *fragments,
                          MlirValue *sums) {
  source_t sources[2] = {source(d, p, ROW, slot), source(d, p, COLUMN, slot)};
  int64_t n = strata_product_fragments(p);
  int64_t chunks = strata_ceil_div(p->n_steps, strata_product_chunk(p) * p->split);
  MlirValue *next = strata_arena_array(d->compile->arena, MlirValue, n);
  for (int64_t chunk = 1; chunk < chunks; chunk++) {
    read_fragments(p, sources, chunk, next);
    strata_product_multiply(d, p, fragments, sums);
    memcpy(fragments, next, (size_t)n * sizeof *next);
  }
}

// Where threads have the left operand already: a block's columns along the whole reduction, then the next block's, so
// that few fragments of the right one are there at a time.
static void emit_by_columns(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue slot, MlirValue *sums) {
  source_t sources[2] = {source(d, p, ROW, slot), source(d, p, COLUMN, slot)};
  int64_t n_steps = strata_ceil_div(p->n_steps, strata_product_chunk(p)) * steps_of_chunk(p);
  int64_t n_columns = column_tiles(p), n_rows = row_tiles(p), block = STRATA_MMA_BLOCK / p->mma->n;
  MlirValue *left = strata_arena_array(d->compile->arena, MlirValue, n_steps * n_rows);
  for (int64_t i = 0; i < n_steps * n_rows; i++)
    left[i] = collect_fragment(&sources[ROW], i / n_rows, i % n_rows);
  for (int64_t first = 0; first < n_columns; first += block)
    for (int64_t step = 0; step < n_steps; step++)
      for (int64_t column = first; column < first + block; column++) {
        MlirValue right = collect_fragment(&sources[COLUMN], step, column);
        for (int64_t row = 0; row < n_rows; row++)
          multiply_one(d, p, left[step * n_rows + row], right, NULL, &sums[row * n_columns + column]);
      }
}

static void emit_mma(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue slot, MlirValue *sums) {
  if (p->operands[ROW].held) {
    emit_by_columns(d, p, slot, sums);
    return;
  }
  MlirValue *fragments = strata_arena_array(d->compile->arena, MlirValue, strata_product_fragments(p));
  strata_product_begin(d, p, slot, fragments);
  strata_product_go_on(d, p, slot, fragments, sums);
  strata_product_multiply(d, p, fragments, sums);
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

// Operand |i| of |side|, widened to the type of the sums, once.
static MlirValue read_wide(strata_gpu_distribution_t *d, const strata_product_t *p, strata_operand_reader_t *readers,
                           int side, int64_t i, MlirValue *known) {
  if (p->operands[side].element_bytes >= strata_element_bytes(p->sum) || !mlirTypeIsAFloat(p->sum))
    return strata_operand_read(d, &readers[side], i);
  if (mlirValueIsNull(*known))
    *known = strata_emit_conversion(&d->arithmetic, "arith.extf", strata_operand_read(d, &readers[side], i), p->sum);
  return *known;
}

// Column by column: the assembler keeps this order by and large, and then has most multiply-adds take one operand from
// what the last one has read. The register file gives a thread's two other operands in a cycle, not three.
static void emit_fma(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue slot, MlirValue *sums) {
  strata_operand_reader_t readers[2] = {strata_operand_reader(d, &p->operands[ROW], slot),
                                        strata_operand_reader(d, &p->operands[COLUMN], slot)};
  int64_t steps = p->operands[0].steps / p->split, n[2];
  for (int side = 0; side < 2; side++)
    n[side] = strata_layout_registers(&p->operands[side].fragment) / steps;
  MlirValue *rows = strata_arena_array(d->compile->arena, MlirValue, n[ROW]);
  read_step(d, readers, n, 0);
  for (int64_t step = 0; step < steps; step++) {
    if (step + 1 < steps)
      read_step(d, readers, n, step + 1);
    memset(rows, 0, (size_t)n[ROW] * sizeof *rows);
    for (int64_t column = 0; column < n[COLUMN]; column++) {
      MlirValue wide = {NULL};
      for (int64_t row = 0; row < n[ROW]; row++) {
        MlirValue a = read_wide(d, p, readers, ROW, step * n[ROW] + row, &rows[row]);
        MlirValue b = read_wide(d, p, readers, COLUMN, step * n[COLUMN] + column, &wide);
        MlirValue *sum = &sums[row * n[COLUMN] + column];
        *sum = multiply_add(&d->e, a, b, *sum);
      }
    }
  }
}

void strata_product_emit(strata_gpu_distribution_t *d, const strata_product_t *p, MlirValue slot, MlirValue *sums) {
  if (p->mma)
    emit_mma(d, p, slot, sums);
  else
    emit_fma(d, p, slot, sums);
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
  MlirValue own = strata_emit_with(e, "arith.divui", d->role.thread, d->role.group / p->split);
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
