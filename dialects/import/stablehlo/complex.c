// Operations on complex values, each of which is two values of the graph, its parts.
#include "dialects/import/stablehlo/stablehlo.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdio.h>

typedef struct {
  const char *real, *imaginary;
} complex_t;

static bool is_complex_type(MlirType type) {
  return mlirTypeIsAComplex(mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type);
}

bool tir_is_complex(MlirValue value) { return is_complex_type(mlirValueGetType(value)); }

bool tir_has_complex(const tir_op_t *o) {
  for (int i = 0; i < tir_n_operands(o); i++)
    if (tir_is_complex(tir_value(o, i)))
      return true;
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    if (tir_is_complex(mlirOperationGetResult(o->op, i)))
      return true;
  return false;
}

static complex_t operand(tir_op_t *o, int i) {
  complex_t parts;
  o->is_imaginary = false;
  parts.real = tir_in(o, i);
  o->is_imaginary = true;
  parts.imaginary = tir_in(o, i);
  o->is_imaginary = false;
  return parts;
}

static void set(tir_op_t *o, complex_t parts) {
  o->is_imaginary = false;
  tir_set(o, 0, parts.real);
  o->is_imaginary = true;
  tir_set(o, 0, parts.imaginary);
  o->is_imaginary = false;
}

//===-- Readers --------------------------------------------------------------------------------------------------===//

static void read_parts(tir_op_t *o) {
  o->info->reader(o);
  o->is_imaginary = true;
  o->info->reader(o);
  o->is_imaginary = false;
}

static void read_complex(tir_op_t *o) { set(o, (complex_t){tir_in(o, 0), tir_in(o, 1)}); }
static void read_real(tir_op_t *o) { tir_set(o, 0, operand(o, 0).real); }

static void read_imag(tir_op_t *o) {
  if (tir_is_complex(tir_value(o, 0)))
    tir_set(o, 0, operand(o, 0).imaginary);
  else
    tir_refuse(o, "a real operand");
}

// Of a real value, or between complex types.
static void read_convert(tir_op_t *o) {
  strata_dtype_t dtype = tir_out_type(o, 0).dtype;
  complex_t x = operand(o, 0);
  if (!tir_is_complex(mlirOperationGetResult(o->op, 0))) {
    tir_set(o, 0, tir_cast(o, x.real, dtype));
    return;
  }
  bool is_complex = tir_is_complex(tir_value(o, 0));
  tir_type_t type = tir_in_type(o, 0);
  const char *real = tir_cast(o, x.real, dtype);
  set(o, (complex_t){real, is_complex ? tir_cast(o, x.imaginary, dtype)
                                      : tir_expand(o, tir_number(o, dtype, 0), tir_sizes(o, x.real, &type))});
}

static complex_t multiply(tir_op_t *o, complex_t x, complex_t y) {
  const char *ac = tir_binary(o, "Mul", x.real, y.real), *bd = tir_binary(o, "Mul", x.imaginary, y.imaginary);
  const char *ad = tir_binary(o, "Mul", x.real, y.imaginary), *bc = tir_binary(o, "Mul", x.imaginary, y.real);
  return (complex_t){tir_binary(o, "Sub", ac, bd), tir_binary(o, "Add", ad, bc)};
}

static void read_multiply(tir_op_t *o) { set(o, multiply(o, operand(o, 0), operand(o, 1))); }

static complex_t element(tir_op_t *o, complex_t list, int64_t i) {
  return (complex_t){tir_scalar(o, tir_slice_axis(o, list.real, 0, i, i + 1, 1)),
                     tir_scalar(o, tir_slice_axis(o, list.imaginary, 0, i, i + 1, 1))};
}

// Sums, and products of a few numbers, as JAX computes the factor of a transform's norm by.
static void read_reduce(tir_op_t *o) {
  enum { MOST_FACTORS = 16 };
  tir_type_t type = tir_in_type(o, 0);
  const char *combiner = tir_n_operands(o) == 2 ? hlo_combiner(tir_region(o, 0), 0, 1) : "";
  bool is_short = type.rank == 1 && type.dims[0] >= 0 && type.dims[0] <= MOST_FACTORS && tir_out_type(o, 0).rank == 0;
  if (!strcmp(combiner, "add")) {
    read_parts(o);
  } else if (!strcmp(combiner, "multiply") && is_short) {
    complex_t product = operand(o, 1), list = operand(o, 0);
    for (int64_t i = 0; i < type.dims[0]; i++)
      product = multiply(o, product, element(o, list, i));
    set(o, product);
  } else {
    tir_refuse(o, "complex numbers");
  }
}

// The divisor is divided by the larger of its parts, so that its square does not overflow.
static void read_divide(tir_op_t *o) {
  complex_t x = operand(o, 0), y = operand(o, 1);
  const char *size = tir_binary(o, "Max", tir_unary(o, "Abs", y.real), tir_unary(o, "Abs", y.imaginary));
  const char *c = tir_binary(o, "Div", y.real, size), *d = tir_binary(o, "Div", y.imaginary, size);
  const char *divisor = tir_binary(o, "Add", tir_binary(o, "Mul", y.real, c), tir_binary(o, "Mul", y.imaginary, d));
  const char *real = tir_binary(o, "Add", tir_binary(o, "Mul", x.real, c), tir_binary(o, "Mul", x.imaginary, d));
  const char *imaginary = tir_binary(o, "Sub", tir_binary(o, "Mul", x.imaginary, c), tir_binary(o, "Mul", x.real, d));
  set(o, (complex_t){tir_binary(o, "Div", real, divisor), tir_binary(o, "Div", imaginary, divisor)});
}

