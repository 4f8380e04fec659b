"""The kernels that calibrate.py times, and their compilation."""
import concurrent.futures
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import products
from graph import Graph

# Tiles of products: groups of warps, rows, columns, slots.
TILES = {"wide": (2, 128, 256, 4), "square": (2, 128, 128, 6), "narrow": (1, 64, 64, 8), "short": (1, 64, 64, 2)}
STEP_BYTES, STEP, RESULT_BYTES = 128, 64, 2  # of the reduction, in bytes and in elements of 16 bits
ROUNDS = 2 * 2
KINDS = ("bf16", "fp16", "tf32", "fp8", "int8")
MIB = 1 << 20


class Plan:
    """The kernels of a run: what each is made of, and what the measurement has to know of it."""

    def __init__(self, options):
        self.device, self.small = options.device, options.small
        self.processors = 2 if options.small else options.processors
        self.kernels = []
        self.make()

    def add(self, name, text, inputs, outputs, arguments=(), schedule="", **facts):
        self.kernels.append({"name": name, "text": text, "inputs": inputs, "outputs": outputs, "schedule": schedule,
                             "arguments": list(arguments), "facts": facts})

    def case(self, name, case, schedule="", **facts):
        inputs, outputs = ([(dtype, math.prod(shape)) for shape, dtype, *_ in of] for of in (case.inputs, case.outputs))
        self.add(name, case.text, inputs, outputs, case.options, schedule, flops=case.flops, **facts)

    def tiles(self, name, tile, scale, steps, more="", less=0, share=1):
        """A product of one tile a processor, times scale squared, or a part of that, by the schedule that says so."""
        groups, rows, columns, slots = TILES[tile]
        down = math.isqrt(self.processors)
        across = self.processors // down
        blocks = down * across
        schedule = (f'schedule k0 {self.device} {{blocks = {blocks} : i64, group = {128 * groups} : i64, '
                    f'kind = "contract", mma = "wgmma.bf16", producers = 128 : i64, slots = {slots} : i64{more}, '
                    f'threads = {128 * groups} : i64, tile = array<i64: {rows}, {columns}, {STEP}>, '
                    f'warps = array<i64: {4 * groups}, 1>}}\n')
        tiles = scale * down * max(1, scale * across // share)
        case = products.product("bf16", "nt", scale * down * rows, tiles // (scale * down) * columns - less, steps * STEP)
        self.case(name, case, schedule, rounds=scale * scale, steps=steps, share=steps * tiles / blocks)

    def make(self):
        few, many = (1, 3) if self.small else (16, 48)
        for tile in ("wide", "square"):
            for scale in (1, 2):
                for steps in (few, many):
                    self.tiles(f"{tile}_{scale}_{steps // few}", tile, scale, steps)
        for name, tile, scale, more, less, share in (("narrow", "narrow", 1, "", 0, 1), ("short", "short", 1, "", 0, 1),
                                                     ("stream", "square", 1, ", stream = 1 : i64", 0, 2),
                                                     ("apart", "square", 2, "", 1, 1)):
            for times in (4, 12):
                self.tiles(f"{name}_{times}", tile, scale, times * few, more, less, share)
        side = 128 if self.small else 8192
        for kind in KINDS:
            self.case(f"product_{kind}", products.product(kind, "nt", side, side, side))
        self.case("product_fp32", products.product("fp32", "nn", *[128 if self.small else 4096] * 3))
        for mebibytes in (1, 4, 16, 32, 64, 256, 1024):
            self.moves(mebibytes)
        g = Graph(((1024,), "f32"))
        value = g[0]
        for _ in range(8):
            value = g.like("tanh", value)
        self.add("chain", g.text(value), [("f32", 1024)], [("f32", 1024)], ("--disable-affine-fusion",))

    def moves(self, mebibytes):
        """A map, and a transposition, that read and write as much in all."""
        columns = 64 if self.small else 1024
        rows = mebibytes * (MIB // 2 // 2) // 1024 // (64 if self.small else 1)
        for name in ("map", "turn"):
            g = Graph(((rows, columns), "bf16"))
            value = g.like("relu", g[0]) if name == "map" else g.op("transpose", [g[0]], (columns, rows), "bf16",
                                                                    "permutation = array<i64: 1, 0>")
            self.add(f"{name}_{mebibytes}", g.text(value), [("bf16", rows * columns)], [("bf16", rows * columns)],
                     bytes=4 * rows * columns)


def compile_kernel(kernel, options):
    """Leaves lib<name>.so; what is wrong, else None."""
    import strata

    at, library = (os.path.join(options.folder, before + kernel["name"]) for before in ("", "lib"))
    arguments = ["--target=nvgpu", f"--device={options.device}", "--on-gpu-tensors", "--user-device-memory",
                 *kernel["arguments"]]
    texts = {at + ".mlir": kernel["text"]}
    if kernel["schedule"]:
        arguments.append(f"--schedule={at}.schedule")
        texts[at + ".schedule"] = kernel["schedule"]
    for path, text in texts.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    problem = None
    try:
        strata.compile_library(at + ".mlir", options.folder, kernel["name"], arguments)
    except (strata.CompileError, subprocess.TimeoutExpired) as error:
        problem = " ".join(str(error).split())
    for path in (*texts, at + ".h", at + ".pc", library + ".a"):
        if os.path.exists(path):
            os.remove(path)
    return problem


def build(options):
    os.makedirs(options.folder, exist_ok=True)
    plan, kept = Plan(options), ("name", "inputs", "outputs", "facts")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        problems = list(pool.map(lambda kernel: compile_kernel(kernel, options), plan.kernels))
    kernels = [{**{key: kernel[key] for key in kept}, "failed": problem} for kernel, problem in zip(plan.kernels, problems)]
    with open(os.path.join(options.folder, "plan.json"), "w", encoding="utf-8") as file:
        json.dump({"device": options.device, "small": options.small, "processors": plan.processors,
                   "kernels": kernels}, file, indent=1)
    failed = [kernel for kernel in kernels if kernel["failed"]]
    print("".join(f'{kernel["name"]}: {kernel["failed"]}\n' for kernel in failed), end="")
    print(f"{len(kernels) - len(failed)} compiled, {len(failed)} failed")
    return 0
