// Two kernels without calls; the second has local memory and a barrier.
kernel void saxpy(global float *y, global const float *x, float a, uint n) {
    uint i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

kernel void sums(global int *sum, global const int *x, local int *part) {
    uint l = get_local_id(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int s = 0;
        for (int i = 0; i < get_local_size(0); i++)
            s += part[i];
        sum[get_group_id(0)] = s;
    }
}
