"""A cache that grows, as exporters write it, new keys and values joined to the past: with --alias both have room for the
longest, a step writes what is new where it belongs, and no kernel copies what was. Steps of attention with a mask, of one
and of several tokens, on the cpu and on emulated devices, in the caller's one memory and in two, against formulas in f64.
What lies behind the past is NaN until a step writes it."""
import ctypes
import re
import tempfile

import numpy as np

import gpu
import onnx_file
import strata
from cache_in_place_test import explained

FLOAT16 = 10
HIDDEN = 48
LOWEST = -1e4
RNG = np.random.default_rng(strata.run_seed())


class Case:
    """|room|: of a cache, of |groups| heads of |size| that |heads| of queries share; |first|: tokens lie in front of heads.
    |past|: a number where sizes are known."""

    def __init__(self, element="f16", batch=1, heads=8, groups=2, size=64, new=1, room=2200, first=False, past="past"):
        self.element, self.batch, self.heads, self.groups, self.size = element, batch, heads, groups, size
        self.new, self.room, self.first, self.past = new, room, first, past
        self.axis = 1 if first else 2
        self.dtype, self.onnx = {"f16": (np.float16, FLOAT16), "f32": (np.float32, onnx_file.FLOAT)}[element]
        self.weights = {part: self.rounded(RNG.standard_normal((HIDDEN, n * size)) / HIDDEN ** 0.5)
                        for part, n in (("q", heads), ("k", groups), ("v", groups))}

    def rounded(self, x):
        return np.asarray(x).astype(self.dtype)

    def cache_shape(self, length):
        return (self.batch, length, self.groups, self.size) if self.first else (self.batch, self.groups, length, self.size)

    def graph(self):
        b, s, h, g, d = self.batch, self.new, self.heads, self.groups, self.size
        whole = f"past + {s}" if self.past == "past" else self.past + s
        graph = onnx_file.Graph(18)
        x = graph.input("x", self.onnx, [b, s, HIDDEN])
        mask = graph.input("mask", self.onnx, [b, 1, s, whole])
        past = {part: graph.input(f"past_{part}", self.onnx, list(self.cache_shape(self.past))) for part in "kv"}

        def new(part, n):
            y = graph.node("MatMul", [x, graph.constant(f"w_{part}", self.weights[part])])
            y = graph.node("Reshape", [y, graph.constant(f"s_{part}", np.array([b, s, n, d]))])
            return y if self.first and part != "q" else graph.node("Transpose", [y], perm=[0, 2, 1, 3])

        def heads(part):
            y = graph.node("Concat", [past[part], new(part, g)], [f"present_{part}"], axis=self.axis)
            y = graph.node("Transpose", [y], perm=[0, 2, 1, 3]) if self.first else y
            y = graph.node("Unsqueeze", [y, graph.constant(f"a_{part}", np.array([2]))])
            y = graph.node("Expand", [y, graph.constant(f"e_{part}", np.array([1, 1, h // g, 1, 1]))])
            return graph.node("Reshape", [y, graph.constant(f"h_{part}", np.array([b, h, -1, d]))])

        keys, values = heads("k"), heads("v")
        scores = graph.node("MatMul", [new("q", h), graph.node("Transpose", [keys], perm=[0, 1, 3, 2])])
        scores = graph.node("Mul", [scores, graph.constant("scale", self.rounded(d ** -0.5))])
        scores = graph.node("Add", [scores, mask])
        y = graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), values])
        graph.node("Reshape", [graph.node("Transpose", [y], perm=[0, 2, 1, 3]),
                               graph.constant("flat", np.array([b, s, h * d]))], ["y"])
        graph.output("y", self.onnx, [b, s, h * d])
        for part in "kv":
            graph.output(f"present_{part}", self.onnx, list(self.cache_shape(whole)))
        return graph

    def step(self, x, mask, key, value, past):
        """Writes what is new into |key| and |value|, [batch, groups, room, size] in f64, and returns the result."""
        b, s, h, g, d = self.batch, self.new, self.heads, self.groups, self.size
        q, k, v = ((x.astype(np.float64) @ self.weights[part].astype(np.float64)).reshape(b, s, -1, d).swapaxes(1, 2)
                   for part in "qkv")
        key[:, :, past:past + s], value[:, :, past:past + s] = self.rounded(k), self.rounded(v)
        keys, values = (np.repeat(c[:, :, :past + s], h // g, 1) for c in (key, value))
        scores = q @ keys.swapaxes(2, 3) * d ** -0.5 + mask
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return (shares @ values).swapaxes(1, 2).reshape(b, s, h * d)


class Memory:
    """Tensors that a library of the cpu, or of an emulated device, reads and writes."""

    def __init__(self, path, on_device):
        self.library = (gpu.Library if on_device else strata.Library)(path)
        self.driver = self.library._driver if on_device else None
        self.kept = []

    def put(self, value):
        """The address of a copy of |value|."""
        if self.driver:
            place = self.driver.allocate(value.nbytes)
            self.kept.append(np.ascontiguousarray(value))  # the copy is under way
            self.driver.upload(place, self.kept[-1])
            return place
        self.kept.append(strata.aligned(value.shape, value.dtype))
        self.kept[-1][...] = value
        return self.kept[-1].ctypes.data

    def get(self, place, shape, dtype):
        value = strata.aligned(shape, dtype)
        if self.driver:
            self.driver.download(value, place)
            self.driver.synchronize()
        else:
            ctypes.memmove(value.ctypes.data, place, value.nbytes)
        return value

    def call(self, tensors, sizes):
        if self.driver:
            self.driver.synchronize()
            self.library._call(tensors, None, sizes)
            return
        pointers = (ctypes.c_void_p * len(tensors))(*tensors)
        self.library.check(self.library.description.run(pointers, self.library.dims(sizes), None, None))


def check(case, got, want, what):
    bound = (4e-3 if case.element == "f16" else 1e-5) * max(1, np.abs(want).max())
    wrong = ~(np.abs(got - want) <= bound)
    assert not wrong.any(), f"{what}: {wrong.sum()} of {wrong.size} wrong, first at {np.argwhere(wrong)[0]}"


def steps(case, path, on_device, shared):
    """Some from lengths of all kinds, each in the cache that the one before has left."""
    room = case.room
    memory, by_heads = Memory(path, on_device), (lambda c: c.swapaxes(1, 2) if case.first else c)
    start = case.past if isinstance(case.past, int) else int(RNG.integers(0, 3))
    caches = [np.full(case.cache_shape(room), np.nan, case.dtype) for _ in "kv"]
    for cache in caches:
        by_heads(cache)[:, :, :start] = RNG.standard_normal((case.batch, case.groups, start, case.size))
    exact = [by_heads(cache).astype(np.float64) for cache in caches]
    places = [memory.put(cache) for cache in caches]
    lengths = [start] if isinstance(case.past, int) else [start, start + case.new, room // 3, room - case.new]
    for past in lengths:
        for i, cache in enumerate(caches):  # what steps in between would have written
            grown = by_heads(cache)
            missing = np.isnan(grown[:, :, :past])
            grown[:, :, :past][missing] = RNG.standard_normal(missing.sum())
            places[i] = memory.put(cache)
            exact[i][:, :, :past] = grown[:, :, :past]
        x = case.rounded(RNG.standard_normal((case.batch, case.new, HIDDEN)))
        kept = np.tri(case.new, past + case.new, past, dtype=bool) & (RNG.random((case.batch, 1, 1, past + case.new)) < 0.9)
        kept[..., -case.new:] |= np.eye(case.new, dtype=bool)
        mask = case.rounded(np.where(kept, 0, LOWEST))
        own = places if shared else [memory.put(np.full_like(cache, np.nan)) for cache in caches]
        result = memory.put(np.full((case.batch, case.new, case.heads * case.size), np.nan, case.dtype))
        memory.call([memory.put(x), memory.put(mask), *places, result, *own], None if isinstance(case.past, int) else [past])
        want = case.step(x, mask.astype(np.float64), *exact, past)
        what = f"past {past}, {'one memory' if shared else 'two'}"
        check(case, memory.get(result, want.shape, case.dtype), want, what)
        for i, cache in enumerate(caches):
            new = memory.get(own[i], cache.shape, case.dtype)
            check(case, by_heads(new)[:, :, :past + case.new], exact[i][:, :, :past + case.new], f"{what}: cache")
            assert (by_heads(new)[:, :, :past] == by_heads(cache)[:, :, :past]).all(), f"{what}: what is old has changed"
            assert np.isnan(by_heads(new)[:, :, past + case.new:]).all(), f"{what}: what is behind has changed"
            by_heads(cache)[:, :, past:past + case.new] = by_heads(new)[:, :, past:past + case.new]
            exact[i][:, :, past:past + case.new] = by_heads(new)[:, :, past:past + case.new]


CPU, CARD = ["--target=cpu"], ["--target=nvgpu", "--on-gpu-tensors"]
CASES = {
    "cpu": (Case("f32", batch=2, room=70), CPU),
    "cpu_first": (Case("f32", room=40, first=True, size=16, new=3), CPU),
    "cpu_static": (Case("f32", past=29, room=32, new=3), CPU),
    "card": (Case(), [*CARD, "--device=emulated_90"]),
    "tokens": (Case(new=5, batch=2, room=400), [*CARD, "--device=emulated_90"]),
    "card_first": (Case(first=True, size=128), [*CARD, "--device=emulated_90"]),
    "card_static": (Case(past=511, room=512), [*CARD, "--device=emulated_90"]),
    "adds": (Case(room=600), [*CARD, "--device=emulated_fma"]),
    "amd": (Case(room=600), [*CARD, "--device=emulated_942"]),
}


def run_case(name):
    case, options = CASES[name]
    options = [*options, *(f"--alias=present_{part}=past_{part}" for part in "kv")]
    if case.past == "past":
        options.append(f"--dim=past=0..{case.room - case.new}@{case.room * 3 // 4}")
    with tempfile.TemporaryDirectory() as folder:
        path, text = explained(case.graph(), folder, options)
        assert text.count("is stored in the place of input") == 2, text
        moved = [float(found) for found in re.findall(r"kernel \S+ \d+ calls, .*\((?:copy|concat)[^)]*\), (\S+) bytes", text)]
        new = case.batch * case.groups * case.new * case.size * np.dtype(case.dtype).itemsize
        assert sum(moved) <= 4.1 * new, f"{moved} bytes where rows of {new} are new"  # read and stored, of keys and values
        if name.startswith("card"):
            assert text.count("attention k") and "_sum: 1 calls" in text, f"attention is not in parts\n{text}"
        for shared in (False, True):
            steps(case, path, options[0] != "--target=cpu", shared)


if __name__ == "__main__":
    gpu.use_stand_in()
    strata.report((name, lambda name=name: run_case(name)) for name in strata.some(CASES))
