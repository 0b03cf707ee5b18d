/* Layers as the planner sees them: what they read and write and where that
 * lies, which kernels they and their tiles may have, and what is forgotten when
 * the room changes. */
#include "plan/cost/cost.h"
#include "plan/tile/tile.h"

#include <string.h>

/* Bytes of a value that are worth it to be loaded early. */
enum { WORTH = 256 };

int64_t slot_bytes(int64_t n)
{
    return (n + 7) & ~(int64_t)7;
}

/* --- operands --- */

bool oper_is_inlined(const Oper *o)
{
    return o->val && o->konst && !o->in_l3 &&
           (o->val->port || val_is_inlined(o->val));
}

bool oper_is_staged(const Oper *o)
{
    return o->in_l3 && !o->konst;
}

bool oper_is_far(const LayerInst *w, int oper)
{
    return !oper && node_is_far(w->node);
}

bool oper_early(const Oper *o, int first)
{
    return o->konst ||
           (o->val && !o->out && !o->in_l3 && o->since < first - 1 &&
            val_bytes(o->val) >= WORTH);
}

bool alloc_filled(const Alloc *s, const Val *v, Ref place)
{
    return !place.off && val_bytes(v) == s->size;
}

static void add_oper(const Tiler *t, LayerInst *w, const Val *v, bool out)
{
    Oper *o = &w->oper[w->noper++];
    int i;

    *o = (Oper){.val = v, .out = out, .alloc = -1, .since = -1, .bit = -1};
    if (!v)
        return;
    o->place = t->q->s->place[v->id];
    o->konst = t->q->s->alloc[o->place.buf].konst;
    if (o->konst)
        return;
    o->alloc = o->place.buf;
    o->since = t->q->wrote[o->alloc] - 1;
    for (i = 0; i < w->nalloc && w->alloc[i] != o->alloc; i++)
        ;
    w->shared |= out && i < w->nalloc;
    w->alloc[i] = o->alloc;
    w->nalloc = MAX(w->nalloc, i + 1);
    o->bit = i;
}

/* --- layers --- */

static void note_writes(Problem *q, const LayerInst *w)
{
    int o;

    for (o = 0; o < w->noper; o++)
        if (w->oper[o].out && w->oper[o].alloc >= 0)
            q->wrote[w->oper[o].alloc] = q->nlayer;
}

void tiler_recall(Tiler *t, LayerInst *w)
{
    CandSet now = {0};
    int i;

    for (i = 0; i < w->noper; i++) {
        now.in_l3 |= (unsigned)w->oper[i].in_l3 << i;
        if (w->oper[i].in_l3)
            now.chunk = t->opt.chunk;
    }
    for (i = 0; i < w->nset; i++)
        if (w->set[i].in_l3 == now.in_l3 && w->set[i].chunk == now.chunk) {
            w->cands = w->set[i].cands;
            return;
        }
    GROW(t->mem, w->set, (size_t)w->nset);
    now.cands = w->cands = NEWN(t->mem, Cands, 1 << w->nalloc);
    w->set[w->nset++] = now;
}

static void add_layer(Tiler *t, Problem *q, const Node *n, int part, int pos)
{
    LayerInst *w;
    int i;

    GROW(t->mem, t->layer, (size_t)q->nlayer);
    w = &t->layer[q->nlayer++];
    *w = (LayerInst){.node = n, .part = part, .pos = pos,
                     .choice = &q->s->choice[n->id], .denied = INT64_MAX,
                     .varies = node_varies(n)};
    if (n->op == OP_concat)
        add_oper(t, w, n->arg[part], false);
    for (i = 0; n->op != OP_concat && i < n->narg; i++)
        add_oper(t, w, n->arg[i], false);
    for (i = 0; i < n->nres; i++)
        add_oper(t, w, n->res[i], true);
    note_writes(q, w);
    tiler_recall(t, w);
}

