"""The files of an emitted GPU library: linked, loaded, given what each option asks for; run by the tests' driver."""
import ctypes
import filecmp
import os
import subprocess

import numpy as np

import gpu
import onnx_file
import strata
from library_test import B, CC, HERE, ROWS, WARNINGS, COLUMNS, W, X, check_close, compile_as, dense_graph, reference, run
from onnx_file import FLOAT

EMULATED = ["--target=nvgpu", "--device=emulated"]
EXACT = [*EMULATED, "--mm-conv-precision-mode=fp32"]
CALLERS = ["--on-gpu-tensors", "--user-device-memory"]


def load(name, graph, *options):
    return gpu.Library(compile_as(name, graph, *EXACT, *options))


def test_calls(graph):
    """Every way to take tensors and memory; f32 products are of f16 operands where that is asked for."""
    for number in range(4):
        options = [option for i, option in enumerate(CALLERS) if number >> i & 1]
        library = load(f"way{number}", graph, *options)
        for _ in range(2):
            check_close(library.run([X])[0], reference(X))
        library.unload()
    library = gpu.Library(compile_as("mixed", graph, *EMULATED, "--mm-conv-precision-mode=mixed_fp16_fp32"))
    got = library.run([X])[0]
    check_close(got, reference(X), 2e-2)
    assert np.abs(got - reference(X)).max() > 1e-6
    library.unload()


def test_applications(graph):
    linked = compile_as("linked", graph, *EXACT, *CALLERS)
    loaded = compile_as("loaded", graph, *EXACT, *CALLERS)
    with open("library_app.data", "wb") as file:
        file.write(X.tobytes() + reference(X).tobytes())
    driver = os.environ["STRATA_CUDA_DRIVER"]
    run(CC, "-std=gnu11", *WARNINGS, "-Iout", os.path.join(HERE, "gpu_library_app.c"), linked[:-2] + "a", driver,
        f"-Wl,-rpath,{os.path.dirname(driver)}", "-o", "app", "-lpthread", "-ldl", "-lm")
    assert run("./app", loaded) == "ok\n"
    with open("out/linked.h", encoding="utf-8") as file:
        header = file.read()
    assert "int linked(const float *x, float *y, void *device_memory, struct CUstream_st *stream);" in header
    assert "int linked_load(void *weights_memory, struct CUstream_st *stream);" in header
    assert "set_threads" not in header.split("int linked(")[1]


def test_exports():
    names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", "out/libloaded.so").splitlines()}
    assert names == {"loaded"} | {f"loaded_{name}" for name in ("device_memory_size", "weights_size", "load",
                                                                "set_constant", "unload", "error", "library")}, names
    needed = {line.split("[")[1].rstrip("]") for line in run("readelf", "-d", "out/libloaded.so").splitlines()
              if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}, needed


def test_strata_run(graph):
    np.save("x.npy", X)
    np.save("y.npy", reference(X))
    tool = os.path.join(strata.BIN, "strata-run")
    for name in ("way0", "way1", "way2", "way3"):
        text = run(tool, f"out/lib{name}.so", "--input=x.npy", "--output=got.npy", "--expect=y.npy", "--num-iters=3")
        assert "of 3 runs" in text, text
        check_close(np.load("got.npy"), reference(X))
    text = run(os.path.join(strata.BIN, "strata"), graph, *EXACT, "--input=x.npy")
    assert "of roofline" in text and "whole call" in text, text


def set_constant(library, name, value):
    driver = gpu.Library._driver
    return library.description.set_constant(name, value.ctypes.data, driver.stream if driver else None)


def test_weights(graph):
    w = np.ascontiguousarray(W[::-1])
    embedded = load("embedded", graph, *CALLERS)
    exact = embedded.run([X])[0]
    check_close(exact, reference(X))
    assert set_constant(embedded, b"w", w) == 0  # now the device prepares what this machine did before
    check_close(embedded.run([X])[0], reference(X, w))
    assert set_constant(embedded, b"w", W) == 0
    assert (embedded.run([X])[0] == exact).all()
    embedded.unload()

    filed = load("filed", graph, "--weights=file")
    assert os.path.getsize("out/libfiled.so") + W.nbytes / 2 < os.path.getsize("out/libembedded.so")
    assert (filed.run([X])[0] == exact).all()
    filed.unload()

    argument = load("bare", graph, "--weights=argument", *CALLERS)
    assert [info.name.decode() for info in argument.inputs] == ["x", "w", "b"]
    check_close(argument.run([X, w, B])[0], reference(X, w))
    argument.unload()


