// Loops and branches.
//
// A loop that counts becomes one of a number of iterations. If in each it reads a row of what never changes, or stores
// a row of a state that it does not read, these are walked (Scan); else it is a loop that is asked before each
// iteration.
#include "dialects/import/stablehlo/stablehlo.h"

enum { MAX_STATES = 256 };

//===-- Blocks ---------------------------------------------------------------------------------------------------===//

// The block's operations in |g|; *out gets what it gives, in the arena.
static const char **read_body(tir_op_t *o, graph_t *g, MlirBlock block, const char *const *arguments) {
  tir_read_block(o->importer, g, block, arguments);
  int count = tir_n_returned(block);
  const char **names = strata_arena_array(o->importer->compile->arena, const char *, count > 0 ? count : 1);
  for (int i = 0; i < count; i++)
    names[i] = tir_name(o->importer, tir_returned(block, i));
  return names;
}

//===-- Branches -------------------------------------------------------------------------------------------------===//

static graph_t *branch(tir_op_t *o, graph_t *outer, int region) {
  graph_t *g = graph_create_body(outer);
  MlirBlock block = tir_region(o, region);
  const char **results = read_body(o, g, block, NULL);
  for (int i = 0; i < tir_n_returned(block); i++)
    tir_give(o, g, results[i]);
  return g;
}

// The node of |o| itself, after its bodies have been read.
static graph_node_t *own_node(tir_op_t *o, graph_t *g, const char *op, int n_operands, const char *const *operands) {
  tir_set_origin(o);
  return graph_node(g, op, n_operands, operands);
}

static graph_node_t *choose(tir_op_t *o, graph_t *g, const char *condition, graph_t *yes, graph_t *no) {
  graph_node_t *node = own_node(o, g, "If", GRAPH_VALUES(condition));
  graph_set_body(node, "then_branch", yes);
  graph_set_body(node, "else_branch", no);
  return node;
}

void hlo_read_if(tir_op_t *o) {
  graph_t *yes = branch(o, o->g, 0), *no = branch(o, o->g, 1);
  graph_node_t *node = choose(o, o->g, tir_in(o, 0), yes, no);
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    tir_set(o, i, graph_result(node, NULL));
}

// Branch |i| if the index is i, else one of those behind it; the last one for any other index.
static graph_node_t *choose_from(tir_op_t *o, graph_t *g, int i, int count) {
  const char *place = tir_cast(o, graph_int(o->g, i), STRATA_DTYPE_I32);
  const char *is_it = graph_op(g, "Equal", GRAPH_VALUES(tir_in(o, 0), place));
  graph_t *no = i + 2 < count ? graph_create_body(g) : branch(o, g, i + 1);
  if (i + 2 < count) {
    graph_node_t *rest = choose_from(o, no, i + 1, count);
    for (int k = 0; k < mlirOperationGetNumResults(o->op); k++)
      tir_give(o, no, graph_result(rest, NULL));
  }
  return choose(o, g, is_it, branch(o, g, i), no);
}

void hlo_read_case(tir_op_t *o) {
  int count = (int)mlirOperationGetNumRegions(o->op);
  if (count == 1) {
    const char **results = read_body(o, o->g, tir_region(o, 0), NULL);
    for (int i = 0; i < tir_n_returned(tir_region(o, 0)); i++)
      tir_set(o, i, results[i]);
    return;
  }
  graph_node_t *node = choose_from(o, o->g, 0, count);
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    tir_set(o, i, graph_result(node, NULL));
}

//===-- Loops that are asked -------------------------------------------------------------------------------------===//

static void read_open_loop(tir_op_t *o) {
  int n = tir_n_operands(o);
  const char *first[MAX_STATES], *states[MAX_STATES], *operands[MAX_STATES + 2];
  for (int i = 0; i < n; i++)
    first[i] = tir_in(o, i);
  operands[0] = "";
  operands[1] = read_body(o, o->g, tir_region(o, 0), first)[0];
  graph_t *g = graph_create_body(o->g);
  tir_body_input(o, g, "iteration");
  tir_body_input(o, g, "condition");
  for (int i = 0; i < n; i++) {
    operands[2 + i] = first[i];
    states[i] = tir_body_input(o, g, "state");
  }
  const char **next = read_body(o, g, tir_region(o, 1), states);
  tir_give(o, g, read_body(o, g, tir_region(o, 0), next)[0]);
  for (int i = 0; i < n; i++)
    tir_give(o, g, next[i]);
  graph_node_t *node = own_node(o, o->g, "Loop", n + 2, operands);
  graph_set_body(node, "body", g);
  for (int i = 0; i < n; i++)
    tir_set(o, i, graph_result(node, NULL));
}

