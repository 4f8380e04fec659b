"""torch.compile(backend="strata") and jit_torch."""
from __future__ import annotations

import functools
import operator
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type

import torch

from .errors import ShapeError, StrataError, UnsupportedError
from .graphs import Chooser, compile_or_fall_back, numbered
from .model import check_target
from .options import Options
from .torch_export import ExportedModel, begin, export, options_for, refuse_gradients, traced


def _export_errors() -> Tuple[Type[Exception], ...]:
    """What torch.export raises of graphs that it cannot export."""
    from torch._dynamo import exc
    from torch._export.verifier import SpecViolationError
    return (exc.TorchDynamoException, SpecViolationError, torch.fx.experimental.symbolic_shapes.ConstraintViolationError,
            NotImplementedError, RuntimeError, ValueError, AssertionError)


class _Bound(torch.nn.Module):
    """A graph as a function of some of its inputs; the others are constants."""

    def __init__(self, graph: Any, constants: Mapping[int, Any], n_inputs: int) -> None:
        super().__init__()
        self._graph, self._n = graph, n_inputs
        for i, tensor in constants.items():
            self.register_buffer(f"constant{i}", tensor.detach())
        self._numbers = tuple(constants)

    def forward(self, *args: Any) -> Any:
        given, inputs = iter(args), []
        for i in range(self._n):
            inputs.append(getattr(self, f"constant{i}") if i in self._numbers else next(given))
        return self._graph(*inputs)


def _symbolic(node: Any) -> Any:
    """The fake tensor, or the size, that dynamo has for an input."""
    return node.meta.get("example_value")


def _without_sizes(graph: Any) -> Tuple[Any, List[int]]:
    """|graph|, or a copy that reads sizes from the tensors that have them. The numbers of the inputs that are left."""
    given = [node for node in graph.graph.nodes if node.op == "placeholder"]
    if not any(isinstance(_symbolic(node), torch.SymInt) for node in given):
        return graph, list(range(len(given)))
    copy = torch.fx.GraphModule(graph, torch.fx.Graph())
    values: Dict[Any, Any] = {}
    copy.graph.graph_copy(graph.graph, values)
    copy.graph.output(_mapped_output(graph.graph, values))
    inputs = [node for node in copy.graph.nodes if node.op == "placeholder"]
    kept = []
    for i, node in enumerate(inputs):
        is_number = isinstance(_symbolic(node), torch.SymInt)
        place = _place_of(_symbolic(node), inputs) if is_number else None
        if not is_number or (node.users and not place):
            kept.append(i)  # a tensor, or a number that is no size
            continue
        if node.users:
            with copy.graph.inserting_after(inputs[-1]):
                size = copy.graph.call_function(torch.ops.aten.sym_size.int, place)
            node.replace_all_uses_with(size)
        copy.graph.erase_node(node)
    copy.graph.lint()
    copy.recompile()
    return copy, kept


def _mapped_output(graph: Any, values: Dict[Any, Any]) -> Any:
    output = next(node for node in graph.nodes if node.op == "output")
    return torch.fx.map_arg(output.args[0], lambda node: values[node])


def _place_of(size: Any, inputs: Sequence[Any]) -> Optional[Tuple[Any, int]]:
    """The input, and its dim, that is of this size."""
    for node in inputs:
        shape = getattr(_symbolic(node), "shape", ())
        for dim, other in enumerate(shape):
            if isinstance(other, torch.SymInt) and other.node.expr == size.node.expr:
                return node, dim
    return None


def _dynamic(node: Any) -> Any:
    """What torch.export is told of an input: which of its sizes vary, or that it is a number that does."""
    auto = torch.export.Dim.AUTO
    if isinstance(_symbolic(node), torch.SymInt):
        return auto
    shape = getattr(_symbolic(node), "shape", ())
    return {dim: auto for dim, size in enumerate(shape) if isinstance(size, torch.SymInt)} or None


def _example(value: Any) -> Any:
    """What it is exported with."""
    if isinstance(value, torch.Tensor):
        return value.detach()
    number = value.node.hint if isinstance(value, torch.SymInt) else value
    if not isinstance(number, int):
        raise UnsupportedError(f"an input is a {type(value).__name__}")
    return number


def _has_none(example: Any) -> bool:
    """Whether an input has no elements, whatever sizes vary."""
    return any(type(size) is int and not size for size in getattr(example, "shape", ()))


def _computes(graph: Any) -> bool:
    """Whether a graph has a result: dynamo makes some of what it only asks for sizes."""
    return any(node.all_input_nodes for node in graph.graph.nodes if node.op == "output")


def _is_constant(example: Any) -> bool:
    """Whether an input is a parameter or a buffer of a module."""
    return isinstance(example, torch.Tensor) and (isinstance(example, torch.nn.Parameter) or
                                                  getattr(example, "_dynamo_static_input_type", None) is not None)


