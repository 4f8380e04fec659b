"""Code for several of AMD's GPUs in one library: each device takes the first that it runs, an architecture's own before
a generic target's, and computes what NumPy says; the error of one that has none says what there is."""
import sys

import numpy as np

import gpu
import onnx_file
import strata
from onnx_file import FLOAT

ROWS, INNER, COLUMNS = 33, 40, 48
LIBRARIES = {"three": "gfx942,gfx1100,gfx12-generic", "generic": "gfx1201,gfx12-generic,gfx9-4-generic"}
# Library, the device that is there, one that runs the code it takes as well, and one that does not.
TAKEN = [("three", 0x942, None, 0x950), ("three", 0x1100, None, 0x1101), ("three", 0x1200, 0x1201, 0x1100),
         ("three", 0x1201, 0x1200, 0x1100), ("generic", 0x1201, None, 0x1200), ("generic", 0x1200, 0x1201, 0x942),
         ("generic", 0x950, 0x942, 0x90a)]
REFUSED = [("three", 0x950), ("three", 0x1151), ("generic", 0x90a)]


def compile_all():
    """max(x @ w, 0), of small integers: exact, whatever the order."""
    graph = onnx_file.Graph()
    x = graph.input("x", FLOAT, [ROWS, INNER])
    w = graph.input("w", FLOAT, [INNER, COLUMNS])
    graph.node("Relu", [graph.node("MatMul", [x, w])], ["y"])
    graph.output("y", FLOAT, [ROWS, COLUMNS])
    path = graph.save("several.onnx")
    for name, devices in LIBRARIES.items():
        strata.compile_library(path, name, name, ["--target=amdgpu", f"--device={devices}", "--on-gpu-tensors"])


def check_taken(name, arch, like, unlike):
    generator = strata.generator_of(f"{name} {arch}")
    x, w = (generator.integers(-8, 9, shape).astype(np.float32) for shape in ((ROWS, INNER), (INNER, COLUMNS)))
    library = gpu.Library(f"{name}/lib{name}.so")
    got, = library.run([x, w])
    driver = gpu.Library._driver
    assert np.array_equal(got, np.maximum(x @ w, 0))
    assert driver.code_runs_on(arch) and not driver.code_runs_on(unlike)
    assert like is None or driver.code_runs_on(like), "no generic target's code"
    library.unload()


def check_refused(name, arch):
    library = gpu.Library(f"{name}/lib{name}.so")
    zeros = [np.zeros(shape, np.float32) for shape in ((ROWS, INNER), (INNER, COLUMNS))]
    try:
        library.run(zeros)
    except RuntimeError as error:
        expected = f"compiled for {LIBRARIES[name].replace(',', ', ')}, but the device is gfx{arch:x}"
        assert expected in str(error), error
    else:
        raise AssertionError("code for another device runs")


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    if len(sys.argv) == 1:
        compile_all()
        arches = sorted({hex(arch) for _, arch, *_ in TAKEN + REFUSED})
        gpu.use_stand_in()
        sys.exit(gpu.in_processes(__file__, {arch: {"STRATA_TEST_DRIVER_ARCH": arch} for arch in arches}))
    arch = int(sys.argv[1], 0)
    strata.report((f"{sys.argv[1]} {row[0]}", lambda row=row, check=check: check(*row))
                  for rows, check in ((TAKEN, check_taken), (REFUSED, check_refused)) for row in rows if row[1] == arch)


if __name__ == "__main__":
    main()
