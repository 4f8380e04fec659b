"""Products whose tiles threads stage, in one launch though their tiles and blocks are not alike, on emulated devices with
and without matrix instructions: sizes, orders in memory, epilogues and types are those of together_test.py."""
import os
import random
import sys

import numpy as np

import gpu
import strata
import together_test as together


# Of the last ones several tiles of the smaller do not fit a block of the larger.
SEEDS = (1, 3, 5, 7, 6, 8, 30, 34, 50)


def schedule(device, tile, warps, threads, mma=""):
    """A line for the first product."""
    text = f'mma = "{mma}", slots = 2 : i64, ' if mma else ""
    return (f'schedule k0 {device} {{group = {threads} : i64, kind = "contract", {text}threads = {threads} : i64, '
            f'tile = array<i64: {tile[0]}, {tile[1]}, {tile[2]}>, warps = array<i64: {warps[0]}, {warps[1]}>}}')


def mixture(seed):
    """Some products of one value and some of their own, of any sizes, orders and epilogues."""
    choice = random.Random(seed)
    g = together.Graph(f"mixture {seed}")
    rows, steps = choice.randint(1, 200), choice.choice([8, 16, 33, 64, 72, 128, 200, 257])
    image = together.values(np.float16, rows, steps)
    x = g.input(image), image
    for _ in range(choice.randint(2, 9)):
        order, end = choice.choice(["nn", "nt"]), choice.choice(["", "bias", "residual", "wide", "floor"])
        m, n, k = choice.randint(1, 200), choice.randint(1, 200), choice.randint(1, 300)
        shares = choice.random() < 0.5
        g.returns(g.product(rows, n, steps, order, end, left=x) if shares else g.product(m, n, k, order, end))
    return g.done()


def cases():
    """Each with its device, the launches it has, and the schedule of its first product; empty: the model's."""
    for device in ("emulated_fma", "emulated"):
        for n in (2, 5, 8):
            yield together.experts(n), device, 1, ""
        yield together.epilogues(), device, 1, ""
        yield together.chains(), device, 2, ""
        # Of their own tiles eight slots of several are more than a block has room for: all are given others.
        yield together.odd_between(), device, 1, ""
        yield together.shortcut(), device, 1, ""
    for tile, warps, threads in (((32, 32, 8), (2, 1), 64), ((64, 64, 8), (2, 2), 128), ((128, 64, 8), (4, 2), 256)):
        yield together.experts(8), "emulated_fma", 1, schedule("emulated_fma", tile, warps, threads)
        yield together.epilogues(), "emulated_fma", 1, schedule("emulated_fma", tile, warps, threads)
    for tile, warps, threads in (((32, 32, 64), (1, 1), 32), ((128, 128, 32), (2, 2), 128)):
        yield together.epilogues(), "emulated", None, schedule("emulated", tile, warps, threads, "m16n8k16.f16")
    yield together.types(), "emulated_fma", None, ""
    for seed in SEEDS:
        yield mixture(seed), "emulated_fma" if seed % 2 else "emulated", None, ""


def run(case, device, n_launches, line, name):
    path = gpu.compile_case(case, name, line, device=device)
    library = gpu.Library(path)
    got = library.run(case.inputs)
    failed = [i for i, (value, out) in enumerate(zip(got, case.outputs)) if (value.reshape(out.shape) != out).any()]
    if failed:
        print(f"{case.name} {device} {line}: results {failed} are wrong")
    if n_launches and len(library.launches) != n_launches:
        print(f"{case.name} {device} {line}: {len(library.launches)} launches, expected {n_launches}")
        failed.append(name)
    os.remove(path)
    return not failed


def main():
    gpu.use_stand_in()
    return sum(not run(*case, f"together_tiled{i}") for i, case in enumerate(strata.every(cases()))) != 0


if __name__ == "__main__":
    sys.exit(main())
