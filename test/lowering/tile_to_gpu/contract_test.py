"""Matrix products and convolutions on the emulated device: shapes that divide into tiles and shapes that do not, every
order of the operands in memory, every type and precision, with an epilogue. And what ptxas says of the large ones."""
import itertools

import numpy as np

import gpu
import strata

NUMBERS = itertools.count()
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}
TYPES = [("f16", 3e-4, ()), ("f32", 4e-4, ()), ("f32", 1e-3, ("--mm-conv-precision-mode=tf32",)),
         ("f32", 1e-6, ("--mm-conv-precision-mode=fp32",)), ("f32", 1e-6, ("--gpu-no-tensor-core",)),
         ("f16", 3e-4, ("--gpu-no-tensor-core",)), ("i8", 0, ())]


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def contract_text(maps, types, dims, epilogue):
    """z = epilogue(contract(x, y)); |maps| are the coordinates of x, y and z over |dims|."""
    x, y, z = types
    maps = ", ".join(f"affine_map<({dims}) -> ({coordinates})>" for coordinates in maps)
    return f"""func.func @main(%x: {x} {{strata.name = "x"}}, %y: {y} {{strata.name = "y"}}) -> ({z} {{strata.name = "z"}}) {{
  %0 = "strata.contract"(%x, %y) {{maps = [{maps}], zero_pad = true, origin = "matmul"}} : ({x}, {y}) -> {z}
  %1 = "strata.constant"() {{value = dense<{'1' if 'i32' in z else '1.0'}> : {z}}} : () -> {z}
  %2 = "strata.{epilogue}"(%0, %1) : ({z}, {z}) -> {z}
  return %2 : {z}
}}
"""


def values(generator, shape, element):
    if element[0] == "i":
        return generator.integers(-8, 8, shape).astype(NUMPY[element])
    return generator.standard_normal(shape).astype(NUMPY[element])


def run(text, x, y, options):
    """What the emitted library makes of x and y."""
    name = f"contract{next(NUMBERS)}"  # the loader knows libraries by their paths
    with open("contract.mlir", "w", encoding="utf-8") as file:
        file.write(text)
    library = gpu.Library(strata.compile_library("contract.mlir", "out", name,
                                                 ["--target=nvgpu", "--device=emulated", *options])[0])
    result = library.run([x, y])[0].astype(np.float64)
    library.unload()
    return result


def check(what, got, expected, tolerance):
    error = np.linalg.norm(got - expected) / np.linalg.norm(expected)
    assert error <= tolerance, f"{what}: {error:.2e}"


def check_product(m, n, k, batch, transposed, element, tolerance, options):
    first = [batch, k, m] if transposed[0] else [batch, m, k]
    second = [batch, n, k] if transposed[1] else [batch, k, n]
    result = "i32" if element == "i8" else element
    maps = ["b, k, m" if transposed[0] else "b, m, k", "b, n, k" if transposed[1] else "b, k, n", "b, m, n"]
    types = [tensor(first, element), tensor(second, element), tensor([batch, m, n], result)]
    generator = np.random.default_rng(m)
    x, y = values(generator, first, element), values(generator, second, element)
    got = run(contract_text(maps, types, "b, m, n, k", "add"), x, y, options)
    left = np.swapaxes(x, 1, 2) if transposed[0] else x
    right = np.swapaxes(y, 1, 2) if transposed[1] else y
    check(f"{m}x{n}x{k} {transposed} {element} {options}", got,
          left.astype(np.float64) @ right.astype(np.float64) + 1, tolerance)


def test_products():
    for transposed, (element, tolerance, options) in itertools.product(itertools.product((0, 1), (0, 1)), TYPES):
        check_product(70, 45, 100, 1, transposed, element, tolerance, options)
    for transposed in itertools.product((0, 1), (0, 1)):
        check_product(136, 72, 64, 2, transposed, "f16", 3e-4, ())
    check_product(33, 37, 41, 3, (0, 1), "f64", 1e-14, ())
    check_product(9, 300, 520, 1, (0, 0), "f16", 3e-4, ())


