// --plot: a compile as a picture.
//
// A box is a kernel's call with the nodes of the model that it carries out and, where it was run, its time; or, of a
// compile that ends before there are kernels, an op of the graph. Boxes stand in layers from the inputs down. Calls
// that repeat, as those of a network's layers, are drawn once with their number. Constants are left out.
#ifndef STRATA_TOOLS_PLOT_H
#define STRATA_TOOLS_PLOT_H

#include "dialects/compile.h"

typedef struct strata_plot strata_plot_t;

// Reads @main of a module of level 1 or 2, which may change afterwards. The plot belongs to the compile's arena.
STRATA_MUST_CHECK strata_status_t strata_plot_read(strata_compile_t *compile, strata_plot_t **out_plot);

// The time that a call of |kernel| took, in seconds; a name that the plot does not have is left aside.
void strata_plot_set_time(strata_plot_t *plot, const char *kernel, double seconds);

// Writes an SVG file, or the text of Graphviz where the name ends in .dot. IO if it cannot be written.
STRATA_MUST_CHECK strata_status_t strata_plot_write(strata_plot_t *plot, const char *path);

#endif
