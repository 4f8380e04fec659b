"""Reductions over tiled axes: the reads of a loop come back to where they began while its counter goes on. LLVM's
vectorizer of loops takes some of these for consecutive reads and goes on behind the tensor's end."""
import numpy as np

import gpu
import onnx_file as onnx
import strata

gpu.use_stand_in()
CASES = [  # shape, repeats, axis
    ((2, 1, 16), (1, 2, 2), 2), ((8, 4, 4), (1, 2, 16), 2), ((5, 8), (1, 9), 1), ((3, 16), (2, 3), 1),
    ((16, 4), (4, 1), 0), ((3, 4, 5), (1, 3, 1), 1), ((2, 3, 12), (1, 1, 4), 2), ((2, 16, 16), (1, 1, 7), 2),
]
TARGETS = [["--target=cpu"], ["--target=cpu", "--polyblocks-disable-affine-fusion"],
           ["--target=nvgpu", "--device=emulated"], ["--target=nvgpu", "--device=emulated_90"]]


def write_model(x, repeats, axis):
    graph = onnx.Graph()
    tiled = graph.node("Tile", [graph.input("x", onnx.FLOAT, list(x.shape)), graph.constant("r", np.array(repeats))])
    for op in ("ReduceMean", "ReduceMax"):
        y = graph.node(op, [tiled, graph.constant(op, np.array([axis]))], keepdims=0)
        graph.output(y, onnx.FLOAT, [n * k for i, (n, k) in enumerate(zip(x.shape, repeats)) if i != axis])
    graph.save("tile.onnx")


failed = 0
for i, (shape, repeats, axis) in enumerate(CASES):
    x = np.random.default_rng(i).standard_normal(shape).astype(np.float32)
    write_model(x, repeats, axis)
    tiled = np.tile(x.astype(np.float64), repeats)
    for j, options in enumerate(TARGETS):
        path, _ = strata.compile_library("tile.onnx", ".", name=f"tile_{i}_{j}", options=options)
        for got, want in zip(strata.Library(path).run([x]), (tiled.mean(axis), tiled.max(axis))):
            if not np.allclose(got, want, rtol=1e-5, atol=1e-6):
                print(f"FAIL Tile of {shape} by {repeats}, axis {axis}, {' '.join(options)}:\n{got}\nexpected\n{want}")
                failed += 1
raise SystemExit(failed)
