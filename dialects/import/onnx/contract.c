// Matrix products and einsum, as strata.contract.
#include "dialects/import/onnx/activation.h"
#include "dialects/import/onnx/quantize.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/import/onnx/window.h"

#include <ctype.h>
#include <string.h>

//===-- Matrix products ------------------------------------------------------------------------------------------===//

// A text of letters, one a dim.
typedef struct {
  int count;
  char text[4 * STRATA_MAX_RANK + 4];
} letters_t;

static void append(letters_t *letters, char letter) {
  if (letters->count + 1 < (int)sizeof letters->text)
    letters->text[letters->count++] = letter;
}

// The batch dims of an operand: size 1 is dropped where the other operand has more. |n_own| are those it has of the
// |n_batch| of the result.
static MlirValue batch_letters(onnx_node_t *n, MlirValue x, int n_own, int n_batch, const strata_dim_t *batch,
                               letters_t *letters) {
  strata_shape_t shape = onnx_shape(x), kept = {.rank = 0};
  for (int i = 0; i < shape.rank; i++) {
    int place = i + n_batch - n_own;
    if (i < n_own && !strata_dim_equal(shape.dims[i], batch[place]))
      continue;
    kept.dims[kept.rank++] = shape.dims[i];
    if (i < n_own)
      append(letters, (char)('A' + place));
  }
  return onnx_reshape_dims(n, x, kept.rank, kept.dims);
}

MlirValue onnx_matmul(onnx_node_t *n, MlirValue lhs, MlirValue rhs, strata_type_t type) {
  strata_shape_t l = onnx_shape(lhs), r = onnx_shape(rhs);
  if (!onnx_failed(n) && (l.rank < 1 || r.rank < 1))
    onnx_invalid(n, "expected operands of 1 dimension or more");
  if (onnx_failed(n))
    return (MlirValue){0};
  int l_batch = l.rank > 2 ? l.rank - 2 : 0, r_batch = r.rank > 2 ? r.rank - 2 : 0;
  int n_batch = l_batch > r_batch ? l_batch : r_batch;
  strata_dim_t batch[STRATA_MAX_RANK], one = onnx_dim(n, 1);
  for (int i = 0; i < n_batch; i++) {
    int at_l = i - (n_batch - l_batch), at_r = i - (n_batch - r_batch);
    strata_dim_t l_size = at_l >= 0 ? l.dims[at_l] : one, r_size = at_r >= 0 ? r.dims[at_r] : one;
    batch[i] = strata_dim_is(l_size, 1) ? r_size : l_size;
    if (!strata_dim_is(l_size, 1) && !strata_dim_is(r_size, 1) && !onnx_agree(n, l_size, r_size))
      onnx_invalid(n, "batch sizes %s and %s differ", onnx_dim_text(n, l_size), onnx_dim_text(n, r_size));
  }
  for (int i = 0; i < n_batch; i++)
    batch[i] = onnx_resolve(n->importer, batch[i]);
  letters_t all = {0}, result = {0};
  lhs = batch_letters(n, lhs, l_batch, n_batch, batch, &all);
  if (l.rank > 1)
    append(&all, 'm');
  append(&all, 'k');
  append(&all, ',');
  rhs = batch_letters(n, rhs, r_batch, n_batch, batch, &all);
  append(&all, 'k');
  if (r.rank > 1)
    append(&all, 'n');
  for (int i = 0; i < n_batch; i++)
    append(&result, (char)('A' + i));
  if (l.rank > 1)
    append(&result, 'm');
  if (r.rank > 1)
    append(&result, 'n');
  const char *letters = strata_arena_printf(n->b->compile->arena, "%s->%s", all.text, result.text);
  return onnx_contract(n, letters, lhs, rhs, type, "matmul");
}

void onnx_import_matmul(onnx_node_t *n) {
  MlirValue lhs = onnx_operand(n, 0), rhs = onnx_operand(n, 1);
  onnx_set_like(n, 0, onnx_matmul(n, lhs, rhs, onnx_shape(lhs).type), 0);
}

