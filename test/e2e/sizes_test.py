"""Libraries whose sizes vary, from IR written by hand: calls at many sizes, refused ones, the C interface, strata-run,
memory of the caller's and the library's own."""
import ctypes
import os
import random
import shutil
import threading

import numpy as np

import strata

CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
INVALID_ARGUMENT, INVALID_SIZE = 1, 11

# y[b, :sequence] = 2 * relu(x[b]), y[b, sequence:] = past[b]; through a buffer in the pool.
ROWS = """
#x = affine_map<()[s0, s1] -> (s0, s1, 4)>
#past = affine_map<()[s0, s1, s2] -> (s0, s2, 4)>
#y = affine_map<()[s0, s1, s2] -> (s0, s1 + s2, 4)>
!x = memref<?x?x4xf32, {sizes = #x}>
!past = memref<?x?x4xf32, {sizes = #past}>
!y = memref<?x?x4xf32, {sizes = #y}>
module {
  func.func @main(%x: !x {strata.name = "x"}, %past: !past {strata.name = "int"},
                  %y: !y {strata.name = "y", strata.output}) attributes {strata.symbols = [
      {name = "batch", min = 1, max = 64, multiple = 1, likely = [2, 8]},
      {name = "x", min = 1, max = 1000000000000, multiple = 1, likely = [16]},
      {name = "past.0", min = 0, max = 4096, multiple = 4}]} {
    %n = arith.constant 1 : index
    %t = memref.alloc(%n, %n) : !x
    call @relu(%x, %t) : (!x, !x) -> ()
    call @join(%t, %past, %y) : (!x, !past, !y) -> ()
    return
  }
  func.func private @relu(!x, !x) attributes {strata.tasks = affine_map<()[s0, s1] -> (s0 * s1)>, strata.scratch = 0}
  func.func private @join(!x, !past, !y) attributes {
      strata.tasks = affine_map<()[s0] -> (s0)>, strata.sizes = affine_map<()[s0, s1, s2] -> (s1, s2)>, strata.scratch = 0}
  module @kernels {
    func.func @relu(%x: memref<1x4xf32>, %y: memref<1x4xf32>, %begin: index, %end: index, %scratch: memref<0xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      scf.for %i = %begin to %end step %c1 {
        scf.for %j = %c0 to %c4 step %c1 {
          %0 = memref.load %x[%i, %j] : memref<1x4xf32>
          %1 = arith.maximumf %0, %zero : f32
          memref.store %1, %y[%i, %j] : memref<1x4xf32>
        }
      }
      return
    }
    func.func @join(%t: memref<0xf32>, %past: memref<0xf32>, %y: memref<0xf32>, %s: index, %p: index, %begin: index, %end: index,
                    %scratch: memref<0xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %row = arith.muli %s, %c4 : index
      %past_row = arith.muli %p, %c4 : index
      %whole = arith.addi %row, %past_row : index
      scf.for %i = %begin to %end step %c1 {
        %from = arith.muli %i, %row : index
        %to = arith.muli %i, %whole : index
        scf.for %j = %c0 to %row step %c1 {
          %at = arith.addi %from, %j : index
          %0 = memref.load %t[%at] : memref<0xf32>
          %1 = arith.addf %0, %0 : f32
          %place = arith.addi %to, %j : index
          memref.store %1, %y[%place] : memref<0xf32>
        }
        %past_from = arith.muli %i, %past_row : index
        %behind = arith.addi %to, %row : index
        scf.for %j = %c0 to %past_row step %c1 {
          %at = arith.addi %past_from, %j : index
          %0 = memref.load %past[%at] : memref<0xf32>
          %place = arith.addi %behind, %j : index
          memref.store %0, %y[%place] : memref<0xf32>
        }
      }
      return
    }
  }
}
"""

