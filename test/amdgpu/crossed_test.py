"""Products whose operands lie across the reduction, which gfx950 reads from LDS crossed (ds_read_b64_tr_b16), as machine
code executed instruction by instruction and on the emulated device: f16 and bf16, either operand or both, tiles of every
kind, of sizes that hang over every edge, and of the compiler's own choice. Right in every bit, nothing found, and in the
code there are such reads, and none of single elements. No reads meet bank conflicts, by the emulated device's addresses
(STRATA_TEST_DRIVER_BANKS).

    python3 crossed_test.py "f16 nn"         # cases by parts of their names
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

DEVICES = {"gfx950": {"STRATA_TEST_DRIVER_ARCH": "0x950"}, "emulated_950": {"STRATA_TEST_DRIVER_BANKS": "1"}}
LLVM = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
KINDS, ORDERS = ("f16", "bf16"), ("nn", "tn", "tt")
# As those of fragments_test: rows and columns of 32, 64, 128 and 256 elements lie in LDS in different ways.
TILES = [(128, 256, 2, 4, 1, 128), (256, 128, 4, 2, 1, 128), (128, 128, 2, 2, 1, 64), (64, 64, 2, 2, 1, 128),
         (64, 32, 2, 1, 1, 128), (32, 64, 1, 2, 1, 128), (64, 64, 2, 2, 2, 128), (32, 32, 1, 1, 4, 256)]


def cases():
    for number, tile in enumerate(TILES):
        for kind in KINDS:
            for i, order in enumerate(ORDERS):
                depth = (1 + (number + i) % 4) * tile[5] // 2
                hangs = (number + i) % 2
                yield kind, order, tile, tile[0] + 24 * hangs, 2 * tile[1] - 8 * hangs, depth + 16 * hangs
    for kind in KINDS:
        for order in ORDERS:
            yield kind, order, None, 256, 256, 192
            yield kind, order, None, 131, 133, 77


def name_of(kind, order, tile, m, n, k):
    return f"{kind} {order} {m}x{n}x{k} {'x'.join(map(str, tile or ('chosen',)))}"


def check_code(folder, device, order, tile):
    listing = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", os.path.join(folder, device + ".hsaco"))
    crossed, elements = (len(re.findall(rf"\b{name}\b", listing)) for name in ("ds_read_b64_tr_b16", r"ds_read_u16\w*"))
    assert tile is None or crossed > 0, "no reads that cross"
    assert tile is None or elements == 0, f"{elements} reads of elements"
    along = len(re.findall(r"\bds_read_b128\b", listing))
    assert tile is None or order != "tn" or tile[4] > 1 or along == 0, f"{along} reads along the reduction"


def check(device, kind, order, tile, m, n, k):
    case = fragments.product(device, kind, order, m, n, k)
    target = "nvgpu" if device.startswith("emulated") else "amdgpu"
    with open("product.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    options = [f"--target={target}", f"--device={device}", "--save-temps=temps"]
    if tile:
        line = fragments.schedule("emulated_950", kind, tile, f"mfma.32x32x16.{kind}")
        with open("product.schedule", "w", encoding="utf-8") as file:
            file.write(line.replace("emulated_950", device) + "\n")
        options.append("--schedule=product.schedule")
    path = strata.compile_library("product.mlir", ".", f"product_{kind}_{order}_{m}x{n}x{k}", options)[0]
    library = gpu.Library(path)
    expected = np.asarray(case.outputs[0])
    got = np.asarray(library.run(case.inputs)[0]).reshape(expected.shape).view(expected.dtype)
    library.unload()
    assert np.array_equal(got, expected), f"{(got != expected).sum()} of {got.size} are wrong"
    if target == "amdgpu":
        check_code("temps", device, order, tile)


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if sys.argv[1:] and sys.argv[1] in DEVICES:
        device, *words = sys.argv[1:]
        found = [case for case in cases() if all(word in name_of(*case) for word in words)]
        fragments.random = np.random.default_rng(int(os.environ["STRATA_SEED"]))
        chosen = found if words else strata.drawn(found, 6 if strata.SANITIZED else 16)
        strata.report([(f"{device} {name_of(*case)}", lambda case=case: check(device, *case)) for case in chosen])
    os.environ.setdefault("STRATA_SEED", str(np.random.SeedSequence().entropy % (1 << 32)))
    failed = [device for device, environment in DEVICES.items()
              if subprocess.run([sys.executable, os.path.abspath(__file__), device, *sys.argv[1:]],
                                env={**os.environ, **environment}, check=False).returncode]
    return f"failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
