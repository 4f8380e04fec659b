// Textual pipelines: "strata-cse,canonicalize{max-iterations=1},func.func(cse)".
//
// pipeline := element (',' element)*       element := name options? nested?
// options  := '{' balanced text '}'        nested  := '(' pipeline ')'
//
// Our passes are direct calls on the compile. MLIR cannot be told of passes written in C, so its own elements are
// gathered while they follow each other and handed over as the slice of text they stand in, to one pass manager.
#include "passes/pass.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "runtime/base/nearest.h"

#include <ctype.h>
#include <mlir-c/Pass.h>

typedef struct {
  strata_compile_t *compile;
  size_t n_tables;
  const strata_pass_table_t *const *tables;
  const char *upstream; // start of the MLIR elements gathered and not yet run; NULL: none
  size_t upstream_length;
} runner_t;

typedef struct {
  MlirStringRef name;
  MlirStringRef nested; // between the parentheses
  bool has_options, has_nested;
  const char *end;
} element_t;

static const strata_pass_t *find_pass(const runner_t *runner, MlirStringRef name) {
  for (size_t t = 0; t < runner->n_tables; t++)
    for (size_t i = 0; i < runner->tables[t]->count; i++)
      if (strata_str_equal(name, runner->tables[t]->passes[i].name))
        return &runner->tables[t]->passes[i];
  return NULL;
}

static strata_status_t verify_after(strata_compile_t *compile, const char *pass) {
  if (!compile->options->verify_each)
    return NULL;
  strata_status_t status = strata_compile_verify(compile);
  if (!status)
    status = strata_verify(compile);
  return strata_status_context(status, "after %s", pass);
}

//===-- MLIR's passes --------------------------------------------------------------------------------------------===//

typedef struct {
  strata_arena_t *arena;
  const char *text;
} message_t;

static void append_message(MlirStringRef part, void *user) {
  message_t *message = user;
  message->text = strata_arena_printf(message->arena, "%s%.*s", message->text, (int)part.length, part.data);
}

// MLIR says "source:line:column: error: what" and then shows the pipeline again: the first "what" is enough.
// A name that it does not know may be near one of ours.
static strata_status_t pipeline_error(const runner_t *runner, const message_t *message) {
  strata_arena_t *arena = message->arena;
  const char *what = strstr(message->text, "error: ");
  what = what ? what + strlen("error: ") : message->text;
  size_t length = *what == '\'' ? strcspn(what + 1, "'") : 0;
  strata_nearest_t nearest = strata_nearest(strata_arena_printf(arena, "%.*s", (int)length, what + (length > 0)));
  for (size_t t = 0; t < runner->n_tables; t++)
    for (size_t i = 0; i < runner->tables[t]->count; i++)
      strata_nearest_try(&nearest, runner->tables[t]->passes[i].name, strlen(runner->tables[t]->passes[i].name));
  return strata_error(STRATA_INVALID_ARGUMENT, "pipeline: %.*s%s", (int)strcspn(what, "\n"), what,
                      strata_nearest_hint(arena, &nearest));
}

static strata_status_t run_upstream(runner_t *runner) {
  if (!runner->upstream)
    return NULL;
  strata_compile_t *compile = runner->compile;
  MlirStringRef text = mlirStringRefCreate(runner->upstream, runner->upstream_length);
  runner->upstream = NULL;

  MlirPassManager manager = mlirPassManagerCreate(compile->context);
  mlirPassManagerEnableVerifier(manager, compile->options->verify_each);
  message_t message = {compile->arena, ""};
  strata_status_t status = NULL;
  if (mlirLogicalResultIsFailure(
          mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(manager), text, append_message, &message)))
    status = pipeline_error(runner, &message);
  else if (mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(compile->module))))
    status = strata_compile_take_diagnostics(
        compile, strata_arena_printf(compile->arena, "%.*s failed", (int)text.length, text.data));
  mlirPassManagerDestroy(manager);
  return status;
}

//===-- Parsing --------------------------------------------------------------------------------------------------===//

static const char *skip_space(const char *text) {
  while (isspace((unsigned char)*text))
    text++;
  return text;
}

