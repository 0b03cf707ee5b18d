/* Buffers, steps and layers are added to a plan, and what follows from them:
 * stack, and the steps between which a buffer lives. */
#include "plan/plan.h"

#include <string.h>

/* Stack of the generated run function itself and of what calls it, and what
 * the compiler's library takes for floats where there is no unit for them. */
enum { RUN_STACK = 384, SOFT_FLOAT = 256 };
enum { TEAM_STACK = 160 }; /* more where that is a program (rt/program.h) */

int plan_add_buf(Plan *p, Buf b)
{
    b.from = INT32_MAX;
    b.to = -1;
    GROW(p->mem, p->buf, (size_t)p->nbuf);
    p->buf[p->nbuf] = b;
    return p->nbuf++;
}

static int align_of(const Val *v)
{
    return type_info[v->type].bytes;
}

/* A buffer for every store that is left, buf[] by store (-1: none); values find
 * theirs in p->place. */
void plan_bufs(Plan *p, const Allocs *s, const bool *without, int *buf)
{
    const Val *v;
    int i;

    p->place = NEWN(p->mem, Ref, graph_nval(p->g) + 1);
    for (i = 0; i < s->nalloc; i++) {
        const Alloc *t = &s->alloc[i];

        buf[i] = -1;
        if (t->size && !(without && without[i]))
            buf[i] = plan_add_buf(p, (Buf){
                .kind = t->konst ? BUF_const : t->state ? BUF_state :
                        t->in ? BUF_input : t->out ? BUF_output : BUF_temp,
                .name = t->val->name, .val = t->val, .size = t->size,
                .align = align_of(t->val),
            });
    }
    for (v = p->g->vals; v; v = v->next) {
        Ref r = s->place[v->id];

        p->place[v->id] = (Ref){buf[r.buf], r.off};
        if (p->place[v->id].buf >= 0)
            p->buf[buf[r.buf]].align = MAX(p->buf[buf[r.buf]].align,
                                           align_of(v));
    }
}

static bool has_float_unit(const Soc *soc)
{
    static const char *const units[] = {"host", "fpv4", "fpv5", "f", "d"};
    size_t i;

    for (i = 0; i < LEN(units); i++)
        if (isa_has(soc->isa, units[i], strlen(units[i])))
            return true;
    return false;
}

static bool has_floats(const Step *s)
{
    int i;

    for (i = 0; i < s->nin; i++)
        if (s->in_type[i] == T_f32)
            return true;
    return s->out_type[0] == T_f32;
}

int64_t step_stack(const Plan *p, const Step *s)
{
    int64_t team = p->soc->ncore > 1 || p->tiled ? TEAM_STACK : 0;
    int64_t dims = s->nfollow ? dims_of(s->node->op)->size : 0;

    return s->stack + RUN_STACK + team + dims +
           (has_floats(s) && !has_float_unit(p->soc) ? SOFT_FLOAT : 0);
}

/* Plans are tried again and again: what was got is used again. */
static void more_steps(Plan *p)
{
    int n = MAX(64, 2 * p->cstep);
    Arena *mem = p->steps ? p->steps : p->mem;
    Step *step = NEWN(mem, Step, n);

    if (p->nstep)
        memcpy(step, p->step, (size_t)p->nstep * sizeof *step);
    arena_drop(mem, p->step, (size_t)p->cstep, sizeof *step);
    p->step = step;
    p->cstep = n;
}

void plan_add_step(Plan *p, Step s)
{
    if (step_starts_kernel(p, &s))
        p->stack = MAX(p->stack, step_stack(p, &s));
    if (p->nstep == p->cstep)
        more_steps(p);
    p->step[p->nstep++] = s;
}

void plan_add_layer(Plan *p, Layer l)
{
    GROW(p->mem, p->layer, (size_t)p->nlayer);
    p->layer[p->nlayer++] = l;
}

/* --- lives --- */

static void touch(Plan *p, int buf, int from, int to)
{
    if (buf < 0)
        return;
    p->buf[buf].from = MIN(p->buf[buf].from, from);
    p->buf[buf].to = MAX(p->buf[buf].to, to);
}

static void touch_step(Plan *p, const Step *s, int from, int to)
{
    int j;

    if (step_moves(p, s)) {
        touch(p, s->move.from.buf, from, to);
        touch(p, s->move.to.buf, from, to);
        return;
    }
    for (j = 0; j < s->nin; j++)
        touch(p, s->in[j].buf, from, to);
    for (j = 0; j < s->nout; j++)
        touch(p, s->out[j].buf, from, to);
    touch(p, s->tmp.buf, from, to);
}

/* By token: the step behind the wait for it. */
static int *find_waits(const Plan *p)
{
    int *wait = NEWN(p->mem, int, p->nstep + 1), i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_wait)
            wait[p->step[i].token] = i + 1;
    return wait;
}

bool buf_lives_on(const Buf *b)
{
    return b->kind == BUF_output || b->kind == BUF_state;
}

/* From the first step that touches a buffer until its last has been waited
 * for. */
void plan_lives(Plan *p)
{
    int *wait = find_waits(p), i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start)
            touch_step(p, &p->step[i], i, wait[p->step[i].token]);
    for (i = 0; i < p->g->nin; i++)
        touch(p, p->place[p->g->in[i]->id].buf, -1, 0);
    for (i = 0; i < p->g->nout; i++)
        touch(p, p->place[p->g->out[i]->id].buf, p->nstep, p->nstep);
    for (i = 0; i < p->nbuf; i++) {
        Buf *b = &p->buf[i];

        if (b->kind == BUF_const)
            b->from = -1, b->to = p->nstep;
        else if (b->from > b->to)
            b->from = b->to = 0;
    }
}

/* --- questions --- */

bool step_moves(const Plan *p, const Step *s)
{
    return p->soc->engine[s->engine].kind == ENGINE_dma;
}

bool step_starts_kernel(const Plan *p, const Step *s)
{
    return s->kind == STEP_start && !step_moves(p, s);
}

bool plan_is_alone(const Plan *p, int i)
{
    int k;

    for (k = 0; k < i; k++)
        if (k + p->layer[k].after >= i)
            return false;
    return !p->layer[i].after;
}

bool val_is_inlined(const Val *v)
{
    return v->data && type_info[v->type].kind != FLOAT && val_count(v) == 1 &&
           type_info[v->type].bytes <= 4;
}

bool tiled_fits(const Soc *soc)
{
    return soc_hop(soc, 0) != NULL;
}
