// See schedule_file.h.
#include "passes/affine/schedule_file.h"

#include "dialects/affine/variants.h"
#include "dialects/import/mapped_file.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/explain.h"
#include "runtime/base/hash.h"

#include <inttypes.h>

//===-- Reading --------------------------------------------------------------------------------------------------===//

static const char *next_word(strata_arena_t *arena, const char **at) {
  *at += strspn(*at, " \t\r");
  size_t length = strcspn(*at, " \t\r");
  const char *word = strata_arena_printf(arena, "%.*s", (int)length, *at);
  *at += length;
  return word;
}

strata_status_t strata_schedule_parse(strata_compile_t *compile, const char *text, MlirAttribute *out) {
  *out = mlirAttributeParseGet(compile->context, strata_str(text));
  if (mlirAttributeIsNull(*out))
    return strata_compile_take_diagnostics(compile, "expected {kind = \"...\", ...}");
  if (!mlirAttributeIsADictionary(*out))
    return strata_error(STRATA_INVALID_ARGUMENT, "expected {kind = \"...\", ...}, got '%s'", text);
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(*out); i++) {
    MlirStringRef key = mlirIdentifierStr(mlirDictionaryAttrGetElement(*out, i).name);
    if (!strata_schedule_has_key(key, mlirDictionaryAttrGetElement(*out, i).attribute))
      return strata_error(STRATA_INVALID_ARGUMENT, "'%.*s' is no key of a schedule, or not with such a value",
                          (int)key.length, key.data);
  }
  return NULL;
}

// One line without its comment.
static strata_status_t read_line(strata_compile_t *compile, const strata_gpu_device_t *device, const char *text,
                                 int number, strata_schedule_file_t *file) {
  const char *first = next_word(compile->arena, &text);
  if (!*first)
    return NULL;
  bool asks = strcmp(first, "candidates") == 0;
  if (!asks && strcmp(first, "schedule") != 0)
    return strata_error(STRATA_PARSE, "expected 'schedule KERNEL DEVICE {...}', got '%s'", first);
  strata_schedule_line_t line = {.kernel = next_word(compile->arena, &text), .line = number};
  const char *name = next_word(compile->arena, &text);
  if (!*name || *name == '{')
    return strata_error(STRATA_PARSE, "expected '%s KERNEL DEVICE%s'", first, asks ? "" : " {...}");
  if (!asks)
    STRATA_TRY(strata_schedule_parse(compile, text + strspn(text, " \t\r"), &line.schedule));
  if (strcmp(name, device->name) == 0)
    *strata_vector_push(compile->arena, &file->lines) = line;
  return NULL;
}

strata_status_t strata_schedule_file_read(strata_compile_t *compile, const strata_gpu_device_t *device,
                                          strata_schedule_file_t *out_file) {
  *out_file = (strata_schedule_file_t){.path = compile->options->schedule};
  if (!out_file->path)
    return NULL;
  strata_mapped_file_t mapped;
  STRATA_TRY(strata_map_file(compile->arena, out_file->path, &mapped));
  const char *text = (const char *)mapped.data, *end = text + mapped.size;
  for (int number = 1; text < end; number++) {
    const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
    const char *comment = memchr(text, '#', (size_t)(stop - text));
    const char *line = strata_arena_printf(compile->arena, "%.*s", (int)((comment ? comment : stop) - text), text);
    strata_status_t status = read_line(compile, device, line, number, out_file);
    if (status)
      return strata_status_context(status, "%s:%d", out_file->path, number);
    text = stop + 1;
  }
  return NULL;
}

//===-- What a kernel can be carried out by ----------------------------------------------------------------------===//

// A group of more threads than a block has, at most |most|.
static bool is_cluster_of(const strata_schedule_t *schedule, int64_t most) {
  return schedule->group > schedule->threads && schedule->group <= most;
}

