// What work costs on a GPU, as the models of passes and lowerings read it: figures of one card, whose values and
// sources are rows of devices/gpu/costs.def. Times are in cycles of a processor, rates in bytes a cycle of one, unless
// a line says otherwise; what is "times as long" has no unit.
//
// A fact may be here several times, with a value for each model that was fitted with it.
#ifndef STRATA_DEVICES_GPU_COSTS_H
#define STRATA_DEVICES_GPU_COSTS_H

#include "devices/gpu/corrections.h"

#include <stdint.h>

enum { STRATA_COSTS_MAX_CLUSTER = 8 };

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

// Of pipelined products: rows and columns as the instruction sees them. Fields are those of devices/gpu/tiles.def.
typedef struct {
  int64_t teams;  // of a block, that store while the other multiplies
  int64_t groups; // of warps, beside one another along the rows
  int64_t rows, columns, rate;
  int64_t depth; // groups that sum up the same tile; 1: none do
} strata_pipelined_shape_t;

// Of tiles staged by the threads that multiply them.
typedef struct {
  int64_t rows, columns, warps[2], efficiency;
} strata_tiled_shape_t;

// What there is to choose from; of tiles that take as long the first is taken.
typedef struct {
  const strata_pipelined_shape_t *pipelined, *pipelined_fma;
  const strata_tiled_shape_t *mma, *fma; // staged, with and without matrix instructions
  int n_pipelined, n_pipelined_fma, n_mma, n_fma;
  int n_mma_rows; // of |mma| for products whose rows are reduced: n_mma, and longer ones behind them
} strata_gpu_tiles_t;

//===-- Models ---------------------------------------------------------------------------------------------------===//

