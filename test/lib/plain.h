/* Of plans that were changed: whether a place is one, and their steps.
 *
 * The steps of a plan as a program in which nothing is scheduled: a record for
 * every step, its token as slot.  What a changed list of steps means is so
 * proved without what the planner would make of it. */
#ifndef PLAIN_H
#define PLAIN_H

#include "verify/verify.h"

#include <string.h>

/* NULL: n bytes there lie in memory that the plan has as it was made (`good`),
 * and may be written if they are to be. */
static const char *place_fault(const Plan *p, const Plan *good, Ref r,
                               int64_t n, bool write)
{
    const Buf *b;
    bool konst;
    int64_t at, end;

    if (r.buf < 0 || r.buf >= p->nbuf || n < 0)
        return "no buffer";
    b = &p->buf[r.buf];
    konst = b->kind == BUF_const;
    if (b->mem < 0 || b->mem >= p->soc->nmem || (konst && write))
        return "no such memory";
    at = b->addr + r.off;
    end = konst ? good->consts[b->mem] : good->used[b->mem];
    return at < 0 || n > end || at > end - n ? "outside its memory" : NULL;
}

static Place plain_place(const Plan *p, Ref r)
{
    const Buf *b;

    if (r.buf < 0 || r.buf >= p->nbuf || p->buf[r.buf].mem < 0 ||
        p->buf[r.buf].mem >= p->soc->nmem)
        return (Place){.kind = PLACE_none, .buf = -1};
    b = &p->buf[r.buf];
    if (!p->soc->mems[b->mem].mapped)
        return (Place){PLACE_external, b->mem, -1, plan_external(p, r)};
    if (b->kind == BUF_const)
        return (Place){PLACE_const, -1, r.buf, r.off};
    return (Place){PLACE_memory, b->mem, -1, b->addr + r.off};
}

static void plain_call(const Plan *p, const Step *s, int inst, Rec *c)
{
    int i;

    c->inst = inst;
    c->nin = s->nin;
    for (i = 0; i < s->nin; i++)
        c->place[c->nplace++] = plain_place(p, s->in[i]);
    for (i = 0; i < s->nout; i++)
        c->place[c->nplace++] = plain_place(p, s->out[i]);
    if (s->tmp.buf >= 0)
        c->place[c->nplace++] = plain_place(p, s->tmp);
}

/* false: transfers with gaps on both sides have no record. */
static bool plain_move(const Plan *p, const Step *s, Rec *c)
{
    const Move *m = &s->move;
    bool valid = m->from.buf >= 0 && m->from.buf < p->nbuf &&
                 m->to.buf >= 0 && m->to.buf < p->nbuf &&
                 p->buf[m->from.buf].mem >= 0 && p->buf[m->to.buf].mem >= 0 &&
                 p->buf[m->from.buf].mem < p->soc->nmem &&
                 p->buf[m->to.buf].mem < p->soc->nmem;

    if (!valid)
        return false;
    c->engine = s->engine;
    c->in = p->soc->mems[p->buf[m->to.buf].mem].level <
            p->soc->mems[p->buf[m->from.buf].mem].level;
    c->row = m->row;
    c->rows = m->rows;
    c->stride = c->in ? m->from_stride : m->to_stride;
    if (m->rows > 1 && (c->in ? m->to_stride : m->from_stride) != m->row)
        return false;
    c->slot = s->token;
    c->nplace = 2;
    c->place[0] = plain_place(p, c->in ? m->to : m->from);
    c->place[1] = plain_place(p, c->in ? m->from : m->to);
    return true;
}

/* Every start is waited for behind it, by one wait of its token, which is no
 * other's until then; a kernel before the next one. */
static bool plain_order(const Plan *p)
{
    int i, j, kernel = -1;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        for (j = i + 1; j < p->nstep && p->step[j].token != s->token; j++)
            ;
        if (s->kind == STEP_start &&
            (j == p->nstep || p->step[j].kind != STEP_wait ||
             p->step[j].engine != s->engine))
            return false;
        for (j = i - 1; j >= 0 && p->step[j].token != s->token; j--)
            ;
        if (s->kind == STEP_wait && (j < 0 || p->step[j].kind != STEP_start))
            return false;
        if (s->engine != ENG_cores)
            continue;
        if (s->kind == STEP_start ? kernel >= 0 : kernel != s->token)
            return false;
        kernel = s->kind == STEP_start ? s->token : -1;
    }
    return true;
}

/* What is wrong with the steps. */
static Program *plain_program(Arena *mem, const Plan *p);
static const char *verify_steps(Arena *mem, const Plan *p)
{
    Plan q = *p;

    q.program = plain_program(mem, p);
    return q.program ? verify_plan(mem, &q) : "no order of a program";
}

/* NULL: the steps are in no order that a program can have. */
static Program *plain_program(Arena *mem, const Plan *p)
{
    Program *q = NEW(mem, Program);
    int i;

    q->mem = mem;
    q->p = p;
    q->inst = plan_instances(mem, p);
    q->item = NEWN(mem, Rec, p->nstep + 1);
    if (!plain_order(p))
        return NULL;
    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        Rec *c = &q->item[q->nitem++];

        *c = (Rec){.pos = i, .step = s, .slot = s->token,
                   .engine = s->engine};
        if (s->kind == STEP_wait) {
            c->kind = s->engine == ENG_cores ? REC_barrier : REC_wait;
            continue;
        }
        c->kind = step_moves(p, s) ? REC_move
                  : s->engine == ENG_cores ? REC_call : REC_start;
        if (!step_moves(p, s))
            plain_call(p, s, q->inst.of[i], c);
        else if (!plain_move(p, s, c))
            return NULL;
    }
    return q;
}

#endif
