/* Values and shapes: what is asked of them. */
#include "ir/ir.h"

#include <string.h>

bool val_is_int(const Val *v)
{
    return v->type != T_none && type_info[v->type].kind != FLOAT;
}

bool val_is_output(const Graph *g, const Val *v)
{
    int i;

    for (i = 0; i < g->nout; i++)
        if (g->out[i] == v)
            return true;
    return false;
}

int64_t val_count(const Val *v)
{
    return shape_count(v->shape);
}

const Val *val_shown(const Val *v)
{
    while (v->def && v->def->op == OP_reshape)
        v = v->def->arg[0];
    return v;
}

int64_t val_bytes(const Val *v)
{
    return val_count(v) * type_info[v->type].bytes;
}

int64_t val_int(const Val *v, int64_t i)
{
    switch (v->type) {
#define TYPE(name, ctype, bytes, kind, npy, onnx) \
    case T_##name: return (int64_t)((const ctype *)v->data)[i];
#include "ir/type.def"
    default: die("val_int of '%s', which has no type", v->name);
    }
}

double val_num(const Val *v, int64_t i)
{
    if (v->type == T_f32)
        return ((const float *)v->data)[i];
    return (double)val_int(v, i);
}

void val_set(Val *v, int64_t i, int64_t x)
{
    switch (v->type) {
#define TYPE(name, ctype, bytes, kind, npy, onnx) \
    case T_##name: ((ctype *)v->data)[i] = (ctype)x; break;
#include "ir/type.def"
    default: die("val_set of '%s', which has no type", v->name);
    }
}

#define RANGE_OF(ctype)                                                \
    do {                                                               \
        const ctype *x = v->data;                                      \
        ctype lo = x[0], hi = x[0];                                    \
                                                                       \
        for (i = 1; i < n; i++) {                                      \
            lo = MIN(lo, x[i]);                                        \
            hi = MAX(hi, x[i]);                                        \
        }                                                              \
        v->lo = (int64_t)lo;                                           \
        v->hi = (int64_t)hi;                                           \
    } while (0)

void val_read_range(Val *v)
{
    int64_t i, n = val_count(v);

    if (!val_is_int(v) || !n)
        return;
    switch (v->type) {
#define TYPE(name, ctype, bytes, kind, npy, onnx)                      \
    case T_##name: RANGE_OF(ctype); break;
#include "ir/type.def"
    default: break;
    }
}

void val_range(Val *v)
{
    if (!val_is_int(v))
        return;
    v->lo = v->hi = 0;
    val_read_range(v);
}

Type type_for(int64_t lo, int64_t hi)
{
    static const Type order[] = {T_s8, T_u8, T_s16, T_s32, T_s64};
    size_t i;

    for (i = 0; i + 1 < LEN(order); i++)
        if (type_info[order[i]].lo <= lo && hi <= type_info[order[i]].hi)
            break;
    return order[i];
}

/* In place: the least type is never wider than the one before, except for
 * unsigned ones that keep their size as signed, so elements move forward. */
void val_narrow(Val *v)
{
    Val old = *v;
    int64_t i, n = val_count(v);

    if (!v->data || !val_is_int(v) || v->type == T_b8)
        return;
    val_read_range(v);
    if (!n)
        v->lo = v->hi = 0;
    v->type = type_for(v->lo, v->hi);
    if (type_info[v->type].bytes > type_info[old.type].bytes)
        v->type = old.type;
    if (v->type == old.type)
        return;
    for (i = 0; i < n; i++)
        val_set(v, i, val_int(&old, i));
}

Shape shape_of(int rank, const int64_t *dim)
{
    Shape s = {.rank = rank};
    int i;

    if (rank > RANK)
        err(ERR_MODEL, "a tensor of %d dimensions: at most %d are supported",
            rank, RANK);
    for (i = 0; i < rank; i++)
        s.dim[i] = dim[i];
    return s;
}

int64_t shape_product(Shape s, int from, int to)
{
    int64_t p = 1;
    int i;

    for (i = from; i < to; i++)
        p *= s.dim[i];
    return p;
}

int64_t shape_count(Shape s)
{
    const char *why = NULL;
    int64_t n = 1;
    int i;

    for (i = 0; i < s.rank && !why; i++)
        if (s.dim[i] < 0)
            why = "has a negative size";
        else if (__builtin_mul_overflow(n, s.dim[i], &n) ||
                 n > INT64_C(1) << 40)
            why = "is too large: at most 2^40 elements are supported";
    if (why)
        err(ERR_MODEL, "a tensor of shape %s %s", shape_text(s), why);
    return n;
}

bool shape_same(Shape a, Shape b)
{
    int i;

    if (a.rank != b.rank)
        return false;
    for (i = 0; i < a.rank; i++)
        if (!size_same(size_at(a, i), size_at(b, i)))
            return false;
    return true;
}

const char *shape_str(Arena *a, Shape s)
{
    return arena_str(a, shape_text(s));
}
