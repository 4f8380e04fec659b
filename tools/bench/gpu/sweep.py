"""What the schedules of a contraction take on a GPU beside what the compiler's model expects of them.

    python3 sweep.py build FOLDER [--group gemm] [--only NAME ...] [--within 1.5] [--most 12] [--jobs 8]
    python3 sweep.py build FOLDER --product bf16_nt_1024x1024x1032 ...           of any size
    python3 sweep.py measure FOLDER [--all]          on the GPU's machine

The first compiles every case once for each schedule that its largest contraction can be carried out by and that the
model expects to take at most --within times its pick's time, --most of them, best first (--schedule=FILE), and with
--key as many more of one kind (docs/gpu-schedules.md has the keys). The second times them in one process beside cuBLAS (PyTorch,
eager) and prints a line a case: the pick, what the model expected of it and what it took; the fastest, in the same way;
the pick's time over the fastest's ("loss"), and cuBLAS's over the fastest's. --all adds a line for each schedule. The
model's constants (passes/affine/pipelined_time.c) are right when the losses are small and expected and measured times
go together.
"""
import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import cases as case_table
import products

LINE = re.compile(r"(schedule|candidate) (\S+) \S+ (\{.*\}) # (.*)")


def brief(schedule):
    """128x256 s4 b132, and what else differs between schedules."""
    def integer(key):
        found = re.search(rf"\b{key} = (\d+)", schedule)
        return int(found.group(1)) if found else 0

    tile = re.search(r"tile = array<i64: ([^>]*)>", schedule).group(1).split(", ")
    text = f"{tile[0]}x{tile[1]}"
    if not integer("producers"):
        return f'{text} warps {integer("threads") // 32}'
    text += f' s{integer("slots")} b{integer("blocks")}' + (" swap" if integer("swap") else "")
    share = re.search(r"share = array<i64: (\d+), (\d+)>", schedule)
    text += " share %s,%s" % share.groups() if share else ""
    text += " stream" if integer("stream") else ""
    text += f' every {integer("every")}' if integer("every") else ""
    return text + (f' parts {integer("parts")}' if integer("parts") else "")


def wanted_cases(options, folder=None):
    """The products that were named, else the cases that were asked for; and what was drawn for the random ones."""
    drawn = {"seed": case_table.SEED, "count": 1, "products": options.product}
    path = os.path.join(folder or "", "random.json")
    if folder and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            drawn = json.load(file)
    if not drawn.get("products"):
        return case_table.chosen(options, folder)
    cases = []
    for name in drawn["products"]:
        kind, letters, sizes = name.split("_")
        cases.append(products.product(kind, letters, *map(int, sizes.split("x")), f"product_{name}", "product"))
    return cases, drawn


#===-- Building ------------------------------------------------------------------------------------------------------


class Builder:
    def __init__(self, options):
        import strata

        self.strata, self.options = strata, options

    def arguments(self, case, *more):
        return ["--target=nvgpu", f"--device={self.options.device}", "--on-gpu-tensors", "--user-device-memory",
                *case.options, *more]

    def lines(self, case, *more):
        path, out = (os.path.join(self.options.folder, case.name + end) for end in (".mlir", ".affine.mlir"))
        text = self.strata.strata(path, *self.arguments(case, "--explain", "--compile-to=affine", *more), "-o", out)
        os.remove(out)
        return [found.groups() for found in map(LINE.match, text.splitlines()) if found]

    def candidates(self, case):
        """The kernel and its schedules with their expected times, the pick first."""
        path = os.path.join(self.options.folder, case.name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(case.text)
        kernels = [(kernel, text) for kind, kernel, text, _ in self.lines(case) if '"contract"' in text]
        best = None
        for kernel, pick in kernels:
            ask = os.path.join(self.options.folder, f"{case.name}.{kernel}.ask")
            with open(ask, "w", encoding="utf-8") as file:
                file.write(f"candidates {kernel} {self.options.device}\n")
            found = [(float(note.split()[0]), text) for kind, name, text, note
                     in self.lines(case, f"--schedule={ask}") if kind == "candidate" and name == kernel]
            os.remove(ask)
            expected = min(time for time, text in found if text == pick) if any(
                text == pick for _, text in found) else min(found)[0]
            if best is None or expected > best[1][0][0]:
                rest = sorted({item for item in found if item[1] != pick and
                               item[0] <= self.options.within * expected})
                more = [item for item in rest[self.options.most - 1:] if self.options.key + " = " in item[1]]
                best = kernel, [(expected, pick)] + rest[:self.options.most - 1] + more[:self.options.most]
        if best is None:
            raise self.strata.CompileError(1, "no contraction")
        return best

    def build(self, case, kernel, number, schedule):
        folder, name = self.options.folder, f"{case.name}__{number}"
        path = os.path.join(folder, name + ".schedule")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"schedule {kernel} {self.options.device} {schedule}\n")
        problem = None
        try:
            self.strata.compile_library(os.path.join(folder, case.name + ".mlir"), folder, name,
                                        self.arguments(case, f"--schedule={path}"))
        except (self.strata.CompileError, subprocess.TimeoutExpired) as error:
            problem = " ".join(str(error).split())
        for path in (path, *(os.path.join(folder, end) for end in (f"lib{name}.a", f"{name}.pc", f"{name}.h"))):
            if os.path.exists(path):
                os.remove(path)
        return problem

    def all(self, wanted):
        table = {}
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for case, (kernel, found) in zip(wanted, pool.map(self.candidates, wanted)):
                jobs = [pool.submit(self.build, case, kernel, i, text) for i, (_, text) in enumerate(found)]
                rows = [{"number": i, "expected": time, "schedule": text, "failed": job.result()}
                        for i, ((time, text), job) in enumerate(zip(found, jobs))]
                table[case.name] = rows
                print(f'{case.name:<44} {len(rows)} schedules, {sum(bool(row["failed"]) for row in rows)} failed',
                      flush=True)
        return table


