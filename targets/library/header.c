// <name>.h, self-contained C11 and C++, and <name>.pc.
#include "dialects/counted_loop.h"
#include "runtime/embedded.h"
#include "targets/library/emit.h"

#include <string.h>

// What every library's header defines alike. Macros may be defined twice if they are equal, and typedefs too, so
// headers of several libraries, also of different versions, go together.
static void print_common(FILE *file) {
  fputs("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
        "/* Elements that C has no type for, as their bits. bool is one byte, 0 or 1. */\n"
        "typedef uint16_t strata_f16_t;\ntypedef uint16_t strata_bf16_t;\n"
        "typedef uint8_t strata_e4m3_t;\ntypedef uint8_t strata_e5m2_t;\n"
        "typedef uint8_t strata_e4m3fnuz_t;\ntypedef uint8_t strata_e5m2fnuz_t;\n\n"
        "/* What a call returns; STRATA_OK is success. */\n#define STRATA_OK 0\n",
        file);
  static const char *const codes[] = {
#define STATUS(id, text) #id,
#include "runtime/base/status.def"
  };
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    fprintf(file, "#define STRATA_%s %zu\n", codes[i], i + 1);
  fputs("\n/* The element types of the description. */\n", file);
#define DTYPE(id, value, ...) fputs("#define STRATA_DTYPE_" #id " " #value "\n", file);
#include "runtime/base/dtypes.def"
  strata_embedded_file_t description = strata_embedded_header();
  fprintf(file, "\n%.*s\n", (int)description.size, description.data);
}

// Characters that change how what is around them is shown, or that nobody sees: controls, marks of direction and width.
static bool is_invisible(uint32_t c) {
  static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},          {0x34f, 0x34f},
                                       {0x61c, 0x61c},   {0x115f, 0x1160},   {0x17b4, 0x17b5},      {0x180b, 0x180f},
                                       {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},      {0x3164, 0x3164},
                                       {0xd800, 0xdfff}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},      {0xffa0, 0xffa0},
                                       {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}, {0x110000, UINT32_MAX}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (c >= ranges[i][0] && c <= ranges[i][1])
      return true;
  return false;
}

// The bytes of the UTF-8 character at |text|; 0 if there is none.
static int decode(const char *text, uint32_t *out_character) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = (unsigned char)*text;
  int length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
  uint32_t character = length == 1 ? first : first & (0xffu >> (length + 1));
  if (first >= 0xf8)
    return 0;
  for (int i = 1; i < length; i++) {
    if (((unsigned char)text[i] & 0xc0) != 0x80)
      return 0;
    character = character << 6 | ((unsigned char)text[i] & 0x3f);
  }
  *out_character = character;
  return character >= least[length] ? length : 0;
}

// Whether |c| behind |before| would begin or end a comment, or be read as another character.
static bool is_special(char before, char c) {
  return c == '\\' || (before == '*' && c == '/') || (before == '/' && c == '*') || (before == '?' && c == '?');
}

// Text of the model, for a comment of one line.
static void print_plain(FILE *file, const char *text) {
  char before = 0;
  for (const char *c = text; *c;) {
    uint32_t character = 0;
    int length = decode(c, &character);
    if (length == 0 || is_invisible(character) || is_special(before, *c)) {
      fprintf(file, "_");
      before = '_';
    } else {
      fwrite(c, 1, (size_t)length, file);
      before = *c;
    }
    c += length ? length : 1;
  }
}

// A name of the model, where the C name differs from it.
static void print_model_name(FILE *file, const char *name, const char *c_name) {
  if (strcmp(name, c_name) == 0)
    return;
  fputs(" ('", file);
  print_plain(file, name);
  fputs("' in the model)", file);
}

static void print_note(FILE *file, const char *note) {
  if (!note)
    return;
  fputs(": ", file);
  print_plain(file, note);
}

// What is in front of the sizes of an output that depend on data.
static void print_true_sizes(FILE *file, const strata_program_t *program, const strata_program_tensor_t *tensor) {
  if (tensor->true_sizes >= 0)
    fprintf(file, ": at most; its sizes are in %s",
            program->tensors[program->n_inputs + (size_t)tensor->true_sizes].c_name);
}

static void print_shape(FILE *file, const strata_program_tensor_t *tensor) {
  fprintf(file, "%s: %s [", tensor->c_name, strata_dtype_info[tensor->dtype].name);
  print_plain(file, tensor->shape_text);
  fputs("]", file);
}

// A size: what is taken, and what the library is to be fastest at.
static void print_dim(FILE *file, const strata_symbol_t *symbol, const char *c_name) {
  fprintf(file, "%s: %lld to %lld", c_name, (long long)symbol->min, (long long)symbol->max);
  if (symbol->multiple > 1)
    fprintf(file, ", a multiple of %lld", (long long)symbol->multiple);
  for (int i = 0; i < symbol->n_likely; i++)
    fprintf(file, "%s%lld", i ? ", " : ", likely ", (long long)symbol->likely[i]);
  print_model_name(file, symbol->name, c_name);
}

