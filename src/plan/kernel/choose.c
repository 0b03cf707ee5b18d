/* Which kernel computes a node: of those whose head takes its operator, types
 * and dimensions on this chip, the one with the fewest predicted cycles.
 *
 * A head that predicts nothing counts as slower than any that does; between
 * equals a kernel for an instruction set goes before portable C, and that
 * before the reference; then names decide.  The reason, and that of every
 * kernel refused, is kept for the report. */
#include "plan/plan.h"

#include <string.h>

/* A kernel that may run, and what decides between several. */
typedef struct Offer {
    const Kern *kern;
    const KernSig *sig;
    int rank;
    bool alone;     /* portable C on a team whose head speaks of one core */
    int64_t cycles; /* INT64_MAX: not predicted */
} Offer;

/* What the chip has for an operator on operands of these types, rounded in this
 * way: asked for tiles, of which there are many. */
enum { MENU_KEY = NARG + NRES + 1 };

typedef struct Menu Menu;
struct Menu {
    unsigned char type[MENU_KEY];
    Offer *offer;
    int n;
    Menu *next;
};

/* Most tiles are like another that was asked about: all that heads can ask, and
 * the answer. */
enum { SLOTS = 4096, PER_VAL = 3, MOST_WORDS = sizeof(Dims) / 8 + 8 +
                                               PER_VAL * (NARG + NRES) };

typedef struct Answer Answer;
struct Answer {
    uint64_t *key;
    int n;          /* words of it */
    bool found;
    Choice choice;
    Answer *next;   /* of its slot */
};

struct Chooser {
    Arena *mem;
    const Soc *soc;
    const char *host_isa;
    Kern **kern;
    int nkern;
    Kern ***of;   /* by OpCode: the kernels that name it */
    int nof[NOP];
    Menu **menu;  /* by OpCode */
    Answer **answer;
};

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

/* The first word of the kernel's instruction sets that the chip lacks, or its
 * engine, and how long it is; 0: it has all. */
static size_t lacks(const Chooser *c, const Kern *k, const char **word)
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

/* A concat is one copy per argument: its kernel sees a node of one. */
static Node seen_by_kernel(const Node *n)
{
    Node v = *n;

    if (n->op == OP_concat)
        v.narg = 1;
    return v;
}

/* `when` must hold; of a concat, for the copy of every argument. */
static bool may_run(const Offer *o, const Node *node, const Asked *x)
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

/* Where a kernel runs: accelerators work beside a team of cores, whose program
 * waits for them. */
static int engine_row(const Soc *s, const Kern *k)
{
    const Engine *e = k->engine && s->nhop ? soc_accel(s, k->engine) : NULL;

    return e ? e->row : k->engine ? -1 : ENG_cores;
}

/* The cores that a kernel runs on; an accelerator is begun by one. */
static int cores_of(const Chooser *c, const Kern *k)
{
    if (k->engine)
        return 1;
    return k->split && *k->split ? c->soc->ncore : 1;
}

/* What a core of a team takes longer than one alone for portable C, whose heads
 * speak of the latter unless they name ncore: for a call and its share of the
 * work, and of the layer itself, percent. */
enum { TEAM_CALL = 450, TEAM_MORE = 50 };

static Offer new_offer(const Kern *k, const KernSig *sig)
{
    return (Offer){.kern = k, .sig = sig, .rank = rank_of(k),
                   .alone = k->ncore > 1 && !strcmp(k->isa, "any") &&
                            k->cycles && !kern_counts_cores(k)};
}

/* Cycles, where k's head predicts any, are shared by its cores. */
static int64_t predict(const Offer *o, const Asked *x)
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

/* Kernels are compared by what their heads say: the pace is a mean over many
 * shapes, and its differences between kernels are more noise than truth. */
static int64_t on_this_core(const Offer *o)
{
    return o->cycles == INT64_MAX ? 0 : o->cycles * o->kern->pace / 100;
}

typedef enum Verdict { TAKEN, NOT_LAYOUT, NOT_WHEN } Verdict;

