"""Layout, grouping, coalescing and preparation change no result: random networks with weights, executed before and after.

Every network is lowered to level 2, once left as it is and once with the passes run on it. Both become C functions
through upstream passes alone and are called with the same inputs. `random_networks_test.py SEED` tries another seed.
"""
import ctypes
import os
import re
import sys
import tempfile

import numpy as np

from level2 import BIN, SEPARATOR, compiled, run
from network import Network

TO_AFFINE = "strata-decompose,strata-cse,strata-dce,strata-to-affine"
PASSES = "affine-split-dims,affine-layout,affine-group,affine-coalesce,affine-split-prepare"
N_NETWORKS = 60


def standalone(module, network, tag):
    """The module's functions and constants, with names of their own and with the constants' values."""
    def value(match):
        if match[1] in network.constants:
            return f"{match[0]} = dense<{network.constants[match[1]].tolist()}>"
        return f"{match[0]} = uninitialized"
    module = re.sub(r'^ *memref.global "private" @(\w+) : .*$', value, module, flags=re.M)
    module = re.sub(r"@(\w+)", rf"@\1_{tag}", module)
    module = re.sub(r"#(map|set)(\d*)", rf"#\1\2_{tag}", module)
    return re.sub(r"^module.*\{$|^\}$", "", module, flags=re.M)


def lower(path, networks, passes, kind):
    modules = run(os.path.join(BIN, "strata-opt"), path, "--split-input-file", f"--pipeline={passes}",
                  "--mlir-disable-fast-math").split(SEPARATOR)
    return [standalone(module, network, f"{kind}_{i}") for i, (module, network) in enumerate(zip(modules, networks))]


def build(folder, networks):
    path = os.path.join(folder, "networks.mlir")
    with open(path, "w") as file:
        file.write(SEPARATOR.join(network.text() for network in networks))
    modules = lower(path, networks, TO_AFFINE, "before") + lower(path, networks, f"{TO_AFFINE},{PASSES}", "after")
    return compiled("\n".join(modules), folder)


def call(library, tag, network, inputs):
    if hasattr(library, f"prepare_{tag}"):
        getattr(library, f"prepare_{tag}")()
    outputs = [np.full(network.shapes[name], np.nan, np.float32) for name in network.results]
    getattr(library, f"main_{tag}")(*(ctypes.c_void_p(x.ctypes.data) for x in inputs + outputs))
    return outputs


def check(library, i, network):
    inputs = network.feed()
    before, after = (call(library, f"{kind}_{i}", network, inputs) for kind in ("before", "after"))
    for name, a, b in zip(network.results, before, after):
        if not np.allclose(a, b, rtol=1e-4, atol=1e-5):
            print(f"network {i}: {name} differs by {np.abs(a - b).max()}\n{network.text()}")
            return False
    return True


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    networks = [Network(np.random.default_rng([seed, i])) for i in range(N_NETWORKS)]
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder, networks)
        passed = sum(check(library, i, network) for i, network in enumerate(networks))
    print(f"{passed} of {len(networks)} passed")
    return passed != len(networks)


if __name__ == "__main__":
    sys.exit(main())