//===-- Loops that count -----------------------------------------------------------------------------------------===//

typedef enum { STATE, SAME, COUNTER, ROWS_IN, ROWS_OUT } role_t;

typedef struct {
  int n;
  MlirBlock condition, body;
  int counter;     // the state that counts
  int64_t start;   // where it begins
  MlirValue limit; // what it stays below, of the graph around
  role_t roles[MAX_STATES];
  MlirOperation stores[MAX_STATES]; // of rows that are stored
  int n_inputs;                     // rows that are read
} counted_t;

static MlirValue argument(MlirBlock block, int i) { return mlirBlockGetArgument(block, i); }

static bool is_argument(MlirBlock block, MlirValue value, int i) { return tir_argument_number(block, value) == i; }

// The value around the loop that |value|, of one of its blocks, is in all iterations; null if there is none.
static MlirValue outside(tir_op_t *o, const counted_t *c, MlirValue value) {
  int i = tir_argument_number(c->condition, value);
  if (i >= 0)
    return c->roles[i] == SAME ? tir_value(o, i) : (MlirValue){0};
  double number;
  bool is_inside =
      mlirValueIsAOpResult(value) && mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)), c->condition);
  return is_inside && !tir_constant_number(value, &number) ? (MlirValue){0} : value;
}

// counter + 1
static bool counts(const counted_t *c, MlirValue next) {
  MlirOperation add = strata_def(next);
  double one;
  if (mlirOperationIsNull(add) || !hlo_op_is(add, "add"))
    return false;
  MlirValue a = mlirOperationGetOperand(add, 0), b = mlirOperationGetOperand(add, 1);
  return (is_argument(c->body, a, c->counter) && tir_constant_number(b, &one) && one == 1) ||
         (is_argument(c->body, b, c->counter) && tir_constant_number(a, &one) && one == 1);
}

static bool find_counter(tir_op_t *o, counted_t *c) {
  MlirOperation compare =
      tir_n_returned(c->condition) == 1 ? strata_def(tir_returned(c->condition, 0)) : (MlirOperation){0};
  if (mlirOperationIsNull(compare) || !hlo_op_is(compare, "compare"))
    return false;
  tir_op_t inner = {.importer = o->importer, .g = o->g, .op = compare};
  double start;
  c->counter = tir_argument_number(c->condition, mlirOperationGetOperand(compare, 0));
  if (strcmp(hlo_word(&inner, "comparison_direction"), "LT") || c->counter < 0 ||
      !counts(c, tir_returned(c->body, c->counter)) || !tir_constant_number(tir_value(o, c->counter), &start))
    return false;
  c->start = (int64_t)start;
  c->limit = outside(o, c, mlirOperationGetOperand(compare, 1));
  c->roles[c->counter] = COUNTER;
  return !mlirValueIsNull(c->limit) && tir_type_of(c->limit).rank == 0;
}

static bool is_zero(MlirValue value) {
  double zero;
  return tir_constant_number(value, &zero) && zero == 0;
}

// Whether |op| takes the row of the iteration.
static bool takes_row(const counted_t *c, MlirOperation op) {
  if (!hlo_op_is(op, "dynamic_slice") && !hlo_op_is(op, "real_dynamic_slice"))
    return false;
  tir_type_t row = tir_type_of(mlirOperationGetResult(op, 0)), all = tir_type_of(mlirOperationGetOperand(op, 0));
  if (row.rank != all.rank || row.rank < 1 || row.dims[0] != 1)
    return false;
  for (int d = 0; d < row.rank; d++) {
    MlirValue start = hlo_start(op, d);
    if (mlirValueIsNull(start) || (d == 0 ? !is_argument(c->body, start, c->counter) : !hlo_is_whole(op, d)))
      return false;
  }
  return true;
}

// Whether all that reads |value| takes the row of the iteration.
static bool is_read_by_rows(const counted_t *c, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!hlo_op_is(user, "return") && (mlirOpOperandGetOperandNumber(use) != 0 || !takes_row(c, user)))
      return false;
  }
  return true;
}

