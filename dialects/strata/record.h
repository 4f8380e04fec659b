// An op as plain data: its row, the shapes of its operands and results, its attributes decoded. Builders fill a record
// and make the op of it; verification and evaluation decode a record from the op. So each rule about an op is written
// once, over records. Private to dialects/strata.
#ifndef STRATA_DIALECTS_STRATA_RECORD_H
#define STRATA_DIALECTS_STRATA_RECORD_H

#include "dialects/strata/strata.h"

//===-- Signatures -----------------------------------------------------------------------------------------------===//

enum { STRATA__MAX_ATTRS = 6, STRATA__MAX_OPERANDS = 6, STRATA__MAX_RESULTS = 2, STRATA__MAX_NAMED_OPERANDS = 8 };

typedef enum {
  STRATA__ATTR_I64,
  STRATA__ATTR_I64S,
  STRATA__ATTR_DIMS, // I64S, or a map of symbols where one of them is not known
  STRATA__ATTR_BOOL,
  STRATA__ATTR_FLAG, // BOOL, false where it is left out
  STRATA__ATTR_F64,
  STRATA__ATTR_STRING,
  STRATA__ATTR_MAP,
  STRATA__ATTR_MAPS,
  STRATA__ATTR_ANY,
  STRATA__ATTR_KIND_COUNT
} strata__attr_kind_t;

typedef struct {
  MlirStringRef name;
  strata__attr_kind_t kind;
} strata__attr_spec_t;

// The columns "attrs" of ops.def and "signature" of composites.def, parsed.
typedef struct {
  int n_attrs;
  strata__attr_spec_t attrs[STRATA__MAX_ATTRS];
  int n_operands; // composites only: the names of the operands
  MlirStringRef operands[STRATA__MAX_NAMED_OPERANDS];
} strata__signature_t;

strata_op_id_t strata__op_from_name(MlirStringRef mnemonic);
const strata__signature_t *strata__op_signature(strata_op_id_t id);
const strata__signature_t *strata__composite_signature(strata_composite_id_t id);

//===-- Records --------------------------------------------------------------------------------------------------===//

// An attribute's value; which members count depends on its kind.
typedef struct {
  int count;                          // of i64s, of maps
  int64_t i64s[STRATA_MAX_RANK];      // I64S; I64, BOOL and FLAG have one
  bool is_symbolic;                   // DIMS: |dims| counts, else |i64s|
  strata_dim_t dims[STRATA_MAX_RANK]; // DIMS
  MlirStringRef string;               // STRING
  MlirAffineMap maps[3];              // MAPS; MAP has one
  MlirAttribute any;                  // ANY
  double f64;                         // F64
} strata__attr_t;

typedef struct {
  strata_op_id_t id;
  int n_operands, n_results;
  strata_shape_t operands[STRATA__MAX_OPERANDS];
  strata_shape_t results[STRATA__MAX_RESULTS];
  strata__attr_t attrs[STRATA__MAX_ATTRS]; // in the order of the row
} strata__record_t;

// Replaces the composite ops of a block by primitives (decompose.c).
STRATA_MUST_CHECK strata_status_t strata__decompose_block(strata_compile_t *compile, MlirBlock block);

// How many results the op has.
int strata__n_results(strata_op_id_t id);
strata__record_t strata__record(strata_op_id_t id);

// The value of the attribute called |name|, which the row declares.
const strata__attr_t *strata__get(const strata__record_t *record, const char *name);
void strata__set_i64(strata__record_t *record, const char *name, int64_t value); // also a bool
void strata__set_i64s(strata__record_t *record, const char *name, int count, const int64_t *values);
void strata__set_dims(strata__record_t *record, const char *name, int count, const strata_dim_t *values);
void strata__set_f64(strata__record_t *record, const char *name, double value);
void strata__set_string(strata__record_t *record, const char *name, const char *value);
void strata__set_maps(strata__record_t *record, const char *name, int count, const MlirAffineMap *maps);
void strata__set_any(strata__record_t *record, const char *name, MlirAttribute value);

static inline int64_t strata__i64(const strata__record_t *record, const char *name) {
  return strata__get(record, name)->i64s[0];
}
static inline const int64_t *strata__i64s(const strata__record_t *record, const char *name) {
  return strata__get(record, name)->i64s;
}

// Entry |i| of an attribute of the kind DIMS.
strata_dim_t strata__dim_at(MlirContext context, const strata__record_t *record, const char *name, int i);
// Whether some attribute has a symbol.
bool strata__has_symbols(const strata__record_t *record);

