// covers: byte-wise processing: string search, CRC with a table in local memory, UTF-8 checks, run-length coding, hex digits
// simd: 8 16 32

kernel SIMD void find(const global uchar *text, constant uchar *pattern, uint length, global uint *hits)
{
    uint i = get_global_id(0);
    uint k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    hits[i] = k == length;
}

kernel SIMD void crc32(const global uchar *in, global uint *out, uint length)
{
    local uint table[256];
    uint l = get_local_id(0);
    for (uint k = l; k < 256; k += get_local_size(0)) {
        uint c = k;
        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
        table[k] = c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint i = get_global_id(0), crc = ~0u;
    for (uint k = 0; k < length; k++)
        crc = table[(crc ^ in[i * length + k]) & 0xff] ^ crc >> 8;
    out[i] = ~crc;
}

// number of bytes a run-length coding of the lane's line takes
kernel SIMD void run_lengths(const global uchar *in, global uint *out, uint length)
{
    uint i = get_global_id(0), at = 0, bytes = 0;
    const global uchar *line = in + i * length;
    while (at < length) {
        uchar c = line[at];
        uint run = 1;
        while (at + run < length && run < 255 && line[at + run] == c)
            run++;
        bytes += run > 3 ? 3 : run;
        at += run;
    }
    out[i] = bytes;
}

kernel SIMD void hex_digits(const global uint *in, global uchar *out)
{
    uint i = get_global_id(0);
    for (int k = 0; k < 8; k++) {
        uint d = in[i] >> (28 - 4 * k) & 15;
        out[8 * i + k] = (uchar)(d < 10 ? '0' + d : 'a' + d - 10);
    }
}

kernel SIMD void utf8_length(const global uchar *in, const global uint *start, global int *out)
{
    uint i = get_global_id(0);
    int count = 0;
    for (uint p = start[i]; p < start[i + 1];) {
        uchar c = in[p];
        int more = c < 0x80 ? 0 : (c & 0xe0) == 0xc0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : (c & 0xf8) == 0xf0 ? 3 : -1;
        if (more < 0) {
            count = -1;
            break;
        }
        p += 1 + more;
        count++;
    }
    out[i] = count;
}
