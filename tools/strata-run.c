// strata-run LIB.so: loads an emitted library through the description it carries, runs it, compares and times it.
#include "runtime/base/nearest.h"
#include "tools/commands.h"
#include "tools/profile.h"
#include "tools/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef STRATA_VECTOR(const char *) texts_t;

typedef struct {
  const char *library;
  texts_t inputs, outputs, expects, dims;
  bool random, kernels;
  const char *profile;
  double rtol, atol;
  bool has_tolerance;
  strata_timing_t timing;
  STRATA_VECTOR(double) percentiles;
} options_t;

//===-- Options --------------------------------------------------------------------------------------------------===//

static strata_status_t parse_number(const char *text, double minimum, double *out_value) {
  char *end;
  *out_value = strtod(text, &end);
  return *text && !*end && *out_value >= minimum
             ? NULL
             : strata_error(STRATA_INVALID_ARGUMENT, "expected a number of at least %g, got '%s'", minimum, text);
}

static strata_status_t parse_count(const char *text, double minimum, int *out_value) {
  double value;
  STRATA_TRY(parse_number(text, minimum, &value));
  *out_value = value < 1e9 ? (int)value : 1000000000;
  return NULL;
}

// "90,99.9"
static strata_status_t parse_percentiles(strata_arena_t *arena, const char *text, options_t *options) {
  options->percentiles.count = 0;
  for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    double percent;
    STRATA_TRY(parse_number(strata_arena_printf(arena, "%.*s", (int)strcspn(at, ","), at), 0, &percent));
    if (percent <= 0 || percent > 100)
      return strata_error(STRATA_INVALID_ARGUMENT, "expected percentages above 0, up to 100, got '%s'", text);
    *strata_vector_push(arena, &options->percentiles) = percent;
  }
  return NULL;
}

static strata_status_t parse_profile(const char *text, options_t *options) {
  size_t length = strlen(text), ending = strlen(".json");
  options->profile = text;
  return length > ending && strcmp(text + length - ending, ".json") == 0
             ? NULL
             : strata_error(STRATA_INVALID_ARGUMENT, "expected FILE.json, got '%s'", text);
}

static strata_status_t unknown_option(strata_arena_t *arena, const char *argument) {
  const strata_command_t *command = strata_find_command("strata-run");
  size_t hyphens = strspn(argument, "-"), length = strcspn(argument, "=");
  const char *name = strata_arena_printf(arena, "%.*s", (int)(length - hyphens), argument + hyphens);
  strata_nearest_t nearest = strata_nearest(name);
  for (size_t i = 0; i < *command->n_options; i++)
    if (command->options[i].type != STRATA_OPTION_group)
      strata_nearest_try(&nearest, command->options[i].name, strlen(command->options[i].name));
  if (!nearest.found)
    return strata_error(STRATA_INVALID_ARGUMENT, "unknown option '%s'; strata-run --help lists them", argument);
  bool is_known = strcmp(name, nearest.found) == 0;
  if (is_known)
    return strata_error(STRATA_INVALID_ARGUMENT, "'%s': expected --%s%s", argument, name,
                        argument[length] ? " without a value" : "=VALUE");
  return strata_error(STRATA_INVALID_ARGUMENT, "unknown option '%s'; did you mean '--%.*s'?", argument,
                      (int)nearest.length, nearest.found);
}

