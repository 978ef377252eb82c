// covers: vector types from 2 to 16 elements, swizzles, element-wise operations, dot products, shuffles with constant and variable masks
// simd: 8 16 32

kernel SIMD void swizzles(const global float4 *a, global float4 *out)
{
    uint i = get_global_id(0);
    float4 v = a[i];
    out[3 * i + 0] = v.wzyx;
    out[3 * i + 1] = (float4)(v.xz, v.yw);
    out[3 * i + 2] = v.xxyy + v.s3210 * 2.0f;
}

kernel SIMD void products(const global float4 *a, const global float4 *b, global float *out, global float4 *cross_out)
{
    uint i = get_global_id(0);
    float4 x = a[i], y = b[i];
    out[i] = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    cross_out[i] = (float4)(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x, 0.0f);
}

kernel SIMD void wide(const global int8 *a, global int8 *out, const global uchar16 *b, global uchar16 *bytes)
{
    uint i = get_global_id(0);
    int8 v = a[i];
    v.odd = v.even * 3 - v.odd;
    out[i] = v.s76543210;
    uchar16 w = b[i];
    bytes[i] = add_sat(w.hi, w.lo).s0011223344556677;
}

kernel SIMD void vector_select(const global int4 *a, const global int4 *b, global int4 *out)
{
    uint i = get_global_id(0);
    int4 x = a[i], y = b[i];
    int4 less = x < y;
    out[i] = select(y, x, less) + (less & 7);
}

kernel SIMD void load3(const global short *a, global short *out)
{
    uint i = get_global_id(0);
    short3 v = vload3(i, a);
    v = v.zxy;
    vstore3(v + (short3)(1, 2, 3), i, out);
}

kernel SIMD void variable_shuffle(const global uint4 *a, const global uint4 *mask, global uint4 *out)
{
    uint i = get_global_id(0);
    out[i] = shuffle(a[i], mask[i]);
}
