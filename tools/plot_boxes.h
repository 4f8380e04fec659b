// Inside --plot: the boxes between the reading and the drawing of them.
#ifndef STRATA_TOOLS_PLOT_BOXES_H
#define STRATA_TOOLS_PLOT_BOXES_H

#include "runtime/base/arena.h"
#include "tools/plot.h"

#include <stdio.h>

typedef struct {
  const char *key;          // equal boxes have equal keys: a kernel's symbol; an op's name and type
  const char *title;        // "k3"
  const char *const *lines; // what is in it: "…/dense/Gelu: mul erf add mul"
  size_t n_lines;
  const char *result; // the type of what it makes; "": none
  double seconds;     // of a call; 0: not known
  double predicted;   // by the models of a GPU; 0: not known
  bool is_port;       // an input or an output
  // Set by strata_plot_collapse and strata_plot_place.
  bool is_hidden;
  int row;
  double x, y, height;
} strata_plot_box_t;

typedef struct {
  size_t from, to; // boxes
} strata_plot_edge_t;

// |count| boxes from |first| on that stand |times| times behind one another; all but the first time are hidden.
typedef struct {
  size_t first, count, times;
} strata_plot_repeat_t;

struct strata_plot {
  strata_arena_t *arena;
  STRATA_VECTOR(strata_plot_box_t) boxes; // in an order in which edges go forward
  STRATA_VECTOR(strata_plot_edge_t) edges;
  STRATA_VECTOR(strata_plot_repeat_t) repeats;
  double width, height; // all of it, once placed
  double all_seconds;   // of a run
};

// Finds what repeats, hides all but its first time and leaves of the edges those between boxes that are shown.
void strata_plot_collapse(strata_plot_t *plot);
// Gives each box that is shown its place.
void strata_plot_place(strata_plot_t *plot);

enum { STRATA_PLOT_WIDTH = 280, STRATA_PLOT_LINE = 13, STRATA_PLOT_LINES = 8 }; // of a box: width, line height, lines

void strata_plot_draw_svg(const strata_plot_t *plot, FILE *file);
void strata_plot_draw_dot(const strata_plot_t *plot, FILE *file);

// "128x768xf32, 12 x 0.312 ms, 45 %" of a box; times 1 where it does not repeat.
const char *strata_plot_summary(const strata_plot_t *plot, size_t box);
// How often a box stands for one that is shown.
size_t strata_plot_times(const strata_plot_t *plot, size_t box);

#endif
