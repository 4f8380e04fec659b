// The boxes of a module: ops of a graph, or calls of kernels.
#include "tools/plot_boxes.h"

#include "dialects/affine/kernel.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "passes/affine/launch_list.h"
#include "passes/affine/origins.h"

#include <stdlib.h>
#include <string.h>

//===-- Text -----------------------------------------------------------------------------------------------------===//

// A type without "tensor<...>" or "memref<...>".
static const char *type_text(strata_arena_t *arena, MlirType type) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  mlirTypePrint(type, strata_text_write, memory);
  fclose(memory);
  const char *begin = strchr(text, '<') ? strchr(text, '<') + 1 : text;
  const char *result = strata_arena_printf(arena, "%.*s", (int)strcspn(begin, ">,"), begin);
  free(text);
  return result;
}

static const char *to_text(strata_arena_t *arena, MlirStringRef text) {
  return strata_arena_printf(arena, "%.*s", (int)text.length, text.data);
}

static const char *argument_name(strata_arena_t *arena, MlirOperation func, intptr_t index) {
  MlirAttribute name = strata_port_attr(func, "arg_attrs", index, "strata.name");
  return mlirAttributeIsNull(name) ? strata_arena_printf(arena, "argument %td", index)
                                   : to_text(arena, mlirStringAttrGetValue(name));
}

static bool is_output(MlirOperation func, intptr_t index) {
  return !mlirAttributeIsNull(strata_port_attr(func, "arg_attrs", index, "strata.output"));
}

static size_t add_box(strata_plot_t *plot, strata_plot_box_t box) {
  *strata_vector_push(plot->arena, &plot->boxes) = box;
  return plot->boxes.count - 1;
}

static void add_edge(strata_plot_t *plot, size_t from, size_t to) {
  for (size_t i = plot->edges.count; i-- > 0 && plot->edges.data[i].to == to;)
    if (plot->edges.data[i].from == from)
      return;
  *strata_vector_push(plot->arena, &plot->edges) = (strata_plot_edge_t){from, to};
}

static strata_plot_box_t port_box(strata_plot_t *plot, const char *kind, const char *name, MlirType type) {
  const char *title = strata_arena_printf(plot->arena, "%s %s", kind, strata_origin_short(plot->arena, NULL, name));
  return (strata_plot_box_t){.key = strata_arena_printf(plot->arena, "%s %s", kind, name),
                             .title = title,
                             .result = type_text(plot->arena, type),
                             .is_port = true};
}

//===-- Ops of a graph -------------------------------------------------------------------------------------------===//

static strata_plot_box_t op_box(strata_plot_t *plot, MlirOperation op) {
  strata_arena_t *arena = plot->arena;
  MlirStringRef name = strata_op_name(op);
  size_t prefix = name.length > 7 && memcmp(name.data, "strata.", 7) == 0 ? 7 : 0;
  bool has_result = mlirOperationGetNumResults(op) > 0;
  const char *type = has_result ? type_text(arena, mlirValueGetType(mlirOperationGetResult(op, 0))) : "";
  const char *title =
      has_result ? strata_arena_printf(arena, "%.*s", (int)(name.length - prefix), name.data + prefix) : "outputs";
  size_t count;
  const char *const *origins = strata_origins_list(arena, mlirOperationGetLocation(op), &count);
  const char **lines = strata_arena_array(arena, const char *, 1);
  lines[0] = has_result && count ? strata_origin_short(arena, NULL, origins[0]) : NULL;
  return (strata_plot_box_t){.key = strata_arena_printf(arena, "%s %s", title, type),
                             .title = title,
                             .lines = lines,
                             .n_lines = lines[0] != NULL,
                             .result = type,
                             .is_port = !has_result};
}

static void read_graph(strata_plot_t *plot, MlirOperation main) {
  strata_pointer_map_t boxes = strata_pointer_map_create(plot->arena); // value -> 1 + box
  MlirBlock block = strata_func_body(main);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue value = mlirBlockGetArgument(block, i);
    size_t box = add_box(plot, port_box(plot, "input", argument_name(plot->arena, main, i), mlirValueGetType(value)));
    *strata_pointer_map_put(&boxes, value.ptr) = (int64_t)box + 1;
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (strata_op_is(op, "strata.constant"))
      continue;
    size_t box = add_box(plot, op_box(plot, op));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      const int64_t *from = strata_pointer_map_get(&boxes, mlirOperationGetOperand(op, i).ptr);
      if (from)
        add_edge(plot, (size_t)*from - 1, box);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      *strata_pointer_map_put(&boxes, mlirOperationGetResult(op, i).ptr) = (int64_t)box + 1;
  }
}

