/* One offline page: the summary, memory over time as a drawing, the layers. */
#include "report/report.h"

#include <string.h>

enum { WIDE = 960, HIGH = 280 }; /* of the drawing, pixels */

static const char head[] =
    "<!doctype html><meta charset=utf-8><style>"
    "body{font:14px/1.4 system-ui,sans-serif;max-width:1000px;margin:2em auto}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{text-align:right;padding:2px 8px;border-bottom:1px solid #ddd}"
    "td:nth-child(-n+4),th:nth-child(-n+4){text-align:left}"
    "svg{border:1px solid #ccc;width:100%}pre{background:#f6f6f6;padding:1em}"
    "</style>";

static void put_text(Str *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            str_put(out, "&lt;");
        else if (*s == '&')
            str_put(out, "&amp;");
        else if (*s == '"')
            str_put(out, "&quot;");
        else
            str_mem(out, s, 1);
    }
}

/* A buffer is a rectangle: its life across, its addresses up. */
static void put_buf(const Plan *p, int i, int64_t high, Str *out)
{
    const Buf *b = &p->buf[i];
    double x = WIDE * (double)MAX(b->from, 0) / p->nstep;
    double w = WIDE * (double)MIN(b->to, p->nstep) / p->nstep - x;
    double y = HIGH * (double)b->addr / (double)high;
    double h = HIGH * (double)b->size / (double)high;

    str_fmt(out, "<rect x=%.1f y=%.1f width=%.1f height=%.1f "
            "fill=\"hsl(%d,60%%,70%%)\" stroke=#555 stroke-width=.5><title>",
            x, HIGH - y - h, MAX(w, 1), MAX(h, .5), i * 67 % 360);
    put_text(out, b->name ? b->name : "scratch");
    str_fmt(out, ": %lld bytes at %lld, steps %d to %d</title></rect>",
            (long long)b->size, (long long)b->addr, b->from, b->to);
}

static void put_drawing(const Report *r, int mem, Str *out)
{
    const Plan *p = r->plan;
    int i;

    str_fmt(out, "<h3>%s: %lld bytes over %d steps</h3>"
            "<svg viewBox=\"0 0 %d %d\">", r->soc->mems[mem].name,
            (long long)p->used[mem], p->nstep, WIDE, HIGH);
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == mem && p->buf[i].kind != BUF_const)
            put_buf(p, i, p->used[mem], out);
    str_put(out, "</svg>");
}

static bool has_buffers(const Plan *p, int mem)
{
    int i;

    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == mem && p->buf[i].kind != BUF_const)
            return p->used[mem] > 0;
    return false;
}

static void put_cell(Str *out, int64_t v)
{
    if (v < 0)
        str_put(out, "<td>");
    else
        str_fmt(out, "<td>%lld", (long long)v);
}

static void put_layer(Row l, int i, Str *out)
{
    str_fmt(out, "<tr title=\"");
    put_text(out, l.step->why ? l.step->why : "");
    str_fmt(out, "\"><td>%d<td>", i + 1);
    put_text(out, l.step->node->name);
    str_fmt(out, "<td>%s<td>%s", op_info[l.step->node->op].name,
            l.step->kern ? l.step->kern->name : "");
    put_cell(out, l.macs);
    put_cell(out, l.predicted);
    put_cell(out, l.instructions);
    str_put(out, "\n");
}

void report_html(const Report *r, Str *out)
{
    Str text = {.mem = out->mem};
    char *blank;
    int i, n = report_rows(r);

    report_text(r, false, &text);
    str_put(out, head);
    str_put(out, "<title>");
    put_text(out, r->name);
    str_put(out, "</title><h1>");
    put_text(out, r->name);
    str_put(out, "</h1><pre>");
    blank = strstr(text.s, "\n\n"); /* the summary ends there */
    if (blank)
        *blank = 0;
    put_text(out, text.s);
    str_put(out, "</pre><h2>Memory over time</h2>");
    for (i = 0; i < r->soc->nmem; i++)
        if (has_buffers(r->plan, i))
            put_drawing(r, i, out);
    str_put(out, "<h2>Layers</h2><table><tr><th><th>layer<th>op<th>kernel"
            "<th>MACs<th>predicted cycles<th>instructions\n");
    for (i = 0; i < n; i++)
        put_layer(report_row(r, i), i, out);
    str_put(out, "</table>\n");
}
