// covers: printf with numbers, strings and vectors, from divergent lanes
// simd: 8 16 32

kernel SIMD void hello(global int *out)
{
    uint i = get_global_id(0);
    out[i] = (int)i;
    if (i == 0)
        printf("hello\n");
}

kernel SIMD void values(const global int *in, const global float *f, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    if (x > 100)
        printf("lane %d: %d %f %s\n", i, x, f[i], "large");
    out[i] = x + 1;
}

kernel SIMD void vectors(const global float4 *in, global float4 *out)
{
    uint i = get_global_id(0);
    float4 v = in[i];
    if (v.x < 0.0f)
        printf("%v4f at %u\n", v, i);
    out[i] = v * 2.0f;
}
