// covers: accurate math functions that compile to long sequences with branches: exp, log, sin with argument reduction, pow, atan2, tanh
// simd: 8 16

kernel SIMD void exponentials(const global float *a, global float *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    out[4 * i + 0] = exp(x);
    out[4 * i + 1] = log(x);
    out[4 * i + 2] = exp10(x);
    out[4 * i + 3] = log1p(x);
}

kernel SIMD void trigonometry(const global float *a, global float *out)
{
    uint i = get_global_id(0);
    float c, s = sincos(a[i], &c);
    out[3 * i + 0] = s;
    out[3 * i + 1] = c;
    out[3 * i + 2] = atan2(s, c);
}

kernel SIMD void powers(const global float *a, const global float *b, const global int *n, global float *out)
{
    uint i = get_global_id(0);
    out[3 * i + 0] = pow(a[i], b[i]);
    out[3 * i + 1] = pown(a[i], n[i]);
    out[3 * i + 2] = tanh(a[i]);
}
