"""Einsum of random equations against f64: letters that one operand has twice or more, sums, orders, ellipses, of sizes
that are known and sizes that vary. And the equations that no operand fits."""
import random

import numpy as np

import strata
from onnx_file import FLOAT, Graph

SIZES = (1, 2, 3, 5, 7, 0)
EQUATIONS = 40  # a graph


def random_equation(rng, letters):
    terms = ["".join(rng.choice(letters) for _ in range(rng.randint(0, 4))) for _ in range(rng.choice((1, 1, 2, 3)))]
    used = sorted(set("".join(terms)))
    result = "->" + "".join(rng.sample(used, rng.randint(0, len(used)))) if rng.random() < 0.8 else ""
    return ",".join(terms) + result


def result_letters(equation):
    terms, arrow, result = equation.partition("->")
    return result if arrow else "".join(c for c in sorted(set(terms) - {","}) if terms.count(c) == 1)


def random_graph(seed, varying):
    """Equations over the same letters; |varying| are the letters whose sizes are symbols."""
    rng = random.Random(seed)
    size = {letter: rng.choice(SIZES[:5] if letter != "e" else SIZES) for letter in "azQie"}
    graph, inputs, wanted = Graph(opset=20), [], []
    dims = lambda letters: [f"n{c}" if c in varying else size[c] for c in letters]
    while len(wanted) < EQUATIONS:
        equation = random_equation(rng, "azQie")
        names = []
        for term in equation.partition("->")[0].split(","):
            value = np.random.default_rng(len(inputs)).standard_normal([size[c] for c in term]).astype(np.float32)
            names.append(graph.input(f"x{len(inputs)}", FLOAT, dims(term)))
            inputs.append(value)
        y = graph.node("Einsum", names, equation=equation)
        graph.output(y, FLOAT, dims(result_letters(equation)))
        wanted.append((equation, inputs[-len(names):]))
    return graph, inputs, wanted


def check(name, seed, varying):
    graph, inputs, wanted = random_graph(seed, varying)
    path, _ = strata.compile_library(graph.save(f"{name}.onnx"), ".", name, ["--opt-level=1"])
    library = strata.Library(path)
    results = library.run(inputs, library.sizes_of([value.shape for value in inputs]))
    for (equation, operands), result in zip(wanted, results, strict=True):
        exact = np.einsum(equation, *[value.astype(np.float64) for value in operands])
        most = np.einsum(equation, *[np.abs(value.astype(np.float64)) for value in operands])
        assert result.shape == exact.shape, f"{equation}: {result.shape}, expected {exact.shape}"
        assert np.all(np.abs(result - exact) <= 1e-5 * most + 1e-30), f"{equation} of {[v.shape for v in operands]}"
    library.close()


def check_diagonal_with_infinity():
    """What lies beside the diagonal does not count."""
    for name, dims in (("known", (2, 3, 3)), ("varying", ("b", "n", "n")), ("open", ("b", "n", "m"))):
        graph = Graph(opset=20)
        y = graph.node("Einsum", [graph.input("x", FLOAT, dims)], equation="azz->az")
        graph.output(y, FLOAT, dims[:2])
        path, _ = strata.compile_library(graph.save(f"diagonal_{name}.onnx"), ".", f"diagonal_{name}")
        x = np.full((2, 3, 3), np.inf, np.float32)
        for i in range(3):
            x[:, i, i] = [i, -i]
        library = strata.Library(path)
        got = library.run([x], library.sizes_of([x.shape]))[0]
        assert np.array_equal(got, np.einsum("azz->az", x)), f"{name}: {got}"
        library.close()


def check_refused(equation, shapes, message):
    graph = Graph(opset=20)
    y = graph.node("Einsum", [graph.input(f"x{i}", FLOAT, shape) for i, shape in enumerate(shapes)], equation=equation)
    graph.output(y, FLOAT, ["r"])
    try:
        strata.strata(graph.save("refused.onnx"), "--compile-to=import")
    except strata.CompileError as error:
        assert message in str(error), str(error)
    else:
        raise AssertionError(f"{equation} of {shapes}: no error")


REFUSED = [("azz->az", [(3, 1, 4)], "of sizes 1 and 4"), ("azz->az", [(3, 4, 1)], "of sizes 4 and 1"),
           ("azz,zz->az", [(3, 4, 4), (1, 4)], "of sizes 1 and 4"), ("azz->az", [(3, 4)], "operand 0 has 2 dimensions"),
           ("azz->azz", [(3, 4, 4)], "twice in the result"), ("azz->ay", [(3, 4, 4)], "in no operand"),
           ("azz->az", [(3, 4, 5)], "has sizes 4 and 5")]


def main():
    strata.report([(f"known {seed}", lambda seed=seed: check(f"known{seed}", seed, "")) for seed in (1, 2)] +
                  [(f"varying {seed}", lambda seed=seed: check(f"varying{seed}", seed, "azi")) for seed in (3, 4)] +
                  [("infinity", check_diagonal_with_infinity)] +
                  [(f"refused {row[0]} {row[1]}", lambda row=row: check_refused(*row)) for row in REFUSED])


if __name__ == "__main__":
    main()
