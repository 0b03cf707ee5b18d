/* Programs changed at random, and what the changed ones do.
 *
 * records_expand() is a player of its own: it goes through the records as
 * rt/program.h says and writes down, as steps, what starts where and what is
 * waited for when.  The including file has Rng and near(). */
#ifndef RECORDS_H
#define RECORDS_H

#include "plan/plan.h"

#include <string.h>

/* ---- what a program does ---- */

typedef struct Expand {
    Arena *mem;
    const Plan *p;
    const Program *q;
    Plan *to;
    int kernel;               /* token of the kernel at work; -1: none */
    bool shared;              /* core 0 has done its share */
    int slot[MOST_ENGINES][32][32], nslot[MOST_ENGINES][32]; /* tokens of a
                                                                slot */
    bool pending[32];
    const char *fault;
} Expand;

static void expand_wait(Expand *x, int token, int e)
{
    plan_add_step(x->to, (Step){.kind = STEP_wait, .token = token,
                                .engine = e});
}

static void expand_slot(Expand *x, int e, int slot)
{
    int i;

    for (i = 0; i < x->nslot[e][slot]; i++)
        expand_wait(x, x->slot[e][slot][i], e);
    x->nslot[e][slot] = 0;
}

static void expand_flush(Expand *x)
{
    int i;

    for (i = 0; i < 32; i++) {
        if (x->pending[i])
            expand_slot(x, ENG_hops, i);
        x->pending[i] = false;
    }
}

static void expand_meet(Expand *x)
{
    expand_flush(x);
    if (x->kernel >= 0 && !x->shared)
        x->fault = "core 0 leaves out its share";
    if (x->kernel >= 0)
        expand_wait(x, x->kernel, ENG_cores);
    x->kernel = -1;
}

/* Some buffer of the memory, and a distance from it. */
static Ref expand_ref(Expand *x, const Place *at, int64_t by)
{
    const Plan *p = x->p;
    int64_t off = at->off + by;
    bool konst = at->kind == PLACE_external && off < p->consts[at->mem];
    int i;

    if (at->kind == PLACE_none)
        return (Ref){-1, 0};
    if (at->kind == PLACE_const || at->kind == PLACE_page)
        return (Ref){at->buf, off};
    if (at->kind == PLACE_external && !konst)
        off -= (p->consts[at->mem] + 15) / 16 * 16;
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == at->mem && konst == (p->buf[i].kind == BUF_const))
            return (Ref){i, off - p->buf[i].addr};
    x->fault = "a memory in which nothing is";
    return (Ref){-1, 0};
}

static const Step *expand_step(Expand *x, const Rec *c, int turn)
{
    if (!c->step)
        x->fault = "no step";
    return turn < c->neach ? c->each[turn] : c->step;
}

static void expand_kernel(Expand *x, const Page *pg, const Rec *c,
                          const Step *is, int turn)
{
    Step s = *is;
    int i;

    s.token = x->to->nstep;
    if (c->dims < 0 || c->dims >= pg->ndims) {
        x->fault = "no dims";
        return;
    }
    s.dims = pg->dims[c->dims].step->dims;
    if (dims_of(pg->dims[c->dims].step->node->op) != dims_of(s.node->op))
        x->fault = "dims of another operator";
    for (i = 0; i < s.nin; i++)
        s.in[i] = expand_ref(x, &c->place[i], turn * c->by[i]);
    for (i = 0; i < s.nin; i++)
        if (s.in[i].buf < 0 && is->in[i].buf >= 0)
            x->fault = "an operand that is missing";
    s.out[0] = expand_ref(x, &c->place[c->nin], turn * c->by[c->nin]);
    if (s.tmp.buf >= 0)
        s.tmp = expand_ref(x, &c->place[c->nin + 1],
                           turn * c->by[c->nin + 1]);
    if (s.tmp.buf < 0 && is->tmp.buf >= 0)
        x->fault = "no scratch";
    if (c->inst != x->q->inst.of[is - x->p->step])
        x->fault = "a kernel of other types";
    plan_add_step(x->to, s);
}

