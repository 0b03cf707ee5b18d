/* Which kernel computes a node: of those whose head takes its operator, types
 * and dimensions on this chip, the one with the fewest predicted cycles.
 *
 * A head that predicts nothing counts as slower than any that does; between
 * equals a kernel for an instruction set goes before portable C, and that
 * before the reference; then names decide.  The reason, and that of every
 * kernel refused, is kept for the report. */
#include "plan/cost/cost.h"
#include "plan/kernel/offer.h"

#include <string.h>

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

        if (!offer_may_run(o, all->at[i].node, &x))
            return false;
    }
    return true;
}

/* The mean of what the head predicts at every value. */
static int64_t mean_cycles(const Offer *o, const AtAll *all)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < all->n; i++) {
        Asked x = kern_ask(&all->at[i].seen, &all->at[i].d);

        sum += offer_predict(o, &x);
    }
    return sum / all->n;
}

/* NULL and *o filled in if k may compute n, else why not. */
static const char *refuse(const Chooser *c, const Kern *k, const Node *node,
                          const Asked *x, const AtAll *all, Offer *o)
{
    const char *word;
    size_t len = offer_lacks(c, k, &word);

    *o = offer_new(k, kern_takes(k, x->n));
    if (len)
        return arena_fmt(c->mem, "needs %.*s", (int)len, word);
    if (!o->sig)
        return "takes other types";
    if (k->row && node_varies(node))
        return "an engine is not told of run-time numbers";
    switch (offer_judge(node, x, o)) {
    case NOT_LAYOUT: return "wants channels last";
    case NOT_WHEN: return arena_fmt(c->mem, "only when %s", k->when);
    default: break;
    }
    if (always(o, all)) {
        if (all->n && o->cycles != INT64_MAX)
            o->cycles = mean_cycles(o, all);
        return NULL;
    }
    return arena_fmt(c->mem, "only when %s, which does not hold at every value "
                     "of the run-time numbers", k->when);
}

static const char *cycles_str(Arena *mem, const Offer *o)
{
    return o->cycles == INT64_MAX ? "no cycles stated"
               : arena_fmt(mem, "%lld cycles%s", (long long)o->cycles,
                           o->measured ? " measured" : "");
}

