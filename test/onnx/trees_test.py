"""Ensembles of decision trees give what a walk down each tree in numpy does: all tests of nodes, missing values, numbers
that are exactly a threshold, f32 and f64, all aggregates, several targets; rows of which blocks, a rest and one alone are
done in other ways; on the cpu for any number of rows, for one number, in exact arithmetic, and on the emulated device.
`trees_test.py SEED` tries others."""
import os
import sys

import numpy as np

import gpu
import strata
from onnx_file import DOUBLE, FLOAT, INT64, STRING, Graph

random = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
ML, COLUMNS = "ai.onnx.ml", 5
MODES = {"BRANCH_LEQ": np.less_equal, "BRANCH_LT": np.less, "BRANCH_GTE": np.greater_equal, "BRANCH_GT": np.greater,
         "BRANCH_EQ": np.equal, "BRANCH_NEQ": np.not_equal}
ROWS = [1, 5, 8, 23, 70, 131]
TARGETS = {"nvgpu": ["--target=nvgpu", "--device=emulated_90"], "cpu": ["--target=cpu"],
           "exact": ["--target=cpu", "--mlir-disable-fast-math"]}


class Node:
    """A leaf, whose |weights| are pairs of a target and a number, or a test."""

    def __init__(self, depth, draw_leaf, modes):
        self.is_leaf = depth == 0 or random.random() < 0.15
        if self.is_leaf:
            self.weights = draw_leaf()
            return
        self.mode, self.column = str(random.choice(modes)), int(random.integers(COLUMNS))
        self.threshold = float(random.choice([-np.inf, np.inf, 0, *range(-3, 4)]))
        self.members = sorted(set(random.integers(-4, 5, random.integers(0, 5)).tolist()))
        self.missing = int(random.integers(2))
        self.yes, self.no = (Node(depth - 1, draw_leaf, modes) for _ in range(2))

    def test(self, x):
        if np.isnan(x) and self.missing:
            return True
        return x in self.members if self.mode == "MEMBER" else bool(MODES[self.mode](x, self.threshold))

    def leaf(self, x):
        return self if self.is_leaf else (self.yes if self.test(x[self.column]) else self.no).leaf(x)

    def all(self):
        return [self] if self.is_leaf else [self, *self.yes.all(), *self.no.all()]


def scores(trees, x, n_targets, aggregate="SUM"):
    """Of each row; 0 where no leaf says something."""
    result = np.zeros((len(x), n_targets))
    for row, values in zip(x, result):
        found = [[w for tree in trees for t, w in tree.leaf(row).weights if t == target] for target in range(n_targets)]
        for target, weights in enumerate(found):
            combine = {"SUM": sum, "AVERAGE": lambda w: sum(w) / len(trees), "MIN": min, "MAX": max}[aggregate]
            values[target] = combine(weights) if weights else 0
    return result


def node_lists(trees, what, dtype):
    """The attributes of TreeEnsembleRegressor and -Classifier."""
    names = "treeids nodeids featureids modes values truenodeids falsenodeids missing_value_tracks_true".split()
    rows, weights = [], []
    for number, tree in enumerate(trees):
        nodes = tree.all()
        order = [0, *random.permutation(np.arange(1, len(nodes))).tolist()]  # the root comes first, others anywhere
        ids = {id(nodes[at]): at + 10 for at in range(len(nodes))}
        for at in order:
            node = nodes[at]
            rows.append((number, ids[id(node)], *((0, "LEAF", 0.0, 0, 0, 0) if node.is_leaf else (
                node.column, node.mode, node.threshold, ids[id(node.yes)], ids[id(node.no)], node.missing))))
            weights += [(number, ids[id(node)], t, w) for t, w in (node.weights if node.is_leaf else [])]
    attributes = {f"nodes_{name}": list(column) for name, column in zip(names, zip(*rows))}
    attributes |= {f"{what}_{name}": list(column)
                   for name, column in zip(["treeids", "nodeids", "ids", "weights"], zip(*weights))}
    if dtype == np.float64:
        for name in ("nodes_values", f"{what}_weights"):
            attributes[name + "_as_tensor"] = np.array(attributes.pop(name))
    return attributes


