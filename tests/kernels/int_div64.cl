// covers: division and remainder of 64-bit integers, signed and unsigned
// simd: 8 16 32

kernel SIMD void div64(const global long *a, const global long *b, global long *out)
{
    uint i = get_global_id(0);
    out[2 * i] = a[i] / b[i];
    out[2 * i + 1] = a[i] % b[i];
}

kernel SIMD void udiv64(const global ulong *a, const global ulong *b, global ulong *out)
{
    uint i = get_global_id(0);
    out[2 * i] = a[i] / b[i];
    out[2 * i + 1] = a[i] % b[i];
}

kernel SIMD void div64_const(const global ulong *a, global ulong *out)
{
    uint i = get_global_id(0);
    out[2 * i] = a[i] / 1000000007UL;
    out[2 * i + 1] = (ulong)((long)a[i] % 97L);
}
