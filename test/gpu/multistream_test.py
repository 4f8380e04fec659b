"""Kernels beside one another on several streams, on the emulated device: random graphs of branches, in loops, of sizes
that vary, with results over inputs. The stand-in carries out what streams allow in many orders, of calls and of graphs
that they were captured into, and refuses a fork without its join."""
import ctypes
import json
import os

import numpy as np

import gpu
import onnx_file
import strata
from onnx_file import FLOAT

USER = ["--on-gpu-tensors", "--user-device-memory"]
ORDERS = range(5)


class Branches:
    """A random graph of small integers, as ONNX and as what it computes. |rows| is a number, or a name and a number."""

    def __init__(self, random, rows, columns):
        self.random, self.graph, self.inputs = random, onnx_file.Graph(), []
        self.rows, (self.count, self.columns) = rows, (rows[1] if isinstance(rows, tuple) else rows, columns)
        self.n_constants = 0

    def shape(self, columns):
        return [self.rows[0] if isinstance(self.rows, tuple) else self.rows, columns]

    def input(self):
        name = f"x{len(self.inputs)}"
        self.inputs.append(self.random.integers(-4, 5, (self.count, self.columns)).astype(np.float32))
        return self.graph.input(name, FLOAT, self.shape(self.columns)), self.inputs[-1]

    def constant(self, array):
        self.n_constants += 1
        return self.graph.constant(f"c{self.n_constants}", array)

    def clipped(self, name, array):
        limits = [self.constant(np.float32(limit)) for limit in (-8, 8)]
        return self.graph.node("Clip", [name, *limits]), np.clip(array, -8, 8)

    def unary(self, value):
        op, compute = [("Relu", lambda x: np.maximum(x, 0)), ("Neg", np.negative),
                       ("Abs", np.abs)][self.random.integers(3)]
        return self.graph.node(op, [value[0]]), compute(value[1])

    def binary(self, a, b):
        op, compute = [("Add", np.add), ("Sub", np.subtract), ("Max", np.maximum)][self.random.integers(3)]
        return self.clipped(self.graph.node(op, [a[0], b[0]]), compute(a[1], b[1]))

    def product(self, value):
        w = self.random.integers(-1, 2, (self.columns, self.columns)).astype(np.float32)
        return self.clipped(self.graph.node("MatMul", [value[0], self.constant(w)]), value[1] @ w)

    def reduction(self, value):
        axes = self.constant(np.array([1]))
        summed = self.graph.node("ReduceSum", [value[0], axes], keepdims=1)
        name = self.graph.node("Add", [summed, value[0]])
        return self.clipped(name, value[1].sum(1, keepdims=True) + value[1])

    def scan(self, value):
        return self.clipped(self.graph.node("CumSum", [value[0], self.constant(np.int64(1))]), value[1].cumsum(1))

    def parts(self, a, b):
        """The left half of one beside the right half of the other, each stored by a kernel of its own."""
        half = self.columns // 2
        left = self.graph.node("Slice", [a[0], *(self.constant(np.array([i])) for i in (0, half, 1))])
        right = self.graph.node("Slice", [b[0], *(self.constant(np.array([i])) for i in (half, self.columns, 1))])
        name = self.graph.node("Concat", [self.graph.node("Abs", [left]), self.graph.node("Relu", [right])], axis=1)
        return name, np.concatenate([np.abs(a[1][:, :half]), np.maximum(b[1][:, half:], 0)], 1)

    def chain(self, value):
        for _ in range(self.random.integers(1, 4)):
            value = [self.unary, self.product, self.reduction, self.scan][self.random.integers(4)](value)
        return value

    def block(self, values):
        """Branches off some values, which meet in pairs."""
        branches = [self.chain(values[self.random.integers(len(values))]) for _ in range(self.random.integers(2, 6))]
        while len(branches) > 2 and self.random.integers(3):
            a, b = branches.pop(0), branches.pop(0)
            branches.append(self.parts(a, b) if self.random.integers(2) else self.binary(a, b))
        return branches

    def build(self, path):
        values = [self.input() for _ in range(self.random.integers(1, 4))]
        for _ in range(self.random.integers(1, 4)):
            values = self.block(values)
        for i, (name, _) in enumerate(values):
            self.graph.node("Neg", [name], [f"y{i}"])
            self.graph.output(f"y{i}", FLOAT, self.shape(self.columns))
        self.graph.save(path)
        return [-array for _, array in values]


def compile_streams(path, name, *options, device="emulated", multistream="all"):
    return gpu.Library(strata.compile_library(
        path, "out", name, ["--target=nvgpu", f"--device={device}", "--mm-conv-precision-mode=fp32",
                            f"--multistream={multistream}", *USER, *options])[0])


def stand_in():
    return gpu.Library._driver._dll


def count_waits():
    return stand_in().strata_test_driver_calls(b"cuStreamWaitEvent")


def check_equal(got, expected, what):
    for i, (a, b) in enumerate(zip(got, expected)):
        np.testing.assert_array_equal(a, b, f"{what}, result {i}")


