"""Tuning from end to end on the emulated device: candidates are exported, timed, and what is fastest is used; files of
other devices, compilers and of nobody are not."""
import filecmp
import glob
import os
import re
import shutil
import subprocess
import time

import numpy as np

import gpu
import onnx_file
import strata

F16 = 10
M, N, K = 48, 64, 64
DEVICE = ["--target=nvgpu", "--device=emulated_90"]
# 3 x 3 x 176 = 1584 elements of an image and a filter meet, which are no whole lines of 128 bytes.
CONVOLUTION = """
func.func @main(%x: tensor<1x7x7x176xf16> {strata.name = "x"}, %w: tensor<16x3x3x176xf16> {strata.name = "w"})
    -> (tensor<1x7x7x16xf16> {strata.name = "y"}) {
  %s = "strata.contract"(%x, %w) {maps = [affine_map<(n, h, w, k, y, x, c) -> (n, h + y - 1, w + x - 1, c)>,
      affine_map<(n, h, w, k, y, x, c) -> (k, y, x, c)>, affine_map<(n, h, w, k, y, x, c) -> (n, h, w, k)>],
      zero_pad = true, origin = "conv"} : (tensor<1x7x7x176xf16>, tensor<16x3x3x176xf16>) -> tensor<1x7x7x16xf32>
  %y = "strata.convert"(%s) : (tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf16>
  return %y : tensor<1x7x7x16xf16>
}
"""
gpu.use_stand_in()


def make_model(path, relu=False, second=False):
    graph = onnx_file.Graph(opset=17)
    a, b = graph.input("a", F16, [M, K]), graph.input("b", F16, [K, N])
    graph.node("MatMul", [a, b], ["c"])
    if relu:
        graph.node("Relu", ["c"], ["y"])
    if second:
        graph.output("c", F16, [M, N])
        graph.node("MatMul", ["c", graph.constant("w", np.ones((N, 256), np.float16))], ["y"])
    graph.output("y" if relu or second else "c", F16, [M, 256 if second else N])
    graph.save(path)


def run(*arguments, wanted=0, **variables):
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout[-500:], done.stderr[-1500:])
    return done.stdout + done.stderr


def compile_(model, name, *options, wanted=0):
    return run(f"{strata.BIN}/strata", model, *DEVICE, "--aot", "--aot-name=m", "-o", name, "--explain", *options,
               wanted=wanted)


def is_same(a, b):
    return filecmp.cmp(f"{a}/libm.so", f"{b}/libm.so", shallow=False)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text, mode="w"):
    with open(path, mode, **({} if "b" in mode else {"encoding": "utf-8"})) as file:
        file.write(text)
    return path


def export(model, folder):
    shutil.rmtree(folder, ignore_errors=True)
    return run(f"{strata.BIN}/strata", model, *DEVICE, "--autotune=export", folder)


def tune(folder, *options, budget=1, wanted=0, **variables):
    return run(f"{strata.BIN}/strata-tune", folder, f"--budget={budget}", *options, wanted=wanted, **variables)


def load(path):
    return f"--load-autotune-results-from={path}"


def candidates():
    return re.findall(r'library: "(.*)"\n *schedule: "(.*)"', read("exported/manifest.txtpb"))


def results_with(pattern, replacement):
    """results.txtpb with something else in it."""
    text, n = re.subn(pattern, lambda _: replacement, read("results.txtpb"))
    assert n >= 1, pattern
    return write("changed.txtpb", text)


def prepare():
    """The results of every other case: the second candidate, whatever was the fastest on this machine."""
    for name in ("plain", "relu", "two"):
        make_model(f"{name}.onnx", relu=name == "relu", second=name == "two")
    export("plain.onnx", "exported")
    said = tune("exported")
    assert "1 of 1 kernels tuned on test device" in said, said
    assert read("exported/results.txtpb").startswith('format: "strata tuning results 1"')
    shutil.copy("exported/results.txtpb", "results.txtpb")
    shutil.copy(results_with(r'\n  schedule: ".*"', f'\n  schedule: "{candidates()[1][1]}"'), "results.txtpb")
    assert "no result" not in compile_("plain.onnx", "untuned")


def exported():
    found = candidates()
    assert 2 <= len(found) <= 8 and len({schedule for _, schedule in found}) == len(found)
    assert sorted(os.listdir("exported")) == sorted([library for library, _ in found] + ["manifest.txtpb",
                                                                                          "results.txtpb"])
    chosen = re.search(r"schedule k0 emulated_90 (\{.*\}) #", compile_("plain.onnx", "untuned")).group(1)
    assert found[0][1].replace('\\"', '"') == chosen
    export("relu.onnx", "more")
    assert "2 kernels to tune" in run(f"{strata.BIN}/strata", "plain.onnx", *DEVICE, "--autotune=export", "more")


