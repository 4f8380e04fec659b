"""Where sizes vary, a library's pool is at most 1.1 times what is live at a time, at any sizes.

What is live is worked out here from the IR that the plan was made of: the buffers of @main, what calls name them first and
last, and their sizes in bytes, rounded up to where a buffer may begin. The graphs are those of e2e/symbolic_test.py, the
sizes random, a new seed each run; STRATA_POOL_MODELS=FOLDER takes the ONNX models in a folder instead.
"""
import collections
import glob
import os
import re
import sys

import numpy as np

import strata

sys.path.insert(0, os.path.join(strata.SOURCE, "test", "e2e"))
import symbolic_test  # noqa: E402

MODELS = os.environ.get("STRATA_POOL_MODELS")
N_SIZES, MOST, ALIGNMENT = 20, 1.1, 256
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1}


class Number(int):
    """With MLIR's operators: ceildiv is written @."""

    def __matmul__(self, other):
        return Number(-(-int(self) // int(other)))


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod"):
    setattr(Number, f"__{_name}__", lambda self, other, name=_name: Number(getattr(int, f"__{name}__")(self, other)))


Symbol = collections.namedtuple("Symbol", "min max multiple derived")  # derived: (op, lhs, rhs) or None


class Module:
    """@main behind the plan: |calls| are the names of the buffers of each call, |types| of each allocation."""

    def __init__(self, text):
        self.maps = dict(re.findall(r"^(#\w+) = affine_map<(.*)>$", text, flags=re.M))
        main = text[text.index("@main("):]
        main = main[:main.index("\n  }")]
        self.pool_size = re.search(r"strata.pool_size = (\d+|#\w+|affine_map<.*?\)>)", main)[1]  # loops' bodies have others
        self.symbols = [self._symbol(entry) for entry in re.findall(r"\{([^{}]*\bmultiple = [^{}]*)\}", main)]
        self.types, self.calls, aliases = {}, [], {}
        for line in main.split("\n"):
            made = re.match(r"\s*(%\w+) = memref\.(\w+)[ (](%?\w*)", line)
            if made and made[2] == "alloc":
                self.types[made[1]] = re.search(r": memref<(.*)>$", line)[1]
            elif made and made[2] in ("collapse_shape", "expand_shape", "reinterpret_cast", "cast"):
                aliases[made[1]] = aliases.get(made[3], made[3])
            elif re.match(r'\s*%\w+ = "strata.view"', line):
                view, viewed = re.match(r'\s*(%\w+) = "strata.view"\((%\w+)', line).groups()
                aliases[view] = aliases.get(viewed, viewed)
            elif re.search(r"\bcall @", line):
                names = re.findall(r"%\w+", line[line.index("("):line.index(") :")])
                self.calls.append([aliases.get(name, name) for name in names])

    def _map(self, text):
        text = text.strip()
        body = self.maps[text] if text.startswith("#") else re.match(r"affine_map<(.*)>", text)[1]
        return body[body.index("->") + 2:].strip()[1:-1]

    def _symbol(self, entry):
        def get(key):
            return re.search(rf'\b{key} = ("[^"]*"|affine_map<.*?\)>|[^,]*)', entry)[1].strip('"')
        op = re.search(r"\bop = ", entry) and get("op")
        return Symbol(*(int(get(key).split()[0]) for key in ("min", "max", "multiple")),
                      op and (op, self._map(get("lhs")), self._map(get("rhs"))))

    @staticmethod
    def evaluate(text, values):
        text = text.replace("floordiv", "//").replace("ceildiv", "@").replace("mod", "%")
        return eval(text, {f"s{i}": Number(v) for i, v in enumerate(values)})  # pylint: disable=eval-used

    def all_values(self, given):
        values = list(given)
        for symbol in self.symbols[len(given):]:
            op, lhs, rhs = symbol.derived
            a, b = self.evaluate(lhs, values), self.evaluate(rhs, values)
            values.append({"max": max, "min": min, "floordiv": lambda x, y: x // y, "mod": lambda x, y: x % y,
                           "check": lambda x, y: x - y}[op](a, b))
        return values

    def size(self, kind, values):
        shape, _, space = kind.partition(", ")
        element = shape.split("x")[-1]
        if space:
            dims = self.evaluate(f"({self._map(re.search(r'sizes = (#[^}]*|affine_map.*)}', space)[1])},)", values)
        else:
            dims = [int(n) for n in shape.split("x")[:-1]]
        count = int(np.prod([int(d) for d in dims]))
        return -(-count * BYTES[element] // ALIGNMENT) * ALIGNMENT

    def pool(self, given):
        text = self.pool_size
        return int(text) if text.isdigit() else int(self.evaluate(self._map(text), self.all_values(given)))

    def most_live(self, given):
        values = self.all_values(given)
        sizes = {name: self.size(kind, values) for name, kind in self.types.items()}
        ends = {}
        for i, names in enumerate(self.calls):
            for name in names:
                ends.setdefault(name, [i, i])[1] = i
        return max((sum(sizes[name] for name, (first, last) in ends.items() if name in sizes and first <= i <= last)
                    for i in range(len(self.calls))), default=0)


def random_size(rng, symbol):
    size = max(symbol.min, min(symbol.max, int(np.exp2(rng.uniform(0, 9)))))
    return min(-(-size // symbol.multiple) * symbol.multiple, symbol.max // symbol.multiple * symbol.multiple)


def check(name, path, rng):
    """How many buffers there are, and the quotients at random sizes that are too large."""
    module, found = Module(strata.strata(path, "--compile-to=cpu")), []
    for _ in range(N_SIZES):
        sizes = [random_size(rng, symbol) for symbol in module.symbols if not symbol.derived]
        found.append((module.pool(sizes) / max(module.most_live(sizes), ALIGNMENT), sizes))
    print(f"{name}: {len(module.types)} buffers, at most %.3f, at %s" % max(found), flush=True)
    return len(module.types), [(name, *each) for each in found if each[0] > MOST]


def skips(g):
    """Layers of several widths, with scores, whose results wait for one another."""
    tools, x, waiting = symbolic_test, g.input("x", ["s0", "s1", 16]), []
    for i, width in enumerate((16, 48, 24, 96)):
        x = g.op("tanh", [tools.linear(g, x, g.input(f"w{i}", [x[1][2], width]))], ["s0", "s1", width])
        scores = tools.matmul(g, x, x, ["s0", "s1", "s1"], ["(b, i, j, d) -> (b, i, d)", "(b, i, j, d) -> (b, j, d)",
                                                            "(b, i, j, d) -> (b, i, j)"])
        x = tools.binary(g, "add", x, tools.matmul(g, tools.softmax(g, scores), x, x[1], [
            "(b, i, d, j) -> (b, i, j)", "(b, i, d, j) -> (b, j, d)", "(b, i, d, j) -> (b, i, d)"]))
        waiting.append(x)
    for i, other in enumerate(reversed(waiting)):
        x = g.op("concat", [x, other], ["s0", "s1", x[1][2] + other[1][2]], attrs="axis = 2 : i64")
        x = g.op("tanh", [tools.linear(g, x, g.input(f"u{i}", [x[1][2], 8 * (i + 2)]))], ["s0", "s1", 8 * (i + 2)])
    return [x]


def main():
    rng, results = np.random.default_rng(strata.run_seed()), []
    for path in sorted(glob.glob(os.path.join(MODELS, "*.onnx"))) if MODELS else ():
        results.append(check(os.path.basename(path), path, rng))
    for name, (build, n_symbols, *_) in () if MODELS else [*symbolic_test.CASES.items(), ("skips", (skips, 2))]:
        graph = symbolic_test.Graph(None, n_symbols)
        results.append(check(name, strata.write("pooled.mlir", graph.text(build(graph))), rng))
    assert MODELS or sum(buffers for buffers, _ in results) > 20
    bad = [each for _, too_large in results for each in too_large]
    sys.exit("\n".join(f"{name}: {quotient:.3f} at {sizes}" for name, quotient, sizes in bad) if bad else 0)


if __name__ == "__main__":
    main()
