// covers: half precision: arithmetic, fma, comparison, conversion to and from float, packed pairs
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel SIMD void half_ops(const global half *a, const global half *b, global half *out)
{
    uint i = get_global_id(0);
    half x = a[i], y = b[i];
    global half *o = out + i * 8;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = fma(x, y, (half)0.5h);
    o[4] = fmin(x, y);
    o[5] = fmax(x, y);
    o[6] = -fabs(x);
    o[7] = x < y ? x : (half)2.0h;
}

kernel SIMD void half_convert(const global half *a, const global float *b, global float *wide, global half *narrow)
{
    uint i = get_global_id(0);
    wide[i] = (float)a[i] * 2.0f;
    narrow[i] = convert_half_rte(b[i]);
}

// stores and loads of half without the type in the arithmetic
kernel SIMD void half_memory(const global half *a, global half *out, float scale)
{
    uint i = get_global_id(0);
    float v = vload_half(i, a) * scale;
    vstore_half_rte(v, i, out);
}

kernel SIMD void half_vectors(const global half4 *a, global half4 *out)
{
    uint i = get_global_id(0);
    half4 v = a[i];
    out[i] = v.wzyx * (half)0.5h + v;
}
