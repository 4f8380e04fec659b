"""Operators of ai.onnx.ml besides trees: what they say, in numpy; whatever is no number is refused. Rows are any number."""
import numpy as np

import strata
from onnx_file import FLOAT, INT64, STRING, Graph

random = np.random.default_rng(0)
ML, COLUMNS = "ai.onnx.ml", 4
ROWS = (1, 11, 64)


def draw(*shape):
    return [float(x) for x in (random.integers(-16, 17, shape) / 8).flat]


def matrix(values):
    return np.array(values).reshape(-1, COLUMNS)


def floats(count):
    return (random.integers(-20, 21, (count, COLUMNS)) / 8).astype(np.float32)


def numbers(count):
    return random.integers(0, 6, (count, COLUMNS))


def missing(count):
    x = floats(count)
    x[random.random(x.shape) < 0.3] = np.nan
    return x


def check(name, op, attributes, reference, results, feed=floats):
    """|results|: element type and the dims of a row."""
    g = Graph()
    x = g.input("x", INT64 if feed is numbers else FLOAT, ["rows", COLUMNS])
    outputs = [f"y{i}" for i in range(len(results))]
    g.node(op, [x], outputs, domain=ML, **attributes)
    for output, (element, shape) in zip(outputs, results):
        g.output(output, element, ["rows", *shape])
    path, _ = strata.compile_library(g.save(name + ".onnx"), ".", name, ["--target=cpu"])
    for count in ROWS:
        x = feed(count)
        for got, want in zip(strata.Library(path).run([x], [count]), reference(x)):
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5, err_msg=f"{name}, {count} rows")


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


POST = {"NONE": lambda x: x, "LOGISTIC": sigmoid, "SOFTMAX": softmax}


def linear(post, targets):
    c, b = draw(targets * COLUMNS), draw(targets)
    after = POST[post] if targets > 1 else POST["NONE"]
    check(f"linear_{post}_{targets}", "LinearRegressor", dict(coefficients=c, intercepts=b, targets=targets, post_transform=post),
          lambda x: [after(x @ matrix(c).T + b)], [(FLOAT, [targets])])


def linear_classes(post, classes):
    c, b = draw(classes * COLUMNS), [x + 1 / 64 for x in draw(classes)]
    labels = np.arange(max(classes, 2)) * 5 - 3

    def reference(x):
        s = x @ matrix(c).T + b
        if classes > 1:
            return labels[s.argmax(axis=1)], POST[post](s)
        both = sigmoid(np.hstack([-s, s])) if post == "LOGISTIC" else np.hstack([1 - s, s])
        return labels[(s[:, 0] > 0).astype(int)], both
    check(f"classes_{post}_{classes}", "LinearClassifier", dict(coefficients=c, intercepts=b, classlabels_ints=labels.tolist(),
          post_transform=post), reference, [(INT64, []), (FLOAT, [len(labels)])])


GAMMA, COEF0, DEGREE = 0.25, 0.5, 3.0
KERNELS = {"LINEAR": lambda x, v: x @ v.T, "POLY": lambda x, v: (GAMMA * x @ v.T + COEF0) ** DEGREE,
           "RBF": lambda x, v: np.exp(-GAMMA * ((x[:, None] - v) ** 2).sum(axis=2)),
           "SIGMOID": lambda x, v: np.tanh(GAMMA * x @ v.T + COEF0)}


def machine(kernel, one_class=0):
    v, c, rho = draw(7 * COLUMNS), draw(7), [0.03]
    check(f"machine_{kernel}_{one_class}", "SVMRegressor", dict(kernel_type=kernel, kernel_params=[GAMMA, COEF0, DEGREE], support_vectors=v,
          n_supports=7, coefficients=c, rho=rho, one_class=one_class),
          lambda x: [(lambda y: np.where(y > 0, 1, -1) if one_class else y)(
              KERNELS[kernel](x.astype(float), matrix(v)) @ np.array(c) + rho)[:, None]], [(FLOAT, [1])])


