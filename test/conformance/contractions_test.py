"""contract: matrix products of sizes about every tile, batched, transposed and degenerate, convolutions, on many pairs
of operand and result types.

A sum of n products may err by n units in the last place of the sum of the magnitudes: half a unit for each product and
each sum, in any order."""
import itertools

import numpy as np

import formats
import suite
import tables
import values

OP = tables.OPS["contract"]
SCALED = tables.OPS["scaled_contract"]
OPS = [OP, SCALED]
MM = ("(i, j, k) -> (i, k)", "(i, j, k) -> (k, j)", "(i, j, k) -> (i, j)")
D = "(n, o, h, w, c, y, x)"

# name: subscripts of einsum on the padded operands, maps, lhs shape, rhs shape, result shape, padding of the lhs
PRODUCTS = {f"matmul {m}x{n}x{k}": ("ik,kj->ij", MM, (m, k), (k, n), (m, n))
            for m, n, k in ((1, 1, 1), (7, 17, 65), (17, 7, 1), (65, 100, 257), (1, 257, 100), (100, 1, 65),
                            (8, 64, 64), (4, 6, 0), (0, 5, 3), (13, 31, 300))}
PRODUCTS |= {
    "dot": ("k,k->", ("(k) -> (k)", "(k) -> (k)", "(k) -> ()"), (257,), (257,), ()),
    "outer": ("i,j->ij", ("(i, j) -> (i)", "(i, j) -> (j)", "(i, j) -> (i, j)"), (7,), (17,), (7, 17)),
    "matvec": ("ik,k->i", ("(i, k) -> (i, k)", "(i, k) -> (k)", "(i, k) -> (i)"), (17, 100), (100,), (17,)),
    "both transposed": ("ki,jk->ij", ("(i, j, k) -> (k, i)", "(i, j, k) -> (j, k)", MM[2]), (65, 17), (9, 65), (17, 9)),
    "batched": ("abik,abjk->abij", ("(a, b, i, j, k) -> (a, b, i, k)", "(a, b, i, j, k) -> (a, b, j, k)",
                                    "(a, b, i, j, k) -> (a, b, i, j)"), (2, 3, 7, 16), (2, 3, 9, 16), (2, 3, 7, 9)),
    "broadcast batch": ("aik,kj->aij", ("(a, i, j, k) -> (a, i, k)", "(a, i, j, k) -> (k, j)",
                                        "(a, i, j, k) -> (a, i, j)"), (3, 5, 33), (33, 18), (3, 5, 18)),
    "two sums": ("ikl,klj->ij", ("(i, j, k, l) -> (i, k, l)", "(i, j, k, l) -> (k, l, j)", "(i, j, k, l) -> (i, j)"),
                 (6, 5, 7), (5, 7, 19), (6, 19)),
    "of scalars": (",->", ("() -> ()", "() -> ()", "() -> ()"), (), (), ()),
}

# name: input, weights, stride, dilation, padding before and after of both dims, groups
CONVOLUTIONS = {
    "1x1": ((1, 19, 7, 9), (33, 19, 1, 1), 1, 1, ((0, 0), (0, 0)), 1),
    "3x3": ((2, 5, 9, 11), (17, 5, 3, 3), 1, 1, ((1, 1), (1, 1)), 1),
    "strided": ((1, 3, 16, 15), (8, 3, 3, 3), 2, 1, ((1, 1), (0, 1)), 1),
    "dilated": ((1, 4, 12, 13), (5, 4, 3, 2), 1, 2, ((2, 2), (0, 0)), 1),
    "depthwise": ((1, 19, 10, 10), (19, 1, 3, 3), 1, 1, ((1, 1), (1, 1)), 19),
    "depthwise strided": ((2, 8, 11, 9), (8, 1, 5, 5), 2, 1, ((2, 2), (2, 2)), 8),
    "grouped": ((1, 12, 8, 8), (18, 4, 3, 3), 1, 1, ((1, 1), (1, 1)), 3),
}

