"""jit_jax: functions of jax, given to the compiler as the StableHLO that jax.export makes."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Tuple

import jax
import numpy as np

from .errors import CompileError, UnsupportedError
from .graphs import compile_or_fall_back, numbered
from .model import CompiledModel, Written
from .options import Options


def module_text(function: Callable[..., Any], leaves: Sequence[Any]) -> str:
    """The StableHLO of a function of arrays, in the generic form of MLIR, which readers without its dialects take."""
    from jax import export
    exported = export.export(jax.jit(function))(*[jax.ShapeDtypeStruct(np.shape(leaf), leaf.dtype) for leaf in leaves])
    from jax._src.interpreters import mlir
    from jax.extend.mlir import ir
    with mlir.make_ir_context():
        module = ir.Module.parse(exported.mlir_module())
        return str(module.operation.get_asm(print_generic_op_form=True, assume_verified=True))


def _compile(text: str, options: Options) -> CompiledModel:
    try:
        return CompiledModel(Written(".mlir", lambda file: file.write(text.encode())), options)
    except CompileError as error:
        if "unregistered dialect" in str(error):
            raise UnsupportedError("this version of the compiler does not read StableHLO") from error
        raise


class JaxFunction:
    """A function of jax arrays, nested as jax allows; compiled for each set of shapes and types. What cannot be compiled
    runs by jax.jit, with a warning, or is an error with strict_target."""

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        self._function, self._options = function, options
        self._static = options.static_argnums
        self._compiled: Dict[Any, Callable[[Sequence[Any]], Any]] = {}
        self._models: List[CompiledModel] = []
        self.__name__, self.__doc__ = getattr(function, "__name__", "function"), function.__doc__
        self.__wrapped__ = function

    def _split(self, args: Tuple[Any, ...]) -> Tuple[List[Any], Dict[int, Any]]:
        """Arrays, and the arguments that are values of Python."""
        numbers = {number % len(args) if args else number for number in self._static}
        return ([arg for i, arg in enumerate(args) if i not in numbers],
                {i: arg for i, arg in enumerate(args) if i in numbers})

    def _flat(self, tree: Any, static: Dict[int, Any], n_args: int) -> Tuple[Callable[..., Any], Dict[str, Any]]:
        """The function with flat arrays in and out, and where it leaves the shape of what it returned."""
        found: Dict[str, Any] = {}

        def flat(*leaves: Any) -> Any:
            dynamic, kwargs = jax.tree_util.tree_unflatten(tree, leaves)
            rest = iter(dynamic)
            args = [static[i] if i in static else next(rest) for i in range(n_args)]
            results, found["tree"] = jax.tree_util.tree_flatten(self._function(*args, **kwargs))
            return results

        return flat, found

    def _build(self, leaves: Sequence[Any], tree: Any, static: Dict[int, Any], n_args: int) -> Callable[..., Any]:
        flat, found = self._flat(tree, static, n_args)

        def build() -> Callable[..., Any]:
            text = module_text(flat, leaves)
            model = _compile(text, numbered(self._options, len(self._models)))
            self._models.append(model)
            return lambda arrays: jax.tree_util.tree_unflatten(found["tree"], model.call_flat(arrays))

        jitted = jax.jit(flat)
        own = lambda arrays: jax.tree_util.tree_unflatten(found["tree"], jitted(*arrays))  # noqa: E731
        return compile_or_fall_back(build, own, self.__name__, self._options, (NotImplementedError, ImportError))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        dynamic, static = self._split(args)
        leaves, tree = jax.tree_util.tree_flatten((dynamic, kwargs))
        leaves = [leaf if isinstance(leaf, jax.Array) else jax.numpy.asarray(leaf) for leaf in leaves]
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return self._function(*args, **kwargs)  # inside of jax.jit, jax.grad, …: a part of what these make
        key = (tree, len(args), tuple(sorted(static.items())), tuple((leaf.shape, leaf.dtype) for leaf in leaves))
        call = self._compiled.get(key)
        if call is None:
            call = self._compiled[key] = self._build(leaves, tree, static, len(args))
        return call(leaves)

    def _last(self) -> CompiledModel:
        if not self._models:
            raise RuntimeError(f"{self.__name__} is not compiled: call it first")
        return self._models[-1]

    def explain(self) -> str:
        """Of what was compiled last."""
        return self._last().explain()

    def save_library(self, path: Any) -> List[str]:
        """What was compiled last; the paths of its files."""
        return self._last().save_library(path)
