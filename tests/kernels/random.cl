// covers: counter-based and shift-register random numbers, 32-bit products with both halves used, exact integer statistics
// simd: 8 16 32

uint2 philox_round(uint2 c, uint key)
{
    return (uint2)(mul_hi(0xd256d193u, c.x) ^ key ^ c.y, 0xd256d193u * c.x);
}

kernel SIMD void philox(global uint2 *out, uint key)
{
    uint i = get_global_id(0);
    uint2 c = (uint2)(i, 0);
    for (int r = 0; r < 10; r++) {
        c = philox_round(c, key);
        key += 0x9e3779b9u;
    }
    out[i] = c;
}

kernel SIMD void xorshift(const global uint4 *seed, global uint *out, uint steps)
{
    uint i = get_global_id(0);
    uint4 s = seed[i];
    uint sum = 0;
    for (uint k = 0; k < steps; k++) {
        uint t = s.x ^ s.x << 11;
        s = (uint4)(s.yzw, s.w ^ s.w >> 19 ^ t ^ t >> 8);
        sum += s.w >> 16;
    }
    out[i] = sum;
}

// points inside of a quarter circle, in integers
kernel SIMD void quarter_circle(const global uint *seed, global uint *out, uint steps)
{
    uint i = get_global_id(0);
    uint s = seed[i], inside = 0;
    for (uint k = 0; k < steps; k++) {
        s = s * 747796405u + 2891336453u;
        uint x = s >> 17;
        s = s * 747796405u + 2891336453u;
        uint y = s >> 17;
        if (x * x + y * y < 32768u * 32768u)
            inside++;
    }
    out[i] = inside;
}
