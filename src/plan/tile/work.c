/* Layers as the planner sees them: what they read and write and where that
 * lies, which kernels they and their tiles may have, and what is forgotten when
 * the room changes. */
#include "plan/tiling.h"

#include <string.h>

/* Bytes of a value that are worth it to be loaded early. */
enum { WORTH = 256 };

int64_t slot_bytes(int64_t n)
{
    return (n + 7) & ~(int64_t)7;
}

/* --- operands --- */

bool val_rides(const Val *v)
{
    return v->data && type_info[v->type].kind != FLOAT && val_count(v) == 1 &&
           type_info[v->type].bytes <= 4;
}

bool oper_rides(const Oper *o)
{
    return o->val && o->konst && !o->outer && val_rides(o->val);
}

bool oper_streams(const Oper *o)
{
    return o->outer && !o->konst;
}

bool oper_early(const Oper *o, int first)
{
    return o->konst ||
           (o->val && !o->out && !o->outer && o->since < first - 1 &&
            val_bytes(o->val) >= WORTH);
}

bool store_filled(const Store *s, const Val *v, Ref place)
{
    return !place.off && val_bytes(v) == s->size;
}

static void add_oper(Tiler *t, Work *w, const Val *v, bool out)
{
    Oper *o = &w->oper[w->noper++];
    int i;

    *o = (Oper){.val = v, .out = out, .store = -1, .since = -1, .bit = -1};
    if (!v)
        return;
    o->place = t->s->place[v->id];
    o->konst = t->s->store[o->place.buf].konst;
    if (o->konst)
        return;
    o->store = o->place.buf;
    o->since = t->wrote[o->store] - 1;
    for (i = 0; i < w->nstore && w->store[i] != o->store; i++)
        ;
    w->shared |= out && i < w->nstore;
    w->store[i] = o->store;
    w->nstore = MAX(w->nstore, i + 1);
    o->bit = i;
}

/* --- works --- */

static void note_writes(Tiler *t, const Work *w)
{
    int o;

    for (o = 0; o < w->noper; o++)
        if (w->oper[o].out && w->oper[o].store >= 0)
            t->wrote[w->oper[o].store] = t->nwork;
}

void tiler_recall(Tiler *t, Work *w)
{
    WaySet now = {0};
    int i;

    for (i = 0; i < w->noper; i++) {
        now.outer |= (unsigned)w->oper[i].outer << i;
        if (w->oper[i].outer)
            now.chunk = t->chunk;
    }
    for (i = 0; i < w->nset; i++)
        if (w->set[i].outer == now.outer && w->set[i].chunk == now.chunk) {
            w->ways = w->set[i].ways;
            return;
        }
    GROW(t->mem, w->set, (size_t)w->nset);
    now.ways = w->ways = NEWN(t->mem, Ways, 1 << w->nstore);
    w->set[w->nset++] = now;
}

static void add_work(Tiler *t, const Node *n, int part, int pos)
{
    Work *w;
    int i;

    GROW(t->mem, t->work, (size_t)t->nwork);
    w = &t->work[t->nwork++];
    *w = (Work){.node = n, .part = part, .pos = pos,
                .choice = &t->s->choice[n->id], .denied = INT64_MAX};
    if (n->op == OP_concat)
        add_oper(t, w, n->arg[part], false);
    for (i = 0; n->op != OP_concat && i < n->narg; i++)
        add_oper(t, w, n->arg[i], false);
    for (i = 0; i < n->nres; i++)
        add_oper(t, w, n->res[i], true);
    note_writes(t, w);
    tiler_recall(t, w);
}

