"""Which graphs of a function of PyTorch are compiled: select and filter, strict_target, falling back; without PyTorch."""
import package
from package import raises, support, warnings_of

import fake_torch

torch = fake_torch.install()

import strata
from fake_torch import Graph, Tensor
from strata import torch_backend
from strata.errors import Fallback, ShapeError, UnsupportedError


class Compiled:
    """In the place of what compiles a graph."""
    names = []

    def __init__(self, graph, examples, options):
        if graph.error:
            raise graph.error
        self._graph, Compiled.options = graph, options
        Compiled.names.append(options.aot_name)

    def finished(self):
        if self._graph.late_error:
            raise self._graph.late_error
        return self

    def __call__(self, values):
        if "shape" in self._graph.name:
            raise ShapeError("x: expected 4, got 5")
        return (*values, f"{self._graph.name} by strata")


torch_backend._Graph = Compiled


def run(graphs, examples=(), **options):
    return strata.jit_torch(graphs, compile_options=options)(*examples)


class Function(list):
    """A list that may be decorated."""

    def __call__(self):
        raise AssertionError("it is called by torch.compile alone")


def three():
    return Function([Graph("a"), Graph("b"), Graph("c")])


def by(what):
    return tuple(f"{name} by {who}" for name, who in zip("abc", what))


T, S = "torch", "strata"


def all_by_default():
    assert run(three()) == by((S, S, S))


def selected():
    assert run(three(), torch_polyblocks_select_graphs=[1]) == by((T, S, T))
    assert run(three(), torch_polyblocks_select_graphs=["graph_0", 2]) == by((S, T, S))
    assert run(three(), torch_polyblocks_select_graphs=["1"]) == by((T, S, T))
    assert run(three(), torch_polyblocks_select_graphs=[]) == by((T, T, T))
    assert run(three(), torch_polyblocks_select_graphs=["7/0"]) == by((S, S, S)), "as the logs of torch name it"


def filtered():
    assert run(three(), torch_polyblocks_filter_graphs=[1]) == by((S, T, S))
    assert run(three(), torch_polyblocks_filter_graphs=["graph_0", 2]) == by((T, S, T))
    assert run(three(), torch_polyblocks_filter_graphs=[]) == by((S, S, S))
    assert run(three(), torch_polyblocks_select_graphs=[0, 1], torch_polyblocks_filter_graphs=[1]) == by((S, T, T))


def not_chosen_is_no_error():
    """Graphs that are kept away are neither warned of nor an error."""
    graphs = Function([Graph("a", UnsupportedError("never"))])
    with warnings_of(Fallback) as texts:
        assert run(graphs, torch_polyblocks_filter_graphs=[0], strict_target=True) == by((T,))
    assert not texts, texts


def falls_back_with_one_warning():
    for error in (strata.CompileError("strata: error: m.pt2 (node foo): Foo\nstrata: error: more"),
                  UnsupportedError("strata: error: m.pt2 (node foo): Foo\nmore"),
                  torch._dynamo.exc.TorchDynamoException("node foo")):
        function = strata.jit_torch(Function([Graph("a"), Graph("b", error), Graph("c")]))
        with warnings_of(Fallback) as texts:
            for _ in range(3):
                assert function() == by((S, T, S))
        assert len(texts) == 1 and "graph_1 (7/0) runs without strata" in texts[0] and "node foo" in texts[0], texts
        assert "\n" not in texts[0]


def strict():
    with raises(strata.CompileError, "node foo"):
        run(Function([Graph("a"), Graph("b", strata.CompileError("node foo"))]), strict_target=True)


def errors_of_the_first_call():
    """What the compiler says comes when the first call waits for it."""
    error = strata.CompileError("strata: error: m.pt2 (node foo): Foo")
    function = strata.jit_torch(Function([Graph("a"), Graph("b", late_error=error)]))
    with warnings_of(Fallback) as texts:
        for _ in range(3):
            assert function() == by((S, T))
    assert len(texts) == 1 and "graph_1 (7/0) runs without strata" in texts[0] and "node foo" in texts[0], texts
    function = strata.jit_torch(Function([Graph("b", late_error=error)]), compile_options={"strict_target": True})
    for _ in range(2):
        with raises(strata.CompileError, "node foo"):
            function()


def mistakes_are_not_hidden():
    """An error of another kind is one in this package, or the user's: it is seen."""
    with raises(KeyError):
        run(Function([Graph("a", KeyError("x"))]))
    with raises(strata.CompilerNotFound):
        run(Function([Graph("a", strata.CompilerNotFound("none"))]))


