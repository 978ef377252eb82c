// covers: double precision division and square root (IEEE macros invm and rsqtm where the hardware has them)
// simd: 8 16

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel SIMD void double_div(const global double *a, const global double *b, global double *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] / b[i];
}

kernel SIMD void double_sqrt(const global double *a, global double *out)
{
    uint i = get_global_id(0);
    out[i] = sqrt(a[i]);
}
