// covers: conversions between 64-bit integers and float, narrow integers and 64 bits, saturating 64-bit narrowing
// simd: 8 16 32

kernel SIMD void long_to_narrow(const global long *a, global int *out, global short *s)
{
    uint i = get_global_id(0);
    long x = a[i];
    out[3 * i + 0] = (int)x;
    out[3 * i + 1] = convert_int_sat(x);
    out[3 * i + 2] = (int)convert_uint_sat(x);
    s[i] = convert_short_sat(x);
}

kernel SIMD void narrow_to_long(const global int *a, const global uchar *b, global long *out)
{
    uint i = get_global_id(0);
    out[3 * i + 0] = a[i];
    out[3 * i + 1] = (long)(ulong)(uint)a[i];
    out[3 * i + 2] = (long)b[i] << 33;
}

kernel SIMD void long_to_float(const global long *a, global float *out)
{
    uint i = get_global_id(0);
    out[2 * i] = (float)a[i];
    out[2 * i + 1] = (float)(ulong)a[i];
}

kernel SIMD void float_to_long(const global float *a, global long *out)
{
    uint i = get_global_id(0);
    out[2 * i] = (long)a[i];
    out[2 * i + 1] = (long)(ulong)fabs(a[i]);
}
