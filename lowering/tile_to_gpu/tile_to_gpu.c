// tile-to-gpu: kernels over block-level vectors become what one thread does, in a module of their own. docs/gpu.md
// gives both sides.
//
//   func.func private @k(%x: memref<8x64xf32>, %y: memref<8x64xf32>) { scf.forall (%t) in (8) { ... } return }
// ->
//   func.func private @k(memref<8x64xf32>, memref<8x64xf32>)
//       attributes {strata.blocks = 8, strata.threads = 128, strata.shared = 0, strata.cluster = 1}
//   module @kernels {
//     func.func @k(%x: ..., %y: ..., %shared: memref<0xi8, 3>) attributes {...} { ... return } }
//
// Where sizes vary, strata.blocks is a map over the module's symbols, and the symbols that a kernel uses are index
// arguments of it in front of %shared, of which the declaration's strata.sizes says what they are. Buffers of such
// sizes are pointers to elements, memref<0xf32>.
#include "dialects/affine/kernel.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "dialects/each.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/distribute/size_arguments.h"
#include "lowering/expand/ops.h"
#include "lowering/kernels.h"
#include "lowering/pipeline.h"
#include "lowering/tile_to_gpu/attention.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/constants.h"
#include "lowering/tile_to_gpu/defer.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/kept.h"
#include "lowering/tile_to_gpu/launches.h"
#include "lowering/tile_to_gpu/loads_first.h"
#include "lowering/tile_to_gpu/moments.h"
#include "lowering/tile_to_gpu/parts.h"
#include "lowering/tile_to_gpu/tasks.h"

enum { SHARED_SPACE = 3, AMPLE_REGISTERS = 128, BUSY_THREADS = 512 };

//===-- A kernel -------------------------------------------------------------------------------------------------===//

// *user becomes false where a kernel's argument that is stored to holds anything but floats of 16 bits.
static MlirWalkResult note_result(MlirOperation op, void *user) {
  if (strata_op_is(op, "tile.store") || strata_op_is(op, "memref.store")) {
    MlirValue buffer = mlirOperationGetOperand(op, 1);
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
    if (mlirValueIsABlockArgument(buffer) && !mlirTypeIsAF16(element) && !mlirTypeIsABF16(element))
      *(bool *)user = false;
  }
  return MlirWalkResultAdvance;
}

static bool rounds_to_16(MlirOperation func) {
  bool rounds = true;
  mlirOperationWalk(func, note_result, &rounds, MlirWalkPreOrder);
  return rounds;
}

// Rank r of a cluster that shares operands is r mod rows and r / rows; those that share a reduction lie along one of
// these, too, the instruction's columns.
static strata_layout_t cluster_of(const strata_schedule_t *schedule) {
  static const int sides[] = {STRATA_BY_ROWS, STRATA_BY_COLUMNS};
  bool shares = schedule->share[0] > 1 || schedule->share[1] > 1;
  strata_layout_t cluster = {0};
  if (schedule->group > schedule->threads && schedule->threads > 0)
    strata_layout_push_block(&cluster, STRATA_BY_THREADS, schedule->group / schedule->threads);
  for (int side = 0; side < 2; side++) {
    if (schedule->parts > 1 && side == (schedule->swap ? 0 : 1))
      strata_layout_push_block(&cluster, STRATA_BY_STEPS, schedule->parts);
    else if (shares)
      strata_layout_push_block(&cluster, sides[side], strata_max(schedule->share[side], 1));
  }
  if (schedule->row > 1)
    strata_layout_push_block(&cluster, STRATA_BY_PARTS_OF_ROWS, schedule->row);
  return cluster;
}

static strata_gpu_plan_t plan_of(const strata_schedule_t *schedule) {
  return (strata_gpu_plan_t){
      .rows = schedule->kind == STRATA_KERNEL_ROWS && schedule->n_tile == 2 ? schedule->tile[1] : 1,
      .producers = schedule->producers,
      .blocks = schedule->blocks,
      .cluster = cluster_of(schedule),
      .stagger = schedule->stagger,
      .stream = schedule->stream,
      .dynamic = schedule->dynamic,
  };
}

