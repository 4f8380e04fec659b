"""Loops whose end data decide (Loop with a condition that its body computes, or with a number of iterations that is an
input), and loops without iterations, against the same loops in Python: on the cpu in default and exact arithmetic and
on the emulated GPU."""
import ctypes

import numpy as np

import gpu
import strata
from onnx_file import BOOL, FLOAT, FLOAT16, INT32, INT64, UINT8, Graph

gpu.use_stand_in()
MODES = {
    "cpu": [],
    "exact": ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"],
    "gpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"],
    "user": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32", "--on-gpu-tensors",
             "--user-device-memory"],
}
UNSUPPORTED = 3  # STRATA_UNSUPPORTED
n_libraries = 0


def compile_graph(graph, options):
    global n_libraries
    n_libraries += 1
    name = f"while_{n_libraries}"
    graph.save(f"{name}.onnx")
    path, _ = strata.compile_library(f"{name}.onnx", ".", name=name, options=options)
    library = (gpu.Library if "--target=nvgpu" in options else strata.Library)(path)
    library.may_wait = True
    return library


def check(what, graph, function, cases):
    """|function| gives the outputs by name from the inputs, arrays by name; each of |cases| is such inputs."""
    for mode, options in MODES.items():
        library = compile_graph(graph, options)
        for case in cases:
            expected = function(**case)
            results = library.run([case[info.name.decode()] for info in library.inputs])
            for result, info in zip(results, library.outputs):
                name = info.name.decode()
                assert result.shape == np.shape(expected[name]), f"{what}, {mode}: {result.shape}"
                np.testing.assert_allclose(result, expected[name], rtol=1e-4, atol=1e-5,
                                           err_msg=f"{what}, {mode}, {case}: {name}")


def body(states, iteration="i", condition="go"):
    """|states|: names, types and shapes."""
    graph = Graph(name="body")
    graph.input(iteration, INT64, []), graph.input(condition, BOOL, [])
    for state in states:
        graph.input(*state)
    return graph


def floats(*values):
    return np.array(values, np.float32)


#===-- A condition -------------------------------------------------------------------------------------------------===

def doubling(counts=False, seen=True):
    """x = 2x + i while the sum is below the limit; the first condition is as in tf2onnx, computed in front of it."""
    inner = body([("s", FLOAT, [3])])
    inner.node("Add", [inner.node("Add", ["s", "s"]), inner.node("Cast", ["i"], to=FLOAT)], ["next"])
    inner.node("Less", [inner.node("ReduceSum", ["next"], keepdims=0), "limit"], ["still"])
    inner.output("still", BOOL, []), inner.output("next", FLOAT, [3])
    return inner


def run_doubling(x, limit, most=1 << 40, begins=None):
    x, i = x.astype(np.float64), 0
    begins = x.sum() < limit if begins is None else begins
    while i < most and begins:
        x, i = 2 * x + i, i + 1
        begins = x.sum() < limit
    return {"y": x}


STARTS = [dict(x=floats(*x), limit=np.float32(limit))
          for x in ((1, 2, 3), (1, 0.5, 0), (0.01, 0, 0)) for limit in (0, 5, 10, 1000, 1e6)]


def first_condition(graph):
    return graph.node("Less", [graph.node("ReduceSum", ["x"], keepdims=0), "limit"])


def while_loop(count=None):
    graph = Graph()
    graph.input("x", FLOAT, [3]), graph.input("limit", FLOAT, [])
    trips = graph.constant("count", count) if count is not None else ""
    graph.node("Loop", [trips, first_condition(graph), "x"], ["y"], body=doubling())
    graph.output("y", FLOAT, [3])
    return graph


def check_while():
    check("while", while_loop(), run_doubling, STARTS)
    check("while, of INT64_MAX", while_loop(np.array(2**63 - 1)), run_doubling, STARTS)
    for most in (1, 2, 7):
        check(f"while, {most} at most", while_loop(np.array([most])), lambda x, limit: run_doubling(x, limit, most),
              STARTS)


