/* Tensors of TensorFlow Lite: types, constants, quantization parameters. */
#include "front/tflite/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { /* fields */
    TENSOR_shape, TENSOR_type, TENSOR_buffer, TENSOR_name, TENSOR_quant,
    TENSOR_variable, TENSOR_sparsity, TENSOR_has_rank = 8,
    TENSOR_external = 10,
    QUANT_scale = 2, QUANT_zero, QUANT_details_type, QUANT_axis = 6,
    BUFFER_data = 0, BUFFER_offset, BUFFER_size,
};

static const struct {
    const char *name;
    int bits;
    Type type; /* of ours that holds it */
} kinds[] = {
    [TF_f32] = {"float32", 32, T_f32}, [TF_f16] = {"float16", 16, T_f32},
    [TF_s32] = {"int32", 32, T_s32},   [TF_u8] = {"uint8", 8, T_u8},
    [TF_s64] = {"int64", 64, T_s64},   [TF_text] = {"string", 0, T_none},
    [TF_bool] = {"bool", 8, T_b8},     [TF_s16] = {"int16", 16, T_s16},
    [8] = {"complex64", 0, T_none},    [TF_s8] = {"int8", 8, T_s8},
    [TF_f64] = {"float64", 64, T_none}, [11] = {"complex128", 0, T_none},
    [TF_u64] = {"uint64", 64, T_u64},  [TF_resource] = {"resource", 0, T_none},
    [14] = {"variant", 0, T_none},     [TF_u32] = {"uint32", 32, T_u32},
    [TF_u16] = {"uint16", 16, T_u16},  [TF_s4] = {"int4", 4, T_s8},
    [18] = {"bfloat16", 0, T_none},    [TF_s2] = {"int2", 2, T_s8},
    [TF_u4] = {"uint4", 4, T_u8},
};

static bool has_kind(TfType t)
{
    return (int)t >= 0 && (int)t < (int)LEN(kinds) && kinds[t].name;
}

Type type_of(TfType t)
{
    return has_kind(t) ? kinds[t].type : T_none;
}

const char *type_name(TfType t)
{
    return has_kind(t) ? kinds[t].name : "unknown";
}

bool is_float(const Tensor *t)
{
    return t->type == TF_f32 || t->type == TF_f16;
}

bool is_int8(const Tensor *t)
{
    return t->type == TF_s8 || t->type == TF_u8;
}

bool is_int16(const Tensor *t)
{
    return t->type == TF_s16;
}

bool is_quantized(const Tensor *t)
{
    return t->nscale && (is_int8(t) || is_int16(t) || t->type == TF_s4 ||
                         t->type == TF_s32);
}

void want_quantized(const Call *c, const Tensor *t)
{
    if (!is_int8(t) && !is_int16(t))
        call_err(c, "'%s' is of type %s; wanted int8, int16, uint8 or "
                 "float32", t->name, type_name(t->type));
    if (!t->nscale)
        call_err(c, "'%s' has no scale", t->name);
}

double scale_at(const Tensor *t, uint32_t i)
{
    return flat_f32_at(t->scale, t->nscale == 1 ? 0 : i);
}

int64_t zero_of(const Tensor *t)
{
    return t->zero.n ? flat_int_at(t->zero, 8, 0) : 0;
}

/* --- reading the list --- */

static void read_shape(Tensor *t, Table p)
{
    Vector v = flat_vector(p, TENSOR_shape, 4);
    int64_t dim[RANK];
    uint32_t i;
    char what[128];

    snprintf(what, sizeof what, "tensor '%.80s'", t->name);
    for (i = 0; i < v.n && i < RANK; i++)
        dim[i] = flat_int_at(v, 4, i);
    t->shape = shape_checked(what, (int)MIN(v.n, RANK + 1), dim);
    t->has_shape = v.n || flat_int(p, TENSOR_has_rank, 1, 0) || t->data;
}

static bool fits(TfType type, int64_t zero)
{
    Type t = type_of(type) == T_none || type == TF_f32 || type == TF_f16 ||
             type == TF_s64 || type == TF_u64 ? T_s32 : type_of(type);

    return zero >= type_info[t].lo && zero <= type_info[t].hi;
}

static void read_quantization(Tensor *t, Table q)
{
    uint32_t i;

    t->scale = flat_vector(q, QUANT_scale, 4);
    t->zero = flat_vector(q, QUANT_zero, 8);
    t->axis = (int)flat_int(q, QUANT_axis, 4, 0);
    t->nscale = t->scale.n;
    if (flat_int(q, QUANT_details_type, 1, 0))
        err(ERR_MODEL, "tensor '%s' has quantization of its own kind",
            t->name);
    if (t->zero.n > 1 && t->zero.n != t->nscale)
        err(ERR_MODEL, "tensor '%s' has %u scales and %u zero points",
            t->name, t->nscale, t->zero.n);
    for (i = 0; i < t->nscale; i++)
        if (!(scale_at(t, i) >= 0) || isinf(scale_at(t, i)))
            err(ERR_MODEL, "tensor '%s' has the scale %g", t->name,
                scale_at(t, i));
    for (i = 0; i < t->zero.n; i++)
        if (!fits(t->type, flat_int_at(t->zero, 8, i)))
            err(ERR_MODEL, "tensor '%s' of type %s has the zero point %lld",
                t->name, type_name(t->type),
                (long long)flat_int_at(t->zero, 8, i));
}

