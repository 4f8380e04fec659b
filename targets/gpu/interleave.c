// Memory's instructions between matrix instructions. LLVM's scheduler goes by registers and latencies that it knows
// badly: it has loads wait just in front of their uses, or all reads of shared memory in front of all products. In a
// loop of one block around matrix instructions it is told to keep the order in which the block has its accesses, and to
// have as many products behind each as behind any other:
//
//   call void @llvm.amdgcn.sched.group.barrier(i32 256, i32 1, i32 0)   ; a read of shared memory,
//   call void @llvm.amdgcn.sched.group.barrier(i32 8, i32 2, i32 0)     ; two products, ...
//
// Such calls are about the instructions above them: they lie at the end of the block.
#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <string.h>

// Kinds of instructions, as the call names them.
typedef enum { NONE = 0, PRODUCT = 0x8, LOAD = 0x20, READ = 0x100, WRITE = 0x200 } kind_t;

enum { GLOBAL_SPACE = 1, SHARED_SPACE = 3, WIDEST = 16 }; // WIDEST: bytes that one instruction moves a lane

static unsigned space_of(LLVMValueRef pointer) { return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)); }

static kind_t kind_of(LLVMValueRef op) {
  if (strata_gpu_is_shared_load(op))
    return READ;
  switch (LLVMGetInstructionOpcode(op)) {
  case LLVMLoad:
    return space_of(LLVMGetOperand(op, 0)) == GLOBAL_SPACE ? LOAD : NONE;
  case LLVMStore:
    return space_of(LLVMGetOperand(op, 1)) == SHARED_SPACE ? WRITE : NONE;
  default:
    return strata_gpu_is_matrix_instruction(op) ? PRODUCT : strata_gpu_is_copy(op) ? LOAD : NONE;
  }
}

// Instructions that a product, load or store becomes.
static unsigned count_of(LLVMTargetDataRef layout, LLVMValueRef op, kind_t kind) {
  LLVMTypeRef type = LLVMTypeOf(kind == WRITE ? LLVMGetOperand(op, 0) : op);
  return kind == PRODUCT || LLVMGetInstructionOpcode(op) == LLVMCall
             ? 1
             : (unsigned)((LLVMABISizeOfType(layout, type) + WIDEST - 1) / WIDEST);
}

static bool is_loop(LLVMBasicBlockRef block) {
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(branch); i++)
    if (LLVMGetSuccessor(branch, i) == block)
      return true;
  return false;
}

typedef struct {
  LLVMBuilderRef builder;
  LLVMValueRef callee;
  LLVMTypeRef i32;
} calls_t;

static void group(const calls_t *c, kind_t kind, unsigned count) {
  LLVMValueRef arguments[] = {LLVMConstInt(c->i32, kind, false), LLVMConstInt(c->i32, count, false),
                              LLVMConstInt(c->i32, 0, false)};
  if (count > 0)
    LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(c->callee), c->callee, arguments, 3, "");
}

static void interleave(const calls_t *c, LLVMTargetDataRef layout, LLVMBasicBlockRef block) {
  unsigned products = 0, accesses = 0, done = 0, passed = 0;
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
  for (LLVMValueRef op = LLVMGetFirstInstruction(block); op != branch; op = LLVMGetNextInstruction(op)) {
    kind_t kind = kind_of(op);
    if (kind != NONE)
      *(kind == PRODUCT ? &products : &accesses) += count_of(layout, op, kind);
  }
  if (products == 0)
    return;
  LLVMPositionBuilderBefore(c->builder, branch);
  for (LLVMValueRef op = LLVMGetFirstInstruction(block); op != branch; op = LLVMGetNextInstruction(op)) {
    kind_t kind = kind_of(op);
    if (kind == NONE || kind == PRODUCT)
      continue;
    for (unsigned n = count_of(layout, op, kind); n > 0; n--) {
      unsigned due = ++passed * products / accesses;
      group(c, kind, 1);
      group(c, PRODUCT, due - done);
      done = due;
    }
  }
}

static const char name[] = "llvm.amdgcn.sched.group.barrier";

void strata_gpu_interleave(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  calls_t c = {.builder = LLVMCreateBuilderInContext(context), .i32 = LLVMInt32TypeInContext(context)};
  c.callee = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
      if (is_loop(block))
        interleave(&c, layout, block);
  LLVMDisposeBuilder(c.builder);
}

bool strata_gpu_drop_order(LLVMValueRef function) {
  bool has_order = false;
  LLVMValueRef callee = LLVMGetNamedFunction(LLVMGetGlobalParent(function), name);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef op = LLVMGetFirstInstruction(block), next; op; op = next) {
      next = LLVMGetNextInstruction(op);
      if (!callee || LLVMGetInstructionOpcode(op) != LLVMCall || LLVMGetCalledValue(op) != callee)
        continue;
      LLVMInstructionEraseFromParent(op);
      has_order = true;
    }
  return has_order;
}
