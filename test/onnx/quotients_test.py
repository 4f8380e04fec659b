"""Quotients that decide something are exact in every mode: whole numbers come out whole, whoever shares the divisor, and
those of f16 are right for the smallest divisors. Each graph has two quotients by one divisor, and it is also a constant."""
import numpy as np

import gpu
import onnx_file
import strata
from onnx_file import BOOL, FLOAT, FLOAT16, INT32

MODES = {"cpu": [], "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
         "nvgpu": ["--target=nvgpu", "--device=emulated"]}
SIZE = 401


def floor(g, q):
    return g.node("Floor", [q])


def mod(x, y):
    return np.fmod(x, y)


# name: element type of the result, what is made of a quotient, and what that means
DECISIONS = {
    "floor": (FLOAT, floor, np.floor),
    "ceil": (FLOAT, lambda g, q: g.node("Ceil", [q]), np.ceil),
    "round": (FLOAT, lambda g, q: g.node("Round", [q]), np.rint),
    "cast": (INT32, lambda g, q: g.node("Cast", [q], to=INT32), lambda q: q.astype(np.int32)),
    "compare": (BOOL, lambda g, q: g.node("Equal", [q, g.node("Floor", [q])]), lambda q: q == np.floor(q)),
    "less": (BOOL, lambda g, q: g.node("Less", [q, "seven"]), lambda q: q < 7),
    "mod": (FLOAT, lambda g, q: g.node("Mod", [q, "one"], fmod=1), lambda q: np.fmod(q, np.float32(1))),
    "through_views": (FLOAT, lambda g, q: floor(g, g.node("Transpose", [g.node("Unsqueeze", [q, "axes"])])),
                      lambda q: np.floor(q)[:, None]),
    "through_clip": (FLOAT, lambda g, q: floor(g, g.node("Clip", [q, "one", "seven"])),
                     lambda q: np.floor(np.clip(q, 1, 7))),
    "through_sum": (FLOAT, lambda g, q: floor(g, g.node("Add", [g.node("Neg", [q]), "seven"])),
                    lambda q: np.floor(-q + np.float32(7))),
    "through_scale": (FLOAT, lambda g, q: floor(g, g.node("Mul", [q, "seven"])), lambda q: np.floor(q * np.float32(7))),
    "through_choice": (FLOAT, lambda g, q: floor(g, g.node("Where", ["truth", q, "one"])), np.floor),
    "through_concat": (FLOAT, lambda g, q: floor(g, g.node("Concat", [q, q], axis=0)),
                       lambda q: np.floor(np.concatenate([q, q]))),
}


def quotients_graph(name):
    result, decide, meaning = DECISIONS[name]
    g = onnx_file.Graph(opset=13)
    a, b, d, s = (g.input(x, FLOAT, shape) for x, shape in (("a", [SIZE]), ("b", [SIZE]), ("d", [SIZE]), ("s", [1])))
    for constant, value in (("one", 1), ("seven", 7), ("c", 49)):
        g.constant(constant, np.array(value, np.float32))
    g.constant("axes", np.array([0]))
    g.constant("truth", np.array(True))
    shape = meaning(np.zeros(SIZE, np.float32)).shape
    for dividend, divisor in ((a, d), (b, d), (a, s), (b, s), (a, "c")):
        g.output(decide(g, g.node("Div", [dividend, divisor])), result, shape)
    g.save(f"{name}.onnx")


def run(name, mode, inputs):
    path, _ = strata.compile_library(f"{name}.onnx", ".", f"{name}_{mode}", MODES[mode])
    return (gpu.Library if mode == "nvgpu" else strata.Library)(path).run(inputs)


def check_decisions(name):
    meaning = DECISIONS[name][2]
    quotients_graph(name)
    n = np.arange(1, SIZE + 1, dtype=np.float32)
    a, b, d, s = n * 3, n * 7, n, np.array([49], np.float32)  # whole quotients by d; some by 49
    expected = [meaning(q) for q in (a / d, b / d, a / s, b / s, a / np.float32(49))]
    for mode in MODES:
        for got, right in zip(run(name, mode, [a, b, d, s]), expected):
            np.testing.assert_array_equal(got, right, f"{name}, {mode}")


def check_half():
    """The smallest f16 as a divisor that two quotients share, and a decision on a quotient that f16 rounds up to 3."""
    g = onnx_file.Graph(opset=13)
    a, b, d, e = (g.input(name, FLOAT16, [SIZE]) for name in "abde")
    wide = [g.node("Cast", [x], to=FLOAT) for x in (a, b, d)]
    for dividend in (a, b):
        g.output(g.node("Div", [dividend, d]), FLOAT16, [SIZE])
        g.output(floor(g, g.node("Div", [dividend, e])), FLOAT16, [SIZE])
    for dividend in wide[:2]:
        g.output(g.node("Cast", [g.node("Div", [dividend, wide[2]])], to=FLOAT16), FLOAT16, [SIZE])
    g.save("half.onnx")
    n = np.arange(1, SIZE + 1)
    a, b, e = (n * 3 - 1 / 1024).astype(np.float16), (n * 7).astype(np.float16), n.astype(np.float16)
    d = np.resize(np.float16([6e-8, 1e-6, 1.4e-5, 3e-5, -6e-8]), SIZE)
    a, b = a * np.float16(2**-10), b * np.float16(2**-12)
    e = e * np.float16(2**-10)
    plain = [x.astype(np.float32) / d.astype(np.float32) for x in (a, b)]
    decided = [np.floor((x.astype(np.float32) / e.astype(np.float32)).astype(np.float16)) for x in (a, b)]
    with np.errstate(over="ignore"):
        plain = [q.astype(np.float16) for q in plain]
    for mode in MODES:
        got = run("half", mode, [a, b, d, e])
        for result, right in zip(got, (plain[0], decided[0], plain[1], decided[1], *plain)):
            np.testing.assert_allclose(result.astype(np.float64), right.astype(np.float64), rtol=2e-3, atol=1e-7,
                                       err_msg=f"half, {mode}")
        for result, right in zip(got[1:4:2], decided):
            np.testing.assert_array_equal(result, right, f"half, {mode}")


if __name__ == "__main__":
    gpu.use_stand_in()
    for decision in DECISIONS:
        check_decisions(decision)
    check_half()
    print(f"{len(DECISIONS)} decisions")
