#!/usr/bin/env python3
"""Seconds of first calls of torch_models.py's models, each in a process of its own in which nothing was compiled:
torch.compile with backend="strata", strata.compile of the module, torch.compile as it is, and dynamo alone.

    PYTHONPATH=tools/python STRATA_BIN=build/bin python3 tools/bench/gpu/first_calls.py [NAME...]

Imports of PyTorch, its dynamo and the models' libraries, a call of eager PyTorch before, and a second call are not
counted; what torch.compile imports and starts for its own compiler is. No cache is used. --lanes processes run at a
time, each on processors of its own.
"""
import argparse
import json
import os
import signal
import statistics
import sys
import tempfile
import time
import traceback
import warnings

import torch
import torch._dynamo  # noqa: F401 - all have it

import strata
import torch_models
from strata import torch_backend

KINDS = ("strata", "torch.compile", "dynamo")


def first_call(function, args, device):
    """The seconds of it beyond those of a second one, and its results."""
    seconds, results = torch_models.first_call(function, args, device)
    return seconds - torch_models.first_call(function, args, device)[0], results


def measured(kind, name, device):
    model, args = torch_models.made(name, 1, device, torch.float32)
    exact = [value.clone() for value in torch_models.leaves(model(*args))]
    if kind == "dynamo":
        return {"dynamo": first_call(torch.compile(model, backend=lambda graph, _: graph.forward), args, device)[0]}
    if kind == "torch.compile":
        torch.set_float32_matmul_precision("high")
        return {"torch.compile": first_call(torch.compile(model), args, device)[0]}
    options = {"target": "nvgpu" if device == "cuda" else "cpu", "strict_target": True}
    backend = torch_backend.Backend(strata.options.Options(options))
    seconds, results = first_call(torch.compile(model, backend=backend), args, device)
    own_seconds, own_results = first_call(strata.compile(model, **options), args, device)
    error = max(torch_models.error_of(each, exact) for each in (results, own_results))
    return {"strata": seconds, "strata.compile": own_seconds, "error": error}


def run(kind, name, processors, options, path):
    """In a process of its own."""
    os.sched_setaffinity(0, processors)
    torch.set_num_threads(len(processors))
    for variable in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
        os.environ[variable] = f"{path}.{variable}"
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        row = measured(kind, name, options.device)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(row, file)


def fork(*arguments):
    process = os.fork()
    if process:
        return process
    try:
        run(*arguments)
    except BaseException:  # the parent goes on
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def print_row(name, rows):
    row = {}
    for path in rows:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                row.update(json.load(file))
    cells = [f"{row[key]:.2f}" if key in row else "" for key in ("strata", "strata.compile", "torch.compile", "dynamo")]
    ratios = {key: row["torch.compile"] / row[key] for key in ("strata", "strata.compile")
              if key in row and "torch.compile" in row}
    cells += [f"{ratios[key]:.1f}" if key in ratios else "" for key in ("strata", "strata.compile")]
    print(f"| {name} | {' | '.join(cells)} | {row.get('error', float('nan')):.1e} |", flush=True)
    return ratios


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--lanes", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--seconds", type=float, default=3600, help="processes that still run then are ended")
    return parser.parse_args()


def main():
    options, begin = parsed(), time.monotonic()
    processors = sorted(os.sched_getaffinity(0))
    per_lane = max(1, len(processors) // options.lanes)
    names = list(torch_models.chosen(options.names))
    for library in {torch_models.MODELS[name][0] for name in names}:
        __import__(library)
    columns = ("model", "strata, s", "strata.compile, s", "torch.compile, s", "dynamo alone, s", "ratio",
               "ratio of strata.compile", "error")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [(kind, name, os.path.join(folder, f"{name}.{kind}")) for name in names
                for kind in options.kinds.split(",")]
        paths = {name: [path for _, other, path in jobs if other == name] for name in names}
        free = [processors[i * per_lane:(i + 1) * per_lane] for i in range(options.lanes)]
        running, failed = {}, 0
        while jobs or running:
            while jobs and free:
                kind, name, path = jobs.pop(0)
                lane = free.pop()
                running[fork(kind, name, lane, options, path)] = lane
            process, status = os.waitpid(-1, os.WNOHANG)
            if process:
                free.append(running.pop(process))
                failed += status != 0
            elif time.monotonic() - begin > options.seconds:
                for each in running:
                    os.kill(each, signal.SIGKILL)
                jobs.clear()
                time.sleep(0.1)
            else:
                time.sleep(0.02)
        ratios = [print_row(name, paths[name]) for name in names]
    for key in ("strata", "strata.compile"):
        values = [each[key] for each in ratios if key in each]
        if values:
            print(f"{key}: {statistics.geometric_mean(values):.2f} times as fast to compile, lowest {min(values):.2f}, "
                  f"of {len(values)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