def check_known_beginning():
    """There is no first condition, or it is true: the body runs at least once."""
    for given in ("", "yes"):
        graph = Graph()
        graph.input("x", FLOAT, [3]), graph.input("limit", FLOAT, [])
        graph.constant("yes", np.array([True]))
        graph.node("Loop", ["", given, "x"], ["y"], body=doubling())
        graph.output("y", FLOAT, [3])
        check("do while", graph, lambda x, limit: run_doubling(x, limit, begins=True), STARTS)


def check_limit_and_condition():
    """Both are inputs: it ends on whichever comes first."""
    graph = Graph()
    graph.input("x", FLOAT, [3]), graph.input("limit", FLOAT, [])
    graph.input("most", INT64, [1]), graph.input("begins", BOOL, [])
    graph.node("Loop", ["most", "begins", "x"], ["y"], body=doubling())
    graph.output("y", FLOAT, [3])
    check("limit and condition", graph, lambda x, limit, most, begins: run_doubling(x, limit, most[0], begins),
          [dict(case, most=np.array([most]), begins=np.array(begins))
           for case in STARTS[::2] for most in (-1, 0, 1, 3, 50) for begins in (False, True)])


def check_limit():
    """The number of iterations is an input, the condition passed on: x = x/2 + i, and a state that counts."""
    for shape in ([], [1]):
        inner = body([("s", FLOAT, [2, 5]), ("k", INT32, [])])
        inner.constant("half", np.float32(0.5)), inner.constant("two", np.array(2, np.int32))
        inner.node("Add", [inner.node("Mul", ["s", "half"]), inner.node("Cast", ["i"], to=FLOAT)], ["next"])
        inner.node("Add", ["k", "two"], ["k2"]), inner.node("Identity", ["go"], ["go2"])
        inner.output("go2", BOOL, []), inner.output("next", FLOAT, [2, 5]), inner.output("k2", INT32, [])
        graph = Graph()
        graph.input("most", INT64, shape), graph.input("x", FLOAT, [2, 5]), graph.input("k0", INT32, [])
        graph.node("Loop", ["most", "", "x", "k0"], ["y", "k"], body=inner)
        graph.output("y", FLOAT, [2, 5]), graph.output("k", INT32, [])

        def run(most, x, k0):
            x = x.astype(np.float64)
            for i in range(int(most.reshape(()))):
                x = x / 2 + i
            return {"y": x, "k": k0 + 2 * np.maximum(most.reshape(()), 0)}

        x = np.arange(10, dtype=np.float32).reshape(2, 5)
        check("limit", graph, run, [dict(most=np.array(most).reshape(shape), x=x, k0=np.array(7, np.int32))
                                    for most in (-5, 0, 1, 2, 3, 33)])


