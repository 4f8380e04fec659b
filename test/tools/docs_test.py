"""The generated documents are what the tables say now."""
import pathlib
import subprocess
import sys

import strata

stale = []
for name in ("options", "ops"):
    printed = subprocess.run([f"{strata.BIN}/strata-docs", name], capture_output=True, text=True, check=True).stdout
    if pathlib.Path(strata.SOURCE, "docs", f"{name}.md").read_text(encoding="utf-8") != printed:
        stale.append(f"docs/{name}.md is stale: build/bin/strata-docs {name} > docs/{name}.md")
print("\n".join(stale))
sys.exit(1 if stale else 0)
