"""Random ONNX graphs against ONNX Runtime: graphs.py [--count N] [--seed S] [--modes cpu,exact,gpu] [--jobs J]

Graph k of seed S is always the same. What fails is shrunk and kept in --findings, with what was found, the model, its
inputs and the command to repeat it. Needs onnx and onnxruntime (PyPI), and numpy; docs/testing.md says how to run it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))

import numpy as np

import builder
import check
import gpu
import operators
import shrink

CHUNK = 10  # graphs a process


def keep(graph, mode, seed, finding, folder):
    path = os.path.join(folder, f"{seed}-{mode}")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "model.onnx"), "wb") as file:
        file.write(graph.model(finding.names))
    for i, name in enumerate(graph.inputs):
        np.save(os.path.join(path, f"in_{i}.npy"), graph.passed(name))
    with open(os.path.join(path, "finding.txt"), "w", encoding="utf-8") as file:
        file.write(f"{finding.kind}: {finding}\n{graph.describe()}\n"
                   f"strata model.onnx --aot --aot-name=m {' '.join(check.options(graph, mode))}\n"
                   f"{sys.executable} {__file__} --seed={seed} --count=1 --modes={mode}\n")


def report(graph, mode, seed, finding, arguments):
    if arguments.shrink:
        graph = shrink.shrink(graph, mode, seed, finding.kind)
        finding = check.finding_of(graph, mode, seed) or finding
    keep(graph, mode, seed, finding, arguments.findings)
    ops = [node.op for node in graph.nodes]
    return {"kind": finding.kind, "text": str(finding)[:300], "ops": ops}


def run_one(seed, arguments, kinds):
    """One line of results."""
    graph = builder.build(seed, kinds)
    result = {"seed": seed, "nodes": len(graph.nodes), "ops": sorted({node.op for node in graph.nodes}),
              "notes": [], "findings": {}, "seconds": {}}
    if not graph.nodes:
        return result
    judge = check.Judge(graph, seed)
    result["notes"] = judge.runtime_notes()
    result["compared"] = float(np.mean([each.compared() for each in judge.expected]))
    for mode in arguments.modes.split(","):
        start = time.monotonic()
        try:
            result["notes"] += check.check(graph, mode, judge)
        except check.Finding as finding:
            result["findings"][mode] = report(graph, mode, seed, finding, arguments)
        result["seconds"][mode] = round(time.monotonic() - start, 2)
    return result


def broken(seed, text):
    """The line of a graph that the checker itself failed at."""
    finding = {"kind": "checker", "text": text, "ops": []}
    return {"seed": seed, "nodes": 0, "ops": [], "notes": [], "findings": {"all": finding}}


def run_chunk(arguments):
    without = set(arguments.without.split(","))
    kinds = {name: entry for name, entry in operators.KINDS.items() if name not in without}
    gpu.use_stand_in()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        try:
            result = run_one(seed, arguments, kinds)
        except Exception as error:
            traceback.print_exc()
            result = broken(seed, repr(error))
        print(json.dumps(result), flush=True)


def start_chunk(seed, count, arguments):
    command = [sys.executable, __file__, "--chunk", f"--seed={seed}", f"--count={count}", f"--modes={arguments.modes}",
               f"--findings={arguments.findings}", f"--without={arguments.without}"]
    command += [] if arguments.shrink else ["--no-shrink"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        lines.append(broken(seed + len(lines), f"it ended with status {done.returncode}"))
    return lines


def show(result):
    for mode, finding in result["findings"].items():
        print(f"seed {result['seed']} {mode}: {finding['kind']}: {finding['text']}\n    {' '.join(finding['ops'])}",
              flush=True)
    for note in result["notes"]:
        if note != "no ONNX Runtime":
            print(f"seed {result['seed']}: note: {note}", flush=True)


def summary(results, arguments):
    ops = collections.Counter(op for result in results for op in result["ops"])
    kinds = collections.Counter(finding["kind"] for result in results for finding in result["findings"].values())
    by_runtime = sum("no ONNX Runtime" not in result["notes"] for result in results)
    print(f"{len(results)} graphs of {sum(result['nodes'] for result in results)} nodes of {len(ops)} ops from seed "
          f"{arguments.seed} in {arguments.modes}: {dict(kinds) or 'none wrong'}; {by_runtime} against ONNX Runtime; "
          f"{np.mean([result.get('compared', 1) for result in results]):.1%} of the elements compared")


def main(arguments):
    starts = range(arguments.seed, arguments.seed + arguments.count, CHUNK)
    results = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        chunks = [pool.submit(start_chunk, start, min(CHUNK, arguments.seed + arguments.count - start), arguments)
                  for start in starts]
        for chunk in concurrent.futures.as_completed(chunks):
            for result in chunk.result():
                show(result)
                results.append(result)
    summary(results, arguments)
    return 1 if any(result["findings"] for result in results) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("STRATA_FUZZ_SEED", 0)))
    parser.add_argument("--modes", default="cpu,exact")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--findings", default="findings")
    parser.add_argument("--without", default="", help="kinds of nodes left out, by their names in operators.py")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false")
    parser.add_argument("--chunk", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    sys.exit(run_chunk(chosen) if chosen.chunk else main(chosen))
