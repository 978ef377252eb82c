// covers: ballots, elections, non-uniform sub-group operations under divergence, rotate, clustered reductions
// options: -cl-std=CL2.0
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_vote : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_arithmetic : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_clustered_reduce : enable

kernel SIMD void ballots(const global int *in, global uint *out)
{
    uint i = get_global_id(0);
    uint4 votes = sub_group_ballot(in[i] & 1);
    out[4 * i + 0] = votes.x;
    out[4 * i + 1] = sub_group_ballot_bit_count(votes);
    out[4 * i + 2] = sub_group_ballot_inclusive_scan(votes);
    out[4 * i + 3] = sub_group_inverse_ballot(votes);
}

kernel SIMD void divergent_arithmetic(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i], r;
    if (x & 1)
        r = sub_group_non_uniform_reduce_add(x);
    else
        r = -sub_group_non_uniform_reduce_max(x);
    out[i] = r;
}

kernel SIMD void elected(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    int r = 0;
    if (in[i] > 0)
        r = sub_group_elect() ? 2 : 1;
    out[i] = r;
}

kernel SIMD void clustered(const global int *in, global int *out)
{
    uint i = get_global_id(0);
    out[2 * i + 0] = sub_group_clustered_reduce_add(in[i], 4);
    out[2 * i + 1] = sub_group_clustered_reduce_max(in[i], 8);
}
