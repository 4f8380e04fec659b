"""The dumps in docs are what the compiler prints now."""
import os
import subprocess
import sys

import strata

environment = dict(os.environ, STRATA_BIN=strata.BIN)
script = os.path.join(strata.SOURCE, "tools", "scripts", "dumps")
stale = 0
for name in ("architecture.md", "gpu.md"):
    document = os.path.join(strata.SOURCE, "docs", name)
    stale += subprocess.run([sys.executable, script, "--check", document], env=environment, check=False).returncode
sys.exit(stale)