// True if the device has blocks and clusters of so many threads, in whole groups.
static bool fits(const strata_gpu_device_t *device, const strata_schedule_t *schedule, const strata_gpu_plan_t *plan) {
  int64_t threads = schedule->threads, group = schedule->group;
  bool is_pipelined = plan->producers > 0;
  if (threads <= 0 || group <= 0 || threads + plan->producers > device->max_threads)
    return false;
  if (group > threads ? !strata_is_power_of_two(threads) || group / threads > device->max_cluster
                      : threads % group != 0)
    return false;
  const strata_layout_t *cluster = &plan->cluster;
  int64_t blocks = strata_layout_blocks(cluster), row = strata_layout_blocks_along(cluster, STRATA_BY_PARTS_OF_ROWS);
  int64_t joined = blocks / strata_layout_blocks_along(cluster, STRATA_BY_THREADS);
  return (is_pipelined || strata_is_power_of_two(group)) && (row == 1 || row == joined) &&
         (joined == 1 || (is_pipelined && joined <= device->max_cluster));
}

static strata_status_t read_schedule(strata_gpu_distribution_t *d) {
  strata_schedule_t schedule = strata_schedule_read(d->func);
  d->plan = plan_of(&schedule);
  d->role = (strata_gpu_role_t){.threads = schedule.threads, .group = schedule.group};
  if (!fits(d->device, &schedule, &d->plan))
    return strata_error(STRATA_INTERNAL, "expected threads and a group of them in the schedule, got %lld and %lld",
                        (long long)schedule.threads, (long long)schedule.group);
  if (!strata_gpu_count_tasks(d, &d->plan.n_tasks))
    return strata_error(STRATA_INTERNAL, "a task space of no known size");
  d->plan.has_parts = strata_gpu_find_parts(d, &d->plan.part_blocks);
  return NULL;
}

static MlirType shared_type(strata_gpu_distribution_t *d) {
  MlirAttribute space = mlirIntegerAttrGet(mlirIntegerTypeGet(d->e.context, 64), SHARED_SPACE);
  return mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(d->e.context, 8), 1, &d->shared.size, space);
}

// 32 if every buffer is so small that positions in it, in bytes, are 32-bit numbers.
static int64_t index_bits(const strata_gpu_distribution_t *d) {
  MlirBlock old = strata_func_body(d->func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(old); i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(old, i));
    strata_size_t bytes = strata_size_constant(strata_element_bytes(mlirShapedTypeGetElementType(type)));
    for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(type); dim++)
      bytes = strata_size_product(bytes, strata_size_of_expr(&d->sizes, strata_type_dim(type, dim)));
    if (strata_size_max(bytes) > INT32_MAX)
      return 64;
  }
  return 32;
}

// The new entry block: the old arguments, the symbols that are used, then shared memory, whose size is not known yet.
static void create_entry(strata_gpu_distribution_t *d, MlirBlock old) {
  bool *used;
  int n_symbols = strata_used_symbols(d->compile->arena, d->func, 0, &used);
  if (n_symbols > 0)
    d->sizes = strata_symbols_of(d->compile->arena, d->func);
  strata_gpu_bound_sizes(d);
  d->index_bits = index_bits(d);
  d->symbols = strata_arena_array(d->compile->arena, MlirValue, d->sizes.count + 1);
  d->e.block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(old); i++) {
    MlirValue buffer = mlirBlockGetArgument(old, i);
    MlirType type = strata_pointer_type(mlirValueGetType(buffer));
    strata_define_scalar(d, buffer, mlirBlockAddArgument(d->e.block, type, d->e.location));
  }
  for (int i = 0; i < n_symbols; i++)
    if (used[i] && i < d->sizes.count && !strata_size_varies(d->sizes.sizes[i]))
      d->symbols[i] = strata_emit_index(&d->e, strata_size_min(d->sizes.sizes[i]));
    else if (used[i])
      d->symbols[i] = mlirBlockAddArgument(d->e.block, mlirIndexTypeGet(d->e.context), d->e.location);
  d->shared.memory = mlirBlockAddArgument(d->e.block, shared_type(d), d->e.location);
}

