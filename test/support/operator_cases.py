"""Operators one by one, compared with what they should give: all cases of a list are nodes of one model, which is compiled
for a cpu, by default and in exact arithmetic, and for the emulated GPU."""
import os
import tempfile

import numpy as np

import gpu
import onnx_file
import strata

MICROSOFT = "com.microsoft"
MODES = {
    "cpu": [],
    "exact": ["--mlir-disable-fast-math"],
    "gpu": ["--target=nvgpu", "--device=emulated", "--mm-conv-precision-mode=fp32"],
}


class Case:
    """|inputs|: arrays, None where an operand is left out; those in |fixed| are weights. |want|: the results. Floats may
    differ by |tolerance| of the greatest, integers by |units|: one, where a quotient may round to either side."""

    def __init__(self, name, op, inputs, want, fixed=(), domain=MICROSOFT, tolerance=1e-5, units=0, **attributes):
        self.name, self.op, self.inputs, self.want, self.fixed = name, op, inputs, want, fixed
        self.domain, self.tolerance, self.units, self.attributes = domain, tolerance, units, attributes

    def add(self, graph, prefix):
        """Adds the node; returns what the model gets."""
        names, given = [], []
        for i, value in enumerate(self.inputs):
            names.append("" if value is None else f"{prefix}x{i}")
            if value is None:
                continue
            if i in self.fixed:
                graph.constant(names[-1], value)
            else:
                graph.input(names[-1], onnx_file.ELEMENT_TYPES[value.dtype], value.shape)
                given.append(value)
        while not names[-1]:
            names.pop()
        outputs = [f"{prefix}y{i}" for i in range(len(self.want))]
        graph.node(self.op, names, outputs, domain=self.domain, **self.attributes)
        for output, want in zip(outputs, self.want):
            graph.output(output, onnx_file.ELEMENT_TYPES[want.dtype], want.shape)
        return given

    def check(self, got, mode):
        for i, (value, want) in enumerate(zip(got, self.want)):
            what = f"{self.name}, result {i} ({mode})"
            assert value.shape == want.shape and value.dtype == want.dtype, what
            difference = np.abs(value.astype(np.float64) - want.astype(np.float64))
            limit = self.tolerance * max(1, np.abs(want).max()) if want.dtype.kind == "f" else self.units
            assert not (~(difference <= limit)).any(), f"{what}: differs by {np.nanmax(difference)}, at most {limit}"
            share = (difference > 0).mean() if want.dtype.kind != "f" else 0
            assert share <= 0.1, f"{what}: {share:.0%} of the integers differ"


def check(cases, opset=21, modes=tuple(MODES)):
    gpu.use_stand_in()
    graph, inputs = onnx_file.Graph(opset), []
    for i, case in enumerate(cases):
        inputs += case.add(graph, f"c{i}")
    for mode in modes:
        with tempfile.TemporaryDirectory() as folder:
            path, _ = strata.compile_library(graph.save(os.path.join(folder, "m.onnx")), folder, "m", MODES[mode])
            outputs = strata.Library(path).run(inputs)
        for case in cases:
            case.check(outputs[:len(case.want)], mode)
            outputs = outputs[len(case.want):]
    print(f"{len(cases)} cases in {', '.join(modes)}")


def refuses(text, op, inputs, opset=21, domain=MICROSOFT, results=1, **attributes):
    """The compiler must say |text| of the node, and end as of any other error."""
    graph = onnx_file.Graph(opset)
    Case(op, op, inputs, [np.zeros(1, np.float32)] * results, domain=domain, **attributes).add(graph, "")
    with tempfile.TemporaryDirectory() as folder:
        try:
            strata.compile_library(graph.save(os.path.join(folder, "m.onnx")), folder)
        except strata.CompileError as error:
            assert text in str(error), f"{op}: {error}"
            return
    assert False, f"{op}: expected an error with '{text}'"
