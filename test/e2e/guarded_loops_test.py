"""Loops that data end, on emulated GPUs: calls that only enqueue, as the stand-in for the driver checks, and calls that are
captured and replayed with other data, which end elsewhere; against the same loops in Python. STRATA_SEED: of the data."""
import copy
import ctypes
import os
import subprocess
import sys
import threading

import numpy as np

import gpu
import strata
from onnx_file import BOOL, FLOAT, FLOAT16, INT64, Graph

gpu.use_stand_in()
random = np.random.default_rng(int(os.environ.get("STRATA_SEED", "31")))
CALLERS = ["--on-gpu-tensors", "--user-device-memory"]
IS_AMD = os.environ.get("STRATA_TEST_DRIVER_ARCH") == "0x942"  # of this process
DEVICES = ["gfx942"] if IS_AMD else ["emulated", "emulated_90"]
UNSUPPORTED, POISON = 3, 0x5A
n_libraries = 0


class Bound:
    """A library with memory of its own for everything that a call takes, which may only enqueue."""

    def __init__(self, graph, device, options=()):
        global n_libraries
        n_libraries += 1
        name = f"guarded_{n_libraries}"
        graph.save(f"{name}.onnx")
        path, _ = strata.compile_library(f"{name}.onnx", ".", name=name,
                                         options=[f"--target={'amdgpu' if IS_AMD else 'nvgpu'}", f"--device={device}",
                                                  *CALLERS, *options])
        self.library, self.driver = gpu.Library(path), gpu.Library._driver
        self.description = self.library.description
        infos = [*self.library.inputs, *self.library.outputs]
        self.sizes = [int(np.prod(info.dims())) * np.dtype(strata.DTYPES[info.dtype]).itemsize for info in infos]
        self.memory = [self.driver.allocate(size) for size in self.sizes]
        self.pool = self.driver.allocate(self.description.device_memory_size(None))
        self.stream, self.owner = self.driver.stream, None
        self.check(self.description.load(None, self.stream))

    def twin(self):
        """The same library with other memory, and a stream of its own."""
        other = copy.copy(self)
        other.owner, other.stream = self, ctypes.c_void_p()
        other.driver.call(other.driver.CALLS["stream"], ctypes.byref(other.stream), 1)
        other.memory = [other.driver.allocate(size) for size in other.sizes]
        other.pool = other.driver.allocate(other.description.device_memory_size(None))
        return other

    def check(self, status):
        assert not status, self.description.error()

    def call(self):
        return self.description.run((ctypes.c_void_p * len(self.memory))(*self.memory), None, self.pool, self.stream)

    def call_twice(self):
        self.statuses = [self.call(), self.call()]
        self.driver.call(self.driver.CALLS["synchronize"], self.stream)

    def enqueue(self):
        self.driver.may_only_enqueue(True)
        status = self.call()
        self.driver.may_only_enqueue(False)
        self.check(status)

    def upload(self, case):
        for info, place in zip(self.library.inputs, self.memory):
            array = np.ascontiguousarray(case[info.name.decode()], strata.DTYPES[info.dtype])
            self.driver.upload(place, array)
            self.driver.synchronize()
        for place, size in list(zip(self.memory, self.sizes))[len(self.library.inputs):]:
            self.driver.upload(place, np.full(size, POISON, np.uint8))
            self.driver.synchronize()

    def results(self):
        results = {}
        for info, place in zip(self.library.outputs, self.memory[len(self.library.inputs):]):
            array = np.empty(info.dims(), strata.DTYPES[info.dtype])
            self.driver.download(array, place)
            results[info.name.decode()] = array
        self.driver.synchronize()
        return results

    def compare(self, what, case, wanted):
        results = self.results()
        for name, value in wanted.items():
            result = results[name]
            if name + "_sizes" in results:
                sizes = results[name + "_sizes"]
                assert tuple(sizes) == np.shape(value), f"{what}, {case}: {name} has {sizes}, not {np.shape(value)}"
                result = result[tuple(slice(0, size) for size in sizes)]
            np.testing.assert_allclose(result, value, rtol=1e-4, atol=1e-5, err_msg=f"{what}, {case}: {name}")

    def close(self):
        for place in [*self.memory, self.pool]:
            self.driver.free(place)
        if self.owner:
            self.driver.call(self.driver.CALLS["close"], self.stream)
        else:
            self.library.unload()


