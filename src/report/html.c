/* One offline page, well-formed as XML too: the summary, the predicted run
 * and memory over time as drawings, the layers. */
#include "report/report.h"

#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head>"
    "<meta charset=\"utf-8\"/>"
    "<meta name=\"viewport\" content=\"width=device-width\"/><style>\n"
    "body{font:14px/1.4 system-ui,sans-serif;max-width:1100px;margin:2em auto;"
    "padding:0 1em}\n.wide{overflow:auto}.wide svg{min-width:700px}"
    "\ntable{border-collapse:collapse;width:100%;font-size:12px}"
    "\ntd,th{text-align:right;padding:2px 6px;border-bottom:1px solid #ddd}"
    "\ntd.text,th.text{text-align:left}"
    "\nsvg{border:1px solid #ccc;width:100%;box-sizing:border-box}svg text{font-size:11px}"
    "\n.mem rect{stroke:#555;stroke-width:.3}"
    ".grid{stroke:#ddd;stroke-width:.7}.end{stroke:#bbb;stroke-width:.5}"
    "rect+text{pointer-events:none}"
    "pre{background:#f6f6f6;padding:1em;overflow:auto}\n</style>\n";

void html_text(Str *out, const char *s)
{
    static const struct {
        char c;
        const char *entity;
    } entities[] = {
        {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"},
    };
    Str safe = {.mem = out->mem};
    size_t i;

    str_safe(&safe, s ? s : "", "\n\t");
    for (s = safe.s; *s; s++) {
        for (i = 0; i < LEN(entities) && entities[i].c != *s; i++)
            ;
        if (i < LEN(entities))
            str_put(out, entities[i].entity);
        else
            str_mem(out, s, 1);
    }
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

void html_begin(Str *out, const char *name)
{
    str_put(out, head);
    str_put(out, "<title>");
    html_text(out, name);
    str_put(out, "</title></head><body><h1>");
    html_text(out, name);
    str_put(out, "</h1>\n");
}

void html_end(Str *out)
{
    str_put(out, "</body></html>\n");
}

static void put_plan(const Report *r, Str *out)
{
    html_timeline(r, out);
    str_put(out, "</div>\n<h2>Layers</h2>\n<div class=\"wide\">\n");
    columns_html(r, out);
}

void report_html(const Report *r, Str *out)
{
    html_begin(out, r->name);
    if (r->plan)
        put_summary(r, out);
    str_put(out, "<div class=\"wide\">\n");
    if (r->sweep)
        html_sweep(r, out);
    if (r->plan)
        put_plan(r, out);
    str_put(out, "</div>\n");
    html_end(out);
}
