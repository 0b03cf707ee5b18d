/* ONNX tensors -> constants of the graph.
 *
 * ONNX stores elements raw or in typed lists, in the model or in files beside
 * it, in 26 types of 2 to 64 bits.  An element is first its bits (bits_at),
 * then a number (num_of); tensors whose bits are already ours are copied. */
#include "front/onnx/import.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What ONNX calls types, by its own numbers. */
static const struct {
    const char *name;
    int bits;
    Type type; /* of ours that holds it */
} kinds[] = {
    [1] = {"float", 32, T_f32},        [2] = {"uint8", 8, T_u8},
    [3] = {"int8", 8, T_s8},           [4] = {"uint16", 16, T_u16},
    [5] = {"int16", 16, T_s16},        [6] = {"int32", 32, T_s32},
    [7] = {"int64", 64, T_s64},        [8] = {"string", 0, T_none},
    [9] = {"bool", 8, T_b8},           [10] = {"float16", 16, T_f32},
    [11] = {"double", 64, T_f32},      [12] = {"uint32", 32, T_u32},
    [13] = {"uint64", 64, T_u64},      [14] = {"complex64", 0, T_none},
    [15] = {"complex128", 0, T_none},  [16] = {"bfloat16", 16, T_f32},
    [17] = {"float8e4m3fn", 8, T_f32}, [18] = {"float8e4m3fnuz", 8, T_f32},
    [19] = {"float8e5m2", 8, T_f32},   [20] = {"float8e5m2fnuz", 8, T_f32},
    [21] = {"uint4", 4, T_u8},         [22] = {"int4", 4, T_s8},
    [23] = {"float4e2m1", 4, T_f32},   [24] = {"float8e8m0", 8, T_f32},
    [25] = {"uint2", 2, T_u8},         [26] = {"int2", 2, T_s8},
};

/* A tensor's elements, found but not decoded. */
typedef struct Source {
    const Tensor *t;
    const char *name;
    int type; /* ONNX's number */
    int bits;
    int64_t count;
    const uint8_t *raw; /* NULL: typed lists */
} Source;

Type tensor_type(int onnx)
{
    return onnx > 0 && onnx < (int)LEN(kinds) ? kinds[onnx].type : T_none;
}

const char *tensor_type_name(int onnx)
{
    return onnx > 0 && onnx < (int)LEN(kinds) ? kinds[onnx].name : "unknown";
}

static float half(unsigned h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float f = e == 31 ? (m ? NAN : INFINITY)
            : e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);

    return h & 0x8000 ? -f : f;
}

/* Floats of 4 and 8 bits: sign, exponent, mantissa of `man` bits. */
static float tiny(unsigned v, int bits, int man, int bias)
{
    int e = (int)(v >> man & ((1u << (bits - 1 - man)) - 1));
    int m = (int)(v & ((1u << man) - 1));
    float f = ldexpf((float)(e ? m + (1 << man) : m),
                     (e ? e : 1) - bias - man);

    return v >> (bits - 1) & 1 ? -f : f;
}

static float float8(int type, unsigned v)
{
    switch (type) {
    case 17: return (v & 127) == 127 ? NAN : tiny(v, 8, 3, 7);
    case 18: return v == 128 ? NAN : tiny(v, 8, 3, 8);
    case 19: return half(v << 8);
    case 20: return v == 128 ? NAN : tiny(v, 8, 2, 16);
    }
    return v == 255 ? NAN : ldexpf(1, (int)v - 127); /* e8m0 */
}

static uint64_t raw_bits(const Source *s, int64_t i)
{
    uint64_t v = 0;

    if (s->bits < 8)
        return s->raw[i * s->bits / 8] >> (i * s->bits % 8)
            & ((1u << s->bits) - 1);
    memcpy(&v, s->raw + i * (s->bits / 8), (size_t)s->bits / 8);
    return v;
}

