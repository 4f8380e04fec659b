"""Ops on jagged tensors compute, sequence by sequence, what numpy does in f64.

Each case is compiled with symbols (rows, sequences), for numbers, and for numbers with the elements of 16 bits; offsets
are random ones with empty sequences, one sequence, all rows in one, equal lengths. Of offsets that are wrong (not
ascending, negative, beyond the rows) it is shown that nothing outside is read or written: tensors end where a page ends
that cannot be touched.
"""
import os
import re
import subprocess
import tempfile

import numpy as np

import execute
import strata
import tables
from strata import BIN

TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i64": np.int64, "i32": np.int32, "i1": np.bool_}
MAX_LENGTH = 24  # of padded tensors
OPS = tables.ops_of_kind("SEGMENT")  # what the composites are made of
COMPOSITES = {"make_jagged", "jagged_to_padded", "padded_to_jagged", "jagged_expand", "jagged_matmul", "jagged_sum",
              "jagged_mean", "jagged_max", "jagged_min", "jagged_softmax", "jagged_attention"}


class Graph:
    """MLIR text of level 1 over the symbols t (rows), b (sequences), u (rows of keys), or numbers for them."""

    names = ["t", "b", "u"]

    def __init__(self, sizes):
        self.sizes, self.lines, self.inputs, self.count = sizes, [], [], 0

    def type(self, shape, element):
        dims = [eval(str(d), {}, self.sizes) if self.sizes else d for d in shape]
        if all(isinstance(d, int) or str(d).isdigit() for d in dims):
            return f"tensor<{''.join(f'{d}x' for d in dims)}{element}>"
        used = max(i for i, n in enumerate(self.names) if any(re.search(rf"\b{n}\b", str(d)) for d in dims))
        text = "".join(f"{'?' if isinstance(d, str) else d}x" for d in dims)
        return (f"tensor<{text}{element}, affine_map<()[{', '.join(self.names[:used + 1])}] -> "
                f"({', '.join(map(str, dims))})>>")

    def input(self, name, shape, element="f32"):
        self.inputs.append((name, shape, element))
        return (f"%{name}", shape, element)

    def op(self, mnemonic, operands, shape, element=None, attrs=""):
        element, name = element or operands[0][2], f"%v{self.count}"
        self.count += 1
        types = ", ".join(self.type(o[1], o[2]) for o in operands)
        attrs = f" {{{attrs}}}" if attrs else ""
        self.lines.append(f'  {name} = "strata.{mnemonic}"({", ".join(o[0] for o in operands)}){attrs} : ({types}) -> '
                          f'{self.type(shape, element)}')
        return (name, shape, element)

    def text(self, results):
        args = ", ".join(f'%{n}: {self.type(s, e)} {{strata.name = "{n}"}}' for n, s, e in self.inputs)
        outs = ", ".join(f'{self.type(r[1], r[2])} {{strata.name = "y{i}"}}' for i, r in enumerate(results))
        rows = ", ".join(f'{{name = "{n}", min = 1 : i64, max = 1000000 : i64}}' for n in self.names)
        attrs = "" if self.sizes else f" attributes {{strata.symbols = [{rows}]}}"
        end = f"  return {', '.join(r[0] for r in results)} : {', '.join(self.type(r[1], r[2]) for r in results)}"
        return f"func.func @main({args}) -> ({outs}){attrs} {{\n" + "\n".join(self.lines) + f"\n{end}\n}}\n"


# A case: the graph, of element type |e|, and the same in numpy, on f64. |offsets| are of i64, or of i32.
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def sequences(offsets):
    return list(zip(offsets[:-1], offsets[1:]))


def within(function, x, o):
    return np.stack([function(x[begin:end]) for begin, end in sequences(o)])


def spread(x, o):
    return np.repeat(x, np.diff(o), axis=0)


def pad(x, o, value):
    result = np.full((len(o) - 1, MAX_LENGTH) + x.shape[1:], value, x.dtype)
    for b, (begin, end) in enumerate(sequences(o)):
        result[b, :end - begin] = x[begin:end]
    return result


@case
def make(g, e):
    x, o = g.input("x", ["t", 3], e), g.input("o", ["b + 1"], "i32")
    return [g.op("make_jagged", [x, o], ["b + 1"], "i64")], lambda x, o: [o]


