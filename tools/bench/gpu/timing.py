"""Timing on a GPU: CUDA graphs, buffers in turn, rounds. Needs PyTorch, and JAX for xla_timer().

A timed thing is a list of functions, one a set of buffers, that are called in turn; each enqueues one call on the current
stream. What a function returns is kept until its buffers' next turn, so that results take turns in memory as well.
"""
import math
import statistics
import time

import torch

BATCH_US = 2500  # of work between two events
MOST_CALLS = 200


def elapsed_us(run):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e3


def captured(runs):
    """A CUDA graph of a batch of calls, and how many those are."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for run in (runs * 3)[:max(3, len(runs))]:
            run()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    estimate = min(elapsed_us(runs[0]) for _ in range(2))
    count = max(len(runs), min(MOST_CALLS, math.ceil(BATCH_US / max(estimate, 1.0))))
    graph, kept = torch.cuda.CUDAGraph(), [None] * len(runs)
    with torch.cuda.graph(graph):
        for i in range(count):
            kept[i % len(runs)] = runs[i % len(runs)]()
    return graph, count


class ReplayTimer:
    """Microseconds of a call, replayed from a CUDA graph, so that nobody is charged for launches from Python."""

    def __init__(self, runs):
        self.graph, self.count = captured(runs)
        elapsed_us(self.graph.replay)

    def __call__(self):
        return elapsed_us(self.graph.replay) / self.count

    def solo(self, seconds):
        """The median of the second half of a time without pause, in which the card reaches its power limit."""
        times, end = [], time.perf_counter() + seconds
        while time.perf_counter() < end or len(times) < 4:
            times.append(self())
        return statistics.median(times[len(times) // 2:])


class XlaTimer:
    """Microseconds of a call of function(jax, ...), compiled by XLA and dispatched back to back, launches included."""

    BATCH_US = 20000

    def __init__(self, function, sets, precision):
        import jax

        self.jax = jax
        self.arrays = [[jax.dlpack.from_dlpack(tensor.contiguous()) for tensor in tensors] for tensors in sets]
        # by default XLA multiplies f32 as tf32
        with jax.default_matmul_precision(precision if precision == "highest" else None):
            self.compiled = jax.jit(lambda *a: function(jax, *a)).lower(*self.arrays[0]).compile()
        self.count = 5
        self()
        self.count = int(max(5, min(100, self.BATCH_US / max(self(), 1))))

    def __call__(self):
        start = time.perf_counter()
        for i in range(self.count):
            out = self.compiled(*self.arrays[i % len(self.arrays)])
        self.jax.block_until_ready(out)
        return (time.perf_counter() - start) / self.count * 1e6

    def solo(self, seconds):
        return ReplayTimer.solo(self, seconds)


def in_rounds(timers, rounds, idle):
    """The times of each round, by name: every timer has its turn after |idle| seconds without work; who is first
    changes from round to round."""
    names, turns = list(timers), []
    for i in range(rounds):
        turn = {}
        for name in names[i % len(names):] + names[:i % len(names)]:
            time.sleep(idle)
            turn[name] = timers[name]()
        turns.append(turn)
    return turns


def compiled_by_inductor(function, tensors):
    torch._dynamo.reset()
    run = torch.compile(function, mode="max-autotune-no-cudagraphs", fullgraph=True)
    run(*tensors)
    torch.cuda.synchronize()
    return run


def calls(function, sets):
    """A function a set of |sets|."""
    return [lambda tensors=tensors: function(*tensors) for tensors in sets]


def set_precision(precision):
    """Of products of f32 in PyTorch: "high" is tf32, "highest" f32."""
    torch.set_float32_matmul_precision(precision)
    torch.backends.cudnn.allow_tf32 = precision == "high"
    torch.backends.cudnn.benchmark = True
