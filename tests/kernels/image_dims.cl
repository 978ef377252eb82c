// covers: images of one and three dimensions, image arrays, buffer images: reads, writes and sizes
// options: -cl-std=CL2.0
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

constant sampler_t pixel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel SIMD void volume(read_only image3d_t in, write_only image3d_t out)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    float4 v = read_imagef(in, pixel, at) + read_imagef(in, pixel, at + (int4)(0, 0, 1, 0));
    write_imagef(out, at, v * 0.5f);
}

kernel SIMD void slices(read_only image2d_array_t in, write_only image2d_array_t out)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int last = (int)get_image_array_size(in) - 1;
    write_imageui(out, at, read_imageui(in, pixel, (int4)(at.x, at.y, last - at.z, 0)));
}

kernel SIMD void line(read_only image1d_t in, read_only image1d_array_t stack, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(in, pixel, i) + read_imagef(stack, pixel, (int2)(i, 1));
}

kernel SIMD void buffer_image(read_only image1d_buffer_t in, write_only image1d_buffer_t out)
{
    int i = get_global_id(0);
    write_imagei(out, i, read_imagei(in, i) + get_image_width(in));
}

kernel SIMD void sample_volume(read_only image3d_t in, const global float4 *where, global float4 *out)
{
    uint i = get_global_id(0);
    out[i] = read_imagef(in, smooth, where[i]);
}