def check_kinds_of_states():
    """States of several types, two that change places, one that stays, the number itself, a product with weights."""
    weights = (np.arange(35 * 35).reshape(35, 35) % 11 - 5).astype(np.float32) / 60
    states = [("a", FLOAT, [3, 35]), ("b", FLOAT, [3, 35]), ("same", FLOAT, [35]), ("h", FLOAT16, [5]),
              ("u", UINT8, [2]), ("flags", BOOL, [3]), ("last", INT64, [])]
    inner = body(states)
    inner.constant("w", weights), inner.constant("three", np.array([3], np.uint8))
    inner.constant("quarter", np.array([0.25], np.float16)), inner.constant("flip", np.array([True, False, True]))
    inner.node("Tanh", [inner.node("Add", [inner.node("MatMul", ["a", "w"]), "same"])], ["b2"])
    inner.node("Identity", ["b"], ["a2"]), inner.node("Identity", ["same"], ["same2"])
    inner.node("Add", ["h", "quarter"], ["h2"]), inner.node("Add", ["u", "three"], ["u2"])
    inner.node("Xor", ["flags", "flip"], ["flags2"]), inner.node("Identity", ["i"], ["last2"])
    total = inner.node("ReduceSum", [inner.node("Abs", ["b2"])], keepdims=0)
    inner.node("Greater", [total, "least"], ["still"])
    inner.output("still", BOOL, [])
    for (name, kind, shape), result in zip(states, ("a2", "b2", "same2", "h2", "u2", "flags2", "last2")):
        inner.output(result, kind, shape)
    graph = Graph()
    graph.input("begins", BOOL, [1]), graph.input("least", FLOAT, [])
    names = [graph.input(f"{name}0", kind, shape) for name, kind, shape in states]
    graph.node("Loop", ["", "begins", *names], [name for name, _, _ in states], body=inner)
    for state in states:
        graph.output(*state)

    def run(begins, least, a0, b0, same0, h0, u0, flags0, last0):
        a, b, h, u, flags, last, i = a0.astype(np.float64), b0, h0, u0, flags0, last0, 0
        while begins.reshape(()):
            a, b = b, np.tanh(a @ weights + same0)
            h, u, flags, last, i = h + np.float16(0.25), u + np.uint8(3), flags ^ [True, False, True], i, i + 1
            begins = np.abs(b).sum() > least
        return dict(a=a, b=b, same=same0, h=h, u=u, flags=flags, last=last)

    a, b = np.sin(np.arange(105)).reshape(3, 35).astype(np.float32), np.cos(np.arange(105)).reshape(3, 35)
    given = dict(a0=a, b0=b.astype(np.float32), same0=np.linspace(-0.01, 0.01, 35, dtype=np.float32),
                 h0=np.arange(5).astype(np.float16), u0=np.array([250, 3], np.uint8),
                 flags0=np.array([True, True, False]), last0=np.array(-1))
    check("kinds of states", graph, run, [dict(given, begins=np.array([begins]), least=np.float32(least))
                                          for begins, least in ((False, 0), (True, 1e9), (True, 10), (True, 2.5))])


#===-- Nested ------------------------------------------------------------------------------------------------------===

def check_nested():
    """Open loops in open ones, and in counted ones, and these in open ones; the inner ones see values of all levels."""
    for kinds in (("open", "open"), ("counted", "open"), ("open", "counted"), ("limit", "open"), ("open", "limit")):
        inner = body([("p", FLOAT, [3])], "j", "on")
        inner.node("Add", [inner.node("Mul", ["p", "factor"]), inner.node("Cast", ["j"], to=FLOAT)], ["p2"])
        if kinds[1] == "open":
            inner.node("Less", [inner.node("ReduceMax", ["p2"], keepdims=0), inner.node("Add", ["bound", "offset"])],
                       ["on2"])
        else:
            inner.node("Identity", ["on"], ["on2"])
        inner.output("on2", BOOL, []), inner.output("p2", FLOAT, [3])
        outer = body([("u", FLOAT, [3])])
        outer.constant("six", np.array(6)), outer.constant("tenth", np.float32(0.1))
        outer.node("Cast", ["i"], ["offset"], to=FLOAT)
        outer.node("Loop", [{"counted": "six", "limit": "few", "open": ""}[kinds[1]], "", "u"], ["u2"], body=inner)
        outer.node("Mul", ["u2", "tenth"], ["u3"])
        if kinds[0] == "open":
            outer.node("Less", [outer.node("ReduceSum", ["u3"], keepdims=0), "bound"], ["go2"])
        else:
            outer.node("Identity", ["go"], ["go2"])
        outer.output("go2", BOOL, []), outer.output("u3", FLOAT, [3])
        graph = Graph()
        graph.input("x", FLOAT, [3]), graph.input("factor", FLOAT, [3]), graph.input("bound", FLOAT, [])
        graph.input("few", INT64, []), graph.input("begins", BOOL, [])
        graph.constant("five", np.array(5)), graph.constant("most", np.array(9))
        trips = {"counted": "five", "limit": "few", "open": "most"}[kinds[0]]
        graph.node("Loop", [trips, "begins" if kinds[0] == "open" else "", "x"], ["y"], body=outer)
        graph.output("y", FLOAT, [3])

        def run(x, factor, bound, few, begins):
            u, go, i = x.astype(np.float64), begins or kinds[0] != "open", 0
            while go and i < {"counted": 5, "limit": few, "open": 9}[kinds[0]]:
                on, j = True, 0
                while on and j < {"counted": 6, "limit": few, "open": 1 << 40}[kinds[1]]:
                    u, j = u * factor + j, j + 1
                    on = u.max() < bound + i or kinds[1] != "open"
                u, i = u * 0.1, i + 1
                go = u.sum() < bound or kinds[0] != "open"
            return {"y": u}

        check(f"{kinds[1]} in {kinds[0]}", graph, run,
              [dict(x=floats(1, 2, 3), factor=floats(1.5, 0.5, -1), bound=np.float32(bound), few=np.array(few),
                    begins=np.array(begins))
               for bound, few, begins in ((20, 3, True), (4, 0, True), (4, 1, False), (1, 7, True))])


