// covers: pointers whose address space is known at run time only: generic pointers to global, local and private memory, pointers selected per lane
// options: -cl-std=CL2.0
// simd: 8 16

__attribute__((noinline)) int sum3(const int *p)
{
    return p[0] + p[1] * 10 + p[2] * 100;
}

kernel SIMD void generic_pointers(const global int *in, global int *out, int mode)
{
    local int shared_values[3];
    uint i = get_global_id(0);
    int own[3] = {in[i], in[i] + 1, in[i] + 2};
    if (get_local_id(0) < 3)
        shared_values[get_local_id(0)] = (int)get_local_id(0) * 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int *p = mode == 0 ? (const int *)in : mode == 1 ? (const int *)shared_values : (const int *)own;
    out[i] = sum3(p);
}

kernel SIMD void selected(const global int *a, const global int *b, const global uint *which, global int *out)
{
    uint i = get_global_id(0);
    const global int *p = which[i] & 1 ? a : b;
    out[i] = p[i] + p[i ^ 1];
}

kernel SIMD void list(global ulong *nodes, global int *out)
{
    uint i = get_global_id(0);
    int sum = 0;
    // a node is the offset of the next one in the low half, a value in the high half
    for (ulong n = nodes[i]; (uint)n != 0; n = nodes[(uint)n])
        sum += (int)(n >> 32);
    out[i] = sum;
}
