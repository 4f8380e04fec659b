// Which forms pipelined products can have: a plain one, and what makes it none.
#include "dialects/tile/product_form.h"
#include "test/support/check.h"

#include <stddef.h>

// Two groups with 128 x 256 results of 16 bits, steps of 64.
static strata_product_form_t plain(void) {
  return (strata_product_form_t){.has_fragments = true,
                                 .is_bulk = true,
                                 .has_whole_steps = true,
                                 .element_bytes = 2,
                                 .groups = 2,
                                 .across = 1,
                                 .teams = 1,
                                 .rows = 128,
                                 .columns = 256,
                                 .slots = 4,
                                 .steps = 5,
                                 .slot_bytes = (128 + 256) * STRATA_SPAN,
                                 .pair = 1,
                                 .parts = 1,
                                 .row = 1,
                                 .share = {1, 1},
                                 .every = 1,
                                 .sides = {{false, true, 128, 128}, {false, true, 256, 256}}};
}

// A change to the plain form, and whether that can be carried out.
typedef struct {
  void (*change)(strata_product_form_t *f);
  bool is_possible;
} case_t;

#define CHANGE(name, ...)                                                                                              \
  static void name(strata_product_form_t *f) { __VA_ARGS__; }
CHANGE(nothing, (void)f)
CHANGE(one_slot, f->slots = 1)
CHANGE(two_teams, f->teams = 2, f->groups = 1, f->rows = 64, f->sides[0].tile = f->sides[0].slot = 64)
CHANGE(teams_of_groups, f->teams = 2)
CHANGE(odd_columns, f->columns = 252)
CHANGE(wide, f->columns = 264)
CHANGE(few_rows, f->rows = 64)
CHANGE(swapped, f->swap = true)
CHANGE(share, f->share[0] = 2)
CHANGE(share_loaded, f->share[0] = 2, f->is_bulk = false)
CHANGE(share_added, f->share[0] = 2, f->has_fragments = false)
CHANGE(stream, f->stream = true)
CHANGE(stream_shared, f->stream = true, f->share[1] = 2)
CHANGE(stream_staggered, f->stream = true, f->stagger = 3)
CHANGE(stagger, f->stagger = 3)
CHANGE(stagger_cut, f->stagger = 3, f->has_whole_steps = false)
CHANGE(every, f->every = 2)
CHANGE(every_swapped, f->every = 2, f->swap = true)
CHANGE(row, f->row = 2)
CHANGE(row_of_teams, two_teams(f), f->row = 2)
CHANGE(parts, f->parts = 2, f->sides[1].tile = 128)
CHANGE(parts_loaded, parts(f), f->is_bulk = false)
CHANGE(parts_cut, parts(f), f->sides[1].slot = 512) // spans with room for more than the tile
CHANGE(parts_small, parts(f), f->slots = 2)         // sums of 128 KB do not fit
CHANGE(pair, f->pair = 2, f->sides[1].tile = 128)
CHANGE(pair_of_parts, pair(f), f->parts = 2)
CHANGE(pair_shared, pair(f), f->share[0] = 2)
CHANGE(across, f->across = 2, f->rows = 64, f->sides[0].tile = f->sides[0].slot = 64)
CHANGE(across_swapped, across(f), f->swap = true)
CHANGE(across_cut, across(f), f->columns = 176, f->sides[1] = (strata_product_side_t){true, false, 176, 192})
CHANGE(unpacks, f->unpacks = f->reads_left = true, f->swap = true)
CHANGE(unpacks_cut, unpacks(f), f->has_whole_steps = false)
CHANGE(unpacks_staggered, unpacks(f), f->stagger = 3)
CHANGE(deep, unpacks(f), f->has_fragments = false, f->groups = 1, f->depth = 4, f->rows = 64, f->columns = 8)
CHANGE(deep_cut, deep(f), f->slots = 6)         // not as many for each group
CHANGE(deep_whole, deep(f), f->unpacks = false) // of operands as they are multiplied
CHANGE(deep_parts, deep(f), f->columns = 16, f->parts = 2)
CHANGE(deep_odd, deep(f), f->columns = 12)
CHANGE(left_of_three, f->groups = 3, f->rows = 192, f->reads_left = true)

