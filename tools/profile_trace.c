// See profile_trace.h. Written by hand: strata-run needs no library that a machine with a GPU may lack.
#include "tools/profile_trace.h"

#include "runtime/base/whole_file.h"
#include "runtime/include/strata/runtime.h"

#include <stdio.h>

static void print_string(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(file, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      fprintf(file, "\\u%04x", (unsigned)*text);
    else
      fputc(*text, file);
  fputc('"', file);
}

static void print_microseconds(FILE *file, const char *name, uint64_t nanoseconds) {
  fprintf(file, ", \"%s\": %llu.%03llu", name, (unsigned long long)(nanoseconds / 1000),
          (unsigned long long)(nanoseconds % 1000));
}

// When the work so far ends on each stream, and when the others were forked.
typedef struct {
  uint64_t ends[STRATA_STREAMS_NUMBER + 1], fork;
} stream_clock_t;

static uint32_t number_of(const strata_profile_event_t *event) { return event->stream & STRATA_STREAMS_NUMBER; }

static void join(stream_clock_t *clock) {
  for (uint32_t i = 1; i <= STRATA_STREAMS_NUMBER; i++)
    clock->ends[0] = clock->ends[i] > clock->ends[0] ? clock->ends[i] : clock->ends[0];
}

// The event's start; the clock goes on to its end.
static uint64_t advance(stream_clock_t *clock, const strata_profile_event_t *event) {
  uint64_t *end = &clock->ends[number_of(event)];
  if (event->stream & STRATA_STREAMS_JOIN)
    join(clock);
  if (event->stream & STRATA_STREAMS_FORK)
    clock->fork = clock->ends[0];
  uint64_t start = number_of(event) && *end < clock->fork ? clock->fork : *end;
  *end = start + event->nanoseconds;
  return start;
}

static void print_event(FILE *file, const strata_profile_event_t *event, uint64_t start) {
  fputs("{\"name\": ", file);
  print_string(file, event->kernel);
  fprintf(file, ", \"cat\": \"kernel\", \"ph\": \"X\", \"pid\": 1, \"tid\": %u", number_of(event) + 1);
  print_microseconds(file, "ts", start);
  print_microseconds(file, "dur", event->nanoseconds);
  fputs(", \"args\": {\"nodes\": ", file);
  print_string(file, event->nodes);
  fprintf(file, ", \"bytes\": %llu, \"flops\": %llu, \"threads\": %u", (unsigned long long)event->bytes,
          (unsigned long long)event->flops, event->threads);
  if (event->predicted)
    print_microseconds(file, "predicted_us", event->predicted);
  fputs("}}", file);
}

// The names of rows, where there are several.
static void print_rows(FILE *file, size_t n, const strata_profile_event_t *events) {
  uint32_t last = 0;
  for (size_t i = 0; i < n; i++)
    last = number_of(&events[i]) > last ? number_of(&events[i]) : last;
  for (uint32_t i = 0; i <= last && last > 0; i++)
    fprintf(
        file,
        ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"args\": {\"name\": \"stream %u\"}}",
        i + 1, i);
}

static void print_events(FILE *file, const char *library, size_t n, const strata_profile_event_t *events) {
  fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
        "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": ",
        file);
  print_string(file, library);
  fputs("}}", file);
  print_rows(file, n, events);
  stream_clock_t clock = {0};
  for (size_t i = 0; i < n; i++) {
    fputs(",\n", file);
    print_event(file, &events[i], advance(&clock, &events[i]));
  }
  fputs("\n]}\n", file);
}

strata_status_t strata_profile_trace_write(const char *path, const char *library, size_t n,
                                           const strata_profile_event_t *events) {
  strata_whole_file_t file;
  STRATA_TRY(strata_whole_file_open(path, &file));
  print_events(file.file, library, n, events);
  return strata_whole_file_close(&file);
}
