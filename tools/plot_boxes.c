// What repeats, and where each box stands.
#include "tools/plot_boxes.h"

#include <string.h>

//===-- Repeats --------------------------------------------------------------------------------------------------===//

enum { MAX_PERIOD = 256 }; // boxes

static bool is_same(const strata_plot_t *plot, size_t a, size_t b) {
  const strata_plot_box_t *x = &plot->boxes.data[a], *y = &plot->boxes.data[b];
  return !x->is_port && !y->is_port && strcmp(x->key, y->key) == 0;
}

// How often the |count| boxes from |first| on stand behind one another.
static size_t count_times(const strata_plot_t *plot, size_t first, size_t count) {
  size_t at = first + count;
  while (at < plot->boxes.count && is_same(plot, at, at - count))
    at++;
  return (at - first) / count;
}

// The repeat from |first| on that covers most boxes, of the shortest period; times 1: nothing repeats.
static strata_plot_repeat_t find_repeat(const strata_plot_t *plot, size_t first) {
  strata_plot_repeat_t best = {first, 1, 1};
  for (size_t count = 1; count <= MAX_PERIOD && first + 2 * count <= plot->boxes.count; count++) {
    size_t times = count_times(plot, first, count);
    if (times > 1 && count * times > best.count * best.times)
      best = (strata_plot_repeat_t){first, count, times};
  }
  return best;
}

// An edge into a hidden box is drawn at the first time; one out of it starts at the box that stands for it.
static void map_edges(strata_plot_t *plot, const size_t *shown) {
  size_t n = 0;
  for (size_t i = 0; i < plot->edges.count; i++) {
    strata_plot_edge_t edge = plot->edges.data[i];
    edge.from = shown[edge.from];
    if (!plot->boxes.data[edge.to].is_hidden && edge.from < edge.to)
      plot->edges.data[n++] = edge;
  }
  plot->edges.count = n;
}

void strata_plot_collapse(strata_plot_t *plot) {
  size_t *shown = strata_arena_array(plot->arena, size_t, plot->boxes.count + 1); // the box drawn for each
  for (size_t i = 0; i < plot->boxes.count;) {
    strata_plot_repeat_t repeat = find_repeat(plot, i);
    for (size_t k = 0; k < repeat.count * repeat.times; k++) {
      shown[i + k] = i + k % repeat.count;
      plot->boxes.data[i + k].is_hidden = k >= repeat.count;
    }
    if (repeat.times > 1)
      *strata_vector_push(plot->arena, &plot->repeats) = repeat;
    i += repeat.count * repeat.times;
  }
  map_edges(plot, shown);
}

size_t strata_plot_times(const strata_plot_t *plot, size_t box) {
  for (size_t i = 0; i < plot->repeats.count; i++) {
    const strata_plot_repeat_t *repeat = &plot->repeats.data[i];
    if (box >= repeat->first && box < repeat->first + repeat->count)
      return repeat->times;
  }
  return 1;
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

enum { GAP_X = 24, GAP_Y = 40, MARGIN = 24 };

static void place_in_rows(strata_plot_t *plot) {
  for (size_t i = 0; i < plot->edges.count; i++) { // sorted by where they go, and all go forward
    const strata_plot_edge_t *edge = &plot->edges.data[i];
    int below = plot->boxes.data[edge->from].row + 1;
    strata_plot_box_t *to = &plot->boxes.data[edge->to];
    to->row = to->row > below ? to->row : below;
  }
}

// As near below the middle of what it reads as the row has room.
static void place_in_columns(strata_plot_t *plot, double *row_end) {
  for (size_t i = 0, edge = 0; i < plot->boxes.count; i++) {
    strata_plot_box_t *box = &plot->boxes.data[i];
    double sum = 0;
    size_t n = 0;
    for (; edge < plot->edges.count && plot->edges.data[edge].to == i; edge++, n++)
      sum += plot->boxes.data[plot->edges.data[edge].from].x;
    if (box->is_hidden)
      continue;
    box->x = n && sum / (double)n > row_end[box->row] ? sum / (double)n : row_end[box->row];
    row_end[box->row] = box->x + STRATA_PLOT_WIDTH + GAP_X;
    plot->width = row_end[box->row] > plot->width ? row_end[box->row] : plot->width;
  }
}

void strata_plot_place(strata_plot_t *plot) {
  place_in_rows(plot);
  int n_rows = 0;
  for (size_t i = 0; i < plot->boxes.count; i++)
    n_rows = plot->boxes.data[i].row >= n_rows ? plot->boxes.data[i].row + 1 : n_rows;
  double *row_end = strata_arena_array(plot->arena, double, n_rows + 1);
  double *top = strata_arena_array(plot->arena, double, n_rows + 1); // first the heights, then where rows start
  for (int row = 0; row <= n_rows; row++)
    row_end[row] = MARGIN;
  place_in_columns(plot, row_end);
  for (size_t i = 0; i < plot->boxes.count; i++) {
    strata_plot_box_t *box = &plot->boxes.data[i];
    box->height = (double)STRATA_PLOT_LINE * (double)(box->n_lines + 2) + 6;
    if (!box->is_hidden && box->height + GAP_Y > top[box->row + 1])
      top[box->row + 1] = box->height + GAP_Y;
  }
  top[0] = MARGIN;
  for (int row = 0; row < n_rows; row++)
    top[row + 1] += top[row];
  for (size_t i = 0; i < plot->boxes.count; i++)
    plot->boxes.data[i].y = top[plot->boxes.data[i].row];
  plot->width += MARGIN;
  plot->height = top[n_rows] + MARGIN;
}

//===-- Times ----------------------------------------------------------------------------------------------------===//

const char *strata_plot_summary(const strata_plot_t *plot, size_t index) {
  const strata_plot_box_t *box = &plot->boxes.data[index];
  const char *predicted =
      box->predicted > 0 ? strata_arena_printf(plot->arena, "%.3g ms predicted", 1e3 * box->predicted) : "";
  if (box->seconds <= 0)
    return *predicted ? strata_arena_printf(plot->arena, "%s, %s", box->result, predicted) : box->result;
  size_t times = strata_plot_times(plot, index);
  const char *number = times > 1 ? strata_arena_printf(plot->arena, "%zu × ", times) : "";
  return strata_arena_printf(plot->arena, "%s, %s%.3g ms%s%s, %.1f %%", box->result, number, 1e3 * box->seconds,
                             *predicted ? ", " : "", predicted, 100 * (double)times * box->seconds / plot->all_seconds);
}

void strata_plot_set_time(strata_plot_t *plot, const char *kernel, double seconds) {
  for (size_t i = 0; i < plot->boxes.count; i++)
    if (!plot->boxes.data[i].is_port && strcmp(plot->boxes.data[i].key, kernel) == 0) {
      plot->boxes.data[i].seconds = seconds;
      plot->all_seconds += seconds;
    }
}
