"""Networks of f32 whose products read parts of concats, and the whole, on the emulated devices: nobody copies a part, and
results are right (affine-drop-copies). Widths that are no multiples of tiles."""
import os
import re
import tempfile

import numpy as np

import gpu
import strata

random = np.random.default_rng(11)
CONTRACT = ('  {y} = "strata.contract"({x}, {w}) {{maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> '
            '(k, n)>, affine_map<(m, n, k) -> (m, n)>], zero_pad = false, origin = "matmul"}} : '
            '(tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32>\n')


class Graph:
    def __init__(self, m, k):
        self.m, self.text, self.count = m, "", 0
        self.input = random.standard_normal((m, k)).astype(np.float32)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def layer(self, x, n):
        """relu(x w); values are pairs of a name and an array."""
        k, y, r, w = x[1].shape[1], self.name(), self.name(), self.name()
        weights = (random.standard_normal((k, n)) / np.sqrt(k)).astype(np.float32)
        data = "0x" + weights.tobytes().hex().upper()
        self.text += f'  {w} = "strata.constant"() {{value = dense<"{data}"> : tensor<{k}x{n}xf32>}} : () -> tensor<{k}x{n}xf32>\n'
        self.text += CONTRACT.format(y=y, x=x[0], w=w, m=self.m, n=n, k=k)
        self.text += f'  {r} = "strata.relu"({y}) : (tensor<{self.m}x{n}xf32>) -> tensor<{self.m}x{n}xf32>\n'
        return r, np.maximum(x[1] @ weights.astype(np.float64), 0)

    def concat(self, a, b):
        y, both = self.name(), np.concatenate([a[1], b[1]], 1)
        types = [f"tensor<{self.m}x{value.shape[1]}xf32>" for value in (a[1], b[1], both)]
        self.text += f'  {y} = "strata.concat"({a[0]}, {b[0]}) {{axis = 1}} : ({types[0]}, {types[1]}) -> {types[2]}\n'
        return y, both

    def finish(self, y):
        m, k, n = self.m, self.input.shape[1], y[1].shape[1]
        return (f'func.func @main(%x: tensor<{m}x{k}xf32> {{strata.name = "x"}}) -> (tensor<{m}x{n}xf32> '
                f'{{strata.name = "y"}}) {{\n{self.text}  return {y[0]} : tensor<{m}x{n}xf32>\n}}\n')


def dense(m, k, width, n_layers):
    """Each layer reads the concat of all before it."""
    g = Graph(m, k)
    all_parts = g.layer(("%x", g.input.astype(np.float64)), width)
    for _ in range(n_layers):
        all_parts = g.concat(all_parts, g.layer(all_parts, width))
    y = g.layer(all_parts, 2 * width)
    return g, y, n_layers + 2


def main():
    gpu.use_stand_in()
    with tempfile.TemporaryDirectory() as folder:
        for device in ("emulated_90", "emulated"):
            for i, sizes in enumerate(((136, 72, 64, 3), (1, 80, 72, 2), (77, 48, 40, 2))):
                g, y, n_products = dense(*sizes)
                path = os.path.join(folder, f"dense{i}_{device}.mlir")
                with open(path, "w") as file:
                    file.write(g.finish(y))
                options = ["--target=nvgpu", f"--device={device}"]
                said = strata.strata(path, "--compile-to=affine", "--explain", "-o", folder, *options)
                copies = re.findall(r"^kernel (\w+): \d+ calls, \d+ nests \((?:copy|convert)\b", said, re.MULTILINE)
                library = gpu.Library(strata.compile_library(path, folder, f"dense{i}_{device}", options)[0])
                got = library.run([g.input])[0].astype(np.float64)
                library.unload()
                error = np.linalg.norm(got - y[1]) / np.linalg.norm(y[1])
                print(f"{device} {sizes}: error {error:.1e}, copied by {copies}")
                assert error < 2e-3 and len(copies) <= 1, "but the input, perhaps"


if __name__ == "__main__":
    main()
