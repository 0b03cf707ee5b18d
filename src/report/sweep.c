/* Drawings of a sweep: of each figure a line over what is swept, from nothing
 * up; a memory's size by its logarithm.  Points that do not fit are left out. */
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { WIDE = 960, HIGH = 150, LEFT = 110, RIGHT = 30, TOP = 24, FOOT = 34 };

static double cycles(const Tried *t)
{
    return t->cycles < 0 ? NAN : (double)t->cycles;
}

static double ms(const Tried *t)
{
    return t->ms;
}

static double energy(const Tried *t)
{
    return t->uj;
}

static double bytes(const Tried *t)
{
    return (double)t->moved;
}

static double speedup(const Tried *t)
{
    return t->speedup;
}

/* That of the bound, beside the first point's cycles. */
static double most_speedup(const Tried *t)
{
    return t->speedup * (double)t->cycles / t->bound;
}

/* That of work which is shared without loss. */
static double linear(const Tried *t)
{
    return t->speedup / t->efficiency;
}

static double value(const Tried *t, double (*of)(const Tried *t))
{
    return t->status ? NAN : of(t);
}

static double x_of(const Trials *w, int i)
{
    double lo = log2((double)w->v[0].value);
    double hi = log2((double)w->v[w->n - 1].value);
    double at = log2((double)w->v[i].value) - lo;

    return LEFT + (WIDE - LEFT - RIGHT) * (hi > lo ? at / (hi - lo) : .5);
}

static void put_text(double x, double y, const char *anchor, const char *s,
                     Str *out)
{
    str_fmt(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
            anchor);
    html_text(out, s);
    str_put(out, "</text>\n");
}

/* 16384: "16K" */
static const char *short_size(Arena *mem, int64_t v)
{
    return v >= 1024 && v % 512 == 0
               ? arena_fmt(mem, "%gK", (double)v / 1024)
               : arena_fmt(mem, "%lld", (long long)v);
}

static void put_curve(const Trials *w, double (*of)(const Tried *t),
                      double most, const char *stroke, Str *out)
{
    int i;

    str_fmt(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"", stroke);
    for (i = 0; i < w->n; i++)
        if (!isnan(value(&w->v[i], of)))
            str_fmt(out, "%.1f,%.1f ", x_of(w, i), TOP + HIGH *
                    (1 - value(&w->v[i], of) / most));
    str_put(out, "\"/>\n");
}

static void put_points(const Trials *w, double (*of)(const Tried *t),
                       double most, Str *out)
{
    double y;
    int i;

    put_curve(w, of, most, "#246", out);
    for (i = 0; i < w->n; i++) {
        if (isnan(value(&w->v[i], of)))
            continue;
        y = TOP + HIGH * (1 - value(&w->v[i], of) / most);
        str_fmt(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#246\">"
                "<title>%s %s: %.9g</title></circle>\n", x_of(w, i), y,
                w->what, short_size(out->mem, w->v[i].value),
                value(&w->v[i], of));
    }
}

/* 1851783: "1.852 M" */
static const char *short_figure(Arena *mem, double v)
{
    return v >= 1e6   ? arena_fmt(mem, "%.4g M", v / 1e6)
           : v >= 1e4 ? arena_fmt(mem, "%.4g k", v / 1e3)
                      : arena_fmt(mem, "%.4g", v);
}

static void put_axes(const Trials *w, const char *name, double most, Str *out)
{
    double last = -1e9;
    int i;

    put_text(LEFT, TOP - 8, "start", name, out);
    put_text(LEFT - 6, TOP + 4, "end", short_figure(out->mem, most), out);
    put_text(LEFT - 6, TOP + HIGH, "end", "0", out);
    str_fmt(out, "<path fill=\"none\" stroke=\"#888\" d=\"M%d %dV%dH%d\"/>\n",
            LEFT, TOP, TOP + HIGH, WIDE - RIGHT);
    for (i = 0; i < w->n; i++) {
        if (x_of(w, i) < last + 40)
            continue;
        last = x_of(w, i);
        put_text(last, TOP + HIGH + 16, "middle",
                 short_size(out->mem, w->v[i].value), out);
    }
}

static double greatest(const Trials *w, double (*of)(const Tried *t))
{
    double most = 0;
    int i;

    for (i = 0; i < w->n; i++)
        if (value(&w->v[i], of) > most)
            most = value(&w->v[i], of);
    return most;
}

static void begin_chart(const Trials *w, const char *name, double most,
                        Str *out)
{
    str_fmt(out, "<svg class=\"sweep\" xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"0 0 %d %d\">\n", WIDE, TOP + HIGH + FOOT);
    put_axes(w, name, most, out);
}

static void put_chart(const Trials *w, const char *name,
                      double (*of)(const Tried *t), Str *out)
{
    double most = greatest(w, of);

    if (most <= 0)
        return;
    begin_chart(w, name, most, out);
    put_points(w, of, most, out);
    str_put(out, "</svg>\n");
}

/* The curve of chips, between those of linear scaling and of the bound. */
static void put_scaling(const Trials *w, Str *out)
{
    double most = MAX(greatest(w, speedup),
                      MAX(greatest(w, linear), greatest(w, most_speedup)));

    begin_chart(w, "speed-up; linear: grey; bound: red", most, out);
    put_curve(w, linear, most, "#888", out);
    put_curve(w, most_speedup, most, "#a22", out);
    put_points(w, speedup, most, out);
    str_put(out, "</svg>\n");
}

void html_sweep(const Report *r, Str *out)
{
    const Trials *w = r->sweep;

    str_put(out, "<h2>With other ");
    html_text(out, w->what);
    str_put(out, "</h2>\n");
    if (!strcmp(w->what, "chips") && greatest(w, speedup) > 0)
        put_scaling(w, out);
    put_chart(w, "cycles", cycles, out);
    if (!strcmp(w->what, "mhz")) /* else it goes as cycles do */
        put_chart(w, "time, ms", ms, out);
    put_chart(w, "energy, uJ", energy, out);
    put_chart(w, "bytes moved", bytes, out);
}