/* May kernel and types line of *o compute node, which kernels see as is asked
 * about?  How fast into *o. */
static Verdict judge(const Node *node, const Asked *x, Offer *o)
{
    if (!layout_fits(o->kern, node))
        return NOT_LAYOUT;
    if (!may_run(o, node, x))
        return NOT_WHEN;
    o->cycles = predict(o, x);
    return TAKEN;
}

/* A node as kernels see it, at each value of its run-time numbers but those at
 * which there is nothing to do. */
typedef struct AtAll {
    int n;
    struct AtOne {
        const Node *node;
        Node seen;
        Dims d;
    } *at;
} AtAll;

static AtAll at_all(const Graph *g, Arena *mem, const Node *n)
{
    unsigned set = node_numbers(n);
    int64_t value[MOST_NUMBERS];
    AtAll all = {0, NULL};

    if (!set)
        return all;
    values_first(g, set, value);
    do {
        struct AtOne *one;
        const Node *m = node_at(mem, n, value);

        if (!val_count(m->res[0]))
            continue;
        GROW(mem, all.at, (size_t)all.n);
        one = &all.at[all.n++];
        one->node = m;
        one->seen = seen_by_kernel(m);
        dims_fill_part(m, 0, &one->d);
    } while (values_next(g, set, value));
    return all;
}

/* Does `when` hold at every value? */
static bool always(const Offer *o, const AtAll *all)
{
    int i;

    for (i = 0; i < all->n; i++) {
        Asked x = kern_ask(&all->at[i].seen, &all->at[i].d);

        if (!may_run(o, all->at[i].node, &x))
            return false;
    }
    return true;
}

/* NULL and *o filled in if k may compute n, else why not. */
static const char *refuse(const Chooser *c, const Kern *k, const Node *node,
                          const Asked *x, const AtAll *all, Offer *o)
{
    const char *word;
    size_t len = lacks(c, k, &word);

    *o = new_offer(k, kern_takes(k, x->n));
    if (len)
        return arena_fmt(c->mem, "needs %.*s", (int)len, word);
    if (!o->sig)
        return "takes other types";
    if (k->row && node_varies(node))
        return "an engine is not told of run-time numbers";
    switch (judge(node, x, o)) {
    case NOT_LAYOUT: return "wants channels last";
    case NOT_WHEN: return arena_fmt(c->mem, "only when %s", k->when);
    default: break;
    }
    if (always(o, all))
        return NULL;
    return arena_fmt(c->mem, "only when %s, which does not hold at every value "
                     "of the run-time numbers", k->when);
}

static bool better(const Offer *a, const Offer *b)
{
    if (a->cycles != b->cycles)
        return a->cycles < b->cycles;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return strcmp(a->kern->path, b->kern->path) < 0;
}

static const char *cycles_str(Arena *mem, const Offer *o)
{
    return o->cycles == INT64_MAX ? "no cycles stated"
               : arena_fmt(mem, "%lld cycles", (long long)o->cycles);
}

/* Cores side by side must not write elements that others still read: each
 * result has to lie on the very operand it is made of. */
static bool may_share(const Node *n, int i, int ncore)
{
    return ncore == 1 || !n->arg[i] ||
           type_info[n->arg[i]->type].bytes ==
               type_info[n->res[0]->type].bytes;
}

static unsigned inplace_of(const Node *n, const Offer *o, int ncore)
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

static int64_t scratch_of(const Offer *o, const Asked *x)
{
    int64_t each = kern_answer(x, o->kern, o->sig, o->kern->scratch);
    int cores = o->kern->ncore;

    return cores > 1 ? ((each + 7) & ~(int64_t)7) * cores : each;
}

static void take(Choice *to, const Offer *o, const Asked *x)
{
    const Kern *k = o->kern;

    to->kern = k;
    to->sig = o->sig;
    to->ncore = k->ncore;
    to->engine = k->row;
    to->inplace = inplace_of(x->n, o, to->ncore);
    to->scratch = scratch_of(o, x);
    to->stack = k->stack ? kern_answer(x, k, o->sig, k->stack) : CALL_STACK;
    to->cycles = on_this_core(o);
    to->denied = INT64_MAX;
}

