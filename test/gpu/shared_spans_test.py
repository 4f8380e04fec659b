"""Products whose reduction the blocks of a cluster share, three to seven of them, or whose tiles begin within spans of an
operand that lies across the reduction, or that share an operand, too: forms that only measuring takes, drawn, on the
emulated device."""
import numpy as np

import gpu
import strata
from products_test import NN, NT, TN, TT, matmul, run, schedule

SPAN = 64  # numbers of f16
# Rows, warp groups, columns of all tiles of a cluster (devices/gpu/tiles.def).
SHAPES = [(64, 1, columns) for columns in (48, 96, 112, 128, 160, 192, 224)] + [
    (128, 2, columns) for columns in (96, 112, 160, 192, 224)] + [(256, 2, columns) for columns in (64, 96, 112, 128)]
# And blocks that share each part, and blocks below one another that share the operand of the columns.
FORMS = [(*shape, parts, share) for shape in SHAPES for parts in range(2, 9) for share in (1, 2, 4)
         if shape[2] % (8 * parts) == 0 and parts * share <= 8]


def splits(columns, parts):
    own = columns // parts
    return own % SPAN != 0 and SPAN % own != 0


def product(name, form, swap, crossed):
    """|crossed|: whether the operand along the instruction's columns, and the other, lie across the reduction."""
    rows, groups, columns, parts, share = form
    draw = strata.generator_of(name)
    # One cluster or two along the columns, of whole units of 16 bytes, the last tiles beyond the edge or not.
    along = int(draw.integers(1, 2 * columns // 8 + 1)) * 8
    other = int(draw.integers(1, share * rows // 4 + 1)) * 8
    steps = int(draw.integers(2 * parts * 8 - 7, 3 * parts * 8)) * 8  # of 64, two or three a block
    (m, n), (left, right) = ((along, other), crossed) if swap else ((other, along), crossed[::-1])
    x, w = (draw.integers(-3, 4, shape).astype(np.float16) for shape in ((m, steps), (steps, n)))
    exact = x.astype(np.float64) @ w.astype(np.float64)
    maps = ((NT, NN), (TT, TN))[left][right]
    operands = np.ascontiguousarray(x.T) if left else x, w if right else np.ascontiguousarray(w.T)
    tile = (columns // parts, rows) if swap else (rows, columns // parts)
    slot_bytes = 2 * SPAN * (rows + columns)
    slots = max(2, -(-4 * rows * columns // slot_bytes))  # sums of all tiles go to where the slots were
    case = matmul(f"{name}: {m} x {n} x {steps}", maps, *operands, exact, np.float16)
    return case, schedule("f16", exact.shape, *tile, groups, swap, 1000, slots=slots, parts=parts,
                          share=(1, share) if swap else (share, 1))


def cases():
    for form in FORMS:
        for swap in (0, 1):
            for crossed in ((1, 0), (1, 1), (0, 0)):
                is_new = form[3] in (3, 5, 6, 7) or form[4] > 1 or (crossed[0] and splits(form[2], form[3]))
                own = form[2] // form[3]
                if is_new and (form[2] >= SPAN if crossed[0] else own % (8 * form[4]) == 0):  # no parts of a span, or unit
                    yield f"{form} swap {swap} crossed {crossed}", form, swap, crossed


def check(index, *args):
    assert run(*product(*args), index), "wrong results"


if __name__ == "__main__":
    gpu.use_stand_in()
    strata.report((name, lambda i=i, args=(name, *rest): check(i, *args))
                  for i, (name, *rest) in enumerate(strata.drawn(cases(), 12)))
