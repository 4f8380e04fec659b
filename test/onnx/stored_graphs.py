"""The file of random graphs with their results, stored_graphs.npz: written by test/fuzz/graphs/store.py.

`list` has a line of JSON for each graph: its seed and its options. For graph k there are `k.model`, the ModelProto;
`k.inputs` and `k.values`, the bytes of all inputs and of all outputs, one behind the other; and `k.errors`, for each
element of each output the exponent of 2 of what it may be off: EXACT or NOT_COMPARED, too.
"""
import json
import os

import numpy as np

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stored_graphs.npz")
EXACT, NOT_COMPARED = -128, 127


def exponents(tolerance):
    """Tolerances rounded up to powers of 2."""
    with np.errstate(divide="ignore", over="ignore"):
        exponent = np.clip(np.ceil(np.log2(tolerance)), EXACT + 1, NOT_COMPARED - 1)
    exponent = np.where(tolerance == 0, EXACT, exponent)
    return np.where(np.isfinite(tolerance), exponent, NOT_COMPARED).astype(np.int8)


def _joined(arrays):
    contents = [np.frombuffer(np.asarray(array).tobytes(), np.uint8) for array in arrays]
    return np.concatenate(contents or [np.zeros(0, np.uint8)])


class Stored:
    """A graph: |model|, |inputs|, |values| and |errors| as in the file."""

    def __init__(self, about, model, inputs, values, errors):
        self.about, self.parts = about, {"model": model, "inputs": inputs, "values": values, "errors": errors}

    @staticmethod
    def of(about, model, inputs, values, errors):
        return Stored(about, np.frombuffer(model, np.uint8), _joined(inputs), _joined(values),
                      np.concatenate([error.ravel() for error in errors]))

    def take(self, part, sizes):
        """A part cut into pieces of so many bytes."""
        return np.split(self.parts[part], np.cumsum(sizes)[:-1])

    def size(self):
        return sum(part.size for part in self.parts.values())


def save(graphs, path=PATH):
    entries = {f"{k}.{part}": content for k, graph in enumerate(graphs) for part, content in graph.parts.items()}
    np.savez_compressed(path, list="\n".join(json.dumps(graph.about) for graph in graphs), **entries)


def load(path=PATH):
    with np.load(path) as file:
        abouts = [json.loads(line) for line in str(file["list"]).splitlines()]
        return [Stored(about, *(file[f"{k}.{part}"] for part in ("model", "inputs", "values", "errors")))
                for k, about in enumerate(abouts)]
