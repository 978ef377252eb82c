// covers: shared local memory in every element width, byte and short tables, vectors, a histogram by lane-private counters
// simd: 8 16 32

kernel SIMD void byte_table(const global uchar *in, const global uchar *table, global uchar *out)
{
    local uchar t[256];
    uint l = get_local_id(0);
    for (uint k = l; k < 256; k += get_local_size(0))
        t[k] = table[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[in[get_global_id(0)]];
}

kernel SIMD void short_reverse(const global short *in, global short *out, local short *t)
{
    uint l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[n - 1 - l];
}

kernel SIMD void vector_exchange(const global float4 *in, global float4 *out, local float4 *t)
{
    uint l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[l ^ 1] + t[n - 1 - l];
}

kernel SIMD void long_rotate(const global long *in, global long *out, local long *t, uint by)
{
    uint l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    t[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = t[(l + by) % n];
}
