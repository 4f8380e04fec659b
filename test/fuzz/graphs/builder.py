"""Grows a random graph from a seed.

Every value is known while the graph grows, with samples of what an implementation's errors make of it: a node whose
results would be infinite, out of a type's comfortable range or not decided by their operands is not added.
"""
import random

import numpy as np

import evaluate
from graph import FLOATS, Graph, Node, dtype, is_float, number

SIZES = [1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 19, 31, 33, 40, 65]
LARGE_SIZES = [64, 127, 129, 257, 500, 1001]  # so that kernels have several tasks
MOST_ELEMENTS = 4000  # a hundred times as many in a few graphs
MOST_RANK = 5
LARGEST = {"f16": 1e3, "f32": 1e4, "f64": 1e4}
WORST_ERROR = {"f16": 0.1, "f32": 1e-3, "f64": 1e-3}  # of a value, relative to its root mean square
N_SAMPLES = 3
DEVICES = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]  # of the cpu modes, beside the one that is present
PALETTES = [  # the element types of a graph's values, the first ones most often
    ["f32", "f32", "f32", "i64", "b", "i32", "i8", "u8"],
    ["f32", "f32", "b", "i8", "u8", "i32", "i16", "u16", "u32", "u64", "i64"],
    ["f16", "f16", "f32", "b", "i32", "i8", "u8", "i64"],
    ["f64", "f32", "f64", "i64", "b", "i32"],
    ["i8", "u8", "b", "i8", "u8", "b", "f32"],
]
# What the reference computes element by element; left out of graphs of large tensors.
SLOW = set("""Resize Conv ConvTranspose ScatterElements ScatterND GatherElements
GatherND LRN BitShift Erf Gelu DepthToSpace SpaceToDepth Compress ReverseSequence OneHot""".split())


class Unsuitable(Exception):
    """Nothing to apply an op to, or no good result."""


