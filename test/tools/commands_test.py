"""The commands of README.md and docs/*.md, run as they are printed: each document's in a clean folder, in order.

A block ```sh is run. One that cannot be says so, ```sh skip="reason". A block of another language with a name behind
it, ```c main.c, is a file that the commands find; one whose name has a folder in it is that file of the repository. The
folder looks like a checkout after ./demo.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import FLOAT

FENCE = re.compile(r"^```(\S*) *(.*)$")
SKIPPED = re.compile(r'^skip="(.+)"$')


class Block:
    def __init__(self, language, argument, line):
        self.language, self.argument, self.line, self.lines = language, argument, line, []

    def text(self):
        return "".join(line + "\n" for line in self.lines)


def read_blocks(document):
    blocks, block = [], None
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if fence and block:
            block = None
        elif fence:
            block = Block(*fence.groups(), number)
            blocks.append(block)
        elif block:
            block.lines.append(line)
    return blocks


def exported_network(folder):
    """What the export of docs/from-pytorch.md leaves, with weights of its own."""
    generator = np.random.default_rng(0)
    graph = onnx_file.Graph(opset=20)
    value = graph.input("x", FLOAT, [4, 64])
    for inner, outer, activation in ((64, 128, "Gelu"), (128, 10, "Softmax")):
        w = graph.constant(f"w{inner}", (generator.standard_normal((inner, outer)) / 8).astype(np.float32))
        value = graph.node(activation, [graph.node("MatMul", [value, w])],
                           ["scores"] if activation == "Softmax" else 1)
    graph.output("scores", FLOAT, [4, 10])
    graph.save(os.path.join(folder, "net.onnx"))


def converted_network(folder):
    """What the conversion of docs/from-openvino.md leaves, as it was stored with OpenVINO's other IRs."""
    cases = np.load(os.path.join(strata.SOURCE, "test", "openvino", "cases.npz"))
    for kind in ("xml", "bin"):
        with open(os.path.join(folder, f"net.{kind}"), "wb") as file:
            file.write(cases[f"page {kind}"].tobytes())


STAND_INS = {"from-pytorch.md": exported_network, "from-openvino.md": converted_network}


def make_checkout(folder):
    """Links to what commands name, and the model that ./demo makes whole."""
    models = os.environ["STRATA_MODELS"]
    os.makedirs(os.path.join(folder, "driver"))
    for name in ("docs", "runtime", "test", "tools"):
        os.symlink(os.path.join(strata.SOURCE, name), os.path.join(folder, name))
    os.symlink(os.path.dirname(os.path.abspath(strata.BIN)), os.path.join(folder, "build"))
    # libcuda.so.1, for programs that link it
    os.symlink(os.path.join(os.environ["STRATA_TEST_BIN"], "libstrata_test_cuda.so"),
               os.path.join(folder, "driver", "libcuda.so.1"))
    subprocess.run([sys.executable, "-B", os.path.join(strata.SOURCE, "test", "models", "materialise.py"),
                    "mobilenet_v3_small", models], check=True, stdout=subprocess.DEVNULL)


def environment_of(folder):
    driver = os.path.join(folder, "driver")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STRATA_")}
    return {**environment, "PATH": f"{os.path.abspath(strata.BIN)}:{os.environ['PATH']}", "LIBRARY_PATH": driver,
            "LD_LIBRARY_PATH": os.environ["STRATA_TEST_BIN"], "STRATA_CUDA_DRIVER": f"{driver}/libcuda.so.1",
            "DEVICE": "emulated", "STRATA_CACHE_DIR": os.path.join(folder, "cache")}


def run_block(document, block, folder):
    script = "set -euo pipefail\n" + block.text()
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment_of(folder), capture_output=True, text=True,
                          check=False, timeout=300)
    assert done.returncode == 0, f"{document}:{block.line}: status {done.returncode}\n{done.stdout}{done.stderr}"


def write_file(document, block, folder):
    name = block.argument
    if "/" in name:
        there = pathlib.Path(strata.SOURCE, name).read_text(encoding="utf-8")
        assert there == block.text(), f"{document}:{block.line}: {name} is another text"
    else:
        pathlib.Path(folder, name).write_text(block.text(), encoding="utf-8")


def run_document(document):
    """The number of blocks that were run."""
    folder = os.path.abspath(document.stem)
    shutil.rmtree(folder, ignore_errors=True)
    blocks = [block for block in read_blocks(document) if block.argument or block.language == "sh"]
    commands = [block for block in blocks if block.language == "sh" and not SKIPPED.match(block.argument)]
    if commands:
        make_checkout(folder)
        STAND_INS.get(document.name, lambda folder: None)(folder)
    for block in blocks:
        if block.language == "sh":
            assert not block.argument or SKIPPED.match(block.argument), f"{document}:{block.line}: {block.argument}"
        elif commands:
            write_file(document, block, folder)
    for block in commands:
        run_block(document, block, folder)
    shutil.rmtree(folder, ignore_errors=True)
    return len(commands)


def main():
    if strata.SANITIZED:  # the same commands, but slower
        return
    documents = [pathlib.Path(strata.SOURCE, "README.md"), *sorted(pathlib.Path(strata.SOURCE, "docs").glob("*.md"))]
    count = sum(run_document(document) for document in documents)
    assert count > 8, count
    print(f"{count} blocks of commands")


if __name__ == "__main__":
    sys.exit(main())
