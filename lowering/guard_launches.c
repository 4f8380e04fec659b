// guard-launches: kernels in the bodies of open loops do nothing once the loop has ended, so that all iterations can be
// enqueued before anybody knows how many there are.
//
//   func.func @k(%x: memref<...>, %n: index, %shared: memref<...>) { ... }
// becomes
//   func.func @k(%x: memref<...>, %n: index, %guard: i64, %shared: memref<...>) attributes {strata.guarded} {
//     tile.launch_wait                                     where the kernel waits for those in front itself
//     %on = <%guard is 0, or the byte at that address is not>
//     scf.if %on { ... } else { <the first thread stores the number to the word> } }
//
// The byte is the flag of the iteration, or of that of an open loop around the counted one that the kernel is in. A
// loop has its flags in its memory: the body's next condition is stored as the next iteration's, so an iteration that
// does nothing leaves the next one's as it was, 0. Kernels that are launched elsewhere as well get 0 as %guard there.
// Behind the byte, at 4 and at 8, are the number of the loop and the address of the word in which a kernel that does
// nothing says so to the host, or 0 (runtime/gpu/ends.h).
//
// Two kernels are added, which the runtime launches (runtime/gpu/enqueue.c):
//   begin_loop  makes a loop's flags: of all iterations that |limit| says, or of the first if |condition| is true
//   take_state  copies a state as it is after the last iteration to where it is wanted
//
// Preconditions: @kernels, and launch lists that call it. Nothing is done where no loop is open.
#include "lowering/guard_launches.h"

#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "lowering/kernels.h"
#include "lowering/pipeline.h"
#include "passes/affine/calls.h"

typedef struct {
  strata_compile_t *compile;
  MlirSymbolTable functions, kernels;
} guarding_t;

//===-- The runtime's kernels ------------------------------------------------------------------------------------===//

// Addresses and numbers are all words of 64 bits; an address of 0 is none.
#define KERNEL(name, parameters, body)                                                                                 \
  "func.func @" name "(" parameters ", %shared: memref<0xi8, 3>) attributes {strata.blocks = 1 : i64, "                \
  "strata.threads = 256 : i64, strata.shared = 0 : i64, strata.cluster = 1 : i64, strata.index_bits = 64 : i64} {\n"   \
  "  %zero = arith.constant 0 : i64\n  %one = arith.constant 1 : i64\n  %four = arith.constant 4 : i64\n"              \
  "  %off = arith.constant 0 : i8\n  %threads = arith.constant 256 : i64\n"                                            \
  "  %thread_index = gpu.thread_id x\n  %thread = arith.index_castui %thread_index : index to i64\n" body              \
  "  return\n}\n"

_Static_assert(STRATA_LOOP_FLAG_BYTES == 1 << 4, "flags are found by shifts by %four");

// |n|: iterations from number |first| on, which is 0 where there is a condition. |word|: where to say that loop number
// |loop| has ended. |outer|: the flag of the loop around.
static const char begin_loop[] =
    KERNEL(STRATA_BEGIN_LOOP,
           "%flags: i64, %condition: i64, %limit: i64, %first: i64, %n: i64, %word: i64, %loop: i64, %outer: i64",
           "  %true = arith.constant true\n"
           "  %has_outer = arith.cmpi ne, %outer, %zero : i64\n"
           "  %runs = scf.if %has_outer -> (i1) {\n"
           "    %p = llvm.inttoptr %outer : i64 to !llvm.ptr<1>\n    %v = llvm.load %p : !llvm.ptr<1> -> i8\n"
           "    %is = arith.cmpi ne, %v, %off : i8\n    scf.yield %is : i1\n"
           "  } else { scf.yield %true : i1 }\n"
           "  %has_condition = arith.cmpi ne, %condition, %zero : i64\n"
           "  %begins = scf.if %has_condition -> (i1) {\n"
           "    %p = llvm.inttoptr %condition : i64 to !llvm.ptr<1>\n    %v = llvm.load %p : !llvm.ptr<1> -> i8\n"
           "    %is = arith.cmpi ne, %v, %off : i8\n    scf.yield %is : i1\n"
           "  } else { scf.yield %true : i1 }\n"
           "  %has_limit = arith.cmpi ne, %limit, %zero : i64\n"
           "  %known = scf.if %has_limit -> (i64) {\n"
           "    %p = llvm.inttoptr %limit : i64 to !llvm.ptr<1>\n    %v = llvm.load %p : !llvm.ptr<1> -> i64\n"
           "    scf.yield %v : i64\n"
           "  } else { scf.yield %one : i64 }\n"
           "  %on = arith.andi %runs, %begins : i1\n"
           "  %end = arith.select %on, %known, %zero : i64\n"
           "  %from = arith.select %has_limit, %first, %zero : i64\n"
           "  %past = arith.addi %n, %one : i64\n  %name = arith.trunci %loop : i64 to i32\n"
           "  scf.for %i = %thread to %past step %threads : i64 {\n"
           "    %number = arith.addi %i, %from : i64\n    %is = arith.cmpi slt, %number, %end : i64\n"
           "    %flag = arith.extui %is : i1 to i8\n"
           "    %place = arith.shli %i, %four : i64\n    %at = arith.addi %flags, %place : i64\n"
           "    %p = llvm.inttoptr %at : i64 to !llvm.ptr<1>\n    llvm.store %flag, %p : i8, !llvm.ptr<1>\n"
           "    %behind = arith.addi %at, %four : i64\n    %q = llvm.inttoptr %behind : i64 to !llvm.ptr<1>\n"
           "    llvm.store %name, %q : i32, !llvm.ptr<1>\n"
           "    %last = arith.addi %behind, %four : i64\n    %r = llvm.inttoptr %last : i64 to !llvm.ptr<1>\n"
           "    llvm.store %word, %r : i64, !llvm.ptr<1>\n"
           "  }\n");