def run_captured(library, inputs, sizes=None):
    """Results of a graph of a call, launched in each order; the second call of the capture writes the same again."""
    driver = library._driver
    library._check(library.description.load(None, driver.stream))
    outputs = [strata.aligned(info.stored() if sizes is None else library.output_shape(i, sizes),
                              strata.DTYPES[info.dtype]) for i, info in enumerate(library.outputs)]
    pool = driver.allocate(library.description.device_memory_size(library.dims(sizes)))
    memory = [driver.allocate(array.nbytes) for array in inputs + outputs]
    graph, instance = ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuStreamBeginCapture_v2", driver.stream, 0)
    for _ in range(2):
        library._call(memory, pool, sizes)
    driver.call("cuStreamEndCapture", driver.stream, ctypes.byref(graph))
    driver.call("cuGraphInstantiateWithFlags", ctypes.byref(instance), graph, ctypes.c_uint64(0))
    for order in ORDERS:
        stand_in().strata_test_driver_order(ctypes.c_ulong(order))
        for array, place in zip(inputs, memory):
            driver.upload(place, array)
        driver.call("cuGraphLaunch", instance, driver.stream)
        for array, place in zip(outputs, memory[len(inputs):]):
            array.fill(0)
            driver.download(array, place)
        driver.synchronize()
        yield order, outputs
    driver.call("cuGraphExecDestroy", instance)
    driver.call("cuGraphDestroy", graph)
    for place in memory + [pool]:
        driver.free(place)


def check_library(library, inputs, expected, sizes=None):
    """Returns how many waits for events a call enqueues."""
    for order in ORDERS:
        stand_in().strata_test_driver_order(ctypes.c_ulong(order))
        before = count_waits()
        check_equal(library.run(inputs, sizes), expected, f"order {order}")
        waits = count_waits() - before
    for order, outputs in run_captured(library, inputs, sizes):
        check_equal(outputs, expected, f"captured, order {order}")
    library.unload()
    return waits


def test_random(random):
    n_forked = 0
    for i in range(12):
        case = Branches(random, int(random.integers(3, 40)), 2 * int(random.integers(2, 20)))
        expected = case.build("branches.onnx")
        options = ["--polyblocks-disable-affine-fusion"] if random.integers(2) else []
        options += [f"--multistream-extra-streams={random.integers(1, 7)}"] if random.integers(2) else []
        options += [f"--multistream-max-parallel={random.integers(2, 9)}"] if random.integers(2) else []
        print(case.count, case.columns, *options, flush=True)
        library = compile_streams("branches.onnx", f"random{i}", *options,
                                  device=["emulated", "emulated_90"][random.integers(2)])
        n_forked += check_library(library, case.inputs, expected) > 0
    assert n_forked > 4, n_forked


def test_varying(random):
    n_forked = 0  # graphs are drawn that have nothing to fork
    for i in range(3):
        case = Branches(random, ("n", int(random.integers(3, 30))), 2 * int(random.integers(2, 16)))
        expected = case.build("varying.onnx")
        library = compile_streams("varying.onnx", f"varying{i}", "--dim", "n=1..64", "--polyblocks-disable-affine-fusion")
        n_forked += check_library(library, case.inputs, expected, [case.count]) > 0
    assert n_forked > 0


def test_loop(_):
    """A scan whose body has branches that meet in its next state."""
    steps, n = 5, 24
    body = onnx_file.Graph()
    state, row = body.input("state", FLOAT, [n]), body.input("row", FLOAT, [n])
    left = body.node("CumSum", [body.node("Add", [state, row]), body.constant("axis", np.int64(0))])
    right = body.node("ReduceMax", [body.node("Sub", [state, row])], keepdims=1)
    limits = [body.constant("low", np.float32(-9)), body.constant("high", np.float32(9))]
    body.node("Clip", [body.node("Add", [left, right]), *limits], ["next"])
    body.node("Neg", ["next"], ["out"])
    body.output("next", FLOAT, [n])
    body.output("out", FLOAT, [n])
    graph = onnx_file.Graph()
    first, rows = graph.input("first", FLOAT, [n]), graph.input("rows", FLOAT, [steps, n])
    graph.node("Scan", [first, rows], ["last", "outs"], body=body, num_scan_inputs=1)
    graph.output("last", FLOAT, [n])
    graph.output("outs", FLOAT, [steps, n])
    graph.save("loop.onnx")
    random = np.random.default_rng(3)
    x, xs = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((n,), (steps, n)))
    value, outs = x, []
    for row in xs:
        value = np.clip((value + row).cumsum() + (value - row).max(), -9, 9)
        outs.append(-value)
    library = compile_streams("loop.onnx", "loop", "--polyblocks-disable-affine-fusion")
    assert check_library(library, [x, xs], [value, np.array(outs)]) >= 2 * steps  # a fork and a join in each


