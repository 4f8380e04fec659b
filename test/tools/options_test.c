// The option parser: values, spellings, environment, and an error for everything else.
#include "tools/options.h"

#include "passes/tuning/tuning.h"

#include "test/support/check.h"

static strata_arena_t *arena;
static strata_options_t options;

// Parses a command line written with blanks, and an environment of one variable; the error's text, "" without one.
static const char *parse_with(const char *environment, const char *line) {
  const char *argv[32] = {"strata"};
  int argc = 1;
  char *text = strata_arena_strdup(arena, line);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  const char *variables[] = {environment, NULL};
  strata_status_t status = strata_options_parse(arena, argc, argv, variables, &options);
  const char *message = strata_arena_strdup(arena, strata_status_message(status));
  strata_status_free(status);
  return message;
}
static const char *parse(const char *line) { return parse_with(NULL, line); }

static void test_values(void) {
  CHECK_STR(parse("m.onnx"), "");
  CHECK_STR(options.input_path, "m.onnx");
  CHECK_STR(options.aot_name, "strata_mlir_artifact");
  CHECK(!options.aot && options.one_time_load && options.num_iters == 1 && options.opt_level == 3);
  CHECK(options.compile_to == STRATA_PHASE_LIBRARY && options.weights == STRATA_WEIGHTS_EMBED);

  CHECK_STR(parse("--aot m.onnx --aot-name=net -o out --weights file --opt-level=1"), "");
  CHECK(options.aot && options.weights == STRATA_WEIGHTS_FILE && options.opt_level == 1);
  CHECK_STR(options.aot_name, "net");
  CHECK_STR(options.output, "out");

  CHECK_STR(parse("m --dim N=3 --dim=M=4 --bind-constant k=k.npy"), "");
  strata_import_options_t import = strata_options_for_import(arena, &options);
  CHECK(import.n_dims == 2 && import.dims[1].min == 4 && import.n_constants == 1);
  CHECK_STR(import.dims[0].name, "N");
  CHECK_STR(import.constants[0].text, "k.npy");
}

static void test_choices_follow_their_enums(void) {
  CHECK_STR(parse("m --mm-conv-precision-mode=mixed_int8_int32 --dump-after=all --compile-to=graph"), "");
  CHECK(options.precision == STRATA_PRECISION_MIXED_INT8_INT32 && options.compile_to == STRATA_PHASE_GRAPH);
  CHECK(options.dump_after == STRATA_PHASE_COUNT + 1);
  CHECK_STR(parse("m --target=nvgpu --autotune=export dir"), "");
  CHECK(options.autotune == STRATA_AUTOTUNE_EXPORT);
  CHECK_STR(options.output, "dir");
  CHECK_STR(parse("m --target=nvgpu --autotune=require"), "");
  CHECK(options.autotune == STRATA_AUTOTUNE_REQUIRE);
  CHECK_STR(parse("m --target=nvgpu --load-autotune-results-from=f"), "");
  CHECK(options.autotune == STRATA_AUTOTUNE_READ);
  CHECK_STR(parse("m --target=nvgpu --load-autotune-results-from=f --autotune=off"), "");
  CHECK(options.autotune == STRATA_AUTOTUNE_OFF);
  CHECK_STR(parse("m --target=nvgpu --autotune-cache-dir=d --xla-gpu-experimental-autotune-cache-mode=update"), "");
  CHECK(options.autotune == STRATA_AUTOTUNE_UPDATE);
  CHECK_STR(parse("m --mm-conv-precision-mode=tf32 --debug-info=full --weights=argument"), "");
  CHECK(options.precision == STRATA_PRECISION_TF32 && options.debug_info == STRATA_DEBUG_INFO_FULL);
  CHECK(options.weights == STRATA_WEIGHTS_ARGUMENT);
}

static void test_spellings(void) {
  CHECK_STR(parse("-O0 -j4 m -oout --aot"), "");
  CHECK(options.opt_level == 0 && options.jobs == 4);
  CHECK_STR(parse("m -on-gpu-tensors --target=nvgpu --polyblocks_disable_affine_fusion --no-device-one-time-load"), "");
  CHECK(options.on_gpu_tensors && options.no_fusion && !options.one_time_load);
  CHECK_STR(parse("m --disable-fast-math=on --aot=off"), "");
  CHECK(options.no_fast_math && !options.aot);
  CHECK_STR(parse("-- --odd-name"), "");
  CHECK_STR(options.input_path, "--odd-name");
}

