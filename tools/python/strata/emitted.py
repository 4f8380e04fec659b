"""An emitted library, loaded, called with arrays."""
from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from . import arrays
from .description import DEVICE_TENSORS, EARLIEST, NO_TRACE, OUT_OF_BOUND, TRACE, USER_MEMORY, Description
from .errors import RunError, ShapeError, StrataError
from .sizes import Sizes

Dim = Union[int, str]


class Tensor(NamedTuple):
    """An input or an output. A size that varies is text: a name, or an expression of names."""
    name: str
    dtype: str
    shape: Tuple[Dim, ...]


class Launch(NamedTuple):
    """One launch of a kernel."""
    kernel: str
    nodes: str
    seconds: float
    threads: int
    bytes: int
    flops: int


class Profile(List[Launch]):
    """The launches of a call; as text, a table."""

    def __str__(self) -> str:
        total = sum(launch.seconds for launch in self) or 1.0
        rows = [f"{launch.seconds * 1e6:10.1f} us {launch.seconds / total:6.1%}  {launch.kernel}  {launch.nodes}"
                for launch in self]
        return "\n".join([*rows, f"{sum(launch.seconds for launch in self) * 1e6:10.1f} us        {len(self)} launches"])


class _Plan:
    """What calls with arrays of the same shapes have in common."""
    __slots__ = ("dims", "shapes", "memory_size")

    def __init__(self, dims: Any, shapes: List[Tuple[int, ...]], memory_size: int) -> None:
        self.dims, self.shapes, self.memory_size = dims, shapes, memory_size


