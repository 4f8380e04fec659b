"""tools/scripts/amd-check, what a user with a card of AMD's runs, from end to end on the stand-in: a table in which all
is right; what is wrong is in the table, and the exit status says so."""
import os
import subprocess
import sys

import gpu
import strata

SCRIPT = os.path.join(strata.SOURCE, "tools", "scripts", "amd-check")


def check(*arguments, arch, status=0, **environment):
    """The table's rows, cells each, behind its head."""
    done = subprocess.run([sys.executable, SCRIPT, "--small", *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "STRATA_TEST_DRIVER_ARCH": arch, **environment})
    assert done.returncode == status, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("| strata ") and lines[1] == "|---|---|---|", done.stdout
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def main():
    gpu.use_stand_in()
    rows = check(arch="0x942")
    for name, result, said in rows:
        print(name, result, said, flush=True)
    assert "gfx942" in rows[0][2] and all(result == "ok" for _, result, _ in rows)
    names = {name for name, _, _ in rows}
    assert {"card", "calls", "graph", "conformance, contractions", "model chain30", "product i8 33 x 40 x 65"} <= names
    if not strata.SANITIZED:
        others = check("--only=product", arch="0x1100")
        assert len(others) == 3 and all(result == "ok" for _, result, _ in others), others
    # A launch that fails, one that ends the process, no card.
    failing = check("--only=product f16", arch="0x942", status=1, STRATA_TEST_DRIVER_FAIL="hipModuleLaunchKernel:1")
    assert failing[0][1] == "FAILED" and "hipModuleLaunchKernel: hipErrorLaunchFailure" in failing[0][2], failing
    missing = check(arch="0x942", status=1, STRATA_HIP_DRIVER="/nowhere/libamdhip64.so")
    assert [row[:2] for row in missing] == [["card", "FAILED"]] and "/nowhere/libamdhip64.so" in missing[0][2], missing
    unknown = check("--only=calls", arch="0x803", status=1)
    assert unknown[0][1] == "FAILED" and "gfx803" in unknown[0][2], unknown


if __name__ == "__main__":
    sys.exit(main())
