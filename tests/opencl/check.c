/* OpenCL programs that check themselves, for Intel's driver on the emulator (tests/tests/driver.rs).
 *
 *   check build          the program binary goes to standard output
 *   check threads        builds in eight threads at once give equal binaries
 *   check ITEMS CASE...  runs cases below, one after the other; each says "CASE right", or what is wrong (and status 1)
 *
 * What the device computes is compared with what C computes; buffers hold a pattern before, so that nothing is right that
 * nobody computed. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "__kernel void saxpy(__global float *y, __global const float *x, float a, uint n) {\n"
    "  uint i = get_global_id(0);\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n"
    /* a loop, a branch, arguments of several sizes */
    "__kernel void scalars(__global uint *y, __global const uint *x, ushort m, ulong add, uchar shift) {\n"
    "  uint i = get_global_id(0), v = x[i];\n"
    "  for (uint k = 0; k < (v & 7); k++) v = (v & 1) ? v * m + k : (v >> 1) ^ (uint)add;\n"
    "  y[i] = v + (uint)(add >> shift) + (uint)get_local_id(0);\n"
    "}\n"
    /* local memory and barriers: a sum over the group in steps, and the group's number */
    "__kernel void local_sum(__global uint *y, __global const uint *x, __local uint *t) {\n"
    "  uint l = get_local_id(0);\n"
    "  t[l] = x[get_global_id(0)];\n"
    "  for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < s) t[l] += t[l + s];\n"
    "  }\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  y[get_global_id(0)] = t[0] + (uint)get_group_id(0);\n"
    "}\n"
    /* groups that change the same memory */
    "__kernel void histogram(__global uint *bins, __global const uint *x) {\n"
    "  atomic_inc(&bins[x[get_global_id(0)] & 15]);\n"
    "  atomic_max(&bins[16], (uint)get_global_id(0));\n"
    "}\n"
    /* three dimensions, with an offset */
    "__kernel void places(__global uint *y) {\n"
    "  uint at = (uint)(((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0));\n"
    "  y[at] = (uint)(get_local_id(2) << 24 | get_local_id(1) << 16 | get_local_id(0) << 8 | get_group_id(1) << 4 | get_global_id(2));\n"
    "}\n"
    /* an array of each item, indexed by data: private memory */
    "__kernel void private_array(__global uint *y, __global const uint *x) {\n"
    "  uint a[64], i = get_global_id(0), s = 0;\n"
    "  for (uint k = 0; k < 64; k++) a[k] = x[i] * k + k;\n"
    "  for (uint k = 0; k < 64; k++) a[(a[k] >> 3) & 63] += k;\n"
    "  for (uint k = 0; k < 64; k++) s = s * 31 + a[k];\n"
    "  y[i] = s;\n"
    "}\n"
    /* more values at a time than there are registers */
    "__kernel void spill(__global uint *y, __global const uint *x, uint zero) {\n"
    "  uint i = get_global_id(0), v = x[i], a[100], s = 0;\n"
    "  #pragma unroll\n"
    "  for (uint k = 0; k < 100; k++) a[k] = x[i ^ (k & zero)] * (k + 3) ^ v >> (k & 15);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  #pragma unroll\n"
    "  for (uint k = 0; k < 100; k++) s = (s << 1 | s >> 31) + a[99 - k] * a[(k * 7) % 100];\n"
    "  y[i] = s;\n"
    "}\n"
    "__kernel void prints(__global uint *y) {\n"
    "  uint i = get_global_id(0);\n"
    "  if (i % 8 == 3) printf(\"item %u of %d, %f\\n\", i, (int)get_global_size(0), i * 0.5f);\n"
    "  y[i] = i;\n"
    "}\n"
    "__kernel void add_one(__global uint *y) { y[get_global_id(0)] += 1; }\n"
    "__kernel void twice(__global uint *y) { y[get_global_id(0)] *= 2; }\n";

/* for devices that have images */
static const char image_source[] =
    "__kernel void image_copy(__read_only image2d_t in, __write_only image2d_t out) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  uint4 t = read_imageui(in, at);\n"
    "  write_imageui(out, at, t.wzyx + (uint4)(1, 2, 3, (uint)at.x));\n"
    "}\n"
    "__kernel void image_sample(__read_only image2d_t in, __global float4 *y) {\n"
    "  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "  const sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;\n"
    "  int i = get_global_id(0), j = get_global_id(1), w = get_image_width(in), h = get_image_height(in);\n"
    "  float4 a = read_imagef(in, nearest, (float2)(i - 1.5f, j + 0.5f));\n"
    "  float4 b = read_imagef(in, linear, (float2)((i + 1.0f) / w, (j + 0.5f) / h));\n"
    "  y[j * w + i] = a + b * 16.0f;\n"
    "}\n"
    "__kernel void samplers(__read_only image2d_t in, sampler_t how, __global const float2 *at, __global float4 *y) {\n"
    "  y[get_global_id(0)] = read_imagef(in, how, at[get_global_id(0)]);\n"
    "}\n";

/* A program of two: a function and a table of constants that the other one names. */
static const char one_module[] =
    "uint of_table(uint i);\n"
    "__kernel void linked(__global uint *y, __global const uint *x) {\n"
    "  uint i = get_global_id(0);\n"
    "  y[i] = of_table(x[i]) + of_table(i);\n"
    "}\n";
static const char other_module[] =
    "__constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n"
    "uint of_table(uint i) { return table[i & 15] * 100 + table[(i >> 4) & 15]; }\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static size_t items = 1024;
/* In all data, so that those of two processes differ. */
static uint32_t own = 0;

static void check(cl_int e, const char *what) {
    if (e != CL_SUCCESS) {
        printf("%s: error %d\n", what, e);
        exit(1);
    }
}

/* Calls through the stack, and identifiers that a function asks for: a program of its own, for the driver 22.43 fails with
 * any that has such functions. */
