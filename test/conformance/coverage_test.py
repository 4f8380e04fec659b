"""Every row of the tables is tested by one of the files here, what no row takes is refused, and docs/conformance.md is
what matrix.py prints."""
import os
import re
import subprocess
import sys
import tempfile

import block_test
import chains_test  # noqa: F401 (is importable)
import composites_test
import contractions_test
import elementwise_test
import formats
import jagged_test
import matrix
import movement_test
import reductions_test
import strata
import suite
import suppress_test
import tables
import trees_test

OPS_A_MODULE = 16  # a compile reports no more than 20 errors


def untested():
    tested = {op.name for file in (elementwise_test, reductions_test, contractions_test, movement_test,
                                       jagged_test, suppress_test, trees_test, block_test)
              for op in file.OPS}
    yield from (f"no test for the op {name}" for name in tables.OPS if name not in tested)
    yield from (f"no test for the composite {name}" for name in tables.COMPOSITES
                if name not in composites_test.COMPOSITES and name not in jagged_test.COMPOSITES)
    yield from (f"no format for the type {name}" for name in tables.TYPES
                if name not in formats.FLOATS and name not in formats.INTEGERS and name != "i1")


# -- refusals ---------------------------------------------------------------------------------------------------------

ATTRS = {"REDUCE": {"kind": "add", "axes": (0,)}, "ARG_REDUCE": {"kind": "max", "axis": 0, "select_last": False},
         "SCAN": {"kind": "add", "axis": 0, "exclusive": False, "reverse": False},
         "SORT": {"axis": 0, "descending": False, "unsigned": False},
         "WINDOW": {"kind": "add", "window": (1,), "strides": (1,), "dilations": (1,), "low": (0,), "high": (0,)},
         "CONTRACT": {"maps": ["(i) -> (i)"] * 3, "zero_pad": False, "origin": ""}, "GENERATE": {"axis": 0}}
OWN_ATTRS = {"scaled_contract": {"maps": ["(i) -> (i)"] * 3, "zero_pad": False, "origin": "", "axis": 0},
             "dims": {"values": (4,) * 4}, "segment_reduce": {"kind": "add"}, "trees": {"kind": "add"},
             "suppress": {"room": (4,)},
             "segment_attention": {"causal": False, "scale": 1.0}}


def wrong_op(op, t, **attrs):
    """Adds the op on a type that it does not take: all else is right."""
    shape = () if op.kind in ("REDUCE", "ARG_REDUCE") else (4,)
    result = {"BOOL": "i1", "SAME": t, "SECOND": t}.get(op.rule, "i64" if op.kind == "ARG_REDUCE" else t)

    def add(module):
        operands = [module.constant(t, suite.np.zeros(4, formats.carrier(t))) for _ in range(op.n_operands)]
        results = [(result, shape)] + ([("i64", shape)] if op.kind in ("SORT", "SUPPRESS") else [])
        module.op_with_results(op.name, operands, results, **(OWN_ATTRS.get(op.name, ATTRS.get(op.kind, {})) | attrs))
    return add


def wrong_ops():
    for op in tables.OPS.values():
        for t in tables.TYPES:
            if not tables.takes(op, t):
                yield wrong_op(op, t)
            elif "kind" in op.attrs and op.kind != "SCATTER":
                yield from (wrong_op(op, t, kind=kind) for kind in tables.COMBINERS if not tables.combines(kind, t))


def accepted(adds):
    """The lines of a module of wrong ops that nothing was said of."""
    module = suite.Module()
    expected = {}
    for add in adds:
        add(module)
        expected[len(module.lines) + 1] = module.lines[-1]  # the first line is the function's
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(module.text())
        file.flush()
        done = subprocess.run([os.path.join(strata.BIN, "strata-opt"), file.name, "--pipeline=strata-dce"],
                              capture_output=True, text=True, check=False)
    said = {int(line) for line in re.findall(r":(\d+):\d+: strata\.\w+: ", done.stderr)}
    return [f"accepted: {text}" for line, text in expected.items() if line not in said]


def refusals():
    adds = list(wrong_ops())
    print(f"{len(adds)} ops on types that they do not take")
    for i in range(0, len(adds), OPS_A_MODULE):
        yield from accepted(adds[i:i + OPS_A_MODULE])


def stale_document():
    path = os.path.join(strata.SOURCE, "docs", "conformance.md")
    with open(path, encoding="utf-8") as file:
        if file.read() != "\n".join(matrix.lines()) + "\n":
            yield ("docs/conformance.md is stale: "
                   "PYTHONPATH=test/support python3 test/conformance/matrix.py > docs/conformance.md")


def main():
    problems = [*untested(), *refusals(), *stale_document()]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
