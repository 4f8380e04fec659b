"""Modules of PyTorch, compiled with the weights that they have."""
from __future__ import annotations

import inspect
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import torch
from torch.utils import _pytree as pytree

from .emitted import Profile, Tensor
from .errors import ShapeError, UnsupportedError
from .graphs import numbered
from .options import Options
from .torch_export import ExportedModel, are_tensors, export, options_for, refuse_gradients, traced


def _program_of(module: Any, args: Sequence[Any], kwargs: Optional[Mapping[str, Any]], dynamic_shapes: Any) -> Any:
    def exported() -> Any:
        return export(module, args, kwargs, dynamic_shapes)

    if dynamic_shapes is not None:
        return exported()
    return traced(lambda by: by.of_module(module, args, kwargs or {}, exported), exported)


def compile_module(module: Any, args: Optional[Sequence[Any]], kwargs: Optional[Mapping[str, Any]],
                   dynamic_shapes: Any, options: Options) -> Any:
    """|module| with the weights that it has now."""
    if module.training and len([*module.children(), *module.parameters(), *module.buffers()]) > 0:
        raise UnsupportedError("the module is in training mode: call .eval() first")
    if args is None and kwargs is None:
        if dynamic_shapes is not None:
            raise TypeError("dynamic_shapes: give args too")
        return LazyModel(module, options)
    leaves = pytree.tree_leaves((tuple(args or ()), dict(kwargs or {})))
    return ExportedModel(_program_of(module, args or (), kwargs, dynamic_shapes), options_for(leaves, options))


class _Seen:
    """Calls whose arguments differ in sizes only."""

    def __init__(self, shapes: Tuple[Any, ...]) -> None:
        self.shapes = shapes
        self.varies: List[Set[int]] = [set() for _ in shapes]
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
        self._count = 0

    def _export(self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: Any, varies: Sequence[Any]) -> ExportedModel:
        auto = torch.export.Dim.AUTO
        shapes = [{i: auto for i in dims} if isinstance(leaf, torch.Tensor) and dims else None
                  for leaf, dims in zip(leaves, varies)]
        options = numbered(options_for(leaves, self._options), self._count)
        self._count += 1
        if not any(shapes):
            return ExportedModel(_program_of(self._module, args, kwargs, None), options)
        nested_args, nested_kwargs = pytree.tree_unflatten(shapes, spec)
        names = list(_names_of(self._module, len(args)))
        dynamic = {**dict(zip(names, nested_args)), **nested_kwargs}
        return ExportedModel(export(self._module, args, kwargs, dynamic), options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and are_tensors(args):
            refuse_gradients(args)
            key: Any = tuple([(arg.dtype, arg.get_device(), arg.shape) for arg in args])
            model = self._models.get(key)
            if model is not None:
                self._last = model
                return model.nested(model.call_leaves(args))
        leaves, spec = pytree.tree_flatten((args, kwargs))
        refuse_gradients(leaves)
        if kwargs or not are_tensors(args):
            key = (str(spec), tuple((leaf.dtype, leaf.device, leaf.shape) if isinstance(leaf, torch.Tensor) else leaf
                                    for leaf in leaves))
        results, self._last = self._call(args, kwargs, leaves, spec, key)
        self._models[key] = self._last
        return self._last.nested(results)

    def _call(self, args: Any, kwargs: Any, leaves: Sequence[Any], spec: Any, key: Any) -> Tuple[Any, ExportedModel]:
        """By the model of these sizes, or of all that came so far, or by a new one."""
        if key in self._models:
            return self._models[key].call_leaves(leaves), self._models[key]
        structure = (str(spec), tuple((leaf.dtype, leaf.device, leaf.dim()) if isinstance(leaf, torch.Tensor) else leaf
                                      for leaf in leaves))
        shapes = tuple(leaf.shape if isinstance(leaf, torch.Tensor) else None for leaf in leaves)
        seen = self._seen.setdefault(structure, _Seen(shapes))
        if seen.model is not None:
            try:
                return seen.model.call_leaves(leaves), seen.model
            except ShapeError:
                seen.add(shapes)
        seen.model = self._export(args, kwargs, leaves, spec, seen.varies)
        return seen.model.call_leaves(leaves), seen.model

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


def _names_of(module: Any, n: int) -> List[str]:
    """Of the first |n| parameters of its forward."""
    return list(inspect.signature(module.forward).parameters)[:n]
