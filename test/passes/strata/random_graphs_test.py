"""Random graphs mean the same before and after the passes of the graph level.

A graph's inputs are arguments while the passes rewrite it; then both forms get the same constants for them and are
evaluated by strata-fold. Graphs are made of what the passes look for: layers with weights and biases, views, broadcasts,
reductions, convolutions. A failing graph is printed; `random_graphs_test.py SEED` runs one.
"""
import functools
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

import strata

GRAPHS = 60
OPS = 14
MOST_ELEMENTS = 400  # everything derived from a value of this size is still small enough for strata-fold

PIPELINES = [
    "strata-simplify", "strata-cse,strata-dce", "strata-raise-contract", "strata-split-upsampled",
    "strata-sink-views", "strata-fold-batch-norm", "strata-split-contracts", "strata-merge-contracts",
    "strata-fold,strata-simplify,strata-cse,strata-dce,strata-raise-contract,strata-split-upsampled,"
    "strata-sink-views,strata-precision,strata-fold-batch-norm,strata-fold,strata-split-contracts,strata-simplify,"
    "strata-merge-contracts,strata-simplify,strata-fold,strata-cse,strata-dce",
]


def tensor(shape):
    return f"tensor<{''.join(f'{n}x' for n in shape)}f32>"


def affine_map(n, exprs):
    return f"affine_map<({', '.join(f'd{i}' for i in range(n))}) -> ({', '.join(exprs)})>"


def numbers(rng, shape):
    values = np.array([rng.choice([-1.5, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0]) for _ in range(int(np.prod(shape)))])
    return str(values.reshape(shape).tolist())


