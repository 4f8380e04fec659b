"""Arrays of all frameworks: where their data lies, and arrays for results.

A kind (one a framework) has

    read(array, spec)              the address, the shape, and the device, None for the host; an error names spec.name
    empty(spec, shape, device)     an array for a result, and its address; |device| is the current one, as for memory()
    memory(size, device)           bytes for intermediate values, aligned to 256; their address and what owns them
    stream(array, device)          the framework's current one, as a number
    on(device)                     a context in which |device| is the current one
    synchronize(device)            waits for what the framework does there
    has_stream                     whether memory and a stream are to be had of it; else the library has its own

kind_of(array) finds it by the array's type. Nothing imports a framework that the caller has not.
"""
from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from . import contexts, dtypes

MEMORY_ALIGNMENT = 256
Place = Tuple[int, Sequence[int], Optional[int]]


class Spec:
    """What an argument must be. |shape| is for people: numbers and names of sizes."""

    def __init__(self, name: str, number: int, shape: Tuple[Any, ...], alignment: int) -> None:
        self.name, self.shape, self.alignment = name, shape, alignment
        self.row = dtypes.TABLE[number]
        self.dtype = self.row.name
        self.numpy = dtypes.to_numpy(self.row)
        self.itemsize = self.numpy.itemsize
        self.torch = None  # once a tensor comes
        self._taken = {self.numpy}  # numpy's types that were found to be right

    def check_numpy(self, dtype: np.dtype) -> None:
        if dtype not in self._taken:
            if not dtypes.is_numpy(self.row, dtype):
                raise self.wrong_type(dtype)
            self._taken.add(dtype)

    def __repr__(self) -> str:
        return f"{self.name}: {self.dtype} [{', '.join(map(str, self.shape))}]"

    def wrong_type(self, got: Any) -> TypeError:
        return TypeError(f"{self.name}: expected {self.row.numpy}, got {got}")

    def not_contiguous(self, how: str) -> ValueError:
        return ValueError(f"{self.name}: expected an array whose elements lie one behind the other in memory, row by "
                          f"row: {how}")


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Numpy:
    """numpy, and everything that has the buffer protocol."""
    name = "numpy"
    has_stream = False

    @staticmethod
    def read(array: np.ndarray, spec: Spec) -> Place:
        if array.dtype is not spec.numpy:
            spec.check_numpy(array.dtype)
        if not array.flags.c_contiguous:
            raise spec.not_contiguous(f"np.ascontiguousarray({spec.name})")
        return array.__array_interface__["data"][0], array.shape, None

    @staticmethod
    def empty(spec: Spec, shape: Sequence[int], device: Optional[int]) -> Tuple[np.ndarray, int]:
        if device is not None:
            raise TypeError("results on a GPU: give arrays for them by out=")
        if spec.alignment <= 16:
            array = np.empty(shape, spec.numpy)
            return array, _address(array)
        size = int(np.prod(shape, dtype=np.int64)) * spec.itemsize
        memory = np.empty(size + spec.alignment, np.uint8)
        address = _address(memory)
        first = -address % spec.alignment
        return memory[first:first + size].view(spec.numpy).reshape(shape), address + first

    @staticmethod
    def memory(size: int, device: Optional[int]) -> Tuple[int, Any]:
        if device is not None:
            raise TypeError("memory on a GPU comes from torch or cupy: else compile without user_device_memory")
        owner = np.empty(size + MEMORY_ALIGNMENT, np.uint8)
        address = _address(owner)
        return address + -address % MEMORY_ALIGNMENT, owner

    @staticmethod
    def stream(array: Any, device: Optional[int]) -> int:
        return 0

    @staticmethod
    def on(device: int) -> Any:
        return contexts.on(device)

    @staticmethod
    def synchronize(device: int) -> None:
        pass


@functools.lru_cache(maxsize=4096)
def _strides(shape: Sequence[int]) -> Tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size or 1
    return tuple(reversed(strides))


