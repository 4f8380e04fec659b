"""Products whose sizes vary, on the emulated devices: one library for all sizes against numpy, at sizes below, at and
beyond the edges of tiles, and a few that are drawn."""
import functools

import numpy as np

import gpu
import strata

EDGES = [1, 2, 7, 17, 64, 65, 127, 128, 129]
LIKELY = "[1, 64, 512]"
TF32, F32 = "--mm-conv-precision-mode=tf32", "--mm-conv-precision-mode=fp32"


class Product:
    """y[b.., m, n] = sum over k of x * w, and an epilogue: bias of columns, gelu, a residual. Dims are numbers or names of
    symbols; |x| and |w| say in which order the operands have theirs."""

    def __init__(self, dims, element="f16", x="mk", w="nk", epilogue=(), options=(), devices=("emulated_90",),
                 more=(), most=1000000):
        self.more, self.most = [{"rows": n} for n in more], most
        self.dims, self.element, self.x, self.w, self.y = dims, element, x, w, ("b" if "b" in x else "") + "mn"
        self.epilogue, self.options, self.devices = epilogue, list(options), devices
        self.symbols = sorted({d for d in dims.values() if isinstance(d, str)})

    def type(self, dims):
        shape = [self.dims[d] for d in dims]
        if not any(isinstance(d, str) for d in shape):
            return f"tensor<{'x'.join(map(str, shape))}x{self.element}>"
        names = {name: f"s{i}" for i, name in enumerate(self.symbols)}
        exprs = ", ".join(names.get(d, str(d)) for d in shape)
        used = 1 + max(self.symbols.index(d) for d in shape if isinstance(d, str))
        symbols = ", ".join(f"s{i}" for i in range(used))
        marks = "x".join("?" if isinstance(d, str) else str(d) for d in shape)
        return f"tensor<{marks}x{self.element}, affine_map<()[{symbols}] -> ({exprs})>>"

    def text(self):
        x, w, y, b = (self.type(dims) for dims in (self.x, self.w, self.y, "n"))
        inputs = f'%x: {x} {{strata.name = "x"}}, %w: {w} {{strata.name = "w"}}'
        inputs += f', %c: {b} {{strata.name = "c"}}' if "bias" in self.epilogue else ""
        inputs += f', %r: {y} {{strata.name = "r"}}' if "residual" in self.epilogue else ""
        symbols = ", ".join(f'{{name = "{n}", min = 1, max = {self.most}, multiple = 1, likely = {LIKELY}}}'
                            for n in self.symbols)
        space = f"({', '.join(self.y + 'k')})"
        maps = ", ".join(f"affine_map<{space} -> ({', '.join(d)})>" for d in (self.x, self.w, self.y))
        lines = [f'%0 = "strata.contract"(%x, %w) {{origin = "matmul", zero_pad = false, maps = [{maps}]}} : '
                 f'({x}, {w}) -> {y}']
        value = "%0"
        if "bias" in self.epilogue:
            dims = ", ".join(self.y)
            lines.append(f'%1 = "strata.broadcast"(%c) {{map = affine_map<({dims}) -> (n)>}} : ({b}) -> {y}')
            lines.append(f'%2 = "strata.add"({value}, %1) : ({y}, {y}) -> {y}')
            value = "%2"
        if "gelu" in self.epilogue:
            lines.append(f'%3 = "strata.gelu"({value}) {{approximate = "none"}} : ({y}) -> {y}')
            value = "%3"
        if "residual" in self.epilogue:
            lines.append(f'%4 = "strata.add"({value}, %r) : ({y}, {y}) -> {y}')
            value = "%4"
        body = "\n  ".join(lines)
        return (f'func.func @main({inputs}) -> ({y} {{strata.name = "y"}}) attributes {{strata.symbols = [{symbols}]}} '
                f'{{\n  {body}\n  return {value} : {y}\n}}\n')

    def inputs(self, sizes, generator):
        """What the library is given, and the same in f64."""
        operands = [self.x, self.w] + ["n"] * ("bias" in self.epilogue) + [self.y] * ("residual" in self.epilogue)
        given, exact = [], []
        for dims in operands:
            shape = [sizes.get(self.dims[d], self.dims[d]) for d in dims]
            value = generator.standard_normal(shape).astype(np.float32)
            stored = strata.to_bf16(value) if self.element == "bf16" else value.astype(
                np.float16 if self.element == "f16" else np.float32)
            given.append(stored)
            exact.append((strata.from_bf16(stored) if self.element == "bf16" else stored).astype(np.float64))
        return given, exact

    def wanted(self, exact):
        y = np.einsum(f"{self.x},{self.w}->{self.y}", exact[0], exact[1])
        rest = exact[2:]
        if "bias" in self.epilogue:
            y = y + rest.pop(0)
        if "gelu" in self.epilogue:
            erf = np.vectorize(__import__("math").erf)
            y = y * 0.5 * (1 + erf(y / np.sqrt(2)))
        return y + rest.pop(0) if "residual" in self.epilogue else y

    def tolerance(self, wanted, steps):
        unit = {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-6 if F32 in self.options else 1e-3}[self.element]
        return 4 * unit * np.sqrt(steps) + 2 * unit * np.abs(wanted)


