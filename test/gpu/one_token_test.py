"""A token at a time: queries, keys and values are parts of one product's only row, which has no dim for its heads. On the
emulated device, against NumPy in double precision."""
import numpy as np

import gpu
import strata
from onnx_file import FLOAT, Graph

RNG = np.random.default_rng(26)
CASES = [(12, 64, 128), (3, 64, 40), (5, 32, 77), (7, 64, 130)]  # heads, width of each, past


def model(name, heads, width, past):
    g, size = Graph(opset=18), heads * width
    weight = (RNG.standard_normal((size, 3 * size)) / np.sqrt(size)).astype(np.float32)
    x = g.input("x", FLOAT, [1, 1, size])
    cache = [g.input(f"past_{part}", FLOAT, [1, heads, past, width]) for part in "kv"]
    g.node("Split", [g.node("MatMul", [x, g.constant("w", weight)]), g.constant("parts", np.array([size] * 3))],
           ["query", "key", "value"], axis=2)

    def of_heads(part):
        y = g.node("Reshape", [part, g.constant(f"shape_{part}", np.array([1, 1, heads, width]))])
        return g.node("Transpose", [y], perm=[0, 2, 1, 3])

    query = of_heads("query")
    keys, values = (g.node("Concat", [old, of_heads(part)], axis=2) for old, part in zip(cache, ("key", "value")))
    scores = g.node("MatMul", [query, g.node("Transpose", [keys], perm=[0, 1, 3, 2])])
    scores = g.node("Mul", [scores, g.constant("scale", np.float32(width**-0.5))])
    y = g.node("MatMul", [g.node("Softmax", [scores], axis=-1), values])
    g.node("Reshape", [g.node("Transpose", [y], perm=[0, 2, 1, 3]), g.constant("flat", np.array([1, 1, size]))], ["y"])
    g.output("y", FLOAT, [1, 1, size])
    return g.save(f"{name}.onnx"), weight


def reference(weight, x, keys, values):
    heads, width = keys.shape[1], keys.shape[3]
    query, key, value = (part.reshape(1, 1, heads, width).swapaxes(1, 2)
                         for part in np.split(x.astype(np.float64) @ weight, 3, axis=2))
    keys, values = np.concatenate([keys, key], 2), np.concatenate([values, value], 2)
    scores = query @ keys.swapaxes(2, 3) * width**-0.5
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) @ values).swapaxes(1, 2).reshape(x.shape)


def run_case(heads, width, past):
    name = f"token_{heads}x{width}_{past}"
    path, weight = model(name, heads, width, past)
    target = ["--target=nvgpu", "--device=emulated_90"]
    assert 'kind = "attention"' in strata.strata(path, *target, "--compile-to=affine"), f"{name}: no kernel of attention"
    library = gpu.Library(strata.compile_library(path, ".", name, target)[0])
    inputs = [RNG.standard_normal(shape).astype(np.float32)
              for shape in ((1, 1, heads * width), (1, heads, past, width), (1, heads, past, width))]
    got, wanted = library.run(inputs)[0], reference(weight, *inputs)
    error = np.linalg.norm(got - wanted) / np.linalg.norm(wanted)
    assert error < 3e-3, f"{name}: off by {error}"
    library.unload()


def main():
    gpu.use_stand_in()
    strata.report((f"{case}", lambda case=case: run_case(*case)) for case in CASES)


main()
