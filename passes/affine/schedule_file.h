// Schedules that the user gives (--schedule=FILE), for GPUs: lines as --explain prints them, anything after a # aside.
//
//   schedule k0 sm_90a {kind = "contract", threads = 256, ...}      # 91d3c2a4f05b7e66
//
// k0 is the kernel's name, or the number behind the #, which stays as it is while the kernel does. Lines of other
// devices are passed over. A schedule changes speed and nothing else: what the kernel cannot be carried out by is an
// error.
//
//   candidates k0 sm_90a
//
// has --explain print every schedule that a contraction can be carried out by, with the time that the model expects:
//
//   candidate k0 sm_90a {kind = "contract", ...} # 12.34 us (memory)
#ifndef STRATA_PASSES_AFFINE_SCHEDULE_FILE_H
#define STRATA_PASSES_AFFINE_SCHEDULE_FILE_H

#include "dialects/affine/schedule.h"
#include "passes/affine/schedule_gpu.h"

typedef struct {
  const char *kernel;
  MlirAttribute schedule; // null: a line that asks for candidates
  int line;
  bool is_used;
} strata_schedule_line_t;

typedef struct {
  const char *path; // NULL: no file
  STRATA_VECTOR(strata_schedule_line_t) lines;
} strata_schedule_file_t;

// Reads what the compile's options name; errors give file and line.
STRATA_MUST_CHECK strata_status_t strata_schedule_file_read(strata_compile_t *compile,
                                                            const strata_gpu_device_t *device,
                                                            strata_schedule_file_t *out_file);

// Gives the kernel, which has the schedule that was chosen for it, the file's. Tells the listener what it is then.
STRATA_MUST_CHECK strata_status_t strata_schedule_file_apply(strata_schedule_file_t *file, strata_compile_t *compile,
                                                             const strata_gpu_device_t *device,
                                                             const strata_called_kernel_t *called);

// True if a line gives |func| a schedule; |number| is its number.
bool strata_schedule_file_gives(const strata_schedule_file_t *file, MlirOperation func, const char *number);

// An error if a line names no kernel.
STRATA_MUST_CHECK strata_status_t strata_schedule_file_end(const strata_schedule_file_t *file);

// A hash of the kernel's text, its name and schedule aside, in 16 hexadecimal digits.
const char *strata_kernel_number(strata_arena_t *arena, MlirOperation func);

// {kind = "...", ...} as --explain prints it. PARSE, INVALID_ARGUMENT.
STRATA_MUST_CHECK strata_status_t strata_schedule_parse(strata_compile_t *compile, const char *text,
                                                        MlirAttribute *out);

// An error if the kernel, for which |chosen| was chosen, cannot be carried out by |given|. |device| and |calls| as
// strata_work_read has them.
STRATA_MUST_CHECK strata_status_t strata_schedule_check(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                        const strata_calls_t *calls,
                                                        const strata_called_kernel_t *called,
                                                        const strata_schedule_t *chosen,
                                                        const strata_schedule_t *given);

#endif
