/* Changes of plans that tests of the verifier share.  The including file has
 * Rng and plans, and says which place a change of places is about. */
#ifndef CHANGE_H
#define CHANGE_H

static Ref *some_ref(Rng *r, Plan *p);

static Plan copy_plan(Arena *mem, const Plan *p)
{
    Plan q = *p;
    int nval = graph_nval(p->g);

    q.buf = NEWN(mem, Buf, p->nbuf + 1);
    q.step = NEWN(mem, Step, p->nstep + 2);
    q.place = NEWN(mem, Ref, nval + 1);
    memcpy(q.buf, p->buf, (size_t)p->nbuf * sizeof *q.buf);
    memcpy(q.step, p->step, (size_t)p->nstep * sizeof *q.step);
    memcpy(q.place, p->place, (size_t)nval * sizeof *q.place);
    return q;
}

static int64_t near(Rng *r, int64_t v)
{
    static const int64_t d[] = {-64, -16, -8, -4, -1, 1, 4, 8, 16, 64};

    return pick(r, 4) ? v + d[pick(r, LEN(d))] : pick(r, 2) ? 0 : v * 2;
}

static void change_off(Rng *r, Plan *p)
{
    Ref *f = some_ref(r, p);

    f->off = near(r, f->off);
}

static void change_ref(Rng *r, Plan *p)
{
    some_ref(r, p)->buf = pick(r, p->nbuf + 1) - 1;
}

static void take_ref(Rng *r, Plan *p)
{
    *some_ref(r, p) = *some_ref(r, p);
}

static void double_step(Rng *r, Plan *p)
{
    int i = pick(r, p->nstep);

    memmove(&p->step[i + 1], &p->step[i],
            (size_t)(p->nstep - i) * sizeof *p->step);
    p->nstep++;
}

static void change_token(Rng *r, Plan *p)
{
    p->step[pick(r, p->nstep)].token = p->step[pick(r, p->nstep)].token;
}

static void change_place(Rng *r, Plan *p)
{
    const Graph *g = p->g;
    const Val *v = pick(r, 2) ? g->out[pick(r, g->nout)]
                              : g->in[pick(r, g->nin)];

    if (pick(r, 2))
        p->place[v->id].off = near(r, p->place[v->id].off);
    else
        p->place[v->id].buf = pick(r, p->nbuf);
}

#endif
