"""The cache of compiled models: what is used again, what is not, processes that use it at once, its size."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

import package
from package import raises, support

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT
from strata import cache, compiler

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def make_model(path, factor, location=None):
    graph = onnx_file.Graph(opset=18)
    x, w = graph.input("x", FLOAT, ["n", 4]), np.full(4, factor, np.float32)
    if location:
        (pathlib.Path(path).parent / location).write_bytes(w.tobytes())
        factor = graph.external("w", FLOAT, [4], location)
    else:
        factor = graph.constant("w", w)
    graph.node("Mul", [x, factor], ["y"])
    graph.output("y", FLOAT, ["n", 4])
    graph.save(str(path))
    return path


def compiles(function):
    """How many compiles |function| makes."""
    count, run = [], compiler.run

    def counted(arguments, **more):
        count.append("--aot" in arguments)
        return run(arguments, **more)

    compiler.run = counted
    try:
        function()
    finally:
        compiler.run = run
    return sum(count)


def run(path, factor, **compile_options):
    assert np.array_equal(strata.compile(path, **compile_options)(X), factor * X)


def entries():
    return [path for path in cache.folder().iterdir() if path.is_dir()]


def used_again():
    make_model("a.onnx", 2)
    assert compiles(lambda: run("a.onnx", 2)) == 1
    assert compiles(lambda: run("a.onnx", 2)) == 0
    assert compiles(lambda: run("a.onnx", 2, opt_level=1)) == 1
    assert compiles(lambda: run("a.onnx", 2, dim={"n": "1..9"})) == 1
    assert compiles(lambda: run("a.onnx", 2, num_iters=3)) == 0, "the library is the same"
    shutil.copy("a.onnx", "copy.onnx")
    assert compiles(lambda: run("copy.onnx", 2)) == 0, "only the contents count"


def changed_models():
    assert compiles(lambda: run(make_model("b.onnx", 3), 3)) == 1
    assert compiles(lambda: run(make_model("b.onnx", 4), 4)) == 1
    assert compiles(lambda: run(make_model("b.onnx", 3), 3)) == 0


def changed_data_beside():
    """External data are part of the model."""
    for folder in ("one", "two"):
        os.makedirs(folder, exist_ok=True)
    assert compiles(lambda: run(make_model("one/m.onnx", 5, "w.bin"), 5)) == 1
    assert compiles(lambda: run("one/m.onnx", 5)) == 0
    assert compiles(lambda: run(make_model("one/m.onnx", 6, "w.bin"), 6)) == 1
    assert compiles(lambda: run(make_model("two/m.onnx", 7, "w.bin"), 7)) == 1
    assert compiles(lambda: run("one/m.onnx", 6)) == 0


def changed_files_of_options():
    """Files that options name, too."""
    def bound(factor):
        graph = onnx_file.Graph(opset=18)
        graph.node("Mul", [graph.input("x", FLOAT, ["n", 4]), graph.input("w", FLOAT, [4])], ["y"])
        graph.output("y", FLOAT, ["n", 4])
        graph.save("bound.onnx")
        np.save("w.npy", np.full(4, factor, np.float32))
        run("bound.onnx", factor, bind_constant={"w": "w.npy"})

    assert [compiles(lambda factor=factor: bound(factor)) for factor in (5, 6, 5, 6)] == [1, 1, 0, 0]


def changed_surroundings():
    os.environ["STRATA_OPT_LEVEL"] = "1"
    try:
        assert compiles(lambda: run("a.onnx", 2)) == 1
    finally:
        del os.environ["STRATA_OPT_LEVEL"]
    identity = compiler.identity
    compiler.identity = lambda path: identity(path) + "another"
    try:
        assert compiles(lambda: run("a.onnx", 2)) == 1
    finally:
        compiler.identity = identity


def what_is_observed_is_compiled():
    assert compiles(lambda: run("a.onnx", 2, time_compilation=True)) == 1
    assert compiles(lambda: run("a.onnx", 2, time_compilation=True)) == 1


def failures_leave_nothing():
    before = sorted(cache.folder().iterdir())
    with open("broken.onnx", "wb") as file:
        file.write(b"no model")
    with raises(strata.CompileError):
        strata.compile("broken.onnx")
    assert sorted(cache.folder().iterdir()) == before


def the_oldest_go():
    run("b.onnx", 3)
    for entry in entries():
        os.utime(entry, (time.time() - 1000,) * 2)
    run("a.onnx", 2)  # used just now
    size = max(cache._size(entry) for entry in entries())
    os.environ["STRATA_CACHE_SIZE"] = str(int(size * 2.5))
    try:
        run(make_model("c.onnx", 9), 9)
    finally:
        del os.environ["STRATA_CACHE_SIZE"]
    assert len(entries()) == 2, entries()
    assert compiles(lambda: run("a.onnx", 2)) == 0 and compiles(lambda: run("c.onnx", 9)) == 0
    assert compiles(lambda: run("b.onnx", 3)) == 1
    for text, expected in (("1K", 1024), ("2.5M", 2621440), ("7", 7), ("3gb", 3 * 2**30)):
        os.environ["STRATA_CACHE_SIZE"] = text
        assert cache.limit() == expected, text
    os.environ["STRATA_CACHE_SIZE"] = "much"
    with raises(ValueError, "STRATA_CACHE_SIZE"):
        cache.limit()
    del os.environ["STRATA_CACHE_SIZE"]


def removed_while_it_is_used():
    net = strata.compile("a.onnx")
    cache.clear()
    assert np.array_equal(net(X), 2 * X)
    net.save_library("kept/net")
    assert np.array_equal(strata.load("kept/libnet.so")(X), 2 * X)


def what_was_killed_goes():
    old, new = cache.folder() / "new-old", cache.folder() / "new-new"
    for path in (old, new):
        path.mkdir(parents=True)
    os.utime(old, (0, 0))
    run(make_model("d.onnx", 11), 11)
    assert not old.exists() and new.exists()
    new.rmdir()


HOLDER = """
import sys
sys.path.insert(0, sys.argv[1])
from strata import scratch
print(scratch.lasting(), flush=True)
sys.stdin.read()
"""


def folders_of_the_killed_go():
    """What a process that was killed had in the folder for temporary files goes with the next, a living one's stays."""
    environment = {**os.environ, "TMPDIR": os.path.abspath("temporary")}
    os.makedirs("temporary", exist_ok=True)

    def start():
        child = subprocess.Popen([sys.executable, "-c", HOLDER, f"{package.SOURCE}/tools/python"], env=environment,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return child, pathlib.Path(child.stdout.readline().strip())

    killed, left = start()
    living, kept = start()
    assert left.is_dir() and kept.is_dir()
    killed.kill()
    killed.communicate()
    assert left.is_dir()
    last, own = start()
    assert not left.exists() and kept.is_dir() and own.is_dir()
    for child, path in ((living, kept), (last, own)):
        child.communicate("")
        assert child.returncode == 0 and not path.exists()


def without():
    for value in ("", "/proc/nowhere"):
        os.environ["STRATA_CACHE_DIR"] = value
        try:
            assert compiles(lambda: run("a.onnx", 2)) == 1 and compiles(lambda: run("a.onnx", 2)) == 1
        finally:
            os.environ["STRATA_CACHE_DIR"] = package.CACHE


CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np, strata
x = np.ones((2, 4), np.float32)
for factor in range(20, 24):
    assert np.array_equal(strata.compile(f"many{factor}.onnx")(x), factor * x)
"""


def many_processes():
    for factor in range(20, 24):
        make_model(f"many{factor}.onnx", factor)
    for size in ("8G", "40K"):  # the second: everybody removes what others have just made
        shutil.rmtree(cache.folder(), ignore_errors=True)
        environment = {**os.environ, "STRATA_CACHE_SIZE": size}
        children = [subprocess.Popen([sys.executable, "-c", CHILD, f"{package.SOURCE}/tools/python"], env=environment)
                    for _ in range(3)]
        assert [child.wait() for child in children] == [0] * 3, size
        assert not list(cache.folder().glob("new-*"))


support.report([(case.__name__, case) for case in (
    used_again, changed_models, changed_data_beside, changed_files_of_options, changed_surroundings,
    what_is_observed_is_compiled, failures_leave_nothing, the_oldest_go, removed_while_it_is_used, what_was_killed_goes,
    folders_of_the_killed_go, without, many_processes)])
