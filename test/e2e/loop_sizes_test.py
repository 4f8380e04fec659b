"""Recurrent layers, Scan and Loop along sizes that vary: one library at several sizes against a library for each, which
loops_test.py compares with NumPy. `loop_sizes_test.py SEED` draws other data."""
import ctypes
import os
import sys
import tempfile

import numpy as np

import strata
from onnx_file import BOOL, FLOAT, INT32, INT64, Graph

random = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 26)


def floats(*shape):
    return (random.standard_normal(shape) / 2).astype(np.float32)


def run(path, inputs, sizes):
    """Results by name; the launches that a tracer sees are those that the library lists, each as often as it runs."""
    library, seen = strata.Library(path), []
    names = [library.description.dims[i].decode() for i in range(library.description.n_dims)]
    trace = strata.TRACE(lambda user, launch, threads, nanoseconds: seen.append(launch))
    library.description.set_trace(trace, None)
    given = [inputs[info.name.decode()] for info in library.inputs]
    results = library.run(given, [sizes[name] for name in names] if names else None)
    library.description.set_trace(ctypes.cast(None, strata.TRACE), None)
    assert set(seen) <= set(range(len(library.launches))), (seen, len(library.launches))
    results = {info.name.decode(): np.array(value) for info, value in zip(library.outputs, results)}
    library.close()
    return results


def same(name, graph, shapes, sets, more=None, known=None):
    """|shapes|: of the inputs, with names; |more|: inputs made of sizes; |sets|: sizes by name; |known|: the results
    where a library for these sizes alone cannot be made."""
    with tempfile.TemporaryDirectory() as folder:
        model = graph.save(os.path.join(folder, "model.onnx"))
        varying, _ = strata.compile_library(model, folder, "varying")
        for k, sizes in enumerate(sets):
            inputs = {key: floats(*[sizes.get(size, size) for size in shape]) for key, shape in shapes.items()}
            inputs.update(more(sizes) if more else {})
            got = run(varying, inputs, sizes)
            wanted = known(inputs) if known and 0 in sizes.values() else None
            if wanted is None:
                dims = [f"--dim={key}={size}" for key, size in sizes.items()]
                wanted = run(strata.compile_library(model, folder, f"fixed{k}", dims)[0], inputs, sizes)
            for output, want in wanted.items():
                np.testing.assert_allclose(got[output], want, rtol=1e-5, atol=1e-6, err_msg=f"{name} {sizes}: {output}")
    print("ok  ", name)


def layer(op, inputs, hidden, direction="forward", lengths=False, init=False, layout=0):
    n, gates = 2 if direction == "bidirectional" else 1, {"RNN": 1, "GRU": 3, "LSTM": 4}[op] * hidden
    graph, shapes = Graph(opset=14), {"x": ("batch", "steps", inputs) if layout else ("steps", "batch", inputs)}
    state = ("batch", n, hidden) if layout else (n, "batch", hidden)
    graph.input("x", FLOAT, shapes["x"])
    operands = ["x", graph.constant("w", floats(n, gates, inputs)), graph.constant("r", floats(n, gates, hidden)),
                graph.constant("b", floats(n, 2 * gates)), "", ""]
    if lengths:
        operands[4] = graph.input("lengths", INT32, ["batch"])
    if init:
        operands[5] = graph.input("h", FLOAT, state)
        shapes["h"] = state
    names = ["y", "y_h"] + (["y_c"] if op == "LSTM" else [])
    graph.node(op, operands, names, hidden_size=hidden, direction=direction, layout=layout)
    graph.output("y", FLOAT, ["batch", "steps", n, hidden] if layout else ["steps", n, "batch", hidden])
    for name in names[1:]:
        graph.output(name, FLOAT, state)

    def more(sizes):
        return {"lengths": random.integers(1, sizes["steps"] + 1, sizes["batch"]).astype(np.int32)} if lengths else {}
    sets = [{"steps": 1, "batch": 1}, {"steps": 17, "batch": 3}, {"steps": 6, "batch": 8}]
    same(f"{op} {direction}", graph, shapes, sets, more)


def body():
    return Graph(opset=18, name="body")


def scan():
    """Two inputs along different axes and directions, rows that do not end at 16 bytes, and a state of a size."""
    inner = body()
    for name in ("s", "ra", "rb"):
        inner.input(name, FLOAT, ["batch", 3])
    inner.node("Tanh", [inner.node("Add", [inner.node("MatMul", ["s", "w"]), inner.node("Mul", ["ra", "rb"])])], ["s2"])
    inner.node("ReduceMax", ["s2"], ["most"], keepdims=0)
    for name, shape in (("s2", ["batch", 3]), ("most", []), ("s2", ["batch", 3])):
        inner.output(name, FLOAT, shape)
    graph, shapes = Graph(), {"s": ("batch", 3), "a": ("steps", "batch", 3), "b": ("batch", 3, "steps")}
    for name, shape in shapes.items():
        graph.input(name, FLOAT, shape)
    graph.constant("w", floats(3, 3))
    graph.node("Scan", ["s", "a", "b"], ["last", "most", "all"], body=inner, num_scan_inputs=2, scan_input_axes=[0, 2],
               scan_input_directions=[0, 1], scan_output_axes=[0, 1], scan_output_directions=[1, 0])
    for name, shape in (("last", ["batch", 3]), ("most", ["steps"]), ("all", ["batch", "steps", 3])):
        graph.output(name, FLOAT, shape)
    same("Scan", graph, shapes, [{"steps": 5, "batch": 1}, {"steps": 13, "batch": 2}, {"steps": 1, "batch": 7}])


