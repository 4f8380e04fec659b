"""Programs of torch.export compute what PyTorch computed with them; make_cases.py wrote both and says how."""
import glob
import os
import sys

import numpy as np

import strata

FOLDER = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = {"f": 1e-5, "e": 2e-3}  # of the largest number of an output; f16


def differs(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
    if want.dtype.kind not in "f":
        return "" if np.array_equal(got, want) else f"{np.sum(got != want)} elements"
    tolerance = TOLERANCE["e" if want.dtype == np.float16 else "f"]
    scale = np.max(np.abs(want[np.isfinite(want)]), initial=1)
    if np.allclose(got, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
        return ""
    return f"off by {np.nanmax(np.abs(got.astype(float) - want)):g} of {scale:g}"


def run(path, folder):
    name = os.path.basename(path)[:-len(".pt2")]
    expected = np.load(os.path.join(folder, name.removesuffix("_core") + ".npz"))
    strata.strata(path, "--aot", "--aot-name=m", "-o", name, "--mlir-disable-fast-math",
                  "--polyblocks-disable-unsafe-math-canonicalizations")
    library = strata.Library(f"{name}/libm.so")
    wrong = []
    for batch in sorted({key.split("_")[0] for key in expected}):
        wanted = [expected[f"{batch}_out{k}"] for k in range(len(expected)) if f"{batch}_out{k}" in expected]
        inputs = [expected[f"{batch}_in_{info.name.decode()}"] for info in library.inputs]
        outputs = strata.true_parts(library, library.run(inputs, library.sizes_of([value.shape for value in inputs])))
        assert len(outputs) == len(wanted), f"expected {len(wanted)} outputs, got {len(outputs)}"
        for k, ((name, got), want) in enumerate(zip(outputs.items(), wanted)):
            difference = differs(got, want)
            if difference:
                wrong.append(f"batch {batch}, {k} {name}: {difference}")
    library.close()
    assert not wrong, "; ".join(wrong)


def main():
    folder = os.environ.get("TEST_PT2_CASES", FOLDER)
    paths = sorted(glob.glob(os.path.join(folder, "*.pt2")))
    names = strata.some(os.path.basename(path)[:-4] for path in paths)
    strata.report([(os.path.basename(path), lambda path=path: run(path, folder)) for path in paths
                   if os.path.basename(path)[:-4] in names])


if __name__ == "__main__":
    main()