class Builder:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.data = np.random.Generator(np.random.PCG64(seed))
        self.graph, self.samples, self.names = Graph(), {}, []
        self.palette = PALETTES[self.one_of(0, 0, 0, 1, 1, 2, 2, 3, 4)]
        self.has_empty = self.chance(0.03)
        self.is_large = self.chance(0.06)
        self.sizes = SIZES + LARGE_SIZES if self.is_large else SIZES
        self.most = 100 * MOST_ELEMENTS if self.is_large else MOST_ELEMENTS

    # -- choices -----------------------------------------------------------------------------------------------------

    def below(self, n):
        return self.random.randrange(n) if n > 0 else 0

    def chance(self, probability):
        return self.random.random() < probability

    def one_of(self, *items):
        return items[self.below(len(items))]

    def shuffled(self, items):
        items = list(items)
        self.random.shuffle(items)
        return items

    def maybe(self, **attributes):
        return attributes if self.chance(0.5) else {}

    def size(self):
        return 0 if self.has_empty and self.chance(0.05) else self.one_of(*self.sizes)

    def palette_of(self, *kinds):
        kinds = [kind for kind in kinds if kind in self.palette]
        if not kinds:
            raise Unsuitable
        return kinds

    def axis(self, x):
        rank = len(self.shape(x))
        return self.below(2 * rank) - rank if self.chance(0.3) else self.below(rank)

    def some_axes(self, x, negative=True):
        rank = len(self.shape(x))
        axes = self.shuffled(range(rank))[:1 + self.below(rank)]
        return [axis - rank if negative and self.chance(0.2) else axis for axis in axes]

    def factors(self, count):
        """Sizes whose product is |count|."""
        sizes, rest = [], count
        for _ in range(self.below(4)):
            divisors = [d for d in range(1, min(rest, 64) + 1) if rest % d == 0] or [0]
            sizes.append(self.one_of(*divisors))
            rest = rest // sizes[-1] if sizes[-1] else 0
        return self.shuffled(sizes + ([rest] if rest != 1 or not sizes or self.chance(0.2) else []))

    # -- values ------------------------------------------------------------------------------------------------------

    def kind(self, name):
        return self.graph.kinds[name]

    def shape(self, name):
        return list(self.graph.values[name].shape)

    def pick(self, *kinds, rank=None, min_rank=0, max_rank=MOST_RANK, where=lambda shape: True):
        """A value of one of the types, a recent one rather; at times a new input."""
        kinds = [kind for kind in kinds if kind in self.palette or kind in ("i4", "u4")]
        def suits(name):
            shape = self.shape(name)
            return (self.kind(name) in kinds and min_rank <= len(shape) <= max_rank and rank in (None, len(shape)) and
                    where(shape))
        names = [name for name in self.names if suits(name)]
        if names and not self.chance(0.08 if len(names) > 1 else 0.3):
            return self.one_of(*(names[-4:] if self.chance(0.6) else names))
        kinds = [kind for kind in self.palette if kind in kinds]
        if not kinds or len(self.graph.inputs) > 7:
            raise Unsuitable
        ranks = [rank] if rank is not None else [r for r in (1, 2, 2, 3, 3, 4, 4, 0) if min_rank <= r <= max_rank]
        shape = self.fitting([self.size() for _ in range(self.one_of(*ranks))])
        if not where(shape):
            raise Unsuitable
        return self.input(self.one_of(*kinds), shape)

    def fitting(self, shape):
        shape = list(shape)
        while np.prod(shape) > self.most // 2:
            shape[int(np.argmax(shape))] //= 2
        return shape

    def random_array(self, kind, shape, low=None, high=None):
        """Small numbers; of floats some whole and halves, so that ties and exact results occur."""
        if kind == "b":
            return self.data.random(shape) < 0.5
        if not is_float(kind):
            least, most = evaluate.limits(kind)
            low = max(least, -20 if low is None else low)
            return self.data.integers(low, min(most, 20 if high is None else high) + 1, shape).astype(dtype(kind))
        low, high = -2.0 if low is None else low, 2.0 if high is None else high
        values = self.data.random(shape) * (high - low) + low
        if self.chance(0.2) and (low, high) == (-2.0, 2.0):
            values = np.round(values * 2) / 2
        return values.astype(dtype(kind)).astype(np.float64)

    def _new(self, prefix, kind, value, where):
        value = np.asarray(value, np.float64 if is_float(kind) else dtype(kind))
        if value.size > self.most:
            raise Unsuitable
        name = f"{prefix}{len(self.graph.values)}"
        self.graph.add_value(name, kind, value)
        self.samples[name] = [value] * N_SAMPLES
        where.append(name)
        return name

    def input(self, kind, shape, low=None, high=None):
        """A new input; without elements a constant, as a size of 0 says in a model that it is not known."""
        if 0 in shape:
            name = self.constant(kind, shape)
            self.names.append(name)
            return name
        name = self._new("x", kind, self.random_array(kind, shape, low, high), self.graph.inputs)
        self.names.append(name)
        return name

    def constant_of(self, kind, value):
        return self._new("k" if self.chance(0.2) else "c", kind, value, self.graph.constants)

    def constant(self, kind, shape, low=None, high=None):
        return self.constant_of(kind, self.random_array(kind, shape, low, high))

    def scalar(self, kind, value):
        return self.constant_of(kind, np.asarray(value))

    def integers(self, values):
        return self.constant_of("i64", np.array(values, np.int64))

    def _integers_for(self, value):
        """Indices: known or an input."""
        kind = self.one_of("i64", "i32")
        if self.chance(0.5):
            return self.constant_of(kind, value)
        return self._new("x", kind, value, self.graph.inputs)

    def indices(self, size, shape):
        if size == 0:
            raise Unsuitable
        low = -size if self.chance(0.3) else 0
        return self._integers_for(self.data.integers(low, size, shape))

    def distinct(self, size, shape, axis):
        """Indices of which no two along |axis| are equal."""
        order = np.argsort(self.data.random(shape[:axis] + [size] + shape[axis + 1:]), axis)
        return self._integers_for(np.take(order, np.arange(shape[axis]), axis))

    def tuples(self, sizes, shape):
        if 0 in sizes:
            raise Unsuitable
        value = np.stack([self.data.integers(0, size, shape) for size in sizes], -1)
        return self.constant_of("i64", value) if self.chance(0.5) else self._new("x", "i64", value, self.graph.inputs)

    def distinct_tuples(self, sizes):
        total = int(np.prod(sizes))
        if not total:
            raise Unsuitable
        picked = self.data.permutation(total)[:1 + self.below(min(total, 30))]
        return self.constant_of("i64", np.stack(np.unravel_index(picked, sizes), -1))

    def broadcastable(self, x):
        """A shape that broadcasts to that of |x|."""
        shape = self.shape(x)
        shape = [1 if self.chance(0.3) else size for size in shape]
        return shape[self.below(len(shape) + 1):] if self.chance(0.4) else shape

    def partner(self, x, kind=None):
        """A second operand: one that is there, or a new one that broadcasts."""
        kind = kind or self.kind(x)
        def broadcasts(name):
            try:
                return np.prod(np.broadcast_shapes(self.shape(name), self.shape(x))) <= self.most
            except ValueError:
                return False
        names = [name for name in self.names if self.kind(name) == kind and broadcasts(name)]
        if names and self.chance(0.65):
            return self.one_of(*names)
        shape = self.broadcastable(x)
        shape = [self.size() if size == 1 and self.chance(0.1) else size for size in shape]
        try:
            np.broadcast_shapes(shape, self.shape(x))
        except ValueError:
            raise Unsuitable from None
        if len(self.graph.inputs) < 8 and self.chance(0.5):
            return self.input(kind, shape)
        return self.constant(kind, shape)

    def like(self, x, shape):
        """A value of the type of |x|; a size of None is free."""
        def suits(name):
            have = self.shape(name)
            return (self.kind(name) == self.kind(x) and len(have) == len(shape) and
                    all(b in (None, a) for a, b in zip(have, shape)))
        names = [name for name in self.names if suits(name)]
        if names and self.chance(0.75):
            return self.one_of(*names)
        sizes = [self.size() if size is None else size for size in shape]
        if len(self.graph.inputs) < 8 and self.chance(0.5):
            return self.input(self.kind(x), sizes)
        return self.constant(self.kind(x), sizes)

    def images(self, min_rank=3, rank=None, channels=lambda count: count > 0):
        """A value (batch, channels, sizes …) for convolutions and pools."""
        def suits(shape):
            return channels(shape[1]) and shape[1] <= 64 and 0 not in shape
        return self.pick(*FLOATS, rank=rank, min_rank=min_rank, max_rank=5 if self.chance(0.1) else 4, where=suits)

    # -- nodes -------------------------------------------------------------------------------------------------------

    def add(self, op, inputs, kinds, **attributes):
        """Adds a node; its result's name, or the names of several."""
        several = isinstance(kinds, list)
        kinds = kinds if several else [kinds]
        outputs = [f"v{len(self.graph.values) + i}" for i in range(len(kinds))]
        node = Node(op, inputs, outputs, attributes)
        results, moved = self._results(node, kinds)
        for i, (name, kind) in enumerate(zip(outputs, kinds)):
            self.graph.add_value(name, kind, results[i])
            self.samples[name] = [sample[i] for sample in moved]
            self.names.append(name)
        self.graph.nodes.append(node)
        return outputs if several else outputs[0]

    def _results(self, node, kinds):
        values = [self.graph.values[name] if name else None for name in node.inputs]
        operand_kinds = [self.kind(name) if name else None for name in node.inputs]
        try:
            results = evaluate.apply(node, values, kinds)
            moved = [evaluate.apply_moved(node, [self.samples[name][i] if name else None for name in node.inputs],
                                          operand_kinds, kinds, self.data) for i in range(N_SAMPLES)]
        except Exception as error:  # the reference refuses it
            raise Unsuitable(f"{node}: {error!r}") from error
        for i, kind in enumerate(kinds):
            self._accept(results[i], [sample[i] for sample in moved], kind)
        return results, moved

    def _accept(self, value, samples, kind):
        if value.size > self.most or value.ndim > MOST_RANK or value.size == 0 and value.ndim == 0:
            raise Unsuitable
        if any(sample.shape != value.shape for sample in samples):
            raise Unsuitable
        if not is_float(kind):
            if value.size and np.mean([np.mean(sample != value) for sample in samples]) > 0.1:
                raise Unsuitable
        elif value.size:
            if not np.all(np.isfinite(value)) or np.abs(value).max() > LARGEST[kind]:
                raise Unsuitable
            error = np.median(np.max([np.abs(sample - value) for sample in samples], 0))
            if not error <= WORST_ERROR[kind] * np.sqrt(np.mean(value ** 2)):
                raise Unsuitable

    def positive(self, x):
        """Something that depends on |x| and is well above zero."""
        kind = self.kind(x)
        return self.add("Add", [self.add("Abs", [x], kind), self.scalar(kind, self.one_of(0.5, 0.1))], kind)

    def cast(self, x, kind):
        source = self.kind(x)
        if kind == source or kind in ("i4", "u4"):
            raise Unsuitable
        if not is_float(kind) and kind != "b" and self.graph.values[x].size:
            low, high = evaluate.limits(kind)
            if is_float(source) and self.graph.values[x].min() < low == 0:
                x = self.positive(x)
            value = self.graph.values[x]
            if not (low <= value.min().item() and value.max().item() <= high):
                raise Unsuitable
        size = np.abs(self.graph.values[x])
        if is_float(source) and kind == "b" and np.any((0 < size) & (size < 1e-3)):
            raise Unsuitable  # whether it is zero is not decided
        self.add("Cast", [x], kind, to=number(kind))