def check(what, graph, function, cases, devices=DEVICES, captured=True, options=()):
    """|function| gives the outputs by name from the inputs by name; |captured|: without it calls may wait."""
    for device in devices:
        bound = Bound(graph, device, options)
        for case in cases:
            bound.upload(case)
            if captured:
                bound.enqueue()
            else:
                bound.check(bound.call())
            bound.compare(f"{what}, {device}", case, function(**case))
        if captured:
            bound.upload(cases[0])
            replay = bound.driver.capture(bound.enqueue)
            for case in (cases[-1], *cases):
                bound.upload(case)
                bound.driver.replay(replay)
                bound.compare(f"{what}, {device}, replayed", case, function(**case))
        bound.close()


# -- loops ------------------------------------------------------------------------------------------------------------

def adding(most):
    """x += step while its first element is below the limit: two states, one of which is passed on, and a product."""
    graph, body = Graph(), Graph(name="body")
    graph.input("x", FLOAT, [37]), graph.input("step", FLOAT, []), graph.input("limit", FLOAT, [])
    graph.input("begins", BOOL, [])
    body.input("i", INT64, []), body.input("go", BOOL, []), body.input("s", FLOAT, [37]), body.input("old", FLOAT, [37])
    body.node("Add", ["s", "step"], ["next"])
    first = body.node("ReduceMin", ["next"], keepdims=0)
    body.node("Less", [first, "limit"], ["still"])
    body.output("still", BOOL, []), body.output("next", FLOAT, [37])
    body.output(body.node("Identity", ["s"]), FLOAT, [37])
    trips = "" if most is None else graph.constant("most", np.array(most))
    graph.node("Loop", [trips, "begins", "x", "x"], ["y", "before"], body=body)
    graph.output("y", FLOAT, [37]), graph.output("before", FLOAT, [37])
    return graph


def run_adding(most):
    def run(x, step, limit, begins):
        old, i = x, 0
        while begins and (most is None or i < most):
            old, x, i = x, x + step, i + 1
            begins = x.min() < limit
        return {"y": x, "before": old}
    return run


def starts(*counts):
    """Data that end |adding| after so many iterations, of which none is made where it does not begin."""
    x = random.integers(0, 50, 37).astype(np.float32)
    return [dict(x=x, step=np.float32(1), limit=np.float32(x.min() + count), begins=np.array(count > 0))
            for count in counts]


def check_ends():
    for most in (1, 2, 7, 64):
        counts = sorted({0, 1, 2, most - 1, most, most + 3, int(random.integers(0, most + 1))})
        check(f"at most {most}", adding(most), run_adding(most), starts(*counts))


def check_long():
    """A call waits where all flags are used; so many iterations as have one can be captured, and no more."""
    counts = (0, 1, 3, 63, 64, 65, 129, 1023, 1024, 1025)
    for most in (65, 1024):
        fitting = [count for count in counts if count <= most + 1]
        check(f"at most {most}", adding(most), run_adding(most), starts(*fitting), ["emulated"])
    for most in (1025, None):
        check(f"at most {most}, asked", adding(most), run_adding(most), starts(*counts), ["emulated"], False)
    check("2100", adding(None), run_adding(None), starts(2047, 2048, 2049, 2100), ["emulated"], False)
    for most in (65, 1024):
        bound = Bound(adding(most), "emulated")
        bound.upload(starts(2)[0])
        replay = bound.driver.capture(lambda: bound.check(bound.call()))
        for case in starts(0, 1, 64, 65, most - 1, most, most + 1):
            bound.upload(case)
            bound.driver.replay(replay)
            bound.compare(f"{most}, replayed", case, run_adding(most)(**case))
        bound.close()
    bound = Bound(adding(1025), "emulated")
    driver = bound.driver
    driver.call("cuStreamBeginCapture_v2", driver.stream, 0)
    status, captured = bound.call(), ctypes.c_void_p()
    driver.call("cuStreamEndCapture", driver.stream, ctypes.byref(captured))
    assert status == UNSUPPORTED and b"of 1025 iterations at most" in bound.description.error(), status
    case, = starts(1025)
    bound.upload(case)
    bound.check(bound.call())
    bound.compare("after a capture that failed", case, run_adding(1025)(**case))
    bound.close()


