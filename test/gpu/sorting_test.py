"""Sorting on the emulated device: rows around the lengths of tiles and runs, along each axis, whole or the first few of
them, with ties and NaN, of lengths that are known and that vary. Ties keep their order. The same on a cpu and, of a few,
by AMD's code objects."""
import os
import subprocess
import sys

import numpy as np

import gpu
import strata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
import execute
import jagged_test

OPTIONS = ["--target=nvgpu", "--device=emulated"]
TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i64": np.int64, "i8": np.int8, "u8": np.uint8,
         "u32": np.uint32, "i32": np.int32}


def drawn(random, element, shape):
    """Numbers of which many are equal, and of floats some NaN, infinite or -0."""
    x = random.integers(-100, 100, shape).astype(TYPES[element])  # of unsigned ones half are large
    if element[0] == "f":
        x = np.where(random.random(shape) < 0.05, random.choice([np.nan, np.inf, -np.inf, -0.0], shape), x / 4)
    return x.astype(TYPES[element])


def order(x, axis, descending):
    """The places of the sorted elements, NaN greatest: a stable sort of their ranks."""
    keys = np.unique(x, equal_nan=True, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-keys if descending else keys, axis=axis, kind="stable")


def text(element, shape, axis, descending, part, likely=None):
    """|part|: the first place and the number of those that are read; None: all. Sizes of 0 vary, and
    are |likely| most often."""
    kept = [part[1] if part and i == axis else n for i, n in enumerate(shape)]

    def tensor(sizes, e):
        names = ["s0" if not n else str(n) for n in sizes]
        varies = 0 in sizes
        return (f"tensor<{''.join(f'{n or chr(63)}x' for n in sizes)}{e}"
                + (f", affine_map<()[s0] -> ({', '.join(names)})>>" if varies else ">"))
    flag, is_unsigned = str(descending).lower(), str(element[0] == "u").lower()
    element = element.replace("u", "i")
    types = [tensor(shape, element), tensor(shape, "i64"), tensor(kept, element), tensor(kept, "i64")]
    lines = [f'  %s:2 = "strata.sort"(%x) {{axis = {axis} : i64, descending = {flag}, unsigned = {is_unsigned}}} : '
             f'({types[0]}) -> ({types[0]}, {types[1]})']
    names = ["%s#0", "%s#1"]
    for i in range(2 if part else 0):
        starts = ", ".join(str(part[0] if j == axis else 0) for j in range(len(shape)))
        lines.append(f'  %y{i} = "strata.slice"(%s#{i}) {{starts = array<i64: {starts}>, steps = array<i64: '
                     f'{", ".join("1" for _ in shape)}>}} : ({types[i]}) -> {types[2 + i]}')
        names[i] = f"%y{i}"
    symbol = f'{{name = "n", min = 1 : i64, max = 100000 : i64, likely = [{likely}]}}'
    symbols = f" attributes {{strata.symbols = [{symbol}]}}" if 0 in shape else ""
    return (f'func.func @main(%x: {types[0]} {{strata.name = "x"}}) -> ({types[2]} {{strata.name = "y"}}, {types[3]} '
            f'{{strata.name = "p"}}){symbols} {{\n' + "\n".join(lines)
            + f"\n  return {names[0]}, {names[1]} : {types[2]}, {types[3]}\n}}\n")


def run_case(name, element, shape, axis, descending, part, lengths, folder, target):
    random = np.random.default_rng(int(os.environ.get("STRATA_SEED", "7")))
    graph = text(element, shape, axis, descending, part, lengths and max(lengths))
    library = jagged_test.compile_graph(graph, folder, name, *target)
    for length in lengths or [None]:
        x = drawn(random, element, [n or length for n in shape])
        places = order(x, axis, descending)
        places = np.take(places, range(*(part[0], sum(part)) if part else (0, x.shape[axis])), axis=axis)
        values = np.take_along_axis(x, places, axis)
        results = execute.run(library, [x.tobytes()], [length] if length else [])
        np.testing.assert_array_equal(np.frombuffer(results[1], np.int64).reshape(places.shape), places, err_msg=name)
        assert bytes(results[0]) == values.tobytes(), f"{name}: other values than at the places"


# Elements, sizes of which 0 varies, axis, whether the greatest comes first, the part that is read, lengths.
CASES = {
    "one": ("f32", (1,), 0, False, None, None),
    "tile": ("f32", (64,), 0, True, None, None),
    "tile_and_one": ("i8", (3, 65), 1, False, None, None),
    "run": ("f16", (2, 256), 1, True, None, None),
    "runs": ("f32", (2, 1000), 1, False, None, None),
    "many_runs": ("i64", (4500,), 0, True, None, None),
    "words": ("u32", (2, 300), 1, True, None, None),
    "bytes": ("u8", (200,), 0, False, (0, 70), None),
    "doubles": ("f64", (2, 270), 1, True, None, None),
    "columns": ("f32", (300, 3), 0, False, None, None),
    "planes": ("f32", (2, 130, 3), 1, True, None, None),
    "first": ("f32", (2, 700), 1, True, (0, 1), None),
    "few": ("f16", (2, 2100), 1, False, (0, 7), None),
    "hundred": ("f32", (5000,), 0, True, (0, 100), None),
    "middle": ("i64", (1500, 2), 0, True, (20, 90), None),
    "most": ("f32", (600,), 0, True, (0, 599), None),
    "any": ("f32", (2, 0), 1, True, None, [1, 63, 64, 65, 257, 1500]),
    "few_of_any": ("i8", (0,), 0, False, (0, 1), [1, 2, 64, 1025]),
    # Long ones go by their digits.
    "digits": ("f32", (250001,), 0, False, None, None),
    "digits_of_halves": ("f16", (2, 40960), 1, True, None, None),
    "digits_of_columns": ("i32", (90000, 3), 0, True, None, None),
    "digits_of_words": ("u32", (3, 90000), 1, False, None, None),
    "digits_of_wide": ("i64", (300000,), 0, True, None, None),
    "digits_of_doubles": ("f64", (300000,), 0, False, None, None),
    "digits_of_bytes": ("u8", (5, 20011), 1, True, None, None),
    "digits_of_parts": ("i8", (700,), 0, True, (0, 650), None),
    "digits_of_any": ("i8", (2, 0), 1, False, None, [1, 4095, 4096, 4097, 60001]),
    "any_rows": ("f32", (0, 70), 1, False, (0, 66), [1, 3]),
}


# Other targets: their options, the architecture of the stand-in's device, cases.
AMD_CASES = ["tile_and_one", "digits_of_parts", "digits_of_any"]
OTHERS = {"cpu": (["--target=cpu"], "", list(CASES)),
          "gfx942": (["--target=amdgpu", "--device=gfx942"], "0x942", AMD_CASES),
          "gfx1100": (["--target=amdgpu", "--device=gfx1100"], "0x1100", AMD_CASES)}


def run_on(target, arch, names):
    """The cases in a process of their own: the stand-in has one device."""
    environment = {**os.environ, **({"STRATA_TEST_DRIVER_ARCH": arch} if arch else {})}
    run = subprocess.run([sys.executable, os.path.abspath(__file__), *names, "--", *target], env=environment,
                         capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.count("ok ") == len(names), run.stdout[-500:] + run.stderr[-500:]


def run_any(name, *case):
    if name in OTHERS:
        run_on(*case[:3])
    else:
        run_case(name, *case)


if __name__ == "__main__":
    gpu.use_stand_in()
    if "--" not in sys.argv:
        sys.argv += ["--", *OPTIONS]
    strata.report_on({**CASES, **OTHERS}, run_any)