def loops():
    """A loop in a loop, both as often as sizes say, which may be never; the outer one collects a value an iteration."""
    inner = body()
    inner.input("j", INT64, []), inner.input("inner_on", BOOL, []), inner.input("v", FLOAT, [3])
    weight = inner.node("Add", [inner.node("Cast", ["j"], to=FLOAT), "row"])
    inner.node("Sin", [inner.node("Mul", ["v", weight])], ["next_v"])
    inner.node("Identity", ["inner_on"], ["inner_on2"])
    inner.output("inner_on2", BOOL, []), inner.output("next_v", FLOAT, [3])
    outer = body()
    outer.input("i", INT64, []), outer.input("on", BOOL, []), outer.input("u", FLOAT, [3])
    outer.node("Gather", ["rows", "i"], ["row"])
    outer.node("Loop", ["inner_trips", "", "u"], ["u2"], body=inner)
    outer.node("Mul", ["u2", "row"], ["scan"])
    outer.node("Identity", ["on"], ["on2"])
    outer.output("on2", BOOL, []), outer.output("u2", FLOAT, [3]), outer.output("scan", FLOAT, [3])
    graph, shapes = Graph(), {"x": (3,), "rows": ("past_rows", 3), "cache": ("past_times",)}
    for name, shape in shapes.items():
        graph.input(name, FLOAT, shape)
    graph.constant("first", np.array(0))
    graph.node("Gather", [graph.node("Shape", ["rows"]), "first"], ["trips"])
    graph.node("Gather", [graph.node("Shape", ["cache"]), "first"], ["inner_trips"])
    graph.node("Loop", ["trips", "", "x"], ["last", "every"], body=outer)
    graph.output("last", FLOAT, [3]), graph.output("every", FLOAT, ["past_rows", 3])

    def known(inputs):  # without an iteration the states stay
        return {"last": inputs["x"], "every": np.tile(inputs["x"], (len(inputs["rows"]), 1)) * inputs["rows"]}
    sets = [{"past_rows": 6, "past_times": 5}, {"past_rows": 9, "past_times": 0}, {"past_rows": 0, "past_times": 3}]
    same("Loop", graph, shapes, sets, known=known)


def branches():
    """Outputs of an If whose sizes differ: as large as the larger one, 0 behind the smaller one."""
    then, otherwise = body(), body()
    then.node("Concat", ["past", "x"], ["t0"], axis=0), then.node("Exp", ["x"], ["t1"])
    otherwise.node("MatMul", ["x", "w"], ["e0"]), otherwise.node("Sin", ["x"], ["e1"])
    for branch, names in ((then, ("t0", "t1")), (otherwise, ("e0", "e1"))):
        for name in names:
            branch.output(name, FLOAT, [])
    graph, w = Graph(), floats(4, 4)
    graph.input("past", FLOAT, ["past", 4]), graph.input("x", FLOAT, ["n", 4]), graph.input("on", BOOL, [1])
    graph.constant("w", w)
    graph.node("If", ["on"], ["y", "z"], then_branch=then, else_branch=otherwise)
    graph.output("y", FLOAT, ["rows", 4]), graph.output("z", FLOAT, ["n", 4])
    with tempfile.TemporaryDirectory() as folder:
        path, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "branches")
        for past, n, on in ((3, 2, True), (3, 2, False), (0, 5, False), (0, 1, True)):
            inputs = {"past": floats(past, 4), "x": floats(n, 4), "on": np.array([on])}
            got = run(path, inputs, {"past": past, "n": n})
            x = inputs["x"]
            y = np.concatenate([inputs["past"], x] if on else [x @ w, np.zeros((past, 4))])
            np.testing.assert_allclose(got["y"], y, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(got["z"], np.exp(x) if on else np.sin(x), rtol=1e-5, atol=1e-6)
    print("ok   If")


layer("LSTM", 5, 6, "bidirectional", lengths=True, init=True)
layer("LSTM", 4, 8, "reverse", layout=1)
layer("GRU", 3, 5, "bidirectional", lengths=True)
layer("GRU", 1, 1, init=True, layout=1)
layer("RNN", 2, 3, "bidirectional", init=True)
scan()
loops()
branches()
