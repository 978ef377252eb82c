// covers: switch statements, dense and sparse, with fall-through, inside loops, on uniform and divergent values
// simd: 8 16 32

kernel SIMD void dense(const global uint *op, const global int *a, const global int *b, global int *out)
{
    uint i = get_global_id(0);
    int x = a[i], y = b[i], r;
    switch (op[i]) {
    case 0: r = x + y; break;
    case 1: r = x - y; break;
    case 2: r = x * y; break;
    case 3: r = out[i] & y; break;
    case 4: r = out[i] | y; break;
    case 5: r = x ^ y; break;
    case 6: r = x << (y & 15); break;
    case 7: r = out[x & 7]; break;
    default: r = 0; break;
    }
    out[get_global_size(0) + i] = r;
}

kernel SIMD void sparse(const global int *a, global int *out)
{
    uint i = get_global_id(0);
    int r = 0;
    switch (a[i]) {
    case -1000: r += 1;
    case 3: r += 10; out[3 * i] = r; break;
    case 77: r += 100;
    case 4096: r += 1000; out[3 * i + 1] = r;
    case 1 << 20: r += 10000; break;
    }
    out[3 * i + 2] = r;
}

// a small stack-free interpreter: every lane runs its own program over one accumulator
kernel SIMD void machine(const global uchar *code, const global uint *entry, const global int *a, global int *out)
{
    uint i = get_global_id(0);
    uint pc = entry[i];
    int acc = a[i], count = 0;
    for (;;) {
        uchar insn = code[pc++];
        int arg = insn >> 3;
        switch (insn & 7) {
        case 0: acc += arg; continue;
        case 1: acc -= arg; continue;
        case 2: acc *= arg; continue;
        case 3: acc = ~acc; continue;
        case 4: if (acc < 0) pc += arg; continue;
        case 5: if (++count < arg) pc = entry[i]; continue;
        case 6: acc >>= arg; continue;
        }
        break;
    }
    out[i] = acc;
}

kernel SIMD void uniform_switch(const global float *a, global float *out, int mode)
{
    uint i = get_global_id(0);
    float x = a[i];
    switch (mode) {
    case 0: out[i] = x * 2.0f; break;
    case 1: out[i] = x + 1.0f; break;
    case 2: out[i] = -x; break;
    case 3: out[i] = a[i ^ 1]; break;
    }
}
