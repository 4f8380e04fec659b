"""Times emitted libraries on a GPU beside PyTorch eager, torch.compile and XLA, in one process, and checks results.

    python3 measure.py FOLDER [--group mem] [--only NAME ...] [--peers eager,inductor,xla] [--rounds 15]

FOLDER holds lib<case>.so for the cases of cases.py, compiled with --on-gpu-tensors --user-device-memory. Every function is
captured into a CUDA graph, as often as fills two milliseconds, so that no launch from Python is charged to anybody; XLA
dispatches back to back and is charged its launches. A figure is the median over the rounds, in each of which every
function has its turn; a ratio is the median of the rounds' ratios. Inputs are random; errors are against float64 where
that is cheap (sums), else against float32 arithmetic.
"""
import argparse
import ctypes
import json
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import torch

import cases as case_table
import strata

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8,
         "i32": torch.int32, "i64": torch.int64}
torch.backends.cudnn.benchmark = True
torch.set_float32_matmul_precision("high")


class GpuLibrary(strata.Library):
    """A library that takes device pointers, its memory and the current stream."""

    def __init__(self, path):
        super().__init__(path)
        stream = torch.cuda.current_stream().cuda_stream
        self.check(self.description.load(None, stream))
        torch.cuda.synchronize()
        self.memory = torch.empty(self.description.device_memory_size(None) + 256, dtype=torch.uint8, device="cuda")

    def check(self, status):
        if status:
            raise RuntimeError(f"status {status}: {self.description.error().decode()}")

    def binding(self, tensors):
        """A function that enqueues a call on the current stream."""
        pointers = (ctypes.c_void_p * len(tensors))(*[tensor.data_ptr() for tensor in tensors])
        base = -(-self.memory.data_ptr() // 256) * 256

        def run(keep_alive=tensors):
            self.check(self.description.run(pointers, None, base, torch.cuda.current_stream().cuda_stream))

        return run


def drawn(shape, dtype):
    if dtype.startswith("i"):
        return torch.randint(-100, 100, shape, device="cuda").to(TYPES[dtype])
    return torch.randn(*shape, device="cuda").to(TYPES[dtype])


def captured(run):
    """A replay of |run| repeated, and how often."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run()
    end.record()
    end.synchronize()
    count = int(max(1, min(50, 2.0 / max(start.elapsed_time(end), 1e-3))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            run()
    return graph.replay, count


def replay_timer(run):
    replay, count = captured(run)

    def timed():
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        replay()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e3 / count

    timed()
    return timed


def xla_timer(function, tensors):
    import jax

    arrays = [jax.dlpack.from_dlpack(tensor.contiguous()) for tensor in tensors]
    compiled = jax.jit(lambda *a: function(jax, *a)).lower(*arrays).compile()

    def many(count):
        start = time.perf_counter()
        for _ in range(count):
            out = compiled(*arrays)
        jax.block_until_ready(out)
        return (time.perf_counter() - start) / count * 1e6

    count = int(max(5, min(100, 2e4 / max(many(5), 1))))
    return lambda: many(count)


def compiled_by_inductor(function, tensors):
    torch._dynamo.reset()
    run = torch.compile(function, mode="max-autotune-no-cudagraphs", fullgraph=True)
    run(*tensors)
    torch.cuda.synchronize()
    return run


def peers_of(case, tensors, wanted):
    """Timers by name; a peer that fails is left out with a note."""
    def function(*a):
        return case.torch(torch, *a)

    makers = {"eager": lambda: replay_timer(lambda: function(*tensors))}
    makers["inductor"] = lambda: (lambda run: replay_timer(lambda: run(*tensors)))(compiled_by_inductor(function, tensors))
    if case.jax:
        makers["xla"] = lambda: xla_timer(case.jax, tensors)
    timers = {}
    for name in wanted:
        try:
            if name in makers:
                timers[name] = makers[name]()
        except Exception as error:  # a peer's failure is its own
            print(f"  {case.name}: {name} failed: {repr(error)[:150]}", flush=True)
    return timers


def error_of(case, inputs, got):
    """The relative error against the same function in float32 on blocks of rows, the largest over the outputs."""
    wide = [tensor.float() if tensor.is_floating_point() else tensor for tensor in inputs]
    want = case.torch(torch, *wide)
    wants = want if isinstance(want, (tuple, list)) else [want]
    worst = 0.0
    for have, reference in zip(got, wants):
        difference = (have.float() - reference.reshape(have.shape).float()).norm().item()
        worst = max(worst, difference / max(reference.float().norm().item(), 1e-30))
        if not torch.isfinite(have.float()).all():
            worst = float("nan")
    return worst


def measure(case, path, options):
    inputs = [drawn(shape, dtype) for shape, dtype in case.inputs]
    outputs = [torch.full(shape, -7.0, device="cuda").to(TYPES[dtype]) for shape, dtype in case.outputs]
    library = GpuLibrary(path)
    run = library.binding(inputs + outputs)
    run()
    torch.cuda.synchronize()
    result = {"case": case.name, "error": error_of(case, inputs, outputs), "launches": len(library.launches)}
    timers = {"ours": replay_timer(run)}
    if not options.check:
        timers.update(peers_of(case, inputs, options.peers.split(",")))
    rounds = [{name: timer() for name, timer in timers.items()} for _ in range(options.rounds)]
    for name in timers:
        result[name] = statistics.median(turn[name] for turn in rounds)
    names = [name for name in timers if name != "ours"]
    if names:
        best = min(names, key=lambda name: result[name])
        result["best"] = best
        result["ratio"] = statistics.median(turn[best] / turn["ours"] for turn in rounds)
    result["gbs"] = case.bytes / result["ours"] / 1e3
    result["tflops"] = case.flops / result["ours"] / 1e6
    library.check(library.description.unload())
    return result


def line(result):
    def column(name, width=9):
        value = result.get(name)
        return f"{value:{width}.1f}" if isinstance(value, float) else " " * (width - 1) + "-"

    ratio = f'{result["ratio"]:6.2f} {result["best"]:<8}' if "ratio" in result else " " * 15
    return (f'{result["case"]:<44}{column("ours")}{column("eager")}{column("inductor")}{column("xla")} {ratio}'
            f'{result["gbs"]:8.0f}{result["tflops"]:8.1f} {result["error"]:.1e} {result["launches"]:3d}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--group", default=None)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--peers", default="eager,inductor,xla")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--check", action="store_true", help="ours alone")
    parser.add_argument("--json", help="append results to this file")
    options = parser.parse_args()
    print(f'{torch.cuda.get_device_name()}\n{"case":<44}{"ours us":>9}{"eager":>9}{"inductor":>9}{"xla":>9}  ratio best '
          f'     GB/s  TFLOP/s  error launches', flush=True)
    ratios, failed = {}, 0
    for case in case_table.all_cases().values():
        path = os.path.join(options.folder, f"lib{case.name}.so")
        wanted = case.name in options.only if options.only else options.group in (None, case.group)
        if not wanted or not os.path.exists(path):
            continue
        try:
            with torch.no_grad():
                result = measure(case, path, options)
        except Exception as error:
            failed += 1
            print(f"{case.name:<44} FAILED: {repr(error)[:300]}", flush=True)
            continue
        finally:
            torch.cuda.empty_cache()
        print(line(result), flush=True)
        if "ratio" in result:
            ratios.setdefault(case.group, []).append(result["ratio"])
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
    for group, values in ratios.items():
        print(f"{group}: best peer's time over ours: geometric mean {statistics.geometric_mean(values):.3f}, "
              f"lowest {min(values):.3f}, {len(values)} cases")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
