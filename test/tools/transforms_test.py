"""docs/transforms.md says what the compiler does now."""
import os
import subprocess
import sys

import strata

environment = dict(os.environ, STRATA_BIN=strata.BIN)
script = os.path.join(strata.SOURCE, "tools", "scripts", "transforms")
sys.exit(subprocess.run([sys.executable, script, "--check"], env=environment, check=False).returncode)
