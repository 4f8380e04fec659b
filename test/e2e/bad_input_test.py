"""Bad input and bad options: one clear error, exit status 1, nothing written, no crash and no hang."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT, INT32

PROCESSOR_SECONDS = 60 if strata.SANITIZED else 10
MANY = 100000
failures = 0


def expect_error(name, text, *arguments):
    """Runs strata in an empty folder; the error must contain |text|."""
    global failures
    folder = tempfile.mkdtemp(dir=".")
    command = [os.path.join(strata.BIN, "strata"), "--aot", "-o", os.path.join(folder, "out"), *arguments]
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                              **strata.processor_limit(PROCESSOR_SECONDS))
        error, status = done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        error, status = "", "hang"
    left = os.listdir(folder)
    good = (status == 1 and text in error and not left and "internal" not in error and
            all(line.startswith("strata: error: ") for line in error.splitlines()))
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} ({time.monotonic() - start:.1f} s): "
          f"{status} {error.strip()[:300]!r} {left or ''}", flush=True)


def small_graph():
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, [2, 8])
    w = graph.constant("w", np.ones((8, 8), np.float32))
    graph.output(graph.node("Softmax", [graph.node("MatMul", [x, w], name="product")]), FLOAT, [2, 8])
    return graph


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)
    return name


def files():
    whole = small_graph().model()
    expect_error("missing file", "nothere.onnx", "nothere.onnx")
    expect_error("a folder", "folder.onnx", (os.makedirs("folder.onnx", exist_ok=True), "folder.onnx")[1])
    expect_error("empty file", "empty.onnx", write("empty.onnx", b""))
    expect_error("unknown suffix", "model.txt", write("model.txt", whole))
    for cut in (1, 7, len(whole) // 2, len(whole) - 1):
        expect_error(f"cut at {cut}", "cut.onnx", write("cut.onnx", whole[:cut]))
    expect_error("not a model", "noise.onnx", write("noise.onnx", bytes(range(256)) * 16))


def external_data():
    def model(location, offset=0, length=256, shape=(8, 8)):
        graph = onnx_file.Graph()
        x = graph.input("x", FLOAT, [2, 8])
        w = graph.external("w", FLOAT, shape, location, offset, length)
        graph.output(graph.node("MatMul", [x, w]), FLOAT, [2, 8])
        return graph.save("external.onnx")

    write("short.data", bytes(100))
    expect_error("missing external data", "nothere.data", model("nothere.data"))
    expect_error("short external data", "w", model("short.data"))
    expect_error("external data outside the folder", "w", model("../../../../../etc/passwd"))
    os.makedirs("linked/real", exist_ok=True)
    write("outside.data", bytes(256))
    for link, target in (("linked/out.data", "../outside.data"), ("linked/folder", ".."), ("linked/in.data", "real/in.data")):
        if not os.path.islink(link):
            os.symlink(target, link)
    write("linked/real/in.data", bytes(256))
    for location in ("out.data", "folder/outside.data"):
        shutil.copy(model(location), "linked/model.onnx")
        expect_error(f"external data by a link: {location}", "leads out of the model's folder", "linked/model.onnx")
    shutil.copy(model("in.data"), "linked/real/model.onnx")
    if not os.path.islink("linked/model2.onnx"):
        os.symlink("real/model.onnx", "linked/model2.onnx")
    strata.strata("linked/model2.onnx", "--compile-to=graph")  # links beside a link, as caches make them
    expect_error("negative offset", "w", model("short.data", offset=-4))
    expect_error("overflowing offset", "w", model("short.data", offset=2**63 - 1))
    expect_error("length that is not the shape's", "w", model("short.data", length=64))
    expect_error("overflowing shape", "w", model("short.data", shape=(2**40, 2**40)))


def graphs():
    def single(op, inputs, **attributes):
        graph = small_graph()
        graph.node(op, inputs, outputs=["z"], name="culprit", **attributes)
        graph.output("z", FLOAT, [2, 8])
        return graph.save("graph.onnx")

    expect_error("unknown op", "culprit", single("Frobnicate", ["x"]))
    expect_error("undefined value", "ghost", single("Relu", ["ghost"]))
    expect_error("too few inputs", "culprit", single("MatMul", ["x"]))
    expect_error("too many inputs", "culprit", single("Relu", ["x", "w", "w"]))
    for op, inputs in (("Reshape", ["x"]), ("Reshape", ["x", ""]), ("Unsqueeze", ["x"]), ("Slice", ["x"]),
                       ("Pad", ["x"]), ("Expand", ["x", ""]), ("Tile", ["x", ""]), ("Col2Im", ["x", "", ""]),
                       ("ConstantOfShape", [""])):
        expect_error(f"{op} of {inputs}", "missing", single(op, inputs))
    expect_error("shapes that do not fit", "culprit", single("MatMul", ["w", "x"]))
    expect_error("wrong element types", "culprit", single("And", ["x", "x"]))
    expect_error("wrong attribute type", "culprit", single("Softmax", ["x"], axis="last"))
    expect_error("axis out of range", "culprit", single("Softmax", ["x"], axis=7))

    # x, w, r, b, sequence_lens, initial_h, initial_c, p: each with a dimension too few.
    shapes = ([3, 2, 4], [1, 8, 4], [1, 8, 2], [1, 16], [2], [1, 2, 2], [1, 2, 2], [1, 6])
    for wrong in range(len(shapes)):
        layer = onnx_file.Graph()
        names = [layer.input(f"x{i}", INT32 if i == 4 else FLOAT, shape[i == wrong:]) for i, shape in enumerate(shapes)]
        layer.output(layer.node("LSTM", names, name="culprit", hidden_size=2), FLOAT, [3, 1, 2, 2])
        expect_error(f"LSTM whose operand {wrong} has a dimension too few", "got", layer.save("layer.onnx"))

    graph = small_graph()
    graph.node("Frobnicate", ["x"], name="\33[2J\r")
    expect_error("a name that steers a terminal", r"\x1b[2J\x0d", graph.save("escape.onnx"))

    cycle = onnx_file.Graph()
    x = cycle.input("x", FLOAT, [4])
    cycle.node("Add", [x, "b"], outputs=["a"])
    cycle.node("Relu", ["a"], outputs=["b"])
    cycle.output("b", FLOAT, [4])
    expect_error("cyclic graph", "cycl", cycle.save("cycle.onnx"))

    graph = small_graph()
    for name in ("first", "second", "third"):
        graph.node(name.capitalize(), ["x"], name=name)
    path = graph.save("unknown.onnx")
    for name in ("first", "second", "third"):
        expect_error(f"every unknown op is listed: {name}", name, path)

    for size in (-5, 2**31, 2**62, 0x7FFFFFFFFFFFFFFF):
        huge = onnx_file.Graph()
        x = huge.input("x", FLOAT, [size, 4])
        huge.output(huge.node("Relu", [x]), FLOAT, [size, 4])
        if size != 2**31:
            expect_error(f"dimension {size}", "x", huge.save("huge.onnx"))
    fill = onnx_file.Graph()
    shape = fill.constant("shape", np.array([2**31, 2**31, 4], np.int64))
    fill.output(fill.node("ConstantOfShape", [shape], name="culprit"), FLOAT, [2**31, 2**31, 4])
    expect_error("overflowing ConstantOfShape", "culprit", fill.save("fill.onnx"))

    places = onnx_file.Graph()
    x = places.input("x", FLOAT, [3, 4, 2**40])
    places.output(places.node("Hardmax", [x], name="culprit", axis=2), FLOAT, [3, 4, 2**40])
    expect_error("a constant larger than memory", "memory", places.save("places.onnx"))

    symbolic = onnx_file.Graph()
    x = symbolic.input("x", FLOAT, ["N", 4])
    symbolic.output(symbolic.node("Relu", [x]), FLOAT, ["N", 4])
    path = symbolic.save("symbolic.onnx")
    expect_error("a size for no dimension", "M", path, "--dim", "N=2", "--dim", "M=3")


def nested_messages(fields, depth):
    """A message inside a message, |depth| times round the field numbers: only headers, the outermost first."""
    headers, size = [], 0
    for level in range(depth * len(fields)):
        headers.append(onnx_file.varint(fields[-1 - level % len(fields)] << 3 | 2) + onnx_file.varint(size))
        size += len(headers[-1])
    return b"".join(reversed(headers))


def nesting():
    # A GraphProto's node (1) has an attribute (5) that is a graph (6) …
    graph = nested_messages([1, 5, 6], MANY)
    model = onnx_file.number(1, 8) + onnx_file.data(7, graph) + onnx_file.data(8, onnx_file.number(2, 18))
    expect_error("nested subgraphs", "nested", write("nested.onnx", model))
    for bracket in ("(", "[", "{", "<"):
        expect_error(f"{bracket} nested in .mlir", "brackets.mlir",
                     write("brackets.mlir", b"module { " + bracket.encode() * MANY))
    nested_ops = '"a.b"() ({' * MANY
    expect_error("nested regions in .mlir", "regions.mlir", write("regions.mlir", nested_ops.encode()))
    nested_types = "func.func private @f(" + "tuple<" * MANY
    expect_error("nested types in .mlir", "types.mlir", write("types.mlir", nested_types.encode()))
    many_dims = f'func.func @main(%x: tensor<{"1x" * MANY}f32>)'
    expect_error("a shape of very many dims in .mlir", "line 1: a shape of more than",
                 write("dims.mlir", many_dims.encode()))


def mlir():
    for name, text in {
        "syntax": "func.func @main( {",
        "no main": "module {}",
        "another dialect": "func.func @main() -> tensor<f32> { %0 = tosa.const_shape {} : () -> !tosa.shape<1> return }",
        "unknown op of ours": 'func.func @main(%x: tensor<4xf32>) { "strata.no"(%x) : (tensor<4xf32>) -> () return }',
        "wrong type": 'func.func @main(%x: tensor<4xf32>) -> tensor<5xf32> { '
                      '%y = "strata.neg"(%x) : (tensor<4xf32>) -> tensor<5xf32> return %y : tensor<5xf32> }',
        "dynamic rank": 'func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> { return %x : tensor<*xf32> }',
    }.items():
        expect_error(f".mlir: {name}", "bad.mlir", write("bad.mlir", text.encode()))
    for attribute in ("name = 7", "name", 'name = ""', "name = [1]", "unsigned = 7", 'unsigned = "x"', "type = 7", "output = 3"):
        text = f"func.func @main(%x: tensor<4xf32> {{strata.{attribute}}}) -> tensor<4xf32> {{ return %x : tensor<4xf32> }}"
        expect_error(f"strata.{attribute} of an argument", "expected", write("bad.mlir", text.encode()))
        text = f"func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {{strata.{attribute}}}) {{ return %x : tensor<4xf32> }}"
        expect_error(f"strata.{attribute} of a result", "expected", write("bad.mlir", text.encode()))
    for attribute in ("schedule = 7", "bytes = 1.0", 'pool_size = "x"', "tasks = 1 : i8", "maps = 7", "maps = [7]",
                      "launch = unit", 'launches = "x"', "blocks = 1.0", "threads = [1]", 'cluster = "x"',
                      "shared = array<i64: 1>", "parts = 7", "reversed", "count = 1.0", 'registers = 1', "resident",
                      'body = "x"', "body", "schedule = {kind = 7}", 'schedule = {kind = "x"}', "schedule = {kind}",
                      'schedule = {kind = "map", mma = 7}', 'schedule = {kind = "map", threads = "x"}',
                      'schedule = {kind = "map", threads = -1}', 'schedule = {kind = "map", tile = [1, 2]}',
                      'schedule = {kind = "map", tile = array<i64: 1, -2>}', 'schedule = {what = 1}',
                      'schedule = {kind = "map", tile = array<i64: 1, 2, 3, 4, 5>}'):
        text = f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {{strata.{attribute}}} " \
               "{ return %x : tensor<4xf32> }"
        expect_error(f"strata.{attribute} of a function", "expected", write("bad.mlir", text.encode()))
    expect_error("bytecode of nothing", "bad.mlirbc", write("bad.mlirbc", b"ML\xefR" + bytes(100)))


def options():
    model = small_graph().save("small.onnx")
    expect_error("unknown option", "--frob", model, "--frob")
    expect_error("bad number", "--opt-level", model, "--opt-level=9")
    expect_error("unknown target", "--target", model, "--target=npu")
    expect_error("unknown GPU", "sm_1", model, "--target=nvgpu", "--device=sm_1")
    expect_error("a GPU of another target", "sm_90a", model, "--target=amdgpu", "--device=sm_90a")
    expect_error("GPU tensors on cpu", "--on-gpu-tensors", model, "--on-gpu-tensors")
    expect_error("unknown device", "pentium", model, "--device=pentium")
    expect_error("keyword as name", "while", model, "--aot-name=while")
    expect_error("is reserved for", "printf", model, "--aot-name=printf")
    expect_error("no identifier", "a-b", model, "--aot-name=a-b")
    expect_error("bound constant without a file", "nothere.npy", model, "--bind-constant", "x=nothere.npy")
    np.save("wrong.npy", np.zeros((3, 3), np.float32))
    expect_error("bound constant of another shape", "x", model, "--bind-constant", "x=wrong.npy")
    expect_error("bound constant for no input", "q", model, "--bind-constant", "q=wrong.npy")
    expect_error("unwritable folder", "/proc/nothing", model, "-o", "/proc/nothing")
    expect_error("a file where the folder goes", "small.onnx", model, "-o", "small.onnx")
    expect_error("integer arithmetic of floats", "product", model, "--mm-conv-precision-mode=int32")


def main():
    files()
    external_data()
    graphs()
    nesting()
    mlir()
    options()
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
