"""Numbers to test with: the edges of a type and random ones of every size."""
import numpy as np

import formats

# Where functions have poles, zeros, ties, steps or the ends of their domains.
POINTS = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5, 0.1, 1 / 3, 0.7, 0.875, 10.0, 100.0, np.pi / 4, np.pi / 2, np.pi,
          2 * np.pi, np.e, np.log(2), 0.25, 0.75, 9.0, 17.5, 20.0, 88.0, 88.8, 89.0, 104.0, 127.0, 127.5, 128.0, 149.0,
          150.0, 255.0, 255.5, 256.0, 709.0, 710.0, 745.0, 1023.0, 1024.0, 12867.0, 32767.5, 32768.0, 65504.0, 65520.0,
          65535.0, 1e5, 2.0**23 - 0.5, 2.0**23 + 1, 2.0**24 - 1, 2.0**31, 2.0**32, 2.0**52 - 0.5, 2.0**53 - 1, 2.0**63,
          2.0**64, 1e22, 1e-3, 1e-7, 1e-10, 1e-30]


def float_edges(name):
    least = formats.REAL(2) ** (formats.least_exponent(name) - formats.FLOATS[name].mantissa_bits)
    normal = formats.REAL(2) ** formats.least_exponent(name)
    epsilon = formats.REAL(2) ** -formats.FLOATS[name].mantissa_bits
    most = formats.largest(name)
    sizes = [least, 2 * least, 3 * least, normal - least, normal, normal + least, most, most * (1 - epsilon), most / 2,
             1 - epsilon / 2, 1 + epsilon, 2 - epsilon, 1 / most, np.sqrt(most), np.sqrt(normal)]
    numbers = formats.round_to(name, np.array(sizes + POINTS, formats.REAL))
    special = np.array([np.inf, np.nan]).astype(numbers.dtype)
    return formats.float_from_bits(name, np.unique(formats.float_bits(name, np.concatenate(
        [numbers, -numbers, special, -special]))))


def integer_edges(name):
    low, high = formats.bounds(name)
    numbers = {0, 1, -1, 2, -2, 3, 5, 7, -7, 10, 100, -100, low, low + 1, high, high - 1, low // 2, high // 2}
    numbers |= {1 << k for k in (3, 4, 7, 8, 15, 16, 23, 24, 25, 31, 32, 53, 62)}
    numbers |= {n + 1 for n in numbers} | {formats.width(name), formats.width(name) - 1}
    # Halfway between two f16, bf16 and f32 numbers, and just beside.
    numbers |= {2**k + 2 ** (k - p) + d for k in (12, 30, 40, 62) for p in (8, 11, 24) for d in (-1, 0, 1) if k > p}
    return np.array(sorted(n for n in numbers if low <= n <= high), formats.carrier(name))


def edges(name):
    if formats.is_float(name):
        return float_edges(name)
    return integer_edges(name) if formats.is_integer(name) else np.array([False, True])


def patterns(name, rng, count):
    """Random bits: every exponent, some NaN."""
    if name == "i1":
        return rng.integers(0, 2, count).astype(bool)
    if formats.is_float(name):
        f = formats.FLOATS[name]
        return formats.float_from_bits(name, rng.integers(0, 1 << formats.width(name), count, dtype=np.uint64)
                                       .astype(f.bits))
    low, high = formats.bounds(name)
    return rng.integers(low, high, count, endpoint=True, dtype=np.int64).astype(formats.carrier(name))


def every(name):
    """All numbers of a small type."""
    if name == "i1":
        return np.array([False, True])
    everything = np.arange(1 << formats.width(name))
    if formats.is_float(name):
        return formats.float_from_bits(name, everything.astype(formats.FLOATS[name].bits))
    return formats.wrap(name, everything)


def ordinary(name, rng, shape, scale=1.0):
    """Numbers about |scale|, as in a model; of integers any."""
    shape = tuple(shape)
    if formats.is_float(name):
        return formats.round_to(name, rng.standard_normal(shape) * scale)
    return patterns(name, rng, int(np.prod(shape))).reshape(shape)


def sample(name, rng, count):
    """Edges and numbers of every size, in random order."""
    if not formats.is_float(name):
        mixed = np.concatenate([edges(name), patterns(name, rng, count)])
    else:
        ranges = [rng.uniform(-1, 1, count), rng.uniform(-10, 10, count), rng.uniform(-120, 120, count),
                  1 + rng.uniform(-1, 1, count) * 10.0 ** rng.uniform(-6, 0, count),
                  10.0 ** rng.uniform(-12, 12, count) * rng.choice([-1, 1], count)]
        rounded = formats.round_to(name, np.concatenate(ranges))
        mixed = np.concatenate([edges(name), patterns(name, rng, count), rounded])
    return rng.permutation(mixed)


def pairs(name, rng, count):
    """All pairs of edges, pairs of like size (whose differences and quotients are ordinary), equal pairs, any."""
    e = edges(name)
    x, y = (z.ravel() for z in np.meshgrid(e, e))
    a, b = sample(name, rng, count), sample(name, rng, count)
    if formats.is_float(name):
        near = formats.round_to(name, a.astype(formats.REAL) * rng.uniform(0.5, 2, a.size))
    else:
        near = formats.wrap(name, a.astype(np.int64) + rng.integers(-2, 3, a.size)) if name != "i1" else ~a
    return np.concatenate([x, a, a, a]), np.concatenate([y, b, near, a])
