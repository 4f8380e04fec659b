"""The package's own .pt2 of exported programs: the compiler makes the same graph of it as of torch.export.save's."""
import io
import os
import sys

import package
from package import raises, support

package.skip_without("torch")

import torch

from strata import compiler, pt2, torch_export

sys.path.insert(0, os.path.join(package.SOURCE, "test", "pt2"))
import make_cases


# Of containers, of sizes that depend on data, of operators of torchvision's, and of checks, which are effects once they are
# decomposed.
LEFT = {"nested", "loops", "counted", "regions", "segments", "solvers"}


def graph_of(write, program):
    with open("model.pt2", "wb") as file:
        write(program, file)
    return compiler.run(["model.pt2", "--compile-to=graph"])


def compare(program, is_decomposed=True):
    for each in (program, program.run_decompositions()) if is_decomposed else (program,):
        assert graph_of(pt2.dump, each) == graph_of(torch.export.save, each)


def case(name):
    def run():
        module, inputs, _ = make_cases.CASES[name]
        torch.manual_seed(0)
        compare(torch.export.export(module.eval(), inputs(4), strict=False), name not in make_cases.ONLY_PLAIN)
    return name, run


class Numbers(torch.nn.Module):
    """Infinities, empty lists, lists of tensors that may be absent, elements taken twice and not at all."""

    def forward(self, x, index):
        parts, (values, _) = x.split(2, 1), x.max(1)
        again = x.split(2, 1)
        masked = x.masked_fill(x > 0, float("-inf")).clamp(-1e38, float("inf"))
        return [masked, parts[0] + parts[0], values, again[2] * parts[2], x[:, index], x.reshape(24).sum().reshape([]),
                x.to(torch.float64), torch.full_like(x, float("nan")).isnan(), torch.zeros(2, dtype=torch.bool)]


class Stored(torch.nn.Module):
    """Tensors of several types, one twice, one with other strides, one of which nothing is used, an empty one."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.weight = torch.nn.Parameter(torch.randn(6, 4).T)
        self.other, self.unused = self.weight, torch.nn.Parameter(torch.randn(3))
        self.register_buffer("halves", torch.randn(6).to(torch.float16))
        self.register_buffer("flags", torch.tensor([True, False, True, True, False, False]))
        self.register_buffer("part", torch.arange(12.0)[3:9])
        self.register_buffer("nothing", torch.zeros(0, 6), persistent=False)
        self.constant = torch.tensor(3.0).to(torch.bfloat16)

    def forward(self, x):
        y = torch.where(self.flags, x * self.halves, x + self.part) * self.constant
        return torch.cat([y, self.nothing]) @ self.weight.T, x @ self.other.T


def forms():
    compare(torch.export.export(Numbers().eval(), (torch.randn(4, 6), torch.tensor([1, 3])), strict=False))


def stored_tensors():
    compare(torch.export.export(Stored().eval(), (torch.randn(3, 6),), strict=False))


def what_is_left_to_torch():
    net, varies = torch.nn.Linear(6, 4).eval(), ({0: torch.export.Dim.AUTO},)
    program = torch.export.export(net, (torch.randn(3, 6),), dynamic_shapes=varies, strict=False)
    with raises(pt2.NotSimple, "sizes vary"):
        pt2.dump(program, io.BytesIO())
    assert graph_of(torch_export._save, program) == graph_of(torch.export.save, program)


support.report([*(case(name) for name in make_cases.CASES if name not in LEFT),
                *((each.__name__, each) for each in (forms, stored_tensors, what_is_left_to_torch))])
