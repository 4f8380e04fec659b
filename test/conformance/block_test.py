"""strata.block_contract gives the sums that its definition says, in f64: for any number of rows, digits, blocks, strips
and columns of a strip, few ones too, by vectors of every processor that is there."""
import numpy as np

import jagged_test
import strata
import tables

OPS = tables.ops_of_kind("BLOCK")
DEVICES = ["x86-64-v2", "x86-64-v3", "x86-64-v4", "sapphirerapids", None]
TOLERANCE = 1e-6  # of the sum of products without their signs


def reference(x, scales, sums, words, factors, zeros):
    digits, half = len(x), words.shape[2]
    parts = x.view(np.int8).reshape(*x.shape, 4).astype(np.float64)
    numbers = sum(parts[d] * 256.0 ** (digits - 1 - d) for d in range(digits)) * scales[..., None, None]
    content = np.moveaxis(words, 3, 2).copy().view(np.uint8).reshape(*words.shape[:2], words.shape[3], half, 4)
    nibbles = np.concatenate([content & 15, content >> 4], 3).astype(np.float64)
    value = size = 0
    for block in range(scales.shape[1]):
        products = np.einsum("mwi,tlwi->mtl", numbers[:, block], nibbles[:, block])
        shift = sums[:, block, None, None] * zeros.view(np.uint8)[:, block].astype(np.float64)
        value = value + factors[:, block] * (products - shift)
        size = size + np.abs(factors[:, block]) * (
            np.einsum("mwi,tlwi->mtl", np.abs(numbers[:, block]), nibbles[:, block]) + np.abs(shift))
    return value.reshape(len(scales), -1), size.reshape(len(scales), -1)


def text_of(shapes, rows, columns):
    types = {np.dtype(np.int32): "i32", np.dtype(np.float32): "f32", np.dtype(np.int8): "i8"}
    varying = {(0, 1), (1, 0), (2, 0)} if not rows else set()

    def type_of(index, shape, dtype):
        sizes = ["?" if (index, i) in varying else str(size) for i, size in enumerate(shape)]
        symbol = ", affine_map<()[r] -> (" + ", ".join(size.replace("?", "r") for size in sizes) + ")>"
        return f"tensor<{'x'.join(sizes)}x{types[np.dtype(dtype)]}{symbol if '?' in sizes else ''}>"
    operands = [type_of(i, *shape) for i, shape in enumerate(shapes)]
    varied = f"tensor<?x{columns}xf32, affine_map<()[r] -> (r, {columns})>>"
    result = f"tensor<{rows}x{columns}xf32>" if rows else varied
    symbols = "" if rows else ' attributes {strata.symbols = [{name = "r", min = 1 : i64, max = 1000 : i64}]}'
    arguments = ", ".join(f'%a{i}: {t} {{strata.name = "a{i}"}}' for i, t in enumerate(operands))
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    return "\n".join([f'func.func @main({arguments}) -> ({result} {{strata.name = "y"}}){symbols} {{',
                      f'  %y = "strata.block_contract"({names}) : ({", ".join(operands)}) -> {result}',
                      f"  return %y : {result}", "}"])


def random_operands(random, digits, rows, blocks, words, strips, lanes):
    words_of = [((digits, rows, blocks, 2 * words), np.int32), ((strips, blocks, words, lanes), np.int32)]
    x, w = (random.integers(-2**31, 2**31, shape).astype(dtype) for shape, dtype in words_of)
    scales, sums = (random.standard_normal((rows, blocks)).astype(np.float32) for _ in range(2))
    factors = random.standard_normal((strips, blocks, lanes)).astype(np.float32)
    return [x, scales, sums, w, factors, random.integers(-128, 128, (strips, blocks, lanes)).astype(np.int8)]


def run_case(name, digits, blocks, words, strips, lanes, folder, target):
    is_cpu = "--target=cpu" in target
    for device in DEVICES if is_cpu else [None]:
        try:
            run_on(f"{name}_{device or 'host'}".replace("-", "_"), digits, blocks, words, strips, lanes, folder,
                   [*target, *([f"--device={device}"] if device else [])], [0, 1, 5] if is_cpu else [5])
        except RuntimeError as error:
            assert "this processor lacks" in str(error), error


def run_on(name, digits, blocks, words, strips, lanes, folder, target, all_rows):
    random = np.random.default_rng(len(name))
    for rows in all_rows:
        shapes = [(a.shape, a.dtype) for a in random_operands(random, digits, 1 + rows, blocks, words, strips, lanes)]
        if rows:
            shapes = [(tuple(rows if (i, d) in {(0, 1), (1, 0), (2, 0)} else n for d, n in enumerate(shape)), dtype)
                      for i, (shape, dtype) in enumerate(shapes)]
        library = jagged_test.compile_graph(text_of(shapes, rows, strips * lanes), folder, f"{name}_{rows}", *target)
        for count in [rows] if rows else [1, 7, 40]:
            operands = random_operands(random, digits, count, blocks, words, strips, lanes)
            want, size = reference(*operands)
            got, = jagged_test.call(library, operands, [want.astype(np.float32)], [] if rows else [count])
            wrong = ~(np.abs(got - want) <= TOLERANCE * size)
            assert not wrong.any(), (f"{name}, {count} rows: {np.argwhere(wrong)[0]}: {got[wrong][0]}, not "
                                     f"{want[wrong][0]}")


CASES = {
    "three_digits": (3, 4, 4, 3, 64), "one_digit": (1, 2, 1, 2, 32), "two_digits": (2, 1, 5, 1, 48),
    "few_columns": (3, 2, 3, 2, 4), "one_column": (3, 1, 1, 1, 1), "odd_columns": (4, 3, 2, 2, 21),
}


if __name__ == "__main__":
    strata.report_on(CASES, run_case)