// The character after the bracket that closes the one at |text|; NULL if there is none. Quotes hide brackets.
static const char *skip_balanced(const char *text) {
  int depth = 0;
  for (char quote = 0; *text; text++) {
    if (quote) {
      quote = *text == quote ? 0 : quote;
    } else if (*text == '"' || *text == '\'') {
      quote = *text;
    } else if (strchr("({[", *text)) {
      depth++;
    } else if (strchr(")}]", *text) && --depth == 0) {
      return text + 1;
    }
  }
  return NULL;
}

static bool is_name_char(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.'; }

static strata_status_t parse_element(const char *text, element_t *out_element) {
  *out_element = (element_t){.end = text};
  while (is_name_char(*out_element->end))
    out_element->end++;
  out_element->name = mlirStringRefCreate(text, (size_t)(out_element->end - text));
  if (out_element->name.length == 0)
    return strata_error(STRATA_INVALID_ARGUMENT, "pipeline: expected a pass name at '%.40s'", text);
  for (const char *end = out_element->end; *end == '{' || *end == '('; end = out_element->end) {
    out_element->end = skip_balanced(end);
    if (!out_element->end)
      return strata_error(STRATA_INVALID_ARGUMENT, "pipeline: unclosed '%c' after %.*s", *end,
                          (int)out_element->name.length, text);
    if (*end == '(') {
      out_element->has_nested = true;
      out_element->nested = mlirStringRefCreate(end + 1, (size_t)(out_element->end - end) - 2);
    } else {
      out_element->has_options = true;
    }
  }
  return NULL;
}

//===-- Running --------------------------------------------------------------------------------------------------===//

// True of a pass that a module with sizes that vary goes past.
static bool is_static_only(const char *pass) {
  static const char *const names[] = {
#define STATIC_ONLY(name) name,
#include "passes/static_only.def"
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], pass) == 0)
      return true;
  return false;
}

static strata_status_t run_own(runner_t *runner, const strata_pass_t *pass, const element_t *element) {
  if (element->has_options || element->has_nested)
    return strata_error(STRATA_INVALID_ARGUMENT, "pipeline: %s takes no options", pass->name);
  STRATA_TRY(run_upstream(runner));
  if (is_static_only(pass->name) && strata_module_is_symbolic(runner->compile->module))
    return NULL;
  runner->compile->rest = element->name.data;
  STRATA_TRY(strata_status_context(pass->run(runner->compile), "%s", pass->name));
  return verify_after(runner->compile, pass->name);
}

static void gather_upstream(runner_t *runner, const element_t *element) {
  if (!runner->upstream)
    runner->upstream = element->name.data;
  runner->upstream_length = (size_t)(element->end - runner->upstream);
}

static strata_status_t run_elements(runner_t *runner, const char *text, const char *end) {
  for (text = skip_space(text); text < end; text = skip_space(text)) {
    element_t element;
    STRATA_TRY(parse_element(text, &element));
    const strata_pass_t *pass = find_pass(runner, element.name);
    if (pass)
      STRATA_TRY(run_own(runner, pass, &element));
    else
      gather_upstream(runner, &element);
    text = skip_space(element.end);
    if (text < end && *text++ != ',')
      return strata_error(STRATA_INVALID_ARGUMENT, "pipeline: expected ',' at '%.40s'", text - 1);
  }
  return run_upstream(runner);
}

strata_status_t strata_pipeline_run(strata_compile_t *compile, const char *pipeline, size_t n_tables,
                                    const strata_pass_table_t *const *tables) {
  runner_t runner = {.compile = compile, .n_tables = n_tables, .tables = tables};
  const char *text = skip_space(pipeline), *end = pipeline + strlen(pipeline);
  // The outermost builtin.module is the module we have; an inner one is MLIR's and means nested modules.
  if (strncmp(text, "builtin.module(", strlen("builtin.module(")) == 0) {
    element_t element;
    STRATA_TRY(parse_element(text, &element));
    if (*skip_space(element.end) == '\0') {
      text = element.nested.data;
      end = text + element.nested.length;
    }
  }
  return run_elements(&runner, text, end);
}
