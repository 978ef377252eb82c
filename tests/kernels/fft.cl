// covers: a transform over complex numbers in registers, and an exact one over integers modulo a prime
// simd: 8 16

// eight complex points a lane, decimation in frequency, output in bit-reversed order
kernel SIMD void fft8(const global float2 *in, global float2 *out)
{
    uint i = get_global_id(0);
    float2 v[8];
    for (int k = 0; k < 8; k++)
        v[k] = in[8 * i + k];
    const float h = 0.70710678f;
    const float2 w[4] = {(float2)(1.0f, 0.0f), (float2)(h, -h), (float2)(0.0f, -1.0f), (float2)(-h, -h)};
#pragma unroll
    for (int half_size = 4; half_size > 0; half_size /= 2)
#pragma unroll
        for (int base = 0; base < 8; base += 2 * half_size)
#pragma unroll
            for (int k = 0; k < half_size; k++) {
                float2 a = v[base + k], b = v[base + k + half_size], d = a - b, f = w[k * 4 / half_size];
                v[base + k] = a + b;
                v[base + k + half_size] = (float2)(d.x * f.x - d.y * f.y, d.x * f.y + d.y * f.x);
            }
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = v[k];
}

#define PRIME 998244353u

uint multiply_mod(uint a, uint b) { return (uint)((ulong)a * b % PRIME); }

// sixteen points modulo PRIME; `root` is a primitive sixteenth root of one
kernel SIMD void ntt16(const global uint *in, global uint *out, uint root)
{
    uint i = get_global_id(0);
    uint v[16];
    for (int k = 0; k < 16; k++)
        v[k] = in[16 * i + k];
    uint step = root;
#pragma unroll
    for (int half_size = 8; half_size > 0; half_size /= 2) {
#pragma unroll
        for (int base = 0; base < 16; base += 2 * half_size) {
            uint w = 1;
#pragma unroll
            for (int k = 0; k < half_size; k++) {
                uint a = v[base + k], b = v[base + k + half_size];
                uint sum = a + b;
                v[base + k] = sum >= PRIME ? sum - PRIME : sum;
                v[base + k + half_size] = multiply_mod(a >= b ? a - b : a + PRIME - b, w);
                w = multiply_mod(w, step);
            }
        }
        step = multiply_mod(step, step);
    }
    for (int k = 0; k < 16; k++)
        out[16 * i + k] = v[k];
}
