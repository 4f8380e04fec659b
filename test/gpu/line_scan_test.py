"""Running combinations of one line of integers on the emulated device, which go by parts: as numpy has them, of lengths
around those of parts."""
import os
import subprocess
import sys
import tempfile

import numpy as np

import gpu
import strata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
import execute

TYPE = "tensor<?xi64, affine_map<()[s0] -> (s0)>>"
SCANS = [("max", False, False), ("add", True, False), ("add", False, True), ("min", True, True), ("max", True, False)]


def wanted(x, kind, exclusive, reverse):
    function, neutral = {"max": (np.maximum, np.iinfo(x.dtype).min), "min": (np.minimum, np.iinfo(x.dtype).max),
                         "add": (np.add, 0)}[kind]
    y = function.accumulate(x[::-1] if reverse else x)
    if exclusive:
        y = np.concatenate([[neutral], y[:-1]])
    return y[::-1] if reverse else y


def text():
    lines = [f'  %y{i} = "strata.scan"(%x) {{kind = "{k}", axis = 0, exclusive = {str(e).lower()}, reverse = '
             f'{str(r).lower()}}} : ({TYPE}) -> {TYPE}' for i, (k, e, r) in enumerate(SCANS)]
    outs = ", ".join(f'{TYPE} {{strata.name = "y{i}"}}' for i in range(len(SCANS)))
    names, types = ", ".join(f"%y{i}" for i in range(len(SCANS))), ", ".join([TYPE] * len(SCANS))
    return (f'func.func @main(%x: {TYPE} {{strata.name = "x"}}) -> ({outs}) attributes {{strata.symbols = '
            f'[{{name = "n", min = 1 : i64, max = 100000 : i64}}]}} {{\n' + "\n".join(lines)
            + f"\n  return {names} : {types}\n}}\n")


def run(library, n):
    x = np.random.default_rng(n).integers(-1000, 1000, n)
    results = execute.run(library, [x.tobytes()], [n])
    for scan, result in zip(SCANS, results):
        np.testing.assert_array_equal(np.frombuffer(result, np.int64), wanted(x, *scan), err_msg=f"{scan} of {n}")


def main():
    gpu.use_stand_in()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scans.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text())
        subprocess.run([os.path.join(strata.BIN, "strata"), path, "--target=nvgpu", "--device=emulated", "--aot",
                        "--aot-name=scans", "-o", folder], check=True)
        library = strata.Library(os.path.join(folder, "libscans.so"))
        strata.report((str(n), lambda n=n: run(library, n)) for n in (1, 2, 65, 127, 128, 129, 256, 1000, 5000))


if __name__ == "__main__":
    main()
