"""What fusion leaves in memory: in BERT no buffer is written by one kernel and read elementwise by one other, for then
they would have been one kernel. And fusion changes neither results nor makes more kernels.

A read is elementwise if each element is read at one point of a nest, outside of reductions. @prepare is not counted. A
kernel without a vector form (schedule "scalar") can take in no other and join none: BERT has one, which gathers the
rows of the embedding.
"""
import os
import re
import sys

import numpy as np

import materialise
import strata

MODELS = os.environ.get("STRATA_MODELS", os.path.join(strata.BIN, "..", "models"))
MODEL = "bert_base_s128"
APART = "--polyblocks-disable-affine-fusion"
# On the cpu, in fast arithmetic as well: products and sums that meet in one kernel stay two roundings. Twelve layers of
# attention that divide behind their second product instead of in front of it add a little to that (1.2e-6).
TOLERANCE = 2e-6

ARGUMENT = re.compile(r"(%\w+): memref<")
ACCESS = re.compile(r"(affine|memref)\.(load|store) (?:%\w+, )?(%\w+)\[(.*?)\] :")


class Kernel:
    """How a private function of level 2 uses its arguments: |stores|, |reads|, and those of |reads| that are not
    elementwise, |repeats|; all positions of arguments."""

    def __init__(self, head, body):
        arguments = ARGUMENT.findall(head)
        # Scalar code, and rows found by numbers in memory, join no other nests.
        self.is_scalar = 'kind = "scalar"' in head or any("memref.load" in line for line in body)
        self.stores, self.reads, self.repeats = set(), set(), set()
        dims, in_reduction = [], 0
        for line in body:
            if "affine.parallel" in line:
                dims, in_reduction = re.findall(r"%\w+", line.split("=")[0]), 0
            elif "affine.for" in line or "scf." in line:
                in_reduction += 1
            elif in_reduction and re.match(r" *affine\.yield|  *scf\.yield", line):
                in_reduction -= 1
            for dialect, what, buffer, subscripts in ACCESS.findall(line):
                if buffer not in arguments:
                    continue
                position = arguments.index(buffer)
                if what == "store":
                    self.stores.add(position)
                    continue
                self.reads.add(position)
                if in_reduction or dialect == "memref" or not set(dims) <= set(re.findall(r"%\w+", subscripts)):
                    self.repeats.add(position)


def functions(text):
    """(name, head, body lines) of each function of a module."""
    for match in re.finditer(r"^  func\.func (?:private )?@(\w+)(.*)\{\n((?:    .*\n)*)  \}$", text, re.MULTILINE):
        yield match[1], match[2], match[3].splitlines()


def uses_of(main, kernels):
    """By buffer of @main: (call, kernel, position) of each use."""
    origin, uses = {}, {}
    for call, line in enumerate(main):
        if match := re.match(r" *(%\w+) = memref\.alloc\(\)", line):
            origin[match[1]] = match[1]
        elif match := re.match(r" *(%\w+) = memref\.\w+ (%\w+) ", line):
            origin[match[1]] = origin.get(match[2])
        elif match := re.match(r" *(?:func\.)?call @(\w+)\((.*?)\)", line):
            for position, value in enumerate(re.findall(r"%\w+", match[2])):
                if origin.get(value):
                    uses.setdefault(origin[value], []).append((call, kernels[match[1]], match[1], position))
    return uses


def needless(text):
    """The buffers that fusion should have made private, (buffer, writer, reader), those that it could not because of a
    scalar kernel, and the number of all."""
    found, scalar, kernels, main = [], [], {}, []
    for name, head, body in functions(text):
        if name == "main":
            main = body
        else:
            kernels[name] = Kernel(head, body)
    uses = uses_of(main, kernels)
    assert uses, "no buffers in @main"
    for buffer, of_buffer in uses.items():
        writers = {(call, name) for call, kernel, name, position in of_buffer if position in kernel.stores}
        readers = {(call, name) for call, kernel, name, position in of_buffer if position in kernel.reads}
        repeats = any(position in kernel.repeats for _, kernel, _, position in of_buffer)
        is_scalar = any(kernel.is_scalar for _, kernel, _, _ in of_buffer)
        if len(writers) == 1 and len(readers) == 1 and writers != readers and not repeats:
            names = [name for pair in (writers, readers) for _, name in pair]
            (scalar if is_scalar else found).append((buffer, *names))
    return found, scalar, len(uses)


def check_buffers(graph):
    fused, scalar, n_fused = needless(strata.strata(graph, "--compile-to=affine"))
    apart, _, n_apart = needless(strata.strata(graph, "--compile-to=affine", APART))
    print(f"{n_fused} buffers fused, {n_apart} apart; needless: {len(fused)} and {len(apart)}; scalar: {len(scalar)}",
          flush=True)
    for buffer, writer, reader in fused:
        print(f"  {buffer} is written by {writer} and read elementwise by {reader} only")
    assert not fused
    assert len(scalar) <= 1, scalar
    assert len(apart) > 100, "the check sees nothing"


def check_results(graph, inputs):
    results, launches = [], []
    for name, options in (("fused", []), ("apart", [APART])):
        path, _ = strata.compile_library(graph, ".", name, options)
        library = strata.Library(path)
        launches.append(len(library.launches))
        results.append([output.astype(np.float64) for output in library.run(inputs)])
        for suffix in ("so", "a"):  # with a copy of the weights each
            os.remove(f"lib{name}.{suffix}")
    errors = [np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in zip(*results)]
    print(f"launches: {launches[0]} fused, {launches[1]} apart; relative difference {max(errors):.1e}")
    assert launches[0] < launches[1]
    assert max(errors) <= TOLERANCE


if __name__ == "__main__":
    model = sys.argv[1] if len(sys.argv) > 1 else MODEL
    path = materialise.materialise(model, MODELS)
    check_buffers(path)
    check_results(path, list(materialise.inputs(model).values()))
