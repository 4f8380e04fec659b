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
MLIR = 'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = "strata.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32> ' \
       'return %y : tensor<4xf32> }'
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
        path, _ = strata.compile_library(model, "out", name, [*options, "--mm-conv-precision-mode=fp32"])
        done = run("./app", path, name, "data", env={**os.environ, "STRATA_NUM_THREADS": "3", "STRATA_CUDA_DRIVER": DRIVER})
        print(name, done.returncode, done.stdout, done.stderr)
        assert done.returncode == 0, done.returncode


def snapshot(folder):
    return {name: hashlib.sha256(open(os.path.join(folder, name), "rb").read()).hexdigest()
            for name in os.listdir(folder)}


def compiler(arguments, process):
    """Of the process that was started (0) or the one that keeps the files (1)."""
    def attempt(n):
        shutil.rmtree("made", ignore_errors=True)
        done = run(os.path.join(strata.BIN, "strata"), *arguments,
                   env={**os.environ, "LD_PRELOAD": os.path.abspath("failing_malloc.so"),
                        "STRATA_TEST_FAIL_ALLOCATION": f"{n}:{process}", "STRATA_TEST_FAIL_REPORT": "failed",
                        "TMPDIR": os.path.abspath("tmp")})
        return done, snapshot("made") if os.path.exists("made") else None

    done, whole = attempt(0)
    assert done.returncode == 0, done.stderr
    n, output = 0, done.stdout
    while n == 0 or os.path.exists("failed"):
        n += 1
        if os.path.exists("failed"):
            os.remove("failed")
        done, made = attempt(n)
        good = (made, done.stdout) == (whole, output) if done.returncode == 0 else (
            done.returncode == 1 and "memory" in done.stderr and "internal" not in done.stderr and made is None)
        assert good and not os.listdir("tmp"), (arguments, process, n, done.returncode, done.stdout[-300:],
                                                done.stderr[-300:], made, os.listdir("tmp"))
    print(arguments, process, n - 1, "allocations")
    assert n > 1


def main():
    if strata.SANITIZED:
        return  # which has its own allocator
    for folder in ("out", "tmp", "made"):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs("tmp")
    model = make_model()
    libraries(model)
    build("-shared", "-fPIC", f"{SUPPORT}/failing_malloc.c", "-o", "failing_malloc.so", "-ldl", "-lpthread")
    with open("small.mlir", "w", encoding="ascii") as file:
        file.write(MLIR)
    for process in (0, 1):
        compiler(["small.mlir", "--aot", "-o", "made"], process)
    for arguments in (["small.mlir", "--compile-to=graph"], ["--help"], ["--version"]):
        compiler(arguments, 0)


if __name__ == "__main__":
    sys.exit(main())
