"""Variants of kernels: at every size the one is taken whose condition holds first, and it is right there.

In hand-written IR each variant multiplies by a number of its own, so that the result says which one ran: from level 2,
in @main, under an alias and in the body of a loop, on the cpu and on the emulated device. Then products, whose variants
the compiler makes, at their borders and beside them.
"""
import os
import re
import subprocess

import numpy as np

import gpu
import strata

RUN = os.path.join(strata.BIN, "strata-run")
OPT = os.path.join(strata.BIN, "strata-opt")

# Condition, and the same of batch b and sequence s.
FEW = "affine_set<()[s0, s1] : (4 - s0 >= 0, s1 mod 8 == 0)>", lambda b, s: b <= 4 and s % 8 == 0
MIDDLE = "affine_set<()[s0, s1] : (s0 * s1 - 100 >= 0, -(s0 * s1) + 200 >= 0)>", lambda b, s: 100 <= b * s <= 200
ONE = "affine_set<()[s0, s1] : (s0 - 1 == 0)>", lambda b, s: b == 1
EQUAL = "affine_set<()[s0, s1] : (s0 - s1 == 0)>", lambda b, s: b == s
HALF = "affine_set<()[s0, s1] : (s1 floordiv 2 - s0 - 3 == 0, s0 - 2 >= 0)>", lambda b, s: s // 2 - b - 3 == 0 and b >= 2
BUT = (f"{MIDDLE[0]}, strata.unless = [{EQUAL[0]}, affine_set<()[s0, s1] : (s0 * s1 - 120 >= 0, -(s0 * s1) + 160 >= 0)>]",
       lambda b, s: MIDDLE[1](b, s) and b != s and not 120 <= b * s <= 160)
LISTS = [[FEW, MIDDLE, ONE], [ONE, FEW], [EQUAL], [MIDDLE, EQUAL, HALF], [BUT, FEW]]
NUMBERS = [2.0, 3.0, 5.0, 7.0]  # of the variants, and last of the kernel itself

SYMBOLS = """strata.symbols = [{name = "batch", min = 1, max = 300, multiple = 1, likely = [1, 8]},
                    {name = "seq", min = 0, max = 300, multiple = 1, likely = [16]}]"""
TYPE = "memref<?x?xf32, {sizes = affine_map<()[s0, s1] -> (s0, s1)>}>"


def kernel(name, number, attributes):
    return f"""  func.func private @{name}(%x: {TYPE}, %y: {TYPE}) attributes {{strata.schedule = {{kind = "map"}}{attributes}}} {{
    %b = "strata.size"() {{symbol = 0 : i64}} : () -> index
    %s = "strata.size"() {{symbol = 1 : i64}} : () -> index
    affine.parallel (%i, %j) = (0, 0) to (symbol(%b), symbol(%s)) {{
      %0 = affine.load %x[%i, %j] : {TYPE}
      %c = arith.constant {number} : f32
      %1 = arith.mulf %0, %c : f32
      affine.store %1, %y[%i, %j] : {TYPE}
    }} {{strata.nest = "mul"}}
    return
  }}
"""


def kernels(conditions):
    names = [f"k_v{i + 1}" for i in range(len(conditions))]
    text = kernel("k", NUMBERS[3], f", strata.variants = [{', '.join('@' + name for name in names)}]")
    return text + "".join(kernel(name, NUMBERS[i], f", strata.when = {conditions[i][0]}")
                          for i, name in enumerate(names))


def program(conditions):
    """Twice the kernel, through the pool."""
    return f"""func.func @main(%x: {TYPE} {{strata.name = "x"}}, %y: {TYPE} {{strata.name = "y", strata.output}})
      attributes {{{SYMBOLS}}} {{
    %b = "strata.size"() {{symbol = 0 : i64}} : () -> index
    %s = "strata.size"() {{symbol = 1 : i64}} : () -> index
    %t = memref.alloc(%b, %s) : {TYPE}
    call @k(%x, %t) : ({TYPE}, {TYPE}) -> ()
    call @k(%t, %y) : ({TYPE}, {TYPE}) -> ()
    return
  }}
""" + kernels(conditions)


def taken(conditions, batch, sequence):
    """Which is taken: the first that holds."""
    return next((i for i, (_, holds) in enumerate(conditions) if holds(batch, sequence)), 3)


