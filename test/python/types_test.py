"""The package's own types hold, as pyproject.toml has them checked."""
import os
import subprocess
import sys

import package

package.skip_without("mypy")

package_dir = os.path.join(package.SOURCE, "tools", "python")
cache = os.path.abspath("mypy.cache")
sys.exit(subprocess.run([sys.executable, "-m", "mypy", "strata", "--cache-dir", cache], cwd=package_dir).returncode)
