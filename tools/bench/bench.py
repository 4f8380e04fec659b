"""Speed of emitted libraries, side by side with ONNX Runtime, OpenVINO and what the machine can do.

Everything is timed in this process, with the same threads, in interleaved pairs: theirs, ours, theirs, … Before each
measurement all thread pools have gone to sleep, and an untimed run has woken the one that is measured. A figure is the
median over the pairs, a ratio to the faster peer the median of the pairs' ratios with its quartiles. Results are compared
in the same run.
"""
import argparse
import ctypes
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np

import materialise
import onnx_file
import strata

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = ["vit_b16", "bert_base_s128", "llama_2layer_s256", "resnet50", "mobilenet_v3_small", "resnet18_batchnorm",
          "decoder_step", "cnn_qdq_int8"]
# Their time is the bar, this many times.
BARS = {"vit_b16": 1.5, "bert_base_s128": 1.5, "llama_2layer_s256": 1.5, "resnet50": 2.0, "mobilenet_v3_small": 3.0}
PAUSE = 0.1  # seconds; ONNX Runtime's threads spin after a run: 20 ms later what came next still took twice as long


def load_machine(folder):
    path = os.path.join(folder, "machine.so")
    subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-shared", "-fPIC", "-pthread",
                    os.path.join(HERE, "machine.c"), "-o", path], check=True)
    machine = ctypes.CDLL(path)
    machine.machine_flops.restype = machine.machine_copy.restype = ctypes.c_double
    machine.machine_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return machine


def fma_peak(machine, threads):
    """The best of three: threads that have just begun may share a processor for a while."""
    return max(machine.machine_flops(threads) for _ in range(3))


def timed(run, at_least=0.05):
    """Seconds of one run: of several if it is short, after one that is not timed."""
    time.sleep(PAUSE)
    start = time.perf_counter()
    run()
    repeat = max(1, min(1000, int(at_least / max(time.perf_counter() - start, 1e-7))))
    start = time.perf_counter()
    for _ in range(repeat):
        run()
    return (time.perf_counter() - start) / repeat


def interleave(pairs, *runs):
    """The seconds of each of |runs|, |pairs| times, taking turns."""
    return np.array([[timed(run) for run in runs] for _ in range(pairs)])


def ratio_text(ratios):
    low, middle, high = np.percentile(ratios, [25, 50, 75])
    return middle, f"{middle:.2f} ({low:.2f}-{high:.2f})"


def compile_and_load(model, folder, name, threads, options=()):
    path, _ = strata.compile_library(model, folder, name, options)
    library = strata.Library(path)
    library.description.set_threads(threads)
    return library


def onnx_runtime(graph, values, threads):
    """A function that runs the graph on |values|, a dictionary, and gives its outputs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, values)


def open_vino(graph, values, threads):
    """The same; in f32, since it computes in bf16 where a processor can."""
    import openvino

    model = openvino.Core().compile_model(graph, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
    request = model.create_infer_request()
    ordered = [values[port.any_name] for port in model.inputs]

    def run():
        request.infer(ordered, share_inputs=True, share_outputs=True)
        return [request.get_output_tensor(i).data for i in range(len(model.outputs))]

    return run


def relative_error(got, want):
    got, want = got.astype(np.float64), want.astype(np.float64)
    return np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)


def graph_and_inputs(model, arguments):
    """A model of the tests by its name, or any file whose inputs are f32 of fixed sizes: those are drawn at random."""
    if not model.endswith(".onnx"):
        return materialise.materialise(model, arguments.models), materialise.inputs(model)
    import onnxruntime

    rng = np.random.default_rng(0)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return model, {value.name: rng.standard_normal(value.shape, dtype=np.float32) for value in session.get_inputs()}


def quantised(graph, values, folder):
    """The graph of 8-bit integers that ONNX Runtime's static quantisation makes of it, calibrated on |values|."""
    from onnxruntime import quantization

    class Samples(quantization.CalibrationDataReader):
        left = [values]

        def get_next(self):
            return self.left.pop() if self.left else None

    path = os.path.join(folder, "int8_" + os.path.basename(graph))
    quantization.quantize_static(graph, path, Samples(), quant_format=quantization.QuantFormat.QDQ)
    return path


