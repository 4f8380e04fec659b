"""Programs in the strata dialect with inputs and expected outputs, executed at level 2: a pipeline of ours makes loop
nests of them, upstream passes alone make code of those, and the results are compared with NumPy's.

    case = Case("double", x)
    case.returns([case.op("add", ["%x0", "%x0"], x)], x + x)
    failed = run_cases([case], "strata-to-affine")
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

BIN = os.environ["STRATA_BIN"]
LLVM = os.path.dirname(os.path.realpath(subprocess.run(
    ["llvm-config-22", "--prefix"], capture_output=True, text=True, check=True).stdout.strip() + "/bin/mlir-opt"))
TO_LLVM = ("builtin.module(func.func(lower-affine),convert-scf-to-cf,expand-strided-metadata,func.func(lower-affine),"
           "arith-expand{include-bf16=true},convert-math-to-funcs,finalize-memref-to-llvm,"
           "convert-math-to-llvm,convert-math-to-libm,"
           "convert-arith-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},"
           "convert-cf-to-llvm,reconcile-unrealized-casts)")

MLIR = {np.dtype(np.float64): "f64", np.dtype(np.float32): "f32", np.dtype(np.float16): "f16", np.dtype(bool): "i1",
        np.dtype(np.int8): "i8", np.dtype(np.uint8): "i8", np.dtype(np.int16): "i16", np.dtype(np.uint16): "i16",
        np.dtype(np.int32): "i32", np.dtype(np.uint32): "i32", np.dtype(np.int64): "i64", np.dtype(np.uint64): "i64"}


class Bits(np.ndarray):
    """Elements of a type NumPy does not have, as their bits; `mlir` is the type."""


def bits(array, mlir):
    out = np.ascontiguousarray(array).view(Bits)
    out.mlir = mlir
    return out


def to_bf16(x):
    i = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return bits(((i + 0x7FFF + (i >> 16 & 1)) >> 16).astype(np.uint16), "bf16")


def from_bf16(x):
    return (np.asarray(x).astype(np.uint32) << 16).view(np.float32)


def pack_i4(x):
    flat = np.asarray(x, np.int64).ravel() & 15
    flat = np.append(flat, np.zeros(flat.size % 2, np.int64))
    out = bits((flat[0::2] | flat[1::2] << 4).astype(np.uint8), "i4")
    out.logical = np.shape(x)
    return out


def tensor(array):
    shape = getattr(array, "logical", array.shape)
    return f"tensor<{''.join(f'{s}x' for s in shape)}{getattr(array, 'mlir', None) or MLIR[array.dtype]}>"


def i64s(values):
    return "array<i64" + (": " if len(values) else "") + ", ".join(map(str, values)) + ">"


class Case:
    """op() appends an op whose results look like the given arrays and returns their names."""

    def __init__(self, name, *inputs):
        self.name, self.inputs, self.lines = name, list(inputs), []
        self.types = {f"%x{i}": tensor(x) for i, x in enumerate(inputs)}
        self.constants = []

    def op(self, mnemonic, operands, like, **attrs):
        likes = like if isinstance(like, tuple) else (like,)
        names = [f"%{len(self.types) + i}" for i in range(len(likes))]
        text = ", ".join(f"{key} = {value}" for key, value in attrs.items())
        types = ", ".join(self.types[x] for x in operands)
        results = ", ".join(tensor(x) for x in likes)
        results = f"({results})" if len(likes) > 1 else results
        self.lines.append(f'{", ".join(names)} = "strata.{mnemonic}"({", ".join(operands)}) {{{text}}} : '
                          f"({types}) -> {results}")
        self.types.update(zip(names, map(tensor, likes)))
        return names if len(likes) > 1 else names[0]

    def constant(self, array):
        values = str(np.asarray(array).tolist()).lower()
        if np.unique(array).size > 1:
            self.constants.append(values.replace("true", "1").replace("false", "0"))
        return self.op("constant", [], array, value=f"dense<{values}> : {tensor(array)}")

    def returns(self, names, *outputs, tolerance=0):
        self.results, self.outputs, self.tolerance = names, outputs, tolerance

    def text(self):
        args = ", ".join(f'%x{i}: {tensor(x)} {{strata.name = "x{i}"}}' for i, x in enumerate(self.inputs))
        types = ", ".join(f'{tensor(y)} {{strata.name = "y{i}"}}' for i, y in enumerate(self.outputs))
        body = "\n  ".join(self.lines)
        return (f"func.func @main({args}) -> ({types}) {{\n  {body}\n  "
                f"return {', '.join(self.results)} : {', '.join(map(tensor, self.outputs))}\n}}\n")


SEPARATOR = "// -----\n"


class HalfCase(Case):
    """One of a type of 16 bits, `kind`, which its class sets: f16, which NumPy has, or bf16, as bits; or of f32."""

    def round(self, x):
        return to_bf16(x) if self.kind == "bf16" else x.astype(np.float32 if self.kind == "f32" else np.float16)

    def widen(self, x):
        return from_bf16(x).astype(np.float64) if self.kind == "bf16" else x.astype(np.float64)

    def like(self, *shape):
        if self.kind == "f32":
            return np.zeros(shape, np.float32)
        x = np.zeros(shape, np.uint16)
        return bits(x, "bf16") if self.kind == "bf16" else x.view(np.float16)


def run(*command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{command[0]}: {result.stderr[:4000]}")
    return result.stdout


def compiled(affine, folder):
    """The functions of a module at level 2, by upstream passes and tools alone."""
    text = run(os.path.join(LLVM, "mlir-opt"), "--pass-pipeline=" + TO_LLVM, text=affine)
    text = run(os.path.join(LLVM, "mlir-translate"), "--mlir-to-llvmir", text=text)
    text = run(os.path.join(LLVM, "opt"), "-O1", "-mcpu=native", "-S", text=text)
    code, library = os.path.join(folder, "code.o"), os.path.join(folder, "code.so")
    run(os.path.join(LLVM, "llc"), "-O1", "-mcpu=native", "-relocation-model=pic", "-filetype=obj", "-o", code,
        text=text)
    run(os.environ["CC"], "-shared", code, "-lm", "-o", library)
    return ctypes.CDLL(library)


def initialized(affine, case):
    """Gives the globals of a module, which are declarations, the values of the case's constants, in order."""
    values = iter(case.constants)
    return re.sub(r"^ *memref.global.*$", lambda line: f"{line[0]} = dense<{next(values)}>", affine, flags=re.M)


