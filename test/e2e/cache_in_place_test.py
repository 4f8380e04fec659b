"""Caches of keys and values that a model has as inputs and gives back as outputs: where the caller gives the same memory for
both, a step writes what is new and nothing else; with memory of its own the result is the same, and the input is left as it
was. Steps of a small decoder, as generators write them, against formulas in f64."""
import os
import tempfile

import numpy as np

import gpu
import onnx_file
import strata

RNG = np.random.default_rng(int(os.environ.get("STRATA_SEED", 3005)))
HEADS, GROUPS, SIZE, ROOM, HIDDEN, BATCH = 4, 2, 16, 24, 48, 2
BLOCK = 16


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def project(graph, x, rows, columns, bits):
    """A product with weights, of f32 or of 4 bits; returns its name and the weights in f32."""
    if not bits:
        weights = floats(columns, rows) / np.float32(np.sqrt(columns))
        return graph.node("MatMul", [x, graph.constant(f"w_{rows}_{x}", weights)]), weights
    codes = RNG.integers(0, 16, (rows, columns), dtype=np.uint8)
    scales = np.abs(floats(rows, columns // BLOCK)) / 8 + np.float32(0.02)
    packed = (codes[:, 0::2] | codes[:, 1::2] << 4).reshape(rows, columns // BLOCK, BLOCK // 2)
    name = f"w_{rows}_{x}"
    value = graph.node("MatMulNBits", [x, graph.constant(name, packed), graph.constant(name + "_s", scales.ravel())],
                       domain="com.microsoft", K=columns, N=rows, bits=4, block_size=BLOCK)
    return value, ((codes.astype(np.float32) - 8) * scales.repeat(BLOCK, 1)).T


def decoder(bits):
    """Products, GroupQueryAttention over a cache with room, a product: |mask| says how many keys there are."""
    graph = onnx_file.Graph(21)
    x = graph.input("x", onnx_file.FLOAT, [BATCH, 1, HIDDEN])
    mask = graph.input("mask", onnx_file.INT64, [BATCH, "T"])
    caches = [graph.input(f"past_{name}", onnx_file.FLOAT, [BATCH, GROUPS, ROOM, SIZE]) for name in ("key", "value")]
    parts, weights = zip(*(project(graph, graph.node("Identity", [x]), width * SIZE, HIDDEN, bits)
                           for width in (HEADS, GROUPS, GROUPS)))
    counts = graph.node("ReduceSum", [mask, graph.constant("axes", np.array([1], np.int64))])
    last = graph.node("Sub", [counts, graph.constant("one", np.array(1, np.int64))])
    last = graph.node("Cast", [last], to=onnx_file.INT32)
    total = graph.node("Gather", [graph.node("Shape", [mask]), graph.constant("at", np.array(1, np.int64))], axis=0)
    total = graph.node("Cast", [total], to=onnx_file.INT32)
    angles = np.arange(ROOM)[:, None] / 10000 ** (np.arange(SIZE // 2) / (SIZE // 2))
    tables = [graph.constant(name, f(angles).astype(np.float32)) for name, f in (("cos", np.cos), ("sin", np.sin))]
    y, *_ = graph.node("GroupQueryAttention", [*parts, *caches, last, total, *tables], ["y", "present_key", "present_value"],
                       domain="com.microsoft", num_heads=HEADS, kv_num_heads=GROUPS, do_rotary=1)
    result, last_weights = project(graph, y, HIDDEN, HEADS * SIZE, bits)
    graph.node("Identity", [result], ["logits"])
    for name, shape in (("logits", [BATCH, 1, HIDDEN]), ("present_key", [BATCH, GROUPS, ROOM, SIZE]),
                        ("present_value", [BATCH, GROUPS, ROOM, SIZE])):
        graph.output(name, onnx_file.FLOAT, shape)
    return graph, [w.astype(np.float64) for w in (*weights, last_weights)]


def rotated(x, position):
    angle = position / 10000 ** (np.arange(SIZE // 2) / (SIZE // 2))
    a, b = np.split(x, 2, -1)
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], -1)


def step(x, weights, key, value, position):
    """Writes the new keys and values into |key| and |value|, f64, and returns the result."""
    q, k, v = ((x @ w).reshape(BATCH, -1, SIZE) for w in weights[:3])
    q, key[:, :, position], value[:, :, position] = rotated(q, position), rotated(k, position), v
    keys, values = (np.repeat(c[:, :, :position + 1], HEADS // GROUPS, 1) for c in (key, value))
    scores = np.einsum("bhd,bhkd->bhk", q, keys) / np.sqrt(SIZE)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.einsum("bhk,bhkd->bhd", shares, values).reshape(BATCH, 1, -1) @ weights[3]


def check(got, want, what, tolerance=2e-4):
    wrong = np.abs(got - want).max()
    assert wrong <= tolerance * max(1, np.abs(want).max()), f"{what}: {wrong}"


def steps(library, weights, shared, what):
    """Some steps from a cache that is full of numbers, of which the first ones count."""
    caches = [strata.aligned((BATCH, GROUPS, ROOM, SIZE), np.float32) for _ in range(2)]
    for cache in caches:
        cache[...] = floats(*cache.shape)
    full = [cache.astype(np.float64) for cache in caches]
    for position in range(5, 10):
        x, mask = strata.aligned((BATCH, 1, HIDDEN), np.float32), strata.aligned((BATCH, position + 1), np.int64)
        logits = strata.aligned((BATCH, 1, HIDDEN), np.float32)
        x[...], mask[...], logits[...] = floats(*x.shape), 1, np.nan
        before = [cache.copy() for cache in caches]
        present = caches if shared else [strata.aligned(cache.shape, np.float32) for cache in caches]
        for cache in present if not shared else ():
            cache[...] = np.nan
        library.call([x, mask, *caches, logits, *present], [position + 1])
        check(logits, step(x.astype(np.float64), weights, *full, position), f"{what}: logits of step {position}")
        for old, cache, new, want in zip(before, caches, present, full):
            check(new, want, f"{what}: cache of step {position}")
            rest = np.arange(ROOM) != position
            assert (new[:, :, rest] == old[:, :, rest]).all(), f"{what}: step {position} changed what is old"
            assert shared or (cache == old).all(), f"{what}: step {position} changed its input"
        caches = present


def explained(graph, folder, options):
    """The library's path, and what --explain says."""
    text = strata.run(os.path.join(strata.BIN, "strata"), graph.save(os.path.join(folder, "m.onnx")), "--aot",
                      "--aot-name=m", "-o", folder, "--explain", *options)
    return os.path.join(folder, "libm.so"), text


def compiled(graph, folder, options, alias=()):
    """The library; no kernel of it may read a cache to store it again."""
    path, text = explained(graph, folder, options)
    lines = text.splitlines()
    copies = [line for line in lines if line.startswith("kernel") and "copy" in line]
    assert not copies, copies
    places = [line for line in lines if "is stored in the place of input" in line]
    assert len(places) == (len(alias) or 2), text
    return path


def test_decoder(bits, options, name):
    graph, weights = decoder(bits)
    with tempfile.TemporaryDirectory() as folder:
        library = strata.Library(compiled(graph, folder, [*options, f"--dim=T=1..{ROOM}"]))
        steps(library, weights, False, f"{name}, memory of its own")
        if not options:
            steps(library, weights, True, name)


def on_device(graph, folder, options, inputs, shared, sizes=None):
    """Runs on device memory, output i in the place of input shared[i] where there is one; returns the outputs."""
    library = gpu.Library(compiled(graph, folder, ["--on-gpu-tensors", *options], shared))
    driver = library._driver
    memory = [driver.allocate(value.nbytes) for value in inputs]
    for value, place in zip(inputs, memory):
        driver.upload(place, value)
    outputs = [strata.aligned(info.stored() if sizes is None else library.output_shape(i, sizes), np.float32)
               for i, info in enumerate(library.outputs)]
    own = [memory[shared[i]] if i in shared else driver.allocate(value.nbytes) for i, value in enumerate(outputs)]
    driver.synchronize()
    library._call(memory + own, None, sizes)
    for value, place in zip(outputs, own):
        driver.download(value, place)
    driver.synchronize()
    library.unload()
    return outputs


def test_decoder_on_device(bits):
    graph, weights = decoder(bits)
    position = 7
    caches = [floats(BATCH, GROUPS, ROOM, SIZE) for _ in range(2)]
    full = [cache.astype(np.float64) for cache in caches]
    x, mask = floats(BATCH, 1, HIDDEN), np.ones((BATCH, position + 1), np.int64)
    with tempfile.TemporaryDirectory() as folder:
        got = on_device(graph, folder, ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32",
                                        f"--dim=T=1..{ROOM}"], [x, mask, *caches], {1: 2, 2: 3}, [position + 1])
    check(got[0], step(x.astype(np.float64), weights, *full, position), "on a device: logits")
    for value, want in zip(got[1:], full):
        check(value, want, "on a device: cache")


def scatter_graph(op):
    """An update of a cache that a product reads."""
    graph = onnx_file.Graph(24)
    graph.input("past", onnx_file.FLOAT, [2, 9, 8])
    if op == "ScatterND":
        graph.input("at", onnx_file.INT64, [2, 3, 2])
        graph.input("new", onnx_file.FLOAT, [2, 3, 8])
        graph.node(op, ["past", "at", "new"], ["present"])
    else:
        graph.input("at", onnx_file.INT64, [2])
        graph.input("new", onnx_file.FLOAT, [2, 3, 8])
        graph.node("TensorScatter", ["past", "new", "at"], ["present"], axis=1, mode="circular" if op == "circular" else "linear")
    graph.input("q", onnx_file.FLOAT, [2, 4, 9])
    graph.node("MatMul", ["q", "present"], ["y"])
    graph.output("present", onnx_file.FLOAT, [2, 9, 8])
    graph.output("y", onnx_file.FLOAT, [2, 4, 8])
    return graph


def test_scatter(op):
    at = np.array([[[0, 4], [0, 8], [0, 0]], [[1, 1], [1, 2], [1, 7]]], np.int64) if op == "ScatterND" else np.array([7, 2])
    past, new, q = floats(2, 9, 8), floats(2, 3, 8), floats(2, 4, 9)
    want = past.copy()
    for b in range(2):
        for i in range(3):
            place = at[b, i, 1] if op == "ScatterND" else (at[b] + i) % 9 if op == "circular" else at[b] + i
            if place < 9:
                want[b, place] = new[b, i]
    graph = scatter_graph(op)
    with tempfile.TemporaryDirectory() as folder:
        library = strata.Library(compiled(graph, folder, ["--alias=present=past"], {0: 0}))
        got = library.run([past, at, new, q])
        check(got[0], want, f"{op}, memory of its own")
        check(got[1], q.astype(np.float64) @ want, f"{op}, memory of its own")
        tensors = [strata.aligned(x.shape, x.dtype) for x in (past, at, new, q)] + [strata.aligned((2, 4, 8), np.float32)]
        for tensor, value in zip(tensors, (past, at, new, q)):
            tensor[...] = value
        library.call([*tensors[:4], tensors[0], tensors[4]])
        assert (tensors[0] == want).all(), op
        check(tensors[4], q.astype(np.float64) @ want, op)
    with tempfile.TemporaryDirectory() as folder:
        got = on_device(graph, folder, ["--target=nvgpu", "--device=emulated", "--alias=present=past"], [past, at, new, q],
                        {0: 0})
        assert (got[0] == want).all(), f"{op} on a device"


def test_read_elsewhere():
    """Who reads the old cache as well has it copied: the caller may still give the same memory with --alias."""
    graph = scatter_graph("ScatterND")
    graph.node("ReduceSum", ["past", graph.constant("axes", np.array([1], np.int64))], ["sums"], keepdims=0)
    graph.output("sums", onnx_file.FLOAT, [2, 8])
    at = np.array([[[0, 4], [0, 8], [0, 0]], [[1, 1], [1, 2], [1, 7]]], np.int64)
    past, new, q = floats(2, 9, 8), floats(2, 3, 8), floats(2, 4, 9)
    want = past.copy()
    want[at[..., 0], at[..., 1]] = new
    with tempfile.TemporaryDirectory() as folder:
        path, text = explained(graph, folder, ["--alias=present=past"])
        assert "in the place of" not in text, text
        library = strata.Library(path)
        tensors = [strata.aligned(x.shape, x.dtype) for x in (past, at, new, q)]
        for tensor, value in zip(tensors, (past, at, new, q)):
            tensor[...] = value
        y, sums = strata.aligned((2, 4, 8), np.float32), strata.aligned((2, 8), np.float32)
        library.call([*tensors, tensors[0], y, sums])
    assert (tensors[0] == want).all()
    check(sums, past.sum(1), "sums of what was")
    check(y, q.astype(np.float64) @ want, "product with what is")


if __name__ == "__main__":
    gpu.use_stand_in()
    for n_bits in (0, 4):
        test_decoder(n_bits, [], f"weights of {n_bits or 32} bits")
        test_decoder(n_bits, ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"], "a card")
        test_decoder_on_device(n_bits)
    for each in ("ScatterND", "linear", "circular"):
        test_scatter(each)
    test_read_elsewhere()
