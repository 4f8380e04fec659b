"""Resize and Upsample by scales that no number says (docs/sizes.md), made of sizes or read from an input, beside numpy:
all modes and coordinates, on the cpu and on an emulated device."""
import itertools

import numpy as np

import gpu
import guarded
import strata
from onnx_file import FLOAT, Graph

TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}
F32 = np.float32
A = -0.75  # cubic_coeff_a
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn",
               "half_pixel_symmetric")
ROUNDING = {"round_prefer_floor": lambda v: np.ceil(v - 0.5), "round_prefer_ceil": lambda v: np.floor(v + 0.5),
            "floor": np.floor, "ceil": np.ceil}
# What one model has of everything: attributes of its nodes. With half_pixel_symmetric places between two elements are
# sums of which rounding decides the nearest one.
WAYS = ([{"mode": "nearest", "coordinate_transformation_mode": c, "nearest_mode": r}
         for c, r in zip(COORDINATES[:-1], itertools.cycle(ROUNDING))] +
        [{"mode": "linear", "coordinate_transformation_mode": c, "exclude_outside": i % 2}
         for i, c in enumerate(COORDINATES)] +
        [{"mode": "cubic", "coordinate_transformation_mode": c, "exclude_outside": (i + 1) % 2}
         for i, c in enumerate(COORDINATES)])
# Several elements are one.
MERGING = [{"mode": mode, "coordinate_transformation_mode": c, "antialias": 1, "exclude_outside": outside}
           for mode, c, outside in (("linear", "half_pixel", 0), ("linear", "align_corners", 1),
                                    ("cubic", "half_pixel", 1), ("cubic", "asymmetric", 0))]


# -- numpy ------------------------------------------------------------------------------------------------------------

def size_of(size, scale):
    """As ONNX's shape inference has it: in f32."""
    return int(np.floor(F32(size) * F32(scale)))


def places(coordinates, size, out, scale):
    o, scale = np.arange(out, dtype=np.float64), np.float64(scale)
    width = scale * size
    if coordinates == "align_corners":
        return o * (size - 1) / (width - 1) if out > 1 else o
    if coordinates == "asymmetric":
        return o / scale
    if coordinates == "tf_half_pixel_for_nn":
        return (o + 0.5) / scale
    half = (o + 0.5) / scale - 0.5
    if coordinates == "half_pixel_symmetric":
        return half + size / 2 * (1 - out / width)
    return half * 0 - 0.5 if coordinates == "pytorch_half_pixel" and width == 1 else half


def weight_at(mode, distance):
    d = abs(distance)
    if mode == "linear":
        return np.maximum(1 - d, 0)
    return np.where(d <= 1, (A + 2) * d**3 - (A + 3) * d**2 + 1,
                    np.where(d < 2, A * d**3 - 5 * A * d**2 + 8 * A * d - 4 * A, 0))


def taken(x, axis, at, scale, mode, nearest_mode="", exclude_outside=0, antialias=0, **_):
    """The elements of |axis| around the places |at|."""
    size, squeeze = x.shape[axis], min(scale, 1) if antialias else 1
    if mode == "nearest":
        return x.take(np.clip(ROUNDING[nearest_mode](at), 0, size - 1).astype(int), axis)
    matrix, reach = np.zeros((len(at), size)), int(np.ceil(2 / squeeze))
    for step in range(1 - reach, reach + 1):
        tap = np.floor(at) + step
        weight = weight_at(mode, (tap - at) * squeeze)
        if exclude_outside:
            weight = np.where((tap >= 0) & (tap < size), weight, 0)
        np.add.at(matrix, (np.arange(len(at)), np.clip(tap, 0, size - 1).astype(int)), weight)
    if exclude_outside or antialias:
        total = matrix.sum(axis=1, keepdims=True)
        matrix /= np.where(total == 0, 1, total)  # of a place that is outside
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def resized(x, scales, way):
    y = x.astype(np.float64)
    for axis, scale in enumerate(scales, 2):
        at = places(way["coordinate_transformation_mode"], x.shape[axis], size_of(x.shape[axis], scale), scale)
        y = taken(y, axis, at, np.float64(scale), **way)
    return y


def cropped(x, region, outs, way):
    """What is between the corners |region|, resized to |outs|."""
    y, is_inside = x.astype(np.float64), np.ones(outs, bool)
    for axis, out in enumerate(outs, 2):
        last, (begin, end) = x.shape[axis] - 1, np.float64(region[axis - 2::2])
        span = (end - begin) * last
        at = begin * last + (np.arange(out) * span / (out - 1) if out > 1 else np.full(1, span / 2))
        y = taken(y, axis, at, out / x.shape[axis], **way)
        is_inside &= ((at >= 0) & (at <= last)).reshape([-1 if i == axis else 1 for i in (2, 3)])
    return np.where(is_inside, y, way["extrapolation_value"])


# -- models -----------------------------------------------------------------------------------------------------------

def constant(graph, value):
    graph.n_values += 1
    return graph.constant(f"n{graph.n_values}", value)


