"""Multi-head attention with one product for queries, keys and values, as torch exports it: sequence first behind the
product, parts moved and cut, both scaled. Its batch varies, or its length, or both, on the emulated device that has
asynchronous products: as many kernels as where nothing does, against numpy in double precision."""
import functools

import numpy as np

import gpu
import strata

EPSILON = 2.0 ** -10
EDGES = [1, 2, 3, 7, 16, 33]
LENGTHS = [1, 17, 64, 65, 130]


class Heads:
    """|batch|, |length|: numbers, or names of symbols."""

    def __init__(self, batch, length, heads=2, depth=64):
        self.batch, self.length, self.heads, self.depth = batch, length, heads, depth
        self.symbols = [d for d in (batch, length) if isinstance(d, str)]
        self.lines = []

    def type(self, dims, element="f16"):
        """Of dims that are numbers or products, "batch * 2"."""
        marks = "x".join("?" if isinstance(d, str) else str(d) for d in dims)
        marks += "x" if dims else ""
        if not any(isinstance(d, str) for d in dims):
            return f"tensor<{marks}{element}>"
        exprs = []
        for d in map(str, dims):
            for i, name in enumerate(self.symbols):
                d = d.replace(name, f"s{i}")
            exprs.append(d)
        used = 1 + max(i for i in range(len(self.symbols)) if any(f"s{i}" in e for e in exprs))
        return (f"tensor<{marks}{element}, affine_map<()[{', '.join(f's{i}' for i in range(used))}] -> "
                f"({', '.join(exprs)})>>")

    def op(self, name, operands, dims, **attrs):
        result = f"%v{len(self.lines)}"
        attributes = ", ".join(f"{key} = {value}" for key, value in attrs.items())
        self.lines.append(f'{result} = "strata.{name}"({", ".join(v for v, _ in operands)}) {{{attributes}}} : '
                          f'({", ".join(t for _, t in operands)}) -> {self.type(dims)}')
        return result, self.type(dims)

    def contract(self, operands, dims, space, *maps):
        return self.op("contract", operands, dims, zero_pad="false", origin='"matmul"',
                       maps="[" + ", ".join(f"affine_map<({space}) -> ({m})>" for m in maps) + "]")

    def moved(self, x, dims, permutation):
        return self.op("transpose", [x], dims, permutation=f"array<i64: {permutation}>")

    def part(self, whole, i):
        b, n, c = self.batch, self.length, self.heads * self.depth
        zeros = ", ".join("0" * 3)
        return self.op("slice", [whole], [1, n, b, c], starts=f"array<i64: {i}, {zeros}>", steps="array<i64: 1, 1, 1, 1>")

    def text(self):
        self.lines = []
        b, n, h, d = self.batch, self.length, self.heads, self.depth
        c, bh = h * d, b * h if isinstance(b, int) else f"{b} * {h}"
        given = {"x": [b, n, c], "w": [c, 3 * c], "a": [3 * c], "u": [c, c]}
        x, w, a, u = ((f"%{name}", self.type(dims)) for name, dims in given.items())
        p = self.contract([x, w], [n, b, 3 * c], "l, b, n, k", "b, l, k", "k, n", "l, b, n")
        p = self.op("add", [p, self.op("broadcast", [a], [n, b, 3 * c], map="affine_map<(l, b, n) -> (n)>")],
                    [n, b, 3 * c])
        p = self.op("reshape", [p], [1, n, b, 3, c])
        p = self.op("reshape", [self.moved(p, [3, n, b, 1, c], "3, 1, 2, 0, 4")], [3, n, b, c])
        scale = self.op("constant", [], [], value=f"dense<{d ** -0.25}> : tensor<f16>")
        scale = self.op("broadcast", [scale], [1, n, b, c], map="affine_map<(a, b, c, d) -> ()>")
        q, k, v = (self.part(p, i) for i in range(3))
        q, k = (self.op("mul", [part, scale], [1, n, b, c]) for part in (q, k))
        q, k, v = (self.op("reshape", [part], [n, bh, d]) for part in (q, k, v))
        q, v = (self.op("reshape", [self.moved(part, [bh, n, d], "1, 0, 2")], [b, h, n, d]) for part in (q, v))
        k = self.op("reshape", [self.moved(k, [bh, d, n], "1, 2, 0")], [b, h, d, n])
        s = self.contract([q, k], [b, h, n, n], "b, h, i, j, k", "b, h, i, k", "b, h, k, j", "b, h, i, j")
        s = self.op("softmax", [s], [b, h, n, n], axes="array<i64: 3>")
        y = self.contract([s, v], [b, h, n, d], "b, h, i, k, j", "b, h, i, j", "b, h, j, k", "b, h, i, k")
        y = self.moved(y, [n, b, h, d], "2, 0, 1, 3")
        y = self.op("reshape", [y], [n, b, c])
        y = self.contract([y, u], [n, b, c], "l, b, n, k", "l, b, k", "k, n", "l, b, n")
        y = self.op("add", [self.moved(y, [b, n, c], "1, 0, 2"), x], [b, n, c])
        inputs = ", ".join(f'%{name}: {self.type(dims)} {{strata.name = "{name}"}}' for name, dims in given.items())
        symbols = ", ".join(f'{{name = "{name}", min = 1, max = 100000, multiple = 1, likely = '
                            f'[{"1, 8, 32" if name == b else "64, 128"}]}}' for name in self.symbols)
        body = "\n  ".join(self.lines)
        return (f'func.func @main({inputs}) -> ({y[1]} {{strata.name = "y"}}) attributes {{strata.symbols = [{symbols}]}} '
                f'{{\n  {body}\n  return {y[0]} : {y[1]}\n}}\n')

    def inputs(self, sizes, generator):
        b, n = (sizes.get(size, size) for size in (self.batch, self.length))
        c = self.heads * self.depth
        draw = lambda scale, *shape: (generator.standard_normal(shape) * scale).astype(np.float16)
        return [draw(1, b, n, c), draw(c ** -0.5, c, 3 * c), draw(1, 3 * c), draw(c ** -0.5, c, c)]

    def wanted(self, given):
        x, w, a, u = (value.astype(np.float64) for value in given)
        p = (x @ w + a).reshape(*x.shape[:2], 3, self.heads, self.depth)
        q, k, v = (p[:, :, i].swapaxes(1, 2) for i in range(3))
        s = q @ k.swapaxes(2, 3) * self.depth ** -0.5
        s = np.exp(s - s.max(-1, keepdims=True))
        return (s / s.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(x.shape) @ u + x


CASES = {
    "batch": Heads("batch", 37),
    "batch_197": Heads("batch", 197, heads=3),
    "length": Heads(3, "length"),
    "both": Heads("batch", "length"),
}


def check(name, generator):
    case = CASES[name]
    path = strata.write(f"{name}.mlir", case.text())
    library = gpu.Library(strata.compile_library(path, "out", name, ["--target=nvgpu", "--device=emulated_90"])[0])
    kernels = {kernel.name.split(b"_v")[0] for kernel in library.kernels}  # and variants of them
    assert len(kernels) == 3, f"{len(kernels)} kernels instead of two products and attention"
    for i in range(len(EDGES) if name != "batch_197" else 2):
        edges = {"batch": EDGES[i] if name != "both" else EDGES[i] % 4 + 1, "length": LENGTHS[i % len(LENGTHS)]}
        sizes = {symbol: edges[symbol] for symbol in case.symbols}
        given = case.inputs(sizes, generator)
        wanted = case.wanted(given)
        got, = library.run(given, [sizes[symbol] for symbol in case.symbols])
        error = np.linalg.norm(got.astype(np.float64) - wanted) / np.linalg.norm(wanted)
        assert error < 2 * EPSILON, f"{sizes}: {error}"
    library.unload()


def main():
    gpu.report_drawn((name, functools.partial(check, name)) for name in strata.some(CASES))


main()
