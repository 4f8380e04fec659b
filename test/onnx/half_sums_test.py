"""Sums, norms and pools of f16 against f64, where a count, a square or a sum has no f16 but the result has: as one
operator and taken apart, in every mode and on the emulated device; with no more kernels than the same in f32."""
import numpy as np

import gpu
import strata
from onnx_file import Builder

MODES = {"cpu": [], "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
         "apart": ["--polyblocks-disable-affine-fusion"],
         "nvgpu": ["--target=nvgpu", "--device=emulated"]}


def keep(function, x, axes):
    return function(x, axis=tuple(axes), keepdims=True)


def rms(x, axes, epsilon):
    return np.sqrt(keep(np.mean, x * x, axes) + epsilon)


def standardized(x, axes, epsilon):
    c = x - keep(np.mean, x, axes)
    return c / rms(c, axes, epsilon)


def layer_norm_apart(b):
    c = b.Sub(b.x, b.ReduceMean(b.x, axes=[-1]))
    variance = b.ReduceMean(b.Pow(c, b.number(2)), axes=[-1])
    y = b.Div(c, b.Sqrt(b.Add(variance, b.number(1e-3))))
    return b.Add(b.Mul(y, b.number(0.5)), b.number(0.25))


def rms_norm_apart(b):
    mean = b.ReduceMean(b.Mul(b.x, b.x), axes=[-1])
    return b.Mul(b.x, b.Reciprocal(b.Sqrt(b.Add(mean, b.number(1e-3)))))


def l2_norm_apart(b):
    norm = b.Sqrt(b.ReduceSum(b.Mul(b.x, b.x), b.number([-1], np.int64)))
    return b.Div(b.x, b.Max(norm, b.number(1e-4)))


def l2_norm_clipped(b):
    return b.Div(b.x, b.Clip(b.ReduceL2(b.x, axes=[-1]), b.number(1e-4)))


def l2_norm_of_squares(b):
    return b.Div(b.x, b.Sqrt(b.ReduceSumSquare(b.x, axes=[-1])))


def group_norm_apart(b):
    grouped = b.Reshape(b.x, b.number([2, 2, -1], np.int64))
    c = b.Sub(grouped, b.ReduceMean(grouped, axes=[2]))
    y = b.Div(c, b.Sqrt(b.Add(b.ReduceMean(b.Mul(c, c), axes=[2]), b.number(1e-3))))
    return b.Reshape(y, b.number([2, 6, 5, 7], np.int64))


def group_norm(x):
    grouped = x.reshape(2, 2, -1)
    return standardized(grouped, [2], 1e-3).reshape(x.shape)


def variance_of_squares(b):
    mean = b.ReduceMean(b.x, axes=[-1])
    return b.Sqrt(b.Sub(b.ReduceMean(b.Mul(b.x, b.x), axes=[-1]), b.Mul(mean, mean)))


def deviation(b):
    c = b.Sub(b.x, b.ReduceMean(b.x, axes=[-1]))
    return b.Sqrt(b.Div(b.ReduceSum(b.Mul(c, c), b.number([-1], np.int64)), b.number(63)))


def softplus_of_sums(b):
    return b.Log(b.ReduceSum(b.Exp(b.x), b.number([-1], np.int64)))


def response_norm_apart(b):
    squares = b.Unsqueeze(b.Mul(b.x, b.x), b.number([1], np.int64))
    mean = b.AveragePool(squares, kernel_shape=[5, 1, 1], pads=[2, 0, 0, 2, 0, 0], count_include_pad=1)
    base = b.Add(b.Mul(b.Squeeze(mean, b.number([1], np.int64)), b.number(0.5)), b.number(2.0))
    return b.Div(b.x, b.Pow(base, b.number(0.75)))


def response_norm(x, alpha=0.5, bias=2.0, beta=0.75):
    padded = np.pad(x * x, ((0, 0), (2, 2), (0, 0), (0, 0)))
    mean = sum(padded[:, i:i + x.shape[1]] for i in range(5)) / 5
    return x / (bias + alpha * mean) ** beta


def training_norm(b):
    ones, zeros = b.number(np.ones(6)), b.number(np.zeros(6))
    return b.graph.node("BatchNormalization", [b.x, ones, zeros, zeros, ones], 3, training_mode=1, epsilon=1e-3)[0]


