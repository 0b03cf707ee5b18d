/* Operands of a part: which elements the kernel's loops must meet, and that
 * memory holds just these. */
#include "verify/part.h"

bool part_wrong(Work *w)
{
    return wrong(w->c, "node %s: kernel %s is told wrong dimensions",
                 w->n->name, w->s->kern->name);
}

int part_bytes(const Val *v)
{
    return type_info[v->type].bytes;
}

int64_t part_elements(const Val *v, int from, int to)
{
    int64_t p = 1;
    int i;

    for (i = from; i < to; i++)
        p *= v->shape.dim[i];
    return p;
}

Loops part_in_bytes(Loops l)
{
    int k;

    l.off *= part_bytes(l.v);
    l.shift *= part_bytes(l.v);
    for (k = 0; k < l.rank; k++) {
        l.axis[k].here *= part_bytes(l.v);
        l.axis[k].there *= part_bytes(l.v);
    }
    return l;
}

bool part_meets(Work *w, int i, Loops l)
{
    int k;

    w->count[i] = 1;
    for (k = 0; k < l.rank; k++)
        if (l.axis[k].here)
            w->count[i] *= l.axis[k].n;
    return loops_is(w, l.v->name, w->s->in[i], w->s->in_bytes[i],
                    part_in_bytes(l), &w->read[i]);
}

bool part_meets_channels(Work *w, const char *name, int64_t first,
                           int64_t count, int64_t here)
{
    bool optional;
    int i = op_arg(w->n->op, name, &optional);
    const Val *v = i >= 0 && i < w->n->narg ? w->n->arg[i] : NULL;
    int64_t each = v && val_count(v) > 1;

    return !v || part_meets(w, i, (Loops){
        .v = v, .off = each * first, .rank = 1,
        .axis = {{count, here, each}},
    });
}

bool part_dense_out(Work *w, int64_t count)
{
    Piece p = w->s->out_piece[0];
    const Val *y = w->n->res[0];

    if (p.row / w->eb * p.rows != count)
        return part_wrong(w);
    w->out = (Loops){
        .v = y, .off = p.off, .rank = 2,
        .axis = {{p.rows, p.row, p.stride}, {p.row / w->eb, w->eb, w->eb}},
    };
    return w->s->out_packed[0] || p.rows == 1 ||
           wrong(w->c, "node %s: its kernel leaves no gaps", w->n->name);
}


void walk_join(Walk *t)
{
    int i, k = 0;

    for (i = 0; i < t->rank; i++) {
        if (t->n[i] == 1)
            continue;
        if (k && t->s[k - 1] == t->s[i] * t->n[i]) {
            t->n[k - 1] *= t->n[i];
            t->s[k - 1] = t->s[i];
            continue;
        }
        t->n[k] = t->n[i];
        t->s[k++] = t->s[i];
    }
    t->rank = k;
}

int64_t walk_at(const Walk *t, int64_t i, int64_t *more)
{
    int64_t at = 0;
    int k;

    *more = INT64_MAX;
    for (k = t->rank - 1; k >= 0; k--) {
        at += i % t->n[k] * t->s[k];
        if (k == t->rank - 1)
            *more = t->n[k] - i % t->n[k];
        i /= t->n[k];
    }
    return at;
}

int64_t part_count(const int32_t *n, int len)
{
    int64_t p = 1;
    int i;

    for (i = 0; i < len; i++) {
        if (n[i] < 1 || p > INT32_MAX)
            return -1;
        p *= n[i];
    }
    return p;
}