/* Typed lists: small types share int32_data, several to one if under a byte. */
static uint64_t bits_at(const Source *s, int64_t i)
{
    uint64_t v = 0;

    if (s->raw)
        return raw_bits(s, i);
    switch (s->type) {
    case 1: memcpy(&v, &s->t->float_data[i], 4); return v;
    case 7: return (uint64_t)s->t->int64_data[i];
    case 11: memcpy(&v, &s->t->double_data[i], 8); return v;
    case 12: case 13: return s->t->uint64_data[i];
    }
    if (s->bits < 8)
        return (uint32_t)s->t->int32_data[i * s->bits / 8]
            >> (i * s->bits % 8) & ((1u << s->bits) - 1);
    return (uint32_t)s->t->int32_data[i];
}

static int64_t sign_extend(uint64_t v, int bits)
{
    int shift = 64 - bits;

    return (int64_t)(v << shift) >> shift;
}

static float float_of(uint64_t v, int type)
{
    uint32_t w = (uint32_t)v;
    float f;
    double d;

    switch (type) {
    case 10: return half((unsigned)v & 0xffff);
    case 11: memcpy(&d, &v, 8); return (float)d;
    case 16: w <<= 16; break;
    case 23: return tiny((unsigned)v & 15, 4, 1, 1);
    case 17: case 18: case 19: case 20: case 24:
        return float8(type, (unsigned)v & 255);
    }
    memcpy(&f, &w, 4);
    return f;
}

static int64_t int_of(uint64_t v, int type, int bits)
{
    bool is_signed = type_info[tensor_type(type)].kind == SINT;

    if (type == 9)
        return v != 0;
    if (is_signed)
        return sign_extend(v, bits);
    return (int64_t)(bits == 64 ? v : v & (((uint64_t)1 << bits) - 1));
}

static size_t listed(const Tensor *t, int type)
{
    switch (type) {
    case 1: return t->n_float_data;
    case 7: return t->n_int64_data;
    case 11: return t->n_double_data;
    case 12: case 13: return t->n_uint64_data;
    }
    return t->n_int32_data;
}

static const char *external(const Source *s, const char *key)
{
    size_t i;

    for (i = 0; i < s->t->n_external_data; i++) {
        const Onnx__StringStringEntryProto *e = s->t->external_data[i];
        if (e->key && e->value && !strcmp(e->key, key))
            return e->value;
    }
    return NULL;
}

static long number(const Source *s, const char *key, long none)
{
    const char *v = external(s, key);
    char *end;
    long n;

    if (!v)
        return none;
    errno = 0;
    n = strtol(v, &end, 10);
    if (errno || *end || end == v || n < 0)
        err(ERR_MODEL, "tensor '%s': external data has %s '%s'", s->name, key,
            v);
    return n;
}

/* The file beside the model; never one outside its folder. */
static FILE *open_beside(Import *im, const Source *s, const char *file)
{
    char top[PATH_MAX], real[PATH_MAX];
    const char *path, *why;
    FILE *f;
    size_t n;

    if (!im->dir)
        err(ERR_MODEL, "tensor '%s' is in a file of its own ('%s') beside the "
            "model: give the model's path, not its bytes", s->name, file);
    if (*file == '/' || strstr(file, "..") || strchr(file, '\\'))
        err(ERR_MODEL, "tensor '%s': external data in '%s'; only files beside "
            "the model are read", s->name, file);
    path = arena_fmt(im->r.mem, "%s/%s", im->dir, file);
    if (!realpath(im->dir, top) || !realpath(path, real))
        err(ERR_MODEL, "tensor '%s': cannot read external data in %s: %s",
            s->name, path, strerror(errno));
    n = strlen(top);
    if (strncmp(top, real, n) || (real[n] != '/' && n > 1))
        err(ERR_MODEL, "tensor '%s': external data in '%s', a link out of the "
            "model's folder", s->name, file);
    f = file_open(real, &why);
    if (!f)
        err(ERR_MODEL, "tensor '%s': cannot read external data in %s: %s",
            s->name, path, why);
    return f;
}

