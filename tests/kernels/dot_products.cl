// covers: dot products of packed bytes, multiply-accumulate of shorts, a quantized matrix product with saturation
// simd: 8 16 32

kernel SIMD void dot4(const global char4 *a, const global char4 *b, const global uchar4 *ua, global int *out)
{
    uint i = get_global_id(0);
    char4 x = a[i], y = b[i];
    uchar4 u = ua[i];
    out[2 * i + 0] = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    out[2 * i + 1] = u.x * y.x + u.y * y.y + u.z * y.z + u.w * y.w;
}

kernel SIMD void quantized(const global char *a, const global char *b, global char *c, int n, int shift)
{
    int column = get_global_id(0), row = get_global_id(1);
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[column * n + k];
    c[row * n + column] = convert_char_sat(sum >> shift);
}

kernel SIMD void short_filter(const global short *in, constant short *taps, global short *out)
{
    uint i = get_global_id(0);
    int sum = 1 << 14;
#pragma unroll
    for (int t = 0; t < 12; t++)
        sum += in[i + t] * taps[t];
    out[i] = convert_short_sat(sum >> 15);
}
