"""Rows times their sequences' matrices on the emulated device, as a pipelined product whose tiles are of one sequence: what
numpy computes in f64, of sequences of any lengths; of bad offsets what is promised."""
import tempfile

import numpy as np

import gpu
import strata
from jagged_attention_test import BAD, OFFSETS, call, compile_graph, draw, jagged

SIZES = {"square": (64, 64), "odd": (40, 24), "wide": (128, 136), "several": (72, 520), "deep": (264, 256)}


def build(steps, columns):
    graph = jagged.Graph(None)
    x, w, o = (graph.input("x", ["t", steps], "f16"), graph.input("w", ["b", steps, columns], "f16"),
               graph.input("o", ["b + 1"], "i64"))
    return graph, [graph.op("jagged_matmul", [x, w, o], ["t", columns])]


def run_case(name, folder):
    graph, results = build(*SIZES[name])
    library = compile_graph(graph, results, folder, name, kind="segment_contract")
    random = strata.generator_of(name)
    for seed, o in enumerate([np.array(o) for o in OFFSETS] + [draw(random, int(random.integers(1, 30)))]):
        sizes = dict(t=max(1, int(o[-1])), b=len(o) - 1, u=1)
        (x, w, _), (got,) = call(library, graph, results, sizes, dict(o=o), seed)
        rows, x, w = int(o[-1]), x.astype(float), w.astype(float)
        wanted = np.concatenate([x[first:last] @ w[i] for i, (first, last) in enumerate(zip(o, o[1:]))])
        np.testing.assert_allclose(got[:rows].astype(float), wanted, rtol=4e-3, atol=2e-2, err_msg=f"{o}")
    for bad in BAD:
        sizes = dict(t=500, b=4, u=1)
        first, again = (call(library, graph, results, sizes, dict(o=np.array(bad)))[1][0] for _ in range(2))
        assert np.isfinite(first).all(), f"offsets {bad}"
        np.testing.assert_array_equal(first, again, err_msg=f"offsets {bad}")


def main():
    gpu.use_stand_in()
    names, _ = strata.own_arguments()
    with tempfile.TemporaryDirectory() as folder:
        strata.report((name, lambda name=name: run_case(name, folder)) for name in names or SIZES)


if __name__ == "__main__":
    main()