static strata_status_t parse_option(strata_arena_t *arena, const char *argument, options_t *options) {
  const char *value;
  if ((value = strata_argument_value(argument, "--input"))) {
    *strata_vector_push(arena, &options->inputs) = value;
  } else if ((value = strata_argument_value(argument, "--output"))) {
    *strata_vector_push(arena, &options->outputs) = value;
  } else if ((value = strata_argument_value(argument, "--expect"))) {
    *strata_vector_push(arena, &options->expects) = value;
  } else if ((value = strata_argument_value(argument, "--dim"))) {
    *strata_vector_push(arena, &options->dims) = value;
  } else if ((value = strata_argument_value(argument, "--rtol"))) {
    options->has_tolerance = true;
    return strata_status_context(parse_number(value, 0, &options->rtol), "--rtol");
  } else if ((value = strata_argument_value(argument, "--atol"))) {
    options->has_tolerance = true;
    return strata_status_context(parse_number(value, 0, &options->atol), "--atol");
  } else if ((value = strata_argument_value(argument, "--num-iters"))) {
    return strata_status_context(parse_count(value, 1, &options->timing.n_runs), "--num-iters");
  } else if ((value = strata_argument_value(argument, "--warm-up"))) {
    return strata_status_context(parse_count(value, 0, &options->timing.warm_up), "--warm-up");
  } else if ((value = strata_argument_value(argument, "--duration"))) {
    return strata_status_context(parse_number(value, 0, &options->timing.duration), "--duration");
  } else if ((value = strata_argument_value(argument, "--percentile"))) {
    return strata_status_context(parse_percentiles(arena, value, options), "--percentile");
  } else if ((value = strata_argument_value(argument, "--profile"))) {
    return strata_status_context(parse_profile(value, options), "--profile");
  } else if (strcmp(argument, "--random") == 0) {
    options->random = true;
  } else if (strcmp(argument, "--kernels") == 0) {
    options->kernels = true;
  } else if (argument[0] == '-') {
    return unknown_option(arena, argument);
  } else if (options->library) {
    return strata_error(STRATA_INVALID_ARGUMENT, "expected one library, got %s and %s", options->library, argument);
  } else {
    options->library = argument;
  }
  return NULL;
}

static strata_status_t parse_options(strata_arena_t *arena, int argc, char **argv, options_t *options) {
  *options = (options_t){.rtol = 1e-3, .atol = 1e-5, .timing = {.n_runs = 1}};
  STRATA_TRY(parse_percentiles(arena, "90,95,99", options));
  for (int i = 1; i < argc; i++)
    STRATA_TRY(parse_option(arena, argv[i], options));
  return options->library ? NULL : strata_error(STRATA_INVALID_ARGUMENT, "expected a library; see strata-run --help");
}

//===-- Comparing ------------------------------------------------------------------------------------------------===//

static bool is_close(double got, double expected, double rtol, double atol) {
  if (isnan(expected) || isnan(got))
    return isnan(expected) && isnan(got);
  return got == expected ||
         (isfinite(got) && isfinite(expected) && fabs(got - expected) <= atol + rtol * fabs(expected));
}

// Infinite where one of them is no number, or infinite, and the other is something else.
static double distance_of(double x, double y) {
  bool is_same = x == y || (isnan(x) && isnan(y));
  return is_same ? 0 : isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY;
}

// Integers of 64 bits are more than a double holds.
static bool has_same_bits(const strata_tensor_t *a, const strata_tensor_t *b, int64_t index) {
  size_t size = (size_t)strata_dtype_info[a->dtype].bits / 8, at = (size_t)index * size;
  if (size == 0)
    return strata_dtype_load(a->dtype, a->data, (size_t)index) == strata_dtype_load(b->dtype, b->data, (size_t)index);
  return memcmp((const char *)a->data + at, (const char *)b->data + at, size) == 0;
}