// Blocks that a processor is to hold at once, where that is known; else 0. Of pipelined products as many as the
// schedule counts on. Of rows: of a cluster's blocks two, one of which loads while the other waits for its cluster. Of
// a grid that the card holds as a whole, of rows, other products and what says so, its share: threads may then have
// more registers, for more loads at a time, than the assembler gives those that make room for others. Of tasks of
// several rows so many that their threads keep a processor busy, one block computing while another waits for its
// operands.
static int64_t resident_blocks(const strata_gpu_distribution_t *d) {
  const strata_gpu_device_t *device = d->device;
  int64_t blocks = strata_ceil_div(strata_gpu_likely_blocks(d), device->n_processors);
  if (strata_gpu_keeps_rows(d))
    return strata_gpu_kept_blocks(d);
  strata_schedule_t schedule = strata_schedule_read(d->func);
  if (schedule.producers)
    return strata_cluster_along(d, STRATA_BY_PARTS_OF_ROWS) > 1 ? 1 : blocks;
  if (strata_cluster_blocks(d) > 1)
    return 2;
  if (d->plan.rows > 1)
    return d->role.threads < BUSY_THREADS ? BUSY_THREADS / d->role.threads : 1;
  bool knows = schedule.kind == STRATA_KERNEL_ROWS || schedule.kind == STRATA_KERNEL_CONTRACT ||
               strata_attr_flag(d->func, STRATA_TILE_LOADS_FIRST);
  return knows && blocks * d->role.threads * AMPLE_REGISTERS <= device->registers ? blocks : 0;
}

// True if fewer tasks than blocks, where sizes vary, want no more blocks than that.
static bool has_few_tasks(const strata_gpu_distribution_t *d) {
  return strata_gpu_is_attention(d) && d->plan.producers && strata_size_varies(d->plan.n_tasks) &&
         strata_size_min(d->plan.n_tasks) > 0 && !strata_size_varies(strata_gpu_blocks(d));
}

static MlirOperation create_func(strata_gpu_distribution_t *d, const char *name, bool is_private, MlirType type,
                                 MlirRegion body) {
  MlirContext context = d->e.context;
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(context, name)},
      {"function_type", mlirTypeAttrGet(type)},
      {"strata.blocks", strata_size_attr(context, strata_gpu_blocks(d))},
      {"strata.threads", strata_i64_attr(context, d->role.threads + d->plan.producers)},
      {"strata.shared", strata_i64_attr(context, strata_gpu_launch_shared(d))},
      {"strata.cluster", strata_i64_attr(context, strata_cluster_blocks(d))},
      {"sym_visibility", strata_str_attr(context, "private")},
  };
  MlirOperation func =
      strata_op_create(d->e.location, "func.func", 0, NULL, 0, NULL, is_private ? 7 : 6, attrs, 1, &body);
  int64_t resident = resident_blocks(d);
  if (resident > 0)
    strata_set_attr(func, "strata.resident", strata_i64_attr(context, resident));
  if (has_few_tasks(d))
    strata_set_attr(func, "strata.tasks", strata_size_attr(context, d->plan.n_tasks));
  if (strata_gpu_begins_early(d))
    strata_set_attr(func, "strata.programmatic", mlirUnitAttrGet(context));
  MlirAttribute apart = strata_gpu_launch_apart(d);
  if (!mlirAttributeIsNull(apart))
    strata_set_attr(func, "strata.apart", apart);
  if (d->maps.count)
    strata_set_attr(func, "strata.maps", mlirArrayAttrGet(context, (intptr_t)d->maps.count, d->maps.data));
  return func;
}

// The new function, which is in no module yet.
static MlirOperation finish_kernel(strata_gpu_distribution_t *d, const char *name, MlirBlock entry) {
  mlirValueSetType(d->shared.memory, shared_type(d));
  MlirType type = strata_block_function_type(d->compile->arena, entry);
  MlirRegion body = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(body, entry);
  MlirOperation func = create_func(d, name, false, type, body);
  strata_set_attr(func, "strata.index_bits", strata_i64_attr(d->e.context, d->index_bits));
  if (d->plan.has_many_parts)
    strata_set_attr(func, "strata.many_parts", mlirUnitAttrGet(d->e.context));
  if (d->plan.has_many_parts && !d->plan.has_cases)
    strata_set_attr(func, "strata.keep_parts", mlirUnitAttrGet(d->e.context));
  if (strata_gpu_begins_early(d))
    strata_gpu_keep_loads(func);
  return func;
}

// Leaves a declaration in place of the old kernel.
static void replace_by_declaration(strata_gpu_distribution_t *d, const char *name) {
  MlirType type = mlirTypeAttrGetValue(strata_attr(d->func, "function_type"));
  MlirOperation declaration = create_func(d, name, true, type, mlirRegionCreate());
  strata_set_size_arguments(d->compile->arena, declaration, d->sizes.count, d->symbols);
  strata_copy_attr(d->func, declaration, "strata.bytes");
  strata_copy_attr(d->func, declaration, "strata.flops");
  strata_copy_attr(d->func, declaration, "strata.predicted");
  strata_variants_copy_attrs(d->func, declaration);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(d->func), d->func, declaration);
  mlirOperationDestroy(d->func);
}

