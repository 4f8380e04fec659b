// Reads the module after cpu-to-llvm into a strata_program_t:
//
//   memref.global "private" @w : memref<64x64xf32>                 a constant; with bytes in the compile's table
//   func.func private @k0(...) attributes {strata.tasks = 8, strata.scratch = 512}
//                                                                  where sizes vary strata.tasks and strata.sizes:
//                                                                  maps, and there may be strata.variants
//   func.func @prepare() { get_global, call … }                    (optional)
//   func.func @main(%x: memref<…> {strata.name = "x"}, …) { get_global, alloc {strata.offset}, call … }
#include "targets/library/program.h"

#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "dialects/strata/strata.h"
#include "dialects/symbols.h"
#include "lowering/guard_launches.h"
#include "targets/cpu/codegen.h"
#include "targets/library/c_names.h"

typedef struct {
  strata_program_t *program;
  strata_arena_t *arena;
  MlirSymbolTable symbols;
  MlirSymbolTable code;                    // of @kernels; null: there is none
  strata_pointer_map_t constants, kernels; // symbol's characters, which MLIR makes unique -> 1 + index
} reader_t;

static const char *to_string(strata_arena_t *arena, MlirStringRef text) {
  return strata_arena_printf(arena, "%.*s", (int)text.length, text.data);
}

//===-- Tensors --------------------------------------------------------------------------------------------------===//

strata_dtype_t strata_library_dtype(strata_type_t type, bool is_unsigned) {
  static const strata_dtype_t dtypes[STRATA_TYPE_COUNT][2] = {
      [STRATA_TYPE_F64] = {STRATA_DTYPE_F64, STRATA_DTYPE_F64},
      [STRATA_TYPE_F32] = {STRATA_DTYPE_F32, STRATA_DTYPE_F32},
      [STRATA_TYPE_F16] = {STRATA_DTYPE_F16, STRATA_DTYPE_F16},
      [STRATA_TYPE_BF16] = {STRATA_DTYPE_BF16, STRATA_DTYPE_BF16},
      [STRATA_TYPE_E4M3] = {STRATA_DTYPE_E4M3, STRATA_DTYPE_E4M3},
      [STRATA_TYPE_E5M2] = {STRATA_DTYPE_E5M2, STRATA_DTYPE_E5M2},
      [STRATA_TYPE_E4M3FNUZ] = {STRATA_DTYPE_E4M3FNUZ, STRATA_DTYPE_E4M3FNUZ},
      [STRATA_TYPE_E5M2FNUZ] = {STRATA_DTYPE_E5M2FNUZ, STRATA_DTYPE_E5M2FNUZ},
      [STRATA_TYPE_I1] = {STRATA_DTYPE_BOOL, STRATA_DTYPE_BOOL},
      [STRATA_TYPE_I4] = {STRATA_DTYPE_I4, STRATA_DTYPE_U4},
      [STRATA_TYPE_I8] = {STRATA_DTYPE_I8, STRATA_DTYPE_U8},
      [STRATA_TYPE_I16] = {STRATA_DTYPE_I16, STRATA_DTYPE_U16},
      [STRATA_TYPE_I32] = {STRATA_DTYPE_I32, STRATA_DTYPE_U32},
      [STRATA_TYPE_I64] = {STRATA_DTYPE_I64, STRATA_DTYPE_U64},
  };
  return dtypes[type][is_unsigned];
}

// The bytes of a type as a number.
static strata_number_t size_of_type(strata_sizes_t *sizes, MlirType type) {
  return sizes && strata_type_is_symbolic(type) ? strata_sizes_expr(sizes, strata_memref_size_expr(type))
                                                : strata_memref_size(type);
}

// A size below zero says that those of the call contradict one another.
static void require_dim(strata_program_t *program, const strata_program_tensor_t *tensor, int dim,
                        MlirAffineExpr expr) {
  if (!strata_expr_is_never_negative(&program->symbols, expr))
    strata_sizes_require(program->sizes, tensor->shape[dim], 0, INT64_MAX, 1,
                         strata_arena_printf(program->compile->arena, "dimension %d of %s, %s,", dim, tensor->name,
                                             strata_symbols_text(program->compile->arena, &program->symbols, expr)));
}

