"""strata compiles neural networks into small C libraries, and this package calls them.

    net = strata.compile("model.onnx")                  # or an onnx.ModelProto, torch.nn.Module, ExportedProgram
    y = net(x)                                          # arrays of numpy, torch, jax, cupy

    @strata.jit_torch(compile_options={"target": "nvgpu"})
    def f(x): ...                                       # likewise jit_jax, jit_tf

    torch.compile(module, backend="strata")
"""
from __future__ import annotations

import os
from typing import Union

from . import compiler as _compiler
from ._version import VERSION as __version__
from .errors import (CompileError, CompilerNotFound, Fallback, OptionError, RunError, ShapeError, StrataError,
                     UnsupportedError)
from .frontends import compile, jit_jax, jit_tf, jit_torch  # pylint: disable=redefined-builtin
from .emitted import Launch, Library, Profile, Tensor
from .model import CompiledModel

polyblocks_jit_torch, polyblocks_jit_jax, polyblocks_jit_tf = jit_torch, jit_jax, jit_tf

__all__ = ["CompileError", "CompiledModel", "CompilerNotFound", "Fallback", "Launch", "Library", "OptionError", "Profile",
           "RunError", "ShapeError", "StrataError", "Tensor", "UnsupportedError", "compile", "jit_jax", "jit_tf",
           "jit_torch", "load", "polyblocks_jit_jax", "polyblocks_jit_tf", "polyblocks_jit_torch", "version"]


def load(path: Union[str, os.PathLike[str]]) -> Library:
    """A library that strata emitted before, lib<name>.so: a function of arrays. It needs no compiler."""
    return Library(path)


def version() -> str:
    """Those of the compiler, LLVM and the tools it found."""
    return _compiler.run(["--version"])