// Pipelined products (passes/affine/pipelined_time.c, schedule_pipelined.c).
typedef struct {
  double launch;       // from the end of one kernel to the first instruction of the next
  double second_block; // until a processor has begun with it
  double fill;         // until the first slot is full
  double latency;      // of a bulk copy
  double load_latency; // of a load into registers
  double load_rate;    // that producers load, convert and store, 16 bytes at once
  double loaded_alone; // the bytes that take as long as an element by itself
  double products;     // rows * columns of a step of STRATA_PIPELINED_STEP_BYTES, whatever the operands' type, a cycle
  double shared_rate;  // rows and columns of a step written and read
  double cache_rate;   // from the second-level cache
  double cache_total;  // the same of all processors
  double stream_cache_rate; // from it, where blocks are at different steps of their tiles
  double apart_cache_rate;  // the same, where they become so as they store
  double apart_served;      // up to which it gives them what they want, of a right operand across the reduction
  double apart_alone;       // of what is shared then, that each block waits for as if it were its own
  double
      cache_beside_memory; // what goes on beside the slowest costs one part in so many of its time, where memory is it
  double store_start;      // of a tile's results
  double store_rate;       // of a group: see store_cycles
  double narrow_store;     // times as long in boxes of less than 128 bytes a row
  double exchanged_store;  // the same, that the threads do, in vectors of 16 bytes
  double unaligned_store;  // the same of rows that begin anywhere
  double apart_store;      // the same, while other blocks multiply
  double crossed_store;    // the same of rows that begin anywhere, contiguous along the instruction's rows
  double split_store;      // the same of rows that begin within lines
  double stored_by_all;    // of results of 32 bits, while all processors store them
  double share_start;      // of sums that the blocks of a cluster exchange: its barriers
  double share_sent;       // to the blocks of a cluster
  double share_read;
  double exchange_total;    // of sums, of all processors, where rows are slow
  double multicast_start;   // of clusters that share operands, one for another, for each doubling of them
  double clear;             // a kernel in front that sets the flags of all blocks to zero
  double stream_start;      // of sums that a block leaves to another, of those it takes
  double stream_rate;       // their bytes
  double straddling_row;    // that the copy engine fetches, of a step: it begins within a sector
  double split_row;         // the same within a line
  double read_row;          // of a step, there or not, where sizes vary
  double awaited_row;       // the same where memory decides
  double alternate_row;     // the same of every second row
  double narrow_row;        // the same, shorter than a line
  double narrow_straddling; // the same, that begins within a sector
  double line_request;      // to one line, while others want it too
  double box;               // that one thread has the copy engine fetch
  double alone;             // times as long, if rows are slow and the blocks of no cluster share them
  double three_groups;      // the same of blocks of three groups
  double left_read;         // times as long at full clock, where threads read the left operand ...
  double left_step;         // ... but not less: they load, multiply and wait in turn
  double left_column;       // the same for each column of the tile
  double unpack;            // of 64 rows' step that threads unpack, while others multiply, ...
  double unpack_step;       // ... and of any such step besides: they load, unpack, multiply and wait in turn
  double unpack_deep;       // of 64 rows' step that threads unpack for a warp's instruction, groups sharing steps, ...
  double unpack_column;     // ... and of it for each column of the tile
  double code;              // of an op like exp, for each result of a thread, fetched or computed
  double memory_latency;    // of a bulk copy from memory, while memory is busy
  double memory_share;      // of its share of the memory's bandwidth, that a processor can draw alone
  double uneven;            // of the share of processors without a tile in the last round, that memory is idle
  double parts_of_rows;     // of memory's time, where slow rows are read at several places, for each doubling
  double in_flight;         // bytes of a processor that are on their way from memory: twice what bandwidth needs
  double busy_memory;       // of the time that memory is busy, from which on it takes more slots
  double usual_slots;       // where memory does not decide
  double shared_slots;      // nor is busy, and blocks of a cluster share operands
  double memory_slots;      // where it does, at least
  double staggered_slots;   // the same of blocks that begin at steps of their own
  double stagger;           // steps by which they do: enough to be at places of the rows that have nothing in common
  double unstaggered;       // how many times as long those take that do not, where sizes vary
  double hidden;            // what goes on beside the slowest costs one part in so many of its time
  double clock;             // hertz, idle; the busier the instructions are, the lower
  double clock_lost;        // when they always are
  double filled[STRATA_COSTS_MAX_CLUSTER + 1]; // percent of the processors that clusters of so many blocks fill
} strata_pipelined_costs_t;

// Products whose results' rows are reduced in the same kernel (schedule_norm.c).
typedef struct {
  double rate;                                 // percent of the instructions' rate that tiles reach
  double exchange;                             // a reduction's, between blocks
  double combine;                              // a group's, of 128 elements
  double crossed;                              // of a row of a swapped tile, whose elements lie in all threads
  double filled[STRATA_COSTS_MAX_CLUSTER + 1]; // percent of the processors that clusters of so many blocks fill
} strata_norm_costs_t;

// Attention (schedule_attention.c).
typedef struct {
  double launch;     // from the end of one kernel to the first instruction of the next, and the first operands
  double task;       // statistics and results, beside one block's products that nothing hides
  double rows;       // of one whose rows' operand comes when those before no longer need its memory
  double counting;   // the same where sizes vary, if they say where a tile is, and once more if they say how many steps
                     // it has
  double products;   // multiply-adds of 16 bits a cycle
  double softmax;    // of a group's rows in one column: maximum, exponential, sum, conversion
  double mask;       // of the same
  double guarded;    // of the same where sizes vary, of operands of scores that may not be there
  double weight;     // of the same without a softmax: conversion, the product's rescaling
  double operation;  // on each of a group's rows in one column
  double function;   // the same
  double cache_rate; // from the second-level cache
  double block_start;   // of a block of columns: barriers, statistics
  double refilled;      // of one whose bytes are widened into the only slot, when those before have been multiplied
  double beside;        // of what goes on beside the slowest
  double box;           // of a page's rows, as far as 128 bytes of each, for the copy engine
  double beside_memory; // what goes on beside that costs one part in so many of its time
  double part_seconds;  // that the kernel behind takes for each part of a tile's columns
  double sum_seconds;   // and besides: it begins while the parts end
  double long_row;      // blocks of columns from which on more groups than usual pay
  double clock;         // hertz
} strata_attention_costs_t;