// Whether the dynamic_update_slice stores the row of the iteration.
static bool stores_row(const counted_t *c, MlirOperation store) {
  tir_type_t row = tir_type_of(mlirOperationGetOperand(store, 1)), all = tir_type_of(mlirOperationGetResult(store, 0));
  if (row.rank != all.rank || row.rank < 1 || row.dims[0] != 1 || mlirOperationGetNumOperands(store) != 2 + row.rank ||
      !is_argument(c->body, mlirOperationGetOperand(store, 2), c->counter))
    return false;
  for (int d = 1; d < row.rank; d++)
    if (row.dims[d] != all.dims[d] || !is_zero(mlirOperationGetOperand(store, 2 + d)))
      return false;
  return true;
}

// The operation that stores the iteration's row of state |i|, which nothing else reads; null if there is none.
static MlirOperation row_store(const counted_t *c, int i) {
  MlirValue value = argument(c->body, i);
  MlirOperation store = strata_def(tir_returned(c->body, i));
  if (mlirOperationIsNull(store) || !hlo_op_is(store, "dynamic_update_slice") || !stores_row(c, store) ||
      !is_argument(c->body, mlirOperationGetOperand(store, 0), i) || !strata_value_has_one_use(value) ||
      !strata_value_has_one_use(mlirOperationGetResult(store, 0)))
    return (MlirOperation){0};
  return store;
}

static bool read_roles(tir_op_t *o, counted_t *c) {
  c->n = tir_n_operands(o);
  c->condition = tir_region(o, 0);
  c->body = tir_region(o, 1);
  for (int i = 0; i < c->n; i++)
    if (is_argument(c->body, tir_returned(c->body, i), i))
      c->roles[i] = SAME;
  if (!find_counter(o, c))
    return false;
  double limit;
  bool is_known = tir_constant_number(c->limit, &limit) && c->start == 0;
  for (int i = 0; i < c->n && is_known; i++) {
    tir_type_t type = tir_in_type(o, i);
    bool has_rows = type.rank > 0 && (double)type.dims[0] == limit;
    c->stores[i] = c->roles[i] == STATE && has_rows ? row_store(c, i) : (MlirOperation){0};
    if (c->roles[i] == SAME && has_rows && is_read_by_rows(c, argument(c->body, i))) {
      c->roles[i] = ROWS_IN;
      c->n_inputs++;
    }
    if (!mlirOperationIsNull(c->stores[i]))
      c->roles[i] = ROWS_OUT;
  }
  return true;
}

// The number of iterations, an i64.
static const char *iterations(tir_op_t *o, const counted_t *c) {
  double limit;
  if (tir_constant_number(c->limit, &limit))
    return graph_int(o->g, limit > (double)c->start ? (int64_t)limit - c->start : 0);
  const char *count = tir_cast(o, tir_name(o->importer, c->limit), STRATA_DTYPE_I64);
  count = graph_op(o->g, "Sub", GRAPH_VALUES(count, graph_int(o->g, c->start)));
  return graph_op(o->g, "Max", GRAPH_VALUES(count, graph_int(o->g, 0)));
}

static const char *counter_value(tir_op_t *o, graph_t *g, const counted_t *c, const char *number) {
  const char *sum = graph_op(g, "Add", GRAPH_VALUES(number, graph_int(o->g, c->start)));
  return graph_cast(g, sum, tir_in_type(o, c->counter).dtype);
}

// A row as the slices that take it are: with a dim of one in front.
static const char *as_slice(graph_t *g, const char *row) {
  int64_t axis = 0;
  return graph_unsqueeze(g, row, 1, &axis);
}

static void skip(tir_op_t *o, MlirOperation op) { strata_pointer_map_put(&o->importer->named, op.ptr); }

// Every slice of |value| in the body is its row.
static void name_rows(tir_op_t *o, MlirValue value, const char *slice) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!hlo_op_is(mlirOpOperandGetOwner(use), "return")) {
      tir_set_name(o->importer, mlirOperationGetResult(mlirOpOperandGetOwner(use), 0), slice);
      skip(o, mlirOpOperandGetOwner(use));
    }
}

