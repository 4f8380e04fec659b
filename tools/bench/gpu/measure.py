"""Times emitted libraries on a GPU beside PyTorch eager, torch.compile and XLA, in one process, and checks results.

    python3 measure.py FOLDER [--group gemm,fused] [--only NAME ...] [--peers eager,inductor,xla] [--rounds 15]

FOLDER is what build.py made. Every function is captured into a CUDA graph of 2.5 ms of calls, so that no launch from
Python is charged to anybody; XLA dispatches back to back and is charged its launches. What memory bounds and the L2 cache
would hold works on buffers in turn that fill the cache twice.

A card's clock follows its power, and large products reach the power limit within milliseconds: a fixed alternation of
long batches can be off by a tenth either way. So there are two figures:
  burst   2.5 ms of work, 40 ms of pause (--idle-ms), the functions in turn, another one first in each round: what a call
          takes at full clock. A figure is the median over the rounds, the ratio the median of the rounds' ratios.
  solo    each function alone, without pause, for 0.7 s (--solo): what it takes at the power limit; the second half counts.

Inputs are random normal numbers, outputs are filled with NaN before. Errors are relative ones of the norm, against the
same function in float64; "wrong" is what exceeds its type's bar and 1.5 times eager's own error, "moves" what differs
between runs. A case that fails says so in its row; if it took the device with it, or hangs (--case-limit), the rest goes
on in a new process.
"""
import argparse
import importlib.util
import json
import math
import os
import statistics
import sys
import tempfile
import threading

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]

import cases as case_table

PEERS = ("eager", "inductor", "xla")
# Operations a byte below which a case is bound by memory, and the most sets of buffers it gets.
MEMORY_BOUND, MOST_SETS = 200, 128
# Relative errors that the type of a result allows; sums of f32 whose operands are rounded to tf32 have "tf32".
BARS = {"bf16": 1e-2, "f16": 2e-3, "tf32": 2e-3, "f32": 1e-5, "i32": 0.0, "i8": 0.0}


#===-- Tables, without a GPU -------------------------------------------------------------------------------------------


def bar_of(case, dtype):
    return BARS["tf32" if dtype == "f32" and case.precision == "high" else dtype]


def sets_of(case, cache):
    """How many sets of buffers take turns."""
    if case.flops >= MEMORY_BOUND * case.bytes or case.bytes >= 2 * cache:
        return 1
    return min(MOST_SETS, math.ceil(2 * cache / case.bytes))


def summarise(result, case, turns):
    """Adds the medians of the rounds, the best peer and its ratio, and the rates."""
    for name in turns[0]:
        result[name] = statistics.median(turn[name] for turn in turns)
    peers = [name for name in turns[0] if name != "ours"]
    if peers:
        best = min(peers, key=lambda name: result[name])
        result["best"], result["ratio"] = best, statistics.median(turn[best] / turn["ours"] for turn in turns)
    result["gbs"] = case.bytes / result["ours"] / 1e3
    result["tflops"] = case.flops / result["ours"] / 1e6
    return result


HEAD = (f'{"case":<44}{"ours us":>9}{"eager":>9}{"inductor":>9}{"xla":>9}  ratio best      solo    GB/s TFLOP/s   error '
        f'eager\'s launches')


def line(result):
    def number(name, text, width):
        return format(result[name], text) if name in result else " " * (width - 1) + "-"

    if "failed" in result:
        return f'{result["case"]:<44} FAILED: {result["failed"]}'
    times = "".join(number(name, "9.1f", 9) for name in ("ours", *PEERS))
    return (f'{result["case"]:<44}{times} {number("ratio", "6.3f", 6)} {result.get("best", "-"):<8}'
            f'{number("solo_ratio", "6.3f", 6)}{result["gbs"]:8.0f}{result["tflops"]:8.1f} {result["error"]:.1e} '
            f'{number("eager_error", ".1e", 7)} {result["launches"]:3d} {result["verdict"]}'.rstrip())


def summary(results):
    """A line for each group, and one for what failed."""
    lines, groups = [], {}
    for result in results:
        for key in ("ratio", "solo_ratio"):
            if key in result:
                groups.setdefault((result["group"], key), []).append((result[key], result["case"]))
    for (group, key), values in groups.items():
        kind = "solo" if key == "solo_ratio" else "burst"
        lowest, case = min(values)
        lines.append(f"{group}, {kind}: best peer's time over ours: geometric mean "
                     f"{statistics.geometric_mean(value for value, _ in values):.3f}, lowest {lowest:.3f} ({case}), "
                     f"{len(values)} cases")
    bad = [result["case"] for result in results if "failed" in result or result.get("verdict")]
    if bad:
        lines.append(f'{len(bad)} failed, wrong or moving: {" ".join(bad)}')
    return lines