static const char call_source[] =
    "__attribute__((noinline)) uint walk(uint n) {\n"
    "  return n == 0 ? (uint)get_local_id(0) + 3 * (uint)get_global_id(0) + (uint)get_local_size(0)\n"
    "                : walk(n - 1) * 5 + n;\n"
    "}\n"
    "__kernel void calls(__global uint *y, __global const uint *x) {\n"
    "  uint i = get_global_id(0);\n"
    "  y[i] = walk(x[i] & 7);\n"
    "}\n";

/* Variables of the program, which begin with what they are given, or with 0, and keep what kernels write: an array that is
 * all 0 but for its beginning, and a count. */
static const char variable_source[] =
    "__global uint table[1000] = {7, 8};\n"
    "__global uint count;\n"
    "__kernel void variables(__global uint *y, __global const uint *x) {\n"
    "  uint i = get_global_id(0);\n"
    "  y[i] = table[i % 1000] + x[i];\n"
    "  if (i < 1000) table[i] += i + atomic_add(&count, 0);\n"
    "}\n";

static cl_program build_with(const char *options, const char **texts, cl_uint count) {
    cl_int e;
    cl_program program = clCreateProgramWithSource(context, count, texts, NULL, &e);
    check(e, "clCreateProgramWithSource");
    e = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (e != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("%s\n", log);
    }
    check(e, "clBuildProgram");
    return program;
}

static cl_program build_of(const char **texts, cl_uint count) {
    return build_with("", texts, count);
}

static cl_program build(void) {
    const char *texts[] = {source, image_source};
    cl_bool images = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL), "clGetDeviceInfo");
    return build_of(texts, images ? 2 : 1);
}

static unsigned char *binary(cl_program program, size_t *size) {
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL), "clGetProgramInfo");
    unsigned char *bytes = malloc(*size);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), "clGetProgramInfo");
    return bytes;
}

static cl_kernel kernel(const char *name) {
    static cl_program program;
    cl_int e;
    if (!program) program = build();
    cl_kernel k = clCreateKernel(program, name, &e);
    check(e, "clCreateKernel");
    return k;
}

static void arg(cl_kernel k, cl_uint index, size_t size, const void *value) {
    check(clSetKernelArg(k, index, size, value), "clSetKernelArg");
}

static cl_mem buffer(size_t size, void *contents) {
    cl_int e;
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, contents, &e);
    check(e, "clCreateBuffer");
    return b;
}

static void run(cl_kernel k, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local) {
    check(clEnqueueNDRangeKernel(queue, k, dimensions, offset, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void fetch(cl_mem b, size_t size, void *to) {
    check(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, size, to, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static int compare(const uint32_t *got, const uint32_t *want, size_t n) {
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i] && wrong++ < 4) printf("%zu: got %08x, expected %08x\n", i, got[i], want[i]);
    if (wrong) printf("%zu of %zu wrong\n", wrong, n);
    return wrong != 0;
}

static uint32_t bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* Data in x, a pattern in y, what is expected (the pattern) in want. */
struct data {
    uint32_t *x, *y, *want;
    cl_mem bx, by;
};

static struct data data(void) {
    struct data d = {malloc(4 * items), malloc(4 * items), malloc(4 * items), 0, 0};
    for (size_t i = 0; i < items; i++) d.x[i] = (uint32_t)i * 2654435761u + own, d.y[i] = d.want[i] = 0xcdcd0000u + own + (uint32_t)i;
    d.bx = buffer(4 * items, d.x);
    d.by = buffer(4 * items, d.y);
    return d;
}

static int finish(struct data d) {
    fetch(d.by, 4 * items, d.y);
    return compare(d.y, d.want, items);
}

static const size_t group = 64;

static int saxpy(void) {
    struct data d = data();
    float a = 2.5f;
    cl_uint n = (cl_uint)items - 5;
    for (size_t i = 0; i < items; i++) {
        float x = (float)i * 0.5f - 7.0f, y = 1000.0f - (float)i;
        d.x[i] = bits(x), d.y[i] = bits(y);
        d.want[i] = bits(i < n ? a * x + y : y); /* these are exact, fused or not */
    }
    check(clEnqueueWriteBuffer(queue, d.bx, CL_FALSE, 0, 4 * items, d.x, 0, NULL, NULL), "write");
    check(clEnqueueWriteBuffer(queue, d.by, CL_FALSE, 0, 4 * items, d.y, 0, NULL, NULL), "write");
    cl_kernel k = kernel("saxpy");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx), arg(k, 2, 4, &a), arg(k, 3, 4, &n);
    run(k, 1, NULL, &items, &group);
    return finish(d);
}

static int scalars(void) {
    struct data d = data();
    cl_ushort m = 3001;
    cl_ulong add = 0x123456789abcdef0u;
    cl_uchar shift = 36;
    size_t odd = 32; /* in a group that is not a whole thread of every device */
    for (size_t i = 0; i < items; i++) {
        uint32_t v = d.x[i];
        for (uint32_t k = 0; k < (v & 7); k++) v = (v & 1) ? v * m + k : (v >> 1) ^ (uint32_t)add;
        d.want[i] = v + (uint32_t)(add >> shift) + (uint32_t)(i % odd);
    }
    cl_kernel k = kernel("scalars");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx), arg(k, 2, 2, &m), arg(k, 3, 8, &add), arg(k, 4, 1, &shift);
    run(k, 1, NULL, &items, &odd);
    return finish(d);
}

static int calls(void) {
    struct data d = data();
    for (size_t i = 0; i < items; i++) {
        uint32_t v = (uint32_t)(i % group) + 3 * (uint32_t)i + (uint32_t)group;
        for (uint32_t n = 1; n <= (d.x[i] & 7); n++) v = v * 5 + n;
        d.want[i] = v;
    }
    const char *texts[] = {call_source};
    cl_int e;
    cl_kernel k = clCreateKernel(build_of(texts, 1), "calls", &e);
    check(e, "clCreateKernel");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx);
    run(k, 1, NULL, &items, &group);
    return finish(d);
}

