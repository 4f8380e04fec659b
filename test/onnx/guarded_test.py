"""test/support/guarded.py notices what it is for: a library that is told of less memory than it needs."""
import os
import tempfile

import numpy as np

import guarded
import onnx_file
import strata

SHORT = 4  # bytes


class ShortPages(guarded.Pages):
    """Pages for a tensor of which the last bytes are missing."""

    def __init__(self, size, alignment, at_end):
        super().__init__(size - SHORT, alignment, at_end)

    def fill(self, content, read_only=False):
        super().fill(content if isinstance(content, int) else content[:self.size], read_only)


def problem_of(path, library, call):
    x = np.arange(library.inputs[0].dims()[0], dtype=np.float32)
    try:
        guarded.run(path, [x], [call])
    except guarded.Problem as problem:
        return str(problem)
    return "none"


def main(folder):
    graph = onnx_file.Graph()
    graph.output(graph.node("Neg", [graph.input("x", onnx_file.FLOAT, [77])]), onnx_file.FLOAT, [77])
    path, _ = strata.compile_library(graph.save(os.path.join(folder, "model.onnx")), folder, "m")
    library = strata.Library(path)
    ending, beginning = guarded.Call(at_end=True, poison=1), guarded.Call(at_end=False, poison=2)
    assert [problem_of(path, library, call) for call in (ending, beginning)] == ["none", "none"]
    guarded.Pages = ShortPages
    assert problem_of(path, library, ending) == "killed by SIGSEGV"
    assert "watched behind it was written" in problem_of(path, library, beginning)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        main(directory)
