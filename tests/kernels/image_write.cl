// covers: image writes of float, int and uint pixels, read-write images, a filter from image to image
// options: -cl-std=CL2.0
// simd: 8 16 32

constant sampler_t pixel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel SIMD void fill(write_only image2d_t f, write_only image2d_t u, write_only image2d_t s)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(f, at, (float4)(0.25f * at.x, 0.5f * at.y, 1.0f, 0.0f));
    write_imageui(u, at, (uint4)(at.x, at.y, at.x ^ at.y, 255));
    write_imagei(s, at, (int4)(-at.x, -at.y, 0, 1));
}

kernel SIMD void invert_in_place(read_write image2d_t image)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 v = read_imageui(image, at);
    write_imageui(image, at, 255 - v);
}

kernel SIMD void sobel(read_only image2d_t in, write_only image2d_t out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float p[3][3];
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            p[dy][dx] = read_imagef(in, pixel, (int2)(x + dx - 1, y + dy - 1)).x;
    float gx = p[0][2] + 2.0f * p[1][2] + p[2][2] - p[0][0] - 2.0f * p[1][0] - p[2][0];
    float gy = p[2][0] + 2.0f * p[2][1] + p[2][2] - p[0][0] - 2.0f * p[0][1] - p[0][2];
    write_imagef(out, (int2)(x, y), (float4)(fabs(gx) + fabs(gy)));
}
