"""Sizes that no call takes: 0, negative, above the range, no multiple, products beyond 2^63, contradictory. Each is refused
with the status and its words before anything is read, written or launched: of a cpu's library under valgrind with
tensors of one byte, of GPUs' on the stand-in for the driver, which counts what it is asked for."""
import ctypes
import os
import shutil

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, Graph

INVALID_SIZE = 11
MOST = 2**31 - 1
DIMS = ["--dim=batch=1..", "--dim=length=1..", "--dim=width=8..64/8", "--dim=more=0..100"]
# batch, length, width, more; what is said.
REFUSED = [((0, 4, 8, 8), "batch is 0, expected 1 to 2147483647"),
           ((-1, 4, 8, 8), "batch is -1, expected 1 to 2147483647"),
           ((2**31, 4, 8, 8), "batch is 2147483648, expected 1 to 2147483647"),
           ((-2**63, 4, 8, 8), "batch is -9223372036854775808"),
           ((2**63 - 1, 4, 8, 8), "batch is 9223372036854775807"),
           ((2, 0, 8, 8), "length is 0"),
           ((2, 513, 8, 8), "length is 513, expected 1 to 512"),
           ((2, 4, 12, 12), "width is 12, expected 8 to 64, a multiple of 8"),
           ((2, 4, 72, 72), "width is 72"),
           ((2, 4, 8, -1), "more is -1, expected 0 to 100"),
           ((2, 4, 8, 101), "more is 101"),
           ((2, 4, 8, 1), "more less 8 * (more floordiv 8) is 1, expected 0")]

APP = r"""
#include "strata/runtime.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// LIB.so NAME N SIZE...: calls with N sizes at a time; prints the status and what is said of each.
int main(int argc, char **argv) {
  void *dll = dlopen(argv[1], RTLD_NOW);
  if (!dll)
    return fprintf(stderr, "%s\n", dlerror()), 2;
  const strata_library_t *(*describe)(void) = (const strata_library_t *(*)(void))dlsym(dll, argv[2]);
  const strata_library_t *library = describe();
  int n = atoi(argv[3]), bad = 0;
  size_t n_tensors = library->n_inputs + library->n_outputs;
  void **tensors = malloc(n_tensors * sizeof *tensors);
  for (size_t i = 0; i < n_tensors; i++)
    memset(tensors[i] = aligned_alloc(256, 256), 77, 256);
  for (int at = 4; at + n <= argc; at += n) {
    int64_t *sizes = malloc((size_t)n * sizeof *sizes), shape[8]; // exactly as many
    for (int i = 0; i < n; i++)
      sizes[i] = (int64_t)strtoll(argv[at + i], NULL, 10);
    int status = library->run(tensors, sizes, NULL, NULL);
    printf("%d %s\n", status, library->error());
    bad |= library->device_memory_size(sizes) != 0 || library->output_shape(0, sizes, shape) != status;
    free(sizes);
  }
  for (size_t i = 0; i < n_tensors; i++) {
    for (int j = 0; j < 256; j++)
      bad |= ((char *)tensors[i])[j] != 77;
    free(tensors[i]);
  }
  free(tensors);
  library->unload();
  return bad;
}
"""


def model():
    """y = x + table[:length] of width; more joins what a Reshape makes as many as width."""
    g = Graph(opset=18)
    x = g.input("x", FLOAT, ["batch", "length", "width"])
    more = g.input("m", FLOAT, ["more"])
    table = g.constant("table", np.arange(512, dtype=np.float32).reshape(1, 512, 1))
    length = g.node("Gather", [g.node("Shape", [x]), g.constant("one", np.array([1]))], axis=0)
    rows = g.node("Slice", [table, g.constant("zero", np.array([0])), length, g.constant("axis", np.array([1]))])
    again = g.node("Reshape", [more, g.constant("shape", np.array([8, -1]))])  # a multiple of 8
    again = g.node("ReduceSum", [again], keepdims=0)
    g.node("Add", [g.node("Add", [g.node("Tanh", [x]), rows]), again], ["y"])
    g.output("y", FLOAT, ["batch", "length", "width"])
    return g.save("bad.onnx")


def product():
    """Three sizes that are each in their ranges, whose product is beyond 2^63."""
    g = Graph(opset=18)
    x = g.input("x", FLOAT, ["a", "b", "c"])
    g.node("Softmax", [g.node("Tanh", [x])], ["y"], axis=-1)
    g.output("y", FLOAT, ["a", "b", "c"])
    return g.save("product.onnx")


LIBRARIES = [("bad", model, DIMS, REFUSED),
             ("product", product, [], [((MOST, MOST, MOST), "2^63"), ((2**30, 2**30, 8), "2^63"),
                                       ((MOST, MOST, 1), "2^63"), ((0, 0, 0), "a is 0")])]


def check(name, told, cases):
    assert len(told) == len(cases), told
    for (sizes, words), line in zip(cases, told):
        status, _, text = line.partition(" ")
        assert int(status) == INVALID_SIZE and words in text, f"{name} {sizes}: {line}, expected {words}"


def on_cpu(name, path, options, cases):
    # valgrind does not know AVX-512
    library = strata.compile_library(path, "out", name, [*options, "--device=x86-64-v3"])[0]
    command = ["./app", os.path.abspath(library), f"{name}_library", str(len(cases[0][0]))]
    command += [str(size) for sizes, _ in cases for size in sizes]
    if shutil.which("valgrind") and not strata.SANITIZED:
        command = ["valgrind", "-q", "--leak-check=full", "--error-exitcode=9", *command]
    check(name, strata.run(*command).splitlines(), cases)


def on_gpu(name, path, options, cases, more):
    library = gpu.Library(strata.compile_library(path, "out", f"gpu_{name}_{len(more)}", [
        *options, *more, "--target=nvgpu", "--device=emulated_90"])[0])
    driver, told = ctypes.CDLL(os.environ["STRATA_CUDA_DRIVER"]), []
    x = np.full(64, 77, np.uint8)
    pointers = (ctypes.c_void_p * 3)(*[x.ctypes.data] * 3)
    stream = library._driver.stream if library.user_memory else None  # pylint: disable=protected-access
    library.check(library.description.load(None, stream))
    if stream:
        library._driver.synchronize()  # pylint: disable=protected-access
    before = driver.strata_test_driver_executed(), driver.strata_test_driver_calls(b"cuLaunchKernelEx")
    for sizes, _ in cases:
        status = library.description.run(pointers, library.dims(sizes), x.ctypes.data // 256 * 256, stream)
        told.append(f"{status} {library.description.error().decode()}")
    check(f"gpu {name}", told, cases)
    after = driver.strata_test_driver_executed(), driver.strata_test_driver_calls(b"cuLaunchKernelEx")
    assert after == before, f"{name}: work done and launches were {before}, are {after}"
    assert (x == 77).all()
    library.unload()


def main():
    gpu.use_stand_in()
    strata.write("app.c", APP)
    strata.run(os.environ.get("CC", "cc"), "-std=gnu11", "-Wall", "-Werror", "-I" + os.path.join(strata.SOURCE, "runtime", "include"),
               "app.c", "-o", "app", "-ldl")
    for name, build, options, cases in LIBRARIES:
        path = build()
        on_cpu(name, path, options, cases)
        for more in ([], ["--on-gpu-tensors", "--user-device-memory"]):
            on_gpu(name, path, options, cases, more)


main()
