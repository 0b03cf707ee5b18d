/* Partial sums by pieces of some columns: beside work, or for want of room. */
#include "shard/shard.h"

int column_axis(const Node *n, int i, const Val *v)
{
    int axis = v->shape.rank - 1 - (i == 1 && attr_int(n, A_transb));

    return i && axis >= 0 && v->shape.dim[axis] > 1 ? axis : -1;
}

/* Can columns be computed one by one: is all that has columns constant, and are
 * they not what chips share? */
static bool columns_are_free(const Shard *s, const Share *h)
{
    const Node *n = h->node;
    int i;

    if (!s->o.room || h->res.axis < 0 ||
        h->res.axis == n->res[0]->shape.rank - 1)
        return false;
    for (i = 1; i < n->narg; i++)
        if (n->arg[i] && column_axis(n, i, n->arg[i]) >= 0 && !n->arg[i]->data)
            return false;
    return true;
}

Pieces pieces_at_once(const Shard *s, int64_t all)
{
    Pieces p = {1, false, NEWN(s->mem, int64_t, 2)};

    p.from[1] = all;
    return p;
}

/* Pieces whose sums fit beside those that come of other chips. */
static Pieces even_pieces(const Shard *s, const Share *h, int64_t all)
{
    int64_t len = all, sums = 8 * val_count(h->node->res[0]);
    Pieces p = {.n = 0};

    while (len % 2 == 0 && sums / all * len > s->o.room)
        len /= 2;
    p.from = NEWN(s->mem, int64_t, all / len + 1);
    for (; p.n < all / len; p.n++)
        p.from[p.n + 1] = p.from[p.n] + len;
    return p;
}

/* Of partial sums. */
static Pace pace_of(const Shard *s, const Share *h, int64_t all)
{
    enum { EACH = 4500 }; /* more layers and calls */
    const ShardOpts *o = &s->o;
    double n = (double)all * o->chips;
    int64_t bytes = 4 * val_count(h->node->res[0]);

    return (Pace){EACH, cost_sums(s, h->node) / (double)all,
                  (double)bytes * (o->chips - 1) / o->link_rate / n,
                  4 * bytes / all};
}

/* n pieces of units, each `ratio` as long as the one before. */
static Pieces shrinking_pieces(const Shard *s, int64_t all, int n, double ratio)
{
    double part = 1, sum = 0;
    Pieces p = {n, true, NEWN(s->mem, int64_t, n + 1)};
    int64_t unit = s->o.sum_columns, units = all / unit;
    int i;

    for (i = 0; i < n; i++, part *= ratio)
        sum += part;
    for (i = 0, part = 1; i < n; i++, part *= ratio) {
        int64_t len = (int64_t)((double)units * part / sum + .5);
        int64_t most = units - p.from[i] / unit - (n - 1 - i);

        p.from[i + 1] = p.from[i] + unit * MAX(1, MIN(len, most));
    }
    p.from[n] = all;
    return p;
}

double pieces_cycles(const Shard *s, const Pieces *p, Pace pace)
{
    double link = 0, sum = p->n * pace.each;
    int i;

    for (i = 0; i < p->n; i++) {
        double n = (double)(p->from[i + 1] - p->from[i]);

        sum += MAX(link, n * pace.work);
        link = n * pace.link + s->o.link_cycles;
    }
    return sum + link;
}

/* The quickest: a piece is computed as long as that before it is on its way, so
 * that the last, for which all wait, is short; or all are alike, which takes
 * less room, of which pace.bytes has what a column takes, its neighbours
 * on their way included.  One, if nothing is quicker than without work beside. */
Pieces pieces_beside(const Shard *s, int64_t all, Pace pace)
{
    enum { MOST = 16 };
    Pieces best = pieces_at_once(s, all);
    int64_t unit = s->o.sum_columns;
    int n;

    if (!s->o.beside || all % unit)
        return best;
    for (n = 4; n <= 2 * MOST && n / 2 <= all / unit; n++) {
        double ratio = n % 2 ? 1 : MIN(pace.link / pace.work, 1);
        Pieces p = shrinking_pieces(s, all, n / 2, ratio);

        if (pace.bytes * p.from[1] <= s->o.room &&
            pieces_cycles(s, &p, pace) < pieces_cycles(s, &best, pace))
            best = p;
    }
    return best;
}

Pieces pieces_best(const Shard *s, const Share *h)
{
    Shape y = h->node->res[0]->shape;
    int64_t all = y.rank ? y.dim[y.rank - 1] : 1;
    Pieces p;

    if (!columns_are_free(s, h))
        return pieces_at_once(s, all);
    p = pieces_beside(s, all, pace_of(s, h, all));
    return p.n > 1 ? p : even_pieces(s, h, all);
}

double pieces_behind(const Shard *s, const Share *h, const Pieces *p)
{
    Shape y = h->node->res[0]->shape;
    int64_t all = y.rank ? y.dim[y.rank - 1] : 1;

    return pieces_cycles(s, p, pace_of(s, h, all)) - cost_sums(s, h->node);
}
