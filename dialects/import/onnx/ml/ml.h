// What the readers of ai.onnx.ml share.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_ML_H
#define STRATA_DIALECTS_IMPORT_ONNX_ML_H

#include "dialects/import/onnx/importer.h"

// Lists of attributes, in the arena; NULL where there is none, which is an error of those that are required.
const double *onnx_attr_doubles(onnx_node_t *n, const char *name, int64_t *out_count);
const int64_t *onnx_attr_int_tensor(onnx_node_t *n, const char *name, int64_t *out_count);
// Of floats: the tensor <name>_as_tensor where that is given, else the list. *is_double is set if it is one of doubles.
const double *onnx_attr_numbers(onnx_node_t *n, const char *name, int64_t *out_count, bool *is_double);
const double *onnx_attr_double_tensor(onnx_node_t *n, const char *name, int64_t *out_count, bool *is_double);
const char *const *onnx_attr_strings(onnx_node_t *n, const char *name, int64_t *out_count);
// An error unless |count| is |expected|.
bool onnx_expect_count(onnx_node_t *n, const char *name, int64_t count, int64_t expected);

// Operand |i| as [rows, columns], of one dim as one row; floats of f32 unless it is f64. Columns are numbers: else an
// error.
MlirValue onnx_matrix(onnx_node_t *n, int i, int64_t *out_columns);
MlirValue onnx_float_operand(onnx_node_t *n, int i);
// Numbers as a row, [1, count], of |type|.
MlirValue onnx_row(onnx_node_t *n, strata_type_t type, int64_t count, const double *values);
MlirValue onnx_columns(onnx_node_t *n, MlirValue x, int64_t first, int64_t count);

// What becomes of scores: rows of post.def.
typedef enum {
#define POST_TRANSFORM(id, name) ONNX_POST_##id,
#include "dialects/import/onnx/ml/post.def"
  ONNX_POST_COUNT
} onnx_post_t;
onnx_post_t onnx_post_of(onnx_node_t *n);
MlirValue onnx_post(onnx_node_t *n, onnx_post_t post, MlirValue scores);

// The labels of a classifier's classes.
typedef struct {
  int64_t count;
  const int64_t *numbers;     // NULL: they are texts, and a result is the class's number
  const char *const *strings; // NULL: they are numbers
} onnx_labels_t;
// By the attributes |ints| and |strings|, of which one is given.
bool onnx_labels_read(onnx_node_t *n, const char *ints, const char *strings, onnx_labels_t *out);
// Sets result |i| to the label of each row's class, which |classes| says, i64 numbers. Where labels are texts it is the
// class's number, and a note has the texts.
void onnx_set_labels(onnx_node_t *n, int i, const onnx_labels_t *labels, MlirValue classes);
// The number of the greatest of each row.
MlirValue onnx_greatest(onnx_node_t *n, MlirValue scores);
// One score a row of two classes: the scores of both as |post| has them, [rows, 2]; of 1 - s and s, or of -s and s, as
// always of LOGISTIC.
MlirValue onnx_two_scores(onnx_node_t *n, onnx_post_t post, MlirValue score, bool is_probability);

// The probabilities of |classes| classes from those of the first of each pair, [rows, pairs]: (0, 1), (0, 2), ...
MlirValue onnx_coupled_probabilities(onnx_node_t *n, MlirValue pairs, int64_t classes);

#endif
