"""How fast the loop of a product can go on AMD's chips, counted in its machine code: no GPU is needed.

    python3 issue.py [--device gfx942 ...] [--size 4096] [--type f16] [--layout nt] [--graph FILE.mlir]

The product is of square matrices, or what a graph has that is one product. A layout has a letter for either operand: n,
as the product of matrices has it, or t, turned; of nt both lie along the reduction.

Counted are the instructions of a wave in one iteration of the loop around the matrix instructions, and from these for
how long an iteration of a block occupies each part of a compute unit:

    matrix  matrix instructions of the waves of a SIMD, by devices/gpu/mma.def
    vector  the same waves' other vector instructions, a cycle each, of 64 lanes four. On chips of 32 lanes matrix
            instructions are vector instructions, and both are added up
    LDS     all waves' bytes to and from LDS, at 128 a cycle; gfx950 reads 256
    memory  all waves' bytes from memory, at 64 a cycle

"alone" is how long llvm-mca says that an iteration of one wave takes with nobody beside it: the instructions in order,
latencies and counted waits as LLVM's scheduling model has them. Barriers are left out, as are branches. Two things that
this model lacks are put right in the text that it is given: loads from memory, all of which it takes to be counted by
lgkmcnt, too, are written as buffer loads; a WMMA, which it takes for one cycle, is followed by as many v_nop as it is
longer, so that nothing of the wave goes on beside it. "rate" is the matrix instructions' share of that time.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import figures
import strata
from graph import Graph, affine

LLVM = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
DEVICES = ("gfx942", "gfx950", "gfx1100")
# Types of operands, and of what their product is in.
TYPES = {"f16": "f16", "bf16": "bf16", "f8E4M3FN": "f32"}
# By layout: what either operand's dims are.
LAYOUTS = {left + right: (of_left, of_right) for left, of_left in (("n", "m, k"), ("t", "k, m"))
           for right, of_right in (("n", "k, n"), ("t", "n, k"))}
ITERATIONS = 20
# Bytes a cycle of a compute unit.
LDS_READ_RATE, LDS_RATE, MEMORY_RATE = {"gfx950": 256}, 128, 64

# By lanes of a wave: SIMDs of a compute unit, cycles in which one issues a vector instruction, registers of its lanes.
Chip = collections.namedtuple("Chip", "lanes simds cadence registers")
CHIPS = {64: Chip(64, 4, 4, 512), 32: Chip(32, 2, 1, 1536)}

KINDS = (("matrix", r"v_(mfma|wmma)_"), ("LDS reads", r"ds_(read|load)_"), ("LDS writes", r"ds_(write|store)_"),
         ("loads", r"(global|buffer)_load_"), ("waits", r"s_wait"), ("barriers", r"s_barrier"),
         ("branches", r"s_c?branch"), ("vector", r"v_"), ("scalar", r"s_(?!delay_alu|clause)"))
# What is no work of the wave's: the model knows neither.
LEFT_OUT = r"s_(c?branch|barrier|delay_alu|clause)"


def kind_of(instruction):
    return next((kind for kind, pattern in KINDS if re.match(pattern, instruction)), None)


def bytes_of(instruction):
    """Of a lane, by the instruction's name."""
    name = instruction.split()[0]
    words = re.search(r"dwordx(\d)", name)
    bits = re.search(r"_[bui](\d+)", name)
    return int(words[1]) * 4 if words else int(bits[1]) // 8 if bits else 4


#===-- The loop ------------------------------------------------------------------------------------------------------


def instructions_of(code):
    """All instructions of a code object: address, and text."""
    listing = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", code)
    found = re.findall(r"^\t(\S.*?)\s*// ([0-9A-F]+):", listing, re.MULTILINE)
    return [(int(address, 16), text) for text, address in found]


def loop_of(instructions):
    """The texts of the longest loop of those that have the most matrix instructions."""
    number = {address: i for i, (address, _) in enumerate(instructions)}
    best, most = [], 0
    for i, (address, text) in enumerate(instructions):
        branch = re.match(r"s_c?branch\w* (\d+)$", text)
        if not branch:
            continue
        words = (int(branch[1]) + 0x8000) % 0x10000 - 0x8000
        first = number.get(address + 4 + 4 * words, i + 1)
        body = [text for _, text in instructions[first:i + 1]]
        products = sum(kind_of(text) == "matrix" for text in body)
        if products >= max(most, 1):
            best, most = body, products
    return best


#===-- What it takes -------------------------------------------------------------------------------------------------


def cycles_of_product(instruction, chip):
    """Of a SIMD: mma.def has a compute unit's."""
    shape = re.search(r"(\d+x\d+x\d+)_?(\w+?)(_1k|_e64)?$", instruction.split()[0])
    for row in figures.rows("mma.def", "MMA"):
        name, cycles = figures.unquoted(row[0]), int(row[-1])
        family = "mfma" if chip.lanes == 64 else "wmma"
        size = "x".join(row[5:8])
        kind = "e4m3" if shape[2] == "f8f6f4" else shape[2]  # f4 is twice as fast, which our kernels do not multiply
        if name.startswith(family) and size == shape[1] and name.endswith("." + kind):
            return cycles * chip.simds
    raise ValueError(f"{instruction}: no row of mma.def")


