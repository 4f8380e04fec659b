"""Sums along sizes that vary, in parts: at sizes that fill all parts, some, and none but the first."""
import math
import tempfile

import numpy as np

import gpu
import strata

TARGET = ["--target=nvgpu", "--device=emulated_90"]
TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32}
TOLERANCE = {"f32": 1e-4, "f16": 2e-3, "i32": 0}

# name: of the symbols, their likely sizes; the shape, of numbers and symbols; the axes; how; the type; what the sum is of.
CASES = {
    "columns": ({"rows": 40000}, ["rows", 96], [0], "add", "f32"),
    "largest": ({"rows": 40000}, ["rows", 96], [0], "max", "f16"),
    "least": ({"rows": 40000}, ["rows", 33], [0], "min", "i32"),
    "columns_vary": ({"rows": 40000, "columns": 64}, ["rows", "columns"], [0], "add", "f16"),
    "all": ({"rows": 3000000}, ["rows"], [0], "add", "f32"),
    "batch_and_rows": ({"batch": 8, "rows": 2000000}, ["batch", 5, "rows"], [0, 2], "add", "f32"),
    "images": ({"batch": 8, "h": 4000}, ["batch", 24, "h", 100], [0, 2, 3], "max", "f32"),
    "rows_alone": ({"rows": 4}, ["rows", 2000000], [1], "add", "f32"),
}
MOST_ELEMENTS = 1 << 23
SIZES = [1, 2, 7, 64, 263, 264, 265, 1031]


def text(symbols, shape, axes, kind, element):
    names = list(symbols)

    def tensor(dims):
        exprs = ", ".join(f"s{names.index(d)}" if d in names else str(d) for d in dims)
        used = [names.index(d) for d in dims if d in names]
        over = ", ".join(f"s{i}" for i in range(max(used) + 1)) if used else ""
        sizes = "".join(("?" if d in names else str(d)) + "x" for d in dims)
        return f"tensor<{sizes}{element}, affine_map<()[{over}] -> ({exprs})>>" if used else f"tensor<{sizes}{element}>"

    x, y = tensor(shape), tensor([d for i, d in enumerate(shape) if i not in axes])
    entries = ", ".join(f'{{name = "{n}", min = 1, max = 5000000, likely = [{likely}]}}' for n, likely in symbols.items())
    return f"""func.func @main(%x: {x} {{strata.name = "x"}}) -> ({y} {{strata.name = "y"}})
    attributes {{strata.symbols = [{entries}]}} {{
  %y = "strata.reduce"(%x) {{kind = "{kind}", axes = array<i64: {", ".join(map(str, axes))}>}} : ({x}) -> {y}
  return %y : {y}
}}
"""


def run_case(name, folder):
    random = strata.generator_of(name)
    symbols, shape, axes, kind, element = CASES[name]
    model = strata.write(f"{folder}/{name}.mlir", text(*CASES[name]))
    told = strata.strata(model, "--aot", "--aot-name", name, "-o", folder, "--explain", *TARGET)
    assert "a run: 2 launches" in told, told
    library = gpu.Library(f"{folder}/lib{name}.so")
    for size in SIZES + [int(random.integers(1, 3000))]:
        if size * math.prod(d for d in shape if d not in symbols) > MOST_ELEMENTS:
            continue
        sizes = [size if i == 0 else min(size, 1 + int(random.integers(0, 40))) for i in range(len(symbols))]
        dims = [dict(zip(symbols, sizes)).get(d, d) for d in shape]
        x = (random.standard_normal(dims) * 100).astype(TYPES[element])
        if kind == "add":
            x = (x / 100 + 0.25).astype(TYPES[element])
        got, = library.run([x], sizes)
        wide = x.astype(np.float64)
        wanted = {"add": np.sum, "max": np.max, "min": np.min}[kind](wide, axis=tuple(axes))
        atol = TOLERANCE[element] * max(1.0, np.abs(wide).sum(axis=tuple(axes)).max() if kind == "add" else 0)
        np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=TOLERANCE[element], err_msg=f"{name} {sizes}",
                                   atol=atol if kind == "add" else 0)
    library.unload()


def main():
    gpu.use_stand_in()
    with tempfile.TemporaryDirectory() as folder:
        strata.report((name, lambda name=name: run_case(name, folder)) for name in strata.some(CASES))


if __name__ == "__main__":
    main()
