// covers: 32-bit integer atomics on global and shared local memory: all operations, with and without the old value used
// simd: any 8 16 32

// one counter per operation: the results do not depend on the order of the lanes
kernel SIMD void global_atomics(global int *counters, global uint *ucounters, const global int *a)
{
    uint i = get_global_id(0);
    int x = a[i];
    atomic_add(&counters[0], x);
    atomic_sub(&counters[1], x);
    atomic_inc(&counters[2]);
    atomic_dec(&counters[3]);
    atomic_min(&counters[4], x);
    atomic_max(&counters[5], x);
    atomic_and(&counters[6], x);
    atomic_or(&counters[7], x);
    atomic_xor(&counters[8], x);
    atomic_min(&ucounters[0], (uint)x);
    atomic_max(&ucounters[1], (uint)x);
}

// every lane takes a slot of its own: `out` holds a permutation
kernel SIMD void take_slots(global uint *next, const global uchar *wanted, global uint *out)
{
    uint i = get_global_id(0);
    if (wanted[i]) {
        uint slot = atomic_inc(next);
        out[slot] = i;
    }
}

kernel SIMD void local_histogram(const global uchar *in, global uint *out, uint per_item)
{
    local uint bins[64];
    uint l = get_local_id(0), n = get_local_size(0);
    for (uint k = l; k < 64; k += n)
        bins[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < per_item; k++)
        atomic_inc(&bins[in[get_global_id(0) * per_item + k] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < 64; k += n)
        atomic_add(&out[k], bins[k]);
}

// multiplication by compare-and-swap
kernel SIMD void cas_multiply(global uint *product, const global uint *a)
{
    uint x = a[get_global_id(0)] | 1;
    uint old = *product, seen;
    for (;;) {
        seen = atomic_cmpxchg(product, old, old * x);
        if (seen == old)
            break;
        old = seen;
    }
}

// the last writer is unknown, but every value written is read back once
kernel SIMD void exchange(global int *cell, global int *seen)
{
    int i = get_global_id(0);
    seen[i] = atomic_xchg(cell, i + 1);
}
