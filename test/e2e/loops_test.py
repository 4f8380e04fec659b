"""Recurrent layers, Scan and Loop, which are loops on the launch list, against NumPy in double: on the cpu in default
and exact arithmetic, and on the emulated GPU. `loops_test.py SEED` tries other layers."""
import ctypes
import os
import sys

import numpy as np

import gpu
import onnx_file
import strata
from onnx_file import BOOL, FLOAT, INT32, INT64, Graph

gpu.use_stand_in()
random = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
MODES = {
    "cpu": [],
    "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
    "gpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"],
    "user": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32", "--on-gpu-tensors",
             "--user-device-memory"], # a call may only enqueue then
}
n_libraries = 0


def compile_graph(graph, options):
    global n_libraries
    n_libraries += 1
    name = f"loop{n_libraries}"
    graph.save(f"{name}.onnx")
    path, _ = strata.compile_library(f"{name}.onnx", ".", name=name, options=options)
    return (gpu.Library if "--target=nvgpu" in options else strata.Library)(path), os.path.getsize(path)


def count_traced(library, inputs):
    """The launches that a run tells a tracer of, each by its number."""
    seen = []
    trace = strata.TRACE(lambda user, launch, threads, nanoseconds: seen.append(launch))
    library.description.set_trace(trace, None)
    library.run(inputs)
    library.description.set_trace(ctypes.cast(None, strata.TRACE), None)
    assert seen == list(range(len(seen)))
    return len(seen)


def check(what, graph, feeds, expected, modes=MODES, least_launches=0):
    for mode in modes:
        library, _ = compile_graph(graph, MODES[mode])
        results = library.run([feeds[info.name.decode()] for info in library.inputs])
        for result, info in zip(results, library.outputs):
            name = info.name.decode()
            np.testing.assert_allclose(result, expected[name].reshape(result.shape), rtol=2e-4, atol=2e-5,
                                       err_msg=f"{what}, {mode}: {name}")
        if mode != "user":
            traced = count_traced(library, [feeds[info.name.decode()] for info in library.inputs])
            assert traced == len(library.launches), f"{what}, {mode}: {traced} launches of {len(library.launches)}"
        assert least_launches <= len(library.launches), f"{what}, {mode}: unrolled"


def floats(*shape):
    return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


#===-- Recurrent layers ---------------------------------------------------------------------------------------------===

