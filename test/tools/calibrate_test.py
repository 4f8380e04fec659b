"""tools/bench/gpu/calibrate.py without a GPU: its tables are those of the compiler; figures come out of times that are made
of them; on the tests' stand-in for a driver every kernel runs, and lines have their form; without any there is an error."""
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import types

import strata

sys.path[:0] = [os.path.join(strata.SOURCE, "tools", "bench", "gpu")]

import calibrate
import figures
import gpu
import kernels
import probes

CARDS = ["H200", "H100", "A100", "L4", "RTX 4090", "B200", "RTX 5090", "MI210", "MI250X", "MI300X", "MI300A", "MI325X",
         "MI355X", "RX 7900 XTX", "RX 7800 XT", "Radeon 8060S", "RX 9060 XT", "RX 9070 XT"]


def check_tables():
    cards = figures.cards()
    assert list(cards) == CARDS, list(cards)
    named = [figures.unquoted(row[0]) for row in figures.rows("cards.def", "CARD")]
    assert set(named) == set(cards), named
    for card in named[1:]:
        source = next(row[9] for row in figures.rows("cards.def", "CARD") if figures.unquoted(row[0]) == card)
        assert source.startswith("ESTIMATED") or '"measured' in source, f"{card}: {source}"
    measured, known = figures.figures_of(cards["H200"]), figures.costs()
    assert len(known) == len(measured) > 150 and all(measured[cost.member] == cost.value for cost in known)
    assert measured["launches.short_flops"] == 5 * 2 ** 30 and abs(measured["pipelined.shared_rate"] - 1 / 1.3) < 1e-12
    a100 = figures.figures_of(cards["A100"])
    assert a100["tiled.fma_rate"] == 64  # of its own
    assert abs(a100["pipelined.launch"] - 3000 * 1410 / 1980) < 1e-9  # the same time
    assert abs(a100["pipelined.cache_rate"] - 76 * (5120 / 9000) / (108 / 132)) < 1e-9
    assert abs(a100["group.norm_bandwidth"] - 4e12 * 1700 / 4300) < 1
    assert figures.card_of("NVIDIA H100 80GB HBM3", "sm_90a").name == "H100"
    assert figures.card_of("NVIDIA GeForce RTX 4090", "sm_89").name == "RTX 4090"
    assert figures.card_of("NVIDIA GH200 480GB", "sm_90a") is None


class Made:
    """Times of a card of which everything is known."""

    STEP, ONCE, CLOCK = {"wide": 1050.0, "square": 600.0, "narrow": 250.0, "short": 450.0, "stream": 700.0, "apart": 800.0}, 5000.0, 1.5e9
    STORE_START, STORE_RATE = 400.0, 20.0

    def __init__(self):
        plan = kernels.Plan(types.SimpleNamespace(device="sm_90a", small=False, processors=132))
        self.facts = {kernel["name"]: kernel["facts"] for kernel in plan.kernels}
        self.seconds = {name: self.cycles(name) / self.CLOCK for name in self.facts if name.split("_")[0] in self.STEP}
        self.clocks, self.launches = {name: self.CLOCK for name in self.seconds}, {}

    def cycles(self, name):
        kind, facts = name.split("_")[0], self.facts[name]
        groups, rows, columns, _ = kernels.TILES["square" if kind in ("stream", "apart") else kind]
        store = self.STORE_START + rows * columns / groups * 4 / self.STORE_RATE
        steps = facts["share"] if kind == "stream" else facts["rounds"] * facts["steps"]
        return self.ONCE + steps * self.STEP[kind] + facts["rounds"] * store