/* The first layer of a node at `pos` in the order, or behind it. */
static int layer_at(const Tiler *t, int pos)
{
    int lo = 0, hi = t->q->nlayer;

    while (lo < hi) {
        int mid = (lo + hi) / 2;

        if (t->layer[mid].pos < pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Between which layers allocations live: from -1 where they are there at first,
 * to nwork where they are still there at the end. */
static void find_lives(Tiler *t, Problem *q)
{
    int i, from, to, n = q->s->nalloc;

    q->first = NEWN(t->mem, int, n + 1);
    q->last = NEWN(t->mem, int, n + 1);
    for (i = 0; i < n; i++) {
        const Alloc *v = &q->s->alloc[i];

        q->first[i] = q->nlayer + 1;
        q->last[i] = -2;
        if (!v->size || v->konst)
            continue;
        from = layer_at(t, v->from);
        to = layer_at(t, v->to + 1);
        if (from < to) {
            q->first[i] = from;
            q->last[i] = to - 1;
        }
        if (v->from < 0)
            q->first[i] = -1;
        if (v->to >= q->s->nseq)
            q->last[i] = q->nlayer;
        if (v->from < 0 && q->last[i] < 0)
            q->last[i] = -1; /* nobody reads it, but it is there at first */
    }
}

void tiler_layers(Tiler *t, Problem *q)
{
    const Allocs *s = q->s;
    int i, j;

    t->q = q;
    t->k.mem = t->mem;
    t->best.cost = -1;
    q->wrote = NEWN(t->mem, int, s->nalloc + 1);
    for (i = 0; i < s->nseq; i++) {
        const Node *n = s->seq[i];
        int parts = n->op == OP_concat ? n->narg : 1;

        for (j = 0; j < parts; j++)
            if (!s->view[n->id][j])
                add_layer(t, q, n, j, i);
    }
    find_lives(t, q);
}

bool layer_uses(const LayerInst *w, int alloc)
{
    int i;

    for (i = 0; i < w->nalloc && w->alloc[i] != alloc; i++)
        ;
    return i < w->nalloc;
}

unsigned tiler_dying(const Tiler *t, int layer)
{
    const LayerInst *w = &t->layer[layer];
    unsigned set = 0;
    int o;

    if (w->oper[w->noper - 1].in_l3)
        return 0;
    for (o = 0; o + 1 < w->noper; o++) {
        const Oper *x = &w->oper[o];

        if (x->val && !x->konst && !x->out && !x->in_l3 &&
            t->q->last[x->alloc] == layer && !t->q->s->alloc[x->alloc].in)
            set |= 1u << o;
    }
    return set;
}

/* --- where operands lie --- */

/* n elements of `size` bytes at `from` (NULL: all zero), in `own` if that is
 * there. */
static void *copied(Arena *mem, void *own, const void *from, int n,
                    size_t size)
{
    if (!own)
        own = arena_get(mem, (size_t)n + 1, size);
    if (from)
        memcpy(own, from, (size_t)n * size);
    else
        memset(own, 0, (size_t)n * size);
    return own;
}

void options_copy(const Tiler *t, Options *to, const Options *from)
{
    Options own = *to;
    int n = t->q->s->nalloc;

    *to = *from;
    to->in_l3 = copied(t->k.mem, own.in_l3, from->in_l3, n,
                       sizeof *to->in_l3);
    to->spilled.of = copied(t->k.mem, own.spilled.of, from->spilled.of, n,
                            sizeof *to->spilled.of);
    to->spilled.list = copied(t->k.mem, own.spilled.list, from->spilled.list,
                              n, sizeof *to->spilled.list);
    if (from->cap)
        to->cap = copied(t->k.mem, own.cap, from->cap, t->q->nlayer,
                         sizeof *to->cap);
}

bool spills_to(const Tiler *t)
{
    return t->q->l3 >= 0 && t->q->io &&
           t->p->soc->mems[t->q->l3].holds & HOLDS_buffers;
}

bool tiler_is_spilled(const Tiler *t, int alloc, int layer)
{
    const Spill *s = t->opt.spilled.of[alloc];
    const Alloc *v = &t->q->s->alloc[alloc];

    if (!s || (layer >= 0 && layer < t->q->nlayer))
        return s && s->spilled[layer];
    return t->opt.inout_in_l3 && (layer < 0 ? v->in : v->out);
}

void mark_opers(Tiler *t)
{
    int i, o;

    for (i = 0; i < t->q->nlayer; i++)
        if (node_is_far(t->layer[i].node))
            t->opt.in_l3[t->layer[i].oper[0].place.buf] = true;
    for (i = 0; i < t->q->nlayer; i++) {
        for (o = 0; o < t->layer[i].noper; o++) {
            Oper *x = &t->layer[i].oper[o];

            x->in_l3 = x->val && (x->konst ? t->opt.in_l3[x->place.buf]
                                           : tiler_is_spilled(t, x->alloc, i));
        }
        tiler_recall(t, &t->layer[i]);
    }
}

void set_chunk(Tiler *t, int64_t chunk)
{
    int i;

    t->opt.chunk = chunk;
    for (i = 0; i < t->q->nlayer; i++)
        tiler_recall(t, &t->layer[i]);
}

/* --- their kernels --- */

/* The room of L1 with which a kernel is allowed: twice its
 * scratch, or that beside the slots of the tile. */
static int64_t room_wanted(int64_t scratch, int64_t slots)
{
    int64_t most = INT64_MAX / 2;

    return MIN(2 * MIN(scratch, most),
               slots ? MIN(scratch, most) + slots : INT64_MAX);
}

static bool choose_within(const Tiler *t, const LayerInst *w, const Node *tile,
                          const Dims *d, int64_t scratch, Choice *to)
{
    const Choice *all = tile == w->node ? w->choice : NULL;

    if (all && (w->shared || all->scratch <= scratch)) {
        *to = *all;
        return true;
    }
    if (!choose_tile(t->q->chooser, tile, d, scratch, to))
        return false;
    if (all)
        to->denied = MIN(to->denied, all->scratch);
    return true;
}

bool layer_scatters(const LayerInst *w)
{
    const Oper *x = &w->oper[0], *y = &w->oper[w->noper - 1];

    return (w->node->op == OP_scatternd || w->node->op == OP_scatterelem) &&
           x->alloc >= 0 && x->alloc == y->alloc &&
           x->place.off == y->place.off;
}

bool tiler_choice(const Tiler *t, LayerInst *w, const Node *tile, const Dims *d,
                  int64_t slots, Choice *to)
{
    int64_t half = t->a.room / 2, rest = slots ? t->a.room - slots : 0;
    bool whole = tile == w->node, ok;

    if (w->varies) { /* there it was chosen for every value */
        *to = *w->choice;
        return true;
    }
    if (t->opt.min_memory && !(whole && w->shared))
        return choose_least(t->q->chooser, tile, d, to);
    ok = choose_within(t, w, tile, d, half, to);
    if (to->denied <= rest && half < rest)
        ok = choose_within(t, w, tile, d, rest, to);
    if (ok && !(whole && w->shared))
        w->wanted = MAX(w->wanted, room_wanted(to->scratch, slots));
    w->denied = MIN(w->denied, room_wanted(to->denied, slots));
    return ok;
}

bool direct_choice(const Tiler *t, LayerInst *w, const Dims *d, Choice *to)
{
    if (!tiler_choice(t, w, w->node, d, 0, to))
        return false;
    return to->engine == ENG_cores ||
           choose_cores(t->q->chooser, w->node, d, t->a.room / 2, to);
}

const Node *tile_seen(const LayerInst *w, const Tile *tile, bool whole)
{
    if (!tile->node || (whole && w->node->op != OP_concat))
        return w->node;
    return tile->node;
}

void layer_code(Tiler *t, LayerInst *w, Code code)
{
    int i;

    for (i = 0; i < w->ncode && w->code[i].kern != code.kern; i++)
        ;
    if (i == w->ncode) {
        GROW(t->mem, w->code, (size_t)w->ncode);
        w->code[w->ncode++] = code;
    }
    w->code[i].bytes = MIN(w->code[i].bytes, code.bytes);
    w->code[i].cycles = MIN(w->code[i].cycles, code.cycles);
}

Code tiler_code(Tiler *t, LayerInst *w, const Node *n, const Choice *c,
                const Dims *d)
{
    Code code = kern_code(c->kern, c->sig, n, d);

    layer_code(t, w, code);
    return code;
}

/* Loads or stores of an operand, or the result, of all cores: words where a
 * kernel is for the chip, but element by element what several results are made
 * with.  Cores that share a row all read it. */
static int64_t l2_loads(const LayerInst *w, const Val *v, bool words, int ncore)
{
    const Val *y = w->node->res[0];
    int64_t n = val_count(v), results = val_count(y), loads;

    if (w->node->op != OP_concat && n > 1 && n < results &&
        !node_macs(w->node))
        return results;
    if (op_info[w->node->op].family == FAM_gather && v == w->node->arg[0])
        return MIN(n, results); /* rows that are asked for */
    if (w->node->op == OP_gate && v == w->node->arg[1])
        return results; /* a table */
    loads = words ? val_bytes(v) / 4 : n;
    if (op_info[w->node->op].reach == R_ROW && v == w->node->arg[0])
        loads *= MAX(1, ncore * row_length(y->shape) / MAX(1, results));
    return loads;
}

/* Of loads at the greatest values of a node's run-time numbers, those on the
 * mean. */
static int64_t mean_loads(const Graph *g, const Node *n, int64_t loads)
{
    unsigned set = node_numbers(n);
    int i;

    for (i = 0; i < g->nnum; i++)
        if (set >> i & 1)
            loads = loads * (g->num[i]->lo + g->num[i]->hi) /
                    (2 * g->num[i]->hi);
    return loads;
}

int64_t l2_cycles(const Tiler *t, const LayerInst *w, unsigned in_l2,
                  bool constants, const Choice *c)
{
    bool words = strcmp(c->kern->isa, "any") != 0;
    int64_t loads = 0;
    int o;

    for (o = 0; o < w->noper; o++) {
        const Val *v = w->node->op == OP_concat ? w->oper[0].val
                                                : w->oper[o].val;

        if (v && !oper_is_inlined(&w->oper[o]) && !oper_is_far(w, o) &&
            (w->oper[o].konst ? constants : in_l2 >> w->oper[o].bit & 1))
            loads += layer_scatters(w) /* what is new alone */
                         ? val_count(w->node->arg[2])
                         : l2_loads(w, v, words, c->ncore);
    }
    if (loads)
        loads += node_macs(w->node) / (words ? 16 : 8);
    if (!layer_scatters(w))
        loads = mean_loads(t->p->g, w->node, loads);
    return loads * (t->p->soc->mems[t->q->l2].latency - 1) / c->ncore;
}

/* --- what is forgotten --- */

static void forget_grids(LayerInst *w)
{
    w->grids = NULL;
    w->wanted = 0;
    w->denied = INT64_MAX;
}

void tiler_room(Tiler *t, int64_t l1)
{
    bool more = l1 > t->k.listed, other = more;
    int i;

    t->a.room = l1;
    t->k.listed = MAX(t->k.listed, l1);
    for (i = 0; i < t->q->nlayer; i++) {
        LayerInst *w = &t->layer[i];
        bool same = w->wanted <= l1 && l1 < w->denied &&
                    grids_hold(w->grids, l1);

        if (same && !more)
            continue;
        if (!same)
            forget_grids(w);
        other |= !same;
        w->nset = 0;
        tiler_recall(t, w);
    }
    for (i = 0; i < t->q->nlayer && other; i++)
        t->layer[i].fused = NULL;
}

static void list_anew(Tiler *t)
{
    int i;

    t->k.listed = t->a.room;
    for (i = 0; i < t->q->nlayer; i++) {
        forget_grids(&t->layer[i]);
        t->layer[i].fused = NULL;
        t->layer[i].nset = 0;
        tiler_recall(t, &t->layer[i]);
    }
}

void tiler_begin(Tiler *t, const Options *opt)
{
    bool same = opt->min_memory == t->opt.min_memory;
    bool anew = !same || opt->effort != t->opt.effort;
    int i;

    options_copy(t, &t->opt, opt);
    t->a = (Attempt){.room = t->a.room};
    for (i = 0; i < t->q->nlayer; i++)
        t->layer[i].overlaps = false;
    if (!same)
        t->k.can_stage = NULL;
    if (anew)
        list_anew(t);
    mark_opers(t);
}
