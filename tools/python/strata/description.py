"""The description that every emitted library carries (runtime/include/strata/runtime.h), by ctypes."""
from __future__ import annotations

import ctypes

USER_MEMORY, DEVICE_TENSORS = 1, 2  # STRATA_LIBRARY_...


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("c_name", ctypes.c_char_p), ("dtype", ctypes.c_uint32),
                ("rank", ctypes.c_uint32), ("shape", ctypes.POINTER(ctypes.c_int64)), ("size", ctypes.c_uint64)]


class KernelInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tasks", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("flops", ctypes.c_uint64)]


class DimInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("c_name", ctypes.c_char_p), ("min", ctypes.c_int64),
                ("max", ctypes.c_int64), ("multiple", ctypes.c_int64), ("n_likely", ctypes.c_size_t),
                ("likely", ctypes.POINTER(ctypes.c_int64))]


class ValueInfo(ctypes.Structure):
    _fields_ = [("op", ctypes.c_uint64), ("a", ctypes.c_int64), ("b", ctypes.c_int64)]


TRACE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_uint64)
NO_TRACE = ctypes.cast(0, TRACE)
_tensors = ctypes.POINTER(ctypes.POINTER(TensorInfo))
_texts = ctypes.POINTER(ctypes.c_char_p)


class Description(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32), ("abi_version", ctypes.c_uint32), ("flags", ctypes.c_uint32),
        ("alignment", ctypes.c_uint32), ("name", ctypes.c_char_p), ("compiler", ctypes.c_char_p),
        ("target", ctypes.c_char_p), ("options", ctypes.c_char_p),
        ("n_devices", ctypes.c_size_t), ("devices", _texts),
        ("n_inputs", ctypes.c_size_t), ("inputs", _tensors),
        ("n_outputs", ctypes.c_size_t), ("outputs", _tensors),
        ("n_dims", ctypes.c_size_t), ("dims", _texts),
        ("n_constants", ctypes.c_size_t), ("constants", _tensors),
        ("n_kernels", ctypes.c_size_t), ("kernels", ctypes.POINTER(ctypes.POINTER(KernelInfo))),
        ("n_launches", ctypes.c_size_t), ("launches", ctypes.POINTER(ctypes.c_uint32)),
        ("run", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)),
        ("device_memory_size", ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)),
        ("weights_size", ctypes.CFUNCTYPE(ctypes.c_size_t)),
        ("load", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("set_constant", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)),
        ("unload", ctypes.CFUNCTYPE(ctypes.c_int)),
        ("set_threads", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)),
        ("error", ctypes.CFUNCTYPE(ctypes.c_char_p)),
        ("set_trace", ctypes.CFUNCTYPE(None, TRACE, ctypes.c_void_p)),
        ("nodes", _texts),
        ("dim_infos", ctypes.POINTER(ctypes.POINTER(DimInfo))),
        ("shapes", _texts),
        ("n_values", ctypes.c_size_t), ("values", ctypes.POINTER(ValueInfo)),
        ("output_shape", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)),
        ("picks", ctypes.POINTER(ctypes.c_int64)), ("predicted", ctypes.POINTER(ctypes.c_uint64)),
        ("streams", ctypes.POINTER(ctypes.c_uint32)),
        ("true_sizes", ctypes.POINTER(ctypes.c_int64)),
    ]


OUT_OF_BOUND = 12  # STRATA_OUT_OF_BOUND
EARLIEST = Description.output_shape.offset  # what a library of version 1 has