static int local_sum(void) {
    struct data d = data();
    for (size_t g = 0; g < items / group; g++) {
        uint32_t sum = (uint32_t)g;
        for (size_t i = 0; i < group; i++) sum += d.x[g * group + i];
        for (size_t i = 0; i < group; i++) d.want[g * group + i] = sum;
    }
    cl_kernel k = kernel("local_sum");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx), arg(k, 2, 4 * group, NULL);
    run(k, 1, NULL, &items, &group);
    return finish(d);
}

static int histogram(void) {
    struct data d = data();
    uint32_t bins[17] = {0}, want[17] = {0};
    for (size_t i = 0; i < items; i++) want[d.x[i] & 15]++;
    want[16] = (uint32_t)items - 1;
    cl_mem b = buffer(sizeof bins, bins);
    cl_kernel k = kernel("histogram");
    arg(k, 0, sizeof b, &b), arg(k, 1, sizeof d.bx, &d.bx);
    run(k, 1, NULL, &items, &group);
    fetch(b, sizeof bins, bins);
    return compare(bins, want, 17);
}

static int places(void) {
    size_t offset[3] = {0, 0, 2}, global[3] = {12, 6, 4}, local[3] = {6, 3, 2};
    items = 12 * 6 * 4;
    struct data d = data();
    for (size_t z = 0; z < 4; z++)
        for (size_t y = 0; y < 6; y++)
            for (size_t x = 0; x < 12; x++)
                d.want[(z * 6 + y) * 12 + x] =
                    (uint32_t)(z % 2 << 24 | y % 3 << 16 | x % 6 << 8 | y / 3 << 4 | (z + 2));
    cl_kernel k = kernel("places");
    arg(k, 0, sizeof d.by, &d.by);
    run(k, 3, offset, global, local);
    return finish(d);
}

static int private_array(void) {
    struct data d = data();
    for (size_t i = 0; i < items; i++) {
        uint32_t a[64], s = 0;
        for (uint32_t k = 0; k < 64; k++) a[k] = d.x[i] * k + k;
        for (uint32_t k = 0; k < 64; k++) a[(a[k] >> 3) & 63] += k;
        for (uint32_t k = 0; k < 64; k++) s = s * 31 + a[k];
        d.want[i] = s;
    }
    cl_kernel k = kernel("private_array");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx);
    run(k, 1, NULL, &items, &group);
    return finish(d);
}

static int spill(void) {
    struct data d = data();
    cl_uint zero = 0;
    for (size_t i = 0; i < items; i++) {
        uint32_t a[100], s = 0;
        for (uint32_t k = 0; k < 100; k++) a[k] = d.x[i] * (k + 3) ^ d.x[i] >> (k & 15);
        for (uint32_t k = 0; k < 100; k++) s = (s << 1 | s >> 31) + a[99 - k] * a[(k * 7) % 100];
        d.want[i] = s;
    }
    cl_kernel k = kernel("spill");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx), arg(k, 2, 4, &zero);
    run(k, 1, NULL, &items, &group);
    return finish(d);
}

/* The lines are the caller's to look at. */
static int prints(void) {
    items = 64;
    struct data d = data();
    for (size_t i = 0; i < items; i++) d.want[i] = (uint32_t)i;
    cl_kernel k = kernel("prints");
    arg(k, 0, sizeof d.by, &d.by);
    run(k, 1, NULL, &items, &group);
    check(clFinish(queue), "clFinish");
    return finish(d);
}

static cl_mem image(cl_channel_order order, cl_channel_type type, size_t w, size_t h, void *contents) {
    cl_int e;
    cl_image_format format = {order, type};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = w, .image_height = h};
    cl_mem_flags flags = CL_MEM_READ_WRITE | (contents ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem i = clCreateImage(context, flags, &format, &desc, contents, &e);
    check(e, "clCreateImage");
    return i;
}

static int image_copy(void) {
    enum { W = 40, H = 12 };
    static uint8_t in[H][W][4], want[H][W][4], got[H][W][4];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 4; c++) in[y][x][c] = (uint8_t)(y * 5 + x + c * 40);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int add[4] = {1, 2, 3, x};
            for (int c = 0; c < 4; c++) {
                int v = in[y][x][3 - c] + add[c];
                want[y][x][c] = (uint8_t)(v > 255 ? 255 : v);
            }
        }
    cl_mem from = image(CL_RGBA, CL_UNSIGNED_INT8, W, H, in), to = image(CL_RGBA, CL_UNSIGNED_INT8, W, H, NULL);
    cl_kernel k = kernel("image_copy");
    arg(k, 0, sizeof from, &from), arg(k, 1, sizeof to, &to);
    size_t global[2] = {W, H}, origin[3] = {0, 0, 0}, region[3] = {W, H, 1};
    run(k, 2, NULL, global, NULL);
    check(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL), "clEnqueueReadImage");
    return compare((uint32_t *)got, (uint32_t *)want, W * H);
}

static int image_sample(void) {
    enum { W = 16, H = 8 };
    static float in[H][W][4], want[H][W][4], got[H][W][4];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 4; c++) in[y][x][c] = (float)(y * 64 + x * 4 + c);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 4; c++) {
                float near = x >= 2 ? in[y][x - 2][c] : 0.0f;
                float line = (in[y][x][c] + in[y][(x + 1) % W][c]) / 2;
                want[y][x][c] = near + line * 16.0f;
            }
    cl_mem from = image(CL_RGBA, CL_FLOAT, W, H, in), to = buffer(sizeof got, got);
    cl_kernel k = kernel("image_sample");
    arg(k, 0, sizeof from, &from), arg(k, 1, sizeof to, &to);
    size_t global[2] = {W, H};
    run(k, 2, NULL, global, NULL);
    fetch(to, sizeof got, got);
    return compare((uint32_t *)got, (uint32_t *)want, W * H * 4);
}

