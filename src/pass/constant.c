/* New constants from old ones.  Old ones are never changed: others may read
 * them, and sweeping takes away what nobody does. */
#include "pass/pass.h"

#include <string.h>

Val *const_vector(Graph *g, const char *name, int64_t n, Type t)
{
    return graph_const(g, name, t, shape_of(1, &n), NULL);
}

/* Copies elements of one size along an index that walks over y in order. */
static void permute(char *y, const char *x, size_t size, Shape s,
                    const int64_t *stride)
{
    int64_t at[RANK] = {0}, off = 0, i, n = shape_count(s);
    int k;

    for (i = 0; i < n; i++) {
        memcpy(y + (size_t)i * size, x + (size_t)off * size, size);
        for (k = s.rank - 1; k >= 0; k--) {
            off += stride[k];
            if (++at[k] < s.dim[k])
                break;
            off -= stride[k] * s.dim[k];
            at[k] = 0;
        }
    }
}

Val *const_transpose(Graph *g, const Val *v, const int64_t *perm)
{
    Shape s = v->shape;
    int64_t step[RANK], stride[RANK], n = 1;
    int i;
    Val *w;

    for (i = s.rank - 1; i >= 0; i--) {
        step[i] = n;
        n *= s.dim[i];
    }
    for (i = 0; i < s.rank; i++) {
        stride[i] = step[perm[i]];
        s.dim[i] = v->shape.dim[perm[i]];
    }
    w = graph_const(g, v->name, v->type, s, NULL);
    w->lo = v->lo;
    w->hi = v->hi;
    permute(w->data, v->data, (size_t)type_info[v->type].bytes, s, stride);
    return w;
}

Val *const_as(Graph *g, const Val *v, Shape s)
{
    Val *w = graph_const(g, v->name, v->type, s, v->data);

    w->lo = v->lo;
    w->hi = v->hi;
    return w;
}

Val *const_at_rank(Graph *g, Val *v, int rank)
{
    Shape s = {.rank = rank};
    int i, pad = rank - v->shape.rank;

    if (pad <= 0)
        return v;
    for (i = 0; i < rank; i++)
        s.dim[i] = i < pad ? 1 : v->shape.dim[i - pad];
    return const_as(g, v, s);
}

static Shape broadcast(const Val *a, const Val *b)
{
    Shape s = {.rank = MAX(a->shape.rank, b->shape.rank)};
    int i;

    for (i = 0; i < s.rank; i++) {
        int64_t m = dim_from_end(a, i), n = dim_from_end(b, i);

        s.dim[s.rank - 1 - i] = m == 1 ? n : m;
    }
    return s;
}

/* Where element i of s lies in v, which broadcasts to s. */
static int64_t place_in(const Val *v, Shape s, int64_t i)
{
    int64_t off = 0, step = 1, d;
    int k;

    for (k = 0; k < v->shape.rank; k++) {
        d = s.dim[s.rank - 1 - k];
        if (dim_from_end(v, k) != 1)
            off += i % d * step;
        step *= dim_from_end(v, k);
        i /= d;
    }
    return off;
}

static bool apply(char op, int64_t a, int64_t b, int64_t *y)
{
    if (op == '*')
        return !__builtin_mul_overflow(a, b, y);
    if (op == '-')
        return !__builtin_sub_overflow(a, b, y);
    return !__builtin_add_overflow(a, b, y);
}

/* Integers are s32 where they all fit, since that is what kernels take as
 * bias and factors; s64 where not.  Sets the range. */
Val *const_settle(Graph *g, Val *v)
{
    int64_t i, n = val_count(v);
    Type t;
    Val *w;

    val_range(v);
    t = v->lo >= INT32_MIN && v->hi <= INT32_MAX ? T_s32 : T_s64;
    if (t == v->type)
        return v;
    w = graph_const(g, v->name, t, v->shape, NULL);
    for (i = 0; i < n; i++)
        val_set(w, i, val_int(v, i));
    w->lo = v->lo;
    w->hi = v->hi;
    return w;
}

/* a op b of two constants, + - or *, broadcast; integers as s32 or s64, NULL
 * if one does not fit there. */
Val *const_op(Graph *g, const Val *a, const Val *b, char op)
{
    bool real = a->type == T_f32;
    Shape s = broadcast(a, b);
    Val *y = graph_const(g, a->name, real ? T_f32 : T_s64, s, NULL);
    int64_t i, n = shape_count(s), r;

    for (i = 0; i < n; i++) {
        int64_t ia = place_in(a, s, i), ib = place_in(b, s, i);

        if (real) {
            float u = ((float *)a->data)[ia], v = ((float *)b->data)[ib];

            ((float *)y->data)[i] =
                op == '*' ? u * v : op == '-' ? u - v : u + v;
        } else if (apply(op, val_int(a, ia), val_int(b, ib), &r)) {
            val_set(y, i, r);
        } else {
            return NULL;
        }
    }
    return real ? y : const_settle(g, y);
}

/* The places of an axis that the list names, in its order. */
Val *const_pick(Graph *g, Val *v, int axis, int64_t n, const int64_t *list)
{
    Shape s = v->shape;
    size_t inner = (size_t)type_info[v->type].bytes;
    int64_t outer = 1, old = s.dim[axis], i, j;
    char *to, *from = v->data;
    Val *w;
    int k;

    for (k = 0; k < axis; k++)
        outer *= s.dim[k];
    for (k = axis + 1; k < s.rank; k++)
        inner *= (size_t)s.dim[k];
    s.dim[axis] = n;
    w = graph_const(g, v->name, v->type, s, NULL);
    to = w->data;
    for (i = 0; i < outer; i++)
        for (j = 0; j < n; j++, to += inner)
            memcpy(to, from + (size_t)(i * old + list[j]) * inner, inner);
    val_range(w);
    return w;
}