# Sums over 5 steps, from the last to the first: a loop with a state and rows whose sizes vary, and a pool of its own.
LOOP = """
#row = affine_map<()[s0] -> (s0, 8)>
#rows = affine_map<()[s0] -> (5, s0, 8)>
#tasks = affine_map<()[s0] -> (s0)>
!row = memref<?x8xf32, {sizes = #row}>
!rows = memref<5x?x8xf32, {sizes = #rows}>
module {
  func.func @main(%h: !row {strata.name = "h"}, %xs: !rows {strata.name = "xs"},
                  %last: !row {strata.name = "last", strata.output}, %ys: !rows {strata.name = "ys", strata.output})
      attributes {strata.symbols = [{name = "batch", min = 1, max = 1000, multiple = 1}]} {
    %n = arith.constant 1 : index
    %first = memref.alloc(%n) : !row
    call @copy(%h, %first) : (!row, !row) -> ()
    call @loop(%first, %xs, %last, %ys) : (!row, !rows, !row, !rows) -> ()
    return
  }
  func.func private @loop(!row, !rows, !row, !rows) attributes {strata.body = @body, strata.count = 5 : i64,
      strata.parts = array<i64: 1, 1, 0, 1>, strata.reversed = array<i64: 1, 0>}
  func.func @body(%h: !row, %x: !row, %next: !row, %y: !row) {
    %n = arith.constant 1 : index
    %a = memref.alloc(%n) : !row
    %b = memref.alloc(%n) : !row
    call @copy(%x, %a) : (!row, !row) -> ()
    call @add(%h, %a, %b) : (!row, !row, !row) -> ()
    call @copy(%b, %next) : (!row, !row) -> ()
    call @copy(%b, %y) : (!row, !row) -> ()
    return
  }
  func.func private @copy(!row, !row) attributes {strata.tasks = #tasks, strata.scratch = 0 : i64}
  func.func private @add(!row, !row, !row) attributes {strata.tasks = #tasks, strata.scratch = 0 : i64}
  module @kernels {
    func.func @copy(%x: memref<1x8xf32>, %y: memref<1x8xf32>, %begin: index, %end: index, %scratch: memref<0xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %begin to %end step %c1 {
        scf.for %j = %c0 to %c8 step %c1 {
          %0 = memref.load %x[%i, %j] : memref<1x8xf32>
          memref.store %0, %y[%i, %j] : memref<1x8xf32>
        }
      }
      return
    }
    func.func @add(%a: memref<1x8xf32>, %b: memref<1x8xf32>, %y: memref<1x8xf32>, %begin: index, %end: index,
                   %scratch: memref<0xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %begin to %end step %c1 {
        scf.for %j = %c0 to %c8 step %c1 {
          %0 = memref.load %a[%i, %j] : memref<1x8xf32>
          %1 = memref.load %b[%i, %j] : memref<1x8xf32>
          %2 = arith.addf %0, %1 : f32
          memref.store %2, %y[%i, %j] : memref<1x8xf32>
        }
      }
      return
    }
  }
}
"""

# Two of the same shape: y is written before the last read of x, so that it is computed in the pool if it may be x.
TWICE = """
#row = affine_map<()[s0] -> (s0, 8)>
!row = memref<?x8xf32, {sizes = #row}>
module {
  func.func @main(%x: !row {strata.name = "x"}, %y: !row {strata.name = "y", strata.output}) attributes {
      strata.symbols = [{name = "batch", min = 1, max = 1000, multiple = 1}]} {
    call @twice(%x, %x, %y) : (!row, !row, !row) -> ()
    return
  }
  func.func private @twice(!row, !row, !row) attributes {strata.tasks = affine_map<()[s0] -> (s0)>, strata.scratch = 0 : i64,
      strata.sizes = affine_map<()[s0] -> (s0 - 1)>}
  module @kernels {
    func.func @twice(%a: memref<1x8xf32>, %b: memref<1x8xf32>, %y: memref<1x8xf32>, %last: index, %begin: index,
                     %end: index, %scratch: memref<0xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %begin to %end step %c1 {
        %other = arith.subi %last, %i : index
        scf.for %j = %c0 to %c8 step %c1 {
          %0 = memref.load %a[%i, %j] : memref<1x8xf32>
          %1 = memref.load %b[%other, %j] : memref<1x8xf32>
          %2 = arith.addf %0, %1 : f32
          memref.store %2, %y[%i, %j] : memref<1x8xf32>
        }
      }
      return
    }
  }
}
"""

