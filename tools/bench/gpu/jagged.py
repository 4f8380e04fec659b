"""Sequences of unequal lengths, one behind the other: attention within them beside the dense kernel, and whether time goes
with the rows there are.

    jagged.py build FOLDER        compiles the libraries, for sm_90a; needs neither PyTorch nor a GPU
    jagged.py measure FOLDER      on a card: errors against f32, rates of attention, times of a pool of rows

Attention is of f16, of 64 sequences of 32 to 2048 rows, drawn anew by STRATA_SEED; its rate is the operations that its
sequences need by the time. Beside it the dense kernel's: of 64 sequences of the mean length, and of the longest, as many
as are about as many operations. The pool is sum(x * softmax(x)) within each sequence: the same rows in equal, in drawn
and in very unequal sequences, and a quarter of them.
Times are those of calls replayed from CUDA graphs, in turns.
"""
import dataclasses
import os
import statistics
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "test", "support")
HEADS, SIZES, SEQUENCES, SHORTEST, LONGEST = 16, (64, 128), 64, 32, 2048
MEAN = (SHORTEST + LONGEST) // 2
WIDTH, ROWS, ROUNDS = 512, 65536, 11
OPTIONS = ["--target=nvgpu", "--device=sm_90a", "--on-gpu-tensors", "--user-device-memory", "--shared-only"]


