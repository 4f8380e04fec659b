"""Products whose operands a kernel in front writes as the copy engine takes them, on the emulated device: odd strides, both
orders, batches, conversions, convolutions; and that the kernel is there."""
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case

random = np.random.default_rng(11)
ORDERS = ("nn", "nt", "tn", "tt")  # t: stored across


def values(dtype, *shape):
    return random.integers(-3, 4, shape).astype(dtype)  # sums are exact


def product(dtype, order, m, n, k, batch=0):
    x, w = values(dtype, *([batch] * bool(batch)), m, k), values(dtype, *([batch] * bool(batch)), k, n)
    exact = (x.astype(np.float64) @ w.astype(np.float64)).astype(dtype)
    turn = lambda a, turned: np.swapaxes(a, -1, -2).copy() if turned else a
    inputs = turn(x, order[0] == "t"), turn(w, order[1] == "t")
    b = "b, " if batch else ""
    dims = [f"affine_map<({b}i, j, k) -> ({b}{part}" for part in
            (("k, i" if order[0] == "t" else "i, k"), ("j, k" if order[1] == "t" else "k, j"), "i, j")]
    case = Case(f"{dtype.__name__} {order} {m}x{n}x{k} {batch}", *inputs)
    case.returns([case.op("contract", ["%x0", "%x1"], exact, maps="[" + ")>, ".join(dims) + ")>]", zero_pad="false",
                          origin='"matmul"')], exact)
    return case


def convolution(channels, filters, size, width):
    """A padded convolution of few channels, stored channels last: its patches are no boxes."""
    x, w = values(np.float16, 1, size, size, channels), values(np.float16, filters, width, width, channels)
    pad = width // 2
    padded = np.pad(x.astype(np.float64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    exact = np.zeros((1, size, size, filters))
    for r in range(width):
        for s in range(width):
            exact += padded[:, r:r + size, s:s + size] @ w[:, r, s].astype(np.float64).T
    exact = exact.astype(np.float16)
    dims = "affine_map<(n, p, q, k, r, s, c) -> "
    maps = f"[{dims}(n, p + r - {pad}, q + s - {pad}, c)>, {dims}(k, r, s, c)>, {dims}(n, p, q, k)>]"
    case = Case(f"convolution {channels} {filters} {size}", x, w)
    case.returns([case.op("contract", ["%x0", "%x1"], exact, maps=maps, zero_pad="true", origin='"conv"')], exact)
    return case


def cases():
    for order in ORDERS:
        yield product(np.float16, order, 516, 395, 2053), 2
    yield product(np.float16, "nn", 258, 203, 2053, batch=4), 2
    yield product(np.float32, "nn", 520, 392, 2053), 2
    yield product(np.float32, "tn", 1056, 544, 773), 1  # the other is read across
    yield convolution(5, 1536, 32, 15), 2


def run(case, staged, index):
    path, name = f"staged{index}.mlir", f"staged{index}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text())
    options = ["--target=nvgpu", "--device=emulated_90", "--explain"]
    if case.inputs[0].dtype == np.float32:
        options.append("--mm-conv-precision-mode=tf32")
    said = strata.strata(path, "--aot", "--aot-name", name, "-o", ".", *options)
    library, found = f"./lib{name}.so", sum(line.startswith("staged") for line in said.splitlines())
    got = gpu.Library(library).run(case.inputs)[0]
    wrong = np.argwhere(got.reshape(case.outputs[0].shape) != case.outputs[0])
    if case.inputs[0].dtype == np.float16 and "a run: 2 launches" not in said:
        print(f"{case.name}: expected one launch for what is staged and one for the product")
        return False
    if len(wrong) or found != staged:
        print(f"{case.name}: {found} operands staged, expected {staged}; {len(wrong)} wrong elements",
              f"the first at {wrong[0]}" if len(wrong) else "")
    os.remove(library)
    return len(wrong) == 0 and found == staged


def main():
    gpu.use_stand_in()
    return sum(not run(*case, i) for i, case in enumerate(strata.every(cases()))) != 0


if __name__ == "__main__":
    sys.exit(main())
