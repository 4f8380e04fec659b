// Small helpers over the MLIR C API that every folder uses. None of them owns anything.
#ifndef STRATA_DIALECTS_MLIR_UTIL_H
#define STRATA_DIALECTS_MLIR_UTIL_H

#include "runtime/base/arena.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/IR.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline MlirStringRef strata_str(const char *text) { return mlirStringRefCreate(text, strlen(text)); }
static inline bool strata_str_equal(MlirStringRef a, const char *b) {
  return a.length == strlen(b) && memcmp(a.data, b, a.length) == 0;
}
static inline bool strata_value_equal(MlirValue a, MlirValue b) { return mlirValueEqual(a, b); }

// The op's full name; a view that lives as long as the context.
static inline MlirStringRef strata_op_name(MlirOperation op) { return mlirIdentifierStr(mlirOperationGetName(op)); }
// Inline, for the length of a literal is known then: nothing is asked as often.
static inline bool strata_op_is(MlirOperation op, const char *name) {
  return strata_str_equal(strata_op_name(op), name);
}
// True if |op| converts a number to another type: of zero it makes zero.
bool strata_op_is_conversion(MlirOperation op);
// The op whose result |value| is; a null operation where it is a block's argument.
MlirOperation strata_def(MlirValue value);
// The same if the op is |name|; else null.
MlirOperation strata_def_named(MlirValue value, const char *name);

// Attributes by name; the null attribute, the default, or false where there is none.
MlirAttribute strata_attr(MlirOperation op, const char *name);
int64_t strata_attr_i64(MlirOperation op, const char *name, int64_t otherwise);
bool strata_attr_flag(MlirOperation op, const char *name);         // a true bool or a unit attribute
MlirStringRef strata_attr_str(MlirOperation op, const char *name); // empty where there is none
// True of a float or integer attribute whose value is zero.
bool strata_attr_is_zero(MlirAttribute attr);
// True of a constant that is zero, or zero in all elements, and of what it is broadcast to.
bool strata_value_is_zero(MlirValue value);
bool strata_value_is_constant(MlirValue value);           // the result of an arith.constant
bool strata_value_integer(MlirValue value, int64_t *out); // the number of such a one; false if it is none
bool strata_value_number(MlirValue value, double *out);   // the same of a float, of no vector
bool strata_value_is_number(MlirValue value, double number);
bool strata_value_has_one_use(MlirValue value);
MlirAttribute strata_zero_attr(MlirType element); // of a float or integer type
// A dense i64 array; returns its length or -1.
int strata_attr_i64s(MlirOperation op, const char *name, int capacity, int64_t *out);

void strata_set_attr(MlirOperation op, const char *name, MlirAttribute attr);
// An attribute of argument or result |index| of a function, as |ports| says, "arg_attrs" or "res_attrs"; null where
// there is none. Setting takes a new name, of a port that has attributes already.
MlirAttribute strata_port_attr(MlirOperation func, const char *ports, intptr_t index, const char *name);
void strata_set_port_attr(strata_arena_t *arena, MlirOperation func, const char *ports, intptr_t index,
                          const char *name, MlirAttribute attr);
void strata_copy_attr(MlirOperation from, MlirOperation to, const char *name); // if it is there
bool strata_op_attrs_equal(MlirOperation a, MlirOperation b);                  // all of them
MlirAttribute strata_i64_attr(MlirContext context, int64_t value);
MlirAttribute strata_i64s_attr(MlirContext context, int n, const int64_t *values);
MlirAttribute strata_str_attr(MlirContext context, const char *text);
MlirAttribute strata_bool_attr(MlirContext context, bool value);

// True of an integer of so many bits, of any sign.
bool strata_type_is_integer(MlirType type, unsigned bits);
// The element type of a vector, any other type itself.
MlirType strata_type_element(MlirType type);
// Of a float or an integer; an index has 64. In memory an integer takes whole bytes.
int64_t strata_element_bits(MlirType element);
int64_t strata_element_bytes(MlirType element);

// The dim that an expression is, -1 if it is none; whether it is zero.
int strata_expr_dim(MlirAffineExpr expr);
bool strata_expr_is_zero(MlirAffineExpr expr);

// Creates an op from its parts; attributes are given as (name, attribute) pairs.
typedef struct {
  const char *name;
  MlirAttribute attr;
} strata_named_attr_t;
MlirOperation strata_op_create(MlirLocation location, const char *name, int n_operands, const MlirValue *operands,
                               int n_results, const MlirType *results, int n_attrs, const strata_named_attr_t *attrs,
                               int n_regions, const MlirRegion *regions);

// A location as a person reads it, in |text| of |size| bytes, cut if longer: the node's name, "file:3:7", or nothing.
const char *strata_location_text(MlirLocation location, char *text, size_t size);

// The first func.func of the module with this symbol name; a null operation if there is none.
MlirOperation strata_find_func(MlirModule module, const char *name);
MlirOperation strata_find_symbol(MlirModule module, MlirStringRef name);
// The entry block of a func.func.
MlirBlock strata_func_body(MlirOperation func);
// The type of a function whose body is |block|: from its arguments to what its func.return gives.
MlirType strata_block_function_type(strata_arena_t *arena, MlirBlock block);
// Gives a func.func that has a body the type which follows from it.
void strata_update_function_type(strata_arena_t *arena, MlirOperation func);
bool strata_value_has_uses(MlirValue value);
// Destroys an op of one result that nobody uses, then what only it used, as far as |may| takes it (NULL: all of it).
// What has another number of results stays.
void strata_erase_unused(MlirOperation op, bool (*may)(MlirOperation op));

#endif