/* The first work of a node at `pos` in the order, or behind it. */
static int work_at(const Tiler *t, int pos)
{
    int lo = 0, hi = t->nwork;

    while (lo < hi) {
        int mid = (lo + hi) / 2;

        if (t->work[mid].pos < pos)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Between which works stores live: from -1 where they are there at first, to
 * nwork where they are still there at the end. */
static void find_lives(Tiler *t)
{
    int i, from, to, n = t->s->nstore;

    t->first = NEWN(t->mem, int, n + 1);
    t->last = NEWN(t->mem, int, n + 1);
    for (i = 0; i < n; i++) {
        const Store *v = &t->s->store[i];

        t->first[i] = t->nwork + 1;
        t->last[i] = -2;
        if (!v->size || v->konst)
            continue;
        from = work_at(t, v->from);
        to = work_at(t, v->to + 1);
        if (from < to) {
            t->first[i] = from;
            t->last[i] = to - 1;
        }
        if (v->from < 0)
            t->first[i] = -1;
        if (v->to >= t->s->nseq)
            t->last[i] = t->nwork;
        if (v->from < 0 && t->last[i] < 0)
            t->last[i] = -1; /* nobody reads it, but it is there at first */
    }
}

void tiler_works(Tiler *t)
{
    int i, j;

    t->known = t->mem;
    t->spilled = NEWN(t->mem, Spilled *, t->s->nstore + 1);
    t->away = NEWN(t->mem, int, t->s->nstore + 1);
    t->wrote = NEWN(t->mem, int, t->s->nstore + 1);
    t->best.cost = -1;
    t->best.outside = NEWN(t->mem, bool, t->s->nstore + 1);
    for (i = 0; i < t->s->nseq; i++) {
        const Node *n = t->s->seq[i];
        int parts = n->op == OP_concat ? n->narg : 1;

        for (j = 0; j < parts; j++)
            if (!t->s->view[n->id][j])
                add_work(t, n, j, i);
    }
    find_lives(t);
}

bool work_uses(const Work *w, int store)
{
    int i;

    for (i = 0; i < w->nstore && w->store[i] != store; i++)
        ;
    return i < w->nstore;
}

unsigned tiler_dying(const Tiler *t, int work)
{
    const Work *w = &t->work[work];
    unsigned set = 0;
    int o;

    if (w->oper[w->noper - 1].outer)
        return 0;
    for (o = 0; o + 1 < w->noper; o++) {
        const Oper *x = &w->oper[o];

        if (x->val && !x->konst && !x->out && !x->outer &&
            t->last[x->store] == work && !t->s->store[x->store].in)
            set |= 1u << o;
    }
    return set;
}

/* --- their kernels --- */

/* The room of the nearest memory with which a kernel is allowed: twice its
 * scratch, or that beside the slots of the tile. */
static int64_t room_wanted(int64_t scratch, int64_t slots)
{
    int64_t most = INT64_MAX / 2;

    return MIN(2 * MIN(scratch, most),
               slots ? MIN(scratch, most) + slots : INT64_MAX);
}

static bool choose_within(const Tiler *t, const Work *w, const Node *tile,
                          const Dims *d, int64_t scratch, Choice *to)
{
    const Choice *all = tile == w->node ? w->choice : NULL;

    if (all && (w->shared || all->scratch <= scratch)) {
        *to = *all;
        return true;
    }
    if (!choose_tile(t->chooser, tile, d, scratch, to))
        return false;
    if (all)
        to->denied = MIN(to->denied, all->scratch);
    return true;
}

bool tiler_choice(const Tiler *t, Work *w, const Node *tile, const Dims *d,
                  int64_t slots, Choice *to)
{
    int64_t half = t->room / 2, rest = slots ? t->room - slots : 0;
    bool whole = tile == w->node, ok;

    if (t->lean && !(whole && w->shared))
        return choose_least(t->chooser, tile, d, to);
    ok = choose_within(t, w, tile, d, half, to);
    if (to->denied <= rest && half < rest)
        ok = choose_within(t, w, tile, d, rest, to);
    if (ok && !(whole && w->shared))
        w->wanted = MAX(w->wanted, room_wanted(to->scratch, slots));
    w->denied = MIN(w->denied, room_wanted(to->denied, slots));
    return ok;
}

const Node *tile_seen(const Work *w, const Tile *tile, bool whole)
{
    if (!tile->node || (whole && w->node->op != OP_concat))
        return w->node;
    return tile->node;
}

Code tiler_code(Tiler *t, Work *w, const Node *n, const Choice *c,
                const Dims *d)
{
    Code code = kern_code(c->kern, c->sig, n, d);
    int i;

    for (i = 0; i < w->ncode && w->code[i].kern != c->kern; i++)
        ;
    if (i == w->ncode) {
        GROW(t->mem, w->code, (size_t)w->ncode);
        w->code[w->ncode++] = code;
    }
    w->code[i].bytes = MIN(w->code[i].bytes, code.bytes);
    w->code[i].cycles = MIN(w->code[i].cycles, code.cycles);
    return code;
}

/* Loads or stores of an operand, or the result, of all cores: words where a
 * kernel is for the chip, but element by element what several results are made
 * with.  Cores that share a row all read it. */
static int64_t far_loads(const Work *w, const Val *v, bool words, int ncore)
{
    const Val *y = w->node->res[0];
    int64_t n = val_count(v), results = val_count(y), loads;

    if (w->node->op != OP_concat && n > 1 && n < results &&
        !node_macs(w->node))
        return results;
    loads = words ? val_bytes(v) / 4 : n;
    if (op_info[w->node->op].reach == R_ROW && v == w->node->arg[0])
        loads *= MAX(1, ncore * row_length(y->shape) / MAX(1, results));
    return loads;
}

int64_t far_cycles(const Tiler *t, const Work *w, unsigned far,
                   const Choice *c)
{
    bool words = strcmp(c->kern->isa, "any") != 0;
    int64_t loads = 0;
    int o;

    for (o = 0; o < w->noper; o++) {
        const Val *v = w->node->op == OP_concat ? w->oper[0].val
                                                : w->oper[o].val;

        if (v && !oper_rides(&w->oper[o]) &&
            (w->oper[o].konst || far >> w->oper[o].bit & 1))
            loads += far_loads(w, v, words, c->ncore);
    }
    if (loads)
        loads += node_macs(w->node) / (words ? 16 : 8);
    return loads * (t->p->soc->mems[t->next].latency - 1) / c->ncore;
}

/* --- what is forgotten --- */

static void forget_grids(Work *w)
{
    w->ngrid = 0;
    w->grids = NULL;
    w->wanted = 0;
    w->denied = INT64_MAX;
}

void tiler_room(Tiler *t, int64_t near)
{
    bool more = near > t->listed, other = more;
    int i;

    t->room = near;
    t->listed = MAX(t->listed, near);
    for (i = 0; i < t->nwork; i++) {
        Work *w = &t->work[i];
        bool same = w->wanted <= near && near < w->denied;

        if (same && !more)
            continue;
        if (!same)
            forget_grids(w);
        other |= !same;
        w->nset = 0;
        tiler_recall(t, w);
    }
    for (i = 0; i < t->nwork && other; i++)
        t->work[i].chain = NULL;
}

static void list_anew(Tiler *t)
{
    int i;

    t->listed = t->room;
    for (i = 0; i < t->nwork; i++) {
        forget_grids(&t->work[i]);
        t->work[i].chain = NULL;
        t->work[i].nset = 0;
        tiler_recall(t, &t->work[i]);
    }
}

void tiler_lean(Tiler *t, bool lean)
{
    if (t->lean == lean)
        return;
    t->lean = lean;
    t->streams = NULL;
    list_anew(t);
}

void tiler_effort(Tiler *t, int effort)
{
    if (t->effort == effort)
        return;
    t->effort = effort;
    list_anew(t);
}
