"""Emitted GPU libraries against the stand-in for the driver.

Code for the emulated device is executed: every combination of tensors and memory, weights embedded and beside the
library, constants that are set. Code for real devices is loaded and launched without being executed: the driver checks
images, parameters, limits, addresses and streams. gpu_check, which is meant for real GPUs, is run as well.
"""
import ctypes
import os
import shutil
import subprocess
import sys

import numpy as np

import gpu
import onnx_file
import strata
from onnx_file import FLOAT

ROWS, INNER, COLUMNS = 24, 96, 80
generator = np.random.default_rng(0)
W = (generator.standard_normal((INNER, COLUMNS)) / 8).astype(np.float32)
B = generator.standard_normal(COLUMNS).astype(np.float32)
X = generator.standard_normal((ROWS, INNER)).astype(np.float32)
USER = ["--on-gpu-tensors", "--user-device-memory"]
FOLDER = os.path.dirname(os.path.abspath(gpu.STAND_IN))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def reference(x, w=W, b=B):
    return softmax(x @ w + b)


def dense_graph(path):
    """softmax(x @ w + b)"""
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, [ROWS, INNER])
    product = graph.node("MatMul", [x, graph.constant("w", W)])
    graph.node("Softmax", [graph.node("Add", [product, graph.constant("b", B)])], ["y"], axis=-1)
    graph.output("y", FLOAT, [ROWS, COLUMNS])
    return graph.save(path)


def compile_as(name, graph, *options, device="emulated", target="nvgpu"):
    options = [f"--target={target}", f"--device={device}", "--mm-conv-precision-mode=fp32", *options]
    return strata.compile_library(graph, "out", name, options)[0]


def check_close(got, expected, tolerance=1e-5):
    assert np.abs(got - expected).max() <= tolerance, np.abs(got - expected).max()


def run_process(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    return done.returncode, done.stdout + done.stderr


def test_kinds(graph):
    for name, options in (("host", []), ("device", ["--on-gpu-tensors"]), ("user", USER),
                          ("file", ["--weights=file", *USER])):
        library = gpu.Library(compile_as(name, graph, *options))
        for _ in range(2):
            check_close(library.run([X])[0], reference(X))
        library.unload()
        check_close(library.run([X])[0], reference(X))  # loaded once more
        library.unload()


def test_constants(graph):
    library = gpu.Library(compile_as("settable", graph))
    w = W[::-1].copy()
    check_close(library.run([X])[0], reference(X))
    status = library.description.set_constant(b"w", ctypes.c_void_p(w.ctypes.data), None)
    assert status == 0, library.description.error()
    check_close(library.run([X])[0], reference(X, w))
    library.unload()
    check_close(library.run([X])[0], reference(X))  # as compiled
    library.unload()


def test_damaged_weights(graph):
    path = compile_as("damaged", graph, "--weights=file")
    with open("out/damaged.weights", "r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"\xff" * 8)
    library = gpu.Library(path)
    try:
        library.run([X])
    except RuntimeError as error:
        assert "damaged" in str(error), error
    else:
        raise AssertionError("damaged weights were used")


def test_waiting_for_weights_fails(graph):
    """A copy out of the file of weights that could not be waited for may still run: an error, and nothing behind it."""
    for name, options in (("waiting", []), ("waiting_user", USER)):
        library = gpu.Library(compile_as(name, graph, "--weights=file", *options))
        driver = gpu.Driver()
        for n in (1, 2):  # behind the weights, behind what is prepared of them
            driver.fail("cuStreamSynchronize", n)
            status, error = library.description.load(None, driver.stream), library.description.error()
            assert status and b"cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED" in error, (status, error)
            assert driver.failed() == "cuStreamSynchronize"
            driver.fail(None, 0)
            assert library.description.load(None, driver.stream) == 0, library.description.error()
            check_close(library.run([X])[0], reference(X))
            library.unload()


def test_gpu_check(graph):
    path = compile_as("checked", graph, *USER)
    code, text = run_process(os.path.join(FOLDER, "gpu_check"), path, "0.5")
    assert code == 0, text
    assert "1000 of 1000 replays right" in text and "cuLaunchKernelEx" in text and " 0 wrong" in text, text


def test_strata_run(graph):
    """The tools run libraries of every kind, and leave nothing on the device."""
    np.save("x.npy", X)
    np.save("y.npy", reference(X))
    for name in ("host", "user"):
        code, text = run_process(os.path.join(strata.BIN, "strata-run"), f"out/lib{name}.so", "--input=x.npy",
                                 "--expect=y.npy", "--rtol=1e-4", "--num-iters=3", STRATA_TEST_DRIVER_LEAKS="1")
        assert code == 0 and "|difference|" in text, (code, text)


def test_real_devices(graph):
    """Launched, not executed: what comes out is what fresh memory holds."""
    devices = [("nvgpu", "sm_80", "80"), ("nvgpu", "sm_90a", "90")]
    if shutil.which("lld") or shutil.which("ld.lld") or shutil.which("ld.lld-22"):
        devices += [("amdgpu", "gfx942", "0x942"), ("amdgpu", "gfx1100", "0x1100")]
    script = "import sys, numpy, gpu; l = gpu.Library(sys.argv[1]); l.run([numpy.load('x.npy')]); l.unload()"
    np.save("x.npy", X)
    for target, device, arch in devices:
        # HIP tensors on the device would have to come from HIP: the library copies them itself.
        options = USER if target == "nvgpu" else []
        path = compile_as("real", elementwise_graph() if target == "amdgpu" else graph, *options, device=device,
                          target=target)
        code, text = run_process(sys.executable, "-c", script, path,
                                 STRATA_TEST_DRIVER_ARCH=arch, STRATA_TEST_DRIVER_LEAKS="1")
        assert code == 0, (device, text)
    path = compile_as("real", graph, *USER, device="sm_90a")
    code, text = run_process(sys.executable, "-c", script, path, STRATA_TEST_DRIVER_ARCH="80")
    assert code == 1 and "compiled for sm_90a, but the device is sm_80" in text, text


def test_nothing_to_launch():
    """Sums of rows that there are none of: a library without kernels, for any device."""
    script = "import sys, numpy, gpu; y, = gpu.Library(sys.argv[1]).run([numpy.zeros((0, 3), 'f4')]); assert not y.size"
    graph = onnx_file.Graph(opset=11)
    graph.node("ReduceSum", [graph.input("x", FLOAT, [0, 3])], ["y"], axes=[1], keepdims=0)
    graph.output("y", FLOAT, [0])
    for target, device in [("nvgpu", "sm_80,sm_90a"), ("nvgpu", "emulated"), ("amdgpu", "gfx942")]:
        path = compile_as("nothing", graph.save("nothing.onnx"), "--dim", "x.0=0", device=device, target=target)
        code, text = run_process(sys.executable, "-c", script, path, STRATA_TEST_DRIVER_LEAKS="1",
                                 STRATA_TEST_DRIVER_ARCH="0x942" if target == "amdgpu" else "90")
        assert code == 0, (device, text)


def elementwise_graph():
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, [ROWS, INNER])
    graph.node("Exp", [x], ["y"])
    graph.output("y", FLOAT, [ROWS, INNER])
    return graph.save("elementwise.onnx")


def main():
    gpu.use_stand_in()
    graph = dense_graph("dense.onnx")
    test_kinds(graph)
    test_constants(graph)
    test_damaged_weights(graph)
    test_waiting_for_weights_fails(graph)
    test_gpu_check(graph)
    test_strata_run(graph)
    test_real_devices(graph)
    test_nothing_to_launch()


if __name__ == "__main__":
    main()
