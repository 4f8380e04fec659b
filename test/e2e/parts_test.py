"""Random graphs of concats compute what NumPy does, on the cpu and on the emulated device: of inputs, of what is computed
from them elementwise, by rows and by products, of parts that read other parts; of odd widths, read and given back.
`parts_test.py SEED` tries another seed. A concat of very many parts takes few launches, a split into as many too."""
import sys

import numpy as np

import gpu
import strata
from level2 import Case, i64s

N_GRAPHS = 4 if strata.SANITIZED else 12
NN = ("affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>")


class Graph:
    """Small whole numbers, so that every result is exact in f16."""

    def __init__(self, rng, rows):
        self.rng, self.rows = rng, rows
        widths = [int(rng.integers(1, 70)) for _ in range(6)] + [16, 32, 64]
        inputs = [rng.integers(-2, 3, (rows, width)).astype(np.float16) for width in widths]
        self.weights = [rng.integers(-1, 2, (64, n)).astype(np.float16) for n in (64, 24, 7)]
        self.case = Case("parts", *inputs, *self.weights)
        self.values = [(f"%x{i}", array) for i, array in enumerate(inputs)]
        self.lists = []  # of values that dense() has joined

    def pick(self):
        return self.values[int(self.rng.integers(len(self.values)))]

    def add(self, op, operands, out, **attrs):
        out = out.astype(np.float16)
        value = self.case.op(op, operands, out, **attrs), out
        if np.abs(out).max() < 512:
            self.values.append(value)
        return value

    def elementwise(self):
        name, x = self.pick()
        op, out = [("relu", np.maximum(x, 0)), ("neg", -x), ("abs", np.abs(x))][int(self.rng.integers(3))]
        return self.add(op, [name], out)

    def slice(self):
        name, x = self.pick()
        first = int(self.rng.integers(x.shape[1]))
        size = int(self.rng.integers(1, x.shape[1] - first + 1))
        return self.add("slice", [name], x[:, first:first + size], starts=i64s([0, first]),
                        sizes=i64s([self.rows, size]), steps=i64s([1, 1]))

    def row(self):
        name, x = self.pick()
        most = x.max(axis=1)
        reduced = self.case.op("reduce", [name], most, kind='"max"', axes=i64s([1]))
        wide = self.case.op("broadcast", [reduced], x, map="affine_map<(i, j) -> (i)>")
        return self.add("sub", [name, wide], x - most[:, None])

    def product(self):
        fitting = [(name, x) for name, x in self.values if x.shape[1] == 64 and np.abs(x).max() < 8]
        name, x = fitting[int(self.rng.integers(len(fitting)))]
        i = int(self.rng.integers(len(self.weights)))
        out = (x.astype(np.float64) @ self.weights[i]).astype(np.float16)
        name = self.case.op("contract", [name, f"%x{9 + i}"], out, maps=f"[{NN}]", zero_pad="false",
                            origin='"matmul"')
        return self.add("relu", [name], np.maximum(out, 0))

    def concat(self):
        name, x = self.pick()
        for _ in range(int(self.rng.integers(1, 7))):
            make = [self.pick, self.elementwise, self.row, self.product][int(self.rng.integers(4))]
            other, y = make()
            if x.shape[1] + y.shape[1] < 600:
                x = np.concatenate([x, y], 1)
                name = self.case.op("concat", [name, other], x, axis="1 : i64")
        self.values.append((name, x))
        return name, x

    def join(self, parts):
        """A concat of the parts, of halves cut anywhere."""
        if len(parts) == 1:
            return parts[0]
        at = int(self.rng.integers(1, len(parts)))
        (left, x), (right, y) = self.join(parts[:at]), self.join(parts[at:])
        out = np.concatenate([x, y], 1)
        return self.case.op("concat", [left, right], out, axis="1 : i64"), out

    def dense(self):
        """Joins what has been joined before, or a run of it, and more in front or behind."""
        parts = list(self.lists[int(self.rng.integers(len(self.lists)))]) if self.lists else [self.pick()]
        first = int(self.rng.integers(len(parts))) if self.rng.integers(4) == 0 else 0
        more = [self.pick, self.elementwise, self.product][int(self.rng.integers(3))]()
        parts = [more] + parts[first:] if self.rng.integers(3) == 0 else parts[first:] + [more]
        if sum(x.shape[1] for _, x in parts) < 600:
            self.lists.append(parts)
            self.values.append(self.join(parts))

    def build(self):
        for _ in range(10):
            [self.elementwise, self.slice, self.concat, self.dense, self.dense][int(self.rng.integers(5))]()
        results = [self.concat() for _ in range(2)] + self.values[-4:]
        results = [self.add("neg", [name], -x) if name.startswith("%x") else (name, x) for name, x in results]
        self.case.returns([name for name, _ in results], *[x for _, x in results])
        return self.case


def libraries(case, name):
    with open(f"{name}.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    yield "cpu", strata.Library(strata.compile_library(f"{name}.mlir", ".", f"{name}_cpu")[0])
    for device in ("emulated_90", "emulated"):
        yield device, gpu.Library(gpu.compile_case(case, f"{name}_{device}", device=device))


def check(case, name, most_launches=None):
    for device, library in libraries(case, name):
        for i, (got, out) in enumerate(zip(library.run(case.inputs), case.outputs)):
            if not (got.reshape(out.shape) == out).all():
                sys.exit(f"{name} on {device}: result {i} is wrong\n{case.text()}")
        launches = len(library.launches)
        assert not most_launches or launches <= most_launches[device], f"{name} on {device}: {launches} launches"


def many_inputs(n, width=lambda i: 5, negates=False):
    inputs = [np.full((3, width(i)), i % 64, np.float16) for i in range(n)]
    case = Case("many inputs", *inputs)
    parts = [(case.op("neg", [f"%x{i}"], -x), -x) if negates else (f"%x{i}", x) for i, x in enumerate(inputs)]
    name, x = parts[0]
    for part, y in parts[1:]:
        x = np.concatenate([x, y], 1)
        name = case.op("concat", [name, part], x, axis="1 : i64")
    case.returns([name], x)
    return case


def many_results(n):
    x = np.arange(3 * 5 * n).reshape(3, 5 * n).astype(np.float16)
    case = Case("many results", x)
    parts = [x[:, 5 * i:5 * i + 5] for i in range(n)]
    case.returns([case.op("slice", ["%x0"], part, starts=i64s([0, 5 * i]), sizes=i64s([3, 5]), steps=i64s([1, 1]))
                  for i, part in enumerate(parts)], *parts)
    return case


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    gpu.use_stand_in()
    for i in range(N_GRAPHS):
        rng = np.random.default_rng([seed, i])
        check(Graph(rng, int(rng.integers(1, 40))).build(), f"graph_{i}")
    check(many_inputs(150), "many_inputs", {"cpu": 3, "emulated_90": 1, "emulated": 1})
    check(many_inputs(100, lambda i: 1 + i * 7 % 90), "many_widths", {"cpu": 2, "emulated_90": 1, "emulated": 1})
    check(many_inputs(100, negates=True), "many_computed", {"cpu": 2, "emulated_90": 1, "emulated": 1})
    check(many_results(150), "many_results", {"cpu": 3, "emulated_90": 1, "emulated": 1})
    print(f"{N_GRAPHS} graphs passed")


if __name__ == "__main__":
    main()