def borders(generator):
    """All sizes at which one of the conditions begins or ends to hold, and others."""
    sizes = [(b, s) for b in (1, 2, 3, 4, 5, 8, 300) for s in (0, 1, 7, 8, 9, 16, 24, 25, 99, 100, 101, 200, 201)]
    sizes += [(b, s) for b in (10, 14, 15, 20) for s in (b - 1, b, b + 1, 2 * b + 5, 2 * b + 6, 2 * b + 7, 2 * b + 8)]
    return sizes + [tuple(int(n) for n in generator.integers(1, 300, 2)) for _ in range(40)]


def check_calls(library, conditions, power):
    generator = strata.generator_of(f"calls {power}")
    seen = set()
    for batch, sequence in borders(generator):
        x = generator.integers(1, 5, (batch, sequence)).astype(np.float32)
        y, = library.run([x], (batch, sequence))
        number = taken(conditions, batch, sequence)
        seen.add(number)
        assert (y == NUMBERS[number] ** power * x).all(), (batch, sequence, number)
    assert seen >= set(range(len(conditions))) | {3}, seen


def test_conditions():
    for number, conditions in enumerate(LISTS):
        path, _ = strata.compile_library(strata.write(f"list{number}.mlir", program(conditions)), "out", f"list{number}",
                                         ["--compile-from=affine"])
        check_calls(strata.Library(path), conditions, 2)


def told_kernels(path, batch, sequence, **environment):
    command = [RUN, path, "--random", f"--dim=batch={batch}", f"--dim=seq={sequence}"]
    run = subprocess.run([*command, "--kernels"], capture_output=True, text=True, check=True,
                         env={**os.environ, **environment})
    traced = subprocess.run(command, capture_output=True, text=True, check=True,
                            env={**os.environ, **environment, "STRATA_TRACE": "1"})
    return (re.findall(r"^(k\w*) +(\d+) ", run.stdout, re.M), re.findall(r"launch \d+: (\w+),", traced.stderr))


def check_names(path, **environment):
    """Profiles and traces name the kernel that ran."""
    for sizes, name in (((2, 16), "k_v1"), ((10, 15), "k_v2"), ((1, 7), "k_v3"), ((5, 8), "k")):
        rows, launches = told_kernels(path, *sizes, **environment)
        assert rows == [(name, "2")] and launches == [name, name], (sizes, rows, launches)


def test_alias():
    """y may be x; the second call would write it before it is read, had it no copy."""
    text = program(LISTS[0]).replace("call @k(%t, %y)", "call @k(%x, %y)").replace(
        "call @k(%x, %t)", "call @k(%x, %y)")
    path, _ = strata.compile_library(strata.write("alias.mlir", text), "out", "alias",
                                     ["--compile-from=affine", "--alias=y=x"])
    check_calls(strata.Library(path), LISTS[0], 1)


def test_loop():
    """In the body of a loop of three iterations."""
    text = f"""func.func @main(%x: {TYPE} {{strata.name = "x"}}, %y: {TYPE} {{strata.name = "y", strata.output}})
      attributes {{{SYMBOLS}}} {{
    call @loop(%x, %y) : ({TYPE}, {TYPE}) -> ()
    return
  }}
  func.func private @loop({TYPE}, {TYPE}) attributes {{strata.body = @body, strata.count = 3 : i64,
      strata.parts = array<i64: 1, 0, 0, 0>, strata.reversed = array<i64>}}
  func.func @body(%h: {TYPE}, %next: {TYPE}) {{
    call @k(%h, %next) : ({TYPE}, {TYPE}) -> ()
    return
  }}
""" + kernels(LISTS[0])
    path, _ = strata.compile_library(strata.write("loop.mlir", text), "out", "loop", ["--compile-from=affine"])
    check_calls(strata.Library(path), LISTS[0], 3)


def test_explain():
    told = subprocess.run([os.path.join(strata.BIN, "strata"), "product.mlir", "--explain", "--aot", "--aot-name=told",
                           "-o", "out", "--device=x86-64-v3"], capture_output=True, text=True, check=True)
    told = told.stdout + told.stderr
    lines = re.findall(r"kernel k0: k0_v\d+ where m .*: contract, tile \d+ x \d+", told)
    assert lines, told


