// The nests that may be attention. Internal to group_attention*.c.
#ifndef STRATA_PASSES_AFFINE_GROUP_ATTENTION_H
#define STRATA_PASSES_AFFINE_GROUP_ATTENTION_H

#include "passes/affine/attention.h"
#include "passes/affine/group.h"

typedef struct {
  strata_grouping_t *grouping;
  const strata_gpu_device_t *device; // NULL: a cpu
  int first, weighted;               // the contractions
  strata_ints_t behind;              // what it is computed of, up to other contractions
  strata_ints_t members;             // the nests of a candidate, in order
  MlirOperation trial;               // the kernel they would be; null: none
  strata_attention_t found;          // in it
} strata_attention_finder_t;

// Finds what is behind the weighted contraction; false if that is too much.
bool strata_attention_find_behind(strata_attention_finder_t *f);
// The nests on the way from the contraction |first| to it.
void strata_attention_find_members(strata_attention_finder_t *f, int first);
// Masks of rows' and columns' numbers are not kept in memory, where nobody else wants them.
void strata_attention_add_masks(strata_attention_finder_t *f);
// *out_why: why the members are no attention; NULL if they are. The trial is for the caller to end.
STRATA_MUST_CHECK strata_status_t strata_attention_recognise(strata_attention_finder_t *f, const char **out_why);
void strata_attention_end_trial(strata_attention_finder_t *f);
// Of members that are attention: masks made of other masks, of lengths, by arithmetic are computed where they are used,
// if nothing more is loaded for each score by that.
STRATA_MUST_CHECK strata_status_t strata_attention_add_arithmetic(strata_attention_finder_t *f);

// Of members that are attention on GPUs: where a few columns of keys and values lie apart, what puts them together is
// left out of memory.
STRATA_MUST_CHECK strata_status_t strata_attention_add_joined(strata_attention_finder_t *f);
// The same where keys or values lie in memory as bytes: what widens them.
STRATA_MUST_CHECK strata_status_t strata_attention_add_widened(strata_attention_finder_t *f);
// The same where they lie in pages of a cache: what gathers those.
STRATA_MUST_CHECK strata_status_t strata_attention_add_paged(strata_attention_finder_t *f);

#endif