def _picker(numbers: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function that gives the elements of these numbers."""
    if len(numbers) > 1:
        return operator.itemgetter(*numbers)
    return lambda values: [values[i] for i in numbers]


_version_of = operator.attrgetter("_version")


class _States:
    """Whether tensors have been written, or replaced in place, since. Asked in each call, of all parameters: two fields of
    each, read by loops of C. Tensors of torch.inference_mode() count no versions."""

    def __init__(self, tensors: Sequence[Any]) -> None:
        self._versioned = _picker([i for i, tensor in enumerate(tensors) if not tensor.is_inference()])
        self._state = self._of(tensors)

    def _of(self, tensors: Sequence[Any]) -> Tuple[List[int], List[int]]:
        return list(map(torch.Tensor.data_ptr, tensors)), list(map(_version_of, self._versioned(tensors)))

    def are_of(self, tensors: Sequence[Any]) -> bool:
        return self._of(tensors) == self._state


class _Graph:
    """A graph of dynamo, compiled. Parameters and buffers are constants of the library until somebody writes them; from
    then on they are arguments."""

    def __init__(self, graph: Any, examples: Sequence[Any], options: Options) -> None:
        self._options = options
        self._graph, self._kept = _without_sizes(graph)
        self._inputs = [node for node in self._graph.graph.nodes if node.op == "placeholder"]
        examples = [examples[i] for i in self._kept]
        constants = {} if options.weights == "argument" else {
            i: example for i, example in enumerate(examples) if _is_constant(example)}
        self._lock = threading.Lock()
        self._finish: Optional[Callable[[], None]] = self._begin(examples, constants)

    def _begin(self, examples: Sequence[Any], constants: Dict[int, Any]) -> Callable[[], None]:
        """The compile goes on until the function that is returned waits for it."""
        arguments = [i for i in range(len(examples)) if i not in constants]
        fakes = [_symbolic(node) for node in self._inputs]

        def exported() -> Any:
            dynamic = tuple(_dynamic(self._inputs[i]) for i in arguments)
            bound = _Bound(self._graph, constants, len(examples)).eval()
            return export(bound, [_example(examples[i]) for i in arguments], None,
                          {"args": dynamic} if any(dynamic) else None)

        program = traced(lambda by: by.of_graph(self._graph.graph, fakes, constants, exported), exported)
        options = Options({key: value for key, value in self._options.given.items() if key != "weights"}
                          ) if self._options.weights == "argument" else self._options
        begun = begin(program, options)
        states = _States(list(constants.values())) if constants else None

        def finish() -> None:
            self._model = ExportedModel(program, options, begun)
            if constants and self._model.writes_state:
                self._begin(examples, {})()
                return
            self._states = states
            self._constants = _picker([self._kept[i] for i in constants])
            self._arguments = _picker([self._kept[i] for i in arguments])

        return finish

    def finished(self) -> "_Graph":
        """Itself, once it may be called."""
        with self._lock:
            if self._finish:
                self._finish()
                self._finish = None
        return self

    def __call__(self, *inputs: Any) -> Any:
        if self._states and not self._states.are_of(self._constants(inputs)):
            self._begin([inputs[i] for i in self._kept], {})()
        return tuple(self._model.call_leaves(self._arguments(inputs)))


def _graph_name() -> str:
    """As torch's logs have it: frame and compile."""
    try:
        return str(torch._guards.CompileContext.current_compile_id() or "")
    except AttributeError:
        return ""


class Backend:
    """A backend of torch.compile with options of its own."""

    def __init__(self, options: Options) -> None:
        self._options, self._chooser = options, Chooser(options)

    def __call__(self, graph: Any, examples: Sequence[Any]) -> Callable[..., Any]:
        number, name, wanted = self._chooser.next(_graph_name())
        if not wanted or any(map(_has_none, examples)) or not _computes(graph):
            return graph.forward

        def build() -> Any:
            refuse_gradients(examples)
            options = numbered(options_for(examples, self._options), number)
            with torch._guards.tracing(None):  # what export assumes guards nothing of the frame that dynamo is at
                return self._guarded(_Graph(graph, examples, options), graph.forward, name)

        return compile_or_fall_back(build, graph.forward, name, self._options, _export_errors())

    def _guarded(self, begun: _Graph, own: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function of a graph whose compile has begun: the first call waits for it, dynamo does its own work
        meanwhile. Sizes that the library does not take, after all, run in PyTorch, and so does a call with a tensor of no
        elements, such as the boxes of an image in which nothing is found: of a library all sizes are 1 or more."""
        chosen: List[Callable[..., Any]] = []

        def choose(build: Callable[[], Any]) -> Callable[..., Any]:
            chosen[:] = [compile_or_fall_back(build, own, name, self._options, _export_errors())]
            return chosen[0]

        def call(*inputs: Any) -> Any:
            run = chosen[0] if chosen else choose(begun.finished)
            if run is own:
                return own(*inputs)
            try:
                return run(*inputs)
            except ShapeError as error:
                if any(isinstance(value, torch.Tensor) and not value.numel() for value in inputs):
                    return own(*inputs)
                return choose(functools.partial(_raise, error))(*inputs)

        return call


def _raise(error: Exception) -> None:
    raise StrataError(str(error)) from error


_backends: Dict[Any, Backend] = {}


def backend(graph: Any, examples: Sequence[Any], options: Optional[Mapping[str, Any]] = None,
            mode: Optional[str] = None) -> Callable[..., Any]:
    """The entry of torch.compile(backend="strata", options=compile_options)."""
    checked = check_target(Options(options))
    key = (id(options) if options is not None else None, str(sorted(checked.given.items())))
    if key not in _backends:
        _backends[key] = Backend(checked)
    return _backends[key](graph, examples)


def jit(function: Any, options: Options, dynamic: Optional[bool], fullgraph: bool) -> Any:
    """|function|, or a module, by torch.compile."""
    return torch.compile(function, backend=Backend(options), dynamic=dynamic, fullgraph=fullgraph)
