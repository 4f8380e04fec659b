#!/usr/bin/env python3
"""Cases of cases.py, and whole models, before and after tuning, on the GPU of this machine, where the compiler is, too.

    python3 tuned.py FOLDER [--group random_aligned,random_conv] [--seed N] [--count 200] [--models NET.onnx[@batch=32]...]

A model whose sizes vary, NET.onnx@batch=1..64@1,8,length=1..512@128, is timed at each choice of likely sizes.

Candidates of all are compiled by --jobs at a time and timed by strata-tune; then each is compiled with the results, and
those whose choices changed are timed beside the untuned library in turns, in one process, products beside eager PyTorch,
which calls cuBLAS. Of a case that keeps the model's choices the ratio is 1: it is the same library. Errors are against
float64, of models the difference between both. STRATA_BIN names the compiler's folder.
"""
import argparse
import concurrent.futures
import filecmp
import itertools
import math
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import cases as case_table
import strata

OPTIONS = ["--target=nvgpu", "--on-gpu-tensors", "--user-device-memory"]
ROUNDS = 3


class Job:
    """A graph to compile, before and after."""

    def __init__(self, name, path, options, case=None, sizes=(None,)):
        self.name, self.path, self.options, self.case = name, path, options, case
        self.sizes = sizes  # at which it is timed

    def path_of(self, folder, which):
        return os.path.join(folder, which, f"lib{self.name}.so")

    def compile(self, folder, which, *options):
        strata.compile_library(self.path, os.path.join(folder, which), self.name, [*OPTIONS, *self.options, *options])

    def export(self, folder, candidates, *options):
        strata.strata(self.path, *OPTIONS, *self.options, "--autotune=export", os.path.join(folder, candidates), *options)


def job_of_model(text):
    """NET.onnx@batch=32,length=128"""
    path, _, dims = text.partition("@")
    dims = re.split(r",(?=[A-Za-z_]\w*=)", dims) if dims else []
    name = "_".join([os.path.splitext(os.path.basename(path))[0], *(dim.partition("=")[2] for dim in dims)])
    likely = [[int(n) for n in dim.rpartition("@")[2].split(",")] for dim in dims if ".." in dim]
    return Job(re.sub(r"\W", "_", name), path, ["--weights=set", *(f"--dim={dim}" for dim in dims)],
               sizes=list(itertools.product(*likely)) if likely else [None])


