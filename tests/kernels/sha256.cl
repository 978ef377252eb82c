// covers: a long straight line of rotates, adds and logic: one SHA-256 block per lane, fully unrolled
// simd: 8 16

constant uint k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint turn_right(uint x, uint by) { return rotate(x, 32 - by); }

// the state after one block of 16 words, from the standard's initial state
kernel SIMD void sha256_block(const global uint *in, global uint *out)
{
    uint i = get_global_id(0);
    uint w[64];
#pragma unroll
    for (int t = 0; t < 16; t++)
        w[t] = in[16 * i + t];
#pragma unroll
    for (int t = 16; t < 64; t++) {
        uint s0 = turn_right(w[t - 15], 7) ^ turn_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint s1 = turn_right(w[t - 2], 17) ^ turn_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
#pragma unroll
    for (int t = 0; t < 64; t++) {
        uint t1 = h + (turn_right(e, 6) ^ turn_right(e, 11) ^ turn_right(e, 25)) + ((e & f) ^ (~e & g)) + k256[t] + w[t];
        uint t2 = (turn_right(a, 2) ^ turn_right(a, 13) ^ turn_right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    out[8 * i + 0] = s[0] + a;
    out[8 * i + 1] = s[1] + b;
    out[8 * i + 2] = s[2] + c;
    out[8 * i + 3] = s[3] + d;
    out[8 * i + 4] = s[4] + e;
    out[8 * i + 5] = s[5] + f;
    out[8 * i + 6] = s[6] + g;
    out[8 * i + 7] = s[7] + h;
}
