/* Nests: axes with a stride for each operand, joined as far as all operands
 * walk them as one. */
#include "ir/dims.h"

Len len_const(int64_t n)
{
    return (Len){n, (uint64_t)n};
}

Len len_times(Len a, Len b)
{
    return (Len){a.n * b.n, a.far * b.far};
}

Len len_of(Shape s, int i)
{
    return (Len){s.dim[i], dim_anywhere(s, i)};
}

void nest_dense(Shape s, Len stride[RANK])
{
    Len p = len_const(1);
    int i;

    for (i = s.rank - 1; i >= 0; i--) {
        stride[i] = p;
        p = len_times(p, len_of(s, i));
    }
}

void nest_lens(Shape s, Len n[RANK])
{
    int i;

    for (i = 0; i < s.rank; i++)
        n[i] = len_of(s, i);
}


/* Operand w walks the axes of y as broadcasting has it. */
void nest_broadcast(Nest *t, int w, const Val *v)
{
    Len stride[RANK];
    int i, skip = t->rank - v->shape.rank;

    nest_dense(v->shape, stride);
    for (i = 0; i < v->shape.rank; i++)
        t->s[w][i + skip] = size_is(size_at(v->shape, i), 1) ? len_const(0)
                                                             : stride[i];
}

static void nest_drop(Nest *t, int axis)
{
    int i, w;

    t->rank--;
    for (i = axis; i < t->rank; i++) {
        t->n[i] = t->n[i + 1];
        for (w = 0; w < t->nwalk; w++)
            t->s[w][i] = t->s[w][i + 1];
    }
}

/* Do all operands walk axis and the next as one? */
static bool nest_one(const Nest *t, int axis)
{
    int w;

    for (w = 0; w < t->nwalk; w++)
        if (t->s[w][axis].far != t->s[w][axis + 1].far * t->n[axis + 1].far)
            return false;
    return true;
}

/* keep: the last axis stays on its own. */
void nest_collapse(Nest *t, bool keep)
{
    int i, last = keep ? t->rank - 1 : t->rank;

    for (i = t->rank - 1; i >= 0; i--)
        if (t->n[i].far == 1 && i != last) {
            nest_drop(t, i);
            last--;
        }
    for (i = last - 2; i >= 0; i--) {
        if (!nest_one(t, i))
            continue;
        t->n[i + 1] = len_times(t->n[i + 1], t->n[i]);
        nest_drop(t, i);
    }
}

/* nest_drop removed axis i and its larger neighbour took its place: sizes to
 * the end of an array of len, ones before. */
void nest_sizes(const Node *n, const Nest *t, int len, int32_t *to)
{
    int i;

    if (t->rank > len)
        err_node(n, "%d axes that cannot be joined: at most %d are supported",
                 t->rank, len);
    for (i = 0; i < len; i++)
        to[i] = i < len - t->rank ? 1 : dims_32(n, t->n[i - len + t->rank].n);
}

void nest_strides(const Node *n, const Nest *t, int w, int len,
                        int32_t *to)
{
    int i;

    for (i = 0; i < len; i++)
        to[i] = i < len - t->rank
                    ? 0 : dims_32(n, t->s[w][i - len + t->rank].n);
}
