"""Jagged tensors from ONNX, by operators of the domain "strata": a layer of a transformer on sequences one behind the
other, with sizes that vary, beside the same in numpy, a sequence at a time. Wrong models are refused."""
import os
import subprocess
import sys
import tempfile

import numpy as np

import strata
from onnx_file import FLOAT, INT32, INT64, Graph

HEADS, GROUPS, SIZE, WIDTH, LENGTH = 4, 2, 8, 32, 50


def model(weight):
    g = Graph(opset=20)
    x, o = g.input("x", FLOAT, ["total", WIDTH]), g.input("offsets", INT32, ["batch + 1"])
    bias, scale = g.input("bias", FLOAT, ["batch", WIDTH]), g.input("scale", FLOAT, ["batch", WIDTH, WIDTH])

    def node(op, operands, **attributes):
        return g.node(op, operands, domain="strata", **attributes)
    o = node("MakeJagged", [x, o])
    y = g.node("Add", [x, node("JaggedExpand", [bias, o, x])])
    y = node("JaggedMatMul", [y, scale, o])
    qkv = g.node("MatMul", [y, g.constant("weight", weight)])
    sizes = g.constant("sizes", np.array([WIDTH, GROUPS * SIZE, GROUPS * SIZE], np.int64))
    g.node("Split", [qkv, sizes], ["q", "k", "v"], axis=1)
    a = node("JaggedAttention", ["q", "k", "v", o], is_causal=1, q_num_heads=HEADS, kv_num_heads=GROUPS)
    padded = node("JaggedToPadded", [a, o], max_length=LENGTH, value=-1.0)
    rows = node("PaddedToJagged", [g.node("Tanh", [padded]), o, x])
    results = [node("JaggedSoftmax", [rows, o]), node("JaggedMean", [rows, o]), node("JaggedMax", [rows, o]),
               node("JaggedMin", [rows, o]), node("JaggedSum", [rows, o]), padded]
    for i, (result, shape) in enumerate(zip(results, [["total", WIDTH]] + [["batch", WIDTH]] * 4 +
                                            [["batch", LENGTH, WIDTH]])):
        g.output(g.node("Identity", [result], [f"y{i}"]), FLOAT, shape)
    return g


def reference(x, offsets, bias, scale, weight):
    spans = list(zip(offsets[:-1], offsets[1:]))
    rows, parts, padded = np.zeros((len(x), WIDTH)), [], np.full((len(spans), LENGTH, WIDTH), -1.0)
    for b, (begin, end) in enumerate(spans):
        n = end - begin
        q, k, v = np.split((x[begin:end] + bias[b]) @ scale[b] @ weight, [WIDTH, WIDTH + GROUPS * SIZE], axis=1)
        for h in range(HEADS):
            g = h // (HEADS // GROUPS)
            s = q[:, h * SIZE:][:, :SIZE] @ k[:, g * SIZE:][:, :SIZE].T / np.sqrt(SIZE)
            p = np.exp(np.where(np.tri(n, dtype=bool), s, -np.inf) - s.max(axis=1, initial=-1e9, keepdims=True))
            padded[b, :n, h * SIZE:(h + 1) * SIZE] = p / p.sum(axis=1, keepdims=True) @ v[:, g * SIZE:][:, :SIZE]
        y = rows[begin:end] = np.tanh(padded[b, :n])
        e = np.exp(y - y.max(axis=0, initial=-9))
        parts.append((e / e.sum(axis=0), y.mean(axis=0) if n else np.full(WIDTH, np.nan),
                      y.max(axis=0, initial=-np.inf), y.min(axis=0, initial=np.inf), y.sum(axis=0)))
    return [np.concatenate([p[0] for p in parts])] + [np.stack([p[i] for p in parts]) for i in range(1, 5)] + [padded]


def compile_model(graph, folder, name, *options):
    path = os.path.join(folder, name + ".onnx")
    graph.save(path)
    return subprocess.run([os.path.join(strata.BIN, "strata"), path, "--target=cpu", "--aot", "--aot-name=" + name, "-o",
                           os.path.join(folder, name), *options], capture_output=True, text=True, check=False)


def run(folder, name, inputs, options):
    """The outputs, by strata-run, which finds the sizes."""
    arguments = []
    for key, value in inputs.items():
        np.save(os.path.join(folder, key + ".npy"), value)
        arguments.append(f"--input={key}={os.path.join(folder, key)}.npy")
    arguments += [f"--output=y{i}={folder}/y{i}.npy" for i in range(6)]
    subprocess.run([os.path.join(strata.BIN, "strata-run"), os.path.join(folder, name, f"lib{name}.so"), *arguments,
                    *options], check=True, stdout=subprocess.DEVNULL)
    return [np.load(os.path.join(folder, f"y{i}.npy")) for i in range(6)]


def check_results(folder):
    random = np.random.default_rng(7)
    weight = (random.standard_normal((WIDTH, WIDTH + 2 * GROUPS * SIZE)) * 0.2).astype(np.float32)
    done = compile_model(model(weight), folder, "layer")
    assert not done.returncode, done.stderr
    for lengths in ([5], [1, 0, 50, 17, 3], [0, 2], [7] * 20, random.integers(0, LENGTH + 1, 33)):
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        inputs = dict(x=random.standard_normal((offsets[-1], WIDTH)).astype(np.float32), offsets=offsets,
                      bias=random.standard_normal((len(lengths), WIDTH)).astype(np.float32),
                      scale=(random.standard_normal((len(lengths), WIDTH, WIDTH)) * 0.2).astype(np.float32))
        got = run(folder, "layer", inputs, [])
        with np.errstate(all="ignore"):
            wanted = reference(*[a.astype(np.float64) if a.dtype == np.float32 else a
                                 for a in (*inputs.values(), weight)])
        for i, (a, b) in enumerate(zip(wanted, got)):
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-4, err_msg=f"output {i}, lengths {lengths}")


def refusals():
    def graph(op, shapes, message, **attributes):
        g = Graph(opset=20)
        names = [g.input(f"x{i}", element, shape) for i, (element, shape) in enumerate(shapes)]
        g.output(g.node(op, names, domain="strata", name="culprit", **attributes), FLOAT, ["total", 8])
        return g, message
    rows, offsets = (FLOAT, ["total", 8]), (INT64, [4])
    yield graph("JaggedToPadded", [rows, offsets], "max_length: expected 1 or more, got 0", max_length=0)
    yield graph("JaggedSum", [rows, (INT64, [1])], "expected a row and a sequence or more")
    yield graph("JaggedSum", [rows, (INT64, [4, 1])], "expected offsets, one dim of i32 or i64")
    yield graph("JaggedExpand", [(FLOAT, [5, 8]), offsets, rows], "sequences: 5 and 3 differ")
    yield graph("JaggedMatMul", [rows, (FLOAT, [3, 9, 8]), offsets], "summands: 8 and 9 differ")
    yield graph("JaggedAttention", [rows, rows, rows, offsets], "attribute 'q_num_heads'")
    keys = (FLOAT, ["total", 12])
    yield graph("JaggedAttention", [rows, keys, keys, offsets], "2 heads are not groups of 3", q_num_heads=2,
                kv_num_heads=3)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_results(folder)
        for number, (graph, message) in enumerate(refusals()):
            done = compile_model(graph, folder, f"bad{number}")
            assert done.returncode and message in done.stderr, (number, message, done.stderr)


if __name__ == "__main__":
    sys.exit(main())
