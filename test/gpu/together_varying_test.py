"""Products of one launch, or one alone, whose number of rows, or of images, varies, on the emulated device: each of the
launch's variants is right at its borders, beside them and at sizes drawn anew."""
import os
import re
import sys

import numpy as np

import gpu
import strata
from together_test import Graph

MARK = 1013  # the number in a graph's shapes that varies


def symbolic(text, most, likely):
    """The graph where that number is a symbol."""
    def tensor(match):
        dims = match[1][:-1].split("x")
        if str(MARK) not in dims:
            return match[0]
        shape = "".join(("?" if dim == str(MARK) else dim) + "x" for dim in dims)
        sizes = ", ".join("s0" if dim == str(MARK) else dim for dim in dims)
        return f"tensor<{shape}{match[2]}, affine_map<()[s0] -> ({sizes})>>"

    head, body = re.sub(r"tensor<((?:\d+x)+)(\w+)>", tensor, text).split(" {\n", 1)
    return (f'{head} attributes {{strata.symbols = [{{name = "n", min = 1, max = {most}, multiple = 1, '
            f'likely = {likely}}}]}} {{\n{body}')


def given(g, *shape):
    image = np.random.default_rng(shape).integers(-3, 4, shape).astype(np.float16)  # sums are exact
    return g.input(image), image


def readers(n):
    """Of one value, with two ends, one of them much code."""
    g = Graph("readers")
    x = given(g, n, 136)
    g.returns(g.product(n, 72, 136, "nt", left=x), g.product(n, 328, 136, "nn", "floor", left=x))
    return g.done()


def twins(n):
    """Three calls of one kernel, whose code all share, and another product."""
    g = Graph("twins")
    x = given(g, n, 200)
    for _ in range(3):
        g.returns(g.product(n, 72, 200, "nn", "floor", left=x))
    g.returns(g.product(n, 136, 200, "nn", "residual", left=x))
    return g.done()


def strangers(n):
    """Small products that share nothing, of which one has no operand in bulk: a ring and blocks of its own."""
    g = Graph("strangers")
    g.returns(g.product(n, 264, 264), g.product(n, 200, 261), g.product(n, 136, 136, "nt", "bias"))
    return g.done()


def odd(n):
    """None comes in bulk."""
    g = Graph("odd")
    g.returns(g.product(n, 264, 257), g.product(n, 75, 261), g.product(n, 133, 129, "nt", "bias"))
    return g.done()


def shortcut(n):
    """Convolutions of every pixel of some images and of every fourth: the numbers of rows are four to one."""
    g = Graph("shortcut")
    x = given(g, n, 6, 10, 128)
    for filters, step in ((72, 1), (264, 2)):
        w = np.random.default_rng(step).integers(-3, 4, (filters, 128)).astype(np.float16)
        out = (x[1][:, ::step, ::step].astype(np.float64) @ w.T.astype(np.float64)).astype(np.float16)
        place = f"{step} * " if step > 1 else ""
        maps = (f"affine_map<(n, y, x, k, c) -> (n, {place}y, {place}x, c)>, affine_map<(n, y, x, k, c) -> (k, c)>, "
                "affine_map<(n, y, x, k, c) -> (n, y, x, k)>")
        name = g.case.op("contract", [x[0], g.input(w)], out, maps=f"[{maps}]", zero_pad="false", origin='"conv"')
        g.returns((name, out))
    return g.done()


def at_once(n):
    """Of one, all of whose tiles have a block each whatever the rows are."""
    g = Graph("at_once")
    g.returns(g.product(n, 520, 136, "nn", "bias"))
    return g.done()


def in_parts(n):
    """Few columns of a long reduction, which blocks share."""
    g = Graph("in_parts")
    g.returns(g.product(n, 136, 1032, "nt"))
    return g.done()


# What makes a graph, the most that varies and what is likely, and how many calls its launch has.
GRAPHS = [(readers, 2000, [70, 600], 2), (twins, 2000, [70, 600], 4), (strangers, 300, [90], 3), (odd, 300, [90], 3),
          (shortcut, 60, [2, 8], 2), (at_once, 100, [40], 1), (in_parts, 70, [20], 1)]


def sizes_of(told, most, likely, generator):
    """Where variants begin and end, beside that, and others."""
    borders = {1, most, *likely, *generator.integers(1, most, 4).tolist()}
    for scale, n in re.findall(r"(?:(\d+) \* )?n [<>]= (-?\d+)", told):
        borders.add(abs(int(n)) // int(scale or 1))
    return sorted({n + more for n in borders for more in (-1, 0, 1) if 1 <= n + more <= most})


def check(number, make, most, likely, n_calls, generator):
    name = f"varying{number}"
    path = strata.write(f"{name}.mlir", symbolic(make(MARK).text(), most, likely))
    told = strata.run(os.path.join(strata.BIN, "strata"), path, "--target=nvgpu", "--device=emulated_90", "--explain",
                      "--aot", f"--aot-name={name}", "-o", ".")
    library = gpu.Library(f"lib{name}.so")
    names = [library.description.kernels[i].contents.name.decode() for i in range(library.description.n_kernels)]
    assert len(library.launches) == 1 and (n_calls == 1 or f"{n_calls} calls share a launch" in told), (name, told)
    assert any(re.fullmatch(r"k\d+(_k\d+)+_v1" if n_calls > 1 else r"k\d+_v1", each) for each in names), (name, names)
    for n in sizes_of(told, most, likely, generator):
        case = make(n)
        got = library.run(case.inputs, (n,))
        wrong = [i for i, (value, out) in enumerate(zip(got, case.outputs)) if (value.reshape(out.shape) != out).any()]
        assert not wrong, (name, n, wrong)
    library.unload()


def main():
    gpu.use_stand_in()
    for number, graph in strata.every(enumerate(GRAPHS)):
        check(number, *graph, strata.generator_of(graph[0].__name__))


if __name__ == "__main__":
    sys.exit(main())
