// covers: divergent if/else, nested and chained, with and without else, values merged after the branches, empty branches
// simd: any 8 16 32

kernel SIMD void if_else(const global int *a, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], r;
    if (x > 0) {
        r = x * 3 + out[i];
    } else {
        r = x - 7;
        out[2 * get_global_size(0) + i] = r;
    }
    out[get_global_size(0) + i] = r;
}

kernel SIMD void nested(const global int *a, const global int *b, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i], r = 0;
    if (x < 10) {
        out[4 * i] = x;
        if (y < 10) {
            out[4 * i + 1] = y;
            if ((x ^ y) & 1) {
                out[4 * i + 2] = x + y;
                r = 1;
            } else {
                r = 2;
            }
        } else {
            out[4 * i + 2] = x - y;
            r = 3;
        }
    } else if (y < 20) {
        out[4 * i] = -y;
        r = 4;
    }
    out[4 * i + 3] = r;
}

kernel SIMD void chain(const global uint *a, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], r;
    if (x < 10)
        r = out[i] + 1;
    else if (x < 20)
        r = out[i] * 2;
    else if (x < 30)
        r = out[i] - 3;
    else if (x < 40)
        r = out[i] ^ 0xff;
    else
        r = 0;
    out[i] = r;
}

// a uniform condition around a divergent one
kernel SIMD void uniform_outer(const global int *a, global int *out, int mode)
{
    uint i = get_global_id(0);
    int x = a[i];
    if (mode == 1) {
        if (x & 1)
            out[i] = x * 5;
        else
            out[i] = x >> 1;
    } else if (mode == 2) {
        out[i] = -x;
    }
}

kernel SIMD void early_return(const global int *a, global int *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int x = a[i];
    if (x < 0) {
        out[i] = -1;
        return;
    }
    int y = a[x % (int)n];
    if (y == x)
        return;
    out[i] = x + y;
}
