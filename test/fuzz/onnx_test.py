"""Fuzzes the ONNX reader with models whose protobuf fields are changed, moved, lost or doubled."""
import copy
import glob
import os

import fuzzing
import onnx_file

SEEDS = sorted(glob.glob("/usr/lib/python3/dist-packages/onnx/backend/test/data/*/*/model.onnx"))
SMALL = 20000  # bytes of a seed
MAX_DEPTH = 12


def parse(content, depth=0):
    """The fields of a message as [number, value]: an int, bytes, or a list where the bytes are a message themselves;
    None where |content| is no message."""
    fields, at = [], 0
    while at < len(content):
        key, at = read_varint(content, at)
        if key is None or key >> 3 == 0:
            return None
        kind = key & 7
        if kind == 0:
            value, at = read_varint(content, at)
            if value is None:
                return None
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = (kind, content[at:at + size]), at + size
        elif kind == 2:
            length, at = read_varint(content, at)
            if length is None or at + length > len(content):
                return None
            value, at = content[at:at + length], at + length
            nested = parse(value, depth + 1) if value and depth < MAX_DEPTH else None
            value = value if nested is None else nested
        else:
            return None
        fields.append([key >> 3, value])
    return fields


def read_varint(content, at):
    value = shift = 0
    while at < len(content) and shift < 64:
        value |= (content[at] & 127) << shift
        shift += 7
        at += 1
        if content[at - 1] < 128:
            return value, at
    return None, at


def encode(fields):
    out = []
    for number, value in fields:
        if isinstance(value, int):
            out.append(onnx_file.number(number, value))
        elif isinstance(value, tuple):
            out.append(onnx_file.varint(number << 3 | value[0]) + value[1])
        else:
            out.append(onnx_file.data(number, encode(value) if isinstance(value, list) else value))
    return b"".join(out)


def messages(fields):
    """Every message of the tree."""
    yield fields
    for _, value in fields:
        if isinstance(value, list):
            yield from messages(value)


def mutate_fields(rng, model, donor):
    """Changes one field. What is put somewhere is a copy: a message put in twice could be put into itself later."""
    fields = rng.choice([message for message in messages(model) if message])
    at = rng.randrange(len(fields))
    number, value = fields[at]
    kind = rng.randrange(8)
    if kind == 0:
        del fields[at]
    elif kind == 1:
        fields.insert(rng.randrange(len(fields) + 1), copy.deepcopy(fields[at]))
    elif kind == 2:
        fields[at][0] = rng.randrange(1, 22)
    elif kind == 3:
        others = [field for message in messages(donor) for field in message if field[0] == number]
        if others:
            fields[at][1] = copy.deepcopy(rng.choice(others)[1])
    elif isinstance(value, int):
        fields[at][1] = rng.choice(fuzzing.INTERESTING) if rng.random() < 0.7 else value + rng.choice([-1, 1])
    elif isinstance(value, bytes):
        strings = [field[1] for message in messages(model) for field in message if isinstance(field[1], bytes)]
        fields[at][1] = rng.choice(strings) if rng.random() < 0.5 else fuzzing.mutate_bytes(rng, value)
    else:
        rng.shuffle(fields)


def load(path):
    with open(path, "rb") as file:
        return file.read()


def make_case(rng):
    seeds = [path for path in SEEDS if os.path.getsize(path) < SMALL]
    content = load(rng.choice(seeds))
    model, donor = parse(content), parse(load(rng.choice(seeds)))
    if model and donor and rng.random() < 0.9:
        for _ in range(rng.choice([1, 1, 2, 4])):
            mutate_fields(rng, model, donor)
        content = encode(model)
    if rng.random() < 0.2:
        content = fuzzing.mutate_bytes(rng, content)
    path = fuzzing.write_case("case.onnx", content)
    return [path, "--aot", "--opt-level=0"], path


if __name__ == "__main__":
    assert SEEDS, "libonnx-testdata is not installed"
    fuzzing.fuzz(make_case)
