"""ONNX's backend tests, as Debian's libonnx-testdata has them: each is compiled, run, and compared within ONNX's own
tolerances. What is not supported must end with the error that says so. All are run twice: in exact arithmetic, and in
fast arithmetic without constant folding, with the same outcomes.

    backend_test.py              check the outcomes, and that docs/onnx.md says what was found
    backend_test.py --write      write docs/onnx.md
    backend_test.py PATTERN      run the cases whose names match, and say what is wrong with them
"""
import collections
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

import onnx_model
import strata

DATA = "/usr/share/libonnx-testdata/data"
DOCS = os.path.join(strata.SOURCE, "docs", "onnx.md")
TIMEOUT = 300 if strata.SANITIZED else 60
LEAST = {"node": 800, "pytorch-converted": 78, "pytorch-operator": 32, "simple": 0}

# Operands that decide the shape of a result. Where they are inputs of the model, they are bound to constants.
SHAPE_OPERANDS = {
    "AffineGrid": [1], "BlackmanWindow": [0], "CenterCropPad": [1], "Compress": [1], "ConstantOfShape": [0],
    "CumSum": [1], "DFT": [1], "Expand": [1], "HammingWindow": [0], "HannWindow": [0], "Loop": [0, 1],
    "MaxUnpool": [2], "OneHot": [1], "Pad": [1, 3], "Range": [0, 1, 2], "ReduceSum": [1], "Reshape": [1],
    "Resize": [1, 2, 3], "STFT": [1, 3], "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1], "Tile": [1],
    "TopK": [1], "Unsqueeze": [1], "Upsample": [1],
}

# Cases whose data contradict the model; ONNX corrected them later.
WRONG_DATA = {
    "test_adam_multiple": "expects an epsilon that the model does not have",
    "test_cast_FLOAT_to_BFLOAT16": "expects the numbers cut off, not rounded",
    **{f"test_bernoulli{form}{expanded}": "random numbers of another generator"
       for form in ("", "_double", "_seed") for expanded in ("", "_expanded")},
    "test_castlike_BFLOAT16_to_FLOAT": "an input has another shape than the model says",
    "test_castlike_BFLOAT16_to_FLOAT_expanded": "an input has another shape than the model says",
    "test_castlike_FLOAT_to_BFLOAT16": "an input has another shape than the model says",
    "test_castlike_FLOAT_to_BFLOAT16_expanded": "an input has another shape than the model says",
}

# Cases with a number half way between two integers: the approximate division of fast math falls on the other side, so
# they are always run in exact arithmetic.
TIES = {"test_dynamicquantizelinear", "test_dynamicquantizelinear_expanded"}

EXACT = ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"]
UNFOLDED = ["--disable-constant-folding"]  # but for what shapes depend on

RULES = [
    "## What is an error", "",
    "A model that ONNX's rules forbid is refused, with the node, what was expected and what was found: attributes that an",
    "operator does not have in the model's opset, that are missing, of another type or of a value it does not know; operands",
    "whose element types must be equal and are not; shapes that do not fit each other; axes given twice; a value, an input",
    "or an output given twice. So is an output that the model gives another type or size than it computes: callers size",
    "their buffers by it. Sizes that the model leaves open, by a name, -1, 0 or nothing, say nothing; those of an input are",
    "set with `--dim` (`--dim x.0=4` for dimension 0 of input x) or `--shape`. An input that really is empty is told so,",
    "`--dim x.0=0`. What a model says of values inside the graph is not looked at: tools leave it stale, and nothing",
    "depends on it. `pads` beside `auto_pad` is an error unless all are 0.", "",
    "Models that have been converted to 16 bits in part are taken where their types fit together. Where a converter left",
    "out a cast, the error names the node and the two edges whose types differ.", "",
]

RANDOM = [
    "## Random numbers", "",
    "Bernoulli, Dropout in training, Multinomial, RandomNormal, RandomNormalLike, RandomUniform and RandomUniformLike take",
    "their numbers from Philox 4x32-10, the same on every target. Element i of a result, in row-major order, is made of the",
    "four words w0 to w3 of one block: its counter is (i mod 2^32, i div 2^32, c mod 2^32, c div 2^32), its key (s, k). c is",
    "the value of the input that `--seed-input=NAME` adds to the library, 0 without it: every call then gives the same",
    "numbers. s is the 32 bits of the attribute `seed` (of Dropout, its low 32 bits) and k the number of times that the node",
    "was met before, in the iterations of a loop. Nodes without a seed have s = 1, 2, 3, … in the order of the graph, and",
    "k = 2^32 - 1.", "",
    "A uniform number in [0, 1) is u = (w0 >> 8) / 2^24, or for f64 ((w0 << 21) | (w1 >> 11)) / 2^53. RandomUniform is",
    "low + (high - low) u; Bernoulli is u < p; Dropout drops where u < ratio; Multinomial takes the first class up to which",
    "the sum of exp(x) is above u times the sum of all. RandomNormal is mean + scale sqrt(-2 ln u') cos(2 pi u''), where u'",
    "= u + 2^-24 and u'' is made of w1 as u of w0; for f64, u' = u + 2^-53 and u'' is made of w2 and w3. Types of 16 bits",
    "are computed in f32.", "",
]