// After as many of |n| iterations as have their flags set the state is where the last of these wrote it: in |even| if
// that was one of even number, else in |odd|; and in |first| if there was none, but at |to| already if all ran and that
// |is_end|. |size|: its bytes; |blocks|: of the launch.
static const char take_state[] =
    KERNEL(STRATA_TAKE_STATE,
           "%to: i64, %first: i64, %even: i64, %odd: i64, %size: i64, %flags: i64, %n: i64, %is_end: i64, %blocks: i64",
           "  %bytes = arith.constant 15 : i64\n"
           "  %ran, %_ = scf.while (%low = %zero, %high = %n) : (i64, i64) -> (i64, i64) {\n"
           "    %more = arith.cmpi slt, %low, %high : i64\n    scf.condition(%more) %low, %high : i64, i64\n"
           "  } do {\n  ^bb0(%low: i64, %high: i64):\n"
           "    %sum = arith.addi %low, %high : i64\n    %middle = arith.shrui %sum, %one : i64\n"
           "    %place = arith.shli %middle, %four : i64\n    %at = arith.addi %flags, %place : i64\n"
           "    %p = llvm.inttoptr %at : i64 to !llvm.ptr<1>\n    %v = llvm.load %p : !llvm.ptr<1> -> i8\n"
           "    %is = arith.cmpi ne, %v, %off : i8\n    %behind = arith.addi %middle, %one : i64\n"
           "    %l = arith.select %is, %behind, %low : i64\n    %h = arith.select %is, %high, %middle : i64\n"
           "    scf.yield %l, %h : i64, i64\n  }\n"
           "  %bit = arith.andi %ran, %one : i64\n  %is_even = arith.cmpi ne, %bit, %zero : i64\n"
           "  %last = arith.select %is_even, %even, %odd : i64\n  %is_none = arith.cmpi eq, %ran, %zero : i64\n"
           "  %from = arith.select %is_none, %first, %last : i64\n"
           "  %is_all = arith.cmpi eq, %ran, %n : i64\n  %ends = arith.cmpi ne, %is_end, %zero : i64\n"
           "  %is_there = arith.andi %is_all, %ends : i1\n  %left = arith.select %is_there, %zero, %size : i64\n"
           "  %both = arith.ori %to, %from : i64\n  %rest = arith.andi %both, %bytes : i64\n"
           "  %is_aligned = arith.cmpi eq, %rest, %zero : i64\n  %quads = arith.shrui %left, %four : i64\n"
           "  %n_quads = arith.select %is_aligned, %quads, %zero : i64\n"
           "  %block_index = gpu.block_id x\n  %block = arith.index_castui %block_index : index to i64\n"
           "  %before = arith.muli %block, %threads : i64\n  %own = arith.addi %before, %thread : i64\n"
           "  %all = arith.muli %blocks, %threads : i64\n"
           "  scf.for %i = %own to %n_quads step %all : i64 {\n"
           "    %place = arith.shli %i, %four : i64\n"
           "    %a = arith.addi %from, %place : i64\n    %b = arith.addi %to, %place : i64\n"
           "    %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>\n    %q = llvm.inttoptr %b : i64 to !llvm.ptr<1>\n"
           "    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>\n"
           "    llvm.store %v, %q {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>\n"
           "  }\n"
           "  %done = arith.shli %n_quads, %four : i64\n  %begin = arith.addi %done, %own : i64\n"
           "  scf.for %i = %begin to %left step %all : i64 {\n"
           "    %a = arith.addi %from, %i : i64\n    %b = arith.addi %to, %i : i64\n"
           "    %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>\n    %q = llvm.inttoptr %b : i64 to !llvm.ptr<1>\n"
           "    %v = llvm.load %p : !llvm.ptr<1> -> i8\n    llvm.store %v, %q : i8, !llvm.ptr<1>\n"
           "  }\n");

