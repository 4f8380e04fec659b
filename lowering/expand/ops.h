// Shorthands for emitting ops of arith and math whose types follow from their operands, scalars and vectors alike.
#ifndef STRATA_LOWERING_EXPAND_OPS_H
#define STRATA_LOWERING_EXPAND_OPS_H

#include "lowering/emit/emit.h"

// Operands and result of one type.
MlirValue strata_emit_unary(strata_emitter_t *e, const char *name, MlirValue a);
MlirValue strata_emit_binary(strata_emitter_t *e, const char *name, MlirValue a, MlirValue b);
// The same of floats: a product and the sum that it goes into may become one operation, rounded once.
MlirValue strata_emit_contracting(strata_emitter_t *e, const char *name, MlirValue a, MlirValue b);
// Of indices: with a constant; |a| itself plus 0.
MlirValue strata_emit_with(strata_emitter_t *e, const char *name, MlirValue a, int64_t b);
MlirValue strata_emit_plus(strata_emitter_t *e, MlirValue a, int64_t b);
MlirValue strata_emit_times(strata_emitter_t *e, MlirValue a, int64_t b);
// A conversion to |type|.
MlirValue strata_emit_cast(strata_emitter_t *e, const char *name, MlirValue a, MlirType type);
MlirValue strata_emit_select(strata_emitter_t *e, MlirValue condition, MlirValue a, MlirValue b);

// arith.cmpf, and arith.cmpi (emit.h), by arith's numbers of their predicates.
typedef enum {
  STRATA_OEQ = 1,
  STRATA_OGT,
  STRATA_OGE,
  STRATA_OLT,
  STRATA_OLE,
  STRATA_UNE = 13,
  STRATA_UNO
} strata_cmpf_t;
MlirValue strata_emit_cmpf(strata_emitter_t *e, strata_cmpf_t predicate, MlirValue a, MlirValue b);
MlirValue strata_emit_cmpi(strata_emitter_t *e, strata_cmpi_t predicate, MlirValue a, MlirValue b);

// A constant of a float type, an integer type or index, or of a vector of them.
MlirValue strata_emit_real(strata_emitter_t *e, MlirType type, double value);
MlirValue strata_emit_integer(strata_emitter_t *e, MlirType type, int64_t value);

// Bytes of a contiguous buffer.
int64_t strata_buffer_bytes(MlirType memref);
// |type| with the elements replaced: a vector of |element| if |type| is one.
MlirType strata_type_like(MlirType type, MlirType element);

// |element| or a vector of |length| of them.
MlirType strata_lanes_type(MlirType element, int64_t length);
// One lane of a vector as a scalar; a scalar in every lane; two vectors shuffled: result lane i is lane mask[i] of a
// and b side by side; a vector from a scalar a lane. A vector of one element is a scalar.
MlirValue strata_lanes_extract(strata_emitter_t *e, MlirValue vector, int64_t lane);
MlirValue strata_lanes_splat(strata_emitter_t *e, MlirValue scalar, int64_t length);
MlirValue strata_lanes_shuffle(strata_emitter_t *e, MlirValue a, MlirValue b, int64_t length, const int64_t *mask);
MlirValue strata_lanes_of_scalars(strata_emitter_t *e, int64_t length, const MlirValue *scalars);
// Of a memref of one dim, at |at|: |type| is the element's or a vector of such.
MlirValue strata_lanes_load(strata_emitter_t *e, MlirType type, MlirValue memory, MlirValue at);
void strata_lanes_store(strata_emitter_t *e, MlirValue value, MlirValue memory, MlirValue at);

#endif