def check_figures():
    """What times are made of is what is found in them."""
    made = Made()
    found = calibrate.of_products(made, {"pipelined.fill": 1500.0})
    want = {"pipelined.products": 128 * 256 / 1050 / 0.98, "pipelined.launch": 3500, "pipelined.store_rate": 20,
            "pipelined.store_start": 400, "pipelined.cache_rate": 128 * 128 / 250, "pipelined.latency": 900,
            "pipelined.stream_cache_rate": 256 * 128 / 700, "pipelined.apart_cache_rate": 256 * 128 / 800}
    assert found.keys() == want.keys(), found
    for member, value in want.items():
        assert abs(found[member] / value - 1) < 1e-9, f"{member}: {found[member]}, not {value}"
    made.seconds["narrow_12"] = 0  # nonsense is no figure
    made.cycles = lambda name: 1.0
    assert not any(calibrate.of_products(made, {"pipelined.fill": 1500.0}).values())


def check_probes(folder):
    """The assembler takes them."""
    for name, text in (("base", probes.BASE), ("clusters", probes.CLUSTERS)):
        path = os.path.join(folder, name + ".ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["ptxas", "--gpu-name=sm_90", path, "-o", path + ".cubin"], check=True)


def printed(*arguments):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert calibrate.main(list(arguments)) == 0, text.getvalue()
    return text.getvalue()


def check_stand_in(folder):
    text = printed("build", folder, "--small", "--device=emulated_90")
    assert text.endswith(" compiled, 0 failed\n"), text
    gpu.use_stand_in()
    text = printed("measure", folder, "--date=2026-01-02")
    assert "#" not in text, text  # that a kernel failed
    row, *lines = text.split(" */\n", 1)[1].splitlines()
    assert re.fullmatch(r'CARD\("test device", "test device", "emulated_90", \d+, \d+, \d+, \d+, 1980, 9000, '
                        r'"measured, 2026-01-02; as estimated: clock, cache"\)', row), row
    members = [cost.member for cost in figures.costs()]
    measured = {"stage.seconds", "stage.turn_seconds", "stage.copy_share", "group.launch_seconds"}
    assert len(lines) == len(members)
    for line, member in zip(lines, members):
        of_card = re.fullmatch(r'CARD_COST\("test device", (\S+), +[\d.e+-]+, +"measured, 2026-01-02"\)', line)
        estimated = re.fullmatch(r"/\* (\S+): +[\d.e+-]+, estimated \*/", line)
        assert (of_card or estimated) and (of_card or estimated)[1] == member, line
        assert not of_card or member in measured, line
    lines = printed("measure", folder, "--compare").split(" */\n", 1)[1].splitlines()
    assert lines[0].split() == ["figure", "present", "measured", "ratio"] and len(lines) == len(members) + 4
    assert lines[4].split() == ["pipelined.launch", "3000", "-", "-"], lines[4]


def check_failures(folder):
    """A kernel that was not compiled, or does not run, costs its own figures."""
    path = os.path.join(folder, "plan.json")
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    for kernel in plan["kernels"]:
        kernel["failed"] = kernel["failed"] or ("why" if kernel["name"] == "turn_1" else None)
    os.remove(os.path.join(folder, "libproduct_fp8.so"))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(plan, file)
    text = printed("measure", folder)
    assert "# turn_1: not compiled\n" in text and "# product_fp8: " in text and "products of fp8" not in text, text
    assert re.search('CARD_COST.*group.launch_seconds', text) and not re.search("CARD_COST.*stage.seconds", text), text


def check_no_card(folder):
    environment = {**os.environ, "STRATA_CUDA_DRIVER": os.path.join(folder, "none.so")}
    done = subprocess.run([sys.executable, calibrate.__file__, "measure", folder], env=environment, capture_output=True,
                          text=True)
    assert done.returncode == 1 and not done.stdout and len(done.stderr.splitlines()) == 1, done
    assert done.stderr.startswith("calibrate.py: no GPU, or no driver of one: "), done.stderr


def main():
    check_tables()
    check_figures()
    with tempfile.TemporaryDirectory() as folder:
        if strata.has_ptxas():
            check_probes(folder)
        check_stand_in(folder)
        check_failures(folder)
        check_no_card(folder)


if __name__ == "__main__":
    main()
