// The drawing as SVG and as text for Graphviz.
#include "tools/plot_boxes.h"

#include "runtime/base/whole_file.h"

#include <string.h>

//===-- SVG ------------------------------------------------------------------------------------------------------===//

static void print_xml(FILE *file, const char *text) {
  for (; *text; text++)
    switch (*text) {
    case '<':
      fputs("&lt;", file);
      break;
    case '&':
      fputs("&amp;", file);
      break;
    default:
      fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
    }
}

static void draw_text(FILE *file, double x, double y, const char *style, const char *text) {
  fprintf(file, "<text x='%.0f' y='%.0f'%s>", x, y, style);
  print_xml(file, text);
  fputs("</text>\n", file);
}

static void draw_edges(const strata_plot_t *plot, FILE *file) {
  fputs("<g fill='none' stroke='#888' marker-end='url(#arrow)'>\n", file);
  for (size_t i = 0; i < plot->edges.count; i++) {
    const strata_plot_box_t *from = &plot->boxes.data[plot->edges.data[i].from];
    const strata_plot_box_t *to = &plot->boxes.data[plot->edges.data[i].to];
    double x0 = from->x + STRATA_PLOT_WIDTH / 2, y0 = from->y + from->height, x1 = to->x + STRATA_PLOT_WIDTH / 2,
           bend = (to->y - y0) / 2;
    bool is_far = to->row > from->row + 1; // it goes past boxes: on their right, and pale
    if (is_far)
      fprintf(file, "<path stroke='#ccc' d='M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f'/>\n", x0 + 100, y0, x0 + 190,
              y0 + 30, x1 + 190, to->y - 30, x1 + 100, to->y);
    else
      fprintf(file, "<path d='M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f'/>\n", x0, y0, x0, y0 + bend, x1, to->y - bend,
              x1, to->y);
  }
  fputs("</g>\n", file);
}

// The redder the larger its part of the run.
static void draw_frame(const strata_plot_t *plot, size_t index, FILE *file) {
  const strata_plot_box_t *box = &plot->boxes.data[index];
  double share = plot->all_seconds > 0 ? (double)strata_plot_times(plot, index) * box->seconds / plot->all_seconds : 0;
  int paleness = 240 - (int)(150 * (share < 0.5 ? share / 0.5 : 1));
  const char *fill = box->is_port ? "#efe" : share > 0 ? "" : "#eef";
  fprintf(file, "<rect x='%.0f' y='%.0f' width='%d' height='%.0f' rx='5' stroke='#446' fill='", box->x, box->y,
          STRATA_PLOT_WIDTH, box->height);
  if (*fill)
    fprintf(file, "%s'/>\n", fill);
  else
    fprintf(file, "rgb(255,%d,%d)'/>\n", paleness, paleness);
}

static void draw_box(const strata_plot_t *plot, size_t index, FILE *file) {
  const strata_plot_box_t *box = &plot->boxes.data[index];
  double y = box->y + STRATA_PLOT_LINE + 1;
  draw_frame(plot, index, file);
  draw_text(file, box->x + 8, y, " font-weight='bold'", box->title);
  for (size_t i = 0; i < box->n_lines; i++)
    draw_text(file, box->x + 8, y += STRATA_PLOT_LINE, " font-size='10'", box->lines[i]);
  draw_text(file, box->x + 8, y + STRATA_PLOT_LINE, " font-size='10' fill='#555'", strata_plot_summary(plot, index));
}

static void draw_repeat(const strata_plot_t *plot, const strata_plot_repeat_t *repeat, FILE *file) {
  const strata_plot_box_t *first = &plot->boxes.data[repeat->first];
  double left = first->x, right = left, top = first->y, bottom = top;
  for (size_t i = repeat->first; i < repeat->first + repeat->count; i++) {
    const strata_plot_box_t *box = &plot->boxes.data[i];
    left = box->x < left ? box->x : left;
    right = box->x > right ? box->x : right;
    top = box->y < top ? box->y : top;
    bottom = box->y + box->height > bottom ? box->y + box->height : bottom;
  }
  fprintf(file,
          "<rect x='%.0f' y='%.0f' width='%.0f' height='%.0f' rx='8' fill='#f4f4f4' stroke='#999' "
          "stroke-dasharray='5 4'/>\n",
          left - 10, top - 20, right - left + STRATA_PLOT_WIDTH + 20, bottom - top + 30);
  draw_text(file, left, top - 7, " font-weight='bold' fill='#555'",
            strata_arena_printf(plot->arena, "%zu times", repeat->times));
}

