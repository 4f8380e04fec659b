"""The GPU benchmarks as far as they go without a GPU: every graph is one the compiler takes; each kind of graph, made
small and compiled for the cpu, computes what it is compared with; tables print what was measured."""
import os
import sys
import tempfile
import types

import numpy as np

import strata

sys.path[:0] = [os.path.join(strata.SOURCE, "tools", "bench", "gpu")]

import cases
import measure
import models
import products
import sweep


class Tensor(np.ndarray):
    """An array with the methods of PyTorch's tensors that the cases use."""

    def t(self):
        return self.T

    def transpose(self, a, b):
        return np.swapaxes(self, a, b)

    def permute(self, *axes):
        return np.transpose(self, axes)

    def double(self):
        return self.astype(np.float64)

    float = double

    def to(self, dtype):
        return self.astype(dtype)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def gelu(x):
    from math import erf

    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2.0)))


def layer_norm(x, shape, scale, bias, eps=1e-5):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered * centered).mean(-1, keepdims=True) + eps) * scale + bias


def conv2d(x, w, bias, stride, padding):
    n, c, height, width = x.shape
    k, _, r, s = w.shape
    padded = np.zeros((n, c, height + 2 * padding, width + 2 * padding))
    padded[:, :, padding:padding + height, padding:padding + width] = x
    rows, columns = (padded.shape[2] - r) // stride + 1, (padded.shape[3] - s) // stride + 1
    out = np.zeros((n, k, rows, columns))
    for i in range(r):
        for j in range(s):
            part = padded[:, :, i:i + stride * (rows - 1) + 1:stride, j:j + stride * (columns - 1) + 1:stride]
            out += np.einsum("nchw,kc->nkhw", part, w[:, :, i, j])
    return (out + bias[:, None, None]).view(Tensor)


def linear(x, w, bias):
    return x @ np.swapaxes(w, 0, 1) + bias


def scaled_dot_product_attention(q, k, v):
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), -1) @ v


TORCH = types.SimpleNamespace(softmax=softmax, nn=types.SimpleNamespace(functional=types.SimpleNamespace(
    gelu=gelu, relu=lambda x: np.maximum(x, 0), silu=lambda x: x / (1 + np.exp(-x)), layer_norm=layer_norm,
    conv2d=conv2d, linear=linear, scaled_dot_product_attention=scaled_dot_product_attention)))

# Made small. Of the types only those whose arrays numpy has in a form of ours: bf16 is checked through its bits.
SMALL = [*(products.product(kind, letters, 5, 7, 9) for kind in ("bf16", "fp16", "tf32", "fp32", "int8")
           for letters in ("nn", "nt", "tn", "tt")),
         products.batched(3, 4, 5, 6), products.with_activation("relu", 6, 5, 4), products.with_activation("gelu", 6, 5, 4),
         products.with_norm(4, 8, 6), *(products.of_transformer(5, 6, 4, end) for end in ("bias", "gelu", "residual")), products.swiglu(3, 8, 12), products.parallel(4, 6),
         products.naive_attention(2, 2, 6, 4), products.encoder(2, 6, 8, 2), products.convolution(2, 8, 4, 6, 3, 1),
         products.convolution(1, 9, 3, 5, 3, 2), products.convolution(2, 6, 4, 5, 1, 1),
         products.convolution(1, 16, 3, 4, 7, 2)]
BARS = {"bf16": 2e-2, "f16": 2e-3, "f32": 1e-6, "i32": 0}


def to_bits(values, dtype):
    """Values as the library takes them, and what they are then."""
    if dtype == "bf16":
        bits = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return bits, (bits.astype(np.uint32) << 16).view(np.float32)
    array = values.astype({"f16": np.float16, "f32": np.float32, "i8": np.int8}[dtype])
    return array, array


def from_bits(array, dtype):
    return (array.astype(np.uint32) << 16).view(np.float32) if dtype == "bf16" else array


