// Loops around AMD's matrix instructions stay loops: LLVM would unroll those of few iterations whole, and then have so
// much under way at once that registers do not suffice.
#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

bool strata_gpu_calls(LLVMValueRef op, const char *prefix) {
  LLVMValueRef callee = LLVMGetInstructionOpcode(op) == LLVMCall ? LLVMGetCalledValue(op) : NULL;
  size_t length = 0;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
  return length >= strlen(prefix) && memcmp(name, prefix, strlen(prefix)) == 0;
}

bool strata_gpu_is_matrix_instruction(LLVMValueRef op) {
  return strata_gpu_calls(op, "llvm.amdgcn.mfma.") || strata_gpu_calls(op, "llvm.amdgcn.wmma.");
}

// Blocks are in the order of the program: those from a branch's target to it are the loop.
static bool multiplies(LLVMBasicBlockRef first, LLVMBasicBlockRef last) {
  for (LLVMBasicBlockRef block = first;; block = LLVMGetNextBasicBlock(block)) {
    for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
      if (strata_gpu_is_matrix_instruction(op))
        return true;
    if (block == last)
      return false;
  }
}

static bool is_before(LLVMBasicBlockRef block, LLVMBasicBlockRef other) {
  while (block && block != other)
    block = LLVMGetNextBasicBlock(block);
  return block;
}

// A loop is known by a node that names itself.
static void keep(LLVMValueRef branch) {
  static const char disable[] = "llvm.loop.unroll.disable", kind[] = "llvm.loop";
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(branch));
  LLVMMetadataRef text = LLVMMDStringInContext2(context, disable, strlen(disable));
  LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
  LLVMMetadataRef node =
      LLVMMDNodeInContext2(context, (LLVMMetadataRef[]){self, LLVMMDNodeInContext2(context, &text, 1)}, 2);
  LLVMMetadataReplaceAllUsesWith(self, node);
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind)),
                  LLVMMetadataAsValue(context, node));
}

void strata_gpu_keep_loops(LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; branch && i < LLVMGetNumSuccessors(branch); i++)
      if (is_before(LLVMGetSuccessor(branch, i), block) && multiplies(LLVMGetSuccessor(branch, i), block))
        keep(branch);
  }
}
