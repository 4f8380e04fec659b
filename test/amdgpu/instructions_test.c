// Each kind of instruction that the executor of code objects knows, by examples: what LLVM assembles of it, run on the
// stand-in for HIP.
#include "test/amdgpu/assemble.h"
#include "test/support/driver/amdgpu/numbers.h"

#include <math.h>

static const chip_t gfx942 = {"gfx942", 64}, gfx950 = {"gfx950", 64}, gfx1100 = {"gfx1100", 32},
                    gfx1201 = {"gfx1201", 32};

enum { G9 = 1, G11 = 2, BOTH = 3, G12 = 4, G950 = 8, LDS_BYTES = 1024, MAX_LANES = 64, MAX_WORDS = 64 };

static uint32_t F(float value) { return bits_f32(value); }
static uint32_t H(float value) { return half_of(value); }
static uint64_t D(double value) { return bits_f64(value); }
static uint32_t LO(double value) { return (uint32_t)D(value); }
static uint32_t HI(double value) { return (uint32_t)(D(value) >> 32); }

// Another value in lanes 0 and 2.
static uint32_t masked_value;
static uint32_t MASKED(uint32_t value, uint32_t in_mask) {
  masked_value = in_mask;
  return value;
}

// Runs it on lanes' words and gives back lanes' words: |n_in| and |n_out| of them each, in v0 and v4 on.
static void run_lanes(void *module, const char *name, const chip_t *chip, const uint32_t *in, unsigned n_in,
                      uint32_t *out, unsigned n_out) {
  void *from, *to;
  size_t in_bytes = (size_t)chip->lanes * n_in * 4, out_bytes = (size_t)chip->lanes * n_out * 4;
  CHECK(hipMalloc(&from, in_bytes) == 0 && hipMalloc(&to, out_bytes) == 0);
  CHECK(hipMemcpyHtoDAsync(from, in, in_bytes, NULL) == 0);
  CHECK_STR(run_kernel(module, name, chip->lanes, from, to), "");
  CHECK(hipMemcpyDtoHAsync(out, to, out_bytes, NULL) == 0 && hipStreamSynchronize(NULL) == 0);
  CHECK(hipFree(from) == 0 && hipFree(to) == 0);
}

// |n_in|: a multiple of 4.
static void add_lanes_kernel(text_t *text, const chip_t *chip, const char *name, const char *body, unsigned n_in,
                             unsigned first_out, unsigned n_out) {
  text_t all = {0};
  add(&all, "v_mul_u32_u24 v31, %u, v30\nv_mul_u32_u24 v29, %u, v30\n", 4 * n_in, 4 * n_out);
  for (unsigned i = 0; i < n_in; i += 4)
    add(&all, "global_load_dwordx4 v[%u:%u], v31, s[4:5] offset:%u\n", i, i + 3, 4 * i);
  add(&all, "s_mov_b32 s10, 7\ns_mov_b32 s12, 5\ns_mov_b32 s13, 0\n%s\n",
      has_counters_apart(chip) ? "s_wait_loadcnt 0" : "s_waitcnt vmcnt(0)");
  add(&all, "%s\n", body);
  for (unsigned i = 0; i < n_out; i += 2)
    add(&all, "global_store_dwordx2 v29, v[%u:%u], s[6:7] offset:%u\n", first_out + i, first_out + i + 1, 4 * i);
  add_kernel(text, chip, name, all.data, LDS_BYTES);
  free(all.data);
}

//===-- In each lane ---------------------------------------------------------------------------------------------===//

typedef struct {
  unsigned chips;
  const char *code;
  uint32_t in[4], out[2], masked;
} example_t;

