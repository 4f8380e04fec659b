"""Row kernels and maps on the emulated device: shapes that divide evenly among threads and shapes that do not."""
import itertools

import numpy as np

import gpu
import strata

NUMBERS = itertools.count()
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i8": np.int8}


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def run(body, result, inputs, options=()):
    """What main makes of |inputs|, pairs of an array and its element type; |body| defines %0 of type |result|."""
    names = "xyz"[: len(inputs)]
    arguments = ", ".join(f'%{name}: {tensor(array.shape, element)} {{strata.name = "{name}"}}'
                          for name, (array, element) in zip(names, inputs))
    name = f"execute{next(NUMBERS)}"  # the loader knows libraries by their paths
    with open("execute.mlir", "w", encoding="utf-8") as file:
        file.write(f'func.func @main({arguments}) -> ({result} {{strata.name = "r"}}) {{\n{body}\n'
                   f"  return %0 : {result}\n}}\n")
    path = strata.compile_library("execute.mlir", "out", name, ["--target=nvgpu", "--device=emulated", *options])[0]
    library = gpu.Library(path)
    output = library.run([array for array, _ in inputs])[0]
    library.unload()
    return output


def random(shape, element, seed=1):
    generator = np.random.default_rng(seed)
    if element[0] == "i":
        return generator.integers(-100, 100, shape).astype(NUMPY[element])
    return generator.standard_normal(shape).astype(NUMPY[element])


def check(what, got, expected, tolerance):
    assert got.shape == expected.shape, what
    error = np.abs(got.astype(np.float64) - expected).max() / max(np.abs(expected).max(), 1e-30)
    assert error <= tolerance, f"{what}: {error:.2e}"


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_softmax():
    shapes = [((3, 7), 1), ((64, 32), 1), ((5, 1000), 1), ((2, 4096), 1), ((2, 20000), 1), ((4, 100, 33), 1),
              ((300, 2), 1), ((1, 1), 1), ((6, 257), 0)]
    for (shape, axis), (element, tolerance) in itertools.product(shapes, [("f32", 2e-6), ("f16", 2e-3)]):
        x, t = random(shape, element), tensor(shape, element)
        body = f'  %0 = "strata.softmax"(%x) {{axes = array<i64: {axis}>}} : ({t}) -> {t}'
        check(f"softmax {t} {axis}", run(body, t, [(x, element)]), softmax(x.astype(np.float64), axis), tolerance)


def test_layer_norm():
    for shape in [(5, 384), (16, 768), (3, 1001), (2, 9000), (7, 4), (2, 50000), (1, 33333)]:
        t, w = tensor(shape, "f32"), tensor(shape[-1:], "f32")
        x, scale, bias = random(shape, "f32"), random(shape[-1:], "f32", 2), random(shape[-1:], "f32", 3)
        body = "\n".join(f'  %{name}b = "strata.broadcast"(%{name}) {{map = affine_map<(i, j) -> (j)>}} : ({w}) -> {t}'
                         for name in "yz")
        body += (f'\n  %0 = "strata.layer_norm"(%x, %yb, %zb) {{axes = array<i64: 1>, epsilon = 1.0e-5 : f64}} : '
                 f"({t}, {t}, {t}) -> {t}")
        centred = x.astype(np.float64) - x.mean(1, keepdims=True, dtype=np.float64)
        expected = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * scale + bias
        check(f"layer_norm {t}", run(body, t, [(x, "f32"), (scale, "f32"), (bias, "f32")]), expected, 1e-5)


def test_reductions():
    reductions = [("add", np.sum), ("max", np.max), ("min", np.min)]
    shapes = [((1000,), (0,)), ((3, 129), (1,)), ((40, 50, 6), (0, 2)), ((17, 8), (0,)), ((70000,), (0,)),
              ((9, 5, 4), (1,))]
    for (shape, axes), (kind, function), element in itertools.product(shapes, reductions, ["f32", "f64", "i32", "i64"]):
        x = random(shape, element)
        left = [size for axis, size in enumerate(shape) if axis not in axes]
        result = tensor(left, element)
        body = (f'  %0 = "strata.reduce"(%x) {{axes = array<i64: {", ".join(map(str, axes))}>, kind = "{kind}"}} : '
                f"({tensor(shape, element)}) -> {result}")
        check(f"{kind} {axes} {tensor(shape, element)}", run(body, result, [(x, element)]),
              function(x.astype(np.float64), axes), 1e-5)


def test_maps():
    for shape in [(1,), (77,), (4096,), (33, 65), (128, 256), (3, 5, 7, 11)]:
        x, t = random(shape, "f32"), tensor(shape, "f32")
        body = f'  %1 = "strata.tanh"(%x) : ({t}) -> {t}\n  %0 = "strata.add"(%1, %x) : ({t}, {t}) -> {t}'
        check(f"map {t}", run(body, t, [(x, "f32")]), np.tanh(x.astype(np.float64)) + x, 1e-6)
    for shape in [(33, 65), (128, 256), (1000, 3), (2, 4096)]:
        for element in ["f32", "f16", "i8"]:
            x, r = random(shape, element), tensor(shape[::-1], element)
            body = f'  %0 = "strata.transpose"(%x) {{permutation = array<i64: 1, 0>}} : ({tensor(shape, element)}) -> {r}'
            check(f"transpose {r}", run(body, r, [(x, element)]), x.T.astype(np.float64), 0)


def main():
    gpu.use_stand_in()
    test_softmax()
    test_layer_norm()
    test_reductions()
    test_maps()
    print("ok")


if __name__ == "__main__":
    main()
