// Choosing the code for a device and loading it.
#include "runtime/gpu/instance.h"

#include "runtime/library/error.h"

#include <stdlib.h>
#include <string.h>

#define program strata_rt_program

static bool runs_on(const strata_rt_image_t *image, uint32_t arch) {
  return image->arch <= arch && arch <= image->last;
}

// The first variant with an image for the device; an error that says what there is.
static int choose(const strata_rt_variant_t **out_variant, const strata_rt_image_t **out_image) {
  uint32_t arch;
  int status = strata_rt_driver()->get_arch(&arch);
  for (uint64_t i = 0; i < program.n_variants && !status; i++)
    for (uint64_t j = 0; j < program.variants[i].n_images; j++)
      if (runs_on(&program.variants[i].images[j], arch)) {
        *out_variant = &program.variants[i];
        *out_image = &program.variants[i].images[j];
        return STRATA_OK;
      }
  if (status)
    return status;
  char present[32], known[128] = "";
  strata_rt_driver()->print_arch(arch, present, sizeof present);
  for (uint64_t i = 0; i < program.n_variants; i++) {
    strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
    strncat(known, program.variants[i].device, sizeof known - strlen(known) - 1);
  }
  return strata_rt_fail(STRATA_DEVICE, "%s: compiled for %s, but the device is %s", program.library->name, known,
                        present);
}

static int check_limits(const strata_rt_variant_t *variant) {
  if (variant->max_args <= STRATA_RT_MAX_ARGS)
    return STRATA_OK;
  return strata_rt_fail(STRATA_UNSUPPORTED, "%s: a kernel with %llu buffers, at most %d can be passed",
                        program.library->name, (unsigned long long)variant->max_args, (int)STRATA_RT_MAX_ARGS);
}

static int load_code(strata_rt_instance_t *instance) {
  const strata_rt_driver_t *driver = strata_rt_driver();
  const strata_rt_image_t *image = NULL;
  int status = choose(&instance->variant, &image);
  if (!status)
    status = check_limits(instance->variant);
  if (!status && image->size)
    status = driver->load_module(image->data, &instance->module);
  if (status)
    return status;
  uint64_t n = instance->variant->n_kernels;
  instance->functions = calloc(n + 1, sizeof *instance->functions);
  if (!instance->functions)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", program.library->name);
  for (uint64_t i = 0; i < n && !status; i++) {
    const strata_rt_kernel_t *kernel = &instance->variant->kernels[i];
    instance->functions[i].shape = kernel;
    status = driver->get_function(instance->module, kernel, &instance->functions[i].function);
  }
  return status;
}

// For so many calls at a time with the caller's memory, which may allocate nothing.
enum { N_LANES = 4 };

static int create_lanes(strata_rt_instance_t *instance) {
  uint32_t n_side = program.user_memory ? (uint32_t)instance->variant->n_side_streams : 0;
  int status = STRATA_OK;
  for (int i = 0; i < N_LANES && n_side && !status; i++) {
    strata_rt_lanes_t *lanes;
    status = strata_rt_lanes_create(n_side, &lanes);
    if (!status)
      strata_rt_lanes_give(instance, lanes);
  }
  return status;
}

static void free_lanes(strata_rt_instance_t *instance) {
  for (strata_rt_lanes_t *lanes = instance->lanes, *next; lanes; lanes = next) {
    next = lanes->next;
    strata_rt_lanes_free(lanes, instance->is_lost);
  }
  instance->lanes = NULL;
}

// Between cleanup_begin and _end.
static void free_all(strata_rt_instance_t *instance) {
  strata_rt_slots_free(instance);
  free_lanes(instance);
  if (!instance->is_lost)
    strata_rt_ends_free(&instance->ends);
  strata_rt_constants_free(instance);
  if (instance->module && !instance->is_lost)
    strata_rt_driver()->unload_module(instance->module);
  strata_rt_driver()->release(instance->kept);
  pthread_mutex_destroy(&instance->mutex);
  free(instance->functions);
  free(instance);
}

int strata_rt_instance_create(const strata_rt_scope_t *scope, void *memory, void *stream,
                              strata_rt_instance_t **out_instance) {
  strata_rt_instance_t *instance = calloc(1, sizeof *instance);
  if (!instance)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%s: out of memory", program.library->name);
  pthread_mutex_init(&instance->mutex, NULL);
  instance->context = scope->context;
  int status = strata_rt_driver()->keep(scope, &instance->kept);
  if (!status)
    status = load_code(instance);
  if (!status)
    status = strata_rt_constants_load(instance, memory, stream);
  if (!status)
    status = create_lanes(instance);
  if (!status && instance->variant->begin_loop != STRATA_RT_NO_KERNEL)
    status = strata_rt_ends_create(&instance->ends);
  if (status) {
    strata_rt_cleanup_begin(status);
    free_all(instance);
    return strata_rt_cleanup_end();
  }
  *out_instance = instance;
  return STRATA_OK;
}

bool strata_rt_instance_destroy(strata_rt_instance_t *instance, int *status) {
  strata_rt_scope_t scope;
  strata_rt_cleanup_begin(*status);
  bool is_here = strata_rt_driver()->push(instance->context, &scope) == STRATA_OK;
  bool is_lost = !is_here && !scope.context;
  if (is_here)
    strata_rt_driver()->synchronize();
  instance->is_lost = is_lost;
  if (is_here || is_lost)
    free_all(instance);
  if (is_here)
    strata_rt_driver()->leave(&scope);
  *status = strata_rt_cleanup_end();
  return is_here || is_lost;
}