def gradients():
    for grad, requires, expected in ((True, True, T), (True, False, S), (False, True, S)):
        torch.state.grad = grad
        with warnings_of(Fallback) as texts:
            assert run(Function([Graph("a")]), [Tensor(), Tensor(requires)]) == by((expected,))
        assert [("training" in text and "no_grad" in text) for text in texts] == [True] * (expected == T), texts
    torch.state.grad = True
    with raises(UnsupportedError, "training"):
        run(Function([Graph("a")]), [Tensor(True)], strict_target=True)
    torch.state.grad = False


def places():
    """Tensors on a GPU need its target, and lie on one device."""
    gpu = [Tensor(device="cuda:0"), Tensor(device="cuda:0")]
    for examples, options, text in ((gpu, {}, "cuda:0 and the target is 'cpu'"),
                                    ([Tensor(), *gpu], {"target": "nvgpu"}, "cpu and cuda:0")):
        with warnings_of(Fallback) as texts:
            assert run(Function([Graph("a")]), examples, **options) == by((T,))
        assert len(texts) == 1 and text in texts[0], texts
        with raises(UnsupportedError, text):
            run(Function([Graph("a")]), examples, **options, strict_target=True)
    for given, expected in (({}, True), ({"on_gpu_tensors": False}, False), ({"user_device_memory": False}, True)):
        assert run(Function([Graph("a")]), gpu, target="nvgpu", **given) == by((S,))
        assert Compiled.options.on_gpu_tensors is expected
        assert Compiled.options.user_device_memory is (given == {})
    assert run(Function([Graph("a")]), gpu, target="nvgpu", device_one_time_load=False) == by((S,))
    assert Compiled.options.on_gpu_tensors and not Compiled.options.user_device_memory
    assert run(Function([Graph("a")]), [Tensor()], target="nvgpu") == by((S,))
    assert not Compiled.options.on_gpu_tensors


def sizes_that_a_library_refuses():
    function = strata.jit_torch(Function([Graph("shape")]))
    with warnings_of(Fallback) as texts:
        for _ in range(3):
            assert function() == ("shape by torch",)
    assert len(texts) == 1 and "x: expected 4" in texts[0], texts
    with raises(strata.StrataError, "x: expected 4"):
        run(Function([Graph("shape")]), strict_target=True)


class Picky(Graph):
    """A graph of one tensor, of which the library takes five elements alone."""

    def forward(self, tensor):
        return "torch"


def calls_without_elements():
    """Such a call is PyTorch's, whatever is asked for, and the next one the library's again."""
    def takes_five(compiled, tensor):
        if tensor.numel() != 5:
            raise ShapeError(f"the size 'n' is {tensor.numel()}")
        return "strata"

    own, Compiled.__call__ = Compiled.__call__, takes_five
    try:
        call = torch_backend.backend(Picky("n"), (), options={"strict_target": True})
        assert [call(Tensor(count=n)) for n in (5, 0, 0, 5)] == ["strata", "torch", "torch", "strata"]
        with raises(strata.StrataError, "the size 'n' is 4"):
            call(Tensor(count=4))
    finally:
        Compiled.__call__ = own


def graphs_without_work():
    """Of operands without elements, or without results: nothing to compile, and no error."""
    for graph, examples in ((Graph("a"), [Tensor(), Tensor(count=0)]), (Graph("a", results=()), [Tensor()])):
        assert run(Function([graph]), examples, strict_target=True) == by((T,))


def other_names_and_forms():
    assert strata.polyblocks_jit_torch is strata.jit_torch
    assert strata.jit_torch()(three())() == strata.jit_torch(three())() == by((S, S, S))
    decorated = strata.polyblocks_jit_torch(compile_options={"torch_polyblocks_select_graphs": 0})(three())
    assert decorated() == by((S, T, T))


def functions_count_for_themselves():
    first, second = (strata.jit_torch(three(), compile_options={"torch_polyblocks_select_graphs": [0]}) for _ in range(2))
    assert first() == second() == by((S, T, T))


def emitted_files():
    """Each graph has a name of its own."""
    Compiled.names.clear()
    run(three(), aot=True, aot_name="net")
    assert Compiled.names == ["net", "net_1", "net_2"], Compiled.names


def backend_by_name():
    """As torch.compile(backend="strata", options=...) calls it."""
    options = {"torch_polyblocks_filter_graphs": [1]}
    made = [torch_backend.backend(graph, (), options=options) for graph in three()]
    assert [graph(()) for graph in made] == [(text,) for text in by((S, T, S))]
    with raises(strata.OptionError, "'strict_target'"):
        torch_backend.backend(Graph("a"), (), options={"strict_targets": True})


support.report([(case.__name__, case) for case in (
    all_by_default, selected, filtered, not_chosen_is_no_error, falls_back_with_one_warning, strict,
    errors_of_the_first_call, mistakes_are_not_hidden, gradients, places, sizes_that_a_library_refuses,
    calls_without_elements, graphs_without_work, other_names_and_forms,
    functions_count_for_themselves, emitted_files, backend_by_name)])