def text_for_model(loop, device, chip):
    """The loop as llvm-mca takes it."""
    lines, start = [], "null" if device.startswith("gfx12") else "0"
    buffer = rf"buffer_load_\1 \2, v\3, s[4:7], {start} offen"
    for text in loop:
        if re.match(LEFT_OUT, text):
            continue
        lines.append(re.sub(r"global_load_(\w+) (v\[\d+:\d+\]), v\[(\d+):.*", buffer, text))
        if kind_of(text) == "matrix" and chip.lanes == 32:
            lines += ["v_nop"] * (cycles_of_product(text, chip) - 1)
    return "\n".join(lines) + "\n"


def cycles_alone(loop, device, chip):
    command = [os.path.join(LLVM, "llvm-mca"), "-mtriple=amdgcn", f"-mcpu={device}", f"-iterations={ITERATIONS}"]
    done = subprocess.run(command, input=text_for_model(loop, device, chip), capture_output=True, text=True, check=True)
    return int(re.search(r"Total Cycles: +(\d+)", done.stdout)[1]) / ITERATIONS * chip.cadence


class Count:
    """A loop, of which a block of |threads| has a slot of |shared| bytes."""

    def __init__(self, loop, device, registers, threads, shared, processor_shared):
        self.chip = chip = CHIPS[64 if device.startswith("gfx9") else 32]
        self.kinds = collections.Counter(filter(None, map(kind_of, loop)))
        self.registers = registers
        waves = threads // chip.lanes
        of_simd = waves / chip.simds
        product = next(text for text in loop if kind_of(text) == "matrix")
        self.product = product.split()[0]
        own = self.kinds["matrix"] * cycles_of_product(product, chip)
        moved = {kind: waves * chip.lanes * sum(bytes_of(text) for text in loop if kind_of(text) == kind)
                 for kind in ("LDS reads", "LDS writes", "loads")}
        self.matrix = own * of_simd
        self.vector = self.kinds["vector"] * chip.cadence * of_simd + (self.matrix if chip.lanes == 32 else 0)
        self.lds = moved["LDS reads"] / LDS_READ_RATE.get(device, LDS_RATE) + moved["LDS writes"] / LDS_RATE
        self.memory = moved["loads"] / MEMORY_RATE
        self.bound = max(self.matrix, self.vector, self.lds, self.memory)
        self.alone = cycles_alone(loop, device, chip)
        self.rate = own / self.alone
        by_registers = int(chip.registers // (-(-registers // 8) * 8) / of_simd)
        self.blocks = min(by_registers, processor_shared // shared)


#===-- Kernels -------------------------------------------------------------------------------------------------------


def product(size, kind, layout="nt"):
    graph = Graph(((size, size), kind), ((size, size), kind))
    maps = affine("m, n, k", *LAYOUTS[layout], "m, n")
    return graph.text(graph.contract(graph[0], graph[1], (size, size), TYPES[kind], maps))


def notes_of(code, *names):
    text = strata.run(os.path.join(LLVM, "llvm-readelf"), "--notes", code)
    return [max(map(int, re.findall(rf"{name}: +(\d+)", text))) for name in names]


def count(device, text, folder):
    """Of the kernel of a module of one."""
    model = strata.write(os.path.join(folder, "product.mlir"), text)
    strata.strata(model, "--aot", "--aot-name=m", "-o", folder, "--target=amdgpu", f"--device={device}",
                  f"--save-temps={folder}")
    with open(os.path.join(folder, "5-gpu.mlir"), encoding="utf-8") as opened:
        attrs = opened.read()
    shared, threads = (int(re.search(rf"strata\.{name} = (\d+)", attrs)[1]) for name in ("shared", "threads"))
    code = os.path.join(folder, device + ".hsaco")
    registers, spills, scratch = notes_of(code, r"\.vgpr_count", r"gpr_spill_count", r"private_segment_fixed_size")
    if spills or scratch:
        raise ValueError(f"{device}: {spills} registers spilled, {scratch} bytes of scratch")
    processor = {figures.unquoted(row[0]): int(row[12]) * 1024 for row in figures.rows("devices.def", "DEVICE")}[device]
    return Count(loop_of(instructions_of(code)), device, registers, threads, shared, processor)


ROWS = (("instruction", lambda c: c.product), *((kind, lambda c, kind=kind: c.kinds[kind]) for kind, _ in KINDS),
        ("registers", lambda c: c.registers), ("blocks of a compute unit", lambda c: c.blocks),
        ("cycles: matrix", lambda c: round(c.matrix)), ("cycles: vector", lambda c: round(c.vector)),
        ("cycles: LDS", lambda c: round(c.lds)), ("cycles: memory", lambda c: round(c.memory)),
        ("matrix of the longest", lambda c: f"{100 * c.matrix / c.bound:.0f} %"),
        ("cycles alone", lambda c: round(c.alone)), ("rate alone", lambda c: f"{100 * c.rate:.0f} %"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", nargs="+", default=DEVICES, choices=DEVICES)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--type", default="f16", choices=TYPES)
    parser.add_argument("--layout", default="nt", choices=LAYOUTS)
    parser.add_argument("--graph", type=pathlib.Path)
    options = parser.parse_args()
    text = options.graph.read_text("utf-8") if options.graph else product(options.size, options.type, options.layout)
    counts = []
    for device in options.device:
        with tempfile.TemporaryDirectory() as folder:
            counts.append(count(device, text, folder))
    print("| | " + " | ".join(options.device) + " |\n|---" * 1 + "|---" * len(options.device) + "|")
    for name, value in ROWS:
        print(f"| {name} | " + " | ".join(str(value(c)) for c in counts) + " |")


if __name__ == "__main__":
    sys.exit(main())
