"""Random networks compute the same with fusion on and off, and need no more kernels with it. `fusion_test.py SEED` tries
another seed."""
import sys

import numpy as np

import strata
from network import Network

N_NETWORKS = 4 if strata.SANITIZED else 16


def check(network, i):
    with open("network.mlir", "w") as file:
        file.write(network.standalone_text())
    inputs, results, launches = network.feed(), [], []
    for kind, options in (("fused", []), ("apart", ["--polyblocks-disable-affine-fusion"])):
        path, _ = strata.compile_library("network.mlir", ".", name=f"{kind}_{i}", options=options)
        library = strata.Library(path)
        results.append(library.run(inputs))
        launches.append(len(library.launches))
    assert launches[0] <= launches[1], f"network {i}: {launches[0]} launches fused, {launches[1]} apart"
    for name, fused, apart in zip(network.results, *results):
        if not np.allclose(fused, apart, rtol=1e-3, atol=1e-4):
            sys.exit(f"network {i}: {name} differs by {np.abs(fused - apart).max()}\n{network.text()}")


seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
for i in range(N_NETWORKS):
    check(Network(np.random.default_rng([seed, i])), i)
print(f"{N_NETWORKS} networks passed")
