"""What each elementwise op and combiner means, written from the text of ops.def alone: NumPy in longdouble for
functions, in the type of the arithmetic for what is exact, Python's integers for the rest.

FLOAT1, FLOAT2: exact ones take and give numbers of the type that the arithmetic runs in. REAL1, REAL2 are rounded only
by whoever compares. INT1, INT2 take Python integers, or arrays of them, and the width; results wrap.
"""
import numpy as np

import formats
import tables

REAL = formats.REAL


# -- functions --------------------------------------------------------------------------------------------------------

def _erf_series(x):
    """For |x| <= 3: 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (2n+1)!!, whose terms are of one sign."""
    term, total = x, x
    for n in range(1, 80):
        term = term * (2 * x * x) / (2 * n + 1)
        total = total + term
    return total * np.exp(-x * x) * 2 / np.sqrt(REAL(np.pi) + REAL("1.2246467991473531772e-16"))


def _erfc_fraction(x):
    """For x >= 3, by the continued fraction of the complement."""
    tail = x
    for n in range(120, 0, -1):
        tail = x + REAL(n) / 2 / tail
    return np.exp(-x * x) / tail / np.sqrt(REAL(np.pi) + REAL("1.2246467991473531772e-16"))


def erf(x):
    near = _erf_series(np.clip(x, -3, 3))
    far = np.copysign(1 - _erfc_fraction(np.clip(np.abs(x), 3, 100)), x)
    return np.where(np.isnan(x), x, np.where(np.abs(x) <= 3, near, far))


def _pow(x, y):
    """As C's pow (Annex F), whose sign and NaN are made here: powl of glibc is not always right about them."""
    is_odd, is_integer = np.fmod(np.abs(y), 2) == 1, np.trunc(y) == y
    result = np.power(np.abs(x), y)
    result = np.where(np.signbit(x) & is_odd, -result, result)
    result = np.where((x < 0) & np.isfinite(x) & np.isfinite(y) & ~is_integer, REAL(np.nan), result)
    result = np.where(np.isnan(x) | np.isnan(y), REAL(np.nan), result)
    return np.where((x == 1) | (y == 0), REAL(1), result)


REAL1 = {
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1,
    "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "erf": erf,
}
REAL2 = {"div": np.divide, "pow": _pow, "atan2": np.arctan2}


# -- exact ones -------------------------------------------------------------------------------------------------------

def _extreme(x, y, first):
    """NaN if either is; of equals the one |first| names, which matters for zeros."""
    chosen = np.where(first, x, y)
    return np.where(np.isnan(x) | np.isnan(y), np.array(np.nan, x.dtype), chosen)


def _min(x, y):
    return _extreme(x, y, (x < y) | ((x == y) & np.signbit(x)))


def _max(x, y):
    return _extreme(x, y, (x > y) | ((x == y) & np.signbit(y)))


FLOAT1 = {"neg": np.negative, "abs": np.fabs, "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc,
          "round_even": np.rint, "is_nan": np.isnan, "is_inf": np.isinf}
FLOAT2 = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div_exact": np.divide, "rem": np.fmod, "min": _min, "max": _max,
          "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
          "ge": np.greater_equal}


# -- integers ---------------------------------------------------------------------------------------------------------

def _quotient(x, y):
    """Rounded towards zero; by zero it is 0."""
    if y == 0:
        return 0
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _power(x, y, bits):
    """To a negative power, the integer part of the quotient; 0 for zero."""
    if y >= 0:
        return pow(x % (1 << bits), y, 1 << bits)
    return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)


def _u(x, bits):
    return x % (1 << bits)


