"""Decisions between forms of a part of the graph, from end to end on the emulated device: near-even ones are proposed,
each answer of a file of results is carried out, gives right results and other launches, and the same bytes twice."""
import filecmp
import os
import re
import shutil
import subprocess

import numpy as np

import gpu
import onnx_file
import strata

F16, F32 = 10, 1
DEVICE = ["--target=nvgpu", "--device=emulated_90"]
gpu.use_stand_in()
random = np.random.default_rng(strata.run_seed())


def drawn(*shape, dtype=np.float16):
    return random.standard_normal(shape).astype(dtype)


def product(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def norm(graph):
    rows, steps, columns = 256, 64, 256
    x, r, w = drawn(rows, steps), drawn(rows, columns), drawn(steps, columns)
    g, b = drawn(columns), drawn(columns)
    graph.node("MatMul", [graph.input("x", F16, x.shape), graph.constant("w", w)], ["c"])
    graph.node("Add", ["c", graph.input("r", F16, r.shape)], ["s"])
    graph.node("LayerNormalization", ["s", graph.constant("g", g), graph.constant("b", b)], ["y"])
    graph.output("y", F16, r.shape)
    s = product(x, w) + r
    centred = s - s.mean(1, keepdims=True)
    return [x, r], centred / np.sqrt((centred ** 2).mean(1, keepdims=True) + 1e-5) * g + b


def attention(graph):
    q, k, v = (drawn(1, 256, 256) for _ in range(3))
    names = [graph.input(name, F16, q.shape) for name in "qkv"]
    graph.node("Mul", [names[0], graph.constant("scale", np.array(0.0625, np.float16))], ["scaled"])
    graph.node("Transpose", [names[1]], ["kt"], perm=[0, 2, 1])
    graph.node("MatMul", ["scaled", "kt"], ["s"])
    graph.node("Softmax", ["s"], ["p"], axis=-1)
    graph.node("MatMul", ["p", names[2]], ["y"])
    graph.output("y", F16, q.shape)
    s = product(q * np.float16(0.0625), k.transpose(0, 2, 1))
    p = np.exp(s - s.max(-1, keepdims=True))
    return [q, k, v], product(p / p.sum(-1, keepdims=True), v)


def pair(graph):
    x, u, v = drawn(17, 4096), drawn(4096, 64) / 64, drawn(4096, 64) / 64
    u, v = u.astype(np.float16), v.astype(np.float16)
    graph.input("x", F16, x.shape)
    for name, weight in (("u", u), ("v", v)):
        graph.node("MatMul", ["x", graph.constant(f"w{name}", weight)], [name])
    graph.node("Sigmoid", ["u"], ["t"])
    graph.node("Mul", ["u", "t"], ["z"])
    graph.node("Mul", ["z", "v"], ["y"])
    graph.output("y", F16, (17, 64))
    a = product(x, u)
    return [x], a / (1 + np.exp(-a)) * product(x, v)


def parts(graph):
    x, w = drawn(64, 4096), drawn(4096, 64)
    graph.node("MatMul", [graph.input("x", F16, x.shape), graph.constant("w", w)], ["y"])
    graph.output("y", F16, (64, 64))
    return [x], product(x, w)


def reduction(graph):
    x = drawn(104, 240, dtype=np.float32)
    graph.node("ReduceSum", [graph.input("x", F32, x.shape), graph.constant("axes", np.array([0]))], ["y"], keepdims=0)
    graph.output("y", F32, (240,))
    return [x], x.astype(np.float64).sum(0)


def stage(graph):
    x, w = drawn(128, 231), drawn(231, 64)
    graph.node("MatMul", [graph.input("x", F16, x.shape), graph.constant("w", w)], ["y"])
    graph.output("y", F16, (128, 64))
    return [x], product(x, w)


def together(graph):
    x, u, v = drawn(64, 8192), drawn(8192, 256), drawn(8192, 64)
    graph.input("x", F16, x.shape)
    for name, weight in (("u", u), ("v", v)):
        graph.node("MatMul", ["x", graph.input(f"w{name}", F16, weight.shape)], [f"y{name}"])
        graph.output(f"y{name}", F16, (64, weight.shape[1]))
    return [x, u, v], product(x, u), product(x, v)


# Of each kind the answers that must be among those proposed.
KINDS = {
    norm: {"apart", "one kernel"}, attention: {"apart", "one kernel"}, pair: {"apart", "one kernel"},
    parts: {"whole", "8 parts of 512", "16 parts of 256"}, reduction: {"whole", "in parts"}, stage: {"none", "rows"},
    together: {"apart", "all"},
}


def run(*arguments, wanted=0, **variables):
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout[-500:], done.stderr[-1500:])
    return done.stdout + done.stderr