static MlirValue times(onnx_node_t *n, MlirValue x, double factor) {
  return factor == 1 ? x : onnx_with_number(n, STRATA_OP_MUL, x, factor);
}

// An operand of FusedMatMul as one of MatMul: |batch| says that its first dim is the last but one, before the last two
// are exchanged.
static MlirValue transposed(onnx_node_t *n, MlirValue x, bool batch, bool matrix) {
  int rank = onnx_shape(x).rank;
  if (onnx_failed(n) || rank < 2)
    return x;
  if (batch && rank > 2)
    x = onnx_move_axis(n, x, 0, rank - 2);
  return matrix ? onnx_move_axis(n, x, rank - 2, rank - 1) : x;
}

void onnx_import_fused_matmul(onnx_node_t *n) {
  MlirValue lhs = transposed(n, onnx_operand(n, 0), onnx_attr_int(n, "transBatchA", 0), onnx_attr_int(n, "transA", 0));
  MlirValue rhs = transposed(n, onnx_operand(n, 1), onnx_attr_int(n, "transBatchB", 0), onnx_attr_int(n, "transB", 0));
  if (!onnx_failed(n))
    onnx_set(n, 0, times(n, onnx_matmul(n, lhs, rhs, onnx_shape(lhs).type), onnx_attr_float(n, "alpha", 1)));
}

static MlirValue gemm(onnx_node_t *n) {
  static const char *const letters[2][2] = {{"mk,kn->mn", "mk,nk->mn"}, {"km,kn->mn", "km,nk->mn"}};
  MlirValue lhs = onnx_operand(n, 0), rhs = onnx_operand(n, 1);
  strata_shape_t l = onnx_shape(lhs), r = onnx_shape(rhs);
  if (!onnx_failed(n) && (l.rank != 2 || r.rank != 2))
    onnx_invalid(n, "expected two matrices, got %d and %d dimensions", l.rank, r.rank);
  if (onnx_failed(n))
    return lhs;
  const char *form = letters[onnx_attr_int(n, "transA", 0) != 0][onnx_attr_int(n, "transB", 0) != 0];
  MlirValue result = times(n, onnx_contract(n, form, lhs, rhs, l.type, "matmul"), onnx_attr_float(n, "alpha", 1));
  double beta = onnx_attr_float(n, "beta", 1);
  strata_shape_t shape = onnx_shape(result);
  onnx_expect_broadcast(n, 2, shape.rank, shape.dims);
  if (onnx_failed(n))
    return lhs;
  if (onnx_has(n, 2) && beta != 0)
    result = onnx_binary(n, STRATA_OP_ADD, result, times(n, onnx_operand(n, 2), beta));
  return result;
}

void onnx_import_gemm(onnx_node_t *n) { onnx_set_like(n, 0, gemm(n), 0); }

// com.microsoft's: with an activation behind it.
void onnx_import_fused_gemm(onnx_node_t *n) {
  MlirValue x = gemm(n);
  const char *const names[2] = {"activation_alpha", "activation_beta"};
  float values[2];
  size_t count = 0;
  while (count < 2 && onnx_has_attr(n, names[count])) {
    values[count] = (float)onnx_attr_float(n, names[count], 0);
    count++;
  }
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_activate_named(n, x, count, values));
}

// A zero point of the left operand may be one a row, of the right one a column.
void onnx_import_matmul_integer(onnx_node_t *n) {
  int rows = onnx_operand_shape(n, 0).rank - 2, columns = onnx_operand_shape(n, 1).rank - 1;
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_matmul(n, onnx_centered(n, 0, 2, rows), onnx_centered(n, 1, 3, columns), STRATA_TYPE_I32));
}