static const uint8_t *read_external(Import *im, const Source *s, size_t want)
{
    const char *file = external(s, "location");
    long offset = number(s, "offset", 0);
    long length = number(s, "length", (long)want);
    uint8_t *p = arena_get(im->r.mem, want + 1, 1);
    FILE *f;
    size_t got;

    if (!file)
        err(ERR_MODEL, "tensor '%s' is external but has no location", s->name);
    if ((size_t)length != want)
        err(ERR_MODEL, "tensor '%s': %ld bytes of external data; its shape "
            "and type want %zu", s->name, length, want);
    f = open_beside(im, s, file);
    got = fseek(f, offset, SEEK_SET) ? 0 : fread(p, 1, want, f);
    fclose(f);
    if (got != want)
        err(ERR_MODEL, "tensor '%s': external data in '%s' ends too early",
            s->name, file);
    return p;
}

/* Finds the elements and sees to it that there are enough. */
static Source source_of(Import *im, const Tensor *t, const char *name)
{
    Source s = {.t = t, .name = name, .type = t->data_type};
    char *what = arena_fmt(im->r.mem, "tensor '%s'", name);
    size_t want;

    if (!tensor_type(s.type))
        err(ERR_MODEL, "%s has elements of type %s (%d); wanted numbers", what,
            tensor_type_name(s.type), s.type);
    if (t->segment)
        err(ERR_MODEL, "%s is stored in segments, which no tool writes", what);
    s.bits = kinds[s.type].bits;
    s.count = shape_count(shape_checked(what, (int)MIN(t->n_dims, 99),
                                        t->dims));
    want = (size_t)(s.count * s.bits + 7) / 8;
    if (t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        s.raw = read_external(im, &s, want);
        return s;
    }
    if (t->has_raw_data && (t->raw_data.len || !listed(t, s.type))) {
        s.raw = t->raw_data.len ? t->raw_data.data : (const uint8_t *)"";
        if (t->raw_data.len != want)
            err(ERR_MODEL, "%s has %zu bytes; its shape and type want %zu",
                what, t->raw_data.len, want);
        return s;
    }
    if (s.bits >= 8)
        want = (size_t)s.count;
    if (s.bits >= 8 ? listed(t, s.type) != want : listed(t, s.type) < want)
        err(ERR_MODEL, "%s has %zu elements; its shape wants %zu", what,
            listed(t, s.type), want);
    return s;
}

static bool integral(double v)
{
    return fabs(v - rint(v)) <= 1e-3 && fabs(v) < 0x1p53;
}

bool tensor_integral(Import *im, const Tensor *t)
{
    Source s;
    int64_t i;

    if (tensor_type(t->data_type) != T_f32)
        return tensor_type(t->data_type) != T_none;
    s = source_of(im, t, t->name ? t->name : "");
    for (i = 0; i < s.count; i++)
        if (!integral(float_of(bits_at(&s, i), s.type)))
            return false;
    return true;
}

/* Floats that are integers, as integers of the least type; else v itself. */
static Val *exact_reals(Graph *g, Val *v)
{
    int64_t i, n = val_count(v), lo = 0, hi = 0, x;
    const float *f = v->data;
    Val *w;

    for (i = 0; i < n; i++) {
        if (!integral(f[i]))
            return v;
        x = llrintf(f[i]);
        lo = i ? MIN(lo, x) : x;
        hi = i ? MAX(hi, x) : x;
    }
    w = graph_const(g, v->name, type_for(lo, hi), v->shape, NULL);
    for (i = 0; i < n; i++)
        val_set(w, i, llrintf(f[i]));
    w->lo = lo;
    w->hi = hi;
    return w;
}

static Val *exact_ints(Graph *g, const Val *v)
{
    Val r = *v, *w;
    int64_t i, n = val_count(v);
    Type t;

    val_range(&r);
    t = type_for(r.lo, r.hi);
    w = graph_const(g, v->name, t, v->shape, t == v->type ? v->data : NULL);
    for (i = 0; i < n && t != v->type; i++)
        val_set(w, i, val_int(v, i));
    w->lo = r.lo;
    w->hi = r.hi;
    return w;
}

