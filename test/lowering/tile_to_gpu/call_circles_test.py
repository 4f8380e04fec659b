"""Files of tile_to_gpu call one another in circles of six at most; what counts as a circle."""
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(os.environ["STRATA_SOURCE"], "tools", "scripts", "call-circles")
BUILD = pathlib.Path(os.environ["STRATA_BIN"]).parent
MOST = 6


class CallCircles(unittest.TestCase):
    def test_files_of_tile_to_gpu(self):
        run = subprocess.run([sys.executable, SCRIPT, "--most", str(MOST), "--build", BUILD, "lowering/tile_to_gpu"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_circles(self):
        loader = importlib.machinery.SourceFileLoader("call_circles", str(SCRIPT))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("call_circles", loader))
        loader.exec_module(module)
        graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
        self.assertEqual(module.circles(graph), [["a", "b", "c"], ["d", "e"], ["f"]])


if __name__ == "__main__":
    unittest.main()
