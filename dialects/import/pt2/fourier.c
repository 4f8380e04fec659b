// Fourier transforms: along one dim after another, of a tensor whose last dim is the parts. Operators of complex
// tensors come with their parts (complex.h).
#include "dialects/import/pt2/shape.h"

#include <math.h>
#include <string.h>

// What an operator transforms. The half of a spectrum that a real tensor has is along the last of the dims.
typedef struct {
  bool is_inverse, from_real, to_real; // of a half; real tensors may have a whole spectrum too
  int count;
  int64_t dims[STRATA_TENSOR_MAX_RANK], lengths[STRATA_TENSOR_MAX_RANK]; // of the signal
  double scale;                                                          // beside 1 / length of the inverse
} transform_t;

static int64_t size_of(pt2_node_t *n, const pt2_value_t *self, int64_t dim) {
  int64_t size = n->has_failed ? 1 : self->sizes[dim].number;
  if (size < 1)
    pt2_refuse(n, "a transform along a dimension whose size varies");
  return n->has_failed ? 1 : size;
}

// The dims that are named by "dim"; else the last |otherwise|, or all where that is -1.
static void read_dims(pt2_node_t *n, transform_t *t, int rank, int otherwise) {
  t->count = -1;
  if (pt2_has(n, "dim")) {
    const int64_t *dims = pt2_ints(n, "dim", &t->count);
    for (int i = 0; i < t->count && i < rank; i++)
      t->dims[i] = pt2_normal_axis(n, dims[i], rank);
  } else {
    t->count = otherwise < 0 || otherwise > rank ? rank : otherwise;
    for (int i = 0; i < t->count; i++)
      t->dims[i] = rank - t->count + i;
  }
  if (t->count < 1 || t->count > rank)
    pt2_refuse(n, "%d dims of %d", t->count, rank);
}

// |name|: of an argument that may have other lengths; NULL: none.
static void read_lengths(pt2_node_t *n, transform_t *t, const pt2_value_t *self, const char *name) {
  int count = t->count;
  const int64_t *given = name && pt2_has(n, name) ? pt2_ints(n, name, &count) : NULL;
  for (int i = 0; i < t->count && !n->has_failed; i++) {
    bool is_half = t->to_real && i == t->count - 1;
    int64_t size = size_of(n, self, t->dims[i]);
    t->lengths[i] = given && given[i] >= 0 ? given[i] : is_half ? 2 * (size - 1) : size;
    if (t->lengths[i] < 1)
      pt2_refuse(n, "a transform of length %lld", (long long)t->lengths[i]);
  }
}

// |by|: 0 nothing, 1 the root of the number of elements, 2 that number.
static void set_scale(transform_t *t, int64_t by) {
  double count = 1;
  for (int i = 0; i < t->count; i++)
    count *= (double)t->lengths[i];
  t->scale = by == 0 ? 1 : by == 1 ? 1 / sqrt(count) : 1 / count;
  t->scale *= t->is_inverse ? count : 1;
}

static int64_t read_norm(pt2_node_t *n, bool is_inverse) {
  const char *norm = pt2_string(n, "norm", "backward");
  if (!strcmp(norm, "ortho"))
    return 1;
  if (strcmp(norm, "backward") != 0 && strcmp(norm, "forward") != 0)
    pt2_refuse(n, "norm '%s'", norm);
  return !strcmp(norm, "forward") == !is_inverse ? 2 : 0;
}

//===-- Building -------------------------------------------------------------------------------------------------===//

// A dim of size 1 or 2 behind the others.
static const char *pairs(pt2_node_t *n, const pt2_value_t *self) {
  bool has_imaginary = pt2_has(n, "imaginary");
  int64_t last = self->rank;
  if (n->has_failed)
    return "";
  const char *real = graph_unsqueeze(n->g, self->name, 1, &last);
  if (!has_imaginary)
    return real;
  pt2_value_t imaginary = pt2_tensor(n, "imaginary");
  return n->has_failed
             ? ""
             : pt2_concat(n, 2, (const char *[]){real, graph_unsqueeze(n->g, imaginary.name, 1, &last)}, last);
}

static const char *along(pt2_node_t *n, const transform_t *t, const char *value, int i, bool is_half) {
  return n->has_failed ? "" : graph_dft(n->g, value, t->dims[i], t->lengths[i], t->is_inverse, is_half);
}

// Elements of the half side that the length does not need.
static const char *cut(pt2_node_t *n, const transform_t *t, const char *value) {
  int64_t zero = 0, one = 1, end = t->lengths[t->count - 1] / 2 + 1;
  return pt2_slice(n, value, t->dims[t->count - 1], pt2_known_ints(n, 1, &zero), pt2_known_ints(n, 1, &end),
                   pt2_known_ints(n, 1, &one));
}

static const char *scaled(pt2_node_t *n, const transform_t *t, const char *value, strata_dtype_t dtype) {
  return t->scale == 1 ? value : pt2_op(n, "Mul", GRAPH_VALUES(value, pt2_number_value(n, dtype, t->scale)));
}