APP = r"""
#include "rows.h"
#include "users.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int expect(int status, int wanted, const char *words) {
  const char *error = rows_error();
  if (status == wanted && strstr(error, words))
    return 0;
  fprintf(stderr, "expected %d and '%s', got %d and '%s'\n", wanted, words, status, error);
  return 1;
}

int main(void) {
  static float x[3 * 5 * 4], past[3 * 8 * 4], y[3 * 13 * 4], again[3 * 13 * 4];
  int bad = 0;
  int64_t dims[] = {3, 5, 8}, shape[3];
  for (int i = 0; i < 60; i++)
    x[i] = (float)(i % 7 - 3);
  for (int i = 0; i < 96; i++)
    past[i] = (float)i;
  bad |= rows(x, past, y, 3, 5, 8) != STRATA_OK;
  for (int b = 0; b < 3; b++)
    for (int i = 0; i < 52; i++) {
      float value = i < 20 ? x[b * 20 + i] : past[b * 32 + i - 20];
      bad |= y[b * 52 + i] != (i >= 20 ? value : value > 0 ? 2 * value : 0);
    }
  bad |= rows_output_shape(0, dims, shape) || shape[0] != 3 || shape[1] != 13 || shape[2] != 4;
  void *workspace = aligned_alloc(256, users_device_memory_size(dims));
  bad |= users_load(NULL) || users(x, past, again, 3, 5, 8, workspace) || memcmp(y, again, sizeof y) != 0;
  free(workspace);

  bad |= expect(rows(x, past, y, 0, 5, 8), STRATA_INVALID_SIZE, "batch is 0, expected 1 to 64");
  bad |= expect(rows(x, past, y, -1, 5, 8), STRATA_INVALID_SIZE, "batch is -1, expected 1 to 64");
  bad |= expect(rows(x, past, y, 65, 5, 8), STRATA_INVALID_SIZE, "batch is 65, expected 1 to 64");
  bad |= expect(rows(x, past, y, 3, 5, 6), STRATA_INVALID_SIZE,
                "past.0 is 6, expected 0 to 4096, a multiple of 4");
  bad |= expect(rows(x, past, y, 3, INT64_MAX, 8), STRATA_INVALID_SIZE, "x is 9223372036854775807, expected");
  bad |= expect(rows(NULL, past, y, 3, 5, 8), STRATA_INVALID_ARGUMENT, "x is NULL");
  bad |= expect(rows_output_shape(1, dims, shape), STRATA_INVALID_ARGUMENT, "output 1 of 1");
  bad |= expect(rows_output_shape(0, NULL, shape), STRATA_INVALID_ARGUMENT, "dims is NULL, expected 3 sizes");
  dims[0] = 99;
  bad |= rows_device_memory_size(dims) != 0;
  bad |= rows_library()->n_dims != 3 || strcmp(rows_library()->dims[2], "past.0") != 0;
  bad |= strcmp(rows_library()->shapes[2], "batch, x + past.0, 4") != 0;
  bad |= rows_library()->dim_infos[0]->n_likely != 2 || rows_library()->dim_infos[0]->likely[1] != 8;
  rows_unload();
  users_unload();
  return bad;
}
"""


def compile_ir(text, name, *options):
    path = strata.write(f"{name}.mlir", text)
    # The plan is a pass of the phase that the IR is behind: it is run on its own.
    planned = strata.run(os.path.join(strata.BIN, "strata-opt"), path, "--pipeline=affine-memory-plan")
    options = ["--compile-from=cpu", "--device=x86-64-v3", *options]  # valgrind does not know AVX-512
    return strata.compile_library(strata.write(f"{name}_planned.mlir", planned), "out", name, options)[0]


def make_inputs(generator, batch, sequence, past):
    return [generator.standard_normal((batch, size, 4)).astype(np.float32) for size in (sequence, past)]


def reference(x, past):
    return np.concatenate([2 * np.maximum(x, 0), past], axis=1)


