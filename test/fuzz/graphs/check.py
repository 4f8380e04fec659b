"""Compiles a graph, runs it between guard pages and compares it with what is expected."""
import contextlib
import mmap
import os
import re
import tempfile

import numpy as np

import evaluate
import gpu
import guarded
import strata
from graph import packed, unpacked

EXACT = ["--mlir-disable-fast-math", "--polyblocks-disable-unsafe-math-canonicalizations"]
EMULATED = ["--target=nvgpu", "--device=emulated"]
MODES = {"cpu": [], "exact": EXACT, "gpu": EMULATED, "varies": [], "exact_varies": EXACT}
SECONDS = 120  # of a compile
N_SAMPLES, MANY_SAMPLES = 5, 40


class Finding(Exception):
    """What is wrong with a graph in a mode; |kind| is one word."""

    names = {}  # of the sizes that were left open

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def options(graph, mode):
    """Products of f32 are of f32 on the GPU too, and those of f64 not of f32."""
    precise = ["--gpu-no-tensor-core" if "f64" in graph.kinds.values() else "--mm-conv-precision-mode=fp32"]
    own = [option for option in graph.options if mode != "gpu" or not option.startswith("--device")]
    chosen = MODES[mode] + (precise if mode == "gpu" else []) + own
    on_device = mode == "gpu" and "--user-device-memory" in chosen
    return chosen + (["--on-gpu-tensors"] if on_device else [])


def open_sizes(graph, seed):
    """Names of the sizes that are left open where sizes vary: most of those above 1, equal ones by one name."""
    random = np.random.default_rng(seed)
    sizes = sorted({size for name in graph.inputs for size in graph.values[name].shape if size > 1})
    return {size: f"n{size}" for size in random.permutation(sizes).tolist() if random.random() < 0.8}


def compile_graph(graph, mode, folder, names=None):
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(graph.model(names))
    try:
        strata.strata(path, "--aot", "--aot-name=m", "-o", folder, *options(graph, mode), timeout=SECONDS)
    except strata.CompileError as error:
        refused = error.status == 1 and not re.search("internal|after phase", str(error))
        raise Finding("refused" if refused else "crash", str(error)[:1000]) from error
    except strata.subprocess.TimeoutExpired as error:
        raise Finding("hang", f"compiles for more than {SECONDS} s") from error
    return os.path.join(folder, "libm.so")


def check_open(graph, mode, folder, judge):
    """With as many sizes left open as are accepted."""
    names, refused = open_sizes(graph, judge.seed), []
    while True:
        try:
            outputs = run_library(compile_graph(graph, mode, folder, names), graph, mode)
            return judge.judge(outputs) + [f"refused: {text}" for text in refused]
        except Finding as finding:
            finding.names = names
            if finding.kind != "refused" or not names:
                raise
            refused.append(re.sub(r".*model.onnx ", "", str(finding).strip().splitlines()[-1]))
            names.popitem()


def _on_device(path, inputs, sizes):
    """Runs a library that takes device memory, each tensor with an allocation of the stand-in's own."""
    shared = [mmap.mmap(-1, max(size, 1)) for size in sizes]

    def child(message):
        library = gpu.Library(path)
        for memory, output in zip(shared, library.run(inputs)):
            memory[:output.nbytes] = output.tobytes()
        library.unload()
        text = gpu.Library._driver._dll.strata_test_driver_take_fault
        text.restype = gpu.ctypes.c_char_p
        fault = text()
        message[:len(fault)] = fault
        return 1 if fault else 0

    guarded.in_child(child)
    return [np.frombuffer(memory[:size], np.uint8) for memory, size in zip(shared, sizes)]


