"""Programs traced by this package: the compiler makes the same graph of them as of torch.export's. What cannot be
traced is left to torch.export, and leaves nothing behind."""
import os
import sys

import package
from package import support

package.skip_without("torch")

import torch

import strata
from strata import compiler, torch_backend, torch_export, torch_modules, torch_trace

sys.path.insert(0, os.path.join(package.SOURCE, "test", "pt2"))
import make_cases

STRICT = strata.options.Options({"strict_target": True})
LEFT = {"loops", "counted", "segments"}  # operators of a higher order, and sizes that data decide: torch.export makes these


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def graph_of(program):
    with open("model.pt2", "wb") as file:
        torch_export._save(program, file)
    return compiler.run(["model.pt2", "--compile-to=graph"])


def trace(module, args, **kwargs):
    return torch_trace.of_module(module.eval(), args, kwargs, None)


def compare(module, args, **kwargs):
    assert graph_of(trace(module, args, **kwargs)) == graph_of(torch_export.export(module, args, kwargs, None))


def is_not_traced(module, args, reason):
    try:
        trace(module, args)
    except Exception as error:  # of PyTorch's, too
        assert reason in str(error), error
        return
    raise AssertionError(f"it was traced: expected '{reason}'")


def is_left(module, args, reason):
    """And is right all the same."""
    members = [dict(each.__dict__) for each in module.eval().modules()]
    is_not_traced(module, args, reason)
    assert [dict(each.__dict__) for each in module.modules()] == members
    assert torch.ones(2).sum() == 2 and not torch.compiler.is_exporting() and not torch.is_autocast_enabled("cpu")
    torch.testing.assert_close(strata.compile(module, args)(*args), module(*args).detach(), rtol=2e-2, atol=2e-2)


def case(name):
    def run():
        module, inputs, _ = make_cases.CASES[name]
        torch.manual_seed(0)
        compare(module.eval(), inputs(4))
    return name, run


class Calls(torch.nn.Module):
    """A forward of a kind, with a parameter, a buffer that is saved and one that is not."""

    def __init__(self, forward):
        super().__init__()
        torch.manual_seed(0)
        self.weight, self.scale = torch.nn.Parameter(torch.randn(4, 4)), 1.0
        self.register_buffer("kept", torch.randn(4))
        self.register_buffer("other", torch.randn(4, 4).T, persistent=False)
        self._forward = forward

    def forward(self, x, *more, **named):
        return self._forward(self, x, *more, **named)


def arguments():
    compare(Calls(lambda self, x, *more, **named: (x @ self.other + more[1], more[0] * named["A"] * self.kept)),
            (random(4, 4), random(4, seed=1), random(4, seed=2)), A=random(4, seed=3))


def values_of_python():
    def forward(self, x):
        return torch.where(x > torch.tensor(0.5), x, torch.tensor([1.0, 2.0, 3.0, 4.0])) + torch.arange(4)
    compare(Calls(forward), (random(4, 4),))


def fast_kernels():
    """Layers have kernels of their own for inference, which no compiler knows."""
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    compare(layer.eval(), (random(2, 5, 16),))


def what_is_written():
    def forward(self, x):
        self.kept.add_(x[0])
        self.other[0] = x[1]
        x.mul_(2)
        return x + self.kept @ self.other
    compare(Calls(forward), (random(4, 4),))
    module = Calls(forward)
    before = module.kept.clone()
    trace(module, (random(4, 4),))
    assert torch.equal(module.kept, before)


def of_half_precision():
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ self.weight
    is_left(Calls(forward), (random(4, 4),), "autocast")


def assigned_members():
    def forward(self, x):
        self.last = x * 2
        return self.last + 1
    is_left(Calls(forward), (random(4, 4),), "assigns")


def mapped_functions():
    """Of vmap, which works afterwards."""
    def forward(self, x):
        return torch.vmap(lambda row: row.sum() * row)(x)
    module, x = Calls(forward).eval(), random(4, 4)
    is_not_traced(module, (x,), "arg")
    torch.testing.assert_close(module(x), x.sum(1, keepdim=True) * x)


def values_that_matter():
    def forward(self, x):
        return x * float(self.scale_of)
    module = Calls(forward)
    module.register_buffer("scale_of", torch.tensor(3.0))
    is_not_traced(module, (random(4, 4),), "")


def what_has_other_shapes_later():
    is_left(Calls(lambda self, x: (x + 1).unsqueeze_(0) * 2), (random(4, 4),), "shape")


def results_that_are_no_tensors():
    is_not_traced(Calls(lambda self, x: (x + 1, 3)), (random(4, 4),), "result")
    is_not_traced(Calls(lambda self, x: self.weight), (random(4, 4),), "elsewhere")


def subclasses():
    class Own(torch.nn.Parameter):
        pass
    module = Calls(lambda self, x: x @ self.own)
    module.own = Own(random(4, 4))
    is_left(module, (random(4, 4),), "Own")


def graphs_of_dynamo():
    """Traced, too, and not exported."""
    def forward(self, x):
        return torch.softmax(x @ self.weight * self.kept + self.other, -1)
    module, args = Calls(forward).eval(), (random(4, 4),)
    export = torch_export.export
    torch_backend.export = torch_modules.export = None
    try:
        with torch.no_grad():
            got = torch.compile(module, backend=torch_backend.Backend(STRICT))(*args)
        same = strata.compile(module, args)(*args)
    finally:
        torch_backend.export = torch_modules.export = export
    torch.testing.assert_close(got, module(*args).detach(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(same, got)


def graphs_that_are_exported():
    def forward(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)) + y
    with torch.no_grad():
        got = torch.compile(forward, backend=torch_backend.Backend(STRICT))(random(4, 4))
    assert not torch.is_autocast_enabled("cpu")
    torch.testing.assert_close(got, forward(random(4, 4)), rtol=2e-2, atol=2e-2)


support.report([*(case(name) for name, (_, inputs, _) in make_cases.CASES.items() if inputs and name not in LEFT),
                *((each.__name__, each) for each in (
                    arguments, values_of_python, fast_kernels, what_is_written, of_half_precision, assigned_members,
                    mapped_functions, values_that_matter, what_has_other_shapes_later,
                    results_that_are_no_tensors, subclasses, graphs_of_dynamo, graphs_that_are_exported))])
