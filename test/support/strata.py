"""Compiling models and calling the emitted libraries from Python: what the tests and benchmarks share.

A library is called through the description it carries (runtime/include/strata/runtime.h), so nothing here depends on a
model's signature. Needs numpy only.
"""
import _ctypes
import ctypes
import functools
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib

import numpy as np

BIN = os.environ.get("STRATA_BIN", os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin"))
SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SANITIZED = "STRATA_SANITIZED" in os.environ

# What this process frees it keeps: references make and drop large arrays, and zeroing new pages took a third of some
# tests. The libraries' own memory is between pages that cannot be touched where that matters (guarded.py).
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
for parameter, value in ((M_TRIM_THRESHOLD, 1 << 30), (M_MMAP_THRESHOLD, 32 << 20)):
    ctypes.CDLL(None).mallopt(parameter, value)

# The values of runtime/base/dtypes.def; bf16 and the small types travel as raw integers.
DTYPES = {
    1: np.float64, 2: np.float32, 3: np.float16, 4: np.uint16, 5: np.uint8, 6: np.uint8, 7: np.bool_,
    8: np.uint8, 9: np.uint8, 10: np.int8, 11: np.uint8, 12: np.int16, 13: np.uint16, 14: np.int32, 15: np.uint32,
    16: np.int64, 17: np.uint64, 18: np.uint8, 19: np.uint8,
}
HALF_BYTES = (8, 9)  # i4 and u4


def own_arguments():
    """Those of the command line before a "--", and the compiler's behind it."""
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:at], arguments[at + 1:]


def some(cases):
    """The cases that the command line names; else every() of them."""
    return sys.argv[1:] or every(cases)


def every(cases):
    """One in TEST_EVERY of them, at least one, others each run, as the seed that is printed says; all where the
    environment has no such number, or STRATA_ALL."""
    cases, step = list(cases), int(os.environ.get("TEST_EVERY", "1"))
    return cases if step == 1 or "STRATA_ALL" in os.environ else cases[run_seed() % min(step, len(cases))::step]


@functools.cache
def run_seed():
    """Of what this process draws: STRATA_SEED, or another each run."""
    seed = int(os.environ.get("STRATA_SEED", random.randrange(1 << 32)))
    print(f"STRATA_SEED={seed}", flush=True)
    return seed


def generator_of(name):
    """Of what the case |name| draws, alone or among others: the run's seed makes it."""
    return np.random.default_rng([run_seed(), zlib.crc32(name.encode())])


def drawn(cases, count):
    """|count| of the cases, others each run, as the seed that is printed says: STRATA_SEED repeats it, STRATA_ALL=1 takes all."""
    cases = list(cases)
    return cases if "STRATA_ALL" in os.environ else random.Random(run_seed()).sample(cases, min(count, len(cases)))


def report(cases):
    """Runs |cases|, of a name and a function each; ends the process, with 1 where one failed."""
    failures = 0
    for name, run in cases:
        try:
            run()
            print("ok", name, flush=True)
        except (AssertionError, RuntimeError, CompileError) as error:
            failures += 1
            print("FAILED", name, str(error)[:700], flush=True)
    sys.exit(failures > 0)


def report_on(cases, run_case):
    """The same of run_case(name, what |cases| has for it.., a folder, the target's options), as own_arguments() say; else
    of every() case."""
    names, target = own_arguments()
    with tempfile.TemporaryDirectory() as folder:
        report((name, lambda name=name: run_case(name, *cases[name], folder, target or ["--target=cpu"]))
               for name in names or every(cases))


def to_bf16(x):
    """The bits of |x| rounded to nearest."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(x):
    return (x.astype(np.uint32) << 16).view(np.float32)


def has_ptxas():
    """Whether NVIDIA's assembler is where the compiler looks for it."""
    return any(os.access(path, os.X_OK) for path in (shutil.which("ptxas") or "", "/usr/local/cuda/bin/ptxas"))


def has_aarch64():
    """Whether libraries for aarch64 can be made, linked and run here."""
    return all(shutil.which(tool) for tool in ("aarch64-linux-gnu-gcc", "qemu-aarch64"))


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("c_name", ctypes.c_char_p), ("dtype", ctypes.c_uint32),
                ("rank", ctypes.c_uint32), ("shape", ctypes.POINTER(ctypes.c_int64)), ("size", ctypes.c_uint64)]

    def dims(self):
        return tuple(self.shape[: self.rank])

    def stored(self):
        """The shape of the array that holds it: of i4 and u4, two to a byte, that of the bytes."""
        return (self.size,) if self.dtype in HALF_BYTES else self.dims()


class KernelInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tasks", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("flops", ctypes.c_uint64)]


class DimInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("c_name", ctypes.c_char_p), ("min", ctypes.c_int64),
                ("max", ctypes.c_int64), ("multiple", ctypes.c_int64), ("n_likely", ctypes.c_size_t),
                ("likely", ctypes.POINTER(ctypes.c_int64))]


class ValueInfo(ctypes.Structure):
    _fields_ = [("op", ctypes.c_uint64), ("a", ctypes.c_int64), ("b", ctypes.c_int64)]


TRACE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_uint64)
_tensors = ctypes.POINTER(ctypes.POINTER(TensorInfo))


class Description(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32), ("abi_version", ctypes.c_uint32), ("flags", ctypes.c_uint32),
        ("alignment", ctypes.c_uint32), ("name", ctypes.c_char_p), ("compiler", ctypes.c_char_p),
        ("target", ctypes.c_char_p), ("options", ctypes.c_char_p),
        ("n_devices", ctypes.c_size_t), ("devices", ctypes.POINTER(ctypes.c_char_p)),
        ("n_inputs", ctypes.c_size_t), ("inputs", _tensors),
        ("n_outputs", ctypes.c_size_t), ("outputs", _tensors),
        ("n_dims", ctypes.c_size_t), ("dims", ctypes.POINTER(ctypes.c_char_p)),
        ("n_constants", ctypes.c_size_t), ("constants", _tensors),
        ("n_kernels", ctypes.c_size_t), ("kernels", ctypes.POINTER(ctypes.POINTER(KernelInfo))),
        ("n_launches", ctypes.c_size_t), ("launches", ctypes.POINTER(ctypes.c_uint32)),
        ("run", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int64),
                                 ctypes.c_void_p, ctypes.c_void_p)),
        ("device_memory_size", ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(ctypes.c_int64))),
        ("weights_size", ctypes.CFUNCTYPE(ctypes.c_size_t)),
        ("load", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("set_constant", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)),
        ("unload", ctypes.CFUNCTYPE(ctypes.c_int)),
        ("set_threads", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)),
        ("error", ctypes.CFUNCTYPE(ctypes.c_char_p)),
        ("set_trace", ctypes.CFUNCTYPE(None, TRACE, ctypes.c_void_p)),
        ("nodes", ctypes.POINTER(ctypes.c_char_p)),
        ("dim_infos", ctypes.POINTER(ctypes.POINTER(DimInfo))),
        ("shapes", ctypes.POINTER(ctypes.c_char_p)),
        ("n_values", ctypes.c_size_t), ("values", ctypes.POINTER(ValueInfo)),
        ("output_shape", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int64),
                                          ctypes.POINTER(ctypes.c_int64))),
    ]


