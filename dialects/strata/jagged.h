// The functions that formulas of composites on jagged tensors call (composites.def); private to dialects/strata.
#ifndef STRATA_DIALECTS_STRATA_JAGGED_H
#define STRATA_DIALECTS_STRATA_JAGGED_H

#include "dialects/strata/build.h"

// Offsets that ascend between 0 and |total|.
typedef struct {
  MlirValue offsets;
  strata_dim_t total;
} strata__checked_t;
typedef STRATA_VECTOR(strata__checked_t) strata__checked_list_t;

typedef struct {
  strata_builder_t *builder;
  strata__checked_list_t *checked; // what is known of the module so far
} strata__jagged_t;

typedef enum {
  STRATA__JAGGED_CHECKED,
  STRATA__JAGGED_PADDED,
  STRATA__JAGGED_PACKED,
  STRATA__JAGGED_SPREAD,
  STRATA__JAGGED_MULTIPLIED,
  STRATA__JAGGED_SUM,
  STRATA__JAGGED_GREATEST,
  STRATA__JAGGED_LEAST,
  STRATA__JAGGED_LENGTHS,
  STRATA__JAGGED_ATTENTION,
  STRATA__JAGGED_FUNCTIONS
} strata__jagged_function_t;

typedef struct {
  MlirValue tensor;
  strata_shape_t shape; // of the tensor, or the result's
  double number;
  bool flag;
} strata__jagged_arg_t;

// The function of that name, STRATA__JAGGED_FUNCTIONS if there is none; a letter for each of its arguments: t tensor, r
// tensor or "result", n number, b boolean.
strata__jagged_function_t strata__jagged_function(MlirStringRef name, const char **out_arguments);
MlirValue strata__jagged_call(strata__jagged_t *j, strata__jagged_function_t function,
                              const strata__jagged_arg_t *args);

// True of a formula that moves elements or converts them by itself: its operands stay as they are.
bool strata__body_keeps_type(const char *body);

// Has |op|, a padded_to_jagged, replaced where the rows that it takes out of a padded tensor are there already.
STRATA_MUST_CHECK strata_status_t strata__drop_conversion(strata_compile_t *compile, MlirOperation op);

#endif
