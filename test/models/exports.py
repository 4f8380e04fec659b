"""Models as exporters write them, compiled with no option at all, beside ONNX Runtime at several sets of sizes:

    venv/bin/python test/models/exports.py FOLDER [NAME...] [--target cpu|emulated] [--sets 5]

FOLDER has of each model NAME.onnx, its graph, the weights of which are external, and NAME.json, a recipe: the
weights, as materialise.py draws them, the sizes that the exporter's example had (`dims`), and what the inputs look
like. The first set is the example's sizes, the second the least ones, the others are drawn, more in the place of those
that ONNX Runtime refuses; a condition that is an input takes both values at each. Detections are compared as tied
scores allow (Detections). Needs onnx and onnxruntime (PyPI) and numpy.
"""
import argparse
import dataclasses
import itertools
import json
import os
import shutil
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, reference

import materialise

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import gpu  # noqa: E402
import strata  # noqa: E402

TARGETS = {"cpu": [], "emulated": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}
SIDES = {"h", "w", "height", "width"}  # of images, of which a backbone needs some pixels
LEAST_SIDE = 64
FIXED = {"num_channels", "kv_cache_dim", "nb_points_per_image"}  # that the model itself has, whatever it calls them
# Of a model's integers those that count something: what they are less than.
LESS_THAN = {
    "edge_index": lambda sizes: sizes["nodes"],
    "indices": lambda sizes: np.array([100000, 50000, 20000, 5000, 1000, 100, 30, 10])[:, None],  # rows of tables
}
SUMS = {"total_sequence_length": "past_sequence_length + sequence_length"}  # of names that do not say so
EVALUATED = {"llama_small_opset23"}  # by the onnx package: ONNX Runtime's RotaryEmbedding of opset 23 takes no batches
TRIES = 20          # for each set of sizes that is compared
ERROR = 1e-4        # relative, by the norm of a result
UNITS = 4           # of the last place, by which scores may differ


# -- detections -------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Detections:
    """Values of the graph that a detector's results are chosen from: corners, scores and labels of candidates, and the
    factors of an image's width and height. What is chosen depends on the last bits of the scores where these tie: of a
    Faster R-CNN with random weights, 150 of whose scores are within a twentieth of a unit of the last place of an f32
    in exact arithmetic, ONNX Runtime itself keeps 74 to 86 of the 100 that f64 would. So what is asked is whether the
    choice is a right one of the scores, each of them as near as rounding lets it be.
    """
    boxes: str
    scores: str
    labels: str
    factors: tuple
    overlap: float
    most: int

    def names(self):
        return [self.boxes, self.scores, self.labels, *self.factors]

    def error(self, got, values):
        """The largest relative error of the corners and scores; infinite where the choice is none of the right ones."""
        boxes, scores, labels, wide, high = (np.asarray(value, np.float64) for value in values)
        boxes = boxes * np.array([wide, high, wide, high])
        own_boxes, own_labels, own_scores = (np.asarray(value, np.float64) for value in got)
        kept, worst = [], 0.0
        for box, label, score in zip(own_boxes, own_labels, own_scores):
            away = np.abs(boxes - box).max(axis=1, initial=0) / np.abs(boxes).max(initial=1e-30)
            away[(labels != label) | np.isin(np.arange(len(boxes)), kept)] = np.inf
            if not away.size or away.min() > ERROR or not near(score, scores[away.argmin()]):
                return np.inf
            kept.append(int(away.argmin()))
            worst = max(worst, away.min(), abs(score / scores[kept[-1]] - 1))
        overlaps = overlaps_of(boxes, labels, kept)
        left = np.setdiff1d(np.arange(len(boxes)), kept)
        is_dropped = (overlaps[left] > self.overlap - ERROR) & at_most(scores[left, None], scores[kept][None])
        is_last = at_most(scores[left], scores[kept].min(initial=np.inf)) if len(kept) == self.most else False
        is_right = len(kept) <= self.most and np.all(is_last | is_dropped.any(axis=1)) and \
            np.all(np.triu(overlaps[kept], 1) <= self.overlap + ERROR) and \
            at_most(own_scores[1:], own_scores[:-1]).all()
        return worst if is_right else np.inf