def coupled(r):
    """Of pairs (0, 1), (0, 2), ...: the p of sum 1 that makes the sum of (r_ji p_i - r_ij p_j)^2 least."""
    k = next(k for k in range(2, 99) if k * (k - 1) // 2 == r.shape[1])
    i, j = np.triu_indices(k, 1)
    result = []
    for row in np.clip(r, 1e-7, 1 - 1e-7):
        m = np.zeros((k, k))
        m[i, j], m[j, i] = row, 1 - row
        q = np.diag((m.T ** 2).sum(axis=1)) - m * m.T
        system = np.block([[q, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        result.append(np.linalg.solve(system, [0] * k + [1])[:k])
    return np.array(result)


def machine_classes(kernel, sizes, probabilities=()):
    n, k = sum(sizes), len(sizes)
    v, c, rho = draw(n * COLUMNS), [x + 1 / 100 for x in draw((k - 1) * n)], [x + 1 / 77 for x in draw(k * (k - 1) // 2)]
    first, labels = np.cumsum([0, *sizes]), np.arange(k) * 2 + 4

    def reference(x):
        values, table = KERNELS[kernel](x.astype(float), matrix(v)), np.array(c).reshape(k - 1, n)
        votes, decisions = np.zeros((len(x), k)), []
        for i in range(k):
            for j in range(i + 1, k):
                d = (values[:, first[i]:first[i + 1]] @ table[j - 1, first[i]:first[i + 1]] +
                     values[:, first[j]:first[j + 1]] @ table[i, first[j]:first[j + 1]] + rho[len(decisions)])
                votes[d > 0, i] += 1
                votes[d <= 0, j] += 1
                decisions.append(d)
        s = np.stack(decisions, axis=1)
        if probabilities:
            s = 1 / (1 + np.exp(probabilities[0] * s + probabilities[1]))
        if probabilities and k > 2:
            s = coupled(s)
        if k == 2:
            s = np.hstack([s, 1 - s] if probabilities else [-s, s])
        return labels[votes.argmax(axis=1)], s
    check(f"machine_classes_{kernel}_{k}_{len(probabilities)}", "SVMClassifier", dict(
        kernel_type=kernel, kernel_params=[GAMMA, COEF0, DEGREE], support_vectors=v, vectors_per_class=sizes, coefficients=c,
        rho=rho, classlabels_ints=labels.tolist(), **(dict(zip(["prob_a", "prob_b"], [[p] * (k * (k - 1) // 2) for p in probabilities])))),
        reference, [(INT64, []), (FLOAT, [k if probabilities or k == 2 else k * (k - 1) // 2])])


def features():
    offset, scale = draw(COLUMNS), draw(COLUMNS)
    columns = [(FLOAT, [COLUMNS])]
    check("scaler", "Scaler", dict(offset=offset, scale=scale), lambda x: [(x - offset) * scale], columns)
    check("scaler_of_integers", "Scaler", dict(offset=[0.5], scale=[2.0]), lambda x: [(x - 0.5) * 2], columns, numbers)
    check("imputer", "Imputer", dict(imputed_value_floats=offset, replaced_value_float=float("nan")),
          lambda x: [np.where(np.isnan(x), offset, x)], columns, missing)
    check("imputer_of_integers", "Imputer", dict(imputed_value_int64s=[9], replaced_value_int64=2),
          lambda x: [np.where(x == 2, 9, x)], [(INT64, [COLUMNS])], numbers)
    check("binarizer", "Binarizer", dict(threshold=0.25), lambda x: [x > 0.25], columns)
    for norm, size in [("L1", lambda x: abs(x).sum(axis=1)), ("L2", lambda x: np.sqrt((x * x).sum(axis=1))),
                       ("MAX", lambda x: x.max(axis=1))]:
        check("normalizer_" + norm, "Normalizer", dict(norm=norm),
              lambda x, size=size: [x / np.where(size(x) == 0, 1, size(x))[:, None]], columns)


def codes():
    strict = np.array([[np.nan] * 3, [1, 0, 0], [np.nan] * 3, [0, 0, 1], [np.nan] * 3, [0, 1, 0]])
    check("strict_one_hot", "OneHotEncoder", dict(cats_int64s=[1, 5, 3], zeros=0), lambda x: [strict[x]],
          [(FLOAT, [COLUMNS, 3])], numbers)
    check("one_hot", "OneHotEncoder", dict(cats_int64s=[1, 5, 3]), lambda x: [x[..., None] == [1, 5, 3]],
          [(FLOAT, [COLUMNS, 3])], numbers)
    table = {1: 0.5, 4: -2.0, 2: 7.0}
    check("encoder", "LabelEncoder", dict(keys_int64s=list(table), values_floats=list(table.values()), default_float=1.5),
          lambda x: [np.vectorize(lambda k: table.get(k, 1.5))(x)], [(FLOAT, [COLUMNS])], numbers)
    check("encoder_of_tensors", "LabelEncoder", dict(
        keys_tensor=np.array([0.5, np.nan, 0.5], np.float32), values_tensor=np.array([8, 9, 10]),
        default_tensor=np.array([-4])), lambda x: [np.where(np.isnan(x), 9, np.where(x == 0.5, 8, -4))],
        [(INT64, [COLUMNS])], missing)


def columns():
    g = Graph()
    x, z = g.input("x", FLOAT, ["rows", COLUMNS]), g.input("z", INT64, ["rows", 2])
    g.output(g.node("FeatureVectorizer", [x, z], ["y0"], domain=ML, inputdimensions=[3, 4]), FLOAT, ["rows", 7])
    places = g.constant("places", np.array([[2, 0, 2]]))
    g.output(g.node("ArrayFeatureExtractor", [x, places], ["y1"], domain=ML), FLOAT, ["rows", 3])
    path, _ = strata.compile_library(g.save("columns.onnx"), ".", "columns", ["--target=cpu"])
    a, b = floats(9), numbers(9)[:, :2].copy()
    joined, taken = strata.Library(path).run([a, b], [9])
    np.testing.assert_array_equal(joined, np.hstack([a[:, :3], b, np.zeros((9, 2))]))
    np.testing.assert_array_equal(taken, a[:, [2, 0, 2]])


def refusals():
    """All at once, a line each."""
    g = Graph()
    x, words = g.input("x", FLOAT, ["rows", COLUMNS]), g.input("words", STRING, ["rows"])
    g.output(g.node("CategoryMapper", [x], ["a"], name="mapper", domain=ML), FLOAT, ["rows"])
    g.output(g.node("LabelEncoder", [x], ["b"], name="encoder", domain=ML, keys_strings=["u"], values_floats=[1.0]), FLOAT, [])
    g.output(g.node("LabelEncoder", [words], ["c"], name="of_words", domain=ML), FLOAT, [])
    g.output(g.node("OneHotEncoder", [x], ["d"], name="of_words", domain=ML, cats_strings=["u"]), FLOAT, [])
    try:
        strata.strata(g.save("refused.onnx"), "--compile-to=import")
        text = "no error"
    except strata.CompileError as error:
        text = str(error)
    for line in ["input 'words': element type STRING is not supported",
                 "(node mapper): ai.onnx.ml.CategoryMapper is not supported: strings",
                 "(node encoder): ai.onnx.ml.LabelEncoder is not supported: keys that are no numbers",
                 "ai.onnx.ml.OneHotEncoder is not supported: categories that are no numbers"]:
        assert line in text, f"{line}: {text}"


def cases():
    for post in POST:
        yield f"linear_{post}", lambda post=post: (linear(post, 1), linear(post, 3))
        yield f"classes_{post}", lambda post=post: [linear_classes(post, classes) for classes in (1, 2, 5)]
    for kernel in KERNELS:
        yield f"machine_{kernel}", lambda kernel=kernel: machine(kernel)
        yield f"machine_classes_{kernel}", lambda kernel=kernel: (
            machine_classes(kernel, [3, 5]), machine_classes(kernel, [2, 1, 4, 3]), machine_classes(kernel, [4, 3], (-1.25, 0.125)), machine_classes(kernel, [4, 3, 2], (-0.5, 0.125)),
            machine_classes(kernel, [1, 2, 3, 2, 1, 2, 1], (-0.25, -0.125)))
    yield "one_class", lambda: machine("RBF", 1)
    yield "features", features
    yield "codes", codes
    yield "columns", columns
    yield "refusals", refusals


if __name__ == "__main__":
    strata.report(cases())