/* What a sampler reads of a picture, by OpenCL 8.2: texel (x, y) holds x + 16 y + channel / 4. */
enum { WIDE = 8, HIGH = 4 };

static float wrapped(float at, int size, cl_addressing_mode mode) {
    if (mode == CL_ADDRESS_REPEAT) return at - floorf(at / size) * size;
    if (mode == CL_ADDRESS_MIRRORED_REPEAT) return fabsf(at / size - 2 * rintf(0.5f * at / size)) * size;
    return at;
}

/* The texel, and whether there is one. */
static int texel(int at, int size, cl_addressing_mode mode, int *inside) {
    if (mode == CL_ADDRESS_REPEAT) return (at + size) % size;
    if (mode == CL_ADDRESS_CLAMP && (at < 0 || at >= size)) return *inside = 0;
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static float read_texel(int x, int y, int channel, cl_addressing_mode mode) {
    int inside = 1;
    x = texel(x, WIDE, mode, &inside), y = texel(y, HIGH, mode, &inside);
    return inside ? x + 16.0f * y + channel / 4.0f : 0;
}

static float sampled(float x, float y, int channel, cl_addressing_mode mode, cl_filter_mode filter) {
    x = wrapped(x, WIDE, mode), y = wrapped(y, HIGH, mode);
    if (filter == CL_FILTER_NEAREST) return read_texel((int)floorf(x), (int)floorf(y), channel, mode);
    int i = (int)floorf(x - 0.5f), j = (int)floorf(y - 0.5f);
    float a = x - 0.5f - i, b = y - 0.5f - j;
    return (1 - a) * (1 - b) * read_texel(i, j, channel, mode) + a * (1 - b) * read_texel(i + 1, j, channel, mode) +
           (1 - a) * b * read_texel(i, j + 1, channel, mode) + a * b * read_texel(i + 1, j + 1, channel, mode);
}

static int samplers(void) {
    enum { COLUMNS = 96, ROWS = 24, N = COLUMNS * ROWS };
    static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_REPEAT,
                                               CL_ADDRESS_MIRRORED_REPEAT};
    static float picture[HIGH][WIDE][4], at[N][2], y[N][4];
    for (int j = 0; j < HIGH; j++)
        for (int i = 0; i < WIDE; i++)
            for (int c = 0; c < 4; c++) picture[j][i][c] = i + 16.0f * j + c / 4.0f;
    cl_mem in = image(CL_RGBA, CL_FLOAT, WIDE, HIGH, picture), to = buffer(sizeof y, y);
    cl_kernel k = kernel("samplers");
    size_t n = N;
    int wrong = 0;
    for (int m = 0; m < 4; m++)
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = m >= 2; normalized < 2; normalized++) {
                /* eighths of texels, which are exact as weights, and never the border of two texels */
                for (int i = 0; i < N; i++) {
                    at[i][0] = ((i % COLUMNS) * 0.25f - 7.875f) / (normalized ? WIDE : 1);
                    at[i][1] = ((i / COLUMNS) * 0.5f - 3.75f) / (normalized ? HIGH : 1);
                }
                cl_int e;
                cl_filter_mode filter = linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
                cl_sampler how = clCreateSampler(context, normalized, modes[m], filter, &e);
                check(e, "clCreateSampler");
                cl_mem from = buffer(sizeof at, at);
                arg(k, 0, sizeof in, &in), arg(k, 1, sizeof how, &how), arg(k, 2, sizeof from, &from);
                arg(k, 3, sizeof to, &to);
                run(k, 1, NULL, &n, NULL);
                fetch(to, sizeof y, y);
                for (int i = 0; i < N; i++)
                    for (int c = 0; c < 4; c++) {
                        float want = sampled(at[i][0] * (normalized ? WIDE : 1), at[i][1] * (normalized ? HIGH : 1), c,
                                             modes[m], filter);
                        if (!(fabsf(y[i][c] - want) <= 1e-4f) && wrong++ < 4)
                            printf("mode %d, %s, %s: at %g, %g channel %d: got %g, expected %g\n", m,
                                   linear ? "linear" : "nearest", normalized ? "normalized" : "texels", at[i][0],
                                   at[i][1], c, y[i][c], want);
                    }
                clReleaseSampler(how), clReleaseMemObject(from);
            }
    return wrong != 0;
}

/* Copies between images, buffers and the program, by the driver's own kernels or its blitter: each image has a box of bytes
 * beside it that the same copies change. */
struct box {
    cl_mem_object_type type;
    size_t bytes; /* of a texel */
    size_t size[3];
    cl_mem image;
    uint8_t *want;
};

static size_t texels(const size_t size[3]) { return size[0] * size[1] * size[2]; }

/* The image begins with other data than the box of another `seed`. */
static struct box box(cl_mem_object_type type, cl_image_format format, size_t bytes, size_t w, size_t h, size_t d, unsigned seed) {
    struct box b = {type, bytes, {w, h, d}, NULL, malloc(w * h * d * bytes)};
    for (size_t i = 0; i < w * h * d * bytes; i++) b.want[i] = (uint8_t)((i * 2654435761u >> 13) + seed);
    cl_image_desc desc = {.image_type = type, .image_width = w};
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) desc.image_array_size = h;
    else desc.image_height = type == CL_MEM_OBJECT_IMAGE1D ? 0 : h;
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY) desc.image_array_size = d;
    if (type == CL_MEM_OBJECT_IMAGE3D) desc.image_depth = d;
    cl_int e;
    b.image = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, b.want, &e);
    check(e, "clCreateImage");
    return b;
}

/* A row of a region of a box. */
static uint8_t *row(const struct box *b, const size_t at[3], size_t y, size_t z) {
    return b->want + (((at[2] + z) * b->size[1] + at[1] + y) * b->size[0] + at[0]) * b->bytes;
}