def test_calls(library):
    generator = strata.generator_of("calls")
    sizes = [(1, 1, 0), (64, 1, 0), (2, 16, 0), (7, 33, 12), (1, 3000, 4096), (3, 5, 8), (64, 200, 4)]
    sizes += [(int(generator.integers(1, 65)), int(generator.integers(1, 300)), 4 * int(generator.integers(0, 30)))
              for _ in range(20)]
    for each in sizes:
        inputs = make_inputs(generator, *each)
        got, = library.run(inputs, each)
        assert got.shape == (each[0], each[1] + each[2], 4)
        assert (got == reference(*inputs)).all(), each


def test_refused(library):
    x = np.zeros((1, 1, 4), np.float32)
    pointers = (ctypes.c_void_p * 3)(*[x.ctypes.data] * 3)
    for sizes, words in [((1, 0, 0), "x is 0, expected 1 to 1000000000000"), ((1, 1, -4), "past.0 is -4, expected 0"),
                         ((64, 10**12 + 1, 0), "x is 1000000000001")]:
        status = library.description.run(pointers, library.dims(sizes), None, None)
        assert status == INVALID_SIZE and words in library.description.error().decode(), (sizes, status)
    assert library.description.run(pointers, None, None, None) == INVALID_ARGUMENT


def test_threads(path):
    """Calls at once, each at sizes of its own that grow: memory of the library's own grows with them."""
    library, failed = strata.Library(path), []

    def work(seed):
        generator = np.random.default_rng(seed)
        for step in range(1, 60):
            sizes = (1 + seed, 7 * step, 4 * (step % 5))
            inputs = make_inputs(generator, *sizes)
            if not (library.run(inputs, sizes)[0] == reference(*inputs)).all():
                failed.append(sizes)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    library.description.unload()
    assert not failed, failed


def test_header(path):
    header = open(path.replace("librows.so", "rows.h"), encoding="utf-8").read()
    assert "int rows(const float *x, const float *int_2, float *y, int64_t batch, int64_t x_2, int64_t past_0);" in header
    for line in ("in  x: f32 [batch, x, 4]", "out y: f32 [batch, x + past.0, 4]", "size batch: 1 to 64, likely 2, 8",
                 "size x_2: 1 to 1000000000000, likely 16 ('x' in the model)",
                 "size past_0: 0 to 4096, a multiple of 4 ('past.0' in the model)"):
        assert line in header, header[-2500:]


def test_c_program():
    strata.write("app.c", APP)
    libraries = ["-Iout", "out/librows.a", "out/libusers.a", "-lpthread", "-ldl", "-lm"]
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    strata.run(CC, "-std=c11", *flags, "app.c", *libraries, "-o", "app")
    strata.run("./app")
    strata.write("app.cpp", '#include "out/rows.h"\nint main() { return rows_library()->n_dims == 3 ? 0 : 1; }\n')
    strata.run(CXX, "-std=c++11", *flags, "app.cpp", *libraries, "-o", "app_cpp")
    strata.run("./app_cpp")
    if shutil.which("valgrind"):
        strata.run("valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=all", "--error-exitcode=9", "./app",
                   env={**os.environ, "STRATA_NUM_THREADS": "2"})


