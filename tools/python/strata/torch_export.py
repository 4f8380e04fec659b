"""Exported programs of PyTorch: given to the compiler as the .pt2 that torch.export.save writes, called as they were
exported."""
from __future__ import annotations

import io
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import torch
from torch.utils import _pytree as pytree

from .errors import ShapeError, UnsupportedError
from .library import Profile, Tensor
from .model import Bytes, CompiledModel
from .options import Options

_MUTATIONS = ("BUFFER_MUTATION", "PARAMETER_MUTATION")


def _save(program: Any) -> bytes:
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def refuse_gradients(leaves: Sequence[Any]) -> None:
    """Compiled models compute none."""
    if torch.is_grad_enabled() and any(isinstance(leaf, torch.Tensor) and leaf.requires_grad for leaf in leaves):
        raise UnsupportedError("training: an input or a parameter requires a gradient, which compiled models do not "
                               "compute; call them under torch.no_grad() or torch.inference_mode()")


class _Argument:
    """What an input or output of a program is: a tensor of this name, or a value of Python."""

    def __init__(self, spec: Any) -> None:
        argument = spec.arg
        self.name, self.kind = getattr(argument, "name", ""), spec.kind.name
        self.is_tensor = type(argument).__name__ == "TensorArgument"
        self.is_constant = type(argument).__name__ == "ConstantArgument"
        self.value = getattr(argument, "value", None)
        self.target = spec.target
        if not self.is_tensor and not self.is_constant:
            raise UnsupportedError(f"'{self.name}' is no tensor: {type(argument).__name__}")


