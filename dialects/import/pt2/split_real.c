// Complex tensors from and to real ones, and Fourier transforms.
#include "dialects/import/pt2/split.h"

#include <string.h>

//===-- Parts and pairs ------------------------------------------------------------------------------------------===//

// Views of the parts, but none that can be changed in place.
void pt2_split_conjugate(split_t *s) {
  pt2_item_t self = split_complex_given(s, "self");
  split_unary(s, "strata.part", split_result_part(s, SPLIT_REAL), split_part_of(s, &self, SPLIT_REAL));
  split_unary(s, "strata.negative_part", split_result_part(s, SPLIT_IMAGINARY),
              split_part_of(s, &self, SPLIT_IMAGINARY));
}

void pt2_split_part(split_t *s) {
  pt2_item_t self = split_complex_given(s, "self");
  int part = strstr(s->call->target, "imag") ? SPLIT_IMAGINARY : SPLIT_REAL;
  split_unary(s, "strata.part", *split_result(s), split_part_of(s, &self, part));
}

void pt2_split_view_as_real(split_t *s) {
  pt2_item_t self = split_complex_given(s, "self");
  pt2_argument_t arguments[] = {split_argument(s, "self", split_part_of(s, &self, SPLIT_REAL)),
                                split_argument(s, "imaginary", split_part_of(s, &self, SPLIT_IMAGINARY))};
  split_set_results(s, split_add_call(s, "strata.pairs", 2, arguments), 1, split_result(s));
}

void pt2_split_view_as_complex(split_t *s) {
  pt2_item_t self = split_given(s, "self");
  for (int part = SPLIT_REAL; part <= SPLIT_IMAGINARY; part++) {
    pt2_argument_t arguments[] = {split_argument(s, "self", self), split_argument(s, "dim", split_int(-1)),
                                  split_argument(s, "index", split_int(part))};
    pt2_item_t result = split_result_part(s, part);
    split_set_results(s, split_add_call(s, "aten.select.int", 3, arguments), 1, &result);
  }
}

void pt2_split_complex_of(split_t *s) {
  split_unary(s, "aten.clone.default", split_result_part(s, SPLIT_REAL), split_given(s, "real"));
  split_unary(s, "aten.clone.default", split_result_part(s, SPLIT_IMAGINARY), split_given(s, "imag"));
}

//===-- Sizes and angles -----------------------------------------------------------------------------------------===//

// size (cos angle + i sin angle)
static void set_polar(split_t *s, pt2_item_t size, pt2_item_t angle) {
  const pt2_meta_t *like = split_meta(s, &angle);
  s->has_failed = s->has_failed || !like;
  if (s->has_failed)
    return;
  pt2_item_t cosine = split_new_unary(s, "aten.cos.default", like, angle);
  pt2_item_t sine = split_new_unary(s, "aten.sin.default", like, angle);
  split_binary(s, "aten.mul.Tensor", split_result_part(s, SPLIT_REAL), size, cosine);
  split_binary(s, "aten.mul.Tensor", split_result_part(s, SPLIT_IMAGINARY), size, sine);
}

void pt2_split_polar(split_t *s) {
  pt2_item_t size = split_given(s, "abs"), angle = split_given(s, "angle");
  set_polar(s, size, angle);
}

void pt2_split_exponential(split_t *s) {
  pt2_item_t self = split_complex_given(s, "self");
  if (s->has_failed)
    return;
  pt2_item_t real = split_part_of(s, &self, SPLIT_REAL);
  pt2_item_t size = split_new_unary(s, "aten.exp.default", split_meta(s, &self), real);
  set_polar(s, size, split_part_of(s, &self, SPLIT_IMAGINARY));
}

void pt2_split_magnitude(split_t *s) {
  pt2_item_t self = split_complex_given(s, "self");
  split_binary(s, "aten.hypot.default", *split_result(s), split_part_of(s, &self, SPLIT_REAL),
               split_part_of(s, &self, SPLIT_IMAGINARY));
}

void pt2_split_angle(split_t *s) {
  pt2_item_t self = split_complex_given(s, "self");
  split_binary(s, "aten.atan2.default", *split_result(s), split_part_of(s, &self, SPLIT_IMAGINARY),
               split_part_of(s, &self, SPLIT_REAL));
}

//===-- Fourier transforms ---------------------------------------------------------------------------------------===//

// The results of |call|, a transform: a real tensor, or the parts of a complex one.
static void set_transformed(split_t *s, pt2_call_t *call, const pt2_item_t *parts) {
  bool is_complex = split_is_complex(s, split_result(s));
  split_set_results(s, call, is_complex ? 2 : 1, is_complex ? parts : split_result(s));
}

// The operand's imaginary part is one more argument.
void pt2_split_fourier(split_t *s) {
  size_t count = s->call->n_inputs;
  pt2_item_t self = split_given(s, "self");
  pt2_argument_t *arguments = strata_arena_array(s->arena, pt2_argument_t, count + 1);
  for (size_t i = 0; i < count; i++) {
    bool is_self = !strcmp(s->call->inputs[i].name, "self");
    arguments[i] = s->call->inputs[i];
    if (is_self && split_is_complex(s, &self))
      arguments[i] = split_argument(s, "self", split_part_of(s, &self, SPLIT_REAL));
  }
  if (split_is_complex(s, &self))
    arguments[count++] = split_argument(s, "imaginary", split_part_of(s, &self, SPLIT_IMAGINARY));
  pt2_item_t parts[] = {split_result_part(s, SPLIT_REAL), split_result_part(s, SPLIT_IMAGINARY)};
  set_transformed(s, split_add_call(s, s->call->target, count, arguments), parts);
}

