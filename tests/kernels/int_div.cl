// covers: division and remainder of 8, 16 and 32-bit integers, signed and unsigned, by variables and by constants
// simd: 8 16 32

// divisors are never zero, and INT_MIN / -1 is avoided by the caller
kernel SIMD void div32(const global int *a, const global int *b, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i];
    uint ux = (uint)x, uy = (uint)y;
    global int *o = out + i * 4;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (int)(ux / uy);
    o[3] = (int)(ux % uy);
}

kernel SIMD void div_const(const global int *a, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i];
    uint u = (uint)x;
    global int *o = out + i * 6;
    o[0] = x / 10;
    o[1] = x % 10;
    o[2] = x / 16;
    o[3] = x % 16;
    o[4] = (int)(u / 7u);
    o[5] = (int)(u % 1000003u);
}

kernel SIMD void div_narrow(const global short *a, const global short *b, const global uchar *c, const global uchar *d,
                            global int *out)
{
    uint i = get_global_id(0);
    out[3 * i + 0] = a[i] / b[i];
    out[3 * i + 1] = a[i] % b[i];
    out[3 * i + 2] = c[i] / d[i] * 256 + c[i] % d[i];
}

// digits of a number: a divergent loop around a division
kernel SIMD void digit_sum(const global uint *a, global uint *out, uint base)
{
    uint i = get_global_id(0);
    uint x = a[i], sum = 0;
    while (x != 0) {
        sum += x % base;
        x /= base;
    }
    out[i] = sum;
}
