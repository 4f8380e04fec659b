"""What work costs on the card present: lines of devices/gpu/cards.def for it.

    python3 calibrate.py build FOLDER [--device sm_90a] [--processors 132] [--small]      where the compiler is
    python3 calibrate.py measure FOLDER [--compare] [--date 2026-11-26]                   where the card is

The first compiles products by given schedules, maps and transpositions (STRATA_BIN names the compiler's folder). The
second times them by the driver alone, in a minute, without PyTorch, and prints a CARD and a CARD_COST for each figure that
it could measure, "measured" with the date. The figures that are fitted within a model, or that the card or its driver
does not show, stay as estimated, in comments. --compare prints what the models take for the card now beside what was
measured, instead. docs/gpu-model.md says what each figure is from. --small is for tests: sizes that an emulated device
carries out soon.
"""
import argparse
import datetime
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "test", "support")]

import figures
from graph import BITS
from kernels import KINDS, RESULT_BYTES, ROUNDS, STEP_BYTES, TILES, build

#===-- Times -----------------------------------------------------------------------------------------------------------


class Times:
    """Seconds of each kernel and the clock behind it, hertz; None where it was not compiled or did not run."""

    def __init__(self, card, probes, folder, plan):
        self.card, self.probes, self.folder, self.plan = card, probes, folder, plan
        self.seconds, self.clocks, self.facts, self.launches = {}, {}, {}, {}
        for kernel in plan["kernels"]:
            try:
                self.measure(kernel)
            except Exception as error:  # the others may run
                print(f'# {kernel["name"]}: {" ".join(str(error).split())[:200]}')

    def binding(self, kernel):
        import card as of_card

        if kernel["failed"]:
            raise RuntimeError("not compiled")
        library = of_card.Kernels(self.card, os.path.join(self.folder, f'lib{kernel["name"]}.so'))
        self.launches[kernel["name"]] = len(library.launches)
        inputs = [self.card.filled(dtype, count) for dtype, count in kernel["inputs"]]
        outputs = [self.card.buffer(count * BITS[dtype] // 8) for dtype, count in kernel["outputs"]]
        return library, library.binding(inputs + outputs)

    def measure(self, kernel):
        name, clocks = kernel["name"], []
        try:
            library, run = self.binding(kernel)
            self.seconds[name] = self.card.time([run], after=lambda: clocks.append(self.probes.clock()))
            known = [clock for clock in clocks if clock]
            self.clocks[name] = known[len(known) // 2] if known else None
            if name in ("product_bf16", "product_fp32"):
                busy = self.card.keep_busy([run], 0 if self.plan["small"] else 0.6)
                self.seconds[name + "_busy"], self.clocks[name + "_busy"] = busy, self.probes.clock()
            self.facts[name] = kernel["facts"]
            library.unload()
        finally:
            self.card.release()

    def cycles(self, name):
        """None: without a clock there are none."""
        clock = self.clocks.get(name)
        return self.seconds[name] * clock if clock and name in self.seconds else None

    def rate(self, name, of):
        return self.facts[name][of] / self.seconds[name] if name in self.seconds else None


def per(fact, first, last, times):
    """Cycles of one of |fact|, by which two kernels alone differ; None: unknown, or nonsense."""
    cycles = [times.cycles(name) for name in (first, last)]
    if None in cycles or cycles[1] <= cycles[0]:
        return None
    return (cycles[1] - cycles[0]) / (times.facts[last][fact] - times.facts[first][fact])


class Tile:
    """Of products of one tile: cycles of a step, of a tile's store, and of all that is once."""

    def __init__(self, name, times):
        self.step = self.store = self.once = None
        step, round_ = per("steps", f"{name}_2_1", f"{name}_2_3", times), per("rounds", f"{name}_1_1", f"{name}_2_1", times)
        if step and round_:
            steps = times.facts[f"{name}_1_1"]["steps"]
            self.step = step / ROUNDS
            self.store = max(round_ - steps * self.step, 0)
            self.once = max(times.cycles(f"{name}_1_1") - steps * self.step - self.store, 0)


#===-- Figures ---------------------------------------------------------------------------------------------------------


def of_products(times, known):
    """What tiles of products show."""
    found, wide, square = {}, Tile("wide", times), Tile("square", times)
    rate = {(teams, groups, rows, columns): value / 100 for teams, groups, rows, columns, value in
            (tuple(int(text) for text in row[:5]) for row in figures.rows("tiles.def", "PIPELINED_TILE"))}
    if wide.step:
        _, rows, columns, _ = TILES["wide"]
        found["pipelined.products"] = rows * columns / wide.step / rate[1, 2, rows, columns]
        found["pipelined.launch"] = max(wide.once - known["pipelined.fill"], 0) or None
    if wide.store and square.store and wide.store > square.store:
        elements = [TILES[name][1] * TILES[name][2] / TILES[name][0] for name in ("wide", "square")]
        cycles = (wide.store - square.store) / (elements[0] - elements[1])
        found["pipelined.store_rate"] = (RESULT_BYTES + 2) / cycles
        found["pipelined.store_start"] = max(wide.store - elements[0] * cycles, 0) or None
    narrow, short, stream, apart = (per(fact, f"{name}_4", f"{name}_12", times) for name, fact in (
        ("narrow", "steps"), ("short", "steps"), ("stream", "share"), ("apart", "steps")))
    step_bytes = {name: (TILES[name][1] + TILES[name][2]) * STEP_BYTES for name in TILES}
    found["pipelined.cache_rate"] = narrow and step_bytes["narrow"] / narrow
    found["pipelined.latency"] = short and short * TILES["short"][3]
    found["pipelined.stream_cache_rate"] = stream and step_bytes["square"] / stream
    found["pipelined.apart_cache_rate"] = apart and step_bytes["square"] / (apart / ROUNDS)
    return found


def of_clocks(times, probes, known, processors):
    found, idle, busy = {}, probes.clock(), times.clocks.get("product_bf16_busy")
    found["pipelined.clock"] = idle
    if idle and busy:
        products_of_step = known["pipelined.products"] * STEP_BYTES / 2  # multiply-adds a cycle
        cycles = times.facts["product_bf16"]["flops"] / 2 / products_of_step / processors
        share = min(1, cycles / (times.seconds["product_bf16_busy"] * busy))
        found["pipelined.clock_lost"] = max(idle - busy, 0) / share
    fma = times.clocks.get("product_fp32_busy")
    found["fma.clock"] = fma
    if fma:
        cycles = times.facts["product_fp32"]["flops"] / 2 / known["fma.rate"] / processors
        found["fma.slower"] = times.seconds["product_fp32_busy"] * fma / cycles
    return found


def of_memory(times, bandwidth):
    """Of maps and transpositions: launches where they are small, rates where they are large."""
    found = {}
    if "turn_1024" in times.seconds and "turn_256" in times.seconds and bandwidth:
        seconds = times.seconds["turn_1024"] - times.seconds["turn_256"]
        moved = times.facts["turn_1024"]["bytes"] - times.facts["turn_256"]["bytes"]
        found["stage.copy_share"] = moved / seconds / bandwidth if seconds > 0 else None
    if "turn_1" in times.seconds and "map_1" in times.seconds:
        found["stage.seconds"] = times.seconds["map_1"]
        found["stage.turn_seconds"] = max(times.seconds["turn_1"] - times.seconds["map_1"], 0)
    if "chain" in times.seconds:
        found["group.launch_seconds"] = times.seconds["chain"] / max(times.launches["chain"], 1)
    return found


def of_probes(probes, processors):
    found = {"tiled.step": probes.barrier()}
    for cluster in range(1, 9):
        filled = probes.filled(cluster, processors)
        found[f"norm.filled[{cluster}]"] = filled
        if cluster in (1, 2, 4, 8):
            found[f"pipelined.filled[{cluster}]"] = filled
    return found


def notes_of(times, probes):
    """What no table has a place for."""
    lines = []
    for early in (False, True):
        seconds = probes.launch_seconds(early)
        if seconds:
            lines.append(f'a launch that does nothing{", begun early" if early else ""}: {1e6 * seconds:.3g} us')
    barriers = [(cluster, probes.barrier(cluster)) for cluster in (2, 4, 8)]
    lines += [f"a barrier of clusters of {cluster}: {cycles:.0f} cycles" for cluster, cycles in barriers if cycles]
    rates = [(kind, times.rate(f"product_{kind}", "flops")) for kind in (*KINDS, "fp32")]
    lines += [f"products of {kind}: {rate / 1e12:.3g} TFLOP/s" for kind, rate in rates if rate]
    moved = [(name, times.rate(name, "bytes")) for name in times.facts if name.startswith(("map_", "turn_"))]
    lines += [f"{name} MiB: {rate / 1e9:.4g} GB/s".replace("_", " of ") for name, rate in moved if rate]
    return lines


#===-- Lines -----------------------------------------------------------------------------------------------------------


def brief(value):
    """Three digits."""
    text = f"{float(f'{value:.3g}'):g}"
    return text.replace("e+", "e")


def card_line(card, measured, date):
    """Its row; zero is what was not measured."""
    values = {key: measured.get(key) or getattr(card, key) for key in ("bandwidth", "products", "clock")}
    estimated = [key for key in ("bandwidth", "products", "clock") if not measured.get(key)] + ["cache"]
    return (f'CARD("{card.name}", "{card.sold_as}", "{card.device}", {card.processors:.0f}, {card.l2:.0f}, '
            f'{values["bandwidth"]:.0f}, {values["products"]:.0f}, {values["clock"]:.0f}, {card.cache:.0f}, '
            f'"measured, {date}; as estimated: {", ".join(estimated)}")')


def table(card, known, found, date):
    width = max(map(len, known)) + 1
    lines, others = [], "measured before" if card.name == figures.measured_card().name else "estimated"
    for member, present in known.items():
        if found.get(member) is not None:
            lines.append(f'CARD_COST("{card.name}", {member + ",":<{width}} {brief(found[member]) + ",":<9} '
                         f'"measured, {date}")')
        else:
            lines.append(f"/* {member + ':':<{width}} {brief(present)}, {others} */")
    return lines


def comparison(known, found):
    width = max(map(len, known))
    lines = [f'{"figure":<{width}} {"present":>10} {"measured":>10} {"ratio":>6}']
    for member, present in known.items():
        value = found.get(member)
        measured = f"{brief(value):>10} {value / present:6.2f}" if value is not None else f'{"-":>10} {"-":>6}'
        lines.append(f"{member:<{width}} {brief(present):>10} {measured}")
    return lines


def card_present(card, device):
    """Its row of cards.def, or one made of the architecture's."""
    row = figures.card_of(card.name, device)
    if row:
        return row, True
    of = figures.measured_card()
    known = figures.devices().get(device, {})
    return of._replace(name=card.name, sold_as=card.name.lower(), device=device, l2=0,
                       **{**known, "processors": card.processors}), False


def measure(options):
    import card as of_card
    from probes import Probes

    with open(os.path.join(options.folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    quick = plan["small"]
    card = of_card.Card(rounds=1 if quick else 7, idle=0 if quick else 20e-3)
    row, is_known = card_present(card, plan["device"])
    known = figures.figures_of(row)
    probes = Probes(card)
    found = of_probes(probes, card.processors)
    notes = []
    times = Times(card, probes, options.folder, plan)
    bandwidth = times.rate("map_1024", "bytes")
    found.update(of_clocks(times, probes, known, card.processors))
    found.update(of_products(times, known))
    found.update(of_memory(times, bandwidth))
    busy = times.seconds.get("product_bf16_busy")
    of_row = {"bandwidth": bandwidth and bandwidth / 1e9,
              "products": busy and times.facts["product_bf16"]["flops"] / busy / 1e12,
              "clock": found["pipelined.clock"] and found["pipelined.clock"] / 1e6}
    if not quick and (card.processors != plan["processors"]):
        notes.append(f'the kernels are for {plan["processors"]} processors, the card has {card.processors}: '
                     f'build again with --processors={card.processors}')
    notes += notes_of(times, probes)
    n_measured = sum(found.get(member) is not None for member in known)
    print(f"/* {card.name}, {options.date}: {n_measured} of {len(known)} figures measured"
          f'{"" if is_known else "; no row of cards.def has it"}.')
    print("".join(f" * {note}\n" for note in notes), end="")
    print(" */")
    if options.compare:
        print("\n".join(comparison({"bandwidth, GB/s": row.bandwidth, "products, TFLOP/s": row.products,
                                    "clock, MHz": row.clock, **known},
                                   {"bandwidth, GB/s": of_row["bandwidth"], "products, TFLOP/s": of_row["products"],
                                    "clock, MHz": of_row["clock"], **found})))
    else:
        print(card_line(row, of_row, options.date))
        print("\n".join(table(row, known, found, options.date)))
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "measure"])
    parser.add_argument("folder")
    parser.add_argument("--device", default="sm_90a", help="an architecture, of devices.def")
    parser.add_argument("--processors", type=int, help="of the card; default: the architecture's typical one's")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--small", action="store_true", help="for tests")
    parser.add_argument("--compare", action="store_true", help="what the models take for the card now, beside it")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    options = parser.parse_args(arguments)
    known = figures.devices()
    if options.device not in known:
        parser.error(f"expected an architecture of devices.def, got {options.device}")
    options.processors = options.processors or int(known[options.device]["processors"])
    return options


def main(arguments):
    options = parse(arguments)
    if options.what == "build":
        return build(options)
    try:
        return measure(options)
    except (ImportError, OSError, RuntimeError) as error:
        print(f"calibrate.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
