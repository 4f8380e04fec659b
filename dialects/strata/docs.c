// The reference of the dialect as Markdown, written from the tables: docs/ops.md.
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"

#include <stdio.h>

typedef struct {
  void (*write)(const char *text, void *user);
  void *user;
} sink_t;

static void line(const sink_t *sink, const char *format, ...) STRATA_PRINTF(2, 3);
static void line(const sink_t *sink, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  sink->write(text, sink->user);
  sink->write("\n", sink->user);
}

static const struct {
  strata_op_kind_t kind;
  const char *title, *text;
} sections[] = {
    {STRATA_KIND_ELEMENTWISE, "Elementwise",
     "Operands and result have one shape. Integers wrap; a quotient or remainder by zero is 0; a shift by the width or "
     "more gives 0, `shr` of a negative number -1. `min` and `max` give NaN if either operand is NaN. Conversions "
     "round "
     "to nearest even; from float to integer they saturate and take NaN to 0; to i1 they ask \"is not zero\". The "
     "source of `convert_u` and the result of `convert_to_u` are unsigned."},
    {STRATA_KIND_REDUCE, "Reductions",
     "`kind` names a combiner. The reduced axes are dropped from the shape; f16 and bf16 accumulate in f32."},
    {STRATA_KIND_ARG_REDUCE, "Positions of extremes",
     "The i64 index of the extreme element along `axis`, the first of equals unless `select_last`; NaN counts as "
     "extreme. `kind`: max, min, max_u, min_u."},
    {STRATA_KIND_SCAN, "Scans", "The running combination along `axis`."},
    {STRATA_KIND_SORT, "Sorts", "Stable; results are the sorted values and their i64 positions. NaN is greatest."},
    {STRATA_KIND_WINDOW, "Windows",
     "A reduction over a sliding window; each array has one entry a dimension; padding counts as the combiner's "
     "neutral "
     "element."},
    {STRATA_KIND_CONTRACT, "Contractions",
     "The sum of `lhs[maps[0]] * rhs[maps[1]]` over the dims missing from the result map `maps[2]`, in the result's "
     "type. With `zero_pad`, reads outside an operand are 0. `origin`: what the front end called it. With "
     "`unsigned_lhs`, integers of the first operand are widened without a sign. `scaled_contract`: of floats of 8 "
     "bits, "
     "the second with a power of two for every 32 elements along its dim `axis`, whose exponents, 127 more, are the "
     "third operand, bytes."},
    {STRATA_KIND_BLOCK, "Products of blocks",
     "`block_contract(x [d, m, b, 2 w], scales [m, b], sums [m, b], words [t, b, w, l], factors [t, b, l], zeros "
     "[t, b, l])`: rows times columns of nibbles, both in b blocks; the result is [m, t l], the sum over blocks of "
     "`factor * (numbers * nibbles - zero * sum)`. A number of x is d signed bytes, digits to the base of 256 from the "
     "highest on, times the block's scale; a word of x has four numbers, one of words eight nibbles: byte i of word j "
     "meets byte i of x's word j with its low half, and of word w + j with its high half."},
    {STRATA_KIND_MOVEMENT, "Movement",
     "`slice`: `result[i] = x[starts + i * steps]`; `broadcast`: `result[d...] = x[map(d...)]`, each result of the map "
     "a "
     "dim or 0."},
    {STRATA_KIND_GATHER, "Gather",
     "`axis` of the data is replaced by the dims of the indices after the first `batch_dims` dims, which both share; "
     "indices are clamped."},
    {STRATA_KIND_SCATTER, "Scatter",
     "`scatter(init [n, k..], indices [m], updates [m, k..])`: in order, row `indices[m]` is combined with "
     "`updates[m]`; "
     "kind \"none\" overwrites, and so does \"distinct\", of which no row is updated twice, in any order; indices "
     "outside "
     "are dropped."},
    {STRATA_KIND_SEGMENT, "Rows in sequences",
     "What the composite ops of jagged.md are made of: sequence b is the rows from `offsets[b]` up to "
     "`offsets[b + 1]`, each clamped to what there is. `segment_rows`: the sequence of each row. `segment_reduce`: "
     "rows "
     "combined within each. `segment_contract`: each row times its sequence's matrix. `segment_attention`: the softmax "
     "of `scale * q k^T` times v within each."},
    {STRATA_KIND_TREES, "Decision trees",
     "`trees(x [n, f], nodes [4 m], roots [g, t, 2], values [l, k])`: of the leaves that a row of x reaches in the "
     "trees "
     "of a group, the rows of values combined by `kind`, in the order of the trees; the result is [n, g, k]. A node is "
     "the "
     "column of x that it compares, the place of its child for x <= threshold (its other child is the node behind "
     "that), "
     "and the threshold, whose bits are the fourth number, of f64 the third and the fourth. A leaf is its own other "
     "child, its threshold NaN, its third number the row of values. A root is a place and the number of steps down to "
     "the deepest leaf, or more. Nodes and "
     "roots are constants."},
    {STRATA_KIND_SUPPRESS, "Boxes that overlap",
     "`suppress(sides [n, 4, b], scores [n, c, b], overlap [], least [], most [])`: of every class of every image, in "
     "this order, the boxes from the best score on, the first of equals, that score above `least` and of which no box "
     "of the class that is found already covers more than `overlap`, intersection by union; at most `most`, and "
     "`room`. The "
     "results are rows of image, class and box, [n c room, 3], undefined from their count on, and the count."},
    {STRATA_KIND_GENERATE, "Generate",
     "`iota`: `result[d...] = d[axis]`. `constant`: `value` or the name of `data`. "
     "`dims`: the values of expressions over symbols (sizes.md), i64."},
};