// Attention whose operands are staged by the threads that multiply them (schedule_attention_staged.c).
typedef struct {
  double rate;         // multiply-adds a cycle
  double few_sums;     // the part of it that threads of the fewest sums reach
  double matrix_share; // the part of a matrix instruction's rate that products reach
  double wavefront;    // bytes of shared memory a cycle, that matrix instructions' fragments are read at
  double latency;      // of a block of columns: keys and values come, two barriers, statistics
  double combining;    // of statistics of several warps
  double exponential;  // of a score: maximum, exponential, sum, conversion
  double operation;    // on a score
  double function;     // the same
  double cache_memory; // the second-level cache's bandwidth by memory's
  double slower;       // than the model
  double clock;        // hertz
  double launch_seconds;
} strata_attention_staged_costs_t;

// Products whose tiles are staged by the threads that multiply them (schedule_tiled.c).
typedef struct {
  double fma_rate;        // multiply-adds a cycle without matrix instructions
  double mma_issue;       // cycles that a matrix instruction takes beyond its own, where one larger spares it
  double step_latency;    // of a step
  double combine_latency; // of the parts of a split
  double store_rate;      // and two bytes more for each element
  double clock;           // hertz
  double launch_seconds;
  double slower;         // than the model, beside pipelined products
  double slower_wide;    // the same of operands of 32 bits
  double slower_fma;     // the same without matrix instructions
  double slower_shifted; // the same where operands' rows begin anywhere
  // Of fragments that are read ahead.
  double ahead_rate;  // multiply-adds of 16 bits a cycle at most ...
  double ahead_clock; // ... and by a device's operations a second at its lowest clock
  double wavefront;   // of shared memory
  double step;        // of a step's barrier
  double fragment;
  double warp_instruction; // of one warp
  double copy_latency;     // from memory
  double cache_rate;       // from the second-level cache at most ...
  double cache_memory;     // ... and by all processors times memory's bandwidth
  double ahead_memory;     // times memory's time
  double slow_memory;      // the same of rows that begin within lines
  double ahead_slower;     // than the model, beside pipelined products
  double ahead_launch_seconds;
} strata_tiled_costs_t;

// Pipelined products on multiply-adds (schedule_fma.c).
typedef struct {
  double rate;   // multiply-adds a cycle
  double slower; // than that rate, in all
  double clock;  // hertz, where multiply-adds are always under way
  double tile;   // its first steps, its results
  double launch_seconds;
} strata_fma_costs_t;

// What is one kernel (group_cost.c, group_attention.c, group_pairs.c, group_norm.c).
typedef struct {
  double clock;           // additions a second of a lane
  double warps_at_once;   // of a processor
  double launch_seconds;  // from the end of one kernel to the work of the next
  double draw;            // of the devices that these are measured on: strata_gpu_device_t's
  double product_loss;    // of a multiply-add whose operand does not come in bulk, in additions
  double softmax_seconds; // a kernel between two products, besides its bytes
  double not_hidden;      // of arithmetic behind a product
  double pair_seconds;    // saved of the time from one kernel to the next
  double norm_seconds;    // of a norm behind a product that has just written what is read ...
  double norm_bandwidth;  // ... and bytes a second
} strata_group_costs_t;

// Kernels that stage an operand (stage.c), and reductions in parts (split_reductions.c).
typedef struct {
  double seconds;      // a launch
  double turn_seconds; // the same of what is turned, more
  double copy_share;   // of the memory's bandwidth
} strata_stage_costs_t;

