#!/usr/bin/env python3
"""Boxes that do not overlap, sorts, what counts elements, and a Loop that data end, beside PyTorch, torchvision and ONNX
Runtime's cpu (one thread): microseconds of a call.

    counted.py build FOLDER [--device=sm_90a]     anywhere: the models and their libraries
    counted.py measure FOLDER [NAME...]           where the GPU is, with PyTorch, torchvision and ONNX Runtime

Ours, and of PyTorch what can be captured, are replayed from CUDA graphs; what waits for the device goes by the host's
clock (*). Results have to be the peers', also of a graph that is replayed with other data and other counts.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "..", "test", "support"), HERE]

import strata
from onnx_file import BOOL, FLOAT, FLOAT16, INT32, INT64, Graph

LEAST, MANY, UNWRITTEN = np.float32(0.25), 10**6, -77
# Boxes, classes, the most of a class that are kept, the overlap, and which part scores above the threshold.
BOXES = {"boxes_2": (8400, 80, 100, 0.45, 0.02), "boxes_50": (8400, 80, 100, 0.45, 0.5),
         "boxes_75": (8400, 80, 100, 0.45, 0.75), "boxes_all": (8400, 80, 8400, 0.45, 0.02),
         "proposals": (2000, 1, 1000, 0.7, 1)}
# Rows, their elements, how many of the greatest, and their type.
SORTS = {"top_100_of_8400": (1, 8400, 100, FLOAT), "top_100": (1, MANY, 100, FLOAT), "top_1000": (1, MANY, 1000, FLOAT),
         **{f"sort_{n}": (1, n, n, FLOAT) for n in (8400, 10**5, 3 * 10**5, MANY, 10 * MANY)},
         **{f"sort_{rows}_{n}": (rows, n, n, FLOAT) for rows, n in ((80, 8400), (1024, 2000), (8192, 300))},
         **{f"sort_{name}_{n}": (1, n, n, element) for n in (MANY, 10 * MANY)
            for name, element in (("i32", INT32), ("i64", INT64), ("f16", FLOAT16))}}
COUNTS = {"nonzero": ("NonZero", MANY), "compress": ("Compress", MANY), "unique": ("Unique", 10**5),
          "cumsum": ("CumSum", MANY)}

# Tokens, how wide a row is, and the most steps of a greedy decoder, a Loop that data end.
DECODERS = {"decoder": (8192, 512, 64), "decoder_1000": (4096, 128, 1000)}


# -- models -----------------------------------------------------------------------------------------------------------

def boxes_model(boxes, classes, most, overlap, _):
    graph = Graph(opset=11)
    names = [graph.input("boxes", FLOAT, [1, boxes, 4]), graph.input("scores", FLOAT, [1, classes, boxes]),
             graph.constant("most", np.array([most])), graph.constant("overlap", np.array([overlap], np.float32)),
             graph.constant("least", np.array([LEAST]))]
    graph.output(graph.node("NonMaxSuppression", names), INT64, ["n", 3])
    return graph


def sort_model(rows, n, k, element):
    graph = Graph(opset=11)
    values, places = graph.node("TopK", [graph.input("x", element, [rows, n]), graph.constant("k", np.array([k]))], 2)
    graph.output(values, element, [rows, k])
    graph.output(places, INT64, [rows, k])
    return graph


def count_model(op, n):
    graph = Graph(opset=14)
    names, attributes = [graph.input("x", INT64 if op == "CumSum" else FLOAT, [n])], {}
    if op == "Compress":
        names.append(graph.input("mask", BOOL, [n]))
        attributes["axis"] = 0
    elif op == "CumSum":
        names.append(graph.constant("axis", np.array(0)))
    shape = {"NonZero": [1, "n"], "CumSum": [n]}.get(op, ["n"])
    graph.output(graph.node(op, names, **attributes), FLOAT if op in ("Compress", "Unique") else INT64, shape)
    return graph


def decoder_weights(tokens, width):
    """A table of rows, what they are multiplied by, and the token that is by far the likeliest behind each."""
    random = np.random.default_rng(31)
    table = random.standard_normal((tokens, width)).astype(np.float16)
    weights = 0.1 * random.standard_normal((width, tokens))
    follows = np.roll(random.permutation(tokens), 1)
    weights[:, follows] += 0.5 * table.T
    return table, weights.astype(np.float16), follows


def decoder_model(tokens, width, most):
    table, weights, _ = decoder_weights(tokens, width)
    graph, body = Graph(opset=13), Graph(name="body")
    graph.input("first", INT64, [1]), graph.input("stop", INT64, [])
    graph.constant("most", np.array(most)), graph.constant("yes", np.array(True))
    body.constant("table", table), body.constant("weights", weights)
    body.input("i", INT64, []), body.input("go", BOOL, []), body.input("token", INT64, [1])
    scores = body.node("MatMul", [body.node("Gather", ["table", "token"]), "weights"])
    body.node("ArgMax", [scores], ["next"], axis=1, keepdims=0)
    ends = body.node("Equal", [body.node("ReduceMax", ["next"], keepdims=0), "stop"])
    body.output(body.node("Not", [ends]), BOOL, []), body.output("next", INT64, [1])
    body.output(body.node("Identity", ["next"]), INT64, [1])
    graph.node("Loop", ["most", "yes", "first"], ["last", "tokens"], body=body)
    graph.output("last", INT64, [1]), graph.output("tokens", INT64, ["n", 1])
    return graph


def build(folder, device):
    os.makedirs(folder, exist_ok=True)
    for cases, model in ((BOXES, boxes_model), (SORTS, sort_model), (COUNTS, count_model),
                         (DECODERS, decoder_model)):
        for name, case in cases.items():
            path = os.path.join(folder, name + ".onnx")
            model(*case).save(path)
            subprocess.run([os.path.join(strata.BIN, "strata"), path, "--target=nvgpu", f"--device={device}", "--aot",
                            f"--aot-name={name}", "--on-gpu-tensors", "--user-device-memory", "--shared-only", "-o",
                            folder], check=True)


# -- measuring --------------------------------------------------------------------------------------------------------

def by_host(run, times=9):
    import torch
    taken = []
    for _ in range(times + 2):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        run()
        torch.cuda.synchronize()
        taken.append((time.perf_counter() - begin) * 1e6)
    return statistics.median(taken[2:])


def by_graph(run):
    from timing import ReplayTimer
    timer = ReplayTimer([run])
    return statistics.median(timer() for _ in range(5))


def ours(folder, name, draw, is_right):
    """The time of a call. |draw| gives the inputs, |is_right| says whether results of some inputs are right."""
    import torch
    from libraries import GpuLibrary
    library = GpuLibrary(os.path.join(folder, f"lib{name}.so"))
    inputs = draw()
    outputs = [torch.full(info.dims(), UNWRITTEN, device="cuda",
                          dtype=getattr(torch, np.dtype(strata.DTYPES[info.dtype]).name))
               for info in library.outputs]
    run, graph = library.binding([*inputs, *outputs]), torch.cuda.CUDAGraph()
    run()
    assert is_right(inputs, outputs), f"{name}: other results"
    taken = by_graph(run)
    with torch.cuda.graph(graph):
        run()
    for tensor, other in zip(inputs, draw()):
        tensor.copy_(other)
    for tensor in outputs:
        tensor.fill_(UNWRITTEN)
    graph.replay()
    assert is_right(inputs, outputs), f"{name}: other results of a graph that is replayed"
    library.unload()
    return taken


def measure_boxes(folder, name, random):
    import onnxruntime
    import torch
    import torchvision
    boxes, classes, _, overlap, part = BOXES[name]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(os.path.join(folder, name + ".onnx"), options,
                                           providers=["CPUExecutionProvider"])

    def draw():
        center, size = random.random((1, boxes, 2)) * 640, random.random((1, boxes, 2)) * 100 + 10
        shape = (1, classes, boxes)
        is_above = random.random(shape) < part
        scores = np.where(is_above, LEAST + random.random(shape) * 0.7, 0.01)
        return [torch.tensor(x.astype(np.float32)).cuda()
                for x in (np.concatenate([center - size / 2, center + size / 2], 2), scores)]

    def theirs(inputs):
        return session.run(None, dict(zip(("boxes", "scores"), (x.cpu().numpy() for x in inputs))))[0]

    def is_right(inputs, outputs):
        return np.array_equal(outputs[0][:int(outputs[1][0])].cpu().numpy(), theirs(inputs))
    inputs = draw()
    peers = {"ONNX Runtime*": by_host(lambda: theirs(inputs), 3)}
    if part < 0.1 or classes == 1:  # of many boxes batched_nms has masks of gigabytes
        places = (inputs[1][0] > float(LEAST)).nonzero()
        chosen, scores = inputs[0][0][places[:, 1]], inputs[1][0][places[:, 0], places[:, 1]]
        peers["batched_nms*"] = by_host(lambda: torchvision.ops.batched_nms(chosen, scores, places[:, 0], overlap))
    return ours(folder, name, draw, is_right), peers


def measure_sort(folder, name, random):
    import torch
    rows, n, k, element = SORTS[name]
    kind = {FLOAT: np.float32, FLOAT16: np.float16, INT32: np.int32, INT64: np.int64}[element]

    def draw():
        numbers = random.standard_normal((rows, n))
        scale = 1 if element in (FLOAT, FLOAT16) else 1e8
        has_ties = random.random() < 0.5
        return [torch.tensor((np.round(numbers * 1000) if has_ties else numbers * scale).astype(kind)).cuda()]

    def is_right(inputs, outputs):
        wanted = torch.sort(inputs[0], descending=True, stable=True)
        return all(torch.equal(got, one[:, :k]) for got, one in zip(outputs, wanted))
    x, = draw()
    peers = {"sort": by_graph(lambda: torch.sort(x, descending=True, stable=True))}
    if k < n:
        peers["topk"] = by_graph(lambda: torch.topk(x, k))
    return ours(folder, name, draw, is_right), peers


def measure_count(folder, name, random):
    import torch
    op, n = COUNTS[name]
    theirs = {"NonZero": lambda x: torch.nonzero(x).T, "Compress": lambda x, mask: x[mask], "Unique": torch.unique,
              "CumSum": lambda x: torch.cumsum(x, 0)}[op]

    def draw():
        part = random.random()
        x = random.integers(-n // 5, n // 5, n) * (random.random(n) < part)
        inputs = [x if op == "CumSum" else x.astype(np.float32)]
        if op == "Compress":
            inputs.append(random.random(n) < part)
        return [torch.tensor(x).cuda() for x in inputs]

    def is_right(inputs, outputs):
        wanted = theirs(*inputs)
        count = int(outputs[1][-1]) if len(outputs) > 1 else n
        return torch.equal(outputs[0][..., :count], wanted)
    inputs = draw()
    peer = (by_graph if op == "CumSum" else by_host)(lambda: theirs(*inputs))
    return ours(folder, name, draw, is_right), {"PyTorch" + "*" * (op != "CumSum"): peer}


def measure_decoder(folder, name, _):
    """Replayed and by the host's clock, for several numbers of steps; one graph for all."""
    import torch
    from libraries import GpuLibrary
    tokens, width, most = DECODERS[name]
    follows = decoder_weights(tokens, width)[2]
    chain = [0]
    for _ in range(most + 1):
        chain.append(int(follows[chain[-1]]))
    library = GpuLibrary(os.path.join(folder, f"lib{name}.so"))
    first, stop = (torch.zeros(info.dims(), device="cuda", dtype=torch.int64) for info in library.inputs)
    outputs = [torch.full(info.dims(), UNWRITTEN, device="cuda", dtype=torch.int64) for info in library.outputs]
    run, graph, taken = library.binding([first, stop, *outputs]), torch.cuda.CUDAGraph(), {}
    run()
    with torch.cuda.graph(graph):
        run()
    for steps in (1, 5, most):
        stop.fill_(chain[steps] if steps < most else -1)
        for how, call in (("", graph.replay), ("*", run)):
            for tensor in outputs:
                tensor.fill_(UNWRITTEN)
            call()
            results = {info.name.decode(): tensor for info, tensor in zip(library.outputs, outputs)}
            assert int(results["tokens_sizes"][0]) == steps, f"{name}: {results['tokens_sizes']} steps, not {steps}"
            assert results["tokens"][:steps, 0].tolist() == chain[1:steps + 1], f"{name}: other tokens"
            assert int(results["last"][0]) == chain[steps], f"{name}: another last token"
            taken[f"{steps} steps{how}"] = by_host(call)
    library.unload()
    return taken[f"{most} steps"], taken


def measure(folder, names):
    random = np.random.default_rng(int(os.environ.get("STRATA_SEED", "1")))
    for cases, one in ((BOXES, measure_boxes), (SORTS, measure_sort), (COUNTS, measure_count),
                       (DECODERS, measure_decoder)):
        for name in cases:
            if names and name not in names:
                continue
            taken, peers = one(folder, name, random)
            columns = [f"{peer} {us:.1f}" for peer, us in peers.items()]
            print(f"{name:18}{taken:10.1f}   " + "   ".join(columns), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "measure"])
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", default="sm_90a")
    arguments = parser.parse_args()
    if arguments.what == "build":
        build(arguments.folder, arguments.device)
    else:
        measure(arguments.folder, arguments.names)


if __name__ == "__main__":
    main()