class Torch:
    """torch.Tensor."""
    name = "torch"
    has_stream = True

    def __init__(self) -> None:
        self._torch = sys.modules["torch"]
        self._grad = self._torch.is_grad_enabled
        self._devices: Dict[Optional[int], Any] = {None: self._torch.device("cpu")}
        # What the code that torch.compile generates calls, where this version of torch has it: the stream's number
        # without an object around it, and memory of the current device without the dispatcher.
        self._raw_stream = getattr(self._torch._C, "_cuda_getCurrentRawStream", None)
        guards = getattr(getattr(self._torch._C, "_dynamo", None), "guards", None)
        self._on_host, self._on_device = (getattr(guards, f"_empty_strided_{place}", None) for place in ("cpu", "cuda"))

    def _empty(self, shape: Sequence[int], dtype: Any, device: Optional[int]) -> Any:
        make = self._on_host if device is None else self._on_device
        if make:
            return make(tuple(shape), _strides(shape), dtype)
        place = self._devices.get(device)
        if place is None:
            place = self._devices[device] = self._torch.device("cuda", device)
        return self._torch.empty(shape, dtype=dtype, device=place)

    def read(self, tensor: Any, spec: Spec) -> Place:
        if tensor.dtype is not spec.torch and tensor.dtype is not self._type(spec):
            raise spec.wrong_type(tensor.dtype)
        if not tensor.is_contiguous() or tensor.is_neg():
            raise spec.not_contiguous(f"{spec.name}.contiguous()")
        if tensor.requires_grad and self._grad():
            raise ValueError(f"{spec.name}: requires a gradient, which compiled models do not compute: call them under "
                             "torch.no_grad(), or detach it")
        if tensor.is_cuda:
            return tensor.data_ptr(), tensor.shape, tensor.get_device()
        if tensor.device.type != "cpu":
            raise TypeError(f"{spec.name}: lies on {tensor.device}, expected cpu or cuda")
        return tensor.data_ptr(), tensor.shape, None

    def _type(self, spec: Spec) -> Any:
        spec.torch = dtypes.to_torch(spec.row, self._torch)
        return spec.torch

    def empty(self, spec: Spec, shape: Sequence[int], device: Optional[int]) -> Tuple[Any, int]:
        tensor = self._empty(shape, spec.torch or self._type(spec), device)
        return tensor, tensor.data_ptr()

    def memory(self, size: int, device: Optional[int]) -> Tuple[int, Any]:
        if device is None:
            return Numpy.memory(size, None)
        owner = self._empty((size,), self._torch.uint8, device)  # aligned to 512
        return owner.data_ptr(), owner

    def stream(self, array: Any, device: Optional[int]) -> int:
        if self._raw_stream:
            return self._raw_stream(device)
        return self._torch.cuda.current_stream(device).cuda_stream

    def on(self, device: int) -> Any:
        cuda = self._torch.cuda
        return contexts.AS_IT_IS if cuda.current_device() == device else cuda.device(device)

    def synchronize(self, device: int) -> None:
        self._torch.cuda.current_stream(device).synchronize()


class Cupy:
    """cupy.ndarray."""
    name = "cupy"
    has_stream = True

    def __init__(self) -> None:
        self._cupy = sys.modules["cupy"]

    def read(self, array: Any, spec: Spec) -> Place:
        spec.check_numpy(array.dtype)
        if not array.flags.c_contiguous:
            raise spec.not_contiguous(f"cupy.ascontiguousarray({spec.name})")
        return array.data.ptr, array.shape, array.device.id

    def empty(self, spec: Spec, shape: Sequence[int], device: Optional[int]) -> Tuple[Any, int]:
        if device is None:
            return Numpy.empty(spec, shape, None)
        with self.on(device):
            array = self._cupy.empty(shape, spec.numpy)
        return array, array.data.ptr

    def memory(self, size: int, device: Optional[int]) -> Tuple[int, Any]:
        if device is None:
            return Numpy.memory(size, None)
        with self.on(device):
            owner = self._cupy.cuda.alloc(size)  # aligned to 512
        return owner.ptr, owner

    def stream(self, array: Any, device: Optional[int]) -> int:
        return self._cupy.cuda.get_current_stream().ptr

    def on(self, device: int) -> Any:
        return self._cupy.cuda.Device(device)

    def synchronize(self, device: int) -> None:
        self._cupy.cuda.get_current_stream().synchronize()


class Jax:
    """jax.Array, on one device. jax shows nobody its streams: on a GPU calls wait on both sides."""
    name = "jax"
    has_stream = False

    def __init__(self) -> None:
        self._jax = sys.modules["jax"]
        self._makers: Dict[Any, Any] = {}

    def read(self, array: Any, spec: Spec) -> Place:
        spec.check_numpy(array.dtype)
        device, = array.devices()
        array.block_until_ready()
        return array.unsafe_buffer_pointer(), array.shape, None if device.platform == "cpu" else device.id

    def empty(self, spec: Spec, shape: Sequence[int], device: Optional[int]) -> Tuple[Any, int]:
        key = (spec.row.number, tuple(shape), device)
        make = self._makers.get(key)
        if make is None:
            make = self._makers[key] = self._maker(spec, tuple(shape), device)
        array = make().block_until_ready()
        return array, array.unsafe_buffer_pointer()

    def _maker(self, spec: Spec, shape: Tuple[int, ...], device: Optional[int]) -> Any:
        """What gives a new array each time, as quickly as jax does."""
        jax = self._jax
        place = jax.devices("cpu" if device is None else "gpu")[device or 0]
        dtype = np.dtype(spec.row.bits if spec.row.numpy == spec.row.bits else getattr(jax.numpy, spec.row.numpy))
        if jax.dtypes.canonicalize_dtype(dtype) != dtype:
            raise TypeError(f"{spec.name}: {spec.row.numpy} needs jax.config.update('jax_enable_x64', True)")
        return jax.jit(lambda: jax.numpy.zeros(shape, dtype), out_shardings=jax.sharding.SingleDeviceSharding(place))

    memory = staticmethod(Numpy.memory)

    def stream(self, array: Any, device: Optional[int]) -> int:
        return 0

    def on(self, device: int) -> Any:
        return contexts.on(device)

    def synchronize(self, device: int) -> None:
        pass  # read() has waited


