/* report --why LAYER: why it has its kernel, tiles, memory and engine, and what
 * changes of the model or the chip would save, each tried by the planner. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Percent of the network: lesser changes are not sure to be what is predicted
 * (bench/why). */
enum { MOST_TRIALS = 24, RESOLUTION = 4 };

typedef struct Question {
    Job *j, *fresh;
    const Layer *l;
    int n;
    Trial t[MOST_TRIALS];
} Question;

static double percent(int64_t is, int64_t was)
{
    return was > 0 ? 100 * (double)is / (double)was : 0;
}

/* ---- what is tried ---- */

static Trial *add(Question *a, const char *about, const char *option)
{
    Trial *t = &a->t[a->n];

    if (a->n == MOST_TRIALS)
        return NULL;
    a->n++;
    t->watch = a->l->node->name;
    t->got.about = about;
    t->got.option = option;
    return t;
}

static void try_channels(Question *a, const Node *n, const char *what,
                         int64_t count)
{
    Arena *mem = a->j->o.mem;
    int i;
    Trial *t;

    for (i = 0; i < a->n; i++)
        if (a->t[i].layer && !strcmp(a->t[i].layer, n->name) &&
            a->t[i].channels == count)
            return;
    t = add(a, arena_fmt(mem, "%s %lld -> %lld", what,
                         (long long)channels_of(n), (long long)count),
            arena_fmt(mem, "--channels %s=%lld", n->name, (long long)count));
    if (t) {
        t->layer = n->name;
        t->channels = count;
    }
}

/* To the next multiples of what kernels and tiles are made for. */
static void try_multiples(Question *a, const Node *n, const char *what)
{
    static const int step[] = {4, 8, 16, 32};
    int64_t c = channels_of(n), up, down;
    int i;

    for (i = 0; i < (int)LEN(step); i++) {
        up = (c + step[i] - 1) / step[i] * step[i];
        down = (c - 1) / step[i] * step[i];
        if (up > c && 2 * up <= 3 * c)
            try_channels(a, n, what, up);
        if (down > 0 && 3 * down >= 2 * c)
            try_channels(a, n, what, down);
    }
}

static void try_model(Question *a)
{
    Node *n = node_named(a->fresh->g, a->l->node->name), *maker;

    if (!n)
        return;
    maker = channels_maker(a->fresh->g, n);
    if (channels_of(n))
        try_multiples(a, n, "channels");
    if (maker && maker != n)
        try_multiples(a, maker, arena_fmt(a->j->o.mem,
                      "input channels (%s)", maker->name));
}

static void try_memory(Question *a, int mem, int64_t more)
{
    const Mem *m = &a->j->soc->mems[mem];
    Trial *t = add(a, arena_fmt(a->j->o.mem, "%lld bytes of %s for buffers, "
                   "now %lld", (long long)(m->size + more), m->name,
                   (long long)a->j->r.plan->room[mem]),
                   arena_fmt(a->j->o.mem, "--mem %s=%lld", m->name,
                             (long long)(m->size + more)));

    if (t) {
        t->mem = m->name;
        t->bytes = m->size + more;
    }
}

static void try_chip(Question *a)
{
    const Plan *p = a->j->r.plan;
    const Soc *s = a->j->soc;
    const Engine *e = &s->engine[p->step[a->l->first].engine];
    Trial *t;
    int i;

    for (i = 0; i < s->nmem && p->tiled; i++)
        if (p->room[i] && p->used[i] && s->mems[i].mapped) {
            try_memory(a, i, s->mems[i].size / 4);
            try_memory(a, i, s->mems[i].size);
        }
    if (e->kind == ENGINE_accel &&
        (t = add(a, arena_fmt(a->j->o.mem, "without %s", e->name),
                 arena_fmt(a->j->o.mem, "--no-engine %s", e->name))))
        t->no_engine = e->name;
}

/* ---- what is said ---- */

static void put_home(const Plan *p, const char *name, const Val *v, Str *out)
{
    int buf;

    if (!v)
        return;
    buf = v->id >= 0 ? p->place[v->id].buf : -1;
    str_fmt(out, "%s %lld bytes in %s; ", name, (long long)val_bytes(v),
            buf < 0 ? "no memory as a whole"
                    : p->soc->mems[p->buf[buf].mem].name);
}

/* "x 4096 bytes in L2; w 576 bytes in L3; result 8192 bytes in L2" */
static void put_homes(const Plan *p, const Node *n, Str *out)
{
    char name[24];
    int i;

    str_put(out, "memory   ");
    for (i = 0; i < n->narg; i++) {
        snprintf(name, sizeof name, "%s %d",
                 n->arg[i] && n->arg[i]->data ? "constant" : "operand", i + 1);
        put_home(p, name, n->arg[i], out);
    }
    for (i = 0; i < n->nres; i++)
        put_home(p, "result", n->res[i], out);
    out->n -= 2; /* "; " */
    out->s[out->n] = 0;
    str_put(out, "\n");
}

