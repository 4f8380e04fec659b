"""Products as the cpu's schedule carries them out: packed operands and depthwise convolutions against float64.

Sizes are no multiples of a register tile, and outputs are filled with NaN before a run. --device names processors with
other registers, as far as this machine can run them.
"""
import os
import sys
import tempfile

import numpy as np

import onnx_file
import strata

TOLERANCE = 1e-5
PRODUCTS = [(600, 800, 700), (513, 521, 515), (512, 512, 512), (640, 513, 1024), (530, 40, 600), (40, 520, 1024)]  # rows, columns, steps
# channels, height, width, kernel, stride, padding
CONVOLUTIONS = [(70, 9, 7, 5, 1, 2), (20, 13, 12, 3, 2, 1), (8, 5, 6, 3, 1, 0), (7, 6, 6, 3, 1, 1), (130, 3, 3, 3, 1, 1)]


def run(graph, folder, name, inputs, options):
    model = graph.save(os.path.join(folder, f"{name}.onnx"))
    path, _ = strata.compile_library(model, folder, name, options)
    run_it, outputs = strata.Library(path).bind(inputs)
    for output in outputs:
        output.fill(np.nan)
    run_it()
    return outputs[0].astype(np.float64)


def product(rows, columns, steps, constant, rng):
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((rows, steps), (steps, columns)))
    bias = rng.standard_normal(columns).astype(np.float32)
    graph = onnx_file.Graph()
    x = graph.input("x", onnx_file.FLOAT, [rows, steps])
    w = graph.constant("w", b) if constant else graph.input("w", onnx_file.FLOAT, [steps, columns])
    y = graph.node("Add", [graph.node("MatMul", [x, w]), graph.constant("bias", bias)])
    graph.output(y, onnx_file.FLOAT, [rows, columns])
    return graph, [a] if constant else [a, b], a.astype(np.float64) @ b + bias


def depthwise(channels, height, width, kernel, stride, padding, rng):
    x = rng.standard_normal((1, channels, height, width)).astype(np.float32)
    w = rng.standard_normal((channels, 1, kernel, kernel)).astype(np.float32)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    out = [(size + 2 * padding - kernel) // stride + 1 for size in (height, width)]
    want = np.zeros((1, channels, *out))
    for i in range(kernel):
        for j in range(kernel):
            window = padded[:, :, i:i + stride * out[0]:stride, j:j + stride * out[1]:stride]
            want += window[:, :, :out[0], :out[1]] * w[:, 0, i, j].astype(np.float64)[None, :, None, None]
    graph = onnx_file.Graph()
    y = graph.node("Conv", [graph.input("x", onnx_file.FLOAT, list(x.shape)), graph.constant("w", w)],
                   group=channels, strides=[stride] * 2, pads=[padding] * 4)
    graph.output(graph.node("Relu", [y]), onnx_file.FLOAT, list(want.shape))
    return graph, [x], np.maximum(want, 0)


def devices():
    with open("/proc/cpuinfo") as file:
        text = file.read()
    return ["host"] + [name for name, flag in (("x86-64-v2", "sse4_2"), ("x86-64-v3", "avx2")) if flag in text]


def main():
    rng = np.random.default_rng(7)
    cases = [(f"product {size}{' constant' * constant}", product(*size, constant, rng))
             for size in PRODUCTS for constant in (False, True)]
    cases += [(f"depthwise {size}", depthwise(*size, rng)) for size in CONVOLUTIONS]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, (graph, inputs, want)) in enumerate(cases):
            for device in devices():
                tag = f"case{i}_{device.replace('-', '_')}"
                got = run(graph, folder, tag, inputs, [f"--device={device}"])
                error = np.abs(got - want).max() / np.abs(want).max()
                if not error < TOLERANCE:
                    failures += 1
                    print(f"{name} on {device}: error {error:.1e}, expected at most {TOLERANCE:.0e}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