def near(a, b):
    return np.abs(a - b) <= UNITS * np.spacing(np.abs(b).astype(np.float32)).astype(np.float64)


def at_most(a, b):
    return (a <= b) | near(a, b)


def overlaps_of(boxes, labels, kept):
    """Of each box and each that is |kept|, of one label, what they have in common, of both together."""
    low, high = boxes[:, :2], boxes[:, 2:]
    area = np.prod(high - low, axis=1)
    sides = np.minimum(high[:, None], high[kept]) - np.maximum(low[:, None], low[kept])
    common = np.prod(np.maximum(sides, 0), axis=2)
    together = area[:, None] + area[kept] - common
    return np.where(labels[:, None] == labels[kept], common / np.maximum(together, 1e-30), 0)


DETECTORS = {
    "fasterrcnn_legacy": Detections("/roi_heads/Gather_16_output_0", "/roi_heads/Gather_17_output_0",
                                    "/roi_heads/Gather_18_output_0", ("/Div_1_output_0", "/Div_output_0"), 0.5, 100),
}


# -- a model ----------------------------------------------------------------------------------------------------------

class Export:
    """A model of the folder, its weights drawn, and ONNX Runtime's session of it."""

    def __init__(self, source, name, folder):
        self.name, self.detections = name, DETECTORS.get(name)
        with open(os.path.join(source, name + ".json"), encoding="utf-8") as file:
            self.recipe = json.load(file)
        self.path = shutil.copy(os.path.join(source, name + ".onnx"), folder)
        with open(os.path.join(folder, name + ".data"), "wb") as file:
            materialise.write_weights(self.recipe, file)
        model = onnx.load(self.path, load_external_data=False)
        constants = {tensor.name for tensor in model.graph.initializer}
        self.inputs = [value for value in model.graph.input if value.name not in constants]
        self.n_outputs = len(model.graph.output)
        attributes = itertools.chain.from_iterable(node.attribute for node in model.graph.node)
        for attribute in (each for each in attributes if each.name == "accuracy_level"):
            attribute.i = 1  # f32, as ours: by more ONNX Runtime rounds what weights of 4 bits are multiplied with
        for value in self.detections.names() if self.detections else []:
            model.graph.output.append(helper.make_empty_tensor_value_info(value))
        beside = os.path.join(folder, f"{name}.wider.onnx")
        onnx.save(model, beside)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # nothing of unused initializers, nor of sizes that it refuses
        self.session = reference.ReferenceEvaluator(beside) if name in EVALUATED else \
            onnxruntime.InferenceSession(beside, options, providers=["CPUExecutionProvider"])

    def sizes(self, random):
        """Sets of what the names of sizes stand for, without end; a name that is a sum follows from its parts."""
        dims = self.recipe["dims"]
        for k in itertools.count():
            found = {}
            for name, size in dims.items():
                least = LEAST_SIDE if name in SIDES else 1
                drawn = int(random.integers(least, max(2 * size, least) + 3))
                found[name] = size if k == 0 or name in FIXED else least if k == 1 else drawn
            for name in dims:
                parts = SUMS.get(name, name).split("+")
                if len(parts) > 1:
                    found[name] = sum(int(part) if part.strip().isdigit() else found[part.strip()] for part in parts)
            yield found

    def feeds(self, sizes, random):
        """The inputs, for both values of each condition among them."""
        conditions = [value.name for value in self.inputs if self.kind(value) == np.bool_]
        for values in itertools.product([True, False], repeat=len(conditions)):
            yield {value.name: self.draw(value, sizes, random) for value in self.inputs} | {
                name: np.array([is_true]) for name, is_true in zip(conditions, values)}

    @staticmethod
    def kind(value):
        return helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)

    def draw(self, value, sizes, random):
        kind, how = self.kind(value), self.recipe.get("inputs", {}).get(value.name, {})
        shape = [dim.dim_value if dim.HasField("dim_value") else sizes[dim.dim_param]
                 for dim in value.type.tensor_type.shape.dim]
        if kind.kind not in "iu":
            return (random.standard_normal(shape) * how.get("std", 1) + how.get("mean", 0)).astype(kind)
        if "mask" in value.name:
            return np.ones(shape, kind)
        if "position" in value.name:
            return np.broadcast_to(np.arange(shape[-1]) + how.get("low", 0), shape).astype(kind)
        least, most = how.get("low", 0), how.get("high", 100)
        most = LESS_THAN.get(value.name, lambda _: max(most, least + 1))(sizes)
        return random.integers(least, most, shape).astype(kind)

    def wanted(self, feeds):
        """What ONNX Runtime gives; None where it does not take such sizes, as a batch of prompts with a past."""
        try:
            return self.session.run(None, feeds)
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
            return None

    def error(self, got, wanted):
        """The largest relative error of the results."""
        if self.detections:
            return self.detections.error(got, wanted[self.n_outputs:])
        return max(difference(*pair) for pair in zip(got, wanted))


