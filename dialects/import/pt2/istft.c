// torch.istft: signals of the spectra of frames that overlap, each frame times a window.
#include "dialects/import/pt2/shape.h"

enum { MOST_OVERLAPS = 256 };

typedef struct {
  int64_t length, step, window_length;
  strata_dtype_t dtype;
} frames_t;

static int64_t int_or(pt2_node_t *n, const char *name, int64_t otherwise) {
  return pt2_has(n, name) ? pt2_int(n, name) : otherwise;
}

static frames_t read_frames(pt2_node_t *n) {
  frames_t f = {.length = pt2_int(n, "n_fft"), .dtype = pt2_result_dtype(n)};
  f.step = int_or(n, "hop_length", f.length / 4);
  f.window_length = int_or(n, "win_length", f.length);
  if (pt2_bool(n, "return_complex"))
    pt2_refuse(n, "return_complex=True");
  if (f.step < 1 || f.step > f.window_length || f.window_length > f.length || f.length > INT32_MAX)
    pt2_refuse(n, "frames of %lld each %lld, with a window of %lld", (long long)f.length, (long long)f.step,
               (long long)f.window_length);
  if (!n->has_failed && f.length / f.step > MOST_OVERLAPS)
    pt2_refuse(n, "more than %d frames that overlap", MOST_OVERLAPS);
  return f;
}

static const char *pad(pt2_node_t *n, const char *value, const char *pads, const char *fill) {
  return pt2_op(n, "Pad", GRAPH_VALUES(value, pads, fill));
}

// In the middle of a frame.
static const char *frame_window(pt2_node_t *n, const frames_t *f) {
  int64_t left = (f->length - f->window_length) / 2, pads[] = {left, f->length - f->window_length - left};
  const char *size = pt2_known_ints(n, 1, &f->window_length), *zero = pt2_number_value(n, f->dtype, 0);
  const char *window = pt2_has(n, "window") ? pt2_operand(n, "window", f->dtype)
                                            : pt2_op(n, "Expand", GRAPH_VALUES(pt2_number_value(n, f->dtype, 1), size));
  return f->window_length == f->length ? window : pad(n, window, pt2_known_ints(n, 2, pads), zero);
}

// The sums [count, samples] of frames [count, frames, length], each a step behind the one before it. Frames are cut
// into parts of a step, of which part i belongs to row i behind the frame's own.
static const char *overlap(pt2_node_t *n, const frames_t *f, const char *frames) {
  int64_t times = (f->length + f->step - 1) / f->step, zero = 0, one = 1, cut = f->length - times * f->step;
  int64_t whole[] = {0, 0, 0, 0, 0, -cut}, parts[] = {0, 0, times, f->step}, rows[] = {0, -1};
  const char *fill = pt2_number_value(n, f->dtype, 0), *sum = NULL, *step = pt2_known_ints(n, 1, &one);
  if (cut)
    frames = pad(n, frames, pt2_known_ints(n, 6, whole), fill);
  if (n->has_failed)
    return "";
  frames = graph_reshape(n->g, frames, 4, parts);
  for (int64_t i = 0, end = 1, axis = 2; i < times && !n->has_failed; i++, end++) {
    int64_t around[] = {0, i, 0, 0, times - 1 - i, 0};
    const char *part = pt2_slice(n, frames, axis, pt2_known_ints(n, 1, &i), pt2_known_ints(n, 1, &end), step);
    part = pad(n, graph_squeeze(n->g, part, 1, &axis), graph_ints(n->g, 6, around), fill);
    sum = sum ? graph_op(n->g, "Add", GRAPH_VALUES(sum, part)) : part;
  }
  sum = n->has_failed ? "" : graph_reshape(n->g, sum, 2, rows);
  return cut ? pt2_slice(n, sum, 1, pt2_known_ints(n, 1, &zero), pt2_known_ints(n, 1, &cut), step) : sum;
}

// Without what is in front of the middle of the first frame, and of the length asked for, behind which there is |fill|.
static const char *trimmed(pt2_node_t *n, const frames_t *f, const char *sums, double fill) {
  int64_t start = pt2_bool(n, "center") ? f->length / 2 : 0, one = 1, last = start ? -start : INT64_MAX;
  int64_t front[] = {0, 0, 0};
  const char *from = pt2_known_ints(n, 1, &start), *end = pt2_known_ints(n, 1, &last);
  if (pt2_has(n, "length")) {
    const char *length = pt2_sizes(n, "length");
    const char *pads = pt2_along(n, "Concat", GRAPH_VALUES(pt2_known_ints(n, 3, front), length), 0);
    sums = pad(n, sums, pads, pt2_number_value(n, f->dtype, fill));
    end = pt2_op(n, "Add", GRAPH_VALUES(from, length));
  }
  return pt2_slice(n, sums, 1, from, end, pt2_known_ints(n, 1, &one));
}

// The frames' sums over those of the windows' squares.
void pt2_import_istft(pt2_node_t *n) {
  static const int64_t frames_first[] = {0, 2, 1};
  pt2_value_t self = pt2_tensor(n, "self");
  frames_t f = read_frames(n);
  if (self.rank != 2 && self.rank != 3)
    pt2_refuse(n, "of %d dims", self.rank);
  const char *frames = pt2_inverse_spectrum(n, &self, self.rank - 2, f.length, pt2_bool(n, "normalized"));
  int64_t first = 0, one = 1;
  if (self.rank == 2 && !n->has_failed)
    frames = graph_unsqueeze(n->g, frames, 1, &first);
  const char *window = frame_window(n, &f), *square = pt2_op(n, "Mul", GRAPH_VALUES(window, window));
  const char *ones = pt2_known_ints(n, 1, &one), *count = pt2_shape(n, self.name, self.rank - 1, self.rank);
  square = pt2_op(n, "Expand", GRAPH_VALUES(square, pt2_along(n, "Concat", GRAPH_VALUES(ones, count, ones), 0)));
  frames = pt2_op(n, "Mul", GRAPH_VALUES(pt2_transpose(n, frames, 3, frames_first), window));
  const char *signal = trimmed(n, &f, overlap(n, &f, frames), 0);
  signal = pt2_op(n, "Div", GRAPH_VALUES(signal, trimmed(n, &f, overlap(n, &f, square), 1)));
  pt2_set(n, 0, self.rank == 3 || n->has_failed ? signal : graph_squeeze(n->g, signal, 1, &first));
}