def node_tensors(trees, dtype):
    """The attributes of TreeEnsemble."""
    inner, leaves, members = [], [], []
    for tree in trees:
        for node in tree.all():
            (leaves if node.is_leaf else inner).append(node)
    places = {id(node): at for group in (inner, leaves) for at, node in enumerate(group)}
    for node in inner:
        members += [*node.members, np.nan] if node.mode == "MEMBER" else []
    modes = [*MODES, "MEMBER"]
    return {"nodes_featureids": [n.column for n in inner], "nodes_splits": np.array([n.threshold for n in inner], dtype),
            "nodes_modes": np.array([modes.index(n.mode) for n in inner], np.uint8),
            "nodes_truenodeids": [places[id(n.yes)] for n in inner], "nodes_trueleafs": [int(n.yes.is_leaf) for n in inner],
            "nodes_falsenodeids": [places[id(n.no)] for n in inner], "nodes_falseleafs": [int(n.no.is_leaf) for n in inner],
            "nodes_missing_value_tracks_true": [n.missing for n in inner],
            "membership_values": np.array(members or [np.nan], dtype), "tree_roots": [places[id(t)] for t in trees],
            "leaf_targetids": [n.weights[0][0] for n in leaves], "leaf_weights": np.array([n.weights[0][1] for n in leaves],
                                                                                          dtype)}


def draw_rows(count, dtype):
    x = random.integers(-4, 5, (count, COLUMNS)).astype(dtype) + random.choice([0, 0.5], (count, COLUMNS)).astype(dtype)
    x[random.random(x.shape) < 0.15] = np.nan
    x[random.random(x.shape) < 0.03] = -np.inf
    return x


def weight():
    return float(random.integers(-40, 41)) / 8


def check(name, op, attributes, reference, results, dtype=np.float32, modes=("cpu",), rows=tuple(ROWS)):
    """The results, of an element type and the dims of a row each: of any number of rows, and of one number where the mode
    is not the cpu's."""
    for mode in modes:
        for count in ["rows"] if mode == "cpu" else [13, 64]:
            g = Graph(opset=18)
            x = g.input("x", DOUBLE if dtype == np.float64 else FLOAT, [count, COLUMNS])
            outputs = [f"y{i}" for i in range(len(results))]
            g.node(op, [x], outputs, domain=ML, **attributes)
            for output, (element, shape) in zip(outputs, results):
                g.output(output, element, [count, *shape])
            path, _ = strata.compile_library(g.save(name + ".onnx"), ".", f"{name}_{mode}_{count}", TARGETS[mode])
            library = strata.Library(path)
            for n in rows if count == "rows" else [count]:
                feed = draw_rows(n, dtype)
                for got, want in zip(library.run([feed], [n] if count == "rows" else None), reference(feed)):
                    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5, err_msg=f"{name} {mode} {n} rows")


def regressor(name, n_trees, depth, modes, n_targets, aggregate, per_tree, dtype=np.float32, on=("cpu",)):
    trees = []
    for number in range(n_trees):
        draw = (lambda: [(number % n_targets, weight())]) if per_tree else (
            lambda: [(t, weight()) for t in range(n_targets) if random.random() < 0.8])
        trees.append(Node(depth, draw, modes))
    attributes = node_lists(trees, "target", dtype) | dict(n_targets=n_targets, aggregate_function=aggregate)
    base = [weight() for _ in range(n_targets)]
    check(name, "TreeEnsembleRegressor", attributes | dict(base_values=base),
          lambda x: [scores(trees, x, n_targets, aggregate) + base], [(FLOAT, [n_targets])], dtype, on)


def ensemble(name, dtype):
    trees = [Node(5, lambda: [(int(random.integers(2)), weight())], [*MODES, "MEMBER", "MEMBER"]) for _ in range(6)]
    trees = [t for t in trees if not t.is_leaf]
    check(name, "TreeEnsemble", node_tensors(trees, dtype) | dict(n_targets=2, aggregate_function=1),
          lambda x: [scores(trees, x, 2)], [(DOUBLE if dtype == np.float64 else FLOAT, [2])], dtype)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def classifier(name, n_classes, post, ids, positive=False):
    def draw():
        w = abs(weight()) / 40 if positive else weight() + 1 / 32
        return [(int(random.choice(ids)), w)]
    trees = [Node(4, draw, ["BRANCH_LEQ", "BRANCH_LT"]) for _ in range(9)]
    labels = [3 * c + 7 for c in range(n_classes)]

    def reference(x):
        s = scores(trees, x, n_classes)
        if len(ids) == 1:
            one = s[:, ids[0]]
            chosen = (one > (0.5 if positive else 0)).astype(int)
            s = np.stack([-one if post == "LOGISTIC" or not positive else 1 - one, one], axis=1)
        else:
            chosen = s.argmax(axis=1)
        s = 1 / (1 + np.exp(-s)) if post == "LOGISTIC" else softmax(s) if post == "SOFTMAX" and len(ids) > 1 else s
        return [np.array(labels)[chosen], s]
    attributes = node_lists(trees, "class", np.float32) | dict(classlabels_int64s=labels, post_transform=post)
    check(name, "TreeEnsembleClassifier", attributes, reference, [(INT64, []), (FLOAT, [n_classes])],
          rows=(1, 23))


