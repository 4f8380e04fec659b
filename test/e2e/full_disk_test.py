"""Output that cannot be written is an error, with status 1 and nothing left behind: full disks, limits on files, a folder
where a file goes. A reader that has seen enough is none."""
import os
import resource
import shutil
import subprocess
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

TOOLS = {name: os.path.join(strata.BIN, name) for name in ("strata", "strata-run", "strata-opt", "strata-docs")}
MLIR = 'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = "strata.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32> ' \
       'return %y : tensor<4xf32> }'
failures = 0


def run(tool, *arguments, stdout=subprocess.PIPE, **options):
    return subprocess.run([TOOLS[tool], *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=600, **options)


def check(name, good, done=None):
    global failures
    failures += not good
    if not good:
        print(f"FAIL {name}: {done and (done.returncode, done.stderr[-500:])}")


def expect_error(name, done, *texts):
    lines = done.stderr.splitlines()
    check(name, done.returncode == 1 and all(text in done.stderr for text in texts) and "internal" not in done.stderr and
          lines and all(line.startswith("strata: error: ") for line in lines), done)


def make_model(path, layers=4):
    graph = onnx_file.Graph()
    value = graph.input("x", FLOAT, [8, 256])
    for i in range(layers):
        weight = graph.constant(f"w{i}", np.full((256, 256), i + 1, np.float32))
        value = graph.node("Tanh", [graph.node("MatMul", [value, weight])])
    graph.output(value, FLOAT, [8, 256])
    return graph.save(path)


def streams(model, library):
    """Standard output and error of every tool."""
    commands = [("strata", "--help"), ("strata", "--version"), ("strata", model, "--compile-to=graph"),
                ("strata", model, "--compile-to=tile"), ("strata", model), ("strata-opt", "small.mlir"),
                ("strata", model, "--aot", "-o", "explained", "--explain"),
                ("strata", model, "--aot", "-o", "explained", "--time-compilation"), ("strata-docs", "options"),
                ("strata-docs", "ops"), ("strata-run", "--help"), ("strata-run", "--version"),
                ("strata-run", library, "--random")]
    for command in commands:
        with open("/dev/full", "w", encoding="ascii") as full:
            expect_error(f"{command} to a full disk", run(*command, stdout=full), "standard output", "No space left")
        expect_error(f"{command} to nothing", run(*command, stdout=None, preexec_fn=lambda: os.close(1)),
                     "standard output", "Bad file descriptor")
        check(f"{command} leaves files", not os.path.exists("explained"))
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([TOOLS["strata"], model, "--dump-after=graph", "--aot", "-o", "explained"], stderr=full,
                              check=False)
    check("a dump to a full disk", done.returncode == 1 and not os.path.exists("explained"))
    for command in commands:
        from_end, to_end = os.pipe()
        os.close(from_end)
        done = run(*command, stdout=to_end)
        os.close(to_end)
        check(f"{command} to a reader that is gone", done.returncode == 0 and not done.stderr, done)
    check("a compile whose report nobody reads", os.path.exists("explained"))


def limits(model):
    def limited(which, value, *arguments):
        return run("strata", model, "--aot", "-o", "limited", *arguments,
                   preexec_fn=lambda: resource.setrlimit(which, (value, value)))

    for kib in (1, 100, 700):
        expect_error(f"files of {kib} KiB", limited(resource.RLIMIT_FSIZE, kib << 10), "File too large", "ulimit -f")
        check("a limit leaves files", not os.path.exists("limited"))
    expect_error("a plot", limited(resource.RLIMIT_FSIZE, 100, "--plot=plot.svg"), "File too large", "ulimit -f")
    check("a plot in part", not os.path.exists("plot.svg"))
    expect_error("no open files", limited(resource.RLIMIT_NOFILE, 5), "Too many open files", "ulimit -n")
    if os.geteuid() == 0 and shutil.which("setpriv") and not strata.SANITIZED:
        os.makedirs("public", exist_ok=True)
        os.chmod("public", 0o777)
        for count in (1, 2, 3, 4):
            done = subprocess.run(["setpriv", "--reuid=54321", "--clear-groups", "prlimit", f"--nproc={count}",
                                   TOOLS["strata"], os.path.abspath(model), "--aot", "-o", "public/out"],
                                  capture_output=True, text=True, check=False)
            if "Permission denied" in done.stderr: # the work folder is nobody else's
                return
            expect_error(f"{count} processes", done, "ulimit -u")
            check("a limit leaves files", not os.listdir("public"))


def processor_time():
    """A limit that the whole process reaches while it compiles."""
    model = make_model("long.onnx", 600)
    done = run("strata", model, "--aot", "-o", "limited", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)))
    if done.returncode: # else this machine is fast
        expect_error("processor time", done, "processor time", "ulimit -t")
    shutil.rmtree("limited", ignore_errors=True)


def full_disk(model):
    """A disk of every size up to one that is large enough."""
    os.makedirs("disk", exist_ok=True)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", "disk"], check=False,
                                      capture_output=True).returncode:
        return print("no small disk: may not mount one")
    try:
        for kib in (40, 400, 800, 1200, 1600, 2000, 8000):
            subprocess.run(["mount", "-o", f"remount,size={kib}k", "disk"], check=True)
            done = run("strata", model, "--aot", "-o", "disk/out", env={**os.environ, "TMPDIR": os.path.abspath("disk")})
            left = os.listdir("disk")
            if done.returncode == 0:
                check(f"{kib} KiB", left == ["out"] and len(os.listdir("disk/out")) == 4, done)
                check("there are full disks", kib > 40)
                return None
            expect_error(f"a disk of {kib} KiB", done, "No space left")
            check(f"a disk of {kib} KiB: {left}", not left)
    finally:
        subprocess.run(["umount", "disk"], check=True)
    return check("a disk that is large enough", False)


def folders(model):
    """All files or none: one of them cannot be put where it goes."""
    os.makedirs("taken/libnet.so")
    for name in ("net.h", "net.pc"):
        with open(f"taken/{name}", "w", encoding="ascii") as file:
            file.write("old")
    done = run("strata", model, "--aot", "--aot-name=net", "-o", "taken")
    expect_error("a folder where a file goes", done, "taken/libnet.so", "Is a directory")
    check("nothing was published", sorted(os.listdir("taken")) == ["libnet.so", "net.h", "net.pc"] and
          open("taken/net.h", encoding="ascii").read() == "old")


def results(library):
    """The files of strata-run."""
    np.save("old.npy", np.zeros(3, np.float32))
    shutil.copy("old.npy", "kept.npy")
    for path in ("kept.npy", "none.npy"):
        done = run("strata-run", library, "--random", f"--output={path}",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
        expect_error(f"{path}", done, path, "File too large")
    check("an old result is kept", open("kept.npy", "rb").read() == open("old.npy", "rb").read())
    check("a result in part", not os.path.exists("none.npy"))
    expect_error("/dev/full", run("strata-run", library, "--random", "--output=/dev/full"), "/dev/full", "No space")


def main():
    for folder in ("out", "taken", "limited", "explained", "public", "disk"):
        shutil.rmtree(folder, ignore_errors=True)
    for file in ("plot.svg", "none.npy", "kept.npy"):
        if os.path.exists(file):
            os.remove(file)
    model = make_model("model.onnx")
    with open("small.mlir", "w", encoding="ascii") as file:
        file.write(MLIR)
    library, _ = strata.compile_library(model, "out", "net")
    streams(model, library)
    limits(model)
    processor_time()
    full_disk(model)
    folders(model)
    results(library)
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
