"""Every operator behind a size that depends on data: ONNX's backend tests (libonnx-testdata), with an input that a mask
selects from more rows, which are poisoned, at random places or none. What is computed must be what is computed of the
input itself. Where it is the only operand, 0 rows and 1 are compared with the library of that size.

By construction: every row of the graph level's op table has cases here, or says what has them (ROWS), and every
operator of the ONNX importer has cases, or is in WITHOUT_CASES. Each run draws cases of all rows of the op table and of
some operators; STRATA_SEED repeats a run, STRATA_ALL=1 takes all operators.
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import backend_test
import onnx_file
import onnx_model
import strata
from open_sizes_test import change, fields

sys.path.insert(0, os.path.join(strata.SOURCE, "test", "conformance"))
import tables  # noqa: E402

GRAPH, OPSETS, INPUT, OUTPUT, TYPE, TENSOR, SHAPE, DIM = 7, 8, 11, 12, 2, 1, 2, 1
DEVICES = {"cpu": [], "emulated": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}
DRIVER = os.path.join(strata.BIN, "..", "test", "bin", "libstrata_test_cuda.so")
OPERATORS = 30  # that a run draws
EXTRA = 3       # rows that are not selected

# Of each row of dialects/strata/ops.def the backend tests whose graphs have it, or, behind "!", where it is tested.
ROWS = {
    "neg": "neg", "abs": "abs", "ceil": "ceil", "floor": "floor", "trunc": "mod_mixed_sign_float32|fmod",
    "round_even": "round", "sqrt": "sqrt", "rsqrt": "instancenorm_epsilon|batchnorm", "exp": "exp", "exp2": "pow",
    "expm1": "elu", "log": "log", "log1p": "softplus", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin",
    "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "erf": "erf", "is_nan": "isnan", "is_inf": "isinf",
    "not": "not_[0-9]d|bitwise_not", "add": "add", "sub": "sub", "mul": "mul", "div": "div",
    "div_exact": "div|quantizelinear", "div_u": "div_uint8", "rem": "mod", "rem_u": "mod_uint8", "pow": "pow",
    "atan2": "!dialects/import/stablehlo: no operator of ONNX", "min": "min_", "max": "max_", "min_u": "min_uint",
    "max_u": "max_uint", "and": "and[0-9]d", "or": "or[0-9]d", "xor": "xor[0-9]d", "shl": "bitshift_left",
    "shr": "!dialects/import/stablehlo: no operator of ONNX", "shr_u": "bitshift_right", "eq": "equal",
    "ne": "or_|not_|cast_", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "lt_u": "less",
    "le_u": "less_equal", "gt_u": "greater", "ge_u": "greater_equal", "select": "where", "convert": "cast_",
    "convert_u": "cast_|dequantizelinear", "convert_to_u": "cast_|quantizelinear", "bitcast": "bitcast|cast_",
    "reduce": "reduce_", "arg_reduce": "argm", "scan": "cumsum", "sort": "top_k", "window": "maxpool|averagepool",
    "contract": "matmul|gemm|conv", "transpose": "transpose", "reshape": "reshape|flatten", "slice": "slice",
    "pad": "constant_pad", "concat": "concat", "broadcast": "expand", "gather": "gather", "scatter": "scatter",
    "suppress": "!e2e/counted_sizes_test: boxes_counted", "segment_rows": "compress",
    "segment_reduce": "!e2e/jagged_onnx_test: of offsets that data decide",
    "segment_contract": "!onnx/experts_test: rows are sorted by what data decide",
    "segment_attention": "!e2e/jagged_onnx_test: of offsets that data decide",
    "trees": "!onnx/ml_test: rows alone may be counted, which are the elementwise operators' there",
    "scaled_contract": "!amdgpu/scaled_test: rows alone may be counted",
    "block_contract": "!onnx/nibble_products_test: rows alone may be counted", "constant": "!has no operand",
    "iota": "range|onehot", "dims": "shape|size",
}


# Operators without a backend test of one node and an operand that numpy has.
WITHOUT_CASES = set("""
    AffineGrid Attention Bernoulli BitCast BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow CausalConvWithState
    CenterCropPad Col2Im ConcatFromSequence Constant ConstantOfShape CumProd DeformConv Gelu GlobalLpPool
    GroupNormalization HammingWindow HannWindow If LinearAttention Loop LpNormalization LpPool MaxRoiPool
    MelWeightMatrix Mish Multinomial Optional OptionalGetElement OptionalHasElement RMSNormalization RandomNormal
    RandomNormalLike RandomUniform RandomUniformLike Range RotaryEmbedding Scan SequenceAt SequenceConstruct
    SequenceEmpty SequenceErase SequenceLength SequenceMap SimplifiedLayerNormalization SplitToSequence SwiGLU Swish
    TensorScatter ai.onnx.ml.ArrayFeatureExtractor ai.onnx.ml.Binarizer ai.onnx.ml.FeatureVectorizer
    ai.onnx.ml.Imputer ai.onnx.ml.LabelEncoder ai.onnx.ml.LinearClassifier ai.onnx.ml.LinearRegressor
    ai.onnx.ml.Normalizer ai.onnx.ml.OneHotEncoder ai.onnx.ml.SVMClassifier ai.onnx.ml.SVMRegressor
    ai.onnx.ml.Scaler ai.onnx.ml.TreeEnsemble ai.onnx.ml.TreeEnsembleClassifier ai.onnx.ml.TreeEnsembleRegressor
    ai.onnx.ml.ZipMap ai.onnx.preview.training.Adagrad ai.onnx.preview.training.Adam
    ai.onnx.preview.training.Momentum com.microsoft.Attention com.microsoft.BiasGelu
    com.microsoft.CausalConvWithState com.microsoft.DequantizeLinear com.microsoft.DynamicQuantizeMatMul
    com.microsoft.EmbedLayerNormalization com.microsoft.FastGelu com.microsoft.FusedConv com.microsoft.FusedGemm
    com.microsoft.FusedMatMul com.microsoft.GatherBlockQuantized com.microsoft.Gelu
    com.microsoft.GroupQueryAttention com.microsoft.LinearAttention com.microsoft.MatMulIntegerToFloat
    com.microsoft.MatMulNBits com.microsoft.MoE com.microsoft.MultiHeadAttention com.microsoft.PackedAttention
    com.microsoft.PackedMultiHeadAttention com.microsoft.PagedAttention com.microsoft.QAttention com.microsoft.QGemm
    com.microsoft.QLinearAdd
    com.microsoft.QLinearAveragePool com.microsoft.QLinearConcat com.microsoft.QLinearGlobalAveragePool
    com.microsoft.QLinearLeakyRelu com.microsoft.QLinearMul com.microsoft.QLinearReduceMean
    com.microsoft.QLinearSigmoid com.microsoft.QLinearSoftmax com.microsoft.QLinearWhere com.microsoft.QMoE
    com.microsoft.QuantizeLinear com.microsoft.QuickGelu com.microsoft.RotaryEmbedding
    com.microsoft.SkipLayerNormalization com.microsoft.SkipSimplifiedLayerNormalization strata.Atan2 strata.BitCast
    strata.Contract strata.Cumulate strata.Expm1 strata.Gather strata.JaggedAttention strata.JaggedExpand
    strata.JaggedMatMul strata.JaggedMax strata.JaggedMean strata.JaggedMin strata.JaggedSoftmax strata.JaggedSum
    strata.JaggedToPadded strata.Log1p strata.MakeJagged strata.PaddedToJagged strata.ProjectedLSTM strata.Reduce strata.Rsqrt
    strata.Scatter strata.ShiftRight strata.ShiftRightLogical strata.Window
