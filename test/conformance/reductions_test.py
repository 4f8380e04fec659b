"""reduce, arg_reduce, scan, sort and window: every combiner on every type that it is defined for, along every axis.

A sum of n floats may err by what n - 1 roundings in any order can: (n - 1) / 2 units in the last place of the sum of
the magnitudes. A product by n - 1 of its own units: what a rounding takes from a part just above a power of two, half a
unit there, is one of a result just below."""
import itertools

import numpy as np

import formats
import reference
import suite
import tables
import values

REAL = formats.REAL
TYPES = [t for t in tables.TYPES if not tables.is_stored_only(t)]
# Shapes and axes of reductions; the axes of the other ops are any one dim.
REDUCTIONS = [((257,), (0,)), ((7, 65), (1,)), ((17, 100), (0,)), ((3, 17, 5), (1,)), ((3, 7, 65), (0, 2)),
              ((2, 3, 5, 17), (1, 3)), ((4, 5), ()), ((), ()), ((5, 1), (1,)), ((1,), (0,)), ((3, 0), (1,)),
              ((0, 3), (1,)), ((5, 7, 9), (0, 1, 2)), ((2, 1000), (1,)), ((1000, 3), (0,))]
LINES = [((257,), 0), ((7, 65), 1), ((17, 7), 0), ((3, 17, 5), 1), ((1,), 0), ((5, 1), 1), ((0, 3), 1),
         ((2, 3, 5, 7), 2)]
EMPTY_LINES = [((3, 0), 1)]  # an extreme element there is not
WINDOWS = [  # shape, window, strides, dilations, low, high
    ((17,), (3,), (1,), (1,), (0,), (0,)),
    ((2, 3, 9, 11), (1, 1, 3, 2), (1, 1, 2, 3), (1, 1, 1, 2), (0, 0, 1, 2), (0, 0, 1, 0)),
    ((1, 5, 8, 65), (1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1), (0, 0, 0, 0), (0, 0, 0, 1)),
    ((7, 100), (1, 5), (1, 1), (1, 1), (0, 2), (0, 2)),
    ((3, 4, 5), (1, 1, 1), (1, 2, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0)),
    ((4, 6), (2, 1), (1, 1), (3, 1), (3, 0), (3, 1)),
    ((), (), (), (), (), ()),
    ((2, 0, 3), (1, 1, 2), (1, 1, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0)),
]


def combiners(type_name):
    return [name for name in tables.COMBINERS if tables.combines(name, type_name)]


def is_rounded(combiner, type_name):
    return formats.is_float(type_name) and combiner in ("add", "mul")


def numbers_for(combiner, type_name, rng, shape):
    """Extremes are looked for among all numbers, with ties; sums and products stay in range. Here and there is one
    that is not finite."""
    count = int(np.prod(shape))
    if not is_rounded(combiner, type_name):
        pool = values.sample(type_name, rng, 300)
        x = rng.choice(pool, count)
        return np.where(np.isnan(x) & (rng.random(count) < 0.9), pool.dtype.type(1), x).reshape(shape) \
            if x.dtype.kind == "f" else x.reshape(shape)
    if combiner == "add":
        x = rng.standard_normal(count) + 0.25
    else:
        x = np.exp2(rng.uniform(-1, 1, count) / max(count, 1) ** 0.5) * rng.choice([-1, 1], count)
    x = formats.round_to(type_name, x)
    for special in (np.inf, -np.inf, np.nan):
        if count > 100:
            x[rng.integers(0, count)] = special
    return x.reshape(shape)


def folded(combiner, type_name, parts):
    """The combination of the rows of |parts| (one result each of the other dims), and of the magnitudes of the exact
    values for a sum."""
    total = np.full(parts.shape[1:], reference.neutral(combiner, type_name),
                    REAL if formats.is_float(type_name) else formats.carrier(type_name))
    for part in parts:
        total = reference.combine(combiner, type_name, total, part)
    return total


def rounded(module, op, combiner, type_name, total, magnitudes, roundings):
    """What a result of so many roundings must be; |magnitudes|() is the sum of the magnitudes."""
    size, ulps = (np.abs(total), roundings) if combiner == "mul" else (magnitudes(), roundings / 2)
    return suite.Within(type_name, total, max(module.allowed(tables.OPS[op].ulp), ulps), size, signed_zero=False)


