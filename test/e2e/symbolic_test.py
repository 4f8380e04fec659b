"""Graphs whose sizes vary compute at every size what the same graphs compiled for that size compute.

A graph is written once, with dims that are numbers or expressions over symbols ("s0", "s0*s1"); it is compiled with
symbols, one library for all sizes, and for each set of sizes with numbers in their place. Both get the same inputs.
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import strata
from strata import BIN

TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i64": np.int64, "i32": np.int32, "i8": np.int8,
         "i1": np.bool_}
NAMES = ["batch", "seq", "past"]
SIZES = [dict(s0=1, s1=1, s2=1), dict(s0=2, s1=17, s2=3), dict(s0=7, s1=5, s2=64), dict(s0=64, s1=33, s2=2),
         dict(s0=13, s1=128, s2=31), dict(s0=131, s1=3, s2=5)]
# Of attention: rows and columns about blocks of 512 columns, runs of 128 rows, and tiles.
LONG = [dict(s0=1, s1=1), dict(s0=1, s1=2), dict(s0=17, s1=31), dict(s0=3, s1=511), dict(s0=127, s1=512), dict(s0=2, s1=513),
        dict(s0=301, s1=1041)]


def value(dim, sizes):
    return int(eval(str(dim), {}, sizes))


def affine(dim):
    return re.sub(r"//", " floordiv ", str(dim))


class Graph:
    """MLIR text of level 1; |sizes|: numbers for the symbols, None: symbols."""

    def __init__(self, sizes, n_symbols):
        self.sizes, self.n_symbols, self.lines, self.inputs, self.count = sizes, n_symbols, [], [], 0

    def type(self, shape, element):
        if self.sizes or not any("s" in str(d) for d in shape):
            return f"tensor<{''.join(f'{value(d, self.sizes or dict())}x' for d in shape)}{element}>"
        used = max(int(n) for d in shape for n in re.findall(r"s(\d)", str(d)))
        symbols = ", ".join(f"s{i}" for i in range(used + 1))
        dims = "".join(f"{'?' if 's' in str(d) else d}x" for d in shape)
        return f"tensor<{dims}{element}, affine_map<()[{symbols}] -> ({', '.join(map(affine, shape))})>>"

    def input(self, name, shape, element="f32", **how):
        self.inputs.append((name, shape, element, how))
        return (f"%{name}", shape, element)

    def op(self, mnemonic, operands, shape, element=None, attrs=""):
        element = element or operands[0][2]
        name = f"%v{self.count}"
        self.count += 1
        types = ", ".join(self.type(o[1], o[2]) for o in operands)
        attrs = f" {{{attrs}}}" if attrs else ""
        self.lines.append(f'  {name} = "strata.{mnemonic}"({", ".join(o[0] for o in operands)}){attrs} : ({types}) -> '
                          f'{self.type(shape, element)}')
        return (name, shape, element)

    def text(self, results):
        args = ", ".join(f'%{n}: {self.type(s, e)} {{strata.name = "{n}"}}' for n, s, e, _ in self.inputs)
        outs = ", ".join(f'{self.type(r[1], r[2])} {{strata.name = "y{i}"}}' for i, r in enumerate(results))
        rows = ", ".join(f'{{name = "{NAMES[i]}", min = 1 : i64, max = 2147483647 : i64, multiple = 1 : i64, '
                         f'likely = [8]}}' for i in range(self.n_symbols))
        attrs = "" if self.sizes else f" attributes {{strata.symbols = [{rows}]}}"
        end = f"  return {', '.join(r[0] for r in results)} : {', '.join(self.type(r[1], r[2]) for r in results)}"
        return f"func.func @main({args}) -> ({outs}){attrs} {{\n" + "\n".join(self.lines) + f"\n{end}\n}}\n"


CASES = {}


def case(n_symbols=1, sizes=SIZES):
    def add(function):
        CASES[function.__name__] = (function, n_symbols, sizes)
        return function
    return add


def binary(g, op, x, y):
    return g.op(op, [x, y], x[1])


def broadcast(g, x, shape, map):
    return g.op("broadcast", [x], shape, attrs=f"map = affine_map<{map}>")


def matmul(g, x, w, shape, maps, zero_pad="false"):
    return g.op("contract", [x, w], shape,
                attrs=f'maps = [{", ".join(f"affine_map<{m}>" for m in maps)}], origin = "matmul", '
                      f'zero_pad = {zero_pad}')


def i64s(*numbers):
    return f"array<i64: {', '.join(map(str, numbers))}>"


def linear(g, x, w):
    n = len(x[1])
    d = ", ".join(f"d{i}" for i in range(n + 1))
    head = ", ".join(f"d{i}" for i in range(n - 1))
    return matmul(g, x, w, [*x[1][:-1], w[1][1]],
                  [f"({d}) -> ({head}, d{n})", f"({d}) -> (d{n}, d{n - 1})", f"({d}) -> ({head}, d{n - 1})"])


@case()
def elementwise(g):
    x, b = g.input("x", ["s0", 33]), g.input("b", [33])
    y = binary(g, "add", x, broadcast(g, b, x[1], "(i, j) -> (j)"))
    return [g.op("exp", [y], y[1]), binary(g, "mul", y, x)]


@case()
def mlp(g):
    x = g.input("x", ["s0", 32])
    h = g.op("tanh", [linear(g, x, g.input("w", [32, 48]))], ["s0", 48])
    return [linear(g, h, g.input("v", [48, 7]))]


def softmax(g, x):
    shape, axis = x[1], len(x[1]) - 1
    d = ", ".join(f"d{i}" for i in range(axis + 1))
    head = ", ".join(f"d{i}" for i in range(axis))
    top = g.op("reduce", [x], shape[:-1], attrs=f'kind = "max", axes = {i64s(axis)}')
    e = g.op("exp", [binary(g, "sub", x, broadcast(g, top, shape, f"({d}) -> ({head})"))], shape)
    total = g.op("reduce", [e], shape[:-1], attrs=f'kind = "add", axes = {i64s(axis)}')
    return binary(g, "div", e, broadcast(g, total, shape, f"({d}) -> ({head})"))


@case(2)
def softmax_rows(g):
    return [softmax(g, g.input("x", ["s0", "s1"]))]


@case(2)
def attention(g):
    x, heads, size = g.input("x", ["s0", "s1", 48]), 4, 12

    def part(name):
        y = linear(g, x, g.input(name, [48, 48]))
        y = g.op("reshape", [y], ["s0", "s1", heads, size])
        return g.op("transpose", [y], ["s0", heads, "s1", size], attrs=f"permutation = {i64s(0, 2, 1, 3)}")
    q, k, v = part("wq"), part("wk"), part("wv")
    scores = matmul(g, q, k, ["s0", heads, "s1", "s1"], ["(b, h, i, j, d) -> (b, h, i, d)",
                                                         "(b, h, i, j, d) -> (b, h, j, d)",
                                                         "(b, h, i, j, d) -> (b, h, i, j)"])
    y = matmul(g, softmax(g, scores), v, ["s0", heads, "s1", size], ["(b, h, i, d, j) -> (b, h, i, j)",
                                                                     "(b, h, i, d, j) -> (b, h, j, d)",
                                                                     "(b, h, i, d, j) -> (b, h, i, d)"])
    y = g.op("transpose", [y], ["s0", "s1", heads, size], attrs=f"permutation = {i64s(0, 2, 1, 3)}")
    y = g.op("reshape", [y], ["s0*s1", 48])
    y = linear(g, y, g.input("wo", [48, 48]))
    return [binary(g, "add", g.op("reshape", [y], ["s0", "s1", 48]), x)]


@case(2)
def reshapes(g):
    x = g.input("x", ["s0", "s1", 24])
    flat = g.op("reshape", [x], ["s0*s1*24"])
    y = g.op("neg", [g.op("reshape", [x], ["s0", "s1", 4, 6])], ["s0", "s1", 4, 6])
    z = g.op("transpose", [y], ["s1", 4, "s0", 6], attrs=f"permutation = {i64s(1, 2, 0, 3)}")
    z = g.op("abs", [g.op("reshape", [z], ["s1*4", "s0*6"])], ["s1*4", "s0*6"])
    return [g.op("abs", [flat], flat[1]), z, g.op("neg", [g.op("reshape", [z], ["s1", 4, 1, "s0", 2, 3])],
                                                  ["s1", 4, 1, "s0", 2, 3])]


@case(2)
def concats(g):
    x, y, z = g.input("x", ["s0", "s1", 8]), g.input("y", ["s0", 3, 8]), g.input("z", ["s0", "s1", 8])
    a = g.op("concat", [x, y], ["s0", "s1+3", 8], attrs="axis = 1 : i64")
    b = g.op("concat", [g.op("exp", [x], x[1]), g.op("neg", [z], z[1])], ["s0", "s1*2", 8], attrs="axis = 1 : i64")
    c = g.op("concat", [a, b], ["s0", "s1*3+3", 8], attrs="axis = 1 : i64")
    return [c, g.op("abs", [a], a[1])]


@case()
def pads_and_slices(g):
    x = g.input("x", ["s0", 5, 6])
    p = g.op("pad", [x], ["s0+3", 9, 7], attrs=f"low = {i64s(1, 2, 0)}, high = {i64s(2, 2, 1)}, value = 1.5 : f32")
    y = g.op("slice", [p], ["s0", 3, 7], attrs=f"starts = {i64s(3, 6, 0)}, steps = {i64s(1, -2, 1)}")
    return [g.op("neg", [y], y[1]), p]


@case()
def convolution(g):
    x, w = g.input("x", ["s0", 3, 9, 10]), g.input("w", [5, 3, 3, 3])
    y = matmul(g, x, w, ["s0", 5, 9, 10],
               ["(n, o, y, x, c, a, b) -> (n, c, y + a - 1, x + b - 1)", "(n, o, y, x, c, a, b) -> (o, c, a, b)",
                "(n, o, y, x, c, a, b) -> (n, o, y, x)"], zero_pad="true")
    y = g.op("max", [y, g.op("sub", [y, y], y[1])], y[1])
    return [g.op("window", [y], ["s0", 5, 4, 5],
                 attrs=f'kind = "max", window = {i64s(1, 1, 3, 2)}, strides = {i64s(1, 1, 2, 2)}, '
                       f'dilations = {i64s(1, 1, 1, 1)}, low = {i64s(0, 0, 0, 0)}, high = {i64s(0, 0, 0, 0)}')]


@case()
def wide_convolution(g):
    """Weights of more rows than make packing of what varies pay, and images of a batch that varies."""
    x, w = g.input("x", ["s0", 16, 5, 6]), g.input("w", [520, 16, 2, 1])
    return [matmul(g, x, w, ["s0", 520, 4, 6],
                   ["(n, o, y, x, c, a, b) -> (n, c, y + a, x + b)", "(n, o, y, x, c, a, b) -> (o, c, a, b)",
                    "(n, o, y, x, c, a, b) -> (n, o, y, x)"])]


@case(2)
def depthwise(g):
    """A filter for each channel, channels last; images of a batch and a width that vary."""
    x, w = g.input("x", ["s0", 6, "s1", 40]), g.input("w", [40, 3, 3])
    y = matmul(g, x, w, ["s0", 6, "s1", 40],
               ["(n, y, x, c, a, b) -> (n, y + a - 1, x + b - 1, c)", "(n, y, x, c, a, b) -> (c, a, b)",
                "(n, y, x, c, a, b) -> (n, y, x, c)"], zero_pad="true")
    return [binary(g, "max", y, g.op("neg", [y], y[1]))]


@case()
def few_pixels(g):
    """A convolution with fewer pixels in a row than images are likely, and more than they are at least."""
    x, w = g.input("x", ["s0", 3, 4, 16]), g.input("w", [3, 3, 16, 40])
    return [matmul(g, x, w, ["s0", 3, 4, 40],
                   ["(n, y, x, o, a, b, c) -> (n, y + a - 1, x + b - 1, c)", "(n, y, x, o, a, b, c) -> (a, b, c, o)",
                    "(n, y, x, o, a, b, c) -> (n, y, x, o)"], zero_pad="true")]


@case(2)
def dilated(g):
    """Taps far apart in small images: some read nothing but padding, and where is said by sizes."""
    x, w = g.input("x", ["s1", 7, "s0", 16]), g.input("w", [3, 5, 16, 24])
    y = matmul(g, x, w, ["s1", 7, "s0", 24],
               ["(n, y, x, o, a, b, c) -> (n, y + a * 3 - 3, x + b * 4 - 8, c)", "(n, y, x, o, a, b, c) -> (a, b, c, o)",
                "(n, y, x, o, a, b, c) -> (n, y, x, o)"], zero_pad="true")
    v = g.input("v", [3, 3, 24, 20])
    return [matmul(g, binary(g, "max", y, g.op("neg", [y], y[1])), v, ["s1", 7, "s0", 20],
                   ["(n, y, x, o, a, b, c) -> (n, y + a * 9 - 9, x + b - 1, c)",
                    "(n, y, x, o, a, b, c) -> (a, b, c, o)", "(n, y, x, o, a, b, c) -> (n, y, x, o)"], zero_pad="true")]


@case(2)
def means(g):
    """Over a length that varies: a size as a value, and slices and pads at places that vary."""
    x = g.input("x", ["s0", "s1", 24])
    total = g.op("reduce", [x], ["s0", 24], attrs=f'kind = "add", axes = {i64s(1)}')
    values = "s1" if not g.sizes else str(g.sizes["s1"])
    count = g.op("dims", [], [1], "i64", attrs="values = affine_map<()[s0, s1] -> (s1)>" if not g.sizes
                 else f"values = {i64s(values)}")
    count = g.op("convert", [count], [1], "f32")
    mean = binary(g, "div", total, broadcast(g, count, total[1], "(i, j) -> (0)"))
    square = binary(g, "mul", x, x)
    norm = g.op("reduce", [square], ["s0", "s1"], attrs=f'kind = "add", axes = {i64s(2)}')
    start = "affine_map<()[s0, s1] -> (0, s1 - 1)>" if not g.sizes else i64s(0, g.sizes["s1"] - 1)
    last = g.op("slice", [norm], ["s0", 1], attrs=f"starts = {start}, steps = {i64s(1, 1)}")
    return [mean, norm, g.op("sqrt", [last], last[1])]


@case(2)
def columns(g):
    """Products all of whose dims vary."""
    x, y = g.input("x", ["s0", "s1"]), g.input("y", ["s1", "s0*3"])
    a = matmul(g, x, y, ["s0", "s0*3"], ["(i, j, k) -> (i, k)", "(i, j, k) -> (k, j)", "(i, j, k) -> (i, j)"])
    b = matmul(g, y, y, ["s1", "s1"], ["(i, j, k) -> (i, k)", "(i, j, k) -> (j, k)", "(i, j, k) -> (i, j)"])
    return [a, b]


@case(2)
def gathers(g):
    table, k = g.input("table", ["s1", 6]), g.input("k", ["s0", 3], "i64", low=-1, high=7)
    e = g.op("gather", [table, k], ["s0", 3, 6], attrs="axis = 0 : i64, batch_dims = 0 : i64")
    u = g.input("u", ["s0", 6])
    i = g.input("i", ["s0"], "i64", low=0, high=4)
    s = g.op("scatter", [table, i, u], ["s1", 6], attrs='kind = "add"')
    return [e, s]


@case(2)
def serial(g):
    x = g.input("x", ["s0", "s1"])
    scan = g.op("scan", [x], x[1], attrs='kind = "add", axis = 1 : i64, exclusive = false, reverse = true')
    at = g.op("arg_reduce", [x], ["s0"], "i64", attrs='kind = "max", axis = 1 : i64, select_last = false')
    n = g.count
    g.count += 1
    t, p = g.type(["s0", "s1"], "f32"), g.type(["s0", "s1"], "i64")
    g.lines.append(f'  %v{n}:2 = "strata.sort"(%x) {{axis = 1 : i64, descending = true, unsigned = false}} : ({t}) -> '
                   f'({t}, {p})')
    iota = g.op("iota", [], ["s0", "s1"], "i64", attrs="axis = 1 : i64")
    return [scan, at, (f"%v{n}#0", ["s0", "s1"], "f32"), (f"%v{n}#1", ["s0", "s1"], "i64"), iota]


@case(3)
def cache(g):
    """A step of a decoder: keys of the past and new ones, of another length."""
    q, k, past = g.input("q", ["s0", 2, "s1", 16]), g.input("k", ["s0", 2, "s1", 16]), g.input("past",
                                                                                              ["s0", 2, "s2", 16])
    keys = g.op("concat", [past, k], ["s0", 2, "s1+s2", 16], attrs="axis = 2 : i64")
    scores = matmul(g, q, keys, ["s0", 2, "s1", "s1+s2"], ["(b, h, i, j, d) -> (b, h, i, d)",
                                                           "(b, h, i, j, d) -> (b, h, j, d)",
                                                           "(b, h, i, j, d) -> (b, h, i, j)"])
    y = matmul(g, softmax(g, scores), keys, ["s0", 2, "s1", 16], ["(b, h, i, d, j) -> (b, h, i, j)",
                                                                  "(b, h, i, d, j) -> (b, h, j, d)",
                                                                  "(b, h, i, d, j) -> (b, h, i, d)"])
    return [y, keys]


@case()
def half(g):
    x = g.input("x", ["s0", 40], "f16")
    c = g.op("lt", [x, g.op("neg", [x], x[1])], x[1], "i1")
    y = g.op("select", [c, x, g.op("exp", [x], x[1])], x[1], "f16")
    return [linear(g, y, g.input("w", [40, 9], "f16")), c]


# -- running ----------------------------------------------------------------------------------------------------------


@case(2)
def residual_chain(g):
    """Elementwise nests of equal sizes, with operands that are broadcast along each dim, read twice and stored."""
    x, r = g.input("x", ["s0", "s1", 20]), g.input("r", ["s0", "s1", 20])
    row, column, one = g.input("b", [20]), g.input("c", ["s1"]), g.input("d", ["s0", 1])
    y = binary(g, "add", x, r)
    z = binary(g, "mul", g.op("tanh", [y], y[1]), broadcast(g, row, y[1], "(i, j, k) -> (k)"))
    z = binary(g, "sub", z, broadcast(g, column, y[1], "(i, j, k) -> (j)"))
    z = binary(g, "add", z, broadcast(g, one, y[1], "(i, j, k) -> (i, 0)"))
    return [y, binary(g, "add", g.op("exp", [g.op("neg", [z], z[1])], z[1]), y)]


def norm(g, x, scale, shift):
    shape, axis = x[1], len(x[1]) - 1
    d = ", ".join(f"d{i}" for i in range(axis + 1))
    head = f"({d}) -> ({', '.join(f'd{i}' for i in range(axis))})"
    count = g.op("constant", [], shape[:-1], "f32", f"value = dense<{shape[-1]}.0> : {g.type(shape[:-1], 'f32')}") \
        if not any("s" in str(n) for n in shape) else None

    def mean(y):
        total = g.op("reduce", [y], shape[:-1], attrs=f'kind = "add", axes = {i64s(axis)}')
        total = binary(g, "div", total, count) if count else g.op("tanh", [total], total[1])
        return broadcast(g, total, shape, head)
    centred = binary(g, "sub", x, mean(x))
    spread = g.op("exp", [g.op("neg", [mean(binary(g, "mul", centred, centred))], shape)], shape)
    y = binary(g, "mul", centred, spread)
    last = f"({d}) -> (d{axis})"
    return binary(g, "add", binary(g, "mul", y, broadcast(g, scale, shape, last)), broadcast(g, shift, shape, last))


@case(2)
def norms(g):
    """Two reductions over rows, what lies between them and what follows, rows of a number and of a symbol."""
    x, y = g.input("x", ["s0", "s1", 24]), g.input("y", ["s0", 5, "s1"])
    r = binary(g, "add", x, g.input("r", x[1]))
    return [r, norm(g, r, g.input("a", [24]), g.input("b", [24])), norm(g, y, g.input("c", ["s1"]), g.input("d", ["s1"]))]


def gelu(g, x):
    cube = binary(g, "mul", binary(g, "mul", x, x), x)
    return binary(g, "mul", x, g.op("tanh", [binary(g, "add", x, cube)], x[1]))


@case(2)
def block(g):
    """A transformer's feed-forward part: products with biases, gelu and residuals behind them, then a norm."""
    x = g.input("x", ["s0", "s1", 32])
    h = linear(g, x, g.input("w", [32, 72]))
    h = gelu(g, binary(g, "add", h, broadcast(g, g.input("b", [72]), h[1], "(i, j, k) -> (k)")))
    y = linear(g, h, g.input("v", [72, 32]))
    y = binary(g, "add", binary(g, "add", y, broadcast(g, g.input("c", [32]), y[1], "(i, j, k) -> (k)")), x)
    return [norm(g, y, g.input("a", [32]), g.input("e", [32]))]


