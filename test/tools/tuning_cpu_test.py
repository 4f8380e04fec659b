"""Tuning on the cpu from end to end: every candidate of products, convolutions, attention, maps and rows is right, results
are used, and files for other processors, numbers of threads and of nobody are not."""
import filecmp
import glob
import os
import re
import shutil
import subprocess

import numpy as np

import onnx_file
import strata

F32, F16, I8, I32 = 1, 10, 3, 6
TYPES = {F32: np.float32, F16: np.float16, I8: np.int8, I32: np.int32}
DEVICE = ["--device=x86-64-v3", "--threads=1"]
DIMS = {}  # of models whose sizes vary
generator = np.random.default_rng(28)


def numbers(shape, type_=F32):
    if type_ == I8:
        return generator.integers(-9, 9, shape, np.int8)
    return generator.standard_normal(shape).astype(TYPES[type_])


class Model:
    """A graph with inputs and the values wanted."""

    def __init__(self, name):
        self.name, self.graph, self.inputs = name, onnx_file.Graph(opset=17), []

    def input(self, value, type_=F32):
        name = f"x{len(self.inputs)}"
        self.inputs.append(value)
        return self.graph.input(name, type_, list(value.shape))

    def finish(self, wanted, type_=F32):
        self.graph.output("y", type_, list(wanted.shape))
        self.graph.save(f"{self.name}.onnx")
        for i, value in enumerate(self.inputs):
            np.save(f"{self.name}.{i}.npy", value)
        np.save(f"{self.name}.y.npy", wanted.astype(TYPES[type_]))

    def check(self, folder):
        run(f"{strata.BIN}/strata-run", f"{folder}/libm.so",
            *(f"--input={self.name}.{i}.npy" for i in range(len(self.inputs))), f"--expect={self.name}.y.npy")


def product(name, m, k, n, constant, transposed=False, type_=F32):
    model = Model(name)
    a, b = numbers((m, k), type_), numbers((n, k) if transposed else (k, n), type_)
    x = model.input(a, type_)
    y = model.graph.constant("w", b) if constant else model.input(b, type_)
    if transposed:
        y = model.graph.node("Transpose", [y], ["t"], perm=[1, 0])
    whole = (b.T if transposed else b).astype(np.float64 if type_ != I8 else np.int32)
    model.graph.node("MatMulInteger" if type_ == I8 else "MatMul", [x, "t" if transposed else y], ["y"])
    model.finish(a.astype(whole.dtype) @ whole, I32 if type_ == I8 else type_)
    return model


