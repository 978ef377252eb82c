// covers: 64-bit integer atomics on global memory
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel SIMD void long_atomics(volatile global long *counters, volatile global ulong *ucounters, const global long *a)
{
    uint i = get_global_id(0);
    long x = a[i];
    atom_add(&counters[0], x);
    atom_sub(&counters[1], x);
    atom_inc(&counters[2]);
    atom_min(&counters[3], x);
    atom_max(&counters[4], x);
    atom_and(&counters[5], x);
    atom_or(&counters[6], x);
    atom_xor(&counters[7], x);
    atom_max(&ucounters[0], (ulong)x);
}

kernel SIMD void long_cas(volatile global ulong *sum, const global ulong *a)
{
    ulong x = a[get_global_id(0)];
    ulong old = *sum, seen;
    for (;;) {
        seen = atom_cmpxchg(sum, old, (old ^ x) + (old & x) * 2);
        if (seen == old)
            break;
        old = seen;
    }
}