// The struct that a stream is to the driver; NULL on the cpu.
static const char *stream_type(const strata_program_t *program) {
  switch (program->compile->options->target) {
  case STRATA_TARGET_CPU:
    return NULL;
  case STRATA_TARGET_NVGPU:
    return "struct CUstream_st";
  case STRATA_TARGET_AMDGPU:
    return "struct ihipStream_t";
  }
  return NULL;
}

// What the function takes behind tensors and sizes.
static void print_memory_parameters(const strata_program_t *program, bool has_others, FILE *file) {
  if (program->options->user_memory && program->gpu)
    fprintf(file, "%svoid *device_memory, %s *stream", has_others ? ", " : "", stream_type(program));
  else if (program->options->user_memory)
    fprintf(file, "%svoid *workspace", has_others ? ", " : "");
  else if (!has_others)
    fputs("void", file);
}

static void print_function(const strata_program_t *program, FILE *file) {
  const strata_library_options_t *options = program->options;
  size_t n = program->n_inputs + program->n_outputs, n_dims = strata_symbols_given(&program->symbols);
  fprintf(file, "/* Tensors are %sdense and row-major", options->device_tensors ? "in device memory, " : "");
  if (strata_program_alignment(program))
    fprintf(file, ", aligned to %d bytes", strata_program_alignment(program));
  fputs(".\n", file);
  for (size_t i = 0; i < n; i++) {
    fprintf(file, " *   %s ", i < program->n_inputs ? "in " : "out");
    print_shape(file, &program->tensors[i]);
    print_model_name(file, program->tensors[i].name, program->tensors[i].c_name);
    print_true_sizes(file, program, &program->tensors[i]);
    print_note(file, program->tensors[i].note);
    fputs("\n", file);
  }
  for (size_t i = 0; i < n_dims; i++) {
    fputs(" *   size ", file);
    print_dim(file, &program->symbols.list.data[i], program->dim_c_names[i]);
    fputs("\n", file);
  }
  if (options->user_memory)
    fprintf(file, " *   %s: %s_device_memory_size(%s) bytes, aligned to 256\n",
            program->gpu ? "device_memory" : "workspace", options->name, n_dims ? "the sizes" : "NULL");
  if (program->gpu && strata_program_has_open_loop(&program->main, STRATA_LOOP_MAX_FLAGS))
    fprintf(
        file,
        " * Data end a loop of it that may have more than %d iterations: the call waits after so many whether it has\n"
        " * ended, and can be captured into a graph only at sizes at which there are no more.\n",
        STRATA_LOOP_MAX_FLAGS);
  fprintf(file, " */\nint %s(", options->name);
  for (size_t i = 0; i < n; i++)
    fprintf(file, "%s%s%s *%s", i ? ", " : "", i < program->n_inputs ? "const " : "",
            strata_dtype_info[program->tensors[i].dtype].c_type, program->tensors[i].c_name);
  for (size_t i = 0; i < n_dims; i++)
    fprintf(file, "%sint64_t %s", n + i ? ", " : "", program->dim_c_names[i]);
  print_memory_parameters(program, n + n_dims > 0, file);
  fputs(");\n", file);
}

enum { CPU = 1, GPU = 2, ALL = CPU | GPU, VARYING = 4, STREAM = true, NO_STREAM = false };

static void print_declaration(const strata_program_t *program, FILE *file, int targets, bool has_stream,
                              const char *suffix, const char *result, const char *parameters, const char *comment) {
  if (!(targets & (program->gpu ? GPU : CPU)) || (targets & VARYING && !program->sizes))
    return;
  const char *stream = has_stream && program->gpu ? stream_type(program) : NULL;
  fprintf(file, "%s%s%s_%s(%s%s%s%s); /* %s */\n", result, result[strlen(result) - 1] == '*' ? "" : " ",
          program->options->name, suffix, parameters, stream ? ", " : "", stream ? stream : "",
          stream ? " *stream" : "", comment);
}

void strata_program_print_header(const strata_program_t *program, FILE *file) {
  const char *name = program->options->name;
  fprintf(file,
          "/* %s, compiled by strata " STRATA_VERSION ".\n"
          " * What is strata's own in the library is under Apache-2.0 WITH LLVM-exception: no notice is asked for. */\n"
          "#ifndef STRATA_LIBRARY_HEADER_%s\n",
          name, name);
  fprintf(file, "#define STRATA_LIBRARY_HEADER_%s\n\n", name);
  print_common(file);
  fputs("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", file);
  if (program->gpu)
    fprintf(file, "%s; /* a stream of the driver's; NULL: the default one */\n\n", stream_type(program));
  print_function(program, file);
  fputs("\n", file);
#define EXPORT(targets, stream, suffix, c_result, c_parameters, ir_result, ir_parameters, callee, arguments, comment)  \
  print_declaration(program, file, targets, stream, suffix, c_result, c_parameters, comment);
#include "targets/library/exports.def"
  fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", file);
}

void strata_program_print_pkg_config(const strata_program_t *program, FILE *file) {
  const char *name = program->options->name;
  fprintf(file,
          "libdir=${pcfiledir}\nincludedir=${pcfiledir}\n\nName: %s\nDescription: %s, compiled by strata\n"
          "Version: " STRATA_VERSION
          "\nLibs: -L${libdir} -l%s\nLibs.private: -lpthread -ldl -lm\nCflags: -I${includedir}\n",
          name, name, name);
}
