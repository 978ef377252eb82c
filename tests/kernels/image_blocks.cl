// covers: two-dimensional block reads and writes of images by a sub-group (media blocks)
// simd: 8 16

#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable

// x is in bytes, one row a read
kernel SIMD void copy_rows(read_only image2d_t in, write_only image2d_t out)
{
    int2 at = (int2)(get_group_id(0) * get_max_sub_group_size() * 4, get_group_id(1) * 8);
    uint8 rows = intel_sub_group_block_read8(in, at);
    intel_sub_group_block_write8(out, at, rows.s76543210);
}

kernel SIMD void add_columns(read_only image2d_t in, global ushort *out)
{
    int2 at = (int2)(get_group_id(0) * get_max_sub_group_size() * 2, 0);
    ushort4 v = intel_sub_group_block_read_us4(in, at);
    out[get_global_id(0)] = v.x + v.y + v.z + v.w;
}

kernel SIMD void one_row(read_only image2d_t in, write_only image2d_t out, int shift)
{
    int2 at = (int2)(get_group_id(0) * get_max_sub_group_size() * 4, get_group_id(1));
    uint v = intel_sub_group_block_read(in, at);
    intel_sub_group_block_write(out, at, v << shift);
}