// |type|: a memref, or the tensor it stores, which also tells i1 from i8 and i4 from packed bytes.
static strata_program_tensor_t read_tensor(strata_program_t *program, const char *name, MlirType type,
                                           bool is_unsigned) {
  strata_arena_t *arena = program->compile->arena;
  strata_type_t element = strata_type_from_mlir(mlirShapedTypeGetElementType(type));
  strata_program_tensor_t tensor = {.name = name,
                                    .c_name = name,
                                    .dtype = strata_library_dtype(element, is_unsigned),
                                    .rank = (int)mlirShapedTypeGetRank(type),
                                    .shape_text = "",
                                    .size = size_of_type(program->sizes, type)};
  strata_number_t *shape = strata_arena_array(arena, strata_number_t, tensor.rank + 1);
  tensor.shape = shape;
  for (int i = 0; i < tensor.rank; i++) {
    MlirAffineExpr dim = strata_type_dim(type, i);
    shape[i] = strata_sizes_expr(program->sizes, dim);
    tensor.shape_text = strata_arena_printf(arena, "%s%s%s", tensor.shape_text, i ? ", " : "",
                                            strata_symbols_text(arena, &program->symbols, dim));
    if (program->sizes)
      require_dim(program, &tensor, i, dim);
  }
  return tensor;
}

static strata_program_tensor_t read_argument(strata_program_t *program, MlirOperation func, intptr_t index) {
  strata_arena_t *arena = program->compile->arena;
  MlirAttribute name = strata_port_attr(func, "arg_attrs", index, "strata.name");
  MlirAttribute stored = strata_port_attr(func, "arg_attrs", index, "strata.type");
  MlirType type = mlirValueGetType(mlirBlockGetArgument(strata_func_body(func), index));
  return read_tensor(program,
                     mlirAttributeIsNull(name) ? strata_arena_printf(arena, "arg%d", (int)index)
                                               : to_string(arena, mlirStringAttrGetValue(name)),
                     mlirAttributeIsNull(stored) ? type : mlirTypeAttrGetValue(stored),
                     !mlirAttributeIsNull(strata_port_attr(func, "arg_attrs", index, "strata.unsigned")));
}

// Finds the outputs that are the sizes of others.
static void read_true_sizes(strata_program_t *program, MlirOperation main) {
  strata_program_tensor_t *outputs = program->tensors + program->n_inputs;
  for (size_t i = 0; i < program->n_inputs + program->n_outputs; i++)
    program->tensors[i].true_sizes = -1;
  for (size_t i = 0; i < program->n_outputs; i++) {
    MlirAttribute of = strata_port_attr(main, "arg_attrs", (intptr_t)(program->n_inputs + i), "strata.sizes_of");
    for (size_t k = 0; k < program->n_outputs && !mlirAttributeIsNull(of); k++)
      if (strata_str_equal(mlirStringAttrGetValue(of), outputs[k].name) && outputs[i].rank == 1 &&
          outputs[i].dtype == STRATA_DTYPE_I64 && outputs[i].shape[0] == outputs[k].rank && k != i)
        outputs[k].true_sizes = (int64_t)i;
  }
}

// Finds the outputs that are stored in an input's place.
static void read_places(strata_program_t *program, MlirOperation main) {
  for (size_t i = 0; i < program->n_inputs + program->n_outputs; i++) {
    MlirAttribute of = strata_port_attr(main, "arg_attrs", (intptr_t)i, "strata.in_place");
    program->tensors[i].in_place = -1;
    for (size_t k = 0; k < program->n_inputs && !mlirAttributeIsNull(of); k++)
      if (strata_str_equal(mlirStringAttrGetValue(of), program->tensors[k].name)) {
        program->tensors[i].in_place = (int64_t)k;
        program->tensors[i].note =
            strata_arena_printf(program->compile->arena, "updates %s; in the same memory only what is new is written",
                                program->tensors[k].c_name);
      }
  }
}

