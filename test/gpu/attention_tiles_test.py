"""Attention by the tiles that there are for it where threads stage what they multiply: on multiply-adds all of them, on the
emulated device and, compiled only, on gfx942 whose shared memory is as small; on AMD's matrix instructions, of each type
on devices that have it, every third one. Against NumPy in double precision. Heads, values and lengths that fill no tile."""
import sys

import numpy as np

import gpu
import strata

random = np.random.default_rng(3)
NUMPY = {"f16": np.float16, "f32": np.float32}
TOLERANCE = {"f16": 2e-3, "f32": 2e-6}
# Batches, rows, columns, depth, depth of values; devices whose matrix instructions it fits.
PROBLEMS = [((9, 70, 100, 40, 72), "f16", ["emulated_942", "emulated_1201"]), ((16, 45, 77, 64, 64), "f32", ["emulated_942"]),
            ((16, 33, 50, 200, 136), "f16", ["emulated_950"]), ((16, 70, 100, 64, 64), "f16", ["emulated_1100"])]


def tensor(kind, *shape):
    return f"tensor<{'x'.join(map(str, shape))}x{kind}>"


def text(sizes, kind):
    b, r, c, d, e = sizes
    q, k, v, y = tensor(kind, b, r, d), tensor(kind, b, c, d), tensor(kind, b, c, e), tensor(kind, b, r, e)
    scores, weights, wide = tensor("f32", b, r, c), tensor(kind, b, r, c), tensor("f32", b, r, e)
    maps = [", ".join(f"affine_map<({dims}) -> ({results})>" for results in all_results) for dims, all_results in
            (("b, i, j, d", ("b, i, d", "b, j, d", "b, i, j")), ("b, i, e, j", ("b, i, j", "b, j, e", "b, i, e")))]
    narrow, result = ("%3", "%5") if kind != "f32" else ("%1", "%4")
    return f"""func.func @main(%q: {q} {{strata.name = "q"}}, %k: {k} {{strata.name = "k"}}, %v: {v} {{strata.name = "v"}}) -> ({y} {{strata.name = "y"}}) {{
  %0 = "strata.contract"(%q, %k) {{maps = [{maps[0]}], zero_pad = false, origin = "matmul"}} : ({q}, {k}) -> {scores}
  %1 = "strata.softmax"(%0) {{axes = array<i64: 2>}} : ({scores}) -> {scores}
  %3 = "strata.convert"(%1) : ({scores}) -> {weights}
  %4 = "strata.contract"({narrow}, %v) {{maps = [{maps[1]}], zero_pad = false, origin = "matmul"}} : ({weights}, {v}) -> {wide}
  %5 = "strata.convert"(%4) : ({wide}) -> {y}
  return {result} : {y}
}}
"""


def values(sizes, kind):
    b, r, c, d, e = sizes
    return [random.standard_normal(shape).astype(NUMPY[kind]) for shape in ((b, r, d), (b, c, d), (b, c, e))]


def expected(q, k, v):
    scores = np.einsum("bid,bjd->bij", q.astype(np.float64), k.astype(np.float64))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64)


def schedules(name, options):
    """Lines of a file, one a candidate."""
    with open("ask.schedule", "w", encoding="utf-8") as file:
        file.write(f"candidates k0 {options[-1].split('=')[1]}\n")
    told = strata.strata(name, *options, "--schedule=ask.schedule", "--explain", "--compile-to=affine", "-o", "asked.mlir")
    lines = [line.split(" # ")[0] for line in told.splitlines() if line.startswith("candidate ")]
    return [line.replace("candidate", "schedule", 1) for line in lines]


def compiled(path, name, options, schedule):
    with open("tile.schedule", "w", encoding="utf-8") as file:
        file.write(schedule + "\n")
    return strata.compile_library(path, "out", name, [*options, "--schedule=tile.schedule"])[0]


def check_device(number, path, device, sizes, kind, arguments, every):
    exact = ["--mm-conv-precision-mode=fp32"] if kind == "f32" else []
    options, want = ["--target=nvgpu", *exact, f"--device={device}"], expected(*arguments)
    lines, failed = schedules(path, options), 0
    failed += any('kind = "attention"' not in line or ("mma" in line) != (device != "emulated_fma") for line in lines)
    for i, line in enumerate(lines[number % every::every]):
        library = gpu.Library(compiled(path, f"tiles_{number}_{device}_{i}", options, line))
        got = library.run(arguments)[0].astype(np.float64).reshape(want.shape)
        library.unload()
        error = np.abs(got - want).max() / np.abs(want).max()
        if not error <= TOLERANCE[kind]:
            failed += 1
            print(f"{sizes} {kind}: {error:.1e} by {line}")
    return failed, len(lines)


def check(number, sizes, kind, devices):
    path, arguments = "tiles.mlir", values(sizes, kind)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(sizes, kind))
    failed, n_tiles = check_device(number, path, "emulated_fma", sizes, kind, arguments, 1)
    failed += n_tiles == 0
    for device in devices:
        wrong, n_tiles = check_device(number, path, device, sizes, kind, arguments, 3)
        failed += wrong + (n_tiles == 0)
    amd = ["--target=amdgpu", "--gpu-no-tensor-core", "--device=gfx942"]
    for line in schedules(path, amd)[::4]:
        compiled(path, f"tiles_amd_{number}", amd, line)
    return failed


def main():
    gpu.use_stand_in()
    return sum(check(number, *problem) for number, problem in strata.every(enumerate(PROBLEMS))) != 0


if __name__ == "__main__":
    sys.exit(main())