static const char *const rules[] = {[STRATA_RULE_SAME] = "as operand 0",
                                    [STRATA_RULE_BOOL] = "i1",
                                    [STRATA_RULE_SECOND] = "as operand 1",
                                    [STRATA_RULE_RESULT] = "given"};

// "FIB" as "float, integer, boolean".
static const char *accepted(const strata_op_info_t *info, char *text, size_t size) {
  static const struct {
    char letter;
    const char *word;
  } words[] = {{'F', "float"}, {'I', "integer"}, {'B', "boolean"}, {'*', "any"}};
  size_t used = 0;
  text[0] = 0;
  for (const char *letter = info->accepts; *letter; letter++)
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (words[i].letter == *letter)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", words[i].word);
  return text;
}

static void write_primitives(const sink_t *sink) {
  for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
    line(sink, "\n## %s\n\n%s\n", sections[s].title, sections[s].text);
    line(sink, "| op | operands | element types | result type | ulp | attributes |\n|---|---|---|---|---|---|");
    for (int i = 0; i < STRATA_OP_COUNT; i++) {
      const strata_op_info_t *info = &strata_op_info[i];
      char types[64];
      if (info->kind == sections[s].kind)
        line(sink, "| `%s` | %d | %s | %s | %d | %s |", info->name, info->n_operands,
             accepted(info, types, sizeof types), rules[info->rule], info->ulp, info->attrs);
    }
  }
}

static void write_types(const sink_t *sink) {
  line(sink, "\n## Element types\n\n| type | bits stored | computed in | C | C, unsigned |\n|---|---|---|---|---|");
  for (int i = 0; i < STRATA_TYPE_COUNT; i++) {
    const strata_type_info_t *info = &strata_type_info[i];
    line(sink, "| `%s` | %d | %s | `%s` | `%s` |", info->mlir_name, info->bits,
         info->computes ? strata_type_info[info->math_type].mlir_name : "stored and converted only", info->c_name,
         info->c_name_unsigned);
  }
}

static void write_combiners(const sink_t *sink) {
  line(sink, "\n## Combiners\n\n| kind | float | integer |\n|---|---|---|");
  for (int i = 0; i < STRATA_COMBINER_COUNT; i++)
    line(sink, "| `%s` | %s | %s |", strata_combiner_info[i].name, strata_combiner_info[i].float_op,
         strata_combiner_info[i].int_op);
}

static void write_composites(const sink_t *sink) {
  line(sink, "\n## Composite ops\n\nExpanded to primitives by `strata-decompose`; f16 and bf16 are computed in f32.\n\n"
             "| op | operands; attributes | meaning |\n|---|---|---|");
  for (int i = 0; i < STRATA_COMPOSITE_COUNT; i++) {
    const strata_composite_info_t *info = &strata_composite_info[i];
    line(sink, "| `%s` | %s | `%s` |", info->name, info->signature, info->body);
  }
}

void strata_print_ops_markdown(void (*write)(const char *text, void *user), void *user) {
  sink_t sink = {write, user};
  line(&sink,
       "# The strata dialect\n\nGenerated from `dialects/strata/*.def`; do not edit. Ops are generic MLIR on ranked "
       "tensors. A dimension is an affine expression over the symbols of its function: a tensor with a symbolic "
       "one has `?` there and its shape as encoding, `tensor<?x1024xf32, affine_map<()[B] -> (B, 1024)>>`.");
  write_types(&sink);
  write_primitives(&sink);
  write_combiners(&sink);
  write_composites(&sink);
}