def aligned(shape, dtype, alignment=256):
    """An array whose data is aligned for any library."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    memory = np.empty(size + alignment, np.uint8)
    offset = -memory.ctypes.data % alignment
    return memory[offset:offset + size].view(dtype).reshape(shape)


class Library:
    """An emitted library, loaded."""

    def __init__(self, path):
        name = os.path.basename(path)[len("lib"):-len(".so")]
        self._dll = ctypes.CDLL(os.path.abspath(path))
        describe = getattr(self._dll, name + "_library")
        describe.restype = ctypes.POINTER(Description)
        self.description = describe().contents
        description = self.description
        self.inputs = [description.inputs[i].contents for i in range(description.n_inputs)]
        self.outputs = [description.outputs[i].contents for i in range(description.n_outputs)]
        self.kernels = [description.kernels[i].contents for i in range(description.n_kernels)]
        self.launches = list(description.launches[: description.n_launches])

    def check(self, status):
        if status:
            raise RunError(status, self.description.error().decode())

    def dims(self, sizes):
        """|sizes|, in the library's order, as its functions take them."""
        return (ctypes.c_int64 * len(sizes))(*sizes) if sizes is not None else None

    def sizes_of(self, shapes):
        """The sizes of a call with inputs of |shapes|; None where they do not vary. Every size must be one of a shape."""
        names = [self.description.dims[i].decode() for i in range(self.description.n_dims)]
        if not names:
            return None
        found = {}
        for i, shape in enumerate(shapes):
            for text, size in zip(self.description.shapes[i].decode().split(", "), shape):
                found.setdefault(text, size)
        return [found[name] for name in names]

    def output_shape(self, index, sizes):
        shape = (ctypes.c_int64 * self.outputs[index].rank)()
        self.check(self.description.output_shape(index, self.dims(sizes), shape))
        return tuple(shape)

    def output_bytes(self, sizes):
        """How many bytes each output has."""
        if sizes is None:
            return [info.size for info in self.outputs]
        counts = [int(np.prod(self.output_shape(i, sizes))) for i in range(len(self.outputs))]
        return [(count + 1) // 2 if info.dtype in HALF_BYTES else count * np.dtype(DTYPES[info.dtype]).itemsize
                for count, info in zip(counts, self.outputs)]

    def call(self, arrays, sizes=None):
        """Runs the library on |arrays| of the caller, inputs and outputs in its order; they may share memory."""
        pointers = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
        self.check(self.description.run(pointers, self.dims(sizes), None, None))

    def bind(self, inputs, sizes=None):
        """A function that runs the library on |inputs|, arrays in the library's order, and its output arrays. |sizes|:
        where they vary."""
        dims = self.dims(sizes)
        arrays = [aligned(info.stored() if sizes is None else np.shape(value), DTYPES[info.dtype])
                  for value, info in zip(inputs, self.inputs)]
        outputs = [aligned(info.stored() if sizes is None else self.output_shape(i, sizes), DTYPES[info.dtype])
                   for i, info in enumerate(self.outputs)]
        for value, array, info in zip(inputs, arrays, self.inputs):
            assert np.shape(value) == array.shape, f"{info.name}: expected {array.shape}, got {np.shape(value)}"
            array[...] = value
        pointers = (ctypes.c_void_p * (len(arrays) + len(outputs)))(*[a.ctypes.data for a in arrays + outputs])

        def run(keep_alive=arrays):
            self.check(self.description.run(pointers, dims, None, None))

        return run, outputs

    def close(self):
        """Unloads it: the next library may be a file with the same inode."""
        _ctypes.dlclose(self._dll._handle)

    def run(self, inputs, sizes=None):
        run, outputs = self.bind(inputs, sizes)
        run()
        return outputs


def true_parts(library, outputs):
    """The outputs in their true sizes, where data decide these; the sizes themselves are left out."""
    by_name = {info.name.decode(): value for info, value in zip(library.outputs, outputs)}
    sizes = {name: by_name.pop(f"{name}_sizes") for name in list(by_name) if f"{name}_sizes" in by_name}
    return {name: value[tuple(map(slice, sizes[name]))] if name in sizes else value for name, value in by_name.items()}


class RunError(RuntimeError):
    """What a library said; |status| is its status."""

    def __init__(self, status, text):
        super().__init__(f"status {status}: {text}")
        self.status = status


class CompileError(Exception):
    """What strata said; |status| is its exit status."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def strata(*arguments, timeout=600):
    """Runs the compiler; its standard output."""
    done = subprocess.run([os.path.join(BIN, "strata"), *arguments], capture_output=True, text=True, timeout=timeout,
                          errors="replace")
    if done.returncode:
        raise CompileError(done.returncode, done.stderr)
    return done.stdout


def kernel_rows(usage):
    """What --resource-usage says of a GPU's kernels: a dictionary each, of text by the table's columns. Without an
    assembler those of registers and memory are missing."""
    lines = [line.split() for line in usage.splitlines()]
    first = next(i for i, line in enumerate(lines) if line[:1] == ["kernel"])
    last = next(i for i, line in enumerate(lines) if line[:1] == ["launches"])
    return [dict(zip(lines[first], line)) for line in lines[first + 1:last]]


def run(*command, status=0, **options):
    """Runs |command|, which must end with |status|; what it printed, errors last."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == status, f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def write(path, text):
    """A file of |text|; its path."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def processor_limit(seconds):
    """For subprocess.run(): the process may compute for so long, however busy the machine is; one that computes nothing
    is stuck after twenty times that."""
    return {"timeout": 20 * seconds,
            "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))}


class Cost:
    """The time and memory of a compile."""

    def __init__(self, processor_seconds, peak_bytes):
        self.processor_seconds = processor_seconds
        self.peak_bytes = peak_bytes


def compile_library(model, folder, name="model", options=()):
    """Compiles |model| to lib<name>.so in |folder|; its path and the Cost."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    strata(model, "--aot", "--aot-name", name, "-o", folder, *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return os.path.join(folder, f"lib{name}.so"), Cost(seconds, after.ru_maxrss * 1024)
