"""Group norms of images of which batch, or batch and height and width, vary, as exporters write them and as one operator,
between convolutions: one library at several sizes against NumPy in f64, on the cpu and on the emulated device."""
import os
import tempfile

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, Graph

CHANNELS, GROUPS = 64, 32
TARGETS = {"cpu": [], "gpu": ["--target=nvgpu", "--device=emulated_90", "--mm-conv-precision-mode=fp32"]}
SIZES = [(1, 8, 8), (3, 8, 8), (33, 8, 8)]
IMAGES = [(1, 1, 1), (2, 3, 5), (3, 8, 8), (7, 5, 16)]


def group_norm(graph, x, scale, bias, is_operator):
    if is_operator:
        return graph.node("GroupNormalization", [x, graph.constant("scale", scale), graph.constant("bias", bias)],
                          num_groups=GROUPS, epsilon=1e-5)
    rows = graph.node("Reshape", [x, graph.constant("rows", np.array([0, GROUPS, -1], np.int64))])
    ones, zeros = graph.constant("ones", np.ones(GROUPS, np.float32)), graph.constant("zeros", np.zeros(GROUPS, np.float32))
    normed = graph.node("InstanceNormalization", [rows, ones, zeros], epsilon=1e-5)
    image = graph.node("Reshape", [normed, graph.node("Shape", [x])])
    scaled = graph.node("Mul", [image, graph.constant("scale", scale[:, None, None])])
    return graph.node("Add", [scaled, graph.constant("bias", bias[:, None, None])])


def build(shape, scale, bias, weight, is_operator):
    graph = Graph(opset=21)
    weight = graph.constant("weight", weight[:, :, None, None])
    image = graph.node("Conv", [graph.input("x", FLOAT, shape), weight])
    normed = group_norm(graph, image, scale, bias, is_operator)
    silu = graph.node("Mul", [normed, graph.node("Sigmoid", [normed])])
    graph.output(graph.node("Conv", [silu, weight]), FLOAT, shape)
    return graph


def reference(x, scale, bias, weight):
    weight = weight.astype(np.float64)
    x = np.einsum("nchw,oc->nohw", x.astype(np.float64), weight)
    rows = x.reshape(len(x), GROUPS, -1)
    normed = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + 1e-5)
    y = normed.reshape(x.shape) * scale[:, None, None] + bias[:, None, None]
    return np.einsum("nchw,oc->nohw", y / (1 + np.exp(-y)), weight)


def drawn(random, most, *shape):
    """Whole numbers, so that the first convolution's sums are exact: what two numbers that are a group and nearly equal
    erred by would be divided by as small a deviation, and no bound would hold. What is behind errs by 160 roundings at
    most of what the norms give (means of so many), about 1, and 64 of the second sums' terms, 8 together."""
    return random.integers(-most, most, shape, endpoint=True).astype(np.float32)


def run_case(target, names, is_operator):
    random = strata.generator_of(f"{target} {names} {is_operator}")
    scale, bias = random.standard_normal((2, CHANNELS)).astype(np.float32)
    weight = drawn(random, 3, CHANNELS, CHANNELS) / 8
    varies = isinstance(names[1], str)
    with tempfile.TemporaryDirectory() as folder:
        graph = build([names[0], CHANNELS, *names[1:]], scale, bias, weight, is_operator)
        path, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "norms", TARGETS[target])
        library = strata.Library(path)
        for batch, height, width in IMAGES if varies else SIZES:
            x = drawn(random, 9, batch, CHANNELS, height, width) + 1
            got = library.run([x], [batch, height, width] if varies else [batch])[0]
            np.testing.assert_allclose(got, reference(x, scale, bias, weight), rtol=1e-4, atol=2e-4,
                                       err_msg=f"{target} {x.shape}")
        library.close()


def main():
    gpu.use_stand_in()
    cases = {f"{target}, {kind}, {'images' if isinstance(names[1], str) else 'batch'}":
             (target, names, kind == "operator")
             for target in TARGETS for kind in ("operator", "exported") for names in (("n", 8, 8), ("n", "h", "w"))}
    strata.report((name, lambda case=case: run_case(*case)) for name, case in cases.items())


if __name__ == "__main__":
    main()