/* Between a region of a box and bytes whose rows and slices have these lengths. */
static void move(struct box *b, const size_t at[3], const size_t region[3], uint8_t *bytes, size_t pitch, size_t slice, int into) {
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            uint8_t *theirs = bytes + z * slice + y * pitch, *ours = row(b, at, y, z);
            memcpy(into ? ours : theirs, into ? theirs : ours, region[0] * b->bytes);
        }
}

static int same(const struct box *b, const char *what) {
    size_t n = texels(b->size) * b->bytes, origin[3] = {0, 0, 0}, wrong = 0;
    uint8_t *got = malloc(n);
    check(clEnqueueReadImage(queue, b->image, CL_TRUE, origin, b->size, 0, 0, got, 0, NULL, NULL), "clEnqueueReadImage");
    for (size_t i = 0; i < n; i++)
        if (got[i] != b->want[i] && wrong++ < 2) printf("%s, byte %zu: got %02x, expected %02x\n", what, i, got[i], b->want[i]);
    free(got);
    if (wrong) printf("%s: %zu of %zu bytes wrong (type %x, %zu bytes a texel)\n", what, wrong, n, b->type, b->bytes);
    return wrong != 0;
}

static int copies_of(cl_mem_object_type type, cl_image_format format, size_t bytes) {
    size_t high = type == CL_MEM_OBJECT_IMAGE1D ? 1 : 13;
    size_t deep = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 5 : 1;
    struct box a = box(type, format, bytes, 37, high, deep, 1), b = box(type, format, bytes, 50, high, deep, 100);
    size_t at[3] = {3, high > 1 ? 2 : 0, deep > 1}, to[3] = {11, high > 1 ? 4 : 0, deep > 1 ? 2 : 0};
    size_t region[3] = {21, high > 1 ? 7 : 1, deep > 1 ? 3 : 1}, packed = texels(region) * bytes;
    int wrong = same(&a, "as made");
    /* within the program: rows that are longer than the region's */
    size_t pitch = 24 * bytes, slice = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? pitch : high > 1 ? 8 * pitch : 0;
    size_t length = 8 * 24 * 3 * bytes;
    uint8_t *bytes_in = malloc(length), *bytes_out = malloc(length), *expected = malloc(length);
    for (size_t i = 0; i < length; i++) bytes_in[i] = (uint8_t)(i * 7), bytes_out[i] = expected[i] = (uint8_t)(i * 3 + 1);
    size_t given = deep > 1 || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : 0;
    check(clEnqueueWriteImage(queue, a.image, CL_TRUE, at, region, pitch, given, bytes_in, 0, NULL, NULL), "clEnqueueWriteImage");
    move(&a, at, region, bytes_in, pitch, slice, 1);
    wrong |= same(&a, "written");
    check(clEnqueueReadImage(queue, a.image, CL_TRUE, at, region, pitch, given, bytes_out, 0, NULL, NULL), "clEnqueueReadImage");
    move(&a, at, region, expected, pitch, slice, 0);
    if (memcmp(bytes_out, expected, length)) wrong = printf("a part that was read differs (type %x, %zu bytes a texel)\n", type, bytes);
    /* one image to the other */
    check(clEnqueueCopyImage(queue, a.image, b.image, at, to, region, 0, NULL, NULL), "clEnqueueCopyImage");
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) memcpy(row(&b, to, y, z), row(&a, at, y, z), region[0] * bytes);
    wrong |= same(&b, "copied to an image");
    /* to a buffer, and from there elsewhere; no texel lies at a multiple of 16 there */
    size_t offset = 3 * bytes;
    uint8_t *held = calloc(1, offset + packed);
    cl_mem between = buffer(offset + packed, held);
    check(clEnqueueCopyImageToBuffer(queue, b.image, between, to, region, offset, 0, NULL, NULL), "clEnqueueCopyImageToBuffer");
    move(&b, to, region, held + offset, region[0] * bytes, region[0] * region[1] * bytes, 0);
    uint8_t *got = malloc(offset + packed);
    fetch(between, offset + packed, got);
    if (memcmp(got, held, offset + packed)) wrong = printf("a copy to a buffer differs (type %x, %zu bytes a texel)\n", type, bytes);
    size_t there[3] = {37 - 21, high > 1 ? 13 - 7 : 0, 0};
    check(clEnqueueCopyBufferToImage(queue, between, a.image, offset, there, region, 0, NULL, NULL), "clEnqueueCopyBufferToImage");
    move(&a, there, region, held + offset, region[0] * bytes, region[0] * region[1] * bytes, 1);
    wrong |= same(&a, "copied from a buffer");
    /* filled: the texels of these formats are what is given */
    cl_uint color[4] = {0x11, 0x22, 0x33, 0x44};
    check(clEnqueueFillImage(queue, b.image, color, at, region, 0, NULL, NULL), "clEnqueueFillImage");
    size_t channels = format.image_channel_order == CL_R ? 1 : 4;
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                for (size_t c = 0; c < channels; c++)
                    memcpy(row(&b, at, y, z) + x * bytes + c * bytes / channels, &color[c], bytes / channels);
    wrong |= same(&b, "filled");
    free(bytes_in), free(bytes_out), free(expected), free(held), free(got), free(a.want), free(b.want);
    clReleaseMemObject(between), clReleaseMemObject(a.image), clReleaseMemObject(b.image);
    return wrong != 0;
}

static int image_blits(void) {
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
    static const struct {
        cl_image_format format;
        size_t bytes;
    } formats[] = {{{CL_R, CL_UNSIGNED_INT8}, 1}, {{CL_R, CL_UNSIGNED_INT16}, 2}, {{CL_RGBA, CL_UNSIGNED_INT8}, 4},
                   {{CL_RGBA, CL_UNSIGNED_INT16}, 8}, {{CL_RGBA, CL_UNSIGNED_INT32}, 16}};
    int wrong = 0;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
            wrong |= copies_of(types[t], formats[f].format, formats[f].bytes);
    return wrong;
}