def convolve(x, w, out_shape, stride, pad, dilation):
    """x: n, h, w, g, c; w: g, r, s, c, f; the result: n, p, q, g, f."""
    result = np.zeros(out_shape)
    x = np.pad(x, [(0, 0), (pad, pad), (pad, pad), (0, 0), (0, 0)])
    p, q = out_shape[1:3]
    for r, s in np.ndindex(w.shape[1:3]):
        part = x[:, r * dilation:r * dilation + (p - 1) * stride + 1:stride,
                 s * dilation:s * dilation + (q - 1) * stride + 1:stride]
        result += np.einsum("npqgc,gcf->npqgf", part, w[:, r, s])
    return result


def check_convolution(image, channels, filters, window, groups=1, stride=1, pad=1, dilation=1, channels_last=True,
                      options=(), tolerance=4e-4):
    n, h, w = image
    p, q = ((size + 2 * pad - dilation * (window - 1) - 1) // stride + 1 for size in (h, w))
    y, x = (f"{a} * {stride} + {b} * {dilation} - {pad}" for a, b in (("p", "r"), ("q", "s")))
    if channels_last:
        shapes = [n, h, w, groups, channels], [groups, window, window, channels, filters], [n, p, q, groups, filters]
        maps = [f"n, {y}, {x}, g, c", "g, r, s, c, f", "n, p, q, g, f"]
    else:
        shapes = [n, groups, channels, h, w], [groups, filters, channels, window, window], [n, groups, filters, p, q]
        maps = [f"n, g, c, {y}, {x}", "g, f, c, r, s", "n, g, f, p, q"]
    dims = ", ".join("npqgfrsc" if channels_last else "ngfpqrsc")
    generator = np.random.default_rng(h)
    image_values, weights = values(generator, shapes[0], "f32"), values(generator, shapes[1], "f32")
    got = run(contract_text(maps, [tensor(shape, "f32") for shape in shapes], dims, "max"), image_values, weights,
              options)
    image_last, weights_last = image_values.astype(np.float64), weights.astype(np.float64)
    if not channels_last:
        image_last, weights_last = image_last.transpose(0, 3, 4, 1, 2), weights_last.transpose(0, 3, 4, 2, 1)
        got = got.transpose(0, 3, 4, 1, 2)
    expected = convolve(image_last, weights_last, [n, p, q, groups, filters], stride, pad, dilation)
    check(f"convolution {shapes} {options}", got, np.maximum(expected, 1), tolerance)


def test_convolutions():
    check_convolution((2, 9, 7), 16, 24, 3)
    check_convolution((1, 8, 8), 64, 40, 3)
    check_convolution((2, 17, 15), 3, 32, 3, stride=2)
    check_convolution((1, 24, 24), 3, 16, 7, stride=2, pad=3, channels_last=False)
    check_convolution((1, 12, 12), 8, 16, 3, pad=2, dilation=2, channels_last=False)
    check_convolution((1, 12, 12), 32, 48, 1, pad=0, channels_last=False)
    check_convolution((1, 12, 12), 16, 16, 3, groups=4)
    check_convolution((1, 12, 12), 16, 16, 3, groups=4, channels_last=False)
    check_convolution((1, 12, 12), 1, 1, 3, groups=24)
    check_convolution((2, 9, 7), 16, 24, 3, options=("--gpu-no-tensor-core",), tolerance=1e-6)


def test_registers():
    """No large product spills."""
    if not strata.has_ptxas():
        return
    for element, options in (("f16", ()), ("f32", ()), ("f32", ("--mm-conv-precision-mode=tf32",)),
                             ("f32", ("--gpu-no-tensor-core",)), ("i8", ())):
        result = "i32" if element == "i8" else element
        types = [tensor([4096, 4096], element), tensor([4096, 4096], element), tensor([4096, 4096], result)]
        with open("large.mlir", "w", encoding="utf-8") as file:
            file.write(contract_text(["m, k", "k, n", "m, n"], types, "m, n, k", "add"))
        usage = strata.strata("large.mlir", "--target=nvgpu", "--device=sm_90a", "--aot", "--resource-usage", "-o", "out",
                              *options)
        kernels = strata.kernel_rows(usage)
        assert kernels, usage
        for kernel in kernels:
            assert kernel["spills"] == "0", usage


gpu.use_stand_in()
test_products()
test_convolutions()
test_registers()
