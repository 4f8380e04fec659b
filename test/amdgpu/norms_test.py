"""Norms and softmax in the kernel of the product before them, as code of gfx942, gfx950, gfx1100 and gfx1201,
executed instruction by instruction: one launch (of f32 another in front of it, which rounds operands to f16), right by
NumPy in double precision, no spills, and nothing found. Rows, columns and steps that fill no tile, means far from zero,
sums that are results as well; the tile that the model takes, and one drawn of those that hold the row."""
import functools
import os
import re
import sys

import numpy as np

import gpu
import strata

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "gpu"), os.path.join(HERE, "..", "targets", "gpu")]
import amd_models_test as machine_code  # noqa: E402
from norm_test import EPSILON, Normed  # noqa: E402

DEVICES = {"gfx942": "0x942", "gfx950": "0x950", "gfx1100": "0x1100", "gfx1201": "0x1201"}
WIDE = ("gfx950",)  # whose LDS has room for tiles of 1024 columns
UNIT = 2.0 ** -24   # of f32's rounding
SMALLEST = {"f16": 2.0 ** -25, "bf16": 0, "f32": 0}  # of results, halved: what subnormal ones may be off
OPERATIONS = 16  # of an element beside its sums, each rounded: at most so many


class Row(Normed):
    """How far off results may be is derived: n numbers added up in any order are off by n roundings of the sum of their
    sizes. Of what is first order in the errors twice as much, for all that is of higher order."""

    def round(self, x):
        """Products of f32 are of f16: these are, so that nothing is rounded."""
        return x.astype(np.float16).astype(np.float32) if self.kind == "f32" else super().round(x)

    def expect(self, vectors):
        super().expect(vectors)
        x, n, (_, _, k) = self.total, self.total.shape[1], self.sizes
        self.off = (k + OPERATIONS) * UNIT * self.size
        largest, off = (np.max(a, axis=1, keepdims=True) for a in (np.abs(x), self.off))
        relative = (n + OPERATIONS) * UNIT
        if self.norm == "softmax":
            error = self.expected * (2 * off + 4 * largest * UNIT + relative)
        else:
            centered = x - x.mean(-1, keepdims=True) if self.norm == "layer_norm" else x
            scale = 1 / np.sqrt((centered ** 2).mean(-1, keepdims=True) + 1e-5)
            moved = 2 * off + relative * largest
            error = np.abs(vectors[0]) * scale * (moved + np.abs(centered) * (scale * moved + relative))
            error += OPERATIONS * UNIT * np.abs(self.expected)
        self.bound = 2 * error + EPSILON[self.kind] * (np.abs(self.expected) + error) + SMALLEST[self.kind]

    def wrong(self, results):
        wanted = [(self.expected, self.bound), (self.total, self.off + EPSILON[self.kind] * np.abs(self.total))]
        return self.beyond(results, wanted)


# Rows, columns, warps along both, warps that share the steps, steps of each; those of 16 bits.
TILES = [(64, 64, 2, 2, 1, 64), (32, 64, 1, 2, 2, 32), (128, 128, 2, 4, 1, 32), (32, 128, 1, 4, 1, 64),
         (64, 256, 2, 4, 1, 32), (32, 256, 1, 4, 1, 32), (64, 512, 2, 8, 1, 16), (32, 512, 1, 8, 1, 16),
         (32, 1024, 1, 8, 1, 32)]
CASES = {
    "layer": (70, 90, 40, {}),
    "few_rows": (3, 200, 64, {"crossed": False}),
    "rms": (40, 256, 72, {"norm": "rms_norm", "kind": "f16", "stream": True}),
    "softmax": (50, 60, 96, {"norm": "softmax", "kind": "f16", "residual": False}),
    "long_softmax": (35, 302, 64, {"norm": "softmax", "residual": False, "crossed": False}),
    "far_mean": (33, 130, 56, {"mean": 300.0}),
    "long_rows": (37, 500, 64, {"kind": "f16", "stream": True}),
    "f32": (40, 130, 48, {"kind": "f32", "crossed": False}),
    "batches": (3 * 20, 50, 64, {"batch": 3}),
    "wide": (37, 1000, 64, {}),
}


def with_tile(schedule, tile):
    """A line for --schedule like |schedule|, of another tile."""
    rows, columns, *warps, split, steps = tile
    threads = (64 if " gfx9" in schedule else 32) * warps[0] * warps[1] * split
    schedule = re.sub(r"(group|threads) = \d+", rf"\1 = {threads}", schedule)
    schedule = re.sub(r"tile = array<i64: [^>]*>", f"tile = array<i64: {rows}, {columns}, {steps * split}>", schedule)
    return re.sub(r"warps = array<i64: [^>]*>", f"warps = array<i64: {warps[0]}, {warps[1]}>", schedule)


def check(name, device):
    rows, columns, steps, form = CASES[name]
    generator = strata.generator_of(name)
    case = Row(name, rows, columns, steps, generator=generator, **form)
    path = strata.write(f"{name}.mlir", case.text())
    options = ["--target=amdgpu", f"--device={device}", "--fuse-norms"]
    told = strata.strata(path, "--explain", "--compile-to=affine", "-o", f"{name}.affine.mlir", *options)
    schedule = re.search(r'^schedule .* kind = "contract".*$', told, re.MULTILINE)[0]
    fit = [tile for tile in TILES if columns <= tile[1] < 4 * columns and (tile[1] < 1024 or device in WIDE)]
    line = with_tile(schedule, fit[generator.integers(len(fit))])
    for more in [], [f"--schedule={strata.write(f'{name}.schedule', line)}"]:
        machine_code.check(path, device, [*options, *more])
        library = gpu.Library(strata.compile_library(path, ".", name, [*options, *more])[0])
        launches, results = len(library.launches), library.run(case.inputs)
        library.unload()
        problems = list(case.wrong(results)) + [f"{launches} launches"] * (launches != 1 + (case.kind == "f32"))
        assert not problems, f"{line if more else schedule}: {'; '.join(problems)}"


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if len(sys.argv) == 1:
        sys.exit(gpu.in_processes(__file__, {d: {"STRATA_TEST_DRIVER_ARCH": arch} for d, arch in DEVICES.items()}))
    device = sys.argv[1]
    names = [name for name in CASES if name != "wide" or device in WIDE]
    strata.report([(f"{name} {device}", functools.partial(check, name, device)) for name in strata.drawn(names, 2)])


if __name__ == "__main__":
    main()