""".split())

# Those that no counted operand is supported of: places that are computed of the size, and sequences, no tensors.
REFUSED = {"DFT", "Det", "STFT", "SequenceInsert"}


# -- models -----------------------------------------------------------------------------------------------------------

NUMPY = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_,
         10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64}


def read_tensor(path):
    """The array of a TensorProto's file; None where its bytes are none that numpy has."""
    with open(path, "rb") as file:
        content = file.read()
    kind, raw = onnx_model.one_of(content, 2, 0), onnx_model.one_of(content, 9, None)
    dims = onnx_model.tensor_dims(path)
    if kind not in NUMPY or raw is None or len(raw) != np.prod(dims, dtype=int) * np.dtype(NUMPY[kind]).itemsize:
        return None
    return np.frombuffer(raw, NUMPY[kind]).reshape(dims)


def counted_model(content, name, kind, shape, axis, rows):
    """|name| is selected from so many |rows| along |axis|; sizes of outputs are left open."""
    wide = [rows if i == axis else size for i, size in enumerate(shape)]
    node = (onnx_file.data(1, name + "__rows") + onnx_file.data(1, name + "__keep") + onnx_file.data(2, name) +
            onnx_file.data(4, "Compress") + onnx_file.data(5, onnx_file.attribute("axis", axis)))
    extra = (onnx_file.data(1, node) + onnx_file.data(11, onnx_file.value_info(name + "__rows", kind, wide)) +
             onnx_file.data(11, onnx_file.value_info(name + "__keep", onnx_file.BOOL, [rows])))

    def edit(graph):
        kept = b"".join(written for number, written, value in fields(graph)
                        if number != INPUT or onnx_model.text_of(value, 1) != name)
        return extra + change(kept, (OUTPUT, TYPE, TENSOR, SHAPE, DIM), lambda dim: b"")
    return change(change(content, (GRAPH,), edit), (OPSETS,), with_compress)


