"""Products that do not depend on one another: cases for cases.py. Experts with rows of their own, projections of unlike
widths, the branches of a network."""
import functools

from graph import Graph, affine
from products import mm

EXPERTS = [64, 128, 192, 256, 320, 384, 448, 512]  # rows of each


def volume(shapes):
    """Operations, and bytes of bf16, of products of these rows, columns and steps."""
    return sum(2 * m * n * k for m, n, k in shapes), sum(2 * (m * k + k * n + m * n) for m, n, k in shapes)


def apart(name, shapes, activation=None):
    """Products of operands of their own, in order."""
    g = Graph(*[item for m, n, k in shapes for item in (((m, k), "bf16"), ((k, n), "bf16", k ** -0.5))])
    values = [mm(g, g[2 * i], g[2 * i + 1], m, n) for i, (m, n, _) in enumerate(shapes)]
    if activation:
        values = [g.like(activation, value) for value in values]

    def torch(t, *operands):
        sums = [a @ b for a, b in zip(operands[::2], operands[1::2])]
        return tuple(getattr(t.nn.functional, activation)(a) for a in sums) if activation else tuple(sums)

    return g.case(name, "group", values, *volume(shapes), torch)


@functools.lru_cache
def ends(t, rows, device):
    """Where each expert's rows end; made once."""
    return t.tensor(rows, device=device).cumsum(0).to(t.int32)


def experts(rows, n, k):
    """Experts whose rows lie behind one another in one buffer, and so do their weights: torch has one call of that."""
    g = Graph(((sum(rows), k), "bf16"), ((len(rows), k, n), "bf16", k ** -0.5))
    values, first = [], 0
    for i, m in enumerate(rows):
        x = g.op("slice", [g[0]], (m, k), "bf16", f"starts = array<i64: {first}, 0>, steps = array<i64: 1, 1>")
        w = g.op("slice", [g[1]], (1, k, n), "bf16", f"starts = array<i64: {i}, 0, 0>, steps = array<i64: 1, 1, 1>")
        values.append(mm(g, x, g.reshape(w, (k, n)), m, n))
        first += m

    def torch(t, x, w):
        return t._grouped_mm(x, w, offs=ends(t, tuple(rows), x.device)).split(tuple(rows))

    def reference(t, x, w):
        return tuple(a.double() @ b.double() for a, b in zip(x.split(tuple(rows)), w))

    return g.case(f"group_experts_{len(rows)}_{rows[0]}to{rows[-1]}x{n}x{k}", "group", values,
                  *volume([(m, n, k) for m in rows]), torch, reference=reference)


def projections(m, d, widths):
    """Queries, keys and values where several heads of queries share one of keys."""
    g = Graph(((m, d), "bf16"), *[((d, n), "bf16", d ** -0.5) for n in widths])
    operations, _ = volume([(m, n, d) for n in widths])
    moved = 2 * (m * d + sum(d * n + m * n for n in widths))
    return g.case(f"group_qkv_{m}x{'_'.join(map(str, widths))}x{d}", "group",
                  [mm(g, g[0], g[1 + i], m, n) for i, n in enumerate(widths)], operations, moved,
                  lambda t, x, *weights: tuple(x @ w for w in weights))


def shortcut(n, hw, c, k, out):
    """Where a residual network halves its images: a convolution of single pixels beside the shortcut's, which takes
    every other one. Channels last, f16, with bias."""
    half = hw // 2
    g = Graph(((n, hw, hw, c), "f16"), ((k, c), "f16", c ** -0.5), ((k,), "f16"), ((out, c), "f16", c ** -0.5),
              ((out,), "f16"))
    first = g.contract(g[0], g[1], (n, hw, hw, k), "f16", affine("n, h, w, k, c", "n, h, w, c", "k, c", "n, h, w, k"),
                       origin="conv")
    second = g.contract(g[0], g[3], (n, half, half, out), "f16",
                        affine("n, h, w, k, c", "n, h * 2, w * 2, c", "k, c", "n, h, w, k"), origin="conv")

    def torch(t, x, w, b, v, d):
        image, f = x.permute(0, 3, 1, 2), t.nn.functional
        return (f.relu(f.conv2d(image, w[:, :, None, None], b)).permute(0, 2, 3, 1),
                f.conv2d(image, v[:, :, None, None], d, stride=2).permute(0, 2, 3, 1))

    pixels = n * hw * hw
    return g.case(f"group_shortcut_n{n}_hw{hw}_c{c}_k{k}_{out}", "group",
                  [g.like("relu", g.add_along(first, g[2])), g.add_along(second, g[4])],
                  2 * pixels * c * (k + out // 4), 2 * (pixels * (c + k + out // 4) + c * (k + out)), torch)


def orders():
    """Of weights [K, N] and [N, K]: what has tiles of unlike forms, if they are no multiple of a step."""
    shapes = [(512, 1024, 1024), (256, 2048, 1024)]
    (m, n, k), (p, q, r) = shapes
    g = Graph(((m, k), "bf16"), ((k, n), "bf16", k ** -0.5), ((p, r), "bf16"), ((q, r), "bf16", r ** -0.5))
    values = [mm(g, g[0], g[1], m, n),
              g.contract(g[2], g[3], (p, q), "bf16", affine("m, n, k", "m, k", "n, k", "m, n"))]
    return g.case("group_orders_512x1024x1024_256x2048x1024", "group", values, *volume(shapes),
                  lambda t, x, w, y, v: (x @ w, y @ v.t()))


def groups():
    yield apart("group_gemm_8_64to512x1024x1024", [(m, 1024, 1024) for m in EXPERTS])
    yield apart("group_gemm_8_64to512x1024x4096", [(m, 1024, 4096) for m in EXPERTS])
    yield apart("group_gelu_8_64to512x4096x1024", [(m, 4096, 1024) for m in EXPERTS], "gelu")
    yield apart("group_gemm_4_16x512to4096x2048", [(16, n, 2048) for n in (512, 1024, 2048, 4096)])
    yield apart("group_branches_1024x1024x512_512x768x2048", [(1024, 1024, 512), (512, 768, 2048)])
    yield orders()
    yield experts(EXPERTS, 1024, 1024)
    for m in (16, 512):
        yield projections(m, 4096, (4096, 1024, 1024))
    for sizes in [(1, 56, 256, 128, 512), (1, 14, 1024, 512, 2048)]:
        yield shortcut(*sizes)
