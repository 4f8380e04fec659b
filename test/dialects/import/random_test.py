"""Operators of random numbers: the stream that docs/onnx.md describes, against Philox written anew here; on cpu and on the
emulated GPU. Uniform numbers and what is decided by them agree bit for bit."""
import sys

import numpy as np

import gpu
import strata
from onnx_file import BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, Graph

MASK = np.uint64(0xFFFFFFFF)
TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated"]}
UNSEEDED = 0xFFFFFFFF
failures = 0


def report(name, good, text=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} {text if not good else ''}")


def philox(counter, key):
    """The four words of each counter, four arrays of 32-bit words in u64."""
    c, (k0, k1) = [np.uint64(1) * part for part in counter], key
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [p1 >> np.uint64(32) ^ c[1] ^ np.uint64(k0), p1 & MASK, p0 >> np.uint64(32) ^ c[3] ^ np.uint64(k1), p0 & MASK]
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c


def check_philox():
    """Known answers of the generator."""
    got = [[int(word[0]) for word in philox([np.array([part], np.uint64)] * 4, [part] * 2)] for part in (0, 0xFFFFFFFF)]
    report("Philox itself", got == [[0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8],
                                    [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]], got)


def words(shape, key, call=0):
    place = np.arange(int(np.prod(shape)), dtype=np.uint64)
    rest = [np.full(place.shape, part, np.uint64) for part in (call & 0xFFFFFFFF, call >> 32)]
    return [word.reshape(shape) for word in philox([place & MASK, place >> np.uint64(32), *rest], key)]


def seeded(seed, copy=0):
    return int(np.float32(seed).view(np.uint32)), copy


def uniform32(word):
    return (word >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)


def uniform64(high, low):
    return (high << np.uint64(21) | low >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normal(w):
    u, v = uniform32(w[0]).astype(np.float64) + 2.0**-24, uniform32(w[1]).astype(np.float64)
    return np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v)


def normal64(w):
    u, v = uniform64(w[0], w[1]) + 2.0**-53, uniform64(w[2], w[3])
    return np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v)


P = np.linspace(0, 1, 35, dtype=np.float32).reshape(5, 7)
ODDS = np.log(np.array([[1, 2, 3, 4], [0.5, 0.25, 0.125, 0.125], [0, 0, 1, 0]], np.float32) + 1e-30)


def classes(u, odds):
    sums = np.exp((odds - odds.max(1, keepdims=True)).astype(np.float64)).cumsum(1)
    return (sums[:, None, :] <= u[..., None] * sums[:, None, -1:]).sum(2)


def loop(graph):
    """Six draws of a node with a seed: each iteration has numbers of its own, so the loop is unrolled."""
    body = Graph(name="body")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.node("Identity", ["go"], ["on"])
    body.node("RandomUniform", [], ["draw"], shape=[4], seed=5.0)
    body.output("on", BOOL, [])
    body.output("draw", FLOAT, [4])
    graph.node("Loop", [graph.constant("n", np.int64(6)), ""], ["looped"], body=body)


