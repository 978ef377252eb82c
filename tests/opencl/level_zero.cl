// Kernels of level_zero.c.
__kernel void saxpy(__global float *y, __global const float *x, float a, uint n) {
    uint i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}

// A sum over the group by way of local memory, and the group's number.
__kernel void local_sum(__global uint *y, __global const uint *x, __local uint *t) {
    uint l = get_local_id(0);
    t[l] = x[get_global_id(0)];
    for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = t[0] + (uint)get_group_id(0);
}
