/* Offers: a kernel with the line of its head that takes a node's types, whether
 * it may compute the node, and what that costs. */
#include "plan/kernel/offer.h"

#include <string.h>

bool isa_has(const char *list, const char *word, size_t n)
{
    for (; list && *list; list += *list == ',') {
        size_t m = strcspn(list, ",");

        if (m == n && !strncmp(list, word, n))
            return true;
        list += m;
    }
    return false;
}

size_t offer_lacks(const Chooser *c, const Kern *k, const char **word)
{
    const char *s = k->isa && strcmp(k->isa, "any") ? k->isa : "";
    size_t n;

    *word = k->engine;
    if (k->row < 0)
        return strlen(k->engine);
    for (; *s; s += n + (s[n] == ',')) {
        n = strcspn(s, ",");
        *word = s;
        if (!isa_has(c->soc->isa, s, n) && !isa_has(c->host_isa, s, n))
            return n;
    }
    return 0;
}

static int rank_of(const Kern *k)
{
    return str_starts(k->path, "kern/ref/") ? 2 :
           str_starts(k->path, "kern/c/") ? 1 : 0;
}

static bool layout_fits(const Kern *k, const Node *n)
{
    return !k->layout || strcmp(k->layout, "last") || attr_int(n, A_last);
}

Node seen_by_kernel(const Node *n)
{
    Node v = *n;

    if (n->op == OP_concat)
        v.narg = 1;
    return v;
}

bool offer_may_run(const Offer *o, const Node *node, const Asked *x)
{
    const Kern *k = o->kern;
    Dims d;
    int i;

    if (!k->when || node->op != OP_concat)
        return !k->when || kern_answer(x, k, o->sig, k->when);
    for (i = 0; i < node->narg; i++) {
        Asked part = kern_ask(x->n, &d);

        memset(&d, 0, sizeof d);
        dims_fill_concat(node, i, &d);
        if (!kern_answer(&part, k, o->sig, k->when))
            return false;
    }
    return true;
}

int offer_engine(const Soc *s, const Kern *k)
{
    const Engine *e = k->engine && s->nhop ? soc_accel(s, k->engine) : NULL;

    return e ? e->row : k->engine ? -1 : ENG_cores;
}

/* The cores that a kernel runs on; an accelerator is begun by one. */
int offer_cores(const Chooser *c, const Kern *k)
{
    if (k->engine)
        return 1;
    return k->split && *k->split ? c->soc->ncore : 1;
}

/* What a core of a team takes longer than one alone for portable C, whose heads
 * speak of the latter unless they name ncore: for a call and its share of the
 * work, and of the layer itself, percent. */
enum { TEAM_CALL = 450, TEAM_MORE = 50 };

Offer offer_new(const Kern *k, const KernSig *sig)
{
    return (Offer){.kern = k, .sig = sig, .rank = rank_of(k),
                   .alone = k->ncore > 1 && !strcmp(k->isa, "any") &&
                            k->cycles && !kern_counts_cores(k)};
}

/* Cycles, where k's head predicts any, are shared by its cores. */
int64_t offer_predict(const Offer *o, const Asked *x)
{
    const Kern *k = o->kern;
    int64_t each;

    if (!k->cycles)
        return INT64_MAX;
    each = (kern_answer(x, k, o->sig, k->cycles) + k->ncore - 1) / k->ncore;
    if (o->alone)
        each += TEAM_CALL + each * TEAM_MORE / 100;
    return each;
}

/* Kernels are compared by what their heads say, floats without a unit by their
 * weight: the pace is a mean over many shapes, and its differences between
 * kernels are more noise than truth. */
int64_t offer_cycles(const Offer *o)
{
    const int64_t call = o->alone ? TEAM_CALL : 0; /* no floats */

    if (o->cycles == INT64_MAX || o->measured)
        return o->measured ? o->cycles : 0;
    return call + (o->cycles - call) * o->kern->pace / 100;
}

Verdict offer_judge(const Node *node, const Asked *x, Offer *o)
{
    if (!layout_fits(o->kern, node))
        return NOT_LAYOUT;
    if (!offer_may_run(o, node, x))
        return NOT_WHEN;
    o->cycles = offer_predict(o, x);
    return TAKEN;
}

static int64_t weighed(const Offer *o)
{
    if (o->measured || o->cycles > INT64_MAX / o->kern->weight)
        return o->cycles;
    return o->cycles * o->kern->weight / 100;
}

bool offer_better(const Offer *a, const Offer *b)
{
    if ((a->rank == FORCED) != (b->rank == FORCED))
        return a->rank == FORCED;
    if (weighed(a) != weighed(b))
        return weighed(a) < weighed(b);
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return strcmp(a->kern->path, b->kern->path) < 0;
}

/* Cores side by side must not write elements that others still read: each
 * result has to lie on the very operand it is made of. */
static bool may_share(const Node *n, int i, int ncore)
{
    return ncore == 1 || !n->arg[i] ||
           type_info[n->arg[i]->type].bytes ==
               type_info[n->res[0]->type].bytes;
}

unsigned offer_inplace(const Node *n, const Offer *o, int ncore)
{
    const char *s = o->kern->inplace ? o->kern->inplace : "";
    unsigned set = 0;
    size_t len;
    int i;

    if (o->kern->row)
        return 0;
    for (; *s; s += len) {
        s += strspn(s, " ,");
        len = strcspn(s, " ,");
        for (i = 0; i < o->sig->narg && i < n->narg; i++)
            if (strlen(o->sig->arg[i].operand) == len &&
                !strncmp(o->sig->arg[i].operand, s, len) &&
                may_share(n, i, ncore))
                set |= 1u << i;
    }
    return set;
}

/* Bytes of stack a call takes where its head does not say. */
enum { CALL_STACK = 256 };

int64_t offer_scratch(const Offer *o, const Asked *x)
{
    int64_t each = kern_answer(x, o->kern, o->sig, o->kern->scratch);
    int cores = o->kern->ncore;

    return cores > 1 ? ((each + 7) & ~(int64_t)7) * cores : each;
}

void offer_take(Choice *to, const Offer *o, const Asked *x)
{
    const Kern *k = o->kern;

    to->kern = k;
    to->sig = o->sig;
    to->ncore = k->ncore;
    to->engine = k->row;
    to->inplace = offer_inplace(x->n, o, to->ncore);
    to->ahead = k->ahead ? MAX(-1, kern_answer(x, k, o->sig, k->ahead)) : -1;
    to->scratch = offer_scratch(o, x);
    to->stack = k->stack ? kern_answer(x, k, o->sig, k->stack) : CALL_STACK;
    to->cycles = offer_cycles(o);
    to->denied = INT64_MAX;
}
