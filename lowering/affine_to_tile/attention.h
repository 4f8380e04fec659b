// What the forms of attention kernels share (attention.c: blocks of columns on GPUs; attention_cpu.c: rows on a cpu).
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_ATTENTION_H
#define STRATA_LOWERING_AFFINE_TO_TILE_ATTENTION_H

#include "dialects/affine/attention.h"
#include "lowering/affine_to_tile/kinds.h"

// The tile's vector dims.
enum { STRATA_TILE_ROW, STRATA_TILE_VALUE, STRATA_TILE_COLUMN, STRATA_TILE_HEAD, STRATA_N_TILE_AXES };

typedef struct {
  strata_attention_t a;
  MlirAttribute fast_math;
  strata_size_t n_tasks;
  MlirAffineExpr point[STRATA_MAX_DIMS]; // of the canonical dims
  bool is_staged;                        // on a GPU: by the threads that multiply, without a pipeline
  int64_t n_steps[2];                    // is_staged: of the first product, the head; of the second, columns
} strata_tile_attention_t;

// Reads the kernel's nests; every dim at 0.
STRATA_MUST_CHECK strata_status_t strata_tile_attention_read(strata_tile_builder_t *b, strata_tile_attention_t *out);

STRATA_MUST_CHECK strata_status_t strata_tile_attention_cpu(strata_tile_builder_t *b);

//===-- Arithmetic on f32 ----------------------------------------------------------------------------------------===//

strata_tile_value_t strata_tile_attention_number(strata_tile_builder_t *b, double value);
MlirValue strata_tile_attention_numbers(strata_tile_builder_t *b, double value, uint32_t dims);
// An op over |dims|.
strata_tile_value_t strata_tile_attention_op(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                             const char *name, uint32_t dims, int n,
                                             const strata_tile_value_t *operands);
strata_tile_value_t strata_tile_attention_binary(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 const char *name, strata_tile_value_t x, strata_tile_value_t y);

//===-- Blocks of columns on GPUs (attention_block.c) ------------------------------------------------------------===//

// The contractions; what a block hands on to the next.
enum { STRATA_TILE_PRODUCT, STRATA_TILE_WEIGHTED };
enum {
  STRATA_ATTENTION_MAXIMUM,
  STRATA_ATTENTION_SUM,
  STRATA_ATTENTION_RESULT,
  STRATA_N_ATTENTION_CARRIED,
};

// Product |which| of two tiles, added to |sum|.
MlirValue strata_tile_attention_multiply(strata_tile_builder_t *b, const strata_tile_attention_t *t, int which,
                                         MlirValue left, MlirValue right, MlirValue sum);
// The weights of a block's scores; maximum and sum of |carried| become those with the block. What was carried before
// counts |*out_factor| times.
strata_tile_value_t strata_tile_attention_softmax(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                  strata_tile_value_t scores, MlirValue *carried,
                                                  strata_tile_value_t *out_factor);
// A row's maximum so that weights are two to the power of scores as such an exponent, less this.
strata_tile_value_t strata_tile_attention_exponent(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                   strata_tile_value_t maximum);
// Weights as the second product multiplies them.
MlirValue strata_tile_attention_narrowed(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                         strata_tile_value_t weights);

//===-- Places and values ----------------------------------------------------------------------------------------===//

// What of the task's number counts |extent| points, each of |stride| tasks; |is_last| if it counts all such.
MlirValue strata_tile_attention_digit(strata_tile_builder_t *b, const strata_tile_attention_t *t, MlirValue task,
                                      strata_size_t stride, strata_size_t extent, bool is_last);

// Batches and heads, but for those of |others|, at those of |task|, neighbours |stride| tasks apart.
void strata_tile_attention_place(strata_tile_builder_t *b, strata_tile_attention_t *t, uint32_t others, MlirValue task,
                                 strata_size_t stride);

// An operand at the point, as its buffer has it.
strata_tile_value_t strata_tile_attention_operand(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                  int which);

// What the nests between make of |value|, which |from| is: |to|, over |dims|, in f32.
strata_tile_value_t strata_tile_attention_derive(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 const strata_attention_term_t *from, strata_tile_value_t value,
                                                 const strata_attention_term_t *to, uint32_t dims);

// |scores| where |column|, counted from the tile's first one, is less than |end|; else nothing: -inf, or a weight of
// zero.
strata_tile_value_t strata_tile_attention_cut(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                              strata_tile_value_t scores, strata_tile_value_t end);

// The same where |column|, any numbers, is less than |end|.
strata_tile_value_t strata_tile_attention_choose(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 strata_tile_value_t scores, strata_tile_value_t column,
                                                 strata_tile_value_t end);

// The offset of a causal mask, and |more|.
MlirAffineExpr strata_tile_attention_offset(strata_tile_builder_t *b, const strata_tile_attention_t *t, int64_t more);

// The numbers 0, 1, ... along an axis, and |start| added to them if it is not null.
MlirValue strata_tile_attention_numbers_along(strata_tile_builder_t *b, int axis, MlirAffineExpr start);

// A row's sum of weights and what the sink, if there is one, adds to it, relative to the row's maximum.
strata_tile_value_t strata_tile_attention_with_sink(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                    strata_tile_value_t sum, strata_tile_value_t maximum);

// result / sum; zero instead of a row that is NaN, if that was asked for.
strata_tile_value_t strata_tile_attention_divide(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 strata_tile_value_t result, strata_tile_value_t sum);

// The maximum of no scores: a number, which it stays multiplied by |scale|.
double strata_tile_attention_lowest(double scale);

#endif
