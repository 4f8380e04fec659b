"""Modules of StableHLO (make.py) compiled and compared with what JAX computed; and what the reader says of bad ones."""
import os
import random
import subprocess
import tempfile

import numpy as np

import mlir_module
import strata

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
MUTATIONS = 40
TOLERANCE = 2e-5


def calls(name):
    """For each call its inputs and the results wanted."""
    data = np.load(f"{INPUTS}/{name}.npz")
    for k in range(len(data)):
        if f"in{k}_0" in data:
            yield [[data[f"{kind}{k}_{i}"] for i in range(len(data)) if f"{kind}{k}_{i}" in data]
                   for kind in ("in", "out")]


def problem(got, want):
    """What is wrong; errors are relative to 1 or more, NaNs and infinities must be where they are wanted."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype} {got.shape}, wanted {want.dtype} {want.shape}"
    if want.dtype.kind != "f":
        return "" if (got == want).all() else f"{np.count_nonzero(got != want)} elements differ"
    with np.errstate(invalid="ignore"):
        off = np.abs(got.astype(np.float64) - want) / np.maximum(1, np.abs(want))
    off = np.where((got == want) | (np.isnan(got) & np.isnan(want)), 0, off)
    return "" if (off <= TOLERANCE).all() else f"error {np.max(off):.1e}"


def compare(name):
    with tempfile.TemporaryDirectory() as folder:
        path, _ = strata.compile_library(f"{INPUTS}/{name}.mlir", folder)
        library = strata.Library(path)
        for k, (inputs, wanted) in enumerate(calls(name)):
            results = library.run(inputs, library.sizes_of([x.shape for x in inputs]))
            assert len(results) == len(wanted)
            for i, (got, want) in enumerate(zip(results, wanted)):
                assert not problem(got, want), f"call {k}, result {i}: {problem(got, want)}"
        library.close()


def dims_have_names():
    """Those that JAX gave them."""
    with tempfile.TemporaryDirectory() as folder:
        path, _ = strata.compile_library(f"{INPUTS}/gpt.mlir", folder)
        description = strata.Library(path).description
        assert [description.dims[i] for i in range(description.n_dims)] == [b"b", b"s"]


MAIN = '''"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x4xf32>) -> tensor<4x4xf32>, sym_name = "main"}> ({
  ^bb0(%%x: tensor<4x4xf32>):
%s
    "func.return"(%%r) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
%s}) : () -> ()
'''


def refuse(body, *parts, rest=""):
    mlir_module.refused(MAIN % (body, rest) if "func.func" not in body else body, *parts)


def every_node_has_a_line():
    refuse('    %a = "stablehlo.cholesky"(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n'
           '    %b = "stablehlo.frobnicate"(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n'
           '    %c = "stablehlo.custom_call"(%x) <{call_target_name = "lapack"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>\n'
           '    %r = "stablehlo.add"(%b, %c) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>',
           "(node line 4): cholesky is not supported: factorisations of matrices",
           "(node line 5): frobnicate", "(node line 6): custom_call is not supported: a call of 'lapack'")


def calls_must_end():
    refuse('    %s = "stablehlo.abs"(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n'
           '    %r = "func.call"(%s) <{callee = @f}> : (tensor<4x4xf32>) -> tensor<4x4xf32>', "without end",
           rest='''  "func.func"() <{function_type = (tensor<4x4xf32>) -> tensor<4x4xf32>, sym_name = "f"}> ({
  ^bb0(%y: tensor<4x4xf32>):
    %z = "func.call"(%y) <{callee = @f}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    "func.return"(%z) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
''')


def functions_must_be_there():
    refuse('    %r = "func.call"(%x) <{callee = @f}> : (tensor<4x4xf32>) -> tensor<4x4xf32>\n'
           '    %s = "stablehlo.abs"(%r) : (tensor<4x4xf32>) -> tensor<4x4xf32>', "m.mlir", "does not reference a valid function")


def pretty_form_is_explained():
    refuse("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = stablehlo.abs %x : tensor<4xf32>\n"
           "  return %y : tensor<4xf32>\n}\n", "generic form")


def mutations_do_not_crash():
    """Numbers and words of the files changed at random: a library or an error, never a crash."""
    generator = random.Random(strata.run_seed())
    names = ["indexing", "control", "spectra", "reductions", "convolutions", "sizes", "movement"]
    for _ in range(MUTATIONS):
        with open(f"{INPUTS}/{generator.choice(names)}.mlir", encoding="utf-8") as file:
            lines = file.read().split("\n")
        for _ in range(generator.randint(1, 3)):
            at = generator.choice([i for i, line in enumerate(lines) if "<{" in line])
            begin = generator.randint(lines[at].index("<{"), len(lines[at]) - 1)
            piece = generator.choice(["0", "-1", "7", "99999999999", "[", "]", ">", "x", ", ", "?", '"', " = "])
            lines[at] = lines[at][:begin] + piece + lines[at][begin + generator.randint(0, 2):]
        with tempfile.TemporaryDirectory() as folder:
            model = strata.write(f"{folder}/m.mlir", "\n".join(lines))
            done = subprocess.run([f"{strata.BIN}/strata", model, "--aot", "-o", folder, "--compile-to=graph"],
                                  capture_output=True, text=True, check=False, timeout=300, errors="replace")
            assert done.returncode in (0, 1) and "internal compiler error" not in done.stderr, \
                f"{done.returncode}: {done.stderr[-500:]}\n" + "\n".join(lines)[:0]


def main():
    names = sorted(name[:-len(".mlir")] for name in os.listdir(INPUTS) if name.endswith(".mlir"))
    others = (dims_have_names, every_node_has_a_line, calls_must_end, functions_must_be_there, pretty_form_is_explained,
              mutations_do_not_crash)
    strata.report([(name, lambda name=name: compare(name)) for name in strata.some(names)] +
                  [(run.__name__, run) for run in others])


if __name__ == "__main__":
    main()
