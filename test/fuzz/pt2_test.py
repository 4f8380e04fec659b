"""Fuzzes the .pt2 reader: archives whose JSON has tokens changed, moved, lost or doubled, and archives of broken bytes."""
import glob
import io
import os
import re
import zipfile

import fuzzing
import strata

TOKEN = re.compile(rb'"[^"\n]*"|-?[\w.]+|\s+|.', re.DOTALL)
SMALL = 20000  # bytes of a seed


def seeds():
    """The entries of each archive."""
    paths = sorted(glob.glob(os.path.join(strata.SOURCE, "test", "pt2", "*.pt2")))
    archives = []
    for path in paths:
        if os.path.getsize(path) < SMALL:
            with zipfile.ZipFile(path) as archive:
                archives.append([(entry.filename, archive.read(entry)) for entry in archive.infolist()])
    return archives


def mutate(rng, tokens):
    if not tokens:
        return
    at = rng.randrange(len(tokens))
    kind = rng.randrange(7)
    words = [i for i, token in enumerate(tokens) if token[:1] == b'"']
    numbers = [i for i, token in enumerate(tokens) if token.isdigit()]
    if kind == 0:
        del tokens[at:at + rng.choice([1, 1, 3, 20])]
    elif kind == 1:
        tokens[at:at] = tokens[at:at + rng.choice([1, 3, 20])]
    elif kind == 2 and words:
        tokens[rng.choice(words)] = tokens[rng.choice(words)]
    elif kind == 3 and numbers:
        tokens[rng.choice(numbers)] = str(rng.choice(fuzzing.INTERESTING)).encode()
    elif kind == 4 and numbers:
        tokens[rng.choice(numbers)] = rng.choice([b"null", b"true", b"1.5", b"[]", b"{}", b'"Infinity"'])
    elif kind == 5:
        tokens[at:at] = [rng.choice([b"[", b"{"])] * rng.choice([1, 10, 100000])
    elif words:
        tokens[rng.choice(words)] = rng.choice([b'""', b'"as_int"', b'"as_name"', b'"a"'])


def pack(rng, entries):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    return target.getvalue()


def main():
    archives = seeds()
    assert archives

    def make_case(rng):
        entries = list(rng.choice(archives))
        texts = [i for i, (name, _) in enumerate(entries) if name.endswith(".json")]
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            i = rng.choice(texts)
            tokens = TOKEN.findall(entries[i][1])
            mutate(rng, tokens)
            entries[i] = entries[i][0], b"".join(tokens)
        content = pack(rng, entries)
        if rng.random() < 0.2:
            content = fuzzing.mutate_bytes(rng, content)
        path = fuzzing.write_case("case.pt2", content)
        return [path, "--aot", "--opt-level=0"], path

    fuzzing.fuzz(make_case)


if __name__ == "__main__":
    main()
