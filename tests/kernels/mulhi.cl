// covers: high halves of products in every width, mad_hi, full 64 and 128-bit products from halves, Montgomery reduction
// simd: 8 16 32

kernel SIMD void mul_high(const global int *a, const global int *b, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i];
    global int *o = out + i * 5;
    o[0] = mul_hi(x, y);
    o[1] = (int)mul_hi((uint)x, (uint)y);
    o[2] = mad_hi(x, y, x);
    o[3] = mul_hi((short)x, (short)y);
    o[4] = mul_hi((uchar)x, (uchar)y);
}

kernel SIMD void wide_product(const global uint *a, const global uint *b, global ulong *out, global long *sout)
{
    uint i = get_global_id(0);
    out[i] = (ulong)a[i] * b[i];
    sout[i] = (long)(int)a[i] * (int)b[i];
}

kernel SIMD void product128(const global ulong *a, const global ulong *b, global ulong2 *out)
{
    uint i = get_global_id(0);
    out[i] = (ulong2)(a[i] * b[i], mul_hi(a[i], b[i]));
}

// x * y / 2^32 mod m, m odd: the inverse of -m is an argument
kernel SIMD void montgomery(const global uint *a, const global uint *b, global uint *out, uint m, uint neg_inverse)
{
    uint i = get_global_id(0);
    uint lo = a[i] * b[i], hi = mul_hi(a[i], b[i]);
    uint q = lo * neg_inverse;
    uint carry = lo != 0;
    uint r = hi + mul_hi(q, m) + carry;
    out[i] = r >= m ? r - m : r;
}