def combination(module, op, combiner, type_name, parts):
    """What the combination of the first axis of |parts| must be."""
    total = folded(combiner, type_name, parts)
    if not is_rounded(combiner, type_name):
        if formats.is_float(type_name):
            total = formats.round_to(type_name, total)
        return suite.Exactly(total)
    magnitudes = lambda: folded("add", type_name, np.abs(parts))
    return rounded(module, op, combiner, type_name, total, magnitudes, len(parts) - 1)


# -- reduce -----------------------------------------------------------------------------------------------------------

def reduce_case(type_name, combiner, x, axes):
    kept = [d for d in range(x.ndim) if d not in axes]
    parts = np.transpose(x, list(axes) + kept).reshape([-1 if x.size else int(np.prod([x.shape[a] for a in axes]))]
                                                       + [x.shape[d] for d in kept])

    def case(module):
        value = module.op("reduce", [module.input(type_name, x)], type_name, parts.shape[1:], kind=combiner, axes=axes)
        module.output(value, combination(module, "reduce", combiner, type_name, parts), f"reduce {combiner}")
    return case


def reductions(type_name, rows=REDUCTIONS):
    return lambda rng: [reduce_case(type_name, c, numbers_for(c, type_name, rng, shape), axes)
                        for c in combiners(type_name) for shape, axes in rows]


# -- arg_reduce, sort -------------------------------------------------------------------------------------------------

def sort_keys(type_name, x, is_unsigned):
    """Python numbers in the order of the op: NaN is the greatest, zeros are equal."""
    if formats.is_float(type_name):
        return [(1, 0.0) if v != v else (0, v) for v in x.astype(np.float64).tolist()]
    return (formats.unsigned(type_name, x) if is_unsigned else x).tolist()


def lines_of(x, axis):
    """The lines along an axis, and how to put their results back."""
    moved = np.moveaxis(x, axis, -1)
    return moved.reshape(int(np.prod(moved.shape[:-1])), x.shape[axis]), moved.shape


def extreme_position(type_name, combiner, line, select_last):
    keys = sort_keys(type_name, line, combiner.endswith("_u"))
    if combiner.startswith("min"):  # NaN counts as extreme there, too
        keys = [(-1, 0.0) if isinstance(k, tuple) and k[0] else k for k in keys]
    extreme = (max if combiner.startswith("max") else min)(keys)
    return len(keys) - 1 - keys[::-1].index(extreme) if select_last else keys.index(extreme)


def arg_reduce_case(type_name, combiner, x, axis, select_last):
    def case(module):
        lines, shape = lines_of(x, axis)
        expected = np.array([extreme_position(type_name, combiner, line, select_last) for line in lines], np.int64)
        value = module.op("arg_reduce", [module.input(type_name, x)], "i64", shape[:-1], kind=combiner, axis=axis,
                          select_last=select_last)
        module.output(value, suite.Exactly(expected.reshape(shape[:-1])), f"arg_reduce {combiner}", type_name)
    return case


