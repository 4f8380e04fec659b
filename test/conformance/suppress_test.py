"""strata.suppress keeps the boxes that a search in numpy keeps, and in its order: of equal scores the first, none of
which a better one covers more than the threshold; for no good box, one, all, and between. Boxes have whole
coordinates and the threshold is a sum of powers of two, so that each ratio is on its side of it in any precision."""
import os

import numpy as np

import jagged_test
import strata
import tables

OPS = tables.ops_of_kind("SUPPRESS")
OVERLAP = np.float32(0.4375)


def covers(a, b):
    """Whether two boxes overlap too much, in whole numbers."""
    def area(box):
        return (box[2] - box[0]) * (box[3] - box[1])
    spans = [min(a[i + 2], b[i + 2]) - max(a[i], b[i]) for i in range(2)]
    if min(spans) <= 0 or area(a) <= 0 or area(b) <= 0:
        return False
    common = spans[0] * spans[1]
    return 16 * common > 7 * (area(a) + area(b) - common)


def reference(sides, scores, least, most):
    found = []
    for i, c in np.ndindex(scores.shape[:2]):
        boxes, kept = sides[i].T.astype(np.int64), []
        for at in np.argsort(-scores[i, c], kind="stable"):
            if len(kept) < most and scores[i, c, at] > least and not any(covers(boxes[at], boxes[j]) for j in kept):
                kept.append(at)
        found += [(i, c, at) for at in kept]
    return np.array(found, np.int64).reshape(-1, 3)


def text_of(images, classes, boxes, room):
    sizes = [n or "?" for n in (images, boxes)]
    names = [name for name, n in (("i", images), ("b", boxes)) if not n]

    def tensor(element, dims, results):
        varies = any(d == "?" for d in dims)
        used = f", affine_map<()[{', '.join(names)}] -> ({', '.join(map(str, results))})>" if varies else ""
        return f"tensor<{''.join(f'{d}x' for d in dims)}{element}{used}>"
    i, b = images or "i", boxes or "b"
    x = tensor("f32", [sizes[0], 4, sizes[1]], [i, 4, b])
    s = tensor("f32", [sizes[0], classes, sizes[1]], [i, classes, b])
    rows = "?" if names else images * classes * room
    y = tensor("i64", [rows, 3], [f"{i} * {classes * room}" if room else f"{i} * b * {classes}", 3])
    size = f"array<i64: {room}>" if room else f"affine_map<()[{', '.join(names)}] -> (b)>"
    symbols = ", ".join(f'{{name = "{name}", min = 1 : i64, max = 100000 : i64}}' for name in names)
    symbols = f" attributes {{strata.symbols = [{symbols}]}}" if names else ""
    return "\n".join([
        f'func.func @main(%x: {x} {{strata.name = "x"}}, %s: {s} {{strata.name = "s"}}, '
        '%t: tensor<f32> {strata.name = "t"}, %n: tensor<i64> {strata.name = "n"}) -> '
        f'({y} {{strata.name = "y"}}, tensor<i64> {{strata.name = "c"}}){symbols} {{',
        f'  %o = "strata.constant"() {{value = dense<{OVERLAP}> : tensor<f32>}} : () -> tensor<f32>',
        f'  %y:2 = "strata.suppress"(%x, %s, %o, %t, %n) {{room = {size}}} : '
        f'({x}, {s}, tensor<f32>, tensor<f32>, tensor<i64>) -> ({y}, tensor<i64>)',
        f"  return %y#0, %y#1 : {y}, tensor<i64>", "}"])


def draw(random, images, classes, boxes):
    low = random.integers(0, 30, (images, 2, boxes))
    sides = np.concatenate([low, low + random.integers(0, 12, low.shape)], axis=1).astype(np.float32)
    scores = random.standard_normal((images, classes, boxes)).astype(np.float32)
    scores[random.random(scores.shape) < 0.3] = 0
    scores[random.random(scores.shape) < 0.1] *= np.float32(-0.0)
    coarse = random.random((images, classes, 1)) < 0.5
    return sides, np.where(coarse, np.round(scores * 2) / 2, scores).astype(np.float32)


def run_case(name, images, classes, boxes, room, sizes, folder, target):
    random = np.random.default_rng(int(os.environ.get("STRATA_SEED", "7")))
    library = jagged_test.compile_graph(text_of(images, classes, boxes, room), folder, name, *target)
    for n_images, n_boxes in sizes or [(images, boxes)]:
        sides, scores = draw(random, n_images, classes, n_boxes)
        best = np.sort(scores, axis=None)[-1]
        for least in (-np.inf, -1, 0, np.nextafter(best, -np.inf, dtype=np.float32), np.inf):
            for most in (5 - 2**32, 0, 1, 2, 2**40):
                want = reference(sides, scores, np.float32(least), max(0, min(most, room or n_boxes)))
                rows = n_images * classes * (room or n_boxes)
                outputs = [np.zeros((rows, 3), np.int64), np.zeros((), np.int64)]
                inputs = [sides, scores, np.array(least, np.float32), np.array(most, np.int64)]
                dims = [size for size, n in ((n_images, images), (n_boxes, boxes)) if not n]
                got, count = jagged_test.call(library, inputs, outputs, dims)
                np.testing.assert_array_equal(got[:int(count)], want, err_msg=f"{name}, {least}, {most}")


# Images, classes and boxes, of which 0 are sizes that vary, the room for a class, which 0 is as many as boxes.
CASES = {
    "one": (1, 1, 1, 1, None), "few": (2, 3, 21, 5, None), "all": (1, 2, 100, 100, None), "many": (3, 5, 333, 40, None),
    "chunks": (1, 2, 2500, 60, None), "words": (1, 1, 700, 700, None), "classes": (1, 16, 2300, 3, None),
    "any_images": (0, 2, 37, 37, [(1, 37), (4, 37)]), "any": (0, 3, 0, 0, [(1, 1), (2, 40), (3, 129)]),
}


if __name__ == "__main__":
    strata.report_on(CASES, run_case)
