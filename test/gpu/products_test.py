"""Pipelined products on the emulated device: tiles of every kind, hanging over every edge; operands that come in bulk and
through registers, in either order in memory; epilogues; more tasks than blocks."""
import os
import sys

import numpy as np

import gpu
import strata
from level2 import Case

random = np.random.default_rng(7)
NT = "affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>"
NN = "affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>"
TN = "affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>"
TT = "affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>"
BATCH = ("affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, "
         "affine_map<(b, i, j, k) -> (b, i, j)>")
BYTES = {"f16": 2, "tf32": 4}


def values(dtype, *shape):
    return random.integers(-3, 4, shape).astype(dtype)  # sums are exact


def matmul(name, maps, x, w, expected, result, bias=False, residual=False, constant=False):
    """|constant|: the right operand is one."""
    inputs = [x] + [w] * (not constant) + ([values(result, expected.shape[-1])] if bias else [])
    inputs += [values(result, *expected.shape)] if residual else []
    case = Case(name, *inputs)
    out = expected.astype(result)
    right = case.constant(w) if constant else "%x1"
    y = case.op("contract", ["%x0", right], out, maps=f"[{maps}]", zero_pad="false", origin='"matmul"')
    if bias:
        at = 1 if constant else 2
        wide = np.broadcast_to(inputs[at], out.shape)
        b = case.op("broadcast", [f"%x{at}"], wide, map="affine_map<(i, j) -> (j)>")
        out = np.maximum(out + inputs[at], 0).astype(result)
        y = case.op("relu", [case.op("add", [y, b], out)], out)
    if residual:
        out = (out + inputs[-1]).astype(result)
        y = case.op("add", [y, f"%x{len(inputs) - 1}"], out)
    case.returns([y], out)
    return case


# Tiles as the schedule has them: rows, columns, warp groups, swapped; and how many blocks.
TILES = [(128, 256, 2, 0, 132), (128, 192, 2, 0, 3), (256, 128, 2, 0, 132), (128, 96, 2, 0, 2), (64, 128, 1, 0, 5),
         (64, 160, 1, 0, 132), (64, 16, 1, 0, 132), (16, 64, 1, 1, 4), (64, 128, 2, 1, 7), (192, 256, 2, 1, 132)]
THREE_GROUPS = [(192, 192, 3, 0, 2), (192, 128, 3, 0, 132), (96, 192, 3, 1, 3)]
# Whose results go to memory each in its own way.
RESULT_TILES = [(128, 224, 2, 0, 132), (64, 48, 1, 0, 5), (64, 112, 1, 0, 2), (24, 64, 1, 1, 132), (96, 128, 2, 1, 3),
                (112, 256, 2, 1, 132), (256, 64, 2, 0, 3)]


# Of blocks that share a reduction: the same with how many do.
SHARED_TILES = [(128, 64, 2, 0, 2), (64, 128, 1, 0, 2), (64, 32, 1, 0, 4), (128, 32, 2, 0, 2), (256, 32, 2, 0, 4),
                (32, 64, 1, 1, 2), (16, 128, 2, 1, 4), (64, 64, 1, 1, 2), (8, 64, 1, 1, 8)]
# Of two teams of a group each: tasks that are more and fewer than both have, an odd number of them a block, too.
TEAM_TILES = [(128, 192, 1, 0, 1, 2), (128, 128, 1, 0, 2, 2), (64, 192, 1, 0, 5, 2), (128, 96, 1, 0, 3, 2),
              (192, 64, 1, 1, 4, 2), (128, 128, 1, 1, 132, 2)]


