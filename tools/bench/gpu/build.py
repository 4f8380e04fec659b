"""Compiles the cases of cases.py into a folder that can be carried to a machine with a GPU.

    python3 build.py FOLDER [--group mem] [--only NAME ...] [--device sm_90a] [-- OPTION ...]

The libraries hold no weights. There, run `python3 measure.py FOLDER`. STRATA_BIN names the compiler's folder.
"""
import argparse
import concurrent.futures
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import cases as case_table
import strata


def build(case, folder, device, options):
    source = os.path.join(folder, case.name + ".mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(case.text)
    start = time.perf_counter()
    arguments = ["--target=nvgpu", f"--device={device}", "--on-gpu-tensors", "--user-device-memory", *case.options,
                 *options]
    try:
        strata.compile_library(source, folder, case.name, arguments)
        problem = ""
    except strata.CompileError as error:
        problem = str(error).strip()
    for suffix in (".a", ".pc", ".h"):
        path = os.path.join(folder, ("lib" if suffix == ".a" else "") + case.name + suffix)
        if os.path.exists(path):
            os.remove(path)
    return case.name, time.perf_counter() - start, problem


def main():
    own, _, options = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--group", default=None)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--device", default="sm_90a")
    parsed = parser.parse_args(own.split())
    os.makedirs(parsed.folder, exist_ok=True)
    wanted = [case for case in case_table.all_cases().values()
              if (case.name in parsed.only if parsed.only else parsed.group in (None, case.group))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, seconds, problem in pool.map(lambda case: build(case, parsed.folder, parsed.device, options.split()),
                                               wanted):
            print(f"{name:<44} {seconds:6.2f} s {problem}", flush=True)
            failed += bool(problem)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
