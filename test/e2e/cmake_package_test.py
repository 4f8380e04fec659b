"""What `cmake --install` installs: a project that compiles a model when it is built, pkg-config, manual pages, shell
completions; and a configuration without tests."""
import os
import shutil
import subprocess
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

EXAMPLE = os.path.join(strata.SOURCE, "docs", "examples", "cmake")
PREFIX = os.path.abspath("installed")
X = np.array([[0.5, -1, 2, 0, 0.25, 1, -0.5, 1.5]], np.float32)
W = (np.arange(24, dtype=np.float32).reshape(8, 3) - 12) / 16
B = np.array([0.5, 0, -0.5], np.float32)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def install(**environment):
    build = os.path.dirname(strata.BIN)
    return run("cmake", "--install", build, "--prefix", PREFIX, env={**os.environ, **environment})


def check_output(program, w):
    y = X.astype(np.float64) @ w + B
    expected = np.exp(y) / np.exp(y).sum()
    got = np.array(run(f"example-build/{program}").split(), np.float64)
    assert np.abs(got - expected[0]).max() < 2e-6, (program, got, expected)


def build(w):
    """Builds the example; whether the model was compiled."""
    text = run("cmake", "--build", "example-build")
    check_output("in_c", w)
    check_output("in_cpp", w)
    return "to the library net" in text


def save_with_external_data(w):
    w.astype(np.float32).tofile("example/w.bin")
    graph = onnx_file.Graph()
    product = graph.node("MatMul", [graph.input("x", FLOAT, [1, 8]), graph.external("w", FLOAT, [8, 3], "w.bin")])
    graph.node("Softmax", [graph.node("Add", [product, graph.constant("b", B)])], ["scores"], axis=-1)
    graph.output("scores", FLOAT, [1, 3])
    graph.save("example/net.onnx")


def test_example(generator, *arguments):
    for folder in ("example", "example-build"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(EXAMPLE, "example")
    run("cmake", "-G", generator, "-S", "example", "-B", "example-build", f"-DCMAKE_PREFIX_PATH={PREFIX}", *arguments)
    assert build(W)
    assert not build(W), "nothing has changed"
    save_with_external_data(W[::-1])
    assert build(W[::-1]), "the model has changed"
    assert not build(W[::-1])
    (2 * W).tofile("example/w.bin")
    assert build(2 * W), "its data has changed"
    os.utime(f"{PREFIX}/bin/strata")
    assert build(2 * W), "the compiler has changed"


def test_options():
    """A shared library, for another processor, with a bound input, in a project in C alone."""
    os.makedirs("options", exist_ok=True)
    np.save("options/w.npy", W)
    graph = onnx_file.Graph()
    graph.node("MatMul", [graph.input("x", FLOAT, [1, 8]), graph.input("w", FLOAT, [8, 3])], ["y"])
    graph.output("y", FLOAT, [1, 3])
    graph.save("options/product.onnx")
    with open("options/CMakeLists.txt", "w", encoding="utf-8") as file:
        file.write("""cmake_minimum_required(VERSION 3.21)
project(options LANGUAGES C)
find_package(strata 0.1 REQUIRED)
strata_add_library(product MODEL product.onnx SHARED DEVICE x86-64-v2
                   OPTIONS --bind-constant=w=${CMAKE_CURRENT_SOURCE_DIR}/w.npy --threads=1)
add_executable(app app.c)
target_link_libraries(app PRIVATE product)
""")
    with open("options/app.c", "w", encoding="utf-8") as file:
        file.write("""#include "product.h"
#include <stdio.h>
int main(void) {
  float x[8] = {1}, y[3];
  int status = product(x, y);
  printf("%d %s %g %g %g\\n", status, product_library()->devices[0], y[0], y[1], y[2]);
}
""")
    run("cmake", "-G", "Ninja", "-S", "options", "-B", "options-build", f"-DCMAKE_PREFIX_PATH={PREFIX}")
    run("cmake", "--build", "options-build")
    assert run("options-build/app") == f"0 x86-64-v2 {W[0, 0]:g} {W[0, 1]:g} {W[0, 2]:g}\n"


def test_pkg_config():
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{PREFIX}/lib/pkgconfig"}
    compiler = run("pkg-config", "--variable=strata", "strata", env=environment).strip()
    version = run(compiler, "--version").split()[1]
    assert run("pkg-config", "--modversion", "strata", env=environment).strip() == version
    with open(os.path.join(strata.SOURCE, "CHANGELOG.md"), encoding="utf-8") as file:
        assert f"\n## {version}\n" in file.read(), "CHANGELOG.md does not know this version"


def test_manual_pages():
    for program in ("strata", "strata-run", "strata-opt"):
        with open(f"{PREFIX}/share/man/man1/{program}.1", encoding="utf-8") as file:
            text = file.read()
        assert text.startswith(f".TH {program} 1 ") and ".SH OPTIONS" in text
    with open(f"{PREFIX}/share/man/man1/strata.1", encoding="utf-8") as file:
        assert "\\fB\\-\\-aot\\-name\\fR=\\fINAME\\fR" in file.read()


def complete(*words):
    script = f"""source {PREFIX}/share/bash-completion/completions/strata
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _strata "$1"; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return run("bash", "-c", script, "bash", *words).split()


def test_completions():
    assert complete("strata", "--target", "=", "nv") == ["nvgpu"]
    assert complete("strata", "--weights", "=") == ["embed", "file", "argument", "set"]
    assert complete("/usr/bin/strata", "--aot") == ["--aot", "--aot-name="]
    assert complete("strata-run", "--num") == ["--num-iters="]
    assert complete("strata-run", "--tar") == [""] or not complete("strata-run", "--tar")
    for shell, path in (("zsh", "zsh/vendor-completions/_strata"), ("fish", "fish/vendor_conf.d/strata.fish")):
        if shutil.which(shell):
            run(shell, "-n", f"{PREFIX}/share/{path}")


def test_for_packagers():
    """No tests, no -Werror, and what is installed goes under DESTDIR."""
    run("cmake", "-G", "Ninja", "-S", strata.SOURCE, "-B", "without", "-DSTRATA_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release")
    with open("without/build.ninja", encoding="utf-8") as file:
        text = file.read()
    assert "Werror" not in text and "strata_test_cuda" not in text
    shutil.rmtree("without")
    install(DESTDIR=os.path.abspath("staged"))
    assert os.path.exists(f"staged{PREFIX}/bin/strata-run")
    shutil.rmtree("staged")


def main():
    if strata.SANITIZED:  # the same files, but for a larger program
        return
    shutil.rmtree(PREFIX, ignore_errors=True)
    install()
    test_for_packagers()
    test_example("Ninja")
    if shutil.which("make"):
        test_example("Unix Makefiles")
    test_options()
    test_pkg_config()
    test_manual_pages()
    test_completions()
    shutil.rmtree(PREFIX)


if __name__ == "__main__":
    sys.exit(main())
