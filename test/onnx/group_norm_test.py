"""Group norm in the forms that exporters write it, against f64: one launch where a device shares rows among the blocks of
a cluster, or holds them in one; what a convolution reads behind it needs no other. Sizes are no multiple of anything."""
import itertools

import numpy as np

import gpu
import strata
from onnx_file import Builder

MODES = {"cpu": [], "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
         "apart": ["--polyblocks-disable-affine-fusion"], "emulated": ["--target=nvgpu", "--device=emulated"],
         "emulated_90": ["--target=nvgpu", "--device=emulated_90"]}
EPSILON = 1e-5


def weights(channels, dtype):
    rng = np.random.default_rng(3)
    return tuple((1 - i + 0.3 * rng.standard_normal(channels)).astype(dtype) for i in range(2))


def scaled(b, y, shape):
    scale, shift = (w.reshape(-1, *[1] * (len(shape) - 2)) for w in weights(shape[1], b.dtype))
    return b.Add(b.Mul(y, b.number(scale)), b.number(shift))


def of_instance(b, x, shape, groups):
    """As PyTorch exports it: an instance norm of groups."""
    rows = b.Reshape(x, b.sizes(shape[0], groups, -1))
    y = b.InstanceNormalization(rows, b.number(np.ones(groups)), b.number(np.zeros(groups)), epsilon=EPSILON)
    return scaled(b, b.Reshape(y, b.sizes(*shape)), shape)


def as_operator(b, x, shape, groups):
    scale, shift = weights(shape[1], b.dtype)
    return b.GroupNormalization(x, b.number(scale), b.number(shift), num_groups=groups, epsilon=EPSILON)


def standardized(b, x, shape, axes, before):
    """Taken apart, of |x| reshaped."""
    rows = b.Reshape(x, b.sizes(*shape))
    c = b.Sub(rows, b.ReduceMean(rows, b.sizes(*axes), keepdims=1))
    variance = b.ReduceMean(b.Mul(c, c), b.sizes(*axes), keepdims=1)
    return b.Reshape(b.Div(c, b.Sqrt(b.Add(variance, b.number(EPSILON)))), b.sizes(*before))


def apart_rows(b, x, shape, groups):
    return scaled(b, standardized(b, x, (shape[0], groups, -1), [2], shape), shape)