def compile_(name, folder, *options, wanted=0):
    return run(f"{strata.BIN}/strata", f"{name}.onnx", *DEVICE, "--aot", "--aot-name=m", "-o", folder, "--explain",
               *options, wanted=wanted)


def export(name, *options):
    shutil.rmtree(f"{name}_exported", ignore_errors=True)
    return run(f"{strata.BIN}/strata", f"{name}.onnx", *DEVICE, "--autotune=export", f"{name}_exported", "--explain",
               *options)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def load(path):
    return f"--load-autotune-results-from={path}"


def is_same(a, b):
    return filecmp.cmp(f"{a}/libm.so", f"{b}/libm.so", shallow=False)


def decisions(name, kind):
    """Of the manifest's decisions of a kind: key fields as text, and the answers."""
    found = []
    for text in read(f"{name}_exported/manifest.txtpb").split("\nkernels {")[1:]:
        if f'what: "decision {kind}: ' in text:
            key = "".join(re.findall(r'^  (?:kernel|device|compiler): ".*"\n', text, re.MULTILINE))
            found.append((key, re.findall(r' schedule: "(.*)"', text)))
    return found


def results(found, answer):
    """A file in which all decisions have |answer|."""
    entries = [f'results {{\n{key}  schedule: "{answer}"\n  model_schedule: "{answers[0]}"\n  seconds: 1e-06\n'
               f'  model_seconds: 2e-06\n  card: "test"\n  what: "decision"\n}}\n' for key, answers in found]
    return write("answers.txtpb", 'format: "strata tuning results 1"\n' + "".join(sorted(entries)))


def launches(said):
    return int(re.search(r"a run: (\d+) launches", said).group(1))


def check_results(folder, inputs, outputs):
    dtype = np.float32 if inputs[0].dtype == np.float32 else np.float16
    command = [f"{strata.BIN}/strata-run", f"{folder}/libm.so"]
    for i, value in enumerate(inputs):
        np.save(f"in{i}.npy", value)
        command.append(f"--input=in{i}.npy")
    for i, value in enumerate(outputs):
        np.save(f"out{i}.npy", value.astype(dtype))
        command.append(f"--expect=out{i}.npy")
    said = run(*command, "--atol=1000")  # what counts is the error of all of an output
    errors = [float(error) for error in re.findall(r"\|difference\| / \|expected\| = (\S+),", said)]
    assert len(errors) == len(outputs) and max(errors) < (1e-6 if dtype == np.float32 else 1e-3), said


def case(build, wanted_answers):
    name = build.__name__

    def check():
        graph = onnx_file.Graph(opset=17)
        inputs, *wanted = build(graph)
        graph.save(f"{name}.onnx")
        said = export(name)
        found = decisions(name, name)
        assert len(found) >= 1 and wanted_answers <= set(found[0][1]), (found, said)
        key = re.search(r'kernel: "(.*)"', found[0][0]).group(1)
        assert re.search(rf"decision {name}, .*: {found[0][1][0]} by the model \(.*\): proposed # {key}", said), said
        untuned = compile_(name, "untuned", "--autotune=read")
        forms = {}
        for answer in found[0][1]:
            told = compile_(name, "tuned", load(results(found, answer)))
            is_models = answer == found[0][1][0]
            assert (f": the fastest, 1.00 us on test (answers.txtpb) # {key}" if is_models else
                    f": tuned: {answer}, 1.00 us, not 2.00, on test (answers.txtpb) # {key}") in told, (answer, told)
            assert is_same("tuned", "untuned") == is_models, answer
            compile_(name, "again", load("answers.txtpb"), "--jobs=3")
            assert is_same("tuned", "again"), answer
            check_results("tuned", inputs, wanted)
            forms[answer] = launches(told)
        assert forms[found[0][1][0]] == launches(untuned)
        if name not in ("parts",):  # in which all but the whole are alike
            assert len(set(forms.values())) == len(forms), forms
        assert len(set(forms.values())) > 1, forms

    check.__name__ = name
    return check


def entries(path):
    return set(re.findall(r"results {.*?\n}", read(path), re.DOTALL))


def tuned_to_the_end(name, path):
    """Measures what there is, then what that brings about, into a file; what strata-tune said."""
    told = ""
    for i in range(4):
        said = export(name, *([load(path)] if i else []))
        if "\n0 kernels to tune" in said:
            return told
        told += run(f"{strata.BIN}/strata-tune", f"{name}_exported", "--budget=60", f"--output={path}")
    raise AssertionError(f"there is no end: {told}")