def _dlopen(path: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise StrataError(str(error)) from error


class Library:
    """lib<name>.so at |path|."""

    _MOST_PLANS = 4096

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = os.path.abspath(path)
        name = os.path.basename(self.path)
        if not (name.startswith("lib") and name.endswith(".so")):
            raise ValueError(f"{path}: expected lib<name>.so")
        self._dll = _dlopen(self.path)  # keeps it loaded
        describe = getattr(self._dll, name[len("lib"):-len(".so")] + "_library", None)
        if describe is None:
            raise StrataError(f"{path}: not a library that strata emitted")
        describe.restype = ctypes.POINTER(Description)
        self.description = describe().contents
        if self.description.struct_size < EARLIEST or self.description.abi_version < 2:
            raise StrataError(f"{path}: of an earlier version, {self.description.compiler.decode()}")
        self._read()

    def _read(self) -> None:
        description = self.description
        n_inputs, n_outputs = description.n_inputs, description.n_outputs
        infos = [description.inputs[i].contents for i in range(n_inputs)]
        infos += [description.outputs[i].contents for i in range(n_outputs)]
        self.target = description.target.decode()
        self.sizes = Sizes(description)
        self._dims = [tuple(info.shape[:info.rank]) for info in infos]
        specs = []
        for i, (info, dims) in enumerate(zip(infos, self._dims)):
            shape: Tuple[Dim, ...] = dims
            if self.sizes.names and dims:
                texts = description.shapes[i].decode().split(", ")
                shape = tuple(text if dim < 0 else dim for dim, text in zip(dims, texts))
            specs.append(arrays.Spec(info.name.decode(), info.dtype, shape, description.alignment))
        self._in, self._out = specs[:n_inputs], specs[n_inputs:]
        self._true_sizes = self._read_true_sizes()
        own = [spec for i, spec in enumerate(self._out) if i not in self._true_sizes]
        self.inputs, self.outputs = ([Tensor(spec.name, spec.dtype, spec.shape) for spec in part]
                                     for part in (self._in, own if self._cuts else self._out))
        self._positions = {spec.name: i for i, spec in enumerate(self._in)}
        self._pointers = ctypes.c_void_p * (n_inputs + n_outputs)
        self.takes_device_tensors = bool(description.flags & DEVICE_TENSORS)
        self._takes_memory = bool(description.flags & USER_MEMORY)
        self._run, self._error = description.run, description.error
        self._plans: Dict[Tuple[Any, ...], _Plan] = {}
        self._loaded: Set[Optional[int]] = set()
        self._lock = threading.Lock()

    def _read_true_sizes(self) -> List[int]:
        """For each output the number of the output that has its sizes, which depend on data; -1 for the others."""
        description = self.description
        if description.struct_size <= Description.true_sizes.offset or not description.true_sizes:
            return []
        return description.true_sizes[:description.n_outputs]

    @property
    def _cuts(self) -> bool:
        """Whether calls return results of their true sizes: those of a device are not known here when a call ends."""
        return bool(self._true_sizes) and not self.description.flags & DEVICE_TENSORS

    def _cut(self, results: Tuple[Any, ...]) -> Tuple[Any, ...]:
        cut = []
        for i, (result, at) in enumerate(zip(results, self._true_sizes)):
            sizes = [int(size) for size in results[at]] if at >= 0 else []
            if any(size > room for size, room in zip(sizes, result.shape)):
                raise RunError(OUT_OF_BOUND, f"{self._out[i].name}: its sizes are {sizes}, there is room for "
                                             f"{list(result.shape)}")
            if i not in self._true_sizes:
                cut.append(result[tuple(slice(size) for size in sizes)] if sizes else result)
        return tuple(cut)

    def __repr__(self) -> str:
        arguments = ", ".join(map(repr, self._in))
        return f"<strata library: {arguments} -> {', '.join(map(repr, self._out))}; {self.target}>"

    def check(self, status: int) -> None:
        if status:
            raise RunError(status, self._error().decode(errors="replace"))

    # -- Shapes -------------------------------------------------------------------------------------------------------

    def _shape_of(self, index: int, values: Sequence[int]) -> Tuple[int, ...]:
        """At these values of a call; of elements of which a byte has two, that of the bytes."""
        shape = tuple(dim if dim >= 0 else values[-1 - dim] for dim in self._dims[index])
        per_byte = (self._in + self._out)[index].row.per_byte
        if per_byte == 1:
            return shape
        count = 1
        for size in shape:
            count *= size
        return (-(-count // per_byte),)

    def _plan(self, shapes: Tuple[Any, ...]) -> _Plan:
        for spec, dims, shape in zip(self._in, self._dims, shapes):
            if len(shape) != len(dims) and spec.row.per_byte == 1:
                raise ShapeError(f"{spec.name}: expected {len(dims)} dimensions, [{', '.join(map(str, spec.shape))}], "
                                 f"got {tuple(shape)}")
        sizes = self.sizes.find(self._dims, shapes)
        values = self.sizes.values(sizes)
        for i, (spec, shape) in enumerate(zip(self._in, shapes)):
            expected = self._shape_of(i, values)
            if tuple(shape) != expected:
                named = ", ".join(f"{name} = {size}" for name, size in zip(self.sizes.names, sizes))
                raise ShapeError(f"{spec.name}: expected the shape [{', '.join(map(str, spec.shape))}]"
                                 f"{' with ' + named if named else ''}, got {tuple(shape)}")
        dims_array: Any = (ctypes.c_int64 * len(sizes))(*sizes) if sizes else None
        n = len(self._in)
        self._check_ranges(sizes)
        memory_size = self.description.device_memory_size(dims_array) if self._takes_memory else 0
        plan = _Plan(dims_array, [self._shape_of(n + i, values) for i in range(len(self._out))], memory_size)
        if len(self._plans) < self._MOST_PLANS:
            self._plans[shapes] = plan
        return plan

    def _check_ranges(self, sizes: Sequence[int]) -> None:
        for i, size in enumerate(sizes):
            info = self.description.dim_infos[i].contents
            if not info.min <= size <= info.max or size % info.multiple:
                multiple = f" and a multiple of {info.multiple}" if info.multiple > 1 else ""
                raise ShapeError(f"the size '{self.sizes.names[i]}' is {size}: expected {info.min} to {info.max}"
                                 f"{multiple}")

    # -- Calls --------------------------------------------------------------------------------------------------------

    def ordered(self, args: Tuple[Any, ...], named: Dict[str, Any]) -> List[Any]:
        """Arguments in the order of the inputs."""
        missing = object()
        values = [*args, *[missing] * (len(self._in) - len(args))]
        for name, value in named.items():
            at = self._positions.get(name)
            if at is None:
                raise TypeError(f"there is no input '{name}': {', '.join(self._positions)}")
            if values[at] is not missing:
                raise TypeError(f"'{name}' is given twice")
            values[at] = value
        absent = [spec.name for spec, value in zip(self._in, values) if value is missing]
        if absent or len(values) > len(self._in):
            raise TypeError(f"expected {len(self._in)} inputs ({', '.join(self._positions)}), "
                            f"got {len(args) + len(named)}")
        return values

    def _results(self, out: Any, first: Any, plan: _Plan, device: Optional[int],
                 addresses: List[int]) -> Tuple[Any, ...]:
        """Arrays for the results: new ones of the first argument's kind, or |out|. Adds their addresses."""
        if out is not None:
            return self._given(out, plan, device, addresses)
        results = []
        for spec, shape in zip(self._out, plan.shapes):
            result, address = first.empty(spec, shape, device)
            results.append(result)
            addresses.append(address)
        return tuple(results)

    def _given(self, out: Any, plan: _Plan, device: Optional[int], addresses: List[int]) -> Tuple[Any, ...]:
        results = tuple(out) if isinstance(out, (list, tuple)) else (out,)
        if len(results) != len(self._out):
            raise TypeError(f"out: expected {len(self._out)} arrays, got {len(results)}")
        for spec, shape, result in zip(self._out, plan.shapes, results):
            kind = arrays.kind_of(result)
            if kind is arrays.BUFFER:
                raise TypeError(f"out, {spec.name}: expected an array, got {type(result).__name__}")
            address, got, place = kind.read(result, spec)
            if tuple(got) != tuple(shape):
                raise ShapeError(f"out, {spec.name}: expected the shape {tuple(shape)}, got {tuple(got)}")
            if place != device:
                raise TypeError(f"out, {spec.name}: lies on {_place(place)}, the arguments on {_place(device)}")
            if kind is arrays.NUMPY and not result.flags.writeable:
                raise ValueError(f"out, {spec.name}: cannot be written")
            addresses.append(address)
        return results

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        results = self.call(self.ordered(args, named) if named or len(args) != len(self._in) else args, out)
        return results[0] if len(results) == 1 else results

    def call(self, args: Sequence[Any], out: Any = None, times: int = 1) -> Tuple[Any, ...]:
        """The results of a call with an argument for each input. |out|: arrays for them; |times|: that often."""
        if len(args) != len(self._in):
            raise TypeError(f"expected {len(self._in)} inputs ({', '.join(self._positions)}), got {len(args)}")
        addresses, shapes, kept, device, first = [], [], [], None, None
        for value, spec in zip(args, self._in):
            kind = arrays.kind_of(value)
            if kind is arrays.BUFFER:
                kind, value = arrays.NUMPY, arrays.BUFFER.array(value, spec)
                kept.append(value)
            address, shape, place = kind.read(value, spec)
            if first is None:
                first, device = kind, place
            elif place != device:
                raise TypeError(f"{spec.name}: lies on {_place(place)}, the first argument on {_place(device)}")
            addresses.append(address)
            shapes.append(shape)
        first = first or arrays.NUMPY
        key = tuple(shapes)
        plan = self._plans.get(key) or self._plan(key)
        if (device is not None) != self.takes_device_tensors and self._in:
            raise TypeError(self._wrong_place(device))
        if not self.takes_device_tensors:
            return self._call_on_host(addresses, plan, first, out, times)
        with first.on(device or 0):
            return self._enqueue(addresses, plan, first, args[0] if args else None, device or 0, out, times)

    def _call_on_host(self, addresses: List[int], plan: _Plan, kind: Any, out: Any, times: int) -> Tuple[Any, ...]:
        results = self._results(out, kind, plan, None, addresses)
        pointers = self._pointers(*addresses)
        workspace, owner = None, None
        if self._takes_memory:
            workspace, owner = kind.memory(plan.memory_size, None)
            self._load(None, None)
        for _ in range(times):
            status = self._run(pointers, plan.dims, workspace, None)
            if status:
                self.check(status)
        del owner
        return self._cut(results) if self._cuts and out is None else results

    def _enqueue(self, addresses: List[int], plan: _Plan, kind: Any, array: Any, device: int, out: Any,
                 times: int) -> Tuple[Any, ...]:
        """On the framework's stream of the current device; waits for nothing where the caller gives the memory."""
        results = self._results(out, kind, plan, device, addresses)
        pointers = self._pointers(*addresses)
        stream, memory, owner = None, None, None
        if self._takes_memory:
            stream = kind.stream(array, device)
            if plan.memory_size:
                memory, owner = kind.memory(plan.memory_size, device)
            self._load(device, stream)
        else:
            kind.synchronize(device)
        for _ in range(times):
            status = self._run(pointers, plan.dims, memory, stream)
            if status:
                self.check(status)
        del owner  # the framework's allocators keep to the order of the stream
        return results

    def _wrong_place(self, device: Optional[int]) -> str:
        name = self._in[0].name
        if device is None:
            return f"{name}: lies on the host, expected a GPU (the library was compiled with on_gpu_tensors)"
        if self.target == "cpu":
            return f"{name}: lies on a GPU, and the library is for the cpu: compile with target='nvgpu' or 'amdgpu'"
        return f"{name}: lies on a GPU, expected the host: compile with on_gpu_tensors=True"

    def _load(self, device: Optional[int], stream: Optional[int]) -> None:
        """Code and weights onto the device, once."""
        if device in self._loaded:
            return
        with self._lock:
            if device not in self._loaded:
                self.check(self.description.load(None, stream))
                self._loaded.add(device)

    def profile(self, args: Sequence[Any], num_iters: int = 10) -> Profile:
        """The launches of a call, each with the least of its times in so many calls."""
        best: Dict[int, Tuple[int, int]] = {}

        def note(_user: Any, launch: int, threads: int, nanoseconds: int) -> None:
            if launch not in best or nanoseconds < best[launch][0]:
                best[launch] = (nanoseconds, threads)

        self.call(args)
        trace = TRACE(note)
        self.description.set_trace(trace, None)
        try:
            self.call(args, times=num_iters)
        finally:
            self.description.set_trace(NO_TRACE, None)
        rows = Profile()
        for launch, (nanoseconds, threads) in sorted(best.items()):
            number = self.description.launches[launch]
            kernel, nodes = self.description.kernels[number].contents, self.description.nodes[number] or b""
            rows.append(Launch(kernel.name.decode(), nodes.decode(), nanoseconds * 1e-9, threads, kernel.bytes,
                               kernel.flops))
        return rows


def _place(device: Optional[int]) -> str:
    return "the host" if device is None else f"GPU {device}"
