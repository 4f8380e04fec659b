"""On a card: tensors of torch, arrays of cupy and jax on the GPU, streams, memory, CUDA graphs, what a call costs. Skipped
where there is none."""
import ctypes
import sys
import time
import warnings

import package
from package import support

package.skip_without("torch")

import numpy as np
import torch

import onnx_file
import strata
from onnx_file import FLOAT
from strata import torch_backend
from strata.errors import Fallback

if not torch.cuda.is_available():
    print("skipped: no GPU here")
    sys.exit(0)

warnings.simplefilter("error", Fallback)
STRICT = {"strict_target": True, "target": "nvgpu"}
SLEEP = 400_000_000  # cycles, some 0.2 s
MOST_OVERHEAD_US = 15


def random(*shape, seed=0, device="cuda"):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(device)


def close(got, expected):
    torch.testing.assert_close(got, expected, rtol=2e-2, atol=2e-3)


class Net(torch.nn.Module):
    """Several kernels with values between them."""

    def __init__(self, width=256):
        super().__init__()
        torch.manual_seed(1)
        self.layers = torch.nn.Sequential(*[
            torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.LayerNorm(width), torch.nn.GELU())
            for _ in range(3)])

    def forward(self, x):
        return torch.softmax(self.layers(x), -1) + torch.flip(x, (0,))


NET = Net().eval().requires_grad_(False).cuda()


def library_of(compiled):
    return compiled._model._library


def a_module():
    compiled = strata.compile(NET, target="nvgpu")
    for batch in (64, 33, 7, 64):
        x = random(batch, 256, seed=batch)
        got = compiled(x)
        assert got.device == x.device
        close(got, NET(x))


def backend():
    """By its entry point where the package is installed."""
    torch._dynamo.reset()
    named = "strata" if "strata" in torch._dynamo.list_backends() else torch_backend.backend
    compiled = torch.compile(NET, backend=named, options=STRICT)
    with torch.inference_mode():
        for batch in (64, 33, 7, 64):
            x = random(batch, 256, seed=batch)
            close(compiled(x), NET(x))