static void read_arguments(strata_program_t *program, MlirOperation main) {
  strata_arena_t *arena = program->compile->arena;
  intptr_t n = mlirBlockGetNumArguments(strata_func_body(main));
  program->tensors = strata_arena_array(arena, strata_program_tensor_t, n + 1);
  strata_c_scope_t scope = {.arena = arena};
  strata_c_scope_add(&scope, program->options->name);
  static const char *const taken[] = {"workspace", "device_memory", "stream"};
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
    strata_c_scope_add(&scope, taken[i]);
  for (intptr_t i = 0; i < n; i++) {
    program->tensors[i] = read_argument(program, main, i);
    program->tensors[i].c_name = strata_c_scope_add(&scope, program->tensors[i].name);
    MlirAttribute note = strata_port_attr(main, "arg_attrs", i, "strata.note");
    program->tensors[i].note = mlirAttributeIsNull(note) ? NULL : to_string(arena, mlirStringAttrGetValue(note));
    if (mlirAttributeIsNull(strata_port_attr(main, "arg_attrs", i, "strata.output")))
      program->n_inputs++;
    else
      program->n_outputs++;
  }
  read_true_sizes(program, main);
  read_places(program, main);
  program->dim_c_names = strata_arena_array(arena, const char *, strata_symbols_given(&program->symbols) + 1);
  for (size_t i = 0; i < strata_symbols_given(&program->symbols); i++)
    program->dim_c_names[i] = strata_c_scope_add(&scope, program->symbols.list.data[i].name);
}

// Every type must say its sizes, and there are no sizes without symbols.
static strata_status_t check_arguments(MlirOperation main, const strata_symbols_t *symbols) {
  intptr_t n = mlirBlockGetNumArguments(strata_func_body(main));
  for (intptr_t i = 0; i < n; i++) {
    MlirAttribute stored = strata_port_attr(main, "arg_attrs", i, "strata.type");
    MlirType type = mlirAttributeIsNull(stored) ? mlirValueGetType(mlirBlockGetArgument(strata_func_body(main), i))
                                                : mlirTypeAttrGetValue(stored);
    for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(type); dim++)
      if (mlirShapedTypeIsDynamicDim(type, dim) &&
          (!symbols->list.count || mlirAffineExprIsNull(strata_type_dim(type, dim))))
        return strata_error(STRATA_INTERNAL, "library: argument %d of @main does not say its sizes", (int)i);
  }
  return NULL;
}

//===-- Constants, kernels, launches -----------------------------------------------------------------------------===//

static size_t add_constant(reader_t *reader, strata_program_constant_t constant) {
  *strata_vector_push(reader->arena, &reader->program->constants) = constant;
  return reader->program->constants.count - 1;
}

static size_t constant_of_global(reader_t *reader, const strata_buffer_t *buffer) {
  int64_t *known = strata_pointer_map_put(&reader->constants, buffer->global.data);
  if (!*known) {
    const char *name = to_string(reader->arena, buffer->global);
    const strata_constant_data_t *data = strata_compile_find_constant(reader->program->compile, name);
    *known = 1 + (int64_t)add_constant(
                     reader, (strata_program_constant_t){
                                 .tensor = read_tensor(reader->program, name, mlirValueGetType(buffer->value), false),
                                 .data = data ? data->data : NULL,
                                 .is_prepared = !data});
  }
  return (size_t)*known - 1;
}