def with_compress(opset):
    """An operator set that has Compress."""
    version = onnx_model.one_of(opset, 2, 0)
    return opset if onnx_model.text_of(opset, 1) not in ("", "ai.onnx") or version >= 9 else onnx_file.number(2, 9)


def sized_model(content, name, kind, shape):
    """The model with another shape of the input."""
    def edit(value):
        return onnx_file.value_info(name, kind, shape) if onnx_model.text_of(value, 1) == name else value
    content = change(content, (GRAPH, INPUT), edit)
    return change(content, (GRAPH, OUTPUT, TYPE, TENSOR, SHAPE, DIM), lambda dim: b"")


class Case:
    """A backend test, and its inputs that may be counted: (number, array)."""

    def __init__(self, folder):
        self.folder, self.data = folder, folder + "/test_data_set_0"
        self.model = onnx_model.Model(folder + "/model.onnx")
        bound = backend_test.bound_inputs(folder, self.model)
        paths = [f"{self.data}/input_{i}.pb" for i in range(len(self.model.inputs))]
        self.arrays = [read_tensor(path) if item.dims is not None and os.path.exists(path) else None
                       for item, path in zip(self.model.inputs, paths)]
        self.bound = [i for i, item in enumerate(self.model.inputs) if item.name in bound]
        self.counted = [i for i, array in enumerate(self.arrays) if array is not None and array.ndim and array.size and
                        i not in self.bound and self.kind(i) == onnx_file.ELEMENT_TYPES[array.dtype]]

    def content(self):
        with open(self.folder + "/model.onnx", "rb") as file:
            return file.read()

    def kind(self, i):
        """The element type that the model says of input |i|: data of types that are not numpy's are of another."""
        value = onnx_model.all_of(onnx_model.one_of(self.content(), GRAPH), INPUT)[i]
        return onnx_model.one_of(onnx_model.one_of(onnx_model.one_of(value, TYPE), TENSOR), 1, 0)


# -- one case ---------------------------------------------------------------------------------------------------------

class Refused(Exception):
    pass


def compile_model(folder, content, case, options, empty=()):
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(content)
    bound = [f"--bind-constant={case.model.inputs[i].name}={case.data}/input_{i}.pb" for i in case.bound]
    dims = [f"--dim={name}={size}" for array, item in zip(case.arrays, case.model.inputs) if array is not None
            for name, size in zip(item.dims, array.shape) if isinstance(name, str) and name]
    dims += [f"--dim={name}=0" for name in empty]
    done = subprocess.run([os.path.join(strata.BIN, "strata"), path, "--aot", "--shared-only", "--aot-name=model", "-o",
                           folder, *options, *bound, *dict.fromkeys(dims)], capture_output=True, text=True,
                          errors="replace", check=False, timeout=300)
    if done.returncode == 1:
        raise Refused(backend_test.fail_of(done.stderr[done.stderr.find("error: "):]))
    assert not done.returncode, f"exit status {done.returncode}: {done.stderr[:400]}"
    return os.path.join(folder, "libmodel.so")


def run_library(folder, library, feeds, more):
    arguments = []
    for name, value in feeds.items():
        path = os.path.join(folder, f"in{len(arguments)}.npy")
        np.save(path, value)
        arguments.append(f"--input={name}={path}")
    done = subprocess.run([os.path.join(strata.BIN, "strata-run"), library, *arguments, *more], capture_output=True,
                          text=True, errors="replace", check=False, timeout=300,
                          env=dict(os.environ, STRATA_CUDA_DRIVER=DRIVER))
    assert not done.returncode, done.stderr[:400]


def poison(dtype):
    return np.nan if np.issubdtype(dtype, np.floating) else True if dtype == np.bool_ else np.iinfo(dtype).max


def spread(random, array, axis, rows):
    """|array|'s rows among others, and where they are."""
    keep = np.isin(np.arange(rows), random.permutation(rows)[:array.shape[axis]])
    shape = [rows if i == axis else size for i, size in enumerate(array.shape)]
    wide = np.full(shape, poison(array.dtype), array.dtype)
    wide[(slice(None),) * axis + (keep,)] = array
    return wide, keep


