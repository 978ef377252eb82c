// covers: 32-bit integer arithmetic: full product, high half (mul_hi), mad_hi, saturation, add with carry, abs, min/max, clamp
// simd: any 8 16 32

kernel SIMD void int_ops(const global int *a, const global int *b, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i];
    global int *o = out + i * 12;
    o[0] = (int)((uint)x + (uint)y);
    o[1] = (int)((uint)x - (uint)y);
    o[2] = (int)((uint)x * (uint)y);
    o[3] = mul_hi(x, y);
    o[4] = add_sat(x, y);
    o[5] = sub_sat(x, y);
    o[6] = (int)abs(x);
    o[7] = min(x, y);
    o[8] = max(x, y);
    o[9] = clamp(x, -1000, 1000);
    o[10] = mad24(x << 8 >> 8, y << 8 >> 8, 5);
    o[11] = hadd(x, y);
}

kernel SIMD void uint_ops(const global uint *a, const global uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], y = b[i];
    global uint *o = out + i * 10;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = mul_hi(x, y);
    o[4] = add_sat(x, y);
    o[5] = sub_sat(x, y);
    o[6] = mad_hi(x, y, 17u);
    o[7] = abs_diff(x, y);
    o[8] = rhadd(x, y);
    o[9] = mad_sat(x, y, 3u);
}

// a 128-bit sum from 32-bit limbs: carries travel from limb to limb
kernel SIMD void add128(const global uint4 *a, const global uint4 *b, global uint4 *out)
{
    uint i = get_global_id(0);
    uint4 x = a[i], y = b[i], s;
    s.x = x.x + y.x;
    uint c = s.x < x.x;
    uint t = x.y + y.y;
    s.y = t + c;
    c = (t < x.y) | (s.y < t);
    t = x.z + y.z;
    s.z = t + c;
    c = (t < x.z) | (s.z < t);
    s.w = x.w + y.w + c;
    out[i] = s;
}
