"""Exported programs of PyTorch: given to the compiler as the .pt2 that torch.export.save writes, called as they were
exported."""
from __future__ import annotations

import contextlib
import functools
import traceback
import warnings
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, cast

import torch
from torch.utils import _pytree as pytree

from . import pt2
from .errors import CompileError, UnsupportedError
from .emitted import Profile, Tensor
from .later import Later
from .model import CompiledModel, Written
from .options import Options

@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what PyTorch has to say of itself; without gradients."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore", FutureWarning)
        yield


class _Nowhere:
    """In place of torch's CapturedTraceback: the lines of Python that made a node of a graph, of which the compiler is told
    nothing. Reading and formatting them would be a quarter of the time of an export."""

    @classmethod
    def extract(cls, *_args: Any, **_kwargs: Any) -> "_Nowhere":
        return cls()

    def summary(self) -> traceback.StackSummary:
        return traceback.StackSummary()


@contextlib.contextmanager
def _without_lines() -> Iterator[None]:
    """Where PyTorch has its record of lines elsewhere, with them. Of several threads the first to leave puts it back."""
    record, proxy = getattr(torch.utils, "_traceback", None), cast(Any, torch.fx.proxy)
    if record is None or getattr(proxy, "CapturedTraceback", None) is None:
        yield
        return
    proxy.CapturedTraceback = _Nowhere
    try:
        yield
    finally:
        proxy.CapturedTraceback = record.CapturedTraceback


def _save(program: Any, file: BinaryIO) -> None:
    with _quiet():
        try:
            pt2.dump(program, file)
        except pt2.NotSimple:
            file.seek(0)
            file.truncate()
            torch.export.save(program, file)


def refuse_gradients(leaves: Sequence[Any]) -> None:
    """Compiled models compute none."""
    if not torch.is_grad_enabled():
        return
    if any(isinstance(leaf, torch.Tensor) and leaf.requires_grad for leaf in leaves):
        raise UnsupportedError("training: an input or a parameter requires a gradient, which compiled models do not "
                               "compute; call them under torch.no_grad() or torch.inference_mode()")


def options_for(leaves: Sequence[Any], options: Options) -> Options:
    """|options| with what the places of tensors say; an error where they contradict."""
    devices = {str(leaf.device) for leaf in leaves if isinstance(leaf, torch.Tensor)}
    if len(devices) > 1:
        raise UnsupportedError(f"its tensors lie on {' and '.join(sorted(devices))}")
    if devices <= {"cpu"}:
        return options
    if options.target == "cpu":
        raise UnsupportedError(f"its tensors lie on {devices.pop()} and the target is 'cpu': give target='nvgpu' or "
                               "'amdgpu'")
    return options if "on_gpu_tensors" in options.given else options.with_(
        on_gpu_tensors=True, user_device_memory=options.given.get("user_device_memory", options.device_one_time_load))


def are_tensors(values: Sequence[Any]) -> bool:
    for value in values:
        if not isinstance(value, torch.Tensor):
            return False
    return True


class _Argument:
    """An input or output of a program: a tensor or a number of this name, or a value of Python."""

    def __init__(self, spec: Any) -> None:
        kind = type(spec.arg).__name__
        self.name, self.kind = getattr(spec.arg, "name", ""), spec.kind.name
        self.is_tensor, self.is_number = kind == "TensorArgument", kind == "SymIntArgument"
        self.is_constant = kind == "ConstantArgument"
        self.value = getattr(spec.arg, "value", None)
        if not (self.is_tensor or self.is_number or self.is_constant):
            raise UnsupportedError(f"'{self.name}' is neither a tensor nor a number: {kind}")


def _was_traced(program: Any) -> bool:
    return hasattr(program, "exported")


def _written(program: Any) -> Written:
    """A program that was traced."""
    return Written(".pt2", functools.partial(pt2.dump, program))


# Of which a library has other numbers than PyTorch, in each call the same.
_RANDOM = {"bernoulli", "exponential", "rand", "rand_like", "randn", "randn_like", "uniform"}


def _refuse_random_numbers(program: Any) -> None:
    for node in program.graph_module.graph.nodes:
        packet = getattr(node.target, "overloadpacket", None)
        if packet is not None and packet.__name__.rstrip("_") in _RANDOM:
            raise UnsupportedError(f"{node.name} is of random numbers, which depend on PyTorch's generator")


