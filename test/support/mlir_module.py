"""Modules of MLIR's tensor dialects written by tests: compiled, run, and compared with what NumPy computes in f64.

    m = Module()
    x = m.input(array)                                    # "%arg0", of the array's type; dims={0} is '?' in dim 0
    m.result(m.op("tosa.abs %s" % x, x.type), np.abs(array))   # "tosa.abs %arg0 : (types) -> type" is written whole
    m.check()
"""
import os
import subprocess
import tempfile

import numpy as np

import strata

NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "bool": "i1", "int8": "i8", "int16": "i16",
         "int32": "i32", "int64": "i64", "uint8": "ui8"}
TOLERANCE = {"float64": 1e-10, "float32": 2e-5, "float16": 4e-3}


def type_of(array, open_dims=()):
    """tensor<4x?xf32>"""
    array = np.asarray(array)
    dims = "".join(("?" if i in open_dims else str(d)) + "x" for i, d in enumerate(array.shape))
    return f"tensor<{dims}{NAMES[array.dtype.name]}>"


class Value(str):
    """An SSA name with its type."""
    type: str

    def __new__(cls, name, type_):
        self = super().__new__(cls, name)
        self.type = type_
        return self


def problem(got, want):
    """What is wrong with a result; errors are relative to 1 or more."""
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, wanted {want.shape}"
    if got.dtype.kind != "f":
        off = np.count_nonzero(got.astype(np.int64) != want.astype(np.int64))
        return f"{off} of {got.size} elements differ" if off else ""
    want = want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        off = np.abs(got.astype(np.float64) - want) / np.maximum(1, np.abs(want))
    off = np.where((got == want) | (np.isnan(got) & np.isnan(want)), 0, off)
    return "" if (off <= TOLERANCE[got.dtype.name]).all() else f"error {np.max(off):.1e}"


class Module:
    """One function @main."""

    def __init__(self):
        self.inputs, self.input_types, self.lines, self.results, self.types, self.wanted = [], [], [], [], [], []
        self.top = []  # other lines of the module
        self.n = 0

    def input(self, array, dims=()):
        array = np.asarray(array)
        self.inputs.append(array)
        self.input_types.append(type_of(array, dims))
        return Value(f"%arg{len(self.inputs) - 1}", self.input_types[-1])

    def op(self, text, type_, *more):
        """An operation of one result; |text| whole but the result."""
        self.n += 1
        self.lines.append(f"%v{self.n} = {text}")
        return Value(f"%v{self.n}", type_)

    def line(self, text):
        self.lines.append(text)

    def constant(self, array, op="arith.constant"):
        array = np.asarray(array)
        text = np.array2string(array, separator=",", threshold=1 << 30, floatmode="unique",
                               formatter={"bool": lambda b: str(bool(b)).lower(), "float_kind": lambda v: f"{v:.17e}"})
        text = f"dense<{text}> : {type_of(array)}"
        if op == "tosa.const":
            return self.op(f'"tosa.const"() {{values = {text}}} : () -> {type_of(array)}', type_of(array))
        return self.op(f"arith.constant {text}", type_of(array))

    def result(self, value, want):
        self.results.append(value)
        self.types.append(value.type)
        self.wanted.append(want)

    def text(self):
        arguments = ", ".join(f"%arg{i}: {type_}" for i, type_ in enumerate(self.input_types))
        body = "\n".join("  " + line for line in self.lines)
        return "\n".join(self.top + [f"func.func @main({arguments}) -> ({', '.join(self.types)}) {{", body,
                                     f"  return {', '.join(self.results)} : {', '.join(self.types)}", "}", ""])

    def check(self, options=(), others=()):
        """|others|: more calls, (inputs, wanted) with other sizes."""
        with tempfile.TemporaryDirectory() as folder:
            model = strata.write(f"{folder}/m.mlir", self.text())
            try:
                path, _ = strata.compile_library(model, folder, options=options)
            except strata.CompileError as error:
                raise AssertionError(f"{error}\n{self.text() if os.environ.get('VERBOSE') else ''}") from error
            library = strata.Library(path)
            problems = []
            for inputs, wanted in [(self.inputs, self.wanted), *others]:
                got = library.run(inputs, library.sizes_of([x.shape for x in inputs]))
                assert len(got) == len(wanted)
                for i, (result, want) in enumerate(zip(got, wanted)):
                    what = problem(result, want)
                    if what:
                        made = [line for line in self.lines if line.startswith(self.results[i] + " =")]
                        problems.append(f"result {i}: {what} ({made[0][:90] if made else ''})")
            library.close()
            assert not problems, "\n".join(problems)


def refused(text, *parts):
    """The compiler must refuse the module with all of |parts|, and leave nothing."""
    with tempfile.TemporaryDirectory() as folder:
        model = strata.write(f"{folder}/m.mlir", text)
        done = subprocess.run([f"{strata.BIN}/strata", model, "--aot", "-o", folder], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 1, done
        for part in parts:
            assert part in done.stderr, f"{part!r} is not in {done.stderr!r}"
        assert os.listdir(folder) == ["m.mlir"], os.listdir(folder)
