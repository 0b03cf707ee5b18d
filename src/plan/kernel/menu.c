/* Kernels of tiles, of which there are many.  What the chip has for an operator
 * on some types is a menu, and most tiles are like another that was asked
 * about, whose answer is kept. */
#include "plan/kernel/offer.h"

#include <string.h>

/* What the chip has for an operator on operands of these types, rounded in this
 * way: asked for tiles, of which there are many. */
enum { MENU_KEY = NARG + NRES + 1 };

struct Menu {
    unsigned char type[MENU_KEY];
    Offer *offer;
    int n;
    Menu *next;
};

/* Most tiles are like another that was asked about: all that heads can ask, and
 * the answer. */
enum { SLOTS = 4096, PER_VAL = 3, MOST_WORDS = sizeof(Dims) / 8 + 10 +
                                               PER_VAL * (NARG + NRES) };

struct Answer {
    uint64_t *key;
    int n;          /* words of it */
    bool found;
    Choice choice;
    Answer *next;   /* of its slot */
};

void menus_begin(Chooser *c)
{
    c->menu = NEWN(c->mem, Menu *, NOP);
    c->answer = NEWN(c->mem, Answer *, SLOTS);
}

static void types_into(const Node *n, unsigned char type[MENU_KEY])
{
    int i;

    memset(type, 0, MENU_KEY);
    type[NARG + NRES] = (unsigned char)node_round(n);
    for (i = 0; i < n->narg && i < NARG; i++)
        type[i] = n->arg[i] ? (unsigned char)n->arg[i]->type : 0;
    for (i = 0; i < n->nres; i++)
        type[NARG + i] = (unsigned char)n->res[i]->type;
}

static Menu *write_menu(const Chooser *c, const Node *n)
{
    Menu *m = NEW(c->mem, Menu);
    const char *word;
    int i;

    types_into(n, m->type);
    m->offer = NEWN(c->mem, Offer, (size_t)c->nof[n->op] + 1);
    for (i = 0; i < c->nof[n->op]; i++) {
        const Kern *k = c->of[n->op][i];
        const KernSig *sig = offer_lacks(c, k, &word) ? NULL : kern_takes(k, n);

        if (sig)
            m->offer[m->n++] = offer_new(k, sig);
    }
    m->next = c->menu[n->op];
    return c->menu[n->op] = m;
}

static const Menu *menu_of(const Chooser *c, const Node *n)
{
    unsigned char type[MENU_KEY];
    const Menu *m;

    types_into(n, type);
    for (m = c->menu[n->op]; m; m = m->next)
        if (!memcmp(m->type, type, sizeof type))
            return m;
    return write_menu(c, n);
}

int choose_least_args(const Chooser *c, const Node *n)
{
    const Menu *m = menu_of(c, n);
    int i, least = NARG;

    for (i = 0; i < m->n; i++)
        least = MIN(least, m->offer[i].sig->narg);
    return m->n ? least : 0;
}

static bool ask_menu(const Chooser *c, const Menu *m, const Node *tile,
                     const Asked *x, int64_t scratch, bool cores, Choice *to)
{
    Offer best = {0}, o;
    int64_t wants, denied = INT64_MAX;
    int i;

    for (i = 0; i < m->n; i++) {
        o = m->offer[i];
        if ((cores && o.kern->row) || offer_judge(tile, x, &o) != TAKEN)
            continue;
        measured_tile(c, tile, &o);
        if (best.kern && !offer_better(&o, &best))
            continue;
        wants = offer_scratch(&o, x);
        if (wants <= scratch)
            best = o;
        else
            denied = MIN(denied, wants);
    }
    if (best.kern)
        offer_take(to, &best, x);
    to->denied = denied;
    return best.kern != NULL;
}

static int key_of(const Menu *m, const Asked *x, int64_t scratch,
                  uint64_t key[MOST_WORDS])
{
    const Node *n = x->n;
    const int64_t head[] = {(intptr_t)m, scratch, attr_int(n, A_last),
                            n->acc.lo, n->acc.hi, n->scaled.lo, n->scaled.hi,
                            (int64_t)n->task, (intptr_t)n->forced};
    int size = dims_of(n->op)->size, k = LEN(head), i;

    memcpy(key, head, sizeof head);
    for (i = 0; i < n->narg + n->nres; i++) {
        const Val *v = i < n->narg ? n->arg[i] : n->res[i - n->narg];

        key[k++] = v ? (uint64_t)v->lo : 0;
        key[k++] = v ? (uint64_t)v->hi : 0;
        key[k++] = v ? (uint64_t)val_count(v) : 0;
    }
    key[k + size / 8] = 0;
    memcpy(key + k, x->d, (size_t)size);
    return k + (size + 7) / 8;
}

