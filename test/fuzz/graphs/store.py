"""Writes test/onnx/stored_graphs.npz: store.py [SEED]. Needs what graphs.py needs.

A hundred small graphs that are right in every mode and whose results ONNX Runtime and the reference agree on, chosen
so that every kind of op is among them.
"""
import multiprocessing
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

COUNT, JOBS = 100, 4
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
    """The graph of a seed, or None where it does not suit."""
    graph = builder.build(seed, operators.KINDS)
    size = sum(packed(graph.passed(name), graph.kinds[name]).nbytes
               for name in graph.inputs + graph.constants + graph.outputs)
    if len(graph.nodes) < 5 or size > MOST_BYTES or "f64" in graph.kinds.values():
        return None
    graph.options = [option for option in graph.options if not option.startswith("--device")]
    return graph


def is_good(graph, judge):
    if judge.runtime_notes():
        return False
    try:
        return all(not check.check(graph, mode, judge) for mode in check.MODES)
    except check.Finding as finding:
        print(f"left out: {finding}", flush=True)
        return False


def look_at(seed):
    """The graph of a seed as it is stored, and its ops; None where it is not to be."""
    graph = candidate(seed)
    judge = check.Judge(graph, seed) if graph else None
    if not graph or not is_good(graph, judge):
        return None
    about = {"seed": seed, "options": graph.options}
    return stored_graphs.Stored.of(about, graph.model(), *stored(graph, judge)), {node.op for node in graph.nodes}


def choose(found):
    """COUNT of them, rare ops first looked for: each op once, then twice, and so on."""
    seen, chosen = {}, []
    for graph, ops in found:
        if any(seen.get(op, 0) <= len(chosen) // 25 for op in ops):
            chosen.append(graph)
            seen.update((op, seen.get(op, 0) + 1) for op in ops)
        if len(chosen) == COUNT:
            break
    return chosen, seen


def main(first_seed):
    gpu.use_stand_in()
    with multiprocessing.Pool(JOBS) as pool:
        chosen, seen = choose(filter(None, pool.imap(look_at, range(first_seed, first_seed + 100 * COUNT))))
        pool.terminate()
    stored_graphs.save(chosen)
    print(f"{len(chosen)} graphs of {len(seen)} ops, {os.path.getsize(stored_graphs.PATH)} bytes; "
          f"without {sorted(set(operators.KINDS) - set(seen))}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500000)