#===-- A known end ---------------------------------------------------------------------------------------------------===

def check_no_iterations():
    """What a loop without iterations collects has no elements, and is joined to what others give."""
    inner = body([("s", FLOAT, [2])])
    inner.node("Add", ["s", "s"], ["s2"]), inner.node("Identity", ["go"], ["go2"])
    inner.node("Less", ["s2", "x"], ["less"])
    inner.output("go2", BOOL, []), inner.output("s2", FLOAT, [2])
    inner.output("s2", FLOAT, [2]), inner.output("less", BOOL, [2])
    rows = Graph(name="rows")
    rows.input("state", FLOAT, [2]), rows.input("row", FLOAT, [2])
    rows.node("Add", ["state", "row"], ["sum"]), rows.node("Neg", ["sum"], ["minus"])
    rows.output("sum", FLOAT, [2]), rows.output("minus", FLOAT, [2])
    for count, begins in ((0, True), (3, False), (-2, True)):
        graph = Graph()
        graph.input("x", FLOAT, [2])
        graph.constant("n", np.array(count)), graph.constant("yes", np.array(begins))
        graph.node("Loop", ["n", "yes", "x"], ["y", "every", "less"], body=inner)
        graph.constant("none", np.zeros((2, 0), np.float32))
        graph.node("Scan", ["x", "none"], ["z", "minus"], body=rows, num_scan_inputs=1, scan_input_axes=[1],
                   scan_output_axes=[1])
        graph.node("Concat", ["every", graph.node("Unsqueeze", ["y", graph.constant("zero", np.array([0]))])],
                   ["joined"], axis=0)
        for name, kind, shape in (("y", FLOAT, [2]), ("every", FLOAT, [0, 2]), ("less", BOOL, [0, 2]),
                                  ("z", FLOAT, [2]), ("minus", FLOAT, [2, 0]), ("joined", FLOAT, [1, 2])):
            graph.output(name, kind, shape)
        check("no iterations", graph, lambda x: dict(
            y=x, every=np.zeros((0, 2)), less=np.zeros((0, 2), bool), z=x, minus=np.zeros((2, 0)), joined=x[None]),
              [dict(x=floats(1, 2))])


def check_known_end():
    """A condition of constants only, as a counter has it: a loop of so many iterations, which collects values too."""
    inner = body([("s", FLOAT, [2]), ("k", INT64, [])])
    inner.constant("three", np.array(3)), inner.constant("bound", np.array(30))
    inner.node("Add", ["k", "three"], ["k2"]), inner.node("Sin", [inner.node("Add", ["s", "step"])], ["s2"])
    inner.node("Less", ["k2", "bound"], ["still"])
    inner.output("still", BOOL, []), inner.output("s2", FLOAT, [2]), inner.output("k2", INT64, [])
    inner.output("s2", FLOAT, [2])
    graph = Graph()
    graph.input("x", FLOAT, [2]), graph.input("step", FLOAT, [2])
    graph.constant("start", np.array(1))
    graph.node("Loop", ["", "", "x", "start"], ["y", "k", "every"], body=inner)
    graph.output("y", FLOAT, [2]), graph.output("k", INT64, []), graph.output("every", FLOAT, [10, 2])

    def run(x, step):
        every = []
        for _ in range(10):
            x = np.sin(x.astype(np.float64) + step)
            every.append(x)
        return {"y": x, "k": 31, "every": np.array(every)}

    check("a known end", graph, run, [dict(x=floats(1, 2), step=floats(0.5, -1))])
    affine = strata.strata(graph.save("known.onnx"), "--compile-to=affine")
    assert "strata.count = 10" in affine and "strata.condition" not in affine, "unrolled, or open"