def renamed(affine, case, index):
    """The functions at level 2, with names of their own."""
    affine = re.sub(r"@(\w+)", rf"@\1_{index}", initialized(affine, case))
    affine = re.sub(r"#(map|set)(\d*)", rf"#\1\2_{index}", affine)
    # Upstream cannot pass empty memrefs. Nothing reads them.
    affine = re.sub(r"memref<((\d+x)*)0x", r"memref<\g<1>1x", affine)
    return re.sub(r"^module.*\{$|^\}$", "", affine, flags=re.M)


def lower(cases, pipeline, folder):
    """All cases at level 2 in one module."""
    path = os.path.join(folder, "cases.mlir")
    with open(path, "w") as file:
        file.write(SEPARATOR.join(case.text() for case in cases))
    affine = run(os.path.join(BIN, "strata-opt"), path, "--split-input-file", "--pipeline=" + pipeline,
                 "--mlir-disable-fast-math")
    return "\n".join(renamed(text, case, i) for i, (text, case) in enumerate(zip(affine.split(SEPARATOR), cases)))


def build(cases, pipeline, folder):
    return compiled(lower(cases, pipeline, folder), folder)


def matches(got, expected, tolerance):
    if tolerance == 0 or expected.dtype.kind != "f":
        return np.array_equal(got, expected, equal_nan=expected.dtype.kind == "f")
    scale = np.abs(expected.astype(np.float64)).max(initial=0) or 1
    return np.abs(got.astype(np.float64) - expected.astype(np.float64)).max(initial=0) <= tolerance * scale


def check(library, case, index):
    outputs = [np.full(y.shape, 0, y.dtype) for y in case.outputs]
    inputs = [np.ascontiguousarray(x) for x in case.inputs]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in inputs + outputs]
    getattr(library, f"main_{index}")(*pointers)
    failed = 0
    for i, (got, expected) in enumerate(zip(outputs, case.outputs)):
        if not matches(got, np.asarray(expected), case.tolerance):
            print(f"FAIL {case.name} result {i}\n got {got.tolist()}\n expected {expected.tolist()}\n{case.text()}")
            failed = 1
    return failed


def run_cases(cases, pipeline):
    """Prints what differs; the number of cases that failed."""
    with tempfile.TemporaryDirectory() as folder:
        library = build(cases, pipeline, folder)
        failed = sum(check(library, case, i) for i, case in enumerate(cases))
    print(f"{pipeline}: {len(cases) - failed} of {len(cases)} passed")
    return failed