typedef struct {
  double in_flight;          // bytes that a processor needs on their way from memory for its share of the bandwidth
  double worthwhile_seconds; // that splitting must save: a launch, and what fusion loses
  double combine_seconds;    // of the kernel that sums up a product's parts, besides its bytes
} strata_split_costs_t;

// Sorts (lowering/strata_to_affine/sort_gpu.c, sort_digits.c).
typedef struct {
  double merge_launch_seconds;
  double merge_seconds;      // of an element that finds its place among others', in a tile or beside three runs
  double merge_wide_seconds; // the same of one whose key is itself
  double digit_launch_seconds;
  double digit_seconds; // of an element that is counted and goes to its place by a digit
} strata_sort_costs_t;

// Launches (parallel.c, share_launches.c, streams.c, passes/strata/parts.c, lowering/tile_to_gpu/launches.c).
typedef struct {
  double small_seconds;  // kernels that take longer share no launch
  double follow_seconds; // that a product may take longer by another's schedule, in its launch
  double part_seconds;   // a launch for a part of a product
  double fork_seconds;   // of launches that go on several streams: their events, at the fork and at the join
  double side_seconds;   // the same for each stream, of the driver's calls
  double short_bytes;    // up to which, and ...
  double short_flops;    // ... up to which a kernel is over so soon that the next had better begin early
} strata_launch_costs_t;

// Bytes of machine code of attention.
typedef struct {
  double weighted;     // a result, scaled at each step, too
  double masked_score; // with its part of the softmax, behind the last row or column or not
  double score;        // where it is known that there is no such
  double masked_load;  // of what a score has an operand for, there or not
  double load;         // where that is known
} strata_attention_code_costs_t;

// Bytes of machine code (variant_budget.c, gpu_variants.c).
typedef struct {
  double body;                          // of a product or attention: waiting, copying, finding tiles
  double result;                        // that is summed up in a register: set to zero, converted, stored
  double exchanged;                     // a result by each other block that shares its reduction
  double loading_body;                  // of a product whose threads bring their operands themselves
  double addition;                      // of what is done with a result
  double masked_load;                   // of an operand that threads bring themselves, there or not
  double load;                          // where that is known
  double row_body;                      // of rows that registers hold
  double row_element;                   // that a thread holds: loaded, stored, masked
  strata_attention_code_costs_t steps;  // of columns in any number of blocks: a loop, and its last step by itself
  strata_attention_code_costs_t single; // where one block is known to have all columns
} strata_code_costs_t;

// Models err: one way is taken only if it takes less than this share of the other's time.
typedef struct {
  double norm;             // a norm in a product's kernel: of the time of two (group_norm.c)
  double attention;        // in one kernel: of the time of three (group_attention.c)
  double attention_few;    // the same of few rows, whose time is that of memory
  double products;         // two products without a softmax between: of the time of two, which are much alike
  double attention_staged; // where threads stage operands: the same in both, and scores in memory are to be avoided
  double together;         // products in one launch: of the time apart (schedule_together.c)
  double tiled_together;   // the same of tiled ones: where the model is even, a launch less is one that no host makes
                           // (share_launches.c)
  double parts;            // a product in parts: of its time (split_reductions.c)
  double staged;           // an operand staged: of the product's time (stage.c)
  double streams;          // launches on several streams: of their time on one (streams.c)
} strata_margin_costs_t;

typedef struct strata_gpu_costs {
  strata_pipelined_costs_t pipelined;
  strata_norm_costs_t norm;
  strata_attention_costs_t attention;
  strata_attention_staged_costs_t attention_staged;
  strata_tiled_costs_t tiled;
  strata_fma_costs_t fma;
  strata_group_costs_t group;
  strata_stage_costs_t stage;
  strata_split_costs_t split;
  strata_sort_costs_t sorts;
  strata_launch_costs_t launches;
  strata_code_costs_t code;
  strata_margin_costs_t margins;
  strata_gpu_tiles_t tiles;
  strata_corrections_t corrections;
} strata_gpu_costs_t;

#endif
