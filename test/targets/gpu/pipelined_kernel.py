"""Level 4 of a product as docs/gpu.md's "A pipelined product" would have it: 128 x 256 of the result a task, steps of 64,
two groups of consumers with 128 sums a thread, one thread that fetches. Prints the module."""
import sys

ROWS, COLUMNS, STEP, GROUP_ROWS, SUMS = 128, 256, 64, 64, 128
HEAD = """
module {{ builtin.module @kernels {{
func.func @gemm(%a: memref<{m}x{k}xbf16>, %b: memref<{n}x{k}xbf16>, %c: memref<{m}x{n}xf32>, %shared: memref<{bytes}xi8, 3>)
    attributes {{strata.blocks = {blocks} : i64, strata.threads = 384 : i64, strata.shared = {bytes} : i64,
      strata.index_bits = 32 : i64, strata.maps = [
        {{buffer = 0 : i64, type = bf16, sizes = array<i64: {k}, {m}>, strides = array<i64: {pitch}>,
          box = array<i64: 64, 128>, steps = array<i64: 1, 1>, swizzle = 128 : i64}},
        {{buffer = 1 : i64, type = bf16, sizes = array<i64: {k}, {n}>, strides = array<i64: {pitch}>,
          box = array<i64: 64, 256>, steps = array<i64: 1, 1>, swizzle = 128 : i64}}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %slots = arith.constant {slots} : index
  %first = arith.constant 256 : index
  %tasks = arith.constant {tasks} : index
  %blocks = arith.constant {blocks} : index
  %extent = arith.constant {k} : index
  %even = arith.constant 0 : i32
  %odd = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %right_at = arith.constant {right} : index
  %full_at = arith.constant {full} : index
  %empty_at = arith.constant {empty} : index
  %left = memref.view %shared[%c0][] : memref<{bytes}xi8, 3> to memref<{left_elements}xbf16, 3>
  %right = memref.view %shared[%right_at][] : memref<{bytes}xi8, 3> to memref<{right_elements}xbf16, 3>
  %full = memref.view %shared[%full_at][] : memref<{bytes}xi8, 3> to memref<{slots}xi64, 3>
  %empty = memref.view %shared[%empty_at][] : memref<{bytes}xi8, 3> to memref<{slots}xi64, 3>
  %block = gpu.block_id x
  %t = gpu.thread_id x
  %is_first = arith.cmpi eq, %t, %c0 : index
  scf.if %is_first {{
    scf.for %s = %c0 to %slots step %c1 {{
      "tile.barrier_init"(%full, %s) {{count = 1 : i64}} : (memref<{slots}xi64, 3>, index) -> ()
      "tile.barrier_init"(%empty, %s) {{count = 2 : i64}} : (memref<{slots}xi64, 3>, index) -> ()
    }}
    "tile.fence"() {{of = "barriers"}} : () -> ()
  }}
  gpu.barrier
  %is_producer = arith.cmpi uge, %t, %first : index
  scf.if %is_producer {{
    "tile.registers"() {{count = 40 : i64, more = false}} : () -> ()
    %is_fetcher = arith.cmpi eq, %t, %first : index
    scf.if %is_fetcher {{
      %p:2 = scf.for %task = %block to %tasks step %blocks iter_args(%s0 = %c0, %p0 = %odd) -> (index, i32) {{
        %i = affine.apply affine_map<(t) -> ((t floordiv {across}) * 128)>(%task)
        %j = affine.apply affine_map<(t) -> ((t mod {across}) * 256)>(%task)
        %q:2 = scf.for %k = %c0 to %extent step %c64 iter_args(%s = %s0, %p1 = %p0) -> (index, i32) {{
          "tile.barrier_wait"(%empty, %s, %p1) : (memref<{slots}xi64, 3>, index, i32) -> ()
          "tile.barrier_expect"(%full, %s) {{bytes = {slot} : i64}} : (memref<{slots}xi64, 3>, index) -> ()
          %to_left = affine.apply affine_map<(s) -> (s * 8192)>(%s)
          %to_right = affine.apply affine_map<(s) -> (s * 16384)>(%s)
          "tile.bulk_load"(%left, %to_left, %full, %s, %k, %i) {{map = 0 : i64}}
            : (memref<{left_elements}xbf16, 3>, index, memref<{slots}xi64, 3>, index, index, index) -> ()
          "tile.bulk_load"(%right, %to_right, %full, %s, %k, %j) {{map = 1 : i64}}
            : (memref<{right_elements}xbf16, 3>, index, memref<{slots}xi64, 3>, index, index, index) -> ()
{advance}
          scf.yield %next, %parity : index, i32
        }}
        scf.yield %q#0, %q#1 : index, i32
      }}
    }}
  }} else {{
    "tile.registers"() {{count = 232 : i64, more = true}} : () -> ()
"""
ADVANCE = """          %after = arith.addi %s, %c1 : index
          %wraps = arith.cmpi eq, %after, %slots : index
          %next = arith.select %wraps, %c0, %after : index
          %turn = arith.extui %wraps : i1 to i32
          %parity = arith.xori %p1, %turn : i32"""