def apart_dims(b, x, shape, groups):
    dims = (shape[0], groups, shape[1] // groups, *shape[2:])
    return scaled(b, standardized(b, x, dims, range(2, len(dims)), shape), shape)


def channels_last(b, x, shape, groups):
    """Taken apart, of channels that lie last and go back there."""
    dims = (shape[0], *shape[2:], groups, shape[1] // groups)
    axes = [*range(1, len(shape) - 1), len(shape)]
    scale, shift = weights(shape[1], b.dtype)
    y = standardized(b, x, dims, axes, (shape[0], *shape[2:], shape[1]))
    return b.Add(b.Mul(y, b.number(scale)), b.number(shift))


FORMS = {of_instance: 18, as_operator: 21, apart_rows: 18, apart_dims: 18, channels_last: 18}  # opsets

# shape, groups
SMALL = [([2, 6, 5, 7], 3), ([1, 8, 9], 8), ([2, 10, 3, 4, 5], 2)]
LARGE = [([1, 10, 83, 51], 2), ([1, 3, 4099], 1)]  # of the length of clusters
LONGER = ([1, 3, 600, 701], 1)  # than a cluster can hold: parts of a row, then what combines them, then the norm
# Channels last, of groups that are short pieces of each pixel: columns in parts, what combines them, then the norm. Fewer
# pixels are not worth three launches.
PIECES = [([1, 36, 211, 197], 12, np.float32), ([2, 20, 170, 163], 10, np.float32)]
# Read along pixels, stored along channels for a convolution: mean and variance, then the norm, turned in tiles. Few rows,
# rows of one channel, widths that are no multiple of anything, and forms that round means and differences.
TURNED = [(of_instance, (1, 60, 163, 131), 6, np.float16), (as_operator, (1, 64, 127, 181), 64, np.float16),
          (apart_rows, (2, 36, 127, 131), 9, np.float16), (apart_dims, (1, 24, 300, 201), 4, np.float16),
          (as_operator, (3, 66, 83, 99), 6, np.float16), (of_instance, (1, 128, 104, 104), 8, np.float32)]
PARTS_TURNED = ((2, 24, 197, 193), 2, np.float32)  # rows that no cluster holds: parts, what combines them, the norm


def norm(x, groups):
    rows = x.reshape(x.shape[0], groups, -1)
    y = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + EPSILON)
    scale, shift = (w.astype(np.float64).reshape(-1, *[1] * (x.ndim - 2)) for w in weights(x.shape[1], np.float16))
    return y.reshape(x.shape) * scale + shift


def swish(x):
    return x / (1 + np.exp(-x))


def convolved(x, kernel):
    width = kernel.shape[-1]
    padded, y = np.pad(x, ((0, 0), (0, 0), *[(width // 2,) * 2] * 2)), 0
    for i, j in itertools.product(range(width), repeat=2):
        y = y + np.einsum("bchw,oc->bohw", padded[:, :, i:i + x.shape[2], j:j + x.shape[3]], kernel[:, :, i, j])
    return y


def run(b, result, got_shape, x, mode, name):
    b.graph.output(result, b.element, got_shape)
    path, _ = strata.compile_library(b.graph.save(f"{name}.onnx"), ".", f"{name}_{mode}", MODES[mode])
    library = gpu.Library(path) if mode.startswith("emulated") else strata.Library(path)
    return library.run([x])[0].astype(np.float64), len(library.launches)


def check(form, shape, groups, dtype, mode):
    x = (2 * np.random.default_rng(7).standard_normal(shape) + 1).astype(np.float16).astype(dtype)
    is_last = form is channels_last
    given = np.ascontiguousarray(np.moveaxis(x, 1, -1)) if is_last else x
    b = Builder(dtype, list(given.shape), FORMS[form])
    y = form(b, b.x, shape, groups)
    y = b.Mul(y, b.Sigmoid(y))
    name = f"{form.__name__}_{'x'.join(map(str, shape))}_{np.dtype(dtype).itemsize}"
    got, launches = run(b, y, given.shape, given, mode, name)
    # f32 has the weights of f16 plus what that rounds off
    tolerance = 4e-3 if dtype == np.float16 else 2e-3
    expected = swish(norm(x.astype(np.float64), groups))
    expected = np.moveaxis(expected, 1, -1) if is_last else expected
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, err_msg=f"{name}, {mode}")
    if mode in ("cpu", "emulated_90") and shape[1] != groups and form is not apart_dims:
        is_in_pieces = mode == "emulated_90" and (shape, groups, dtype) in PIECES
        assert launches >= 3 or not is_in_pieces, f"{name}, {mode}: rows in pieces are held"
        most = 3 if (shape, groups) == LONGER or is_in_pieces else 1
        assert launches <= most, f"{name}, {mode}: {launches} launches"


def check_convolution(form, mode, least, most, shape=(1, 48, 22, 18), groups=3, dtype=np.float16, width=3):
    """A norm and the convolution that reads it, and nothing copied between them."""
    x = (2 * np.random.default_rng(7).standard_normal(shape) + 1).astype(np.float16).astype(dtype)
    kernel = (np.random.default_rng(8).standard_normal((24, shape[1], width, width)) / 20).astype(np.float16).astype(dtype)
    b = Builder(dtype, list(shape), FORMS[form])
    y = form(b, b.x, list(shape), groups)
    y = b.Conv(b.Mul(y, b.Sigmoid(y)), b.number(kernel), pads=[width // 2] * 4)
    name = f"conv_{form.__name__}_{'x'.join(map(str, shape))}_{np.dtype(dtype).itemsize}"
    got, launches = run(b, y, (shape[0], 24, *shape[2:]), x, mode, name)
    expected = convolved(swish(norm(x.astype(np.float64), groups)), kernel.astype(np.float64))
    np.testing.assert_allclose(got, expected, rtol=4e-3, atol=4e-3 * abs(expected).max(), err_msg=f"{name}, {mode}")
    assert least <= launches <= most, f"{name}, {mode}: {launches} launches"


def check_between_convolutions(mode, least, most):
    """A norm of four channels a group, of what a product stores channels last and another one reads."""
    shape, groups = [1, 48, 211, 221], 12
    x = np.random.default_rng(7).standard_normal([1, 16, *shape[2:]]).astype(np.float16)
    kernels = [(np.random.default_rng(i).standard_normal(k) / 4).astype(np.float16) for i, k in ((8, (48, 16)), (9, (24, 48)))]
    b = Builder(np.float16, list(x.shape), FORMS[of_instance])
    y = of_instance(b, b.Conv(b.x, b.number(kernels[0][:, :, None, None])), shape, groups)
    y = b.Conv(b.Mul(y, b.Sigmoid(y)), b.number(kernels[1][:, :, None, None]))
    got, launches = run(b, y, (1, 24, *shape[2:]), x, mode, "between_convolutions")
    product = lambda x, kernel: np.einsum("bchw,oc->bohw", x, kernel.astype(np.float64))
    expected = product(swish(norm(product(x.astype(np.float64), kernels[0]), groups)), kernels[1])
    np.testing.assert_allclose(got, expected, rtol=4e-3, atol=4e-3 * abs(expected).max(), err_msg=mode)
    assert least <= launches <= most, f"a norm between convolutions, {mode}: {launches} launches"


if __name__ == "__main__":
    gpu.use_stand_in()
    for i, (form, (shape, groups)) in enumerate(itertools.product(FORMS, SMALL)):
        for mode in MODES if i % 3 == 0 else ["cpu", "emulated_90"]:
            check(form, shape, groups, np.float16, mode)
    for form, mode in itertools.product(FORMS, ["cpu", "emulated_90"]):
        check(form, *SMALL[0], np.float32, mode)
    for form, (shape, groups) in itertools.product([of_instance, channels_last], LARGE):
        check(form, shape, groups, np.float16, "emulated_90")
    for form in (of_instance, channels_last):
        check(form, *LONGER, np.float32 if form is channels_last else np.float16, "emulated_90")
    for shape, groups, dtype in PIECES:
        check(channels_last, shape, groups, dtype, "emulated_90")
    check_between_convolutions("emulated_90", 5, 6)
    for form in (of_instance, as_operator, apart_rows, apart_dims):
        check_convolution(form, "emulated_90", 2, 2)
        check_convolution(form, "cpu", 1, 4)  # few rows are apart from what has many points
    for form, shape, groups, dtype in TURNED:
        check_convolution(form, "emulated_90", 3, 3, shape, groups, dtype, width=1)
    check_convolution(of_instance, "emulated_90", 4, 4, *PARTS_TURNED, width=1)
    print("all forms")
