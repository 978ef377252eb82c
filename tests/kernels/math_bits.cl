// covers: exact functions on the parts of a float: frexp, ldexp, modf, nextafter, classification (isnan, isinf, signbit), remquo-like steps
// simd: 8 16 32

kernel SIMD void split(const global float *a, global float *frac, global int *exponent, global float *whole)
{
    uint i = get_global_id(0);
    int e;
    float w;
    frac[2 * i] = frexp(a[i], &e);
    exponent[i] = e;
    frac[2 * i + 1] = modf(a[i], &w);
    whole[i] = w;
}

kernel SIMD void scale(const global float *a, const global int *n, global float *out)
{
    uint i = get_global_id(0);
    out[2 * i] = ldexp(a[i], n[i]);
    out[2 * i + 1] = nextafter(a[i], 1.0e30f);
}

kernel SIMD void classify(const global float *a, global uint *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    uint c = 0;
    c |= isnan(x) ? 1 : 0;
    c |= isinf(x) ? 2 : 0;
    c |= isfinite(x) ? 4 : 0;
    c |= isnormal(x) ? 8 : 0;
    c |= signbit(x) ? 16 : 0;
    c |= isequal(x, 0.0f) ? 32 : 0;
    out[i] = c;
}