def model():
    """The graph, and what each output is, with its tolerance."""
    graph, expected = Graph(opset=22), {}
    p, odds = graph.input("p", FLOAT, P.shape), graph.input("odds", FLOAT, ODDS.shape)

    def case(name, op, inputs, values, element_type, call=0, tolerance=0, n_outputs=1, **attributes):
        graph.node(op, inputs, [name, *(f"{name}{i}" for i in range(1, n_outputs))], **attributes)
        graph.output(name, element_type, values(call).shape)
        expected[name] = (values, tolerance)

    case("u", "RandomUniform", [], lambda call: uniform32(words((3, 11), seeded(7), call)[0]), FLOAT, shape=[3, 11], seed=7.0)
    case("u64", "RandomUniform", [], lambda call: uniform64(*words((9,), seeded(7), call)[:2]), DOUBLE, shape=[9], seed=7.0,
         dtype=DOUBLE)
    case("ranged", "RandomUniformLike", [p], lambda call: -1 + 3 * uniform32(words(P.shape, (1, UNSEEDED), call)[0]), FLOAT,
         low=-1.0, high=2.0, tolerance=1e-6)
    case("u16", "RandomUniformLike", [p], lambda call: uniform32(words(P.shape, (2, UNSEEDED), call)[0]).astype(np.float16),
         FLOAT16, dtype=FLOAT16)
    case("z", "RandomNormal", [], lambda call: 2 + 0.5 * normal(words((40, 50), seeded(-1.5), call)), FLOAT,
         shape=[40, 50], seed=-1.5, mean=2.0, scale=0.5, tolerance=1e-4)
    case("z64", "RandomNormal", [], lambda call: normal64(words((13,), seeded(2), call)), DOUBLE, shape=[13], seed=2.0,
         dtype=DOUBLE, tolerance=1e-4)
    case("like", "RandomNormalLike", [p], lambda call: normal(words(P.shape, (3, UNSEEDED), call)), FLOAT, tolerance=1e-4)
    case("coins", "Bernoulli", [p], lambda call: uniform32(words(P.shape, seeded(9), call)[0]) < P, BOOL, seed=9.0, dtype=BOOL)
    case("picks", "Multinomial", [odds],
         lambda call: classes(uniform32(words((3, 200), seeded(4), call)[0]), ODDS), INT32, sample_size=200, seed=4.0)
    ratio, training = graph.constant("ratio", np.float32(0.25)), graph.constant("training", np.bool_(True))

    def dropped(call):
        return np.where(uniform32(words(P.shape, (6, 0), call)[0]) >= 0.25, P / 0.75, 0)

    case("dropped", "Dropout", [p, ratio, training], dropped, FLOAT, n_outputs=2, tolerance=1e-6, seed=6)
    graph.output("dropped1", BOOL, P.shape)
    expected["dropped1"] = (lambda call: uniform32(words(P.shape, (6, 0), call)[0]) >= 0.25, 0)
    loop(graph)
    graph.output("looped", FLOAT, [6, 4])
    expected["looped"] = (lambda call: np.stack([uniform32(words((4,), seeded(5, i), call)[0]) for i in range(6)]), 0)
    return graph.save("random.onnx"), expected


def check(target, library, feed, expected, call):
    for info, got in zip(library.outputs, library.run(feed)):
        values, tolerance = expected[info.name.decode()]
        want = values(call)
        good = got.shape == want.shape and np.allclose(got.astype(np.float64), want, rtol=tolerance, atol=tolerance)
        report(f"{target} {info.name.decode()} of call {call}", good, f"\n{got}\n{want}")


def statistics():
    """Of many numbers: the moments, the share of each sixteenth, and that neighbours know nothing of each other."""
    graph = Graph(opset=22)
    for name, op in (("u", "RandomUniform"), ("z", "RandomNormal")):
        graph.node(op, [], [name], shape=[1 << 20])
        graph.output(name, FLOAT, [1 << 20])
    library, _ = strata.compile_library(graph.save("many.onnx"), ".", "many")
    u, z = (x.astype(np.float64) for x in strata.Library(library).run([]))
    n = u.size
    shares = np.histogram(u, 16, (0, 1))[0]
    report("uniform numbers", abs(u.mean() - 0.5) < 5 / np.sqrt(12 * n) and u.min() >= 0 and u.max() < 1 and
           ((shares - n / 16)**2 / (n / 16)).sum() < 50, f"{u.mean()} {shares}")
    report("normal numbers", abs(z.mean()) < 5 / np.sqrt(n) and abs(z.var() - 1) < 0.01 and
           abs((z**4).mean() - 3) < 0.05 and 4 < np.abs(z).max() < 6, f"{z.mean()} {z.var()} {(z**4).mean()}")
    report("neighbours", max(abs(np.corrcoef(x[:-1], x[1:])[0, 1]) for x in (u, z)) < 0.005)


def main():
    gpu.use_stand_in()
    check_philox()
    path, expected = model()
    for target, options in TARGETS.items():
        library, _ = strata.compile_library(path, ".", f"random_{target}", options)
        check(target, strata.Library(library), [P, ODDS], expected, 0)
        library, _ = strata.compile_library(path, ".", f"varied_{target}", [*options, "--seed-input=call"])
        for call in (0, 1, 5 << 32 | 7):
            check(target, strata.Library(library), [P, ODDS, np.int64(call)], expected, call)
    statistics()
    try:
        strata.strata(path, "--compile-to=import", "--seed-input=p")
        report("a name that is taken", False)
    except strata.CompileError as error:
        report("a name that is taken", "--seed-input" in str(error) and "'p'" in str(error), str(error))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
