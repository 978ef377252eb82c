// covers: float atomics of the memory units: atomic_fetch_add, min and max on float
// options: -cl-std=CL2.0
// simd: 8 16 32

#pragma OPENCL EXTENSION cl_ext_float_atomics : enable

kernel SIMD void float_min_max(volatile global atomic_float *cells, const global float *a)
{
    float x = a[get_global_id(0)];
    atomic_fetch_min_explicit(&cells[0], x, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&cells[1], x, memory_order_relaxed, memory_scope_device);
}

kernel SIMD void float_fetch_add(volatile global atomic_float *cells, const global float *a)
{
    float x = a[get_global_id(0)];
    atomic_fetch_add_explicit(&cells[0], x, memory_order_relaxed, memory_scope_device);
}