def test_strata_run(path):
    generator = np.random.default_rng(1)
    inputs = make_inputs(generator, 7, 33, 12)
    np.save("x.npy", inputs[0])
    np.save("past.npy", inputs[1])
    np.save("y.npy", reference(*inputs))
    command = [os.path.join(strata.BIN, "strata-run"), path]
    told = strata.run(*command, "--input=x.npy", "--input=int=past.npy", "--expect=y.npy", "--output=got.npy")
    assert "batch = 7, x = 33, past.0 = 12" in told, told
    assert (np.load("got.npy") == reference(*inputs)).all()
    assert "batch = 2, x = 16, past.0 = 4" in strata.run(*command, "--random")
    assert "batch = 5, x = 16, past.0 = 0" in strata.run(*command, "--random", "--dim=batch=5", "--dim=past_0=0")
    for arguments, words in [
            (["--random", "--dim=bach=5"], "--dim=bach=5: the library has no size 'bach'; did you mean 'batch'?"),
            (["--random", "--dim=batch"], "--dim=batch: expected NAME=N"),
            (["--random", "--dim=batch=99"], "batch is 99, expected 1 to 64"),
            (["--random", "--input=x.npy", "--dim=batch=3"],
             "x.npy: dimension 0 of input x, [batch, x, 4], is 7, which contradicts batch = 3 by --dim=batch=3"),
            (["--random", "--input=x.npy", "--input=y.npy"], "y.npy: dimension 1 of input int, [batch, past.0, 4]"),
            (["--input=x.npy"], "expected 2 inputs, got 1")]:
        if arguments[-1] == "--input=y.npy":
            np.save("y.npy", np.zeros((3, 8, 4), np.float32))
            words = "y.npy: dimension 0 of input int, [batch, past.0, 4], is 3, which contradicts batch = 7 by x.npy"
        told = strata.run(*command, *arguments, status=1)
        assert words in told, told
    np.save("flat.npy", inputs[0][0])
    told = strata.run(*command, "--random", "--input=flat.npy", status=1)
    assert "flat.npy: expected f32 [batch, x, 4] for input x, got f32 33x4" in told, told
    told = strata.run(os.path.join(strata.BIN, "strata"), "rows_planned.mlir", "--compile-from=cpu")
    assert "sizes: batch = 2, x = 16, past.0 = 4" in told, told


def test_loop(path):
    library, generator = strata.Library(path), strata.generator_of(path)
    for batch in (1, 2, 7, 64, 999):
        h = generator.standard_normal((batch, 8)).astype(np.float32)
        xs = generator.standard_normal((5, batch, 8)).astype(np.float32)
        expected = [h]
        for step in range(5):
            expected.append(expected[-1] + xs[4 - step])
        last, ys = library.run([h, xs], [batch])
        assert (last == expected[5]).all() and (ys == np.stack(expected[1:])).all(), batch


def test_alias(path):
    library, generator = strata.Library(path), strata.generator_of(path)
    for batch in (1, 2, 7, 64, 999):
        x = generator.standard_normal((batch, 8)).astype(np.float32)
        memory = strata.aligned(x.shape, np.float32)
        memory[...] = x
        library.call([memory, memory], [batch])
        assert (memory == x + x[::-1]).all(), batch


#===-- Expressions ----------------------------------------------------------------------------------------------===#


