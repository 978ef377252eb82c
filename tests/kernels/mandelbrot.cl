// covers: iteration counts that differ in every lane, in float and in fixed point of 64 bits; cellular automata on bytes
// simd: 8 16 32

kernel SIMD void mandelbrot(global uint *out, float left, float top, float step, uint limit)
{
    uint x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    float cr = left + step * x, ci = top + step * y, zr = 0.0f, zi = 0.0f;
    uint k = 0;
    while (k < limit && zr * zr + zi * zi <= 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        k++;
    }
    out[y * w + x] = k;
}

// 28 bits behind the point: exact, whatever order the hardware rounds in
kernel SIMD void julia_fixed(global uint *out, const global int2 *start, int cr, int ci, uint limit)
{
    uint i = get_global_id(0);
    long zr = start[i].x, zi = start[i].y;
    uint k;
    for (k = 0; k < limit; k++) {
        long rr = zr * zr >> 28, ii = zi * zi >> 28;
        if (rr + ii > 4L << 28)
            break;
        zi = (2 * zr * zi >> 28) + ci;
        zr = rr - ii + cr;
    }
    out[i] = k;
}

kernel SIMD void life(const global uchar *in, global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int cx = (x + dx + width) % width, cy = (y + dy + height) % height;
            if (dx != 0 || dy != 0)
                alive += in[cy * width + cx];
        }
    uchar self = in[y * width + x];
    out[y * width + x] = alive == 3 || (alive == 2 && self) ? 1 : 0;
}
