// A library that is loaded before clpeak (`tests/tools/others`), which measures and looks at no result: the smallest work
// of each kind that it knows. The device says that it has one compute unit and little memory, by which clpeak chooses sizes;
// of equal launches in a row the first of every N runs, with one of every N groups, and its event stands for the others'.
// VISA_FINALIZE_LAUNCHES is N.
#define CL_TARGET_OPENCL_VERSION 200
#define _GNU_SOURCE
#include "next.h"
#include <CL/cl.h>

static size_t one_of(void) {
    const char *said = getenv("VISA_FINALIZE_LAUNCHES");
    size_t n = said == NULL ? 0 : strtoul(said, NULL, 10);
    if (n == 0) {
        fprintf(stderr, "VISA_FINALIZE_LAUNCHES is not a number\n");
        exit(2);
    }
    return n;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed) {
    static cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    if (next == NULL)
        next = next_of("clGetDeviceInfo");
    cl_int status = next(device, what, size, value, needed);
    if (status != CL_SUCCESS || value == NULL)
        return status;
    if (what == CL_DEVICE_MAX_COMPUTE_UNITS)
        *(cl_uint *)value = 1;
    if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE || what == CL_DEVICE_GLOBAL_MEM_SIZE)
        *(cl_ulong *)value = 1 << 20;
    return status;
}

typedef cl_int launch(
    cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *
);
cl_int clEnqueueNDRangeKernel(
    cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint waits, const cl_event *list, cl_event *event
) {
    static launch *next;
    static cl_kernel last;
    static cl_event ran;
    static size_t launches;
    if (next == NULL)
        next = (launch *)next_of("clEnqueueNDRangeKernel");
    if (kernel != last)
        launches = 0;
    last = kernel;
    cl_int status = CL_SUCCESS;
    if (launches++ % one_of() == 0) {
        size_t some = local == NULL ? *global : (*global / *local + one_of() - 1) / one_of() * *local;
        if (ran != NULL)
            clReleaseEvent(ran);
        status = next(queue, kernel, dimensions, offset, dimensions == 1 ? &some : global, local, waits, list, &ran);
    }
    if (status == CL_SUCCESS && event != NULL) {
        clRetainEvent(ran);
        *event = ran;
    }
    return status;
}