static void put_layer(const Question *a, Str *out)
{
    const Plan *p = a->j->r.plan;
    const Layer *l = a->l, *end = l + l->after;
    const Engine *e = &p->soc->engine[p->step[l->first].engine];
    int64_t all = report_cycles(&a->j->r);

    str_fmt(out, "layer    %d %s (%s)", (int)(l - p->layer) + 1,
            l->node->name, op_info[l->node->op].name);
    if (all > 0)
        str_fmt(out, ": %lld of %lld cycles, %.1f %%, of those waits for data "
                "%lld, for code %lld", (long long)end->cycles, (long long)all,
                percent(end->cycles, all), (long long)end->wait,
                (long long)end->miss);
    str_fmt(out, "\nkernel   %s\n", *l->why.chosen ? l->why.chosen
            : p->step[l->first].kern ? p->step[l->first].kern->name : "none");
    if (*l->why.next)
        str_fmt(out, "%-8s %s\n", "", l->why.next);
    str_fmt(out, "tiles    %s\n", l->tile ? l->tile : "none: at once");
    if (l->after)
        str_fmt(out, "chain    computed tile by tile with what follows up to "
                "%s; the cycles are of all\n", end->node->name);
    str_fmt(out, "engine   %s\n", e->kind == ENGINE_cores
            ? report_engine(&a->j->r) : e->name);
    put_homes(p, l->node, out);
}

static int by_gain(const void *x, const void *y)
{
    const Tried *a = x, *b = y;

    if (!a->status != !b->status)
        return a->status ? 1 : -1;
    return (a->cycles > b->cycles) - (a->cycles < b->cycles);
}

static void put_one(const Trials *w, const Tried *t, Str *out)
{
    str_fmt(out, "  %+7.1f %%", percent(t->cycles, w->base.cycles) - 100);
    if (t->layer >= 0 && w->base.layer > 0)
        str_fmt(out, "  %+7.1f %%", percent(t->layer, w->base.layer) - 100);
    else
        str_put(out, "         -");
    if (!isnan(t->uj) && w->base.uj > 0)
        str_fmt(out, "  %+7.1f %%", 100 * t->uj / w->base.uj - 100);
    else
        str_put(out, "         -");
    str_fmt(out, "  %s  (%s)\n", t->about, t->option);
}

static double change(const Trials *w, const Tried *t)
{
    return fabs(percent(t->cycles, w->base.cycles) - 100);
}

/* Those that change `least` to below `most` percent of the network. */
static int put_between(const Trials *w, double least, double most, Str *out)
{
    int i, n = 0;

    for (i = 0; i < w->n; i++) {
        const Tried *t = &w->v[i];

        if (t->status || change(w, t) < least || change(w, t) >= most)
            continue;
        if (out)
            put_one(w, t, out);
        n++;
    }
    return n;
}

static void put_trials(const Trials *w, Str *out)
{
    const double none = .05, all = 1e300;
    int i;

    if (w->base.cycles <= 0) {
        str_put(out, "no change is tried: the chip's cycles are not known\n");
        return;
    }
    str_fmt(out, "tried    %d changes, by what they save\n", w->n);
    if (w->n)
        str_put(out, "    cycles      layer     energy\n");
    put_between(w, RESOLUTION, all, out);
    if (put_between(w, none, RESOLUTION, NULL))
        str_fmt(out, "  below %d %% of the network, where predictions are not "
                "sure:\n", RESOLUTION);
    put_between(w, none, RESOLUTION, out);
    for (i = 0; i < w->n; i++)
        if (!w->v[i].status && change(w, &w->v[i]) < none)
            str_fmt(out, "  no difference: %s\n", w->v[i].about);
    for (i = 0; i < w->n; i++)
        if (w->v[i].status)
            str_fmt(out, "  cannot be: %s: %s\n", w->v[i].about,
                    w->v[i].message);
}

void report_why(Job *j, Str *out)
{
    Question a = {.j = j, .l = layer_named(j, j->o.why)};
    Trials *w = NEW(j->o.mem, Trials);
    Tried *v;
    int i;

    *w = (Trials){.what = a.l->node->name,
                  .base = trial_of(j, a.l->node->name),
                  .resolution = RESOLUTION};
    j->r.why = w;
    if (w->base.cycles > 0) {
        a.fresh = job_again(j);
        try_model(&a);
        try_chip(&a);
        trials_run(a.fresh, a.t, a.n);
    }
    v = NEWN(j->o.mem, Tried, (size_t)a.n + 1);
    for (i = 0; i < a.n; i++)
        v[i] = a.t[i].got;
    qsort(v, (size_t)a.n, sizeof *v, by_gain);
    w->n = a.n;
    w->v = v;
    put_layer(&a, out);
    put_trials(w, out);
}
