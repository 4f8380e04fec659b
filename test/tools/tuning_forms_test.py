"""Tuning of maps, rows and scalar kernels on the emulated device, of random shapes: every candidate is right, comes to
code of its own and is used; schedules that are none of them are not."""
import re
import shutil
import subprocess

import numpy as np

import gpu
import onnx_file
import strata

F32, F16, I64 = np.float32, np.float16, np.int64
DEVICE = ["--target=nvgpu", "--device=emulated_90"]
MOST = 8  # candidates of a kernel
DRAWN = 8  # kinds of kernels a run
gpu.use_stand_in()
random = np.random.default_rng(strata.run_seed())


def number(least, most, multiple=1):
    return int(random.integers(-(-least // multiple), most // multiple + 1)) * multiple


class Model:
    """A graph with inputs and the value wanted, in f64."""

    def __init__(self, name):
        self.name, self.graph, self.inputs, self.wanted = name, onnx_file.Graph(opset=17), [], None

    def input(self, *shape, dtype=F32, values=None):
        values = random.standard_normal(shape).astype(dtype) if values is None else values
        self.inputs.append(values)
        name = self.graph.input(f"x{len(self.inputs)}", onnx_file.ELEMENT_TYPES[values.dtype], list(values.shape))
        return name, values.astype(np.float64) if values.dtype in (F32, F16) else values

    def finish(self, wanted, dtype=F32):
        self.wanted = wanted.astype(dtype)
        self.graph.output("y", onnx_file.ELEMENT_TYPES[self.wanted.dtype], list(wanted.shape))
        self.graph.save(f"{self.name}.onnx")
        for i, values in enumerate(self.inputs):
            np.save(f"{self.name}.{i}.npy", values)
        np.save(f"{self.name}.y.npy", self.wanted)
        return self

    def check(self, folder):
        tolerance = ["--rtol=4e-3", "--atol=4e-3"] if self.wanted.dtype == F16 else ["--rtol=1e-4", "--atol=1e-4"]
        run(f"{strata.BIN}/strata-run", f"{folder}/libm.so", *tolerance, f"--expect={self.name}.y.npy",
            *(f"--input={self.name}.{i}.npy" for i in range(len(self.inputs))))


#===-- Maps ----------------------------------------------------------------------------------------------------===#

def long_map(name, dtype):
    """Eight times an odd number: of full tiles of a block a thread a piece is the same code on the emulated device."""
    model, n = Model(name), 8 * (2 * number(190, 560) + 1)
    (a, x), (b, y) = model.input(n, dtype=dtype), model.input(n, dtype=dtype)
    model.graph.node("Tanh", [model.graph.node("Add", [a, b], ["s"])], ["y"])
    return model.finish(np.tanh((x + y).astype(dtype).astype(np.float64)), dtype)


def short_map(name, dtype, multiple):
    model, rows, columns = Model(name), number(20, 90), number(8, 100, multiple)
    (a, x), (b, y), (c, z) = (model.input(*shape, dtype=dtype) for shape in ((rows, columns), (columns,), (rows, 1)))
    model.graph.node("Add", [model.graph.node("Mul", [a, b], ["m"]), c], ["y"])
    return model.finish((x * y).astype(dtype).astype(np.float64) + z, dtype)


def transposition(name, dtype, multiple):
    model, shape = Model(name), (number(1, 3), number(17, 150, multiple), number(17, 150, multiple))
    a, x = model.input(*shape, dtype=dtype)
    model.graph.node("Relu", [model.graph.node("Transpose", [a], ["t"], perm=[0, 2, 1])], ["y"])
    return model.finish(np.maximum(x.transpose(0, 2, 1), 0), dtype)


def gather(name, columns):
    model, rows = Model(name), number(10, 60)
    a, x = model.input(rows, columns)
    b, where = model.input(values=random.integers(0, rows, number(20, 70), I64))
    model.graph.node("Gather", [a, b], ["y"], axis=0)
    return model.finish(x[where])


#===-- Rows ----------------------------------------------------------------------------------------------------===#

def softmax(name, rows, columns, axis=-1, dtype=F32):
    model = Model(name)
    a, x = model.input(rows, columns, dtype=dtype)
    model.graph.node("Softmax", [a], ["y"], axis=axis)
    e = np.exp(x)
    return model.finish(e / e.sum(axis, keepdims=True), dtype)


def norm(name, rows, columns, crossed=False):
    """A layer's norm; of a sum with a transpose, which lies across the rows, where |crossed|."""
    model = Model(name)
    (a, x), (g, scale), (b, bias) = (model.input(*shape) for shape in ((rows, columns), (columns,), (columns,)))
    if crossed:
        c, y = model.input(columns, rows)
        a, x = model.graph.node("Add", [a, model.graph.node("Transpose", [c], ["t"], perm=[1, 0])], ["s"]), x + y.T
    model.graph.node("LayerNormalization", [a, g, b], ["y"], axis=-1, epsilon=1e-5)
    mean = x.mean(-1, keepdims=True)
    deviation = np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)
    return model.finish((x - mean) / deviation * scale + bias)


def column_sums(name, dtype, multiple):
    model, shape = Model(name), (number(2, 5), number(5, 60), number(8, 200, multiple))
    a, x = model.input(*shape, dtype=dtype)
    model.graph.node("ReduceMean", [a], ["y"], axes=[1], keepdims=0)
    return model.finish(x.mean(1), dtype)


def pool(name):
    model, shape = Model(name), (number(1, 4), number(3, 40), number(5, 12), number(5, 12))
    a, x = model.input(*shape)
    model.graph.node("GlobalAveragePool", [a], ["y"])
    return model.finish(x.mean((2, 3), keepdims=True))


def depthwise(name):
    model, channels, height, width = Model(name), number(3, 40), number(6, 20), number(6, 20)
    (a, x), (w, taps) = (model.input(*shape, dtype=F16) for shape in ((1, channels, height, width), (channels, 1, 3, 3)))
    model.graph.node("Conv", [a, w], ["y"], kernel_shape=[3, 3], pads=[1] * 4, group=channels)
    padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    return model.finish(np.einsum("chwij,cij->chw", windows, taps[:, 0])[None], F16)


#===-- Scalar kernels ------------------------------------------------------------------------------------------===#

def running_sums(name):
    model, rows, columns = Model(name), number(2, 9), number(100, 1500)
    a, x = model.input(rows, columns)
    model.graph.node("CumSum", [a, model.graph.constant("axis", np.array(1, I64))], ["y"])
    return model.finish(np.cumsum(x, 1))


def points(name):
    model, rows, columns = Model(name), number(5, 30), number(5, 90)
    a, x = model.input(rows, columns)
    b, where = model.input(values=random.integers(0, rows, (number(3, 20), columns), I64))
    model.graph.node("GatherElements", [a, b], ["y"], axis=0)
    return model.finish(np.take_along_axis(x, where, 0))


#===-- Results -------------------------------------------------------------------------------------------------===#

def run(*arguments, wanted=0):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout[-500:], done.stderr[-1500:])
    return done.stdout + done.stderr


def compile_(model, folder, *options):
    return run(f"{strata.BIN}/strata", f"{model}.onnx", *DEVICE, "--aot", "--aot-name=m", "-o", folder, "--explain",
               *options)


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


def library(folder):
    return read(f"{folder}/libm.so", "rb")


def candidates(model):
    """By kernel, the schedules of its candidates; and a file of results, the model's choice of each."""
    folder = f"{model}.exported"
    shutil.rmtree(folder, ignore_errors=True)
    run(f"{strata.BIN}/strata", f"{model}.onnx", *DEVICE, "--autotune=export", folder)
    found, results = {}, 'format: "strata tuning results 1"\n'
    for part in read(f"{folder}/manifest.txtpb").split("\nkernels {")[1:]:
        key = {name: re.search(rf'{name}: "(.*)"', part).group(1) for name in ("kernel", "device", "compiler")}
        schedules = re.findall(r'\n *schedule: "(.*)"', part)
        assert 2 <= len(schedules) <= MOST and len(set(schedules)) == len(schedules), schedules
        found[key["kernel"]] = schedules
        results += "results {\n" + "".join(f'  {name}: "{value}"\n' for name, value in key.items())
        results += (f'  schedule: "{schedules[0]}"\n  seconds: 1e-6\n  model_schedule: "{schedules[0]}"\n'
                    '  model_seconds: 1e-6\n  predicted_seconds: 1e-6\n  card: "none"\n  what: "it"\n}\n')
    return found, results


def with_schedules(results, chosen):
    for kernel, schedule in chosen.items():
        results, n = re.subn(rf'(kernel: "{kernel}"(?:\n.*?)*?\n  schedule: ").*"',
                             lambda match, s=schedule: f'{match[1]}{s}"', results, count=1)
        assert n == 1, kernel
    with open("results.txtpb", "w", encoding="utf-8") as file:
        file.write(results)
    return "--load-autotune-results-from=results.txtpb"


def every_candidate(model):
    """Each computes what is wanted, its own way; the first is what there is without tuning."""
    found, results = candidates(model.name)
    assert found, "nothing is tuned"
    compile_(model.name, "untuned")
    seen = {}
    for which in range(max(map(len, found.values()))):
        chosen = {kernel: schedules[min(which, len(schedules) - 1)] for kernel, schedules in found.items()}
        said = compile_(model.name, "tuned", with_schedules(results, chosen), "--autotune=require")
        assert len(re.findall(r"\ntuned .*\(results.txtpb\)", said)) == len(found) and "not used" not in said, said
        model.check("tuned")
        assert library("tuned") not in seen, (chosen, seen[library("tuned")])
        seen[library("tuned")] = chosen
        assert which > 0 or library("tuned") == library("untuned")


KINDS = {
    "long_map": lambda name: long_map(name, F32),
    "long_map_f16": lambda name: long_map(name, F16),
    "short_map": lambda name: short_map(name, F16, 8),
    "odd_map": lambda name: short_map(name, F32, 1),
    "transposition": lambda name: transposition(name, F16, 8),
    "odd_transposition": lambda name: transposition(name, F32, 1),
    "gather": lambda name: gather(name, number(4, 80)),
    "softmax": lambda name: softmax(name, number(3, 40), number(20, 900)),
    "softmax_f16": lambda name: softmax(name, number(3, 40), number(64, 900, 8), dtype=F16),
    "short_rows": lambda name: softmax(name, number(30, 200), number(2, 9)),
    "softmax_across": lambda name: softmax(name, number(5, 20), number(40, 300), axis=0),
    "long_rows": lambda name: softmax(name, 2, number(20000, 30000)),
    "norm": lambda name: norm(name, number(5, 60), number(100, 1100)),
    "norm_of_few": lambda name: norm(name, number(1, 3), number(1000, 5000, 4)),
    "crossed_norm": lambda name: norm(name, number(40, 90), number(128, 400, 4), crossed=True),
    "column_sums": lambda name: column_sums(name, F16, 8),
    "odd_column_sums": lambda name: column_sums(name, F32, 1),
    "pool": pool,
    "depthwise": depthwise,
    "running_sums": running_sums,
    "points": points,
}


def hostile_schedules_are_not_used():
    """Not even those that --schedule takes."""
    model = norm("hostile", 24, 256)
    (kernel, schedules), = candidates(model.name)[0].items()
    compile_(model.name, "untuned")
    group = int(re.search(r"group = (\d+)", schedules[0]).group(1))
    for key, values in (("kind", ('\\"map\\"', '\\"scalar\\"', '\\"contract\\"')),
                        ("threads", ("0", "-128", "96", "2048", "1 << 3", "4611686018427387904")),
                        ("group", ("0", "1", "3", "-1", "4096", str(1 << 40))),
                        ("tile", ("array<i64: 0>", "array<i64: -256>", "array<i64: 512>", "array<i64: 256, 9>",
                                  "array<i64>", "7"))):
        for value in values:
            schedule = re.sub(rf"\b{key} = (array<[^>]*>|[^,}}]*)", f"{key} = {value}", schedules[0])
            assert schedule != schedules[0], key
            said = compile_(model.name, "tuned", with_schedules(candidates(model.name)[1], {kernel: schedule}))
            assert "tuning: results.txtpb: not used: kernel" in said, (schedule, said)
            assert library("tuned") == library("untuned"), schedule
    for more in ("slots = 9 : i64", "blocks = 3 : i64", "stagger = 1 : i64", "runs = array<i64: 1, 1>",
                 "producers = 128 : i64", "stream = 1 : i64", "parts = 2 : i64", f"row = {group} : i64"):
        schedule = schedules[0].replace("{", f"{{{more}, ", 1)
        said = compile_(model.name, "tuned", with_schedules(candidates(model.name)[1], {kernel: schedule}))
        assert "tuning: results.txtpb: not used: kernel" in said, (schedule, said)
        assert library("tuned") == library("untuned"), schedule


def what_reads_what_it_writes_has_none():
    """A second call would compute something else; so no result is asked for."""
    model, rows, columns, n = Model("added"), number(30, 60), number(20, 40), number(5, 20)
    (a, x), (b, more) = model.input(rows, columns), model.input(n, columns)
    c, where = model.input(values=random.permuted(np.tile(np.arange(rows), (columns, 1)), axis=1).T[:n].astype(I64))
    model.graph.node("ScatterElements", [a, c, b], ["y"], axis=0, reduction="add")
    wanted = x.copy()
    np.put_along_axis(wanted, where, np.take_along_axis(x, where, 0) + more, 0)
    model.finish(wanted)
    found, results = candidates(model.name)
    chosen = {kernel: schedules[-1] for kernel, schedules in found.items()}
    said = compile_(model.name, "tuned", with_schedules(results, chosen), "--autotune=require")
    assert re.search(r"\ntuned k\d: not looked up: it reads what it writes", said), said
    model.check("tuned")


def sizes_that_vary_have_none():
    graph = onnx_file.Graph(opset=17)
    graph.node("Softmax", [graph.input("x", onnx_file.FLOAT, ["rows", 96])], ["y"], axis=-1)
    graph.output("y", onnx_file.FLOAT, ["rows", 96])
    graph.save("varying.onnx")
    said = compile_("varying", "tuned", "--dim=rows=1..900@16", "--autotune=require")
    assert re.search(r"\ntuned k0\S*: not looked up: its sizes vary", said), said
    with open("ask", "w", encoding="utf-8") as file:
        file.write("candidates k0 emulated_90\n")
    said = run(f"{strata.BIN}/strata", "varying.onnx", *DEVICE, "--dim=rows=1..900@16", "--aot", "--aot-name=m", "-o",
               "tuned", "--schedule=ask", wanted=1)
    assert "ask:1: k0: candidates: this 'rows' has one schedule" in said, said


strata.report([(name, lambda name=name: every_candidate(KINDS[name](name))) for name in strata.drawn(KINDS, DRAWN)] +
              [(case.__name__, case) for case in (hostile_schedules_are_not_used, what_reads_what_it_writes_has_none,
                                                     sizes_that_vary_have_none)])
