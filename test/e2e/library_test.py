"""The files of an emitted library: linked into C and C++ programs, loaded, inspected, compiled twice."""
import ctypes
import filecmp
import os
import shutil
import subprocess

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT, INT64

HERE = os.path.dirname(os.path.abspath(__file__))
CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
ROWS, INNER, COLUMNS = 4, 96, 80  # as in library_app.c
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

generator = np.random.default_rng(0)
W = (generator.standard_normal((INNER, COLUMNS)) / 8).astype(np.float32)  # large enough to be a weight
B = generator.standard_normal(COLUMNS).astype(np.float32)
X = generator.standard_normal((ROWS, INNER)).astype(np.float32)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def reference(x, w=W, b=B):
    return np.maximum(x @ w + b, 0)


def dense_graph(path, input_name="x", output_name="y"):
    """relu(x @ w + b)"""
    graph = onnx_file.Graph()
    x = graph.input(input_name, FLOAT, [ROWS, INNER])
    product = graph.node("MatMul", [x, graph.constant("w", W)])
    graph.node("Relu", [graph.node("Add", [product, graph.constant("b", B)])], [output_name])
    graph.output(output_name, FLOAT, [ROWS, COLUMNS])
    return graph.save(path)


def compile_as(name, graph, *options, folder="out"):
    return strata.compile_library(graph, folder, name, options)[0]


def check_close(got, expected, tolerance=1e-4):
    assert np.abs(got - expected).max() <= tolerance, np.abs(got - expected).max()


def test_exports(path):
    names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines()}
    assert "first" in names and all(name == "first" or name.startswith("first_") for name in names), names
    needed = {line.split("[")[1].rstrip("]") for line in run("readelf", "-d", path).splitlines() if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}, needed
    archive = path[:-2] + "a"
    static = {line.split()[-1] for line in run("nm", "-g", "--defined-only", archive).splitlines() if " T " in line}
    assert static == names, static ^ names
    assert len(run("ar", "t", archive).split()) == 1


def test_applications(first):
    with open("library_app.data", "wb") as file:
        file.write(X.tobytes() + reference(X).tobytes())
    run(CC, "-std=gnu11", *WARNINGS, "-Iout", os.path.join(HERE, "library_app.c"), "out/libsecond.a", "-o", "app_c",
        "-lpthread", "-ldl", "-lm")
    assert run("./app_c", first) == "ok\n"
    flags = run("pkg-config", "--cflags", "--libs", "first", env={**os.environ, "PKG_CONFIG_PATH": "out"}).split() \
        if shutil.which("pkg-config") else ["-Iout", "-Lout", "-lfirst"]
    run(CXX, *WARNINGS, os.path.join(HERE, "library_app.cpp"), *flags, "-Wl,-rpath,$ORIGIN/out", "-o", "app_cpp")
    assert run("./app_cpp") == "ok\n"
    if shutil.which("valgrind"):  # which does not know AVX-512: the libraries are for x86-64-v3
        for app in (["./app_c", first], ["./app_cpp"]):
            run("valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=all", "--error-exitcode=9", *app,
                env={**os.environ, "STRATA_NUM_THREADS": "3"})


def test_same_bytes(graph):
    compile_as("first", graph, "--device=x86-64-v3", folder="again")
    for suffix in ("lib{}.so", "lib{}.a", "{}.h", "{}.pc"):
        name = suffix.format("first")
        assert filecmp.cmp(f"out/{name}", f"again/{name}", shallow=False), name