static void expand_call(Expand *x, const Page *pg, const Rec *c,
                        const Step *is, int turn)
{
    expand_meet(x);
    if (is->engine != ENG_cores)
        x->fault = "a call of a job";
    x->kernel = x->to->nstep;
    x->shared = !c->deferred;
    expand_kernel(x, pg, c, is, turn);
}

/* Of a slot's jobs the last one alone is known. */
static void expand_start(Expand *x, const Page *pg, const Rec *c,
                         const Step *is, int turn)
{
    expand_flush(x);
    if (is->engine != c->engine || c->slot < 0 || c->slot > 31) {
        x->fault = "a job of no engine or slot";
        return;
    }
    x->nslot[c->engine][c->slot] = 1;
    x->slot[c->engine][c->slot][0] = x->to->nstep;
    expand_kernel(x, pg, c, is, turn);
}

static void expand_move(Expand *x, const Rec *c, int turn)
{
    Step s = {.kind = STEP_start, .engine = c->engine,
              .token = x->to->nstep};
    Ref near, far;

    expand_flush(x);
    near = expand_ref(x, &c->place[0], turn * c->by[0]);
    far = expand_ref(x, &c->place[1], turn * c->by[1]);
    if (c->slot < 0 || c->slot > 31 || x->nslot[c->engine][c->slot] == 32) {
        x->fault = "no slot";
        return;
    }
    s.move = (Move){c->in ? far : near, c->in ? near : far, c->row, c->rows,
                    c->in ? c->stride : c->row, c->in ? c->row : c->stride};
    plan_add_step(x->to, s);
    if (c->engine != ENG_hops) /* the last one alone is known */
        x->nslot[c->engine][c->slot] = 0;
    x->slot[c->engine][c->slot][x->nslot[c->engine][c->slot]++] = s.token;
}

static void expand_record(Expand *x, const Page *pg, const Rec *c, int turn)
{
    const Step *s = rec_is_kernel(c) || c->kind == REC_move
                        ? expand_step(x, c, turn) : NULL;

    if (x->fault)
        return;
    if (c->kind == REC_call) {
        expand_call(x, pg, c, s, turn);
    } else if (c->kind == REC_start) {
        expand_start(x, pg, c, s, turn);
    } else if (c->kind == REC_move) {
        expand_move(x, c, turn);
    } else if (c->kind == REC_share) {
        if (x->kernel < 0 || x->shared)
            x->fault = "a share of nothing";
        x->shared = true;
    } else if (c->kind == REC_barrier) {
        expand_meet(x);
    } else if (c->kind == REC_wait) {
        if (c->slot < 0 || c->slot > 31)
            x->fault = "no slot";
        else if (c->engine != ENG_hops)
            expand_slot(x, c->engine, c->slot);
        else
            x->pending[c->slot] = true;
    }
}

static void expand_page(Expand *x, const Page *pg)
{
    int i, top = -1, turn = 0, turns = 1;

    for (i = pg->from; i < pg->to && !x->fault; i++) {
        const Rec *c = &x->q->item[i];

        if (c->kind == REC_loop) {
            if (top >= 0)
                x->fault = "a loop in a loop";
            top = i;
            turn = 0;
            turns = c->turns;
        } else if (c->kind != REC_next) {
            expand_record(x, pg, c, turn);
        } else if (top < 0) {
            x->fault = "no loop";
        } else if (++turn < turns) {
            i = top;
        } else {
            top = -1;
            turn = 0;
        }
        if (x->to->nstep > 4 * x->p->nstep + 64)
            x->fault = "too long";
    }
    if (top >= 0 && !x->fault)
        x->fault = "a loop that a page ends in";
    expand_meet(x);
}

/* The plan whose steps are what the program of p does; *fault: it does what no
 * steps say. */
