"""A compile that runs out of memory says so in one line, and leaves nothing behind."""
import os
import resource
import subprocess
import sys

import onnx_file
import strata
from onnx_file import FLOAT

SIZE, LAYERS = 8192, 4
WEIGHT_BYTES = SIZE * SIZE * 4
# The process and the mapped model fit; the packed weights do not.
LIMIT = (LAYERS + 3) * WEIGHT_BYTES

if strata.SANITIZED:
    sys.exit(0)  # a sanitizer's shadow memory fits in no limit

graph = onnx_file.Graph()
value = graph.input("x", FLOAT, [1, SIZE])
for i in range(LAYERS):
    weight = graph.external(f"w{i}", FLOAT, [SIZE, SIZE], "model.data", i * WEIGHT_BYTES, WEIGHT_BYTES)
    value = graph.node("MatMul", [value, weight])
graph.output(value, FLOAT, [1, SIZE])
model = graph.save("model.onnx")
with open("model.data", "wb") as file:
    file.truncate(LAYERS * WEIGHT_BYTES)

done = subprocess.run([os.path.join(strata.BIN, "strata"), model, "--aot", "-o", "out"], capture_output=True, text=True,
                      check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))
print(done.returncode, done.stderr)
assert done.returncode == 1
assert done.stderr == ("strata: error: out of memory\n"
                       f"strata: error: the limit on address space is {LIMIT // 1024} KiB (ulimit -v)\n")
assert not os.path.exists("out")
