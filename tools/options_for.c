// The options as each layer takes them.
#include "tools/option_table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const strata_alias_t *aliases_of(strata_arena_t *arena, const strata_options_t *options) {
  strata_alias_t *aliases = strata_arena_array(arena, strata_alias_t, options->alias.count + 1);
  for (size_t i = 0; i < options->alias.count; i++) {
    char *output = strata_arena_strdup(arena, options->alias.items[i]), *equals = strchr(output, '=');
    *equals = 0;
    aliases[i] = (strata_alias_t){output, equals + 1};
  }
  return aliases;
}

strata_compile_options_t strata_options_for_compile(strata_arena_t *arena, const strata_options_t *options) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const char *comma = options->device ? strchr(options->device, ',') : NULL;
  const char *first =
      comma ? strata_arena_printf(arena, "%.*s", (int)(comma - options->device), options->device) : options->device;
  return (strata_compile_options_t){
      .target = (strata_target_kind_t)options->target,
      .device = first,
      .more_devices = comma ? comma + 1 : NULL,
      .schedule = options->schedule,
      .precision = (strata_precision_t)options->precision,
      .disable_fast_math = options->no_fast_math,
      .disable_fusion = options->no_fusion,
      .disable_reduce_reduce_fusion = options->no_reduce_fusion,
      .fuse_norms = options->fuse_norms,
      .disable_unsafe_math = options->no_unsafe_math,
      .weights_are_set = options->weights == STRATA_WEIGHTS_SET,
      .disable_tensor_core = options->no_tensor_core,
      .disable_constant_folding = options->no_folding,
      .verify_each = options->verify_each,
      .multistream = (strata_multistream_t)options->multistream,
      .multistream_extra = options->multistream_extra,
      .multistream_most = options->multistream_most,
      .opt_level = options->opt_level,
      .jobs = options->jobs    ? options->jobs
              : processors > 0 ? (int)processors
                               : 1,
      .aliases = aliases_of(arena, options),
      .n_aliases = options->alias.count,
      .threads = options->threads,
  };
}

// "NAME=VALUE" items as bindings; the name of a dimension may have a '=' itself, and a file's may.
static strata_import_binding_t *bindings(strata_arena_t *arena, strata_option_list_t list, bool has_plain_value) {
  strata_import_binding_t *result = strata_arena_array(arena, strata_import_binding_t, list.count + 1);
  for (size_t i = 0; i < list.count; i++) {
    const char *equals = has_plain_value ? strrchr(list.items[i], '=') : strchr(list.items[i], '=');
    result[i].name = strata_arena_printf(arena, "%.*s", (int)(equals - list.items[i]), list.items[i]);
    result[i].text = equals + 1;
  }
  return result;
}

// The same of --dim and --bound; the parser has checked the values.
static strata_import_dim_t *dims(strata_arena_t *arena, strata_option_list_t list) {
  const strata_import_binding_t *items = bindings(arena, list, true);
  strata_import_dim_t *result = strata_arena_array(arena, strata_import_dim_t, list.count + 1);
  for (size_t i = 0; i < list.count; i++) {
    result[i].name = items[i].name;
    strata_import_dim_parse(items[i].text, &result[i]);
  }
  return result;
}

strata_import_options_t strata_options_for_import(strata_arena_t *arena, const strata_options_t *options) {
  return (strata_import_options_t){
      .dims = dims(arena, options->dim),
      .n_dims = options->dim.count,
      .bounds = dims(arena, options->bound),
      .n_bounds = options->bound.count,
      .constants = bindings(arena, options->bind_constant, false),
      .n_constants = options->bind_constant.count,
      .shapes = bindings(arena, options->shape, true),
      .n_shapes = options->shape.count,
      .seed_input = options->seed_input,
      .weights_as_inputs = options->weights == STRATA_WEIGHTS_ARGUMENT,
  };
}