// What torch.stft says of its frames.
typedef struct {
  int64_t length, step, window;
  bool is_normalised, is_onesided;
} frames_t;

static int64_t int_or(split_t *s, const char *name, int64_t otherwise) {
  if (!split_has(s, name))
    return otherwise;
  pt2_item_t item = split_given(s, name);
  s->has_failed = s->has_failed || (item.kind != PT2_INT && item.kind != PT2_BOOL);
  return item.integer;
}

static frames_t read_frames(split_t *s) {
  frames_t f = {.length = int_or(s, "n_fft", 0)};
  f.step = int_or(s, "hop_length", f.length / 4);
  f.window = int_or(s, "win_length", f.length);
  f.is_normalised = int_or(s, "normalized", 0);
  f.is_onesided = int_or(s, "onesided", 1);
  bool is_centered = strstr(s->call->target, ".center") || int_or(s, "align_to_window", 0);
  bool fits = f.length > 0 && f.step > 0 && f.window > 0 && f.window <= f.length;
  s->has_failed = s->has_failed || is_centered || !fits || (f.window != f.length && !split_has(s, "window"));
  return f;
}

// In the middle of a frame.
static pt2_item_t frame_window(split_t *s, const frames_t *f) {
  pt2_item_t window = split_given(s, "window");
  pt2_meta_t *meta = split_meta(s, &window);
  s->has_failed = s->has_failed || !meta || meta->rank != 1 || split_is_complex(s, &window);
  if (s->has_failed || f->window == f->length)
    return window;
  pt2_meta_t padded = *meta;
  padded.sizes[0].number = f->length;
  int64_t left = (f->length - f->window) / 2, pad[] = {left, f->length - f->window - left};
  pt2_item_t out = split_new_tensor(s, &padded);
  pt2_argument_t arguments[] = {split_argument(s, "self", window), split_ints(s, "pad", 2, pad)};
  split_set_results(s, split_add_call(s, "aten.constant_pad_nd.default", 2, arguments), 1, &out);
  return out;
}

// [..., frames, length], of the result's [..., frequencies, frames].
static pt2_meta_t meta_of_frames(split_t *s, int64_t length) {
  pt2_meta_t meta = *split_meta(s, split_result(s));
  if (meta.rank < 2)
    return meta;
  meta.sizes[meta.rank - 2] = meta.sizes[meta.rank - 1];
  meta.sizes[meta.rank - 1] = (pt2_size_t){.number = length};
  return meta;
}

static pt2_item_t windowed(split_t *s, const frames_t *f, pt2_item_t self) {
  pt2_meta_t meta = meta_of_frames(s, f->length);
  pt2_item_t frames = split_new_tensor(s, &meta);
  pt2_argument_t arguments[] = {split_argument(s, "self", self), split_argument(s, "dimension", split_int(-1)),
                                split_argument(s, "size", split_int(f->length)),
                                split_argument(s, "step", split_int(f->step))};
  split_set_results(s, split_add_call(s, "aten.unfold.default", 4, arguments), 1, &frames);
  if (!split_has(s, "window"))
    return frames;
  return split_new_binary(s, "aten.mul.Tensor", &meta, frames, frame_window(s, f));
}

// Frames, transformed, with the frequencies in front of the frames.
void pt2_split_stft(split_t *s) {
  pt2_item_t self = split_given(s, "self"), parts[2];
  frames_t f = read_frames(s);
  const pt2_meta_t *result = split_meta(s, split_result(s));
  s->has_failed = s->has_failed || split_is_complex(s, &self) || result->rank < 2;
  if (s->has_failed)
    return;
  int64_t last = -1;
  pt2_meta_t meta = meta_of_frames(s, result->sizes[result->rank - 2].number);
  pt2_argument_t arguments[] = {split_argument(s, "self", windowed(s, &f, self)), split_ints(s, "dim", 1, &last),
                                split_argument(s, "normalization", split_int(f.is_normalised)),
                                split_argument(s, "onesided", split_int(f.is_onesided))};
  for (int part = SPLIT_REAL; part <= SPLIT_IMAGINARY; part++)
    parts[part] = split_new_tensor(s, &meta);
  split_set_results(s, split_add_call(s, "aten._fft_r2c.default", 4, arguments), 2, parts);
  for (int part = SPLIT_REAL; part <= SPLIT_IMAGINARY; part++) {
    pt2_item_t out = split_result_part(s, part);
    pt2_argument_t swap[] = {split_argument(s, "self", parts[part]), split_argument(s, "dim0", split_int(-2)),
                             split_argument(s, "dim1", split_int(-1))};
    split_set_results(s, split_add_call(s, "aten.transpose.int", 3, swap), 1, &out);
  }
}
