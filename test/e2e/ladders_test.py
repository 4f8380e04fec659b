"""Networks of 10^4 nodes of every kind in test/support/ladders.py compile in seconds: no walk over a network visits a
value once a path to it. Times are of the processor, and two lengths of each kind are compared, so that a busy or slow
machine does not matter: of a quarter of the kinds, others each run. Shorter ones of all kinds compute what they should.
`ladders_test.py KIND...` tries some kinds only, STRATA_ALL=1 all."""
import sys

import numpy as np

import strata
from ladders import KINDS, ladder

CHECKED = 60  # links of the networks that are run
LONG = 4 if strata.SANITIZED else 14  # kinds of which long ones are compiled, five seconds each
LENGTH, FACTOR = (1000, 5) if strata.SANITIZED else (10000, 10)
# Every link of these is code of its own, milliseconds of LLVM's time each.
DEAR = {"attention", "distinct_constants", "fan_of_sums", "last_reads_all", "many_outputs", "scan", "slices_of_one",
        "split_to_many", "transposes", "tree", "growing"}
MOST_GROWTH = 2.5  # over that of the length
LEAST = 0.25  # seconds, of what a compile takes anyway


def compile_ladder(kind, n):
    network = ladder(kind, n)
    network.graph.save("ladder.onnx")
    path, cost = strata.compile_library("ladder.onnx", ".", name=f"{kind}_{n}", options=["--no-verify-each"])
    return network, path, cost


def has_right_results(kind):
    network, path, _ = compile_ladder(kind, CHECKED)
    for got, want in zip(strata.Library(path).run(network.inputs), network.outputs):
        scale = np.abs(want[np.isfinite(want)]).max(initial=1)
        if not np.allclose(got, want.reshape(got.shape), rtol=1e-3, atol=1e-3 * scale):
            print(f"FAIL {kind}: results differ by {np.abs(got - want.reshape(got.shape)).max()} of {scale}")
            return False
    return True


def grows_slowly(kind):
    length = LENGTH // 20 if kind in DEAR else LENGTH
    short, long = (compile_ladder(kind, n)[2].processor_seconds for n in (length // FACTOR, length))
    growth = long / max(short, LEAST)
    print(f"{kind}: {length} links {long:.2f} s, {growth:.1f} times those of {length // FACTOR}", flush=True)
    if growth > MOST_GROWTH * FACTOR:
        print(f"FAIL {kind}: the time to compile grows faster than the network")
    return growth <= MOST_GROWTH * FACTOR


failed = [kind for kind in strata.some(KINDS) if not has_right_results(kind)]
failed += [kind for kind in sys.argv[1:] or strata.drawn(KINDS, LONG) if not grows_slowly(kind)]
sys.exit(f"failed: {' '.join(failed)}" if failed else 0)