# Operand types (lhs, rhs) and result type.
COMPUTED = [t for t in tables.TYPES if not tables.is_stored_only(t) and tables.takes(OP, t)]
TRIPLES = [(t, t, t) for t in COMPUTED]
TRIPLES += [("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f8E4M3FN", "f8E5M2", "f32"), ("f8E5M2", "f8E5M2", "f16"),
            ("f16", "f32", "f32"), ("f32", "f32", "f64"), ("i8", "i8", "i32"), ("i4", "i8", "i32"), ("i4", "i4", "i8"),
            ("i16", "i16", "i32"), ("i32", "i32", "i64"), ("bf16", "f8E4M3FN", "bf16"), ("f8E4M3FNUZ", "f8E4M3FNUZ", "f32"),
            ("f8E5M2FNUZ", "f8E4M3FNUZ", "bf16"), ("f8E4M3FN", "f8E4M3FN", "f32"),
            ("f64", "f64", "f32"), ("i32", "i32", "i8")]


def contracted(einsum, result, lhs, rhs):
    """The exact sums (integers wrap), and the sums of the magnitudes."""
    if formats.is_integer(result):
        wide = np.einsum(einsum, lhs.astype(np.int64), rhs.astype(np.int64))  # wraps, as the narrow ones would
        return formats.wrap(result, wide), None
    wide = np.float64 if tables.math_type(result) == "f32" else formats.REAL  # f64 has room for 2^29 products of f32
    a, b = lhs.astype(wide), rhs.astype(wide)
    return np.einsum(einsum, a, b), np.einsum(einsum, np.abs(a), np.abs(b))


def check(module, triple, einsum, lhs, rhs, terms):
    total, size = contracted(einsum, triple[2], lhs, rhs)
    if size is None:
        return suite.Exactly(total)
    # The factors may be rounded to the type of the arithmetic first.
    return suite.Within(triple[2], total, max(module.allowed(OP.ulp), terms), size, signed_zero=False)


def label(triple):
    return "contract" if len(set(triple)) == 1 else f"contract {triple[0]}, {triple[1]}"


def operand(type_name, rng, shape):
    return values.ordinary(type_name, rng, shape)


def product_case(triple, row, rng):
    einsum, maps, lhs_shape, rhs_shape, shape = row
    lhs, rhs = operand(triple[0], rng, lhs_shape), operand(triple[1], rng, rhs_shape)
    terms = max(1, int(np.prod(lhs_shape)) * int(np.prod(rhs_shape)) // max(int(np.prod(shape)), 1))

    def case(module):
        value = module.op("contract", [module.input(triple[0], lhs), module.input(triple[1], rhs)], triple[2], shape,
                          maps=maps, zero_pad=False, origin="matmul" if len(shape) > 1 else "")
        module.output(value, check(module, triple, einsum, lhs, rhs, terms), label(triple))
    return case


def patches(x, weights, stride, dilation, padding):
    """[n, c, h, w, y, x] of the padded input."""
    kernel = weights.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0)) + padding)
    spans = [(k - 1) * dilation + 1 for k in kernel]
    view = np.lib.stride_tricks.sliding_window_view(padded, spans, (2, 3))
    return view[:, :, ::stride, ::stride, ::dilation, ::dilation]


