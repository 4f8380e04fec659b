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

DEVICES = {"gfx950": "0x950", "emulated_950": ""}
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


def check(device, kind, order, tile, m, n, k):
    case = fragments.product(device, kind, order, m, n, k)
    instruction = fragments.DEVICES["emulated_950"][1][kind]
    line = fragments.schedule("emulated_950", kind, tile, instruction).replace("emulated_950", device)
    target = "nvgpu" if device.startswith("emulated") else "amdgpu"
    with open("product.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    with open("product.schedule", "w", encoding="utf-8") as file:
        file.write(line + "\n")
    path = strata.compile_library("product.mlir", ".", f"product_{kind}_{order}_{m}x{n}x{k}",
                                  [f"--target={target}", f"--device={device}", "--schedule=product.schedule",
                                   "--save-temps=temps"])[0]
    library = gpu.Library(path)
    expected = np.asarray(case.outputs[0])
    got = np.asarray(library.run(case.inputs)[0]).reshape(expected.shape).view(expected.dtype)
    library.unload()
    assert np.array_equal(got, expected), f"{(got != expected).sum()} of {got.size} are wrong"
    if target == "amdgpu":
        copies, stores = instructions("temps", device)
        hangs = n % tile[1] != 0
        assert copies > 0 or not is_copied(order, tile) or hangs, "no loads to LDS"
        assert not (copies and stores) or hangs or not is_copied(order, tile), "stores of operands beside loads to LDS"


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if sys.argv[1:] and sys.argv[1] in DEVICES:
        device, *words = sys.argv[1:]
        found = [case for case in cases() if all(word in name_of(*case) for word in words)]
        fragments.random = np.random.default_rng(int(os.environ["STRATA_SEED"]))
        chosen = found if words else strata.drawn(found, 6 if strata.SANITIZED else 12)
        strata.report([(f"{device} {name_of(*case)}", lambda case=case: check(device, *case)) for case in chosen])
    os.environ.setdefault("STRATA_SEED", str(np.random.SeedSequence().entropy % (1 << 32)))
    failed = []
    for device, arch in DEVICES.items():
        environment = {**os.environ, **({"STRATA_TEST_DRIVER_ARCH": arch} if arch else {})}
        if subprocess.run([sys.executable, os.path.abspath(__file__), device, *sys.argv[1:]], env=environment,
                          check=False).returncode:
            failed.append(device)
    return f"failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
