"""Fuzzes the .mlir reader with modules of the strata dialect whose tokens are changed, moved, lost or doubled."""
import glob
import os
import re

import fuzzing
import strata

TOKEN = re.compile(r'"[^"\n]*"|[%@#!]?[\w.$-]+|->|\s+|.', re.DOTALL)


def seeds():
    """The graphs that the compiler itself writes for ONNX's node tests, and the lit tests of the dialect."""
    folder = os.path.join(strata.SOURCE, "test")
    texts = []
    for path in sorted(glob.glob(f"{folder}/dialects/strata/*.mlir") + glob.glob(f"{folder}/passes/strata/*.mlir")):
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    for path in sorted(glob.glob("/usr/lib/python3/dist-packages/onnx/backend/test/data/node/*/model.onnx"))[::40]:
        try:
            texts.append(strata.strata(path, "--compile-to=import"))
        except strata.CompileError:
            pass
    return [TOKEN.findall(text) for text in texts if len(text) < 20000]


def mutate(rng, tokens, donor):
    at = rng.randrange(len(tokens))
    kind = rng.randrange(7)
    if kind == 0:
        del tokens[at:at + rng.choice([1, 1, 3, 20])]
    elif kind == 1:
        tokens[at:at] = tokens[at:at + rng.choice([1, 3, 20])]
    elif kind == 2:
        tokens[at] = rng.choice(tokens)
    elif kind == 3:
        start = rng.randrange(len(donor))
        tokens[at:at] = donor[start:start + rng.choice([1, 3, 10, 40])]
    elif kind == 4:
        bracket = rng.choice("([{<")
        tokens[at:at] = [bracket] * rng.choice([1, 10, 100000])
    else:
        numbers = [i for i, token in enumerate(tokens) if token.isdigit()]
        if numbers:
            tokens[rng.choice(numbers)] = str(rng.choice(fuzzing.INTERESTING))


def main():
    texts = seeds()
    assert texts

    def make_case(rng):
        tokens = list(rng.choice(texts))
        for _ in range(rng.choice([1, 1, 2, 4])):
            mutate(rng, tokens, rng.choice(texts))
        content = "".join(tokens).encode()
        if rng.random() < 0.1:
            content = fuzzing.mutate_bytes(rng, content)
        path = fuzzing.write_case("case.mlir", content)
        return [path, "--aot", "--opt-level=0"], path

    fuzzing.fuzz(make_case)


if __name__ == "__main__":
    main()