PASSED, UNSUPPORTED, FAILED = "passed", "unsupported", "failed"
Result = collections.namedtuple("Result", "suite name outcome reason")


def is_shape_operand(model, name):
    return any(operand in SHAPE_OPERANDS.get(op, []) for op, operand in model.uses(name))


def bound_inputs(folder, model):
    """Names of the inputs to bind; an expanded case binds what the case with the operator itself does."""
    whole = re.sub("_expanded$", "", folder)
    models = [model] + ([onnx_model.Model(f"{whole}/model.onnx")] if whole != folder and os.path.isdir(whole) else [])
    return {i.name for i in model.inputs for m in models if is_shape_operand(m, i.name)}


def fail_of(stderr):
    lines = stderr.strip().splitlines() or ["no message"]
    return re.sub(r"^(strata(-run)?: error: )?\S*/model\.onnx:? ?", "", lines[0])


def compile_case(folder, model, data, out, options):
    """The arguments for strata-run, or what the compiler said."""
    bound, arguments, inputs = bound_inputs(folder, model), [], []
    for i, item in enumerate(model.inputs):
        path = f"{data}/input_{i}.pb"
        if not os.path.exists(path):
            continue
        if item.name in bound:
            arguments.append(f"--bind-constant={item.name}={path}")
            continue
        inputs.append(f"--input={item.name}={path}")
        if item.dims is not None:
            names = [f"{item.name}.{i}" if name == 0 else name for i, name in enumerate(item.dims)]
            pairs = zip(names, onnx_model.tensor_dims(path))
            arguments += [f"--dim={name}={size}" for name, size in pairs if isinstance(name, str) and name]
    command = [f"{strata.BIN}/strata", f"{folder}/model.onnx", "--aot", "--shared-only", "--aot-name=model", "-o", out,
               *options, *dict.fromkeys(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, errors="replace", check=False)
    return done, inputs


def run_data_set(folder, model, data, out, options):
    """Outcome and reason of one set of inputs and outputs."""
    done, inputs = compile_case(folder, model, data, out, options)
    if done.returncode == 1 and "not supported" in done.stderr:
        return UNSUPPORTED, fail_of(done.stderr)
    if done.returncode:
        return FAILED, f"exit status {done.returncode}: {fail_of(done.stderr)}"
    expected = [f"--expect={data}/output_{i}.pb" for i in range(model.n_outputs)]
    command = [f"{strata.BIN}/strata-run", f"{out}/libmodel.so", *inputs, *expected, "--rtol=1e-3", "--atol=1e-7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, errors="replace", check=False)
    return (FAILED, fail_of(done.stderr)) if done.returncode else (PASSED, "")


def run_case(suite, folder, options):
    name = os.path.basename(folder)
    options = list(dict.fromkeys([*options, *EXACT])) if name in TIES else options
    try:
        model = onnx_model.Model(f"{folder}/model.onnx")
        for data in sorted(glob.glob(f"{folder}/test_data_set_*")):
            with tempfile.TemporaryDirectory() as out:
                outcome, reason = run_data_set(folder, model, data, out, options)
            if outcome != PASSED:
                return Result(suite, name, outcome, reason)
    except subprocess.TimeoutExpired:
        return Result(suite, name, FAILED, f"still running after {TIMEOUT} s")
    return Result(suite, name, PASSED, "")


def run_all(options, pattern="", step=1):
    """Every |step|th of the cases whose paths match."""
    cases = [(suite, os.path.dirname(path)) for suite in LEAST for path in sorted(glob.glob(f"{DATA}/{suite}/*/model.onnx"))
             if re.search(pattern, path)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: run_case(*case, options), cases[::step]))


def operators():
    """(name, first opset) of the importer's table."""
    with open(os.path.join(strata.SOURCE, "dialects/import/onnx/ops.def"), encoding="utf-8") as file:
        return sorted(re.findall(r'^ONNX_OP\("([^"]+)", *(\d+),', file.read(), re.MULTILINE))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]


def counts(results):
    """By suite: how many passed, are unsupported, failed."""
    count = collections.Counter((result.suite, result.outcome) for result in results)
    return [[count[suite, outcome] for outcome in (PASSED, UNSUPPORTED, FAILED)] for suite in LEAST]


