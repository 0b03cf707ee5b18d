/* How many bits each value and each matrix gets.
 *
 * One at a time is quantized, all else being float, and what that adds to the
 * noise of the outputs is its share.  Of weights that are to have 4 bits those
 * come first that add least for the bytes they save; of values that are to have
 * 16 those that add most.  How many of either is found by halving: results are
 * measured of the whole, not summed up. */
#include "ptq/calib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 8 }; /* examples, for one share */

static bool among(const char *const *list, int n, const char *name)
{
    int i;

    for (i = 0; i < n; i++)
        if (!strcmp(list[i], name))
            return true;
    return false;
}

bool mix_has(const Mix *m, const char *name)
{
    return !m->only || !strcmp(m->only, name);
}

bool mix_four(const Mix *m, const char *weights)
{
    return m->all_four || among(m->four, m->nfour, weights);
}

bool mix_wide(const Mix *m, const char *value)
{
    return m->all_wide || among(m->wide, m->nwide, value);
}

typedef struct Part {
    const char *name;
    int64_t count; /* of weights; 0: a value */
    double noise;  /* of the outputs, by their signal */
    double *share; /* where it is noted */
} Part;

typedef struct Search {
    Arena *mem;
    Graph *f;
    Seen **seen;
    const Met *met;
    const Answers *a;
    PtqOpts *o;
    const char **name; /* in the order in which they are tried */
    int n;
} Search;

static double noise(const PtqReport *r)
{
    double sum = 0;
    int i;

    for (i = 0; i < r->nout; i++)
        if (isfinite(r->out[i].sqnr))
            sum += pow(10, -r->out[i].sqnr / 10);
    return sum;
}

/* What one of them adds, with so many bits as o says. */
static double noise_of(const Search *s, const char *name)
{
    Arena *a = arena_new();
    PtqOpts o = *s->o;
    PtqReport r = {0};
    Inserted *list;
    double y;

    o.mix.only = name;
    make_integer(a, s->f, s->seen, s->met, &o, &r, &list);
    measure_outputs(a, s->a, r.grids, &r);
    y = noise(&r);
    arena_end(a);
    return y;
}

static Part *parts_of(Arena *mem, PtqReport *r, int *n)
{
    Part *p = NEWN(mem, Part, (size_t)(r->nlayer + r->nweights) + 1);
    int i;

    *n = 0;
    for (i = 0; i < r->nlayer; i++)
        p[(*n)++] = (Part){r->layer[i].name, 0, 0, &r->layer[i].share};
    for (i = 0; i < r->nweights; i++)
        p[(*n)++] = (Part){r->weights[i].name, r->weights[i].count, 0,
                           &r->weights[i].share};
    return p;
}

/* Of values or of weights, or of both. */
static void find_noise(const Search *s, Part *p, int n, bool values,
                       bool weights)
{
    int i;

    for (i = 0; i < n; i++) {
        progress("who adds to the noise", i, n);
        if (p[i].count ? weights : values)
            p[i].noise = noise_of(s, p[i].name);
    }
}

static Search search_of(Arena *mem, Graph *f, Seen **seen, const Met *met,
                        const Answers *a, PtqOpts *o)
{
    Answers *few = NEW(mem, Answers);

    *few = *a;
    few->n = MIN(a->n, LOOKED_AT);
    return (Search){.mem = mem, .f = f, .seen = seen, .met = met, .a = few,
                    .o = o};
}

void find_shares(Arena *mem, Graph *f, Seen **seen, const Met *met,
                 const Answers *a, PtqOpts *o, PtqReport *r)
{
    Arena *tmp = arena_new();
    Search s = search_of(tmp, f, seen, met, a, o);
    double sum = 0;
    int n, i;
    Part *p = parts_of(tmp, r, &n);

    (void)mem;
    find_noise(&s, p, n, true, true);
    for (i = 0; i < n; i++)
        sum += p[i].noise;
    for (i = 0; i < n; i++)
        *p[i].share = sum > 0 ? p[i].noise / sum : 0;
    arena_end(tmp);
}