def forms():
    """What is proposed of a product of which the model has no form in which blocks share something far behind: some of
    each of these, whose like the model may be wrong about."""
    graph = onnx_file.Graph(opset=17)
    a, b = graph.input("a", F16, [4816, 152]), graph.input("b", F16, [4816, 2880])
    graph.node("Transpose", [a], ["t"], perm=[1, 0])
    graph.node("MatMul", ["t", b], ["c"])
    graph.output("c", F16, [152, 2880])
    graph.save("long.onnx")
    export("long.onnx", "forms")
    found = [text for text in re.findall(r' schedule: "(.*)"', read("forms/manifest.txtpb")) if "kind = " in text]
    assert len(found) == 8, found
    for form in ("parts = ", "share = ", "stream = "):
        assert any(form in schedule for schedule in found), (form, found)


def used():
    said = compile_("plain.onnx", "tuned", load("results.txtpb"))
    assert re.search(r"tuned k0 emulated_90 \{.*\(results.txtpb\)", said), said
    assert not is_same("tuned", "untuned")
    compile_("plain.onnx", "again", load("results.txtpb"), "--autotune=require", "--jobs=3", "--depfile")
    assert is_same("tuned", "again") and "results.txtpb:" in read("again/m.d")
    generator = np.random.default_rng(1)
    a, b = (generator.standard_normal(shape).astype(np.float16) for shape in ((M, K), (K, N)))
    np.save("a.npy", a)
    np.save("b.npy", b)
    np.save("c.npy", (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))
    run(f"{strata.BIN}/strata-run", "tuned/libm.so", "--input=a.npy", "--input=b.npy", "--expect=c.npy")


def dumped_and_loaded():
    for name in ("dump.pb", "dump.prototxt"):
        compile_("plain.onnx", "tuned", load("results.txtpb"), f"--xla-gpu-dump-autotune-results-to={name}")
        compile_("plain.onnx", "again", f"--xla-gpu-load-autotune-results-from={name}")
        assert is_same("tuned", "again"), name
    assert read("dump.prototxt") == read("results.txtpb")


def others_are_not_used():
    for pattern, replacement in ((r'device: "', 'device: "another '), (r'compiler: "', 'compiler: "0'),
                                 (r'kernel: "....', 'kernel: "aaaa')):
        said = compile_("plain.onnx", "again", load(results_with(pattern, replacement)))
        assert "tuned k0: no result for kernel" in said and is_same("again", "untuned"), pattern
    said = run(f"{strata.BIN}/strata", "plain.onnx", "--target=nvgpu", "--device=emulated", "--aot", "--aot-name=m", "-o",
               "again", "--explain", load("results.txtpb"))
    assert "tuned k0 " not in said, said


def hostile_schedules_are_not_used():
    for schedule in ("{}", "7", "{kind = ", '{kind = \\"map\\", threads = 64 : i64}', "{" * 4000,
                     '{kind = \\"contract\\", threads = 1073741824 : i64, tile = array<i64: 1, 2>}',
                     '{kind = \\"contract\\", other = 1 : i64}'):
        path = results_with(r'\n  schedule: ".*"', f'\n  schedule: "{schedule}"')
        assert "note: plain.onnx: tuning: changed.txtpb: not used: kernel" in compile_("plain.onnx", "again", load(path))
        assert is_same("again", "untuned"), schedule
        said = compile_("plain.onnx", "again", load(path), "--autotune=require", wanted=1)
        assert "--autotune=require: kernel k0" in said, said


def partial():
    said = compile_("two.onnx", "two", load("results.txtpb"))
    assert "tuned k0 emulated_90 {" in said and "tuned k1: no result" in said, said
    said = compile_("two.onnx", "two", load("results.txtpb"), "--xla-gpu-require-complete-aot-autotune-results", wanted=1)
    assert re.search(r"--autotune=require: kernel k\d \([0-9a-f]{16}\) has no result of tuning on emulated_90: ", said)
    export("two.onnx", "two_exported")
    assert read("two_exported/manifest.txtpb").count("warm: 0") == 1  # what the first writes the second reads
    tune("two_exported", budget=60)
    compile_("two.onnx", "two", load("two_exported/results.txtpb"), "--autotune=require")
    # Tuning again adds to a file.
    tune("two_exported", "--output=results_of_both.pb", budget=60)
    tune("exported", "--output=results_of_both.pb")
    for model in ("plain", "two"):
        compile_(f"{model}.onnx", "two", load("results_of_both.pb"), "--autotune=require")


