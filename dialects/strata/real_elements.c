// See real_elements.h.
#include "dialects/strata/real_elements.h"

#include "dialects/strata/counted.h"

static const strata_dim_value_t unknown = {{0}, 1};

static bool is_known(strata_dim_value_t e) { return !mlirAffineExprIsNull(e.dim); }

static strata_dim_t zero(const strata__reals_t *r) { return strata_dim_constant(r->context, 0); }

static strata_dim_t derive(const strata__reals_t *r, strata_real_op_t op, strata_dim_t a, strata_dim_t b) {
  return strata_symbols_derive(r->arena, r->symbols, (strata_symbol_op_t)(STRATA_SYMBOL_REAL + op), a, b);
}

static strata_dim_value_t rounded(const strata__reals_t *r, strata_type_t type, strata_dim_t bits) {
  if (type == STRATA_TYPE_F32)
    bits = derive(r, STRATA_REAL_SINGLE, bits, zero(r));
  return (strata_dim_value_t){bits, STRATA__REAL};
}

strata_dim_value_t strata__real_number(const strata__reals_t *r, double value) {
  int64_t bits;
  return strata_real_bits(value, &bits) ? (strata_dim_value_t){strata_dim_constant(r->context, bits), STRATA__REAL}
                                        : unknown;
}

strata_dim_value_t strata__as_real(const strata__reals_t *r, strata_type_t type, strata_dim_value_t e) {
  if (strata__is_real(e))
    return e;
  bool is_ours = type == STRATA_TYPE_F32 || type == STRATA_TYPE_F64;
  if (!is_ours || strata_dim_is_counted(r->symbols, e.dim) || strata_dim_range(e.dim, r->symbols).min < 0)
    return unknown;
  strata_dim_value_t whole = rounded(r, type, derive(r, STRATA_REAL_OF, e.dim, zero(r)));
  return e.divisor == 1
             ? whole
             : rounded(r, type, derive(r, STRATA_REAL_DIV, whole.dim, strata__real_number(r, (double)e.divisor).dim));
}

strata_dim_value_t strata__real_binary(const strata__reals_t *r, strata_op_id_t op, strata_type_t type,
                                       strata_dim_value_t a, strata_dim_value_t b) {
  a = strata__as_real(r, type, a);
  b = strata__as_real(r, type, b);
  if (!is_known(a) || !is_known(b))
    return unknown;
  switch (op) {
  case STRATA_OP_ADD:
    return rounded(r, type, derive(r, STRATA_REAL_ADD, a.dim, b.dim));
  case STRATA_OP_SUB:
    return strata_dim_range(a.dim, r->symbols).min < strata_dim_range(b.dim, r->symbols).max
               ? unknown
               : rounded(r, type, derive(r, STRATA_REAL_SUB, a.dim, b.dim));
  case STRATA_OP_MUL:
    return rounded(r, type, derive(r, STRATA_REAL_MUL, a.dim, b.dim));
  case STRATA_OP_DIV:
  case STRATA_OP_DIV_EXACT:
    return strata_dim_range(b.dim, r->symbols).min < 1 // the bits of 0 are 0
               ? unknown
               : rounded(r, type, derive(r, STRATA_REAL_DIV, a.dim, b.dim));
  case STRATA_OP_MIN:
  case STRATA_OP_MAX: // bits are in the order of the numbers
    return (strata_dim_value_t){strata_symbols_derive(r->arena, r->symbols,
                                                      op == STRATA_OP_MIN ? STRATA_SYMBOL_MIN : STRATA_SYMBOL_MAX,
                                                      a.dim, b.dim),
                                STRATA__REAL};
  default:
    return unknown;
  }
}

strata_dim_value_t strata__real_unary(const strata__reals_t *r, strata_op_id_t op, strata_type_t to,
                                      strata_dim_value_t e) {
  strata_real_op_t rounding = op == STRATA_OP_CEIL         ? STRATA_REAL_CEIL
                              : op == STRATA_OP_ROUND_EVEN ? STRATA_REAL_RINT
                                                           : STRATA_REAL_FLOOR;
  switch (op) {
  case STRATA_OP_ABS:
    return e;
  case STRATA_OP_CONVERT:
    if (to == STRATA_TYPE_F32 || to == STRATA_TYPE_F64)
      return rounded(r, to, e.dim);
    if (to == STRATA_TYPE_I1 || strata_type_info[to].kind == STRATA_TYPE_KIND_FLOAT)
      return unknown;
    // fallthrough
  case STRATA_OP_FLOOR:
  case STRATA_OP_CEIL:
  case STRATA_OP_TRUNC:
  case STRATA_OP_ROUND_EVEN:
    return (strata_dim_value_t){derive(r, rounding, e.dim, zero(r)), 1};
  default:
    return unknown;
  }
}