static void check_example(void *module, const chip_t *chip, const char *name, const example_t *example) {
  uint32_t in[MAX_LANES * 4], out[MAX_LANES * 2];
  for (unsigned i = 0; i < chip->lanes * 4; i++)
    in[i] = example->in[i % 4];
  run_lanes(module, name, chip, in, 4, out, 2);
  for (unsigned lane = 0; lane < chip->lanes; lane++) {
    uint32_t expected = example->masked && (lane == 0 || lane == 2) ? example->masked : example->out[0];
    if (out[2 * lane] == expected && out[2 * lane + 1] == example->out[1])
      continue;
    fprintf(stderr, "%s: %s: lane %u: 0x%08x 0x%08x, expected 0x%08x 0x%08x\n", chip->chip, example->code, lane,
            out[2 * lane], out[2 * lane + 1], expected, example->out[1]);
    check_failures++;
    return;
  }
}

static void add_example(text_t *text, const chip_t *chip, unsigned number, const example_t *example) {
  char body[512], name[16], *at;
  snprintf(name, sizeof name, "k%u", number);
  snprintf(body, sizeof body, "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\n%s", example->code);
  if ((at = strstr(body, "MASK")))
    strcpy(at, chip->lanes == 32 ? "s12" : "s[12:13]"); // the last word
  add_lanes_kernel(text, chip, name, body, 4, 4, 2);
}

static void test_examples(const chip_t *chip, unsigned which) {
  const example_t examples[] = {
#define EXAMPLE(chips, code, a, b, c, d, low, high)                                                                    \
  {chips, code, {a, b, c, d}, {(masked_value = 0, low), high}, masked_value},
#include "test/amdgpu/examples.def"
  };
  const unsigned n = sizeof examples / sizeof examples[0];
  char name[16];
  text_t text = {0};
  for (unsigned i = 0; i < n; i++)
    if (examples[i].chips & which)
      add_example(&text, chip, i, &examples[i]);
  void *module = load_kernels(chip, &text);
  for (unsigned i = 0; i < n; i++) {
    snprintf(name, sizeof name, "k%u", i);
    if (examples[i].chips & which)
      check_example(module, chip, name, &examples[i]);
  }
  CHECK(hipModuleUnload(module) == 0);
}

//===-- Between lanes --------------------------------------------------------------------------------------------===//

// |from|: the lane that each lane then has; -1: it keeps its own 1000 + lane.
typedef struct {
  unsigned chips;
  const char *code;
  int (*from)(int lane);
} move_t;

static int quad(int lane) { return lane ^ 1; }
static int shifted(int lane) { return lane % 16 >= 2 ? lane - 2 : -1; }
static int mirrored(int lane) { return lane / 16 * 16 + 15 - lane % 16; }
static int rotated(int lane) { return lane / 16 * 16 + (lane % 16 + 13) % 16; }
static int crossed(int lane) { return lane ^ 5; }
static int eight(int lane) { return lane / 8 * 8 + 7 - lane % 8; }
static int row_before(int lane) { return lane >= 16 ? lane / 16 * 16 - 1 : -1; }
static int other_row(int lane) { return (lane ^ 16) / 16 * 16 + 15 - lane % 16; }
static int backward(int lane) { return lane ^ 3; }

// Into LDS from M0 on, the lanes side by side; then each reads what the lane of |backward| has there.
#define BACKWARD(shift) "\ns_waitcnt vmcnt(0)\nv_xor_b32 v1, 3, v30\nv_lshlrev_b32 v1, " #shift ", v1\n"
#define TO_M0 "s_movk_i32 m0, 0\n"
#define BUFFER "s_mov_b32 s16, s4\ns_mov_b32 s17, s5\ns_movk_i32 s18, 0x400\ns_mov_b32 s19, 0x27000\n"
#define READ "ds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)"

