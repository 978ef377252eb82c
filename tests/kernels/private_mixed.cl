// covers: private arrays of shorts, longs, floats and vectors, two-dimensional arrays, permutations in place
// simd: 8 16

kernel SIMD void shorts_and_longs(const global ushort *in, global ulong *out)
{
    uint i = get_global_id(0);
    ushort s[24];
    ulong l[12];
    for (int k = 0; k < 24; k++)
        s[k] = in[24 * i + k];
    for (int k = 0; k < 12; k++)
        l[k] = (ulong)s[s[k] % 24] << (s[k + 12] & 31);
    ulong sum = 0;
    for (int k = 0; k < 12; k++)
        sum += l[s[k] % 12];
    out[i] = sum;
}

kernel SIMD void vectors_on_stack(const global float4 *in, const global uint *pick, global float4 *out)
{
    uint i = get_global_id(0);
    float4 v[6];
    for (int k = 0; k < 6; k++)
        v[k] = in[6 * i + k] * (float)(k + 1);
    out[i] = v[pick[i] % 6] + v[(pick[i] >> 8) % 6].wzyx;
}

kernel SIMD void grid(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int g[6][6];
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            g[r][c] = in[(36 * i + 6 * r + c) % 1024];
    int r = g[0][0] & 3, c = g[5][5] & 3, sum = 0;
    for (int k = 0; k < 10; k++) {
        sum += g[r][c];
        int t = (g[r][c] ^ k) & 0x7fffffff;
        g[r][c] = sum & 0xffff;
        r = t % 6;
        c = t / 6 % 6;
    }
    out[i] = sum;
}
