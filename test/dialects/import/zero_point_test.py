"""DequantizeLinear: integers at the zero point are zero, and all others one rounding from exact, on every target."""
import numpy as np

import gpu
import onnx_file as onnx
import strata

gpu.use_stand_in()
TARGETS = [["--target=cpu"], ["--target=cpu", "--mlir-disable-fast-math"], ["--target=nvgpu", "--device=emulated"],
           ["--target=nvgpu", "--device=emulated_90"]]
random = np.random.default_rng(0)
CASES = [  # element type, zero points, scales
    (np.uint8, 77, 0.013), (np.int8, 3, 0.0371), (np.int8, -128, 0.1), (np.uint8, 255, 1e-3),
    (np.uint8, [1, 77, 128, 200, 255], [0.1, 0.013, 0.7, 1e-3, 3.3]), (np.int16, -30001, 0.0371),
    (np.uint16, 65535, 0.0371), (np.int8, 0, 0.1),
]

failed = 0
for i, (dtype, zero, scale) in enumerate(CASES):
    info = np.iinfo(dtype)
    zero, scale = np.array(zero, dtype), np.array(scale, np.float32)
    x = random.integers(info.min, info.max, (3, 7, 5), endpoint=True).astype(dtype)
    x[0], x[1, 0], x[1, 1] = zero, info.min, info.max
    graph = onnx.Graph(21)
    operands = [graph.input("x", onnx.ELEMENT_TYPES[x.dtype], list(x.shape)), graph.constant("s", scale),
                graph.constant("z", zero)]
    graph.output(graph.node("DequantizeLinear", operands, axis=2), onnx.FLOAT, list(x.shape))
    graph.save("dequantize.onnx")
    want = (x.astype(np.int64) - zero.astype(np.int64)).astype(np.float64) * scale.astype(np.float64)
    for j, options in enumerate(TARGETS):
        path, _ = strata.compile_library("dequantize.onnx", ".", name=f"dequantize_{i}_{j}", options=options)
        (got,) = strata.Library(path).run([x])
        if not np.array_equal(got, want.astype(np.float32)):
            print(f"FAIL {dtype.__name__} zero point {zero} scale {scale}, {' '.join(options)}: "
                  f"{np.abs(got - want).max()} off, at the zero point {np.abs(got[0]).max()}")
            failed += 1
raise SystemExit(failed)
