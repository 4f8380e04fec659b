"""A cache that grows, as exporters write it, new keys and values joined to the past: with --alias both have room for the
longest, a step writes what is new where it belongs, and no kernel copies what was. Steps of attention with a mask, of one
and of several tokens, on the cpu and on emulated devices, in the caller's one memory and in two, against formulas in f64.
What lies behind the past is NaN until a step writes it, of bytes that are integers the largest of them."""
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
SCALE = 1 / 64  # of integers
BYTES = {  # element type of ONNX, what bytes are, what is drawn, what lies behind the past
    "i8": (onnx_file.INT8, lambda x: x.view(np.int8) * SCALE, range(256), 0x7f),
    "u8": (onnx_file.UINT8, lambda x: x * SCALE, range(256), 0xff),
    "e5m2": (19, lambda x: (x.astype(np.uint16) << 8).view(np.float16).astype(float), [*range(66), *range(128, 194)], 0x7f),
}
RNG = np.random.default_rng(strata.run_seed())


class Case:
    """|cache|: an element of BYTES; else as others. |room|: of a cache, of |groups| heads of |size| that |heads| of queries share; |first|: tokens lie in front of heads.
    |past|: a number where sizes are known."""

    def __init__(self, element="f16", batch=1, heads=8, groups=2, size=64, new=1, room=2200, first=False, past="past", cache=None):
        self.element, self.batch, self.heads, self.groups, self.size = element, batch, heads, groups, size
        self.new, self.room, self.first, self.past = new, room, first, past
        self.axis, self.cache = 1 if first else 2, cache
        self.dtype, self.onnx = {"f16": (np.float16, FLOAT16), "f32": (np.float32, onnx_file.FLOAT)}[element]
        self.weights = {part: self.rounded(RNG.standard_normal((HIDDEN, n * size)) / HIDDEN ** 0.5)
                        for part, n in (("q", heads), ("k", groups), ("v", groups))}

    def rounded(self, x):
        return np.asarray(x).astype(self.dtype)

    def draw(self, *shape):
        """Elements of a cache."""
        return RNG.choice(np.array(BYTES[self.cache][2], np.uint8), shape) if self.cache else RNG.standard_normal(shape)

    def read(self, x):
        """What the elements are."""
        return BYTES[self.cache][1](x) if self.cache else x.astype(np.float64)

    def empty(self, shape):
        return np.full(shape, BYTES[self.cache][3], np.uint8) if self.cache else np.full(shape, np.nan, self.dtype)

    def cache_shape(self, length):
        return (self.batch, length, self.groups, self.size) if self.first else (self.batch, self.groups, length, self.size)

    def graph(self):
        b, s, h, g, d = self.batch, self.new, self.heads, self.groups, self.size
        whole = f"past + {s}" if self.past == "past" else self.past + s
        graph = onnx_file.Graph(18)
        x = graph.input("x", self.onnx, [b, s, HIDDEN])
        mask = graph.input("mask", self.onnx, [b, 1, s, whole])
        stored = BYTES[self.cache][0] if self.cache else self.onnx
        past = {part: graph.input(f"past_{part}", stored, list(self.cache_shape(self.past))) for part in "kv"}

        def new(part, n):
            if self.cache and part != "q":
                return graph.input(f"new_{part}", stored, list(self.cache_shape(s)))
            y = graph.node("MatMul", [x, graph.constant(f"w_{part}", self.weights[part])])
            y = graph.node("Reshape", [y, graph.constant(f"s_{part}", np.array([b, s, n, d]))])
            return y if self.first and part != "q" else graph.node("Transpose", [y], perm=[0, 2, 1, 3])

        def heads(part):
            y = graph.node("Concat", [past[part], new(part, g)], [f"present_{part}"], axis=self.axis)
            y = graph.node("Transpose", [y], perm=[0, 2, 1, 3]) if self.first else y
            y = graph.node("Cast", [y], to=self.onnx) if self.cache else y
            if self.cache and self.cache[0] != "e":
                y = graph.node("Mul", [y, graph.constant(f"r_{part}", self.rounded(SCALE))])
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
            graph.output(f"present_{part}", stored, list(self.cache_shape(whole)))
        return graph

    def new_rows(self, x):
        """What a step writes, [batch, groups, new, size] each; where caches are bytes, drawn."""
        if self.cache:
            return [self.draw(self.batch, self.groups, self.new, self.size) for _ in "kv"]
        return [self.rounded(self.heads_of(x, part)) for part in "kv"]

    def heads_of(self, x, part):
        y = x.astype(np.float64) @ self.weights[part].astype(np.float64)
        return y.reshape(self.batch, self.new, -1, self.size).swapaxes(1, 2)

    def result(self, x, mask, key, value):
        """Of caches with the new rows, [batch, groups, past + new, size]."""
        keys, values = (np.repeat(self.read(c), self.heads // self.groups, 1) for c in (key, value))
        scores = self.heads_of(x, "q") @ keys.swapaxes(2, 3) * self.size ** -0.5 + mask
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return (shares @ values).swapaxes(1, 2).reshape(self.batch, self.new, -1)


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
    """Some of lengths of all kinds, in caches whose past is drawn."""
    memory, by_heads = Memory(path, on_device), (lambda c: c.swapaxes(1, 2) if case.first else c)
    start, room, new = int(RNG.integers(0, 3)), case.room, case.new
    for past in [case.past] if isinstance(case.past, int) else [start, start + new, room // 3, room - new]:
        what = f"past {past}, {'one memory' if shared else 'two'}"
        caches = [case.empty(case.cache_shape(room)) for _ in "kv"]
        for cache in caches:
            by_heads(cache)[:, :, :past] = case.draw(case.batch, case.groups, past, case.size)
        x = case.rounded(RNG.standard_normal((case.batch, new, HIDDEN)))
        kept = np.tri(new, past + new, past, dtype=bool) & (RNG.random((case.batch, 1, 1, past + new)) < 0.9)
        kept[..., -new:] |= np.eye(new, dtype=bool)
        mask, rows = case.rounded(np.where(kept, 0, LOWEST)), case.new_rows(x)
        wanted = [np.concatenate([by_heads(cache)[:, :, :past], row], 2) for cache, row in zip(caches, rows)]
        places = [memory.put(cache) for cache in caches]
        own = places if shared else [memory.put(case.empty(cache.shape)) for cache in caches]
        result = memory.put(np.full((case.batch, new, case.heads * case.size), np.nan, case.dtype))
        given = [memory.put(by_heads(row)) for row in rows] if case.cache else []
        tensors = {"x": memory.put(x), "mask": memory.put(mask), **dict(zip(["past_k", "past_v"], places)),
                   **dict(zip(["new_k", "new_v"], given))}
        memory.call([*(tensors[info.name.decode()] for info in memory.library.inputs), result, *own],
                    None if isinstance(case.past, int) else [past])
        want = case.result(x, mask.astype(np.float64), *wanted)
        check(case, memory.get(result, want.shape, case.dtype), want, what)
        for cache, place, rows in zip(caches, own, wanted):
            got = by_heads(memory.get(place, cache.shape, cache.dtype))
            check(case, case.read(got[:, :, :past + new]), case.read(rows), f"{what}: cache")
            assert same(got[:, :, :past], by_heads(cache)[:, :, :past]), f"{what}: what is old has changed"
            assert same(got[:, :, past + new:], by_heads(cache)[:, :, past + new:]), f"{what}: what is behind has changed"


def same(a, b):
    return np.array_equal(a, b, equal_nan=a.dtype != np.uint8)


CPU, CARD = ["--target=cpu"], ["--target=nvgpu", "--on-gpu-tensors"]
CASES = {
    "cpu": (Case("f32", batch=2, room=70), CPU),
    "cpu_first": (Case("f32", room=40, first=True, size=16, new=3), CPU),
    "cpu_static": (Case("f32", past=29, room=32, new=3), CPU),
    "card": (Case(), [*CARD, "--device=emulated_90"]),
    "tokens": (Case(new=5, batch=2, room=400), [*CARD, "--device=emulated_90"]),
    "card_first": (Case(first=True, size=128), [*CARD, "--device=emulated_90"]),
    "card_i8": (Case(cache="i8"), [*CARD, "--device=emulated_90"]),
    "card_u8": (Case(cache="u8", new=2), [*CARD, "--device=emulated_90"]),
    "card_e5m2": (Case(cache="e5m2", size=128, first=True), [*CARD, "--device=emulated_90"]),
    "cpu_u8": (Case("f32", cache="u8", room=100), CPU),
    "card_static": (Case(past=511, room=512), [*CARD, "--device=emulated_90"]),
    "adds": (Case(room=600), [*CARD, "--device=emulated_fma"]),
    "amd": (Case(room=600), [*CARD, "--device=emulated_942"]),
}


def run_case(name):
    case, options = CASES[name]
    options = [*options, "--alias=present_*=past_*"]
    if case.past == "past":
        options.append(f"--dim=past=0..{case.room - case.new}@{case.room * 3 // 4}")
    with tempfile.TemporaryDirectory() as folder:
        path, text = explained(case.graph(), folder, options)
        assert text.count("is stored in the place of input") == 2, text
        moved = [float(found) for found in re.findall(r"kernel \S+ \d+ calls, .*\((?:copy|concat)[^)]*\), (\S+) bytes", text)]
        new = case.batch * case.groups * case.new * case.size * (1 if case.cache else np.dtype(case.dtype).itemsize)
        assert sum(moved) <= 4.1 * new, f"{moved} bytes where rows of {new} are new"  # read and stored, of keys and values
        if name.startswith("card"):
            assert text.count("attention k") and "_sum: 1 calls" in text, f"attention is not in parts\n{text}"
        if name.startswith("card") and case.cache:
            assert re.search(r"nests \(convert\w* (convert\w* )?contract", text), f"bytes are widened in front\n{text}"
        for shared in (False, True):
            steps(case, path, options[0] != "--target=cpu", shared)


if __name__ == "__main__":
    gpu.use_stand_in()
    strata.report((name, lambda name=name: run_case(name)) for name in strata.some(CASES))
