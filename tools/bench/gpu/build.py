"""Compiles the cases of cases.py into a folder that can be carried to a machine with a GPU.

    python3 build.py FOLDER [--group gemm,fused] [--only NAME ...] [--device sm_90a] [--jobs 8] [-- OPTION ...]

The libraries hold no weights. A case that does not compile leaves NAME.error, which measure.py reports in its row. There,
run `python3 measure.py FOLDER`. STRATA_BIN names the compiler's folder.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import cases as case_table
import strata


def remove(*paths):
    for path in paths:
        if os.path.exists(path):
            os.remove(path)


def build(case, folder, device, options):
    """Leaves the graph and lib<name>.so, or <name>.error."""
    at = os.path.join(folder, case.name)
    library = os.path.join(folder, f"lib{case.name}")
    remove(library + ".so", at + ".error")
    with open(at + ".mlir", "w", encoding="utf-8") as file:
        file.write(case.text)
    start = time.perf_counter()
    arguments = ["--target=nvgpu", f"--device={device}", "--on-gpu-tensors", "--user-device-memory", *case.options,
                 *options]
    problem = ""
    try:
        strata.compile_library(at + ".mlir", folder, case.name, arguments)
    except (strata.CompileError, subprocess.TimeoutExpired) as error:
        problem = " ".join(str(error).split())
        with open(at + ".error", "w", encoding="utf-8") as file:
            file.write(problem)
    remove(library + ".a", at + ".pc", at + ".h")
    return case.name, time.perf_counter() - start, problem


def main():
    own, options = strata.own_arguments()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    case_table.add_arguments(parser)
    parser.add_argument("--device", default="sm_90a")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parsed = parser.parse_args(own)
    os.makedirs(parsed.folder, exist_ok=True)
    wanted, drawn = case_table.chosen(parsed)
    with open(os.path.join(parsed.folder, "random.json"), "w", encoding="utf-8") as file:
        json.dump(drawn, file)
    print(f'random products: seed {drawn["seed"]}')
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(parsed.jobs) as pool:
        for name, seconds, problem in pool.map(lambda case: build(case, parsed.folder, parsed.device, options), wanted):
            print(f"{name:<44} {seconds:6.2f} s {problem}", flush=True)
            failed += bool(problem)
    print(f"{len(wanted) - failed} compiled, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
