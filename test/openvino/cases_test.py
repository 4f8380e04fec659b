"""Small IRs that OpenVINO wrote, compared with what it computes (cases.npz, which make_cases.py wrote)."""
import os

import numpy as np

import strata

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.npz")
TOLERANCE = 1e-4  # of the largest number of an output


def close(got, want):
    if got.dtype.kind not in "fc":
        return got.shape == want.shape and np.array_equal(got, want)
    scale = max(1.0, np.max(np.abs(want), initial=0))
    return got.shape == want.shape and np.allclose(got, want, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True)


def run(name, arrays, change=lambda text: text):
    with open(f"{name}.xml", "wb") as file:
        file.write(change(arrays[f"{name} xml"].tobytes()))
    with open(f"{name}.bin", "wb") as file:
        file.write(arrays[f"{name} bin"].tobytes())
    strata.strata(f"{name}.xml", "--aot", "--aot-name=m", "-o", "out", "--mlir-disable-fast-math",
                  "--polyblocks-disable-unsafe-math-canonicalizations")
    library = strata.Library("out/libm.so")
    inputs = [arrays[f"{name} input {info.name.decode()}"] for info in library.inputs]
    outputs = strata.true_parts(library, library.run(inputs, library.sizes_of([value.shape for value in inputs])))
    wanted = [key for key in arrays if key.startswith(f"{name} output ")]
    assert len(outputs) == len(wanted), f"expected {len(wanted)} outputs, got {len(outputs)}"
    wrong = []
    for output, got in outputs.items():
        if not close(got, arrays[f"{name} output {output}"]):
            wrong.append(output)
    library.close()
    assert not wrong, f"wrong: {', '.join(wrong)}"


def older(text):
    """As version 10 has it, with types as old files write them."""
    new = text.replace(b'version="11"', b'version="10"').replace(b'type="Softmax"', b'type="SoftMax"')
    assert new != text
    return new


def main():
    arrays = dict(np.load(CASES))
    names = sorted({key.split(" ")[0] for key in arrays})
    cases = [(name, lambda name=name: run(name, arrays)) for name in names]
    cases.append(("version_10", lambda: run("page", arrays, older)))
    chosen = strata.some(name for name, _ in cases)
    strata.report([(name, function) for name, function in cases if name in chosen])


if __name__ == "__main__":
    main()
