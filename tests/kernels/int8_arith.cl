// covers: 8-bit integer arithmetic: wrap-around, saturating add and subtract, averages, byte loads and stores
// simd: 8 16 32

kernel SIMD void char_ops(const global char *a, const global char *b, global char *out)
{
    uint i = get_global_id(0);
    char x = a[i], y = b[i];
    global char *o = out + i * 8;
    o[0] = (char)(x + y);
    o[1] = (char)(x - y);
    o[2] = (char)(x * y);
    o[3] = add_sat(x, y);
    o[4] = sub_sat(x, y);
    o[5] = hadd(x, y);
    o[6] = min(x, y);
    o[7] = mul_hi(x, y);
}

kernel SIMD void uchar_ops(const global uchar *a, const global uchar *b, global uchar *out)
{
    uint i = get_global_id(0);
    uchar x = a[i], y = b[i];
    global uchar *o = out + i * 8;
    o[0] = (uchar)(x + y);
    o[1] = (uchar)(x - y);
    o[2] = (uchar)(x * y);
    o[3] = add_sat(x, y);
    o[4] = sub_sat(x, y);
    o[5] = rhadd(x, y);
    o[6] = max(x, y);
    o[7] = abs_diff(x, y);
}
