"""Element types as NumPy arrays: their numbers, the bytes a library sees, the distance between neighbours.

A tensor is an array of its numbers in a NumPy type that holds them all: of f64, f32, f16 and integers that type itself,
of bf16 and the 8-bit floats f32, of i4 i8. Exact results and error bounds are in REAL, 64 bits of mantissa on x86.
"""
import collections

import numpy as np

import tables

REAL = np.longdouble
np.seterr(all="ignore")  # infinities and NaN are what is tested

# |is_fnuz|: one zero, a NaN in the place of -0, a bias that is one more.
Float = collections.namedtuple("Float", "exponent_bits mantissa_bits has_infinity carrier bits is_fnuz", defaults=[False])
FLOATS = {
    "f64": Float(11, 52, True, np.float64, np.uint64),
    "f32": Float(8, 23, True, np.float32, np.uint32),
    "f16": Float(5, 10, True, np.float16, np.uint16),
    "bf16": Float(8, 7, True, np.float32, np.uint16),
    "f8E4M3FN": Float(4, 3, False, np.float32, np.uint8),
    "f8E5M2": Float(5, 2, True, np.float32, np.uint8),
    "f8E4M3FNUZ": Float(4, 3, False, np.float32, np.uint8, True),
    "f8E5M2FNUZ": Float(5, 2, False, np.float32, np.uint8, True),
}
INTEGERS = {"i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def is_float(name):
    return tables.TYPES[name].kind == "FLOAT"


def is_integer(name):
    return tables.TYPES[name].kind == "INTEGER"


def carrier(name):
    return FLOATS[name].carrier if is_float(name) else INTEGERS.get(name, np.bool_)


def width(name):
    """The bits of a number; one of booleans."""
    return tables.TYPES[name].bits if name != "i1" else 1


# -- floats -----------------------------------------------------------------------------------------------------------

def bias(name):
    return (1 << (FLOATS[name].exponent_bits - 1)) - (0 if FLOATS[name].is_fnuz else 1)


def precision(name):
    return FLOATS[name].mantissa_bits + 1


def least_exponent(name):
    """2 to this is the least normal number."""
    return 1 - bias(name)


def largest(name):
    """The greatest finite number. Without infinities only the last of the patterns is a NaN, or that of -0."""
    f = FLOATS[name]
    if f.is_fnuz:
        return np.ldexp(REAL(2) - np.ldexp(REAL(1), -f.mantissa_bits), bias(name) - 1)
    if not f.has_infinity:
        return np.ldexp(REAL(2) - REAL(2) * np.ldexp(REAL(1), -f.mantissa_bits), bias(name) + 1)
    return np.ldexp(REAL(2) - np.ldexp(REAL(1), -f.mantissa_bits), bias(name))


def spacing(name, x):
    """One unit in the last place of numbers of x's size: what separates neighbours in its binade."""
    x = np.where(np.isfinite(x), np.abs(np.asarray(x, REAL)), largest(name))
    exponent = np.frexp(np.minimum(x, largest(name)))[1] - 1
    exponent = np.where(x == 0, least_exponent(name), np.maximum(exponent, least_exponent(name)))
    return np.ldexp(REAL(1), exponent - FLOATS[name].mantissa_bits)


def overflowing(name):
    """The magnitude that stands for infinity in error measurements: the number that would follow the greatest."""
    return largest(name) + spacing(name, largest(name))


def round_to(name, x):
    """The numbers of the type nearest to |x|, ties to even; too great ones overflow to infinity or NaN."""
    x = np.asarray(x, REAL)
    unit = spacing(name, x)
    rounded = np.copysign(np.rint(np.abs(x) / unit) * unit, x)
    overflow = REAL(np.inf if FLOATS[name].has_infinity else np.nan)
    rounded = np.where(np.abs(rounded) > largest(name), np.copysign(overflow, x), rounded)
    if FLOATS[name].is_fnuz:
        rounded = rounded + REAL(0)  # no -0
    return np.where(np.isnan(x), REAL(np.nan), rounded).astype(carrier(name))


def float_bits(name, x):
    f = FLOATS[name]
    if name in ("f64", "f32", "f16"):
        return np.ascontiguousarray(x, f.carrier).view(f.bits)
    magnitude = np.abs(np.asarray(x, np.float64))
    top = ((1 << f.exponent_bits) - 1) << f.mantissa_bits
    finite = np.where(np.isfinite(magnitude), magnitude, 0)
    unit = spacing(name, finite).astype(np.float64)
    exponent = np.frexp(unit)[1].astype(np.int64) - 1 + f.mantissa_bits - least_exponent(name)
    # A normal number has 2^mantissa_bits units more than its fraction, which count as one in the exponent.
    patterns = (finite / unit).astype(np.int64) + (exponent << f.mantissa_bits)
    patterns = np.where(np.isinf(magnitude), top, patterns)
    nan = top + (1 << f.mantissa_bits >> 1) if f.has_infinity else (1 << width(name) - 1) - 1
    patterns = np.where(np.isnan(magnitude), nan, patterns)
    if f.is_fnuz:
        signed = np.where(patterns, patterns | np.signbit(x).astype(np.int64) << 7, 0)
        return np.where(np.isnan(magnitude), 0x80, signed).astype(f.bits)
    return (patterns | np.signbit(x).astype(np.int64) << (width(name) - 1)).astype(f.bits)


def float_from_bits(name, patterns):
    f = FLOATS[name]
    if name in ("f64", "f32", "f16"):
        return np.ascontiguousarray(patterns, f.bits).view(f.carrier)
    patterns = patterns.astype(np.int64)
    fraction = patterns & ((1 << f.mantissa_bits) - 1)
    exponent = patterns >> f.mantissa_bits & ((1 << f.exponent_bits) - 1)
    units = np.where(exponent > 0, fraction + (1 << f.mantissa_bits), fraction)
    value = np.ldexp(units.astype(np.float64), np.maximum(exponent, 1) - bias(name) - f.mantissa_bits)
    top = exponent == (1 << f.exponent_bits) - 1
    if f.is_fnuz:
        value = np.where(patterns == 0x80, np.nan, value)
    elif f.has_infinity:
        value = np.where(top, np.where(fraction == 0, np.inf, np.nan), value)
    else:
        value = np.where(top & (fraction == (1 << f.mantissa_bits) - 1), np.nan, value)
    return np.where(patterns >> (width(name) - 1) & 1, -value, value).astype(f.carrier)


# -- integers ---------------------------------------------------------------------------------------------------------

def bounds(name, unsigned=False):
    bits = width(name)
    return (0, (1 << bits) - 1) if unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)


