// The graph as a layered drawing: an op stands one row below the lowest of its operands, and as near below the middle
// of them as the row has room. One pass over the ops places them, a second draws.
#include "tools/plot.h"

#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "runtime/base/whole_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { BOX_WIDTH = 190, BOX_HEIGHT = 34, COLUMN = 210, ROW = 64, LABEL = 30 };

typedef struct {
  const char *label, *type;
  int row;
  double x;
} box_t;

typedef struct {
  size_t from, to;
} edge_t;

typedef struct {
  strata_arena_t *arena;
  strata_pointer_map_t boxes; // value -> index of its box, plus 1
  STRATA_VECTOR(box_t) box;
  STRATA_VECTOR(edge_t) edge;
  STRATA_VECTOR(double) row_end; // where the next box of a row may start
} plot_t;

static void append_text(MlirStringRef part, void *user) {
  FILE *memory = user;
  fwrite(part.data, 1, part.length, memory);
}

// |value|'s type without "tensor<...>", cut to a box's width.
static const char *type_text(strata_arena_t *arena, MlirValue value) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  mlirTypePrint(mlirValueGetType(value), append_text, memory);
  fclose(memory);
  const char *begin = strncmp(text, "tensor<", 7) == 0 ? text + 7 : text;
  int length = (int)strcspn(begin, ">");
  const char *result = strata_arena_printf(arena, "%.*s", length < LABEL ? length : LABEL, begin);
  free(text);
  return result;
}

// Adds a box for |value| (null: a result of the graph) below the boxes of |op|'s operands.
static void add_box(plot_t *plot, MlirOperation op, MlirValue value, const char *label) {
  size_t index = plot->box.count;
  int row = 0, n_parents = 0;
  double x = 0;
  for (intptr_t i = 0; !mlirOperationIsNull(op) && i < mlirOperationGetNumOperands(op); i++) {
    const int64_t *parent = strata_pointer_map_get(&plot->boxes, mlirOperationGetOperand(op, i).ptr);
    if (!parent)
      continue;
    const box_t *above = &plot->box.data[*parent - 1];
    row = above->row + 1 > row ? above->row + 1 : row;
    x += above->x;
    n_parents++;
    *strata_vector_push(plot->arena, &plot->edge) = (edge_t){(size_t)*parent - 1, index};
  }
  while (plot->row_end.count <= (size_t)row)
    *strata_vector_push(plot->arena, &plot->row_end) = 0;
  x = n_parents ? x / n_parents : 0;
  x = x < plot->row_end.data[row] ? plot->row_end.data[row] : x;
  plot->row_end.data[row] = x + (double)COLUMN;
  const char *type = mlirValueIsNull(value) ? "" : type_text(plot->arena, value);
  *strata_vector_push(plot->arena, &plot->box) = (box_t){label, type, row, x};
  if (!mlirValueIsNull(value))
    *strata_pointer_map_put(&plot->boxes, value.ptr) = (int64_t)index + 1;
}

static void place(plot_t *plot, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    add_box(plot, (MlirOperation){NULL}, mlirBlockGetArgument(block, i),
            strata_arena_printf(plot->arena, "input %td", i));
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = strata_op_name(op);
    if (strata_op_is(op, "strata.constant"))
      continue;
    bool has_result = mlirOperationGetNumResults(op) > 0;
    size_t prefix = name.length > 7 && memcmp(name.data, "strata.", 7) == 0 ? 7 : 0;
    add_box(plot, op, has_result ? mlirOperationGetResult(op, 0) : (MlirValue){NULL},
            has_result ? strata_arena_printf(plot->arena, "%.*s", (int)(name.length - prefix), name.data + prefix)
                       : "outputs");
  }
}

// Text in XML.
static void draw_text(FILE *file, double x, double y, const char *weight, const char *text) {
  fprintf(file, "<text x='%.0f' y='%.0f' font-weight='%s'>", x, y, weight);
  for (; *text; text++)
    fprintf(file, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : "%c", *text);
  fputs("</text>\n", file);
}

static void draw(const plot_t *plot, FILE *file) {
  double width = 0;
  for (size_t i = 0; i < plot->row_end.count; i++)
    width = plot->row_end.data[i] > width ? plot->row_end.data[i] : width;
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%zu' font-family='sans-serif' font-size='11' "
          "text-anchor='middle'>\n<g fill='none' stroke='#888'>\n",
          width, plot->row_end.count * ROW);
  for (size_t i = 0; i < plot->edge.count; i++) {
    const box_t *from = &plot->box.data[plot->edge.data[i].from], *to = &plot->box.data[plot->edge.data[i].to];
    double x0 = from->x + BOX_WIDTH / 2, y0 = from->row * ROW + BOX_HEIGHT, x1 = to->x + BOX_WIDTH / 2,
           y1 = to->row * ROW;
    fprintf(file, "<path d='M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f'/>\n", x0, y0, x0, y0 + ROW / 2, x1, y1 - ROW / 2,
            x1, y1);
  }
  fputs("</g>\n<g fill='#eef' stroke='#446'>\n", file);
  for (size_t i = 0; i < plot->box.count; i++)
    fprintf(file, "<rect x='%.0f' y='%d' width='%d' height='%d' rx='4'/>\n", plot->box.data[i].x,
            plot->box.data[i].row * ROW, BOX_WIDTH, BOX_HEIGHT);
  fputs("</g>\n", file);
  for (size_t i = 0; i < plot->box.count; i++) {
    const box_t *box = &plot->box.data[i];
    draw_text(file, box->x + BOX_WIDTH / 2, box->row * ROW + 14, "bold", box->label);
    draw_text(file, box->x + BOX_WIDTH / 2, box->row * ROW + 27, "normal", box->type);
  }
  fputs("</svg>\n", file);
}

strata_status_t strata_plot(strata_compile_t *compile, const char *path) {
  plot_t plot = {.arena = compile->arena, .boxes = strata_pointer_map_create(compile->arena)};
  place(&plot, strata_func_body(strata_find_func(compile->module, "main")));
  strata_whole_file_t file;
  STRATA_TRY(strata_whole_file_open(path, &file));
  draw(&plot, file.file);
  return strata_whole_file_close(&file);
}