// Prints how far the output is from the file; an error if it is too far.
static strata_status_t compare(strata_arena_t *arena, const options_t *options, const char *name,
                               const strata_tensor_t *got, const char *path) {
  strata_tensor_t expected;
  STRATA_TRY(strata_tensor_read(arena, path, &expected));
  int64_t n = strata_tensor_count(got), n_bad = 0, first_bad = 0;
  if (!strata_tensor_retype(&expected, got->dtype) || !strata_tensor_same_shape(&expected, got))
    return strata_error(STRATA_INVALID_ARGUMENT, "%s: output %s is %s, the file has %s", path, name,
                        strata_tensor_describe(arena, got), strata_tensor_describe(arena, &expected));
  bool is_float = strata_dtype_info[got->dtype].class_ == STRATA_DTYPE_CLASS_FLOAT;
  double rtol = is_float || options->has_tolerance ? options->rtol : 0;
  double atol = is_float || options->has_tolerance ? options->atol : 0;
  double difference = 0, reference = 0, largest = 0;
  int64_t n_special = 0;
  for (int64_t i = 0; i < n; i++) {
    double x = strata_dtype_load(got->dtype, got->data, (size_t)i);
    double y = strata_dtype_load(expected.dtype, expected.data, (size_t)i);
    bool is_equal = is_float || options->has_tolerance ? is_close(x, y, rtol, atol) : has_same_bits(got, &expected, i);
    if (!is_equal && n_bad++ == 0)
      first_bad = i;
    n_special += !isfinite(x) || !isfinite(y);
    double distance = distance_of(x, y);
    difference += distance * distance;
    reference += isfinite(y) ? y * y : 0;
    largest = fmax(largest, distance);
  }
  printf("%s: |difference| / |expected| = %.3g, largest difference %.3g", name,
         sqrt(difference) / (reference > 0 ? sqrt(reference) : 1), largest);
  if (n_special)
    printf(", %lld of %lld elements are not finite", (long long)n_special, (long long)n);
  putchar('\n');
  if (n_bad == 0)
    return NULL;
  return strata_error(STRATA_INVALID_ARGUMENT,
                      "%s: %lld of %lld elements differ from %s, first element %lld: expected %.9g, got %.9g", name,
                      (long long)n_bad, (long long)n, path, (long long)first_bad,
                      strata_dtype_load(expected.dtype, expected.data, (size_t)first_bad),
                      strata_dtype_load(got->dtype, got->data, (size_t)first_bad));
}

//===-- Running --------------------------------------------------------------------------------------------------===//

// Splits "NAME=FILE" where an output has that name; else the text is a file for output |next|.
static strata_status_t find_output(const strata_session_t *session, const char *text, size_t next, size_t *out_output,
                                   const char **out_path) {
  const strata_library_t *library = session->library;
  const char *equals = strchr(text, '=');
  *out_output = next;
  *out_path = text;
  for (size_t i = 0; equals && i < library->n_outputs; i++) {
    size_t length = (size_t)(equals - text);
    const char *names[] = {library->outputs[i]->name, library->outputs[i]->c_name};
    for (int j = 0; j < 2; j++)
      if (strlen(names[j]) == length && memcmp(names[j], text, length) == 0) {
        *out_output = i;
        *out_path = equals + 1;
        return NULL;
      }
  }
  return next < library->n_outputs
             ? NULL
             : strata_error(STRATA_INVALID_ARGUMENT, "%s: the library has %zu outputs", text, library->n_outputs);
}

static strata_status_t write_and_compare(strata_arena_t *arena, const options_t *options,
                                         const strata_session_t *session) {
  const strata_library_t *library = session->library;
  strata_tensor_t tensor;
  const char *path;
  size_t output;
  for (size_t i = 0; i < options->outputs.count; i++) {
    STRATA_TRY(find_output(session, options->outputs.data[i], i, &output, &path));
    STRATA_TRY(strata_session_output(arena, session, output, &tensor));
    STRATA_TRY(strata_tensor_write_npy(path, &tensor));
  }
  for (size_t i = 0; i < options->expects.count; i++) {
    STRATA_TRY(find_output(session, options->expects.data[i], i, &output, &path));
    STRATA_TRY(strata_session_output(arena, session, output, &tensor));
    STRATA_TRY(compare(arena, options, library->outputs[output]->name, &tensor, path));
  }
  return NULL;
}

typedef struct {
  size_t launches, regions;
} counts_t;

static void count_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  counts_t *counts = user;
  (void)launch, (void)nanoseconds;
  counts->launches++;
  counts->regions += threads > 1;
}

