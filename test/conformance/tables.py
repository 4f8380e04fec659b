"""The rows of dialects/strata/*.def, read as text: a new row is known here without being told."""
import collections
import os
import re

import strata

Type = collections.namedtuple("Type", "id name bits kind compute math c_type c_unsigned")
Op = collections.namedtuple("Op", "id name kind n_operands rule accepts float_body int_body ulp attrs")
Combiner = collections.namedtuple("Combiner", "id name float_op int_op neutral")
Composite = collections.namedtuple("Composite", "id name operands attrs body")


def _fields(text):
    """The arguments of a row: strings without their quotes, words, numbers."""
    return [a[1:-1] if a[0] == '"' else int(a) if a.isdigit() else a
            for a in re.findall(r'"[^"]*"|[A-Za-z_]\w*|\d+', text)]


def _rows(table, macro):
    path = os.path.join(strata.SOURCE, "dialects", "strata", f"{table}.def")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    rows = re.findall(rf'^{macro}\(((?:"[^"]*"|[^")])*)\)$', text, flags=re.M)
    assert len(rows) == len(re.findall(rf"^{macro}\(", text, flags=re.M)), f"{path}: a row that cannot be read"
    return [_fields(row) for row in rows]


def _attrs(text):
    """{"axes": "i64s", ...} in the order of "axes:i64s, ..."."""
    return dict(part.strip().split(":") for part in text.split(",") if part.strip())


def _composite(identifier, name, signature, body):
    operands, _, attrs = signature.partition(";")
    return Composite(identifier, name, [x.strip() for x in operands.split(",")], _attrs(attrs), body)


TYPES = {row[1]: Type(*row) for row in _rows("types", "TYPE")}
OPS = {row[1]: Op(*row[:-1], _attrs(row[-1])) for row in _rows("ops", "OP")}
COMBINERS = {row[1]: Combiner(*row) for row in _rows("combiners", "COMBINER")}
COMPOSITES = {row[1]: _composite(*row) for row in _rows("composites", "COMPOSITE")}

# The types whose rows have each letter of the column "accepts".
LETTERS = {"F": "FLOAT", "I": "INTEGER", "B": "BOOLEAN"}


def math_type(name):
    """The type in which arithmetic of the type |name| runs."""
    return next(t.name for t in TYPES.values() if t.id == TYPES[name].math)


def ops_of_kind(*kinds):
    return [op for op in OPS.values() if op.kind in kinds]


def is_stored_only(type_name):
    return not TYPES[type_name].compute


def _moves(op):
    """Ops that only move or convert take types without arithmetic, too; contractions convert what they read."""
    return (op.kind in ("MOVEMENT", "GATHER", "SCATTER", "CONTRACT") or op.rule == "SECOND"
            or (op.kind == "ELEMENTWISE" and op.rule == "RESULT") or op.name == "constant")


def takes(op, type_name):
    """Whether elements of the type are legal: in the result where the op has no operands, in operand 0, but for select
    in the chosen operands."""
    kind = TYPES[type_name].kind
    if op.kind == "GENERATE":
        accepted = op.name == "constant" or kind != "BOOLEAN"
    else:
        accepted = any(letter == "*" or LETTERS[letter] == kind for letter in op.accepts)
    return accepted and (not is_stored_only(type_name) or _moves(op))


def combines(combiner, type_name):
    """Whether the combiner is defined for the type: numbers, and for booleans what is logical."""
    row, kind = COMBINERS[combiner], TYPES[type_name].kind
    if kind == "BOOLEAN":
        return combiner in ("and", "or", "xor")
    return kind == "INTEGER" or row.float_op != ""