#===-- A case ----------------------------------------------------------------------------------------------------------


class Bench:
    """What needs PyTorch."""

    def __init__(self, options):
        import torch

        import libraries
        import timing

        self.torch, self.libraries, self.timing, self.options = torch, libraries, timing, options
        if "xla" in options.peers and not importlib.util.find_spec("jax"):
            options.peers.remove("xla")
            print("no JAX: no times of XLA", flush=True)
        self.types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8,
                      "i32": torch.int32, "f8E4M3FN": torch.float8_e4m3fn}
        self.cache = torch.cuda.get_device_properties(0).L2_cache_size
        self.name = torch.cuda.get_device_name()

    def drawn(self, shape, dtype, spread):
        if dtype == "i8":
            return self.torch.randint(-128, 128, shape, device="cuda", dtype=self.torch.int8)
        return (self.torch.randn(*shape, device="cuda") * spread).to(self.types[dtype])

    def poisoned(self, shape, dtype):
        tensor = self.torch.empty(shape, device="cuda", dtype=self.types[dtype])
        return tensor.fill_(float("nan") if tensor.is_floating_point() else -7)

    def function(self, case):
        torch, function = self.torch, case.torch
        return lambda *tensors: function(torch, *tensors)

    def reference(self, case, inputs):
        function = case.reference
        if function is None:
            function, inputs = case.torch, [tensor.double() if tensor.is_floating_point() else tensor
                                            for tensor in inputs]
        want = function(self.torch, *inputs)
        return list(want) if isinstance(want, (tuple, list)) else [want]

    def error(self, got, want):
        """The largest over the results; NaN where a result has one. In pieces: results can be gigabytes."""
        worst, piece = 0.0, 1 << 26
        for have, reference in zip(got, want):
            have, reference = have.reshape(-1), reference.reshape(-1)
            sums = [0.0, 0.0]
            for i in range(0, have.numel(), piece):
                part = reference[i:i + piece].double()
                sums[0] += (have[i:i + piece].double() - part).square().sum().item()
                sums[1] += part.square().sum().item()
            error = math.sqrt(sums[0] / max(sums[1], 1e-300))
            worst = error if not error <= worst else worst
        return worst

    def check(self, case, run, inputs, outputs, result):
        """Errors, ours and eager's, and whether we give the same twice."""
        run()
        first = [tensor.clone() for tensor in outputs]
        for tensor in outputs:
            tensor.fill_(float("inf") if tensor.is_floating_point() else 7)
        run()
        moves = not all(self.torch.equal(a.view(self.torch.uint8), b.view(self.torch.uint8))
                        for a, b in zip((t.reshape(-1) for t in first), (t.reshape(-1) for t in outputs)))
        want = self.reference(case, inputs)
        result["error"] = self.error(first, want)
        allowed = max(bar_of(case, dtype) for _, dtype in case.outputs)
        if "eager" in self.options.peers:
            have = self.function(case)(*inputs)
            result["eager_error"] = self.error(have if isinstance(have, (tuple, list)) else [have], want)
            allowed = max(allowed, 1.5 * result["eager_error"])
        result["verdict"] = "MOVES" if moves else "" if result["error"] <= allowed else "WRONG"

    def timer(self, name, case, sets):
        function = self.function(case)
        if name == "xla":
            return self.timing.XlaTimer(case.jax, sets, case.precision) if case.jax else None
        if name == "inductor":
            function = self.timing.compiled_by_inductor(function, sets[0])
        return self.timing.ReplayTimer(self.timing.calls(function, sets))

    def peers(self, case, sets, result):
        """Timers by name; a peer that fails is left out with a note."""
        timers = {}
        for name in self.options.peers:
            try:
                timers[name] = self.timer(name, case, sets)
            except Exception as error:  # a peer's failure is its own
                result[name + "_failed"] = " ".join(repr(error).split())[:200]
                print(f'  {case.name}: {name}: {result[name + "_failed"]}', flush=True)
        return {name: timer for name, timer in timers.items() if timer}

    def measure(self, case):
        result = {"case": case.name, "group": case.group, "device": self.name}
        self.timing.set_precision(case.precision)
        library = self.libraries.GpuLibrary(os.path.join(self.options.folder, f"lib{case.name}.so"))
        result["launches"] = len(library.launches)
        count = 1 if self.options.check else sets_of(case, self.cache)
        sets = [[self.drawn(*item) for item in case.inputs] for _ in range(count)]
        outputs = [[self.poisoned(*item) for item in case.outputs] for _ in range(count)]
        runs = [library.binding(inputs + results) for inputs, results in zip(sets, outputs)]
        self.check(case, runs[0], sets[0], outputs[0], result)
        timers = {"ours": self.timing.ReplayTimer(runs)}
        if not self.options.check:
            timers.update(self.peers(case, sets, result))
        turns = self.timing.in_rounds(timers, self.options.rounds, self.options.idle_ms * 1e-3)
        summarise(result, case, turns)
        if self.options.solo and len(timers) > 1:
            for name, timer in timers.items():
                result["solo_" + name] = timer.solo(self.options.solo)
            result["solo_ratio"] = min(result["solo_" + name] for name in timers if name != "ours") / result["solo_ours"]
        library.unload()
        return result

    def is_alive(self):
        try:
            self.torch.cuda.synchronize()
            return self.torch.ones(1, device="cuda").item() == 1
        except Exception:
            return False