GROUP = {
    "plain": "    %group = affine.apply affine_map<(t) -> (t floordiv 128)>(%t)\n",
    "shuffled": """    %own = affine.apply affine_map<(t) -> (t floordiv 128)>(%t)
    %own32 = arith.index_cast %own : index to i32
    %lanes = arith.constant 32 : i32
    %group32, %valid = gpu.shuffle idx %own32, %even, %lanes : i32
    %group = arith.index_cast %group32 : i32 to index
"""}
LOOP = """    %lane = affine.apply affine_map<(t) -> (t mod 128)>(%t)
    %is_lead = arith.cmpi eq, %lane, %c0 : index
    %u:2 = scf.for %task = %block to %tasks step %blocks iter_args(%s0 = %c0, %p0 = %even) -> (index, i32) {{
      %r:130 = scf.for %k = %c0 to %extent step %c64 iter_args(%s = %s0, %p1 = %p0, {iter}) -> (index, i32, {types}) {{
        "tile.barrier_wait"(%full, %s, %p1) : (memref<{slots}xi64, 3>, index, i32) -> ()
        %f:128 = "tile.mma_fence"({z}) : ({types}) -> ({types})
"""
MMA = """        %left{j} = affine.apply affine_map<(s, g) -> (s * 8192 + g * 4096 + {k})>(%s, %group)
        %right{j} = affine.apply affine_map<(s) -> (s * 16384 + {k})>(%s)
        %m{j}:128 = "tile.mma_async"(%left, %left{j}, %right, %right{j}, {c}) {{kind = "wgmma.bf16", n = 256 : i64,
            left = array<i64: 0, 128, 0, 1024>, right = array<i64: 0, 128, 0, 1024>}}
          : (memref<{left_elements}xbf16, 3>, index, memref<{right_elements}xbf16, 3>, index, {types}) -> ({types})
"""
TAIL = """        "tile.mma_commit"() : () -> ()
        %w:128 = "tile.mma_wait"({m3}) {{pending = 0 : i64}} : ({types}) -> ({types})
        scf.if %is_lead {{
          "tile.barrier_arrive"(%empty, %s) : (memref<{slots}xi64, 3>, index) -> ()
        }}
{advance}
        scf.yield %next, %parity, {w} : index, i32, {types}
      }}
      %row = affine.apply affine_map<(t, l, g)
        -> ((t floordiv {across}) * 128 + g * 64 + (l floordiv 32) * 16 + (l mod 32) floordiv 4)>(%task, %lane, %group)
      %column = affine.apply affine_map<(t, l) -> ((t mod {across}) * 256 + (l mod 4) * 2)>(%task, %lane)
"""
STORE = """      %v{i} = vector.from_elements %r#{at}, %r#{at1} : vector<2xf32>
      %i{i} = affine.apply affine_map<(r) -> (r + {row})>(%row)
      %j{i} = affine.apply affine_map<(c) -> (c + {column})>(%column)
      vector.store %v{i}, %c[%i{i}, %j{i}] : memref<{m}x{n}xf32>, vector<2xf32>
"""


def kernel(m, n, k, slots, blocks, group):
    right, ring = slots * ROWS * STEP * 2, slots * (ROWS + COLUMNS) * STEP * 2
    values = lambda name: ", ".join(f"%{name}#{i}" for i in range(SUMS))
    f = {
        "m": m, "n": n, "k": k, "slots": slots, "blocks": blocks, "pitch": 2 * k, "across": n // COLUMNS,
        "tasks": (m // ROWS) * (n // COLUMNS), "right": right, "full": ring, "empty": ring + 8 * slots,
        "bytes": ring + 16 * slots, "slot": (ROWS + COLUMNS) * STEP * 2, "left_elements": slots * ROWS * STEP,
        "right_elements": slots * COLUMNS * STEP, "advance": ADVANCE, "types": ", ".join(["f32"] * SUMS),
        "iter": ", ".join(f"%z{i} = %zero" for i in range(SUMS)), "z": ", ".join(f"%z{i}" for i in range(SUMS)),
        "w": values("w"), "m3": values("m3"),
    }
    text = HEAD.format(**f) + GROUP[group] + LOOP.format(**f)
    for j in range(STEP // 16):
        text += MMA.format(**{**f, "j": j, "k": 16 * j, "c": values(f"m{j - 1}" if j else "f")})
    text += TAIL.format(**f)
    for i in range(SUMS // 2):
        text += STORE.format(i=i, at=2 * i + 2, at1=2 * i + 3, row=8 * (i % 2), column=8 * (i // 2), m=m, n=n)
    return text + "      scf.yield %r#0, %r#1 : index, i32\n    }\n  }\n  return\n}\n} }\n"


if __name__ == "__main__":
    print(kernel(*map(int, sys.argv[1:6]), sys.argv[6]))
