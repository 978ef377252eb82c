// covers: spills under divergence: values written in one branch, spilled, and read after the join; byte, short and qword spills
// simd: 8 16

kernel SIMD void spill_divergent(const global int *in, global int *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    int v[96];
#pragma unroll
    for (int k = 0; k < 96; k++)
        v[k] = in[k * n + i];
    if (v[0] & 1) {
#pragma unroll
        for (int k = 0; k < 96; k += 2)
            v[k] = v[k] * 3 + v[95 - k];
    } else {
#pragma unroll
        for (int k = 1; k < 96; k += 2)
            v[k] = v[k] - v[95 - k];
        if (v[3] > 0)
            v[50] = out[i];
    }
#pragma unroll
    for (int k = 0; k < 96; k++)
        out[k * n + i] = v[k] ^ v[(k * 7 + 3) % 96];
}

kernel SIMD void spill_widths(const global uchar *b, const global ushort *s, const global ulong *q, global ulong *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    uchar vb[24];
    ushort vs[24];
    ulong vq[40];
#pragma unroll
    for (int k = 0; k < 24; k++) {
        vb[k] = b[k * n + i];
        vs[k] = s[k * n + i];
    }
#pragma unroll
    for (int k = 0; k < 40; k++)
        vq[k] = q[k * n + i];
#pragma unroll
    for (int k = 0; k < 40; k++)
        vq[k] = vq[k] + vq[(k + 13) % 40] * vb[k % 24] + vs[(k + 5) % 24];
#pragma unroll
    for (int k = 0; k < 40; k++)
        out[k * n + i] = vq[k] - vq[39 - k];
}