#===-- The run ---------------------------------------------------------------------------------------------------------


class Run:
    """The results so far; another process can go on from them."""

    def __init__(self, options):
        self.options, self.results = options, []
        if options.resume:
            with open(options.resume, encoding="utf-8") as file:
                self.results = json.load(file)
            os.remove(options.resume)

    def add(self, result):
        self.results.append(result)
        print(line(result), flush=True)
        if self.options.json:
            with open(self.options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")

    def fail(self, case, why):
        self.add({"case": case.name, "group": case.group, "failed": " ".join(why.split())[:300]})

    def restart(self):
        """This process cannot use the device any more: a new one goes on."""
        with tempfile.NamedTemporaryFile("w", delete=False, suffix=".json") as file:
            json.dump(self.results, file)
        arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--resume=")]
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), *arguments, f"--resume={file.name}"])

    def hang(self, case):
        self.fail(case, f"still running after {self.options.case_limit} s")
        self.restart()

    def case(self, bench, case):
        error = os.path.join(self.options.folder, case.name + ".error")
        if os.path.exists(error):
            with open(error, encoding="utf-8") as file:
                return self.fail(case, "not compiled: " + file.read())
        if not os.path.exists(os.path.join(self.options.folder, f"lib{case.name}.so")):
            return None  # it was not asked for when the folder was made
        watch = threading.Timer(self.options.case_limit, self.hang, [case])
        watch.daemon = True
        watch.start()
        try:
            with bench.torch.no_grad():
                result = bench.measure(case)
        except Exception as problem:
            watch.cancel()
            self.fail(case, repr(problem))
            if not bench.is_alive():
                self.restart()
        else:
            watch.cancel()
            self.add(result)
        return bench.torch.cuda.empty_cache()

    def all(self):
        cases, drawn = case_table.chosen(self.options, self.options.folder)
        bench = Bench(self.options)
        if not self.options.resume:
            print(f'{bench.name}; random products: seed {drawn["seed"]}\n{HEAD}', flush=True)
        known = {result["case"] for result in self.results}
        for case in cases:
            if case.name not in known:
                self.case(bench, case)
        print("\n".join(summary(self.results)))
        return any("failed" in result or result.get("verdict") for result in self.results)


def peers_list(text):
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"expected names of {', '.join(PEERS)}, got {unknown[0]}")
    return names


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    case_table.add_arguments(parser)
    parser.add_argument("--peers", type=peers_list, default=list(PEERS), help="of eager, inductor, xla")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--idle-ms", type=float, default=40, help="pause in front of every batch")
    parser.add_argument("--solo", type=float, default=0, metavar="SECONDS", help="measure each alone too, 0.7 say")
    parser.add_argument("--check", action="store_true", help="ours alone, on one set of buffers")
    parser.add_argument("--case-limit", type=float, default=400, help="seconds for one case, autotuning included")
    parser.add_argument("--json", help="append a line for each result to this file")
    parser.add_argument("--resume", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(Run(parse(sys.argv[1:])).all())
