// affine-store-in-place: an output that begins as a copy of an input, and may have its memory (strata.alias), is stored
// into where the input lies. The library copies the input in front where the caller gives other memory.
//
//   nest: store(load %past[%i, %j], %present[%i, %j])      nest: scatter into %present
// becomes
//   nest: scatter into %present      %present: memref<...> {strata.alias = "past", strata.in_place = "past", ...}
//
// What is copied in parts, as what lies in front of new rows and behind them, is left out part by part.
//
// Nobody else may read the input: passes behind this one, which do not know that it is the output, could have it read
// when it is written over.
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/touched.h"
#include "passes/pass.h"

typedef struct {
  strata_compile_t *compile;
  MlirOperation main;
  strata_nest_graph_t graph;
} placing_t;

static MlirAttribute argument_attr(const placing_t *p, MlirValue value, const char *name) {
  return mlirValueIsABlockArgument(value)
             ? strata_port_attr(p->main, "arg_attrs", mlirBlockArgumentGetArgNumber(value), name)
             : (MlirAttribute){0};
}

// What is loaded is stored at the same place.
static bool copies_in_order(const strata_nest_t *nest) {
  if (!nest || !strata_nest_is_unary(nest))
    return false;
  const strata_access_t *load = &nest->accesses[0], *store = &nest->accesses[1];
  return mlirAffineMapEqual(load->map, store->map) &&
         mlirValueEqual(mlirOperationGetOperand(store->op, 0), load->value) &&
         mlirTypeEqual(mlirValueGetType(load->buffer), mlirValueGetType(store->buffer));
}

// The copy is what fills its part of the output first.
static bool comes_first(const placing_t *p, int copy) {
  const strata_nest_t *nest = p->graph.nodes.data[copy].nest;
  const strata_access_t *store = &nest->accesses[1];
  for (int i = 0; i < copy; i++) {
    const strata_nest_t *other = p->graph.nodes.data[i].nest;
    for (int j = 0; other && j < other->n_accesses; j++)
      if (mlirValueEqual(other->accesses[j].buffer, store->buffer) &&
          strata_accesses_meet(nest, store, other, &other->accesses[j]))
        return false;
  }
  return true;
}

// True of a copy of what an output updates.
static bool is_kept(const placing_t *p, int copy) {
  const strata_nest_t *nest = p->graph.nodes.data[copy].nest;
  if (!copies_in_order(nest))
    return false;
  MlirValue from = nest->accesses[0].buffer, to = nest->accesses[1].buffer;
  MlirAttribute alias = argument_attr(p, to, "strata.alias"), name = argument_attr(p, from, "strata.name");
  return !mlirAttributeIsNull(alias) && !mlirAttributeIsNull(name) && mlirAttributeEqual(alias, name) &&
         mlirAttributeIsNull(argument_attr(p, from, "strata.output")) &&
         mlirAttributeIsNull(argument_attr(p, to, "strata.in_place")) && comes_first(p, copy);
}

// Nobody reads the input but such copies, of parts of it, to one output.
static bool may_be_dropped(const placing_t *p, int copy) {
  if (!is_kept(p, copy))
    return false;
  const strata_nest_node_t *node = &p->graph.nodes.data[copy];
  const strata_ints_t *readers = &p->graph.buffers.data[node->buffers.data[0]].readers;
  for (size_t i = 0; i < readers->count; i++)
    if (!is_kept(p, readers->data[i]) || p->graph.nodes.data[readers->data[i]].buffers.data[1] != node->buffers.data[1])
      return false;
  return !strata_nest_has_other_uses(node->nest->accesses[0].buffer, (int)readers->count);
}

// Whether an output may have an input's memory. Of a module with loops, whose calls are no nests, none is found.
static bool has_aliases(const placing_t *p) {
  MlirBlock body = strata_func_body(p->main);
  bool is_found = false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    is_found |= !mlirAttributeIsNull(argument_attr(p, mlirBlockGetArgument(body, i), "strata.alias"));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op) && is_found;
       op = mlirOperationGetNextInBlock(op))
    is_found = !strata_op_is(op, "func.call");
  return is_found;
}

// |copy| is of a part of the input.
static void drop(const placing_t *p, const strata_nest_t *copy) {
  MlirValue from = copy->accesses[0].buffer, to = copy->accesses[1].buffer;
  MlirAttribute name = argument_attr(p, from, "strata.name"), own = argument_attr(p, to, "strata.name");
  MlirStringRef input = mlirStringAttrGetValue(name), output = mlirStringAttrGetValue(own);
  if (mlirAttributeIsNull(argument_attr(p, to, "strata.in_place")))
    strata_explain(p->compile, "output '%.*s' is stored in the place of input '%.*s'", (int)output.length, output.data,
                   (int)input.length, input.data);
  strata_set_port_attr(p->compile->arena, p->main, "arg_attrs", mlirBlockArgumentGetArgNumber(to), "strata.in_place",
                       name);
  mlirOperationDestroy(copy->op);
}

strata_status_t strata_pass_affine_store_in_place(strata_compile_t *compile) {
  placing_t p = {.compile = compile, .main = strata_find_func(compile->module, "main")};
  STRATA_VECTOR(const strata_nest_t *) dropped = {0};
  if (mlirOperationIsNull(p.main) || !has_aliases(&p))
    return NULL;
  STRATA_TRY(strata_nest_graph_read(compile->arena, p.main, &p.graph));
  for (int i = 0; i < (int)p.graph.nodes.count; i++)
    if (may_be_dropped(&p, i))
      *strata_vector_push(compile->arena, &dropped) = p.graph.nodes.data[i].nest;
  for (size_t i = 0; i < dropped.count; i++)
    drop(&p, dropped.data[i]);
  return NULL;
}