// What a kernel does first; its own ops go into the last scf.if.
// The byte, the number and the word are read at once: launches that do nothing should take no time.
static const char guard[] = "func.func @guard(%guard: i64) {\n"
                            "  %zero = arith.constant 0 : i64\n  %one = arith.constant 1 : i64\n"
                            "  %true = arith.constant true\n"
                            "  %has_flag = arith.cmpi ne, %guard, %zero : i64\n"
                            "  %on, %flag, %word = scf.if %has_flag -> (i1, i64, i64) {\n"
                            "    %p = llvm.inttoptr %guard : i64 to !llvm.ptr<1>\n"
                            "    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xi64>\n"
                            "    %f = llvm.extractelement %v[%zero : i64] : vector<2xi64>\n"
                            "    %w = llvm.extractelement %v[%one : i64] : vector<2xi64>\n"
                            "    %byte = arith.trunci %f : i64 to i8\n    %off = arith.constant 0 : i8\n"
                            "    %is = arith.cmpi ne, %byte, %off : i8\n    scf.yield %is, %f, %w : i1, i64, i64\n"
                            "  } else { scf.yield %true, %zero, %zero : i1, i64, i64 }\n"
                            "  scf.if %on { } else {\n"
                            "    %t = gpu.thread_id x\n    %thread = arith.index_castui %t : index to i64\n"
                            "    %b = gpu.block_id x\n    %block = arith.index_castui %b : index to i64\n"
                            "    %both = arith.ori %thread, %block : i64\n"
                            "    %is_first = arith.cmpi eq, %both, %zero : i64\n"
                            "    %has_word = arith.cmpi ne, %word, %zero : i64\n"
                            "    %tells = arith.andi %is_first, %has_word : i1\n"
                            "    scf.if %tells {\n"
                            "      %half = arith.constant 32 : i64\n      %high = arith.shrui %flag, %half : i64\n"
                            "      %number = arith.trunci %high : i64 to i32\n"
                            "      %q = llvm.inttoptr %word : i64 to !llvm.ptr<1>\n"
                            "      llvm.store volatile %number, %q : i32, !llvm.ptr<1>\n"
                            "    }\n  }\n  return\n}\n";

static strata_status_t parse(strata_compile_t *compile, const char *text, MlirOperation *out) {
  mlirContextGetOrLoadDialect(compile->context, strata_str("gpu"));
  mlirContextGetOrLoadDialect(compile->context, strata_str("llvm"));
  *out = mlirOperationCreateParse(compile->context, strata_str(text), strata_str("guard-launches"));
  return mlirOperationIsNull(*out) ? strata_compile_take_diagnostics(compile, "guard-launches: ops that are none")
                                   : NULL;
}

//===-- Guards ---------------------------------------------------------------------------------------------------===//

static void move_ops(MlirBlock from, MlirBlock to, MlirOperation before) {
  for (MlirOperation op = mlirBlockGetFirstOperation(from), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (strata_op_is(op, "func.return"))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(to, before, op);
  }
}

static MlirOperation last_but_one(MlirBlock block) {
  MlirOperation last = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !strata_op_is(op, "func.return");
       op = mlirOperationGetNextInBlock(op))
    last = op;
  return last;
}

static MlirWalkResult find_wait(MlirOperation op, void *user) {
  *(bool *)user |= strata_op_is(op, STRATA_TILE_LAUNCH_WAIT);
  return MlirWalkResultAdvance;
}