def bench_model(model, arguments, folder):
    graph, values = graph_and_inputs(model, arguments)
    if arguments.int8:
        graph = quantised(graph, values, folder)
    name = os.path.splitext(os.path.basename(model))[0]
    peers = [peer(graph, values, arguments.threads) for peer in [onnx_runtime] + [open_vino] * arguments.openvino]
    library = compile_and_load(graph, folder, name, arguments.threads)
    ours, outputs = library.bind(values.values())
    ours()
    error = max(relative_error(got, want) for got, want in zip(outputs, peers[0]()))
    seconds = interleave(arguments.pairs, *peers, ours)
    middle, text = ratio_text(seconds[:, -1] / seconds[:, :-1].min(axis=1))
    times = " | ".join(f"{ms:.2f}" for ms in np.median(seconds, axis=0) * 1e3)
    bar = 1.0 if arguments.int8 else BARS.get(model)
    verdict = "" if bar is None else f"≤ {bar}: {'yes' if middle <= bar else 'NO'}"
    print(f"| {name} | {times} | {text} | {verdict} | {error:.1e} |", flush=True)


def matmul(size, folder):
    graph = onnx_file.Graph()
    a = graph.input("a", onnx_file.FLOAT, [size, size])
    b = graph.input("b", onnx_file.FLOAT, [size, size])
    graph.output(graph.node("MatMul", [a, b]), onnx_file.FLOAT, [size, size])
    return graph.save(os.path.join(folder, f"matmul_{size}.onnx"))


def bench_matmul(size, machine, arguments, folder):
    """f32 size³ with both operands given at run time, against an FMA loop in registers."""
    library = compile_and_load(matmul(size, folder), folder, f"matmul_{size}", arguments.threads)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    run, outputs = library.bind([a, b])
    run()
    error = relative_error(outputs[0], a.astype(np.float64) @ b.astype(np.float64))
    ratios, rates = [], []
    for _ in range(arguments.pairs):
        peak = fma_peak(machine, arguments.threads)
        rates.append(2 * size**3 / timed(run))
        ratios.append(rates[-1] / peak)
    middle, text = ratio_text(ratios)
    print(f"| matmul {size}³ f32, GFLOP/s | {statistics.median(rates) / 1e9:.0f} | {text} of the FMA loop | "
          f"≥ 0.85: {'yes' if middle >= 0.85 else 'NO'} | {error:.1e} |", flush=True)


def chain(elements, folder):
    graph = onnx_file.Graph()
    x = graph.input("x", onnx_file.FLOAT, [elements])
    half = graph.constant("half", np.float32(0.5).reshape(()))
    y = graph.node("Relu", [graph.node("Add", [graph.node("Mul", [x, half]), half])])
    graph.output(graph.node("Sub", [y, half]), onnx_file.FLOAT, [elements])
    return graph.save(os.path.join(folder, "chain.onnx"))


def bench_chain(machine, arguments, folder):
    """Four elementwise ops on 64 MiB, against copying as much."""
    elements = (64 << 20) // 4
    library = compile_and_load(chain(elements, folder), folder, "chain", arguments.threads)
    x = np.random.default_rng(0).standard_normal(elements, dtype=np.float32)
    run, outputs = library.bind([x])
    run()
    error = relative_error(outputs[0], np.maximum(x * np.float32(0.5) + np.float32(0.5), 0) - np.float32(0.5))
    copy_to = np.zeros_like(x)
    size = x.nbytes
    ratios, rates = [], []
    for _ in range(arguments.pairs):
        copied = statistics.median(machine.machine_copy(copy_to.ctypes.data, x.ctypes.data, size, arguments.threads)
                                   for _ in range(5))
        rates.append(2 * size / timed(run))
        ratios.append(rates[-1] / copied)
    middle, text = ratio_text(ratios)
    print(f"| elementwise chain of 64 MiB, GB/s | {statistics.median(rates) / 1e9:.1f} | {text} of a copy | "
          f"≥ 0.9: {'yes' if middle >= 0.9 else 'NO'} | {error:.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="models of the tests, files, or `kernels`; default: the tests' and kernels")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--openvino", action="store_true", help="beside OpenVINO, too")
    parser.add_argument("--int8", action="store_true", help="models are quantised first")
    parser.add_argument("--models", default=os.path.join(strata.SOURCE, "build", "models"))
    arguments = parser.parse_args()
    names = arguments.names or ["kernels", *MODELS]

    with tempfile.TemporaryDirectory() as folder:
        if "kernels" in names:
            machine = load_machine(folder)
            print(f"{arguments.threads} threads: {fma_peak(machine, arguments.threads) / 1e9:.0f} GFLOP/s in f32\n")
            print("| kernel | rate | ratio | bar | relative error |\n|---|---|---|---|---|")
            for size in (1024, 1000):
                bench_matmul(size, machine, arguments, folder)
            bench_chain(machine, arguments, folder)
        models = [name for name in names if name != "kernels"]
        if models:
            columns = ["model", "ONNX Runtime, ms", *["OpenVINO, ms"] * arguments.openvino, "strata, ms", "ratio", "bar",
                       "difference"]
            print(f"\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
        for model in models:
            bench_model(model, arguments, folder)


if __name__ == "__main__":
    main()
