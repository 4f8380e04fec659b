"""Layers of attention of one token over caches that grow, as exporters write them: the past of any length, keys and values
joined to it, a mask, the whole as a result. What of a token's step is not products with weights.

    growing.py build FOLDER [NAME...]              compiles the libraries, for sm_90a
    growing.py measure FOLDER PAST,... [NAME...]   on a card: errors against f32, microseconds of all layers

A name is lLAYERSxHEADSxGROUPSxSIZE, of caches of f16, or of float8 (e4m3) where "x8" is behind; "+alias" behind it has each cache stored in the place of its past, and "+TEXT" names
another library of the same. They take turns; times are those of calls replayed from CUDA graphs.
"""
import os
import statistics
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "test", "support")
NAMES = [f"l{layers}x32x8x{size}{variant}" for layers, size in ((16, 64), (16, 128)) for variant in ("", "+alias")]
ROOM, LIKELY, ROUNDS = 16384, 1024, 11


def read(name):
    return [int(number) for number in name[1:].split("+")[0].split("x")][:4]


def is_bytes(name):
    return name.split("+")[0].endswith("x8")


def graph_of(name):
    import numpy as np
    import onnx_file

    layers, heads, groups, size = read(name)
    graph, whole = onnx_file.Graph(opset=18), "past + 1"
    half, stored = onnx_file.FLOAT16, 17 if is_bytes(name) else onnx_file.FLOAT16
    q = graph.input("q", half, [1, heads, 1, size])
    new = [graph.input(f"new_{part}", stored, [1, groups, 1, size]) for part in "kv"]
    mask = graph.input("mask", half, [1, 1, 1, whole])
    scale = graph.constant("scale", np.float16(size ** -0.5))
    axes, repeats = graph.constant("axes", np.array([2])), graph.constant("repeats", np.array([1, 1, heads // groups, 1, 1]))
    shape = graph.constant("shape", np.array([1, heads, -1, size]))
    for layer in range(layers):
        joined = []
        for part, rows in zip("kv", new):
            past = graph.input(f"past_{part}{layer}", stored, [1, groups, "past", size])
            y = graph.node("Concat", [past, rows], [f"present_{part}{layer}"], axis=2)
            y = graph.node("Cast", [y], to=half) if is_bytes(name) else y
            y = graph.node("Expand", [graph.node("Unsqueeze", [y, axes]), repeats])
            joined.append(graph.node("Reshape", [y, shape]))
        scores = graph.node("MatMul", [q, graph.node("Transpose", [joined[0]], perm=[0, 1, 3, 2])])
        scores = graph.node("Add", [graph.node("Mul", [scores, scale]), mask])
        q = graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), joined[1]])
    graph.node("Identity", [q], ["y"])
    graph.output("y", half, [1, heads, 1, size])
    for layer in range(layers):
        for part in "kv":
            graph.output(f"present_{part}{layer}", stored, [1, groups, whole, size])
    return graph


def build(folder, given):
    sys.path[:0] = [SUPPORT]
    import strata

    for name in given or NAMES:
        path = os.path.join(folder, name.split("+")[0] + ".onnx")
        graph_of(name).save(path)
        options = ["--target=nvgpu", "--device=sm_90a", "--on-gpu-tensors", "--user-device-memory", "--shared-only",
                   f"--dim=past=0..{ROOM - 1}@{LIKELY}"]
        if name.endswith("+alias"):
            options += [f"--alias=present_{part}{i}=past_{part}{i}" for i in range(read(name)[0]) for part in "kv"]
        strata.compile_library(path, folder, name.replace("+", "_"), options)


class Layers:
    def __init__(self, folder, name, past, values):
        import torch
        from libraries import GpuLibrary

        self.name, self.torch, self.past, self.values = name, torch, past, values
        layers, heads, groups, size = read(name)
        self.library = GpuLibrary(os.path.join(folder, f"lib{name.replace('+', '_')}.so"), [past])
        make = lambda length: torch.full((1, groups, length, size), float("nan"), device="cuda").to(values["new"][0].dtype)
        in_place = name.endswith("+alias")
        old = [make(ROOM if in_place else past) for _ in range(2 * layers)]
        for cache, value in zip(old, values["past"]):
            cache[:, :, :past] = value
        own = old if in_place else [make(past + 1) for _ in old]
        self.y = torch.full((1, heads, 1, size), float("nan"), device="cuda", dtype=torch.float16)
        self.own = own
        self.run = self.library.binding([values["q"], *values["new"], values["mask"], *old, self.y, *own])

    def error(self):
        """The largest of the result, relative to the largest; every row of the caches is as it is to be."""
        t, values = self.torch, self.values
        self.run()
        t.cuda.synchronize()
        layers, heads, groups, size = read(self.name)
        q = values["q"].float()
        for layer in range(layers):
            keys, values_ = (t.cat([values["past"][2 * layer + i].float(), values["new"][i].float()], 2) for i in range(2))
            for cache, wanted in zip(self.own[2 * layer:], (keys, values_)):
                assert bool((cache[:, :, :self.past + 1].float() == wanted.float()).all()), f"{self.name}: cache of layer {layer}"
            scores = q.view(1, groups, -1, size) @ keys.transpose(2, 3) * size ** -0.5
            q = (t.softmax(scores + values["mask"].float(), 3) @ values_).view(1, heads, 1, size)
        return ((self.y.float() - q).abs().max() / q.abs().max()).item()


def draw(torch, name, past):
    layers, heads, groups, size = read(name)
    normal = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.float16)
    stored = lambda *shape: normal(*shape).to(torch.float8_e4m3fn if is_bytes(name) else torch.float16)
    mask = torch.zeros(1, 1, 1, past + 1, device="cuda", dtype=torch.float16)
    mask[..., :min(past, 3)] = -1e4
    return {"q": normal(1, heads, 1, size), "new": [stored(1, groups, 1, size) for _ in "kv"], "mask": mask,
            "past": [stored(1, groups, past, size) for _ in range(2 * layers)]}


def measure(folder, given):
    import torch
    from libraries import unload
    from timing import ReplayTimer

    print(torch.cuda.get_device_name())
    names = given[1:] or NAMES
    for past in map(int, given[0].split(",")):
        drawn = {}
        for name in names:
            shape = name.split("+")[0]
            drawn[shape] = drawn.get(shape) or draw(torch, name, past)
        cases = [Layers(folder, name, past, drawn[name.split("+")[0]]) for name in names]
        errors = [case.error() for case in cases]
        timers = [ReplayTimer([case.run]) for case in cases]
        times = [[timer() for timer in timers] for _ in range(ROUNDS)]
        for i, case in enumerate(cases):
            us = statistics.median(row[i] for row in times)
            print(f"{case.name:20} past {past:6} {us:8.1f} us, {us / read(case.name)[0]:6.2f} a layer  error {errors[i]:.1e}",
                  flush=True)
        del timers
        unload(cases)


if __name__ == "__main__":
    {"build": build, "measure": measure}[sys.argv[1]](sys.argv[2], sys.argv[3:])
