"""Speed of ensembles of decision trees, beside ONNX Runtime and treelite: tl2cgen's C, by cc -O3, a row a call, or
treelite's interpreter, GTIL, where the C compiler takes more than a minute.

    python3 -m venv venv
    venv/bin/pip install numpy onnxruntime xgboost lightgbm scikit-learn skl2onnx onnxmltools treelite tl2cgen
    PYTHONPATH=test/support venv/bin/python tools/bench/trees.py [--threads 2] [NAME...]

Models are trained on made data, of one row and of 1000 a call; ours is compiled once, for any number of rows. All run in
this process with the same number of threads, treelite's with one: its time of 1000 rows is divided by the threads. A
figure is the median of interleaved runs.
"""
import argparse
import ctypes
import os
import subprocess
import tempfile
import time
import warnings

import numpy as np

COLUMNS, SAMPLES = 30, 3000
CC_SECONDS = 60


def models(threads):
    """By name: how to make the model, its converter, and the number of classes, 0 of a regression."""
    import lightgbm
    import xgboost
    from sklearn import ensemble
    x = dict(n_jobs=threads)
    lgb = dict(verbose=-1, **x)
    return {
        "xgboost_100": (lambda: xgboost.XGBRegressor(n_estimators=100, **x), "xgboost", 0),
        "xgboost_1000": (lambda: xgboost.XGBRegressor(n_estimators=1000, learning_rate=0.05, **x), "xgboost", 0),
        "xgboost_5_classes": (lambda: xgboost.XGBClassifier(n_estimators=100, **x), "xgboost", 5),
        "lightgbm_100": (lambda: lightgbm.LGBMRegressor(n_estimators=100, **lgb), "lightgbm", 0),
        "lightgbm_1000": (lambda: lightgbm.LGBMRegressor(n_estimators=1000, **lgb), "lightgbm", 0),
        "lightgbm_2_classes": (lambda: lightgbm.LGBMClassifier(n_estimators=100, **lgb), "lightgbm", 2),
        "forest_100": (lambda: ensemble.RandomForestRegressor(100, **x), "sklearn", 0),
        "forest_500": (lambda: ensemble.RandomForestRegressor(500, max_depth=12, **x), "sklearn", 0),
        "forest_5_classes": (lambda: ensemble.RandomForestClassifier(100, **x), "sklearn", 5),
        "gradient_100": (lambda: ensemble.GradientBoostingRegressor(n_estimators=100), "sklearn", 0),
    }


def data_of(classes):
    from sklearn import datasets
    if classes:
        x, y = datasets.make_classification(SAMPLES, COLUMNS, n_informative=20, n_classes=classes, random_state=0)
    else:
        x, y = datasets.make_regression(SAMPLES, COLUMNS, n_informative=20, noise=1, random_state=0)
        y = y / abs(y).max()
    return x.astype(np.float32), y


