// covers: tiles of float4 in shared local memory, reciprocal square roots, loops with barriers inside
// simd: any 8 16 32

kernel SIMD void accelerate(const global float4 *body, global float4 *velocity, local float4 *tile, uint count, float dt)
{
    uint g = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    float4 me = body[g];
    float3 a = (float3)(0.0f);
    for (uint base = 0; base < count; base += n) {
        tile[l] = body[base + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < n; k++) {
            float3 d = tile[k].xyz - me.xyz;
            float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
            float inverse = native_rsqrt(r2);
            a += d * (tile[k].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    velocity[g].xyz += a * dt;
}

// integer analogue with exact results: all pairs, sum of products of differences
kernel SIMD void all_pairs(const global int2 *p, global long *out, local int2 *tile, uint count)
{
    uint g = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    int2 me = p[g];
    long sum = 0;
    for (uint base = 0; base < count; base += n) {
        tile[l] = p[base + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < n; k++) {
            int2 d = tile[k] - me;
            sum += (long)d.x * d.y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}
