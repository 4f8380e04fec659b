"""Fuzzes the reader of TOSA and linalg: modules of the tests' single operations whose numbers, words and lines are
changed, moved, lost or doubled."""
import os
import re
import sys

import fuzzing
import strata

sys.path[:0] = [os.path.join(strata.SOURCE, "test", folder) for folder in ("linalg", "tosa")]

import linalg_test  # pylint: disable=wrong-import-position
import mlir_module  # pylint: disable=wrong-import-position
import tosa_test  # pylint: disable=wrong-import-position

TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[\w.$-]+|->|\s+|.', re.DOTALL)
NUMBER = re.compile(r"-?\d+")
WORDS = ["true", "false", "parallel", "reduction", "f32", "f16", "i1", "i8", "i32", "i64", "index", "d0", "d1", "?", "ui8",
         "IGNORE", "BILINEAR", "arith.addf", "arith.mulf", "arith.maximumf", "linalg.yield", "tensor.empty", "linalg.fill",
         "tosa.add", "tosa.reshape", "arith.constant"]


def small(module, result):
    """The module with one result alone, and what it needs; "" where that is everything."""
    needed, lines = {result.split("#")[0]}, []
    for line in reversed(module.lines):
        name = re.match(r"(%\w+)", line)
        if name and name.group(1) in needed:
            lines.insert(0, line)
            needed |= set(re.findall(r"%v\d+", line))
    part = mlir_module.Module()
    part.inputs, part.input_types, part.top = module.inputs, module.input_types, module.top
    text = " ".join(lines)
    used = [i for i in range(len(module.inputs)) if re.search(rf"%arg{i}\b", text)]
    arguments = ", ".join(f"%arg{i}: {module.input_types[i]}" for i in used)
    type_ = module.types[module.results.index(result)]
    return "\n".join(module.top + [f"func.func @main({arguments}) -> {type_} {{", *lines, f"return {result} : {type_}", "}", ""])


def seeds():
    texts = []
    mlir_module.Module.check = lambda module, **_: texts.extend(small(module, r) for r in module.results)
    for run in (linalg_test.products, linalg_test.quantized_convolutions, linalg_test.pooling, linalg_test.named_elementwise,
                linalg_test.generics, linalg_test.movement, linalg_test.control, linalg_test.open_sizes, tosa_test.elements,
                tosa_test.casts, tosa_test.along_axes, tosa_test.movement, tosa_test.convolutions,
                tosa_test.transposed_convolutions, tosa_test.products, tosa_test.pooling, tosa_test.rescales,
                tosa_test.resizing, tosa_test.control, tosa_test.open_sizes):
        run()
    for name in linalg_test.CONVOLUTIONS:
        linalg_test.convolution(name)
    return [TOKEN.findall(text) for text in texts if len(text) < 20000]


def change_number(rng, tokens):
    at = rng.choice([i for i, token in enumerate(tokens) if NUMBER.search(token)] or [0])
    number = NUMBER.search(tokens[at])
    if number:
        value = rng.choice(fuzzing.INTERESTING) if rng.random() < 0.3 else rng.choice([0, 1, 2, 3, 4, 5, 7, -1])
        tokens[at] = tokens[at][:number.start()] + str(value) + tokens[at][number.end():]


def change_everywhere(rng, tokens):
    """One word becomes another wherever it is, so that more stays consistent."""
    words = [token for token in tokens if re.match(r"[%#]?\w", token)]
    old = rng.choice(words)
    new = rng.choice(WORDS) if rng.random() < 0.5 else rng.choice(words)
    tokens[:] = [new if token == old else token for token in tokens]


def change_size(rng, tokens):
    """A number becomes another in all types, names and lists."""
    numbers = re.findall(r"(?<![\d%v])\d+(?=x)", "".join(tokens))
    if numbers:
        old, new = rng.choice(numbers), str(rng.choice([0, 1, 2, 3, 4, 7, 65, 1 << 20, 1 << 40, "?"]))
        tokens[:] = [re.sub(rf"(?<![\d%v]){old}(?=x)", new, token) for token in tokens]


def mutate(rng, tokens, donor):
    kind, at = rng.randrange(10), rng.randrange(len(tokens))
    if kind < 3:
        change_number(rng, tokens)
    elif kind < 5:
        change_size(rng, tokens)
    elif kind < 7:
        change_everywhere(rng, tokens)
    elif kind == 7:
        tokens[at] = rng.choice(tokens + WORDS)
    elif kind == 8:
        start = rng.randrange(len(donor))
        tokens[at:at] = donor[start:start + rng.choice([1, 3, 10, 40])]
    else:
        del tokens[at:at + rng.choice([1, 1, 3, 20])]


def main():
    texts = seeds()

    def make_case(rng):
        tokens = list(rng.choice(texts))
        for _ in range(rng.choice([1, 1, 2, 3])):
            mutate(rng, tokens, rng.choice(texts))
        path = fuzzing.write_case("case.mlir", "".join(tokens).encode())
        return [path, "--aot", "--opt-level=0"], path

    fuzzing.fuzz(make_case)


if __name__ == "__main__":
    main()
