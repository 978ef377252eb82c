// covers: extended math functions of the hardware in their native and accurate forms: inverse, square roots, exp, log, sin, cos, pow
// simd: 8 16 32

kernel SIMD void native_math(const global float *a, global float *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    global float *o = out + i * 8;
    o[0] = native_recip(x);
    o[1] = native_sqrt(x);
    o[2] = native_rsqrt(x);
    o[3] = native_exp2(x);
    o[4] = native_log2(x);
    o[5] = native_sin(x);
    o[6] = native_cos(x);
    o[7] = native_powr(x, 1.5f);
}

kernel SIMD void divide(const global float *a, const global float *b, global float *out)
{
    uint i = get_global_id(0);
    out[3 * i + 0] = a[i] / b[i];
    out[3 * i + 1] = native_divide(a[i], b[i]);
    out[3 * i + 2] = fmod(a[i], b[i]);
}

kernel SIMD void roots(const global float *a, global float *out)
{
    uint i = get_global_id(0);
    out[3 * i + 0] = sqrt(a[i]);
    out[3 * i + 1] = rsqrt(a[i]);
    out[3 * i + 2] = hypot(a[i], 3.0f);
}