def pairs_of(lengths, causal):
    """Of a query and a key, in all sequences."""
    return sum(n * (n + 1) // 2 if causal else n * n for n in lengths)


def draw_lengths(random):
    return [int(n) for n in random.integers(SHORTEST, LONGEST + 1, SEQUENCES)]


#===-- Graphs --------------------------------------------------------------------------------------------------------


def attention_graph(size, causal):
    import onnx_file

    graph, wide = onnx_file.Graph(opset=23), HEADS * size
    operands = [graph.input(name, onnx_file.FLOAT16, ["total", wide]) for name in "qkv"]
    operands.append(graph.input("offsets", onnx_file.INT32, ["batch + 1"]))
    graph.node("JaggedAttention", operands, ["y"], domain="strata", is_causal=int(causal), q_num_heads=HEADS,
               kv_num_heads=HEADS)
    graph.output("y", onnx_file.FLOAT16, ["total", wide])
    return graph


def dense_graph(length, size, causal):
    import onnx_file

    graph, shape = onnx_file.Graph(opset=23), ["batch", HEADS, length, size]
    graph.node("Attention", [graph.input(name, onnx_file.FLOAT16, shape) for name in "qkv"], ["y"], is_causal=int(causal))
    graph.output("y", onnx_file.FLOAT16, shape)
    return graph


def pool_graph():
    import onnx_file

    graph = onnx_file.Graph(opset=20)
    x = graph.input("x", onnx_file.FLOAT16, ["total", WIDTH])
    offsets = graph.input("offsets", onnx_file.INT32, ["batch + 1"])
    shares = graph.node("JaggedSoftmax", [x, offsets], domain="strata")
    graph.node("JaggedSum", [graph.node("Mul", [x, shares]), offsets], ["y"], domain="strata")
    graph.output("y", onnx_file.FLOAT16, ["batch", WIDTH])
    return graph


def attention_name(kind, size, causal):
    return f"{kind}_d{size}{'_causal' if causal else ''}"


def build(folder):
    sys.path[:0] = [SUPPORT]
    import strata

    jagged = [f"--dim=total=1..{SEQUENCES * LONGEST}@{SEQUENCES * MEAN}", f"--dim=batch=1..4096@{SEQUENCES}"]
    graphs = {"pool": (pool_graph(), jagged)}
    for size in SIZES:
        for causal in (False, True):
            graphs[attention_name("jagged", size, causal)] = (attention_graph(size, causal), jagged)
            for length in (MEAN, LONGEST):
                batch = f"--dim=batch=1..{SEQUENCES}@{SEQUENCES if length == MEAN else SEQUENCES // 3}"
                graphs[attention_name(f"dense{length}", size, causal)] = (dense_graph(length, size, causal), [batch])
    os.makedirs(folder, exist_ok=True)
    for name, (graph, options) in graphs.items():
        path = os.path.join(folder, name + ".onnx")
        graph.save(path)
        strata.compile_library(path, folder, name, [*OPTIONS, *options])


#===-- On the card ---------------------------------------------------------------------------------------------------


def offsets_of(torch, lengths):
    ends = torch.tensor([0, *lengths], device="cuda").cumsum(0)
    return ends.to(torch.int32)


@dataclasses.dataclass
class Case:
    """What is timed: a library bound to tensors, sequences of |lengths|."""
    library: object
    run: object
    lengths: list
    error: float  # the largest of any sequence, relative to its largest result


def bound(folder, name, sizes, tensors, lengths, error):
    """A case that was called once; |error| compares then."""
    import torch
    from libraries import GpuLibrary

    library = GpuLibrary(os.path.join(folder, f"lib{name}.so"), sizes)
    run = library.binding(tensors)
    run()
    torch.cuda.synchronize()
    return Case(library, run, lengths, error())


def attention(folder, kind, size, causal, lengths):
    """The jagged library on sequences of |lengths|, or a dense one on these, which are equal."""
    import torch

    jagged, total = kind == "jagged", sum(lengths)
    shape = (total, HEADS * size) if jagged else (len(lengths), HEADS, lengths[0], size)
    operands = [torch.randn(*shape, device="cuda", dtype=torch.float16) for _ in "qkv"]
    y = torch.full(shape, float("nan"), device="cuda", dtype=torch.float16)

    def sequences(x):
        """[heads, rows, size] each."""
        return [rows.view(-1, HEADS, size).transpose(0, 1) for rows in x.split(lengths)] if jagged else x

    def error():
        errors = []
        for got, *given in zip(sequences(y), *map(sequences, operands)):
            wanted = torch.nn.functional.scaled_dot_product_attention(*(x.float() for x in given), is_causal=causal)
            errors.append(((got.float() - wanted).abs().max() / wanted.abs().max()).item())
        return max(errors)

    sizes, offsets = ([total, len(lengths)], [offsets_of(torch, lengths)]) if jagged else ([len(lengths)], [])
    return bound(folder, attention_name(kind, size, causal), sizes, [*operands, *offsets, y], lengths, error)


def in_turns(cases):
    """Microseconds of a call of each: the median of all rounds."""
    from timing import ReplayTimer

    timers = [ReplayTimer([case.run]) for case in cases]
    return [statistics.median(column) for column in zip(*([timer() for timer in timers] for _ in range(ROUNDS)))]


def measure_attention(folder, random):
    from libraries import unload

    for size in SIZES:
        for causal in (False, True):
            lengths = draw_lengths(random)
            longest = max(1, round(pairs_of(lengths, causal) / pairs_of([LONGEST], causal)))
            cases = [attention(folder, kind, size, causal, of) for kind, of in (
                ("jagged", lengths), (f"dense{MEAN}", [MEAN] * SEQUENCES), (f"dense{LONGEST}", [LONGEST] * longest))]
            us = in_turns(cases)
            rates = [4 * HEADS * size * pairs_of(case.lengths, causal) / t / 1e6 for case, t in zip(cases, us)]
            beside = [f"dense {len(case.lengths)} x {case.lengths[0]}: {rate:.0f}, {rate / rates[0]:.2f} times that"
                      for case, rate in zip(cases[1:], rates[1:])]
            print(f"attention d{size}{' causal' if causal else '':7} {sum(lengths)} rows of {len(lengths)}: {us[0]:.1f} us, "
                  f"{rates[0]:.0f} TFLOP/s; {', '.join(beside)}; error {max(case.error for case in cases):.1e}", flush=True)
            unload(cases)


def pools(random):
    """What is drawn of the pool: a name and the lengths of the sequences."""
    drawn = draw_lengths(random)
    drawn = [n * ROWS // sum(drawn) for n in drawn[1:]]
    rest = ROWS - LONGEST
    return {"64 equal": [ROWS // 64] * 64, "64 drawn": [*drawn, ROWS - sum(drawn)],
            "one long, 1023 short": [LONGEST] + [rest // 1023] * 1022 + [rest - rest // 1023 * 1022],
            "64 equal of a quarter": [ROWS // 256] * 64}


def pool(folder, lengths):
    import torch

    x = torch.randn(sum(lengths), WIDTH, device="cuda", dtype=torch.float16)
    y = torch.full((len(lengths), WIDTH), float("nan"), device="cuda", dtype=torch.float16)

    def error():
        parts = (part.float() for part in x.split(lengths))
        wanted = torch.stack([(part * part.softmax(0)).sum(0) for part in parts])
        return ((y.float() - wanted).abs().max() / wanted.abs().max()).item()

    return bound(folder, "pool", [sum(lengths), len(lengths)], [x, offsets_of(torch, lengths), y], lengths, error)


def measure_pool(folder, random):
    from libraries import unload

    drawn = pools(random)
    cases = [pool(folder, lengths) for lengths in drawn.values()]
    for name, case, us in zip(drawn, cases, in_turns(cases)):
        print(f"pool {name:22} {sum(case.lengths)} rows, {len(case.lengths)} x {max(case.lengths)} padded: {us:.1f} us, "
              f"error {case.error:.1e}", flush=True)
    del case
    unload(cases)


def measure(folder):
    import numpy as np
    import torch

    seed = int(os.environ.get("STRATA_SEED", "26"))
    torch.manual_seed(seed)
    print(torch.cuda.get_device_name(), "seed", seed)
    measure_attention(folder, np.random.default_rng(seed))
    measure_pool(folder, np.random.default_rng(seed))


if __name__ == "__main__":
    {"build": build, "measure": measure}[sys.argv[1]](sys.argv[2])
