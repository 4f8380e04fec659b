"""Floats of 8 bits from and to f32 as code of gfx942, gfx950 and gfx1201, executed instruction by instruction: all 256 of a
format, and numbers of every size between two of them, on and beside the middle, by the formats' definitions. Where the
chip has the format its instructions convert, a byte of a word each; where it has not, and on gfx1100, integers do.
STRATA_ALL=1: each format on each device."""
import math
import os
import re
import subprocess
import sys

import numpy as np

import gpu
import strata

LLVM = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
# Mantissa bits, bias, whether there are infinities, whether -0's pattern is the NaN.
FORMATS = {"f8E4M3FN": (3, 7, False, False), "f8E5M2": (2, 15, True, False),
           "f8E4M3FNUZ": (3, 8, False, True), "f8E5M2FNUZ": (2, 16, False, True)}
DEVICES = {"gfx942": ("0x942", "FNUZ"), "gfx950": ("0x950", ""), "gfx1201": ("0x1201", ""), "gfx1100": ("0x1100", None)}
COUNT = 4096  # of numbers that become floats of 8 bits


def value_of(code, kind):
    mantissa, bias, has_infinity, is_fnuz = FORMATS[kind]
    exponent, fraction = (code & 127) >> mantissa, code & ((1 << mantissa) - 1)
    if code == 128 if is_fnuz else (code & 127) == 127 if not has_infinity else exponent == 31 and fraction:
        return math.nan
    if has_infinity and exponent == 31:
        return -math.inf if code & 128 else math.inf
    size = math.ldexp(fraction + (1 << mantissa if exponent else 0), max(exponent, 1) - bias - mantissa)
    return -size if code & 128 else size


def codes_of(values, kind):
    """The nearest, of two the even one; beyond the last one by half a step or more infinity, or else NaN."""
    *_, has_infinity, is_fnuz = FORMATS[kind]
    sizes = np.array([value_of(code, kind) for code in range(128)], np.float64)
    n_finite = int(np.isfinite(sizes).sum())
    sizes, last = sizes[:n_finite], 2 * sizes[n_finite - 1] - sizes[n_finite - 2]
    magnitude = np.abs(values.astype(np.float64))
    middles = (np.append(sizes[1:], last) + sizes) / 2
    code = np.searchsorted(middles, magnitude)  # the first whose upper middle is not below
    code += (code < n_finite) & (magnitude == middles[np.minimum(code, n_finite - 1)]) & (code % 2 == 1)
    beyond = code >= n_finite
    code = np.where(beyond, 0x7C if has_infinity else 0x80 if is_fnuz else 0x7F, code)
    code = np.where(np.isnan(values), 0x80 if is_fnuz else 0x7E + (not has_infinity), code)
    signed = np.signbit(values) & ~(is_fnuz & (code == 0))
    return np.where(signed, code | 128, code).astype(np.uint8)


def numbers(kind, generator):
    finite = [value for value in (value_of(code, kind) for code in range(256)) if math.isfinite(value)]
    ends = np.sort(np.array(finite, np.float32))
    middles = ((ends[1:].astype(np.float64) + ends[:-1]) / 2).astype(np.float32)
    beside = np.concatenate([np.nextafter(middles, np.float32(at)) for at in (-np.inf, np.inf)])
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-30, 3e38, ends[-1] * 1.03, ends[-1] * 1.07], np.float32)
    random = np.ldexp(generator.standard_normal(COUNT), generator.integers(-20, 20, COUNT)).astype(np.float32)
    return np.concatenate([ends, middles, beside, special, random])[:COUNT]


def check(device, kind, generator):
    codes = generator.permutation(np.arange(256, dtype=np.uint8))
    values = numbers(kind, generator)
    text = f"""func.func @main(%a: tensor<256x{kind}> {{strata.name = "a"}}, %b: tensor<{COUNT}xf32> {{strata.name = "b"}})
    -> (tensor<256xf32> {{strata.name = "x"}}, tensor<{COUNT}x{kind}> {{strata.name = "y"}}) {{
  %0 = "strata.convert"(%a) : (tensor<256x{kind}>) -> tensor<256xf32>
  %1 = "strata.convert"(%b) : (tensor<{COUNT}xf32>) -> tensor<{COUNT}x{kind}>
  return %0, %1 : tensor<256xf32>, tensor<{COUNT}x{kind}>
}}
"""
    path = strata.compile_library(strata.write(f"{kind}.mlir", text), ".", kind,
                                  ["--target=amdgpu", f"--device={device}", "--save-temps=temps"])[0]
    library = gpu.Library(path)
    wide, narrow = library.run([codes, values])
    library.unload()
    expected = np.array([value_of(code, kind) for code in codes.tolist()], np.float32)
    assert np.array_equal(wide.view(np.uint32) * ~np.isnan(wide), expected.view(np.uint32) * ~np.isnan(expected)) and \
        np.array_equal(np.isnan(wide), np.isnan(expected)), "as f32"
    wanted, got = codes_of(values, kind), narrow.view(np.uint8)
    is_nan = np.array([math.isnan(value_of(code, kind)) for code in range(256)])
    wrong = np.flatnonzero((wanted != got) & ~(is_nan[wanted] & is_nan[got]))
    assert not wrong.size, f"{values[wrong[0]]!r} is {got[wrong[0]]:#x}, expected {wanted[wrong[0]]:#x}, of {wrong.size}"
    listing = strata.run(os.path.join(LLVM, "llvm-objdump"), "-d", os.path.join("temps", device + ".hsaco"))
    has = re.search(r"v_cvt_f32_[fb]f8|v_cvt_f32_[fb]p?8", listing), re.search(r"v_cvt_pk_[fb]p?f?8_f32", listing)
    is_native = DEVICES[device][1] is not None and kind.endswith("FNUZ") == bool(DEVICES[device][1])
    assert all(has) == is_native and any(has) == is_native, "instructions"


def main():
    """Each device in a process of its own: the stand-in asks once which it is."""
    gpu.use_stand_in()
    if len(sys.argv) > 1:
        device = sys.argv[1]
        native = [kind for kind in FORMATS if kind.endswith("FNUZ") == bool(DEVICES[device][1])]
        kinds = list(FORMATS) if "STRATA_ALL" in os.environ else native
        return strata.report([(f"{device} {kind}", lambda kind=kind: check(
            device, kind, strata.generator_of(f"{device} {kind}"))) for kind in kinds])
    return gpu.in_processes(__file__, {device: {"STRATA_TEST_DRIVER_ARCH": arch} for device, (arch, _) in DEVICES.items()})


if __name__ == "__main__":
    sys.exit(main())
