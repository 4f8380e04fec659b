"""compile_options: every key does what the compiler's option does, has its default, and a wrong one is an error."""
import subprocess
import sys

import package
from package import raises, support

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT
from strata import options
from strata._options import OPTIONS
from strata.options import Options

# Those of PolyBlocks, with their defaults.
POLYBLOCKS = {
    "target": "cpu", "mm_conv_precision_mode": "default", "mlir_disable_fast_math": False, "num_iters": 1,
    "on_gpu_tensors": False, "polyblocks_disable_affine_fusion": False, "polyblocks_gpu_no_tensor_core": False,
    "polyblocks_disable_reduce_reduce_fusion": False, "polyblocks_disable_unsafe_math_canonicalizations": False,
    "strict_target": False, "aot": False, "aot_name": "strata_mlir_artifact", "device_one_time_load": True,
    "user_device_memory": False, "device": None, "torch_polyblocks_select_graphs": None,
    "torch_polyblocks_filter_graphs": None,
}

# A value for every key, other than its default, and what it needs beside.
GPU = {"target": "nvgpu", "device": "emulated_90"}
VALUES = {
    "jobs": 1, "dim": {"batch": 3}, "bound": None, "shape": {"x": "3x8"}, "bind_constant": {"w": "w.npy"}, "seed_input": "seed",
    "target": "cpu", "device": "x86-64-v3", "strict_target": True, "polyblocks_gpu_no_tensor_core": True,
    "mm_conv_precision_mode": "fp32", "mlir_disable_fast_math": True,
    "polyblocks_disable_unsafe_math_canonicalizations": True, "opt_level": 1, "polyblocks_disable_affine_fusion": True,
    "polyblocks_disable_reduce_reduce_fusion": True, "fuse_norms": GPU, "disable_constant_folding": True,
    "multistream": None, "multistream_extra_streams": None, "multistream_max_parallel": None, "schedule": None,
    "weights": "file", "threads": 1, "alignment": 64, "alias": ["y=x"], "user_device_memory": True,
    "on_gpu_tensors": GPU, "device_one_time_load": True, "debug_info": "line", "verify_each": True, "num_iters": 3,
    "dump_after": None, "save_temps": "temps", "time_compilation": True, "explain": True, "resource_usage": True,
    "plot": "plot.svg", "aot": True, "aot_name": "net", "output_dir": "out", "debug": True, "static_argnums": (1,),
    "torch_polyblocks_select_graphs": [0], "torch_polyblocks_filter_graphs": ["graph_1"],
    "autotune": None, "autotune_budget": None, "dump_autotune_results_to": None, "load_autotune_results_from": None,
    "autotune_cache_dir": None, "xla_gpu_require_complete_aot_autotune_results": None,
}


def make_model():
    graph = onnx_file.Graph(opset=18)
    x, w = graph.input("x", FLOAT, ["batch", 8]), graph.input("w", FLOAT, [8, 8])
    graph.node("Softmax", [graph.node("MatMul", [x, w])], ["y"])
    graph.output("y", FLOAT, ["batch", 8])
    graph.save("options.onnx")
    np.save("w.npy", np.eye(8, dtype=np.float32))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def polyblocks_keys():
    for key, default in POLYBLOCKS.items():
        got = getattr(Options(), key)
        assert got == default, f"{key}: {got!r}, expected {default!r}"


def defaults_are_the_compilers():
    for name, _, kind, _, default, _, _ in OPTIONS:
        key = name.replace("-", "_")
        if key not in options.NOT_HERE and key not in POLYBLOCKS and key != "output_dir":
            expected = {"flag": default == "on", "count": int(default or 0) if kind == "count" else 0,
                        "list": []}.get(kind, default)
            assert getattr(Options(), key) == expected, key


def every_key_has_a_value_here():
    missing = set(options.TABLE) - set(VALUES)
    assert not missing, f"give VALUES a value of {missing}"