@case(2)
def masked_softmax(g):
    """Scores of a product, scaled by one operand and masked by another, and their softmax."""
    q, k = g.input("q", ["s0", 3, "s1", 8]), g.input("k", ["s0", 3, "s1", 8])
    mask = g.input("m", ["s0", "s1"])
    s = matmul(g, q, k, ["s0", 3, "s1", "s1"], ["(b, h, i, j, d) -> (b, h, i, d)", "(b, h, i, j, d) -> (b, h, j, d)",
                                                "(b, h, i, j, d) -> (b, h, i, j)"])
    return [softmax(g, binary(g, "add", s, broadcast(g, mask, s[1], "(b, h, i, j) -> (b, j)")))]


def weigh(g, scores, v, shape):
    return matmul(g, softmax(g, scores), v, shape, ["(h, i, d, j) -> (h, i, j)", "(h, i, d, j) -> (h, j, d)",
                                                    "(h, i, d, j) -> (h, i, d)"])


def score(g, q, k, shape):
    return matmul(g, q, k, shape, ["(h, i, j, d) -> (h, i, d)", "(h, i, j, d) -> (h, j, d)", "(h, i, j, d) -> (h, i, j)"])


@case(2, LONG)
def cross_attention(g):
    """Queries and keys of numbers of their own, a mask of each score, values of a width that no tile divides."""
    q, k, v = g.input("q", [2, "s0", 24]), g.input("k", [2, "s1", 24]), g.input("v", [2, "s1", 37])
    s = score(g, q, k, [2, "s0", "s1"])
    return [weigh(g, binary(g, "add", s, g.input("m", s[1])), v, [2, "s0", 37])]


