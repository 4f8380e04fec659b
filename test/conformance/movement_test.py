"""Movement, gather, scatter and generate: every type, small ones included, moves bit for bit."""
import itertools

import numpy as np

import formats
import reference
import suite
import tables
import values

INDEX_TYPES = [t for t in tables.TYPES if formats.is_integer(t) and not tables.is_stored_only(t)]

TRANSPOSES = [((), ()), ((7,), (0,)), ((17, 65), (1, 0)), ((3, 5, 7), (2, 0, 1)), ((2, 3, 4, 5), (0, 2, 1, 3)),
              ((2, 9, 1, 7), (3, 1, 2, 0)), ((0, 3), (1, 0)), ((100, 3), (1, 0))]
RESHAPES = [((), (1, 1)), ((257,), (257, 1)), ((6, 35), (14, 15)), ((2, 3, 5), (30,)), ((4, 0), (0, 7)), ((1,), ())]
SLICES = [  # shape, starts, steps, sizes
    ((17,), (16,), (-1,), (17,)), ((100,), (3,), (7,), (14,)), ((9, 65), (1, 64), (2, -3), (4, 22)), ((), (), (), ()),
    ((3, 5, 7), (0, 2, 1), (1, 1, 1), (3, 3, 6)), ((5, 7), (2, 0), (1, 1), (0, 7)), ((4,), (2,), (1,), (1,))]
PADS = [  # shape, low, high
    ((7,), (2,), (3,)), ((5, 9), (0, 1), (1, 0)), ((), (), ()), ((2, 3, 17), (1, 0, 2), (0, 0, 5)),
    ((0, 3), (2, 0), (1, 0)), ((1, 65), (0, 0), (0, 0))]
CONCATS = [((7,), (10,), 0), ((3, 17), (3, 65), 1), ((2, 5, 3), (1, 5, 3), 0), ((4, 1, 9), (4, 6, 9), 1),
           ((0,), (5,), 0)]
BROADCASTS = [  # shape, result, the result dim of each dim or None
    ((), (3, 5), ()), ((17,), (7, 17), (1,)), ((17,), (17, 9), (0,)), ((1, 5), (4, 5), (None, 1)),
    ((3, 1, 7), (3, 6, 7), (0, None, 2)), ((5, 4), (4, 2, 5), (2, 0)), ((1,), (0, 3), (None,))]
GATHERS = [  # data, indices, axis, batch dims
    ((7, 9), (4,), 0, 0), ((7, 9), (3, 2), 1, 0), ((3, 5, 65), (), 1, 0), ((2, 6, 5), (2, 7), 1, 1),
    ((2, 3, 11, 4), (2, 3, 5), 2, 2), ((100,), (257,), 0, 0), ((4, 5), (0,), 0, 0), ((17, 1), (17, 3), 1, 1)]
IOTAS = [((17,), 0), ((3, 65), 1), ((100, 2), 0), ((0,), 0), ((2, 3, 5), 1)]
SCATTERS = [  # rows, indices, the rest of a row
    ((7,), 9, ()), ((17,), 1, (5,)), ((100,), 257, (3,)), ((5,), 0, (4,)), ((9,), 6, (2, 65))]


def moved(op, type_name, result, arguments, **attrs):
    """A case: the op must give exactly |result|."""
    def case(module):
        value = module.op(op, [module.input(*argument) for argument in arguments], type_name, result.shape, **attrs)
        module.output(value, suite.Exactly(result), op, type_name)
    return case


def take(name, rng, shape):
    return values.sample(name, rng, 1000)[np.arange(int(np.prod(shape))) % 900].reshape(shape)


def transposes(t, rng, rows=TRANSPOSES):
    for shape, permutation in rows:
        x = take(t, rng, shape)
        yield moved("transpose", t, np.transpose(x, permutation), [(t, x)], permutation=permutation)


def reshapes(t, rng, rows=RESHAPES):
    for shape, result in rows:
        x = take(t, rng, shape)
        yield moved("reshape", t, x.reshape(result), [(t, x)])


