#!/usr/bin/env python3
"""Makes a test model whole: materialise.py MODEL FOLDER

A model is stored here as its graph (MODEL.onnx, whose weights are external data), a recipe (MODEL.json) and samples of
the right answer (MODEL.expected.npz). The weights are random, but the same everywhere: tensor i of the recipe is drawn
from numpy's frozen legacy generator with seed `seed + i`, input i with `seed + 100000 + i`. FOLDER gets the graph,
MODEL.data and one MODEL.<input>.npy an input; what is there already is kept.
"""
import json
import os
import shutil
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST_INPUT_SEED = 100000


def tensor(recipe, seed):
    """One tensor: integers in [low, high), else a normal distribution, perhaps made positive or rounded and clipped."""
    random = np.random.RandomState(seed)
    if "high" in recipe:
        return random.randint(recipe.get("low", 0), recipe["high"], size=recipe["shape"]).astype(recipe["dtype"])
    values = random.standard_normal(recipe["shape"]) * recipe["std"] + recipe["mean"]
    if recipe.get("positive"):
        values = np.abs(values) + 1e-3
    if "clip" in recipe:
        values = np.clip(np.rint(values), -recipe["clip"], recipe["clip"])
    return values.astype(recipe["dtype"])


def recipe_of(model):
    with open(os.path.join(HERE, model + ".json")) as file:
        return json.load(file)


def inputs(model):
    """The model's inputs by name, in the graph's order."""
    recipe = recipe_of(model)
    first = recipe["seed"] + FIRST_INPUT_SEED
    return {entry["name"]: tensor(entry, first + i) for i, entry in enumerate(recipe["inputs"])}


def relative_errors(model, outputs):
    """Of each output, over all sampled elements of the right answer."""
    expected = np.load(os.path.join(HERE, model + ".expected.npz"))
    for k, output in enumerate(outputs):
        assert list(output.shape) == list(expected[f"out{k}_shape"]), output.shape
        want = expected[f"out{k}_sample"].astype(np.float64)
        got = output.reshape(-1)[expected[f"out{k}_index"]].astype(np.float64)
        yield np.linalg.norm(got - want) / np.linalg.norm(want)


def write_whole(path, write):
    """Calls write(file) on a temporary that becomes |path| once complete, so that a file is there whole or not at all."""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "wb") as file:
        write(file)
    os.replace(temporary, path)


def write_weights(recipe, file):
    for i, entry in enumerate(recipe["weights"]):
        file.write(np.ascontiguousarray(tensor(entry, recipe["seed"] + i)).data)


def materialise(model, folder):
    """Returns the path of the whole model in |folder|."""
    os.makedirs(folder, exist_ok=True)
    recipe = recipe_of(model)
    data = os.path.join(folder, model + ".data")
    if not os.path.exists(data):
        write_whole(data, lambda file: write_weights(recipe, file))
    for name, value in inputs(model).items():
        path = os.path.join(folder, f"{model}.{name}.npy")
        if not os.path.exists(path):
            write_whole(path, lambda file, value=value: np.save(file, value))
    graph = os.path.join(folder, model + ".onnx")
    with open(os.path.join(HERE, model + ".onnx"), "rb") as source:
        write_whole(graph, lambda file: shutil.copyfileobj(source, file))
    return graph


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: materialise.py MODEL FOLDER")
    print(materialise(sys.argv[1], sys.argv[2]))