def tied(type_name, rng, shape):
    """Numbers of which many are equal."""
    pool = rng.choice(values.sample(type_name, rng, 100), max(1, int(np.prod(shape)) // 3))
    return rng.choice(pool, int(np.prod(shape))).reshape(shape)


def arg_reductions(type_name, rows=LINES):
    return lambda rng: [arg_reduce_case(type_name, c, tied(type_name, rng, shape), axis, select_last)
                        for c in combiners(type_name) if c[:3] in ("min", "max")
                        for (shape, axis), select_last in zip(rows * 2, itertools.cycle([False, True, True]))]


def sort_case(type_name, x, axis, descending, is_unsigned):
    def case(module):
        lines, shape = lines_of(x, axis)
        positions = np.zeros(lines.shape, np.int64)
        for i, line in enumerate(lines):
            keys = sort_keys(type_name, line, is_unsigned)
            # Stable in both directions: Python's reverse keeps equal elements in their order.
            positions[i] = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)
        positions = np.moveaxis(positions.reshape(shape), -1, axis)
        argument = module.input(type_name, x)
        sorted_values, found = module.op_with_results("sort", [argument], [(type_name, x.shape), ("i64", x.shape)],
                                                      axis=axis, descending=descending, unsigned=is_unsigned)
        module.output(sorted_values, suite.Exactly(np.take_along_axis(x, positions, axis)), "sort", type_name)
        module.output(found, suite.Exactly(positions), "sort", type_name)
    return case


def sorts(type_name, rows=LINES + EMPTY_LINES):
    directions = [(False, False), (True, False)]
    if formats.is_integer(type_name):
        directions += [(False, True), (True, True)]
    return lambda rng: [sort_case(type_name, tied(type_name, rng, shape), axis, *direction)
                        for (shape, axis), direction in zip(rows * 2, itertools.cycle(directions))]


# -- scan -------------------------------------------------------------------------------------------------------------

def running(combiner, type_name, x, exclusive, reverse):
    """Combinations of what is before each element of the first axis, itself included unless exclusive."""
    total = np.full(x.shape[1:], reference.neutral(combiner, type_name),
                    REAL if formats.is_float(type_name) else formats.carrier(type_name))
    out = []
    for part in x[::-1] if reverse else x:
        before, total = total, reference.combine(combiner, type_name, total, part)
        out.append(before if exclusive else total)
    out = np.array(out, total.dtype).reshape(x.shape)
    return out[::-1] if reverse else out


def scan_case(type_name, combiner, x, axis, exclusive, reverse):
    def case(module):
        first = np.moveaxis(x, axis, 0)
        total = np.moveaxis(running(combiner, type_name, first, exclusive, reverse), 0, axis)
        if is_rounded(combiner, type_name):
            def magnitudes():
                return np.moveaxis(running("add", type_name, np.abs(first), exclusive, reverse), 0, axis)
            check = rounded(module, "scan", combiner, type_name, total, magnitudes, x.shape[axis])
        else:
            check = suite.Exactly(formats.round_to(type_name, total) if formats.is_float(type_name) else total)
        value = module.op("scan", [module.input(type_name, x)], type_name, x.shape, kind=combiner, axis=axis,
                          exclusive=exclusive, reverse=reverse)
        module.output(value, check, f"scan {combiner}")
    return case


def scans(type_name, rows=LINES + EMPTY_LINES):
    directions = itertools.cycle(itertools.product([False, True], repeat=2))
    return lambda rng: [scan_case(type_name, c, numbers_for(c, type_name, rng, shape), axis, *direction)
                        for c in combiners(type_name)
                        for (shape, axis), direction in zip(rows * 2, directions)]


# -- window -----------------------------------------------------------------------------------------------------------

def window_parts(combiner, type_name, x, window, strides, dilations, low, high):
    """For each element of the window the array of what it meets."""
    outside = np.array(reference.neutral(combiner, type_name), x.dtype)
    padded = np.pad(x, list(zip(low, high)), constant_values=outside) if x.ndim else x
    sizes = [(padded.shape[d] - (window[d] - 1) * dilations[d] - 1) // strides[d] + 1 for d in range(x.ndim)]
    parts = []
    for offset in itertools.product(*map(range, window)):
        starts = [o * d for o, d in zip(offset, dilations)]
        parts.append(padded[tuple(slice(s, s + (n - 1) * step + 1 if n else s, step)
                                  for s, n, step in zip(starts, sizes, strides))])
    return np.array(parts)


def window_case(type_name, combiner, x, *geometry):
    def case(module):
        parts = window_parts(combiner, type_name, x, *geometry)
        attrs = dict(zip(("window", "strides", "dilations", "low", "high"), geometry))
        value = module.op("window", [module.input(type_name, x)], type_name, parts.shape[1:], kind=combiner, **attrs)
        module.output(value, combination(module, "window", combiner, type_name, parts), f"window {combiner}")
    return case


def windows(type_name, rows=WINDOWS):
    return lambda rng: [window_case(type_name, c, numbers_for(c, type_name, rng, shape), *geometry)
                        for c in combiners(type_name) for shape, *geometry in rows]


# -- all --------------------------------------------------------------------------------------------------------------

KINDS = {"REDUCE": reductions, "ARG_REDUCE": arg_reductions, "SORT": sorts, "SCAN": scans, "WINDOW": windows}
OPS = tables.ops_of_kind(*KINDS)


def jobs():
    for op in OPS:
        for t in TYPES:
            if tables.takes(op, t):
                yield suite.Job(f"{op.name} {t} strict", KINDS[op.kind](t), suite.STRICT)
                yield suite.Job(f"{op.name} {t} constant", KINDS[op.kind](t), suite.STRICT, constant_inputs=True)
                if formats.is_float(t) and op.kind != "SORT":
                    yield suite.Job(f"{op.name} {t} fast", KINDS[op.kind](t), suite.FAST)


if __name__ == "__main__":
    suite.main(jobs())