/* The room and stack that suffice at every value. */
static void take_most(Choice *to, const Offer *o, const AtAll *all)
{
    const Kern *k = o->kern;
    int i;

    for (i = 0; i < all->n; i++) {
        Asked x = kern_ask(&all->at[i].seen, &all->at[i].d);

        to->scratch = MAX(to->scratch, offer_scratch(o, &x));
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

    offer_take(to, over, x);
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
        if (!best[i].kern || offer_better(&o, &best[i])) {
            Offer was = best[i];

            best[i] = o;
            o = was;
        }
    return o;
}

/* Those that may compute the node, as heads say. */
static int offers_of(const Chooser *c, const Node *node, const Asked *x,
                     const AtAll *all, Offer **list)
{
    int i, n = 0;
    Offer o;

    *list = NULL;
    for (i = 0; i < c->nof[node->op]; i++)
        if (!refuse(c, c->of[node->op][i], node, x, all, &o)) {
            GROW(c->mem, *list, (size_t)n);
            (*list)[n++] = o;
        }
    return n;
}

static Measured what_is_known(const Chooser *c, const Graph *g,
                              const Node *node, const Asked *x,
                              const AtAll *all)
{
    Offer *list = NULL;
    int n = c->ledger ? offers_of(c, node, x, all, &list) : 0;

    return measured_of(c, g, node, list, n);
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
    Measured known;
    int i;

    dims_fill_part(node, 0, &d);
    str_put(&rest, "");
    known = what_is_known(c, g, node, &x, &all);
    for (i = 0; i < c->nof[n.op]; i++) {
        why = refuse(c, c->of[n.op][i], node, &x, &all, &o);
        if (!why)
            measured_take(c, node, &known, &o);
        if (!why && offer_inplace(&n, &o, 1) &&
            (!over.kern || offer_better(&o, &over)))
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
    offer_take(to, &best[0], &x);
    take_most(to, &best[0], &all);
    to->why = (Why){
        .chosen = offer_str(c->mem, &best[0]),
        .next = !best[1].kern ? "no other kernel can run here"
            : arena_fmt(c->mem, "next: %s", offer_str(c->mem, &best[1])),
        .rest = rest.s, .contenders = known.n, .open = known.open};
    to->forced = known.forced;
    if (over.kern && !to->inplace)
        to->over = other_choice(c, &over, &best[0], &x, rest.s);
    if (to->over)
        take_most(to->over, &over, &all);
    if (to->over) {
        to->over->why.contenders = known.n;
        to->over->why.open = known.open;
        to->over->forced = known.forced;
    }
    arena_end(own);
}

/* Lists the kernels of each operator, so that nodes need not ask them all. */
static void sort_by_op(Chooser *c)
{
    int i, j;

    c->of = NEWN(c->mem, Kern **, NOP);
    menus_begin(c);
    for (i = 0; i < c->nkern; i++)
        for (j = 0; j < c->kern[i]->nop; j++) {
            OpCode op = c->kern[i]->op[j];

            if (!c->ledger && kern_is_variant(c->kern[i]))
                continue;
            GROW(c->mem, c->of[op], (size_t)c->nof[op]);
            c->of[op][c->nof[op]++] = c->kern[i];
        }
}

Chooser *chooser_new(Arena *mem, const Soc *soc, const PlanOpts *o)
{
    Chooser *c = NEW(mem, Chooser);
    int i;

    *c = (Chooser){.mem = mem, .soc = soc, .host_isa = o->host_isa,
                   .part = o->part, .exhaustive = o->exhaustive,
                   .halving = o->halving};
    if (o->ledger)
        c->ledger = ledger_read(mem, soc, o->ledger);
    c->kern = kern_load(mem, o->kernels, &c->nkern);
    for (i = 0; i < c->nkern; i++) {
        c->kern[i]->row = offer_engine(soc, c->kern[i]);
        c->kern[i]->ncore = offer_cores(c, c->kern[i]);
        c->kern[i]->pace = kernel_pace(mem, soc, c->kern[i]->base);
        c->kern[i]->weight = kernel_weight(mem, soc, c->kern[i]->base);
    }
    sort_by_op(c);
    return c;
}

int chooser_packings(const Chooser *c, bool jobs, Words *v, int n)
{
    int i, j, count = 0;
    const char *lacks;

    for (i = 0; i < c->nof[OP_pconv]; i++) {
        const Kern *k = c->of[OP_pconv][i];
        long long tile, word, mode, side;

        if ((k->row > 0) != jobs || !k->words || count == n ||
            offer_lacks(c, k, &lacks))
            continue;
        if (sscanf(k->words, "%lld %lld %lld %lld", &tile, &word, &mode,
                   &side) != 4)
            kern_err(k, "words: four numbers were wanted, not '%s'",
                     k->words);
        for (j = 0; j < count && (v[j].tile != tile || v[j].word != word ||
                                  v[j].mode != mode || v[j].side != side); j++)
            ;
        v[j] = (Words){tile, word, mode, side,
                       jobs ? c->soc->engine[k->row].weights : -1,
                       k->sig->arg[0].types >> T_s8 & 1};
        count = MAX(count, j + 1);
    }
    return count;
}

/* A layer takes so many cycles, or those in which its constants come from L2,
 * unless a port of an accelerator is for them: beside others' kernels or its
 * own. */
static int64_t with_loads(const Soc *soc, const Node *n, int64_t cycles)
{
    const Engine *dma = soc_hop(soc, 0);
    int64_t bytes = 0;
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && n->arg[i]->data && !n->arg[i]->port)
            bytes += val_bytes(n->arg[i]);
    return dma ? MAX(cycles, (int64_t)dma_cycles(dma, true, bytes, 1))
               : cycles;
}

/* Until the code of the kernel that was chosen for n is in the cache. */
static int64_t cold_cycles(const Choice *one, const Node *n)
{
    Dims d;

    dims_fill_wide(n, &d);
    return kern_code(one->kern, one->sig, n, &d).cycles;
}

/* May readers of n leave rows and columns of an image out themselves (see_slice
 * in bring.c)?  Convolutions of one tap may that are brought. */
static bool is_stepped(const Node *n)
{
    const Val *y = n->res[0];
    const Node *r;
    bool any = false;
    int i;

    for (r = n->next; r; r = r->next)
        for (i = 0; i < r->narg; i++) {
            if (r->arg[i] != y)
                continue;
            if (i || r->op != OP_conv || !attr_int(r, A_last) ||
                attr_int(r, A_group) != 1 || y->shape.dim[0] != 1 ||
                shape_product(r->arg[1]->shape, 1, 3) != 1)
                return false;
            any = true;
        }
    return any;
}

static bool is_job(const Node *n)
{
    return n->op == OP_pconv || n->op == OP_pinterleave;
}

int64_t nodes_cycles(const Chooser *c, const Graph *g, const Node *from,
                     const Node *end, bool beside, int64_t *cold)
{
    const ProgramTime *time = &c->soc->time;
    int64_t all = 0, before = 0;
    int jobs = 0;
    Choice one;

    for (; from != end; from = from->next) {
        if (from->op == OP_reshape || from->placed ||
            (from->op == OP_slice && is_stepped(end)))
            continue;
        one = (Choice){0};
        choose(c, g, from, &one);
        if (is_job(from) && one.engine == ENG_cores)
            return -1;
        if (is_job(from)) {
            *cold = cold_cycles(&one, from);
            all -= from->arg[1]->port ? time->start : 0;
            all -= beside && jobs++ > 1 ? before : 0;
            before = one.cycles;
        }
        all += with_loads(c->soc, from, one.cycles) +
               (one.engine ? time->job : time->call + time->meet);
    }
    return all;
}

int64_t job_gain(const Chooser *c, const Graph *g, const Node *from,
                 const Node *than, int64_t room, bool beside, int64_t *cold)
{
    const ProgramTime *time = &c->soc->time;
    int64_t all = nodes_cycles(c, g, from, than, beside, cold);
    Choice other = {0};

    choose(c, g, than, &other);
    if (other.scratch > room)
        choose_narrow(c, than, room, &other);
    return all < 0 ? 0
                   : MAX(0, with_loads(c->soc, than, other.cycles) +
                            time->call + time->meet - all);
}

bool chooser_has_room(const Chooser *c, const Graph *g, const Node *n,
                      int64_t room)
{
    Choice best = {0};

    choose(c, g, n, &best);
    return best.scratch <= room;
}

int64_t chooser_cycles(const Chooser *c, const Graph *g, const Node *n)
{
    Chooser heads = *c;
    Choice best = {0};

    if (!tiled_fits(c->soc))
        heads.ledger = NULL;
    choose(&heads, g, n, &best);
    return best.cycles;
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
        choice[n->id].why = (Why){.chosen = "an alias: nothing is computed",
                                  .next = "", .rest = ""};
        n->task = c->ledger && n->op != OP_reshape ? ledger_task(n) : 0;
        n->forced = NULL;
    }
    for (n = g->first; n; n = n->next)
        if (n->op != OP_reshape) {
            choose(c, g, n, &choice[n->id]);
            n->forced = choice[n->id].forced;
        }
    return choice;
}

void choose_spare(const Chooser *chooser, const Graph *g, Choice *c,
                  int64_t room)
{
    Node *n;

    for (n = g->first; n; n = n->next)
        if (c[n->id].kern && c[n->id].inplace && c[n->id].scratch > room / 2)
            choose_less(chooser, n, &c[n->id]);
}