/* The room and stack that suffice at every value. */
static void take_most(Choice *to, const Offer *o, const AtAll *all)
{
    const Kern *k = o->kern;
    int i;

    for (i = 0; i < all->n; i++) {
        Asked x = kern_ask(&all->at[i].seen, &all->at[i].d);

        to->scratch = MAX(to->scratch, scratch_of(o, &x));
        if (k->stack)
            to->stack = MAX(to->stack, kern_answer(&x, k, o->sig, k->stack));
    }
}

static const char *types_of(Arena *mem, const Node *n)
{
    Str s = {.mem = mem};
    int i;

    for (i = 0; i < n->narg && i < 6; i++)
        str_fmt(&s, "%s%s", i ? " " : "",
                n->arg[i] ? type_info[n->arg[i]->type].name : "_");
    for (i = 0; i < n->nres; i++)
        str_fmt(&s, "%s%s", i ? " " : " -> ", type_info[n->res[i]->type].name);
    return s.s;
}

_Noreturn static void no_kernel(const Chooser *c, const Node *n,
                                char *rest)
{
    char *s;

    for (s = rest; (s = strchr(s, '\n')); s++)
        *s = ';';
    err_node(n, "no kernel for %s on target %s; %s a kernel of yours can be "
             "added with --kernels DIR", types_of(c->mem, n), c->soc->name,
             *rest ? rest : "no file names this operator;");
}

static const char *offer_str(Arena *mem, const Offer *o)
{
    return arena_fmt(mem, "%s: %s", o->kern->name, cycles_str(mem, o));
}

/* The slower kernel whose result may lie on an operand. */
static Choice *other_choice(const Chooser *c, const Offer *over,
                            const Offer *best, const Asked *x, const char *rest)
{
    Choice *to = NEW(c->mem, Choice);

    take(to, over, x);
    to->why = (Why){
        .chosen = arena_fmt(c->mem, "%s; its result may lie on its operand, "
                            "which saves memory here", offer_str(c->mem, over)),
        .next = arena_fmt(c->mem, "faster: %s", offer_str(c->mem, best)),
        .rest = rest};
    return to;
}

/* Puts o among the two best so far; -> which of the three is out. */
static Offer rank(Offer o, Offer best[2])
{
    int i;

    for (i = 0; i < 2; i++)
        if (!best[i].kern || better(&o, &best[i])) {
            Offer was = best[i];

            best[i] = o;
            o = was;
        }
    return o;
}

static void choose(const Chooser *c, const Graph *g, const Node *node,
                   Choice *to)
{
    Node n = seen_by_kernel(node);
    Offer best[2] = {0}, over = {0}, o;
    Str rest = {.mem = c->mem};
    Dims d = {0};
    Arena *own = arena_new();
    AtAll all = at_all(g, own, node);
    Asked x = kern_ask(&n, &d);
    const char *why;
    int i;

    dims_fill_part(node, 0, &d);
    str_put(&rest, "");
    for (i = 0; i < c->nof[n.op]; i++) {
        why = refuse(c, c->of[n.op][i], node, &x, &all, &o);
        if (!why && inplace_of(&n, &o, 1) &&
            (!over.kern || better(&o, &over)))
            over = o;
        if (!why)
            o = rank(o, best);
        if (why)
            str_fmt(&rest, "%s: %s\n", o.kern->name, why);
        else if (o.kern)
            str_fmt(&rest, "%s\n", offer_str(c->mem, &o));
    }
    if (!best[0].kern)
        no_kernel(c, node, rest.s);
    take(to, &best[0], &x);
    take_most(to, &best[0], &all);
    to->why = (Why){
        .chosen = offer_str(c->mem, &best[0]),
        .next = !best[1].kern ? "no other kernel can run here"
            : arena_fmt(c->mem, "next: %s", offer_str(c->mem, &best[1])),
        .rest = rest.s};
    if (over.kern && !to->inplace)
        to->over = other_choice(c, &over, &best[0], &x, rest.s);
    if (to->over)
        take_most(to->over, &over, &all);
    arena_end(own);
}