class Expression:
    """A random expression over symbols: as MLIR's text, and its value with the largest magnitude on the way."""

    def __init__(self, generator, n_symbols, depth):
        kind = generator.choice("symbol number add mul div".split()) if depth else "symbol"
        if kind == "symbol":
            symbol = generator.randrange(n_symbols)
            self.text, self.value = f"s{symbol}", lambda v: (v[symbol], abs(v[symbol]))
        elif kind == "number":
            number = generator.choice([0, 1, -1, 2, 3, 7, 64, -5, 1 << 20, 1 << 40])
            self.text, self.value = f"{number}", lambda v: (number, abs(number))
        else:
            a = Expression(generator, n_symbols, depth - 1)
            if kind == "div":
                name, b = generator.choice(["floordiv", "ceildiv", "mod"]), generator.choice([1, 2, 3, 4, 7, 16, 100])
                apply = {"floordiv": lambda x: x // b, "ceildiv": lambda x: -(-x // b), "mod": lambda x: x % b}[name]
                self.text = f"(({a.text}) {name} {b})"
                self.value = lambda v: (lambda x: (apply(x[0]), max(x[1], abs(apply(x[0])))))(a.value(v))
            else:
                b = Expression(generator, n_symbols, depth - 1)
                op = {"add": lambda x, y: x + y, "mul": lambda x, y: x * y}[kind]
                self.text = f"({a.text} {'+' if kind == 'add' else '*'} {b.text})"
                self.value = lambda v: (lambda x, y: (op(x[0], y[0]), max(x[1], y[1], abs(op(x[0], y[0])))))(
                    a.value(v), b.value(v))


def random_shape(generator, n_symbols, rank):
    """Not one whose numbers make it too large at every size: the compiler refuses such a graph."""
    while True:
        dims = [Expression(generator, n_symbols, 3) for _ in range(rank)]
        if partial_products([dim.value([]) for dim in dims if "s" not in dim.text]) < 1 << 63:
            return dims


DERIVED = {"max": max, "min": min, "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b}


def test_expressions(seed, n_modules=12, n_sizes=60):
    """Shapes of random expressions beside Python's integers, which do not overflow."""
    generator = random.Random(seed)
    n_free, n_derived, rank, n_taken = 3, 2, 3, 0
    arguments = "".join(f", s{i}" for i in range(1, n_free + n_derived))
    for number in range(n_modules):
        rows = [f'{{name = "d{i}", min = -1000, max = 9223372036854775807, multiple = 1}}' for i in range(n_free)]
        derived = []
        for i in range(n_free, n_free + n_derived):
            op, pair = generator.choice(list(DERIVED)), [Expression(generator, i, 2) for _ in range(2)]
            symbols = ", ".join(f"s{j}" for j in range(i))
            rows.append(f'{{name = "d{i}", op = "{op}", lhs = affine_map<()[{symbols}] -> ({pair[0].text})>, '
                        f'rhs = affine_map<()[{symbols}] -> ({pair[1].text})>}}')
            derived.append((DERIVED[op], pair))
        dims = random_shape(generator, n_free + n_derived, rank)
        sizes = f"affine_map<()[s0{arguments}] -> ({', '.join(dim.text for dim in dims)})>"
        kind = f"memref<{'?x' * rank}i8, {{sizes = {sizes}}}>"
        strata.write("shape.mlir", f"func.func @main(%y: {kind} {{strata.name = \"y\", strata.output}}) attributes "
                                   f"{{strata.symbols = [{', '.join(rows)}], strata.pool_size = 0}} {{ return }}")
        path, _ = strata.compile_library("shape.mlir", "out", f"shape{number}", ["--compile-from=cpu"])
        library = strata.Library(path)
        for _ in range(n_sizes):
            values = [generator.choice([0, 1, 2, 5, -3, generator.randrange(1 << generator.randrange(1, 62))])
                      for _ in range(n_free)]
            n_taken += check_shape(library, values, derived, dims)
    # A module of five takes none of its sizes, one of thirty takes all: that every one does is one run in 8 * 10^7.
    assert 0 < n_taken < n_modules * n_sizes, n_taken


def check_shape(library, sizes, derived, dims):
    """True if the library takes the sizes."""
    values, largest, divides_by_zero = list(sizes), 0, False
    for op, pair in derived:
        (a, most_a), (b, most_b) = (side.value(values) for side in pair)
        largest = max(largest, most_a, most_b)
        if b == 0 and op in (DERIVED["floordiv"], DERIVED["mod"]):
            divides_by_zero = True
            break
        values.append(op(a, b))
    shape = [] if divides_by_zero else [dim.value(values) for dim in dims]
    largest = max([largest] + [most for _, most in shape])
    count = np.prod([1] + [size for size, _ in shape], dtype=object)
    try:
        got = library.output_shape(0, sizes)
    except strata.RunError as error:
        assert error.status == INVALID_SIZE, error
        # Intermediate values may be others than here: one that may be large is no proof of anything.
        must = not divides_by_zero and all(size >= 0 for size, _ in shape) and largest < 1 << 52
        assert not must or partial_products(shape) >= 1 << 63, (sizes, shape, error)
        return False
    assert not divides_by_zero and all(size >= 0 for size, _ in shape) and count < 1 << 63, (sizes, shape, got)
    assert list(got) == [size for size, _ in shape], (sizes, shape, got)
    return True


def partial_products(shape):
    """The largest number that counting the elements may come to."""
    product = 1
    for size, _ in shape:
        product *= max(size, 1)
    return product


def main():
    path = compile_ir(ROWS, "rows")
    library = strata.Library(path)
    assert library.output_shape(0, (2, 3, 4)) == (2, 7, 4)
    test_calls(library)
    test_refused(library)
    library.description.unload()
    test_threads(path)
    test_header(path)
    compile_ir(ROWS, "users", "--user-device-memory")
    test_c_program()
    test_strata_run(path)
    test_loop(compile_ir(LOOP, "loop"))
    test_alias(compile_ir(TWICE, "twice", "--alias=y=x"))
    test_expressions(strata.run_seed())


main()
