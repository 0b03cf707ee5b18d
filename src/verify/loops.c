/* Loops over elements: where each lies in memory and in its value. */
#include "verify/verify.h"

static void drop_axis(Loops *l, int k)
{
    for (l->rank--; k < l->rank; k++)
        l->axis[k] = l->axis[k + 1];
}

/* Longest steps in memory first, so that what lies side by side is inside. */
static void sort_axes(Loops *l)
{
    int i, k;

    for (i = 1; i < l->rank; i++)
        for (k = i; k > 0 && l->axis[k].here > l->axis[k - 1].here; k--) {
            Axis t = l->axis[k];

            l->axis[k] = l->axis[k - 1];
            l->axis[k - 1] = t;
        }
}

/* The same elements in as few loops as can be, the last of which is bytes:
 * here and there 1. */
static Loops tidy(const Loops *from)
{
    Loops l = *from;
    int k;

    for (k = l.rank - 1; k >= 0; k--)
        if (l.axis[k].n == 1 || (!l.axis[k].here && !l.axis[k].there))
            drop_axis(&l, k);
    sort_axes(&l);
    l.axis[l.rank++] = (Axis){type_info[l.v->type].bytes, 1, 1};
    for (k = l.rank - 1; k > 0; k--) {
        Axis *in = &l.axis[k], *out = &l.axis[k - 1];

        if (out->here != in->here * in->n || out->there != in->there * in->n)
            continue;
        in->n *= out->n;
        drop_axis(&l, k - 1);
    }
    return l;
}

static bool rows_from(const Loops *l, int k, int64_t here, int64_t there,
                      RowFn *row, void *arg)
{
    const Axis *a = &l->axis[k];
    int64_t i;

    if (k == l->rank - 1)
        return row(arg, here, there, a->n);
    for (i = 0; i < a->n; i++)
        if (rows_from(l, k + 1, here + i * a->here, there + i * a->there, row,
                      arg))
            return true;
    return false;
}

bool loops_rows(const Loops *from, RowFn *row, void *arg)
{
    Loops l = tidy(from);

    return rows_from(&l, 0, l.shift, l.off, row, arg);
}

Region loops_region(const Plan *p, Ref at, Loops l)
{
    int64_t end = 0;
    Region r;
    int k;

    l = tidy(&l);
    r = (Region){space_of(p, at.buf), addr_of(p, at) + l.shift, 0, 1, 0};
    for (k = 0; k < l.rank; k++)
        end += (l.axis[k].n - 1) * l.axis[k].here;
    r.row = r.stride = end + 1;
    if (l.rank == 2 && l.axis[0].here >= l.axis[1].n) {
        r.row = l.axis[1].n;
        r.rows = l.axis[0].n;
        r.stride = l.axis[0].here;
    }
    return r;
}

/* No sum can overflow: no step is longer than what it must stay within. */
bool loops_inside(const Loops *l, int64_t bytes)
{
    int64_t here = l->shift + type_info[l->v->type].bytes, all, there;
    int k;

    all = val_bytes(l->v);
    there = l->off + type_info[l->v->type].bytes;
    if (l->shift < 0 || l->off < 0)
        return false;
    for (k = 0; k < l->rank; k++) {
        const Axis *a = &l->axis[k];

        if (a->n < 1 || a->here < 0 || a->there < 0 ||
            (a->n > 1 && (a->here > bytes || a->there > all)))
            return false;
        here += (a->n - 1) * a->here;
        there += (a->n - 1) * a->there;
        if (here > bytes || there > all)
            return false;
    }
    return here <= bytes && there <= all;
}

typedef struct Reader {
    const Space *s;
    int64_t at;
    Name is;
} Reader;

static bool row_differs(void *arg, int64_t here, int64_t there, int64_t n)
{
    const Reader *r = arg;

    return !space_is(r->s, r->at + here, r->is, there, n);
}

bool loops_is(Work *w, const char *what, Ref at, int64_t bytes, Loops l,
              Region *r)
{
    Check *c = w->c;
    Reader t;

    if (!loops_inside(&l, bytes))
        return wrong(c, "node %s: its kernel goes beyond %s", w->n->name,
                     what);
    t = (Reader){&c->space[space_of(c->p, at.buf)], addr_of(c->p, at),
                 c->name[l.v->id]};
    *r = loops_region(c->p, at, l);
    return !loops_rows(&l, row_differs, &t) ||
           wrong(c, "node %s: %s is not what its kernel finds there",
                 w->n->name, what);
}
