"""compile_options: what PolyBlocks' keys, and some of ours, do, seen in results, kernels, files and the driver's calls.

Not here: num_iters, aot, aot_name and user_device_memory (call_test.py), on_gpu_tensors (gpu_test.py), strict_target
and the two that choose graphs (graphs_test.py).
"""
import contextlib
import ctypes
import io
import os
import re

import package
from package import raises, support

DRIVER = os.path.abspath(os.path.join(os.environ.get("STRATA_TEST_BIN", os.path.join(support.BIN, "..", "test", "bin")),
                                      "libstrata_test_cuda.so"))
os.environ["STRATA_CUDA_DRIVER"] = DRIVER

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

RANDOM = np.random.default_rng(int(os.environ.get("STRATA_SEED", 5)))
GPU = {"target": "nvgpu", "device": "emulated_90"}
ROWS, DEPTH, COLUMNS = 24, 40, 32


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def softmax(x):
    powers = np.exp(x.astype(np.float64))
    return powers / powers.sum(-1, keepdims=True)


def saved(name, inputs, build):
    """A model of one result of f32, of inputs with these shapes."""
    graph = onnx_file.Graph(opset=18)
    values = [graph.input(f"x{i}", FLOAT, list(shape)) for i, shape in enumerate(inputs)]
    build(graph, values)
    graph.output("y", FLOAT, [ROWS, COLUMNS])
    graph.save(f"{name}.onnx")


def make_models():
    operands = ((ROWS, DEPTH), (DEPTH, COLUMNS))
    saved("product", operands, lambda graph, values: graph.node("MatMul", values, ["y"]))
    saved("attention", operands, lambda graph, values: graph.node("Softmax", [graph.node("MatMul", values)], ["y"]))
    saved("third", ((ROWS, COLUMNS),),
          lambda graph, values: graph.node("Div", [*values, graph.constant("c", np.float32(3))], ["y"]))
    saved("exp", ((ROWS, COLUMNS),), lambda graph, values: graph.node("Exp", values, ["y"]))


def make_branches():
    """Products, and a running sum that does not depend on them; the products' weights."""
    w, v = floats(DEPTH, COLUMNS) / 4, floats(DEPTH, COLUMNS)
    graph = onnx_file.Graph(opset=18)
    x = graph.input("x", FLOAT, [ROWS, DEPTH])
    left = graph.node("MatMul", [x, graph.constant("w", w)])
    right = graph.node("MatMul", [graph.node("Softmax", [x]), graph.constant("v", v)])
    graph.node("Softmax", [graph.node("Add", [left, right])], ["y"])
    graph.node("CumSum", [x, graph.constant("axis", np.array(0))], ["z"])
    graph.output("y", FLOAT, [ROWS, COLUMNS])
    graph.output("z", FLOAT, [ROWS, DEPTH])
    graph.save("branches.onnx")
    return w, v


def launches(model, **options):
    """How many a call has, after a look at its result."""
    x, w = floats(ROWS, DEPTH), floats(DEPTH, COLUMNS)
    net = strata.compile(model, **options)
    assert np.allclose(net(x, w), softmax(x.astype(np.float64) @ w), rtol=1e-4, atol=1e-6)
    return net._library.description.n_launches


def error_of_product(**options):
    x, w = floats(ROWS, DEPTH), floats(DEPTH, COLUMNS)
    exact = x.astype(np.float64) @ w
    return np.abs(strata.compile("product.onnx", **GPU, **options)(x, w) - exact).max() / np.abs(exact).max()


def target_and_device():
    assert strata.compile("product.onnx")._library.target == "cpu"
    assert strata.compile("product.onnx", **GPU)._library.target == "nvgpu"
    assert "k0 emulated_90 {" in strata.compile("product.onnx", **GPU).explain()
    assert "k0 emulated {" in strata.compile("product.onnx", target="nvgpu", device="emulated").explain()


def mm_conv_precision_mode():
    """Operands of 11 bits, of 8, of 24."""
    for mode, low, high in (("default", 1e-5, 1e-3), ("mixed_fp16_fp32", 1e-5, 1e-3), ("mixed_bf16_fp32", 2e-4, 1e-2),
                            ("fp16", 1e-5, 5e-3), ("fp32", 0, 1e-6)):
        error = error_of_product(mm_conv_precision_mode=mode)
        assert low <= error <= high, f"{mode}: {error:.1e}"
    with raises(strata.CompileError, "product.onnx", "int32"):
        strata.compile("product.onnx", mm_conv_precision_mode="int32")


def polyblocks_gpu_no_tensor_core():
    """Products are those of the operands' type, as on a cpu."""
    assert error_of_product(polyblocks_gpu_no_tensor_core=True) <= 1e-6
    assert "multiply-adds" in strata.compile("product.onnx", **GPU, polyblocks_gpu_no_tensor_core=True).explain()


