"""Every op with every dim that may be a symbol made one: one library, run at several sizes, against the references of the
other files here.

Rows are written as functions of three sizes. At the sizes of TEMPLATE each dim of a module is the value of one expression
only, so that the module's text can be rewritten with the expressions in the place of the numbers. A run takes the least
sizes and random ones, and some of the types; STRATA_ALL=1 takes all types and more sizes. The target is STRATA_TARGET.
"""
import os
import re

import numpy as np

import composites_test
import contractions_test
import elementwise_test
import execute
import formats
import movement_test
import reductions_test
import strata
import suite
import tables

ALL = os.environ.get("STRATA_ALL") == "1"
N_TYPES, N_SIZES = (100, 6) if ALL else (2, 3)
TEMPLATE = (29, 43, 79)
LEAST, LARGEST = (0, 4, 1), (40, 75, 70)
NAMES = ("a", "b", "c")


class Dim(int):
    """A number that knows of what expression over the symbols it is the value."""

    known = {}  # the expressions by their values, at the sizes of TEMPLATE

    def __new__(cls, value, text):
        dim = super().__new__(cls, value)
        dim.text = text
        assert cls.known.setdefault(value, text) == text, f"{value} is {text} and {cls.known[value]}: change a row"
        return dim

    def _of(self, value, form, other):
        return Dim(value, form.format(self.text, other.text if isinstance(other, Dim) else other))

    def __add__(self, other):
        return self._of(int(self) + int(other), "{} + {}", other)

    def __sub__(self, other):
        return self._of(int(self) - int(other), "{} - {}", other)

    def __mul__(self, other):
        return self._of(int(self) * int(other), "({}) * ({})", other)

    def __floordiv__(self, other):
        return self._of(int(self) // int(other), "({}) floordiv {}", other)


def learn(rows):
    """Which expressions there are in rows."""
    Dim.known = {}
    rows(*[Dim(size, f"s{i}") for i, size in enumerate(TEMPLATE)])


# -- modules ----------------------------------------------------------------------------------------------------------

def expressions(numbers):
    texts = [Dim.known.get(number, str(number)) for number in numbers]
    count = max((int(s) + 1 for text in texts for s in re.findall(r"s(\d)", text)), default=0)
    return f"affine_map<()[{', '.join(f's{i}' for i in range(count))}] -> ({', '.join(texts)})>" if count else None


def open_type(match):
    numbers = [int(number) for number in match[1].split("x")[:-1]]
    sizes = expressions(numbers)
    dims = "".join("?x" if number in Dim.known else f"{number}x" for number in numbers)
    return f"tensor<{dims}{match[2]}, {sizes}>" if sizes else match[0]


def open_attribute(match):
    sizes = expressions([int(number) for number in match[2].split(", ")])
    return f"{match[1]} = {sizes}" if sizes else match[0]


def open_text(text):
    """The text of a module at the sizes of TEMPLATE, of symbols instead."""
    symbols = ", ".join(f'{{name = "{name}", min = {least}, max = 2147483647, multiple = 1, likely = [8]}}'
                        for name, least in zip(NAMES, LEAST))
    text = re.sub(r"tensor<((?:\d+x)*)(\w+)>", open_type, text)
    text = re.sub(r"\b(starts|low|high|values) = array<i64: ([^>]*)>", open_attribute, text)
    return text.replace(") {\n", f") attributes {{strata.symbols = [{symbols}]}} {{\n", 1)


class Job(suite.Job):
    """|make|(rng, a, b, c) makes the cases, of the shapes of |rows|(a, b, c)."""

    def __init__(self, name, make, rows, options):
        super().__init__(name, make, options)
        self.rows = rows

    def _cases(self, seed, sizes):
        return self.make(np.random.default_rng(seed), *sizes)

    def compile(self, folder, cases):
        path = os.path.join(folder, "module.mlir")
        strata.write(path, open_text(self.module(cases).text()))
        return strata.Library(strata.compile_library(path, folder, options=self.options)[0])

    def _judged(self, library, cases, sizes):
        module = self.module(cases)
        try:
            results = module.judge(execute.run(library, module.input_bytes(), sizes))
        except (RuntimeError, AssertionError) as error:
            results = module.failed(str(error))
        return [r._replace(failure=r.failure and f"sizes {sizes}: {r.failure}") for r in results]

    def _at(self, seed, sizes, folder, only=None):
        chosen = slice(only, only + 1) if only is not None else slice(None)
        learn(self.rows)
        library = self.compile(folder, self._cases(seed, TEMPLATE)[chosen])
        return [r for each in sizes for r in self._judged(library, self._cases(seed, each)[chosen], each)]

    def _alone(self, seed, sizes, i):
        folder = os.path.join(self.folder(), str(i))
        os.makedirs(folder, exist_ok=True)
        try:
            return self._at(seed, sizes, folder, i)
        except strata.CompileError as error:
            return self.module(self._cases(seed, TEMPLATE)[i:i + 1]).failed(str(error))

    def results(self, seed):
        rng = np.random.default_rng(seed)
        sizes = [LEAST] + [tuple(int(rng.integers(*ends)) for ends in zip(LEAST, LARGEST)) for _ in range(N_SIZES - 1)]
        try:
            return self._at(seed, sizes, self.folder())
        except strata.CompileError:
            return [r for i in range(len(self._cases(seed, TEMPLATE))) for r in self._alone(seed, sizes, i)]


# -- rows -------------------------------------------------------------------------------------------------------------

def shapes(a, b, c):
    return [(a,), (b,), (a, b), (1, b), (b, 1, 9), (2, a, b, 7), (a, b, c)]


def elementwise(t):
    def make(rng, *n):
        cases = []
        for shape in shapes(*n):
            x, y = (elementwise_test.sample_of_shape(t, rng, shape) for _ in range(2))
            if t in elementwise_test.TYPES:
                cases += [elementwise_test.arithmetic_case(op, t, (x, y)[:op.n_operands])
                          for op in elementwise_test.ARITHMETIC if tables.takes(op, t)]
            cases += elementwise_test.moved_cases(t, x, rng)
        return cases
    return make


def movement_rows(a, b, c):
    return {
        "transpose": [[((a,), (0,)), ((a, b), (1, 0)), ((a, b, c), (2, 0, 1)), ((2, a, 3, b), (0, 2, 1, 3)),
                       ((a, 9, 1, b), (3, 1, 2, 0))]],
        "reshape": [[((a,), (a, 1)), ((a, 6, b), (a, 2, 3, b)), ((a, b, c), (a * b * c,)), ((a * b, 8), (a, b, 8)),
                     ((a, b, 6), (a * b, 6)), ((a, b, 4), (a, b * 4)), ((a, 12), (a * 4, 3)), ((1, b), (b,)),
                     ((a, b * 4), (a, b, 4)), ((b, 2, a), (b * 2, a))]],
        "slice": [[((b,), (b - 1,), (-1,), (b,)), ((a, b), (0, 3), (1, 1), (a, b - 3)),
                   ((a, 65), (0, 64), (1, -3), (a, 22)), ((b * 7,), (3,), (7,), (b,)),
                   ((a, b, c), (0, 2, 0), (1, 1, 1), (a, 1, c)), ((b, c), (1, c - 1), (2, 1), (b // 2, 1))]],
        "pad": [[((a,), (2,), (3,)), ((a, b), (0, 1), (1, 0)), ((a, b, 7), (1, 0, 2), (0, c, 5)),
                 ((1, c), (0, 0), (0, b))]],
        "concat": [[((a,), (b,), 0), ((a, 17), (a, b), 1), ((2, a, 3), (1, a, 3), 0), ((b, 1, 9), (b, c, 9), 1)],
                   [((a, 9), (a, 7)), ((a, b), (a, c))]],
        "broadcast": [[((), (a, 5), ()), ((b,), (a, b), (1,)), ((a,), (a, 9), (0,)), ((1, 5), (a, 5), (None, 1)),
                       ((a, 1, 7), (a, b, 7), (0, None, 2)), ((b, a), (a, c, b), (2, 0))]],
        "gather": [[((b, 9), (a,), 0, 0), ((7, b), (3, a), 1, 0), ((3, b, a), (), 1, 0), ((a, b, 5), (a, 7), 1, 1),
                    ((2, a, b, 4), (2, a, c), 2, 2), ((b,), (a * c,), 0, 0)]],
        "scatter": [[((b,), a, ()), ((b,), 1, (c,)), ((b,), a, (c,)), ((9,), a, (2, b))]],
        "iota": [[((b,), 0), ((a, b), 1), ((b, 2), 0), ((2, a, 5), 1)]],
        "dims": [[(b,), (a, a * b, 5)]],
        # Sizes of results that no row has.
        "": [a + 5, a + 1, b + 1, b + c, a + b, b + 17, c + 1, b + c + b],
    }


def movement(t):
    def make(rng, *n):
        rows = movement_rows(*n)
        seed = rng.integers(2**31)  # what attributes are drawn may not depend on sizes
        return [case for name, of in rows.items() if name and tables.takes(tables.OPS[name], t)
                for case in movement_test.MAKERS[name](t, np.random.default_rng(seed), *of)]
    return make


def reduction_rows(a, b, c):
    lines = [((b,), 0), ((a, b), 1), ((b, c), 0), ((a, b, 5), 1), ((2, a, b, 7), 2)]
    windows = [((b,), (3,), (1,), (1,), (0,), (0,)),
               ((a, 3, b, c), (1, 1, 3, 2), (1, 1, 2, 3), (1, 1, 1, 2), (0, 0, 1, 2), (0, 0, 1, 0)),
               ((1, a, 8, b), (1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1), (0, 0, 0, 0), (0, 0, 0, 1)),
               ((a, b), (1, 5), (1, 1), (1, 1), (0, 2), (0, 2))]
    _ = b - 2, (b - 1) // 2 + 1, (c - 1) // 3 + 1  # of results that no row has
    return {"REDUCE": [((b,), (0,)), ((a, b), (1,)), ((b, a), (0,)), ((a, b, 5), (1,)), ((3, b, 7), (0, 2)),
                       ((a, b, c), (1, 2)), ((a, 5), (1,)), ((a, b, 9), (0, 1, 2)), ((a, b), ())],
            "ARG_REDUCE": lines, "SORT": lines, "SCAN": lines, "WINDOW": windows}


def reductions(op, t):
    return lambda rng, *n: reductions_test.KINDS[op.kind](t, reduction_rows(*n)[op.kind])(rng)


def product_rows(a, b, c):
    mm, turned = contractions_test.MM, ("(i, j, k) -> (k, i)", "(i, j, k) -> (j, k)", contractions_test.MM[2])
    batched = contractions_test.PRODUCTS["batched"]
    broadcast = contractions_test.PRODUCTS["broadcast batch"]
    return [("ik,kj->ij", mm, (a, b), (b, c), (a, c)), ("ik,kj->ij", mm, (a, 16), (16, 33), (a, 33)),
            ("ik,kj->ij", mm, (7, 18), (18, b), (7, b)), ("ik,kj->ij", mm, (7, b), (b, 19), (7, 19)),
            ("ki,jk->ij", turned, (b, a), (c, b), (a, c)), (*batched[:2], (a, 3, b, 16), (a, 3, c, 16), (a, 3, b, c)),
            (*broadcast[:2], (a, b, 33), (33, 18), (a, b, 18)),
            ("k,k->", ("(k) -> (k)", "(k) -> (k)", "(k) -> ()"), (b,), (b,), ()),
            ("i,j->ij", ("(i, j) -> (i)", "(i, j) -> (j)", "(i, j) -> (i, j)"), (a,), (b,), (a, b))]


def convolution_rows(a, b, c):
    _ = (b - 1) // 2 + 1, b - 2  # of results
    return [((a, 5, 9, 11), (17, 5, 3, 3), 1, 1, ((1, 1), (1, 1)), 1),
            ((a, 3, b, 15), (8, 3, 3, 3), 2, 1, ((1, 1), (0, 1)), 1), ((1, 19, b, c), (13, 19, 1, 1), 1, 1,
                                                                      ((0, 0), (0, 0)), 1),
            ((a, 8, b, 9), (8, 1, 3, 3), 1, 1, ((0, 0), (1, 1)), 8),
            ((2, 12, b, 8), (18, 4, 3, 3), 1, 1, ((1, 1), (1, 1)), 3)]


def contraction_rows(*n):
    return product_rows(*n), convolution_rows(*n)


def contractions(triple):
    def make(rng, *n):
        products, convolutions = contraction_rows(*n)
        return [contractions_test.product_case(triple, row, rng) for row in products] + \
               [contractions_test.convolution_case(triple, row, rng) for row in convolutions]
    return make


def along_axes(t):
    def make(rng, a, b, c):
        cases = [composites_test.batch_norm_case(t, shape, rng) for shape in ((a, 17), (3, 5, b), (a, 19, 6, c))]
        rows = [((a, b), (1,)), ((a, 5, 65), (1, 2)), ((b,), (0,)), ((a, b, 4), (1,)), ((a, b, c), (2,)),
                ((a, b, c), (1, 2))]
        for name in composites_test.ALONG_AXES:
            scaled = tables.COMPOSITES[name].operands[1:]
            cases += [composites_test.row_case(name, t, composites_test.values.ordinary(t, rng, shape, 4.0), axes, rng)
                      for shape, axes in rows if not scaled or axes == tuple(range(min(axes), len(shape)))]
        return cases
    return make


def composites(t):
    is_float = formats.is_float(t)
    make_case = composites_test.float_case if is_float else composites_test.integer_case
    names = [*composites_test.UNARY, *composites_test.BINARY] if is_float else composites_test.INTEGER

    def make(rng, *n):
        everything = composites_test.values.sample(t, rng, 500)
        return [make_case(name, t, [rng.choice(everything, shape) for _ in tables.COMPOSITES[name].operands])
                for name in names for shape in shapes(*n)[2::2]]
    return make


def jobs(seed):
    rng = np.random.default_rng(seed)

    def some(types, count=N_TYPES):
        types = list(types)
        return [types[i] for i in sorted(rng.permutation(len(types))[:count])]

    for t in some(tables.TYPES):
        yield Job(f"elementwise {t}", elementwise(t), shapes, suite.STRICT)
        yield Job(f"movement {t}", movement(t), movement_rows, suite.STRICT)
    yield Job("movement i64", movement("i64"), movement_rows, suite.STRICT + suite.UNFUSED)
    for op in reductions_test.OPS:
        for t in some([t for t in reductions_test.TYPES if tables.takes(op, t)]):
            yield Job(f"{op.name} {t}", reductions(op, t), reduction_rows,
                      suite.STRICT if rng.random() < 0.5 else suite.FAST)
    for triple in some(contractions_test.TRIPLES) + [("f32",) * 3]:
        yield Job(f"contract {'.'.join(triple)}", contractions(triple), contraction_rows,
                  suite.exact_products(*triple[:2]))
    for t in some(composites_test.FLOATS):
        yield Job(f"rows {t}", along_axes(t), shapes, suite.FAST)
    for t in some(composites_test.FLOATS + composites_test.INTEGERS):
        yield Job(f"composites {t}", composites(t), shapes, suite.STRICT)


def unknown():
    """Rows of the tables that nothing here makes symbolic. A constant has the elements that it is written with,
    segments have symbols in jagged_test.py, trees, boxes and blocks in tests of their own."""
    known = {"constant", *movement_rows(*TEMPLATE)}
    known |= {op.name for op in elementwise_test.OPS}
    known |= {op.name for kind in ("SEGMENT", "TREES", "SUPPRESS", "BLOCK") for op in tables.ops_of_kind(kind)}
    known |= {op.name for op in reductions_test.OPS + contractions_test.OPS if op.kind in
              ("CONTRACT", *reduction_rows(*TEMPLATE))}
    yield from (name for name in tables.OPS if name not in known)


if __name__ == "__main__":
    suite.main({job.name: job for job in jobs(strata.run_seed())}.values(), unknown())
