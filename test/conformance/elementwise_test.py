"""Every elementwise op on every type it takes: all numbers of 8- and 16-bit types and a sample of the others, and a few
elements in shapes of every rank and of sizes that no vector divides."""
import numpy as np

import formats
import reference
import suite
import tables
import values

TYPES = [t for t in tables.TYPES if not tables.is_stored_only(t)]
SHAPES = [(), (1,), (7,), (17,), (65,), (100,), (257,), (3, 5), (1, 65), (7, 1, 9), (2, 3, 5, 7), (0,), (4, 0, 3)]

CONVERSIONS = [op for op in tables.OPS.values() if op.kind == "ELEMENTWISE" and op.rule == "RESULT"]
ARITHMETIC = [op for op in tables.OPS.values() if op.kind == "ELEMENTWISE" and op.rule in ("SAME", "BOOL")]
OPS = ARITHMETIC + [tables.OPS[name] for name in ("select", "convert", "convert_u", "convert_to_u", "bitcast")]


def check(op, type_name, operands, module):
    """What the op must give."""
    if not formats.is_float(type_name):
        return suite.Exactly(reference.integer_op(op.name, type_name, *operands), operands)
    exact, real = ((reference.FLOAT1, reference.REAL1), (reference.FLOAT2, reference.REAL2))[op.n_operands - 1]
    if op.name in real:
        numbers = real[op.name](*(x.astype(formats.REAL) for x in operands))
        return suite.Within(type_name, numbers, module.allowed(op.ulp), inputs=operands,
                            flushed=module.may_flush(op.name, type_name))
    math = formats.carrier(tables.math_type(type_name))
    result = exact[op.name](*(x.astype(math) for x in operands))
    if op.rule == "SAME":
        result = formats.round_to(type_name, result)
    return suite.Exactly(result, operands)


def arithmetic_case(op, type_name, operands):
    def case(module):
        arguments = [module.input(type_name, x) for x in operands]
        result_type = "i1" if op.rule == "BOOL" else type_name
        value = module.op(op.name, arguments, result_type, operands[0].shape)
        module.output(value, check(op, type_name, operands, module), op.name, type_name)
    return case


def operands_of(type_name, rng):
    """One operand for unary ops, two for binary ones."""
    if formats.width(type_name) <= 16:
        single = values.every(type_name)
    else:
        single = values.sample(type_name, rng, 3000)
    if formats.width(type_name) <= 8:
        pair = tuple(z.ravel().copy() for z in np.meshgrid(single, single))
    else:
        pair = values.pairs(type_name, rng, 1500)
    return (single,), pair


def sample_of_shape(type_name, rng, shape):
    size = int(np.prod(shape))
    return values.sample(type_name, rng, size)[:size].reshape(shape)


def all_numbers(type_name):
    def make(rng):
        by_count = (None,) + operands_of(type_name, rng)
        return [arithmetic_case(op, type_name, by_count[op.n_operands])
                for op in ARITHMETIC if tables.takes(op, type_name)]
    return make


def few_numbers(type_name):
    def make(rng):
        cases = []
        for shape in SHAPES:
            operands = [sample_of_shape(type_name, rng, shape) for _ in range(2)]
            cases += [arithmetic_case(op, type_name, tuple(operands[:op.n_operands]))
                      for op in ARITHMETIC if tables.takes(op, type_name)]
        return cases
    return make


# -- select, conversions ----------------------------------------------------------------------------------------------

def select_case(type_name, condition, x, y):
    def case(module):
        arguments = [module.input("i1", condition), module.input(type_name, x), module.input(type_name, y)]
        value = module.op("select", arguments, type_name, x.shape)
        module.output(value, suite.Exactly(np.where(condition, x, y), (condition, x, y)), "select")
    return case


def targets(op, source):
    """The types to which an op converts a type."""
    for target in tables.TYPES:
        if op.name == "bitcast":
            if target != "i1" and tables.TYPES[target].bits == tables.TYPES[source].bits:
                yield target
        elif op.name != "convert_to_u" or formats.is_integer(target):
            yield target


def conversion_case(op, source, target, x):
    def case(module):
        value = module.op(op.name, [module.input(source, x)], target, x.shape)
        expected = reference.bitcast(source, target, x) if op.name == "bitcast" else \
            reference.convert(op.name, source, target, x)
        module.output(value, suite.Exactly(expected, (x,)), f"{op.name} to {target}", source)
    return case


def moved_cases(source, x, rng):
    """What takes types without arithmetic, too."""
    condition = rng.integers(0, 2, x.shape).astype(bool)
    other = rng.permutation(x.ravel()).reshape(x.shape)
    return [select_case(source, condition, x, other)] + [
        conversion_case(op, source, target, x)
        for op in CONVERSIONS if tables.takes(op, source) for target in targets(op, source)]


def converted(source):
    def make(rng):
        everything = formats.width(source) <= 16
        return moved_cases(source, values.every(source) if everything else values.sample(source, rng, 3000), rng)
    return make


def converted_few(source):
    return lambda rng: [case for shape in SHAPES
                        for case in moved_cases(source, sample_of_shape(source, rng, shape), rng)]


def jobs():
    for t in TYPES:
        yield suite.Job(f"{t} strict", all_numbers(t), suite.STRICT)
        if formats.is_float(t):
            yield suite.Job(f"{t} fast", all_numbers(t), suite.FAST)
        yield suite.Job(f"{t} shapes", few_numbers(t), suite.STRICT)
        yield suite.Job(f"{t} constant", few_numbers(t), suite.STRICT, constant_inputs=True)
    for t in tables.TYPES:
        yield suite.Job(f"convert {t}", converted(t), suite.STRICT)
        yield suite.Job(f"convert {t} shapes", converted_few(t), suite.STRICT)
        yield suite.Job(f"convert {t} constant", converted_few(t), suite.STRICT, constant_inputs=True)


def unknown():
    """Rows that nothing here says the meaning of."""
    for op in ARITHMETIC:
        floats = (reference.FLOAT1 | reference.REAL1, reference.FLOAT2 | reference.REAL2)[op.n_operands - 1]
        integers = (reference.INT1, reference.INT2)[op.n_operands - 1]
        if "F" in op.accepts and op.name not in floats or set("IB") & set(op.accepts) and op.name not in integers:
            yield op.name


if __name__ == "__main__":
    suite.main(jobs(), unknown(), drawn=" shapes$")  # a third of the time