static strata_status_t profile(strata_arena_t *arena, const options_t *options, strata_session_t *session) {
  strata_profile_names_t names = strata_names_of(arena, session->library);
  return strata_profile_kernels(arena, session, &names, options->kernels ? stdout : NULL, options->profile);
}

static strata_status_t time_runs(strata_arena_t *arena, const options_t *options, strata_session_t *session) {
  const char *name = session->library->name;
  strata_times_t times;
  STRATA_TRY(strata_time_runs(arena, session, &options->timing, &times));
  printf("%s: median %.3f ms, min %.3f ms, max %.3f ms of %d runs\n", name, 1e3 * strata_times_median(&times),
         1e3 * times.seconds[0], 1e3 * times.seconds[times.n_runs - 1], times.n_runs);
  if (times.n_runs == 1)
    return NULL;
  printf("%s: mean %.3f ms", name, 1e3 * strata_times_mean(&times));
  for (size_t i = 0; i < options->percentiles.count; i++)
    printf(", %g %% within %.3f ms", options->percentiles.data[i],
           1e3 * strata_times_percentile(&times, options->percentiles.data[i]));
  printf("; %.1f calls a second, one after the other\n", times.n_runs / times.all);
  return NULL;
}

// Reads what is given, and opens the session at its sizes.
static strata_status_t open_session(strata_arena_t *arena, const options_t *options, strata_session_t *session) {
  const strata_library_t *library = session->library;
  if (!options->random && options->inputs.count < library->n_inputs)
    return strata_error(STRATA_INVALID_ARGUMENT, "expected %zu inputs, got %zu; --random makes up the others",
                        library->n_inputs, options->inputs.count);
  STRATA_TRY(strata_session_read_inputs(arena, session, options->inputs.count, options->inputs.data));
  STRATA_TRY(strata_session_choose_sizes(arena, session, options->dims.count, options->dims.data, options->random));
  if (session->dims)
    printf("%s: %s\n", library->name, strata_session_sizes_text(arena, session));
  return strata_session_open(arena, session);
}

static strata_status_t run(strata_arena_t *arena, const options_t *options, strata_session_t *session) {
  const strata_library_t *library = session->library;
  STRATA_TRY(strata_session_set_inputs(arena, session));
  counts_t counts = {0};
  library->set_trace(count_launch, &counts);
  STRATA_TRY(strata_session_run(session, NULL));
  library->set_trace(NULL, NULL);
  STRATA_TRY(strata_session_fetch(session));
  printf("%s: %zu launches, %zu of them parallel\n", library->name, counts.launches, counts.regions);
  STRATA_TRY(write_and_compare(arena, options, session));
  if (options->kernels || options->profile)
    STRATA_TRY(profile(arena, options, session));
  return time_runs(arena, options, session);
}

// True if there is no GPU for the library, and its kernels have been printed without times.
static bool describe_only(strata_arena_t *arena, const options_t *options, const strata_session_t *session) {
  strata_status_t status = options->kernels ? strata_session_check_device(session) : NULL;
  if (!status)
    return false;
  strata_profile_names_t names = strata_names_of(arena, session->library);
  strata_print_kernels_without_times(session->library, &names, strata_status_message(status), stdout);
  strata_status_free(status);
  return true;
}

static strata_status_t run_command(strata_arena_t *arena, int argc, char **argv) {
  options_t options;
  strata_session_t session = {0};
  STRATA_TRY(parse_options(arena, argc, argv, &options));
  strata_status_t status = strata_session_describe(arena, options.library, &session);
  if (!status && describe_only(arena, &options, &session)) {
    strata_session_close(&session);
    return NULL;
  }
  if (!status)
    status = open_session(arena, &options, &session);
  if (!status)
    status = run(arena, &options, &session);
  strata_session_close(&session);
  return status;
}

int main(int argc, char **argv) { return strata_command_main("strata-run", run_command, argc, argv); }