def check_many_iterations():
    """A condition of constants only that is true too often to unroll."""
    inner = body([("s", FLOAT, []), ("k", INT64, [])])
    inner.constant("one", np.array(1)), inner.constant("bound", np.array(10000)), inner.constant("f", np.float32(0.5))
    inner.node("Add", ["k", "one"], ["k2"]), inner.node("Add", [inner.node("Mul", ["s", "f"]), "f"], ["s2"])
    inner.node("Less", ["k2", "bound"], ["still"])
    inner.output("still", BOOL, []), inner.output("s2", FLOAT, []), inner.output("k2", INT64, [])
    graph = Graph()
    graph.input("x", FLOAT, []), graph.constant("zero", np.array(0))
    graph.node("Loop", ["", "", "x", "zero"], ["y", "k"], body=inner)
    graph.output("y", FLOAT, []), graph.output("k", INT64, [])
    check("many iterations", graph, lambda x: {"y": 1, "k": 10000}, [dict(x=np.float32(3))])


#===-- What cannot be ----------------------------------------------------------------------------------------------===

def refused(what, graph, *pieces):
    try:
        strata.strata(graph.save("refused.onnx"), "--compile-to=import")
    except strata.CompileError as error:
        assert all(piece in str(error) for piece in ("(node culprit)", *pieces)), f"{what}: {error}"
        return
    raise AssertionError(f"{what}: no error")


def check_refusals():
    inner = doubling()
    inner.output("next", FLOAT, [3])
    nothing = "it collects values, one an iteration ('next'), and nothing says how many at most"
    for trips, begins, pieces in (("", "yes", ("data decide", nothing)), ("few", "", ("--bound few=N",)),
                                  ("", "begins", ("'begins'", nothing))):
        graph = Graph()
        graph.input("x", FLOAT, [3]), graph.input("limit", FLOAT, [])
        graph.input("few", INT64, []), graph.input("begins", BOOL, []), graph.constant("yes", np.array(True))
        graph.node("Loop", [trips, begins, "x"], ["y", "every"], name="culprit", body=inner)
        graph.output("y", FLOAT, [3]), graph.output("every", FLOAT, ["n", 3])
        refused("what an open loop collects", graph, *pieces)
    grows = body([("s", FLOAT, [1])])
    grows.node("Concat", ["s", "s"], ["s2"], axis=0)
    grows.node("Less", [grows.node("ReduceSum", ["s2"], keepdims=0), "limit"], ["still"])
    grows.output("still", BOOL, []), grows.output("s2", FLOAT, [2])
    graph = Graph()
    graph.input("x", FLOAT, [1]), graph.input("limit", FLOAT, [])
    graph.node("Loop", ["", "", "x"], ["y"], name="culprit", body=grows)
    graph.output("y", FLOAT, ["n"])
    refused("a state that grows", graph, "the shape or type of its state 'x' changes ('s2')")
    endless = body([("s", FLOAT, [1])])
    endless.node("Add", ["s", "s"], ["s2"]), endless.node("Identity", ["go"], ["still"])
    endless.output("still", BOOL, []), endless.output("s2", FLOAT, [1])
    graph = Graph()
    graph.input("x", FLOAT, [1])
    graph.node("Loop", ["", "", "x"], ["y"], name="culprit", body=endless)
    graph.output("y", FLOAT, [1])
    refused("an endless loop", graph, "it never ends")
    unknown = doubling()
    unknown.node("Frobnicate", ["s"], ["t"], name="inside")
    graph = Graph()
    graph.input("x", FLOAT, [3]), graph.input("limit", FLOAT, []), graph.input("few", INT64, [])
    graph.node("Loop", ["few", "", "x"], ["y"], name="culprit", body=unknown)
    graph.output("y", FLOAT, [3])
    refused("an unknown operator inside", graph, "inside", "Frobnicate")
    noise = doubling()
    noise.node("RandomUniform", [], ["noise"], name="draw", shape=[3])
    graph = Graph()
    graph.input("x", FLOAT, [3]), graph.input("limit", FLOAT, [])
    graph.node("Loop", ["", "", "x"], ["y"], name="culprit", body=noise)
    graph.output("y", FLOAT, [3])
    refused("random numbers", graph, "(node draw)", "each iteration needs other numbers")


