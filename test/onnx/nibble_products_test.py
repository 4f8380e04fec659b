"""Products with weights of 4 bits (MatMulNBits; DequantizeLinear in front of MatMul and Gemm) beside sums in f64, on
every processor that is there: random sizes, zero points, signs and blocks, and sizes that vary. Where a cpu multiplies
bytes the weights stay as small as they are. `nibble_products_test.py SEED` tries others."""
import os
import sys
import tempfile

import numpy as np

import strata
from onnx_file import FLOAT, FLOAT16, Graph

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("STRATA_SEED", 0))
random = np.random.default_rng(SEED)
DEVICES = ["x86-64-v2", "x86-64-v3", "x86-64-v4", "sapphirerapids", None]
UINT4, INT4, UINT8 = 21, 22, 2
HALF_TOLERANCE = 2e-3
TOLERANCE = 4e-6  # of the sum of products without their signs


def unpacked(content, shape, is_signed=False):
    values = np.stack([content & 15, content >> 4], -1).reshape(*content.shape[:-1], -1)[..., :shape[-1]].reshape(shape)
    return np.where(values > 7, values.astype(np.int64) - 16, values) if is_signed else values.astype(np.int64)


def random_bytes(*shape):
    return random.integers(0, 256, shape, np.uint8)


def matmul_nbits(graph, x, k, n, block, zeros, dtype=np.float32):
    """Adds the node; its weights [k, n] in f64."""
    blocks = -(-k // block)
    content, scales = random_bytes(n, blocks, block // 2), random.uniform(-1, 1, n * blocks).astype(dtype)
    values = unpacked(content, (n, blocks, block)).astype(np.float64)
    graph.constant("b", content)
    graph.constant("s", scales)
    names, points = [x, "b", "s"], 8.0
    if zeros:
        content = random_bytes(n, (blocks + 1) // 2)
        points = unpacked(content, (n, blocks))[..., None]
        graph.constant("z", content.ravel())
        names.append("z")
    graph.node("MatMulNBits", names, ["y"], domain="com.microsoft", K=k, N=n, block_size=block, bits=4)
    return ((values - points) * scales.astype(np.float64).reshape(n, blocks, 1)).reshape(n, -1)[:, :k].T


def dequantize(graph, x, k, n, block, zeros, is_signed, is_turned, axis):
    """The same by DequantizeLinear; |block| 0: a scale for each index of |axis|."""
    shape = (n, k) if is_turned else (k, n)
    kind = INT4 if is_signed else UINT4
    content = random_bytes((k * n + 1) // 2)
    values = unpacked(content, (k * n,), is_signed).reshape(shape).astype(np.float64)
    sizes = [size // block if i == axis else size for i, size in enumerate(shape)] if block else [shape[axis]]
    scales = random.uniform(-1, 1, sizes).astype(np.float32)
    graph.packed("q", kind, shape, content)
    graph.constant("s", scales)
    names, points = ["q", "s"], np.zeros(sizes)
    if zeros:
        content = random_bytes((int(np.prod(sizes)) + 1) // 2)
        points = unpacked(content, (int(np.prod(sizes)),), is_signed).reshape(sizes)
        graph.packed("z", kind, sizes, content)
        names.append("z")
    graph.node("DequantizeLinear", names, ["w"], axis=axis, **({"block_size": block} if block else {}))
    if is_turned:
        graph.node("Gemm", [x, "w"], ["y"], transB=1)
    else:
        graph.node("MatMul", [x, "w"], ["y"])
    each = [np.repeat(part, block, axis) if block else np.expand_dims(part, 1 - axis) for part in (scales, points)]
    weights = (values - each[1]) * each[0].astype(np.float64)
    return weights.T if is_turned else weights


def case_of(name, rows, k, n, make, element=FLOAT):
    graph = Graph(21)
    graph.input("x", element, (*rows, k))
    weights = make(graph)
    graph.output("y", element, (*rows, n))
    return name, graph, k, weights


def cases():
    for rows, k, n, block, zeros in [((1,), 128, 64, 32, True), ((3,), 256, 100, 128, False),
                                     ((2, 3), 160, 17, 32, True), ((5,), 48, 33, 16, True), ((1,), 896, 24, 128, True),
                                     ((4,), 100, 20, 32, True), ((1,), 1, 1, 16, False), ((70,), 64, 130, 64, True)]:
        yield case_of(f"nbits {rows} {k} {n} {block} {zeros}", rows, k, n,
                      lambda g: matmul_nbits(g, "x", k, n, block, zeros))
    for rows, k, n, *form in [((3,), 128, 96, 32, True, False, False, 0), ((3,), 128, 96, 32, True, True, True, 1),
                              ((2,), 64, 50, 0, False, True, False, 1), ((2,), 72, 50, 0, True, False, True, 0),
                              ((4,), 32, 6, 0, False, True, True, 0), ((4,), 32, 6, 16, True, True, False, 0),
                              ((2,), 40, 24, 8, False, False, False, 1)]:
        yield case_of(f"dequantized {rows} {k} {n} {form}", rows, k, n, lambda g: dequantize(g, "x", k, n, *form))
    yield case_of("halves", (2, 2), 128, 50, lambda g: matmul_nbits(g, "x", 128, 50, 32, True, np.float16), FLOAT16)
    for number in range(6):
        rows, n, block = int(random.integers(1, 20)), int(random.integers(1, 200)), 16 << int(random.integers(0, 3))
        k = block * int(random.integers(1, 9)) - int(random.integers(0, 2)) * 8
        yield case_of(f"random {number}: {rows} {k} {n} {block}", (rows,), k, n,
                      lambda g: matmul_nbits(g, "x", k, n, block, bool(random.integers(0, 2))))


def rows_of(shape, k):
    """Of numbers that differ much, with a row of zeros, one of tiny and one of huge ones."""
    x = random.standard_normal((*shape, k)).astype(np.float32) * np.exp2(random.integers(-12, 12, (*shape, 1)))
    flat = x.reshape(-1, k).astype(np.float32)
    for i, factor in enumerate((0, 1e-25, 1e25)):
        if len(flat) > i + 1:
            flat[i] *= np.float32(factor)
    return flat.reshape(*shape, k)


def compare(got, x, weights):
    assert got.flags.c_contiguous
    expected, size = x.astype(np.float64) @ weights, np.abs(x.astype(np.float64)) @ np.abs(weights)
    with np.errstate(all="ignore"):
        error = np.abs(got - expected)
    wrong = ~(error <= (TOLERANCE if got.dtype == np.float32 else HALF_TOLERANCE) * size)
    assert not wrong.any(), f"{np.argwhere(wrong)[0]}: {got[wrong][0]}, expected {expected[wrong][0]}"


def loaded(graph, folder, options):
    path, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "m", options)
    return strata.Library(path)


def run_case(graph, k, weights, device):
    with tempfile.TemporaryDirectory() as folder:
        library = loaded(graph, folder, [f"--device={device}"] if device else [])
        x = rows_of(library.inputs[0].dims()[:-1], k)
        if strata.DTYPES[library.inputs[0].dtype] == np.float16:
            x = np.clip(x, -8, 8).astype(np.float16)
        run, outputs = library.bind([x])
        outputs[0][...] = np.nan
        try:
            run()
        except RuntimeError as error:  # a processor without what the code needs
            assert "this processor lacks" in str(error), error
            return
        compare(outputs[0], x, weights)
        library.close()


def run_varying(device):
    graph = Graph(21)
    graph.input("x", FLOAT, ("batch", "rows", 192))
    weights = matmul_nbits(graph, "x", 192, 77, 32, True)
    graph.output("y", FLOAT, ("batch", "rows", 77))
    options = ["--dim=batch=1..4", "--dim=rows=1..64"] + ([f"--device={device}"] if device else [])
    with tempfile.TemporaryDirectory() as folder:
        library = loaded(graph, folder, options)
        for shape in ((1, 1), (1, 7), (4, 64), (3, 33)):
            x = rows_of(shape, 192)
            try:
                compare(library.run([x], library.sizes_of([x.shape]))[0], x, weights)
            except RuntimeError as error:
                assert "this processor lacks" in str(error), error
                return
        library.close()


def propagates():
    """What is no number in a row is none in its results, and changes no other row."""
    name, graph, k, weights = case_of("", (4,), 64, 40, lambda g: matmul_nbits(g, "x", 64, 40, 32, True))
    with tempfile.TemporaryDirectory() as folder:
        library = loaded(graph, folder, [])
        x = random.standard_normal((4, k)).astype(np.float32)
        x[1, 3], x[3, 40] = np.nan, np.inf
        got, = library.run([x])
        assert np.isnan(got[1]).all() and not np.isfinite(got[3]).any(), got[1::2]
        compare(np.ascontiguousarray(got[::2]), x[::2], weights)
        library.close()


def stays_small():
    """The library has the weights' nibbles, and not floats."""
    k = n = 512
    _, graph, _, _ = case_of("", (1,), k, n, lambda g: matmul_nbits(g, "x", k, n, 32, True))
    with tempfile.TemporaryDirectory() as folder:
        path, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "m",
                                         ["--device=sapphirerapids"])
        assert os.path.getsize(path) < k * n, f"{os.path.getsize(path)} bytes for {k * n} nibbles"


if __name__ == "__main__":
    tests = [(f"{name} {device or 'host'}", lambda g=graph, k=k, w=weights, d=device: run_case(g, k, w, d))
             for name, graph, k, weights in cases() for device in DEVICES]
    tests += [(f"varying {device or 'host'}", lambda d=device: run_varying(d)) for device in DEVICES]
    strata.report(tests + [("no numbers", propagates), ("small", stays_small)])