def nested(outer_most, inner_most, is_outer_open=True):
    """An inner loop that ends by a condition in an outer one that does, or that is counted."""
    inner = Graph(name="inner")
    inner.input("j", INT64, []), inner.input("on", BOOL, []), inner.input("p", FLOAT, [5])
    inner.node("Add", [inner.node("Mul", ["p", "factor"]), inner.node("Cast", ["j"], to=FLOAT)], ["p2"])
    inner.node("Less", [inner.node("ReduceMax", ["p2"], keepdims=0), inner.node("Add", ["bound", "offset"])], ["on2"])
    inner.output("on2", BOOL, []), inner.output("p2", FLOAT, [5])
    outer = Graph(name="outer")
    outer.input("i", INT64, []), outer.input("go", BOOL, []), outer.input("u", FLOAT, [5])
    outer.constant("few", np.array(inner_most)), outer.constant("tenth", np.float32(0.1))
    outer.node("Cast", ["i"], ["offset"], to=FLOAT)
    begins = outer.node("Less", [outer.node("ReduceMin", ["u"], keepdims=0), "offset"])
    outer.node("Loop", ["few", begins, "u"], ["u2"], body=inner)
    outer.node("Mul", ["u2", "tenth"], ["u3"])
    if is_outer_open:
        outer.node("Less", [outer.node("ReduceSum", ["u3"], keepdims=0), "bound"], ["go2"])
    else:
        outer.node("Identity", ["go"], ["go2"])
    outer.output("go2", BOOL, []), outer.output("u3", FLOAT, [5])
    graph = Graph()
    graph.input("x", FLOAT, [5]), graph.input("factor", FLOAT, [5]), graph.input("bound", FLOAT, [])
    graph.input("begins", BOOL, []), graph.constant("most", np.array(outer_most))
    graph.node("Loop", ["most", "begins" if is_outer_open else "", "x"], ["y"], body=outer)
    graph.output("y", FLOAT, [5])

    def run(x, factor, bound, begins):
        u, i = x.astype(np.float64), 0
        begins = begins or not is_outer_open
        while begins and i < outer_most:
            j, on = 0, u.min() < i
            while on and j < inner_most:
                u, j = u * factor + j, j + 1
                on = u.max() < bound + i
            u, i = u * 0.1, i + 1
            begins = not is_outer_open or u.sum() < bound
        return {"y": u}
    return graph, run


def nested_cases():
    return [dict(x=np.sort(random.uniform(-3, 3, 5)).astype(np.float32),
                 factor=random.uniform(-1, 1.5, 5).astype(np.float32), bound=np.float32(bound), begins=np.array(begins))
            for bound, begins in ((20, True), (4, True), (-9, True), (4, False), (100, True), (2, True))]


def check_nested():
    for is_open in (True, False):
        graph, run = nested(9, 6, is_open)
        check(f"nested, {is_open}", graph, run, nested_cases())


def launches(bound, call):
    """How many the stand-in carries out of a call."""
    before = bound.driver.executed()
    call()
    bound.driver.synchronize()
    return bound.driver.executed() - before


def check_told():
    """A device that keeps up says at once that a loop has ended: one iteration is enqueued in vain."""
    for device in DEVICES:
        bound, counts = Bound(adding(500), device), (0, 1, 2, 7, 64, 65, 200)
        bound.driver.is_prompt(True)
        made = []
        for case in starts(*counts):
            bound.upload(case)
            made.append(launches(bound, bound.enqueue))
            bound.compare(f"told, {device}", case, run_adding(500)(**case))
        wanted = [made[0] + count * (made[1] - made[0]) for count in counts]
        assert made == wanted and made[1] > made[0], f"{device}: {made} launches, expected {wanted}"
        bound.driver.is_prompt(False)
        late = launches(bound, bound.enqueue)
        assert late > 500 * (made[1] - made[0]), f"{device}: {late} launches of a device that is late"
        bound.close()


def check_told_nested():
    """The same of loops in loops, whose ends are told apart; a device that is late is given all."""
    for device in DEVICES:
        for is_open in (True, False):
            graph, run = nested(9, 6, is_open)
            bound, is_less = Bound(graph, device), False
            for case in nested_cases():
                bound.upload(case)
                late = launches(bound, bound.enqueue)
                bound.upload(case)
                bound.driver.is_prompt(True)
                prompt = launches(bound, bound.enqueue)
                bound.driver.is_prompt(False)
                bound.compare(f"told, nested, {device}", case, run(**case))
                assert prompt <= late, f"{device}: {prompt} launches, of a device that is late {late}"
                is_less |= prompt < late
            assert is_less, f"{device}: as many launches as of a device that is late"
            bound.close()


