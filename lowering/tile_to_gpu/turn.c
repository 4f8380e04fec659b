// A transposition reads along one dim and writes along the other; neighbouring threads should lie along each.
//
//   memory -> registers, 8 x 8 elements a thread, threads along dim a   16 bytes along a
//          -> shared memory, contiguous along b                         16 bytes along b
//          -> registers, 8 elements along b, threads along b            16 bytes along b
//          -> memory                                                    16 bytes along b
//
// The square turns in a thread's registers by naming them otherwise. A store that crosses goes the same way back.
#include "lowering/tile_to_gpu/turn.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/values.h"

enum { MAX_WIDTH = 8 }; // of the square

// The dim of which threads hold vectors; -1 if there is none.
static int vector_dim(const strata_layout_t *layout) {
  int best = -1;
  for (int dim = 0; dim < 2; dim++)
    if (best < 0 || strata_layout_width(layout, dim) > strata_layout_width(layout, best))
      best = dim;
  return best;
}

bool strata_turn_layout(strata_gpu_distribution_t *d, MlirValue value, const strata_gpu_box_t *box, MlirType element,
                        strata_layout_t *out_layout) {
  const strata_gpu_record_t *root = strata_gpu_record_root(d, value);
  bool may_wait = d->role.group == d->role.threads || (d->nest.branches == 0 && d->role.group < d->role.threads);
  if (!root->crosses || !may_wait || d->role.group == 1 || strata_layout_threads(root->layout) != d->role.group)
    return false;
  strata_registers_t shape = strata_registers_shape(mlirValueGetType(value), root->layout);
  int along = strata_gpu_box_contiguous(box), other = vector_dim(root->layout);
  int64_t most = STRATA_VECTOR_BYTES / strata_element_bytes(element);
  if (along < 0 || along == other || strata_layout_width(root->layout, along) >= most)
    return false;
  int64_t widths[2] = {strata_gpu_box_width(box, along, strata_min(most, MAX_WIDTH)),
                       strata_layout_width(root->layout, other)};
  while (widths[0] * widths[1] > shape.count && widths[0] > 1)
    widths[widths[1] > widths[0]] /= 2;
  *out_layout = strata_layout_build_crossing(shape.sizes, d->role.group, (int[]){along, other}, widths);
  return true;
}
