"""Norms in the kernel of the product before them where the number of rows varies, on the emulated device that has
asynchronous products: one library for all sizes against NumPy in double precision, at sizes below, at and beyond the
edges of tiles, and some that are drawn. Rows of one tile and of a cluster's tiles."""
import functools

import numpy as np

import gpu
import strata

STEPS, EPSILON = 128, 1e-3
EDGES = [1, 7, 63, 64, 65, 128, 130, 511, 1000]
# columns, likely numbers of rows, whether rows are of two symbols
CASES = {"one_tile": (96, "64, 1000", False), "cluster": (768, "128, 4096", False), "hangs": (328, "100, 2000", False),
         "batches": (512, "16, 300", True)}


def text(columns, likely, is_batched):
    rows, dims, marks = ("b, m", "s0, s1", "?x?") if is_batched else ("m", "s0", "?")
    symbols = "[s0, s1]" if is_batched else "[s0]"
    of = lambda n, element: f"tensor<{marks}x{n}x{element}, affine_map<(){symbols} -> ({dims}, {n})>>"
    x, y, w, v = of(STEPS, "f16"), of(columns, "f32"), f"tensor<{STEPS}x{columns}xf16>", f"tensor<{columns}xf32>"
    maps = ", ".join(f"affine_map<({rows}, n, k) -> ({r})>" for r in (f"{rows}, k", "k, n", f"{rows}, n"))
    names = ["batch", "rows"] if is_batched else ["rows"]
    given = ", ".join(f'{{name = "{n}", min = 1, max = 100000, likely = [{likely if n == "rows" else "1, 8"}]}}'
                      for n in names)
    return f"""func.func @main(%x: {x} {{strata.name = "x"}}, %w: {w} {{strata.name = "w"}}, %r: {y} {{strata.name = "r"}},
    %g: {v} {{strata.name = "g"}}) -> ({y} {{strata.name = "y"}}) attributes {{strata.symbols = [{given}]}} {{
  %p = "strata.contract"(%x, %w) {{zero_pad = false, origin = "matmul", maps = [{maps}]}} : ({x}, {w}) -> {y}
  %s = "strata.add"(%p, %r) : ({y}, {y}) -> {y}
  %y = "strata.layer_norm"(%s, %g, %g) {{axes = array<i64: {2 if is_batched else 1}>, epsilon = {EPSILON} : f64}} : ({y}, {v}, {v}) -> {y}
  return %y : {y}
}}
"""


def check(name, random):
    columns, likely, is_batched = CASES[name]
    path = strata.write(f"{name}.mlir", text(columns, likely, is_batched))
    library = gpu.Library(strata.compile_library(path, "out", f"norms_{name}", [
        "--target=nvgpu", "--device=emulated_90", "--fuse-norms"])[0])
    assert len(library.kernels) == 1, f"{len(library.kernels)} kernels"
    for rows in EDGES + [int(n) for n in random.integers(2, 2000, 2)]:
        sizes = [3, rows] if is_batched else [rows]
        x = random.standard_normal((*sizes, STEPS)).astype(np.float16)
        w = (random.standard_normal((STEPS, columns)) * STEPS ** -0.5).astype(np.float16)
        r = (random.standard_normal((*sizes, columns)) + 3).astype(np.float32)
        g = random.standard_normal(columns).astype(np.float32)
        got, = library.run([x, w, r, g], sizes)
        total = x.astype(np.float64) @ w.astype(np.float64) + r
        centered = total - total.mean(-1, keepdims=True)
        wanted = centered / np.sqrt((centered ** 2).mean(-1, keepdims=True) + EPSILON) * g + g
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5, err_msg=f"{name} {sizes}")
    library.unload()


def main():
    gpu.report_drawn((name, functools.partial(check, name)) for name in strata.some(CASES))


main()