@case(2, LONG)
def causal_attention(g):
    """Rows see the columns up to their own: of those behind them there are no scores."""
    q, k, v = (g.input(name, [3, "s1", 32]) for name in "qkv")
    shape = [3, "s1", "s1"]
    row, column = (g.op("iota", [], shape, "i64", f"axis = {axis} : i64") for axis in (1, 2))
    low = g.op("constant", [], [], "f32", "value = dense<0xFF800000> : tensor<f32>")
    s = g.op("select", [g.op("ge", [row, column], shape, "i1"), score(g, q, k, shape),
                        broadcast(g, low, shape, "(h, i, j) -> ()")], shape, "f32")
    x = g.input("x", ["s0", 4])  # the other symbol
    return [weigh(g, s, v, [3, "s1", 32]), g.op("neg", [x], x[1])]


@case(2, LONG)
def half_attention(g):
    q, k, v = g.input("q", [2, "s0", 32], "f16"), g.input("k", [2, "s1", 32], "f16"), g.input("v", [2, "s1", 32], "f16")
    s = g.op("convert", [score(g, q, k, [2, "s0", "s1"])], [2, "s0", "s1"], "f32")
    p = g.op("convert", [softmax(g, s)], s[1], "f16")
    return [matmul(g, p, v, [2, "s0", 32], ["(h, i, d, j) -> (h, i, j)", "(h, i, d, j) -> (h, j, d)",
                                            "(h, i, d, j) -> (h, i, d)"])]