/* In a buffer, or anywhere in the file. */
static void read_data(const Model *m, Tensor *t, int64_t buffer)
{
    Table b;
    Vector v;
    uint64_t off, size;

    if (buffer < 0 || buffer >= m->buffers.n)
        err(ERR_MODEL, "tensor '%s' is in buffer %lld of %u", t->name,
            (long long)buffer, m->buffers.n);
    b = flat_table_at(m->buffers, (uint32_t)buffer);
    v = flat_vector(b, BUFFER_data, 1);
    off = (uint64_t)flat_int(b, BUFFER_offset, 8, 0);
    size = (uint64_t)flat_int(b, BUFFER_size, 8, 0);
    if (v.n) {
        t->data = v.f->p + v.at;
        t->bytes = v.n;
    } else if (off > 1 && size) {
        if (off > m->file.n || size > m->file.n - off)
            err(ERR_MODEL, "damaged: tensor '%s' lies behind the end of the "
                "file", t->name);
        t->data = m->file.p + off;
        t->bytes = size;
    }
}

static void check_bytes(const Tensor *t)
{
    uint64_t want;

    if (!t->data || t->type == TF_text)
        return;
    want = ((uint64_t)shape_count(t->shape) *
            (uint64_t)(has_kind(t->type) ? kinds[t->type].bits : 0) + 7) / 8;
    if (t->bytes < want)
        err(ERR_MODEL, "tensor '%s' has %llu bytes; its shape %s of type %s "
            "wants %llu", t->name, (unsigned long long)t->bytes,
            shape_text(t->shape), type_name(t->type),
            (unsigned long long)want);
}

static void read_tensor(const Model *m, Tensor *t, Table p)
{
    const char *name = flat_text(m->r.mem, p, TENSOR_name);

    t->name = name && *name ? name
                            : arena_fmt(m->r.mem, "tensor_%d", t->index);
    t->type = (TfType)flat_int(p, TENSOR_type, 1, 0);
    t->variable = flat_int(p, TENSOR_variable, 1, 0) != 0;
    read_data(m, t, flat_int(p, TENSOR_buffer, 4, 0));
    read_shape(t, p);
    read_quantization(t, flat_table(p, TENSOR_quant));
    check_bytes(t);
    if (flat_has(p, TENSOR_sparsity))
        err(ERR_MODEL, "tensor '%s' is sparse; export the model without "
            "sparsity", t->name);
    if (flat_int(p, TENSOR_external, 4, 0))
        err(ERR_MODEL, "tensor '%s' is in another file", t->name);
}

void tensors_read(Model *m, Vector v)
{
    uint32_t i;

    m->tensor = NEWN(m->r.mem, Tensor, (size_t)v.n + 1);
    m->ntensor = (int)v.n;
    for (i = 0; i < v.n; i++) {
        m->tensor[i].index = (int)i;
        read_tensor(m, &m->tensor[i], flat_table_at(v, i));
    }
}

/* --- constants --- */

/* Two to a byte, the low half first. */
static void unpack(const Tensor *t, Val *v, int bits, bool is_signed)
{
    int64_t i, n = val_count(v);
    int per = 8 / bits, top = 1 << (bits - 1);

    for (i = 0; i < n; i++) {
        int x = t->data[i / per] >> (i % per * bits) & (2 * top - 1);
        val_set(v, i, is_signed && x >= top ? x - 2 * top : x);
    }
    val_range(v);
}

static float half(unsigned h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float f = e == 31 ? (m ? NAN : INFINITY)
            : e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);

    return h & 0x8000 ? -f : f;
}

static void widen(const Tensor *t, Val *v)
{
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        ((float *)v->data)[i] =
            half(t->data[2 * i] | (unsigned)t->data[2 * i + 1] << 8);
}

Val *tensor_const(const Call *c, const Tensor *t)
{
    Type type = type_of(t->type);
    bool direct = type && kinds[t->type].bits == 8 * type_info[type].bytes;
    Val *v;

    if (!type)
        call_err(c, "'%s' is of type %s; wanted numbers", t->name,
                 type_name(t->type));
    v = graph_const(c->g, t->name, type, t->shape, direct ? t->data : NULL);
    if (t->type == TF_f16)
        widen(t, v);
    else if (!direct)
        unpack(t, v, kinds[t->type].bits, type == T_s8);
    if (type != T_f32)
        val_narrow(v);
    return v;
}