// a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero.
void onnx_import_qlinear_matmul(onnx_node_t *n) {
  int rows = onnx_operand_shape(n, 0).rank - 2, columns = onnx_operand_shape(n, 3).rank - 1;
  if (onnx_failed(n))
    return;
  MlirValue sum = onnx_matmul(n, onnx_centered(n, 0, 2, rows), onnx_centered(n, 3, 5, columns), STRATA_TYPE_I32);
  onnx_requantize(n, sum, onnx_shape(sum).rank - 1);
}

//===-- Einsum ---------------------------------------------------------------------------------------------------===//

enum { MAX_TERMS = 16, N_LETTERS = 128 };

typedef struct {
  int n_terms;
  letters_t terms[MAX_TERMS], result;
  bool has_result;
  int n_dots;                    // dims that an ellipsis stands for: the letters '0', '1', ... from the right
  strata_dim_t sizes[N_LETTERS]; // of each letter, null: not seen
} einsum_t;

// Reads one term up to ',' or '-'. An ellipsis stands for |n_dots| dims.
static const char *read_term(onnx_node_t *n, const char *at, int n_dots, letters_t *term) {
  for (; *at && *at != ',' && *at != '-'; at++) {
    if (!strncmp(at, "...", 3)) {
      for (int i = n_dots - 1; i >= 0; i--)
        append(term, (char)('0' + i));
      at += 2;
    } else if (isalpha((unsigned char)*at)) {
      append(term, *at);
    } else if (*at != ' ') {
      onnx_invalid(n, "equation: '%c' is no letter", *at);
    }
  }
  return at;
}

static int count_letters(const char *at) {
  int count = 0;
  for (; *at && *at != ',' && *at != '-'; at++)
    count += isalpha((unsigned char)*at) != 0;
  return count;
}

// How many dims the ellipsis of a term stands for.
static int dots_of(onnx_node_t *n, const char *term, int operand) {
  int dots = onnx_operand_shape(n, operand).rank - count_letters(term);
  size_t length = strcspn(term, ",-");
  bool has_dots = false;
  for (size_t i = 0; i + 2 < length; i++)
    has_dots = has_dots || !strncmp(term + i, "...", 3);
  if (!onnx_failed(n) && (dots < 0 || dots > 9 || (dots > 0 && !has_dots)))
    onnx_invalid(n, "equation: operand %d has %d dimensions", operand, onnx_operand_shape(n, operand).rank);
  return has_dots && dots > 0 && dots < 10 ? dots : 0;
}

// Not 0 or 1, which other sizes go with.
static bool is_long(strata_dim_t size) { return !strata_dim_is(size, 1) && !strata_dim_is(size, 0); }

static void note_sizes(onnx_node_t *n, einsum_t *e, int operand) {
  strata_shape_t shape = onnx_operand_shape(n, operand);
  for (int i = 0; i < shape.rank && i < e->terms[operand].count; i++) {
    strata_dim_t *size = &e->sizes[(int)e->terms[operand].text[i]];
    bool is_seen = !mlirAffineExprIsNull(*size);
    if (is_seen && is_long(*size) && is_long(shape.dims[i]) && !onnx_agree(n, *size, shape.dims[i]))
      onnx_invalid(n, "equation: '%c' has sizes %s and %s", e->terms[operand].text[i], onnx_dim_text(n, *size),
                   onnx_dim_text(n, shape.dims[i]));
    *size = is_seen && is_long(*size) ? *size : shape.dims[i];
  }
}

// Without "->" the result has the ellipsis and then the letters that occur once, in alphabetical order.
static void implicit_result(einsum_t *e) {
  for (int i = e->n_dots - 1; i >= 0; i--)
    append(&e->result, (char)('0' + i));
  for (char letter = 'A'; letter <= 'z'; letter++) {
    int seen = 0;
    for (int t = 0; t < e->n_terms; t++)
      for (int i = 0; i < e->terms[t].count; i++)
        seen += e->terms[t].text[i] == letter;
    if (seen == 1)
      append(&e->result, letter);
  }
}

