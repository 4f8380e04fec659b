"""A chain of 10^5 nodes compiles within a minute of one core: every step of the compiler is nearly linear."""
import numpy as np

import onnx_file
import strata

NODES = 20000 if strata.SANITIZED else 100000
SECONDS = 60

graph = onnx_file.Graph()
value = graph.input("x", onnx_file.FLOAT, [64])
step = graph.constant("step", np.full(64, 0.001, np.float32))
for i in range(NODES // 2):
    value = graph.node("Tanh", [graph.node("Add", [value, step])])
graph.output(value, onnx_file.FLOAT, [64])
graph.save("chain.onnx")

path, cost = strata.compile_library("chain.onnx", ".", name="chain", options=["--no-verify-each"])
print(f"{NODES} nodes: {cost.processor_seconds:.1f} s of one core, {cost.peak_bytes / 2**20:.0f} MiB")
assert strata.SANITIZED or cost.processor_seconds <= SECONDS

x = np.linspace(-1, 1, 64, dtype=np.float32)
want = x.astype(np.float64)
for i in range(NODES // 2):
    want = np.tanh(want + np.float64(np.float32(0.001)))
(got,) = strata.Library(path).run([x])
error = np.abs(got - want).max()
print(f"largest error {error:.1e}")
assert error < 1e-3