class Convolution(Product):
    """Of |r| x |r| taps, with a bias of channels and a relu. Dims: b, c, h, w, o; images are channels last where |last|."""

    def __init__(self, dims, r=3, stride=1, last=False, **options):
        super().__init__({**dims, "r": r, "k": dims["c"] * r * r}, x="bhwc" if last else "bchw",
                         w="orrc" if last else "ocrr", **options)
        self.r, self.stride, self.y = r, stride, "bhwo" if last else "bohw"

    def result(self):
        names = {name: f"s{i}" for i, name in enumerate(self.symbols)}
        exprs = []
        for d in self.y:
            n = self.dims[d]
            n = names.get(n, n)
            if d in "hw" and self.stride > 1:
                n = f"({n} + {self.stride - 1}) floordiv {self.stride}" if isinstance(n, str) else -(-n // self.stride)
            exprs.append(n)
        marks = "x".join("?" if isinstance(e, str) else str(e) for e in exprs)
        used = 1 + max(i for i in range(len(self.symbols)) if any(f"s{i}" in str(e) for e in exprs))
        symbols = ", ".join(f"s{i}" for i in range(used))
        return f"tensor<{marks}x{self.element}, affine_map<()[{symbols}] -> ({', '.join(map(str, exprs))})>>"

    def text(self):
        x, w, b, y = self.type(self.x), self.type(self.w), self.type("o"), self.result()
        symbols = ", ".join(f'{{name = "{n}", min = 1, max = 4096, multiple = 1, likely = [1, 8]}}' for n in self.symbols)
        at = {"h": f"h * {self.stride} + r - {self.r // 2}", "w": f"w * {self.stride} + t - {self.r // 2}"}
        taps = ", ".join("rt"[self.w[:i].count("r")] if d == "r" else d for i, d in enumerate(self.w))
        dims = ", ".join(self.y + "crt")
        maps = [", ".join(at.get(d, d) for d in self.x), taps, ", ".join(self.y)]
        maps = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in maps)
        out = ", ".join(self.y)
        return (f'func.func @main(%x: {x} {{strata.name = "x"}}, %w: {w} {{strata.name = "w"}}, %c: {b} {{strata.name = '
                f'"c"}}) -> ({y} {{strata.name = "y"}}) attributes {{strata.symbols = [{symbols}]}} {{\n'
                f'  %0 = "strata.contract"(%x, %w) {{origin = "conv", zero_pad = true, maps = [{maps}]}} : ({x}, {w}) '
                f'-> {y}\n  %1 = "strata.broadcast"(%c) {{map = affine_map<({out}) -> (o)>}} : ({b}) -> {y}\n'
                f'  %2 = "strata.add"(%0, %1) : ({y}, {y}) -> {y}\n  %3 = "strata.relu"(%2) : ({y}) -> {y}\n'
                f'  return %3 : {y}\n}}\n')

    def inputs(self, sizes, generator):
        self.epilogue = ()
        given, exact = super().inputs(sizes, generator)
        bias = generator.standard_normal(self.dims["o"]).astype(given[0].dtype)
        return given + [bias], exact + [bias.astype(np.float64)]

    def wanted(self, exact):
        axes = [self.x.index(d) for d in "bchw"]
        x, w = exact[0].transpose(axes), exact[1].transpose([0, 3, 1, 2]) if self.x == "bhwc" else exact[1]
        p = self.r // 2
        x = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
        windows = np.lib.stride_tricks.sliding_window_view(x, (self.r, self.r), (2, 3))
        windows = windows[:, :, ::self.stride, ::self.stride]
        y = np.maximum(np.einsum("bchwrt,ocrt->bohw", windows, w) + exact[2][:, None, None], 0)
        return y.transpose([0, 2, 3, 1]) if self.x == "bhwc" else y


