/* One drawing over predicted time: what every engine does, by layer; below it
 * what lies in every memory, addresses up.  All come from the planner's own
 * trace.  Where a head says nothing of cycles, time is counted in steps. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

enum { WIDE = 960, HIGH = 200, LANE = 24, LEFT = 70, RIGHT = 36, HEAD = 30,
       AXIS = 46, GAP = 14 };

/* Of the cores, of their waits, and one or, where both ways go at once, two of
 * every other engine that has work. */
enum { LANE_cores, LANE_waits, LANE_others, LANES = 2 * MOST_ENGINES };

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
    Bar bar[LANES];
    const char *name[LANES]; /* of lanes */
    int lane[MOST_ENGINES];  /* by engine: its first; 0: it has none */
    int nlane;
    int64_t all;     /* cycles or steps */
    int y;           /* where the next part begins */
    Str *out;
} Draw;

static void add_lanes(Draw *d, const Engine *e)
{
    Arena *mem = d->out->mem;

    if (e->row == ENG_cores || d->lane[e->row])
        return;
    d->lane[e->row] = d->nlane;
    d->name[d->nlane++] = e->duplex ? arena_fmt(mem, "%s out", e->label)
                                    : e->label;
    if (e->duplex)
        d->name[d->nlane++] = arena_fmt(mem, "%s in", e->label);
}

static void find_lanes(Draw *d)
{
    const Soc *soc = d->p->soc;
    int i;

    d->name[LANE_cores] = "cores";
    d->name[LANE_waits] = "they wait";
    d->nlane = LANE_others;
    for (i = 0; i < soc->nhop; i++)
        add_lanes(d, soc_hop(soc, i));
    for (i = 0; i < d->p->nstep; i++)
        add_lanes(d, &soc->engine[d->p->step[i].engine]);
}