# Of blocks that share operands: rows and columns of tiles of a cluster. Fewer blocks than tiles, or as many.
MULTICAST = [((128, 128, 2, 0, 1000), (2, 2)), ((128, 64, 2, 0, 4), (2, 1)), ((64, 128, 1, 0, 8), (2, 2)),
             ((128, 192, 2, 0, 6), (1, 2)), ((64, 256, 2, 1, 6), (2, 1)), ((128, 128, 2, 1, 8), (2, 4)),
             ((128, 96, 1, 0, 4, 2), (2, 1)), ((64, 192, 1, 0, 4, 2), (2, 2)), ((192, 128, 3, 0, 4), (2, 1)),
             ((64, 128, 1, 0, 1000), (4, 1)), ((128, 64, 2, 0, 8), (1, 4)), ((96, 128, 2, 1, 16), (4, 2))]

# Tiles of every second row: of a cluster, of a block alone, of two teams; of three groups with a tile for each kind.
ALTERNATE = [((128, 64, 2, 0, 1000), (2, 1)), ((64, 128, 1, 0, 4), (4, 1)), ((64, 64, 1, 0, 5), (1, 1)),
             ((128, 128, 2, 0, 8), (2, 2)), ((64, 192, 1, 0, 2, 2), (1, 2)), ((192, 128, 3, 0, 3), (1, 1))]