def build(options):
    os.makedirs(options.folder, exist_ok=True)
    wanted, drawn = wanted_cases(options)
    for name, value in (("random.json", drawn), ("sweep.json", Builder(options).all(wanted))):
        with open(os.path.join(options.folder, name), "w", encoding="utf-8") as file:
            json.dump(value, file)


#===-- Measuring -----------------------------------------------------------------------------------------------------


def measure_case(bench, case, rows, options):
    """Adds "measured" to the rows, or "failed"; returns cuBLAS's time."""
    import measure

    count = measure.sets_of(case, bench.cache)
    sets = [[bench.drawn(*item) for item in case.inputs] for _ in range(count)]
    outputs = [[bench.poisoned(*item) for item in case.outputs] for _ in range(count)]
    want = bench.reference(case, sets[0])
    timers, libraries = {}, []
    for row in rows:
        if row["failed"]:
            continue
        library = bench.libraries.GpuLibrary(os.path.join(options.folder, f'lib{case.name}__{row["number"]}.so'))
        libraries.append(library)
        runs = [library.binding(inputs + results) for inputs, results in zip(sets, outputs)]
        for tensor in outputs[0]:
            tensor.fill_(float("nan") if tensor.is_floating_point() else -7)
        runs[0]()
        bench.torch.cuda.synchronize()
        error = bench.error(outputs[0], want)
        if not error <= max(measure.bar_of(case, dtype) for _, dtype in case.outputs):
            row["failed"] = f"wrong: {error:.1e}"
        timers[row["number"]] = bench.timing.ReplayTimer(runs)
    timers["eager"] = bench.timer("eager", case, sets)
    turns = bench.timing.in_rounds(timers, options.rounds, options.idle_ms * 1e-3)
    for row in rows:
        if row["number"] in timers:
            row["measured"] = statistics.median(turn[row["number"]] for turn in turns)
    for library in libraries:
        library.unload()
    return statistics.median(turn["eager"] for turn in turns)


def report(case, rows, eager, show_all):
    right = [row for row in rows if not row["failed"] and "measured" in row]
    bad = [row for row in rows if row["failed"]]
    if right:
        pick, best = rows[0] if "measured" in rows[0] else right[0], min(right, key=lambda row: row["measured"])
        print(f'{case.name:<38} cuBLAS {eager:7.1f}  pick {pick["measured"]:7.1f} ({pick["expected"]:7.1f}) '
              f'{brief(pick["schedule"]):<22} best {best["measured"]:7.1f} ({best["expected"]:7.1f}) '
              f'{brief(best["schedule"]):<22} loss {pick["measured"] / best["measured"]:.2f} '
              f'ratio {eager / best["measured"]:.2f}', flush=True)
    for row in sorted(right, key=lambda row: row["measured"]) if show_all else ():
        print(f'    {row["measured"]:7.1f} ({row["expected"]:7.1f}) {brief(row["schedule"])}')
    for row in bad:
        print(f'    FAILED {brief(row["schedule"])}: {row["failed"][:160]}')


def measure_all(options):
    import measure

    with open(os.path.join(options.folder, "sweep.json"), encoding="utf-8") as file:
        table = json.load(file)
    options.peers = ["eager"]
    bench = measure.Bench(options)
    print(f"{bench.name}; microseconds, expected ones in parentheses")
    wanted = {case.name: case for case in wanted_cases(options, options.folder)[0]}
    losses, ratios = [], []
    for name, rows in table.items():
        if name not in wanted:
            continue
        bench.timing.set_precision(wanted[name].precision)
        eager = measure_case(bench, wanted[name], rows, options)
        report(wanted[name], rows, eager, options.all)
        right = [row["measured"] for row in rows if not row["failed"]]
        if right and not rows[0]["failed"]:
            losses.append(rows[0]["measured"] / min(right))
            ratios.append(eager / rows[0]["measured"])
        bench.torch.cuda.empty_cache()
    if losses:
        print(f"the pick: {statistics.geometric_mean(losses):.3f} of the fastest's time, at most {max(losses):.2f}; "
              f"cuBLAS's over it {statistics.geometric_mean(ratios):.3f}, at least {min(ratios):.2f}; "
              f"{len(losses)} cases")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(table, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "measure"])
    parser.add_argument("folder")
    case_table.add_arguments(parser)
    parser.add_argument("--product", nargs="*", metavar="KIND_LETTERS_MxNxK", help="these products")
    parser.add_argument("--device", default="sm_90a")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--within", type=float, default=1.5, help="times the pick's expected time")
    parser.add_argument("--most", type=int, default=12, help="schedules of a case")
    parser.add_argument("--key", default="?", help="and as many more whose schedule has this key: stream, share, parts, swap")
    parser.add_argument("--all", action="store_true", help="print every schedule")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--idle-ms", type=float, default=15, help="pause in front of every batch")
    parser.add_argument("--json", help="write all times to this file")
    options = parser.parse_args()
    (build if options.what == "build" else measure_all)(options)


if __name__ == "__main__":
    main()
