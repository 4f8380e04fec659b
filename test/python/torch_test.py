"""PyTorch: modules, exported programs, jit_torch and torch.compile(backend="strata"), against PyTorch itself."""
import subprocess
import sys
import threading
import warnings

import package
from package import raises, support, warnings_of

package.skip_without("torch")

import numpy as np
import torch

import strata
from strata import compiler, later, torch_backend, torch_export
from strata.errors import Fallback

warnings.simplefilter("error", Fallback)  # nothing here falls back unless it says so
STRICT = {"strict_target": True}


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def same(got, expected):
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 3))
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x):
        return torch.softmax(self.norm(self.layers(x)), -1)


class Nested(torch.nn.Module):
    """Arguments and results in containers, values of Python, an argument given back."""

    def forward(self, x, pair, *, scale=None, flag=True):
        y = x @ pair["w"].T + pair["b"]
        return {"y": y * scale if flag else y, "rest": [x, (y.sum(), None)], "n": 3}


def a_module_with_arguments():
    net = Net().eval()
    compiled = strata.compile(net, (random(4, 8),))
    same(compiled(random(4, 8, seed=1)), net(random(4, 8, seed=1)).detach())
    assert compiled.inputs[0].shape == (4, 8) and "kernel k0" in compiled.explain()
    with raises(strata.ShapeError, "x"):
        compiled(random(5, 8))
    assert len(compiled.profile(random(4, 8), num_iters=2)) >= 1
    compiled.save_library("saved/libnet.so")
    same(strata.load("saved/libnet.so")(random(4, 8)), net(random(4, 8)).detach())


def a_module_called():
    """The second batch makes it a size; the third is the same library."""
    net = Net().eval()
    compiled = strata.compile(net)
    with raises(strata.UnsupportedError, "not compiled yet"):
        compiled.explain()
    for batch in (4, 5, 7, 9, 4):
        same(compiled(random(batch, 8, seed=batch)), net(random(batch, 8, seed=batch)).detach())
    assert len(set(map(id, compiled._models.values()))) == 2
    assert isinstance(compiled.inputs[0].shape[0], (int, str))


def dynamic_shapes():
    net, batch = Net().eval(), torch.export.Dim("batch", min=2, max=64)
    compiled = strata.compile(net, (random(4, 8),), dynamic_shapes={"x": {0: batch}})
    for size in (2, 33, 64):
        same(compiled(random(size, 8)), net(random(size, 8)).detach())
    with raises(strata.ShapeError, "65"):
        compiled(random(65, 8))


def an_exported_program():
    net = Net().eval()
    program = torch.export.export(net, (random(4, 8),))
    same(strata.compile(program)(random(4, 8)), net(random(4, 8)).detach())
    torch.export.save(program, "net.pt2")
    same(strata.compile("net.pt2")(random(4, 8)), net(random(4, 8)).detach())
    got = strata.compile("net.pt2")(random(4, 8).numpy())
    assert isinstance(got, np.ndarray)


def lines_of_programs():
    """Exports of this package do without them; others, also after an error, have theirs."""
    def lines_of(program):
        return [node.stack_trace for node in program.graph.nodes if node.op == "call_function" and node.stack_trace]

    args = (random(4, 8),)
    assert lines_of(torch.export.export(Net().eval(), args))
    assert not lines_of(torch_export.export(Net().eval(), args, None, None))
    with raises(TypeError, "scale"):
        torch_export.export(Net().eval(), args, {"scale": 2.0}, None)
    assert lines_of(torch.export.export(Net().eval(), args))


def nested_arguments():
    module, pair = Nested(), {"w": random(5, 8), "b": random(5)}
    kwargs = {"scale": random(1), "flag": True}
    compiled = strata.compile(module, (random(4, 8), pair), kwargs)
    x = random(4, 8, seed=3)
    got, expected = compiled(x, pair, flag=True, scale=kwargs["scale"]), module(x, pair, **kwargs)
    same(got["y"], expected["y"])
    same(got["rest"][1][0], expected["rest"][1][0])
    assert got["rest"][0] is x and got["rest"][1][1] is None and got["n"] == 3
    with raises(ValueError, "flag"):
        compiled(x, pair, scale=kwargs["scale"], flag=False)
    with raises(TypeError, "exported for"):
        compiled(x, pair)