def other_names():
    assert Options({"disable_fast_math": True}).arguments() == ["--mlir-disable-fast-math=on"]
    assert Options({"mlir-disable-fast-math": True}).mlir_disable_fast_math is True
    assert Options({"gpu_no_tensor_core": 1}).polyblocks_gpu_no_tensor_core is True
    for value, text in ((1, "1"), (False, "0"), ("all", "all")):
        assert Options({"multistream": value}).arguments() == [f"--multistream={text}"]


def none_is_the_default():
    assert Options({"target": None, "num_iters": None}).arguments() == []


def unknown_keys():
    with raises(strata.OptionError, "'num_iter'", "did you mean 'num_iters'"):
        Options({"num_iter": 1})
    with raises(strata.OptionError, "'polyblock_disable_affine_fusion'", "'polyblocks_disable_affine_fusion'"):
        strata.jit_torch(compile_options={"polyblock_disable_affine_fusion": True})
    with raises(strata.OptionError, "'compile_to'", "command line"):
        Options({"compile_to": "affine"})
    with raises(strata.OptionError, "expected a dictionary"):
        strata.jit_jax(compile_options=[1])


def wrong_values():
    for key, value, text in (("target", "nvpgu", "'nvgpu'"), ("num_iters", 0, "1.."), ("num_iters", True, "1.."),
                             ("opt_level", 4, "0..3"), ("strict_target", "yes", "True or False"),
                             ("aot_name", "a-b", "C identifier"), ("device", 3, "string"), ("dim", 3, "list"),
                             ("mm_conv_precision_mode", "f16", "'fp16'"), ("static_argnums", "x", "numbers"),
                             ("torch_polyblocks_select_graphs", [1.5], "names and numbers")):
        with raises(strata.OptionError, f"'{key}'", text):
            Options({key: value})
    with raises(strata.OptionError, "'on_gpu_tensors'", "nvgpu"):
        strata.compile("options.onnx", on_gpu_tensors=True)


def the_order_given_changes_nothing():
    a = Options({"opt_level": 2, "dim": ["batch=3"], "strict_target": True}).arguments()
    b = Options({"strict_target": True, "dim": {"batch": 3}, "opt_level": 2}).arguments()
    assert a == b == ["--dim=batch=3", "--strict-target=on", "--opt-level=2"], (a, b)


def every_key_compiles():
    """With each key alone the result is right: the key reaches the compiler, which takes it."""
    x, w = support.aligned((3, 8), np.float32), support.aligned((8, 8), np.float32)  # for the key `alignment`
    x[...], w[...] = np.random.default_rng(1).standard_normal((3, 8), np.float32), np.eye(8)
    extra = {"bind_constant": lambda: (x,), "seed_input": lambda: (x, w, np.int64(7))}
    keys = [key for key, value in VALUES.items() if value is not None]
    for key in keys[::2] if support.SANITIZED else keys:
        given = {**GPU, key: True} if VALUES[key] is GPU else {key: VALUES[key]}
        if key == "on_gpu_tensors":
            given["user_device_memory"] = True
        net = strata.compile("options.onnx", **given)
        if VALUES[key] is not GPU:  # gpu_test.py calls one
            assert np.allclose(net(*extra.get(key, lambda: (x, w))()), softmax(x), rtol=1e-4, atol=1e-6), key


def refused_later():
    """What the compiler refuses is its error."""
    with raises(strata.CompileError, "nothere.txtpb"):
        strata.compile("options.onnx", **GPU, load_autotune_results_from="nothere.txtpb")


def table_of_the_documents():
    text = subprocess.run([sys.executable, "-m", "strata", "options"], capture_output=True, text=True, check=True,
                          env={**package.os.environ, "PYTHONPATH": f"{package.SOURCE}/tools/python"}).stdout
    with open(f"{package.SOURCE}/docs/python.md", encoding="utf-8") as file:
        assert text in file.read(), "docs/python.md is stale: python3 -m strata options in tools/python prints its table"


make_model()
support.report([(case.__name__, case) for case in (
    polyblocks_keys, defaults_are_the_compilers, every_key_has_a_value_here, other_names, none_is_the_default,
    unknown_keys, wrong_values, the_order_given_changes_nothing, every_key_compiles, refused_later,
    table_of_the_documents)])
