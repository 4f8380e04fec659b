// See product_form.h.
#include "dialects/tile/product_form.h"

#include "dialects/integers.h"

#include <stddef.h>

static int64_t sharers(const strata_product_form_t *f) { return f->share[0] * f->share[1]; }

// Of blocks that share a reduction those that have the same part of it, for tiles along the instruction's rows.
static bool can_share(const strata_product_form_t *f) {
  return f->has_fragments && f->pair == 1 && f->is_bulk && (f->parts == 1 || f->share[f->swap ? 0 : 1] == 1);
}

// One block with one product, whose tiles are neither a cluster's nor a part of something.
static bool is_single(const strata_product_form_t *f) {
  return f->pair == 1 && f->parts == 1 && f->row == 1 && sharers(f) == 1;
}

// A group's own columns are whole instructions', and begin at a span of a crossed operand.
static bool can_lie_across(const strata_product_form_t *f) {
  int64_t own = f->columns / f->across;
  bool has_spans = !f->sides[1].is_crossed || own * f->element_bytes % STRATA_SPAN == 0;
  return f->columns % f->across == 0 && has_spans && !f->reads_left && !f->swap && f->groups == f->across &&
         f->parts == 1 && f->pair == 1 && f->teams == 1;
}

static bool fits_instructions(const strata_product_form_t *f) {
  int64_t rows = f->groups / f->across * STRATA_GROUP_ROWS * (f->swap ? f->pair : 1);
  int64_t tiles = f->across * f->parts * (f->swap ? 1 : f->pair), own = f->columns / tiles;
  return f->rows > 0 && f->rows % rows == 0 && f->columns % tiles == 0 && own > 0 && own % STRATA_EIGHT == 0 &&
         f->columns / f->across <= STRATA_MAX_COLUMNS;
}

// Each group has slots of its own, in turn.
static bool can_be_deep(const strata_product_form_t *f) {
  return f->unpacks && f->groups == 1 && f->parts == 1 && !f->stream && f->slots % f->depth == 0;
}

// Sums of all blocks go to where the slots were; the tiles of a cluster lie side by side in them.
static bool can_be_parts(const strata_product_form_t *f) {
  const strata_product_side_t *right = &f->sides[f->swap ? 0 : 1];
  int64_t span = right->is_crossed ? STRATA_SPAN / f->element_bytes : 1;
  return f->is_bulk && f->has_fragments && right->slot == strata_round_up(f->columns, span) &&
         f->rows * f->columns * STRATA_SUM_BYTES <= f->slots * f->slot_bytes;
}

const char *strata_product_fault(const strata_product_form_t *f) {
  if (f->slots < STRATA_MIN_SLOTS || (f->teams != 1 && !(f->teams == 2 && f->groups == 1 && f->parts == 1)))
    return "a schedule whose threads are not warp groups";
  if (f->across > 1 && !can_lie_across(f))
    return "groups beside one another along the columns";
  if ((f->has_fragments || f->depth > 1) && !fits_instructions(f))
    return "a tile that no instruction fits";
  if (f->pair > 1 && (f->parts > 1 || !f->is_bulk || f->reads_left || f->sides[1].slot != f->sides[1].tile * f->pair))
    return "a pair of products that do not come in bulk, in whole spans,";
  if (sharers(f) > 1 && !can_share(f))
    return "an operand that blocks share, but in bulk and for one product of matrix instructions,";
  if (f->stream && !(is_single(f) && f->teams == 1 && f->has_fragments && !f->stagger))
    return "shares of all tasks' steps, but of single products and with scratch memory,";
  if (f->stagger && !(f->parts == 1 && f->row == 1 && sharers(f) == 1 && f->is_bulk && f->has_whole_steps))
    return "a reduction that begins anywhere, but of whole steps, in bulk and of one block,";
  if (f->every > 1 && (f->swap || f->pair > 1 || f->parts > 1 || f->row > 1 || f->stream))
    return "every second row of other than plain tiles";
  if (f->depth > 1 && !can_be_deep(f))
    return "groups that share the steps of anything but one product with an operand of few bits";
  if (f->unpacks &&
      !(f->is_bulk && f->has_whole_steps && (f->has_fragments || f->depth > 1) && f->across == 1 && f->pair == 1 &&
        sharers(f) == 1 && f->every == 1 && f->row == 1 && f->teams == 1 && !f->stagger && f->groups <= 4))
    return "an operand of few bits, but in bulk, in whole steps, of one product and one team,";
  if (f->reads_left && !f->unpacks && (f->parts > 1 || f->groups > 2))
    return "an operand read by threads of three groups, or for the blocks of a cluster,"; // places are found by bits
  if (f->row > 1 && f->teams != 1)
    return "a row shared by the blocks of a cluster";
  return f->parts > 1 && !can_be_parts(f) ? "a reduction shared by the blocks of a cluster" : NULL;
}

const char *strata_product_grid_fault(const strata_product_form_t *f, strata_size_t tasks, int64_t blocks) {
  bool is_whole = blocks == 0 || strata_size_equal(strata_size_constant(blocks), tasks);
  if (sharers(f) > 1 && (blocks < 1 || blocks % sharers(f) != 0 || !strata_size_divides(sharers(f), tasks)))
    return "a grid of other than whole clusters that share operands";
  if (f->stream && blocks < 1)
    return "shares of all tasks' steps, but of single products and with scratch memory,";
  if (f->row > 1 && !(is_whole && strata_size_divides(f->row, tasks)))
    return "a row shared by the blocks of a cluster";
  return f->parts > 1 && !(is_whole && strata_size_divides(f->parts, tasks))
             ? "a reduction shared by the blocks of a cluster"
             : NULL;
}

bool strata_product_clips(const strata_product_form_t *f, int side, strata_size_t extent) {
  const strata_product_side_t *s = &f->sides[side];
  bool is_one = extent.max <= s->tile && (!f->is_joined || !strata_size_varies(extent));
  bool has_map = !f->is_joined && f->steps > f->slots * f->parts;
  return s->is_box && !s->is_crossed && !strata_size_divides(s->tile, extent) && (is_one || has_map);
}

int64_t strata_product_slot(int64_t tile, int64_t parts, int64_t span) { return strata_round_up(tile * parts, span); }

bool strata_product_divides(int64_t boxes, int64_t rows, bool has_window, int64_t pieces) {
  return pieces == 1 || (!has_window && (boxes % pieces == 0 || (rows > 0 && rows % (pieces * STRATA_SPAN_ROWS) == 0)));
}
