"""Compiles whole models for the GPU present, runs them, compares them with their references and times them.

    python3 models.py [MODEL[@N] ...] [--modes default,fp32,...] [--time] [--peers eager,inductor,copy] [-- OPTION ...]

MODEL@N compiles for a batch of N; without a name, all models. The weights are made here (test/models/materialise.py);
STRATA_BIN names the compiler's folder, STRATA_MODELS a folder for the weights. With --time a call is captured into a CUDA
graph and replayed (needs PyTorch), and the kernels that take longest are listed with how near each is to its roofline:
the larger of its bytes at the rate of a copy and its operations at the rate of a product of bf16, both measured in the
same run. Each is traced between two events, which adds a microsecond or two to short ones.

--peers times the same graph with the same weights in PyTorch in turns with ours (onnx_torch.py; needs the onnx package):
eager, and through torch.compile in its mode max-autotune. Peers work in the graph's own types, products of f32 as tf32;
--types f16 or --types own,f16 has them work in f16 (bf16) throughout. The peer "copy" reads and writes as many bytes as
the inputs and outputs have together.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..", "..")
sys.path[:0] = [HERE, os.path.join(TOP, "test", "support"), os.path.join(TOP, "test", "models")]

import numpy as np

import gpu
import materialise
import strata

MODELS = ["resnet50", "mobilenet_v3_small", "resnet18_batchnorm", "vit_b16", "bert_base_s128", "llama_2layer_s256",
          "decoder_step", "chain30", "cnn_qdq_int8", "resnet50_fp16", "resnet50_fp16@32", "vit_b16_fp16",
          "vit_b16_fp16@32"]
SYMBOLIC = ("resnet50_fp16", "vit_b16_fp16")  # their batch is N
FOLDER = os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models"))
# Relative errors over the sampled elements that each mode of arithmetic allows; of some models whatever the mode.
BARS = {"default": 2e-3, "fp32": 1e-5, "tf32": 2e-3, "mixed_bf16_fp32": 1.5e-2, "mixed_fp16_fp32": 2e-3, "fp16": 5e-2}
MODEL_BARS = {"resnet50_fp16": 5e-3, "vit_b16_fp16": 5e-3, "cnn_qdq_int8": 2e-2}

Job = collections.namedtuple("Job", "model batch mode graph path cost seconds")


#===-- Compiling and checking ------------------------------------------------------------------------------------------


def split_name(text):
    """Model and batch of MODEL@N."""
    model, _, batch = text.partition("@")
    if f"{model}.json" not in os.listdir(materialise.HERE):
        raise argparse.ArgumentTypeError(f"no model {model} in {materialise.HERE}")
    if batch and model not in SYMBOLIC:
        raise argparse.ArgumentTypeError(f"{model} has a batch of its own; of these N may be chosen: {SYMBOLIC}")
    return model, int(batch or 1)


def compile_model(model, batch, graph, mode, folder, options):
    arguments = ["--target=nvgpu", "--on-gpu-tensors", "--user-device-memory", *options]
    if mode != "default":
        arguments.append(f"--mm-conv-precision-mode={mode}")
    if model in SYMBOLIC:
        arguments.append(f"--dim=N={batch}")
    start = time.perf_counter()
    path, cost = strata.compile_library(graph, folder, f"{model}_{batch}_{mode}", arguments)
    return Job(model, batch, mode, graph, path, cost, time.perf_counter() - start)


def inputs_of(model, batch):
    """The reference's inputs; further images of a batch are like the first."""
    inputs = list(materialise.inputs(model).values())
    if batch > 1:
        random = np.random.RandomState(1)
        inputs = [np.concatenate([x, (random.standard_normal((batch - 1, *x.shape[1:])) * x.std(dtype=np.float64))
                                  .astype(x.dtype)]) for x in inputs]
    return [np.ascontiguousarray(value) for value in inputs]


def error_of(model, outputs):
    """Against the reference's samples, which are of the first of a batch."""
    expected = np.load(os.path.join(materialise.HERE, model + ".expected.npz"))
    worst = 0.0
    for k, output in enumerate(outputs):
        got = output.astype(np.float64).reshape(-1)[expected[f"out{k}_index"]]
        want = expected[f"out{k}_sample"].astype(np.float64)
        error = np.linalg.norm(got - want) / np.linalg.norm(want)
        worst = error if not error <= worst else worst  # keeps NaN
    return worst