def run_library(path, graph, mode):
    """The outputs' values."""
    inputs = [packed(graph.passed(name), graph.kinds[name]) for name in graph.inputs]
    sizes = [packed(graph.passed(name), graph.kinds[name]).nbytes for name in graph.outputs]
    try:
        if mode == "gpu" and "--user-device-memory" in graph.options:
            contents = _on_device(path, inputs, sizes)
        else:
            contents = guarded.run(path, inputs, guarded.CALLS[:1] if mode == "gpu" else guarded.CALLS)
    except guarded.Problem as problem:
        if mode.endswith("varies") and re.search(r"bytes, expected|call failed: m: .* expected", str(problem)):
            raise Finding("refused", str(problem)) from problem  # a size that must be what another is, unless it is 1
        raise Finding("memory" if "byte" in str(problem) else "run", str(problem)) from problem
    return [unpacked(content, graph.kinds[name], graph.values[name].shape)
            for name, content in zip(graph.outputs, contents)]


def onnx_runtime(graph):
    """The outputs by ONNX Runtime as the model says; None where it has no kernel for a node."""
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 4
    if any(graph.kinds[name] in ("i4", "u4") for name in graph.inputs + graph.outputs):
        return None
    with contextlib.suppress(Exception):
        session = onnxruntime.InferenceSession(graph.model(), settings, providers=["CPUExecutionProvider"])
        return session.run(None, {name: graph.passed(name) for name in graph.inputs})
    return None


class Judge:
    """What a graph's outputs must be."""

    def __init__(self, graph, seed, by_runtime=True):
        self.graph, self.seed = graph, seed
        self.expected = evaluate.expected(graph, seed, N_SAMPLES)
        self.runtime = onnx_runtime(graph) if by_runtime else None
        self._careful = None

    def careful(self):
        """The same by many samples of larger errors: what differs from it is no accident."""
        if self._careful is None:
            self._careful = evaluate.expected(self.graph, self.seed + 1, MANY_SAMPLES, 2 * evaluate.ULPS)
        return self._careful

    def differs(self, i, got):
        """Which elements of an output are wrong by the reference; None: none."""
        if not self.expected[i].wrong(got).any():
            return None
        wrong = self.expected[i].wrong(got) & self.careful()[i].wrong(got)
        return wrong if wrong.any() else None

    def as_runtime(self, i, got):
        """Whether an output is what ONNX Runtime has."""
        if self.runtime is None or self.runtime[i].shape != self.expected[i].value.shape:
            return False
        by = self.careful()[i]
        other = evaluate.Expected.__new__(evaluate.Expected)
        other.kind, other.tolerance = by.kind, by.tolerance
        other.value = self.runtime[i].astype(by.value.dtype)
        return not other.wrong(got, 2).any()

    def judge(self, outputs):
        """A Finding if an output is neither what the reference nor what ONNX Runtime has; the names of those that are
        only the latter's."""
        notes = []
        for i, (name, got) in enumerate(zip(self.graph.outputs, outputs)):
            wrong = self.differs(i, got)
            if wrong is not None and self.as_runtime(i, got):
                notes.append(f"{name}: the reference differs from both")
            elif wrong is not None:
                at = tuple(int(j) for j in np.argwhere(wrong)[0]) if wrong.ndim else ()
                by = self.runtime[i][at] if self.runtime is not None else "nothing"
                raise Finding("wrong", f"{name}{list(at)}: {got[at]!r}, expected {self.expected[i].value[at]!r} +- "
                              f"{self.careful()[i].tolerance[at]:.3g}, ONNX Runtime has {by!r}; "
                              f"{int(wrong.sum())} of {wrong.size} elements")
        return notes

    def runtime_notes(self):
        """Where ONNX Runtime differs from the reference."""
        if self.runtime is None:
            return ["no ONNX Runtime"]
        return [f"{name}: ONNX Runtime differs from the reference" for i, name in enumerate(self.graph.outputs)
                if self.runtime[i].shape != self.expected[i].value.shape or
                self.differs(i, self.runtime[i]) is not None]


def check(graph, mode, judge):
    """A Finding, or nothing but notes."""
    with tempfile.TemporaryDirectory() as folder:
        if mode.endswith("varies"):
            return check_open(graph, mode, folder, judge)
        outputs = run_library(compile_graph(graph, mode, folder), graph, mode)
    return judge.judge(outputs)


def finding_of(graph, mode, seed):
    """The Finding, or None."""
    try:
        check(graph, mode, Judge(graph, seed))
    except Finding as finding:
        return finding
    return None
