"""Gated products, activation(x W) * (x V), on emulated devices with matrix instructions that read shared memory, with
such whose operands threads stage, and without any: one kernel of two products, either operand along the instruction's
rows, tiles that hang over, beside float64."""
import functools
import itertools
import math

import numpy as np

import gpu
import strata
from level2 import from_bf16, to_bf16

NUMBERS = itertools.count()
TOLERANCE = {"bf16": 1e-2, "f16": 1.5e-3}
ACTIVATIONS = {"silu": lambda v: v / (1 + np.exp(-v)),
               "gelu": lambda v: 0.5 * v * (1 + np.vectorize(math.erf)(v / math.sqrt(2)))}


def text(m, n, k, transposed, element, activation, keeps):
    """The second product has a bias; with |keeps| the first one is a result, too."""
    weights, read = (f"{n}x{k}", "n, k") if transposed else (f"{k}x{n}", "k, n")
    maps = ", ".join(f"affine_map<(m, n, k) -> ({part})>" for part in ("m, k", read, "m, n"))
    x, w, z, sums, bias, row = (f"tensor<{part}>" for part in (
        f"{m}x{k}x{element}", f"{weights}x{element}", f"{m}x{n}x{element}", f"{m}x{n}xf32", f"{n}x{element}",
        f"{m}x{n}x{element}"))
    contract = f"{{maps = [{maps}], zero_pad = false, origin = \"matmul\"}} : ({x}, {w}) -> {sums}"
    results = f"{z}, {z}" if keeps else z
    return f"""func.func @main(%x: {x} {{strata.name = "x"}}, %w: {w} {{strata.name = "w"}}, %v: {w} {{strata.name = "v"}},
    %b: {bias} {{strata.name = "b"}}) -> ({results}) {{
  %0 = "strata.contract"(%x, %w) {contract}
  %1 = "strata.convert"(%0) {{}} : ({sums}) -> {z}
  %2 = "strata.contract"(%x, %v) {contract}
  %3 = "strata.convert"(%2) {{}} : ({sums}) -> {z}
  %4 = "strata.broadcast"(%b) {{map = affine_map<(a, b) -> (b)>}} : ({bias}) -> {row}
  %5 = "strata.add"(%3, %4) {{}} : ({z}, {row}) -> {z}
  %6 = "strata.{activation}"(%1) {{}} : ({z}) -> {z}
  %7 = "strata.mul"(%6, %5) {{}} : ({z}, {z}) -> {z}
  return {"%7, %1" if keeps else "%7"} : {results}
}}
"""


def encoded(array, element):
    return to_bf16(array) if element == "bf16" else array.astype(np.float16)


def decoded(array, element):
    return (from_bf16(array) if element == "bf16" else array).astype(np.float64)


def schedule(element, tile, groups, swap, slots, blocks, teams=1):
    return (f'schedule k0 emulated_90 {{blocks = {blocks} : i64, group = {128 * groups} : i64, kind = "contract", mma = '
            f'"wgmma.{element}", producers = 128 : i64, slots = {slots} : i64, ' + "swap = 1 : i64, " * swap +
            f'threads = {128 * groups * teams} : i64, tile = array<i64: {tile[0]}, {tile[1]}, 64>, '
            f'warps = array<i64: {4 * groups}, 1>}}\n')