/* Boxes of bytes from buffer to buffer, and from and to the program; copies that are aligned to nothing; fills. */
static int buffer_blits(void) {
    enum { W = 61, H = 9, D = 4, N = W * H * D };
    static uint8_t from[N], to[N], got[N], want[N];
    for (int i = 0; i < N; i++) from[i] = (uint8_t)(i * 2654435761u >> 11), to[i] = want[i] = (uint8_t)(i * 5 + 1);
    cl_mem a = buffer(N, from), b = buffer(N, to);
    size_t there[3] = {5, 1, 1}, here[3] = {11, 2, 0}, region[3] = {39, 5, 3};
    int wrong = 0;
    for (int step = 0; step < 3; step++) {
        /* by the GPU, then from the program, then to it: rows of W bytes on either side */
        uint8_t *source = from, *target = step == 2 ? to : want;
        if (step == 0) check(clEnqueueCopyBufferRect(queue, a, b, there, here, region, W, W * H, W, W * H, 0, NULL, NULL), "copy");
        if (step == 1) check(clEnqueueWriteBufferRect(queue, b, CL_TRUE, here, there, region, W, W * H, W, W * H, from, 0, NULL, NULL), "write");
        if (step == 2) {
            memcpy(got, to, N);
            check(clEnqueueReadBufferRect(queue, a, CL_TRUE, there, here, region, W, W * H, W, W * H, got, 0, NULL, NULL), "read");
        }
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                memcpy(target + ((here[2] + z) * H + here[1] + y) * W + here[0],
                       source + ((there[2] + z) * H + there[1] + y) * W + there[0], region[0]);
        if (step < 2) fetch(b, N, got);
        if (memcmp(got, target, N)) wrong = printf("boxes of bytes, step %d\n", step);
        here[0]--, there[0]++;
    }
    for (size_t n = 1; n < 700; n = n * 2 + 1) {
        check(clEnqueueCopyBuffer(queue, a, b, n % 7, 3 + n % 5, n, 0, NULL, NULL), "clEnqueueCopyBuffer");
        memcpy(want + 3 + n % 5, from + n % 7, n);
        fetch(b, N, got);
        if (memcmp(got, want, N)) wrong = printf("%zu bytes\n", n);
    }
    for (size_t n = 1; n <= 128; n *= 2) {
        check(clEnqueueFillBuffer(queue, b, from, n, n * 2, n * 5, 0, NULL, NULL), "clEnqueueFillBuffer");
        for (size_t k = 2; k < 7; k++) memcpy(want + k * n, from, n);
        fetch(b, N, got);
        if (memcmp(got, want, N)) wrong = printf("filled with %zu bytes\n", n);
    }
    return wrong != 0;
}

/* The program of two, compiled and linked. */
static cl_program link_two(void) {
    cl_int e;
    cl_program parts[2];
    for (int i = 0; i < 2; i++) {
        const char *text = i ? other_module : one_module;
        parts[i] = clCreateProgramWithSource(context, 1, &text, NULL, &e);
        check(e, "clCreateProgramWithSource");
        check(clCompileProgram(parts[i], 1, &device, NULL, 0, NULL, NULL, NULL, NULL), "clCompileProgram");
    }
    cl_program whole = clLinkProgram(context, 1, &device, NULL, 2, parts, NULL, NULL, &e);
    check(e, "clLinkProgram");
    return whole;
}

static int linked(void) {
    static const uint32_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    struct data d = data();
    cl_int e;
    cl_kernel k = clCreateKernel(link_two(), "linked", &e);
    check(e, "clCreateKernel");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx);
    run(k, 1, NULL, &items, &group);
#define OF_TABLE(i) (table[(i) & 15] * 100 + table[(i) >> 4 & 15])
    for (size_t i = 0; i < items; i++) d.want[i] = OF_TABLE(d.x[i]) + OF_TABLE(i);
    return finish(d);
}

static int variables(void) {
    const char *text = variable_source;
    cl_program program = build_with("-cl-std=CL2.0", &text, 1);
    cl_int e;
    cl_kernel k = clCreateKernel(program, "variables", &e);
    check(e, "clCreateKernel");
    for (uint32_t round = 0; round < 2; round++) {
        struct data d = data();
        arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx);
        /* No item changes what another reads. */
        size_t some = items < 960 ? items : 960;
        run(k, 1, NULL, &some, &group);
        for (size_t i = 0; i < some; i++) d.want[i] = d.x[i] + (i < 2 ? 7 + i : 0) + round * i;
        if (finish(d)) return 1;
    }
    return 0;
}

/* Two queues in turns on one buffer, by events; then a copy to another. */
static int queues(void) {
    struct data d = data();
    cl_int e;
    cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e);
    check(e, "clCreateCommandQueue");
    cl_kernel add = kernel("add_one"), twice = kernel("twice");
    arg(add, 0, sizeof d.by, &d.by), arg(twice, 0, sizeof d.by, &d.by);
    cl_event last = NULL;
    for (int round = 0; round < 3; round++) {
        cl_event added, doubled;
        check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, &group, last != NULL, last ? &last : NULL, &added), "add");
        check(clFlush(queue), "clFlush");
        check(clEnqueueNDRangeKernel(other, twice, 1, NULL, &items, &group, 1, &added, &doubled), "twice");
        check(clFlush(other), "clFlush");
        last = doubled;
    }
    for (size_t i = 0; i < items; i++)
        for (int round = 0; round < 3; round++) d.want[i] = (d.want[i] + 1) * 2;
    cl_mem copy = buffer(4 * items, d.x);
    check(clEnqueueCopyBuffer(queue, d.by, copy, 0, 0, 4 * items, 1, &last, NULL), "clEnqueueCopyBuffer");
    check(clFinish(queue), "clFinish");
    check(clFinish(other), "clFinish");
    fetch(copy, 4 * items, d.x);
    return compare(d.x, d.want, items) || finish(d);
}