def contiguity():
    """What lies otherwise is copied for a module, and an error for a library of a file."""
    net = Net().eval()
    x = random(8, 4).T
    same(strata.compile(net, (x,))(x), net(x).detach())


def types():
    for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.bool):
        class Same(torch.nn.Module):
            def forward(self, x):
                return torch.cat([x, x])
        x = (random(6) > 0).to(dtype)
        got = strata.compile(Same(), (x,))(x)
        assert got.dtype == dtype
        same(got, torch.cat([x, x]))


def gradients():
    compiled = strata.compile(Net().eval(), (random(4, 8),))
    with raises(strata.UnsupportedError, "training", "no_grad"):
        compiled(random(4, 8).requires_grad_())
    with torch.no_grad():
        compiled(random(4, 8).requires_grad_())
    with raises(strata.UnsupportedError, ".eval()"):
        strata.compile(Net())


def a_decorated_function():
    @strata.jit_torch(compile_options=STRICT)
    def f(x, y):
        return torch.tanh(x) @ y.T, x.sum(-1)

    for n in (4, 5, 6):
        x, y = random(n, 8), random(3, 8)
        same(f(x, y), (torch.tanh(x) @ y.T, x.sum(-1)))


def graph_breaks():
    """Two graphs around what data decide; each can be chosen."""
    def f(x):
        y = x.exp() + 1
        if y.sum() > 0:
            return y * 3
        return y * 5

    for chosen in ({}, {"torch_polyblocks_select_graphs": [0]}, {"torch_polyblocks_filter_graphs": [0, "graph_1"]}):
        torch._dynamo.reset()
        made, graph = [], torch_backend._Graph
        torch_backend._Graph = lambda *args: made.append(1) or graph(*args)
        try:
            same(strata.jit_torch(f, compile_options={**STRICT, **chosen})(random(4, 4)), f(random(4, 4)))
        finally:
            torch_backend._Graph = graph
        assert len(made) == {(): 2, ("torch_polyblocks_select_graphs",): 1}.get(tuple(chosen), 0), (chosen, made)


def the_backend():
    torch._dynamo.reset()
    net = Net().eval()
    compiled = torch.compile(net, backend=torch_backend.backend, options=STRICT)
    with torch.no_grad():
        for batch in (4, 5, 8, 4):
            same(compiled(random(batch, 8)), net(random(batch, 8)))


def beside_dynamo():
    """The library is made while dynamo goes on, and waited for by the first call."""
    run, may_end, at_return = compiler.run, threading.Event(), []
    backend = torch_backend.Backend(strata.options.Options(STRICT))

    def waits(*arguments, **more):
        assert may_end.wait(60)
        done = run(*arguments, **more)
        later.warn("said beside")
        return done

    def begun(graph, examples):
        function = backend(graph, examples)
        at_return.append(may_end.is_set())
        may_end.set()
        return function
    compiler.run = waits
    try:
        with torch.no_grad(), warnings_of(UserWarning) as texts:
            same(torch.compile(Net().eval(), backend=begun)(random(6, 8)), Net().eval()(random(6, 8)))
    finally:
        compiler.run = run
    assert at_return == [False] and texts.count("said beside") == 1, (at_return, texts)


def written_parameters():
    """A parameter that is written is seen."""
    torch._dynamo.reset()
    for options in (STRICT, {**STRICT, "weights": "argument"}):
        net = Net().eval()
        compiled = torch.compile(net, backend=torch_backend.Backend(strata.options.Options(options)))
        with torch.no_grad():
            same(compiled(random(4, 8)), net(random(4, 8)))
            for _ in range(2):
                net.layers[0].weight.mul_(2)
                net.norm.running_mean.add_(1)
                same(compiled(random(4, 8)), net(random(4, 8)))


def written_arguments():
    def f(x, y):
        x.mul_(2)
        return x + y

    x, expected = random(4), random(4)
    got = strata.jit_torch(f, compile_options=STRICT)(x, random(4, seed=2))
    same(got, f(expected, random(4, seed=2)))
    same(x, expected)


class Counter(torch.nn.Module):
    """Has a state that each call changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


def written_buffers():
    """A compiled module has a state of its own; torch.compile writes the module's."""
    module, compiled = Counter(), strata.compile(Counter().eval(), (random(4),))
    own = Counter().eval()
    traced = torch.compile(own, backend=torch_backend.Backend(strata.options.Options(STRICT)))
    with torch.no_grad():
        for i in range(3):
            expected = module(random(4, seed=i))
            same(compiled(random(4, seed=i)), expected)
            same(traced(random(4, seed=i)), expected)
            same(own.total, module.total)


