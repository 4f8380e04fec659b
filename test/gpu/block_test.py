"""Products of blocks on the emulated device (conformance/block_test.py)."""
import os
import subprocess
import sys

import gpu

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance")
gpu.use_stand_in()
sys.exit(subprocess.run([sys.executable, os.path.join(FOLDER, "block_test.py"), "--", "--target=nvgpu",
                         "--device=emulated", "--mm-conv-precision-mode=fp32"], check=False).returncode)