def test_strata_run(path):
    np.save("x.npy", X)
    np.save("y.npy", reference(X))
    tool = os.path.join(strata.BIN, "strata-run")
    text = run(tool, path, "--input=x.npy", "--output=got.npy", "--expect=y.npy", "--num-iters=5")
    assert "of 5 runs" in text, text
    check_close(np.load("got.npy"), reference(X))
    np.save("y.npy", reference(X) + 1)
    for arguments, message in ([["--input=x.npy", "--expect=y.npy"], "differ"], [[], "--random"],
                               [["--input=y.npy"], "expected f32 4x96"], [["--input=no.npy"], "No such file"]):
        done = subprocess.run([tool, path, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and message in done.stderr, done.stderr


def test_expect():
    """What is not finite, and integers of 64 bits."""
    graph = onnx_file.Graph()
    for name, dtype in (("x", FLOAT), ("i", INT64)):
        graph.node("Identity", [graph.input(name, dtype, [4])], [name + "y"])
        graph.output(name + "y", dtype, [4])
    path = compile_as("same", graph.save("same.onnx"))
    inf, nan = np.inf, np.nan
    np.save("i.npy", np.array([2**60, 1, 2, 3]))
    tool = os.path.join(strata.BIN, "strata-run")
    for got, expected, integers, status, text in (
            ([inf] * 4, [1, 2, 3, 4], [2**60, 1, 2, 3], 1, "largest difference inf, 4 of 4 elements are not finite"),
            ([nan] * 4, [1, 2, 3, 4], [2**60, 1, 2, 3], 1, "= inf"), ([1, 2, 3, 4], [nan] * 4, [2**60, 1, 2, 3], 1, "= inf"),
            ([inf] * 4, [inf, inf, inf, -inf], [2**60, 1, 2, 3], 1, "= inf"),
            ([1, 2, 3, 4], [inf] * 4, [2**60, 1, 2, 3], 1, "4 of 4 elements differ"),
            ([inf, -inf, nan, 1], [inf, -inf, nan, 1], [2**60, 1, 2, 3], 0, "= 0, largest difference 0, 3 of 4"),
            ([1, 2, 3, 4], [1, 2, 3, 4], [2**60 + 1, 1, 2, 3], 1, "iy: 1 of 4 elements differ")):
        np.save("x.npy", np.array(got, np.float32))
        np.save("e.npy", np.array(expected, np.float32))
        np.save("ie.npy", np.array(integers))
        done = subprocess.run([tool, path, "--input=x.npy", "--input=i.npy", "--expect=e.npy", "--expect=ie.npy"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == status and text in done.stdout + done.stderr, (got, expected, done)
    for wrong in (np.zeros((4, 1), np.float32), np.zeros(4, np.float64), np.zeros(3, np.float32)):
        np.save("e.npy", wrong)
        done = subprocess.run([tool, path, "--input=x.npy", "--input=i.npy", "--expect=e.npy"], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 1 and "output xy is f32 4, the file has" in done.stderr, done


def test_set_constant(graph):
    library = strata.Library(compile_as("settable", graph))
    description = library.description
    names = {description.constants[i].contents.name.decode() for i in range(description.n_constants)}
    assert "w" in names, names
    check_close(library.run([X])[0], reference(X))
    w = np.ascontiguousarray(W[::-1])
    assert description.set_constant(b"w", w.ctypes.data, None) == 0
    check_close(library.run([X])[0], reference(X, w))
    assert description.set_constant(b"nothing", w.ctypes.data, None) == 4
    assert description.unload() == 0
    check_close(library.run([X])[0], reference(X))


def test_weights_file(graph):
    path = compile_as("filed", graph, "--weights=file")
    assert os.path.exists("out/filed.weights")
    assert os.path.getsize(path) < W.nbytes + 200000
    library = strata.Library(path)
    check_close(library.run([X])[0], reference(X))
    assert library.description.unload() == 0
    os.makedirs("elsewhere", exist_ok=True)
    os.replace("out/filed.weights", "elsewhere/filed.weights")

    def expect_status(text):
        try:
            library.run([X])
            assert False, "expected an error"
        except RuntimeError as error:
            assert text in str(error), error

    expect_status("not found")
    os.mkfifo("out/filed.weights")  # which nobody writes to
    expect_status("not a regular file")
    os.remove("out/filed.weights")
    os.makedirs("out/filed.weights")
    expect_status("not a regular file")
    os.rmdir("out/filed.weights")
    libc = ctypes.CDLL(None)
    libc.setenv(b"STRATA_WEIGHTS_PATH", b"/nowhere:elsewhere", 1)
    check_close(library.run([X])[0], reference(X))
    assert library.description.unload() == 0
    with open("elsewhere/filed.weights", "r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"!")
    expect_status("checksum")
    with open("elsewhere/filed.weights", "r+b") as file:
        file.truncate(5000)
    expect_status("bytes")
    libc.unsetenv(b"STRATA_WEIGHTS_PATH")


def test_weights_argument(graph):
    library = strata.Library(compile_as("bare", graph, "--weights=argument"))
    assert [info.name.decode() for info in library.inputs] == ["x", "w", "b"]
    w, b = W[::-1], B[::-1]
    check_close(library.run([X, w, b])[0], reference(X, w, b))


def test_user_memory(graph):
    library = strata.Library(compile_as("mine", graph, "--user-device-memory"))
    description = library.description
    assert description.flags & 1
    size = description.device_memory_size(None)
    buffer = np.zeros(size + 512, np.uint8)
    base = -(-buffer.ctypes.data // 256) * 256
    y = np.zeros((ROWS, COLUMNS), np.float32)
    tensors = (ctypes.c_void_p * 2)(X.ctypes.data, y.ctypes.data)
    assert description.run(tensors, None, base, None) == 6  # not loaded
    assert description.load(None, None) == 0
    assert description.run(tensors, None, None, None) == 1
    assert description.run(tensors, None, base + 64, None) == 1
    assert description.run(tensors, None, base, None) == 0
    check_close(y, reference(X))
    with open("out/mine.h", encoding="utf-8") as file:
        assert "int mine(const float *x, float *y, void *workspace);" in file.read()


def test_alias():
    """y = x + sum(x) along a row, written over x: every element of x is needed to the end."""
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, [64, 128])
    total = graph.node("ReduceSum", [x, graph.constant("axes", np.array([0], np.int64))])
    graph.node("Add", [x, total], ["y"])
    graph.output("y", FLOAT, [64, 128])
    library = strata.Library(compile_as("aliased", graph.save("alias.onnx"), "--alias=y=x"))
    value = generator.standard_normal((64, 128)).astype(np.float32)
    expected = value + value.sum(axis=0, keepdims=True)
    tensors = (ctypes.c_void_p * 2)(value.ctypes.data, value.ctypes.data)
    assert library.description.run(tensors, None, None, None) == 0
    check_close(value, expected, 1e-3)
    for alias, text in (("y=z", "name of an input"), ("q=x", "name of an output"), ("y*=z*", "name of an input, got 'z'"),
                        ("q*=x*", "name of an output, got 'q*'")):
        try:
            compile_as("aliased", "alias.onnx", f"--alias={alias}")
            assert False, "expected an error"
        except strata.CompileError as error:
            assert text in str(error), error


HOSTILE = ["a/b", "a.b", "1st", "int", "x y", "named", "workspace", "*/ bad", "/* bad", "/*/", "a??/", "b\\", "c\nint d;",
           "e\r\n#error", "f\u202e\u2066g\u2069", "h\u200bi", "j\u2028k", "\u540d\u524d", "STRATA_OK", "STRATA_IO",
           "STRATA_DTYPE_F32", "STRATA_LIBRARY_USER_MEMORY", "strata_f16_t", "strata_library_t", "INT8_MAX", "NULL", "errno",
           "EINVAL", "SIGTERM", "M_PI", "max_align_t", "size_t", "_Bool", "__FILE__", "class", "this", "bool", "defined",
           "named_load", "stream", "end", "PRId64"]
BAD = ["int", "printf", "1x", "a-b", "strata_rt", "class", "pow", "_Bool", "", "STRATA_OK", "STRATA_anything",
       "strata_f16_t", "strata_library_t", "max_align_t", "INT8_MAX", "UINT_LEAST16_MAX", "_start", "_fini", "_x", "main",
       "end", "edata", "atexit", "EINVAL", "SIGKILL", "SIG_DFL", "errno", "stdin", "pthread_create", "open", "time_t",
       "int_fast8_t", "nullptr", "co_await", "restrict", "typeof", "alignas", "_Thread_local", "thread_local", "va_list",
       "setjmp", "isnan", "signbit", "offsetof", "assert", "FILE", "FLT_MAX", "PRIx64", "linux", "and_eq", "u\u0308ber"]


def test_names():
    graph = onnx_file.Graph()
    values = [graph.input(name, FLOAT, [2]) for name in HOSTILE]
    graph.node("Sum", values, ["out:0"])
    graph.output("out:0", FLOAT, [2])
    path = compile_as("named", graph.save("names.onnx"))
    library = strata.Library(path)
    assert [info.name.decode() for info in library.inputs] == HOSTILE
    total = sum(range(len(HOSTILE)))
    np.testing.assert_array_equal(library.run([np.full(2, i, np.float32) for i in range(len(HOSTILE))])[0], [total] * 2)
    with open("out/named.h", encoding="utf-8") as file:
        header = file.read()
    assert header.isprintable() or not set(header) & set("\u202e\u2066\u2069\u200b\u2028\r"), header
    assert "\u540d\u524d" in header
    with open("names.c", "w", encoding="utf-8") as file:
        file.write("#include <errno.h>\n#include <inttypes.h>\n#include <math.h>\n#include <signal.h>\n#include <stdio.h>\n"
                   f'#include "named.h"\nint main(void) {{ return named_library()->n_inputs == {len(HOSTILE)} ? 0 : 1; }}\n')
    for compiler, language in ((CC, "-std=c11"), (CXX, "-std=c++11"), (CC, "-std=gnu11"), (CXX, "-std=gnu++20")):
        run(compiler, "-x", "c++" if "++" in language else "c", language, *WARNINGS, "-Wtrigraphs", "-Wcomment",
            "-Wbidi-chars=any", "-Iout", "names.c", "-x", "none", "-Lout", "-lnamed", "-Wl,-rpath,$ORIGIN/out", "-o", "names")
        run("./names")
    for bad in BAD:
        try:
            compile_as(bad, "names.onnx", folder="bad")
            assert False, f"{bad!r}: expected an error"
        except strata.CompileError:
            assert not os.path.exists("bad")
    for good in ("net", "strata_net", "resnet50", "total", "token", "isnet", "strange", "memory", "E5", "NET", "input_t"):
        compile_as(good, "names.onnx", folder="good")
        with open("names.c", "w", encoding="utf-8") as file:
            file.write(f'#include "{good}.h"\nint main(void) {{ return {good}_library() == 0; }}\n')
        run(CXX, "-x", "c++", *WARNINGS, "-Igood", "names.c", "-c", "-o", "names.o")


def test_types():
    graph = onnx_file.Graph()
    i = graph.input("i", INT64, [3])
    m = graph.input("m", onnx_file.BOOL, [3])
    u = graph.input("u", onnx_file.UINT8, [3])
    graph.node("Where", [m, i, graph.node("Cast", [u], to=INT64)], ["y"])
    graph.node("Not", [m], ["n"])
    graph.output("y", INT64, [3])
    graph.output("n", onnx_file.BOOL, [3])
    library = strata.Library(compile_as("typed", graph.save("types.onnx")))
    with open("out/typed.h", encoding="utf-8") as file:
        assert "int typed(const int64_t *i, const bool *m, const uint8_t *u, int64_t *y, bool *n);" in file.read()
    y, n = library.run([np.array([1 << 40, 2, 3]), np.array([True, False, True]), np.array([7, 200, 9], np.uint8)])
    assert y.tolist() == [1 << 40, 200, 3] and n.tolist() == [False, True, False]


def test_other_architecture(graph):
    """Two libraries in one program, archives both, and one of them loaded as well."""
    if not strata.has_aarch64():
        return
    for name in ("first", "second"):
        strata.strata(graph, "--aot", f"--aot-name={name}", "--device=aarch64", "-o", "arm")
        assert "AArch64" in run("readelf", "-h", f"arm/lib{name}.a")
    assert sorted(os.listdir("arm")) == ["first.h", "first.pc", "libfirst.a", "libsecond.a", "second.h",
                                         "second.pc"]
    compiler, libraries = "aarch64-linux-gnu-gcc", ["-lpthread", "-ldl", "-lm"]
    run(compiler, "-shared", "-Wl,--whole-archive", "arm/libfirst.a", "-Wl,--no-whole-archive", *libraries,
        "-Wl,-soname,libfirst.so", "-o", "arm/libfirst.so")
    run(compiler, "-std=gnu11", *WARNINGS, "-DEMULATED", "-Iarm", os.path.join(HERE, "library_app.c"),
        "arm/libsecond.a", "arm/libfirst.a", *libraries, "-o", "app_arm")
    assert run("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "./app_arm", "arm/libfirst.so") == "ok\n"


def test_shared_only(graph, path):
    """The same library, and no other file but those that are asked for."""
    strata.strata(graph, "--aot", "--aot-name=first", "--device=x86-64-v3", "-o", "alone", "--shared-only", "--depfile")
    assert sorted(os.listdir("alone")) == ["first.d", "libfirst.so"]
    with open("alone/libfirst.so", "rb") as alone, open(path, "rb") as beside:
        assert alone.read() == beside.read()
    with open("alone/first.d", encoding="utf-8") as rule:
        assert rule.read().startswith("alone/libfirst.so: ")
    if strata.has_aarch64():
        try:
            strata.strata(graph, "--aot", "--device=aarch64", "-o", "alone", "--shared-only")
            assert False, "expected an error"
        except strata.CompileError as error:
            assert "asked for alone" in str(error), error


def test_debug_info(graph):
    path = compile_as("traced", graph, "--debug-info=line")
    check_close(strata.Library(path).run([X])[0], reference(X))
    with open("out/traced.mlir", encoding="utf-8") as file:
        assert "llvm.func" in file.read()
    assert "traced.mlir" in run("readelf", "--debug-dump=decodedline", path)
    compile_as("traced", graph, "--debug-info=full")


def test_resources(graph):
    text = strata.strata(graph, "--aot", "--aot-name=sized", "--resource-usage", "-o", "sized")
    rows = [line.split() for line in text.splitlines()]
    assert rows[0] == ["kernel", "tasks", "code", "stack", "scratch"], text
    assert int(rows[1][2]) > 0, text
    assert any(row[:1] == ["pool"] for row in rows) and any(row[:1] == ["weights"] for row in rows), text


def main():
    for folder in ("out", "again", "arm", "bad", "good", "elsewhere", "sized", "alone"):
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier run
    graph = dense_graph("dense.onnx")
    first = compile_as("first", graph, "--device=x86-64-v3")
    compile_as("second", graph, "--device=x86-64-v3")
    tests = [lambda: test_exports(first), lambda: test_applications(first), lambda: test_same_bytes(graph),
             lambda: test_strata_run(first), lambda: test_set_constant(graph), lambda: test_weights_file(graph),
             lambda: test_weights_argument(graph), lambda: test_user_memory(graph), test_alias, test_names, test_types, test_expect,
             lambda: test_other_architecture(graph), lambda: test_shared_only(graph, first),
             lambda: test_debug_info(graph), lambda: test_resources(graph)]
    for test in tests:
        test()
    print(f"{len(tests)} tests")


if __name__ == "__main__":
    main()
