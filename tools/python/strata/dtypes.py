"""Element types: the numbers of a library's description (runtime/base/dtypes.def), and what frameworks call them."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np


class DType(NamedTuple):
    """|numpy| and |torch| are names; of those that numpy lacks, |numpy| is what ml_dtypes calls them and |bits| the type
    of an array of their bits."""
    number: int
    name: str
    numpy: str
    bits: str
    torch: str
    per_byte: int = 1


TABLE = {row.number: row for row in (
    DType(1, "f64", "float64", "float64", "float64"),
    DType(2, "f32", "float32", "float32", "float32"),
    DType(3, "f16", "float16", "float16", "float16"),
    DType(4, "bf16", "bfloat16", "uint16", "bfloat16"),
    DType(5, "e4m3", "float8_e4m3fn", "uint8", "float8_e4m3fn"),
    DType(6, "e5m2", "float8_e5m2", "uint8", "float8_e5m2"),
    DType(7, "bool", "bool", "bool", "bool"),
    DType(8, "i4", "int8", "int8", "int8", 2),
    DType(9, "u4", "uint8", "uint8", "uint8", 2),
    DType(10, "i8", "int8", "int8", "int8"),
    DType(11, "u8", "uint8", "uint8", "uint8"),
    DType(12, "i16", "int16", "int16", "int16"),
    DType(13, "u16", "uint16", "uint16", "uint16"),
    DType(14, "i32", "int32", "int32", "int32"),
    DType(15, "u32", "uint32", "uint32", "uint32"),
    DType(16, "i64", "int64", "int64", "int64"),
    DType(17, "u64", "uint64", "uint64", "uint64"),
    DType(18, "e4m3fnuz", "float8_e4m3fnuz", "uint8", "float8_e4m3fnuz"),
    DType(19, "e5m2fnuz", "float8_e5m2fnuz", "uint8", "float8_e5m2fnuz"),
)}


def to_numpy(row: DType) -> np.dtype:
    """The type of arrays that this package makes: of bits where nobody has loaded ml_dtypes."""
    if row.numpy == row.bits:
        return np.dtype(row.bits)
    module = sys.modules.get("ml_dtypes")
    return np.dtype(getattr(module, row.numpy) if module else row.bits)


def is_numpy(row: DType, dtype: np.dtype) -> bool:
    """Whether arrays of |dtype| are taken for |row|."""
    return dtype.name in (row.numpy, row.bits) and dtype.isnative


def to_torch(row: DType, torch: Any) -> Any:
    return getattr(torch, row.torch, None)