def slices(t, rng, rows=SLICES):
    for shape, starts, steps, sizes in rows:
        x = take(t, rng, shape)
        at = np.ix_(*[start + step * np.arange(size) for start, step, size in zip(starts, steps, sizes)])
        yield moved("slice", t, np.asarray(x[at]), [(t, x)], starts=starts, steps=steps)


def number_attribute(t, number):
    """A number as an attribute, bit for bit."""
    if formats.is_float(t):
        bits = int.from_bytes(formats.encode(t, np.array(number)), "little")
        return f"0x{bits:0{formats.width(t) // 4}X} : {t}"
    return str(bool(number)).lower() if t == "i1" else f"{number} : {t}"


def pads(t, rng, rows=PADS):
    for (shape, low, high), number in zip(rows, itertools.cycle(rng.permutation(values.edges(t)))):
        x = take(t, rng, shape)
        result = np.pad(x, list(zip(low, high)), constant_values=number) if shape else x
        yield moved("pad", t, result, [(t, x)], low=low, high=high, value=number_attribute(t, number))


def concats(t, rng, rows=CONCATS, computed=(((5, 9), (5, 7)),)):
    for a, b, axis in rows:
        x, y = take(t, rng, a), take(t, rng, b)
        yield moved("concat", t, np.concatenate([x, y], axis), [(t, x), (t, y)], axis=axis)
    for a, b in computed:
        yield concat_of_computed(t, take(t, rng, a), take(t, rng, b))


def concat_of_computed(t, x, y):
    """Operands that are results and have other readers."""
    def case(module):
        first = module.op("transpose", [module.input(t, x.T.copy())], t, x.shape, permutation=(1, 0))
        first = module.op("select", [module.input("i1", np.ones(x.shape, bool)), first, first], t, x.shape)
        shape = (x.shape[0], x.shape[1] + y.shape[1])
        joined = module.op("concat", [first, module.input(t, y)], t, shape, axis=1)
        twice = module.op("concat", [joined, first], t, (shape[0], shape[1] + x.shape[1]), axis=1)
        for value, result in ((first, x), (joined, np.hstack([x, y])), (twice, np.hstack([x, y, x]))):
            module.output(value, suite.Exactly(result), "concat")
    return case


def broadcasts(t, rng, rows=BROADCASTS):
    for shape, result, dims in rows:
        x = take(t, rng, shape)
        names = [f"d{i}" for i in range(len(result))]
        text = f"({', '.join(names)}) -> ({', '.join('0' if d is None else names[d] for d in dims)})"
        points = np.indices(result)
        at = tuple(np.zeros(result, int) if d is None else points[d] for d in dims)
        yield moved("broadcast", t, np.asarray(x[at]) if shape else np.full(result, x), [(t, x)], map=text)


def indices(rng, shape, size, index_type):
    """Mostly inside."""
    low, high = formats.bounds(index_type)
    far = [low, high, -1, size, -size]
    x = np.where(rng.random(shape) < 0.8, rng.integers(0, size, shape), rng.choice(far, shape))
    return np.clip(x, low, high).astype(formats.carrier(index_type))


def gathers(t, rng, rows=GATHERS):
    for (shape, index_shape, axis, batch), index_type in zip(rows, itertools.cycle(INDEX_TYPES)):
        x = take(t, rng, shape)
        at = indices(rng, index_shape, shape[axis], index_type)
        clamped = np.clip(at.astype(np.int64), 0, shape[axis] - 1)
        result = np.zeros(shape[:axis] + index_shape[batch:] + shape[axis + 1:], x.dtype)
        for b in np.ndindex(shape[:batch]):
            result[b] = np.take(x[b], clamped[b], axis - batch)
        yield moved("gather", t, result, [(t, x), (index_type, at)], axis=axis, batch_dims=batch)


