"""What the .pt2 reader says of programs and archives that are broken or not supported."""
import os
import re
import zipfile

import strata

SEED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linear.pt2")


def archive(change):
    """The seed with |change| of each entry: new bytes, or None for an entry to be left out."""
    with zipfile.ZipFile(SEED) as source, zipfile.ZipFile("case.pt2", "w") as target:
        for entry in source.infolist():
            data = change(entry.filename, source.read(entry))
            if data is not None:
                target.writestr(zipfile.ZipInfo(entry.filename), data)
    return "case.pt2"


def replaced(old, new):
    def change(_, data):
        return data.replace(old.encode(), new.encode())
    return change


def without(part):
    return lambda name, data: None if part in name else data


def old_archive():
    with zipfile.ZipFile("case.pt2", "w") as target:
        target.writestr("serialized_exported_program.json", "{}")
    return "case.pt2"


def cut():
    with open(SEED, "rb") as source, open("case.pt2", "wb") as target:
        target.write(source.read()[:5000])
    return "case.pt2"


CASES = {
    "operators": (lambda: archive(replaced("aten.relu.default", "aten.poisson.default")),
                  r"\(node relu\): aten.poisson.default is not supported: random numbers"),
    "random": (lambda: archive(replaced("aten.relu.default", "aten.poisson.default")),
               r"\(node relu\): aten.poisson.default is not supported: random numbers"),
    "in training": (lambda: archive(replaced("aten.relu.default", "aten.native_layer_norm_backward.default")),
                    r"aten.native_layer_norm_backward.default is not supported: training; export model.eval\(\)"),
    "complex": (lambda: archive(replaced('"relu": {"dtype": 7', '"relu": {"dtype": 10')),
                r"\(node relu\): aten.relu.default is not supported: complex numbers"),
    "unknown": (lambda: archive(replaced("aten.relu.default", "mine.relu.default")),
                r"\(node relu\): mine.relu.default is not supported: an unknown operator"),
    "argument": (lambda: archive(replaced('"name": "weight", "arg"', '"name": "wait", "arg"')),
                 r"\(node linear\): aten.linear.default is not supported: argument 'wait'"),
    "pickled": (lambda: archive(replaced('"use_pickle": false', '"use_pickle": true')), r"'layer.(weight|bias)': it is pickled"),
    "version": (lambda: archive(replaced('"major": 8', '"major": 9')), r"schema_version: expected 8, .*, got 9"),
    "no weight": (lambda: archive(without("weight_0")), r"the archive has no '.*data/weights/weight_0'"),
    "short weight": (lambda: archive(lambda name, data: data[:8] if name.endswith("weight_0") else data),
                     r"'weight_0' has 8 bytes, which are too few for its sizes and strides"),
    "last element": (lambda: archive(replaced('"storage_offset": {"as_int": 0}',
                                              f'"storage_offset": {{"as_int": {2**63 - 4 * 6}}}')),
                     r"'weight_0' has 96 bytes, which are too few for its sizes and strides"),
    "sizes": (lambda: archive(replaced('"as_int": 6', '"as_int": 9223372036854775807')), r"'layer.weight': it is too large|its sizes"),
    "json": (lambda: archive(replaced('"inputs"', "inputs")), r"models/model.json: line 1, column \d+: "),
    "member": (lambda: archive(replaced('"tensor_values"', '"tensors"')), r"graph_module.graph.tensor_values: it is missing"),
    "kind": (lambda: archive(replaced('"dtype": 7', '"dtype": "7"')), r"dtype: expected an integer"),
    "old": (old_archive, r"torch 2.9 or later"),
    "cut": (cut, r"not a valid zip archive"),
}


def run(make, expected):
    try:
        strata.strata(make(), "--compile-to=import")
    except strata.CompileError as error:
        assert re.search(expected, str(error)), f"expected '{expected}', got '{error}'"
    else:
        raise AssertionError(f"no error, expected '{expected}'")


def main():
    strata.report([(name, lambda case=case: run(*case)) for name, case in CASES.items()])


if __name__ == "__main__":
    main()
