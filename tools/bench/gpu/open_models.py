"""Whole models for all sizes beside the same model for one choice of them, in one process on a GPU.

    python3 open_models.py build FOLDER MODEL.onnx 1x128,32x511 [--device sm_90a]   # a model that test/models/open_sizes.py wrote
    python3 open_models.py measure FOLDER [--rounds 11]                             # there, with PyTorch

The sizes are in the order of the library's arguments. Libraries come without their weights, which `measure` draws at
random, those of one shape the same; where both keep the same weights, results are compared. A ratio is the static library's time divided by the other's.
"""
import argparse
import ctypes
import functools
import glob
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import numpy as np

import strata

OPTIONS = ["--target=nvgpu", "--on-gpu-tensors", "--user-device-memory", "--weights=set"]


def build(options):
    os.makedirs(options.folder, exist_ok=True)
    name = os.path.splitext(os.path.basename(options.model))[0].replace("-", "_")

    def compiled(suffix, dims):
        path, _ = strata.compile_library(options.model, options.folder, f"{name}_{suffix}",
                                         [*OPTIONS, f"--device={options.device}", *dims])
        for rest in ("lib%s.a", "%s.pc", "%s.h"):
            os.remove(os.path.join(options.folder, rest % f"{name}_{suffix}"))
        return path

    description = strata.Library(compiled("varying", [])).description
    names = [description.dims[i].decode() for i in range(description.n_dims)]
    for sizes in options.sizes.split(","):
        compiled(sizes, [f"--dim={size}={n}" for size, n in zip(names, sizes.split("x"))])


def drawn(random, shape, dtype):
    """Weights and inputs: small numbers, and the first words of a vocabulary."""
    if dtype == np.bool_ or np.issubdtype(dtype, np.integer):
        return np.ones(shape, dtype)
    return ((random.random(shape, np.float32) - 0.5) * 0.07).astype(dtype)


@functools.cache
def weight(shape, dtype):
    return np.ascontiguousarray(drawn(np.random.default_rng(shape), shape, dtype))


def kept(library):
    """What its weights are, but for their names: of the same the results are, too."""
    infos = [library.description.constants[i].contents for i in range(library.description.n_constants)]
    return sorted((info.dims(), info.dtype) for info in infos)


def set_weights(library, stream):
    description = library.description
    for i in range(description.n_constants):
        info = description.constants[i].contents
        data = weight(info.dims(), np.dtype(strata.DTYPES[info.dtype]))
        library.check(description.set_constant(info.name, data.ctypes.data_as(ctypes.c_void_p), stream))


def loaded(path, sizes, inputs, torch, libraries):
    """The library with its weights, a call on the tensors, and its outputs."""
    library = libraries.GpuLibrary(path, sizes)
    set_weights(library, torch.cuda.current_stream().cuda_stream)
    shapes = [info.dims() if sizes is None else library.output_shape(i, sizes) for i, info in enumerate(library.outputs)]
    outputs = [torch.zeros(shape, dtype=torch.from_numpy(np.zeros(1, strata.DTYPES[info.dtype])).dtype, device="cuda")
               for shape, info in zip(shapes, library.outputs)]
    return library, library.binding(inputs + outputs), outputs


def case(static, varying, options, torch, libraries, timing):
    sizes = [int(n) for n in static[:-len(".so")].rsplit("_", 1)[1].split("x")]
    random = np.random.default_rng(1)
    inputs = [torch.from_numpy(drawn(random, info.dims(), np.dtype(strata.DTYPES[info.dtype]))).cuda()
              for info in strata.Library(static).inputs]
    one, run_one, wanted = loaded(static, None, inputs, torch, libraries)
    both, run_both, got = loaded(varying, sizes, inputs, torch, libraries)
    run_one()
    run_both()
    torch.cuda.synchronize()
    error = max(((a.double() - b.double()).norm() / b.double().norm().clamp(min=1e-30)).item()
                for a, b in zip(got, wanted))
    told = "" if kept(one) != kept(both) else f"{error:.1e}" if error < 1e-2 else "WRONG"
    timers = {"static": timing.ReplayTimer([run_one]), "varying": timing.ReplayTimer([run_both])}
    turns = timing.in_rounds(timers, options.rounds, 0.02)
    took = {name: statistics.median(turn[name] for turn in turns) for name in timers}
    print(f'{os.path.basename(static)[3:-3]:<32}{took["static"]:10.1f}{took["varying"]:10.1f}'
          f'{took["static"] / took["varying"]:7.3f} {told:>8}'
          f'  {len(one.launches)} launches, {len(both.launches)}', flush=True)
    one.unload()
    both.unload()


def measure(options):
    import torch

    import libraries
    import timing

    print(torch.cuda.get_device_name(), flush=True)
    for varying in sorted(glob.glob(os.path.join(options.folder, "lib*_varying.so"))):
        for static in sorted(glob.glob(varying.replace("_varying.so", "_[0-9]*.so"))):
            with torch.no_grad():
                case(static, varying, options, torch, libraries, timing)
            torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "measure"])
    parser.add_argument("folder")
    parser.add_argument("model", nargs="?")
    parser.add_argument("sizes", nargs="?")
    parser.add_argument("--device", default="sm_90a")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    (build if options.what == "build" else measure)(options)


if __name__ == "__main__":
    main()