def jobs_of(options):
    drawn = {"seed": options.seed, "count": options.count}
    jobs = []
    for case in case_table.all_cases(**drawn).values():
        if case.group in options.group.split(","):
            path = os.path.join(options.folder, case.name + ".mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(case.text)
            jobs.append(Job(case.name, path, case.options, case))
    return jobs + [job_of_model(text) for text in options.models]


def has_candidates(folder, candidates):
    with open(os.path.join(folder, candidates, "manifest.txtpb"), encoding="utf-8") as file:
        return "kernels {" in file.read()


def tune(folder, candidates, budget):
    """strata-tune's seconds."""
    start = time.perf_counter()
    subprocess.run([os.path.join(strata.BIN, "strata-tune"), os.path.join(folder, candidates), f"--budget={budget}",
                    f'--output={os.path.join(folder, "results.txtpb")}'], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def build(options, jobs):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def all_jobs(what, function, map_=pool.map):
            start = time.perf_counter()
            for job, error in zip(jobs, map_(lambda job: attempt(function, job), jobs)):
                if error:
                    print(f"{job.name}: {error}", flush=True)
            print(f"{what}: {time.perf_counter() - start:.1f} s", flush=True)

        all_jobs("untuned", lambda job: job.compile(options.folder, "untuned"))
        results = f'--load-autotune-results-from={os.path.join(options.folder, "results.txtpb")}'
        for i in range(ROUNDS):  # what there is only by tuned decisions is tuned behind them
            candidates = f"candidates{i}"
            all_jobs(candidates, lambda job: job.export(options.folder, candidates, *([results] if i else [])),
                     map)  # one behind the other: they share a manifest, and compile by --jobs each
            if not has_candidates(options.folder, candidates):
                break
            print(f"timed: {tune(options.folder, candidates, options.budget):.1f} s", flush=True)
        all_jobs("tuned", lambda job: job.compile(options.folder, "tuned", results))


def attempt(function, job):
    try:
        function(job)
        return None
    except (strata.CompileError, subprocess.SubprocessError) as error:
        return " ".join(str(error).split())[:200]


#===-- Times ---------------------------------------------------------------------------------------------------------


class Bench:
    def __init__(self, options):
        import torch

        import measure
        import timing

        self.options, self.torch, self.measure, self.timing = options, torch, measure, timing
        options.peers, options.check = ["eager"], False
        self.bench = measure.Bench(options)
        self.ratios, self.beside = {}, {}

    def case(self, job, is_same):
        bench, case = self.bench, job.case
        self.timing.set_precision(case.precision)
        sets = [[bench.drawn(*item) for item in case.inputs] for _ in range(self.measure.sets_of(case, bench.cache))]
        timers, result, alive = {}, {}, [sets]
        for which in ("tuned",) if is_same else ("untuned", "tuned"):
            library = bench.libraries.GpuLibrary(job.path_of(self.options.folder, which))
            outputs = [[bench.poisoned(*item) for item in case.outputs] for _ in sets]
            runs = [library.binding(inputs + results) for inputs, results in zip(sets, outputs)]
            bench.check(case, runs[0], sets[0], outputs[0], result)
            timers[which] = self.timing.ReplayTimer(runs)
            alive.append(runs)  # with their tensors: a graph has only their addresses
        if case.group != "random_conv":
            timers.update(bench.peers(case, sets, result))
        return timers, f'{result["error"]:.1e} {result["verdict"]}', alive

    def model(self, job, sizes):
        import numpy as np

        import open_models

        random, loaded = np.random.default_rng(1), {}
        path = {which: job.path_of(self.options.folder, which) for which in ("untuned", "tuned")}
        inputs = [self.torch.from_numpy(open_models.drawn(random, [n if n >= 0 else sizes[-1 - n] for n in info.dims()],
                                                          np.dtype(strata.DTYPES[info.dtype]))).cuda()
                  for info in strata.Library(path["tuned"]).inputs]
        timers, alive = {}, [inputs]
        for which in path:
            _, run, loaded[which] = open_models.loaded(path[which], sizes, inputs, self.torch, self.bench.libraries)
            run()
            timers[which] = self.timing.ReplayTimer([run])
            alive.append(run)
        self.torch.cuda.synchronize()
        return timers, f'{self.bench.error(loaded["tuned"], loaded["untuned"]):.1e}', [alive, loaded]

    def row(self, job, sizes):
        name = job.name + (" at " + "x".join(map(str, sizes)) if sizes else "")
        is_same = filecmp.cmp(*(job.path_of(self.options.folder, which) for which in ("untuned", "tuned")), shallow=False)
        if job.case is None and is_same:
            print(f"{name:<44} the same library", flush=True)
            return
        timers, error, _alive = self.case(job, is_same) if job.case else self.model(job, sizes)
        turns = self.timing.in_rounds(timers, self.options.rounds, self.options.idle_ms * 1e-3)
        took = {which: statistics.median(turn[which] for turn in turns) for which in timers}
        ratio = 1.0 if is_same else statistics.median(turn["untuned"] / turn["tuned"] for turn in turns)
        group = job.case.group if job.case else "models"
        self.ratios.setdefault(group, []).append((ratio, name))
        told = ""
        if "eager" in took:
            self.beside.setdefault(group, []).append((took["eager"] / took["tuned"], name))
            told = f'{took["eager"]:9.1f}{took["eager"] / took["tuned"]:7.2f}'
        print(f'{name:<44}{took.get("untuned", took["tuned"]):9.1f}{took["tuned"]:9.1f}{ratio:7.3f} {error}{told}', flush=True)

    def summary(self):
        for what, table in (("untuned over tuned", self.ratios), ("eager over tuned", self.beside)):
            for group, values in table.items():
                mean = math.exp(statistics.fmean(math.log(value) for value, _ in values))
                changed = sum(value != 1.0 for value, _ in values)
                print(f"{group}, {what}: {len(values)}, {changed} not 1, geometric mean {mean:.3f}, lowest "
                      f'{", ".join(f"{value:.3f} {name}" for value, name in sorted(values)[:4])}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--group", default="random_aligned,random_conv")
    parser.add_argument("--seed", type=int, default=case_table.SEED)
    parser.add_argument("--count", type=int, default=case_table.COUNT, help="of the products; of the convolutions a fifth")
    parser.add_argument("--models", nargs="*", default=[], metavar="NET.onnx[@DIM=N,...]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=int, default=120, help="seconds for strata-tune")
    parser.add_argument("--no-cases", action="store_true", help="models alone")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--idle-ms", type=float, default=5)
    options = parser.parse_args()
    for folder in ("untuned", "tuned"):
        os.makedirs(os.path.join(options.folder, folder), exist_ok=True)
    options.group = "" if options.no_cases else options.group
    jobs = jobs_of(options)
    build(options, jobs)
    bench = Bench(options)
    print(f'{bench.bench.name}\n{"case":<44}{"untuned":>9}{"tuned":>9}  ratio error       eager  ratio')
    with bench.torch.no_grad():
        for job in jobs:
            for sizes in job.sizes:
                if all(os.path.exists(job.path_of(options.folder, which)) for which in ("untuned", "tuned")):
                    bench.row(job, sizes)
    bench.summary()


if __name__ == "__main__":
    main()
