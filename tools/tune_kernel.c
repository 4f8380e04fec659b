// See tune_kernel.h. A call is timed by the GPU's clock, behind a copy larger than the caches: operands come from
// memory, but for those that another kernel writes, and the call's launch is there before its time begins. Then
// several, each of which may begin while the one in front ends, as in a network, each with tensors that no cache holds
// from the one before. On a cpu there is one time, and the copy is larger than the caches of a core: what all cores
// share holds the weights of many models. The shortest of a few calls counts there, as others use the machine too.
#define _POSIX_C_SOURCE 200809L
#include "tools/tune_kernel.h"

#include "tools/random_numbers.h"
#include "tools/session.h"
#include "tools/tune_distance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_CACHE ((size_t)128 << 20)
#define MAX_CORE_CACHE ((size_t)2 << 20)

// Of calls in turn: blocks of launches that overlap take tens of them to settle where they stay, so few tell another
// time than a loop of them has. Copies in front last as long as enqueueing that many takes.
#define IN_TURN_SECONDS 300e-6
#define CALLS_A_COPY 16
#define TENSOR_ALIGNMENT ((size_t)256)
enum { LEAST_IN_TURN = 6, MOST_IN_TURN = 32 };

static bool is_cpu(const strata_tuner_t *tuner) { return strcmp(tuner->target, "cpu") == 0; }

// Sizes of a call.
typedef struct {
  int64_t *dims;             // NULL: they do not vary
  size_t *sizes;             // bytes of all tensors
  unsigned char **reference; // what the first candidate writes, by output
} point_t;

typedef struct {
  strata_arena_t *arena;
  const strata_tuner_t *tuner;
  const Strata__TuningKernel *kernel;
  strata_tune_record_t *record;
  strata_device_t *device; // of the kernel's memory
  int n;                   // candidates
  strata_session_t sessions[STRATA_TUNE_CANDIDATES];
  const strata_library_t *library; // the first: all have the same tensors
  size_t n_tensors;
  int n_points;
  point_t points[STRATA_TUNING_POINTS];
  int n_sets;                  // of tensors, which calls in turn take one after the other
  void **sets[MOST_IN_TURN];   // inputs, then outputs, as large as at any point
  void *memory;                // of intermediate values, as much as any wants
  unsigned char *written;      // what a candidate writes
  strata_tune_points_t *times; // that are being taken
  double end;                  // of the kernel's share of the time
} work_t;

