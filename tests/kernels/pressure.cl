// covers: register pressure: many values live at once, close to and above what the register file holds, so that some spill
// simd: 8 16

#define REPEAT16(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)

// 64 values loaded, then combined in an order that keeps all of them alive
kernel SIMD void sixty_four(const global uint *in, global uint *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    uint v[64];
    for (int k = 0; k < 64; k++)
        v[k] = in[k * n + i];
    for (int round = 1; round <= 3; round++)
        for (int k = 0; k < 64; k++)
            v[k] = v[k] * 31 + v[(k * 5 + round) & 63];
    for (int k = 0; k < 64; k++)
        out[k * n + i] = v[k];
}

// an 8 by 8 matrix product held in registers
kernel SIMD void matrix8(const global float *a, const global float *b, global float *c)
{
    uint i = get_global_id(0);
    float x[8][8], y[8][8];
    for (int r = 0; r < 8; r++)
        for (int k = 0; k < 8; k++) {
            x[r][k] = a[i * 64 + r * 8 + k];
            y[r][k] = b[i * 64 + r * 8 + k];
        }
    for (int r = 0; r < 8; r++)
        for (int k = 0; k < 8; k++) {
            float sum = 0.0f;
            for (int j = 0; j < 8; j++)
                sum = fma(x[r][j], y[j][k], sum);
            c[i * 64 + r * 8 + k] = sum;
        }
}

// values that live across a divergent loop
kernel SIMD void across_loop(const global int *in, global int *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    int v[32];
    for (int k = 0; k < 32; k++)
        v[k] = in[k * n + i];
    int x = v[0] & 63;
    while (x > 0) {
        x -= (v[1] & 3) + 1;
        v[2] += x;
    }
    int sum = 0;
    for (int k = 0; k < 32; k++) {
        sum = sum * 3 + v[k];
        out[k * n + i] = sum ^ v[31 - k];
    }
}