static const move_t moves[] = {
    {G9 | G950, TO_M0 "global_load_lds_dword v31, s[4:5]" BACKWARD(2) READ, backward},
    {G9 | G950, TO_M0 BUFFER "buffer_load_dword v31, s[16:19], 0 offen lds" BACKWARD(2) READ, backward},
    {G950, TO_M0 "global_load_lds_dwordx4 v31, s[4:5]" BACKWARD(4) READ, backward},
    {G950, TO_M0 "global_load_lds_dwordx3 v31, s[4:5]" BACKWARD(4) READ, backward},
    {G950, TO_M0 BUFFER "buffer_load_dwordx4 v31, s[16:19], 0 offen lds" BACKWARD(4) READ, backward},
    {BOTH, "v_mov_b32_dpp v4, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", quad},
    {BOTH, "v_mov_b32_dpp v4, v0 row_shr:2 row_mask:0xf bank_mask:0xf", shifted},
    {BOTH, "v_mov_b32_dpp v4, v0 row_mirror row_mask:0xf bank_mask:0xf", mirrored},
    {BOTH, "v_mov_b32_dpp v4, v0 row_ror:3 row_mask:0xf bank_mask:0xf", rotated},
    {G11, "v_mov_b32_dpp v4, v0 row_xmask:5 row_mask:0xf bank_mask:0xf", crossed},
    {G11, "v_mov_b32_dpp v4, v0 dpp8:[7,6,5,4,3,2,1,0]", eight},
    {G9, "v_mov_b32_dpp v4, v0 row_bcast:15 row_mask:0xf bank_mask:0xf", row_before},
    {G11, "s_mov_b32 s14, 0x89abcdef\ns_mov_b32 s15, 0x01234567\nv_permlanex16_b32 v4, v0, s14, s15", other_row},
    {BOTH, "v_xor_b32 v1, 3, v30\nv_lshlrev_b32 v1, 2, v1\nds_bpermute_b32 v4, v1, v0\ns_waitcnt lgkmcnt(0)", backward},
    {BOTH, "v_xor_b32 v1, 3, v30\nv_lshlrev_b32 v1, 2, v1\nds_permute_b32 v4, v1, v0\ns_waitcnt lgkmcnt(0)", backward},
    {BOTH, "ds_swizzle_b32 v4, v0 offset:0x0c1f\ns_waitcnt lgkmcnt(0)", backward},
};

static void test_moves(const chip_t *chip, unsigned which) {
  const unsigned n = sizeof moves / sizeof moves[0];
  text_t text = {0};
  char name[16], body[512];
  for (unsigned i = 0; i < n; i++) {
    snprintf(name, sizeof name, "m%u", i);
    snprintf(body, sizeof body, "v_add_u32 v4, 0x3e8, v30\nv_mov_b32 v5, 0\n%s", moves[i].code);
    if (moves[i].chips & which)
      add_lanes_kernel(&text, chip, name, body, 4, 4, 2);
  }
  void *module = load_kernels(chip, &text);
  for (unsigned i = 0; i < n; i++) {
    uint32_t in[MAX_LANES * 4] = {0}, out[MAX_LANES * 2];
    for (unsigned lane = 0; lane < chip->lanes; lane++)
      in[4 * lane] = 100 + lane;
    snprintf(name, sizeof name, "m%u", i);
    if (!(moves[i].chips & which))
      continue;
    run_lanes(module, name, chip, in, 4, out, 2);
    for (int lane = 0; lane < (int)chip->lanes; lane++) {
      int from = moves[i].from(lane), expected = from < 0 ? 1000 + lane : 100 + from;
      if (out[2 * lane] != (uint32_t)expected)
        fprintf(stderr, "%s: %s: lane %d: %u, expected %d\n", chip->chip, moves[i].code, lane, out[2 * lane], expected);
      CHECK(out[2 * lane] == (uint32_t)expected);
    }
  }
  CHECK(hipModuleUnload(module) == 0);
}

//===-- Loads that turn ------------------------------------------------------------------------------------------===//

