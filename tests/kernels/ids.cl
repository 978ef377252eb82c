// covers: work-item functions in three dimensions, offsets, sizes, local and group ids, linear ids, sub-group ids
// options: -cl-std=CL2.0
// simd: any 8 16 32

kernel SIMD void ids3d(global uint *out)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint w = get_global_size(0), h = get_global_size(1);
    uint at = (((z - get_global_offset(2)) * h + y - get_global_offset(1)) * w + x - get_global_offset(0)) * 8;
    out[at + 0] = x;
    out[at + 1] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;
    out[at + 2] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
    out[at + 3] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;
    out[at + 4] = get_num_groups(0) | get_num_groups(1) << 8 | get_num_groups(2) << 16;
    out[at + 5] = get_work_dim();
    out[at + 6] = get_local_linear_id();
    out[at + 7] = get_global_linear_id();
}

kernel SIMD void sub_group_ids(global uint *out)
{
    uint i = get_global_id(0);
    out[5 * i + 0] = get_sub_group_id();
    out[5 * i + 1] = get_sub_group_local_id();
    out[5 * i + 2] = get_sub_group_size();
    out[5 * i + 3] = get_max_sub_group_size();
    out[5 * i + 4] = get_num_sub_groups();
}

__attribute__((reqd_work_group_size(16, 4, 1)))
kernel SIMD void required_size(global uint *out, uint pitch)
{
    out[get_global_id(1) * pitch + get_global_id(0)] = get_local_id(1) * 16 + get_local_id(0);
}
