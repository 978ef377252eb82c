/* A Level Zero program that checks itself, for Intel's driver on the emulator (tests/tests/driver.rs).
 *
 *   level_zero FILE.spv GROUPS   runs the kernels of level_zero.cl; each says "NAME right", or what is wrong (and status 1)
 *
 * One kernel goes through a command list and a queue, on the device's memory with copies around it; the other through an
 * immediate command list with an event, on memory that host and device share. What the device computes is compared with
 * what C computes; buffers hold a pattern before. */
#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 64

static ze_context_handle_t context;
static ze_device_handle_t device;
static ze_module_handle_t module;
static size_t items, groups;

static void check(ze_result_t e, const char *what) {
    if (e == ZE_RESULT_SUCCESS) return;
    fprintf(stderr, "%s: 0x%x\n", what, (unsigned)e);
    exit(2);
}
#define OK(call) check(call, #call)

/* The driver's first GPU. */
static void find_device(void) {
    uint32_t one = 1;
    ze_driver_handle_t driver;
    OK(zeInit(ZE_INIT_FLAG_GPU_ONLY));
    OK(zeDriverGet(&one, &driver));
    one = 1;
    OK(zeDeviceGet(driver, &one, &device));
    ze_context_desc_t of_context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    OK(zeContextCreate(driver, &of_context, &context));
}

static void build(const char *path) {
    static uint8_t spirv[1 << 16];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(spirv, 1, sizeof spirv, file) : 0;
    if (size == 0 || size == sizeof spirv) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    ze_module_desc_t of_module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                  .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                  .inputSize = size,
                                  .pInputModule = spirv,
                                  .pBuildFlags = ""};
    OK(zeModuleCreate(context, device, &of_module, &module, NULL));
}

static ze_kernel_handle_t kernel_of(const char *name) {
    ze_kernel_desc_t of_kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    OK(zeKernelCreate(module, &of_kernel, &kernel));
    OK(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    return kernel;
}

static void *device_memory(size_t bytes) {
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *p;
    OK(zeMemAllocDevice(context, &d, bytes, 64, device, &p));
    return p;
}

static void *shared_memory(size_t bytes) {
    ze_device_mem_alloc_desc_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t h = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *p;
    OK(zeMemAllocShared(context, &d, &h, bytes, 64, device, &p));
    return p;
}

static ze_command_queue_desc_t queue_kind(void) {
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    return d;
}

static int saxpy(void) {
    const float a = 1.5f;
    const uint32_t n = (uint32_t)items - 5;
    size_t bytes = items * sizeof(float);
    float *x = malloc(bytes), *y = malloc(bytes), *got = malloc(bytes);
    for (size_t i = 0; i < items; i++) {
        x[i] = (float)(i % 1000);
        y[i] = (float)(i % 77) - 3;
        got[i] = -1;
    }
    void *dx = device_memory(bytes), *dy = device_memory(bytes);
    ze_kernel_handle_t kernel = kernel_of("saxpy");
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof dy, &dy));
    OK(zeKernelSetArgumentValue(kernel, 1, sizeof dx, &dx));
    OK(zeKernelSetArgumentValue(kernel, 2, sizeof a, &a));
    OK(zeKernelSetArgumentValue(kernel, 3, sizeof n, &n));

    ze_command_queue_desc_t of_queue = queue_kind();
    ze_command_queue_handle_t queue;
    OK(zeCommandQueueCreate(context, device, &of_queue, &queue));
    ze_command_list_desc_t of_list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list;
    OK(zeCommandListCreate(context, device, &of_list, &list));
    OK(zeCommandListAppendMemoryCopy(list, dx, x, bytes, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(list, dy, y, bytes, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    ze_group_count_t count = {(uint32_t)groups, 1, 1};
    OK(zeCommandListAppendLaunchKernel(list, kernel, &count, NULL, 0, NULL));
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeCommandListAppendMemoryCopy(list, got, dy, bytes, NULL, 0, NULL));
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));

    int wrong = 0;
    for (size_t i = 0; i < items && !wrong; i++) {
        float right = i < n ? a * x[i] + y[i] : y[i];
        wrong = got[i] != right;
        if (wrong) printf("saxpy: %zu is %f, not %f\n", i, got[i], right);
    }
    OK(zeCommandListDestroy(list));
    OK(zeCommandQueueDestroy(queue));
    OK(zeKernelDestroy(kernel));
    OK(zeMemFree(context, dx));
    OK(zeMemFree(context, dy));
    free(x), free(y), free(got);
    return wrong;
}

static int local_sum(void) {
    uint32_t *x = shared_memory(items * sizeof *x), *y = shared_memory(items * sizeof *y);
    for (size_t i = 0; i < items; i++) {
        x[i] = (uint32_t)(i * 2654435761u);
        y[i] = 0xdeadbeef;
    }
    ze_kernel_handle_t kernel = kernel_of("local_sum");
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof y, &y));
    OK(zeKernelSetArgumentValue(kernel, 1, sizeof x, &x));
    OK(zeKernelSetArgumentValue(kernel, 2, GROUP * sizeof(uint32_t), NULL));

    ze_event_pool_desc_t of_pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 1};
    ze_event_pool_handle_t pool;
    OK(zeEventPoolCreate(context, &of_pool, 1, &device, &pool));
    ze_event_desc_t of_event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .signal = ZE_EVENT_SCOPE_FLAG_HOST, .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    OK(zeEventCreate(pool, &of_event, &event));
    ze_command_queue_desc_t of_queue = queue_kind();
    ze_command_list_handle_t list;
    OK(zeCommandListCreateImmediate(context, device, &of_queue, &list));
    ze_group_count_t count = {(uint32_t)groups, 1, 1};
    OK(zeCommandListAppendLaunchKernel(list, kernel, &count, event, 0, NULL));
    OK(zeEventHostSynchronize(event, UINT64_MAX));

    int wrong = 0;
    for (size_t i = 0; i < items && !wrong; i++) {
        uint32_t right = (uint32_t)(i / GROUP);
        for (size_t k = i / GROUP * GROUP; k < (i / GROUP + 1) * GROUP; k++) right += x[k];
        wrong = y[i] != right;
        if (wrong) printf("local_sum: %zu is %u, not %u\n", i, y[i], right);
    }
    OK(zeCommandListDestroy(list));
    OK(zeEventDestroy(event));
    OK(zeEventPoolDestroy(pool));
    OK(zeKernelDestroy(kernel));
    OK(zeMemFree(context, x));
    OK(zeMemFree(context, y));
    return wrong;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    groups = strtoul(argv[2], NULL, 0);
    items = groups * GROUP;
    find_device();
    build(argv[1]);
    int wrong = saxpy();
    printf("saxpy %s\n", wrong ? "wrong" : "right");
    int also = local_sum();
    printf("local_sum %s\n", also ? "wrong" : "right");
    OK(zeModuleDestroy(module));
    OK(zeContextDestroy(context));
    return wrong || also;
}
