"""Attention within sequences on the emulated device, where a task is a tile of rows of one sequence: what numpy computes in
f64, of sequences of any lengths (empty ones, of one row, of no multiple of a tile), of bad offsets what is promised."""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import gpu
import strata
from strata import BIN

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
import execute
import jagged_test as jagged

# heads, groups, elements of keys and of values, causal, keys of other sequences, numbers for sizes
CASES = {"plain": (2, 2, 64, 64, False, False, False), "causal": (2, 1, 64, 64, True, False, False),
         "wide": (1, 1, 128, 128, True, False, False), "narrow": (3, 3, 16, 48, False, False, False),
         "cross": (2, 2, 32, 64, False, True, False), "causal_cross": (2, 1, 32, 32, True, True, False),
         "numbers": (2, 1, 64, 64, False, False, True), "causal_numbers": (2, 2, 64, 64, True, False, True)}
OFFSETS = [[0, 1], [0, 129, 129, 130, 300, 300, 428, 429], [0, 700], [0] + [64] * 9, [0, 0, 0, 3, 3],
           list(np.cumsum([0] + [1, 2, 3, 5, 7, 0, 11, 13, 0, 0, 17, 127, 128, 129, 255, 256, 257]))]
KEYS = [[0, 70], [0, 1, 200, 200, 340, 341, 341, 600], [0, 1], list(range(0, 700, 70)), [0, 0, 5, 5, 9],
        list(np.cumsum([0] + [300, 0, 1, 2, 0, 0, 128, 129, 5, 0, 64, 63, 65, 200, 0, 12, 260]))]
# More tiles than a tile is ordered among.
MANY = list(np.cumsum([0] + [1, 2] * 260 + [150, 300] + [0, 1] * 10))
BAD = [[0, 400, 100, 450, 500], [-5, -7, 3, 600, 500], [7] * 5, [2**31 - 1] * 5, [500, 400, 300, 200, 100], [30, 100, 200,
                                                                                                          300, 470]]


def draw(random, count):
    lengths = random.integers(0, 400, count) * (random.random(count) > 0.3)
    return np.concatenate([[0], np.cumsum(lengths)])


def build(case, element, sizes):
    heads, groups, size, value, causal, cross, _ = case
    graph = jagged.Graph(sizes)
    results, reference = jagged.attention(heads, groups, size, value, causal, cross)(graph, element)
    return graph, results, reference


