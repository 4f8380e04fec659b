// Reading level 2: one kernel function (a group of nests), who produces its buffers, and what kind of kernel it can be.
//
// Records borrow the IR and live in the arena they were read into.
#ifndef STRATA_DIALECTS_AFFINE_KERNEL_H
#define STRATA_DIALECTS_AFFINE_KERNEL_H

#include "dialects/affine/nest.h"

// True of a kernel: a private function with a body.
bool strata_op_is_kernel(MlirOperation op);

typedef struct {
  strata_arena_t *arena;
  MlirOperation func;
  MlirBlock body;
  int n_nests;
  strata_nest_t *nests;
} strata_kernel_t;

STRATA_MUST_CHECK strata_status_t strata_kernel_read(strata_arena_t *arena, MlirOperation func,
                                                     strata_kernel_t *out_kernel);

bool strata_kernel_varies(const strata_kernel_t *kernel); // one of its nests does

bool strata_kernel_reaches_once(const strata_kernel_t *kernel, MlirValue buffer); // one access is to the buffer

// The nest that alone stores into |buffer| and does not read it, NULL if none or several do; *out_store is its store.
const strata_nest_t *strata_kernel_producer(const strata_kernel_t *kernel, MlirValue buffer,
                                            const strata_access_t **out_store);

// True if the nest stores into an argument of the function: it must be carried out whoever reads its result.
bool strata_nest_is_root(const strata_nest_t *nest);

// True if every op of the nest has a vector form: affine reads and stores, reads guarded by one affine.if,
// straight-line arithmetic.
bool strata_nest_is_vectorizable(const strata_nest_t *nest);

// True if the nest copies or computes rows found by numbers in memory: it has a vector form along its innermost
// parallel dim, of which only the last index of such reads is made.
bool strata_nest_gathers_rows(const strata_nest_t *nest);

// True of a serial nest that walks rows between numbers from memory, one result a point: it has a vector form along its
// innermost parallel dim as well (row_loops.c).
bool strata_nest_loops_over_rows(const strata_nest_t *nest);
// How often, at one point of the nest, what is innermost in its loops is done, as far as numbers say so; 1 at least.
int64_t strata_nest_loop_steps(const strata_nest_t *nest);

// The iteration point of |map|'s dims, the first ones of |space|, at which its results are |targets|, expressions over
// |target_space|. The buffer behind the map has |sizes|. Maps that are sums of dims with
// constant coefficients are inverted, others through their row-major position. False if neither works.
bool strata_affine_invert(MlirAffineMap map, const strata_space_t *space, const strata_size_t *sizes,
                          const MlirAffineExpr *targets, const strata_space_t *target_space, MlirAffineExpr *out_dims);

// Where |read| of |nest| finds what |store| of |producer| has stored: the point of its dims, over those of |nest|.
// False if the store cannot be inverted.
bool strata_nest_producer_point(const strata_nest_t *nest, const strata_access_t *read, const strata_nest_t *producer,
                                const strata_access_t *store, MlirAffineExpr *out_point);

// Follows what one point of |from| reads through the kernel's producers: for every producer reached, |point| is the
// point of its dims (reduction dims are 0) and |coordinates| where its buffer is read, both over the dims of |from|.
// Each producer is visited once at each point, however many read it there. Does not look behind reductions.
typedef void (*strata_demand_visitor_t)(const strata_nest_t *producer, const strata_access_t *store,
                                        const MlirAffineExpr *point, const MlirAffineExpr *coordinates, void *user);
void strata_kernel_visit_demands(const strata_kernel_t *kernel, const strata_nest_t *from,
                                 strata_demand_visitor_t visit, void *user);

// A contraction: the nest whose inner loop is accumulator + lhs * rhs. Dims are the nest's; masks are over its dims.
typedef struct {
  const strata_nest_t *nest;
  const strata_access_t *lhs, *rhs; // what is multiplied; guards, conversions and scales of bytes lie between
  const strata_access_t *store;
  uint32_t lhs_dims, rhs_dims; // the dims each read depends on, its guard too
} strata_contraction_t;

// Recognises a contraction by its body; false if |nest| is none.
bool strata_nest_contraction(const strata_nest_t *nest, strata_contraction_t *out_contraction);
// The read of the scale that |factor| of a contraction is multiplied by, a byte that is an exponent, and what is
// scaled; NULL if it has none.
const strata_access_t *strata_nest_scale(const strata_nest_t *nest, MlirValue factor, MlirValue *out_scaled);
// Results along the dims that only the left, and only the right operand has.
void strata_contraction_sides(const strata_contraction_t *contraction, int64_t *out_lhs, int64_t *out_rhs);

// The dims a map's results depend on, as a mask.
uint32_t strata_affine_map_dims(MlirAffineMap map);
bool strata_affine_expr_uses(MlirAffineExpr expr, int dim);

// Sizes of a memref; its rank is returned. As numbers, where only constants are dealt with.
int strata_memref_sizes(MlirValue buffer, strata_size_t *out_sizes);
int strata_memref_static_sizes(MlirValue buffer, int64_t *out_sizes);
// The coefficient of nest dim |dim| in the row-major position of an access; false if it is not linear in the dim.
bool strata_access_stride(const strata_nest_t *nest, const strata_access_t *access, int dim, int64_t *out_stride);
// The same where it is a product of sizes; and what that is where sizes are likely ones, of at least two elements, so
// that strides of dims within one another differ.
bool strata_access_size_stride(const strata_nest_t *nest, const strata_access_t *access, int dim,
                               MlirAffineExpr *out_stride);
bool strata_access_likely_stride(const strata_nest_t *nest, const strata_access_t *access, int dim,
                                 int64_t *out_stride);

#endif