// Sixteen lanes have a matrix of 4 x 16 halfwords in LDS, whose pieces of four lie in the order of lanes, or backward,
// as each says by its address. A lane gets four rows of its column.
static void test_turned(const chip_t *chip, unsigned crossed) {
  uint32_t in[MAX_LANES * 4] = {0}, out[MAX_LANES * 2];
  text_t text = {0};
  char body[512];
  snprintf(body, sizeof body,
           "v_xor_b32 v6, %u, v30\nv_lshlrev_b32 v6, 3, v6\nv_lshlrev_b32 v7, 3, v30\nds_write_b64 v6, v[0:1]\n"
           "s_waitcnt lgkmcnt(0)\nv_xor_b32 v7, %u, v7\nds_read_b64_tr_b16 v[4:5], v7\ns_waitcnt lgkmcnt(0)",
           crossed, 8 * crossed);
  add_lanes_kernel(&text, chip, "turned", body, 4, 4, 2);
  void *module = load_kernels(chip, &text);
  for (unsigned lane = 0; lane < chip->lanes; lane++)
    for (unsigned i = 0; i < 4; i++) { // 100 times the row of its matrix, and the column
      uint32_t number = 1000 * (lane / 16) + 100 * (lane % 16 / 4) + 4 * (lane % 4) + i;
      in[4 * lane + i / 2] |= number << 16 * (i % 2);
    }
  run_lanes(module, "turned", chip, in, 4, out, 2);
  for (unsigned lane = 0; lane < chip->lanes; lane++)
    for (unsigned row = 0; row < 4; row++) {
      uint32_t number = out[2 * lane + row / 2] >> 16 * (row % 2) & 0xFFFF;
      CHECK(number == 1000 * (lane / 16) + 100 * row + lane % 16);
    }
  CHECK(hipModuleUnload(module) == 0);
}

// The same of a matrix of 8 x 16 bytes, of which a lane has half a row in order, and gets eight rows of its column.
static void test_turned_bytes(const chip_t *chip) {
  uint32_t in[MAX_LANES * 4] = {0}, out[MAX_LANES * 2];
  const uint8_t *columns = (const uint8_t *)out;
  text_t text = {0};
  add_lanes_kernel(&text, chip, "turned_bytes",
                   "v_lshlrev_b32 v6, 3, v30\nds_write_b64 v6, v[0:1]\ns_waitcnt lgkmcnt(0)\n"
                   "ds_read_b64_tr_b8 v[4:5], v6\ns_waitcnt lgkmcnt(0)",
                   4, 4, 2);
  void *module = load_kernels(chip, &text);
  for (unsigned lane = 0; lane < chip->lanes; lane++)
    for (unsigned i = 0; i < 8; i++) // bits of the matrix, row and column
      ((uint8_t *)in)[16 * lane + i] = (uint8_t)(lane / 16 << 7 | lane % 16 / 2 << 4 | (8 * (lane % 2) + i));
  run_lanes(module, "turned_bytes", chip, in, 4, out, 2);
  for (unsigned lane = 0; lane < chip->lanes; lane++)
    for (unsigned row = 0; row < 8; row++)
      CHECK(columns[8 * lane + row] == (uint8_t)(lane / 16 << 7 | row << 4 | lane % 16));
  CHECK(hipModuleUnload(module) == 0);
}

// Squares of 8 x 8 halfwords in memory, of which each of eight lanes has a row, in the order of lanes or another, as
// each says by its address. A lane gets eight rows of its column.
static void test_turned_loads(const chip_t *chip, unsigned crossed) {
  uint32_t in[MAX_LANES * 4] = {0}, out[MAX_LANES * 4];
  text_t text = {0};
  char body[256];
  snprintf(body, sizeof body,
           "v_xor_b32 v8, %u, v30\nv_lshlrev_b32 v8, 4, v8\nglobal_load_tr_b128 v[4:7], v8, s[4:5]\ns_wait_loadcnt 0",
           crossed);
  add_lanes_kernel(&text, chip, "turned_loads", body, 4, 4, 4);
  void *module = load_kernels(chip, &text);
  for (unsigned lane = 0; lane < chip->lanes; lane++)
    for (unsigned i = 0; i < 8; i++) // 100 times the row, and the column
      in[4 * lane + i / 2] |= (100 * lane + i) << 16 * (i % 2);
  run_lanes(module, "turned_loads", chip, in, 4, out, 4);
  for (unsigned lane = 0; lane < chip->lanes; lane++)
    for (unsigned row = 0; row < 8; row++) {
      uint32_t number = out[4 * lane + row / 2] >> 16 * (row % 2) & 0xFFFF;
      CHECK(number == 100 * ((lane / 8 * 8 + row) ^ crossed) + lane % 8);
    }
  CHECK(hipModuleUnload(module) == 0);
}