def begin(program: Any, options: Options) -> Optional[Later]:
    """The compile of a program that was traced, which goes on beside the caller's work. Others wait for ExportedModel.
    The program is written before: a thread waits at each tensor for Python's lock, which the caller has."""
    _refuse_random_numbers(program)
    if not _was_traced(program):
        return None
    source = _written(program)
    try:
        source.prepare()
    except pt2.NotSimple:
        return None
    return Later(functools.partial(CompiledModel, source, options))


def _compile(program: Any, options: Options, begun: Optional[Later]) -> Tuple[Any, CompiledModel]:
    """|program| and its library. What the compiler does not take as it is, it may take in parts: PyTorch's own
    decompositions, without operators that work in place."""
    _refuse_random_numbers(program)
    if _was_traced(program):
        try:
            return program, begun.result() if begun else CompiledModel(_written(program), options)
        except (CompileError, pt2.NotSimple):
            program = program.exported()
    try:
        return program, CompiledModel(Written(".pt2", functools.partial(_save, program)), options)
    except CompileError as first:
        try:
            with _quiet():
                parts = program.run_decompositions()
        except Exception:  # whatever PyTorch says of it: the compiler's error is the one to see
            raise first from None
        return parts, CompiledModel(Written(".pt2", functools.partial(_save, parts)), options)


