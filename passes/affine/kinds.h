// Of which kind a kernel is: the rows of dialects/affine/kinds.def. Internal to affine-schedule.
#ifndef STRATA_PASSES_AFFINE_KINDS_H
#define STRATA_PASSES_AFFINE_KINDS_H

#include "dialects/affine/kernel.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/symbols.h"
#include "passes/affine/calls.h"
#include "passes/affine/register_tile.h"
#include "passes/target.h"

struct strata_variant_budget;

// A kernel that is to be scheduled. Kernels of its own may be added before it, and its calls be given their results.
typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device; // NULL: on a cpu,
  const strata_machine_t *machine;   // this one
  const strata_calls_t *calls;
  const strata_called_kernel_t *called;
  const strata_kernel_t *kernel;
  strata_size_symbols_t symbols;        // where the kernel's sizes vary
  struct strata_variant_budget *budget; // of a module's variants (variant_budget.h); NULL on a cpu
} strata_scheduling_t;

// *out_taken is false where the kernel is of another kind, or better carried out as one.
typedef strata_status_t (*strata_choose_t)(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken);
#define KERNEL_KIND(id, name, gpu, cpu, work, cpu_work, build, meaning)                                                \
  STRATA_MUST_CHECK strata_status_t gpu(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken);        \
  STRATA_MUST_CHECK strata_status_t cpu(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken);
#include "dialects/affine/kinds.def"

// Makes variants of a product on a cpu whose number of rows, |rows|, varies; |schedule| takes all of them. The columns'
// operand is in panels where it |is_packed|.
STRATA_MUST_CHECK strata_status_t strata_cpu_product_variants(const strata_scheduling_t *s, strata_size_t rows,
                                                              const strata_tiling_t *tiling,
                                                              const strata_schedule_t *schedule, bool is_packed);

// Panels for the products on a cpu whose schedules have some: kernels of their own, in front of the products.
STRATA_MUST_CHECK strata_status_t strata_cpu_pack_products(strata_compile_t *compile, const strata_calls_t *calls);

// A variant of a kernel of rows on a cpu whose length varies without an end: short ones are kept where that is worth
// it.
STRATA_MUST_CHECK strata_status_t strata_cpu_row_variants(const strata_scheduling_t *s,
                                                          const strata_schedule_t *schedule);

// Variants of a map, or of rows, on a GPU whose sizes vary: where accesses are aligned, where rows are short
// (gpu_variants.c).
STRATA_MUST_CHECK strata_status_t strata_gpu_variants(const strata_scheduling_t *s, const strata_schedule_t *schedule);

// A variant where |size| is |value|, scheduled as rows; *out_is_there: false where it is none.
STRATA_MUST_CHECK strata_status_t strata_gpu_variant_of_rows(const strata_scheduling_t *s, strata_size_t size,
                                                             int64_t value, const strata_schedule_t *schedule,
                                                             bool *out_is_there);

// Gives the kernel its schedule; where |budget| has it then, for the time being.
STRATA_MUST_CHECK strata_status_t strata_schedule_kernel(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                         const strata_machine_t *machine, const strata_calls_t *calls,
                                                         const strata_called_kernel_t *called,
                                                         struct strata_variant_budget *budget);

#endif