static strata_status_t distribute(strata_gpu_distribution_t *d, MlirBlock old) {
  STRATA_TRY(read_schedule(d));
  strata_gpu_put_loads_first(d);
  strata_moments_prepare(d, d->func);
  STRATA_TRY(strata_assign_layouts(d, d->func));
  strata_gpu_find_task(d);
  return strata_gpu_distribute_block(d, old);
}

// Kernels are lowered side by side, and then put in their places in order.
typedef struct {
  MlirOperation func; // of level 3
  const char *name;
  strata_gpu_distribution_t distribution;
  MlirOperation lowered; // null: not yet
} lowered_kernel_t;

typedef struct {
  const strata_gpu_device_t *device;
  const strata_gpu_constants_t *constants;
  strata_arena_t *arena;
  STRATA_VECTOR(lowered_kernel_t) kernels;
} lowering_t;

static strata_arithmetic_t arithmetic_of(strata_gpu_distribution_t *d) {
  const strata_gpu_device_t *device = d->device;
  return (strata_arithmetic_t){.e = &d->e,
                               .arena = d->compile->arena,
                               .has_fma = true,
                               .has_f16 = true,
                               .has_bf16 = device->code != STRATA_GPU_EMULATED, // the host's has none
                               .has_f8 = device->f8 == STRATA_GPU_F8_OCP,
                               .has_f8_fnuz = device->f8 == STRATA_GPU_F8_FNUZ,
                               .has_approximations = true,
                               .rounds_to_16 = rounds_to_16(d->func),
                               .has_tanh = device->has_tanh};
}

static strata_status_t lower_kernel(strata_compile_t *compile, size_t i, void *user) {
  const lowering_t *lowering = user;
  lowered_kernel_t *kernel = &lowering->kernels.data[i];
  strata_gpu_distribution_t *d = &kernel->distribution;
  *d = (strata_gpu_distribution_t){
      .compile = compile,
      .device = lowering->device,
      .rule = strata_gpu_apply_rule,
      .e = {.context = compile->context, .location = mlirOperationGetLocation(kernel->func)},
      .func = kernel->func,
      .constants = lowering->constants,
      .values = strata_gpu_records(compile->arena),
  };
  d->arithmetic = arithmetic_of(d);
  MlirBlock old = strata_func_body(kernel->func);
  create_entry(d, old);
  MlirBlock entry = d->e.block;
  STRATA_TRY(strata_status_context(distribute(d, old), "kernel %s", kernel->name));
  d->e.location = mlirOperationGetLocation(kernel->func);
  strata_store_small_floats(entry, 8);
  if (strata_gpu_keeps_rows(d))
    strata_gpu_defer_loads(d, entry);
  kernel->lowered = finish_kernel(d, kernel->name, entry);
  return NULL;
}

static void find_kernels(const strata_compile_t *compile, lowering_t *lowering) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = strata_op_is_kernel(op) ? strata_attr_str(op, "sym_name") : (MlirStringRef){NULL, 0};
    if (name.data)
      *strata_vector_push(lowering->arena, &lowering->kernels) = (lowered_kernel_t){
          .func = op, .name = strata_arena_printf(lowering->arena, "%.*s", (int)name.length, name.data)};
  }
}

strata_status_t strata_pass_tile_to_gpu(strata_compile_t *compile) {
  lowering_t lowering = {.arena = compile->arena};
  STRATA_TRY(strata_gpu_device(compile, &lowering.device));
  strata_gpu_constants_t constants = strata_gpu_constants_read(compile);
  lowering.constants = &constants;
  find_kernels(compile, &lowering);
  mlirContextGetOrLoadDialect(compile->context, strata_str("gpu"));
  strata_status_t status = strata_compile_each(compile, lowering.kernels.count, lower_kernel, &lowering);
  MlirBlock kernels = mlirModuleGetBody(strata_kernels_create(compile));
  for (size_t i = 0; i < lowering.kernels.count; i++) {
    lowered_kernel_t *kernel = &lowering.kernels.data[i];
    if (mlirOperationIsNull(kernel->lowered))
      continue;
    mlirBlockAppendOwnedOperation(kernels, kernel->lowered);
    replace_by_declaration(&kernel->distribution, kernel->name);
  }
  return status;
}
