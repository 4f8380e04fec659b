"""Products on multiply-adds on the emulated device: tiles of every kind, hanging over every edge, operands in either order
in memory."""
import os
import sys

import numpy as np

import gpu
import strata
from products_test import NN, NT, TN, matmul, values

# Rows, columns and steps of the tile, warps along rows and columns.
TILES = [(128, 128, 8, 2, 2), (128, 128, 8, 4, 2), (128, 64, 8, 4, 2), (64, 128, 8, 2, 4), (64, 64, 8, 2, 2),
         (32, 64, 16, 2, 2)]
# Of pipelined products, whose operands come in bulk: [steps, rows] and [steps, columns].
RINGS = [(256, 128, 16, 4, 2), (128, 256, 16, 2, 4)]


def schedule(rows, columns, steps, row_warps, column_warps):
    threads = 32 * row_warps * column_warps * (steps // 8)
    return (f'schedule k0 emulated_90 {{kind = "contract", threads = {threads}, group = {threads}, '
            f"tile = array<i64: {rows}, {columns}, {steps}>, warps = array<i64: {row_warps}, {column_warps}>}}")


def ring(rows, columns, steps, row_warps, column_warps):
    return (f'schedule k0 emulated_90 {{kind = "contract", threads = 256, group = 256, producers = 128, slots = 3, '
            f"blocks = 2, tile = array<i64: {rows}, {columns}, {steps}>, warps = array<i64: {row_warps}, {column_warps}>}}")


def run(case, tile, schedule):
    with open("product.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    with open("product.schedule", "w", encoding="utf-8") as file:
        file.write(schedule(*tile) + "\n")
    name = "_".join(case.name.split())
    options = ["--target=nvgpu", "--device=emulated_90", "--schedule=product.schedule", "--mm-conv-precision-mode=fp32"]
    library, _ = strata.compile_library("product.mlir", ".", name, options)
    got = gpu.Library(library).run(case.inputs)[0]
    wrong = np.argwhere(got.reshape(case.outputs[0].shape) != case.outputs[0])
    if len(wrong):
        print(f"{case.name} {tile}: {len(wrong)} wrong elements, the first at {wrong[0]}")
    os.remove(library)
    return len(wrong) == 0


def main():
    gpu.use_stand_in()
    failed = 0
    for rows, columns, steps, tiles in ((256, 128, 24, TILES[:1]), (133, 203, 37, TILES)):
        x, w = values(np.float32, rows, steps), values(np.float32, steps, columns)
        y = x @ w
        for i, tile in enumerate(tiles):
            for maps, a, b in ((NN, x, w), (NT, x, w.T.copy()), (TN, x.T.copy(), w)):
                name = f"sums{rows} {i} {'t' if a is not x else 'n'}{'t' if b is not w else 'n'}"
                failed += not run(matmul(name, maps, a, b, y, np.float32), tile, schedule)
    for rows, columns, steps in ((512, 256, 48), (300, 404, 59)):
        x, w = values(np.float32, rows, steps), values(np.float32, steps, columns)
        x += values(np.float32, rows, steps) * 2.0 ** -13  # more bits than tf32 has
        for i, tile in enumerate(RINGS):
            case = matmul(f"ring{rows} {i}", TN, x.T.copy(), w, x @ w, np.float32, bias=i == 0, residual=i == 1)
            failed += not run(case, tile, ring)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
