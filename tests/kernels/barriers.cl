// covers: work-group barriers, reductions and transposes in shared local memory, several barriers in a loop, fences
// simd: any 8 16 32

// sum of the work-group's elements; the group size is a power of two
kernel SIMD void reduce(const global int *in, global int *out, local int *scratch)
{
    uint l = get_local_id(0);
    scratch[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step > 0; step >>= 1) {
        if (l < step)
            scratch[l] += scratch[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = scratch[0];
}

// inclusive prefix sum of a work-group of at most 256 items
kernel SIMD void scan(const global uint *in, global uint *out)
{
    local uint sums[2][256];
    uint l = get_local_id(0), n = get_local_size(0), which = 0;
    sums[0][l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < n; step *= 2) {
        uint v = sums[which][l];
        if (l >= step)
            v += sums[which][l - step];
        which ^= 1;
        sums[which][l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sums[which][l];
}

kernel SIMD void transpose(const global float *in, global float *out, int width, int height)
{
    local float tile[16][17];
    int lx = get_local_id(0), ly = get_local_id(1);
    int gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    tile[ly][lx] = in[(gy + ly) * width + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + ly) * height + gy + lx] = tile[lx][ly];
}

// global memory handed from one item of the group to its neighbour
kernel SIMD void hand_over(global int *a)
{
    uint g = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    a[g] = (int)g * 2;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int v = a[g - l + (l + 1) % n];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[g] = v + 1;
}
