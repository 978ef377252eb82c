/* A kernel that reads behind its buffer, for tests/tests/driver.rs: the program sees nothing of it. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source =
    "__kernel void reads_behind(__global uint *y, __global const uint *x) {\n"
    "  uint i = get_global_id(0);\n"
    "  y[i] = x[i + 1000000 * (i == 63)];\n"
    "}\n";

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int e[8];
    size_t items = 64;
    e[0] = clGetPlatformIDs(1, &platform, NULL) | clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e[1]);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e[2]);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &e[3]);
    e[4] = clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "reads_behind", &e[5]);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * items, NULL, &e[6]);
    cl_mem y = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * items, NULL, &e[7]);
    for (int i = 0; i < 8; i++)
        if (e[i]) return printf("step %d: error %d\n", i, e[i]), 1;
    int wrong = clSetKernelArg(kernel, 0, sizeof y, &y) | clSetKernelArg(kernel, 1, sizeof x, &x);
    wrong |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) | clFinish(queue);
    return wrong != 0;
}
