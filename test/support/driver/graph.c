// Captures and graphs. Each operation of a capture is behind those that its stream, and the events that this has
// awaited, had come to; a graph is carried out in some order that this allows.
#include "test/support/driver/driver.h"

#include <stdlib.h>
#include <string.h>

//===-- Places ---------------------------------------------------------------------------------------------------===//

void places_clear(places_t *places) {
  free(places->data);
  *places = (places_t){0};
}

static bool has_place(const places_t *places, size_t place) {
  for (size_t i = 0; i < places->count; i++)
    if (places->data[i] == place)
      return true;
  return false;
}

static void add_place(places_t *places, size_t place) {
  if (has_place(places, place))
    return;
  places->data = realloc(places->data, (places->count + 1) * sizeof *places->data);
  if (!places->data)
    abort();
  places->data[places->count++] = place;
}

static void add_places(places_t *places, const places_t *others) {
  for (size_t i = 0; i < others->count; i++)
    add_place(places, others->data[i]);
}

//===-- Captures -------------------------------------------------------------------------------------------------===//

int capture_begin(stream_t *stream) {
  static uint64_t n_captures;
  stream->capture = object_create(GRAPH, sizeof *stream->capture, stream->object.context);
  stream->capture->origin = stream;
  stream->capture->id = ++n_captures;
  places_clear(&stream->front);
  return OK;
}

void capture_append(stream_t *stream, const operation_t *operation, void *const *params) {
  graph_t *graph = stream->capture;
  operation_t *added = queue_append(&graph->operations, operation, params);
  added->behind = stream->front;
  stream->front = (places_t){0};
  add_place(&stream->front, graph->n_operations++);
}

void capture_record(stream_t *stream, event_t *event) {
  places_clear(&event->front);
  add_places(&event->front, &stream->front);
}

int capture_await(stream_t *stream, const event_t *event) {
  if (!event->capture)
    return fault(CAPTURE_ISOLATION, "a stream that is captured waits for what is not");
  if (!object_find(GRAPH, event->capture) || !event->capture->origin)
    return fault(INVALID_VALUE, "the capture that the event was recorded in has ended");
  if (stream->capture && stream->capture != event->capture)
    return fault(CAPTURE_ISOLATION, "a stream waits for another capture's");
  if (!stream->capture)
    places_clear(&stream->front);
  stream->capture = event->capture;
  add_places(&stream->front, &event->front);
  return OK;
}

// What must be over once |places| are.
static bool *find_ancestors(const graph_t *graph, const places_t *places) {
  bool *known = calloc(graph->n_operations + 1, sizeof *known);
  const operation_t **operations = malloc((graph->n_operations + 1) * sizeof *operations);
  size_t n = 0;
  if (!known || !operations)
    abort();
  for (const operation_t *operation = graph->operations.head; operation; operation = operation->next)
    operations[n++] = operation;
  for (size_t i = n; i-- > 0;) {
    known[i] |= has_place(places, i);
    for (size_t j = 0; known[i] && j < operations[i]->behind.count; j++)
      known[operations[i]->behind.data[j]] = true;
  }
  free(operations);
  return known;
}

static bool is_joined(const graph_t *graph, const places_t *front) {
  bool *known = find_ancestors(graph, front), is_whole = true;
  for (size_t i = 0; i < graph->n_operations; i++)
    is_whole &= known[i];
  free(known);
  return is_whole;
}

int capture_end(stream_t *stream, graph_t **out_graph) {
  graph_t *graph = stream->capture;
  if (stream != graph->origin)
    return fault(CAPTURE_UNMATCHED, "the capture is another stream's");
  int result = is_joined(graph, &stream->front) ? OK : fault(CAPTURE_UNJOINED, "a stream of the capture is not joined");
  graph->origin = NULL;
  for (object_t *object = object_first(STREAM); object; object = object->next) {
    stream_t *each = (stream_t *)object;
    if (each->capture != graph)
      continue;
    each->capture = NULL;
    places_clear(&each->front);
  }
  *out_graph = graph;
  return result;
}

//===-- Graphs ---------------------------------------------------------------------------------------------------===//

graph_t *graph_copy(const graph_t *graph) {
  graph_t *copy = object_create(GRAPH, sizeof *copy, graph->object.context);
  copy->n_operations = graph->n_operations;
  for (const operation_t *operation = graph->operations.head; operation; operation = operation->next)
    add_places(&queue_append(&copy->operations, operation, operation->params)->behind, &operation->behind);
  return copy;
}

static bool is_free(const operation_t *operation, const bool *is_done) {
  for (size_t i = 0; i < operation->behind.count; i++)
    if (!is_done[operation->behind.data[i]])
      return false;
  return true;
}

// One of those that are behind nothing that is left: the last one, or any.
static const operation_t *choose(const graph_t *graph, const bool *is_done, size_t *out_place) {
  const operation_t *chosen = NULL;
  size_t place = 0, n = 0;
  for (const operation_t *each = graph->operations.head; each; each = each->next, place++) {
    if (is_done[place] || !is_free(each, is_done) || (order_seed && random_below(++n) != 0))
      continue;
    chosen = each;
    *out_place = place;
  }
  return chosen;
}

int graph_run(const graph_t *graph, stream_t *stream) {
  bool *is_done = calloc(graph->n_operations + 1, sizeof *is_done);
  const operation_t *operation;
  int result = OK;
  size_t place;
  if (!is_done)
    abort();
  while (result == OK && (operation = choose(graph, is_done, &place))) {
    is_done[place] = true;
    result = stream_append(stream, operation, operation->params);
  }
  free(is_done);
  return result;
}
