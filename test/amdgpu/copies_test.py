"""Products whose operands go past registers into LDS (gfx950's buffer loads with lds), as machine code executed
instruction by instruction and on the emulated device: tiles of every kind, operands contiguous along the reduction and across it, one
step and several, an odd and an even number of them. Right in every bit, nothing found, and in the code there are loads
to LDS. Where a tile hangs over an edge there are none of that operand, which comes through registers beside the other.

    python3 copies_test.py "f16 nt"         # cases by parts of their names
"""
import os
import re
import subprocess
import sys

import numpy as np

import gpu
import strata

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
import fragments_test as fragments  # noqa: E402

DEVICES = {"gfx950": {"STRATA_TEST_DRIVER_ARCH": "0x950"}, "emulated_950": {}}
LLVM = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
STEPS = (1, 2, 3, 4, 5)
KINDS = ("f16", "bf16", "s8", "e4m3")
# As those of fragments_test: what gfx950 takes by itself, small ones, and such whose steps several warps share.
TILES = [(128, 256, 2, 4, 1, 128), (128, 128, 2, 4, 1, 64), (64, 64, 2, 2, 1, 128), (64, 32, 2, 1, 1, 128),
         (32, 64, 1, 2, 1, 128), (64, 64, 2, 2, 2, 128), (32, 32, 1, 1, 4, 256)]


def cases():
    """Each tile with each type once, orders and numbers of steps in turn."""
    number = 0
    for tile in TILES:
        for kind in KINDS:
            order = ("nt", "nn", "tt", "tn")[number % 4]
            depth = STEPS[number % len(STEPS)] * (tile[5] // fragments.BYTES[kind])
            yield kind, order, tile, tile[0], 2 * tile[1], depth
            number += 1
    for order in ("nt", "nn", "tt", "tn"):  # one of the operands hangs over
        yield "f16", order, TILES[2], TILES[2][0], TILES[2][1] + 8, 192


def name_of(kind, order, tile, m, n, k):
    return f"{kind} {order} {m}x{n}x{k} {'x'.join(map(str, tile))}"


def instructions(library, device):
    listing = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", os.path.join(library, device + ".hsaco"))
    return len(re.findall(r"buffer_load_dwordx4 .* lds\b", listing)), listing.count("ds_write_b128")


def is_copied(order, tile):
    """Whether both operands certainly are: rows of a step lie in one span, and nothing is crossed."""
    return order == "nt" and tile[5] <= 128


def multiply(device, kind, order, m, n, k, line=""):
    """Compiles the product, by a line of a schedule if there is one, and runs it: right in every bit. The code is in
    "temps"."""
    case = fragments.product(device, kind, order, m, n, k)
    target = "nvgpu" if device.startswith("emulated") else "amdgpu"
    options = [f"--target={target}", f"--device={device}", "--save-temps=temps"]
    with open("product.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    if line:
        with open("product.schedule", "w", encoding="utf-8") as file:
            file.write(re.sub(r"emulated_\w+", device, line) + "\n")
        options.append("--schedule=product.schedule")
    path = strata.compile_library("product.mlir", ".", f"product_{kind}_{order}_{m}x{n}x{k}", options)[0]
    library = gpu.Library(path)
    expected = np.asarray(case.outputs[0])
    got = np.asarray(library.run(case.inputs)[0]).reshape(expected.shape).view(expected.dtype)
    library.unload()
    assert np.array_equal(got, expected), f"{(got != expected).sum()} of {got.size} are wrong"
    return target == "amdgpu"


def check(device, kind, order, tile, m, n, k):
    line = fragments.schedule("emulated_950", kind, tile, fragments.DEVICES["emulated_950"][1][kind])
    if multiply(device, kind, order, m, n, k, line):
        copies, stores = instructions("temps", device)
        hangs = n % tile[1] != 0
        assert copies > 0 or not is_copied(order, tile) or hangs, "no loads to LDS"
        assert not (copies and stores) or hangs or not is_copied(order, tile), "stores of operands beside loads to LDS"


def run(script, environments, found, name, check_case, most):
    """Draws |most| of the cases |found|, or takes those whose names have all words of the command line."""
    gpu.use_stand_in()
    if sys.argv[1:] and sys.argv[1] in environments:
        device, *words = sys.argv[1:]
        found = [case for case in found if all(word in name(*case) for word in words)]
        fragments.random = np.random.default_rng(int(os.environ["STRATA_SEED"]))
        chosen = found if words else strata.drawn(found, 6 if strata.SANITIZED else most)
        strata.report([(f"{device} {name(*case)}", lambda case=case: check_case(device, *case)) for case in chosen])
    os.environ["STRATA_SEED"] = str(strata.run_seed())  # of the processes
    return gpu.in_processes(script, environments)


if __name__ == "__main__":
    sys.exit(run(__file__, DEVICES, cases(), name_of, check, 12))
