// covers: calls of functions by address: the compiler is told to call every function indirectly
// env: IGC_FunctionControl=4
// simd: 8 16

__attribute__((noinline)) int blend(int a, int b, int share)
{
    return (a * share + b * (256 - share)) >> 8;
}

__attribute__((noinline)) uint hash(uint x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 13;
}

__attribute__((noinline)) uint walk(const global uint *table, uint at, int steps)
{
    while (steps-- > 0)
        at = hash(table[at & 63] + at) & 63;
    return at;
}

kernel SIMD void blended(const global int *a, const global int *b, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i];
    if (x != y)
        x = blend(x, y, (int)(i & 255));
    out[i] = x;
}

kernel SIMD void walked(const global uint *table, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = walk(table, i, (int)(i & 7));
}