def labels_are_noted():
    tree = Node(0, lambda: [(0, 1.0), (1, 2.0), (2, 0.5)], [])
    g = Graph()
    x = g.input("x", FLOAT, ["rows", COLUMNS])
    attributes = node_lists([tree], "class", np.float32) | dict(classlabels_strings=["cat", "a */ dog", "cow"])
    y = g.node("TreeEnsembleClassifier", [x], ["label", "p"], domain=ML, **attributes)
    z = g.node("ZipMap", [y[1]], domain=ML, classlabels_strings=["cat", "a */ dog", "cow"])
    g.output(g.node("Identity", [y[0]], ["l"]), STRING, ["rows"]), g.output(z, FLOAT, ["rows", 3])
    path, _ = strata.compile_library(g.save("labels.onnx"), ".", "labels", TARGETS["cpu"])
    label, probabilities = strata.Library(path).run([draw_rows(3, np.float32)], [3])
    assert label.tolist() == [1, 1, 1] and probabilities.tolist() == [[1, 2, 0.5]] * 3
    with open(os.path.join(os.path.dirname(path), "labels.h")) as file:
        header = file.read()
    assert "the numbers of labels: 0 'cat', 1 'a *_ dog', 2 'cow'" in header, header
    assert "a column for each label" in header, header


def refusals():
    """Wrong attributes are errors that name the node, and never more than that."""
    good = dict(nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0],
                nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values=[0.0, 0.0, 0.0], nodes_truenodeids=[1, 0, 0],
                nodes_falsenodeids=[2, 0, 0], target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0],
                target_weights=[1.0, 2.0], n_targets=1)
    for change, message in [
            (dict(nodes_truenodeids=[0, 0, 0]), "a tree has a node below itself"),
            (dict(nodes_truenodeids=[7, 0, 0]), "tree 0 has no node 7"),
            (dict(nodes_nodeids=[0, 1, 1]), "tree 0 has node 1 twice"),
            (dict(nodes_featureids=[99, 0, 0]), "there is no column 99: operand 0 has 5"),
            (dict(nodes_featureids=[-1, 0, 0]), "there is no column -1"),
            (dict(nodes_modes=["BRANCH_ODD", "LEAF", "LEAF"]), "there is no 'BRANCH_ODD'"),
            (dict(nodes_values=[0.0]), "attribute 'nodes_values': expected 3 values, got 1"),
            (dict(target_nodeids=[1, 9]), "tree 0 has no node 9"),
            (dict(target_ids=[0, 1]), "there is no target 1: there are 1"),
            (dict(n_targets=0), "expected 1 target or more, got 0"),
            (dict(base_values=[1.0, 2.0]), "attribute 'base_values': expected 1 values, got 2"),
            (dict(nodes_modes=["BRANCH_LEQ", "BRANCH_LEQ", "LEAF"], nodes_truenodeids=[1, 0, 0]), "below itself")]:
        g = Graph()
        x = g.input("x", FLOAT, [3, COLUMNS])
        g.output(g.node("TreeEnsembleRegressor", [x], name="culprit", domain=ML, **good | change), FLOAT, [3, 1])
        try:
            strata.strata(g.save("wrong.onnx"), "--compile-to=import")
            text = "no error"
        except strata.CompileError as error:
            text = str(error)
        assert message in text and "(node culprit): ai.onnx.ml.TreeEnsembleRegressor: " in text, f"{message}: {text}"


ALL = list(MODES)
CASES = [
    ("all_modes", lambda: regressor("all_modes", 11, 5, ALL, 1, "SUM", True, on=TARGETS)),
    ("doubles", lambda: regressor("doubles", 9, 5, ALL, 1, "SUM", True, np.float64, TARGETS)),
    ("one_tree", lambda: regressor("one_tree", 1, 6, ALL, 1, "AVERAGE", True)),
    ("leaves_alone", lambda: regressor("leaves_alone", 3, 0, ALL, 1, "SUM", True)),
    ("a_target_a_tree", lambda: regressor("a_target_a_tree", 13, 4, ALL[:2], 4, "SUM", True, on=TARGETS)),
    ("all_targets", lambda: regressor("all_targets", 7, 4, ALL[:1], 19, "AVERAGE", False, on=TARGETS)),
    ("ensemble", lambda: ensemble("ensemble", np.float32)),
    ("ensemble_of_doubles", lambda: ensemble("ensemble_of_doubles", np.float64)),
    ("two_by_sign", lambda: classifier("two_by_sign", 2, "LOGISTIC", [0])),
    ("two_by_half", lambda: classifier("two_by_half", 2, "NONE", [0], True)),
    ("three_classes", lambda: classifier("three_classes", 3, "SOFTMAX", [0, 1, 2])),
    ("labels", labels_are_noted),
    ("refusals", refusals),
]

if __name__ == "__main__":
    gpu.use_stand_in()
    strata.report(CASES)
