// Readers of model files: each turns one format into a module of the strata dialect.
#ifndef STRATA_DIALECTS_IMPORT_H
#define STRATA_DIALECTS_IMPORT_H

#include "dialects/compile.h"
#include "dialects/import/mapped_file.h"

typedef struct {
  const char *name; // of an input
  const char *text; // --bind-constant NAME=FILE (.npy or TensorProto .pb), --shape NAME=2x3
} strata_import_binding_t;

enum { STRATA_IMPORT_MAX_LIKELY = 8 };

// --dim NAME=N, or NAME=MIN..MAX[/MULTIPLE][@LIKELY,...], of a dimension of the model.
typedef struct {
  const char *name;
  bool is_range;              // else it has the size |min|
  int64_t min, max, multiple; // no smaller, no larger; always a multiple
  int n_likely;
  int64_t likely[STRATA_IMPORT_MAX_LIKELY]; // sizes to be fastest at
} strata_import_dim_t;

// Reads what stands behind "NAME=". NULL, or what was expected.
const char *strata_import_dim_parse(const char *text, strata_import_dim_t *out);

typedef struct {
  const strata_import_dim_t *dims;
  size_t n_dims;
  const strata_import_dim_t *bounds; // --bound NAME=N: of values that data decide, numbers
  size_t n_bounds;
  const strata_import_binding_t *constants;
  size_t n_constants;
  const strata_import_binding_t *shapes;
  size_t n_shapes;
  const char *seed_input; // --seed-input: the name of a further i64 input that random numbers depend on; NULL: none
  bool weights_as_inputs; // --weights=argument: they come after the model's inputs
} strata_import_options_t;

// Reads |path| by its suffix (formats.def) into compile->module, which must be empty. The files stay mapped until the
// compile is deinitialised. Errors: NOT_FOUND, IO, PARSE (what is malformed and where), UNSUPPORTED with one line for
// every unsupported node: its name, op and the reason.
STRATA_MUST_CHECK strata_status_t strata_import(strata_compile_t *compile, const char *path,
                                                const strata_import_options_t *options);

// The ONNX reader; strata_import calls it for ".onnx".
STRATA_MUST_CHECK strata_status_t strata_import_onnx(strata_compile_t *compile, const char *path,
                                                     const strata_import_options_t *options);
// The reader of OpenVINO's IR, ".xml" with a ".bin" beside it; strata_import calls it.
STRATA_MUST_CHECK strata_status_t strata_import_openvino(strata_compile_t *compile, const char *path,
                                                         const strata_import_options_t *options);
// The reader of PyTorch's exported programs, as torch.export.save writes them; strata_import calls it for ".pt2".
STRATA_MUST_CHECK strata_status_t strata_import_pt2(strata_compile_t *compile, const char *path,
                                                    const strata_import_options_t *options);
// The MLIR reader, ".mlir" and ".mlirbc", of modules in the strata dialect, in TOSA, in linalg on tensors, and in
// StableHLO's generic form; strata_import calls it. Every named constant of the strata dialect must have its bytes in
// the data file that strata_export_mlir writes beside the module.
STRATA_MUST_CHECK strata_status_t strata_import_mlir(strata_compile_t *compile, const char *path,
                                                     const strata_import_options_t *options);
// The IR of any later phase, with its constants.
STRATA_MUST_CHECK strata_status_t strata_read_ir(strata_compile_t *compile, const char *path);
// A module of any level from its text, for developers' tools: named constants are zeros.
STRATA_MUST_CHECK strata_status_t strata_parse_mlir(strata_compile_t *compile, const char *text, size_t size);

// Writes the module to |path|, and the bytes of its named constants, if it has any, to "|path|.data". Writes nothing on
// error. The constants' bytes are not copied on the way.
STRATA_MUST_CHECK strata_status_t strata_export_mlir(strata_compile_t *compile, const char *path, bool bytecode);

#endif
