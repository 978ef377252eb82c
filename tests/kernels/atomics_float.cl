// covers: float atomics: minimum, maximum, compare and swap loops for addition, in global and shared local memory
// options: -cl-std=CL2.0
// simd: 8 16 32

kernel SIMD void float_add(volatile global uint *sum, const global float *a)
{
    float x = a[get_global_id(0)];
    uint old = *sum;
    for (;;) {
        uint seen = atomic_cmpxchg(sum, old, as_uint(as_float(old) + x));
        if (seen == old)
            break;
        old = seen;
    }
}

kernel SIMD void float_swap(volatile global float *cell, global float *seen)
{
    uint i = get_global_id(0);
    seen[i] = atomic_xchg(cell, (float)i);
}

// order-independent: the sums of small integers are exact
kernel SIMD void local_float_sum(const global float *a, global float *out)
{
    local uint sum;
    uint l = get_local_id(0);
    if (l == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float x = a[get_global_id(0)];
    uint old = 0;
    for (;;) {
        uint seen = atomic_cmpxchg(&sum, old, as_uint(as_float(old) + x));
        if (seen == old)
            break;
        old = seen;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        out[get_group_id(0)] = as_float(sum);
}
