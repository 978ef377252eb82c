// covers: C11-style atomics with memory orders and scopes, fences, a flag handed from item to item
// options: -cl-std=CL2.0
// simd: 8 16 32

kernel SIMD void orders(volatile global atomic_int *cells, const global int *a)
{
    int x = a[get_global_id(0)];
    atomic_fetch_add_explicit(&cells[0], x, memory_order_relaxed, memory_scope_device);
    atomic_fetch_or_explicit(&cells[1], x, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_sub_explicit(&cells[2], x, memory_order_release, memory_scope_device);
}

// the item that arrives last sums what the others stored
kernel SIMD void last_sums(global int *stored, volatile global atomic_uint *arrived, global int *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    stored[i] = (int)(i * i);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    uint before = atomic_fetch_add_explicit(arrived, 1u, memory_order_acq_rel, memory_scope_device);
    if (before == n - 1) {
        int sum = 0;
        for (uint k = 0; k < n; k++)
            sum += stored[k];
        *out = sum;
    }
}

kernel SIMD void local_counter(global uint *out)
{
    local atomic_uint count;
    if (get_local_id(0) == 0)
        atomic_store_explicit(&count, 0u, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine = atomic_fetch_add_explicit(&count, 2u, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mine < 2 * get_local_size(0);
}
