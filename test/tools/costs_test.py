"""What work costs on a card is a figure of devices/gpu/costs.def or cards.def, what tiles reach of its rate one of tiles.def,
and where the models err a row of corrections.def: no pass and no lowering has one."""
import pathlib
import re
import sys

import strata

# A card by name, a time, a clock or a rate of one; what is printed in microseconds or gigabytes is none.
CARD = re.compile(r"\b(H[12]00|A100|L4|B200|RTX \d+|MI\d+X?|RX \d+)\b")
TIME = re.compile(r"(?<!# )(?<![\d.])[\d.]+ us\b")  # behind a #: what is printed
FIGURE = re.compile(r"(?<![\w.])\d+(\.\d*)?e(-[67]|9|1[0-4])\b(?! \*)")
CONSTANT = re.compile(r"(?:#define\s+|^\s+|[{,]\s*)\w*(?:SECONDS|CYCLES|LATENCY|CLOCK|BANDWIDTH|_RATE)\b\s*=?\s*[\d.(]")
# How much faster one way has to be than another; how many of a tile's instructions are in time.
MARGIN = re.compile(r"\w*(?:FASTER|SLOWER|WORTHWHILE|EFFICIENCY|MARGIN)\w*\s*=?\s*[\d.]")
TILES = re.compile(r"\{\d+, \d+, (?:\{\d+, \d+\}, |\d+, \d+, )\d+\}|^\w+\((?:\d+,\s*){4,}\d+\)")
# A rule that overrules the model by what it is called.
GATE = re.compile(r"\bis_(?:measured|worthwhile|worth_(?:splitting|sharing|streaming|alternating))\b")


def findings(text, is_of_gpu=True):
    """Figures in code are looked for in files that know of GPUs: the cpu's models have others."""
    patterns = (CARD, TIME, FIGURE, CONSTANT, MARGIN, TILES, GATE) if is_of_gpu else (CARD, TIME)
    return [(number, pattern.search(line)[0].strip()) for number, line in enumerate(text.splitlines(), 1)
            for pattern in patterns if pattern.search(line)]


def check_itself():
    for bad in ("#define LAUNCH_SECONDS 2e-6", "#define CLOCK 1.98e9 // idle", "enum { STEP_LATENCY = 1000 };",
                "  CACHE_RATE = 76,", "double saved = 4e-6;", "// measured on an H200",
                "// 128x14336x4096: 35 us instead of 34", "#define STORE_RATE 32.0", "#define WORTHWHILE_SHARE 0.95", "enum { FASTER = 2 };",
                "    {128, 256, {2, 4}, 100}, {64, 64, {2, 2}, 65},", "SHAPE(1, 2, 128, 256, 98)",
                "static bool is_measured(const problem_t *p) {"):
        assert findings(bad), bad
    for good in ("costs->margins.norm * apart", "1e6 * seconds", "costs->launch_seconds + 2 * x", "enum { SLOTS = 2 };",
                 "const double *MOST_LATENCY;",
                 "static const struct { int64_t groups, rows; } sides[] = {{2, 64}, {2, 128}};"):
        assert not findings(good), good


check_itself()
bad = []
for folder in ("passes", "lowering"):
    for path in sorted(pathlib.Path(strata.SOURCE, folder).rglob("*.[chd]*")):
        if path.suffix in (".c", ".h", ".def"):
            text = path.read_text(encoding="utf-8")
            bad += [f"{path}:{number}: {what}" for number, what in findings(text, "strata_gpu_" in text)]
print("\n".join(bad))
sys.exit(1 if bad else 0)
