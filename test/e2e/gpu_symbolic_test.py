"""The graphs of symbolic_test.py on the emulated device: at every size, of a few, of all that a tile holds and beyond, a
GPU's library of sizes that vary computes what the cpu's does."""
import tempfile

import numpy as np

import gpu
import strata
import symbolic_test
from symbolic_test import Graph, call, compile_graph, draw, value

TARGET = ["--target=nvgpu", "--device=emulated_90", "--mm-conv-precision-mode=fp32"]
SIZES = [dict(s0=1, s1=1, s2=1), dict(s0=2, s1=7, s2=17), dict(s0=17, s1=2, s2=127), dict(s0=7, s1=127, s2=2),
         dict(s0=3, s1=511, s2=7), dict(s0=127, s1=17, s2=1), dict(s0=16, s1=264, s2=8), dict(s0=8, s1=1032, s2=16)]


def run_case(name, folder):
    random = strata.generator_of(name)
    build, n_symbols, own = symbolic_test.CASES[name]
    graph = Graph(None, n_symbols)
    text = graph.text(build(graph))
    reference = compile_graph(text, folder, "cpu_" + name)
    library = compile_graph(text, folder, "gpu_" + name, TARGET)
    drawn = dict(zip(("s0", "s1", "s2"), map(int, random.integers(1, 70, 3))))
    for sizes in SIZES + [drawn] if own is symbolic_test.SIZES else own:
        static = Graph(sizes, n_symbols)
        results = build(static)
        inputs = [draw(random, [value(d, sizes) for d in shape], element, how)
                  for _, shape, element, how in static.inputs]
        wanted, got = ([np.full([value(d, sizes) for d in r[1]], 77, symbolic_test.TYPES[r[2]]) for r in results]
                       for _ in range(2))
        dims = [sizes[f"s{i}"] for i in range(n_symbols)]
        assert call(reference, inputs, wanted, dims) == 0
        assert call(library, inputs, got, dims) == 0, (name, sizes)
        for i, (a, b) in enumerate(zip(wanted, got)):
            unit = 1e-2 if a.dtype == np.float16 else 1e-4
            tolerance = dict(rtol=unit, atol=unit * max(1, np.abs(a.astype(np.float64)).max(initial=0)))
            np.testing.assert_allclose(b, a, err_msg=f"{name}, output {i}, {sizes}", **tolerance)


def main():
    gpu.use_stand_in()
    with tempfile.TemporaryDirectory() as folder:
        strata.report((name, lambda name=name: run_case(name, folder)) for name in strata.some(symbolic_test.CASES))


if __name__ == "__main__":
    main()