def side(graph, axis):
    return graph.node("Cast", [graph.node("Shape", ["x"], start=axis, end=axis + 1)], to=FLOAT)


# (h, w) -> a scale, as nodes and as numpy says it.
SCALES = {
    "to a size": (lambda g: g.node("Div", [constant(g, F32([23])), side(g, 2)]), lambda h, w: F32(23) / F32(h)),
    "the sides' quotient": (lambda g: g.node("Div", [side(g, 3), side(g, 2)]), lambda h, w: F32(w) / F32(h)),
    "the longer side": (lambda g: g.node("Div", [constant(g, F32([37])), g.node("Max", [side(g, 2), side(g, 3)])]),
                        lambda h, w: F32(37) / F32(max(h, w))),
    "a number": (lambda g: constant(g, F32([0.7])), lambda h, w: F32(0.7)),
    "a third": (lambda g: g.node("Div", [side(g, 2), constant(g, F32([3]))]), lambda h, w: F32(h) / F32(3)),
}


PAIRS = (("to a size", "the longer side"), ("the sides' quotient", "a number"), ("a third", "to a size"))


def save_by_sizes(ways, scales):
    graph = Graph(opset=18)
    graph.input("x", FLOAT, [1, 2, "h", "w"])
    factors = graph.node("Concat", [constant(graph, F32([1, 1])), *[SCALES[name][0](graph) for name in scales]], axis=0)
    for way in ways:
        graph.output(graph.node("Resize", ["x", "", factors], **way), FLOAT, [1, 2, "a", "b"])
    return graph.save("scales.onnx")


def save_by_data(ways, sizes):
    """Scales that are an input, and what reads a result of such sizes."""
    graph = Graph(opset=18)
    graph.input("x", FLOAT, [1, 2, *sizes])
    graph.input("s", FLOAT, [2])
    for i, way in enumerate(ways):
        graph.output(graph.node("Resize", ["x", "", "s"], axes=[2, 3], **way), FLOAT, [1, 2, f"a{i}", f"b{i}"])
    sums = graph.node("ReduceSum", [graph.node("Resize", ["x", "", "s"], axes=[2, 3], **ways[-1]),
                                    constant(graph, np.array([2, 3]))], keepdims=0)
    graph.output(sums, FLOAT, [1, 2])
    return graph.save("scales.onnx")


CROPS = [{"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 2.5, **how}
         for how in ({"mode": "nearest", "nearest_mode": "floor"}, {"mode": "linear"},
                     {"mode": "linear", "antialias": 1}, {"mode": "cubic"}, {"mode": "cubic", "exclude_outside": 1})]
CROPPED = (6, 5), (1, 9)


def save_crops(sizes):
    """Regions that are an input, resized to numbers."""
    graph = Graph(opset=18)
    graph.input("x", FLOAT, [1, 2, *sizes])
    graph.input("region", FLOAT, [4])
    for outs in CROPPED:
        for way in CROPS:
            y = graph.node("Resize", ["x", "region", "", constant(graph, np.array(outs))], axes=[2, 3], **way)
            graph.output(y, FLOAT, [1, 2, *outs])
    return graph.save("crops.onnx")


def save_upsample():
    """Of opset 9, all of whose scales are one operand."""
    graph = Graph(opset=9)
    graph.input("x", FLOAT, [1, 2, "h", "w"])
    graph.input("s", FLOAT, [2])
    graph.node("Concat", [constant(graph, F32([1, 1])), "s"], outputs=["scales"], axis=0)
    graph.output(graph.node("Upsample", ["x", "scales"], mode="linear"), FLOAT, [1, 2, "a", "b"])
    return graph.save("scales.onnx")


# -- checks -----------------------------------------------------------------------------------------------------------

def same(got, wanted, what):
    assert got.shape == wanted.shape, f"{what}: {got.shape}, not {wanted.shape}"
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=2e-5, err_msg=what)


def outputs_of(library, inputs, sizes):
    """By names, of arrays that hold no numbers before."""
    run, outputs = library.bind(inputs, sizes)
    for output in outputs:
        output.fill(np.nan if output.dtype == F32 else -1)
    run()
    return dict(zip([info.name.decode() for info in library.outputs], outputs))


def check_sizes(target, random):
    drawn = [tuple(int(v) for v in random.integers(5, 60, 2)) for _ in range(2)]
    all_sizes = [(7, 7), (23, 23), (49, 31), (1, 5), *drawn]
    for scales, ways, sizes in [*((pair, WAYS, all_sizes) for pair in PAIRS), (PAIRS[0], MERGING, drawn)]:
        path, _ = strata.compile_library(save_by_sizes(ways, scales), ".", "sizes", TARGETS[target])
        library = strata.Library(path)
        for h, w in sizes:
            x = random.standard_normal((1, 2, h, w)).astype(F32)
            factors = [SCALES[name][1](h, w) for name in scales]
            got = outputs_of(library, [x], library.sizes_of([x.shape])).values()
            for way, y in zip(ways, got, strict=True):
                same(y, resized(x, factors, way), f"{target}: {scales} of {h}, {w}, {way}")
        library.close()


