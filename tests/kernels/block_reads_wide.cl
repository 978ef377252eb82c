// covers: sub-group block reads and writes of bytes and qwords, and block reads of shared local memory
// options: -cl-std=CL2.0
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_intel_subgroups_char : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_long : enable

kernel SIMD void block_bytes(const global uchar *in, global uchar *out)
{
    uint base = (get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size()) * 4;
    uchar4 v = intel_sub_group_block_read_uc4(in + base);
    intel_sub_group_block_write_uc4(out + base, v.wzyx + (uchar4)(1, 2, 3, 4));
}

kernel SIMD void block_qwords(const global ulong *in, global ulong *out)
{
    uint base = get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size();
    ulong v = intel_sub_group_block_read_ul(in + base);
    intel_sub_group_block_write_ul(out + base, v ^ 0x00ff00ff00ff00ffUL);
}
