/* Loads that begin earlier than one tile ahead.
 *
 * Steps load a tile while the one before is computed.  Where little is to be
 * loaded for that, the engine stands still although what comes later may be
 * late.  So before each kernel beside which it would, late loads of constants
 * that come next begin too, each if its slot is free so early: where it is, or
 * anywhere else in L1. */
#include "plan/schedule/schedule.h"

#include <string.h>

enum { MOST_AHEAD = 64,    /* steps that are looked at behind a kernel */
       TAKEN = 300 };      /* cycles of bursts on their way */

typedef struct Load {
    int token;
    int64_t idle;          /* cycles of the engine before it */
    int64_t spare;         /* from its end to its wait */
} Load;

typedef struct Ahead {
    Tiler *t;
    Plan *p;
    Tempo tempo;
    int64_t *done;         /* by token: when the transfer is */
    Load *load;            /* in their order */
    int nload;
    int *which;            /* by token: of those */
    bool *late;            /* by token */
    int64_t last[2];       /* of the last one but one, and the last */
} Ahead;

static bool is_call(const Step *s)
{
    return s->kind == STEP_start && s->engine == ENG_cores;
}

static bool is_load(const Ahead *x, const Step *s)
{
    return s->kind == STEP_start && s->engine == x->t->q->dma->row &&
           x->p->buf[s->move.to.buf].mem == x->t->q->l1;
}

/* Step `from` comes before step `to`; lives and layers know. */
static void move_step(Plan *p, int from, int to)
{
    Step s = p->step[from];
    int i;

    memmove(&p->step[to + 1], &p->step[to], (size_t)(from - to) * sizeof s);
    p->step[to] = s;
    for (i = 0; i < p->nbuf; i++) {
        Buf *b = &p->buf[i];

        if (b->from >= b->to) /* nobody has it */
            continue;
        b->from += b->from >= to && b->from < from;
        b->to += b->to > to && b->to <= from;
    }
    for (i = 0; i < p->nlayer; i++) {
        Layer *l = &p->layer[i];

        l->first += l->first >= to && l->first < from;
        l->last += l->last >= to && l->last < from;
    }
}

/* The load that is step i begins before step `to`, if it can. */
static bool bring_forward(Ahead *x, int i, int to)
{
    Plan *p = x->p;
    const Step *s = &p->step[i];
    Buf *b = &p->buf[s->move.to.buf];

    if (b->from < i || p->buf[s->move.from.buf].kind != BUF_const)
        return false;
    if (!live_longer(p, b, to, b->to))
        return false;
    move_step(p, i, to);
    b->from = to;
    return true;
}

static void start_load(Ahead *x, const Step *s)
{
    x->last[0] = x->last[1];
    x->last[1] = x->done[s->token] = tempo_move(&x->tempo, is_load(x, s),
                                                s->move.row, s->move.rows);
}

/* Of a layer's loads before the next kernel the longest: one more command waits
 * for the engine, and it should have much to do then. */
static int longest_load(const Ahead *x, int i)
{
    const Step *s = &x->p->step[i];
    int best = i;

    for (; i < x->p->nstep && !is_call(s); s = &x->p->step[++i]) {
        const Move *m = &s->move, *most = &x->p->step[best].move;

        if (is_load(x, s) && s->layer == x->p->step[best].layer &&
            m->row * m->rows > most->row * most->rows)
            best = i;
    }
    return best;
}

/* Cycles for which step i, a load, is waited for. */
static int64_t lateness(const Ahead *x, int i)
{
    return MAX(0, -x->load[x->which[x->p->step[i].token]].spare);
}

/* Fills the engine's time beside the kernel of step `call`, whose place then is
 * returned.  Loads stay in their order.  The engine takes a command when all
 * of the one before the last is on its way; until then core 0 stands still,
 * which may be up to half of what the load is late by. */
static int fill_time(Ahead *x, int call)
{
    Plan *p = x->p;
    const int64_t end = x->tempo.core + p->step[call].cycles;
    int64_t now = x->tempo.core + x->tempo.time->call, stall;
    int i, most = MIN(p->nstep, call + MOST_AHEAD);

    for (i = call + 1; i < most && tempo_loads(&x->tempo) < end; i++) {
        const Step *s = &p->step[i];

        if (!is_load(x, s) || s->layer == p->step[call].layer)
            continue;
        if (x->last[1] > now + TAKEN)
            i = longest_load(x, i);
        if (!x->late[p->step[i].token])
            break;
        stall = MAX(0, x->last[0] - now - TAKEN);
        if (stall > lateness(x, i) / 2 || !bring_forward(x, i, call))
            break;
        now += stall + x->tempo.time->start;
        start_load(x, &p->step[call++]);
    }
    return call;
}

/* One step after the other, as they are. */
static void pass_step(Ahead *x, const Step *s)
{
    if (is_call(s))
        tempo_call(&x->tempo, s->cycles);
    else if (s->engine == x->t->q->dma->row && s->kind == STEP_start)
        start_load(x, s);
    else if (s->kind == STEP_start)
        x->done[s->token] = tempo_job(&x->tempo, s->engine, s->cycles);
    else if (s->engine != ENG_cores)
        tempo_wait(&x->tempo, x->done[s->token]);
}

static void note_load(Ahead *x, const Step *s)
{
    Load *l = &x->load[x->nload];

    *l = (Load){.token = s->token,
                .idle = MAX(0, x->tempo.core - tempo_loads(&x->tempo))};
    x->which[s->token] = x->nload++;
}

/* Which loads are late: those that are waited for, and before them those that
 * leave the engine no time to begin such ones earlier. */
static void find_late(Ahead *x)
{
    const Plan *p = x->p;
    int64_t spare = INT32_MAX;
    int i;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];

        if (is_load(x, s))
            note_load(x, s);
        else if (s->engine == x->t->q->dma->row && s->kind == STEP_wait &&
                 x->which[s->token] >= 0)
            x->load[x->which[s->token]].spare =
                x->tempo.core - x->done[s->token];
        pass_step(x, s);
    }
    for (i = x->nload - 1; i >= 0; i--) {
        spare = MIN(spare, x->load[i].spare);
        x->late[x->load[i].token] = spare < 0;
        spare += x->load[i].idle;
    }
}

void load_ahead(Tiler *t)
{
    Ahead x = {.t = t, .p = t->p, .tempo = tempo_begin(t->p->soc)};
    Plan *p = t->p;
    int i;

    x.done = NEWN(t->mem, int64_t, p->nstep + 1);
    x.late = NEWN(t->mem, bool, p->nstep + 1);
    x.load = NEWN(t->mem, Load, p->nstep + 1);
    x.which = NEWN(t->mem, int, p->nstep + 1);
    for (i = 0; i < p->nstep; i++)
        x.which[i] = -1;
    find_late(&x);
    x.tempo = tempo_begin(p->soc);
    x.last[0] = x.last[1] = 0;
    for (i = 0; i < p->nstep; i++) {
        if (is_call(&p->step[i]))
            i = fill_time(&x, i);
        pass_step(&x, &p->step[i]);
    }
}
