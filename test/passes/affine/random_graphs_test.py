"""Random graphs of views, concats, pads, reductions and elementwise ops at level 2, before and after the passes that
place, group and reshape nests. `random_graphs_test.py SEED` tries another seed."""
import sys

import numpy as np

import strata
from level2 import Case, i64s, run_cases

N_GRAPHS, MAX_SIZE = 150, 400
PIPELINES = ["strata-to-affine"]
for name in ("affine-split-dims", "affine-layout", "affine-group", "affine-coalesce"):
    PIPELINES.append(PIPELINES[-1] + "," + name)


class Graph:
    def __init__(self, name, random):
        self.random = random
        inputs = [random.integers(-4, 5, random.integers(1, 5, random.integers(1, 4))).astype(np.float32)
                  for _ in range(2)]
        self.case = Case(name, *inputs)
        self.values = [(f"%x{i}", x) for i, x in enumerate(inputs)]

    def below(self, n):
        return int(self.random.integers(n))

    def pick(self, condition=lambda x: True):
        found = [value for value in self.values[-6:] if condition(value[1])]
        return found[self.below(len(found))] if found else (None, None)

    def add(self, mnemonic, names, array, **attrs):
        array = np.array(array, np.float32, order="C")
        self.values.append((self.case.op(mnemonic, names, array, **attrs), array))

    def transpose(self):
        name, x = self.pick()
        permutation = self.random.permutation(x.ndim).tolist()
        self.add("transpose", [name], x.transpose(permutation), permutation=i64s(permutation))

    def reshape(self):
        name, x = self.pick()
        sizes, rest = [1] * (1 + self.below(4)), x.size
        for prime in (2, 3, 5, 7, 11, 13):
            while rest % prime == 0:
                sizes[self.below(len(sizes))] *= prime
                rest //= prime
        sizes[self.below(len(sizes))] *= rest
        self.add("reshape", [name], x.reshape(sizes))

    def slice(self):
        name, x = self.pick()
        starts, steps, indices = [], [], []
        for size in x.shape:
            count = 1 + self.below(size)
            step = 1 + self.below((size - 1) // (count - 1)) if count > 1 else 1
            start = self.below(size - (count - 1) * step)
            index = [start + i * step for i in range(count)]
            if self.below(3) == 0:
                index, step = index[::-1], -step
            starts.append(index[0])
            steps.append(step)
            indices.append(index)
        self.add("slice", [name], x[np.ix_(*indices)] if x.ndim else x, starts=i64s(starts), steps=i64s(steps))

    def broadcast(self):
        name, x = self.pick(lambda x: x.size < MAX_SIZE)
        if name:
            axis, size = self.below(x.ndim + 1), 1 + self.below(3)
            dims = [f"d{i}" for i in range(x.ndim + 1)]
            kept = dims[:axis] + dims[axis + 1:]
            self.add("broadcast", [name], np.repeat(np.expand_dims(x, axis), size, axis),
                     map=f"affine_map<({', '.join(dims)}) -> ({', '.join(kept)})>")

    def neg(self):
        name, x = self.pick()
        self.add("neg", [name], -x)

    def sub(self):
        name, x = self.pick()
        other, y = self.pick(lambda y: y.shape == x.shape)
        self.add("sub", [name, other], x - y)

    def reduce(self):
        name, x = self.pick(lambda x: x.ndim > 0)
        if name:
            axis = self.below(x.ndim)
            self.add("reduce", [name], x.max(axis), kind='"max"', axes=i64s([axis]))

    def pad(self):
        name, x = self.pick(lambda x: 0 < x.ndim and x.size < MAX_SIZE)
        if name:
            low, high = (self.random.integers(0, 3, x.ndim).tolist() for _ in range(2))
            self.add("pad", [name], np.pad(x, list(zip(low, high)), constant_values=3), low=i64s(low),
                     high=i64s(high), value="3.0 : f32")

    def concat(self):
        name, x = self.pick(lambda x: 0 < x.ndim and x.size < MAX_SIZE)
        if name:
            axis = self.below(x.ndim)
            other, y = self.pick(lambda y: y.ndim == x.ndim and y.size < MAX_SIZE and
                                 np.delete(y.shape, axis).tolist() == np.delete(x.shape, axis).tolist())
            self.add("concat", [name, other], np.concatenate([x, y], axis), axis=f"{axis} : i64")


OPS = [Graph.transpose, Graph.reshape, Graph.slice, Graph.broadcast, Graph.neg, Graph.sub, Graph.reduce, Graph.pad,
       Graph.concat, Graph.concat, Graph.reshape, Graph.neg]


def random_case(name, random):
    graph = Graph(name, random)
    for _ in range(4 + graph.below(14)):
        OPS[graph.below(len(OPS))](graph)
    results = [graph.values[-1]] + [graph.pick() for _ in range(graph.below(4))]
    graph.case.returns([name for name, _ in results], *[x for _, x in results])
    return graph.case


def main():
    random = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    cases = strata.every(random_case(f"graph {i}", random) for i in range(N_GRAPHS))
    return sum(run_cases(cases, pipeline) for pipeline in PIPELINES) != 0


if __name__ == "__main__":
    sys.exit(main())
