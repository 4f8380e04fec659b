// Instructions that say how a wave goes on, and those that change nothing that is looked at here.
#include "test/support/driver/amdgpu/code.h"

#include <string.h>

static bool is_taken(const state_t *state, const char *name) {
  const uint32_t *scalars = state->wave->scalars;
  uint64_t vcc = state->n_lanes == 32 ? scalars[VCC] : read_pair(&scalars[VCC]);
  if (strcmp(name, "s_cbranch_scc0") == 0)
    return !scalars[SCC];
  if (strcmp(name, "s_cbranch_scc1") == 0)
    return scalars[SCC];
  if (strcmp(name, "s_cbranch_vccz") == 0)
    return !vcc;
  if (strcmp(name, "s_cbranch_vccnz") == 0)
    return vcc;
  if (strcmp(name, "s_cbranch_execz") == 0)
    return !exec_of(state);
  return strcmp(name, "s_cbranch_execnz") != 0 || exec_of(state);
}

static void branch(state_t *state, const instruction_t *instruction) {
  if (is_taken(state, instruction->name))
    state->next = instruction->target;
}

static void nothing(state_t *state, const instruction_t *instruction) {
  (void)state;
  (void)instruction;
}

static void wait(state_t *state, const instruction_t *instruction) { waits_until(state, instruction->waits); }

static void barrier(state_t *state, const instruction_t *instruction) {
  (void)instruction;
  waits_at_barrier(state);
  state->wave->state = AT_BARRIER;
}

static void end(state_t *state, const instruction_t *instruction) {
  (void)instruction;
  state->wave->state = ENDED;
}

static uint64_t address_after(const state_t *state) {
  const instruction_t *instruction = state->instruction;
  return (uintptr_t)state->program->memory + instruction->address + instruction->size;
}

static void get_address(state_t *state, const instruction_t *instruction) {
  scalar_write(state, &instruction->operands[0], address_after(state), 2);
}

static void go_to(state_t *state, uint64_t address) {
  const kernel_t *kernel = state->kernel;
  uint64_t in_object = address - (uintptr_t)state->program->memory;
  for (uint32_t i = 0; i < kernel->n; i++)
    if (kernel->instructions[i].address == in_object) {
      state->next = i;
      return;
    }
  found(state, "goes on at 0x%llx, outside its own code", (unsigned long long)in_object);
}

static void set_address(state_t *state, const instruction_t *instruction) {
  go_to(state, scalar_value(state, &instruction->operands[0], 8));
}

static void swap_address(state_t *state, const instruction_t *instruction) {
  uint64_t to = scalar_value(state, &instruction->operands[1], 8);
  scalar_write(state, &instruction->operands[0], address_after(state), 2);
  go_to(state, to);
}

static const handler_t handlers[] = {
    {"s_branch", branch},
    {"s_cbranch_scc0", branch},
    {"s_cbranch_scc1", branch},
    {"s_cbranch_vccz", branch},
    {"s_cbranch_vccnz", branch},
    {"s_cbranch_execz", branch},
    {"s_cbranch_execnz", branch},
    {"s_endpgm", end},
    {"s_barrier", barrier},
    {"s_barrier_wait", barrier},
    {"s_barrier_signal", nothing},
    {"s_waitcnt", wait},
    {"s_waitcnt_vscnt", wait},
    {"s_waitcnt_vmcnt", wait},
    {"s_waitcnt_lgkmcnt", wait},
    {"s_waitcnt_expcnt", wait},
    {"s_wait_loadcnt", wait},
    {"s_wait_storecnt", wait},
    {"s_wait_dscnt", wait},
    {"s_wait_kmcnt", wait},
    {"s_wait_loadcnt_dscnt", wait},
    {"s_wait_storecnt_dscnt", wait},
    {"s_wait_samplecnt", nothing},
    {"s_wait_bvhcnt", nothing},
    {"s_wait_expcnt", nothing},
    {"s_wait_alu", nothing},
    {"s_wait_idle", nothing},
    {"s_waitcnt_depctr", nothing},
    {"s_nop", nothing},
    {"s_delay_alu", nothing},
    {"s_clause", nothing},
    {"s_setprio", nothing},
    {"s_sleep", nothing},
    {"s_sendmsg", nothing},
    {"s_code_end", nothing},
    {"s_inst_prefetch", nothing},
    {"s_set_inst_prefetch_distance", nothing},
    {"s_icache_inv", nothing},
    {"s_dcache_inv", nothing},
    {"s_dcache_wb", nothing},
    {"s_prefetch_inst", nothing},
    {"s_prefetch_inst_pc_rel", nothing},
    {"s_prefetch_data", nothing},
    {"s_wakeup", nothing},
    {"v_nop", nothing},
    {"buffer_gl0_inv", nothing},
    {"buffer_gl1_inv", nothing},
    {"buffer_inv", nothing},
    {"buffer_wbl2", nothing},
    {"buffer_wbinvl1", nothing},
    {"buffer_wbinvl1_vol", nothing},
    {"global_inv", nothing},
    {"global_wb", nothing},
    {"global_wbinv", nothing},
    {"s_getpc_b64", get_address},
    {"s_setpc_b64", set_address},
    {"s_swappc_b64", swap_address},
};

bool control_find(const amdgpu_program_t *program, const char *name, instruction_t *instruction) {
  (void)program;
  return handler_find(handlers, sizeof handlers / sizeof handlers[0], name, instruction);
}