class ExportedModel:
    """A torch.export.ExportedProgram, compiled: takes and gives what it does, nested as it was exported."""

    def __init__(self, program: Any, options: Options) -> None:
        signature = program.graph_signature
        self._arguments = [_Argument(spec) for spec in signature.input_specs if spec.kind.name == "USER_INPUT"]
        self._values = [_Argument(spec) for spec in signature.output_specs]
        for value in self._values:
            if value.kind in _MUTATIONS:
                raise UnsupportedError(f"the model changes its buffer '{value.target}'")
        self._in_spec, self._out_spec = program.call_spec.in_spec, program.call_spec.out_spec
        self._names = list(pytree.tree_unflatten(list(range(self._in_spec.num_leaves)), self._in_spec)[1])
        import os
        if os.environ.get("PF_ONNX"):
            def onnx():
                return torch.onnx.export(program, dynamo=True, optimize=True, verbose=False).model_proto.SerializeToString()
            self._model = CompiledModel(Bytes(".onnx", onnx), options)
        else:
            self._model = CompiledModel(Bytes(".pt2", lambda: _save(program)), options)
        self._pick_arguments()
        self._pick_results()

    def _pick_arguments(self) -> None:
        """Which leaf of a call each input of the library is."""
        numbers = {argument.name: i for i, argument in enumerate(self._arguments)}
        names = [tensor.name for tensor in self._model.inputs]
        if len(names) == len(numbers) and any(name not in numbers for name in names):
            names = list(numbers)
        if any(name not in numbers for name in names):
            raise UnsupportedError(f"the compiler's inputs are {names}, those of the model {list(numbers)}")
        self._leaves = [numbers[name] for name in names]

    def _pick_results(self) -> None:
        """Which result of the library, or which leaf of the call, each value is."""
        names = [tensor.name for tensor in self._model.outputs]
        leaves = {argument.name: i for i, argument in enumerate(self._arguments)}
        tensors = [value for value in self._values if value.is_tensor]
        by_order = len(names) == len(tensors)
        self._results: List[Tuple[_Argument, Optional[int], Optional[int]]] = []
        for value in self._values:
            result = leaf = None
            if value.is_tensor and value.kind == "USER_OUTPUT" and value.name in leaves:
                leaf = leaves[value.name]
            elif value.is_tensor and value.name in names:
                result = names.index(value.name)
            elif value.is_tensor and by_order:
                result = tensors.index(value)
            elif value.is_tensor:
                raise UnsupportedError(f"the compiler's results are {names}, and '{value.name}' is none of them")
            self._results.append((value, result, leaf))

    @property
    def inputs(self) -> List[Tensor]:
        return self._model.inputs

    @property
    def outputs(self) -> List[Tensor]:
        return self._model.outputs

    def __repr__(self) -> str:
        return repr(self._model)

    def _tensors(self, leaves: Sequence[Any]) -> List[Any]:
        """The library's arguments; a tensor that lies otherwise in memory is copied."""
        picked = []
        for i in self._leaves:
            leaf = leaves[i]
            if not isinstance(leaf, torch.Tensor):
                leaf = torch.as_tensor(leaf)
            picked.append(leaf.detach().contiguous())
        return picked

    def call_leaves(self, leaves: Sequence[Any]) -> List[Any]:
        """The flat results of a call with flat arguments; what the model writes into its arguments is written."""
        got = self._model.call_flat(self._tensors(leaves))
        results = []
        for value, result, leaf in self._results:
            if value.kind == "USER_INPUT_MUTATION":
                leaves[self._number_of(value.target)].copy_(got[result])
            elif value.is_constant:
                results.append(value.value)
            else:
                results.append(leaves[leaf] if result is None else got[result])
        return results

    def _number_of(self, name: str) -> int:
        return next(i for i, argument in enumerate(self._arguments) if argument.name == name)

    def _flatten(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> List[Any]:
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
        return pytree.tree_unflatten(self.call_leaves(leaves), self._out_spec)

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
    with torch.no_grad():
        return torch.export.export(module, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes, strict=False)


def compile_module(module: Any, args: Optional[Sequence[Any]], kwargs: Optional[Mapping[str, Any]],
                   dynamic_shapes: Any, options: Options) -> Any:
    """|module| with the weights that it has now."""
    if module.training and any(True for _ in module.children()):
        raise UnsupportedError("the module is in training mode: call .eval() first")
    if args is None and kwargs is None:
        if dynamic_shapes is not None:
            raise TypeError("dynamic_shapes: give args too")
        return LazyModel(module, options)
    return ExportedModel(export(module, args or (), kwargs, dynamic_shapes), options)


class _Seen:
    """Calls whose arguments differ in sizes only."""

    def __init__(self, shapes: Tuple[Any, ...]) -> None:
        self.shapes = shapes
        self.varies = [set() for _ in shapes]
        self.model: Optional[ExportedModel] = None

    def add(self, shapes: Tuple[Any, ...]) -> None:
        for first, shape, varies in zip(self.shapes, shapes, self.varies):
            if shape is not None:
                varies.update(i for i, (a, b) in enumerate(zip(first, shape)) if a != b)


class LazyModel:
    """A torch.nn.Module that is exported when it is called: at first for the sizes of that call; where later calls have
    other ones, those that differ vary."""

    def __init__(self, module: Any, options: Options) -> None:
        self._module, self._options = module, options
        self._seen: Dict[Any, _Seen] = {}
        self._models: Dict[Any, ExportedModel] = {}
        self._last: Optional[ExportedModel] = None

    def _export(self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: Any, varies: Sequence[Any]) -> ExportedModel:
        auto = torch.export.Dim.AUTO
        shapes = [{i: auto for i in dims} if isinstance(leaf, torch.Tensor) and dims else None
                  for leaf, dims in zip(leaves, varies)]
        if not any(shapes):
            return ExportedModel(export(self._module, args, kwargs, None), self._options)
        nested_args, nested_kwargs = pytree.tree_unflatten(shapes, spec)
        names = list(_names_of(self._module, len(args)))
        dynamic = {**dict(zip(names, nested_args)), **nested_kwargs}
        return ExportedModel(export(self._module, args, kwargs, dynamic), self._options)

    def _model_for(self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: Any, key: Any) -> ExportedModel:
        structure = (spec_key(spec), tuple(kind for kind, _ in key))
        shapes = tuple(shape for _, shape in key)
        seen = self._seen.get(structure)
        if seen is None:
            seen = self._seen[structure] = _Seen(shapes)
        elif seen.model is not None:
            seen.add(shapes)
        seen.model = self._export(args, kwargs, leaves, spec, seen.varies)
        return seen.model

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, spec = pytree.tree_flatten((args, kwargs))
        refuse_gradients(leaves)
        key = tuple(((leaf.dtype, leaf.device.type, leaf.dim()), tuple(leaf.shape)) if isinstance(leaf, torch.Tensor)
                    else (leaf, None) for leaf in leaves)
        model = self._models.get((spec_key(spec), key))
        if model is None:
            seen = self._seen.get((spec_key(spec), tuple(kind for kind, _ in key)))
            try:
                if seen is None or seen.model is None:
                    raise ShapeError("new")
                results = seen.model.call_leaves(leaves)
                model = seen.model
            except ShapeError:
                model = self._model_for(args, kwargs, leaves, spec, key)
                results = model.call_leaves(leaves)
            self._models[spec_key(spec), key] = model
        else:
            results = model.call_leaves(leaves)
        self._last = model
        return pytree.tree_unflatten(results, model._out_spec)

    def _compiled(self) -> ExportedModel:
        if self._last is None:
            raise UnsupportedError("not compiled yet: call it, or give compile() the args to export it with")
        return self._last

    @property
    def inputs(self) -> List[Tensor]:
        return self._compiled().inputs

    @property
    def outputs(self) -> List[Tensor]:
        return self._compiled().outputs

    def explain(self) -> str:
        """Of the last call's library."""
        return self._compiled().explain()

    def profile(self, *args: Any, num_iters: int = 10, **kwargs: Any) -> Profile:
        """The launches of a call with their times; print() shows them as a table."""
        self(*args, **kwargs)
        return self._compiled().profile(*args, num_iters=num_iters, **kwargs)

    def save_library(self, path: Any) -> List[str]:
        """The last call's library; the paths of its files."""
        return self._compiled().save_library(path)


def spec_key(spec: Any) -> str:
    return str(spec)


def _names_of(module: Any, n: int) -> List[str]:
    """Of the first |n| parameters of its forward."""
    import inspect
    return list(inspect.signature(module.forward).parameters)[:n]
