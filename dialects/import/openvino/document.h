// OpenVINO's IR as it is in the .xml: layers with ports, the edges between them, bodies.
#ifndef STRATA_DIALECTS_IMPORT_OPENVINO_DOCUMENT_H
#define STRATA_DIALECTS_IMPORT_OPENVINO_DOCUMENT_H

#include "dialects/import/openvino/xml_tree.h"
#include "runtime/base/dtype.h"

typedef enum { IR_TABLE_NONE, IR_TABLE_NF4, IR_TABLE_E2M1, IR_TABLE_E8M0 } ir_table_t;

typedef struct {
  const char *name, *precision;
  int bits;
  strata_dtype_t dtype;
  ir_table_t table;
} ir_type_t;

// NULL for a name that no row has.
const ir_type_t *ir_type_by_name(const char *name);

typedef struct {
  const char *id;
  const ir_type_t *type; // of an output; NULL: the file does not say
  int rank;              // -1: the file does not say
  int64_t *dims;         // -1: it varies
  const char *names;     // tensor names, with commas between; ""
} ir_port_t;

struct ir_graph;
struct ir_layer;

typedef struct {
  const char *id;
  struct ir_layer *from; // NULL: no edge
  int output;            // of |from|
} ir_input_t;

typedef enum { IR_BODY, IR_THEN, IR_ELSE, IR_N_BODIES } ir_body_t;

typedef struct ir_layer {
  const char *id, *name, *type, *version;
  const xml_element_t *element, *data; // |data| may be NULL
  int n_inputs, n_outputs;
  ir_input_t *inputs;
  ir_port_t *outputs;
  bool *is_read;       // of the outputs, by a layer that is reached
  const char **values; // of the outputs, once they are translated
  struct ir_graph *bodies[IR_N_BODIES];
  bool is_reached; // from a result or a variable that is assigned
  int next_input;  // while layers are put in order
} ir_layer_t;

typedef struct ir_graph {
  size_t n_layers;
  ir_layer_t *layers;
  size_t n_order;
  ir_layer_t **order; // those reached, each after what it needs
} ir_graph_t;

// Reads and links the network in |path|. Errors name the file and the line.
STRATA_MUST_CHECK strata_status_t ir_document_read(strata_arena_t *arena, const char *path, ir_graph_t *out_graph);

// The layer of that id; NULL.
ir_layer_t *ir_find_layer(const ir_graph_t *graph, const char *id);
// The place of the port of that id; -1.
int ir_find_input(const ir_layer_t *layer, const char *id);
int ir_find_output(const ir_layer_t *layer, const char *id);

// Integers with commas between, as "1, 64": their number, -1 where the text is something else or has more than |most|.
int ir_parse_ints(const char *text, int most, int64_t *out);

#endif