static Answer **slot_of(const Chooser *c, const uint64_t *key, int n)
{
    uint64_t h = 0;
    int i;

    for (i = 0; i < n; i++)
        h = (h ^ key[i] ^ h >> 29) * 0x9e3779b97f4a7c15;
    return &c->answer[h >> 32 & (SLOTS - 1)];
}

bool choose_tile(const Chooser *c, const Node *tile, const Dims *d,
                 int64_t scratch, Choice *to)
{
    Node seen = seen_by_kernel(tile);
    const Menu *m = menu_of(c, &seen);
    Asked x = kern_ask(&seen, d);
    uint64_t key[MOST_WORDS];
    Answer *a, **slot;
    int n;

    if (tile->op == OP_concat) /* all of it is asked */
        return ask_menu(c, m, tile, &x, scratch, false, to);
    n = key_of(m, &x, scratch, key);
    slot = slot_of(c, key, n);
    for (a = *slot; a; a = a->next)
        if (a->n == n && !memcmp(a->key, key, (size_t)n * sizeof *key))
            break;
    if (!a) {
        a = NEW(c->mem, Answer);
        a->key = NEWN(c->mem, uint64_t, n);
        memcpy(a->key, key, (size_t)n * sizeof *key);
        a->n = n;
        a->found = ask_menu(c, m, tile, &x, scratch, false, &a->choice);
        a->next = *slot;
        *slot = a;
    }
    *to = a->choice;
    return a->found;
}

bool choose_cores(const Chooser *c, const Node *tile, const Dims *d,
                  int64_t scratch, Choice *to)
{
    Node seen = seen_by_kernel(tile);
    Asked x = kern_ask(&seen, d);

    return ask_menu(c, menu_of(c, &seen), tile, &x, scratch, true, to);
}

bool choose_least(const Chooser *c, const Node *tile, const Dims *d,
                  Choice *to)
{
    Node seen = seen_by_kernel(tile);
    const Menu *m = menu_of(c, &seen);
    Asked x = kern_ask(&seen, d);
    int64_t least = INT64_MAX;
    Offer o;
    int i;

    for (i = 0; i < m->n; i++) {
        o = m->offer[i];
        if (offer_judge(tile, &x, &o) == TAKEN)
            least = MIN(least, offer_scratch(&o, &x));
    }
    return choose_tile(c, tile, d, least, to);
}

bool choose_less(const Chooser *c, const Node *n, Choice *to)
{
    Choice was = *to;
    Dims d = {0};

    dims_fill_part(n, 0, &d);
    if (!was.scratch || node_varies(n) || !choose_least(c, n, &d, to) ||
        to->scratch >= was.scratch) {
        *to = was;
        return false;
    }
    to->why.chosen = arena_fmt(c->mem, "%s, for it takes the least scratch",
                               to->kern->name);
    to->why.next = arena_fmt(c->mem, "else %s", was.why.chosen);
    to->why.rest = was.why.rest;
    to->over = NULL;
    return true;
}

bool choose_narrow(const Chooser *c, const Node *n, int64_t scratch, Choice *to)
{
    Choice was = *to;
    Dims d = {0};

    dims_fill_part(n, 0, &d);
    if (choose_tile(c, n, &d, scratch, to)) {
        to->why.chosen = arena_fmt(c->mem, "%s, for its scratch has room",
                                   to->kern->name);
        to->why.next = was.why.next;
        to->why.rest = was.why.rest;
        to->over = NULL;
        return true;
    }
    *to = was;
    return false;
}

void choice_time(Choice *to, const Node *concat, const Dims *d)
{
    Node n = seen_by_kernel(concat);
    Asked x = kern_ask(&n, d);
    Offer o = offer_new(to->kern, to->sig);

    o.cycles = offer_predict(&o, &x);
    to->cycles = offer_cycles(&o);
}

void choice_in_place(Choice *to, const Node *scatter, const Dims *d)
{
    Node n = *scatter;
    Val *arg[3] = {n.arg[2], n.arg[1], n.arg[2]};

    n.arg = arg;
    choice_time(to, &n, d);
}
