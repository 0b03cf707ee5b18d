/* Constant weights at the edge of what a kernel may be given, for test/kern/kern.c:
 * factors and addends that take the largest sum to the end of 32 bits (or of
 * what a shift brings there), and an input for which it is met. */
#include "test/kern/kern.h"

#include <stdlib.h>

/* A product: which element of x by which weight. */
typedef struct Line {
    int64_t x, w;
} Line;

static void fix(Val *v)
{
    int64_t i;

    v->data = NEWN(mem, char, (size_t)val_bytes(v) + 1);
    for (i = 0; i < val_count(v); i++)
        val_set(v, i, roll64(v->lo, v->hi));
    val_range(v);
}

/* The products of a sum of channel c into l, how many; -1: padding is met. */
static int lines_conv(const struct conv_dims *d, int c, Line *l)
{
    int oy = (d->ph + d->sh - 1) / d->sh, ox = (d->pw + d->sw - 1) / d->sw;
    int i, j, k, n = 0;

    for (i = 0; i < d->kh; i++)
        for (j = 0; j < d->kw; j++)
            for (k = 0; k < d->c; k++) {
                int y = oy * d->sh - d->ph + i * d->dh;
                int x = ox * d->sw - d->pw + j * d->dw;

                if (oy >= d->oh || ox >= d->ow || y >= d->h || x >= d->w)
                    return -1;
                l[n].x = (int64_t)y * d->xh + (int64_t)x * d->xw +
                         (int64_t)(c / d->m * d->c + k) * d->xc;
                l[n++].w = (int64_t)c * d->wm + (int64_t)i * d->wh +
                           (int64_t)j * d->ww + (int64_t)k * d->wc;
            }
    return n;
}

static int lines_matmul(const struct matmul_dims *d, int c, Line *l)
{
    int i;

    for (i = 0; i < d->k; i++)
        l[i] = (Line){(int64_t)i * d->ak,
                      (int64_t)i * d->bk + (int64_t)c * d->bn};
    return d->k;
}

static bool is_sum(const Node *n)
{
    return n->op == OP_conv || n->op == OP_matmul;
}

static int lines_of(const Node *n, const Dims *d, int c, Line *l)
{
    return n->op == OP_conv ? lines_conv(&d->conv, c, l)
                            : lines_matmul(&d->matmul, c, l);
}

static int64_t element(const Val *v, int c, int64_t none)
{
    return !v ? none : val_int(v, val_count(v) == 1 ? 0 : c);
}

/* The greatest sum of products, or the least, with its bias and scaled. */
static int64_t extreme(const Node *n, const Line *l, int count, int c, bool up)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    int64_t sum = element(n->arg[2], c, 0);
    int i;

    for (i = 0; i < count; i++) {
        int64_t v = val_int(w, l[i].w);

        sum += v * ((v > 0) == up ? x->hi : x->lo);
    }
    return sum * element(n->arg[3], c, 1) + element(n->arg[4], c, 0);
}

static bool per_channel(const Val *v, int channels)
{
    return !v || val_count(v) == 1 ||
           (val_count(v) == channels && v->shape.rank == 1);
}

static int channels_of(const Node *n, const Dims *d)
{
    return n->op == OP_conv ? d->conv.g * d->conv.m : d->matmul.n;
}

bool edge_make(Graph *g, Node *n)
{
    Dims d;
    int i;

    if (!is_sum(n) || !val_is_int(n->res[0]))
        return false;
    dims_fill_wide(n, &d);
    for (i = 2; i < n->narg; i++)
        if (!per_channel(n->arg[i], channels_of(n, &d)))
            return false;
    for (i = 1; i < n->narg; i++)
        if (n->arg[i])
            fix(n->arg[i]);
    node_infer(g, n);
    return true;
}

static int64_t most(Range r)
{
    return MAX(-r.lo, r.hi);
}

/* v times `by`, within its type. */
static void stretch(Val *v, double by)
{
    const TypeInfo *t = &type_info[v->type];
    int64_t i;

    for (i = 0; i < val_count(v); i++) {
        double x = (double)val_int(v, i) * by;

        val_set(v, i, x > (double)t->hi ? t->hi : x < (double)t->lo
                      ? t->lo : (int64_t)x);
    }
    val_range(v);
}

/* What is missing to `limit` goes to the addends. */
static void lift(Val *add, const Node *n, int64_t limit)
{
    bool up = n->scaled.hi >= -n->scaled.lo;
    int64_t more = limit - most(n->scaled), i;
    const TypeInfo *t = &type_info[add->type];

    if (!up)
        more = -more;
    if (add->lo + more < t->lo || add->hi + more > t->hi)
        return;
    for (i = 0; i < val_count(add); i++)
        val_set(add, i, val_int(add, i) + more);
    val_range(add);
}

void edge_scale(Graph *g, Node *n)
{
    int bits = 31 + (roll(2) ? (int)attr_int(n, A_shift) : 0);
    int64_t limit = ((int64_t)1 << MIN(bits, 62)) - 1;

    if (!n->arg[3] || !n->arg[4] || most(n->scaled) < 2)
        return;
    stretch(n->arg[4], 0.5);
    node_infer(g, n);
    stretch(n->arg[3], (double)limit / 2 / (double)most(n->scaled));
    node_infer(g, n);
    if (most(n->scaled) > limit)
        return;
    lift(n->arg[4], n, limit + (roll(4) ? 0 : 1));
    node_infer(g, n);
}

/* The channel whose scaled sum can be the largest, and whether it is the
 * greatest of them or the least; -1: every window meets padding. */
static int largest(const Node *n, const Dims *d, Line *l, bool *up,
                   int64_t *top)
{
    int best = -1, i;

    *top = -1;
    for (i = 0; i < 2 * channels_of(n, d); i++) {
        int count = lines_of(n, d, i / 2, l);
        int64_t v = count < 0 ? -1 : llabs(extreme(n, l, count, i / 2, i & 1));

        if (v > *top) {
            *top = v;
            *up = i & 1;
            best = i / 2;
        }
    }
    return best;
}

int64_t edge_meet(const Node *n, const Dims *d, Val *x, Val *other)
{
    const Val *w = n->arg[1];
    int64_t v, top;
    bool up;
    Line *l;
    int c, count, i;

    if (!is_sum(n) || !w->data)
        return 0;
    l = NEWN(mem, Line, val_count(w) + 1);
    c = largest(n, d, l, &up, &top);
    if (c < 0)
        return 0;
    count = lines_of(n, d, c, l);
    for (i = 0; i < count; i++) {
        v = (val_int(w, l[i].w) > 0) == up ? n->arg[0]->hi : n->arg[0]->lo;
        val_set(x, l[i].x, v);
        val_set(other, l[i].x, v);
    }
    return top;
}
