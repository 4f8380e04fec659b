"""Exported programs as the .pt2 that torch.export.save writes, in a tenth of its time: of those whose sizes are all
numbers, and of the parts of the schema (torch/_export/serde/schema.py, version 8) that the compiler reads."""
from __future__ import annotations

import json
import math
import operator
import zipfile
from typing import Any, BinaryIO, Callable, Dict, List, NamedTuple, Tuple

import torch

_DTYPES = {getattr(torch, name): code for name, code in (
    ("uint8", 1), ("int8", 2), ("int16", 3), ("int32", 4), ("int64", 5), ("float16", 6), ("float32", 7),
    ("float64", 8), ("complex32", 9), ("complex64", 10), ("complex128", 11), ("bool", 12), ("bfloat16", 13),
    ("uint16", 28), ("float8_e4m3fn", 29), ("float8_e5m2", 30), ("float8_e4m3fnuz", 31), ("float8_e5m2fnuz", 32))
    if hasattr(torch, name)}
_STRIDED, _CONTIGUOUS = 7, 1  # codes of a layout and of a memory format
_LIST_KINDS = (("BoolType", "as_bools"), ("IntType", "as_ints"), ("SymIntType", "as_ints"), ("FloatType", "as_floats"),
               ("StringType", "as_strings"), ("TensorType", "as_tensors"))
Json = Dict[str, Any]


class NotSimple(Exception):
    """Something that is left to torch.export.save."""


#===-- Tensors ---------------------------------------------------------------------------------------------------------

def _size(value: Any) -> Json:
    if type(value) is not int:
        raise NotSimple(f"a size is {value}")
    return {"as_int": value}


class Form(NamedTuple):
    """What is said of a tensor."""
    dtype: Any
    shape: Tuple[Any, ...]
    strides: Tuple[Any, ...]
    offset: Any
    device: str


def form_of(value: Any) -> Form:
    """Of a tensor, or what a node has of one."""
    if isinstance(value, Form):
        return value
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        raise NotSimple(f"a value is {type(value).__name__}")
    return Form(value.dtype, tuple(value.shape), value.stride(), value.storage_offset(), value.device.type)


def _meta(form: Form) -> Json:
    return {"dtype": _code(form.dtype), "sizes": list(map(_size, form.shape)), "strides": list(map(_size, form.strides)),
            "storage_offset": _size(form.offset), "layout": _STRIDED, "requires_grad": False,
            "device": {"type": form.device, "index": None}}


#===-- Arguments -------------------------------------------------------------------------------------------------------

def _code(dtype: Any) -> int:
    if dtype not in _DTYPES:
        raise NotSimple(f"{dtype} has no code")
    return _DTYPES[dtype]


