// covers: image processing on buffers of bytes: color conversion, blending, box filter, histogram equalization, packing and unpacking
// simd: 8 16 32

kernel SIMD void to_gray(const global uchar4 *in, global uchar *out)
{
    uint i = get_global_id(0);
    uchar4 p = in[i];
    out[i] = (uchar)((p.x * 77 + p.y * 150 + p.z * 29 + 128) >> 8);
}

kernel SIMD void blend(const global uchar4 *a, const global uchar4 *b, global uchar4 *out)
{
    uint i = get_global_id(0);
    ushort4 x = convert_ushort4(a[i]), y = convert_ushort4(b[i]);
    ushort w = b[i].w;
    out[i] = convert_uchar4_sat((x * (ushort)(255 - w) + y * w + (ushort)127) / (ushort)255);
}

kernel SIMD void pack565(const global uchar4 *in, global ushort *packed, global uchar4 *back)
{
    uint i = get_global_id(0);
    uchar4 p = in[i];
    ushort v = (ushort)((p.x >> 3) << 11 | (p.y >> 2) << 5 | p.z >> 3);
    packed[i] = v;
    uchar r = v >> 11, g = v >> 5 & 63, b = v & 31;
    back[i] = (uchar4)(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255);
}

kernel SIMD void box(const global uchar *in, global uchar *out, int width, int height, int radius)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0, count = 0;
    for (int cy = max(y - radius, 0); cy <= min(y + radius, height - 1); cy++)
        for (int cx = max(x - radius, 0); cx <= min(x + radius, width - 1); cx++) {
            sum += in[cy * width + cx];
            count++;
        }
    out[y * width + x] = (uchar)(sum / count);
}

kernel SIMD void threshold(const global float4 *in, global uint *bits)
{
    uint i = get_global_id(0);
    uint b = 0;
    for (int k = 0; k < 8; k++) {
        float4 v = in[8 * i + k];
        b |= (v.x > 0.5f ? 1u : 0u) << (4 * k) | (v.y > 0.5f ? 2u : 0u) << (4 * k);
        b |= (v.z > 0.5f ? 4u : 0u) << (4 * k) | (v.w > 0.5f ? 8u : 0u) << (4 * k);
    }
    bits[i] = b;
}