static void test_environment(void) {
  CHECK_STR(parse_with("STRATA_OPT_LEVEL=1", "m"), "");
  CHECK(options.opt_level == 1);
  CHECK_STR(parse_with("STRATA_OPT_LEVEL=1", "m --opt-level=2"), "");
  CHECK(options.opt_level == 2);
  CHECK_STR(parse_with("STRATA_DIM=N=1,M=2", "m --dim K=3"), "");
  CHECK(options.dim.count == 3);
  CHECK_STR(parse_with("STRATA_NUM_THREADS=4", "m"), "");
  CHECK_STR(parse_with("STRATA_OPT_LEVEL=9", "m"), "STRATA_OPT_LEVEL: expected 0..3, got '9'");
}

static void test_description_repeats_what_shapes_the_library(void) {
  CHECK_STR(parse("m --aot -o out --dim N=2 --opt-level=2 --disable-fast-math --explain --dim=M=3"), "");
  CHECK_STR(strata_options_for_library(arena, &options).command_line,
            "--dim=N=2 --dim=M=3 --mlir-disable-fast-math=on --opt-level=2 --aot=on");
  CHECK_STR(parse("m --alias=y=x"), "");
  CHECK_STR(strata_options_for_compile(arena, &options).aliases[0].input, "x");
  CHECK_STR(parse("m --alias=y.*=x.*"), "");
  CHECK_STR(parse("m --alias=y.*=x"), "--alias y.*=x: expected one '*' on each side or none");
  CHECK_STR(parse("m --alias=y.*.*=x.*.*"), "--alias y.*.*=x.*.*: expected one '*' on each side or none");
}

// On the command line an option that does nothing is an error; in the environment it is left aside.
static void test_without_effect(void) {
  CHECK_STR(parse("m --aot --input=x.npy"),
            "--input: with --aot or --compile-to nothing is run; strata-run runs an emitted library");
  CHECK_STR(parse("m --compile-to=graph --num-iters=3"),
            "--num-iters: with --aot or --compile-to nothing is run; strata-run runs an emitted library");
  CHECK_STR(parse("m -o out"),
            "-o: expected --aot or --compile-to as well: without them the model is run and no file is kept");
  CHECK_STR(parse("m --aot --compile-to=graph"), "--aot: with --compile-to no library is made");
  CHECK_STR(parse("m --aot=off --compile-to=graph"), "");
  CHECK_STR(parse("m --resource-usage --compile-to=affine"), "--resource-usage: with --compile-to no library is made");
  CHECK_STR(parse("m --no-device-one-time-load --user-device-memory"),
            "--no-device-one-time-load: expected no --user-device-memory, whose caller loads the library by hand");
  CHECK_STR(parse("m --fuse-norms"), "--fuse-norms: expected a GPU target, got cpu");
  CHECK_STR(parse("m --target=nvgpu --threads=2"), "--threads: expected --target=cpu, got a GPU");
  CHECK_STR(parse("m --compile-to=graph --dump-after=tile"),
            "--dump-after=tile: the compile ends before, at --compile-to=graph");
  CHECK_STR(parse("m --target=nvgpu --dump-after=cpu"), "--dump-after=cpu: no phase of this target");
  CHECK_STR(parse("m --compile-to=graph --dump-after=all"), "");
  CHECK_STR(parse("--help --on-gpu-tensors"), "");

  CHECK_STR(parse_with("STRATA_INPUT=x.npy", "m --aot"), "");
  CHECK(options.input.count == 0);
  CHECK_STR(parse_with("STRATA_NUM_ITERS=7", "m --aot"), "");
  CHECK(options.num_iters == 1);
  CHECK_STR(parse_with("STRATA_SCHEDULE=f", "m"), "");
  CHECK(!options.schedule);
  CHECK_STR(parse_with("STRATA_OUTPUT_DIR=d", "m"), "");
  CHECK(!options.output);
}

static const char *warnings_of(const char *variable) {
  CHECK_STR(parse_with(variable, "m"), "");
  return options.warnings ? options.warnings : "";
}

static void test_unknown_variables(void) {
  CHECK_STR(warnings_of("STRATA_OPT_LEVL=1"), "STRATA_OPT_LEVL: no such variable; did you mean 'STRATA_OPT_LEVEL'?");
  CHECK_STR(warnings_of("STRATA_NUM_THREAD=1"),
            "STRATA_NUM_THREAD: no such variable; did you mean 'STRATA_NUM_THREADS'?");
  CHECK_STR(warnings_of("STRATA_FROBNICATE=1"), "STRATA_FROBNICATE: no such variable");
  CHECK_STR(warnings_of("STRATA_NUM_THREADS=1"), "");
  CHECK_STR(warnings_of("STRATA_TRACE=1"), "");
  CHECK_STR(warnings_of("STRATA_TEST_DRIVER_LOG=f"), "");
  CHECK_STR(warnings_of("STRATAGEM=1"), "");
}

