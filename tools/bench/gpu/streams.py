#!/usr/bin/env python3
"""Branches that share no launch, on one stream and on several: microseconds of a call, from a CUDA graph and enqueued one
behind the other.

    streams.py build FOLDER [--device=sm_90a]     anywhere: the models, compiled with --multistream=0, 1 and all
    streams.py measure FOLDER                     where the GPU is, with PyTorch

Results are compared with those on one stream, bit by bit. The last columns are the one stream's times by the others'.
"""
import argparse
import os
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path[:0] = [os.path.join(TOP, "test", "support")]

MODES = ("0", "1", "all")
ROUNDS, HEAD = 21, 64


def attention(graph, dtype, i, heads, length):
    q, k, v = (graph.input(f"{letter}{i}", dtype, shape) for letter, shape in
               (("a", [1, heads, length, HEAD]), ("b", [1, heads, HEAD, length]), ("c", [1, heads, length, HEAD])))
    weights = graph.node("Softmax", [graph.node("MatMul", [q, k])], axis=-1)
    graph.node("MatMul", [weights, v], [f"y{i}"])
    graph.output(f"y{i}", dtype, [1, heads, length, HEAD])


def sums(graph, dtype, i, rows, length):
    """A scan, which has a task a row."""
    import numpy
    x = graph.input(f"x{i}", dtype, [rows, length])
    graph.node("CumSum", [x, graph.constant(f"axis{i}", numpy.int64(1))], [f"y{i}"])
    graph.output(f"y{i}", dtype, [rows, length])


# Each a list of branches.
CASES = {
    "4 attentions, 2 heads, 1024 to 1216": [(attention, 2, 1024 + 64 * i) for i in range(4)],
    "2 attentions, 4 heads, 2048 and 2112": [(attention, 4, 2048 + 64 * i) for i in range(2)],
    "8 attentions, 1 head, 1024 to 1472": [(attention, 1, 1024 + 64 * i) for i in range(8)],
    "2 attentions, 32 heads, 1024 and 1088": [(attention, 32, 1024 + 64 * i) for i in range(2)],
    "attention beside a scan": [(attention, 2, 1536), (sums, 16, 65536)],
    "4 attentions, 2 heads, 128 to 320": [(attention, 2, 128 + 64 * i) for i in range(4)],
}


def build(folder, device):
    import onnx_file
    compiler = os.path.join(os.environ.get("STRATA_BIN", os.path.join(TOP, "build", "bin")), "strata")
    os.makedirs(folder, exist_ok=True)
    for number, (name, branches) in enumerate(CASES.items()):
        graph, path = onnx_file.Graph(), os.path.join(folder, f"case{number}.onnx")
        for i, (make, *sizes) in enumerate(branches):
            make(graph, onnx_file.FLOAT16 if make is attention else onnx_file.FLOAT, i, *sizes)
        graph.save(path)
        for mode in MODES:
            done = subprocess.run([compiler, path, "--target=nvgpu", f"--device={device}", f"--multistream={mode}", "--aot",
                                   f"--aot-name=case{number}_{mode}", "-o", folder, "--on-gpu-tensors",
                                   "--user-device-memory", "--explain"], capture_output=True, text=True, check=True)
            said = [line for line in done.stdout.splitlines() if line.startswith("streams: ")]
            print(f"{name}, --multistream={mode}: {'; '.join(said) or 'one stream'}")


def tensors_of(library, torch):
    """Random inputs, and room for the outputs."""
    generator = torch.Generator(device="cuda").manual_seed(1)
    dtypes = {4: torch.float32, 2: torch.float16}

    def tensor(info, make):
        count = 1
        for size in info.stored():
            count *= size
        return make(info.stored(), dtypes[info.size // count])
    return ([tensor(info, lambda shape, dtype: torch.randn(shape, generator=generator, device="cuda").to(dtype))
             for info in library.inputs] +
            [tensor(info, lambda shape, dtype: torch.empty(shape, dtype=dtype, device="cuda")) for info in library.outputs])


class EnqueuedTimer:
    """Microseconds of a call, of many that are enqueued one behind the other."""

    def __init__(self, run, elapsed_us):
        self.run, self.elapsed_us = run, elapsed_us

    def __call__(self):
        def many():
            for _ in range(50):
                self.run()
        return self.elapsed_us(many) / 50


def measure(folder):
    import statistics

    import torch

    import libraries
    import timing
    print(torch.cuda.get_device_name())
    print(f"{'':40}", *(f"{how + ' ' + mode:>12}" for how in ("graph", "calls") for mode in MODES),
          "  graph 0/1  0/all  calls 0/1  0/all")
    for number, name in enumerate(CASES):
        expected, timers = None, {}
        for mode in MODES:
            library = libraries.GpuLibrary(os.path.join(folder, f"libcase{number}_{mode}.so"))
            tensors = tensors_of(library, torch)
            run = library.binding(tensors)
            run()
            torch.cuda.synchronize()
            outputs = [tensor.clone() for tensor in tensors[len(library.inputs):]]
            expected = expected or outputs
            for got, right in zip(outputs, expected):
                assert torch.equal(got, right), f"{name}: --multistream={mode} gives another result"
            timers["graph", mode] = timing.ReplayTimer([run])
            timers["calls", mode] = EnqueuedTimer(run, timing.elapsed_us)
        turns = timing.in_rounds(timers, ROUNDS, 0.01)
        us = {key: statistics.median(turn[key] for turn in turns) for key in timers}
        ratios = [us[how, "0"] / us[how, mode] for how in ("graph", "calls") for mode in MODES[1:]]
        print(f"{name:40}", *(f"{us[how, mode]:12.2f}" for how in ("graph", "calls") for mode in MODES),
              *(f"{ratio:9.3f}" for ratio in ratios), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "measure"))
    parser.add_argument("folder")
    parser.add_argument("--device", default="sm_90a")
    options = parser.parse_args()
    if options.what == "build":
        build(options.folder, options.device)
    else:
        measure(options.folder)