ROWS = dict(m="rows", n=136, k=72)
IMAGES = dict(b="batch", c=16, h=9, w=10, o=40)
ALL, BOTH = ("emulated_90", "emulated", "emulated_fma"), ("emulated_90", "emulated")
CASES = {
    "rows_f16": Product(ROWS, "f16", devices=ALL),
    "rows_bf16": Product(ROWS, "bf16", devices=BOTH),
    "rows_f32": Product(ROWS, "f32", options=[F32], devices=ALL),
    "rows_narrow": Product(ROWS, "f32"),
    "rows_tf32": Product(ROWS, "f32", options=[TF32], devices=BOTH),
    "epilogue_f16": Product(ROWS, "f16", epilogue=("bias", "gelu", "residual"), devices=BOTH),
    "epilogue_f32": Product(ROWS, "f32", epilogue=("bias", "gelu", "residual"), options=[TF32]),
    "right_crossed": Product(ROWS, "f16", w="kn", devices=BOTH),
    "right_crossed_tf32": Product(ROWS, "f32", w="kn", options=[TF32], devices=BOTH),
    "left_crossed": Product(ROWS, "f16", x="km", devices=BOTH),
    "left_crossed_bf16": Product(ROWS, "bf16", x="km", w="kn"),
    "odd": Product(dict(m="rows", n=75, k=49), "f16", epilogue=("bias",), devices=ALL),
    "odd_f32": Product(dict(m="rows", n=75, k=49), "f32", options=[F32], devices=BOTH),
    # of few rows blocks share the reduction
    "long": Product(dict(m="rows", n=192, k=1024), "f16", epilogue=("bias",), more=(320, 321, 640, 641)),
    # all rows are one box, shared reductions as long as the slots
    "few": Product(dict(m="rows", n=384, k=2048), "f16", epilogue=("bias",), more=(3, 33, 59, 60), most=60),
    "columns": Product(dict(m=72, n="rows", k=64), "f16", devices=BOTH),
    "columns_residual": Product(dict(m=72, n="rows", k=64), "f16", w="kn", epilogue=("residual",), devices=BOTH),
    "steps": Product(dict(m=72, n=136, k="rows"), "f16", devices=ALL),
    "steps_crossed": Product(dict(m=72, n=136, k="rows"), "f16", w="kn", devices=BOTH),
    "steps_f32": Product(dict(m=72, n=136, k="rows"), "f32", w="kn", options=[TF32], devices=BOTH),
    "batches": Product(dict(b="batch", m=40, n=72, k=32), "f16", x="bmk", w="bnk", devices=BOTH),
    "large_batches": Product(dict(b="batch", m=128, n=128, k=128), "f16", x="bmk", w="bnk"),
    "batches_of_rows": Product(dict(b="batch", m="rows", n=72, k=32), "f16", x="bmk", w="nk",
                               epilogue=("bias",), devices=BOTH),
    "scores": Product(dict(b=3, m="rows", n="rows", k=32), "f16", x="bmk", w="bnk", devices=ALL),
    "scores_past": Product(dict(b="batch", m="rows", n="total", k=32), "f16", x="bmk", w="bnk", devices=BOTH),
    "values": Product(dict(b="batch", m="rows", n=32, k="total"), "f16", x="bmk", w="bkn", devices=BOTH),
    "values_f32": Product(dict(b="batch", m="rows", n=32, k="total"), "f32", x="bmk", w="bkn",
                          options=[TF32], devices=("emulated_90",)),
    "images": Convolution(IMAGES, devices=ALL),
    "images_last": Convolution(IMAGES, last=True, devices=BOTH),
    "images_strided": Convolution(IMAGES, stride=2, last=True),
    "images_f32": Convolution(IMAGES, element="f32", options=[TF32], last=True),
    "pixels": Convolution(IMAGES, r=1, last=True, devices=BOTH),
    "sizes_of_images": Convolution(dict(b="batch", c=16, h="height", w="width", o=40), devices=BOTH),
    "sizes_of_images_last": Convolution(dict(b="batch", c=16, h="height", w="width", o=40), stride=2, last=True),
}


def sizes_of(product, generator):
    """Of one symbol all edges and two that are drawn; of several some, so that each meets others."""
    if len(product.symbols) == 1:
        few = product.symbols == ["batch"]
        sizes = [1, 2, 7, 33] if few else EDGES + list(generator.integers(2, 400, 2))
        return [{product.symbols[0]: n} for n in sizes if n <= product.most] + product.more
    sets = []
    for i in range(6):
        sets.append({name: int(generator.choice([1, 2, 3, 5]) if name == "batch" else
                               generator.integers(1, 24) if name in ("height", "width") else
                               EDGES[(3 * i + 2 * j) % len(EDGES)]) for j, name in enumerate(product.symbols)})
    return sets


def check(name, device, generator):
    product = CASES[name]
    path = f"{name}.mlir"
    library = gpu.Library(strata.compile_library(strata.write(path, product.text()), "out", f"{name}_{device}", [
        "--target=nvgpu", f"--device={device}", *product.options])[0])
    for sizes in sizes_of(product, generator):
        given, exact = product.inputs(sizes, generator)
        got, = library.run(given, [int(sizes[s]) for s in product.symbols])
        wanted = product.wanted(exact)
        got = (strata.from_bf16(got) if product.element == "bf16" else got).astype(np.float64)
        steps = sizes.get(product.dims["k"], product.dims["k"])
        wrong = ~(np.abs(got - wanted) <= product.tolerance(wanted, steps))
        assert not wrong.any(), (f"{name} on {device}, {sizes}: {wrong.sum()} of {wrong.size} wrong, first at "
                                 f"{np.argwhere(wrong)[0]}: {got[wrong][0]} instead of {wanted[wrong][0]}")
    library.unload()


def main():
    gpu.report_drawn((f"{name} {device}", functools.partial(check, name, device))
                     for name in strata.some(CASES) for device in CASES[name].devices)


main()