Val *val_exact(Graph *g, Val *v)
{
    Val *w = v;

    if (v->type == T_f32)
        w = exact_reals(g, v);
    else if (v->type != T_b8 && v->type != T_u64)
        w = exact_ints(g, v);
    w->scale = v->scale;
    return w;
}

/* The elements as an array of type t, in the model's own bytes if they are
 * that already. */
static void *decode(Arena *a, const Source *s, Type t)
{
    bool same = s->raw && s->bits == 8 * type_info[t].bytes && s->type != 9
        && (t != T_f32 || s->type == 1);
    char *p;
    int64_t i;

    if (same)
        return (void *)s->raw;
    p = arena_get(a, (size_t)s->count + 1, (size_t)type_info[t].bytes);
    for (i = 0; i < s->count; i++) {
        uint64_t v = bits_at(s, i);
        if (t == T_f32)
            ((float *)p)[i] = float_of(v, s->type);
        else
            memcpy(p + i * type_info[t].bytes,
                   &(int64_t){int_of(v, s->type, s->bits)},
                   (size_t)type_info[t].bytes);
    }
    return p;
}

/* Integers are held in 64 bits with a sign. */
static void check_large(const Source *s)
{
    int64_t i;

    for (i = 0; s->type == 13 && i < s->count; i++)
        if (bits_at(s, i) > INT64_MAX)
            err(ERR_MODEL, "tensor '%s' has an element of 2^63 or more",
                s->name);
}

/* Large networks of integers that are stored as floats pass through here. */
Val *tensor_val(Import *im, const Tensor *t, const char *name)
{
    Source s = source_of(im, t, name ? name : t->name ? t->name : "");
    Arena *tmp = arena_new();
    Val whole = {.name = name, .type = tensor_type(t->data_type)}, *v = &whole;

    check_large(&s);
    im->met |= 1u << s.type;
    whole.shape = shape_of((int)t->n_dims, t->dims);
    whole.data = decode(tmp, &s, whole.type);
    if (im->r.g->exact)
        v = val_exact(im->r.g, &whole);
    if (v == &whole)
        v = graph_const(im->r.g, name, whole.type, whole.shape, whole.data);
    arena_end(tmp);
    return v;
}

/* Where element i of a sparse tensor lies in the dense one. */
static int64_t sparse_at(const Val *at, Shape s, int64_t i)
{
    int64_t j = 0;
    int d;

    if (at->shape.rank == 1)
        return val_int(at, i);
    for (d = 0; d < s.rank; d++) {
        int64_t k = val_int(at, i * s.rank + d);
        if (k < 0 || k >= s.dim[d])
            return -1;
        j = j * s.dim[d] + k;
    }
    return j;
}

Val *tensor_sparse(Import *im, const Onnx__SparseTensorProto *t,
                   const char *name)
{
    Shape s = shape_checked("a sparse tensor", (int)MIN(t->n_dims, 99),
                            t->dims);
    Val *v, *at, *y;
    int64_t i, j, n;

    if (!t->values || !t->indices)
        err(ERR_MODEL, "sparse tensor '%s' lacks values or indices", name);
    v = tensor_val(im, t->values, NULL);
    at = tensor_val(im, t->indices, NULL);
    n = val_count(v);
    if (!val_is_int(at) || val_count(at) != n * (at->shape.rank == 1 ? 1
                                                                : s.rank))
        err(ERR_MODEL, "sparse tensor '%s': %lld indices for %lld values",
            name, (long long)val_count(at), (long long)n);
    y = graph_const(im->r.g, name, v->type, s, NULL);
    for (i = 0; i < n; i++) {
        j = sparse_at(at, s, i);
        if (j < 0 || j >= val_count(y))
            err(ERR_MODEL, "sparse tensor '%s': an index is outside", name);
        memcpy((char *)y->data + j * type_info[v->type].bytes,
               (char *)v->data + i * type_info[v->type].bytes,
               (size_t)type_info[v->type].bytes);
    }
    return y;
}
