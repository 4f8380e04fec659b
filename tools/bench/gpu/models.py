"""Compiles whole models for the GPU present, runs them, compares them with their references and times them.

    python3 models.py [MODEL ...] [--modes default,fp32,...] [--time] [-- OPTION ...]

The weights are made here (test/models/materialise.py); STRATA_BIN names the compiler's folder, STRATA_MODELS a folder
for the weights. With --time a call is captured into a CUDA graph and replayed (needs PyTorch), and the kernels that take
longest are listed.
"""
import argparse
import concurrent.futures
import os
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..", "..")
sys.path[:0] = [os.path.join(TOP, "test", "support"), os.path.join(TOP, "test", "models")]

import numpy as np

import gpu
import materialise
import strata

MODELS = ["resnet50", "mobilenet_v3_small", "resnet18_batchnorm", "vit_b16", "bert_base_s128", "llama_2layer_s256",
          "decoder_step", "chain30", "cnn_qdq_int8", "resnet50_fp16", "vit_b16_fp16"]
FOLDER = os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models"))
# Relative errors over the sampled elements that each mode of arithmetic allows; of some models whatever the mode.
BARS = {"default": 2e-3, "fp32": 1e-5, "tf32": 2e-3, "mixed_bf16_fp32": 1.5e-2, "mixed_fp16_fp32": 2e-3, "fp16": 5e-2}
MODEL_BARS = {"resnet50_fp16": 5e-3, "vit_b16_fp16": 5e-3, "cnn_qdq_int8": 2e-2}


def compile_model(model, graph, mode, folder, options):
    name = f"{model}_{mode}"
    arguments = ["--target=nvgpu", "--on-gpu-tensors", "--user-device-memory", *options]
    if mode != "default":
        arguments.append(f"--mm-conv-precision-mode={mode}")
    if model.endswith("fp16"):
        arguments.append("--dim=N=1")
    start = time.perf_counter()
    path, cost = strata.compile_library(graph, folder, name, arguments)
    return path, cost, time.perf_counter() - start


def error_of(model, outputs):
    expected = np.load(os.path.join(materialise.HERE, model + ".expected.npz"))
    worst = 0.0
    for k, output in enumerate(outputs):
        got = output.astype(np.float64).reshape(-1)[expected[f"out{k}_index"]]
        want = expected[f"out{k}_sample"].astype(np.float64)
        error = np.linalg.norm(got - want) / np.linalg.norm(want)
        worst = error if not error <= worst else worst  # keeps NaN
    return worst


def time_replays(library, inputs):
    """Microseconds of a call, replayed from a CUDA graph."""
    import ctypes

    import torch

    arrays = [np.ascontiguousarray(value, strata.DTYPES[info.dtype]) for value, info in zip(inputs, library.inputs)]
    tensors = [torch.from_numpy(array.view(np.uint8).reshape(-1)).cuda() for array in arrays]
    tensors += [torch.empty(max(info.size, 1), dtype=torch.uint8, device="cuda") for info in library.outputs]
    memory = torch.empty(library.description.device_memory_size(None) + 256, dtype=torch.uint8, device="cuda")
    pointers = (ctypes.c_void_p * len(tensors))(*[tensor.data_ptr() for tensor in tensors])
    base = -(-memory.data_ptr() // 256) * 256

    def run():
        status = library.description.run(pointers, None, base, torch.cuda.current_stream().cuda_stream)
        if status:
            raise RuntimeError(library.description.error().decode())

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(5):
            run()
    times = []
    for _ in range(30):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 200)
    return statistics.median(times)


def slowest_kernels(library, inputs, count=12):
    """(microseconds a call, launches, kernel) of those that take longest, from the runtime's trace."""
    times = {}

    def note(_user, launch, _threads, nanoseconds):
        kernel = library.kernels[library.launches[launch]]
        entry = times.setdefault(kernel.name.decode(), [0.0, 0, kernel.bytes, kernel.flops])
        entry[0] += nanoseconds / 1e3
        entry[1] += 1

    trace = strata.TRACE(note)
    library.run(inputs)
    library.description.set_trace(trace, None)
    library.run(inputs)
    library.description.set_trace(strata.TRACE(), None)
    ranked = sorted(times.items(), key=lambda item: -item[1][0])[:count]
    return [f"    {name:<12} {us:9.1f} us {n:4d} launches {moved * n / us / 1e3:8.0f} GB/s {flops * n / us / 1e6:8.1f} TFLOP/s"
            for name, (us, n, moved, flops) in ranked]


def report(model, mode, path, cost, seconds, options):
    library = gpu.Library(path)
    inputs = list(materialise.inputs(model).values())
    error = error_of(model, library.run(inputs))
    again = error_of(model, library.run(inputs))
    bar = MODEL_BARS.get(model, BARS[mode])
    verdict = "ok" if error <= bar and again == error else "WRONG"
    text = (f"{model:<20} {mode:<16} error {error:.2e} of {bar:.0e} {verdict:<6} {len(library.launches):4d} launches  "
            f"compile {seconds:5.1f} s, {cost.peak_bytes / 2**20:5.0f} MiB  "
            f"pool {library.description.device_memory_size(None):10d}")
    if options.time:
        text += f"  {time_replays(library, inputs):9.1f} us"
    print(text, flush=True)
    if options.time:
        print("\n".join(slowest_kernels(library, inputs)), flush=True)
    library.unload()
    return verdict == "ok"


def main():
    own, _, rest = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--modes", default="default")
    parser.add_argument("--time", action="store_true")
    options = parser.parse_args(own.split())
    good = True
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(8) as pool:
        models = options.models or MODELS
        graphs = dict(zip(models, pool.map(lambda model: materialise.materialise(model, FOLDER), models)))
        jobs = [(model, mode, pool.submit(compile_model, model, graphs[model], mode, folder, rest.split()))
                for model in models for mode in options.modes.split(",")]
        for model, mode, job in jobs:
            try:
                good &= report(model, mode, *job.result(), options)
            except Exception as error:
                good = False
                print(f"{model:<20} {mode:<16} FAILED: {str(error).strip()[:300]}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
