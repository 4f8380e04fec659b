// Operands of attention on a cpu in scratch; see attention_cpu.h.
#include "lowering/affine_to_tile/attention_cpu.h"

#include "dialects/integers.h"

enum {
  ROW = STRATA_TILE_ROW,
  VALUE = STRATA_TILE_VALUE,
  COLUMN = STRATA_TILE_COLUMN,
  HEAD = STRATA_TILE_HEAD,
  N_AXES = STRATA_N_TILE_AXES,
};

//===-- Panels ---------------------------------------------------------------------------------------------------===//

// Which of an operand is packed: the axis that it has beside its steps, and that of those.
typedef struct {
  strata_attention_cpu_t *c;
  int which, axis, step;
  bool is_turned;
  MlirAffineExpr base; // of the panel's first element, and of those in hand
  MlirAffineExpr panel, element;
  int64_t n_elements;
} pack_t;

static int dim_of(const strata_attention_cpu_t *c, int axis) {
  const int dims[N_AXES] = {c->t.a.row, c->t.a.value, c->t.a.column, c->t.a.head};
  return dims[axis];
}

// A block of a panel: [panel][step][element].
static void pack_block(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  pack_t *p = user;
  strata_attention_cpu_t *c = p->c;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  int64_t sizes[N_AXES] = {1, 1, 1, 1};
  sizes[p->axis] = p->n_elements;
  sizes[p->step] = size;
  strata_attention_cpu_axes(b, sizes[0], sizes[1], sizes[2], sizes[3]);
  MlirAffineExpr element = strata_attention_cpu_along(b, p->axis, p->element),
                 step = strata_attention_cpu_along(b, p->step, base);
  c->t.point[dim_of(c, p->axis)] = strata_tile_scaled(b, p->base, 1, element);
  c->t.point[dim_of(c, p->step)] = step;
  int column = c->t.a.column;
  c->t.point[column] = strata_attention_cpu_column(b, c, c->t.point[column]);
  strata_tile_value_t value = strata_attention_cpu_widened(b, strata_tile_attention_operand(b, &c->t, p->which));
  const MlirAffineExpr at[3] = {p->panel, step, element};
  strata_tile_store(b, value, p->which == STRATA_ATTENTION_V ? c->panels : c->keys, 3, at);
  strata_attention_scope_end(b, scope);
}

// Elements of a panel from |base| on, with all steps: rows as they lie, or blocks that are turned.
static void pack_elements(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  pack_t *p = user;
  const strata_attention_cpu_t *c = p->c;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  p->n_elements = size;
  p->element = base;
  strata_tile_chunks_t steps =
      strata_tile_chunks(strata_attention_cpu_extent(c, dim_of(c, p->step)), p->is_turned ? c->square : 1, 1);
  strata_tile_chunk(b, &steps, (MlirValue){0}, pack_block, p);
  strata_attention_scope_end(b, scope);
}

static void pack_panel(strata_tile_builder_t *b, pack_t *p, int64_t size) {
  p->is_turned = !strata_attention_is_crossed(&p->c->t.a, p->which);
  strata_tile_chunks_t elements = strata_tile_chunks(size, p->is_turned ? strata_min(p->c->square, size) : size, 1);
  strata_tile_chunk(b, &elements, (MlirValue){0}, pack_elements, p);
}

MlirAffineExpr strata_attention_cpu_panel(strata_tile_builder_t *b, MlirAffineExpr base, int64_t tile) {
  return strata_tile_simplify(b, mlirAffineFloorDivExprGet(base, strata_tile_constant(b, tile)));
}

void strata_attention_cpu_pack_keys(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  pack_t p = {.c = c, .which = STRATA_ATTENTION_K, .axis = COLUMN, .step = HEAD, .base = base};
  p.panel = c->packs_once ? strata_attention_cpu_panel(b, base, c->columns.tile) : strata_tile_constant(b, 0);
  pack_panel(b, &p, size);
}

static void pack_values(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  pack_t p = {.c = c, .which = STRATA_ATTENTION_V, .axis = VALUE, .step = COLUMN, .base = base};
  p.panel = strata_attention_cpu_panel(b, base, c->values.tile);
  p.element = strata_tile_constant(b, 0);
  p.n_elements = size;
  if (strata_attention_is_crossed(&c->t.a, STRATA_ATTENTION_V))
    pack_block(b, 1, c->base, &p);
  else
    pack_panel(b, &p, size);
}

// Rows of values one after the other, each a piece of every panel: rows far apart are looked at once.
static void pack_value_row(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  (void)size;
  c->base = base;
  strata_tile_chunk(b, &c->values, (MlirValue){0}, pack_values, c);
}

void strata_attention_cpu_pack_values(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  strata_tile_chunks_t columns = strata_tile_chunks(c->columns.extent, 1, 1);
  if (strata_attention_is_crossed(&c->t.a, STRATA_ATTENTION_V))
    strata_tile_chunk(b, &columns, (MlirValue){0}, pack_value_row, c);
  else
    strata_tile_chunk(b, &c->values, (MlirValue){0}, pack_values, c);
}

void strata_attention_cpu_pack_value_row(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  strata_tile_chunk(b, &c->values, (MlirValue){0}, pack_values, c);
}

static void pack_query(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_attention_cpu_axes(b, 1, 1, 1, size);
  c->t.point[c->t.a.row] = strata_tile_scaled(b, c->row, 1, c->first_row);
  c->t.point[c->t.a.head] = strata_attention_cpu_along(b, HEAD, base);
  const MlirAffineExpr at[2] = {c->row, c->t.point[c->t.a.head]};
  strata_tile_store(b, strata_attention_cpu_widened(b, strata_tile_attention_operand(b, &c->t, STRATA_ATTENTION_Q)),
                    c->queries, 2, at);
  strata_attention_scope_end(b, scope);
}

void strata_attention_cpu_pack_queries(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  enum { VECTORS = 4 };
  strata_tile_loop_t loop = strata_tile_loop_begin(b, c->n_rows, &c->row);
  strata_tile_chunks_t heads = strata_tile_chunks(strata_attention_cpu_head(c),
                                                  strata_min(strata_attention_cpu_head(c), VECTORS * c->square), 1);
  strata_tile_chunk(b, &heads, (MlirValue){0}, pack_query, c);
  strata_tile_loop_end(b, loop);
}
