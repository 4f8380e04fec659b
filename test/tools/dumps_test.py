"""The dumps in docs/architecture.md are what the compiler prints now."""
import os
import subprocess
import sys

import strata

environment = dict(os.environ, STRATA_BIN=strata.BIN)
script = os.path.join(strata.SOURCE, "tools", "scripts", "dumps")
document = os.path.join(strata.SOURCE, "docs", "architecture.md")
sys.exit(subprocess.run([sys.executable, script, "--check", document], env=environment, check=False).returncode)
