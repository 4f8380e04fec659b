// Element types of data outside the compiler (dtypes.def): sizes, names in other formats, and elements as numbers.
#ifndef STRATA_BASE_DTYPE_H
#define STRATA_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  STRATA_DTYPE_NONE = 0,
#define DTYPE(id, value, ...) STRATA_DTYPE_##id = value,
#include "runtime/base/dtypes.def"
  STRATA_DTYPE_COUNT
} strata_dtype_t;

typedef enum {
  STRATA_DTYPE_CLASS_NONE,
  STRATA_DTYPE_CLASS_FLOAT,
  STRATA_DTYPE_CLASS_BOOLEAN,
  STRATA_DTYPE_CLASS_SIGNED,
  STRATA_DTYPE_CLASS_UNSIGNED,
} strata_dtype_class_t;

// What is no number (dtypes.def).
typedef enum { STRATA_FLOAT_NONE, STRATA_FLOAT_IEEE, STRATA_FLOAT_FN, STRATA_FLOAT_FNUZ } strata_float_form_t;

typedef struct {
  const char *name;
  int bits;
  strata_dtype_class_t class_;
  int exponent_bits, mantissa_bits;
  strata_float_form_t form; // of floats
  const char *c_type;
  const char *npy_descr; // NULL: .npy has no such type
  int onnx_type;
} strata_dtype_info_t;
extern const strata_dtype_info_t strata_dtype_info[STRATA_DTYPE_COUNT];

// The row for a code of another format; STRATA_DTYPE_NONE if there is none.
strata_dtype_t strata_dtype_from_onnx(int64_t onnx_type);
strata_dtype_t strata_dtype_from_npy(const char *descr, size_t length);

// Bytes of |count| packed elements; false if that overflows.
bool strata_dtype_size(strata_dtype_t dtype, int64_t count, size_t *out_size);

// Element |index| of packed data as a double (64-bit integers are rounded).
double strata_dtype_load(strata_dtype_t dtype, const void *data, size_t index);
// Stores |value| rounded to the type; integers saturate and NaN becomes 0.
void strata_dtype_store(strata_dtype_t dtype, void *data, size_t index, double value);

#endif
