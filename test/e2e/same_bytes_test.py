"""The same model and options give the same bytes: in whatever folder the compiler is started, where the model lies and
the files go, with whatever TMPDIR and however many threads."""
import os
import shutil
import subprocess
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

OPTIONS = [[], ["--debug-info=full"], ["--weights=file"], ["--opt-level=0"], ["--target=nvgpu", "--device=emulated_90"],
           ["--target=nvgpu", "--device=sm_90a,sm_80"], ["--target=amdgpu", "--device=gfx942"]]


def make_model(path):
    """Enough kernels for several units, which threads compile at once, and weights that are prepared."""
    graph = onnx_file.Graph()
    generator = np.random.default_rng(0)
    value = graph.input("x", FLOAT, [8, 32])
    for i in range(12):
        w = graph.constant(f"left{i}", generator.standard_normal((32, 32 + i % 5)).astype(np.float32))
        v = graph.constant(f"right{i}", generator.standard_normal((32 + i % 5, 32)).astype(np.float32))
        value = graph.node("Softmax", [graph.node("MatMul", [graph.node("MatMul", [value, w]), v])], axis=-1)
    graph.output(value, FLOAT, [8, 32])
    graph.save(path)


def compile_in(folder, model, output, jobs, options):
    os.makedirs(os.path.join(folder, "tmp"), exist_ok=True)
    subprocess.run([os.path.abspath(os.path.join(strata.BIN, "strata")), model, "--aot", "--aot-name=net", "-o", output,
                    f"-j{jobs}", *options], cwd=folder, check=True, stderr=subprocess.PIPE,
                   env={**os.environ, "TMPDIR": os.path.abspath(os.path.join(folder, "tmp"))})


def files_in(folder):
    files = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


def is_same(options):
    for folder in ("one", "two"):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs("one")
    shutil.copy("model.onnx", "one")
    compile_in("one", "model.onnx", "out", 1, options)
    compile_in("two/deeper", os.path.abspath("model.onnx"), os.path.abspath("two/out"), 3, options)
    one, two = files_in("one/out"), files_in("two/out")
    different = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    print(f"{'FAIL' if different else 'ok  '} {' '.join(options) or 'no options'}: {len(one)} files {different or ''}")
    return not different


def main():
    make_model("model.onnx")
    results = [is_same(options) for options in OPTIONS]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
