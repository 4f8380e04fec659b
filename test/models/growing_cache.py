"""A decoder with a cache, as optimum exports them, whose past grows step by step in one process, beside ONNX Runtime:

    venv/bin/python test/models/growing_cache.py MODEL.onnx [--steps 200] [--batch 1] [--timed 1,50,199] [-- OPTION ...]

Each step takes a token, the mask of all so far and what the step before gave as present. At the lengths --timed a
library for these sizes alone is timed in turns with one for all. With --room N past and present are one memory of N
tokens (--alias), in which a step writes its own. Needs onnx and onnxruntime (PyPI) and numpy.
"""
import argparse
import os
import re
import statistics
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import strata  # noqa: E402
from open_sizes import difference  # noqa: E402

PAST = re.compile(r"past_key_values?\.(.*)|past_(.*)")


class Decoder:
    def __init__(self, path, batch):
        self.graph, self.batch = onnx.load(path, load_external_data=False).graph, batch
        weights = {tensor.name for tensor in self.graph.initializer}
        self.inputs = [value for value in self.graph.input if value.name not in weights]
        self.outputs = [value.name for value in self.graph.output]

    def cache(self):
        """An empty past, by input."""
        found = {}
        for value in self.inputs:
            if PAST.match(value.name):
                dims = [self.batch if "batch" in dim.dim_param else dim.dim_value for dim in value.type.tensor_type.shape.dim]
                found[value.name] = np.zeros(dims, helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
        return found

    def place_of(self, name):
        """The past that result |name| is with what is new behind it; None of other results."""
        present = re.fullmatch(r"present(?:_key_values)?\.?(.+)", name)
        return present and next(value.name for value in self.inputs
                                if (past := PAST.fullmatch(value.name)) and present[1] in past.groups())

    def in_place(self, room):
        """Options: present lies where past does, with room for so many tokens."""
        pasts = {result: self.place_of(result) for result in self.outputs if self.place_of(result)}
        lengths = {next(dim.dim_param for dim in value.type.tensor_type.shape.dim if "past" in dim.dim_param)
                   for value in self.inputs if value.name in pasts.values()}
        return [*(f"--alias={result}={past}" for result, past in pasts.items()),
                *(f"--dim={length}=0..{room - 1}" for length in lengths)]

    def feeds(self, past, cache, rng):
        fed = {}
        for value in self.inputs:
            kind = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
            if value.name in cache:
                fed[value.name] = cache[value.name]
            elif "mask" in value.name:
                fed[value.name] = np.ones((self.batch, past + 1), kind)
            elif "position" in value.name:
                fed[value.name] = np.full((self.batch, 1), past, kind)
            else:
                fed[value.name] = rng.integers(0, 200, (self.batch, 1)).astype(kind)
        return fed

    def grown(self, cache, results):
        """The cache of the next step, of what a step gave."""
        present = {re.sub(r"^present(_key_values)?\.?", "", name): value for name, value in zip(self.outputs, results)}
        return {name: present[next(part for part in PAST.match(name).groups() if part)] for name in cache}


class Placed:
    """A library whose caches have room for all tokens and stay where they are."""

    def __init__(self, decoder, library, room):
        self.decoder, self.library, self.caches = decoder, library, {}
        for name, empty in decoder.cache().items():
            self.caches[name] = strata.aligned([room if size == 0 else size for size in empty.shape], empty.dtype)
            self.caches[name].fill(np.nan)

    def sizes(self, past):
        names = (self.library.description.dims[i].decode() for i in range(self.library.description.n_dims))
        return [past if "past" in name else self.decoder.batch if "batch" in name else 1 for name in names]

    def step(self, fed, past):
        """Its results, of caches what has been written so far."""
        sizes, places = self.sizes(past), [self.decoder.place_of(name) for name in self.decoder.outputs]
        inputs = [self.caches.get(name, value) for name, value in fed.items()]
        results = [self.caches[place] if place else
                   strata.aligned(self.library.output_shape(i, sizes), strata.DTYPES[self.library.outputs[i].dtype])
                   for i, place in enumerate(places)]
        self.library.call([np.ascontiguousarray(tensor) for tensor in [*inputs, *results]], sizes)
        return [result[:, :, :past + 1] if place else result for result, place in zip(results, places)]


def session_of(path):
    """ONNX Runtime's, on the cpu."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def timed(library, inputs, clock, rounds=15):
    """A function that gives the milliseconds of a call."""
    run, outputs = library.bind(inputs, library.sizes_of([x.shape for x in inputs]))

    def once(calls=5, _keep_alive=outputs):
        begin = clock()
        for _ in range(calls):
            run()
        return (clock() - begin) / calls * 1e3
    once(rounds)
    return once


def beside_static(arguments, library, inputs, folder):
    """What a library for the sizes of |inputs| alone takes, and one for all, which is |library| once more: copies of one
    that were written at other times differ by a tenth, by where their weights lie in memory."""
    names = [library.description.dims[i].decode() for i in range(library.description.n_dims)]
    sizes = library.sizes_of([x.shape for x in inputs])
    dims = [f"--dim={name}={size}" for name, size in zip(names, sizes)]
    both = [strata.compile_library(arguments.model, folder, f"{name}_{sizes[-1]}_{len(os.listdir(folder))}",
                                   [*more, *arguments.options])[0]
            for name, more in (("static", dims), ("varying", []))]
    timers = [timed(strata.Library(path), inputs, arguments.clock) for path in both]
    rounds = [[timer() for timer in (timers if i % 2 else timers[::-1])][::1 if i % 2 else -1] for i in range(31)]
    return [statistics.median(column) for column in zip(*rounds)]


def main(arguments):
    decoder, rng, bad, worst = Decoder(arguments.model, arguments.batch), np.random.default_rng(26), 0, 0
    session = session_of(arguments.model)
    with tempfile.TemporaryDirectory() as folder:
        options = arguments.options + (decoder.in_place(arguments.room) if arguments.room else [])
        library = strata.Library(strata.compile_library(arguments.model, folder, "growing", options)[0])
        placed = Placed(decoder, library, arguments.room) if arguments.room else None
        cache, exact = decoder.cache(), decoder.cache()
        for past in range(arguments.steps):
            fed = decoder.feeds(past, cache, rng)
            inputs = list(fed.values())
            got = placed.step(fed, past) if placed else library.run(inputs, library.sizes_of([x.shape for x in inputs]))
            wanted = session.run(None, {**fed, **exact})
            error = max(map(difference, got, wanted))
            bad, worst = bad + (not error < arguments.error), max(worst, error)
            cache, exact = decoder.grown(cache, map(np.array, got)), decoder.grown(exact, wanted)
            if past in arguments.timed:
                static, varying = beside_static(arguments, library, inputs, folder)
                print(f"past {past}: static {static:.3f} ms, varying {varying:.3f}, {static / varying:.3f}", flush=True)
    print(f"{os.path.basename(arguments.model)}: {arguments.steps} steps, {bad} wrong, at most {worst:.1e}")
    return bad


def parser_of(text):
    """With a model, as each script of caches has."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("model")
    return parser


def run(parser, function):
    """Ends the process with what |function| says of the arguments, behind which are the compiler's options."""
    own, rest = strata.own_arguments()
    parsed = parser.parse_args(own)
    parsed.options = rest
    sys.exit(min(function(parsed), 100))


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--error", type=float, default=1e-4)
    parser.add_argument("--room", type=int, default=0, help="tokens of caches that are written in place")
    parser.add_argument("--timed", type=lambda text: [int(n) for n in text.split(",") if n], default=[])
    parser.add_argument("--processor", dest="clock", action="store_const", const=time.process_time, default=time.perf_counter,
                        help="time the processor's seconds, for --threads=1 where others keep the machine busy")
    run(parser, main)
