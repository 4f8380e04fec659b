// What the executor of code objects finds: faults put into small kernels, each beside the kernel without it.
#include "test/amdgpu/assemble.h"

int hipSetDevice(int device);

static const chip_t gfx942 = {"gfx942", 64}, gfx950 = {"gfx950", 64}, gfx1100 = {"gfx1100", 32},
                    gfx1201 = {"gfx1201", 32};

enum { WORDS = 256 };

typedef struct {
  const chip_t *chip;
  const char *finding; // a part of it; "": there is none
  unsigned threads;
  const char *body; // with 4 times the thread's number in v30, and 1024 bytes of LDS
} case_t;

#define LOAD "global_load_dword v1, v30, s[4:5]\n"
#define STORE "global_store_dword v30, v1, s[6:7]\n"

#define TO_LDS "s_mov_b32 m0, 0\nglobal_load_lds_dword v30, s[4:5]\n"
// Each of two waves, 256 bytes; v31: where the other's are.
#define EACH_TO_LDS                                                                                                    \
  "v_xor_b32 v31, 256, v30\nv_and_b32 v29, 256, v30\nv_readfirstlane_b32 s14, v29\ns_mov_b32 m0, s14\n"                \
  "global_load_lds_dword v30, s[4:5]\n"

static const case_t cases[] = {
    // Loads that nobody waits for, or that others' waits do not cover
    {&gfx942, "", 64, LOAD "s_waitcnt vmcnt(0)\n" STORE},
    {&gfx942, "global_store_dword v30, v1, s[6:7]: v1 is used before", 64, LOAD STORE},
    {&gfx942, "v1 is used before", 64, LOAD "v_mov_b32 v1, 0"},
    {&gfx942, "", 64, LOAD "global_load_dword v2, v30, s[4:5]\ns_waitcnt vmcnt(1)\n" STORE},
    {&gfx942, "v2 is used before", 64, LOAD "global_load_dword v2, v30, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v3, v2"},
    {&gfx942, "", 64, LOAD "global_load_dword v1, v30, s[4:5] offset:4\ns_waitcnt vmcnt(0)\n" STORE},
    {&gfx942, "v1 is used before", 64, LOAD "s_waitcnt lgkmcnt(0)\n" STORE},
    {&gfx942, "s14 is used before", 64, "s_load_dword s14, s[4:5], 0x0\ns_add_u32 s14, s14, 1"},
    {&gfx942, "s14 is used before", 64,
     "s_load_dword s14, s[4:5], 0x0\ns_load_dword s15, s[4:5], 0x4\ns_waitcnt lgkmcnt(1)\ns_add_u32 s14, s14, 1"},
    {&gfx942, "v1 is used before", 64, "ds_write_b32 v30, v30\nds_read_b32 v1, v30\n" STORE},
    {&gfx942, "", 64, "ds_write_b32 v30, v30\nds_read_b32 v1, v30\ns_waitcnt lgkmcnt(0)\n" STORE},
    // gfx942 counts stores with loads, gfx1100 apart from them
    {&gfx942, "v1 is used before", 64,
     LOAD "v_mov_b32 v2, 0\nglobal_store_dword v30, v2, s[6:7]\ns_waitcnt vmcnt(2)\n" STORE},
    {&gfx942, "", 64, LOAD "v_mov_b32 v2, 0\nglobal_store_dword v30, v2, s[6:7]\ns_waitcnt vmcnt(1)\n" STORE},
    {&gfx1100, "v1 is used before", 32,
     LOAD "v_mov_b32 v2, 0\nglobal_store_dword v30, v2, s[6:7]\ns_waitcnt vmcnt(1)\n" STORE},
    {&gfx1100, "v1 is used before", 32, LOAD "s_waitcnt_vscnt null, 0x0\n" STORE},
    {&gfx1100, "", 32, LOAD "s_waitcnt vmcnt(0)\n" STORE},
    {&gfx1201, "v1 is used before", 32, LOAD "s_wait_dscnt 0\n" STORE},
    {&gfx1201, "", 32, LOAD "s_wait_loadcnt 0\n" STORE},
    {&gfx1201, "s14 is used before", 32, "s_load_b32 s14, s[4:5], 0x0\ns_wait_dscnt 0\ns_add_co_u32 s14, s14, 1"},
    // Bounds
    {&gfx942, "lie in no allocation", 64, LOAD "global_load_dword v2, v30, s[4:5] offset:772"},
    {&gfx942, "", 64, LOAD "global_load_dword v2, v30, s[4:5] offset:768"},
    {&gfx942, "a store of 4 bytes", 64, "global_store_dword v30, v30, s[6:7] offset:-4"},
    {&gfx942, "", 64,
     "v_cmp_lt_u32 vcc, 4, v30\ns_and_b64 exec, exec, vcc\nglobal_store_dword v30, v30, s[6:7] offset:-4"},
    {&gfx942, "lie in no allocation", 64, "global_store_dword v30, v30, s[0:1]"},
    {&gfx942, "of the block's 1024 bytes of LDS", 64, "ds_write_b32 v30, v30 offset:772"},
    {&gfx1100, "of the block's 1024 bytes of LDS", 32, "ds_store_b128 v30, v[0:3] offset:1000"},
    // LDS between waves
    {&gfx942, "which nobody has written", 64, "ds_read_b32 v1, v30"},
    {&gfx942, "which nobody has written", 128,
     "v_xor_b32 v31, 256, v30\nds_write_b32 v30, v30\ns_waitcnt lgkmcnt(0)\nds_read_b32 v1, v31\ns_barrier"},
    {&gfx942, "", 128,
     "v_xor_b32 v31, 256, v30\nds_write_b32 v30, v30\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v1, v31"},
    {&gfx942, "a race", 128, "v_mov_b32 v31, 0\nds_write_b32 v31, v30"},
    {&gfx942, "a race", 128,
     "v_xor_b32 v31, 256, v30\nds_write_b32 v30, v30\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v1, v31\n"
     "s_waitcnt lgkmcnt(0)\nds_write_b32 v30, v1"},
    {&gfx942, "a barrier while a store to LDS", 128, "ds_write_b32 v30, v30\ns_barrier"},
    {&gfx942, "", 128, "v_mov_b32 v31, 0\nds_add_u32 v31, v30"},
    // Loads into LDS: what they bring is there once their wave has waited, for others behind a barrier after that
    {&gfx950, "", 64, TO_LDS "s_waitcnt vmcnt(0)\nds_read_b32 v1, v30\ns_waitcnt lgkmcnt(0)\n" STORE},
    {&gfx950, "before wave 0 has waited for what it loads there", 64, TO_LDS "ds_read_b32 v1, v30"},
    {&gfx950, "before wave 0 has waited for what it loads there", 64,
     TO_LDS "s_waitcnt lgkmcnt(0)\nds_write_b32 v30, v30"},
    {&gfx950, "", 64, TO_LDS LOAD "s_waitcnt vmcnt(1)\nds_read_b32 v2, v30\ns_waitcnt vmcnt(0) lgkmcnt(0)"},
    {&gfx950, "before wave 0 has waited for what it loads there", 64,
     LOAD TO_LDS "s_waitcnt vmcnt(1)\nds_read_b32 v2, v30"},
    {&gfx950, "", 128, EACH_TO_LDS "s_waitcnt vmcnt(0)\ns_barrier\nds_read_b32 v1, v31\ns_waitcnt lgkmcnt(0)\n" STORE},
    {&gfx950, "has waited for what it loads there", 128, EACH_TO_LDS "s_barrier\nds_read_b32 v1, v31"},
    {&gfx950, "before wave 1 has waited for what it loads there", 128,
     EACH_TO_LDS "s_barrier\ns_waitcnt vmcnt(0)\nds_read_b32 v1, v31\ns_waitcnt lgkmcnt(0)\n" STORE},
    {&gfx950, "of the block's 1024 bytes of LDS", 64, "s_movk_i32 m0, 0x304\nglobal_load_lds_dword v30, s[4:5]"},
    // Matrix instructions of waves want all lanes
    {&gfx1100, "some lanes are inactive", 16, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"},
    {&gfx1100, "hold different operands", 32,
     "v_cvt_f32_u32 v1, v30\nv_cvt_f16_f32 v8, v1\nv_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"},
    {&gfx950, "", 64, "v_lshlrev_b32 v31, 1, v30\nds_write_b64 v31, v[30:31]\nds_read_b64_tr_b16 v[2:3], v31"},
    {&gfx950, "some lanes are not active", 16,
     "v_lshlrev_b32 v31, 1, v30\nds_write_b64 v31, v[30:31]\nds_read_b64_tr_b16 v[2:3], v31"},
    {&gfx950, "v2 is used before", 64,
     "v_lshlrev_b32 v31, 1, v30\nds_write_b64 v31, v[30:31]\nds_read_b64_tr_b16 v[2:3], v31\nv_mov_b32 v2, 0"},
    {&gfx1201, "", 32, "v_lshlrev_b32 v31, 2, v30\nglobal_load_tr_b128 v[4:7], v31, s[4:5]"},
    {&gfx1201, "some lanes are not active", 16, "v_lshlrev_b32 v31, 2, v30\nglobal_load_tr_b128 v[4:7], v31, s[4:5]"},
    {&gfx1201, "v6 is used before", 32,
     "v_lshlrev_b32 v31, 2, v30\nglobal_load_tr_b128 v[4:7], v31, s[4:5]\nv_mov_b32 v6, 0"},
    // What it does not know
    {&gfx942, "does not know this instruction", 64, "v_cubeid_f32 v1, v1, v1, v1"},
    {&gfx942, "a form of it that the executor does not know", 64,
     "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1"},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static void check_case(const case_t *test, void *module, const char *name) {
  void *in, *out;
  uint32_t numbers[WORDS] = {0};
  CHECK(hipMalloc(&in, sizeof numbers) == 0 && hipMalloc(&out, sizeof numbers) == 0);
  CHECK(hipMemcpyHtoDAsync(in, numbers, sizeof numbers, NULL) == 0);
  const char *finding = run_kernel(module, name, test->threads, in, out);
  bool is_right = *test->finding ? strstr(finding, test->finding) && strstr(finding, name) : !*finding;
  if (!is_right)
    fprintf(stderr, "%s: %s\nexpected '%s', found '%s'\n", test->chip->chip, test->body, test->finding, finding);
  CHECK(is_right);
}

// Each on a device of its own: what was found there is the end of its context.
int main(void) {
  char devices[16], name[32];
  snprintf(devices, sizeof devices, "%d", N_CASES);
  setenv("STRATA_TEST_DRIVER_DEVICES", devices, 1);
  CHECK(hipInit(0) == 0);
  for (int i = 0; i < N_CASES; i++) {
    text_t text = {0}, body = {0};
    snprintf(name, sizeof name, "kernel%d", i);
    add(&body, "v_lshlrev_b32 v30, 2, v30\n%s", cases[i].body);
    add_kernel(&text, cases[i].chip, name, body.data, 1024);
    CHECK(hipSetDevice(i) == 0);
    check_case(&cases[i], load_kernels(cases[i].chip, &text), name);
    free(body.data);
  }
  return check_result();
}
