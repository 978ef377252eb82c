// covers: 16-bit integer arithmetic, signed and unsigned: wrap-around, saturation, mad, high half of the product, mixed widths
// simd: 8 16 32

kernel SIMD void short_ops(const global short *a, const global short *b, global short *out)
{
    uint i = get_global_id(0);
    short x = a[i], y = b[i];
    global short *o = out + i * 8;
    o[0] = (short)(x + y);
    o[1] = (short)(x * y + 7);
    o[2] = add_sat(x, y);
    o[3] = sub_sat(x, y);
    o[4] = mul_hi(x, y);
    o[5] = max(x, y);
    o[6] = (short)(-x);
    o[7] = (short)abs(x);
}

kernel SIMD void ushort_ops(const global ushort *a, const global ushort *b, global ushort *out)
{
    uint i = get_global_id(0);
    ushort x = a[i], y = b[i];
    global ushort *o = out + i * 8;
    o[0] = (ushort)(x + y);
    o[1] = (ushort)(x * y + 7);
    o[2] = add_sat(x, y);
    o[3] = sub_sat(x, y);
    o[4] = mul_hi(x, y);
    o[5] = min(x, y);
    o[6] = hadd(x, y);
    o[7] = abs_diff(x, y);
}

// short by int, byte by short: the operands of one instruction differ in width
kernel SIMD void mixed_width(const global short *a, const global char *b, const global int *c, global int *out)
{
    uint i = get_global_id(0);
    int wide = c[i];
    out[3 * i + 0] = a[i] * b[i] + wide;
    out[3 * i + 1] = wide - a[i];
    out[3 * i + 2] = (int)((uint)wide * (uint)(ushort)a[i]) ^ b[i];
}