def convolution_case(triple, row, rng):
    x_shape, w_shape, stride, dilation, padding, groups = row
    x, w = operand(triple[0], rng, x_shape), operand(triple[1], rng, w_shape)
    view = patches(x, w, stride, dilation, padding)
    n, channels, height, width, _, _ = view.shape
    per_group = w_shape[0] // groups
    grouped = np.ascontiguousarray(view).reshape(n, groups, channels // groups, *view.shape[2:])
    filters = w.reshape(groups, per_group, *w_shape[1:])
    at = [f"{d} * {stride} + {k} * {dilation} - {padding[i][0]}" for i, (d, k) in enumerate((("h", "y"), ("w", "x")))]
    dims = "(n, g, o, h, w, c, y, x)"
    maps = (f"{dims} -> (n, g, c, {at[0]}, {at[1]})", f"{dims} -> (g, o, c, y, x)", f"{dims} -> (n, g, o, h, w)")

    def case(module):
        lhs = module.op("reshape", [module.input(triple[0], x)], triple[0],
                        (n, groups, channels // groups) + x_shape[2:])
        rhs = module.op("reshape", [module.input(triple[1], w)], triple[1], filters.shape)
        value = module.op("contract", [lhs, rhs], triple[2], (n, groups, per_group, height, width), maps=maps,
                          zero_pad=True, origin="conv")
        terms = int(np.prod(w_shape[1:]))
        module.output(value, check(module, triple, "ngchwyx,gocyx->ngohw", grouped, filters, terms), label(triple))
    return case


# name: m, n, k, and the dim of rhs that has scales of blocks of 32, the first or the second
SCALED_PRODUCTS = {"scaled 7x17x64": (7, 17, 64, 0), "scaled 33x20x96": (33, 20, 96, 1),
                   "scaled 64x48x160": (64, 48, 160, 1), "scaled 1x9x32": (1, 9, 32, 0)}
SCALED_TYPES = [("f8E4M3FN", "f8E4M3FN", "f32"), ("f8E5M2", "f8E5M2", "f32"), ("f8E4M3FN", "f8E5M2", "f32"),
                ("f8E4M3FNUZ", "f8E4M3FNUZ", "f32"), ("f8E4M3FN", "f8E4M3FN", "f64")]
SCALED_BLOCK, SCALED_BIAS = 32, 127


def scaled_case(triple, row, rng):
    m, n, k, axis = row
    shape = (k, n) if axis == 0 else (n, k)
    lhs, rhs = operand(triple[0], rng, (m, k)), operand(triple[1], rng, shape)
    exponents = rng.integers(-12, 12, [size // (SCALED_BLOCK if i == axis else 1) for i, size in enumerate(shape)])
    codes = (exponents + SCALED_BIAS).astype(np.uint8).view(np.int8)
    wide = rhs.astype(np.float64) * np.ldexp(1.0, exponents).repeat(SCALED_BLOCK, axis)

    def case(module):
        operands = [module.input(triple[0], lhs), module.input(triple[1], rhs), module.input("i8", codes)]
        maps = MM if axis == 0 else (MM[0], "(i, j, k) -> (j, k)", MM[2])
        value = module.op("scaled_contract", operands, triple[2], (m, n), maps=maps, zero_pad=False, origin="matmul",
                          axis=axis)
        einsum = "ik,kj->ij" if axis == 0 else "ik,jk->ij"
        module.output(value, check(module, triple, einsum, lhs, wide, k), label(triple))
    return case


def scaled_cases(triple):
    return lambda rng: [scaled_case(triple, row, rng) for row in SCALED_PRODUCTS.values()]


def cases(triple, chosen):
    def make(rng):
        return [product_case(triple, PRODUCTS[name], rng) if name in PRODUCTS else
                convolution_case(triple, CONVOLUTIONS[name], rng) for name in chosen]
    return make


def jobs():
    names = list(PRODUCTS) + list(CONVOLUTIONS)
    for triple in TRIPLES:
        for group, chosen in (("products", list(PRODUCTS)), ("convolutions", list(CONVOLUTIONS))):
            options = suite.STRICT + suite.exact_products(*triple[:2])
            yield suite.Job(f"{'.'.join(triple)} {group}", cases(triple, chosen), options)
    for triple in SCALED_TYPES:
        yield suite.Job(f"{'.'.join(triple)} scaled", scaled_cases(triple), suite.FAST)
    for triple in (("f32",) * 3, ("f16",) * 3, ("f64",) * 3):
        options = suite.FAST + suite.exact_products(*triple[:2])
        yield suite.Job(f"{'.'.join(triple)} fast", cases(triple, names), options)
        yield suite.Job(f"{'.'.join(triple)} constant", cases(triple, names), options, constant_inputs=True)


if __name__ == "__main__":
    suite.main(jobs())
