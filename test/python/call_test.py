"""Calls of compiled models: results, kinds of arrays, sizes that vary, errors that name the argument."""
import ctypes
import os
import threading

import package
from package import raises, support

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT, INT64
from strata import arrays

RANDOM = np.random.default_rng(5)


def random(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def model(name, build, opset=18):
    graph = onnx_file.Graph(opset=opset)
    build(graph)
    graph.save(f"{name}.onnx")
    return f"{name}.onnx"


def affine(graph):
    """y = x w + b, and the sum of x's rows."""
    x, b = graph.input("x", FLOAT, ["batch", 8]), graph.input("b", FLOAT, [3])
    w = graph.constant("w", np.arange(24, dtype=np.float32).reshape(8, 3))
    graph.node("Add", [graph.node("MatMul", [x, w]), b], ["y"])
    graph.node("ReduceSum", [x, graph.constant("axes", np.array([1]))], ["total"], keepdims=0)
    graph.output("y", FLOAT, ["batch", 3])
    graph.output("total", FLOAT, ["batch"])


NET = strata.compile(model("affine", affine))
W = np.arange(24, dtype=np.float32).reshape(8, 3)


def check(got, x, b):
    for result, expected in zip(got, (np.asarray(x) @ W + np.asarray(b), np.asarray(x).sum(1))):
        assert np.allclose(result, expected, rtol=1e-4, atol=1e-4), (result, expected)


def results_and_sizes():
    for batch in (1, 4, 33, 4):
        x, b = random(batch, 8), random(3)
        got = NET(x, b)
        assert isinstance(got, tuple) and got[0].shape == (batch, 3) and got[1].shape == (batch,)
        check(got, x, b)


def names():
    x, b = random(2, 8), random(3)
    check(NET(b=b, x=x), x, b)
    check(NET(x, b=b), x, b)
    with raises(TypeError, "'c'", "x, b"):
        NET(x, c=b)
    with raises(TypeError, "'x' is given twice"):
        NET(x, x=x)
    with raises(TypeError, "expected 2 inputs (x, b), got 1"):
        NET(x)
    with raises(TypeError, "got 3"):
        NET(x, b, b)


def what_it_takes_and_gives():
    assert NET.inputs == [strata.Tensor("x", "f32", ("batch", 8)), strata.Tensor("b", "f32", (3,))], NET.inputs
    assert [tensor.shape for tensor in NET.outputs] == [("batch", 3), ("batch",)], NET.outputs
    assert "x: f32 [batch, 8]" in repr(NET) and "cpu" in repr(NET)


def given_results():
    x, b = random(5, 8), random(3)
    y, total = np.empty((5, 3), np.float32), np.empty(5, np.float32)
    got = NET(x, b, out=(y, total))
    assert got[0] is y and got[1] is total
    check((y, total), x, b)
    with raises(strata.ShapeError, "out, y", "(5, 3)", "(4, 3)"):
        NET(x, b, out=(np.empty((4, 3), np.float32), total))
    with raises(TypeError, "y: expected float32, got float64"):
        NET(x, b, out=(np.empty((5, 3)), total))
    with raises(TypeError, "expected 2 arrays, got 1"):
        NET(x, b, out=y)
    y.flags.writeable = False
    with raises(ValueError, "out, y: cannot be written"):
        NET(x, b, out=(y, total))


def wrong_arguments():
    x, b = random(4, 8), random(3)
    for bad, kind, texts in (
            (x.astype(np.float64), TypeError, ["x: expected float32, got float64"]),
            (random(4, 9), strata.ShapeError, ["x: expected the shape [batch, 8]", "(4, 9)"]),
            (random(4), strata.ShapeError, ["x: expected 2 dimensions", "(4,)"]),
            (random(8, 4).T, ValueError, ["x: ", "np.ascontiguousarray(x)"]),
            (random(8, 8)[::2], ValueError, ["x: "]),
            (random(4, 8).astype(">f4"), TypeError, ["x: expected float32"]),
            ("text", TypeError, ["x: expected an array, got str"]),
            (None, TypeError, ["x: expected an array, got NoneType"]),
            (random(0, 8), strata.ShapeError, ["'batch' is 0", "1 to"])):
        with raises(kind, *texts):
            NET(bad, b)
    with raises(strata.ShapeError, "b: expected the shape [3]", "(2,)"):
        NET(x, random(2))


def nothing_is_copied():
    """What the library gets is where the caller's data lies."""
    x, b = random(4, 8), random(3)
    for value in (x, memoryview(x), Dlpack(x)):
        kind = arrays.kind_of(value)
        if kind is arrays.BUFFER:
            kind, value = arrays.NUMPY, arrays.BUFFER.array(value, NET._library._in[0])
        assert kind.read(value, NET._library._in[0])[:2] == (x.ctypes.data, (4, 8)), value
    frozen = x.copy()
    frozen.flags.writeable = False
    check(NET(frozen, b), x, b)


class Dlpack:
    """Has nothing but DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **arguments):
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return (1, 0)


def other_kinds():
    x, b = random(4, 8), random(3)
    check(NET(memoryview(x), b), x, b)
    check(NET(x, bytearray_of(b)), x, b)
    check(NET(Dlpack(x), Dlpack(b)), x, b)
    with raises(ValueError, "x: "):
        NET(Dlpack(random(8, 4).T), b)
    with raises(TypeError, "x: expected float32, got float64"):
        NET(Dlpack(random(4, 8, dtype=np.float64)), b)
    with raises(TypeError, "x: expected float32, got uint8"):
        NET(bytearray(128), b)


def bytearray_of(array):
    return memoryview(bytearray(array.tobytes())).cast("f")


def scalars():
    def build(graph):
        x, n = graph.input("x", FLOAT, ["k"]), graph.input("n", INT64, [])
        graph.node("Mul", [x, graph.node("Cast", [n], to=FLOAT)], ["y"])
        graph.output("y", FLOAT, ["k"])
    net, x = strata.compile(model("scalars", build)), random(7)
    for n in (3, np.int64(3), np.array(3)):
        assert np.allclose(net(x, n), 3 * x)
    with raises(TypeError, "n: expected int64, got float"):
        net(x, 3.5)


def types():
    """Every element type that numpy has, through a copy."""
    for dtype, number in onnx_file.ELEMENT_TYPES.items():
        def build(graph, number=number):
            graph.node("Concat", [graph.input("x", number, ["n"]), graph.input("z", number, [2])], ["y"], axis=0)
            graph.output("y", number, ["m"])
        net = strata.compile(model(f"types_{dtype.name}", build), opt_level=0)
        x, z = (RANDOM.integers(0, 2, size) for size in (5, 2))
        got = net(x.astype(dtype), z.astype(dtype))
        assert got.dtype == dtype and np.array_equal(got, np.concatenate([x, z]).astype(dtype)), dtype


def bits():
    """bf16 are the bits where nobody has ml_dtypes."""
    def build(graph):
        graph.node("Relu", [graph.input("x", 16, ["n"])], ["y"])
        graph.output("y", 16, ["n"])
    x = random(9)
    got = strata.compile(model("bits", build))(support.to_bf16(x))
    assert got.dtype == np.uint16 and np.array_equal(got, support.to_bf16(np.maximum(x, 0)))


def expressions():
    """A size that only an expression says; results whose sizes are expressions."""
    def build(graph):
        x = graph.input("x", FLOAT, ["2*n + 1", 4])
        graph.node("Concat", [x, graph.input("z", FLOAT, ["m", 4])], ["y"], axis=0)
        graph.output("y", FLOAT, ["rows", 4])
    net = strata.compile(model("expressions", build))
    for n, m in ((1, 2), (5, 1)):
        x, z = random(2 * n + 1, 4), random(m, 4)
        assert np.array_equal(net(x, z), np.concatenate([x, z]))
    with raises(strata.ShapeError):
        net(random(4, 4), random(2, 4))  # no n


def ranges():
    net = strata.compile("affine.onnx", dim={"batch": "2..64/2@8"})
    for batch in (1, 3, 66):
        with raises(strata.ShapeError, "'batch'", "2 to 64 and a multiple of 2"):
            net(random(batch, 8), random(3))
    x, b = random(64, 8), random(3)
    check(net(x, b), x, b)


def memory_and_alignment():
    net = strata.compile("affine.onnx", user_device_memory=True, alignment=64)
    for batch in (3, 100):
        x, b = support.aligned((batch, 8), np.float32), support.aligned((3,), np.float32)
        x[...], b[...] = random(batch, 8), random(3)
        got = net(x, b)
        assert all(result.ctypes.data % 64 == 0 for result in got)
        check(got, x, b)
    misaligned = support.aligned((36,), np.float32)[1:33].reshape(4, 8)
    with raises(strata.RunError, "x"):
        net(misaligned, support.aligned((3,), np.float32))


def many_threads():
    failures = []

    def work(seed):
        generator = np.random.default_rng(seed)
        try:
            for _ in range(200):
                x, b = generator.standard_normal((1 + seed, 8)).astype(np.float32), random(3)
                check(NET(x, b), x, b)
        except BaseException as error:  # a thread's error ends nothing by itself
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def iterations():
    """num_iters: so many launches."""
    net, count = strata.compile("affine.onnx", num_iters=5), []
    trace = strata.emitted.TRACE(lambda *_: count.append(1))
    net._library.description.set_trace(trace, None)
    x, b = random(4, 8), random(3)
    check(net(x, b), x, b)
    net._library.description.set_trace(strata.emitted.TRACE(), None)
    assert len(count) == 5 * net._library.description.n_launches, count


def explained_and_profiled():
    assert "kernel k0" in NET.explain()
    profile = NET.profile(random(40, 8), random(3), num_iters=3)
    assert len(profile) == NET._library.description.n_launches and "launches" in str(profile)
    assert all(launch.seconds >= 0 and launch.kernel for launch in profile)


def saved():
    x, b = random(4, 8), random(3)
    files = NET.save_library("saved/libnet.so")
    assert sorted(map(os.path.basename, files)) == ["libnet.a", "libnet.so", "net.h", "net.pc"], files
    check(strata.load("saved/libnet.so")(x, b), x, b)
    assert hasattr(ctypes.CDLL(os.path.abspath("saved/libnet.so")), "net")
    NET.save_library("saved/other")
    check(strata.load("saved/libother.so")(x, b), x, b)
    with raises(strata.OptionError, "C identifier"):
        NET.save_library("saved/a-b")
    strata.compile("affine.onnx", aot=True, aot_name="emitted", output_dir="saved/deep")
    check(strata.load("saved/deep/libemitted.so")(x, b), x, b)


def wrong_models():
    with raises(FileNotFoundError, "none.onnx"):
        strata.compile("none.onnx")
    with open("broken.onnx", "wb") as file:
        file.write(b"no model")
    with raises(strata.CompileError, "broken.onnx"):
        strata.compile("broken.onnx")
    with raises(TypeError, "expected a path", "int"):
        strata.compile(3)
    with raises(TypeError, "jit_torch"):
        strata.compile(print)
    with raises(TypeError, "args", "a file"):
        strata.compile("affine.onnx", (1,))
    with raises(ValueError, "lib<name>.so"):
        strata.load("affine.onnx")


def the_compiler():
    assert strata.version().startswith("strata")
    named = os.environ.pop("STRATA_BIN")
    try:
        os.environ["STRATA_BIN"] = os.path.join(named, "strata")
        assert strata.version().startswith("strata")
        os.environ["STRATA_BIN"] = "/nowhere"
        with raises(strata.CompilerNotFound, "STRATA_BIN"):
            strata.compile("affine.onnx")
    finally:
        os.environ["STRATA_BIN"] = named


support.report([(case.__name__, case) for case in (
    results_and_sizes, names, what_it_takes_and_gives, given_results, wrong_arguments, nothing_is_copied, other_kinds,
    scalars, types, bits, expressions, ranges, memory_and_alignment, many_threads, iterations, explained_and_profiled,
    saved, wrong_models, the_compiler)])