#===-- Products ---------------------------------------------------------------------------------------------------===#

ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh}  # tanh: tiles of all heights share its code


def product(rows, inner, columns, activation=None):
    """x w, or that activation of x w + b; |rows|: ?, or a number."""
    shape = lambda *dims: "tensor<" + "".join(f"{dim}x" for dim in dims) + "f32"
    sizes = lambda last: f", affine_map<()[s0] -> (s0, {last})>>" if rows == "?" else ">"
    x, y = shape(rows, inner) + sizes(inner), shape(rows, columns) + sizes(columns)
    w, b = shape(inner, columns) + ">", shape(columns) + ">"
    maps = ("affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>")
    attributes = 'attributes {strata.symbols = [{name = "m", min = 1, max = 4096, multiple = 1, likely = [1, 64]}]}'
    tail = "%r" if activation else "%p"
    more = "" if not activation else f"""  %c = "strata.broadcast"(%b) {{map = affine_map<(i, j) -> (j)>}} : ({b}) -> {y}
  %q = "strata.add"(%p, %c) : ({y}, {y}) -> {y}
  %r = "strata.{activation}"(%q) : ({y}) -> {y}
"""
    return f"""func.func @main(%x: {x} {{strata.name = "x"}}, %w: {w} {{strata.name = "w"}}, %b: {b} {{strata.name = "b"}})
    -> ({y} {{strata.name = "y"}}) {attributes} {{
  %p = "strata.contract"(%x, %w) {{maps = [{maps}], zero_pad = false, origin = "matmul"}} : ({x}, {w}) -> {y}
{more}  return {tail} : {y}
}}
"""


def test_products():
    generator = strata.generator_of("products")
    cases = [(4096, 1024, None), (70, 53, "relu"), (300, 17, "relu"), (70, 53, "tanh"), (130, 32, "tanh")]
    for number, (inner, columns, activation) in enumerate(cases):
        for device in ("x86-64-v3", "host"):
            name = f"product{number}_{device.replace('-', '_')}"
            text = product("?", inner, columns, activation=activation)
            path, _ = strata.compile_library(strata.write("product.mlir", text), "out", name,
                                             [f"--device={device}"] if device != "host" else [])
            library = strata.Library(path)
            w = generator.standard_normal((inner, columns)).astype(np.float32)
            w *= 0.1 if activation == "tanh" else 1  # most of its results are not 1
            b = generator.standard_normal(columns).astype(np.float32)
            many = [127] if number == 0 else [63, 64, 65, 127, 1000, int(generator.integers(36, 500))]
            for rows in [*range(1, 20 if number == 0 else 36), *many]:
                x = generator.standard_normal((rows, inner)).astype(np.float32)
                y, = library.run([x, w, b], (rows,))
                wanted = x.astype(np.float64) @ w
                wanted = ACTIVATIONS[activation](wanted + b) if activation else wanted
                assert np.allclose(y, wanted, rtol=1e-4, atol=2e-3), (device, inner, columns, activation, rows)
            names = [library.description.kernels[i].contents.name.decode() for i in range(library.description.n_kernels)]
            if number == 0 and device != "host":  # a host's last cache may hold the operand, so that no variant pays
                assert "k0_v1" in names, names
    strata.write("product.mlir", product("?", 4096, 1024))


#===-- Rows -------------------------------------------------------------------------------------------------------===#