// The attribute of MLIR for the |index|th value of a record.
MlirAttribute strata__encode_attr(MlirContext context, const strata__record_t *record, int index);
// Reads the attributes a signature declares; an error says which is not as declared.
STRATA_MUST_CHECK strata_status_t strata__decode_attrs(MlirOperation op, const strata__signature_t *signature,
                                                       strata__attr_t *out);
// Reads an op, which is a primitive, into a record.
STRATA_MUST_CHECK strata_status_t strata__decode(MlirOperation op, strata__record_t *out);

// Computes |results| from the rest of the record, and checks everything. Where the row lets the builder choose the
// result (RESULT, reshape, slice, broadcast, iota, constant) results[0] is what was chosen and is checked only.
STRATA_MUST_CHECK strata_status_t strata__infer(strata__record_t *record);

// The shape of a composite's result: its operands, all of one type, broadcast together; operands that line up with dim
// 1 (per_channel) are smaller than the first, whose shape it is then. Of rows in sequences: strata__infer_jagged.
STRATA_MUST_CHECK strata_status_t strata__infer_composite(strata_composite_id_t id, int n_operands,
                                                          const strata_shape_t *operands, strata_shape_t *out);
// The common shape of two under NumPy's rule, of the type of |x|; an error if there is none.
STRATA_MUST_CHECK strata_status_t strata__common_shape(const strata_shape_t *x, const strata_shape_t *y,
                                                       strata_shape_t *out);

// The rules of ops and composites on rows in sequences, in segments.c and jagged.c. Of a composite |out| is what the
// result is said to be; where its rows or their greatest number follow from nothing else, that counts.
STRATA_MUST_CHECK strata_status_t strata__infer_segment(strata__record_t *record);
bool strata__composite_is_jagged(strata_composite_id_t id);
STRATA_MUST_CHECK strata_status_t strata__infer_jagged(strata_composite_id_t id, const strata_shape_t *operands,
                                                       strata_shape_t *out);
// The rule of trees, in trees.c.
STRATA_MUST_CHECK strata_status_t strata__infer_trees(strata__record_t *record);
STRATA_MUST_CHECK strata_status_t strata__infer_suppress(strata__record_t *record);
// The combiner an op names, which must be defined for |type|.
STRATA_MUST_CHECK strata_status_t strata__check_combiner(const strata__record_t *record, strata_type_t type);

// The rule of block_contract, in block.c.
STRATA_MUST_CHECK strata_status_t strata__infer_block(strata__record_t *record);
// The rule of contract, in contract.c.
STRATA_MUST_CHECK strata_status_t strata__infer_contract(strata__record_t *record);

// Adds |factor| times |expr|, a sum of dims with constant coefficients, to the coefficients and the constant; false if
// it is no such sum or overflows.
bool strata__split_linear(MlirAffineExpr expr, int64_t factor, int64_t *coefficients, int64_t *constant);
// The sizes of the dims of a contraction's iteration space; false if one is symbolic.
bool strata__contract_sizes(const strata__record_t *record, int64_t *out_sizes);

// Evaluates a record with static shapes; operands and results in storage format. Temporary memory comes from |arena|.
STRATA_MUST_CHECK strata_status_t strata__evaluate(strata_arena_t *arena, const strata__record_t *record,
                                                   const void *const *operands, void *const *results);

// The bytes of a constant, temporary memory from |arena|; see strata_constant_bytes.
bool strata__constant_bytes(strata_compile_t *compile, strata_arena_t *arena, MlirValue value, const void **out_data,
                            bool *out_is_splat);
// A dense attribute of |count| elements of storage format at |data|; one element (a splat) if |is_splat|.
MlirAttribute strata__dense_attr(strata_arena_t *arena, MlirType tensor, strata_type_t type, int64_t count,
                                 const void *data, bool is_splat);

//===-- Text -----------------------------------------------------------------------------------------------------===//

// A shape as MLIR writes the type, for messages; in |text| of |size| bytes.
const char *strata__shape_text(const strata_shape_t *shape, char *text, size_t size);
const char *strata__type_name(strata_type_t type);
// An INVALID_ARGUMENT error.
STRATA_MUST_CHECK strata_status_t strata__invalid(const char *format, ...) STRATA_PRINTF(1, 2);
// Prefixes an error with the op it is about: "node: strata.add: ...".
STRATA_MUST_CHECK strata_status_t strata__at(strata_status_t status, MlirLocation location, const char *name);

// Errors name an attribute of attributes.def that is of another kind than its row says.
STRATA_MUST_CHECK strata_status_t strata__check_attributes(MlirOperation op);

#endif