@case(1)
def attention_of_batches(g):
    """Heads of a number that varies, of known rows and columns."""
    q, k, v = g.input("q", ["s0", 50, 16]), g.input("k", ["s0", 65, 16]), g.input("v", ["s0", 65, 16])
    return [weigh(g, score(g, q, k, ["s0", 50, 65]), v, ["s0", 50, 16])]


@case(2)
def flat_epilogue(g):
    """What follows a product through a reshape that merges sizes, and through one that cuts a known dim."""
    y = linear(g, g.input("x", ["s0*s1", 16]), g.input("w", [16, 24]))
    y = g.op("reshape", [y], ["s0", "s1", 24])
    y = binary(g, "add", y, g.input("r", ["s0", "s1", 24]))
    z = g.op("tanh", [g.op("reshape", [y], ["s0", "s1", 4, 6])], ["s0", "s1", 4, 6])
    return [g.op("transpose", [z], ["s0", 4, "s1", 6], attrs=f"permutation = {i64s(0, 2, 1, 3)}")]


@case(2)
def long_sums(g):
    """A product that no register tile takes, of sums of a length that varies over an operand that is turned, with what
    follows it and with what is computed before it."""
    x, y = g.input("x", ["s0", "s1"]), g.input("y", [40, "s1"])
    maps = ["(i, j, k) -> (i, k)", "(i, j, k) -> (j, k)", "(i, j, k) -> (i, j)"]
    z = g.op("tanh", [matmul(g, x, y, ["s0", 40], maps)], ["s0", 40])
    twice = matmul(g, g.op("neg", [x], x[1]), g.op("abs", [y], y[1]), ["s0", 40], maps)
    return [z, binary(g, "add", z, twice)]