static strata_status_t check_threads(const strata_gpu_device_t *device, const strata_schedule_t *chosen,
                                     const strata_schedule_t *given) {
  if (!strata_is_power_of_two(given->threads) || given->threads < device->lanes || given->threads > device->max_threads)
    return strata_error(STRATA_INVALID_ARGUMENT, "threads: expected a power of two from %d to %d, got %lld",
                        device->lanes, device->max_threads, (long long)given->threads);
  bool is_alone = chosen->group == 1, is_warp = !chosen->blocks && given->group <= device->lanes;
  bool is_team = chosen->blocks > 0 && given->group == chosen->group && given->group <= given->threads;
  bool is_cluster = is_cluster_of(chosen, chosen->group) && is_cluster_of(given, device->max_cluster * given->threads);
  if (!strata_is_power_of_two(given->group) || (given->group == 1) != is_alone ||
      (!is_warp && given->group != given->threads && !is_team && !is_cluster))
    return strata_error(STRATA_INVALID_ARGUMENT, "group: expected %s, got %lld",
                        is_alone         ? "1"
                        : chosen->blocks ? "as many as chosen, or all threads"
                                         : "a power of two from 2 to a warp, or all threads",
                        (long long)given->group);
  return NULL;
}

// Blocks that carry out several tasks each are for kernels that were given some: others have a task a block.
static strata_status_t check_blocks(const strata_schedule_t *chosen, const strata_schedule_t *given) {
  if (given->blocks >= 0 && given->blocks <= chosen->blocks)
    return NULL;
  return strata_error(STRATA_INVALID_ARGUMENT, "blocks: expected at most the %lld chosen, got %lld",
                      (long long)chosen->blocks, (long long)given->blocks);
}

// Maps, rows and scalar kernels.
static strata_status_t check_sizes(const strata_gpu_device_t *device, const strata_schedule_t *chosen,
                                   const strata_schedule_t *given) {
  STRATA_TRY(check_threads(device, chosen, given));
  STRATA_TRY(check_blocks(chosen, given));
  bool is_fixed = chosen->group == 1 || chosen->n_tile != 1 || given->group > given->threads;
  bool is_right = given->n_tile == chosen->n_tile;
  for (int i = 0; i < chosen->n_tile && is_right; i++)
    is_right =
        given->tile[i] == chosen->tile[i] || (!is_fixed && given->tile[i] > 0 && given->tile[i] < chosen->tile[i]);
  bool holds_rows = chosen->kind == STRATA_KERNEL_ROWS && chosen->group > 1; // and may do so in shared memory
  bool has_more = given->warps[0] || given->mma.length || given->producers || given->slots > holds_rows;
  if (is_right && !has_more)
    return NULL;
  return strata_error(STRATA_INVALID_ARGUMENT, "a '%s' of %s tiles of this kernel than those chosen",
                      strata_kernel_kind_name(chosen->kind), is_fixed ? "other" : "larger");
}

strata_status_t strata_schedule_check(strata_compile_t *compile, const strata_gpu_device_t *device,
                                      const strata_calls_t *calls, const strata_called_kernel_t *called,
                                      const strata_schedule_t *chosen, const strata_schedule_t *given) {
  strata_work_t work;
  bool has_candidates;
  if (chosen->kind != given->kind)
    return strata_error(STRATA_INVALID_ARGUMENT, "kind: expected \"%s\", got \"%s\"",
                        strata_kernel_kind_name(chosen->kind), strata_kernel_kind_name(given->kind));
  STRATA_TRY(strata_work_read(compile, device, calls, called, chosen->kind, &work, &has_candidates));
  if (has_candidates && strata_candidates_admit(&work, given))
    return NULL;
  if (!has_candidates || work.forms)
    return check_sizes(device, chosen, given);
  return strata_error(STRATA_INVALID_ARGUMENT, "no way of carrying out this %s; see docs/gpu-schedules.md",
                      chosen->kind == STRATA_KERNEL_CONTRACT ? "contraction" : strata_kernel_kind_name(chosen->kind));
}

//===-- Applying -------------------------------------------------------------------------------------------------===//

static void add_to_hash(MlirStringRef text, void *user) {
  uint64_t *hash = user;
  *hash = strata_hash_add(*hash, text.data, text.length);
}

const char *strata_kernel_number(strata_arena_t *arena, MlirOperation func) {
  MlirOperation copy = mlirOperationClone(func);
  uint64_t hash = STRATA_HASH_EMPTY;
  strata_set_attr(copy, "sym_name", strata_str_attr(mlirOperationGetContext(func), "kernel"));
  mlirOperationRemoveDiscardableAttributeByName(copy, strata_str("strata.schedule"));
  mlirOperationRemoveDiscardableAttributeByName(copy, strata_str(STRATA_VARIANTS)); // names, too
  mlirOperationPrint(copy, add_to_hash, &hash);
  mlirOperationDestroy(copy);
  return strata_arena_printf(arena, "%016" PRIx64, hash);
}