//===-- Matrices -------------------------------------------------------------------------------------------------===//

// A product whose operands lie in the words of lanes as the ISA documents have it: |row|, |depth| of the |i|-th element
// of a lane, and |row|, |column| of a result's. Numbers of 8 bits are integers but for those with a |mantissa|.
typedef struct {
  const chip_t *chip;
  const char *code; // a in v[0:..], b in v[8:..], c and d in v[32:..]
  unsigned size, depth, n_in, n_out, bits;
  unsigned (*depth_of)(unsigned lane, unsigned i);
  unsigned (*row_of)(unsigned lane, unsigned i);
  unsigned mantissa[2]; // of a and b
  unsigned byte[2];     // of scales, in v20 and v21: which one counts
} product_t;

static unsigned depth_4(unsigned lane, unsigned i) { return 4 * (lane / 16) + i; }
static unsigned depth_4_32(unsigned lane, unsigned i) { return 4 * (lane / 32) + i; }
static unsigned depth_8(unsigned lane, unsigned i) { return 8 * (lane / 16) + i; }
static unsigned depth_8_32(unsigned lane, unsigned i) { return 8 * (lane / 32) + i; }
static unsigned depth_16x2(unsigned lane, unsigned i) { return 16 * (lane / 16) + i / 16 * 64 + i % 16; }
static unsigned depth_16x2_32(unsigned lane, unsigned i) { return 16 * (lane / 32) + i / 16 * 32 + i % 16; }
static unsigned depth_1(unsigned lane, unsigned i) { return lane / 16 + i; }
static unsigned depth_1_32(unsigned lane, unsigned i) { return lane / 32 + i; }
static unsigned depth_2(unsigned lane, unsigned i) { return 2 * (lane / 16) + i; }
static unsigned depth_2_32(unsigned lane, unsigned i) { return 2 * (lane / 32) + i; }
static unsigned depth_16_32(unsigned lane, unsigned i) { return 16 * (lane / 32) + i; }
static unsigned depth_all(unsigned lane, unsigned i) { return lane * 0 + i; }
static unsigned rows_4(unsigned lane, unsigned i) { return 4 * (lane / 16) + i; }
static unsigned rows_32(unsigned lane, unsigned i) { return i / 4 * 8 + 4 * (lane / 32) + i % 4; }
static unsigned rows_2(unsigned lane, unsigned i) { return 2 * i + lane / 16; }
static unsigned rows_8(unsigned lane, unsigned i) { return 8 * (lane / 16) + i; }

