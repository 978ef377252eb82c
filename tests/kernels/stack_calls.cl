// covers: calls through the stack: many arguments, structures by value, arrays of the caller's frame passed by pointer
// env: IGC_FunctionControl=3
// simd: 8 16

typedef struct {
    int a, b;
    float c;
    long d;
} Pack;

__attribute__((noinline)) int sum_of(Pack p, int e, int f, int g, int h)
{
    return p.a + p.b * 2 + (int)p.c + (int)p.d + e - f + g - h;
}

__attribute__((noinline)) void fill(int *v, int n, int seed)
{
    for (int k = 0; k < n; k++)
        v[k] = seed = seed * 5 + 3;
}

kernel SIMD void by_value(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    Pack p = {x, x + 1, (float)(x & 0xff), x - 2};
    out[i] = sum_of(p, x, 2 * x, 3, 4);
}

kernel SIMD void by_pointer(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int v[20];
    fill(v, 20, in[i]);
    int sum = 0;
    for (int k = 0; k < 20; k++)
        sum ^= v[(k * 7 + (in[i] & 3)) % 20];
    out[i] = sum;
}