def kernel_times(library, inputs):
    """(kernel, launches, microseconds of all of them), the longest first, from the runtime's trace."""
    times = {}

    def note(_user, launch, _threads, nanoseconds):
        kernel = library.kernels[library.launches[launch]]
        entry = times.setdefault(kernel.name.decode(), [kernel, 0, 0.0])
        entry[1] += 1
        entry[2] += nanoseconds / 1e3

    trace = strata.TRACE(note)
    library.run(inputs)
    library.description.set_trace(trace, None)
    library.run(inputs)
    library.description.set_trace(strata.TRACE(), None)
    return sorted((tuple(entry) for entry in times.values()), key=lambda entry: -entry[2])


def kernel_lines(times, ceilings, count=12):
    """|ceilings|: bytes and operations a microsecond that the device reaches, or None."""
    lines = [f'    {"kernel":<20} {"us":>9} launches    GB/s  TFLOP/s  of roofline']
    for kernel, launches, us in times[:count]:
        moved, flops = kernel.bytes * launches, kernel.flops * launches
        near = f"{100 * max(moved / ceilings[0], flops / ceilings[1]) / us:10.0f} %" if ceilings else ""
        lines.append(f"    {kernel.name.decode():<20} {us:9.1f} {launches:8d} {moved / us / 1e3:7.0f} "
                     f"{flops / us / 1e6:8.1f} {near}".rstrip())
    return lines


#===-- Timing, with PyTorch --------------------------------------------------------------------------------------------


def measure_ceilings():
    """Bytes and operations a microsecond: of a copy, and of a product of bf16."""
    import torch

    import timing

    a = torch.empty(1 << 30, dtype=torch.uint8, device="cuda").random_()
    b = torch.empty_like(a)
    x, y = (torch.randn(8192, 8192, device="cuda").bfloat16() for _ in range(2))
    timers = {"copy": timing.ReplayTimer([lambda: b.copy_(a)]), "product": timing.ReplayTimer([lambda: x @ y])}
    turns = timing.in_rounds(timers, 5, 0.04)
    return (2 * a.numel() / min(turn["copy"] for turn in turns),
            2 * 8192 ** 3 / min(turn["product"] for turn in turns))


def our_timer(job, inputs):
    import torch

    import libraries
    import timing

    library = libraries.GpuLibrary(job.path)
    arrays = [np.ascontiguousarray(value, strata.DTYPES[info.dtype]) for value, info in zip(inputs, library.inputs)]
    tensors = [torch.from_numpy(array.view(np.uint8).reshape(-1)).cuda() for array in arrays]
    tensors += [torch.empty(max(info.size, 1), dtype=torch.uint8, device="cuda") for info in library.outputs]
    return library, timing.ReplayTimer([library.binding(tensors)])


