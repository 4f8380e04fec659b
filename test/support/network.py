"""Random networks in the strata dialect: views, elementwise ops, reductions, norms, products and convolutions, with
weights. What a network computes does not matter, only that it computes the same however it is compiled."""
import numpy as np

from level2 import i64s

N_OPS = 18


def tensor(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


class Network:
    """A module under construction: values by name with their shapes."""

    def __init__(self, random):
        self.random, self.lines, self.shapes, self.constants = random, [], {}, {}
        self.inputs = [self.shape(4), self.shape(2), (1, 4, 6, 6)]
        for i, shape in enumerate(self.inputs):
            self.shapes[f"%x{i}"] = shape
        for _ in range(N_OPS):
            self.grow()
        names = [name for name in self.shapes if name.startswith("%v")]
        picked = set(random.choice(len(names), size=min(2, len(names)), replace=False)) | {len(names) - 1}
        self.results = [names[i] for i in sorted(picked)]

    def shape(self, rank):
        return tuple(int(size) for size in self.random.choice([1, 2, 3, 4, 6], size=rank))

    def pick(self, *items):
        return items[self.random.integers(len(items))]

    def value(self, rank=None):
        """One of the latest values, of a rank; None if there is none."""
        names = [name for name, shape in self.shapes.items() if rank is None or len(shape) == rank][-6:]
        return self.pick(*names) if names else None

    def op(self, mnemonic, operands, shape, **attrs):
        name = f"%v{len(self.lines)}"
        text = ", ".join(f"{key} = {value}" for key, value in attrs.items())
        types = ", ".join(tensor(self.shapes[x]) for x in operands)
        self.lines.append(f'{name} = "strata.{mnemonic}"({", ".join(operands)}) {{{text}}} : ({types}) -> '
                          f"{tensor(shape)}")
        self.shapes[name] = tuple(shape)
        return name

    def constant(self, shape):
        symbol = f"w{len(self.lines)}"
        self.constants[symbol] = (self.random.standard_normal(shape) / 2).astype(np.float32)
        return self.op("constant", [], shape, data=f'"{symbol}"')

    # -- one op of each kind ------------------------------------------------------------------------------------------

    def grow(self):
        self.pick(self.unary, self.unary, self.binary, self.binary, self.broadcast, self.transpose, self.reshape,
                  self.slice, self.pad, self.concat, self.reduce, self.norm, self.matmul, self.product, self.conv,
                  self.conv, self.depthwise, self.window)()

    def unary(self):
        x = self.value()
        self.op(self.pick("tanh", "neg", "abs", "relu", "sigmoid"), [x], self.shapes[x])

    def binary(self):
        x = self.value()
        others = [y for y, shape in self.shapes.items() if shape == self.shapes[x]]
        self.op(self.pick("add", "sub", "mul", "max"), [x, self.pick(*others)], self.shapes[x])

    def broadcast(self):
        x = self.value()
        shape = self.shapes[x]
        if len(shape) > 3:
            return
        size, at = self.pick(2, 3), self.random.integers(len(shape) + 1)
        result = shape[:at] + (size,) + shape[at:]
        dims = [f"d{i}" for i in range(len(result))]
        kept = dims[:at] + dims[at + 1:]
        y = self.op("broadcast", [x], result, map=f"affine_map<({', '.join(dims)}) -> ({', '.join(kept)})>")
        self.op("add", [y, y if self.random.random() < 0.5 else self.op("tanh", [y], result)], result)

    def transpose(self):
        x = self.value()
        order = self.random.permutation(len(self.shapes[x]))
        self.op("transpose", [x], [self.shapes[x][i] for i in order], permutation=i64s(order))

    def reshape(self):
        x = self.value()
        shape = list(self.shapes[x])
        i = self.random.integers(len(shape))
        if shape[i] in (4, 6) and len(shape) < 5:
            shape[i:i + 1] = self.pick([2, shape[i] // 2], [shape[i] // 2, 2], [1, shape[i]])
        elif i + 1 < len(shape):
            shape[i:i + 2] = [shape[i] * shape[i + 1]]
        self.op("reshape", [x], shape)

    def slice(self):
        x = self.value()
        shape = self.shapes[x]
        starts = [int(self.random.integers(size)) for size in shape]
        steps = [self.pick(1, 1, 2) for _ in shape]
        sizes = [max(1, (size - start) // step) for size, start, step in zip(shape, starts, steps)]
        self.op("slice", [x], sizes, starts=i64s(starts), steps=i64s(steps))

    def pad(self):
        x = self.value()
        low, high = ([self.pick(0, 0, 1) for _ in self.shapes[x]] for _ in range(2))
        shape = [l + size + h for l, size, h in zip(low, self.shapes[x], high)]
        if np.prod(shape) < 5000:
            self.op("pad", [x], shape, low=i64s(low), high=i64s(high), value="0.5 : f32")

    def concat(self):
        x = self.value()
        shape = self.shapes[x]
        axis = int(self.random.integers(len(shape)))
        y = self.op("neg", [x], shape) if self.random.random() < 0.5 else x
        if np.prod(shape) < 3000:
            self.op("concat", [x, y], shape[:axis] + (2 * shape[axis],) + shape[axis + 1:], axis=f"{axis} : i64")

    def reduce(self):
        x = self.value()
        shape = self.shapes[x]
        if len(shape) < 2:
            return
        axes = sorted(self.random.choice(len(shape), size=self.random.integers(1, len(shape)), replace=False))
        rest = [size for i, size in enumerate(shape) if i not in axes]
        self.op("reduce", [x], rest, kind=self.pick('"add"', '"max"'), axes=i64s(axes))

    def norm(self):
        x = self.value()
        shape = self.shapes[x]
        axes = i64s([int(self.random.integers(len(shape)))])
        if self.random.random() < 0.5:
            self.op("softmax", [x], shape, axes=axes)
        else:
            self.op("normalize", [x], shape, axes=axes, epsilon="1.0e-3 : f64")

    def contract(self, x, y, dims, maps, shape, pad=False):
        maps = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in maps)
        z = self.op("contract", [x, y], shape, maps=f"[{maps}]", zero_pad=str(pad).lower(), origin='""')
        if self.random.random() < 0.7:
            self.op("tanh", [z], shape)

    def matmul(self):
        x = self.value(2) or self.value(3)
        if not x:
            return
        shape = self.shapes[x]
        rows, n = ["i", "j"][:len(shape) - 1], self.pick(1, 3, 4)
        self.contract(x, self.constant((shape[-1], n)), ", ".join(rows + ["n", "k"]),
                      [", ".join(rows + ["k"]), "k, n", ", ".join(rows + ["n"])], shape[:-1] + (n,))

    def product(self):
        x = self.value(3)
        if x:
            b, m, _ = self.shapes[x]
            self.contract(x, x, "b, i, j, k", ["b, i, k", "b, j, k", "b, i, j"], (b, m, m))

    def conv(self):
        x = self.value(4)
        if not x:
            return
        n, c, h, w = self.shapes[x]
        size, stride, f = self.pick(1, 3), self.pick(1, 2), self.pick(3, 4)
        pad = size // 2
        out = (n, f, (h + 2 * pad - size) // stride + 1, (w + 2 * pad - size) // stride + 1)
        data = f"n, c, p * {stride} + r - {pad}, q * {stride} + s - {pad}"
        self.contract(x, self.constant((f, c, size, size)), "n, f, p, q, c, r, s", [data, "f, c, r, s", "n, f, p, q"],
                      out, pad > 0)

    def depthwise(self):
        x = self.value(4)
        if x:
            n, c, h, w = self.shapes[x]
            self.contract(x, self.constant((c, 3, 3)), "n, c, p, q, r, s",
                          ["n, c, p + r - 1, q + s - 1", "c, r, s", "n, c, p, q"], (n, c, h, w), True)

    def window(self):
        x = self.value(4)
        if x and self.shapes[x][2] > 1 and self.shapes[x][3] > 1:
            n, c, h, w = self.shapes[x]
            self.op("window", [x], (n, c, (h - 2) // 2 + 1, (w - 2) // 2 + 1), kind=self.pick('"max"', '"add"'),
                    window=i64s([1, 1, 2, 2]), strides=i64s([1, 1, 2, 2]), dilations=i64s([1] * 4), low=i64s([0] * 4),
                    high=i64s([0] * 4))

    def feed(self):
        """Random inputs."""
        return [self.random.standard_normal(shape).astype(np.float32) for shape in self.inputs]

    def text(self):
        """The module; its weights are named constants."""
        args = ", ".join(f'%x{i}: {tensor(shape)} {{strata.name = "x{i}"}}' for i, shape in enumerate(self.inputs))
        types = [tensor(self.shapes[name]) for name in self.results]
        named = ", ".join(f'{type} {{strata.name = "y{i}"}}' for i, type in enumerate(types))
        body = "\n  ".join(self.lines)
        return (f"func.func @main({args}) -> ({named}) {{\n  {body}\n  return {', '.join(self.results)} : "
                f"{', '.join(types)}\n}}\n")

    def standalone_text(self):
        """The module with the weights' values in it."""
        text = self.text()
        for symbol, value in self.constants.items():
            dense = f"value = dense<{value.tolist()}> : {tensor(value.shape)}"
            text = text.replace(f'{{data = "{symbol}"}}', f"{{{dense}}}")
        return text
