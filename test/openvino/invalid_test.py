"""IRs that are malformed or hostile, and those with layers that are not supported: what the error says."""
import os

import strata

HEAD = '<?xml version="1.0"?>\n<net name="n" version="11"><layers>'
X = ('<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>'
     '<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>')
END = '<layer id="9" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>'


def layer(number, kind, version="opset1", data="", n_inputs=1):
    ports = "".join(f'<port id="{i}"/>' for i in range(n_inputs))
    return (f'<layer id="{number}" name="layer {number}" type="{kind}" version="{version}">{data}<input>{ports}</input>'
            f'<output><port id="9" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>')


def edges(*pairs):
    return ("<edges>" + "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>'
                                for a, b, c, d in pairs) + "</edges></net>")


def chain(*layers):
    """x through the layers, one after the other."""
    links = [("0", "0", "1", "0")] + [(i, "9", i + 1, "0") for i in range(1, len(layers))] + [(len(layers), "9", "9", "0")]
    return HEAD + X + "".join(layers) + END + edges(*links)


CONST = ('<layer id="2" name="c" type="Const" version="opset1"><data element_type="{}" shape="{}" offset="{}" size="{}"/>'
         '<output><port id="0" precision="FP32"/></output></layer>')


def constant(*values):
    return (HEAD + X + layer(1, "Add", n_inputs=2) + CONST.format(*values) + END +
            edges((0, 0, 1, 0), (2, 0, 1, 1), (1, 9, 9, 0)))


RELU = layer(1, "Relu")
CASES = {
    "empty": ("", "case.xml: the file is empty"),
    "no_xml": ("hello", "line 1: "),
    "cut": (chain(RELU)[:200], "line 2: "),
    "document_type": ('<!DOCTYPE net [<!ENTITY a "b">]>' + chain(RELU)[22:], "a document type is not allowed"),
    "bomb": ('<!DOCTYPE net [<!ENTITY a "bbbbbbbbbb"><!ENTITY c "&a;&a;&a;&a;&a;&a;&a;">]><net version="11">&c;</net>',
             "a document type is not allowed"),
    "entity": ('<net version="11" name="&a;"></net>', "line 1: Entity 'a' not defined"),
    "external": ('<!DOCTYPE net SYSTEM "/etc/passwd"><net version="11"/>', "a document type is not allowed"),
    "deep": ("<net version='11'>" + "<a>" * 200 + "</a>" * 200 + "</net>", "nested too deep"),
    "version": ('<net name="n" version="9"></net>', "line 1: <net>: expected version 10 or 11 of the IR, got '9'"),
    "root": ("<html/>", "expected <net>"),
    "no_layers": ('<net name="n" version="11"></net>', "<net>: there are no <layers>"),
    "no_id": (HEAD + '<layer type="Relu"/>' + END + edges(), "line 2: <layer>: the attribute 'id' is missing"),
    "twice": (HEAD + X + X + END + edges(), "<layer>: there are two layers 0"),
    "edge": (HEAD + X + END + edges((0, 0, 5, 0)), "<edge>: there is no layer 5"),
    "port": (HEAD + X + END + edges((0, 3, 9, 0)), "layer 'x' has no output port 3"),
    "two_edges": (HEAD + X + END + edges((0, 0, 9, 0), (0, 0, 9, 0)), "layer 'y' has two edges to port 0"),
    "cycle": (HEAD + X + layer(1, "Relu") + layer(2, "Relu") + END + edges((2, 9, 1, 0), (1, 9, 2, 0), (2, 9, 9, 0)),
              "needs its own result"),
    "no_edge": (HEAD + X + END + edges(), "layer 'y': a Result without an input or a name"),
    "read_result": (HEAD + X + layer(1, "Result") + layer(2, "Relu") + END + edges((1, 9, 2, 0), (2, 9, 9, 0)),
                    "layer 'layer 1': output 0 of this Result is read, but nothing is bound to it"),
    "dim": (chain(RELU).replace("<dim>2</dim>", "<dim>2x</dim>", 1), "<dim>: expected a size or -1, got '2x'"),
    "shape": (chain(RELU).replace('shape="2,3"', 'shape="2;3"'), "(node x): Parameter is not supported: an input of the "
              "shape '2;3'"),
    "no_weights": (constant("f32", "3", 0, 12), "(node c): Const-1 is not supported: there is no file of weights"),
    "outside": (constant("f32", "3", 8, 12), "expected 12 bytes at 8 of 'case.bin', which has 16"),
    "far": (constant("f32", "3", 9223372036854775807, 12), "at 9223372036854775807 of 'case.bin', which has 16"),
    "short": (constant("f32", "3", 0, 8), "the shape needs more than the 8 bytes that there are"),
    "large": (constant("f32", "3037000500,3037000500,4", 0, 8), "the shape"),
    "negative": (constant("f32", "-3", 0, 12), "attribute 'shape': expected at most"),
    "text": (constant("string", "3", 0, 12), "elements of type 'string'"),
    "unknown": (chain(layer(1, "Frobnicate", "opset8"), layer(2, "Relu"), layer(3, "MatrixNms", "opset10"),
                      layer(4, "Softmax", "opset8", '<data axis="1" beta="2"/>'), layer(5, "Relu", "mine")),
                "case.xml (node layer 1): Frobnicate-8 is not supported: an unknown operator",
                "(node layer 3): MatrixNms-10 is not supported: a result of a size that depends on data",
                "(node layer 4): Softmax-8 is not supported: attribute 'beta' = '2' is not known",
                "(node layer 5): Relu is not supported: an operator of 'mine'"),
    "attribute": (chain(layer(1, "Elu", data='<data alpha="much"/>')),
                  "(node layer 1): Elu-1 is not supported: attribute 'alpha': expected a number, got 'much'"),
    "value": (chain(layer(1, "Gelu", "opset7", '<data approximation_mode="QUICK"/>')),
              "attribute 'approximation_mode': expected erf|tanh, got 'QUICK'"),
    "inputs": (chain(layer(1, "Add")), "Add-1 is not supported: expected 2 inputs or more, got 1"),
    "types": (HEAD + X + layer(1, "LogicalAnd", n_inputs=2) + END + edges((0, 0, 1, 0), (0, 0, 1, 1), (1, 9, 9, 0)),
              "(node layer 1): LogicalAnd-1: operand 0 ('x'): expected bool, got f32"),
}
WEIGHTS = ("outside", "far", "short", "large", "negative", "text")


def run(name, text, *wanted):
    with open("case.xml", "w", encoding="utf-8") as file:
        file.write(text)
    if name in WEIGHTS:
        with open("case.bin", "wb") as file:
            file.write(bytes(16))
    elif os.path.exists("case.bin"):
        os.remove("case.bin")
    try:
        strata.strata("case.xml", "--aot", "-o", "out")
    except strata.CompileError as error:
        assert error.status == 1, f"status {error.status}: {error}"
        for part in wanted:
            assert part in str(error), f"'{part}' is not in: {error}"
        return
    raise AssertionError("no error")


def run_read(kind):
    """What a result or a variable is given is what layers behind it read."""
    with open("case.xml", "w", encoding="utf-8") as file:
        file.write(chain(layer(1, kind, "opset6", '<data variable_id="v"/>'), layer(2, "Relu")))
    strata.strata("case.xml", "--aot", "-o", "out")


READ = [(f"read_{kind}", lambda kind=kind: run_read(kind)) for kind in ("Result", "Assign")]
strata.report(READ + [(name, lambda name=name, case=case: run(name, *case)) for name, case in sorted(CASES.items())])
