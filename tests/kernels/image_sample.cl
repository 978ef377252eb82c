// covers: filtered sampling: normalized coordinates, linear filter, repeat and mirrored addressing, samplers as arguments, level of detail
// options: -cl-std=CL2.0
// simd: 8 16

kernel SIMD void resize(read_only image2d_t in, write_only image2d_t out, sampler_t s)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 size = convert_float2(get_image_dim(out));
    float2 where = (convert_float2(at) + 0.5f) / size;
    write_imagef(out, at, read_imagef(in, s, where));
}

constant sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t mirror = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;

kernel SIMD void two_samplers(read_only image2d_t in, const global float2 *where, global float4 *out)
{
    uint i = get_global_id(0);
    out[i] = read_imagef(in, repeat, where[i]) - read_imagef(in, mirror, where[i]);
}

kernel SIMD void red_only(read_only image2d_t in, const global float2 *where, global float *out)
{
    uint i = get_global_id(0);
    out[i] = read_imagef(in, repeat, where[i]).x;
}

// lanes that do not sample keep their value
kernel SIMD void divergent_sample(read_only image2d_t in, const global float2 *where, global float4 *out)
{
    uint i = get_global_id(0);
    float4 v = (float4)(-1.0f);
    if (where[i].x >= 0.0f)
        v = read_imagef(in, repeat, where[i]);
    out[i] = v;
}
