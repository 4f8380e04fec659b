// Reading attention (attention.h): the terms that a kernel's scalars are, and what they are made of. Internal to
// attention*.c.
//
// A load of what another nest of the kernel stores is that nest's value at the inverse of its store. Two terms are the
// same number if they are the same value at the same point.
#ifndef STRATA_DIALECTS_AFFINE_ATTENTION_READER_H
#define STRATA_DIALECTS_AFFINE_ATTENTION_READER_H

#include "dialects/affine/attention.h"
#include "dialects/mlir_util.h"

typedef strata_attention_term_t strata_term_t;

// The terms between weights and the product, each once.
enum { STRATA_CHAIN_TERMS = 128 };
typedef struct {
  int n;
  strata_term_t terms[STRATA_CHAIN_TERMS];
} strata_attention_chain_t;

typedef struct {
  strata_attention_t a;
  MlirContext context;
  strata_attention_chain_t *chain;
  bool finds_product; // a product has been met
  strata_term_t kept; // what the score is where |condition| >= 0; elsewhere it is nothing
  MlirAffineExpr condition;
  const char *why;
} strata_attention_reader_t;

//===-- Terms (attention_term.c) ---------------------------------------------------------------------------------===//

bool strata_term_is(const strata_term_t *term, const char *op);
strata_term_t strata_term_operand(const strata_term_t *term, intptr_t i);

// The access of |nest| that |op| is; NULL if it loads nothing.
const strata_access_t *strata_term_load(const strata_nest_t *nest, MlirOperation op);
// The term's point as a map of its nest's dims.
MlirAffineMap strata_term_map(const strata_attention_reader_t *r, const strata_term_t *term);
// *term becomes what another nest of the kernel stored and it loads; false if that comes from outside.
bool strata_term_step(const strata_attention_reader_t *r, strata_term_t *term);
// Looks through conversions and what is stored and loaded again.
strata_term_t strata_term_resolve(const strata_attention_reader_t *r, strata_term_t term);
strata_term_t strata_term_resolved_operand(const strata_attention_reader_t *r, const strata_term_t *term, intptr_t i);
// The same of a truth value, which is kept as a number between nests.
strata_term_t strata_term_resolve_truth(const strata_attention_reader_t *r, strata_term_t term);

// Follows what |term| is computed of down to one product, of which it is an element-by-element function: the chain.
bool strata_attention_follow(strata_attention_reader_t *r, const strata_term_t *term);
// True if |term| is computed elementwise, of what comes from outside.
bool strata_attention_is_outside(strata_attention_reader_t *r, const strata_term_t *term);
// What the chain costs, once it is known which dims are rows and columns.
void strata_attention_count(strata_attention_reader_t *r);

//===-- Columns that lie apart (attention_joined.c) --------------------------------------------------------------===//

// |factor|, read by out->read, where another nest of the kernel puts it together.
bool strata_attention_read_joined(const strata_attention_reader_t *r, const strata_term_t *factor,
                                  strata_attention_operand_t *out);
// Once all else is known: where keys and values are joined. False where they are not alike.
bool strata_attention_find_joint(strata_attention_reader_t *r);

//===-- Bytes (attention_widened.c) ------------------------------------------------------------------------------===//

// |factor|, read by out->read, where another nest of the kernel widens bytes to it.
bool strata_attention_read_widened(const strata_attention_reader_t *r, const strata_term_t *factor,
                                   strata_attention_operand_t *out);

//===-- Pages (attention_paged.c) --------------------------------------------------------------------------------===//

// |term| is what |nest| loads at an index that is a number in memory: a page's. Its |access|, |map|, |dims|, |page| and
// |number| become what is read there; false if it is no such load.
bool strata_attention_read_pages(const strata_attention_reader_t *r, const strata_term_t *term,
                                 strata_attention_operand_t *out);
// True of the nest that gathers an operand's pages, which has no other form.
bool strata_attention_gathers(const strata_attention_t *attention, const strata_nest_t *nest);

//===-- Causal masks (attention_mask.c) --------------------------------------------------------------------------===//

// |term| as an expression of the canonical dims; false if it is no number made of dims and sizes alone.
bool strata_term_number(const strata_attention_reader_t *r, const strata_term_t *term, MlirAffineExpr *out);

// What of the score is kept, once it is known which dims are rows and columns: is_causal, offset and the score.
void strata_attention_find_mask(strata_attention_reader_t *r);

#endif
