"""Every allocation fails in turn: those of emitted libraries, and those of the compiler around the process that compiles."""
import hashlib
import os
import shutil
import subprocess
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(HERE, "..", "support")
CC = os.environ.get("CC", "cc")
ROWS, INNER, COLUMNS = 4, 96, 80  # as in no_memory_app.c
DRIVER = os.path.join(os.environ.get("STRATA_TEST_BIN", ""), "libstrata_test_cuda.so")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, **options)


def build(*arguments):
    done = run(CC, "-std=gnu11", "-O1", "-g", "-Wall", "-I" + strata.SOURCE, *arguments)
    assert done.returncode == 0, done.stderr


def make_model():
    generator = np.random.default_rng(0)
    x = generator.standard_normal((ROWS, INNER)).astype(np.float32)
    w = [(generator.standard_normal((INNER, COLUMNS)) / 8).astype(np.float32) for _ in range(2)]
    graph = onnx_file.Graph()
    product = graph.node("MatMul", [graph.input("x", FLOAT, x.shape), graph.constant("w", w[0])])
    graph.output(graph.node("Relu", [product]), FLOAT, [ROWS, COLUMNS])
    with open("data", "wb") as file:
        file.write(x.tobytes())
        for weight in w:
            file.write(weight.tobytes() + np.maximum(x.astype(np.float64) @ weight, 0).astype(np.float32).tobytes())
    return graph.save("model.onnx")


def libraries(model):
    build(f"{HERE}/no_memory_app.c", f"{SUPPORT}/failing_malloc.c", "-o", "app", "-rdynamic", "-lpthread", "-ldl", "-lm")
    targets = {"plain": [], "filed": ["--weights=file"]}
    if os.path.exists(DRIVER):
        gpu = ["--target=nvgpu", "--device=emulated"]
        targets |= {"gpu": gpu, "gpufiled": [*gpu, "--weights=file"]}
    for name, options in targets.items():
        path, _ = strata.compile_library(model, "out", name, [*options, "--mm-conv-precision-mode=exact"])
        done = run("./app", path, name, "data", env={**os.environ, "STRATA_NUM_THREADS": "3", "STRATA_CUDA_DRIVER": DRIVER})
        print(name, done.returncode, done.stdout, done.stderr)
        assert done.returncode == 0, done.returncode


def snapshot(folder):
    return {name: hashlib.sha256(open(os.path.join(folder, name), "rb").read()).hexdigest()
            for name in os.listdir(folder)}


def compiler(model, arguments, process):
    """Of the process that was started (0) or the one that keeps the files (1)."""
    preload = os.path.abspath("failing_malloc.so")
    shutil.rmtree("made", ignore_errors=True)
    whole = None
    for n in range(1, 10000):
        done = run(os.path.join(strata.BIN, "strata"), *([model] if model else []), *arguments,
                   env={**os.environ, "LD_PRELOAD": preload, "STRATA_TEST_FAIL_ALLOCATION": f"{n}:{process}",
                        "TMPDIR": os.path.abspath("tmp")})
        made = snapshot("made") if os.path.exists("made") else None
        good = not os.listdir("tmp") and (done.returncode == 0 or (
            done.returncode == 1 and "memory" in done.stderr and "internal" not in done.stderr and made is None))
        assert good, (arguments, process, n, done.returncode, done.stdout[-300:], done.stderr[-300:], made)
        if done.returncode == 0:
            whole = whole or (made, done.stdout)
            assert (made, done.stdout) == whole, (arguments, n)
            shutil.rmtree("made", ignore_errors=True)
            if n > LAST[process]:
                return print(arguments, process, n, "allocations")
    return None


LAST = [400, 60]  # more than there are: later ones are of nobody


def main():
    if strata.SANITIZED:
        return  # which has its own allocator
    for folder in ("out", "tmp", "made"):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs("tmp")
    model = make_model()
    libraries(model)
    build("-shared", "-fPIC", f"{SUPPORT}/failing_malloc.c", "-o", "failing_malloc.so", "-ldl", "-lpthread")


if __name__ == "__main__":
    sys.exit(main())