def required():
    """Without a result a near-even decision is an error; what is measured is used, kept and used again."""
    said = compile_("reduction", "tuned", "--autotune=require", wanted=1)
    assert re.search(r"--autotune=require: decision reduction of .* has no result of tuning on emulated_90: ", said), said
    told = tuned_to_the_end("reduction", "all.txtpb")
    assert "WRONG" not in told and "decision reduction: " in told and re.search(r"[0-9a-f]{16} rows of ", told), told
    compile_("reduction", "tuned", load("all.txtpb"), "--autotune=require", "--dump-autotune-results-to=dump.txtpb")
    assert "decision reduction" in read("dump.txtpb") and entries("dump.txtpb") <= entries("all.txtpb")
    compile_("reduction", "again", load("dump.txtpb"), "--autotune=require")
    assert is_same("tuned", "again")


def updated():
    shutil.rmtree("cache", ignore_errors=True)
    options = ["--autotune=update", "--autotune-budget=60", "--autotune-cache-dir=cache"]
    said = compile_("reduction", "tuned", *options)
    assert re.search(r"decision reduction, .* on test device \(.*\) # [0-9a-f]{16}\n", said), said
    assert len(os.listdir("cache")) >= 2  # the decision, and a kernel
    compile_("reduction", "again", "--autotune-cache-dir=cache", "--autotune=require")
    assert is_same("tuned", "again")


def what_follows():
    """Kernels that there are by a tuned answer alone are proposed behind it, and wanted."""
    export("norm")
    path = results(decisions("norm", "norm"), "one kernel")
    before = set(re.findall(r'kernel: "(.*)"', read("norm_exported/manifest.txtpb")))
    assert "rows reduced" not in read("norm_exported/manifest.txtpb")
    export("norm", load(path))
    manifest = read("norm_exported/manifest.txtpb")
    assert "rows reduced" in manifest and not decisions("norm", "norm")
    assert not before & set(re.findall(r'kernel: "(.*)"', manifest))
    said = compile_("norm", "tuned", load(path), "--autotune=require", wanted=1)
    assert re.search(r"--autotune=require: kernel k\d \([0-9a-f]{16}\) has no result", said), said


def wrong_answers():
    """One that a file makes up is not used; a candidate that computes something else is never taken."""
    export("reduction")
    found = decisions("reduction", "reduction")
    compile_("reduction", "untuned", "--autotune=read")
    for answer in ("in Parts", "in parts ", "one" * 1000):
        said = compile_("reduction", "tuned", load(results(found, answer)))
        assert "note: reduction.onnx: tuning: answers.txtpb: not used: decision reduction" in said, said
        assert is_same("tuned", "untuned"), answer
    graph = onnx_file.Graph(opset=17)
    graph.node("ReduceMax", [graph.input("x", F32, (104, 240))], ["y"], axes=[0], keepdims=0)
    graph.output("y", F32, (240,))
    graph.save("other.onnx")
    export("other")
    other = re.search(r'kernel: "(.*)"', decisions("other", "reduction")[0][0]).group(1)
    number = re.search(r'kernel: "(.*)"', found[0][0]).group(1)
    assert other != number
    shutil.copy(f"other_exported/libk{other}_1.so", f"reduction_exported/libk{number}_1.so")
    said = run(f"{strata.BIN}/strata-tune", "reduction_exported", "--budget=60", "--output=wrong.txtpb")
    assert re.search(rf"error: kernel {number}, candidate 1 \(.*\): WRONG: results differ", said), said
    assert f'schedule: "{found[0][1][0]}"' in read("wrong.txtpb")


def even_alone():
    """What is far from even is not asked about, nor what sizes vary of."""
    graph = onnx_file.Graph(opset=17)
    q = [graph.input(name, F16, (2, 64, 64)) for name in "qkv"]
    graph.node("Transpose", [q[1]], ["kt"], perm=[0, 2, 1])
    graph.node("MatMul", [q[0], "kt"], ["s"])
    graph.node("Softmax", ["s"], ["p"], axis=-1)
    graph.node("MatMul", ["p", q[2]], ["y"])
    graph.output("y", F16, (2, 64, 64))
    graph.save("far.onnx")
    assert "decision" not in compile_("far", "tuned", "--autotune=read")
    assert "decision" not in compile_("norm", "tuned")


strata.report([*((build.__name__, case(build, answers)) for build, answers in KINDS.items()),
               *((check.__name__, check) for check in (required, updated, what_follows, wrong_answers, even_alone))])