/* Lists the kernels of each operator, so that nodes need not ask them all. */
static void sort_by_op(Chooser *c)
{
    int i, j;

    c->of = NEWN(c->mem, Kern **, NOP);
    c->menu = NEWN(c->mem, Menu *, NOP);
    c->answer = NEWN(c->mem, Answer *, SLOTS);
    for (i = 0; i < c->nkern; i++)
        for (j = 0; j < c->kern[i]->nop; j++) {
            OpCode op = c->kern[i]->op[j];

            GROW(c->mem, c->of[op], (size_t)c->nof[op]);
            c->of[op][c->nof[op]++] = c->kern[i];
        }
}

Chooser *chooser_new(Arena *mem, const Soc *soc, const PlanOpts *o)
{
    Chooser *c = NEW(mem, Chooser);
    int i;

    *c = (Chooser){.mem = mem, .soc = soc, .host_isa = o->host_isa};
    c->kern = kern_load(mem, o->kernels, &c->nkern);
    for (i = 0; i < c->nkern; i++) {
        c->kern[i]->row = engine_row(soc, c->kern[i]);
        c->kern[i]->ncore = cores_of(c, c->kern[i]);
        c->kern[i]->pace = kernel_pace(mem, soc, c->kern[i]->name);
    }
    sort_by_op(c);
    return c;
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
        const KernSig *sig = lacks(c, k, &word) ? NULL : kern_takes(k, n);

        if (sig)
            m->offer[m->n++] = new_offer(k, sig);
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

static bool ask_menu(const Menu *m, const Node *tile, const Asked *x,
                     int64_t scratch, bool cores, Choice *to)
{
    Offer best = {0}, o;
    int64_t wants, denied = INT64_MAX;
    int i;

    for (i = 0; i < m->n; i++) {
        o = m->offer[i];
        if ((cores && o.kern->row) || judge(tile, x, &o) != TAKEN ||
            (best.kern && !better(&o, &best)))
            continue;
        wants = scratch_of(&o, x);
        if (wants <= scratch)
            best = o;
        else
            denied = MIN(denied, wants);
    }
    if (best.kern)
        take(to, &best, x);
    to->denied = denied;
    return best.kern != NULL;
}

static int key_of(const Menu *m, const Asked *x, int64_t scratch,
                  uint64_t key[MOST_WORDS])
{
    const Node *n = x->n;
    const int64_t head[] = {(intptr_t)m, scratch, attr_int(n, A_last),
                            n->acc.lo, n->acc.hi, n->scaled.lo, n->scaled.hi};
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
        return ask_menu(m, tile, &x, scratch, false, to);
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
        a->found = ask_menu(m, tile, &x, scratch, false, &a->choice);
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

    return ask_menu(menu_of(c, &seen), tile, &x, scratch, true, to);
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
        if (judge(tile, &x, &o) == TAKEN)
            least = MIN(least, scratch_of(&o, &x));
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

void choice_time(Choice *to, const Node *concat, const Dims *d)
{
    Node n = seen_by_kernel(concat);
    Asked x = kern_ask(&n, d);
    Offer o = new_offer(to->kern, to->sig);

    o.cycles = predict(&o, &x);
    to->cycles = on_this_core(&o);
}

void choice_in_place(Choice *to, const Node *scatter, const Dims *d)
{
    Node n = *scatter;
    Val *arg[3] = {n.arg[2], n.arg[1], n.arg[2]};

    n.arg = arg;
    choice_time(to, &n, d);
}

Choice *choose_kernels(const Chooser *c, Graph *g)
{
    Choice *choice;
    Node *n;
    int count = 0;

    for (n = g->first; n; n = n->next)
        count++;
    choice = NEWN(c->mem, Choice, count + 1);
    for (n = g->first; n; n = n->next) {
        choice[n->id].why = (Why){"an alias: nothing is computed", "", ""};
        if (n->op != OP_reshape)
            choose(c, g, n, &choice[n->id]);
    }
    return choice;
}
