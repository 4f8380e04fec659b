"""affine-memory-plan on random launch lists: buffers that live together are apart, and the report is right."""
import os
import random
import re
import subprocess
import tempfile
import time

BIN = os.environ["STRATA_BIN"]
ALIGNMENT = 256


def program(sizes, launches):
    """@main with one buffer of each size (in bytes) and calls that use the listed buffers."""
    types = [f"memref<{size}xi8>" for size in sizes]
    lines = [f"%b{i} = memref.alloc() : {type}" for i, type in enumerate(types)]
    kernels = []
    for i, used in enumerate(launches):
        signature = ", ".join(types[b] for b in used)
        kernels.append(f"func.func private @k{i}({signature})")
        lines.append(f"func.call @k{i}({', '.join(f'%b{b}' for b in used)}) : ({signature}) -> ()")
    return "\n".join(kernels + ["func.func @main() {"] + lines + ["return }"])


def plan(text):
    """The offsets in order, and the attributes of @main."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([os.path.join(BIN, "strata-opt"), file.name, "--pipeline=affine-memory-plan"],
                              capture_output=True, text=True, check=True)
    offsets = [int(x) for x in re.findall(r"memref\.alloc\(\) \{strata\.offset = (\d+) : i64\}", done.stdout)]
    return offsets, {key: int(value) for key, value in re.findall(r"strata\.pool_(\w+) = (\d+) : i64", done.stdout)}


def check(sizes, launches):
    offsets, report = plan(program(sizes, launches))
    assert len(offsets) == len(sizes)
    rounded = [-(-size // ALIGNMENT) * ALIGNMENT for size in sizes]
    life = {}
    for t, used in enumerate(launches):
        for b in used:
            life[b] = (life.get(b, (t, t))[0], t)
    most = 0
    for t in range(len(launches)):
        live = sorted((offsets[b], rounded[b]) for b, (first, last) in life.items() if first <= t <= last)
        for (offset, size), (after, _) in zip(live, live[1:]):
            assert offset + size <= after, f"launch {t}: {offset} + {size} > {after}"
        most = max(most, sum(size for _, size in live))
    assert all(offset % ALIGNMENT == 0 for offset in offsets)
    assert report["live"] == most and report["sum"] == sum(rounded[b] for b in life)
    assert report["size"] == max((offsets[b] + rounded[b] for b in life), default=0)
    return report["size"] / max(most, 1)


def main():
    generator = random.Random(1)
    waste = []
    for _ in range(60):
        n, steps = generator.randrange(1, 60), generator.randrange(1, 40)
        launches = [[] for _ in range(steps)]
        for buffer in range(n):
            first = generator.randrange(steps)
            for t in {first, min(steps - 1, first + generator.choice([0, 1, 1, 2, 3, 20]))}:
                launches[t].append(buffer)
        waste.append(check([generator.randrange(1, 1 << generator.randrange(4, 20)) for _ in range(n)], launches))
    print(f"pool over what lives at most: {sum(waste) / len(waste):.3f} on average, {max(waste):.3f} at worst")
    assert sum(waste) / len(waste) < 1.1 and max(waste) < 1.1

    n = 100000  # a chain; two buffers live at a time
    start = time.monotonic()
    _, report = plan(program([1024] * n, [[i, i + 1] for i in range(n - 1)]))
    print(f"{n} launches in {time.monotonic() - start:.1f} s")
    assert report["size"] == 2048 and time.monotonic() - start < 60


main()
