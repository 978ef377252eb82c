// covers: double precision: add, subtract, multiply, fma, comparison, conversions from and to integers and float
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel SIMD void double_ops(const global double *a, const global double *b, global double *out)
{
    uint i = get_global_id(0);
    double x = a[i], y = b[i];
    global double *o = out + i * 7;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = fma(x, y, -1.5);
    o[4] = fmin(x, y);
    o[5] = fmax(fabs(x), -y);
    o[6] = x < y ? 1.0 : x;
}

kernel SIMD void double_convert(const global double *a, const global int *n, const global float *f,
                                global int *to_int, global float *to_float, global double *to_double)
{
    uint i = get_global_id(0);
    to_int[i] = convert_int_sat(a[i]);
    to_float[i] = (float)a[i];
    to_double[2 * i] = (double)n[i];
    to_double[2 * i + 1] = (double)f[i];
}
