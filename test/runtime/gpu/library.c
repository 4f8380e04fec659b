// A GPU library written by hand. y[i] = x[i] * doubled + packed[i], where doubled = 2 * scale is computed when the
// library is loaded, and packed[i] = w[N - 1 - i] + bias is in the weights, and computed again when both are set.
#include "runtime/base/dtype.h"
#include "runtime/gpu/program.h"

enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS, ROW = 4096 };

__asm__(".section .rodata\n.balign 16\n.hidden test_image\n.globl test_image\ntest_image:\n.incbin \"" TEST_IMAGE
        "\"\n.hidden test_image_end\n.globl test_image_end\ntest_image_end:\n.byte 0\n.previous\n");
extern const char test_image[], test_image_end[];

// |size| is not looked at by the driver, only whether there is an image.
static const strata_rt_image_t images[] = {{"nothing", 8, 1000, 0}, {test_image, 1, 0, 0}};
#define MAP(number)                                                                                                    \
  {                                                                                                                    \
    .buffer = number, .type = STRATA_RT_MAP_F32, .rank = 1, .sizes = {N}, .box = {THREADS}, .steps = { 1 }             \
  }
static const strata_rt_map_t maps[] = {MAP(0), MAP(2)};
static const strata_rt_kernel_t kernels[] = {
#if TEST_MAPS
    {"multiply_by_maps", BLOCKS, THREADS, THREADS * 4 + 8, 2, STRATA_RT_KERNEL_PROGRAMMATIC, 2, maps, {0}},
#else
    {"multiply", BLOCKS, THREADS, 0, 2, STRATA_RT_KERNEL_PROGRAMMATIC, 0, maps, {0}},
#endif
    {"add", BLOCKS, THREADS, 64 * 1024, 1, 0, 0, NULL, {0}},
    {"reverse", BLOCKS, THREADS, 0, 1, 0, 0, NULL, {0}},
    {"add_bias", BLOCKS, THREADS, 0, 1, 0, 0, NULL, {0}},
    {"twice", 1, 1, 0, 1, 0, 0, NULL, {0}},
};

static struct { _Alignas(256) float scale[64], bias[64], packed[ROW / 4]; } weights;
// Constants: 0 scale, 1 w (left out), 2 reversed (not kept), 3 bias, 4 packed, 5 doubled (behind the weights).
static const strata_rt_constant_t constants[] = {
    {0, 4, 1},       {STRATA_RT_UNPLACED, N * 4, 0}, {STRATA_RT_UNPLACED, N * 4, 0}, {256, 4, 1},
    {512, N * 4, 1}, {sizeof weights, 4, 0}};
static const uint32_t public_constants[] = {0, 1, 3};

#define LAUNCH(kernel_, n_args_, first_, size_)                                                                        \
  { .kernel = kernel_, .n_args = n_args_, .first_arg = first_, .size = size_ }
#define LAUNCH_ON(stream_, order_, kernel_, n_args_, first_, size_)                                                    \
  { .kernel = kernel_, .n_args = n_args_, .stream = stream_, .order = order_, .first_arg = first_, .size = size_ }
#ifndef TEST_STREAMS
#define TEST_STREAMS 0
#endif
#ifndef TEST_UNLOADS
#define TEST_UNLOADS 0
#endif
#if TEST_STREAMS
// Three copies of the product beside one another, then two halves of two of them, each on a stream of its own.
enum { N_LAUNCHES = 7, N_BUFFERS = 5, HALF = N * 2 };
#define BUFFER(i, offset)                                                                                              \
  { STRATA_RT_POOL, 0, 256 + (i)*ROW + (offset) }
static const strata_rt_arg_t main_args[] = {
    {STRATA_RT_TENSOR, 0, 0},
    {STRATA_RT_CONSTANT, 5, 0},
    BUFFER(0, 0), // multiply
    BUFFER(0, 0),
    BUFFER(1, 0),
    BUFFER(0, 0),
    BUFFER(2, 0),
    BUFFER(0, 0),
    BUFFER(3, 0),
    BUFFER(1, 0),
    BUFFER(4, 0),
    BUFFER(2, HALF),
    BUFFER(4, HALF),
    BUFFER(4, 0),
    {STRATA_RT_CONSTANT, 4, 0},
    {STRATA_RT_TENSOR, 1, 0}, // add
};
static const strata_rt_launch_t main_launches[] = {
    LAUNCH(0, 3, 0, 0),
    LAUNCH_ON(1, STRATA_RT_FORK, STRATA_RT_COPY, 2, 3, N * 4),
    LAUNCH_ON(2, 0, STRATA_RT_COPY, 2, 5, N * 4),
    LAUNCH_ON(0, 0, STRATA_RT_COPY, 2, 7, N * 4),
    LAUNCH_ON(0, STRATA_RT_JOIN | STRATA_RT_FORK, STRATA_RT_COPY, 2, 9, HALF),
    LAUNCH_ON(1, 0, STRATA_RT_COPY, 2, 11, HALF),
    LAUNCH_ON(0, STRATA_RT_JOIN, 1, 3, 13, 0),
};
#else
enum { N_LAUNCHES = 3, N_BUFFERS = 2 };
static const strata_rt_arg_t main_args[] = {
    {STRATA_RT_TENSOR, 0, 0},       {STRATA_RT_CONSTANT, 5, 0},     {STRATA_RT_POOL, 0, 256}, // multiply
    {STRATA_RT_POOL, 0, 256},       {STRATA_RT_POOL, 0, 256 + ROW},                           // copy
    {STRATA_RT_POOL, 0, 256 + ROW}, {STRATA_RT_CONSTANT, 4, 0},     {STRATA_RT_TENSOR, 1, 0}, // add
};
static const strata_rt_launch_t main_launches[] = {LAUNCH(0, 3, 0, 0), LAUNCH(STRATA_RT_COPY, 2, 3, N * 4),
                                                   LAUNCH(1, 3, 5, 0)};