class Graph:
    """The text of a function, and the shape of every value in it."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.shapes, self.unused = [], {}, []
        self.arguments = [self.define(self.random_shape()) for _ in range(2)]
        for _ in range(OPS):
            self.rng.choice(self.FRAGMENTS)(self)
        self.results = self.unused[-4:]

    def define(self, shape):
        name = f"%v{len(self.shapes)}"
        self.shapes[name] = tuple(shape)
        self.unused.append(name)
        return name

    def op(self, mnemonic, operands, shape, attrs=""):
        for operand in operands:
            if operand in self.unused:
                self.unused.remove(operand)
        types = ", ".join(tensor(self.shapes[o]) for o in operands)
        result = self.define(shape)
        self.lines.append(f'  {result} = "strata.{mnemonic}"({", ".join(operands)}) {{{attrs}}} : ({types}) -> {tensor(shape)}')
        return result

    def constant(self, shape, splat=False):
        value = self.rng.choice(["0.0", "-0.0", "1.0", "0.5", "-2.0"]) if splat else numbers(self.rng, shape)
        name = self.op("constant", [], shape, f"value = dense<{value}> : {tensor(shape)}")
        self.unused.remove(name)
        return name

    def text(self, bind=False):
        types = ", ".join(tensor(self.shapes[r]) for r in self.results)
        arguments = ", ".join(f"{a}: {tensor(self.shapes[a])}" for a in self.arguments)
        body = "\n".join(self.lines)
        return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n  return {', '.join(self.results)} : {types}\n}}\n"

    # What graphs are made of.

    def random_shape(self):
        while True:
            shape = [self.rng.choice([1, 2, 3, 4, 6, 8]) for _ in range(self.rng.randint(1, 4))]
            if np.prod(shape) <= MOST_ELEMENTS:
                return shape

    def pick(self, rank=1):
        names = [n for n, s in self.shapes.items() if len(s) >= rank and np.prod(s) <= MOST_ELEMENTS]
        return self.rng.choice(names[-8:]) if names else None

    def other_operand(self, shape):
        """Something of this shape: a value, a constant, or a broadcast of one."""
        same = [n for n, s in self.shapes.items() if s == tuple(shape)]
        kind = self.rng.randint(0, 4)
        if kind == 0 and same:
            return self.rng.choice(same)
        if kind <= 2:
            return self.constant(shape, splat=kind == 1)
        dims = sorted(self.rng.sample(range(len(shape)), self.rng.randint(0, len(shape))))
        small = [shape[d] for d in dims]
        narrower = [n for n, s in self.shapes.items() if s == tuple(small)]
        source = self.rng.choice(narrower) if kind == 3 and narrower else self.constant(small)
        return self.op("broadcast", [source], shape, f"map = {affine_map(len(shape), [f'd{d}' for d in dims])}")

    def unary(self):
        x = self.pick()
        self.op(self.rng.choice(["neg", "abs", "tanh"]), [x], self.shapes[x])

    def binary(self):
        x = self.pick()
        y = self.other_operand(self.shapes[x])
        operands = [x, y] if self.rng.random() < 0.8 else [y, x]
        self.op(self.rng.choice(["add", "sub", "mul", "max"]), operands, self.shapes[x])

    def transpose(self):
        x = self.pick()
        permutation = list(range(len(self.shapes[x])))
        self.rng.shuffle(permutation)
        self.op("transpose", [x], [self.shapes[x][p] for p in permutation],
                f"permutation = array<i64: {str(permutation)[1:-1]}>")

    def reshape(self):
        x = self.pick()
        shape = list(self.shapes[x])
        for _ in range(self.rng.randint(1, 2)):
            i = self.rng.randrange(len(shape) + 1)
            if i < len(shape) - 1 and self.rng.random() < 0.5:
                shape[i:i + 2] = [shape[i] * shape[i + 1]]
            elif i < len(shape) and shape[i] % 2 == 0:
                shape[i:i + 1] = self.rng.choice([[2, shape[i] // 2], [shape[i] // 2, 2]])
            elif len(shape) < 6:
                shape.insert(i, 1)
        self.op("reshape", [x], shape)

    def slice(self):
        x = self.pick()
        starts, sizes = [], []
        for n in self.shapes[x]:
            starts.append(self.rng.choice([0, 0, n // 2]))
            sizes.append(self.rng.choice([n - starts[-1], max(1, (n - starts[-1]) // 2)]))
        self.op("slice", [x], sizes, f"starts = array<i64: {str(starts)[1:-1]}>, steps = array<i64: {'1, ' * (len(sizes) - 1)}1>")

    def pad(self):
        x = self.pick()
        low, high = ([self.rng.choice([0, 0, 1]) for _ in self.shapes[x]] for _ in range(2))
        self.op("pad", [x], [n + l + h for n, l, h in zip(self.shapes[x], low, high)],
                f"low = array<i64: {str(low)[1:-1]}>, high = array<i64: {str(high)[1:-1]}>, "
                f"value = {self.rng.choice(['0.0', '1.0'])} : f32")

    def concat(self):
        x = self.pick()
        y = self.other_operand(self.shapes[x])
        axis = self.rng.randrange(len(self.shapes[x]))
        shape = list(self.shapes[x])
        shape[axis] *= 2
        self.op("concat", [x, y], shape, f"axis = {axis} : i64")

    def reduce(self):
        x = self.pick()
        rank = len(self.shapes[x])
        axes = sorted(self.rng.sample(range(rank), self.rng.randint(1, rank)))
        kind = self.rng.choice(["add", "max"])
        small = self.op("reduce", [x], [n for i, n in enumerate(self.shapes[x]) if i not in axes],
                        f'axes = array<i64: {str(axes)[1:-1]}>, kind = "{kind}"')
        if self.rng.random() < 0.6:  # as in a normalisation
            kept = [f"d{i}" for i in range(rank) if i not in axes]
            wide = self.op("broadcast", [small], self.shapes[x], f"map = {affine_map(rank, kept)}")
            self.op("sub", [x, wide], self.shapes[x])

    def contract(self, operands, maps, shape, zero_pad=False):
        attrs = f'maps = [{", ".join(maps)}], zero_pad = {str(zero_pad).lower()}, origin = "matmul"'
        return self.op("contract", operands, shape, attrs)

    def layer(self, x, features):
        *outer, k = self.shapes[x]
        rank = len(outer)
        dims = [f"d{i}" for i in range(rank + 2)]
        shape = [*outer, features]
        y = self.contract([x, self.constant([k, features])],
                          [affine_map(rank + 2, dims[:rank] + dims[-1:]), affine_map(rank + 2, [dims[-1], dims[-2]]),
                           affine_map(rank + 2, dims[:-1])], shape)
        if self.rng.random() < 0.7:
            bias = self.op("broadcast", [self.constant([features])], shape, f"map = {affine_map(rank + 1, [f'd{rank}'])}")
            y = self.op("add", [y, bias], shape)
        if self.rng.random() < 0.5:
            scale = self.op("broadcast", [self.constant([features])], shape, f"map = {affine_map(rank + 1, [f'd{rank}'])}")
            y = self.op("mul", [y, scale], shape)
        return y

    def layers(self):
        x = self.pick()
        for _ in range(self.rng.randint(1, 3)):
            self.layer(x, self.rng.choice([2, 4, 6]))

    def scores(self):
        """Each row of x with each row of y, scaled, perhaps."""
        x = self.pick(rank=2)
        if not x:
            return
        *batch, m, k = self.shapes[x]
        y = self.other_operand(self.shapes[x])
        n = len(batch)
        dims = [f"d{i}" for i in range(n + 3)]
        self.contract([x, y], [affine_map(n + 3, dims[:n] + [dims[n], dims[n + 2]]),
                               affine_map(n + 3, dims[:n] + [dims[n + 1], dims[n + 2]]),
                               affine_map(n + 3, dims[:n + 2])], [*batch, m, m])

    def product_sum(self):
        """A matrix product as a sum of products of broadcasts."""
        x = self.pick(rank=2)
        if not x or len(self.shapes[x]) != 2:
            return
        m, k = self.shapes[x]
        n = self.rng.choice([2, 3])
        if m * n * k > MOST_ELEMENTS:
            return
        a = self.op("broadcast", [x], [m, n, k], f"map = {affine_map(3, ['d0', 'd2'])}")
        b = self.op("broadcast", [self.constant([k, n])], [m, n, k], f"map = {affine_map(3, ['d2', 'd1'])}")
        self.op("reduce", [self.op("mul", [a, b], [m, n, k])], [m, n], 'axes = array<i64: 2>, kind = "add"')

    def convolution(self):
        x = self.pick(rank=3)
        if not x or len(self.shapes[x]) != 3:
            return
        channels, height, width = self.shapes[x]
        filters = self.rng.choice([2, 4])
        y = self.contract(
            [x, self.constant([filters, channels, 3, 3])],
            [affine_map(6, ["d3", "d1 + d4 - 1", "d2 + d5 - 1"]), affine_map(6, ["d0", "d3", "d4", "d5"]),
             affine_map(6, ["d0", "d1", "d2"])], [filters, height, width], zero_pad=True)
        scale = self.op("broadcast", [self.constant([filters])], self.shapes[y], f"map = {affine_map(3, ['d0'])}")
        self.op("mul", [y, scale], self.shapes[y])

    FRAGMENTS = [unary, unary, binary, binary, binary, transpose, transpose, reshape, reshape, slice, pad, concat, reduce,
                 layers, layers, scores, product_sum, convolution]


def opt(text, pipeline):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([f"{strata.BIN}/strata-opt", file.name, f"--pipeline={pipeline}", "--verify-each"],
                              capture_output=True, text=True)
    assert done.returncode == 0, f"{pipeline}: {done.returncode} {done.stderr}"
    return done.stdout


def bind_arguments(text, seed):
    """The function with constants in place of its arguments."""
    rng = random.Random(seed)
    signature = re.search(r"func\.func @main\((.*?)\) ->", text)
    constants = ""
    for name, shape in re.findall(r"(%\w+): tensor<((?:\d+x)*)f32>", signature[1]):
        shape = [int(n) for n in shape.split("x")[:-1]]
        constants += f'  {name} = "strata.constant"() {{value = dense<{numbers(rng, shape)}> : {tensor(shape)}}} : () -> {tensor(shape)}\n'
    body = text.index("{\n", signature.end()) + 2
    return text[:signature.start()] + "func.func @main() ->" + text[signature.end():body] + constants + text[body:]


@functools.lru_cache(maxsize=len(PIPELINES) + 1)  # what passes leave as it was is not evaluated again
def evaluate(text, seed):
    """The results' values. strata-fold leaves constants, and broadcasts of constants."""
    folded = opt(bind_arguments(text, seed), "strata-fold,strata-cse,strata-dce")
    maps = dict(re.findall(r"(#map\d*) = affine_map<\(.*?\) -> \((.*)\)>", folded))
    values = {}
    for line in folded.splitlines():
        if constant := re.search(r'(%\w+) = "strata\.constant"\(\) \{value = dense<(.*)> : tensor<(.*)xf32>\}', line):
            values[constant[1]] = elements(constant[2], sizes(constant[3]))
        elif constant := re.search(r'(%\w+) = "strata\.constant"\(\) \{value = dense<(.*)> : tensor<f32>\}', line):
            values[constant[1]] = elements(constant[2], [])
        elif broadcast := re.search(r'(%\w+) = "strata\.broadcast"\((%\w+)\) \{map = (#map\d*)\} .* -> tensor<(.*)xf32>', line):
            values[broadcast[1]] = spread(values[broadcast[2]], maps[broadcast[3]], sizes(broadcast[4]))
    return [values[name] for name in re.search(r"return (.*) :", folded)[1].split(", ")]


