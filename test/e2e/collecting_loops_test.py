"""Loops that collect: sequences that a Loop appends to, Loops that count up to a size, as torch's exporter writes a
loop over a range and EmbeddingBag, and Loops that data end and that give a value an iteration; beside the same in Python,
on the cpu and on an emulated device. STRATA_SEED: of the data."""
import os
import sys
import tempfile

import numpy as np

import strata
from counted_sizes_test import DEVICES, run, same
from onnx_file import BOOL, FLOAT, INT64, Graph

random = np.random.default_rng(int(os.environ.get("STRATA_SEED", "31")))
WIDTH = 3


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def number(graph, value):
    graph.n_values += 1
    return graph.constant(f"number{graph.n_values}_{len(graph.nodes)}", np.array(value, np.int64))


def counting_body(graph, start, step, compare, limit, flip=False):
    """A body with state "at", which begins as |start| and goes on while it compares so with |limit|, and the sequence
    "items". Its condition and the next "at" are its first results."""
    body = Graph()
    body.n_values = 1000 * (1 + graph.n_values)
    body.input("i", INT64, []), body.input("go", BOOL, []), body.input("at", INT64, [])
    body.sequence_input("items", FLOAT)
    after = body.node("Add", ["at", number(body, step)])
    body.output(body.node(compare, [limit, after] if flip else [after, limit]), BOOL, [])
    body.output(after, INT64, [])
    return body


def loop_over_rows(compare="Less", start=0, step=1, flip=False, offset=0, rows="rows", most=None):
    """Row |at| times its number, appended; what is done with the sequence."""
    graph = Graph()
    x, weight = graph.input("x", FLOAT, [rows, WIDTH]), graph.constant("weight", floats(WIDTH, WIDTH))
    size = graph.node("Add", [graph.node("Squeeze", [graph.node("Shape", [x], end=1)]), number(graph, offset)])
    body = counting_body(graph, start, step, compare, size, flip)
    places = body.node("Reshape", ["at", body.constant("flat", np.array([-1]))])
    ends = body.node("Add", [places, body.constant("one", np.array(1))])
    row = body.node("MatMul", [body.node("Slice", [x, places, ends]), weight])
    scaled = body.node("Mul", [row, body.node("Cast", ["at"], to=FLOAT)])
    body.result(body.node("SequenceInsert", ["items", scaled]))
    graph.constant("yes", np.array(True))
    last, items = graph.node("Loop", ["" if most is None else number(graph, most), "yes", number(graph, start),
                                      graph.node("SequenceEmpty", [], dtype=FLOAT)], 2, body=body)
    zero = number(graph, 0)
    for result in (last, graph.node("ConcatFromSequence", [items], axis=0),
                   graph.node("ConcatFromSequence", [items], axis=-1), graph.node("SequenceLength", [items]),
                   graph.node("ConcatFromSequence", [items], axis=1, new_axis=1),
                   graph.node("SequenceAt", [items, zero]), graph.node("SequenceAt", [items, number(graph, -1)])):
        graph.result(result)
    return graph, weight


def check_rows(options, sizes, weight=None, start=0, step=1, goes_on=lambda at, n: at < n, most=1 << 40, **how):
    random_state = random.bit_generator.state
    graph, _ = loop_over_rows(start=start, step=step, most=None if most == 1 << 40 else most, **how)
    random.bit_generator.state = random_state
    weight = floats(WIDTH, WIDTH)
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, graph, ["x"], 7, options)
        for size in sizes:
            x, at, items = floats(size, WIDTH), start, []
            while len(items) < most:
                items.append((x[at:at + 1] @ weight) * at)
                at += step
                if not goes_on(at, size):
                    break
            wanted = [np.array(at), np.concatenate(items), np.concatenate(items, axis=-1), np.array(len(items)),
                      np.stack(items, axis=1), items[0], items[-1]]
            for i, (got, right) in enumerate(zip(call(x), wanted)):
                same(f"{size} rows, result {i}", got, right)