@case
def to_padded(g, e):
    x, o = g.input("x", ["t", 3, 5], e), g.input("o", ["b + 1"], "i64")
    return ([g.op("jagged_to_padded", [x, o], ["b", MAX_LENGTH, 3, 5], attrs="value = -2.5 : f64")],
            lambda x, o: [pad(x, o, -2.5)])


@case
def to_padded_of_numbers(g, e):
    x, o = g.input("x", ["t"], e), g.input("o", ["b + 1"], "i32")
    return [g.op("jagged_to_padded", [x, o], ["b", MAX_LENGTH], attrs="value = 7.0 : f64")], lambda x, o: [pad(x, o, 7)]


@case
def from_padded(g, e):
    x, o, p = g.input("x", ["t", 9], e), g.input("o", ["b + 1"], "i64"), g.input("p", ["b", MAX_LENGTH, 9], e)
    y = g.op("padded_to_jagged", [p, o], ["t", 9])
    return [g.op("add", [x, y], ["t", 9])], lambda x, o, p: [
        x + np.concatenate([p[b, :end - begin] for b, (begin, end) in enumerate(sequences(o))])]


@case
def there_and_back(g, e):
    x, o = g.input("x", ["t", 17], e), g.input("o", ["b + 1"], "i64")
    p = g.op("jagged_to_padded", [x, o], ["b", MAX_LENGTH, 17], attrs="value = 0.0 : f64")
    q = g.op("jagged_to_padded", [g.op("neg", [x], ["t", 17]), o], ["b", MAX_LENGTH, 17], attrs="value = 0.0 : f64")
    s = g.op("mul", [g.op("tanh", [p], p[1]), q], p[1])
    return [g.op("padded_to_jagged", [s, o], ["t", 17])], lambda x, o: [-np.tanh(x) * x]


@case
def expand(g, e):
    x, o, d = g.input("x", ["t", 21], e), g.input("o", ["b + 1"], "i64"), g.input("d", ["b", 21], e)
    y = g.op("jagged_expand", [d, o], ["t", 21])
    return [g.op("mul", [g.op("add", [x, y], ["t", 21]), y], ["t", 21])], lambda x, o, d: [(x + spread(d, o)) * spread(d, o)]


@case
def matmul(g, e):
    x, w, o = g.input("x", ["t", 13], e), g.input("w", ["b", 13, 19], e), g.input("o", ["b + 1"], "i64")
    return [g.op("jagged_matmul", [x, w, o], ["t", 19])], lambda x, w, o: [np.einsum("tk,tkn->tn", x, spread(w, o))]


@case
def matmul_of_rows(g, e):
    x, w, o = g.input("x", ["t", 13], e), g.input("w", [13, 40], e), g.input("o", ["b + 1"], "i64")
    maps = ("maps = [affine_map<(r, n, k) -> (r, k)>, affine_map<(r, n, k) -> (k, n)>, affine_map<(r, n, k) -> (r, n)>],"
            ' zero_pad = false, origin = "matmul"')
    y = g.op("contract", [x, w], ["t", 40], attrs=maps)
    return [g.op("jagged_max", [y, o], ["b", 40])], lambda x, w, o: [
        within(lambda s: s.max(axis=0, initial=-np.inf), x @ w, o)]


@case
def reductions(g, e):
    x, o = g.input("x", ["t", 37], e), g.input("o", ["b + 1"], "i64")
    names = ["sum", "max", "min"]
    functions = [lambda s: s.sum(axis=0), lambda s: s.max(axis=0, initial=-np.inf),
                 lambda s: s.min(axis=0, initial=np.inf)]
    return ([g.op("jagged_" + n, [x, o], ["b", 37]) for n in names],
            lambda x, o: [within(f, x, o) for f in functions])


@case
def mean_of_numbers(g, e):
    x, o = g.input("x", ["t"], e), g.input("o", ["b + 1"], "i32")
    return [g.op("jagged_mean", [x, o], ["b"])], lambda x, o: [within(lambda s: s.sum() / np.float64(len(s)), x, o)]


@case
def softmax(g, e):
    x, o = g.input("x", ["t", 11], e), g.input("o", ["b + 1"], "i64")

    def soft(x, o):
        e = np.exp(x - spread(within(lambda s: s.max(axis=0, initial=-np.inf), x, o), o))
        return [e / spread(within(lambda s: s.sum(axis=0), e, o), o)]
    return [g.op("jagged_softmax", [x, o], ["t", 11])], soft


