// Keys and values that lie in pages of a cache: a nest of the kernel gathers them, by numbers in memory, the block
// table. See attention_reader.h.
//
//   %n = affine.load %table[%b, %p]   ... %k = arith.index_cast %clamped
//   %x = memref.load %cache[%k, %s, %h, %d]     affine.store %x, %gathered[%b, %p, %s, %h, %d]
//
// Column j lies in row j mod page of page number j floordiv page of its batch.
#include "dialects/affine/attention_reader.h"

#include "dialects/affine/simplify.h"

typedef strata_term_t term_t;
typedef strata_attention_reader_t reader_t;

enum { MAX_STEPS = 32, LEAST_PAGE = 8 }; // rows that the copy engine exchanges units in

// What a page's number is made of.
typedef struct {
  const reader_t *r;
  int64_t page;
  int steps;
  uint32_t dims; // canonical ones
} number_t;

static MlirAffineExpr constant(const reader_t *r, int64_t value) {
  return mlirAffineConstantExprGet(r->context, value);
}

// True if |expr| is the same in all of a page's columns.
static bool is_of_page(const number_t *n, MlirAffineExpr expr) {
  const strata_attention_t *a = &n->r->a;
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  for (int dim = 0; dim < a->n_dims; dim++) {
    dims[dim] = mlirAffineDimExprGet(n->r->context, dim);
    sizes[dim] = a->sizes[dim];
  }
  dims[a->column] = mlirAffineAddExprGet(mlirAffineMulExprGet(dims[a->column], constant(n->r, n->page)),
                                         mlirAffineDimExprGet(n->r->context, a->n_dims));
  sizes[a->column] = strata_size_ceil_div(a->sizes[a->column], n->page);
  sizes[a->n_dims] = strata_size_constant(n->page);
  const strata_space_t space = {a->n_dims + 1, sizes, a->symbols.count, a->symbols.sizes};
  MlirAffineMap split = mlirAffineMapGet(n->r->context, a->n_dims + 1, a->symbols.count, a->n_dims, dims);
  return !strata_affine_expr_uses(strata_affine_simplify(mlirAffineExprCompose(expr, split), &space), a->n_dims);
}

static bool take_place(number_t *n, MlirAffineMap at) {
  n->dims |= strata_affine_map_dims(at);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(at); i++)
    if (!is_of_page(n, mlirAffineMapGetResult(at, i)))
      return false;
  return true;
}

// Arithmetic on numbers that come from outside of the kernel.
static bool read_number(number_t *n, term_t term) {
  const reader_t *r = n->r;
  const strata_access_t *store;
  MlirOperation op = strata_def(term.value);
  MlirAffineExpr expr;
  if (n->steps++ == MAX_STEPS)
    return false;
  if (strata_term_number(r, &term, &expr))
    return take_place(n, mlirAffineMapGet(r->context, r->a.n_dims, r->a.symbols.count, 1, &expr));
  const strata_access_t *load = strata_term_load(term.nest, op);
  strata_space_t space = strata_attention_space(&r->a);
  if (load)
    return !mlirAffineMapIsNull(load->map) && mlirOperationIsNull(load->guard) &&
           !strata_kernel_producer(r->a.kernel, load->buffer, &store) &&
           take_place(n, strata_affine_compose(load->map, strata_term_map(r, &term), &space));
  if (mlirOperationIsNull(op) || mlirOperationGetNumRegions(op) > 0 ||
      strncmp(strata_op_name(op).data, "arith.", 6) != 0)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!read_number(n, strata_term_operand(&term, i)))
      return false;
  return true;
}

// Which index but the first is the column's, modulo the extent of its dim: the page's columns; 0 if none is.
static int64_t find_page(const reader_t *r, MlirValue cache, int rank, const MlirAffineExpr *place) {
  const strata_attention_t *a = &r->a;
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_space_t space = strata_attention_space(a);
  MlirAffineExpr column = mlirAffineDimExprGet(r->context, a->column);
  int64_t page = 0, size;
  strata_memref_sizes(cache, sizes);
  for (int i = 1; i < rank; i++) {
    if (!strata_affine_expr_uses(place[i], a->column))
      continue;
    if (page || !strata_size_is_constant(sizes[i], &size) ||
        !mlirAffineExprEqual(place[i], strata_affine_simplify(mlirAffineModExprGet(column, constant(r, size)), &space)))
      return 0;
    page = size;
  }
  return page > 0 && page % LEAST_PAGE == 0 && strata_size_divides(page, a->sizes[a->column]) ? page : 0;
}

bool strata_attention_read_pages(const reader_t *r, const term_t *term, strata_attention_operand_t *out) {
  const strata_attention_t *a = &r->a;
  const strata_access_t *load = strata_term_load(term->nest, strata_def(term->value)), *store;
  if (!load || !strata_op_is(load->op, "memref.load") || !mlirOperationIsNull(load->guard) || load->in_reduction ||
      strata_kernel_producer(a->kernel, load->buffer, &store) || a->symbols.count > 0 || a->n_dims == STRATA_MAX_DIMS)
    return false;
  int rank = (int)mlirOperationGetNumOperands(load->op) - 1;
  MlirAffineExpr place[STRATA_MAX_DIMS];
  strata_space_t space = strata_attention_space(a);
  for (int i = 1; i < rank; i++) {
    term_t index = strata_term_operand(term, i + 1);
    if (!strata_term_number(r, &index, &place[i]))
      return false;
    place[i] = strata_affine_simplify(place[i], &space);
  }
  number_t number = {.r = r, .page = rank > 1 ? find_page(r, load->buffer, rank, place) : 0};
  out->number = strata_term_operand(term, 1);
  if (!number.page || !read_number(&number, out->number))
    return false;
  place[0] = mlirAffineFloorDivExprGet(mlirAffineDimExprGet(r->context, a->column), constant(r, number.page));
  out->access = load;
  out->page = number.page;
  out->map = mlirAffineMapGet(r->context, a->n_dims, a->symbols.count, rank, place);
  out->dims = strata_affine_map_dims(out->map) | number.dims;
  return true;
}

bool strata_attention_gathers(const strata_attention_t *a, const strata_nest_t *nest) {
  bool gathers = false;
  for (int i = STRATA_ATTENTION_K; i <= STRATA_ATTENTION_V; i++)
    gathers |= a->operands[i].page && a->operands[i].number.nest == nest;
  return gathers;
}

bool strata_attention_fits_pages(const strata_attention_t *a, int64_t columns) {
  for (int i = STRATA_ATTENTION_K; i <= STRATA_ATTENTION_V; i++) {
    int64_t page = a->operands[i].page, box = columns;
    while (page && page % box != 0 && box % 2 == 0)
      box /= 2;
    if (page && (page % box != 0 || box % LEAST_PAGE != 0 || (columns > page && columns % page != 0)))
      return false;
  }
  return true;
}