def build(seed, kinds, least=5, most=40):
    """The graph of a seed. |kinds|: operators.KINDS or a part of it."""
    builder = Builder(seed)
    if builder.is_large:
        kinds = {name: entry for name, entry in kinds.items() if name not in SLOW}
    functions, weights = zip(*kinds.values())
    few = builder.is_large or builder.chance(0.5)
    target = least + builder.below(11 if few else most - least + 1)
    for _ in range(6 * target):
        if len(builder.graph.nodes) >= target:
            break
        try:
            builder.random.choices(functions, weights)[0](builder)
        except Unsuitable:
            pass
    return finish(builder)


def finish(builder):
    """Makes results of what nothing uses and of a few others."""
    graph = builder.graph
    made = [name for node in graph.nodes for name in node.outputs]
    used = {name for node in graph.nodes for name in node.inputs}
    graph.outputs = [name for name in made if name not in used or builder.chance(0.08)][-24:]
    graph.prune()
    graph.options = options(builder)
    return graph


def options(builder):
    """How it is compiled, whatever the mode."""
    chosen = []
    if builder.chance(0.4):
        chosen.append("--user-device-memory")
    if builder.chance(0.1):
        chosen.append("--disable-constant-folding")
    if builder.chance(0.1):
        chosen.append(f"--opt-level={builder.below(3)}")
    if builder.chance(0.05):
        chosen.append("--polyblocks-disable-affine-fusion")
    if builder.chance(0.5):
        chosen.append(f"--device={builder.one_of(*DEVICES)}")
    if builder.chance(0.1):
        chosen.append("--weights=file")
    if builder.chance(0.1):
        chosen.append(f"--alignment={builder.one_of(16, 64)}")
    return chosen