def test_aliased(_):
    """A result that may lie over an input which another stream reads: it is computed elsewhere."""
    graph = onnx_file.Graph()
    x, z = graph.input("x", FLOAT, [8, 64]), graph.input("z", FLOAT, [8, 64])
    axis = graph.constant("axis", np.int64(1))
    graph.node("CumSum", [z, axis], ["y"])
    graph.node("CumSum", [x, axis], ["t"])
    for name in ("y", "t"):
        graph.output(name, FLOAT, [8, 64])
    graph.save("aliased.onnx")
    library = compile_streams("aliased.onnx", "aliased", "--alias", "y=x")
    random = np.random.default_rng(4)
    inputs = [random.integers(-4, 5, (8, 64)).astype(np.float32) for _ in range(2)]
    driver, (x, z) = library._driver or gpu.Driver(), inputs
    library._check(library.description.load(None, driver.stream))
    pool = driver.allocate(library.description.device_memory_size(None))
    memory = [driver.allocate(x.nbytes) for _ in range(3)]
    for order in ORDERS:
        stand_in().strata_test_driver_order(ctypes.c_ulong(order))
        for array, place in zip(inputs, memory):
            driver.upload(place, array)
        before = count_waits()
        library._call([memory[0], memory[1], memory[0], memory[2]], pool, None)
        assert count_waits() == before + 2
        got = [np.empty_like(x) for _ in range(2)]
        for array, place in zip(got, (memory[0], memory[2])):
            driver.download(array, place)
        driver.synchronize()
        check_equal(got, [z.cumsum(1), x.cumsum(1)], f"order {order}")
    library.unload()


def test_model(_):
    """Attention of few blocks beside one another where that pays; what is over soon, and what fills the card, does not."""
    def said(name, heads, size, *options):
        graph = onnx_file.Graph()
        for i in range(3):
            length = size + 64 * i
            q, k, v = (graph.input(f"{letter}{i}", onnx_file.FLOAT16, shape) for letter, shape in
                       (("a", [1, heads, length, 64]), ("b", [1, heads, 64, length]), ("c", [1, heads, length, 64])))
            weights = graph.node("Softmax", [graph.node("MatMul", [q, k])], axis=-1)
            graph.node("MatMul", [weights, v], [f"y{i}"])
            graph.output(f"y{i}", onnx_file.FLOAT16, [1, heads, length, 64])
        graph.save(f"{name}.onnx")
        text = strata.strata(f"{name}.onnx", "--target=nvgpu", "--device=sm_90a", "--compile-to=affine", "--explain", "-o",
                             f"{name}.mlir", *options)
        return [line for line in text.splitlines() if line.startswith("streams: ")]
    assert said("off", 2, 1024) == []
    few = said("few", 2, 1024, "--multistream=1")
    assert few[0].count(" | ") == 2 and "instead of" in few[1], few
    assert said("two", 2, 1024, "--multistream=1", "--multistream-extra-streams=1")[0].count(" | ") == 1
    for name, heads, size in (("short", 2, 64), ("full", 128, 1024)):
        lines = said(name, heads, size, "--multistream=1")
        assert len(lines) == 1 and lines[0].startswith("streams: one"), lines
        assert said(name, heads, size, "--multistream=all")[0].count(" | ") == 2


def test_profile(_):
    """A row a stream of what strata-run writes of a call: launches of a region side by side, what follows behind all."""
    graph = onnx_file.Graph()
    axis = graph.constant("axis", np.int64(1))
    maxima = []
    for i in range(3):  # one branch behind the other, but enqueued in turn
        value = graph.node("CumSum", [graph.input(f"x{i}", FLOAT, [8, 64]), axis])
        maxima.append(graph.node("ReduceMax", [value], keepdims=0))
    graph.node("Sum", maxima, ["y"])
    graph.output("y", FLOAT, [])
    graph.save("profile.onnx")
    compile_streams("profile.onnx", "profile", "--polyblocks-disable-affine-fusion")
    strata.run(os.path.join(strata.BIN, "strata-run"), "out/libprofile.so", "--random", "--profile=profile.json")
    with open("profile.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    rows = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert rows == {1: "stream 0", 2: "stream 1", 3: "stream 2"}, rows
    spans = [(event["tid"], event["ts"], event["ts"] + event["dur"]) for event in events if event["ph"] == "X"]
    first = {row: min(start for tid, start, _ in spans if tid == row) for row in rows}
    assert set(first.values()) == {0} and {row for row, _, _ in spans[:3]} == set(rows), spans
    assert spans[-1][0] == 1 and spans[-1][1] >= max(end for row, _, end in spans if row > 1) - 1e-3, spans
    for row in rows:
        times = [(start, end) for tid, start, end in spans if tid == row]
        assert all(a[1] <= b[0] + 1e-3 for a, b in zip(times, times[1:])), times


if __name__ == "__main__":
    os.makedirs("out", exist_ok=True)
    gpu.report_drawn([("random graphs", test_random), ("sizes that vary", test_varying), ("in a loop", test_loop),
                      ("over an input", test_aliased), ("where it pays", test_model), ("a profile", test_profile)])