// The sizes that the kernel takes behind its buffers.
static void read_sizes(const strata_program_t *program, MlirOperation func, strata_program_kernel_t *kernel) {
  MlirAttribute attr = strata_attr(func, "strata.sizes");
  if (!program->sizes || mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  kernel->n_sizes = (size_t)mlirAffineMapGetNumResults(map);
  strata_number_t *sizes = strata_arena_array(program->compile->arena, strata_number_t, kernel->n_sizes + 1);
  for (size_t i = 0; i < kernel->n_sizes; i++)
    sizes[i] = strata_sizes_expr(program->sizes, mlirAffineMapGetResult(map, (intptr_t)i));
  kernel->sizes = sizes;
}

// The declaration that tile-to-cpu or tile-to-gpu left behind.
static strata_status_t read_kernel(reader_t *reader, MlirStringRef symbol, strata_program_kernel_t *out_kernel) {
  const char *counted = reader->program->gpu ? "strata.blocks" : "strata.tasks";
  MlirOperation func = mlirSymbolTableLookup(reader->symbols, symbol);
  strata_number_t tasks = mlirOperationIsNull(func)
                              ? STRATA_NO_NUMBER
                              : strata_program_read_number(reader->program, func, counted, STRATA_NO_NUMBER);
  if (tasks == STRATA_NO_NUMBER)
    return strata_error(STRATA_INTERNAL, "library: kernel %.*s has no %s", (int)symbol.length, symbol.data, counted);
  strata_number_t most = reader->program->gpu && reader->program->sizes
                             ? strata_program_read_number(reader->program, func, "strata.tasks", STRATA_NO_NUMBER)
                             : STRATA_NO_NUMBER;
  if (most != STRATA_NO_NUMBER) // no block is without a task
    tasks = strata_sizes_op(reader->program->sizes, STRATA_VALUE_MIN, tasks, most);
  *out_kernel = (strata_program_kernel_t){
      .symbol = to_string(reader->arena, symbol),
      .entry = strata_arena_printf(reader->arena, STRATA_CPU_ENTRY_PREFIX "%.*s", (int)symbol.length, symbol.data),
      .tasks = tasks,
      .scratch_size = strata_attr_i64(func, "strata.scratch", 0),
      .threads = strata_attr_i64(func, "strata.threads", 1),
      .shared = strata_attr_i64(func, "strata.shared", 0),
      .cluster = strata_attr_i64(func, "strata.cluster", 1),
      .is_programmatic = strata_attr_flag(func, "strata.programmatic"),
      .is_guarded = strata_attr_flag(func, STRATA_GUARDED),
      .bytes = strata_attr_i64(func, "strata.bytes", 0),
      .flops = strata_attr_i64(func, "strata.flops", 0),
      .predicted = strata_attr_i64(func, "strata.predicted", 0)};
  strata_attr_i64s(func, "strata.apart", 4, out_kernel->apart);
  read_sizes(reader->program, func, out_kernel);
  return strata_program_read_maps(reader->program, func, out_kernel);
}

static strata_status_t add_kernel(reader_t *reader, MlirStringRef symbol) {
  strata_program_t *program = reader->program;
  strata_program_kernel_t kernel;
  STRATA_TRY(read_kernel(reader, symbol, &kernel));
  *strata_vector_push(reader->arena, &program->kernels) = kernel;
  program->scratch_size = kernel.scratch_size > program->scratch_size ? kernel.scratch_size : program->scratch_size;
  return NULL;
}

// The kernel and its variants, one after the other.
static strata_status_t add_kernels(reader_t *reader, MlirStringRef symbol) {
  strata_program_t *program = reader->program;
  MlirOperation variants[STRATA_MAX_VARIANTS];
  size_t first = program->kernels.count;
  STRATA_TRY(add_kernel(reader, symbol));
  int n_variants = program->sizes ? strata_variants_of(mlirSymbolTableLookup(reader->symbols, symbol), variants) : 0;
  for (int i = 0; i < n_variants; i++)
    STRATA_TRY(add_kernel(reader, strata_attr_str(variants[i], "sym_name")));
  strata_program_kernel_t *kernel = &program->kernels.data[first];
  kernel->n_variants = (size_t)n_variants;
  if (n_variants)
    kernel->pick = strata_sizes_pick(program->sizes, n_variants, variants);
  return NULL;
}

static strata_status_t kernel_of_launch(reader_t *reader, const strata_launch_t *launch, size_t *out_kernel) {
  int64_t *known = strata_pointer_map_put(&reader->kernels, launch->kernel.data);
  if (!*known) {
    int64_t next = (int64_t)reader->program->kernels.count + 1;
    STRATA_TRY(add_kernels(reader, launch->kernel));
    *known = next;
  }
  *out_kernel = (size_t)*known - 1;
  return NULL;
}

static strata_status_t read_buffer(reader_t *reader, const strata_buffer_t *buffer, bool is_main,
                                   strata_program_arg_t *out_arg) {
  *out_arg = (strata_program_arg_t){0};
  switch (buffer->kind) {
  case STRATA_BUFFER_ARGUMENT:
    *out_arg = (strata_program_arg_t){.kind = STRATA_ARG_TENSOR, .index = (size_t)buffer->argument};
    return NULL;
  case STRATA_BUFFER_GLOBAL:
    *out_arg = (strata_program_arg_t){.kind = STRATA_ARG_CONSTANT, .index = constant_of_global(reader, buffer)};
    reader->program->constants.data[out_arg->index].is_used_by_main |= is_main && buffer->first >= 0;
    return NULL;
  case STRATA_BUFFER_ALLOC:
    break;
  }
  if (!is_main) { // what the preparation needs in between is a constant that nobody keeps
    const char *name = strata_arena_printf(reader->arena, "intermediate_%zu", reader->program->constants.count);
    strata_program_constant_t constant = {
        .tensor = read_tensor(reader->program, name, mlirValueGetType(buffer->value), false), .is_prepared = true};
    *out_arg = (strata_program_arg_t){.kind = STRATA_ARG_CONSTANT, .index = add_constant(reader, constant)};
    return NULL;
  }
  strata_number_t offset = strata_program_read_number(reader->program, mlirOpResultGetOwner(buffer->value),
                                                      "strata.offset", STRATA_NO_NUMBER);
  *out_arg = (strata_program_arg_t){.kind = STRATA_ARG_POOL, .offset = offset};
  return offset != STRATA_NO_NUMBER ? NULL
                                    : strata_error(STRATA_INTERNAL, "library: a buffer of @main has no strata.offset");
}

//===-- Loops ----------------------------------------------------------------------------------------------------===//

static strata_status_t read_function(reader_t *reader, MlirOperation func, bool is_main,
                                     strata_program_launches_t *out_launches);

static strata_status_t read_loop(reader_t *reader, MlirOperation declaration, const strata_launch_t *launch,
                                 const strata_launch_list_t *list, strata_program_arg_t *args,
                                 strata_program_loop_t **out_loop) {
  strata_counted_loop_t loop = strata_counted_loop_read(declaration);
  MlirOperation body = mlirSymbolTableLookup(reader->symbols, loop.body);
  if (mlirOperationIsNull(body) || launch->n_args > STRATA_RT_MAX_LOOP_ARGS)
    return strata_error(STRATA_INTERNAL, "library: a loop without a body, or with %zu arguments", launch->n_args);
  *out_loop = strata_arena_new(reader->arena, strata_program_loop_t);
  **out_loop =
      (strata_program_loop_t){.count = strata_program_loop_count(reader->program, &loop),
                              .condition = loop.has_condition ? 0 : -1,
                              .limit = loop.has_limit ? loop.n_states + loop.n_inputs : -1,
                              .flags = strata_program_read_number(reader->program, declaration, "strata.flags", 0),
                              .n_flags = strata_counted_loop_n_flags(&loop),
                              .steps = strata_program_read_steps(reader->program, &loop, launch, list, args)};
  return read_function(reader, body, true, &(*out_loop)->body);
}

// Of a kernel that takes |n_args| buffers, and behind them its sizes.
static strata_program_launch_t launch_of(reader_t *reader, size_t index, size_t n_args,
                                         const strata_program_arg_t *args) {
  const strata_program_kernel_t *kernel = &reader->program->kernels.data[index];
  strata_program_launch_t launch = {.kernel = index, .n_args = n_args + kernel->n_sizes};
  strata_program_arg_t *all = strata_arena_array(reader->arena, strata_program_arg_t, launch.n_args + 1);
  for (size_t i = 0; i < launch.n_args; i++)
    all[i] =
        i < n_args ? args[i] : (strata_program_arg_t){.kind = STRATA_ARG_SIZE, .offset = kernel->sizes[i - n_args]};
  launch.args = all;
  return launch;
}

static strata_status_t read_launch(reader_t *reader, const strata_launch_t *launch, const strata_launch_list_t *list,
                                   strata_program_arg_t *args, strata_program_launch_t *out_launch) {
  MlirOperation func = mlirSymbolTableLookup(reader->symbols, launch->kernel);
  *out_launch = (strata_program_launch_t){.n_args = launch->n_args, .args = args};
  if (!mlirOperationIsNull(func) && strata_op_is_loop(func))
    return read_loop(reader, func, launch, list, args, &out_launch->loop);
  STRATA_TRY(kernel_of_launch(reader, launch, &out_launch->kernel));
  *out_launch = launch_of(reader, out_launch->kernel, launch->n_args, args);
  const strata_program_kernel_t *kernel = &reader->program->kernels.data[out_launch->kernel];
  strata_program_launch_t *variants =
      strata_arena_array(reader->arena, strata_program_launch_t, kernel->n_variants + 1);
  for (size_t i = 0; i < kernel->n_variants; i++)
    variants[i] = launch_of(reader, out_launch->kernel + 1 + i, launch->n_args, args);
  out_launch->n_variants = kernel->n_variants;
  out_launch->variants = variants;
  out_launch->pick = kernel->pick;
  return NULL;
}

bool strata_program_has_open_loop(const strata_program_launches_t *launches, int64_t most) {
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_loop_t *loop = launches->data[i].loop;
    bool is_longer = loop && (strata_number_varies(loop->count) || loop->count > most);
    if (loop && ((is_longer && strata_program_loop_is_open(loop)) || strata_program_has_open_loop(&loop->body, most)))
      return true;
  }
  return false;
}