// |func|, in @kernels, is what it was, in one branch.
static strata_status_t guard_kernel(strata_compile_t *compile, MlirOperation func) {
  MlirLocation location = mlirOperationGetLocation(func);
  MlirBlock entry = strata_func_body(func);
  MlirOperation frame;
  bool waits = false;
  mlirOperationWalk(func, find_wait, &waits, MlirWalkPreOrder);
  STRATA_TRY(parse(compile, guard, &frame));
  MlirBlock around = strata_func_body(frame);
  MlirBlock inside = mlirRegionGetFirstBlock(mlirOperationGetRegion(last_but_one(around), 0));
  move_ops(entry, inside, mlirBlockGetFirstOperation(inside));
  MlirValue address = mlirBlockInsertArgument(entry, mlirBlockGetNumArguments(entry) - 1,
                                              mlirIntegerTypeGet(compile->context, 64), location);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(around, 0), address);
  MlirOperation end = mlirBlockGetFirstOperation(entry);
  if (waits)
    mlirBlockInsertOwnedOperationBefore(
        entry, end, strata_op_create(location, STRATA_TILE_LAUNCH_WAIT, 0, NULL, 0, NULL, 0, NULL, 0, NULL));
  move_ops(around, entry, end);
  mlirOperationDestroy(frame);
  strata_update_function_type(compile->arena, func);
  strata_set_attr(func, STRATA_GUARDED, mlirUnitAttrGet(compile->context));
  return NULL;
}

static strata_status_t add_kernel(strata_compile_t *compile, MlirModule kernels, const char *name, const char *text,
                                  bool is_guarded) {
  static const char *const shape[] = {"strata.blocks", "strata.threads", "strata.shared", "strata.cluster",
                                      STRATA_GUARDED};
  MlirOperation kernel, declaration;
  STRATA_TRY(parse(compile, text, &kernel));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(kernels), kernel);
  if (is_guarded)
    STRATA_TRY(guard_kernel(compile, kernel));
  STRATA_TRY(parse(compile, strata_arena_printf(compile->arena, "func.func private @%s()", name), &declaration));
  for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
    strata_copy_attr(kernel, declaration, shape[i]);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(compile->module), declaration);
  return NULL;
}

// |declaration|: of a kernel, or one of its variants.
static strata_status_t guard_one(guarding_t *g, MlirOperation declaration) {
  if (strata_attr_flag(declaration, STRATA_GUARDED))
    return NULL;
  strata_set_attr(declaration, STRATA_GUARDED, mlirUnitAttrGet(g->compile->context));
  return guard_kernel(g->compile, mlirSymbolTableLookup(g->kernels, strata_attr_str(declaration, "sym_name")));
}

static strata_status_t guard_variants(guarding_t *g, MlirOperation declaration) {
  MlirOperation variants[STRATA_MAX_VARIANTS];
  int n = strata_variants_of(declaration, variants);
  STRATA_TRY(guard_one(g, declaration));
  for (int i = 0; i < n; i++)
    STRATA_TRY(guard_one(g, variants[i]));
  return NULL;
}

// What the function calls: kernels if it |is_guarded|, and loops, whose bodies are guarded then, or if they are open.
static strata_status_t guard_calls(guarding_t *g, MlirOperation func, bool is_guarded) {
  strata_operations_t calls = strata_calls_of(g->compile->arena, func);
  for (size_t i = 0; i < calls.count; i++) {
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(strata_attr(calls.data[i], "callee"));
    MlirOperation declaration = mlirSymbolTableLookup(g->functions, callee);
    if (strata_op_is_loop(declaration)) {
      strata_counted_loop_t loop = strata_counted_loop_read(declaration);
      STRATA_TRY(guard_calls(g, mlirSymbolTableLookup(g->functions, loop.body),
                             is_guarded || strata_counted_loop_is_open(&loop)));
    } else if (is_guarded) {
      STRATA_TRY(guard_variants(g, declaration));
    }
  }
  return NULL;
}

static bool has_open_loop(strata_compile_t *compile) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    strata_counted_loop_t loop;
    if (strata_op_is_loop(op) && (loop = strata_counted_loop_read(op), strata_counted_loop_is_open(&loop)))
      return true;
  }
  return false;
}

strata_status_t strata_pass_guard_launches(strata_compile_t *compile) {
  MlirOperation main = strata_find_func(compile->module, "main");
  if (mlirOperationIsNull(main) || !has_open_loop(compile))
    return NULL;
  MlirModule kernels = strata_kernels_create(compile);
  guarding_t g = {.compile = compile,
                  .functions = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module)),
                  .kernels = mlirSymbolTableCreate(mlirModuleGetOperation(kernels))};
  strata_status_t status = guard_calls(&g, main, false);
  mlirSymbolTableDestroy(g.kernels);
  mlirSymbolTableDestroy(g.functions);
  if (!status)
    status = add_kernel(compile, kernels, STRATA_BEGIN_LOOP, begin_loop, false);
  return status ? status : add_kernel(compile, kernels, STRATA_TAKE_STATE, take_state, true);
}
