// covers: single precision: add, subtract, multiply, fma, mad, source modifiers (negation, absolute value), saturation, min/max
// simd: any 8 16 32

kernel SIMD void float_ops(const global float *a, const global float *b, const global float *c, global float *out)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i], z = c[i];
    global float *o = out + i * 10;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = fma(x, y, z);
    o[4] = fma(-x, fabs(y), -z);
    o[5] = fmin(x, y);
    o[6] = fmax(x, -y);
    o[7] = clamp(x, 0.0f, 1.0f);
    o[8] = -fabs(z);
    o[9] = copysign(x, y);
}

// rounding to integral values, in all four directions
kernel SIMD void rounding(const global float *a, global float *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    global float *o = out + i * 5;
    o[0] = floor(x);
    o[1] = ceil(x);
    o[2] = trunc(x);
    o[3] = rint(x);
    o[4] = round(x);
}

// Horner's rule: a chain of dependent multiply-adds with immediate operands
kernel SIMD void polynomial(const global float *a, global float *out)
{
    uint i = get_global_id(0);
    float x = a[i];
    float p = 0.125f;
    p = fma(p, x, -0.25f);
    p = fma(p, x, 0.5f);
    p = fma(p, x, -1.0f);
    p = fma(p, x, 2.0f);
    p = fma(p, x, -4.0f);
    out[i] = p;
}
