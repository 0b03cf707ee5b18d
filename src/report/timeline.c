/* Drawings over predicted time: what every engine does, by layer; and what
 * lies in every memory.  Both come from the planner's own trace.  Where a head
 * says nothing of cycles, time is counted in steps. */
#include "report/report.h"

enum { WIDE = 960, HIGH = 280, LANE = 24, LEFT = 60 };

typedef enum Lane {
    LANE_cores, LANE_waits, LANE_in, LANE_out, LANE_io, NLANE
} Lane;

static const char *const lane_name[NLANE] = {
    "cores", "they wait", "DMA in", "DMA out", "I/O",
};

/* Neighbours of one layer on one lane, as long as no eye could part them. */
typedef struct Bar {
    int layer, n;
    int64_t from, to, busy;
} Bar;

typedef struct Draw {
    const Plan *p;
    When *when;      /* by record; NULL: time is steps */
    int64_t *at;     /* by step */
    double per;      /* pixels of a cycle or step */
    Bar bar[NLANE];
    Str *out;
} Draw;

static Draw draw_new(const Report *r, Str *out)
{
    Draw d = {.p = r->plan, .out = out};
    int64_t all = d.p->nstep;

    if (report_cycles(r) > 0) {
        d.when = program_trace(d.p->mem, d.p->program);
        d.at = program_times(d.p->mem, d.p->program, d.when);
        all = d.at[d.p->nstep];
    }
    d.per = (double)WIDE / (double)MAX(1, all);
    return d;
}

static int64_t time_of(const Draw *d, int step)
{
    step = MAX(0, MIN(step, d->p->nstep));
    return d->at ? d->at[step] : step;
}

static int hue(int i)
{
    return i * 67 % 360;
}

/* ---- engines ---- */

static void put_bar(Draw *d, Lane lane)
{
    Bar *b = &d->bar[lane];
    double x = (double)b->from * d->per, w = (double)(b->to - b->from) * d->per;

    if (!b->n)
        return;
    str_fmt(d->out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
            "fill=\"hsl(%d,60%%,60%%)\"><title>", LEFT + x, (lane + 1) * LANE,
            MAX(w, .2), LANE - 4, hue(b->layer));
    html_text(d->out, d->p->layer[b->layer].node->name);
    str_fmt(d->out, ", %s: cycles %lld to %lld, %d of them, busy %lld"
            "</title></rect>\n", lane_name[lane], (long long)b->from,
            (long long)b->to, b->n, (long long)b->busy);
    b->n = 0;
}

static void add_bar(Draw *d, Lane lane, int layer, When w)
{
    Bar *b = &d->bar[lane];

    if (w.from == w.to)
        return;
    if (b->n && (b->layer != layer ||
                 (double)(w.from - b->to) * d->per > .3))
        put_bar(d, lane);
    if (!b->n)
        *b = (Bar){.layer = layer, .from = w.from};
    b->to = w.to;
    b->busy += w.to - w.from;
    b->n++;
}

static Lane lane_of(const Rec *c)
{
    if (c->kind != REC_move)
        return c->kind == REC_wait ? LANE_waits : LANE_cores;
    return c->io ? LANE_io : c->in ? LANE_in : LANE_out;
}

static void add_records(Draw *d)
{
    const Program *q = d->p->program;
    int i;

    for (i = 0; i < q->ncode; i++)
        if (q->code[i].pos >= 0)
            add_bar(d, lane_of(&q->code[i]),
                    d->p->step[q->code[i].pos].layer, d->when[i]);
}

/* A line where a layer ends, its number where there is room. */
static void put_ends(Draw *d)
{
    const Program *q = d->p->program;
    double was = 0;
    int i;

    for (i = 0; i < q->ncode; i++) {
        double at = (double)d->when[i].to * d->per;
        int layer = q->code[i].kind == REC_call ? q->code[i].step->layer : 0;

        if (q->code[i].kind != REC_call ||
            q->code[i].pos != d->p->layer[layer].last)
            continue;

        str_fmt(d->out, "<path d=\"M%.1f 0V%d\" stroke=\"#bbb\" "
                "stroke-width=\".5\"/>", LEFT + at, (NLANE + 1) * LANE);
        if (at - was > 14)
            str_fmt(d->out, "<text x=\"%.1f\" y=\"16\">%d</text>",
                    LEFT + was + 2, layer + 1);
        was = at;
    }
    str_put(d->out, "\n");
}

void html_timeline(const Report *r, Str *out)
{
    Draw d = draw_new(r, out);
    int i;

    if (!d.when)
        return;
    str_fmt(out, "<h2>Predicted execution: %lld cycles</h2>\n<svg "
            "class=\"time\" viewBox=\"0 0 %d %d\">\n",
            (long long)d.at[d.p->nstep], LEFT + WIDE,
            (NLANE + 1) * LANE);
    put_ends(&d);
    for (i = 0; i < NLANE; i++)
        str_fmt(out, "<text x=\"0\" y=\"%d\">%s</text>\n",
                (i + 1) * LANE + 14, lane_name[i]);
    add_records(&d);
    for (i = 0; i < NLANE; i++)
        put_bar(&d, (Lane)i);
    str_put(out, "</svg>\n");
}

/* ---- memories ---- */

/* A buffer is a rectangle: its life across, its addresses up. */
static void put_buf(const Draw *d, int i, int64_t high)
{
    const Buf *b = &d->p->buf[i];
    int64_t from = time_of(d, b->from), to = time_of(d, b->to);
    double y = HIGH * (double)b->addr / (double)high;
    double h = HIGH * (double)b->size / (double)high;
    double w = (double)(to - from) * d->per;

    str_fmt(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\" fill=\"hsl(%d,60%%,70%%)\"><title>",
            (double)from * d->per, HIGH - y - h, MAX(w, .2), MAX(h, .5),
            hue(i));
    html_text(d->out, b->name ? b->name : "scratch");
    str_fmt(d->out, ", b%d", i);
    if (b->over)
        str_fmt(d->out, " under b%d", b->over - 1);
    str_fmt(d->out, ": %lld bytes at %lld, %s %lld to %lld</title></rect>\n",
            (long long)b->size, (long long)b->addr,
            d->when ? "cycles" : "steps", (long long)from, (long long)to);
}

static void put_memory(const Draw *d, int mem)
{
    const Plan *p = d->p;
    int i;

    str_fmt(d->out, "<h3>%s: %lld bytes for buffers, %lld of constants beside"
            "</h3>\n<svg class=\"mem\" viewBox=\"0 0 %d %d\">\n",
            p->soc->mems[mem].name, (long long)p->used[mem],
            (long long)p->consts[mem], WIDE, HIGH);
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == mem && p->buf[i].kind != BUF_const)
            put_buf(d, i, p->used[mem]);
    str_put(d->out, "</svg>\n");
}

void html_memory(const Report *r, Str *out)
{
    Draw d = draw_new(r, out);
    int i;

    str_fmt(out, "<h2>Memory over time, in %s</h2>\n",
            d.when ? "predicted cycles" : "steps");
    for (i = 0; i < r->soc->nmem; i++)
        if (d.p->used[i] > 0)
            put_memory(&d, i);
}