// A row an instruction.
// clang-format off
static const product_t products[] = {
    {&gfx942, "v_mfma_f32_16x16x16_f16 v[32:35], v[0:1], v[8:9], v[32:35]",
     16, 16, 4, 4, 16, depth_4, rows_4, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_f32_32x32x8_f16 v[32:47], v[0:1], v[8:9], v[32:47]",
     32, 8, 4, 16, 16, depth_4_32, rows_32, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_f32_16x16x4_f32 v[32:35], v0, v8, v[32:35]", 16, 4, 1, 4, 32, depth_1, rows_4, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_f32_32x32x2_f32 v[32:47], v0, v8, v[32:47]",
     32, 2, 1, 16, 32, depth_1_32, rows_32, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_i32_16x16x32_i8 v[32:35], v[0:1], v[8:9], v[32:35]",
     16, 32, 8, 4, 8, depth_8, rows_4, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_i32_32x32x16_i8 v[32:47], v[0:1], v[8:9], v[32:47]",
     32, 16, 8, 16, 8, depth_8_32, rows_32, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_f32_16x16x8_xf32 v[32:35], v[0:1], v[8:9], v[32:35]",
     16, 8, 2, 4, 32, depth_2, rows_4, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_f32_32x32x4_xf32 v[32:47], v[0:1], v[8:9], v[32:47]",
     32, 4, 2, 16, 32, depth_2_32, rows_32, {0, 0}, {0, 0}},
    {&gfx942, "v_mfma_f32_16x16x32_fp8_fp8 v[32:35], v[0:1], v[8:9], v[32:35]",
     16, 32, 8, 4, 8, depth_8, rows_4, {3, 3}, {0, 0}},
    {&gfx942, "v_mfma_f32_16x16x32_bf8_fp8 v[32:35], v[0:1], v[8:9], v[32:35]",
     16, 32, 8, 4, 8, depth_8, rows_4, {2, 3}, {0, 0}},
    {&gfx942, "v_mfma_f32_32x32x16_bf8_bf8 v[32:47], v[0:1], v[8:9], v[32:47]",
     32, 16, 8, 16, 8, depth_8_32, rows_32, {2, 2}, {0, 0}},
    {&gfx950, "v_mfma_f32_16x16x32_f16 v[32:35], v[0:3], v[8:11], v[32:35]",
     16, 32, 8, 4, 16, depth_8, rows_4, {0, 0}, {0, 0}},
    {&gfx950, "v_mfma_f32_32x32x16_f16 v[32:47], v[0:3], v[8:11], v[32:47]",
     32, 16, 8, 16, 16, depth_8_32, rows_32, {0, 0}, {0, 0}},
    {&gfx950, "v_mfma_i32_32x32x32_i8 v[32:47], v[0:3], v[8:11], v[32:47]",
     32, 32, 16, 16, 8, depth_16_32, rows_32, {0, 0}, {0, 0}},
    {&gfx950, "v_mfma_f32_16x16x32_fp8_bf8 v[32:35], v[0:1], v[8:9], v[32:35]",
     16, 32, 8, 4, 8, depth_8, rows_4, {3, 2}, {0, 0}},
    {&gfx950, "v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[0:7], v[8:15], v[32:35]",
     16, 128, 32, 4, 8, depth_16x2, rows_4, {3, 3}, {0, 0}},
    {&gfx950, "v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[0:7], v[8:15], v[32:35] cbsz:1",
     16, 128, 32, 4, 8, depth_16x2, rows_4, {2, 3}, {0, 0}},
    {&gfx950, "v_mfma_f32_32x32x64_f8f6f4 v[32:47], v[0:7], v[8:15], v[32:47] cbsz:1 blgp:1",
     32, 64, 32, 16, 8, depth_16x2_32, rows_32, {2, 2}, {0, 0}},
    {&gfx950, "v_mfma_scale_f32_16x16x128_f8f6f4 v[32:35], v[0:7], v[8:15], v[32:35], v20, v21 op_sel_hi:[0,0,0]",
     16, 128, 32, 4, 8, depth_16x2, rows_4, {3, 3}, {0, 0}},
    {&gfx950, "v_mfma_scale_f32_16x16x128_f8f6f4 v[32:35], v[0:7], v[8:15], v[32:35], v20, v21 op_sel:[1,0,0] "
     "op_sel_hi:[1,0,0] cbsz:1", 16, 128, 32, 4, 8, depth_16x2, rows_4, {2, 3}, {3, 0}},
    {&gfx950, "v_mfma_scale_f32_32x32x64_f8f6f4 v[32:47], v[0:7], v[8:15], v[32:47], v20, v21 op_sel:[0,1,0] "
     "op_sel_hi:[1,0,0] blgp:1", 32, 64, 32, 16, 8, depth_16x2_32, rows_32, {3, 2}, {2, 1}},
    {&gfx1201, "v_wmma_f32_16x16x16_fp8_bf8 v[32:39], v[0:1], v[8:9], v[32:39]",
     16, 16, 8, 8, 8, depth_8, rows_8, {3, 2}, {0, 0}},
    {&gfx1100, "v_wmma_f32_16x16x16_f16 v[32:39], v[0:7], v[8:15], v[32:39]",
     16, 16, 16, 8, 16, depth_all, rows_2, {0, 0}, {0, 0}},
    {&gfx1100, "v_wmma_i32_16x16x16_iu8 v[32:39], v[0:3], v[8:11], v[32:39] neg_lo:[1,1,0]", 16, 16, 16, 8, 8,
     depth_all, rows_2, {0, 0}, {0, 0}},
    {&gfx1201, "v_wmma_f32_16x16x16_f16 v[32:39], v[0:3], v[8:11], v[32:39]",
     16, 16, 8, 8, 16, depth_8, rows_8, {0, 0}, {0, 0}},
};
// clang-format on

