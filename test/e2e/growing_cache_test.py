"""A decoder whose cache grows: one library, one process, two hundred steps, each right. The model is as optimum exports
them: new keys and values are joined to those of the past and come back whole, a mask has the length of both.
"""
import numpy as np

import strata
from onnx_file import FLOAT, INT64, Graph

BATCH, HEADS, WIDTH, STEPS = 3, 4, 8, 200
SIZE = HEADS * WIDTH
RNG = np.random.default_rng(26)
WEIGHTS = {name: (RNG.standard_normal((SIZE, SIZE)) / np.sqrt(SIZE)).astype(np.float32) for name in "qkvo"}
TABLE = RNG.standard_normal((512, SIZE)).astype(np.float32) / 4


def model():
    g = Graph(opset=18)
    x = g.input("x", FLOAT, ["batch", "sequence", SIZE])
    positions = g.input("positions", INT64, ["batch", "sequence"])
    mask = g.input("mask", INT64, ["batch", "past + sequence"])
    past = [g.input(f"past_{name}", FLOAT, ["batch", HEADS, "past", WIDTH]) for name in ("key", "value")]
    weights = {name: g.constant(name, value) for name, value in WEIGHTS.items()}
    x = g.node("Add", [x, g.node("Gather", [g.constant("table", TABLE), positions], axis=0)])

    def heads(name):
        y = g.node("Reshape", [g.node("MatMul", [x, weights[name]]), g.constant(f"s_{name}", np.array([0, 0, HEADS, WIDTH]))])
        return g.node("Transpose", [y], perm=[0, 2, 1, 3])

    query = heads("q")
    keys, values = (g.node("Concat", [old, heads(name)], [f"present_{name}"], axis=2) for old, name in zip(past, "kv"))
    scores = g.node("MatMul", [query, g.node("Transpose", [keys], perm=[0, 1, 3, 2])])
    scores = g.node("Mul", [scores, g.constant("scale", np.float32(WIDTH**-0.5))])
    bias = g.node("Where", [g.node("Cast", [mask], to=9), g.constant("zero", np.float32(0)),
                            g.constant("low", np.float32(-1e9))])
    bias = g.node("Unsqueeze", [bias, g.constant("axes", np.array([1, 2]))])
    y = g.node("MatMul", [g.node("Softmax", [g.node("Add", [scores, bias])], axis=-1), values])
    y = g.node("Reshape", [g.node("Transpose", [y], perm=[0, 2, 1, 3]), g.constant("flat", np.array([0, 0, -1]))])
    g.node("Add", [g.node("MatMul", [y, weights["o"]]), x], ["y"])
    g.output("y", FLOAT, ["batch", "sequence", SIZE])
    for name in "kv":
        g.output(f"present_{name}", FLOAT, ["batch", HEADS, "past + sequence", WIDTH])
    return g.save("decoder.onnx")


def reference(x, positions, mask, past_key, past_value):
    x = x.astype(np.float64) + TABLE[positions]
    query, key, value = ((x @ WEIGHTS[name]).reshape(*x.shape[:2], HEADS, WIDTH).swapaxes(1, 2) for name in "qkv")
    key, value = np.concatenate([past_key, key], 2), np.concatenate([past_value, value], 2)
    scores = query @ key.swapaxes(2, 3) * WIDTH**-0.5 + np.where(mask[:, None, None], 0, -1e9)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    y = (e / e.sum(-1, keepdims=True) @ value).swapaxes(1, 2).reshape(x.shape)
    return y @ WEIGHTS["o"] + x, key, value


def main():
    library = strata.Library(strata.compile_library(model(), ".", "decoder")[0])
    cache = exact = [np.zeros((BATCH, HEADS, 0, WIDTH), np.float32)] * 2
    past = 0
    for step in range(STEPS):
        new = 5 if step == 0 else 1 if step % 50 else 3  # a prompt, tokens, and sometimes some at once
        x = RNG.standard_normal((BATCH, new, SIZE)).astype(np.float32)
        positions = np.broadcast_to(np.arange(past, past + new), (BATCH, new))
        mask = np.ones((BATCH, past + new), np.int64)
        mask[0, :min(past, 2)] = 0
        inputs = [x, positions, mask, *cache]
        got = library.run(inputs, library.sizes_of([np.shape(value) for value in inputs]))
        wanted = reference(x, positions, mask, *exact)
        for name, a, b in zip(("y", "key", "value"), got, wanted):
            assert a.shape == b.shape, f"step {step}: {name} is {a.shape}, expected {b.shape}"
            error = np.abs(a - b).max()
            assert error < 1e-4, f"step {step}: {name} is off by {error}"
        cache, exact, past = [np.array(value) for value in got[1:]], wanted[1:], past + new
    print(f"{STEPS} steps, to a length of {past}")


if __name__ == "__main__":
    main()
