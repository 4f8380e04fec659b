"""Programs of PyTorch as torch.export makes them, in a fifth of its time: of those whose arguments are tensors of known
sizes. The operators are noted as PyTorch calls them, above its decompositions, on tensors without memory."""
from __future__ import annotations

import contextlib
import inspect
import operator
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import torch
from torch._C._functorch import is_functorch_wrapped_tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses import FakeTensor, FakeTensorMode
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.export.graph_signature import (ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec,
                                          TensorArgument)
from torch.fx.node import map_aggregate
from torch.overrides import BaseTorchFunctionMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakTensorKeyDictionary

from . import pt2


class NotSimple(Exception):
    """Something that is left to torch.export."""


class Input(NamedTuple):
    """A tensor that a program is given or has stored: |fake| is it without its memory, |target| the name of one that is
    stored."""
    name: str
    fake: Any
    kind: Any = InputKind.USER_INPUT
    target: Optional[str] = None
    persistent: Optional[bool] = None

    def spec(self, node: Any) -> Any:
        return InputSpec(self.kind, TensorArgument(node.name), self.target, self.persistent)


class _CallSpec(NamedTuple):
    in_spec: Any
    out_spec: Any


class _Graph(NamedTuple):
    """In place of a torch.fx.GraphModule, whose code nobody runs."""
    graph: Any


class Program:
    """What this package asks of a torch.export.ExportedProgram. |exported|: makes the true one."""
    range_constraints: Mapping[Any, Any] = {}

    def __init__(self, recorder: "_Recorder", in_spec: Any, results: Any, exported: Callable[[], Any]) -> None:
        leaves, out_spec = pytree.tree_flatten(results)
        if not all(isinstance(leaf, torch.Tensor) for leaf in leaves):
            raise NotSimple("a result is no tensor")
        nodes = [recorder.node_of(leaf) for leaf in leaves]
        recorder.graph.output(tuple(nodes))
        recorder.graph.eliminate_dead_code()
        specs = [OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(node.name), None) for node in nodes]
        self.graph_signature = ExportGraphSignature(recorder.specs(), specs)
        self.graph_module, self.call_spec = _Graph(recorder.graph), _CallSpec(in_spec, out_spec)
        self.state_dict: Dict[str, Any] = {}
        self.constants = recorder.constants
        self.exported = exported


def _fake(mode: Any, tensor: Any) -> Any:
    is_plain = type(tensor) in (torch.Tensor, torch.nn.Parameter) and not is_functorch_wrapped_tensor(tensor)
    if not is_plain or tensor.layout is not torch.strided or tensor.is_quantized:
        raise NotSimple(f"an argument, or a stored tensor, is a {type(tensor).__name__}")
    form = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
    return FakeTensor(mode, form, tensor.device)


# What gives a new tensor of values of Python: programs, which may write it, are given a copy.
_COPIES = {torch.ops.aten.lift_fresh.default: torch.ops.aten.lift_fresh_copy.default}


