// covers: more predicates live at once than there are flag registers
// simd: 8 16 32

kernel SIMD void flags(const global int *in, global int *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    int v[10];
    for (int k = 0; k < 10; k++)
        v[k] = in[k * n + i];
    bool p[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        p[k] = v[k] < v[k + 1];
    int sum = 0;
#pragma unroll 1
    for (int round = 0; round < 4; round++) {
#pragma unroll
        for (int k = 0; k < 9; k++) {
            if (p[k])
                sum += out[(k + round) & 7] ^ v[k];
            else
                sum = sum * 5 + round;
        }
    }
    out[n + i] = sum;
}