static Draw draw_new(const Report *r, Str *out)
{
    Draw d = {.p = r->plan, .out = out, .all = r->plan->nstep, .y = AXIS};

    if (report_cycles(r) > 0) {
        d.when = program_trace(d.p->mem, d.p->program);
        d.at = program_times(d.p->mem, d.p->program, d.when);
        d.all = d.at[d.p->nstep];
    }
    d.per = (double)WIDE / (double)MAX(1, d.all);
    find_lanes(&d);
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

static void put_text(const Draw *d, double x, double y, const char *anchor,
                     const char *s)
{
    str_fmt(d->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
            anchor);
    html_text(d->out, s);
    str_put(d->out, "</text>\n");
}

static void put_line(const Draw *d, const char *class, double x, double y,
                     double to_x, double to_y)
{
    str_fmt(d->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class,
            x, y, to_x, to_y);
}

/* ---- the axis ---- */

/* 1, 2 or 5 times a power of ten: at most so many of them make up `all`. */
static double tick_step(double all, int most)
{
    static const double times[] = {1, 2, 5, 10};
    double ten = pow(10, floor(log10(MAX(all, 1) / most)));
    size_t i;

    for (i = 0; i + 1 < LEN(times) && all / (ten * times[i]) > most; i++)
        ;
    return MAX(1, ten * times[i]);
}

/* Time across: cycles, and milliseconds where the clock is known. */
static void put_axis(const Report *r, const Draw *d, int bottom)
{
    double step = tick_step((double)d->all, 10), t;
    bool ms = d->at && r->soc->mhz > 0;

    put_text(d, 0, 14, "start", d->at ? "cycles" : "steps");
    put_text(d, 0, 28, "start", ms ? "ms" : "");
    for (t = 0; t <= (double)d->all; t += step) {
        double x = LEFT + t * d->per;

        put_line(d, "grid", x, 32, x, bottom);
        put_text(d, x, 14, "middle", arena_fmt(d->out->mem, "%.0f", t));
        if (ms)
            put_text(d, x, 28, "middle", arena_fmt(d->out->mem, "%.4g",
                     report_ms(r, (int64_t)t)));
    }
}

/* ---- engines ---- */

static void put_bar(Draw *d, int lane)
{
    Bar *b = &d->bar[lane];
    double x = (double)b->from * d->per, w = (double)(b->to - b->from) * d->per;

    if (!b->n)
        return;
    str_fmt(d->out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
            "fill=\"hsl(%d,60%%,60%%)\"><title>", LEFT + x, d->y + lane * LANE,
            MAX(w, .2), LANE - 4, hue(b->layer));
    html_text(d->out, d->p->layer[b->layer].node->name);
    str_fmt(d->out, ", %s: cycles %lld to %lld, %d of them, busy %lld"
            "</title></rect>\n", d->name[lane], (long long)b->from,
            (long long)b->to, b->n, (long long)b->busy);
    b->n = 0;
}

static void add_bar(Draw *d, int lane, int layer, When w)
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

static int lane_of(const Draw *d, const Rec *c)
{
    if (c->kind == REC_wait)
        return LANE_waits;
    return d->lane[c->engine] +
           (d->p->soc->engine[c->engine].duplex && c->in);
}

typedef struct Begin {
    int64_t at;
    int record;
} Begin;

static int by_time(const void *a, const void *b)
{
    const Begin *x = a, *y = b;

    return x->at != y->at ? (x->at < y->at ? -1 : 1)
                          : (x->record > y->record) - (x->record < y->record);
}

/* As they begin: what core 0 waits for later than a record says comes later. */
static void add_records(Draw *d)
{
    const Program *q = d->p->program;
    Begin *begin = NEWN(q->mem, Begin, q->ncode + 1);
    int i, k, n = 0;

    for (i = 0; i < q->ncode; i++)
        if (q->code[i].pos >= 0)
            begin[n++] = (Begin){d->when[i].from, i};
    qsort(begin, (size_t)n, sizeof *begin, by_time);
    for (k = 0; k < n; k++) {
        i = begin[k].record;
        add_bar(d, lane_of(d, &q->code[i]),
                d->p->step[q->code[i].pos].layer, d->when[i]);
    }
}

/* Numbers of the layers below their bars, where there is room, and lines where
 * they end, down to the bottom. */
static void put_layers(const Draw *d, int bottom)
{
    const Program *q = d->p->program;
    double was = 0, y = d->y + d->nlane * LANE;
    int i;

    put_text(d, 0, y + 14, "start", "layer");
    for (i = 0; i < q->ncode; i++) {
        double at = (double)d->when[i].to * d->per;
        bool kernel = rec_is_kernel(&q->code[i]);
        int layer = kernel ? q->code[i].step->layer : 0;

        if (!kernel ||
            q->code[i].pos != d->p->layer[layer].last)
            continue;
        put_line(d, "end", LEFT + at, d->y, LEFT + at, bottom);
        if (at - was > 14)
            put_text(d, LEFT + (was + at) / 2, y + 14, "middle",
                     arena_fmt(d->out->mem, "%d", layer + 1));
        was = at;
    }
}

static void put_engines(Draw *d, int bottom)
{
    int i;

    str_put(d->out, "<g class=\"time\">\n");
    put_layers(d, bottom);
    for (i = 0; i < d->nlane; i++)
        put_text(d, 0, d->y + i * LANE + 14, "start", d->name[i]);
    add_records(d);
    for (i = 0; i < d->nlane; i++)
        put_bar(d, i);
    str_put(d->out, "</g>\n");
    d->y += (d->nlane + 1) * LANE;
}

/* ---- memories ---- */

static void put_name(const Draw *d, const char *name, double x, double y,
                     double w, double h)
{
    if (w > 50 && h > 11)
        put_text(d, x + 3, y + h / 2 + 4, "start",
                 arena_fmt(d->out->mem, "%.*s", (int)(w / 7), name));
}

/* A buffer is a rectangle: its life across, its addresses up. */
static void put_buf(const Draw *d, int i, int64_t high)
{
    const Buf *b = &d->p->buf[i];
    const char *name = b->name ? b->name : "scratch";
    int64_t from = time_of(d, b->from), to = time_of(d, b->to);
    double h = HIGH * (double)b->size / (double)high;
    double y = d->y + HEAD + HIGH * (1 - (double)b->addr / (double)high) - h;
    double x = LEFT + (double)from * d->per;
    double w = (double)(to - from) * d->per;

    str_fmt(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\" fill=\"hsl(%d,60%%,70%%)\"><title>", x, y,
            MAX(w, .2), MAX(h, .5), hue(i));
    html_text(d->out, name);
    str_fmt(d->out, ", b%d", i);
    if (b->over)
        str_fmt(d->out, " under b%d", b->over - 1);
    str_fmt(d->out, ": %lld bytes at %lld, %s %lld to %lld</title></rect>\n",
            (long long)b->size, (long long)b->addr,
            d->when ? "cycles" : "steps", (long long)from, (long long)to);
    put_name(d, name, x, y, w, h);
}

/* Bytes up, at round numbers of them. */
static void put_bytes(const Draw *d, int64_t high)
{
    double step = 1, v;

    while ((double)high / step > 5)
        step *= 2;
    for (v = 0; v <= (double)high; v += step) {
        double y = d->y + HEAD + HIGH * (1 - v / (double)high);

        put_line(d, "grid", LEFT, y, LEFT + WIDE, y);
        put_text(d, LEFT - 4, y + 4, "end", v >= 1024
                 ? arena_fmt(d->out->mem, "%g KB", v / 1024)
                 : arena_fmt(d->out->mem, "%g B", v));
    }
}

static void put_memory(Draw *d, int mem)
{
    const Plan *p = d->p;
    int i;

    str_put(d->out, "<g class=\"mem\">\n");
    put_text(d, 0, d->y + 16, "start", arena_fmt(d->out->mem,
        "%s: %lld bytes for buffers, %lld of constants beside",
        p->soc->mems[mem].name, (long long)p->used[mem],
        (long long)p->consts[mem]));
    put_bytes(d, p->used[mem]);
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == mem && p->buf[i].kind != BUF_const)
            put_buf(d, i, p->used[mem]);
    str_put(d->out, "</g>\n");
    d->y += HEAD + HIGH + GAP;
}

void html_timeline(const Report *r, Str *out)
{
    Draw d = draw_new(r, out);
    int i, bottom = AXIS + (d.when ? (d.nlane + 1) * LANE : 0);

    for (i = 0; i < r->soc->nmem; i++)
        if (d.p->used[i] > 0)
            bottom += HEAD + HIGH + GAP;
    str_fmt(out, "<h2>%s over predicted time: %lld %s</h2>\n<svg "
            "viewBox=\"0 0 %d %d\">\n", d.when ? "Execution and memory"
            : "Memory", (long long)d.all, d.when ? "cycles" : "steps",
            LEFT + WIDE + RIGHT, bottom);
    put_axis(r, &d, bottom);
    if (d.when)
        put_engines(&d, bottom);
    for (i = 0; i < r->soc->nmem; i++)
        if (d.p->used[i] > 0)
            put_memory(&d, i);
    str_put(out, "</svg>\n");
}