class _Recorder(SchemaCheckMode):
    """Notes the operators that come before all other keys of PyTorch's dispatcher. It takes modes there of some classes
    only; of SchemaCheckMode nothing is left."""

    def __init__(self, mode: Any, inputs: Sequence[Input], fakes: Mapping[int, Any]) -> None:
        """|mode|: that of all fake tensors; |fakes|: what stands for tensors of these numbers."""
        TorchDispatchMode.__init__(self, torch._C.DispatchKey.PreDispatch)
        self._mode = mode
        self.graph = torch.fx.Graph()
        self.constants: Dict[str, Any] = {}
        self._fakes = dict(fakes)
        self._nodes = WeakTensorKeyDictionary()  # PyTorch copies what it makes where others hold it, too
        self._inputs = [(each, self._note(each.fake, self.graph.placeholder(each.name))) for each in inputs]
        self._n_stored = sum(each.kind != InputKind.USER_INPUT for each in inputs)

    def _note(self, tensor: Any, node: Any) -> Any:
        """|tensor| is the value of |node|."""
        if not isinstance(tensor, FakeTensor) or not all(type(size) is int for size in tensor.shape):
            raise NotSimple(f"{node.name} is a {type(tensor).__name__}, or of sizes that vary")
        form = node.meta["val"] = pt2.form_of(tensor)
        known = self._nodes.get(tensor)
        if known is not None and known.meta["val"] != form:
            raise NotSimple(f"{node.name} changes the shape of what it is given")
        self._nodes[tensor] = node
        return node

    def node_of(self, value: Any) -> Any:
        """The node of a tensor; other values themselves, as arguments are."""
        if not isinstance(value, torch.Tensor):
            return value
        node = self._nodes.get(value)
        if node is None:
            raise NotSimple("a tensor comes from elsewhere")
        return node

    def specs(self) -> List[Any]:
        return [each.spec(node) for each, node in self._inputs]

    def _fake_of(self, value: Any) -> Any:
        """What stands for a tensor that the module has, or that is made of values of Python."""
        if not isinstance(value, torch.Tensor) or isinstance(value, FakeTensor):
            return value
        fake = self._fakes.get(id(value))
        return self._constant(value) if fake is None else fake

    def _constant(self, value: Any) -> Any:
        """Becomes an input behind those that are stored."""
        if self._n_stored == len(self._inputs):
            raise NotSimple("there are no arguments")
        name = f"lifted_tensor_{len(self.constants)}"
        given = Input(f"c_{name}", _fake(self._mode, value), InputKind.CONSTANT_TENSOR, name)
        with self.graph.inserting_before(self._inputs[self._n_stored][1]):
            node = self.graph.placeholder(given.name)
        self._inputs.insert(self._n_stored, (given, self._note(given.fake, node)))
        self._n_stored += 1
        self._fakes[id(value)], self.constants[name] = given.fake, value
        return given.fake

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if torch._C._is_any_autocast_enabled():  # whose conversions come later
            raise NotSimple("autocast is enabled")
        args, kwargs = map_aggregate(args, self._fake_of), map_aggregate(kwargs or {}, self._fake_of)
        func = _COPIES.get(func, func)
        results = func(*args, **kwargs)
        says_of_torch = not args and not kwargs and not isinstance(results, torch.Tensor)  # as which CUDA it is built with
        if func.namespace == "prim" or says_of_torch:
            return results
        node = self.graph.create_node("call_function", func, map_aggregate(args, self.node_of),
                                      map_aggregate(kwargs, self.node_of),
                                      self.graph._target_to_str(func.overloadpacket.__name__))
        if isinstance(results, torch.Tensor):
            self._note(results, node)
        elif isinstance(results, (tuple, list)):
            elements = [self.graph.call_function(operator.getitem, (node, i)) for i in range(len(results))]
            node.meta["val"] = [self._note(result, each).meta["val"] for result, each in zip(results, elements)]
        else:
            raise NotSimple(f"{node.name} is a {type(results).__name__}")
        return results


def _trace(function: Callable[[], Any], inputs: Sequence[Input], fakes: Mapping[int, Any], call: Tuple[Any, Any],
           exported: Callable[[], Any]) -> Program:
    """The program of |function|, which is given the arguments and keywords |call|."""
    modes = {each.fake.fake_mode for each in inputs if isinstance(each.fake, FakeTensor)}
    if len(modes) != 1:
        raise NotSimple("its tensors are of no mode, or of several")
    mode = modes.pop()
    recorder = _Recorder(mode, inputs, fakes)
    with torch.no_grad(), mode, enable_python_dispatcher(), recorder:
        results = function()
    return Program(recorder, pytree.tree_flatten(call)[1], results, exported)


#===-- Graphs of dynamo ------------------------------------------------------------------------------------------------

# Where functions are that do nothing but work on tensors.
_PLAIN = {"_operator", "builtins", "torch", "torch.nn.functional", "torch._C._nn", "torch._C._fft", "torch._C._linalg",
          "torch._C._special"}
# What a trace without gradients may leave out.
_NOTHING = {torch._C._set_grad_enabled, torch.amp.autocast_mode._exit_autocast}


def _does_nothing(node: Any) -> bool:
    is_off = node.target is torch.amp.autocast_mode._enter_autocast and node.args[2:3] == (False,)
    return is_off or node.target in _NOTHING


def _check(graph: Any) -> None:
    """Before anything runs: what changes a state of PyTorch's would not be put back after an error."""
    for node in graph.nodes:
        is_plain = node.op != "call_function" or getattr(node.target, "__module__", None) in _PLAIN
        if node.op in ("get_attr", "call_module") or not (is_plain or _does_nothing(node)):
            raise NotSimple(f"the graph has {node.op} of {node.target}")


def _run(graph: Any, inputs: Iterator[Any]) -> Any:
    """As the graph's own function, which PyTorch would compile first."""
    values: Dict[Any, Any] = {}
    for node in graph.nodes:
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), values.__getitem__)
        if node.op == "output":
            return args[0]
        if node.op == "placeholder":
            values[node] = next(inputs)
        elif node.op == "call_method":
            values[node] = getattr(args[0], node.target)(*args[1:], **kwargs)
        else:
            values[node] = None if _does_nothing(node) else node.target(*args, **kwargs)
    raise NotSimple("the graph has no results")


