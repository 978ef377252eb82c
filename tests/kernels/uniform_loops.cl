// covers: loops whose trip count is the same in all lanes: matrix product, convolution, prefix over a table, unrolled and not
// simd: any 8 16 32

kernel SIMD void matrix_multiply(const global float *a, const global float *b, global float *c, int n)
{
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = fma(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

kernel SIMD void convolve(const global int *in, const global int *weights, global int *out, int taps)
{
    uint i = get_global_id(0);
    int sum = 0;
#pragma unroll 1
    for (int t = 0; t < taps; t++)
        sum += in[i + t] * weights[t];
    out[i] = sum;
}

kernel SIMD void nested_uniform(global uint *out, uint outer, uint inner)
{
    uint i = get_global_id(0), x = i;
    for (uint j = 0; j < outer; j++) {
        for (uint k = 0; k < inner; k++)
            x = x * 1664525u + 1013904223u;
        x ^= j;
        if (j == 5)
            x += 99;
    }
    out[i] = x;
}

// Keccak-like rounds: the loop counter indexes a constant table
constant uint round_constants[12] = {0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u,
                                     0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u};

kernel SIMD void rounds(const global uint2 *in, global uint2 *out, uint count)
{
    uint i = get_global_id(0);
    uint2 s = in[i];
#pragma unroll 1
    for (uint r = 0; r < count; r++) {
        s.x = rotate(s.x, 5u) + s.y;
        s.y = rotate(s.y ^ s.x, 11u) + round_constants[r % 12];
    }
    out[i] = s;
}
