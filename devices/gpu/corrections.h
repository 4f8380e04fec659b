// What the models of time are known to get wrong: rows of devices/gpu/corrections.def, each a class of products, or of
// candidates for them, and how many times as long as the model says those take. A class is told by facts
// (passes/affine/corrections.c), whatever the card.
#ifndef STRATA_DEVICES_GPU_CORRECTIONS_H
#define STRATA_DEVICES_GPU_CORRECTIONS_H

// What is predicted.
typedef enum {
  STRATA_CORRECTS_TILED,     // any product in tiles: else its results are rows
  STRATA_CORRECTS_PIPELINED, // a pipelined product, on matrix instructions
  STRATA_CORRECTS_CANDIDATE, // one way to carry it out
  STRATA_CORRECTS_NORM,      // one whose results' rows are reduced in the same kernel
  STRATA_CORRECTS_UNEVEN,    // a product in parts that are not all as long
} strata_corrects_t;

// Facts are 0 or 1 where nothing else is said.
typedef enum {
  // Of the product.
  STRATA_FACT_LESSER,       // of its results' rows and columns
  STRATA_FACT_GREATER,      // the other
  STRATA_FACT_STEPS,        // of its reduction
  STRATA_FACT_BATCH,        // products
  STRATA_FACT_RESULTS,      // elements
  STRATA_FACT_WORK,         // multiply-adds
  STRATA_FACT_TRAFFIC,      // bytes of operands and results
  STRATA_FACT_BULK,         // both operands come in bulk
  STRATA_FACT_CROSSED,      // the operand of the greater side lies across the reduction
  STRATA_FACT_BOTH_CROSSED, // and so does the other
  STRATA_FACT_ALONG,        // its neighbours in memory are those of the reduction
  STRATA_FACT_LESSER_ALONG, // the same of the other operand
  STRATA_FACT_OF_CACHE,     // its bytes, as a part of the second-level cache
  STRATA_FACT_WINDOW,       // an operand is read by windows
  STRATA_FACT_SLOW_ROWS,    // rows begin within lines or sectors
  // Of the candidate.
  STRATA_FACT_PARTS,          // blocks of a cluster that share reductions
  STRATA_FACT_PART_STEPS,     // of such a block
  STRATA_FACT_CLUSTER,        // blocks of a cluster that share operands
  STRATA_FACT_SHARED_ROWS,    // tiles of rows of such a cluster, which share the right operand
  STRATA_FACT_SHARED_COLUMNS, // the same of columns, and the left one
  STRATA_FACT_ROW_BLOCKS,     // blocks whose tiles are a row
  STRATA_FACT_EVERY,          // rows of a tile are every so many of the results'
  STRATA_FACT_STREAM,         // each block has an equal share of all tiles' steps
  STRATA_FACT_TILE_STEPS,     // of a tile
  STRATA_FACT_SHARE_STEPS,    // of a tile that a block has, where they are shared
  STRATA_FACT_TILE_BLOCKS,    // that have steps of one tile
  STRATA_FACT_ROUNDS,         // of tiles of a block
  STRATA_FACT_FILL,           // tiles a processor
  STRATA_FACT_LEFT_READ,      // threads read the left operand from shared memory
  STRATA_FACT_MEMORY,         // part of the time that memory takes for the larger operand
  STRATA_FACT_READERS,        // clusters that read it
  STRATA_N_FACTS
} strata_fact_t;

enum { STRATA_MAX_LIMITS = 5, STRATA_MAX_CORRECTIONS = 64 };

typedef enum { STRATA_IS_BELOW, STRATA_IS_UP_TO, STRATA_IS_FROM, STRATA_IS_ABOVE } strata_relation_t;

typedef struct {
  strata_fact_t fact;
  strata_relation_t relation;
  double value;
} strata_limit_t;

typedef struct {
  const char *name;
  strata_corrects_t corrects;
  int n;
  strata_limit_t limits[STRATA_MAX_LIMITS]; // which must all be so
} strata_correction_t;

typedef struct {
  const strata_correction_t *rows;
  int n;
  double factors[STRATA_MAX_CORRECTIONS]; // of each; INFINITY: such are never taken
} strata_corrections_t;

#endif
