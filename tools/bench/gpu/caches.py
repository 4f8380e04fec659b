"""Attention of one query over a cache: 32 heads to 8 of keys and values of 128, caches of f16 and of 8 bits.

    caches.py build FOLDER [NAME...]     compiles the libraries, for sm_90a
    caches.py measure FOLDER [NAME...]   on a card: errors against f32, microseconds, rates beside a copy's

A name is KIND_bBATCH_kvCOLUMNS, KIND one of f16, fp8 (e4m3), int8, each with a scale a tensor, fp8tokens and int8tokens
with one a token; f16paged16 and the like have pages of so many columns, which lie anywhere in a cache and are gathered
by a block table. "+TEXT" behind it names a variant, of which build takes the schedule from FOLDER/NAME.schedule. Cases
take turns, each with buffers of 200 MB at least in turn; times are those of calls replayed from CUDA graphs.
"""
import os
import statistics
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "test", "support")
HEADS, GROUPS, DEPTH = 32, 8, 128
KINDS = ["f16", "f16paged16", "f16paged64", "fp8", "fp8paged64", "int8", "fp8tokens", "int8tokens"]
SIZES = [(b, kv) for b in (1, 8, 32) for kv in (1024, 4096, 16384)]
SCALES = {"fp8": .01, "int8": .02}
LEAST_BYTES, ROUNDS = 200 << 20, 11


def names(given):
    return given or [f"{kind}_b{b}_kv{kv}" for b, kv in SIZES for kind in KINDS]


def read(name):
    kind, batch, columns = name.split("+")[0].split("_")
    return kind, int(batch[1:]), int(columns[2:])


def page_of(kind):
    """Columns of its pages; 0: it has none."""
    return int(kind.split("paged")[1]) if "paged" in kind else 0


def kind_of(kind):
    return kind.replace("tokens", "").split("paged")[0]


