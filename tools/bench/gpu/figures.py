"""What the models take for a card: devices/gpu/costs.def and cards.def, read as devices/gpu/cards.c does."""
import collections
import os
import re

GPU = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "devices", "gpu")

Card = collections.namedtuple("Card", "name sold_as device processors l2 bandwidth products clock cache source")
Cost = collections.namedtuple("Cost", "member scale value")


def rows(file, macro):
    """The arguments of each line |macro|(...) of a table, as texts."""
    with open(os.path.join(GPU, file), encoding="utf-8") as opened:
        lines = [line.strip() for line in opened if line.startswith(macro + "(")]
    found = []
    for line in lines:
        parts, depth, quoted = [""], 0, False
        for letter in line[len(macro) + 1:line.rindex(")")]:
            quoted ^= letter == '"'
            depth += 0 if quoted else (letter in "([{") - (letter in ")]}")
            if letter == "," and not depth and not quoted:
                parts.append("")
            else:
                parts[-1] += letter
        found.append([part.strip() for part in parts])
    return found


def number(text):
    """A constant of C without names."""
    if not re.fullmatch(r"[\d.e+\-*/()<> ]+", text):
        raise ValueError(text)
    return float(eval(text, {"__builtins__": {}}))


def unquoted(text):
    return text.strip('"')


def devices():
    """Of each architecture what cards.def may leave out: processors, bandwidth in GB/s, products in TFLOP/s."""
    return {unquoted(row[0]): {"processors": number(row[-15]), "bandwidth": number(row[-9]), "products": number(row[-7])}
            for row in rows("devices.def", "DEVICE")}


def cards():
    """All whose architecture has a row, by name; the first is what was measured."""
    known, found = devices(), {}
    for row in rows("cards.def", "CARD"):
        texts, values = [unquoted(text) for text in row[:3]], [number(text) for text in row[3:9]]
        card = Card(*texts, *values, row[9])
        if card.device in known:
            of = known[card.device]
            found[card.name] = card._replace(bandwidth=card.bandwidth or of["bandwidth"],
                                             products=card.products or of["products"])
    return found


def card_of(name, device):
    """The card of |device| that its driver calls |name|; None: none that is known."""
    best = None
    for card in cards().values():
        for sold in card.sold_as.split("|"):
            is_it = card.device == device and re.search(rf"(?<!\w){re.escape(sold)}(?!\w)", name.lower())
            if is_it and (not best or len(sold) > best[0]):
                best = len(sold), card
    return best and best[1]


def measured_card():
    return next(iter(cards().values()))


def factors(card):
    """What a card's figures of each scale are times the measured ones."""
    of = measured_card()
    ratio = {key: getattr(card, key) / getattr(of, key) for key in ("processors", "clock", "bandwidth", "products", "cache")}
    processors, clock = ratio["processors"], ratio["clock"]
    return {"SAME": 1, "TIME": clock, "CLOCK": clock, "PRODUCTS": ratio["products"] / (processors * clock),
            "PRODUCTS_OF_ALL": ratio["products"], "CACHE": ratio["cache"] / processors, "CACHE_OF_ALL": ratio["cache"],
            "MEMORY": ratio["bandwidth"] / (processors * clock), "IN_FLIGHT": ratio["bandwidth"] / processors,
            "BANDWIDTH": ratio["bandwidth"]}


def costs():
    return [Cost(row[0], row[1], number(row[2])) for row in rows("costs.def", "COST")]


def figures_of(card):
    """Every figure of the models, by member, in the table's order."""
    factor = factors(card)
    found = {cost.member: cost.value * factor[cost.scale] for cost in costs()}
    for name, member, value, _ in rows("cards.def", "CARD_COST"):
        if unquoted(name) == card.name:
            found[member] = number(value)
    return found
