// See profile_trace.h. Written by hand: strata-run needs no library that a machine with a GPU may lack.
#include "tools/profile_trace.h"

#include "runtime/base/whole_file.h"

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

static void print_event(FILE *file, const strata_profile_event_t *event, uint64_t start) {
  fputs("{\"name\": ", file);
  print_string(file, event->kernel);
  fputs(", \"cat\": \"kernel\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1", file);
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

static void print_events(FILE *file, const char *library, size_t n, const strata_profile_event_t *events) {
  fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
        "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": ",
        file);
  print_string(file, library);
  fputs("}}", file);
  uint64_t start = 0;
  for (size_t i = 0; i < n; i++) {
    fputs(",\n", file);
    print_event(file, &events[i], start);
    start += events[i].nanoseconds;
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
