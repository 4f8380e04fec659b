"""Rows whose vectors begin anywhere, on the emulated device: loaded by whole words, never beyond a buffer's ends, which
lie at pages that cannot be touched; every misalignment of every width of element, padding in front, between and behind.
And results of pipelined products whose rows begin anywhere: nothing is stored beyond their ends either."""
import ctypes
import mmap
import os
import subprocess
import sys

import numpy as np

import gpu
import products_test
import strata
from level2 import Case, bits, tensor

random = np.random.default_rng(5)
ROWS, WORD = 5, 16
libc = ctypes.CDLL(None, use_errno=True)


class Guarded:
    """Memory of the device between two pages that cannot be touched; a tensor begins at the first byte, or its last
    word ends at the last."""

    def __init__(self, driver, size):
        self.driver, self.size = driver, -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        self.memory = driver.allocate(self.size + 3 * mmap.PAGESIZE)
        self.base = -(-self.memory // mmap.PAGESIZE) * mmap.PAGESIZE
        self.protect(0)

    def protect(self, rights):
        for page in (self.base, self.base + mmap.PAGESIZE + self.size):
            if libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), rights):
                raise OSError(ctypes.get_errno(), "mprotect")

    def place(self, array, at_end):
        start = self.base + mmap.PAGESIZE
        if at_end:
            start += self.size - -(-array.nbytes // WORD) * WORD
        ctypes.memmove(start, array.ctypes.data, array.nbytes)
        return start

    def close(self):
        self.protect(mmap.PROT_READ | mmap.PROT_WRITE)
        self.driver.free(self.memory)


def values(dtype, *shape):
    if dtype == "bf16":
        return bits(random.integers(1, 1 << 14, shape).astype(np.uint16), "bf16")
    return random.integers(1, 100, shape).astype(dtype)


def like(array, source):
    return bits(array, source.mlir) if hasattr(source, "mlir") else np.ascontiguousarray(array)


def padded(dtype, length, low):
    """Rows of any length at any place of longer ones whose length is a multiple of a word."""
    x = values(dtype, ROWS, length)
    unit = WORD // x.itemsize
    high = -(low + length) % unit + unit * (length % 2)
    y = like(np.pad(np.asarray(x), ((1, 0), (low, high))), x)
    case = Case(f"pad {dtype} {low} {length} {high}", x)
    zero = "0" if np.dtype(x.dtype).kind == "i" else "0.0"
    element = tensor(x)[len("tensor<"):-1].split("x")[-1]
    case.returns([case.op("pad", ["%x0"], y, low=f"array<i64: 1, {low}>", high=f"array<i64: 0, {high}>",
                          value=f"{zero} : {element}")], y)
    return case


def sliced(dtype, length, start):
    """What begins anywhere in rows of any length, added to what is aligned."""
    width = 4 * WORD // np.dtype(dtype).itemsize
    x, z = values(dtype, ROWS, start + width + length), values(dtype, ROWS, width)
    part = np.ascontiguousarray(x[:, start:start + width])
    case = Case(f"slice {dtype} {start} {x.shape[1]}", x, z)
    name = case.op("slice", ["%x0"], part, starts=f"array<i64: 0, {start}>", steps="array<i64: 1, 1>")
    total = (part + z).astype(dtype)
    case.returns([case.op("add", [name, "%x1"], total)], total)
    return case


def cases():
    for dtype in (np.int8, np.float16, "bf16", np.float32):
        unit = WORD // (2 if dtype == "bf16" else np.dtype(dtype).itemsize)
        for i in range(unit):
            yield padded(dtype, (40 if i % 2 else 3) * unit + i, (3 * i + 1) % unit)
            if dtype == np.float32 or (dtype == np.float16 and i % 2):
                yield sliced(dtype, i, (2 * i + 1) % unit)


# Of products: rows, columns, elements summed up; tiles as products_test has them: those of rows a few longer than a
# tile, narrower ones, of teams, across.
PRODUCTS = [(131, 257, 72, (128, 128, 1, 0, 2, 2)), (67, 203, 264, (64, 192, 1, 0, 3, 2)),
            (133, 117, 88, (128, 112, 2, 0, 2)), (129, 131, 120, (192, 64, 1, 1, 2, 2)),
            (66, 75, 136, (64, 24, 1, 0, 3)), (97, 259, 200, (128, 256, 2, 0, 132))]


def products():
    for m, n, k, tile in PRODUCTS:
        x, w = products_test.values(np.float16, m, k), products_test.values(np.float16, n, k)
        exact = x.astype(np.float64) @ w.astype(np.float64).T
        yield (products_test.matmul(f"product {m}x{n}x{k} {tile}", products_test.NT, x, w, exact, np.float16),
               products_test.schedule("f16", exact.shape, *tile))


def called(library, case, at_end):
    outputs = [np.full(y.shape, 7, y.dtype) for y in map(np.asarray, case.outputs)]
    arrays = [np.ascontiguousarray(x) for x in case.inputs] + outputs
    memory = [Guarded(library._driver, array.nbytes) for array in arrays]
    places = [area.place(array, at_end) for area, array in zip(memory, arrays)]
    pointers = (ctypes.c_void_p * len(places))(*places)
    library._check(library.description.run(pointers, None, None, None))
    for array, place in zip(arrays, places):
        ctypes.memmove(array.ctypes.data, place, array.nbytes)
    for area in memory:
        area.close()
    return outputs[0]


def run(case, index, schedule=""):
    """The elements that are wrong, and how many vectors are put together from two words."""
    path, name = f"unaligned{index}.mlir", f"unaligned{index}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text())
    command = [os.path.join(strata.BIN, "strata"), path, "--aot", f"--aot-name={name}", "-o", ".", "--target=nvgpu",
               "--device=emulated_90", "--on-gpu-tensors", "--dump-after=gpu"]
    if schedule:
        with open(f"{name}.schedule", "w", encoding="utf-8") as file:
            file.write(schedule + "\n")
        command.append(f"--schedule={name}.schedule")
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode:
        sys.exit(said.stderr[-2000:])
    library, wrong = gpu.Library(f"./lib{name}.so"), 0
    for at_end in (False, True):
        got = called(library, case, at_end)
        places = np.argwhere(got != np.asarray(case.outputs[0]))
        if len(places):
            print(f"{case.name}{' at the end' * at_end}: {len(places)} wrong elements, the first at {places[0]}")
        wrong += len(places)
    library.unload()
    os.remove(f"./lib{name}.so")
    return wrong, said.stderr.count('"tile.funnel"')


def main():
    gpu.use_stand_in()
    results = [run(case, i) for i, case in enumerate(cases())]
    funnels = sum(count > 0 for _, count in results)
    print(f"{len(results)} cases, {funnels} of them with vectors of two words")
    if funnels < len(results) // 2:
        print("expected vectors of two words in most of the cases")
    wrong = sum(run(case, f"_product{i}", line)[0] for i, (case, line) in enumerate(products()))
    return wrong or any(wrong for wrong, _ in results) or funnels < len(results) // 2


if __name__ == "__main__":
    sys.exit(main())