def check(m, n, k, transposed, element, activation="silu", way=None, is_pair=True, keeps=False, staggers=False,
          device="emulated_90"):
    """|way|: arguments of schedule()."""
    generator = np.random.default_rng(m + n + k)
    arrays = [encoded(generator.standard_normal(shape) * scale, element) for shape, scale in (
        ((m, k), 1), ((n, k) if transposed else (k, n), k ** -0.5), ((n, k) if transposed else (k, n), k ** -0.5),
        ((n,), 1))]
    name = f"pairs{next(NUMBERS)}"
    with open(f"{name}.mlir", "w", encoding="utf-8") as file:
        file.write(text(m, n, k, transposed, element, activation, keeps))
    options = ["--target=nvgpu", f"--device={device}"]
    if way:
        with open(f"{name}.schedule", "w", encoding="utf-8") as file:
            file.write(schedule(element, *way))
        options.append(f"--schedule={name}.schedule")
    explained = strata.strata(f"{name}.mlir", "--aot", "--aot-name", name, "-o", "out", *options, "--explain")
    what = f"{device} {m}x{n}x{k} {'NT' if transposed else 'NN'} {element} {activation} {way}"
    assert (", a pair" in explained) == is_pair, f"{what}: a pair: {not is_pair}\n{explained}"
    assert not is_pair or "a run: 1 launches" in explained, f"{what}:\n{explained}"
    assert not staggers or "stagger = " in explained, f"{what}:\n{explained}"
    library = gpu.Library(f"out/lib{name}.so")
    got = [decoded(value, element) for value in library.run(arrays)]
    library.unload()
    x, w, v, b = (decoded(array, element) for array in arrays)
    gate, up = (x @ (part.T if transposed else part) for part in (w, v))
    for value, expected in zip(got, (ACTIVATIONS[activation](gate) * (up + b), gate)):
        error = np.linalg.norm(value - expected) / np.linalg.norm(expected)
        print(f"{what}: {error:.1e}")
        assert error <= TOLERANCE[element], f"{what}: {error:.2e}"


def cases():
    for transposed in (False, True):
        yield functools.partial(check, 1, 9000, 520, transposed, "bf16")
        yield functools.partial(check, 16, 4600, 264, transposed, "bf16")
        yield functools.partial(check, 100, 392, 328, transposed, "f16", "gelu")
        yield functools.partial(check, 264, 328, 264, transposed, "bf16")
        yield functools.partial(check, 70, 200, 200, transposed, "f16", way=((128, 64), 2, False, 3, 2))
        yield functools.partial(check, 70, 200, 200, transposed, "f16", "gelu", way=((64, 128), 1, False, 2, 2))
        yield functools.partial(check, 70, 200, 200, transposed, "bf16", way=((64, 128), 2, True, 3, 1))
        yield functools.partial(check, 40, 328, 136, transposed, "bf16", way=((16, 64), 1, True, 4, 2))
        yield functools.partial(check, 200, 200, 136, transposed, "bf16", way=((128, 64), 1, False, 3, 3, 2))
        yield functools.partial(check, 16, 4600, 264, transposed, "bf16", is_pair=False, keeps=True)
    yield functools.partial(check, 70, 200, 200, True, "f16", way=((128, 48), 2, False, 3, 2))
    yield functools.partial(check, 16, 4600, 512, True, "bf16", staggers=True)  # blocks begin their reductions at different steps
    yield functools.partial(check, 37, 333, 517, False, "bf16", is_pair=False)
    for transposed in (False, True):  # of multiply-adds, by tiles of many kinds, with sums in parts and without
        for m, n, k in ((37, 333, 517), (130, 200, 72), (64, 1000, 3), (9, 70, 1000), (2050, 515, 20)):
            yield functools.partial(check, m, n, k, transposed, "bf16", device="emulated_fma")
        yield functools.partial(check, 100, 392, 328, transposed, "f16", "gelu", device="emulated_fma")
        for device in ("emulated_942", "emulated_1100"):  # of matrix instructions whose operands threads stage
            yield functools.partial(check, 70, 130, 96, transposed, "f16", device=device)
            yield functools.partial(check, 37, 333, 517, transposed, "bf16", "gelu", device=device)
        yield functools.partial(check, 3, 70, 1000, transposed, "bf16", is_pair=False, device="emulated_fma")
        yield functools.partial(check, 70, 200, 200, transposed, "f16", is_pair=False, keeps=True, device="emulated_fma")


def main():
    gpu.use_stand_in()
    for case in strata.every(cases()):
        case()


if __name__ == "__main__":
    main()
