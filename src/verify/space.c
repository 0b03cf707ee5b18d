/* A memory as a list of ranges, in order of address, of bytes of values. */
#include "verify/verify.h"

#include <string.h>

static int64_t seg_end(const Seg *s)
{
    return s->at + s->is.n;
}

static void emit(Space *s, Seg v)
{
    Seg *last = s->n ? &s->v[s->n - 1] : NULL;

    if (v.is.n <= 0)
        return;
    if (last && seg_end(last) == v.at && last->token == v.token &&
        last->is.val == v.is.val && last->is.off + last->is.n == v.is.off)
        last->is.n += v.is.n;
    else
        s->v[s->n++] = v;
}

static Seg cut_front(Seg v, int64_t at)
{
    int64_t d = at - v.at;

    return d <= 0 ? v : (Seg){at, {v.is.val, v.is.off + d, v.is.n - d},
                              v.token};
}

static Seg cut_back(Seg v, int64_t at)
{
    v.is.n = MIN(v.is.n, at - v.at);
    return v;
}

/* Room for n ranges in s->spare. */
static void make_room(Arena *mem, Space *s, int n)
{
    if (n > s->room) {
        Seg *v = NEWN(mem, Seg, 2 * n);

        if (s->n)
            memcpy(v, s->v, (size_t)s->n * sizeof *v);
        s->v = v;
        s->room = 2 * n;
        s->spare = NEWN(mem, Seg, s->room);
    }
}

void space_put(Arena *mem, Space *s, const Seg *put, int m)
{
    int64_t gone = 0;
    int i, k = 0, n = s->n;
    Seg *old;

    make_room(mem, s, n + 2 * m);
    old = s->v;
    s->v = s->spare;
    s->spare = old;
    s->n = 0;
    for (i = 0; i < n; i++) {
        Seg v = cut_front(old[i], gone);

        for (; k < m && put[k].at < seg_end(&old[i]); k++) {
            emit(s, cut_back(v, put[k].at));
            emit(s, put[k]);
            gone = seg_end(&put[k]);
            v = cut_front(v, gone);
        }
        emit(s, v);
    }
    while (k < m)
        emit(s, put[k++]);
}

/* The first range that ends behind `at`. */
static int space_find(const Space *s, int64_t at)
{
    int lo = 0, hi = s->n;

    while (lo < hi) {
        int mid = (lo + hi) / 2;

        if (seg_end(&s->v[mid]) > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

bool space_has(const Space *s, int64_t at, const Parts *l,
                      const Seg **found)
{
    int i, k = space_find(s, at);

    *found = NULL;
    for (i = 0; i < l->n; i++) {
        Part p = l->v[i];

        while (p.n) {
            const Seg *v = k < s->n ? &s->v[k] : NULL;
            int64_t in;

            *found = v;
            if (!v || v->at > at)
                return *found = NULL, false;
            in = at - v->at;
            if (v->token >= 0 || v->is.val != p.val ||
                v->is.off + in != p.off)
                return false;
            in = MIN(p.n, v->is.n - in);
            p.off += in;
            p.n -= in;
            at += in;
            k += at == seg_end(v);
        }
    }
    return true;
}

void space_arrive(Space *s, int token)
{
    int i;

    for (i = 0; i < s->n; i++)
        if (s->v[i].token == token)
            s->v[i].token = -1;
}
