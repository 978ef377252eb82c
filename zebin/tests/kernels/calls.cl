// A kernel with a recursive function, a table of constants and private memory, and one with a plain function.
__attribute__((noinline)) int mix(int x, int y) { return y > 0 ? x * y + 1 : x - y; }

int down(int n) { return n < 2 ? 1 : n * down(n - 1) + mix(n, n); }

constant int table[5] = {1, 2, 3, 4, 5};

kernel void recursion(global int *out) {
    int i = get_global_id(0);
    int values[200];
    for (int k = 0; k < 200; k++)
        values[k] = k * i + mix(k, i);
    int s = 0;
    for (int k = 0; k < 200; k++)
        s += values[(k * i) % 200];
    out[i] = s + down(i % 8) + table[i % 5];
}

kernel void plain(global int *out) { out[get_global_id(0)] = mix(3, get_local_id(0)); }
