"""The example of strata-opt in docs/add-a-pass.md does what the document shows."""
import os
import pathlib
import re
import subprocess
import sys

import strata

text = pathlib.Path(strata.SOURCE, "docs", "add-a-pass.md").read_text(encoding="utf-8").partition("## Trying passes")[2]
source, command, shown = (block for _, block in re.findall(r"```(mlir|sh)[^\n]*\n(.*?)```", text, flags=re.DOTALL))
pathlib.Path("relu.mlir").write_text(source, encoding="utf-8")
environment = dict(os.environ, PATH=strata.BIN + os.pathsep + os.environ["PATH"])
done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment)
printed = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
if printed != shown:
    print(done.stderr, printed, sep="\n")
sys.exit(0 if printed == shown else 1)