def _float(value: float) -> Any:
    """JSON has no infinities."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


_ALONE: Dict[type, Callable[[Any], Json]] = {
    bool: lambda value: {"as_bool": value},
    int: lambda value: {"as_int": value},
    float: lambda value: {"as_float": _float(value)},
    complex: lambda value: {"as_complex": {"real": _float(value.real), "imag": _float(value.imag)}},
    str: lambda value: {"as_string": value},
    type(None): lambda value: {"as_none": True},
    torch.dtype: lambda value: {"as_scalar_type": _code(value)},
    torch.device: lambda value: {"as_device": {"type": value.type, "index": None}},
    torch.layout: lambda value: {"as_layout": _STRIDED},
    torch.memory_format: lambda value: {"as_memory_format": _CONTIGUOUS},
}
_LISTS: Dict[type, Tuple[str, Callable[[Any], Any]]] = {
    bool: ("as_bools", bool), int: ("as_ints", int), float: ("as_floats", _float), str: ("as_strings", str)}


def _empty_list(kind: Any) -> Json:
    while hasattr(kind, "getElementType") and type(kind).__name__ == "OptionalType":
        kind = kind.getElementType()
    element = kind.getElementType() if hasattr(kind, "getElementType") else kind
    if type(element).__name__ == "OptionalType":
        element = element.getElementType()
    for name, form in _LIST_KINDS:
        if type(element).__name__ == name:
            return {form: []}
    raise NotSimple(f"an empty list of {element}")


class _Writer:
    def __init__(self, program: Any) -> None:
        self._program = program
        self._tensors: Json = {}
        self._same: Dict[str, str] = {}  # names of elements of results that are taken twice

    def _tensor(self, node: Any) -> Json:
        name = self._same.get(node.name, node.name)
        if name not in self._tensors:
            raise NotSimple(f"{name} is no tensor")
        return {"name": name}

    def _argument(self, value: Any, kind: Any) -> Json:
        if isinstance(value, torch.fx.Node):
            return {"as_tensor": self._tensor(value)}
        if isinstance(value, (list, tuple)):
            return self._list(value, kind)
        alone = _ALONE.get(type(value))
        if alone is None or (isinstance(value, torch.layout) and value is not torch.strided):
            raise NotSimple(f"an argument is a {type(value).__name__}")
        return alone(value)

    def _list(self, values: Any, kind: Any) -> Json:
        kinds = set(map(type, values))
        if not kinds:
            return _empty_list(kind)
        if kinds == {torch.fx.Node}:
            return {"as_tensors": list(map(self._tensor, values))}
        if kinds == {torch.fx.Node, type(None)}:
            return {"as_optional_tensors": [{"as_none": True} if value is None else {"as_tensor": self._tensor(value)}
                                            for value in values]}
        if len(kinds) > 1 or not kinds <= set(_LISTS):
            raise NotSimple(f"an argument is a list of {', '.join(sorted(each.__name__ for each in kinds))}")
        form, convert = _LISTS[kinds.pop()]
        return {form: list(map(convert, values))}

    #===-- Nodes -------------------------------------------------------------------------------------------------------

    def _inputs(self, node: Any) -> List[Json]:
        written = []
        for i, argument in enumerate(node.target._schema.arguments):
            if argument.name in node.kwargs:
                value = node.kwargs[argument.name]
            elif i < len(node.args) and not argument.kwarg_only:
                value = node.args[i]
            else:
                continue  # the default
            written.append({"name": argument.name, "arg": self._argument(value, argument.type)})
        return written

    def _result(self, name: str, value: Any) -> Json:
        self._tensors[name] = _meta(form_of(value))
        return {"name": name}

    def _elements(self, node: Any, values: Any) -> List[Json]:
        """Results of a node that has several, by the names of the nodes that take them out."""
        names: Dict[int, str] = {}
        for user in node.users:
            if user.target is not operator.getitem:
                raise NotSimple(f"{node.name} is used as a whole")
            first = names.setdefault(user.args[1], user.name)
            self._same[user.name] = first
        return [self._result(names.get(i, f"{node.name}_unused_{i}"), value) for i, value in enumerate(values)]

    def _outputs(self, node: Any) -> List[Json]:
        returns, value = node.target._schema.returns, node.meta.get("val")
        if not returns:
            return []
        if isinstance(value, (torch.Tensor, Form)):
            return [{"as_tensor": self._result(node.name, value)}]
        if not isinstance(value, (list, tuple)):
            raise NotSimple(f"{node.name} is a {type(value).__name__}")
        elements = self._elements(node, value)
        return [{"as_tensors": elements}] if len(returns) == 1 else [{"as_tensor": element} for element in elements]

    def _node(self, node: Any) -> Json:
        if not isinstance(node.target, torch._ops.OpOverload):
            raise NotSimple(f"{node.name} calls {node.target}")
        inputs = self._inputs(node)
        return {"target": f"torch.ops.{node.target}", "name": node.name, "inputs": inputs, "outputs": self._outputs(node)}

    #===-- The program -------------------------------------------------------------------------------------------------

    def _input_spec(self, spec: Any) -> Json:
        argument = {"name": spec.arg.name}
        kind = spec.kind.name
        if type(spec.arg).__name__ != "TensorArgument":
            raise NotSimple(f"{spec.arg.name} is a {type(spec.arg).__name__}")
        if kind == "USER_INPUT":
            return {"user_input": {"arg": {"as_tensor": argument}}}
        for name, form, key in (("PARAMETER", "parameter", "parameter_name"), ("BUFFER", "buffer", "buffer_name"),
                                ("CONSTANT_TENSOR", "tensor_constant", "tensor_constant_name")):
            if kind == name:
                return {form: {"arg": argument, key: spec.target}}
        raise NotSimple(f"{spec.arg.name} is an input of kind {kind}")

    def _output_spec(self, spec: Any) -> Json:
        if type(spec.arg).__name__ != "TensorArgument":
            raise NotSimple(f"a result is a {type(spec.arg).__name__}")
        argument = {"name": self._same.get(spec.arg.name, spec.arg.name)}
        if spec.kind.name == "USER_OUTPUT":
            return {"user_output": {"arg": {"as_tensor": argument}}}
        if spec.kind.name in ("BUFFER_MUTATION", "USER_INPUT_MUTATION"):
            form = spec.kind.name.lower()
            return {form: {"arg": argument, form.replace("mutation", "name"): spec.target}}
        raise NotSimple(f"a result is of kind {spec.kind.name}")

    def model(self) -> Json:
        signature, graph = self._program.graph_signature, self._program.graph_module.graph
        if self._program.range_constraints:
            raise NotSimple("sizes vary")
        nodes, results = [], []
        for node in graph.nodes:
            if node.op == "placeholder":
                self._result(node.name, node.meta.get("val"))
            elif node.op == "output":
                results = [{"as_tensor": self._tensor(value)} if isinstance(value, torch.fx.Node) else None
                           for value in node.args[0]]
            elif node.op != "call_function":
                raise NotSimple(f"{node.name} is of kind {node.op}")
            elif node.target is not operator.getitem:
                nodes.append(self._node(node))
        inputs = [{"as_tensor": {"name": spec.arg.name}} for spec in signature.input_specs]
        specs = {"input_specs": list(map(self._input_spec, signature.input_specs)),
                 "output_specs": list(map(self._output_spec, signature.output_specs))}
        written = {"inputs": inputs, "outputs": results, "nodes": nodes, "tensor_values": self._tensors,
                   "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "custom_obj_values": {},
                   "is_single_tensor_return": False}
        return {"graph_module": {"graph": written, "signature": specs, "module_call_graph": []}, "opset_version": {},
                "range_constraints": {}, "schema_version": {"major": 8, "minor": 0}, "torch_version": torch.__version__}


#===-- The archive -----------------------------------------------------------------------------------------------------

def _bytes(tensor: Any) -> memoryview:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.is_quantized:
        raise NotSimple(f"a stored tensor is a {type(tensor).__name__}")
    return memoryview(tensor.detach().cpu().resolve_neg().contiguous().reshape(-1).view(torch.uint8).numpy())


def _contiguous_strides(shape: Any) -> Tuple[int, ...]:
    strides: List[int] = []
    step = 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return tuple(strides)


def _add(archive: zipfile.ZipFile, name: str, data: Any) -> None:
    """At no time: the bytes are a key of the cache."""
    archive.writestr(zipfile.ZipInfo(f"archive/{name}"), data)


def _add_tensors(archive: zipfile.ZipFile, folder: str, prefix: str, tensors: Dict[str, Any]) -> None:
    """A file for each, those that share their memory one."""
    config: Json = {}
    paths: Dict[Any, str] = {}
    for name, tensor in tensors.items():
        meta = _meta(form_of(tensor)._replace(strides=_contiguous_strides(tensor.shape), offset=0))
        place = (tensor.device, tensor.data_ptr() if tensor.numel() else name, tensor.dtype, tensor.shape, tensor.stride())
        path = paths.get(place)
        if path is None:
            path = paths[place] = f"{prefix}_{len(paths)}"
            _add(archive, f"data/{folder}/{path}", _bytes(tensor))
        config[name] = {"path_name": path, "is_param": isinstance(tensor, torch.nn.Parameter), "use_pickle": False,
                        "tensor_meta": meta}
    _add(archive, f"data/{folder}/model_{folder}_config.json", json.dumps({"config": config}))


def dump(program: Any, file: BinaryIO) -> None:
    """Writes the archive; NotSimple where torch.export.save is to write it."""
    model = json.dumps(_Writer(program).model())
    stored = {spec.target for spec in program.graph_signature.input_specs if spec.target is not None}
    constants = {name: value for name, value in program.constants.items() if name in stored}
    weights = {name: value for name, value in program.state_dict.items() if name in stored and name not in constants}
    with zipfile.ZipFile(file, "w") as archive:
        _add(archive, "byteorder", "little")
        _add(archive, "models/model.json", model)
        _add_tensors(archive, "weights", "weight", weights)
        _add_tensors(archive, "constants", "tensor", constants)
