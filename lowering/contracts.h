// What the IR may contain after each phase, checked so that a pass finds what the one before it promised.
#ifndef STRATA_LOWERING_CONTRACTS_H
#define STRATA_LOWERING_CONTRACTS_H

#include "lowering/pipeline.h"

// INTERNAL, naming the phase and the first offending op, if the module breaks the contract that holds after |phase|.
// Which dialects and ops are legal after a phase is a table (contracts.def).
STRATA_MUST_CHECK strata_status_t strata_contract_check(strata_compile_t *compile, strata_phase_t phase);

#endif
