"""The rows of ops.def are enforced: nodes without an attribute that they need, with one of another type, with a value that
it does not know, with operands of two types where they must have one; and a sample with an attribute that the operator
does not have, and with too many results."""
import concurrent.futures
import os
import re
import sys

import numpy as np

import onnx_file
import strata
from onnx_file import BOOL, DOUBLE, FLOAT, INT32, INT64, Graph

TABLE = os.path.join(strata.SOURCE, "dialects/import/onnx/ops.def")
MANY = 1 << 20
SAMPLE = 8  # of what is the same for all: every eighth row
ROW = re.compile(r'^ONNX_OP\("(?P<name>[^"]+)",\s*(?P<since>\d+),\s*(?P<least>\d+),\s*(?P<most>\w+),\s*'
                 r'"(?P<operands>[^"]*)",\s*(?P<results>\w+),\s*(?P<attributes>[^;]*?),\s*[a-z]\w*[,)]', re.MULTILINE)
ENTRY = re.compile(r"(\w+)(!?):(\w)(?:>=(\d+))?(?:<(\d+))?(?:=(\S+))?")
LAST_OPSET = 28
ELEMENTS = {"F": (FLOAT, DOUBLE), "G": (FLOAT, DOUBLE), "N": (FLOAT, INT32), "M": (FLOAT, INT32), "K": (FLOAT, DOUBLE),
            "I": (INT64, INT32), "L": (INT64, INT32), "J": (INT32, INT64), "S": (FLOAT, DOUBLE), "B": (BOOL, INT32),
            "Z": (INT32, INT64), "P": (3, 2), "Q": (3, 2), "R": (3, 2), "T": (FLOAT, INT32), "U": (FLOAT, INT32),
            "V": (FLOAT, INT32)}


def rows():
    """The table, with its macros expanded: (name, least, letters, results, entries of the last opset)."""
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    macros = {name: value for name, value in re.findall(r'#define (\w+)[\s\\]*"([^"]*)"', text)}
    for row in ROW.finditer(text):
        attributes = "".join(string or macros.get(name, "")
                             for string, name in re.findall(r'"([^"]*)"|([A-Z_]+)', row["attributes"]))
        entries = [entry for entry in ENTRY.findall(attributes)
                   if int(entry[3] or 1) <= LAST_OPSET < int(entry[4] or MANY)]
        results = MANY if row["results"] == "MANY" else int(row["results"])
        yield row["name"], int(row["least"]), row["operands"], results, entries


def value_of(kind, values):
    """An attribute of the given type that its row allows."""
    first = values.split("|")[0] or "1"
    return {"i": int(first) if kind == "i" else 1, "f": 1.0, "s": first, "t": np.ones(1, np.float32),
            "g": Graph(name="body"), "I": [1], "F": [1.0]}[kind]


def model(name, least, letters, n_results, attributes, odd=-1):
    """One node; operand |odd| has another type than the first of its letter, or than its letter allows."""
    graph = Graph(opset=LAST_OPSET)
    operands = []
    for i in range(least):
        letter = letters[min(i, len(letters.rstrip("*")) - 1)] if letters.rstrip("*") else "T"
        operands.append(graph.input(f"x{i}", ELEMENTS.get(letter, (FLOAT, FLOAT))[i == odd], [2, 2]))
    domain, _, op = name.rpartition(".")
    outputs = [f"y{i}" for i in range(n_results)]
    graph.node(op, operands, outputs, name="culprit", domain=domain, **attributes)
    graph.output("y0", FLOAT, [2, 2])
    return graph.model()


def cases():
    """(label, model, pieces of the error)"""
    for number, (name, least, letters, results, entries) in enumerate(rows()):
        good = {entry[0]: value_of(entry[2], entry[5]) for entry in entries if entry[1]}

        def case(what, n_results, attributes, *pieces, odd=-1):
            return f"{name} {what}", model(name, least, letters, n_results, attributes, odd), pieces

        if number % SAMPLE == 0:
            yield case("with frob", 1, {**good, "frob": 1}, "'frob'", "none of that name")
        if number % SAMPLE == 0 and results < MANY:
            yield case("results", results + 1, good, f"at most {results} results")
        for i, (attribute, required, kind, _, _, values) in enumerate(entries):
            if required:
                yield case(f"without {attribute}", 1, {k: v for k, v in good.items() if k != attribute},
                           f"'{attribute}'", "missing")
            wrong = [1, 2] if kind != "I" else 1
            if i == number % len(entries):
                yield case(f"type of {attribute}", 1, {**good, attribute: wrong}, f"'{attribute}'", "expected a")
            if values:
                wrong = "bogus" if kind == "s" else 77
                yield case(f"value of {attribute}", 1, {**good, attribute: wrong}, f"'{attribute}'", values, str(wrong))
        first = letters[:1]
        if first and first != "?" and (letters.startswith(2 * first) or letters.startswith(first + "*")) and least > 1:
            yield case("of two types", 1, good, "operand 1 ('x1')", "expected", odd=1)


def run(case):
    label, data, pieces = case
    path = re.sub(r"\W", "_", label) + ".onnx"
    with open(path, "wb") as file:
        file.write(data)
    try:
        strata.strata(path, "--compile-to=import")
        error = "no error"
    except strata.CompileError as caught:
        error = str(caught)
    os.remove(path)
    good = all(piece in error for piece in ("(node culprit)", path, *pieces))
    return good, f"{label}: {error.strip()}"


def main():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, cases()))
    for good, text in results:
        if not good:
            print("FAIL", text)
    print(f"{sum(good for good, _ in results)} of {len(results)} are refused as they should be")
    sys.exit(0 if len(results) > 250 and all(good for good, _ in results) else 1)


if __name__ == "__main__":
    main()
