// covers: private arrays indexed by variables: small ones in registers through address registers, large ones in scratch memory
// simd: 8 16

// sixteen elements, written and read at per-lane places
kernel SIMD void small_array(const global uint *in, global uint *out)
{
    uint i = get_global_id(0);
    uint counts[16];
    for (int k = 0; k < 16; k++)
        counts[k] = 0;
    for (int k = 0; k < 32; k++)
        counts[in[32 * i + k] & 15]++;
    for (int k = 0; k < 16; k++)
        out[16 * i + k] = counts[k];
}

// uniform index into an array of per-lane values
kernel SIMD void uniform_index(const global int *in, global int *out, uint which)
{
    uint i = get_global_id(0);
    int v[8];
    for (int k = 0; k < 8; k++)
        v[k] = in[8 * i + k] * (k + 1);
    out[i] = v[which & 7] - v[(which + 3) & 7];
}

kernel SIMD void bytes_on_stack(const global uchar *in, global uchar *out)
{
    uint i = get_global_id(0);
    uchar order[32];
    for (int k = 0; k < 32; k++)
        order[k] = (uchar)k;
    for (int k = 0; k < 32; k++) {
        uint other = in[32 * i + k] & 31;
        uchar t = order[k];
        order[k] = order[other];
        order[other] = t;
    }
    for (int k = 0; k < 32; k++)
        out[32 * i + k] = order[k];
}

// four kilobytes a lane: insertion sort in scratch memory
kernel SIMD void large_array(const global int *in, global int *out, int n)
{
    uint i = get_global_id(0);
    int v[1024];
    for (int k = 0; k < n; k++) {
        int x = in[i * n + k], at = k;
        while (at > 0 && v[at - 1] > x) {
            v[at] = v[at - 1];
            at--;
        }
        v[at] = x;
    }
    for (int k = 0; k < n; k++)
        out[i * n + k] = v[k];
}
