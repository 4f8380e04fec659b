"""Pipelined products that the model can choose, others each run, as machine code for the H200: NVIDIA's assembler does
not complain, and no thread spills. The model is asked for its candidates (--schedule), of sizes at which all of its ways
are legal: of bf16, of f32 whose left operand threads read, of i8."""
import concurrent.futures
import os
import re
import sys
import tempfile

import numpy as np

import strata
from level2 import Case, bits

DEVICE = "sm_90a"
OPTIONS = ["--target=nvgpu", f"--device={DEVICE}", "--on-gpu-tensors", "--user-device-memory"]
LARGE, SMALL = (2048, 2048, 2048), (520, 640, 2048)  # more tiles than processors, and fewer
NARROW = (152, 2880, 4816)  # of which the blocks of a cluster may have any part of the rows
ALTERNATE = (2056, 2056, 2056)  # rows that begin within sectors, of which tiles may have every second one
CANDIDATE = re.compile(r"candidate \S+ \S+ (\{.*\}) # ")
# What makes another kernel of a schedule; the grid, the slots and the size of clusters are numbers in it.
KEYS = ("tile", "warps", "threads", "group", "swap", "parts", "share", "every", "stagger", "stream")
PROCESSORS = 132
MOST = 30  # of each kind a run, half a second each; STRATA_ALL=1: every one


def elements(kind, *shape):
    if kind == "bf16":
        return bits(np.zeros(shape, np.uint16), "bf16")
    return np.zeros(shape, np.int8 if kind == "i8" else np.float32)


def product(kind, crossed, m, n, k):
    """The text of a product; |crossed|: both operands lie across the reduction."""
    x, y = elements(kind, *((k, m) if crossed else (m, k))), elements(kind, *((k, n) if crossed else (n, k)))
    case = Case("product", x, y)
    maps = ", ".join(f"affine_map<(m, n, k) -> ({part})>" for part in
                     ("k, m" if crossed else "m, k", "k, n" if crossed else "n, k", "m, n"))
    sums = np.zeros((m, n), np.int32 if kind == "i8" else np.float32)
    result = case.op("contract", ["%x0", "%x1"], sums, zero_pad="false", origin='"matmul"', maps=f"[{maps}]")
    if kind == "bf16":
        result = case.op("convert", [result], elements(kind, m, n))
    case.returns([result], elements(kind, m, n) if kind == "bf16" else sums)
    return case.text()


def value_of(schedule, key):
    found = re.search(rf"\b{key} = (array<i64: [^>]*>|\d+)", schedule)
    return found.group(1) if found else ""


def form(schedule):
    """What tells its kernel from others, two blocks a processor included, which have fewer registers each."""
    parts = [value_of(schedule, key) for key in KEYS]
    parts[KEYS.index("share")] = bool(value_of(schedule, "share"))
    return (*parts, int(value_of(schedule, "blocks") or 0) > PROCESSORS)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def candidates(graph, folder, options, key):
    ask = write(os.path.join(folder, "ask"), f"candidates k0 {DEVICE}\n")
    told = strata.strata(graph, *options, "--explain", f"--schedule={ask}", "--compile-to=affine", "-o",
                         os.path.join(folder, "affine"))
    schedules = {}
    for found in map(CANDIDATE.match, told.splitlines()):
        if found and "producers" in found.group(1) and value_of(found.group(1), key):
            schedules.setdefault(form(found.group(1)), found.group(1))
    return list(schedules.values())


def faults(graph, folder, options, number, schedule):
    """What is wrong with the code of one schedule; empty: nothing."""
    path = write(os.path.join(folder, f"{number}.schedule"), f"schedule k0 {DEVICE} {schedule}\n")
    usage = strata.strata(graph, "--aot", f"--aot-name=p{number}", "-o", folder, *options, f"--schedule={path}",
                          "--resource-usage")
    for end in (".a", ".so"):
        os.remove(os.path.join(folder, f"libp{number}{end}"))
    spills = [row["spills"] for row in strata.kernel_rows(usage)]
    return "" if spills and set(spills) <= {"0"} and "(C75" not in usage else f"{schedule}:\n{usage}"


def check(kind, crossed, sizes, key="tile", fewest=100):
    options = OPTIONS + ["--mm-conv-precision-mode=tf32"] * (kind == "f32")
    with tempfile.TemporaryDirectory() as folder:
        graph = write(os.path.join(folder, "product.mlir"), product(kind, crossed, *sizes))
        schedules = candidates(graph, folder, options, key)
        assert len(schedules) > fewest
        schedules = strata.drawn(schedules, MOST)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda item: faults(graph, folder, options, *item), enumerate(schedules)))
    wrong = [text for text in found if text]
    print(f"{kind}{' crossed' if crossed else ''} {sizes}: {len(found)} schedules, {len(wrong)} wrong", flush=True)
    for text in wrong[:3]:
        print(text)
    return not wrong


def main():
    if not strata.has_ptxas():
        print("no ptxas: nothing to ask")
        return 0
    right = [check(kind, crossed, sizes) for kind, crossed, sizes in
             (("bf16", False, LARGE), ("bf16", False, SMALL), ("f32", True, LARGE), ("f32", True, SMALL), ("i8", False, SMALL))]
    right.append(check("bf16", False, ALTERNATE, "every", fewest=50))
    right.append(check("bf16", True, NARROW, "parts", fewest=30))
    return not all(right)


if __name__ == "__main__":
    sys.exit(main())
