// covers: constant address space: tables in the program, constant buffers as arguments, uniform and per-lane indices
// simd: 8 16 32

constant uchar sbox[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};
constant float weights[3][4] = {{1.0f, 2.0f, 3.0f, 4.0f}, {0.5f, 0.25f, 0.125f, 0.0625f}, {-1.0f, -2.0f, -4.0f, -8.0f}};
constant ulong mixers[4] = {0x9e3779b97f4a7c15UL, 0xbf58476d1ce4e5b9UL, 0x94d049bb133111ebUL, 0xd6e8feb86659fd93UL};

kernel SIMD void substitute(const global uint *in, global uint *out)
{
    uint i = get_global_id(0);
    uint x = in[i], y = 0;
    for (int k = 0; k < 8; k++)
        y |= (uint)sbox[x >> 4 * k & 15] << 4 * k;
    out[i] = y;
}

kernel SIMD void weighted(const global float4 *in, global float *out, int row)
{
    uint i = get_global_id(0);
    float4 v = in[i];
    out[i] = v.x * weights[row][0] + v.y * weights[row][1] + v.z * weights[row][2] + v.w * weights[row][3];
}

kernel SIMD void constant_arguments(constant int *table, constant float4 *vectors, const global uint *index, global float4 *out)
{
    uint i = get_global_id(0);
    out[i] = vectors[index[i] & 7] * (float)table[index[i] & 15] + vectors[0] + (float)table[3];
}

kernel SIMD void mix64(const global ulong *in, global ulong *out)
{
    uint i = get_global_id(0);
    ulong x = in[i];
    x = (x ^ x >> 30) * mixers[i & 3];
    x = (x ^ x >> 27) * mixers[(i + 1) & 3];
    out[i] = x ^ x >> 31;
}
