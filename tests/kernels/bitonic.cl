// covers: sorting: a bitonic network over a work-group in shared local memory, and a merge of two lists per lane
// simd: 8 16

// the work-group's size is a power of two, at most 512
kernel SIMD void bitonic_sort(const global int *in, global int *out)
{
    local int v[512];
    uint l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    v[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = 2; width <= n; width *= 2)
        for (uint step = width / 2; step > 0; step /= 2) {
            uint other = l ^ step;
            int a = v[l], b = v[other];
            bool ascending = (l & width) == 0;
            bool take = (l < other) == ascending ? a > b : a < b;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (take)
                v[l] = b;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[g] = v[l];
}

// every lane merges two ascending lists of `n` elements
kernel SIMD void merge(const global int *a, const global int *b, global int *out, uint n)
{
    uint i = get_global_id(0), x = 0, y = 0;
    a += i * n;
    b += i * n;
    out += i * n * 2;
    while (x < n || y < n) {
        bool from_a = y >= n || (x < n && a[x] <= b[y]);
        out[x + y] = from_a ? a[x] : b[y];
        x += from_a;
        y += !from_a;
    }
}
