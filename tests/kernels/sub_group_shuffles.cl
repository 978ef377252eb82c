// covers: sub-group shuffles: by lane index, up, down, xor, broadcasts from constant, uniform and clamped lanes, in several widths
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel SIMD void shuffle_dwords(const global int *in, const global uint *from, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[4 * i + 0] = intel_sub_group_shuffle(x, from[i] & (get_max_sub_group_size() - 1));
    out[4 * i + 1] = intel_sub_group_shuffle_xor(x, 3);
    out[4 * i + 2] = intel_sub_group_shuffle_up(0, x, 1);
    out[4 * i + 3] = intel_sub_group_shuffle_down(x, -1, 2);
}

kernel SIMD void shuffle_widths(const global long *in, const global short *in16, global long *out, global short *out16)
{
    uint i = get_global_id(0);
    out[i] = intel_sub_group_shuffle_xor(in[i], 1);
    out16[i] = intel_sub_group_shuffle_xor(in16[i], 2);
}

kernel SIMD void shuffle_vectors(const global float4 *in, global float4 *out)
{
    uint i = get_global_id(0);
    out[i] = intel_sub_group_shuffle(in[i], get_sub_group_local_id() ^ 5);
}

kernel SIMD void broadcasts(const global int *in, global int *out, uint lane)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[3 * i + 0] = sub_group_broadcast(x, 0);
    out[3 * i + 1] = sub_group_broadcast(x, lane & 7);
    out[3 * i + 2] = intel_sub_group_shuffle(x, 6);
}

// a butterfly: every lane ends with the sum of its sub-group
kernel SIMD void butterfly(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    for (uint step = 1; step < get_max_sub_group_size(); step *= 2)
        x += intel_sub_group_shuffle_xor(x, step);
    out[i] = x;
}