static int number_at(unsigned i, unsigned j, int of) { return (int)(i * 7 + j * 13 + i * j * (unsigned)of) % 15 - 7; }

// A small integer as a float of 8 bits; gfx942's have one more in the bias.
static uint8_t f8_of_integer(int number, unsigned mantissa, bool is_fnuz) {
  int exponent = 0, bias = (1 << (6 - mantissa)) - !is_fnuz, size = abs(number);
  while (size >> (exponent + 1))
    exponent++;
  int fraction = size * (1 << mantissa) / (1 << exponent) - (1 << mantissa);
  return (uint8_t)(size == 0 ? 0 : (number < 0 ? 0x80 : 0) | (exponent + bias) << mantissa | fraction);
}

static uint32_t bits_of(int number, int of, const product_t *product) {
  if (product->mantissa[of])
    return f8_of_integer(number, product->mantissa[of], product->chip == &gfx942);
  return product->bits == 8 ? (uint8_t)number : product->bits == 16 ? H((float)number) : F((float)number);
}

// Of the block along the depth that |k| is in, of a row of a or a column of b: 1, 2 or 4.
static int scale_at(const product_t *product, unsigned row, unsigned k, unsigned of) {
  bool is_scaled = strstr(product->code, "_scale_");
  return is_scaled ? 1 << (row + k / 32 * (of + 1) + of) % 3 : 1;
}

// Its exponent in the byte that counts, beside others.
static uint32_t scale_word(const product_t *product, unsigned lane, unsigned of) {
  unsigned shift = 8 * product->byte[of], block = lane / product->size;
  int scale = scale_at(product, lane % product->size, 32 * block, of);
  uint32_t code = 127 + (uint32_t)(scale == 2) + 2u * (uint32_t)(scale == 4);
  return (0x85868788 & ~(UINT32_C(0xFF) << shift)) | code << shift;
}

static bool has_integers(const product_t *product) { return product->bits == 8 && !product->mantissa[0]; }

static void fill_operand(const product_t *product, int of, unsigned lane, uint32_t *words) {
  for (unsigned i = 0; i < product->n_in; i++) {
    unsigned row = lane % product->size, depth = product->depth_of(lane, i), shift = i * product->bits % 32;
    int number = of == 0 ? number_at(row, depth, 3) : number_at(depth, row, 5);
    words[i * product->bits / 32] |= bits_of(number, of, product) << shift;
  }
}

