"""Convolutions of inputs whose pixels lie beside one another, and of patches of such: of one dim and of two, steps that end within a place of the
window, at its end and within an instruction, strides, dilations, groups of nothing that suits; on the emulated devices."""
import itertools

import numpy as np

import gpu
import strata
from onnx_file import Builder

MODES = {"emulated": ["--target=nvgpu", "--device=emulated"], "emulated_90": ["--target=nvgpu", "--device=emulated_90"]}
random = np.random.default_rng(9)

# input, filters, window, padding, stride, dilation
CASES = [
    ((1, 80, 200), 72, (3,), 1, 1, 1),
    ((1, 48, 136), 64, (5,), 2, 1, 1),
    ((1, 32, 200), 40, (3,), 0, 1, 2),
    ((1, 24, 264), 64, (4,), 1, 1, 1),
    ((1, 20, 264), 64, (3,), 1, 1, 1),
    ((1, 80, 203), 64, (3,), 1, 1, 1),
    ((1, 64, 200), 64, (3,), 1, 2, 1),
    ((3, 48, 128), 64, (3,), 1, 1, 1),
    ((1, 64, 8, 64), 64, (3, 3), 1, 1, 1),
    ((2, 48, 5, 64), 72, (3, 3), 1, 1, 1),
    ((2, 16, 7, 128), 64, (3, 3), 1, 1, 2),
    ((2, 32, 6, 60), 64, (3, 3), 1, 1, 1),
    ((2, 3, 80, 112), 72, (16, 16), 0, 16, 1),  # patches: runs of pixels
    ((1, 5, 40, 72), 64, (8, 8), 0, 8, 1),
    ((1, 6, 28, 64), 64, (4, 4), 0, 4, 1),
    ((2, 3, 42, 70), 40, (14, 14), 0, 14, 1),
    ((1, 3, 48, 72), 64, (16, 16), 0, 8, 1),
]


def convolved(x, w, pad, stride, dilation):
    n = x.ndim - 2
    x = np.pad(x.astype(np.float64), [(0, 0)] * 2 + [(pad, pad)] * n)
    sizes = [(x.shape[2 + i] - dilation * (w.shape[2 + i] - 1) - 1) // stride + 1 for i in range(n)]
    y = 0
    for place in itertools.product(*map(range, w.shape[2:])):
        part = x[(slice(None),) * 2 + tuple(slice(dilation * p, dilation * p + stride * (s - 1) + 1, stride)
                                            for p, s in zip(place, sizes))]
        y = y + np.einsum("bc...,oc->bo...", part, w[(slice(None),) * 2 + place].astype(np.float64))
    return y


def check(shape, filters, window, pad, stride, dilation, mode):
    x = random.integers(-2, 3, shape).astype(np.float16)
    x[..., -1] = np.where(random.random(shape[:-1]) < 0.02, np.inf, x[..., -1])
    w = np.abs(random.integers(-2, 3, (filters, shape[1], *window))).astype(np.float16) + np.float16(1)
    b = Builder(np.float16, list(shape), 18)
    expected = convolved(x, w, pad, stride, dilation)
    n = len(window)
    y = b.Conv(b.x, b.number(w), pads=[pad] * 2 * n, strides=[stride] * n, dilations=[dilation] * n)
    name = f"pixels_{'x'.join(map(str, shape))}_{window[0]}"
    b.graph.output(y, b.element, list(expected.shape))
    path, _ = strata.compile_library(b.graph.save(f"{name}.onnx"), ".", f"{name}_{mode}", MODES[mode])
    got = gpu.Library(path).run([x])[0]
    np.testing.assert_array_equal(got, expected.astype(np.float16), err_msg=f"{name}, {mode}")


if __name__ == "__main__":
    gpu.use_stand_in()
    for case, mode in itertools.product(CASES, MODES):
        check(*case, mode)
    print("all convolutions")