def attend(q, k, v, o, ko, causal, scale):
    result = np.zeros(q.shape[:2] + v.shape[2:])
    for (begin, end), (key, key_end) in zip(sequences(o), sequences(ko)):
        for h in range(q.shape[1]):
            g = h // (q.shape[1] // k.shape[1])
            s = q[begin:end, h] @ k[key:key_end, g].T * scale
            if causal:
                n, m = s.shape
                s = np.where(np.arange(m)[None] <= np.arange(n)[:, None] + m - n, s, -np.inf)
            top = s.max(axis=1, initial=-1e300, keepdims=True)
            p = np.exp(s - top)
            total = p.sum(axis=1, keepdims=True)
            result[begin:end, h] = p / np.where(total == 0, 1, total) @ v[key:key_end, g]
    return [result]


def attention(heads, groups, size, value, causal, cross):
    def build(g, e):
        keys = "u" if cross else "t"
        q, k, v = (g.input("q", ["t", heads, size], e), g.input("k", [keys, groups, size], e),
                   g.input("v", [keys, groups, value], e))
        o = g.input("o", ["b + 1"], "i64")
        ko = g.input("ko", ["b + 1"], "i32") if cross else o
        scale = size ** -0.5
        y = g.op("jagged_attention", [q, k, v, o, ko], ["t", heads, value],
                 attrs=f"causal = {str(causal).lower()}, scale = {scale:.17e} : f64")
        return [y], lambda q, k, v, o, ko=None: attend(q, k, v, o, o if ko is None else ko, causal, scale)
    return build


CASES["attention"] = attention(3, 3, 16, 16, False, False)
CASES["causal_attention"] = attention(2, 2, 32, 32, True, False)
CASES["grouped_attention"] = attention(6, 2, 20, 12, False, False)
CASES["grouped_causal_attention"] = attention(4, 1, 64, 64, True, False)
CASES["cross_attention"] = attention(2, 1, 8, 40, False, True)
CASES["causal_cross_attention"] = attention(2, 2, 24, 24, True, True)


@case
def attention_of_one_product(g, e):
    """Queries, keys and values are slices of what one product computes."""
    x, o = g.input("x", ["t", 3 * 2 * 16], e), g.input("o", ["b + 1"], "i64")
    y = g.op("mul", [x, x], x[1])
    parts = [g.op("reshape", [g.op("slice", [y], ["t", 32], attrs=f"starts = array<i64: 0, {32 * i}>, "
                                   "steps = array<i64: 1, 1>")], ["t", 2, 16]) for i in range(3)]
    z = g.op("jagged_attention", [*parts, o, o], ["t", 2, 16], attrs="causal = true, scale = 2.5e-01 : f64")
    return ([g.op("reshape", [z], ["t", 32])], lambda x, o: [
        attend(*[(x * x)[:, 32 * i:32 * i + 32].reshape(-1, 2, 16) for i in range(3)], o, o, True, 0.25)[0].reshape(-1, 32)])


def draw_offsets(random, count, most):
    """Offsets of |count| sequences of at most |most| rows, some of them empty."""
    lengths = random.integers(0, most + 1, count) * (random.random(count) > 0.2)
    lengths[random.integers(count)] = max(1, most)
    return np.concatenate([[0], np.cumsum(lengths)])


OFFSETS = [lambda r: np.array([0, 5]), lambda r: np.array([0, 0, 0, MAX_LENGTH, MAX_LENGTH]),
           lambda r: np.arange(10) * 7, lambda r: draw_offsets(r, 5, MAX_LENGTH), lambda r: draw_offsets(r, 40, 3),
           lambda r: draw_offsets(r, 67, MAX_LENGTH), lambda r: np.array([0, 1])]
LONG = [lambda r: np.array([0, 300, 300, 417, 418, 600]), lambda r: draw_offsets(r, 9, 150)]