def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Layer:
    GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}

    def __init__(self, op, steps, batch, inputs, hidden, direction="forward", lengths=None, init=False, layout=0,
                 clip=None, linear=0, peepholes=False, forget=0):
        self.__dict__.update(locals())
        n, gates = 2 if direction == "bidirectional" else 1, self.GATES[op] * hidden
        self.x = floats(steps, batch, inputs)
        self.w, self.r, self.b = floats(n, gates, inputs), floats(n, gates, hidden), floats(n, 2 * gates)
        self.h, self.c = ([floats(n, batch, hidden) if init else np.zeros((n, batch, hidden)) for _ in range(2)])
        self.p = floats(n, 3 * hidden) if peepholes else np.zeros((n, 3 * hidden), np.float32)

    def swap(self, x, axes):
        return np.ascontiguousarray(x.transpose(axes)) if self.layout else x

    def graph(self):
        n, graph = len(self.w), Graph(opset=14)
        steps, batch, hidden = self.steps, self.batch, self.hidden
        names = [graph.input("x", FLOAT, self.swap(self.x, (1, 0, 2)).shape)]
        names += [graph.constant("w", self.w), graph.constant("r", self.r), graph.constant("b", self.b)]
        names.append(graph.input("lengths", INT32, [batch]) if self.lengths is not None else "")
        state = [batch, n, hidden] if self.layout else [n, batch, hidden]
        names.append(graph.input("h", FLOAT, state) if self.init else "")
        if self.op == "LSTM":
            names.append(graph.input("c", FLOAT, state) if self.init else "")
            names.append(graph.constant("p", self.p) if self.peepholes else "")
        attributes = {"hidden_size": hidden, "direction": self.direction, "layout": self.layout}
        if self.clip:
            attributes["clip"] = self.clip
        if self.op == "GRU":
            attributes["linear_before_reset"] = self.linear
        if self.op == "LSTM":
            attributes["input_forget"] = self.forget
        results = ["y", "y_h"] + (["y_c"] if self.op == "LSTM" else [])
        graph.node(self.op, names, results, **attributes)
        graph.output("y", FLOAT, [batch, steps, n, hidden] if self.layout else [steps, n, batch, hidden])
        for name in results[1:]:
            graph.output(name, FLOAT, state)
        return graph

    def feeds(self):
        return {"x": self.swap(self.x, (1, 0, 2)), "lengths": self.lengths, "h": self.swap(self.h, (1, 0, 2)),
                "c": self.swap(self.c, (1, 0, 2))}

    def squash(self, x):
        return np.clip(x, -self.clip, self.clip) if self.clip else x

    def gates(self, d, i, h):
        rows, hidden = slice(i * self.hidden, (i + 1) * self.hidden), len(self.w[d])
        return h @ self.r[d].astype(np.float64)[rows].T + self.b[d, hidden:][rows]

    def step(self, d, x, h, c):
        given = x.astype(np.float64) @ self.w[d].astype(np.float64).T + self.b[d, :len(self.w[d])]
        of = lambda i: given[:, i * self.hidden:(i + 1) * self.hidden]
        p = self.p[d].reshape(3, self.hidden).astype(np.float64)
        if self.op == "RNN":
            return np.tanh(self.squash(of(0) + self.gates(d, 0, h))), c
        if self.op == "GRU":
            z = sigmoid(self.squash(of(0) + self.gates(d, 0, h)))
            r = sigmoid(self.squash(of(1) + self.gates(d, 1, h)))
            new = r * self.gates(d, 2, h) if self.linear else self.gates(d, 2, r * h)
            return (1 - z) * np.tanh(self.squash(of(2) + new)) + z * h, c
        i = sigmoid(self.squash(of(0) + self.gates(d, 0, h) + p[0] * c))
        f = 1 - i if self.forget else sigmoid(self.squash(of(2) + self.gates(d, 2, h) + p[2] * c))
        c = f * c + i * np.tanh(self.squash(of(3) + self.gates(d, 3, h)))
        return sigmoid(self.squash(of(1) + self.gates(d, 1, h) + p[1] * c)) * np.tanh(c), c

    def run(self, d, reverse):
        h, c = self.h[d].astype(np.float64), self.c[d].astype(np.float64)
        y = np.zeros((self.steps, self.batch, self.hidden))
        for t in reversed(range(self.steps)) if reverse else range(self.steps):
            new_h, new_c = self.step(d, self.x[t], h, c)
            on = np.ones((self.batch, 1), bool) if self.lengths is None else (self.lengths > t)[:, None]
            h, c, y[t] = np.where(on, new_h, h), np.where(on, new_c, c), np.where(on, new_h, 0)
        return y, h, c

    def expected(self):
        y, h, c = (np.stack(parts, 1 if k == 0 else 0) for k, parts in enumerate(zip(
            *[self.run(d, d == 1 or self.direction == "reverse") for d in range(len(self.w))])))
        return {"y": self.swap(y, (2, 0, 1, 3)), "y_h": self.swap(h, (1, 0, 2)), "y_c": self.swap(c, (1, 0, 2))}


def check_layer(modes=MODES, **options):
    layer = Layer(**options)
    check(str(options), layer.graph(), layer.feeds(), layer.expected(), modes)


def lengths(*values):
    return np.array(values, np.int32)


