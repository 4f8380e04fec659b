"""Attention on the cpu is one kernel, and computes what NumPy does in double precision: f32, f16 and bf16, one row and
many, lengths that are no multiple of any tile, masks of all kinds, rows that see no column, heads that share keys and
values, no softmax; on processors with registers of every length. `attention_cpu_test.py SEED` tries other shapes."""
import os
import re
import sys

import numpy as np

import strata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
import attention_forms_test as forms  # noqa: E402
import attention_test as attention  # noqa: E402
from attention_test import Attention, Grouped  # noqa: E402

DEVICES = [None, "x86-64-v2", "x86-64-v3"]  # this machine first
N_RANDOM = 4 if strata.SANITIZED else 16


def random_case(rng, i):
    rows, columns = (int(rng.integers(1, most)) for most in (70, 200))
    mask = str(rng.choice(["", "columns", "full", "select", "iota", "iota_added", "empty", "lowest"]))
    packed = bool(rng.integers(2)) and mask in ("", "columns", "iota")
    return Attention(f"random_{i}", int(rng.integers(1, 3)), int(rng.integers(1, 4)), rows, rows if packed else columns,
                     int(rng.integers(1, 12)) * 8 - int(rng.integers(4)), str(rng.choice(["f32", "f32", "f16", "bf16"])),
                     value=None if packed else int(rng.integers(2, 90)), mask=mask or None, packed=packed,
                     guard=bool(rng.integers(2)), bias=bool(rng.integers(2)))


def cases(seed):
    yield Attention("one_row", 2, 3, 1, 200, 64, "f32", mask="columns")
    yield Attention("one_row_f16", 1, 2, 1, 333, 40, "f16")
    yield Attention("one_column_left", 1, 2, 33, 129, 64, "f32", mask="iota")
    yield Attention("no_column_for_first_rows", 1, 2, 130, 70, 32, "f32", mask="iota", guard=True)
    yield Attention("spread", 1, 2, 100, 300, 64, "f32", spread=5)
    yield Attention("wide_head", 1, 1, 40, 70, 320, "f32")
    yield Grouped("grouped", 2, 4, 130, 64, "f32")
    yield Grouped("grouped_few_rows", 3, 2, 5, 24, "f32")
    wanted = {"causal_iota", "causal_more_columns", "empty_rows", "empty_rows_guarded", "lowest", "packed_40", "afterwards"}
    yield from (case for case in attention.cases() if case.name in wanted)
    wanted = {"masked_twice", "silu_chosen", "silu_causal", "causal", "pixels_7", "chosen_bf16", "gelu_f16", "tanh_f16"}
    yield from (case for case in forms.cases() if case.name in wanted)
    for i in range(N_RANDOM):
        yield random_case(np.random.default_rng([seed, i]), i)


def check(case, device):
    with open("attention.mlir", "w", encoding="utf-8") as file:
        file.write(case.text())
    options = ["--target=cpu"] + ([f"--device={device}"] if device else [])
    text = strata.strata("attention.mlir", "--explain", "--compile-to=tile", "-o", "tile.mlir", *options)
    path, _ = strata.compile_library("attention.mlir", ".", f"cpu_{case.name}", options)
    library = strata.Library(path)
    n_launches = len(library.launches)
    got = case.widen(library.run(case.inputs)[0]).reshape(case.expected_result.shape)
    library.close()
    os.remove(path)
    with np.errstate(invalid="ignore"):
        wrong = ~((np.abs(got - case.expected_result) <= case.bound) |
                  (np.isnan(got) & np.isnan(case.expected_result)))
    if wrong.any() or n_launches != 1 or "scalar loops" in text or not re.search("attention .*: one kernel", text):
        print(f"{case.name} for {device}: {n_launches} launches; {wrong.sum()} of {wrong.size} wrong\n{text}")
        return False
    return True


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    ok = [check(case, DEVICES[i % len(DEVICES)]) for i, case in enumerate(cases(seed))]
    print(f"{sum(ok)} of {len(ok)} passed")
    return not all(ok)


if __name__ == "__main__":
    sys.exit(main())