def files_that_are_none():
    for name, text in (("x.txt", "results {"), ("x.pb", "\x08\x07model"), ("y.pb", "format"), ("x.txtpb", "")):
        said = compile_("plain.onnx", "again", load(write(name, text)), wanted=1)
        assert f"strata: error: {name}: " in said or f": {name}: " in said, said
    with open("plain.onnx", "rb") as file:
        write("z.pb", file.read(), "wb")
    assert "z.pb: " in compile_("plain.onnx", "again", load("z.pb"), wanted=1)
    assert "nothere.pb: No such file" in compile_("plain.onnx", "again", load("nothere.pb"), wanted=1)
    assert "again/libm.so" not in glob.glob("nothere/*")


def folder():
    shutil.rmtree("cache", ignore_errors=True)
    cache = "--autotune-cache-dir=cache"
    assert "no result" in compile_("plain.onnx", "again", cache)
    assert not os.path.exists("cache")  # reading writes nothing
    compile_("plain.onnx", "again", cache, load("results.txtpb"), "--autotune=update")
    assert len(os.listdir("cache")) == 1
    compile_("plain.onnx", "tuned", load("results.txtpb"))
    compile_("plain.onnx", "again", "--xla-gpu-per-fusion-autotune-cache-dir=cache", "--autotune=require")
    assert is_same("tuned", "again")
    path = glob.glob("cache/*")[0]
    write(path, "nonsense")
    said = compile_("plain.onnx", "again", cache)
    assert f"tuning: not used: {path}: no result of tuning" in said and is_same("again", "untuned"), said
    compile_("plain.onnx", "again", cache, load("results.txtpb"), "--autotune=update")
    compile_("plain.onnx", "again", cache)
    assert is_same("tuned", "again")
    shutil.rmtree("cache")
    tune("exported", "--autotune-cache-dir=cache")
    compile_("plain.onnx", "again", cache, "--autotune=require")
    processes = [subprocess.Popen([f"{strata.BIN}/strata", "plain.onnx", *DEVICE, cache, load("results.txtpb"), "--aot",
                                   "--aot-name=m", "--autotune=update", "-o", f"p{i}"]) for i in range(8)]
    assert [process.wait() for process in processes] == [0] * 8


def updated():
    """Measured on the way, where a GPU is."""
    shutil.rmtree("cache", ignore_errors=True)
    options = ["--autotune=update", "--autotune-budget=1", "--autotune-cache-dir=cache"]
    said = compile_("two.onnx", "again", *options, load("results.txtpb"), "--dump-autotune-results-to=dump.txt")
    assert "(measured now)" not in said and said.count("\ntuned k") == 2, said
    assert len(os.listdir("cache")) == 2 and read("dump.txt").count("results {") == 2
    compile_("two.onnx", "tuned", "--autotune-cache-dir=cache", "--autotune=require")
    assert is_same("again", "tuned")
    os.environ["STRATA_CUDA_DRIVER"], before = "/nothere.so", os.environ["STRATA_CUDA_DRIVER"]
    said = compile_("plain.onnx", "again", "--autotune=update")
    os.environ["STRATA_CUDA_DRIVER"] = before
    assert "note: plain.onnx: nothing is tuned: no GPU" in said and is_same("again", "untuned"), said


def bad_candidates():
    """One that computes something else, one that is cut off, one that is none of this kernel."""
    shutil.copytree("exported", "bad", dirs_exist_ok=True)
    libraries = [library for library, _ in candidates()]
    export("relu.onnx", "relu_exported")
    shutil.copy(glob.glob("relu_exported/*_0.so")[0], f"bad/{libraries[1]}")
    with open(f"bad/{libraries[0]}", "rb") as file:
        write(f"bad/{libraries[2]}", file.read()[:5000], "wb")
    if len(libraries) > 3:
        other = [path for path in glob.glob("two_exported/*_0.so") if os.path.basename(path) not in libraries]
        shutil.copy(other[0], f"bad/{libraries[3]}")
    said = tune("bad", "--output=bad.txtpb", budget=20)
    assert re.search(r"candidate 1 \(.*\): WRONG: results differ", said), said
    assert re.search(r"error: kernel .*, candidate 2 \(", said), said
    assert len(libraries) < 4 or re.search(r"error: kernel .*, candidate 3 \(", said), said
    chosen = re.search(r'\n  schedule: "(.*)"', read("bad.txtpb")).group(1)
    assert chosen not in [schedule for _, schedule in candidates()[1:4]]
    os.remove(f"bad/{libraries[0]}")
    said = tune("bad", "--output=worse.txtpb", budget=20)
    assert "0 of 1 kernels tuned" in said and 'results {' not in read("worse.txtpb"), said


