"""snapshots.py says that nothing changed where nothing did, and what changed where an option did it."""
import os
import subprocess
import sys

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "snapshots.py")
CASES = ("gemm_bf16_nt_1000x1000x1000", "rowsum_16384x8192", "lowering/tile_to_gpu/stagger.mlir")
OF_CASES = ["--devices", "sm_90a,emulated", "--only", *CASES]


def run(*arguments):
    done = subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def lines_that_differ(text):
    return [line for line in text.splitlines() if line.endswith("differs")]


def main():
    status, said = run("write", "before.zip", *OF_CASES)
    assert status == 0, said
    n_texts = int(said.split()[0])
    assert n_texts >= 3 * 3, said  # IR for both devices and PTX for one, of each case at least
    status, said = run("compare", "before.zip", "--devices", "sm_90a,emulated")
    assert (status, said) == (0, f"{n_texts} texts, 0 not as in before.zip\n"), said

    other = ["--", "--gpu-no-tensor-core"]
    status, said = run("compare", "before.zip", *OF_CASES, *other)
    differ = lines_that_differ(said)
    assert status == 1 and differ, said
    assert any(line.startswith("gemm/gemm_bf16_nt_1000x1000x1000 0.sm_90a.ptx") for line in differ), said
    assert any(line.startswith("files/lowering/tile_to_gpu/stagger.mlir ") for line in differ), said
    assert not any(line.startswith("mem/rowsum") for line in differ), said

    ir = "gemm/gemm_bf16_nt_1000x1000x1000 0.sm_90a.ir"
    status, diff = run("show", "before.zip", ir, "--devices", "sm_90a", *other)
    assert status == 0 and "\n-" in diff and "\n+" in diff and "memref" in diff, diff
    status, diff = run("show", "before.zip", "mem/rowsum_16384x8192", "--devices", "sm_90a", *other)
    assert (status, diff) == (0, ""), diff


main()
