"""Writes test/onnx/stored_graphs.npz: store.py [SEED]. Needs what graphs.py needs.

A hundred small graphs that are right in every mode and whose results ONNX Runtime and the reference agree on, chosen
so that every kind of op is among them.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "support"), os.path.join(HERE, "..", "..", "onnx")]

import numpy as np

import builder
import check
import evaluate
import gpu
import operators
import stored_graphs
from graph import is_float, packed

COUNT = 100
MOST_BYTES = 9000  # of one graph


def stored(graph, judge):
    """The graph as it is stored."""
    errors = []
    for expected in judge.careful():
        tolerance = expected.tolerance
        if is_float(expected.kind):  # and the value is stored rounded
            tolerance = tolerance + np.abs(expected.value) * evaluate.EPSILON[expected.kind]
        errors.append(stored_graphs.exponents(tolerance))
    values = [packed(graph.passed(name), graph.kinds[name]) for name in graph.outputs]
    inputs = [packed(graph.passed(name), graph.kinds[name]) for name in graph.inputs]
    return inputs, values, errors


def candidate(seed):
    """The Stored of a seed, or None."""
    graph = builder.build(seed, operators.KINDS)
    size = sum(packed(graph.passed(name), graph.kinds[name]).nbytes
               for name in graph.inputs + graph.constants + graph.outputs)
    if len(graph.nodes) < 5 or size > MOST_BYTES or "f64" in graph.kinds.values():
        return None, []
    graph.options = [option for option in graph.options if not option.startswith("--device")]
    return graph, sorted({node.op for node in graph.nodes})


def is_good(graph, judge):
    if judge.runtime_notes():
        return False
    try:
        return all(not check.check(graph, mode, judge) for mode in check.MODES)
    except check.Finding as finding:
        print(f"left out: {finding}", flush=True)
        return False


def main(first_seed):
    gpu.use_stand_in()
    seen, chosen, seed = {}, [], first_seed
    while len(chosen) < COUNT:
        graph, ops = candidate(seed)
        wanted = 1 + len(chosen) // 25  # times that an op has been seen before it is no longer looked for
        if graph and any(seen.get(op, 0) < wanted for op in ops):
            judge = check.Judge(graph, seed)
            if is_good(graph, judge):
                about = {"seed": seed, "options": graph.options}
                chosen.append(stored_graphs.Stored.of(about, graph.model(), *stored(graph, judge)))
                for op in ops:
                    seen[op] = seen.get(op, 0) + 1
        seed += 1
    stored_graphs.save(chosen)
    print(f"{COUNT} graphs of {len(seen)} ops, {os.path.getsize(stored_graphs.PATH)} bytes, seeds to {seed}; "
          f"without {sorted(set(operators.KINDS) - set(seen))}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500000)
