// Quantised values: integers with a scale and a zero point, both operands of a node.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_QUANTIZE_H
#define STRATA_DIALECTS_IMPORT_ONNX_QUANTIZE_H

#include "dialects/import/onnx/onnx.h"

// Operand |i|, which must be one number, of rank 0 and converted to |type|.
MlirValue onnx_scalar(onnx_node_t *n, int i, strata_type_t type);

// An integer operand less its zero point, as i32; a zero point of one dim belongs to |axis|.
MlirValue onnx_centered(onnx_node_t *n, int operand, int zero_point, int axis);

// Operand |i|, a scale of any float type, as f32, lined up with |x|: one number, or one a place of |axis|.
MlirValue onnx_lined_scale(onnx_node_t *n, int i, MlirValue x, int axis);

// The f32 that integers |x| mean: (x - zero point) * scale, of one scale and one zero point.
MlirValue onnx_dequantized(onnx_node_t *n, int x, int scale, int zero_point);

// |scaled| rounded, to even, with a zero point added unless that is null, and saturated to |type|; to a float type it
// is rounded as that is.
MlirValue onnx_quantized(onnx_node_t *n, MlirValue scaled, MlirValue zero, strata_type_t type, bool is_unsigned);

// Sets result 0 to |x|, f32, in units of a scale: rounded to even, with the zero point added, saturated. The type is
// that of operand |like|.
void onnx_set_quantized(onnx_node_t *n, MlirValue x, int scale, int zero_point, int like);

// |x|, f32, as u8 with a scale and a zero point of its own: so that the range of x, with 0 in it, is that of u8.
typedef struct {
  MlirValue x;           // u8
  MlirValue scale, zero; // f32 of rank 0; the zero point a whole number
} onnx_dynamic_t;
onnx_dynamic_t onnx_quantize_dynamically(onnx_node_t *n, MlirValue x);

// Operands as of QLinearConv and QLinearMatMul: 1, 4 and 6 are the scales of lhs, rhs and result, 7 the zero point of
// the result. Sets result 0 to |sum| scaled and rounded; a scale of one dim belongs to |axis|.
void onnx_requantize(onnx_node_t *n, MlirValue sum, int axis);

// The numbers of |bits| bits, 2, 4 or 8, that the bytes of the last dim of |bytes| hold, the low bits first: |count| of
// each of |rows|, as u8 [rows, count].
MlirValue onnx_unpack_bits(onnx_node_t *n, MlirValue bytes, int64_t bits, strata_dim_t rows, int64_t count);

// The same of operand |operand|, as f32; numbers of 4 bits that are known stay packed in the constant.
MlirValue onnx_numbers_of_bits(onnx_node_t *n, int operand, int64_t bits, int64_t rows, int64_t count);

#endif
