// Guards against what a compiler can do to its caller: a crash while reading or generating code, and output files that
// are only partly written or left lying about, whatever process is killed, when and how.
//
// Three processes: the caller's waits; the keeper, which no signal of a terminal or of the caller's group reaches,
// makes the staging folder, publishes what is in it and removes it; its child does the work. If the first is killed,
// the keeper ends the work and tidies up; if the keeper is, the first does.
#ifndef STRATA_TOOLS_ISOLATE_H
#define STRATA_TOOLS_ISOLATE_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <stdbool.h>

typedef struct {
  const char *folder; // for the files; made if missing
  const char *made;   // the first of the folders around it that were made for it; NULL: all were there
  bool keeps;         // they are moved there at the end; else they go with the staging folder
  // The work; |files|: a folder for its files. Standard output is written out behind it.
  strata_status_t (*body)(const char *files, void *user);
  void *user;
} strata_isolated_t;

// Does the work and returns its status; after an error |folder| is as it was. MLIR and LLVM abort or exit on some bad
// inputs: that is an INTERNAL error, unless it is a limit of the system's that was reached, which the error names. For
// the work TMPDIR is a folder that goes with the staging folder. SIGINT, SIGTERM and SIGHUP end the process only when
// all is tidied up. Call it before any thread is started.
STRATA_MUST_CHECK strata_status_t strata_isolate(strata_arena_t *arena, const strata_isolated_t *work);

#endif
