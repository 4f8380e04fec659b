"""A Cast to a narrower float rounds, in every mode and wherever its value goes: back to f32, into an operator of 16 bits,
a sum, a maximum or a product, alone or in one kernel with what is before and behind it."""
import numpy as np

import gpu
import strata
from onnx_file import FLOAT, FLOAT16, Graph

BFLOAT16, FLOAT8, FLOAT8_FNUZ = 16, 17, 18
MODES = {"cpu": [], "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
         "apart": ["--polyblocks-disable-affine-fusion"], "emulated": ["--target=nvgpu", "--device=emulated"],
         "emulated_90": ["--target=nvgpu", "--device=emulated_90"]}


def to_f16(x):
    return x.astype(np.float16).astype(np.float32)


def to_bf16(x):
    return strata.from_bf16(strata.to_bf16(x))


def to_f8(x):
    """float8_e4m3fn: three bits of fraction, the least of 2^-9, saturated at 448."""
    exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(x), 1e-30))), -6)
    step = np.exp2(exponent - 3)
    return np.clip(np.round(x / step) * step, -448, 448).astype(np.float32)


def to_f8_fnuz(x):
    """float8_e4m3fnuz: the same with one more in the bias: the least of 2^-10, saturated at 240."""
    exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(x), 1e-30))), -7)
    step = np.exp2(exponent - 3)
    return np.clip(np.round(x / step) * step, -240, 240).astype(np.float32)


TYPES = {FLOAT16: to_f16, BFLOAT16: to_bf16, FLOAT8: to_f8, FLOAT8_FNUZ: to_f8_fnuz}
SHAPE = (3, 5, 37)


def pair(g, x, kind):
    return g.node("Cast", [g.node("Cast", [x], to=kind)], to=FLOAT)


def between(g, x, kind):
    y = pair(g, g.node("Mul", [x, x]), kind)
    return g.node("Add", [y, x]), SHAPE


def added(g, x, kind):
    y = pair(g, g.node("Mul", [x, x]), kind)
    return g.node("ReduceSum", [y, g.constant("axes", np.array([2]))], keepdims=0), SHAPE[:2]


def greatest(g, x, kind):
    y = pair(g, g.node("Mul", [x, x]), kind)
    return g.node("ReduceMax", [y, g.constant("axes", np.array([2]))], keepdims=0), SHAPE[:2]


def multiplied(g, x, kind):
    y = pair(g, g.node("Mul", [x, x]), kind)
    return g.node("MatMul", [y, g.constant("one", np.eye(37, 8, dtype=np.float32))]), (3, 5, 8)


def moved(g, x, kind):
    """Through another order of dims, and twice."""
    y = g.node("Transpose", [g.node("Cast", [g.node("Mul", [x, x])], to=kind)], perm=[2, 0, 1])
    return pair(g, g.node("Add", [g.node("Cast", [y], to=FLOAT), g.constant("half", np.float32(0.37))]), kind), (37, 3, 5)


# form: what it gives of x, rounded by r
FORMS = {between: lambda x, r: r(x * x) + x, added: lambda x, r: r(x * x).sum(2, dtype=np.float64),
         greatest: lambda x, r: r(x * x).max(2), multiplied: lambda x, r: r(x * x)[..., :8],
         moved: lambda x, r: r(r(x * x).transpose(2, 0, 1) + np.float32(0.37))}


def run(form, kind, mode):
    graph = Graph(opset=20)
    y, shape = form(graph, graph.input("x", FLOAT, SHAPE), kind)
    graph.output(y, FLOAT, shape)
    options = MODES[mode] + (["--mm-conv-precision-mode=fp32"] if form is multiplied else [])
    path, _ = strata.compile_library(graph.save(f"{form.__name__}.onnx"), ".", f"{form.__name__}_{kind}_{mode}", options)
    library = gpu.Library(path) if mode.startswith("emulated") else strata.Library(path)
    x = (np.random.default_rng(kind).standard_normal(SHAPE) * 3).astype(np.float32)
    got, want = library.run([x])[0], FORMS[form](x, TYPES[kind])
    tolerance = 3e-6 * np.abs(want).max() if form is added else 1e-6 * np.abs(want)  # a sum's own order
    assert np.all(np.abs(got - want) <= tolerance), f"off by {np.max(np.abs(got - want))} of {np.max(np.abs(want))}"


def run_operator(mode):
    """The operand of an operator of f16 is rounded; its result may stay in f32 up to the Cast back (conformance.md)."""
    graph = Graph(opset=20)
    narrow = graph.node("Cast", [graph.node("Mul", [graph.input("x", FLOAT, SHAPE), graph.constant("k", np.float32(1.01))])],
                        to=FLOAT16)
    graph.output(graph.node("Cast", [graph.node("Sub", [narrow, graph.constant("c", np.float16(1))])], to=FLOAT), FLOAT, SHAPE)
    path, _ = strata.compile_library(graph.save("operator.onnx"), ".", f"operator_{mode}", MODES[mode])
    library = gpu.Library(path) if mode.startswith("emulated") else strata.Library(path)
    x = 1 + np.random.default_rng(0).standard_normal(SHAPE).astype(np.float32) * np.float32(0.001)
    exact = to_f16(x * np.float32(1.01)) - 1  # exact in f16, too, where the operand is rounded
    assert np.array_equal(library.run([x])[0], exact)


def main():
    gpu.use_stand_in()
    strata.report([(f"{form.__name__} {kind} {mode}", lambda case=(form, kind, mode): run(*case))
                   for form in FORMS for kind in TYPES for mode in MODES] +
                  [(f"operator {mode}", lambda mode=mode: run_operator(mode)) for mode in MODES])


if __name__ == "__main__":
    main()
