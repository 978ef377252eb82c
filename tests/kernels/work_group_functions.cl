// covers: work-group collective functions: reduce, scan, broadcast, any, all
// options: -cl-std=CL2.0
// simd: 8 16 32

kernel SIMD void collectives(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[4 * i + 0] = work_group_reduce_add(x);
    out[4 * i + 1] = work_group_scan_inclusive_add(x);
    out[4 * i + 2] = work_group_broadcast(x, get_local_size(0) - 1);
    out[4 * i + 3] = work_group_any(x == 42) + 2 * work_group_all(x >= 0);
}

kernel SIMD void group_max(const global uint *in, global uint *out)
{
    uint best = work_group_reduce_max(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = best;
}