INT1 = {"neg": lambda x, bits: -x, "abs": lambda x, bits: abs(x), "not": lambda x, bits: ~x}
INT2 = {
    "add": lambda x, y, bits: x + y,
    "sub": lambda x, y, bits: x - y,
    "mul": lambda x, y, bits: x * y,
    "div": lambda x, y, bits: _quotient(x, y),
    "div_u": lambda x, y, bits: _quotient(_u(x, bits), _u(y, bits)),
    "rem": lambda x, y, bits: x - _quotient(x, y) * y if y else 0,
    "rem_u": lambda x, y, bits: _u(x, bits) % _u(y, bits) if _u(y, bits) else 0,
    "pow": _power,
    "min": lambda x, y, bits: min(x, y),
    "max": lambda x, y, bits: max(x, y),
    "min_u": lambda x, y, bits: min(_u(x, bits), _u(y, bits)),
    "max_u": lambda x, y, bits: max(_u(x, bits), _u(y, bits)),
    "and": lambda x, y, bits: x & y,
    "or": lambda x, y, bits: x | y,
    "xor": lambda x, y, bits: x ^ y,
    "shl": lambda x, y, bits: x << _u(y, bits) if _u(y, bits) < bits else 0,
    "shr": lambda x, y, bits: x >> min(_u(y, bits), bits),
    "shr_u": lambda x, y, bits: _u(x, bits) >> _u(y, bits) if _u(y, bits) < bits else 0,
    "eq": lambda x, y, bits: x == y,
    "ne": lambda x, y, bits: x != y,
    "lt": lambda x, y, bits: x < y,
    "le": lambda x, y, bits: x <= y,
    "gt": lambda x, y, bits: x > y,
    "ge": lambda x, y, bits: x >= y,
    "lt_u": lambda x, y, bits: _u(x, bits) < _u(y, bits),
    "le_u": lambda x, y, bits: _u(x, bits) <= _u(y, bits),
    "gt_u": lambda x, y, bits: _u(x, bits) > _u(y, bits),
    "ge_u": lambda x, y, bits: _u(x, bits) >= _u(y, bits),
}


def integer_op(name, type_name, *operands):
    """An op on arrays of integers or booleans; a comparison gives booleans."""
    table = INT1 if len(operands) == 1 else INT2
    bits = formats.width(type_name)
    columns = [x.ravel().tolist() for x in operands]
    if type_name == "i1":
        columns = [[int(v) for v in column] for column in columns]
    values = [table[name](*numbers, bits) for numbers in zip(*columns)]
    if tables.OPS[name].rule == "BOOL" or type_name == "i1":
        result = np.array([bool(v & 1) for v in values], bool)
    else:
        result = formats.wrap(type_name, np.array(values, object))
    return result.reshape(operands[0].shape)


# -- conversions ------------------------------------------------------------------------------------------------------

def _saturated(x, low, high):
    """Numbers towards zero, NaN to 0."""
    inside = np.clip(np.where(np.isnan(x), 0, np.trunc(x)), REAL(low), REAL(high))
    return np.array([min(max(int(v), low), high) for v in inside.ravel()], object).reshape(x.shape)


def convert(op, source, target, x):
    """convert, convert_u (the source is unsigned) and convert_to_u (the result is)."""
    if target == "i1":
        return x != 0
    if formats.is_float(source):
        if formats.is_float(target):
            return formats.round_to(target, x.astype(REAL))
        return formats.wrap(target, _saturated(x.astype(REAL), *formats.bounds(target, op == "convert_to_u")))
    number = formats.unsigned(source, x) if op == "convert_u" else x
    if formats.is_float(target):
        return formats.round_to(target, number.astype(REAL))
    return formats.wrap(target, number.astype(object) if source != "i1" else number.astype(int).astype(object))


def bitcast(source, target, x):
    return formats.decode(target, formats.encode(source, x), x.shape)


# -- combiners --------------------------------------------------------------------------------------------------------

def neutral(combiner, type_name):
    """What a combiner leaves as it is: the value of an empty reduction."""
    if formats.is_float(type_name):
        return {"add": 0.0, "mul": 1.0, "max": -np.inf, "min": np.inf}[combiner]
    low, high = formats.bounds(type_name)
    ones = -1 if type_name != "i1" else 1
    return {"add": 0, "mul": 1, "max": low, "min": high, "max_u": 0, "min_u": ones, "and": ones, "or": 0,
            "xor": 0}[combiner]


def combine(combiner, type_name, x, y):
    """Of arrays; exact, but add and mul of floats, which are in REAL."""
    if formats.is_float(type_name):
        x, y = x.astype(REAL), y.astype(REAL)
        return {"add": np.add, "mul": np.multiply, "max": _max, "min": _min}[combiner](x, y)
    return integer_op(combiner, type_name, x, y)
