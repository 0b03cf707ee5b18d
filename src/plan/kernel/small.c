/* Kernels that are hardly used give way to the reference ones, whose code is
 * much smaller.
 *
 * On one core, whose flash holds each kernel once, one of two kilobytes may
 * compute a layer of 44 products.  Where all layers of a kernel together take
 * hardly any time even by kern/ref, they are left to it. */
#include "plan/kernel/offer.h"

enum { HARDLY = 4096 }; /* of the network's cycles one */

static bool is_reference(const Kern *k)
{
    return str_starts(k->path, "kern/ref/");
}

static bool is_float(const Node *n)
{
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && n->arg[i]->type == T_f32)
            return true;
    return n->res[0]->type == T_f32;
}

/* The reference kernel that may compute n in the memory that another needs. */
static bool reference_of(const Chooser *c, const Node *n, const Choice *was,
                         Choice *to)
{
    Node seen = seen_by_kernel(n);
    Dims d = {0};
    Asked x = kern_ask(&seen, &d);
    int i;

    if (n->op == OP_concat || is_float(n) || node_varies(n) || was->over ||
        was->forced)
        return false;
    dims_fill_part(n, 0, &d);
    for (i = 0; i < c->nof[n->op]; i++) {
        const Kern *k = c->of[n->op][i];
        const char *word;
        Offer o = offer_new(k, kern_takes(k, x.n));

        if (!is_reference(k) || offer_lacks(c, k, &word) || !o.sig ||
            offer_judge(n, &x, &o) != TAKEN || o.cycles == INT64_MAX)
            continue;
        *to = *was;
        offer_take(to, &o, &x);
        return to->scratch <= was->scratch && to->inplace == was->inplace;
    }
    return false;
}

/* Cycles that all layers of kernel k take by the reference; INT64_MAX: one of
 * them it cannot compute. */
static int64_t by_reference(const Chooser *c, const Graph *g,
                            const Choice *choice, const Kern *k)
{
    int64_t sum = 0;
    const Node *n;
    Choice to;

    for (n = g->first; n; n = n->next) {
        if (choice[n->id].kern != k)
            continue;
        if (!reference_of(c, n, &choice[n->id], &to))
            return INT64_MAX;
        sum += to.cycles;
    }
    return sum;
}

static void take_reference(const Chooser *c, const Graph *g, Choice *choice,
                           const Kern *k)
{
    const Node *n;
    Choice to;

    for (n = g->first; n; n = n->next) {
        Choice *was = &choice[n->id];

        if (was->kern != k || !reference_of(c, n, was, &to))
            continue;
        to.why.chosen = arena_fmt(c->mem, "%s: %lld cycles; its code is "
                                  "small, and the layer takes little",
                                  to.kern->name, (long long)to.cycles);
        to.why.next = arena_fmt(c->mem, "faster: %s", was->why.chosen);
        *was = to;
    }
}

void choose_small(const Chooser *c, const Graph *g, Choice *choice)
{
    int64_t all = 0;
    const Node *n;

    for (n = g->first; n; n = n->next)
        if (choice[n->id].kern && choice[n->id].cycles != INT64_MAX)
            all += choice[n->id].cycles;
    for (n = g->first; n; n = n->next) {
        const Kern *k = choice[n->id].kern;

        if (k && !is_reference(k) &&
            by_reference(c, g, choice, k) <= all / HARDLY)
            take_reference(c, g, choice, k);
    }
}
