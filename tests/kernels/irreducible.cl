// covers: control flow that no structured statement describes: goto into loops, two-entry loops, jumps out of nested loops
// simd: 8 16 32

// the loop is entered at its top or in its middle
kernel SIMD void two_entries(const global uint *a, global uint *out)
{
    uint i = get_global_id(0);
    uint x = a[i], n = 0;
    if (x & 1)
        goto middle;
top:
    x = x * 3 + out[n & 7];
    n++;
middle:
    x ^= x >> 3;
    n++;
    if (n < 20 && (x & 0x30) != 0x30)
        goto top;
    out[get_global_size(0) + i] = x + n;
}

kernel SIMD void jump_out(const global int *m, global int *out, int rows, int columns)
{
    uint i = get_global_id(0);
    int want = (int)i, where = -1;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            int v = m[r * columns + c];
            if (v == want) {
                where = r * columns + c;
                goto found;
            }
            if (v < 0)
                goto missing;
        }
missing:
    out[i] = -1;
    return;
found:
    out[i] = where;
}

// a state machine of gotos: each state may go to any other
kernel SIMD void states(const global uchar *text, const global uint *start, global uint *words)
{
    uint i = get_global_id(0);
    uint p = start[i], end = start[i + 1], count = 0;
    uchar c;
outside:
    if (p >= end)
        goto done;
    c = text[p++];
    if (c == '#')
        goto comment;
    if (c == ' ' || c == '\n')
        goto outside;
    count++;
inside:
    if (p >= end)
        goto done;
    c = text[p++];
    if (c == '#')
        goto comment;
    if (c == ' ' || c == '\n')
        goto outside;
    goto inside;
comment:
    if (p >= end)
        goto done;
    c = text[p++];
    if (c == '\n')
        goto outside;
    goto comment;
done:
    words[i] = count;
}
