"""What sizes that vary cost at compile time: each model for all sizes beside the same for one choice of them.

    python3 tools/bench/sizes_cost.py [--target cpu] [--device sm_90a] [--dim NAME=N ...] MODEL.onnx ...

Prints a row a model: the library in KiB without its weights, and the seconds of processors that compiling took, of the
compiler, which has one thread, and what it starts. The one choice is what --dim says, else the recipe beside the model (MODEL.json, "dims"),
else the likely size in the middle. The models of test/models are opened by test/models/open_sizes.py --write.
"""
import argparse
import json
import os
import resource
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "support"))
import strata  # noqa: E402

MOST = 2.5


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compiled(path, name, options):
    """The library's path, its bytes, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        begin = seconds()
        library, _ = strata.compile_library(path, folder, name, ["--weights=file", "--jobs=1", *options])
        took = seconds() - begin
        return os.path.getsize(library), took, sizes_of(library)


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
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N")
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    options = ["--target=" + arguments.target] + [f"--device={arguments.device}"] * (arguments.device is not None)
    given, bad = dict(each.rsplit("=", 1) for each in arguments.dim), 0
    print("| model | static KiB | varying | ratio | static s | varying | ratio |\n|---|---|---|---|---|---|---|")
    for path in arguments.models:
        name = os.path.splitext(os.path.basename(path))[0]
        recipe = os.path.splitext(path)[0] + ".json"
        known = {}
        if os.path.exists(recipe):
            with open(recipe, encoding="utf-8") as file:
                known = json.load(file).get("dims", {})
        try:
            size, took, sizes = compiled(path, "varying", options)
            if not sizes:
                print(f"| {name} | no size varies |", flush=True)
                continue
            dims = [f"--dim={size}={given.get(size, known.get(size, n))}" for size, n in sizes.items()]
            one_size, one_took, _ = compiled(path, "fixed", options + dims)
        except strata.CompileError as error:
            print(f"| {name} | {str(error).splitlines()[-1][:80]} |", flush=True)
            continue
        bad += size > MOST * one_size or took > MOST * one_took
        print(f"| {name} | {one_size / 1024:.0f} | {size / 1024:.0f} | {size / one_size:.2f} | "
              f"{one_took:.1f} | {took:.1f} | {took / one_took:.2f} |", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