def convolution(name, channels, height, width, filters, size, stride):
    model = Model(name)
    x, w = numbers((1, channels, height, width)), numbers((filters, channels, size, size))
    model.graph.node("Conv", [model.input(x), model.graph.constant("w", w)], ["c"], kernel_shape=[size, size],
                     strides=[stride, stride], pads=[size // 2] * 4)
    model.graph.node("Relu", ["c"], ["y"])
    padded = np.pad(x[0].astype(np.float64), ((0, 0), (size // 2,) * 2, (size // 2,) * 2))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (1, 2))[:, ::stride, ::stride]
    model.finish(np.maximum(np.einsum("chwij,ocij->ohw", windows, w), 0)[None])
    return model


def attention(name, heads, rows, columns, size):
    model = Model(name)
    q, k, v = (numbers((heads, n, size)) for n in (rows, columns, columns))
    a, b, c = (model.input(value) for value in (q, k, v))
    model.graph.node("Transpose", [b], ["t"], perm=[0, 2, 1])
    model.graph.node("MatMul", [a, "t"], ["s"])
    model.graph.node("Softmax", ["s"], ["p"], axis=-1)
    model.graph.node("MatMul", ["p", c], ["y"])
    scores = np.exp(q.astype(np.float64) @ k.transpose(0, 2, 1))
    model.finish(scores / scores.sum(-1, keepdims=True) @ v)
    return model


def elementwise(name, shape):
    model = Model(name)
    x, y = numbers(shape), numbers(shape)
    model.graph.node("Add", [model.input(x), model.input(y)], ["s"])
    model.graph.node("Tanh", ["s"], ["y"])
    model.finish(np.tanh(x.astype(np.float64) + y))
    return model


def softmax(name, rows, columns, axis):
    model = Model(name)
    x = numbers((rows, columns))
    model.graph.node("Softmax", [model.input(x)], ["y"], axis=axis)
    e = np.exp(x.astype(np.float64))
    model.finish(e / e.sum(axis, keepdims=True))
    return model


def run(*arguments, wanted=0):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout[-500:], done.stderr[-1500:])
    return done.stdout + done.stderr


class Varying:
    """A product one size of which varies, between 1 and 64; which is said by the shapes' None."""

    def __init__(self, name, left, right, constant=False):
        self.name, self.left, self.right = name, left, right
        self.constant = numbers(right) if constant else None
        graph = onnx_file.Graph(opset=17)
        named = [[n or "n" for n in shape] for shape in (left, right)]
        a = graph.input("a", F32, named[0])
        b = graph.constant("b", self.constant) if constant else graph.input("b", F32, named[1])
        graph.node("MatMul", [a, b], ["c"])
        graph.node("Relu", ["c"], ["y"])
        graph.output("y", F32, [named[0][0], named[1][1]])
        graph.save(f"{name}.onnx")
        DIMS[name] = ["--dim=n=1..64@4,48"]

    def check(self, folder):
        for size in (1, 3, 4, 9, 31, 48, 64):
            a, b = (numbers([n or size for n in shape]) for shape in (self.left, self.right))
            b = b if self.constant is None else self.constant
            values = [("input", a), *([("input", b)] if self.constant is None else []),
                      ("expect", np.maximum(a.astype(np.float64) @ b, 0).astype(np.float32))]
            for i, (_, value) in enumerate(values):
                np.save(f"{self.name}.{i}.npy", value)
            run(f"{strata.BIN}/strata-run", f"{folder}/libm.so",
                *(f"--{option}={self.name}.{i}.npy" for i, (option, _) in enumerate(values)))


def compile_(name, folder, *options, wanted=0, device=tuple(DEVICE)):
    return run(f"{strata.BIN}/strata", f"{name}.onnx", *device, *DIMS.get(name, []), "--aot", "--aot-name=m", "-o", folder, "--explain",
               *options, wanted=wanted)


def load(path):
    return f"--load-autotune-results-from={path}"


def is_same(a, b):
    return filecmp.cmp(f"{a}/libm.so", f"{b}/libm.so", shallow=False)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def results_with(results, pattern, replacement):
    text, n = re.subn(pattern, lambda _: replacement, read(results))
    assert n >= 1, pattern
    with open("changed.txtpb", "w", encoding="utf-8") as file:
        file.write(text)
    return "changed.txtpb"


def tuned(name, n_kernels=1):
    """The schedules of the candidates and the file of results of a model with one kernel, or so many."""
    folder = f"{name}.exported"
    shutil.rmtree(folder, ignore_errors=True)
    said = run(f"{strata.BIN}/strata", f"{name}.onnx", *DEVICE, *DIMS.get(name, []), "--autotune=export", folder)
    assert f"{n_kernels} kernels to tune" in said, said
    assert not glob.glob(f"{folder}/*.data") and not glob.glob(f"{folder}/*.mlir")
    said = run(f"{strata.BIN}/strata-tune", folder, "--budget=1")
    assert f"{n_kernels} of {n_kernels} kernels tuned on " in said and "error:" not in said, said
    found = re.findall(r'\n *schedule: "(.*)"', read(f"{folder}/manifest.txtpb"))
    assert 2 <= len(found) <= 8 * n_kernels and (n_kernels > 1 or len(set(found)) == len(found)), found
    return found, f"{folder}/results.txtpb"


def every_candidate(model):
    """Each computes what is wanted, its own way."""
    schedules, results = tuned(model.name)
    for schedule in schedules:
        path = results_with(results, r'\n  schedule: ".*"', f'\n  schedule: "{schedule}"')
        said = compile_(model.name, "out", load(path), "--autotune=require")
        assert "the model's choice is" in said if schedule == schedules[0] else "tuned k0 cpu {" in said, said
        model.check("out")
        if schedule == schedules[0]:
            shutil.copytree("out", "first", dirs_exist_ok=True)
            compile_(model.name, "untuned")
            assert is_same("first", "untuned"), schedule
        else:
            assert not is_same("first", "out"), schedule


MODELS = [
    product("constant", 37, 70, 53, True), product("variable", 33, 65, 50, False),
    product("turned", 14, 126, 600, False, transposed=True), product("many_rows", 600, 31, 45, False),
    product("row", 1, 300, 130, True, transposed=True), product("half", 19, 40, 36, True, type_=F16),
    product("bytes", 21, 48, 40, True, type_=I8), convolution("strided", 5, 23, 21, 9, 3, 2),
    convolution("padded", 8, 14, 14, 40, 5, 1), convolution("pointwise", 24, 12, 12, 30, 1, 1),
    attention("heads", 2, 40, 37, 16), elementwise("map", (29, 37)), softmax("rows", 5, 203, 1),
    softmax("across", 11, 150, 0), Varying("rows_vary", (None, 300), (300, 130), constant=True),
    Varying("rows_vary_of_both", (None, 300), (300, 130)), Varying("columns_vary", (37, 70), (70, None)),
    Varying("steps_vary", (37, None), (None, 53)),
]


def used():
    schedules, results = tuned("constant")
    path = results_with(results, r'\n  schedule: ".*"', f'\n  schedule: "{schedules[1]}"')
    shutil.copy(path, "results.txtpb")
    compile_("constant", "a", load("results.txtpb"), "--autotune=require", "--dump-autotune-results-to=dump.pb")
    compile_("constant", "b", load("dump.pb"), "--jobs=2")
    compile_("constant", "c")
    assert is_same("a", "b") and not is_same("a", "c")
    assert "(dump.pb)" in compile_("constant", "b", load("dump.pb"))


def others_are_not_used():
    for device in (["--device=x86-64-v4", "--threads=1"], ["--device=x86-64-v3", "--threads=2"]):
        said = compile_("constant", "b", load("results.txtpb"), device=device)
        assert "tuned k0: no result for kernel" in said, said
    for pattern, replacement in ((r'compiler: "', 'compiler: "0'), (r'kernel: "....', 'kernel: "aaaa')):
        said = compile_("constant", "b", load(results_with("results.txtpb", pattern, replacement)))
        assert "tuned k0: no result for kernel" in said and is_same("b", "c"), said


def hostile_schedules_are_not_used():
    tile = "tile = array<i64: 4, 16>"
    for schedule in ("{}", "7", '{kind = \\"map\\"}', '{kind = \\"contract\\"}',
                     '{kind = \\"contract\\", tile = array<i64: 17, 16>}',
                     '{kind = \\"contract\\", tile = array<i64: 0, 16>}',
                     '{kind = \\"contract\\", tile = array<i64: 4, 13>}',
                     '{kind = \\"contract\\", tile = array<i64: 4, 16, 1>}',
                     f'{{kind = \\"contract\\", {tile}, threads = 32 : i64}}',
                     f'{{kind = \\"contract\\", {tile}, panels = 2 : i64}}',
                     f'{{kind = \\"contract\\", {tile}, panels = -1 : i64}}',
                     f'{{kind = \\"contract\\", {tile}, runs = array<i64: 1, 0>}}',
                     f'{{kind = \\"contract\\", {tile}, runs = array<i64: -1, 4000000000000>}}'):
        path = results_with("results.txtpb", r'\n  schedule: ".*"', f'\n  schedule: "{schedule}"')
        assert "tuning: changed.txtpb: not used: kernel" in compile_("constant", "b", load(path)), schedule
        assert is_same("b", "c"), schedule


def a_variant():
    """Few rows have one, which has candidates of its own."""
    model = Varying("few_rows", (None, 70), (70, 53), constant=True)
    _, results = tuned(model.name, 2)
    candidates = {}  # by kernel
    for part in read(f"{model.name}.exported/manifest.txtpb").split("\nkernels {")[1:]:
        candidates[re.search(r'kernel: "(.*)"', part).group(1)] = re.findall(r'\n *schedule: "(.*)"', part)
    for which in range(max(map(len, candidates.values()))):
        text = read(results)
        for number, schedules in candidates.items():
            chosen = schedules[min(which, len(schedules) - 1)]
            text, n = re.subn(rf'(kernel: "{number}"(?:\n.*?)*?\n  schedule: ").*"', lambda m, c=chosen: f'{m[1]}{c}"', text)
            assert n == 1, number
        with open("changed.txtpb", "w", encoding="utf-8") as file:
            file.write(text)
        said = compile_(model.name, "out", load("changed.txtpb"), "--autotune=require")
        assert len(re.findall(r"tuned k0.*\(changed.txtpb\)", said)) == len(candidates), said
        model.check("out")


def hostile_where_sizes_vary():
    """What is packed is settled, and how tasks are cut."""
    schedules, results = tuned("rows_vary")
    compile_("rows_vary", "c")
    for key in ("panels = 1 : i64", "packs_rows = 1 : i64", "runs = array<i64: 1, 1>", "threads = 32 : i64"):
        schedule = schedules[1].replace("}", f", {key}}}")
        path = results_with(results, r'\n  schedule: ".*"', f'\n  schedule: "{schedule}"')
        assert "tuning: changed.txtpb: not used: kernel" in compile_("rows_vary", "b", load(path)), schedule
        assert is_same("b", "c"), schedule


def updated():
    shutil.rmtree("cache", ignore_errors=True)
    options = ["--autotune=update", "--autotune-budget=1", "--autotune-cache-dir=cache"]
    said = compile_("constant", "b", *options)
    assert "(measured now)" in said or "(cache)" in said, said
    assert len(os.listdir("cache")) == 1
    compile_("constant", "again", "--autotune-cache-dir=cache", "--autotune=require")
    assert is_same("b", "again")
    assert "no result of tuning" in compile_("variable", "again", "--autotune-cache-dir=cache", "--autotune=require",
                                             wanted=1)


def other_processors():
    said = compile_("constant", "b", "--autotune=update", device=("--device=aarch64",)) if strata.has_aarch64() else ""
    assert not said or "nothing is tuned: this machine does not run code for that processor" in said, said
    if strata.has_aarch64():
        said = run(f"{strata.BIN}/strata", "constant.onnx", "--device=aarch64", "--autotune=export", "other", wanted=1)
        assert "no candidate can be compiled: libraries for this device are archives alone" in said, said


strata.report([(model.name, lambda model=model: every_candidate(model)) for model in strata.every(MODELS)] + [
    (case.__name__, case) for case in (other_processors, used, others_are_not_used, hostile_schedules_are_not_used,
                                               a_variant, hostile_where_sizes_vary, updated)])