// The value of an option as text; NULL for a text that was not given, and for lists.
static const char *value_text(strata_arena_t *arena, const strata_options_t *options, const strata_option_t *option) {
  const void *field = (const char *)options + option->offset;
  switch (option->type) {
  case STRATA_OPTION_flag:
    return *(const bool *)field ? "on" : "off";
  case STRATA_OPTION_count:
    return strata_arena_printf(arena, "%d", *(const int *)field);
  case STRATA_OPTION_choice: {
    const char *choice = option->values;
    for (int i = *(const int *)field; i > 0; i--)
      choice = strchr(choice, '|') + 1;
    return strata_arena_printf(arena, "%.*s", (int)strcspn(choice, "|"), choice);
  }
  case STRATA_OPTION_text:
    return *(const char *const *)field;
  case STRATA_OPTION_list:
  case STRATA_OPTION_group:
    break;
  }
  return NULL;
}

// |text| and the option, if it was given and is not the default.
static const char *append_option(strata_arena_t *arena, const char *text, const strata_options_t *options,
                                 const strata_option_t *option) {
  if (option->type == STRATA_OPTION_list) {
    const strata_option_list_t *list = (const void *)((const char *)options + option->offset);
    for (size_t i = 0; i < list->count; i++)
      text = strata_arena_printf(arena, "%s--%s=%s ", text, option->name, list->items[i]);
    return text;
  }
  const char *value = value_text(arena, options, option);
  const char *usual = option->otherwise ? option->otherwise : "off";
  return !value || strcmp(value, usual) == 0 ? text
                                             : strata_arena_printf(arena, "%s--%s=%s ", text, option->name, value);
}

const char **strata_options_for_kernels(strata_arena_t *arena, const strata_options_t *options, size_t *out_n) {
  static const size_t offsets[] = {
      offsetof(strata_options_t, target),         offsetof(strata_options_t, device),
      offsetof(strata_options_t, no_tensor_core), offsetof(strata_options_t, precision),
      offsetof(strata_options_t, no_fast_math),   offsetof(strata_options_t, no_unsafe_math),
      offsetof(strata_options_t, opt_level),
  };
  enum { N_OFFSETS = sizeof offsets / sizeof *offsets };
  const char **words = strata_arena_array(arena, const char *, N_OFFSETS);
  *out_n = 0;
  for (size_t i = 0; i < strata_n_options; i++)
    for (size_t j = 0; j < N_OFFSETS; j++) {
      const strata_option_t *option = &strata_option_table[i];
      bool is_it = option->type != STRATA_OPTION_group && option->offset == offsets[j];
      const char *value = is_it ? value_text(arena, options, option) : NULL;
      if (value)
        words[(*out_n)++] = strata_arena_printf(arena, "--%s=%s", option->name, value);
    }
  return words;
}

// The options that shape the library and are not the default, for its description.
static const char *shaping_options(strata_arena_t *arena, const strata_options_t *options) {
  const char *text = "";
  bool shapes = false;
  for (size_t i = 0; i < strata_n_options; i++) {
    if (strata_option_table[i].type == STRATA_OPTION_group)
      shapes = strata_option_table[i].shapes;
    else if (shapes)
      text = append_option(arena, text, options, &strata_option_table[i]);
  }
  return strata_arena_printf(arena, "%.*s", (int)(*text ? strlen(text) - 1 : 0), text);
}

strata_library_options_t strata_options_for_library(strata_arena_t *arena, const strata_options_t *options) {
  return (strata_library_options_t){
      .name = options->aot_name,
      .command_line = shaping_options(arena, options),
      .weights = (strata_weights_t)options->weights,
      .debug_info = (strata_debug_info_t)options->debug_info,
      .alignment = options->alignment,
      .user_memory = options->user_memory,
      .device_tensors = options->on_gpu_tensors,
      .one_time_load = options->one_time_load,
      .save_temps = options->save_temps,
      .print_resources = options->resource_usage,
      .shared_only = options->shared_only || !options->aot, // a library to run is loaded
  };
}