static Plan records_expand(Arena *mem, const Plan *p, const char **fault)
{
    Expand *x = NEW(mem, Expand);
    Plan to = *p;
    int i, k;

    to.mem = mem;
    to.steps = NULL;
    to.step = to.spare = NULL;
    to.nstep = to.cstep = to.cspare = 0;
    *x = (Expand){.mem = mem, .p = p, .q = p->program, .to = &to,
                  .kernel = -1};
    for (i = 0; i < x->q->npage && !x->fault; i++) {
        expand_page(x, &x->q->page[i]);
        if (x->q->page[i].from != (i ? x->q->page[i - 1].to : 0))
            x->fault = "records left out";
    }
    for (i = 0; i < MOST_ENGINES; i++)
        for (k = 0; k < 32; k++)
            expand_slot(x, i, k);
    *fault = x->fault;
    return to;
}

/* ---- changes ---- */

static Program *copy_program(Arena *mem, const Program *from)
{
    Program *q = NEW(mem, Program);

    *q = *from;
    q->mem = mem;
    q->item = NEWN(mem, Rec, q->nitem + 2);
    memcpy(q->item, from->item, (size_t)q->nitem * sizeof *q->item);
    q->page = NEWN(mem, Page, q->npage + 1);
    memcpy(q->page, from->page, (size_t)q->npage * sizeof *q->page);
    q->stop = NEWN(mem, int, q->p->nlayer + 1);
    memcpy(q->stop, from->stop, (size_t)q->p->nlayer * sizeof *q->stop);
    q->start = NEWN(mem, Spot, q->p->nlayer + 1);
    return q;
}

/* A record; one of a kind, if there is any. */
static Rec *some_record(Rng *r, Program *q, int kind)
{
    int i, from = pick(r, q->nitem);

    for (i = 0; i < q->nitem && kind >= 0; i++)
        if ((int)q->item[(from + i) % q->nitem].kind == kind)
            return &q->item[(from + i) % q->nitem];
    return &q->item[from];
}

/* An index behind `at` comes `by` later. */
static void move_index(int *v, int at, int by)
{
    if (*v > at || (by > 0 && *v == at && at))
        *v += by;
}

static void move_indices(Program *q, int at, int by)
{
    int i;

    for (i = 0; i < q->npage; i++) {
        move_index(&q->page[i].from, at, by);
        move_index(&q->page[i].to, at, by);
    }
    for (i = 0; i < q->p->nlayer; i++)
        move_index(&q->stop[i], at, by);
    q->page[q->npage - 1].to = q->nitem;
}

static void drop_record(Rng *r, Program *q, int kind)
{
    int i = (int)(some_record(r, q, kind) - q->item);

    memmove(&q->item[i], &q->item[i + 1],
            (size_t)(q->nitem - i - 1) * sizeof *q->item);
    q->nitem--;
    move_indices(q, i, -1);
}

static void drop_any(Rng *r, Program *q) { drop_record(r, q, -1); }
static void drop_wait(Rng *r, Program *q) { drop_record(r, q, REC_wait); }
static void drop_share(Rng *r, Program *q) { drop_record(r, q, REC_share); }

static void drop_barrier(Rng *r, Program *q)
{
    drop_record(r, q, REC_barrier);
}

static void double_record(Rng *r, Program *q)
{
    int i = pick(r, q->nitem);

    memmove(&q->item[i + 1], &q->item[i],
            (size_t)(q->nitem - i) * sizeof *q->item);
    q->nitem++;
    move_indices(q, i, 1);
}

static void swap_records(Rng *r, Program *q)
{
    int i = pick(r, q->nitem), j = MIN(i + 1 + pick(r, 3), q->nitem - 1);
    Rec t = q->item[i];

    q->item[i] = q->item[j];
    q->item[j] = t;
}

/* A wait or the like comes later, or a start earlier. */
static void shift_record(Rng *r, Program *q)
{
    static const int kinds[] = {REC_wait, REC_barrier, REC_move, REC_share,
                                REC_next, REC_loop, REC_start};
    int i = (int)(some_record(r, q, kinds[pick(r, LEN(kinds))]) - q->item);
    int way = pick(r, 2) ? 1 : -1, n = 1 + pick(r, 4);
    Rec t = q->item[i];

    for (; n && i + way >= 0 && i + way < q->nitem; n--, i += way)
        q->item[i] = q->item[i + way];
    q->item[i] = t;
}