static void parse_equation(onnx_node_t *n, const char *equation, einsum_t *e) {
  const char *at = equation;
  while (!onnx_failed(n)) {
    if (e->n_terms == MAX_TERMS || e->n_terms == n->n_inputs) {
      onnx_invalid(n, "equation: there are %d operands", n->n_inputs);
      return;
    }
    int dots = dots_of(n, at, e->n_terms);
    e->n_dots = dots > e->n_dots ? dots : e->n_dots;
    at = read_term(n, at, dots, &e->terms[e->n_terms]);
    note_sizes(n, e, e->n_terms++);
    if (*at != ',')
      break;
    at++;
  }
  if (!onnx_failed(n) && e->n_terms != n->n_inputs)
    onnx_invalid(n, "equation: there are %d operands", n->n_inputs);
  if (!strncmp(at, "->", 2) && !onnx_failed(n))
    at = read_term(n, at + 2, e->n_dots, &e->result);
  else
    implicit_result(e);
  if (*at)
    onnx_invalid(n, "equation: '%s' is not understood", equation);
}

static int find(const letters_t *letters, char letter) {
  const char *at = letters->count ? memchr(letters->text, letter, (size_t)letters->count) : NULL;
  return at ? (int)(at - letters->text) : -1;
}

static void erase(letters_t *letters, int i) {
  memmove(letters->text + i, letters->text + i + 1, (size_t)(letters->count - i));
  letters->count--;
}

// Of dims |i| and |k| of the known size as one, every (size + 1)th element.
static MlirValue known_diagonal(onnx_node_t *n, MlirValue x, int i, int k, int64_t size) {
  int last = onnx_shape(x).rank - 1;
  x = onnx_move_axis(n, onnx_move_axis(n, x, k, last), i, last);
  strata_shape_t shape = onnx_shape(x);
  shape.dims[last - 1] = onnx_dim(n, size * size);
  x = onnx_reshape_dims(n, x, last, shape.dims);
  return onnx_move_axis(n, onnx_slice_axis(n, x, last - 1, 0, size + 1, size), last - 1, i);
}

// Of a size that varies, the sum over dim |k| of what is left with 0 beside the diagonal.
static MlirValue varying_diagonal(onnx_node_t *n, MlirValue x, int i, int k) {
  strata_shape_t shape = onnx_shape(x);
  bool axes[STRATA_MAX_RANK] = {false};
  axes[k] = true;
  MlirValue is_on = onnx_binary(n, STRATA_OP_EQ, onnx_iota_dims(n, STRATA_TYPE_I64, shape.rank, shape.dims, i),
                                onnx_iota_dims(n, STRATA_TYPE_I64, shape.rank, shape.dims, k));
  return onnx_reduce(n, STRATA_COMBINER_ADD, onnx_select(n, is_on, x, onnx_number(n, x, 0)), axes, false);
}

// Takes the diagonal of dims |i| and |k|, i before k, which one letter names: no size of 1 goes with another here.
static MlirValue diagonal(onnx_node_t *n, MlirValue x, int i, int k) {
  strata_shape_t shape = onnx_shape(x);
  int64_t size, other;
  if (!onnx_agree(n, shape.dims[i], shape.dims[k])) {
    onnx_invalid(n, "equation: a letter names two dims of one operand, of sizes %s and %s",
                 onnx_dim_text(n, shape.dims[i]), onnx_dim_text(n, shape.dims[k]));
    return x;
  }
  bool is_known = strata_dim_is_constant(shape.dims[i], &size) && strata_dim_is_constant(shape.dims[k], &other);
  return is_known && size > 0 ? known_diagonal(n, x, i, k, size) : varying_diagonal(n, x, i, k);
}

