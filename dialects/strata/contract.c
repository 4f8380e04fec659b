// Contractions: the size of each dim of the iteration space, and the rules of their maps.
//
//   maps = [(m, n, k) -> (m, k), (m, n, k) -> (k, n), (m, n, k) -> (m, n)]      a matrix product
//   maps = [(i, k) -> (i + k - 1), (i, k) -> (k), (i, k) -> (i)], zero_pad      a convolution of three taps
#include "dialects/strata/record.h"

// *sum += a * b; false if that overflows.
static bool add_product(int64_t *sum, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

bool strata__split_linear(MlirAffineExpr expr, int64_t factor, int64_t *coefficients, int64_t *constant) {
  if (mlirAffineExprIsAConstant(expr))
    return add_product(constant, factor, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsADim(expr))
    return add_product(&coefficients[mlirAffineDimExprGetPosition(expr)], factor, 1);
  if (!mlirAffineExprIsABinary(expr))
    return false;
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), rhs = mlirAffineBinaryOpExprGetRHS(expr);
  if (mlirAffineExprIsAAdd(expr))
    return strata__split_linear(lhs, factor, coefficients, constant) &&
           strata__split_linear(rhs, factor, coefficients, constant);
  int64_t scaled = 0;
  return mlirAffineExprIsAMul(expr) && mlirAffineExprIsAConstant(rhs) &&
         add_product(&scaled, factor, mlirAffineConstantExprGetValue(rhs)) &&
         strata__split_linear(lhs, scaled, coefficients, constant);
}

// An operand dim of |size| that a sum of dims indexes is read up to its last element: that gives the size of one dim.
static void solve_dim(MlirAffineExpr expr, strata_dim_t size, int n_dims, strata_dim_t *dims) {
  int64_t coefficients[STRATA_MAX_RANK] = {0}, last = 0, n, extent = 1;
  int unknown = -1;
  if (!strata_dim_is_constant(size, &n) || !strata__split_linear(expr, 1, coefficients, &last))
    return;
  for (int i = 0; i < n_dims; i++) {
    bool is_known = !mlirAffineExprIsNull(dims[i]);
    if (coefficients[i] == 0)
      continue;
    if (coefficients[i] < 0 || (!is_known && unknown >= 0) || (is_known && !strata_dim_is_constant(dims[i], &extent)))
      return;
    if (!is_known)
      unknown = i;
    else if (!add_product(&last, coefficients[i], extent - 1))
      return;
  }
  if (unknown < 0 || last < 0 || n <= last || (n - 1 - last) % coefficients[unknown] != 0)
    return;
  dims[unknown] = strata_dim_constant(mlirAffineExprGetContext(size), (n - 1 - last) / coefficients[unknown] + 1);
}

// Of the sizes that two operands give a dim of the reduction where what lies outside the shorter one is zero: the
// larger.
static strata_dim_t longer(strata_dim_t a, strata_dim_t b) {
  int64_t x, y;
  return strata_dim_is_constant(a, &x) && strata_dim_is_constant(b, &y) && y > x ? b : a;
}

// The size of each dim of the iteration space: of the result's dims what the result says, of the others that of the
// operand dim they index alone or, in a sum, reach the end of.
static strata_status_t contract_dims(const strata__record_t *r, int n_dims, strata_dim_t *out) {
  const strata__attr_t *maps = strata__get(r, "maps");
  for (int i = 0; i < r->results[0].rank; i++)
    out[i] = r->results[0].dims[i];
  for (int operand = 0; operand < 2; operand++) {
    for (int i = 0; i < r->operands[operand].rank; i++) {
      MlirAffineExpr expr = mlirAffineMapGetResult(maps->maps[operand], i);
      if (!mlirAffineExprIsADim(expr))
        continue;
      intptr_t dim = mlirAffineDimExprGetPosition(expr);
      if (mlirAffineExprIsNull(out[dim]))
        out[dim] = r->operands[operand].dims[i];
      else if (!strata_dim_equal(out[dim], r->operands[operand].dims[i]) && !strata__i64(r, "zero_pad"))
        return strata__invalid("maps: dim d%d has two sizes (operand %d, dim %d)", (int)dim, operand, i);
      else if (dim >= r->results[0].rank)
        out[dim] = longer(out[dim], r->operands[operand].dims[i]);
    }
  }
  for (int operand = 0; operand < 2 && !strata__i64(r, "zero_pad"); operand++)
    for (int i = 0; i < r->operands[operand].rank; i++)
      solve_dim(mlirAffineMapGetResult(maps->maps[operand], i), r->operands[operand].dims[i], n_dims, out);
  for (int i = 0; i < n_dims; i++)
    if (mlirAffineExprIsNull(out[i]))
      return strata__invalid("maps: nothing gives the size of d%d", i);
  return NULL;
}