def graph_of(name):
    sys.path[:0] = [SUPPORT]
    import numpy as np
    import onnx_file

    kind, b, c = read(name)
    element, page = {"f16": onnx_file.FLOAT16, "fp8": 17, "int8": onnx_file.INT8}[kind_of(kind)], page_of(kind)
    graph = onnx_file.Graph(opset=24)
    operands = [graph.input("q", onnx_file.FLOAT16, [b, HEADS, 1, DEPTH])]
    for x in "kv":
        graph.input(x, element, [b * c // page, page, GROUPS, DEPTH] if page else [b, GROUPS, c, DEPTH])
    if page:
        graph.input("table", onnx_file.INT32, [b, c // page])
    for x in "kv":
        if page:
            x = graph.node("Gather", [x, "table"], axis=0)
            x = graph.node("Reshape", [x, graph.constant("to" + x, np.array([b, c, GROUPS, DEPTH], np.int64))])
            x = graph.node("Transpose", [x], perm=[0, 2, 1, 3])
        if kind_of(kind) == "f16":
            operands.append(x)
        elif kind.endswith("tokens"):
            graph.input("s" + x, onnx_file.FLOAT16, [b, GROUPS, c, 1])
            operands.append(graph.node("Mul", [graph.node("Cast", [x], to=onnx_file.FLOAT16), "s" + x]))
        else:
            scale = graph.constant("s" + x, np.float16(SCALES[kind_of(kind)]))
            operands.append(graph.node("DequantizeLinear", [x, scale]))
    graph.output(graph.node("Attention", operands), onnx_file.FLOAT16, [b, HEADS, 1, DEPTH])
    return graph


def build(folder, given):
    sys.path[:0] = [SUPPORT]
    import strata

    for name in names(given):
        path = os.path.join(folder, name.split("+")[0] + ".onnx")
        graph_of(name).save(path)
        options = ["--target=nvgpu", "--device=sm_90a", "--on-gpu-tensors", "--user-device-memory"]
        if "+" in name:
            options.append("--schedule=" + os.path.join(folder, name + ".schedule"))
        strata.compile_library(path, folder, name.replace("+", "_"), options)


class Cached:
    def __init__(self, folder, name):
        import torch
        from libraries import GpuLibrary

        self.name, (self.kind, self.batch, self.columns) = name, read(name)
        self.torch = torch
        self.library = GpuLibrary(os.path.join(folder, f"lib{name.replace('+', '_')}.so"))
        self.bytes = 2 * self.batch * GROUPS * self.columns * DEPTH * (2 if kind_of(self.kind) == "f16" else 1)
        self.sets = [self.draw() for _ in range(max(2, -(-LEAST_BYTES // self.bytes)) if self.bytes < LEAST_BYTES else 1)]
        self.runs = [self.library.binding(tensors) for tensors, _ in self.sets]

    def draw(self):
        """Tensors of a call, and keys and values as they are meant."""
        t, b, c = self.torch, self.batch, self.columns
        q = t.randn(b, HEADS, 1, DEPTH, device="cuda", dtype=t.float16)
        y = t.full_like(q, float("nan"))
        tokens, kind, page = self.kind.endswith("tokens"), kind_of(self.kind), page_of(self.kind)
        caches, scales = [], []
        table = t.randperm(b * c // page, device="cuda", dtype=t.int32).view(b, -1) if page else None
        for _ in "kv":
            shape = (b * c // page, page, GROUPS, DEPTH) if page else (b, GROUPS, c, DEPTH)
            x = t.randn(shape, device="cuda", dtype=t.float16)
            if kind == "f16":
                caches.append(x)
                continue
            x = x.div_(SCALES[kind])
            caches.append(x.clamp_(-448, 448).to(t.float8_e4m3fn) if kind == "fp8" else
                          x.round_().clamp_(-128, 127).to(t.int8))
            scale = t.full((b, GROUPS, c, 1), SCALES[kind], device="cuda", dtype=t.float16)
            scales.append(scale * t.rand_like(scale).mul_(.5).add_(.5) if tokens else scale[:1, :1, :1])
        return [q, *caches, *([table] if page else []), *(scales if tokens else []), y], scales

    def meant(self, cache, tensors):
        """Keys or values in f32, by columns."""
        x = cache.float()
        if page_of(self.kind):
            x = x[tensors[3].long()].reshape(self.batch, self.columns, GROUPS, DEPTH).transpose(1, 2)
        return x

    def error(self):
        """The largest of the first set, relative to the largest result."""
        t, (tensors, scales) = self.torch, self.sets[0]
        self.runs[0]()
        q, y = tensors[0].float(), tensors[-1].float()
        k, v = (self.meant(tensors[1 + i], tensors) * (scales[i].float() if scales else 1) for i in range(2))
        q = q.view(self.batch, GROUPS, -1, DEPTH)
        weights = t.softmax(q @ k.transpose(2, 3) * DEPTH ** -.5, 3)
        wanted = (weights @ v).view_as(y)
        return ((y - wanted).abs().max() / wanted.abs().max()).item()


def copy_rate(torch, timer):
    """Of a copy of 1 GiB, reads and writes, bytes a second."""
    x, y = (torch.empty(1 << 30, dtype=torch.uint8, device="cuda") for _ in range(2))
    timed = timer([lambda: y.copy_(x)])
    return 2 * x.numel() / min(timed() for _ in range(ROUNDS)) * 1e6


def measure(folder, given):
    import torch
    from libraries import unload
    from timing import ReplayTimer

    torch.manual_seed(int(os.environ.get("STRATA_SEED", "29")))
    rate = copy_rate(torch, ReplayTimer)
    print(f"{torch.cuda.get_device_name()}: a copy moves {rate / 1e12:.2f} TB/s")
    groups = {}
    for name in names(given):
        groups.setdefault(read(name)[1:], []).append(name)
    for (batch, columns), members in groups.items():
        cases = [Cached(folder, name) for name in members]
        errors = [case.error() for case in cases]
        timers = [ReplayTimer(case.runs) for case in cases]
        times = [[timer() for timer in timers] for _ in range(ROUNDS)]
        half = None
        for i, case in enumerate(cases):
            us = statistics.median(row[i] for row in times)
            half = us if case.kind == "f16" and half is None else half
            share = case.bytes / us * 1e6 / rate
            print(f"{case.name:28} {us:8.1f} us  {case.bytes / us / 1e6:5.2f} TB/s  {share:5.2f} of a copy"
                  f"  {half / us if half else 0:5.2f} times f16's speed  error {errors[i]:.1e}", flush=True)
        del timers
        unload(cases)


if __name__ == "__main__":
    {"build": build, "measure": measure}[sys.argv[1]](sys.argv[2], sys.argv[3:])