LAYERS = [
    dict(op="LSTM", steps=7, batch=3, inputs=5, hidden=6, direction="bidirectional", lengths=lengths(7, 1, 4), init=True),
    dict(op="LSTM", steps=9, batch=1, inputs=3, hidden=7, direction="reverse", init=True, peepholes=True, clip=0.4),
    dict(op="LSTM", steps=6, batch=2, inputs=4, hidden=8, layout=1, init=True, forget=1, lengths=lengths(2, 6)),
    dict(op="GRU", steps=8, batch=2, inputs=3, hidden=5, direction="bidirectional", linear=1, lengths=lengths(3, 8)),
    dict(op="GRU", steps=5, batch=1, inputs=1, hidden=1, direction="reverse", init=True),
    dict(op="RNN", steps=11, batch=4, inputs=2, hidden=3, direction="bidirectional", layout=1, clip=0.3),
    dict(op="RNN", steps=1, batch=2, inputs=3, hidden=4),
]


def check_long_layer():
    """The library is little more than the weights, the compile quick, and the weights can be set."""
    layer = Layer("LSTM", 300, 2, 40, 64, "bidirectional")
    library, size = compile_graph(layer.graph(), [])
    weights = layer.w.nbytes + layer.r.nbytes
    assert size < 1.3 * weights + 100_000, f"{size} bytes for {weights} of weights"
    feeds = layer.feeds()
    for r in (layer.r, np.ascontiguousarray(layer.r[::-1] * np.float32(0.5))):
        layer.r = r
        status = library.description.set_constant(b"r", r.ctypes.data_as(ctypes.c_void_p), None)
        assert status == 0, library.description.error().decode()
        for result, name in zip(library.run([feeds["x"]]), ("y", "y_h", "y_c")):
            np.testing.assert_allclose(result, layer.expected()[name], rtol=1e-3, atol=1e-4, err_msg=name)


#===-- Scan and Loop ------------------------------------------------------------------------------------------------===

def body(opset=18):
    return Graph(opset=opset, name="body")


def check_scan():
    """Two inputs along different axes and directions, a matrix product, a reduction, an integer and a boolean state."""
    steps, n = 6, 5
    w, a, b = floats(n, n), floats(steps, 2, n), floats(2, n, steps)
    inner = body()
    for name, kind, shape in (("s", FLOAT, [2, n]), ("count", INT64, [1]), ("flag", BOOL, [2]), ("ra", FLOAT, [2, n]),
                              ("rb", FLOAT, [2, n])):
        inner.input(name, kind, shape)
    inner.constant("one", np.array([1], np.int64)), inner.constant("axis", np.array([1], np.int64))
    inner.node("Tanh", [inner.node("Add", [inner.node("MatMul", ["s", "w"]), inner.node("Mul", ["ra", "rb"])])], ["s2"])
    inner.node("Add", ["count", "one"], ["count2"])
    inner.node("ReduceMax", ["s2", "axis"], ["most"], keepdims=0)
    inner.node("Xor", ["flag", inner.node("Less", ["most", "limit"])], ["flag2"])
    for name, kind, shape in (("s2", FLOAT, [2, n]), ("count2", INT64, [1]), ("flag2", BOOL, [2]), ("most", FLOAT, [2]),
                              ("s2", FLOAT, [2, n])):
        inner.output(name, kind, shape)
    graph = Graph()
    for name, kind, shape in (("s0", FLOAT, [2, n]), ("count0", INT64, [1]), ("flag0", BOOL, [2]),
                              ("a", FLOAT, a.shape), ("b", FLOAT, b.shape), ("limit", FLOAT, [1])):
        graph.input(name, kind, shape)
    graph.constant("w", w)
    results = ["s", "count", "flag", "most", "all"]
    graph.node("Scan", ["s0", "count0", "flag0", "a", "b"], results, body=inner, num_scan_inputs=2,
               scan_input_axes=[0, 2], scan_input_directions=[0, 1], scan_output_axes=[0, 1],
               scan_output_directions=[1, 0])
    s, count, flag = floats(2, n), np.array([3]), np.array([True, False])
    feeds = {"s0": s, "count0": count, "flag0": flag, "a": a, "b": b, "limit": np.array([0.3], np.float32)}
    most, every = [], []
    for t in range(steps):
        s = np.tanh(s.astype(np.float64) @ w + a[t].astype(np.float64) * b[:, :, steps - 1 - t])
        count, flag = count + 1, flag ^ (s.max(1) < np.float32(0.3))
        most.append(s.max(1)), every.append(s)
    expected = {"s": s, "count": count, "flag": flag, "most": np.array(most[::-1]), "all": np.stack(every, 1)}
    for name, kind in zip(results, (FLOAT, INT64, BOOL, FLOAT, FLOAT)):
        graph.output(name, kind, expected[name].shape)
    check("Scan", graph, feeds, expected)


