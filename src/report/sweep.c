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

static void put_points(const Trials *w, double (*of)(const Tried *t),
                       double most, Str *out)
{
    double y;
    int i;

    str_put(out, "<polyline fill=\"none\" stroke=\"#246\" points=\"");
    for (i = 0; i < w->n; i++)
        if (!isnan(value(&w->v[i], of)))
            str_fmt(out, "%.1f,%.1f ", x_of(w, i), TOP + HIGH *
                    (1 - value(&w->v[i], of) / most));
    str_put(out, "\"/>\n");
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

static void put_axes(const Trials *w, const char *name, double most, Str *out)
{
    double last = -1e9;
    int i;

    put_text(LEFT, TOP - 8, "start", name, out);
    put_text(LEFT - 6, TOP + 4, "end", arena_fmt(out->mem, "%.6g", most),
             out);
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

static void put_chart(const Trials *w, const char *name,
                      double (*of)(const Tried *t), Str *out)
{
    double most = 0;
    int i;

    for (i = 0; i < w->n; i++)
        if (value(&w->v[i], of) > most)
            most = value(&w->v[i], of);
    if (most <= 0)
        return;
    str_fmt(out, "<svg class=\"sweep\" xmlns=\"http://www.w3.org/2000/svg\" "
            "viewBox=\"0 0 %d %d\">\n", WIDE, TOP + HIGH + FOOT);
    put_axes(w, name, most, out);
    put_points(w, of, most, out);
    str_put(out, "</svg>\n");
}

void html_sweep(const Report *r, Str *out)
{
    const Trials *w = r->sweep;

    str_put(out, "<h2>With other ");
    html_text(out, w->what);
    str_put(out, "</h2>\n");
    put_chart(w, "cycles", cycles, out);
    if (!strcmp(w->what, "mhz")) /* else it goes as cycles do */
        put_chart(w, "time, ms", ms, out);
    put_chart(w, "energy, uJ", energy, out);
    put_chart(w, "bytes moved", bytes, out);
}
