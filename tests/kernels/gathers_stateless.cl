// covers: gathers and scatters through 64-bit addresses (stateless): every element width, buffers beyond 4 GB, pointers stored in memory
// options: -cl-intel-greater-than-4GB-buffer-required
// simd: 8 16 32

kernel SIMD void far_bytes(const global uchar *table, const global uint *index, global uchar *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5];
}

kernel SIMD void far_shorts(const global ushort *table, const global uint *index, global ushort *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5] + 1;
}

kernel SIMD void far_dwords(const global uint *table, const global uint *index, global uint *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5] + 1;
}

kernel SIMD void far_qwords(const global ulong *table, const global uint *index, global ulong *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5] + 1;
}

kernel SIMD void far_vectors(const global uint2 *t2, const global uint4 *t4, const global uint *index,
                                global uint2 *o2, global uint4 *o4)
{
    uint i = get_global_id(0), k = index[i];
    o2[k] = t2[k ^ 1].yx;
    o4[k] = t4[k ^ 3].wzyx + t4[i];
}

// pointers chased through memory, under a divergent condition
kernel SIMD void far_chase(const global uint *next, const global uint *start, global uint *out, uint steps)
{
    uint i = get_global_id(0);
    uint at = start[i];
    for (uint k = 0; k < steps; k++)
        if (at != 0)
            at = next[at];
    out[i] = at;
}

// an address computed in 64 bits
kernel SIMD void far_offset(const global ulong *offset, const global uchar *in, global uint *out)
{
    uint i = get_global_id(0);
    ulong at = offset[i] * 3 + 1;
    out[i] = in[at] + (uint)(at >> 32);
}