def the_current_stream():
    """A call comes behind what its stream has to do, and waits for none of it."""
    compiled, x = strata.compile(NET, (random(64, 256),), target="nvgpu"), random(64, 256, seed=3)
    close(compiled(x), NET(x))
    side = torch.cuda.Stream()
    late = torch.zeros_like(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(SLEEP)
        late.copy_(x)
        begin = time.perf_counter()
        got = compiled(late)
        seconds = time.perf_counter() - begin
        assert not side.query(), "the call waited"
    assert seconds < 0.05, seconds
    side.synchronize()
    close(got, NET(x))


def the_allocator():
    """Memory comes from torch, and goes back to it."""
    compiled, x = strata.compile(NET, (random(2048, 256),), target="nvgpu"), random(2048, 256)
    got = compiled(x)
    size = next(iter(library_of(compiled)._plans.values())).memory_size
    assert size > 0
    torch.cuda.synchronize()
    before, free = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
    torch.cuda.reset_peak_memory_stats()
    again = compiled(x)
    assert torch.cuda.max_memory_allocated() - before >= size + again.nbytes
    assert torch.cuda.memory_allocated() - before == again.nbytes
    assert torch.cuda.mem_get_info()[0] == free
    torch.testing.assert_close(again, got, rtol=0, atol=0)


def a_graph():
    compiled, x = strata.compile(NET, (random(64, 256),), target="nvgpu"), random(64, 256)
    compiled(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = compiled(x)
    for seed in (5, 6):
        x.copy_(random(64, 256, seed=seed))
        graph.replay()
        close(y, NET(x))


def a_graph_of_the_backend():
    torch._dynamo.reset()
    compiled, x = torch.compile(NET, backend=torch_backend.backend, options=STRICT), random(64, 256)
    with torch.inference_mode():
        compiled(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = compiled(x)
        x.copy_(random(64, 256, seed=7))
        graph.replay()
        close(y, NET(x))


def streams_in_turns():
    """The same library on two streams at a time: neither writes into the other's memory."""
    compiled = strata.compile(NET, (random(512, 256),), target="nvgpu")
    xs = [random(512, 256, seed=seed) for seed in range(2)]
    expected, streams = [compiled(x) for x in xs], [torch.cuda.Stream() for _ in range(2)]
    torch.cuda.synchronize()
    got = [[], []]
    for _ in range(50):
        for i, stream in enumerate(streams):
            with torch.cuda.stream(stream):
                got[i].append(compiled(xs[i]))
    torch.cuda.synchronize()
    for results, one in zip(got, expected):
        for result in results:
            torch.testing.assert_close(result, one, rtol=0, atol=0)


def devices_by_name():
    """A library for several architectures, and one for one that is named."""
    major, minor = torch.cuda.get_device_capability()
    here = f"sm_{major}{minor}" + ("a" if major == 9 else "")
    for device in (here, f"sm_80,{here}", "native"):
        x = random(33, 256)
        close(strata.compile(NET, (x,), target="nvgpu", device=device)(x), NET(x))


def a_second_device():
    if torch.cuda.device_count() < 2:
        print("a_second_device: one GPU here")
        return
    compiled = strata.compile(NET, target="nvgpu")
    for device in ("cuda:1", "cuda:0", "cuda:1"):
        x = random(33, 256, device=device)
        got = compiled(x)
        assert got.device == x.device and torch.cuda.current_device() == 0
        close(got.cpu(), NET(x.cuda()).cpu())


def make_file():
    graph = onnx_file.Graph(opset=18)
    x = graph.input("x", FLOAT, ["batch", 256])
    weights = random(256, 256, device="cpu").numpy() / 16
    h = graph.node("Relu", [graph.node("MatMul", [x, graph.constant("w", weights)])])
    graph.node("MatMul", [h, graph.constant("v", np.eye(256, dtype=np.float32))], ["y"])
    graph.output("y", FLOAT, ["batch", 256])
    graph.save("card.onnx")
    return weights


def expected_of(x, weights):
    return np.maximum(x.astype(np.float64) @ weights, 0)


def arrays_of_cupy():
    """On cupy's stream, with its memory; a result is cupy's, or lies where out= says."""
    try:
        import cupy
    except ImportError:
        print("arrays_of_cupy: cupy is not installed")
        return
    weights = make_file()
    net = strata.compile("card.onnx", target="nvgpu")
    for batch in (33, 64):
        host = random(batch, 256, device="cpu").numpy()
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            x = cupy.asarray(host)
            got = net(x)
            out = cupy.empty_like(got)
            address = out.data.ptr
            assert net(x, out=out) is out and out.data.ptr == address
        stream.synchronize()
        for result in (got, out):
            assert isinstance(result, cupy.ndarray)
            assert np.allclose(cupy.asnumpy(result), expected_of(host, weights), rtol=2e-2, atol=2e-3)


def arrays_of_jax():
    try:
        import jax
        place = jax.devices("gpu")[0]
    except (ImportError, RuntimeError):
        print("arrays_of_jax: jax has no GPU here")
        return
    weights = make_file()
    net = strata.compile("card.onnx", target="nvgpu")
    for batch in (33, 64):
        host = random(batch, 256, device="cpu").numpy()
        x = jax.device_put(host, place)
        got = net(x)
        assert isinstance(got, jax.Array) and got.devices() == {place}
        assert np.allclose(np.asarray(got), expected_of(host, weights), rtol=2e-2, atol=2e-3)
    function = strata.jit_jax(lambda x, y: jax.numpy.tanh(x @ y), compile_options=STRICT)
    x, y = (jax.device_put(random(64, 64, seed=seed, device="cpu").numpy(), place) for seed in range(2))
    got = function(x, y)
    assert got.devices() == {place}
    assert np.allclose(np.asarray(got), np.tanh(np.asarray(x, np.float64) @ np.asarray(y)), rtol=2e-2, atol=2e-2)


def best_us(function, calls=100, rounds=20):
    """Of a call, while the GPU has other things to do: what is enqueued takes no part."""
    best = 1e9
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - begin) / calls * 1e6)
    torch.cuda.synchronize()
    return best


def overhead():
    """A call beside the C function with pointers that are ready."""
    class Small(torch.nn.Module):
        def forward(self, x):
            return torch.tanh(x) * 2

    x = random(8, 8)
    compiled = strata.compile(Small().eval(), (x,), target="nvgpu")
    out = compiled(x)
    library, stream = library_of(compiled), torch.cuda.current_stream().cuda_stream
    plan = next(iter(library._plans.values()))
    pointers = library._pointers(x.data_ptr(), out.data_ptr())
    memory = ctypes.c_void_p(torch.empty(max(plan.memory_size, 1), dtype=torch.uint8, device="cuda").data_ptr())
    stream = ctypes.c_void_p(stream)
    own = best_us(lambda: library._run(pointers, plan.dims, memory, stream))
    lazy = strata.compile(Small().eval(), target="nvgpu")
    lazy(x)
    with torch.no_grad():
        times = {"library": best_us(lambda: library.call((x,))) - own, "module": best_us(lambda: compiled(x)) - own,
                 "module without args": best_us(lambda: lazy(x)) - own}
    print("C call", f"{own:.1f} us; more:", ", ".join(f"{name} {time:.1f} us" for name, time in times.items()))
    assert max(times.values()) <= MOST_OVERHEAD_US, times


CASES = (a_module, backend, the_current_stream, the_allocator, a_graph, a_graph_of_the_backend, streams_in_turns,
         devices_by_name, a_second_device, arrays_of_cupy, arrays_of_jax, overhead)
support.report([(case.__name__, case) for case in CASES if case.__name__ in sys.argv[1:] or not sys.argv[1:]])
