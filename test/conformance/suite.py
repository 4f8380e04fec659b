"""Modules of the strata dialect with what they must compute: built, compiled by `strata`, run and compared.

A Job is one module. It runs in a child process of its own, since a miscompiled kernel may crash. The seed of every run
is new and printed; STRATA_SEED=N repeats one. With STRATA_RUN_UNDER see under.py.
"""
import argparse
import collections
import functools
import os
import re
import sys
import zlib

import numpy as np

import children
import execute
import formats
import strata
import tables
import under

STRICT = ("--mlir-disable-fast-math",)
FAST = ()
FUSED = ()
UNFUSED = ("--polyblocks-disable-affine-fusion",)

TARGET = os.environ.get("STRATA_TARGET", "cpu")

# With fast math GPUs may give 0 for an exponential below the normal numbers of f32: docs/gpu.md.
FLUSHED = ("exp", "exp2") if TARGET != "cpu" else ()

# With fast math, and in composites, an op may err by so many units in the last place of the type it is computed in.
FAST_ULPS = 16


def exact_products(*types):
    """Options without which a GPU rounds operands of these types for its matrix instructions."""
    return ("--polyblocks-gpu-no-tensor-core",) if TARGET != "cpu" and "f32" in types else ()


Value = collections.namedtuple("Value", "name type shape")

# |op| and |type| say what is tested; |error| is the measured one in units in the last place, |failure| None or a text.
Result = collections.namedtuple("Result", "op type error failure")


# -- what is expected -------------------------------------------------------------------------------------------------

def describe(index, shape, rows):
    where = ", ".join(map(str, np.unravel_index(index, shape)))
    return f"element ({where}): " + ", ".join(f"{key} {value}" for key, value in rows.items())


class Exactly:
    """The number itself; any NaN is as good as another, and either zero unless they are told apart."""

    def __init__(self, numbers, inputs=(), signed_zero=True):
        self.numbers, self.inputs, self.signed_zero = np.asarray(numbers), inputs, signed_zero

    def measure(self, got):
        same = got == self.numbers
        if self.numbers.dtype.kind == "f":
            if self.signed_zero:
                same &= np.signbit(got) == np.signbit(self.numbers)
            same |= np.isnan(got) & np.isnan(self.numbers)
        return np.where(same, 0, np.inf), np.zeros(())

    def expected(self, index):
        return self.numbers.ravel()[index]


class Within:
    """So many units in the last place from the exact |numbers|, in the type that |type_name| is computed in; and half a
    unit of the type itself where that is another. |size|: the numbers whose units count, where not the result's own (a
    sum is as exact as its largest parts); |unit_type|: the type that has the units. Zero has its sign unless the result
    is a sum. |flushed|: below the normal numbers it may be zero."""

    def __init__(self, type_name, numbers, ulps, size=None, unit_type=None, inputs=(), signed_zero=True, flushed=False):
        self.type, self.inputs, self.signed_zero = type_name, inputs, signed_zero
        self.unit_type = unit_type or tables.math_type(type_name)
        self.flushed_below = formats.REAL(2) ** formats.least_exponent(self.unit_type) if flushed else 0
        self.numbers = np.asarray(numbers, formats.REAL)
        self.ulps = np.broadcast_to(np.asarray(ulps, formats.REAL), self.numbers.shape)
        self.size = self.numbers if size is None else np.asarray(size, formats.REAL)

    def _finite(self, x):
        most = formats.overflowing(self.type)
        return np.clip(x, -most, most)

    def measure(self, got):
        got = got.astype(formats.REAL)
        if not formats.FLOATS[self.type].has_infinity:  # an overflow is NaN
            overflow = np.isnan(got) & (np.abs(self.numbers) > formats.largest(self.type))
            got = np.where(overflow, np.copysign(formats.overflowing(self.type), self.numbers), got)
        distance = np.abs(self._finite(got) - self._finite(self.numbers))
        if tables.math_type(self.type) != self.type:
            distance = np.maximum(distance - formats.spacing(self.type, self.numbers) / 2, 0)
        error = distance / formats.spacing(self.unit_type, self.size)
        exact = ~np.isfinite(self.numbers)
        error = np.where(exact, np.where(got == self.numbers, 0, np.inf), error)
        error = np.where(np.isnan(got) | np.isnan(self.numbers),
                         np.where(np.isnan(got) & np.isnan(self.numbers), 0, np.inf), error)
        if self.signed_zero:
            error = np.where((got == 0) & (np.signbit(got) != np.signbit(self.numbers)), np.inf, error)
        error = np.where((got == 0) & (np.abs(self.numbers) < self.flushed_below), 0, error)
        return error, self.ulps

    def expected(self, index):
        return f"{float(self.numbers.ravel()[index])!r} within {float(self.ulps.ravel()[index]):.3g} ulp"


