// covers: divergent loops: trip counts that differ per lane, break, continue, nesting, do-while, loops with two exits
// simd: any 8 16 32

kernel SIMD void collatz(const global uint *a, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], steps = 0;
    while (x > 1) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        steps++;
    }
    out[i] = steps;
}

kernel SIMD void gcd(const global uint *a, const global uint *b, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], y = b[i];
    while (y != 0) {
        uint t = x % y;
        x = y;
        y = t;
    }
    out[i] = x;
}

// sums the odd elements of a list that a zero ends, at most `limit` of them
kernel SIMD void break_continue(const global int *lists, const global uint *start, global int *out, uint limit)
{
    uint i = get_global_id(0);
    int sum = 0;
    for (uint k = start[i]; k < start[i] + limit; k++) {
        int v = lists[k];
        if (v == 0)
            break;
        if ((v & 1) == 0)
            continue;
        sum += v;
    }
    out[i] = sum;
}

kernel SIMD void triangle(const global uint *a, global uint *out)
{
    uint i = get_global_id(0);
    uint n = a[i] & 15, sum = 0;
    for (uint j = 0; j < n; j++) {
        for (uint k = 0; k <= j; k++) {
            if ((k * j & 3) == 3)
                break;
            sum += out[k] + j;
        }
        if (sum > 1000)
            break;
    }
    out[get_global_size(0) + i] = sum;
}

kernel SIMD void do_while(const global uint *a, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], r = 0;
    do {
        r = r * 10 + x % 10;
        x /= 10;
    } while (x != 0);
    out[i] = r;
}

// two different exits leave different values behind
kernel SIMD void search(const global int *sorted, const global int *keys, global int *out, int n)
{
    uint i = get_global_id(0);
    int key = keys[i], low = 0, high = n - 1, found = -1;
    while (low <= high) {
        int mid = (low + high) >> 1;
        int v = sorted[mid];
        if (v == key) {
            found = mid;
            break;
        }
        if (v < key)
            low = mid + 1;
        else
            high = mid - 1;
    }
    out[i] = found < 0 ? ~low : found;
}
