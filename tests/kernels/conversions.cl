// covers: conversions between integer widths and float: truncation, saturation, every rounding mode, sign and zero extension
// simd: 8 16 32

kernel SIMD void int_to_narrow(const global int *a, global char *c, global uchar *uc, global short *s, global ushort *us)
{
    uint i = get_global_id(0);
    int x = a[i];
    c[2 * i] = (char)x;
    c[2 * i + 1] = convert_char_sat(x);
    uc[2 * i] = (uchar)x;
    uc[2 * i + 1] = convert_uchar_sat(x);
    s[2 * i] = (short)x;
    s[2 * i + 1] = convert_short_sat(x);
    us[2 * i] = (ushort)x;
    us[2 * i + 1] = convert_ushort_sat(x);
}

kernel SIMD void narrow_to_int(const global char *c, const global uchar *uc, const global short *s,
                               const global ushort *us, global int *out)
{
    uint i = get_global_id(0);
    out[4 * i + 0] = c[i];
    out[4 * i + 1] = uc[i];
    out[4 * i + 2] = s[i];
    out[4 * i + 3] = us[i];
}

kernel SIMD void float_to_int(const global float *a, global int *out, global uint *uout)
{
    uint i = get_global_id(0);
    float x = a[i];
    out[5 * i + 0] = convert_int_sat(x);
    out[5 * i + 1] = convert_int_sat_rte(x);
    out[5 * i + 2] = convert_int_sat_rtp(x);
    out[5 * i + 3] = convert_int_sat_rtn(x);
    out[5 * i + 4] = convert_char_sat(x);
    uout[3 * i + 0] = convert_uint_sat(x);
    uout[3 * i + 1] = convert_uchar_sat(x);
    uout[3 * i + 2] = convert_ushort_sat_rte(x);
}

kernel SIMD void int_to_float(const global int *a, const global uint *b, const global uchar *c, global float *out)
{
    uint i = get_global_id(0);
    out[4 * i + 0] = (float)a[i];
    out[4 * i + 1] = (float)b[i];
    out[4 * i + 2] = (float)c[i];
    out[4 * i + 3] = (float)(short)a[i];
}

kernel SIMD void bits(const global float *a, global uint *out)
{
    uint i = get_global_id(0);
    uint x = as_uint(a[i]);
    out[i] = (x >> 23 & 0xff) << 24 | (x & 0x7fffff) << 1 | x >> 31;
}