void strata_plot_draw_svg(const strata_plot_t *plot, FILE *file) {
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' font-family='sans-serif' "
          "font-size='12'>\n"
          "<defs><marker id='arrow' markerWidth='7' markerHeight='6' refX='6' refY='3' orient='auto'>"
          "<path d='M0 0L6 3L0 6z' fill='#888' stroke='none'/></marker></defs>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n",
          plot->width, plot->height);
  for (size_t i = 0; i < plot->repeats.count; i++)
    draw_repeat(plot, &plot->repeats.data[i], file);
  draw_edges(plot, file);
  for (size_t i = 0; i < plot->boxes.count; i++)
    if (!plot->boxes.data[i].is_hidden)
      draw_box(plot, i, file);
  fputs("</svg>\n", file);
}

//===-- Graphviz -------------------------------------------------------------------------------------------------===//

static void print_quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', file);
    fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
  }
  fputc('"', file);
}

static void print_node(FILE *file, size_t box, size_t line, const char *text) {
  fprintf(file, "    n%zu_%zu [label=", box, line);
  print_quoted(file, text);
  fputs("]\n", file);
}

// A kernel is a cluster, of a node a line.
static void print_cluster(const strata_plot_t *plot, size_t index, FILE *file) {
  const strata_plot_box_t *box = &plot->boxes.data[index];
  fprintf(file, "  subgraph cluster_%zu {\n    label=", index);
  print_quoted(file, strata_arena_printf(plot->arena, "%s   %s", box->title, strata_plot_summary(plot, index)));
  fputc('\n', file);
  for (size_t i = 0; i < box->n_lines; i++)
    print_node(file, index, i, box->lines[i]);
  if (!box->n_lines)
    print_node(file, index, 0, box->title);
  for (size_t i = 1; i < box->n_lines; i++)
    fprintf(file, "    n%zu_%zu -> n%zu_%zu\n", index, i - 1, index, i);
  fputs("  }\n", file);
}

static void print_repeat(const strata_plot_t *plot, size_t number, FILE *file) {
  const strata_plot_repeat_t *repeat = &plot->repeats.data[number];
  fprintf(file, "  subgraph cluster_repeat_%zu {\n  label=\"%zu times\"\n  style=dashed\n", number, repeat->times);
  for (size_t i = 0; i < repeat->count; i++)
    print_cluster(plot, repeat->first + i, file);
  fputs("  }\n", file);
}

void strata_plot_draw_dot(const strata_plot_t *plot, FILE *file) {
  fputs("digraph strata {\n  compound=true\n  node [shape=box, fontname=\"sans-serif\", fontsize=10]\n"
        "  fontname=\"sans-serif\"\n  fontsize=11\n",
        file);
  for (size_t i = 0; i < plot->repeats.count; i++)
    print_repeat(plot, i, file);
  for (size_t i = 0; i < plot->boxes.count; i++)
    if (!plot->boxes.data[i].is_hidden && strata_plot_times(plot, i) == 1)
      print_cluster(plot, i, file);
  for (size_t i = 0; i < plot->edges.count; i++) {
    size_t from = plot->edges.data[i].from, to = plot->edges.data[i].to, n = plot->boxes.data[from].n_lines;
    fprintf(file, "  n%zu_%zu -> n%zu_0 [ltail=cluster_%zu, lhead=cluster_%zu]\n", from, n ? n - 1 : 0, to, from, to);
  }
  fputs("}\n", file);
}

//===-- The file -------------------------------------------------------------------------------------------------===//

strata_status_t strata_plot_write(strata_plot_t *plot, const char *path) {
  size_t length = strlen(path);
  bool is_dot = length > 4 && strcmp(path + length - 4, ".dot") == 0;
  strata_whole_file_t file;
  STRATA_TRY(strata_whole_file_open(path, &file));
  strata_plot_collapse(plot);
  strata_plot_place(plot);
  if (is_dot)
    strata_plot_draw_dot(plot, file.file);
  else
    strata_plot_draw_svg(plot, file.file);
  return strata_whole_file_close(&file);
}
