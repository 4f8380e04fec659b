"""Compares libraries of OpenVINO IRs with what OpenVINO computes: compare.py MODEL.xml... (docs/testing.md).

Needs OpenVINO's Python package. Inputs are random; sizes that vary are --size. Variables get random values, too: as
inputs of the library, and as states of OpenVINO. A line for each model: the largest difference of an output, relative
to the largest number of it, and whether that is within --tolerance.

OpenVINO computes networks of f16 in f32, we round between operators as the network says. --half MODEL.onnx, the network
that the IR was made from, has PyTorch compute it in f64, which is the reference then, and in f16, operator by operator:
by how much the norm of that is off is the tolerance, and a tenth more, for both round alike but sum in other orders. Of
resnet50 and eight images ours was off by 0.97 to 1.04 times as much; the largest differences were 0.8 to 1.5 times theirs.
"""
import argparse
import os
import sys
import tempfile

import numpy as np
import openvino

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path[:0] = [os.path.join(ROOT, "test", "support"), os.path.join(ROOT, "tools", "bench", "gpu")]
import strata  # noqa: E402

HALF_MARGIN = 1.1


def random_value(rng, dtype, shape, high):
    if np.dtype(dtype) == bool:
        return rng.random(shape) < 0.5
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, high, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def compiled_model(path):
    core = openvino.Core()
    options = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
               "EXECUTION_MODE_HINT": "ACCURACY", "LP_TRANSFORMS_MODE": "NO"}
    return core.compile_model(core.read_model(path), "CPU", options)


def shape_of(port, size):
    return [dim.get_length() if dim.is_static else max(dim.get_min_length(), min(size, dim.get_max_length()))
            if dim.get_max_length() > 0 else size for dim in port.partial_shape]


def expected(path, rng, options):
    """The values of inputs and variables by name, and those of outputs and variables afterwards, in their order."""
    request = compiled_model(path).create_infer_request()
    values = {}
    feed = {}
    for port in request.model_inputs:
        value = random_value(rng, port.element_type.to_dtype(), shape_of(port, options.size), options.high)
        values[port.get_node().friendly_name] = feed[port] = value
    states = request.query_state()
    for state in states:
        shape = [dim or options.past for dim in state.state.shape]
        values[state.name] = random_value(rng, state.state.data.dtype, shape, options.high)
        state.state = openvino.Tensor(values[state.name])
    results = request.infer(feed)
    outputs = [np.array(results[port]) for port in request.model_outputs]
    return values, outputs, {state.name: np.array(state.state.data) for state in request.query_state()}


def difference(got, want):
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    if got.shape != want.shape:
        return np.inf
    if got.size == 0 or np.array_equal(got, want, equal_nan=True):
        return 0.0
    return float(np.max(np.abs(got - want)) / max(1e-6, np.max(np.abs(want))))


def by_norm(got, want):
    """The largest of an output, relative to its norm."""
    norms = [(np.linalg.norm(np.asarray(a, np.float64) - b), np.linalg.norm(b)) for a, b in zip(got, want)]
    return max((difference / max(1e-6, norm) for difference, norm in norms), default=0.0)


def largest_difference(got, want):
    return max((difference(a, b) for a, b in zip(got, want)), default=0.0)


def by_pytorch(path, values, dtype):
    import onnx_torch
    import torch

    model = onnx_torch.Model(path, "cpu", getattr(torch, dtype))
    with torch.no_grad():
        return [output.double().numpy() for output in model(*model.arguments([values[name] for name in model.inputs]))]


def compare(path, options):
    """The largest difference, and the most that it may be."""
    values, outputs, states = expected(path, np.random.default_rng(0), options)
    with tempfile.TemporaryDirectory() as folder:
        strata.strata(path, "--aot", "--aot-name=m", "-o", folder, *options.strata)
        library = strata.Library(os.path.join(folder, "libm.so"))
        inputs = [values[info.name.decode()] for info in library.inputs]
        got = library.run(inputs, library.sizes_of([np.shape(value) for value in inputs]))
        names = [info.name.decode() for info in library.outputs]
        want = outputs + [states[name[:-len(".next")]] for name in names[len(outputs):]]
        if options.store:
            np.savez(options.store, **{f"input {name}": values[name] for name in values},
                     **{f"output {name}": value for name, value in zip(names, want)})
    if options.half:
        exact = by_pytorch(options.half, values, "float64")
        return by_norm(got, exact), HALF_MARGIN * by_norm(by_pytorch(options.half, values, "float16"), exact)
    return largest_difference(got, want), options.tolerance


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--size", type=int, default=5, help="of dimensions that vary")
    parser.add_argument("--past", type=int, default=0, help="of dimensions of variables that begin empty")
    parser.add_argument("--high", type=int, default=10, help="integers are smaller")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--half", metavar="MODEL.onnx", help="the one MODEL.xml's network, of f16: PyTorch judges")
    parser.add_argument("--store", help="a .npz for the inputs and what is expected")
    parser.add_argument("--strata", action="append", default=[], help="an option of strata's")
    options = parser.parse_args()
    failures = 0
    for path in options.models:
        try:
            error, most = compare(path, options)
            good = error <= most
            print(f"{os.path.basename(path)}: {error:.2e} of {most:.2e}{'' if good else ' FAILED'}", flush=True)
        except Exception as problem:  # the others are compared all the same
            good = False
            print(f"{os.path.basename(path)}: FAILED: {str(problem)[:1500]}", flush=True)
        failures += not good
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