LARGE, ROWS, IMAGE = [1, 2, 260, 260], [3, 64], [2, 6, 5, 7]
# name: shape, size of the numbers, the graph, what it means
CASES = {
    "reduce_mean": (LARGE, 3, lambda b: b.ReduceMean(b.x, axes=[2, 3]), lambda x: keep(np.mean, x, [2, 3])),
    "mean_of_large": ([2, 256], 2000, lambda b: b.ReduceMean(b.Abs(b.x), axes=[1]),
                      lambda x: keep(np.mean, abs(x), [1])),
    "global_average_pool": (LARGE, 3, lambda b: b.GlobalAveragePool(b.x), lambda x: keep(np.mean, x, [2, 3])),
    "average_pool": (LARGE, 3, lambda b: b.AveragePool(b.x, kernel_shape=[259, 260]),
                     lambda x: np.stack([x[:, :, i:i + 259].mean((2, 3)) for i in range(2)], 2)[..., None]),
    "mean_variance": (LARGE, 3, lambda b: b.MeanVarianceNormalization(b.x), lambda x: standardized(x, [0, 2, 3], 0)),
    "instance_norm": (LARGE, 500, lambda b: b.InstanceNormalization(b.x, b.number([1, 1]), b.number([0, 0])),
                      lambda x: standardized(x, [2, 3], 1e-5)),
    "lp_norm": (ROWS, 500, lambda b: b.LpNormalization(b.x), lambda x: x / np.sqrt(keep(np.sum, x * x, [1]))),
    "l1_norm": ([2, 300], 2000, lambda b: b.LpNormalization(b.x, p=1), lambda x: x / keep(np.sum, abs(x), [1])),
    "reduce_l2": (ROWS, 500, lambda b: b.ReduceL2(b.x, axes=[1]), lambda x: np.sqrt(keep(np.sum, x * x, [1]))),
    "log_sum": (ROWS, 5000, lambda b: b.ReduceLogSum(b.Abs(b.x), axes=[1]),
                lambda x: np.log(keep(np.sum, abs(x), [1]))),
    "log_sum_exp": (ROWS, 5, lambda b: b.ReduceLogSumExp(b.x, axes=[1]),
                    lambda x: np.log(keep(np.sum, np.exp(x), [1]))),
    "lp_pool": (IMAGE, 500, lambda b: b.LpPool(b.x, kernel_shape=[5, 7], p=3),
                lambda x: keep(np.sum, abs(x) ** 3, [2, 3]) ** (1 / 3)),
    "global_lp_pool": (IMAGE, 500, lambda b: b.GlobalLpPool(b.x, p=2),
                       lambda x: np.sqrt(keep(np.sum, x * x, [2, 3]))),
    "response_norm": (IMAGE, 500, lambda b: b.LRN(b.x, size=5, alpha=0.5, bias=2.0, beta=0.75), response_norm),
    "batch_norm_training": (IMAGE, 500, training_norm, lambda x: standardized(x, [0, 2, 3], 1e-3)),
    "mean_of_operands": (ROWS, 20000, lambda b: b.Mean(b.x, b.x, b.x), lambda x: x),
    "layer_norm_apart": (ROWS, 500, layer_norm_apart, lambda x: standardized(x, [1], 1e-3) * 0.5 + 0.25),
    "rms_norm_apart": (ROWS, 500, rms_norm_apart, lambda x: x / rms(x, [1], 1e-3)),
    "l2_norm_apart": (ROWS, 500, l2_norm_apart, lambda x: x / np.sqrt(keep(np.sum, x * x, [1]))),
    "l2_norm_clipped": (ROWS, 500, l2_norm_clipped, lambda x: x / np.sqrt(keep(np.sum, x * x, [1]))),
    "l2_norm_of_squares": (ROWS, 500, l2_norm_of_squares, lambda x: x / np.sqrt(keep(np.sum, x * x, [1]))),
    "group_norm_apart": (IMAGE, 500, group_norm_apart, group_norm),
    "variance_of_squares": (ROWS, 500, variance_of_squares, lambda x: x.std(1, keepdims=True)),
    "deviation": (ROWS, 500, deviation, lambda x: x.std(1, keepdims=True, ddof=1)),
    "softplus_of_sums": (ROWS, 5, softplus_of_sums, lambda x: np.log(keep(np.sum, np.exp(x), [1]))),
    "response_norm_apart": (IMAGE, 500, response_norm_apart, response_norm),
}
SLOW_ON_DEVICE = {"average_pool"}  # emulated


def build(name, dtype):
    shape, _, graph, meaning = CASES[name]
    b = Builder(dtype, shape, 14)
    result = graph(b)
    b.graph.output(result, b.element, meaning(np.random.default_rng(0).standard_normal(shape)).shape)
    return b.graph.save(f"{name}_{np.dtype(dtype).itemsize}.onnx")


def compiled(name, dtype, mode):
    path, _ = strata.compile_library(build(name, dtype), ".", f"{name}_{mode}_{np.dtype(dtype).itemsize}", MODES[mode])
    return gpu.Library(path) if mode == "nvgpu" else strata.Library(path)


def check(name, mode):
    shape, size, _, meaning = CASES[name]
    x = (np.random.default_rng(7).standard_normal(shape) * size + size / 4).astype(np.float16)
    library = compiled(name, np.float16, mode)
    got, expected = library.run([x])[0].astype(np.float64), meaning(x.astype(np.float64))
    np.testing.assert_allclose(got, expected, rtol=4e-3, atol=2e-3 * abs(expected).max(), err_msg=f"{name}, {mode}")
    launches = len(library.launches)
    if mode in ("cpu", "nvgpu"):
        single = len(compiled(name, np.float32, mode).launches)
        assert launches <= single, f"{name}, {mode}: {launches} kernels in f16, {single} in f32"


if __name__ == "__main__":
    gpu.use_stand_in()
    for name in CASES:
        for mode in MODES:
            if not (mode == "nvgpu" and name in SLOW_ON_DEVICE):
                check(name, mode)
    print(f"{len(CASES)} graphs")
