// covers: at least 400 GRFs live at one point: a kernel of SIMD16 with 224 dwords a lane (448 registers of 32 bytes), spilling to scratch
// simd: 16

#define LIVE 224

kernel SIMD void live_registers(const global uint *in, global uint *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    uint v[LIVE];
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        v[k] = in[k * n + i];
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        v[k] += v[(k + 97) % LIVE] ^ v[LIVE - 1 - k];
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        out[k * n + i] = v[k] * v[(k + 31) % LIVE];
}