class Traced(Jax):
    """What stands for an array while jax traces a function."""

    def read(self, array: Any, spec: Spec) -> Place:
        raise TypeError(f"{spec.name}: compiled models cannot be called inside of jax.jit and other transformations")


class CudaArrayInterface(Numpy):
    """Whatever has __cuda_array_interface__ (numba, and others); results need out=."""
    name = "__cuda_array_interface__"

    @staticmethod
    def read(array: Any, spec: Spec) -> Place:
        interface = array.__cuda_array_interface__
        spec.check_numpy(np.dtype(interface["typestr"]))
        shape, strides = tuple(interface["shape"]), interface.get("strides")
        if strides is not None and not _is_contiguous(shape, [stride // spec.itemsize for stride in strides]):
            raise spec.not_contiguous("a copy")
        return interface["data"][0], shape, getattr(getattr(array, "device", None), "id", 0)

    @staticmethod
    def stream(array: Any, device: Optional[int]) -> int:
        stream = array.__cuda_array_interface__.get("stream") or 0
        return 0 if stream == 1 else stream  # 1: the default stream


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_DLPACK_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_DLPACK_CPU, _DLPACK_CUDA, _DLPACK_CUDA_HOST, _DLPACK_ROCM = 1, 2, 3, 10


class DLPack(Numpy):
    """Whatever has __dlpack__; results are numpy's, on a GPU they need out=."""
    name = "__dlpack__"

    @staticmethod
    def read(array: Any, spec: Spec) -> Place:
        capsule = array.__dlpack__()
        tensor = ctypes.cast(_capsule_pointer(capsule, b"dltensor"), ctypes.POINTER(_DLTensor)).contents
        code = _DLPACK_CODES.get(tensor.code, "?")
        name = "bool" if code == "bool" else f"{code}{tensor.bits}"
        if name not in (spec.row.numpy, spec.row.bits) or tensor.lanes != 1:
            raise spec.wrong_type(name)
        shape = tuple(tensor.shape[:tensor.ndim])
        if tensor.strides and not _is_contiguous(shape, tensor.strides[:tensor.ndim]):
            raise spec.not_contiguous("a copy")
        on_host = tensor.device_type in (_DLPACK_CPU, _DLPACK_CUDA_HOST)
        if not on_host and tensor.device_type not in (_DLPACK_CUDA, _DLPACK_ROCM):
            raise TypeError(f"{spec.name}: lies on DLPack's device type {tensor.device_type}, expected a host, CUDA or ROCm")
        # |array| has the data; the capsule may go
        return (tensor.data or 0) + tensor.byte_offset, shape, None if on_host else tensor.device_id


class Buffer(Numpy):
    """Numbers of Python, and the buffer protocol; results are numpy's."""
    name = "buffer"

    @staticmethod
    def array(value: Any, spec: Spec) -> np.ndarray:
        """A number has no type of its own: it is the argument's, where it fits."""
        if isinstance(value, (bool, int, float)):
            wanted = np.dtype(spec.numpy).kind
            if not (wanted in "fV" or (wanted in "iu" and isinstance(value, int)) or isinstance(value, bool)):
                raise spec.wrong_type(type(value).__name__)
            return np.array(value, spec.numpy)
        if isinstance(value, np.generic):
            return np.asarray(value)
        try:
            return np.asarray(memoryview(value))
        except TypeError:
            raise TypeError(f"{spec.name}: expected an array, got {type(value).__name__}") from None


def _is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    expected = 1
    for size, stride in zip(reversed(list(shape)), reversed(list(strides))):
        if size != 1 and stride != expected and 0 not in shape:
            return False
        expected *= size
    return True


NUMPY, BUFFER, DLPACK = Numpy(), Buffer(), DLPack()
_KINDS: Dict[type, Any] = {np.ndarray: NUMPY}


def _is(module: str, name: str, value: Any) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name, ()))


def _find(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return NUMPY
    if _is("torch", "Tensor", value):
        return Torch()
    if _is("jax", "Array", value):
        return Traced() if isinstance(value, sys.modules["jax"].core.Tracer) else Jax()
    if _is("cupy", "ndarray", value):
        return Cupy()
    if hasattr(value, "__cuda_array_interface__"):
        return CudaArrayInterface()
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        return DLPACK
    return BUFFER


def kind_of(value: Any) -> Any:
    """The kind of |value|."""
    kind = _KINDS.get(type(value))
    if kind is None:
        kind = _KINDS[type(value)] = _find(value)
    return kind


def is_on_gpu(value: Any) -> bool:
    """Whether |value| lies on a GPU."""
    kind = kind_of(value)
    if kind in (NUMPY, BUFFER):
        return False
    if isinstance(kind, Torch):
        return value.device.type != "cpu"
    if isinstance(kind, Jax):
        return next(iter(value.devices())).platform != "cpu"
    if kind is DLPACK:
        return value.__dlpack_device__()[0] not in (_DLPACK_CPU, _DLPACK_CUDA_HOST)
    return True
