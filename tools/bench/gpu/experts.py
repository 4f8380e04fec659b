"""Mixtures of experts of few tokens: com.microsoft's MoE with swiglu, f16.

    experts.py build FOLDER [NAME...]     compiles the libraries, for sm_90a
    experts.py measure FOLDER [NAME...]   on a card: errors against f64, microseconds, launches

A name is tTOKENS_kCHOSENofEXPERTS_hHIDDEN_iINNER; with "varying_" in front tokens are 1 to 4096. Each has inputs in turn that
choose other experts each; times are those of calls replayed from CUDA graphs.
"""
import os
import re
import statistics
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "test", "support")
STATIC = ["t1_k2of8_h512_i512", "t1_k2of8_h4096_i1024", "t1_k4of128_h2880_i256", "t8_k4of128_h2880_i256", "t64_k2of8_h512_i512",
          "t1_k1of16_h2048_i1024", "t4_k2of8_h4096_i1024", "t32_k2of8_h4096_i1024", "t64_k4of128_h2880_i256",
          "t512_k2of8_h1024_i1024"]
NAMES = STATIC + ["varying_" + STATIC[i] for i in (1, 2, 8, 9)]
INPUTS, ROUNDS = 8, 9


def read(name):
    return [int(x) for x in re.fullmatch(r"(?:varying_)?t(\d+)_k(\d+)of(\d+)_h(\d+)_i(\d+)", name).groups()]


def shapes(name):
    tokens, _, n, hidden, inner = read(name)
    return {"x": [tokens, hidden], "r": [hidden, n], "w1": [n, 2 * inner, hidden], "w2": [n, hidden, inner]}


def build(folder, names):
    sys.path[:0] = [SUPPORT]
    import onnx_file
    import strata

    for name in names:
        tokens, k, _, hidden, _ = read(name)
        tokens = "tokens" if name.startswith("varying_") else tokens
        graph = onnx_file.Graph(21)
        for operand, shape in shapes(name).items():
            graph.input(operand, onnx_file.FLOAT16, [tokens, hidden] if operand == "x" else shape)
        logits = graph.node("MatMul", ["x", "r"])
        graph.node("MoE", ["x", logits, "w1", "", "w2"], ["y"], domain="com.microsoft", activation_type="swiglu", k=k,
                   normalize_routing_weights=1, swiglu_fusion=1)
        graph.output("y", onnx_file.FLOAT16, [tokens, hidden])
        varying = ["--dim=tokens=1..4096"] if tokens == "tokens" else []
        strata.compile_library(graph.save(os.path.join(folder, name + ".onnx")), folder, name,
                               ["--target=nvgpu", "--device=sm_90a", "--on-gpu-tensors", "--user-device-memory", *varying])


def expected(torch, name, x, r, w1, w2):
    k = read(name)[1]
    scores = (x.double() @ r.double()).half().double().softmax(-1)
    shares, chosen = (part[:, :k] for part in scores.sort(stable=True, dim=-1, descending=True))
    rows = []
    for row, share, own in zip(x.double(), shares / shares.sum(-1, keepdim=True), chosen):
        h = w1[own].double() @ row
        gate, other = h[:, 0::2], h[:, 1::2]
        rows.append((share[:, None] * (w2[own].double() @ (gate * gate.sigmoid() * other)[:, :, None])[:, :, 0]).sum(0))
    return torch.stack(rows)


def measure(folder, names):
    import torch
    from libraries import GpuLibrary
    from timing import ReplayTimer

    torch.manual_seed(int(os.environ.get("STRATA_SEED", "30")))
    for name in names:
        sizes = [read(name)[0]] if name.startswith("varying_") else None
        library = GpuLibrary(os.path.join(folder, f"lib{name}.so"), sizes)
        draw = lambda shape: torch.randn(shape, device="cuda", dtype=torch.float16)
        x, r, w1, w2 = map(draw, shapes(name).values())
        inputs = [x] + [draw(x.shape) for _ in range(INPUTS - 1)]
        outputs = [torch.full_like(x, float("nan")) for _ in inputs]
        for weights, elements in ((r, r.shape[0]), (w1, w1.shape[2]), (w2, w2.shape[2])):
            weights.mul_(elements ** -.5)
        runs = [library.binding([x, r, w1, w2, y]) for x, y in zip(inputs, outputs)]
        for run in runs:
            run()
        torch.cuda.synchronize()
        wanted = expected(torch, name, inputs[0], r, w1, w2)
        # Where scores are nearly equal rows may go to another expert: the median says whether the others are right.
        off = ((outputs[0].double() - wanted).abs().amax(-1) / wanted.abs().max()).cpu()
        timer = ReplayTimer(runs)
        times = [timer() for _ in range(ROUNDS)]
        print(f"{name:32} {min(times):6.1f} us ({statistics.median(times):6.1f}), {len(library.launches)} launches, error "
              f"{off.median():.1e}, greatest {off.max():.1e}", flush=True)
        del timer


def main():
    action, folder, *names = sys.argv[1:]
    {"build": build, "measure": measure}[action](folder, names or NAMES)


if __name__ == "__main__":
    main()