def scatter_case(t, kind, x, at, index_type, updates):
    def case(module):
        rounds = formats.is_float(t) and kind in ("add", "mul")
        result = x.astype(formats.REAL) if rounds else x.copy()
        count = np.zeros(x.shape)
        for i, update in zip(at.tolist(), updates):
            if 0 <= i < len(x):
                result[i] = update if kind in ("none", "distinct") else reference.combine(kind, t, result[i], update)
                count[i] += 1
        arguments = [module.input(t, x), module.input(index_type, at), module.input(t, updates)]
        value = module.op("scatter", arguments, t, x.shape, kind=kind)
        check = suite.Exactly(result)
        if rounds:  # each of the updates that meet in an element is rounded to the type
            size = np.abs(x.astype(formats.REAL)) + (count + 1) * np.abs(updates.astype(formats.REAL)).max(initial=0)
            check = suite.Within(t, result, count / 2, size, t, signed_zero=False)
        module.output(value, check, f"scatter {kind}", t)
    return case


def scatters(t, rng, rows=SCATTERS):
    kinds = ["none", "distinct"] + [c for c in tables.COMBINERS if tables.combines(c, t)]
    for kind in kinds:
        for ((size,), n, rest), index_type in zip(rows, itertools.cycle(INDEX_TYPES)):
            rounds = formats.is_float(t) and kind in ("add", "mul")
            numbers = values.ordinary if rounds else take
            x, updates = numbers(t, rng, (size,) + rest), numbers(t, rng, (n,) + rest)
            if kind == "mul" and rounds:
                updates = np.copysign(np.ones_like(updates), updates)
            at = indices(rng, (n,), size, index_type)
            if kind == "distinct":  # rows that another one updates already are none
                _, first = np.unique(at, return_index=True)
                at = np.where(np.isin(np.arange(n), first), at, np.array(-1, at.dtype))
            yield scatter_case(t, kind, x, at, index_type, updates)


def iotas(t, rng, rows=IOTAS):
    for shape, axis in rows:
        numbers = np.indices(shape)[axis]
        result = formats.round_to(t, numbers) if formats.is_float(t) else formats.wrap(t, numbers)
        yield moved("iota", t, result, [], axis=axis)


def dims(t, rng, rows=((7,), (0, -3, 1 << 40))):
    for values_ in rows if t == "i64" else ():
        yield moved("dims", t, np.array(values_), [], values=values_)


def constants(t, rng):
    """Stored ones, splats, and both in arithmetic's place: chosen from by an argument."""
    for shape in ((17,), (3, 5), (), (0, 2), (7, 65)):
        for x in (take(t, rng, shape), np.full(shape, rng.choice(values.edges(t)))):
            yield constant_case(t, x, rng.integers(0, 2, shape).astype(bool))


def constant_case(t, x, mask):
    def case(module):
        value = module.constant(t, x)
        other = module.constant(t, np.ascontiguousarray(x[..., ::-1]) if x.ndim else x)
        chosen = module.op("select", [module.input("i1", mask), value, other], t, x.shape)
        module.output(value, suite.Exactly(x), "constant")
        module.output(chosen, suite.Exactly(np.where(mask, x, x[..., ::-1] if x.ndim else x)), "constant")
    return case


MAKERS = {"transpose": transposes, "reshape": reshapes, "slice": slices, "pad": pads, "concat": concats,
          "broadcast": broadcasts, "gather": gathers, "scatter": scatters, "iota": iotas, "dims": dims,
          "constant": constants}
OPS = tables.ops_of_kind("MOVEMENT", "GATHER", "SCATTER", "GENERATE")


def cases(t):
    return lambda rng: [case for op in OPS if tables.takes(op, t) for case in MAKERS[op.name](t, rng)]


def jobs():
    for t in tables.TYPES:
        yield suite.Job(f"movement {t}", cases(t), suite.STRICT)
        yield suite.Job(f"movement {t} constant", cases(t), suite.STRICT, constant_inputs=True)
        yield suite.Job(f"movement {t} unfused", cases(t), suite.STRICT + suite.UNFUSED)


if __name__ == "__main__":
    suite.main(jobs(), [op.name for op in OPS if op.name not in MAKERS])
