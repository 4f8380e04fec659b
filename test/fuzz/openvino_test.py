"""Fuzzes the reader of OpenVINO's IR with networks whose elements and attributes are changed, moved, lost or doubled."""
import os
import re

import numpy as np

import fuzzing
import strata

CASES = dict(np.load(os.path.join(strata.SOURCE, "test", "openvino", "cases.npz")))
NAMES = sorted(key[:-len(" xml")] for key in CASES if key.endswith(" xml"))
ELEMENT = re.compile(r"<(layer|edge|port|data|dim|input|output)\b[^>]*?(/>|>.*?</\1>)", re.DOTALL)
VALUE = re.compile(r'(\w+)="([^"]*)"')
WORDS = ["", "x", "nan", "-inf", "1e400", "1..8", "?", "-1", "&lt;", "&#0;", "&x;", "true", "opset99", "dynamic", "nf4", "u1",
         "same_upper", "1,1", "0,0,0,0", "Parameter", "Result", "Const", "ReadValue", "Loop", "MatMul", "StridedSlice"]


def load(name):
    return CASES[f"{name} xml"].tobytes().decode()


def pick(rng, pattern, text):
    found = list(pattern.finditer(text))
    return rng.choice(found) if found else None


def mutate(rng, text, donor):
    """One change: of an attribute, mostly, or of an element, which may come from another network."""
    if rng.random() < 0.6:
        match = pick(rng, VALUE, text)
        kind = rng.randrange(3)
        other = pick(rng, VALUE, text)
        value = rng.choice(WORDS) if kind == 0 else str(rng.choice(fuzzing.INTERESTING)) if kind == 1 else other.group(2)
        return text[:match.start(2)] + value + text[match.end(2):]
    match, other = pick(rng, ELEMENT, text), pick(rng, ELEMENT, donor)
    if not match or not other:
        return text
    new = rng.choice(["", match.group(0) * 2, other.group(0), match.group(0) + other.group(0)])
    return text[:match.start()] + new + text[match.end():]


def make_case(rng):
    name, donor = rng.choice(NAMES), load(rng.choice(NAMES))
    text = load(name)
    for _ in range(rng.choice([1, 1, 2, 4])):
        text = mutate(rng, text, donor)
    content = text.encode()
    if rng.random() < 0.2:
        content = fuzzing.mutate_bytes(rng, content)
    weights = CASES[f"{name} bin"].tobytes()
    fuzzing.write_case("case.bin", weights if rng.random() < 0.9 else fuzzing.mutate_bytes(rng, weights))
    path = fuzzing.write_case("case.xml", content)
    return [path, "--aot", "--opt-level=0"], path


if __name__ == "__main__":
    fuzzing.fuzz(make_case, seconds=60)