def check_case(case, folder, random):
    path = os.path.join(folder, case.name + ".mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(case.text)
    library = strata.Library(strata.compile_library(path, folder, case.name)[0])
    given, values = zip(*(to_bits(random.randint(-128, 128, shape) if dtype == "i8" else
                                  random.standard_normal(shape) * spread, dtype) for shape, dtype, spread in case.inputs))
    wide = [value.astype(np.float64).view(Tensor) for value in values]
    want = (case.reference or case.torch)(TORCH, *wide)
    for have, reference, (_, dtype) in zip(library.run(given), want if isinstance(want, tuple) else [want], case.outputs):
        difference = from_bits(have, dtype).astype(np.float64) - reference
        error = np.linalg.norm(difference) / np.linalg.norm(reference)
        assert error <= BARS[dtype], f"{case.name}: relative error {error:.2e}"


def check_graphs(table, folder):
    """The compiler reads and verifies all of them."""
    assert len(table) == len(set(table)) and sum(case.group == "random" for case in table.values()) == cases.COUNT
    for case in list(table.values()):
        if case.group.startswith("random") and not case.name.endswith("1"):
            continue  # they differ in numbers alone
        path = os.path.join(folder, case.name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(case.text)
        strata.strata(path, "--compile-to=import")


def check_tables():
    """Numbers and problems come out where they are looked for."""
    case = products.product("bf16", "nt", 16, 4096, 4096)
    turns = [{"ours": 10.0 + i, "eager": 9.0 + i, "inductor": 20.0} for i in range(3)]
    result = measure.summarise({"case": case.name, "group": case.group, "error": 1e-3, "eager_error": 2e-3,
                                "launches": 1, "verdict": ""}, case, turns)
    assert result["best"] == "eager" and abs(result["ratio"] - 10 / 11) < 1e-12, result
    assert result["ours"] == 11.0 and abs(result["gbs"] - case.bytes / 11e3) < 1e-9
    assert "0.909 eager" in measure.line(result) and len(measure.line(result)) <= len(measure.HEAD)
    failed = {"case": "x", "group": "gemm", "failed": "not compiled: why"}
    assert "FAILED: not compiled: why" in measure.line(failed)
    lines = measure.summary([result, dict(result, ratio=2.0, case="y", verdict="WRONG"), failed])
    assert "geometric mean 1.348, lowest 0.909" in lines[0] and lines[1].endswith("moving: y x"), lines
    assert measure.sets_of(case, 50 << 20) == 4
    assert measure.sets_of(products.product("bf16", "nn", 1024, 1024, 1024), 50 << 20) == 1
    assert measure.bar_of(products.product("fp32", "nn", 8, 8, 8), "f32") == 1e-5


def check_models():
    """Of the tool for whole models what needs no GPU: its arguments, inputs, and the table of kernels."""
    options, rest = models.parse(["resnet50_fp16@32", "chain30", "--peers", "eager", "--", "--jobs=2"])
    assert options.models == [("resnet50_fp16", 32), ("chain30", 1)] and options.time and rest == ["--jobs=2"]
    images, = models.inputs_of("resnet50_fp16", 3)
    spread = [image.std(dtype=float) for image in images]
    assert len(spread) == 3 and np.isfinite(images).all() and 0.5 < spread[1] / spread[0] < 2
    kernel = strata.KernelInfo(b"k0", 1, 4000, 10 ** 6)
    row = models.kernel_lines([(kernel, 2, 10.0)], (4000.0, 1e9))[1]
    assert row.split() == ["k0", "10.0", "2", "1", "0.2", "20", "%"], row


def check_sweep(folder):
    """Every schedule of a product that the model weighs, the pick first; what is measured of them in a line."""
    options = types.SimpleNamespace(folder=folder, device="sm_90a", within=1.5, most=5, key="?")
    kernel, found = sweep.Builder(options).candidates(products.product("bf16", "nt", 256, 256, 512))
    assert kernel == "k0" and len(found) == 5 and len(set(found)) == 5, found
    assert found[1:] == sorted(found[1:]) and all(time <= 1.5 * found[0][0] for time, _ in found)
    options.within, options.key = 4, "stream"
    more = sweep.Builder(options).candidates(products.product("bf16", "nt", 256, 256, 512))[1]
    assert more[:1] == found[:1] and len(more) > 5 and all("stream = 1" in text for _, text in more[5:]), more
    assert sweep.brief('{blocks = 3 : i64, producers = 128 : i64, slots = 4 : i64, swap = 1 : i64, '
                       'tile = array<i64: 16, 64, 64>}') == "16x64 s4 b3 swap"


def check_choice():
    def names(**given):
        options = types.SimpleNamespace(**{"group": None, "only": None, "seed": None, "count": None, **given})
        return {case.name for case in cases.chosen(options)[0]}

    fused, biased = names(group="fused"), names(only=["gemm_b*"])
    assert names(group="fused", only=["gemm_b*"]) == fused & biased and biased - fused and fused - biased
    assert names(group="fused,gemm") == fused | names(group="gemm") and names() == set(cases.all_cases())


def main():
    check_choice()
    with tempfile.TemporaryDirectory() as folder:
        check_graphs(cases.all_cases(), folder)
        for case in SMALL:
            check_case(case, folder, np.random.RandomState(1))
        check_sweep(folder)
    check_tables()
    check_models()
    first, other = (list(products.random_products(seed, 20)) for seed in (3, 3))
    assert [case.name for case in first] == [case.name for case in other]
    assert all(size % 8 == 0 for case in products.random_aligned(3, 20) for shape, _, _ in case.inputs for size in shape)
    assert measure.parse(["folder", "--peers", "eager"]).peers == ["eager"]


if __name__ == "__main__":
    main()
