"""Running sums, and positions of extreme elements, of lines that lie along the innermost axis, on an emulated device:
blocks have a line or a part of one (lowering/strata_to_affine/lanes.c). Beside numpy, in higher precision. STRATA_SEED:
of the data."""
import os
import sys
import tempfile

import numpy as np

import strata
from counted_sizes_test import DEVICES, run
from onnx_file import ELEMENT_TYPES, Graph

random = np.random.default_rng(int(os.environ.get("STRATA_SEED", "27")))
# Shorter than a block's lanes, as long, longer, and cut into parts with something left and without.
SUMS = [([64], np.int32), ([100], np.float32), ([3, 1024], np.float32), ([2, 1025], np.int64),
        ([2, 3, 777], np.float32), ([8192], np.float32), ([2, 20011], np.int32), ([70, 9000], np.float32), ([70, 130], np.float16),
        ([3, 30000], np.float16), ([100003], np.float32), ([1003, 128], np.float32), ([2051, 67], np.int64)]
PLACES = [([100], np.float32), ([3, 1024], np.float32), ([2, 20257], np.float16), ([9216], np.float32),
          ([5, 2049], np.uint8), ([1, 9001], np.uint32), ([70, 300], np.int32), ([2, 3, 777], np.int8),
          ([9, 65], np.int64), ([1003, 128], np.float32), ([2051, 67], np.int32)]


def is_float(dtype):
    return np.issubdtype(dtype, np.floating)


def graph_of(shape, dtype, nodes):
    graph = Graph()
    graph.input("x", ELEMENT_TYPES[np.dtype(dtype)], shape)
    for result in nodes(graph):
        graph.result(result)
    return graph


def check_sums(shape, dtype):
    def nodes(graph):
        axis = graph.constant("axis", np.array(-1))
        return [graph.node("CumSum", ["x", axis], exclusive=exclusive, reverse=reverse)
                for exclusive in (0, 1) for reverse in (0, 1)]

    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, graph_of(shape, dtype, nodes), ["x"], 4, DEVICES["emulated"])
        x = random.standard_normal(shape) if is_float(dtype) else random.integers(-1000, 1000, shape)
        x = x.astype(dtype)
        wide = x.astype(np.float64 if is_float(dtype) else np.int64)
        sums, back = wide.cumsum(-1), wide[..., ::-1].cumsum(-1)[..., ::-1]
        for i, (got, want) in enumerate(zip(call(x), (sums, back, sums - wide, back - wide))):
            most = np.abs(want).max() * (1e-3 if dtype == np.float16 else 1e-6) if is_float(dtype) else 0
            np.testing.assert_allclose(got, want, rtol=0, atol=most, err_msg=f"{shape} {dtype}, result {i}")


def values(shape, dtype, kind):
    """Ties, any, and what is no number."""
    if not is_float(dtype):
        info = np.iinfo(dtype)
        return random.integers(*((0, 3) if kind == 0 else (info.min, info.max)), shape).astype(dtype)
    x = random.standard_normal(shape)
    if kind == 0:
        x = np.round(x)  # 0 and -0 are equal
    if kind == 2:
        x[..., 3], x[..., 4] = np.inf, -np.inf
        x[0 if len(shape) > 1 else slice(None)][..., [shape[-1] // 2, -3]] = np.nan
    return x.astype(dtype)


def check_places(shape, dtype):
    def nodes(graph):
        return [graph.node(op, ["x"], axis=-1, keepdims=0, select_last_index=last)
                for op in ("ArgMax", "ArgMin") for last in (0, 1)]

    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, graph_of(shape, dtype, nodes), ["x"], 4, DEVICES["emulated"])
        for kind in range(3):
            x, end = values(shape, dtype, kind), shape[-1] - 1
            back = x[..., ::-1]
            wanted = (x.argmax(-1), end - back.argmax(-1), x.argmin(-1), end - back.argmin(-1))
            for i, (got, want) in enumerate(zip(call(x), wanted)):
                np.testing.assert_array_equal(got, want, err_msg=f"{shape} {dtype} {kind}, result {i}")


if __name__ == "__main__":
    strata.report([(f"{check.__name__} {shape} {np.dtype(dtype)}", lambda c=check, s=shape, d=dtype: c(s, d))
                   for check, cases in ((check_sums, SUMS), (check_places, PLACES)) for shape, dtype in cases
                   if not sys.argv[1:] or check.__name__ in sys.argv[1:]])
