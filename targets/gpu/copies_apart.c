// Copies past registers into shared memory, beside loads of other parts of it. LLVM has every load of shared memory
// wait for all copies that may have written what it reads, and does not know slots from one another. The kernel waits
// itself, and has a barrier between a copy and whoever reads what it brings, or read what it overwrites: so between two
// barriers no load touches what a copy does. This is said by scopes of aliasing, once everything that might move loads
// past barriers for it is done:
//
//   call void @llvm.amdgcn.raw.ptr.buffer.load.lds(...), !alias.scope !{copies}
//   %v = load <8 x half>, ptr addrspace(3) %p, !alias.scope !{loads}, !noalias !{copies}
#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { SHARED_SPACE = 3 };

bool strata_gpu_is_copy(LLVMValueRef op) { return strata_gpu_calls(op, "llvm.amdgcn.raw.ptr.buffer.load.lds"); }

bool strata_gpu_is_shared_load(LLVMValueRef op) {
  return strata_gpu_calls(op, "llvm.amdgcn.ds.read.tr") ||
         (LLVMGetInstructionOpcode(op) == LLVMLoad &&
          LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(op, 0))) == SHARED_SPACE);
}

typedef struct {
  unsigned alias_scope, noalias; // kinds of metadata
  LLVMValueRef copies, loads;    // lists of one scope each
} scopes_t;

static LLVMMetadataRef string(LLVMContextRef context, const char *text) {
  return LLVMMDStringInContext2(context, text, strlen(text));
}

static LLVMValueRef scope_list(LLVMContextRef context, LLVMMetadataRef domain, const char *name) {
  LLVMMetadataRef scope[] = {string(context, name), domain};
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, scope, 2);
  return LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &node, 1));
}

static unsigned kind(LLVMContextRef context, const char *name) {
  return LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name));
}

static scopes_t make_scopes(LLVMContextRef context) {
  LLVMMetadataRef name = string(context, "strata.copies.domain"), domain = LLVMMDNodeInContext2(context, &name, 1);
  return (scopes_t){kind(context, "alias.scope"), kind(context, "noalias"),
                    scope_list(context, domain, "strata.copies"), scope_list(context, domain, "strata.loads")};
}

static void set_apart(const scopes_t *scopes, LLVMValueRef op) {
  if (strata_gpu_is_copy(op)) {
    LLVMSetMetadata(op, scopes->alias_scope, scopes->copies);
  } else if (strata_gpu_is_shared_load(op)) {
    LLVMSetMetadata(op, scopes->alias_scope, scopes->loads);
    LLVMSetMetadata(op, scopes->noalias, scopes->copies);
  }
}

void strata_gpu_set_copies_apart(LLVMModuleRef module) {
  const scopes_t scopes = make_scopes(LLVMGetModuleContext(module));
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
        set_apart(&scopes, op);
}