def to_onnx(model, converter):
    if converter == "sklearn":
        import skl2onnx
        from skl2onnx.common.data_types import FloatTensorType
        options = {id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else None
        return skl2onnx.convert_sklearn(model, initial_types=[("x", FloatTensorType([None, COLUMNS]))], options=options,
                                        target_opset=17)
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType
    types = [("x", FloatTensorType([None, COLUMNS]))]
    if converter == "xgboost":
        return onnxmltools.convert_xgboost(model, initial_types=types, target_opset=15)
    return onnxmltools.convert_lightgbm(model, initial_types=types, target_opset=15, zipmap=False)


def treelite_row(model, converter, folder, n_results):
    """What scores the rows of an array, one a call; None where treelite cannot take the model."""
    try:
        import tl2cgen
        import treelite
        frontend = treelite.frontend
        loaded = (treelite.sklearn.import_model(model) if converter == "sklearn" else
                  frontend.from_xgboost(model.get_booster()) if converter == "xgboost" else
                  frontend.from_lightgbm(model.booster_))
        tl2cgen.generate_c_code(loaded, dirpath=folder, params={"parallel_comp": 8})
        sources = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith(".c")]
        loop = os.path.join(folder, "loop.c")
        with open(loop, "w") as file:
            file.write('#include "header.h"\nvoid rows(union Entry *x, int n, int f, int k, void *y) {\n'
                       "  for (int i = 0; i < n; i++) predict(x + i * f, 0, (void *)((char *)y + 8 * i * k));\n}\n")
        library = os.path.join(folder, "rows.so")
        compiler = ["timeout", str(CC_SECONDS), os.environ.get("CC", "cc"), "-O3", "-shared", "-fPIC"]
        if subprocess.run([*compiler, *sources, loop, "-o", library, "-lm"]).returncode:
            print(f"  treelite: by GTIL, the C compiler takes more than {CC_SECONDS} s")
            return lambda x: treelite.gtil.predict(loaded, x, nthread=1)
    except Exception as error:  # each of the packages has its own
        print(f"  treelite: {str(error)[:100]}")
        return None
    rows, result = ctypes.CDLL(library).rows, np.zeros((SAMPLES, max(n_results, 1)), np.float64)

    target = result.ctypes.data_as(ctypes.c_void_p)

    def run(x):  # an entry is a union of an int and a float
        rows(ctypes.c_void_p(x.ctypes.data), len(x), COLUMNS, result.shape[1], target)
    return run


def library_of(onnx, folder, results, threads):
    import strata
    path = os.path.join(folder, "m.onnx")
    with open(path, "wb") as file:
        file.write(onnx.SerializeToString())
    os.environ["STRATA_NUM_THREADS"] = str(threads)
    compiled, _ = strata.compile_library(path, folder, "m", ["--device=native"])
    function = ctypes.CDLL(compiled).m

    outputs = [np.zeros(shape, dtype) for shape, dtype in results]
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in outputs]

    def run(x):
        assert function(ctypes.c_void_p(x.ctypes.data), *pointers, ctypes.c_int64(len(x))) == 0
        return outputs
    return run


def medians(runs, x, count, repetitions):
    """Of each of |runs| the median time in microseconds, of other rows each time: branches of rows that have just been
    scored are foretold."""
    times = [[] for _ in runs]
    for repetition in range(repetitions):
        first = repetition * 7 % (len(x) - count + 1)
        rows = np.ascontiguousarray(x[first:first + count])
        for run, own in zip(runs, times):
            begin = time.perf_counter()
            run(rows)
            own.append(time.perf_counter() - begin)
    return [np.median(own) * 1e6 for own in times]


def bench(name, make, converter, classes, threads):
    import onnxruntime
    x, y = data_of(classes)
    model = make().fit(x, y)
    onnx = to_onnx(model, converter)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(onnx.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def theirs(x):
        return session.run(None, {session.get_inputs()[0].name: x})
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        want = theirs(x[:1000])
        ours = library_of(onnx, folder, [(w.shape, w.dtype) for w in want], threads)
        treelite = treelite_row(model, converter, other, classes)
        error = max(float(abs(a - b).max()) for a, b in zip(ours(x[:1000]), want) if a.dtype.kind == "f")
        for count, repetitions in ((1, 400), (1000, 40)):
            runs = [ours, theirs] + ([treelite] if treelite else [])
            mine, ort, *third = medians(runs, x, count, repetitions)
            third = [t / (threads if count > 1 else 1) for t in third]
            print(f"{name:20} {count:5} rows: {mine:9.1f} us, ONNX Runtime {ort:9.1f}, treelite "
                  f"{third[0] if third else float('nan'):9.1f}, ratio to the faster {mine / min([ort, *third]):.2f}, "
                  f"difference {error:.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    every = models(arguments.threads)
    for name in arguments.names or every:
        bench(name, *every[name], arguments.threads)


if __name__ == "__main__":
    main()