class ExportedModel:
    """A torch.export.ExportedProgram, compiled: takes and gives what it does, nested as it was exported.

    The library's inputs are the program's tensors, and the parameters and buffers that it writes, which are a part of this
    object. Its results are the program's, then for what it writes `<name>.next`.
    """

    def __init__(self, program: Any, options: Options, begun: Optional[Later] = None) -> None:
        """|begun|: what begin(program, options) gave."""
        self._in_spec, self._out_spec = program.call_spec.in_spec, program.call_spec.out_spec
        nested_args, nested_kwargs = pytree.tree_unflatten(list(range(self._in_spec.num_leaves)), self._in_spec)
        self._names = list(nested_kwargs)
        self._is_flat = not nested_kwargs and list(nested_args) == list(range(self._in_spec.num_leaves))
        self._n_leaves, self._gives_one = self._in_spec.num_leaves, self._out_spec.is_leaf()
        program, self._model = _compile(program, options, begun)
        signature = program.graph_signature
        self._arguments = [_Argument(spec) for spec in signature.input_specs if spec.kind.name == "USER_INPUT"]
        self._values = [_Argument(spec) for spec in signature.output_specs]
        self._leaves = {argument.name: i for i, argument in enumerate(self._arguments)}
        self._state = {tensor.name: self._stored(program, tensor.name) for tensor in self._model.inputs
                       if tensor.name not in self._leaves}
        self._places = [(tensor.name, self._leaves.get(tensor.name)) for tensor in self._model.inputs]
        # The library's inputs are the leaves, one by one.
        self._is_direct = [number for _, number in self._places] == list(range(self._n_leaves))
        self._pick_results()

    @staticmethod
    def _stored(program: Any, name: str) -> Any:
        """A parameter or buffer that the program writes."""
        for stored in (program.state_dict, program.constants):
            if isinstance(stored.get(name), torch.Tensor):
                return stored[name].detach().clone()
        raise UnsupportedError(f"the compiler's input '{name}' is none of the program's")

    def _pick_results(self) -> None:
        """Which result of the library each value is, None: the argument itself; and which are written where."""
        names = [tensor.name for tensor in self._model.outputs]
        self._results: List[Tuple[_Argument, Optional[int]]] = []
        self._written: List[Tuple[int, str]] = []
        at = 0
        for value in self._values:
            is_result = not value.is_constant
            if value.kind == "USER_OUTPUT":
                is_given = value.is_tensor and value.name in self._leaves
                self._results.append((value, at if is_result and not is_given else None))
            at += is_result
        for i, name in enumerate(names):
            target = name[:-len(".next")] if name.endswith(".next") else ""
            if target in self._leaves or target in self._state:
                self._written.append((i, target))
        numbers = [result for value, result in self._results if value.is_tensor and result is not None]
        is_plain = not self._written and len(numbers) == len(self._results)
        self._plain = numbers if is_plain else None  # results of the library and nothing else
        if at > len(names):
            raise UnsupportedError(f"the compiler's results are {names}, and the program has {at}")

    @property
    def inputs(self) -> List[Tensor]:
        return self._model.inputs

    @property
    def outputs(self) -> List[Tensor]:
        return self._model.outputs

    @property
    def writes_state(self) -> bool:
        """Whether it writes parameters or buffers."""
        return bool(self._state)

    def __repr__(self) -> str:
        return repr(self._model)

    def _tensors(self, leaves: Sequence[Any]) -> List[Any]:
        """The library's arguments; a tensor that lies otherwise in memory is copied."""
        picked = []
        for name, number in self._places:
            leaf = self._state[name] if number is None else leaves[number]
            if not isinstance(leaf, torch.Tensor):  # a number
                device = next((other.device for other in leaves if isinstance(other, torch.Tensor)), None)
                leaf = torch.as_tensor(leaf, device=device)
            if leaf.requires_grad:
                leaf = leaf.detach()
            picked.append(leaf if leaf.is_contiguous() else leaf.contiguous())
        return picked

    def _call(self, leaves: Sequence[Any]) -> Tuple[Any, ...]:
        """Leaves are most often as the library takes them. It says of what is not, before anything runs."""
        if self._is_direct and are_tensors(leaves):
            try:
                return self._model.call_flat(leaves)
            except (TypeError, ValueError):
                pass
        return self._model.call_flat(self._tensors(leaves))

    def call_leaves(self, leaves: Sequence[Any]) -> List[Any]:
        """The flat results of a call with flat arguments; what the program writes is written."""
        got = self._call(leaves)
        if self._plain is not None:
            return [got[i] for i in self._plain]
        for i, target in self._written:
            place = leaves[self._leaves[target]] if target in self._leaves else self._state[target]
            place.detach().copy_(got[i])
        results = []
        for value, result in self._results:
            if value.is_constant:
                results.append(value.value)
            elif result is None:
                results.append(leaves[self._leaves[value.name]])
            else:
                results.append(int(got[result]) if value.is_number else got[result])
        return results

    def _flatten(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Sequence[Any]:
        if self._is_flat and len(args) == self._n_leaves and not kwargs and are_tensors(args):
            return args
        ordered = {name: kwargs[name] for name in self._names if name in kwargs}
        leaves, spec = pytree.tree_flatten((args, {**ordered, **kwargs}))
        if spec != self._in_spec:
            raise TypeError(f"the model was exported for arguments {self._in_spec}, got {spec}")
        for leaf, argument in zip(leaves, self._arguments):
            if argument.is_constant and leaf != argument.value:
                raise ValueError(f"{argument.name}: the model was exported for {argument.value!r}, got {leaf!r}")
        return leaves

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = self._flatten(args, kwargs)
        refuse_gradients(leaves)
        return self.nested(self.call_leaves(leaves))

    def nested(self, results: List[Any]) -> Any:
        """Flat results as the program gives them."""
        return results[0] if self._gives_one else pytree.tree_unflatten(results, self._out_spec)

    def explain(self) -> str:
        """What fused with what and why not; bytes and operations of each kernel."""
        return self._model.explain()

    def profile(self, *args: Any, num_iters: int = 10, **kwargs: Any) -> Profile:
        """The launches of a call with their times; print() shows them as a table."""
        return self._model.profile(*self._tensors(self._flatten(args, kwargs)), num_iters=num_iters)

    def save_library(self, path: Any) -> List[str]:
        """Writes lib<name>.so, lib<name>.a, <name>.h and <name>.pc; their paths."""
        return self._model.save_library(path)


def export(module: Any, args: Sequence[Any], kwargs: Optional[Mapping[str, Any]], dynamic_shapes: Any) -> Any:
    """The program of |module| for inference."""
    with _quiet(), _without_lines():
        return torch.export.export(module, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes, strict=False)


def traced(trace: Callable[[Any], Any], exported: Callable[[], Any]) -> Any:
    """trace(torch_trace); or exported(), where that cannot be, or where PyTorch's inner parts are others than it knows."""
    try:
        from . import torch_trace
        return trace(torch_trace)
    except Exception:
        return exported()