@case(2)
def shared_rows(g):
    """Reductions that share their rows with others, of rows and of columns, and rows read by two kernels."""
    x = g.input("x", ["s0", "s1"])
    e = g.op("exp", [x], x[1])
    rows = g.op("reduce", [e], ["s0"], attrs=f'kind = "add", axes = {i64s(1)}')
    top = g.op("reduce", [x], ["s0"], attrs=f'kind = "max", axes = {i64s(1)}')
    columns = g.op("reduce", [e], ["s1"], attrs=f'kind = "add", axes = {i64s(0)}')
    y = binary(g, "div", e, broadcast(g, rows, x[1], "(i, j) -> (i)"))
    return [binary(g, "add", rows, top), columns, binary(g, "sub", y, broadcast(g, columns, x[1], "(i, j) -> (j)"))]


@case(2)
def turned(g):
    """What lies across: a matrix, and rows whose length is known."""
    x, y = g.input("x", ["s0", "s1"], "f16"), g.input("y", ["s0", 40, "s1"])
    z = g.op("transpose", [x], ["s1", "s0"], attrs=f"permutation = {i64s(1, 0)}")
    w = g.op("transpose", [g.op("exp", [y], y[1])], ["s0", "s1", 40], attrs=f"permutation = {i64s(0, 2, 1)}")
    return [g.op("neg", [z], z[1]), g.op("abs", [w], w[1])]


