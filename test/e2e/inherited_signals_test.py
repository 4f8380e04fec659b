"""A caller that ignores the end of its children, as some daemons do, has the compiler wait for its own all the same: it
says how the process that reads a module ended, finds the candidates of a kernel, and ends."""
import os
import signal
import subprocess

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

UNKNOWN = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = tosa.none %x : tensor<4xf32> return %y : tensor<4xf32> }"


def run(*arguments, ignores):
    def ignore_children():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    return subprocess.run([os.path.join(strata.BIN, "strata"), *arguments], capture_output=True, text=True, check=False,
                          timeout=300, preexec_fn=ignore_children if ignores else None)


def refused_module():
    with open("unknown.mlir", "w", encoding="ascii") as file:
        file.write(UNKNOWN)
    usual, ignored = (run("unknown.mlir", "--compile-to=affine", ignores=ignores) for ignores in (False, True))
    assert usual.returncode == 1 and "not a module that MLIR can read" in usual.stderr, usual.stderr
    assert (ignored.returncode, ignored.stderr) == (usual.returncode, usual.stderr), ignored.stderr


def candidates():
    graph = onnx_file.Graph()
    value = graph.node("MatMul", [graph.input("x", FLOAT, [64, 64]), graph.constant("w", np.ones((64, 64), np.float32))])
    graph.output(value, FLOAT, [64, 64])
    done = run(graph.save("product.onnx"), "--target=nvgpu", "--device=sm_90a", "--autotune=export", "candidates",
               ignores=True)
    assert done.returncode == 0 and "1 kernels to tune" in done.stdout, done.stderr


def main():
    refused_module()
    candidates()
    print("right")


if __name__ == "__main__":
    main()