def check_nested_loops():
    """A loop in a loop: the inner one uses a value of each level around it, and rows by the iteration's number."""
    outer_steps, inner_steps, n = 5, 6, 3
    rows, bias, x = floats(outer_steps, n), floats(n), floats(n)
    inner = body()
    inner.input("j", INT64, []), inner.input("inner_on", BOOL, []), inner.input("v", FLOAT, [n])
    weight = inner.node("Add", [inner.node("Cast", ["j"], to=FLOAT), "bias"])
    inner.node("Sin", [inner.node("Add", [inner.node("Mul", ["v", weight]), "row"])], ["next_v"])
    inner.node("Identity", ["inner_on"], ["inner_on2"])
    inner.output("inner_on2", BOOL, []), inner.output("next_v", FLOAT, [n])
    outer = body()
    outer.input("i", INT64, []), outer.input("on", BOOL, []), outer.input("u", FLOAT, [n])
    outer.constant("inner_trips", np.array(inner_steps))
    outer.node("Gather", ["rows", "i"], ["row"])
    outer.node("Loop", ["inner_trips", "", "u"], ["u2"], body=inner)
    outer.node("Mul", ["u2", "row"], ["scan"])
    outer.node("Identity", ["on"], ["on2"])
    outer.output("on2", BOOL, []), outer.output("u2", FLOAT, [n]), outer.output("scan", FLOAT, [n])
    graph = Graph()
    for name, value in (("x", x), ("rows", rows), ("bias", bias)):
        graph.input(name, FLOAT, value.shape)
    graph.constant("trips", np.array(outer_steps))
    graph.node("Loop", ["trips", "", "x"], ["last", "every"], body=outer)
    u, every = x.astype(np.float64), []
    for i in range(outer_steps):
        for j in range(inner_steps):
            u = np.sin(u * (j + bias.astype(np.float64)) + rows[i])
        every.append(u * rows[i])
    graph.output("last", FLOAT, [n]), graph.output("every", FLOAT, [outer_steps, n])
    check("nested loops", graph, {"x": x, "rows": rows, "bias": bias}, {"last": u, "every": np.array(every)},
          least_launches=outer_steps * (inner_steps + 1))


def check_growing_state():
    """What cannot be a loop is unrolled: a state that grows, and a slice at the iteration's number."""
    steps, n = 6, 4
    x = floats(steps, n)
    inner = body()
    inner.input("i", INT64, []), inner.input("on", BOOL, []), inner.input("s", FLOAT, [1, n])
    inner.constant("zero", np.array([0], np.int64)), inner.constant("one", np.array([1], np.int64))
    start = inner.node("Unsqueeze", ["i", "zero"])
    row = inner.node("Slice", ["x", start, inner.node("Add", [start, "one"]), "zero"])
    inner.node("Concat", ["s", row], ["s2"], axis=0)
    inner.node("Identity", ["on"], ["on2"])
    inner.output("on2", BOOL, []), inner.output("s2", FLOAT, [2, n])
    graph = Graph()
    graph.input("x", FLOAT, [steps, n]), graph.input("s0", FLOAT, [1, n])
    graph.constant("trips", np.array(steps))
    graph.node("Loop", ["trips", "", "s0"], ["y"], body=inner)
    graph.output("y", FLOAT, [steps + 1, n])
    s = floats(1, n)
    check("growing state", graph, {"x": x, "s0": s}, {"y": np.concatenate([s, x])}, modes=["cpu"])


for layer in LAYERS:
    check_layer(**layer)
check_long_layer()
check_scan()
check_nested_loops()
check_growing_state()
print(f"{n_libraries} libraries passed")
