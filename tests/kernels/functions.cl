// covers: functions that are not inlined: scalar and vector arguments and results, nesting, calls from divergent code and from loops
// simd: 8 16 32

__attribute__((noinline)) int square_plus(int x, int y)
{
    return x * x + y;
}

__attribute__((noinline)) int twice(int x)
{
    return square_plus(x, 1) + square_plus(x + 1, 2);
}

__attribute__((noinline)) float4 turn(float4 v, float by)
{
    return (float4)(v.y * by, -v.x, v.w, v.z + by);
}

__attribute__((noinline)) void store(global int *out, uint at, int value)
{
    if (value >= 0)
        out[at] = value;
    else
        out[at] = -value * 2;
}

kernel SIMD void calls(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i], r = 0;
    if (x > 0)
        r = twice(x);
    else
        r = square_plus(x, 5);
    store(out, i, r - 100);
}

kernel SIMD void calls_in_loop(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i] & 15, sum = 0;
    while (x > 0) {
        sum += square_plus(x, sum & 7);
        x -= 2;
    }
    out[i] = sum;
}

kernel SIMD void vector_call(const global float4 *in, global float4 *out)
{
    uint i = get_global_id(0);
    out[i] = turn(turn(in[i], 2.0f), 0.5f);
}