def check_uncollected():
    """What nobody reads need not be collected."""
    inner = doubling()
    inner.output("next", FLOAT, [3])
    graph = Graph()
    graph.input("x", FLOAT, [3]), graph.input("limit", FLOAT, [])
    graph.node("Loop", ["", first_condition(graph), "x"], ["y", "every"], body=inner)
    graph.output("y", FLOAT, [3])
    check("uncollected", graph, run_doubling, STARTS[::3])


#===-- What callers see --------------------------------------------------------------------------------------------===

def count_launches(library, case):
    seen = []
    trace = strata.TRACE(lambda user, launch, threads, nanoseconds: seen.append(launch))
    library.description.set_trace(trace, None)
    library.run([case[info.name.decode()] for info in library.inputs])
    library.description.set_trace(ctypes.cast(None, strata.TRACE), None)
    return seen


def check_trace():
    """Each iteration's launches have the same places in the description's list; what follows has those behind."""
    graph = while_loop()
    graph.node("Exp", [graph.node("Neg", ["y"])], ["z"]), graph.output("z", FLOAT, [3])
    for mode in ("cpu", "gpu"):
        library = compile_graph(graph, MODES[mode])
        seen = [count_launches(library, dict(x=floats(1, 1, 1), limit=np.float32(limit))) for limit in (0, 4, 8, 16)]
        every = list(range(len(library.launches)))
        assert seen[1] == every, f"{mode}: {seen[1]} of {every}"
        inside = [place for place in every if place not in seen[0]]
        assert inside and inside == list(range(inside[0], inside[-1] + 1)), f"{mode}: {inside}"
        for times, places in enumerate(seen):
            assert places == every[:inside[0]] + times * inside + every[inside[-1] + 1:], f"{mode}: {places}"


def check_capture():
    """A loop without a bound has to be asked and cannot be captured, as the call says; the capture goes on, and so does
    the library. guarded_loops_test.py has those that can."""
    library = compile_graph(while_loop(), MODES["user"])
    case = STARTS[3]
    library.run([case["x"], case["limit"]])
    driver = library._driver
    memory = [driver.allocate(size) for size in (12, 4, 12, library.description.device_memory_size(None))]
    driver.call("cuStreamBeginCapture_v2", driver.stream, 0)
    status = library.description.run((ctypes.c_void_p * 3)(*memory[:3]), None, memory[3], driver.stream)
    assert status == UNSUPPORTED and b"of which 1024 can be captured" in library.description.error(), status
    captured = ctypes.c_void_p()
    driver.call("cuStreamEndCapture", driver.stream, ctypes.byref(captured))
    result, = library.run([case["x"], case["limit"]])
    np.testing.assert_allclose(result, run_doubling(**case)["y"])


def check_words():
    graph = while_loop()
    graph.save("words.onnx")
    for options, waits in ([], False), (["--target=nvgpu", "--device=emulated"], True):
        output = strata.strata("words.onnx", "--aot", "--aot-name=words", "-o", ".", "--explain", *options)
        assert "loop loop0 is Loop_y: data decide before each iteration" in output, output
        with open("words.h", encoding="utf-8") as file:
            header = file.read()
        for text in (output, header):
            assert ("captured" in text) == waits, text


if __name__ == "__main__":
    check_while()
    check_known_beginning()
    check_limit_and_condition()
    check_limit()
    check_kinds_of_states()
    check_nested()
    check_no_iterations()
    check_known_end()
    check_many_iterations()
    check_refusals()
    check_uncollected()
    check_trace()
    check_capture()
    check_words()
    print(f"{n_libraries} libraries passed")