//===-- Calls of kernels -----------------------------------------------------------------------------------------===//

// What the plot has to know of a kernel's function.
typedef struct {
  bool *is_written;       // by argument
  const char **ops;       // for each node that its nests come from, in order, the nests' names
  const char *const *own; // the nodes' names where it was made
  size_t n_nodes;
  double predicted; // seconds; 0: not known
} callee_t;

typedef struct {
  strata_compile_t *compile;
  strata_plot_t *plot;
  strata_pointer_map_t callees; // symbol's characters, which MLIR makes unique -> 1 + index
  STRATA_VECTOR(callee_t) callee;
} calls_t;

static void note_stores(callee_t *callee, const strata_kernel_t *kernel) {
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel->nests[i].accesses[j];
      if (access->is_store && mlirValueIsABlockArgument(access->buffer))
        callee->is_written[mlirBlockArgumentGetArgNumber(access->buffer)] = true;
    }
}

static size_t find_name(const char *const *names, size_t count, const char *name) {
  size_t i = 0;
  while (i < count && strcmp(names[i], name) != 0)
    i++;
  return i;
}

static void note_ops(strata_arena_t *arena, callee_t *callee, const strata_kernel_t *kernel) {
  const char **names = strata_arena_array(arena, const char *, kernel->n_nests + 1);
  callee->ops = strata_arena_array(arena, const char *, kernel->n_nests + 1);
  for (int i = 0; i < kernel->n_nests; i++) {
    size_t count;
    const char *const *origins = strata_origins_list(arena, mlirOperationGetLocation(kernel->nests[i].op), &count);
    const char *name = count ? origins[0] : "", *nest = to_text(arena, kernel->nests[i].name);
    size_t at = find_name(names, callee->n_nodes, name);
    names[at] = name;
    callee->ops[at] = at < callee->n_nodes ? strata_arena_printf(arena, "%s %s", callee->ops[at], nest) : nest;
    callee->n_nodes += at == callee->n_nodes;
  }
  callee->own = names;
}

static strata_status_t find_callee(calls_t *calls, MlirStringRef symbol, const callee_t **out_callee) {
  strata_arena_t *arena = calls->plot->arena;
  int64_t *known = strata_pointer_map_put(&calls->callees, symbol.data);
  if (!*known) {
    MlirOperation func = strata_find_func(calls->compile->module, to_text(arena, symbol));
    strata_kernel_t kernel;
    STRATA_TRY(strata_kernel_read(arena, func, &kernel));
    callee_t callee = {.is_written = strata_arena_array(arena, bool, mlirBlockGetNumArguments(kernel.body) + 1),
                       .predicted = 1e-9 * (double)strata_attr_i64(func, "strata.predicted", 0)};
    note_stores(&callee, &kernel);
    note_ops(arena, &callee, &kernel);
    *strata_vector_push(arena, &calls->callee) = callee;
    *known = (int64_t)calls->callee.count;
  }
  *out_callee = &calls->callee.data[*known - 1];
  return NULL;
}

// As much of a line as a box has room for.
static const char *fit(strata_arena_t *arena, const char *line) {
  enum { MAX_LETTERS = 46 };
  size_t length = 0, letters = 0;
  for (; line[length] && letters < MAX_LETTERS; length++)
    letters += ((unsigned char)line[length + 1] & 0xC0) != 0x80; // the next byte starts a letter of UTF-8
  return line[length] ? strata_arena_printf(arena, "%.*s…", (int)length, line) : line;
}

