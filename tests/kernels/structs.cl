// covers: structures in memory and as arguments, packed and padded members of mixed width, arrays of structures, unions of bits
// simd: 8 16 32

typedef struct {
    uchar kind;
    short weight;
    int key;
    long total;
    float3 position;
} Record;

typedef struct __attribute__((packed)) {
    uchar tag;
    uint value;
    ushort check;
} Packed;

typedef struct {
    int scale, bias;
    float gain[4];
    short limits[2];
} Settings;

kernel SIMD void records(const global Record *in, global Record *out)
{
    uint i = get_global_id(0);
    Record r = in[i];
    r.kind ^= 0x80;
    r.weight = (short)(r.weight + r.kind);
    r.total += r.key;
    r.position = r.position.zxy;
    r.key = 0;
    out[i] = r;
}

kernel SIMD void packed(const global Packed *in, global Packed *out)
{
    uint i = get_global_id(0);
    out[i].tag = in[i].tag + 1;
    out[i].value = in[i].value * 3;
    out[i].check = in[i].check ^ 0x5aa5;
}

kernel SIMD void settings(const global int *in, global int *out, Settings s)
{
    uint i = get_global_id(0);
    int v = in[i] * s.scale + s.bias;
    v = min(max(v, (int)s.limits[0]), (int)s.limits[1]);
    out[i] = v + (int)s.gain[i & 3];
}