def check_bags(options, rows, is_open):
    """EmbeddingBag with offsets, as torch's exporter writes it: a bag is a slice by data, or nothing."""
    graph = Graph()
    x = graph.input("x", FLOAT, ["total" if is_open else rows, WIDTH])
    offsets = graph.input("offsets", INT64, ["bags" if is_open else 6])
    count, flat = graph.node("Shape", [x], end=1), graph.constant("flat", np.array([-1]))
    every = graph.node("Concat", [offsets, count], axis=0)
    bags = graph.node("Size", [offsets])
    body = counting_body(graph, 0, 1, "Less", bags)
    one, two = body.constant("one", np.array(1)), body.constant("two", np.array(2))
    place = body.node("Reshape", ["at", flat])
    middle = body.node("Add", [place, one])
    first = body.node("Slice", [every, place, middle])
    end = body.node("Slice", [every, middle, body.node("Add", [place, two])])
    nothing, something = Graph(), Graph()
    nothing.n_values, something.n_values = 5000, 6000
    nothing.constant("none", np.zeros((1, WIDTH), np.float32)), nothing.result("none")
    something.constant("axis", np.array([0]))
    something.result(something.node("ReduceSum", [something.node("Slice", [x, first, end]), "axis"]))
    row = body.node("If", [body.node("Equal", [first, end])], then_branch=nothing, else_branch=something)
    body.result(body.node("SequenceInsert", ["items", row]))
    begins = graph.node("Less", [number(graph, 0), bags])
    _, items = graph.node("Loop", ["", begins, number(graph, 0), graph.node("SequenceEmpty", [], dtype=FLOAT)], 2,
                          body=body)
    graph.result(graph.node("ConcatFromSequence", [items], axis=0))
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, graph, ["x", "offsets"], 1, options)
        for total, bags in ((rows, 6), (1, 1), (5, 17), (33, 2)) if is_open else ((rows, 6),):
            x, offsets = floats(total, WIDTH), np.sort(random.integers(0, total + 1, bags))
            offsets[0] = 0
            ends = np.append(offsets[1:], total)
            wanted = np.array([x[a:b].sum(axis=0) for a, b in zip(offsets, ends)])
            same(f"{total} rows, {bags} bags", call(x, offsets)[0], wanted)


def greedy(most, is_input, appends, token_shape=()):
    """A greedy decoder: the next token is the best of a row of scores, the last token's, and it ends with token 0."""
    vocabulary = 11
    graph = Graph()
    start, begins = graph.input("start", INT64, []), graph.input("begins", BOOL, [])
    scores = graph.input("scores", FLOAT, [vocabulary, vocabulary])
    limit = graph.input("most", INT64, []) if is_input else number(graph, most)
    body = Graph()
    body.n_values = 1000
    body.input("i", INT64, []), body.input("go", BOOL, []), body.input("token", INT64, [])
    if appends:
        body.sequence_input("items", INT64)
    row = body.node("Gather", [scores, "token"], axis=0)
    best = body.node("ArgMax", [row], axis=0, keepdims=0)
    body.output(body.node("Not", [body.node("Equal", [best, body.constant("end", np.array(0))])]), BOOL, [])
    body.output(best, INT64, [])
    kept = body.node("Reshape", [best, body.constant("shape", np.array(token_shape or (1,)))])
    if appends:
        body.result(body.node("SequenceInsert", ["items", kept]))
    body.result(row)
    body.result(kept)
    states = [start] + [graph.node("SequenceEmpty", [], dtype=INT64)] * appends
    last, *items, rows, tokens = graph.node("Loop", [limit, begins, *states], 3 + appends, body=body)
    if appends:
        tokens = graph.node("ConcatFromSequence", items, axis=0)
    for result in (last, rows, tokens, graph.node("ReduceSum", [rows], keepdims=0)):
        graph.result(result)
    return graph, vocabulary


def decode(scores, token, most):
    tokens, rows = [], []
    while len(tokens) < most and (not tokens or token):
        rows.append(scores[token])
        token = int(scores[token].argmax())
        tokens.append(token)
    return tokens, rows


