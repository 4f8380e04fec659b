// Graphs that front ends build: what becomes of them, and whose names are in errors.
#include "dialects/import/graph/graph_builder.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "test/support/check.h"

typedef struct {
  char data[1 << 16];
  size_t length;
} text_t;

static void append(MlirStringRef part, void *user) {
  text_t *text = user;
  for (size_t i = 0; i < part.length && text->length + 1 < sizeof text->data; i++)
    text->data[text->length++] = part.data[i];
}

// The error, or the module's text.
static const char *result_of(strata_compile_t *compile, strata_status_t status) {
  if (!status)
    status = strata_verify(compile);
  if (status)
    return strata_arena_strdup(compile->arena, strata_status_message(status));
  text_t *text = strata_arena_new(compile->arena, text_t);
  mlirOperationPrint(mlirModuleGetOperation(compile->module), append, text);
  return text->data;
}

static bool has(const char *text, const char *part) {
  if (strstr(text, part))
    return true;
  fprintf(stderr, "'%s' is not in: %s\n", part, text);
  return false;
}

// y = x w, to which it is added three times: a constant where it lies, a body that sees the values around it, a size
// with a range.
static graph_t *products(strata_compile_t *compile, int64_t rows) {
  static float weights[] = {1, 2, 3, 4, 5, 6};
  strata_tensor_t w = {.dtype = STRATA_DTYPE_F32, .rank = 2, .shape = {3, 2}, .data = weights, .size = sizeof weights};
  graph_t *g = graph_create(compile->arena);
  graph_dim_t dims[] = {{.size = rows, .name = "rows", .min = 1, .max = 8}, {.size = 3}};
  graph_input(g, "x", STRATA_DTYPE_F32, 2, dims);
  graph_origin(g, "Linear", "first");
  const char *product = graph_op(g, "MatMul", GRAPH_VALUES("x", graph_constant(g, "w", &w)));
  graph_origin(g, "Repeat", "second");
  graph_t *body = graph_create_body(g);
  graph_body_input(body, "i");
  graph_body_input(body, "on");
  graph_body_input(body, "state");
  graph_output(body, "goes on", "on");
  graph_output(body, "next", graph_op(body, "Add", GRAPH_VALUES("state", product)));
  graph_node_t *loop = graph_node(g, "Loop", GRAPH_VALUES(graph_int(g, 3), "", product));
  graph_set_body(loop, "body", body);
  graph_output(g, "y", graph_cast(g, graph_result(loop, NULL), STRATA_DTYPE_F16));
  return g;
}

static void test_good(strata_compile_t *compile) {
  strata_import_options_t none = {0};
  const char *text = result_of(compile, graph_import(products(compile, -1), compile, "net.x", &none));
  CHECK(has(text, "strata.symbols"));
  CHECK(has(text, "max = 8"));
  CHECK(has(text, "strata.contract"));
  CHECK(has(text, "tensor<?x2xf16"));
  CHECK(has(text, "{strata.name = \"y\"}) attributes"));
}

static void test_ranges(strata_compile_t *compile) {
  strata_import_dim_t dim = {.name = "rows", .min = 9, .max = 9, .multiple = 1};
  strata_import_options_t options = {.dims = &dim, .n_dims = 1};
  const char *text = result_of(compile, graph_import(products(compile, -1), compile, "net.x", &options));
  CHECK_STR(text, "net.x: --dim rows: the model says that it is from 1 to 8");
}

// Errors speak of the format's own operators, all at once.
static void test_errors(strata_compile_t *compile) {
  strata_import_options_t none = {0};
  graph_t *g = products(compile, 2);
  graph_origin(g, "Sort-3", "third");
  const char *sorted = graph_result(graph_refuse(g, "%s order", "this"), NULL);
  graph_origin(g, "Softmax-1", "fourth");
  graph_output(g, "z", graph_op(g, "Softmax", GRAPH_VALUES(sorted)));
  graph_origin(g, "Median-1", "never");
  size_t mark = graph_mark(g);
  graph_op(g, "Unique", GRAPH_VALUES("x"));
  graph_roll_back(g, mark);
  graph_origin(g, "Unique-10", "fifth");
  graph_output(g, "u", graph_op(g, "Unique", GRAPH_VALUES(graph_cast(g, "x", STRATA_DTYPE_BOOL))));
  CHECK_STR(result_of(compile, graph_import(g, compile, "net.x", &none)),
            "net.x (node third): Sort-3 is not supported: this order\n"
            "net.x (node fifth): Unique-10 is not supported: truth values");
  g = products(compile, 2);
  graph_origin(g, "Plus-1", "last");
  graph_output(g, "z", graph_op(g, "Add", GRAPH_VALUES("x", graph_int(g, 1))));
  CHECK(has(result_of(compile, graph_import(g, compile, "net.x", &none)), "net.x (node last): Plus-1: operand 1"));
}

static void run(void (*test)(strata_compile_t *compile)) {
  static const strata_compile_options_t options = {.jobs = 1};
  strata_compile_t compile = {0};
  strata_status_t status = strata_compile_init(&compile, &options);
  CHECK(!status);
  if (!status)
    test(&compile);
  strata_status_free(status);
  strata_compile_deinit(&compile);
}

int main(void) {
  run(test_good);
  run(test_ranges);
  run(test_errors);
  return check_result();
}
