// covers: 64-bit integers: add, subtract, multiply, high half, shifts, compare, min/max, logic, saturation
// simd: 8 16 32

kernel SIMD void long_ops(const global long *a, const global long *b, global long *out)
{
    uint i = get_global_id(0);
    long x = a[i], y = b[i];
    global long *o = out + i * 10;
    o[0] = (long)((ulong)x + (ulong)y);
    o[1] = (long)((ulong)x - (ulong)y);
    o[2] = (long)((ulong)x * (ulong)y);
    o[3] = mul_hi(x, y);
    o[4] = x & ~y;
    o[5] = (x | y) ^ 0x0123456789abcdefL;
    o[6] = min(x, y);
    o[7] = x < y ? x : y + 1;
    o[8] = (long)abs(x);
    o[9] = add_sat(x, y);
}

kernel SIMD void ulong_shifts(const global ulong *a, const global uint *s, global ulong *out)
{
    uint i = get_global_id(0);
    ulong x = a[i];
    uint n = s[i] & 63;
    global ulong *o = out + i * 7;
    o[0] = x << n;
    o[1] = x >> n;
    o[2] = (ulong)((long)x >> n);
    o[3] = x << 13 | x >> 51;
    o[4] = rotate(x, (ulong)n);
    o[5] = x >> 32;
    o[6] = sub_sat(x, (ulong)n << 40);
}

// a 64-bit linear congruential generator, stepped in a uniform loop
kernel SIMD void lcg64(const global ulong *seed, global ulong *out, uint steps)
{
    uint i = get_global_id(0);
    ulong s = seed[i];
    for (uint k = 0; k < steps; k++)
        s = s * 6364136223846793005UL + 1442695040888963407UL;
    out[i] = s;
}
