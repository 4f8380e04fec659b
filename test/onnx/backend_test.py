"""ONNX's backend tests, as Debian's libonnx-testdata has them: each is compiled, run, and compared within ONNX's own
tolerances. What is not supported must end with the error that says so.

    backend_test.py              run all in exact arithmetic, and all without constant folding; check counts and docs
    backend_test.py --write      run all in exact arithmetic and write docs/onnx.md
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
    "test_castlike_BFLOAT16_to_FLOAT": "an input has another shape than the model says",
    "test_castlike_BFLOAT16_to_FLOAT_expanded": "an input has another shape than the model says",
    "test_castlike_FLOAT_to_BFLOAT16": "an input has another shape than the model says",
    "test_castlike_FLOAT_to_BFLOAT16_expanded": "an input has another shape than the model says",
}

# Cases with a number half way between two integers: the approximate division of fast math falls on the other side.
TIES = {"test_dynamicquantizelinear", "test_dynamicquantizelinear_expanded"}

EXACT = ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"]

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
            pairs = zip(item.dims, onnx_model.tensor_dims(path))
            arguments += [f"--dim={name}={size}" for name, size in pairs if isinstance(name, str) and name]
    command = [f"{strata.BIN}/strata", f"{folder}/model.onnx", "--aot", "--aot-name=model", "-o", out, *options,
               *dict.fromkeys(arguments)]
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


def run_case(suite, folder, options=()):
    name = os.path.basename(folder)
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


def run_all(pattern="", options=()):
    cases = [(suite, os.path.dirname(path)) for suite in LEAST for path in sorted(glob.glob(f"{DATA}/{suite}/*/model.onnx"))
             if re.search(pattern, path)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: run_case(*case, options), cases))


def operators():
    """(name, first opset) of the importer's table."""
    with open(os.path.join(strata.SOURCE, "dialects/import/onnx/ops.def"), encoding="utf-8") as file:
        return sorted(re.findall(r'^ONNX_OP\("([^"]+)", +(\d+),', file.read(), re.MULTILINE))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]


def document(results):
    """docs/onnx.md."""
    count = collections.Counter((result.suite, result.outcome) for result in results)
    suites = [(suite, *(count[suite, outcome] for outcome in (PASSED, UNSUPPORTED, FAILED))) for suite in LEAST]
    lines = [
        "# ONNX", "",
        "Generated by `test/onnx/backend_test.py --write`; do not edit.", "",
        "Opsets 1 to 22. An operator is read from the opset given here on, in every later form; all sizes must be known at",
        "compile time (`--dim`), and so must operands that decide a shape (`--bind-constant`). Conditions and numbers of",
        "iterations of `Loop` and `Scan` must be known too; sequences and optionals live at compile time only. A model's own",
        "functions are inlined. Anything else is one error that lists every unsupported node.", "",
        "## Operators", "",
        *table(["operator", "from opset"], operators()), "",
        "## Backend tests", "",
        "Of Debian's `libonnx-testdata`, compared within ONNX's tolerances (relative 1e-3, absolute 1e-7), compiled with",
        f"`{' '.join(EXACT)}`.",
        "Without these options the results are the same but for numbers half way between two integers, which approximate",
        "division may quantise to the other one: " + ", ".join(f"`{name}`" for name in sorted(TIES)) + ".", "",
        *table(["suite", PASSED, UNSUPPORTED, FAILED], suites), "",
    ]
    for outcome, title in ((UNSUPPORTED, "Unsupported"), (FAILED, "Failed")):
        rows = [(r.name, WRONG_DATA.get(r.name, r.reason)) for r in results if r.outcome == outcome]
        if rows:
            lines += [f"### {title}", "", *table(["case", "why"], rows), ""]
    return "\n".join(lines)


def check(results, label, known):
    """Prints the counts; the number of problems but for the known ones."""
    problems = 0
    for suite, least in LEAST.items():
        passed = sum(r.suite == suite and r.outcome == PASSED for r in results)
        total = sum(r.suite == suite for r in results)
        print(f"{label}: {suite}: {passed} of {total} passed, at least {least} must", flush=True)
        problems += passed < least
    for r in results:
        if r.outcome == FAILED:
            print(f"{label}: {'known' if r.name in known else 'FAILED'}: {r.name}: {r.reason}", flush=True)
            problems += r.name not in known
    return problems


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] != "--write" else ""
    results = run_all(pattern, EXACT)
    if pattern:
        for r in results:
            print(f"{r.outcome}: {r.name}: {r.reason}")
        return 0
    problems = check(results, "exact", WRONG_DATA)
    text = document(results)
    if "--write" in sys.argv:
        with open(DOCS, "w", encoding="utf-8") as file:
            file.write(text)
        return problems > 0
    with open(DOCS, encoding="utf-8") as file:
        if file.read() != text:
            print("docs/onnx.md does not say what was found; write it with backend_test.py --write")
            problems += 1
    unfolded = run_all(options=["--disable-constant-folding"])
    return problems + check(unfolded, "no folding", {*WRONG_DATA, *TIES}) > 0


if __name__ == "__main__":
    sys.exit(main())