def wrap(name, x):
    """Integers of any size (or an array of objects) reduced to the type."""
    x = np.asarray(x)
    low = bounds(name)[0]
    if x.dtype == object:
        return np.asarray((x - low) % (1 << width(name)) + low, np.int64).astype(carrier(name))
    if name == "i4":
        return (((x.astype(np.int64) + 8) & 15) - 8).astype(np.int8)
    return x.astype(carrier(name))


def unsigned(name, x):
    """The numbers of the same bits read as unsigned."""
    if name == "i4":
        return (x & 15).astype(np.uint8)
    return x.view(np.dtype(carrier(name)).str.replace("i", "u"))


# -- memory -----------------------------------------------------------------------------------------------------------

def storage_size(name, count):
    return (count + 1) // 2 if name == "i4" else count * tables.TYPES[name].bits // 8


def encode(name, x):
    """The bytes of a tensor in memory."""
    if is_float(name):
        return float_bits(name, x).tobytes()
    if name != "i4":
        return np.ascontiguousarray(x, carrier(name)).tobytes()
    flat = np.append(np.ravel(x), np.zeros(np.size(x) % 2, np.int8)) & 15
    return (flat[0::2] | flat[1::2] << 4).astype(np.uint8).tobytes()


def decode(name, data, shape):
    """The tensor in memory; the padding nibble of an odd number of i4 is not looked at."""
    data = np.frombuffer(data, np.uint8)
    if is_float(name):
        return float_from_bits(name, data.view(FLOATS[name].bits)).reshape(shape)
    if name != "i4":
        return data.view(carrier(name)).reshape(shape)
    nibbles = np.stack([data & 15, data >> 4], -1).ravel()[: int(np.prod(shape))]
    return wrap("i4", nibbles).reshape(shape)
