"""Rows times their sequences' matrices on the emulated device, as a pipelined product whose tiles are of one sequence: what
numpy computes in f64, of sequences of any lengths, and of few rows, whose numbers are known; of bad offsets what is promised."""
import tempfile

import numpy as np

import gpu
import strata
from jagged_attention_test import BAD, OFFSETS, call, compile_graph, draw, jagged

SIZES = {"square": (64, 64), "odd": (40, 24), "wide": (128, 136), "several": (72, 520), "deep": (264, 256)}


# Rows, sequences, steps, columns, whether matrices lie along the steps; what the schedule has. Of at most 8/7 as many rows as
# sequences, tiles begin at rows.
FEW = {
    "single": (1, 3, 72, 200, True, "tile = array<i64: 8, 64, "),
    "token": (4, 40, 264, 136, True, "tile = array<i64: 8, 64, "),
    "tokens": (32, 40, 72, 520, False, "tile = array<i64: 8, "),
    "shared": (2, 3, 2056, 72, True, "parts = "),
    "shared_across": (3, 4, 2048, 64, False, "parts = "),
    "tiles": (70, 20, 136, 72, True, "tile = array<i64: 8, "),
    "tiles_16": (60, 9, 72, 64, False, "tile = array<i64: 16, "),
    "tiles_32": (130, 9, 72, 136, True, "tile = array<i64: 32, "),
    "tiles_64": (300, 10, 72, 200, True, "tile = array<i64: 64, "),
}
# What a product of either type is computed to: half a unit in the last place.
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8}


def build(steps, columns, sizes=None, element="f16", along=False, count="b"):
    """|along|: the matrices lie along the steps; |count|: sequences. Of bf16 operands and results are f32 outside."""
    graph = jagged.Graph(sizes)
    outside = "f32" if element == "bf16" else element
    x, w, o = (graph.input("x", ["t", steps], outside),
               graph.input("w", [count, columns, steps] if along else [count, steps, columns], outside),
               graph.input("o", [f"{count} + 1"] if count == "b" else [count + 1], "i64"))
    if outside != element:
        x, w = (graph.op("convert", [operand], operand[1], element) for operand in (x, w))
    if along:
        w = graph.op("transpose", [w], [count, steps, columns], attrs="permutation = array<i64: 0, 2, 1>")
    y = graph.op("jagged_matmul", [x, w, o], ["t", columns])
    return graph, [graph.op("convert", [y], y[1], outside) if outside != element else y]


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


def routings(random, rows, count):
    """All rows to one sequence, the first or the last; as equally as they go; drawn; drawn of two."""
    for sequences in (np.zeros(rows, int), np.full(rows, count - 1), np.arange(rows) % count,
                      random.integers(0, count, rows), random.choice(random.integers(0, count, 2), rows)):
        yield np.concatenate([[0], np.cumsum(np.bincount(sequences, minlength=count))])


def rounded(x, element):
    return (strata.from_bf16(strata.to_bf16(x)) if element == "bf16" else x).astype(float)


def check_routings(library, graph, results, sizes, random, element, along):
    for o in routings(random, sizes["t"], sizes["b"]):
        (x, w, _), (got,) = call(library, graph, results, sizes, dict(o=o), int(random.integers(2**32)))
        x, w = rounded(x, element), rounded(w, element)
        steps, w = x.shape[1], w.transpose(0, 2, 1) if along else w
        parts = [(x[first:last], w[i]) for i, (first, last) in enumerate(zip(o, o[1:]))]
        wanted, terms = (np.concatenate(y) for y in zip(*((x @ w, abs(x) @ abs(w)) for x, w in parts)))
        # The result's rounding, of f16 below its normal numbers too, and that of each sum in f32, which is as large as the
        # terms at most, in any order and towards zero.
        bound = abs(wanted) * UNIT[element] + 2.0**-25 + terms * (steps * 2.0**-23)
        assert (abs(got.astype(float) - wanted) <= bound).all(), f"{element} {sizes} {o}"
    for bad in [random.integers(-3, sizes["t"] + 4, sizes["b"] + 1) for _ in range(3)]:
        first, again = (call(library, graph, results, sizes, dict(o=bad), 1)[1][0] for _ in range(2))
        assert np.isfinite(first.astype(float)).all(), f"offsets {bad}"
        np.testing.assert_array_equal(first, again, err_msg=f"offsets {bad}")


def run_few(name, folder, element):
    rows, count, steps, columns, along, form = FEW[name]
    sizes = dict(t=rows, b=count, u=1)
    graph, results = build(steps, columns, sizes, element, along)
    library = compile_graph(graph, results, folder, name + element, kind="segment_contract", form=f".*{form}")
    check_routings(library, graph, results, sizes, strata.generator_of(name + element), element, along)


def run_varying(folder):
    """Of 20 sequences up to 22 rows are few, of one sequence one."""
    random = strata.generator_of("varying")
    drawn = (1, int(random.integers(2, 22)), 22, 23, int(random.integers(24, 300)))
    for count, few, sizes in ((1, "t == 1", (1, 2)), (20, "t <= 22", drawn)):
        graph, results = build(136, 72, along=True, count=count)
        library = compile_graph(graph, results, folder, f"varying{count}", kind="segment_contract",
                                form=f"(?s:.*)_v1 where {few}: segment_contract, tile 8 x")
        for rows in sizes:
            check_routings(library, graph, results, dict(t=rows, b=count, u=1), random, "f16", True)


def main():
    gpu.use_stand_in()
    names, _ = strata.own_arguments()
    with tempfile.TemporaryDirectory() as folder:
        cases = {name: lambda name=name: run_case(name, folder) for name in SIZES}
        cases |= {name: lambda name=name: run_few(name, folder, "f16") for name in FEW}
        cases |= {"bf16": lambda: run_few("token", folder, "bf16"), "varying": lambda: run_varying(folder)}
        strata.report((name, cases[name]) for name in names or cases)


if __name__ == "__main__":
    main()
