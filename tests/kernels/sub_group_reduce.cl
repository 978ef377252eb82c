// covers: sub-group reductions and scans, inclusive and exclusive, add, min, max; int, long and float; any and all
// options: -cl-std=CL2.0
// simd: 8 16 32

kernel SIMD void reductions(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[5 * i + 0] = sub_group_reduce_add(x);
    out[5 * i + 1] = sub_group_reduce_min(x);
    out[5 * i + 2] = sub_group_reduce_max(x);
    out[5 * i + 3] = sub_group_any(x > 100);
    out[5 * i + 4] = sub_group_all(x > -100);
}

kernel SIMD void scans(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    out[4 * i + 0] = sub_group_scan_inclusive_add(x);
    out[4 * i + 1] = sub_group_scan_exclusive_add(x);
    out[4 * i + 2] = sub_group_scan_inclusive_max(x);
    out[4 * i + 3] = sub_group_scan_exclusive_min(x);
}

kernel SIMD void float_scans(const global float *in, global float *out)
{
    uint i = get_global_id(0);
    out[2 * i + 0] = sub_group_scan_inclusive_max(in[i]);
    out[2 * i + 1] = sub_group_reduce_min(in[i]);
}

kernel SIMD void long_reduce(const global long *in, global long *out)
{
    uint i = get_global_id(0);
    out[2 * i + 0] = sub_group_reduce_add(in[i]);
    out[2 * i + 1] = sub_group_scan_exclusive_add(in[i]);
}