static strata_status_t check_contract_maps(const strata__record_t *r) {
  const strata__attr_t *maps = strata__get(r, "maps");
  const strata_shape_t *shapes[3] = {&r->operands[0], &r->operands[1], &r->results[0]};
  static const char *const names[3] = {"lhs", "rhs", "result"};
  intptr_t n_dims = mlirAffineMapGetNumDims(maps->maps[2]);
  if (n_dims > STRATA_MAX_RANK)
    return strata__invalid("maps: expected at most %d dims, got %d", STRATA_MAX_RANK, (int)n_dims);
  for (int i = 0; i < 3; i++) {
    if (mlirAffineMapGetNumDims(maps->maps[i]) != n_dims || mlirAffineMapGetNumSymbols(maps->maps[i]) != 0)
      return strata__invalid("maps: expected %d dims and no symbols in each", (int)n_dims);
    if (mlirAffineMapGetNumResults(maps->maps[i]) != shapes[i]->rank)
      return strata__invalid("maps: the %s map has %d results, expected the rank, %d", names[i],
                             (int)mlirAffineMapGetNumResults(maps->maps[i]), shapes[i]->rank);
  }
  for (int operand = 0; operand < 2; operand++)
    for (int i = 0; i < shapes[operand]->rank; i++) {
      int64_t coefficients[STRATA_MAX_RANK] = {0}, constant = 0;
      if (!strata__split_linear(mlirAffineMapGetResult(maps->maps[operand], i), 1, coefficients, &constant))
        return strata__invalid("maps: result %d of the %s map must be a sum of dims", i, names[operand]);
    }
  for (int i = 0; i < r->results[0].rank; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(maps->maps[2], i);
    if (!mlirAffineExprIsADim(expr) || mlirAffineDimExprGetPosition(expr) != i)
      return strata__invalid("maps: result %d of the result map must be d%d", i, i);
  }
  return NULL;
}

static int dims_of_record(const strata__record_t *record, strata_dim_t *out_dims) {
  strata_status_t status = check_contract_maps(record);
  int n_dims = status ? 0 : (int)mlirAffineMapGetNumDims(strata__get(record, "maps")->maps[2]);
  for (int i = 0; i < n_dims; i++)
    out_dims[i] = (strata_dim_t){0};
  if (!status)
    status = contract_dims(record, n_dims, out_dims);
  strata_status_free(status);
  return status ? -1 : n_dims;
}

int strata_contract_dims(MlirOperation op, strata_dim_t *out_dims) {
  strata__record_t record;
  strata_status_t status = strata__decode(op, &record);
  strata_status_free(status);
  return status ? -1 : dims_of_record(&record, out_dims);
}

int strata_contract_extents(const strata_shape_t shapes[3], const MlirAffineMap maps[3], bool zero_pad,
                            strata_dim_t *out_dims) {
  strata__record_t record = strata__record(STRATA_OP_CONTRACT);
  record.operands[0] = shapes[0];
  record.operands[1] = shapes[1];
  record.results[0] = shapes[2];
  strata__set_maps(&record, "maps", 3, maps);
  strata__set_i64(&record, "zero_pad", zero_pad);
  return dims_of_record(&record, out_dims);
}

bool strata__contract_sizes(const strata__record_t *record, int64_t *out_sizes) {
  strata_dim_t dims[STRATA_MAX_RANK] = {{0}};
  int n_dims = (int)mlirAffineMapGetNumDims(strata__get(record, "maps")->maps[2]);
  strata_status_t status = contract_dims(record, n_dims, dims);
  bool is_static = !status;
  strata_status_free(status);
  for (int i = 0; is_static && i < n_dims; i++)
    is_static = strata_dim_is_constant(dims[i], &out_sizes[i]);
  return is_static;
}

