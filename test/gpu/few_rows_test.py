"""Products of few rows, which stream a matrix of weights, on an emulated device with matrix instructions that read
shared memory: tiles of as many rows as there are, or one, either order of the weights, sizes that tiles hang over."""
import functools
import itertools

import numpy as np

import gpu
import strata
from level2 import from_bf16, to_bf16

NUMBERS = itertools.count()
TOLERANCE = {"bf16": 4e-3, "f16": 5e-4, "f32": 1e-3}
OPTIONS = ["--target=nvgpu", "--device=emulated_90"]


def text(m, n, k, transposed, element, crossed):
    y, read = (f"{n}x{k}", "n, k") if transposed else (f"{k}x{n}", "k, n")
    x, rows = (f"{k}x{m}", "k, m") if crossed else (f"{m}x{k}", "m, k")
    maps = ", ".join(f"affine_map<(m, n, k) -> ({part})>" for part in (rows, read, "m, n"))
    x, y, z, sums = (f"tensor<{part}>" for part in (f"{x}x{element}", f"{y}x{element}", f"{m}x{n}x{element}",
                                                     f"{m}x{n}xf32"))
    rounded = "%0" if element == "f32" else "%1"
    convert = "" if element == "f32" else f'  %1 = "strata.convert"(%0) {{}} : ({sums}) -> {z}\n'
    return f"""func.func @main(%x: {x} {{strata.name = "x"}}, %y: {y} {{strata.name = "y"}}) -> ({z} {{strata.name = "z"}}) {{
  %0 = "strata.contract"(%x, %y) {{maps = [{maps}], zero_pad = false, origin = "matmul"}} : ({x}, {y}) -> {sums}
{convert}  return {rounded} : {z}
}}
"""


def encoded(array, element):
    if element == "bf16":
        return to_bf16(array)
    return array.astype(np.float16 if element == "f16" else np.float32)


def decoded(array, element):
    return (from_bf16(array) if element == "bf16" else array).astype(np.float64)


def check(m, n, k, transposed, element, way, crossed=False):
    """|way|: what the schedule must be; |crossed|: the rows lie across the reduction."""
    options = OPTIONS + ["--mm-conv-precision-mode=tf32"] * (element == "f32")
    generator = np.random.default_rng(m + n + k)
    x = encoded(generator.standard_normal((k, m) if crossed else (m, k)), element)
    y = encoded(generator.standard_normal((n, k) if transposed else (k, n)), element)
    name = f"few_rows{next(NUMBERS)}"
    with open(f"{name}.mlir", "w", encoding="utf-8") as file:
        file.write(text(m, n, k, transposed, element, crossed))
    explained = strata.strata(f"{name}.mlir", "--aot", "--aot-name", name, "-o", "out", *options, "--explain")
    what = f"{m}x{n}x{k} {'NT' if transposed else 'NN'} {element}"
    assert way in explained, f"{what}: not {way}:\n{explained}"
    library = gpu.Library(f"out/lib{name}.so")
    got = decoded(library.run([x, y])[0], element)
    library.unload()
    right = decoded(y, element).T if transposed else decoded(y, element)
    left = decoded(x, element).T if crossed else decoded(x, element)
    expected = left @ right
    error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
    print(f"{what}: {error:.1e}")
    assert error <= TOLERANCE[element], f"{what}: {error:.2e}"


def cases():
    for transposed in (False, True):
        yield functools.partial(check, 1, 520, 8200, transposed, "f16", "swap")
        yield functools.partial(check, 1, 1032, 4120, transposed, "f16", "swap")
        yield functools.partial(check, 2, 320, 8192, transposed, "f16", "swap")
        yield functools.partial(check, 3, 328, 4296, transposed, "f16", "swap")
        yield functools.partial(check, 5, 264, 4096, transposed, "f16", "swap")
        yield functools.partial(check, 8, 264, 2056, transposed, "f16", "swap")
        for m in (16, 17, 33, 100):
            yield functools.partial(check, m, 264, 1096, transposed, "f16", "wgmma")
        # blocks that begin their reductions at different steps, of rows along it
        yield functools.partial(check, 1, 4104, 2048, transposed, "f16", "stagger" if transposed else "swap")
        yield functools.partial(check, 100, 8200, 1024, transposed, "bf16", "stagger" if transposed else "wgmma")
        for m in (16, 40):  # fewer than a span of the slot
            yield functools.partial(check, m, 1032, 264, transposed, "f16", "wgmma", crossed=True)
        for m in (1, 3, 8, 17, 33):
            yield functools.partial(check, m, 131, 517, transposed, "f16", "schedule")
        yield functools.partial(check, 1, 777, 333, transposed, "f32", "rows")
    for m in (2, 3, 7):
        yield functools.partial(check, m, 331, 517, False, "bf16", "contract")
        yield functools.partial(check, m, 331, 517, True, "bf16", "rows")
    yield functools.partial(check, 3, 331, 517, False, "f32", "contract")
    yield functools.partial(check, 17, 264, 3391, True, "bf16", "split")  # a length without divisors: the last part is shorter
    yield functools.partial(check, 5, 331, 3391, False, "f16", "split")
    yield functools.partial(check, 9, 259, 3391, False, "f32", "split")
    # too few results for the card, summed up by threads, of lengths without divisors that suit: in parts all the same
    yield functools.partial(check, 2, 104, 3845, False, "f32", "kernel k1")
    yield functools.partial(check, 2, 92, 761, False, "f16", "kernel k1", crossed=True)
    yield functools.partial(check, 5, 1, 1283, True, "bf16", "kernel k1", crossed=True)
    yield functools.partial(check, 1, 1024, 1024, False, "f16", "swap")
    yield functools.partial(check, 1, 1024, 1024, True, "f16", "rows")
    yield functools.partial(check, 1, 1000, 4200, True, "f32", "swap")
    yield functools.partial(check, 4, 1000, 1100, True, "f32", "swap")


def main():
    gpu.use_stand_in()
    for case in strata.every(cases()):
        case()


if __name__ == "__main__":
    main()