static int maps(void) {
    struct data d = data();
    cl_int e;
    uint32_t *host = clEnqueueMapBuffer(queue, d.by, CL_TRUE, CL_MAP_WRITE, 0, 4 * items, 0, NULL, NULL, &e);
    check(e, "clEnqueueMapBuffer");
    for (size_t i = 0; i < items; i++) host[i] = (uint32_t)i * 3, d.want[i] = (uint32_t)i * 3 + 2;
    check(clEnqueueUnmapMemObject(queue, d.by, host, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    cl_kernel k = kernel("add_one");
    arg(k, 0, sizeof d.by, &d.by);
    run(k, 1, NULL, &items, &group);
    run(k, 1, NULL, &items, NULL);
    cl_uint pattern = 7;
    cl_mem filled = buffer(4 * items, d.x);
    check(clEnqueueFillBuffer(queue, filled, &pattern, 4, 0, 4 * items, 0, NULL, NULL), "clEnqueueFillBuffer");
    fetch(filled, 4 * items, d.x);
    for (size_t i = 0; i < items; i++)
        if (d.x[i] != 7) return printf("filled %zu: %08x\n", i, d.x[i]), 1;
    return finish(d);
}

static int events(void) {
    cl_int e;
    cl_command_queue timed = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &e);
    check(e, "clCreateCommandQueue");
    struct data d = data();
    cl_kernel k = kernel("add_one");
    arg(k, 0, sizeof d.by, &d.by);
    cl_event event, user = clCreateUserEvent(context, &e);
    check(e, "clCreateUserEvent");
    check(clEnqueueNDRangeKernel(timed, k, 1, NULL, &items, &group, 1, &user, &event), "clEnqueueNDRangeKernel");
    check(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    cl_ulong start = 0, end = 0;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 8, &start, NULL), "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &end, NULL), "clGetEventProfilingInfo");
    if (end <= start) return printf("from %llu to %llu\n", (unsigned long long)start, (unsigned long long)end), 1;
    check(clFinish(timed), "clFinish");
    for (size_t i = 0; i < items; i++) d.want[i]++;
    return finish(d);
}

/* Threads that wait for queues of their own at the same time: all do so through one socket. */
enum { WAITERS = 4, ROUNDS = 5 };

static void *wait_some(void *wrong) {
    cl_int e;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &e);
    if (e != CL_SUCCESS) return wrong;
    uint32_t *y = calloc(items, 4);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4 * items, y, &e);
    cl_kernel k = kernel("add_one");
    arg(k, 0, sizeof b, &b);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        e |= clEnqueueNDRangeKernel(own, k, 1, NULL, &items, &group, 0, NULL, NULL);
        e |= clEnqueueReadBuffer(own, b, CL_TRUE, 0, 4 * items, y, 0, NULL, NULL);
        for (size_t i = 0; i < items; i++) e |= y[i] != round;
    }
    e |= clReleaseMemObject(b) | clReleaseCommandQueue(own);
    free(y);
    return e == CL_SUCCESS ? NULL : wrong;
}

static int waiters(void) {
    pthread_t thread[WAITERS];
    int wrong = 0;
    for (int i = 0; i < WAITERS; i++) pthread_create(&thread[i], NULL, wait_some, "wrong");
    for (int i = 0; i < WAITERS; i++) {
        void *why;
        pthread_join(thread[i], &why);
        wrong |= why != NULL;
    }
    return wrong;
}

/* A callback of an event, which the driver's own thread waits for beside the program's. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int called;

static void CL_CALLBACK call_back(cl_event event, cl_int status, void *user) {
    (void)event;
    pthread_mutex_lock(&mutex);
    called = status == CL_COMPLETE && user == &called ? 1 : -1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

static int callbacks(void) {
    struct data d = data();
    cl_int e;
    cl_kernel k = kernel("add_one");
    arg(k, 0, sizeof d.by, &d.by);
    cl_event event, user = clCreateUserEvent(context, &e);
    check(e, "clCreateUserEvent");
    check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, &group, 1, &user, &event), "clEnqueueNDRangeKernel");
    called = 0;
    check(clSetEventCallback(event, CL_COMPLETE, call_back, &called), "clSetEventCallback");
    check(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
    check(clFinish(queue), "clFinish");
    pthread_mutex_lock(&mutex);
    while (!called) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    if (called != 1) return printf("called with another status\n"), 1;
    for (size_t i = 0; i < items; i++) d.want[i]++;
    return finish(d);
}

/* Memory of the program that cannot be written, read by a kernel. */
static int constants(void) {
    struct data d = data();
    cl_int e;
    enum { PAGE = 4096 };
    size_t size = (4 * items + PAGE - 1) / PAGE * PAGE;
    uint32_t *fixed = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < items; i++) fixed[i] = d.x[i];
    if (mprotect(fixed, size, PROT_READ)) return perror("mprotect"), 1;
    /* once through a copy, once in place */
    cl_mem b = buffer(4 * items, d.want);
    check(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, 4 * items, fixed, 0, NULL, NULL), "clEnqueueWriteBuffer");
    fetch(b, 4 * items, d.want);
    if (compare(d.want, fixed, items)) return 1;
    cl_mem in_place = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 4 * items, fixed, &e);
    check(e, "clCreateBuffer");
    check(clEnqueueCopyBuffer(queue, in_place, d.by, 0, 0, 4 * items, 0, NULL, NULL), "clEnqueueCopyBuffer");
    check(clFinish(queue), "clFinish");
    return finish(d);
}