def check(case, which, axis, random):
    """Runs one input and axis of the case on a device; raises Refused where it is not supported."""
    item, array = case.model.inputs[which], case.arrays[which]
    device, extra = ("cpu", "emulated")[random.integers(2)], int(random.integers(2)) * EXTRA
    kind, rows = onnx_file.ELEMENT_TYPES[array.dtype], array.shape[axis] + extra
    feeds = {other.name: value for i, (other, value) in enumerate(zip(case.model.inputs, case.arrays))
             if i != which and i not in case.bound and value is not None}
    if (feeds or case.bound) and array.shape[axis] == 1:
        raise Refused("only the number 1 is stretched")  # docs/sizes.md
    what = f"{os.path.basename(case.folder)}, {item.name} along {axis}, {array.shape[axis]} of {rows} rows"
    with tempfile.TemporaryDirectory() as folder:
        library = compile_model(folder, counted_model(case.content(), item.name, kind, array.shape, axis, rows), case,
                                DEVICES[device])
        try:
            wide, keep = spread(random, array, axis, rows)
            expected = [f"--expect={case.data}/output_{i}.pb" for i in range(case.model.n_outputs)]
            run_library(folder, library, feeds | {item.name + "__rows": wide, item.name + "__keep": keep},
                        [*expected, "--rtol=1e-3", "--atol=1e-7"])
            if not feeds and not case.bound:
                for count in (0, 1):
                    check_count(case, random, folder, library, (item.name, kind, array, axis, rows), count)
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from error


def check_count(case, random, folder, library, operand, count):
    """|count| rows beside the library whose input has so many."""
    name, kind, array, axis, rows = operand
    few = array.take(range(min(count, array.shape[axis])), axis)
    try:
        with tempfile.TemporaryDirectory() as own:
            alone = compile_model(own, sized_model(case.content(), name, kind, few.shape), case, [],
                                  [f"{name}.{i}" for i, size in enumerate(few.shape) if not size])
            files = [os.path.join(folder, f"wanted{i}.npy") for i in range(case.model.n_outputs)]
            run_library(own, alone, {name: few}, ["--output=" + file for file in files])
    except Refused:
        return  # of no rows there may be no result
    wide, keep = spread(random, few, axis, rows)
    run_library(folder, library, {name + "__rows": wide, name + "__keep": keep},
                [*["--expect=" + file for file in files], "--rtol=1e-3", "--atol=1e-6"])


# -- the tables -------------------------------------------------------------------------------------------------------

def find_cases():
    """By operator: the cases whose model is one node of it, with an input that may be counted."""
    cases = {}
    for path in sorted(glob.glob(f"{backend_test.DATA}/node/*/model.onnx")):
        case = Case(os.path.dirname(path))
        is_sound = os.path.basename(case.folder) not in {*backend_test.WRONG_DATA, *backend_test.TIES}
        if is_sound and len(case.model.nodes) == 1 and case.counted:
            cases.setdefault(case.model.nodes[0].op, []).append(case)
    return cases


def of_row(cases, pattern):
    return [case for own in cases.values() for case in own
            if re.match(f"test_({pattern})", os.path.basename(case.folder))]


def attempt(cases, seed):
    """(checked or not, what is wrong): the first case, operand and dimension, in any order, that is not refused."""
    random, reason = np.random.default_rng(seed), "no such test"
    places = [(case, which, axis) for case in cases for which in case.counted for axis in range(case.arrays[which].ndim)]
    for k in random.permutation(len(places)):
        try:
            check(*places[k], random)
            return True, None
        except Refused as error:
            reason = str(error)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return True, str(error)
    return False, reason


def main():
    cases, seed = find_cases(), strata.run_seed()
    problems = [f"no case for the op {name}" for name in tables.OPS if name not in ROWS]
    problems += [f"no such op: {name}" for name in ROWS if name not in tables.OPS]
    names = sorted({name for name, _ in backend_test.operators()})
    problems += [f"no case for the operator {name}" for name in names if name not in {*cases, *WITHOUT_CASES}]
    problems += [f"{name} has cases" for name in WITHOUT_CASES if name in cases]
    work = {f"op {name}": of_row(cases, pattern) for name, pattern in ROWS.items() if pattern[0] != "!"}
    random = np.random.default_rng(seed)
    known = [name for name in names if name in cases]
    drawn = known if os.environ.get("STRATA_ALL") else random.permutation(known)[:OPERATORS]
    work |= {name: cases[name] for name in drawn}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(attempt, work.values(), random.integers(2**31, size=len(work))))
    for name, (is_checked, problem) in zip(work, found):
        if is_checked and problem:
            problems.append(f"{name}: {problem}")
        elif not is_checked and name not in REFUSED:
            problems.append(f"{name}: all cases are refused: {problem}")
    print(f"{sum(is_checked for is_checked, _ in found)} of {len(work)} rows checked")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