typedef struct {
  strata_arena_t *arena;
  const char *text;
} printed_t;

static void add_text(MlirStringRef text, void *user) {
  printed_t *printed = user;
  printed->text = strata_arena_printf(printed->arena, "%s%.*s", printed->text, (int)text.length, text.data);
}

// Lines about |schedule| of the kernel, which has it afterwards: what it is, and what follows a #.
static void tell(strata_compile_t *compile, const strata_gpu_device_t *device, MlirOperation func, const char *what,
                 const char *note) {
  MlirStringRef name = strata_attr_str(func, "sym_name");
  printed_t printed = {compile->arena, ""};
  mlirAttributePrint(strata_attr(func, "strata.schedule"), add_text, &printed);
  strata_explain(compile, "%s %.*s %s %s # %s", what, (int)name.length, name.data, device->name, printed.text, note);
}

static strata_status_t tell_candidates(strata_compile_t *compile, const strata_gpu_device_t *device,
                                       const strata_called_kernel_t *called) {
  strata_schedule_t chosen = strata_schedule_read(called->func);
  strata_work_t work;
  const strata_ways_t *ways;
  bool has_candidates;
  STRATA_TRY(strata_work_read(compile, device, NULL, called, chosen.kind, &work, &has_candidates));
  if (!has_candidates)
    return strata_error(STRATA_INVALID_ARGUMENT, "candidates: this '%s' has one schedule",
                        strata_kernel_kind_name(chosen.kind));
  for (int i = 0; (ways = strata_ways_of(&work, i)); i++)
    for (strata_candidate_t c = {0}; strata_candidate_next(&work, ways, &c);) {
      strata_schedule_write(called->func, &c.schedule);
      tell(compile, device, called->func, "candidate",
           strata_arena_printf(compile->arena, "%.2f us (%s)", 1e6 * c.seconds, c.bound));
    }
  strata_schedule_write(called->func, &chosen);
  return NULL;
}

static strata_status_t apply_line(const strata_schedule_line_t *line, strata_compile_t *compile,
                                  const strata_gpu_device_t *device, const strata_called_kernel_t *called) {
  if (mlirAttributeIsNull(line->schedule))
    return tell_candidates(compile, device, called);
  strata_schedule_t chosen = strata_schedule_read(called->func);
  strata_set_attr(called->func, "strata.schedule", line->schedule);
  strata_schedule_t given = strata_schedule_read(called->func);
  STRATA_TRY(strata_schedule_check(compile, device, NULL, called, &chosen, &given));
  strata_schedule_write(called->func, &given);
  return NULL;
}

static bool names(const strata_schedule_line_t *line, MlirOperation func, const char *number) {
  return strata_str_equal(strata_attr_str(func, "sym_name"), line->kernel) || strcmp(number, line->kernel) == 0;
}

bool strata_schedule_file_gives(const strata_schedule_file_t *file, MlirOperation func, const char *number) {
  for (size_t i = 0; i < file->lines.count; i++)
    if (!mlirAttributeIsNull(file->lines.data[i].schedule) && names(&file->lines.data[i], func, number))
      return true;
  return false;
}

strata_status_t strata_schedule_file_apply(strata_schedule_file_t *file, strata_compile_t *compile,
                                           const strata_gpu_device_t *device, const strata_called_kernel_t *called) {
  if (!file->path && !compile->explain)
    return NULL;
  const char *number = strata_kernel_number(compile->arena, called->func);
  for (size_t i = 0; i < file->lines.count; i++) {
    strata_schedule_line_t *line = &file->lines.data[i];
    if (!names(line, called->func, number))
      continue;
    strata_status_t status = apply_line(line, compile, device, called);
    if (status)
      return strata_status_context(status, "%s:%d: %s", file->path, line->line, line->kernel);
    line->is_used = true;
  }
  tell(compile, device, called->func, "schedule", number);
  return NULL;
}

strata_status_t strata_schedule_file_end(const strata_schedule_file_t *file) {
  for (size_t i = 0; i < file->lines.count; i++)
    if (!file->lines.data[i].is_used)
      return strata_error(STRATA_NOT_FOUND, "%s:%d: the model has no kernel '%s'", file->path, file->lines.data[i].line,
                          file->lines.data[i].kernel);
  return NULL;
}