def test_weights_set():
    """The library is small and says which constant it lacks."""
    w = (np.random.default_rng(1).standard_normal((X.shape[1], 1024)) / 8).astype(np.float32)
    graph = onnx_file.Graph()
    product = graph.node("MatMul", [graph.input("x", FLOAT, X.shape), graph.constant("w", w)], ["y"])
    graph.output(product, FLOAT, [ROWS, 1024])
    library = load("unset", graph.save("unset.onnx"), "--weights=set", *CALLERS)
    assert os.path.getsize("out/libunset.so") < w.nbytes
    try:
        library.run([X])
        assert False, "expected an error"
    except RuntimeError as error:
        assert "status 6" in str(error) and "'w'" in str(error), error
    assert set_constant(library, b"w", w) == 0
    check_close(library.run([X])[0], X @ w)
    library.unload()


def test_alias():
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, [64, 128])
    total = graph.node("ReduceSum", [x, graph.constant("axes", np.array([0], np.int64))])
    graph.node("Add", [x, total], ["y"])
    graph.output("y", FLOAT, [64, 128])
    library = load("aliased", graph.save("alias.onnx"), "--alias=y=x")
    value = np.random.default_rng(2).standard_normal((64, 128)).astype(np.float32)
    expected = value + value.sum(axis=0, keepdims=True)
    tensors = (ctypes.c_void_p * 2)(value.ctypes.data, value.ctypes.data)
    assert library.description.run(tensors, None, None, None) == 0
    check_close(value, expected, 1e-3)
    library.unload()


def test_devices(graph):
    """Code for real GPUs, as far as it can be seen without one."""
    path = compile_as("real", graph, "--target=nvgpu", "--device=sm_90a")
    compile_as("real", graph, "--target=nvgpu", "--device=sm_90a", folder="again")
    for suffix in ("lib{}.so", "lib{}.a", "{}.h", "{}.pc"):
        assert filecmp.cmp("out/" + suffix.format("real"), "again/" + suffix.format("real"), shallow=False), suffix
    done = subprocess.run([os.path.join(strata.BIN, "strata-run"), path, "--random"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 1 and "sm_90a" in done.stderr, done.stderr
    amd = compile_as("radeon", graph, "--target=amdgpu", "--device=gfx942", *CALLERS)
    with open("out/radeon.h", encoding="utf-8") as file:
        assert "struct ihipStream_t *stream" in file.read()
    description = strata.Library(amd).description
    assert description.target == b"amdgpu" and description.devices[0] == b"gfx942"
    if strata.has_ptxas():
        text = strata.strata(graph, "--target=nvgpu", "--device=sm_90a", "--aot", "-o", "used", "--resource-usage",
                             "--time-compilation")
        assert "regs" in text and "\nptxas" in text, text


def test_several_devices(graph):
    """Each device has code and weights of its own; the one that is present is taken."""
    options = ["--mm-conv-precision-mode=fp32", *CALLERS]
    library = gpu.Library(compile_as("several", graph, "--target=nvgpu", "--device=sm_90a,emulated", *options))
    description = library.description
    assert [description.devices[i] for i in range(description.n_devices)] == [b"sm_90a", b"emulated"]
    check_close(library.run([X])[0], reference(X))
    w = np.ascontiguousarray(W[::-1])
    assert set_constant(library, b"w", w) == 0
    check_close(library.run([X])[0], reference(X, w))
    library.unload()

    # One file with a part for each device; of equal parts any will do, and none but a whole one.
    filed = gpu.Library(compile_as("parts", graph, "--target=nvgpu", "--device=sm_90a,emulated", "--weights=file", *options))
    check_close(filed.run([X])[0], reference(X))
    filed.unload()
    one = compile_as("part", graph, "--target=nvgpu", "--device=emulated", "--weights=file", *options)
    assert os.path.getsize("out/parts.weights") > os.path.getsize("out/part.weights") + W.nbytes / 2
    with open("out/part.weights", "r+b") as file:
        file.truncate(os.path.getsize("out/part.weights") - 64)
    description = gpu.Library(one).description
    assert description.load(None, gpu.Library._driver.stream) and b"expected at least" in description.error()


def test_options(graph):
    for options, message in ([["--on-gpu-tensors", "--alignment=8"], "at least 16"], [["--device=sm_1"], "sm_90a"],
                             [["--device=sm_90a,sm_1"], "--device=sm_1"]):
        try:
            compile_as("wrong", graph, "--target=nvgpu", *options)
            assert False, "expected an error"
        except strata.CompileError as error:
            assert message in str(error), error
    try:
        compile_as("wrong", graph, "--weights=set")
        assert False, "expected an error"
    except strata.CompileError as error:
        assert "--weights=set" in str(error), error


def main():
    gpu.use_stand_in()
    graph = dense_graph("gpu_dense.onnx")
    for test in (test_calls, test_applications):
        test(graph)
    test_exports()
    for test in (test_strata_run, test_weights, test_devices, test_several_devices, test_options):
        test(graph)
    test_weights_set()
    test_alias()


if __name__ == "__main__":
    main()