def schedule(kind, shape, rows, columns, groups, swap, blocks, teams=1, slots=3, parts=0, share=(1, 1), every=1):
    step, batch = 128 // BYTES[kind], shape[0] if len(shape) == 3 else 1
    whole = [rows * max(parts, 1), columns] if swap else [rows, columns * max(parts, 1)]
    whole = [whole[0] * share[0], whole[1] * share[1]]
    clusters = -(-shape[-2] // every // whole[0]) * every * -(-shape[-1] // whole[1]) * batch
    blocks = min(blocks, clusters * max(parts, 1) * share[0] * share[1])
    return (f'schedule k0 emulated_90 {{kind = "contract", threads = {groups * teams * 128}, group = {groups * 128}, '
            f"tile = array<i64: {rows}, {columns}, {step}>, warps = array<i64: {4 * groups}, 1>, "
            f'mma = "wgmma.{kind}", producers = 128, slots = {slots}, blocks = {blocks}' +
            (", swap = 1" if swap else "") + (f", parts = {parts}" if parts else "") +
            (f", every = {every}" if every > 1 else "") +
            (f", share = array<i64: {share[0]}, {share[1]}>}}" if max(share) > 1 else "}"))


def shared(kind, case_of):
    """Products whose reduction the blocks of a cluster share: of as many steps as blocks and more, which they share
    unevenly; tiles beyond the edges."""
    for rows, columns, groups, swap, parts in SHARED_TILES:
        along = rows if swap else columns
        for steps, tiles in ((2 * parts * 64 + 8, 2 * parts), (5 * parts * 64 - 72, parts + 1)):
            less = 3 if tiles % parts == 0 else 0 # tiles of a cluster, if not the results, end at a tile's edge
            m, n = (tiles * along - less, 2 * columns - 8) if swap else (rows + 11, (tiles * along - less) // 8 * 8)
            x, w = values(np.float16, m, steps), values(np.float16, steps, n)
            exact = x.astype(np.float64) @ w.astype(np.float64)
            yield (case_of(x, w, exact, f"shared {m}x{n}x{steps} {rows}x{columns} by {parts}"),
                   schedule(kind, exact.shape, rows, columns, groups, swap, 1000, slots=4, parts=parts))


def multicast():
    """Products whose operands the blocks of a cluster share: lying in every order, tiles over the edges and clusters,
    more steps than slots, more tasks than blocks."""
    x, w = values(np.float16, 328, 328), values(np.float16, 328, 424)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    for tile, share in MULTICAST:
        line = schedule("f16", exact.shape, *tile, share=share)
        yield matmul(f"f16 multicast NN {tile} {share}", NN, x, w, exact, np.float16, bias=True), line
        yield matmul(f"f16 multicast NT {tile} {share}", NT, x, w.T.copy(), exact, np.float16, residual=tile[2] < 3), line
    for tile, share in MULTICAST[:2] + MULTICAST[5:6]:
        line = schedule("f16", exact.shape, *tile, share=share)
        yield matmul(f"f16 multicast TN {tile} {share}", TN, x.T.copy(), w, exact, np.float16), line
        yield matmul(f"f16 multicast TT {tile} {share}", TT, x.T.copy(), w.T.copy(), exact, np.float16), line
    few = x[:100, :72].copy(), w[:72, :77].T.copy() # fewer steps than slots; rows of results that are not aligned
    few_exact = few[0].astype(np.float64) @ few[1].T
    for tile, share in MULTICAST[:3]:
        yield (matmul(f"f16 multicast few {tile} {share}", NT, *few, few_exact, np.float16),
               schedule("f16", few_exact.shape, *tile, share=share))
    a, b = values(np.float16, 3, 136, 136), values(np.float16, 3, 136, 264)
    yield (matmul("f16 multicast batch", BATCH, a, b, a.astype(np.float64) @ b.astype(np.float64), np.float16),
           schedule("f16", (3, 136, 264), *MULTICAST[2][0], share=(2, 2)))
    x, w = x.astype(np.float32), w.astype(np.float32)
    for tile, share in (MULTICAST[1], MULTICAST[2]):
        line = schedule("tf32", exact.shape, *tile, share=share)
        yield matmul(f"tf32 multicast NT {tile} {share}", NT, x, w.T.copy(), exact, np.float32), line
        yield matmul(f"tf32 multicast TT {tile} {share}", TT, x.T.copy(), w.T.copy(), exact, np.float32), line


def constants():
    """Products whose right operand is a constant, of which the first steps come before the wait for the kernel in front: in
    each form, of fewer steps than slots and of more; beside rows that come through registers."""
    x, w = values(np.float16, 200, 392), values(np.float16, 392, 328)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    for tile in (*TILES[:3], *TILES[4:6], *TILES[7:9], THREE_GROUPS[1], *TEAM_TILES[1:5]):
        for slots in (2, min(8, 160 * 1024 // (128 * (tile[0] + tile[1])))):
            yield (matmul(f"f16 constant {tile} {slots}", NT, x, w.T.copy(), exact, np.float16, bias=True, constant=True),
                   schedule("f16", exact.shape, *tile, slots=slots))
    for tile, share in MULTICAST[:6]:
        yield (matmul(f"f16 constant multicast {tile} {share}", NT, x, w.T.copy(), exact, np.float16, constant=True),
               schedule("f16", exact.shape, *tile, share=share))
    for tile in (TILES[4], TILES[8]):
        yield (matmul(f"f16 constant NN {tile}", NN, x, w, exact, np.float16, residual=True, constant=True),
               schedule("f16", exact.shape, *tile))
    odd, few = x[:, :389].copy(), w[:389].copy()
    odd_exact = odd.astype(np.float64) @ few.astype(np.float64)
    for tile in (TILES[4], TILES[5], TILES[8]):  # rows that are no multiple of 16 bytes
        yield (matmul(f"f16 constant odd {tile}", NN, odd, few, odd_exact, np.float16, constant=True),
               schedule("f16", odd_exact.shape, *tile))
    yield from shared("f16", lambda x, w, exact, what: matmul(f"f16 constant {what}", NT, x, w.T.copy(), exact, np.float16,
                                                              constant=True))


def alternate():
    """Products whose left operand's rows begin within sectors, of which tiles have every second one: steps that begin in
    front of the reduction, and end behind it."""
    x, w = values(np.float16, 330, 328), values(np.float16, 328, 424)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    for tile, share in ALTERNATE:
        line = schedule("f16", exact.shape, *tile, share=share, every=2)
        yield matmul(f"f16 alternate NN {tile} {share}", NN, x, w, exact, np.float16, bias=True), line
        yield matmul(f"f16 alternate NT {tile} {share}", NT, x, w.T.copy(), exact, np.float16, residual=tile[2] < 3), line
    few = x[:98, :72].copy(), w[:72, :77].T.copy() # rows of results that are not aligned
    few_exact = few[0].astype(np.float64) @ few[1].T
    for tile, share in ALTERNATE[:3]:
        yield (matmul(f"f16 alternate few {tile} {share}", NT, *few, few_exact, np.float16),
               schedule("f16", few_exact.shape, *tile, share=share, every=2))
    a, b = values(np.float16, 3, 136, 136), values(np.float16, 3, 136, 264)
    yield (matmul("f16 alternate batch", BATCH, a, b, a.astype(np.float64) @ b.astype(np.float64), np.float16),
           schedule("f16", (3, 136, 264), *ALTERNATE[0][0], share=(2, 1), every=2))
    x, w = values(np.float32, 202, 332), values(np.float32, 332, 140)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    for tile, share in ALTERNATE[:2]:
        line = schedule("tf32", exact.shape, *tile, share=share, every=2)
        yield matmul(f"tf32 alternate NT {tile} {share}", NT, x, w.T.copy(), exact, np.float32), line


def alternate_slice():
    """Rows that go on behind the reduction, which is whole steps: those of the second kind have one more."""
    x, w = values(np.float16, 130, 328), values(np.float16, 256, 136)
    case = Case("f16 alternate slice", x, w)
    part = case.op("slice", ["%x0"], x[:, :256], starts="array<i64: 0, 0>", steps="array<i64: 1, 1>")
    out = (x[:, :256].astype(np.float64) @ w).astype(np.float16)
    case.returns([case.op("contract", [part, "%x1"], out, maps=f"[{NN}]", zero_pad="false", origin='"matmul"')], out)
    return case, schedule("f16", out.shape, *ALTERNATE[0][0], share=(2, 1), every=2)


def parts_of_rows(k, first, column, width, tile, share):
    """Some elements of each of some rows, which go on with infinities on either side."""
    x, w = np.full((first + 203, k), np.inf, np.float16), values(np.float16, width, 136)
    x[first:, column:column + width] = values(np.float16, 203, width)
    case = Case(f"f16 parts of rows {k} {first} {column} {width}", x, w)
    some = x[first:, column:column + width]
    part = case.op("slice", ["%x0"], some, starts=f"array<i64: {first}, {column}>", steps="array<i64: 1, 1>")
    out = (some.astype(np.float64) @ w).astype(np.float16)
    case.returns([case.op("contract", [part, "%x1"], out, maps=f"[{NN}]", zero_pad="false", origin='"matmul"')], out)
    return case, schedule("f16", out.shape, *tile, share=share) if k % 8 == column % 8 == 0 else ""


def padded(k, front, behind, above, tile, share):
    """A padded left operand, of rows that begin anywhere or not: zero in front of its rows, behind them, and beside them."""
    x, w = values(np.float16, 203, k), values(np.float16, front + k + behind, 136)
    out = np.zeros((above + 203 + above, 136), np.float16)
    out[above:above + 203] = x.astype(np.float64) @ w[front:front + k]
    case = Case(f"f16 padded {k} {front} {behind} {above}", x, w)
    maps = f"[affine_map<(i, j, k) -> (i - {above}, k - {front})>, {NN.split('>, ', 1)[1]}]"
    case.returns([case.op("contract", ["%x0", "%x1"], out, maps=maps, zero_pad="true", origin='"matmul"')], out)
    return case, schedule("f16", out.shape, *tile, share=share) if k % 8 == front % 8 == 0 else ""


def strided(first, step, tile):
    """Of every so many rows of buffers whose sizes are multiples of that, or are not."""
    x, w = values(np.float16, 136 * step + first, 136), values(np.float16, 80 * step, 136)
    case = Case(f"f16 strided {first} {step} {tile}", x, w)
    parts = [x[first:first + 136 * step:step], w[step - 1::step]]
    names = [case.op("slice", [f"%x{i}"], parts[i], starts=f"array<i64: {start}, 0>", steps=f"array<i64: {step}, 1>")
             for i, start in enumerate((first, step - 1))]
    out = (parts[0].astype(np.float64) @ parts[1].T).astype(np.float16)
    case.returns([case.op("contract", names, out, maps=f"[{NT}]", zero_pad="false", origin='"matmul"')], out)
    return case, schedule("f16", out.shape, *tile)


def through_the_ring():
    """Tiles of residuals, which come behind the steps: of a slot and of several, in the part of the left operand and of
    the right one, of teams; fewer steps than slots; f32, which is not to be rounded; two of them; in a batch."""
    x, w = values(np.float16, 200, 136), values(np.float16, 136, 328)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    for tile in (*TEAM_TILES[:3], (64, 64, 1, 0, 3), (128, 64, 2, 0, 4)):
        yield (matmul(f"f16 behind {tile}", NT, x, w.T.copy(), exact, np.float16, residual=True),
               schedule("f16", exact.shape, *tile, slots=2 if len(tile) == 5 else 3))
    few = x[:, :40].copy(), w[:40].copy()
    yield (matmul("f16 few behind", NN, *few, few[0].astype(np.float64) @ few[1], np.float16, residual=True),
           schedule("f16", exact.shape, *TEAM_TILES[1]))
    case = Case("f16 two behind", x, w, values(np.float16, 200, 328), values(np.float16, 200, 328))
    out = exact.astype(np.float16)
    y = case.op("contract", ["%x0", "%x1"], out, maps=f"[{NN}]", zero_pad="false", origin='"matmul"')
    for i in (2, 3):
        out = (out + case.inputs[i] * (i - 1)).astype(np.float16)
        scaled = case.op("mul", [f"%x{i}", case.constant(np.full_like(out, i - 1))], out)
        y = case.op("add", [y, scaled], out)
    case.returns([y], out)
    yield case, schedule("f16", exact.shape, 128, 64, 2, 0, 4)
    a, b = values(np.float16, 3, 72, 136), values(np.float16, 3, 136, 136)
    out = a.astype(np.float64) @ b
    case = Case("f16 batch behind", a, b, values(np.float16, *out.shape))
    y = case.op("contract", ["%x0", "%x1"], out.astype(np.float16), maps=f"[{BATCH}]", zero_pad="false", origin='"matmul"')
    out = (out + case.inputs[2]).astype(np.float16)
    case.returns([case.op("add", [y, "%x2"], out)], out)
    yield case, schedule("f16", out.shape, 64, 128, 1, 0, 5)
    x, w = x.astype(np.float32), w.astype(np.float32)
    for tile in ((64, 64, 1, 0, 3), (64, 128, 1, 0, 5), (128, 64, 2, 0, 132)):
        case = Case(f"tf32 behind {tile}", x, w.T.copy(), 2.0 ** -12 + values(np.float32, 200, 328))
        out = exact.astype(np.float32)
        y = case.op("contract", ["%x0", "%x1"], out, maps=f"[{NT}]", zero_pad="false", origin='"matmul"')
        out = out + case.inputs[2]
        case.returns([case.op("add", [y, "%x2"], out)], out)
        yield case, schedule("tf32", exact.shape, *tile)


def convolution(rows, columns, groups, swap, parts):
    """Of 3 x 3 windows with padding, whose reduction the blocks of a cluster share."""
    x, w = values(np.float16, 2, 7, 6, 64), values(np.float16, 80, 3, 3, 64)
    padded = np.zeros((2, 9, 8, 64))
    padded[:, 1:8, 1:7] = x
    out = sum(padded[:, y:y + 7, z:z + 6] @ w[:, y, z].astype(np.float64).T for y in range(3) for z in range(3))
    case = Case(f"f16 shared convolution {rows}x{columns} by {parts}", x, w)
    maps = ("affine_map<(n, p, q, k, r, s, c) -> (n, p + r - 1, q + s - 1, c)>, "
            "affine_map<(n, p, q, k, r, s, c) -> (k, r, s, c)>, affine_map<(n, p, q, k, r, s, c) -> (n, p, q, k)>")
    out = out.astype(np.float16)
    case.returns([case.op("contract", ["%x0", "%x1"], out, maps=f"[{maps}]", zero_pad="true", origin='"conv"')], out)
    return case, schedule("f16", (84, 80), rows, columns, groups, swap, 1000, slots=4, parts=parts)


def products():
    x, w = values(np.float16, 200, 136), values(np.float16, 136, 328)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    for tile in [tile for tile in TILES if tile[1] >= 64]: # no parts of a span of w
        yield matmul(f"f16 NN {tile}", NN, x, w, exact, np.float16, bias=tile[0] == 128), schedule("f16", exact.shape, *tile)
    for tile in TILES[:4] + THREE_GROUPS:  # NT: with residuals, below
        yield matmul(f"f16 TN {tile}", TN, x.T.copy(), w, exact, np.float16), schedule("f16", exact.shape, *tile)
    odd = x[:, :133].copy(), w[:133, :325].copy()  # rows that are no multiple of 16 bytes
    exact_odd = odd[0].astype(np.float64) @ odd[1].astype(np.float64)
    for tile in (TILES[1], TILES[3], TILES[5], TILES[8], THREE_GROUPS[1]):
        yield matmul(f"f16 odd {tile}", NN, *odd, exact_odd, np.float16), schedule("f16", exact_odd.shape, *tile)
    for tile in RESULT_TILES + TILES[6:8]:
        yield matmul(f"f16 {tile}", NT, x, w.T.copy(), exact, np.float16, bias=True), schedule("f16", exact.shape, *tile)
    for rows, columns in ((133, 90), (66, 204)):  # 131 x 77: with residuals, below
        some = x[:rows].copy(), w[:, :columns].T.copy()
        for tile in (RESULT_TILES[0], RESULT_TILES[3], TILES[0], TILES[3], TILES[8], THREE_GROUPS[0], TEAM_TILES[0]):
            yield (matmul(f"f16 {rows}x{columns} {tile}", NT, *some, exact[:rows, :columns], np.float16, bias=True),
                   schedule("f16", (rows, columns), *tile))
    for tile in (*TILES[:4], TILES[8], RESULT_TILES[0], RESULT_TILES[4], THREE_GROUPS[2]):
        yield (matmul(f"f16 residual {tile}", NT, x, w.T.copy(), exact, np.float16, bias=True, residual=True),
               schedule("f16", exact.shape, *tile))
    some = x[:131].copy(), w[:, :77].T.copy()
    for tile in (TILES[0], TILES[8], RESULT_TILES[0], RESULT_TILES[3], RESULT_TILES[4]):
        yield (matmul(f"f16 odd residual {tile}", NT, *some, exact[:131, :77], np.float16, bias=True, residual=True),
               schedule("f16", (131, 77), *tile))
    for tile in TEAM_TILES:
        yield matmul(f"f16 teams {tile}", NT, x, w.T.copy(), exact, np.float16, bias=True), schedule("f16", exact.shape, *tile)
        some = x[:131].copy(), w[:, :77].T.copy()
        yield (matmul(f"f16 odd teams {tile}", NT, *some, exact[:131, :77], np.float16, residual=True),
               schedule("f16", (131, 77), *tile))
    a, b = values(np.float16, 3, 72, 40), values(np.float16, 3, 40, 136)
    yield (matmul("f16 batch", BATCH, a, b, a.astype(np.float64) @ b.astype(np.float64), np.float16),
           schedule("f16", (3, 72, 136), *TILES[4]))
    for tile in ((64, 24, 1, 0, 4), (32, 64, 1, 1, 2)):
        yield convolution(*tile)
    yield from shared("f16", lambda x, w, exact, what: matmul(f"f16 NT {what}", NT, x, w.T.copy(), exact, np.float16))
    for i, product in enumerate(shared("f16", lambda x, w, exact, what: matmul(
            f"f16 NN {what}", NN, x, w, exact, np.float16, bias=True, residual=True))):
        if SHARED_TILES[i // 2][1] * (1 if SHARED_TILES[i // 2][3] else SHARED_TILES[i // 2][4]) % 64 == 0:
            yield product
    yield from multicast()
    yield from constants()
    yield from alternate()
    yield from through_the_ring()
    yield alternate_slice()
    # In bulk where boxes begin at multiples of 16 bytes, else as the model has it.
    for k, first, column, width in ((331, 0, 0, 300), (331, 3, 5, 326), (331, 1, 7, 129), (330, 5, 0, 277), (328, 3, 5, 323),
                                    (328, 1, 9, 201), (328, 3, 8, 320), (328, 1, 16, 201)):
        yield parts_of_rows(k, first, column, width, *ALTERNATE[2])
    for k, front, behind, above in ((331, 0, 13, 0), (331, 0, 70, 5), (330, 0, 1, 3), (329, 5, 9, 3), (328, 5, 9, 3),
                                    (328, 0, 9, 0), (328, 8, 16, 3)):
        yield padded(k, front, behind, above, *ALTERNATE[2])
    for first, step, tile in ((0, 2, TILES[1]), (0, 3, TILES[8]), (1, 2, TILES[3]), (2, 2, TILES[4])):
        yield strided(first, step, tile)
    x, w = x.astype(np.float32), w.astype(np.float32)
    for tile in (TILES[1], TILES[3], TILES[4], TILES[8]):
        yield matmul(f"tf32 NN {tile}", NN, x, w, exact, np.float32), schedule("tf32", exact.shape, *tile)
        yield matmul(f"tf32 NT {tile}", NT, x, w.T.copy(), exact, np.float32), schedule("tf32", exact.shape, *tile)
        some = x[:131].copy(), w[:, :277].T.copy()
        yield (matmul(f"tf32 131x277 {tile}", NT, *some, exact[:131, :277], np.float32, residual=True),
               schedule("tf32", (131, 277), *tile))
    for tile in (TILES[0], TILES[2], TILES[5], TILES[7], TILES[8]):  # one operand across, or both
        yield (matmul(f"tf32 TN {tile}", TN, x.T.copy(), w, exact, np.float32, bias=True, residual=tile[0] == 128),
               schedule("tf32", exact.shape, *tile))
        yield matmul(f"tf32 TT {tile}", TT, x.T.copy(), w.T.copy(), exact, np.float32), schedule("tf32", exact.shape, *tile)
    some = x[:132, :44].copy(), w[:44, :260].copy()
    some_exact = some[0].astype(np.float64) @ some[1]
    for tile in (TILES[3], TILES[7], TILES[8]):
        yield matmul(f"tf32 132x260 {tile}", NN, *some, some_exact, np.float32), schedule("tf32", some_exact.shape, *tile)


def run(case, line, index):
    options = ["--mm-conv-precision-mode=tf32"] if "tf32" in case.name else []
    library = gpu.compile_case(case, f"product{index}", line, options)
    got = gpu.Library(library).run(case.inputs)[0]
    wrong = np.argwhere(got.reshape(case.outputs[0].shape) != case.outputs[0])
    if len(wrong):
        print(f"{case.name}: {len(wrong)} wrong elements, the first at {wrong[0]}")
    os.remove(library)
    return len(wrong) == 0


def main():
    """Cases by a part of their names: python3 products_test.py teams"""
    gpu.use_stand_in()
    wanted = [product for product in products() if all(word in product[0].name for word in sys.argv[1:])]
    if len(sys.argv) == 1:
        wanted = strata.every(wanted)
    return sum(not run(*product, i) for i, product in enumerate(wanted)) != 0


if __name__ == "__main__":
    sys.exit(main())
