// --plot: the graph as a picture.
#ifndef STRATA_TOOLS_PLOT_H
#define STRATA_TOOLS_PLOT_H

#include "dialects/compile.h"

// Draws @main of a module on tensors to an SVG file: a box an op, with its type, in layers from the inputs down.
// Constants are left out.
STRATA_MUST_CHECK strata_status_t strata_plot(strata_compile_t *compile, const char *path);

#endif