/* Shared memory under a kernel, then under a buffer, with nothing waited for in between. */
static int shared(void) {
    struct data d = data();
    cl_int e;
    uint32_t *y = clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * items, 0);
    if (!y) return printf("no shared memory\n"), 1;
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, y, 4 * items, 0, NULL, NULL), "clEnqueueSVMMap");
    for (size_t i = 0; i < items; i++) y[i] = 17 + (uint32_t)i, d.want[i] = (17 + (uint32_t)i) * 4 + 1;
    check(clEnqueueSVMUnmap(queue, y, 0, NULL, NULL), "clEnqueueSVMUnmap");
    cl_kernel twice = kernel("twice"), add = kernel("add_one");
    check(clSetKernelArgSVMPointer(twice, 0, y), "clSetKernelArgSVMPointer");
    run(twice, 1, NULL, &items, &group);
    cl_mem over = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 4 * items, y, &e);
    check(e, "clCreateBuffer");
    arg(twice, 0, sizeof over, &over), arg(add, 0, sizeof over, &over);
    run(twice, 1, NULL, &items, &group);
    run(add, 1, NULL, &items, &group);
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, y, 4 * items, 0, NULL, NULL), "clEnqueueSVMMap");
    int wrong = compare(y, d.want, items);
    check(clEnqueueSVMUnmap(queue, y, 0, NULL, NULL), "clEnqueueSVMUnmap");
    check(clFinish(queue), "clFinish");
    check(clReleaseMemObject(over), "clReleaseMemObject");
    clSVMFree(context, y);
    memcpy(d.want, d.y, 4 * items);
    return wrong || finish(d);
}

/* Work that nobody waits for: all is given back, and the program ends. Perhaps there was a wait before. */
static int leave(int waits) {
    struct data d = data();
    cl_uint n = 0;
    float a = 1.0f;
    cl_kernel k = kernel("saxpy");
    arg(k, 0, sizeof d.by, &d.by), arg(k, 1, sizeof d.bx, &d.bx), arg(k, 2, 4, &a), arg(k, 3, 4, &n);
    run(k, 1, NULL, &items, &group);
    if (waits) {
        check(clFinish(queue), "clFinish");
        run(k, 1, NULL, &items, &group);
    }
    check(clEnqueueReadBuffer(queue, d.by, CL_FALSE, 0, 4 * items, d.y, 0, NULL, NULL), "read");
    check(clFlush(queue), "clFlush");
    cl_program program;
    check(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof program, &program, NULL), "clGetKernelInfo");
    check(clReleaseKernel(k), "clReleaseKernel"), check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseMemObject(d.bx), "clReleaseMemObject"), check(clReleaseMemObject(d.by), "clReleaseMemObject");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    return clReleaseContext(context);
}

static int leaves(void) { return leave(1); }
static int never_waits(void) { return leave(0); }

static void *build_some(void *out) {
    size_t *hash = out;
    for (int i = 0; i < 4; i++) {
        size_t size, h = 14695981039346656037u;
        cl_program program = build();
        unsigned char *bytes = binary(program, &size);
        for (size_t k = 0; k < size; k++) h = (h ^ bytes[k]) * 1099511628211u;
        if (*hash && *hash != h) return "equal builds differ";
        *hash = h;
        free(bytes);
        clReleaseProgram(program);
    }
    return NULL;
}

static int threads(void) {
    enum { N = 8 };
    pthread_t thread[N];
    size_t hash[N] = {0};
    int wrong = 0;
    for (int i = 0; i < N; i++) pthread_create(&thread[i], NULL, build_some, &hash[i]);
    for (int i = 0; i < N; i++) {
        void *why;
        pthread_join(thread[i], &why);
        wrong |= why != NULL || hash[i] != hash[0];
    }
    if (wrong) printf("equal builds differ\n");
    return wrong;
}

static int print_binary(cl_program program) {
    size_t size;
    unsigned char *bytes = binary(program, &size);
    return fwrite(bytes, 1, size, stdout) != size || fflush(stdout);
}

static int run_cases(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"saxpy", saxpy}, {"scalars", scalars}, {"calls", calls},
                 {"local_sum", local_sum}, {"histogram", histogram}, {"places", places},
                 {"private_array", private_array}, {"spill", spill}, {"prints", prints}, {"image_copy", image_copy},
                 {"image_sample", image_sample}, {"image_blits", image_blits}, {"buffer_blits", buffer_blits}, {"queues", queues}, {"maps", maps}, {"events", events},
                 {"waiters", waiters}, {"callbacks", callbacks}, {"samplers", samplers}, {"linked", linked}, {"variables", variables}, {"constants", constants}, {"shared", shared}, {"leaves", leaves}, {"never_waits", never_waits}};
    cl_platform_id platform;
    cl_int e;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    check(e, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &e);
    check(e, "clCreateCommandQueue");
    if (argc == 2 && !strcmp(argv[1], "build")) return print_binary(build());
    if (argc == 2 && !strcmp(argv[1], "link")) return print_binary(link_two());
    if (argc == 2 && !strcmp(argv[1], "threads")) return threads();
    int all = 0;
    for (int a = 2; a < argc; a++) {
        int wrong = -1;
        items = (strtoul(argv[1], NULL, 0) + group - 1) / group * group;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            if (!strcmp(argv[a], cases[i].name)) wrong = cases[i].run();
        printf(wrong == 0 ? "%s right\n" : wrong < 0 ? "%s: found no such case\n" : "%s wrong\n", argv[a]);
        fflush(stdout);
        all |= wrong;
    }
    return all != 0;
}

/* The same in another process at the same time, at the same addresses. */
static int both(int argc, char **argv) {
    pid_t other = fork();
    if (other < 0) return printf("fork failed\n"), 1;
    own = other ? 0 : 64;
    int wrong = run_cases(argc, argv), status = 0;
    fflush(stdout);
    if (!other) exit(wrong != 0);
    return waitpid(other, &status, 0) != other || status || wrong;
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "twice")) return both(argc - 1, argv + 1);
    return run_cases(argc, argv);
}