def check_decoder(options, most, is_input, appends):
    graph, vocabulary = greedy(most, is_input, appends)
    given = [*options, f"--bound=most={most}"] if is_input else options
    with tempfile.TemporaryDirectory() as folder:
        call = run(folder, graph, ["start", "begins", "scores"] + ["most"] * is_input, 4, given)
        for length in (0, 1, 2, 7, most - 1, most, most + 4):
            order = random.permutation(np.arange(1, vocabulary))
            scores = floats(vocabulary, vocabulary)
            for a, b in zip(order, np.roll(order, -1)):  # a cycle, which ends where |length| says
                scores[a, b] = 9
            limit = min(most, max(length, 1)) if is_input else most
            if 0 < length <= 10:
                scores[order[length - 1], 0] = 10
            token = int(order[0])
            tokens, rows = decode(scores, token, limit) if length else ([], [])
            got = call(np.array(token), np.array(length > 0), scores, *[np.array(limit)] * is_input)
            if length:
                assert len(tokens) == (length if length <= 10 else limit), (len(tokens), length)
            rows = np.array(rows, np.float32).reshape(-1, vocabulary)
            kept = np.array(tokens, np.int64).reshape((-1,) if appends else (-1, 1))
            for i, (value, right) in enumerate(zip(got, (np.array(tokens[-1] if tokens else token), rows, kept,
                                                         rows.sum()))):
                same(f"{length} tokens, result {i}", value, np.asarray(right))


def refused(graph, piece):
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(folder, graph, [], 0, [])
        except AssertionError as error:
            assert piece in str(error), error
            return
    raise AssertionError(f"no error: {piece}")


def check_refusals(_):
    """What a loop does with a sequence beside appending one tensor an iteration."""
    for operator, operands, piece in (("SequenceLength", ["items"], "a loop appends to this sequence"),
                                      ("SequenceInsert", ["items", "x", "at"], "a loop appends to this sequence")):
        graph = Graph()
        graph.input("x", FLOAT, [2]), graph.input("limit", FLOAT, [])
        body = counting_body(graph, 0, 1, "Less", number(graph, 1 << 40))
        value = body.node(operator, operands)
        body.result(value if operator == "SequenceInsert" else body.node("SequenceInsert", ["items", "x"]))
        if operator == "SequenceLength":
            body.result(value)
        graph.constant("yes", np.array(True))
        results = graph.node("Loop", ["", graph.node("Less", [graph.node("ReduceSum", ["x"], keepdims=0), "limit"]),
                                      number(graph, 0), graph.node("SequenceEmpty", [], dtype=FLOAT)],
                             2 + (operator == "SequenceLength"), body=body)
        graph.result(results[0])
        graph.result(graph.node("SequenceLength", [results[1]]) if operator == "SequenceInsert" else results[2])
        refused(graph, piece)


CASES = {
    "rows": lambda options: check_rows(options, (1, 2, 5, 6, 37)),
    "rows_known": lambda options: check_rows(options, (9,), rows=9),
    "few_rows": lambda options: check_rows(options, (3,), rows=3),
    "up_to": lambda options: check_rows(options, (1, 4, 11), compare="LessOrEqual", offset=-1,
                                        goes_on=lambda at, n: at <= n - 1),
    "above": lambda options: check_rows(options, (1, 3, 14), compare="Greater", flip=True),
    "by_two": lambda options: check_rows(options, (1, 2, 3, 8, 13), step=2),
    "from_two": lambda options: check_rows(options, (12,), start=2, rows=12),
    "at_most": lambda options: check_rows(options, (1, 5, 8, 20), most=7),
    "bags": lambda options: check_bags(options, 19, True),
    "bags_known": lambda options: check_bags(options, 19, False),
    "decoder": lambda options: check_decoder(options, 12, False, False),
    "decoder_sequence": lambda options: check_decoder(options, 12, False, True),
    "decoder_limit": lambda options: check_decoder(options, 9, True, False),
    "refusals": check_refusals,
}

if __name__ == "__main__":
    strata.report([(f"{name} {device}", lambda case=case, options=options: case(options))
                   for name, case in CASES.items() for device, options in DEVICES.items()
                   if not sys.argv[1:] or name in sys.argv[1:]])
