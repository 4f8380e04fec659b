"""Products of f32 inputs under default arithmetic, on the emulated devices: against f64, of sizes that are no multiples of
tiles, in all orders, by constants, by inputs, several of one input; some of numbers beyond the range of f16, which tf32
holds (affine-tf32): those where the model takes it must be right all the same. Where nothing is summed they stay f32, as
positions by frequencies do, the angles that embeddings are turned by."""
import os
import tempfile

import numpy as np

import gpu
import strata

random = np.random.default_rng(strata.run_seed())
BOUND = 1e-3  # both operands are rounded to 11 bits
ROUNDED_ONCE = 2.0 ** -24  # a product as f32
LEFT = {"n": ("m, k", "MxK"), "t": ("k, m", "KxM")}
RIGHT = {"n": ("k, n", "KxN"), "t": ("n, k", "NxK")}


def sized(text, sizes):
    for letter, size in zip("BMNK", sizes):
        text = text.replace(letter, str(size))
    return text


def contract(result, operands, orders, batch, types):
    exprs = [LEFT[orders[0]][0], RIGHT[orders[1]][0], "m, n"]
    maps = ", ".join(f"affine_map<({batch}m, n, k) -> ({batch}{expr})>" for expr in exprs)
    return (f'  {result} = "strata.contract"({", ".join(operands)}) {{maps = [{maps}], zero_pad = false, '
            f'origin = "matmul"}} : ({types[0]}, {types[1]}) -> {types[2]}\n')


def types_of(sizes, orders, batch):
    shapes = [LEFT[orders[0]][1], RIGHT[orders[1]][1], "MxN"]
    return [f"tensor<{sized(('Bx' if batch else '') + shape, sizes)}xf32>" for shape in shapes]


def matrix(shape, scale):
    return (random.standard_normal(shape) * scale).astype(np.float32)


def shape_of(tensor):
    return [int(size) for size in tensor[len("tensor<"):].split("x")[:-1]]


def reference(x, w, orders):
    x, w = x.astype(np.float64), w.astype(np.float64)
    x = np.swapaxes(x, -1, -2) if orders[0] == "t" else x
    return x @ (np.swapaxes(w, -1, -2) if orders[1] == "t" else w)


class Case:
    """|kind|: input, a product of two inputs; constant, of one and a constant; twice, one input with both."""

    def __init__(self, kind, sizes, orders, scale=1.0):
        self.name = f"{kind} {'x'.join(map(str, sizes))} {orders} of {scale}"
        self.bound = ROUNDED_ONCE if sizes[-1] == 1 else BOUND
        batch = "b, " if sizes[0] > 1 else ""
        t = types_of(sizes, orders, batch)
        x, w, v = (matrix(shape_of(t[i]), scale) for i in (0, 1, 1))
        bytes_of_v = "0x" + v.tobytes().hex().upper()
        constant = f'  %v = "strata.constant"() {{value = dense<"{bytes_of_v}"> : {t[1]}}} : () -> {t[1]}\n'
        right = {"input": ["%w"], "constant": ["%v"], "twice": ["%w", "%v"]}[kind]
        body = "" if kind == "input" else constant
        for i, operand in enumerate(right):
            body += contract(f"%y{i}", ["%x", operand], orders, batch, t)
        self.inputs = [x] if kind == "constant" else [x, w]
        self.wanted = [reference(x, {"%w": w, "%v": v}[operand], orders) for operand in right]
        results = ", ".join(f'{t[2]} {{strata.name = "y{i}"}}' for i in range(len(right)))
        more = "" if kind == "constant" else f', %w: {t[1]} {{strata.name = "w"}}'
        values = ", ".join(f"%y{i}" for i in range(len(right)))
        self.text = (f'func.func @main(%x: {t[0]} {{strata.name = "x"}}{more}) -> ({results}) {{\n{body}'
                     f'  return {values} : {", ".join([t[2]] * len(right))}\n}}\n')


def cases():
    for orders in ("nn", "nt", "tn", "tt"):
        yield Case("input", (1, 136, 72, 264), orders)
        yield Case("constant", (1, 200, 96, 136), orders)
    yield Case("input", (5, 65, 40, 72), "nn")
    yield Case("input", (3, 61, 43, 77), "nt")
    yield Case("constant", (1, 77, 131, 93), "nn")
    yield Case("constant", (1, 64, 77, 1), "nn", 1e3)
    yield Case("constant", (3, 136, 130, 1), "tt", 1e3)
    yield Case("twice", (1, 136, 136, 136), "nn")
    yield Case("twice", (1, 72, 264, 200), "nt", 1e-3)
    yield Case("input", (1, 512, 256, 256), "nn", 1e6)  # infinite as f16


def run(case, device, number, folder):
    name = f"case{number}_{device}"
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(case.text)
    options = ["--target=nvgpu", f"--device={device}"]
    said = strata.strata(path, "--compile-to=affine", "--explain", "-o", folder, *options)
    is_tf32 = "tf32 contract" in said and "instead of" in said.split("tf32 contract")[1].split("\n")[0]
    if "1000000" in case.name and not is_tf32:
        return is_tf32
    library = gpu.Library(strata.compile_library(path, folder, name, options)[0])
    got = library.run(case.inputs)
    library.unload()
    for value, wanted in zip(got, case.wanted):
        error = np.linalg.norm(value.astype(np.float64) - wanted) / np.linalg.norm(wanted)
        assert error <= case.bound, f"{device} {case.name}: error {error}"
    print(f"{device} {case.name}: {'' if is_tf32 else 'not '}tf32")
    return is_tf32


def main():
    gpu.use_stand_in()
    with tempfile.TemporaryDirectory() as folder:
        for device in ("emulated_90", "emulated"):
            taken = [run(case, device, i, folder) for i, case in enumerate(cases())]
            assert device != "emulated_90" or (taken[-1] and sum(taken) >= len(taken) / 2), "tf32 is hardly ever taken"


if __name__ == "__main__":
    main()