static const case_t cases[] = {
    {nothing, true},
    {one_slot, false},
    {two_teams, true},
    {teams_of_groups, false},
    {odd_columns, false},
    {wide, false},
    {few_rows, false},
    {swapped, true},
    {share, true},
    {share_loaded, false},
    {share_added, false},
    {stream, true},
    {stream_shared, false},
    {stream_staggered, false},
    {stagger, true},
    {stagger_cut, false},
    {every, true},
    {every_swapped, false},
    {row, true},
    {row_of_teams, false},
    {parts, true},
    {parts_loaded, false},
    {parts_cut, false},
    {parts_small, false},
    {pair, true},
    {pair_of_parts, false},
    {pair_shared, false},
    {across, true},
    {across_swapped, false},
    {across_cut, false},
    {left_of_three, false},
    {unpacks, true},
    {unpacks_cut, false},
    {unpacks_staggered, false},
    {deep, true},
    {deep_cut, false},
    {deep_whole, false},
    {deep_parts, false},
    {deep_odd, false},
};

static void test_forms(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    strata_product_form_t form = plain();
    cases[i].change(&form);
    if ((strata_product_fault(&form) == NULL) != cases[i].is_possible) {
      fprintf(stderr, "case %zu: %s\n", i, strata_product_fault(&form) ? strata_product_fault(&form) : "possible");
      CHECK(false);
    }
  }
}

static const char *grid_fault(const strata_product_form_t *form, int64_t tasks, int64_t blocks) {
  return strata_product_grid_fault(form, strata_size_constant(tasks), blocks);
}

// Clusters have whole grids, those whose blocks meet a task a block.
static void test_grids(void) {
  strata_product_form_t form = plain();
  CHECK(!grid_fault(&form, 7, 3));
  form.share[0] = 2;
  CHECK(!grid_fault(&form, 8, 4) && grid_fault(&form, 8, 3) && grid_fault(&form, 7, 4));
  form = plain();
  form.parts = 2;
  CHECK(!grid_fault(&form, 8, 8) && grid_fault(&form, 8, 4) && grid_fault(&form, 7, 7));
  form = plain();
  form.row = 4;
  CHECK(!grid_fault(&form, 8, 8) && grid_fault(&form, 6, 6));
}

// What ends within a tile is clipped; of a launch of several products, or of few steps, if it is less
// than one tile.
static void test_clips(void) {
  strata_product_form_t form = plain();
  const strata_size_t less = strata_size_constant(100), more = strata_size_constant(200),
                      whole = strata_size_constant(256);
  CHECK(strata_product_clips(&form, 0, less) && strata_product_clips(&form, 0, more));
  CHECK(!strata_product_clips(&form, 0, whole) && !strata_product_clips(&form, 1, whole));
  form.is_joined = true;
  CHECK(strata_product_clips(&form, 0, less) && !strata_product_clips(&form, 0, more));
  form = plain();
  form.steps = 4;
  CHECK(strata_product_clips(&form, 0, less) && !strata_product_clips(&form, 0, more));
  form = plain();
  form.sides[0].is_crossed = true;
  form.sides[1].is_box = false;
  CHECK(!strata_product_clips(&form, 0, more) && !strata_product_clips(&form, 1, more));
}

static void test_slots(void) {
  CHECK(strata_product_slot(96, 1, 1) == 96 && strata_product_slot(96, 4, 1) == 384);
  CHECK(strata_product_slot(96, 1, 64) == 128);
  CHECK(strata_product_slot(32, 4, 64) == 128); // two of a span
  CHECK(strata_product_slot(96, 2, 64) == 192); // a span has the end of one and the beginning of the other
  CHECK(strata_product_slot(40, 4, 64) == 192 && strata_product_slot(32, 5, 64) == 192);
  CHECK(strata_product_divides(4, 0, false, 2) && !strata_product_divides(3, 0, false, 2));
  CHECK(strata_product_divides(1, 128, false, 4) && !strata_product_divides(1, 24, false, 2));
  CHECK(!strata_product_divides(2, 128, true, 2) && strata_product_divides(1, 0, true, 1));
}

int main(void) {
  test_forms();
  test_grids();
  test_clips();
  test_slots();
  return check_result();
}
