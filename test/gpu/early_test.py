"""Constants before the wait: products of few rows that have the first steps of their weights copied before the kernels in
front have ended. On the emulated device, whose driver watches that no kernel writes what is read so."""
import os
import re
import sys

import numpy as np

import gpu
import strata
from onnx_file import FLOAT16, Graph

OPTIONS = ["--target=nvgpu", "--device=emulated_90"]
CASES = {"one": (1, 1032, 2056, False), "five": (5, 1096, 1032, False), "pair": (1, 1024, 1096, True),
         "pair_of_eight": (8, 1032, 1024, True)}  # rows, width, hidden, gated
FAULT = 99  # how a process ends in which the driver has found something
WAIT, WRITTEN = '"tile.launch_wait"', "writes memory that kernels read before they wait for it"


def shapes_of(case):
    """Of the weights."""
    _, width, hidden, is_gated = CASES[case]
    return [(width, hidden), (hidden, width), (width, hidden)][:3 if is_gated else 2]


def model(name, case, are_constants=True):
    """y = x + relu(x W0) W1, or x + (silu(x W0) * (x W2)) W1, with weights yet to be set, or given with x."""
    rows, width, _, is_gated = CASES[case]
    g = Graph(opset=18)
    x = g.input("x", FLOAT16, [rows, width])
    w = [g.constant(f"w{i}", np.zeros(shape, np.float16)) if are_constants else g.input(f"w{i}", FLOAT16, shape)
         for i, shape in enumerate(shapes_of(case))]
    h = g.node("MatMul", [x, w[0]])
    if is_gated:
        h = g.node("Mul", [g.node("Mul", [h, g.node("Sigmoid", [h])]), g.node("MatMul", [x, w[2]])])
    else:
        h = g.node("Relu", [h])
    g.node("Add", [x, g.node("MatMul", [h, w[1]])], ["y"])
    g.output("y", FLOAT16, [rows, width])
    return g.save(f"{name}.onnx")


def reference(x, weights):
    x, *weights = (value.astype(np.float64) for value in (x, *weights))
    h = x @ weights[0]
    h = h / (1 + np.exp(-h)) * (x @ weights[2]) if len(weights) > 2 else np.maximum(h, 0)
    return x + h @ weights[1]


def draw(random, case):
    return [(random.standard_normal(shape) * shape[0] ** -0.5).astype(np.float16) for shape in shapes_of(case)]


def level4(path):
    return strata.strata(path, *OPTIONS, "--weights=set", "--compile-to=gpu", "-o", "-")


def products(text):
    """The kernels with a producer: what it does before it waits, and the rest of their text."""
    bodies = re.split(r"\n    func\.func @", text)[1:]
    return [body.split(WAIT, 1) for body in bodies if '"tile.mma_async"' in body and WAIT in body]


def set_weights(library, weights):
    for i, value in enumerate(weights):
        library.check(library.description.set_constant(f"w{i}".encode(), value.ctypes.data, None))


def run_case(case):
    """New inputs, then new weights, for one library."""
    random = strata.generator_of(case)
    path = model(case, case)
    kernels = products(level4(path))
    assert len(kernels) == 2, f"{case}: {len(kernels)} products"
    for before, behind in kernels:
        assert '"tile.bulk_load"' in before and '"tile.bulk_load"' in behind, f"{case}: nothing comes before the wait"
    library = gpu.Library(strata.compile_library(path, ".", case, [*OPTIONS, "--weights=set"])[0])
    library.check(library.description.load(None, None))
    rows, width = CASES[case][:2]
    for _ in range(2):
        weights = draw(random, case)
        set_weights(library, weights)
        for _ in range(2):
            x = random.standard_normal((rows, width)).astype(np.float16)
            got, wanted = library.run([x])[0].astype(np.float64), reference(x, weights)
            error = np.linalg.norm(got - wanted) / np.linalg.norm(wanted)
            print(f"{case}: {error:.1e}")
            assert error < 1e-3, f"{case}: off by {error}"
    library.unload()


#===-- What must not be ------------------------------------------------------------------------------------------------


def move_wait(text):
    """Has the producers of the second product wait behind their loops, so that all of its operands come early."""
    bodies = re.split(r"(?=\n    func\.func @)", text)
    last = max(i for i, body in enumerate(bodies) if '"tile.mma_async"' in body)
    line = f"          {WAIT}() : () -> ()\n"
    before, behind = bodies[last].split(line, 1)
    at = behind.rindex("\n", 0, behind.index("} else {", behind.rindex('"tile.bulk_load"'))) + 1
    bodies[last] = before + behind[:at] + f"{WAIT}() : () -> ()\n" + behind[at:]
    return "".join(bodies)


def run_moved():
    """Two calls of the library whose second product does not wait for the first: the driver is to find out. The weights
    are inputs, which copies bring."""
    random = strata.generator_of("moved")
    library = gpu.Library(os.path.join("out", "libmoved.so"))
    for _ in range(2):
        library.run([random.standard_normal((1, CASES["one"][1])).astype(np.float16), *draw(random, "one")])


def check_moved():
    with open("moved.mlir", "w", encoding="utf-8") as file:
        file.write(move_wait(level4(model("moved", "one", are_constants=False))))
    strata.compile_library("moved.mlir", "out", "moved", [*OPTIONS, "--compile-from=gpu"])
    said = strata.run(sys.executable, __file__, "moved", status=FAULT)
    assert WRITTEN in said, said


def main():
    gpu.use_stand_in()
    for case in CASES:
        run_case(case)
    check_moved()


if __name__ == "__main__":
    if sys.argv[1:] == ["moved"]:
        run_moved()
    else:
        main()
