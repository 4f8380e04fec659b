"""Large tensors of ones and zeros change nothing, as small ones do: no launch is for them, as long as all elements are that
number, and nobody may give others when the library runs. The sign of a zero is kept where it can be told."""
import numpy as np

import gpu
import strata
from onnx_file import Builder

MODES = {"cpu": [], "emulated_90": ["--target=nvgpu", "--device=emulated_90"]}
SHAPE = (96, 67)  # more elements than are looked at as numbers
random = np.random.default_rng(5)


def filled(b, value, last=None):
    data = np.full(SHAPE, value, np.float16)
    data[-1, -1] = value if last is None else last
    return b.number(data)


def nothing(b, x, last=None):
    x = b.Div(b.Sub(b.Mul(x, filled(b, 1)), filled(b, 0)), filled(b, 1, last))
    return b.Add(filled(b, 0), x)


def compile_graph(name, mode, build, columns, options=()):
    b = Builder(np.float16, list(SHAPE), 18)
    b.graph.output(build(b), b.element, [SHAPE[0], columns])
    return strata.strata(b.graph.save(f"{name}.onnx"), "--aot", "--aot-name", f"{name}_{mode}", "-o", ".", "--explain",
                         *MODES[mode], *options)


def run(name, mode, x):
    library = (gpu.Library if mode == "emulated_90" else strata.Library)(f"./lib{name}_{mode}.so")
    return library.run([x])[0]


def main():
    gpu.use_stand_in()
    x, w = random.integers(-3, 4, SHAPE).astype(np.float16), random.integers(-3, 4, (SHAPE[1], 40)).astype(np.float16)
    x[0, :4] = -0.0, 0.0, -0.0, 3
    product = x.astype(np.float64) @ w
    for mode in MODES:
        said = compile_graph("all", mode, lambda b: b.MatMul(nothing(b, b.x), b.number(w)), 40)
        assert "contract" in said and "(div)" not in said and "add" not in said, f"{mode}: {said}"
        np.testing.assert_array_equal(run("all", mode, x), product)
        compile_graph("most", mode, lambda b: b.MatMul(nothing(b, b.x, 2), b.number(w)), 40)
        halved = x.astype(np.float64)
        halved[-1, -1] /= 2
        np.testing.assert_array_equal(run("most", mode, x), halved @ w)
        compile_graph("sign", mode, lambda b: nothing(b, b.x), SHAPE[1])
        got = run("sign", mode, x)
        np.testing.assert_array_equal(got, x)
        assert not np.signbit(got[x == 0]).any(), f"{mode}: 0.0 + -0.0 is 0.0"
    said = compile_graph("given", "emulated_90", lambda b: b.MatMul(nothing(b, b.x), b.number(w)), 40, ["--weights=set"])
    assert "a run: 1 launches" not in said, "constants that are given when the library runs may be others"


if __name__ == "__main__":
    main()
    print("filled constants")