def test_rows():
    """Softmax of rows that are kept up to a length, and reductions whose tails are smaller and smaller tiles."""
    generator = strata.generator_of("rows")
    sizes = ", affine_map<()[s0] -> (3, s0)>>"
    x = f"tensor<3x?xf32{sizes}"
    text = f"""func.func @main(%x: {x} {{strata.name = "x"}}) -> ({x} {{strata.name = "y"}}, tensor<3xf32> {{strata.name = "z"}})
    attributes {{strata.symbols = [{{name = "n", min = 1, max = 2147483647, multiple = 1, likely = [128]}}]}} {{
  %y = "strata.softmax"(%x) {{axes = array<i64: 1>}} : ({x}) -> {x}
  %z = "strata.reduce"(%x) {{kind = "add", axes = array<i64: 1>}} : ({x}) -> tensor<3xf32>
  return %y, %z : {x}, tensor<3xf32>
}}
"""
    for device in ("x86-64-v3", "host"):
        path, _ = strata.compile_library(strata.write("rows.mlir", text), "out", f"rows_{device.replace('-', '_')}",
                                         [f"--device={device}"] if device != "host" else [])
        library = strata.Library(path)
        names = [library.description.kernels[i].contents.name.decode() for i in range(library.description.n_kernels)]
        assert any(name.endswith("_v1") for name in names), names
        for n in [*range(1, 70), 127, 128, 129, 511, 4095, 32767, 32768, 32769, 40001]:
            values = generator.standard_normal((3, n)).astype(np.float32)
            y, z = library.run([values], (n,))
            wide = values.astype(np.float64)
            powers = np.exp(wide - wide.max(axis=1, keepdims=True))
            assert np.allclose(y, powers / powers.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-7), (device, n)
            assert np.allclose(z, wide.sum(axis=1), rtol=1e-4, atol=1e-2), (device, n)


#===-- GPUs -------------------------------------------------------------------------------------------------------===#

def gpu_kernel(name, number):
    return f"""
    func.func @{name}(%x: memref<0xf32>, %y: memref<0xf32>, %n: index, %shared: memref<0xi8, 3>) attributes {{
        strata.threads = 64 : i64, strata.shared = 0 : i64, strata.index_bits = 64 : i64}} {{
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %i = affine.apply affine_map<()[b, t] -> (b * 64 + t)>()[%b, %t]
      %is_inside = arith.cmpi slt, %i, %n : index
      scf.if %is_inside {{
        %0 = memref.load %x[%i] : memref<0xf32>
        %c = arith.constant {number} : f32
        %1 = arith.mulf %0, %c : f32
        memref.store %1, %y[%i] : memref<0xf32>
      }}
      return
    }}"""


def gpu_program(conditions):
    names = ["k"] + [f"k_v{i + 1}" for i in range(len(conditions))]
    common = (f"strata.blocks = affine_map<()[s0, s1] -> ((s0 * s1) ceildiv 64)>, strata.threads = 64 : i64, "
              f"strata.shared = 0 : i64, strata.sizes = affine_map<()[s0, s1] -> (s0 * s1)>")
    declarations = f"  func.func private @k({TYPE}, {TYPE}) attributes {{{common}, strata.variants = [" + ", ".join(
        f"@{name}" for name in names[1:]) + "]}\n"
    for name, (condition, _) in zip(names[1:], conditions):
        declarations += f"  func.func private @{name}({TYPE}, {TYPE}) attributes {{{common}, strata.when = {condition}}}\n"
    numbers = [NUMBERS[3], *NUMBERS]
    return f"""module {{
  func.func @main(%x: {TYPE} {{strata.name = "x"}}, %y: {TYPE} {{strata.name = "y", strata.output}})
      attributes {{{SYMBOLS}}} {{
    %n = arith.constant 1 : index
    %t = memref.alloc(%n, %n) : {TYPE}
    call @k(%x, %t) : ({TYPE}, {TYPE}) -> ()
    call @k(%t, %y) : ({TYPE}, {TYPE}) -> ()
    return
  }}
{declarations}  module @kernels {{{"".join(gpu_kernel(name, number) for name, number in zip(names, numbers))}
  }}
}}
"""


def test_gpu():
    gpu.use_stand_in()
    for number, conditions in enumerate(LISTS):
        planned = strata.run(OPT, strata.write("gpu.mlir", gpu_program(conditions)), "--pipeline=affine-memory-plan")
        path, _ = strata.compile_library(strata.write("gpu_planned.mlir", planned), "out", f"gpu{number}",
                                         ["--target=nvgpu", "--device=emulated_90", "--compile-from=gpu",
                                          *(["--on-gpu-tensors", "--user-device-memory"] if number % 2 else [])])
        library = gpu.Library(path)
        check_calls(library, conditions, 2)
        library.unload()
    check_names("out/libgpu0.so")


def main():
    test_conditions()
    check_names("out/liblist0.so")
    test_alias()
    test_loop()
    test_products()
    test_rows()
    test_explain()
    test_gpu()


main()