enum { LEAST_ROUNDS = 5 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

//===-- Opening --------------------------------------------------------------------------------------------------===//

strata_status_t strata_tuner_open(const char *target, const char *folder, strata_tuner_t *out_tuner) {
  *out_tuner = (strata_tuner_t){.target = target, .folder = folder};
  out_tuner->half = is_cpu(out_tuner) ? MAX_CORE_CACHE : MAX_CACHE;
  STRATA_TRY(strata_device_open(target, &out_tuner->device));
  strata_status_t status = strata_device_allocate(out_tuner->device, 2 * out_tuner->half, &out_tuner->memory);
  if (status)
    strata_tuner_close(out_tuner);
  return status;
}

void strata_tuner_close(strata_tuner_t *tuner) {
  strata_device_close(tuner->device);
  *tuner = (strata_tuner_t){0};
}

// Takes |status|.
static void note_fault(work_t *w, int candidate, strata_status_t status) {
  snprintf(w->record->faults[candidate], sizeof *w->record->faults, "%s", strata_status_message(status));
  strata_status_free(status);
}

static bool has_fault(const work_t *w, int candidate) { return w->record->faults[candidate][0]; }

static strata_status_t library_error(const strata_library_t *library, int code) {
  return code ? strata_error((strata_status_code_t)code, "%s", library->error()) : NULL;
}

static bool is_alike(const strata_tensor_info_t *a, const strata_tensor_info_t *b) {
  bool is_alike = a->size == b->size && a->dtype == b->dtype && a->rank == b->rank;
  for (uint32_t i = 0; is_alike && a->size == 0 && i < a->rank; i++) // a size that varies is the number of a value
    is_alike = (a->shape[i] < 0) == (b->shape[i] < 0) && (a->shape[i] < 0 || a->shape[i] == b->shape[i]);
  return is_alike;
}

static bool has_same_tensors(const strata_library_t *a, const strata_library_t *b) {
  bool is_same = a->n_inputs == b->n_inputs && a->n_outputs == b->n_outputs;
  for (size_t i = 0; is_same && i < a->n_inputs; i++)
    is_same = is_alike(a->inputs[i], b->inputs[i]);
  for (size_t i = 0; is_same && i < a->n_outputs; i++)
    is_same = is_alike(a->outputs[i], b->outputs[i]);
  return is_same;
}

static const strata_library_t *library_of(const work_t *w, int candidate) {
  const strata_session_t *session = &w->sessions[candidate];
  return session->library;
}

static strata_status_t open_candidate(work_t *w, int i) {
  const uint32_t needed = STRATA_LIBRARY_USER_MEMORY | (is_cpu(w->tuner) ? 0 : STRATA_LIBRARY_DEVICE_TENSORS);
  const char *name = w->kernel->candidates[i]->library;
  const char *path = strata_arena_printf(w->arena, "%s/%s", w->tuner->folder, name);
  STRATA_TRY(strata_session_describe(w->arena, path, &w->sessions[i]));
  const strata_library_t *library = library_of(w, i);
  size_t n_dims = w->kernel->n_points ? w->kernel->points[0]->n_sizes : 0;
  bool is_ours = (library->flags & needed) == needed && library->n_dims == n_dims &&
                 strcmp(library->target, w->tuner->target) == 0;
  if (!is_ours || (w->library && !has_same_tensors(w->library, library)))
    return strata_error(STRATA_INVALID_ARGUMENT, "%s: not as --autotune=export writes it", path);
  if (!w->library)
    w->library = library;
  return library_error(library, library->load(NULL, strata_device_stream(w->device)));
}

static const strata_tensor_info_t *tensor(const work_t *w, size_t i) {
  return i < w->library->n_inputs ? w->library->inputs[i] : w->library->outputs[i - w->library->n_inputs];
}

//===-- Tensors --------------------------------------------------------------------------------------------------===//

// The first |size| bytes of input |i|: zeros in its rows behind the columns that a kernel in front of this one fills.
static void clear_padding(const work_t *w, size_t i, unsigned char *data, size_t size) {
  const strata_tensor_info_t *info = w->library->inputs[i];
  size_t columns = info->rank && info->shape[info->rank - 1] > 0 ? (size_t)info->shape[info->rank - 1] : 1;
  size_t bytes = (size_t)strata_dtype_info[info->dtype].bits / 8;
  for (size_t j = 0; j < w->kernel->n_padded; j++) {
    size_t filled = (size_t)w->kernel->padded[j]->columns;
    if ((size_t)w->kernel->padded[j]->input == i && filled < columns)
      for (size_t at = 0; at < size; at += columns * bytes)
        memset(data + at + filled * bytes, 0, (columns - filled) * bytes);
  }
}

// *out_size: bytes of the tensor where the sizes are |dims|.
static strata_status_t find_size(const work_t *w, size_t i, const int64_t *dims, size_t *out_size) {
  const strata_tensor_info_t *info = tensor(w, i);
  int64_t bits = strata_dtype_info[info->dtype].bits;
  *out_size = info->size;
  if (info->size || !dims)
    return NULL;
  for (uint32_t d = 0; d < info->rank; d++) {
    int64_t n;
    if (!strata_session_dim(w->library, info->shape[d], dims, &n) || n < 0 || __builtin_mul_overflow(bits, n, &bits))
      return strata_error(STRATA_INVALID_SIZE, "%s: no size in 64 bits", info->name);
  }
  *out_size = ((size_t)bits + 7) / 8;
  return NULL;
}

static strata_status_t make_point(work_t *w, int index, point_t *point) {
  point->sizes = strata_arena_array(w->arena, size_t, w->n_tensors + 1);
  point->reference = strata_arena_array(w->arena, unsigned char *, w->library->n_outputs + 1);
  if (w->kernel->n_points) {
    const Strata__TuningPoint *given = w->kernel->points[index];
    point->dims = strata_arena_array(w->arena, int64_t, given->n_sizes + 1);
    for (size_t i = 0; i < given->n_sizes; i++)
      point->dims[i] = given->sizes[i];
  }
  for (size_t i = 0; i < w->n_tensors; i++)
    STRATA_TRY(find_size(w, i, point->dims, &point->sizes[i]));
  return NULL;
}

// Of all points.
static size_t most_bytes(const work_t *w, size_t i) {
  size_t most = 0;
  for (int p = 0; p < w->n_points; p++)
    most = w->points[p].sizes[i] > most ? w->points[p].sizes[i] : most;
  return most;
}

// An input that another kernel writes just before, and caches hold.
static bool is_warm(const work_t *w, size_t i) {
  bool is_warm = false;
  for (size_t j = 0; j < w->kernel->n_warm; j++)
    is_warm |= (size_t)w->kernel->warm[j] == i;
  return is_warm;
}

// So many that the caches have lost a set when its turn comes again.
static int count_sets(const work_t *w) {
  size_t bytes = 1, n = 1;
  for (size_t i = 0; i < w->n_tensors; i++)
    bytes += is_warm(w, i) ? 0 : most_bytes(w, i);
  if (!is_cpu(w->tuner) && bytes < w->tuner->half)
    n += (w->tuner->half + bytes - 1) / bytes;
  return n < MOST_IN_TURN ? (int)n : MOST_IN_TURN;
}

// In all sets.
static strata_status_t make_tensor(work_t *w, size_t i) {
  size_t stride = (most_bytes(w, i) + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
  void *memory;
  STRATA_TRY(strata_device_allocate(w->device, is_warm(w, i) ? stride : stride * (size_t)w->n_sets, &memory));
  for (int set = 0; set < w->n_sets; set++)
    w->sets[set][i] = (char *)memory + (is_warm(w, i) ? 0 : stride * (size_t)set);
  return NULL;
}

static strata_status_t make_inputs(work_t *w) {
  for (size_t i = 0; i < w->library->n_inputs; i++) {
    size_t size = most_bytes(w, i);
    strata_random_numbers((strata_dtype_t)tensor(w, i)->dtype, i, w->written, size);
    clear_padding(w, i, w->written, size);
    STRATA_TRY(strata_device_upload(w->device, w->sets[0][i], w->written, size));
    for (int set = 1; set < w->n_sets && !is_warm(w, i); set++)
      STRATA_TRY(strata_device_copy(w->device, w->sets[set][i], w->sets[0][i], size));
  }
  return NULL;
}

static strata_status_t make_tensors(work_t *w) {
  size_t memory = 0, most = 0;
  w->n_tensors = w->library->n_inputs + w->library->n_outputs;
  for (int p = 0; p < w->n_points; p++)
    STRATA_TRY(make_point(w, p, &w->points[p]));
  w->n_sets = count_sets(w);
  for (int set = 0; set < w->n_sets; set++)
    w->sets[set] = strata_arena_array(w->arena, void *, w->n_tensors + 1);
  for (size_t i = 0; i < w->n_tensors; i++) {
    size_t size = most_bytes(w, i);
    STRATA_TRY(make_tensor(w, i));
    most = size > most ? size : most;
  }
  w->written = strata_arena_alloc(w->arena, most + 1);
  STRATA_TRY(make_inputs(w));
  for (int i = 0; i < w->n; i++)
    for (int p = 0; p < w->n_points; p++) {
      size_t wanted = has_fault(w, i) ? 0 : library_of(w, i)->device_memory_size(w->points[p].dims);
      memory = wanted > memory ? wanted : memory;
    }
  return strata_device_allocate(w->device, memory, &w->memory);
}

//===-- Comparing ------------------------------------------------------------------------------------------------===//

static strata_status_t call(work_t *w, int candidate, const point_t *point, int set) {
  const strata_library_t *library = library_of(w, candidate);
  int code = library->run(w->sets[set], point->dims, w->memory, strata_device_stream(w->device));
  atomic_fetch_add(&w->record->n_calls, 1);
  return library_error(library, code);
}

static void compare(work_t *w, int candidate, const point_t *point, size_t output) {
  enum { MOST_COMPARED = 4 << 20 };
  const strata_tensor_info_t *info = w->library->outputs[output];
  strata_dtype_t dtype = (strata_dtype_t)info->dtype;
  size_t size = point->sizes[w->library->n_inputs + output];
  if (memcmp(w->written, point->reference[output], size) == 0)
    return;
  size_t count = size * 8 / (size_t)strata_dtype_info[dtype].bits;
  double distance = strata_tune_distance(dtype, w->written, point->reference[output], count, 1 + count / MOST_COMPARED);
  if (distance > strata_tune_tolerance(dtype))
    note_fault(w, candidate,
               strata_error(STRATA_INTERNAL, "WRONG: results differ from those of the model's choice by %.3g of them",
                            distance));
}

// Outputs are full of what is no number before, so that what is not written is seen.
static strata_status_t poison(work_t *w, const point_t *point) {
  for (size_t i = w->library->n_inputs; i < w->n_tensors; i++) {
    memset(w->written, 0xff, point->sizes[i]);
    STRATA_TRY(strata_device_upload(w->device, w->sets[0][i], w->written, point->sizes[i]));
  }
  return NULL;
}

static strata_status_t check_at(work_t *w, int candidate, point_t *point) {
  STRATA_TRY(poison(w, point));
  STRATA_TRY(call(w, candidate, point, 0));
  for (size_t i = 0; i < w->library->n_outputs; i++) {
    size_t size = point->sizes[w->library->n_inputs + i];
    STRATA_TRY(strata_device_download(w->device, w->written, w->sets[0][w->library->n_inputs + i], size));
    if (point->reference[i])
      compare(w, candidate, point, i);
    else
      point->reference[i] = strata_arena_copy(w->arena, w->written, size);
  }
  return NULL;
}

static strata_status_t check(work_t *w, int candidate) {
  for (int p = 0; p < w->n_points && !has_fault(w, candidate); p++)
    STRATA_TRY(check_at(w, candidate, &w->points[p]));
  return NULL;
}

//===-- Timing ---------------------------------------------------------------------------------------------------===//

// Reads what the kernel in front would just have written, as far as caches hold it; on a cpu piece by piece.
static strata_status_t warm(work_t *w, const point_t *point) {
  char *memory = w->tuner->memory;
  for (size_t i = 0; i < w->kernel->n_warm; i++) {
    size_t input = (size_t)w->kernel->warm[i], size = input < w->library->n_inputs ? point->sizes[input] : 0;
    bool is_whole = size <= w->tuner->half;
    for (size_t at = 0, n; at < size && (is_whole || is_cpu(w->tuner)); at += n) {
      n = size - at < w->tuner->half ? size - at : w->tuner->half;
      STRATA_TRY(strata_device_copy(w->device, memory, (char *)w->sets[0][input] + at, n));
    }
  }
  return NULL;
}

// Of one thread the time that it had the processor.
static strata_status_t time_thread(work_t *w, int candidate, const point_t *point, double *out_seconds) {
  struct timespec before, after;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  STRATA_TRY(call(w, candidate, point, 0));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  *out_seconds = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
  return NULL;
}

// Seconds of each of |n| calls.
static strata_status_t time_calls(work_t *w, int candidate, const point_t *point, int n, double *out_seconds) {
  char *memory = w->tuner->memory;
  for (int i = 0; i < n; i += CALLS_A_COPY)
    STRATA_TRY(strata_device_copy(w->device, memory, memory + w->tuner->half, w->tuner->half));
  STRATA_TRY(warm(w, point));
  if (is_cpu(w->tuner) && w->kernel->threads == 1)
    return time_thread(w, candidate, point, out_seconds);
  STRATA_TRY(strata_device_start_clock(w->device));
  for (int i = 0; i < n; i++)
    STRATA_TRY(call(w, candidate, point, i % w->n_sets));
  STRATA_TRY(strata_device_stop_clock(w->device, out_seconds));
  *out_seconds /= n;
  return NULL;
}

static strata_status_t time_alone(work_t *w, int candidate, const point_t *point, double *out_seconds) {
  const int calls = is_cpu(w->tuner) ? 3 : 1;
  const double is_short = 2e-3;
  *out_seconds = INFINITY;
  for (int i = 0; i < calls && !(*out_seconds > is_short && isfinite(*out_seconds)); i++) {
    double seconds;
    STRATA_TRY(time_calls(w, candidate, point, 1, &seconds));
    *out_seconds = fmin(*out_seconds, seconds);
  }
  return NULL;
}

static strata_status_t time_in_turn(work_t *w, int candidate, const point_t *point, double alone, double *out_seconds) {
  int n = (int)fmin(fmax(IN_TURN_SECONDS / alone, LEAST_IN_TURN), MOST_IN_TURN);
  *out_seconds = alone;
  return is_cpu(w->tuner) ? NULL : time_calls(w, candidate, point, n, out_seconds);
}

// A turn for each at one point, from candidate |first| on.
static strata_status_t time_turns(work_t *w, int p, int round, int first, const bool *is_left_out) {
  const point_t *point = &w->points[p];
  for (int i = 0; i < w->n; i++) {
    int candidate = (i + first) % w->n;
    strata_tune_times_t *times = &(*w->times)[p][candidate];
    if (!times->is_right || is_left_out[candidate])
      continue;
    w->record->current = candidate;
    STRATA_TRY(time_alone(w, candidate, point, &times->seconds[round]));
    STRATA_TRY(time_in_turn(w, candidate, point, times->seconds[round], &times->in_turn[round]));
    times->n_rounds = round + 1;
  }
  return NULL;
}

// The mean of the likely points.
static strata_tune_times_t mean_of(const work_t *w, int candidate) {
  return strata_tune_mean((const strata_tune_points_t *)w->times, strata_tune_n_likely(w->kernel), candidate);
}

// The same, but of one that loses at a point none.
static strata_tune_times_t times_of(const work_t *w, int candidate) {
  strata_tune_times_t times = mean_of(w, candidate);
  times.is_right &= !strata_tune_loses((const strata_tune_points_t *)w->times, w->n_points, candidate);
  return times;
}

// Another first in each round.
static strata_status_t time_round(work_t *w, int round, bool *is_slow) {
  strata_tune_times_t means[STRATA_TUNE_CANDIDATES];
  for (int p = 0; p < w->n_points; p++)
    STRATA_TRY(time_turns(w, p, round, round % w->n, is_slow));
  for (int i = 0; i < w->n; i++)
    means[i] = mean_of(w, i);
  for (int i = 0; i < w->n; i++)
    is_slow[i] |= strata_tune_is_slow(means, w->n, i);
  return NULL;
}

static void begin_times(work_t *w, strata_tune_points_t *times) {
  w->times = times;
  for (int p = 0; p < w->n_points; p++)
    for (int i = 0; i < w->n; i++)
      (*times)[p][i] = (strata_tune_times_t){.is_right = !has_fault(w, i)};
}

// Those of a process that ended early are none.
static strata_status_t time_all(work_t *w, double end) {
  bool is_slow[STRATA_TUNE_CANDIDATES] = {false};
  double unused;
  begin_times(w, &w->record->times);
  for (int i = 0; i < w->n; i++) {
    w->record->current = i;
    if (!has_fault(w, i))
      STRATA_TRY(time_alone(w, i, &w->points[0], &unused));
  }
  for (int round = 0; round < STRATA_TUNE_ROUNDS && (round < LEAST_ROUNDS || now() < end); round++)
    STRATA_TRY(time_round(w, round, is_slow));
  w->record->current = -1;
  return NULL;
}

// The first and |which| alone, either first in turns: a strata_tune_again_t.
static strata_status_t time_again(void *context, int which, strata_tune_times_t *out_times) {
  work_t *w = context;
  bool are_others[STRATA_TUNE_CANDIDATES];
  for (int i = 0; i < STRATA_TUNE_CANDIDATES; i++)
    are_others[i] = i != 0 && i != which;
  begin_times(w, strata_arena_new(w->arena, strata_tune_points_t));
  for (int round = 0; round < STRATA_TUNE_ROUNDS && (round < LEAST_ROUNDS || now() < w->end); round++)
    for (int p = 0; p < w->n_points; p++)
      STRATA_TRY(time_turns(w, p, round, round % 2 ? which : 0, are_others));
  w->record->current = -1;
  out_times[0] = times_of(w, 0);
  out_times[1] = times_of(w, which);
  return NULL;
}

// By two thirds of the time, the rest is for fresh times of what they say.
static strata_status_t choose(work_t *w, double seconds) {
  strata_tune_times_t times[STRATA_TUNE_CANDIDATES];
  double begin = now();
  w->end = begin + seconds;
  STRATA_TRY(time_all(w, begin + 2 * seconds / 3));
  for (int i = 0; i < w->n; i++)
    times[i] = times_of(w, i);
  return strata_tune_settle(times, w->n, time_again, w, &w->record->choice, &w->record->ratio);
}

//===-- A kernel -------------------------------------------------------------------------------------------------===//

static strata_status_t tune(work_t *w, double seconds) {
  for (int i = 0; i < w->n; i++) {
    w->record->current = i;
    strata_status_t status = has_fault(w, i) ? NULL : open_candidate(w, i);
    if (status)
      note_fault(w, i, status);
  }
  if (has_fault(w, 0)) // nothing to compare with
    return NULL;
  w->record->current = 0;
  STRATA_TRY(make_tensors(w));
  for (int i = 0; i < w->n; i++) {
    w->record->current = i;
    if (!has_fault(w, i))
      STRATA_TRY(check(w, i));
  }
  return choose(w, seconds);
}

strata_status_t strata_tune_kernel(const strata_tuner_t *tuner, const Strata__TuningKernel *kernel, double seconds,
                                   strata_tune_record_t *record) {
  work_t w = {.arena = strata_arena_create(), .tuner = tuner, .kernel = kernel, .record = record};
  w.n_points = strata_tune_n_points(kernel);
  w.n = kernel->n_candidates < STRATA_TUNE_CANDIDATES ? (int)kernel->n_candidates : STRATA_TUNE_CANDIDATES;
  strata_status_t status = strata_device_open(tuner->target, &w.device);
  if (!status)
    status = tune(&w, seconds);
  for (int i = 0; i < w.n; i++)
    if (!status) // after an error the driver answers nothing
      strata_session_close(&w.sessions[i]);
  if (!status)
    strata_device_close(w.device);
  strata_arena_destroy(w.arena);
  return status;
}