#endif
static const strata_rt_arg_t prepare_args[] = {
    {STRATA_RT_CONSTANT, 1, 0}, {STRATA_RT_PREPARED, 2, 0},                             // reverse
    {STRATA_RT_PREPARED, 2, 0}, {STRATA_RT_CONSTANT, 3, 0}, {STRATA_RT_PREPARED, 4, 0}, // add_bias
    {STRATA_RT_CONSTANT, 0, 0}, {STRATA_RT_PREPARED, 5, 0},                             // twice
};
static const strata_rt_launch_t prepare_launches[] = {LAUNCH(2, 2, 0, 0), LAUNCH(3, 3, 2, 0), LAUNCH(4, 2, 5, 0)};

static const int64_t shape[] = {N};
static const strata_tensor_info_t input = {"x", "x", STRATA_DTYPE_F32, 1, shape, N * 4};
static const strata_tensor_info_t output = {"y", "y", STRATA_DTYPE_F32, 1, shape, N * 4};
static const strata_tensor_info_t scale_info = {"scale", "scale", STRATA_DTYPE_F32, 0, NULL, 4};
static const strata_tensor_info_t w_info = {"w", "w", STRATA_DTYPE_F32, 1, shape, N * 4};
static const strata_tensor_info_t bias_info = {"bias", "bias", STRATA_DTYPE_F32, 0, NULL, 4};
static const strata_tensor_info_t *const inputs[] = {&input}, *const outputs[] = {&output};
static const strata_tensor_info_t *const constant_infos[] = {&scale_info, &w_info, &bias_info};
static const strata_kernel_info_t kernel_infos[] = {
    {"multiply", BLOCKS, 0, 0}, {"copy", 1, 0, 0}, {"add", BLOCKS, 0, 0}};
static const strata_kernel_info_t *const kernel_info_list[] = {&kernel_infos[0], &kernel_infos[1], &kernel_infos[2]};
static const uint32_t launches[N_LAUNCHES] = {0, 1, [N_LAUNCHES - 1] = 2};
static const char *const devices[] = {"emulated"};

static const strata_library_t library = {
    .struct_size = sizeof library,
    .abi_version = STRATA_LIBRARY_DESCRIPTION,
    .flags =
        (TEST_USER_MEMORY ? STRATA_LIBRARY_USER_MEMORY : 0) | (TEST_DEVICE_TENSORS ? STRATA_LIBRARY_DEVICE_TENSORS : 0),
    .alignment = TEST_DEVICE_TENSORS ? 16 : 0,
    .name = "test",
    .target = TEST_TARGET == 2 ? "amdgpu" : "nvgpu",
    .n_devices = 1,
    .devices = devices,
    .n_inputs = 1,
    .inputs = inputs,
    .n_outputs = 1,
    .outputs = outputs,
    .n_constants = 3,
    .constants = constant_infos,
    .n_kernels = 3,
    .kernels = kernel_info_list,
    .n_launches = N_LAUNCHES,
    .launches = launches,
    .run = strata_rt_run,
    .device_memory_size = strata_rt_device_memory_size,
    .weights_size = strata_rt_weights_size,
    .load = strata_rt_load,
    .set_constant = strata_rt_set_constant,
    .unload = strata_rt_unload,
    .error = strata_rt_error,
    .set_trace = strata_rt_set_trace,
};

static const strata_rt_variant_t variants[] = {{.device = "emulated",
                                                .images = images,
                                                .n_images = 2,
                                                .kernels = kernels,
                                                .n_kernels = 5,
                                                .main = {main_launches, N_LAUNCHES, main_args},
                                                .prepare = {prepare_launches, 3, prepare_args},
                                                .constants = constants,
                                                .public_constants = public_constants,
                                                .n_constants = 6,
                                                .pool_size = 256 + N_BUFFERS * ROW,
                                                .n_side_streams = TEST_STREAMS ? 2 : 0,
                                                .max_args = 3,
                                                .weights = &weights,
                                                .weights_size = sizeof weights,
                                                .memory_size = sizeof weights + 256}};

const strata_rt_program_t strata_rt_program = {.library = &library,
                                               .variants = variants,
                                               .n_variants = 1,
                                               .target = TEST_TARGET,
                                               .user_memory = TEST_USER_MEMORY,
                                               .device_tensors = TEST_DEVICE_TENSORS,
                                               .unloads = TEST_UNLOADS};

__attribute__((constructor)) static void fill_weights(void) {
  *weights.scale = 2;
  *weights.bias = 1;
  for (int i = 0; i < N; i++)
    weights.packed[i] = 1;
}

__attribute__((visibility("default"))) const strata_library_t *test_library(void);
const strata_library_t *test_library(void) { return &library; }
