"""Attention with sinks: a score more in each row that no value belongs to, in the maximum and the sum of the softmax.
Written out, as a softmax of scores and sinks side by side of which the sinks' column is cut off, and as
GroupQueryAttention's head_sink and smooth_softmax; with masks, windows, soft caps, several queries and columns cut into
parts. One kernel (two in parts), against NumPy in double precision, on the emulated device that has asynchronous
products and on one whose threads stage what they multiply.

    sink_attention_test.py            some, others each run
    sink_attention_test.py NAME...    those
"""
import numpy as np

import onnx_file
import strata
from byte_caches_test import EPSILON, attended, compiled, element, launches_of, narrowed, run, widened


class Case:
    def __init__(self, name, form="apart", kind="f16", batch=2, heads=(8, 2), rows=1, columns=300, depth=64, size=1.0,
                 shifted=False, mask=False, cap=0.0, device="emulated_90", launches=2):
        self.name, self.form, self.kind, self.device, self.launches = name, form, kind, device, launches
        self.shifted, self.cap = shifted, cap
        random = strata.generator_of(name)
        h, g = heads
        self.q = narrowed(random.standard_normal((batch, h, rows, depth)), kind)
        self.k, self.v = (narrowed(random.standard_normal((batch, g, columns, depth)), kind) for _ in "kv")
        self.sink = narrowed(size * random.standard_normal(h) + size, kind)
        if form == "number":
            self.sink = narrowed(np.zeros(h), kind)
        self.mask = None
        if mask:
            self.mask = np.where(random.random((batch, 1, rows, columns)) < .8, 0, -np.inf)
            self.mask = narrowed(self.mask, kind)

    def graph(self):
        graph, wide = onnx_file.Graph(opset=24), element(self.kind)
        (b, h, s, d), (_, g, c, _) = self.q.shape, self.k.shape
        inputs, names = [self.q, self.k, self.v, self.sink], ["q", "k", "v", "sink"]
        for name, x in zip(names, inputs):
            graph.input(name, wide, x.shape)
        
        def number(name, x):
            return graph.node("Cast", [graph.constant(name, np.float32(x))], to=wide)

        shape = lambda name, *dims: graph.constant(name, np.array(dims, np.int64))

        def repeated(x, name):
            x = graph.node("Unsqueeze", [x, shape(f"axis{name}", 2)])
            x = graph.node("Expand", [x, shape(f"wide{name}", b, g, h // g, c, d)])
            return graph.node("Reshape", [x, shape(f"heads{name}", b, h, c, d)])

        keys = graph.node("Transpose", [repeated("k", "k")], perm=[0, 1, 3, 2])
        scores = graph.node("Mul", [graph.node("MatMul", ["q", keys]), number("scale", d ** -.5)])
        if self.cap:
            cap = number("cap", self.cap)
            scores = graph.node("Mul", [graph.node("Tanh", [graph.node("Div", [scores, cap])]), cap])
        if self.mask is not None:
            graph.input("mask", wide, self.mask.shape)
            inputs.append(self.mask)
            scores = graph.node("Add", [scores, "mask"])
        sink = graph.node("Reshape", ["sink", shape("per_head", 1, h, 1, 1)])
        if self.form == "beside":
            sink = graph.node("Expand", [sink, shape("each", b, h, s, 1)])
            scores = graph.node("Concat", [scores, sink], axis=-1)
            if self.shifted:
                most = graph.node("ReduceMax", [scores, shape("last", -1)], keepdims=1)
                scores = graph.node("Sub", [scores, most])
            weights = graph.node("Softmax", [scores], axis=-1)
            weights = graph.node("Slice", [weights, shape("from", 0), shape("to", -1), shape("along", 3)])
        else:
            if self.form == "number":
                sink = number("zero", 0)
            most = graph.node("Max", [graph.node("ReduceMax", [scores, shape("last", -1)], keepdims=1), sink])
            e = graph.node("Exp", [graph.node("Sub", [scores, most])])
            own = graph.node("Exp", [graph.node("Sub", [sink, most])])
            total = graph.node("Add", [graph.node("ReduceSum", [e, shape("end", -1)], keepdims=1), own])
            weights = graph.node("Div", [e, total])
        graph.output(graph.node("MatMul", [weights, repeated("v", "v")]), wide, self.q.shape)
        return graph, inputs

    def expected(self):
        times = self.q.shape[1] // self.k.shape[1]
        q, k, v = widened(self.q, self.kind), *(np.repeat(widened(x, self.kind), times, 1) for x in (self.k, self.v))
        scores = np.einsum("bhid,bhjd->bhij", q, k) * q.shape[3] ** -.5
        if self.cap:
            scores = np.tanh(scores / self.cap) * self.cap
        if self.mask is not None:
            scores = scores + widened(self.mask, self.kind)
        sink = widened(self.sink, self.kind)[:, None, None]
        result, size = attended(scores, v, sink)
        return result, EPSILON[self.kind] * 4 * size + 1e-6


CASES = {
    "apart": {},
    "beside": {"form": "beside"},
    "shifted": {"form": "beside", "shifted": True, "kind": "bf16"},
    "number": {"form": "number"},
    "large": {"size": 20.0},
    "low": {"size": -20.0},
    "parts": {"batch": 1, "columns": 1200, "depth": 128},
    "beside_parts": {"form": "beside", "batch": 1, "columns": 900},
    "several": {"rows": 5, "mask": True},
    "many": {"form": "beside", "rows": 100, "heads": (4, 4), "mask": True, "launches": 1},
    "capped": {"cap": 5.0, "mask": True},
    "capped_beside": {"form": "beside", "cap": 3.0, "columns": 130},
    "staged": {"device": "emulated_942", "rows": 40, "heads": (4, 4)},
}


def check(name, options, folder):
    case = Case(name, **options)
    graph, inputs = case.graph()
    library, text = compiled(graph, name, folder, case.device)
    launches = launches_of(text)
    assert launches <= case.launches, f"{launches} launches"
    got = widened(library.run(inputs)[0], case.kind)
    library.unload()
    expected, bound = case.expected()
    error = np.abs(got - expected) / bound
    assert np.all(error < 1), f"{np.nanmax(error)} times its bound, {np.isnan(error).sum()} NaN"


def operator(smooth, folder, batch=2, heads=(8, 2), depth=64, room=330, window=100, cap=5.0):
    """GroupQueryAttention of a token after others, in a cache with room, with a window and a soft cap."""
    name, (h, g) = f"operator_{smooth}", heads
    random = strata.generator_of(name)
    used = random.integers(2, room + 1, batch)  # with the new one
    q, k, v = (random.standard_normal((batch, 1, count * depth)).astype(np.float16) for count in (h, g, g))
    caches = [random.standard_normal((batch, g, room, depth)).astype(np.float16) for _ in "kv"]
    sink = np.zeros(h) if smooth else random.standard_normal(h).astype(np.float16)
    graph = onnx_file.Graph(opset=21)
    operands, inputs = ["q", "k", "v", "pk", "pv", "last"], [q, k, v, *caches, (used - 1).astype(np.int32)]
    operands += [graph.constant("total", np.array(room, np.int32))]
    if not smooth:
        operands += ["", "", "", "", "sink"]
        inputs.append(sink)
    for operand, x in zip((x for x in operands if x and x != "total"), inputs):
        graph.input(operand, onnx_file.FLOAT16 if x.dtype == np.float16 else onnx_file.INT32, x.shape)
    graph.node("GroupQueryAttention", operands, ["y", "nk", "nv"], domain="com.microsoft", num_heads=h, kv_num_heads=g,
               local_window_size=window, softcap=cap, smooth_softmax=int(smooth))
    for result, x in zip(("y", "nk", "nv"), (q, *caches)):
        graph.output(result, onnx_file.FLOAT16, x.shape)
    library, text = compiled(graph, name, folder)
    assert "instead of" in text and 'kind = "attention"' in text, "no kernel of attention"
    got = library.run(inputs)[0].astype(np.float64).reshape(batch, h, 1, depth)
    library.unload()
    for b in range(batch):
        full = [x[b].astype(np.float64) for x in caches]
        for x, new in zip(full, (k, v)):
            x[:, used[b] - 1] = new[b, 0].reshape(g, depth)
        keys, values = (np.repeat(x[:, max(0, used[b] - window):used[b]], h // g, 0) for x in full)
        scores = np.einsum("hd,hjd->hj", q[b, 0].reshape(h, depth).astype(np.float64), keys) * depth ** -.5
        scores = np.tanh(scores / cap) * cap
        wanted, size = attended(scores[:, None], values, sink.astype(np.float64)[:, None, None])
        bound = EPSILON["f16"] * 4 * size + 1e-6
        error = np.abs(got[b] - wanted) / bound
        assert np.all(error < 1), f"batch entry {b}: {np.nanmax(error)} times its bound"


if __name__ == "__main__":
    run(CASES, check, 8, lambda folder: [
        (f"operator, {form}", lambda smooth=smooth: operator(smooth, folder))
        for form, smooth in (("a sink a head", False), ("smooth", True))])