def mlir_disable_fast_math():
    x = RANDOM.uniform(-20, 20, (ROWS, COLUMNS)).astype(np.float32)
    exact = np.exp(x.astype(np.float64))
    got = strata.compile("exp.onnx", mlir_disable_fast_math=True)(x)
    assert np.all(np.abs(got - exact) <= 2 * np.spacing(exact.astype(np.float32))), "the op table says 2 ulp"
    for disabled in (False, True):
        strata.compile("exp.onnx", mlir_disable_fast_math=disabled, save_temps="temps")
        with open("temps/2-affine.mlir", encoding="utf-8") as file:
            assert ("fastmath<" in file.read()) is not disabled


def polyblocks_disable_unsafe_math_canonicalizations():
    """x / 3 is no product with 1 / 3, which is not what the division gives."""
    x = floats(ROWS, COLUMNS)
    assert not np.array_equal(strata.compile("third.onnx")(x), x / np.float32(3))
    assert np.array_equal(strata.compile("third.onnx", polyblocks_disable_unsafe_math_canonicalizations=True,
                                         mlir_disable_fast_math=True)(x), x / np.float32(3))


def fusion():
    """One kernel an op; the two reductions of a softmax apart."""
    assert launches("attention.onnx") == 2
    assert launches("attention.onnx", polyblocks_disable_reduce_reduce_fusion=True) == 3
    assert launches("attention.onnx", polyblocks_disable_affine_fusion=True) == 7


def device_one_time_load():
    """Code is loaded once, however many calls there are; or for each of them."""
    calls = ctypes.CDLL(DRIVER).strata_test_driver_calls
    calls.argtypes, calls.restype = [ctypes.c_char_p], ctypes.c_long

    def loads():
        return sum(calls(name) for name in (b"cuModuleLoadData", b"cuModuleLoadDataEx", b"cuLibraryLoadData"))

    x, y = floats(ROWS, DEPTH), floats(DEPTH, COLUMNS)
    results = []
    for once, expected in ((True, 1), (False, 3)):
        net, before = strata.compile("product.onnx", **GPU, device_one_time_load=once), loads()
        results += [net(x, y) for _ in range(3)]
        assert loads() == before + expected
    assert all(np.array_equal(result, results[0]) for result in results)
    with raises(strata.StrataError, "expected no --user-device-memory"):
        strata.compile("product.onnx", **GPU, device_one_time_load=False, user_device_memory=True)


def dump_after():
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        strata.compile("exp.onnx", dump_after="graph")
    assert "strata.exp" in errors.getvalue()


def schedule():
    lines = strata.compile("product.onnx", **GPU).explain().splitlines()
    given = [line for line in lines if line.startswith("schedule k0")]
    slots = int(re.search(r"slots = (\d+)", given[0])[1])
    text = given[0].replace(f"slots = {slots}", f"slots = {slots // 2}")
    with open("schedule.txt", "w", encoding="utf-8") as file:
        file.write(text)
    net = strata.compile("product.onnx", **GPU, schedule="schedule.txt")
    assert f"slots = {slots // 2} :" in net.explain()
    x, w = floats(ROWS, DEPTH), floats(DEPTH, COLUMNS)
    assert np.allclose(net(x, w), x @ w, rtol=1e-2, atol=1e-2)


def multistream():
    """Kernels on side streams where there may be some; the result is the same."""
    w, v = make_branches()
    x = floats(ROWS, DEPTH)
    expected = softmax(x.astype(np.float64) @ w + softmax(x) @ v)
    for beside, options in ((False, {"multistream": "0"}), (True, {"multistream": "all"}),
                            (False, {"multistream": "all", "multistream_extra_streams": 0}),
                            (False, {"multistream": "all", "multistream_max_parallel": 1})):
        net = strata.compile("branches.onnx", **GPU, **options)
        lines = [line for line in net.explain().splitlines() if line.startswith("streams: k")]
        assert bool(lines) is beside, (options, lines)
        y, z = net(x)
        assert np.allclose(y, expected, rtol=2e-2, atol=1e-4) and np.allclose(z, np.cumsum(x, 0), rtol=1e-4, atol=1e-5)


def autotune():
    """Without results: the model's choices, or an error."""
    os.makedirs("tuned", exist_ok=True)
    x, w = floats(ROWS, DEPTH), floats(DEPTH, COLUMNS)
    net = strata.compile("product.onnx", **GPU, autotune="read", autotune_cache_dir="tuned", autotune_budget=1,
                         dump_autotune_results_to="results.txt")
    assert np.allclose(net(x, w), x @ w, rtol=1e-2, atol=1e-2) and os.path.exists("results.txt")
    strata.compile("product.onnx", **GPU, load_autotune_results_from="results.txt")
    for option in ({"autotune": "require"}, {"xla_gpu_require_complete_aot_autotune_results": True}):
        with raises(strata.CompileError, "product.onnx", "require"):
            strata.compile("product.onnx", **GPU, **option)


make_models()
support.report([(case.__name__, case) for case in (
    target_and_device, mm_conv_precision_mode, polyblocks_gpu_no_tensor_core, mlir_disable_fast_math,
    polyblocks_disable_unsafe_math_canonicalizations, fusion, device_one_time_load, dump_after, schedule,
    multistream, autotune)])