static const char *part_of(pt2_node_t *n, const char *value, int rank, int64_t part) {
  int64_t end = part + 1, one = 1, last = rank;
  const char *slice =
      pt2_slice(n, value, rank, pt2_known_ints(n, 1, &part), pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &one));
  return n->has_failed ? "" : graph_squeeze(n->g, slice, 1, &last);
}

static const char *to_signal(pt2_node_t *n, const transform_t *t, const pt2_value_t *self, const char *value) {
  int64_t last = self->rank;
  value = along(n, t, cut(n, t, value), t->count - 1, true);
  value = n->has_failed ? "" : graph_squeeze(n->g, value, 1, &last);
  return scaled(n, t, value, self->dtype);
}

const char *pt2_inverse_spectrum(pt2_node_t *n, const pt2_value_t *self, int64_t dim, int64_t length,
                                 bool is_orthogonal) {
  transform_t t = {.is_inverse = true, .to_real = true, .count = 1, .dims = {dim}, .lengths = {length}};
  set_scale(&t, is_orthogonal ? 1 : 2);
  return to_signal(n, &t, self, pairs(n, self));
}

// A real tensor has its last dim transformed first, or last on the way back.
static void build(pt2_node_t *n, const transform_t *t, const pt2_value_t *self) {
  strata_dtype_t dtype = self->dtype;
  const char *value = pairs(n, self);
  if (t->from_real)
    value = along(n, t, value, t->count - 1, true);
  for (int i = 0; i < t->count - (t->from_real || t->to_real); i++)
    value = along(n, t, value, i, false);
  if (t->to_real) {
    pt2_set(n, 0, to_signal(n, t, self, value));
    return;
  }
  for (int part = 0; part < 2; part++)
    if (pt2_wants(n, part))
      pt2_set(n, part, scaled(n, t, part_of(n, value, self->rank, part), dtype));
}

static pt2_value_t read_self(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  if (!n->has_failed && !pt2_is_float(self.dtype)) {
    self.name = pt2_cast(n, &self, pt2_result_dtype(n));
    self.dtype = pt2_result_dtype(n);
  }
  if (!n->has_failed && self.rank < 1)
    pt2_refuse(n, "a tensor without dimensions");
  return self;
}

// torch.fft's: the row says which: "rfft", "ifft2", ...
void pt2_import_fourier(pt2_node_t *n) {
  const char *detail = n->info->detail, *size = strchr(detail, 't') + 1; // "", "2", "n"
  transform_t t = {.is_inverse = *detail == 'i', .from_real = *detail == 'r', .to_real = !strncmp(detail, "ir", 2)};
  pt2_value_t self = read_self(n);
  int n_last = !*size ? 1 : *size == '2' ? 2 : -1;
  if (*size == 'n' && pt2_has(n, "s"))
    pt2_items(n, "s", &n_last);
  read_dims(n, &t, self.rank, n_last);
  read_lengths(n, &t, &self, *size ? "s" : "n");
  set_scale(&t, read_norm(n, t.is_inverse));
  build(n, &t, &self);
}

// What these are decomposed to: _fft_r2c, _fft_c2r, _fft_c2c.
void pt2_import_fourier_core(pt2_node_t *n) {
  transform_t t = {.to_real = !strcmp(n->info->detail, "c2r")};
  pt2_value_t self = read_self(n);
  t.from_real = !strcmp(n->info->detail, "r2c") && pt2_bool(n, "onesided");
  t.is_inverse = t.to_real || (!strcmp(n->info->detail, "c2c") && !pt2_bool(n, "forward"));
  read_dims(n, &t, self.rank, -1);
  read_lengths(n, &t, &self, NULL);
  if (t.to_real && !n->has_failed)
    t.lengths[t.count - 1] = pt2_int(n, "last_dim_size");
  if (t.to_real && !n->has_failed && t.lengths[t.count - 1] < 1)
    pt2_refuse(n, "a transform of length %lld", (long long)t.lengths[t.count - 1]);
  set_scale(&t, pt2_int(n, "normalization"));
  build(n, &t, &self);
}

// Half of the elements of each dim go to the other end.
void pt2_import_fft_shift(pt2_node_t *n) {
  bool is_inverse = *n->info->detail == 'i';
  pt2_value_t self = pt2_tensor(n, "self");
  transform_t t;
  read_dims(n, &t, self.rank, -1);
  const char *value = self.name;
  for (int i = 0; i < t.count && !n->has_failed; i++) {
    int64_t size = size_of(n, &self, t.dims[i]), zero = 0, one = 1, end = INT64_MAX;
    int64_t front = is_inverse ? size / 2 : size - size / 2;
    const char *first = pt2_known_ints(n, 1, &zero), *middle = pt2_known_ints(n, 1, &front);
    const char *last = pt2_known_ints(n, 1, &end), *step = pt2_known_ints(n, 1, &one);
    const char *parts[] = {pt2_slice(n, value, t.dims[i], middle, last, step),
                           pt2_slice(n, value, t.dims[i], first, middle, step)};
    value = pt2_concat(n, 2, parts, t.dims[i]);
  }
  pt2_set(n, 0, value);
}

//===-- Parts ----------------------------------------------------------------------------------------------------===//

// The parts side by side in one more dim.
void pt2_import_pairs(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  pt2_set(n, 0, pairs(n, &self));
}