static int less_noise_a_byte(const void *a, const void *b)
{
    const Part *x = a, *y = b;
    double l = x->noise / (double)x->count, r = y->noise / (double)y->count;

    return l != r ? (l > r) - (l < r) : strcmp(x->name, y->name);
}

static int more_noise(const void *a, const void *b)
{
    const Part *x = a, *y = b;

    return x->noise != y->noise ? (x->noise < y->noise) -
           (x->noise > y->noise) : strcmp(x->name, y->name);
}

/* Values, or weights, in the order in which they change. */
static void order(Search *s, PtqReport *r, bool weights)
{
    Arena *tmp = arena_new();
    bool four = s->o->mix.all_four;
    int n, i, k = 0;
    Part *p = parts_of(tmp, r, &n);

    s->o->mix.all_four |= weights;
    find_noise(s, p, n, !weights, weights);
    s->o->mix.all_four = four;
    for (i = 0; i < n; i++)
        if (!p[i].count != weights)
            p[k++] = p[i];
    qsort(p, (size_t)k, sizeof *p, weights ? less_noise_a_byte : more_noise);
    s->name = NEWN(s->mem, const char *, (size_t)k + 1);
    s->n = k;
    for (i = 0; i < k; i++)
        s->name[i] = p[i].name;
    arena_end(tmp);
}

/* Points lost by the network as o has it. */
static double lost(const Search *s, const Answers *all, int64_t *bytes)
{
    Arena *a = arena_new();
    PtqReport r = {0};
    Inserted *list;
    Graph *q = make_integer(a, s->f, s->seen, s->met, s->o, &r, &list);
    double y = 0;

    *bytes = r.bytes_int;
    if (all) {
        measure_outputs(a, all, q, &r);
        y = all->s->label ? 100 * (r.right_float - r.right_int)
            : 100 * (1 - r.out[0].agree);
    }
    arena_end(a);
    return y;
}

/* The most of the first weights that may have 4 bits, or the fewest of the
 * first values that must have 16. */
static int halve(Search *s, const Answers *all, int *count, bool most)
{
    int lo = *count, hi = s->n; /* lo is known to be allowed, hi to do */
    int64_t bytes;

    while (lo < hi) {
        int mid = (lo + hi + most) / 2;
        bool ok;

        *count = mid;
        progress("how many of these", mid, s->n);
        ok = lost(s, all, &bytes) <= s->o->drop + 1e-9;
        if (most ? ok : !ok)
            lo = mid + !most;
        else
            hi = mid - most;
    }
    *count = lo;
    return lo;
}

/* So many that all constants fit. */
static void fit(Search *s)
{
    int64_t bytes;
    Mix *m = &s->o->mix;

    for (m->nfour = 0;; m->nfour++) {
        lost(s, NULL, &bytes);
        if (bytes <= s->o->bytes)
            return;
        if (m->nfour == s->n)
            err(ERR_MODEL, "constants take %lld bytes with weights of 4 bits "
                "throughout, --bytes allows %lld", (long long)bytes,
                (long long)s->o->bytes);
    }
}

void find_mix(Arena *mem, Graph *f, Seen **seen, const Met *met,
              const Answers *a, PtqOpts *o, PtqReport *r)
{
    Search s = search_of(mem, f, seen, met, a, o);
    Mix *m = &o->mix;
    int64_t bytes;

    if (!m->all_four && (o->bytes || o->drop >= 0)) {
        order(&s, r, true);
        m->four = s.name;
        if (o->bytes)
            fit(&s);
        else if (lost(&s, a, &bytes) <= o->drop)
            halve(&s, a, &m->nfour, true);
    }
    if (o->drop < 0 || m->all_wide || lost(&s, a, &bytes) <= o->drop)
        return;
    order(&s, r, false);
    m->wide = s.name;
    halve(&s, a, &m->nwide, false);
}
