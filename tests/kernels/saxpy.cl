// covers: the smallest useful kernel: one float multiply-add per lane, a scalar argument, an early return
// simd: any 8 16 32

kernel SIMD void saxpy(global float *y, const global float *x, float a, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    y[i] = a * x[i] + y[i];
}

kernel SIMD void vector_add(const global int *a, const global int *b, global int *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] + b[i];
}