int64_t strata_program_count_launches(const strata_program_launches_t *launches) {
  int64_t count = 0;
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_loop_t *loop = launches->data[i].loop;
    int64_t own = loop ? strata_program_count_launches(&loop->body) : 1;
    int64_t times = loop ? strata_program_loop_listed(loop) : 1;
    count += own && times > STRATA_PROGRAM_MAX_LAUNCHES / own ? STRATA_PROGRAM_MAX_LAUNCHES : own * times;
    count = strata_min(count, STRATA_PROGRAM_MAX_LAUNCHES);
  }
  return count;
}

static strata_status_t read_function(reader_t *reader, MlirOperation func, bool is_main,
                                     strata_program_launches_t *out_launches) {
  strata_launch_list_t list;
  STRATA_TRY(strata_launch_list_read(reader->program->compile, func, &list));
  strata_program_arg_t *buffers = strata_arena_array(reader->arena, strata_program_arg_t, list.buffers.count);
  for (size_t i = 0; i < list.buffers.count; i++)
    STRATA_TRY(read_buffer(reader, &list.buffers.data[i], is_main, &buffers[i]));
  for (size_t i = 0; i < list.launches.count; i++) {
    const strata_launch_t *launch = &list.launches.data[i];
    strata_program_arg_t *args = strata_arena_array(reader->arena, strata_program_arg_t, launch->n_args);
    for (size_t j = 0; j < launch->n_args; j++)
      args[j] = buffers[launch->args[j]];
    strata_program_launch_t read;
    STRATA_TRY(read_launch(reader, launch, &list, args, &read));
    read.region = launch->region;
    read.stream = (unsigned)launch->stream;
    *strata_vector_push(reader->arena, out_launches) = read;
  }
  strata_program_interleave(reader->program, out_launches);
  return NULL;
}

