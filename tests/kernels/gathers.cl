// covers: gathers and scatters with indices from memory, in byte, short, dword and qword elements and in vectors
// simd: any 8 16 32

kernel SIMD void gather_bytes(const global uchar *table, const global uint *index, global uchar *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5];
}

kernel SIMD void gather_shorts(const global ushort *table, const global uint *index, global ushort *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5] + 1;
}

kernel SIMD void gather_dwords(const global uint *table, const global uint *index, global uint *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5] + 1;
}

kernel SIMD void gather_qwords(const global ulong *table, const global uint *index, global ulong *out)
{
    uint i = get_global_id(0);
    out[index[i]] = table[index[i] ^ 5] + 1;
}

kernel SIMD void gather_vectors(const global uint2 *t2, const global uint4 *t4, const global uint *index,
                                global uint2 *o2, global uint4 *o4)
{
    uint i = get_global_id(0), k = index[i];
    o2[k] = t2[k ^ 1].yx;
    o4[k] = t4[k ^ 3].wzyx + t4[i];
}

// pointers chased through memory, under a divergent condition
kernel SIMD void chase(const global uint *next, const global uint *start, global uint *out, uint steps)
{
    uint i = get_global_id(0);
    uint at = start[i];
    for (uint k = 0; k < steps; k++)
        if (at != 0)
            at = next[at];
    out[i] = at;
}

// elements of one record at odd offsets
kernel SIMD void unaligned_bytes(const global uchar *in, global uint *out)
{
    uint i = get_global_id(0);
    const global uchar *p = in + 7 * i;
    out[i] = p[1] | p[2] << 8 | p[4] << 16 | (uint)p[6] << 24;
}