@case(2)
def images(g):
    """Windows over an image whose height varies, and sums over the whole of it."""
    x = g.input("x", ["s0", 3, "s1+2", 9])
    y = g.op("window", [x], ["s0", 3, "s1", 7],
             attrs=f'kind = "max", window = {i64s(1, 1, 3, 3)}, strides = {i64s(1, 1, 1, 1)}, '
                   f'dilations = {i64s(1, 1, 1, 1)}, low = {i64s(0, 0, 0, 0)}, high = {i64s(0, 0, 0, 0)}')
    total = g.op("reduce", [x], ["s0", 3], attrs=f'kind = "add", axes = {i64s(2, 3)}')
    return [binary(g, "sub", y, broadcast(g, total, y[1], "(n, c, y, x) -> (n, c)")), total]


@case(2)
def integers(g):
    """Reductions whose neutral elements are the least and the greatest numbers, one, and all bits."""
    x, c = g.input("x", ["s0", "s1"], "i32"), g.input("c", ["s0", "s1"], "i1")
    kinds = [("max", x), ("min", x), ("mul", binary(g, "max", x, g.op("neg", [x], x[1]))), ("and", c), ("or", c)]
    return [g.op("reduce", [y], ["s0"], attrs=f'kind = "{kind}", axes = {i64s(1)}') for kind, y in kinds]