// The kernels that the runtime launches for open loops.
static strata_status_t read_guards(reader_t *reader) {
  strata_program_t *program = reader->program;
  if (!program->gpu || !strata_program_has_open_loop(&program->main, -1))
    return NULL;
  program->gpu->begin_loop = (int64_t)program->kernels.count;
  STRATA_TRY(add_kernel(reader, strata_str(STRATA_BEGIN_LOOP)));
  program->gpu->take_state = (int64_t)program->kernels.count;
  return add_kernel(reader, strata_str(STRATA_TAKE_STATE));
}

static strata_status_t create_program(strata_compile_t *compile, const strata_library_options_t *options,
                                      strata_program_t *out_program) {
  *out_program = (strata_program_t){.compile = compile, .options = options};
  if (!strata_target_is_gpu(compile))
    return NULL;
  out_program->gpu = strata_arena_new(compile->arena, strata_program_gpu_t);
  *out_program->gpu = (strata_program_gpu_t){.begin_loop = -1, .take_state = -1};
  return strata_gpu_device(compile, &out_program->gpu->device);
}

static reader_t create_reader(strata_program_t *program) {
  strata_compile_t *compile = program->compile;
  return (reader_t){.program = program,
                    .arena = compile->arena,
                    .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module)),
                    .constants = strata_pointer_map_create(compile->arena),
                    .kernels = strata_pointer_map_create(compile->arena)};
}