// The root of the sum of squares, by the larger part, so that they do not overflow; of zeros 0.
static void read_abs(tir_op_t *o) {
  complex_t x = operand(o, 0);
  strata_dtype_t dtype = tir_in_type(o, 0).dtype;
  const char *a = tir_unary(o, "Abs", x.real), *b = tir_unary(o, "Abs", x.imaginary);
  const char *large = tir_binary(o, "Max", a, b), *ratio = tir_binary(o, "Div", tir_binary(o, "Min", a, b), large);
  const char *root =
      tir_unary(o, "Sqrt", tir_binary(o, "Add", tir_binary(o, "Mul", ratio, ratio), tir_number(o, dtype, 1)));
  const char *is_plain = tir_binary(o, "And", tir_binary(o, "Greater", large, tir_number(o, dtype, 0)),
                                    tir_unary(o, "Not", tir_unary(o, "IsInf", large)));
  tir_set(o, 0, tir_select(o, is_plain, tir_binary(o, "Mul", large, root), large));
}

static void read_exponential(tir_op_t *o) {
  complex_t x = operand(o, 0);
  const char *size = tir_unary(o, "Exp", x.real);
  set(o, (complex_t){tir_binary(o, "Mul", size, tir_unary(o, "Cos", x.imaginary)),
                     tir_binary(o, "Mul", size, tir_unary(o, "Sin", x.imaginary))});
}

// MLIR has the parts of each number side by side; one for all that are the same.
static void read_constant(tir_op_t *o) {
  MlirAttribute value = tir_constant(o->op);
  tir_type_t type = tir_out_type(o, 0);
  int64_t count =
      mlirAttributeIsNull(value) || !mlirAttributeIsADenseElements(value) ? -1 : mlirElementsAttrGetNumElements(value);
  if (count < 0) {
    tir_refuse(o, "a constant of this form: expected dense elements");
    return;
  }
  const char *raw = mlirDenseElementsAttrGetRawData(value), *names[2];
  bool is_splat = mlirDenseElementsAttrIsSplat(value);
  size_t width = (size_t)strata_dtype_info[type.dtype].bits / 8;
  for (int part = 0; part < 2; part++) {
    strata_tensor_t tensor = {.dtype = type.dtype, .rank = type.rank, .size = (size_t)count * width};
    memcpy(tensor.shape, type.dims, sizeof tensor.shape < sizeof type.dims ? sizeof tensor.shape : sizeof type.dims);
    char *bytes = strata_arena_alloc(o->importer->compile->arena, tensor.size + 1);
    for (int64_t i = 0; i < count; i++)
      memcpy(bytes + (size_t)i * width, raw + ((is_splat ? 0 : 2 * (size_t)i) + (size_t)part) * width, width);
    tensor.data = bytes;
    names[part] = graph_constant(o->g, graph_fresh(o->g, "constant"), &tensor);
  }
  set(o, (complex_t){names[0], names[1]});
}

//===-- Fourier transforms ---------------------------------------------------------------------------------------===//

// Of the last dims. A real operand has its last dim transformed first, a real result as the last.
static void read_fft(tir_op_t *o) {
  const char *kind = hlo_word(o, "fft_type");
  kind += strcspn(kind, "RIF");
  bool from_real = !strncmp(kind, "RFFT", 4), to_real = !strncmp(kind, "IRFFT", 5);
  bool is_inverse = *kind == 'I';
  tir_type_t type = tir_in_type(o, 0);
  int64_t lengths[TIR_MAX_RANK];
  int count = tir_int_list(o, "fft_length", TIR_MAX_RANK, lengths), first = type.rank - count;
  if (count < 1 || first < 0 || tir_is_complex(tir_value(o, 0)) == from_real ||
      (!from_real && !to_real && strncmp(kind, "FFT", 3) != 0 && strncmp(kind, "IFFT", 4) != 0)) {
    tir_refuse(o, "fft_type '%s' of %d dims", kind, count);
    return;
  }
  complex_t parts = operand(o, 0);
  const char *x = tir_pair(o, type.rank, parts.real, from_real ? NULL : parts.imaginary);
  if (from_real)
    x = graph_dft(o->g, x, type.rank - 1, lengths[count - 1], false, true);
  for (int i = 0; i < count - (from_real || to_real); i++)
    x = graph_dft(o->g, x, first + i, lengths[i], is_inverse, false);
  if (to_real)
    tir_set(o, 0, tir_part(o, graph_dft(o->g, x, type.rank - 1, lengths[count - 1], true, true), type.rank, 0));
  else
    set(o, (complex_t){tir_part(o, x, type.rank, 0), tir_part(o, x, type.rank, 1)});
}

//===-- The operations -------------------------------------------------------------------------------------------===//

static const struct {
  const char *name;
  void (*reader)(tir_op_t *o);
} rows[] = {
    {"abs", read_abs},
    {"add", read_parts},
    {"broadcast_in_dim", read_parts},
    {"complex", read_complex},
    {"concatenate", read_parts},
    {"constant", read_constant},
    {"convert", read_convert},
    {"divide", read_divide},
    {"dynamic_slice", read_parts},
    {"exponential", read_exponential},
    {"fft", read_fft},
    {"gather", read_parts},
    {"imag", read_imag},
    {"multiply", read_multiply},
    {"negate", read_parts},
    {"optimization_barrier", read_parts},
    {"pad", read_parts},
    {"real", read_real},
    {"reduce", read_reduce},
    {"reshape", read_parts},
    {"reverse", read_parts},
    {"select", read_parts},
    {"slice", read_parts},
    {"subtract", read_parts},
    {"transpose", read_parts},
};

void tir_read_complex(tir_op_t *o) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, o->info->name)) {
      rows[i].reader(o);
      return;
    }
  tir_refuse(o, "complex numbers");
}