// Every read of a contraction of static shape lies inside its operand, where nothing is padded.
static strata_status_t check_contract_reads(const strata__record_t *r, int n_dims, const int64_t *sizes) {
  const strata__attr_t *maps = strata__get(r, "maps");
  for (int operand = 0; operand < 2; operand++) {
    for (int i = 0; i < r->operands[operand].rank; i++) {
      int64_t coefficients[STRATA_MAX_RANK] = {0}, least = 0, size;
      bool fits = strata__split_linear(mlirAffineMapGetResult(maps->maps[operand], i), 1, coefficients, &least);
      if (!strata_dim_is_constant(r->operands[operand].dims[i], &size))
        continue;
      int64_t greatest = least;
      for (int d = 0; fits && d < n_dims; d++)
        fits = add_product(coefficients[d] < 0 ? &least : &greatest, coefficients[d], sizes[d] - 1);
      if (!fits || least < 0 || greatest >= size)
        return strata__invalid("maps: operand %d, dim %d: reads from %lld to %lld are not inside 0 to %lld", operand, i,
                               (long long)least, (long long)greatest, (long long)size - 1);
    }
  }
  return NULL;
}

// Scales are those of rhs, a 32nd of them along a dim that the reduction walks by whole blocks.
static strata_status_t check_scales(const strata__record_t *r) {
  const strata_shape_t *rhs = &r->operands[1], *scales = &r->operands[2];
  int64_t axis = strata__i64(r, "axis"), size;
  for (int i = 0; i < 2; i++)
    if (strata_type_info[r->operands[i].type].bits != 8)
      return strata__invalid("operand %d: expected a float of 8 bits, got %s", i,
                             strata__type_name(r->operands[i].type));
  if (axis < 0 || axis >= rhs->rank)
    return strata__invalid("axis: expected 0 to %d, got %lld", rhs->rank - 1, (long long)axis);
  MlirAffineExpr expr = mlirAffineMapGetResult(strata__get(r, "maps")->maps[1], axis);
  bool is_reduced = mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) >= r->results[0].rank;
  if (!is_reduced || !strata_dim_is_constant(rhs->dims[axis], &size) || size % STRATA_SCALED_BLOCK)
    return strata__invalid("axis: expected a dim of whole blocks of %d that is summed over", STRATA_SCALED_BLOCK);
  if (scales->type != STRATA_TYPE_I8 || scales->rank != rhs->rank)
    return strata__invalid("operand 2: expected %d dims of i8, got %d of %s", rhs->rank, scales->rank,
                           strata__type_name(scales->type));
  for (int i = 0; i < rhs->rank; i++) {
    strata_dim_t own = rhs->dims[i];
    if (i == axis)
      own = strata_dim_constant(mlirAffineExprGetContext(own), size / STRATA_SCALED_BLOCK);
    if (!strata_dim_equal(scales->dims[i], own))
      return strata__invalid("operand 2: dim %d does not suit that of operand 1", i);
  }
  return NULL;
}

strata_status_t strata__infer_contract(strata__record_t *r) {
  int64_t sizes[STRATA_MAX_RANK];
  strata_dim_t dims[STRATA_MAX_RANK] = {{0}};
  strata_type_t type = r->results[0].type;
  if (type == STRATA_TYPE_COUNT || !strata_type_info[type].computes)
    return strata__invalid("result: expected a type that computes, got %s", strata__type_name(type));
  for (int i = 0; i < 2; i++)
    if (strata_type_info[r->operands[i].type].kind != strata_type_info[type].kind)
      return strata__invalid("operand %d: cannot accumulate %s in %s", i, strata__type_name(r->operands[i].type),
                             strata__type_name(type));
  STRATA_TRY(check_contract_maps(r));
  int n_dims = (int)mlirAffineMapGetNumDims(strata__get(r, "maps")->maps[2]);
  STRATA_TRY(contract_dims(r, n_dims, dims));
  if (r->id == STRATA_OP_SCALED_CONTRACT)
    STRATA_TRY(check_scales(r));
  bool is_empty = false, is_static = true;
  for (int i = 0; i < n_dims; i++) {
    is_static = is_static && strata_dim_is_constant(dims[i], &sizes[i]);
    is_empty = is_empty || (is_static && sizes[i] == 0);
  }
  return strata__i64(r, "zero_pad") || !is_static || is_empty ? NULL : check_contract_reads(r, n_dims, sizes);
}
