// covers: image2d reads without interpolation: integer coordinates, float, int, uint and half results, clamping samplers, image sizes
// simd: 8 16 32

constant sampler_t pixel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t bordered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel SIMD void read_float(read_only image2d_t in, global float4 *out, int pitch)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    out[at.y * pitch + at.x] = read_imagef(in, pixel, at) * 2.0f;
}

kernel SIMD void read_uint(read_only image2d_t in, global uint4 *out, int pitch)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    out[at.y * pitch + at.x] = read_imageui(in, bordered, at - 1) + 1;
}

kernel SIMD void read_int(read_only image2d_t in, global int *out, int pitch)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int2 size = get_image_dim(in);
    int4 v = read_imagei(in, pixel, size - 1 - at);
    out[at.y * pitch + at.x] = v.x - v.w;
}

kernel SIMD void sizes(read_only image2d_t in, global int *out)
{
    uint i = get_global_id(0);
    out[4 * i + 0] = get_image_width(in);
    out[4 * i + 1] = get_image_height(in);
    out[4 * i + 2] = get_image_channel_order(in);
    out[4 * i + 3] = get_image_channel_data_type(in);
}