def padded_rows():
    """What is behind the rows of a matrix that a kernel in front writes is zeros, which candidates may read or not."""
    write("padded.mlir", CONVOLUTION)
    export("padded.mlir", "padded")
    manifest = read("padded/manifest.txtpb")
    assert len(re.findall(r"padded {[^}]*columns: 1584", manifest)) == 2, manifest
    head, *parts = manifest.split("\nkernels {")
    manifest = "\nkernels {".join([head, *(part for part in parts if "padded {" in part)])
    write("padded/manifest.txtpb", manifest)
    said = tune("padded", "--output=padded.txtpb", budget=60)
    assert "WRONG" not in said and re.search(r"\n(\d) of \1 kernels tuned", said), said
    write("padded/manifest.txtpb", manifest.replace("columns: 1584", "columns: -1"))
    assert "not as --autotune=export writes it" in tune("padded", wanted=1)


def failing_device():
    """Every process's second launch fails: candidates are given up one after the other, the rest is tried."""
    said = tune("exported", "--output=failed.txtpb", budget=20, STRATA_TEST_DRIVER_FAIL="cuLaunchKernelEx:2")
    assert "0 of 1 kernels tuned" in said and "results {" not in read("failed.txtpb"), said
    for i in range(len(candidates())):
        assert re.search(f"error: kernel .*, candidate {i} .*CUDA_ERROR_LAUNCH_FAILED", said), said
    said = tune("exported", "--output=failed.txtpb", STRATA_CUDA_DRIVER="/nothere.so", wanted=1)
    assert "strata: error: " in said, said


def whole_or_not_at_all():
    """An export that is killed, or finds the disk full, leaves nothing, or all."""
    for pause in (0.05, 0.3, 0.6, 1.2, 2.4):
        shutil.rmtree("killed", ignore_errors=True)
        process = subprocess.Popen([f"{strata.BIN}/strata", "plain.onnx", *DEVICE, "--autotune=export", "killed"],
                                   stdout=subprocess.DEVNULL)
        time.sleep(pause)
        process.kill()
        process.wait()
        end = time.monotonic() + 20  # what it started tidies up
        while (os.path.exists("killed") and (glob.glob("killed/.*") or not os.path.exists("killed/manifest.txtpb"))
               and time.monotonic() < end):
            time.sleep(0.05)
        assert not os.path.exists("killed") or os.path.exists("killed/manifest.txtpb"), os.listdir("killed")
    shutil.rmtree("full", ignore_errors=True)
    limited = f"ulimit -f 40; exec {strata.BIN}/strata plain.onnx {' '.join(DEVICE)} --autotune=export full"
    said = run("sh", "-c", limited, wanted=1)
    assert "no candidate can be compiled: " in said and not os.path.exists("full"), said
    assert "/dev/full: No space left" in tune("exported", "--output=/dev/full", wanted=1)


def wrong_commands():
    strata_ = f"{strata.BIN}/strata"
    for arguments, words in (
            (["plain.onnx", *DEVICE, "--autotune=export"], "--autotune=export: expected a folder"),
            (["plain.onnx", *DEVICE, "--autotune=export", "x", "--aot"], "expected neither --aot"),
            (["plain.onnx", *DEVICE, "x"], "x: expected one input, got plain.onnx before"),
            (["plain.onnx", "--autotune-budget=0"], "--autotune-budget"),
            (["plain.onnx", *DEVICE, "--dump-autotune-results-to=x"], "expected results to use"),
            (["plain.onnx", "--target=nvgpu", "--device=sm_90a,sm_80", "--autotune=export", "x"], "expected one --device")):
        assert words in run(strata_, *arguments, wanted=1), arguments
    for arguments, words in (([], "expected a folder"), (["nothere"], "nothere/manifest.txtpb: No such file"),
                             (["exported", "--budget=no"], "--budget"), (["exported", "--odd"], "unknown option '--odd'"),
                             (["exported", "more"], "expected one folder")):
        assert words in run(f"{strata.BIN}/strata-tune", *arguments, wanted=1), arguments
    assert "no field of TuningResults" in run(f"{strata.BIN}/strata-tune", "exported",
                                               "--output=exported/manifest.txtpb", wanted=1)
    help_ = run(f"{strata.BIN}/strata-tune", "--help")
    for name, value in re.findall(r"^  (--[a-z-]+)(=?)", help_, re.MULTILINE):
        if name not in ("--help", "--version"):
            assert "unknown option" not in run(f"{strata.BIN}/strata-tune", name + (value and "=7"), wanted=1), name


prepare()
strata.report([(case.__name__, case) for case in (
    exported, forms, used, dumped_and_loaded, others_are_not_used, hostile_schedules_are_not_used, partial, files_that_are_none,
    folder, updated, bad_candidates, padded_rows, failing_device, whole_or_not_at_all,
    wrong_commands)])