def compile_graph(text, folder, name, target=("--target=cpu",)):
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(text)
    out = os.path.join(folder, name)
    run = subprocess.run([os.path.join(BIN, "strata"), path, *target, "--aot", "--aot-name=" + name, "-o", out],
                         capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{name}: {run.stderr.strip()}")
    return getattr(ctypes.CDLL(os.path.join(out, f"lib{name}.so")), name)


def draw(random, shape, element, how):
    if element.startswith("i") and element != "i1":
        return random.integers(how.get("low", -9), how.get("high", 9), shape).astype(TYPES[element])
    return random.standard_normal(shape).astype(TYPES[element])


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def call(function, inputs, outputs, dims):
    return function(*[pointer(a) for a in inputs + outputs], *[ctypes.c_int64(d) for d in dims])


def run_case(name, folder, target=("--target=cpu",)):
    build, n_symbols, all_sizes = CASES[name]
    graph = Graph(None, n_symbols)
    library = compile_graph(graph.text(build(graph)), folder, "varies_" + name, target)
    for number, sizes in enumerate(all_sizes):
        static = Graph(sizes, n_symbols)
        results = build(static)
        reference = compile_graph(static.text(results), folder, f"static_{name}_{number}")
        random = np.random.default_rng(number)
        inputs = [draw(random, [value(d, sizes) for d in shape], element, how)
                  for _, shape, element, how in static.inputs]
        wanted, got = ([np.full([value(d, sizes) for d in r[1]], 77, TYPES[r[2]]) for r in results] for _ in range(2))
        assert call(reference, inputs, wanted, []) == 0
        status = call(library, inputs, got, [sizes[f"s{i}"] for i in range(n_symbols)])
        assert status == 0, (name, sizes, status)
        for i, (a, b) in enumerate(zip(wanted, got)):
            unit = 1e-2 if a.dtype == np.float16 else 2e-5
            # Sums of large terms, in another order, are off by units of those.
            tolerance = dict(rtol=unit, atol=unit * max(1, np.abs(a.astype(np.float64)).max(initial=0)))
            np.testing.assert_allclose(b, a, err_msg=f"{name}, output {i}, {sizes}", **tolerance)


def main():
    with tempfile.TemporaryDirectory() as folder:
        strata.report((name, lambda name=name: run_case(name, folder)) for name in strata.some(CASES))


if __name__ == "__main__":
    main()