static Place *some_place(Rng *r, Program *q, int64_t **by)
{
    Rec *c = some_record(r, q, pick(r, 2) ? REC_call : REC_move);
    int i = c->nplace ? pick(r, c->nplace) : 0;

    *by = &c->by[i];
    return &c->place[i];
}

static void change_record_off(Rng *r, Program *q)
{
    int64_t *by;
    Place *at = some_place(r, q, &by);

    at->off = near(r, at->off);
}

static void change_by(Rng *r, Program *q)
{
    int64_t *by;
    Rec *c;
    int i, from = pick(r, q->nitem);

    (void)some_place(r, q, &by);
    for (i = 0; i < q->nitem; i++) {
        c = &q->item[(from + i) % q->nitem];
        if (c->moving && c->nplace)
            by = &c->by[pick(r, c->nplace)];
        if (c->moving)
            break;
    }
    *by = near(r, *by);
}

static void take_place(Rng *r, Program *q)
{
    int64_t *by, *other;
    Place *at = some_place(r, q, &by), *from = some_place(r, q, &other);

    *at = *from;
}

static void change_slot(Rng *r, Program *q)
{
    some_record(r, q, pick(r, 2) ? REC_move : REC_wait)->slot = pick(r, 5);
}

static void change_turns(Rng *r, Program *q)
{
    Rec *c = some_record(r, q, REC_loop);

    c->turns += pick(r, 2) ? 1 : -1;
}

static void change_deferred(Rng *r, Program *q)
{
    Rec *c = some_record(r, q, REC_call);

    c->deferred = !c->deferred;
}

static void change_told(Rng *r, Program *q)
{
    Rec *c = some_record(r, q, REC_call);

    if (pick(r, 4))
        c->dims = pick(r, c->dims + 2);
    else
        c->inst = pick(r, q->inst.n);
}

static void change_rows(Rng *r, Program *q)
{
    Rec *c = some_record(r, q, REC_move);
    int64_t *v[] = {&c->row, &c->rows, &c->stride};

    *v[pick(r, 3)] += pick(r, 2) ? 1 : -1;
}

static void change_way(Rng *r, Program *q)
{
    Rec *c = some_record(r, q, REC_move);

    if (pick(r, 2))
        c->in = !c->in;
    else
        c->engine = 2 * ENG_hops + 1 - c->engine;
}

/* A page ends elsewhere. */
static void change_page(Rng *r, Program *q)
{
    int i = pick(r, q->npage);

    q->page[i].to += pick(r, 2) ? 1 : -1;
    if (i + 1 < q->npage && pick(r, 4))
        q->page[i + 1].from = q->page[i].to;
    q->page[i].to = MIN(q->page[i].to, q->nitem);
}

static const struct RecordChange {
    const char *name;
    void (*make)(Rng *r, Program *q);
} record_changes[] = {
    {"no record", drop_any}, {"no wait", drop_wait},
    {"no barrier", drop_barrier}, {"no share", drop_share},
    {"twice", double_record}, {"order", swap_records},
    {"shift", shift_record}, {"offset", change_record_off},
    {"distance", change_by}, {"other place", take_place},
    {"slot", change_slot}, {"turns", change_turns},
    {"deferred", change_deferred}, {"told", change_told},
    {"rows", change_rows}, {"way", change_way}, {"page", change_page},
};

/* Where layers begin, of the records as they are now: a run in one go never
 * stops there. */
static void place_layers(Program *q)
{
    int layer, i, page, word;

    for (layer = 0; layer <= q->p->nlayer; layer++) {
        int at = layer ? q->stop[layer - 1] : 0;

        for (page = 0; page < q->npage && q->page[page].to <= at; page++)
            ;
        word = 0;
        for (i = page < q->npage ? q->page[page].from : at; i < at; i++)
            word += rec_words(&q->item[i]);
        q->start[layer] = (Spot){page, word};
    }
}

#endif