def compile_graph(graph, results, folder, name, device="emulated_90", form='mma = "wgmma', kind="segment_attention",
                  likely=()):
    path, out = os.path.join(folder, name + ".mlir"), os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        text = graph.text(results)
        for symbol, size in likely:
            text = text.replace(f'{{name = "{symbol}"', f'{{likely = [{size}], name = "{symbol}"')
        file.write(text)
    run = subprocess.run([os.path.join(BIN, "strata"), path, "--target=nvgpu", f"--device={device}", "--aot",
                          "--aot-name=" + name, "-o", out, "--explain"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert re.search(f'kind = "{kind}", {form}', run.stdout + run.stderr), "a thread a row"
    return strata.Library(os.path.join(out, f"lib{name}.so"))


def call(library, graph, results, sizes, offsets, seed=0):
    inputs, outputs = jagged.tensors(np.random.default_rng(seed), graph, results, sizes, offsets)
    numbers = None if graph.sizes else [sizes[n] for n in graph.names]
    got = execute.run(library, [x.tobytes() for x in inputs], numbers)
    return inputs, [np.frombuffer(x, y.dtype).reshape(y.shape) for x, y in zip(got, outputs)]


def compare(library, graph, results, reference, o, ko, seed):
    sizes = dict(t=max(1, int(o[-1])), b=len(o) - 1, u=max(1, int(ko[-1])))
    inputs, got = call(library, graph, results, sizes, dict(o=o, ko=ko), seed)
    wanted = reference(*[x if x.dtype.kind == "i" else x.astype(np.float64) for x in inputs])
    rows = int(o[-1])  # one more that is no sequence's where there are none
    for a, b in zip(wanted, got):
        np.testing.assert_allclose(b[:rows].astype(np.float64), a[:rows], rtol=4e-3, atol=2e-3, err_msg=f"{o} {ko}")


def compare_beside_nan(library, graph, results, reference, cross):
    """What is in one sequence, and in rows of none, is nothing to the others."""
    o, ko = np.array([0, 100, 150, 333]), np.array([0, 70, 200, 255])
    ko = ko if cross else o
    sizes = dict(t=400, b=3, u=400)
    inputs, outputs = jagged.tensors(np.random.default_rng(5), graph, results, sizes, dict(o=o, ko=ko))
    wanted = reference(*[x if x.dtype.kind == "i" else x.astype(np.float64) for x in inputs])
    inputs[0][o[1]:o[2]] = inputs[0][o[3]:] = np.nan
    for x in inputs[1:3]:
        x[ko[1]:ko[2]] = x[ko[3]:] = np.nan
    got = execute.run(library, [x.tobytes() for x in inputs], [sizes[n] for n in graph.names])
    for a, b, y in zip(wanted, got, outputs):
        b = np.frombuffer(b, y.dtype).reshape(y.shape).astype(np.float64)
        for rows in (slice(o[0], o[1]), slice(o[2], o[3])):
            np.testing.assert_allclose(b[rows], a[rows], rtol=4e-3, atol=2e-3, err_msg="beside NaN")


def run_varying(case, folder, name, element="f16", more=(), **device):
    graph, results, reference = build(case, element, None)
    library = compile_graph(graph, results, folder, name, **device)
    random = strata.generator_of(name)
    count = int(random.integers(1, 30))
    drawn = [(draw(random, count), draw(random, count))]
    for seed, (o, ko) in enumerate([(np.array(o), np.array(k)) for o, k in zip(OFFSETS, KEYS)] + drawn + list(more)):
        compare(library, graph, results, reference, o, ko if case[5] else o, seed)
    compare_beside_nan(library, graph, results, reference, case[5])
    for bad in BAD:  # two calls agree, and all is finite
        sizes = dict(t=500, b=4, u=500)
        first, again = (call(library, graph, results, sizes, dict(o=np.array(bad), ko=np.array(bad)))[1] for _ in range(2))
        for a, b in zip(first, again):
            assert np.isfinite(a).all(), f"offsets {bad}"
            np.testing.assert_array_equal(a, b, err_msg=f"offsets {bad}")


def run_numbers(case, folder, name):
    o = np.array(OFFSETS[-1])
    graph, results, reference = build(case, "f16", dict(t=int(o[-1]), b=len(o) - 1, u=int(o[-1])))
    library = compile_graph(graph, results, folder, name)
    compare(library, graph, results, reference, o, o, 1)


def run_long(case, folder, name):
    """Where sequences are likely to be long a tile has more rows."""
    graph, results, reference = build(case, "f16", None)
    form = '.*row_slots = 2 : i64, .*tile = array<i64: 192, '
    library = compile_graph(graph, results, folder, name, form=form, likely=[("t", 1 << 16), ("b", 32)])
    for seed, o in enumerate((np.array(OFFSETS[1]), draw(strata.generator_of(name), 3))):
        compare(library, graph, results, reference, o, o, seed)


def run_case(name, folder):
    case = CASES[name]
    if case[6]:
        run_numbers(case, folder, name)
        return
    run_varying(case, folder, name, more=[(np.array(MANY), np.array(MANY))] if name == "causal" else [])
    if name == "plain":
        run_long(case, folder, name + "_long")
    run_varying(case, folder, name + "_fma", "f32", device="emulated_fma", form="threads")
    run_varying(case, folder, name + "_mma", "f16", device="emulated_942", form='mma = "mfma')


def main():
    gpu.use_stand_in()
    names, _ = strata.own_arguments()
    with tempfile.TemporaryDirectory() as folder:
        strata.report((name, lambda name=name: run_case(name, folder)) for name in names or strata.every(CASES))


if __name__ == "__main__":
    main()
