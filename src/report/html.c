/* One offline page, well-formed as XML too: the summary, the predicted run
 * and memory over time as drawings, the layers. */
#include "report/report.h"

#include <math.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>"
    "<meta charset=\"utf-8\"/><style>\n"
    "body{font:14px/1.4 system-ui,sans-serif;max-width:1100px;margin:2em auto}"
    "\ntable{border-collapse:collapse;width:100%;font-size:12px}"
    "\ntd,th{text-align:right;padding:2px 6px;border-bottom:1px solid #ddd}"
    "\ntd:nth-child(-n+4),th:nth-child(-n+4){text-align:left}"
    "\nsvg{border:1px solid #ccc;width:100%}svg text{font-size:11px}"
    "\nsvg.mem rect{stroke:#555;stroke-width:.3}"
    "pre{background:#f6f6f6;padding:1em;overflow:auto}\n</style>\n";

void html_text(Str *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            str_put(out, "&lt;");
        else if (*s == '>')
            str_put(out, "&gt;");
        else if (*s == '&')
            str_put(out, "&amp;");
        else if (*s == '"')
            str_put(out, "&quot;");
        else if ((unsigned char)*s < ' ' && *s != '\n' && *s != '\t')
            str_put(out, "?");
        else
            str_mem(out, s, 1);
    }
}

static void put_word(Str *out, const char *s)
{
    str_put(out, "<td>");
    html_text(out, s ? s : "");
    str_put(out, "</td>");
}

static void put_cell(Str *out, int64_t v)
{
    if (v < 0)
        str_put(out, "<td></td>");
    else
        str_fmt(out, "<td>%lld</td>", (long long)v);
}

static void put_num(Str *out, double v)
{
    if (isfinite(v))
        str_fmt(out, "<td>%.2f</td>", v);
    else
        str_put(out, "<td></td>");
}

static void put_layer(const Report *r, Row l, int i, Str *out)
{
    str_fmt(out, "<tr title=\"");
    html_text(out, l.step->why ? l.step->why : "");
    str_fmt(out, "\"><td>%d</td>", i + 1);
    put_word(out, l.step->node->name);
    put_word(out, op_info[l.step->node->op].name);
    put_word(out, l.step->kern ? l.step->kern->name : "");
    put_word(out, l.layer->tile);
    put_cell(out, l.layer->tiles);
    put_cell(out, l.macs);
    put_cell(out, l.predicted);
    put_cell(out, l.predicted_wait);
    put_cell(out, l.layer->moved[0]);
    put_cell(out, l.layer->moved[1]);
    put_num(out, l.timed && l.predicted > 0
                     ? (double)l.timed / (double)l.predicted : NAN);
    put_num(out, energy_all(report_energy_of(r, l)));
    put_cell(out, l.cycles);
    put_cell(out, l.instructions);
    str_put(out, "</tr>\n");
}

static void put_layers(const Report *r, Str *out)
{
    int i, n = report_rows(r);

    str_put(out, "<h2>Layers</h2>\n<table>\n<tr><th></th><th>layer</th>"
            "<th>op</th><th>kernel</th><th>tile: batch x rows x channels</th>"
            "<th>tiles</th><th>MACs</th><th>predicted cycles</th>"
            "<th>of them waits</th><th>bytes L1-L2</th><th>bytes L2-L3</th>"
            "<th>MAC/cycle</th><th>uJ</th><th>cycles</th>"
            "<th>instructions</th></tr>\n");
    for (i = 0; i < n; i++)
        put_layer(r, report_row(r, i), i, out);
    str_put(out, "</table>\n");
}

/* Of the text, what stands before the table. */
static void put_summary(const Report *r, Str *out)
{
    Str text = {.mem = out->mem};
    char *blank;

    report_text(r, false, &text);
    blank = strstr(text.s, "\n\n");
    if (blank)
        *blank = 0;
    str_put(out, "<pre>");
    html_text(out, text.s);
    str_put(out, "</pre>\n");
}

void report_html(const Report *r, Str *out)
{
    str_put(out, head);
    str_put(out, "<title>");
    html_text(out, r->name);
    str_put(out, "</title></head><body><h1>");
    html_text(out, r->name);
    str_put(out, "</h1>\n");
    put_summary(r, out);
    html_timeline(r, out);
    html_memory(r, out);
    put_layers(r, out);
    str_put(out, "</body></html>\n");
}