def copy_timer(library):
    import torch

    import timing

    total = sum(info.size for info in [*library.inputs, *library.outputs])
    source = torch.empty(total // 2, dtype=torch.uint8, device="cuda").random_()
    target = torch.empty_like(source)
    return timing.ReplayTimer([lambda: target.copy_(source)])


def peer_timers(job, inputs, options, library):
    """Timers of PyTorch by name, with the type behind it where that is not the graph's."""
    import torch

    import timing

    timers = {"copy": copy_timer(library)} if "copy" in options.peers else {}
    models = [name for name in options.peers if name != "copy"]
    if not models:
        return timers

    import onnx_torch

    for kind in options.types:
        model = onnx_torch.Model(job.graph, "cuda", {"f16": torch.float16, "bf16": torch.bfloat16}.get(kind))
        tensors = model.arguments(inputs)
        run = model.traced(tensors)
        for name in models:
            label = name if kind == "own" else f"{name}_{kind}"
            try:
                function = timing.compiled_by_inductor(run, tensors) if name == "inductor" else run
                timers[label] = timing.ReplayTimer(timing.calls(function, [tensors]))
            except Exception as problem:  # a peer's failure is its own
                print(f'    {label}: {" ".join(repr(problem).split())[:200]}', flush=True)
    return timers


def timed(job, inputs, options):
    """Medians by name, and the ratio of the best peer."""
    import torch

    import timing

    timing.set_precision("high")
    with torch.no_grad():
        library, ours = our_timer(job, inputs)
        timers = {"ours": ours, **(peer_timers(job, inputs, options, library) if options.peers else {})}
        turns = timing.in_rounds(timers, options.rounds, 0.04)
    library.unload()
    result = {name: statistics.median(turn[name] for turn in turns) for name in timers}
    peers = [name for name in timers if name != "ours"]
    if peers:
        result["best"] = min(peers, key=result.get)
        result["ratio"] = statistics.median(turn[result["best"]] / turn["ours"] for turn in turns)
    return result


#===-- The run ---------------------------------------------------------------------------------------------------------


def report(job, options, ceilings):
    """Prints a model's row; the result as a dictionary."""
    library = gpu.Library(job.path)
    inputs = inputs_of(job.model, job.batch)
    errors = [error_of(job.model, library.run(inputs)) for _ in range(2)]
    bar = MODEL_BARS.get(job.model, BARS[job.mode])
    result = {"model": job.model, "batch": job.batch, "mode": job.mode, "error": errors[0],
              "verdict": "ok" if errors[0] <= bar and errors[1] == errors[0] else "WRONG",
              "launches": len(library.launches), "pool": library.description.device_memory_size(None)}
    kernels = kernel_times(library, inputs) if options.time else []
    library.unload()
    text = (f'{job.model + "@" + str(job.batch):<22} {job.mode:<16} error {errors[0]:.2e} of {bar:.0e} '
            f'{result["verdict"]:<6} {result["launches"]:4d} launches  compile {job.seconds:5.1f} s, '
            f'{job.cost.peak_bytes / 2**20:5.0f} MiB  pool {result["pool"]:10d}')
    if options.time:
        times = timed(job, inputs, options)
        result.update(times)
        text += "".join(f"  {name} {value:.1f} us" for name, value in times.items() if name not in ("best", "ratio"))
        text += f'  ratio {times["ratio"]:.3f} ({times["best"]})' if "ratio" in times else ""
    print(text, flush=True)
    if kernels:
        print("\n".join(kernel_lines(kernels, ceilings)), flush=True)
    return result


def words(*known):
    def parse(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"expected names of {', '.join(known)}, got {word}")
        return text.split(",")

    return parse


def parse(arguments):
    """The options, and those for the compiler behind a "--"."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=split_name, metavar="MODEL[@N]")
    parser.add_argument("--modes", default=["default"], type=words(*BARS), help=f"of {', '.join(BARS)}")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--peers", default=[], type=words("eager", "inductor", "copy"),
                        help="of eager, inductor, copy; implies --time")
    parser.add_argument("--types", default=["own"], type=words("own", "f16", "bf16"), help="of the peers' arithmetic")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", help="append a line for each result to this file")
    options = parser.parse_args(arguments[:at])
    options.time |= bool(options.peers)
    options.models = options.models or [split_name(name) for name in MODELS]
    return options, arguments[at + 1:]


def main():
    options, rest = parse(sys.argv[1:])
    ceilings = measure_ceilings() if options.time else None
    if ceilings:
        print(f"a copy: {ceilings[0] / 1e3:.0f} GB/s; a product of bf16: {ceilings[1] / 1e6:.0f} TFLOP/s", flush=True)
    ratios, good = [], True
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(8) as pool:
        names = list(dict.fromkeys(model for model, _ in options.models))
        graphs = dict(zip(names, pool.map(lambda model: materialise.materialise(model, FOLDER), names)))
        jobs = [(model, batch, mode, pool.submit(compile_model, model, batch, graphs[model], mode, folder, rest))
                for model, batch in options.models for mode in options.modes]
        for model, batch, mode, job in jobs:
            try:
                result = report(job.result(), options, ceilings)
            except Exception as error:
                result = {"model": model, "batch": batch, "mode": mode, "verdict": "FAILED",
                          "failed": " ".join(str(error).split())[:300]}
                print(f'{model + "@" + str(batch):<22} {mode:<16} FAILED: {result["failed"]}', flush=True)
            good &= result["verdict"] == "ok"
            ratios += [result["ratio"]] if "ratio" in result else []
            if options.json:
                with open(options.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
    if ratios:
        print(f"best peer's time over ours: geometric mean {statistics.geometric_mean(ratios):.3f}, "
              f"lowest {min(ratios):.3f}, {len(ratios)} models")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
