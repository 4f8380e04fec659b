"""Operators of TensorFlow that tf2onnx leaves as they are, made of ONNX's."""
from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
from tf2onnx import utils


class _Builder:
    """Adds nodes in front of the one that they replace."""

    def __init__(self, graph: Any, node: Any) -> None:
        self._graph, self._name = graph, node.name
        self._type = utils.map_onnx_to_numpy_type(graph.get_dtype(node.input[0]))

    def constant(self, value: float) -> str:
        return self._graph.make_const(utils.make_name(self._name), np.array(value, self._type)).output[0]

    def __getattr__(self, operator: str) -> Callable[..., str]:
        return lambda *inputs: self._graph.make_node(operator, list(inputs)).output[0]


def _erfc(b: Any, x: str) -> str:
    return b.Sub(b.constant(1), b.Erf(x))


def _expm1(b: Any, x: str) -> str:
    """exp(x) - 1 loses small x."""
    half = b.Mul(x, b.constant(0.5))
    small = b.Mul(b.constant(2), b.Mul(b.Exp(half), b.Sinh(half)))
    return b.Where(b.Less(b.Abs(x), b.constant(1)), small, b.Sub(b.Exp(x), b.constant(1)))


def _log1p(b: Any, x: str) -> str:
    """log(1 + x) loses small x."""
    small = b.Mul(b.constant(2), b.Atanh(b.Div(x, b.Add(x, b.constant(2)))))
    return b.Where(b.Less(b.Abs(x), b.constant(0.5)), small, b.Log(b.Add(x, b.constant(1))))


def _xlogy(b: Any, x: str, y: str) -> str:
    zero = b.constant(0)
    return b.Where(b.Equal(x, zero), zero, b.Mul(x, b.Log(y)))


_BUILDERS: Dict[str, Callable[..., str]] = {"Erfc": _erfc, "Expm1": _expm1, "Log1p": _log1p, "Xlogy": _xlogy}


def _replace(build: Callable[..., str], graph: Any, node: Any, _name: str, _args: List[Any]) -> None:
    graph.replace_all_inputs(node.output[0], build(_Builder(graph, node), *node.input))
    graph.remove_node(node.name)


# As tf2onnx takes them.
HANDLERS: Dict[str, Tuple[Callable[..., None], List[Any]]] = {
    operator: (functools.partial(_replace, build), []) for operator, build in _BUILDERS.items()}
