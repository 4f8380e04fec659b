"""strata-run takes every option that its help, manual page and completions list."""
import os
import re
import subprocess

import numpy as np

import onnx_file
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
for wrong, said in {"--kernel": "did you mean '--kernels'?", "--num-iter=3": "did you mean '--num-iters'?",
                    "--input": "expected --input=VALUE", "--random=1": "expected --random without a value"}.items():
    assert said in run(wrong).stderr, run(wrong).stderr

# A library says which nodes its kernels carry out.
graph = onnx_file.Graph()
x = graph.input("x", onnx_file.FLOAT, [4, 8])
w = graph.constant("w", np.ones((8, 8), np.float32))
graph.output(graph.node("Softmax", [graph.node("MatMul", [x, w], name="product")], name="weights"), onnx_file.FLOAT, [4, 8])
library = strata.compile_library(graph.save("named.onnx"), ".", "named")[0]
table = run(library, "--random", "--kernels").stdout
assert re.search(r"^kernel .*nodes$", table, re.MULTILINE) and re.search(r"^k\d.*product", table, re.MULTILINE), table
assert "weights" in table, table
