"""The generated documents, and the generated part of one, are what the tables say now."""
import pathlib
import subprocess
import sys

import strata


def printed(name):
    return subprocess.run([f"{strata.BIN}/strata-docs", name], capture_output=True, text=True, check=True).stdout


def text_of(document):
    return pathlib.Path(strata.SOURCE, "docs", document).read_text(encoding="utf-8")


stale = [f"docs/{name}.md is stale: build/bin/strata-docs {name} > docs/{name}.md"
         for name in ("options", "ops", "openvino", "mlir") if text_of(f"{name}.md") != printed(name)]
if printed("python") != pathlib.Path(strata.SOURCE, "tools/python/strata/_options.py").read_text(encoding="utf-8"):
    stale.append("tools/python/strata/_options.py is stale: build/bin/strata-docs python prints it")
if printed("schedule") not in text_of("gpu-schedules.md"):
    stale.append("docs/gpu-schedules.md is stale: build/bin/strata-docs schedule prints its tables of kinds and keys")
if printed("kinds") not in text_of("architecture.md"):
    stale.append("docs/architecture.md is stale: build/bin/strata-docs kinds prints its table of kinds")
print("\n".join(stale))
sys.exit(1 if stale else 0)