def document(results, unfolded):
    """docs/onnx.md."""
    suites = [(suite, *count, without[0]) for suite, count, without in zip(LEAST, counts(results), counts(unfolded))]
    lines = [
        "# ONNX", "",
        "Generated by `test/onnx/backend_test.py --write`; do not edit.", "",
        "Opsets 1 to 28. An operator is read from the opset given here on, in every later form; sizes may vary",
        "([sizes.md](sizes.md)); operands that decide a shape must follow from sizes and constants (`--bind-constant`), or have a",
        "bound (`--bound`; 1024 where an output says if there is more).",
        "More than four iterations of a `Loop` or `Scan`, and steps of a recurrent layer, are a loop of the library's, unless",
        "a shape or a value that must be known changes from one to the next: then they are unrolled. Data may decide when a",
        "`Loop` ends, by its condition, by its number of iterations or by both; then its states keep their shapes, and",
        "what it collects has as many rows as there were iterations, a size that data decide, where the most is a number, a",
        "size, or has a bound. On a GPU iterations are enqueued until the host sees, without waiting, that the loop has ended, and",
        "those behind the end do nothing; after 1024 a call waits, and more cannot be captured into a graph. A condition that",
        "compares a state, to which each iteration adds a number, with a size is no data: the loop runs as often as that says.",
        "Where the condition of an `If` is not known, both branches are computed and one is chosen. If their results differ in",
        "size, one branch alone runs where it can, and the size is one that data decide",
        "([sizes.md](sizes.md#sizes-that-depend-on-data)), as those of what `NonZero`, `Compress`, `NonMaxSuppression` and `Unique`",
        "give are.",
        "Sequences and optionals live at compile time only, but for a sequence that begins empty and to which each iteration",
        "of a loop appends one tensor: it is what the loop collects. A model's own functions are inlined. Anything else is one",
        "error that lists every unsupported node. A result that nothing reads need not be supported.", "",
        *RULES, *RANDOM,
        "## Operators", "",
        *table(["operator", "from opset"], operators()), "",
        "## Backend tests", "",
        "Of Debian's `libonnx-testdata`, compared within ONNX's tolerances (relative 1e-3, absolute 1e-7), compiled with",
        f"`{' '.join(EXACT)}`;",
        f"the last column with `{' '.join(UNFOLDED)}` instead, in fast arithmetic. Approximate division may quantise a",
        "number half way between two integers to the other one, so these are exact there too:",
        ", ".join(f"`{name}`" for name in sorted(TIES)) + ".", "",
        *table(["suite", PASSED, UNSUPPORTED, FAILED, "passed without folding"], suites), "",
    ]
    for outcome, title in ((UNSUPPORTED, "Unsupported"), (FAILED, "Failed")):
        rows = [(r.name, WRONG_DATA.get(r.name, r.reason)) for r in results if r.outcome == outcome]
        if rows:
            lines += [f"### {title}", "", *table(["case", "why"], rows), ""]
    return "\n".join(lines)


def check(results, label):
    """Prints the counts and the failures; the number of problems."""
    problems = 0
    for (suite, least), count in zip(LEAST.items(), counts(results)):
        print(f"{label}: {suite}: {count[0]} of {sum(count)} passed, at least {least} must", flush=True)
        problems += count[0] < least
    for r in results:
        if r.outcome == FAILED:
            print(f"{label}: {'known' if r.name in WRONG_DATA else 'FAILED'}: {r.name}: {r.reason}", flush=True)
            problems += r.name not in WRONG_DATA
    return problems


def check_same(results, unfolded):
    """What passes with constant folding passes without."""
    problems = 0
    for folded, other in zip(results, unfolded):
        if folded.outcome != other.outcome:
            print(f"{folded.name}: {folded.outcome} folded, {other.outcome} without folding: {other.reason}")
            problems += 1
    return problems


def check_document(text):
    with open(DOCS, encoding="utf-8") as file:
        if file.read() == text:
            return 0
    print("docs/onnx.md does not say what was found; write it with backend_test.py --write")
    return 1


def main():
    arguments = sys.argv[1:]
    if arguments and arguments != ["--write"]:
        for options in (EXACT, UNFOLDED):
            for r in run_all(options, arguments[0]):
                print(f"{r.outcome}: {r.name} with {' '.join(options)}: {r.reason}")
        return 0
    results, unfolded = run_all(EXACT), run_all(UNFOLDED)
    problems = check(results, "exact") + check(unfolded, "no folding") + check_same(results, unfolded)
    text = document(results, unfolded)
    if arguments:
        with open(DOCS, "w", encoding="utf-8") as file:
            file.write(text)
        return problems > 0
    return problems + check_document(text) > 0


if __name__ == "__main__":
    sys.exit(main())