def sizes_as_numbers():
    """Numbers that graphs give and take where sizes vary."""
    def f(x, y):
        n = x.shape[0] * 2 + 1
        z = x.sum(0) * n
        torch._dynamo.graph_break()
        return z + n, x.cos() * (y.shape[0] + n)

    torch._dynamo.reset()
    compiled = strata.jit_torch(f, compile_options=STRICT, dynamic=True)
    for n in (3, 5, 6):
        x, y = random(n, 8), random(9, 8)
        same(compiled(x, y), f(x, y))


class Block(torch.nn.Module):
    """A layer of a transformer."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(batch, length, width))


def a_transformer():
    torch._dynamo.reset()
    torch.manual_seed(2)
    net = torch.nn.Sequential(Block(32, 4), Block(32, 4)).eval()
    compiled, traced = strata.compile(net), torch.compile(net, backend=torch_backend.backend, options=STRICT)
    with torch.no_grad():
        for batch, length in ((2, 7), (3, 9), (4, 5)):
            x = random(batch, length, 32)
            same(compiled(x), net(x))
            same(traced(x), net(x))


def what_cannot_be_compiled():
    def f(x):
        return torch.linalg.eigvalsh(x @ x.T)

    torch._dynamo.reset()
    with warnings_of(Fallback) as texts:
        compiled = strata.jit_torch(f)
        for _ in range(3):
            same(compiled(random(4, 8)), f(random(4, 8)))
    assert len(texts) == 1 and "graph_0" in texts[0], texts
    torch._dynamo.reset()
    with raises(Exception, ""):
        strata.jit_torch(f, compile_options=STRICT)(random(4, 8))


def random_numbers_are_torchs_own():
    def f(x):
        return x + torch.randn_like(x)

    torch._dynamo.reset()
    with warnings_of(Fallback) as texts:
        compiled = strata.jit_torch(f)
        torch.manual_seed(7)
        got = [compiled(random(4, 8)) for _ in range(2)]
    torch.manual_seed(7)
    for each in got:
        same(each, f(random(4, 8)))
    assert len(texts) == 1 and "random numbers" in texts[0], texts


def layers_of_transformers():
    """For which PyTorch has kernels of its own."""
    for norm_first in (False, True):
        torch.manual_seed(2)
        layer = torch.nn.TransformerEncoderLayer(16, 4, 24, batch_first=True, norm_first=norm_first)
        net = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
        torch._dynamo.reset()
        with torch.no_grad():
            same(strata.jit_torch(net, compile_options=STRICT)(random(3, 5, 16)), net(random(3, 5, 16)))


def training_runs_in_torch():
    torch._dynamo.reset()
    net, x = Net().eval(), random(4, 8)
    with warnings_of(Fallback) as texts:
        torch.compile(net, backend=torch_backend.backend)(x).sum().backward()
    assert len(texts) == 1 and "training" in texts[0], texts
    assert net.layers[0].weight.grad is not None


CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
import torch, strata
from strata import compiler
torch.manual_seed(0)
net = torch.nn.Linear(8, 3).eval()
run = compiler.run
def count(arguments, **more):
    print("compiled", "--aot" in arguments)
    return run(arguments, **more)
compiler.run = count
strata.compile(net, (torch.ones(2, 8),))(torch.ones(2, 8))
"""


def the_cache():
    """Another process finds what one compiled."""
    outputs = [subprocess.run([sys.executable, "-c", CHILD, f"{package.SOURCE}/tools/python"], check=True,
                              capture_output=True, text=True).stdout for _ in range(2)]
    assert "compiled True" in outputs[0] and "compiled True" not in outputs[1], outputs


CASES = (a_module_with_arguments, a_module_called, dynamic_shapes, an_exported_program, lines_of_programs,
         nested_arguments, contiguity, types, gradients, a_decorated_function, graph_breaks, the_backend,
         beside_dynamo, written_parameters, written_arguments, written_buffers, sizes_as_numbers, a_transformer,
         what_cannot_be_compiled, random_numbers_are_torchs_own, layers_of_transformers, training_runs_in_torch, the_cache)
support.report([(case.__name__, case) for case in CASES if case.__name__ in sys.argv[1:] or not sys.argv[1:]])
