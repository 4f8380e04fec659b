"""Running combinations of one line of integers on the emulated device, which go by parts: as numpy has them, of lengths
around those of parts, and one of which parts are parts of parts."""
import os
import sys
import tempfile

import numpy as np

import gpu
import strata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
import execute
import jagged_test

VARIES, LONG = "tensor<?xi64, affine_map<()[s0] -> (s0)>>", 70001
SCANS = [("max", False, False), ("add", True, False), ("add", False, True), ("min", True, True), ("max", True, False)]


def wanted(x, kind, exclusive, reverse):
    function, neutral = {"max": (np.maximum, np.iinfo(x.dtype).min), "min": (np.minimum, np.iinfo(x.dtype).max),
                         "add": (np.add, 0)}[kind]
    y = function.accumulate(x[::-1] if reverse else x)
    if exclusive:
        y = np.concatenate([[neutral], y[:-1]])
    return y[::-1] if reverse else y


def text(length):
    line = f"tensor<{length}xi64>" if length else VARIES
    symbols = "" if length else ' attributes {strata.symbols = [{name = "n", min = 1 : i64, max = 100000 : i64}]}'
    lines = [f'  %y{i} = "strata.scan"(%x) {{kind = "{k}", axis = 0, exclusive = {str(e).lower()}, reverse = '
             f'{str(r).lower()}}} : ({line}) -> {line}' for i, (k, e, r) in enumerate(SCANS)]
    outs = ", ".join(f'{line} {{strata.name = "y{i}"}}' for i in range(len(SCANS)))
    names, types = ", ".join(f"%y{i}" for i in range(len(SCANS))), ", ".join([line] * len(SCANS))
    return (f'func.func @main(%x: {line} {{strata.name = "x"}}) -> ({outs}){symbols} {{\n'
            + "\n".join(lines)
            + f"\n  return {names} : {types}\n}}\n")


def run(library, n, dims):
    x = np.random.default_rng(int(os.environ.get("STRATA_SEED", "7")) + n).integers(-1000, 1000, n)
    results = execute.run(library, [x.tobytes()], dims)
    for scan, result in zip(SCANS, results):
        np.testing.assert_array_equal(np.frombuffer(result, np.int64), wanted(x, *scan), err_msg=f"{scan} of {n}")


def main():
    gpu.use_stand_in()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--target=nvgpu", "--device=emulated"]
        library = jagged_test.compile_graph(text(None), folder, "scans", *options)
        long = jagged_test.compile_graph(text(LONG), folder, "of_parts", *options)
        strata.report([(str(n), lambda n=n: run(library, n, [n]))
                       for n in (1, 2, 63, 64, 65, 127, 128, 129, 256, 1000, 5000)]
                      + [("long", lambda: run(long, LONG, []))])


if __name__ == "__main__":
    main()
