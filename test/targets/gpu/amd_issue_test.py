"""The loop of 4096 x 4096 x 4096 in f16 and bf16 on AMD's chips, and on gfx950 of operands in any order, counted in the machine code as
tools/bench/gpu/issue.py does: one wave by itself has at least 80 percent of the matrix instructions' rate, by LLVM's
scheduling model, and nothing else that a compute unit has to do takes longer than these."""
import os
import re
import sys
import tempfile

import strata

sys.path[:0] = [os.path.join(strata.SOURCE, "tools", "bench", "gpu")]

import issue

SIZE, LEAST = 4096, 0.8
# Of an iteration, two steps: no address is computed but those of loads, and no fragment or sum is copied.
MOST_VECTOR = 3


def check_itself():
    """The count is right for loops known by hand: four matrix instructions, and the same with a load waited for."""
    chip = issue.CHIPS[64]
    product = "v_mfma_f32_16x16x16_f16 v[{0}:{1}], v[64:65], v[66:67], v[{0}:{1}]"
    loop = [product.format(4 * i, 4 * i + 3) for i in range(4)]
    assert issue.cycles_of_product(loop[0], chip) == 16
    busy = issue.cycles_alone(loop, "gfx942", chip)
    assert 64 <= busy < 72, busy
    waiting = [*loop, "global_load_dwordx4 v[64:67], v[70:71], off", "s_waitcnt vmcnt(0)"]
    assert issue.cycles_alone(waiting, "gfx942", chip) > 2 * busy
    far = [(0, "s_nop 0"), (4, loop[0]), (12, "s_cbranch_scc1 65532"), (16, "s_endpgm")]
    assert issue.loop_of(far) == [text for _, text in far[:3]], issue.loop_of(far)
    assert issue.bytes_of("ds_read_b128 v[0:3], v4") == issue.bytes_of("global_load_dwordx4 v[0:3], v[4:5], off") == 16


def check_order(loop, name):
    """Reads of LDS and loads lie between products: nowhere more than a few of them behind one another."""
    kinds = [kind for kind in map(issue.kind_of, loop) if kind in ("matrix", "LDS reads", "LDS writes", "loads")]
    most = max(len(run) for run in re.findall("m*", "".join("." if kind == "matrix" else "m" for kind in kinds)))
    assert most <= 4, f"{name}: {most} accesses behind one another"


def check(device, kind, layout="nt"):
    name = f"{device} {kind} {layout}"
    with tempfile.TemporaryDirectory() as folder:
        c = issue.count(device, issue.product(SIZE, kind, layout), folder)
        check_order(issue.loop_of(issue.instructions_of(os.path.join(folder, device + ".hsaco"))), name)
    print(f"{name}: {c.kinds['matrix']} {c.product}, {100 * c.rate:.0f} % alone", flush=True)
    assert c.rate >= LEAST, f"{name}: {c.alone} cycles alone"
    assert c.lds <= c.matrix and c.memory <= c.matrix, f"{name}: LDS {c.lds}, memory {c.memory} of {c.matrix} cycles"
    assert c.matrix >= LEAST * c.vector, f"{name}: {c.vector} cycles of vector instructions"
    assert c.kinds["vector"] <= MOST_VECTOR * c.kinds["loads"], f"{name}: {c.kinds['vector']} vector instructions"


def main():
    check_itself()
    for device in issue.DEVICES:
        for kind in ("f16", "bf16"):
            check(device, kind)
    for layout in ("nn", "tn", "tt"):
        check("gfx950", "f16", layout)


if __name__ == "__main__":
    sys.exit(main())
