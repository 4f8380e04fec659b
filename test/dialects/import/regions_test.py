"""RoiAlign with as many samples as a region has elements, and MaxRoiPool: regions inside, across and outside the image,
smaller than an element and many times larger, against loops over samples in f64; on cpu and on the emulated GPU."""
import sys

import numpy as np

import gpu
import strata
from onnx_file import FLOAT, INT64, Graph

RNG = np.random.default_rng(8)
TARGETS = {"cpu": [], "nvgpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"]}


def taps(place, size):
    """(index, weight) of one sample along one dim."""
    if place < -1 or place > size:
        return []
    place = min(max(place, 0.0), size - 1.0)
    low = int(place)
    return [(low, 1 - place + low), (min(low + 1, size - 1), place - low)]


def line(start, end, bins, size, least):
    """The samples of each bin, each as its taps."""
    length = max(end - start, least)
    count = max(int(np.ceil(length / bins)), 0)
    return [[taps(start + i * length / bins + (k + 0.5) * length / bins / count, size) for k in range(count)]
            for i in range(bins)]


def greatest(x, rows, columns):
    """The greatest product of a tap and its weight; a sample outside gives 0."""
    products = [0.0 if not row or not column else max(v * w * x[i, j] for i, v in row for j, w in column)
                for row in rows for column in columns]
    return max(products, default=0.0)


def mean(x, rows, columns):
    return sum(v * w * x[i, j] for row in rows for i, v in row for column in columns
               for j, w in column) / max(len(rows) * len(columns), 1)


def roi_align(x, rois, images, bins, scale, half_pixel, pool):
    least = -np.inf if half_pixel else 1
    y = np.zeros((len(rois), x.shape[1], *bins))
    for r, ((x0, y0, x1, y1), image) in enumerate(zip(rois.astype(np.float64) * scale - 0.5 * half_pixel, images)):
        rows, columns = line(y0, y1, bins[0], x.shape[2], least), line(x0, x1, bins[1], x.shape[3], least)
        for c, i, j in np.ndindex(y.shape[1:]):
            y[r, c, i, j] = pool(x[image, c].astype(np.float64), rows[i], columns[j])
    return y


def bounds(first, last, bins, size):
    """The elements of each bin."""
    start, end = (int(np.floor(abs(v) + 0.5) * np.sign(v)) for v in (first, last))
    length = max(end - start + 1, 1)
    return [(min(max(start + i * length // bins, 0), size), min(max(start - (-(i + 1) * length // bins), 0), size))
            for i in range(bins)]


def max_roi_pool(x, rois, bins, scale):
    y = np.zeros((len(rois), x.shape[1], *bins))
    for r, (image, *region) in enumerate(rois):
        x0, y0, x1, y1 = (float(v) * scale for v in region)
        for i, (top, bottom) in enumerate(bounds(y0, y1, bins[0], x.shape[2])):
            for j, (left, right) in enumerate(bounds(x0, x1, bins[1], x.shape[3])):
                if bottom > top and right > left:
                    y[r, :, i, j] = x[int(image), :, top:bottom, left:right].max((1, 2))
    return y


def model(opset, is_open):
    """A graph of several cases, its inputs, and what it computes; |is_open|: images of any number and size."""
    graph, feed, expected = Graph(opset=opset), [], []
    for k, (shape, bins, scale, spread) in enumerate([((2, 3, 9, 13), (3, 2), 1.0, 1), ((1, 2, 5, 1), (2, 4), 0.25, 4),
                                                      ((3, 1, 16, 11), (7, 7), 0.5, 20), ((1, 4, 6, 6), (1, 1), 1.0, 0.1),
                                                      ((2, 2, 8, 9), (2, 1), 1.0, 0)]):
        x = RNG.standard_normal(shape).astype(np.float32)
        corners = np.sort(RNG.uniform(-2, 10, (6, 2, 2)), axis=1) * spread + (3 if spread < 1 else 0)
        if not spread: # samples that lie on elements, all of them below zero
            x, corners = -abs(x), np.sort(RNG.integers(-3, 20, (6, 2, 2)) / 2, axis=1)
        rois, images = corners.reshape(6, 4).astype(np.float32), RNG.integers(0, shape[0], 6)
        dims = [f"n{k}", x.shape[1], f"h{k}", f"w{k}"] if is_open else x.shape
        names = [graph.input(f"x{k}", FLOAT, dims), graph.input(f"rois{k}", FLOAT, rois.shape),
                 graph.input(f"images{k}", INT64, [6])]
        feed += [x, rois, images]
        attributes = {"output_height": bins[0], "output_width": bins[1], "spatial_scale": scale}
        for half_pixel in (False, True) if opset >= 16 else (False,):
            mode = {"coordinate_transformation_mode": "half_pixel" if half_pixel else "output_half_pixel"}
            mode = mode if opset >= 16 else {}
            for pool in (mean, greatest):
                expected.append(roi_align(x, rois, images, bins, scale, half_pixel, pool))
                y = graph.node("RoiAlign", names, **attributes, **mode, mode="max" if pool is greatest else "avg")
                graph.output(y, FLOAT, expected[-1].shape)
        pooled = np.concatenate([images[:, None].astype(np.float32), rois], 1)
        feed.append(pooled)
        expected.append(max_roi_pool(x, pooled, bins, scale))
        regions = graph.input(f"pooled{k}", FLOAT, pooled.shape)
        graph.output(graph.node("MaxRoiPool", [names[0], regions], pooled_shape=list(bins), spatial_scale=scale), FLOAT,
                     expected[-1].shape)
    return graph.save(f"regions{opset}_{is_open}.onnx"), feed, expected


def main():
    gpu.use_stand_in()
    failed = 0
    for opset, is_open in ((10, False), (16, False), (16, True)):
        path, feed, expected = model(opset, is_open)
        for target, options in TARGETS.items():
            name = f"regions{opset}_{target}" + ("_open" if is_open else "")
            library = strata.Library(strata.compile_library(path, ".", name, options)[0])
            results = library.run(feed, library.sizes_of([value.shape for value in feed]))
            for i, (got, want) in enumerate(zip(results, expected)):
                good = np.allclose(got, want, rtol=1e-3, atol=1e-4)
                failed += not good
                print(f"{'ok  ' if good else 'FAIL'} {name} result {i}" +
                      ("" if good else f": {np.abs(got - want).max()} apart"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
