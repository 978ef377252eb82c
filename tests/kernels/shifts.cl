// covers: shifts, rotates, bit fields (bfe, bfi), bit reversal, population count, leading zeros, find-first-bit, boolean logic
// simd: any 8 16 32

kernel SIMD void shift_ops(const global uint *a, const global uint *s, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], n = s[i] & 31;
    global uint *o = out + i * 8;
    o[0] = x << n;
    o[1] = x >> n;
    o[2] = (uint)((int)x >> n);
    o[3] = rotate(x, n);
    o[4] = rotate(x, 7u);
    o[5] = popcount(x);
    o[6] = clz(x);
    o[7] = x ? 31 - clz(x & -x) : 32;
}

kernel SIMD void bit_fields(const global uint *a, const global uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], y = b[i];
    global uint *o = out + i * 6;
    o[0] = (x >> 5) & 0x7ff;
    o[1] = (uint)((int)(x << 9) >> 20);
    o[2] = (x & ~0x00ffff00u) | ((y << 8) & 0x00ffff00u);
    o[3] = (x & y) | (~x & 0x0f0f0f0fu);
    o[4] = ~(x ^ y);
    o[5] = ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
}

// bit reversal by halves: masks and shifts in sequence
kernel SIMD void reverse_bits(const global uint *a, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i];
    x = (x & 0xaaaaaaaau) >> 1 | (x & 0x55555555u) << 1;
    x = (x & 0xccccccccu) >> 2 | (x & 0x33333333u) << 2;
    x = (x & 0xf0f0f0f0u) >> 4 | (x & 0x0f0f0f0fu) << 4;
    x = (x & 0xff00ff00u) >> 8 | (x & 0x00ff00ffu) << 8;
    out[i] = x >> 16 | x << 16;
}

kernel SIMD void narrow_shifts(const global ushort *a, const global uchar *b, global ushort *out)
{
    uint i = get_global_id(0);
    ushort x = a[i];
    uchar y = b[i];
    out[4 * i + 0] = (ushort)(x << (y & 15));
    out[4 * i + 1] = (ushort)(x >> (y & 15));
    out[4 * i + 2] = (ushort)((short)x >> (y & 15));
    out[4 * i + 3] = (ushort)(y << 3 | y >> 5);
}
