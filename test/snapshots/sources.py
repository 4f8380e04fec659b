"""The cases of snapshots.py, by group: lit files, the bench's products and layers, random products, whole models.

Each case has a name and a function that takes (Recorder, devices) and gives its texts by (command, device, kind).
"""
import collections
import glob
import os
import re
import subprocess
import sys

from recorder import HERE, SOURCE, write_script

sys.path[:0] = [os.path.join(SOURCE, path) for path in ("tools/bench/gpu", "test/models", "test/support")]

import cases as bench
import materialise

LLVM = os.environ.get("SNAPSHOT_LLVM", "/usr/lib/llvm-22/bin")  # of lit's `not`
BENCH_GROUPS = ("mem", "gemm", "fused", "vit", "attn", "conv", "group", "random")
SYMBOLIC = {"resnet50_fp16": ("--dim=N=1",), "vit_b16_fp16": ("--dim=N=1",)}

Case = collections.namedtuple("Case", "name group texts")


#===-- Lit files -------------------------------------------------------------------------------------------------------


def run_lines(path):
    """The RUN lines of a file, those that go on joined."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = re.findall(r"RUN:\s*(.*)", file.read())
    joined, before = [], ""
    for line in lines:
        before += line
        if before.endswith("\\"):
            before = before[:-1]
            continue
        joined.append(before)
        before = ""
    return joined


def is_of_gpu(path):
    return any("nvgpu" in line and "strata" in line for line in run_lines(path))


def shims(folder):
    """A folder with the recorder in place of the compiler, and a FileCheck that checks nothing."""
    path = os.path.join(folder, "shims")
    os.makedirs(path, exist_ok=True)
    write_script(os.path.join(path, "FileCheck"), "#!/bin/sh\ncat > /dev/null\n")
    for program in ("strata", "strata-opt"):
        write_script(os.path.join(path, program),
                     f'#!/bin/sh\nexec {sys.executable} -c \'import sys; sys.path.insert(0, "{HERE}"); import recorder; '
                     f'recorder.main("{program}", sys.argv[1:])\' "$@"\n')
    return path


def record_file(path, recorder, devices):
    folder = recorder.folder
    work = os.path.join(folder, "t")
    os.makedirs(work)
    places = {"%s": path, "%t": os.path.join(work, "out"), "%python": sys.executable, "%S": os.path.dirname(path),
              "%models": os.path.join(SOURCE, "test", "models"),
              "%test_bin": os.path.abspath(os.path.join(recorder.tools, "..", "test", "bin"))}
    keys = sorted(places, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, keys)) + "|%%")
    script = "\n".join(pattern.sub(lambda found: places.get(found[0], "%"), line) for line in run_lines(path))
    environment = {**os.environ, "SNAPSHOT_FOLDER": folder, "SNAPSHOT_TOOLS": recorder.tools,
                   "SNAPSHOT_DEVICES": ",".join(devices), "SNAPSHOT_OPTIONS": " ".join(recorder.options),
                   "PYTHONPATH": os.pathsep.join(os.path.join(SOURCE, "test", name) for name in ("support", "models")),
                   "PATH": os.pathsep.join([shims(folder), LLVM, os.environ["PATH"]])}
    subprocess.run(["bash", "-c", script], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    texts = {}
    for name in glob.glob(os.path.join(folder, "texts", "*")):
        number, device, kind = os.path.basename(name).split(".")
        with open(name, encoding="utf-8") as file:
            texts[number, device, kind] = file.read()
    return texts


def files():
    for path in sorted(glob.glob(os.path.join(SOURCE, "test", "**", "*"), recursive=True)):
        if path.endswith((".mlir", ".test")) and is_of_gpu(path):
            yield Case(os.path.relpath(path, os.path.join(SOURCE, "test")), "files",
                       lambda *arguments, path=path: record_file(path, *arguments))


#===-- Graphs ----------------------------------------------------------------------------------------------------------


def compile_graph(path, own, recorder, devices):
    found = recorder.of_compiler([path, "--target=nvgpu", *own], devices)
    return {("0", *key): text for key, text in found.items()}


def record_bench(case, recorder, devices):
    path = os.path.join(recorder.folder, "graph.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text)
    return compile_graph(path, ["--on-gpu-tensors", "--user-device-memory", *case.options], recorder, devices)


def products():
    for case in bench.all_cases().values():
        if case.group in BENCH_GROUPS:
            yield Case(case.name, case.group, lambda *arguments, case=case: record_bench(case, *arguments))


def record_model(model, folder, recorder, devices):
    path = os.path.join(folder, model + ".onnx")
    if not os.path.exists(os.path.join(folder, model + ".data")):  # a graph alone
        path = materialise.materialise(model, os.path.join(recorder.folder, "model"))
    return compile_graph(path, SYMBOLIC.get(model, ()), recorder, devices)


def models(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.onnx"))):
        model = os.path.basename(path)[:-len(".onnx")]
        yield Case(model, "models", lambda *arguments, model=model: record_model(model, folder, *arguments))


def all_cases(models_folder):
    yield from files()
    yield from products()
    if models_folder:
        yield from models(models_folder)