def judge(op, type_name, shape, check, got):
    error, allowed = check.measure(got)
    error = np.broadcast_to(error, shape).ravel()
    worst = float(error.max(initial=0))
    bad = np.flatnonzero(error > np.broadcast_to(allowed, shape).ravel())
    if bad.size == 0:
        return Result(op, type_name, worst, None)
    index = bad[np.argmax(error[bad])]
    rows = {"got": got.ravel()[index], "expected": check.expected(index), "error": f"{error[index]:.4g} ulp"}
    if check.inputs:
        rows["of"] = [x.ravel()[index] for x in check.inputs]
    return Result(op, type_name, worst, f"{bad.size} of {error.size} wrong; {describe(index, shape, rows)}")


# -- modules ----------------------------------------------------------------------------------------------------------

def tensor_type(type_name, shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{type_name}>"


def names_of(values):
    return ", ".join(value.name for value in values)


def types_of(values):
    return ", ".join(tensor_type(value.type, value.shape) for value in values)


def attribute(kind, value):
    """A Python value as an attribute of a kind of the column "attrs"."""
    if kind in ("i64s", "dims"):
        return "array<i64" + (": " if len(value) else "") + ", ".join(map(str, value)) + ">"
    if kind == "maps":
        return "[" + ", ".join(f"affine_map<{text}>" for text in value) + "]"
    if kind == "bool":
        return str(value).lower()
    text = {"i64": "{} : i64", "f64": "{:.17e} : f64", "string": '"{}"', "map": "affine_map<{}>"}.get(kind, "{}")
    return text.format(value)


def dense(type_name, numbers):
    """The elements of a constant, bit for bit."""
    numbers = np.asarray(numbers)
    if type_name in ("i1", "i4"):
        return str(numbers.astype(int).tolist()) if numbers.size else ""
    return '"0x' + formats.encode(type_name, numbers).hex() + '"' if numbers.size else ""


class Module:
    """Ops are appended by op(); what they must compute is said by output()."""

    def __init__(self, options=(), constant_inputs=False):
        self.fast = STRICT[0] not in options
        self.constant_inputs = constant_inputs
        self.lines, self.inputs, self.outputs = [], [], []
        self._known, self._n_values = {}, 0

    def allowed(self, ulps):
        """The error allowed to an op whose row says |ulps|."""
        return max(ulps, FAST_ULPS) if self.fast else ulps

    def may_flush(self, op_name, type_name):
        return self.fast and op_name in FLUSHED and tables.math_type(type_name) == "f32"

    def input(self, type_name, numbers):
        """An argument (or a constant); the same array is the same argument."""
        key = type_name, id(numbers)
        if key not in self._known:
            self._known[key] = self._new_input(type_name, numbers)
        return self._known[key][0]

    def _new_input(self, type_name, numbers):
        if self.constant_inputs:
            return self.constant(type_name, numbers), numbers
        value = Value(f"%x{len(self.inputs)}", type_name, np.shape(numbers))
        self.inputs.append((value, numbers))
        return value, numbers

    def constant(self, type_name, numbers):
        value = self._new_value(type_name, np.shape(numbers))
        kind = tensor_type(type_name, value.shape)
        self.lines.append(f'{value.name} = "strata.constant"() {{value = dense<{dense(type_name, numbers)}> : {kind}}} '
                          f": () -> {kind}")
        return value

    def _new_value(self, type_name, shape):
        self._n_values += 1
        return Value(f"%v{self._n_values}", type_name, tuple(shape))

    def op(self, name, operands, type_name, shape, **attrs):
        """The result of a primitive or composite."""
        return self.op_with_results(name, operands, [(type_name, shape)], **attrs)[0]

    def op_with_results(self, name, operands, results, **attrs):
        kinds = (tables.OPS.get(name) or tables.COMPOSITES[name]).attrs
        values = [self._new_value(type_name, shape) for type_name, shape in results]
        written = ", ".join(f"{key} = {attribute(kinds[key], value)}" for key, value in attrs.items())
        self.lines.append(f'{names_of(values)} = "strata.{name}"({names_of(operands)}) {{{written}}} : '
                          f"({types_of(operands)}) -> ({types_of(values)})")
        return values

    def output(self, value, check, op, type_name=None):
        """|value| must satisfy |check|; it is reported as of |op| on |type_name|, by default the value's."""
        self.outputs.append((value, check, op, type_name or value.type))

    def input_bytes(self):
        return [formats.encode(value.type, numbers) for value, numbers in self.inputs]

    def judge(self, outputs):
        """The results, given the bytes of the outputs."""
        return [judge(op, type_name, v.shape, check, formats.decode(v.type, data, v.shape))
                for (v, check, op, type_name), data in zip(self.outputs, outputs)]

    def failed(self, text):
        return [Result(op, type_name, 0, text.strip()[:500]) for _, _, op, type_name in self.outputs]

    def text(self):
        arguments = ", ".join(f'{v.name}: {tensor_type(*v[1:])} {{strata.name = "{v.name[1:]}"}}'
                              for v, _ in self.inputs)
        returned = [v for v, _, _, _ in self.outputs]
        results = ", ".join(f'{tensor_type(*v[1:])} {{strata.name = "y{i}"}}' for i, v in enumerate(returned))
        body = "\n  ".join(self.lines)
        returned = f"return {names_of(returned)} : {types_of(returned)}" if returned else "return"
        return f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n  {returned}\n}}\n"


