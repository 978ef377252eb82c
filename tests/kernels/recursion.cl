// covers: recursive functions, which call through the stack
// simd: 8 16

uint fibonacci(uint n);

__attribute__((noinline)) uint fibonacci(uint n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

kernel SIMD void fib(const global uint *in, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = fibonacci(in[i] & 7);
}

uint ackermann(uint m, uint n);

__attribute__((noinline)) uint ackermann(uint m, uint n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

kernel SIMD void ack(const global uint *in, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = ackermann(in[i] & 1, in[i] >> 1 & 3);
}