def compile_graph(text, folder, name, *options):
    path, out = os.path.join(folder, name + ".mlir"), os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    run = subprocess.run([os.path.join(BIN, "strata"), path, "--aot", "--aot-name=" + name, "-o", out, *options],
                         capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{name}: {run.stderr.strip()}")
    return strata.Library(os.path.join(out, f"lib{name}.so"))


def call(library, inputs, outputs, dims):
    """Outputs of the call, whose tensors all lie against a page that cannot be touched; or on a device."""
    if not dims:
        results = execute.run(library, [x.tobytes() for x in inputs])
        return [np.frombuffer(x, y.dtype).reshape(y.shape) for x, y in zip(results, outputs)]
    memory = [execute.Guarded(x.nbytes, x.tobytes()) for x in inputs] + [execute.Guarded(y.nbytes) for y in outputs]
    pointers = (execute.ctypes.c_void_p * len(memory))(*[m.address for m in memory])
    numbers = (execute.ctypes.c_int64 * max(1, len(dims)))(*dims)
    execute.check(library, library.description.run(pointers, numbers, None, None))
    assert all(m.is_intact_before() for m in memory), "bytes before a tensor are overwritten"
    return [np.frombuffer(m.data(), y.dtype).reshape(y.shape) for m, y in zip(memory[len(inputs):], outputs)]


def tensors(random, graph, results, sizes, offsets):
    def shape(dims):
        return [eval(str(d), {}, sizes) for d in dims]
    inputs = [offsets[name].astype(TYPES[e]) if name in offsets else random.standard_normal(shape(s)).astype(TYPES[e])
              for name, s, e in graph.inputs]
    return inputs, [np.zeros(shape(s), TYPES[e]) for _, s, e in results]


TOLERANCE = {"f32": dict(rtol=3e-5, atol=3e-5), "f16": dict(rtol=2e-2, atol=2e-2)}


def compare(name, library, graph, results, reference, seed, offsets, element, symbolic):
    random = np.random.default_rng(seed)
    o, ko = (np.asarray(x(random)) for x in (offsets, offsets))
    ko = ko if len(ko) == len(o) else o
    sizes = dict(t=int(o[-1]), b=len(o) - 1, u=int(ko[-1]))
    inputs, outputs = tensors(random, graph, results, sizes, dict(o=o, ko=ko))
    got = call(library, inputs, outputs, [sizes[n] for n in graph.names] if symbolic else [])
    with np.errstate(all="ignore"):
        wanted = reference(*[x if x.dtype.kind == "i" else x.astype(np.float64) for x in inputs])
    for a, b in zip(wanted, got):
        np.testing.assert_allclose(b.astype(np.float64), a, err_msg=f"{name} {sizes}", **TOLERANCE[element])


def is_long(name):
    return "attention" in name or name in ("reductions", "softmax")


def run_varying(name, folder, element):
    graph = Graph(None)
    results, reference = CASES[name](graph, element)
    library = compile_graph(graph.text(results), folder, f"v_{name}_{element}", "--target=cpu")
    for seed, offsets in enumerate(OFFSETS + (LONG if is_long(name) else [])):
        compare(name, library, graph, results, reference, seed, offsets, element, True)
    run_bad(library, graph, results)


def run_static(name, folder, target, seed):
    random = np.random.default_rng(seed)
    o = OFFSETS[3](random)
    graph = Graph(dict(t=int(o[-1]), b=len(o) - 1, u=int(o[-1])))
    results, reference = CASES[name](graph, "f32")
    library = compile_graph(graph.text(results), folder, f"s_{name}_{seed}", *target)
    compare(name, library, graph, results, reference, seed, lambda r: o, "f32", False)


def run_bad(library, graph, results):
    """Wrong offsets: nothing outside is touched, and two calls agree."""
    rows, count, huge = 50, 4, 2**31 - 1
    sizes = dict(t=rows, b=count, u=rows)
    for bad in ([0, 40, 10, 45, 50], [0, 10, 20, 30, 10**6], [-5, -7, 3, 60, 50], [7, 7, 7, 7, 7], [huge] * 5,
                [50, 40, 30, 20, 10], [0, 0, 0, 0, 0], [-huge, huge, -huge, huge, -huge], [3, 10, 20, 30, 47]):
        random = np.random.default_rng(1)
        inputs, outputs = tensors(random, graph, results, sizes, dict(o=np.array(bad), ko=np.array(bad)))
        first, again = (call(library, inputs, outputs, [sizes[n] for n in graph.names]) for _ in range(2))
        for a, b in zip(first, again):
            np.testing.assert_array_equal(a, b, err_msg=f"offsets {bad}")


def run_case(name, folder, target):
    if target == ["--target=cpu"]:
        run_varying(name, folder, "f32")
        run_varying(name, folder, "f16")
        run_static(name, folder, [*target, "--mlir-disable-fast-math"], 1)  # scalar attention
    run_static(name, folder, target, len(name))


def main():
    names, target = strata.own_arguments()
    target = target or ["--target=cpu"]
    with tempfile.TemporaryDirectory() as folder:
        strata.report((name, lambda name=name: run_case(name, folder, target)) for name in names or CASES)


if __name__ == "__main__":
    main()