# -- running ----------------------------------------------------------------------------------------------------------

class Job:
    """A module of several cases: functions that add ops and outputs to a Module. |make|, given a random generator,
    makes the cases; it is called in the child process."""

    def __init__(self, name, make, options=(), constant_inputs=False):
        self.name, self.make, self.options, self.constant_inputs = name, make, options, constant_inputs

    def folder(self):
        return os.path.abspath(re.sub(r"\W+", "_", self.name))

    def cases(self, seed):
        return self.make(np.random.default_rng([seed, zlib.crc32(self.name.encode())]))

    def module(self, cases):
        module = Module(self.options, self.constant_inputs)
        for case in cases:
            case(module)
        return module

    def compile(self, module, folder):
        path = os.path.join(folder, "module.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(module.text())
        on_device = ("--on-gpu-tensors",) if under.COMMAND and TARGET != "cpu" else ()
        return strata.compile_library(path, folder, options=(*self.options, *on_device))[0]

    def _judged(self, module, folder):
        return module.judge(execute.run(strata.Library(self.compile(module, folder)), module.input_bytes()))

    def results(self, seed):
        cases = self.cases(seed)
        try:
            return self._judged(self.module(cases), self.folder())
        except (strata.CompileError, RuntimeError, AssertionError):
            return [r for i, case in enumerate(cases) for r in self._alone(case, os.path.join(self.folder(), str(i)))]

    def _alone(self, case, folder):
        """A module that does not work is taken apart, to see which of its ops do not."""
        os.makedirs(folder, exist_ok=True)
        module = self.module([case])
        try:
            return self._judged(module, folder)
        except (strata.CompileError, RuntimeError, AssertionError) as error:
            return module.failed(str(error))


def run_jobs(jobs, seed, processes):
    """Yields (name, results, seconds) of all jobs."""
    work = [(job.name, job.folder(), functools.partial(job.results, seed)) for job in jobs]
    for name, results, seconds in children.carry_out(work, processes):
        yield name, [Result("*", "*", 0, str(results))] if isinstance(results, children.Failed) else results, seconds


def report(name, results, seconds):
    failed = sum(r.failure is not None for r in results)
    print(f"{'FAIL' if failed else 'ok':4} {name} ({len(results)} results, {seconds:.1f} s)", flush=True)


def print_matrix(results):
    """The greatest error of each op on each type, in units in the last place; 0: every bit is right."""
    worst = {}
    for r in results:
        worst[r.op, r.type] = max(worst.get((r.op, r.type), 0), np.inf if r.failure else r.error)
    columns = [t for t in tables.TYPES if any(t == key[1] for key in worst)]
    rows = list(dict.fromkeys(key[0] for key in worst if key[0] != "*"))
    print("\n| op | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for row in rows:
        cells = [worst.get((row, t)) for t in columns]
        print(f"| {row} | " + " | ".join("" if c is None else "FAIL" if c == np.inf else f"{c:.2g}" for c in cells)
              + " |")


def chosen_jobs(jobs, pattern, drawn):
    """Those whose names match |pattern|; without one all, but of those that match |drawn| half, others each run."""
    jobs = [job for job in jobs if re.search(pattern, job.name)]
    some = [job for job in jobs if drawn and not pattern and re.search(drawn, job.name)]
    left_out = set(some) - set(strata.drawn(some, len(some) // 2))
    return [job for job in jobs if job not in left_out]


def main(jobs, unknown=(), drawn=None):
    """|unknown|: rows of the tables that the caller cannot test, which is a failure; |drawn|: see chosen_jobs()."""
    parser = argparse.ArgumentParser()
    parser.add_argument("filter", nargs="?", default="", help="a regular expression that the names of jobs contain")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    arguments = parser.parse_args()
    seed = strata.run_seed()
    chosen = chosen_jobs(jobs, arguments.filter, drawn)
    done = {}
    for name, results, seconds in (under.run_jobs if under.COMMAND else run_jobs)(chosen, seed, arguments.jobs):
        done[name] = results
        report(name, results, seconds)
    done["tables"] = [Result(name, "*", 0, "there is no reference for this row") for name in unknown]
    results = [r for rs in done.values() for r in rs]
    print_matrix(results)
    failures = [(name, r) for name, rs in done.items() for r in rs if r.failure]
    for name, r in failures:
        print(f"FAIL {name}: {r.op} {r.type}: {r.failure}")
    print(f"STRATA_SEED={seed}: {len(results) - len(failures)} of {len(results)} results are right")
    sys.exit(1 if failures or not results else 0)
