// covers: sub-group block reads and writes of bytes, shorts, dwords and qwords, one to eight elements a lane, global memory
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable

// the work-group's items are consecutive; every sub-group moves its own block
kernel SIMD void block_dwords(const global uint *in, global uint *out)
{
    uint base = get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size();
    uint v = intel_sub_group_block_read(in + base);
    intel_sub_group_block_write(out + base, v * 3 + 1);
}

kernel SIMD void block_dwords2(const global uint *in, global uint *out)
{
    uint base = (get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size()) * 2;
    uint2 v = intel_sub_group_block_read2(in + base);
    intel_sub_group_block_write2(out + base, v.yx);
}

kernel SIMD void block_dwords4(const global uint *in, global uint *out)
{
    uint base = (get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size()) * 4;
    uint4 v = intel_sub_group_block_read4(in + base);
    intel_sub_group_block_write4(out + base, v.wzyx);
}

kernel SIMD void block_dwords8(const global uint *in, global uint *out)
{
    uint base = (get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size()) * 8;
    uint8 v = intel_sub_group_block_read8(in + base);
    intel_sub_group_block_write8(out + base, v + v.s76543210);
}

kernel SIMD void block_shorts(const global ushort *in, global ushort *out)
{
    uint base = (get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size()) * 2;
    ushort2 v = intel_sub_group_block_read_us2(in + base);
    intel_sub_group_block_write_us2(out + base, v + (ushort2)(1, 2));
}