// A line a node: its name, and what is left of it. A kernel that several calls share has the names of its first.
static void write_lines(strata_plot_t *plot, MlirOperation call, const callee_t *callee, strata_plot_box_t *box) {
  strata_arena_t *arena = plot->arena;
  size_t count;
  const char *const *names = strata_origins_list(arena, mlirOperationGetLocation(call), &count);
  bool has_names = count == callee->n_nodes;
  const char **lines = strata_arena_array(arena, const char *, STRATA_PLOT_LINES);
  for (size_t i = 0; i < callee->n_nodes && i < STRATA_PLOT_LINES; i++) {
    const char *name = has_names ? names[i] : callee->own[i];
    const char *first = i ? (has_names ? names[0] : callee->own[0]) : NULL;
    bool is_more = i + 1 == STRATA_PLOT_LINES && callee->n_nodes > STRATA_PLOT_LINES;
    lines[i] = is_more ? strata_arena_printf(arena, "and %zu more", callee->n_nodes - i)
               : *name ? strata_arena_printf(arena, "%s: %s", strata_origin_short(arena, first, name), callee->ops[i])
                       : callee->ops[i];
    lines[i] = fit(arena, lines[i]);
  }
  box->lines = lines;
  box->n_lines = callee->n_nodes < STRATA_PLOT_LINES ? callee->n_nodes : STRATA_PLOT_LINES;
}

static strata_status_t read_call(calls_t *calls, const strata_launch_list_t *list, const strata_launch_t *launch,
                                 int64_t *writer) {
  strata_plot_t *plot = calls->plot;
  const callee_t *callee;
  STRATA_TRY(find_callee(calls, launch->kernel, &callee));
  const char *symbol = to_text(plot->arena, launch->kernel);
  strata_plot_box_t made = {.key = symbol, .title = symbol, .result = "", .predicted = callee->predicted};
  write_lines(plot, launch->call, callee, &made);
  size_t box = add_box(plot, made);
  for (size_t i = 0; i < launch->n_args; i++)
    if (writer[launch->args[i]]) // what it writes only may be another's part of the same buffer: that is an order too
      add_edge(plot, (size_t)writer[launch->args[i]] - 1, box);
  for (size_t i = 0; i < launch->n_args; i++)
    if (callee->is_written[i]) {
      writer[launch->args[i]] = (int64_t)box + 1;
      plot->boxes.data[box].result =
          type_text(plot->arena, mlirValueGetType(list->buffers.data[launch->args[i]].value));
    }
  return NULL;
}

static strata_status_t read_calls(strata_compile_t *compile, strata_plot_t *plot, MlirOperation main) {
  calls_t calls = {.compile = compile, .plot = plot, .callees = strata_pointer_map_create(plot->arena)};
  strata_launch_list_t list;
  STRATA_TRY(strata_launch_list_read(compile, main, &list));
  int64_t *writer = strata_arena_array(plot->arena, int64_t, list.buffers.count + 1); // 1 + box
  for (size_t i = 0; i < list.buffers.count; i++) {
    const strata_buffer_t *buffer = &list.buffers.data[i];
    if (buffer->kind == STRATA_BUFFER_ARGUMENT && !is_output(main, buffer->argument))
      writer[i] = (int64_t)add_box(plot, port_box(plot, "input", argument_name(plot->arena, main, buffer->argument),
                                                  mlirValueGetType(buffer->value))) +
                  1;
  }
  for (size_t i = 0; i < list.launches.count; i++)
    STRATA_TRY(read_call(&calls, &list, &list.launches.data[i], writer));
  for (size_t i = 0; i < list.buffers.count; i++) {
    const strata_buffer_t *buffer = &list.buffers.data[i];
    if (buffer->kind != STRATA_BUFFER_ARGUMENT || !is_output(main, buffer->argument))
      continue;
    size_t box = add_box(plot, port_box(plot, "output", argument_name(plot->arena, main, buffer->argument),
                                        mlirValueGetType(buffer->value)));
    if (writer[i])
      add_edge(plot, (size_t)writer[i] - 1, box);
  }
  return NULL;
}

strata_status_t strata_plot_read(strata_compile_t *compile, strata_plot_t **out_plot) {
  strata_plot_t *plot = strata_arena_new(compile->arena, strata_plot_t);
  plot->arena = compile->arena;
  MlirOperation main = strata_find_func(compile->module, "main");
  bool is_graph = true;
  MlirBlock block = strata_func_body(main);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    is_graph &= mlirTypeIsATensor(mlirValueGetType(mlirBlockGetArgument(block, i)));
  *out_plot = plot;
  if (!is_graph)
    return read_calls(compile, plot, main);
  read_graph(plot, main);
  return NULL;
}