def sizes(text):
    return [int(n) for n in text.split("x")]


def elements(text, shape):
    if text.startswith('"0x'):
        values = np.frombuffer(bytes.fromhex(text[3:-1]), "<f4")
    else:
        values = np.array([float(v) for v in re.findall(r"-?\d[\d.]*(?:E[+-]\d+)?", text, re.I)])
    return np.full(shape, values[0]) if values.size == 1 else values.reshape(shape)


def spread(values, exprs, shape):
    """values broadcast to shape by a map's results: dims in any order, or 0."""
    index = np.indices(shape)
    return values[tuple(index[int(e[1:])] if e.startswith("d") else 0 for e in exprs.split(", ") if e)] + np.zeros(shape)


def check(seed):
    graph = Graph(seed)
    text = opt(graph.text(), "")  # as MLIR prints it
    expected = evaluate(text, seed)
    for pipeline in PIPELINES:
        rewritten = opt(text, pipeline)
        try:
            for got, want in zip(evaluate(rewritten, seed), expected, strict=True):
                error = np.linalg.norm(got - want)
                assert error <= 1e-4 * np.linalg.norm(want) + 1e-6, f"off by {error}"
        except Exception:
            print(f"seed {seed}, {pipeline}:\n{text}\nbecame\n{rewritten}")
            raise


def main():
    seeds = [int(a) for a in sys.argv[1:]] or strata.every(range(GRAPHS))
    for seed in seeds:
        check(seed)
    print(f"{len(seeds)} graphs, {len(PIPELINES)} pipelines each")


main()
