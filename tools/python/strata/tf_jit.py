"""jit_tf: functions of TensorFlow, given to the compiler as the ONNX model that tf2onnx makes."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np
import tensorflow as tf

from .errors import UnsupportedError
from .graphs import compile_or_fall_back, numbered
from .model import CompiledModel, Written
from .options import Options


def _to_onnx(function: Any, signature: Sequence[Any]) -> Any:
    """The ONNX model of a tf.function. tf2onnx makes tensors that it captures inputs; they are constants."""
    try:
        import tf2onnx
        from onnx import numpy_helper

        from .tf_ops import HANDLERS
    except ImportError:
        raise UnsupportedError("functions of TensorFlow need tf2onnx: pip install tf2onnx") from None
    graph = function.get_concrete_function(*signature).graph
    if any(output.dtype == tf.bfloat16 for operation in graph.get_operations() for output in operation.outputs):
        raise UnsupportedError("bfloat16, which tf2onnx takes for float16")
    proto = tf2onnx.convert.from_function(function, input_signature=signature, custom_op_handlers=dict(HANDLERS))[0]
    captured = {inner.name: outer for outer, inner in graph.captures}
    for value in [value for value in proto.graph.input if value.name in captured]:
        proto.graph.initializer.append(numpy_helper.from_array(captured[value.name].numpy(), value.name))
        proto.graph.input.remove(value)
    return proto


def _array(tensor: Any) -> np.ndarray:
    """A tensor's own memory; a copy where the buffer protocol has no name for its type."""
    try:
        return np.asarray(memoryview(tensor))
    except (TypeError, ValueError):
        return tensor.numpy()


class TensorFlowFunction:
    """A function of tensors, compiled for each set of shapes and types, or once for its input_signature, in which a size
    that is None varies. What cannot be compiled runs by tf.function, with a warning, or is an error with
    strict_target."""

    def __init__(self, function: Callable[..., Any], input_signature: Optional[Sequence[Any]], options: Options) -> None:
        self._function, self._options, self._signature = function, options, input_signature
        self._own = tf.function(function, input_signature=input_signature)
        self._compiled: Dict[Any, Callable[[Sequence[Any]], Any]] = {}
        self._models: List[CompiledModel] = []
        self.__name__, self.__doc__ = getattr(function, "__name__", "function"), function.__doc__
        self.__wrapped__ = function

    def _build(self, signature: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
        concrete = self._own.get_concrete_function(*([] if self._signature is not None else signature))

        def build() -> Callable[[Sequence[Any]], Any]:
            function = tf.function(lambda *leaves: tf.nest.flatten(self._function(*leaves)), input_signature=signature)
            proto = _to_onnx(function, signature)
            model = CompiledModel(Written(".onnx", lambda file: file.write(proto.SerializeToString(deterministic=True))),
                                  numbered(self._options, len(self._models)))
            self._models.append(model)

            def call(tensors: Sequence[Any]) -> Any:
                results = [tf.convert_to_tensor(result) for result in model.call_flat(list(map(_array, tensors)))]
                return tf.nest.pack_sequence_as(concrete.structured_outputs, results)

            return call

        return compile_or_fall_back(build, lambda tensors: self._own(*tensors), self.__name__, self._options,
                                    (NotImplementedError, ValueError, RuntimeError, ImportError))

    def __call__(self, *args: Any) -> Any:
        tensors = [tf.convert_to_tensor(arg) for arg in args]
        signature = self._signature
        if signature is None:
            signature = [tf.TensorSpec(tensor.shape, tensor.dtype, f"x{i}") for i, tensor in enumerate(tensors)]
        key = tuple((tuple(spec.shape), spec.dtype) for spec in signature)
        call = self._compiled.get(key)
        if call is None:
            call = self._compiled[key] = self._build(signature)
        return call(tensors)

    def explain(self) -> str:
        """Of what was compiled last."""
        return self._models[-1].explain()

    def save_library(self, path: Any) -> List[str]:
        """What was compiled last; the paths of its files."""
        return self._models[-1].save_library(path)