def check_threads():
    """Calls at the same time, each with memory and a stream of its own, whose loops end in different iterations."""
    for device in DEVICES:
        first = Bound(adding(90), device)
        bounds, cases = [first, first.twin(), first.twin()], starts(3, 80, 17)
        first.driver.is_prompt(True)
        for _ in range(3):
            for bound, case in zip(bounds, cases):
                bound.upload(case)
            threads = [threading.Thread(target=bound.call_twice) for bound in bounds]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for bound, case in zip(bounds, cases):
                assert not any(bound.statuses), bound.statuses
                bound.compare(f"threads, {device}", case, run_adding(90)(**case))
            cases = cases[1:] + cases[:1]
        first.driver.is_prompt(False)
        for bound in reversed(bounds):
            bound.close()


def check_branches():
    """An If by data whose results differ in size: one branch alone runs."""
    graph = Graph()
    x, which = graph.input("x", FLOAT, [6, 4]), graph.input("which", BOOL, [])
    then, other = Graph(name="then"), Graph(name="other")
    then.result(then.node("Exp", [then.node("Neg", [x])]))
    other.result(other.node("ReduceSum", [x, other.constant("axis", np.array([0]))]))
    y = graph.node("If", [which], then_branch=then, else_branch=other)
    graph.output(graph.node("Identity", [y], ["y"]), FLOAT, ["n", 4])

    def run(x, which):
        return {"y": np.exp(-x.astype(np.float64)) if which else x.astype(np.float64).sum(0, keepdims=True)}
    check("branches", graph, run, [dict(x=random.standard_normal((6, 4)).astype(np.float32), which=np.array(which))
                                   for which in (True, False, True)])


def check_decoder(vocabulary=96, width=64, most=12):
    """A greedy decoder: a row of a table, a product, the greatest; what it gives is collected."""
    table = random.standard_normal((vocabulary, width)).astype(np.float16)
    weights = (random.standard_normal((width, vocabulary)) * 0.2).astype(np.float16)
    graph, body = Graph(opset=13), Graph(name="body")
    graph.input("first", INT64, [1]), graph.input("stop", INT64, [])
    graph.constant("most", np.array(most)), graph.constant("yes", np.array(True))
    body.constant("table", table), body.constant("weights", weights)
    body.input("i", INT64, []), body.input("go", BOOL, []), body.input("token", INT64, [1])
    scores = body.node("MatMul", [body.node("Gather", ["table", "token"]), "weights"])
    body.node("ArgMax", [scores], ["next"], axis=1, keepdims=0)
    ends = body.node("Equal", [body.node("ReduceMax", ["next"], keepdims=0), "stop"])
    body.output(body.node("Not", [ends]), BOOL, []), body.output("next", INT64, [1])
    body.output(body.node("Identity", ["next"]), INT64, [1])
    graph.node("Loop", ["most", "yes", "first"], ["last", "tokens"], body=body)
    graph.output("last", INT64, [1]), graph.output("tokens", INT64, ["n", 1])

    def run(first, stop):
        tokens, token = [], int(first[0])
        while len(tokens) < most and (not tokens or token != stop):
            token = int(np.argmax(table[token].astype(np.float64) @ weights.astype(np.float64)))
            tokens.append(token)
        return {"last": [token], "tokens": np.array(tokens).reshape(-1, 1)}
    first = np.array([int(random.integers(vocabulary))])
    chain = run(first, -1)["tokens"][:, 0]
    check("greedy decoder", graph, run, [dict(first=first, stop=np.array(stop))
                                         for stop in (chain[0], chain[1], chain[min(5, most - 1)], -1)])


if __name__ == "__main__":
    check_ends()
    check_nested()
    check_told()
    check_told_nested()
    check_threads()
    check_branches()
    check_decoder()
    if not IS_AMD:
        check_long()
        subprocess.run([sys.executable, *sys.argv], check=True, env={**os.environ, "STRATA_TEST_DRIVER_ARCH": "0x942"})
    print(f"{n_libraries} libraries passed")