static void set_results(tir_op_t *o, const counted_t *c, graph_node_t *node, const char *count) {
  const role_t order[] = {STATE, ROWS_OUT};
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (int i = 0; i < c->n; i++)
      if (c->roles[i] == order[k])
        tir_set(o, i, graph_result(node, NULL));
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == SAME || c->roles[i] == ROWS_IN)
      tir_set(o, i, tir_in(o, i));
  tir_set(o, c->counter, counter_value(o, o->g, c, count));
}

// Names of the block's arguments in the body, of which |number| is that of the iteration.
static void name_arguments(tir_op_t *o, graph_t *g, const counted_t *c, const char *number, const char **names) {
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == STATE)
      names[i] = tir_body_input(o, g, "state");
    else
      names[i] = tir_in(o, i); // those of rows are read by nobody, or by slices that have names already
  names[c->counter] = counter_value(o, g, c, number);
}

static void give_results(tir_op_t *o, graph_t *g, const counted_t *c, const char **results) {
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == STATE)
      tir_give(o, g, results[i]);
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == ROWS_OUT) {
      int64_t axis = 0;
      const char *slice = tir_name(o->importer, mlirOperationGetOperand(c->stores[i], 1));
      tir_give(o, g, graph_squeeze(g, slice, 1, &axis));
    }
}

static bool has_rows(const counted_t *c) {
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == ROWS_IN || c->roles[i] == ROWS_OUT)
      return true;
  return false;
}

// Scan walks the numbers of the iterations besides the rows.
static graph_node_t *scan(tir_op_t *o, const counted_t *c, const char *count) {
  const char *operands[MAX_STATES + 1], *arguments[MAX_STATES], *rows[MAX_STATES];
  graph_t *g = graph_create_body(o->g);
  int n = 0;
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == STATE)
      operands[n++] = tir_in(o, i);
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == ROWS_IN)
      operands[n++] = tir_in(o, i);
  operands[n++] = graph_op(o->g, "Range", GRAPH_VALUES(graph_int(o->g, 0), count, graph_int(o->g, 1)));
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == STATE)
      arguments[i] = tir_body_input(o, g, "state");
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == ROWS_IN)
      rows[i] = as_slice(g, tir_body_input(o, g, "row"));
  const char *number = tir_body_input(o, g, "iteration");
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] != STATE)
      arguments[i] = tir_in(o, i);
  arguments[c->counter] = counter_value(o, g, c, number);
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == ROWS_IN)
      name_rows(o, argument(c->body, i), rows[i]);
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == ROWS_OUT)
      skip(o, c->stores[i]);
  give_results(o, g, c, read_body(o, g, c->body, arguments));
  graph_node_t *node = own_node(o, o->g, "Scan", n, operands);
  graph_set_int(node, "num_scan_inputs", c->n_inputs + 1);
  graph_set_body(node, "body", g);
  return node;
}

static graph_node_t *loop(tir_op_t *o, const counted_t *c, const char *count) {
  const char *operands[MAX_STATES + 2] = {count, ""}, *arguments[MAX_STATES];
  graph_t *g = graph_create_body(o->g);
  int n = 2;
  const char *number = tir_body_input(o, g, "iteration"), *condition = tir_body_input(o, g, "condition");
  for (int i = 0; i < c->n; i++)
    if (c->roles[i] == STATE)
      operands[n++] = tir_in(o, i);
  name_arguments(o, g, c, number, arguments);
  const char **results = read_body(o, g, c->body, arguments);
  tir_give(o, g, condition);
  give_results(o, g, c, results);
  graph_node_t *node = own_node(o, o->g, "Loop", n, operands);
  graph_set_body(node, "body", g);
  return node;
}

void hlo_read_while(tir_op_t *o) {
  counted_t *c = strata_arena_new(o->importer->compile->arena, counted_t);
  int n = tir_n_operands(o);
  if (n > MAX_STATES || tir_n_returned(tir_region(o, 1)) != n || tir_n_returned(tir_region(o, 0)) != 1 ||
      mlirBlockGetNumArguments(tir_region(o, 0)) != n || mlirBlockGetNumArguments(tir_region(o, 1)) != n) {
    tir_refuse(o, "a loop of more than %d states, or whose regions do not have them all", MAX_STATES);
    return;
  }
  if (!read_roles(o, c)) {
    read_open_loop(o);
    return;
  }
  const char *count = iterations(o, c);
  set_results(o, c, has_rows(c) ? scan(o, c, count) : loop(o, c, count), count);
}
