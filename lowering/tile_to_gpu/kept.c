// Rows in shared memory; see kept.h.
//
// A thread stores what it has loaded, 16 bytes at a time with its neighbours beside it, and loads it from there where
// the kernel loads the same again. Each has its own part, so that nobody waits; after a reduction, whose barriers LLVM
// moves no access across, the first registers are free.
#include "lowering/tile_to_gpu/kept.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/cluster.h"

struct strata_gpu_kept {
  MlirOperation op; // the first of equal loads
  MlirValue memory; // N vectors of |width| registers of each thread, one behind the other
  MlirValue thread; // its number in that part of the group which is in one block
  int64_t width;
  bool is_loaded_anew; // by threads that hold it in another order, in which it is stored
  strata_gpu_kept_t *next;
};

static bool is_same_load(MlirOperation a, MlirOperation b) {
  static const char *const attributes[] = {"map", "mask", "pad"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (!mlirAttributeEqual(strata_attr(a, attributes[i]), strata_attr(b, attributes[i])))
      return false;
  if (!strata_op_is(b, "tile.load") || mlirOperationGetNumOperands(a) != mlirOperationGetNumOperands(b) ||
      !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(a, 0)), mlirValueGetType(mlirOperationGetResult(b, 0))))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); i++)
    if (!mlirValueEqual(mlirOperationGetOperand(a, i), mlirOperationGetOperand(b, i)))
      return false;
  return true;
}

static bool is_loaded_again(MlirOperation op) {
  for (MlirOperation next = mlirOperationGetNextInBlock(op); !mlirOperationIsNull(next);
       next = mlirOperationGetNextInBlock(next))
    if (is_same_load(op, next))
      return true;
  return false;
}

static int64_t group_in_block(const strata_gpu_distribution_t *d) { return strata_min(d->role.group, d->role.threads); }

static MlirValue place(strata_gpu_distribution_t *d, const strata_gpu_kept_t *kept, int64_t vector) {
  strata_emitter_t *e = &d->e;
  MlirValue number = strata_emit_with(e, "arith.addi", kept->thread, vector * group_in_block(d));
  return strata_emit_times(e, number, kept->width);
}

static void store(strata_gpu_distribution_t *d, const strata_gpu_kept_t *kept, const strata_registers_t *registers) {
  for (int64_t i = 0; i < registers->count; i += kept->width) {
    MlirValue vector = strata_lanes_of_scalars(&d->e, kept->width, registers->values + i);
    strata_lanes_store(&d->e, vector, kept->memory, place(d, kept, i / kept->width));
  }
}

static void load(strata_gpu_distribution_t *d, const strata_gpu_kept_t *kept, strata_registers_t *registers) {
  MlirType type = strata_lanes_type(registers->element, kept->width);
  for (int64_t i = 0; i < registers->count; i += kept->width) {
    MlirValue vector = strata_lanes_load(&d->e, type, kept->memory, place(d, kept, i / kept->width));
    for (int64_t lane = 0; lane < kept->width; lane++)
      registers->values[i + lane] = strata_lanes_extract(&d->e, vector, lane);
  }
}

bool strata_gpu_keeps_rows(const strata_gpu_distribution_t *d) {
  strata_schedule_t schedule = strata_schedule_read(d->func);
  return schedule.kind == STRATA_KERNEL_ROWS && schedule.slots > 0;
}

strata_status_t strata_gpu_keep(strata_gpu_distribution_t *d, MlirOperation op, const strata_registers_t *registers) {
  for (strata_gpu_kept_t *kept = d->state.kept; kept; kept = kept->next)
    kept->is_loaded_anew |= is_same_load(kept->op, op);
  int64_t bytes = strata_element_bytes(registers->element), width = STRATA_VECTOR_BYTES / bytes;
  while (registers->count % width)
    width /= 2;
  if (!strata_gpu_keeps_rows(d) || d->nest.loops || d->nest.branches || width < 2 || bytes < 2 || !is_loaded_again(op))
    return NULL;
  strata_gpu_kept_t *kept = strata_arena_new(d->compile->arena, strata_gpu_kept_t);
  *kept = (strata_gpu_kept_t){.op = op, .width = width, .thread = d->role.thread, .next = d->state.kept};
  if (d->role.group > d->role.threads)
    kept->thread = strata_emit_with(&d->e, "arith.remui", d->role.thread, d->role.threads);
  STRATA_TRY(strata_shared_alloc(d, registers->element, registers->count * group_in_block(d), &kept->memory));
  store(d, kept, registers);
  d->state.kept = kept;
  return NULL;
}

bool strata_gpu_load_kept(strata_gpu_distribution_t *d, MlirOperation op, strata_registers_t *registers) {
  for (const strata_gpu_kept_t *kept = d->state.kept; kept; kept = kept->next)
    if (is_same_load(kept->op, op) &&
        strata_layout_equal(strata_layout_of(d, mlirOperationGetResult(kept->op, 0)), &registers->layout)) {
      load(d, kept, registers);
      return true;
    }
  return false;
}

bool strata_gpu_is_of_kept(const strata_gpu_distribution_t *d, MlirOperation load) {
  for (const strata_gpu_kept_t *kept = d->state.kept; kept; kept = kept->next)
    if (mlirValueEqual(mlirOperationGetOperand(load, 0), kept->memory))
      return true;
  return false;
}

// True if the kernel loads what it does not keep: weights of a norm, or a row once more.
static bool loads_others(const strata_gpu_distribution_t *d) {
  MlirBlock entry = strata_func_body(d->func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue buffer = mlirBlockGetArgument(entry, i);
    bool is_loaded = false, is_kept = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      is_loaded |= strata_op_is(mlirOpOperandGetOwner(use), "tile.load");
    for (const strata_gpu_kept_t *kept = d->state.kept; kept; kept = kept->next)
      is_kept |= mlirValueEqual(mlirOperationGetOperand(kept->op, 0), buffer) && !kept->is_loaded_anew;
    if (is_loaded && !is_kept)
      return true;
  }
  return false;
}

int64_t strata_gpu_kept_blocks(const strata_gpu_distribution_t *d) {
  // Registers of a thread that goes through a row, several loads at a time.
  enum { FEW_REGISTERS = 40, REGISTERS = 64 };
  const strata_gpu_device_t *device = d->device;
  int64_t by_memory = device->shared_bytes_processor / (d->shared.size + STRATA_GPU_SHARED_OF_BLOCK);
  int64_t by_registers = device->registers / (d->role.threads * (loads_others(d) ? REGISTERS : FEW_REGISTERS));
  int64_t blocks = strata_min(by_memory, by_registers);
  return blocks < 1 ? 1 : blocks;
}
