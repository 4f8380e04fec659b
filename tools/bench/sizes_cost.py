"""What sizes that vary cost at compile time: each model for all sizes beside the same for one choice of them.

    python3 tools/bench/sizes_cost.py [--target cpu] [--device sm_90a] [--jobs N] [--dim NAME=N ...] MODEL.onnx ...

Prints a row a model: the library in KiB without its weights, the seconds that compiling took, and those of processors,
of the compiler and what it starts; each the least of two runs. --jobs is how many kernels are compiled at a time, all
processors unless given. The one choice is what --dim says, else the recipe beside the model (MODEL.json, "dims"), else
the likely size in the middle. The models of test/models are opened by test/models/open_sizes.py --write.
"""
import argparse
import collections
import json
import os
import resource
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "support"))
import strata  # noqa: E402

MOST, RUNS = 2.5, 2

# size: of the library, in bytes. seconds: elapsed. processors: their seconds. sizes: those that vary, of a likely call.
Cost = collections.namedtuple("Cost", "size seconds processors sizes")


def used_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compiled_once(path, name, options):
    with tempfile.TemporaryDirectory() as folder:
        used, begin = used_seconds(), time.monotonic()
        library, _ = strata.compile_library(path, folder, name, ["--weights=file", *options])
        return Cost(os.path.getsize(library), time.monotonic() - begin, used_seconds() - used, sizes_of(library))


def compiled(path, name, options):
    """A Cost, the least of a few runs."""
    runs = [compiled_once(path, name, options) for _ in range(RUNS)]
    return runs[0]._replace(seconds=min(run.seconds for run in runs), processors=min(run.processors for run in runs))


def sizes_of(library):
    """The library's sizes, with the one in the middle of what is likely of each."""
    description, found = strata.Library(library).description, {}
    for i in range(description.n_dims):
        info = description.dim_infos[i].contents
        likely = [info.likely[j] for j in range(info.n_likely)] or [max(info.min, info.multiple)]
        found[info.name.decode()] = likely[len(likely) // 2]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--device")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N")
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    options = ["--target=" + arguments.target, f"--jobs={arguments.jobs}"]
    options += [f"--device={arguments.device}"] * (arguments.device is not None)
    given, bad = dict(each.rsplit("=", 1) for each in arguments.dim), 0
    print("| model | static KiB | varying | ratio | static s | varying | ratio | of processors |")
    print("|---|---|---|---|---|---|---|---|")
    for path in arguments.models:
        name = os.path.splitext(os.path.basename(path))[0]
        recipe = os.path.splitext(path)[0] + ".json"
        known = {}
        if os.path.exists(recipe):
            with open(recipe, encoding="utf-8") as file:
                known = json.load(file).get("dims", {})
        try:
            varying = compiled(path, "varying", options)
            if not varying.sizes:
                print(f"| {name} | no size varies |", flush=True)
                continue
            dims = [f"--dim={size}={given.get(size, known.get(size, n))}" for size, n in varying.sizes.items()]
            fixed = compiled(path, "fixed", options + dims)
        except strata.CompileError as error:
            print(f"| {name} | {str(error).splitlines()[-1][:80]} |", flush=True)
            continue
        bad += varying.size > MOST * fixed.size or varying.seconds > MOST * fixed.seconds
        print(f"| {name} | {fixed.size / 1024:.0f} | {varying.size / 1024:.0f} | {varying.size / fixed.size:.2f} | "
              f"{fixed.seconds:.2f} | {varying.seconds:.2f} | {varying.seconds / fixed.seconds:.2f} | "
              f"{varying.processors / fixed.processors:.2f} |", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