static void test_near_misses(void) {
  CHECK_STR(parse("m --wieghts=file"), "--wieghts: unknown option; did you mean '--weights'?");
  CHECK_STR(parse("m -disable-fastmath"), "-disable-fastmath: unknown option; did you mean '--disable-fast-math'?");
  CHECK_STR(parse("m --dump"), "--dump: unknown option; did you mean '--dump-after'?");
  CHECK_STR(parse("m --weights=fiel"), "--weights: expected embed|file|argument|set, got 'fiel'; did you mean 'file'?");
  CHECK_STR(parse("m --plot=x.png"), "--plot: expected FILE.svg|FILE.dot, got 'x.png'");
  CHECK_STR(parse("m --plot=.svg"), "--plot: expected FILE.svg|FILE.dot, got '.svg'");
  CHECK_STR(parse("m --plot=x.svg --plot=y.dot"), "");
}

static void test_errors(void) {
  CHECK_STR(parse(""), "expected an input file; --help lists the options");
  CHECK_STR(parse("a b"), "b: expected one input, got a before");
  CHECK_STR(parse("m --frobnicate=3"), "--frobnicate: unknown option; --help lists them");
  CHECK_STR(parse("m --opt-level=-1"), "--opt-level: expected 0..3, got '-1'");
  CHECK_STR(parse("m --num-iters=0"), "--num-iters: expected 1.., got '0'");
  CHECK_STR(parse("m --num-iters=99999999999999999999"), "--num-iters: expected 1.., got '99999999999999999999'");
  CHECK_STR(parse("m --jobs=3x"), "--jobs: expected 0..1024, got '3x'");
  CHECK_STR(parse("m --weights=some"), "--weights: expected embed|file|argument|set, got 'some'");
  CHECK_STR(parse("m --aot=maybe"), "--aot: expected on or off, got 'maybe'");
  CHECK_STR(parse("m --dim N"), "--dim: expected NAME=N, got 'N'");
  CHECK_STR(parse("m --dim N=-3"), "--dim N=-3: expected a size, 0 or more, or a range as in 1..512");
  CHECK_STR(parse("m --device"), "--device: expected a value: NAME");
  CHECK_STR(parse("m --alignment=24"), "--alignment: expected a power of two, got 24");
  CHECK_STR(parse("m --aot --aot-name=3d"), "--aot-name: expected a C identifier, got '3d'");
  CHECK_STR(parse("m --target=npu"), "--target: expected cpu|nvgpu|amdgpu, got 'npu'; did you mean 'cpu'?");
  CHECK_STR(parse("m --weights=set"), "--weights=set: expected a GPU target, got cpu");
  CHECK_STR(parse("m --torch-polyblocks-select-graphs=1,graph_0"), "");
  CHECK_STR(parse("m --torch-polyblocks-filter-graphs=1,graph_01"), "");
  CHECK_STR(
      parse("m --torch-polyblocks-select-graphs=1"),
      "--torch-polyblocks-select-graphs=1: a model file is one graph, 0, which is not among them: nothing is left "
      "to compile");
  CHECK_STR(
      parse("m --torch-polyblocks-filter-graphs=2,0"),
      "--torch-polyblocks-filter-graphs=2,0: a model file is one graph, 0: nothing is left to compile, and PyTorch "
      "is not here to run it");
  CHECK_STR(parse("m --schedule=f"), "--schedule: expected a GPU target, got cpu");
  CHECK_STR(parse("m --on-gpu-tensors"), "--on-gpu-tensors: expected a GPU target, got cpu");
  CHECK_STR(parse("m --load-autotune-results-from=f"), "");
  CHECK(options.autotune == STRATA_AUTOTUNE_READ);
  CHECK_STR(parse("m --x --opt-level=7"),
            "--x: unknown option; --help lists them\n--opt-level: expected 0..3, got '7'");
}

int main(void) {
  arena = strata_arena_create();
  test_values();
  test_choices_follow_their_enums();
  test_spellings();
  test_environment();
  test_description_repeats_what_shapes_the_library();
  test_without_effect();
  test_unknown_variables();
  test_near_misses();
  test_errors();
  strata_arena_destroy(arena);
  return check_result();
}