def difference(got, wanted):
    if got.shape != wanted.shape:
        return np.inf
    if wanted.dtype.kind in "iub":
        return 0.0 if np.array_equal(got, wanted) else np.inf
    got, wanted = got.astype(np.float64), wanted.astype(np.float64)
    is_finite = np.isfinite(wanted)
    if not np.array_equal(got[~is_finite], wanted[~is_finite], equal_nan=True):
        return np.inf
    return np.linalg.norm((got - wanted)[is_finite]) / (np.linalg.norm(wanted[is_finite]) + 1e-30)


def run(library, feeds, n_outputs):
    """The results, of their true sizes."""
    names = [info.name.decode() for info in library.inputs]
    values = [feeds[name] for name in names]
    outputs = library.run(values, library.sizes_of([value.shape for value in values]))
    found = {info.name.decode(): value for info, value in zip(library.outputs, outputs)}
    results = list(found)[:n_outputs]
    for name in results:
        sizes = found.get(name + "_sizes", found[name].shape)
        found[name] = found[name][tuple(slice(int(size)) for size in sizes)]
    return [found[name] for name in results]


def compare(arguments, name):
    """Prints the largest error of each set of sizes; how many are wrong."""
    random, wrong, compared = np.random.default_rng(strata.run_seed()), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        export = Export(arguments.folder, name, folder)
        library = strata.Library(strata.compile_library(export.path, folder, name, TARGETS[arguments.target])[0])
        for sizes in itertools.islice(export.sizes(random), TRIES * arguments.sets):
            given = list(export.feeds(sizes, random))
            wanted = [export.wanted(feeds) for feeds in given]
            if None in wanted:
                continue
            errors = [export.error(run(library, feeds, export.n_outputs), values)
                      for feeds, values in zip(given, wanted)]
            wrong, compared = wrong + int(max(errors) > ERROR), compared + 1
            print(f"{name} {arguments.target} {sizes}: {', '.join(f'{error:.1e}' for error in errors)}", flush=True)
            if compared == arguments.sets:
                break
        library.close()
    assert compared == arguments.sets, f"{name}: ONNX Runtime took {compared} sets of sizes"
    return wrong


def main(arguments):
    gpu.use_stand_in()
    known = sorted(file[:-5] for file in os.listdir(arguments.folder) if file.endswith(".onnx"))
    return sum(compare(arguments, name) for name in arguments.names or known)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--target", choices=TARGETS, default="cpu")
    parser.add_argument("--sets", type=int, default=5)
    sys.exit(min(main(parser.parse_args()), 100))