static int expected_at(const product_t *product, unsigned i, unsigned j) {
  int sum = number_at(i, j, 2);
  for (unsigned k = 0; k < product->depth; k++)
    sum += number_at(i, k, 3) * scale_at(product, i, k, 0) * number_at(k, j, 5) * scale_at(product, j, k, 1);
  return sum;
}

static void test_product(const product_t *product) {
  enum { WORDS = 36 }; // of a lane: a, b, c, scales
  static uint32_t in[MAX_LANES * MAX_WORDS], out[MAX_LANES * MAX_WORDS];
  const chip_t *chip = product->chip;
  text_t text = {0};
  memset(in, 0, sizeof in);
  char body[1024] = "";
  for (unsigned i = 0; i < product->n_out; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body), "v_mov_b32 v%u, v%u\n", 32 + i, 48 + i);
  strncat(body, product->code, sizeof body - strlen(body) - 1);
  // c is loaded into v48 on: registers 29 to 31 are the harness's own.
  text_t loads = {0};
  for (unsigned i = 0; i < 16; i += 4)
    add(&loads, "global_load_dwordx4 v[%u:%u], v31, s[4:5] offset:%u\n", 48 + i, 51 + i, 64 + 4 * i);
  add(&loads, "%s\n%s", has_counters_apart(chip) ? "s_wait_loadcnt 0" : "s_waitcnt vmcnt(0)", body);
  text_t all = {0};
  add(&all, "v_mul_u32_u24 v31, 144, v30\nv_mul_u32_u24 v29, 64, v30\n");
  add(&all, "global_load_dwordx2 v[20:21], v31, s[4:5] offset:128\n");
  for (unsigned i = 0; i < 16; i += 4)
    add(&all, "global_load_dwordx4 v[%u:%u], v31, s[4:5] offset:%u\n", i, i + 3, 4 * i);
  add(&all, "%s\n", loads.data);
  for (unsigned i = 0; i < 16; i += 2)
    add(&all, "global_store_dwordx2 v29, v[%u:%u], s[6:7] offset:%u\n", 32 + i, 33 + i, 4 * i);
  add_kernel(&text, chip, "product", all.data, 0);
  void *module = load_kernels(chip, &text);
  for (unsigned lane = 0; lane < chip->lanes; lane++) {
    fill_operand(product, 0, lane, &in[WORDS * lane]);
    fill_operand(product, 1, lane, &in[WORDS * lane + 8]);
    for (unsigned of = 0; of < 2; of++)
      in[WORDS * lane + 32 + of] = scale_word(product, lane, of);
    for (unsigned i = 0; i < product->n_out; i++) {
      int c = number_at(product->row_of(lane, i), lane % product->size, 2);
      in[WORDS * lane + 16 + i] = has_integers(product) ? (uint32_t)c : F((float)c);
    }
  }
  run_lanes(module, "product", chip, in, WORDS, out, 16);
  for (unsigned lane = 0; lane < chip->lanes; lane++)
    for (unsigned i = 0; i < product->n_out; i++) {
      int expected = expected_at(product, product->row_of(lane, i), lane % product->size);
      uint32_t bits = has_integers(product) ? (uint32_t)expected : F((float)expected);
      if (out[16 * lane + i] == bits)
        continue;
      fprintf(stderr, "%s: lane %u, register %u is wrong\n", product->code, lane, i);
      check_failures++;
    }
  free(loads.data);
  free(all.data);
  CHECK(hipModuleUnload(module) == 0);
}

int main(void) {
  CHECK(hipInit(0) == 0);
  test_examples(&gfx942, G9);
  test_examples(&gfx1100, G11);
  test_moves(&gfx942, G9);
  test_moves(&gfx950, G950);
  test_moves(&gfx1100, G11);
  test_turned(&gfx950, 0);
  test_turned(&gfx950, 21);
  test_turned_bytes(&gfx950);
  test_turned_loads(&gfx1201, 0);
  test_turned_loads(&gfx1201, 21);
  for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
    test_product(&products[i]);
  return check_result();
}
