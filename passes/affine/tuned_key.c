// Keys of results: see tuned.h.
#include "passes/affine/tuned.h"

#include "passes/target.h"
#include "runtime/base/hash.h"

#include <inttypes.h>

// What another processor has otherwise, and how many threads share the work.
static strata_status_t processor_key(strata_compile_t *compile, const char **out) {
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  int threads = compile->options->threads;
  const char *n_threads = threads ? strata_arena_printf(compile->options->tuning->arena, "%d", threads) : "all";
  *out = strata_arena_printf(compile->options->tuning->arena,
                             "%s, features %016" PRIx64
                             ": %d registers of %d bytes, caches of %lld and %lld bytes, %s threads",
                             device->cpu, strata_hash_text(device->features), device->n_registers, device->vector_bytes,
                             (long long)device->l1_bytes, (long long)device->l2_bytes, n_threads);
  return NULL;
}

// What another card, or another table of cards, has otherwise.
static const char *card_key(strata_arena_t *arena, const strata_gpu_device_t *device) {
  return strata_arena_printf(arena, "%s%s%s: %d processors, %lld bytes of cache, %lld bytes/s, %lld products/s",
                             device->name, device->card ? ", " : "", device->card ? device->card : "",
                             device->n_processors, (long long)device->l2_bytes, (long long)device->bandwidth,
                             (long long)device->products);
}

// What is proposed by such a key outlives the compile.
strata_status_t strata_tuned_key(strata_compile_t *compile, const strata_gpu_device_t *device, const char *number,
                                 strata_tuning_result_t *out) {
  strata_arena_t *arena = compile->options->tuning->arena;
  const char *key = NULL;
  *out = (strata_tuning_result_t)STRATA__TUNING_RESULT__INIT;
  if (device)
    key = card_key(arena, device);
  else
    STRATA_TRY(processor_key(compile, &key));
  out->kernel = strata_arena_strdup(arena, number);
  out->device = strata_arena_strdup(arena, key);
  out->compiler = strata_arena_strdup(arena, strata_tuning_compiler(!device));
  return NULL;
}
