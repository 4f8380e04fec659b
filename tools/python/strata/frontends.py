"""compile() and the decorators: what a model may be. Frameworks are imported only where they are used."""
from __future__ import annotations

import os
import sys
from typing import Any, Callable, Mapping, Optional, Sequence

from .model import CompiledModel, Source, Written, check_target
from .options import Options


def _is(module: str, name: str, value: Any) -> bool:
    """Whether |value| is of a class of a module that somebody has imported."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name, ()))


def compile(model: Any, args: Optional[Sequence[Any]] = None, kwargs: Optional[Mapping[str, Any]] = None, *,
            dynamic_shapes: Any = None, target: Optional[str] = None, **compile_options: Any) -> Any:
    """Compiles |model|: the path of a file that the compiler reads, an onnx.ModelProto, a torch.export.ExportedProgram, or
    a torch.nn.Module. Returns a function of arrays.

    args, kwargs, dynamic_shapes: of a torch.nn.Module, what it is exported with, as torch.export.export takes them.
    Without args it is exported when it is first called.
    """
    options = check_target(Options({**compile_options, "target": target}))
    if isinstance(model, (str, os.PathLike)):
        _refuse(args, kwargs, dynamic_shapes, "a file")
        return CompiledModel(Source(model), options)
    if _is("onnx", "ModelProto", model):
        _refuse(args, kwargs, dynamic_shapes, "an onnx.ModelProto")
        return CompiledModel(Written(".onnx", lambda file: file.write(model.SerializeToString(deterministic=True))), options)
    if _is("torch.nn", "Module", model) or _is("torch.export", "ExportedProgram", model):
        from . import torch_export, torch_modules
        if _is("torch.export", "ExportedProgram", model):
            _refuse(args, kwargs, dynamic_shapes, "an ExportedProgram")
            return torch_export.ExportedModel(model, options)
        return torch_modules.compile_module(model, args, kwargs, dynamic_shapes, options)
    hint = ": use jit_torch, jit_jax or jit_tf for a function" if callable(model) else ""
    raise TypeError(f"model: expected a path, an onnx.ModelProto, a torch.nn.Module or an ExportedProgram, "
                    f"got {type(model).__name__}{hint}")


def _refuse(args: Any, kwargs: Any, dynamic_shapes: Any, what: str) -> None:
    for name, value in (("args", args), ("kwargs", kwargs), ("dynamic_shapes", dynamic_shapes)):
        if value is not None:
            raise TypeError(f"{name}: of a torch.nn.Module, got {what}")


def _decorator(make: Callable[[Any, Options], Any], function: Any, compile_options: Any) -> Any:
    """@jit, @jit() and @jit(compile_options={...}) are all it may look like."""
    if function is not None and not callable(function):
        raise TypeError(f"expected a function, got {type(function).__name__}; options are compile_options={{...}}")
    options = check_target(Options(compile_options))
    return make(function, options) if function is not None else lambda decorated: make(decorated, options)


def jit_torch(function: Any = None, *, compile_options: Optional[Mapping[str, Any]] = None,
              dynamic: Optional[bool] = None, fullgraph: bool = False) -> Any:
    """A function of torch.Tensors, or a torch.nn.Module, compiled graph by graph when it is called. What is unsupported
    runs in PyTorch, with a warning, or is an error with strict_target. |dynamic|, |fullgraph|: as torch.compile's."""
    def make(decorated: Any, options: Options) -> Any:
        from . import torch_backend
        return torch_backend.jit(decorated, options, dynamic, fullgraph)
    return _decorator(make, function, compile_options)


def jit_jax(function: Any = None, *, compile_options: Optional[Mapping[str, Any]] = None) -> Any:
    """A function of jax arrays, compiled when it is called with arrays of new shapes or types."""
    def make(decorated: Any, options: Options) -> Any:
        from . import jax_jit
        return jax_jit.JaxFunction(decorated, options)
    return _decorator(make, function, compile_options)


def jit_tf(function: Any = None, input_signature: Optional[Sequence[Any]] = None, *,
           compile_options: Optional[Mapping[str, Any]] = None) -> Any:
    """A function of tensors of TensorFlow, compiled when it is called with tensors of new shapes or types.
    |input_signature|: as tf.function's."""
    if isinstance(function, (list, tuple)):  # @polyblocks_jit_tf([tf.TensorSpec(...)], compile_options={...})
        function, input_signature = None, function

    def make(decorated: Any, options: Options) -> Any:
        from . import tf_jit
        return tf_jit.TensorFlowFunction(decorated, input_signature, options)
    return _decorator(make, function, compile_options)
