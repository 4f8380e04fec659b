"""./check around builds and tests that end in every way: its last line, its status, and how a full disk reads."""
import os
import pathlib
import shutil
import subprocess

import strata

CTEST = """#!/bin/sh
preset=$2
. ./results
eval "failed=\\$$(echo $preset | tr - _)"
[ "$failed" != none ] || exit 8
if [ "$failed" = 0 ]; then percent=100; else percent=90; fi
echo "$percent% tests passed, $failed tests failed out of 50"
echo "Total Test time (real) = 1.00 sec"
[ "$failed" != 0 ] || exit 0
printf '\\nThe following tests FAILED:\\n\\t  3 - of/%s (Failed)\\nErrors while running CTest\\n' $preset
exit 8
"""
CMAKE = """#!/bin/sh
. ./results
if [ "$1" = --build ] && [ "$full" ]; then echo "fatal error: a.o: No space left on device"; exit 1; fi
echo "configured or built"
"""


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def make_tree(root):
    shutil.rmtree(root, ignore_errors=True)
    (root / "build" / "asan-ubsan").mkdir(parents=True)
    write_program(root / "tools" / "scripts" / "install-packages", "#!/bin/sh\n")
    write_program(root / "bin" / "cmake", CMAKE)
    write_program(root / "bin" / "ctest", CTEST)
    shutil.copy(os.path.join(strata.SOURCE, "tools", "scripts", "steps"), root / "tools" / "scripts")
    shutil.copy(os.path.join(strata.SOURCE, "check"), root)


def check(root, results):
    """The status and the lines of output, errors behind them."""
    (root / "results").write_text(results, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run([root / "check"], capture_output=True, text=True, check=False, env=environment)
    return done.returncode, done.stdout.splitlines(), done.stderr


def main():
    root = pathlib.Path("tree").absolute()
    make_tree(root)
    status, lines, _ = check(root, "asan_ubsan=0 release=0")
    assert status == 0 and lines[-1] == "100% tests passed, 0 tests failed out of 50", lines
    assert "minutes" in lines[0] and "GB" in lines[0], lines
    status, lines, _ = check(root, "asan_ubsan=2 release=0")
    assert status == 1 and lines[-1] == "90% tests passed, 2 tests failed out of 50", lines
    assert "\t  3 - of/asan-ubsan (Failed)" in lines[-6:], lines
    status, lines, _ = check(root, "asan_ubsan=2 release=5")
    assert status == 1 and lines[-1] == "90% tests passed, 5 tests failed out of 50", lines
    status, lines, _ = check(root, "asan_ubsan=none release=5")  # died without a summary
    assert status == 1 and "tests passed" not in lines[-1], lines
    status, lines, errors = check(root, "asan_ubsan=0 release=0 full=yes")
    assert status == 1 and "The disk is full" in errors and "No space left" in lines[-1], (lines, errors)
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
