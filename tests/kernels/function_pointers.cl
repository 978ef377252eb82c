// covers: calls through function pointers, which OpenCL C does not have: every device refuses them (see indirect_calls.cl)
// simd: 16

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

int plus(int a, int b) { return a + b; }
int minus(int a, int b) { return a - b; }
int times(int a, int b) { return a * b; }

typedef int (*Operation)(int, int);

kernel SIMD void uniform_pointer(const global int *a, const global int *b, global int *out, int which)
{
    uint i = get_global_id(0);
    Operation f = which == 0 ? plus : which == 1 ? minus : times;
    out[i] = f(a[i], b[i]);
}
