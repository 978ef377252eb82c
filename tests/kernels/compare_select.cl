// covers: comparisons of every type and condition, selects, combined conditions, predicates used more than once, min/max by select
// simd: 8 16 32

kernel SIMD void compare_int(const global int *a, const global int *b, global uint *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i];
    uint r = 0;
    r |= (x == y) ? 1 : 0;
    r |= (x != y) ? 2 : 0;
    r |= (x < y) ? 4 : 0;
    r |= (x <= y) ? 8 : 0;
    r |= ((uint)x > (uint)y) ? 16 : 0;
    r |= ((uint)x >= (uint)y) ? 32 : 0;
    r |= ((short)x < (short)y) ? 64 : 0;
    r |= ((uchar)x < (uchar)y) ? 128 : 0;
    out[i] = r;
}

kernel SIMD void compare_float(const global float *a, const global float *b, global uint *out)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i];
    uint r = 0;
    r |= (x == y) ? 1 : 0;
    r |= (x != y) ? 2 : 0;
    r |= (x < y) ? 4 : 0;
    r |= (x <= y) ? 8 : 0;
    r |= (x > y) ? 16 : 0;
    r |= (x >= y) ? 32 : 0;
    r |= !(x < y) ? 64 : 0;
    r |= isunordered(x, y) ? 128 : 0;
    out[i] = r;
}

kernel SIMD void compare_long(const global long *a, const global long *b, global long *out)
{
    uint i = get_global_id(0);
    long x = a[i], y = b[i];
    out[3 * i + 0] = x < y ? x : y;
    out[3 * i + 1] = (ulong)x >= (ulong)y ? x - y : y - x;
    out[3 * i + 2] = x == y;
}

// six predicates live at once, combined in different ways
kernel SIMD void many_predicates(const global int *a, const global int *b, const global int *c, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i], z = c[i];
    int p = x < y, q = y < z, r = z < x, s = x > 100, t = y > 100, u = z > 100;
    int result = p && q ? x : r && !s ? y : t || u ? z : -1;
    result += p & u ? 10 : 20;
    result += q | (r & t) ? 100 : 200;
    result += (p ^ s) & (q ^ t) ? 1000 : 2000;
    out[i] = result;
}

kernel SIMD void median5(const global float *a, global float *out)
{
    uint i = get_global_id(0);
    float v0 = a[5 * i], v1 = a[5 * i + 1], v2 = a[5 * i + 2], v3 = a[5 * i + 3], v4 = a[5 * i + 4], t;
#define SORT(p, q) t = fmin(p, q), q = fmax(p, q), p = t
    SORT(v0, v1);
    SORT(v3, v4);
    SORT(v0, v3);
    SORT(v1, v4);
    SORT(v1, v2);
    SORT(v2, v3);
    SORT(v1, v2);
    out[i] = v2;
}