def of_graph(graph: Any, fakes: Sequence[Any], constants: Mapping[int, Any], exported: Callable[[], Any]) -> Program:
    """The program of a torch.fx.Graph of dynamo's, whose inputs |fakes| stand for; those of these numbers are
    |constants|. NotSimple, or what PyTorch raises, where torch.export is to make it."""
    _check(graph)
    given = [fake for i, fake in enumerate(fakes) if i not in constants]
    inputs = [Input(f"b_constant{i}", fakes[i], InputKind.BUFFER, f"constant{i}", True) for i in constants]
    inputs += [Input(f"args_{i}", fake) for i, fake in enumerate(given)]
    program = _trace(lambda: _run(graph, iter(fakes)), inputs, {}, (tuple(given), {}), exported)
    program.state_dict.update({f"constant{i}": tensor.detach() for i, tensor in constants.items()})
    return program


#===-- Modules ---------------------------------------------------------------------------------------------------------

def _names(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> List[str]:
    """Of the arguments, as torch.export has them."""
    bound = inspect.signature(module.forward).bind(*args, **kwargs)
    names: List[str] = []
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        names += ([f"{name}_{i}" for i in range(len(value))] if kind is inspect.Parameter.VAR_POSITIONAL else
                  list(value) if kind is inspect.Parameter.VAR_KEYWORD else [name])
    if len(set(map(str.lower, names))) < len(names) or list(kwargs) != names[len(args):]:
        raise NotSimple("names of arguments are alike, or in another order")
    return [name.lower() for name in names]


def _node_name(kind: str, name: str) -> str:
    return f"{kind}_{name.replace('.', '_')}".lower()


def _stored(module: Any, mode: Any) -> Iterator[Tuple[Input, Any]]:
    """Each parameter and buffer, as an input and itself."""
    kept = module.state_dict(keep_vars=True)
    for name, tensor in module.named_parameters():
        yield Input(_node_name("p", name), _fake(mode, tensor), InputKind.PARAMETER, name), tensor
    for name, tensor in module.named_buffers():
        yield Input(_node_name("b", name), _fake(mode, tensor), InputKind.BUFFER, name, name in kept), tensor


def _members(module: Any) -> List[Tuple[Dict[str, Any], Dict[str, Any]]]:
    """The dictionaries of a module and those in it, each with a copy."""
    kept = []
    for each in module.modules():
        kept += [(members, dict(members)) for members in (each._parameters, each._buffers, each.__dict__)]
    return kept


@contextlib.contextmanager
def _as_in_export(module: Any) -> Iterator[None]:
    """Modules are told that they are exported; those that assign to their members get these back, and torch.export."""
    flags, members = torch.compiler, _members(module)
    was = flags._is_compiling_flag, flags._is_exporting_flag
    flags._is_compiling_flag = flags._is_exporting_flag = True
    try:
        yield
    finally:
        flags._is_compiling_flag, flags._is_exporting_flag = was
        changed = [(now, before) for now, before in members if
                   now.keys() != before.keys() or any(now[name] is not before[name] for name in before)]
        for now, before in changed:
            now.clear()
            now.update(before)
    if changed:
        raise NotSimple("the module assigns to its members")


def of_module(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], exported: Callable[[], Any]) -> Program:
    """The program of |module| called with these tensors. NotSimple, or what PyTorch raises, where torch.export is to
    make it."""
    if isinstance(module, torch.jit.ScriptModule):
        raise NotSimple("a ScriptModule")
    mode = FakeTensorMode()
    stored = list(_stored(module, mode))
    given = [_fake(mode, leaf) for leaf in (*args, *kwargs.values())]
    inputs = [each for each, _ in stored]
    inputs += [Input(name, fake) for name, fake in zip(_names(module, args, kwargs), given)]
    if len({each.name for each in inputs}) < len(inputs):
        raise NotSimple("names are alike")
    fakes = {id(tensor): each.fake for each, tensor in stored}
    call = tuple(given[:len(args)]), dict(zip(kwargs, given[len(args):]))
    with _as_in_export(module), BaseTorchFunctionMode():  # which layers' own fast kernels make way for
        program = _trace(lambda: module(*call[0], **call[1]), inputs, fakes, call, exported)
    for each, tensor in stored:
        (program.state_dict if each.persistent is not False else program.constants)[str(each.target)] = tensor
    return program