strata_status_t strata_program_read(strata_compile_t *compile, const strata_library_options_t *options,
                                    strata_program_t *out_program) {
  MlirOperation main = strata_find_func(compile->module, "main");
  MlirOperation prepare = strata_find_func(compile->module, "prepare");
  if (mlirOperationIsNull(main))
    return strata_error(STRATA_INTERNAL, "library: no function main");
  STRATA_TRY(create_program(compile, options, out_program));
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &out_program->symbols));
  STRATA_TRY(check_arguments(main, &out_program->symbols));
  if (out_program->symbols.list.count)
    out_program->sizes = strata_sizes_create(compile->arena, &out_program->symbols);
  out_program->pool_size = strata_program_read_number(out_program, main, "strata.pool_size", 0);
  out_program->pool_live = strata_attr_i64(main, "strata.pool_live", 0);
  out_program->pool_sum = strata_attr_i64(main, "strata.pool_sum", 0);
  reader_t reader = create_reader(out_program);
  read_arguments(out_program, main);
  strata_status_t status = read_function(&reader, main, true, &out_program->main);
  if (!status && !mlirOperationIsNull(prepare))
    status = read_function(&reader, prepare, false, &out_program->prepare);
  if (!status)
    status = read_guards(&reader);
  mlirSymbolTableDestroy(reader.symbols);
  if (!status && out_program->sizes)
    status = strata_sizes_check(out_program->sizes);
  if (!status && strata_program_count_launches(&out_program->main) >= STRATA_PROGRAM_MAX_LAUNCHES)
    return strata_error(STRATA_UNSUPPORTED, "loops that launch kernels %d times or more in a run",
                        STRATA_PROGRAM_MAX_LAUNCHES);
  return status;
}

strata_status_t strata_program_read_preparation(strata_compile_t *compile, const strata_library_options_t *options,
                                                strata_program_t *out_program) {
  STRATA_TRY(create_program(compile, options, out_program));
  reader_t reader = create_reader(out_program);
  strata_status_t status =
      read_function(&reader, strata_find_func(compile->module, "main"), false, &out_program->prepare);
  mlirSymbolTableDestroy(reader.symbols);
  return status;
}

int strata_program_alignment(const strata_program_t *program) {
  enum { GPU_ALIGNMENT = 16 }; // of the widest load of a thread
  int wanted = program->options->alignment;
  return program->options->device_tensors && wanted < GPU_ALIGNMENT ? GPU_ALIGNMENT : wanted;
}