// Each letter once; a dim of size 1 that is larger elsewhere is dropped; letters that nothing else needs are summed up.
static MlirValue simplify_term(onnx_node_t *n, const einsum_t *e, int operand, letters_t *term) {
  MlirValue x = onnx_operand(n, operand);
  for (int i = 0; i < term->count && !onnx_failed(n); i++)
    for (int k = term->count - 1; k > i; k--)
      if (term->text[k] == term->text[i]) {
        x = diagonal(n, x, i, k);
        erase(term, k);
      }
  if (onnx_failed(n))
    return x;
  bool sum[STRATA_MAX_RANK] = {false};
  for (int i = term->count - 1; i >= 0; i--) {
    char letter = term->text[i];
    bool needed = find(&e->result, letter) >= 0;
    for (int t = 0; t < e->n_terms; t++)
      needed = needed || (t != operand && find(&e->terms[t], letter) >= 0);
    if (strata_dim_is(onnx_shape(x).dims[i], 1) && (is_long(e->sizes[(int)letter]) || !needed)) {
      x = onnx_remove_axis(n, x, i);
      erase(term, i);
      memmove(sum + i, sum + i + 1, (size_t)(STRATA_MAX_RANK - i - 1) * sizeof *sum);
    } else {
      sum[i] = !needed;
    }
  }
  x = onnx_reduce(n, STRATA_COMBINER_ADD, x, sum, false);
  for (int i = term->count - 1; i >= 0; i--)
    if (sum[i])
      erase(term, i);
  return x;
}

// The product of what there is and the next term; keeps the letters that are still needed, in the result's order at
// last.
static MlirValue multiply(onnx_node_t *n, const einsum_t *e, int next, MlirValue lhs, MlirValue rhs,
                          letters_t *letters) {
  const letters_t *term = &e->terms[next];
  letters_t kept = {0};
  bool is_last = next == e->n_terms - 1;
  for (int i = 0; i < letters->count + term->count && !is_last; i++) {
    char letter = i < letters->count ? letters->text[i] : term->text[i - letters->count];
    bool needed = find(&e->result, letter) >= 0;
    for (int t = next + 1; t < e->n_terms; t++)
      needed = needed || find(&e->terms[t], letter) >= 0;
    if (needed && find(&kept, letter) < 0)
      append(&kept, letter);
  }
  for (int i = 0; i < e->result.count && is_last; i++)
    if (find(letters, e->result.text[i]) >= 0 || find(term, e->result.text[i]) >= 0)
      append(&kept, e->result.text[i]);
  const char *text = strata_arena_printf(n->b->compile->arena, "%s,%s->%s", letters->text, term->text, kept.text);
  *letters = kept;
  return onnx_contract(n, text, lhs, rhs, onnx_shape(lhs).type, "matmul");
}

// Puts |letters| into the result's order.
static MlirValue arrange(onnx_node_t *n, const einsum_t *e, MlirValue x, const letters_t *letters) {
  int64_t permutation[STRATA_MAX_RANK];
  bool seen[STRATA_MAX_RANK] = {false};
  for (int i = 0; i < e->result.count && !onnx_failed(n); i++) {
    int from = find(letters, e->result.text[i]);
    if (from < 0 || i >= STRATA_MAX_RANK || seen[from])
      onnx_invalid(n, "equation: '%c' of the result is in no operand, or twice in the result", e->result.text[i]);
    else
      permutation[i] = from;
    if (from >= 0)
      seen[from] = true;
  }
  return onnx_failed(n) ? (MlirValue){0} : strata_build_transpose(n->b, x, permutation);
}

void onnx_import_einsum(onnx_node_t *n) {
  einsum_t e = {0};
  parse_equation(n, onnx_attr_string(n, "equation", ""), &e);
  MlirValue terms[MAX_TERMS];
  for (int t = 0; t < e.n_terms && !onnx_failed(n); t++)
    terms[t] = simplify_term(n, &e, t, &e.terms[t]);
  if (onnx_failed(n))
    return;
  MlirValue result = terms[0];
  letters_t letters = e.terms[0];
  for (int t = 1; t < e.n_terms; t++)
    result = multiply(n, &e, t, result, terms[t], &letters);
  onnx_set_like(n, 0, arrange(n, &e, result, &letters), 0);
}