def true_part(outputs, name, wanted, what):
    """What there is of a result whose sizes depend on data."""
    assert tuple(outputs[name + "_sizes"]) == wanted.shape, f"{what}: {outputs[name + '_sizes']}, not {wanted.shape}"
    return outputs[name][tuple(slice(size) for size in wanted.shape)]


def check_results(library, x, factors, ways, what):
    names = [info.name.decode() for info in library.outputs]
    got = outputs_of(library, [x, factors], library.sizes_of([x.shape, factors.shape]))
    for way, name in zip(ways, names):
        wanted = resized(x, factors, way)
        same(true_part(got, name, wanted, f"{what}, {way}"), wanted, f"{what}, {way}")
    if len(names) > 2 * len(ways):
        np.testing.assert_allclose(got[names[len(ways)]], wanted.sum((2, 3)), rtol=1e-3, atol=1e-3, err_msg=what)


MOST = 3  # what a scale is at most
FACTORS = [(2.5, 0.6), (1, 1), (MOST, 0.02), (0.35, MOST), (0.7, 1.3), (1 / 7, 1.9)]
HOSTILE = [(np.nan, 1), (-1, np.inf), (0, -0.0), (1e-40, 1e30), (MOST + 1, 1)]


def check_data(target, random):
    for shape in (["h", "w"], [7, 10])[:2 if target == "cpu" else 1]:
        options = [*TARGETS[target], f"--bound=s={MOST}"]
        path, _ = strata.compile_library(save_by_data(WAYS, shape), ".", "data", options)
        library = strata.Library(path)
        for h, w in ((7, 10),) if shape[0] == 7 else ((7, 10), (1, 13), (20, 3)):
            x = random.standard_normal((1, 2, h, w)).astype(F32)
            for factors in [*FACTORS, tuple(random.uniform(0.2, MOST, 2))]:
                check_results(library, x, F32(factors), WAYS, f"{target}: {shape} of {h}, {w} by {factors}")
            for factors in HOSTILE:  # the emulated device looks at its own memory
                outputs_of(library, [x, F32(factors)], library.sizes_of([x.shape, (2,)]))
                if target == "cpu":
                    guarded.run(path, [x, F32(factors)], guarded.CALLS[:1])
        beyond = outputs_of(library, [x, F32([MOST + 1, 1])], library.sizes_of([x.shape, (2,)]))
        sizes = beyond[library.outputs[0].name.decode() + "_sizes"]
        assert sizes[2] == (MOST + 1) * x.shape[2], f"{target}: beyond the bound the size is {sizes}"
        library.close()


def check_merging(target, random):
    path, _ = strata.compile_library(save_by_data(MERGING, ["h", "w"]), ".", "merging",
                                     [*TARGETS[target], "--bound=s=3"])
    library = strata.Library(path)
    for factors in (0.4, 1.7), (1 / 7, 0.02), tuple(random.uniform(0.1, 1, 2)):
        x = random.standard_normal((1, 2, 7, 10)).astype(F32)
        check_results(library, x, F32(factors), MERGING, f"{target}: merging by {factors}")
    library.close()


def check_crops(target, random):
    for shape in ["h", "w"], [7, 10]:
        path, _ = strata.compile_library(save_crops(shape), ".", "crops", TARGETS[target])
        library = strata.Library(path)
        drawn = np.sort(random.uniform(-0.3, 1.4, (2, 2)), axis=0).reshape(-1)
        for region in (0, 0, 1, 1), (0.2, 0.9, 0.7, -0.1), drawn, (np.nan, -np.inf, 1e30, 0.5):
            x, region = random.standard_normal((1, 2, 7, 10)).astype(F32), F32(region)
            got = outputs_of(library, [x, region], library.sizes_of([x.shape, region.shape])).values()
            for (outs, way), y in zip(itertools.product(CROPPED, CROPS), got, strict=True):
                if np.isfinite(region).all() and abs(region).max() < 2:  # else: inside of its memory
                    same(y, cropped(x, region, outs, way), f"{target}: {shape}, {region} to {outs}, {way}")
        library.close()


def check_upsample(target, random):
    way = {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}
    path, _ = strata.compile_library(save_upsample(), ".", "upsample", [*TARGETS[target], f"--bound=scales={MOST}"])
    library = strata.Library(path)
    x = random.standard_normal((1, 2, 9, 4)).astype(F32)
    for factors in FACTORS:
        check_results(library, x, F32(factors), [way], f"{target}: Upsample by {factors}")
    library.close()


def check_refusals():
    try:
        strata.compile_library(save_by_data(WAYS[:1], ["h", "w"]), ".", "refused")
    except strata.CompileError as error:
        assert "--bound s=N" in str(error), error
    else:
        raise AssertionError("a scale without a bound")


def main():
    gpu.use_stand_in()
    random = np.random.default_rng(strata.run_seed())
    check_refusals()
    for target in TARGETS:
        check_sizes(target, random)
        check_data(target, random)
        check_upsample(target, random)
        check_merging(target, random)
        check_crops(target, random)


if __name__ == "__main__":
    main()
