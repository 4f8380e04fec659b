"""strata-run takes every option that its help, manual page and completions list."""
import json
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

# Several calls: percentiles, calls a second, and the launches of one as a file.
said = run(library, "--random", "--num-iters=20", "--warm-up=1", "--duration=0.01", "--percentile=50,99.9",
           "--profile=trace.json").stdout
runs = re.search(r"median (\S+) ms, min (\S+) ms, max (\S+) ms of (\d+) runs", said)
more = re.search(r"mean \S+ ms, 50 % within (\S+) ms, 99.9 % within (\S+) ms; \S+ calls a second", said)
assert runs and more and int(runs[4]) >= 20, said
assert float(runs[2]) <= float(more[1]) <= float(more[2]) <= float(runs[3]), said
with open("trace.json", encoding="utf-8") as file:
    launches = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
assert sum(f"{launch['name']} " in table for launch in launches) == len(launches) > 0, (launches, table)
assert any("product" in launch["args"]["nodes"] for launch in launches), launches
ends = [launch["ts"] + launch["dur"] for launch in launches]
assert all(abs(launch["ts"] - end) < 1e-6 for launch, end in zip(launches[1:], ends)), launches
for wrong in ("--percentile=0", "--percentile=101", "--percentile=", "--profile=trace.txt", "--duration=-1", "--warm-up=x"):
    done = run(library, "--random", wrong)
    assert done.returncode == 1 and "expected" in done.stderr, (wrong, done.stderr)
assert run(library, "--random", "--profile=/dev/full/trace.json").returncode == 1
