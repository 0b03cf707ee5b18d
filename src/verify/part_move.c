/* Parts of moved data: copies, padding and gathered rows. */
#include "verify/part.h"

#include <string.h>

/* Byte of the value that lies so many bytes behind the result's place. */
static int64_t value_byte(const Work *w, int64_t at)
{
    Piece p = w->s->out_piece[0];
    int64_t step = w->s->out_packed[0] ? p.row : p.stride;

    return at < 0 || at / step >= p.rows || at % step >= p.row
               ? -1 : p.off + at / step * p.stride + at % step;
}

static bool out_by_piece(Work *w)
{
    Piece p = w->s->out_piece[0];

    w->out = (Loops){
        .v = w->n->res[0], .off = p.off, .rank = 2,
        .axis = {{p.rows, w->s->out_packed[0] ? p.row : p.stride, p.stride},
                 {p.row / w->eb, w->eb, w->eb}},
    };
    return true;
}

/* Do loops with these distances meet no element twice? */
static bool all_apart(const int32_t *n, const int32_t *s, int len)
{
    int64_t reach = 1;
    bool used[8] = {false};
    int i, k, least;

    for (i = 0; i < len; i++) {
        for (least = -1, k = 0; k < len; k++)
            if (!used[k] && n[k] > 1 && (least < 0 || s[k] < s[least]))
                least = k;
        if (least < 0)
            return true;
        used[least] = true;
        if (s[least] < reach)
            return false;
        reach += (int64_t)(n[least] - 1) * s[least];
    }
    return true;
}

/* An element of operand 0 is that byte of a value, which may be another: what
 * is moved keeps its number. */
static bool element_is(Work *w, int64_t at, const Val *v, int64_t off)
{
    const Step *s = w->s;
    Ref r = s->in[0];
    const Space *m = &w->c->space[space_of(w->c->p, r.buf)];
    int eb = part_bytes(v);

    return at >= 0 && at + eb <= s->in_bytes[0] && off >= 0 &&
           space_is(m, addr_of(w->c->p, r) + at, w->c->name[v->id], off, eb);
}

static void read_operand(Work *w)
{
    Ref r = w->s->in[0];
    int64_t n = w->s->in_bytes[0];

    w->read[0] = (Region){space_of(w->c->p, r.buf), addr_of(w->c->p, r), n, 1,
                          n};
    w->count[0] = n / part_bytes(w->n->arg[0]);
}

bool part_copy(Work *w)
{
    const struct copy_dims *d = &w->s->dims.copy;
    Walk x = {.rank = 8}, y = {.rank = 8};
    int64_t count = part_count(d->n, 8), i, more;
    Piece p = w->s->out_piece[0];
    int k;

    for (k = 0; k < 8; k++) {
        x.n[k] = y.n[k] = d->n[k];
        x.s[k] = d->xs[k];
        y.s[k] = d->ys[k];
    }
    if (count < 0 || p.row / w->eb * p.rows != count ||
        !all_apart(d->n, d->ys, 8))
        return part_wrong(w);
    read_operand(w);
    for (i = 0; i < count; i++)
        if (!element_is(w, (d->xo + walk_at(&x, i, &more)) * w->eb,
                        w->n->res[0],
                        value_byte(w, (d->yo + walk_at(&y, i, &more)) *
                                      w->eb)))
            return part_wrong(w);
    return out_by_piece(w);
}

/* Element i of a shape: its place in what was padded to it; -1: padding. */
static int64_t unpadded(int rank, const int64_t *n, const int64_t *xn,
                        const int64_t *before, int64_t i)
{
    int64_t at = 0, size = 1, k;
    int a;

    for (a = rank - 1; a >= 0; a--) {
        k = i % n[a] - before[a];
        i /= n[a];
        if (k < 0 || k >= xn[a])
            return -1;
        at += k * size;
        size *= xn[a];
    }
    return at;
}

static bool pad_numbers(struct pad_dims d, const struct pad_dims *all)
{
    memcpy(d.n, all->n, sizeof d.n);
    memcpy(d.xn, all->xn, sizeof d.xn);
    memcpy(d.before, all->before, sizeof d.before);
    return !memcmp(&d, all, sizeof d) && !d.mode;
}

bool part_pad(Work *w)
{
    const struct pad_dims *d = &w->s->dims.pad;
    const Val *x = w->n->arg[0], *y = w->n->res[0];
    int64_t n[8], xn[8], before[8], from[RANK], i, at, want;
    int64_t count = part_count(d->n, 8);
    int a;

    if (part_count(d->xn, 8) < 0 || !pad_numbers(*d, &w->all.pad) ||
        !part_dense_out(w, count))
        return part_wrong(w);
    for (a = 0; a < 8; a++) {
        n[a] = d->n[a];
        xn[a] = d->xn[a];
        before[a] = d->before[a];
    }
    for (a = 0; a < x->shape.rank; a++)
        from[a] = attr_at(w->n, A_pad, a, 0);
    read_operand(w);
    for (i = 0; i < count; i++) {
        at = unpadded(8, n, xn, before, i);
        want = unpadded(y->shape.rank, y->shape.dim, x->shape.dim, from,
                        value_byte(w, i * w->eb) / w->eb);
        if ((at < 0) != (want < 0) ||
            (at >= 0 && !element_is(w, at * part_bytes(x), x,
                                    want * part_bytes(x))))
            return part_wrong(w);
    }
    return true;
}

/* Rows of a table: some of the indices, or some of several tables. */
bool part_gather(Work *w)
{
    const struct gather_dims *d = &w->s->dims.gather, *a = &w->all.gather;
    int64_t first = w->s->out_piece[0].off / w->eb / MAX(a->inner, 1), outer;
    bool some = d->n != a->n;

    if (d->inner != a->inner || d->len != a->len || d->outer < 1 || d->n < 1 ||
        w->s->out_piece[0].off / w->eb % a->inner ||
        w->s->out_piece[0].rows != 1 || (some && d->outer != 1) ||
        (!some && first % a->n) || first % a->n + d->n > a->n ||
        !part_dense_out(w, (int64_t)d->outer * d->n * d->inner))
        return part_wrong(w);
    outer = (int64_t)a->len * a->inner;
    return part_meets(w, 0, (Loops){
        .v = w->n->arg[0], .off = first / a->n * outer, .rank = 1,
        .axis = {{d->outer * outer, 1, 1}},
    }) && part_meets(w, 1, (Loops){
        .v = w->n->arg[1], .off = first % a->n, .rank = 1,
        .axis = {{d->n, 1, 1}},
    });
}
