"""Products that share a launch, on the emulated device: in bulk and through registers, with fewer blocks than tasks."""
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case
from products_test import NN, NT, schedule, values

TILES = [(128, 96, 2, 0, 2), (64, 128, 1, 0, 5), (128, 128, 2, 0, 3), (16, 64, 1, 1, 4)]


def product(case, x, w, operands):
    out = (operands[0].astype(np.float64) @ operands[1].astype(np.float64)).astype(np.float16)
    return case.op("contract", [x, w], out, maps=f"[{NN}]", zero_pad="false", origin='"matmul"'), out


def parallel(name, rows, depth, columns):
    """Three products of one value, and one of another."""
    x, p = values(np.float16, rows, depth), values(np.float16, rows, depth)
    weights = [values(np.float16, depth, columns) for _ in range(3)]
    case = Case(name, x, p, *weights)
    results = [product(case, "%x0", f"%x{2 + i}", (x, weights[i])) for i in range(3)]
    results.append(product(case, "%x1", "%x2", (p, weights[0])))
    case.returns([value for value, _ in results], *[out for _, out in results])
    return case


def unlike(name, x, weights):
    """Products of one value with weights of other sizes, the third of which lie the other way round."""
    case = Case(name, x, *weights)
    results = [product(case, "%x0", f"%x{1 + i}", (x, w)) for i, w in enumerate(weights[:2])]
    out = (x.astype(np.float64) @ weights[2].T.astype(np.float64)).astype(np.float16)
    results.append((case.op("contract", ["%x0", "%x3"], out, maps=f"[{NT}]", zero_pad="false", origin='"matmul"'), out))
    case.returns([value for value, _ in results], *[out for _, out in results])
    return case


def cases():
    x = values(np.float16, 200, 136)
    weights = [values(np.float16, 136, 328), values(np.float16, 136, 72), values(np.float16, 96, 136)]
    for tile in TILES[1:3]:
        yield unlike(f"unlike {tile}", x, weights), schedule("f16", (200, 328), *tile)
    for tile in TILES:
        yield parallel(f"aligned {tile}", 200, 136, 328), schedule("f16", (200, 328), *tile)
        yield parallel(f"odd {tile}", 133, 75, 205), schedule("f16", (133, 205), *tile)


def run(case, line, index):
    library = gpu.compile_case(case, f"parallel{index}", line)
    got = gpu.Library(library).run(case.inputs)
    failed = [i for i, (value, out) in enumerate(zip(got, case.outputs)) if (value.reshape(out.shape) != out).any()]
    if failed:
        print(f"{case.name}: results {failed} are wrong")
    os.remove(library)
    return not failed


def main():
    gpu.use_stand_in()
    return sum(not run(*case, i) for i, case in enumerate(strata.every(cases()))) != 0


if __name__ == "__main__":
    sys.exit(main())
